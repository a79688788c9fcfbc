/* stats_result.h - what bipe-stats has counted, how such counts are put together, and the numbers that are derived from them
 * for every form of output. */
#ifndef BIPE_TOOLS_STATS_RESULT_H
#define BIPE_TOOLS_STATS_RESULT_H

#include "measure/distribution.h"
#include "measure/tally.h"
#include "tools/stats_shards.h"

/* Which of the texts and segments were counted. Zero: all. */
typedef struct stats_choice {
    bool squeeze;         /* segments of white space are left out */
    uint64_t every, seed; /* of so many documents, or blocks of a plain text, one was read; 0: all were */
} stats_choice;

/* Counts: exact, so that those of shards add up to those of the whole. Zero-initialise. */
typedef struct stats_result {
    char *tokenizer;
    char **segmenter;  /* (count) SPECs */
    bipe_tally *tally; /* (count) */
    size_t count;
    uint64_t files;      /* but for those of which the shards share out the documents: see stats_result_files() */
    uint64_t documents, bytes, tokens;
    stats_shards shards; /* which it holds; none: it is whole */
    stats_choice choice;
} stats_result;

/* Makes room for these segmenters, with nothing counted. BIPE_OK or BIPE_ERR_MEMORY (close it then, too). */
int stats_result_open(stats_result *result, const char *tokenizer, const char *const *segmenter, size_t count,
                      bipe_error *err);
/* Adds a result of the same tokenizer and segmenters, whose histograms go over and are empty then. BIPE_OK, BIPE_ERR_MEMORY, BIPE_ERR_LIMIT (counts beyond 2^64), or
 * BIPE_ERR_ARGUMENT when tokenizer or segmenters differ or a shard is there already; `into` is of no use after an error. */
int stats_result_merge(stats_result *into, stats_result *from, bipe_error *err);
/* All files that were read. */
uint64_t stats_result_files(const stats_result *result);
/* After the last merge: what is complete is no longer one of shards. */
void stats_result_settle(stats_result *result);
void stats_result_close(stats_result *result);

/* One length under one segmenter. */
typedef struct stats_row {
    uint64_t length;             /* or BIPE_TALLY_DOCUMENT */
    bipe_distribution tokens;    /* tokens per segment */
    bipe_distribution segments;  /* segments per window */
    double ks, js, wasserstein;  /* of `tokens`, from the first row's */
} stats_row;

typedef struct stats_section {
    const char *segmenter;
    stats_row *row; /* (count) by rising length, whole documents last */
    size_t count;
    bipe_fit growth; /* segments per window against length, over all windows of a length in tokens */
} stats_section;

/* Everything that is printed. Points into the result. */
typedef struct stats_report {
    const stats_result *result;
    stats_section *section; /* (result->count) */
} stats_report;

/* BIPE_OK or BIPE_ERR_MEMORY. Zero-initialise; close in either case. */
int stats_report_open(stats_report *report, const stats_result *result, bipe_error *err);
void stats_report_close(stats_report *report);

/* With --per-file: what each file came to. Zero-initialise. */
typedef struct stats_file {
    const char *path;    /* the command line's */
    stats_result result; /* what was read; its counts have gone into the result of all */
    stats_report report;
} stats_file;

typedef struct stats_files {
    stats_file *file; /* (count) in the order of the command line, those of which something was read */
    size_t count, capacity;
    bool wanted;
} stats_files;

/* Adds a file, whose result becomes the list's own, also after an error: what it comes to is kept, and its counts go into *total. */
int stats_files_add(stats_files *files, const char *path, stats_result *result, stats_result *total, bipe_error *err);
void stats_files_close(stats_files *files);

/* A sum that fits, or the largest number. */
uint64_t stats_small(bipe_uint128 sum);

#endif
