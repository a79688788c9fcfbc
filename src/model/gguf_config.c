/* gguf_config.c - hyperparameters from the keys of a GGUF file: of architecture `llama`, `qwen2` or `qwen3` (other programs' files) or `bipe`
 * (native; spec.md, section 5). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/weights.h"

/* Keys stand under the architecture's name. */
typedef struct source {
    const bipe_gguf *gguf;
    const char *architecture;
    char key[96];
} source;

static int fail(const source *from, bipe_error *err, bipe_status status, const char *format, ...) BIPE_PRINTF(4, 5);

/* The functions of gguf.h put the path into their errors; those of this file have it from here. */
static int fail(const source *from, bipe_error *err, bipe_status status, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return bipe_fail(err, status, "%s: %s", bipe_gguf_path(from->gguf), text);
}

static const char *key_of(source *from, const char *name)
{
    snprintf(from->key, sizeof from->key, "%s.%s", from->architecture, name);
    return from->key;
}

static int read_count(source *from, const char *name, bool required, uint32_t *value, bipe_error *err)
{
    uint64_t number = 0;
    int status = bipe_gguf_get_uint(from->gguf, key_of(from, name), &number, err);
    if (status == BIPE_END)
        return required ? fail(from, err, BIPE_ERR_FORMAT, "key '%s' is missing", from->key) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    if (number < 1 || number > INT32_MAX)
        return fail(from, err, BIPE_ERR_FORMAT, "key '%s' is %" PRIu64 ", expected 1 to %d", from->key, number, INT32_MAX);
    *value = (uint32_t)number;
    return BIPE_OK;
}

static int read_number(source *from, const char *name, bool required, double *value, bipe_error *err)
{
    double number = 0;
    int status = bipe_gguf_get_number(from->gguf, key_of(from, name), &number, err);
    if (status == BIPE_END)
        return required ? fail(from, err, BIPE_ERR_FORMAT, "key '%s' is missing", from->key) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    if (!(fabs(number) < 3e38))
        return fail(from, err, BIPE_ERR_FORMAT, "key '%s' is %g, expected a number of single precision", from->key, number);
    *value = (double)(float)number;
    return BIPE_OK;
}

/* Copies a string key into text (size bytes with the NUL); empty when there is none. */
static int read_text(source *from, const char *name, char *text, size_t size, bipe_error *err)
{
    bipe_gguf_string found;
    int status = bipe_gguf_get_string(from->gguf, key_of(from, name), &found, err);
    text[0] = '\0';
    if (status == BIPE_END)
        return BIPE_OK;
    if (status != BIPE_OK)
        return status;
    if (found.size >= size || memchr(found.text, '\0', found.size) != NULL)
        return fail(from, err, BIPE_ERR_FORMAT, "key '%s' has %zu bytes, expected at most %zu without NUL", from->key,
                         found.size, size - 1);
    memcpy(text, found.text, found.size);
    text[found.size] = '\0';
    return BIPE_OK;
}

static int read_sizes(source *from, bipe_hyperparameters *hyper, bipe_error *err)
{
    const struct {
        const char *name;
        uint32_t *value;
    } required[] = {
        {"context_length", &hyper->train_length}, {"embedding_length", &hyper->hidden}, {"block_count", &hyper->layers},
        {"feed_forward_length", &hyper->feed_forward}, {"attention.head_count", &hyper->heads},
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        int status = read_count(from, required[i].name, true, required[i].value, err);
        if (status != BIPE_OK)
            return status;
    }
    hyper->kv_heads = hyper->heads;
    uint32_t value_size = 0, rotated = 0, experts = 0;
    int status = read_count(from, "attention.head_count_kv", false, &hyper->kv_heads, err);
    if (status == BIPE_OK)
        status = read_count(from, "attention.key_length", false, &hyper->head_size, err);
    if (status == BIPE_OK)
        status = read_count(from, "attention.value_length", false, &value_size, err);
    if (status == BIPE_OK)
        status = read_count(from, "rope.dimension_count", false, &rotated, err);
    if (status != BIPE_OK)
        return status;
    uint64_t number = 0;
    status = bipe_gguf_get_uint(from->gguf, key_of(from, "expert_count"), &number, err);
    experts = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    if (status != BIPE_OK && status != BIPE_END)
        return status;
    if (experts > 0)
        return fail(from, err, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected 0: mixtures are not supported",
                         from->key, experts);
    if (hyper->head_size == 0) {
        if (hyper->hidden % hyper->heads != 0)
            return fail(from, err, BIPE_ERR_FORMAT, "key '%s': %" PRIu32 " heads do not divide an embedding length of %" PRIu32,
                             key_of(from, "attention.head_count"), hyper->heads, hyper->hidden);
        hyper->head_size = hyper->hidden / hyper->heads;
    }
    if (value_size != 0 && value_size != hyper->head_size)
        return fail(from, err, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected %" PRIu32 " as for keys",
                         key_of(from, "attention.value_length"), value_size, hyper->head_size);
    if (rotated != 0 && rotated != hyper->head_size)
        return fail(from, err, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected the head size, %" PRIu32,
                         key_of(from, "rope.dimension_count"), rotated, hyper->head_size);
    return BIPE_OK;
}

/* A factor of another program's files that must be what the paper of yarn has. */
static int check_fixed(source *from, const char *name, double expected, bipe_error *err)
{
    double value = expected;
    int status = read_number(from, name, false, &value, err);
    if (status == BIPE_OK && value != expected)
        status = fail(from, err, BIPE_ERR_UNSUPPORTED, "key '%s' is %g, expected %g", from->key, value, expected);
    return status;
}

static int read_rope(source *from, bipe_hyperparameters *hyper, bipe_error *err)
{
    bipe_rope_scaling *scaling = &hyper->rope_scaling;
    *scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    hyper->rope_base = 10000;
    char kind[32];
    double old_linear = 1; /* the key that linear scaling had before rope.scaling.* */
    int status = read_number(from, "rope.freq_base", false, &hyper->rope_base, err);
    if (status == BIPE_OK)
        status = read_number(from, "rope.scale_linear", false, &old_linear, err);
    if (status == BIPE_OK)
        status = read_text(from, "rope.scaling.type", kind, sizeof kind, err);
    if (status != BIPE_OK)
        return status;
    if (kind[0] == '\0' && old_linear != 1) {
        scaling->kind = BIPE_SCALING_LINEAR;
        scaling->factor = old_linear;
        return BIPE_OK;
    }
    if (kind[0] == '\0' || strcmp(kind, "none") == 0)
        return BIPE_OK;
    if (strcmp(kind, "linear") == 0)
        scaling->kind = BIPE_SCALING_LINEAR;
    else if (strcmp(kind, "yarn") == 0)
        scaling->kind = BIPE_SCALING_YARN;
    else if (strcmp(kind, "dynamic") == 0 && strcmp(from->architecture, "bipe") == 0)
        scaling->kind = BIPE_SCALING_DYNAMIC;
    else if (strcmp(kind, "llama3") == 0 && strcmp(from->architecture, "bipe") == 0)
        scaling->kind = BIPE_SCALING_LLAMA3;
    else {
        char quoted[BIPE_SHOWN_SIZE];
        return fail(from, err, BIPE_ERR_UNSUPPORTED, "key '%s' is '%s', expected none, linear or yarn", from->key,
                         bipe_model_shown(quoted, kind, strlen(kind)));
    }
    bool llama3 = scaling->kind == BIPE_SCALING_LLAMA3;
    status = read_number(from, "rope.scaling.factor", true, &scaling->factor, err);
    if (status == BIPE_OK && (llama3 || scaling->kind == BIPE_SCALING_YARN)) {
        uint32_t original = 0;
        status = read_count(from, "rope.scaling.original_context_length", llama3, &original, err);
        scaling->original = original;
    }
    if (status == BIPE_OK && llama3)
        status = read_number(from, "rope.scaling.low_freq_factor", true, &scaling->low, err);
    if (status == BIPE_OK && llama3)
        status = read_number(from, "rope.scaling.high_freq_factor", true, &scaling->high, err);
    if (scaling->kind == BIPE_SCALING_YARN) {
        if (status == BIPE_OK)
            status = check_fixed(from, "rope.scaling.attn_factor", 1, err);
        if (status == BIPE_OK)
            status = check_fixed(from, "rope.scaling.yarn_beta_fast", 32, err);
        if (status == BIPE_OK)
            status = check_fixed(from, "rope.scaling.yarn_beta_slow", 1, err);
    }
    return status;
}

static int read_scheme(source *from, bipe_hyperparameters *hyper, bipe_error *err)
{
    if (strcmp(from->architecture, "bipe") != 0) {
        snprintf(hyper->segmenter, sizeof hyper->segmenter, "stop");
        return bipe_scheme_parse(&hyper->scheme, "rope", NULL);
    }
    char scheme[512];
    int status = read_text(from, "position_scheme", scheme, sizeof scheme, err);
    if (status != BIPE_OK)
        return status;
    if (scheme[0] == '\0')
        return fail(from, err, BIPE_ERR_FORMAT, "key 'bipe.position_scheme' is missing");
    if (bipe_scheme_parse(&hyper->scheme, scheme, err) != BIPE_OK)
        return bipe_error_prefix(err, "%s: key 'bipe.position_scheme'", bipe_gguf_path(from->gguf));
    status = read_text(from, "segmenter", hyper->segmenter, sizeof hyper->segmenter, err);
    if (status == BIPE_OK && hyper->segmenter[0] == '\0')
        snprintf(hyper->segmenter, sizeof hyper->segmenter, "stop");
    bool log_scale = false;
    if (status == BIPE_OK)
        status = bipe_gguf_get_bool(from->gguf, "bipe.log_scale", &log_scale, err);
    hyper->log_scale = log_scale;
    return status == BIPE_END ? BIPE_OK : status;
}

int bipe_gguf_hyperparameters(const bipe_gguf *gguf, bipe_hyperparameters *hyper, bipe_error *err)
{
    *hyper = (bipe_hyperparameters){0};
    source from = {.gguf = gguf};
    bipe_gguf_string name;
    if (bipe_gguf_tensors(gguf)->count == 0 && bipe_gguf_get_string(gguf, "tokenizer.ggml.model", &name, NULL) == BIPE_OK)
        return fail(&from, err, BIPE_ERR_FORMAT, "holds a vocabulary but no weights; use it with -t");
    int status = bipe_gguf_get_string(gguf, "general.architecture", &name, err);
    if (status == BIPE_END)
        return fail(&from, err, BIPE_ERR_FORMAT, "key 'general.architecture' is missing");
    if (status != BIPE_OK)
        return status;
    static const struct {
        const char *name, *format;
    } known[] = {{"bipe", "native"}, {"llama", "gguf-llama"}, {"qwen2", "gguf-qwen2"}, {"qwen3", "gguf-qwen3"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (name.size == strlen(known[i].name) && memcmp(name.text, known[i].name, name.size) == 0) {
            from.architecture = known[i].name;
            hyper->format = known[i].format;
        }
    if (from.architecture == NULL) {
        char quoted[BIPE_SHOWN_SIZE];
        return fail(&from, err, BIPE_ERR_UNSUPPORTED, "key 'general.architecture' is '%s', expected bipe, llama, qwen2 or qwen3",
                         bipe_model_shown(quoted, name.text, name.size));
    }
    status = read_sizes(&from, hyper, err);
    if (status == BIPE_OK)
        status = read_number(&from, "attention.layer_norm_rms_epsilon", true, &hyper->rms_norm_eps, err);
    if (status == BIPE_OK)
        status = read_rope(&from, hyper, err);
    if (status == BIPE_OK)
        status = read_scheme(&from, hyper, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_hyperparameters_check(hyper, err);
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "%s", bipe_gguf_path(gguf));
}
