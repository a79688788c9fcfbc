/* default_model.h - what the word "default" stands for where a tool takes a model. */
#ifndef BIPE_TOOLS_DEFAULT_MODEL_H
#define BIPE_TOOLS_DEFAULT_MODEL_H

#include "base/status.h"

enum { BIPE_MODEL_PATH_SIZE = 4096 };

/* The path of a MODEL operand, in `path` (BIPE_MODEL_PATH_SIZE bytes). "default" is models/default.bin in the folder of the running
 * program (the build tree), the model installed with the tools, or share/bipe/models/default.bin beside the folder of the
 * program (a tree that was moved), whichever is there first; anything else is itself. BIPE_ERR_IO when there is none. */
int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err);

#endif
