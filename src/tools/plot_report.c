/* plot_report.c - see plot_report.h. The page is one file: figures are data within it. */
#include "config.h"

#include "tools/plot_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "text/html.h"
#include "text/label.h"

enum { ROWS_MOST = 2000, FIGURE_WIDTH = 110, PRE_WIDTH = 78 };

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:75em;margin:1.5em auto;padding:0 1em}h1{font-size:1.5em}"
    "h2{font-size:1.2em;border-bottom:1px solid GrayText;margin-top:2em}h3{font-size:1em}code,pre{font-family:monospace;overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;background:rgba(128,128,128,.12);padding:.6em}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}"
    "div.t{overflow-x:auto}td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid rgba(128,128,128,.4)}td:first-child,th:first-child,td.x,th.x"
    "{text-align:left;overflow-wrap:anywhere}figure{display:inline-block;margin:.5em;max-width:100%;vertical-align:top}img{max-width:100%;background:#fff}"
    "@media print{h2,h3{break-after:avoid}figure,tr{break-inside:avoid}}";

/* A column of a table: a path of members, "intervals.0" for the first of a list. text: aligned to the left. */
typedef struct column {
    const char *heading, *path;
    bool text;
} column;

static const column score_columns[] = {{"model", "model", true}, {"segmenter", "segmenter", true}, {"file", "file", true}, {"group", "group", true},
                                       {"length", "length", false}, {"tokens", "tokens", false}, {"nats/token", "nll", false}, {"low", "interval.0", false},
                                       {"high", "interval.1", false}, {"perplexity", "ppl", false}, {"bits/byte", "bits_per_byte", false},
                                       {"error from", "method", true}};
static const column comparison_columns[] = {{"model", "b.model", true}, {"segmenter", "b.segmenter", true}, {"less", "a.model", true}, {"with", "a.segmenter", true},
                                            {"file", "file", true}, {"length", "length", false}, {"nats/token", "nll_difference", false},
                                            {"low", "interval.0", false}, {"high", "interval.1", false}, {"p", "p", false},
                                            {"bits/byte", "bits_per_byte_difference", false}};
static const column stats_columns[] = {{"segmenter", "segmenter", true}, {"group", "group", true}, {"length", "length", false}, {"windows", "windows", false},
                                       {"segments", "segments", false}, {"tokens/segment", "tokens_per_segment.mean", false},
                                       {"sd", "tokens_per_segment.sd", false}, {"p50", "tokens_per_segment.p50", false},
                                       {"p95", "tokens_per_segment.p95", false}, {"segments/window", "segments_per_window.mean", false},
                                       {"p5", "segments_per_window.p5", false}, {"p95", "segments_per_window.p95", false}};
static const column contrast_columns[] = {{"segmenter", "segmenter", true}, {"group", "b", true}, {"less", "a", true}, {"tokens/segment", "mean_difference", false},
                                          {"low", "interval.0", false}, {"high", "interval.1", false}, {"p", "p", false},
                                          {"Kolmogorov-Smirnov", "ks", false}, {"Jensen-Shannon", "js", false}, {"Wasserstein (tokens)", "wasserstein", false}};
static const column invariance_columns[] = {{"segmenter", "segmenter", true}, {"group", "group", true}, {"length", "length", false}, {"Kolmogorov-Smirnov", "ks", false},
                                            {"Jensen-Shannon", "js", false}, {"Wasserstein (tokens)", "wasserstein", false}};
static const column growth_columns[] = {{"segmenter", "segmenter", true}, {"group", "group", true}, {"segments per token", "slope", false}, {"intercept", "intercept", false}, {"r2", "r2", false}};
static const column probe_columns[] = {{"model", "model", true}, {"segmenter", "segmenter", true}, {"length", "length", false}, {"depth", "depth", false},
                                       {"accuracy", "accuracy", false}, {"low", "interval.0", false}, {"high", "interval.1", false}};
static const column limit_columns[] = {{"model", "model", true}, {"segmenter", "segmenter", true}, {"trained at", "train_length", false}, {"limit", "limit", false}};

#define COLUMNS_OF(list) list, sizeof list / sizeof list[0]

/* Columns that no row has are left out, and so is a table without rows. */
static void put_table(const char *heading, const json_t *rows, const column *columns, size_t count, bipe_output *output)
{
    size_t size = json_array_size(rows), shown = size < ROWS_MOST ? size : ROWS_MOST;
    bool used[16] = {0};
    for (size_t i = 0; i < shown; i++)
        for (size_t c = 0; c < count; c++) {
            const json_t *value = plot_member(json_array_get(rows, i), columns[c].path);
            used[c] = used[c] || (value != NULL && !json_is_null(value));
        }
    if (size == 0)
        return;
    bipe_output_printf(output, NULL, "<h3>%s</h3>\n<div class=\"t\"><table><tr>", heading);
    for (size_t c = 0; c < count; c++)
        if (used[c])
            bipe_output_printf(output, NULL, "<th%s>%s</th>", columns[c].text ? " class=\"x\"" : "", columns[c].heading);
    for (size_t i = 0; i < shown; i++) {
        bipe_output_printf(output, NULL, "</tr>\n<tr>");
        for (size_t c = 0; c < count; c++) {
            const json_t *value = plot_member(json_array_get(rows, i), columns[c].path);
            if (!used[c])
                continue;
            bipe_output_printf(output, NULL, "<td%s>", columns[c].text ? " class=\"x\"" : "");
            if (json_is_string(value))
                bipe_html_text(output, json_string_value(value));
            else if (json_is_integer(value))
                bipe_output_printf(output, NULL, "%lld", (long long)json_integer_value(value));
            else if (json_is_real(value))
                bipe_output_printf(output, NULL, "%.5g", json_real_value(value));
            bipe_output_printf(output, NULL, "</td>");
        }
    }
    bipe_output_printf(output, NULL, "</tr></table></div>\n");
    if (size > shown)
        bipe_output_printf(output, NULL, "<p>%zu more rows are left out.</p>\n", size - shown);
}

/* ---- files and their checksums ---- */

static void put_checksum(const char *what, const char *path, bipe_output *output)
{
    struct stat info;
    uint8_t bytes[1 << 14], sum[BIPE_SHA256_SIZE];
    bipe_sha256 sha;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    bipe_output_printf(output, NULL, "<tr><td>%s</td><td class=\"x\"><code>", what);
    bipe_html_text(output, path);
    bipe_output_printf(output, NULL, "</code></td><td class=\"x\"><code>");
    bipe_sha256_begin(&sha);
    for (size_t size; file != NULL && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        bipe_sha256_add(&sha, bytes, size);
    bool read = file != NULL && !ferror(file);
    if (file != NULL)
        fclose(file);
    bipe_sha256_end(&sha, sum);
    for (size_t i = 0; i < sizeof sum && read; i++)
        bipe_output_printf(output, NULL, "%02x", sum[i]);
    bipe_output_printf(output, NULL, "%s</code></td></tr>\n", read ? "" : "no file of that name can be read now");
}

static void put_files(const plot_input *input, bipe_output *output)
{
    const json_t *combinations = json_object_get(input->root, "combinations"), *model = json_object_get(json_object_get(input->root, "model"), "path");
    const char *path[PLOT_DIFFERENT_MOST];
    size_t count = plot_different(combinations, "path", path);
    bipe_output_printf(output, NULL, "<h3>Files, with the SHA-256 that they have as this report is made</h3>\n<div class=\"t\"><table>\n");
    put_checksum(plot_source_names[input->source], input->path, output);
    if (count == 0 && json_is_string(model))
        path[count++] = json_string_value(model);
    for (size_t i = 0; i < count; i++)
        put_checksum("model", path[i], output);
    count = plot_different(json_object_get(input->root, input->source == PLOT_STATS ? "per_file" : "results"), "file", path);
    for (size_t i = 0; i < count; i++)
        put_checksum("text", path[i], output);
    bipe_output_printf(output, NULL, "</table></div>\n");
}

/* ---- inputs ---- */

static void put_json_tables(const plot_input *input, bipe_output *output)
{
    const json_t *root = input->root;
    put_table("In all", json_object_get(root, "total"), COLUMNS_OF(score_columns), output);
    if (input->source == PLOT_STATS) {
        put_table("Results", json_object_get(root, "results"), COLUMNS_OF(stats_columns), output);
        put_table("Differences between groups", json_object_get(root, "comparisons"), COLUMNS_OF(contrast_columns), output);
    } else {
        put_table("Results", json_object_get(root, "results"), COLUMNS_OF(score_columns), output);
        put_table("Groups", json_object_get(root, "groups"), COLUMNS_OF(score_columns), output);
        put_table("Differences", json_object_get(root, "comparisons"), COLUMNS_OF(comparison_columns), output);
    }
    put_table("Longest windows that are not worse", json_object_get(root, "limits"), COLUMNS_OF(limit_columns), output);
    put_table("Probe", json_object_get(root, "probe"), COLUMNS_OF(probe_columns), output);
    put_table("Growth of segments per window", json_object_get(root, "growth"), COLUMNS_OF(growth_columns), output);
    put_table("Distances of tokens per segment from the first length", json_object_get(root, "invariance"), COLUMNS_OF(invariance_columns), output);
}

/* A name of a table as JSON, which has well-formed text alone. */
static json_t *label_of(const char *name)
{
    char *label = bipe_label_copy(name);
    json_t *text = json_string(label != NULL ? label : "");
    bipe_free(label);
    return text;
}

/* Of a log: where each curve begins and ends. Of tokens: how many losses in each part. */
static void put_other_tables(const plot_input *input, bipe_output *output)
{
    static const column log_columns[] = {{"curve", "name", true}, {"points", "points", false}, {"first step", "a", false}, {"loss", "b", false},
                                         {"last step", "c", false}, {"loss", "d", false}};
    static const column view_columns[] = {{"model", "model", true}, {"segmenter", "segmenter", true}, {"file", "file", true}, {"length", "length", false},
                                          {"tokens", "tokens", false}, {"nats/token", "nll", false}};
    json_t *rows = json_array();
    for (size_t i = 0; i < input->curve.count; i++) {
        const bipe_series *s = &input->curve.series[i];
        const bipe_point *first = &s->point[0], *last = &s->point[s->count - 1];
        json_t *row = json_pack("{s:s,s:I,s:f,s:f}", "name", s->name, "points", (json_int_t)s->count, "a", first->x, "c", last->x);
        if (isfinite(first->y))
            json_object_set_new(row, "b", json_real(first->y));
        if (isfinite(last->y))
            json_object_set_new(row, "d", json_real(last->y));
        json_array_append_new(rows, row);
    }
    for (size_t i = 0; i < input->views; i++) {
        const plot_view *v = &input->view[i];
        double tokens = 0, sum = 0;
        for (size_t k = 0; k < v->bins[0]; k++) {
            tokens += v->bin[0][k].tokens;
            sum += v->bin[0][k].sum;
        }
        json_array_append_new(rows, json_pack("{s:o,s:o,s:o,s:I,s:I,s:f}", "model", label_of(v->model), "segmenter", label_of(v->segmenter), "file", label_of(v->file), "length",
                                              (json_int_t)v->length, "tokens", (json_int_t)tokens, "nll", tokens > 0 ? sum / tokens : 0));
    }
    if (input->source == PLOT_LOG)
        put_table("Curves", rows, COLUMNS_OF(log_columns), output);
    else
        put_table("Scored tokens", rows, COLUMNS_OF(view_columns), output);
    json_decref(rows);
}

static void put_input(const plot_input *input, bipe_output *output)
{
    const char *version = json_string_value(json_object_get(input->root, "version"));
    bipe_output_printf(output, NULL, "<h2>");
    bipe_html_text(output, input->path);
    bipe_output_printf(output, NULL, "</h2>\n<p>%s%s", plot_source_names[input->source], version != NULL ? ", version " : "");
    bipe_html_text(output, version != NULL ? version : "");
    bipe_output_printf(output, NULL, "</p>\n");
    if (input->root != NULL) {
        bipe_output_printf(output, NULL, "<p>A command that makes it again, by what it says of itself:</p>\n<pre>");
        plot_command_write(input, output);
        bipe_output_printf(output, NULL, "</pre>\n");
    }
    put_files(input, output);
    if (input->root != NULL)
        put_json_tables(input, output);
    else
        put_other_tables(input, output);
}

/* ---- figures ---- */

static int append_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_buffer_append(context, bytes, size, err);
}

/* As a picture, or without Cairo as it would be on a terminal. */
static int put_figure(const bipe_figure *figure, bipe_output *output, bipe_error *err)
{
    bipe_buffer drawn = {0};
    bipe_output *part = NULL;
    size_t gaps = 0;
    for (size_t i = 0; i < figure->count; i++)
        gaps += bipe_figure_gaps(figure, i);
    bipe_output_printf(output, NULL, "<figure>");
    int status = bipe_output_open_sink(&part, append_bytes, &drawn, err);
    if (status == BIPE_OK)
        status = bipe_figures_draw(figure, 1, BIPE_PICTURE_SVG, FIGURE_WIDTH, part, err);
    if (status == BIPE_OK) {
        bipe_output_printf(output, NULL, "<img alt=\"");
        bipe_html_text(output, figure->title);
        bipe_output_printf(output, NULL, "\" src=\"data:image/svg+xml;base64,");
        bipe_html_base64(output, drawn.data, drawn.size);
        bipe_output_printf(output, NULL, "\">");
    } else if (status == BIPE_ERR_UNSUPPORTED) {
        status = bipe_figure_print(figure, (bipe_look){.width = PRE_WIDTH, .utf8 = true}, part, err);
        bipe_output_printf(output, NULL, "<pre>");
        bipe_html_bytes(output, drawn.data, drawn.size);
        bipe_output_printf(output, NULL, "</pre>");
    }
    if (gaps > 0)
        bipe_output_printf(output, NULL, "<figcaption>Gaps, where the axes cannot show a value: %zu</figcaption>", gaps);
    bipe_output_printf(output, NULL, "</figure>\n");
    bipe_output_abandon(part);
    bipe_buffer_free(&drawn);
    return status;
}

static int put_figures(const plot_report *report, bipe_output *output, bipe_error *err)
{
    plot_figures figures = {0};
    plot_wish wish = *report->wish;
    int status = BIPE_OK;
    wish.title = NULL;
    wish.may_be_empty = true;
    for (int k = 0; k < PLOT_TEXT && status == BIPE_OK; k++) {
        bool held = false;
        for (size_t i = 0; i < report->count; i++)
            held = held || plot_holds(&report->input[i], (plot_kind)k);
        if (held)
            status = plot_figures_make(&figures, (plot_kind)k, report->input, report->count, &wish, err);
    }
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++) {
        figures.figure[i].titled = true;
        status = put_figure(&figures.figure[i], output, err);
    }
    plot_figures_close(&figures);
    return status;
}

int plot_report_write(const plot_report *report, bipe_output *output, bipe_error *err)
{
    const char *title = report->wish->title != NULL ? report->wish->title : "Results of bipe";
    bipe_html_begin(output, title, style, NULL);
    bipe_output_printf(output, NULL, "<body>\n<h1>");
    bipe_html_text(output, title);
    bipe_output_printf(output, NULL, "</h1>\n<p>bipe-plot, version %s:</p>\n<pre>", PACKAGE_VERSION);
    for (int i = 0; i < report->words; i++)
        plot_command_word(report->command[i], output);
    bipe_output_printf(output, NULL, "</pre>\n<h2>Figures</h2>\n");
    int status = put_figures(report, output, err);
    for (size_t i = 0; i < report->count; i++)
        put_input(&report->input[i], output);
    bipe_output_printf(output, NULL, "</body>\n</html>\n");
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
