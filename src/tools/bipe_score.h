/* bipe_score.h - what the parts of bipe-score share: what was asked for, a finished row, and the reports, dumps and
 * journal that rows go to. Private to the tool. */
#ifndef BIPE_TOOLS_BIPE_SCORE_H
#define BIPE_TOOLS_BIPE_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/options.h"
#include "base/output.h"
#include "base/status.h"
#include "base/threads.h"
#include "measure/losses.h"
#include "measure/scorer.h"
#include "measure/stream.h"
#include "model/evaluator.h"
#include "model/model.h"
#include "tools/shard.h"
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
    bool shared;                    /* windows that start together share their beginning */
    bipe_shard shard;               /* count 0: not given */
    size_t file_count;
    size_t file_width;              /* columns of the longest file name */
} bipe_score_setup;

/* What tells one text from another, under one tokenizer and segmenter. */
typedef struct bipe_score_text {
    uint64_t hash, tokens;
} bipe_score_text;

/* The losses of one file (NULL: of all) at one length. */
typedef struct bipe_score_row {
    const char *file;
    uint64_t length;
    bipe_score_text text;
    bipe_losses losses;
    bipe_loss_bins bins;            /* with --by */
} bipe_score_row;

void bipe_score_row_free(bipe_score_row *row);
/* Adds losses and bins of `more`. */
int bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more, bipe_error *err);

/* Tokens of all windows, and those of windows that do not take their losses from a longer one. */
typedef struct bipe_score_work {
    uint64_t all, computed;
} bipe_score_work;

/* Appends what digits depend on, "set NAME VALUE" a line, values without blanks and control characters (score_settings.c). state: also
 * size and time of the model's files. */
int bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_buffer *lines, bipe_error *err);
/* Appends text that can stand between blanks: these, control characters and % become %XX. */
int bipe_score_escape(bipe_buffer *buffer, const char *text, bipe_error *err);

/* A file name that is longer pushes its own row aside. */
enum { BIPE_SCORE_WIDEST = 48 };

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
/* Of a shard: what --merge knows the run by, a hash of all that its shards have in common. Before the end. */
void bipe_score_report_shard(bipe_score_report *report, uint64_t run);
/* The rows of all files together, and the end. complete: all that can be scored was. */
int bipe_score_report_end(bipe_score_report *report, const bipe_score_row *total, size_t count, const bipe_score_work *work,
                          bool complete, bipe_error *err);
void bipe_score_report_close(bipe_score_report *report);

/* ---- dump: --tokens and --segments (score_dump.c) ---- */

typedef struct bipe_score_dump bipe_score_dump;

/* tokens: a line for each scored token; otherwise one for each segment of a window with scored tokens. Lines of the lengths of a
 * file are kept apart, and go out one length after the other when the file is done. */
int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bool tokens, bipe_error *err);
/* A window of the length number `number` of the run. */
int bipe_score_dump_window(bipe_score_dump *dump, const char *file, size_t number, uint64_t length, const bipe_scored_window *window,
                           bipe_error *err);
int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err);
int bipe_score_dump_commit(bipe_score_dump *dump, bipe_error *err); /* frees */
void bipe_score_dump_abandon(bipe_score_dump *dump);                /* NULL is allowed */

/* ---- journal: --resume (score_journal.c) ---- */

typedef struct bipe_score_journal bipe_score_journal;

/* Opens or makes the journal. BIPE_ERR_ARGUMENT names the setting that it was written with another value of; BIPE_ERR_FORMAT when it
 * is none. */
int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup, bipe_error *err);
/* A file is about to be scored. BIPE_ERR_ARGUMENT when the journal knows another text by its name. */
int bipe_score_journal_text(bipe_score_journal *journal, const char *file, const bipe_score_text *text, bipe_error *err);
/* What the journal has of row->text at row->length: windows from `first` on are added to the row (there may be none), *next is the first
 * that is missing. */
int bipe_score_journal_find(const bipe_score_journal *journal, uint64_t first, bipe_score_row *row, uint64_t *next, bipe_error *err);
/* Adds windows part->losses.windows from `first` on, which must follow on those of the same text and length that are there. It is on
 * the disk after commit(). After a failure, which is returned once, the file is left alone. */
int bipe_score_journal_add(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err);
int bipe_score_journal_commit(bipe_score_journal *journal, bipe_error *err);
void bipe_score_journal_close(bipe_score_journal *journal);

/* ---- merge: --merge (score_merge.c) ---- */

/* Reports what the shards of a run in these files, results of --json, add up to; the exit status. */
int bipe_score_merge(bipe_tool *tool, bipe_files files, bipe_score_format format, const char *output);

/* ---- the run ---- */

/* Lengths when none is given: the training length and its doublings. A longer window is refused. */
enum { BIPE_SCORE_DEFAULT_LENGTHS = 4, BIPE_SCORE_LONGEST = 1 << 30 };

/* What was given on the command line. */
typedef struct bipe_score_options {
    const char *tokenizer, *segmenter, *output, *tokens, *segments, *resume, *scheme, *scaling, *shard;
    bipe_sizes lengths;
    uint64_t stride, seed;
    bipe_inputs inputs;
    bool tail, count_bos, json, csv, special, merge, verbose;
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
    bipe_score_row *total;        /* (lengths.count); length is 0 where there is no row */
    bipe_score_work work;
    uint64_t blocks_visited, blocks_skipped; /* of keys, by evaluators that are closed */
    uint64_t bytes, bytes_read;   /* of all files, of those whose tokens are known; 0: not known */
    uint64_t planned, done;       /* tokens to compute, of the files whose tokens are known; computed */
    double seconds;               /* that computing took */
    bool told_alone;              /* that lengths are computed one by one */
    bipe_score_short *too_short;  /* (lengths.count) */
    bool wrong_usage;             /* what bipe_score_open() could not open was given on the command line */
    bool left_out;                /* a text is too short for every length */
    bool output_over;             /* it failed, or nobody reads it any more */
} bipe_score_run;

/* Opens all that does not depend on the texts (score_open.c). */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err);
/* Makes sure that the evaluator takes windows of `length` tokens. */
int bipe_score_reach(bipe_score_run *run, uint64_t length, bipe_error *err);
/* Closes the evaluator, and keeps what it counted. */
void bipe_score_unreach(bipe_score_run *run);
void bipe_score_close(bipe_score_run *run);

/* Scores the files, reports what is finished, and gives the exit status (score_run.c). SIGINT, SIGTERM and SIGHUP
 * end it early: what was finished is reported, and the status is 128 and the signal's number. */
int bipe_score_files(bipe_score_run *run, bipe_files files);

#endif
