/* stats_table.c - a report for people: what there was; of one segmenter, two small tables, a bar chart, and what they amount to; of several
 * segmenters, files or groups, a line each; groups that fit are columns. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/label.h"
#include "tools/stats/bipe_stats.h"

enum { CELL_SIZE = STATS_CELL_SIZE, NAME_WIDTH = 20, NAME_WIDEST = 60, SENTENCE_WIDTH = 30, MOST_TURNED = 12, FEW_WINDOWS = 3, FEW_DOCUMENTS = 8 };

const char *stats_format_count(char cell[CELL_SIZE], uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), out = 0;
    for (int i = 0; i < n; i++) {
        if (i != 0 && (n - i) % 3 == 0)
            cell[out++] = ',';
        cell[out++] = digits[i];
    }
    cell[out] = '\0';
    return cell;
}

const char *stats_format_real(char cell[CELL_SIZE], double value)
{
    if (!isfinite(value))
        snprintf(cell, CELL_SIZE, "-");
    else if (value >= 999.5 && value < 1.8e19)
        return stats_format_count(cell, (uint64_t)(value + 0.5));
    else
        snprintf(cell, CELL_SIZE, "%.*f", fabs(value) >= 999.5 || value == 0 ? 0 : fabs(value) >= 9.995 ? 1 : 2, fabs(value) < 0.005 ? 0 : value); /* no -0.00 */
    return cell;
}

/* A length as it may be given to -L: 1024 is 1k. */
static const char *format_length(char cell[CELL_SIZE], uint64_t length)
{
    if (length == BIPE_TALLY_DOCUMENT)
        snprintf(cell, CELL_SIZE, "whole");
    else if (length % (1 << 20) == 0)
        snprintf(cell, CELL_SIZE, "%" PRIu64 "m", length >> 20);
    else if (length % (1 << 10) == 0)
        snprintf(cell, CELL_SIZE, "%" PRIu64 "k", length >> 10);
    else
        snprintf(cell, CELL_SIZE, "%" PRIu64, length);
    return cell;
}

/* What else than a quantity a column shows. */
enum { CELL_LENGTH = STATS_QUANTITIES, CELL_SEGMENTER, CELL_FILE, CELL_GROUP, CELL_DOCUMENTS, CELL_INTERVAL, CELL_GROWTH, CELL_FARTHEST_KS, CELL_LEXICAL_INTERVAL };

static const char *heading_of(const stats_column *c)
{
    return c->heading != NULL ? c->heading : stats_quantities[c->shows].name;
}

const char *stats_format_share(char cell[CELL_SIZE], double value)
{
    snprintf(cell, CELL_SIZE, isfinite(value) ? "%.3f" : "-", value);
    return cell;
}

/* A name, which is cut when it is printed. */
static const char *format_name(char cell[CELL_SIZE], const char *name)
{
    snprintf(cell, CELL_SIZE, "%s", name);
    return bipe_hide_controls(cell);
}

const char *stats_format_quoted(char cell[CELL_SIZE], const char *name)
{
    char text[CELL_SIZE - 2];
    snprintf(cell, CELL_SIZE, "'%s'", bipe_label_cut(name, SENTENCE_WIDTH, text, sizeof text));
    return bipe_hide_controls(cell);
}

static const char *format_interval(char cell[CELL_SIZE], const bipe_estimate *e, bool share)
{
    char low[CELL_SIZE], high[CELL_SIZE];
    const char *(*format)(char cell[CELL_SIZE], double value) = share ? stats_format_share : stats_format_real;
    if (!isfinite(e->low) || !isfinite(e->high))
        return stats_format_real(cell, NAN);
    snprintf(cell, CELL_SIZE, "%.14s-%.14s", format(low, e->low), format(high, e->high));
    return cell;
}

/* The line that is farthest from the first of its segmenter; NULL: there is none. */
static const stats_line *farthest_line(const stats_line *first)
{
    const stats_line *worst = NULL;
    for (const stats_line *line = first + 1; line[-1].length != BIPE_TALLY_DOCUMENT; line++)
        if (isfinite(line->ks) && (worst == NULL || line->ks > worst->ks))
            worst = line;
    return worst;
}

/* The number of windows that the distance of this line comes from. */
static uint64_t windows_of(const stats_line *worst)
{
    return (worst->length == BIPE_TALLY_DOCUMENT ? worst->first : worst)->segments.total;
}

/* The quantity of a bipe_lexical_id. */
#define LEXICAL(id) (STATS_LEXICAL + 3 * BIPE_LEXICAL_##id)

static const char *format_quantity(char cell[CELL_SIZE], const stats_line *line, stats_quantity_id id)
{
    stats_value v = stats_quantity_value(line, id);
    if (v.whole)
        return stats_format_count(cell, v.count);
    if (id == STATS_FIRST_P && v.real < 0.001)
        return strcpy(cell, "<.001");
    if (id == STATS_FIRST_P || id == STATS_FIRST_KS || id == LEXICAL(TTR) || id == LEXICAL(HDD))
        return stats_format_share(cell, v.real);
    if (id >= STATS_LEXICAL && id < LEXICAL(TTR) && v.real == floor(v.real)) /* of one document */
        return stats_format_count(cell, (uint64_t)v.real);
    if (id != STATS_BELOW || !isfinite(v.real))
        return stats_format_real(cell, v.real);
    snprintf(cell, CELL_SIZE, "%.1f%%", 100 * v.real);
    return cell;
}

static const char *format_cell(char cell[CELL_SIZE], const stats_column *c, const void *row)
{
    const stats_line *line = row;
    const char *name = line->name;
    const stats_line *worst;
    switch (c->shows) {
    case CELL_LENGTH: return format_length(cell, line->length);
    case CELL_SEGMENTER: return format_name(cell, line->segmenter);
    case CELL_FILE: return name == NULL ? strcpy(cell, "all files") : format_name(cell, name);
    case CELL_GROUP: return name == NULL ? strcpy(cell, "all") : format_name(cell, name);
    case CELL_DOCUMENTS: return stats_format_count(cell, line->part->documents);
    case CELL_INTERVAL: return format_interval(cell, &line->first->mean, false);
    case CELL_GROWTH: return stats_format_real(cell, line->first->growth.slope * 1024);
    case CELL_FARTHEST_KS: worst = farthest_line(line->first); return stats_format_share(cell, worst != NULL && windows_of(worst) >= FEW_WINDOWS ? worst->ks : (double)NAN);
    default: break;
    }
    if (c->shows < STATS_QUANTITIES)
        return format_quantity(cell, line, (stats_quantity_id)c->shows);
    int id = c->shows - CELL_LEXICAL_INTERVAL;
    return line->lexical != NULL ? format_interval(cell, &line->lexical[id], id == BIPE_LEXICAL_TTR || id == BIPE_LEXICAL_HDD) : strcpy(cell, "-");
}

/* One line for each segmenter, or file and segmenter: the first two columns are names, either of which may be of no use. */
static const stats_column compare_columns[] = {
    {CELL_FILE, 0, "file"}, {CELL_SEGMENTER, 0, "segmenter"}, {STATS_SEGMENTS, 0, NULL}, {STATS_MEAN, 0, NULL}, {STATS_SD, 5, NULL},
    {STATS_P50, 0, NULL}, {STATS_P95, 1, NULL}, {STATS_MAX, 2, NULL}, {STATS_BELOW, 4, "<50"}, {CELL_GROWTH, 3, "per 1k"},
    {CELL_FARTHEST_KS, 6, "KS"},
};
enum { COMPARE_NAMES = 2, COMPARE_COLUMNS = sizeof compare_columns / sizeof compare_columns[0] };

static const stats_column group_columns[] = {
    {CELL_GROUP, 0, "group"}, {CELL_SEGMENTER, 0, "segmenter"}, {CELL_DOCUMENTS, 8, "documents"}, {STATS_SEGMENTS, 7, NULL},
    {STATS_MEAN, 0, NULL}, {CELL_INTERVAL, 0, "95 % of mean"}, {STATS_SD, 6, NULL}, {STATS_P50, 0, NULL}, {STATS_P95, 1, NULL},
    {STATS_MAX, 2, NULL}, {STATS_BELOW, 4, "<50"}, {CELL_GROWTH, 5, "per 1k"}, {STATS_FIRST_KS, 0, "KS"}, {STATS_FIRST_P, 0, "p"},
};
enum { GROUP_COLUMNS = sizeof group_columns / sizeof group_columns[0] };

#define INTERVAL_HEADING "  95 %"
#define INTERVAL(id) {CELL_LEXICAL_INTERVAL + BIPE_LEXICAL_##id, 0, INTERVAL_HEADING}

/* The first two as above. */
static const stats_column lexical_columns[] = {
    {CELL_FILE, 0, "file"}, {CELL_SEGMENTER, 0, "segmenter"}, {CELL_DOCUMENTS, 5, "documents"}, {LEXICAL(WORDS), 7, NULL}, {LEXICAL(TYPES), 8, NULL},
    {LEXICAL(HAPAXES), 10, NULL}, {LEXICAL(TTR), 2, "TTR"}, {LEXICAL(MTLD), 0, "MTLD"}, {LEXICAL(HDD), 3, "HD-D"}, {LEXICAL(ARI), 0, "ARI"},
    {LEXICAL(COLEMAN_LIAU), 6, "Coleman-Liau"}, {LEXICAL(LIX), 4, "LIX"}, {LEXICAL(RIX), 9, "RIX"},
};
/* The same as rows, with intervals. */
static const stats_column lexical_rows[] = {
    {CELL_FILE, 0, "file"}, {CELL_DOCUMENTS, 0, "documents"}, {LEXICAL(WORDS), 0, NULL}, INTERVAL(WORDS), {LEXICAL(TYPES), 0, NULL}, INTERVAL(TYPES),
    {LEXICAL(HAPAXES), 0, NULL}, INTERVAL(HAPAXES), {LEXICAL(TTR), 0, "TTR"}, INTERVAL(TTR), {LEXICAL(MTLD), 0, "MTLD"}, INTERVAL(MTLD),
    {LEXICAL(HDD), 0, "HD-D"}, INTERVAL(HDD), {LEXICAL(ARI), 0, "ARI"}, INTERVAL(ARI), {LEXICAL(COLEMAN_LIAU), 0, "Coleman-Liau"}, INTERVAL(COLEMAN_LIAU),
    {LEXICAL(LIX), 0, "LIX"}, INTERVAL(LIX), {LEXICAL(RIX), 0, "RIX"}, INTERVAL(RIX),
};
enum { LEXICAL_COLUMNS = sizeof lexical_columns / sizeof lexical_columns[0], LEXICAL_ROWS = sizeof lexical_rows / sizeof lexical_rows[0] };

static const stats_column tokens_columns[] = {
    {CELL_LENGTH, 0, "window"}, {STATS_SEGMENTS, 4, NULL}, {STATS_MEAN, 0, NULL}, {STATS_SD, 5, NULL}, {STATS_MIN, 6, NULL},
    {STATS_P50, 0, NULL}, {STATS_P90, 7, NULL}, {STATS_P95, 0, NULL}, {STATS_P99, 3, NULL}, {STATS_MAX, 1, NULL}, {STATS_BELOW, 2, "<50"},
};

static const stats_column segments_columns[] = {
    {CELL_LENGTH, 0, "window"}, {STATS_WINDOWS, 3, NULL}, {STATS_WINDOW_MEAN, 0, NULL}, {STATS_WINDOW_SD, 4, NULL}, {STATS_WINDOW_MIN, 5, NULL},
    {STATS_WINDOW_P5, 1, NULL}, {STATS_WINDOW_P50, 0, NULL}, {STATS_WINDOW_P95, 1, NULL}, {STATS_WINDOW_MAX, 2, NULL},
};

/* Failures stay in the output, which reports them when it is committed. */
static void put_string(stats_printer *p, const char *text)
{
    bipe_output_write(p->output, text, strlen(text), NULL);
}

static void put_style(stats_printer *p, const char *code)
{
    if (p->look.colour)
        bipe_output_printf(p->output, NULL, "\033[%sm", code);
}

void stats_put_heading(stats_printer *p, const char *text)
{
    put_style(p, "1");
    put_string(p, text);
    put_style(p, "0");
    put_string(p, "\n");
}

static void put_cell(stats_printer *p, const char *text, size_t width, bool left)
{
    size_t size = bipe_label_columns(text);
    int fill = size < width ? (int)(width - size) : 0;
    bipe_output_printf(p->output, NULL, "  %*s", left ? 0 : fill, "");
    if (size > width)
        bipe_label_print(p->output, text, width, p->look.utf8, NULL);
    else
        bipe_output_printf(p->output, NULL, "%s%*s", text, left ? fill : 0, "");
}

void stats_put_columns(stats_printer *p, const stats_column *columns, size_t count, size_t names, stats_format_cell *format, const void *const *row, size_t rows)
{
    size_t width[STATS_COLUMNS_MOST], wide[STATS_COLUMNS_MOST], total = 0; /* wide: of names, where there is room */
    bool shown[STATS_COLUMNS_MOST];
    char cell[CELL_SIZE];
    for (size_t c = 0; c < count; c++) {
        shown[c] = true;
        width[c] = strlen(heading_of(&columns[c]));
        for (size_t r = 0; r < rows; r++) {
            size_t n = bipe_label_columns(format(cell, &columns[c], row[r]));
            width[c] = n > width[c] ? n : width[c];
        }
        wide[c] = width[c];
        width[c] = c < names && width[c] > NAME_WIDTH ? NAME_WIDTH : width[c];
        total += width[c] + 2;
    }
    while (total > p->look.width) {
        size_t least = 0;
        for (size_t c = 1; c < count; c++)
            if (shown[c] && columns[c].spare > (shown[least] ? columns[least].spare : 0))
                least = c;
        if (columns[least].spare == 0)
            break;
        shown[least] = false;
        total -= width[least] + 2;
    }
    for (size_t c = 0; c < names; c++)
        for (; width[c] < wide[c] && total < p->look.width; total++)
            width[c]++;
    put_style(p, "2");
    p->headings = 0;
    for (size_t c = 0; c < count; c++) {
        if (!shown[c])
            continue;
        p->heading[p->headings++] = heading_of(&columns[c]);
        put_cell(p, heading_of(&columns[c]), width[c], c < names);
    }
    put_style(p, "0");
    put_string(p, "\n");
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++)
            if (shown[c])
                put_cell(p, format(cell, &columns[c], row[r]), width[c], c < names);
        put_string(p, "\n");
    }
}

static void put_lines(stats_printer *p, const stats_column *columns, size_t count, size_t names, stats_line *const *line, size_t lines)
{
    stats_put_columns(p, columns, count, names, format_cell, (const void *const *)line, lines);
}

/* Words after an indent, broken where the line is full. */
static void put_words(stats_printer *p, const char *indent, const char *text)
{
    size_t at = 0;
    for (bool first = true; *text != '\0'; first = false) {
        size_t n = strcspn(text, " ");
        if (first || at + 1 + n > p->look.width) {
            bipe_output_printf(p->output, NULL, "%s%s", first ? "" : "\n  ", indent);
            at = strlen(indent) + (first ? 0 : 2);
        } else {
            put_string(p, " ");
            at++;
        }
        bipe_output_write(p->output, text, n, NULL);
        at += n;
        text += n;
        while (*text == ' ')
            text++;
    }
    put_string(p, "\n");
}

void stats_put_sentence(stats_printer *p, const char *text)
{
    put_words(p, "  ", text);
}

/* Growth and invariance in words. */
static void put_findings(stats_printer *p, const stats_line *first)
{
    const stats_line *worst = farthest_line(first);
    if (worst == NULL)
        return;
    put_string(p, "\n");
    char text[512], a[CELL_SIZE], b[CELL_SIZE], length[CELL_SIZE];
    if (isfinite(first->growth.slope)) {
        char fit[64] = "";
        if (isfinite(first->growth.r2))
            snprintf(fit, sizeof fit, " (r2 %.3f)", first->growth.r2);
        snprintf(text, sizeof text, "Growth: each additional 1k tokens of window adds %s segments%s.",
                 stats_format_real(a, first->growth.slope * 1024), fit);
        stats_put_sentence(p, text);
    }
    uint64_t windows = windows_of(worst);
    if (windows < FEW_WINDOWS) {
        snprintf(text, sizeof text, "Invariance: not to be judged from %" PRIu64 " window%s of %s.", windows, windows == 1 ? "" : "s",
                 format_length(length, worst->length == BIPE_TALLY_DOCUMENT ? first->length : worst->length));
        stats_put_sentence(p, text);
        return;
    }
    const char *verdict = worst->ks < 0.05 ? "does not change" : worst->ks < 0.15 ? "hardly changes" : "changes";
    const char *where = worst->length == BIPE_TALLY_DOCUMENT ? "whole documents" : "windows of ";
    snprintf(text, sizeof text,
             "Invariance: the length of segments %s with the window. Farthest from windows of %s are %s%s (KS %.3f, JS %.3f, Wasserstein %s tokens).",
             verdict, format_length(length, first->length), where,
             worst->length == BIPE_TALLY_DOCUMENT ? "" : format_length(b, worst->length), worst->ks, worst->js,
             stats_format_real(a, worst->wasserstein));
    stats_put_sentence(p, text);
}

/* All lines of the only segmenter. */
static void put_section(stats_printer *p, stats_line *const *line, size_t count)
{
    const stats_line *whole = line[count - 1];
    put_string(p, "\n");
    put_style(p, "1");
    put_string(p, "Segmenter ");
    bipe_output_name(p->output, whole->segmenter, NULL);
    put_style(p, "0");
    put_string(p, "\n\n");
    stats_put_heading(p, "  Tokens per segment");
    put_lines(p, tokens_columns, sizeof tokens_columns / sizeof tokens_columns[0], 0, line, count);
    put_string(p, "\n");
    stats_put_heading(p, "  Segments per window");
    put_lines(p, segments_columns, sizeof segments_columns / sizeof segments_columns[0], 0, line, count);
    if (whole->tokens.total != 0) {
        put_string(p, "\n");
        stats_put_heading(p, "  Whole documents: segments by tokens");
        stats_chart_write(&whole->tokens, p->look, p->output);
    }
    put_findings(p, whole->first);
}

/* Prints columns as lines and lines as columns, if they are not too wide. most: columns of a name. */
static bool turn_columns(stats_printer *p, const stats_column *columns, size_t count, stats_line *const *lines, size_t rows, size_t most)
{
    char cell[CELL_SIZE];
    size_t label = 0, total = 0;
    for (size_t c = 0; c < count; c++)
        label = strlen(heading_of(&columns[c])) > label ? strlen(heading_of(&columns[c])) : label;
    size_t width[MOST_TURNED];
    for (size_t r = 0; r < rows && r < MOST_TURNED; r++) {
        width[r] = 0;
        for (size_t c = 0; c < count; c++) {
            size_t n = bipe_label_columns(format_cell(cell, &columns[c], lines[r]));
            n = c == 0 && n > most ? most : n;
            width[r] = n > width[r] ? n : width[r];
        }
        total += width[r] + 2;
    }
    if (rows > MOST_TURNED || label + 2 + total > p->look.width)
        return false;
    p->headings = 0;
    for (size_t c = 0; c < count; c++) {
        bool some = columns[c].shows == STATS_FIRST_P && rows > 2; /* with groups of one document too: there is no test of them */
        for (size_t r = 0; r < rows; r++)
            some = some || strcmp(format_cell(cell, &columns[c], lines[r]), "-") != 0;
        if (!some)
            continue;
        p->heading[p->headings++] = heading_of(&columns[c]);
        put_style(p, c == 0 ? "1" : "0");
        put_cell(p, heading_of(&columns[c]), label, true);
        for (size_t r = 0; r < rows; r++)
            put_cell(p, format_cell(cell, &columns[c], lines[r]), width[r], false);
        put_string(p, "\n");
    }
    put_style(p, "0");
    return true;
}

static bool put_turned(stats_printer *p, const stats_column *columns, size_t count, stats_line *const *lines, size_t rows)
{
    return turn_columns(p, columns, count, lines, rows, NAME_WIDEST) || turn_columns(p, columns, count, lines, rows, NAME_WIDTH);
}

static const char *explain_column(const stats_printer *p, const char *heading, const char *meaning)
{
    for (size_t i = 0; i < p->headings; i++)
        if (strcmp(p->heading[i], heading) == 0)
            return meaning;
    return "";
}

/* Why an interval may be missing. */
static const char *explain_missing(const stats_result *r)
{
    for (size_t i = 0; i < r->parts; i++)
        if (r->part[i].documents < FEW_DOCUMENTS)
            return " (-: fewer than 8)";
    return "";
}

/* What the columns of a comparison mean, as far as they are shown. */
static void put_comparison_key(stats_printer *p, const stats_result *r)
{
    char text[512];
    bool groups = r->group_by != NULL;
    const char *interval = explain_column(p, "95 % of mean", ", with the 95 % interval of the mean by bootstrap over documents");
    snprintf(text, sizeof text, "Tokens per segment of whole documents%s%s%s%s%s.", explain_column(p, "<50", " (mean to <50)"),
             interval, interval[0] != '\0' ? explain_missing(r) : "",
             explain_column(p, "per 1k", "; per 1k: segments added by each 1k tokens of window (-: only one length)"),
             groups ? "" : explain_column(p, "KS", "; KS: how much the length of segments changes with the window (below 0.05: it does not; -: too few windows)"));
    stats_put_sentence(p, text);
}

/* What the columns of groups mean. */
static void put_groups_key(stats_printer *p, const stats_report *report)
{
    const stats_part *part = report->result->part;
    char text[5 * CELL_SIZE], name[CELL_SIZE];
    if (report->contrasts == 0)
        return;
    snprintf(text, sizeof text, "KS: how far the lengths of segments are from those of %s (0 to 1); p: that of a permutation test over documents of "
                                "whether its mean is the same (-: a group has one document).", stats_format_quoted(name, part[0].name + report->folder));
    stats_put_sentence(p, text);
    if (report->result->parts < 3 || report->result->parts > STATS_PAIRED || report->result->count > 1)
        return;
    const stats_contrast *most = &report->contrast[0], *least = most;
    for (size_t i = 1; i < report->contrasts; i++) {
        const stats_contrast *c = &report->contrast[i];
        most = c->ks > most->ks ? c : most;
        least = c->ks < least->ks ? c : least;
    }
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE];
    snprintf(text, sizeof text, "Farthest apart are %s and %s (KS %.3f), nearest %s and %s (KS %.3f); --json has all pairs.",
             stats_format_quoted(a, part[most->a].name + report->folder), stats_format_quoted(b, part[most->b].name + report->folder), most->ks,
             stats_format_quoted(c, part[least->a].name + report->folder), stats_format_quoted(name, part[least->b].name + report->folder), least->ks);
    stats_put_sentence(p, text);
}

/* A line for each segmenter, of each file or group and of all. */
static void put_comparison(stats_printer *p, const stats_report *report)
{
    size_t n = report->result->count;
    bool groups = report->result->group_by != NULL;
    size_t first = (groups || report->result->per_file) && n > 1 ? 0 : 1; /* a name that is always the same is left out */
    stats_column columns[STATS_COLUMNS_MOST];
    size_t all = groups ? GROUP_COLUMNS : COMPARE_COLUMNS;
    memcpy(columns, groups ? group_columns : compare_columns, all * sizeof *columns);
    if (n == 1)
        columns[1] = columns[0];
    put_string(p, "\n");
    if (!groups || n > 1 || !put_turned(p, columns + 1, all - 1, report->shown, report->shown_count))
        put_lines(p, columns + first, all - first, COMPARE_NAMES - first, report->shown, report->shown_count);
    put_string(p, "\n");
    put_comparison_key(p, report->result);
    if (groups)
        put_groups_key(p, report);
    else
        stats_put_sentence(p, "With one -s, and without --per-file, all windows and a chart are shown.");
}

/* Counts that are means are smaller than the whole. */
static void name_means(stats_column *columns, size_t count)
{
    for (size_t c = 0; c < count; c++)
        if (columns[c].shows == LEXICAL(WORDS) || columns[c].shows == LEXICAL(TYPES) || columns[c].shows == LEXICAL(HAPAXES))
            columns[c].heading = columns[c].shows == LEXICAL(WORDS) ? "mean words" : columns[c].shows == LEXICAL(TYPES) ? "mean types" : "mean hapaxes";
}

/* What documents are like: a column for each part, or a line where there are many. */
static void put_words_of(stats_printer *p, const stats_report *report)
{
    const stats_result *r = report->result;
    stats_column columns[STATS_COLUMNS_MOST];
    size_t first = r->count > 1 ? 0 : 1;
    const stats_column subject = r->group_by != NULL ? (stats_column){CELL_GROUP, 0, "group"} : lexical_columns[0];
    bool several = r->all.documents > 1;
    memcpy(columns, lexical_rows, sizeof lexical_rows);
    columns[0] = subject;
    name_means(columns, several ? LEXICAL_ROWS : 0);
    put_string(p, "\n");
    if (r->count > 1 || !put_turned(p, columns, LEXICAL_ROWS, report->shown, report->shown_count)) {
        memcpy(columns, lexical_columns, sizeof lexical_columns);
        columns[0] = subject;
        name_means(columns, several ? LEXICAL_COLUMNS : 0);
        if (first == 1)
            columns[1] = columns[0];
        put_lines(p, columns + first, LEXICAL_COLUMNS - first, COMPARE_NAMES - first, report->shown, report->shown_count);
    }
    put_string(p, "\n");
    char text[256];
    const char *interval = explain_column(p, INTERVAL_HEADING, ", with 95 % intervals by bootstrap over documents");
    snprintf(text, sizeof text, "%s%s%s%sSentences are segments that hold a word.", several ? "Values are means over documents" : "", interval,
             interval[0] != '\0' ? explain_missing(r) : "", several ? ". " : "");
    stats_put_sentence(p, text);
}

/* "2 files" */
static const char *format_number_of(char *text, size_t size, uint64_t count, const char *what)
{
    char cell[CELL_SIZE];
    snprintf(text, size, "%s %s%s", stats_format_count(cell, count), what, count == 1 ? "" : "s");
    return text;
}

void stats_write_table(const stats_report *report, bool words, bipe_look look, bipe_output *output)
{
    const stats_result *r = report->result;
    stats_printer p = {.output = output, .look = look};
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE], d[CELL_SIZE], text[2 * PATH_MAX];
    snprintf(text, sizeof text, "%s, %s, %s, %s by %s", format_number_of(a, sizeof a, stats_result_files(r), "file"),
             format_number_of(b, sizeof b, r->all.documents, "document"), format_number_of(c, sizeof c, r->all.bytes, "byte"),
             format_number_of(d, sizeof d, r->all.tokens, "token"), r->tokenizer);
    put_words(&p, "", bipe_hide_controls(text));
    if (r->choice.every > 1)
        bipe_output_printf(output, NULL, "A sample: one in %s documents, chosen by seed %" PRIu64 ".\n", stats_format_count(a, r->choice.every), r->choice.seed);
    if (report->folder != 0) {
        snprintf(text, sizeof text, "%s are in %.*s", r->per_file ? "Files" : "Folders", (int)report->folder, r->part[0].name);
        put_words(&p, "", bipe_hide_controls(text));
    }
    if (words)
        stats_words_table(report, &p);
    else if (r->choice.lexical)
        put_words_of(&p, report);
    else if (stats_compares(r))
        put_comparison(&p, report);
    else
        put_section(&p, report->shown, report->shown_count);
}
