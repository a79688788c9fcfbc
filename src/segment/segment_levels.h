/* segment_levels.h - a SPEC whose segmenters nest: "FINEST/COARSER/...", one of them for each level.
 *
 * A SPEC that one segmenter takes whole, slashes and all, has one level. Otherwise its first level ends at the first
 * slash before which there is the SPEC of a segmenter, and after which there are levels again; among these, a slash
 * divides wherever it can. A level in parentheses, "(regex:[.;]/)/paragraph", ends at the first ")/", or at the last
 * ")". */
#ifndef BIPE_SEGMENT_SEGMENT_LEVELS_H
#define BIPE_SEGMENT_SEGMENT_LEVELS_H

#include "segment/segmentation.h"

/* Zero-initialised: none. */
typedef struct bipe_levels {
    size_t count;                                 /* 1 .. BIPE_LEVELS */
    bipe_segmentation *segmentation[BIPE_LEVELS]; /* the finest first */
    const char *rest[BIPE_LEVELS];                /* in the SPEC: this level and all that are coarser */
} bipe_levels;

/* Close the levels in any case. Errors as those of bipe_segmentation_open(), and BIPE_ERR_ARGUMENT: too many levels. */
int bipe_levels_open(bipe_levels *levels, const char *spec, bipe_error *err);
void bipe_levels_close(bipe_levels *levels);
/* The same for a caller that wants no more than the number of levels. */
int bipe_levels_count(size_t *count, const char *spec, bipe_error *err);

#endif
