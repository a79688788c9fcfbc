/* blocks_write_k.c - writers of Q4_K, Q5_K and Q6_K; blocks_k.c has their layouts.
 *
 * The scale of each part, and its minimum, are searched for: some step sizes are tried, each is refined by weighted
 * least squares, and the one with the least error stays. Sums are made in the order that ggml has (ggml-quants.c,
 * quantize_row_q4_K_ref and its like), so blocks have the bits of its ggml_quantize_chunk without an importance matrix.
 * LANES parts are searched side by side, of which compilers make vector code without any sum changing its order. */
#include <math.h>
#include <stdbool.h>

#include "format/blocks_write.h"

enum { VALUES = 256, RUN = 32, LANES = 8, PART = 16 }; /* Q4_K and Q5_K have parts of RUN values, Q6_K of PART */

typedef float lanes[LANES];

/* What a search found; a value is (code - bias) * scale - minimum. */
typedef struct fitted {
    float scale[LANES], minimum[LANES];
    uint8_t code[RUN][LANES];
} fitted;

/* To the nearest integer, ties to even, by the low bits of a float around 1.5 * 2^23; exact below 2^22. Larger numbers
 * and NaN occur with scales that overflow or underflow: as in ggml they are what these bits say. */
static inline int nearest(float x)
{
    return (int)(bipe_float_bits(x + 0x1.8p23f) & 0x7FFFFF) - 0x400000;
}

static inline int nearest_within(float x, int least, int most)
{
    int integer = nearest(x);
    return integer < least ? least : integer > most ? most : integer;
}

/* Value i of each part becomes row i. */
static void transpose(const float *from, size_t size, lanes *to)
{
    for (size_t k = 0; k < LANES; k++)
        for (size_t i = 0; i < size; i++)
            to[i][k] = from[k * size + i];
}

/* Where `better`, the codes and the numbers of a trial replace those of the fit. */
static void take_codes(fitted *fit, const int better[LANES], uint8_t (*trial)[LANES], size_t size)
{
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < LANES; k++)
            fit->code[i][k] = better[k] != 0 ? trial[i][k] : fit->code[i][k];
}

/* ---- with a minimum: Q4_K and Q5_K ---- */

/* The parts of a block, what their errors count, and sums that do not depend on the codes. */
typedef struct ranges {
    lanes x[RUN], weight[RUN];
    lanes sum_weight, sum_x, low, high;
} ranges;

/* Weights are the root mean square of the part plus the magnitude. */
static void measure_ranges(ranges *r)
{
    lanes squares = {0};
    for (size_t i = 0; i < RUN; i++)
        for (size_t k = 0; k < LANES; k++)
            squares[k] += r->x[i][k] * r->x[i][k];
    for (size_t k = 0; k < LANES; k++)
        squares[k] = sqrtf(squares[k] / RUN);
    for (size_t i = 0; i < RUN; i++)
        for (size_t k = 0; k < LANES; k++) {
            float x = r->x[i][k], weight = squares[k] + fabsf(x);
            r->weight[i][k] = weight;
            r->sum_weight[k] = i == 0 ? weight : r->sum_weight[k] + weight;
            r->sum_x[k] = i == 0 ? weight * x : r->sum_x[k] + weight * x;
            r->low[k] = i == 0 || x < r->low[k] ? x : r->low[k];
            r->high[k] = i == 0 || x > r->high[k] ? x : r->high[k];
        }
    for (size_t k = 0; k < LANES; k++)
        r->low[k] = r->low[k] > 0 ? 0 : r->low[k];
}

/* Codes of the values above `low` in steps of 1 / `inverse`; returns nothing else. */
static void code_ranges(const ranges *r, const lanes inverse, const lanes low, int most, uint8_t (*code)[LANES])
{
    for (size_t i = 0; i < RUN; i++)
        for (size_t k = 0; k < LANES; k++)
            code[i][k] = (uint8_t)nearest_within(inverse[k] * (r->x[i][k] - low[k]), 0, most);
}

/* The weighted squared error of codes. */
static void range_errors(const ranges *r, uint8_t (*code)[LANES], const lanes scale, const lanes low, lanes error)
{
    for (size_t k = 0; k < LANES; k++)
        error[k] = 0;
    for (size_t i = 0; i < RUN; i++)
        for (size_t k = 0; k < LANES; k++) {
            float off = scale[k] * (float)code[i][k] + low[k] - r->x[i][k];
            error[k] += r->weight[i][k] * (off * off);
        }
}

/* The scale and the minimum, at most 0, that suit given codes best. Returns by lane whether there are such. */
static void refine_ranges(const ranges *r, uint8_t (*code)[LANES], lanes scale, lanes low, int found[LANES])
{
    lanes sum = {0}, squares = {0}, products = {0};
    for (size_t i = 0; i < RUN; i++)
        for (size_t k = 0; k < LANES; k++) {
            float part = r->weight[i][k] * (float)code[i][k];
            sum[k] += part;
            squares[k] += part * (float)code[i][k];
            products[k] += part * r->x[i][k];
        }
    for (size_t k = 0; k < LANES; k++) {
        float determinant = r->sum_weight[k] * squares[k] - sum[k] * sum[k];
        scale[k] = (r->sum_weight[k] * products[k] - r->sum_x[k] * sum[k]) / determinant;
        low[k] = (squares[k] * r->sum_x[k] - sum[k] * products[k]) / determinant;
        bool above = low[k] > 0;
        scale[k] = above ? products[k] / squares[k] : scale[k];
        low[k] = above ? 0 : low[k];
        found[k] = determinant > 0;
    }
}

/* Step sizes that divide the range into `most` + first, first + 0.1, ... steps are tried. */
static void fit_ranges(ranges *r, int most, float first, int tries, fitted *fit)
{
    lanes inverse, error, trial_error, scale, low;
    uint8_t trial[RUN][LANES];
    int better[LANES], flat[LANES];
    for (size_t k = 0; k < LANES; k++) {
        flat[k] = r->high[k] == r->low[k];
        fit->minimum[k] = r->low[k]; /* negated at the end */
        inverse[k] = (float)most / (r->high[k] - r->low[k]);
        fit->scale[k] = 1 / inverse[k];
    }
    code_ranges(r, inverse, fit->minimum, most, fit->code);
    range_errors(r, fit->code, fit->scale, fit->minimum, error);
    for (int i = 0; i < tries; i++) {
        for (size_t k = 0; k < LANES; k++)
            inverse[k] = (first + 0.1f * (float)i + (float)most) / (r->high[k] - fit->minimum[k]);
        code_ranges(r, inverse, fit->minimum, most, trial);
        refine_ranges(r, trial, scale, low, better);
        range_errors(r, trial, scale, low, trial_error);
        for (size_t k = 0; k < LANES; k++) {
            better[k] = better[k] != 0 && trial_error[k] < error[k];
            error[k] = better[k] != 0 ? trial_error[k] : error[k];
            fit->scale[k] = better[k] != 0 ? scale[k] : fit->scale[k];
            fit->minimum[k] = better[k] != 0 ? low[k] : fit->minimum[k];
        }
        take_codes(fit, better, trial, RUN);
    }
    for (size_t k = 0; k < LANES; k++) {
        fit->minimum[k] = -(flat[k] != 0 ? r->low[k] : fit->minimum[k]);
        fit->scale[k] = flat[k] != 0 ? 0 : fit->scale[k];
        for (size_t i = 0; flat[k] != 0 && i < RUN; i++)
            fit->code[i][k] = 0;
    }
}

/* Eight numbers in 6 bits each, as parts of the largest; returns the unit as an f16. */
static uint16_t share_unit(const lanes number, uint8_t code[LANES])
{
    float largest = 0;
    for (size_t k = 0; k < LANES; k++)
        largest = number[k] > largest ? number[k] : largest;
    float inverse = largest > 0 ? 63 / largest : 0;
    for (size_t k = 0; k < LANES; k++) {
        uint8_t low_bits = (uint8_t)nearest(inverse * number[k]); /* a negative number becomes the largest */
        code[k] = low_bits < 63 ? low_bits : 63;
    }
    return bipe_float_to_half(largest / 63);
}

/* d, dmin, scales and minima, as read_scales() of blocks_k.c has them; and codes that suit them, a row per part. */
static void write_ranges(const float *from, int most, float first, int tries, uint8_t *head, uint8_t (*code)[RUN])
{
    ranges r;
    fitted fit;
    uint8_t scale[LANES], minimum[LANES], *packed = head + 4;
    transpose(from, RUN, r.x);
    measure_ranges(&r);
    fit_ranges(&r, most, first, tries, &fit);
    bipe_store16(head, share_unit(fit.scale, scale));
    bipe_store16(head + 2, share_unit(fit.minimum, minimum));
    for (size_t k = 0; k < 4; k++) {
        packed[k] = (uint8_t)(scale[k] | scale[4 + k] >> 4 << 6);
        packed[4 + k] = (uint8_t)(minimum[k] | minimum[4 + k] >> 4 << 6);
        packed[8 + k] = (uint8_t)((scale[4 + k] & 15) | (minimum[4 + k] & 15) << 4);
    }
    for (size_t k = 0; k < LANES; k++) {
        float d = bipe_half_at(head) * (float)scale[k], offset = bipe_half_at(head + 2) * (float)minimum[k];
        for (size_t i = 0; i < RUN; i++)
            code[k][i] = d == 0 ? fit.code[i][k] : (uint8_t)nearest_within((from[k * RUN + i] + offset) / d, 0, most);
    }
}

static void q4_k(const float *from, uint8_t *block)
{
    uint8_t code[LANES][RUN];
    write_ranges(from, 15, -1.0f, 21, block, code);
    for (size_t i = 0; i < VALUES / 2; i++)
        block[16 + i] = (uint8_t)(code[i / RUN * 2][i % RUN] | code[i / RUN * 2 + 1][i % RUN] << 4);
}
BIPE_BLOCK_WRITER(q4_k, VALUES, 144, 0)

static void q5_k(const float *from, uint8_t *block)
{
    uint8_t code[LANES][RUN];
    write_ranges(from, 31, -0.5f, 16, block, code);
    for (size_t i = 0; i < VALUES / 2; i++)
        block[48 + i] = (uint8_t)((code[i / RUN * 2][i % RUN] & 15) | (code[i / RUN * 2 + 1][i % RUN] & 15) << 4);
    for (size_t i = 0; i < RUN; i++) {
        unsigned fifth = 0;
        for (size_t k = 0; k < LANES; k++)
            fifth |= (unsigned)(code[k][i] >> 4) << k;
        block[16 + i] = (uint8_t)fifth;
    }
}
BIPE_BLOCK_WRITER(q5_k, VALUES, 176, 0)

/* ---- without: Q6_K ---- */

enum { BIAS = 32 }; /* of a code: 0 to 63 stand for -32 to 31 */

/* Codes for the step sizes 1 / `inverse`, and the sums of least squares, each value being its own weight squared. */
static void code_signed(const lanes *x, const lanes inverse, uint8_t (*code)[LANES], lanes products, lanes squares)
{
    for (size_t k = 0; k < LANES; k++)
        products[k] = squares[k] = 0;
    for (size_t i = 0; i < PART; i++)
        for (size_t k = 0; k < LANES; k++) {
            int integer = nearest_within(inverse[k] * x[i][k], -BIAS, BIAS - 1);
            float weight = x[i][k] * x[i][k];
            products[k] += weight * x[i][k] * (float)integer;
            squares[k] += weight * (float)integer * (float)integer;
            code[i][k] = (uint8_t)(integer + BIAS);
        }
}

/* Below it, a part or a block is nothing but zeros. */
#define NOTHING 1e-15f

/* Step sizes that give the largest magnitude the codes -32, -31.1, ..., -32.9 are tried. */
static void fit_signed(const lanes *x, fitted *fit)
{
    lanes largest = {0}, magnitude = {0}, inverse, products, squares, best;
    uint8_t trial[PART][LANES];
    int better[LANES];
    for (size_t i = 0; i < PART; i++)
        for (size_t k = 0; k < LANES; k++) {
            bool more = fabsf(x[i][k]) > magnitude[k];
            largest[k] = more ? x[i][k] : largest[k];
            magnitude[k] = more ? fabsf(x[i][k]) : magnitude[k];
        }
    for (size_t k = 0; k < LANES; k++)
        inverse[k] = -(float)BIAS / largest[k];
    code_signed(x, inverse, fit->code, products, squares);
    for (size_t k = 0; k < LANES; k++) {
        fit->scale[k] = squares[k] != 0 ? products[k] / squares[k] : 0;
        best[k] = fit->scale[k] * products[k];
    }
    for (int i = -9; i <= 9; i++) {
        if (i == 0)
            continue;
        for (size_t k = 0; k < LANES; k++)
            inverse[k] = -((float)BIAS + 0.1f * (float)i) / largest[k];
        code_signed(x, inverse, trial, products, squares);
        for (size_t k = 0; k < LANES; k++) {
            better[k] = squares[k] > 0 && products[k] * products[k] > best[k] * squares[k];
            float scale = products[k] / squares[k];
            fit->scale[k] = better[k] != 0 ? scale : fit->scale[k];
            best[k] = better[k] != 0 ? scale * products[k] : best[k];
        }
        take_codes(fit, better, trial, PART);
    }
    for (size_t k = 0; k < LANES; k++)
        if (magnitude[k] < NOTHING) {
            fit->scale[k] = 0;
            for (size_t i = 0; i < PART; i++)
                fit->code[i][k] = 0;
        }
}

/* `code` has the parts one after the other. */
static void pack_q6_k(const uint8_t code[VALUES], uint8_t *block)
{
    for (size_t i = 0; i < VALUES / 2; i++) { /* a low half has the run, a high half the run two later */
        const uint8_t *low = code + i / 64 * 128 + i % 64;
        block[i] = (uint8_t)((low[0] & 15) | (low[2 * RUN] & 15) << 4);
    }
    for (size_t i = 0; i < VALUES / 4; i++) {
        const uint8_t *first = code + i / RUN * 128 + i % RUN;
        block[128 + i] = (uint8_t)(first[0] >> 4 | first[RUN] >> 4 << 2 | first[2 * RUN] >> 4 << 4 |
                                   first[3 * RUN] >> 4 << 6);
    }
}

static void q6_k(const float *from, uint8_t *block)
{
    fitted half[2];
    lanes x[PART];
    uint8_t code[VALUES];
    float unit = 0; /* the scale of the largest magnitude */
    for (size_t h = 0; h < 2; h++) {
        transpose(from + h * LANES * PART, PART, x);
        fit_signed(x, &half[h]);
        for (size_t k = 0; k < LANES; k++)
            unit = fabsf(half[h].scale[k]) > fabsf(unit) ? half[h].scale[k] : unit;
    }
    if (fabsf(unit) < NOTHING) {
        memset(block, 0, 210);
        return;
    }
    float inverse = -128 / unit;
    bipe_store16(block + 208, bipe_float_to_half(1 / inverse));
    for (size_t part = 0; part < VALUES / PART; part++) {
        const fitted *fit = &half[part / LANES];
        int scale = nearest(inverse * fit->scale[part % LANES]);
        scale = scale < 127 ? scale : 127;
        block[192 + part] = (uint8_t)scale;
        float d = bipe_half_at(block + 208) * (float)(int8_t)block[192 + part];
        for (size_t i = 0; i < PART; i++)
            code[part * PART + i] =
                d == 0 ? fit->code[i][part % LANES]
                       : (uint8_t)(nearest_within(from[part * PART + i] / d, -BIAS, BIAS - 1) + BIAS);
    }
    pack_q6_k(code, block);
}
BIPE_BLOCK_WRITER(q6_k, VALUES, 210, 208)
