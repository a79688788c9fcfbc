/* schedule.h - the learning rate of each step. */
#ifndef BIPE_TRAIN_SCHEDULE_H
#define BIPE_TRAIN_SCHEDULE_H

#include <stdint.h>

#include "base/status.h"

typedef struct bipe_schedule {
    enum { BIPE_SCHEDULE_CONSTANT, BIPE_SCHEDULE_LINEAR, BIPE_SCHEDULE_COSINE, BIPE_SCHEDULE_POLYNOMIAL } kind;
    double power;           /* of a polynomial */
    double peak, minimum;   /* rates */
    uint64_t warmup, steps; /* warmup <= steps, but where the rate is constant */
} bipe_schedule;

/* "constant", "linear", "cosine" or "polynomial[:P]" (P: 2 unless given): fills kind and power alone. */
int bipe_schedule_parse(bipe_schedule *schedule, const char *text, bipe_error *err);

/* The rate of step 1 .. steps. It rises linearly to the peak, which step `warmup` has, and then falls to the minimum,
 * which the last step has: with p = (step - warmup) / (steps - warmup), minimum + (peak - minimum) f(p), f(p) = 1 - p
 * (linear), (1 + cos pi p) / 2 (cosine; Loshchilov and Hutter 2017), (1 - p)^P (polynomial). */
double bipe_schedule_rate(const bipe_schedule *schedule, uint64_t step);

#endif
