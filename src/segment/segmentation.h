/* segmentation.h - <bipe/segment.h>, and its internal parts. */
#ifndef BIPE_SEGMENT_SEGMENTATION_H
#define BIPE_SEGMENT_SEGMENTATION_H

#include <bipe/segment.h>

#include "base/status.h"

/* Where what comes next depends on the segments so far, as in a text that is being generated: the segmenter chooses
 * what it would choose later, by more text (`choose` of bipe_segmenter). */
int bipe_segmentation_choose(bipe_segmentation *segmentation, bipe_error *err);

/* Belongs to the segmentation. */
const char *bipe_segmentation_spec(const bipe_segmentation *segmentation);

/* The built-in segmenters, NULL-terminated; generated from segmenters/. */
extern const bipe_segmenter *const bipe_builtin_segmenters[];

#endif
