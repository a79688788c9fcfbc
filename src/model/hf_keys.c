/* hf_keys.c - the one table of the keys of a config.json: those that hf_config.c reads, and those that change nothing
 * that bipe computes, some with some values only. Names are those of transformers' PretrainedConfig, its configurations
 * of Llama, Qwen 2 and Qwen 3, from 4.28 to 5, the paper's checkpoints, and programs that train such models. Other
 * families have further keys in families.c. */
#include "model/hf_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/known_keys.h"
#include "model/weights.h"

enum {
    TOP = BIPE_HF_TOP,
    OUTER = BIPE_HF_OUTER,
    SCALED = BIPE_HF_LINEAR | BIPE_HF_DYNAMIC | BIPE_HF_YARN | BIPE_HF_LLAMA3,
    UNSHARED = BIPE_HF_DEFAULT | SCALED | BIPE_HF_LONGROPE,
    ROPE = UNSHARED | BIPE_HF_PROPORTIONAL
};
#define ANY ""

static const bipe_known_key keys[] = {
    /* read */
    {"model_type", NULL, TOP}, {"hidden_act", NULL, TOP}, {"vocab_size", NULL, TOP}, {"hidden_size", NULL, TOP},
    {"num_hidden_layers", NULL, TOP}, {"num_attention_heads", NULL, TOP}, {"num_key_value_heads", NULL, TOP},
    {"head_dim", NULL, TOP}, {"intermediate_size", NULL, TOP}, {"max_position_embeddings", NULL, TOP},
    {"rms_norm_eps", NULL, TOP}, {"tie_word_embeddings", NULL, TOP}, {"rope_theta", NULL, TOP},
    {"rope_scaling", NULL, TOP}, {"rope_parameters", NULL, TOP}, {"original_max_position_embeddings", NULL, TOP},
    {"rpe_type", NULL, TOP}, {"train_scale", NULL, TOP}, {"log_scale", NULL, TOP}, {"position_scheme", NULL, TOP},
    {"segmenter", NULL, TOP},

    /* change nothing with these values */
    {"attention_bias", "false", TOP}, {"mlp_bias", "false", TOP}, {"use_sliding_window", "false", TOP},
    {"layer_types", "full_attention", TOP}, {"partial_rotary_factor", "1", TOP | UNSHARED},
    {"rope_interleaved", "false", TOP}, {"rope_condense_ratio", "1", TOP}, {"use_mrope", "false", TOP},
    {"attn_logit_softcapping", "0", TOP}, {"final_logit_softcapping", "0", TOP}, {"logit_softcapping", "0", TOP},
    {"logit_scale", "1", TOP}, {"logits_scaling", "1", TOP}, {"embedding_multiplier", "1", TOP},
    {"residual_multiplier", "1", TOP}, {"scale_emb", "1", TOP}, {"use_qk_norm", "false", TOP},
    {"qk_layernorm", "false", TOP}, {"use_bidirectional_attention", "false", TOP},
    {"is_causal", "true", TOP}, {"is_encoder_decoder", "false", TOP}, {"add_cross_attention", "false", TOP},
    {"tie_encoder_decoder", "false", TOP}, {"num_experts", "0", TOP}, {"num_local_experts", "0", TOP},
    {"pruned_heads", "{}", TOP}, {"per_layer_config", "{}", TOP}, {"sub_configs", "{}", TOP},

    /* change nothing: names, versions, types and memory of programs */
    {"_name_or_path", ANY, TOP}, {"name_or_path", ANY, TOP}, {"_commit_hash", ANY, TOP}, {"architectures", ANY, TOP},
    {"auto_map", ANY, TOP}, {"custom_pipelines", ANY, TOP}, {"transformers_version", ANY, TOP},
    {"transformers_weights", ANY, TOP}, {"transformers.js_config", ANY, TOP}, {"unsloth_fixed", ANY, TOP},
    {"unsloth_version", ANY, TOP}, {"is_llama_config", ANY, TOP}, {"torch_dtype", ANY, TOP}, {"dtype", ANY, TOP},
    {"torchscript", ANY, TOP}, {"use_bfloat16", ANY, TOP}, {"use_cache", ANY, TOP}, {"_attn_implementation", ANY, TOP},
    {"attn_implementation", ANY, TOP}, {"_attn_implementation_autoset", ANY, TOP},
    {"_attn_implementation_internal", ANY, TOP}, {"_experts_implementation", ANY, TOP},
    {"_experts_implementation_internal", ANY, TOP}, {"_flash_attn_2_enabled", ANY, TOP}, {"use_flash_attn", ANY, TOP},
    {"use_flash_attention", ANY, TOP}, {"use_flash_attention_2", ANY, TOP}, {"gradient_checkpointing", ANY, TOP},
    {"pretraining_tp", ANY, TOP}, {"chunk_size_feed_forward", ANY, TOP}, {"base_model_tp_plan", ANY, TOP},
    {"base_model_pp_plan", ANY, TOP}, {"base_model_ep_plan", ANY, TOP}, {"base_model_fsdp_plan", ANY, TOP},
    {"tensor_parallel", ANY, TOP}, {"output_attentions", ANY, TOP}, {"output_hidden_states", ANY, TOP},
    {"output_scores", ANY, TOP}, {"return_dict", ANY, TOP}, {"use_return_dict", ANY, TOP},
    {"return_dict_in_generate", ANY, TOP}, {"is_decoder", ANY, TOP}, {"cross_attention_hidden_size", ANY, TOP},
    {"tf_legacy_loss", ANY, TOP}, {"max_sequence_length", ANY, TOP}, {"model_max_length", ANY, TOP},
    {"max_window_layers", ANY, TOP},

    /* training */
    {"initializer_range", ANY, TOP}, {"attention_dropout", ANY, TOP}, {"hidden_dropout", ANY, TOP},
    {"attn_pdrop", ANY, TOP}, {"embd_pdrop", ANY, TOP}, {"resid_pdrop", ANY, TOP}, {"hidden_dropout_prob", ANY, TOP},
    {"attention_probs_dropout_prob", ANY, TOP},

    /* other tasks */
    {"id2label", ANY, TOP}, {"label2id", ANY, TOP}, {"num_labels", ANY, TOP}, {"problem_type", ANY, TOP},
    {"finetuning_task", ANY, TOP}, {"task_specific_params", ANY, TOP}, {"classifier_dropout", ANY, TOP},

    /* the tokenizer */
    {"bos_token_id", ANY, TOP}, {"eos_token_id", ANY, TOP}, {"pad_token_id", ANY, TOP}, {"unk_token_id", ANY, TOP},
    {"sep_token_id", ANY, TOP}, {"cls_token_id", ANY, TOP}, {"mask_token_id", ANY, TOP},
    {"decoder_start_token_id", ANY, TOP}, {"tokenizer_class", ANY, TOP}, {"prefix", ANY, TOP},
    {"tokenizer_model_max_length", ANY, TOP}, {"tokenizer_padding_side", ANY, TOP},

    /* generation */
    {"max_length", ANY, TOP}, {"max_new_tokens", ANY, TOP}, {"min_length", ANY, TOP}, {"min_new_tokens", ANY, TOP},
    {"do_sample", ANY, TOP}, {"early_stopping", ANY, TOP}, {"num_beams", ANY, TOP}, {"num_beam_groups", ANY, TOP},
    {"diversity_penalty", ANY, TOP}, {"temperature", ANY, TOP}, {"top_k", ANY, TOP}, {"top_p", ANY, TOP},
    {"min_p", ANY, TOP}, {"typical_p", ANY, TOP}, {"repetition_penalty", ANY, TOP}, {"length_penalty", ANY, TOP},
    {"penalty_alpha", ANY, TOP}, {"no_repeat_ngram_size", ANY, TOP}, {"encoder_no_repeat_ngram_size", ANY, TOP},
    {"bad_words_ids", ANY, TOP}, {"num_return_sequences", ANY, TOP}, {"forced_bos_token_id", ANY, TOP},
    {"forced_eos_token_id", ANY, TOP}, {"remove_invalid_values", ANY, TOP},
    {"exponential_decay_length_penalty", ANY, TOP}, {"suppress_tokens", ANY, TOP}, {"begin_suppress_tokens", ANY, TOP},

    /* beside a text_config */
    {"model_type", NULL, OUTER}, {"text_config", NULL, OUTER}, {"vision_config", NULL, OUTER},
    {"audio_config", NULL, OUTER}, {"tie_word_embeddings", NULL, OUTER}, {"quantization_config", NULL, OUTER},
    {"image_token_id", ANY, OUTER}, {"image_token_index", ANY, OUTER}, {"video_token_id", ANY, OUTER},
    {"audio_token_id", ANY, OUTER}, {"boi_token_id", ANY, OUTER}, {"boi_token_index", ANY, OUTER},
    {"eoi_token_id", ANY, OUTER}, {"eoi_token_index", ANY, OUTER}, {"boa_token_id", ANY, OUTER},
    {"boa_token_index", ANY, OUTER}, {"eoa_token_id", ANY, OUTER}, {"eoa_token_index", ANY, OUTER},
    {"mm_tokens_per_image", ANY, OUTER}, {"vision_soft_tokens_per_image", ANY, OUTER},
    {"multimodal_projector_bias", ANY, OUTER}, {"projector_hidden_act", ANY, OUTER},
    {"spatial_merge_size", ANY, OUTER}, {"vision_feature_layer", ANY, OUTER},
    {"vision_feature_select_strategy", ANY, OUTER},

    /* rope_scaling and rope_parameters */
    {"type", NULL, ROPE}, {"rope_type", NULL, ROPE}, {"rope_theta", NULL, ROPE},
    {"factor", NULL, SCALED | BIPE_HF_LONGROPE},
    {"partial_rotary_factor", NULL, BIPE_HF_PROPORTIONAL},
    {"factor", "1", BIPE_HF_DEFAULT | BIPE_HF_PROPORTIONAL},
    {"original_max_position_embeddings", NULL, BIPE_HF_YARN | BIPE_HF_LLAMA3 | BIPE_HF_LONGROPE},
    {"original_max_position_embeddings", ANY, BIPE_HF_DEFAULT | BIPE_HF_LINEAR | BIPE_HF_DYNAMIC},
    {"short_factor", NULL, BIPE_HF_LONGROPE}, {"long_factor", NULL, BIPE_HF_LONGROPE},
    {"attention_factor", NULL, BIPE_HF_YARN | BIPE_HF_LONGROPE}, {"low_freq_factor", NULL, BIPE_HF_LLAMA3},
    {"high_freq_factor", NULL, BIPE_HF_LLAMA3}, {"mscale", NULL, BIPE_HF_YARN}, {"mscale_all_dim", NULL, BIPE_HF_YARN},
    {"beta_fast", NULL, BIPE_HF_YARN}, {"beta_slow", NULL, BIPE_HF_YARN}, {"truncate", NULL, BIPE_HF_YARN},
    {"attn_factor", "1", BIPE_HF_YARN}, {"extrapolation_factor", "1", BIPE_HF_YARN}, {"finetuned", ANY, BIPE_HF_YARN},
};

/* The value as its file has it, or what it is where that is long. */
static void describe(const json_t *value, char text[BIPE_SHOWN_SIZE])
{
    char dumped[BIPE_SHOWN_SIZE] = "";
    size_t size = json_dumpb(value, dumped, sizeof dumped - 8, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (size > 0 && size < sizeof dumped - 8)
        bipe_model_shown(text, dumped, size);
    else
        snprintf(text, BIPE_SHOWN_SIZE, "%s",
                 json_is_object(value)  ? "an object"
                 : json_is_array(value) ? "an array"
                                        : "a long string");
}

/* What of a value changes something: itself, or an element; NULL: nothing. */
static const json_t *find_change(const bipe_known_key *key, const json_t *value)
{
    char text[BIPE_SHOWN_SIZE];
    const json_t *found = NULL;
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value) && found == NULL; i++)
            found = find_change(key, json_array_get(value, i));
        return found;
    }
    describe(value, text);
    return bipe_known_key_allows(key, json_is_string(value) ? json_string_value(value) : text,
                                 json_is_number(value) ? json_number_value(value) : (double)NAN) ? NULL : value;
}

/* The row of a key: the family's own, or that of the table. false: there is none. */
static bool find_key(const bipe_family *family, const char *name, bipe_hf_location location, bipe_known_key *row)
{
    for (const bipe_config_key *own = family != NULL ? family->config : NULL; own != NULL && own->name != NULL; own++)
        if (strcmp(own->name, name) == 0) {
            *row = (bipe_known_key){name, own->harmless, location};
            return true;
        }
    const size_t count = sizeof keys / sizeof keys[0];
    const bipe_known_key *key = bipe_known_key_find(keys, count, name, location);
    if (key == NULL && location == BIPE_HF_OUTER) { /* what changes nothing there changes nothing here */
        key = bipe_known_key_find(keys, count, name, BIPE_HF_TOP);
        key = key != NULL && key->harmless == NULL ? NULL : key;
    }
    if (key != NULL)
        *row = *key;
    return key != NULL;
}

int bipe_hf_keys_check(json_t *object, bipe_hf_location location, const bipe_family *family, const char *within,
                       bipe_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        bipe_known_key row;
        const bipe_known_key *key = find_key(family, name, location, &row) ? &row : NULL;
        const json_t *change = json_is_null(value) ? NULL : key == NULL ? value : find_change(key, value);
        char shown[BIPE_SHOWN_SIZE], found[BIPE_SHOWN_SIZE];
        if (change == NULL)
            continue;
        describe(change, found);
        bipe_model_shown(shown, name, strlen(name));
        if (key == NULL)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"%s%s\" is %s, " BIPE_UNKNOWN_KEY, within, shown, found);
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "key \"%s%s\" is %s, expected %s", within, shown, found,
                         key->harmless);
    }
    return BIPE_OK;
}
