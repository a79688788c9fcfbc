/* plot_report.c - the report of bipe-plot: one page with figures, commands, checksums and tables, and the results themselves as data. It has no script. */
#include "config.h"

#include "tools/bipe_plot.h"

#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "plot/html.h"
#include "tools/checksum.h"
#include "tools/run_record.h"

enum { FIGURE_WIDTH = 110 };

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:75em;margin:1.5em auto;padding:0 1em}h1{font-size:1.5em}"
    "h2{font-size:1.2em;border-bottom:1px solid GrayText;margin-top:2em}h3{font-size:1em}code,pre{font-family:monospace;overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;background:rgba(128,128,128,.12);padding:.6em}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}"
    "div.t{overflow-x:auto}td,th{padding:.15em .7em;text-align:right;white-space:nowrap;border-bottom:1px solid rgba(128,128,128,.4)}td:first-child,th:first-child,td.x,th.x"
    "{text-align:left}td code{white-space:normal}figure{display:inline-block;margin:.5em;max-width:100%;vertical-align:top}svg{max-width:100%;height:auto}"
    "@media print{h2,h3{break-after:avoid}figure,tr{break-inside:avoid}}";

/* ---- files and their checksums ---- */

/* then: the checksum in the run, "": not known. */
static void put_file(const char *what, const char *path, const char *then, bipe_output *output)
{
    bipe_checksum sum;
    const char *now = bipe_checksum_file(&sum, path) ? sum.text : "";
    bool known = then[0] != '\0', other = known && now[0] != '\0' && strcmp(now, then) != 0;
    const char *const cell[] = {path, known ? then : now, now[0] == '\0' ? "cannot be read now" : !known ? "as it is now" : other ? "another now:" : "the same now",
                                other ? now : ""};
    bipe_output_printf(output, NULL, "<tr><td>%s</td>", what);
    for (size_t i = 0; i < sizeof cell / sizeof cell[0]; i++) {
        bipe_output_printf(output, NULL, "<td class=\"x\"><code>");
        bipe_html_text(output, cell[i]);
        bipe_output_printf(output, NULL, "</code></td>");
    }
    bipe_output_printf(output, NULL, "</tr>\n");
}

/* Files of a list; those of a model that is a folder are below it. */
static void put_list(const char *what, const char *folder, const json_t *list, bipe_output *output)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *file = json_array_get(list, i), *files = json_object_get(file, "files");
        const char *name = plot_text_of(file, "path");
        char path[PATH_MAX];
        if (folder != NULL && !bipe_path_join(path, sizeof path, folder, name))
            continue;
        if (folder == NULL && files != NULL)
            put_list(what, name, files, output);
        else
            put_file(what, folder != NULL ? path : name, plot_text_of(file, "sha256"), output);
    }
}

static void put_files(const plot_input *input, bipe_output *output)
{
    bipe_output_printf(output, NULL, "<h3>Files and their SHA-256</h3>\n<div class=\"t\"><table>\n");
    put_file(plot_source_names[input->source], input->path, "", output);
    put_list("model", NULL, plot_member(input->root, "run.models"), output);
    put_list("file", NULL, plot_member(input->root, "run.files"), output);
    bipe_output_printf(output, NULL, "</table></div>\n");
}

/* ---- inputs ---- */

static int put_json(const char *bytes, size_t size, void *output)
{
    return bipe_html_json(output, (const uint8_t *)bytes, size, NULL) == BIPE_OK ? 0 : -1;
}

static int put_input(const plot_input *input, bipe_output *output, bipe_error *err)
{
    const char *command = plot_text_of(input->root, "run.command"), *name;
    json_t *list;
    int status = BIPE_OK;
    bipe_output_printf(output, NULL, "<section><h2>");
    bipe_html_text(output, input->path);
    bipe_output_printf(output, NULL, "</h2>\n<p>%s%s", plot_source_names[input->source], input->root != NULL ? ", version " : "");
    bipe_html_text(output, plot_text_of(input->root, "version"));
    bipe_output_printf(output, NULL, "</p>\n%s", command[0] != '\0' ? "<pre>" : "<p>");
    bipe_html_text(output, command[0] != '\0' ? command : "This result does not say which command made it.");
    bipe_output_printf(output, NULL, command[0] != '\0' ? "</pre>\n" : "</p>\n");
    put_files(input, output);
    if (input->root != NULL)
        status = plot_put_members(input->root, output, err);
    json_object_foreach (input->root, name, list)
        if (status == BIPE_OK && json_is_object(json_array_get(list, 0)))
            status = plot_put_table(name, list, output, err);
    bipe_output_printf(output, NULL, "<script type=\"application/json\">");
    if (input->root == NULL || json_dump_callback(input->root, put_json, output, JSON_COMPACT) != 0)
        bipe_output_printf(output, NULL, "{}");
    bipe_output_printf(output, NULL, "</script></section>\n");
    return status;
}

/* ---- figures ---- */

static int put_figure(const bipe_figure *figure, bipe_output *output, bipe_error *err)
{
    size_t gaps = 0;
    for (size_t i = 0; i < figure->count; i++)
        gaps += bipe_figure_gaps(figure, i);
    bipe_output_printf(output, NULL, "<figure>");
    int status = bipe_figures_draw_svg(figure, 1, FIGURE_WIDTH, output, err);
    if (gaps > 0)
        bipe_output_printf(output, NULL, "<figcaption>Gaps, where the axes cannot show a value: %zu</figcaption>", gaps);
    bipe_output_printf(output, NULL, "</figure>\n");
    return status;
}

int plot_report_write(const bipe_tool *tool, const plot_input *input, size_t count, const plot_wish *wish, bipe_output *output, bipe_error *err)
{
    const char *title = wish->title != NULL ? wish->title : "Results of bipe";
    plot_figures figures = {0};
    plot_wish each = *wish;
    int status = BIPE_OK;
    each.title = NULL;
    bipe_html_begin(output, title, style, "", "");
    bipe_output_printf(output, NULL, "<p>bipe-plot, version %s:</p>\n<pre>", PACKAGE_VERSION);
    json_t *command = bipe_run_command(tool);
    bipe_html_text(output, command != NULL ? json_string_value(command) : "");
    json_decref(command);
    bipe_output_printf(output, NULL, "</pre>\n<h2>Figures</h2>\n");
    for (int k = 0; k < PLOT_TEXT && status == BIPE_OK; k++)
        status = plot_figures_make(&figures, (plot_kind)k, input, count, &each, err);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++) {
        figures.figure[i].titled = true;
        status = put_figure(&figures.figure[i], output, err);
    }
    plot_figures_close(&figures);
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = put_input(&input[i], output, err);
    bipe_output_printf(output, NULL, "</body>\n</html>\n");
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
