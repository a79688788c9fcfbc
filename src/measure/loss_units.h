/* loss_units.h - standard errors of mean losses and of their differences: the units of a text that are resampled, the
 * losses of models by unit, and their errors. The statistics themselves are in resample.h.
 *
 * Units are documents where a text has BIPE_LOSS_DOCUMENTS or more, else cells: pieces of some bytes of them, of which
 * blocks are made. Where documents belong to clusters, they are the units however few there are, and clusters are
 * resampled. They follow from the text alone, so models with different tokenizers have the same units. */
#ifndef BIPE_MEASURE_LOSS_UNITS_H
#define BIPE_MEASURE_LOSS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/losses.h"
#include "measure/resample.h"
#include "measure/token_spool.h"

enum { BIPE_LOSS_DOCUMENTS = 20 };

/* The units of a text. */
typedef struct bipe_loss_units {
    size_t documents;
    uint64_t bundle;                /* a unit is so many neighbouring documents; 0: units are cells */
    uint64_t cell;                  /* bytes */
    uint64_t *first;                /* (documents + 1) of cells: the first unit of each document */
    uint32_t *group;                /* (documents) where each has a group */
    uint64_t *cluster;              /* (documents) where each has a cluster */
} bipe_loss_units;

/* The units of a text whose documents are known, and whether these have groups and clusters: then none are bundled. */
int bipe_loss_units_make(bipe_loss_units *units, const bipe_spool_document *document, size_t documents, bool groups,
                         bool clusters, bipe_error *err);
void bipe_loss_units_free(bipe_loss_units *units);
/* The unit of the token that starts at byte `start` of a document. */
static inline size_t bipe_loss_unit(const bipe_loss_units *units, size_t document, uint64_t start)
{
    return units->bundle > 0 ? (size_t)(document / units->bundle)
                             : (size_t)(units->first[document] + start / units->cell);
}

/* How sure a number is. */
typedef struct bipe_loss_error {
    bipe_estimate estimate;
    bool clusters;                  /* units are clusters of documents */
    bool blocks;                    /* units are blocks, of `block` tokens on average */
    double block;
} bipe_loss_error;

/* The error of the mean of b, or of that of b less that of a (NULL: none) on units that both have scored; per byte in
 * bits, else per token in nats. Units are clusters where units->cluster is not NULL, cells where units->first is not,
 * else whole documents. */
int bipe_loss_estimate(bipe_loss_error *error, const bipe_loss_bins *a, const bipe_loss_bins *b,
                       const bipe_loss_units *units, bool bytes, uint64_t seed, bipe_error *err);
/* How an error was found, in words. */
const char *bipe_loss_method(const bipe_loss_error *error, char text[96]);

/* Several texts. The only failure is exhausted memory, which *err remembers. */

/* Adds the losses of a text by its units to those of texts before: by document, or by its units where documents are the
 * units; and to `cells`, unless that is NULL. */
void bipe_loss_units_pool(bipe_loss_bins *documents, bipe_loss_bins *cells, const bipe_loss_bins *bins,
                          const bipe_loss_units *units, bipe_error *err);
/* The cells of a text come after those of texts before. */
void bipe_loss_units_append(bipe_loss_units *all, size_t *capacity, const bipe_loss_units *text, bipe_error *err);

#endif
