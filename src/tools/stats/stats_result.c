/* stats_result.c - adds counts up and derives numbers from them. */
#include "tools/stats/bipe_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "cli/group_names.h"
#include "cli/tool_alloc.h"

enum { ROUNDS = 1999 }; /* of a permutation test */

/* ---- counts ---- */

static void open_part(stats_part *part, size_t segmenters, bool units)
{
    part->tally = bipe_tool_alloc(segmenters, sizeof *part->tally);
    part->units = units ? bipe_tool_alloc(segmenters, sizeof *part->units) : NULL;
}

static void close_part(stats_part *part, size_t segmenters, size_t measures)
{
    for (size_t i = 0; i < segmenters && part->tally != NULL; i++)
        bipe_tally_free(&part->tally[i]);
    for (size_t i = 0; i < segmenters && part->units != NULL; i++)
        bipe_unit_bins_free(&part->units[i]);
    for (size_t i = 0; i < segmenters * measures && part->measure != NULL; i++)
        bipe_unit_bins_free(&part->measure[i]);
    bipe_free(part->tally);
    bipe_free(part->units);
    bipe_free(part->measure);
    bipe_free(part->name);
    *part = (stats_part){0};
}

void stats_part_measure(stats_part *part, const stats_result *r)
{
    size_t measures = stats_measures(&r->choice);
    if (part->measure == NULL && measures != 0)
        part->measure = bipe_tool_alloc(r->count * measures, sizeof *part->measure);
}

uint64_t stats_group_key(const char *name)
{
    return bipe_hash_text(BIPE_HASH_EMPTY, name) >> (64 - BIPE_UNIT_KEY_BITS);
}

void stats_result_open(stats_result *r, const char *tokenizer, const char *const *segmenter, size_t count,
                       const char *group_by, const char *cluster)
{
    *r = (stats_result){.tokenizer = bipe_tool_strdup(tokenizer),
                        .segmenter = bipe_tool_alloc(count, sizeof *r->segmenter), .count = count,
                        .group_by = group_by != NULL ? bipe_tool_strdup(group_by) : NULL,
                        .cluster = cluster != NULL ? bipe_tool_strdup(cluster) : NULL};
    open_part(&r->all, count, group_by != NULL);
    for (size_t i = 0; i < count; i++)
        r->segmenter[i] = bipe_tool_strdup(segmenter[i]);
}

void stats_result_drop_parts(stats_result *r)
{
    for (size_t i = 0; i < r->parts; i++)
        close_part(&r->part[i], r->count, stats_measures(&r->choice));
    r->parts = 0;
}

void stats_result_close(stats_result *r)
{
    stats_result_drop_parts(r);
    close_part(&r->all, r->count, stats_measures(&r->choice));
    for (size_t i = 0; i < r->count; i++)
        bipe_free(r->segmenter[i]);
    bipe_free(r->part);
    bipe_free(r->segmenter);
    bipe_free(r->tokenizer);
    bipe_free(r->group_by);
    bipe_free(r->cluster);
    bipe_result_shards_free(&r->shards);
    bipe_word_table_free(&r->words);
    stats_misses_free(&r->misses);
    *r = (stats_result){0};
}

int stats_result_part(stats_result *r, const char *name, uint64_t order, stats_part **part, bipe_error *err)
{
    if (r->group_by != NULL && strcmp(name, BIPE_GROUP_NONE) == 0)
        order = 1; /* after the others */
    for (size_t i = r->parts; i-- > 0;) {
        *part = &r->part[i];
        if ((*part)->order == order && strcmp((*part)->name, name) == 0)
            return BIPE_OK;
    }
    if (r->group_by != NULL && bipe_group_limit(r->parts + 1, name, r->group_by, err) != BIPE_OK)
        return BIPE_ERR_LIMIT;
    bipe_tool_grow(&r->part, &r->part_capacity, r->parts + 1, sizeof *r->part);
    *part = &r->part[r->parts++];
    **part = (stats_part){.name = bipe_tool_strdup(name), .order = order};
    open_part(*part, r->count, r->group_by != NULL);
    return BIPE_OK;
}

static int add_counts(uint64_t *into, uint64_t more, const char *what, bipe_error *err)
{
    if (more > UINT64_MAX - *into)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 2^64 - 1 %s together, expected fewer", what);
    *into += more;
    return BIPE_OK;
}

/* Of the parts of a result. */
static int add_stats_part(stats_part *into, const stats_part *from, const stats_result *r, bipe_error *err)
{
    size_t measures = r->count * stats_measures(&r->choice);
    int status = add_counts(&into->documents, from->documents, "documents", err);
    if (status == BIPE_OK)
        status = add_counts(&into->bytes, from->bytes, "bytes", err);
    if (status == BIPE_OK)
        status = add_counts(&into->tokens, from->tokens, "tokens", err);
    for (size_t i = 0; i < r->count && status == BIPE_OK; i++) {
        status = bipe_tally_add(&into->tally[i], &from->tally[i], err);
        if (status == BIPE_OK && into->units != NULL)
            status = bipe_unit_bins_merge(&into->units[i], &from->units[i], err);
    }
    if (status == BIPE_OK && from->measure != NULL)
        stats_part_measure(into, r);
    for (size_t i = 0; from->measure != NULL && i < measures && status == BIPE_OK; i++)
        status = bipe_unit_bins_merge(&into->measure[i], &from->measure[i], err);
    return status;
}

static int compare_parts(const void *x, const void *y)
{
    const stats_part *a = x, *b = y;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order) : strcmp(a->name, b->name);
}

/* The parts, and then all. */
static const stats_part *part_at(const stats_result *r, size_t p)
{
    return p < r->parts ? &r->part[p] : &r->all;
}

static void settle_bins(bipe_unit_bins *bins, size_t count)
{
    for (size_t i = 0; bins != NULL && i < count; i++)
        bipe_unit_bins_settle(&bins[i]);
}

/* Parts by their order, units by their keys, words by their parts. */
static int sort_parts(stats_result *r, bipe_error *err)
{
    if (r->parts > 1)
        qsort(r->part, r->parts, sizeof *r->part, compare_parts);
    for (size_t p = 0; p <= r->parts; p++) {
        settle_bins(part_at(r, p)->units, r->count);
        settle_bins(part_at(r, p)->measure, r->count * stats_measures(&r->choice));
    }
    return bipe_word_table_settle(&r->words, err);
}

int stats_result_sum(stats_result *r, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < r->parts && status == BIPE_OK; i++)
        status = add_stats_part(&r->all, &r->part[i], r, err);
    return status == BIPE_OK ? sort_parts(r, err) : status;
}

static int check_option(bool a, bool b, const char *option, bipe_error *err)
{
    return a == b ? BIPE_OK
                  : bipe_fail(err, BIPE_ERR_ARGUMENT, "made %s %s, expected %s it as in the first file",
                              b ? "with" : "without", option, a ? "with" : "without");
}

/* The value of an option, NULL where it was not given. */
static int check_value(const char *a, const char *b, const char *option, bipe_error *err)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", option);
    if (a == NULL || b == NULL || strcmp(a, b) == 0)
        return check_option(a != NULL, b != NULL, quoted, err);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "made with '%s %s', expected '%s %s' as in the first file", option, b,
                     option, a);
}

/* Options about the texts, and what was counted. */
static int check_choice(const stats_result *a, const stats_result *b, bipe_error *err)
{
    const stats_choice *x = &a->choice, *y = &b->choice;
    int status = check_option(x->lexical, y->lexical, "'--lexical'", err);
    if (status == BIPE_OK)
        status = check_option(x->words, y->words, "'--words' or '--keyness'", err);
    if (status == BIPE_OK)
        status = check_option(x->gold, y->gold, "'--gold'", err);
    if (status == BIPE_OK)
        status = check_option(x->keep_case, y->keep_case, "'--keep-case'", err);
    if (status == BIPE_OK)
        status = check_option(x->squeeze, y->squeeze, "'--squeeze'", err);
    if (status == BIPE_OK)
        status = check_option(x->every != 0, y->every != 0, "'--sample'", err);
    if (status == BIPE_OK && (x->every != y->every || x->seed != y->seed))
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "made with '--sample %" PRIu64 " --seed %" PRIu64 "', expected '--sample %" PRIu64
                           " --seed %" PRIu64 "' as in the first file",
                           y->every, y->seed, x->every, x->seed);
    if (status == BIPE_OK)
        status = check_value(a->group_by, b->group_by, "--group-by", err);
    return status == BIPE_OK ? check_value(a->cluster, b->cluster, "--cluster", err) : status;
}

static int check_kin(const stats_result *a, const stats_result *b, bipe_error *err)
{
    if (check_choice(a, b, err) != BIPE_OK)
        return BIPE_ERR_ARGUMENT;
    if (strcmp(a->tokenizer, b->tokenizer) != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tokenizer is '%s', expected '%s' as in the first file", b->tokenizer,
                         a->tokenizer);
    if (a->count != b->count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found %zu segmenters, expected %zu as in the first file", b->count,
                         a->count);
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->segmenter[i], b->segmenter[i]) != 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter is '%s', expected '%s' as in the first file",
                             b->segmenter[i], a->segmenter[i]);
    return BIPE_OK;
}

int stats_result_merge(stats_result *into, stats_result *from, bipe_error *err)
{
    int status = check_kin(into, from, err);
    if (status == BIPE_OK)
        status = bipe_result_shards_merge(&into->shards, &from->shards, err);
    if (status == BIPE_OK)
        status = add_counts(&into->files, from->files, "files", err);
    if (status == BIPE_OK)
        status = add_stats_part(&into->all, &from->all, into, err);
    for (size_t i = 0; i < from->parts && status == BIPE_OK; i++) {
        stats_part *part;
        status = stats_result_part(into, from->part[i].name, from->part[i].order, &part, err);
        if (status == BIPE_OK)
            status = add_stats_part(part, &from->part[i], into, err);
    }
    return status == BIPE_OK ? bipe_word_table_merge(&into->words, &from->words, err) : status;
}

uint64_t stats_result_files(const stats_result *result)
{
    return result->files + bipe_result_shards_files(&result->shards);
}

int stats_result_settle(stats_result *result, bipe_error *err)
{
    uint64_t files = stats_result_files(result);
    bipe_result_shards_settle(&result->shards);
    result->files = files - bipe_result_shards_files(&result->shards);
    return sort_parts(result, err);
}

/* ---- numbers ---- */

bool stats_has_finer(const stats_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->all.tally[i].count; k++)
            if (r->all.tally[i].row[k].finer.total != 0)
                return true;
    return false;
}

static int add_contrast(stats_report *report, size_t segmenter, size_t a, size_t b, bipe_error *err)
{
    size_t n = report->result->count;
    const bipe_distribution *of_a = &report->shown[a * n + segmenter]->tokens,
                            *of_b = &report->shown[b * n + segmenter]->tokens;
    const bipe_unit_bins *bins_a = &report->result->part[a].units[segmenter],
                         *bins_b = &report->result->part[b].units[segmenter];
    stats_contrast c = {.segmenter = segmenter, .a = a, .b = b, .of = report->result->segmenter[segmenter],
                        .from = report->result->part[a].name, .to = report->result->part[b].name,
                        .ks = bipe_distance_ks(of_a, of_b), .js = bipe_distance_js(of_a, of_b),
                        .wasserstein = bipe_distance_wasserstein(of_a, of_b)};
    bipe_unit *unit_a = bipe_tool_need(bipe_unit_bins_units(bins_a)),
              *unit_b = bipe_tool_need(bipe_unit_bins_units(bins_b));
    int status = bipe_estimate_unpaired(&c.difference, unit_a, bins_a->count, unit_b, bins_b->count, 0, err);
    if (report->result->cluster != NULL) /* the groups are taken as independent */
        c.difference.error = hypot(report->shown[a * n + segmenter]->mean.error,
                                   report->shown[b * n + segmenter]->mean.error);
    if (status == BIPE_OK)
        status = bipe_permutation_means(&c.difference.p, unit_a, bins_a->count, unit_b, bins_b->count, ROUNDS, 0, err);
    bipe_free(unit_a);
    bipe_free(unit_b);
    bipe_tool_grow(&report->contrast, &report->contrast_capacity, report->contrasts + 1, sizeof c);
    if (status == BIPE_OK)
        report->contrast[report->contrasts++] = c;
    return status;
}

/* Of files, and of groups that are folders; something of each name remains. */
static size_t common_folder(const stats_result *r)
{
    bool paths = r->per_file || (r->group_by != NULL && strcmp(r->group_by, BIPE_GROUP_FOLDER) == 0);
    size_t size = paths && r->parts != 0 ? SIZE_MAX : 0;
    for (size_t i = 0; i < r->parts; i++)
        size = bipe_path_common_folder(r->part[0].name, r->part[i].name, size);
    return size;
}

int stats_report_open(stats_report *report, const stats_result *r, const char *keyness, bipe_error *err)
{
    size_t lines = 0;
    for (size_t p = 0; p <= r->parts; p++)
        for (size_t i = 0; i < r->count; i++)
            lines += part_at(r, p)->tally[i].count;
    *report = (stats_report){.result = r, .folder = common_folder(r),
                             .line = bipe_tool_alloc(lines, sizeof *report->line),
                             .shown = bipe_tool_alloc(lines, sizeof(stats_line *)), .key.asked = keyness};
    int status = bipe_word_table_uses(&r->words, &report->use, err);
    if (status == BIPE_OK && keyness != NULL)
        status = stats_keyness_open(&report->key, r, report->folder, err);
    for (size_t p = 0; p <= r->parts; p++)
        for (size_t i = 0; i < r->count && status == BIPE_OK; i++)
            status = stats_lines_make(report, part_at(r, p), i, err);
    for (size_t i = 0; i < r->count && r->group_by != NULL; i++)
        for (size_t a = 0; a < (r->parts > STATS_PAIRED ? 1 : r->parts); a++)
            for (size_t b = a + 1; b < r->parts && status == BIPE_OK; b++)
                status = add_contrast(report, i, a, b, err);
    if (status == BIPE_OK && r->choice.gold)
        status = stats_agreement_open(report, err);
    for (size_t i = 0; i < report->contrasts; i++) {
        const stats_contrast *c = &report->contrast[i];
        if (c->a == 0)
            report->shown[c->b * r->count + c->segmenter]->contrast = *c;
    }
    return status;
}

void stats_report_close(stats_report *report)
{
    for (size_t i = 0; i < report->lines; i++) {
        bipe_distribution_close(&report->line[i].tokens);
        bipe_distribution_close(&report->line[i].segments);
        bipe_distribution_close(&report->line[i].finer);
    }
    bipe_free(report->use);
    bipe_free(report->key.word);
    bipe_free(report->line);
    bipe_free(report->shown);
    bipe_free(report->contrast);
    bipe_free(report->pair);
    *report = (stats_report){0};
}
