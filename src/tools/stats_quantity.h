/* stats_quantity.h - the quantities that bipe-stats reports of a segmenter and a length: the one list from which JSON, CSV and tables are printed. */
#ifndef BIPE_TOOLS_STATS_QUANTITY_H
#define BIPE_TOOLS_STATS_QUANTITY_H

#include "tools/stats_result.h"

typedef enum stats_quantity_id {
    STATS_WINDOWS, STATS_SEGMENTS, STATS_TOKENS,
    STATS_MEAN, STATS_SD, STATS_MIN, STATS_P50, STATS_P90, STATS_P95, STATS_P99, STATS_MAX, STATS_BELOW, /* tokens per segment */
    STATS_WINDOW_MEAN, STATS_WINDOW_SD, STATS_WINDOW_MIN, STATS_WINDOW_P5, STATS_WINDOW_P50, STATS_WINDOW_P95, STATS_WINDOW_MAX,
    STATS_KS, STATS_JS, STATS_WASSERSTEIN,                                            /* from the first length */
    STATS_MEAN_LOW, STATS_MEAN_HIGH, STATS_FIRST_KS, STATS_FIRST_JS, STATS_FIRST_WASSERSTEIN, STATS_FIRST_P, /* of groups */
    STATS_QUANTITIES,
    STATS_WITHOUT_GROUPS = STATS_MEAN_LOW /* the number of those that do not need groups */
} stats_quantity_id;

typedef struct stats_quantity {
    const char *object; /* the member of JSON that it is in, which comes before its name in CSV; NULL: none */
    const char *name;   /* in JSON and CSV, and the heading in tables where a column has none of its own */
    unsigned percent;   /* of quantiles */
} stats_quantity;

extern const stats_quantity stats_quantities[STATS_QUANTITIES]; /* by stats_quantity_id */

/* Members of JSON, whose histograms are read back; also the quantities of --histogram. */
#define STATS_OF_TOKENS "tokens_per_segment"
#define STATS_OF_SEGMENTS "segments_per_window"

/* A number; not whole and NaN: not known. */
typedef struct stats_value {
    bool whole;
    uint64_t count;
    double real;
} stats_value;

stats_value stats_quantity_value(const stats_line *line, stats_quantity_id id);

#endif
