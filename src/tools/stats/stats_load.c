/* stats_load.c - reads a result of bipe-stats --json back. Only the exact counts are taken; what can be derived from
 * them is derived again. The file may come from anywhere: every number and every sum is checked. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/result_file.h"
#include "cli/languages.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "tools/stats/bipe_stats.h"

enum { MOST_RESULTS = 65536 };

/* The pairs [value, count] of key.histogram, by rising value, with no count of 0. */
static void get_histogram(bipe_result *r, const json_t *object, const char *key, bipe_histogram *histogram)
{
    char full[64];
    const json_t *list = json_object_get(json_object_get(object, key), "histogram");
    uint64_t next = 0;
    snprintf(full, sizeof full, "%s.histogram", key);
    bipe_result_expect(r, json_is_array(list), full, "a list of pairs [value, count]");
    for (size_t i = 0; i < json_array_size(list) && r->status == BIPE_OK; i++) {
        uint64_t n[2];
        if (!bipe_result_numbers(json_array_get(list, i), n, 2) || n[0] < next || n[1] == 0) {
            snprintf(full, sizeof full, "%s.histogram[%zu]", key, i);
            bipe_result_expect(r, false, full,
                               "a pair [value, count] of whole numbers, values rising and counts above 0");
            return;
        }
        next = n[0] + 1;
        r->status = bipe_histogram_add(histogram, n[0], n[1], r->err);
        if (r->status == BIPE_ERR_LIMIT)
            bipe_error_prefix(r->err, "%s%s", r->where, full);
    }
}

/* The sum of a histogram's values. smallest: NULL, or gets the smallest of them. */
static bipe_uint128 sum_of_values(bipe_result *r, const bipe_histogram *histogram, uint64_t *smallest)
{
    bipe_distribution d = {0};
    if (r->status == BIPE_OK)
        r->status = bipe_distribution_open(&d, histogram, r->err);
    if (smallest != NULL && d.size != 0)
        *smallest = d.counts[0].value;
    bipe_uint128 sum = d.sum;
    bipe_distribution_close(&d);
    return sum;
}

/* Whether the counts of a row are those that its other numbers say. */
static void check_row(bipe_result *r, const json_t *object, const bipe_tally_row *row)
{
    uint64_t windows = 0, segments = 0, tokens = 0, smallest = 1;
    BIPE_MEMBERS(r, object, BIPE_MEMBER("windows", UINT, &windows), BIPE_MEMBER("segments", UINT, &segments),
                 BIPE_MEMBER("tokens", UINT, &tokens));
    bipe_uint128 sum_tokens = sum_of_values(r, &row->tokens, &smallest),
                 sum_segments = sum_of_values(r, &row->segments, NULL);
    bool whole = row->length == BIPE_TALLY_DOCUMENT;
    bipe_result_expect(r, smallest != 0, STATS_OF_TOKENS ".histogram", "segments of at least 1 token");
    bipe_result_expect(r, row->segments.total == windows, "windows",
                       "the number of windows in segments_per_window.histogram");
    bipe_result_expect(r, row->tokens.total == segments && sum_segments == segments, "segments",
                       "the number of segments in both histograms");
    bipe_result_expect(r, row->finer.total == 0 || row->finer.total == segments, STATS_OF_FINER ".histogram",
                       "as many segments as there are");
    bipe_result_expect(r, sum_tokens == tokens && (whole || (bipe_uint128)windows * row->length == tokens), "tokens",
                       "the number of tokens in the windows and in tokens_per_segment.histogram");
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

/* The units of a group under one segmenter: bits that were dropped, then [key, tokens, segments] with rising keys. */
static void load_units(bipe_result *r, bipe_unit_bins *units, const json_t *list)
{
    static const char expected[] =
        "dropped bits, then at most 2048 of [key, tokens, segments] with rising keys below 2^48";
    size_t size = json_array_size(list);
    uint64_t dropped = 0, next = 0;
    bipe_result_expect(r,
                       bipe_result_number(json_array_get(list, 0), &dropped) && dropped <= BIPE_UNIT_KEY_BITS &&
                           size <= 1 + BIPE_UNITS_MOST,
                       "units", expected);
    units->dropped = (unsigned)dropped;
    for (size_t i = 1; i < size && r->status == BIPE_OK; i++) {
        uint64_t n[3];
        bool good =
            bipe_result_numbers(json_array_get(list, i), n, 3) && n[0] >= next && n[0] >> BIPE_UNIT_KEY_BITS == 0;
        bipe_result_expect(r, good, "units", expected);
        if (!good)
            return;
        next = n[0] + 1;
        r->status = bipe_unit_bins_add(units, n[0], n[1], n[2], r->err);
    }
}

/* The units of a row of whole documents: each document is one, with its words or, of boundaries, with what is right and
 * what there is. */
static void load_measures(bipe_result *r, stats_result *result, stats_part *part, size_t segmenter,
                          const bipe_tally_row *row, const json_t *object)
{
    const char *key = result->choice.lexical ? STATS_OF_WORDS ".units" : STATS_OF_GOLD ".units";
    const json_t *units = NULL;
    size_t measures = stats_measures(&result->choice);
    uint64_t sum = 0, documents = 0;
    bool good = true;
    BIPE_MEMBERS(r, object, BIPE_MEMBER(key, LIST, &units));
    bipe_result_expect(r, json_array_size(units) == measures, key, "a list for each quantity");
    if (r->status != BIPE_OK)
        return;
    stats_part_measure(part, result);
    for (size_t i = 0; i < measures && r->status == BIPE_OK; i++) {
        bipe_unit_bins *bins = &part->measure[segmenter * measures + i];
        load_units(r, bins, json_array_get(units, i));
        for (size_t k = 0; k < bins->count; k++) {
            good = good && (result->choice.lexical || bins->bin[k].sum <= bins->bin[k].weight);
            sum += i == 0 ? bins->bin[k].sum : 0;
            documents += i == 0 ? bins->bin[k].weight : 0;
        }
    }
    if (result->choice.lexical)
        good = documents == row->segments.total && (bipe_uint128)sum == sum_of_values(r, &row->tokens, NULL);
    bipe_result_expect(r, good, key,
                       result->choice.lexical ? "all documents and words" : "no more that is right than there is");
}

static void load_row(bipe_result *r, stats_result *result, const json_t *object)
{
    const char *segmenter = NULL, *group = NULL;
    BIPE_MEMBERS(r, object, BIPE_MEMBER("segmenter", TEXT, &segmenter),
                 BIPE_MEMBER("group", TEXT, &group, .optional = true, .expected = "one of groups"));
    const json_t *length = json_object_get(object, "length");
    bool windows = json_is_integer(length) && json_integer_value(length) > 0;
    bipe_result_expect(r, windows || (json_is_string(length) && strcmp(json_string_value(length), "document") == 0),
                       "length", "a number of tokens, or \"document\"");
    stats_part *part = group == NULL ? &result->all : find_group(result, group);
    bipe_result_expect(r, part != NULL, "group", "one of groups");
    if (r->status != BIPE_OK)
        return;
    bipe_tally *tally = &part->tally[find_segmenter(result, segmenter)];
    size_t before = tally->count;
    bipe_tally_row *row =
        bipe_tool_need(bipe_tally_row_at(tally, windows ? (uint64_t)json_integer_value(length) : BIPE_TALLY_DOCUMENT));
    bipe_result_expect(r, tally->count != before, "length", "each length once for a segmenter");
    get_histogram(r, object, STATS_OF_TOKENS, &row->tokens);
    get_histogram(r, object, STATS_OF_SEGMENTS, &row->segments);
    if (!windows && json_object_get(object, STATS_OF_FINER) != NULL)
        get_histogram(r, object, STATS_OF_FINER, &row->finer);
    check_row(r, object, row);
    if (stats_measures(&result->choice) != 0 && !windows && r->status == BIPE_OK)
        load_measures(r, result, part, find_segmenter(result, segmenter), row, object);
}

/* The segmenters of "results", in the order in which they first appear. */
static void load_segmenters(bipe_result *r, stats_result *result, const json_t *results, const char *tokenizer,
                            const char *group_by, const char *cluster)
{
    size_t size = json_array_size(results), count = 0;
    const char **names = bipe_tool_alloc(size, sizeof *names);
    for (size_t i = 0; i < size && r->status == BIPE_OK; i++) {
        const char *name = "";
        BIPE_MEMBERS(r, bipe_result_element(r, results, "results", i), BIPE_MEMBER("segmenter", TEXT, &name));
        size_t k = count;
        while (k > 0 && strcmp(names[k - 1], name) != 0)
            k--;
        if (k == 0)
            names[count++] = name;
    }
    bipe_result_end_list(r);
    if (r->status == BIPE_OK)
        stats_result_open(result, tokenizer, names, count, group_by, cluster);
    bipe_free(names);
}

/* The member "groups": what is known of each but for its histograms. */
static void load_groups(bipe_result *r, stats_result *result, const json_t *groups)
{
    for (size_t g = 0; g < json_array_size(groups) && r->status == BIPE_OK; g++) {
        const json_t *object = bipe_result_element(r, groups, "groups", g), *units = NULL;
        const char *name = NULL;
        stats_part *part = NULL;
        BIPE_MEMBERS(r, object, BIPE_MEMBER("group", TEXT, &name), BIPE_MEMBER("units", LIST, &units));
        if (r->status == BIPE_OK)
            r->status = stats_result_part(result, name, 0, &part, r->err);
        bipe_result_expect(r, result->parts == g + 1, "group", "each group once");
        bipe_result_expect(r, json_array_size(units) == result->count, "units", "a list for each segmenter");
        if (r->status != BIPE_OK)
            return;
        bipe_columns_read(r, object, stats_part_columns, STATS_PART_COLUMNS, part);
        for (size_t i = 0; i < result->count && r->status == BIPE_OK; i++) {
            load_units(r, &part->units[i], json_array_get(units, i));
            if (r->status == BIPE_OK)
                r->status = bipe_unit_bins_merge(&result->all.units[i], &part->units[i], r->err);
        }
    }
    bipe_result_end_list(r);
}

static void check_documents(bipe_result *r, const stats_result *result, const stats_part *part)
{
    for (size_t i = 0; i < result->count && r->status == BIPE_OK; i++) {
        const bipe_tally *tally = &part->tally[i];
        const bipe_tally_row *row = tally->count != 0 ? &tally->row[tally->count - 1] : NULL;
        bipe_uint128 sum = row != NULL ? sum_of_values(r, &row->tokens, NULL) : 0;
        uint64_t tokens = 0;
        if (r->status != BIPE_OK)
            return;
        if (row == NULL || row->length != BIPE_TALLY_DOCUMENT || row->segments.total != part->documents ||
            sum > part->tokens || (sum != part->tokens && !result->choice.squeeze))
            r->status = bipe_fail(r->err, BIPE_ERR_FORMAT,

                                  "results: expected a row of length \"document\" with all documents and tokens for "
                                  "segmenter '%s'%s%.100s",
                                  result->segmenter[i], part->name != NULL ? " in group " : "",
                                  part->name != NULL ? part->name : "");
        for (size_t k = 0; part->units != NULL && k < part->units[i].count; k++)
            tokens += part->units[i].bin[k].sum;
        if (r->status == BIPE_OK && part->units != NULL && tokens != (uint64_t)sum)
            r->status = bipe_fail(r->err, BIPE_ERR_FORMAT, "groups: expected units with all tokens for segmenter '%s'",
                                  result->segmenter[i]);
    }
}

static void load_root(bipe_result *r, stats_result *result)
{
    const json_t *root = r->root;
    const char *tokenizer = NULL, *group_by = NULL, *cluster = NULL;
    const json_t *results = NULL, *groups = NULL, *shards = NULL, *words = json_object_get(root, "word_list");
    uint64_t files = 0;
    stats_choice choice = {0};
    BIPE_MEMBERS(r, root, BIPE_MEMBER("tokenizer", TEXT, &tokenizer), BIPE_MEMBER("files", UINT, &files),
                 BIPE_MEMBER("results", LIST, &results, .expected = "a list of results"),
                 BIPE_MEMBER("group_by", TEXT, &group_by, .optional = true),
                 BIPE_MEMBER("cluster", TEXT, &cluster, .optional = true),
                 BIPE_MEMBER("groups", LIST, &groups, .optional = true),
                 BIPE_MEMBER("shards", LIST, &shards, .optional = true));
    size_t absent = json_object_get(root, "sample") == NULL ? STATS_SAMPLE_COLUMNS : 0;
    bipe_columns_read(r, root, stats_choice_columns, STATS_CHOICE_COLUMNS - absent, &choice);
    bipe_result_expect(r, json_array_size(results) != 0, "results", "a list of results");
    bipe_result_expect(r, !choice.lexical || !choice.gold, "gold", "nothing, beside lexical");
    if (r->status == BIPE_OK && json_array_size(results) > MOST_RESULTS)
        r->status = bipe_fail(r->err, BIPE_ERR_LIMIT, "results: found %zu, expected at most %d",
                              json_array_size(results), MOST_RESULTS);
    bipe_result_expect(r, group_by == NULL || groups != NULL, "groups", "a list");
    if (r->status == BIPE_OK)
        load_segmenters(r, result, results, tokenizer, group_by, cluster);
    if (r->status != BIPE_OK)
        return;
    choice.words = words != NULL;
    result->choice = choice;
    bipe_columns_read(r, root, stats_part_columns, STATS_PART_COLUMNS, &result->all);
    if (group_by != NULL)
        load_groups(r, result, groups);
    bipe_result_shards_load(r, &result->shards, shards);
    bipe_result_expect(r, bipe_result_shards_files(&result->shards) <= files, "files",
                       "at least the files of which shards have read documents");
    result->files = files - bipe_result_shards_files(&result->shards);
    for (size_t i = 0; i < json_array_size(results) && r->status == BIPE_OK; i++)
        load_row(r, result, bipe_result_element(r, results, "results", i));
    for (size_t i = 0; i <= result->parts && r->status == BIPE_OK; i++)
        check_documents(r, result, i < result->parts ? &result->part[i] : &result->all);
    if (words != NULL)
        stats_words_load(r, result, words);
}

int stats_load(stats_result *result, bipe_tool *tool, const char *path, bipe_error *err)
{
    bipe_result r;
    *result = (stats_result){0};
    bipe_result_open(&r, path, "bipe-stats --json", err);
    load_root(&r, result);
    if (r.status == BIPE_OK && tool != NULL && result->shards.count != 0 && result->shards.group[0].documents == 1)
        r.status = bipe_run_record_compare(tool, r.root, err); /* each shard reads all files */
    if (r.status == BIPE_OK && tool != NULL)
        r.status = bipe_run_record_add(tool, r.root, err);
    if (r.status == BIPE_OK && tool != NULL)
        bipe_languages_add(tool, json_object_get(r.root, "languages"));
    return bipe_result_close(&r);
}
