/* stats_result.h - the counts of bipe-stats, their merging, and the numbers derived from them for every form of output. */
#ifndef BIPE_TOOLS_STATS_RESULT_H
#define BIPE_TOOLS_STATS_RESULT_H

#include "measure/distribution.h"
#include "measure/tally.h"
#include "measure/unit_bins.h"
#include "tools/stats_shards.h"

/* Which of the texts and segments were counted. Zero: all. */
typedef struct stats_choice {
    bool squeeze;         /* segments of white space are left out */
    uint64_t every, seed; /* of so many documents, or blocks of a plain text, one was read; 0: all were */
} stats_choice;

/* Counts of all documents, or of those of a FILE or of a group. */
typedef struct stats_part {
    char *name;              /* NULL: all */
    uint64_t order;          /* parts are sorted by it, then by name */
    uint64_t documents, bytes, tokens;
    bipe_tally *tally;       /* (segmenters) */
    bipe_unit_bins *units;   /* (segmenters) of groups: tokens and segments of each document */
} stats_part;

/* Counts: exact, so that those of shards add up to those of the whole. Zero-initialise. */
typedef struct stats_result {
    char *tokenizer;
    char **segmenter;    /* (count) SPECs */
    size_t count;
    stats_part all;
    stats_part *part;    /* [parts] files or groups, sorted after stats_result_settle() */
    size_t parts, part_capacity;
    char *group_by;      /* parts are groups by this; NULL: they are files, */
    bool per_file;       /* if they are wanted */
    uint64_t files;      /* but for those of which the shards share out the documents: see stats_result_files() */
    stats_shards shards; /* which it holds; none: it is whole */
    stats_choice choice;
} stats_result;

/* Opens empty counts for these segmenters. group_by: NULL if there are no groups. BIPE_OK or BIPE_ERR_MEMORY (close it then, too). */
int stats_result_open(stats_result *result, const char *tokenizer, const char *const *segmenter, size_t count, const char *group_by,
                      bipe_error *err);
/* *part: the part of this name and order, which is made if it is new, and moves when another one is. BIPE_OK, BIPE_ERR_MEMORY or
 * BIPE_ERR_LIMIT: too many groups. */
int stats_result_part(stats_result *result, const char *name, uint64_t order, stats_part **part, bipe_error *err);
/* Adds the counts of all parts, which are sorted then, to those of all documents. */
int stats_result_sum(stats_result *result, bipe_error *err);
/* Removes all parts. */
void stats_result_drop_parts(stats_result *result);
/* Adds a result of the same tokenizer and segmenters, whose histograms go over and are empty then. BIPE_OK, BIPE_ERR_MEMORY, BIPE_ERR_LIMIT (counts beyond 2^64), or
 * BIPE_ERR_ARGUMENT when tokenizer or segmenters differ or a shard is there already; `into` is of no use after an error. */
int stats_result_merge(stats_result *into, stats_result *from, bipe_error *err);
/* All files that were read. */
uint64_t stats_result_files(const stats_result *result);
/* After the last merge: a complete result no longer counts as one of shards, and parts are sorted. */
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
    bipe_estimate mean; /* of groups: tokens per segment of whole documents, by bootstrap over documents; no units: not known */
} stats_section;

/* Two groups under a segmenter: how far their tokens per segment of whole documents are apart. */
typedef struct stats_contrast {
    size_t segmenter, a, b;      /* numbers; a < b */
    double ks, js, wasserstein;
    bipe_estimate difference;    /* of means: b less a; its p is that of a permutation test over documents */
} stats_contrast;

/* A row of any output. */
typedef struct stats_line {
    const stats_part *part;
    const stats_section *section;
    const stats_row *row;
    const stats_contrast *contrast; /* of a group with the first; NULL: none */
} stats_line;

/* The numbers of a part. */
typedef struct stats_view {
    const stats_part *part;
    stats_section *section; /* (result->count) */
    const stats_line *line; /* [lines] every length of every segmenter */
    size_t lines;
} stats_view;

/* With more groups, only the first is compared with the others. */
enum { STATS_PAIRED = 12 };

/* Everything that is printed. Points into the result. */
typedef struct stats_report {
    const stats_result *result;
    stats_view *view;            /* (parts + 1) of each part, then of all documents */
    size_t parts;
    stats_line *line;            /* of all views */
    stats_line *whole;           /* [wholes] of whole documents: for each segmenter of each part, then of all */
    size_t wholes;
    stats_contrast *contrast;    /* [contrasts] */
    size_t contrasts, contrast_capacity;
} stats_report;

/* BIPE_OK or BIPE_ERR_MEMORY. Zero-initialise; close in either case. */
int stats_report_open(stats_report *report, const stats_result *result, bipe_error *err);
void stats_report_close(stats_report *report);

/* A sum that fits, or the largest number. */
uint64_t stats_small(bipe_uint128 sum);

#endif
