/* score_divergence.h - --divergence: what a row keeps of the divergences of its tokens, by group, unit and index, and
 * the numbers that are reported of it. */
#ifndef BIPE_TOOLS_SCORE_SCORE_DIVERGENCE_H
#define BIPE_TOOLS_SCORE_SCORE_DIVERGENCE_H

#include "base/json_writer.h"
#include "cli/group_names.h"
#include "cli/journal.h"
#include "cli/result_file.h"
#include "measure/divergences.h"
#include "measure/loss_units.h"

/* Zero-initialise; empty where the row is not compared. */
typedef struct bipe_score_divergence {
    bipe_divergences *group; /* [groups] by number of the group; without --group, and of one group, there is one */
    size_t groups, capacity;
    bipe_loss_bins units;    /* divergences in place of losses: by number of the unit, */
    bipe_loss_bins bins;     /* with --by by index */
    bipe_loss_error error;   /* of the mean */
} bipe_score_divergence;

/* Adds a token of a group and a unit; its index counts only with `by`. */
int bipe_score_divergence_add(bipe_score_divergence *divergence, const bipe_token_divergence *one, size_t group,
                              size_t unit, bool by, size_t index, uint64_t bytes, bipe_error *err);
/* Adds the groups and bins of `more`, and its units with `units`. */
int bipe_score_divergence_merge(bipe_score_divergence *divergence, const bipe_score_divergence *more, bool units,
                                bipe_error *err);
void bipe_score_divergence_free(bipe_score_divergence *divergence);

/* What is reported. */
typedef struct bipe_score_divergence_cells {
    double mean, median, p90, p95, p99, p99_9, largest; /* nats */
    double rms_change, same_choice;
    bipe_estimate error;                                /* of the mean */
} bipe_score_divergence_cells;
/* NaN where nothing was compared. */
bipe_score_divergence_cells bipe_score_divergence_fill(const bipe_score_divergence *divergence);

/* All of it as a member "divergence", in which groups have their names (NULL: there are none), and back. most: indices
 * and units are below these. */
void score_divergence_json(bipe_json *json, const bipe_score_divergence *divergence, const bipe_group_names *groups);
void score_divergence_load(bipe_result *result, const json_t *object, const char *member, bipe_group_names *groups,
                           uint64_t most_index, uint64_t most_unit, bipe_score_divergence *divergence);
/* The same as fields of a line: GROUPS [NUMBER TOKENS SAME SUM SQUARES LARGEST BUCKETS [BUCKET COUNT]...]... BINS
 * UNITS. */
void score_divergence_journal(bipe_output *line, const bipe_score_divergence *divergence);
void score_divergence_fields(bipe_fields *fields, bipe_score_divergence *divergence);

#endif
