/* place_runs.h - the places that many bytes of changed text stand for, kept in runs: of bytes that are held for long nearly all stand for
 * places in a row. */
#ifndef BIPE_TOKEN_PLACE_RUNS_H
#define BIPE_TOKEN_PLACE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes that stand for places in a row, or all for the same. */
typedef struct bipe_place_run {
    uint64_t at, count;  /* bytes */
    uint64_t start, end; /* what the first of them stands for */
    bool same;
} bipe_place_run;

/* Zero-initialise. */
typedef struct bipe_place_runs {
    bipe_place_run *run; /* [next, runs) */
    size_t next, runs, capacity;
    uint64_t count;      /* bytes that came */
} bipe_place_runs;

/* The next byte stands for [start, end). */
int bipe_place_runs_add(bipe_place_runs *runs, uint64_t start, uint64_t end, bipe_error *err);
/* What byte `at` stands for, which came. `at` never decreases: of those before it nothing is known any more. */
void bipe_place_runs_find(bipe_place_runs *runs, uint64_t at, uint64_t *start, uint64_t *end);
/* Forgets all. */
void bipe_place_runs_reset(bipe_place_runs *runs);
void bipe_place_runs_free(bipe_place_runs *runs);

#endif
