/* score_divergence.c - what a row keeps of divergences, and how it is written and read; see score_divergence.h. */
#include "tools/score/score_divergence.h"

#include <math.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_parts.h"

static bipe_divergences *group_of(bipe_score_divergence *d, size_t group)
{
    bipe_tool_grow(&d->group, &d->capacity, group + 1, sizeof *d->group);
    for (; d->groups <= group; d->groups++)
        d->group[d->groups] = (bipe_divergences){0};
    return &d->group[group];
}

int bipe_score_divergence_add(bipe_score_divergence *d, const bipe_token_divergence *one, size_t group, size_t unit,
                              bool by, size_t index, uint64_t bytes, bipe_error *err)
{
    int status = bipe_divergences_add(group_of(d, group), one, err);
    if (status == BIPE_OK)
        status = bipe_loss_bins_add(&d->units, unit, one->divergence, bytes, err);
    return status == BIPE_OK && by ? bipe_loss_bins_add(&d->bins, index, one->divergence, bytes, err) : status;
}

int bipe_score_divergence_merge(bipe_score_divergence *d, const bipe_score_divergence *more, bool units,
                                bipe_error *err)
{
    int status = bipe_loss_bins_merge(&d->bins, &more->bins, err);
    for (size_t i = 0; i < more->groups && status == BIPE_OK; i++)
        status = bipe_divergences_merge(group_of(d, i), &more->group[i], err);
    return status == BIPE_OK && units ? bipe_loss_bins_merge(&d->units, &more->units, err) : status;
}

void bipe_score_divergence_free(bipe_score_divergence *d)
{
    for (size_t i = 0; i < d->groups; i++)
        bipe_divergences_free(&d->group[i]);
    bipe_free(d->group);
    bipe_loss_bins_free(&d->units);
    bipe_loss_bins_free(&d->bins);
    *d = (bipe_score_divergence){0};
}

bipe_score_divergence_cells bipe_score_divergence_fill(const bipe_score_divergence *d)
{
    static const unsigned permille[] = {500, 900, 950, 990, 999};
    const double none = (double)NAN;
    double value[BIPE_COUNT_OF(permille)];
    bipe_divergences all = {0};
    bipe_error err;
    for (size_t i = 0; i < d->groups; i++)
        bipe_tool_need_done(bipe_divergences_merge(&all, &d->group[i], &err));
    bipe_tool_need_done(bipe_divergences_quantiles(&all, permille, BIPE_COUNT_OF(permille), value, &err));
    const bipe_score_divergence_cells cells = {
        .mean = bipe_divergences_mean(&all), .median = value[0], .p90 = value[1], .p95 = value[2], .p99 = value[3],
        .p99_9 = value[4], .largest = bipe_divergences_largest(&all), .rms_change = bipe_divergences_rms(&all),
        .same_choice = bipe_divergences_same(&all),
        .error = all.tokens > 0 ? d->error.estimate : (bipe_estimate){none, none, none, none, none, 0}};
    bipe_divergences_free(&all);
    return cells;
}

/* ---- parts for --merge and --resume ---- */

/* Without buckets. */
typedef struct divergence_part {
    uint64_t number, tokens, same, buckets;
    bipe_exact sum, squares, largest;
} divergence_part;

#define PART(type, field) BIPE_COLUMN(divergence_part, type, field)
static const bipe_column part_columns[] = {PART(UINT, number), PART(UINT, tokens),  PART(UINT, same),
                                           PART(SUM, sum),     PART(SUM, squares), PART(SUM, largest),
                                           PART(UINT, buckets)};
static const bipe_column bucket_columns[] = {BIPE_COLUMN(bipe_count, UINT, value),
                                             BIPE_COLUMN(bipe_count, UINT, count)};
enum { PART_COLUMNS = BIPE_COUNT_OF(part_columns), BUCKET_COLUMNS = BIPE_COUNT_OF(bucket_columns) };

static divergence_part part_of(const bipe_divergences *d, size_t number, size_t buckets)
{
    return (divergence_part){.number = number, .tokens = d->tokens, .same = d->same, .buckets = buckets, .sum = d->sum,
                             .squares = d->squares, .largest = d->largest};
}

/* False: there can be no such group. */
static bool take_part(bipe_score_divergence *d, const divergence_part *part, size_t number)
{
    if (number > BIPE_GROUPS_MOST || part->same > part->tokens || part->tokens == 0)
        return false;
    bipe_divergences *to = group_of(d, number);
    bool is_new = to->tokens == 0;
    to->tokens = part->tokens;
    to->same = part->same;
    to->sum = part->sum;
    to->squares = part->squares;
    to->largest = part->largest;
    return is_new;
}

static bool take_bucket(bipe_divergences *d, const bipe_count *bucket)
{
    bipe_error err;
    if (bucket->value >= BIPE_DIVERGENCE_BUCKETS || bucket->count > d->tokens - d->buckets.total)
        return false;
    bipe_tool_need_done(bipe_histogram_add(&d->buckets, bucket->value, bucket->count, &err));
    return true;
}

static bipe_count *sorted(const bipe_divergences *d, size_t *count)
{
    bipe_count *counts;
    bipe_error err;
    bipe_tool_need_done(bipe_histogram_sorted(&d->buckets, &counts, count, &err));
    return counts;
}

void score_divergence_json(bipe_json *json, const bipe_score_divergence *d, const bipe_group_names *groups)
{
    bipe_json_key_object(json, "divergence");
    bipe_json_key_array(json, "groups");
    for (size_t i = 0; i < d->groups; i++) {
        size_t count;
        bipe_count *counts = sorted(&d->group[i], &count);
        const divergence_part part = part_of(&d->group[i], i, count);
        if (part.tokens > 0) {
            bipe_json_begin_object(json);
            if (i < groups->count)
                bipe_json_key_text(json, "name", groups->name[i]);
            bipe_json_key_flat_array(json, "sums");
            bipe_columns_json_list(json, part_columns, PART_COLUMNS, &part);
            bipe_json_end_array(json);
            bipe_json_key_flat_array(json, "buckets");
            for (size_t k = 0; k < count; k++)
                bipe_columns_json_list(json, bucket_columns, BUCKET_COLUMNS, &counts[k]);
            bipe_json_end_array(json);
            bipe_json_end_object(json);
        }
        bipe_free(counts);
    }
    bipe_json_end_array(json);
    score_bins_json(json, "by", &d->bins);
    score_bins_json(json, "units", &d->units);
    bipe_json_end_object(json);
}

static bool load_group(bipe_result *r, const json_t *object, bipe_group_names *groups, bipe_score_divergence *d)
{
    const json_t *buckets = json_object_get(object, "buckets");
    const char *name = json_string_value(json_object_get(object, "name"));
    divergence_part part = {0};
    uint32_t number = 0;
    if (!bipe_columns_read_list(json_array_get(json_object_get(object, "sums"), 0), part_columns, PART_COLUMNS, &part))
        return false;
    if (name != NULL && bipe_group_find(groups, name, "--group", &number, r->err) != BIPE_OK)
        return false;
    bool good = take_part(d, &part, number) && json_array_size(buckets) == part.buckets;
    for (size_t k = 0; k < part.buckets && good; k++) {
        bipe_count bucket;
        good = bipe_columns_read_list(json_array_get(buckets, k), bucket_columns, BUCKET_COLUMNS, &bucket) &&
               take_bucket(&d->group[number], &bucket);
    }
    return good && d->group[number].buckets.total == part.tokens;
}

void score_divergence_load(bipe_result *r, const json_t *object, const char *member, bipe_group_names *groups,
                           uint64_t most_index, uint64_t most_unit, bipe_score_divergence *d)
{
    const json_t *list = json_object_get(object, "groups");
    bool good = json_is_array(list);
    for (size_t i = 0; i < json_array_size(list) && good; i++)
        good = load_group(r, json_array_get(list, i), groups, d);
    bipe_result_expect(r, good, member, "groups with sums, and buckets for all their tokens");
    score_bins_load(r, member, json_object_get(object, "by"), most_index, &d->bins);
    score_bins_load(r, member, json_object_get(object, "units"), most_unit, &d->units);
}

void score_divergence_journal(bipe_output *line, const bipe_score_divergence *d)
{
    bipe_output_printf(line, NULL, " %zu", d->groups);
    for (size_t i = 0; i < d->groups; i++) {
        size_t count;
        bipe_count *counts = sorted(&d->group[i], &count);
        const divergence_part part = part_of(&d->group[i], i, count);
        bipe_columns_journal(line, part_columns, PART_COLUMNS, &part);
        for (size_t k = 0; k < count; k++)
            bipe_columns_journal(line, bucket_columns, BUCKET_COLUMNS, &counts[k]);
        bipe_free(counts);
    }
    score_bins_journal(line, &d->bins);
    score_bins_journal(line, &d->units);
}

void score_divergence_fields(bipe_fields *f, bipe_score_divergence *d)
{
    uint64_t groups = bipe_field_uint(f, 10);
    for (uint64_t i = 0; i < groups && !f->bad; i++) {
        divergence_part part = {0};
        bipe_columns_fields(f, part_columns, PART_COLUMNS, &part);
        f->bad = f->bad || part.number > BIPE_GROUPS_MOST || !take_part(d, &part, (size_t)part.number);
        for (uint64_t k = 0; k < part.buckets && !f->bad; k++) {
            bipe_count bucket = {0};
            bipe_columns_fields(f, bucket_columns, BUCKET_COLUMNS, &bucket);
            f->bad = f->bad || !take_bucket(&d->group[part.number], &bucket);
        }
    }
    score_bins_fields(f, &d->bins);
    score_bins_fields(f, &d->units);
}
