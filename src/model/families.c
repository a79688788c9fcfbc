/* families.c - the one table of families of models: a family is a row. */
#include "model/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define R(role) BIPE_ROLE_BIT(BIPE_ROLE_##role)

/* Roles that go together. */
#define NORMS_BEFORE (R(ATTENTION_NORM) | R(FEED_FORWARD_NORM))
#define NORMS_AFTER (R(ATTENTION_POST_NORM) | R(FEED_FORWARD_POST_NORM))
#define SUB_NORMS (R(ATTENTION_SUB_NORM) | R(FEED_FORWARD_SUB_NORM))
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
#define INVERSE(key, member) {key, NULL, BIPE_CONFIG_INVERSE, MEMBER(member), 0}
#define INVERSE_ROOT(key, member) {key, NULL, BIPE_CONFIG_INVERSE_ROOT, MEMBER(member), 0}
#define SHARE(key, member) {key, NULL, BIPE_CONFIG_SHARE, MEMBER(member), 0}
#define ACTIVATION(key) {key, NULL, BIPE_CONFIG_ACTIVATION, MEMBER(decoder.activation), 0}
#define READ(key) KNOWN(key, NULL) /* by code */
#define ANY ""
#define ATTENTION_BIASES HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS))
#define MLP_BIASES HAS("mlp_bias", HIDDEN_BIASES)
#define UNGATED_MLP_BIASES HAS("mlp_bias", R(UP_BIAS) | R(DOWN_BIAS))
#define WINDOW COUNT("sliding_window", decoder.window), READ("layer_types"), READ("sliding_window_pattern")
#define MIXTURE(count) \
    COUNT(count, decoder.experts), COUNT("num_experts_per_tok", decoder.experts_used), \
        KNOWN("output_router_logits", ANY), KNOWN("router_aux_loss_coef", ANY)
#define QWEN_MIXTURE \
    MIXTURE("num_experts"), READ("moe_intermediate_size"), FLAG("norm_topk_prob", decoder.experts_normalized), \
        KNOWN("decoder_sparse_step", "1"), KNOWN("mlp_only_layers", "[]"), KNOWN("sliding_window", ANY)
#define GPT_BIASES (QKV_BIASES | R(ATTENTION_BIAS) | R(UP_BIAS) | R(DOWN_BIAS))
#define GRANITE_SCALES \
    NUMBER("embedding_multiplier", decoder.embedding_scale), NUMBER("residual_multiplier", decoder.residual_scale), \
        NUMBER("attention_multiplier", decoder.attention_scale), INVERSE("logits_scaling", decoder.logit_scale)
#define KEYS(...) (const bipe_config_key[]){__VA_ARGS__, {NULL, NULL, BIPE_CONFIG_NOTHING, 0, 0}}

const bipe_family bipe_families[] = {
    {.name = "Llama", ARCHITECTURE("llama"), .model_type = {"llama"},
     .decoder = {.roles = LLAMA_ROLES, .experts_normalized = true, UNSCALED},
     .optional = HEAD_NORMS, .interleaved = {false, true},
     .reads = "attention.sliding_window expert_count expert_used_count", /* Mistral's and Mixtral's */
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), HAS("mlp_bias", HIDDEN_BIASES))},
    {.name = "Qwen 2", ARCHITECTURE("qwen2"), .model_type = {"qwen2"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = HEAD_NORMS, .config_roles = QKV_BIASES, /* whatever attention_bias says */
     .config = KEYS(KNOWN("attention_bias", ANY), COUNT("sliding_window", decoder.window),
                    KNOWN("dual_chunk_attention_config", ANY) /* transformers does not read it */,
                    READ("use_sliding_window"), READ("max_window_layers"), READ("layer_types")),
     .window_asked = true},
    {.name = "Qwen 3", ARCHITECTURE("qwen3"), .model_type = {"qwen3"}, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = HEAD_NORMS, .config_roles = HEAD_NORMS, .usual_head = 128,
     .config = KEYS(HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), KNOWN("sliding_window", ANY))},
    {.name = "Mistral", .model_type = {"mistral"}, .within = {"mistral3"},
     .decoder = {.roles = LLAMA_ROLES, UNSCALED}, .config = KEYS(WINDOW)},
    {.name = "Mistral 3", ARCHITECTURE("mistral3"), .model_type = {"ministral3"}, .within = {"mistral3"},
     .config = KEYS(WINDOW, NUMBER("llama_4_scaling_beta", decoder.temperature)),
     .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .interleaved = {false, true},
     .reads = "attention.temperature_scale rope.scaling.yarn_log_multiplier"},
    {.name = "SmolLM 3", ARCHITECTURE("smollm3"), .model_type = {"smollm3"}, .window_asked = true, .usual_base = 2e6,
     .config = KEYS(ATTENTION_BIASES, MLP_BIASES, WINDOW, READ("use_sliding_window"), READ("max_window_layers"),
                    READ("no_rope_layers"), READ("no_rope_layer_interval")),
     .usually_tied = true, .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .interleaved = {false, true}, .bare_every = 4},
    {.name = "Granite", ARCHITECTURE("granite"), .model_type = {"granite"},
     .usual_config = {.attention_scale = 1}, .config = KEYS(ATTENTION_BIASES, MLP_BIASES, GRANITE_SCALES),
     .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .interleaved = {false, true}, .divided_logits = true,
     .reads = "embedding_scale residual_scale logit_scale attention.scale rope.scaling.finetuned "
              /* of the layers that hybrid ones have and these have not */
              "ssm.conv_kernel ssm.inner_size ssm.state_size ssm.group_count ssm.time_step_rank"},
    {.name = "Granite 4", .model_type = {"granitemoehybrid"}, .hybrid = true,
     .joined = {NULL, "shared_mlp.input_linear"}, .usual_config = {.attention_scale = 1},
     .config = KEYS(ATTENTION_BIASES, GRANITE_SCALES, COUNT("shared_intermediate_size", hyper.feed_forward),
                    KNOWN("intermediate_size", ANY), READ("layer_types"), READ("position_embedding_type"),
                    KNOWN("normalization_function", "rmsnorm"), KNOWN("init_method", ANY),
                    KNOWN("num_experts_per_tok", ANY), KNOWN("output_router_logits", ANY),
                    KNOWN("router_aux_loss_coef", ANY), KNOWN("mamba_chunk_size", ANY), KNOWN("mamba_conv_bias", ANY),
                    KNOWN("mamba_d_conv", ANY), KNOWN("mamba_d_head", ANY), KNOWN("mamba_d_state", ANY),
                    KNOWN("mamba_expand", ANY), KNOWN("mamba_n_groups", ANY), KNOWN("mamba_n_heads", ANY),
                    KNOWN("mamba_proj_bias", ANY)),
     .names = {{{BIPE_ROLE_DOWN, "shared_mlp.output_linear.weight"}}}, .decoder = {.roles = LLAMA_ROLES, UNSCALED}},
    {.name = "OLMo 2", ARCHITECTURE("olmo2"), .model_type = {"olmo2", "olmo3"}, .usual_epsilon = 1e-5,
     .config = KEYS(ATTENTION_BIASES, WINDOW),
     .decoder = {.roles = NORMS_AFTER | R(GATE) | HEAD_NORMS, .row_norms = true, .window_unscaled = true, UNSCALED},
     .full_every = 4,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa"},
    {.name = "Phi-3", ARCHITECTURE("phi3"), .model_type = {"phi3"}, .usual_epsilon = 1e-5,
     .config = KEYS(COUNT("sliding_window", decoder.window), SHARE("partial_rotary_factor", decoder.rotary)),
     .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .optional = LONG_FACTORS, .joined_gate_up = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.dimension_count"},
    {.name = "Gemma", ARCHITECTURE("gemma"), .model_type = {"gemma"}, .usual_head = 256, .usually_tied = true,
     .gains_less_one = true, .any_activation = true, /* its class has this one whatever hidden_act says */
     .config = KEYS(ATTENTION_BIASES, KNOWN("hidden_activation", "gelu_pytorch_tanh"), KNOWN("hidden_act", ANY)),
     .decoder = {.roles = LLAMA_ROLES, .activation = NN_GELU_TANH, UNSCALED}, .root_embedding = true},
    {.name = "Gemma 2", ARCHITECTURE("gemma2"), .model_type = {"gemma2"}, .usual_head = 256, .usually_tied = true,
     .gains_less_one = true, .any_activation = true, .usual_config = {.attention_scale = 0.0625, .attention_cap = 50,
     .logit_cap = 30},
     .config = KEYS(ATTENTION_BIASES, ACTIVATION("hidden_activation"), KNOWN("hidden_act", ANY), WINDOW,
                    INVERSE_ROOT("query_pre_attn_scalar", decoder.attention_scale), KNOWN("cache_implementation", ANY),
                    NUMBER("attn_logit_softcapping", decoder.attention_cap),
                    NUMBER("final_logit_softcapping", decoder.logit_cap)),
     .names = {{{BIPE_ROLE_FEED_FORWARD_NORM, "pre_feedforward_layernorm.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | NORMS_AFTER, .activation = NN_GELU_TANH, UNSCALED}, .root_embedding = true,
     .usual_window = 4096, .full_every = 2, .wide_scale_layers = 46,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa attention.scale "
              "attn_logit_softcapping final_logit_softcapping"},
    {.name = "Gemma 3", ARCHITECTURE("gemma3"), .model_type = {"gemma3_text"}, .within = {"gemma3"},
     .usual_head = 256, .usual_vocabulary = 262208, .usual_heads = 8, .usual_kv_heads = 4, .usual_length = 131072,
     .usually_tied = true, .gains_less_one = true, .any_activation = true, .usual_base = 1e6,
     .usual_config = {.attention_scale = 0.0625, .window = 4096},
     .config = KEYS(ATTENTION_BIASES, ACTIVATION("hidden_activation"), KNOWN("hidden_act", ANY), WINDOW,
                    INVERSE_ROOT("query_pre_attn_scalar", decoder.attention_scale), KNOWN("cache_implementation", ANY),
                    NUMBER("attn_logit_softcapping", decoder.attention_cap),
                    NUMBER("final_logit_softcapping", decoder.logit_cap),
                    NUMBER("rope_local_base_freq", decoder.window_base)),
     .names = {{{BIPE_ROLE_FEED_FORWARD_NORM, "pre_feedforward_layernorm.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | NORMS_AFTER | HEAD_NORMS, .activation = NN_GELU_TANH, .window_unscaled = true,
                 UNSCALED},
     .root_embedding = true, .usual_window_base = 10000, .full_every = 6,
     .wide_scale_layers = 62,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa attention.scale "
              "final_logit_softcapping"},
    {.name = "Gemma 4", ARCHITECTURE("gemma4"), .model_type = {"gemma4_text"}, .within = {"gemma4"},
     .usual_head = 256, .usual_vocabulary = 262144, .usual_heads = 8, .usual_kv_heads = 4, .usual_length = 131072,
     .usually_tied = true, .any_activation = true, .usual_base = 1e6,
     .usual_config = {.attention_scale = 1, .window = 512},
     .config_roles = R(LAYER_SCALE),
     .config = KEYS(ATTENTION_BIASES, ACTIVATION("hidden_activation"), KNOWN("hidden_act", ANY), WINDOW,
                    READ("global_head_dim"), READ("num_global_key_value_heads"), READ("attention_k_eq_v"),
                    READ("per_layer_config"), NUMBER("final_logit_softcapping", decoder.logit_cap),
                    KNOWN("hidden_size_per_layer_input", "0"), KNOWN("vocab_size_per_layer_input", ANY),
                    KNOWN("num_kv_shared_layers", "0"), KNOWN("use_double_wide_mlp", "false"),
                    KNOWN("enable_moe_block", "false"), KNOWN("num_experts", ANY), KNOWN("top_k_experts", ANY),
                    KNOWN("moe_intermediate_size", ANY), KNOWN("expert_intermediate_size", ANY),
                    KNOWN("use_bidirectional_attention", "vision") /* of images */),
     .names = {{{BIPE_ROLE_FEED_FORWARD_NORM, "pre_feedforward_layernorm.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | NORMS_AFTER | HEAD_NORMS, .activation = NN_GELU_TANH, .window_unscaled = true,
                 .value_norms = true, .attention_scale = 1, UNSCALED},
     .optional = R(LAYER_SCALE), .root_embedding = true, .usual_window_base = 10000, .full_every = 6,
     .own_window_heads = true, .keys_may_be_values = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa final_logit_softcapping "
              "attention.key_length_swa attention.value_length_swa rope.dimension_count_swa"},
    {.name = "Seed-OSS", ARCHITECTURE("seed_oss"), .model_type = {"seed_oss"}, .usual_head = 128,
     .config_roles = QKV_BIASES,
     .config = KEYS(HAS("attention_bias", QKV_BIASES), HAS("attention_out_bias", R(ATTENTION_BIAS)), MLP_BIASES,
                    KNOWN("residual_dropout", ANY)),
     .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .names = {{{0}}, {{BIPE_ROLE_FEED_FORWARD_NORM, "post_attention_norm.weight"}}}},
    {.name = "EXAONE 4", ARCHITECTURE("exaone4"), .model_type = {"exaone4"}, .usual_epsilon = 1e-5,
     .config = KEYS(WINDOW),
     .decoder = {.roles = NORMS_AFTER | R(GATE) | HEAD_NORMS, UNSCALED},
     .full_every = 4, .bare_without_window = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa"},
    {.name = "Arcee", ARCHITECTURE("arcee"), .model_type = {"arcee"}, .usual_epsilon = 1e-5,
     .config = KEYS(ATTENTION_BIASES, UNGATED_MLP_BIASES),
     .decoder = {.roles = NORMS_BEFORE, .activation = NN_RELU_SQUARED, UNSCALED},
     .interleaved = {false, true}},
    {.name = "Apertus", ARCHITECTURE("apertus"), .model_type = {"apertus"}, .usual_epsilon = 1e-5, .usual_base = 12e6,
     .config = KEYS(ATTENTION_BIASES, KNOWN("qk_norm", "true"), KNOWN("post_norm", "false")),
     .names = {{{BIPE_ROLE_ATTENTION_NORM, "attention_layernorm.weight"},
                {BIPE_ROLE_FEED_FORWARD_NORM, "feedforward_layernorm.weight"}}},
     .decoder = {.roles = NORMS_BEFORE | HEAD_NORMS, .activation = NN_XIELU, UNSCALED}},
    {.name = "BitNet", ARCHITECTURE("bitnet"), /* of the first ones; files do not say their activation */
     .decoder = {.roles = LLAMA_ROLES | SUB_NORMS, UNSCALED}},
    {.name = "BitNet 2B4T", ARCHITECTURE("bitnet-b1.58"), .model_type = {"bitnet"}, .usual_epsilon = 1e-5,
     .usual_base = 5e5, .config = KEYS(ATTENTION_BIASES),
     .decoder = {.roles = LLAMA_ROLES | SUB_NORMS, .activation = NN_RELU_SQUARED, UNSCALED}},
    {.name = "ERNIE 4.5", ARCHITECTURE("ernie4_5"), .model_type = {"ernie4_5"}, .usual_head = 128,
     .usual_epsilon = 1e-5, .usual_base = 5e5, .usually_tied = true, .config = KEYS(HAS("use_bias", BIASES)),
     .decoder = {.roles = LLAMA_ROLES, UNSCALED},
     .interleaved = {true, true}},
    {.name = "Cohere 2", ARCHITECTURE("cohere2"), .model_type = {"cohere2"}, .usual_epsilon = 1e-5,
     .usually_tied = true, .usual_config = {.logit_scale = 0.0625, .window = 4096},
     .config = KEYS(ATTENTION_BIASES, WINDOW, NUMBER("layer_norm_eps", hyper.rms_norm_eps),
                    NUMBER("logit_scale", decoder.logit_scale), KNOWN("cache_implementation", ANY),
                    KNOWN("layer_switch", ANY), KNOWN("order_of_interleaved_layers", "local_attn_first"),
                    KNOWN("position_embedding_type", "rope_gptj"), KNOWN("rotary_pct", "1"),
                    KNOWN("use_embedding_sharing", "true"), KNOWN("use_gated_activation", "true"),
                    KNOWN("use_parallel_block", "true"), KNOWN("use_parallel_embedding", ANY)),
     .decoder = {.roles = R(ATTENTION_NORM) | R(GATE), .layer_norm = true, .parallel = true, UNSCALED},
     .interleaved = {true, true}, .full_every = 4,
     .bare_without_window = true,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa logit_scale "
              "attention.layer_norm_epsilon"},

    /* LayerNorm */
    {.name = "GPT-2", ARCHITECTURE("gpt2"), .model_type = {"gpt2"}, .usual_epsilon = 1e-5, .usually_tied = true,
     .config_roles = GPT_BIASES, .four_times = true, .transposed = true, .layers = "h",
     .joined = {"attn.c_attn", "none"},
     .config = KEYS(COUNT("n_embd", hyper.hidden), COUNT("n_layer", hyper.layers), COUNT("n_head", hyper.heads),
                    COUNT("n_inner", hyper.feed_forward), COUNT("n_positions", hyper.train_length), KNOWN("n_ctx", ANY),
                    NUMBER("layer_norm_epsilon", hyper.rms_norm_eps), ACTIVATION("activation_function"),
                    KNOWN("scale_attn_weights", "true"), KNOWN("scale_attn_by_inverse_layer_idx", "false"),
                    KNOWN("reorder_and_upcast_attn", ANY), KNOWN("summary_activation", ANY),
                    KNOWN("summary_first_dropout", ANY), KNOWN("summary_proj_to_labels", ANY),
                    KNOWN("summary_type", ANY), KNOWN("summary_use_proj", ANY)),
     .names = {{{BIPE_ROLE_EMBEDDING, "wte.weight"}, {BIPE_ROLE_LEARNED, "wpe.weight"}, {BIPE_ROLE_NORM, "ln_f.weight"},
                {BIPE_ROLE_NORM_BIAS, "ln_f.bias"}, {BIPE_ROLE_ATTENTION_NORM, "ln_1.weight"},
                {BIPE_ROLE_ATTENTION_NORM_BIAS, "ln_1.bias"}, {BIPE_ROLE_FEED_FORWARD_NORM, "ln_2.weight"},
                {BIPE_ROLE_FEED_FORWARD_NORM_BIAS, "ln_2.bias"}, {BIPE_ROLE_ATTENTION, "attn.c_proj.weight"},
                {BIPE_ROLE_ATTENTION_BIAS, "attn.c_proj.bias"}, {BIPE_ROLE_UP, "mlp.c_fc.weight"},
                {BIPE_ROLE_UP_BIAS, "mlp.c_fc.bias"}, {BIPE_ROLE_DOWN, "mlp.c_proj.weight"},
                {BIPE_ROLE_DOWN_BIAS, "mlp.c_proj.bias"}}},
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU_TANH, UNSCALED},
     .scheme = "learned@token"},
    {.name = "GPT-NeoX", ARCHITECTURE("gptneox"), .model_type = {"gpt_neox"}, .usual_epsilon = 1e-5,
     .usual_share = 0.25,
     .config_roles = GPT_BIASES, .grouped = true, .joined = {"attention.query_key_value", "none"},
     .usual_config = {.parallel = true}, .any_activation = true,
     .config = KEYS(NUMBER("layer_norm_eps", hyper.rms_norm_eps), SHARE("rotary_pct", decoder.rotary),
                    SHARE("partial_rotary_factor", decoder.rotary), READ("rotary_emb_base"),
                    HAS("attention_bias", QKV_BIASES | R(ATTENTION_BIAS)), ACTIVATION("hidden_act"),
                    FLAG("use_parallel_residual", decoder.parallel)),
     .names = {{{BIPE_ROLE_EMBEDDING, "embed_in.weight"}, {BIPE_ROLE_NORM, "final_layer_norm.weight"},
                {BIPE_ROLE_NORM_BIAS, "final_layer_norm.bias"}, {BIPE_ROLE_OUTPUT, "embed_out.weight"},
                {BIPE_ROLE_ATTENTION, "attention.dense.weight"}, {BIPE_ROLE_ATTENTION_BIAS, "attention.dense.bias"},
                {BIPE_ROLE_UP, "mlp.dense_h_to_4h.weight"}, {BIPE_ROLE_UP_BIAS, "mlp.dense_h_to_4h.bias"},
                {BIPE_ROLE_DOWN, "mlp.dense_4h_to_h.weight"}, {BIPE_ROLE_DOWN_BIAS, "mlp.dense_4h_to_h.bias"}}},
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU, UNSCALED},
     .reads = "use_parallel_residual rope.dimension_count"},
    {.name = "StarCoder 2", ARCHITECTURE("starcoder2"), .model_type = {"starcoder2"}, .usual_epsilon = 1e-5,
     .usually_tied = true, .config_roles = GPT_BIASES,
     .config = KEYS(NUMBER("norm_epsilon", hyper.rms_norm_eps), HAS("use_bias", GPT_BIASES),
                    COUNT("sliding_window", decoder.window), KNOWN("embedding_dropout", ANY),
                    KNOWN("residual_dropout", ANY), KNOWN("mlp_type", "default"), KNOWN("norm_type", "layer_norm")),
     .names = {{{BIPE_ROLE_UP, "mlp.c_fc.weight"}, {BIPE_ROLE_UP_BIAS, "mlp.c_fc.bias"},
                {BIPE_ROLE_DOWN, "mlp.c_proj.weight"}, {BIPE_ROLE_DOWN_BIAS, "mlp.c_proj.bias"}}},
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES, .layer_norm = true, .activation = NN_GELU_TANH, UNSCALED},
     .reads = "attention.sliding_window"},
    {.name = "StableLM 2", ARCHITECTURE("stablelm"), .model_type = {"stablelm"}, .usual_epsilon = 1e-5,
     .usual_share = 0.25,
     .config_roles = R(FEED_FORWARD_NORM) | R(FEED_FORWARD_NORM_BIAS),
     .config = KEYS(NUMBER("layer_norm_eps", hyper.rms_norm_eps), SHARE("partial_rotary_factor", decoder.rotary),
                    HAS("use_qkv_bias", QKV_BIASES), HAS("qk_layernorm", HEAD_NORMS),
                    FLAG("use_parallel_residual", decoder.parallel)),
     .head_norms = {"self_attn.q_layernorm.norms", "self_attn.k_layernorm.norms"},
     .decoder = {.roles = R(ATTENTION_NORM) | R(ATTENTION_NORM_BIAS) | R(NORM_BIAS) | R(GATE), .layer_norm = true,
                 .own_norms = true, UNSCALED},
     .optional = HEAD_NORMS | R(FEED_FORWARD_NORM) | R(FEED_FORWARD_NORM_BIAS),
     .parallel_without_norm = true, .reads = "use_parallel_residual rope.dimension_count"},
    {.name = "Falcon", ARCHITECTURE("falcon"), .model_type = {"falcon"}, .usual_epsilon = 1e-5, .usually_tied = true,
     .grouped = true, .layers = "h", .four_times = true, .usual_length = 2048,
     .joined = {"self_attention.query_key_value", "none"}, .any_activation = true,
     .config = KEYS(COUNT("ffn_hidden_size", hyper.feed_forward), READ("num_kv_heads"), READ("multi_query"),
                    READ("new_decoder_architecture"), NUMBER("layer_norm_epsilon", hyper.rms_norm_eps),
                    KNOWN("alibi", "false"), HAS("bias", GPT_BIASES), FLAG("parallel_attn", decoder.parallel),
                    KNOWN("apply_residual_connection_post_layernorm", "false"), KNOWN("activation", "gelu"),
                    KNOWN("hidden_act", "gelu"), READ("num_ln_in_parallel_attn")),
     .names = {{{BIPE_ROLE_EMBEDDING, "word_embeddings.weight"}, {BIPE_ROLE_NORM, "ln_f.weight"},
                {BIPE_ROLE_NORM_BIAS, "ln_f.bias"}, {BIPE_ROLE_ATTENTION, "self_attention.dense.weight"},
                {BIPE_ROLE_ATTENTION_BIAS, "self_attention.dense.bias"}, {BIPE_ROLE_UP, "mlp.dense_h_to_4h.weight"},
                {BIPE_ROLE_UP_BIAS, "mlp.dense_h_to_4h.bias"}, {BIPE_ROLE_DOWN, "mlp.dense_4h_to_h.weight"},
                {BIPE_ROLE_DOWN_BIAS, "mlp.dense_4h_to_h.bias"}}},
     .decoder = {.roles = R(ATTENTION_NORM) | R(ATTENTION_NORM_BIAS) | R(NORM_BIAS), .layer_norm = true,
                 .parallel = true, .activation = NN_GELU, UNSCALED},
     .optional = R(FEED_FORWARD_NORM) | R(FEED_FORWARD_NORM_BIAS),
     .two_norms = {{{BIPE_ROLE_ATTENTION_NORM, "ln_attn.weight"}, {BIPE_ROLE_ATTENTION_NORM_BIAS, "ln_attn.bias"},
                    {BIPE_ROLE_FEED_FORWARD_NORM, "ln_mlp.weight"},
                    {BIPE_ROLE_FEED_FORWARD_NORM_BIAS, "ln_mlp.bias"}},
                   {{BIPE_ROLE_ATTENTION_NORM, "attn_norm_2.weight"},
                    {BIPE_ROLE_ATTENTION_NORM_BIAS, "attn_norm_2.bias"},
                    {BIPE_ROLE_FEED_FORWARD_NORM, "attn_norm.weight"},
                    {BIPE_ROLE_FEED_FORWARD_NORM_BIAS, "attn_norm.bias"}}}},
    {.name = "BLOOM", ARCHITECTURE("bloom"), .model_type = {"bloom"}, .usual_epsilon = 1e-5, .usually_tied = true,
     .config_roles = GPT_BIASES, .grouped = true, .layers = "h", .four_times = true, .usual_length = 2048,
     .joined = {"self_attention.query_key_value", "none"},
     .config = KEYS(COUNT("n_embed", hyper.hidden), COUNT("n_layer", hyper.layers), COUNT("n_head", hyper.heads),
                    COUNT("seq_length", hyper.train_length), NUMBER("layer_norm_epsilon", hyper.rms_norm_eps),
                    KNOWN("apply_residual_connection_post_layernorm", "false"), KNOWN("slow_but_exact", ANY),
                    KNOWN("attention_softmax_in_fp32", ANY), KNOWN("bias_dropout_fusion", ANY),
                    KNOWN("masked_softmax_fusion", ANY), KNOWN("offset_alibi", ANY), KNOWN("skip_bias_add", ANY),
                    KNOWN("skip_bias_add_qkv", ANY), KNOWN("unk_token_id", ANY)),
     .names = {{{BIPE_ROLE_EMBEDDING, "word_embeddings.weight"},
                {BIPE_ROLE_EMBEDDING_NORM, "word_embeddings_layernorm.weight"},
                {BIPE_ROLE_EMBEDDING_NORM_BIAS, "word_embeddings_layernorm.bias"}, {BIPE_ROLE_NORM, "ln_f.weight"},
                {BIPE_ROLE_NORM_BIAS, "ln_f.bias"}, {BIPE_ROLE_ATTENTION, "self_attention.dense.weight"},
                {BIPE_ROLE_ATTENTION_BIAS, "self_attention.dense.bias"}, {BIPE_ROLE_UP, "mlp.dense_h_to_4h.weight"},
                {BIPE_ROLE_UP_BIAS, "mlp.dense_h_to_4h.bias"}, {BIPE_ROLE_DOWN, "mlp.dense_4h_to_h.weight"},
                {BIPE_ROLE_DOWN_BIAS, "mlp.dense_4h_to_h.bias"}}},
     .decoder = {.roles = NORMS_BEFORE | NORM_BIASES | R(EMBEDDING_NORM) | R(EMBEDDING_NORM_BIAS), .layer_norm = true,
                 .activation = NN_GELU_TANH, UNSCALED},
     .scheme = "alibi"},
    {.name = "MPT", ARCHITECTURE("mpt"), .model_type = {"mpt"}, .usual_epsilon = 1e-5, .usually_tied = true,
     .layers = "blocks", .four_times = true, .usual_length = 2048, .joined = {"attn.Wqkv", "none"},
     .object = "attn_config",
     .config = KEYS(COUNT("d_model", hyper.hidden), COUNT("n_layers", hyper.layers), COUNT("n_heads", hyper.heads),
                    COUNT("max_seq_len", hyper.train_length), NUMBER("layer_norm_epsilon", hyper.rms_norm_eps),
                    KNOWN("expansion_ratio", "4"), KNOWN("no_bias", "true"),
                    KNOWN("norm_type", "low_precision_layernorm layernorm"), KNOWN("learned_pos_emb", ANY),
                    KNOWN("emb_pdrop", ANY), KNOWN("resid_pdrop", ANY), KNOWN("embedding_fraction", ANY),
                    KNOWN("init_config", ANY), KNOWN("init_device", ANY), KNOWN("tokenizer_name", ANY),
                    KNOWN("verbose", ANY), READ("attn_config"), KNOWN("alibi", "true"),
                    NUMBER("alibi_bias_max", decoder.alibi_most), NUMBER("clip_qkv", decoder.clip),
                    NUMBER("softmax_scale", decoder.attention_scale), KNOWN("attn_type", "multihead_attention"),
                    KNOWN("attn_uses_sequence_id", "false"), KNOWN("attn_pdrop", ANY), KNOWN("attn_impl", ANY),
                    KNOWN("prefix_lm", "false"), KNOWN("qk_ln", "false")),
     .names = {{{BIPE_ROLE_EMBEDDING, "wte.weight"}, {BIPE_ROLE_NORM, "norm_f.weight"},
                {BIPE_ROLE_ATTENTION_NORM, "norm_1.weight"}, {BIPE_ROLE_ATTENTION, "attn.out_proj.weight"},
                {BIPE_ROLE_FEED_FORWARD_NORM, "norm_2.weight"}, {BIPE_ROLE_UP, "ffn.up_proj.weight"},
                {BIPE_ROLE_DOWN, "ffn.down_proj.weight"}}},
     .decoder = {.roles = NORMS_BEFORE, .layer_norm = true, .activation = NN_GELU, UNSCALED},
     .optional = NORM_BIASES, .scheme = "alibi", .reads = "attention.max_alibi_bias attention.clamp_kqv"},

    /* mixtures of experts */
    {.name = "Mixtral", .model_type = {"mixtral"}, .usual_epsilon = 1e-5, .usual_base = 1e6,
     .usual_config = {.experts = 8, .experts_used = 2, .experts_normalized = true},
     .config = KEYS(COUNT("sliding_window", decoder.window), MIXTURE("num_local_experts"),
                    KNOWN("router_jitter_noise", ANY)),
     .names = {{{BIPE_ROLE_ROUTER, "block_sparse_moe.gate.weight"},
                {BIPE_ROLE_GATE, "block_sparse_moe.experts.#.w1.weight"},
                {BIPE_ROLE_UP, "block_sparse_moe.experts.#.w3.weight"},
                {BIPE_ROLE_DOWN, "block_sparse_moe.experts.#.w2.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | R(ROUTER), .experts_normalized = true, UNSCALED}},
    {.name = "Qwen 2 MoE", ARCHITECTURE("qwen2moe"), .model_type = {"qwen2_moe"}, .config_roles = QKV_BIASES,
     .usual_config = {.experts = 60, .experts_used = 4, .shared = 5632}, .expert_size = "moe_intermediate_size",
     .config = KEYS(HAS("qkv_bias", QKV_BIASES), QWEN_MIXTURE,
                    COUNT("shared_expert_intermediate_size", decoder.shared)),
     .decoder = {.roles = LLAMA_ROLES | R(ROUTER) | R(SHARED_ROUTER), UNSCALED},
     .reads = "expert_count expert_used_count expert_feed_forward_length expert_shared_feed_forward_length"},
    {.name = "Qwen 3 MoE", ARCHITECTURE("qwen3moe"), .model_type = {"qwen3_moe"}, .config_roles = HEAD_NORMS,
     .usual_config = {.experts = 128, .experts_used = 8}, .expert_size = "moe_intermediate_size",
     .config = KEYS(ATTENTION_BIASES, QWEN_MIXTURE),
     .decoder = {.roles = LLAMA_ROLES | R(ROUTER), .experts_normalized = true, UNSCALED}, .optional = HEAD_NORMS,
     .reads = "expert_count expert_used_count expert_feed_forward_length"},
    {.name = "OLMoE", ARCHITECTURE("olmoe"), .model_type = {"olmoe"}, .usual_epsilon = 1e-5,
     .usual_config = {.experts = 64, .experts_used = 8},
     .config = KEYS(ATTENTION_BIASES, MIXTURE("num_experts"), FLAG("norm_topk_prob", decoder.experts_normalized),
                    NUMBER("clip_qkv", decoder.clip)),
     .decoder = {.roles = LLAMA_ROLES | HEAD_NORMS | R(ROUTER), .row_norms = true, UNSCALED},
     .reads = "expert_count expert_used_count"},
    {.name = "Granite MoE", ARCHITECTURE("granitemoe"), .model_type = {"granitemoe", "granitemoeshared"},
     .usual_config = {.experts = 8, .experts_used = 2, .experts_normalized = true},
     .joined_experts = "block_sparse_moe.input_linear",
     .config = KEYS(ATTENTION_BIASES, GRANITE_SCALES, MIXTURE("num_local_experts"),
                    COUNT("shared_intermediate_size", decoder.shared)),
     .names = {{{BIPE_ROLE_ROUTER, "block_sparse_moe.router.layer.weight"},
                {BIPE_ROLE_DOWN, "block_sparse_moe.output_linear.weight"},
                {BIPE_ROLE_SHARED_DOWN, "shared_mlp.output_linear.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | R(ROUTER), .experts_normalized = true, UNSCALED},
     .optional = LONG_FACTORS, .interleaved = {false, true}, .divided_logits = true,
     .reads = "embedding_scale residual_scale logit_scale attention.scale rope.scaling.finetuned expert_count "
              "expert_used_count expert_shared_feed_forward_length"},
    {.name = "gpt-oss", ARCHITECTURE("gpt-oss"), .model_type = {"gpt_oss"}, .usual_head = 64, .usual_epsilon = 1e-5,
     .usual_base = 150000, .any_activation = true, .alternate_experts = true, .exact_yarn = true,
     .usual_config = {.experts = 128, .experts_used = 4, .experts_normalized = true, .window = 128},
     .config = KEYS(ATTENTION_BIASES, WINDOW, MIXTURE("num_local_experts"), KNOWN("hidden_act", ANY),
                    KNOWN("experts_per_token", ANY), KNOWN("swiglu_limit", "7"), KNOWN("initial_context_length", ANY),
                    READ("quantization_config")),
     .names = {{{BIPE_ROLE_ROUTER, "mlp.router.weight"}, {BIPE_ROLE_ROUTER_BIAS, "mlp.router.bias"}},
               {{BIPE_ROLE_FEED_FORWARD_NORM, "post_attention_norm.weight"}}},
     .decoder = {.roles = LLAMA_ROLES | BIASES | R(ROUTER) | R(ROUTER_BIAS) | R(SINKS), .activation = NN_CLAMPED_SILU,
                 .experts_normalized = true, UNSCALED},
     .full_every = 2,
     .reads = "attention.sliding_window attention.sliding_window_pattern rope.freq_base_swa expert_count "
              "expert_used_count expert_feed_forward_length"},
};
const uint64_t bipe_product_biases = BIASES;
const char *const bipe_xielu_names[NN_XIELU_PARAMETERS] = {"alpha_p", "alpha_n", "beta", "eps"};
const size_t bipe_family_count = sizeof bipe_families / sizeof bipe_families[0];

bool bipe_family_at(size_t i, bipe_family_names *names)
{
    if (i >= bipe_family_count)
        return false;
    const bipe_family *family = &bipe_families[i];
    bipe_decoder decoder = family->decoder;
    const bipe_hyperparameters hyper = {.decoder = &decoder};
    *names = (bipe_family_names){.name = family->name, .architecture = family->architecture};
    const char *const *const lists[] = {family->model_type, family->within};
    for (size_t list = 0; list < 2; list++)
        for (size_t j = 0; j < BIPE_MODEL_TYPES && lists[list][j] != NULL; j++)
            snprintf(names->model_types + strlen(names->model_types),
                     sizeof names->model_types - strlen(names->model_types), "%s%s", list + j > 0 ? ", " : "",
                     lists[list][j]);
    bipe_decoder_describe(&hyper, names->decoder);
    return true;
}

void bipe_family_decoder(size_t i, bipe_decoder *decoder)
{
    *decoder = bipe_families[i].decoder;
    decoder->roles |= bipe_families[i].config_roles;
    bipe_decoder_add_experts(decoder);
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

const char *bipe_family_layers(const bipe_family *family, bipe_naming naming)
{
    return naming == BIPE_NAMING_GGUF                 ? "blk"
           : family != NULL && family->layers != NULL ? family->layers
                                                      : "model.layers";
}

const char *bipe_family_name(const bipe_family *family, const bipe_slot *slot, bipe_naming naming, bool two,
                             char name[BIPE_PARAMETER_NAME])
{
    const char *own = bipe_slot_own_name(slot, naming);
    for (size_t i = 0; family != NULL && i < BIPE_FAMILY_NAMES && family->names[naming][i].name != NULL; i++)
        if (family->names[naming][i].role == slot->role)
            own = family->names[naming][i].name;
    for (size_t i = 0; two && i < 4; i++)
        if (family->two_norms[naming][i].role == slot->role)
            own = family->two_norms[naming][i].name;
    if (bipe_role_of_layer(slot->role))
        bipe_layer_name(bipe_family_layers(family, naming), slot, own, name);
    else
        snprintf(name, BIPE_PARAMETER_NAME, "%s", own);
    return name;
}
