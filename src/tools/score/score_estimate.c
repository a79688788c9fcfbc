/* score_estimate.c - how sure the numbers of bipe-score are: errors of means and differences between combinations, by
 * file, by group and in all. The units of texts are measure/loss_units.h. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_rows.h"

/* ---- rows ---- */

void bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more)
{
    bipe_error err;
    bipe_losses_merge(&row->losses, &more->losses);
    bipe_tool_need_done(bipe_loss_bins_merge(&row->bins, &more->bins, &err));
    bipe_tool_need_done(bipe_loss_bins_merge(&row->units, &more->units, &err));
    for (size_t i = 0; i < BIPE_SCORE_SUBSETS; i++) {
        bipe_losses_merge(&row->subset[i].losses, &more->subset[i].losses);
        bipe_tool_need_done(bipe_loss_bins_merge(&row->subset[i].units, &more->subset[i].units, &err));
    }
    bipe_tool_need_done(bipe_score_divergence_merge(&row->divergence, &more->divergence, true, &err));
}

void bipe_score_row_free(bipe_score_row *row)
{
    bipe_loss_bins_free(&row->bins);
    bipe_loss_bins_free(&row->units);
    for (size_t i = 0; i < BIPE_SCORE_SUBSETS; i++)
        bipe_loss_bins_free(&row->subset[i].units);
    bipe_score_divergence_free(&row->divergence);
}

/* ---- files, groups, all ---- */

void bipe_score_pool_open(bipe_score_pool *pool, size_t combinations)
{
    *pool = (bipe_score_pool){ .combinations = combinations };
    pool->row = bipe_tool_alloc(2 * combinations, sizeof *pool->row);
    pool->mean = bipe_tool_alloc(combinations, sizeof *pool->mean);
    pool->cells = pool->row + combinations;
}

void bipe_score_pool_close(bipe_score_pool *pool)
{
    for (size_t i = 0; i < 2 * pool->combinations; i++)
        bipe_score_row_free(&pool->row[i]);
    bipe_free(pool->row);
    bipe_free(pool->group);
    bipe_free(pool->cluster);
    bipe_free(pool->mean);
    bipe_loss_units_free(&pool->layout);
    *pool = (bipe_score_pool){0};
}

/* Here and below the only failure is exhausted memory: *err remembers it. */
static void pool_file(bipe_score_pool *pool, const bipe_score_row *row, const bipe_loss_units *layout, bipe_error *err)
{
    size_t before = pool->row[0].units.count;
    bool cells = before < BIPE_LOSS_DOCUMENTS && layout->bundle == 0;
    for (size_t c = 0; c < pool->combinations; c++) {
        bipe_score_row *all = &pool->row[c], *other = &pool->cells[c];
        all->combination = c;
        all->length = row[c].length > 0 ? row[c].length : all->length;
        bipe_losses_merge(&all->losses, &row[c].losses);
        bipe_loss_bins_merge(&all->bins, &row[c].bins, err);
        bipe_loss_units_pool(&all->units, cells ? &other->units : NULL, &row[c].units, layout, err);
        for (size_t i = 0; i < BIPE_SCORE_SUBSETS; i++) {
            const bipe_score_subset *more = &row[c].subset[i];
            bipe_losses_merge(&all->subset[i].losses, &more->losses);
            if (more->units.count > 0)
                bipe_loss_units_pool(&all->subset[i].units, cells ? &other->subset[i].units : NULL, &more->units,
                                     layout, err);
        }
        if (row[c].divergence.groups > 0) {
            bipe_score_divergence_merge(&all->divergence, &row[c].divergence, false, err);
            bipe_loss_units_pool(&all->divergence.units, cells ? &other->divergence.units : NULL,
                                 &row[c].divergence.units, layout, err);
        }
    }
    if (cells)
        bipe_loss_units_append(&pool->layout, &pool->layout_capacity, layout, err);
    size_t after = pool->row[0].units.count;
    if (layout->group != NULL) {
        bipe_tool_grow(&pool->group, &pool->group_capacity, after, sizeof *pool->group);
        memcpy(pool->group + before, layout->group, (after - before) * sizeof *pool->group);
    }
    if (layout->cluster != NULL) {
        bipe_tool_grow(&pool->cluster, &pool->cluster_capacity, after, sizeof *pool->cluster);
        memcpy(pool->cluster + before, layout->cluster, (after - before) * sizeof *pool->cluster);
    }
}

/* ---- comparisons ---- */

void bipe_score_findings_free(bipe_score_findings *findings)
{
    for (size_t i = 0; i < findings->rows; i++)
        bipe_score_row_free(&findings->row[i]);
    bipe_free(findings->row);
    bipe_free(findings->comparison);
    *findings = (bipe_score_findings){0};
}

static void add_row(bipe_score_findings *findings, const bipe_score_row *row)
{
    bipe_tool_grow(&findings->row, &findings->row_capacity, findings->rows + 1, sizeof *findings->row);
    findings->row[findings->rows++] = *row;
}

static void add_comparison(bipe_score_findings *findings, const bipe_score_comparison *comparison)
{
    bipe_tool_grow(&findings->comparison, &findings->comparison_capacity, findings->comparisons + 1,
                   sizeof *findings->comparison);
    findings->comparison[findings->comparisons++] = *comparison;
}

/* Adds one more file, or group, to what is averaged over them. */
static void add_mean(bipe_estimate *sum, const bipe_estimate *one)
{
    sum->value += one->value;
    sum->error += one->error * one->error;
    sum->units++;
}

static bipe_estimate mean_of(const bipe_estimate *sum)
{
    double n = (double)sum->units, value = sum->value / n, error = sqrt(sum->error) / n;
    if (sum->units == 0)
        value = error = (double)NAN;
    return (bipe_estimate){.value = value, .error = error, .low = value - 1.959964 * error,
                           .high = value + 1.959964 * error, .p = erfc(fabs(value / error) / sqrt(2)),
                           .units = sum->units};
}

static const bipe_estimate none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

/* Of models with the same tokenizer. Returns the tokens of units that both have scored. */
static uint64_t compare_nats(const bipe_score_setup *setup, const bipe_loss_bins *a, const bipe_loss_bins *b,
                             const bipe_loss_units *layout, bipe_loss_error *nats, bipe_error *err)
{
    uint64_t tokens = 0;
    for (size_t i = 0; i < a->count && i < b->count; i++)
        tokens += a->bin[i].tokens > 0 ? b->bin[i].tokens : 0;
    if (tokens > 0)
        bipe_loss_estimate(nats, a, b, layout, false, setup->seed, err);
    return tokens;
}

/* Compares a row with that of the first combination, by units that both have scored. */
static void compare_row(const bipe_score_setup *setup, const bipe_score_row *first, const bipe_score_row *row,
                        const bipe_loss_units *layout, bipe_score_comparison *c, bipe_error *err)
{
    const bipe_loss_bins *a = &first->units, *b = &row->units;
    bool same = setup->combination[0].text == setup->combination[row->combination].text;
    *c = (bipe_score_comparison){.file = row->file, .group = row->group, .length = row->length, .b = row->combination,
                                 .nats.estimate = none, .key.estimate = none};
    if (same)
        c->tokens = compare_nats(setup, a, b, layout, &c->nats, err);
    if (same)
        c->key_tokens = compare_nats(setup, &first->subset[BIPE_SCORE_KEY].units, &row->subset[BIPE_SCORE_KEY].units,
                                     layout, &c->key, err);
    bipe_loss_estimate(&c->bits, a, b, layout, true, setup->seed, err);
}

/* Rows of a file, a group or all: their errors and comparisons. Those of files and groups count for the means of the
 * pool. */
static void compare_rows(const bipe_score_setup *setup, bipe_score_row *row, const bipe_loss_units *layout,
                         bipe_score_pool *pool, bipe_score_findings *findings, bipe_error *err)
{
    for (size_t b = 0; b < setup->combinations; b++) {
        bipe_score_comparison c, *mean = &pool->mean[b];
        if (row[b].length == 0)
            continue;
        bipe_loss_estimate(&row[b].error, NULL, &row[b].units, layout, false, setup->seed, err);
        for (bipe_score_subset *s = row[b].subset; s < row[b].subset + BIPE_SCORE_SUBSETS; s++)
            if (s->losses.tokens > 0)
                bipe_loss_estimate(&s->error, NULL, &s->units, layout, false, setup->seed, err);
        if (row[b].divergence.groups > 0)
            bipe_loss_estimate(&row[b].divergence.error, NULL, &row[b].divergence.units, layout, false, setup->seed,
                               err);
        if (row == pool->row)
            row[b].macro = mean_of(&row[b].macro);
        else
            add_mean(&pool->row[b].macro, &row[b].error.estimate);
        if (b == 0 || row[0].length == 0)
            continue;
        compare_row(setup, &row[0], &row[b], layout, &c, err);
        add_comparison(findings, &c);
        if (row != pool->row && c.tokens > 0)
            add_mean(&mean->nats.estimate, &c.nats.estimate);
        if (row != pool->row) {
            add_mean(&mean->bits.estimate, &c.bits.estimate);
        } else if (mean->bits.estimate.units > 1) {
            c = (bipe_score_comparison){.macro = true, .length = c.length, .b = b, .tokens = c.tokens,
                                        .key.estimate = none,
                                        .nats.estimate = mean_of(&mean->nats.estimate),
                                        .bits.estimate = mean_of(&mean->bits.estimate)};
            add_comparison(findings, &c);
        }
    }
}

void bipe_score_compare_file(const bipe_score_setup *setup, bipe_score_row *row, const bipe_loss_units *layout,
                             bipe_score_pool *pool, bipe_score_findings *findings)
{
    bipe_error err = {0};
    compare_rows(setup, row, layout, pool, findings, &err);
    pool_file(pool, row, layout, &err);
    bipe_tool_need_done((int)err.status);
}

static void add_bin(bipe_losses *losses, const bipe_loss_bin *bin)
{
    losses->tokens += bin->tokens;
    losses->bytes += bin->bytes;
    losses->sum = bipe_exact_add(losses->sum, bin->sum);
}

/* Rows and comparisons of one group; documents, or their clusters, are the units. row: (combinations) */
static void compare_group(const bipe_score_setup *setup, bipe_score_pool *pool, bipe_score_row *row, const char *name,
                          size_t number, bipe_score_findings *findings, bipe_error *err)
{
    size_t documents = pool->row[0].units.count, members = 0;
    bipe_loss_units layout = {.cluster = setup->cluster != NULL ? bipe_tool_alloc(documents, sizeof *layout.cluster)
                                                                : NULL};
    for (size_t i = 0; i < documents && layout.cluster != NULL; i++)
        if (pool->group[i] == number)
            layout.cluster[members++] = pool->cluster[i];
    for (size_t c = 0; c < setup->combinations; c++) {
        const bipe_loss_bins *all = &pool->row[c].units;
        const bipe_loss_bins *key = &pool->row[c].subset[BIPE_SCORE_KEY].units;
        const bipe_score_divergence *divergence = &pool->row[c].divergence;
        bipe_losses *losses = &row[c].losses;
        row[c] = (bipe_score_row){ .combination = c, .group = name };
        for (size_t i = 0; i < all->count; i++) {
            if (pool->group[i] != number)
                continue;
            bipe_loss_bins_append(&row[c].units, &all->bin[i], err);
            if (i < divergence->units.count)
                bipe_loss_bins_append(&row[c].divergence.units, &divergence->units.bin[i], err);
            add_bin(losses, &all->bin[i]);
            if (i < key->count) {
                bipe_loss_bins_append(&row[c].subset[BIPE_SCORE_KEY].units, &key->bin[i], err);
                add_bin(&row[c].subset[BIPE_SCORE_KEY].losses, &key->bin[i]);
            }
        }
        row[c].length = losses->tokens > 0 ? pool->row[c].length : 0;
        if (number < divergence->groups)
            bipe_score_divergence_merge(
                &row[c].divergence, &(bipe_score_divergence){.group = &divergence->group[number], .groups = 1}, false,
                err);
    }
    compare_rows(setup, row, &layout, pool, findings, err);
    bipe_loss_units_free(&layout);
    for (size_t c = 0; c < setup->combinations; c++) {
        bipe_loss_bins_free(&row[c].units);
        bipe_loss_bins_free(&row[c].subset[BIPE_SCORE_KEY].units);
        if (row[c].length > 0)
            add_row(findings, &row[c]);
        else
            bipe_score_divergence_free(&row[c].divergence);
    }
}

void bipe_score_compare_all(const bipe_score_setup *setup, bipe_score_pool *pool, const bipe_group_names *groups,
                            bipe_score_findings *findings)
{
    size_t combinations = setup->combinations;
    bool documents = pool->row[0].units.count >= BIPE_LOSS_DOCUMENTS || setup->cluster != NULL;
    const bipe_loss_units whole = {.cluster = pool->cluster}; /* documents */
    bipe_score_row *group = bipe_tool_alloc(combinations, sizeof *group);
    bipe_error err = {0};
    for (size_t c = 0; c < combinations && groups->count > 0; c++) { /* the mean is that of groups, then */
        pool->row[c].macro = (bipe_estimate){0};
        pool->mean[c] = (bipe_score_comparison){0};
    }
    for (size_t g = bipe_group_after(groups, NULL); g < groups->count; g = bipe_group_after(groups, groups->name[g]))
        compare_group(setup, pool, group, groups->name[g], g, findings, &err);
    bipe_free(group);
    for (size_t c = 0; c < combinations && !documents; c++) {
        bipe_score_row by_document = pool->row[c], *row = &pool->row[c], *cells = &pool->cells[c];
        row->units = cells->units;
        row->divergence.units = cells->divergence.units;
        cells->units = by_document.units;
        cells->divergence.units = by_document.divergence.units;
        for (size_t i = 0; i < BIPE_SCORE_SUBSETS; i++) {
            row->subset[i].units = cells->subset[i].units;
            cells->subset[i].units = by_document.subset[i].units;
        }
    }
    compare_rows(setup, pool->row, documents ? &whole : &pool->layout, pool, findings, &err);
    bipe_tool_need_done((int)err.status);
    for (size_t c = 0; c < combinations; c++) {
        if (pool->row[c].length == 0)
            continue;
        add_row(findings, &pool->row[c]);
        pool->row[c] = (bipe_score_row){0}; /* the findings own its bins now */
    }
}

/* Comparisons of one kind are corrected together. */
static int kind_of(const bipe_score_comparison *c)
{
    return c->macro ? 3 : c->group != NULL ? 2 : c->file != NULL ? 1 : 0;
}

static void correct_kind(bipe_score_findings *findings, int kind, bool key, double *p)
{
    size_t count = findings->comparisons;
    bipe_error err;
    for (size_t i = 0; i < count; i++) {
        const bipe_score_comparison *c = &findings->comparison[i];
        const bipe_estimate *difference = key ? &c->key.estimate : bipe_score_difference(c);
        p[i] = kind_of(c) == kind ? difference->p : (double)NAN;
    }
    bipe_tool_need_done(bipe_correct_holm(p, count, &err));
    for (size_t i = 0; i < count; i++) {
        bipe_score_comparison *c = &findings->comparison[i];
        if (kind_of(c) == kind)
            *(key ? &c->key_holm : &c->p_holm) = p[i];
    }
}

void bipe_score_correct(bipe_score_findings *findings)
{
    double *p = bipe_tool_alloc(findings->comparisons, sizeof *p);
    for (int kind = 0; kind <= 3; kind++) {
        correct_kind(findings, kind, false, p);
        correct_kind(findings, kind, true, p);
    }
    bipe_free(p);
}
