/* ceilings.c - what this machine can do at best: bytes read from memory a second, and float operations a second in
 * OpenBLAS's matrix product. `make bench` prints them beside what the tools reach. Not a test: it asserts nothing.
 * Output: "memory GB_PER_SECOND" and "sgemm GFLOP_PER_SECOND", each with all threads. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/threads.h"

enum { MEMORY_MIB = 1024, SIDE = 1536, ROUNDS = 5 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct reading {
    const uint64_t *words;
    size_t words_each;
    uint64_t *sum; /* a place for each part, so that the reading is not optimised away */
} reading;

static void read_part(void *context, size_t i, size_t worker)
{
    (void)worker;
    const reading *r = context;
    const uint64_t *words = r->words + i * r->words_each;
    uint64_t sum[8] = {0};
    for (size_t j = 0; j + 8 <= r->words_each; j += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += words[j + k];
    for (size_t k = 1; k < 8; k++)
        sum[0] += sum[k];
    r->sum[i] = sum[0];
}

static int measure_memory(bipe_pool *pool)
{
    size_t parts = bipe_pool_threads(pool), words = (size_t)MEMORY_MIB * 1024 * 1024 / sizeof(uint64_t);
    uint64_t *memory = bipe_alloc_aligned(words, sizeof *memory), *sum = bipe_alloc(parts, sizeof *sum);
    if (memory == NULL || sum == NULL) {
        bipe_free(memory);
        bipe_free(sum);
        return -1;
    }
    for (size_t i = 0; i < words; i++)
        memory[i] = i;
    reading r = { .words = memory, .words_each = words / parts, .sum = sum };
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        bipe_pool_run(pool, parts, read_part, &r);
        double rate = (double)(r.words_each * parts * sizeof(uint64_t)) / (seconds() - start) * 1e-9;
        if (rate > best)
            best = rate;
    }
    printf("memory %.1f\n", best);
    bipe_free(memory);
    bipe_free(sum);
    return 0;
}

static int measure_product(void)
{
    size_t size = (size_t)SIDE * SIDE;
    float *a = bipe_alloc_aligned(size, sizeof *a), *b = bipe_alloc_aligned(size, sizeof *b);
    float *c = bipe_alloc_aligned(size, sizeof *c);
    if (a == NULL || b == NULL || c == NULL) {
        bipe_free(a);
        bipe_free(b);
        bipe_free(c);
        return -1;
    }
    for (size_t i = 0; i < size; i++) {
        a[i] = (float)(i % 13) * 0.1f;
        b[i] = (float)(i % 7) * 0.1f;
    }
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int) =
        NULL;
    if (library != NULL)
        *(void **)(void *)&sgemm = dlsym(library, "cblas_sgemm");
    double best = 0;
    for (int round = 0; sgemm != NULL && round < ROUNDS; round++) {
        double start = seconds();
        sgemm(101 /* rows */, 111 /* as it is */, 112 /* transposed */, SIDE, SIDE, SIDE, 1.0f, a, SIDE, b, SIDE, 0.0f,
              c, SIDE);
        double rate = 2.0 * SIDE * SIDE * SIDE / (seconds() - start) * 1e-9;
        if (rate > best)
            best = rate;
    }
    printf("sgemm %.1f\n", best);
    bipe_free(a);
    bipe_free(b);
    bipe_free(c);
    return 0;
}

int main(void)
{
    bipe_error err;
    bipe_pool *pool;
    if (bipe_pool_open(&pool, bipe_processors(), &err) != BIPE_OK) {
        fprintf(stderr, "ceilings: %s\n", err.text);
        return 1;
    }
    int status = measure_memory(pool);
    bipe_pool_close(pool);
    if (status != 0 || measure_product() != 0) {
        fputs("ceilings: out of memory\n", stderr);
        return 1;
    }
    return 0;
}
