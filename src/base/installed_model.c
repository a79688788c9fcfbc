/* installed_model.c - finds models that are installed; see installed_model.h. */
#include "base/installed_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/installed.h"

static bool has_ending(const char *name, const char *ending)
{
    size_t size = strlen(name), n = strlen(ending);
    return size > n && strcmp(name + size - n, ending) == 0;
}

/* A file that Hugging Face folders have, beside a config.json: `path` becomes the folder. */
static void go_to_folder(char path[BIPE_MODEL_PATH_SIZE])
{
    char config[BIPE_MODEL_PATH_SIZE + sizeof "./config.json"];
    struct stat info;
    char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    bool part = strcmp(name, "config.json") == 0 || has_ending(name, ".safetensors") ||
                has_ending(name, ".index.json") ||
                (strncmp(name, "pytorch_model", 13) == 0 && has_ending(name, ".bin"));
    if (!part || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    int folder = (int)(name - path);
    snprintf(config, sizeof config, "%.*sconfig.json", folder, path);
    if (access(config, F_OK) == 0)
        strcpy(path + folder, folder > 0 ? "" : ".");
    if (folder > 1 && path[folder - 1] == '/' && path[folder] == '\0')
        path[folder - 1] = '\0';
}

/* *found: there is such a file or folder, or installed model; otherwise `path` is the operand. */
static int resolve_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bool *found, bipe_error *err)
{
    char folder[BIPE_INSTALLED_SIZE], installed[BIPE_INSTALLED_SIZE + 256];
    bool chosen = strcmp(operand, "default") == 0;
    bool name = strlen(operand) < 200 && strchr(operand, '/') == NULL && (chosen || access(operand, F_OK) != 0);
    if (name) {
        snprintf(installed, sizeof installed, "%s/%s.bin", bipe_installed_folder(BIPE_INSTALLED_MODELS, folder),
                 operand);
        name = chosen || access(installed, R_OK) == 0;
    }
    int size = snprintf(path, BIPE_MODEL_PATH_SIZE, "%s", name ? installed : operand);
    if (size >= BIPE_MODEL_PATH_SIZE)
        return bipe_fail(err, BIPE_ERR_IO, "%.40s...: the path has %d bytes, expected less than %d", path, size,
                         BIPE_MODEL_PATH_SIZE);
    if (chosen && access(path, R_OK) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "default: no model is installed at %s, expected a model file or folder",
                         path);
    *found = access(path, F_OK) == 0;
    if (!name)
        go_to_folder(path);
    return BIPE_OK;
}

int bipe_model_operand(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err)
{
    bool found = false;
    int status = resolve_operand(operand, path, &found, err);
    if (status == BIPE_OK && !found)
        return bipe_fail(
            err, BIPE_ERR_IO,
            "%s: no such file or folder, and no installed model of that name (bipe-convert --list shows those)",
            operand);
    return status;
}

int bipe_model_resolve(const char *operand, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err)
{
    bool found;
    return resolve_operand(operand, path, &found, err);
}
