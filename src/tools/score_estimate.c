/* score_estimate.c - how sure the numbers of bipe-score are: the units of a text, errors of means, differences between combinations, by
 * file, by group and in all. The statistics themselves are measure/resample.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/bipe_score.h"

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
    *layout = (bipe_score_layout){ 0 };
}

/* ---- one number ---- */

static bipe_unit make_unit(const bipe_loss_bin *bin, bool bytes)
{
    double sum = bipe_exact_value(bin->sum, BIPE_LOSS_BITS);
    return bytes ? (bipe_unit){ sum / log(2.0), (double)bin->bytes } : (bipe_unit){ sum, (double)bin->tokens };
}

/* Units that both have scored, or those of b. Returns how many. */
static size_t make_units(bipe_unit *of_a, bipe_unit *of_b, const bipe_loss_bins *a, const bipe_loss_bins *b, bool bytes, double *tokens)
{
    size_t count = 0;
    *tokens = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->bin[i].tokens == 0 || (a != NULL && (i >= a->count || a->bin[i].tokens == 0)))
            continue;
        *tokens += (double)b->bin[i].tokens;
        if (a != NULL)
            of_a[count] = make_unit(&a->bin[i], bytes);
        of_b[count++] = make_unit(&b->bin[i], bytes);
    }
    return count;
}

int bipe_score_estimate(bipe_score_error *error, const bipe_loss_bins *a, const bipe_loss_bins *b, bool documents, bool bytes, uint64_t seed,
                        bipe_error *err)
{
    bipe_unit *of_a = a == NULL ? NULL : bipe_alloc(b->count, sizeof *of_a), *of_b = bipe_alloc(b->count, sizeof *of_b);
    *error = (bipe_score_error){ .blocks = !documents };
    int status = of_b == NULL || (a != NULL && of_a == NULL) ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK) {
        double tokens;
        size_t length = 1, count = make_units(of_a, of_b, a, b, bytes, &tokens);
        if (!documents)
            status = bipe_block_length(&length, of_a, of_b, count, err);
        if (a != NULL)
            bipe_join_units(of_a, count, length);
        count = bipe_join_units(of_b, count, length);
        error->block = count == 0 ? 0 : tokens / (double)count;
        if (status == BIPE_OK)
            status = a == NULL ? bipe_estimate_mean(&error->estimate, of_b, count, seed, err)
                               : bipe_estimate_difference(&error->estimate, of_a, of_b, count, seed, err);
    }
    bipe_free(of_a);
    bipe_free(of_b);
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

/* ---- the pool ---- */

int bipe_score_pool_open(bipe_score_pool *pool, size_t combinations, bipe_error *err)
{
    *pool = (bipe_score_pool){
        .combinations = combinations,
        .row = bipe_alloc(combinations, sizeof *pool->row),
        .cells = bipe_alloc(combinations, sizeof *pool->cells),
        .contrast_cells = bipe_alloc(combinations, sizeof *pool->contrast_cells),
        .macro = bipe_alloc(combinations, sizeof *pool->macro),
        .nats = bipe_alloc(combinations, sizeof *pool->nats),
        .bits = bipe_alloc(combinations, sizeof *pool->bits),
    };
    bool all = pool->row != NULL && pool->cells != NULL && pool->contrast_cells != NULL && pool->macro != NULL && pool->nats != NULL &&
               pool->bits != NULL;
    return all ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_score_pool_close(bipe_score_pool *pool)
{
    for (size_t c = 0; c < pool->combinations; c++) {
        if (pool->row != NULL)
            bipe_score_row_free(&pool->row[c]);
        if (pool->cells != NULL)
            bipe_loss_bins_free(&pool->cells[c]);
        if (pool->contrast_cells != NULL)
            bipe_loss_bins_free(&pool->contrast_cells[c]);
    }
    bipe_free(pool->contrast_cells);
    bipe_free(pool->row);
    bipe_free(pool->cells);
    bipe_free(pool->group);
    bipe_free(pool->macro);
    bipe_free(pool->nats);
    bipe_free(pool->bits);
    *pool = (bipe_score_pool){ 0 };
}

/* Adds one more file, or group, to what is averaged over them. */
static void add_macro(bipe_estimate *sum, const bipe_estimate *one)
{
    sum->value += one->value;
    sum->error += one->error * one->error;
    sum->units++;
}

static bipe_estimate macro_of(const bipe_estimate *sum)
{
    double n = (double)sum->units, value = sum->value / n, error = sqrt(sum->error) / n;
    if (sum->units == 0)
        value = error = (double)NAN;
    return (bipe_estimate){ .value = value, .error = error, .low = value - 1.959964 * error, .high = value + 1.959964 * error,
                            .p = erfc(fabs(value / error) / sqrt(2)), .units = sum->units };
}

static int append_bins(bipe_loss_bins *to, const bipe_loss_bin *bin, size_t count, bipe_error *err)
{
    if (bipe_grow(&to->bin, &to->capacity, to->count + count, sizeof *to->bin) != 0)
        return bipe_fail_memory(err);
    if (count > 0)
        memcpy(to->bin + to->count, bin, count * sizeof *bin);
    to->count += count;
    return BIPE_OK;
}

static void add_bin(bipe_loss_bin *to, const bipe_loss_bin *more)
{
    to->tokens += more->tokens;
    to->bytes += more->bytes;
    to->sum = bipe_exact_add(to->sum, more->sum);
}

/* The units of a file as documents of the pool; there is one for each unit, or for each document that has cells. */
static int pool_documents(bipe_loss_bins *to, const bipe_loss_bins *units, const bipe_score_layout *layout, bipe_error *err)
{
    size_t count = layout->bundle > 0 ? (size_t)((layout->documents + layout->bundle - 1) / layout->bundle) : layout->documents;
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bipe_loss_bin bin = { 0 };
        uint64_t first = layout->bundle > 0 ? i : layout->first[i], end = layout->bundle > 0 ? i + 1 : layout->first[i + 1];
        for (uint64_t u = first; u < end && u < units->count; u++)
            add_bin(&bin, &units->bin[u]);
        status = append_bins(to, &bin, 1, err);
    }
    return status;
}

/* All cells of a file: the same number for each combination. */
static int append_cells(bipe_loss_bins *to, const bipe_loss_bins *units, size_t count, bipe_error *err)
{
    static const bipe_loss_bin none = { 0 };
    size_t end = to->count + count;
    int status = append_bins(to, units->bin, units->count, err);
    while (to->count < end && status == BIPE_OK)
        status = append_bins(to, &none, 1, err);
    return status;
}

static int pool_file(bipe_score_pool *pool, const bipe_score_row *row, const bipe_score_layout *layout, bipe_error *err)
{
    size_t before = pool->row[0].units.count;
    bool cells = before < BIPE_SCORE_DOCUMENTS && layout->bundle == 0;
    int status = BIPE_OK;
    for (size_t c = 0; c < pool->combinations && status == BIPE_OK; c++) {
        bipe_score_row *all = &pool->row[c];
        all->combination = c;
        all->length = row[c].length > 0 ? row[c].length : all->length;
        bipe_losses_merge(&all->losses, &row[c].losses);
        bipe_losses_merge(&all->contrast, &row[c].contrast);
        status = bipe_loss_bins_merge(&all->bins, &row[c].bins, err);
        if (status == BIPE_OK)
            status = pool_documents(&all->units, &row[c].units, layout, err);
        if (status == BIPE_OK && row[c].contrast_units.count > 0)
            status = pool_documents(&all->contrast_units, &row[c].contrast_units, layout, err);
        if (status == BIPE_OK && cells)
            status = append_cells(&pool->cells[c], &row[c].units, (size_t)layout->first[layout->documents], err);
        if (status == BIPE_OK && cells)
            status = append_cells(&pool->contrast_cells[c], &row[c].contrast_units, (size_t)layout->first[layout->documents], err);
        if (status == BIPE_OK && row[c].length > 0)
            add_macro(&pool->macro[c], &row[c].error.estimate);
    }
    size_t after = pool->row[0].units.count;
    if (status == BIPE_OK && layout->group != NULL) {
        if (bipe_grow(&pool->group, &pool->group_capacity, after, sizeof *pool->group) != 0)
            return bipe_fail_memory(err);
        memcpy(pool->group + before, layout->group, (after - before) * sizeof *pool->group);
    }
    pool->documents = after;
    pool->files++;
    return status;
}

/* ---- comparisons ---- */

void bipe_score_findings_free(bipe_score_findings *findings)
{
    for (size_t i = 0; i < findings->rows; i++)
        bipe_score_row_free(&findings->row[i]);
    bipe_free(findings->row);
    bipe_free(findings->comparison);
    *findings = (bipe_score_findings){ 0 };
}

static int add_comparison(bipe_score_findings *findings, const bipe_score_comparison *comparison, bipe_error *err)
{
    if (bipe_grow(&findings->comparison, &findings->comparison_capacity, findings->comparisons + 1, sizeof *findings->comparison) != 0)
        return bipe_fail_memory(err);
    findings->comparison[findings->comparisons++] = *comparison;
    return BIPE_OK;
}

static bipe_score_error no_error(void)
{
    return (bipe_score_error){ .estimate = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0 } };
}

/* Compares combination b with the first, by units that may be of a file, a group or all. */
static int compare_units(const bipe_score_setup *setup, bipe_score_comparison *c, const bipe_loss_bins *a, const bipe_loss_bins *b, bool documents,
                   bipe_error *err)
{
    bool same = setup->combination[0].text == setup->combination[c->b].text;
    int status = BIPE_OK;
    c->nats = no_error();
    for (size_t i = 0; i < a->count && i < b->count && same; i++)
        c->tokens += a->bin[i].tokens > 0 ? b->bin[i].tokens : 0;
    if (same)
        status = bipe_score_estimate(&c->nats, a, b, documents, false, setup->seed, err);
    return status == BIPE_OK ? bipe_score_estimate(&c->bits, a, b, documents, true, setup->seed, err) : status;
}

int bipe_score_compare_file(const bipe_score_setup *setup, const bipe_score_row *row, const bipe_score_layout *layout, bipe_score_pool *pool,
                            bipe_score_findings *findings, bipe_error *err)
{
    int status = pool_file(pool, row, layout, err);
    for (size_t b = 1; b < setup->combinations && status == BIPE_OK; b++) {
        bipe_score_comparison c = { .file = row[0].file, .length = row[0].length, .b = b };
        if (row[0].length == 0 || row[b].length == 0)
            continue;
        status = compare_units(setup, &c, &row[0].units, &row[b].units, layout->bundle > 0, err);
        if (status == BIPE_OK)
            status = add_comparison(findings, &c, err);
        if (status == BIPE_OK && c.tokens > 0)
            add_macro(&pool->nats[b], &c.nats.estimate);
        add_macro(&pool->bits[b], &c.bits.estimate);
    }
    return status;
}

/* The units of a group; all others have nothing. */
static int pick_group(bipe_loss_bins *to, const bipe_loss_bins *all, const uint32_t *group, size_t number, bipe_losses *losses, bipe_error *err)
{
    to->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (group[i] != number)
            continue;
        int status = append_bins(to, &all->bin[i], 1, err);
        if (status != BIPE_OK)
            return status;
        losses->tokens += all->bin[i].tokens;
        losses->bytes += all->bin[i].bytes;
        losses->sum = bipe_exact_add(losses->sum, all->bin[i].sum);
    }
    return BIPE_OK;
}

static int add_row(bipe_score_findings *findings, const bipe_score_row *row, bipe_error *err)
{
    if (bipe_grow(&findings->row, &findings->row_capacity, findings->rows + 1, sizeof *findings->row) != 0)
        return bipe_fail_memory(err);
    findings->row[findings->rows++] = *row;
    return BIPE_OK;
}

/* Rows and comparisons of one group; documents are the units. */
static int compare_group(const bipe_score_setup *setup, bipe_score_pool *pool, const char *name, size_t number, bipe_score_findings *findings,
                         bipe_error *err)
{
    bipe_loss_bins first = { 0 }, own = { 0 };
    int status = BIPE_OK;
    for (size_t b = 0; b < setup->combinations && status == BIPE_OK; b++) {
        bipe_score_row row = { .combination = b, .group = name, .length = pool->row[b].length };
        bipe_loss_bins *units = b == 0 ? &first : &own;
        status = pick_group(units, &pool->row[b].units, pool->group, number, &row.losses, err);
        if (status != BIPE_OK || row.losses.tokens == 0)
            continue;
        status = bipe_score_estimate(&row.error, NULL, units, true, false, setup->seed, err);
        if (status == BIPE_OK)
            status = add_row(findings, &row, err);
        add_macro(&pool->macro[b], &row.error.estimate);
        if (status != BIPE_OK || b == 0)
            continue;
        bipe_score_comparison c = { .group = name, .length = row.length, .b = b };
        status = compare_units(setup, &c, &first, units, true, err);
        if (status == BIPE_OK)
            status = add_comparison(findings, &c, err);
        if (status == BIPE_OK && c.tokens > 0)
            add_macro(&pool->nats[b], &c.nats.estimate);
        add_macro(&pool->bits[b], &c.bits.estimate);
    }
    bipe_loss_bins_free(&first);
    bipe_loss_bins_free(&own);
    return status;
}

int bipe_score_compare_all(const bipe_score_setup *setup, bipe_score_pool *pool, const bipe_group_names *groups,
                           bipe_score_findings *findings, bipe_error *err)
{
    int status = BIPE_OK;
    if (groups->count > 0) { /* the mean is that of groups, then */
        memset(pool->macro, 0, pool->combinations * sizeof *pool->macro);
        memset(pool->nats, 0, pool->combinations * sizeof *pool->nats);
        memset(pool->bits, 0, pool->combinations * sizeof *pool->bits);
    }
    for (size_t g = bipe_group_after(groups, NULL); g < groups->count && status == BIPE_OK; g = bipe_group_after(groups, groups->name[g]))
        status = compare_group(setup, pool, groups->name[g], g, findings, err);
    bool documents = pool->documents >= BIPE_SCORE_DOCUMENTS;
    const bipe_loss_bins *first = documents ? &pool->row[0].units : &pool->cells[0];
    for (size_t b = 0; b < setup->combinations && status == BIPE_OK; b++) {
        bipe_score_row *row = &pool->row[b];
        const bipe_loss_bins *units = documents ? &row->units : &pool->cells[b];
        if (row->length == 0)
            continue;
        status = bipe_score_estimate(&row->error, NULL, units, documents, false, setup->seed, err);
        if (status == BIPE_OK && row->contrast.tokens > 0)
            status = bipe_score_estimate(&row->contrast_error, NULL, documents ? &row->contrast_units : &pool->contrast_cells[b], documents,
                                         false, setup->seed, err);
        if (status != BIPE_OK)
            continue;
        row->macro = macro_of(&pool->macro[b]);
        if (b > 0 && pool->row[0].length > 0) {
            bipe_score_comparison c = { .length = row->length, .b = b };
            status = compare_units(setup, &c, first, units, documents, err);
            if (status == BIPE_OK)
                status = add_comparison(findings, &c, err);
            if (status == BIPE_OK && pool->bits[b].units > 1) {
                bipe_score_comparison macro = { .macro = true, .length = row->length, .b = b, .tokens = c.tokens };
                macro.nats.estimate = macro_of(&pool->nats[b]);
                macro.bits.estimate = macro_of(&pool->bits[b]);
                status = add_comparison(findings, &macro, err);
            }
        }
    }
    for (size_t b = 0; b < setup->combinations && status == BIPE_OK; b++) {
        if (pool->row[b].length == 0)
            continue;
        status = add_row(findings, &pool->row[b], err); /* which owns its bins now */
        if (status == BIPE_OK)
            pool->row[b] = (bipe_score_row){ 0 };
    }
    return status;
}
