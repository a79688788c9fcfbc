/* layer.c - the parts of the decoder that scoring and generation share; see layer.h. */
#include "model/layer.h"

#include <math.h>
#include <string.h>

enum { LARGE_TABLE = 1 << 24 /* bytes of an embedding whose pages are given back at times */ };

int bipe_layers_open(bipe_layers *l, bipe_model *model, const bipe_scheme *scheme, const bipe_rope_scaling *scaling,
                     nn_precision precision, size_t length, uint64_t seed, bool dense, bipe_pool *pool, bipe_error *err)
{
    const bipe_hyperparameters *h = &model->hyper;
    *l = (bipe_layers){.model = model, .cpu = nn_cpu_best(), .precision = precision, .decoder = bipe_decoder_of(h)};
    const bipe_decoder *d = l->decoder;
    bipe_rope_scaling own = scaling != NULL ? *scaling : h->rope_scaling;
    int status = bipe_position_tables_open(&l->positions, model, scheme != NULL ? scheme : &h->scheme, &own,
                                           bipe_rotary_size(h) / 2, h->rope_base, scaling != NULL, length, seed, err);
    l->own_windows = status == BIPE_OK && d->window != 0 && l->positions.rotates &&
                     ((d->window_base != 0 && d->window_base != h->rope_base) || d->window_unscaled ||
                      (d->window_head != 0 && d->window_head != h->head_size));
    if (l->own_windows) {
        if (d->window_unscaled)
            own = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
        const size_t half = (d->window_head != 0 ? d->window_head : bipe_rotary_size(h)) / 2;
        status = bipe_position_tables_open(&l->window_positions, model, scheme != NULL ? scheme : &h->scheme, &own,
                                           half, d->window_base != 0 ? d->window_base : h->rope_base, false, length,
                                           seed, err);
        if (status != BIPE_OK)
            bipe_position_tables_close(&l->positions);
    }
    /* Without a slope hardly any key can be skipped, however far away it is. */
    for (size_t i = 0; status == BIPE_OK && i < l->positions.biases; i++)
        l->prune |= !dense && l->positions.bias[i].slope != NULL;
    if (status == BIPE_OK && (status = bipe_model_pack(model, precision, pool, &l->packed, err)) != BIPE_OK)
        bipe_layers_close(l);
    return status;
}

void bipe_layers_close(bipe_layers *l)
{
    bipe_position_tables_close(&l->positions);
    bipe_position_tables_close(&l->window_positions);
}

void bipe_layers_prepare(bipe_layers *l, size_t length)
{
    bipe_position_tables_prepare(&l->positions, length);
    if (l->own_windows)
        bipe_position_tables_prepare(&l->window_positions, length);
}

const float *bipe_layer_floats(const bipe_layers *l, size_t layer, bipe_role role)
{
    return bipe_weight_floats(bipe_model_weight(l->model, role, layer));
}

static void clip_values(const bipe_decoder *decoder, float *values, size_t count)
{
    const float clip = (float)decoder->clip;
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] > clip ? clip : values[i] < -clip ? -clip : values[i];
}

/* nn_finish */
static void clip_columns(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values,
                         size_t ld)
{
    (void)row, (void)column;
    for (size_t i = 0; i < rows; i++)
        clip_values(context, values + i * ld, columns);
}

/* Whether queries, keys or values are cut right after their product: queries and keys with a norm of all heads, after
 * that. */
static bool is_clipped(const bipe_decoder *decoder, bipe_role role)
{
    const bool normed = decoder->row_norms && bipe_decoder_has(decoder, BIPE_ROLE_QUERY_NORM);
    return decoder->clip != 0 && (role == BIPE_ROLE_VALUE ||
                                  ((role == BIPE_ROLE_QUERY || role == BIPE_ROLE_KEY) && !normed));
}

nn_product bipe_layer_product(const bipe_layers *l, size_t layer, const float *x, size_t m, bipe_role role,
                              bipe_role bias, bool add, float *y)
{
    const nn_panels *w = bipe_packed_panels(l->packed, l->model, role, layer);
    return (nn_product){.finish = is_clipped(l->decoder, role) ? clip_columns : NULL,
                        .context = (void *)(uintptr_t)l->decoder,
                        .x = x, .ldx = w->k, .m = m, .w = w, .count = w->n, .add = add, .y = y,
                        .bias = bias != BIPE_NO_BIAS ? bipe_layer_floats(l, layer, bias) : NULL, .ldy = w->n};
}

size_t bipe_layer_projections(const bipe_layers *l, size_t layer, const float *a, size_t m, float *q, float *k,
                              float *v, nn_product products[3])
{
    size_t count = 0;
    products[count++] = bipe_layer_product(l, layer, a, m, BIPE_ROLE_KEY, BIPE_ROLE_KEY_BIAS, false, k);
    if ((bipe_layer_kind_of(l->decoder, layer) & BIPE_LAYER_KEYS_ARE_VALUES) == 0)
        products[count++] = bipe_layer_product(l, layer, a, m, BIPE_ROLE_VALUE, BIPE_ROLE_VALUE_BIAS, false, v);
    if (q != NULL)
        products[count++] = bipe_layer_product(l, layer, a, m, BIPE_ROLE_QUERY, BIPE_ROLE_QUERY_BIAS, false, q);
    return count;
}

/* nn_finish */
static void activate_columns(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values,
                             size_t ld)
{
    const bipe_decoder *decoder = context;
    (void)row, (void)column;
    for (size_t i = 0; i < rows; i++)
        nn_activate(decoder->activation, values + i * ld, values + i * ld, columns);
}

/* nn_finish; parameters: of nn_xielu() */
static void xielu_columns(void *parameters, size_t row, size_t rows, size_t column, size_t columns, float *values,
                          size_t ld)
{
    (void)row, (void)column;
    for (size_t i = 0; i < rows; i++)
        nn_xielu(parameters, values + i * ld, values + i * ld, columns);
}

/* A bias of an expert; those of the others follow the first's. */
static const float *expert_floats(const bipe_layers *l, size_t layer, size_t expert, bipe_role role)
{
    return bipe_weight_floats(bipe_model_weight(l->model, role, layer) + expert);
}

static nn_product expert_product(const bipe_layers *l, size_t layer, size_t expert, const float *x, size_t m,
                                 bipe_role role, bipe_role bias, bool add, float *y)
{
    nn_product product = bipe_layer_product(l, layer, x, m, role, BIPE_NO_BIAS, add, y);
    product.w += expert;
    product.bias = expert_floats(l, layer, expert, bias);
    return product;
}

nn_product bipe_layer_hidden(const bipe_layers *l, size_t layer, size_t expert, const float *x, size_t m, float *g)
{
    nn_product product;
    if (expert == BIPE_SHARED_EXPERT) {
        product = bipe_layer_product(l, layer, x, m, BIPE_ROLE_SHARED_GATE, BIPE_NO_BIAS, false, g);
        product.up = bipe_packed_panels(l->packed, l->model, BIPE_ROLE_SHARED_UP, layer);
    } else if (bipe_decoder_has(l->decoder, BIPE_ROLE_GATE)) {
        product = expert_product(l, layer, expert, x, m, BIPE_ROLE_GATE, BIPE_ROLE_GATE_BIAS, false, g);
        product.up = bipe_packed_panels(l->packed, l->model, BIPE_ROLE_UP, layer) + expert;
        product.up_bias = expert_floats(l, layer, expert, BIPE_ROLE_UP_BIAS);
    } else {
        product = expert_product(l, layer, expert, x, m, BIPE_ROLE_UP, BIPE_ROLE_UP_BIAS, false, g);
        const bool xielu = l->decoder->activation == NN_XIELU;
        product.finish = xielu ? xielu_columns : activate_columns;
        product.context = (void *)(uintptr_t)(xielu ? bipe_layer_floats(l, layer, BIPE_ROLE_XIELU)
                                                    : (const void *)l->decoder);
    }
    product.activation = l->decoder->activation;
    return product;
}

nn_product bipe_layer_down(const bipe_layers *l, size_t layer, size_t expert, const float *g, size_t m, bool add,
                           float *y)
{
    return expert == BIPE_SHARED_EXPERT
               ? bipe_layer_product(l, layer, g, m, BIPE_ROLE_SHARED_DOWN, BIPE_NO_BIAS, add, y)
               : expert_product(l, layer, expert, g, m, BIPE_ROLE_DOWN, BIPE_ROLE_DOWN_BIAS, add, y);
}

size_t bipe_layer_product_scratch(const bipe_layers *l, size_t m, size_t k, bool widened)
{
    /* routers are f32 whatever the precision */
    return bipe_larger(nn_product_scratch(l->cpu, l->precision, m, k, widened),
                       nn_product_scratch(l->cpu, NN_PRECISION_F32, m, k, widened));
}

size_t bipe_layer_hidden_size(const bipe_hyperparameters *h)
{
    return bipe_larger(h->feed_forward, bipe_decoder_of(h)->shared);
}

static uint32_t index_of(bipe_position_index index, bipe_position position)
{
    return index == BIPE_INDEX_TOKEN ? (uint32_t)position.token : position.index->of[index][position.token];
}

void bipe_layer_embed(const bipe_layers *l, uint32_t id, bipe_position position, float *x, float *spare)
{
    const bipe_position_tables *p = &l->positions;
    const bipe_weight *words = bipe_model_weight(l->model, BIPE_ROLE_EMBEDDING, 0);
    size_t c = l->model->hyper.hidden;
    nn_read(&words->matrix, id, 0, x, c);
    if (l->decoder->embedding_scale != 1)
        for (size_t n = 0; n < c; n++)
            x[n] *= (float)l->decoder->embedding_scale;
    if (p->learned) {
        const nn_matrix *table = &bipe_model_weight(l->model, BIPE_ROLE_LEARNED, 0)->matrix;
        size_t at = index_of(p->learned_index, position);
        nn_read(table, at < table->rows ? at : table->rows - 1, 0, spare, c);
        for (size_t n = 0; n < c; n++)
            x[n] += spare[n];
    }
    for (size_t n = 0; n < p->sinusoids; n++)
        bipe_position_tables_add_wave(p, index_of(p->sinusoid_index[n], position), x);
    if (bipe_decoder_has(l->decoder, BIPE_ROLE_EMBEDDING_NORM))
        bipe_layer_normalize(l, 0, BIPE_ROLE_EMBEDDING_NORM, x, 1, x);
}

void bipe_layer_embedded(const bipe_layers *l)
{
    const bipe_weight *words = bipe_model_weight(l->model, BIPE_ROLE_EMBEDDING, 0);
    const nn_panels *output = bipe_packed_panels(l->packed, l->model, BIPE_ROLE_OUTPUT, 0);
    if (words->matrix.rows * words->matrix.stride >= LARGE_TABLE && output->weights != &words->matrix)
        bipe_weight_leave(words, 0, words->matrix.rows);
}

/* The bias of a norm follows its gain in the list of roles. */
static const float *norm_bias(const bipe_layers *l, size_t layer, bipe_role role)
{
    switch (role) {
    case BIPE_ROLE_EMBEDDING_NORM:
    case BIPE_ROLE_ATTENTION_NORM:
    case BIPE_ROLE_FEED_FORWARD_NORM:
    case BIPE_ROLE_NORM:
        return bipe_layer_floats(l, layer, role + 1);
    default:
        return NULL;
    }
}

/* One norm of c values; y may be x. */
static void normalize_row(const bipe_layers *l, const float *x, const float *weight, const float *bias, float *y,
                          size_t c)
{
    if (l->decoder->layer_norm)
        nn_layernorm(x, weight, bias, l->model->hyper.rms_norm_eps, y, c);
    else
        nn_rmsnorm(x, weight, l->model->hyper.rms_norm_eps, y, c);
}

const float *bipe_layer_normalize(const bipe_layers *l, size_t layer, bipe_role role, const float *x, size_t rows,
                                  float *y)
{
    const size_t c = bipe_model_weight(l->model, role, layer)->matrix.columns;
    const float *weight = bipe_layer_floats(l, layer, role);
    if (weight == NULL)
        return x;
    const float *bias = norm_bias(l, layer, role);
    for (size_t i = 0; i < rows; i++)
        normalize_row(l, x + i * c, weight, bias, y + i * c, c);
    return y;
}

bipe_role bipe_layer_feed_forward_norm(const bipe_layers *l)
{
    bool own = bipe_decoder_has(l->decoder, BIPE_ROLE_FEED_FORWARD_NORM) || !l->decoder->parallel;
    return own ? BIPE_ROLE_FEED_FORWARD_NORM : BIPE_ROLE_ATTENTION_NORM;
}

bool bipe_layer_adds(const bipe_layers *l, bipe_role post_norm)
{
    return l->decoder->residual_scale == 1 && !bipe_decoder_has(l->decoder, (int)post_norm) &&
           !(post_norm == BIPE_ROLE_FEED_FORWARD_POST_NORM && bipe_decoder_has(l->decoder, BIPE_ROLE_LAYER_SCALE));
}

void bipe_layer_add(const bipe_layers *l, size_t layer, bipe_role post_norm, float *made, size_t rows, float *x)
{
    const float scale = (float)l->decoder->residual_scale;
    const size_t count = rows * l->model->hyper.hidden;
    bipe_layer_normalize(l, layer, post_norm, made, rows, made);
    for (size_t i = 0; i < count; i++)
        x[i] += scale * made[i];
    const float *whole = bipe_layer_floats(l, layer, BIPE_ROLE_LAYER_SCALE);
    for (size_t i = 0; i < count && whole != NULL && post_norm == BIPE_ROLE_FEED_FORWARD_POST_NORM; i++)
        x[i] *= *whole;
}

void bipe_layer_finish(const bipe_layers *l, const float *x, float *y)
{
    bipe_layer_normalize(l, 0, BIPE_ROLE_NORM, x, 1, y);
    if (l->decoder->logit_scale != 1)
        for (size_t i = 0; i < l->model->hyper.hidden; i++)
            y[i] *= (float)l->decoder->logit_scale;
}

/* The positions of a layer; NULL: it has none. */
static const bipe_position_tables *positions_of(const bipe_layers *l, size_t layer)
{
    unsigned kind = bipe_layer_kind_of(l->decoder, layer);
    if ((kind & BIPE_LAYER_NO_POSITIONS) != 0)
        return NULL;
    return l->own_windows && (kind & BIPE_LAYER_WINDOW) != 0 ? &l->window_positions : &l->positions;
}

size_t bipe_layers_keys_size(const bipe_layers *l, size_t rows)
{
    size_t most = 0;
    for (size_t layer = 0; layer < l->model->hyper.layers; layer++) {
        const bipe_heads heads = bipe_heads_of(&l->model->hyper, layer);
        most = bipe_larger(most, heads.key_heads * nn_keys_size(l->cpu, l->precision, rows, heads.size));
    }
    return most;
}

/* x / sqrt(mean(x^2) + eps) */
static void normalize_values(const bipe_layers *l, float *x, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += (double)x[i] * (double)x[i];
    const float scale = (float)(1 / sqrt(sum / (double)size + l->model->hyper.rms_norm_eps));
    for (size_t i = 0; i < size; i++)
        x[i] *= scale;
}

void bipe_layer_values(const bipe_layers *l, size_t layer, const float *k, float *v, size_t rows, size_t ld,
                       size_t heads)
{
    const bool keys = (bipe_layer_kind_of(l->decoder, layer) & BIPE_LAYER_KEYS_ARE_VALUES) != 0;
    const size_t d = bipe_heads_of(&l->model->hyper, layer).size;
    for (size_t i = 0; i < rows && (keys || l->decoder->value_norms); i++, k += ld, v += ld) {
        if (keys)
            memcpy(v, k, heads * d * sizeof *v);
        for (size_t h = 0; h < heads && l->decoder->value_norms; h++)
            normalize_values(l, v + h * d, d);
    }
}

void bipe_layer_norm_rows(const bipe_layers *l, size_t layer, bool queries, float *x, size_t rows, size_t ld)
{
    const bipe_heads heads = bipe_heads_of(&l->model->hyper, layer);
    const size_t size = queries ? heads.wide : heads.narrow;
    const float *norm = bipe_layer_floats(l, layer, queries ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM);
    if (!l->decoder->row_norms || norm == NULL)
        return;
    for (size_t i = 0; i < rows; i++, x += ld) {
        normalize_row(l, x, norm, NULL, x, size);
        if (l->decoder->clip != 0)
            clip_values(l->decoder, x, size);
    }
}

/* Not part of the product (nn_finish), since rotation takes a thousandth of the whole time with 12 layers of 768. */
void bipe_layer_rotate(const bipe_layers *l, size_t layer, bool queries, bipe_position position, float *x, size_t first,
                       size_t heads)
{
    const bipe_position_tables *p = positions_of(l, layer);
    size_t d = bipe_heads_of(&l->model->hyper, layer).size;
    const float *norm = l->decoder->row_norms
                            ? NULL
                            : bipe_layer_floats(l, layer, queries ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM);
    for (size_t h = 0; h < heads && norm != NULL; h++)
        normalize_row(l, x + h * d, norm + (l->decoder->own_norms ? first + h : 0) * d, NULL, x + h * d, d);
    if (queries && l->positions.log_scale) {
        float factor = bipe_position_tables_log_factor(&l->positions, index_of(l->positions.log_index, position));
        for (size_t n = 0; n < heads * d; n++)
            x[n] *= factor;
    }
    if (p != NULL && p->rotates) {
        size_t at = index_of(p->rotation_index, position) * p->half;
        const float *cosine = (queries ? p->query_cos : p->key_cos) + at,
                    *sine = (queries ? p->query_sin : p->key_sin) + at;
        if (2 * p->half == d)
            nn_rotate(x, heads, cosine, sine, p->half);
        else
            for (size_t h = 0; h < heads; h++)
                nn_rotate(x + h * d, 1, cosine, sine, p->half);
    }
    if (queries && l->decoder->temperature != 0) {
        double steps = floor((double)index_of(l->positions.rotation_index, position) / l->decoder->temperature_length);
        float factor = (float)(1 + l->decoder->temperature * log(1 + steps));
        for (size_t n = 0; n < heads * d; n++)
            x[n] *= factor;
    }
}

void bipe_layer_biases(const bipe_layers *l, size_t layer, size_t group, const uint32_t *token,
                       const bipe_indices *index, nn_bias *bias)
{
    const bipe_position_tables *p = &l->positions;
    size_t heads = bipe_heads_of(&l->model->hyper, layer).group;
    for (size_t head = group * heads; head < (group + 1) * heads; head++)
        for (size_t b = 0; b < p->biases; b++, bias++) {
            const bipe_bias_term *term = &p->bias[b];
            *bias = (nn_bias){.index = term->index == BIPE_INDEX_TOKEN ? token : index->of[term->index],
                              .ascending = bipe_index_ascends(term->index)};
            if (term->table != NULL) {
                bias->table = term->table + head * p->distances;
                bias->table_size = p->distances;
            } else {
                bias->slope = term->slope[head];
            }
        }
}

nn_attention bipe_layer_attention(const bipe_layers *l, size_t layer, size_t group, const nn_keys *keys,
                                  const nn_bias *bias)
{
    const bipe_heads heads = bipe_heads_of(&l->model->hyper, layer);
    const bipe_decoder *d = l->decoder;
    const unsigned kind = bipe_layer_kind_of(d, layer);
    const bool positions = (kind & BIPE_LAYER_NO_POSITIONS) == 0, sinks = bipe_decoder_has(d, BIPE_ROLE_SINKS);
    return (nn_attention){.keys = keys, .heads = heads.group,
                          .sink = sinks ? bipe_layer_floats(l, layer, BIPE_ROLE_SINKS) + group * heads.group : NULL,
                          .scale = (float)(d->attention_scale != 0 ? d->attention_scale
                                                                   : 1 / sqrt((double)heads.size)),
                          .bias = bias, .biases = positions ? l->positions.biases : 0,
                          .window = (kind & BIPE_LAYER_WINDOW) != 0 ? d->window : 0, .cap = (float)d->attention_cap,
                          .prune = l->prune && positions && !sinks};
}
