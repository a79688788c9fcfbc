/* bind_experts.c - finds the weights of experts: a tensor for each, or one for all of them; gate and up in one tensor;
 * and gpt-oss's, which are transposed, or in blocks apart from their scales. */
#include <stdio.h>
#include <string.h>

#include "base/memory_available.h"
#include "format/mapping.h"
#include "model/bind.h"

static bool is_vector(const bipe_slot *slot)
{
    return slot->kind == BIPE_VECTOR;
}

/* Whether the role shares a tensor with another, of which it has the second rows. */
static bool is_joined(bipe_role role, bool *second)
{
    *second = role == BIPE_ROLE_UP || role == BIPE_ROLE_UP_BIAS;
    return *second || role == BIPE_ROLE_GATE || role == BIPE_ROLE_GATE_BIAS;
}

static const bipe_tensor *find_named(bipe_binding *b, const bipe_slot *slot, const char *own)
{
    bipe_layer_name(bipe_family_layers(b->model->family, b->naming), slot, own, b->name);
    return bipe_binding_find(b, b->name);
}

/* gpt-oss: (E, C, rows) in a number type; or blocks (E, rows, C / 32, 16) and scales (E, rows, C / 32); biases (E,
 * rows). Rows of gate and up alternate. */
static bipe_place find_alternate(bipe_binding *b, const bipe_slot *slot)
{
    char own[BIPE_PARAMETER_NAME];
    bool second, joined = is_joined(slot->role, &second);
    const char *part = joined ? "gate_up_proj" : "down_proj";
    bipe_place at = {.first = second, .rows = bipe_binding_rows(slot) * (joined ? 2 : 1), .experts = true,
                     .alternate = joined};
    snprintf(own, sizeof own, "mlp.experts.%s_blocks", part);
    if (!is_vector(slot) && (at.tensor = find_named(b, slot, own)) != NULL) {
        snprintf(own, sizeof own, "mlp.experts.%s_scales", part);
        at.scales = find_named(b, slot, own);
        return at;
    }
    snprintf(own, sizeof own, "mlp.experts.%s%s", part, is_vector(slot) ? "_bias" : "");
    at.tensor = find_named(b, slot, own);
    at.transposed = !is_vector(slot);
    return at;
}

bipe_place bipe_expert_find(bipe_binding *b, const bipe_slot *slot)
{
    const bipe_family *family = b->model->family;
    const bool gguf = b->naming == BIPE_NAMING_GGUF;
    const char *end = is_vector(slot) ? "bias" : "weight", *both = gguf ? "ffn_gate_up_exps" : NULL;
    bool second, joined = is_joined(slot->role, &second);
    char own[BIPE_PARAMETER_NAME];
    bipe_place at = {.rows = bipe_binding_rows(slot)};
    if (!gguf && family != NULL && family->alternate_experts)
        return find_alternate(b, slot);
    if (!gguf && family != NULL)
        both = family->joined_experts;
    if (joined && both != NULL) {
        snprintf(own, sizeof own, "%s.%s", both, end);
        at = (bipe_place){.tensor = find_named(b, slot, own), .first = second ? bipe_binding_rows(slot) : 0,
                          .rows = 2 * bipe_binding_rows(slot), .experts = true};
        if (at.tensor != NULL)
            return at;
    }
    if (gguf) { /* files of before April 2024 have a tensor for each expert */
        const char *part = slot->role == BIPE_ROLE_DOWN || slot->role == BIPE_ROLE_DOWN_BIAS ? "down"
                           : second                                                          ? "up"
                                                                                             : "gate";
        snprintf(own, sizeof own, "ffn_%s.#.%s", part, end);
        at = (bipe_place){.tensor = find_named(b, slot, own), .rows = bipe_binding_rows(slot)};
        if (at.tensor != NULL)
            return at;
    }
    bipe_family_name(family, slot, b->naming, false, b->name);
    at = (bipe_place){.tensor = bipe_binding_find(b, b->name), .rows = bipe_binding_rows(slot), .experts = true};
    if (!gguf) { /* a name that holds no number of an expert is that of all */
        char of_first[BIPE_PARAMETER_NAME];
        bipe_slot other = *slot;
        other.expert = slot->expert + 1;
        at.experts = strcmp(bipe_family_name(family, &other, b->naming, false, of_first), b->name) == 0;
    }
    return at;
}

static int check_place(bipe_binding *b, const bipe_slot *slot, const bipe_place *at)
{
    const uint64_t rows = at->rows, columns = is_vector(slot) ? 0 : slot->columns;
    uint64_t shape[BIPE_TENSOR_DIMS] = {slot->experts};
    int dims = at->experts;
    if (at->tensor == NULL)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' is missing", b->name);
    if (at->scales != NULL || (!is_vector(slot) && !at->transposed)) {
        shape[dims++] = rows;
        shape[dims++] = at->scales != NULL ? columns / 32 : columns;
    } else if (at->transposed) {
        shape[dims++] = columns;
        shape[dims++] = rows;
    } else {
        shape[dims++] = rows;
    }
    if (at->scales != NULL) {
        const bipe_tensor *both[] = {at->scales, at->tensor};
        shape[3] = 16;
        for (int i = 0; i < 2; i++) {
            const bipe_tensor *tensor = both[i];
            snprintf(b->name, sizeof b->name, "%.*s", (int)sizeof b->name - 1, tensor->name);
            if (columns % 32 != 0 || tensor->dims != 3 + i || memcmp(tensor->shape, shape, (size_t)(3 + i) * 8) != 0)
                return bipe_binding_fail_shape(b, tensor, 3 + i, shape);
            if (bipe_dtype_row_size(tensor->dtype, 1) != 1 || tensor->data == NULL)
                return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, expected U8", b->name,
                                 tensor->dtype_name);
        }
        return BIPE_OK;
    }
    if (at->tensor->dims != dims || memcmp(at->tensor->shape, shape, (size_t)dims * sizeof *shape) != 0)
        return bipe_binding_fail_shape(b, at->tensor, dims, shape);
    return bipe_binding_check_type(b, at->tensor);
}

/* The number of a role's row within a tensor that holds `at->rows` of each expert. */
static size_t source_row(const bipe_slot *slot, const bipe_place *at, size_t row)
{
    return (size_t)(at->experts ? slot->expert * at->rows : 0) +
           (at->alternate ? 2 * row + (size_t)at->first : row + (size_t)at->first);
}

/* A block of a folder has the values 2j and 2j + 1 in byte j; ours has j and j + 16. */
static void put_block(const uint8_t *from, uint8_t scale, uint8_t *to)
{
    uint8_t value[32];
    for (size_t j = 0; j < 16; j++) {
        value[2 * j] = from[j] & 15;
        value[2 * j + 1] = from[j] >> 4;
    }
    to[0] = scale;
    for (size_t j = 0; j < 16; j++)
        to[1 + j] = (uint8_t)(value[j] | value[j + 16] << 4);
}

/* Copies are made for all experts of a file or for none: whether there is memory for them is asked at the first. */
static int check_memory(bipe_binding *b, const bipe_slot *slot)
{
    uint64_t size = 0;
    if (slot->layer != 0 || slot->expert != 0 || slot->role != BIPE_ROLE_GATE)
        return BIPE_OK;
    for (size_t i = 0; i < b->table->count; i++)
        if (strstr(b->table->tensor[i].name, ".experts.") != NULL)
            size += b->table->tensor[i].size;
    return bipe_memory_check(bipe_memory_available(""), size, b->err, "those of a GGUF file stay in it",
                             "experts of a folder, whose rows are put in order, take");
}

/* A copy of a matrix whose rows do not lie together. */
static int copy_rows(bipe_binding *b, const bipe_slot *slot, const bipe_place *at, bipe_weight *weight)
{
    const size_t rows = (size_t)slot->rows, columns = (size_t)slot->columns, blocks = columns / 32;
    const bipe_dtype dtype = at->scales != NULL ? BIPE_MXFP4 : at->tensor->dtype;
    const size_t value = bipe_dtype_row_size(dtype, 1), stride = bipe_dtype_row_size(dtype, columns);
    const uint8_t *from = at->tensor->data;
    if (at->transposed && value == 0)
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, whose rows cannot be put in order",
                         b->name, at->tensor->dtype_name);
    int status = check_memory(b, slot);
    uint8_t *copy = status == BIPE_OK ? bipe_model_own(b->model, rows, stride) : NULL;
    if (copy == NULL)
        return status != BIPE_OK ? status : bipe_fail_memory(b->err);
    for (size_t row = 0; row < rows; row++) {
        const size_t source = source_row(slot, at, row);
        uint8_t *to = copy + row * stride;
        for (size_t i = 0; i < blocks && at->scales != NULL; i++)
            put_block(from + (source * blocks + i) * 16, ((const uint8_t *)at->scales->data)[source * blocks + i],
                      to + i * 17);
        /* of an expert (columns, at->rows) */
        const size_t first = (size_t)(slot->expert * at->rows), within = source - first;
        for (size_t c = 0; c < columns && at->scales == NULL; c++)
            memcpy(to + c * value, from + (first * columns + c * (size_t)at->rows + within) * value, value);
    }
    bipe_weight_set(weight, copy, dtype, rows, columns);
    if (slot->expert + 1 == slot->experts && slot->role != BIPE_ROLE_GATE)
        bipe_mapping_leave(from, (size_t)at->tensor->size);
    return BIPE_OK;
}

/* The values of a vector (F) or (C). */
static int copy_vector(bipe_binding *b, const bipe_slot *slot, const bipe_place *at, bipe_weight *weight)
{
    const size_t value = bipe_dtype_row_size(at->tensor->dtype, 1), count = (size_t)slot->columns;
    const uint8_t *from = at->tensor->data;
    if (value == 0)
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, which a vector cannot be", b->name,
                         at->tensor->dtype_name);
    float *values = bipe_model_own(b->model, count, sizeof *values);
    if (values == NULL)
        return bipe_fail_memory(b->err);
    for (size_t i = 0; i < count; i++)
        bipe_dtype_to_f32(at->tensor->dtype, from + source_row(slot, at, i) * value, values + i, 1);
    bipe_weight_set(weight, values, BIPE_F32, 1, count);
    return BIPE_OK;
}

int bipe_expert_bind(bipe_binding *b, const bipe_slot *slot, bipe_weight *weight)
{
    const bipe_place at = bipe_expert_find(b, slot);
    const bipe_tensor *tensor = at.tensor;
    int status = check_place(b, slot, &at);
    if (status != BIPE_OK)
        return status;
    b->used[tensor - b->table->tensor] = true;
    if (at.scales != NULL)
        b->used[at.scales - b->table->tensor] = true;
    if (is_vector(slot)) {
        status = copy_vector(b, slot, &at, weight);
    } else if (at.transposed || at.scales != NULL) {
        status = copy_rows(b, slot, &at, weight);
    } else {
        const size_t row = bipe_dtype_row_size(tensor->dtype, slot->columns);
        bipe_weight_set(weight, (const uint8_t *)tensor->data + source_row(slot, &at, 0) * row, tensor->dtype,
                        (size_t)slot->rows, (size_t)slot->columns);
        weight->mapped = true;
        status = bipe_binding_scale(b, slot, &weight->matrix);
    }
    if (status == BIPE_OK)
        b->model->hyper.parameters += (uint64_t)weight->matrix.rows * slot->columns;
    return status;
}
