/* network_forward.c - the decoder forward, keeping what the backward pass needs (He et al. 2024; Touvron et al.
 * 2023). */
#include "train/network_parts.h"

#include <string.h>

#include "base/minmax.h"

void network_embed(const network_pass *pass, size_t position, float *x)
{
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[0];
    const size_t c = net->hyper->hidden, rows = net->hyper->learned_rows;
    memcpy(x, net->values + net->at[0][BIPE_ROLE_EMBEDDING] + pass->ids[position] * c, c * sizeof *x);
    for (size_t j = 0; net->decoder->embedding_scale != 1 && j < c; j++)
        x[j] *= (float)net->decoder->embedding_scale;
    if (p->learned) {
        size_t row = bipe_smaller(pass->index[p->learned_index][position], rows - 1);
        const float *learned = net->values + net->at[0][BIPE_ROLE_LEARNED] + row * c;
        for (size_t j = 0; j < c; j++)
            x[j] += learned[j];
    }
    for (size_t n = 0; n < p->sinusoids; n++) {
        const float *wave = net->waves + pass->index[p->sinusoid_index[n]][position] * c;
        for (size_t j = 0; j < c; j++)
            x[j] += wave[j];
    }
}

static void embed_tokens(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    size_t c = pass->net->hyper->hidden;
    network_tile t = network_tile_of(pass->tokens, i);
    float *x = pass->kept[0].x + t.first * c;
    (void)worker;
    for (size_t j = 0; j < t.count; j++)
        network_embed(pass, t.first + j, x + j * c);
    network_normalize(pass, BIPE_ROLE_EMBEDDING_NORM, x, t.count, x);
    network_drop_tile(pass, 0, t, x);
}

/* y (m, n) = x W of the layer + the bias that begins at this role, where there is one. */
static void run_linear(const network_pass *pass, int weight, bipe_role bias, const float *x, size_t m, float *y,
                       size_t worker)
{
    const bipe_network *net = pass->net;
    const nn_panels *w = &net->weight[pass->layer * NETWORK_LAYER_WEIGHTS + (size_t)weight].forward;
    const nn_product product = {.x = x, .ldx = w->k, .m = m, .w = w, .count = w->n, .y = y, .ldy = w->n,
                                .bias = network_has(net, bias) ? net->values + net->at[pass->layer][bias] : NULL};
    nn_product_run(net->cpu, &product, pass->scratch + worker * net->scratch_size);
}

static void clip_values(float *x, size_t count, float clip)
{
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] > clip ? clip : x[i] < -clip ? -clip : x[i];
}

/* q, k, v = norm(x) W, with their positions. */
static void project_tokens(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const network_kept *kept = &pass->kept[pass->layer];
    size_t c = net->hyper->hidden, keys = net->wide + net->narrow;
    network_tile t = network_tile_of(pass->tokens, i);
    float *qkv = kept->qkv + t.first * net->qkv;
    const float *a = network_normalize(pass, BIPE_ROLE_ATTENTION_NORM, kept->x + t.first * c, t.count,
                                       network_scratch(pass, worker));
    run_linear(pass, NETWORK_QKV, BIPE_ROLE_QUERY_BIAS, a, t.count, qkv, worker);
    if (net->decoder->clip != 0)
        clip_values(qkv, t.count * net->qkv, (float)net->decoder->clip);
    for (size_t j = 0; j < t.count; j++) {
        float *row = qkv + j * net->qkv;
        if (kept->projected != NULL)
            memcpy(kept->projected + (t.first + j) * keys, row, keys * sizeof *row);
        network_place(pass, t.first + j, row);
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

/* What a layer makes goes into the residual stream: y = x + scale * norm(made), with dropout. made may be y. */
static void add_made(const network_pass *pass, size_t site, bipe_role post_norm, network_tile t, float *made,
                     const float *x, float *y)
{
    const float scale = (float)pass->net->decoder->residual_scale;
    const size_t count = t.count * pass->net->hyper->hidden;
    network_normalize(pass, post_norm, made, t.count, y);
    for (size_t j = 0; scale != 1 && j < count; j++)
        y[j] *= scale;
    network_drop_tile(pass, site, t, y);
    for (size_t j = 0; j < count; j++)
        y[j] += x[j];
}

/* middle = x + attention W; the next x = middle + (f(norm(middle) gate) * norm(middle) up) down. In parallel it is the
 * norm of x. */
static void feed_forward_block(void *context, size_t i, size_t worker)
{
    const network_pass *pass = context;
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const network_kept *kept = &pass->kept[pass->layer];
    const nn_activation activation = net->decoder->activation;
    size_t c = h->hidden, f = h->feed_forward;
    network_tile t = network_tile_of(pass->tokens, i);
    float *x = kept->x + t.first * c, *middle = kept->middle + t.first * c,
          *next = pass->layer + 1 < h->layers ? kept[1].x : pass->last;
    float *a = network_scratch(pass, worker), *hidden = a + NETWORK_TILE * c;
    float *made = kept->made[0] != NULL ? kept->made[0] + t.first * c : middle;
    run_linear(pass, NETWORK_ATTENTION, BIPE_ROLE_ATTENTION_BIAS, kept->attended + t.first * net->wide, t.count, made,
               worker);
    add_made(pass, 1 + 2 * (size_t)pass->layer, BIPE_ROLE_ATTENTION_POST_NORM, t, made, x, middle);
    a = network_normalize(pass, BIPE_ROLE_FEED_FORWARD_NORM, net->decoder->parallel ? x : middle, t.count, a);
    float *gate_up = kept->gate_up + t.first * net->gate_up;
    const bool gated = network_has(net, BIPE_ROLE_GATE);
    run_linear(pass, NETWORK_GATE_UP, gated ? BIPE_ROLE_GATE_BIAS : BIPE_ROLE_UP_BIAS, a, t.count, gate_up, worker);
    if (pass->again && kept->made[1] == NULL)
        return;
    for (size_t j = 0; j < t.count; j++, gate_up += net->gate_up)
        if (gated)
            nn_activate_mul(activation, gate_up, gate_up + f, hidden + j * f, f);
        else
            nn_activate(activation, gate_up, hidden + j * f, f);
    next += t.first * c;
    made = kept->made[1] != NULL ? kept->made[1] + t.first * c : next;
    run_linear(pass, NETWORK_DOWN, BIPE_ROLE_DOWN_BIAS, hidden, t.count, made, worker);
    if (!pass->again)
        add_made(pass, 2 + 2 * (size_t)pass->layer, BIPE_ROLE_FEED_FORWARD_POST_NORM, t, made, middle, next);
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
