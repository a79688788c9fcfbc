/* trained.c - which decoders have a gradient for each parameter: those of which all that they compute is named here.
 * What is new in bipe_decoder is refused until src/train differentiates it. */
#include <stdio.h>

#include "model/architecture.h"
#include "model/weights.h"

static const bipe_role roles[] = {
    BIPE_ROLE_EMBEDDING, BIPE_ROLE_EMBEDDING_NORM, BIPE_ROLE_EMBEDDING_NORM_BIAS, BIPE_ROLE_LEARNED, BIPE_ROLE_T5,
    BIPE_ROLE_ROPE_FACTORS, BIPE_ROLE_ROPE_LONG, BIPE_ROLE_ROPE_SHORT, /* these three stay as they are */
    BIPE_ROLE_ATTENTION_NORM, BIPE_ROLE_ATTENTION_NORM_BIAS, BIPE_ROLE_QUERY, BIPE_ROLE_KEY, BIPE_ROLE_VALUE,
    BIPE_ROLE_QUERY_BIAS, BIPE_ROLE_KEY_BIAS, BIPE_ROLE_VALUE_BIAS, BIPE_ROLE_QUERY_NORM, BIPE_ROLE_KEY_NORM,
    BIPE_ROLE_ATTENTION, BIPE_ROLE_ATTENTION_BIAS, BIPE_ROLE_ATTENTION_POST_NORM, BIPE_ROLE_FEED_FORWARD_NORM,
    BIPE_ROLE_FEED_FORWARD_NORM_BIAS, BIPE_ROLE_GATE, BIPE_ROLE_UP, BIPE_ROLE_GATE_BIAS, BIPE_ROLE_UP_BIAS,
    BIPE_ROLE_DOWN, BIPE_ROLE_DOWN_BIAS, BIPE_ROLE_FEED_FORWARD_POST_NORM, BIPE_ROLE_NORM, BIPE_ROLE_NORM_BIAS,
    BIPE_ROLE_OUTPUT,
};

/* Members of the decoder (bipe_decoder_fields). */
static const size_t fields[] = {
    offsetof(bipe_decoder, activation), offsetof(bipe_decoder, layer_norm), offsetof(bipe_decoder, row_norms),
    offsetof(bipe_decoder, own_norms), offsetof(bipe_decoder, parallel), offsetof(bipe_decoder, embedding_scale),
    offsetof(bipe_decoder, residual_scale), offsetof(bipe_decoder, logit_scale),
    offsetof(bipe_decoder, attention_scale), offsetof(bipe_decoder, attention_cap), offsetof(bipe_decoder, logit_cap),
    offsetof(bipe_decoder, clip), offsetof(bipe_decoder, alibi_most), offsetof(bipe_decoder, t5_buckets),
    offsetof(bipe_decoder, temperature), offsetof(bipe_decoder, temperature_length), offsetof(bipe_decoder, window),
    offsetof(bipe_decoder, window_base), offsetof(bipe_decoder, window_unscaled),
};

static const nn_activation activations[] = {NN_SILU, NN_GELU, NN_GELU_TANH, NN_RELU, NN_RELU_SQUARED};

/* Biases of one product, which are there together. */
static const bipe_role together[][3] = {
    {BIPE_ROLE_QUERY_BIAS, BIPE_ROLE_KEY_BIAS, BIPE_ROLE_VALUE_BIAS},
    {BIPE_ROLE_GATE_BIAS, BIPE_ROLE_UP_BIAS, BIPE_ROLE_UP_BIAS},
};

static const char *name_of(bipe_role role, char name[BIPE_PARAMETER_NAME])
{
    bipe_slot slot = {.role = role};
    return bipe_slot_name(&slot, BIPE_NAMING_GGUF, name);
}

/* The roles of the decoder that have no gradient. */
static uint64_t lacking_roles(const bipe_decoder *d)
{
    uint64_t known = 0;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        known |= BIPE_ROLE_BIT(roles[i]);
    return d->roles & ~known;
}

/* The first field in which the decoder is not the plain one, and that is not known here; NULL: none. */
static const bipe_decoder_field *lacking_field(const bipe_decoder *d)
{
    for (size_t i = 0; i < bipe_decoder_field_count; i++) {
        const bipe_decoder_field *field = &bipe_decoder_fields[i];
        bool known = !bipe_decoder_field_differs(d, field);
        for (size_t j = 0; j < sizeof fields / sizeof fields[0]; j++)
            known |= fields[j] == field->offset;
        if (!known)
            return field;
    }
    return NULL;
}

static bool knows_activation(nn_activation activation)
{
    bool known = false;
    for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++)
        known |= activation == activations[i];
    return known;
}

static bool knows_layers(const bipe_decoder *d)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < BIPE_KIND_LAYERS; i++)
        kinds |= d->layer[i];
    return (kinds & ~(unsigned)(BIPE_LAYER_WINDOW | BIPE_LAYER_NO_POSITIONS)) == 0;
}

/* The product that has only some of its biases; NULL: none. */
static const bipe_role *partial_biases(const bipe_decoder *d)
{
    const size_t products = bipe_decoder_has(d, BIPE_ROLE_GATE) ? 2 : 1;
    for (size_t i = 0; i < products; i++)
        for (size_t j = 1; j < 3; j++)
            if (bipe_decoder_has(d, (int)together[i][j]) != bipe_decoder_has(d, (int)together[i][0]))
                return together[i];
    return NULL;
}

bool bipe_decoder_trains(const bipe_hyperparameters *hyper, char lacking[BIPE_LACKING_TEXT])
{
    const bipe_decoder *d = bipe_decoder_of(hyper);
    const uint64_t others = lacking_roles(d);
    const bipe_decoder_field *field = lacking_field(d);
    const bipe_role *partial = partial_biases(d);
    char name[BIPE_PARAMETER_NAME];
    int role = 0;
    while (role < BIPE_ROLES && (others & BIPE_ROLE_BIT(role)) == 0)
        role++;
    lacking[0] = '\0';
    if (role < BIPE_ROLES)
        snprintf(lacking, BIPE_LACKING_TEXT, "'%s'", name_of((bipe_role)role, name));
    else if (others != 0)
        snprintf(lacking, BIPE_LACKING_TEXT, "parameters of an unknown kind");
    else if (field != NULL)
        snprintf(lacking, BIPE_LACKING_TEXT, "'%s'", field->key);
    else if (!knows_activation(d->activation))
        snprintf(lacking, BIPE_LACKING_TEXT, "the activation '%s'", bipe_activation_name(d->activation));
    else if (!knows_layers(d))
        snprintf(lacking, BIPE_LACKING_TEXT, "layers of an unknown kind");
    else if (partial != NULL)
        snprintf(lacking, BIPE_LACKING_TEXT, "some biases of '%s' and its like, not all", name_of(partial[0], name));
    return lacking[0] == '\0';
}
