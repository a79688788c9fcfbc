/* installed_model.h - the path of a model that is given as a path, as the name of an installed one, or by a part of its
 * folder. */
#ifndef BIPE_BASE_INSTALLED_MODEL_H
#define BIPE_BASE_INSTALLED_MODEL_H

#include "base/status.h"

enum { BIPE_MODEL_PATH_SIZE = 4096 };

/* The path of a model, in `path`: "default" is default.bin of the folder of models (base/installed.h), a name that is
 * no file is NAME.bin of that folder if there is one, a file of a Hugging Face folder (config.json, weights) is the
 * folder, and anything else is itself. BIPE_ERR_IO when there is no default, or the path is too long. */
int bipe_model_resolve(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err);
/* The same; BIPE_ERR_IO also when there is neither such a file or folder nor such a model. */
int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err);

#endif
