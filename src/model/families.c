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
#define NORM_BIASES (R(ATTENTION_NORM_BIAS) | R(FEED_FORWARD_NORM_BIAS) | R(NORM_BIAS))
#define LONG_FACTORS (R(ROPE_LONG) | R(ROPE_SHORT))
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
     .optional = HEAD_NORMS, .interleaved = {false, true}, .reads = "attention.sliding_window", /* Mistral's */
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), HAS("mlp_bias", HIDDEN_BIASES))},
    {.name = "Qwen 2", ARCHITECTURE("qwen2"), .model_type = {"qwen2"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = HEAD_NORMS, .config_roles = QKV_BIASES, /* whatever attention_bias says */
     .config = KEYS(KNOWN("attention_bias", ANY), KNOWN("sliding_window", ANY),
                    KNOWN("dual_chunk_attention_config", ANY) /* transformers does not read it */)},
    {.name = "Qwen 3", ARCHITECTURE("qwen3"), .model_type = {"qwen3"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = HEAD_NORMS, .config_roles = HEAD_NORMS, .usual_head = 128,
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), KNOWN("sliding_window", ANY))},
    {.name = "Mistral 3", ARCHITECTURE("mistral3"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .interleaved = {false, true},
     .reads = "attention.temperature_scale rope.scaling.yarn_log_multiplier"},
    {.name = "SmolLM 3", ARCHITECTURE("smollm3"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .interleaved = {false, true}, .bare_every = 4},
    {.name = "Granite", ARCHITECTURE("granite"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .interleaved = {false, true}, .divided_logits = true,
     .reads = "embedding_scale residual_scale logit_scale attention.scale rope.scaling.finetuned "
              /* of the layers that hybrid ones have and these have not */
              "ssm.conv_kernel ssm.inner_size ssm.state_size ssm.group_count ssm.time_step_rank"},
    {.name = "OLMo 2", ARCHITECTURE("olmo2"),
     .decoder = {.roles = NORMS_AFTER | R(GATE) | HEAD_NORMS, .row_norms = true, .window_unscaled = true, UNSCALED},
     .full_every = 4,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa"},
    {.name = "Phi-3", ARCHITECTURE("phi3"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .joined_gate_up = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.dimension_count"},
    {.name = "Gemma", ARCHITECTURE("gemma"),
     .decoder = {.roles = LLAMA_ROLES, .activation = NN_GELU_TANH, UNSCALED}, .root_embedding = true},
    {.name = "Gemma 2", ARCHITECTURE("gemma2"),
     .decoder = {.roles = LLAMA_ROLES | NORMS_AFTER, .activation = NN_GELU_TANH, UNSCALED}, .root_embedding = true,
     .usual_window = 4096, .full_every = 2, .wide_scale_layers = 46,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa attention.scale "
              "attn_logit_softcapping final_logit_softcapping"},
    {.name = "Gemma 3", ARCHITECTURE("gemma3"),
     .decoder = {.roles = LLAMA_ROLES | NORMS_AFTER | HEAD_NORMS, .activation = NN_GELU_TANH, .window_unscaled = true,
                 UNSCALED},
     .root_embedding = true, .usual_window_base = 10000, .full_every = 6,
     .wide_scale_layers = 62,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa attention.scale "
              "final_logit_softcapping"},
    {.name = "Seed-OSS", ARCHITECTURE("seed_oss"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .names = {{{0}}, {{BIPE_ROLE_FEED_FORWARD_NORM, "post_attention_norm.weight"}}}},
    {.name = "EXAONE 4", ARCHITECTURE("exaone4"),
     .decoder = {.roles = NORMS_AFTER | R(GATE) | HEAD_NORMS, UNSCALED}, 
     .full_every = 4, .bare_without_window = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa"},
    {.name = "Arcee", ARCHITECTURE("arcee"),
     .decoder = {.roles = NORMS_BEFORE, .activation = NN_RELU_SQUARED, UNSCALED},
     .interleaved = {false, true}},
    {.name = "ERNIE 4.5", ARCHITECTURE("ernie4_5"), .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .interleaved = {true, true}},
    {.name = "Cohere 2", ARCHITECTURE("cohere2"),
     .decoder = {.roles = R(ATTENTION_NORM) | R(GATE), .layer_norm = true, .parallel = true, UNSCALED},
     .interleaved = {true, true}, .full_every = 4,
     .bare_without_window = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa logit_scale "
              "attention.layer_norm_epsilon"},

    /* LayerNorm */
    {.name = "GPT-2", ARCHITECTURE("gpt2"),
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU_TANH, UNSCALED},
     .scheme = "learned@token"},
    {.name = "GPT-NeoX", ARCHITECTURE("gptneox"),
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU, UNSCALED},
     .reads = "use_parallel_residual rope.dimension_count"},
    {.name = "StarCoder 2", ARCHITECTURE("starcoder2"),
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU_TANH, UNSCALED},
     .reads = "attention.sliding_window"},
    {.name = "StableLM 2", ARCHITECTURE("stablelm"),
     .decoder = {.roles = R(ATTENTION_NORM) | R(ATTENTION_NORM_BIAS) | R(NORM_BIAS) | R(GATE), .layer_norm = true,
                 .own_norms = true, UNSCALED},
     .optional = HEAD_NORMS | R(FEED_FORWARD_NORM) | R(FEED_FORWARD_NORM_BIAS),
     .parallel_without_norm = true, .reads = "use_parallel_residual rope.dimension_count"},
    {.name = "Falcon", ARCHITECTURE("falcon"),
     .decoder = {.roles = R(ATTENTION_NORM) | R(ATTENTION_NORM_BIAS) | R(NORM_BIAS), .layer_norm = true,
                 .parallel = true, .activation = NN_GELU, UNSCALED},
     .optional = R(FEED_FORWARD_NORM) | R(FEED_FORWARD_NORM_BIAS), .second_norm = true},
    {.name = "BLOOM", ARCHITECTURE("bloom"),
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES | R(EMBEDDING_NORM) | R(EMBEDDING_NORM_BIAS), .layer_norm = true,
                 .activation = NN_GELU_TANH, UNSCALED},
     .scheme = "alibi"},
    {.name = "MPT", ARCHITECTURE("mpt"),
     .decoder = {.roles = NORMS_BEFORE, .layer_norm = true, .activation = NN_GELU, UNSCALED},
     .optional = NORM_BIASES, .scheme = "alibi", .reads = "attention.max_alibi_bias attention.clamp_kqv"},
};
const uint64_t bipe_product_biases = BIASES;
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
