/* default_model.h - what a MODEL or a tokenizer's SPEC on a command line stands for: a path, a model that is installed, or part of a folder. */
#ifndef BIPE_TOOLS_DEFAULT_MODEL_H
#define BIPE_TOOLS_DEFAULT_MODEL_H

#include <stdbool.h>

#include "base/status.h"
#include "token/tokenizer.h"

enum { BIPE_MODEL_PATH_SIZE = 4096 };

/* The path of a MODEL operand, in `path`: "default" is default.bin of the folder of models (base/installed.h), a name that is no file
 * is NAME.bin of that folder if there is one, a file of a Hugging Face folder (config.json, weights) is the folder, and anything else
 * is itself. BIPE_ERR_IO when there is no default, or the path is too long. */
int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err);

/* Whether a tokenizer's SPEC stands for a kind or an installed model, rather than for a file or folder of that name. */
bool bipe_tokenizer_is_name(const char *spec);
/* Whether `spec` names a kind of tokenizer that needs no file: "byte" and the like. */
bool bipe_tokenizer_is_kind(const char *spec);
/* bipe_tokenizer_open() for the value of -t: a kind such as "word", or what a MODEL may be. */
int bipe_tokenizer_operand(bipe_tokenizer **tokenizer, const char *spec, bool special, bipe_error *err);

#endif
