/* network_loss.c - the output layer: losses of the targets and, backward, the gradient of what the layers made. */
#include "train/network_parts.h"

#include <math.h>
#include <string.h>

static void scale_rows(const bipe_network *net, float *x, size_t count)
{
    const float scale = (float)net->decoder->logit_scale;
    for (size_t i = 0; scale != 1 && i < count * net->hyper->hidden; i++)
        x[i] *= scale;
}

/* The gradient of capped logits (V) becomes that of the logits. */
static void cap_back(const bipe_network *net, const float *capped, float *gradient)
{
    const float inward = (float)(1 / net->decoder->logit_cap);
    for (size_t i = 0; i < net->hyper->vocabulary; i++)
        gradient[i] *= 1 - capped[i] * inward * (capped[i] * inward);
}

/* The loss of target j goes to its row. Returns what it counts (network.h). */
static double weigh_target(const network_pass *pass, size_t j, double nll)
{
    size_t at = pass->target[j];
    const bipe_train_row *row = &pass->rows[pass->row[at]];
    size_t token = pass->index[BIPE_INDEX_TOKEN][at] + 1;
    if (row->nll != NULL)
        row->nll[token] = nll;
    if (row->brief == NULL || isnan(row->brief[token]))
        return 1;
    return fmin(exp(row->brief[token] - nll), pass->net->options.most_weight);
}

/* norm = the last norm of the rows of a chunk's targets. logits = norm W; nll from them; their gradient overwrites
 * them. */
static void cross_entropy_rows(void *context, size_t i, size_t worker)
{
    network_pass *pass = context;
    const bipe_network *net = pass->net;
    size_t c = net->hyper->hidden, v = net->hyper->vocabulary;
    network_tile t = network_tile_of(pass->chunk_targets, i);
    float *a = pass->norm + t.first * c, *logits = pass->logits + t.first * v;
    const uint32_t *target = pass->target + pass->first_target + t.first;
    const float cap = (float)net->decoder->logit_cap;
    for (size_t j = 0; j < t.count; j++)
        network_normalize(pass, BIPE_ROLE_NORM, pass->last + target[j] * c, 1, a + j * c);
    scale_rows(net, a, t.count);
    network_multiply(pass, &net->weight[net->weights - 1].forward, a, c, false, t.count, false, logits, v, worker);
    for (size_t j = 0; j < t.count; j++) {
        uint32_t id = pass->ids[target[j] + 1];
        float *row = logits + j * v, *capped = network_scratch(pass, worker);
        nn_log_sum sum = nn_log_sum_start;
        if (cap > 0) {
            nn_soft_cap(row, v, cap);
            memcpy(capped, row, v * sizeof *row);
        }
        nn_log_sum_add(&sum, row, v);
        double whole = nn_log_sum_result(&sum);
        double nll = whole - (double)row[id], weight = weigh_target(pass, pass->first_target + t.first + j, nll);
        pass->nll[pass->first_target + t.first + j] = weight * nll;
        if (pass->gradient != NULL)
            nn_cross_entropy_backward(row, v, whole, id, (float)(pass->weight * weight));
        if (pass->gradient != NULL && cap > 0)
            cap_back(net, capped, row);
    }
}

/* dx of the targets' rows from the gradient of the logits. */
static void cross_entropy_back(void *context, size_t i, size_t worker)
{
    network_pass *pass = context;
    const bipe_network *net = pass->net;
    size_t c = net->hyper->hidden, v = net->hyper->vocabulary;
    network_tile t = network_tile_of(pass->chunk_targets, i);
    float *da = network_scratch(pass, worker), *norm = pass->norm + t.first * c, *sums = network_open_sums(pass, i);
    const uint32_t *target = pass->target + pass->first_target + t.first;
    network_multiply(pass, &net->weight[net->weights - 1].back, pass->logits + t.first * v, v, false, t.count, false,
                     da, c, worker);
    scale_rows(net, da, t.count);
    for (size_t j = 0; j < t.count; j++)
        network_normalize_back(pass, BIPE_ROLE_NORM, pass->last + target[j] * c, da + j * c, 1, norm + j * c,
                               pass->dx + target[j] * c, sums);
    scale_rows(net, norm, t.count);
}

void network_loss(network_pass *pass)
{
    const bipe_network *net = pass->net;
    size_t c = net->hyper->hidden, v = net->hyper->vocabulary;
    if (pass->gradient != NULL)
        memset(pass->dx, 0, pass->tokens * c * sizeof *pass->dx);
    for (pass->first_target = 0; pass->first_target < pass->targets; pass->first_target += pass->chunk_targets) {
        pass->chunk_targets = pass->targets - pass->first_target < net->chunk ? pass->targets - pass->first_target
                                                                              : net->chunk;
        size_t tiles = network_tiles(pass->chunk_targets);
        network_stage(pass, tiles, cross_entropy_rows);
        if (pass->gradient == NULL)
            continue;
        network_stage(pass, tiles, cross_entropy_back);
        network_add_sums(pass, NETWORK_SUMS_OUTPUT, tiles);
        network_outer output = {&net->weight[net->weights - 1], pass->logits, v, pass->norm};
        network_outers(pass, &output, 1, pass->chunk_targets);
    }
}
