/* test_int16.c - products of 16-bit integers of each kind of processor that this machine can be: the codes that values
 * become, against the formula, and products against the sums of those codes in double. */
#include "format/tensor.h"
#include "nn/micro.h"
#include "nn/product.h"
#include "tests/check.h"

static uint64_t state = 88172645463325252u;

static float *values(size_t count)
{
    float *v = aligned_alloc(64, (count * sizeof *v + 64) / 64 * 64);
    if (v == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        v[i] = (float)((double)(test_random(&state) >> 11) * 0x1p-52 - 1);
    return v;
}

/* What a row is rounded to: a block has 8191 steps on either side of 0, as long as its largest value needs them. */
static void round_row(const float *from, size_t count, double *to)
{
    for (size_t first = 0; first < count; first += 32) {
        size_t end = first + 32 < count ? first + 32 : count;
        float largest = 0;
        for (size_t i = first; i < end; i++)
            largest = fmaxf(largest, fabsf(from[i]));
        for (size_t i = first; i < end; i++)
            to[i] = largest == 0 ? 0 : nearbyint((double)(from[i] * (8191 / largest))) * (double)(largest / 8191);
    }
}

static void test_narrow(const nn_row_table *rows)
{
    enum { BLOCKS = 40 };
    float *x = values(32 * BLOCKS), words[17 * BLOCKS], others[17 * BLOCKS];
    double rounded[32 * BLOCKS];
    for (size_t i = 0; i < 32 * BLOCKS; i++)
        x[i] *= exp2f((float)(i / 32 % 20 * 8) - 80.0f);
    memset(x, 0, 32 * sizeof *x);
    round_row(x, 32 * BLOCKS, rounded);
    rows->narrow_int16(x, 17 * BLOCKS, words);
    nn_rows_plain.narrow_int16(x, 17 * BLOCKS, others);
    CHECK(memcmp(words, others, sizeof words) == 0);
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t i = 0; i < 32; i++) {
            uint32_t word;
            memcpy(&word, words + 17 * b + 1 + i % 16, 4);
            double code = (int16_t)(word >> i / 16 * 16 & 0xFFFF), scale = (double)words[17 * b];
            double want = rounded[32 * b + i];
            CHECK(fabs(code) <= 8191 && code * scale == want);
            CHECK(fabs(code * scale - (double)x[32 * b + i]) <= scale * (0.5 + 1e-3));
        }
    /* what is not finite is in the scale, and the codes are 0; what is too small is 0 */
    const float odd[] = {NAN, INFINITY, -INFINITY, -NAN, 0x1p-120f, 0x1p+127f};
    for (size_t o = 0; o < sizeof odd / sizeof odd[0]; o++) {
        uint32_t word;
        memset(x, 0, 32 * sizeof *x);
        x[o] = odd[o], x[31] = 1e-38f;
        rows->narrow_int16(x, 17, words);
        memcpy(&word, words + 1 + o, 4);
        CHECK(o < 4 ? !isfinite(words[0]) && word == 0 : o == 4 ? words[0] == 0 : word == 8191);
    }
    free(x);
}

typedef struct shape { size_t m, n, k; } shape;

static void test_product(const nn_cpu *cpu, shape s)
{
    const char *name = nn_cpu_name(cpu);
    size_t ldx = s.k + 3, ldy = s.n + 2, held = nn_panels_size(cpu, NN_PRECISION_INT16, s.n, s.k);
    float *x = values(s.m * ldx), *w = values(s.n * s.k), *y = values(s.m * ldy), *z = values(s.m * ldy),
          *before = values(s.m * ldy);
    double *left = malloc(s.m * s.k * sizeof *left), *right = malloc(s.n * s.k * sizeof *right);
    nn_panels a = {values(held / 4), s.n, s.k, NN_PRECISION_INT16, 0, NULL};
    void *scratch = values(nn_product_scratch(cpu, NN_PRECISION_INT16, s.m, s.k, false) / 4);
    for (size_t i = 0; i < s.m; i++)
        round_row(x + i * ldx, s.k, left + i * s.k);
    for (size_t j = 0; j < s.n; j++)
        round_row(w + j * s.k, s.k, right + j * s.k);
    nn_pack_floats(cpu, &a, w, s.k, true, 0, nn_panel_count(cpu, NN_PRECISION_INT16, s.n));
    memcpy(y, before, s.m * ldy * sizeof *y);
    nn_product p = {.x = x, .ldx = ldx, .m = s.m, .w = &a, .count = s.n, .y = y, .ldy = ldy, .add = true};
    nn_product_run(cpu, &p, scratch);
    double worst = 0;
    for (size_t i = 0; i < s.m; i++)
        for (size_t j = 0; j < ldy; j++) {
            double want = (double)before[i * ldy + j], size = fabs(want);
            for (size_t c = 0; c < s.k && j < s.n; c++) {
                want += left[i * s.k + c] * right[j * s.k + c];
                size += fabs(left[i * s.k + c] * right[j * s.k + c]);
            }
            worst = test_worse(worst, fabs((double)y[i * ldy + j] - want) / size);
        }
    /* 2^-24 for each block that is added, and for its sum and its scale */
    CHECKF(worst <= 0x1p-24 * (double)(s.k / 32 + 6), "%s: %zu x %zu x %zu: error %g", name, s.m, s.n, s.k,
           worst);
    /* rows one by one have the same digits */
    for (size_t i = 0; i < s.m; i++) {
        nn_product q = p;
        memcpy(z + i * ldy, before + i * ldy, ldy * sizeof *z);
        q.x = x + i * ldx, q.m = 1, q.y = z + i * ldy;
        nn_product_run(cpu, &q, scratch);
    }
    CHECKF(memcmp(y, z, s.m * ldy * sizeof *y) == 0, "%s: %zu x %zu x %zu: rows one by one", name, s.m, s.n, s.k);
    x[(s.m - 1) * ldx + s.k - 1] = NAN;
    nn_product_run(cpu, &p, scratch);
    for (size_t j = 0; j < s.n; j++)
        CHECK(isnan(y[(s.m - 1) * ldy + j]) && (s.m == 1 || !isnan(y[j])));
    free(x), free(w), free(y), free(z), free(before), free(left), free(right), free(a.data), free(scratch);
}

/* Weights of quantised files, widened as they are used, give the digits of the same weights packed. */
static void test_widened(const nn_cpu *cpu, shape s)
{
    const bipe_dtype_row *t = bipe_dtype_of(BIPE_Q4_K);
    size_t stride = s.k / t->values * t->bytes, held = nn_panels_size(cpu, NN_PRECISION_INT16, s.n, s.k);
    uint8_t *data = malloc(s.n * stride);
    for (size_t i = 0; i < s.n * stride; i++)
        data[i] = (uint8_t)(test_random(&state) & 0xBB); /* no exponent of NaN */
    const nn_matrix w = {.data = data, .read = t->read, .rows = s.n, .columns = s.k, .stride = stride,
                         .block = t->values, .block_size = t->bytes};
    float *x = values(s.m * s.k), *y = values(s.m * s.n), *z = values(s.m * s.n);
    const nn_panels packed = {values(held / 4), s.n, s.k, NN_PRECISION_INT16, 0, NULL},
                    stays = {NULL, s.n, s.k, NN_PRECISION_INT16, 0, &w};
    void *scratch = values(nn_product_scratch(cpu, NN_PRECISION_INT16, s.m, s.k, true) / 4);
    nn_pack_weights(cpu, &packed, &w, 0, nn_panel_count(cpu, NN_PRECISION_INT16, s.n));
    nn_product p = {.x = x, .ldx = s.k, .m = s.m, .w = &packed, .up = &packed, .count = s.n, .y = y, .ldy = s.n};
    nn_product_run(cpu, &p, scratch);
    p.w = p.up = &stays, p.y = z;
    nn_product_run(cpu, &p, scratch);
    CHECKF(memcmp(y, z, s.m * s.n * sizeof *y) == 0, "%s: %zu x %zu x %zu widened", nn_cpu_name(cpu), s.m, s.n, s.k);
    free(data), free(x), free(y), free(z), free(packed.data), free(scratch);
}

/* The kinds whose names begin with avx have the same digits. */
static void test_digits(void)
{
    const shape s = {20, 60, 2080};
    float *x = values(s.m * s.k), *w = values(s.n * s.k), *first = NULL;
    for (size_t i = 0; i < nn_cpu_count(); i++) {
        const nn_cpu *cpu = nn_cpu_at(i);
        if (cpu == NULL || strncmp(nn_cpu_name(cpu), "avx", 3) != 0)
            continue;
        float *y = values(s.m * s.n);
        const nn_panels a = {values(nn_panels_size(cpu, NN_PRECISION_INT16, s.n, s.k) / 4), s.n, s.k,
                             NN_PRECISION_INT16, 0, NULL};
        void *scratch = values(nn_product_scratch(cpu, NN_PRECISION_INT16, s.m, s.k, false) / 4);
        nn_pack_floats(cpu, &a, w, s.k, true, 0, nn_panel_count(cpu, NN_PRECISION_INT16, s.n));
        const nn_product p = {.x = x, .ldx = s.k, .m = s.m, .w = &a, .count = s.n, .y = y, .ldy = s.n};
        nn_product_run(cpu, &p, scratch);
        CHECKF(first == NULL || memcmp(first, y, s.m * s.n * sizeof *y) == 0, "%s: other digits", nn_cpu_name(cpu));
        free(first), free(a.data), free(scratch);
        first = y;
    }
    free(first), free(x), free(w);
}

int main(void)
{
    static const shape shapes[] = {{1, 1, 1},    {3, 50, 31},    {5, 48, 32},   {8, 7, 33},     {17, 100, 300},
                                   {131, 97, 257}, {4, 700, 768}, {20, 60, 2080}, {129, 530, 1056}};
    for (size_t i = 0; i < nn_cpu_count(); i++) {
        const nn_cpu *cpu = nn_cpu_at(i);
        if (cpu == NULL)
            continue;
        test_narrow(cpu->rows);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            test_product(cpu, shapes[s]);
        test_widened(cpu, (shape){3, 101, 512});
        test_widened(cpu, (shape){140, 60, 1280});
        test_widened(cpu, (shape){4, 700, 768});
    }
    test_digits();
    return test_result();
}
