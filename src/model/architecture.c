/* architecture.c - see architecture.h. */
#include "model/architecture.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "base/status.h"
#include "model/weights.h"

const bipe_decoder bipe_decoder_plain = {
    .roles = BIPE_ROLE_BIT(BIPE_ROLE_ATTENTION_NORM) | BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM) |
             BIPE_ROLE_BIT(BIPE_ROLE_GATE),
    .embedding_scale = 1, .residual_scale = 1, .logit_scale = 1,
};

const bipe_decoder *bipe_decoder_of(const bipe_hyperparameters *hyper)
{
    return hyper->decoder != NULL ? hyper->decoder : &bipe_decoder_plain;
}

static bipe_heads heads_like(const bipe_hyperparameters *hyper, bool window)
{
    const bipe_decoder *d = bipe_decoder_of(hyper);
    size_t size = window && d->window_head != 0 ? d->window_head : hyper->head_size,
           key_heads = window && d->window_kv_heads != 0 ? d->window_kv_heads : hyper->kv_heads;
    return (bipe_heads){size, key_heads, hyper->heads * size, key_heads * size, hyper->heads / key_heads};
}

bipe_heads bipe_heads_of(const bipe_hyperparameters *hyper, size_t layer)
{
    return heads_like(hyper, (bipe_layer_kind_of(bipe_decoder_of(hyper), layer) & BIPE_LAYER_WINDOW) != 0);
}

bipe_heads bipe_heads_most(const bipe_hyperparameters *hyper)
{
    const bipe_heads a = heads_like(hyper, false), b = heads_like(hyper, true);
    return (bipe_heads){bipe_larger(a.size, b.size), bipe_larger(a.key_heads, b.key_heads),
                        bipe_larger(a.wide, b.wide), bipe_larger(a.narrow, b.narrow), bipe_larger(a.group, b.group)};
}

size_t bipe_rotary_size(const bipe_hyperparameters *hyper)
{
    uint32_t rotary = bipe_decoder_of(hyper)->rotary;
    return rotary != 0 ? rotary : hyper->head_size;
}

size_t bipe_t5_buckets(const bipe_hyperparameters *hyper)
{
    const uint32_t buckets = bipe_decoder_of(hyper)->t5_buckets;
    return buckets != 0 ? buckets : BIPE_T5_BUCKETS;
}

/* ---- fields ---- */

#define FIELD(key, harmless, kind, member) {key, harmless, kind, offsetof(bipe_decoder, member)}
const bipe_decoder_field bipe_decoder_fields[] = {
    FIELD("activation", "silu", BIPE_FIELD_ACTIVATION, activation),
    FIELD("layer_norm", "false", BIPE_FIELD_FLAG, layer_norm),
    FIELD("attention.row_norms", "false", BIPE_FIELD_FLAG, row_norms),
    FIELD("attention.own_norms", "false", BIPE_FIELD_FLAG, own_norms),
    FIELD("attention.value_norms", "false", BIPE_FIELD_FLAG, value_norms),
    FIELD("use_parallel_residual", "false", BIPE_FIELD_FLAG, parallel),
    FIELD("embedding_scale", "0 1", BIPE_FIELD_NUMBER, embedding_scale),
    FIELD("residual_scale", "0 1", BIPE_FIELD_NUMBER, residual_scale),
    FIELD("logit_scale", "0 1", BIPE_FIELD_NUMBER, logit_scale),
    FIELD("attention.scale", "0", BIPE_FIELD_NUMBER, attention_scale),
    FIELD("attn_logit_softcapping", "0", BIPE_FIELD_NUMBER, attention_cap),
    FIELD("final_logit_softcapping", "0", BIPE_FIELD_NUMBER, logit_cap),
    FIELD("attention.clamp_kqv", "0", BIPE_FIELD_NUMBER, clip),
    FIELD("attention.max_alibi_bias", "0", BIPE_FIELD_NUMBER, alibi_most),
    FIELD("attention.relative_buckets_count", "0 32", BIPE_FIELD_COUNT, t5_buckets),
    FIELD("attention.temperature_scale", "0", BIPE_FIELD_NUMBER, temperature),
    FIELD("attention.temperature_length", "0", BIPE_FIELD_COUNT, temperature_length),
    FIELD("attention.sliding_window", "0", BIPE_FIELD_COUNT, window),
    FIELD("rope.freq_base_swa", "0", BIPE_FIELD_NUMBER, window_base),
    FIELD("expert_count", "0", BIPE_FIELD_COUNT, experts),
    FIELD("expert_used_count", "0", BIPE_FIELD_COUNT, experts_used),
    FIELD("expert_weights_norm", "false", BIPE_FIELD_FLAG, experts_normalized),
    FIELD("expert_shared_feed_forward_length", "0", BIPE_FIELD_COUNT, shared),
    FIELD("rope.window_unscaled", "false", BIPE_FIELD_FLAG, window_unscaled),
    FIELD("attention.key_length_swa", "0", BIPE_FIELD_COUNT, window_head),
    FIELD("attention.head_count_kv_swa", "0", BIPE_FIELD_COUNT, window_kv_heads),
};
const size_t bipe_decoder_field_count = sizeof bipe_decoder_fields / sizeof bipe_decoder_fields[0];

static const char *const activations[] = {
    [NN_SILU] = "silu", [NN_GELU] = "gelu",          [NN_GELU_TANH] = "gelu_tanh",
    [NN_RELU] = "relu", [NN_RELU_SQUARED] = "relu2", [NN_CLAMPED_SILU] = "clamped_silu",
    [NN_XIELU] = "xielu",
};

const char *bipe_activation_name(nn_activation activation)
{
    return activations[activation];
}

bool bipe_activation_find(const char *name, nn_activation *activation)
{
    static const struct {
        const char *name;
        nn_activation activation;
    } others[] = {
        /* of config.json */
        {"swish", NN_SILU},          {"gelu_new", NN_GELU_TANH}, {"gelu_pytorch_tanh", NN_GELU_TANH},
        {"gelu_fast", NN_GELU_TANH}, {"gelu_python", NN_GELU},
    };
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++)
        if (strcmp(name, activations[i]) == 0) {
            *activation = (nn_activation)i;
            return true;
        }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i].name) == 0) {
            *activation = others[i].activation;
            return true;
        }
    return false;
}

/* ---- layers ---- */

void bipe_decoder_set_windows(bipe_decoder *decoder, uint32_t layers, uint32_t full_every)
{
    for (size_t i = 0; i < layers && i < BIPE_KIND_LAYERS; i++)
        if (full_every == 0 || (i + 1) % full_every != 0)
            decoder->layer[i] |= BIPE_LAYER_WINDOW;
}

void bipe_decoder_set_bare(bipe_decoder *decoder, uint32_t layers, uint32_t bare_every, bool without_window)
{
    for (size_t i = 0; i < layers && i < BIPE_KIND_LAYERS; i++)
        if ((bare_every != 0 && (i + 1) % bare_every == 0) ||
            (without_window && decoder->window != 0 && (decoder->layer[i] & BIPE_LAYER_WINDOW) == 0))
            decoder->layer[i] |= BIPE_LAYER_NO_POSITIONS;
}

uint64_t bipe_decoder_roles_named(const char *names)
{
    uint64_t roles = 0;
    for (int role = 0; role < BIPE_ROLES; role++) {
        bipe_slot slot = {.role = (bipe_role)role};
        if ((bipe_decoder_plain.roles & BIPE_ROLE_BIT(role)) == 0)
            continue;
        const char *own = bipe_slot_own_name(&slot, BIPE_NAMING_GGUF);
        const char *at = strstr(names, own);
        if (at != NULL && (at == names || at[-1] == ' ') && (at[strlen(own)] == ' ' || at[strlen(own)] == '\0'))
            roles |= BIPE_ROLE_BIT(role);
    }
    return roles;
}

void bipe_decoder_add_experts(bipe_decoder *decoder)
{
    if (decoder->experts != 0)
        decoder->roles |= BIPE_ROLE_BIT(BIPE_ROLE_ROUTER);
    else
        decoder->experts_normalized = false;
    if (decoder->shared != 0)
        decoder->roles |= BIPE_ROLE_BIT(BIPE_ROLE_SHARED_GATE) | BIPE_ROLE_BIT(BIPE_ROLE_SHARED_UP) |
                          BIPE_ROLE_BIT(BIPE_ROLE_SHARED_DOWN);
}

/* ---- what must hold ---- */

int bipe_decoder_check(const bipe_hyperparameters *hyper, bipe_error *err)
{
    const bipe_decoder *d = bipe_decoder_of(hyper);
    const struct {
        const char *name;
        double value;
        bool zero; /* is allowed */
    } numbers[] = {
        {"the scale of the embedding", d->embedding_scale, false},
        {"the scale of residuals", d->residual_scale, false},
        {"the scale of logits", d->logit_scale, false},
        {"the scale of attention", d->attention_scale, true},
        {"the cap of attention's scores", d->attention_cap, true},
        {"the cap of logits", d->logit_cap, true},
        {"the temperature of attention", d->temperature, true},
        {"the clip of queries, keys and values", d->clip, true},
        {"the greatest exponent of alibi's slopes", d->alibi_most, true},
        {"the base of rope in windows", d->window_base, true},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(numbers[i].value < (double)INFINITY &&
              (numbers[i].value > 0 || (numbers[i].zero && numbers[i].value == 0))))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s is %g, expected a number above 0", numbers[i].name,
                             numbers[i].value);
    if (d->rotary > hyper->head_size || d->rotary % 2 != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu32 " values of a head are rotated, expected an even number up to %" PRIu32, d->rotary,
                         hyper->head_size);
    if (d->t5_buckets % 2 != 0 || d->t5_buckets > BIPE_T5_BUCKETS_MOST)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%" PRIu32 " buckets of t5, expected an even number up to %d",
                         d->t5_buckets, (int)BIPE_T5_BUCKETS_MOST);
    if (d->window_base != 0 && !(d->window_base > 1))
        return bipe_fail(err, BIPE_ERR_FORMAT, "the base of rope in windows is %g, expected a number above 1",
                         d->window_base);
    if (d->window_head > INT32_MAX / 4 / hyper->heads || d->window_head % 2 != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "heads of %" PRIu32 " values in windows, expected an even number",
                         d->window_head);
    if (d->window_kv_heads != 0 && hyper->heads % d->window_kv_heads != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu32 " key-value heads in windows do not divide %" PRIu32 " heads", d->window_kv_heads,
                         hyper->heads);
    if (d->window_head != 0 && (d->rotary != 0 || !d->window_unscaled))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "heads of two sizes of which a part is rotated, or all are scaled");
    if (d->activation == NN_XIELU && bipe_decoder_has(d, BIPE_ROLE_GATE))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "xielu with a gate, expected none");
    if (d->experts > BIPE_EXPERTS_MOST || (uint64_t)d->experts * hyper->layers > BIPE_ALL_EXPERTS_MOST)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu32 " experts in each of %" PRIu32 " layers, expected at most %d, and %d in all",
                         d->experts, hyper->layers, (int)BIPE_EXPERTS_MOST, (int)BIPE_ALL_EXPERTS_MOST);
    if (d->experts_used > d->experts || (d->experts_used == 0 && d->experts != 0))
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%" PRIu32 " experts of %" PRIu32 " are used for a token, expected from 1 to all",
                         d->experts_used, d->experts);
    if ((d->experts == 0 && bipe_decoder_has(d, BIPE_ROLE_ROUTER)) ||
        (d->shared == 0 && bipe_decoder_has(d, BIPE_ROLE_SHARED_ROUTER)))
        return bipe_fail(err, BIPE_ERR_FORMAT, "a mixture of experts that does not say %s",
                         d->experts == 0 ? "how many they are" : "the size of the one that all tokens share");
    if (d->experts != 0 && bipe_decoder_has(d, BIPE_ROLE_FEED_FORWARD_SUB_NORM))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a norm within experts");
    if (d->shared != 0 && d->experts == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a shared expert of size %" PRIu32 " without others", d->shared);
    if (d->temperature != 0 && d->temperature_length == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a temperature of attention without the length that it goes by");
    return BIPE_OK;
}

bool bipe_decoder_field_differs(const bipe_decoder *decoder, const bipe_decoder_field *field)
{
    static const size_t size[] = {[BIPE_FIELD_NUMBER] = sizeof(double), [BIPE_FIELD_COUNT] = sizeof(uint32_t),
                                  [BIPE_FIELD_FLAG] = sizeof(bool), [BIPE_FIELD_ACTIVATION] = sizeof(nn_activation)};
    return memcmp((const char *)decoder + field->offset, (const char *)&bipe_decoder_plain + field->offset,
                  size[field->kind]) != 0;
}

bool bipe_decoder_is_plain(const bipe_hyperparameters *hyper)
{
    static const bipe_role also[] = {
        BIPE_ROLE_QUERY_BIAS, BIPE_ROLE_KEY_BIAS, BIPE_ROLE_VALUE_BIAS, BIPE_ROLE_QUERY_NORM, BIPE_ROLE_KEY_NORM,
        BIPE_ROLE_ATTENTION_BIAS, BIPE_ROLE_GATE_BIAS, BIPE_ROLE_UP_BIAS, BIPE_ROLE_DOWN_BIAS, BIPE_ROLE_ROPE_FACTORS};
    const bipe_decoder *d = bipe_decoder_of(hyper);
    uint64_t roles = d->roles;
    for (size_t i = 0; i < sizeof also / sizeof also[0]; i++)
        roles &= ~BIPE_ROLE_BIT(also[i]);
    bool same = roles == bipe_decoder_plain.roles && (d->rotary == 0 || d->rotary == hyper->head_size);
    for (size_t i = 0; i < BIPE_KIND_LAYERS; i++)
        same = same && d->layer[i] == 0;
    for (size_t i = 0; i < bipe_decoder_field_count; i++)
        same = same && !bipe_decoder_field_differs(d, &bipe_decoder_fields[i]);
    return same;
}

/* ---- for people ---- */

static void add_part(char text[BIPE_DECODER_TEXT], const char *format, ...) BIPE_PRINTF(2, 3);
static void add_part(char text[BIPE_DECODER_TEXT], const char *format, ...)
{
    size_t used = strlen(text);
    va_list ap;
    used += (size_t)snprintf(text + used, BIPE_DECODER_TEXT - used, "%s", used > 0 ? "; " : "");
    va_start(ap, format);
    if (used < BIPE_DECODER_TEXT)
        vsnprintf(text + used, BIPE_DECODER_TEXT - used, format, ap);
    va_end(ap);
}

const char *bipe_decoder_describe(const bipe_hyperparameters *h, char text[BIPE_DECODER_TEXT])
{
    const bipe_decoder *d = bipe_decoder_of(h);
    size_t windows = 0, bare = 0;
    text[0] = '\0';
    for (size_t i = 0; i < h->layers; i++) {
        windows += (bipe_layer_kind_of(d, i) & BIPE_LAYER_WINDOW) != 0;
        bare += (bipe_layer_kind_of(d, i) & BIPE_LAYER_NO_POSITIONS) != 0;
    }
    size_t same = 0;
    for (size_t i = 0; i < h->layers; i++)
        same += (bipe_layer_kind_of(d, i) & BIPE_LAYER_KEYS_ARE_VALUES) != 0;
    bool before = bipe_decoder_has(d, BIPE_ROLE_ATTENTION_NORM),
         after = bipe_decoder_has(d, BIPE_ROLE_ATTENTION_POST_NORM);
    if (d->layer_norm)
        add_part(text, "LayerNorm");
    if (after)
        add_part(text, before ? "norms before and after layers" : "norms after layers");
    else if (!before)
        add_part(text, "no norms in layers");
    if (bipe_decoder_has(d, BIPE_ROLE_ATTENTION_SUB_NORM))
        add_part(text, "norms before output projections");
    if (d->parallel)
        add_part(text, "attention and feed-forward in parallel");
    if (bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) && d->row_norms)
        add_part(text, "norms of the queries of all heads, and of their keys");
    if (!bipe_decoder_has(d, BIPE_ROLE_GATE))
        add_part(text, "%s without a gate", bipe_activation_name(d->activation));
    else if (d->activation != NN_SILU)
        add_part(text, "%s", bipe_activation_name(d->activation));
    if (d->experts != 0)
        add_part(text, "%" PRIu32 " experts, of which %" PRIu32 " are used for a token", d->experts, d->experts_used);
    else if (bipe_decoder_has(d, BIPE_ROLE_ROUTER))
        add_part(text, "a mixture of experts");
    if (d->shared != 0)
        add_part(text, "an expert of size %" PRIu32 " that all tokens share", d->shared);
    if (bipe_decoder_has(d, BIPE_ROLE_ROUTER) && !d->experts_normalized)
        add_part(text, "experts weighted by the softmax of all");
    if (bipe_decoder_has(d, BIPE_ROLE_SINKS))
        add_part(text, "sinks in attention");
    if (d->window != 0 && h->layers != 0)
        add_part(text, "a window of %" PRIu32 " tokens in %zu of %" PRIu32 " layers", d->window, windows, h->layers);
    if (bare > 0)
        add_part(text, "no positions in %zu of %" PRIu32 " layers", bare, h->layers);
    if (d->window_head != 0 || d->window_kv_heads != 0) {
        const bipe_heads heads = heads_like(h, true);
        add_part(text, "heads of %zu there, %zu for keys and values", heads.size, heads.key_heads);
    }
    if (same > 0)
        add_part(text, "keys for values in %zu of %" PRIu32 " layers", same, h->layers);
    if (d->value_norms)
        add_part(text, "norms of values");
    if (bipe_decoder_has(d, BIPE_ROLE_LAYER_SCALE))
        add_part(text, "a scale of each layer");
    if (d->rotary != 0 && d->rotary != h->head_size)
        add_part(text, "%" PRIu32 " of %" PRIu32 " values rotated", d->rotary, h->head_size);
    if (d->attention_scale != 0)
        add_part(text, "scores times %.4g", d->attention_scale);
    if (d->attention_cap != 0)
        add_part(text, "scores capped at %g", d->attention_cap);
    if (d->alibi_most != 0 && d->alibi_most != 8)
        add_part(text, "slopes of alibi down to 2^-%g", d->alibi_most);
    if (d->t5_buckets != 0)
        add_part(text, "%" PRIu32 " buckets of t5", d->t5_buckets);
    if (d->clip != 0)
        add_part(text, "queries, keys and values up to %g", d->clip);
    if (d->logit_cap != 0)
        add_part(text, "logits capped at %g", d->logit_cap);
    if (d->embedding_scale != 1 || d->residual_scale != 1 || d->logit_scale != 1)
        add_part(text, "embedding, residuals and logits times %.4g, %.4g and %.4g", d->embedding_scale,
                 d->residual_scale, d->logit_scale);
    if (d->temperature != 0)
        add_part(text, "queries scaled by position");
    if (bipe_decoder_has(d, BIPE_ROLE_EMBEDDING_NORM))
        add_part(text, "a norm of the embedding");
    if (bipe_decoder_has(d, BIPE_ROLE_ROPE_LONG))
        add_part(text, "factors of rope for short and for long windows");
    return text;
}
