/* scale.h - the scale of an axis: its range, ticks and labels. */
#ifndef BIPE_PLOT_SCALE_H
#define BIPE_PLOT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bipe_scale_kind {
    BIPE_SCALE_LINEAR,
    BIPE_SCALE_WHOLE,  /* linear, ticks at whole numbers */
    BIPE_SCALE_LOG,    /* ticks at 1, 2 and 5 times powers of ten, or at those powers alone */
    BIPE_SCALE_LENGTH, /* logarithmic; ticks at powers of two, labelled 512, 1k, 2k */
    BIPE_SCALE_CELLS   /* of a map: a cell for each of some values, which are the ticks */
} bipe_scale_kind;

enum { BIPE_SCALE_TICKS = 40, BIPE_SCALE_LABEL = 24 };

typedef struct bipe_scale {
    bipe_scale_kind kind;
    double low, high; /* the ends of the axis, low < high */
    double tick[BIPE_SCALE_TICKS];
    size_t ticks;
    int decimals; /* of labels */
} bipe_scale;

/* An axis for low <= high, which are finite, and above 0 unless it is linear or whole; widened to round ends, unless it
 * is one of these and tight; with at most about `wanted` ticks. */
void bipe_scale_open(bipe_scale *scale, bipe_scale_kind kind, double low, double high, int wanted, bool tight);
/* The position of a value: 0 at the low end, 1 at the high one. */
double bipe_scale_at(const bipe_scale *scale, double value);
const char *bipe_scale_label(const bipe_scale *scale, size_t tick, char label[BIPE_SCALE_LABEL]);
/* "1k" for 1024; only whole multiples of a unit are shortened. */
const char *bipe_scale_length(double length, char label[BIPE_SCALE_LABEL]);

#endif
