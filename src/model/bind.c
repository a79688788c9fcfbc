/* bind.c - finds the weights of a model in a table of tensors, and checks that each has the shape that the
 * hyperparameters ask for and that none is left over. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "model/hf_names.h"
#include "model/weights.h"

typedef struct binding {
    bipe_model *model;
    const bipe_tensor_table *table;
    bipe_naming naming;
    bool *used; /* (table->count) */
    const bipe_tensor **sorted; /* (table->count) of a folder, as hf_names.h has them; else NULL */
    bipe_error *err;
    char name[BIPE_PARAMETER_NAME];
} binding;

static const bipe_tensor *find_tensor(const binding *b, const char *name)
{
    return b->sorted != NULL ? bipe_hf_find(b->sorted, b->table->count, name) : bipe_tensor_find(b->table, name);
}

static int fail_shape(binding *b, const bipe_tensor *tensor, uint64_t rows, uint64_t columns)
{
    char found[128] = "", expected[64];
    for (int i = 0; i < tensor->dims; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%" PRIu64, i > 0 ? ", " : "",
                 tensor->shape[i]);
    if (rows == 0)
        snprintf(expected, sizeof expected, "any number of rows of %" PRIu64, columns);
    else if (columns == 0)
        snprintf(expected, sizeof expected, "[%" PRIu64 "]", rows);
    else
        snprintf(expected, sizeof expected, "[%" PRIu64 ", %" PRIu64 "]", rows, columns);
    return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' has shape [%s], expected %s", b->name, found, expected);
}

/* rows 0: any number of them; dims 1: a vector of `columns`. */
static int check_tensor(binding *b, const bipe_tensor *tensor, int dims, uint64_t rows, uint64_t columns)
{
    char known[BIPE_DTYPE_LIST];
    if (tensor == NULL)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "tensor '%s' is missing", b->name);
    if (dims == 1 && (tensor->dims != 1 || tensor->shape[0] != columns))
        return fail_shape(b, tensor, columns, 0);
    if (dims == 2 && (tensor->dims != 2 || (rows != 0 && tensor->shape[0] != rows) || tensor->shape[1] != columns ||
                      tensor->shape[0] == 0 || tensor->shape[0] > INT32_MAX))
        return fail_shape(b, tensor, rows, columns);
    if (bipe_dtype_of(tensor->dtype)->read == NULL)
        return bipe_fail(b->err, BIPE_ERR_UNSUPPORTED, "tensor '%s' is of type %s, expected %s", b->name,
                         tensor->dtype_name, bipe_dtype_list(known));
    return BIPE_OK;
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

size_t bipe_split_row(size_t row, size_t head_size)
{
    size_t in_head = row % head_size;
    return row - in_head + in_head % 2 * (head_size / 2) + in_head / 2;
}

/* Interleaved rows into half-split order. Each value of a bias is a row. */
static int unpair_rows(binding *b, nn_matrix *matrix, bool bias)
{
    size_t head_size = b->model->hyper.head_size, rows = bias ? matrix->columns : matrix->rows;
    size_t size = bias ? sizeof(float) : matrix->stride;
    if (head_size % 2 != 0)
        return bipe_fail(b->err, BIPE_ERR_FORMAT, "heads of %zu values, expected an even number", head_size);
    uint8_t *copy = bipe_model_own(b->model, rows, size);
    if (copy == NULL)
        return bipe_fail_memory(b->err);
    for (size_t row = 0; row < rows; row++)
        memcpy(copy + bipe_split_row(row, head_size) * size, (const uint8_t *)matrix->data + row * size, size);
    matrix->data = copy;
    return BIPE_OK;
}

static int bind_slot(binding *b, const bipe_slot *slot, bipe_weight *weight, bool interleaved)
{
    bipe_hyperparameters *h = &b->model->hyper;
    const bipe_tensor *tensor = find_tensor(b, bipe_slot_name(slot, b->naming, b->name));
    if (!slot->needed && !(slot->optional && tensor != NULL))
        return BIPE_OK;
    int status = check_tensor(b, tensor, slot->kind == BIPE_VECTOR ? 1 : 2, slot->rows, slot->columns);
    if (status != BIPE_OK)
        return status;
    b->used[tensor - b->table->tensor] = true;
    size_t rows = slot->kind == BIPE_VECTOR ? 1 : (size_t)tensor->shape[0];
    bipe_weight_set(weight, tensor->data, tensor->dtype, rows, (size_t)slot->columns);
    if (slot->kind != BIPE_MATRIX)
        status = widen_weight(b, weight);
    if (status == BIPE_OK && interleaved && slot->paired)
        status = unpair_rows(b, &weight->matrix, slot->kind == BIPE_VECTOR);
    if (status != BIPE_OK)
        return status;
    weight->mapped = weight->matrix.data == tensor->data;
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
    static const char prefix[] = "layers.", training[] = "training.";
    if (b->naming != BIPE_NAMING_HF) /* a checkpoint of a training run is a model too */
        return strcmp(b->model->hyper.format, "native") == 0 && strncmp(name, training, sizeof training - 1) == 0;
    char plain[BIPE_PARAMETER_NAME];
    if (!bipe_hf_plain(name, plain, sizeof plain))
        return false;
    if (strcmp(plain, "rotary_emb.inv_freq") == 0 || (b->model->hyper.tied && strcmp(plain, "lm_head.weight") == 0))
        return true;
    if (strncmp(plain, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *number = plain + sizeof prefix - 1;
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && (strcmp(number + digits, ".self_attn.alibi") == 0 ||
                          strcmp(number + digits, ".self_attn.rotary_emb.inv_freq") == 0);
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
static bool is_tied(const binding *b)
{
    const bipe_tensor *output = find_tensor(b, "lm_head.weight"), *words = find_tensor(b, "model.embed_tokens.weight");
    return output == NULL || words == NULL ||
           (output->dtype == words->dtype && output->size == words->size && output->data != NULL &&
            memcmp(output->data, words->data, (size_t)words->size) == 0);
}

static int bind_tensors(binding *b, bool interleaved, uint32_t table_rows)
{
    bipe_model *model = b->model;
    bipe_hyperparameters *h = &model->hyper;
    if (b->naming == BIPE_NAMING_GGUF) {
        h->tied = bipe_tensor_find(b->table, "output.weight") == NULL;
        h->attention_biases = bipe_tensor_find(b->table, "blk.0.attn_q.bias") != NULL;
        h->output_biases = bipe_tensor_find(b->table, "blk.0.attn_output.bias") != NULL;
        h->feed_forward_biases = bipe_tensor_find(b->table, "blk.0.ffn_down.bias") != NULL;
        h->head_norms = bipe_tensor_find(b->table, "blk.0.attn_q_norm.weight") != NULL;
    }
    if (b->naming == BIPE_NAMING_HF && h->tied)
        h->tied = is_tied(b);
    size_t least = bipe_layer_tensors(h);
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
        int status = bind_slot(b, &slot, &model->weight[i], interleaved);
        if (status != BIPE_OK)
            return status;
    }
    h->learned_rows = (uint32_t)bipe_model_weight(model, BIPE_ROLE_LEARNED, 0)->matrix.rows;
    if (bipe_model_weight(model, BIPE_ROLE_ROPE_FACTORS, 0)->matrix.rows != 0) {
        if (h->rope_scaling.kind != BIPE_SCALING_NONE)
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

int bipe_model_bind(bipe_model *model, const bipe_tensor_table *table, bipe_naming naming, bool interleaved,
                    uint32_t table_rows, bipe_error *err)
{
    binding b = {.model = model, .table = table, .naming = naming, .err = err};
    b.used = bipe_alloc(table->count, sizeof *b.used);
    if (b.used == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    if (naming == BIPE_NAMING_HF) {
        b.sorted = bipe_alloc(table->count, sizeof *b.sorted);
        status = b.sorted == NULL ? bipe_fail_memory(err) : bipe_hf_sort(table, b.sorted, err);
    }
    if (status == BIPE_OK)
        status = bind_tensors(&b, interleaved, table_rows);
    bipe_free(b.sorted);
    bipe_free(b.used);
    return status;
}
