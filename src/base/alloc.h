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

/* count * size zeroed bytes at a multiple of 64, for tables with random access; blocks of 2 MiB or more use huge pages
 * where the system has them. Release with bipe_free(). */
void *bipe_alloc_large(size_t count, size_t size);

/* The same with bytes that are not set. */
void *bipe_alloc_large_unset(size_t count, size_t size);

/* Returns released memory to the system where the C library can do so; for use after something large that consisted of
 * small pieces. */
void bipe_alloc_trim(void);

/* For programs, at their start. Fixes the malloc threshold above which blocks are mapped separately, so that freeing
 * them returns memory to the system; glibc would otherwise raise it. */
void bipe_alloc_map_large(void);

char *bipe_strdup(const char *text);
void bipe_free(void *ptr);

/* For tests: the n-th allocation from now on fails (0: the next one); negative: none does. */
void bipe_alloc_fail_at(long n);

#endif
