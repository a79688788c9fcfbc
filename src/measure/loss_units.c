/* loss_units.c - the units of a text, and errors of mean losses from them; see loss_units.h. */
#include "measure/loss_units.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"

/* Units of a text are at most so many, unless each document has a group; cells are never smaller than some tokens. */
enum { UNITS_MOST = 1 << 16, CELLS_MOST = 1 << 12, CELL_SMALLEST = 16 };

int bipe_loss_units_make(bipe_loss_units *units, const bipe_spool_document *document, size_t documents, bool groups,
                         bool clusters, bipe_error *err)
{
    uint64_t bytes = 0, cells = 0;
    *units = (bipe_loss_units){ .documents = documents };
    if (documents >= BIPE_LOSS_DOCUMENTS || clusters) {
        units->bundle = groups || clusters ? 1 : (documents + UNITS_MOST - 1) / UNITS_MOST;
    } else {
        for (size_t i = 0; i < documents; i++)
            bytes += document[i].bytes;
        for (units->cell = CELL_SMALLEST; bytes / units->cell >= CELLS_MOST;)
            units->cell *= 2;
        units->first = bipe_alloc(documents + 1, sizeof *units->first);
        if (units->first == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < documents; i++) {
            units->first[i] = cells;
            cells += document[i].bytes / units->cell + 1;
        }
        units->first[documents] = cells;
    }
    units->group = groups ? bipe_alloc(documents, sizeof *units->group) : NULL;
    units->cluster = clusters ? bipe_alloc(documents, sizeof *units->cluster) : NULL;
    if ((groups && units->group == NULL) || (clusters && units->cluster == NULL))
        return bipe_fail_memory(err);
    for (size_t i = 0; i < documents && groups; i++)
        units->group[i] = document[i].group;
    for (size_t i = 0; i < documents && clusters; i++)
        units->cluster[i] = document[i].cluster;
    return BIPE_OK;
}

void bipe_loss_units_free(bipe_loss_units *units)
{
    bipe_free(units->first);
    bipe_free(units->group);
    bipe_free(units->cluster);
    *units = (bipe_loss_units){0};
}

/* ---- errors ---- */

static bipe_unit make_unit(const bipe_loss_bin *bin, bool bytes)
{
    double sum = bipe_exact_value(bin->sum, BIPE_LOSS_BITS);
    return bytes ? (bipe_unit){ sum / log(2.0), (double)bin->bytes } : (bipe_unit){ sum, (double)bin->tokens };
}

/* Units that both have scored, or those of b. end: how many there are up to the end of each text; NULL: they are
 * documents. cluster: of each; NULL: they have none. Returns how many. */
static size_t make_units(bipe_unit *of_a, bipe_unit *of_b, size_t *end, uint64_t *cluster, const bipe_loss_bins *a,
                         const bipe_loss_bins *b, const bipe_loss_units *units, bool bytes, double *tokens)
{
    size_t count = 0, text = 0;
    *tokens = 0;
    for (size_t i = 0; i < b->count; i++) {
        for (; end != NULL && text < units->documents && i >= units->first[text + 1]; text++)
            end[text] = count;
        if (b->bin[i].tokens == 0 || (a != NULL && (i >= a->count || a->bin[i].tokens == 0)))
            continue;
        *tokens += (double)b->bin[i].tokens;
        if (a != NULL)
            of_a[count] = make_unit(&a->bin[i], bytes);
        if (cluster != NULL)
            cluster[count] = units->cluster[i];
        of_b[count++] = make_unit(&b->bin[i], bytes);
    }
    for (; end != NULL && text < units->documents; text++)
        end[text] = count;
    return count;
}

/* The units of whole documents, or of their clusters. */
static int join_documents(bipe_unit *of_a, bipe_unit *of_b, const bipe_loss_bins *a, const bipe_loss_bins *b,
                          const bipe_loss_units *units, bool bytes, size_t *count, bipe_error *err)
{
    double tokens;
    int status = BIPE_OK;
    uint64_t *cluster = units->cluster != NULL ? bipe_alloc(b->count, sizeof *cluster) : NULL;
    if (units->cluster != NULL && cluster == NULL)
        return bipe_fail_memory(err);
    size_t documents = *count = make_units(of_a, of_b, NULL, cluster, a, b, units, bytes, &tokens);
    if (cluster != NULL && a != NULL)
        status = bipe_join_clusters(of_a, cluster, &documents, err);
    if (cluster != NULL && status == BIPE_OK)
        status = bipe_join_clusters(of_b, cluster, count, err);
    bipe_free(cluster);
    return status;
}

int bipe_loss_estimate(bipe_loss_error *error, const bipe_loss_bins *a, const bipe_loss_bins *b,
                       const bipe_loss_units *units, bool bytes, uint64_t seed, bipe_error *err)
{
    bool cells = units->first != NULL && units->cluster == NULL;
    bipe_unit *of_a = a == NULL ? NULL : bipe_alloc(b->count, sizeof *of_a), *of_b = bipe_alloc(b->count, sizeof *of_b);
    size_t *end = cells ? bipe_alloc(units->documents, sizeof *end) : NULL, length = cells ? BIPE_UNITS_FEWEST : 1,
           least = 0, count = 0;
    double tokens = 0;
    *error = (bipe_loss_error){ .clusters = units->cluster != NULL, .blocks = cells };
    int status = of_b == NULL || (a != NULL && of_a == NULL) || (cells && end == NULL) ? bipe_fail_memory(err)
                                                                                       : BIPE_OK;
    if (status == BIPE_OK && !cells)
        status = join_documents(of_a, of_b, a, b, units, bytes, &count, err);
    /* Blocks of cells; texts of few blocks are taken together, which may lengthen the blocks. */
    while (status == BIPE_OK && cells && (least == 0 || (units->documents > 1 && length * BIPE_UNITS_FEWEST > least))) {
        least = length * BIPE_UNITS_FEWEST;
        count = make_units(of_a, of_b, end, NULL, a, b, units, bytes, &tokens);
        bipe_level_units(of_b, end, units->documents, least);
        if (a != NULL)
            bipe_level_units(of_a, end, units->documents, least);
        status = bipe_block_length(&length, of_a, of_b, count, err);
    }
    if (status == BIPE_OK) {
        if (a != NULL)
            bipe_join_units(of_a, count, length);
        count = bipe_join_units(of_b, count, length);
        error->block = count == 0 ? 0 : tokens / (double)count;
        status = a == NULL ? bipe_estimate_mean(&error->estimate, of_b, count, seed, err)
                           : bipe_estimate_difference(&error->estimate, of_a, of_b, count, seed, err);
        if (error->clusters)
            bipe_estimate_of_clusters(&error->estimate);
    }
    bipe_free(of_a);
    bipe_free(of_b);
    bipe_free(end);
    return status;
}

const char *bipe_loss_method(const bipe_loss_error *error, char text[96])
{
    const char *few = error->estimate.units < BIPE_UNITS_FEWEST ? ", too few for an interval" : "";
    const char *s = error->estimate.units == 1 ? "" : "s";
    if (error->blocks)
        snprintf(text, 96, "bootstrap over %zu block%s of %.0f tokens%s", error->estimate.units, s, error->block, few);
    else
        snprintf(text, 96, "bootstrap over %zu %s%s%s", error->estimate.units,
                 error->clusters ? "cluster" : "document", s, few);
    return text;
}

/* ---- several texts ---- */

void bipe_loss_units_pool(bipe_loss_bins *documents, bipe_loss_bins *cells, const bipe_loss_bins *bins,
                          const bipe_loss_units *units, bipe_error *err)
{
    static const bipe_loss_bin none = {0};
    size_t count = units->bundle > 0 ? (size_t)((units->documents + units->bundle - 1) / units->bundle)
                                     : units->documents;
    for (size_t i = 0; i < count; i++) {
        bipe_loss_bin bin = {0};
        uint64_t first = units->bundle > 0 ? i : units->first[i], end = units->bundle > 0 ? i + 1 : units->first[i + 1];
        for (uint64_t u = first; u < end; u++) {
            const bipe_loss_bin *unit = u < bins->count ? &bins->bin[u] : &none;
            bipe_loss_bin_merge(&bin, unit);
            if (cells != NULL)
                bipe_loss_bins_append(cells, unit, err);
        }
        bipe_loss_bins_append(documents, &bin, err);
    }
}

void bipe_loss_units_append(bipe_loss_units *all, size_t *capacity, const bipe_loss_units *text, bipe_error *err)
{
    size_t before = all->documents;
    if (bipe_grow(&all->first, capacity, before + text->documents + 1, sizeof *all->first) != 0) {
        bipe_fail_memory(err);
        return;
    }
    all->first[0] = 0;
    for (size_t i = 0; i < text->documents; i++)
        all->first[before + i + 1] = all->first[before] + text->first[i + 1];
    all->documents += text->documents;
}
