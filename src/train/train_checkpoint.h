/* train_checkpoint.h - the state of a training run, in a file from which it continues.
 *
 * A checkpoint is a native model file (F32), which every tool reads as a model, and beside the weights holds:
 *   training.step      (u32)  steps that were made
 *   training.tokens    (u64)  tokens of their rows
 *   training.settings  (text) lines "key value": every setting that affects the result; compared on resume
 *   training.moment1, training.moment2  F32 [rows, 1024]: the optimizer's moments, in the order of the model's values,
 *                      then zeros; Muon's matrices have their momentum in the first, and nothing in the second
 *   training.best, training.best_step  (f32, u32) the least validation loss before this step, and its step; where
 *                      --keep-best asks for it
 *   training.checksum  (text) 16 hexadecimal digits, over the step, the weights, the moments and the losses
 *   training.losses    F32 [rows, 1024]: the loss of each step, then zeros
 * Position in the data and random numbers follow from the step. The file appears under its name complete or never. */
#ifndef BIPE_TRAIN_TRAIN_CHECKPOINT_H
#define BIPE_TRAIN_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/gguf.h"
#include "model/parameters.h"

typedef struct bipe_train_checkpoint {
    uint64_t step, tokens;
    const char *settings;
    size_t count;        /* of the model's values */
    const float *values; /* the model's, when it is written */
    float *moment[2];    /* bipe_optimizer_moments() */
    size_t moment_count[2];
    float *losses;       /* (step) */
    float best;          /* the least validation loss so far, */
    uint64_t best_step;  /* and its step; 0: none is known */
} bipe_train_checkpoint;

/* Prefix of the keys and tensors that a checkpoint adds to a model file. */
#define BIPE_TRAIN_CHECKPOINT_PREFIX "training."

/* Adds the training state to a model file being written, which must hold the model already (bipe_model_write_gguf() in
 * F32). *checkpoint must live until the file is written. */
int bipe_train_checkpoint_fill(const bipe_train_checkpoint *checkpoint, bipe_gguf_writer *writer, bipe_error *err);

/* Reads the checkpoint of `path` into the model's values and the arrays of *checkpoint, whose settings and count are
 * the present run's; losses must have room for `steps`, the last step of the run. BIPE_END: there is no such file.
 * BIPE_ERR_ARGUMENT: it is of a run with other settings, and the first that differs is named. BIPE_ERR_FORMAT: it is no
 * checkpoint of this model. */
int bipe_train_checkpoint_read(bipe_train_checkpoint *checkpoint, const char *path, bipe_model *model, uint64_t steps,
                               bipe_error *err);

/* A number among the settings of a checkpoint. False: there is no such file, or no such number in it. */
bool bipe_train_checkpoint_setting(const char *path, const char *key, uint64_t *value);

#endif
