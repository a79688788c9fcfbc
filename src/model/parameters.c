/* parameters.c - the one list of a decoder's parameters, which opening, writing, making and training walk; and models
 * in memory. */
#include "model/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "model/family.h"

/* ---- the table ---- */

typedef enum dimension {
    ONE, VOCABULARY, HIDDEN, FEED_FORWARD, HEADS, HALF_ROTARY, ALL_HEADS, ALL_KV_HEADS, QUERY_NORM, KEY_NORM,
    LEARNED_ROWS, T5_BUCKETS, XIELU, EXPERTS, SHARED
} dimension;

typedef enum presence {
    ALWAYS, BY_FAMILY, UNLESS_TIED, WITH_LEARNED, WITH_T5, WITH_XIELU, WHERE_FOUND
} presence;

typedef enum initial { NORMAL, RESIDUAL, ONES, ZEROS } initial;

static const struct {
    const char *name[2]; /* by bipe_naming, after the layer's prefix; "": the format has none */
    bipe_parameter_kind kind;
    dimension rows, columns;
    presence when;
    initial initial;
    bool paired;
    const char *expert_name[2]; /* the same where there are experts; # stands for the number of one */
} table[BIPE_ROLES] = {
    [BIPE_ROLE_EMBEDDING] = {{"model.embed_tokens.weight", "token_embd.weight"}, BIPE_MATRIX, VOCABULARY, HIDDEN,
                             .when = ALWAYS},
    [BIPE_ROLE_EMBEDDING_NORM] = {{"", "token_embd_norm.weight"}, BIPE_VECTOR, ONE, HIDDEN,
                                  .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_EMBEDDING_NORM_BIAS] = {{"", "token_embd_norm.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                                       .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_LEARNED] = {{"model.embeds.0.weight", "position_embd.weight"}, BIPE_MATRIX, LEARNED_ROWS, HIDDEN,
                           .when = WITH_LEARNED},
    [BIPE_ROLE_T5] = {{"model.relative_attention_bias.weight", "relative_attention_bias.weight"}, BIPE_TABLE,
                      T5_BUCKETS, HEADS, .when = WITH_T5},
    [BIPE_ROLE_ROPE_FACTORS] = {{"", "rope_freqs.weight"}, BIPE_VECTOR, ONE, HALF_ROTARY,
                                .when = WHERE_FOUND, .initial = ONES},
    [BIPE_ROLE_ROPE_LONG] = {{"", "rope_factors_long.weight"}, BIPE_VECTOR, ONE, HALF_ROTARY,
                             .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_ROPE_SHORT] = {{"", "rope_factors_short.weight"}, BIPE_VECTOR, ONE, HALF_ROTARY,
                              .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_ATTENTION_NORM] = {{"input_layernorm.weight", "attn_norm.weight"}, BIPE_VECTOR, ONE, HIDDEN,
                                  .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_ATTENTION_NORM_BIAS] = {{"input_layernorm.bias", "attn_norm.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                                       .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_QUERY] = {{"self_attn.q_proj.weight", "attn_q.weight"}, BIPE_MATRIX, ALL_HEADS, HIDDEN, .paired = true},
    [BIPE_ROLE_KEY] = {{"self_attn.k_proj.weight", "attn_k.weight"}, BIPE_MATRIX, ALL_KV_HEADS, HIDDEN, .paired = true},
    [BIPE_ROLE_VALUE] = {{"self_attn.v_proj.weight", "attn_v.weight"}, BIPE_MATRIX, ALL_KV_HEADS, HIDDEN,
                         .when = ALWAYS},
    [BIPE_ROLE_QUERY_BIAS] = {{"self_attn.q_proj.bias", "attn_q.bias"}, BIPE_VECTOR, ONE, ALL_HEADS,
                              .when = BY_FAMILY, .initial = ZEROS, .paired = true},
    [BIPE_ROLE_KEY_BIAS] = {{"self_attn.k_proj.bias", "attn_k.bias"}, BIPE_VECTOR, ONE, ALL_KV_HEADS,
                            .when = BY_FAMILY, .initial = ZEROS, .paired = true},
    [BIPE_ROLE_VALUE_BIAS] = {{"self_attn.v_proj.bias", "attn_v.bias"}, BIPE_VECTOR, ONE, ALL_KV_HEADS,
                              .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_QUERY_NORM] = {{"self_attn.q_norm.weight", "attn_q_norm.weight"}, BIPE_VECTOR, ONE, QUERY_NORM,
                              .when = BY_FAMILY, .initial = ONES, .paired = true},
    [BIPE_ROLE_KEY_NORM] = {{"self_attn.k_norm.weight", "attn_k_norm.weight"}, BIPE_VECTOR, ONE, KEY_NORM,
                            .when = BY_FAMILY, .initial = ONES, .paired = true},
    [BIPE_ROLE_ATTENTION_SUB_NORM] = {{"self_attn.attn_sub_norm.weight", "attn_sub_norm.weight"}, BIPE_VECTOR, ONE,
                                      ALL_HEADS, .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_ATTENTION] = {{"self_attn.o_proj.weight", "attn_output.weight"}, BIPE_MATRIX, HIDDEN, ALL_HEADS,
                             .initial = RESIDUAL},
    [BIPE_ROLE_ATTENTION_BIAS] = {{"self_attn.o_proj.bias", "attn_output.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                                  .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_SINKS] = {{"self_attn.sinks", "attn_sinks.weight"}, BIPE_VECTOR, ONE, HEADS,
                         .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_ATTENTION_POST_NORM] = {{"post_attention_layernorm.weight", "post_attention_norm.weight"}, BIPE_VECTOR,
                                       ONE, HIDDEN, .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_FEED_FORWARD_NORM] = {{"post_attention_layernorm.weight", "ffn_norm.weight"}, BIPE_VECTOR, ONE, HIDDEN,
                                     .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_FEED_FORWARD_NORM_BIAS] = {{"post_attention_layernorm.bias", "ffn_norm.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                                          .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_ROUTER] = {{"mlp.gate.weight", "ffn_gate_inp.weight"}, BIPE_MATRIX, EXPERTS, HIDDEN, .when = BY_FAMILY},
    [BIPE_ROLE_ROUTER_BIAS] = {{"mlp.gate.bias", "ffn_gate_inp.bias"}, BIPE_VECTOR, ONE, EXPERTS,
                               .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_GATE] = {{"mlp.gate_proj.weight", "ffn_gate.weight"}, BIPE_MATRIX, FEED_FORWARD, HIDDEN,
                        .when = BY_FAMILY,
                        .expert_name = {"mlp.experts.#.gate_proj.weight", "ffn_gate_exps.weight"}},
    [BIPE_ROLE_UP] = {{"mlp.up_proj.weight", "ffn_up.weight"}, BIPE_MATRIX, FEED_FORWARD, HIDDEN, .when = ALWAYS,
                      .expert_name = {"mlp.experts.#.up_proj.weight", "ffn_up_exps.weight"}},
    [BIPE_ROLE_GATE_BIAS] = {{"mlp.gate_proj.bias", "ffn_gate.bias"}, BIPE_VECTOR, ONE, FEED_FORWARD,
                             .when = BY_FAMILY, .initial = ZEROS,
                             .expert_name = {"mlp.experts.#.gate_proj.bias", "ffn_gate_exps.bias"}},
    [BIPE_ROLE_UP_BIAS] = {{"mlp.up_proj.bias", "ffn_up.bias"}, BIPE_VECTOR, ONE, FEED_FORWARD,
                           .when = BY_FAMILY, .initial = ZEROS,
                           .expert_name = {"mlp.experts.#.up_proj.bias", "ffn_up_exps.bias"}},
    [BIPE_ROLE_XIELU] = {{"mlp.act_fn.weight", "ffn_xielu.weight"}, BIPE_VECTOR, ONE, XIELU, .when = WITH_XIELU},
    [BIPE_ROLE_FEED_FORWARD_SUB_NORM] = {{"mlp.ffn_sub_norm.weight", "ffn_sub_norm.weight"}, BIPE_VECTOR, ONE,
                                         FEED_FORWARD, .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_DOWN] = {{"mlp.down_proj.weight", "ffn_down.weight"}, BIPE_MATRIX, HIDDEN, FEED_FORWARD,
                        .initial = RESIDUAL,
                        .expert_name = {"mlp.experts.#.down_proj.weight", "ffn_down_exps.weight"}},
    [BIPE_ROLE_DOWN_BIAS] = {{"mlp.down_proj.bias", "ffn_down.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                             .when = BY_FAMILY, .initial = ZEROS,
                             .expert_name = {"mlp.experts.#.down_proj.bias", "ffn_down_exps.bias"}},
    [BIPE_ROLE_SHARED_ROUTER] = {{"mlp.shared_expert_gate.weight", "ffn_gate_inp_shexp.weight"}, BIPE_VECTOR, ONE,
                                 HIDDEN, .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_SHARED_GATE] = {{"mlp.shared_expert.gate_proj.weight", "ffn_gate_shexp.weight"}, BIPE_MATRIX, SHARED,
                               HIDDEN, .when = BY_FAMILY},
    [BIPE_ROLE_SHARED_UP] = {{"mlp.shared_expert.up_proj.weight", "ffn_up_shexp.weight"}, BIPE_MATRIX, SHARED, HIDDEN,
                             .when = BY_FAMILY},
    [BIPE_ROLE_SHARED_DOWN] = {{"mlp.shared_expert.down_proj.weight", "ffn_down_shexp.weight"}, BIPE_MATRIX, HIDDEN,
                               SHARED, .when = BY_FAMILY, .initial = RESIDUAL},
    [BIPE_ROLE_LAYER_SCALE] = {{"layer_scalar", "layer_output_scale.weight"}, BIPE_VECTOR, ONE, ONE,
                               .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_FEED_FORWARD_POST_NORM] = {{"post_feedforward_layernorm.weight", "post_ffw_norm.weight"}, BIPE_VECTOR,
                                          ONE, HIDDEN, .when = BY_FAMILY, .initial = ONES},
    [BIPE_ROLE_NORM] = {{"model.norm.weight", "output_norm.weight"}, BIPE_VECTOR, ONE, HIDDEN, .initial = ONES},
    [BIPE_ROLE_NORM_BIAS] = {{"model.norm.bias", "output_norm.bias"}, BIPE_VECTOR, ONE, HIDDEN,
                             .when = BY_FAMILY, .initial = ZEROS},
    [BIPE_ROLE_OUTPUT] = {{"lm_head.weight", "output.weight"}, BIPE_MATRIX, VOCABULARY, HIDDEN, .when = UNLESS_TIED},
};

/* Roles before those of the layers, of a layer, and after them. */
enum {
    BEFORE = BIPE_ROLE_ATTENTION_NORM,
    LAYER = BIPE_ROLE_FEED_FORWARD_POST_NORM + 1 - BEFORE,
    AFTER = BIPE_ROLES - BEFORE - LAYER,
    FIRST_OF_EXPERTS = BIPE_ROLE_GATE - BEFORE,      /* of a layer's roles, the first that each expert has */
    OF_EXPERTS = BIPE_ROLE_DOWN_BIAS + 1 - BIPE_ROLE_GATE
};

bool bipe_role_is_gain(bipe_role role)
{
    return table[role].initial == ONES && table[role].columns != HALF_ROTARY;
}

bool bipe_role_of_layer(bipe_role role)
{
    return (size_t)role - BEFORE < LAYER;
}

/* Whether all heads have the same gain. */
static bool shares_norm(const bipe_hyperparameters *h)
{
    const bipe_decoder *decoder = bipe_decoder_of(h);
    return !decoder->row_norms && !decoder->own_norms;
}

static uint64_t extent_of(const bipe_hyperparameters *h, dimension d, size_t layer)
{
    const bipe_heads heads = bipe_heads_of(h, layer);
    switch (d) {
    case ONE: return 1;
    case VOCABULARY: return h->vocabulary;
    case HIDDEN: return h->hidden;
    case FEED_FORWARD: return h->feed_forward;
    case HEADS: return h->heads;
    case HALF_ROTARY: return bipe_rotary_size(h) / 2;
    case ALL_HEADS: return heads.wide;
    case ALL_KV_HEADS: return heads.narrow;
    case QUERY_NORM: return shares_norm(h) ? heads.size : heads.wide;
    case KEY_NORM: return shares_norm(h) ? heads.size : heads.narrow;
    case LEARNED_ROWS: return h->learned_rows;
    case T5_BUCKETS: return bipe_t5_buckets(h);
    case XIELU: return NN_XIELU_PARAMETERS;
    case EXPERTS: return bipe_decoder_of(h)->experts;
    case SHARED: return bipe_decoder_of(h)->shared;
    }
    return 0;
}

static bool has_kind(const bipe_scheme *scheme, bipe_position_kind kind)
{
    for (size_t i = 0; i < scheme->count; i++)
        if (scheme->term[i].kind == kind)
            return true;
    return false;
}

static bool is_needed(const bipe_hyperparameters *h, int role, size_t layer)
{
    const bool keys = (bipe_layer_kind_of(bipe_decoder_of(h), layer) & BIPE_LAYER_KEYS_ARE_VALUES) != 0;
    if (keys && (role == BIPE_ROLE_VALUE || role == BIPE_ROLE_VALUE_BIAS))
        return false;
    switch (table[role].when) {
    case ALWAYS: return true;
    case BY_FAMILY: return (bipe_decoder_of(h)->roles & BIPE_ROLE_BIT(role)) != 0;
    case UNLESS_TIED: return !h->tied;
    case WITH_LEARNED: return has_kind(&h->scheme, BIPE_LEARNED);
    case WITH_T5: return has_kind(&h->scheme, BIPE_T5);
    case WITH_XIELU: return bipe_decoder_of(h)->activation == NN_XIELU;
    case WHERE_FOUND: break;
    }
    return false;
}

/* Weights that a role of an expert has in a layer. */
static size_t experts_of(const bipe_hyperparameters *h)
{
    uint32_t experts = bipe_decoder_of(h)->experts;
    return experts != 0 ? experts : 1;
}

static size_t layer_slots(const bipe_hyperparameters *h)
{
    return LAYER + OF_EXPERTS * (experts_of(h) - 1);
}

bool bipe_role_of_expert(bipe_role role)
{
    return role >= BIPE_ROLE_GATE && role <= BIPE_ROLE_DOWN_BIAS;
}

size_t bipe_slots(const bipe_hyperparameters *h)
{
    return BEFORE + layer_slots(h) * h->layers + AFTER;
}

size_t bipe_layer_tensors(const bipe_hyperparameters *h)
{
    size_t count = 0;
    for (int role = BEFORE; role < BEFORE + LAYER; role++)
        count += role != BIPE_ROLE_VALUE && is_needed(h, role, 0); /* some layers may lack it */
    return count;
}

bipe_slot bipe_slot_at(const bipe_hyperparameters *h, size_t i)
{
    bipe_slot slot = {.role = (bipe_role)i};
    const size_t size = layer_slots(h), experts = experts_of(h);
    if (i >= BEFORE + size * h->layers) {
        slot.role = (bipe_role)(i - size * h->layers + LAYER);
    } else if (i >= BEFORE) {
        size_t at = (i - BEFORE) % size;
        slot.layer = (uint32_t)((i - BEFORE) / size);
        if (at >= FIRST_OF_EXPERTS + OF_EXPERTS * experts) {
            at -= OF_EXPERTS * (experts - 1);
        } else if (at >= FIRST_OF_EXPERTS) {
            slot.experts = bipe_decoder_of(h)->experts;
            slot.expert = (uint32_t)((at - FIRST_OF_EXPERTS) % experts);
            at = FIRST_OF_EXPERTS + (at - FIRST_OF_EXPERTS) / experts;
        }
        slot.role = (bipe_role)(BEFORE + at);
    }
    presence when = table[slot.role].when;
    slot.kind = table[slot.role].kind;
    slot.rows = extent_of(h, table[slot.role].rows, slot.layer);
    slot.columns = extent_of(h, table[slot.role].columns, slot.layer);
    slot.needed = is_needed(h, slot.role, slot.layer);
    slot.optional = when == WITH_LEARNED || when == WITH_T5 || when == WHERE_FOUND;
    slot.paired = table[slot.role].paired;
    return slot;
}

size_t bipe_slot_index(const bipe_hyperparameters *h, bipe_role role, size_t layer)
{
    const size_t size = layer_slots(h), at = (size_t)role - BEFORE;
    if (!bipe_role_of_layer(role))
        return (size_t)role < BEFORE ? role : role + size * h->layers - LAYER;
    size_t before = at < FIRST_OF_EXPERTS ? 0 : at - FIRST_OF_EXPERTS; /* roles, each in a slot per expert */
    return BEFORE + size * layer + at + (before < OF_EXPERTS ? before : OF_EXPERTS) * (experts_of(h) - 1);
}

void bipe_layer_name(const char *layers, const bipe_slot *slot, const char *own, char name[BIPE_PARAMETER_NAME])
{
    const size_t size = strcspn(own, "#");
    int used = snprintf(name, BIPE_PARAMETER_NAME, "%s.%u.%.*s", layers, (unsigned)slot->layer, (int)size, own);
    if (own[size] == '#' && used > 0 && used < BIPE_PARAMETER_NAME)
        snprintf(name + used, (size_t)(BIPE_PARAMETER_NAME - used), "%u%s", (unsigned)slot->expert, own + size + 1);
}

const char *bipe_slot_own_name(const bipe_slot *slot, bipe_naming naming)
{
    return slot->experts != 0 ? table[slot->role].expert_name[naming] : table[slot->role].name[naming];
}

const char *bipe_slot_name(const bipe_slot *slot, bipe_naming naming, char name[BIPE_PARAMETER_NAME])
{
    return bipe_family_name(NULL, slot, naming, false, name);
}

/* ---- a model's parameters ---- */

const bipe_weight *bipe_model_weight(const bipe_model *model, bipe_role role, size_t layer)
{
    if (role == BIPE_ROLE_OUTPUT && model->hyper.tied)
        role = BIPE_ROLE_EMBEDDING;
    return &model->weight[bipe_slot_index(&model->hyper, role, layer)];
}

void bipe_weight_set(bipe_weight *weight, const void *data, bipe_dtype dtype, size_t rows, size_t columns)
{
    const bipe_dtype_row *row = bipe_dtype_of(dtype);
    weight->matrix = (nn_matrix){.data = data, .read = nn_reader_of(row->gguf, row->read), .rows = rows,
                                 .columns = columns, .stride = bipe_dtype_row_size(dtype, columns),
                                 .block = row->values, .block_size = row->bytes, .type = row->gguf};
    weight->dtype = dtype;
}

const float *bipe_weight_floats(const bipe_weight *weight)
{
    return weight->matrix.data;
}

size_t bipe_model_parameters(const bipe_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < bipe_slots(&model->hyper); i++)
        count += model->weight[i].matrix.rows != 0;
    return count;
}

void bipe_model_parameter(const bipe_model *model, size_t i, bipe_parameter *parameter)
{
    size_t at = 0, offset = 0;
    for (;; at++) {
        const nn_matrix *m = &model->weight[at].matrix;
        if (m->rows != 0 && i-- == 0)
            break;
        offset += m->rows * m->columns;
    }
    const nn_matrix *m = &model->weight[at].matrix;
    bipe_slot slot = bipe_slot_at(&model->hyper, at);
    *parameter = (bipe_parameter){.role = slot.role, .layer = slot.layer, .expert = slot.expert,
                                  .rows = m->rows, .columns = m->columns, .offset = offset,
                                  .values = model->values != NULL ? model->values + offset : NULL,
                                  .decay = slot.kind == BIPE_MATRIX && slot.role != BIPE_ROLE_LEARNED};
    bipe_slot_name(&slot, BIPE_NAMING_GGUF, parameter->name);
}

uint64_t bipe_model_active(const bipe_model *model)
{
    const bipe_decoder *d = bipe_decoder_of(&model->hyper);
    uint64_t idle = 0;
    for (size_t i = 0; i < bipe_slots(&model->hyper) && d->experts != 0; i++) {
        bipe_slot slot = bipe_slot_at(&model->hyper, i);
        const nn_matrix *m = &model->weight[i].matrix;
        if (slot.experts != 0 && slot.expert >= d->experts_used)
            idle += (uint64_t)m->rows * m->columns;
    }
    return model->hyper.parameters - idle;
}

float *bipe_model_values(bipe_model *model, size_t *count)
{
    *count = model->value_count;
    return model->values;
}

/* ---- models in memory ---- */

static void fill_initial(float *values, size_t count, initial how, uint32_t layers, uint64_t seed)
{
    double deviation = how == RESIDUAL ? 0.02 / sqrt(2.0 * layers) : 0.02;
    for (size_t i = 0; i < count; i++)
        values[i] = how == ONES ? 1 : how == ZEROS ? 0 : (float)(deviation * bipe_random_normal(&seed));
}

static void fill_copy(float *values, const nn_matrix *from)
{
    for (size_t row = 0; row < from->rows; row++)
        nn_read(from, row, 0, values + row * from->columns, from->columns);
}

/* Makes the values of all slots that the model needs or `from` has, and fills them from there, with 0 what it does not
 * have; without it, from the seed. */
static int make_values(bipe_model *model, const bipe_model *from, uint64_t seed, bipe_error *err)
{
    const bipe_hyperparameters *h = &model->hyper;
    size_t slots = bipe_slots(h);
    model->weight = bipe_alloc(slots, sizeof *model->weight);
    if (model->weight == NULL)
        return bipe_fail_memory(err);
    size_t count = 0;
    for (int filling = 0; filling < 2; filling++) { /* counted first */
        size_t offset = 0;
        for (size_t i = 0; i < slots; i++) {
            bipe_slot slot = bipe_slot_at(h, i);
            const bool found = from != NULL && from->weight[i].matrix.rows != 0;
            if (!found && !slot.needed)
                continue;
            if (slot.rows > (SIZE_MAX / sizeof(float) - offset) / slot.columns)
                return bipe_fail_memory(err);
            size_t size = (size_t)(slot.rows * slot.columns);
            if (filling) {
                float *values = model->values + offset;
                bipe_weight_set(&model->weight[i], values, BIPE_F32, (size_t)slot.rows, (size_t)slot.columns);
                if (found)
                    fill_copy(values, &from->weight[i].matrix);
                else if (from != NULL)
                    memset(values, 0, size * sizeof *values);
                else
                    fill_initial(values, size, table[slot.role].initial, h->layers, bipe_random_bits(&seed));
            }
            offset += size;
        }
        count = offset;
        if (!filling && (model->values = bipe_model_own(model, count, sizeof *model->values)) == NULL)
            return bipe_fail(err, BIPE_ERR_MEMORY, "out of memory for %zu parameters", count);
    }
    model->value_count = count;
    model->hyper.parameters = count;
    model->hyper.format = "memory";
    return BIPE_OK;
}

static int make_model(bipe_model **model, const bipe_hyperparameters *hyper, const char *path, const bipe_model *from,
                      uint64_t seed, bipe_error *err)
{
    *model = NULL;
    bipe_model *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    made->hyper = *hyper;
    made->decoder = *bipe_decoder_of(hyper);
    made->hyper.decoder = &made->decoder;
    made->path = bipe_strdup(path);
    int status = made->path == NULL ? bipe_fail_memory(err) : make_values(made, from, seed, err);
    if (status == BIPE_OK)
        *model = made;
    else
        bipe_model_close(made);
    return status;
}

/* Fills in what may be left out, and checks the sizes. */
static int complete_hyperparameters(bipe_hyperparameters *h, bipe_error *err)
{
    bool learned = has_kind(&h->scheme, BIPE_LEARNED);
    if (!learned || h->learned_rows == 0)
        h->learned_rows = learned ? h->train_length : 0;
    if (h->segmenter[0] == '\0')
        snprintf(h->segmenter, sizeof h->segmenter, "stop");
    if (h->vocabulary == 0 || h->vocabulary > INT32_MAX)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a vocabulary of %u, expected 1 to %d", (unsigned)h->vocabulary,
                         INT32_MAX);
    return bipe_hyperparameters_check(h, err);
}

int bipe_model_plan(const bipe_hyperparameters *hyper, uint64_t *parameters, bipe_error *err)
{
    bipe_hyperparameters h = *hyper;
    int status = complete_hyperparameters(&h, err);
    *parameters = 0;
    for (size_t role = 0; role < BIPE_ROLES && status == BIPE_OK; role++) {
        bipe_slot slot = bipe_slot_at(&h, bipe_slot_index(&h, (bipe_role)role, 0));
        uint64_t times = (bipe_role_of_layer((bipe_role)role) ? h.layers : 1) *
                         (bipe_role_of_expert((bipe_role)role) ? experts_of(&h) : 1),
                 most = SIZE_MAX / sizeof(float) - *parameters;
        if (slot.needed && slot.rows > most / slot.columns / times)
            status = bipe_fail(err, BIPE_ERR_MEMORY, "a model of these sizes is larger than memory can be");
        else if (slot.needed)
            *parameters += slot.rows * slot.columns * times;
    }
    return status;
}

int bipe_model_create(bipe_model **model, const bipe_hyperparameters *hyper, uint64_t seed, bipe_error *err)
{
    *model = NULL;
    bipe_hyperparameters h = *hyper;
    int status = complete_hyperparameters(&h, err);
    return status == BIPE_OK ? make_model(model, &h, "a model in memory", NULL, seed, err) : status;
}

int bipe_model_copy(bipe_model **model, const bipe_model *from, bipe_error *err)
{
    return make_model(model, &from->hyper, from->path, from, 0, err);
}

int bipe_model_adapt(bipe_model **model, const bipe_model *from, const bipe_hyperparameters *hyper, bipe_error *err)
{
    bipe_hyperparameters h = from->hyper;
    *model = NULL;
    h.train_length = hyper->train_length;
    h.scheme = hyper->scheme;
    h.rope_scaling = hyper->rope_scaling;
    memcpy(h.segmenter, hyper->segmenter, sizeof h.segmenter);
    if (h.learned_rows == 0 && has_kind(&h.scheme, BIPE_LEARNED))
        h.learned_rows = h.train_length;
    int status = bipe_hyperparameters_check(&h, err);
    return status == BIPE_OK ? make_model(model, &h, from->path, from, 0, err) : status;
}
