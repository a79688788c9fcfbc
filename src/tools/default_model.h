/* default_model.h - what the word "default" stands for where a tool takes a model. */
#ifndef BIPE_TOOLS_DEFAULT_MODEL_H
#define BIPE_TOOLS_DEFAULT_MODEL_H

#include "base/status.h"

enum { BIPE_MODEL_PATH_SIZE = 4096 };

/* The path of a MODEL operand, in `path`. "default" is default.bin of the folder of models (base/installed.h); anything else is
 * itself. BIPE_ERR_IO when there is none, or the path is too long. */
int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err);

#endif
