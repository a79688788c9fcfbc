/* kernels.c - what this machine's arithmetic can do at best, and what products and attention reach of it. The ceilings are those of
 * train/ceiling.h: fused multiply-adds of f32, and dot products of bfloat16 where the processor has them. Not a test: it asserts nothing.
 * Output: "fma ONE ALL" and "bf16 ONE ALL", GFLOP/s of one core and of all (0: none), then for each path, precision and shape (M x K times K x N)
 * "product PATH PRECISION MxKxN GFLOP/s PERCENT" on one core, and for each length and head size "attention PATH PRECISION LxD
 * GFLOP/s PERCENT", of f32 "gradient ..." as well; the percentage is that of the ceiling, 0 without one. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "nn/attention.h"
#include "nn/product.h"
#include "train/ceiling.h"

enum { REPEATS = 20 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* GFLOP/s of a pool's threads at best; 0: not known. */
static double ceiling(bipe_pool *pool, nn_precision precision)
{
    const nn_cpu *cpu = nn_cpu_named(precision == NN_PRECISION_BF16 ? "avx512bf16" : "avx512");
    if (cpu == NULL && precision == NN_PRECISION_F32)
        cpu = nn_cpu_named("avx2");
    return cpu != NULL ? bipe_ceiling(pool, cpu, precision) * 1e-9 : 0;
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
               s->n, best, limit > 0 ? best / limit * 100 : 0);
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
           limit > 0 ? rate / limit * 100 : 0);
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
    double fma = ceiling(one, NN_PRECISION_F32), dot = ceiling(one, NN_PRECISION_BF16);
    printf("fma %.1f %.1f\n", fma, ceiling(all, NN_PRECISION_F32));
    printf("bf16 %.1f %.1f\n", dot, ceiling(all, NN_PRECISION_BF16));
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
