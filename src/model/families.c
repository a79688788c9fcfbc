/* families.c - the one table of families of models: a family is a row. */
#include "model/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define R(role) BIPE_ROLE_BIT(BIPE_ROLE_##role)

/* Roles that go together. */
#define NORMS_BEFORE (R(ATTENTION_NORM) | R(FEED_FORWARD_NORM))
#define NORMS_AFTER (R(ATTENTION_POST_NORM) | R(FEED_FORWARD_POST_NORM))
#define QKV_BIASES (R(QUERY_BIAS) | R(KEY_BIAS) | R(VALUE_BIAS))
#define HEAD_NORMS (R(QUERY_NORM) | R(KEY_NORM))
#define HIDDEN_BIASES (R(GATE_BIAS) | R(UP_BIAS) | R(DOWN_BIAS))
#define BIASES (QKV_BIASES | R(ATTENTION_BIAS) | HIDDEN_BIASES)
#define LLAMA_ROLES (NORMS_BEFORE | R(GATE))
#define UNSCALED .embedding_scale = 1, .residual_scale = 1, .logit_scale = 1
#define ARCHITECTURE(name) .architecture = name, .format = "gguf-" name

/* Rows of keys of config.json. */
#define MEMBER(member) offsetof(bipe_configuration, member)
#define COUNT(key, member) {key, NULL, BIPE_CONFIG_COUNT, MEMBER(member), 0}
#define NUMBER(key, member) {key, NULL, BIPE_CONFIG_NUMBER, MEMBER(member), 0}
#define FLAG(key, member) {key, NULL, BIPE_CONFIG_FLAG, MEMBER(member), 0}
#define HAS(key, roles) {key, NULL, BIPE_CONFIG_ROLES, 0, roles}
#define KNOWN(key, values) {key, values, BIPE_CONFIG_NOTHING, 0, 0}
#define ANY ""
#define KEYS(...) (const bipe_config_key[]){__VA_ARGS__, {NULL, NULL, BIPE_CONFIG_NOTHING, 0, 0}}

const bipe_family bipe_families[] = {
    {.name = "Llama", ARCHITECTURE("llama"), .model_type = {"llama"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = BIASES | HEAD_NORMS, .interleaved = {false, true},
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), HAS("mlp_bias", HIDDEN_BIASES))},
    {.name = "Qwen 2", ARCHITECTURE("qwen2"), .model_type = {"qwen2"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = BIASES | HEAD_NORMS, .config_roles = QKV_BIASES, /* whatever attention_bias says */
     .config = KEYS(KNOWN("attention_bias", ANY), KNOWN("sliding_window", ANY),
                    KNOWN("dual_chunk_attention_config", ANY) /* transformers does not read it */)},
    {.name = "Qwen 3", ARCHITECTURE("qwen3"), .model_type = {"qwen3"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = BIASES | HEAD_NORMS, .config_roles = HEAD_NORMS, .usual_head = 128,
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), KNOWN("sliding_window", ANY))},
};
const size_t bipe_family_count = sizeof bipe_families / sizeof bipe_families[0];

bool bipe_family_at(size_t i, bipe_family_names *names)
{
    if (i >= bipe_family_count)
        return false;
    const bipe_family *family = &bipe_families[i];
    bipe_decoder decoder = family->decoder;
    const bipe_hyperparameters hyper = {.decoder = &decoder};
    *names = (bipe_family_names){.name = family->name, .architecture = family->architecture};
    for (size_t j = 0; j < BIPE_MODEL_TYPES && family->model_type[j] != NULL; j++)
        snprintf(names->model_types + strlen(names->model_types),
                 sizeof names->model_types - strlen(names->model_types), "%s%s", j > 0 ? ", " : "",
                 family->model_type[j]);
    bipe_decoder_describe(&hyper, names->decoder);
    return true;
}

const bipe_family *bipe_family_of_architecture(const char *name, size_t size)
{
    for (size_t i = 0; i < bipe_family_count; i++) {
        const char *known = bipe_families[i].architecture;
        if (known != NULL && strlen(known) == size && memcmp(known, name, size) == 0)
            return &bipe_families[i];
    }
    return NULL;
}

const bipe_family *bipe_family_of_model_type(const char *name)
{
    for (size_t i = 0; i < bipe_family_count; i++)
        for (size_t j = 0; j < BIPE_MODEL_TYPES && bipe_families[i].model_type[j] != NULL; j++)
            if (strcmp(bipe_families[i].model_type[j], name) == 0)
                return &bipe_families[i];
    return NULL;
}

void bipe_family_complete(const bipe_family *family, const bipe_hyperparameters *hyper, bipe_decoder *decoder)
{
    if (decoder->window == 0)
        decoder->window = family->usual_window;
    if (decoder->window_base == 0)
        decoder->window_base = family->usual_window_base;
    if (family->window_off)
        decoder->window = 0;
    if (family->root_embedding)
        decoder->embedding_scale = sqrt((double)hyper->hidden);
    if (family->divided_logits && decoder->logit_scale != 0)
        decoder->logit_scale = 1 / decoder->logit_scale;
    double *const numbers[] = {&decoder->embedding_scale, &decoder->logit_scale}; /* kept as native files keep them */
    for (size_t i = 0; i < 2; i++)
        *numbers[i] = (double)(float)*numbers[i];
}

const char *bipe_family_name(const bipe_family *family, const bipe_slot *slot, bipe_naming naming,
                             char name[BIPE_PARAMETER_NAME])
{
    for (size_t i = 0; family != NULL && i < BIPE_FAMILY_NAMES; i++) {
        const bipe_role_name *other = &family->names[naming][i];
        if (other->name != NULL && other->role == slot->role) {
            char layer[32] = "";
            if (bipe_role_of_layer(slot->role))
                snprintf(layer, sizeof layer, "%s.%u.", naming == BIPE_NAMING_HF ? "model.layers" : "blk",
                         (unsigned)slot->layer);
            snprintf(name, BIPE_PARAMETER_NAME, "%s%s", layer, other->name);
            return name;
        }
    }
    return bipe_slot_name(slot, naming, name);
}
