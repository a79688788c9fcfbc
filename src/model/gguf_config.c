/* gguf_config.c - hyperparameters from the keys of a GGUF file: of architecture `llama`, `qwen2` or `qwen3` (other programs' files) or `bipe`
 * (native; spec.md, section 5). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/weights.h"

/* Keys begin with the architecture's name. After the first failure nothing is read any more. */
typedef struct source {
    const bipe_gguf *gguf;
    const char *architecture;
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

static void read_count(source *from, const char *name, bool required, uint32_t *value)
{
    uint64_t number = 0;
    if (from->status != BIPE_OK || !found_key(from, required, bipe_gguf_get_uint(from->gguf, key_of(from, name), &number, from->err)))
        return;
    if (number < 1 || number > INT32_MAX)
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' is %" PRIu64 ", expected 1 to %d", from->key, number, INT32_MAX);
    else
        *value = (uint32_t)number;
}

static void read_number(source *from, const char *name, bool required, double *value)
{
    double number = 0;
    if (from->status != BIPE_OK || !found_key(from, required, bipe_gguf_get_number(from->gguf, key_of(from, name), &number, from->err)))
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
    if (from->status != BIPE_OK || !found_key(from, false, bipe_gguf_get_string(from->gguf, key_of(from, name), &found, from->err)))
        return;
    if (found.size >= size || memchr(found.text, '\0', found.size) != NULL) {
        fail_config(from, BIPE_ERR_FORMAT, "key '%s' has %zu bytes, expected at most %zu without NUL", from->key, found.size, size - 1);
        return;
    }
    memcpy(text, found.text, found.size);
    text[found.size] = '\0';
}

static void read_sizes(source *from, bipe_hyperparameters *hyper)
{
    uint32_t value_size = 0, rotated = 0;
    uint64_t experts = 0;
    read_count(from, "context_length", true, &hyper->train_length);
    read_count(from, "embedding_length", true, &hyper->hidden);
    read_count(from, "block_count", true, &hyper->layers);
    read_count(from, "feed_forward_length", true, &hyper->feed_forward);
    read_count(from, "attention.head_count", true, &hyper->heads);
    hyper->kv_heads = hyper->heads;
    read_count(from, "attention.head_count_kv", false, &hyper->kv_heads);
    read_count(from, "attention.key_length", false, &hyper->head_size);
    read_count(from, "attention.value_length", false, &value_size);
    read_count(from, "rope.dimension_count", false, &rotated);
    if (from->status != BIPE_OK)
        return;
    if (found_key(from, false, bipe_gguf_get_uint(from->gguf, key_of(from, "expert_count"), &experts, from->err)) && experts > 0)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu64 ", expected 0: mixtures are not supported", from->key, experts);
    if (hyper->head_size == 0) {
        hyper->head_size = hyper->hidden / hyper->heads;
        if (hyper->hidden % hyper->heads != 0)
            fail_config(from, BIPE_ERR_FORMAT, "key '%s': %" PRIu32 " heads do not divide an embedding length of %" PRIu32,
                        key_of(from, "attention.head_count"), hyper->heads, hyper->hidden);
    }
    if (value_size != 0 && value_size != hyper->head_size)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected %" PRIu32 " as for keys",
                    key_of(from, "attention.value_length"), value_size, hyper->head_size);
    if (rotated != 0 && rotated != hyper->head_size)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %" PRIu32 ", expected the head size, %" PRIu32,
                    key_of(from, "rope.dimension_count"), rotated, hyper->head_size);
}

/* A factor of another program's files that must be what the paper of yarn has. */
static void check_fixed(source *from, const char *name, double expected)
{
    double value = expected;
    read_number(from, name, false, &value);
    if (value != expected)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key '%s' is %g, expected %g", from->key, value, expected);
}

static void read_rope(source *from, bipe_hyperparameters *hyper)
{
    bipe_rope_scaling *scaling = &hyper->rope_scaling;
    bool native = strcmp(from->architecture, "bipe") == 0;
    char kind[32], quoted[BIPE_SHOWN_SIZE];
    double old_linear = 1; /* the key that linear scaling had before rope.scaling.* */
    uint32_t original = 0;
    *scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    hyper->rope_base = 10000;
    read_number(from, "rope.freq_base", false, &hyper->rope_base);
    read_number(from, "rope.scale_linear", false, &old_linear);
    read_text(from, "rope.scaling.type", kind, sizeof kind);
    if (kind[0] == '\0' && old_linear != 1) {
        scaling->kind = BIPE_SCALING_LINEAR;
        scaling->factor = old_linear;
        return;
    }
    if (kind[0] == '\0' || strcmp(kind, "none") == 0)
        return;
    if (strcmp(kind, "linear") == 0)
        scaling->kind = BIPE_SCALING_LINEAR;
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
    read_number(from, "rope.scaling.factor", true, &scaling->factor);
    if (llama3 || yarn)
        read_count(from, "rope.scaling.original_context_length", llama3, &original);
    scaling->original = original;
    if (llama3) {
        read_number(from, "rope.scaling.low_freq_factor", true, &scaling->low);
        read_number(from, "rope.scaling.high_freq_factor", true, &scaling->high);
    }
    if (yarn) {
        check_fixed(from, "rope.scaling.attn_factor", 1);
        check_fixed(from, "rope.scaling.yarn_beta_fast", 32);
        check_fixed(from, "rope.scaling.yarn_beta_slow", 1);
    }
}

static void read_scheme(source *from, bipe_hyperparameters *hyper)
{
    bool native = strcmp(from->architecture, "bipe") == 0;
    char scheme[512] = "rope";
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
    static const struct {
        const char *name, *format;
    } known[] = {{"bipe", "native"}, {"llama", "gguf-llama"}, {"qwen2", "gguf-qwen2"}, {"qwen3", "gguf-qwen3"}};
    bipe_gguf_string name;
    char quoted[BIPE_SHOWN_SIZE];
    if (bipe_gguf_tensors(from->gguf)->count == 0 && bipe_gguf_get_string(from->gguf, "tokenizer.ggml.model", &name, NULL) == BIPE_OK)
        fail_config(from, BIPE_ERR_FORMAT, "holds a vocabulary but no weights; use it with -t");
    snprintf(from->key, sizeof from->key, "general.architecture");
    if (from->status != BIPE_OK || !found_key(from, true, bipe_gguf_get_string(from->gguf, from->key, &name, from->err)))
        return;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (name.size == strlen(known[i].name) && memcmp(name.text, known[i].name, name.size) == 0) {
            from->architecture = known[i].name;
            hyper->format = known[i].format;
        }
    if (from->architecture == NULL)
        fail_config(from, BIPE_ERR_UNSUPPORTED, "key 'general.architecture' is '%s', expected bipe, llama, qwen2 or qwen3",
                    bipe_model_shown(quoted, name.text, name.size));
}

int bipe_gguf_hyperparameters(const bipe_gguf *gguf, bipe_hyperparameters *hyper, bipe_error *err)
{
    *hyper = (bipe_hyperparameters){0};
    source from = {.gguf = gguf, .err = err};
    find_architecture(&from, hyper);
    if (from.status != BIPE_OK)
        return from.status;
    read_sizes(&from, hyper);
    read_number(&from, "attention.layer_norm_rms_epsilon", true, &hyper->rms_norm_eps);
    read_rope(&from, hyper);
    read_scheme(&from, hyper);
    if (from.status != BIPE_OK)
        return from.status;
    int status = bipe_hyperparameters_check(hyper, err);
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "%s", bipe_gguf_path(gguf));
}
