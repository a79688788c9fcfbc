/* model.h - <bipe/score.h> has models; here is the rest, such as their conversion to a native file. */
#ifndef BIPE_MODEL_MODEL_H
#define BIPE_MODEL_MODEL_H

#include <bipe/score.h>

#include "base/status.h"
#include "format/tensor.h"
#include "model/scheme.h"

/* Tokens of a window, or of a text that is generated, at most: differences of indices below it are exact in f32. */
enum { BIPE_LENGTH_LIMIT = 1 << 24 };

const char *bipe_model_path(const bipe_model *model);

/* Puts hyperparameters and tensors into a native file being made; matrices in `dtype`, vectors (norms) and the t5 table
 * always in F32; a matrix whose rows Q8_0 cannot hold falls back to F16. The model must stay open until it is written. */
struct bipe_gguf_writer;
int bipe_model_write_gguf(const bipe_model *model, bipe_dtype dtype, struct bipe_gguf_writer *writer, bipe_error *err);

#endif
