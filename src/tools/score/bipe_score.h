/* bipe_score.h - one run of bipe-score: what is given, and the parts of the run with what each owns. */
#ifndef BIPE_TOOLS_SCORE_BIPE_SCORE_H
#define BIPE_TOOLS_SCORE_BIPE_SCORE_H

#include "cli/record_filter.h"
#include "tools/score/score_dump.h"
#include "tools/score/score_journal.h"
#include "tools/score/score_key.h"
#include "tools/score/score_models.h"
#include "tools/score/score_report.h"

/* Lengths when none is given: the training length and its doublings. A longer window is refused. */
enum { BIPE_SCORE_DEFAULT_LENGTHS = 4, BIPE_SCORE_LONGEST = 1 << 30 };

/* --ladder without --last: tokens that are scored. */
enum { BIPE_SCORE_LADDER_LAST = 256 };

/* What is given on the command line, but for the options that go to the setup unchanged. */
typedef struct bipe_score_options {
    const char *tokenizer, *output, *dump[BIPE_SCORE_DUMPS], *resume, *scheme, *scaling, *shard, *id;
    const char *key_tokens, *key_from, *key_out;
    bipe_texts segmenters, against;
    bipe_sizes lengths, ladder;
    uint64_t trials;
    bipe_inputs inputs;
    bipe_record_options records;
    bool text, limit, json, csv, special, merge, verbose;
    int without, by, probe; /* indices into the choices; -1: not given */
} bipe_score_options;

/* What is not scored at a length. */
typedef struct bipe_score_short {
    size_t files;       /* too short, or (--pack line) without a line to score */
    const char *first;
    uint64_t tokens;    /* of the first */
    uint64_t longer, blank; /* lines left out in other files: too long, with nothing after a match of --loss-after */
} bipe_score_short;

/* Where results go. */
typedef struct bipe_score_outputs {
    bipe_output *output;          /* NULL: it failed, or nobody reads it any more */
    bipe_score_report *report;
    bipe_score_dump *dump[BIPE_SCORE_DUMPS]; /* those asked for that could be written so far */
    bipe_score_journal *journal;
    bipe_output *ladder;          /* --documents with --ladder */
} bipe_score_outputs;

/* The rows of the present file, and what has none. */
typedef struct bipe_score_rows {
    bipe_score_row *row;          /* (lengths * combinations) */
    bipe_score_short *too_short;  /* (lengths) */
    bool left_out;                /* a text is too short for every length */
    size_t finished;              /* rows of files */
} bipe_score_rows;

/* How far the run is. */
typedef struct bipe_score_progress {
    bipe_score_work work;
    uint64_t bytes, bytes_read;   /* of all files, of those whose tokens are known; 0: not known */
    uint64_t planned, done;       /* tokens to compute, of the files whose tokens are known; computed */
    double seconds;               /* that computing took */
    bool reported_alone;          /* that lengths are computed one by one */
} bipe_score_progress;

/* One run of the tool: texts -> plan -> rows -> report. */
typedef struct bipe_score_run {
    bipe_tool tool;
    bipe_score_options given;
    bipe_score_setup setup;
    bipe_scheme scheme;           /* --scheme */
    bipe_rope_scaling scaling;    /* --rope-scaling */
    bipe_sizes lengths;           /* asked for, or the multiples of the training length; or the rungs of --ladder */
    bipe_score_texts texts;
    bipe_score_models models;
    bipe_score_key key;
    bipe_score_rows rows;
    bipe_score_progress progress;
    bipe_score_outputs out;
} bipe_score_run;

/* Opens all that does not depend on the texts (score_open.c). */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err);
void bipe_score_close(bipe_score_run *run);

/* ---- what all runs share (score_run.c) ---- */

/* Whether to stop: interrupted, or nobody is left who wants to know. */
bool bipe_score_over(const bipe_score_outputs *out);
/* status and err: of writing to the output. A failure is reported, and the output given up. */
void bipe_score_check_output(bipe_score_run *run, int status, const bipe_error *err);
/* What --verbose says in the end. */
void bipe_score_print_verbose(bipe_score_run *run);
/* The end of a run: reports what was only counted, commits the output. Returns the exit status. */
int bipe_score_finish(bipe_score_run *run);

/* ---- runs: each returns the exit status. SIGINT, SIGTERM and SIGHUP end one early: what was finished is reported,
 * and the status is 128 and the signal's number ---- */

/* Scores the text in the spools under combinations number .. number + count - 1, several of them in step for
 * --divergence; their rows wait in the run (score_combine.c). last: no other text follows. */
void bipe_score_combine(bipe_score_run *run, size_t number, size_t count, const char *path, bool last);

/* Scores the files and reports what is finished (score_run.c). */
int bipe_score_files(bipe_score_run *run, bipe_files files);
/* Instead, with --limit: how far each combination goes (score_limit.c). */
int bipe_score_limits(bipe_score_run *run, bipe_files files);
/* Instead, with --probe: how often each combination finds a hidden key (score_probe.c). */
int bipe_score_probe(bipe_score_run *run);
/* Instead, with --ladder: what more context before the last tokens of each document gains (score_ladder.c). */
int bipe_score_ladder(bipe_score_run *run, bipe_files files);
/* Instead, with --records: each record is written again with its losses (score_records.c). Before anything is opened,
 * the check: BIPE_ERR_ARGUMENT where options about records make no sense. */
int bipe_score_check_records(const bipe_score_run *run, bipe_error *err);
int bipe_score_records(bipe_score_run *run, bipe_files files);

#endif
