/* alloc.h - the one way to allocate: overflow-checked, and made to fail on purpose by tests. */
#ifndef BIPE_BASE_ALLOC_H
#define BIPE_BASE_ALLOC_H

#include <stddef.h>

/* count * size zeroed bytes; NULL when the product overflows or memory is exhausted. A count of 0 gives a
 * valid pointer to free. Release with bipe_free(). */
void *bipe_alloc(size_t count, size_t size);

/* Resizes ptr (or allocates when NULL) to count * size bytes; new bytes are not set. NULL on
 * failure, ptr then untouched. */
void *bipe_realloc(void *ptr, size_t count, size_t size);

/* Reserves at least `want` elements in *array (capacity *capacity), growing geometrically.
 * 0, or -1 with nothing changed. Use: bipe_grow((void **)&a, &cap, n + 1, sizeof *a). */
int bipe_grow(void *array, size_t *capacity, size_t want, size_t size);

/* count * size bytes at a multiple of 64, for vector kernels; release with bipe_free(). */
void *bipe_alloc_aligned(size_t count, size_t size);

/* count * size zeroed bytes at a multiple of 64, for tables that are looked up all over: in large pages where the system has such,
 * when it is worth one. Release with bipe_free(). */
void *bipe_alloc_large(size_t count, size_t size);

/* The same with bytes that are not set. */
void *bipe_alloc_large_unset(size_t count, size_t size);

/* Returns released memory to the system where the C library can do so; for use after something large that consisted of small pieces. */
void bipe_alloc_trim(void);

/* For programs, at their start: large blocks are always mapped by themselves, so that a release gives them back to the system. The C library would
 * by and by keep ever larger pieces, in each thread. */
void bipe_alloc_apart(void);

char *bipe_strdup(const char *text);
void bipe_free(void *ptr);

/* For tests: the n-th allocation from now on fails (0: the next one); negative: none does. */
void bipe_alloc_fail_at(long n);

#endif
