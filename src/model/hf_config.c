/* hf_config.c - hyperparameters from a Hugging Face folder's config.json, of the published kind (spec.md, section 9) or
 * of any family of families.c. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/buffer.h"
#include "base/input.h"
#include "base/path.h"
#include "model/hf_keys.h"
#include "model/hf_text_config.h"
#include "model/position_tables.h"
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
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %lld, expected 1 to %d", key,
                                 (long long)number, INT32_MAX);
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
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %g, expected a number of single precision",
                                 key, number);
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

/* A key of the family, into the member that it is of. */
static void read_key(source *from, const json_t *root, const bipe_config_key *key, bipe_configuration *made)
{
    void *at = (char *)made + key->offset;
    const char *name = key->name;
    double number = 0;
    bool flag = false;
    if (find_member(from, root, name) == NULL)
        return;
    switch (key->kind) {
    case BIPE_CONFIG_NOTHING: break;
    case BIPE_CONFIG_COUNT: read_count(from, root, name, at); break;
    case BIPE_CONFIG_NUMBER: read_number(from, root, name, at); break;
    case BIPE_CONFIG_FLAG: read_flag(from, root, name, at); break;
    case BIPE_CONFIG_ACTIVATION: {
        const char *text = read_text(from, root, name);
        if (text != NULL && !bipe_activation_find(text, at))
            fail_unsupported(from, name, text, "silu, gelu, gelu_pytorch_tanh, relu or relu2");
        break;
    }
    case BIPE_CONFIG_INVERSE:
    case BIPE_CONFIG_INVERSE_ROOT:
        read_number(from, root, name, &number);
        if (from->status == BIPE_OK && !(number > 0))
            from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %g, expected a number above 0", name,
                                     number);
        else
            *(double *)at = (double)(float)(1 / (key->kind == BIPE_CONFIG_INVERSE ? number : sqrt(number)));
        break;
    case BIPE_CONFIG_SHARE:
        read_number(from, root, name, &number);
        if (from->status == BIPE_OK && !(number > 0 && number <= 1))
            from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"%s\" is %g, expected 0 to 1", name, number);
        else
            *(uint32_t *)at = (uint32_t)(number * made->hyper.head_size);
        break;
    case BIPE_CONFIG_ROLES:
        read_flag(from, root, name, &flag);
        made->decoder.roles = flag ? made->decoder.roles | key->roles : made->decoder.roles & ~key->roles;
        break;
    }
}

/* Frequencies and magnitude as transformers computes them: attention_factor goes before mscale, which counts beside
 * mscale_all_dim alone. */
static void read_yarn(source *from, const json_t *scaling, bipe_rope_scaling *made)
{
    double mscale = 0, mscale_all_dim = 0;
    bool truncate = true;
    read_flag(from, scaling, "truncate", &truncate);
    if (json_is_null(json_object_get(scaling, "truncate"))) /* which Python takes for false */
        truncate = false;
    read_number(from, scaling, "beta_fast", &made->high);
    read_number(from, scaling, "beta_slow", &made->low);
    read_number(from, scaling, "mscale", &mscale);
    read_number(from, scaling, "mscale_all_dim", &mscale_all_dim);
    bipe_yarn_complete(made);
    made->exact = !truncate;
    if (mscale != 0 && mscale_all_dim != 0)
        made->magnitude = (double)(float)(bipe_yarn_magnitude(made->factor, mscale) /
                                          bipe_yarn_magnitude(made->factor, mscale_all_dim));
    if (find_member(from, scaling, "attention_factor") == NULL)
        return;
    read_number(from, scaling, "attention_factor", &made->magnitude);
    if (from->status == BIPE_OK && !(made->magnitude > 0))
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "\"attention_factor\" is %g, expected a number above 0",
                                 made->magnitude);
}

/* The kinds, by the names of rope_type. */
static const struct {
    const char *name;
    bipe_scaling_kind kind;
    bipe_hf_location location;
} rope_kinds[] = {
    {"default", BIPE_SCALING_NONE, BIPE_HF_DEFAULT}, {"none", BIPE_SCALING_NONE, BIPE_HF_DEFAULT},
    {"linear", BIPE_SCALING_LINEAR, BIPE_HF_LINEAR}, {"dynamic", BIPE_SCALING_DYNAMIC, BIPE_HF_DYNAMIC},
    {"yarn", BIPE_SCALING_YARN, BIPE_HF_YARN}, {"llama3", BIPE_SCALING_LLAMA3, BIPE_HF_LLAMA3},
    {"longrope", BIPE_SCALING_LONGROPE, BIPE_HF_LONGROPE}, {"su", BIPE_SCALING_LONGROPE, BIPE_HF_LONGROPE},
    {"proportional", BIPE_SCALING_FACTORS, BIPE_HF_PROPORTIONAL},
};

/* Its index in rope_kinds; without a type it is the default. */
static size_t find_rope_kind(source *from, const json_t *scaling)
{
    const char *type = read_text(from, scaling, "rope_type"), *old = read_text(from, scaling, "type");
    size_t i = 0;
    if (from->status == BIPE_OK && type != NULL && old != NULL && strcmp(type, old) != 0)
        fail_unsupported(from, "type", old, "the same as \"rope_type\"");
    type = type != NULL ? type : old != NULL ? old : "default";
    while (i < sizeof rope_kinds / sizeof rope_kinds[0] && strcmp(type, rope_kinds[i].name) != 0)
        i++;
    if (from->status == BIPE_OK && i == sizeof rope_kinds / sizeof rope_kinds[0])
        fail_unsupported(from, "rope_type", type, "default, linear, dynamic, yarn, llama3, longrope or proportional");
    return from->status == BIPE_OK ? i : 0;
}

/* The two tables of factors, and the magnitude that transformers makes of the two lengths. */
static void read_longrope(source *from, const json_t *root, const json_t *scaling, bipe_configuration *made)
{
    static const char *const names[] = {"short_factor", "long_factor"};
    bipe_rope_scaling *to = &made->hyper.rope_scaling;
    uint32_t original = 0, length = 0;
    const size_t half = bipe_rotary_size(&made->hyper) / 2;
    read_count(from, scaling, "original_max_position_embeddings", &original);
    read_count(from, root, "original_max_position_embeddings", &original);
    require_count(from, root, "max_position_embeddings", &length);
    for (size_t i = 0; i < 2 && from->status == BIPE_OK; i++) {
        const json_t *list = find_member(from, scaling, names[i]);
        if (json_array_size(list) != half || half > BIPE_LONG_FACTORS)
            from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "\"%s\" has %zu elements, expected %zu, at most %d",
                                     names[i], json_array_size(list), half, (int)BIPE_LONG_FACTORS);
        for (size_t j = 0; j < half && from->status == BIPE_OK; j++) {
            const double value = json_number_value(json_array_get(list, j));
            if (!(value > 0 && value < 3e38))
                wrong_kind(from, names[i], "numbers above 0");
            made->factors[i][j] = (float)value;
        }
    }
    if (from->status != BIPE_OK)
        return;
    to->factor = 1;
    to->original = original != 0 ? original : length;
    double stretched = (double)length / (double)to->original;
    read_number(from, scaling, "factor", &stretched);
    to->magnitude = stretched > 1 ? sqrt(1 + log(stretched) / log((double)to->original)) : 0;
    read_number(from, scaling, "attention_factor", &to->magnitude);
    to->magnitude = to->magnitude == 1 ? 0 : (double)(float)to->magnitude;
    made->decoder.roles |= BIPE_ROLE_BIT(BIPE_ROLE_ROPE_LONG) | BIPE_ROLE_BIT(BIPE_ROLE_ROPE_SHORT);
}

/* The first pairs are rotated as by those of whole heads, and the others not (Gemma 4). */
static void read_proportional(source *from, const json_t *scaling, bipe_configuration *made)
{
    const size_t half = made->hyper.head_size / 2;
    const json_t *found = find_member(from, scaling, "partial_rotary_factor");
    const double share = found != NULL ? json_number_value(found) : 1; /* not rounded: a third of 12 is 4 */
    if (from->status == BIPE_OK && (!(share > 0 && share <= 1) || half > BIPE_LONG_FACTORS))
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT,
                                 "\"partial_rotary_factor\" is %g of heads of %zu, expected 0 to 1, and heads of at "
                                 "most %d", share, 2 * half, 2 * (int)BIPE_LONG_FACTORS);
    for (size_t j = 0; j < half && from->status == BIPE_OK; j++)
        made->factors[0][j] = j < (size_t)(share * (double)(2 * half) / 2) ? 1 : 1e30f; /* as GGUF files have it */
    made->hyper.rope_scaling.factor = 1;
}

static void read_scaling(source *from, const json_t *root, json_t *scaling, const char *within,
                         bipe_configuration *configuration)
{
    bipe_rope_scaling *made = &configuration->hyper.rope_scaling;
    uint32_t original = 0;
    size_t found = find_rope_kind(from, scaling);
    made->kind = rope_kinds[found].kind;
    if (from->status == BIPE_OK)
        from->status = bipe_hf_keys_check(scaling, rope_kinds[found].location, configuration->family, within,
                                          from->err);
    if (from->status != BIPE_OK || made->kind == BIPE_SCALING_NONE)
        return;
    if (made->kind == BIPE_SCALING_LONGROPE) {
        read_longrope(from, root, scaling, configuration);
        return;
    }
    if (made->kind == BIPE_SCALING_FACTORS) {
        read_proportional(from, scaling, configuration);
        return;
    }
    made->factor = 0;
    read_number(from, scaling, "factor", &made->factor);
    if (from->status == BIPE_OK && !(made->factor > 0))
        from->status =
            bipe_fail(from->err, BIPE_ERR_FORMAT, "\"factor\" is %g, expected a number above 0", made->factor);
    if (made->kind != BIPE_SCALING_YARN && made->kind != BIPE_SCALING_LLAMA3)
        return;
    read_count(from, scaling, "original_max_position_embeddings", &original);
    read_count(from, root, "original_max_position_embeddings", &original); /* goes before */
    if (made->kind == BIPE_SCALING_LLAMA3) {
        if (original == 0)
            require_count(from, scaling, "original_max_position_embeddings", &original);
        read_number(from, scaling, "low_freq_factor", &made->low);
        read_number(from, scaling, "high_freq_factor", &made->high);
    } else {
        read_yarn(from, scaling, made);
    }
    made->original = original;
}

/* rope_theta and rope_scaling, or both in rope_parameters as transformers 5 writes it. */
static void read_rope(source *from, const json_t *root, bipe_configuration *made)
{
    bipe_hyperparameters *hyper = &made->hyper;
    const bipe_family *family = made->family;
    const char *key = "rope_scaling";
    json_t *scaling = json_object_get(root, key), *parameters = json_object_get(root, "rope_parameters");
    hyper->rope_base = family != NULL && family->usual_base != 0 ? family->usual_base : 10000;
    hyper->rope_scaling = (bipe_rope_scaling){.kind = BIPE_SCALING_NONE, .factor = 1};
    read_number(from, root, "rotary_emb_base", &hyper->rope_base); /* GPT-NeoX's name for it */
    read_number(from, root, "rope_theta", &hyper->rope_base);
    if (scaling == NULL || json_is_null(scaling)) {
        scaling = parameters;
        key = "rope_parameters";
    } else if (from->status == BIPE_OK && parameters != NULL && !json_is_null(parameters) &&
               !json_equal(scaling, parameters)) {
        from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                 "keys \"rope_scaling\" and \"rope_parameters\" differ, expected one of them");
    }
    if (from->status == BIPE_OK && (scaling == NULL || json_is_null(scaling)) && family != NULL &&
        family->own_window_heads)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"rope_parameters\" is missing");
    if (from->status != BIPE_OK || scaling == NULL || json_is_null(scaling))
        return;
    char within[32];
    snprintf(within, sizeof within, "%s.", key);
    if (!json_is_object(scaling))
        wrong_kind(from, key, "an object or null");
    if (from->status != BIPE_OK)
        return;
    json_t *full = json_object_get(scaling, "full_attention");
    if (json_is_object(full) && made->decoder.window != 0) { /* transformers 5, of layers with a window and without */
        const json_t *local = json_object_get(scaling, "sliding_attention");
        read_number(from, local, "rope_theta", &made->decoder.window_base);
        if (from->status == BIPE_OK && json_is_object(local))
            from->status = bipe_hf_keys_check((json_t *)(uintptr_t)local, BIPE_HF_DEFAULT, family, within, from->err);
        scaling = full;
    }
    read_number(from, scaling, "rope_theta", &hyper->rope_base);
    read_scaling(from, root, scaling, within, made);
    for (const bipe_config_key *own = family != NULL ? family->config : NULL;
         own != NULL && own->name != NULL && from->status == BIPE_OK; own++)
        if (own->kind != BIPE_CONFIG_NOTHING)
            read_key(from, scaling, own, made);
    if (made->decoder.temperature != 0) {
        made->decoder.temperature_length = hyper->train_length;
        read_count(from, scaling, "original_max_position_embeddings", &made->decoder.temperature_length);
    }
    if (from->status != BIPE_OK && strstr(from->err->text, within) == NULL)
        bipe_error_prefix(from->err, "key \"%s\"", key);
}

/* Weights of experts in blocks, all others in a type of numbers. */
static bool is_mxfp4(const json_t *quantization)
{
    const char *method = json_string_value(json_object_get(quantization, "quant_method"));
    return method != NULL && strcmp(method, "mxfp4") == 0;
}

/* The family: what its config.json leaves unsaid, and what is not done here. */
static void read_family(source *from, json_t *root, bipe_configuration *made)
{
    const char *type = read_text(from, root, "model_type");
    if (from->status == BIPE_OK && type == NULL)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"model_type\" is missing");
    if (from->status != BIPE_OK)
        return;
    const bipe_family *family = made->family = bipe_family_of_model_type(type);
    if (family == NULL) {
        fail_unsupported(from, "model_type", type, "one of those that bipe-convert --families lists");
        return;
    }
    made->decoder = family->decoder;
    made->decoder.roles |= family->config_roles;
    const bipe_decoder *usual = &family->usual_config;
    made->decoder.parallel |= usual->parallel;
    made->decoder.window = usual->window;
    made->decoder.attention_scale = usual->attention_scale;
    made->decoder.attention_cap = usual->attention_cap;
    made->decoder.logit_cap = usual->logit_cap;
    made->decoder.shared = usual->shared;
    if (usual->experts != 0) {
        made->decoder.experts = usual->experts;
        made->decoder.experts_used = usual->experts_used;
        made->decoder.experts_normalized = usual->experts_normalized;
    }
    if (usual->logit_scale != 0)
        made->decoder.logit_scale = usual->logit_scale;
    made->hyper.tied = family->usually_tied;
    if (family->usual_epsilon != 0)
        made->hyper.rms_norm_eps = (double)(float)family->usual_epsilon;
    static const char *const quantized[] = {"quantization_config", "quantization", "compression_config"};
    for (size_t i = 0; i < sizeof quantized / sizeof quantized[0]; i++)
        if (find_member(from, root, quantized[i]) != NULL &&
            !(family->alternate_experts && is_mxfp4(json_object_get(root, quantized[i]))))
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "key \"%s\": quantized folders are not supported",
                                     quantized[i]);
    if (from->status == BIPE_OK)
        from->status = bipe_hf_keys_check(root, BIPE_HF_TOP, family, "", from->err);
    json_t *object = family->object != NULL ? json_object_get(root, family->object) : NULL;
    char within[32];
    snprintf(within, sizeof within, "%s.", family->object != NULL ? family->object : "");
    if (from->status == BIPE_OK && object != NULL)
        from->status = bipe_hf_keys_check(object, BIPE_HF_TOP, family, within, from->err);
}

/* Falcon's key heads and norms, of which it has two designs. */
static void read_falcon(source *from, const json_t *root, bipe_configuration *made)
{
    bool newer = false, one = true;
    uint32_t norms = 2;
    read_flag(from, root, "new_decoder_architecture", &newer);
    read_flag(from, root, "multi_query", &one);
    read_count(from, root, "num_ln_in_parallel_attn", &norms);
    made->hyper.kv_heads = newer || !one ? made->hyper.heads : 1;
    if (newer) {
        read_count(from, root, "num_kv_heads", &made->hyper.kv_heads);
        if (norms == 2)
            made->decoder.roles |= BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM) |
                                   BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM_BIAS);
    }
}

static void read_sizes(source *from, const json_t *root, bipe_configuration *made)
{
    bipe_hyperparameters *hyper = &made->hyper;
    const bipe_family *family = made->family;
    if (family != NULL)
        hyper->head_size = family->usual_head;
    const struct {
        const char *name;
        uint32_t *value;
        uint32_t usual;
    } sizes[] = {{"vocab_size", &hyper->vocabulary, family != NULL ? family->usual_vocabulary : 0},
                 {"hidden_size", &hyper->hidden, 0},
                 {"num_hidden_layers", &hyper->layers, 0},
                 {"num_attention_heads", &hyper->heads, family != NULL ? family->usual_heads : 0},
                 {family != NULL && family->expert_size != NULL ? family->expert_size : "intermediate_size",
                  &hyper->feed_forward, 0}};
    for (const bipe_config_key *key = made->family != NULL ? made->family->config : NULL;
         key != NULL && key->name != NULL && from->status == BIPE_OK; key++)
        if (key->kind == BIPE_CONFIG_COUNT) /* families with other names for them */
            read_key(from, root, key, made);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (*sizes[i].value == 0 && !(family != NULL && family->four_times && i == 4)) {
            *sizes[i].value = sizes[i].usual;
            (sizes[i].usual != 0 ? read_count : require_count)(from, root, sizes[i].name, sizes[i].value);
        }
    if (hyper->feed_forward == 0)
        hyper->feed_forward = 4 * hyper->hidden;
    if (made->family != NULL && made->family->two_norms[0][0].name != NULL)
        read_falcon(from, root, made);
    if (hyper->kv_heads == 0)
        hyper->kv_heads = family != NULL && family->usual_kv_heads != 0 ? family->usual_kv_heads : hyper->heads;
    read_count(from, root, "num_key_value_heads", &hyper->kv_heads);
    read_count(from, root, "head_dim", &hyper->head_size);
    if (from->status != BIPE_OK || hyper->head_size != 0)
        return;
    hyper->head_size = hyper->hidden / hyper->heads;
    if (hyper->hidden % hyper->heads != 0)
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT,
                                 "key \"num_attention_heads\": %" PRIu32 " heads do not divide hidden_size %" PRIu32,
                                 hyper->heads, hyper->hidden);
}

/* ---- kinds of layers ---- */

/* layer_types: a name for each layer. false: it is not there. */
static bool read_layer_types(source *from, const json_t *root, bipe_configuration *made)
{
    const json_t *types = find_member(from, root, "layer_types");
    if (types == NULL)
        return false;
    const size_t count = json_array_size(types), layers = made->hyper.layers;
    if (!json_is_array(types) || count < layers || layers > BIPE_KIND_LAYERS)
        wrong_kind(from, "layer_types", "a list with a name for each layer");
    for (size_t i = 0; i < layers && from->status == BIPE_OK; i++) {
        const char *name = json_string_value(json_array_get(types, i));
        if (name != NULL && strcmp(name, "sliding_attention") == 0)
            made->decoder.layer[i] |= BIPE_LAYER_WINDOW;
        else if (name == NULL || strcmp(name, "full_attention") != 0)
            fail_unsupported(from, "layer_types", name != NULL ? name : "", "full_attention or sliding_attention");
    }
    return true;
}

/* sliding_window_pattern: each so-manieth layer has no window, be it a number or a text such as LLLG. */
static uint32_t read_pattern(source *from, const json_t *root, uint32_t every)
{
    const json_t *pattern = find_member(from, root, "sliding_window_pattern");
    const char *text = json_string_value(pattern);
    if (text == NULL) {
        read_count(from, root, "sliding_window_pattern", &every);
        return every;
    }
    size_t size = strlen(text);
    if (size == 0 || strspn(text, "L") + 1 != size || text[size - 1] != 'G')
        fail_unsupported(from, "sliding_window_pattern", text, "some L and one G, or a number");
    return (uint32_t)size;
}

/* no_rope_layers: 1 for each layer with positions, 0 for others. */
static void read_bare_layers(source *from, const json_t *root, bipe_configuration *made)
{
    const bipe_family *family = made->family;
    const json_t *flags = find_member(from, root, "no_rope_layers");
    const uint32_t layers = made->hyper.layers;
    uint32_t every = family->bare_every;
    if (every != 0)
        read_count(from, root, "no_rope_layer_interval", &every);
    if (json_array_size(flags) == 0) {
        bipe_decoder_set_bare(&made->decoder, layers, every, family->bare_without_window);
        return;
    }
    if (json_array_size(flags) < layers || layers > BIPE_KIND_LAYERS)
        wrong_kind(from, "no_rope_layers", "a list with a number for each layer");
    for (size_t i = 0; i < layers && from->status == BIPE_OK; i++)
        if (json_integer_value(json_array_get(flags, i)) == 0)
            made->decoder.layer[i] |= BIPE_LAYER_NO_POSITIONS;
}

/* Layers of Granite 4 are of state spaces where layer_types does not say that they attend. */
static void read_hybrid(source *from, const json_t *root, bipe_configuration *made)
{
    const json_t *types = find_member(from, root, "layer_types");
    const char *positions = read_text(from, root, "position_embedding_type");
    for (size_t i = 0; i < made->hyper.layers && from->status == BIPE_OK; i++) {
        const char *name = json_string_value(json_array_get(types, i));
        if (name == NULL || strcmp(name, "attention") != 0)
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                     "key \"layer_types\": layer %zu is of state spaces, expected attention", i);
    }
    if (positions == NULL || strcmp(positions, "rope") != 0)
        bipe_decoder_set_bare(&made->decoder, made->hyper.layers, 1, false);
}

static void read_layer_kinds(source *from, const json_t *root, bipe_configuration *made)
{
    bipe_decoder *decoder = &made->decoder;
    const bipe_family *family = made->family;
    bool use = true;
    uint32_t from_layer = 0;
    if (from->status != BIPE_OK)
        return;
    if (family->window_asked) {
        use = false;
        read_flag(from, root, "use_sliding_window", &use);
    }
    if (!use)
        decoder->window = 0;
    if (decoder->window != 0 && !read_layer_types(from, root, made)) {
        if (family->window_asked)
            read_count(from, root, "max_window_layers", &from_layer);
        bipe_decoder_set_windows(decoder, made->hyper.layers, read_pattern(from, root, family->full_every));
        for (size_t i = 0; i < from_layer && i < BIPE_KIND_LAYERS; i++)
            decoder->layer[i] &= (uint8_t)~BIPE_LAYER_WINDOW;
    }
    read_bare_layers(from, root, made);
    if (family->hybrid)
        read_hybrid(from, root, made);
    if (made->hyper.layers > BIPE_KIND_LAYERS && (decoder->window != 0 || family->bare_every != 0))
        from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED, "%" PRIu32 " layers that differ, expected at most %d",
                                 made->hyper.layers, (int)BIPE_KIND_LAYERS);
}

/* per_layer_config: what differs in layers without a window, all of them in the same way. */
static void read_layer_sizes(source *from, const json_t *layers, bipe_configuration *made)
{
    bipe_hyperparameters *hyper = &made->hyper;
    static const char *const names[] = {"head_dim", "num_key_value_heads"};
    uint32_t *const values[] = {&hyper->head_size, &hyper->kv_heads};
    size_t whole = 0;
    for (size_t i = 0; i < hyper->layers && i < BIPE_KIND_LAYERS && from->status == BIPE_OK; i++) {
        char number[16];
        snprintf(number, sizeof number, "%zu", i);
        const json_t *layer = json_object_get(layers, number);
        const bool window = (made->decoder.layer[i] & BIPE_LAYER_WINDOW) != 0;
        size_t known = 0;
        if (window != (layer == NULL))
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                     "key \"per_layer_config\": layer %zu, expected all without a window alone", i);
        for (size_t j = 0; j < 2 && !window && from->status == BIPE_OK; j++) {
            uint32_t value = *values[j];
            known += json_object_get(layer, names[j]) != NULL;
            read_count(from, layer, names[j], &value);
            if (whole > 0 && value != *values[j])
                from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                         "key \"per_layer_config\": layers without a window that differ in \"%s\"",
                                         names[j]);
            *values[j] = value;
        }
        if (from->status == BIPE_OK && json_object_size(layer) != known)
            from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                     "key \"per_layer_config\": layer %zu has other keys than \"head_dim\" and "
                                     "\"num_key_value_heads\"", i);
        whole += !window;
    }
    if (from->status == BIPE_OK && json_object_size(layers) != whole)
        from->status = bipe_fail(from->err, BIPE_ERR_UNSUPPORTED,
                                 "key \"per_layer_config\" has %zu layers, expected %zu", json_object_size(layers),
                                 whole);
}

/* Heads of layers with a window, which the usual keys are for, and those of others (Gemma 4). */
static void read_window_heads(source *from, const json_t *root, bipe_configuration *made)
{
    bipe_hyperparameters *hyper = &made->hyper;
    const json_t *layers = find_member(from, root, "per_layer_config");
    bool keys = false;
    made->decoder.layer[hyper->layers - 1] &= (uint8_t)~BIPE_LAYER_WINDOW; /* whatever layer_types says */
    made->decoder.window_head = hyper->head_size;
    made->decoder.window_kv_heads = hyper->kv_heads;
    read_flag(from, root, "attention_k_eq_v", &keys);
    if (json_object_size(layers) != 0) {
        read_layer_sizes(from, layers, made);
    } else {
        hyper->head_size = 512;
        read_count(from, root, "global_head_dim", &hyper->head_size);
        if (keys)
            read_count(from, root, "num_global_key_value_heads", &hyper->kv_heads);
    }
    for (size_t i = 0; i < hyper->layers && keys; i++)
        if ((made->decoder.layer[i] & BIPE_LAYER_WINDOW) == 0)
            made->decoder.layer[i] |= BIPE_LAYER_KEYS_ARE_VALUES;
}

/* What the family's own keys say, and hidden_act. */
static void read_decoder(source *from, const json_t *root, bipe_configuration *made)
{
    if (from->status != BIPE_OK)
        return;
    const nn_activation usual = made->decoder.activation;
    const char *name = read_text(from, root, "hidden_act");
    nn_activation named = usual;
    if (name != NULL && !made->family->any_activation && (!bipe_activation_find(name, &named) || named != usual))
        fail_unsupported(from, "hidden_act", name, bipe_activation_name(usual));
    const json_t *object = made->family->object != NULL ? json_object_get(root, made->family->object) : NULL;
    for (const bipe_config_key *key = made->family->config; key->name != NULL && from->status == BIPE_OK; key++) {
        read_key(from, root, key, made);
        read_key(from, object, key, made);
    }
    if (from->status != BIPE_OK)
        return;
    if (made->family->parallel_without_norm && made->decoder.parallel)
        made->decoder.roles &= ~(BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM) |
                                 BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM_BIAS));
    double scale = made->decoder.logit_scale;
    bipe_family_complete(made->family, &made->hyper, &made->decoder);
    bipe_decoder_add_experts(&made->decoder);
    made->decoder.logit_scale = scale; /* config.json's key says by itself which way it goes */
    read_layer_kinds(from, root, made);
    if (made->family->own_window_heads && from->status == BIPE_OK)
        read_window_heads(from, root, made);
}


static void read_scheme(source *from, const json_t *root, bipe_hyperparameters *hyper, const bipe_family *family,
                        bool *published)
{
    const char *type = read_text(from, root, "rpe_type"), *scheme = read_text(from, root, "position_scheme");
    *published = type != NULL;
    for (size_t i = 0; i < sizeof rpe_types / sizeof rpe_types[0] && scheme == NULL; i++)
        if (strcmp(type != NULL ? type : "rope", rpe_types[i].name) == 0)
            scheme = type == NULL && family != NULL && family->scheme != NULL ? family->scheme : rpe_types[i].scheme;
    if (from->status != BIPE_OK)
        return;
    if (scheme == NULL) {
        fail_unsupported(from, "rpe_type", type,
                         "rope, alibi, bipe_rope, bipe_alibi, xpos, sinusoidal, randomized_rope, nope or t5");
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
        from->status = bipe_fail(from->err, BIPE_ERR_FORMAT, "key \"segmenter\" has %zu bytes, expected 1 to %zu",
                                 strlen(spec), sizeof hyper->segmenter - 1);
    else
        memcpy(hyper->segmenter, spec, strlen(spec) + 1);
}

static int read_config(json_t *root, bipe_configuration *made, bipe_error *err)
{
    if (!json_is_object(root))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an object");
    source from = {.err = err};
    bool published = false;
    bipe_hyperparameters *hyper = &made->hyper;
    *made = (bipe_configuration){.hyper.rms_norm_eps = (double)1e-6f, .decoder = bipe_decoder_plain};
    hyper->decoder = &made->decoder;
    from.status = bipe_hf_text_config(root, &root, &made->towers, err);
    read_family(&from, root, made);
    read_sizes(&from, root, made);
    read_number(&from, root, "rms_norm_eps", &hyper->rms_norm_eps);
    read_decoder(&from, root, made);
    read_rope(&from, root, made);
    if (made->decoder.rotary == 0 && made->family != NULL)
        made->decoder.rotary = (uint32_t)(made->family->usual_share * hyper->head_size);
    read_scheme(&from, root, hyper, made->family, &published);
    read_flag(&from, root, "tie_word_embeddings", &hyper->tied);
    read_flag(&from, root, "log_scale", &hyper->log_scale);
    read_count(&from, root, "train_scale", &made->table_rows);
    const uint32_t length = hyper->train_length; /* by the family's name for it */
    hyper->train_length = made->table_rows != 0 ? made->table_rows : length;
    if (hyper->train_length == 0 && made->family != NULL)
        hyper->train_length = made->family->usual_length;
    if (hyper->train_length == 0)
        require_count(&from, root, "max_position_embeddings", &hyper->train_length);
    else if (made->table_rows == 0 && length == 0)
        read_count(&from, root, "max_position_embeddings", &hyper->train_length);
    read_segmenter(&from, root, published, hyper);
    return from.status == BIPE_OK ? bipe_hyperparameters_check(hyper, err) : from.status;
}

int bipe_config_parse(const char *text, size_t size, bipe_configuration *made, bipe_error *err)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (root == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
    int status = read_config(root, made, err);
    json_decref(root);
    return status;
}

int bipe_config_read(const char *folder, bipe_configuration *made, bipe_error *err)
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
    if (status == BIPE_OK && (status = bipe_config_parse((const char *)text.data, text.size, made, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    bipe_input_close(input);
    bipe_buffer_free(&text);
    bipe_free(path);
    return status;
}
