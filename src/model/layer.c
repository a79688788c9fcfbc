/* layer.c - the parts of the decoder that scoring and generation share; see layer.h. */
#include "model/layer.h"

#include <math.h>

enum { LARGE_TABLE = 1 << 24 /* bytes of an embedding whose pages are given back at times */ };

int bipe_layers_open(bipe_layers *l, bipe_model *model, const bipe_scheme *scheme, const bipe_rope_scaling *scaling,
                     nn_precision precision, size_t length, uint64_t seed, bool dense, bipe_pool *pool, bipe_error *err)
{
    const bipe_hyperparameters *h = &model->hyper;
    *l = (bipe_layers){.model = model, .cpu = nn_cpu_best(), .precision = precision};
    int status = bipe_position_tables_open(&l->positions, model, scheme != NULL ? scheme : &h->scheme,
                                           scaling != NULL ? scaling : &h->rope_scaling, scaling != NULL, length, seed,
                                           err);
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
}

const float *bipe_layer_floats(const bipe_layers *l, size_t layer, bipe_role role)
{
    return bipe_weight_floats(bipe_model_weight(l->model, role, layer));
}

nn_product bipe_layer_product(const bipe_layers *l, size_t layer, const float *x, size_t m, bipe_role role,
                              bipe_role bias, bool add, float *y)
{
    const nn_panels *w = bipe_packed_panels(l->packed, l->model, role, layer);
    return (nn_product){.x = x, .ldx = w->k, .m = m, .w = w, .count = w->n, .add = add, .y = y,
                        .bias = bias != BIPE_NO_BIAS ? bipe_layer_floats(l, layer, bias) : NULL, .ldy = w->n};
}

nn_product bipe_layer_hidden(const bipe_layers *l, size_t layer, const float *x, size_t m, float *g)
{
    nn_product product = bipe_layer_product(l, layer, x, m, BIPE_ROLE_GATE, BIPE_ROLE_GATE_BIAS, false, g);
    product.up = bipe_packed_panels(l->packed, l->model, BIPE_ROLE_UP, layer);
    product.up_bias = bipe_layer_floats(l, layer, BIPE_ROLE_UP_BIAS);
    return product;
}

static uint32_t index_of(bipe_position_index index, bipe_position position)
{
    switch (index) {
    case BIPE_INDEX_SEGMENT: return position.segment;
    case BIPE_INDEX_INTRA: return position.intra;
    case BIPE_INDEX_TOKEN: break;
    }
    return position.token;
}

void bipe_layer_embed(const bipe_layers *l, uint32_t id, bipe_position position, float *x, float *spare)
{
    const bipe_position_tables *p = &l->positions;
    const bipe_weight *words = bipe_model_weight(l->model, BIPE_ROLE_EMBEDDING, 0);
    size_t c = l->model->hyper.hidden;
    nn_read(&words->matrix, id, 0, x, c);
    if (p->learned) {
        const nn_matrix *table = &bipe_model_weight(l->model, BIPE_ROLE_LEARNED, 0)->matrix;
        size_t at = index_of(p->learned_index, position);
        nn_read(table, at < table->rows ? at : table->rows - 1, 0, spare, c);
        for (size_t n = 0; n < c; n++)
            x[n] += spare[n];
    }
    for (size_t n = 0; n < p->sinusoids; n++)
        bipe_position_tables_add_wave(p, index_of(p->sinusoid_index[n], position), x);
}

void bipe_layer_embedded(const bipe_layers *l)
{
    const bipe_weight *words = bipe_model_weight(l->model, BIPE_ROLE_EMBEDDING, 0);
    const nn_panels *output = bipe_packed_panels(l->packed, l->model, BIPE_ROLE_OUTPUT, 0);
    if (words->matrix.rows * words->matrix.stride >= LARGE_TABLE && output->weights != &words->matrix)
        bipe_weight_leave(words, 0, words->matrix.rows);
}

void bipe_layer_normalize(const bipe_layers *l, size_t layer, bipe_role role, const float *x, size_t rows, float *y)
{
    const bipe_hyperparameters *h = &l->model->hyper;
    const float *weight = bipe_layer_floats(l, layer, role);
    for (size_t i = 0; i < rows; i++)
        nn_rmsnorm(x + i * h->hidden, weight, h->rms_norm_eps, y + i * h->hidden, h->hidden);
}

/* Not part of the product (nn_finish), since rotation takes a thousandth of the whole time with 12 layers of 768. */
void bipe_layer_rotate(const bipe_layers *l, size_t layer, bool queries, bipe_position position, float *x, size_t heads)
{
    const bipe_position_tables *p = &l->positions;
    size_t d = l->model->hyper.head_size;
    const float *norm = bipe_layer_floats(l, layer, queries ? BIPE_ROLE_QUERY_NORM : BIPE_ROLE_KEY_NORM);
    for (size_t h = 0; h < heads && norm != NULL; h++)
        nn_rmsnorm(x + h * d, norm, l->model->hyper.rms_norm_eps, x + h * d, d);
    if (queries && p->log_scale) {
        float factor = bipe_position_tables_log_factor(p, index_of(p->log_index, position));
        for (size_t n = 0; n < heads * d; n++)
            x[n] *= factor;
    }
    if (p->rotates) {
        size_t at = index_of(p->rotation_index, position) * p->half;
        nn_rotate(x, heads, (queries ? p->query_cos : p->key_cos) + at, (queries ? p->query_sin : p->key_sin) + at,
                  p->half);
    }
}

void bipe_layer_biases(const bipe_layers *l, size_t group, const uint32_t *token, const uint32_t *segment,
                       const uint32_t *intra, nn_bias *bias)
{
    const bipe_position_tables *p = &l->positions;
    size_t heads = l->model->hyper.heads / l->model->hyper.kv_heads;
    for (size_t head = group * heads; head < (group + 1) * heads; head++)
        for (size_t b = 0; b < p->biases; b++, bias++) {
            const bipe_bias_term *term = &p->bias[b];
            const uint32_t *index = term->index == BIPE_INDEX_TOKEN     ? token
                                    : term->index == BIPE_INDEX_SEGMENT ? segment
                                                                        : intra;
            *bias = (nn_bias){.index = index, .ascending = term->index != BIPE_INDEX_INTRA};
            if (term->table != NULL) {
                bias->table = term->table + head * BIPE_T5_FARTHEST;
                bias->table_size = BIPE_T5_FARTHEST;
            } else {
                bias->slope = term->slope[head];
            }
        }
}

nn_attention bipe_layer_attention(const bipe_layers *l, const nn_keys *keys, const nn_bias *bias)
{
    const bipe_hyperparameters *h = &l->model->hyper;
    return (nn_attention){.keys = keys, .heads = h->heads / h->kv_heads,
                          .scale = (float)(1 / sqrt((double)h->head_size)), .bias = bias, .biases = l->positions.biases,
                          .prune = l->prune};
}
