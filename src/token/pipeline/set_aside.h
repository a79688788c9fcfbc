/* set_aside.h - changed text that waits for what comes behind it, with the places it stands for, and is given back in pieces: in memory
 * while it is little, in temporary files beyond that (base/spool.h). */
#ifndef BIPE_TOKEN_SET_ASIDE_H
#define BIPE_TOKEN_SET_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct bipe_mapped;
struct bipe_spool;

/* Bytes whose places all are so much further than those of the byte before. */
typedef struct bipe_aside_run {
    uint32_t count, start, end; /* what the first of them stands for; */
    uint16_t start_step, end_step;
} bipe_aside_run;

enum { BIPE_ASIDE_RUNS = 32 };

/* Zero-initialise. */
typedef struct bipe_set_aside {
    struct bipe_spool *text, *runs; /* NULL before they are needed */
    bipe_aside_run filling;         /* the last run, which is not in `runs` yet: none while its count is 0 */
    bipe_aside_run giving[BIPE_ASIDE_RUNS]; /* [next_run, runs_read): what is left of those that are given back */
    size_t next_run, runs_read;
    uint64_t runs_at;               /* where in `runs` the next ones are */
    uint64_t size, given;           /* bytes */
    uint32_t first;                 /* what the first byte stands for */
    uint32_t moved;                 /* places are less by so much than those in it */
} bipe_set_aside;

/* Puts bytes [from, to) of `text` behind what is there. Not between the calls that give it back. */
int bipe_set_aside_put(bipe_set_aside *aside, const struct bipe_mapped *text, size_t from, size_t to, bipe_error *err);
/* Whether something is there. */
static inline bool bipe_set_aside_waits(const bipe_set_aside *aside)
{
    return aside->given < aside->size;
}
/* Appends the next bytes of it, at most `size`, to *out. */
int bipe_set_aside_give(bipe_set_aside *aside, size_t size, struct bipe_mapped *out, bipe_error *err);
/* The place that the first byte in it stands for. */
static inline uint32_t bipe_set_aside_first(const bipe_set_aside *aside)
{
    return aside->first - aside->moved;
}
/* All places are less by so much from now on: at most the first of them. */
void bipe_set_aside_move(bipe_set_aside *aside, uint32_t delta);
/* Forgets all. */
void bipe_set_aside_reset(bipe_set_aside *aside);
void bipe_set_aside_free(bipe_set_aside *aside);

#endif
