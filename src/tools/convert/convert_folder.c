/* convert_folder.c - writes a model as a Hugging Face folder. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "format/tensor_list.h"
#include "tools/convert/convert_source.h"

enum { PATH_SIZE = BIPE_MODEL_PATH_SIZE + 64 };

static const char weights_name[] = "model.safetensors", config_name[] = "config.json",
                  generation_name[] = "generation_config.json";

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Whether an unfinished run may have left it: a file that is written before config.json, or what a killed program has
 * left of one (base/output.c). */
static bool is_ours(const char *name)
{
    bool found = strcmp(name, weights_name) == 0 || strcmp(name, generation_name) == 0 ||
                 (name[0] == '.' && strstr(name, ".bipe-") != NULL);
    for (const char *const *file = bipe_tokenizer_file_names; !found && *file != NULL; file++)
        found = strcmp(name, *file) == 0;
    return found;
}

/* Removes what is ours, so that nothing of an unfinished run becomes a part of this one. BIPE_ERR_IO: something else is
 * there. */
static int clear_folder(const char *folder, bipe_error *err)
{
    char path[PATH_SIZE];
    DIR *open = opendir(folder);
    if (open == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: %s", folder,
                         errno == ENOTDIR ? "is a file, expected a new or an empty folder" : strerror(errno));
    int status = BIPE_OK;
    const struct dirent *entry;
    while (status == BIPE_OK && (entry = readdir(open)) != NULL)
        if (!is_dots(entry->d_name) && !is_ours(entry->d_name))
            status = bipe_fail(err, BIPE_ERR_IO, "%s: holds files already ('%s'), expected a new or an empty folder",
                               folder, entry->d_name);
    rewinddir(open);
    while (status == BIPE_OK && (entry = readdir(open)) != NULL) {
        bipe_path_join(path, sizeof path, folder, entry->d_name);
        if (!is_dots(entry->d_name) && unlink(path) != 0)
            status = bipe_fail(err, BIPE_ERR_IO, "%s: could not be removed: %s", path, strerror(errno));
    }
    closedir(open);
    return status;
}

/* *made: the folder was not there. */
static int open_folder(const char *folder, bool *made, bipe_error *err)
{
    char path[PATH_SIZE];
    *made = false;
    if (!bipe_path_join(path, sizeof path, folder, weights_name))
        return bipe_fail(err, BIPE_ERR_IO, "%s: a path of more than %d bytes", folder, BIPE_MODEL_PATH_SIZE);
    if (mkdir(folder, 0777) == 0) {
        *made = true;
        return BIPE_OK;
    }
    if (errno != EEXIST)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", folder, strerror(errno));
    return clear_folder(folder, err);
}

static int write_files(const convert_source *source, bipe_dtype dtype, const char *segmenter, const char *folder,
                       bipe_tensor_list *list, bipe_error *err)
{
    char path[PATH_SIZE];
    bipe_config_tokens tokens = {.bos = BIPE_NO_TOKEN};
    if (source->tokenizer != NULL) {
        tokens.bos = bipe_tokenizer_bos(source->tokenizer);
        tokens.end = bipe_tokenizer_ends(source->tokenizer, &tokens.ends);
    }
    int status = source->tokenizer != NULL ? bipe_tokenizer_write_files(source->tokenizer, folder, err) : BIPE_OK;
    bipe_path_join(path, sizeof path, folder, weights_name);
    if (status == BIPE_OK)
        status = bipe_safetensors_write(list, path, err);
    bipe_path_join(path, sizeof path, folder, generation_name);
    if (status == BIPE_OK && tokens.ends > 1) /* programs that expect one number in config.json look here */
        status = bipe_model_write_generation_config(&tokens, path, err);
    bipe_path_join(path, sizeof path, folder, config_name);
    return status == BIPE_OK ? bipe_model_write_config(source->model, dtype, &tokens, segmenter, path, err) : status;
}

int convert_folder_write(const convert_source *source, bipe_dtype dtype, const char *segmenter, const char *folder,
                         void (*progress)(void *context, uint64_t done, uint64_t total), void *context, bipe_error *err)
{
    bipe_tensor_list list = {.progress = progress, .progress_context = context};
    bool made = false;
    int status = bipe_model_list_tensors(source->model, dtype, &list, err);
    if (status == BIPE_OK)
        status = open_folder(folder, &made, err);
    if (status == BIPE_OK) {
        status = write_files(source, dtype, segmenter, folder, &list, err);
        if (status != BIPE_OK && clear_folder(folder, NULL) == BIPE_OK && made)
            rmdir(folder);
    }
    bipe_tensor_list_free(&list);
    return status;
}
