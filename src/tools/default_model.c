/* default_model.c - finds the model that comes with the tools; see default_model.h. */
#include "tools/default_model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#define INSTALLED_MODEL BIPE_MODEL_FOLDER "/default.bin"

/* The path that the program was started by, for where /proc is not mounted; NULL where the system does not say. */
static const char *started_path(void)
{
#ifdef __linux__
    return (const char *)(uintptr_t)getauxval(AT_EXECFN);
#else
    return NULL;
#endif
}

/* The folder of the running program, without a slash at its end; empty where the system does not say. */
static void program_folder(char folder[BIPE_MODEL_PATH_SIZE])
{
    ssize_t size = readlink("/proc/self/exe", folder, BIPE_MODEL_PATH_SIZE - 1);
    folder[size > 0 ? size : 0] = '\0';
    const char *started = size > 0 ? NULL : started_path();
    if (started != NULL && strlen(started) < BIPE_MODEL_PATH_SIZE)
        strcpy(folder, started);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Whether FOLDER/NAME can be read; then it is in `path`. */
static int found(const char *folder, const char *name, char path[BIPE_MODEL_PATH_SIZE])
{
    int size = snprintf(path, BIPE_MODEL_PATH_SIZE, "%s%s", folder, name);
    return size > 0 && size < BIPE_MODEL_PATH_SIZE && access(path, R_OK) == 0;
}

int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err)
{
    if (strcmp(operand, "default") != 0) {
        size_t size = strlen(operand);
        if (size >= BIPE_MODEL_PATH_SIZE)
            return bipe_fail(err, BIPE_ERR_IO, "%.40s...: the path has %zu bytes, expected less than %d", operand, size,
                             BIPE_MODEL_PATH_SIZE);
        memcpy(path, operand, size + 1);
        return BIPE_OK;
    }
    char folder[BIPE_MODEL_PATH_SIZE];
    program_folder(folder);
    if (folder[0] != '\0' && found(folder, "/models/default.bin", path))
        return BIPE_OK;
    if (found("", INSTALLED_MODEL, path))
        return BIPE_OK;
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        if (found(folder, "/share/bipe/models/default.bin", path))
            return BIPE_OK;
    }
    return bipe_fail(err, BIPE_ERR_IO, "default: no model is installed at %s, expected a model file or folder", INSTALLED_MODEL);
}
