/* default_model.c - finds the model that comes with the tools; see default_model.h. */
#include "tools/default_model.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/installed.h"

int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err)
{
    char folder[BIPE_INSTALLED_SIZE];
    int size = strcmp(operand, "default") != 0
                   ? snprintf(path, BIPE_MODEL_PATH_SIZE, "%s", operand)
                   : snprintf(path, BIPE_MODEL_PATH_SIZE, "%s/default.bin", bipe_installed_folder(BIPE_INSTALLED_MODELS, folder));
    if (size >= BIPE_MODEL_PATH_SIZE)
        return bipe_fail(err, BIPE_ERR_IO, "%.40s...: the path has %d bytes, expected less than %d", path, size, BIPE_MODEL_PATH_SIZE);
    if (strcmp(operand, "default") == 0 && access(path, R_OK) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "default: no model is installed at %s, expected a model file or folder", path);
    return BIPE_OK;
}
