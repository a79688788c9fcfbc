/* network_backward.c - the decoder backward, layer by layer from the last: the derivatives of network_forward.c. */
#include "train/network_parts.h"

#include <string.h>

/* Sums of the first `count` columns of dy (rows, ld): the gradient of a bias. Returns where it ends. */
static float *add_rows(const float *dy, size_t ld, size_t rows, size_t count, float *sum)
{
    memset(sum, 0, count * sizeof *sum);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < count; j++)
            sum[j] += dy[i * ld + j];
    return sum + count;
}

/* From dx to dmiddle: the feed-forward layer. Leaves what the gradients of its weights and of attention's are made
 * of. */
static void feed_forward_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const size_t *at = net->at[pass->layer];
    const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
    const network_kept *kept = &pass->kept[pass->layer];
    size_t c = h->hidden, f = h->feed_forward, wide = net->wide;
    network_tile t = network_tile_of(pass->tokens, i);
    float *da = network_scratch(pass, worker), *partial = pass->partial + i * network_partial(net);
    float *dx = pass->dx + t.first * c, *dadded = pass->dadded + t.first * c, *hidden = pass->hidden + t.first * f;
    float *gate_up = kept->gate_up + t.first * 2 * f, *middle = kept->middle + t.first * c;
    if (dadded != dx) {
        memcpy(dadded, dx, t.count * c * sizeof *dx);
        network_drop_tile(pass, 2 + 2 * (size_t)pass->layer, t, dadded);
    }
    network_multiply(pass, &w[NETWORK_DOWN].back, dadded, c, false, t.count, false, hidden, f, worker);
    for (size_t j = 0; j < t.count; j++)
        nn_silu_mul_backward(gate_up + j * 2 * f, gate_up + j * 2 * f + f, hidden + j * f, f);
    network_multiply(pass, &w[NETWORK_GATE_UP].back, gate_up, 2 * f, false, t.count, false, da, c, worker);

    float *dmiddle = pass->dmiddle + t.first * c, *norm = pass->norm + t.first * c;
    const float *weight = net->values + at[BIPE_ROLE_FEED_FORWARD_NORM];
    memcpy(dmiddle, dx, t.count * c * sizeof *dx);
    memset(partial, 0, c * sizeof *partial);
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm_backward(middle + j * c, weight, h->rms_norm_eps, da + j * c, norm + j * c, dmiddle + j * c, partial,
                            c);
    float *dattention = pass->dattention_added + t.first * c;
    if (dattention != dmiddle) {
        memcpy(dattention, dmiddle, t.count * c * sizeof *dmiddle);
        network_drop_tile(pass, 1 + 2 * (size_t)pass->layer, t, dattention);
    }
    float *biases = add_rows(dattention, c, t.count, net->output_biases, partial + c);
    biases = add_rows(gate_up, 2 * f, t.count, net->gate_up_biases, biases);
    add_rows(dadded, c, t.count, net->down_biases, biases);
    memset(pass->dqkv + t.first * net->qkv, 0, t.count * net->qkv * sizeof *pass->dqkv);
    network_multiply(pass, &w[NETWORK_ATTENTION].back, dattention, c, false, t.count, false,
                     pass->dattended + t.first * wide, wide, worker);
}

/* One key head of one row, and the query heads that share it. */
static void attend_heads_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const network_kept *kept = &pass->kept[pass->layer];
    size_t row = i / h->kv_heads, group = i % h->kv_heads, share = h->heads / h->kv_heads, d = h->head_size;
    size_t first = pass->start[row], query = group * share * d, key = net->wide + group * d, value = key + net->narrow;
    const float *qkv = kept->qkv + first * net->qkv;
    float *dqkv = pass->dqkv + first * net->qkv;
    nn_attention attention =
        network_attention(pass, row, group * share, share, pass->bias + worker * share * BIPE_SCHEME_TERMS);
    nn_attention_window window = {.q = qkv + query, .k = qkv + key, .v = qkv + value, .ldq = net->qkv, .ldk = net->qkv,
                                  .ldv = net->qkv, .out = kept->attended + first * net->wide + query,
                                  .d_out = pass->dattended + first * net->wide + query, .ldo = net->wide,
                                  .ld_out = net->wide, .lse = kept->log_sums + group * share * pass->tokens + first,
                                  .ldl = pass->tokens, .dq = dqkv + query, .dk = dqkv + key, .dv = dqkv + value,
                                  .ld_dq = net->qkv, .ld_dk = net->qkv, .ld_dv = net->qkv};
    nn_attention_backward(net->cpu, &attention, pass->rows[row].length, d, &window, network_scratch(pass, worker));
}

/* Back through the norms of heads: in `row`, the gradient of normalized queries and keys becomes that of the projected.
 * scratch: 2 D floats. */
static void head_norms_back(const network_pass *pass, size_t position, float *row, float *scratch, float *dweight)
{
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const float *x = pass->kept[pass->layer].projected + position * (net->wide + net->narrow);
    size_t d = h->head_size;
    for (size_t n = 0; n < (size_t)h->heads + h->kv_heads; n++, row += d, x += d) {
        bool query = n < h->heads;
        const float *weight = net->values + net->at[pass->layer][query ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM];
        memcpy(scratch, row, d * sizeof *row);
        memset(row, 0, d * sizeof *row);
        nn_rmsnorm_backward(x, weight, h->rms_norm_eps, scratch, scratch + d, row, dweight + (query ? 0 : d), d);
    }
}

/* From dmiddle and the gradients of q, k, v to dx of the layer's input. */
static void project_tokens_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const size_t *at = net->at[pass->layer];
    const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
    const network_kept *kept = &pass->kept[pass->layer];
    size_t c = h->hidden, wide = net->wide;
    network_tile t = network_tile_of(pass->tokens, i);
    float *da = network_scratch(pass, worker), *partial = pass->partial + i * network_partial(net);
    float *dqkv = pass->dqkv + t.first * net->qkv, *dx = pass->dx + t.first * c, *norm = pass->norm + t.first * c;
    memset(partial, 0, network_partial(net) * sizeof *partial);
    for (size_t j = 0; j < t.count; j++) {
        size_t position = t.first + j;
        const bipe_position_tables *p = network_positions(pass, pass->row[position]);
        float *row = dqkv + j * net->qkv;
        if (p->rotates) {
            size_t angles = pass->index[p->rotation_index][position] * p->half;
            nn_rotate_back(row, h->heads, p->query_cos + angles, p->query_sin + angles, p->half);
            nn_rotate_back(row + wide, h->kv_heads, p->key_cos + angles, p->key_sin + angles, p->half);
        }
        if (p->log_scale) {
            float factor = bipe_position_tables_log_factor(p, pass->index[p->log_index][position]);
            for (size_t n = 0; n < wide; n++)
                row[n] *= factor;
        }
        if (kept->projected != NULL)
            head_norms_back(pass, position, row, da, partial + c + net->biases);
        for (size_t n = 0; n < net->biases; n++)
            partial[c + n] += row[n];
    }
    network_multiply(pass, &w[NETWORK_QKV].back, dqkv, net->qkv, false, t.count, false, da, c, worker);
    const float *weight = net->values + at[BIPE_ROLE_ATTENTION_NORM], *x = kept->x + t.first * c;
    memcpy(dx, pass->dmiddle + t.first * c, t.count * c * sizeof *dx);
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm_backward(x + j * c, weight, h->rms_norm_eps, da + j * c, norm + j * c, dx + j * c, partial, c);
}

enum { EMBED_COLUMNS = 64 };

/* The gradients of the tables that were added to the input: some columns of all positions, in order. */
static void embed_tokens_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[0];
    size_t c = net->hyper->hidden, rows = net->hyper->learned_rows, first = i * EMBED_COLUMNS;
    size_t count = c - first < EMBED_COLUMNS ? c - first : EMBED_COLUMNS;
    (void)worker;
    for (size_t at = 0; at < pass->tokens; at++) {
        const float *dx = pass->dx + at * c + first;
        float *table = pass->gradient + net->at[0][BIPE_ROLE_EMBEDDING] + pass->ids[at] * c + first;
        for (size_t j = 0; j < count; j++)
            table[j] += dx[j];
        if (!p->learned)
            continue;
        size_t index = pass->index[p->learned_index][at];
        table = pass->gradient + net->at[0][BIPE_ROLE_LEARNED] + (index < rows ? index : rows - 1) * c + first;
        for (size_t j = 0; j < count; j++)
            table[j] += dx[j];
    }
}

static void drop_input(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    network_tile t = network_tile_of(pass->tokens, i);
    (void)worker;
    network_drop_tile(pass, 0, t, pass->dx + t.first * pass->net->hyper->hidden);
}

/* Each distance's gradient goes to its bucket. */
static void add_tables(network_pass *pass)
{
    const bipe_network *net = pass->net;
    size_t heads = net->hyper->heads, biases = pass->positions[0].biases;
    for (size_t row = 0; row < pass->count; row++)
        for (size_t head = 0; head < heads; head++)
            for (size_t b = 0; b < biases; b++) {
                const float *from = pass->dtable + ((row * heads + head) * biases + b) * BIPE_T5_FARTHEST;
                for (size_t distance = 0; distance < BIPE_T5_FARTHEST; distance++)
                    pass->gradient[net->at[0][BIPE_ROLE_T5] + bipe_t5_bucket(distance) * heads + head] +=
                        from[distance];
            }
}

void network_backward(network_pass *pass)
{
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    size_t c = h->hidden, tiles = network_tiles(pass->tokens);
    if (pass->dtable != NULL)
        memset(pass->dtable, 0,
               pass->count * h->heads * pass->positions[0].biases * BIPE_T5_FARTHEST * sizeof *pass->dtable);
    for (pass->layer = h->layers; pass->layer-- > 0;) {
        const size_t *at = net->at[pass->layer];
        const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
        const network_kept *kept = &pass->kept[pass->layer];
        if (net->options.recompute)
            network_layer_again(pass);
        network_stage(pass, tiles, feed_forward_back);
        network_add_partial(pass, tiles, 0, c, at[BIPE_ROLE_FEED_FORWARD_NORM]);
        network_add_partial(pass, tiles, c, net->output_biases, at[BIPE_ROLE_ATTENTION_BIAS]);
        network_add_partial(pass, tiles, c + net->output_biases, net->gate_up_biases, at[BIPE_ROLE_GATE_BIAS]);
        network_add_partial(pass, tiles, c + net->output_biases + net->gate_up_biases, net->down_biases,
                            at[BIPE_ROLE_DOWN_BIAS]);
        const network_outer after[] = {{&w[NETWORK_DOWN], pass->dadded, c, pass->hidden},
                                       {&w[NETWORK_GATE_UP], kept->gate_up, 2 * h->feed_forward, pass->norm},
                                       {&w[NETWORK_ATTENTION], pass->dattention_added, c, kept->attended}};
        network_outers(pass, after, 3, pass->tokens);
        network_stage(pass, pass->count * h->kv_heads, attend_heads_back);
        network_stage(pass, tiles, project_tokens_back);
        network_add_partial(pass, tiles, 0, c, at[BIPE_ROLE_ATTENTION_NORM]);
        network_add_partial(pass, tiles, c, net->biases, at[BIPE_ROLE_QUERY_BIAS]);
        network_add_partial(pass, tiles, c + net->biases, net->head_norms, at[BIPE_ROLE_QUERY_NORM]);
        const network_outer before = {&w[NETWORK_QKV], pass->dqkv, net->qkv, pass->norm};
        network_outers(pass, &before, 1, pass->tokens);
    }
    network_stage(pass, tiles, drop_input);
    network_stage(pass, (c + EMBED_COLUMNS - 1) / EMBED_COLUMNS, embed_tokens_back);
    if (pass->dtable != NULL)
        add_tables(pass);
}
