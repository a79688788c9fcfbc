/* stats_words.c - the list of words, and the comparison of two groups by it: as JSON, which is read back, CSV and tables. */
#include "tools/stats/bipe_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/csv.h"
#include "cli/tool_alloc.h"
#include "text/label.h"

enum { CELL_SIZE = STATS_CELL_SIZE, MILLION = 1000000, SHOWN = 50, SHOWN_SIDE = 20, WIDEST_WORD = 20, PART_NUMBERS = 4, COUNT_NUMBERS = 5 };

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
        used += (size_t)snprintf(known + used, sizeof known - used, "%s'%s'", i != 0 ? ", " : "", r->part[i].name + folder);
    return bipe_fail(err, BIPE_ERR_FORMAT, "--keyness: found '%.100s', expected two different groups of these, or one of several: %s", key->asked, known);
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

/* ---- numbers ---- */

#define NORMAL_95 1.959963984540054 /* 95 % of a normal distribution are within so many standard deviations */

static double per_million(uint64_t frequency, uint64_t words)
{
    return (double)frequency / (double)words * MILLION;
}

/* Per million words; NaN where it is not known. On a logarithmic scale it is symmetric. */
static void frequency_interval(const bipe_word_use *use, uint64_t words, double *low, double *high)
{
    double middle = per_million(use->frequency, words), factor = exp(NORMAL_95 * use->error);
    *low = middle / factor;
    *high = middle * factor;
}

/* ---- JSON ---- */

static void put_word(bipe_json *json, const bipe_word_table *list, uint32_t type)
{
    bipe_json_key(json, "word");
    bipe_json_bytes(json, list->types.text.data + list->types.type[type].at, list->types.type[type].size);
}

/* As load_word() reads it back. */
static void put_count(bipe_json *json, const bipe_word_cell *cell)
{
    const bipe_word_count *c = &cell->count;
    bipe_json_uints(json, (const uint64_t[]){cell->part, c->frequency, c->documents, c->squares, c->products}, COUNT_NUMBERS);
}

static void put_use(bipe_json *json, const bipe_word_table *list, const bipe_word_use *use, uint64_t words)
{
    double low, high;
    bipe_json_begin_object(json);
    put_word(json, list, use->type);
    bipe_json_key_uint(json, "frequency", use->frequency);
    bipe_json_key_number(json, "per_million", per_million(use->frequency, words));
    frequency_interval(use, words, &low, &high);
    bipe_json_key_pair(json, "interval", low, high);
    bipe_json_key_uint(json, "documents", use->documents);
    bipe_json_key_number(json, "dp", use->dp);
    bipe_json_key_number(json, "d", use->d);
    bipe_json_key_flat_array(json, "counts");
    for (uint32_t c = list->first[use->type]; c != 0; c = list->cell[c - 1].next)
        put_count(json, &list->cell[c - 1]);
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

static void put_key(bipe_json *json, const bipe_word_table *list, const bipe_word_keyness *word)
{
    bipe_json_begin_object(json);
    put_word(json, list, word->type);
    bipe_json_key_uint(json, "a", word->a);
    bipe_json_key_uint(json, "b", word->b);
    bipe_json_key_uint(json, "a_documents", word->a_documents);
    bipe_json_key_uint(json, "b_documents", word->b_documents);
    bipe_json_key_number(json, "g2", word->g2);
    bipe_json_key_number(json, "log_ratio", word->ratio);
    bipe_json_key_pair(json, "interval", word->ratio - NORMAL_95 * word->error, word->ratio + NORMAL_95 * word->error);
    bipe_json_key_number(json, "p", word->p);
    bipe_json_end_object(json);
}

void stats_words_put(const stats_report *report, bipe_json *json)
{
    const bipe_word_table *list = &report->result->words;
    bipe_json_key_object(json, "word_list");
    bipe_json_key_array(json, "parts");
    for (size_t i = 0; i < list->parts; i++)
        bipe_json_uints(json, (const uint64_t[]){list->part[i].key, list->part[i].documents, list->part[i].words, list->part[i].squares}, PART_NUMBERS);
    bipe_json_end_array(json);
    bipe_json_key_array(json, "words");
    for (size_t i = 0; i < list->types.count; i++)
        put_use(json, list, &report->use[i], report->result->all.tokens);
    bipe_json_end_array(json);
    bipe_json_end_object(json);
    if (report->key.asked == NULL)
        return;
    bipe_json_key_object(json, "keyness");
    bipe_json_key_text(json, "a", report->key.a->name);
    bipe_json_key_text(json, "b", report->key.b != NULL ? report->key.b->name : NULL);
    bipe_json_key_array(json, "words");
    for (size_t i = 0; i < report->key.count; i++)
        put_key(json, list, &report->key.word[i]);
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

/* Numbers that are a list. */
static bool take_numbers(const json_t *list, uint64_t *number, size_t count)
{
    bool good = json_array_size(list) == count;
    for (size_t k = 0; k < count && good; k++)
        good = bipe_result_number(json_array_get(list, k), &number[k]);
    return good;
}

/* rest: (parts) words that no count of a part has named yet. */
static void load_word(bipe_result *r, bipe_word_table *list, uint64_t *rest, const json_t *object)
{
    static const char expected[] = "lists of a part, a frequency, documents and sums of squares and products, parts rising, with all words of each part in the end";
    const json_t *word = json_object_get(object, "word"), *counts = json_object_get(object, "counts");
    size_t types = list->types.count;
    uint64_t next = 0; /* part */
    bipe_result_expect(r, json_is_string(word) && json_string_length(word) > 0, "word", "a string");
    for (size_t i = 0; i < json_array_size(counts) && r->status == BIPE_OK; i++) {
        uint64_t n[COUNT_NUMBERS];
        bipe_result_expect(r, take_numbers(json_array_get(counts, i), n, COUNT_NUMBERS) && n[0] >= next && n[0] < list->parts && n[1] >= n[2] && n[2] > 0 && n[2] <= UINT32_MAX &&
                                  n[1] <= rest[n[0]] && n[3] <= BIPE_WORD_SUM_MOST && n[4] <= BIPE_WORD_SUM_MOST,
                           "counts", expected);
        if (r->status != BIPE_OK)
            return;
        rest[n[0]] -= n[1];
        next = n[0] + 1;
        const bipe_word_count count = {.frequency = n[1], .documents = (uint32_t)n[2], .squares = n[3], .products = n[4]};
        r->status = bipe_word_table_add(list, (uint32_t)n[0], true, (const uint8_t *)json_string_value(word), json_string_length(word), &count, r->err);
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
        bipe_result_expect(r, take_numbers(json_array_get(parts, i), n, PART_NUMBERS) && n[0] >> BIPE_UNIT_KEY_BITS == 0 && n[2] <= stats->all.tokens - all &&
                                  n[3] <= BIPE_WORD_SUM_MOST, "word_list.parts", "lists of a key, documents, words, and the sum of their squares, no more than there are");
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
    bipe_result_expect(r, all == stats->all.tokens && documents == stats->all.documents, "word_list.parts", "all documents and words");
    for (size_t i = 0; i < json_array_size(words) && r->status == BIPE_OK; i++)
        load_word(r, list, rest, bipe_result_element(r, words, "word_list.words", i));
    bipe_result_end_list(r);
    for (size_t i = 0; i < list->parts && r->status == BIPE_OK; i++)
        bipe_result_expect(r, rest[i] == 0, "word_list.words", "all words of each part");
    bipe_free(rest);
}

/* ---- CSV ---- */

static const char *text_of(const bipe_word_table *list, uint32_t type)
{
    return (const char *)list->types.text.data + list->types.type[type].at;
}

/* The frequency of a word in a group. */
static uint64_t frequency_in(const bipe_word_table *list, uint32_t type, uint64_t key)
{
    uint32_t c = list->first[type];
    while (c != 0 && list->part[list->cell[c - 1].part].key != key)
        c = list->cell[c - 1].next;
    return c != 0 ? list->cell[c - 1].count.frequency : 0;
}

static void csv_uses(const stats_report *report, bipe_output *output)
{
    const stats_result *r = report->result;
    size_t groups = r->group_by != NULL ? r->parts : 0;
    bipe_output_printf(output, NULL, "word,frequency,per_million,low,high,documents,dp,d");
    for (size_t g = 0; g < groups; g++) {
        bipe_output_printf(output, NULL, ",");
        bipe_csv_text(output, r->part[g].name);
    }
    bipe_output_printf(output, NULL, "\n");
    for (size_t i = 0; i < r->words.types.count; i++) {
        const bipe_word_use *use = &report->use[i];
        bipe_csv_text(output, text_of(&r->words, use->type));
        bipe_output_printf(output, NULL, ",%" PRIu64, use->frequency);
        double low, high;
        frequency_interval(use, r->all.tokens, &low, &high);
        bipe_csv_numbers(output, (const double[]){per_million(use->frequency, r->all.tokens), low, high}, 3);
        bipe_output_printf(output, NULL, ",%" PRIu64, use->documents);
        bipe_csv_numbers(output, (const double[]){use->dp, use->d}, 2);
        for (size_t g = 0; g < groups; g++)
            bipe_output_printf(output, NULL, ",%" PRIu64, frequency_in(&r->words, use->type, stats_group_key(r->part[g].name)));
        bipe_output_printf(output, NULL, "\n");
    }
}

static void csv_keys(const stats_report *report, bipe_output *output)
{
    bipe_output_printf(output, NULL, "word,a,b,a_documents,b_documents,a_per_million,b_per_million,g2,log_ratio,log_ratio_low,log_ratio_high,p\n");
    for (size_t i = 0; i < report->key.count; i++) {
        const bipe_word_keyness *w = &report->key.word[i];
        bipe_csv_text(output, text_of(&report->result->words, w->type));
        bipe_output_printf(output, NULL, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, w->a, w->b, w->a_documents, w->b_documents);
        bipe_csv_numbers(output, (const double[]){per_million(w->a, report->key.all_a), per_million(w->b, report->key.all_b), w->g2, w->ratio,
                                                       w->ratio - NORMAL_95 * w->error, w->ratio + NORMAL_95 * w->error, w->p}, 7);
        bipe_output_printf(output, NULL, "\n");
    }
}

void stats_words_csv(const stats_report *report, bipe_output *output)
{
    if (report->key.asked != NULL)
        csv_keys(report, output);
    else
        csv_uses(report, output);
}

/* ---- tables ---- */

/* A line of either table. */
typedef struct word_row {
    const stats_report *report;
    const bipe_word_use *use;
    const bipe_word_keyness *key;
} word_row;

enum { SHOW_WORD, SHOW_FREQUENCY, SHOW_MILLION, SHOW_DOCUMENTS, SHOW_DP, SHOW_D, SHOW_A, SHOW_B, SHOW_A_MILLION, SHOW_B_MILLION, SHOW_G2, SHOW_RATIO, SHOW_P, SHOW_INTERVAL };

static const char *format_word(char cell[CELL_SIZE], const char *text)
{
    return bipe_hide_controls((char *)(uintptr_t)bipe_label_cut(text, WIDEST_WORD, cell, CELL_SIZE));
}

/* Of the frequency per million, or of the log ratio. */
static const char *format_word_interval(char cell[CELL_SIZE], const word_row *w)
{
    char from[CELL_SIZE], to[CELL_SIZE];
    double low, high;
    if (w->use != NULL) {
        frequency_interval(w->use, w->report->result->all.tokens, &low, &high);
    } else {
        low = w->key->ratio - NORMAL_95 * w->key->error;
        high = w->key->ratio + NORMAL_95 * w->key->error;
    }
    if (isnan(low))
        return strcpy(cell, "-");
    snprintf(cell, CELL_SIZE, "[%.40s, %.40s]", stats_format_real(from, low), stats_format_real(to, high));
    return cell;
}

static const char *format_word_cell(char cell[CELL_SIZE], const stats_column *column, const void *row)
{
    const word_row *w = row;
    const bipe_word_table *list = &w->report->result->words;
    switch (column->shows) {
    case SHOW_WORD: return format_word(cell, text_of(list, w->use != NULL ? w->use->type : w->key->type));
    case SHOW_FREQUENCY: return stats_format_count(cell, w->use->frequency);
    case SHOW_MILLION: return stats_format_real(cell, per_million(w->use->frequency, w->report->result->all.tokens));
    case SHOW_DOCUMENTS: return stats_format_count(cell, w->use->documents);
    case SHOW_DP: return stats_format_share(cell, w->use->dp);
    case SHOW_D: return stats_format_share(cell, w->use->d);
    case SHOW_A: return stats_format_count(cell, w->key->a);
    case SHOW_B: return stats_format_count(cell, w->key->b);
    case SHOW_A_MILLION: return stats_format_real(cell, per_million(w->key->a, w->report->key.all_a));
    case SHOW_B_MILLION: return stats_format_real(cell, per_million(w->key->b, w->report->key.all_b));
    case SHOW_G2: return stats_format_real(cell, w->key->g2);
    case SHOW_RATIO: return stats_format_real(cell, w->key->ratio);
    case SHOW_INTERVAL: return format_word_interval(cell, w);
    default: return w->key->p < 0.001 ? strcpy(cell, "<.001") : stats_format_share(cell, w->key->p);
    }
}

static const stats_column use_columns[] = {
    {SHOW_WORD, 0, "word"}, {SHOW_FREQUENCY, 0, "frequency"}, {SHOW_MILLION, 1, "per million"}, {SHOW_INTERVAL, 3, "95 % interval"}, {SHOW_DOCUMENTS, 0, "documents"}, {SHOW_DP, 0, "DP"}, {SHOW_D, 2, "D"},
};
static const stats_column key_columns[] = {
    {SHOW_WORD, 0, "word"}, {SHOW_A, 0, "A"}, {SHOW_B, 0, "B"}, {SHOW_A_MILLION, 2, "A per million"}, {SHOW_B_MILLION, 2, "B per million"},
    {SHOW_G2, 0, "G2"}, {SHOW_RATIO, 0, "log ratio"}, {SHOW_INTERVAL, 3, "95 % interval"}, {SHOW_P, 1, "p"},
};

static void put_uses(const stats_report *report, stats_printer *p)
{
    const bipe_word_table *list = &report->result->words;
    word_row row[SHOWN];
    const void *at[SHOWN];
    char a[CELL_SIZE], b[CELL_SIZE], text[256];
    size_t rows = list->types.count < SHOWN ? list->types.count : SHOWN, hapaxes = 0;
    for (size_t i = 0; i < rows; i++) {
        row[i] = (word_row){.report = report, .use = &report->use[i]};
        at[i] = &row[i];
    }
    while (hapaxes < list->types.count && report->use[list->types.count - 1 - hapaxes].frequency == 1)
        hapaxes++;
    if (rows == 0) {
        stats_put_sentence(p, "There are no words.");
        return;
    }
    snprintf(text, sizeof text, "%s type%s, of which %s %s used once.", stats_format_count(a, list->types.count), list->types.count == 1 ? "" : "s",
             stats_format_count(b, hapaxes), hapaxes == 1 ? "is" : "are");
    stats_put_sentence(p, text);
    bipe_output_printf(p->output, NULL, "\n");
    stats_put_columns(p, use_columns, sizeof use_columns / sizeof use_columns[0], 1, format_word_cell, at, rows);
    bipe_output_printf(p->output, NULL, "\n");
    const char *of = report->result->group_by != NULL ? "groups" : "documents";
    snprintf(text, sizeof text, "%sDP: from 0, as often in all %s, to almost 1; D: from 1 to 0.%s",
             isnan(report->use[0].error) ? "" : "Intervals are of the frequency per million, over documents. ", of, rows < list->types.count ? " --csv prints all words." : "");
    stats_put_sentence(p, text);
}

/* The words that one side has more of. */
static size_t take_side(const stats_report *report, bool of_a, word_row row[SHOWN_SIDE], const void *at[SHOWN_SIDE])
{
    size_t rows = 0;
    for (size_t i = 0; i < report->key.count && rows < SHOWN_SIDE; i++) {
        const bipe_word_keyness *key = &report->key.word[i];
        if (of_a ? !(key->g2 > 0) : !(key->g2 < 0))
            continue;
        row[rows] = (word_row){.report = report, .key = key};
        at[rows] = &row[rows];
        rows++;
    }
    return rows;
}

static void put_keys(const stats_report *report, stats_printer *p)
{
    word_row row[SHOWN_SIDE];
    const void *at[SHOWN_SIDE];
    const stats_keyness *key = &report->key;
    char text[1024], name[2][CELL_SIZE], count[CELL_SIZE];
    const char *a = stats_format_quoted(name[0], key->a->name + report->folder), *b = key->b != NULL ? stats_format_quoted(name[1], key->b->name + report->folder) : "all others";
    for (int side = 0; side < 2; side++) {
        size_t rows = take_side(report, side == 0, row, at);
        snprintf(text, sizeof text, "  More in %s than in %s", side == 0 ? a : b, side == 0 ? b : a);
        stats_put_heading(p, text);
        if (rows != 0)
            stats_put_columns(p, key_columns, sizeof key_columns / sizeof key_columns[0], 1, format_word_cell, at, rows);
        else
            stats_put_sentence(p, "No words.");
        bipe_output_printf(p->output, NULL, "\n");
    }
    snprintf(text, sizeof text, "A is %s, B is %s. G2: log-likelihood; log ratio: base 2, of relative frequencies (1: twice as often in A; a frequency of 0 counts as a "
                                "half), with its interval over documents; p: of G2, corrected for %s word%s by Holm's method. --csv prints all words.", a, b, stats_format_count(count, key->count), key->count == 1 ? "" : "s");
    stats_put_sentence(p, text);
}

void stats_words_table(const stats_report *report, stats_printer *p)
{
    bipe_output_printf(p->output, NULL, "\n");
    if (report->key.asked != NULL)
        put_keys(report, p);
    else
        put_uses(report, p);
}
