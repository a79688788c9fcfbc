/* model.h - a language model: hyperparameters and weights of the paper's decoder, from any of the
 * file formats that bipe reads, and its conversion to a native file.
 *
 * The decoder (He et al. 2024; Touvron et al. 2023): token embedding (+ absolute positions), N x (RMSNorm, causal
 * attention, RMSNorm, SwiGLU), RMSNorm, output projection. There are no biases but those of Qwen 2's attention; heads may have
 * Qwen 3's norms. Knows no tokenizer and no segmenter: ids and positions come from the caller. */
#ifndef BIPE_MODEL_MODEL_H
#define BIPE_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "format/tensor.h"
#include "model/scheme.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_model bipe_model;

typedef struct bipe_hyperparameters {
    uint32_t vocabulary;     /* V */
    uint32_t hidden;         /* C */
    uint32_t layers;         /* N */
    uint32_t heads;          /* H; head size D = head_size */
    uint32_t kv_heads;       /* divides H */
    uint32_t head_size;      /* D */
    uint32_t feed_forward;   /* F */
    uint32_t train_length;   /* tokens a window in training */
    uint32_t learned_rows;   /* rows of the learned table; 0: none */
    double rms_norm_eps;
    double rope_base;
    bool tied;               /* output projection = token embedding */
    bool log_scale;          /* queries times ln(index + 1) / ln(train_length) */
    bool attention_biases;   /* queries, keys and values have biases, as in Qwen 2 */
    bool head_norms;         /* each head of queries and keys goes through an RMSNorm, as in Qwen 3 */
    bipe_scheme scheme;
    bipe_rope_scaling rope_scaling;
    char segmenter[256];     /* the model's own SPEC */
    uint64_t parameters;     /* number of weights */
    const char *format;      /* "native", "gguf-llama", "gguf-qwen2", "gguf-qwen3", "safetensors", "pytorch"; "memory" for one that was made */
} bipe_hyperparameters;

/* Opens a native file, a GGUF file of a llama or Qwen 2 or 3, or a Hugging Face folder of one, told apart by content; all shapes are checked.
 * The weights stay mapped in the type that the file has. Error texts start with the path. ("default" is resolved by
 * the tools, not here.) */
int bipe_model_open(bipe_model **model, const char *path, bipe_error *err);
const bipe_hyperparameters *bipe_model_hyperparameters(const bipe_model *model);
const char *bipe_model_path(const bipe_model *model);
void bipe_model_close(bipe_model *model);

/* Puts hyperparameters and tensors into a native file being made; matrices in `dtype`, vectors (norms) and the t5 table
 * always in F32; a matrix whose rows Q8_0 cannot hold falls back to F16. The model must stay open until it is written. */
struct bipe_gguf_writer;
int bipe_model_write_gguf(const bipe_model *model, bipe_dtype dtype, struct bipe_gguf_writer *writer, bipe_error *err);

#ifdef __cplusplus
}
#endif
#endif
