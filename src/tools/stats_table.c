/* stats_table.c - a report for people: what there was, two small tables a segmenter, a bar chart, and what they amount to. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/stats_chart.h"
#include "tools/stats_write.h"

enum { SHORT = 50, CELL_SIZE = STATS_CELL_SIZE, MOST_COLUMNS = 12 };

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

/* Three significant digits or so, without an exponent. */
static const char *format_real(char cell[CELL_SIZE], double value)
{
    if (!isfinite(value))
        snprintf(cell, CELL_SIZE, "-");
    else if (value >= 999.5 && value < 1.8e19)
        return stats_format_count(cell, (uint64_t)(value + 0.5));
    else
        snprintf(cell, CELL_SIZE, "%.*f", fabs(value) >= 999.5 || value == 0 ? 0 : fabs(value) >= 9.995 ? 1 : 2, value);
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

/* A column: its heading, how a row's cell is made, and when it may be left out (the highest goes first; 0: never). */
typedef struct column {
    const char *heading;
    const char *(*cell)(char cell[CELL_SIZE], const stats_row *row, unsigned percent);
    unsigned percent;
    int spare;
} column;

static const char *length_cell(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return format_length(cell, row->length);
}

static const char *segments_cell(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return stats_format_count(cell, row->tokens.total);
}

static const char *windows_cell(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return stats_format_count(cell, row->segments.total);
}

static const char *quantile_cell(char cell[CELL_SIZE], const bipe_distribution *d, unsigned percent)
{
    if (d->total == 0)
        return format_real(cell, NAN);
    return stats_format_count(cell, bipe_distribution_quantile(d, percent));
}

static const char *tokens_mean(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return format_real(cell, bipe_distribution_mean(&row->tokens));
}

static const char *tokens_sd(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return format_real(cell, bipe_distribution_sd(&row->tokens));
}

static const char *tokens_quantile(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    return quantile_cell(cell, &row->tokens, percent);
}

static const char *tokens_short(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    if (row->tokens.total == 0)
        return format_real(cell, NAN);
    snprintf(cell, CELL_SIZE, "%.1f%%",
             100.0 * (double)bipe_distribution_below(&row->tokens, SHORT) / (double)row->tokens.total);
    return cell;
}

static const char *segments_mean(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return format_real(cell, bipe_distribution_mean(&row->segments));
}

static const char *segments_sd(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    (void)percent;
    return format_real(cell, bipe_distribution_sd(&row->segments));
}

static const char *segments_quantile(char cell[CELL_SIZE], const stats_row *row, unsigned percent)
{
    return quantile_cell(cell, &row->segments, percent);
}

static const column tokens_columns[] = {
    {"window", length_cell, 0, 0},     {"segments", segments_cell, 0, 4}, {"mean", tokens_mean, 0, 0},
    {"sd", tokens_sd, 0, 5},           {"min", tokens_quantile, 0, 6},    {"p50", tokens_quantile, 50, 0},
    {"p90", tokens_quantile, 90, 7},   {"p95", tokens_quantile, 95, 0},   {"p99", tokens_quantile, 99, 3},
    {"max", tokens_quantile, 100, 1},  {"<50", tokens_short, 0, 2},
};

static const column segments_columns[] = {
    {"window", length_cell, 0, 0},     {"windows", windows_cell, 0, 3},       {"mean", segments_mean, 0, 0},
    {"sd", segments_sd, 0, 4},         {"min", segments_quantile, 0, 5},      {"p5", segments_quantile, 5, 1},
    {"p50", segments_quantile, 50, 0}, {"p95", segments_quantile, 95, 1},     {"max", segments_quantile, 100, 2},
};

typedef struct printer {
    bipe_output *output;
    stats_look look;
} printer;

/* Failures stay in the output, which reports them when it is committed. */
static void put(printer *p, const char *text)
{
    bipe_output_write(p->output, text, strlen(text), NULL);
}

static void put_style(printer *p, const char *code)
{
    if (p->look.colour)
        bipe_output_printf(p->output, NULL, "\033[%sm", code);
}

static void put_heading(printer *p, const char *text)
{
    put_style(p, "1");
    put(p, text);
    put_style(p, "0");
    put(p, "\n");
}

/* Prints the rows in right-aligned columns, leaving out the most dispensable ones until the line fits. */
static void put_columns(printer *p, const column *columns, size_t count, const stats_row *row, size_t rows)
{
    size_t width[MOST_COLUMNS], total = 0;
    bool shown[MOST_COLUMNS];
    char cell[CELL_SIZE];
    for (size_t c = 0; c < count; c++) {
        shown[c] = true;
        width[c] = strlen(columns[c].heading);
        for (size_t r = 0; r < rows; r++) {
            size_t n = strlen(columns[c].cell(cell, &row[r], columns[c].percent));
            width[c] = n > width[c] ? n : width[c];
        }
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
    put_style(p, "2");
    for (size_t c = 0; c < count; c++)
        if (shown[c])
            bipe_output_printf(p->output, NULL, "  %*s", (int)width[c], columns[c].heading);
    put_style(p, "0");
    put(p, "\n");
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++)
            if (shown[c])
                bipe_output_printf(p->output, NULL, "  %*s", (int)width[c],
                                   columns[c].cell(cell, &row[r], columns[c].percent));
        put(p, "\n");
    }
}

/* Words of a sentence, broken where the line is full. */
static void put_sentence(printer *p, const char *text)
{
    size_t at = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        if (at == 0 || at + 1 + n > p->look.width) {
            put(p, at == 0 ? "  " : "\n    ");
            at = at == 0 ? 2 : 4;
        } else {
            put(p, " ");
            at++;
        }
        bipe_output_write(p->output, text, n, NULL);
        at += n;
        text += n;
        while (*text == ' ')
            text++;
    }
    put(p, "\n");
}

/* What growth and invariance come to, for someone who does not want to read numbers. */
static void put_findings(printer *p, const stats_section *s)
{
    const stats_row *worst = NULL;
    for (size_t i = 1; i < s->count; i++)
        if (isfinite(s->row[i].ks) && (worst == NULL || s->row[i].ks > worst->ks))
            worst = &s->row[i];
    if (worst == NULL)
        return;
    put(p, "\n");
    char text[512], a[CELL_SIZE], b[CELL_SIZE], length[CELL_SIZE];
    if (isfinite(s->growth.slope)) {
        char fit[64] = "";
        if (isfinite(s->growth.r2))
            snprintf(fit, sizeof fit, " (r2 %.3f)", s->growth.r2);
        snprintf(text, sizeof text, "Growth: each further 1k tokens of window hold %s more segments%s.",
                 format_real(a, s->growth.slope * 1024), fit);
        put_sentence(p, text);
    }
    const char *verdict = worst->ks < 0.05 ? "does not change" : worst->ks < 0.15 ? "hardly changes" : "changes";
    const char *where = worst->length == BIPE_TALLY_DOCUMENT ? "whole documents" : "windows of ";
    snprintf(text, sizeof text,
             "Invariance: the length of segments %s with the window. Farthest from windows of %s are %s%s (KS %.3f, JS %.3f, Wasserstein %s tokens).",
             verdict, format_length(length, s->row[0].length), where,
             worst->length == BIPE_TALLY_DOCUMENT ? "" : format_length(b, worst->length), worst->ks, worst->js,
             format_real(a, worst->wasserstein));
    put_sentence(p, text);
}

static void put_section(printer *p, const stats_section *s)
{
    put(p, "\n");
    put_style(p, "1");
    put(p, "Segmenter ");
    bipe_output_name(p->output, s->segmenter, NULL);
    put_style(p, "0");
    put(p, "\n\n");
    put_heading(p, "  Tokens per segment");
    put_columns(p, tokens_columns, sizeof tokens_columns / sizeof tokens_columns[0], s->row, s->count);
    put(p, "\n");
    put_heading(p, "  Segments per window");
    put_columns(p, segments_columns, sizeof segments_columns / sizeof segments_columns[0], s->row, s->count);
    const stats_row *whole = &s->row[s->count - 1];
    if (whole->tokens.total != 0) {
        put(p, "\n");
        put_heading(p, "  Segments of whole documents by their tokens");
        stats_chart_write(&whole->tokens, p->look, p->output);
    }
    put_findings(p, s);
}

/* "2 files" */
static const char *format_number_of(char *text, size_t size, uint64_t count, const char *what)
{
    char cell[CELL_SIZE];
    snprintf(text, size, "%s %s%s", stats_format_count(cell, count), what, count == 1 ? "" : "s");
    return text;
}

int stats_write_table(const stats_report *report, stats_look look, bipe_output *output, bipe_error *err)
{
    const stats_result *r = report->result;
    printer p = {.output = output, .look = look};
    char a[64], b[64], c[64], d[64];
    bipe_output_printf(output, NULL, "%s, %s, %s, %s (", format_number_of(a, sizeof a, stats_result_files(r), "file"),
                       format_number_of(b, sizeof b, r->documents, "document"),
                       format_number_of(c, sizeof c, r->bytes, "byte"), format_number_of(d, sizeof d, r->tokens, "token"));
    bipe_output_name(output, r->tokenizer, NULL);
    put(&p, ")\n");
    for (size_t i = 0; i < r->count; i++)
        put_section(&p, &report->section[i]);
    return bipe_output_flush(output, err);
}
