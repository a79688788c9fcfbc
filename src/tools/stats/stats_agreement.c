/* stats_agreement.c - segmenters compared by how far they agree with a reference, in the same documents, and the places
 * where they do not: as JSON, CSV and tables. */
#include "tools/stats/bipe_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "text/label.h"
#include "text/utf8.h"

/* ---- pairs ---- */

/* Documents are paired by their keys: without the same on both sides there is no difference. */
static int find_difference(bipe_estimate *e, const stats_result *result, const bipe_unit_bins *a,
                           const bipe_unit_bins *b, bipe_error *err)
{
    static const bipe_estimate none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    bool same = a->count == b->count;
    *e = none;
    for (size_t i = 0; i < a->count && same; i++)
        same = a->bin[i].key == b->bin[i].key;
    if (!same)
        return BIPE_OK;
    bipe_unit *unit_a = bipe_tool_need(bipe_unit_bins_units(a)), *unit_b = bipe_tool_need(bipe_unit_bins_units(b));
    int status = bipe_estimate_difference(e, unit_a, unit_b, a->count, 0, err);
    bipe_free(unit_a);
    bipe_free(unit_b);
    stats_settle_estimate(e, result);
    return status;
}

int stats_agreement_open(stats_report *report, bipe_error *err)
{
    const stats_result *r = report->result;
    int status = BIPE_OK;
    report->pair = bipe_tool_alloc((r->parts + 1) * r->count, sizeof *report->pair);
    for (size_t p = 0; p <= r->parts; p++) {
        const stats_part *part = p < r->parts ? &r->part[p] : &r->all;
        for (size_t s = 1; s < r->count && part->measure != NULL && status == BIPE_OK; s++) {
            stats_pair *pair = &report->pair[report->pairs++];
            *pair = (stats_pair){.group = part->name, .of = r->segmenter[0], .to = r->segmenter[s]};
            for (size_t id = 0; id < BIPE_AGREEMENT_COUNT && status == BIPE_OK; id++)
                status = find_difference(&pair->difference[id], r, &part->measure[id],
                                         &part->measure[s * BIPE_AGREEMENT_COUNT + id], err);
            for (stats_line *line = report->line; line < report->line + report->lines; line++)
                if (line->part == part && line->whole != NULL && line->segmenter == r->segmenter[s])
                    line->f1_difference = pair->difference[BIPE_AGREEMENT_F1];
        }
    }
    return status;
}

/* ---- columns ---- */

#define PAIRED(type, field, ...) BIPE_COLUMN(stats_pair, type, field, __VA_ARGS__)
#define DIFFERENCE(id, key) \
    PAIRED(NUMBER, difference[BIPE_AGREEMENT_##id].value, .member = key ".difference"), \
    PAIRED(NUMBER, difference[BIPE_AGREEMENT_##id].error, .member = key ".stderr"), \
    PAIRED(PAIR, difference[BIPE_AGREEMENT_##id].low, .member = key ".interval"), \
    PAIRED(NUMBER, difference[BIPE_AGREEMENT_##id].p, .member = key ".p")
#define MISS(type, field, key) BIPE_COLUMN(stats_miss, type, field, .member = key, .name = key)

static const bipe_column pair_columns[] = {
    PAIRED(TEXT, group, .member = "part", .optional = true), PAIRED(TEXT, of, .member = "a"),
    PAIRED(TEXT, to, .member = "b"), DIFFERENCE(PRECISION, "precision"), DIFFERENCE(RECALL, "recall"),
    DIFFERENCE(F1, "f1"), DIFFERENCE(INNER_PRECISION, "inner_precision"), DIFFERENCE(INNER_RECALL, "inner_recall"),
    DIFFERENCE(INNER_F1, "inner_f1"), DIFFERENCE(PK, "pk"), DIFFERENCE(WINDOWDIFF, "windowdiff"),
    DIFFERENCE(EXACT, "exact"),
};
static const bipe_column miss_columns[] = {
    MISS(TEXT, of, "segmenter"), MISS(TEXT, path, "file"), MISS(UINT, document, "document"),
    MISS(UINT, offset, "offset"), MISS(TEXT, found, "found"), MISS(TEXT, expected, "expected"),
    MISS(TEXT, before, "before"), MISS(TEXT, after, "after"),
};

void stats_agreement_put(const stats_report *report, bipe_json *json)
{
    const stats_misses *misses = &report->result->misses;
    bipe_json_key_array(json, "gold_comparisons");
    for (size_t i = 0; i < report->pairs; i++) {
        bipe_json_begin_object(json);
        bipe_columns_json(json, pair_columns, BIPE_COUNT_OF(pair_columns), &report->pair[i]);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    if (!report->misses)
        return;
    bipe_json_key_array(json, "misses");
    for (size_t i = 0; i < misses->count; i++) {
        bipe_json_begin_object(json);
        bipe_columns_json(json, miss_columns, BIPE_COUNT_OF(miss_columns), &misses->miss[i]);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

void stats_misses_csv(const stats_report *report, bipe_output *output)
{
    const stats_misses *misses = &report->result->misses;
    bipe_columns_head(output, miss_columns, BIPE_COUNT_OF(miss_columns), ',');
    for (size_t i = 0; i < misses->count; i++)
        bipe_columns_line(output, miss_columns, BIPE_COUNT_OF(miss_columns), ',', &misses->miss[i]);
}

/* ---- tables ---- */

enum { NARROW = 20, PLACE = 40 };

/* The text in one line, where a newline is a blank, of which the last, or the first, columns are printed; blanks at the
 * end of a line are not. */
static void put_context(bipe_output *output, const char *text, size_t columns, bool end, bool utf8)
{
    char *copy = bipe_tool_need(bipe_label_copy(text));
    size_t size = strlen(copy), from = 0, used = 0;
    for (size_t i = 0; i < size; i++)
        copy[i] = (uint8_t)text[i] < 0x20 && strlen(text) == size ? ' ' : copy[i];
    for (size_t step = 1; end && bipe_label_columns(copy + from) > columns; from += step)
        for (step = 1; ((uint8_t)copy[from + step] & 0xC0) == 0x80;)
            step++;
    if (end)
        bipe_output_printf(output, NULL, "%*s", (int)(columns - bipe_label_columns(copy + from)), "");
    else
        while (size > 0 && copy[size - 1] == ' ')
            copy[--size] = '\0';
    if (!end)
        for (size_t to = size; bipe_label_columns(copy) > columns; copy[to] = '\0')
            for (to--; ((uint8_t)copy[to] & 0xC0) == 0x80;)
                to--;
    bipe_label_print(output, copy + from, columns, utf8, &used);
    bipe_free(copy);
}

void stats_misses_table(const stats_report *report, bipe_table *t)
{
    const stats_result *r = report->result;
    const stats_misses *misses = &r->misses;
    size_t width = t->look.width > 2 * NARROW + PLACE ? t->look.width : 2 * NARROW + PLACE;
    for (size_t i = 0; i < misses->count; i++) {
        const stats_miss *m = &misses->miss[i];
        char text[3 * BIPE_CELL_WIDEST], place[BIPE_CELL_WIDEST], name[BIPE_CELL_WIDEST];
        if (i == 0 || m[-1].segmenter != m->segmenter) {
            snprintf(text, sizeof text, "  Where %s and the reference differ (+ an end of its own, - of the reference)",
                     stats_format_quoted(name, m->of));
            bipe_output_printf(t->output, NULL, "\n");
            bipe_table_heading(t, text);
        }
        if (stats_result_files(r) > 1)
            snprintf(place, sizeof place, "%s:%" PRIu64 ":%" PRIu64, bipe_label_cut(m->path, NARROW, name, sizeof name),
                     m->document, m->offset);
        else if (r->all.documents > 1)
            snprintf(place, sizeof place, "%" PRIu64 ":%" PRIu64, m->document, m->offset);
        else
            snprintf(place, sizeof place, "%" PRIu64, m->offset);
        bipe_hide_controls(place);
        size_t columns = bipe_label_columns(place) > 10 ? bipe_label_columns(place) : 10, rest = width - columns - 7;
        bipe_output_printf(t->output, NULL, "  %*s%s %c ", (int)(columns - bipe_label_columns(place)), "", place,
                           m->found[0] == 'e' ? '+' : '-');
        put_context(t->output, m->before, rest / 2, true, t->look.utf8);
        bipe_output_printf(t->output, NULL, "|");
        put_context(t->output, m->after, rest - rest / 2, false, t->look.utf8);
        bipe_output_printf(t->output, NULL, "\n");
    }
    if (misses->count == 0)
        stats_put_sentence(t, "There is no place where they differ.");
}
