/* stats_words.c - the list of words, and the comparison of two groups by it: as JSON, which is read back, CSV and
 * tables. */
#include "tools/stats/bipe_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/csv.h"
#include "cli/tool_alloc.h"

enum { CELL_SIZE = BIPE_CELL_WIDEST, MILLION = 1000000, SHOWN = 50, SHOWN_SIDE = 20, WIDEST_WORD = 20 };
enum { PART_NUMBERS = 4, COUNT_NUMBERS = 5 };

/* ---- groups of a comparison ---- */

static const stats_part *find_part_named(const stats_result *r, size_t folder, const char *name, size_t size)
{
    for (size_t i = 0; i < r->parts; i++)
        for (size_t skip = 0; skip <= folder; skip += folder != 0 ? folder : 1)
            if (strlen(r->part[i].name + skip) == size && memcmp(r->part[i].name + skip, name, size) == 0)
                return &r->part[i];
    return NULL;
}

/* "A,B" or "A", where names may hold commas. */
static int find_groups(stats_keyness *key, const stats_result *r, size_t folder, bipe_error *err)
{
    char known[BIPE_ERROR_SIZE / 2] = "";
    size_t used = 0;
    for (const char *comma = key->asked; key->b == NULL && (comma = strchr(comma, ',')) != NULL; comma++) {
        key->a = find_part_named(r, folder, key->asked, (size_t)(comma - key->asked));
        key->b = key->a != NULL ? find_part_named(r, folder, comma + 1, strlen(comma + 1)) : NULL;
    }
    if (key->b == NULL)
        key->a = find_part_named(r, folder, key->asked, strlen(key->asked));
    if (key->a != NULL && key->a != key->b && r->parts > 1)
        return BIPE_OK;
    for (size_t i = 0; i < r->parts && used + 1 < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s'%s'", i != 0 ? ", " : "", r->part[i].name + folder);
    return bipe_fail(err, BIPE_ERR_FORMAT,
                     "--keyness: found '%.100s', expected two different groups of these, or one of several: %s",
                     key->asked, known);
}

int stats_keyness_open(stats_keyness *key, const stats_result *r, size_t folder, bipe_error *err)
{
    if (find_groups(key, r, folder, err) != BIPE_OK)
        return BIPE_ERR_FORMAT;
    uint64_t a = stats_group_key(key->a->name), b = key->b != NULL ? stats_group_key(key->b->name) : 0;
    uint8_t *side = bipe_tool_alloc(r->words.parts, 1);
    for (size_t i = 0; i < r->words.parts; i++) {
        const bipe_word_part *part = &r->words.part[i];
        side[i] = part->key == a ? 1 : key->b == NULL || part->key == b ? 2 : 0;
        key->all_a += side[i] == 1 ? part->words : 0;
        key->all_b += side[i] == 2 ? part->words : 0;
    }
    int status = bipe_word_table_keys(&r->words, side, &key->word, &key->count, err);
    bipe_free(side);
    return status;
}

/* ---- rows ---- */

#define NORMAL_95 1.959963984540054 /* 95 % of a normal distribution are within so many standard deviations */

/* A word of the list. */
typedef struct use_row {
    bipe_word_use use;
    const bipe_word_table *list;
    const char *word;
    double per_million, interval[2];
} use_row;

/* A word of a comparison. */
typedef struct key_row {
    bipe_word_keyness key;
    const char *word;
    double a_million, b_million, interval[2];
} key_row;

/* As load_word() reads it back. */
static void put_counts(bipe_json *json, const void *row)
{
    const use_row *r = row;
    bipe_json_begin_flat_array(json);
    for (uint32_t c = r->list->first[r->use.type]; c != 0; c = r->list->cell[c - 1].next) {
        const bipe_word_cell *cell = &r->list->cell[c - 1];
        const bipe_word_count *n = &cell->count;
        const uint64_t number[] = {cell->part, n->frequency, n->documents, n->squares, n->products};
        bipe_json_uints(json, number, COUNT_NUMBERS);
    }
    bipe_json_end_array(json);
}

#define USE(type, field, ...) BIPE_COLUMN(use_row, type, field, __VA_ARGS__)
#define KEY(type, field, ...) BIPE_COLUMN(key_row, type, field, __VA_ARGS__)
#define WORD .member = "word", .name = "word", .heading = "word", .width = WIDEST_WORD
#define INTERVAL .member = "interval", .heading = "95 % interval", .spare = 3, .form = BIPE_CELL_SIGNED

static const bipe_column use_columns[] = {
    USE(TEXT, word, WORD),
    USE(UINT, use.frequency, .member = "frequency", .name = "frequency", .heading = "frequency"),
    USE(NUMBER, per_million, .member = "per_million", .name = "per_million", .heading = "per million", .spare = 1),
    USE(PAIR, interval, INTERVAL, .name = "low,high"),
    USE(UINT, use.documents, .member = "documents", .name = "documents", .heading = "documents"),
    USE(NUMBER, use.dp, .member = "dp", .name = "dp", .heading = "DP", .form = BIPE_CELL_SHARE),
    USE(NUMBER, use.d, .member = "d", .name = "d", .heading = "D", .form = BIPE_CELL_SHARE, .spare = 2),
    USE(LIST, list, .member = "counts", .put = put_counts),
};
static const bipe_column key_columns[] = {
    KEY(TEXT, word, WORD),
    KEY(UINT, key.a, .member = "a", .name = "a", .heading = "A"),
    KEY(UINT, key.b, .member = "b", .name = "b", .heading = "B"),
    KEY(UINT, key.a_documents, .member = "a_documents", .name = "a_documents"),
    KEY(UINT, key.b_documents, .member = "b_documents", .name = "b_documents"),
    KEY(NUMBER, a_million, .name = "a_per_million", .heading = "A per million", .spare = 2),
    KEY(NUMBER, b_million, .name = "b_per_million", .heading = "B per million", .spare = 2),
    KEY(NUMBER, key.g2, .member = "g2", .name = "g2", .heading = "G2"),
    KEY(NUMBER, key.ratio, .member = "log_ratio", .name = "log_ratio", .heading = "log ratio"),
    KEY(PAIR, interval, INTERVAL, .name = "log_ratio_low,log_ratio_high"),
    KEY(NUMBER, key.p, .member = "p", .name = "p", .heading = "p", .form = BIPE_CELL_P, .spare = 1),
};
enum { USE_COLUMNS = BIPE_COUNT_OF(use_columns), KEY_COLUMNS = BIPE_COUNT_OF(key_columns) };

static const char *text_of(const bipe_word_table *list, uint32_t type)
{
    return (const char *)list->types.text.data + list->types.type[type].at;
}

static double per_million(uint64_t frequency, uint64_t words)
{
    return (double)frequency / (double)words * MILLION;
}

/* The interval of the frequency is symmetric on a logarithmic scale; NaN where it is not known. */
static use_row use_at(const stats_report *report, size_t i)
{
    const bipe_word_use *use = &report->use[i];
    const bipe_word_table *list = &report->result->words;
    double middle = per_million(use->frequency, report->result->all.tokens), factor = exp(NORMAL_95 * use->error);
    return (use_row){*use, list, text_of(list, use->type), middle, {middle / factor, middle * factor}};
}

static key_row key_at(const stats_report *report, size_t i)
{
    const stats_keyness *key = &report->key;
    const bipe_word_keyness *w = &key->word[i];
    double half = NORMAL_95 * w->error;
    return (key_row){*w, text_of(&report->result->words, w->type), per_million(w->a, key->all_a),
                     per_million(w->b, key->all_b), {w->ratio - half, w->ratio + half}};
}

/* ---- JSON ---- */

void stats_words_put(const stats_report *report, bipe_json *json)
{
    const bipe_word_table *list = &report->result->words;
    bipe_json_key_object(json, "word_list");
    bipe_json_key_array(json, "parts");
    for (size_t i = 0; i < list->parts; i++)
        bipe_json_uints(json,
                        (const uint64_t[]){list->part[i].key, list->part[i].documents, list->part[i].words,
                                           list->part[i].squares},
                        PART_NUMBERS);
    bipe_json_end_array(json);
    bipe_json_key_array(json, "words");
    for (size_t i = 0; i < list->types.count; i++) {
        const use_row row = use_at(report, i);
        bipe_json_begin_object(json);
        bipe_columns_json(json, use_columns, USE_COLUMNS, &row);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
    if (report->key.asked == NULL)
        return;
    bipe_json_key_object(json, "keyness");
    bipe_json_key_text(json, "a", report->key.a->name);
    bipe_json_key_text(json, "b", report->key.b != NULL ? report->key.b->name : NULL);
    bipe_json_key_array(json, "words");
    for (size_t i = 0; i < report->key.count; i++) {
        const key_row row = key_at(report, i);
        bipe_json_begin_object(json);
        bipe_columns_json(json, key_columns, KEY_COLUMNS, &row);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

/* rest: (parts) words that no count of a part has named yet. */
static void load_word(bipe_result *r, bipe_word_table *list, uint64_t *rest, const json_t *object)
{
    static const char expected[] = "lists of a part, a frequency, documents and sums of squares and products, parts "
                                   "rising, with all words of each part in the end";
    const json_t *word = json_object_get(object, "word"), *counts = json_object_get(object, "counts");
    size_t types = list->types.count;
    uint64_t next = 0; /* part */
    bipe_result_expect(r, json_is_string(word) && json_string_length(word) > 0, "word", "a string");
    for (size_t i = 0; i < json_array_size(counts) && r->status == BIPE_OK; i++) {
        uint64_t n[COUNT_NUMBERS];
        bool good = bipe_result_numbers(json_array_get(counts, i), n, COUNT_NUMBERS) && n[0] >= next &&
                    n[0] < list->parts && n[1] >= n[2] && n[2] > 0 && n[2] <= UINT32_MAX && n[1] <= rest[n[0]] &&
                    n[3] <= BIPE_WORD_SUM_MOST && n[4] <= BIPE_WORD_SUM_MOST;
        bipe_result_expect(r, good, "counts", expected);
        if (r->status != BIPE_OK)
            return;
        rest[n[0]] -= n[1];
        next = n[0] + 1;
        const bipe_word_count count = {.frequency = n[1], .documents = (uint32_t)n[2], .squares = n[3],
                                       .products = n[4]};
        r->status = bipe_word_table_add(list, (uint32_t)n[0], true, (const uint8_t *)json_string_value(word),
                                        json_string_length(word), &count, r->err);
        bipe_result_expect(r, list->types.count == types + 1, "word", "each word once");
    }
    bipe_result_expect(r, next != 0, "counts", expected);
}

void stats_words_load(bipe_result *r, stats_result *stats, const json_t *object)
{
    bipe_word_table *list = &stats->words;
    const json_t *parts = json_object_get(object, "parts"), *words = json_object_get(object, "words");
    uint64_t *rest = bipe_tool_alloc(json_array_size(parts), sizeof *rest), all = 0, documents = 0;
    for (size_t i = 0; i < json_array_size(parts) && r->status == BIPE_OK; i++) {
        uint64_t n[PART_NUMBERS];
        uint32_t part = 0;
        bool good = bipe_result_numbers(json_array_get(parts, i), n, PART_NUMBERS) && n[0] >> BIPE_UNIT_KEY_BITS == 0 &&
                    n[2] <= stats->all.tokens - all && n[3] <= BIPE_WORD_SUM_MOST;
        bipe_result_expect(r, good, "word_list.parts",
                           "lists of a key, documents, words, and the sum of their squares, no more than there are");
        if (r->status == BIPE_OK)
            r->status = bipe_word_table_part(list, n[0], &part, r->err);
        bipe_result_expect(r, list->parts == i + 1, "word_list.parts", "each key once");
        if (r->status != BIPE_OK)
            break;
        list->part[part] = (bipe_word_part){n[0], n[1], n[2], n[3]};
        rest[part] = n[2];
        documents += n[1];
        all += n[2];
    }
    bipe_result_expect(r, all == stats->all.tokens && documents == stats->all.documents, "word_list.parts",
                       "all documents and words");
    for (size_t i = 0; i < json_array_size(words) && r->status == BIPE_OK; i++)
        load_word(r, list, rest, bipe_result_element(r, words, "word_list.words", i));
    bipe_result_end_list(r);
    for (size_t i = 0; i < list->parts && r->status == BIPE_OK; i++)
        bipe_result_expect(r, rest[i] == 0, "word_list.words", "all words of each part");
    bipe_free(rest);
}

/* ---- CSV ---- */

/* The frequency of a word in a group. */
static uint64_t frequency_in(const bipe_word_table *list, uint32_t type, const char *group)
{
    uint64_t key = stats_group_key(group);
    uint32_t c = list->first[type];
    while (c != 0 && list->part[list->cell[c - 1].part].key != key)
        c = list->cell[c - 1].next;
    return c != 0 ? list->cell[c - 1].count.frequency : 0;
}

static void csv_uses(const stats_report *report, bipe_output *output)
{
    const stats_result *r = report->result;
    size_t groups = r->group_by != NULL ? r->parts : 0;
    bipe_columns_names(output, use_columns, USE_COLUMNS, ',');
    for (size_t g = 0; g < groups; g++) {
        bipe_output_write(output, ",", 1, NULL);
        bipe_csv_text(output, r->part[g].name);
    }
    bipe_output_write(output, "\n", 1, NULL);
    for (size_t i = 0; i < r->words.types.count; i++) {
        const use_row row = use_at(report, i);
        bipe_columns_values(output, use_columns, USE_COLUMNS, ',', &row);
        for (size_t g = 0; g < groups; g++)
            bipe_output_printf(output, NULL, ",%" PRIu64, frequency_in(&r->words, row.use.type, r->part[g].name));
        bipe_output_write(output, "\n", 1, NULL);
    }
}

void stats_words_csv(const stats_report *report, bipe_output *output)
{
    if (report->key.asked == NULL) {
        csv_uses(report, output);
        return;
    }
    bipe_columns_head(output, key_columns, KEY_COLUMNS, ',');
    for (size_t i = 0; i < report->key.count; i++) {
        const key_row row = key_at(report, i);
        bipe_columns_line(output, key_columns, KEY_COLUMNS, ',', &row);
    }
}

/* ---- tables ---- */

static void put_uses(const stats_report *report, bipe_table *t)
{
    size_t types = report->result->words.types.count, rows = types < SHOWN ? types : SHOWN, hapaxes = 0;
    use_row row[SHOWN];
    const void *at[SHOWN];
    char a[CELL_SIZE], b[CELL_SIZE], text[256];
    for (size_t i = 0; i < rows; i++) {
        row[i] = use_at(report, i);
        at[i] = &row[i];
    }
    while (hapaxes < types && report->use[types - 1 - hapaxes].frequency == 1)
        hapaxes++;
    if (rows == 0) {
        stats_put_sentence(t, "There are no words.");
        return;
    }
    snprintf(text, sizeof text, "%s type%s, of which %s %s used once.", bipe_cell_count(a, types),
             types == 1 ? "" : "s", bipe_cell_count(b, hapaxes), hapaxes == 1 ? "is" : "are");
    stats_put_sentence(t, text);
    bipe_output_printf(t->output, NULL, "\n");
    bipe_table_rows(t, use_columns, USE_COLUMNS, 1, at, rows);
    bipe_output_printf(t->output, NULL, "\n");
    const char *of = report->result->group_by != NULL ? "groups" : "documents";
    snprintf(text, sizeof text, "%sDP: from 0, as often in all %s, to almost 1; D: from 1 to 0.%s",
             isnan(report->use[0].error) ? "" : "Intervals are of the frequency per million, over documents. ", of,
             rows < types ? " --csv prints all words." : "");
    stats_put_sentence(t, text);
}

/* The words that one side has more of. */
static size_t take_side(const stats_report *report, bool of_a, key_row row[SHOWN_SIDE], const void *at[SHOWN_SIDE])
{
    size_t rows = 0;
    for (size_t i = 0; i < report->key.count && rows < SHOWN_SIDE; i++) {
        double g2 = report->key.word[i].g2;
        if (of_a ? !(g2 > 0) : !(g2 < 0))
            continue;
        row[rows] = key_at(report, i);
        at[rows] = &row[rows];
        rows++;
    }
    return rows;
}

static void put_keys(const stats_report *report, bipe_table *t)
{
    key_row row[SHOWN_SIDE];
    const void *at[SHOWN_SIDE];
    const stats_keyness *key = &report->key;
    char text[1024], name[2][CELL_SIZE], count[CELL_SIZE];
    const char *a = stats_format_quoted(name[0], key->a->name + report->folder),
               *b = key->b != NULL ? stats_format_quoted(name[1], key->b->name + report->folder) : "all others";
    for (int side = 0; side < 2; side++) {
        size_t rows = take_side(report, side == 0, row, at);
        snprintf(text, sizeof text, "  More in %s than in %s", side == 0 ? a : b, side == 0 ? b : a);
        bipe_table_heading(t, text);
        if (rows != 0)
            bipe_table_rows(t, key_columns, KEY_COLUMNS, 1, at, rows);
        else
            stats_put_sentence(t, "No words.");
        bipe_output_printf(t->output, NULL, "\n");
    }
    snprintf(text, sizeof text,
             "A is %s, B is %s. G2: log-likelihood; log ratio: base 2, of relative frequencies (1: twice as often in "
             "A; a frequency of 0 counts as a half), with its interval over documents; p: of G2, corrected for %s "
             "word%s by Holm's method. --csv prints all words.",
             a, b, bipe_cell_count(count, key->count), key->count == 1 ? "" : "s");
    stats_put_sentence(t, text);
}

void stats_words_table(const stats_report *report, bipe_table *t)
{
    bipe_output_printf(t->output, NULL, "\n");
    if (report->key.asked != NULL)
        put_keys(report, t);
    else
        put_uses(report, t);
}
