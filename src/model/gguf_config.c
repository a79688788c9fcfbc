/* gguf_config.c - hyperparameters from the keys of a GGUF file: of an architecture of families.c (other programs'
 * files) or `bipe` (native; spec.md, section 5). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/family.h"
#include "model/position_tables.h"

enum { MOST_LAYERS = 1 << 16 }; /* of an array with an element for each */

/* Keys begin with the architecture's name. After the first failure nothing is read any more. */
typedef struct source {
    const bipe_gguf *gguf;
    const char *architecture;
    const bipe_family *family; /* NULL: native */
    char key[96];
    int status;
    bipe_error *err;
} source;

static void fail_config(source *from, bipe_status status, const char *format, ...) BIPE_PRINTF(3, 4);

/* The functions of gguf.h put the path into their errors; those of this file have it from here. */
static void fail_config(source *from, bipe_status status, const char *format, ...)
{
    char text[512];
    va_list ap;
    if (from->status != BIPE_OK)
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    from->status = bipe_fail(from->err, status, "%s: %s", bipe_gguf_path(from->gguf), text);
}

static const char *key_of(source *from, const char *name)
{
    snprintf(from->key, sizeof from->key, "%s.%s", from->architecture, name);
    return from->key;
}

/* Whether a key was found, given what a function of gguf.h returned. */
static bool found_key(source *from, bool required, int status)
{
    if (status == BIPE_END && required)
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' is missing", from->key);
    else if (status != BIPE_END)
        from->status = status;
    return status == BIPE_OK;
}

/* A number that stands once, or once for each layer: the layers are all alike here. */
static bool read_value(source *from, const char *name, bool required, double *value)
{
    size_t count = 0;
    if (from->status != BIPE_OK)
        return false;
    if (bipe_gguf_get_array(from->gguf, key_of(from, name), BIPE_GGUF_U32, &count, NULL) != BIPE_OK &&
        bipe_gguf_get_array(from->gguf, from->key, BIPE_GGUF_F32, &count, NULL) != BIPE_OK)
        return found_key(from, required, bipe_gguf_get_number(from->gguf, from->key, value, from->err));
    if (count == 0 || count > MOST_LAYERS)
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu elements, expected one for each layer", from->key, count);
    for (size_t i = 0; i < count && from->status == BIPE_OK; i++) {
        double element = bipe_gguf_array_number(from->gguf, from->key, i);
        if (i > 0 && element != *value)
            fail_config(from, BIPE_ERR_UNSUPPORTED,
                        "key '%s' is %g in layer %zu, expected %g as in layer 0: layers that differ are not supported",
                        from->key, element, i, *value);
        *value = element;
    }
    return from->status == BIPE_OK;
}

static void read_count(source *from, const char *name, bool required, uint32_t *value)
{
    double number = 0;
    if (!read_value(from, name, required, &number))
        return;
    if (!(number >= 1 && number <= INT32_MAX && floor(number) == number))
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' is %.10g, expected a whole number from 1 to %d", from->key, number,
                    INT32_MAX);
    else
        *value = (uint32_t)number;
}

static void read_number(source *from, const char *name, bool required, double *value)
{
    double number = 0;
    if (!read_value(from, name, required, &number))
        return;
    if (!(fabs(number) < 3e38))
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' is %g, expected a number of single precision", from->key, number);
    else
        *value = (double)(float)number;
}

/* Copies a string key into text (size bytes with the NUL); empty when there is none. */
static void read_text(source *from, const char *name, char *text, size_t size)
{
    bipe_gguf_string found;
    text[0] = '\0';
    if (from->status != BIPE_OK ||
        !found_key(from, false, bipe_gguf_get_string(from->gguf, key_of(from, name), &found, from->err)))
        return;
    if (found.size >= size || memchr(found.text, '\0', found.size) != NULL) {
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu bytes, expected at most %zu without NUL", from->key,
                    found.size, size - 1);
        return;
    }
    memcpy(text, found.text, found.size);
    text[found.size] = '\0';
}

/* ---- the keys of an architecture ---- */

enum { NATIVE = 1, FOREIGN = 2, EVERY = NATIVE | FOREIGN };

/* Those that are read here, and those that change nothing, be it with some values alone; names are those of gguf-py,
 * less the architecture's. */
static const bipe_known_key keys[] = {
    {"context_length", NULL, EVERY},
    {"embedding_length", NULL, EVERY},
    {"block_count", NULL, EVERY},
    {"feed_forward_length", NULL, EVERY},
    {"attention.head_count", NULL, EVERY},
    {"attention.head_count_kv", NULL, EVERY},
    {"attention.key_length", NULL, EVERY},
    {"attention.value_length", NULL, EVERY},
    {"attention.layer_norm_rms_epsilon", NULL, EVERY},
    {"rope.dimension_count", NULL, EVERY},
    {"rope.freq_base", NULL, EVERY},
    {"rope.scale_linear", NULL, EVERY},
    {"rope.scaling.type", NULL, EVERY},
    {"rope.scaling.factor", NULL, EVERY},
    {"rope.scaling.original_context_length", NULL, EVERY},
    {"rope.scaling.yarn_beta_fast", NULL, EVERY},
    {"rope.scaling.yarn_beta_slow", NULL, EVERY},
    {"rope.scaling.yarn_attn_factor", NULL, EVERY},
    {"rope.scaling.attn_factor", NULL, EVERY},
    {"rope.scaling.truncate", NULL, NATIVE},
    {"rope.scaling.low_freq_factor", NULL, NATIVE},
    {"rope.scaling.high_freq_factor", NULL, NATIVE},
    {"attention.sliding_window_pattern", NULL, NATIVE},
    {"attention.rope_pattern", NULL, NATIVE},
    {"attention.value_pattern", NULL, NATIVE},
    {"lacks", NULL, NATIVE},
    {"attention.layer_norm_epsilon", NULL, NATIVE},
    {"position_scheme", NULL, NATIVE},
    {"segmenter", NULL, NATIVE},
    {"log_scale", NULL, NATIVE},

    {"vocab_size", "", EVERY}, /* the embedding says it */
    {"rope.scaling.finetuned", "", EVERY},
    {"rope.scaling.yarn_ext_factor", "1 -1", EVERY},
    {"rope.scaling.yarn_log_multiplier", "0", EVERY},
    {"rope.scaling.alpha", "0", FOREIGN},
    {"tensor_data_layout", "", FOREIGN},
    {"attention.layer_norm_epsilon", "", FOREIGN},
    {"attention.causal", "true", FOREIGN},

    {"expert_feed_forward_length", "0", FOREIGN},
    {"expert_gating_func", "1", FOREIGN}, /* softmax */
    {"expert_weights_scale", "0 1", FOREIGN},
    {"expert_group_count", "0 1", FOREIGN},
    {"expert_group_used_count", "0 1", FOREIGN},
    {"nextn_predict_layers", "0", FOREIGN},
    {"attention.shared_kv_layers", "0", FOREIGN},
    {"embedding_length_per_layer_input", "0", FOREIGN},
    {"pooling_type", "", FOREIGN},
};

/* Whether a field of the decoder, or another key that few families have, is read of this file. */
static bool reads_key(const source *from, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = from->family != NULL ? from->family->reads : NULL; at != NULL && *at != '\0';
         at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == size && memcmp(at, name, size) == 0)
            return true;
        at += word;
    }
    return from->family == NULL;
}

/* The row of a key: of the table above, or of the decoder's fields. */
static bool find_key(const source *from, const char *name, bipe_known_key *row)
{
    const bool native = from->family == NULL;
    const bipe_known_key *key =
        bipe_known_key_find(keys, sizeof keys / sizeof keys[0], name, native ? NATIVE : FOREIGN);
    *row = (bipe_known_key){name, NULL, EVERY};
    if (!native && reads_key(from, name))
        return true;
    if (key != NULL)
        *row = *key;
    for (size_t i = 0; key == NULL && i < bipe_decoder_field_count; i++)
        if (strcmp(name, bipe_decoder_fields[i].key) == 0) {
            row->harmless = native ? NULL : bipe_decoder_fields[i].harmless;
            return true;
        }
    return key != NULL;
}

/* The value of a key as text; its number, where it is one. */
static void describe(const source *from, bipe_gguf_type type, char text[BIPE_SHOWN_SIZE], double *number)
{
    bipe_gguf_string string;
    bool flag = false;
    *number = (double)NAN;
    if (type == BIPE_GGUF_STRING && bipe_gguf_get_string(from->gguf, from->key, &string, NULL) == BIPE_OK)
        bipe_model_shown(text, string.text, string.size);
    else if (type == BIPE_GGUF_BOOL && bipe_gguf_get_bool(from->gguf, from->key, &flag, NULL) == BIPE_OK)
        snprintf(text, BIPE_SHOWN_SIZE, "%s", flag ? "true" : "false");
    else if (type != BIPE_GGUF_ARRAY && bipe_gguf_get_number(from->gguf, from->key, number, NULL) == BIPE_OK)
        snprintf(text, BIPE_SHOWN_SIZE, "%.9g", *number);
    else
        snprintf(text, BIPE_SHOWN_SIZE, "an array");
}

static void check_key(source *from, const char *name, bipe_gguf_type type)
{
    bipe_known_key row, *key = find_key(from, name, &row) ? &row : NULL;
    char text[BIPE_SHOWN_SIZE], shown[BIPE_SHOWN_SIZE];
    double number;
    describe(from, type, text, &number);
    bipe_model_shown(shown, from->key, strlen(from->key));
    if (key == NULL)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %s, " BIPE_UNKNOWN_KEY, shown, text);
    else if (!bipe_known_key_allows(key, text, number))
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %s, expected %s", shown, text, key->harmless);
}

/* Of what begins with the architecture's name nothing may pass unread. */
static void check_keys(source *from)
{
    size_t size = strlen(from->architecture);
    bool native = strcmp(from->architecture, "bipe") == 0;
    for (size_t i = 0; i < bipe_gguf_key_count(from->gguf) && from->status == BIPE_OK; i++) {
        bipe_gguf_type type;
        bipe_gguf_string key = bipe_gguf_key(from->gguf, i, &type);
        if (key.size <= size || memcmp(key.text, from->architecture, size) != 0 || key.text[size] != '.')
            continue;
        snprintf(from->key, sizeof from->key, "%.*s",
                 (int)(key.size < sizeof from->key ? key.size : sizeof from->key - 1), key.text);
        const char *name = from->key + size + 1;
        if (!native || strncmp(name, "training.", strlen("training.")) != 0) /* how the model was made */
            check_key(from, name, type);
    }
}

static void read_sizes(source *from, bipe_hyperparameters *hyper, bipe_decoder *decoder)
{
    uint32_t value_size = 0, rotated = 0;
    read_count(from, "context_length", true, &hyper->train_length);
    read_count(from, "embedding_length", true, &hyper->hidden);
    read_count(from, "block_count", true, &hyper->layers);
    read_count(from, "feed_forward_length", true, &hyper->feed_forward);
    if (from->family != NULL && reads_key(from, "expert_feed_forward_length")) /* the other is that of no layer */
        read_count(from, "expert_feed_forward_length", false, &hyper->feed_forward);
    read_count(from, "attention.head_count", true, &hyper->heads);
    hyper->kv_heads = hyper->heads;
    if (from->family == NULL || !from->family->own_window_heads)
        read_count(from, "attention.head_count_kv", false, &hyper->kv_heads);
    read_count(from, "attention.key_length", false, &hyper->head_size);
    read_count(from, "attention.value_length", false, &value_size);
    read_count(from, "rope.dimension_count", false, &rotated);
    if (from->status != BIPE_OK)
        return;
    if (hyper->head_size == 0) {
        hyper->head_size = hyper->hidden / hyper->heads;
        if (hyper->hidden % hyper->heads != 0)
            fail_config(from, BIPE_ERR_FORMAT,
                        "key '%s': %" PRIu32 " heads do not divide an embedding length of %" PRIu32,
                        key_of(from, "attention.head_count"), hyper->heads, hyper->hidden);
    }
    if (value_size != 0 && value_size != hyper->head_size)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected %" PRIu32 " as for keys",
                    key_of(from, "attention.value_length"), value_size, hyper->head_size);
    if (rotated != 0 && rotated < hyper->head_size && reads_key(from, "rope.dimension_count"))
        decoder->rotary = rotated;
    else if (rotated != 0 && rotated != hyper->head_size)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected the head size, %" PRIu32,
                    key_of(from, "rope.dimension_count"), rotated, hyper->head_size);
}

/* YaRN's settings: what llama.cpp computes with, and what its converter writes of a config.json and llama.cpp does not
 * read of these architectures (yarn_attn_factor is attention_factor there). */
static void read_yarn(source *from, bipe_rope_scaling *scaling)
{
    bool cut = from->family == NULL || !from->family->exact_yarn;
    double share = 1;
    read_number(from, "rope.scaling.yarn_beta_fast", false, &scaling->high);
    read_number(from, "rope.scaling.yarn_beta_slow", false, &scaling->low);
    bipe_yarn_complete(scaling);
    read_number(from, "rope.scaling.yarn_attn_factor", false, &scaling->magnitude);
    read_number(from, "rope.scaling.attn_factor", false, &share);
    if (reads_key(from, "rope.scaling.yarn_log_multiplier") &&
        from->family != NULL) { /* config.json's mscale_all_dim */
        double all = 0;
        read_number(from, "rope.scaling.yarn_log_multiplier", false, &all);
        if (all != 0 && scaling->magnitude == 0)
            scaling->magnitude = (double)(float)(bipe_yarn_magnitude(scaling->factor, 1) /
                                                 bipe_yarn_magnitude(scaling->factor, all));
    }
    if (share != 1)
        scaling->magnitude =
            (double)(float)(share *
                            (scaling->magnitude != 0 ? scaling->magnitude : bipe_yarn_magnitude(scaling->factor, 1)));
    if (from->status == BIPE_OK)
        found_key(from, false, bipe_gguf_get_bool(from->gguf, key_of(from, "rope.scaling.truncate"), &cut, from->err));
    scaling->exact = !cut;
}

/* Without yarn its settings would change nothing in llama.cpp, but for attn_factor; who wrote others meant something by
 * them. magnitude: attn_factor is read. */
static void refuse_yarn(source *from, bool magnitude)
{
    static const struct {
        const char *name;
        double usual;
    } settings[] = {{"rope.scaling.yarn_beta_fast", 32}, {"rope.scaling.yarn_beta_slow", 1},
                    {"rope.scaling.yarn_attn_factor", 1},
                    {"rope.scaling.attn_factor", 1}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] - magnitude; i++) {
        double value = settings[i].usual;
        read_number(from, settings[i].name, false, &value);
        if (value != settings[i].usual)
            fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %g, expected %g where rope.scaling.type is not yarn",
                        from->key, value, settings[i].usual);
    }
}

static void read_rope(source *from, bipe_hyperparameters *hyper)
{
    bipe_rope_scaling *scaling = &hyper->rope_scaling;
    bool native = strcmp(from->architecture, "bipe") == 0;
    char kind[32], quoted[BIPE_SHOWN_SIZE];
    double factor = 0;
    uint32_t original = 0;
    *scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    hyper->rope_base = 10000;
    read_number(from, "rope.freq_base", false, &hyper->rope_base);
    read_number(from, "rope.scale_linear", false, &factor); /* the key that linear scaling had before rope.scaling.* */
    read_number(from, "rope.scaling.factor", false, &factor);
    read_text(from, "rope.scaling.type", kind, sizeof kind);
    if (kind[0] == '\0' && factor != 0 && factor != 1) { /* linear is what llama.cpp takes a factor without a type
                                                            for */
        scaling->kind = BIPE_SCALING_LINEAR;
        scaling->factor = factor;
        refuse_yarn(from, false);
        return;
    }
    if (kind[0] == '\0' || strcmp(kind, "none") == 0 ||
        strcmp(kind, "longrope") == 0) { /* a table of factors may have a magnitude */
        read_number(from, "rope.scaling.attn_factor", false, &scaling->magnitude);
        scaling->magnitude = scaling->magnitude == 1 ? 0 : scaling->magnitude;
        read_count(from, "rope.scaling.original_context_length", false, &original); /* of two tables of factors */
        scaling->original = original;
        scaling->kind = kind[0] == 'l' ? BIPE_SCALING_LONGROPE : BIPE_SCALING_NONE;
        refuse_yarn(from, true);
        return;
    }
    if (strcmp(kind, "linear") == 0)
        scaling->kind = factor == 1 ? BIPE_SCALING_NONE : BIPE_SCALING_LINEAR; /* BitNet's converter writes 1 */
    else if (strcmp(kind, "yarn") == 0)
        scaling->kind = BIPE_SCALING_YARN;
    else if (strcmp(kind, "dynamic") == 0 && native)
        scaling->kind = BIPE_SCALING_DYNAMIC;
    else if (strcmp(kind, "llama3") == 0 && native)
        scaling->kind = BIPE_SCALING_LLAMA3;
    else
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is '%s', expected none, linear or yarn", from->key,
                    bipe_model_shown(quoted, kind, strlen(kind)));
    bool llama3 = scaling->kind == BIPE_SCALING_LLAMA3, yarn = scaling->kind == BIPE_SCALING_YARN;
    scaling->factor = factor;
    if (factor == 0)
        read_number(from, "rope.scaling.factor", true, &scaling->factor);
    if (llama3 || yarn)
        read_count(from, "rope.scaling.original_context_length", llama3, &original);
    scaling->original = original;
    if (llama3) {
        read_number(from, "rope.scaling.low_freq_factor", true, &scaling->low);
        read_number(from, "rope.scaling.high_freq_factor", true, &scaling->high);
    }
    if (yarn)
        read_yarn(from, scaling);
    else
        refuse_yarn(from, false);
}

static void read_scheme(source *from, bipe_hyperparameters *hyper)
{
    bool native = from->family == NULL;
    char scheme[512] = "rope";
    if (!native && from->family->scheme != NULL)
        snprintf(scheme, sizeof scheme, "%s", from->family->scheme);
    if (reads_key(from, "attention.max_alibi_bias") && !native) { /* without it a table of positions is added */
        double most = 0;
        read_number(from, "attention.max_alibi_bias", false, &most);
        snprintf(scheme, sizeof scheme, most == 0 ? "learned@token" : "alibi");
    }
    if (native) {
        read_text(from, "position_scheme", scheme, sizeof scheme);
        if (scheme[0] == '\0')
            fail_config(from, BIPE_ERR_FORMAT, "key '%s' is missing", from->key);
        read_text(from, "segmenter", hyper->segmenter, sizeof hyper->segmenter);
    }
    if (hyper->segmenter[0] == '\0')
        snprintf(hyper->segmenter, sizeof hyper->segmenter, "stop");
    if (from->status != BIPE_OK)
        return;
    from->status = bipe_scheme_parse(&hyper->scheme, scheme, from->err);
    if (from->status != BIPE_OK)
        bipe_error_prefix(from->err, "%s: key 'bipe.position_scheme'", bipe_gguf_path(from->gguf));
    else if (native)
        found_key(from, false, bipe_gguf_get_bool(from->gguf, "bipe.log_scale", &hyper->log_scale, from->err));
}

/* Which of the architectures that are known it is. */
static void find_architecture(source *from, bipe_hyperparameters *hyper)
{
    bipe_gguf_string name;
    char quoted[BIPE_SHOWN_SIZE];
    if (bipe_gguf_tensors(from->gguf)->count == 0 &&
        bipe_gguf_get_string(from->gguf, "tokenizer.ggml.model", &name, NULL) == BIPE_OK)
        fail_config(from, BIPE_ERR_FORMAT, "holds a vocabulary but no weights; use it with -t");
    snprintf(from->key, sizeof from->key, "general.architecture");
    if (from->status != BIPE_OK ||
        !found_key(from, true, bipe_gguf_get_string(from->gguf, from->key, &name, from->err)))
        return;
    from->family = bipe_family_of_architecture(name.text, name.size);
    if (from->family == NULL && (name.size != 4 || memcmp(name.text, "bipe", 4) != 0)) {
        fail_config(
            from, BIPE_ERR_UNSUPPORTED,
            "key 'general.architecture' is '%s', which is not read (bipe-convert --families lists those that are)",
            bipe_model_shown(quoted, name.text, name.size));
        return;
    }
    from->architecture = from->family != NULL ? from->family->architecture : "bipe";
    hyper->format = from->family != NULL ? from->family->format : "native";
}

/* ---- the decoder ---- */

static void read_field(source *from, const bipe_decoder_field *field, bipe_decoder *decoder)
{
    char *at = (char *)decoder + field->offset, text[32], shown[BIPE_SHOWN_SIZE];
    if (!reads_key(from, field->key))
        return;
    switch (field->kind) {
    case BIPE_FIELD_NUMBER: read_number(from, field->key, false, (double *)(void *)at); break;
    case BIPE_FIELD_COUNT: {
        double value = 0; /* 0 is none */
        if (read_value(from, field->key, false, &value) && value != 0)
            read_count(from, field->key, false, (uint32_t *)(void *)at);
        break;
    }
    case BIPE_FIELD_FLAG:
        if (from->status == BIPE_OK)
            found_key(from, false, bipe_gguf_get_bool(from->gguf, key_of(from, field->key), (bool *)at, from->err));
        break;
    case BIPE_FIELD_ACTIVATION:
        read_text(from, field->key, text, sizeof text);
        if (text[0] != '\0' && !bipe_activation_find(text, (nn_activation *)(void *)at))
            fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is '%s', which is not known", from->key,
                        bipe_model_shown(shown, text, strlen(text)));
        break;
    }
}

/* One flag for each layer in an array, which sets or clears a bit of all layers. false: there is no such key. */
static bool read_layers(source *from, const char *name, uint32_t layers, bool cleared, unsigned bit,
                        bipe_decoder *decoder)
{
    size_t count = 0;
    if (from->status != BIPE_OK ||
        (bipe_gguf_get_array(from->gguf, key_of(from, name), BIPE_GGUF_BOOL, &count, NULL) != BIPE_OK &&
         bipe_gguf_get_array(from->gguf, from->key, BIPE_GGUF_U32, &count, NULL) != BIPE_OK))
        return false;
    if (count < layers || layers > BIPE_KIND_LAYERS)
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu elements, expected one for each of %" PRIu32
                    " layers, at most %d", from->key, count, layers, (int)BIPE_KIND_LAYERS);
    for (size_t i = 0; i < layers && from->status == BIPE_OK; i++)
        if ((bipe_gguf_array_number(from->gguf, from->key, i) != 0) != cleared)
            decoder->layer[i] |= (uint8_t)bit;
    return true;
}

/* Which layers have windows, and which have no positions: as the file says, or as its family has it. */
static void read_layer_kinds(source *from, const bipe_hyperparameters *hyper, bipe_decoder *decoder)
{
    const bipe_family *family = from->family;
    static const char pattern[] = "attention.sliding_window_pattern";
    if (decoder->window != 0 && !read_layers(from, pattern, hyper->layers, false, BIPE_LAYER_WINDOW, decoder)) {
        uint32_t every = family != NULL ? family->full_every : 0;
        if (family != NULL)
            read_count(from, pattern, false, &every);
        bipe_decoder_set_windows(decoder, hyper->layers, every);
    }
    if (family == NULL) {
        read_layers(from, "attention.rope_pattern", hyper->layers, true, BIPE_LAYER_NO_POSITIONS, decoder);
        read_layers(from, "attention.value_pattern", hyper->layers, true, BIPE_LAYER_KEYS_ARE_VALUES, decoder);
    } else {
        bipe_decoder_set_bare(decoder, hyper->layers, family->bare_every, family->bare_without_window);
    }
    if ((decoder->window != 0 || (family != NULL && family->bare_every != 0)) && hyper->layers > BIPE_KIND_LAYERS)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "%" PRIu32 " layers that differ, expected at most %d", hyper->layers,
                    (int)BIPE_KIND_LAYERS);
}

/* Head size and key heads of layers with a window, where they are other ones: key heads are said layer by layer. */
static void read_window_heads(source *from, bipe_hyperparameters *hyper, bipe_decoder *decoder)
{
    static const char *const sizes[] = {"attention.value_length_swa", "rope.dimension_count_swa"};
    size_t count = 0;
    for (size_t i = 0; i < 2 && from->status == BIPE_OK; i++) {
        uint32_t size = decoder->window_head;
        read_count(from, sizes[i], false, &size);
        if (size != decoder->window_head)
            fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected %" PRIu32 " as for keys",
                        from->key, size, decoder->window_head);
    }
    if (from->status != BIPE_OK ||
        bipe_gguf_get_array(from->gguf, key_of(from, "attention.head_count_kv"), BIPE_GGUF_U32, &count, NULL) !=
            BIPE_OK) {
        read_count(from, "attention.head_count_kv", false, &hyper->kv_heads);
        return;
    }
    if (count < hyper->layers || hyper->layers > BIPE_KIND_LAYERS)
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu elements, expected one for each of %" PRIu32
                    " layers, at most %d", from->key, count, hyper->layers, (int)BIPE_KIND_LAYERS);
    bool seen[2] = {false, false};
    for (size_t i = 0; i < hyper->layers && from->status == BIPE_OK; i++) {
        const bool window = (decoder->layer[i] & BIPE_LAYER_WINDOW) != 0;
        uint32_t *const heads = window ? &decoder->window_kv_heads : &hyper->kv_heads;
        const double value = bipe_gguf_array_number(from->gguf, from->key, i);
        if (!(value >= 1 && value <= INT32_MAX))
            fail_config(from, BIPE_ERR_FORMAT, "key '%s' is %.10g in layer %zu, expected a number from 1 to %d",
                        from->key, value, i, INT32_MAX);
        else if (seen[window] && value != *heads)
            fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %.10g in layer %zu, expected %" PRIu32
                        " as in other layers of its kind", from->key, value, i, *heads);
        else
            *heads = (uint32_t)value;
        seen[window] = true;
    }
}

/* The parameters of xIELU, once or for each layer; their keys are without the architecture. */
static void read_xielu(source *from, uint32_t layers, bipe_configuration *made)
{
    if (from->status == BIPE_OK && layers > BIPE_KIND_LAYERS)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "%" PRIu32 " layers that differ, expected at most %d", layers,
                    (int)BIPE_KIND_LAYERS);
    for (size_t i = 0; i < NN_XIELU_PARAMETERS && from->status == BIPE_OK; i++) {
        size_t count = 0;
        double value = 0;
        snprintf(from->key, sizeof from->key, "xielu.%s", bipe_xielu_names[i]);
        bool each = bipe_gguf_get_array(from->gguf, from->key, BIPE_GGUF_F32, &count, NULL) == BIPE_OK;
        if (each && count < layers)
            fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu elements, expected one for each of %" PRIu32 " layers",
                        from->key, count, layers);
        else if (!each)
            found_key(from, true, bipe_gguf_get_number(from->gguf, from->key, &value, from->err));
        for (size_t layer = 0; layer < layers && from->status == BIPE_OK; layer++) {
            value = each ? bipe_gguf_array_number(from->gguf, from->key, layer) : value;
            made->xielu[layer][i] = (float)value;
        }
    }
}

static void read_decoder(source *from, bipe_hyperparameters *hyper, bipe_decoder *decoder)
{
    const bipe_family *family = from->family;
    for (size_t i = 0; i < bipe_decoder_field_count; i++)
        read_field(from, &bipe_decoder_fields[i], decoder);
    if (family == NULL) {
        char lacks[128];
        read_text(from, "lacks", lacks, sizeof lacks);
        decoder->roles &= ~bipe_decoder_roles_named(lacks);
    } else {
        bool rotates = true;
        if (from->status == BIPE_OK && reads_key(from, "rope.scaling.finetuned"))
            found_key(from, false,
                      bipe_gguf_get_bool(from->gguf, key_of(from, "rope.scaling.finetuned"), &rotates, from->err));
        if (!rotates) /* Granite says so */
            bipe_decoder_set_bare(decoder, hyper->layers, 1, false);
        bipe_family_complete(family, hyper, decoder);
        if (hyper->layers == family->wide_scale_layers && decoder->attention_scale == 0)
            decoder->attention_scale = 1 / sqrt((double)hyper->hidden / hyper->heads);
    }
    bipe_decoder_add_experts(decoder);
    if (decoder->temperature != 0 && decoder->temperature_length == 0) {
        decoder->temperature_length = hyper->train_length;
        read_count(from, "rope.scaling.original_context_length", false, &decoder->temperature_length);
    }
    if (from->status == BIPE_OK)
        read_layer_kinds(from, hyper, decoder);
    if (family != NULL && family->own_window_heads)
        read_window_heads(from, hyper, decoder);
}

int bipe_gguf_configuration(const bipe_gguf *gguf, bipe_configuration *made, bipe_error *err)
{
    bipe_hyperparameters *hyper = &made->hyper;
    *made = (bipe_configuration){.decoder = bipe_decoder_plain};
    hyper->decoder = &made->decoder;
    source from = {.gguf = gguf, .err = err};
    find_architecture(&from, hyper);
    if (from.status != BIPE_OK)
        return from.status;
    made->family = from.family;
    if (from.family != NULL)
        made->decoder = from.family->decoder;
    check_keys(&from);
    read_sizes(&from, hyper, &made->decoder);
    read_decoder(&from, hyper, &made->decoder);
    read_number(&from, made->decoder.layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon",
                true, &hyper->rms_norm_eps);
    read_rope(&from, hyper);
    read_scheme(&from, hyper);
    if (made->decoder.activation == NN_XIELU && from.family != NULL)
        read_xielu(&from, hyper->layers, made);
    if (from.status != BIPE_OK)
        return from.status;
    int status = bipe_hyperparameters_check(hyper, err);
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "%s", bipe_gguf_path(gguf));
}
