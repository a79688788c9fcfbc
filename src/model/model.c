/* model.c - opening and closing a model: which kind of file it is, and who owns what. */
#include "model/model.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/installed_model.h"
#include "base/path.h"
#include "format/mapping.h"
#include "model/weights.h"

void *bipe_model_own(bipe_model *model, size_t count, size_t size)
{
    if (bipe_grow(&model->owned, &model->owned_capacity, model->owned_count + 1, sizeof *model->owned) != 0)
        return NULL;
    void *memory = bipe_alloc_aligned(count, size);
    if (memory != NULL)
        model->owned[model->owned_count++] = memory;
    return memory;
}

/* Which of the two kinds of weight files a folder has, as bipe_checkpoint_open() looks for them. */
static const char *folder_format(const char *folder)
{
    static const char *const safetensors[] = {"model.safetensors", "model.safetensors.index.json"};
    for (size_t i = 0; i < 2; i++) {
        struct stat info;
        char *path = bipe_path_new(folder, safetensors[i]);
        if (path == NULL)
            return NULL;
        int found = stat(path, &info) == 0;
        bipe_free(path);
        if (found)
            return "safetensors";
    }
    return "pytorch";
}

static int open_model_folder(bipe_model *model, bipe_error *err)
{
    bipe_configuration said;
    int status = bipe_config_read(model->path, &said, err);
    if (status == BIPE_OK)
        status = bipe_checkpoint_open(&model->checkpoint, model->path, err);
    if (status != BIPE_OK)
        return status;
    const bipe_tensor_table *table = bipe_checkpoint_tensors(model->checkpoint);
    said.hyper.format = folder_format(model->path);
    if (said.hyper.format == NULL)
        return bipe_fail(err, BIPE_ERR_MEMORY, "%s: out of memory", model->path);
    status = bipe_model_bind(model, &said, table, BIPE_NAMING_HF, err);
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "%s", model->path);
}

/* Refuses a file that does not begin as GGUF before anything else is expected of it. */
static int check_file(const char *path, bipe_error *err)
{
    bipe_mapping file = {0};
    int status = bipe_mapping_open(&file, path, err);
    if (status == BIPE_OK && (file.size < 4 || memcmp(file.data, "GGUF", 4) != 0))
        status = bipe_fail(
            err, BIPE_ERR_FORMAT,
            "%s: not a model, expected a GGUF file or a Hugging Face folder",
            path);
    bipe_mapping_close(&file);
    return status;
}

static int open_gguf(bipe_model *model, bipe_error *err)
{
    bipe_configuration said;
    int status = check_file(model->path, err);
    if (status == BIPE_OK)
        status = bipe_gguf_open(&model->gguf, model->path, err);
    if (status == BIPE_OK)
        status = bipe_gguf_configuration(model->gguf, &said, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_model_bind(model, &said, bipe_gguf_tensors(model->gguf), BIPE_NAMING_GGUF, err);
    return status == BIPE_OK ? BIPE_OK : bipe_error_prefix(err, "%s", model->path);
}

int bipe_model_open(bipe_model **model, const char *name, bipe_error *err)
{
    *model = NULL;
    struct stat info;
    char path[BIPE_MODEL_PATH_SIZE];
    int status = bipe_model_resolve(name, path, err);
    if (status != BIPE_OK)
        return status;
    if (stat(path, &info) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: %s", path, strerror(errno));
    bipe_model *made = bipe_alloc(1, sizeof *made);
    if (made == NULL)
        return bipe_fail_memory(err);
    made->path = bipe_strdup(path);
    status = made->path == NULL        ? bipe_fail_memory(err)
             : S_ISDIR(info.st_mode) ? open_model_folder(made, err)
                                     : open_gguf(made, err);
    if (status == BIPE_OK)
        *model = made;
    else
        bipe_model_close(made);
    return status;
}

const bipe_hyperparameters *bipe_model_hyperparameters(const bipe_model *model)
{
    return &model->hyper;
}

const char *bipe_model_path(const bipe_model *model)
{
    return model->path;
}

const bipe_gguf *bipe_model_gguf(const bipe_model *model)
{
    return model->gguf;
}

const bipe_tensor_table *bipe_model_tensors(const bipe_model *model)
{
    return model->gguf != NULL ? bipe_gguf_tensors(model->gguf) : bipe_checkpoint_tensors(model->checkpoint);
}

void bipe_model_close(bipe_model *model)
{
    if (model == NULL)
        return;
    bipe_model_changed(model);
    bipe_gguf_close(model->gguf);
    bipe_checkpoint_close(model->checkpoint);
    for (size_t i = 0; i < model->owned_count; i++)
        bipe_free(model->owned[i]);
    bipe_free(model->owned);
    bipe_free(model->weight);
    bipe_free(model->path);
    bipe_free(model);
}
