/* score_estimate.c - how sure the numbers of bipe-score are: the units of a text, errors of means, differences between combinations, by
 * file, by group and in all. The statistics themselves are measure/resample.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/score/bipe_score.h"

/* Units of a text are at most so many, unless each document has a group; cells are never smaller than some tokens. */
enum { UNITS_MOST = 1 << 16, CELLS_MOST = 1 << 12, CELL_SMALLEST = 16 };

int bipe_score_layout_make(bipe_score_layout *layout, const bipe_spool_document *document, size_t documents, bool one_each, bipe_error *err)
{
    uint64_t bytes = 0, units = 0;
    *layout = (bipe_score_layout){ .documents = documents };
    if (documents >= BIPE_SCORE_DOCUMENTS) {
        layout->bundle = one_each ? 1 : (documents + UNITS_MOST - 1) / UNITS_MOST;
    } else {
        for (size_t i = 0; i < documents; i++)
            bytes += document[i].bytes;
        for (layout->cell = CELL_SMALLEST; bytes / layout->cell >= CELLS_MOST;)
            layout->cell *= 2;
        layout->first = bipe_alloc(documents + 1, sizeof *layout->first);
        if (layout->first == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < documents; i++) {
            layout->first[i] = units;
            units += document[i].bytes / layout->cell + 1;
        }
        layout->first[documents] = units;
    }
    if (!one_each)
        return BIPE_OK;
    layout->group = bipe_alloc(documents, sizeof *layout->group);
    if (layout->group == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < documents; i++)
        layout->group[i] = document[i].group;
    return BIPE_OK;
}

void bipe_score_layout_free(bipe_score_layout *layout)
{
    bipe_free(layout->first);
    bipe_free(layout->group);
    *layout = (bipe_score_layout){0};
}

/* ---- rows ---- */

int bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more, bipe_error *err)
{
    bipe_losses_merge(&row->losses, &more->losses);
    bipe_losses_merge(&row->contrast, &more->contrast);
    int status = bipe_loss_bins_merge(&row->bins, &more->bins, err);
    if (status == BIPE_OK)
        status = bipe_loss_bins_merge(&row->units, &more->units, err);
    return status == BIPE_OK ? bipe_loss_bins_merge(&row->contrast_units, &more->contrast_units, err) : status;
}

void bipe_score_row_free(bipe_score_row *row)
{
    bipe_loss_bins_free(&row->bins);
    bipe_loss_bins_free(&row->units);
    bipe_loss_bins_free(&row->contrast_units);
}

/* ---- one number ---- */

static bipe_unit make_unit(const bipe_loss_bin *bin, bool bytes)
{
    double sum = bipe_exact_value(bin->sum, BIPE_LOSS_BITS);
    return bytes ? (bipe_unit){ sum / log(2.0), (double)bin->bytes } : (bipe_unit){ sum, (double)bin->tokens };
}

/* Units that both have scored, or those of b. end: how many there are up to the end of each text; NULL: they are documents. Returns how many. */
static size_t make_units(bipe_unit *of_a, bipe_unit *of_b, size_t *end, const bipe_loss_bins *a, const bipe_loss_bins *b,
                         const bipe_score_layout *layout, bool bytes, double *tokens)
{
    size_t count = 0, text = 0;
    *tokens = 0;
    for (size_t i = 0; i < b->count; i++) {
        for (; end != NULL && text < layout->documents && i >= layout->first[text + 1]; text++)
            end[text] = count;
        if (b->bin[i].tokens == 0 || (a != NULL && (i >= a->count || a->bin[i].tokens == 0)))
            continue;
        *tokens += (double)b->bin[i].tokens;
        if (a != NULL)
            of_a[count] = make_unit(&a->bin[i], bytes);
        of_b[count++] = make_unit(&b->bin[i], bytes);
    }
    for (; end != NULL && text < layout->documents; text++)
        end[text] = count;
    return count;
}

int bipe_score_estimate(bipe_score_error *error, const bipe_loss_bins *a, const bipe_loss_bins *b, const bipe_score_layout *layout, bool bytes,
                        uint64_t seed, bipe_error *err)
{
    bool cells = layout->first != NULL;
    bipe_unit *of_a = a == NULL ? NULL : bipe_alloc(b->count, sizeof *of_a), *of_b = bipe_alloc(b->count, sizeof *of_b);
    size_t *end = cells ? bipe_alloc(layout->documents, sizeof *end) : NULL, length = cells ? BIPE_UNITS_FEWEST : 1, least = 0, count = 0;
    double tokens = 0;
    *error = (bipe_score_error){ .blocks = cells };
    int status = of_b == NULL || (a != NULL && of_a == NULL) || (cells && end == NULL) ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK && !cells)
        count = make_units(of_a, of_b, NULL, a, b, layout, bytes, &tokens);
    /* Blocks of cells; texts of few blocks are taken together, which may lengthen the blocks. */
    while (status == BIPE_OK && cells && (least == 0 || (layout->documents > 1 && length * BIPE_UNITS_FEWEST > least))) {
        least = length * BIPE_UNITS_FEWEST;
        count = make_units(of_a, of_b, end, a, b, layout, bytes, &tokens);
        bipe_level_units(of_b, end, layout->documents, least);
        if (a != NULL)
            bipe_level_units(of_a, end, layout->documents, least);
        status = bipe_block_length(&length, of_a, of_b, count, err);
    }
    if (status == BIPE_OK) {
        if (a != NULL)
            bipe_join_units(of_a, count, length);
        count = bipe_join_units(of_b, count, length);
        error->block = count == 0 ? 0 : tokens / (double)count;
        status = a == NULL ? bipe_estimate_mean(&error->estimate, of_b, count, seed, err)
                           : bipe_estimate_difference(&error->estimate, of_a, of_b, count, seed, err);
    }
    bipe_free(of_a);
    bipe_free(of_b);
    bipe_free(end);
    return status;
}

const char *bipe_score_method(const bipe_score_error *error, char text[96])
{
    const char *few = error->estimate.units < BIPE_UNITS_FEWEST ? ", too few for an interval" : "";
    const char *s = error->estimate.units == 1 ? "" : "s";
    if (error->blocks)
        snprintf(text, 96, "bootstrap over %zu block%s of %.0f tokens%s", error->estimate.units, s, error->block, few);
    else
        snprintf(text, 96, "bootstrap over %zu document%s%s", error->estimate.units, s, few);
    return text;
}

/* ---- files, groups, all ---- */

int bipe_score_pool_open(bipe_score_pool *pool, size_t combinations, bipe_error *err)
{
    *pool = (bipe_score_pool){ .combinations = combinations };
    pool->row = bipe_alloc(2 * combinations, sizeof *pool->row);
    pool->mean = bipe_alloc(combinations, sizeof *pool->mean);
    if (pool->row == NULL || pool->mean == NULL)
        return bipe_fail_memory(err);
    pool->cells = pool->row + combinations;
    return BIPE_OK;
}

void bipe_score_pool_close(bipe_score_pool *pool)
{
    for (size_t i = 0; i < 2 * pool->combinations && pool->row != NULL; i++)
        bipe_score_row_free(&pool->row[i]);
    bipe_free(pool->row);
    bipe_free(pool->group);
    bipe_free(pool->mean);
    bipe_score_layout_free(&pool->layout);
    *pool = (bipe_score_pool){0};
}

/* Here and below the only failure is exhausted memory: *err remembers it, and nothing made after it is used. */
static void append_bin(bipe_loss_bins *to, const bipe_loss_bin *bin, bipe_error *err)
{
    if (bipe_grow(&to->bin, &to->capacity, to->count + 1, sizeof *to->bin) != 0)
        bipe_fail_memory(err);
    else
        to->bin[to->count++] = *bin;
}

/* The units of a file as documents of the pool, one for each unit or for each document that has cells; and as cells, unless that is NULL. */
static void pool_units(bipe_loss_bins *documents, bipe_loss_bins *cells, const bipe_loss_bins *units, const bipe_score_layout *layout,
                       bipe_error *err)
{
    static const bipe_loss_bin none = {0};
    size_t count = layout->bundle > 0 ? (size_t)((layout->documents + layout->bundle - 1) / layout->bundle) : layout->documents;
    for (size_t i = 0; i < count; i++) {
        bipe_loss_bin bin = {0};
        uint64_t first = layout->bundle > 0 ? i : layout->first[i], end = layout->bundle > 0 ? i + 1 : layout->first[i + 1];
        for (uint64_t u = first; u < end; u++) {
            const bipe_loss_bin *unit = u < units->count ? &units->bin[u] : &none;
            bin = (bipe_loss_bin){ bin.tokens + unit->tokens, bin.bytes + unit->bytes, bipe_exact_add(bin.sum, unit->sum) };
            if (cells != NULL)
                append_bin(cells, unit, err);
        }
        append_bin(documents, &bin, err);
    }
}

/* The documents of a file, of which cells are made, come after those of files before. */
static void pool_layout(bipe_score_layout *all, size_t *capacity, const bipe_score_layout *file, bipe_error *err)
{
    size_t before = all->documents;
    if (bipe_grow(&all->first, capacity, before + file->documents + 1, sizeof *all->first) != 0) {
        bipe_fail_memory(err);
        return;
    }
    all->first[0] = 0;
    for (size_t i = 0; i < file->documents; i++)
        all->first[before + i + 1] = all->first[before] + file->first[i + 1];
    all->documents += file->documents;
}

static void pool_file(bipe_score_pool *pool, const bipe_score_row *row, const bipe_score_layout *layout, bipe_error *err)
{
    size_t before = pool->row[0].units.count;
    bool cells = before < BIPE_SCORE_DOCUMENTS && layout->bundle == 0;
    for (size_t c = 0; c < pool->combinations; c++) {
        bipe_score_row *all = &pool->row[c], *other = &pool->cells[c];
        all->combination = c;
        all->length = row[c].length > 0 ? row[c].length : all->length;
        bipe_losses_merge(&all->losses, &row[c].losses);
        bipe_losses_merge(&all->contrast, &row[c].contrast);
        bipe_loss_bins_merge(&all->bins, &row[c].bins, err);
        pool_units(&all->units, cells ? &other->units : NULL, &row[c].units, layout, err);
        if (row[c].contrast_units.count > 0)
            pool_units(&all->contrast_units, cells ? &other->contrast_units : NULL, &row[c].contrast_units, layout, err);
    }
    if (cells)
        pool_layout(&pool->layout, &pool->layout_capacity, layout, err);
    size_t after = pool->row[0].units.count;
    if (layout->group != NULL && bipe_grow(&pool->group, &pool->group_capacity, after, sizeof *pool->group) != 0)
        bipe_fail_memory(err);
    else if (layout->group != NULL)
        memcpy(pool->group + before, layout->group, (after - before) * sizeof *pool->group);
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

static int add_row(bipe_score_findings *findings, const bipe_score_row *row, bipe_error *err)
{
    if (bipe_grow(&findings->row, &findings->row_capacity, findings->rows + 1, sizeof *findings->row) != 0)
        return bipe_fail_memory(err);
    findings->row[findings->rows++] = *row;
    return BIPE_OK;
}

static void add_comparison(bipe_score_findings *findings, const bipe_score_comparison *comparison, bipe_error *err)
{
    if (bipe_grow(&findings->comparison, &findings->comparison_capacity, findings->comparisons + 1, sizeof *findings->comparison) != 0)
        bipe_fail_memory(err);
    else
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
    return (bipe_estimate){ .value = value, .error = error, .low = value - 1.959964 * error, .high = value + 1.959964 * error,
                            .p = erfc(fabs(value / error) / sqrt(2)), .units = sum->units };
}

static const bipe_score_layout whole_documents = {0}; /* no cells */

/* Compares a row with that of the first combination, by units that both have scored. */
static void compare_row(const bipe_score_setup *setup, const bipe_score_row *first, const bipe_score_row *row,
                        const bipe_score_layout *layout, bipe_score_comparison *c, bipe_error *err)
{
    const bipe_loss_bins *a = &first->units, *b = &row->units;
    bool same = setup->combination[0].text == setup->combination[row->combination].text;
    *c = (bipe_score_comparison){ .file = row->file, .group = row->group, .length = row->length, .b = row->combination,
                                  .nats.estimate = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0 } };
    for (size_t i = 0; i < a->count && i < b->count && same; i++)
        c->tokens += a->bin[i].tokens > 0 ? b->bin[i].tokens : 0;
    if (same)
        bipe_score_estimate(&c->nats, a, b, layout, false, setup->seed, err);
    bipe_score_estimate(&c->bits, a, b, layout, true, setup->seed, err);
}

/* Rows of a file, a group or all: their errors and comparisons. Those of files and groups count for the means of the pool. */
static void compare_rows(const bipe_score_setup *setup, bipe_score_row *row, const bipe_score_layout *layout, bipe_score_pool *pool, bipe_score_findings *findings,
                         bipe_error *err)
{
    for (size_t b = 0; b < setup->combinations && err->status == BIPE_OK; b++) {
        bipe_score_comparison c, *mean = &pool->mean[b];
        if (row[b].length == 0)
            continue;
        bipe_score_estimate(&row[b].error, NULL, &row[b].units, layout, false, setup->seed, err);
        if (row[b].contrast.tokens > 0)
            bipe_score_estimate(&row[b].contrast_error, NULL, &row[b].contrast_units, layout, false, setup->seed, err);
        if (row == pool->row)
            row[b].macro = mean_of(&row[b].macro);
        else
            add_mean(&pool->row[b].macro, &row[b].error.estimate);
        if (b == 0 || row[0].length == 0)
            continue;
        compare_row(setup, &row[0], &row[b], layout, &c, err);
        add_comparison(findings, &c, err);
        if (row != pool->row && c.tokens > 0)
            add_mean(&mean->nats.estimate, &c.nats.estimate);
        if (row != pool->row) {
            add_mean(&mean->bits.estimate, &c.bits.estimate);
        } else if (mean->bits.estimate.units > 1) {
            c = (bipe_score_comparison){ .macro = true, .length = c.length, .b = b, .tokens = c.tokens,
                                         .nats.estimate = mean_of(&mean->nats.estimate), .bits.estimate = mean_of(&mean->bits.estimate) };
            add_comparison(findings, &c, err);
        }
    }
}

int bipe_score_compare_file(const bipe_score_setup *setup, bipe_score_row *row, const bipe_score_layout *layout, bipe_score_pool *pool,
                            bipe_score_findings *findings, bipe_error *err)
{
    *err = (bipe_error){0};
    compare_rows(setup, row, layout, pool, findings, err);
    pool_file(pool, row, layout, err);
    return (int)err->status;
}

/* Rows and comparisons of one group; documents are the units. row: (combinations) */
static void compare_group(const bipe_score_setup *setup, bipe_score_pool *pool, bipe_score_row *row, const char *name, size_t number,
                          bipe_score_findings *findings, bipe_error *err)
{
    for (size_t c = 0; c < setup->combinations; c++) {
        const bipe_loss_bins *all = &pool->row[c].units;
        bipe_losses *losses = &row[c].losses;
        row[c] = (bipe_score_row){ .combination = c, .group = name };
        for (size_t i = 0; i < all->count; i++) {
            if (pool->group[i] != number)
                continue;
            append_bin(&row[c].units, &all->bin[i], err);
            losses->tokens += all->bin[i].tokens;
            losses->bytes += all->bin[i].bytes;
            losses->sum = bipe_exact_add(losses->sum, all->bin[i].sum);
        }
        row[c].length = losses->tokens > 0 ? pool->row[c].length : 0;
    }
    compare_rows(setup, row, &whole_documents, pool, findings, err);
    for (size_t c = 0; c < setup->combinations; c++) {
        bipe_loss_bins_free(&row[c].units);
        if (row[c].length > 0)
            add_row(findings, &row[c], err);
    }
}

int bipe_score_compare_all(const bipe_score_setup *setup, bipe_score_pool *pool, const bipe_group_names *groups,
                           bipe_score_findings *findings, bipe_error *err)
{
    size_t combinations = setup->combinations;
    bool documents = pool->row[0].units.count >= BIPE_SCORE_DOCUMENTS;
    bipe_score_row *group = bipe_alloc(combinations, sizeof *group);
    *err = (bipe_error){0};
    if (group == NULL)
        return bipe_fail_memory(err);
    for (size_t c = 0; c < combinations && groups->count > 0; c++) { /* the mean is that of groups, then */
        pool->row[c].macro = (bipe_estimate){0};
        pool->mean[c] = (bipe_score_comparison){0};
    }
    for (size_t g = bipe_group_after(groups, NULL); g < groups->count; g = bipe_group_after(groups, groups->name[g]))
        compare_group(setup, pool, group, groups->name[g], g, findings, err);
    bipe_free(group);
    for (size_t c = 0; c < combinations && !documents; c++) {
        bipe_score_row by_document = pool->row[c], *row = &pool->row[c], *cells = &pool->cells[c];
        row->units = cells->units;
        row->contrast_units = cells->contrast_units;
        cells->units = by_document.units;
        cells->contrast_units = by_document.contrast_units;
    }
    compare_rows(setup, pool->row, documents ? &whole_documents : &pool->layout, pool, findings, err);
    for (size_t c = 0; c < combinations; c++)
        if (pool->row[c].length > 0 && add_row(findings, &pool->row[c], err) == BIPE_OK)
            pool->row[c] = (bipe_score_row){0}; /* the findings own its bins now */
    return (int)err->status;
}
