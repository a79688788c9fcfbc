/* stats_load.c - reads a result of bipe-stats --json back. Only the exact counts are taken; what can be derived from them is derived
 * again. The file may come from anywhere: every number and every sum is checked. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/result_file.h"
#include "tools/bipe_stats.h"

enum { WHERE_SIZE = 64, MOST_RESULTS = 65536 };

/* The pairs [value, count] of object.key.histogram, by rising value, with no count of 0. */
static int get_histogram(const json_t *object, const char *where, const char *key, bipe_histogram *histogram,
                         bipe_error *err)
{
    char full[WHERE_SIZE + 64];
    snprintf(full, sizeof full, "%s%s.histogram", where, key);
    const json_t *list = json_object_get(json_object_get(object, key), "histogram");
    if (!json_is_array(list))
        return bipe_result_wrong(err, full, "", "a list of pairs [value, count]");
    json_int_t last = -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        const json_t *value = json_array_get(pair, 0), *count = json_array_get(pair, 1);
        if (!json_is_array(pair) || json_array_size(pair) != 2 || !json_is_integer(value) || !json_is_integer(count) ||
            json_integer_value(value) <= last || json_integer_value(count) <= 0) {
            snprintf(full, sizeof full, "%s%s.histogram[%zu]", where, key, i);
            return bipe_result_wrong(err, full, "", "a pair [value, count] of whole numbers, values rising and counts above 0");
        }
        last = json_integer_value(value);
        int status = bipe_histogram_add(histogram, (uint64_t)last, (uint64_t)json_integer_value(count), err);
        if (status != BIPE_OK) {
            if (status == BIPE_ERR_LIMIT)
                bipe_error_prefix(err, "%s%s.histogram", where, key);
            return status;
        }
    }
    return BIPE_OK;
}

/* The sum of a histogram's values. smallest: NULL, or gets the smallest of them. */
static int sum_of(const bipe_histogram *histogram, bipe_uint128 *sum, bipe_uint128 *smallest, bipe_error *err)
{
    bipe_distribution d;
    int status = bipe_distribution_open(&d, histogram, err);
    *sum = d.sum;
    if (smallest != NULL)
        *smallest = d.size != 0 ? d.counts[0].value : 1;
    bipe_distribution_close(&d);
    return status;
}

/* Whether the counts of a row are those that its other numbers say. */
static int check_row(const json_t *object, const char *where, const bipe_tally_row *row, bipe_error *err)
{
    uint64_t windows, segments, tokens;
    bipe_uint128 smallest, sum_tokens, sum_segments;
    int status = bipe_result_members(object, where, (const bipe_result_member[]){
        BIPE_MEMBER("windows", UINT, &windows), BIPE_MEMBER("segments", UINT, &segments), BIPE_MEMBER("tokens", UINT, &tokens), {0}}, err);
    if (status == BIPE_OK)
        status = sum_of(&row->tokens, &sum_tokens, &smallest, err);
    if (status == BIPE_OK)
        status = sum_of(&row->segments, &sum_segments, NULL, err);
    if (status != BIPE_OK)
        return status;
    if (smallest == 0)
        return bipe_result_wrong(err, where, STATS_OF_TOKENS ".histogram", "segments of at least 1 token");
    if (row->segments.total != windows)
        return bipe_result_wrong(err, where, "windows", "the number of windows in segments_per_window.histogram");
    if (row->tokens.total != segments || sum_segments != segments)
        return bipe_result_wrong(err, where, "segments", "the number of segments in both histograms");
    if (sum_tokens != tokens || (row->length != BIPE_TALLY_DOCUMENT && (bipe_uint128)windows * row->length != tokens))
        return bipe_result_wrong(err, where, "tokens", "the number of tokens in the windows and in tokens_per_segment.histogram");
    return BIPE_OK;
}

/* The index of the segmenter in the result, or result->count. */
static size_t find_segmenter(const stats_result *result, const char *segmenter)
{
    size_t i = 0;
    while (i < result->count && strcmp(result->segmenter[i], segmenter) != 0)
        i++;
    return i;
}

static stats_part *find_group(const stats_result *result, const char *name)
{
    for (size_t i = 0; i < result->parts; i++)
        if (strcmp(result->part[i].name, name) == 0)
            return &result->part[i];
    return NULL;
}

static int load_row(stats_result *result, const json_t *object, const char *where, bipe_error *err)
{
    const char *segmenter, *group = NULL;
    int status = bipe_result_members(object, where, (const bipe_result_member[]){
        BIPE_MEMBER("segmenter", TEXT, &segmenter), BIPE_MEMBER("group", TEXT, &group, .optional = true, .expected = "one of groups"), {0}}, err);
    if (status != BIPE_OK)
        return status;
    const json_t *length = json_object_get(object, "length");
    uint64_t tokens = BIPE_TALLY_DOCUMENT;
    if (json_is_integer(length) && json_integer_value(length) > 0)
        tokens = (uint64_t)json_integer_value(length);
    else if (!json_is_string(length) || strcmp(json_string_value(length), "document") != 0)
        return bipe_result_wrong(err, where, "length", "a number of tokens, or \"document\"");
    stats_part *part = &result->all;
    if (group != NULL && (part = find_group(result, group)) == NULL)
        return bipe_result_wrong(err, where, "group", "one of groups");
    bipe_tally *tally = &part->tally[find_segmenter(result, segmenter)];
    size_t before = tally->count;
    bipe_tally_row *row = bipe_tally_row_at(tally, tokens);
    if (row == NULL)
        return bipe_fail_memory(err);
    if (tally->count == before)
        return bipe_result_wrong(err, where, "length", "each length once for a segmenter");
    status = get_histogram(object, where, STATS_OF_TOKENS, &row->tokens, err);
    if (status == BIPE_OK)
        status = get_histogram(object, where, STATS_OF_SEGMENTS, &row->segments, err);
    return status == BIPE_OK ? check_row(object, where, row, err) : status;
}

/* The segmenters of "results", in the order in which they first appear. */
static int load_segmenters(stats_result *result, const json_t *results, const char *tokenizer, const char *group_by, bipe_error *err)
{
    size_t size = json_array_size(results), count = 0;
    const char **names = bipe_alloc(size, sizeof *names);
    int status = names != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < size && status == BIPE_OK; i++) {
        char where[WHERE_SIZE];
        const char *name;
        snprintf(where, sizeof where, "results[%zu].", i);
        status = bipe_result_members(json_array_get(results, i), where, (const bipe_result_member[]){BIPE_MEMBER("segmenter", TEXT, &name), {0}}, err);
        bool known = false;
        for (size_t k = count; k-- > 0 && status == BIPE_OK && !known;)
            known = strcmp(names[k], name) == 0;
        if (status == BIPE_OK && !known)
            names[count++] = name;
    }
    if (status == BIPE_OK)
        status = stats_result_open(result, tokenizer, names, count, group_by, err);
    bipe_free(names);
    return status;
}

/* The units of a group under one segmenter: bits that were dropped, then [key, tokens, segments] with rising keys. */
static int load_units(bipe_unit_bins *units, const json_t *list, const char *where, bipe_error *err)
{
    static const char expected[] = "dropped bits, then at most 2048 of [key, tokens, segments] with rising keys below 2^48";
    size_t size = json_array_size(list);
    uint64_t dropped, last = 0;
    if (!bipe_result_number(json_array_get(list, 0), &dropped) || dropped > BIPE_UNIT_KEY_BITS || size > 1 + BIPE_UNITS_MOST)
        return bipe_result_wrong(err, where, "units", expected);
    units->dropped = (unsigned)dropped;
    for (size_t i = 1; i < size; i++) {
        uint64_t number[3];
        for (size_t k = 0; k < 3; k++)
            if (!bipe_result_number(json_array_get(json_array_get(list, i), k), &number[k]))
                return bipe_result_wrong(err, where, "units", expected);
        if ((i > 1 && number[0] <= last) || number[0] >> BIPE_UNIT_KEY_BITS != 0)
            return bipe_result_wrong(err, where, "units", expected);
        last = number[0];
        if (bipe_unit_bins_add(units, number[0], number[1], number[2], err) != BIPE_OK)
            return BIPE_ERR_MEMORY;
    }
    return BIPE_OK;
}

static int load_counts(const json_t *object, const char *where, stats_part *part, bipe_error *err)
{
    return bipe_result_members(object, where, (const bipe_result_member[]){
        BIPE_MEMBER("documents", UINT, &part->documents), BIPE_MEMBER("bytes", UINT, &part->bytes), BIPE_MEMBER("tokens", UINT, &part->tokens), {0}}, err);
}

/* The member "groups": what is known of each but for its histograms. */
static int load_groups(stats_result *result, const json_t *groups, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t g = 0; g < json_array_size(groups) && status == BIPE_OK; g++) {
        const json_t *units;
        const char *name;
        stats_part *part;
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "groups[%zu].", g);
        status = bipe_result_members(json_array_get(groups, g), where, (const bipe_result_member[]){
            BIPE_MEMBER("group", TEXT, &name), BIPE_MEMBER("units", LIST, &units), {0}}, err);
        if (status == BIPE_OK)
            status = stats_result_part(result, name, 0, &part, err);
        if (status == BIPE_OK && result->parts != g + 1)
            status = bipe_result_wrong(err, where, "group", "each group once");
        if (status == BIPE_OK && json_array_size(units) != result->count)
            status = bipe_result_wrong(err, where, "units", "a list for each segmenter");
        if (status == BIPE_OK)
            status = load_counts(json_array_get(groups, g), where, part, err);
        for (size_t i = 0; i < result->count && status == BIPE_OK; i++) {
            status = load_units(&part->units[i], json_array_get(units, i), where, err);
            if (status == BIPE_OK)
                status = bipe_unit_bins_merge(&result->all.units[i], &part->units[i], err);
        }
    }
    return status;
}

static int check_documents(const stats_result *result, const stats_part *part, bipe_error *err)
{
    for (size_t i = 0; i < result->count; i++) {
        const bipe_tally *tally = &part->tally[i];
        const bipe_tally_row *row = tally->count != 0 ? &tally->row[tally->count - 1] : NULL;
        int status = BIPE_OK;
        bipe_uint128 sum = 0;
        if (row != NULL && (status = sum_of(&row->tokens, &sum, NULL, err)) != BIPE_OK)
            return status;
        if (row == NULL || row->length != BIPE_TALLY_DOCUMENT || row->segments.total != part->documents || sum > part->tokens ||
            (sum != part->tokens && !result->choice.squeeze))
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "results: expected a row of length \"document\" with all documents and tokens for segmenter '%s'%s%.100s",
                             result->segmenter[i], part->name != NULL ? " in group " : "", part->name != NULL ? part->name : "");
        uint64_t tokens = 0;
        for (size_t k = 0; part->units != NULL && k < part->units[i].count; k++)
            tokens += part->units[i].bin[k].sum;
        if (part->units != NULL && tokens != (uint64_t)sum)
            return bipe_fail(err, BIPE_ERR_FORMAT, "groups: expected units with all tokens for segmenter '%s'", result->segmenter[i]);
    }
    return BIPE_OK;
}

static int load_root(void *context, json_t *root, bipe_error *err)
{
    stats_result *result = context;
    const char *tokenizer, *group_by = NULL;
    const json_t *results = NULL, *groups = NULL, *shards = NULL, *sample = json_object_get(root, "sample");
    uint64_t files;
    stats_choice choice = {0};
    int status = bipe_result_members(root, "", (const bipe_result_member[]){
        BIPE_MEMBER("tokenizer", TEXT, &tokenizer), BIPE_MEMBER("files", UINT, &files),
        BIPE_MEMBER("results", LIST, &results, .expected = "a list of results"),
        BIPE_MEMBER("group_by", TEXT, &group_by, .optional = true), BIPE_MEMBER("groups", LIST, &groups, .optional = true),
        BIPE_MEMBER("squeeze", BOOL, &choice.squeeze, .optional = true, .expected = "true, or nothing"),
        BIPE_MEMBER("shards", LIST, &shards, .optional = true), {0}}, err);
    if (status == BIPE_OK && sample != NULL)
        status = bipe_result_members(sample, "sample.", (const bipe_result_member[]){
            BIPE_MEMBER("every", UINT, &choice.every), BIPE_MEMBER("seed", UINT, &choice.seed), {0}}, err);
    if (status == BIPE_OK && json_array_size(results) == 0)
        status = bipe_result_wrong(err, "", "results", "a list of results");
    if (status == BIPE_OK && json_array_size(results) > MOST_RESULTS)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "results: found %zu, expected at most %d", json_array_size(results), MOST_RESULTS);
    if (status == BIPE_OK && group_by != NULL && groups == NULL)
        status = bipe_result_wrong(err, "", "groups", "a list");
    if (status == BIPE_OK)
        status = load_segmenters(result, results, tokenizer, group_by, err);
    if (status != BIPE_OK)
        return status;
    result->choice = choice;
    status = load_counts(root, "", &result->all, err);
    if (status == BIPE_OK && group_by != NULL)
        status = load_groups(result, groups, err);
    if (status == BIPE_OK)
        status = stats_shards_load(&result->shards, shards, err);
    if (status == BIPE_OK && stats_shards_files(&result->shards) > files)
        status = bipe_result_wrong(err, "", "files", "at least the files of which shards have read documents");
    result->files = files - stats_shards_files(&result->shards);
    for (size_t i = 0; i < json_array_size(results) && status == BIPE_OK; i++) {
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "results[%zu].", i);
        status = load_row(result, json_array_get(results, i), where, err);
    }
    for (size_t i = 0; i <= result->parts && status == BIPE_OK; i++)
        status = check_documents(result, i < result->parts ? &result->part[i] : &result->all, err);
    return status;
}

int stats_load(stats_result *result, const char *path, bipe_error *err)
{
    *result = (stats_result){0};
    return bipe_result_read(path, "bipe-stats --json", load_root, result, err);
}
