/* model.h - <bipe/score.h> has models; here is the rest, such as their conversion to a native file. */
#ifndef BIPE_MODEL_MODEL_H
#define BIPE_MODEL_MODEL_H

#include <bipe/score.h>

#include "base/status.h"
#include "format/tensor.h"
#include "model/mix.h"
#include "model/scheme.h"

/* Tokens of a window, or of a text that is generated, at most: differences of indices below it are exact in f32. */
enum { BIPE_LENGTH_LIMIT = 1 << 24 };

const char *bipe_model_path(const bipe_model *model);

struct bipe_gguf;
/* The GGUF file of a model (NULL: it has a folder, or is in memory), and the tensors of its file or folder. They live
 * as long as the model. */
const struct bipe_gguf *bipe_model_gguf(const bipe_model *model);
const bipe_tensor_table *bipe_model_tensors(const bipe_model *model);

/* The i-th family of models that is read; false: there are no more. */
typedef struct bipe_family_names {
    const char *name;         /* as its makers write it */
    const char *architecture; /* of GGUF files, or NULL */
    char model_types[64];     /* of config.json, apart by commas; may be empty */
    char decoder[640];        /* in what it differs from a Llama */
} bipe_family_names;
bool bipe_family_at(size_t i, bipe_family_names *names);

/* ---- writing (export.c, hf_export.c) ----
 *
 * Weights are written in the types that bipe_mix_dtype() says; in a folder, matrices in `dtype`. The model must stay
 * open until the file is written. */

struct bipe_gguf_writer;
struct bipe_tensor_list;
/* Puts hyperparameters and tensors into a native file being made. mix NULL: matrices stay in the type they have. */
int bipe_model_write_gguf(const bipe_model *model, const bipe_mix *mix, struct bipe_gguf_writer *writer,
                          bipe_error *err);
/* The same for a GGUF file that llama.cpp reads, of architecture llama, qwen2 or qwen3. BIPE_ERR_UNSUPPORTED names the
 * part of the model that no such file can say, with nothing written. */
int bipe_model_write_llama(const bipe_model *model, const bipe_mix *mix, struct bipe_gguf_writer *writer,
                           bipe_error *err);
/* The tensors of a Hugging Face folder, by the names that such folders have. BIPE_ERR_ARGUMENT: folders do not have
 * this type; BIPE_ERR_UNSUPPORTED names the part of the model that no such folder can say. */
int bipe_model_list_tensors(const bipe_model *model, bipe_dtype dtype, struct bipe_tensor_list *list, bipe_error *err);
/* What its config.json and generation_config.json say of tokens. */
typedef struct bipe_config_tokens {
    int64_t bos;         /* negative: none */
    const uint32_t *end; /* (ends) the tokens that end a text */
    size_t ends;
} bipe_config_tokens;
/* Writes its config.json. segmenter NULL: the model's. */
int bipe_model_write_config(const bipe_model *model, bipe_dtype dtype, const bipe_config_tokens *tokens,
                            const char *segmenter, const char *path, bipe_error *err);
/* Writes a generation_config.json. */
int bipe_model_write_generation_config(const bipe_config_tokens *tokens, const char *path, bipe_error *err);
/* Whether other programs compute with a folder of this model what bipe does: RoPE on the token index, and no scaled
 * queries. */
bool bipe_model_is_common(const bipe_model *model);

#endif
