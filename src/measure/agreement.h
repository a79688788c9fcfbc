/* agreement.h - how far the segments of a document agree with those of a reference.
 *
 * The text is a row of units, here characters that are not white space, so that white space between segments belongs
 * to neither. A boundary is the number of units before it. The end of a document is a boundary of both sides; the inner
 * ones are the others. Pk (Beeferman, Berger and Lafferty 1999) and WindowDiff (Pevzner and Hearst 2002) move a window
 * of k units over the text, where k is half the mean length of the reference's segments, rounded, halves up, and at
 * least 1. They count the windows, from unit i to unit i + k for i = 1 to N - k, in which the two sides differ: in
 * whether there is a boundary, or in how many there are. */
#ifndef BIPE_MEASURE_AGREEMENT_H
#define BIPE_MEASURE_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

typedef enum bipe_agreement_id {
    BIPE_AGREEMENT_PRECISION, BIPE_AGREEMENT_RECALL, BIPE_AGREEMENT_F1,                   /* of boundaries */
    BIPE_AGREEMENT_INNER_PRECISION, BIPE_AGREEMENT_INNER_RECALL, BIPE_AGREEMENT_INNER_F1, /* of inner ones */
    BIPE_AGREEMENT_PK, BIPE_AGREEMENT_WINDOWDIFF,                                         /* of windows */
    BIPE_AGREEMENT_EXACT,                                                                 /* of reference segments */
    BIPE_AGREEMENT_COUNT
} bipe_agreement_id;

/* Each measure is a sum over a weight, which add up over documents: F1 is 2 R / (F + G), with R right ones among F
 * found and G of the reference. */
typedef struct bipe_agreement {
    uint64_t sum, weight;
} bipe_agreement;

/* found, gold: (counts) rising boundaries from 1 to `units`, the last of both is `units`, which is above 0. */
void bipe_agreement_find(bipe_agreement value[BIPE_AGREEMENT_COUNT], const uint64_t *found, size_t found_count,
                         const uint64_t *gold, size_t gold_count, uint64_t units);

#endif
