/* score_report.h - the report: a table, CSV or JSON on an output. */
#ifndef BIPE_TOOLS_SCORE_SCORE_REPORT_H
#define BIPE_TOOLS_SCORE_SCORE_REPORT_H

#include "base/json_writer.h"
#include "tools/score/score_rows.h"

/* Tokens of all windows, and those of windows that do not take their losses from a longer one. */
typedef struct bipe_score_work {
    uint64_t all, computed;
} bipe_score_work;

typedef enum bipe_score_format { BIPE_SCORE_TABLE, BIPE_SCORE_CSV, BIPE_SCORE_JSON } bipe_score_format;

typedef struct bipe_score_report bipe_score_report;

/* setup, groups and output must outlive the report. Nothing is written before the first row or the end. */
bipe_score_report *bipe_score_report_open(bipe_score_format format, const bipe_score_setup *setup,
                                          const bipe_group_names *groups, bipe_output *output);
/* A file is done: its rows (lengths * combinations, those of one length together). They get their errors, are
 * compared, and are on the output when this returns. */
int bipe_score_report_file(bipe_score_report *report, bipe_score_row *row, const bipe_loss_units *layout,
                           bipe_error *err);
/* The rows of groups and of all files, and the end. complete: all that can be scored was. */
int bipe_score_report_end(bipe_score_report *report, const bipe_score_work *work, bool complete, bipe_error *err);
void bipe_score_report_close(bipe_score_report *report);

/* Reports the merged result of the shards in these files, results of --json; returns the exit status
 * (score_merge.c). */
int bipe_score_merge(bipe_tool *tool, bipe_files files, bipe_score_format format, const char *output);

/* ---- the table (score_table.c); failures stay in its output ---- */

/* The state of the table between its parts. */
typedef struct bipe_score_table {
    const bipe_score_setup *setup;
    bipe_output *output;
    bool documents, blocks;         /* what errors were found from */
    size_t corrected;               /* comparisons, for whose number p is corrected */
    size_t clusters;                /* the most that one was found from */
    double shortest, longest;       /* blocks */
    bool mixed;                     /* rows of a file are not about the same tokens */
    bool only_bits;                 /* models with different tokenizers were compared */
} bipe_score_table;

/* The lines about models and, of one combination, its segmenter. */
void bipe_score_table_models(const bipe_score_setup *setup, bipe_output *output);
void bipe_score_table_begin(bipe_score_table *table);
void bipe_score_table_file(bipe_score_table *table, const bipe_score_row *row);
void bipe_score_table_end(bipe_score_table *table, const bipe_score_findings *findings);

/* Makes the column of file names wide enough for one more; a very long name pushes its own row aside, not all of
 * them. */
void bipe_score_widen(bipe_score_setup *setup, const char *name);

#endif
