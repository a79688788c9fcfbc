/* score_ladder.h - --ladder: the losses of the last tokens of documents by how much context is before them, added up,
 * and their reports. The windows, and the rungs of one document, are measure/ladder.h. */
#ifndef BIPE_TOOLS_SCORE_SCORE_LADDER_H
#define BIPE_TOOLS_SCORE_SCORE_LADDER_H

#include "cli/columns.h"
#include "measure/ladder.h"
#include "measure/loss_units.h"
#include "tools/score/bipe_score.h"

/* What scores documents on a ladder. */
typedef struct score_ladder {
    bipe_score_run *run;
    bipe_score_reader *reader;
    bipe_ladder ladder;
    bipe_ladder_losses losses;
    bipe_rung *rung;               /* (rungs) of the document that score_ladder_document() was asked for */
} score_ladder;

void score_ladder_open(score_ladder *l, bipe_score_run *run);
void score_ladder_close(score_ladder *l);
/* The losses of all documents of the reader's spool that are long enough. batch: as in bipe_score_sink. */
int score_ladder_score(score_ladder *l, int (*batch)(void *context, uint64_t tokens, bipe_error *err), void *context,
                       bipe_error *err);
/* Finds the rungs of document number i of the losses. BIPE_ERR_FORMAT: its losses are not finite. */
int score_ladder_document(score_ladder *l, size_t i, bipe_error *err);

/* What --records writes of a record: its longest rung, and all. NULL for rungs: it is too short. */
typedef struct score_ladder_record {
    uint64_t context, tokens;
    double nll, gain, low, high, key;
    const bipe_ladder *ladder;
    const bipe_rung *rung;
} score_ladder_record;

enum { SCORE_LADDER_RECORD_COLUMNS = 8 };
extern const bipe_column score_ladder_record_columns[SCORE_LADDER_RECORD_COLUMNS];
score_ladder_record score_ladder_record_of(const bipe_ladder *ladder, const bipe_rung *rung);

/* A rung, of all documents. */
typedef struct score_ladder_rung {
    uint64_t reached;              /* documents that have so much context */
    uint64_t tokens, bytes, key;
    uint64_t gaining, sure;        /* documents: a gain above 0; whose interval is above 0 */
    bipe_loss_bins units, cells;   /* by (bundles of) documents; by cells, of the first documents */
    bipe_loss_error error, gain;   /* of the mean loss; of the gain */
} score_ladder_rung;

/* All documents so far. */
typedef struct score_ladder_sum {
    const bipe_ladder *ladder;
    score_ladder_rung *rung;       /* (rungs) */
    uint64_t documents, shorter;   /* that were scored; that are too short */
    uint64_t bundle;               /* documents in a unit; doubled where there would be too many, unless there are
                                      clusters */
    uint64_t *cluster;             /* [documents] with --cluster */
    size_t cluster_capacity;
    bool clusters;                 /* documents have clusters */
    uint64_t first[BIPE_LOSS_DOCUMENTS + 1]; /* cells up to each of the first documents */
} score_ladder_sum;

void score_ladder_sum_open(score_ladder_sum *sum, const bipe_ladder *ladder, bool clusters);
void score_ladder_sum_close(score_ladder_sum *sum);
/* Adds document number i of the losses; rung (rungs): as bipe_ladder_document() has them; cluster: its own, or 0. */
void score_ladder_sum_add(score_ladder_sum *sum, const bipe_ladder_losses *losses, size_t i, const bipe_rung *rung,
                          uint64_t cluster);
/* Finds the errors. */
void score_ladder_sum_end(score_ladder_sum *sum);

/* ---- reports (score_ladder_report.c); failures stay in the outputs ---- */

/* Work: tokens of all windows, and of those that were computed. */
void score_ladder_report(bipe_score_run *run, const score_ladder_sum *sum, const bipe_score_work *work, bool complete);

/* The lines of --documents: headings, and a document. id: NULL, or that of its record. */
void score_ladder_documents_head(bipe_output *output, char separator);
void score_ladder_documents_line(bipe_output *output, const bipe_ladder *ladder, const char *file, uint64_t document,
                                 const char *id, uint64_t tokens, const bipe_rung *rung, char separator);

#endif
