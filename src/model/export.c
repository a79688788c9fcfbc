/* export.c - a model as a native file: keys and tensors given to a GGUF writer, rows converted while it writes.
 *
 * Tensor names and shapes are those of GGUF llama files, but rows of attn_q and attn_k are in half-split order (as in
 * Hugging Face files), not interleaved; relative_attention_bias.weight is [32, heads]. */
#include <stdio.h>
#include <string.h>

#include "format/gguf.h"
#include "model/weights.h"

/* bipe_gguf_rows: a row of a weight in another type. */
static int write_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    const bipe_weight_export *to = context;
    const nn_matrix *from = &to->weight->matrix;
    (void)err;
    const uint8_t *bytes = (const uint8_t *)from->data + (size_t)row * from->stride;
    if (to->dtype == to->weight->dtype) {
        memcpy(buffer, bytes, from->stride);
        return BIPE_OK;
    }
    enum { PIECE = 1024 }; /* a multiple of Q8_0's blocks */
    float values[PIECE];
    uint8_t *out = buffer;
    for (size_t done = 0; done < from->columns; done += PIECE) {
        size_t count = from->columns - done < PIECE ? from->columns - done : PIECE;
        nn_widen(from->type, bytes + nn_row_size(from->type, done), values, count);
        bipe_dtype_from_f32(to->dtype, values, out + bipe_dtype_row_size(to->dtype, done), count);
    }
    return BIPE_OK;
}

/* The writer's context is not const, though nothing is changed through it. */
static void *context_of(const bipe_weight_export *to)
{
    void *context;
    memcpy(&context, &to, sizeof context);
    return context;
}

static int add(struct bipe_gguf_writer *writer, const bipe_slot *slot, const bipe_weight *weight, bipe_dtype dtype,
               bipe_error *err)
{
    char name[BIPE_PARAMETER_NAME];
    uint64_t shape[2] = {weight->matrix.rows, weight->matrix.columns};
    if (slot->kind != BIPE_MATRIX)
        dtype = BIPE_F32;
    if (bipe_dtype_row_size(dtype, shape[1]) == 0)
        dtype = BIPE_F16;
    bool vector = slot->kind == BIPE_VECTOR;
    return bipe_gguf_add_tensor(writer, bipe_slot_name(slot, BIPE_NAMING_GGUF, name), dtype, vector ? 1 : 2,
                                vector ? shape + 1 : shape, write_row, context_of(&weight->as[dtype]), err);
}

static int set_text(struct bipe_gguf_writer *writer, const char *key, const char *text, bipe_error *err)
{
    return bipe_gguf_set_string(writer, key, text, strlen(text), err);
}

static int set_scaling(const bipe_rope_scaling *scaling, struct bipe_gguf_writer *writer, bipe_error *err)
{
    if (scaling->kind == BIPE_SCALING_NONE || scaling->kind == BIPE_SCALING_FACTORS) /* a tensor says so */
        return BIPE_OK;
    int status = set_text(writer, "bipe.rope.scaling.type", bipe_rope_scaling_name(scaling), err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_f32(writer, "bipe.rope.scaling.factor", (float)scaling->factor, err);
    if (status == BIPE_OK && scaling->original != 0)
        status = bipe_gguf_set_u32(writer, "bipe.rope.scaling.original_context_length", (uint32_t)scaling->original, err);
    if (status == BIPE_OK && scaling->kind == BIPE_SCALING_LLAMA3)
        status = bipe_gguf_set_f32(writer, "bipe.rope.scaling.low_freq_factor", (float)scaling->low, err);
    if (status == BIPE_OK && scaling->kind == BIPE_SCALING_LLAMA3)
        status = bipe_gguf_set_f32(writer, "bipe.rope.scaling.high_freq_factor", (float)scaling->high, err);
    return status;
}

static int set_keys(const bipe_hyperparameters *hyper, struct bipe_gguf_writer *writer, bipe_error *err)
{
    const struct {
        const char *key;
        uint32_t value;
    } counts[] = {
        {"bipe.vocab_size", hyper->vocabulary}, {"bipe.context_length", hyper->train_length},
        {"bipe.embedding_length", hyper->hidden}, {"bipe.block_count", hyper->layers},
        {"bipe.feed_forward_length", hyper->feed_forward}, {"bipe.attention.head_count", hyper->heads},
        {"bipe.attention.head_count_kv", hyper->kv_heads}, {"bipe.attention.key_length", hyper->head_size},
        {"bipe.attention.value_length", hyper->head_size}, {"bipe.rope.dimension_count", hyper->head_size},
    };
    char scheme[256];
    int status = set_text(writer, "general.architecture", "bipe", err);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && status == BIPE_OK; i++)
        status = bipe_gguf_set_u32(writer, counts[i].key, counts[i].value, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_f32(writer, "bipe.attention.layer_norm_rms_epsilon", (float)hyper->rms_norm_eps, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_f32(writer, "bipe.rope.freq_base", (float)hyper->rope_base, err);
    if (status == BIPE_OK)
        status = set_scaling(&hyper->rope_scaling, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, "bipe.log_scale", hyper->log_scale, err);
    if (status == BIPE_OK)
        status = set_text(writer, "bipe.position_scheme", bipe_scheme_format(&hyper->scheme, scheme), err);
    return status == BIPE_OK ? set_text(writer, "bipe.segmenter", hyper->segmenter, err) : status;
}

int bipe_model_write_gguf(const bipe_model *model, bipe_dtype dtype, struct bipe_gguf_writer *writer, bipe_error *err)
{
    if (dtype != BIPE_F32 && dtype != BIPE_F16 && dtype != BIPE_BF16 && dtype != BIPE_Q8_0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "weights cannot be written as %s, expected f32, f16, bf16 or q8_0",
                         bipe_dtype_name(dtype));
    int status = set_keys(&model->hyper, writer, err);
    for (size_t i = 0; i < bipe_slots(&model->hyper) && status == BIPE_OK; i++) {
        bipe_slot slot = bipe_slot_at(&model->hyper, i);
        if (model->weight[i].matrix.rows != 0)
            status = add(writer, &slot, &model->weight[i], dtype, err);
    }
    return status;
}
