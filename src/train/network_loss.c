/* network_loss.c - the output layer: losses of the targets and, backward, the gradient of what the layers made. */
#include "train/network_parts.h"

#include <string.h>

/* norm = RMSNorm of the rows of a chunk's targets. logits = norm W; nll from them; their gradient overwrites them. */
static void cross_entropy_rows(void *context, size_t i, size_t worker)
{
    network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    size_t c = h->hidden, v = h->vocabulary;
    network_tile t = network_tile_of(pass->chunk_targets, i);
    float *a = pass->norm + t.first * c, *logits = pass->logits + t.first * v;
    const uint32_t *target = pass->target + pass->first_target + t.first;
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm(pass->last + target[j] * c, net->values + net->at[0][BIPE_ROLE_NORM], h->rms_norm_eps, a + j * c, c);
    network_multiply(pass, &net->weight[net->weights - 1].forward, a, c, false, t.count, false, logits, v, worker);
    for (size_t j = 0; j < t.count; j++) {
        uint32_t id = pass->ids[target[j] + 1];
        float *row = logits + j * v;
        nn_log_sum sum = nn_log_sum_start;
        nn_log_sum_add(&sum, row, v);
        double whole = nn_log_sum_result(&sum);
        pass->nll[pass->first_target + t.first + j] = whole - (double)row[id];
        if (pass->gradient != NULL)
            nn_cross_entropy_backward(row, v, whole, id, (float)pass->weight);
    }
}

/* dx of the targets' rows from the gradient of the logits. */
static void cross_entropy_back(void *context, size_t i, size_t worker)
{
    network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    size_t c = h->hidden, v = h->vocabulary;
    network_tile t = network_tile_of(pass->chunk_targets, i);
    float *da = network_scratch(pass, worker), *norm = pass->norm + t.first * c,
          *partial = pass->partial + i * network_partial(net);
    const uint32_t *target = pass->target + pass->first_target + t.first;
    memset(partial, 0, c * sizeof *partial);
    network_multiply(pass, &net->weight[net->weights - 1].back, pass->logits + t.first * v, v, false, t.count, false,
                     da, c, worker);
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm_backward(pass->last + target[j] * c, net->values + net->at[0][BIPE_ROLE_NORM], h->rms_norm_eps,
                            da + j * c, norm + j * c, pass->dx + target[j] * c, partial, c);
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
        network_add_partial(pass, tiles, 0, c, net->at[0][BIPE_ROLE_NORM]);
        network_outer output = {&net->weight[net->weights - 1], pass->logits, v, pass->norm};
        network_outers(pass, &output, 1, pass->chunk_targets);
    }
}
