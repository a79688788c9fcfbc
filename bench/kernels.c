/* kernels.c - what this machine's arithmetic can do at best, and what products and attention reach of it. The ceilings are loops in registers alone: fused
 * multiply-adds of f32, and dot products of bfloat16 where the processor has them. Not a test: it asserts nothing.
 * Output: "fma ONE ALL" and "bf16 ONE ALL", GFLOP/s of one core and of all (0: none), then for each path, precision and shape (M x K times K x N)
 * "product PATH PRECISION MxKxN GFLOP/s PERCENT" on one core, and for each length and head size "attention PATH PRECISION LxD
 * GFLOP/s PERCENT", of f32 "gradient ..." as well; the percentage is that of the ceiling. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "nn/attention.h"
#include "nn/product.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { SUMS = 12, ROUNDS = 1000000, REPEATS = 20 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- ceilings: each loop returns how many operations it did ---- */

typedef double loop(float *result);

#ifdef __x86_64__
/* SUMS chains of `next`, which hide the latency of each other. */
#define LOOP(name, features, vec, spread, store, operations, next) \
    __attribute__((target(features), noinline)) static double name(float *result) \
    { \
        vec a[SUMS], x = spread(0.5f); \
        for (int i = 0; i < SUMS; i++) \
            a[i] = spread((float)i); \
        for (long n = 0; n < ROUNDS; n++) \
            _Pragma("GCC unroll 12") for (int i = 0; i < SUMS; i++) \
                a[i] = next; \
        for (int i = 0; i < SUMS; i++) \
            store(result + 16 * i, a[i]); \
        return (double)ROUNDS * SUMS * operations; \
    }
LOOP(fma_sse, "sse2", __m128, _mm_set1_ps, _mm_storeu_ps, 8, _mm_add_ps(_mm_mul_ps(a[i], x), x))
LOOP(fma_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_storeu_ps, 16, _mm256_fmadd_ps(a[i], x, x))
LOOP(fma_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_storeu_ps, 32, _mm512_fmadd_ps(a[i], x, x))
LOOP(dot_bf16, "avx512f,avx512bf16", __m512, _mm512_set1_ps, _mm512_storeu_ps, 64,
     _mm512_dpbf16_ps(a[i], (__m512bh)x, (__m512bh)x))

static loop *fma_loop(void)
{
    return nn_cpu_named("avx512") != NULL ? fma_avx512 : nn_cpu_named("avx2") != NULL ? fma_avx2 : fma_sse;
}

static loop *bf16_loop(void)
{
    return nn_cpu_named("avx512bf16") != NULL ? dot_bf16 : NULL;
}
#else
/* Whatever vectors the compiler makes of plain C. */
static double plain_loop(float *result)
{
    float a[8 * SUMS];
    for (int i = 0; i < 8 * SUMS; i++)
        a[i] = (float)i;
    for (long n = 0; n < ROUNDS; n++)
        for (int i = 0; i < 8 * SUMS; i++)
            a[i] = a[i] * 0.5f + 0.5f;
    for (int i = 0; i < 8 * SUMS; i++)
        result[i] = a[i];
    return (double)ROUNDS * 8 * SUMS * 2;
}

static loop *fma_loop(void)
{
    return plain_loop;
}

static loop *bf16_loop(void)
{
    return NULL;
}
#endif

static void run_loop(void *context, size_t i, size_t worker)
{
    float result[16 * SUMS];
    (void)i;
    (void)worker;
    (*(loop **)context)(result);
}

/* GFLOP/s of a loop on all threads of a pool; 0 without a loop. */
static double ceiling(bipe_pool *pool, loop *l)
{
    float result[16 * SUMS];
    size_t tasks = 16 * bipe_pool_threads(pool);
    double best = 0, each = l != NULL ? l(result) : 0;
    for (int repeat = 0; repeat < REPEATS && l != NULL; repeat++) {
        double start = seconds();
        bipe_pool_run(pool, tasks, run_loop, &l);
        double rate = each * (double)tasks / (seconds() - start) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}

/* ---- products ---- */

typedef struct shape { size_t m, k, n; } shape;

static const shape shapes[] = {{128, 768, 768}, {128, 768, 3072}, {128, 3072, 768}, {128, 768, 32000}, {1024, 48, 48}, {48, 1024, 144}};

static int measure_product(const nn_cpu *cpu, nn_precision precision, const shape *s, double limit)
{
    nn_panels panels = {.n = s->n, .k = s->k, .precision = precision};
    size_t larger = s->n > s->m ? s->n : s->m, floats = nn_panels_size(cpu, precision, s->n, s->k) / sizeof(float);
    float *x = bipe_alloc_aligned(s->k * larger, sizeof *x), *y = bipe_alloc_aligned(s->m * s->n, sizeof *y);
    void *scratch = bipe_alloc_aligned(nn_product_scratch(cpu, precision, s->m, s->k), 1);
    panels.data = bipe_alloc_aligned(floats, sizeof *x);
    int status = x == NULL || y == NULL || scratch == NULL || panels.data == NULL ? -1 : 0;
    if (status == 0) {
        for (size_t i = 0; i < s->k * larger; i++)
            x[i] = (float)(i % 13) * 0.1f;
        nn_pack_floats(cpu, &panels, x, s->k, true, 0, nn_panel_count(cpu, precision, s->n));
        nn_product product = {.x = x, .ldx = s->k, .m = s->m, .w = &panels, .count = s->n, .y = y, .ldy = s->n};
        double operations = 2.0 * (double)s->m * (double)s->n * (double)s->k, best = 0;
        int rounds = 1 + (int)(3e8 / operations);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double start = seconds();
            for (int i = 0; i < rounds; i++)
                nn_product_run(cpu, &product, scratch);
            double rate = operations * rounds / (seconds() - start) * 1e-9;
            best = rate > best ? rate : best;
        }
        printf("product %s %s %zux%zux%zu %.1f %.0f\n", nn_cpu_name(cpu), precision == NN_PRECISION_F32 ? "f32" : "bf16", s->m, s->k,
               s->n, best, best / limit * 100);
        fflush(stdout);
    }
    bipe_free(x), bipe_free(y), bipe_free(scratch), bipe_free(panels.data);
    return status;
}

/* ---- attention: a head, causal ---- */

static const shape windows[] = {{.m = 128, .k = 12}, {.m = 1024, .k = 32}, {.m = 1024, .k = 64}, {.m = 8192, .k = 64}, {.m = 8192, .k = 128}};

static void print_rate(const char *what, const nn_cpu *cpu, nn_precision precision, const shape *s, double rate, double limit)
{
    printf("%s %s %s %zux%zu %.1f %.0f\n", what, nn_cpu_name(cpu), precision == NN_PRECISION_F32 ? "f32" : "bf16", s->m, s->k, rate,
           rate / limit * 100);
    fflush(stdout);
}

static int measure_attention(const nn_cpu *cpu, nn_precision precision, const shape *s, double limit)
{
    size_t length = s->m, d = s->k, size = length * d;
    nn_keys keys;
    void *packed = bipe_alloc_aligned(nn_keys_size(cpu, precision, length, d), 1);
    void *scratch = bipe_alloc_aligned(nn_attention_scratch(cpu, precision, d), 1);
    void *back = bipe_alloc_aligned(nn_attention_backward_scratch(cpu, length, d), 1);
    float *x = bipe_alloc_aligned(size, 3 * sizeof *x), *y = bipe_alloc_aligned(size, 4 * sizeof *y), *lse = bipe_alloc_aligned(length, sizeof *lse);
    int status = packed == NULL || scratch == NULL || back == NULL || x == NULL || y == NULL || lse == NULL ? -1 : 0;
    if (status == 0) {
        for (size_t i = 0; i < 3 * size; i++)
            x[i] = (float)(i % 13) * 0.1f;
        nn_attention a = {.keys = &keys, .heads = 1, .scale = (float)(1 / sqrt((double)d))};
        nn_attention_window w = {.q = x, .k = x + size, .v = x + 2 * size, .ldq = d, .ldk = d, .ldv = d, .out = y, .d_out = x, .ldo = d,
                                 .ld_out = d, .lse = lse, .ldl = length, .dq = y + size, .dk = y + 2 * size, .dv = y + 3 * size, .ld_dq = d,
                                 .ld_dk = d, .ld_dv = d};
        nn_keys_open(&keys, cpu, precision, length, d, packed);
        double operations = 2.0 * (double)length * (double)(length + 1) * (double)d, best[2] = {0, 0};
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double start = seconds();
            nn_keys_pack(&keys, 0, length, w.k, d, w.v, d);
            nn_attention_run(&a, 0, length, x, d, y, d, lse, length, scratch, NULL);
            double middle = seconds();
            if (precision == NN_PRECISION_F32)
                nn_attention_backward(cpu, &a, length, d, &w, back);
            double rates[2] = {operations / (middle - start) * 1e-9, 2.5 * operations / (seconds() - middle) * 1e-9};
            for (int i = 0; i < 2; i++)
                best[i] = rates[i] > best[i] ? rates[i] : best[i];
            if (operations > 1e9 && repeat == 1)
                break;
        }
        print_rate("attention", cpu, precision, s, best[0], limit);
        if (precision == NN_PRECISION_F32)
            print_rate("gradient", cpu, precision, s, best[1], limit);
    }
    bipe_free(packed), bipe_free(scratch), bipe_free(back), bipe_free(x), bipe_free(y), bipe_free(lse);
    return status;
}

int main(void)
{
    bipe_error err;
    bipe_pool *one, *all;
    if (bipe_pool_open(&one, 1, &err) != BIPE_OK || bipe_pool_open(&all, bipe_processors(), &err) != BIPE_OK) {
        fprintf(stderr, "kernels: %s\n", err.text);
        return 1;
    }
    nn_one_thread_per_product();
    double fma = ceiling(one, fma_loop()), dot = ceiling(one, bf16_loop());
    printf("fma %.1f %.1f\n", fma, ceiling(all, fma_loop()));
    printf("bf16 %.1f %.1f\n", dot, ceiling(all, bf16_loop()));
    int status = 0;
    for (size_t i = 0; i < nn_cpu_count() && status == 0; i++)
        for (int precision = NN_PRECISION_F32; precision <= NN_PRECISION_BF16 && nn_cpu_at(i) != NULL; precision++) {
            const nn_cpu *cpu = nn_cpu_at(i);
            double limit = precision == NN_PRECISION_BF16 && cpu == nn_cpu_named("avx512bf16") ? dot : fma;
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0] && status == 0; s++)
                status = measure_product(cpu, (nn_precision)precision, &shapes[s], limit);
            for (size_t s = 0; s < sizeof windows / sizeof windows[0] && status == 0; s++)
                status = measure_attention(cpu, (nn_precision)precision, &windows[s], limit);
        }
    bipe_pool_close(one);
    bipe_pool_close(all);
    if (status != 0)
        fputs("kernels: out of memory\n", stderr);
    return status != 0;
}
