/* stats_table.c - a report for people: what there was; of one segmenter, two small tables, a bar chart, and what they
 * amount to; of several segmenters, files or groups, a line each; groups that fit are columns. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/label.h"
#include "tools/stats/bipe_stats.h"

enum { CELL_SIZE = BIPE_CELL_WIDEST, SENTENCE_WIDTH = 30, FEW_DOCUMENTS = 8 };
enum { SENTENCE_UNITS = CELL_SIZE + 16, OVER_SIZE = SENTENCE_UNITS + 64 };

/* ---- columns ---- */

#define SHOW(type, field, title, spared) BIPE_COLUMN(stats_line, type, field, .heading = title, .spare = spared)
#define FORM(type, field, title, spared, look) \
    BIPE_COLUMN(stats_line, type, field, .heading = title, .spare = spared, .form = BIPE_CELL_##look)
#define NAMES \
    BIPE_COLUMN(stats_line, TEXT, name, .heading = "file", .absent = "all files"), SHOW(TEXT, segmenter, "segmenter", 0)
#define BELOW(spared) FORM(NUMBER, of_tokens.below, "<50", spared, PERCENT)

/* A line for each segmenter, or file and segmenter: the first two columns are names, of which one may be of no use. */
static const bipe_column compare_columns[] = {
    NAMES, SHOW(UINT, segments_all, "segments", 0), SHOW(NUMBER, of_tokens.mean, "mean", 0),
    SHOW(NUMBER, of_tokens.sd, "sd", 5), SHOW(UINT, of_tokens.p50, "p50", 0), SHOW(UINT, of_tokens.p95, "p95", 1),
    SHOW(UINT, of_tokens.max, "max", 2), BELOW(4), SHOW(NUMBER, growth_1k, "per 1k", 3),
    FORM(NUMBER, drift, "KS", 6, SHARE), SHOW(NUMBER, of_finer.mean, "finer", 0),
    SHOW(UINT, of_finer.p95, "finer p95", 3),
};
static const bipe_column group_columns[] = {
    NAMES, SHOW(UINT, documents, "documents", 8), SHOW(UINT, segments_all, "segments", 7),
    SHOW(NUMBER, of_tokens.mean, "mean", 0), SHOW(PAIR, mean.low, "95 % of mean", 0),
    SHOW(NUMBER, of_tokens.sd, "sd", 6), SHOW(UINT, of_tokens.p50, "p50", 0), SHOW(UINT, of_tokens.p95, "p95", 1),
    SHOW(UINT, of_tokens.max, "max", 2), BELOW(4), SHOW(NUMBER, growth_1k, "per 1k", 5),
    FORM(NUMBER, contrast.ks, "KS", 0, SHARE), /* p stays where groups have one document, too */
    BIPE_COLUMN(stats_line, NUMBER, contrast.difference.p, .heading = "p", .form = BIPE_CELL_P, .stays = true),
};
static const bipe_column tokens_columns[] = {
    SHOW(TEXT, window, "window", 0), SHOW(UINT, segments_all, "segments", 4), SHOW(NUMBER, of_tokens.mean, "mean", 0),
    SHOW(NUMBER, of_tokens.sd, "sd", 5), SHOW(UINT, of_tokens.min, "min", 6), SHOW(UINT, of_tokens.p50, "p50", 0),
    SHOW(UINT, of_tokens.p90, "p90", 7), SHOW(UINT, of_tokens.p95, "p95", 0), SHOW(UINT, of_tokens.p99, "p99", 3),
    SHOW(UINT, of_tokens.max, "max", 1), BELOW(2),
};
static const bipe_column segments_columns[] = {
    SHOW(TEXT, window, "window", 0), SHOW(UINT, windows, "windows", 3), SHOW(NUMBER, of_segments.mean, "mean", 0),
    SHOW(NUMBER, of_segments.sd, "sd", 4), SHOW(UINT, of_segments.min, "min", 5), SHOW(UINT, of_segments.p5, "p5", 1),
    SHOW(UINT, of_segments.p50, "p50", 0), SHOW(UINT, of_segments.p95, "p95", 1), SHOW(UINT, of_segments.max, "max", 2),
};

#define INTERVAL "  95 %"
#define WORDS(id, title, spared, look) FORM(NUMBER, measure[BIPE_LEXICAL_##id].value, title, spared, look)
#define BOTH(id, title, look, of_interval) \
    WORDS(id, title, 0, look), FORM(PAIR, measure[BIPE_LEXICAL_##id].low, INTERVAL, 0, of_interval)

/* What documents are like. */
static const bipe_column lexical_columns[] = {
    NAMES, SHOW(UINT, documents, "documents", 5), WORDS(WORDS, "words", 7, WHOLE), WORDS(TYPES, "types", 8, WHOLE),
    WORDS(HAPAXES, "hapaxes", 10, WHOLE), WORDS(TTR, "TTR", 2, SHARE), WORDS(MTLD, "MTLD", 0, REAL),
    WORDS(HDD, "HD-D", 3, SHARE), WORDS(ARI, "ARI", 0, REAL), WORDS(COLEMAN_LIAU, "Coleman-Liau", 6, REAL),
    WORDS(LIX, "LIX", 4, REAL), WORDS(RIX, "RIX", 9, REAL), WORDS(SENTENCE_MEAN, "sentence mean", 3, REAL),
    WORDS(SENTENCE_MEDIAN, "median", 12, REAL), WORDS(SENTENCE_SD, "sd", 11, REAL),
};
/* The same for a table on its side, with intervals. */
static const bipe_column lexical_on_side[] = {
    NAMES, SHOW(UINT, documents, "documents", 0), BOTH(WORDS, "words", WHOLE, REAL), BOTH(TYPES, "types", WHOLE, REAL),
    BOTH(HAPAXES, "hapaxes", WHOLE, REAL), BOTH(TTR, "TTR", SHARE, SHARE), BOTH(MTLD, "MTLD", REAL, REAL),
    BOTH(HDD, "HD-D", SHARE, SHARE), BOTH(ARI, "ARI", REAL, REAL), BOTH(COLEMAN_LIAU, "Coleman-Liau", REAL, REAL),
    BOTH(LIX, "LIX", REAL, REAL), BOTH(RIX, "RIX", REAL, REAL), BOTH(SENTENCE_MEAN, "sentence mean", REAL, REAL),
    BOTH(SENTENCE_MEDIAN, "sentence median", REAL, REAL), BOTH(SENTENCE_SD, "sentence sd", REAL, REAL),
};

#define AGREED(id, title, spared) FORM(NUMBER, measure[BIPE_AGREEMENT_##id].value, title, spared, SHARE)
#define WITHIN(id, title) \
    AGREED(id, title, 0), FORM(PAIR, measure[BIPE_AGREEMENT_##id].low, INTERVAL, 0, SHARE)

/* How far segments agree with a reference. */
static const bipe_column gold_columns[] = {
    NAMES, SHOW(UINT, documents, "documents", 9), SHOW(UINT, expected, "ends", 7), SHOW(UINT, found, "found", 8),
    AGREED(PRECISION, "precision", 0), AGREED(RECALL, "recall", 0), AGREED(F1, "F1", 0),
    FORM(PAIR, measure[BIPE_AGREEMENT_F1].low, "95 % of F1", 2, SHARE), AGREED(INNER_F1, "inner F1", 5),
    AGREED(PK, "Pk", 3), AGREED(WINDOWDIFF, "WindowDiff", 4), AGREED(EXACT, "exact", 6),
    FORM(NUMBER, f1_difference.value, "difference", 1, SHARE), FORM(NUMBER, f1_difference.p, "p", 2, P),
};
/* The same for a table on its side, with intervals. */
static const bipe_column gold_on_side[] = {
    NAMES, SHOW(UINT, documents, "documents", 0), SHOW(UINT, expected, "ends of the reference", 0),
    SHOW(UINT, found, "ends of the segmenter", 0), SHOW(UINT, right, "ends of both", 0),
    WITHIN(PRECISION, "precision"), WITHIN(RECALL, "recall"), WITHIN(F1, "F1"),
    WITHIN(INNER_PRECISION, "inner precision"), WITHIN(INNER_RECALL, "inner recall"), WITHIN(INNER_F1, "inner F1"),
    WITHIN(PK, "Pk"), WITHIN(WINDOWDIFF, "WindowDiff"), WITHIN(EXACT, "exact"),
};

/* Columns with the headings that fit the result: names may be of groups, counts of words means of documents. With one
 * segmenter the second column is the first, too. */
static void take_columns(bipe_column *to, const bipe_column *from, size_t count, const stats_result *r)
{
    static const char *const means[] = {"mean words", "mean types", "mean hapaxes"}; /* by bipe_lexical_id */
    memcpy(to, from, count * sizeof *to);
    if (r->group_by != NULL) {
        to[0].heading = "group";
        to[0].absent = "all";
    }
    for (size_t c = 0; c < count && r->choice.lexical && r->all.documents > 1; c++)
        for (size_t id = 0; id < BIPE_COUNT_OF(means); id++)
            if (to[c].at == offsetof(stats_line, measure[id].value))
                to[c].heading = means[id];
    for (size_t c = 0; c < count && !stats_has_finer(r); c++)
        if (to[c].at >= offsetof(stats_line, of_finer) && to[c].at < offsetof(stats_line, documents))
            to[c].heading = NULL;
    if (r->count == 1)
        to[1] = to[0];
}

/* Lines for what is compared; with one segmenter on their side, where that has columns and fits. named: with both
 * names, where there are several segmenters. */
static void put_compared(bipe_table *t, const stats_report *report, const bipe_column *lines, size_t count,
                         const bipe_column *side, size_t side_count, bool named)
{
    bipe_column column[BIPE_TABLE_COLUMNS];
    const void *const *row = (const void *const *)report->shown;
    size_t first = report->result->count > 1 && named ? 0 : 1;
    bipe_output_printf(t->output, NULL, "\n");
    take_columns(column, side, side_count, report->result);
    if (report->result->count > 1 || side_count == 0 ||
        !bipe_table_on_side(t, column + 1, side_count - 1, row, report->shown_count)) {
        take_columns(column, lines, count, report->result);
        bipe_table_rows(t, column + first, count - first, 2 - first, row, report->shown_count);
    }
    bipe_output_printf(t->output, NULL, "\n");
}

/* ---- sentences ---- */

const char *stats_format_quoted(char cell[CELL_SIZE], const char *name)
{
    char text[CELL_SIZE - 2];
    snprintf(cell, CELL_SIZE, "'%s'", bipe_label_cut(name, SENTENCE_WIDTH, text, sizeof text));
    return bipe_hide_controls(cell);
}

void stats_put_sentence(bipe_table *t, const char *text)
{
    bipe_table_words(t, "  ", text);
}

/* Growth and invariance in words. */
static void put_findings(bipe_table *t, const stats_line *first)
{
    const stats_line *worst = first->farthest;
    if (worst == NULL)
        return;
    bipe_output_printf(t->output, NULL, "\n");
    char text[512], a[CELL_SIZE];
    if (isfinite(first->growth.slope)) {
        char fit[64] = "";
        if (isfinite(first->growth.r2))
            snprintf(fit, sizeof fit, " (r2 %.3f)", first->growth.r2);
        snprintf(text, sizeof text, "Growth: each additional 1k tokens of window adds %s segments%s.",
                 bipe_cell_number(a, BIPE_CELL_REAL, first->growth_1k), fit);
        stats_put_sentence(t, text);
    }
    uint64_t windows = first->farthest_windows;
    if (windows < STATS_FEW_WINDOWS) {
        snprintf(text, sizeof text, "Invariance: not to be judged from %" PRIu64 " window%s of %s.", windows,
                 windows == 1 ? "" : "s", worst->whole != NULL ? first->window : worst->window);
        stats_put_sentence(t, text);
        return;
    }
    const char *verdict = worst->ks < 0.05 ? "does not change" : worst->ks < 0.15 ? "hardly changes" : "changes";
    snprintf(text, sizeof text,
             "Invariance: the length of segments %s with the window. Farthest from windows of %s are %s%s (KS %.3f, JS "
             "%.3f, Wasserstein %s tokens).",
             verdict, first->window, worst->whole != NULL ? "whole documents" : "windows of ",
             worst->whole != NULL ? "" : worst->window, worst->ks, worst->js,
             bipe_cell_number(a, BIPE_CELL_REAL, worst->wasserstein));
    stats_put_sentence(t, text);
}

/* The name of the only segmenter. */
static void put_segmenter(bipe_table *t, const stats_result *r)
{
    bipe_output_printf(t->output, NULL, "\n%sSegmenter ", t->look.colour ? "\033[1m" : "");
    bipe_output_name(t->output, r->segmenter[0], NULL);
    bipe_output_printf(t->output, NULL, "%s\n", t->look.colour ? "\033[0m" : "");
}

/* All lines of the only segmenter. */
static void put_section(bipe_table *t, const stats_report *report)
{
    const void *const *row = (const void *const *)report->shown;
    size_t rows = report->shown_count;
    const stats_line *whole = report->shown[rows - 1];
    put_segmenter(t, report->result);
    bipe_output_printf(t->output, NULL, "\n");
    bipe_table_heading(t, "  Tokens per segment");
    bipe_table_rows(t, tokens_columns, BIPE_COUNT_OF(tokens_columns), 0, row, rows);
    bipe_output_printf(t->output, NULL, "\n");
    bipe_table_heading(t, "  Segments per window");
    bipe_table_rows(t, segments_columns, BIPE_COUNT_OF(segments_columns), 0, row, rows);
    if (whole->tokens.total != 0) {
        bipe_output_printf(t->output, NULL, "\n");
        bipe_table_heading(t, "  Whole documents: segments by tokens");
        stats_chart_write(&whole->tokens, t->look, t->output);
    }
    put_findings(t, whole->first);
}

/* What is resampled: "documents", or "clusters by 'author'". */
static const char *format_units(char text[SENTENCE_UNITS], const stats_result *r)
{
    char name[CELL_SIZE];
    snprintf(text, SENTENCE_UNITS, r->cluster == NULL ? "documents" : "clusters by %s",
             stats_format_quoted(name, r->cluster != NULL ? r->cluster : ""));
    return text;
}

/* Why an interval may be missing. */
static const char *explain_missing(const stats_result *r)
{
    for (size_t i = 0; i < r->parts; i++)
        if ((r->cluster == NULL           ? r->part[i].documents
             : r->part[i].units != NULL   ? r->part[i].units[0].count
             : r->part[i].measure != NULL ? r->part[i].measure[0].count
                                          : 0) < FEW_DOCUMENTS)
            return " (-: fewer than 8)";
    return "";
}

/* "TEXT by bootstrap over documents" */
static const char *format_over(char over[OVER_SIZE], const char *text, const stats_result *r)
{
    char units[SENTENCE_UNITS];
    snprintf(over, OVER_SIZE, "%s by bootstrap over %s", text, format_units(units, r));
    return over;
}

/* What the columns of a comparison mean, as far as they are shown. */
static void put_comparison_key(bipe_table *t, const stats_result *r)
{
    char text[896], over[OVER_SIZE];
    bool groups = r->group_by != NULL;
    const char *mean = bipe_table_explain(t, "<50", " (mean to <50)");
    const char *interval = bipe_table_explain(t, "95 % of mean",
                                              format_over(over, ", with the 95 % interval of the mean", r));
    const char *growth =
        bipe_table_explain(t, "per 1k", "; per 1k: segments added by each 1k tokens of window (-: only one length)");
    const char *drift = bipe_table_explain(t, "KS", "; KS: how much the length of segments changes with the window "
                                                    "(below 0.05: it does not; -: too few windows)");
    const char *finer = bipe_table_explain(t, "finer", "; finer: mean number of segments of the next finer level in "
                                                       "each");
    snprintf(text, sizeof text, "Tokens per segment of whole documents%s%s%s%s%s%s.", mean, interval,
             interval[0] != '\0' ? explain_missing(r) : "", growth, groups ? "" : drift, finer);
    stats_put_sentence(t, text);
}

/* What the columns of groups mean. */
static void put_groups_key(bipe_table *t, const stats_report *report)
{
    const stats_part *part = report->result->part;
    char text[6 * CELL_SIZE], name[CELL_SIZE], units[SENTENCE_UNITS];
    if (report->contrasts == 0)
        return;
    snprintf(text, sizeof text,
             "KS: how far the lengths of segments are from those of %s (0 to 1); p: that of a permutation test over %s "
             "of whether its mean is the same (-: a group has one %s).",
             stats_format_quoted(name, part[0].name + report->folder), format_units(units, report->result),
             report->result->cluster != NULL ? "cluster" : "document");
    stats_put_sentence(t, text);
    if (report->result->parts < 3 || report->result->parts > STATS_PAIRED || report->result->count > 1)
        return;
    const stats_contrast *most = &report->contrast[0], *least = most;
    for (size_t i = 1; i < report->contrasts; i++) {
        const stats_contrast *c = &report->contrast[i];
        most = c->ks > most->ks ? c : most;
        least = c->ks < least->ks ? c : least;
    }
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE];
    snprintf(text, sizeof text,
             "Farthest apart are %s and %s (KS %.3f), nearest %s and %s (KS %.3f); --json has all pairs.",
             stats_format_quoted(a, part[most->a].name + report->folder),
             stats_format_quoted(b, part[most->b].name + report->folder), most->ks,
             stats_format_quoted(c, part[least->a].name + report->folder),
             stats_format_quoted(name, part[least->b].name + report->folder), least->ks);
    stats_put_sentence(t, text);
}

/* A line for each segmenter, of each file or group and of all. */
static void put_comparison(bipe_table *t, const stats_report *report)
{
    bool groups = report->result->group_by != NULL;
    size_t of_groups = BIPE_COUNT_OF(group_columns), of_others = BIPE_COUNT_OF(compare_columns);
    if (groups)
        put_compared(t, report, group_columns, of_groups, group_columns, of_groups, true);
    else
        put_compared(t, report, compare_columns, of_others, group_columns, 0, report->result->per_file);
    put_comparison_key(t, report->result);
    if (groups)
        put_groups_key(t, report);
    else
        stats_put_sentence(t, !stats_has_finer(report->result)
                                  ? "With one -s, and without --per-file, all windows and a chart are shown."
                                  : "With one -s of one level, and without --per-file, all windows and a chart are "
                                    "shown.");
}

/* What documents are like: a column for each part, or a line where there are many. */
static void put_words_of(bipe_table *t, const stats_report *report)
{
    char text[512], over[OVER_SIZE];
    bool several = report->result->all.documents > 1;
    put_compared(t, report, lexical_columns, BIPE_COUNT_OF(lexical_columns), lexical_on_side,
                 BIPE_COUNT_OF(lexical_on_side), true);
    const char *interval = bipe_table_explain(t, INTERVAL, format_over(over, ", with 95 % intervals", report->result));
    snprintf(text, sizeof text, "%s%s%s%sA sentence is a segment that holds a word; its length is in words.",
             several ? "Values are means over documents" : "", interval,
             interval[0] != '\0' ? explain_missing(report->result) : "", several ? ". " : "");
    stats_put_sentence(t, text);
}

/* How far segments agree with a reference: as put_words_of(). Columns of what needs several documents are left out
 * without them. */
static void put_agreement(bipe_table *t, const stats_report *report)
{
    const stats_result *r = report->result;
    bipe_column lines[BIPE_COUNT_OF(gold_columns)];
    char text[1024];
    memcpy(lines, gold_columns, sizeof lines);
    for (size_t c = 0; c < BIPE_COUNT_OF(lines); c++)
        if ((r->all.documents < FEW_DOCUMENTS && (lines[c].kind == BIPE_COLUMN_PAIR || lines[c].form == BIPE_CELL_P)) ||
            (r->count == 1 && lines[c].at >= offsetof(stats_line, f1_difference)))
            lines[c].heading = NULL;
    if (r->count == 1)
        put_segmenter(t, r);
    put_compared(t, report, lines, BIPE_COUNT_OF(lines), gold_on_side, BIPE_COUNT_OF(gold_on_side),
                 r->per_file || r->group_by != NULL);
    char over[OVER_SIZE];
    format_over(over, ", with 95 % intervals", r);
    const char *interval = bipe_table_explain(t, INTERVAL, over);
    interval = interval[0] != '\0' ? interval : bipe_table_explain(t, "95 % of F1", over);
    snprintf(text, sizeof text, "Precision, recall and F1 are those of the ends of segments%s%s%s%s%s%s%s%s%s.",
             interval, interval[0] != '\0' ? explain_missing(r) : "",
             bipe_table_explain(t, "inner F1", "; inner: without those of documents"),
             bipe_table_explain(t, "Pk", "; Pk"), bipe_table_explain(t, "WindowDiff", ", WindowDiff"),
             bipe_table_explain(t, "Pk", ": errors in windows of half a mean reference segment, in characters that are "
                                         "not white space"),
             bipe_table_explain(t, "exact", "; exact: the share of reference segments that are found as they are"),
             bipe_table_explain(t, "difference", "; difference: of F1 from the first segmenter"),
             bipe_table_explain(t, "p", ", with p, in the same documents"));
    stats_put_sentence(t, text);
    if (report->misses)
        stats_misses_table(report, t);
}

/* "2 files" */
static const char *format_number_of(char *text, size_t size, uint64_t count, const char *what)
{
    char cell[CELL_SIZE];
    snprintf(text, size, "%s %s%s", bipe_cell_count(cell, count), what, count == 1 ? "" : "s");
    return text;
}

void stats_write_table(const stats_report *report, bool words, bipe_look look, bipe_output *output)
{
    const stats_result *r = report->result;
    bipe_table t = {.output = output, .look = look};
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE], d[CELL_SIZE], text[2 * PATH_MAX];
    snprintf(text, sizeof text, "%s, %s, %s, %s by %s", format_number_of(a, sizeof a, stats_result_files(r), "file"),
             format_number_of(b, sizeof b, r->all.documents, "document"),
             format_number_of(c, sizeof c, r->all.bytes, "byte"), format_number_of(d, sizeof d, r->all.tokens, "token"),
             r->tokenizer);
    bipe_table_words(&t, "", bipe_hide_controls(text));
    if (r->choice.every > 1)
        bipe_output_printf(output, NULL, "A sample: one in %s documents, chosen by seed %" PRIu64 ".\n",
                           bipe_cell_count(a, r->choice.every), r->choice.seed);
    if (report->folder != 0) {
        snprintf(text, sizeof text, "%s are in %.*s", r->per_file ? "Files" : "Folders", (int)report->folder,
                 r->part[0].name);
        bipe_table_words(&t, "", bipe_hide_controls(text));
    }
    if (words)
        stats_words_table(report, &t);
    else if (r->choice.lexical)
        put_words_of(&t, report);
    else if (r->choice.gold)
        put_agreement(&t, report);
    else if (stats_compares(r))
        put_comparison(&t, report);
    else
        put_section(&t, report);
}
