/* memory_available.h - how much memory a process may still take before the system refuses it or ends the process. */
#ifndef BIPE_BASE_MEMORY_AVAILABLE_H
#define BIPE_BASE_MEMORY_AVAILABLE_H

#include <stdint.h>

#include "base/status.h"

/* The least of what the system has (MemAvailable of /proc/meminfo), what the control groups of the process leave it
 * (cgroups 1 and 2; files that they keep in memory do not count) and what is left of its address space (ulimit -v), in
 * bytes; UINT64_MAX where nothing is known. `root` is put before the names of files: "" but in tests. */
uint64_t bipe_memory_available(const char *root);

/* BIPE_ERR_MEMORY where `bytes` are more than `available`: "WHAT more memory, expected at most ...: ADVICE". `what` and
 * what follows it are as in printf(), such as "a text of 9 tokens takes 3 GiB" without the amount; `advice` says what
 * takes less. */
BIPE_PRINTF(5, 6)
int bipe_memory_check(uint64_t available, uint64_t bytes, bipe_error *err, const char *advice, const char *what, ...);

/* A number of bytes that may be larger than UINT64_MAX. */
uint64_t bipe_bytes_of(double bytes);
/* "5.4 MiB". Returns `text`. */
enum { BIPE_BYTES_TEXT = 32 };
const char *bipe_format_bytes(char text[BIPE_BYTES_TEXT], uint64_t bytes);

#endif
