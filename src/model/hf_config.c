/* hf_config.c - hyperparameters from a Hugging Face folder's config.json, of the published kind (spec.md, section 9) or of
 * any llama or Qwen 2 or 3. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/buffer.h"
#include "base/input.h"
#include "base/path.h"
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

/* What is read from; after the first failure nothing is read any more. */
typedef struct source {
    int status;
    bipe_error *err;
} source;

static void wrong_kind(source *from, const char *key, const char *expected)
{
    from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is of another kind, expected %s", key, expected);
}

/* The value of a key; null counts as none, and so does everything after a failure. */
static const json_t *find_member(const source *from, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return from->status != BIPE_OK || json_is_null(value) ? NULL : value;
}

/* Leaves *value alone when the key is not there. */
static void read_count(source *from, const json_t *object, const char *key, uint32_t *value)
{
    const json_t *found = find_member(from, object, key);
    if (found == NULL)
        return;
    json_int_t number = json_integer_value(found);
    if (!json_is_integer(found))
        wrong_kind(from, key, "an integer");
    else if (number < 1 || number > INT32_MAX)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %lld, expected 1 to %d", key, (long long)number, INT32_MAX);
    else
        *value = (uint32_t)number;
}

static void require_count(source *from, const json_t *object, const char *key, uint32_t *value)
{
    if (from->status == BIPE_OK && find_member(from, object, key) == NULL)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is missing", key);
    read_count(from, object, key, value);
}

/* Kept to f32, which is what native files hold: a model converted has the very same numbers. */
static void read_number(source *from, const json_t *object, const char *key, double *value)
{
    const json_t *found = find_member(from, object, key);
    if (found == NULL)
        return;
    double number = json_number_value(found);
    if (!json_is_number(found))
        wrong_kind(from, key, "a number");
    else if (!(fabs(number) < 3e38))
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %g, expected a number of single precision", key, number);
    else
        *value = (double)(float)number;
}

static void read_flag(source *from, const json_t *object, const char *key, bool *value)
{
    const json_t *found = find_member(from, object, key);
    if (found != NULL && !json_is_boolean(found))
        wrong_kind(from, key, "true or false");
    else if (found != NULL)
        *value = json_is_true(found);
}

/* NULL when the key is not there. A NUL inside is refused by the JSON reader. */
static const char *read_text(source *from, const json_t *object, const char *key)
{
    const json_t *found = find_member(from, object, key);
    if (found != NULL && !json_is_string(found))
        wrong_kind(from, key, "a string");
    return json_string_value(found);
}

static void fail_unsupported(source *from, const char *key, const char *value, const char *expected)
{
    char quoted[BIPE_SHOWN_SIZE];
    from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "key \"%s\" is '%s', expected %s", key,
                             bipe_model_shown(quoted, value, strlen(value)), expected);
}

/* Keys of yarn that other programs let vary: only the values that the paper has are done here. */
static void check_yarn(source *from, const json_t *scaling)
{
    static const struct {
        const char *key;
        double value;
    } fixed[] = {{"beta_fast", 32}, {"beta_slow", 1}, {"extrapolation_factor", 1}, {"attn_factor", 1}, {"mscale", 1}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        double value = fixed[i].value;
        read_number(from, scaling, fixed[i].key, &value);
        if (value != fixed[i].value)
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "key \"rope_scaling\": %s is %g, expected %g", fixed[i].key, value,
                                     fixed[i].value);
    }
    static const char *const unknown[] = {"attention_factor", "mscale_all_dim"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        if (find_member(from, scaling, unknown[i]) != NULL)
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "key \"rope_scaling\": %s is not supported", unknown[i]);
}

static void read_scaling(source *from, const json_t *scaling, bipe_rope_scaling *made)
{
    const char *type = read_text(from, scaling, "rope_type");
    if (type == NULL)
        type = read_text(from, scaling, "type");
    if (from->status != BIPE_OK)
        return;
    if (type == NULL) {
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"rope_scaling\": \"type\" is missing");
        return;
    }
    if (strcmp(type, "default") == 0 || strcmp(type, "none") == 0)
        return;
    if (strcmp(type, "linear") == 0)
        made->kind = BIPE_SCALING_LINEAR;
    else if (strcmp(type, "dynamic") == 0)
        made->kind = BIPE_SCALING_DYNAMIC;
    else if (strcmp(type, "yarn") == 0)
        made->kind = BIPE_SCALING_YARN;
    else if (strcmp(type, "llama3") == 0)
        made->kind = BIPE_SCALING_LLAMA3;
    else
        fail_unsupported(from, "rope_scaling.type", type, "linear, dynamic, yarn or llama3");
    made->factor = 0;
    read_number(from, scaling, "factor", &made->factor);
    if (from->status == BIPE_OK && !(made->factor > 0))
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"rope_scaling\": \"factor\" is %g, expected a number above 0", made->factor);
    uint32_t original = 0;
    if (made->kind == BIPE_SCALING_LLAMA3) {
        require_count(from, scaling, "original_max_position_embeddings", &original);
        read_number(from, scaling, "low_freq_factor", &made->low);
        read_number(from, scaling, "high_freq_factor", &made->high);
    } else if (made->kind == BIPE_SCALING_YARN) {
        read_count(from, scaling, "original_max_position_embeddings", &original);
        check_yarn(from, scaling);
    }
    made->original = original;
}

/* rope_theta and rope_scaling, or both in rope_parameters as newer writers have it. */
static void read_rope(source *from, const json_t *root, bipe_hyperparameters *hyper)
{
    hyper->rope_base = 10000;
    hyper->rope_scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    read_number(from, root, "rope_theta", &hyper->rope_base);
    static const char *const keys[] = {"rope_scaling", "rope_parameters"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *scaling = find_member(from, root, keys[i]);
        if (scaling != NULL && !json_is_object(scaling))
            wrong_kind(from, keys[i], "an object or null");
        if (scaling == NULL || from->status != BIPE_OK)
            continue;
        read_number(from, scaling, "rope_theta", &hyper->rope_base);
        read_scaling(from, scaling, &hyper->rope_scaling);
    }
}

/* The family: what its config.json leaves unsaid, and what is not done here. */
static void read_kind(source *from, const json_t *root, bipe_hyperparameters *hyper)
{
    const char *type = read_text(from, root, "model_type"), *activation = read_text(from, root, "hidden_act");
    if (from->status == BIPE_OK && type == NULL)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"model_type\" is missing");
    if (from->status != BIPE_OK)
        return;
    hyper->attention_biases = strcmp(type, "qwen2") == 0;
    hyper->head_norms = strcmp(type, "qwen3") == 0;
    if (strcmp(type, "llama") != 0 && !hyper->attention_biases && !hyper->head_norms)
        fail_unsupported(from, "model_type", type, "llama, qwen2 or qwen3, the architectures that are read");
    else if (activation != NULL && strcmp(activation, "silu") != 0 && strcmp(activation, "swish") != 0)
        fail_unsupported(from, "hidden_act", activation, "silu");
    if (hyper->head_norms)
        hyper->head_size = 128;
    static const char *const flags[] = {"attention_bias", "mlp_bias", "use_sliding_window"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        bool set = false;
        read_flag(from, root, flags[i], &set);
        if (set)
            fail_unsupported(from, flags[i], "true", "false");
    }
    if (find_member(from, root, "quantization_config") != NULL)
        from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "key \"quantization_config\": quantized folders are not supported");
}

static void read_sizes(source *from, const json_t *root, bipe_hyperparameters *hyper)
{
    require_count(from, root, "vocab_size", &hyper->vocabulary);
    require_count(from, root, "hidden_size", &hyper->hidden);
    require_count(from, root, "num_hidden_layers", &hyper->layers);
    require_count(from, root, "num_attention_heads", &hyper->heads);
    require_count(from, root, "intermediate_size", &hyper->feed_forward);
    hyper->kv_heads = hyper->heads;
    read_count(from, root, "num_key_value_heads", &hyper->kv_heads);
    read_count(from, root, "head_dim", &hyper->head_size);
    if (from->status != BIPE_OK || hyper->head_size != 0)
        return;
    hyper->head_size = hyper->hidden / hyper->heads;
    if (hyper->hidden % hyper->heads != 0)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"num_attention_heads\": %" PRIu32 " heads do not divide hidden_size %" PRIu32,
                                 hyper->heads, hyper->hidden);
}

static void read_scheme(source *from, const json_t *root, bipe_hyperparameters *hyper, bool *published)
{
    const char *type = read_text(from, root, "rpe_type"), *scheme = read_text(from, root, "position_scheme");
    *published = type != NULL;
    for (size_t i = 0; i < sizeof rpe_types / sizeof rpe_types[0] && scheme == NULL; i++)
        if (strcmp(type != NULL ? type : "rope", rpe_types[i].name) == 0)
            scheme = rpe_types[i].scheme;
    if (from->status != BIPE_OK)
        return;
    if (scheme == NULL) {
        fail_unsupported(from, "rpe_type", type, "rope, alibi, bipe_rope, bipe_alibi, xpos, sinusoidal, randomized_rope, nope or t5");
        return;
    }
    from->status = bipe_scheme_parse(&hyper->scheme, scheme, from->err);
    if (from->status != BIPE_OK)
        bipe_error_prefix(from->err, "key \"position_scheme\"");
}

static void read_segmenter(source *from, const json_t *root, bool published, bipe_hyperparameters *hyper)
{
    const char *spec = read_text(from, root, "segmenter");
    if (spec == NULL)
        spec = published && hyper->vocabulary == PUBLISHED_VOCABULARY ? "tokens:869,13" : "stop";
    if (from->status != BIPE_OK)
        return;
    if (spec[0] == '\0' || strlen(spec) >= sizeof hyper->segmenter)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"segmenter\" has %zu bytes, expected 1 to %zu", strlen(spec),
                                 sizeof hyper->segmenter - 1);
    else
        memcpy(hyper->segmenter, spec, strlen(spec) + 1);
}

static int read_config(const json_t *root, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    if (!json_is_object(root))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an object");
    source from = {.err = err};
    bool published = false;
    *hyper = (bipe_hyperparameters){.rms_norm_eps = (double)1e-6f};
    *table_rows = 0;
    read_kind(&from, root, hyper);
    read_sizes(&from, root, hyper);
    read_number(&from, root, "rms_norm_eps", &hyper->rms_norm_eps);
    read_rope(&from, root, hyper);
    read_scheme(&from, root, hyper, &published);
    read_flag(&from, root, "tie_word_embeddings", &hyper->tied);
    read_flag(&from, root, "log_scale", &hyper->log_scale);
    read_count(&from, root, "train_scale", table_rows);
    hyper->train_length = *table_rows;
    if (hyper->train_length == 0)
        require_count(&from, root, "max_position_embeddings", &hyper->train_length);
    read_segmenter(&from, root, published, hyper);
    return from.status == BIPE_OK ? bipe_hyperparameters_check(hyper, err) : from.status;
}

int bipe_config_parse(const char *text, size_t size, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (root == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
    int status = read_config(root, hyper, table_rows, err);
    json_decref(root);
    return status;
}

int bipe_config_read(const char *folder, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err)
{
    bipe_buffer text = {0};
    bipe_input *input = NULL;
    struct stat info;
    char *path = bipe_path_new(folder, "config.json");
    if (path == NULL)
        return bipe_fail_memory(err);
    bool absent = stat(path, &info) == 0 ? S_ISDIR(info.st_mode) : errno == ENOENT;
    int status = absent ? bipe_fail(err, BIPE_ERR_IO, "%s: not a model folder: it has no file config.json", folder)
                        : bipe_input_open(&input, path, err);
    if (status == BIPE_OK)
        status = bipe_input_read_all(input, &text, BIPE_CONFIG_LIMIT, err);
    if (status == BIPE_OK && text.size > BIPE_CONFIG_LIMIT)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: more than %d bytes", path, (int)BIPE_CONFIG_LIMIT);
    if (status == BIPE_OK && (status = bipe_config_parse((const char *)text.data, text.size, hyper, table_rows, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    bipe_input_close(input);
    bipe_buffer_free(&text);
    bipe_free(path);
    return status;
}
