/* scale.c - see scale.h. */
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_tick(bipe_scale *scale, double value)
{
    double at = bipe_scale_at(scale, value);
    if (scale->ticks < BIPE_SCALE_TICKS && at >= -1e-9 && at <= 1 + 1e-9)
        scale->tick[scale->ticks++] = value;
}

/* The smallest of 1, 2 and 5 times a power of ten that is at least `value`. */
static double round_step(double value)
{
    double ten = pow(10, floor(log10(value)));
    return ten >= value * (1 - 1e-12) ? ten : 2 * ten >= value ? 2 * ten : 5 * ten >= value ? 5 * ten : 10 * ten;
}

static void open_linear(bipe_scale *scale, int wanted, bool tight)
{
    double span = scale->high - scale->low, least = 1e-9 * fmax(fabs(scale->low), fabs(scale->high));
    if (!(span > least)) { /* one value, as far as its digits show */
        double around = scale->low == 0 ? 0.5 : fabs(scale->low) * 0.05;
        scale->low -= around;
        scale->high += around;
        span = scale->high - scale->low;
    }
    double step = round_step(scale->kind == BIPE_SCALE_WHOLE ? fmax(span / wanted, 1) : span / wanted),
           first = floor(scale->low / step + 1e-9) * step;
    if (!tight) {
        scale->low = first;
        scale->high = ceil(scale->high / step - 1e-9) * step;
    }
    for (int i = 0; i < BIPE_SCALE_TICKS; i++) {
        double value = first + i * step;
        add_tick(scale, fabs(value) < step * 1e-6 ? 0 : value);
    }
    double digits = -floor(log10(step));
    scale->decimals = digits > 0 ? (int)fmin(digits, 9) : 0;
}

static void open_log(bipe_scale *scale, int wanted)
{
    static const double steps[] = {1, 2, 5};
    bool length = scale->kind == BIPE_SCALE_LENGTH, single = scale->high <= scale->low * 1.0001;
    double ratio = length ? (single ? 2 : 1.2) : single ? 3 : 1.08, base = length ? 2 : 10;
    scale->low /= ratio;
    scale->high *= ratio;
    double powers = (log(scale->high) - log(scale->low)) / log(base), each = fmax(ceil(powers / wanted), 1);
    if (!length && powers < 1) { /* as a linear axis would have them */
        bipe_scale linear = *scale;
        linear.kind = BIPE_SCALE_LINEAR;
        open_linear(&linear, wanted * 2, true);
        *scale = linear;
        scale->kind = BIPE_SCALE_LOG;
        return;
    }
    size_t factors = !length && powers * 3 <= wanted + 3 ? 3 : 1;
    double last = floor(log(scale->high) / log(base)),
           phase = length ? fmod(last, each) : 0; /* the longest has a tick */
    for (double e = (floor(log(scale->low) / log(base) / each) - 1) * each + phase; pow(base, e) <= scale->high * 1.001;
         e += each)
        for (size_t i = 0; i < factors; i++)
            add_tick(scale, pow(base, e) * steps[i]);
}

void bipe_scale_open(bipe_scale *scale, bipe_scale_kind kind, double low, double high, int wanted, bool tight)
{
    *scale = (bipe_scale){.kind = kind, .low = low, .high = high, .decimals = -1};
    wanted = wanted < 2 ? 2 : wanted > BIPE_SCALE_TICKS - 4 ? BIPE_SCALE_TICKS - 4 : wanted;
    if (kind == BIPE_SCALE_LINEAR || kind == BIPE_SCALE_WHOLE)
        open_linear(scale, wanted, tight);
    else
        open_log(scale, wanted);
}

double bipe_scale_at(const bipe_scale *scale, double value)
{
    size_t cell = 0;
    while (scale->kind == BIPE_SCALE_CELLS && cell + 1 < scale->ticks && scale->tick[cell] < value)
        cell++;
    if (scale->kind == BIPE_SCALE_CELLS)
        return ((double)cell + 0.5) / (double)scale->ticks;
    if (scale->kind == BIPE_SCALE_LINEAR || scale->kind == BIPE_SCALE_WHOLE)
        return (value - scale->low) / (scale->high - scale->low);
    return (log(value) - log(scale->low)) / (log(scale->high) - log(scale->low));
}

const char *bipe_scale_length(double length, char label[BIPE_SCALE_LABEL])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1048576, "m"}, {1024, "k"}};
    for (size_t i = 0; i < 2; i++)
        if (length >= units[i].unit && length < 1e15 && fmod(length * 2, units[i].unit) == 0) {
            snprintf(label, BIPE_SCALE_LABEL, "%.10g%s", length / units[i].unit, units[i].name);
            return label;
        }
    snprintf(label, BIPE_SCALE_LABEL, "%.6g", length);
    return label;
}

const char *bipe_scale_label(const bipe_scale *scale, size_t tick, char label[BIPE_SCALE_LABEL])
{
    double value = scale->tick[tick];
    if (scale->kind == BIPE_SCALE_LENGTH || scale->kind == BIPE_SCALE_CELLS)
        return bipe_scale_length(value, label);
    bool fixed = scale->decimals >= 0 && scale->decimals < 7 && fabs(value) < 1e6;
    snprintf(label, BIPE_SCALE_LABEL, fixed ? "%.*f" : "%.*g", fixed ? scale->decimals : 6, value);
    return label;
}
