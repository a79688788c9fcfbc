/* network_forward.c - the decoder forward, keeping what the backward pass needs (He et al. 2024; Touvron et al.
 * 2023). */
#include "train/network_parts.h"

#include <math.h>
#include <string.h>

#include "base/minmax.h"

const bipe_position_tables *network_positions(const network_pass *pass, size_t row)
{
    return &pass->positions[pass->net->rows_differ ? row : 0];
}

nn_attention network_attention(const network_pass *pass, size_t row, size_t first, size_t heads, nn_bias *bias)
{
    const bipe_position_tables *p = network_positions(pass, row);
    for (size_t i = 0; i < heads * p->biases; i++) {
        size_t head = first + i / p->biases, b = i % p->biases;
        const bipe_bias_term *term = &p->bias[b];
        bias[i] = (nn_bias){.index = pass->index[term->index] + pass->start[row],
                            .ascending = term->index != BIPE_INDEX_INTRA};
        if (term->table != NULL) {
            bias[i].table = term->table + head * BIPE_T5_FARTHEST;
            bias[i].table_size = BIPE_T5_FARTHEST;
            bias[i].d_table = pass->dtable + ((row * p->heads + head) * p->biases + b) * BIPE_T5_FARTHEST;
        } else {
            bias[i].slope = term->slope[head];
        }
    }
    return (nn_attention){.heads = heads, .scale = (float)(1 / sqrt((double)pass->net->hyper->head_size)), .bias = bias,
                          .biases = p->biases};
}

/* x = embedding of the token + what the scheme adds. */
static void embed_tokens(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[0];
    size_t c = net->hyper->hidden, rows = net->hyper->learned_rows;
    network_tile t = network_tile_of(pass->tokens, i);
    (void)worker;
    for (size_t at = t.first; at < t.first + t.count; at++) {
        float *x = pass->kept[0].x + at * c;
        memcpy(x, net->values + net->at[0][BIPE_ROLE_EMBEDDING] + pass->ids[at] * c, c * sizeof *x);
        if (p->learned) {
            size_t row = bipe_smaller(pass->index[p->learned_index][at], rows - 1);
            const float *learned = net->values + net->at[0][BIPE_ROLE_LEARNED] + row * c;
            for (size_t j = 0; j < c; j++)
                x[j] += learned[j];
        }
        for (size_t n = 0; n < p->sinusoids; n++) {
            const float *wave = net->waves + pass->index[p->sinusoid_index[n]][at] * c;
            for (size_t j = 0; j < c; j++)
                x[j] += wave[j];
        }
    }
    network_drop_tile(pass, 0, t, pass->kept[0].x + t.first * c);
}

/* y (m, n) = x W of the layer, and the bias that begins at this role, of so many values (0: there is none). */
static void run_linear(const network_pass *pass, int weight, bipe_role bias, size_t biases, const float *x, size_t m,
                       float *y, size_t worker)
{
    const bipe_network *net = pass->net;
    const nn_panels *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS + (size_t)weight].forward;
    const nn_product product = {.x = x, .ldx = w->k, .m = m, .w = w, .count = w->n, .y = y, .ldy = w->n,
                                .bias = biases > 0 ? net->values + net->at[pass->layer][bias] : NULL};
    nn_product_run(net->cpu, &product, pass->scratch + worker * net->scratch_size);
}

/* q, k, v = norm(x) W, with their positions. */
static void project_tokens(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const size_t *at = net->at[pass->layer];
    const network_kept *kept = &pass->kept[pass->layer];
    size_t c = h->hidden, wide = net->wide, d = h->head_size;
    network_tile t = network_tile_of(pass->tokens, i);
    float *a = network_scratch(pass, worker), *qkv = kept->qkv + t.first * net->qkv;
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm(kept->x + (t.first + j) * c, net->values + at[BIPE_ROLE_ATTENTION_NORM], h->rms_norm_eps, a + j * c,
                   c);
    run_linear(pass, NETWORK_QKV, BIPE_ROLE_QUERY_BIAS, net->biases, a, t.count, qkv, worker);
    for (size_t j = 0; j < t.count; j++) {
        size_t position = t.first + j;
        const bipe_position_tables *p = network_positions(pass, pass->row[position]);
        float *row = qkv + j * net->qkv;
        if (kept->projected != NULL)
            memcpy(kept->projected + position * (wide + net->narrow), row, (wide + net->narrow) * sizeof *row);
        for (size_t n = 0; net->head_norms > 0 && n < (size_t)h->heads + h->kv_heads; n++)
            nn_rmsnorm(row + n * d, net->values + at[n < h->heads ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM],
                       h->rms_norm_eps, row + n * d, d);
        if (p->log_scale) {
            float factor = bipe_position_tables_log_factor(p, pass->index[p->log_index][position]);
            for (size_t n = 0; n < wide; n++)
                row[n] *= factor;
        }
        if (p->rotates) {
            size_t angles = pass->index[p->rotation_index][position] * p->half;
            nn_rotate(row, h->heads, p->query_cos + angles, p->query_sin + angles, p->half);
            nn_rotate(row + wide, h->kv_heads, p->key_cos + angles, p->key_sin + angles, p->half);
        }
    }
}

/* The query heads of one key head of one row. */
static void attend_heads(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const network_kept *kept = &pass->kept[pass->layer];
    size_t row = i / h->kv_heads, group = i % h->kv_heads, share = h->heads / h->kv_heads, d = h->head_size;
    size_t first = pass->start[row], length = pass->rows[row].length, block = nn_key_block(net->cpu, NN_PRECISION_F32);
    const float *qkv = kept->qkv + first * net->qkv, *k = qkv + net->wide + group * d, *v = k + net->narrow;
    uint8_t *scratch = network_scratch(pass, worker);
    nn_keys keys;
    nn_bias *bias = pass->bias + worker * share * BIPE_SCHEME_TERMS;
    /* in f32, as backward: weights that are made again from rounded scores would be off by a factor where scores are
     * large */
    nn_keys_open(&keys, net->cpu, NN_PRECISION_F32, length, d, scratch + net->attention_size);
    keys.norms = false; /* nothing is pruned */
    for (size_t at = 0; at < length; at += block)
        nn_keys_pack(&keys, at, bipe_smaller(length - at, block), k + at * net->qkv, net->qkv, v + at * net->qkv,
                     net->qkv);
    nn_attention attention = network_attention(pass, row, group * share, share, bias);
    attention.keys = &keys;
    nn_attention_run(&attention, 0, length, qkv + group * share * d, net->qkv,
                     kept->attended + first * net->wide + group * share * d, net->wide,
                     kept->log_sums + group * share * pass->tokens + first, pass->tokens, scratch, NULL);
}

/* middle = x + attention W; the next x = middle + (silu(norm(middle) gate) * norm(middle) up) down. */
static void feed_forward_block(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const size_t *at = net->at[pass->layer];
    const network_kept *kept = &pass->kept[pass->layer];
    size_t c = h->hidden, f = h->feed_forward;
    network_tile t = network_tile_of(pass->tokens, i);
    float *middle = kept->middle + t.first * c, *next = pass->layer + 1 < h->layers ? kept[1].x : pass->last;
    float *a = network_scratch(pass, worker), *hidden = a + NETWORK_TILE * c;
    run_linear(pass, NETWORK_ATTENTION, BIPE_ROLE_ATTENTION_BIAS, net->output_biases,
               kept->attended + t.first * net->wide, t.count, middle, worker);
    network_drop_tile(pass, 1 + 2 * (size_t)pass->layer, t, middle);
    const float *x = kept->x + t.first * c;
    for (size_t j = 0; j < t.count * c; j++)
        middle[j] += x[j];
    for (size_t j = 0; j < t.count; j++)
        nn_rmsnorm(middle + j * c, net->values + at[BIPE_ROLE_FEED_FORWARD_NORM], h->rms_norm_eps, a + j * c, c);
    float *gate_up = kept->gate_up + t.first * 2 * f;
    run_linear(pass, NETWORK_GATE_UP, BIPE_ROLE_GATE_BIAS, net->gate_up_biases, a, t.count, gate_up, worker);
    if (pass->again)
        return;
    for (size_t j = 0; j < t.count; j++)
        nn_silu_mul(gate_up + j * 2 * f, gate_up + j * 2 * f + f, hidden + j * f, f);
    next += t.first * c;
    run_linear(pass, NETWORK_DOWN, BIPE_ROLE_DOWN_BIAS, net->down_biases, hidden, t.count, next, worker);
    network_drop_tile(pass, 2 + 2 * (size_t)pass->layer, t, next);
    for (size_t j = 0; j < t.count * c; j++)
        next[j] += middle[j];
}

static void run_layer(network_pass *pass)
{
    network_stage(pass, network_tiles(pass->tokens), project_tokens);
    network_stage(pass, pass->count * pass->net->hyper->kv_heads, attend_heads);
    network_stage(pass, network_tiles(pass->tokens), feed_forward_block);
}

void network_layer_again(network_pass *pass)
{
    pass->again = true;
    run_layer(pass);
    pass->again = false;
}

void network_forward(network_pass *pass)
{
    network_stage(pass, network_tiles(pass->tokens), embed_tokens);
    for (pass->layer = 0; pass->layer < pass->net->hyper->layers; pass->layer++)
        run_layer(pass);
}
