/* stats_chart.c - chooses bins for a distribution of lengths, and draws them.
 *
 * Few different values get a bar each. Otherwise bins are of one round width up to the 99th percentile and the rest is
 * the last bar; where that would put half of everything into the first bar, bins double instead: 1, 2-3, 4-7 ... */
#include "tools/stats/bipe_stats.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BINS = 66, FEW = 10, BARS = 10, LABEL_SIZE = 2 * BIPE_CELL_WIDEST };

typedef struct bin {
    uint64_t from, to; /* values from <= v <= to */
    uint64_t count;
} bin;

/* The smallest of 1, 2, 5, 10, 20, 50 ... that is at least `value`. */
static uint64_t round_width(uint64_t value)
{
    for (uint64_t ten = 1;; ten *= 10) {
        static const uint64_t steps[] = {1, 2, 5};
        for (size_t i = 0; i < 3; i++)
            if (ten * steps[i] >= value || ten > UINT64_MAX / 100)
                return ten * steps[i];
    }
}

/* Makes the bins, without counts. Their number. */
static size_t choose_bins(const bipe_distribution *d, bin bins[MOST_BINS])
{
    uint64_t last = d->counts[d->size - 1].value;
    size_t n = 0;
    if (d->size <= FEW) {
        for (; n < d->size; n++)
            bins[n] = (bin){.from = d->counts[n].value, .to = d->counts[n].value};
        return n;
    }
    uint64_t most = bipe_distribution_quantile(d, 99), median = bipe_distribution_quantile(d, 50);
    uint64_t width = round_width(most / BARS + (most % BARS != 0));
    if (median <= width) {
        for (uint64_t from = 1; n < MOST_BINS && from <= last && from != 0; from *= 2)
            bins[n++] = (bin){.from = from, .to = from + (from - 1)};
    } else {
        for (uint64_t from = 1; n < MOST_BINS && from <= most; from += width)
            bins[n++] = (bin){.from = from, .to = from + (width - 1)};
        if (last > bins[n - 1].to)
            bins[n] = (bin){.from = bins[n - 1].to + 1, .to = UINT64_MAX}, n++;
    }
    return n;
}

static void count_bins(const bipe_distribution *d, bin *bins, size_t n)
{
    size_t b = 0;
    for (size_t i = 0; i < d->size; i++) {
        while (b + 1 < n && d->counts[i].value > bins[b].to)
            b++;
        bins[b].count += d->counts[i].count;
    }
}

static void label_bin(const bin *b, char label[LABEL_SIZE])
{
    char from[BIPE_CELL_WIDEST], to[BIPE_CELL_WIDEST];
    bipe_cell_count(from, b->from);
    bipe_cell_count(to, b->to);
    if (b->from == b->to)
        snprintf(label, LABEL_SIZE, "%s", from);
    else if (b->to == UINT64_MAX)
        snprintf(label, LABEL_SIZE, "%s+", from);
    else
        snprintf(label, LABEL_SIZE, "%s-%s", from, to);
}

/* A bar over `share` of the columns, in eighths of one with block characters, padded to all of them. */
static void draw_bar(bipe_output *output, double share, size_t columns, bipe_look look)
{
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = (size_t)(share * (double)columns * 8 + 0.5), full = eighths / 8, used = full;
    if (!look.utf8)
        full = used = (eighths + 4) / 8;
    if (look.colour)
        bipe_output_printf(output, NULL, "\033[36m");
    for (size_t i = 0; i < full; i++)
        bipe_output_printf(output, NULL, "%s", look.utf8 ? "█" : "#");
    if (look.utf8 && eighths % 8 != 0) {
        bipe_output_printf(output, NULL, "%s", part[eighths % 8]);
        used++;
    }
    if (look.colour)
        bipe_output_printf(output, NULL, "\033[0m");
    bipe_output_printf(output, NULL, "%*s", (int)(columns - used), "");
}

void stats_chart_write(const bipe_distribution *d, bipe_look look, bipe_output *output)
{
    bin bins[MOST_BINS] = {{0}};
    size_t n = choose_bins(d, bins), label_width = 0;
    count_bins(d, bins, n);
    uint64_t most = 0, p50 = bipe_distribution_quantile(d, 50), p95 = bipe_distribution_quantile(d, 95);
    char label[LABEL_SIZE];
    for (size_t i = 0; i < n; i++) {
        label_bin(&bins[i], label);
        label_width = strlen(label) > label_width ? strlen(label) : label_width;
        most = bins[i].count > most ? bins[i].count : most;
    }
    /* "  LABEL  BAR  12.3%  p50 p95" */
    size_t fixed = 2 + label_width + 2 + 2 + 6 + 2 + 7, columns = look.width > fixed + 8 ? look.width - fixed : 8;
    if (columns > 50)
        columns = 50;
    for (size_t i = 0; i < n; i++) {
        label_bin(&bins[i], label);
        bipe_output_printf(output, NULL, "  %*s  ", (int)label_width, label);
        draw_bar(output, (double)bins[i].count / (double)most, columns, look);
        bool median = p50 >= bins[i].from && p50 <= bins[i].to, high = p95 >= bins[i].from && p95 <= bins[i].to;
        bipe_output_printf(output, NULL, "  %5.1f%%%s%s%s%s\n", 100.0 * (double)bins[i].count / (double)d->total,
                           median || high ? "  " : "", median ? "p50" : "", median && high ? " " : "",
                           high ? "p95" : "");
    }
}
