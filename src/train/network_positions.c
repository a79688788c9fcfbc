/* network_positions.c - what happens to rows between the products of a network: norms, positions of queries and keys,
 * and the terms of attention; forward and backward. */
#include "train/network_parts.h"

#include <math.h>
#include <string.h>

/* ---- norms ---- */

/* The bias of a norm follows its gain in the list of roles. */
static bipe_role bias_of(bipe_role norm)
{
    const bool has = norm == BIPE_ROLE_EMBEDDING_NORM || norm == BIPE_ROLE_ATTENTION_NORM ||
                     norm == BIPE_ROLE_FEED_FORWARD_NORM || norm == BIPE_ROLE_NORM;
    return has ? norm + 1 : BIPE_ROLES;
}

static const float *values_of(const network_pass *pass, bipe_role role)
{
    const bipe_network *net = pass->net;
    if (role == BIPE_ROLES || !network_has(net, role))
        return NULL;
    return net->values + net->at[bipe_role_of_layer(role) ? pass->layer : 0][role];
}

/* y may be x. */
static void normalize_row(const bipe_network *net, const float *x, const float *gain, const float *bias, float *y,
                          size_t c)
{
    if (net->decoder->layer_norm)
        nn_layernorm(x, gain, bias, net->hyper->rms_norm_eps, y, c);
    else
        nn_rmsnorm(x, gain, net->hyper->rms_norm_eps, y, c);
}

static void normalize_row_back(const bipe_network *net, const float *x, const float *gain, const float *bias,
                               const float *dy, float *y, float *dx, float *dgain, float *dbias, size_t c)
{
    if (net->decoder->layer_norm)
        nn_layernorm_backward(x, gain, bias, net->hyper->rms_norm_eps, dy, y, dx, dgain, dbias, c);
    else
        nn_rmsnorm_backward(x, gain, net->hyper->rms_norm_eps, dy, y, dx, dgain, c);
}

float *network_normalize(const network_pass *pass, bipe_role role, float *x, size_t count, float *y)
{
    const size_t c = pass->net->hyper->hidden;
    const float *gain = values_of(pass, role), *bias = values_of(pass, bias_of(role));
    for (size_t i = 0; gain != NULL && i < count; i++)
        normalize_row(pass->net, x + i * c, gain, bias, y + i * c, c);
    return gain != NULL ? y : x;
}

void network_normalize_back(const network_pass *pass, bipe_role role, const float *x, const float *dy, size_t count,
                            float *y, float *dx, float *sums)
{
    const bipe_network *net = pass->net;
    const size_t c = net->hyper->hidden;
    const float *gain = values_of(pass, role), *bias = values_of(pass, bias_of(role));
    float *dbias = bias != NULL ? sums + net->sum[bias_of(role)].at : NULL;
    for (size_t i = 0; gain != NULL && i < count; i++)
        normalize_row_back(net, x + i * c, gain, bias, dy + i * c, y + i * c, dx + i * c, sums + net->sum[role].at,
                           dbias, c);
    for (size_t i = 0; gain == NULL && i < count * c; i++)
        dx[i] += dy[i];
}

/* ---- norms of queries and keys ---- */

/* Those of queries or of keys: `count` of `size` values each, with gains `step` apart. */
typedef struct row_norms {
    bipe_role role;
    const float *gain; /* NULL: none */
    size_t count, size, step;
} row_norms;

static row_norms norms_of(const network_pass *pass, bool queries)
{
    const bipe_network *net = pass->net;
    const bipe_hyperparameters *h = net->hyper;
    const bipe_role role = queries ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM;
    const size_t heads = queries ? h->heads : h->kv_heads, d = h->head_size;
    const bool together = net->decoder->row_norms;
    return (row_norms){.role = role, .gain = values_of(pass, role), .count = together ? 1 : heads,
                       .size = together ? heads * d : d, .step = net->decoder->own_norms ? d : 0};
}

static void normalize_heads(const network_pass *pass, bool queries, float *x)
{
    const row_norms n = norms_of(pass, queries);
    for (size_t i = 0; n.gain != NULL && i < n.count; i++)
        normalize_row(pass->net, x + i * n.size, n.gain + i * n.step, NULL, x + i * n.size, n.size);
}

/* In dx, the gradient of the normalized becomes that of x. scratch: two norms. */
static void normalize_heads_back(const network_pass *pass, bool queries, const float *x, float *dx, float *scratch,
                                 float *sums)
{
    const row_norms n = norms_of(pass, queries);
    for (size_t i = 0; n.gain != NULL && i < n.count; i++, x += n.size, dx += n.size) {
        memcpy(scratch, dx, n.size * sizeof *dx);
        memset(dx, 0, n.size * sizeof *dx);
        normalize_row_back(pass->net, x, n.gain + i * n.step, NULL, scratch, scratch + n.size, dx,
                           sums + pass->net->sum[n.role].at + i * n.step, NULL, n.size);
    }
}

/* ---- positions ---- */

/* The angles of the layer; NULL: nothing is rotated. */
static const bipe_position_tables *angles_of(const network_pass *pass, size_t row)
{
    const bipe_network *net = pass->net;
    const unsigned kind = bipe_layer_kind_of(net->decoder, pass->layer);
    const bipe_position_tables *p =
        net->own_windows && (kind & BIPE_LAYER_WINDOW) != 0 ? pass->window_positions : pass->positions;
    p += net->rows_differ ? row : 0;
    return (kind & BIPE_LAYER_NO_POSITIONS) == 0 && p->rotates ? p : NULL;
}

static void rotate(const bipe_network *net, float *x, size_t heads, const float *cosine, const float *sine, size_t half,
                   bool back)
{
    const size_t d = net->hyper->head_size, together = 2 * half == d ? heads : 1;
    for (size_t n = 0; n < heads; n += together)
        if (back)
            nn_rotate_back(x + n * d, together, cosine, sine, half);
        else
            nn_rotate(x + n * d, together, cosine, sine, half);
}

static void rotate_row(const network_pass *pass, size_t position, float *row, bool back)
{
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = angles_of(pass, pass->row[position]);
    if (p == NULL)
        return;
    const size_t angles = pass->index[p->rotation_index][position] * p->half;
    rotate(net, row, net->hyper->heads, p->query_cos + angles, p->query_sin + angles, p->half, back);
    rotate(net, row + net->wide, net->hyper->kv_heads, p->key_cos + angles, p->key_sin + angles, p->half, back);
}

/* What queries are multiplied by, by their position: x (W). */
static void scale_queries(const network_pass *pass, size_t position, float *x)
{
    const bipe_network *net = pass->net;
    const bipe_position_tables *p = &pass->positions[net->rows_differ ? pass->row[position] : 0];
    float factor = 1;
    if (p->log_scale)
        factor = bipe_position_tables_log_factor(p, pass->index[p->log_index][position]);
    if (net->decoder->temperature != 0) {
        double steps = floor((double)pass->index[p->rotation_index][position] / net->decoder->temperature_length);
        factor *= (float)(1 + net->decoder->temperature * log(1 + steps));
    }
    for (size_t n = 0; factor != 1 && n < net->wide; n++)
        x[n] *= factor;
}

void network_place(const network_pass *pass, size_t position, float *row)
{
    normalize_heads(pass, true, row);
    normalize_heads(pass, false, row + pass->net->wide);
    scale_queries(pass, position, row);
    rotate_row(pass, position, row, false);
}

void network_place_back(const network_pass *pass, size_t position, float *row, float *scratch, float *sums)
{
    const bipe_network *net = pass->net;
    const network_kept *kept = &pass->kept[pass->layer];
    rotate_row(pass, position, row, true);
    scale_queries(pass, position, row);
    if (kept->projected == NULL)
        return;
    const float *x = kept->projected + position * (net->wide + net->narrow), *v = kept->qkv + position * net->qkv;
    normalize_heads_back(pass, true, x, row, scratch, sums);
    normalize_heads_back(pass, false, x + net->wide, row + net->wide, scratch, sums);
    const float clip = (float)net->decoder->clip;
    for (size_t n = 0; clip != 0 && n < net->qkv; n++)
        if (fabsf(n < net->wide + net->narrow ? x[n] : v[n]) >= clip)
            row[n] = 0;
}

size_t network_place_scratch(const bipe_network *net)
{
    return 2 * (net->decoder->row_norms ? net->wide : net->hyper->head_size);
}

/* ---- attention ---- */

nn_attention network_attention(const network_pass *pass, size_t row, size_t first, size_t heads, nn_bias *bias)
{
    const bipe_network *net = pass->net;
    const bipe_decoder *d = net->decoder;
    const bipe_position_tables *p = &pass->positions[net->rows_differ ? row : 0];
    const unsigned kind = bipe_layer_kind_of(d, pass->layer);
    const size_t biases = (kind & BIPE_LAYER_NO_POSITIONS) == 0 ? p->biases : 0;
    for (size_t i = 0; i < heads * biases; i++) {
        size_t head = first + i / biases, b = i % biases;
        const bipe_bias_term *term = &p->bias[b];
        bias[i] = (nn_bias){.index = pass->index[term->index] + pass->start[row],
                            .ascending = bipe_index_ascends(term->index)};
        if (term->table != NULL) {
            bias[i].table = term->table + head * p->distances;
            bias[i].table_size = p->distances;
            bias[i].d_table = pass->dtable + ((row * p->heads + head) * biases + b) * p->distances;
        } else {
            bias[i].slope = term->slope[head];
        }
    }
    return (nn_attention){.heads = heads, .scale = (float)(d->attention_scale != 0
                                                               ? d->attention_scale
                                                               : 1 / sqrt((double)net->hyper->head_size)),
                          .bias = bias, .biases = biases, .cap = (float)d->attention_cap,
                          .window = (kind & BIPE_LAYER_WINDOW) != 0 ? d->window : 0};
}
