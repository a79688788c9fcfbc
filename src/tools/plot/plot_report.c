/* plot_report.c - the report of bipe-plot: one page with figures, commands, checksums and tables, and the results
 * themselves as data. It has no script. */
#include "config.h"

#include "tools/plot/bipe_plot.h"

#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "cli/checksum.h"
#include "cli/run_record.h"
#include "plot/html.h"

enum { FIGURE_WIDTH = 110 };

static const char style[] =
    ":root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:75em;margin:1.5em auto;padding:0 "
    "1em}h1{font-size:1.5em}"
    "h2{font-size:1.2em;border-bottom:1px solid "
    "GrayText;margin-top:2em}h3{font-size:1em}code,pre{font-family:monospace;overflow-wrap:anywhere}"
    "pre{white-space:pre-wrap;background:rgba(128,128,128,.12);padding:.6em}table{border-collapse:collapse;font-"
    "variant-numeric:tabular-nums;margin:1em 0}"
    "div.t{overflow-x:auto}td,th{padding:.15em .7em;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "rgba(128,128,128,.4)}td:first-child,th:first-child,td.x,th.x,td.h"
    "{text-align:left}td code{white-space:normal}td.h{font:.75em "
    "monospace}dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24em,100%),1fr));gap:0 2em}"
    "dl div{display:grid;grid-template-columns:11em 1fr;gap:.7em;border-bottom:1px solid "
    "rgba(128,128,128,.2)}dt,dd{margin:0;overflow-wrap:anywhere}dt{color:GrayText}"
    "div.f{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(30em,100%),1fr));gap:1em}figure{margin:0}svg{"
    "width:100%;height:auto}"
    "@media "
    "print{h2,h3{break-after:avoid}figure,tr{break-inside:avoid}div.t{overflow:visible}table{font-size:.7em}td,th{"
    "white-space:normal;overflow-wrap:anywhere}}";

/* ---- files and their checksums ---- */

/* then: the checksum in the run, "": not known. */
static void put_file(const char *what, const char *path, const char *then, bipe_output *output)
{
    bipe_checksum sum;
    const char *now = bipe_checksum_file(&sum, path) ? sum.text : "";
    bool known = then[0] != '\0', other = known && now[0] != '\0' && strcmp(now, then) != 0;
    bipe_output_printf(output, NULL, "<tr><td>%s</td><td class=\"x\"><code>", what);
    bipe_html_text(output, path);
    bipe_output_printf(output, NULL, "</code></td><td class=\"h\">");
    bipe_html_text(output, known ? then : now);
    bipe_output_printf(output, NULL, "</td><td class=\"x\">%s</td><td class=\"h\">%s</td></tr>\n",
                       now[0] == '\0' ? "cannot be read now"
                       : !known       ? "checksum now"
                       : other        ? "changed, now:"
                                      : "unchanged",
                       other ? now : "");
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

/* own: the input itself, NULL: it is left out. */
static void put_files(const plot_input *own, const json_t *root, bipe_output *output)
{
    if (own == NULL &&
        json_array_size(plot_member(root, "run.models")) + json_array_size(plot_member(root, "run.files")) == 0)
        return;
    bipe_output_printf(output, NULL, "<h3>Files and their SHA-256</h3>\n<div class=\"t\"><table>\n");
    if (own != NULL)
        put_file(plot_source_names[own->source], own->path, "", output);
    put_list("model", NULL, plot_member(root, "run.models"), output);
    put_list("file", NULL, plot_member(root, "run.files"), output);
    bipe_output_printf(output, NULL, "</table></div>\n");
}

/* ---- inputs ---- */

static int put_json(const char *bytes, size_t size, void *output)
{
    return bipe_html_json(output, (const uint8_t *)bytes, size, NULL) == BIPE_OK ? 0 : -1;
}

/* What made a result: root has its run; NULL: it is not known. */
static void put_run(const plot_input *own, json_t *root, bipe_output *output)
{
    const char *command = plot_text_of(root, "run.command");
    bipe_output_printf(output, NULL, command[0] != '\0' ? "<pre>" : "<p>");
    bipe_html_text(output, command[0] != '\0' ? command : "This result does not say which command made it.");
    bipe_output_printf(output, NULL, command[0] != '\0' ? "</pre>\n" : "</p>\n");
    put_files(own, root, output);
    if (root != NULL)
        plot_put_members(root, output);
}

/* Tables of all lists of objects, also of those within objects; before: "", or the name of such an object with a
 * dot. */
static void put_tables(const char *before, json_t *object, bipe_output *output)
{
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value) {
        char name[256];
        bool list = json_is_object(json_array_get(value, 0)), within = before[0] == '\0' && strcmp(key, "run") != 0;
        snprintf(name, sizeof name, "%s%s%s", before, key, list ? "" : ".");
        if (list)
            plot_put_table(name, value, output);
        else if (within)
            put_tables(name, value, output);
    }
}

static int put_losses(const plot_input *input, bipe_output *output, bipe_error *err)
{
    json_t *rows;
    int status = plot_training_rows(&rows, input, err);
    if (status == BIPE_OK)
        plot_put_table("losses at validations and the last step", rows, output);
    json_decref(rows);
    return status;
}

static int put_input(const plot_input *input, bipe_output *output, bipe_error *err)
{
    json_t *first = input->root != NULL ? input->root : json_array_get(input->runs, 0),
           *data = input->root != NULL ? input->root : input->runs;
    const char *version = plot_first_text(first, "version", first, "run.version");
    bipe_output_printf(output, NULL, "<section><h2>");
    bipe_html_text(output, input->path);
    bipe_output_printf(output, NULL, "</h2>\n<p>%s%s", plot_source_names[input->source],
                       version[0] != '\0' ? ", version " : "");
    bipe_html_text(output, version);
    bipe_output_printf(output, NULL, "</p>\n");
    put_run(input, first, output);
    for (size_t i = 1; i < json_array_size(input->runs); i++)
        put_run(NULL, json_array_get(input->runs, i), output);
    int status = input->source == PLOT_LOG ? put_losses(input, output, err) : BIPE_OK;
    put_tables("", input->root, output);
    bipe_output_printf(output, NULL, "<script type=\"application/json\">");
    if (data == NULL || json_dump_callback(data, put_json, output, JSON_COMPACT) != 0)
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
        bipe_output_printf(output, NULL, "<figcaption>Gaps, where the axes cannot show a value: %zu</figcaption>",
                           gaps);
    bipe_output_printf(output, NULL, "</figure>\n");
    return status;
}

int plot_report_write(const bipe_tool *tool, const plot_input *input, size_t count, const plot_wish *wish,
                      bipe_output *output, bipe_error *err)
{
    const char *title = wish->title != NULL ? wish->title : "Results of bipe";
    plot_figures figures = {0};
    plot_wish each = *wish;
    int status = BIPE_OK;
    each.title = NULL;
    bipe_html_begin(output, title, style, "", "");
    bipe_output_printf(output, NULL, "<p>bipe-plot, version %s:</p>\n<pre>", PACKAGE_VERSION);
    json_t *command = bipe_run_command(tool);
    bipe_html_text(output, json_string_value(command));
    json_decref(command);
    bipe_output_printf(output, NULL, "</pre>\n<h2>Figures</h2>\n<div class=\"f\">\n");
    for (int k = 0; k < plot_kind_text && status == BIPE_OK; k++)
        status = plot_figures_make(&figures, k, input, count, &each, err);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++) {
        figures.figure[i].titled = true;
        status = put_figure(&figures.figure[i], output, err);
    }
    plot_figures_close(&figures);
    bipe_output_printf(output, NULL, "</div>\n");
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = put_input(&input[i], output, err);
    bipe_output_printf(output, NULL, "</body>\n</html>\n");
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
