/* kernels.c - what a kind of kernels could do at best on this machine (train/ceiling.h), and what its products and
 * attention reach of that. Not a test: it asserts nothing.
 *
 * Without arguments, prints "PATH PRECISION" for each kind that this machine can run. With a PATH and a PRECISION,
 * prints GFLOP/s and, on one core, the percentage of the ceiling (0: not known): "ceiling ONE ALL" (one core, all of
 * them), "product MxKxN GFLOP/s PERCENT" for M x K times K x N, "attention LxD GFLOP/s PERCENT" for a length and a head
 * size, and of f32 "gradient LxD GFLOP/s PERCENT" as well. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "nn/attention.h"
#include "nn/product.h"
#include "train/ceiling.h"

enum { REPEATS = 10 };

/* Of this thread, which other work on the machine disturbs less than the clock. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* GFLOP/s of a pool's threads at best, with the instructions of `cpu`, or the best of f32 where those are not known; 0:
 * none is. */
static double ceiling(bipe_pool *pool, const nn_cpu *cpu, nn_precision precision)
{
    double own = bipe_ceiling(pool, cpu, precision), best = own;
    for (size_t i = 0; i < nn_cpu_count() && own <= 0; i++)
        if (nn_cpu_at(i) != NULL)
            best = fmax(best, bipe_ceiling(pool, nn_cpu_at(i), NN_PRECISION_F32));
    return best * 1e-9;
}

static double percent(double rate, double limit)
{
    return limit > 0 ? rate / limit * 100 : 0;
}

/* ---- products ---- */

typedef struct shape { size_t m, k, n; } shape;

static const shape shapes[] = {{128, 768, 768},   {128, 768, 3072}, {128, 3072, 768},
                               {128, 768, 32000}, {1024, 48, 48},   {48, 1024, 144}};

static int measure_product(const nn_cpu *cpu, nn_precision precision, const shape *s, double limit)
{
    nn_panels panels = {.n = s->n, .k = s->k, .precision = precision};
    size_t larger = s->n > s->m ? s->n : s->m, floats = nn_panels_size(cpu, precision, s->n, s->k) / sizeof(float);
    float *x = bipe_alloc_aligned(s->k * larger, sizeof *x), *y = bipe_alloc_aligned(s->m * s->n, sizeof *y);
    void *scratch = bipe_alloc_aligned(nn_product_scratch(cpu, precision, s->m, s->k, false), 1);
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
        printf("product %zux%zux%zu %.1f %.0f\n", s->m, s->k, s->n, best, percent(best, limit));
        fflush(stdout);
    }
    bipe_free(x), bipe_free(y), bipe_free(scratch), bipe_free(panels.data);
    return status;
}

/* ---- attention: a head, causal ---- */

static const shape windows[] = {
    {.m = 128, .k = 12}, {.m = 1024, .k = 32}, {.m = 1024, .k = 64}, {.m = 8192, .k = 64}, {.m = 8192, .k = 128}};

static int measure_attention(const nn_cpu *cpu, nn_precision precision, const shape *s, double limit)
{
    size_t length = s->m, d = s->k, size = length * d;
    nn_keys keys;
    void *packed = bipe_alloc_aligned(nn_keys_size(cpu, precision, length, d), 1);
    void *scratch = bipe_alloc_aligned(nn_attention_scratch(cpu, precision, d), 1);
    void *back = bipe_alloc_aligned(nn_attention_backward_scratch(cpu, length, d), 1);
    float *x = bipe_alloc_aligned(size, 3 * sizeof *x), *y = bipe_alloc_aligned(size, 4 * sizeof *y),
          *lse = bipe_alloc_aligned(length, sizeof *lse);
    int status = packed == NULL || scratch == NULL || back == NULL || x == NULL || y == NULL || lse == NULL ? -1 : 0;
    if (status == 0) {
        for (size_t i = 0; i < 3 * size; i++)
            x[i] = (float)(i % 13) * 0.1f;
        nn_attention a = {.keys = &keys, .heads = 1, .scale = (float)(1 / sqrt((double)d))};
        nn_attention_window w = {.q = x, .k = x + size, .v = x + 2 * size, .ldq = d, .ldk = d, .ldv = d, .out = y,
                                 .d_out = x, .ldo = d, .ld_out = d, .lse = lse, .ldl = length, .dq = y + size,
                                 .dk = y + 2 * size, .dv = y + 3 * size, .ld_dq = d, .ld_dk = d, .ld_dv = d};
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
        printf("attention %zux%zu %.1f %.0f\n", s->m, s->k, best[0], percent(best[0], limit));
        if (precision == NN_PRECISION_F32)
            printf("gradient %zux%zu %.1f %.0f\n", s->m, s->k, best[1], percent(best[1], limit));
        fflush(stdout);
    }
    bipe_free(packed), bipe_free(scratch), bipe_free(back), bipe_free(x), bipe_free(y), bipe_free(lse);
    return status;
}

static const char *const precisions[] = {[NN_PRECISION_F32] = "f32", [NN_PRECISION_BF16] = "bf16"};

/* The dot products of a path come on top of the f32 kernels of the path before it. */
static bool of_its_own(size_t i, int precision)
{
    return nn_cpu_at(i) != NULL && (precision == NN_PRECISION_BF16 || nn_cpu_at(i) != nn_cpu_named("avx512bf16"));
}

static int measure(const nn_cpu *cpu, nn_precision precision)
{
    bipe_error err;
    bipe_pool *one, *all;
    if (bipe_pool_open(&one, 1, &err) != BIPE_OK || bipe_pool_open(&all, bipe_processors(), &err) != BIPE_OK) {
        fprintf(stderr, "kernels: %s\n", err.text);
        return 1;
    }
    /* all cores twice, lest other work took one all the time */
    double together = ceiling(all, cpu, precision), limit = ceiling(one, cpu, precision);
    printf("ceiling %.1f %.1f\n", limit, fmax(together, ceiling(all, cpu, precision)));
    fflush(stdout);
    int status = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0] && status == 0; s++)
        status = measure_product(cpu, precision, &shapes[s], limit);
    for (size_t s = 0; s < sizeof windows / sizeof windows[0] && status == 0; s++)
        status = measure_attention(cpu, precision, &windows[s], limit);
    bipe_pool_close(one);
    bipe_pool_close(all);
    if (status != 0)
        fputs("kernels: out of memory\n", stderr);
    return status != 0;
}

int main(int argc, char **argv)
{
    for (int precision = NN_PRECISION_F32; precision <= NN_PRECISION_BF16; precision++)
        for (size_t i = 0; i < nn_cpu_count(); i++) {
            if (!of_its_own(i, precision))
                continue;
            const char *name = nn_cpu_name(nn_cpu_at(i));
            if (argc < 3)
                printf("%s %s\n", name, precisions[precision]);
            else if (strcmp(argv[1], name) == 0 && strcmp(argv[2], precisions[precision]) == 0)
                return measure(nn_cpu_at(i), (nn_precision)precision);
        }
    if (argc >= 3)
        fprintf(stderr, "kernels: %s %s: not on this machine\n", argv[1], argv[2]);
    return argc >= 3;
}
