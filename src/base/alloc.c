/* alloc.c - overflow-checked allocation with a switch for failure tests. */
#include <config.h>

#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif
#ifdef HAVE_MADVISE
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)2 << 20)

static atomic_long fail_countdown = -1;

void bipe_alloc_fail_at(long n)
{
    atomic_store(&fail_countdown, n);
}

static int must_fail(size_t count, size_t size)
{
    if (size != 0 && count > (size_t)PTRDIFF_MAX / size)
        return 1;
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) < 0)
        return 0;
    return atomic_fetch_sub(&fail_countdown, 1) == 0;
}

void *bipe_alloc(size_t count, size_t size)
{
    if (must_fail(count, size))
        return NULL;
    return calloc(count != 0 ? count : 1, size != 0 ? size : 1);
}

void *bipe_realloc(void *ptr, size_t count, size_t size)
{
    if (must_fail(count, size))
        return NULL;
    size_t bytes = count * size;
    return realloc(ptr, bytes != 0 ? bytes : 1);
}

int bipe_grow(void *array, size_t *capacity, size_t want, size_t size)
{
    if (want <= *capacity)
        return 0;
    size_t next = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (next < want)
        next = want;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = bipe_realloc(old, next, size);
    if (grown == NULL)
        return -1;
    memcpy(array, &grown, sizeof grown);
    *capacity = next;
    return 0;
}

void *bipe_alloc_aligned(size_t count, size_t size)
{
    if (must_fail(count, size))
        return NULL;
    size_t bytes = count * size;
    if (bytes > (size_t)PTRDIFF_MAX - 64)
        return NULL;
    return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

void *bipe_alloc_large_unset(size_t count, size_t size)
{
    if (must_fail(count, size))
        return NULL;
    size_t bytes = count * size, unit = bytes >= LARGE_PAGE ? LARGE_PAGE : 64;
    if (bytes > (size_t)PTRDIFF_MAX - unit)
        return NULL;
    size_t all = (bytes + unit - (bytes != 0)) / unit * unit;
    void *room = aligned_alloc(unit, all);
#if defined HAVE_MADVISE && defined MADV_HUGEPAGE
    if (room != NULL && unit == LARGE_PAGE)
        (void)madvise(room, all, MADV_HUGEPAGE); /* a wish */
#endif
    return room;
}

void *bipe_alloc_large(size_t count, size_t size)
{
    void *room = bipe_alloc_large_unset(count, size);
    return room != NULL ? memset(room, 0, count * size) : NULL;
}

#ifdef __GLIBC__
/* Where another malloc takes the place of glibc's (a sanitizer's, one that is preloaded), this is the first that
 * glibc's is asked, and it makes itself ready. It relies on doing so before there are threads: two at once would abort
 * when they end. */
static void make_ready(void)
{
    (void)malloc_trim(0);
}
#endif

void bipe_alloc_trim(void)
{
#ifdef __GLIBC__
    static pthread_once_t ready = PTHREAD_ONCE_INIT;
    (void)pthread_once(&ready, make_ready);
    (void)malloc_trim(0);
#endif
}

void bipe_alloc_map_large(void)
{
#ifdef __GLIBC__
    enum { LARGE = 1 << 19, KEPT = 1 << 20 };
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

char *bipe_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = bipe_alloc(n, 1);
    if (copy != NULL)
        memcpy(copy, text, n);
    return copy;
}

void bipe_free(void *ptr)
{
    free(ptr);
}
