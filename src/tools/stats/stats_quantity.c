/* stats_quantity.c - the list of quantities, and their values. */
#include "tools/stats/bipe_stats.h"

#include <math.h>

enum { SHORT = 50 }; /* tokens */

#define LEXICAL(name) {STATS_OF_WORDS, name, 0}, {STATS_OF_WORDS, name "_low", 0}, {STATS_OF_WORDS, name "_high", 0}

const stats_quantity stats_quantities[STATS_QUANTITIES] = {
    {NULL, "windows", 0}, {NULL, "segments", 0}, {NULL, "tokens", 0},
    {STATS_OF_TOKENS, "mean", 0}, {STATS_OF_TOKENS, "sd", 0}, {STATS_OF_TOKENS, "min", 0}, {STATS_OF_TOKENS, "p50", 50},
    {STATS_OF_TOKENS, "p90", 90}, {STATS_OF_TOKENS, "p95", 95}, {STATS_OF_TOKENS, "p99", 99}, {STATS_OF_TOKENS, "max", 100},
    {STATS_OF_TOKENS, "below_50", 0},
    {STATS_OF_SEGMENTS, "mean", 0}, {STATS_OF_SEGMENTS, "sd", 0}, {STATS_OF_SEGMENTS, "min", 0}, {STATS_OF_SEGMENTS, "p5", 5},
    {STATS_OF_SEGMENTS, "p50", 50}, {STATS_OF_SEGMENTS, "p95", 95}, {STATS_OF_SEGMENTS, "max", 100},
    {NULL, "ks", 0}, {NULL, "js", 0}, {NULL, "wasserstein", 0},
    {NULL, "mean_low", 0}, {NULL, "mean_high", 0}, {NULL, "first_ks", 0}, {NULL, "first_js", 0}, {NULL, "first_wasserstein", 0},
    {NULL, "first_p", 0},
    LEXICAL("words"), LEXICAL("types"), LEXICAL("hapaxes"), LEXICAL("ttr"), LEXICAL("mtld"), LEXICAL("hdd"),
    LEXICAL("ari"), LEXICAL("coleman_liau"), LEXICAL("lix"), LEXICAL("rix"),
};

static stats_value whole_value(uint64_t count)
{
    return (stats_value){.whole = true, .count = count, .real = (double)count};
}

static stats_value real_value(double real)
{
    return (stats_value){.real = real};
}

static stats_value value_of_distribution(const bipe_distribution *d, stats_quantity_id id)
{
    if (id == STATS_MEAN || id == STATS_WINDOW_MEAN)
        return real_value(bipe_distribution_mean(d));
    if (id == STATS_SD || id == STATS_WINDOW_SD)
        return real_value(bipe_distribution_sd(d));
    if (d->total == 0)
        return real_value((double)NAN);
    if (id == STATS_BELOW)
        return real_value((double)bipe_distribution_below(d, SHORT) / (double)d->total);
    return whole_value(bipe_distribution_quantile(d, stats_quantities[id].percent));
}

static stats_value value_of_words(const bipe_estimate *lexical, size_t id)
{
    if (lexical == NULL)
        return real_value((double)NAN);
    const bipe_estimate *e = &lexical[id / 3];
    return real_value(id % 3 == 0 ? e->value : id % 3 == 1 ? e->low : e->high);
}

stats_value stats_quantity_value(const stats_line *line, stats_quantity_id id)
{
    static const stats_contrast no_contrast = {.ks = (double)NAN, .js = (double)NAN, .wasserstein = (double)NAN, .difference = {.p = (double)NAN}};
    const stats_contrast *c = line->contrast != NULL ? line->contrast : &no_contrast;
    bool whole = line->length == BIPE_TALLY_DOCUMENT; /* only these have intervals */
    if (id >= STATS_MEAN && id <= STATS_BELOW)
        return value_of_distribution(&line->tokens, id);
    if (id >= STATS_WINDOW_MEAN && id <= STATS_WINDOW_MAX)
        return value_of_distribution(&line->segments, id);
    if (id >= STATS_LEXICAL)
        return value_of_words(line->lexical, id - STATS_LEXICAL);
    switch (id) {
    case STATS_WINDOWS: return whole_value(line->segments.total);
    case STATS_SEGMENTS: return whole_value(line->tokens.total);
    case STATS_TOKENS: return whole_value(line->tokens.sum < UINT64_MAX ? (uint64_t)line->tokens.sum : UINT64_MAX);
    case STATS_KS: return real_value(line->ks);
    case STATS_JS: return real_value(line->js);
    case STATS_WASSERSTEIN: return real_value(line->wasserstein);
    case STATS_MEAN_LOW: return real_value(whole ? line->first->mean.low : (double)NAN);
    case STATS_MEAN_HIGH: return real_value(whole ? line->first->mean.high : (double)NAN);
    case STATS_FIRST_KS: return real_value(c->ks);
    case STATS_FIRST_JS: return real_value(c->js);
    case STATS_FIRST_WASSERSTEIN: return real_value(c->wasserstein);
    default: return real_value(c->difference.p);
    }
}
