/* hf_config.c - hyperparameters from a Hugging Face folder's config.json, of the published kind (spec.md, section 9) or of
 * any llama or Qwen 2 or 3. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "model/weights.h"

enum { PUBLISHED_VOCABULARY = 32000 };

/* rpe_type and the scheme that it names. */
static const struct {
    const char *name, *scheme;
} rpe_types[] = {
    {"rope", "rope"}, {"alibi", "alibi"}, {"bipe_rope", "bipe-rope"}, {"bipe_alibi", "bipe-alibi"}, {"xpos", "xpos"},
    {"sinusoidal", "sinusoidal"}, {"randomized_rope", "randomized-rope"}, {"nope", "none"}, {"t5", "t5"},
};

const char *bipe_config_rpe_type(const char *scheme)
{
    for (size_t i = 0; i < sizeof rpe_types / sizeof rpe_types[0]; i++)
        if (strcmp(rpe_types[i].scheme, scheme) == 0)
            return rpe_types[i].name;
    return NULL;
}

static int wrong_kind(const char *key, const char *expected, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "key \"%s\" is of another kind, expected %s", key, expected);
}

/* The value of a key; null counts as none. */
static const json_t *find(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

/* Leaves *value alone when the key is not there and not required. */
static int read_count(const json_t *object, const char *key, bool required, uint32_t *value, bipe_error *err)
{
    const json_t *found = find(object, key);
    if (found == NULL)
        return required ? bipe_fail(err, BIPE_ERR_FORMAT, "key \"%s\" is missing", key) : BIPE_OK;
    if (!json_is_integer(found))
        return wrong_kind(key, "an integer", err);
    json_int_t number = json_integer_value(found);
    if (number < 1 || number > INT32_MAX)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"%s\" is %lld, expected 1 to %d", key, (long long)number, INT32_MAX);
    *value = (uint32_t)number;
    return BIPE_OK;
}

/* Kept to f32, which is what native files hold: a model converted has the very same numbers. */
static int read_number(const json_t *object, const char *key, double *value, bipe_error *err)
{
    const json_t *found = find(object, key);
    if (found == NULL)
        return BIPE_OK;
    if (!json_is_number(found))
        return wrong_kind(key, "a number", err);
    double number = json_number_value(found);
    if (!(fabs(number) < 3e38))
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"%s\" is %g, expected a number of single precision", key, number);
    *value = (double)(float)number;
    return BIPE_OK;
}

static int read_flag(const json_t *object, const char *key, bool *value, bipe_error *err)
{
    const json_t *found = find(object, key);
    if (found == NULL)
        return BIPE_OK;
    if (!json_is_boolean(found))
        return wrong_kind(key, "true or false", err);
    *value = json_is_true(found);
    return BIPE_OK;
}

/* *value NULL when the key is not there. A NUL inside is refused by the JSON reader. */
static int read_text(const json_t *object, const char *key, const char **value, bipe_error *err)
{
    const json_t *found = find(object, key);
    *value = NULL;
    if (found == NULL)
        return BIPE_OK;
    if (!json_is_string(found))
        return wrong_kind(key, "a string", err);
    *value = json_string_value(found);
    return BIPE_OK;
}

static int unsupported(const char *key, const char *value, const char *expected, bipe_error *err)
{
    char quoted[BIPE_SHOWN_SIZE];
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"%s\" is '%s', expected %s", key,
                     bipe_model_shown(quoted, value, strlen(value)), expected);
}

/* Keys of yarn that other programs let vary: only the values that the paper has are done here. */
static int check_yarn(const json_t *scaling, bipe_error *err)
{
    static const struct {
        const char *key;
        double value;
    } fixed[] = {{"beta_fast", 32}, {"beta_slow", 1}, {"extrapolation_factor", 1}, {"attn_factor", 1}, {"mscale", 1}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        double value = fixed[i].value;
        int status = read_number(scaling, fixed[i].key, &value, err);
        if (status != BIPE_OK)
            return status;
        if (value != fixed[i].value)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"rope_scaling\": %s is %g, expected %g", fixed[i].key, value,
                             fixed[i].value);
    }
    static const char *const unknown[] = {"attention_factor", "mscale_all_dim"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        if (find(scaling, unknown[i]) != NULL)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"rope_scaling\": %s is not supported", unknown[i]);
    return BIPE_OK;
}

static int read_scaling(const json_t *scaling, bipe_rope_scaling *made, bipe_error *err)
{
    const char *type;
    int status = read_text(scaling, "rope_type", &type, err);
    if (status == BIPE_OK && type == NULL)
        status = read_text(scaling, "type", &type, err);
    if (status != BIPE_OK)
        return status;
    if (type == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"rope_scaling\": \"type\" is missing");
    if (strcmp(type, "default") == 0 || strcmp(type, "none") == 0)
        return BIPE_OK;
    if (strcmp(type, "linear") == 0)
        made->kind = BIPE_SCALING_LINEAR;
    else if (strcmp(type, "dynamic") == 0)
        made->kind = BIPE_SCALING_DYNAMIC;
    else if (strcmp(type, "yarn") == 0)
        made->kind = BIPE_SCALING_YARN;
    else if (strcmp(type, "llama3") == 0)
        made->kind = BIPE_SCALING_LLAMA3;
    else
        return unsupported("rope_scaling.type", type, "linear, dynamic, yarn or llama3", err);
    made->factor = 0;
    status = read_number(scaling, "factor", &made->factor, err);
    if (status != BIPE_OK)
        return status;
    if (!(made->factor > 0))
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"rope_scaling\": \"factor\" is %g, expected a number above 0",
                         made->factor);
    bool llama3 = made->kind == BIPE_SCALING_LLAMA3;
    if (made->kind != BIPE_SCALING_YARN && !llama3)
        return BIPE_OK;
    uint32_t original = 0;
    status = read_count(scaling, "original_max_position_embeddings", llama3, &original, err);
    made->original = original;
    if (status == BIPE_OK && llama3)
        status = read_number(scaling, "low_freq_factor", &made->low, err);
    if (status == BIPE_OK && llama3)
        return read_number(scaling, "high_freq_factor", &made->high, err);
    return status == BIPE_OK ? check_yarn(scaling, err) : status;
}

/* rope_theta and rope_scaling, or both in rope_parameters as newer writers have it. */
static int read_rope(const json_t *root, bipe_hyperparameters *hyper, bipe_error *err)
{
    hyper->rope_base = 10000;
    hyper->rope_scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    int status = read_number(root, "rope_theta", &hyper->rope_base, err);
    static const char *const keys[] = {"rope_scaling", "rope_parameters"};
    for (size_t i = 0; i < 2 && status == BIPE_OK; i++) {
        const json_t *scaling = find(root, keys[i]);
        if (scaling == NULL)
            continue;
        if (!json_is_object(scaling))
            return wrong_kind(keys[i], "an object or null", err);
        status = read_number(scaling, "rope_theta", &hyper->rope_base, err);
        if (status == BIPE_OK)
            status = read_scaling(scaling, &hyper->rope_scaling, err);
    }
    return status;
}

/* The family: what its config.json leaves unsaid, and what is not done here. */
static int read_kind(const json_t *root, bipe_hyperparameters *hyper, bipe_error *err)
{
    const char *type, *activation;
    int status = read_text(root, "model_type", &type, err);
    if (status == BIPE_OK)
        status = read_text(root, "hidden_act", &activation, err);
    if (status != BIPE_OK)
        return status;
    if (type == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"model_type\" is missing");
    hyper->attention_biases = strcmp(type, "qwen2") == 0;
    hyper->head_norms = strcmp(type, "qwen3") == 0;
    if (strcmp(type, "llama") != 0 && !hyper->attention_biases && !hyper->head_norms)
        return unsupported("model_type", type, "llama, qwen2 or qwen3, the architectures that are read", err);
    if (hyper->head_norms)
        hyper->head_size = 128;
    if (activation != NULL && strcmp(activation, "silu") != 0 && strcmp(activation, "swish") != 0)
        return unsupported("hidden_act", activation, "silu", err);
    static const char *const flags[] = {"attention_bias", "mlp_bias", "use_sliding_window"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        bool set = false;
        status = read_flag(root, flags[i], &set, err);
        if (status != BIPE_OK)
            return status;
        if (set)
            return unsupported(flags[i], "true", "false", err);
    }
    if (find(root, "quantization_config") != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"quantization_config\": quantized folders are not supported");
    return BIPE_OK;
}

static int read_sizes(const json_t *root, bipe_hyperparameters *hyper, bipe_error *err)
{
    const struct {
        const char *key;
        uint32_t *value;
    } required[] = {
        {"vocab_size", &hyper->vocabulary}, {"hidden_size", &hyper->hidden}, {"num_hidden_layers", &hyper->layers},
        {"num_attention_heads", &hyper->heads}, {"intermediate_size", &hyper->feed_forward},
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        int status = read_count(root, required[i].key, true, required[i].value, err);
        if (status != BIPE_OK)
            return status;
    }
    hyper->kv_heads = hyper->heads;
    int status = read_count(root, "num_key_value_heads", false, &hyper->kv_heads, err);
    if (status == BIPE_OK)
        status = read_count(root, "head_dim", false, &hyper->head_size, err);
    if (status != BIPE_OK)
        return status;
    if (hyper->head_size == 0) {
        if (hyper->hidden % hyper->heads != 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "key \"num_attention_heads\": %" PRIu32 " heads do not divide hidden_size %"
                             PRIu32, hyper->heads, hyper->hidden);
        hyper->head_size = hyper->hidden / hyper->heads;
    }
    return BIPE_OK;
}

static int read_scheme(const json_t *root, bipe_hyperparameters *hyper, bool *published, bipe_error *err)
{
    const char *type, *scheme;
    int status = read_text(root, "rpe_type", &type, err);
    if (status == BIPE_OK)
        status = read_text(root, "position_scheme", &scheme, err);
    if (status != BIPE_OK)
        return status;
    *published = type != NULL;
    if (scheme != NULL) {
        status = bipe_scheme_parse(&hyper->scheme, scheme, err);
        return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "key \"position_scheme\"");
    }
    for (size_t i = 0; i < sizeof rpe_types / sizeof rpe_types[0]; i++)
        if (strcmp(type != NULL ? type : "rope", rpe_types[i].name) == 0)
            return bipe_scheme_parse(&hyper->scheme, rpe_types[i].scheme, err);
    return unsupported("rpe_type", type, "rope, alibi, bipe_rope, bipe_alibi, xpos, sinusoidal, randomized_rope, nope or t5",
                       err);
}

static int read_segmenter(const json_t *root, bool published, bipe_hyperparameters *hyper, bipe_error *err)
{
    const char *spec;
    int status = read_text(root, "segmenter", &spec, err);
    if (status != BIPE_OK)
        return status;
    if (spec == NULL)
        spec = published && hyper->vocabulary == PUBLISHED_VOCABULARY ? "tokens:869,13" : "stop";
    if (spec[0] == '\0' || strlen(spec) >= sizeof hyper->segmenter)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key \"segmenter\" has %zu bytes, expected 1 to %zu", strlen(spec),
                         sizeof hyper->segmenter - 1);
    memcpy(hyper->segmenter, spec, strlen(spec) + 1);
    return BIPE_OK;
}

static int read_all(const json_t *root, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    if (!json_is_object(root))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an object");
    bool published = false;
    *hyper = (bipe_hyperparameters){.rms_norm_eps = (double)1e-6f};
    *table_rows = 0;
    int status = read_kind(root, hyper, err);
    if (status == BIPE_OK)
        status = read_sizes(root, hyper, err);
    if (status == BIPE_OK)
        status = read_number(root, "rms_norm_eps", &hyper->rms_norm_eps, err);
    if (status == BIPE_OK)
        status = read_rope(root, hyper, err);
    if (status == BIPE_OK)
        status = read_scheme(root, hyper, &published, err);
    if (status == BIPE_OK)
        status = read_flag(root, "tie_word_embeddings", &hyper->tied, err);
    if (status == BIPE_OK)
        status = read_flag(root, "log_scale", &hyper->log_scale, err);
    if (status == BIPE_OK)
        status = read_count(root, "train_scale", false, table_rows, err);
    hyper->train_length = *table_rows;
    if (status == BIPE_OK && hyper->train_length == 0)
        status = read_count(root, "max_position_embeddings", true, &hyper->train_length, err);
    if (status == BIPE_OK)
        status = read_segmenter(root, published, hyper, err);
    return status == BIPE_OK ? bipe_hyperparameters_check(hyper, err) : status;
}

int bipe_config_parse(const char *text, size_t size, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (root == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
    int status = read_all(root, hyper, table_rows, err);
    json_decref(root);
    return status;
}

static int read_file(FILE *file, char *text, size_t *size, bipe_error *err)
{
    errno = 0;
    *size = fread(text, 1, BIPE_CONFIG_LIMIT + 1, file);
    if (ferror(file) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s", strerror(errno != 0 ? errno : EIO));
    if (*size > BIPE_CONFIG_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d bytes", (int)BIPE_CONFIG_LIMIT);
    return BIPE_OK;
}

int bipe_config_read(const char *folder, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    static const char name[] = "/config.json";
    size_t length = strlen(folder);
    char *path = bipe_alloc(length + sizeof name, 1);
    char *text = bipe_alloc(BIPE_CONFIG_LIMIT + 1, 1);
    FILE *file = NULL;
    int status = BIPE_OK;
    if (path == NULL || text == NULL) {
        status = bipe_fail_memory(err);
    } else {
        memcpy(path, folder, length);
        memcpy(path + length, name, sizeof name);
        file = fopen(path, "rbe");
        size_t size = 0;
        status = file != NULL ? read_file(file, text, &size, err) : bipe_fail(err, BIPE_ERR_IO, "%s", strerror(errno));
        if (status == BIPE_OK)
            status = bipe_config_parse(text, size, hyper, table_rows, err);
        if (status != BIPE_OK)
            status = bipe_error_prefix(err, "%s", path);
    }
    if (file != NULL)
        fclose(file);
    bipe_free(path);
    bipe_free(text);
    return status;
}
