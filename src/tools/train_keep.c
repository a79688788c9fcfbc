/* train_keep.c - writes the files of a training run: checkpoints and the model. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "model/parameters.h"
#include "tools/bipe_train.h"
#include "tools/write_model.h"
#include "train/train_checkpoint.h"

int bipe_train_write(bipe_train_run *run, const char *path, const bipe_train_checkpoint *checkpoint, bipe_error *err)
{
    char name[BIPE_MODEL_NAME_SIZE];
    bipe_gguf_writer *writer;
    bipe_model_name_of(run->given.output, name);
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_write_model_fill(run->model, BIPE_F32, name, run->tokenizer, NULL, writer, err);
    if (status == BIPE_OK && checkpoint != NULL)
        status = bipe_train_checkpoint_fill(checkpoint, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, path, err);
    bipe_gguf_writer_close(writer);
    return status;
}

int bipe_train_keep_old(bipe_train_run *run, const char *path, bipe_error *err)
{
    struct stat info;
    char old[BIPE_MODEL_PATH_SIZE + 1];
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return BIPE_OK;
    snprintf(old, sizeof old, "%s~", path);
    if (rename(path, old) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "%s: of an earlier run, could not be renamed %s: %s", path, old, strerror(errno));
    bipe_tool_note(&run->tool, "%s: that of an earlier run is kept as %s", path, old);
    return BIPE_OK;
}

int bipe_train_keep(bipe_train_run *run, bipe_error *err)
{
    bipe_optimizer *optimizer = bipe_trainer_optimizer(run->trainer);
    size_t count;
    bipe_train_checkpoint checkpoint = {
        .values = bipe_model_values(run->model, &count),
        .step = bipe_trainer_steps(run->trainer), .settings = run->settings, .losses = run->losses,
        .moment = {bipe_optimizer_moments(optimizer, 0), bipe_optimizer_moments(optimizer, 1)},
        .count = (size_t)bipe_model_hyperparameters(run->model)->parameters,
    };
    return run->ranks.rank == 0 ? bipe_train_write(run, run->checkpoint, &checkpoint, err) : BIPE_OK;
}
