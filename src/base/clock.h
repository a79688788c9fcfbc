/* clock.h - a monotonic clock. */
#ifndef BIPE_BASE_CLOCK_H
#define BIPE_BASE_CLOCK_H

#include <time.h>

/* Seconds since an arbitrary moment; never goes back. */
static inline double bipe_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
