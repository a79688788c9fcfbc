/* bipe_score.h - what the parts of bipe-score share: what was asked for, a finished row, and the reports, dumps and
 * journal that rows go to. Private to the tool. */
#ifndef BIPE_TOOLS_BIPE_SCORE_H
#define BIPE_TOOLS_BIPE_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "base/output.h"
#include "base/status.h"
#include "base/threads.h"
#include "measure/losses.h"
#include "measure/scorer.h"
#include "measure/stream.h"
#include "model/evaluator.h"
#include "model/model.h"
#include "tools/tool_inputs.h"

typedef enum bipe_score_bos { BIPE_SCORE_BOS_DOCUMENT, BIPE_SCORE_BOS_WINDOW, BIPE_SCORE_BOS_NONE } bipe_score_bos;

/* The index of --by. */
typedef enum bipe_score_by { BIPE_SCORE_BY_NONE, BIPE_SCORE_BY_TOKEN, BIPE_SCORE_BY_SEGMENT, BIPE_SCORE_BY_INTRA } bipe_score_by;

extern const char *const bipe_score_bos_names[];       /* by bipe_score_bos, then NULL */
extern const char *const bipe_score_by_names[];        /* by bipe_score_by less 1, then NULL */
extern const char *const bipe_score_protocol_names[];  /* then NULL */
extern const char *const bipe_score_precision_names[]; /* by bipe_precision, then NULL */
extern const char *const bipe_score_without_names[];   /* intra, inter, NULL */

/* What is scored and how: fixed once the model is open. Pointers belong to the caller. */
typedef struct bipe_score_setup {
    const char *model_name;         /* as it was given */
    const char *model_path;         /* the same, with "default" resolved */
    const bipe_hyperparameters *hyperparameters;
    bipe_scheme scheme;             /* the one in use, not always the model's */
    bipe_rope_scaling scaling;
    const char *tokenizer, *segmenter;
    const char *protocol;           /* "paper" */
    bipe_score_bos bos;
    int64_t bos_id;                 /* of the tokenizer, or BIPE_NO_TOKEN */
    bool count_bos;
    uint64_t stride;                /* 0: not given */
    bool tail;
    bipe_precision precision;
    uint64_t seed;
    bipe_score_by by;
    size_t file_count;
    size_t file_width;              /* columns of the longest file name */
} bipe_score_setup;

/* The losses of one file (NULL: of all) at one length. */
typedef struct bipe_score_row {
    const char *file;
    uint64_t length;
    bipe_losses losses;
    bipe_loss_bins bins;            /* with --by */
} bipe_score_row;

void bipe_score_row_free(bipe_score_row *row);

/* The columns of a terminal that a name takes; what cannot be shown counts one a byte. */
size_t bipe_score_columns(const char *name);

/* ---- report: a table, CSV or JSON on an output (score_report.c) ---- */

typedef enum bipe_score_format { BIPE_SCORE_TABLE, BIPE_SCORE_CSV, BIPE_SCORE_JSON } bipe_score_format;

typedef struct bipe_score_report bipe_score_report;

/* setup and output must outlive the report. Nothing is written before the first row or the end. */
int bipe_score_report_open(bipe_score_report **report, bipe_score_format format, const bipe_score_setup *setup,
                           bipe_output *output, bipe_error *err);
/* A finished row; it is on the output when this returns. */
int bipe_score_report_row(bipe_score_report *report, const bipe_score_row *row, bipe_error *err);
/* The rows of all files together, and the end. complete: nothing failed and nothing was interrupted. */
int bipe_score_report_end(bipe_score_report *report, const bipe_score_row *total, size_t count, bool complete,
                          bipe_error *err);
void bipe_score_report_close(bipe_score_report *report);

/* ---- dump: --tokens and --segments (score_dump.c) ---- */

typedef struct bipe_score_dump bipe_score_dump;

/* tokens: a line for each scored token; otherwise one for each segment of a window with scored tokens. */
int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bool tokens, bipe_error *err);
int bipe_score_dump_window(bipe_score_dump *dump, const char *file, uint64_t length, const bipe_scored_window *window,
                           bipe_error *err);
int bipe_score_dump_commit(bipe_score_dump *dump, bipe_error *err); /* frees */
void bipe_score_dump_abandon(bipe_score_dump *dump);                /* NULL is allowed */

/* ---- journal: --resume (score_journal.c) ---- */

typedef struct bipe_score_journal bipe_score_journal;

/* What a row is the row of: the text as the tokenizer and the segmenter see it, and the length. */
typedef struct bipe_score_key {
    uint64_t hash, tokens, length;
} bipe_score_key;

/* Opens or makes the journal. BIPE_ERR_ARGUMENT when it was written with another setup, BIPE_ERR_FORMAT when it is none. */
int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup, bipe_error *err);
/* BIPE_OK with losses and bins filled (bins must be empty), or BIPE_END when it is not there. */
int bipe_score_journal_find(const bipe_score_journal *journal, const bipe_score_key *key, bipe_losses *losses,
                            bipe_loss_bins *bins, bipe_error *err);
/* Appends a row and makes sure that it is on the disk. */
int bipe_score_journal_add(bipe_score_journal *journal, const bipe_score_key *key, const bipe_score_row *row,
                           bipe_error *err);
void bipe_score_journal_close(bipe_score_journal *journal);

/* ---- the run ---- */

/* Lengths when none is given: the training length and its doublings. A longer window is refused. */
enum { BIPE_SCORE_DEFAULT_LENGTHS = 4, BIPE_SCORE_LONGEST = 1 << 30 };

/* What was given on the command line. */
typedef struct bipe_score_options {
    const char *tokenizer, *segmenter, *output, *tokens, *segments, *resume, *scheme, *scaling;
    bipe_sizes lengths;
    uint64_t stride, seed;
    bipe_inputs inputs;
    bool tail, count_bos, json, csv, special;
    int bos, protocol, without, precision, by; /* indices into the choices; -1: not given */
} bipe_score_options;

/* The files that are too short for a length. */
typedef struct bipe_score_short {
    size_t files;
    const char *first;
    uint64_t tokens; /* of the first */
} bipe_score_short;

/* One run of the tool. */
typedef struct bipe_score_run {
    bipe_tool tool;
    bipe_score_options given;
    bipe_score_setup setup;
    bipe_sizes lengths;           /* asked for, or the multiples of the training length */
    bipe_model *model;
    bipe_tokenizer *tokenizer;
    bipe_stream *stream;
    bipe_token_spool *spool;
    bipe_pool *pool;
    bipe_evaluator *evaluator;
    size_t evaluator_length;      /* windows up to this many tokens */
    bipe_output *output;
    bipe_score_report *report;
    bipe_score_dump *tokens, *segments;
    bipe_score_journal *journal;
    bipe_score_row *total;        /* (lengths.count); windows is 0 where nothing was scored */
    bipe_score_short *too_short;  /* (lengths.count) */
    bool wrong_usage;             /* what bipe_score_open() could not open was given on the command line */
    bool output_over;             /* it failed, or nobody reads it any more */
} bipe_score_run;

/* Opens all that does not depend on the texts (score_open.c). */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err);
/* Makes sure that the evaluator takes windows of `length` tokens. */
int bipe_score_reach(bipe_score_run *run, uint64_t length, bipe_error *err);
void bipe_score_close(bipe_score_run *run);

/* Scores the files, reports what is finished, and gives the exit status (score_run.c). SIGINT, SIGTERM and SIGHUP
 * end it early: what was finished is reported, and the status is 128 and the signal's number. */
int bipe_score_files(bipe_score_run *run, bipe_files files);

#endif
