/* bind.c - finds the weights of a model in a table of tensors, and checks that each has the shape that the
 * hyperparameters ask for and that none is left over. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "model/bind.h"
#include "model/hf_names.h"
#include "model/hf_text_config.h"

typedef bipe_binding binding;
typedef bipe_place place;

const bipe_tensor *bipe_binding_find(const binding *b, const char *name)
{
    return b->sorted != NULL ? bipe_hf_find(b->sorted, b->table->count, name) : bipe_tensor_find(b->table, name);
}

int bipe_binding_fail_shape(binding *b, const bipe_tensor *tensor, int dims, const uint64_t *shape)
{
    char found[128] = "", expected[128] = "";
    for (int i = 0; i < tensor->dims; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%" PRIu64, i > 0 ? ", " : "",
                 tensor->shape[i]);
    for (int i = 0; i < dims; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%" PRIu64, i > 0 ? ", " : "",
                 shape[i]);
    if (dims == 2 && shape[0] == 0)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' has shape [%s], expected any number of rows of %" PRIu64,
                         b->name, found, shape[1]);
    return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' has shape [%s], expected [%s]", b->name, found, expected);
}

int bipe_binding_check_type(binding *b, const bipe_tensor *tensor)
{
    char known[BIPE_DTYPE_LIST];
    return bipe_dtype_of(tensor->dtype)->read != NULL
               ? BIPE_OK
               : bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, expected %s", b->name,
                           tensor->dtype_name, bipe_dtype_list(known));
}

/* rows 0: any number of them; dims 1: a vector of `columns`. */
static int check_tensor(binding *b, const bipe_tensor *tensor, int dims, uint64_t rows, uint64_t columns)
{
    if (tensor == NULL)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' is missing", b->name);
    if (dims == 1 && tensor->dims == 2 && tensor->shape[0] * tensor->shape[1] == columns &&
        (b->model->decoder.own_norms || tensor->shape[0] == 1)) /* (heads, D), or a matrix of one row */
        dims = 0;
    if (dims == 1 && (tensor->dims != 1 || tensor->shape[0] != columns))
        return bipe_binding_fail_shape(b, tensor, 1, &columns);
    if (dims == 2 && (tensor->dims != 2 || (rows != 0 && tensor->shape[0] != rows) || tensor->shape[1] != columns ||
                      tensor->shape[0] == 0 || tensor->shape[0] > INT32_MAX))
        return bipe_binding_fail_shape(b, tensor, 2, (const uint64_t[]){rows, columns});
    return bipe_binding_check_type(b, tensor);
}

/* Norms and the t5 table: small, and kept as aligned f32. */
static int widen_weight(binding *b, bipe_weight *weight)
{
    size_t rows = weight->matrix.rows, columns = weight->matrix.columns, count = rows * columns;
    float *values = bipe_model_own(b->model, count, sizeof *values);
    if (values == NULL)
        return bipe_fail_memory(b->err);
    bipe_dtype_to_f32(weight->dtype, weight->matrix.data, values, count);
    bipe_weight_set(weight, values, BIPE_F32, rows, columns);
    return BIPE_OK;
}

size_t bipe_split_row(size_t row, size_t head_size, size_t rotary)
{
    size_t in_head = row % head_size;
    return in_head < rotary ? row - in_head + in_head % 2 * (rotary / 2) + in_head / 2 : row;
}

/* Interleaved rows: those of a matrix are found where they lie, the values of a vector, which are rows, are put in
 * half-split order. */
static int unpair_rows(binding *b, nn_matrix *matrix, bool vector)
{
    const bipe_hyperparameters *h = &b->model->hyper;
    size_t head_size = h->head_size, rotary = bipe_rotary_size(h), values = matrix->columns;
    if (rotary % 2 != 0)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "heads of %zu values, expected an even number", head_size);
    if (!vector) {
        matrix->head = head_size;
        matrix->rotary = rotary;
        return BIPE_OK;
    }
    float *copy = bipe_model_own(b->model, values, sizeof *copy);
    if (copy == NULL)
        return bipe_fail_memory(b->err);
    for (size_t i = 0; i < values; i++)
        copy[bipe_split_row(i, head_size, rotary)] = ((const float *)matrix->data)[i];
    matrix->data = copy;
    return BIPE_OK;
}

/* ---- joined projections ---- */

/* Roles whose rows may follow each other in one tensor, and its names. */
static const struct {
    bipe_role role[3];
    size_t count;
    const char *name[2], *end;
} joined[] = {
    {{BIPE_ROLE_QUERY, BIPE_ROLE_KEY, BIPE_ROLE_VALUE}, 3, {"self_attn.qkv_proj", "attn_qkv"}, "weight"},
    {{BIPE_ROLE_QUERY_BIAS, BIPE_ROLE_KEY_BIAS, BIPE_ROLE_VALUE_BIAS}, 3, {"self_attn.qkv_proj", "attn_qkv"}, "bias"},
    {{BIPE_ROLE_GATE, BIPE_ROLE_UP}, 2, {"mlp.gate_up_proj", "ffn_up"}, "weight"},
    {{BIPE_ROLE_SHARED_GATE, BIPE_ROLE_SHARED_UP}, 2, {"shared_mlp.input_linear", "ffn_up_shexp"}, "weight"},
};

/* Whether layers have two norms, in families where that changes their names. */
static bool has_two_norms(binding *b)
{
    const bipe_family *family = b->model->family;
    const bipe_slot slot = {.role = family != NULL ? family->two_norms[b->naming][0].role : BIPE_ROLE_EMBEDDING};
    return family != NULL && family->two_norms[b->naming][0].name != NULL &&
           bipe_binding_find(b, bipe_family_name(family, &slot, b->naming, true, b->name)) != NULL;
}

/* The tensor of a slot, or of several with it; NULL: there is none. The name stays in b->name. */
static place find_place(binding *b, const bipe_slot *slot)
{
    const bipe_hyperparameters *h = &b->model->hyper;
    const bipe_family *family = b->model->family;
    const bool gguf = b->naming == BIPE_NAMING_GGUF;
    if (slot->experts != 0)
        return bipe_expert_find(b, slot);
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++) {
        place at = {0};
        bool mine = false;
        for (size_t j = 0; j < joined[i].count; j++) {
            bipe_slot one = bipe_slot_at(h, bipe_slot_index(h, joined[i].role[j], slot->layer));
            mine |= one.role == slot->role;
            at.first += mine ? 0 : bipe_binding_rows(&one);
            at.rows += bipe_binding_rows(&one);
        }
        const bool shared = joined[i].role[0] == BIPE_ROLE_SHARED_GATE;
        if (!mine || family == NULL ||
            ((joined[i].role[0] == BIPE_ROLE_GATE || shared) && gguf && !family->joined_gate_up))
            continue;
        const char *name = joined[i].name[b->naming];
        const char *own = shared ? NULL : family->joined[joined[i].role[0] == BIPE_ROLE_GATE];
        snprintf(b->name, sizeof b->name, "%s.%u.%s.%s", bipe_family_layers(family, b->naming),
                 (unsigned)slot->layer, !gguf && own != NULL ? own : name, joined[i].end);
        at.tensor = bipe_binding_find(b, b->name);
        if (at.tensor != NULL)
            return at;
    }
    const bool two = has_two_norms(b);
    bipe_family_name(family, slot, b->naming, two, b->name);
    return (place){.tensor = bipe_binding_find(b, b->name), .rows = bipe_binding_rows(slot)};
}

/* A role's rows of a tensor of a folder, copied into our order: those of a transposed matrix, or those that are joined
 * by key head. NULL: an error. */
static const uint8_t *gather_rows(binding *b, const bipe_slot *slot, const place *at, bool transposed)
{
    const bipe_hyperparameters *h = &b->model->hyper;
    const bipe_tensor *tensor = at->tensor;
    const bool vector = slot->kind == BIPE_VECTOR;
    const size_t value = bipe_dtype_row_size(tensor->dtype, 1), rows = bipe_binding_rows(slot);
    const size_t heads = h->heads / h->kv_heads;
    const size_t columns = vector ? 1 : slot->columns, first = at->first;
    const bool query = slot->role == BIPE_ROLE_QUERY || slot->role == BIPE_ROLE_QUERY_BIAS,
               key = slot->role == BIPE_ROLE_KEY || slot->role == BIPE_ROLE_KEY_BIAS;
    const uint8_t *from = tensor->data;
    if (value == 0) {
        bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, whose rows cannot be put in order", b->name,
                  tensor->dtype_name);
        return NULL;
    }
    uint8_t *copy = bipe_model_own(b->model, rows, columns * value);
    if (copy == NULL)
        bipe_fail_memory(b->err);
    for (size_t row = 0; row < rows && copy != NULL; row++) {
        uint8_t *to = copy + row * columns * value;
        size_t source = first + row, head = row / h->head_size;
        if (!transposed) {
            size_t group = query ? head / heads : head, within = query ? head % heads : heads + !key;
            source = (group * (heads + 2) + within) * h->head_size + row % h->head_size;
            memcpy(to, from + source * columns * value, columns * value);
        }
        for (size_t c = 0; transposed && c < columns; c++)
            memcpy(to + c * value, from + (c * at->rows + source) * value, value);
    }
    return copy;
}

/* A tensor beside a matrix multiplies it; another is for activations that are rounded, which ours are not. */
int bipe_binding_scale(binding *b, const bipe_slot *slot, nn_matrix *matrix)
{
    static const char weight[] = ".weight", *const beside[] = {".scale", ".input_scale"};
    char name[BIPE_PARAMETER_NAME + 16], whole[BIPE_PARAMETER_NAME];
    size_t size = strlen(b->name), end = sizeof weight - 1;
    if (b->naming != BIPE_NAMING_GGUF || size < end || strcmp(b->name + size - end, weight) != 0)
        return BIPE_OK;
    memcpy(whole, b->name, size + 1);
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%.*s%s", (int)(size - end), whole, beside[i]);
        const bipe_tensor *tensor = bipe_tensor_find(b->table, name);
        if (tensor == NULL)
            continue;
        snprintf(b->name, sizeof b->name, "%.*s", (int)sizeof b->name - 1, name);
        int status = check_tensor(b, tensor, 1, 1, slot->experts != 0 ? slot->experts : 1);
        const size_t value = bipe_dtype_row_size(tensor->dtype, 1);
        if (status == BIPE_OK && value == 0)
            status = bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, which a number cannot be",
                               b->name, tensor->dtype_name);
        if (status != BIPE_OK)
            return status;
        b->used[tensor - b->table->tensor] = true;
        if (i == 0)
            bipe_dtype_to_f32(tensor->dtype, (const uint8_t *)tensor->data + slot->expert * value, &matrix->scale, 1);
    }
    return BIPE_OK;
}

static int bind_slot(binding *b, const bipe_slot *slot, bipe_weight *weight)
{
    bipe_hyperparameters *h = &b->model->hyper;
    const bipe_family *family = b->model->family;
    if (slot->experts != 0)
        return slot->needed ? bipe_expert_bind(b, slot, weight) : BIPE_OK;
    const place at = find_place(b, slot);
    const bipe_tensor *tensor = at.tensor;
    const bool vector = slot->kind == BIPE_VECTOR, folder = b->naming == BIPE_NAMING_HF && family != NULL;
    const bool transposed = folder && family->transposed && !vector && bipe_role_of_layer(slot->role);
    if (!slot->needed && !(slot->optional && tensor != NULL))
        return BIPE_OK;
    int status = transposed ? check_tensor(b, tensor, 2, slot->columns, at.rows)
                            : check_tensor(b, tensor, vector ? 1 : 2, at.rows, vector ? at.rows : slot->columns);
    if (status != BIPE_OK)
        return status;
    b->used[tensor - b->table->tensor] = true;
    size_t rows = vector ? 1 : (size_t)(slot->rows != 0 ? slot->rows : tensor->shape[0]);
    size_t before = bipe_dtype_row_size(tensor->dtype, vector ? 1 : slot->columns) * (size_t)at.first;
    if (vector && at.first > 0 && before == 0)
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, which a vector cannot be", b->name,
                         tensor->dtype_name);
    const uint8_t *data = (const uint8_t *)tensor->data + before;
    if (transposed || (folder && family->grouped && at.rows != bipe_binding_rows(slot))) {
        data = gather_rows(b, slot, &at, transposed);
        if (data == NULL)
            return b->err->status;
    }
    bipe_weight_set(weight, data, tensor->dtype, rows, (size_t)slot->columns);
    status = slot->kind != BIPE_MATRIX ? widen_weight(b, weight) : bipe_binding_scale(b, slot, &weight->matrix);
    if (status == BIPE_OK && family != NULL && family->interleaved[b->naming] && slot->paired &&
        !(b->model->decoder.row_norms && (slot->role == BIPE_ROLE_QUERY_NORM || slot->role == BIPE_ROLE_KEY_NORM)))
        status = unpair_rows(b, &weight->matrix, vector);
    if (status != BIPE_OK)
        return status;
    if (folder && family->gains_less_one && bipe_role_is_gain(slot->role))
        for (size_t i = 0; i < slot->columns; i++)
            ((float *)(uintptr_t)weight->matrix.data)[i] += 1;
    weight->mapped = weight->matrix.data == (const uint8_t *)tensor->data + before;
    h->parameters += (uint64_t)rows * slot->columns;
    if (slot->role == BIPE_ROLE_EMBEDDING)
        h->vocabulary = (uint32_t)rows;
    if (slot->role == BIPE_ROLE_LEARNED)
        h->learned_rows = (uint32_t)rows;
    return BIPE_OK;
}

/* Tensors of the published files that say nothing new. */
static bool is_harmless(const binding *b, const char *name)
{
    static const char training[] = "training.";
    if (b->naming != BIPE_NAMING_HF) /* a checkpoint of a training run is a model too */
        return strcmp(b->model->hyper.format, "native") == 0 && strncmp(name, training, sizeof training - 1) == 0;
    char plain[256];
    if (!bipe_hf_plain(name, plain, sizeof plain))
        return false;
    if (bipe_hf_of_tower(plain, b->towers))
        return true;
    static const char *const harmless[] = {".self_attn.alibi", ".self_attn.rotary_emb.inv_freq", ".attn.bias",
                                           ".attn.masked_bias", ".attention.bias", ".attention.masked_bias",
                                           ".attention.rotary_emb.inv_freq"};
    const bipe_family *family = b->model->family;
    const bipe_slot output = {.role = BIPE_ROLE_OUTPUT};
    char name_of_output[BIPE_PARAMETER_NAME];
    bipe_family_name(family, &output, BIPE_NAMING_HF, false, name_of_output);
    if (strcmp(plain, "rotary_emb.inv_freq") == 0 || (b->model->hyper.tied && strcmp(plain, name_of_output) == 0))
        return true;
    const char *prefix = family != NULL && family->layers != NULL ? family->layers : "layers";
    const size_t size = strlen(prefix);
    if (strncmp(plain, prefix, size) != 0 || plain[size] != '.')
        return false;
    const char *number = plain + size + 1;
    size_t digits = strspn(number, "0123456789");
    for (size_t i = 0; digits > 0 && i < sizeof harmless / sizeof harmless[0]; i++)
        if (strcmp(number + digits, harmless[i]) == 0)
            return true;
    return false;
}

static int check_leftover(binding *b)
{
    for (size_t i = 0; i < b->table->count; i++) {
        const char *name = b->table->tensor[i].name;
        if (b->used[i] || is_harmless(b, name))
            continue;
        char shown[BIPE_SHOWN_SIZE];
        bipe_model_shown(shown, name, strlen(name));
        const char *why = strstr(name, "bias") != NULL ? "such biases are not supported"
                                                       : "no part of this model has that name";
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s': %s", shown, why);
    }
    return BIPE_OK;
}

/* An output projection that is stored beside the embedding and differs from it is what the model was saved with, though
 * its configuration says that they are one: transformers 5 goes by the weights, too. */
static bool is_tied(binding *b)
{
    const bipe_tensor *tensor[2];
    const bipe_role role[] = {BIPE_ROLE_OUTPUT, BIPE_ROLE_EMBEDDING};
    for (size_t i = 0; i < 2; i++) {
        bipe_slot slot = {.role = role[i]};
        tensor[i] = bipe_binding_find(b, bipe_family_name(b->model->family, &slot, BIPE_NAMING_HF, false, b->name));
    }
    const bipe_tensor *output = tensor[0], *words = tensor[1];
    return output == NULL || words == NULL ||
           (output->dtype == words->dtype && output->size == words->size && output->data != NULL &&
            memcmp(output->data, words->data, (size_t)words->size) == 0);
}

/* Adds to the decoder's roles those of layers that may be there and are, as the first layer says. */
static void find_roles(binding *b, uint64_t optional)
{
    bipe_decoder *decoder = &b->model->decoder;
    for (size_t role = 0; role < BIPE_ROLES; role++) {
        bipe_slot slot = bipe_slot_at(&b->model->hyper, bipe_slot_index(&b->model->hyper, (bipe_role)role, 0));
        if ((optional & BIPE_ROLE_BIT(role)) != 0 && !slot.needed && !slot.optional &&
            find_place(b, &slot).tensor != NULL)
            decoder->roles |= BIPE_ROLE_BIT(role);
    }
    if (b->model->family != NULL && b->model->family->parallel_without_norm)
        decoder->parallel = !bipe_decoder_has(decoder, BIPE_ROLE_FEED_FORWARD_NORM);
}

/* Layers without a window whose values have no matrix have keys for values, in families where that may be. */
static void find_values(binding *b)
{
    bipe_decoder *decoder = &b->model->decoder;
    const bipe_hyperparameters *h = &b->model->hyper;
    for (size_t i = 0; i < h->layers && i < BIPE_KIND_LAYERS; i++) {
        bipe_slot slot = bipe_slot_at(h, bipe_slot_index(h, BIPE_ROLE_VALUE, i));
        if ((decoder->layer[i] & BIPE_LAYER_WINDOW) == 0 && find_place(b, &slot).tensor == NULL)
            decoder->layer[i] |= BIPE_LAYER_KEYS_ARE_VALUES;
    }
}

/* A vector that its file has as keys. */
static int bind_values(binding *b, const bipe_slot *slot, const float *said, bipe_weight *weight)
{
    float *values = bipe_model_own(b->model, slot->columns, sizeof *values);
    if (values == NULL)
        return bipe_fail_memory(b->err);
    memcpy(values, said, slot->columns * sizeof *values);
    bipe_weight_set(weight, values, BIPE_F32, 1, slot->columns);
    b->model->hyper.parameters += slot->columns;
    return BIPE_OK;
}

/* A vector of which its folder has each piece in a tensor: norms of heads, and parameters of xIELU. */
static int bind_pieces(binding *b, const bipe_slot *slot, bipe_weight *weight)
{
    const bool xielu = slot->role == BIPE_ROLE_XIELU;
    const size_t size = xielu ? 1 : bipe_heads_of(&b->model->hyper, slot->layer).size;
    float *values = bipe_model_own(b->model, slot->columns, sizeof *values);
    if (values == NULL)
        return bipe_fail_memory(b->err);
    for (size_t i = 0; i < slot->columns / size; i++) {
        if (xielu)
            snprintf(b->name, sizeof b->name, "model.layers.%u.mlp.act_fn.%s", (unsigned)slot->layer,
                     bipe_xielu_names[i]);
        else
            snprintf(b->name, sizeof b->name, "model.layers.%u.%s.%zu.weight", (unsigned)slot->layer,
                     b->model->family->head_norms[slot->role == BIPE_ROLE_KEY_NORM], i);
        const bipe_tensor *tensor = bipe_binding_find(b, b->name);
        const bool scalar = xielu && tensor != NULL && tensor->dims == 0;
        int status = check_tensor(b, tensor, scalar ? 0 : 1, size, size);
        if (status != BIPE_OK)
            return status;
        b->used[tensor - b->table->tensor] = true;
        bipe_dtype_to_f32(tensor->dtype, tensor->data, values + i * size, size);
    }
    bipe_weight_set(weight, values, BIPE_F32, 1, slot->columns);
    b->model->hyper.parameters += slot->columns;
    return BIPE_OK;
}

static bool is_in_pieces(const binding *b, const bipe_slot *slot)
{
    if (b->naming != BIPE_NAMING_HF || b->model->family == NULL || !slot->needed)
        return false;
    return slot->role == BIPE_ROLE_XIELU ||
           ((slot->role == BIPE_ROLE_QUERY_NORM || slot->role == BIPE_ROLE_KEY_NORM) &&
            b->model->family->head_norms[0] != NULL);
}

/* Values of a slot that the configuration has instead of a tensor, or NULL. */
static const float *said_values(const binding *b, const bipe_slot *slot, const bipe_configuration *said)
{
    const bool folder = b->naming == BIPE_NAMING_HF;
    if (folder && slot->needed && (slot->role == BIPE_ROLE_ROPE_LONG || slot->role == BIPE_ROLE_ROPE_SHORT))
        return said->factors[slot->role == BIPE_ROLE_ROPE_LONG];
    if (folder && slot->role == BIPE_ROLE_ROPE_FACTORS && said->hyper.rope_scaling.kind == BIPE_SCALING_FACTORS)
        return said->factors[0];
    if (!folder && slot->needed && slot->role == BIPE_ROLE_XIELU && b->model->family != NULL)
        return said->xielu[slot->layer];
    return NULL;
}

static int bind_tensors(binding *b, const bipe_configuration *said)
{
    const uint32_t table_rows = said->table_rows;
    bipe_model *model = b->model;
    bipe_hyperparameters *h = &model->hyper;
    if (b->naming == BIPE_NAMING_GGUF) {
        h->tied = bipe_tensor_find(b->table, "output.weight") == NULL;
        if (model->family != NULL && model->family->keys_may_be_values)
            find_values(b);
        find_roles(b, model->family != NULL ? model->family->optional | bipe_product_biases : ~(uint64_t)0);
    }
    if (b->naming == BIPE_NAMING_HF && h->tied)
        h->tied = is_tied(b);
    size_t least = bipe_layer_tensors(h) - (model->decoder.activation == NN_XIELU); /* which may be keys */
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++) { /* several of them may be one tensor */
        bipe_slot slot = bipe_slot_at(h, bipe_slot_index(h, joined[i].role[0], 0));
        least -= slot.experts != 0; /* biases of gate and up */
        least -= slot.needed && find_place(b, &slot).rows != bipe_binding_rows(&slot) ? joined[i].count - 1 : 0;
    }
    if (h->layers > b->table->count / least)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "%zu tensors cannot hold %" PRIu32 " layers of %zu", b->table->count,
                         h->layers, least);
    size_t slots = bipe_slots(h);
    model->weight = bipe_alloc(slots, sizeof *model->weight);
    if (model->weight == NULL)
        return bipe_fail_memory(b->err);
    h->parameters = 0;
    h->learned_rows = table_rows;
    for (size_t i = 0; i < slots; i++) {
        bipe_slot slot = bipe_slot_at(h, i);
        const float *values = said_values(b, &slot, said);
        int status = values != NULL            ? bind_values(b, &slot, values, &model->weight[i])
                     : is_in_pieces(b, &slot) ? bind_pieces(b, &slot, &model->weight[i])
                                               : bind_slot(b, &slot, &model->weight[i]);
        if (status != BIPE_OK)
            return status;
    }
    h->learned_rows = (uint32_t)bipe_model_weight(model, BIPE_ROLE_LEARNED, 0)->matrix.rows;
    const bool two = bipe_decoder_has(&model->decoder, BIPE_ROLE_ROPE_LONG) &&
                     bipe_decoder_has(&model->decoder, BIPE_ROLE_ROPE_SHORT);
    if (h->rope_scaling.kind == BIPE_SCALING_LONGROPE && !two)
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "rope scaling 'longrope' without its two tables of factors");
    if (two && (h->rope_scaling.kind == BIPE_SCALING_NONE || h->rope_scaling.kind == BIPE_SCALING_LONGROPE)) {
        h->rope_scaling.kind = BIPE_SCALING_LONGROPE;
        if (h->rope_scaling.original == 0)
            h->rope_scaling.original = h->train_length;
    } else if (bipe_model_weight(model, BIPE_ROLE_ROPE_FACTORS, 0)->matrix.rows != 0) {
        if (h->rope_scaling.kind != BIPE_SCALING_NONE && h->rope_scaling.kind != BIPE_SCALING_FACTORS)
            return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED,
                             "factors of frequencies ('rope_freqs.weight') and rope scaling at once");
        h->rope_scaling.kind = BIPE_SCALING_FACTORS;
    } else if (h->rope_scaling.kind == BIPE_SCALING_NONE && h->rope_scaling.magnitude != 0) {
        return bipe_fail(
            b->err, BIPE_ERR_UNSUPPORTED,
            "an attention factor of %g (rope.scaling.attn_factor), expected 1 where frequencies are not scaled",
            h->rope_scaling.magnitude);
    }
    return check_leftover(b);
}

int bipe_model_bind(bipe_model *model, const bipe_configuration *said, const bipe_tensor_table *table,
                    bipe_naming naming, bipe_error *err)
{
    model->hyper = said->hyper;
    model->decoder = said->decoder;
    model->hyper.decoder = &model->decoder;
    model->family = said->family;
    binding b = {.model = model, .table = table, .naming = naming, .towers = said->towers, .err = err};
    b.used = bipe_alloc(table->count, sizeof *b.used);
    if (b.used == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    if (naming == BIPE_NAMING_HF) {
        b.sorted = bipe_alloc(table->count, sizeof *b.sorted);
        status = b.sorted == NULL ? bipe_fail_memory(err) : bipe_hf_sort(table, b.sorted, err);
    }
    if (status == BIPE_OK)
        status = bind_tensors(&b, said);
    bipe_free(b.sorted);
    bipe_free(b.used);
    return status;
}
