/* clock.h - how much time passes. */
#ifndef BIPE_BASE_CLOCK_H
#define BIPE_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past, which never go back. */
static inline double bipe_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
