/* hf_export.c - writes the config.json of a Hugging Face folder, such that hf_config.c reads the same hyperparameters.
 * A model that other programs can compute with has their keys alone, and `segmenter`; the position scheme of another is
 * in `position_scheme` and, where the published checkpoints have a name for it, in their keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "model/weights.h"

/* The number of fewest digits that is the same in single precision, which is what the reader keeps. */
static double shortest_number(double value)
{
    double made = value;
    for (int digits = 1; digits <= 9; digits++) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", digits, value);
        made = strtod(text, NULL);
        if ((float)made == (float)value)
            break;
    }
    return made;
}

static void write_scaling(bipe_json *json, const bipe_rope_scaling *scaling)
{
    bipe_json_key(json, "rope_scaling");
    if (scaling->kind == BIPE_SCALING_NONE) {
        bipe_json_null(json);
        return;
    }
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "rope_type", bipe_rope_scaling_name(scaling));
    bipe_json_key_number(json, "factor", shortest_number(scaling->factor));
    if (scaling->original != 0)
        bipe_json_key_uint(json, "original_max_position_embeddings", scaling->original);
    if (scaling->magnitude != 0)
        bipe_json_key_number(json, "attention_factor", shortest_number(scaling->magnitude));
    if (scaling->kind == BIPE_SCALING_YARN && scaling->low != 0) {
        bipe_json_key_number(json, "beta_fast", shortest_number(scaling->high));
        bipe_json_key_number(json, "beta_slow", shortest_number(scaling->low));
    }
    if (scaling->exact)
        bipe_json_key_bool(json, "truncate", false);
    if (scaling->kind == BIPE_SCALING_LLAMA3) {
        bipe_json_key_number(json, "low_freq_factor", shortest_number(scaling->low));
        bipe_json_key_number(json, "high_freq_factor", shortest_number(scaling->high));
    }
    bipe_json_end_object(json);
}

static void write_scheme(bipe_json *json, const bipe_hyperparameters *h)
{
    char scheme[256];
    const char *published = bipe_config_rpe_type(bipe_scheme_format(&h->scheme, scheme));
    bipe_json_key_text(json, "position_scheme", scheme);
    if (published != NULL)
        bipe_json_key_text(json, "rpe_type", published);
    if (h->learned_rows == h->train_length)
        bipe_json_key_uint(json, "train_scale", h->learned_rows);
    bipe_json_key_bool(json, "log_scale", h->log_scale);
}

/* One end token is written as a number, several as a list. */
static void write_tokens(bipe_json *json, const bipe_config_tokens *tokens)
{
    bipe_json_key(json, "bos_token_id");
    if (tokens->bos >= 0)
        bipe_json_uint(json, (uint64_t)tokens->bos);
    else
        bipe_json_null(json);
    if (tokens->ends == 0) {
        bipe_json_key(json, "eos_token_id");
        bipe_json_null(json);
    } else if (tokens->ends == 1) {
        bipe_json_key_uint(json, "eos_token_id", tokens->end[0]);
    } else {
        bipe_json_key_flat_array(json, "eos_token_id");
        for (size_t i = 0; i < tokens->ends; i++)
            bipe_json_uint(json, tokens->end[i]);
        bipe_json_end_array(json);
    }
}

static void write_config(bipe_json *json, const bipe_model *model, bipe_dtype dtype, const bipe_config_tokens *tokens,
                         const char *segmenter)
{
    const bipe_hyperparameters *h = &model->hyper;
    const bipe_decoder *d = bipe_decoder_of(h);
    const char *const kinds[][2] = {{"llama", "LlamaForCausalLM"},
                                    {"qwen2", "Qwen2ForCausalLM"},
                                    {"qwen3", "Qwen3ForCausalLM"}};
    const char *const *kind =
        kinds[bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM)                                                     ? 2
              : bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS) && !bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS) ? 1
                                                                                                            : 0];
    bool common = bipe_model_is_common(model);
    bipe_json_begin_object(json);
    bipe_json_key_flat_array(json, "architectures");
    bipe_json_text(json, common ? kind[1] : "MyLlamaForCausalLM"); /* that of the published checkpoints */
    bipe_json_end_array(json);
    bipe_json_key_text(json, "model_type", kind[0]);
    bipe_json_key_text(json, "hidden_act", "silu");
    bipe_json_key_uint(json, "vocab_size", h->vocabulary);
    bipe_json_key_uint(json, "hidden_size", h->hidden);
    bipe_json_key_uint(json, "intermediate_size", h->feed_forward);
    bipe_json_key_uint(json, "num_hidden_layers", h->layers);
    bipe_json_key_uint(json, "num_attention_heads", h->heads);
    bipe_json_key_uint(json, "num_key_value_heads", h->kv_heads);
    bipe_json_key_uint(json, "head_dim", h->head_size);
    bipe_json_key_uint(json, "max_position_embeddings", h->train_length);
    bipe_json_key_number(json, "rms_norm_eps", shortest_number(h->rms_norm_eps));
    bipe_json_key_number(json, "rope_theta", shortest_number(h->rope_base));
    write_scaling(json, &h->rope_scaling);
    if (bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS))
        bipe_json_key_bool(json, "attention_bias", true);
    if (bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS))
        bipe_json_key_bool(json, "mlp_bias", true);
    bipe_json_key_bool(json, "tie_word_embeddings", h->tied);
    write_tokens(json, tokens);
    bipe_json_key_text(json, "torch_dtype", bipe_dtype_of(dtype)->config);
    if (!common)
        write_scheme(json, h);
    bipe_json_key_text(json, "segmenter", segmenter != NULL ? segmenter : h->segmenter);
    bipe_json_end_object(json);
}

static int finish_file(bipe_json *json, bipe_output *output, bipe_error *err)
{
    int status = bipe_json_close(json, err);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

int bipe_model_write_generation_config(const bipe_config_tokens *tokens, const char *path, bipe_error *err)
{
    bipe_output *output;
    bipe_json json;
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, true);
    bipe_json_begin_object(&json);
    write_tokens(&json, tokens);
    bipe_json_end_object(&json);
    return finish_file(&json, output, err);
}

int bipe_model_check_folder(const bipe_model *model, bipe_error *err)
{
    const bipe_hyperparameters *h = &model->hyper;
    const bipe_decoder *d = bipe_decoder_of(h);
    char decoder[BIPE_DECODER_TEXT];
    if (!bipe_decoder_is_plain(h))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a decoder with %s", bipe_decoder_describe(h, decoder));
    if (h->rope_scaling.kind == BIPE_SCALING_FACTORS)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "factors of rope's frequencies, for which a config.json has no key");
    bool llama = !bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) &&
                 bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS) == bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS),
         qwen2 = !bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) && !bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS) &&
                 !bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS);
    if (!llama && !qwen2 &&
        (!bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) ||
         bipe_decoder_has(d, BIPE_ROLE_QUERY_BIAS) != bipe_decoder_has(d, BIPE_ROLE_ATTENTION_BIAS) ||
         bipe_decoder_has(d, BIPE_ROLE_DOWN_BIAS)))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "biases of these parts%s, which no known model_type has at once",
                         bipe_decoder_has(d, BIPE_ROLE_QUERY_NORM) ? " and norms of heads" : "");
    return BIPE_OK;
}

int bipe_model_write_config(const bipe_model *model, bipe_dtype dtype, const bipe_config_tokens *tokens,
                            const char *segmenter, const char *path, bipe_error *err)
{
    bipe_output *output;
    bipe_json json;
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, true);
    write_config(&json, model, dtype, tokens, segmenter);
    return finish_file(&json, output, err);
}
