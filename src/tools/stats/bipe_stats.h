/* bipe_stats.h - declarations shared by the parts of bipe-stats: counts and their merging, numbers derived from them,
 * reading, shards, reports. */
#ifndef BIPE_TOOLS_STATS_BIPE_STATS_H
#define BIPE_TOOLS_STATS_BIPE_STATS_H

#include "cli/columns_fit.h"
#include "cli/record_filter.h"
#include "cli/result_shards.h"
#include "cli/segment_blank.h"
#include "measure/agreement.h"
#include "measure/distribution.h"
#include "measure/lexical.h"
#include "measure/stream.h"
#include "measure/tally.h"
#include "measure/unit_bins.h"
#include "measure/window_counter.h"
#include "measure/word_table.h"
#include "plot/figure.h"
#include "plot/look.h"
#include "token/tokenizer.h"
#include "tools/stats/stats_gold.h"

/* ---- counts: stats_result.c ---- */

/* Which of the texts and segments were counted, and what else than segments. Zero: all, and nothing. */
typedef struct stats_choice {
    bool lexical;         /* words, of documents: lexical.h */
    bool words;           /* words, of the corpus: word_table.h */
    bool gold;            /* how far segments agree with those of a reference: agreement.h */
    bool keep_case;       /* words that differ in case are different */
    bool squeeze;         /* segments of white space are left out */
    uint64_t every, seed; /* of so many documents, or blocks of a plain text, one was read; 0: all were */
} stats_choice;

/* The measures of documents that a choice asks for: a document has a sum and a weight of each under each segmenter. */
enum { STATS_MEASURES_MOST = BIPE_LEXICAL_COUNT };
_Static_assert((int)BIPE_AGREEMENT_COUNT <= STATS_MEASURES_MOST, "an array for either");
static inline size_t stats_measures(const stats_choice *choice)
{
    return choice->lexical ? BIPE_LEXICAL_COUNT : choice->gold ? BIPE_AGREEMENT_COUNT : 0;
}

/* Counts of all documents, or of those of a FILE or of a group. */
typedef struct stats_part {
    char *name;              /* NULL: all */
    uint64_t order;          /* parts are sorted by it, then by name */
    uint64_t documents, bytes, tokens;
    bipe_tally *tally;       /* (segmenters) */
    bipe_unit_bins *units;   /* (segmenters) of groups: tokens and segments of each document */
    bipe_unit_bins *measure; /* (segmenters * stats_measures()) NULL: nothing was counted */
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
    char *cluster;       /* units are clusters of documents by this (cli/clusters.h); NULL: they are documents */
    uint64_t files;      /* but for those whose documents the shards share out: see stats_result_files() */
    bipe_result_shards shards; /* which it holds; none: it is whole */
    stats_choice choice;
    bipe_word_table words; /* parts are documents, or groups where there are groups */
    stats_misses misses;   /* where segments do not agree with the reference, if that was asked for; not merged */
} stats_result;

/* Opens empty counts for these segmenters. group_by, cluster: NULL if there are no groups or clusters. */
void stats_result_open(stats_result *result, const char *tokenizer, const char *const *segmenter, size_t count,
                       const char *group_by, const char *cluster);
/* *part: the part of this name and order, which is made if it is new, and moves when another one is. BIPE_ERR_LIMIT:
 * too many groups. */
int stats_result_part(stats_result *result, const char *name, uint64_t order, stats_part **part, bipe_error *err);
/* Makes part->measure if it is not there, and there are measures. */
void stats_part_measure(stats_part *part, const stats_result *result);
/* What names a group in the list of words. */
uint64_t stats_group_key(const char *name);
/* Adds the counts of all parts, which are sorted then, to those of all documents. */
int stats_result_sum(stats_result *result, bipe_error *err);
/* Removes all parts. */
void stats_result_drop_parts(stats_result *result);
/* Adds a result of the same tokenizer and segmenters, whose histograms move and are empty then. BIPE_OK,
 * BIPE_ERR_MEMORY, BIPE_ERR_LIMIT (counts beyond 2^64), or BIPE_ERR_ARGUMENT when tokenizer or segmenters differ or a
 * shard is there already; `into` is of no use after an error. */
int stats_result_merge(stats_result *into, stats_result *from, bipe_error *err);
/* All files that were read. */
uint64_t stats_result_files(const stats_result *result);
/* After the last merge: a complete result no longer counts as one of shards, and parts are sorted. BIPE_OK or
 * BIPE_ERR_MEMORY. */
int stats_result_settle(stats_result *result, bipe_error *err);
void stats_result_close(stats_result *result);

/* ---- reading: stats_read.c, stats_squeeze.c, stats_shard.c ---- */

typedef struct stats_reading {
    bipe_tool *tool;
    bipe_stream_options stream; /* of each thread's own stream */
    bool busy;                  /* as in bipe_stream_sharing */
    const uint64_t *lengths;    /* (length_count) NULL: 1024 and its doublings */
    size_t length_count;
    bipe_files files;
    bool per_file;              /* each file is a part of the result */
    const char *group_by;       /* and so is each group: a member of records, or BIPE_GROUP_FOLDER; NULL: there are
                                   none */
    const char *cluster;        /* by what errors are clustered: a member, or BIPE_CLUSTER_FILE; NULL: they are not */
    size_t threads;
    const char *const *gold;    /* (files.count) reference segments of each file; NULL: there are none */
    uint64_t misses;            /* how many of each segmenter are shown */
    stats_choice choice;        /* with `every`, stream.documents is of a kind that cuts plain texts into blocks */
    size_t counts_most;         /* bytes, for tests: how large the counts of all threads may be before they are merged;
                                   0: the usual bound */
    /* A shard: errors are counted in it. One of documents takes document D of file F of its count when (F + D) modulo
     * the count is its index; one of files takes all `files`, which are its own. NULL: everything. */
    bipe_shard_group *group;
} stats_reading;

/* Adds the counts of all files to *result, to its parts where there are such. The tool reports files that cannot be
 * read, in their order, and the rest is done; a document that cannot be read to its end counts as not read. Otherwise
 * an error: the result is of no use. */
int stats_read(const stats_reading *reading, stats_result *result, bipe_error *err);

/* Instead, --records: writes each record to `path` with the counts of its text (stats_records.c). BIPE_END when the
 * tool has finished; otherwise nothing was written, and the error says why. */
int stats_write_records(const stats_reading *reading, const bipe_record_options *given, const char *path,
                        bipe_error *err);

/* Drops segments of white space alone, with their tokens, before a window counter counts them. Of one segmenter;
 * zero-initialise. */
typedef struct stats_squeeze {
    segment_blank blank; /* the present segment */
    uint64_t tokens;     /* of it, in the batches before */
    uint32_t passed;     /* tokens of the present batch that belong to segments before */
} stats_squeeze;

/* A document begins. */
void stats_squeeze_begin(stats_squeeze *squeeze);
/* Counts the rest of a batch; index: of the segmenter. As bipe_window_counter_feed(). */
int stats_squeeze_feed(stats_squeeze *squeeze, const bipe_batch *batch, size_t index, bipe_window_counter *counter,
                       bipe_error *err);

/* Segments of the next finer level in each segment of a document, under one segmenter. Zero-initialise; free `inner`.
 * Unknown with --squeeze, which leaves some out. */
typedef struct stats_finer {
    size_t of;            /* the segmenter that has the next finer level; SIZE_MAX: none */
    uint64_t open, ends;  /* finer segments after the last end of a segment; segments that ended */
    bipe_histogram inner; /* finer segments of these */
} stats_finer;

/* Finds for each of the segmenters (count) which has its next finer level. Errors as those of bipe_levels_open(). */
int stats_finer_find(stats_finer *finer, const char *const *specs, size_t count, bipe_error *err);
/* A document begins; the rest of a batch, under segmenter `index`; its end, after which the counts are in the tally.
 * segments: all of the document. */
void stats_finer_begin(stats_finer *finer);
int stats_finer_feed(stats_finer *finer, const bipe_batch *batch, size_t index, bipe_error *err);
int stats_finer_end(stats_finer *finer, uint64_t segments, bipe_tally *tally, bipe_error *err);

/* Whether there are fewer files than shards, which then share out documents. */
static inline bool stats_shard_of_documents(const bipe_shard *shard, bipe_files files)
{
    return files.count < shard->count;
}

/* Hashes of what all shards of a run have in common (options and names), and of the state (size and time) of the files
 * that this one reads and of the tokenizer's; the latter is BIPE_NO_UINT if it is unknown. reading->files: all of the
 * command line. */
uint64_t stats_shard_settings(const stats_reading *reading, bool special);
uint64_t stats_shard_inputs(const stats_reading *reading, const bipe_shard *shard);

/* Whether `path` is a result of this shard, whole and of the present files. */
bool stats_shard_done(const char *path, const bipe_shard *shard, uint64_t settings, uint64_t inputs);

/* ---- numbers derived from counts: stats_result.c, stats_lines.c ---- */

/* Two groups under a segmenter: how far their tokens per segment of whole documents are apart. */
typedef struct stats_contrast {
    size_t segmenter, a, b;      /* numbers; a < b */
    const char *of, *from, *to;  /* their names */
    double ks, js, wasserstein;
    bipe_estimate difference;    /* of means: b less a; its p is that of a permutation test over documents */
} stats_contrast;

/* Of tokens per segment, or of segments per window. */
typedef struct stats_spread {
    double mean, sd, below;      /* below: the share of values below 50 */
    uint64_t min, p5, p50, p90, p95, p99, max;
} stats_spread;

void stats_fill_spread(stats_spread *spread, const bipe_distribution *distribution);

enum { STATS_LENGTH_SIZE = 24, STATS_FEW_WINDOWS = 3 };

/* A row of any output: one length under one segmenter, of a part or of all documents. What is not known is NaN,
 * BIPE_NO_UINT or NULL. */
typedef struct stats_line {
    const stats_part *part;
    const struct stats_line *first; /* of the same part and segmenter; whole documents come last */
    const char *path, *group;       /* the part's name; and if it is a group. NULL: all */
    const char *name;               /* without the folder that all have in common */
    const char *segmenter;
    uint64_t length;                /* or BIPE_TALLY_DOCUMENT */
    const char *whole, *window;     /* of whole documents "document"; the length as it may be given to -L: 1024 is 1k */
    char window_text[STATS_LENGTH_SIZE];
    bipe_distribution tokens;       /* tokens per segment */
    bipe_distribution segments;     /* segments per window */
    bipe_distribution finer;        /* segments of the next finer level per segment; of nothing: there is none */
    stats_spread of_tokens, of_segments, of_finer;
    uint64_t documents, windows, segments_all, tokens_all;
    double ks, js, wasserstein;     /* of `tokens`, from those of the first line */
    bipe_fit growth;                /* segments per window against length, over all windows of a length in tokens */
    double growth_1k;               /* segments that 1k tokens more add */
    double drift;                   /* the ks of the farthest line; NaN: from too few windows */
    const struct stats_line *farthest; /* from the first line; NULL: none */
    uint64_t farthest_windows;      /* from so many */
    /* Of whole documents: */
    stats_contrast contrast;        /* of a group with the first */
    bipe_estimate mean;             /* tokens per segment, by bootstrap over documents of a group */
    bipe_estimate measure[STATS_MEASURES_MOST]; /* over documents, by bootstrap: by bipe_lexical_id or _agreement_id */
    uint64_t expected, found, right; /* ends: of the reference, of the segmenter, of both; or BIPE_NO_UINT */
    bipe_estimate f1_difference;    /* from the first segmenter */
    const bipe_unit_bins *units;    /* (stats_measures()) of these; NULL: there are none */
    size_t measures;
} stats_line;

/* With more groups, only the first is compared with the others. */
enum { STATS_PAIRED = 12 };

/* What --keyness compares: words of group `a` with those of `b`, or of all other groups. */
typedef struct stats_keyness {
    const char *asked;           /* "A,B" or "A"; NULL: nothing */
    const stats_part *a, *b;     /* b NULL: all others */
    uint64_t all_a, all_b;       /* words */
    bipe_word_keyness *word;     /* [count] */
    size_t count;
} stats_keyness;

/* How far a segmenter is from the first, in the same documents: differences of the measures of agreement. */
typedef struct stats_pair {
    const char *group, *of, *to; /* names of the part (NULL: all), of the first segmenter, of the other */
    bipe_estimate difference[BIPE_AGREEMENT_COUNT];
} stats_pair;

/* Everything that is printed. Points into the result. */
typedef struct stats_report {
    const stats_result *result;
    size_t folder;               /* bytes of the folder that the names of all parts begin with, "a/b/" */
    stats_line *line;            /* [lines] by part, all documents last; then by segmenter, then by rising length */
    size_t lines;
    stats_line **shown;          /* [shown_count] the lines that a table has: where there is something to compare, those
                                    of whole documents */
    size_t shown_count;
    stats_contrast *contrast;    /* [contrasts] */
    size_t contrasts, contrast_capacity;
    bipe_word_use *use;          /* (result->words.types.count) of the list of words */
    stats_keyness key;
    stats_pair *pair;            /* [pairs] by part, all documents last */
    size_t pairs;
    bool misses;                 /* they are shown */
} stats_report;

/* Whether there are several segmenters, files or groups. */
static inline bool stats_compares(const stats_result *result)
{
    return result->count > 1 || result->per_file || result->group_by != NULL ||
           stats_measures(&result->choice) != 0;
}

/* Whether segmenters nest. */
bool stats_has_finer(const stats_result *result);

/* keyness: as given to the option, or NULL. BIPE_OK, BIPE_ERR_MEMORY, or BIPE_ERR_FORMAT: there are no such groups.
 * Zero-initialise; close in either case. */
int stats_report_open(stats_report *report, const stats_result *result, const char *keyness, bipe_error *err);
void stats_report_close(stats_report *report);

/* Makes the lines of a part under a segmenter. */
int stats_lines_make(stats_report *report, const stats_part *part, size_t segmenter, bipe_error *err);
const char *stats_format_length(char text[STATS_LENGTH_SIZE], uint64_t length);

/* Members of JSON, whose histograms are read back; also the quantities of --histogram. */
#define STATS_OF_TOKENS "tokens_per_segment"
#define STATS_OF_SEGMENTS "segments_per_window"
#define STATS_OF_FINER "finer_per_segment"
#define STATS_OF_WORDS "lexical"
#define STATS_OF_GOLD "gold"

/* ---- reports: stats_lines.c, stats_json.c, stats_table.c, stats_chart.c; JSON is read back: stats_load.c ---- */

/* What both JSON and its reader know. The last STATS_SAMPLE_COLUMNS are of a sample. */
enum { STATS_CHOICE_COLUMNS = 6, STATS_SAMPLE_COLUMNS = 2, STATS_PART_COLUMNS = 3 };
extern const bipe_column stats_choice_columns[STATS_CHOICE_COLUMNS], stats_part_columns[STATS_PART_COLUMNS];

/* Lists of lines in JSON. */
typedef enum stats_list { STATS_RESULTS, STATS_GROWTH, STATS_INVARIANCE } stats_list;
void stats_line_json(bipe_json *json, const stats_line *line, stats_list list);
/* A list of lists of units, which --merge needs. */
void stats_units_json(bipe_json *json, const bipe_unit_bins *units, size_t count);

/* JSON has files in a list of their own and groups among the results; CSV has both in rows before those of all, tables
 * in lines or columns. Failures to write stay in the output. histogram: instead of rows of numbers, a row for each
 * value of a quantity and how often it was seen. */
void stats_write_json(const bipe_tool *tool, const stats_report *report, bipe_output *output);
void stats_write_csv(const stats_report *report, bool histogram, bipe_output *output);
/* words: of the list of words, or of --keyness. */
void stats_write_table(const stats_report *report, bool words, bipe_look look, bipe_output *output);

/* The 95 % interval or error of an estimate from the units of a result, which may be clusters. */
static inline void stats_settle_estimate(bipe_estimate *estimate, const stats_result *result)
{
    if (result->cluster != NULL)
        bipe_estimate_of_clusters(estimate);
}

void stats_put_sentence(bipe_table *table, const char *text);
/* The name of a group in a sentence: in quotes, cut where it is long. */
const char *stats_format_quoted(char cell[BIPE_CELL_WIDEST], const char *name);

/* ---- lists of words: stats_words.c ---- */

/* Finds the groups, whose names may leave out the `folder` bytes that all begin with, and compares them. */
int stats_keyness_open(stats_keyness *key, const stats_result *result, size_t folder, bipe_error *err);
/* Members of JSON: the list, which is read back, and the comparison. */
void stats_words_put(const stats_report *report, bipe_json *json);
void stats_words_load(bipe_result *result, stats_result *stats, const json_t *list);
/* The comparison, if there is one, or the list. Failures to write stay in the output. */
void stats_words_csv(const stats_report *report, bipe_output *output);
void stats_words_table(const stats_report *report, bipe_table *table);

/* ---- agreement with reference segments: stats_agreement.c ---- */

/* Finds how far the other segmenters are from the first. */
int stats_agreement_open(stats_report *report, bipe_error *err);
/* Members of JSON: the comparisons, and the misses. */
void stats_agreement_put(const stats_report *report, bipe_json *json);
/* The misses, if they were asked for. Failures to write stay in the output. */
void stats_misses_csv(const stats_report *report, bipe_output *output);
void stats_misses_table(const stats_report *report, bipe_table *table);

/* A bar chart of a distribution, one bar a line. Bars show shares of the observations; the bars that hold the median
 * and the 95th percentile are marked. The distribution must not be empty. Failures to write stay in the output. */
void stats_chart_write(const bipe_distribution *distribution, bipe_look look, bipe_output *output);

/* Reads what stats_write_json() wrote, from a path ("-": standard input); everything is checked. Error texts name the
 * file and the key. The record of the tool (NULL: of none) becomes that of the run whose result it is. BIPE_ERR_FORMAT:
 * not such a result; BIPE_ERR_ARGUMENT: one of another version; or as bipe_input_read(). The result is the caller's to
 * close, also after an error. */
int stats_load(stats_result *result, bipe_tool *tool, const char *path, bipe_error *err);

#endif
