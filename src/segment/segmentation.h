/* segmentation.h - <bipe/segment.h>, and its internal parts. */
#ifndef BIPE_SEGMENT_SEGMENTATION_H
#define BIPE_SEGMENT_SEGMENTATION_H

#include <bipe/segment.h>

#include "base/status.h"

/* The built-in segmenters, NULL-terminated; generated from segmenters/. */
extern const bipe_segmenter *const bipe_builtin_segmenters[];

const char *bipe_segmentation_spec(const bipe_segmentation *segmentation);

/* A built-in segmenter that leaves more bytes than this undecided fails with a limit error: 64 MiB. */
#define BIPE_SEGMENT_HOLD_LIMIT ((uint64_t)64 << 20)

#endif
