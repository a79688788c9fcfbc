/* rows_body.h - what happens to rows by themselves, included once for each kind of vector unit: plain C, of which the
 * compiler makes vector code for TARGET. Without include guard.
 *
 * Sums run in lanes of a fixed number and nothing is contracted, so that all kinds give the same digits.
 * Defined before: TABLE, the name of the table; TARGET, the attributes of functions; INTERLEAVE, a function of the
 * table, or NULL. */

enum { LANES = 16 };

/* A step of a tree. In a loop over widths the lanes would not stay in registers. */
#define FOLD(lane, width, join) \
    for (size_t j = 0; j < (width); j++) \
        (lane)[j] = join((lane)[j], (lane)[j + (width)])
#define SUM(a, b) ((a) + (b))
#define LARGER(a, b) ((b) > (a) ? (b) : (a))

/* The sum of LANES values. */
TARGET static inline float sum_of(float lane[LANES])
{
    FOLD(lane, 8, SUM);
    FOLD(lane, 4, SUM);
    FOLD(lane, 2, SUM);
    return lane[0] + lane[1];
}

TARGET static inline double double_sum_of(double lane[LANES])
{
    FOLD(lane, 8, SUM);
    FOLD(lane, 4, SUM);
    FOLD(lane, 2, SUM);
    return lane[0] + lane[1];
}

TARGET static float inner_product(const float *x, const float *y, size_t count)
{
    float lane[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += x[i + j] * y[i + j];
    for (; i < count; i++)
        sum += x[i] * y[i];
    return sum + sum_of(lane);
}

TARGET static void rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c)
{
    double lane[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)x[i + j] * (double)x[i + j];
    for (; i < c; i++)
        sum += (double)x[i] * (double)x[i];
    float scale = (float)(1 / sqrt((sum + double_sum_of(lane)) / (double)c + eps));
    for (i = 0; i < c; i++)
        y[i] = x[i] * scale * weight[i];
}

/* y_i = x_i s w_i with s = (mean(x^2) + eps)^(-1/2): dx_i = s (w_i dy_i - x_i s^2 mean(w dy x)). */
TARGET static void rmsnorm_backward(const float *x, const float *weight, double eps, const float *dy, float *restrict y,
                                    float *restrict dx, float *restrict dweight, size_t c)
{
    double square_lane[LANES] = {0}, product_lane[LANES] = {0}, square = 0, product = 0;
    size_t i = 0;
    for (; i + LANES <= c; i += LANES) {
        for (size_t j = 0; j < LANES; j++)
            square_lane[j] += (double)x[i + j] * (double)x[i + j];
        for (size_t j = 0; j < LANES; j++)
            product_lane[j] += (double)(weight[i + j] * dy[i + j]) * (double)x[i + j];
    }
    for (; i < c; i++) {
        square += (double)x[i] * (double)x[i];
        product += (double)(weight[i] * dy[i]) * (double)x[i];
    }
    square += double_sum_of(square_lane);
    product += double_sum_of(product_lane);
    double s = 1 / sqrt(square / (double)c + eps);
    float scale = (float)s, back = (float)(s * s * s * product / (double)c);
    for (i = 0; i < c; i++) {
        float normal = x[i] * scale;
        dx[i] += scale * weight[i] * dy[i] - back * x[i];
        dweight[i] += dy[i] * normal;
        y[i] = normal * weight[i];
    }
}

/* y = (x - mean) / sqrt(variance + eps) * weight + bias */
TARGET static void layernorm(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c)
{
    double lane[LANES] = {0}, square_lane[LANES] = {0}, sum = 0, square = 0;
    size_t i = 0;
    for (; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)x[i + j];
    for (; i < c; i++)
        sum += (double)x[i];
    double mean = (sum + double_sum_of(lane)) / (double)c;
    for (i = 0; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            square_lane[j] += ((double)x[i + j] - mean) * ((double)x[i + j] - mean);
    for (; i < c; i++)
        square += ((double)x[i] - mean) * ((double)x[i] - mean);
    double scale = 1 / sqrt((square + double_sum_of(square_lane)) / (double)c + eps);
    for (i = 0; i < c; i++)
        y[i] = (float)(((double)x[i] - mean) * scale) * weight[i];
    for (i = 0; bias != NULL && i < c; i++)
        y[i] += bias[i];
}

/* With n = (x - mean) s and s = (variance + eps)^(-1/2): dx = s (w dy - mean(w dy) - n mean(w dy n)). */
TARGET static void layernorm_backward(const float *x, const float *weight, const float *bias, double eps,
                                      const float *dy, float *restrict y, float *restrict dx, float *restrict dweight,
                                      float *restrict dbias, size_t c)
{
    double lane[LANES] = {0}, square_lane[LANES] = {0}, sum_lane[LANES] = {0}, product_lane[LANES] = {0};
    double mean = 0, square = 0, sum = 0, product = 0;
    size_t i = 0;
    for (; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)x[i + j];
    for (; i < c; i++)
        mean += (double)x[i];
    mean = (mean + double_sum_of(lane)) / (double)c;
    for (i = 0; i + LANES <= c; i += LANES) {
        for (size_t j = 0; j < LANES; j++)
            square_lane[j] += ((double)x[i + j] - mean) * ((double)x[i + j] - mean);
        for (size_t j = 0; j < LANES; j++)
            sum_lane[j] += (double)(weight[i + j] * dy[i + j]);
        for (size_t j = 0; j < LANES; j++)
            product_lane[j] += (double)(weight[i + j] * dy[i + j]) * ((double)x[i + j] - mean);
    }
    for (; i < c; i++) {
        square += ((double)x[i] - mean) * ((double)x[i] - mean);
        sum += (double)(weight[i] * dy[i]);
        product += (double)(weight[i] * dy[i]) * ((double)x[i] - mean);
    }
    double s = 1 / sqrt((square + double_sum_of(square_lane)) / (double)c + eps);
    float scale = (float)s, back = (float)(s * s * (product + double_sum_of(product_lane)) / (double)c),
          middle = (float)((sum + double_sum_of(sum_lane)) / (double)c);
    for (i = 0; i < c; i++) {
        float normal = (float)(((double)x[i] - mean) * s);
        dx[i] += scale * (weight[i] * dy[i] - middle) - back * normal;
        dweight[i] += dy[i] * normal;
        y[i] = normal * weight[i];
    }
    for (i = 0; bias != NULL && i < c; i++) {
        dbias[i] += dy[i];
        y[i] += bias[i];
    }
}

/* erf within 3.3e-7: z P(z^2) / Q(z^2), fitted to it on 0 .. 3.9, where it is 1 in single precision. */
TARGET static inline float erf_one(float x)
{
    float z = x > 3.9f ? 3.9f : x;
    z = z < -3.9f ? -3.9f : z;
    float t = z * z;
    float p = 2.05040465e-06f;
    p = p * t + 2.87457078e-04f;
    p = p * t + 3.83683387e-03f;
    p = p * t + 5.29667847e-02f;
    p = p * t + 1.91939920e-01f;
    p = p * t + 1.12837899f;
    float q = 3.82309154e-05f;
    q = q * t + 1.18172576e-03f;
    q = q * t + 1.51091171e-02f;
    q = q * t + 1.14757761e-01f;
    q = q * t + 5.03434122e-01f;
    q = q * t + 1.0f;
    float value = z * p / q;
    value = value > 1.0f ? 1.0f : value;
    return value < -1.0f ? -1.0f : value;
}

/* x (1 + erf(x / sqrt(2))) / 2, and its other form, x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)) (Hendrycks and
 * Gimpel 2016). */
TARGET static inline float gelu_one(float x)
{
    return 0.5f * x * (1.0f + erf_one(x * 0.70710678f));
}

TARGET static inline float gelu_tanh_one(float x)
{
    return x / (1.0f + nn_exp_one(-1.5957691216f * (x + 0.044715f * x * x * x)));
}

TARGET static inline float silu_one(float x)
{
    return x / (1.0f + nn_exp_one(-x));
}

TARGET static inline float relu_one(float x)
{
    return x < 0.0f ? 0.0f : x;
}

TARGET static inline float relu_squared_one(float x)
{
    float y = relu_one(x);
    return y * y;
}

TARGET static inline float clamped_silu_one(float x)
{
    float gate = x > 7.0f ? 7.0f : x;
    return gate / (1.0f + nn_exp_one(-1.702f * gate));
}

/* A loop for each: so it becomes vector code. */
#define ACTIVATE(kind, one) \
    case kind: \
        for (size_t i = 0; i < count; i++) \
            y[i] = one(x[i]); \
        break;
TARGET static void activate(nn_activation kind, const float *x, float *y, size_t count)
{
    switch (kind) {
    ACTIVATE(NN_SILU, silu_one)
    ACTIVATE(NN_GELU, gelu_one)
    ACTIVATE(NN_GELU_TANH, gelu_tanh_one)
    ACTIVATE(NN_RELU, relu_one)
    ACTIVATE(NN_RELU_SQUARED, relu_squared_one)
    ACTIVATE(NN_CLAMPED_SILU, clamped_silu_one)
    case NN_XIELU: break;
    }
}

TARGET static void xielu(float square, float below, float beta, float eps, const float *x, float *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float least = x[i] < eps ? x[i] : eps, low = below * (nn_exp_one(least) - 1.0f - x[i]);
        y[i] = (x[i] > 0.0f ? square * x[i] * x[i] : low) + beta * x[i];
    }
}

/* f(x) of each with its derivative, which x becomes. */
TARGET static inline float silu_slope(float *x)
{
    float v = *x, o = 1.0f / (1.0f + nn_exp_one(-v)), y = v * o;
    *x = o + y * (1.0f - o);
    return y;
}

TARGET static inline float gelu_slope(float *x)
{
    float v = *x, part = 0.5f * (1.0f + erf_one(v * 0.70710678f));
    *x = part + v * 0.39894228f * nn_exp_one(-0.5f * v * v);
    return v * part;
}

TARGET static inline float gelu_tanh_slope(float *x)
{
    float v = *x, square = v * v, o = 1.0f / (1.0f + nn_exp_one(-1.5957691216f * (v + 0.044715f * v * square)));
    float y = v * o;
    *x = o + y * (1.0f - o) * 1.5957691216f * (1.0f + 0.134145f * square);
    return y;
}

TARGET static inline float relu_slope(float *x)
{
    float y = relu_one(*x);
    *x = *x > 0.0f ? 1.0f : 0.0f;
    return y;
}

TARGET static inline float relu_squared_slope(float *x)
{
    float y = relu_one(*x);
    *x = 2.0f * y;
    return y * y;
}

#define SLOPE(kind, one) \
    case kind: \
        for (size_t i = 0; i < count; i++) \
            y[i] = one(&x[i]); \
        break;
TARGET static void activate_slope(nn_activation kind, float *restrict x, float *restrict y, size_t count)
{
    switch (kind) {
    SLOPE(NN_SILU, silu_slope)
    SLOPE(NN_GELU, gelu_slope)
    SLOPE(NN_GELU_TANH, gelu_tanh_slope)
    SLOPE(NN_RELU, relu_slope)
    SLOPE(NN_RELU_SQUARED, relu_squared_slope)
    case NN_CLAMPED_SILU:
    case NN_XIELU: break;
    }
}

/* c tanh(x / c) = c (1 - 2 / (e^(2 x / c) + 1)) */
TARGET static void soft_cap(float *x, size_t count, float cap)
{
    float inward = 2.0f / cap;
    for (size_t i = 0; i < count; i++)
        x[i] = cap * (1.0f - 2.0f / (nn_exp_one(x[i] * inward) + 1.0f));
}

TARGET static void silu_mul(const float *gate, const float *up, float *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = gate[i] / (1.0f + nn_exp_one(-gate[i])) * up[i];
}

/* silu(g) = g o with o = sigmoid(g); silu'(g) = o (1 + g (1 - o)). */
TARGET static void silu_mul_backward(float *gate, float *up, float *dy, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float g = gate[i], u = up[i], d = dy[i], o = 1.0f / (1.0f + nn_exp_one(-g)), silu = g * o;
        gate[i] = d * u * (o + silu * (1.0f - o));
        up[i] = d * silu;
        dy[i] = silu * u;
    }
}

/* PAIRS at a time: halves of heads are often shorter than a vector. */
TARGET static inline void rotate_by(float *x, size_t heads, const float *restrict cosine, const float *restrict sine,
                                    size_t half, float direction)
{
    enum { PAIRS = 8 };
    for (size_t h = 0; h < heads; h++, x += 2 * half) {
        float *restrict low = x, *restrict high = x + half;
        size_t j = 0;
        for (; j + PAIRS <= half; j += PAIRS)
            for (size_t i = j; i < j + PAIRS; i++) {
                float a = low[i], b = high[i], turn = sine[i] * direction;
                low[i] = a * cosine[i] - b * turn;
                high[i] = b * cosine[i] + a * turn;
            }
        for (; j < half; j++) {
            float a = low[j], b = high[j], turn = sine[j] * direction;
            low[j] = a * cosine[j] - b * turn;
            high[j] = b * cosine[j] + a * turn;
        }
    }
}

TARGET static void rotate_heads(float *x, size_t heads, const float *cosine, const float *sine, size_t half)
{
    rotate_by(x, heads, cosine, sine, half, 1);
}

TARGET static void rotate_back(float *x, size_t heads, const float *cosine, const float *sine, size_t half)
{
    rotate_by(x, heads, cosine, sine, half, -1);
}

TARGET static float largest_value(const float *values, size_t count, float maximum)
{
    float lane[LANES];
    for (size_t j = 0; j < LANES; j++)
        lane[j] = maximum;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] = LARGER(lane[j], values[i + j]);
    for (size_t j = 0; i + j < count; j++)
        lane[j] = LARGER(lane[j], values[i + j]);
    FOLD(lane, 8, LARGER);
    FOLD(lane, 4, LARGER);
    FOLD(lane, 2, LARGER);
    return LARGER(lane[0], lane[1]);
}

TARGET static double exp_sum(const float *values, size_t count, float maximum)
{
    float lane[LANES] = {0}, last[LANES];
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += nn_exp_one(values[i + j] - maximum);
    if (i < count) {
        for (size_t j = 0; j < LANES; j++)
            last[j] = i + j < count ? values[i + j] - maximum : -INFINITY;
        for (size_t j = 0; j < LANES; j++)
            lane[j] += nn_exp_one(last[j]);
    }
    return (double)sum_of(lane);
}

/* Where u is small, e^-u - 1 + u is a series, so that nothing cancels. */
TARGET static inline void divergence_lanes(const float *a, const float *b, float maximum, float shift, float *weight,
                                           float *mean, float *excess)
{
    const float base = maximum - shift;
    for (size_t j = 0; j < LANES; j++) {
        float w = nn_exp_one(a[j] - maximum), u = a[j] - b[j] - shift, other = nn_exp_one(b[j] - base);
        float p = 2.4801587e-5f;
        p = p * u - 1.9841270e-4f;
        p = p * u + 1.3888889e-3f;
        p = p * u - 8.3333333e-3f;
        p = p * u + 4.1666667e-2f;
        p = p * u - 1.6666667e-1f;
        p = p * u + 0.5f;
        float wu = w > 0.0f ? w * u : 0.0f, series = p * u * wu, whole = other - w + wu;
        weight[j] += w;
        mean[j] += wu;
        excess[j] += u < 0.5f && u > -0.5f ? series : whole;
    }
}

TARGET static void divergence_sums(const float *a, const float *b, size_t count, float maximum, float shift,
                                   double sums[3])
{
    float weight[LANES] = {0}, mean[LANES] = {0}, excess[LANES] = {0}, last[2][LANES];
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        divergence_lanes(a + i, b + i, maximum, shift, weight, mean, excess);
    if (i < count) {
        for (size_t j = 0; j < LANES; j++) { /* those that are not there weigh nothing */
            last[0][j] = i + j < count ? a[i + j] : maximum - 200.0f;
            last[1][j] = i + j < count ? b[i + j] : maximum - 200.0f - shift;
        }
        divergence_lanes(last[0], last[1], maximum, shift, weight, mean, excess);
    }
    sums[0] = (double)sum_of(weight);
    sums[1] = (double)sum_of(mean);
    sums[2] = (double)sum_of(excess);
}

TARGET static void softmax_times(float *x, size_t count, float whole, float rest, float weight)
{
    for (size_t i = 0; i < count; i++)
        x[i] = weight * nn_exp_one(x[i] - whole - rest);
}

TARGET static void round_bf16(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, 4);
        uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
        bits = (bits & 0x7FFFFFFF) > 0x7F800000 ? (bits | 0x00400000) & 0xFFFF0000 : rounded;
        memcpy(x + i, &bits, 4);
    }
}

TARGET static void narrow_words(const float *from, size_t words, float *to)
{
    enum { SOME = 64 };
    for (size_t at = 0; at < words; at += SOME) {
        float pairs[2 * SOME];
        size_t some = words - at < SOME ? words - at : SOME;
        memcpy(pairs, from + 2 * at, 2 * some * sizeof *pairs);
        round_bf16(pairs, 2 * some);
        for (size_t i = 0; i < some; i++) {
            uint32_t first, second;
            memcpy(&first, pairs + 2 * i, 4);
            memcpy(&second, pairs + 2 * i + 1, 4);
            first = first >> 16 | second;
            memcpy(to + at + i, &first, 4);
        }
    }
}

/* The largest magnitude is found as an integer, which passes NaN on: NaN and infinity become the scale of codes that
 * are 0, so that products with them are NaN. Blocks that are too small for the inverse of their scale are 0. */
TARGET static void narrow_int16(const float *from, size_t words, float *to)
{
    enum { BLOCK = NN_INT16_BLOCK, HALF = BLOCK / 2, MOST = NN_INT16_MOST };
    for (; words >= NN_INT16_WORDS; words -= NN_INT16_WORDS, from += BLOCK) {
        uint32_t bits[BLOCK], code[BLOCK], most[HALF];
        memcpy(bits, from, sizeof bits);
        for (size_t j = 0; j < HALF; j++) {
            uint32_t a = bits[j] & 0x7FFFFFFF, b = bits[j + HALF] & 0x7FFFFFFF;
            most[j] = a > b ? a : b;
        }
        FOLD(most, 8, LARGER);
        FOLD(most, 4, LARGER);
        FOLD(most, 2, LARGER);
        most[0] = LARGER(most[0], most[1]);
        float largest, inverse;
        memcpy(&largest, most, sizeof largest);
        const bool finite = largest >= 0x1p-100f && largest < INFINITY;
        const uint32_t keep = finite ? 0xFFFF : 0;
        inverse = finite ? (float)MOST / largest : 0.0f;
        *to++ = largest < 0x1p-100f ? 0.0f : largest / (float)MOST;
        for (size_t j = 0; j < BLOCK; j++) {
            float shifted = from[j] * inverse + 0x1.8p23f;
            memcpy(code + j, &shifted, sizeof shifted);
        }
        for (size_t j = 0; j < HALF; j++) {
            uint32_t word = (code[j] & keep) | (code[j + HALF] & keep) << 16;
            memcpy(to + j, &word, sizeof word);
        }
        to += HALF;
    }
}

/* Part of a row: `count` is constant where this is inlined, and as short as a vector. */
TARGET static inline void widen_part(const float *restrict from, size_t count, float *restrict low,
                                     float *restrict high)
{
    for (size_t j = 0; j < count; j++) {
        uint32_t word, lower;
        memcpy(&word, from + j, 4);
        lower = word << 16;
        word &= 0xFFFF0000;
        memcpy(low + j, &lower, 4);
        memcpy(high + j, &word, 4);
    }
}

TARGET static void widen_words(const float *restrict from, size_t rows, size_t wide, float *restrict to)
{
    for (size_t r = 0; r < rows; r++, to += wide) {
        size_t i = 0;
        for (; i + 8 <= wide; i += 8, from += 8, to += 8)
            widen_part(from, 8, to, to + wide);
        for (; i < wide; i += 4, from += 4, to += 4)
            widen_part(from, 4, to, to + wide);
    }
}

const nn_row_table TABLE = {
    .rmsnorm = rmsnorm,
    .layernorm = layernorm,
    .activate = activate,
    .xielu = xielu,
    .soft_cap = soft_cap,
    .rmsnorm_backward = rmsnorm_backward,
    .layernorm_backward = layernorm_backward,
    .activate_slope = activate_slope,
    .silu_mul = silu_mul,
    .silu_mul_backward = silu_mul_backward,
    .rotate = rotate_heads,
    .rotate_back = rotate_back,
    .inner = inner_product,
    .largest = largest_value,
    .exp_sum = exp_sum,
    .divergence_sums = divergence_sums,
    .softmax_times = softmax_times,
    .round_bf16 = round_bf16,
    .narrow = narrow_words,
    .narrow_int16 = narrow_int16,
    .widen_words = widen_words,
    .interleave = INTERLEAVE,
};
