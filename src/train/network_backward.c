/* network_backward.c - the decoder backward, layer by layer from the last: the derivatives of network_forward.c. */
#include "train/network_parts.h"

#include <string.h>

/* Adds the rows of dy (rows, ld) to the sums of the gradient of a bias. */
static void add_rows(const bipe_network *net, bipe_role role, const float *dy, size_t ld, size_t rows, float *sums)
{
    float *sum = sums + net->sum[role].at;
    const size_t count = net->sum[role].count;
    for (size_t i = 0; count > 0 && i < rows; i++)
        for (size_t j = 0; j < count; j++)
            sum[j] += dy[i * ld + j];
}

/* dmade, the gradient of what a layer makes, from dy, that of the residual stream after it; they are the same where
 * nothing comes between. scratch: 2 C floats. */
static void made_back(const network_pass *pass, size_t site, bipe_role post_norm, network_tile t, const float *dy,
                      const float *made, float *dmade, float *scratch, float *sums)
{
    const float scale = (float)pass->net->decoder->residual_scale;
    const size_t c = pass->net->hyper->hidden;
    if (dmade == dy)
        return;
    memcpy(dmade, dy, t.count * c * sizeof *dy);
    network_drop_tile(pass, site, t, dmade);
    for (size_t j = 0; scale != 1 && j < t.count * c; j++)
        dmade[j] *= scale;
    for (size_t j = 0; made != NULL && j < t.count; j++, made += c, dmade += c) {
        memcpy(scratch, dmade, c * sizeof *scratch);
        memset(dmade, 0, c * sizeof *dmade);
        network_normalize_back(pass, post_norm, made, scratch, 1, scratch + c, dmade, sums);
    }
}

/* The rows of a tile of an array (T, C), or NULL where there is none. */
static const float *tile_rows(const float *array, network_tile t, size_t c)
{
    return array != NULL ? array + t.first * c : NULL;
}

/* From dx to dmiddle: the feed-forward layer. Leaves what the gradients of its weights and of attention's are made
 * of. */
static void feed_forward_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
    const network_kept *kept = &pass->kept[pass->layer];
    const nn_activation activation = net->decoder->activation;
    const bool parallel = net->decoder->parallel, gated = network_has(net, BIPE_ROLE_GATE);
    size_t c = h->hidden, f = h->feed_forward, wide = net->wide, site = 1 + 2 * (size_t)pass->layer;
    network_tile t = network_tile_of(pass->tokens, i);
    float *da = network_scratch(pass, worker), *sums = network_open_sums(pass, i);
    float *dx = pass->dx + t.first * c, *dadded = pass->dadded + t.first * c, *hidden = pass->hidden + t.first * f;
    float *gate_up = kept->gate_up + t.first * net->gate_up;
    made_back(pass, site + 1, BIPE_ROLE_FEED_FORWARD_POST_NORM, t, dx, tile_rows(kept->made[1], t, c), dadded, da,
              sums);
    network_multiply(pass, &w[NETWORK_DOWN].back, dadded, c, false, t.count, false, hidden, f, worker);
    for (size_t j = 0; j < t.count; j++) {
        float *row = gate_up + j * net->gate_up;
        if (gated)
            nn_activate_mul_backward(activation, row, row + f, hidden + j * f, f);
        else
            nn_activate_backward(activation, row, hidden + j * f, f);
    }
    network_multiply(pass, &w[NETWORK_GATE_UP].back, gate_up, net->gate_up, false, t.count, false, da, c, worker);

    float *dmiddle = pass->dmiddle + t.first * c;
    memcpy(dmiddle, dx, t.count * c * sizeof *dx);
    network_normalize_back(pass, BIPE_ROLE_FEED_FORWARD_NORM, tile_rows(parallel ? kept->x : kept->middle, t, c), da,
                           t.count, pass->norm + t.first * c, dmiddle, sums);
    float *dattention = pass->dattention_added + t.first * c;
    made_back(pass, site, BIPE_ROLE_ATTENTION_POST_NORM, t, parallel ? dx : dmiddle, tile_rows(kept->made[0], t, c),
              dattention, da, sums);
    add_rows(net, BIPE_ROLE_ATTENTION_BIAS, dattention, c, t.count, sums);
    add_rows(net, BIPE_ROLE_GATE_BIAS, gate_up, net->gate_up, t.count, sums);
    add_rows(net, BIPE_ROLE_UP_BIAS, gate_up + (gated ? f : 0), net->gate_up, t.count, sums);
    add_rows(net, BIPE_ROLE_DOWN_BIAS, dadded, c, t.count, sums);
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

/* From dmiddle and the gradients of q, k, v to dx of the layer's input. */
static void project_tokens_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
    size_t c = net->hyper->hidden;
    network_tile t = network_tile_of(pass->tokens, i);
    float *da = network_scratch(pass, worker), *sums = network_open_sums(pass, i);
    float *dqkv = pass->dqkv + t.first * net->qkv, *dx = pass->dx + t.first * c;
    for (size_t j = 0; j < t.count; j++)
        network_place_back(pass, t.first + j, dqkv + j * net->qkv, da, sums);
    add_rows(net, BIPE_ROLE_QUERY_BIAS, dqkv, net->qkv, t.count, sums);
    add_rows(net, BIPE_ROLE_KEY_BIAS, dqkv + net->wide, net->qkv, t.count, sums);
    add_rows(net, BIPE_ROLE_VALUE_BIAS, dqkv + net->wide + net->narrow, net->qkv, t.count, sums);
    network_multiply(pass, &w[NETWORK_QKV].back, dqkv, net->qkv, false, t.count, false, da, c, worker);
    memcpy(dx, pass->dmiddle + t.first * c, t.count * c * sizeof *dx);
    network_normalize_back(pass, BIPE_ROLE_ATTENTION_NORM, pass->kept[pass->layer].x + t.first * c, da, t.count,
                           pass->norm + t.first * c, dx, sums);
}

enum { EMBED_COLUMNS = 64 };

/* The gradients of the tables that were added to the input: some columns of all positions, in order. */
static void embed_tokens_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[0];
    size_t c = net->hyper->hidden, rows = net->hyper->learned_rows, first = i * EMBED_COLUMNS;
    const float scale = (float)net->decoder->embedding_scale;
    size_t count = c - first < EMBED_COLUMNS ? c - first : EMBED_COLUMNS;
    (void)worker;
    for (size_t at = 0; at < pass->tokens; at++) {
        const float *dx = pass->dx + at * c + first;
        float *table = pass->gradient + net->at[0][BIPE_ROLE_EMBEDDING] + pass->ids[at] * c + first;
        for (size_t j = 0; j < count; j++)
            table[j] += scale * dx[j];
        if (!p->learned)
            continue;
        size_t index = pass->index[p->learned_index][at];
        table = pass->gradient + net->at[0][BIPE_ROLE_LEARNED] + (index < rows ? index : rows - 1) * c + first;
        for (size_t j = 0; j < count; j++)
            table[j] += dx[j];
    }
}

/* Back through the dropout and the norm of the embedding. */
static void input_back(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const size_t c = pass->net->hyper->hidden;
    network_tile t = network_tile_of(pass->tokens, i);
    float *dx = pass->dx + t.first * c, *x = network_scratch(pass, worker), *dy = x + c;
    network_drop_tile(pass, 0, t, dx);
    if (!network_has(pass->net, BIPE_ROLE_EMBEDDING_NORM))
        return;
    float *sums = network_open_sums(pass, i);
    for (size_t j = 0; j < t.count; j++, dx += c) {
        network_embed(pass, t.first + j, x);
        memcpy(dy, dx, c * sizeof *dy);
        memset(dx, 0, c * sizeof *dx);
        network_normalize_back(pass, BIPE_ROLE_EMBEDDING_NORM, x, dy, 1, dy + c, dx, sums);
    }
}

/* Each distance's gradient goes to its bucket. */
static void add_tables(network_pass *pass)
{
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[0];
    size_t heads = net->hyper->heads, biases = p->biases;
    for (size_t row = 0; row < pass->count; row++)
        for (size_t head = 0; head < heads; head++)
            for (size_t b = 0; b < biases; b++) {
                const float *from = pass->dtable + ((row * heads + head) * biases + b) * p->distances;
                for (size_t distance = 0; distance < p->distances; distance++)
                    pass->gradient[net->at[0][BIPE_ROLE_T5] + bipe_t5_bucket(distance, p->buckets) * heads + head] +=
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
               pass->count * h->heads * pass->positions[0].biases * pass->positions[0].distances *
                   sizeof *pass->dtable);
    for (pass->layer = h->layers; pass->layer-- > 0;) {
        const network_weight *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS];
        const network_kept *kept = &pass->kept[pass->layer];
        if (net->options.recompute)
            network_layer_again(pass);
        network_stage(pass, tiles, feed_forward_back);
        network_add_sums(pass, NETWORK_SUMS_FEED_FORWARD, tiles);
        float *read = network_has(net, BIPE_ROLE_FEED_FORWARD_NORM) ? pass->norm
                      : net->decoder->parallel                      ? kept->x
                                                                    : kept->middle;
        const network_outer after[] = {{&w[NETWORK_DOWN], pass->dadded, c, pass->hidden},
                                       {&w[NETWORK_GATE_UP], kept->gate_up, net->gate_up, read},
                                       {&w[NETWORK_ATTENTION], pass->dattention_added, c, kept->attended}};
        network_outers(pass, after, 3, pass->tokens);
        network_stage(pass, pass->count * h->kv_heads, attend_heads_back);
        network_stage(pass, tiles, project_tokens_back);
        network_add_sums(pass, NETWORK_SUMS_ATTENTION, tiles);
        const network_outer before = {&w[NETWORK_QKV], pass->dqkv, net->qkv,
                                      network_has(net, BIPE_ROLE_ATTENTION_NORM) ? pass->norm : kept->x};
        network_outers(pass, &before, 1, pass->tokens);
    }
    network_stage(pass, tiles, input_back);
    if (network_has(net, BIPE_ROLE_EMBEDDING_NORM))
        network_add_sums(pass, NETWORK_SUMS_INPUT, tiles);
    network_stage(pass, (c + EMBED_COLUMNS - 1) / EMBED_COLUMNS, embed_tokens_back);
    if (pass->dtable != NULL)
        add_tables(pass);
}
