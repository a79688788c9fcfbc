/* segmentation.h - <bipe/segment.h>, and its internal parts. */
#ifndef BIPE_SEGMENT_SEGMENTATION_H
#define BIPE_SEGMENT_SEGMENTATION_H

#include <bipe/segment.h>

#include "base/status.h"

/* The built-in segmenters, NULL-terminated; generated from segmenters/. */
extern const bipe_segmenter *const bipe_builtin_segmenters[];

#endif
