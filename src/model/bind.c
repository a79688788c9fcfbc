/* bind.c - finds the weights of a model in a table of tensors, and checks that each has the shape that the
 * hyperparameters ask for and that none is left over. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "model/weights.h"

/* What the weights are called. */
typedef struct names {
    const char *embedding, *output, *learned, *t5, *norm;
    const char *layer; /* printf format that takes the layer and one of these: */
    const char *query, *key, *value, *attention, *gate, *up, *down, *before_attention, *before_feed_forward;
} names;

static const names namings[] = {
    [BIPE_NAMING_HF] = {
        .embedding = "model.embed_tokens.weight", .output = "lm_head.weight", .learned = "model.embeds.0.weight",
        .t5 = "model.relative_attention_bias.weight", .norm = "model.norm.weight", .layer = "model.layers.",
        .query = "self_attn.q_proj", .key = "self_attn.k_proj", .value = "self_attn.v_proj",
        .attention = "self_attn.o_proj", .gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj",
        .before_attention = "input_layernorm", .before_feed_forward = "post_attention_layernorm",
    },
    [BIPE_NAMING_GGUF] = {
        .embedding = "token_embd.weight", .output = "output.weight", .learned = "position_embd.weight",
        .t5 = "relative_attention_bias.weight", .norm = "output_norm.weight", .layer = "blk.",
        .query = "attn_q", .key = "attn_k", .value = "attn_v", .attention = "attn_output", .gate = "ffn_gate",
        .up = "ffn_up", .down = "ffn_down", .before_attention = "attn_norm", .before_feed_forward = "ffn_norm",
    },
};

typedef struct binding {
    bipe_model *model;
    const bipe_tensor_table *table;
    const names *names;
    bool *used; /* (table->count) */
    bipe_error *err;
    char name[128];
} binding;

static int fail_shape(binding *b, const bipe_tensor *tensor, uint64_t rows, uint64_t columns)
{
    char found[128] = "", expected[64];
    for (int i = 0; i < tensor->dims; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%" PRIu64, i > 0 ? ", " : "", tensor->shape[i]);
    if (rows == 0)
        snprintf(expected, sizeof expected, "any number of rows of %" PRIu64, columns);
    else if (columns == 0)
        snprintf(expected, sizeof expected, "[%" PRIu64 "]", rows);
    else
        snprintf(expected, sizeof expected, "[%" PRIu64 ", %" PRIu64 "]", rows, columns);
    return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' has shape [%s], expected %s", b->name, found, expected);
}

static const bipe_tensor *take(binding *b, const char *name)
{
    snprintf(b->name, sizeof b->name, "%s", name);
    const bipe_tensor *tensor = bipe_tensor_find(b->table, name);
    if (tensor != NULL)
        b->used[tensor - b->table->tensor] = true;
    return tensor;
}

static bool computable(const bipe_tensor *tensor, nn_type *type)
{
    switch (tensor->dtype) {
    case BIPE_F32: *type = NN_F32; return true;
    case BIPE_F16: *type = NN_F16; return true;
    case BIPE_BF16: *type = NN_BF16; return true;
    case BIPE_Q8_0: *type = NN_Q8_0; return true;
    case BIPE_I64:
    case BIPE_OTHER: break;
    }
    return false;
}

static void keep(bipe_weight *weight, nn_matrix matrix, bipe_dtype dtype)
{
    weight->matrix = matrix;
    weight->dtype = dtype;
    for (int i = 0; i <= BIPE_Q8_0; i++)
        weight->as[i] = (bipe_weight_export){weight, (bipe_dtype)i};
}

/* rows 0: any number of them; dims 1: a vector of `columns`. */
static int check_tensor(binding *b, const bipe_tensor *tensor, int dims, uint64_t rows, uint64_t columns, nn_type *type)
{
    if (tensor == NULL)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' is missing", b->name);
    if (dims == 1 && (tensor->dims != 1 || tensor->shape[0] != columns))
        return fail_shape(b, tensor, columns, 0);
    if (dims == 2 && (tensor->dims != 2 || (rows != 0 && tensor->shape[0] != rows) || tensor->shape[1] != columns ||
                      tensor->shape[0] == 0 || tensor->shape[0] > INT32_MAX))
        return fail_shape(b, tensor, rows, columns);
    if (!computable(tensor, type))
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, expected F32, F16, BF16 or Q8_0", b->name,
                         tensor->dtype_name);
    return BIPE_OK;
}

static int bind_matrix(binding *b, const char *name, uint64_t rows, uint64_t columns, bipe_weight *weight)
{
    const bipe_tensor *tensor = take(b, name);
    nn_type type = NN_F32;
    int status = check_tensor(b, tensor, 2, rows, columns, &type);
    if (status != BIPE_OK)
        return status;
    keep(weight, nn_matrix_of(tensor->data, type, (size_t)tensor->shape[0], (size_t)tensor->shape[1]), tensor->dtype);
    b->model->hyper.parameters += tensor->shape[0] * tensor->shape[1];
    return BIPE_OK;
}

/* Norms and the t5 table: small, and kept as aligned f32. */
static int bind_floats(binding *b, const char *name, int dims, uint64_t rows, uint64_t columns, bipe_weight *weight)
{
    const bipe_tensor *tensor = take(b, name);
    nn_type type = NN_F32;
    int status = check_tensor(b, tensor, dims, rows, columns, &type);
    if (status != BIPE_OK)
        return status;
    size_t count = (size_t)(rows * columns);
    float *values = bipe_model_own(b->model, count, sizeof *values);
    if (values == NULL)
        return bipe_fail_memory(b->err);
    if (type == NN_Q8_0 && count % 32 != 0)
        return fail_shape(b, tensor, rows, columns);
    nn_widen(type, tensor->data, values, count);
    keep(weight, nn_matrix_of(values, NN_F32, (size_t)rows, (size_t)columns), BIPE_F32);
    b->model->hyper.parameters += count;
    return BIPE_OK;
}

/* Rows 2j and 2j + 1 of a head hold a pair: into rows j and j + D / 2, where half-split rotation has them. */
static int unpair_rows(binding *b, bipe_weight *weight, size_t head_size)
{
    const nn_matrix *from = &weight->matrix;
    uint8_t *copy = bipe_model_own(b->model, from->rows, from->stride);
    if (copy == NULL)
        return bipe_fail_memory(b->err);
    for (size_t row = 0; row < from->rows; row++) {
        size_t head = row / head_size, in_head = row % head_size, half = head_size / 2;
        size_t target = head * head_size + in_head % 2 * half + in_head / 2;
        memcpy(copy + target * from->stride, (const uint8_t *)from->data + row * from->stride, from->stride);
    }
    weight->matrix.data = copy;
    return BIPE_OK;
}

static int bind_layer(binding *b, uint32_t index, bool interleaved)
{
    bipe_layer *layer = &b->model->layer[index];
    const bipe_hyperparameters *h = &b->model->hyper;
    uint64_t c = h->hidden, heads = (uint64_t)h->heads * h->head_size, groups = (uint64_t)h->kv_heads * h->head_size;
    const struct {
        const char *name;
        uint64_t rows, columns; /* rows 0: a vector */
        bipe_weight *weight;
    } all[] = {
        {b->names->before_attention, 0, c, &layer->before_attention},
        {b->names->query, heads, c, &layer->query},
        {b->names->key, groups, c, &layer->key},
        {b->names->value, groups, c, &layer->value},
        {b->names->attention, c, heads, &layer->attention},
        {b->names->before_feed_forward, 0, c, &layer->before_feed_forward},
        {b->names->gate, h->feed_forward, c, &layer->gate},
        {b->names->up, h->feed_forward, c, &layer->up},
        {b->names->down, c, h->feed_forward, &layer->down},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%" PRIu32 ".%s.weight", b->names->layer, index, all[i].name);
        int status = all[i].rows == 0 ? bind_floats(b, name, 1, 1, all[i].columns, all[i].weight)
                                      : bind_matrix(b, name, all[i].rows, all[i].columns, all[i].weight);
        if (status != BIPE_OK)
            return status;
    }
    if (!interleaved)
        return BIPE_OK;
    if (h->head_size % 2 != 0)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "heads of %" PRIu32 " values, expected an even number", h->head_size);
    int status = unpair_rows(b, &layer->query, h->head_size);
    return status == BIPE_OK ? unpair_rows(b, &layer->key, h->head_size) : status;
}

static bool has_kind(const bipe_scheme *scheme, bipe_position_kind kind)
{
    for (size_t i = 0; i < scheme->count; i++)
        if (scheme->term[i].kind == kind)
            return true;
    return false;
}

/* Tables of positions: needed when the scheme has them, kept when they are there. */
static int bind_tables(binding *b, uint32_t table_rows)
{
    bipe_hyperparameters *h = &b->model->hyper;
    int status = BIPE_OK;
    if (has_kind(&h->scheme, BIPE_LEARNED) || bipe_tensor_find(b->table, b->names->learned) != NULL)
        status = bind_matrix(b, b->names->learned, table_rows, h->hidden, &b->model->learned);
    h->learned_rows = (uint32_t)b->model->learned.matrix.rows;
    if (status == BIPE_OK && (has_kind(&h->scheme, BIPE_T5) || bipe_tensor_find(b->table, b->names->t5) != NULL))
        status = bind_floats(b, b->names->t5, 2, BIPE_T5_BUCKETS, h->heads, &b->model->t5);
    return status;
}

/* Tensors of the published files that say nothing new. */
static bool harmless(const binding *b, const char *name)
{
    if (b->names != &namings[BIPE_NAMING_HF])
        return false;
    if (strcmp(name, "model.rotary_emb.inv_freq") == 0)
        return true;
    if (b->model->hyper.tied && strcmp(name, b->names->output) == 0)
        return true;
    size_t prefix = strlen(b->names->layer);
    if (strncmp(name, b->names->layer, prefix) != 0)
        return false;
    name += prefix;
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && (strcmp(name + digits, ".self_attn.alibi") == 0 ||
                          strcmp(name + digits, ".self_attn.rotary_emb.inv_freq") == 0);
}

static int check_leftover(binding *b)
{
    for (size_t i = 0; i < b->table->count; i++) {
        const char *name = b->table->tensor[i].name;
        if (b->used[i] || harmless(b, name))
            continue;
        char shown[BIPE_SHOWN_SIZE];
        bipe_model_shown(shown, name, strlen(name));
        const char *why = strstr(name, "bias") != NULL      ? "biases are not supported"
                          : strstr(name, "rope_freqs") != NULL ? "factors of frequencies are not supported"
                                                             : "no part of this model has that name";
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s': %s", shown, why);
    }
    return BIPE_OK;
}

static int bind_all(binding *b, bool interleaved, uint32_t table_rows)
{
    bipe_model *model = b->model;
    bipe_hyperparameters *h = &model->hyper;
    h->parameters = 0;
    if (h->layers > b->table->count / 9)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "%zu tensors cannot hold %" PRIu32 " layers of 9", b->table->count,
                         h->layers);
    model->layer = bipe_alloc(h->layers, sizeof *model->layer);
    if (model->layer == NULL)
        return bipe_fail_memory(b->err);
    int status = bind_matrix(b, b->names->embedding, h->vocabulary, h->hidden, &model->embedding);
    if (status != BIPE_OK)
        return status;
    h->vocabulary = (uint32_t)model->embedding.matrix.rows;
    if (b->names == &namings[BIPE_NAMING_GGUF])
        h->tied = bipe_tensor_find(b->table, b->names->output) == NULL;
    if (h->tied)
        keep(&model->output, model->embedding.matrix, model->embedding.dtype);
    else
        status = bind_matrix(b, b->names->output, h->vocabulary, h->hidden, &model->output);
    if (status == BIPE_OK)
        status = bind_floats(b, b->names->norm, 1, 1, h->hidden, &model->norm);
    for (uint32_t i = 0; i < h->layers && status == BIPE_OK; i++)
        status = bind_layer(b, i, interleaved);
    if (status == BIPE_OK)
        status = bind_tables(b, table_rows);
    return status == BIPE_OK ? check_leftover(b) : status;
}

int bipe_model_bind(bipe_model *model, const bipe_tensor_table *table, bipe_naming naming, bool interleaved,
                    uint32_t table_rows, bipe_error *err)
{
    binding b = {.model = model, .table = table, .names = &namings[naming], .err = err};
    b.used = bipe_alloc(table->count, sizeof *b.used);
    if (b.used == NULL)
        return bipe_fail_memory(err);
    int status = bind_all(&b, interleaved, table_rows);
    bipe_free(b.used);
    return status;
}
