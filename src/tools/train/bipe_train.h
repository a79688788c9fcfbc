/* bipe_train.h - declarations shared by the files of bipe-train: the run, its options, its log. */
#ifndef BIPE_TOOLS_TRAIN_BIPE_TRAIN_H
#define BIPE_TOOLS_TRAIN_BIPE_TRAIN_H

#include "base/buffer.h"
#include "base/installed_model.h"
#include "cli/tool.h"
#include "cli/tool_inputs.h"
#include "cli/tool_model.h"
#include "format/gguf.h"
#include "model/parameters.h"
#include "train/corpus.h"
#include "train/ranks.h"
#include "train/trainer.h"

/* The most steps of a run, and the most tokens of a row. */
#define BIPE_TRAIN_STEPS (UINT32_MAX - 1)
#define BIPE_TRAIN_LONGEST (UINT32_C(1) << 24)

/* What --make-tokenizer makes: N, word:N, or, for "-t char", the characters alone. */
typedef enum bipe_train_makes {
    BIPE_MAKES_NONE,
    BIPE_MAKES_PIECES,
    BIPE_MAKES_WORDS,
    BIPE_MAKES_CHARACTERS
} bipe_train_makes;

/* Indices into bipe_train_optimizer_names. */
enum { BIPE_OPTIMIZER_ADAMW, BIPE_OPTIMIZER_MUON };

/* What was given on the command line; numbers have their defaults, length and batch once the model of --init is
 * open. */
typedef struct bipe_train_options {
    const char *output, *init, *segmenter, *tokenizer, *loss_after, *task, *scheme, *scaling, *schedule, *checkpoint,
        *log, *sample, *make_tokenizer, *longce;
    bipe_inputs inputs;
    bipe_texts validate;
    uint64_t length, makes_count /* pieces or words */, layers, hidden, heads, kv_heads, feed_forward, steps, batch,
        warmup, seed, every, sample_every, keep;
    double epochs, rate, min_rate, muon_rate, momentum, weight_decay, beta1, beta2, epsilon, clip, dropout;
    double most_weight /* 0: no --longce */;
    bipe_key_rule brief;
    bool tied, recompute, keep_best;
    int pack, order, optimizer, precision; /* indices into the choices */
    bipe_train_makes makes;
    bool has_steps, has_warmup;
} bipe_train_options;

extern const char *const bipe_train_pack_names[], *const bipe_train_order_names[],
    *const bipe_train_optimizer_names[];

/* A loss of the validation after the last step. */
typedef struct bipe_train_loss {
    const char *file;
    uint64_t length;
    double nll;
} bipe_train_loss;

struct bipe_train_run;

/* The log: JSON Lines, a row for each step (train_log.c). */
typedef struct bipe_train_log bipe_train_log;

/* Whether a file is there that is such a log, and not empty. */
bool bipe_train_log_is(const char *path);
/* Opens the log for a run that goes on after `step`: rows of later steps and validations of this one are dropped. A log
 * that is not there is made with its first row. Before that comes a line about the run, also where it goes on and its
 * last line of this kind is another one. */
int bipe_train_log_open(bipe_train_log **log, const char *path, uint64_t step, const struct bipe_train_run *run,
                        bipe_error *err);
int bipe_train_log_step(bipe_train_log *log, const bipe_train_step *step, double seconds, bipe_error *err);
int bipe_train_log_validation(bipe_train_log *log, uint64_t step, const char *file, uint64_t length, double nll,
                              bipe_error *err);
/* A text, of which 600 bytes or fewer are kept. */
int bipe_train_log_sample(bipe_train_log *log, uint64_t step, const uint8_t *text, size_t size, bipe_error *err);
/* Reports what could not be written so far; frees. NULL is allowed. */
int bipe_train_log_close(bipe_train_log *log, bipe_error *err);

/* Draws the losses of steps first .. first + count - 1 as a curve on lines of at most `width` columns
 * (loss_chart.c). */
void bipe_loss_chart(const float *losses, size_t count, size_t width, bool utf8, bipe_output *output);

/* One run of the tool. */
typedef struct bipe_train_run {
    bipe_tool tool;
    bipe_train_options given;
    bipe_ranks ranks;
    char checkpoint[BIPE_MODEL_PATH_SIZE];      /* paths */
    char best_path[BIPE_MODEL_PATH_SIZE];       /* of the checkpoint that --keep-best keeps; else empty */
    char own_tokenizer[BIPE_MODEL_PATH_SIZE];   /* of the tokenizer that --make-tokenizer makes; else empty */
    char init_path[BIPE_MODEL_PATH_SIZE];       /* of the model of --init; else empty */
    const char *tokenizer_spec;                 /* one of these paths, or what was given */
    bipe_pool *pool;
    bipe_tokenizer *tokenizer;
    struct bipe_task *task;                     /* --task: texts are its records; NULL: none */
    bipe_corpus *corpus;
    bipe_corpus **validation;                   /* [given.validate.count] */
    const char *reading;                        /* the file that is read, for progress */
    bipe_hyperparameters hyper;                 /* the model's; texts are read before a new one is made */
    bipe_model *model;
    bipe_trainer *trainer;
    bipe_trainer_options options;
    struct json_t *record;                      /* of the run, made before the first step; NULL: of another process of
                                                   several */
    bipe_train_loss *at_end;                    /* [validations] */
    size_t validations, validation_capacity;
    uint64_t steps;                             /* of the whole run */
    uint64_t tokens;                            /* of the rows of the steps that were made */
    double memory;                              /* bytes that it takes, but for the tokens of the texts */
    char *settings;                             /* what decides the run: see train_checkpoint.h */
    float *losses;                              /* (steps) of the steps that were made */
    bipe_train_log *log;
    bool reported_unknown;                          /* of a word that the vocabulary lacks */
    bool goes_on;                               /* from a checkpoint */
    double validated;                           /* the last validation: the mean over its texts of the loss at -L; NaN
                                                   before */
    float best;                                 /* the least of them, in steps of --every, with --keep-best; */
    uint64_t best_step;                         /* 0: none yet */
    double ceiling;                             /* float operations a second that the threads can do at best; 0: not
                                                   known */
} bipe_train_run;

/* Opens everything up to the trainer, checkpoint read (train_open.c). BIPE_STOPPED: interrupted. */
int bipe_train_open(bipe_train_run *run, bipe_files files, bipe_error *err);
void bipe_train_close(bipe_train_run *run);
/* What the run has read and was asked for (train_settings.c): run->settings, for the checkpoint; the members "run"
 * (cli/run_record.h) and "settings" (what follows from the options) of an object being written; and keys of the model's
 * file. */
int bipe_train_write_settings(bipe_train_run *run, bipe_error *err);
void bipe_train_tell_in_force(bipe_train_run *run); /* options that were not given, for the record of the run */
void bipe_train_put_run(const bipe_train_run *run, bipe_json *json);
void bipe_train_set_keys(const bipe_train_run *run, bipe_gguf_writer *writer);
/* Opens the tokenizer, and makes it first from `files` where it is to be made and is not there (train_tokenizer.c). */
int bipe_train_open_tokenizer(bipe_train_run *run, bipe_files files, bipe_error *err);

/* Prints how the model continues the prompt of --sample on standard error, and appends it to *text (train_sample.c). */
int bipe_train_sample(bipe_train_run *run, uint64_t step, bipe_buffer *text, bipe_error *err);

struct bipe_train_checkpoint;
/* Writes the model as a file, with `checkpoint` (NULL: none) as a checkpoint (train_keep.c). */
int bipe_train_write(bipe_train_run *run, const char *path, const struct bipe_train_checkpoint *checkpoint,
                     bipe_error *err);
/* A file of an earlier run that is about to be replaced becomes `path`~, and a note says so. Nothing where there is
 * none. */
int bipe_train_keep_old(bipe_train_run *run, const char *path, bipe_error *err);
/* Writes the checkpoint; with --keep a copy as well, unless the run is `interrupted`, and removes the oldest copy.
 * Processes of a rank above 0 write nothing. */
int bipe_train_keep(bipe_train_run *run, bool interrupted, bipe_error *err);
/* After a validation of the checkpoint: makes it the best, if it is. */
int bipe_train_keep_best(bipe_train_run *run, bipe_error *err);
#define BIPE_TRAIN_CHECKPOINT ".checkpoint"
/* *path: `beside` without `ending`, if it ends in that; then `add`; then (keep) the ending again, if it was there. */
int bipe_train_path(const char *beside, const char *ending, const char *add, bool keep, char path[BIPE_MODEL_PATH_SIZE],
                    bipe_error *err);

/* Scores all validation texts into the log (train_validate.c); with `output` as a table as well, without it as a note,
 * unless it is the last step. The checkpoint becomes the best, if it is. BIPE_STOPPED: interrupted. */
int bipe_train_validate(bipe_train_run *run, bipe_output *output, bipe_error *err);
/* Reports a failed write to the log (status, *err); the run continues without it. */
void bipe_train_check_log(bipe_train_run *run, int status, bipe_error *err);

/* Trains, writes checkpoints, log and model (train_run.c). Returns the exit status. */
int bipe_train_steps(bipe_train_run *run);

/* BIPE_ERR_ARGUMENT: the answers of --task are generated, and nothing would teach a model where they end
 * (train_task.c). */
int bipe_train_check_task(const bipe_train_run *run, bipe_error *err);
/* Appends the records of a file as questions of the task with their right answers (train_task.c). Errors in records are
 * reported. */
int bipe_train_read_records(bipe_train_run *run, bipe_corpus *corpus, const char *path, bipe_error *err);

#endif
