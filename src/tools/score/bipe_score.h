/* bipe_score.h - declarations shared by the parts of bipe-score: options, finished rows, and the reports, dumps and journal that rows go to.
 * Private to the tool. */
#ifndef BIPE_TOOLS_SCORE_BIPE_SCORE_H
#define BIPE_TOOLS_SCORE_BIPE_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/status.h"
#include "base/threads.h"
#include "cli/group_names.h"
#include "cli/options.h"
#include "cli/result_file.h"
#include "cli/shard.h"
#include "cli/tool_inputs.h"
#include "cli/tool_model.h"
#include "measure/loss_units.h"
#include "measure/losses.h"
#include "measure/protocol.h"
#include "measure/resample.h"
#include "measure/scorer.h"
#include "measure/stream.h"
#include "measure/token_losses.h"
#include "model/evaluator.h"
#include "model/model.h"
#include "text/pattern.h"

/* The index of --by. */
typedef enum bipe_score_by { BIPE_SCORE_BY_NONE, BIPE_SCORE_BY_TOKEN, BIPE_SCORE_BY_SEGMENT, BIPE_SCORE_BY_INTRA } bipe_score_by;

extern const char *const bipe_score_by_names[];        /* by bipe_score_by less 1, then NULL */
extern const char *const bipe_score_probe_names[];     /* passkey, NULL */
extern const char *const bipe_score_pack_names[];      /* stream, line, NULL */
extern const char *const bipe_score_without_names[];   /* intra, inter, NULL */

/* A model with a segmenter: what is compared. */
typedef struct bipe_score_combination {
    const char *model_name;         /* as it was given */
    const char *model_path;         /* the same, with "default" resolved */
    const bipe_hyperparameters *hyperparameters;
    bipe_scheme scheme;             /* the one in use, not always the model's */
    bipe_rope_scaling scaling;
    const char *tokenizer, *segmenter;
    int64_t bos_id;                 /* of the tokenizer, or BIPE_NO_TOKEN */
    bool shared;                    /* windows that start together share their beginning */
    size_t model;                   /* its number in the run */
    size_t text;                    /* combinations with the same number see the same tokens */
    size_t closes;                  /* the segmenter's number in the spool of the text */
} bipe_score_combination;

/* The setup of a run, fixed once the models are open; options write some of it. Pointers belong to the caller. */
typedef struct bipe_score_setup {
    const bipe_tool *tool;          /* whose record goes into JSON */
    bipe_score_combination *combination; /* (combinations); the others are compared with the first */
    size_t combinations;
    const bipe_sizes *lengths;
    bipe_window_rules rules;
    int pack;                       /* of bipe_score_pack_names; rules.lines says the same */
    bool common;                    /* only tokens that are scored at every length count */
    const char *loss_after;         /* only what follows a match of it counts; NULL: everything */
    bipe_precision precision;
    uint64_t seed;
    bipe_score_by by;
    const char *group;              /* the member of records that groups them; NULL: none */
    uint64_t contrast;              /* tokens of the short context that losses are contrasted with; 0: none */
    bipe_shard shard;               /* count 0: not given */
    uint64_t identity;              /* of a shard: a hash of all that the shards of its run have in common */
    size_t file_count;
    size_t file_width;              /* columns for file names: bipe_score_widen() */
} bipe_score_setup;

/* The identity of a text under one tokenizer and its segmenters. */
typedef struct bipe_score_text {
    uint64_t hash, tokens;
} bipe_score_text;

/* The losses of one file (NULL: of all) at one length. */
typedef struct bipe_score_row {
    size_t combination;
    const char *file;
    const char *group;              /* NULL: of all groups */
    uint64_t length;                /* 0: there is no row */
    bipe_score_text text;
    bipe_losses losses;
    bipe_loss_bins bins;            /* with --by */
    bipe_loss_bins units;           /* by number of the unit */
    bipe_losses contrast;           /* with --contrast: differences instead of losses, which may be negative */
    bipe_loss_bins contrast_units;
    bipe_loss_error error;          /* of the mean loss */
    bipe_estimate macro;            /* of all files: the mean of the means of files, or of groups */
    bipe_loss_error contrast_error;
} bipe_score_row;

void bipe_score_row_free(bipe_score_row *row);
/* Adds losses, bins and units of `more`. */
void bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more);

/* A difference between two combinations on the same texts: that of `b` less that of the first. */
typedef struct bipe_score_comparison {
    const char *file, *group;       /* as those of rows */
    bool macro;                     /* the mean over files, or over groups, each weighing the same */
    uint64_t length;
    size_t b;
    uint64_t tokens;                /* that both have scored; 0: their tokenizers differ */
    bipe_loss_error nats;           /* a token; no numbers where tokenizers differ */
    bipe_loss_error bits;           /* a byte */
} bipe_score_comparison;

/* Tokens of all windows, and those of windows that do not take their losses from a longer one. */
typedef struct bipe_score_work {
    uint64_t all, computed;
} bipe_score_work;

/* The settings as members of a result, and back from one: all of the setup but combinations, and a combination, whose texts then belong to
 * the result (score_settings.c). */
void bipe_score_settings_json(const bipe_score_setup *setup, bipe_json *json);
void bipe_score_setup_load(bipe_score_setup *setup, bipe_result *result, const json_t *root);
void bipe_score_combination_load(bipe_score_combination *combination, bipe_hyperparameters *hyperparameters, bipe_result *result,
                                 const json_t *object);
/* What digits depend on, "set NAME VALUE" a line, values without blanks and control characters. state: also size and time of the
 * models' files. */
void bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_output *lines);

/* ---- errors and comparisons (score_estimate.c) ---- */

/* All files at one length. */
typedef struct bipe_score_pool {
    size_t combinations;
    bipe_score_row *row;            /* (combinations) sums; their units are the documents of all files; macro: means added up, their
                                       squared errors */
    bipe_score_row *cells;          /* (combinations) units by cells, while documents are fewer than BIPE_LOSS_DOCUMENTS */
    bipe_loss_units layout;         /* of these cells */
    size_t layout_capacity;
    bipe_score_comparison *mean;    /* (combinations) differences added up, and their squared errors */
    uint32_t *group;                /* [documents] of each, with --group */
    size_t group_capacity;
} bipe_score_pool;

void bipe_score_pool_open(bipe_score_pool *pool, size_t combinations);
void bipe_score_pool_close(bipe_score_pool *pool);

/* Findings from finished rows: comparisons, and rows of groups and of all files. */
typedef struct bipe_score_findings {
    bipe_score_comparison *comparison; /* [comparisons] */
    size_t comparisons, comparison_capacity;
    bipe_score_row *row;               /* [rows] without bins and units but for bins of all files */
    size_t rows, row_capacity;
} bipe_score_findings;

void bipe_score_findings_free(bipe_score_findings *findings);
/* Rows of a file at one length (combinations): finds their errors, compares them and adds them to the pool. */
void bipe_score_compare_file(const bipe_score_setup *setup, bipe_score_row *row, const bipe_loss_units *layout,
                             bipe_score_pool *pool, bipe_score_findings *findings);
/* Rows and comparisons of each group, in the order of their names, and of all files. */
void bipe_score_compare_all(const bipe_score_setup *setup, bipe_score_pool *pool, const bipe_group_names *groups,
                            bipe_score_findings *findings);

/* Makes the column of file names wide enough for one more; a very long name pushes its own row aside, not all of them (score_table.c). */
void bipe_score_widen(bipe_score_setup *setup, const char *name);

/* ---- report: a table, CSV or JSON on an output (score_report.c) ---- */

typedef enum bipe_score_format { BIPE_SCORE_TABLE, BIPE_SCORE_CSV, BIPE_SCORE_JSON } bipe_score_format;

typedef struct bipe_score_report bipe_score_report;

/* setup, groups and output must outlive the report. Nothing is written before the first row or the end. */
bipe_score_report *bipe_score_report_open(bipe_score_format format, const bipe_score_setup *setup,
                                          const bipe_group_names *groups, bipe_output *output);
/* A file is done: its rows (lengths * combinations, those of one length together). They get their errors, are compared, and are on the output
 * when this returns. */
int bipe_score_report_file(bipe_score_report *report, bipe_score_row *row, const bipe_loss_units *layout,
                           bipe_error *err);
/* The rows of groups and of all files, and the end. complete: all that can be scored was. */
int bipe_score_report_end(bipe_score_report *report, const bipe_score_work *work, bool complete, bipe_error *err);
void bipe_score_report_close(bipe_score_report *report);

/* Members of an object that say how sure a difference is. */
void bipe_score_json_error(bipe_json *json, const bipe_loss_error *error);

/* ---- the table (score_table.c); failures stay in its output ---- */

/* The state of the table between its parts. */
typedef struct bipe_score_table {
    const bipe_score_setup *setup;
    bipe_output *output;
    bool documents, blocks;         /* what errors were found from */
    double shortest, longest;       /* blocks */
    bool mixed;                     /* rows of a file are not about the same tokens */
    bool only_bits;                 /* models with different tokenizers were compared */
} bipe_score_table;

/* A difference of losses in columns of 11, 20 and 7: value, interval and p, "-" where there is none. */
void bipe_score_table_difference(bipe_output *output, double value, const bipe_estimate *estimate, bool interval);
void bipe_score_table_begin(bipe_score_table *table);
void bipe_score_table_file(bipe_score_table *table, const bipe_score_row *row);
void bipe_score_table_end(bipe_score_table *table, const bipe_score_findings *findings);

/* ---- dump: --tokens, --segments and --documents (score_dump.c) ---- */

typedef struct bipe_score_dump bipe_score_dump;

typedef enum bipe_score_dump_kind { BIPE_SCORE_TOKENS, BIPE_SCORE_SEGMENTS, BIPE_SCORE_DOCUMENT_ROWS, BIPE_SCORE_DUMPS } bipe_score_dump_kind;

/* Where a window is. */
typedef struct bipe_score_place {
    size_t combination;
    const char *file;
    size_t number;                          /* of the length in the run */
    uint64_t length;
    struct bipe_score_reader *reader;       /* what has its text */
    const double *brief;                    /* (window->length) losses with a short context, NaN where there is none; NULL: no --contrast */
    const uint8_t *counts;                  /* (window->length) 1: the token is scored and counts */
} bipe_score_place;

/* A line for each scored token, for each segment of a window with scored tokens, or for each document. Lines of the lengths of a file are
 * kept apart, and go out one length after the other when the file is done. several: files may have several documents, whose number is then
 * a column. ids: so are the ids of their records. text: lines of tokens end with their text. */
int bipe_score_dump_open(bipe_score_dump **dump, const char *path, bipe_score_dump_kind kind, const bipe_score_setup *setup,
                         const bipe_group_names *groups, bool several, bool ids, bool text, bipe_error *err);
int bipe_score_dump_window(bipe_score_dump *dump, const bipe_score_place *place, const bipe_scored_window *window, bipe_error *err);
int bipe_score_dump_file_end(bipe_score_dump *dump, bipe_error *err);
int bipe_score_dump_commit(bipe_score_dump *dump, const bipe_tool *tool, bipe_error *err); /* as bipe_tool_commit() */
void bipe_score_dump_abandon(bipe_score_dump *dump); /* NULL is allowed */

/* ---- journal: --resume (score_journal.c) ---- */

typedef struct bipe_score_journal bipe_score_journal;

/* Opens or makes the journal. BIPE_ERR_FORMAT when it is none, or names the setting that it was written with another value of. */
int bipe_score_journal_open(bipe_score_journal **journal, const char *path, const bipe_score_setup *setup, bipe_error *err);
/* A file is about to be scored. BIPE_ERR_ARGUMENT, without the file's name, when the journal knows another text by it
 * under the tokenizer of that number. */
int bipe_score_journal_text(bipe_score_journal *journal, const char *file, size_t tokenizer, const bipe_score_text *text, bipe_error *err);
/* What the journal has of row->text at row->length for row->combination: windows from `first` on are added to the row (there may be none), *next is the first
 * that is missing. */
void bipe_score_journal_find(const bipe_score_journal *journal, uint64_t first, bipe_score_row *row, uint64_t *next);
/* Adds windows part->losses.windows from `first` on, which must follow on those of the same text and length that are there. It is on
 * the disk after commit(). After a failure, which is returned once, the file is left alone. */
int bipe_score_journal_add(bipe_score_journal *journal, uint64_t first, const bipe_score_row *part, bipe_error *err);
int bipe_score_journal_commit(bipe_score_journal *journal, bipe_error *err);
void bipe_score_journal_close(bipe_score_journal *journal);

/* ---- merge: --merge (score_merge.c) ---- */

/* Reports the merged result of the shards in these files, results of --json; returns the exit status. */
int bipe_score_merge(bipe_tool *tool, bipe_files files, bipe_score_format format, const char *output);

/* ---- the run ---- */

/* Lengths when none is given: the training length and its doublings. A longer window is refused. */
enum { BIPE_SCORE_DEFAULT_LENGTHS = 4, BIPE_SCORE_LONGEST = 1 << 30 };

/* What is given on the command line, but for the options that go to the setup unchanged. */
typedef struct bipe_score_options {
    const char *tokenizer, *output, *dump[BIPE_SCORE_DUMPS], *resume, *scheme, *scaling, *shard, *id;
    bipe_texts segmenters, against;
    bipe_sizes lengths;
    uint64_t trials;
    bipe_inputs inputs;
    bool text, limit, json, csv, special, merge, verbose;
    int bos, protocol, without, precision, by, pack, probe; /* indices into the choices; -1: not given */
} bipe_score_options;

/* What is not scored at a length. */
typedef struct bipe_score_short {
    size_t files;       /* too short, or (--pack line) without a line to score */
    const char *first;
    uint64_t tokens;    /* of the first */
    uint64_t longer, blank; /* lines left out in other files: too long, and with nothing after a match of --loss-after */
} bipe_score_short;

typedef struct bipe_score_model {
    bipe_model *model;
    size_t text;                  /* the reader of its texts */
    bipe_evaluator *evaluator;
    size_t evaluator_length;      /* windows up to this many tokens */
} bipe_score_model;

/* The texts under one tokenizer: those of a file are read once for it, with all segmenters. */
typedef struct bipe_score_reader {
    bipe_tokenizer *tokenizer;
    int64_t bos_id;               /* or BIPE_NO_TOKEN, as --bos and the protocol say */
    uint64_t vocabulary;          /* every model of the text knows ids below it */
    int64_t unknown;              /* the unknown token, or BIPE_NO_TOKEN */
    uint64_t tokens, unknowns;    /* read so far; of these, the unknown one */
    const char *spec[BIPE_SPOOL_SEGMENTERS];
    size_t specs;
    bipe_stream *stream;
    bipe_token_spool *spool;
    uint32_t *first_target;       /* [documents] with --loss-after */
    size_t first_capacity;
    bipe_spool *ids;              /* of documents, each with a NUL at its end, where documents' notes say; NULL: not asked for */
} bipe_score_reader;

enum { BIPE_SCORE_ID = 4 * BIPE_MEMBER_MOST }; /* bytes for the id of a record */

/* One run of the tool. */
typedef struct bipe_score_run {
    bipe_tool tool;
    bipe_score_options given;
    bipe_score_setup setup;
    bipe_scheme scheme;           /* --scheme */
    bipe_rope_scaling scaling;    /* --rope-scaling */
    bipe_sizes lengths;           /* asked for, or the multiples of the training length */
    bipe_score_model *model;      /* (models) */
    size_t models;
    bipe_score_reader *reader;    /* [readers] */
    size_t readers;
    bipe_pool *pool;
    bipe_pattern *pattern;        /* --loss-after */
    bipe_matches *matches;
    bipe_buffer line;             /* the text of the present document, for it */
    const char *member[2];        /* of records: what their ids are, and what groups them, if that is asked for */
    bipe_group_names groups;
    bipe_output *output;          /* NULL: it failed, or nobody reads it any more */
    bipe_score_report *report;
    bipe_score_dump *dump[BIPE_SCORE_DUMPS]; /* those asked for that could be written so far */
    bipe_score_journal *journal;
    bipe_score_row *row;          /* (lengths.count * combinations) of the present file */
    bipe_loss_units layout;       /* of the present file */
    bipe_score_work work;
    uint64_t blocks_visited, blocks_skipped; /* of keys, by evaluators that are closed */
    uint64_t bytes, bytes_read;   /* of all files, of those whose tokens are known; 0: not known */
    uint64_t planned, done;       /* tokens to compute, of the files whose tokens are known; computed */
    double seconds;               /* that computing took */
    bool reported_alone;          /* that lengths are computed one by one */
    bipe_score_short *too_short;  /* (lengths.count) */
    bool left_out;                /* a text is too short for every length */
    size_t finished;              /* rows of files */
} bipe_score_run;

/* Opens all that does not depend on the texts (score_open.c). */
int bipe_score_open(bipe_score_run *run, const char *model, bipe_files files, bipe_error *err);
/* Makes sure that the evaluator of a combination takes windows of `length` tokens. */
int bipe_score_reach(bipe_score_run *run, const bipe_score_combination *combination, uint64_t length, bipe_error *err);
/* Closes the evaluators, and keeps what they counted. */
void bipe_score_unreach(bipe_score_run *run);
void bipe_score_close(bipe_score_run *run);

/* All documents of a file into the spool of a reader; false when nothing of it can be used (score_text.c). A broken document is reported
 * and left out. Documents of files before it stay in the spool. */
bool bipe_score_read(bipe_score_run *run, bipe_score_reader *reader, size_t index, const char *path);
/* The id of a document of the reader's spool, "" where it has none. */
int bipe_score_id(bipe_score_reader *reader, size_t document, char id[BIPE_SCORE_ID], bipe_error *err);
/* The name of a FILE in messages. */
const char *bipe_score_shown(const char *path);
/* The document of token t >= window->first of a window, among those of the reader's spool. */
static inline size_t bipe_score_document(const bipe_score_reader *reader, const bipe_scored_window *window, size_t t)
{
    return bipe_token_spool_document_at(reader->spool, window->start + t - window->added);
}

/* ---- what all runs share (score_run.c) ---- */

/* Whether to stop: interrupted, or nobody is left who wants to know. */
bool bipe_score_over(const bipe_score_run *run);
/* Makes the units of the texts that were read; name: of these texts, in messages. False, and reported: tokenizers do not read the same documents,
 * or memory is exhausted. */
bool bipe_score_units(bipe_score_run *run, const char *name);
/* status and err: of writing to the output. A failure is reported, and the output given up. */
void bipe_score_check_output(bipe_score_run *run, int status, const bipe_error *err);
/* Scores the text in the reader of a combination by one protocol; windows go to `take`. BIPE_STOPPED: interrupted. */
int bipe_score_pass(bipe_score_run *run, const bipe_score_combination *combination, const bipe_protocol *protocol,
                    int (*take)(void *context, const bipe_scored_window *window, bipe_error *err), void *context,
                    bipe_error *err);
/* Opens losses by token with those of a pass. */
int bipe_score_keep_losses(bipe_score_run *run, const bipe_score_combination *combination,
                           const bipe_protocol *protocol, bipe_token_losses *losses, bipe_error *err);
/* The end of a run: reports what was only counted, commits the output. Returns the exit status. */
int bipe_score_finish(bipe_score_run *run);

/* ---- runs: each returns the exit status. SIGINT, SIGTERM and SIGHUP end one early: what was finished is reported, and the status is 128 and
 * the signal's number ---- */

/* Scores the text in the spools under a combination; its rows wait in the run (score_combine.c). last: no other text follows. */
void bipe_score_combine(bipe_score_run *run, size_t number, const char *path, bool last);

/* Scores the files and reports what is finished (score_run.c). */
int bipe_score_files(bipe_score_run *run, bipe_files files);
/* Instead, with --limit: how far each combination goes (score_limit.c). */
int bipe_score_limits(bipe_score_run *run, bipe_files files);
/* Instead, with --probe: how often each combination finds a hidden key (score_probe.c). */
int bipe_score_probe(bipe_score_run *run);

#endif
