/* score_rows.h - losses of files in rows, how sure they are, and comparisons of combinations. */
#ifndef BIPE_TOOLS_SCORE_SCORE_ROWS_H
#define BIPE_TOOLS_SCORE_SCORE_ROWS_H

#include "cli/group_names.h"
#include "measure/loss_units.h"
#include "measure/losses.h"
#include "tools/score/score_divergence.h"
#include "tools/score/score_setup.h"

/* Losses, or differences of losses, of some of the tokens of a row. */
typedef struct bipe_score_subset {
    bipe_losses losses;
    bipe_loss_bins units;
    bipe_loss_error error;          /* of the mean */
} bipe_score_subset;

/* --contrast: differences in place of losses, which may be negative; --key-tokens: those of key tokens. */
typedef enum bipe_score_subset_kind { BIPE_SCORE_CONTRAST, BIPE_SCORE_KEY, BIPE_SCORE_SUBSETS } bipe_score_subset_kind;

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
    bipe_score_subset subset[BIPE_SCORE_SUBSETS];
    bipe_score_divergence divergence; /* with --divergence, from the first combination */
    bipe_loss_error error;          /* of the mean loss */
    bipe_estimate macro;            /* of all files: the mean of the means of files, or of groups */
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
    double p_holm;                  /* p, corrected for all comparisons of files, of groups, in all, or macro */
    uint64_t key_tokens;            /* key tokens of both; 0: there are none, or tokenizers differ */
    bipe_loss_error key;            /* a key token: the difference of the logarithms of LongPPL */
    double key_holm;
} bipe_score_comparison;

/* All files at one length. */
typedef struct bipe_score_pool {
    size_t combinations;
    bipe_score_row *row;            /* (combinations) sums, by document; macro: means added up, squared errors */
    bipe_score_row *cells;          /* (combinations) units by cells, below BIPE_LOSS_DOCUMENTS documents */
    bipe_loss_units layout;         /* of these cells */
    size_t layout_capacity;
    bipe_score_comparison *mean;    /* (combinations) differences added up, and their squared errors */
    uint32_t *group;                /* [documents] of each, with --group */
    size_t group_capacity;
    uint64_t *cluster;              /* [documents] of each, with --cluster */
    size_t cluster_capacity;
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
/* Of the difference in nats, or in bits where that alone can be compared. */
static inline const bipe_estimate *bipe_score_difference(const bipe_score_comparison *c)
{
    return c->tokens > 0 ? &c->nats.estimate : &c->bits.estimate;
}
/* Corrects p of all comparisons that were found; after the last one. */
void bipe_score_correct(bipe_score_findings *findings);
/* Rows and comparisons of each group, in the order of their names, and of all files. */
void bipe_score_compare_all(const bipe_score_setup *setup, bipe_score_pool *pool, const bipe_group_names *groups,
                            bipe_score_findings *findings);

#endif
