/* test_nn.c - each kernel against its naive twin, on random numbers and at the edges of its blocks. */
#include "nn/micro.h"
#include "nn/plain.h"
#include "tests/check.h"

static uint64_t state = 88172645463325252u;

static float uniform(void)
{
    return (float)((double)(test_random(&state) >> 11) * 0x1p-52 - 1);
}

static float *values(size_t count)
{
    float *v = malloc((count + 1) * sizeof *v);
    if (v == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        v[i] = uniform();
    return v;
}

static float bits_to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void test_bf16(void)
{
    unsigned long wrong = 0;
    for (int i = 0; i < 200000; i++) {
        float x = bits_to_float((uint32_t)test_random(&state)), y = x;
        nn_round_bf16(&y, 1);
        float want = nn_plain_bf16(x);
        if (isnan(x) ? !isnan(y) : memcmp(&want, &y, 4) != 0)
            wrong++;
    }
    CHECK_UINT(wrong, 0);
    float ties[4] = {bits_to_float(0x3F808000), bits_to_float(0x3F818000), bits_to_float(0x7F7FFFFF),
                     bits_to_float(0x7F800001)};
    nn_round_bf16(ties, 4);
    CHECK(ties[0] == bits_to_float(0x3F800000) && ties[1] == bits_to_float(0x3F820000));
    CHECK(isinf(ties[2]) && isnan(ties[3]));
}

/* e^x of each value before the last, which is lost: the softmax of a sum of 1. */
static void exp_each(float *x, size_t count)
{
    nn_cross_entropy_backward(x, count, 0, count - 1, 1);
}

/* All floats from 2^-26 to 88.3 and below 0 to -87.3: consecutive ones have the same distance within a power of two, so
 * e^x in double is that of the first of a block times that of the distance. Nearer to 0 the result is 1. */
static void test_exp(void)
{
    enum { BLOCK = 4096 };
    static double factor[BLOCK];
    static float block[BLOCK + 1];
    unsigned long wrong = 0;
    size_t stride = 2048 / test_rounds(2048); /* of blocks, where time is short */
    for (int sign = -1; sign <= 1; sign += 2)
        for (int exponent = -26; exponent <= 6; exponent++) {
            double step = ldexp(sign, exponent - 23);
            for (int i = 0; i < BLOCK; i++)
                factor[i] = exp(step * i);
            for (size_t start = 0; start < 2048; start += stride) { /* 2^23 / BLOCK */
                double first = step * (double)((1u << 23) + start * BLOCK), from = exp(first);
                for (int i = 0; i < BLOCK; i++)
                    block[i] = (float)(first + step * i);
                if (block[BLOCK - 1] > 88.3f || block[BLOCK - 1] < -87.3f)
                    break;
                exp_each(block, BLOCK + 1);
                for (int i = 0; i < BLOCK; i++)
                    wrong += !(fabs((double)block[i] - from * factor[i]) <= 1e-7 * from * factor[i]);
            }
        }
    CHECK_UINT(wrong, 0);
    float edge[] = {0, -0.0f, 0x1p-27f, -0x1p-27f, 1e-40f, -87.4f, -1e30f, -INFINITY, 88.3f, 200, INFINITY, NAN, 0};
    exp_each(edge, 13);
    for (size_t i = 0; i < 5; i++)
        CHECK(edge[i] == 1);
    CHECK(edge[5] == 0 && edge[6] == 0 && edge[7] == 0);
    CHECK(edge[8] > 2.2e38f && edge[9] == edge[8] && edge[10] == edge[8] && isnan(edge[11]));
}

/* The largest difference; NaN if there is one anywhere. */
static double worst_of(const float *got, const float *want, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = test_worse(worst, fabs((double)got[i] - (double)want[i]));
    return worst;
}

static void near_all(const char *what, const float *got, const float *want, size_t count, double tolerance)
{
    double worst = worst_of(got, want, count);
    CHECKF(worst <= tolerance, "%s: error %g", what, worst);
}

static void test_rows(void)
{
    for (size_t c = 1; c < 70; c++) {
        float *x = values(c), *w = values(c), *y = values(c), *z = values(c);
        nn_rmsnorm(x, w, 1e-5, y, c);
        nn_plain_rmsnorm(x, w, 1e-5, z, c);
        near_all("rmsnorm", y, z, c, 1e-6);
        for (int bias = 0; bias < 2; bias++) {
            nn_layernorm(x, w, bias ? x : NULL, 1e-5, y, c);
            nn_plain_layernorm(x, w, bias ? x : NULL, 1e-5, z, c);
            near_all("layernorm", y, z, c, 2e-6);
        }
        for (int f = NN_SILU; f <= NN_CLAMPED_SILU; f++) {
            const bool clamped = f == NN_CLAMPED_SILU;
            const float wide = clamped ? 10 : 3;
            for (size_t i = 0; i < c; i++)
                z[i] = (float)nn_plain_activation((nn_activation)f, (double)(wide * x[i]));
            for (size_t i = 0; i < c; i++)
                y[i] = wide * x[i];
            nn_activate((nn_activation)f, y, y, c);
            near_all("activate", y, z, c, 2e-6);
            for (size_t i = 0; i < c; i++) {
                double up = clamped ? 1 + fmin(fmax((double)w[i], -7), 7) : (double)w[i];
                z[i] = (float)(nn_plain_activation((nn_activation)f, (double)x[i]) * up);
                y[i] = x[i];
            }
            nn_activate_mul((nn_activation)f, y, w, y, c);
            near_all("activate_mul", y, z, c, 1e-6);
        }
        const float xielu[] = {0.7f, -0.2f, 0.5f, -1e-6f};
        for (size_t i = 0; i < c; i++) {
            y[i] = 3 * x[i];
            z[i] = (float)nn_plain_xielu(xielu, (double)y[i]);
        }
        nn_xielu(xielu, y, y, c);
        near_all("xielu", y, z, c, 2e-6);
        for (size_t i = 0; i < c; i++) {
            y[i] = 20 * x[i];
            z[i] = (float)(7 * tanh(20 * (double)x[i] / 7));
        }
        nn_soft_cap(y, c, 7);
        near_all("soft_cap", y, z, c, 4e-6);
        nn_silu_mul(x, w, y, c);
        nn_plain_silu_mul(x, w, z, c);
        near_all("silu_mul", y, z, c, 1e-6);
        memcpy(y, x, c * sizeof *y);
        memcpy(z, x, c * sizeof *z);
        float *s = values(c);
        nn_rotate(y, 1, w, s, c / 2);
        nn_plain_rotate(z, w, s, c / 2);
        near_all("rotate", y, z, c, 1e-6);
        free(x), free(w), free(y), free(z), free(s);
    }
    float far[2] = {-200, 200}, up[2] = {3, 3};
    nn_silu_mul(far, up, far, 2);
    CHECK(fabsf(far[0]) < 1e-30f && far[1] == 600);
}

/* The sum of dy * rmsnorm(x, weight). */
static double rmsnorm_sum(const double *x, const double *weight, const float *dy, size_t c)
{
    double square = 0, sum = 0;
    for (size_t i = 0; i < c; i++)
        square += x[i] * x[i];
    for (size_t i = 0; i < c; i++)
        sum += (double)dy[i] * x[i] / sqrt(square / (double)c + 1e-5) * weight[i];
    return sum;
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

/* Derivatives against differences in double. */
static void test_backward(void)
{
    enum { C = 41 };
    const double h = 1e-5;
    float *x = values(C), *w = values(C), *dy = values(C), *dx = values(C), *dw = values(C), *y = values(C);
    float want_dx[C], want_dw[C];
    double xs[C], ws[C];
    for (size_t i = 0; i < C; i++)
        xs[i] = (double)x[i], ws[i] = (double)w[i];
    for (size_t i = 0; i < C; i++)
        for (int which = 0; which < 2; which++) {
            double *value = which == 0 ? &xs[i] : &ws[i], kept = *value;
            *value = kept + h;
            double after = rmsnorm_sum(xs, ws, dy, C);
            *value = kept - h;
            double slope = (after - rmsnorm_sum(xs, ws, dy, C)) / (2 * h);
            *value = kept;
            if (which == 0)
                want_dx[i] = (float)((double)dx[i] + slope);
            else
                want_dw[i] = (float)((double)dw[i] + slope);
        }
    nn_rmsnorm_backward(x, w, 1e-5, dy, y, dx, dw, C);
    near_all("rmsnorm, dx", dx, want_dx, C, 1e-6);
    near_all("rmsnorm, dweight", dw, want_dw, C, 1e-6);
    nn_rmsnorm(x, w, 1e-5, want_dx, C);
    near_all("rmsnorm, once more", y, want_dx, C, 0);

    for (size_t i = 0; i < C; i++) {
        double g = (double)x[i] * 4;
        x[i] *= 4;
        want_dx[i] = (float)((double)dy[i] * (double)w[i] * (silu(g + h) - silu(g - h)) / (2 * h));
        want_dw[i] = (float)((double)dy[i] * silu(g));
        y[i] = (float)(silu(g) * (double)w[i]);
    }
    nn_silu_mul_backward(x, w, dy, C);
    near_all("silu_mul, dgate", x, want_dx, C, 2e-6);
    near_all("silu_mul, dup", w, want_dw, C, 2e-6);
    near_all("silu_mul, again", dy, y, C, 2e-6);

    /* <dy, rotated x> = <dy rotated back, x> */
    float *cosine = values(C), *sine = values(C), *turned = values(C);
    double forward = 0, back = 0;
    memcpy(turned, x, C * sizeof *x);
    nn_rotate(turned, 1, cosine, sine, C / 2);
    for (size_t i = 0; i < C / 2 * 2; i++)
        forward += (double)turned[i] * (double)dy[i];
    nn_rotate_back(dy, 1, cosine, sine, C / 2);
    for (size_t i = 0; i < C / 2 * 2; i++)
        back += (double)x[i] * (double)dy[i];
    CHECK_NEAR(forward, back, 1e-5);

    for (size_t i = 0; i < C; i++)
        y[i] = x[i] * 3 + 500;
    double whole = nn_plain_log_sum(y, C);
    for (size_t i = 0; i < C; i++)
        want_dx[i] = (float)(0.25 * (exp((double)y[i] - whole) - (i == 7)));
    nn_cross_entropy_backward(y, C, whole, 7, 0.25f);
    near_all("cross-entropy", y, want_dx, C, 1e-6);
    free(x), free(w), free(dy), free(dx), free(dw), free(y), free(cosine), free(sine), free(turned);
}

/* The sum of dy * layernorm(x, weight, bias). */
static double layernorm_sum(const double *x, const double *weight, const double *bias, const float *dy, size_t c)
{
    double mean = 0, square = 0, sum = 0;
    for (size_t i = 0; i < c; i++)
        mean += x[i] / (double)c;
    for (size_t i = 0; i < c; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)c;
    for (size_t i = 0; i < c; i++)
        sum += (double)dy[i] * ((x[i] - mean) / sqrt(square + 1e-5) * weight[i] + bias[i]);
    return sum;
}

static void test_layernorm_backward(void)
{
    enum { C = 41 };
    const double h = 1e-5;
    float *x = values(C), *w = values(C), *b = values(C), *dy = values(C), *y = values(C), *z = values(C);
    float *d[3] = {values(C), values(C), values(C)}, want[3][C];
    double v[3][C];
    for (size_t i = 0; i < C; i++)
        v[0][i] = (double)x[i], v[1][i] = (double)w[i], v[2][i] = (double)b[i];
    for (int which = 0; which < 3; which++)
        for (size_t i = 0; i < C; i++) {
            double kept = v[which][i];
            v[which][i] = kept + h;
            double after = layernorm_sum(v[0], v[1], v[2], dy, C);
            v[which][i] = kept - h;
            want[which][i] = (float)((double)d[which][i] + (after - layernorm_sum(v[0], v[1], v[2], dy, C)) / (2 * h));
            v[which][i] = kept;
        }
    nn_layernorm_backward(x, w, b, 1e-5, dy, y, d[0], d[1], d[2], C);
    near_all("layernorm, dx", d[0], want[0], C, 1e-6);
    near_all("layernorm, dweight", d[1], want[1], C, 1e-6);
    near_all("layernorm, dbias", d[2], want[2], C, 1e-6);
    nn_layernorm(x, w, b, 1e-5, z, C);
    near_all("layernorm, once more", y, z, C, 2e-6);
    nn_layernorm_backward(x, w, NULL, 1e-5, dy, y, d[0], d[1], NULL, C);
    nn_layernorm(x, w, NULL, 1e-5, z, C);
    near_all("layernorm without bias, once more", y, z, C, 2e-6);
    free(x), free(w), free(b), free(dy), free(y), free(z), free(d[0]), free(d[1]), free(d[2]);
}

static void test_activation_backward(void)
{
    enum { C = 300 };
    const double h = 1e-6;
    for (int f = NN_SILU; f <= NN_RELU_SQUARED; f++) {
        float *x = values(C), *up = values(C), *dy = values(C), *alone = values(C), *dalone = values(C);
        float want_x[C], want_up[C], want_y[C], want_alone[C], want_f[C];
        for (size_t i = 0; i < C; i++) {
            x[i] *= 5;
            alone[i] = x[i];
            dalone[i] = dy[i];
            double at = (double)x[i], value = nn_plain_activation((nn_activation)f, at);
            double slope = (nn_plain_activation((nn_activation)f, at + h) -
                            nn_plain_activation((nn_activation)f, at - h)) / (2 * h);
            want_x[i] = (float)((double)dy[i] * (double)up[i] * slope);
            want_up[i] = (float)((double)dy[i] * value);
            want_y[i] = (float)(value * (double)up[i]);
            want_alone[i] = (float)((double)dy[i] * slope);
            want_f[i] = (float)value;
        }
        nn_activate_mul_backward((nn_activation)f, x, up, dy, C);
        near_all("activate_mul, dgate", x, want_x, C, 4e-6);
        near_all("activate_mul, dup", up, want_up, C, 4e-6);
        near_all("activate_mul, again", dy, want_y, C, 4e-6);
        nn_activate_backward((nn_activation)f, alone, dalone, C);
        near_all("activate, dx", alone, want_alone, C, 4e-6);
        near_all("activate, again", dalone, want_f, C, 4e-6);
        free(x), free(up), free(dy), free(alone), free(dalone);
    }
}

/* Rows have the same digits with each kind of vector unit. */
static void test_same_digits(void)
{
    enum { MOST = 150 };
    const nn_row_table *plain = nn_cpu_named("plain")->rows;
    for (size_t kind = 0; kind < nn_cpu_count(); kind++)
        for (size_t c = 2; c < MOST && nn_cpu_at(kind) != NULL; c += c < 70 ? 1 : 7) {
            const nn_row_table *rows = nn_cpu_at(kind)->rows;
            float *x = values(6 * MOST), *a = values(6 * MOST), *b = values(6 * MOST);
            for (size_t i = 0; i < MOST; i++)
                x[i] *= 20;
            float result[2] = {0};
            double sum[2] = {0}, parts[2][3];
            for (int side = 0; side < 2; side++) {
                const nn_row_table *t = side == 0 ? plain : rows;
                float *o = side == 0 ? a : b, *p = o + MOST, *q = p + MOST, *r = q + MOST, *s = r + MOST, *u = s + MOST;
                memcpy(o, x, 6 * MOST * sizeof *x);
                t->rmsnorm(o, p, 1e-5, q, c);
                t->rmsnorm_backward(o, p, 1e-5, q, s, r, u, c);
                t->layernorm_backward(o, p, q, 1e-5, r, s, u, o + c, p + c, c < MOST / 2 ? c : 1);
                for (int f = NN_SILU; f <= NN_RELU_SQUARED; f++)
                    t->activate_slope((nn_activation)f, q, u, c);
                t->silu_mul(o, p, o, c);
                t->silu_mul_backward(p, q, r, c);
                t->rotate(o, 2, p, q, c / 4);
                t->rotate_back(r, 2, p, q, c / 4);
                result[side] = t->largest(o, c, -1);
                sum[side] = t->exp_sum(q, c, result[side]);
                t->divergence_sums(o, q, c, result[side], 0.25f, parts[side]);
                t->softmax_times(p, c, 0.1f, 1e-3f, 0.3f);
                t->narrow(o, c / 2, r + 3);
                t->widen_words(p, c / 24, c % 2 == 0 ? 24 : 12, q);
                t->round_bf16(o, c / 2);
            }
            CHECK(memcmp(a, b, 6 * MOST * sizeof *a) == 0 && result[0] == result[1] && sum[0] == sum[1] &&
                  memcmp(parts[0], parts[1], sizeof parts[0]) == 0);
            free(x), free(a), free(b);
        }
}

static void test_log_sum(void)
{
    for (size_t count = 1; count < 200; count += 7)
        for (int scale = 0; scale < 3; scale++) {
            float *v = values(count);
            for (size_t i = 0; i < count; i++)
                v[i] = v[i] * (scale == 0 ? 1.0f : scale == 1 ? 50.0f : 3e37f) + (scale == 1 ? 1000.0f : 0.0f);
            double want = nn_plain_log_sum(v, count);
            nn_log_sum sum = nn_log_sum_start;
            for (size_t i = 0; i < count; i += 33) {
                size_t piece = count - i < 33 ? count - i : 33;
                nn_log_sum_add(&sum, v + i, piece);
            }
            CHECK_NEAR(nn_log_sum_result(&sum), want, 1e-6 * (1 + fabs(want) * 1e-3));
            free(v);
        }
    float bad[3] = {1, NAN, 2};
    nn_log_sum sum = nn_log_sum_start;
    nn_log_sum_add(&sum, bad, 3);
    CHECK(isnan(nn_log_sum_result(&sum)));
}

static double divergence(const float *a, const float *b, size_t count, size_t most, nn_divergence *sums)
{
    nn_log_sum of_a = nn_log_sum_start, of_b = nn_log_sum_start;
    *sums = nn_divergence_start;
    for (size_t i = 0; i < count; i += most) {
        size_t piece = count - i < most ? count - i : most;
        nn_log_sum_add(&of_a, a + i, piece);
        nn_log_sum_add(&of_b, b + i, piece);
        nn_divergence_add(sums, a + i, b + i, piece);
    }
    return nn_divergence_result(sums, nn_log_sum_result(&of_a), nn_log_sum_result(&of_b));
}

static size_t largest_of(const float *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = values[i] > values[best] ? i : best;
    return best;
}

/* Of logits that differ by `noise`, beside a shift of all that means nothing. */
static void test_divergence(void)
{
    static const float noises[] = {0, 1e-5f, 1e-3f, 0.1f, 1, 10, 100};
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
        for (size_t count = 2; count < 3000; count = count * 3 + 1)
            for (int sharp = 0; sharp < 2; sharp++) {
                float *a = values(count), *b = values(count), shift = noises[n] > 0 ? 3.7f * (float)sharp : 0;
                nn_divergence sums;
                for (size_t i = 0; i < count; i++) {
                    a[i] *= sharp ? 12.0f : 1.0f;
                    b[i] = a[i] + noises[n] * b[i] + shift;
                }
                double want = nn_plain_divergence(a, b, count), got = divergence(a, b, count, 48, &sums);
                CHECKF(noises[n] > 0 ? fabs(got - want) <= 2e-4 * want + 1e-15 : got == 0,
                       "noise %g, %zu values: %.9g, expected %.9g", (double)noises[n], count, got, want);
                CHECK(sums.choice == largest_of(a, count) && sums.other_choice == largest_of(b, count));
                free(a), free(b);
            }
    /* b has another certain choice: found only where a has nothing, or near nothing. */
    for (int order = 0; order < 2; order++)
        for (float height = 10; height < 4000; height *= 3) {
            float a[40] = {0}, b[40] = {0};
            nn_divergence sums;
            b[order == 0 ? 1 : 38] = height;
            a[order == 0 ? 38 : 1] = height / 2;
            double want = nn_plain_divergence(a, b, 40);
            CHECK_NEAR(divergence(a, b, 40, 16, &sums), want, 1e-5 * want);
            a[order == 0 ? 1 : 38] = -height;
            want = nn_plain_divergence(a, b, 40);
            CHECK_NEAR(divergence(a, b, 40, 16, &sums), want, 1e-5 * want);
        }
    float bad[3] = {1, NAN, 2}, good[3] = {1, 2, 3}, none[3] = {1, -INFINITY, 2};
    nn_divergence sums;
    CHECK(isnan(divergence(bad, good, 3, 2, &sums)) && isnan(divergence(good, bad, 3, 2, &sums)));
    CHECK(!isfinite(divergence(good, none, 3, 2, &sums)));
    CHECK_NEAR(divergence(none, good, 3, 2, &sums),
               log(exp(1.0) + exp(2.0) + exp(3.0)) - log(exp(1.0) + exp(2.0)) - exp(1.0) / (1 + exp(1.0)), 1e-6);
}

static void test_comparison(void)
{
    static const float zeros[3], first[3] = {NAN, 0, 0}, middle[3] = {0, NAN, 1}, last[3] = {1, 0, NAN};
    CHECK(worst_of(zeros, zeros, 3) == 0);
    CHECK(isnan(worst_of(first, zeros, 3)) && isnan(worst_of(zeros, middle, 3)) && isnan(worst_of(last, zeros, 3)));
}

int main(void)
{
    test_comparison();
    test_bf16();
    test_exp();
    test_rows();
    test_backward();
    test_layernorm_backward();
    test_activation_backward();
    test_same_digits();
    test_log_sum();
    test_divergence();
    return test_result();
}
