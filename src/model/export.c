/* export.c - a model as a native file, or as a GGUF file of llama.cpp: keys and tensors given to a writer, rows
 * converted while it writes.
 *
 * Tensor names and shapes of native files are those of GGUF llama files, but rows of attn_q and attn_k are in
 * half-split order (as in Hugging Face files and in llama.cpp's files of Qwen models), not interleaved;
 * relative_attention_bias.weight is [buckets, heads]. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "model/position_tables.h"

/* How a weight is written: the context of write_row(). */
typedef struct weight_export {
    const bipe_weight *weight; /* of experts, the first; the others follow */
    bipe_dtype dtype;
    size_t paired; /* size of the heads whose rows are interleaved, or 0, */
    size_t rotary; /* and how many of them are rotated */
} weight_export;

/* bipe_tensor_rows: a row of a weight in another type. */
static int write_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    const weight_export *to = context;
    const size_t rows = to->weight->matrix.rows, expert = (size_t)row / rows;
    const nn_matrix *from = &to->weight[expert].matrix;
    (void)err;
    row %= rows;
    if (to->paired != 0 && from->rows == 1) { /* a bias, whose values are rows */
        for (size_t i = 0; i < from->columns; i++)
            bipe_dtype_from_f32(BIPE_F32, (const float *)from->data + bipe_split_row(i, to->paired, to->rotary),
                                (uint8_t *)buffer + 4 * i, 1);
        return BIPE_OK;
    }
    size_t at = to->paired != 0 ? bipe_split_row((size_t)row, to->paired, to->rotary) : (size_t)row;
    if (to->dtype == to->weight[expert].dtype && from->scale == 0) {
        memcpy(buffer, nn_row(from, at), from->stride);
        return BIPE_OK;
    }
    enum { PIECE = 1024 }; /* whole blocks of every type */
    float values[PIECE];
    uint8_t *out = buffer;
    for (size_t done = 0; done < from->columns; done += PIECE) {
        size_t count = from->columns - done < PIECE ? from->columns - done : PIECE;
        nn_read(from, at, done, values, count);
        bipe_dtype_from_f32(to->dtype, values, out + bipe_dtype_row_size(to->dtype, done), count);
    }
    return BIPE_OK;
}

static int add_weight(bipe_tensor_list *list, const bipe_slot *slot, const char *name, const bipe_weight *weight,
                      bipe_dtype dtype, size_t paired, size_t rotary, bipe_error *err)
{
    const bool vector = slot->kind == BIPE_VECTOR;
    uint64_t shape[3] = {slot->experts, weight->matrix.rows, weight->matrix.columns};
    int dims = vector ? 1 : 2, first = vector ? 2 : 1;
    if (slot->experts != 0) { /* all in one tensor */
        shape[first = vector] = slot->experts;
        dims++;
    }
    weight_export *to = bipe_tensor_list_own(list, sizeof *to);
    if (to == NULL)
        return bipe_fail_memory(err);
    *to = (weight_export){weight, dtype, paired, rotary};
    return bipe_tensor_list_add(list, name, dtype, dims, shape + first, write_row, to, err);
}

/* all: also what the model has without needing it. paired: size of the heads whose rows are interleaved, or 0. */
static int add_weights(const bipe_model *model, const bipe_mix *mix, bipe_naming naming, bool all, size_t paired,
                       bipe_tensor_list *list, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < bipe_slots(&model->hyper) && status == BIPE_OK; i++) {
        bipe_slot slot = bipe_slot_at(&model->hyper, i);
        char name[BIPE_PARAMETER_NAME];
        if (model->weight[i].matrix.rows == 0 || slot.expert != 0 ||
            !(all || slot.needed || slot.role == BIPE_ROLE_ROPE_FACTORS))
            continue;
        const bipe_weight *weight = &model->weight[i];
        status = add_weight(list, &slot, bipe_slot_name(&slot, naming, name), weight,
                            bipe_mix_dtype(mix, &model->hyper, &slot, weight), slot.paired ? paired : 0,
                            bipe_rotary_size(&model->hyper), err);
    }
    return status;
}

/* ---- keys ---- */

/* Keys begin with the architecture's name. */
typedef struct key_writer {
    struct bipe_gguf_writer *writer;
    const char *architecture;
    char key[64];
} key_writer;

static const char *key_of(key_writer *to, const char *name)
{
    snprintf(to->key, sizeof to->key, "%s.%s", to->architecture, name);
    return to->key;
}

/* Settings other than the usual ones. */
static void set_yarn(const bipe_rope_scaling *scaling, key_writer *to)
{
    if (scaling->magnitude != 0)
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.yarn_attn_factor"), (float)scaling->magnitude);
    if (scaling->low != 0) {
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.yarn_beta_fast"), (float)scaling->high);
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.yarn_beta_slow"), (float)scaling->low);
    }
    if (scaling->exact)
        bipe_gguf_set_bool(to->writer, key_of(to, "rope.scaling.truncate"), false);
}

/* original: what the training length is for yarn where the model does not say; 0: left unsaid. */
static void set_scaling(const bipe_rope_scaling *scaling, uint64_t original, key_writer *to)
{
    if (scaling->kind >= BIPE_SCALING_FACTORS && scaling->magnitude != 0)
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.attn_factor"), (float)scaling->magnitude);
    if (scaling->kind == BIPE_SCALING_LONGROPE)
        bipe_gguf_set_u32(to->writer, key_of(to, "rope.scaling.original_context_length"), (uint32_t)scaling->original);
    if (scaling->kind == BIPE_SCALING_NONE || scaling->kind >= BIPE_SCALING_FACTORS) /* a tensor says so */
        return;
    original = scaling->original != 0 ? scaling->original : original;
    bipe_gguf_set_text(to->writer, key_of(to, "rope.scaling.type"), bipe_rope_scaling_name(scaling));
    bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.factor"), (float)scaling->factor);
    if (original != 0)
        bipe_gguf_set_u32(to->writer, key_of(to, "rope.scaling.original_context_length"), (uint32_t)original);
    if (scaling->kind == BIPE_SCALING_YARN)
        set_yarn(scaling, to);
    if (scaling->kind == BIPE_SCALING_LLAMA3) {
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.low_freq_factor"), (float)scaling->low);
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.high_freq_factor"), (float)scaling->high);
    }
}

/* Names of tensors of a plain layer that this one lacks, apart by spaces. */
static void set_lacking(const bipe_decoder *decoder, key_writer *to)
{
    char text[128] = "";
    for (int role = 0; role < BIPE_ROLES; role++) {
        bipe_slot slot = {.role = (bipe_role)role};
        if (bipe_decoder_has(&bipe_decoder_plain, role) && !bipe_decoder_has(decoder, role))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? " " : "",
                     bipe_slot_own_name(&slot, BIPE_NAMING_GGUF));
    }
    if (text[0] != '\0')
        bipe_gguf_set_text(to->writer, key_of(to, "lacks"), text);
}

/* One flag for each layer. */
static void set_layers(const bipe_hyperparameters *hyper, const char *name, unsigned bit, bool cleared, key_writer *to)
{
    uint8_t flag[BIPE_KIND_LAYERS];
    for (size_t i = 0; i < hyper->layers && i < BIPE_KIND_LAYERS; i++)
        flag[i] = ((bipe_layer_kind_of(bipe_decoder_of(hyper), i) & bit) != 0) != cleared;
    bipe_gguf_set_u8s(to->writer, key_of(to, name), flag, hyper->layers);
}

/* What of the decoder differs from a plain one. */
static void set_decoder(const bipe_hyperparameters *hyper, key_writer *to)
{
    const bipe_decoder *decoder = bipe_decoder_of(hyper), *plain = &bipe_decoder_plain;
    unsigned kinds = 0;
    for (size_t i = 0; i < bipe_decoder_field_count; i++) {
        const bipe_decoder_field *field = &bipe_decoder_fields[i];
        const char *at = (const char *)decoder + field->offset, *usual = (const char *)plain + field->offset;
        const char *key = key_of(to, field->key);
        switch (field->kind) {
        case BIPE_FIELD_NUMBER:
            if (*(const double *)(const void *)at != *(const double *)(const void *)usual)
                bipe_gguf_set_f32(to->writer, key, (float)*(const double *)(const void *)at);
            break;
        case BIPE_FIELD_COUNT:
            if (*(const uint32_t *)(const void *)at != *(const uint32_t *)(const void *)usual)
                bipe_gguf_set_u32(to->writer, key, *(const uint32_t *)(const void *)at);
            break;
        case BIPE_FIELD_FLAG:
            if (*(const bool *)at != *(const bool *)usual)
                bipe_gguf_set_bool(to->writer, key, *(const bool *)at);
            break;
        case BIPE_FIELD_ACTIVATION:
            if (decoder->activation != plain->activation)
                bipe_gguf_set_text(to->writer, key, bipe_activation_name(decoder->activation));
            break;
        }
    }
    set_lacking(decoder, to);
    for (size_t i = 0; i < hyper->layers; i++)
        kinds |= bipe_layer_kind_of(decoder, i);
    if (decoder->window != 0)
        set_layers(hyper, "attention.sliding_window_pattern", BIPE_LAYER_WINDOW, false, to);
    if ((kinds & BIPE_LAYER_NO_POSITIONS) != 0)
        set_layers(hyper, "attention.rope_pattern", BIPE_LAYER_NO_POSITIONS, true, to);
    if ((kinds & BIPE_LAYER_KEYS_ARE_VALUES) != 0)
        set_layers(hyper, "attention.value_pattern", BIPE_LAYER_KEYS_ARE_VALUES, true, to);
}

/* What all architectures have. */
static void set_sizes(const bipe_hyperparameters *hyper, key_writer *to)
{
    const struct {
        const char *key;
        uint32_t value;
    } counts[] = {
        {"vocab_size", hyper->vocabulary}, {"context_length", hyper->train_length}, {"embedding_length", hyper->hidden},
        {"block_count", hyper->layers}, {"feed_forward_length", hyper->feed_forward},
        {"attention.head_count", hyper->heads}, {"attention.head_count_kv", hyper->kv_heads},
        {"attention.key_length", hyper->head_size}, {"attention.value_length", hyper->head_size},
        {"rope.dimension_count", (uint32_t)bipe_rotary_size(hyper)},
    };
    bipe_gguf_set_text(to->writer, "general.architecture", to->architecture);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        bipe_gguf_set_u32(to->writer, key_of(to, counts[i].key), counts[i].value);
    bipe_gguf_set_f32(to->writer, key_of(to, bipe_decoder_of(hyper)->layer_norm ? "attention.layer_norm_epsilon"
                                                                               : "attention.layer_norm_rms_epsilon"),
                      (float)hyper->rms_norm_eps);
    bipe_gguf_set_f32(to->writer, key_of(to, "rope.freq_base"), (float)hyper->rope_base);
}

/* ---- native files ---- */

int bipe_model_write_gguf(const bipe_model *model, const bipe_mix *mix, struct bipe_gguf_writer *writer,
                          bipe_error *err)
{
    const bipe_hyperparameters *hyper = &model->hyper;
    key_writer to = {.writer = writer, .architecture = "bipe"};
    char scheme[256];
    set_sizes(hyper, &to);
    set_scaling(&hyper->rope_scaling, 0, &to);
    set_decoder(hyper, &to);
    bipe_gguf_set_bool(writer, "bipe.log_scale", hyper->log_scale);
    bipe_gguf_set_text(writer, "bipe.position_scheme", bipe_scheme_format(&hyper->scheme, scheme));
    bipe_gguf_set_text(writer, "bipe.segmenter", hyper->segmenter);
    return add_weights(model, mix, BIPE_NAMING_GGUF, true, 0, bipe_gguf_tensor_list(writer), err);
}

/* ---- files of llama.cpp ---- */

bool bipe_model_is_common(const bipe_model *model)
{
    char scheme[256];
    return strcmp(bipe_scheme_format(&model->hyper.scheme, scheme), "rope") == 0 && !model->hyper.log_scale;
}

/* Whether frequencies are written as factors, in a tensor: llama.cpp has no other llama3, and of yarn no other bounds
 * than the paper's. */
static bool needs_factors(const bipe_rope_scaling *scaling)
{
    return scaling->kind == BIPE_SCALING_LLAMA3 || scaling->kind == BIPE_SCALING_FACTORS ||
           (scaling->kind == BIPE_SCALING_YARN && (scaling->low != 0 || scaling->exact));
}

/* Its files of Qwen 3 have no tensor of factors, those of Llama no norms of heads. */
static int check_llama(const bipe_hyperparameters *hyper, bipe_error *err)
{
    const bipe_decoder *d = bipe_decoder_of(hyper);
    char scheme[256], scaling[BIPE_SCALING_TEXT], decoder[BIPE_DECODER_TEXT];
    if (!bipe_decoder_is_plain(hyper))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a decoder with %s",
                         bipe_decoder_describe(hyper, decoder));
    bipe_scheme_format(&hyper->scheme, scheme);
    if (strcmp(scheme, "rope") != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "position scheme '%s', which llama.cpp does not have, expected rope", scheme);
    if (hyper->log_scale)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "queries scaled by log length, which llama.cpp does not have");
    if (hyper->rope_scaling.kind == BIPE_SCALING_DYNAMIC)
        return bipe_fail(
            err, BIPE_ERR_UNSUPPORTED,
            "rope scaling 'dynamic', which llama.cpp does not have, expected none, linear, yarn or llama3");
    if ((bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS) || bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS) ||
         bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS)) &&
        bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "biases and norms of heads, which no architecture of llama.cpp has at once");
    if (bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) && needs_factors(&hyper->rope_scaling))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "rope scaling '%s' in a Qwen 3 model, which llama.cpp has in Llama models alone",
                         bipe_rope_scaling_format(&hyper->rope_scaling, scaling));
    return BIPE_OK;
}

/* bipe_tensor_rows: what frequencies are divided by. */
static int write_factors(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    const bipe_model *const *model = context;
    const bipe_hyperparameters *h = &(*model)->hyper;
    const size_t half = h->head_size / 2;
    double *frequency = bipe_alloc(half, sizeof *frequency);
    (void)row;
    if (frequency == NULL)
        return bipe_fail_memory(err);
    bipe_rope_frequencies(&h->rope_scaling, h->rope_base, h->train_length, h->head_size, frequency);
    for (size_t j = 0; j < half; j++) {
        float factor = (float)(pow(h->rope_base, -2.0 * (double)j / h->head_size) / frequency[j]);
        bipe_dtype_from_f32(BIPE_F32, &factor, (uint8_t *)buffer + 4 * j, 1);
    }
    bipe_free(frequency);
    return BIPE_OK;
}

static int add_factors(const bipe_model *model, bipe_tensor_list *list, bipe_error *err)
{
    const uint64_t half = model->hyper.head_size / 2;
    const bipe_model **context = bipe_tensor_list_own(list, sizeof *context);
    if (context == NULL)
        return bipe_fail_memory(err);
    *context = model;
    return bipe_tensor_list_add(list, "rope_freqs.weight", BIPE_F32, 1, &half, write_factors, context, err);
}

/* llama.cpp multiplies cos and sin by attn_factor, after what yarn by itself multiplies them by. */
static void set_llama_scaling(const bipe_hyperparameters *hyper, key_writer *to)
{
    bipe_rope_scaling scaling = hyper->rope_scaling;
    double magnitude = bipe_rope_magnitude(&scaling), own = 1;
    if (!needs_factors(&scaling)) {
        scaling.magnitude = 0;
        own = bipe_rope_magnitude(&scaling);
        set_scaling(&scaling, hyper->train_length, to);
    }
    if (magnitude != own)
        bipe_gguf_set_f32(to->writer, key_of(to, "rope.scaling.attn_factor"), (float)(magnitude / own));
}

int bipe_model_write_llama(const bipe_model *model, const bipe_mix *mix, struct bipe_gguf_writer *writer,
                           bipe_error *err)
{
    const bipe_hyperparameters *hyper = &model->hyper;
    const bipe_decoder *d = bipe_decoder_of(hyper);
    bool factors = needs_factors(&hyper->rope_scaling);
    bool qwen2 = bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS) && !bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS) &&
                 !bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS) && !factors;
    const char *architecture = bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) ? "qwen3" : qwen2 ? "qwen2" : "llama";
    key_writer to = {.writer = writer, .architecture = architecture};
    bool llama = strcmp(architecture, "llama") == 0;
    bipe_tensor_list *list = bipe_gguf_tensor_list(writer);
    int status = check_llama(hyper, err);
    if (status == BIPE_OK && factors &&
        hyper->rope_scaling.kind != BIPE_SCALING_FACTORS) /* those are a tensor already */
        status = add_factors(model, list, err);
    set_sizes(hyper, &to);
    set_llama_scaling(hyper, &to);
    return status == BIPE_OK
               ? add_weights(model, mix, BIPE_NAMING_GGUF, false, llama ? hyper->head_size : 0, list, err)
               : status;
}

/* ---- Hugging Face folders ---- */

int bipe_model_list_tensors(const bipe_model *model, bipe_dtype dtype, bipe_tensor_list *list, bipe_error *err)
{
    if (bipe_dtype_of(dtype)->config == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "weights cannot be written as %s in a Hugging Face folder",
                         bipe_dtype_name(dtype));
    int status = bipe_model_check_folder(model, err);
    return status == BIPE_OK ? add_weights(model, bipe_mix_of(dtype), BIPE_NAMING_HF, true, 0, list, err) : status;
}
