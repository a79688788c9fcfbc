/* train_keep.c - writes the files of a training run: checkpoints and the model. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/write_model.h"
#include "model/parameters.h"
#include "tools/train/bipe_train.h"
#include "train/train_checkpoint.h"

int bipe_train_write(bipe_train_run *run, const char *path, const bipe_train_checkpoint *checkpoint, bipe_error *err)
{
    char name[BIPE_MODEL_NAME_SIZE];
    bipe_gguf_writer *writer;
    bipe_model_name_of(run->given.output, name);
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_write_model_fill(run->model, bipe_mix_of(BIPE_F32), name, run->tokenizer, NULL, writer, err);
    if (status == BIPE_OK)
        bipe_train_set_keys(run, writer);
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
        return bipe_fail(err, BIPE_ERR_IO, "%s: of an earlier run, could not be renamed %s: %s", path, old,
                         strerror(errno));
    bipe_tool_note(&run->tool, "%s: the file of an earlier run is kept as %s", path, old);
    return BIPE_OK;
}

int bipe_train_path(const char *beside, const char *ending, const char *add, bool keep, char path[BIPE_MODEL_PATH_SIZE],
                    bipe_error *err)
{
    size_t size = strlen(beside), end = strlen(ending);
    bool ends = size > end && strcmp(beside + size - end, ending) == 0;
    int written = snprintf(path, BIPE_MODEL_PATH_SIZE, "%.*s%s%s", (int)(ends ? size - end : size), beside, add,
                           ends && keep ? ending : "");
    return written < BIPE_MODEL_PATH_SIZE
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT, "%.40s...: the path is too long, expected less than %d bytes",
                           beside, BIPE_MODEL_PATH_SIZE);
}

static int write_checkpoint(bipe_train_run *run, const char *path, bipe_error *err)
{
    bipe_optimizer *optimizer = bipe_trainer_optimizer(run->trainer);
    size_t count;
    bipe_train_checkpoint checkpoint = {
        .values = bipe_model_values(run->model, &count),
        .step = bipe_trainer_steps(run->trainer), .tokens = run->tokens, .settings = run->settings,
        .losses = run->losses, .best = run->best, .best_step = run->best_step,
        .count = (size_t)bipe_model_hyperparameters(run->model)->parameters,
    };
    for (int i = 0; i < 2; i++)
        checkpoint.moment[i] = bipe_optimizer_moments(optimizer, i, &checkpoint.moment_count[i]);
    return bipe_train_write(run, path, &checkpoint, err);
}

/* The checkpoint under another name as well: a second link to the file, where the file system has these. */
static int copy_checkpoint(bipe_train_run *run, const char *path, bipe_error *err)
{
    char beside[BIPE_MODEL_PATH_SIZE + 8];
    snprintf(beside, sizeof beside, "%s.link", path);
    unlink(beside);
    if (link(run->checkpoint, beside) != 0)
        return write_checkpoint(run, path, err);
    int status = rename(beside, path) == 0
                     ? BIPE_OK
                     : bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", path, strerror(errno));
    unlink(beside); /* which is there still if both were links to one file */
    return status;
}

/* With as many digits as the last step has, so that names are sorted. */
static int step_path(const bipe_train_run *run, uint64_t step, char path[BIPE_MODEL_PATH_SIZE], bipe_error *err)
{
    char what[64];
    int digits = snprintf(what, sizeof what, "%" PRIu64, run->steps);
    snprintf(what, sizeof what, ".step-%0*" PRIu64, digits, step);
    return bipe_train_path(run->checkpoint, BIPE_TRAIN_CHECKPOINT, what, true, path, err);
}

int bipe_train_keep(bipe_train_run *run, bool interrupted, bipe_error *err)
{
    char path[BIPE_MODEL_PATH_SIZE];
    uint64_t step = bipe_trainer_steps(run->trainer), every = run->given.every,
             number = step / every + (step % every != 0);
    if (run->ranks.rank != 0)
        return BIPE_OK;
    int status = write_checkpoint(run, run->checkpoint, err);
    if (status != BIPE_OK || run->given.keep == 0 || interrupted)
        return status;
    status = step_path(run, step, path, err);
    if (status == BIPE_OK)
        status = copy_checkpoint(run, path, err);
    if (status == BIPE_OK && number > run->given.keep &&
        step_path(run, (number - run->given.keep) * every, path, err) == BIPE_OK)
        unlink(path);
    return status;
}

int bipe_train_keep_best(bipe_train_run *run, bipe_error *err)
{
    float loss = (float)run->validated; /* as checkpoints have it, so that a run that was interrupted chooses alike */
    if (!run->given.keep_best || bipe_trainer_steps(run->trainer) == 0 || !(loss < run->best))
        return BIPE_OK;
    run->best = loss;
    run->best_step = bipe_trainer_steps(run->trainer);
    return copy_checkpoint(run, run->best_path, err);
}
