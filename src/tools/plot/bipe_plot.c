/* bipe_plot.c - the tool bipe-plot: draws what the other tools have measured, on a terminal or as a picture. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/path.h"
#include "cli/csv.h"
#include "cli/terminal.h"
#include "cli/tool.h"
#include "cli/tool_alloc.h"
#include "tools/plot/bipe_plot.h"

/* The options given. */
typedef struct settings {
    bipe_tool tool;
    const char *output, *data, *text, *report;
    int kind;            /* -1: not given */
    double width;        /* below 0: not given, which check_plot_settings() makes 0, the usual one */
    bool ascii;
    plot_wish wish;
} settings;

static const char *const unit_names[] = {"ppl", "nll", "bits", NULL};
static const char *const curve_names[] = {"one", "training", "validation", "all", NULL};
static const char *const per_names[] = {"total", "file", "group", NULL};

/* What is written: by the ending of its name. */
enum {
    FORMAT_SVG = BIPE_PICTURE_SVG,
    FORMAT_PDF = BIPE_PICTURE_PDF,
    FORMAT_PNG = BIPE_PICTURE_PNG,
    FORMAT_HTML,
    FORMAT_TEXT,
    FORMATS
};

static const char *ending_of(const char *output)
{
    const char *slash = output != NULL ? strrchr(output, '/') : NULL,
               *dot = output != NULL ? strrchr(output, '.') : NULL;
    return dot != NULL && (slash == NULL || dot > slash) ? dot : ".txt";
}

/* FORMATS: none that is known. */
static int format_of(const char *output)
{
    static const char *const endings[FORMATS] = {[FORMAT_SVG] = ".svg", [FORMAT_PDF] = ".pdf", [FORMAT_PNG] = ".png",
                                                 [FORMAT_HTML] = ".html", [FORMAT_TEXT] = ".txt"};
    int i = 0;
    while (i < FORMATS && strcasecmp(ending_of(output), endings[i]) != 0)
        i++;
    return i;
}

/* How a figure should look where it goes. */
static bipe_look look_of_output(const settings *set)
{
    bipe_look look = bipe_tool_look(set->output, (size_t)set->width, BIPE_LOOK_NARROWEST, BIPE_LOOK_WIDEST);
    look.utf8 = look.utf8 && !set->ascii;
    return look;
}

/* ---- what is drawn ---- */

static const char *name_kinds(unsigned kinds, char text[128])
{
    text[0] = '\0';
    for (int k = 0; k <= plot_kind_text; k++)
        if (kinds >> k & 1)
            snprintf(text + strlen(text), 128 - strlen(text), "%s%s", text[0] != '\0' ? ", " : "",
                     plot_kind_name(k));
    return text;
}

/* Options that change nothing. */
static void note_idle(bipe_tool *tool, int kind, const plot_wish *wish, const plot_figures *figures)
{
    const bool idle[] = {wish->log_x && !figures->log_x, wish->log_y && !figures->log_y},
               axes = !figures->figure[0].bars && !figures->figure[0].map;
    for (size_t i = 0; i < 2; i++)
        if (idle[i])
            bipe_tool_note(tool, "option '--log-%c' changes nothing: %s", i == 0 ? 'x' : 'y',
                           axes ? "the axis is logarithmic already" : "bars and maps have no such axis");
    if (wish->unit != 0 && !plot_kind_has_units(kind))
        bipe_tool_note(tool, "option '--unit' changes nothing: a picture of kind '%s' has one unit",
                       plot_kind_name(kind));
}

/* The figures of the kind asked for, or else of the first that an input has something for. */
static int make_figures(bipe_tool *tool, const settings *set, const plot_input *input, size_t count,
                        plot_figures *figures, bipe_error *err)
{
    char text[128];
    unsigned all = 0;
    int kind = set->kind >= 0 ? set->kind : 0;
    unsigned shared = ~0U;
    for (size_t i = 0; i < count; i++) {
        all |= plot_kinds(&input[i]);
        shared &= plot_kinds(&input[i]);
    }
    while (set->kind < 0 && kind < plot_kind_text && !((shared != 0 ? shared : all) >> kind & 1))
        kind++;
    for (size_t i = 0; i < count; i++)
        if (plot_kinds(&input[i]) == 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s, which holds nothing to draw", input[i].path,
                             plot_source_names[input[i].source]);
        else if (!(plot_kinds(&input[i]) >> kind & 1))
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "%s: %s, which holds nothing for a picture of kind '%s', only for: %s", input[i].path,
                             plot_source_names[input[i].source], plot_kind_name(kind),
                             name_kinds(plot_kinds(&input[i]), text));
    int status = plot_figures_make(figures, kind, input, count, &set->wish, err);
    if (status == BIPE_OK && figures->count == 0)
        status = set->wish.per != PLOT_PER_TOTAL
                     ? bipe_fail(err, BIPE_ERR_FORMAT, "option '--per': no input has rows of %ss%s",
                                 per_names[set->wish.per],
                                 set->wish.per == PLOT_PER_GROUP ? " (bipe-score --group makes them)" : "")
                     : bipe_fail(err, BIPE_ERR_FORMAT, "option '--length': no input has rows of that length");
    if (status == BIPE_OK)
        note_idle(tool, kind, &set->wish, figures);
    if (status == BIPE_OK && set->kind < 0 && (all & ~(1U << kind)) != 0)
        bipe_tool_note(tool, "this is a picture of kind '%s'; '--kind' draws the others: %s", plot_kind_name(kind),
                       name_kinds(all & ~(1U << kind), text));
    return status;
}

/* Points that no line can show are gaps, which are easily overlooked; marks are not endless. */
static void note_lines(bipe_tool *tool, const bipe_figure *figure, size_t looks)
{
    if (figure->count > looks && !figure->bars)
        bipe_tool_note(tool, "%s: %zu lines, of which only %zu can look different; draw fewer at a time", figure->title,
                       figure->count, looks);
    for (size_t s = 0; s < figure->count; s++) {
        size_t gaps = bipe_figure_gaps(figure, s);
        if (gaps > 0 || figure->series[s].count == 0)
            bipe_tool_note(tool, "%s: '%s' has %zu of %zu points without a value that the axes can show%s",
                           figure->title, figure->series[s].name, gaps, figure->series[s].count,
                           gaps > 0 ? "; they are gaps" : "");
    }
}

/* The points of all figures. */
static int write_data(const char *path, const plot_figures *figures, bipe_error *err)
{
    bipe_output *output;
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    bipe_output_printf(output, NULL, "figure,series,x,y,low,high\n");
    for (size_t f = 0; f < figures->count; f++)
        for (size_t s = 0; s < figures->figure[f].count; s++)
            for (size_t i = 0; i < figures->figure[f].series[s].count; i++) {
                const bipe_point *p = &figures->figure[f].series[s].point[i];
                const double value[] = {p->x, p->y, p->low, p->high};
                const bipe_figure *figure = &figures->figure[f];
                const size_t named = figure->bars ? 0 : figure->map && figure->groups > 0 ? 1 : 4;
                bipe_csv_field(output, figures->figure[f].title);
                bipe_csv_text(output, figures->figure[f].series[s].name);
                for (size_t k = 0; k < 4; k++)
                    if (k == named) {
                        bipe_output_write(output, ",", 1, NULL);
                        bipe_csv_text(output, figure->group[(size_t)value[k]].name);
                    } else {
                        bipe_csv_number(output, value[k]);
                    }
                bipe_output_printf(output, NULL, "\n");
            }
    if ((status = bipe_output_flush(output, err)) == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

/* ---- the run ---- */

static bool is_text(const settings *set)
{
    return set->text != NULL || set->kind == plot_kind_text || format_of(set->output) == FORMAT_HTML;
}

static int check_plot_settings(settings *set)
{
    int format = format_of(set->output);
    if (is_text(set) && set->kind >= 0 && set->kind != plot_kind_text)
        return bipe_tool_usage(&set->tool, "option '--kind': a text, and a page of HTML, are of kind 'text', not '%s'",
                               plot_kind_name(set->kind));
    if (is_text(set) && set->data != NULL)
        return bipe_tool_usage(&set->tool, "option '--data': a text has no points; its tables have all values");
    if (is_text(set) && format < FORMAT_HTML)
        return bipe_tool_usage(
            &set->tool, "option '--output': a text is written as HTML (FILE.html) or for a terminal, not as a picture");
    if (format == FORMATS)
        return bipe_tool_usage(
            &set->tool,
            "option '--output': %s is not known; pictures end in .svg, .pdf or .png, pages in .html, text in .txt",
            ending_of(set->output));
    bool page = format < FORMAT_HTML;
    int least = page ? BIPE_PICTURE_NARROWEST : BIPE_LOOK_NARROWEST,
        most = page ? BIPE_PICTURE_WIDEST : BIPE_LOOK_WIDEST;
    if (set->width < 0)
        set->width = 0;
    else if (set->width < least || set->width > most)
        return bipe_tool_usage(&set->tool, "option '--width': found %g, expected %d to %d %s", set->width, least, most,
                               page ? "millimetres" : "columns");
    return BIPE_EXIT_DONE;
}

/* The page of a report, in its folder, which is made. */
static int make_folder(const char *folder, char path[PATH_MAX], bipe_error *err)
{
    bool fits = bipe_path_join(path, PATH_MAX, folder, "index.html");
    if (!fits || (mkdir(folder, 0777) != 0 && errno != EEXIST))
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", folder,
                         fits ? strerror(errno) : "a path that is too long");
    return BIPE_OK;
}

static void note_text(bipe_tool *tool, const settings *set, const plot_input *input, const bipe_loss_text *text,
                      size_t left_out)
{
    const char *file = input[0].view[0].name[PLOT_FILE], *scored = strrchr(file, '/'),
               *shown = set->text != NULL ? strrchr(set->text, '/') : NULL;
    if (set->text != NULL && strcmp(scored != NULL ? scored + 1 : file, shown != NULL ? shown + 1 : set->text) != 0)
        bipe_tool_note(tool, "%s: the losses are those of %s; they are shown right only if both are the same text",
                       set->text, file);
    if (left_out > 0)
        bipe_tool_note(tool, "%s is shown; other files, models and segmenters of the tables are left out (%zu)",
                       text->title, left_out);
}

static int draw_inputs(settings *set, const plot_input *input, size_t count, bipe_error *err)
{
    plot_figures figures = {0};
    bipe_loss_text text = {0};
    bipe_output *output = NULL;
    char page[PATH_MAX];
    size_t left_out, missing = 0;
    int format = format_of(set->output);
    bool report = set->report != NULL, is_shaded = is_text(set);
    int status = report      ? make_folder(set->report, page, err)
                 : is_shaded ? plot_text_open(&text, input, count, set->text, &set->wish, &left_out, err)
                             : make_figures(&set->tool, set, input, count, &figures, err);
    if (status == BIPE_OK && set->data != NULL)
        status = write_data(set->data, &figures, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, report ? page : set->output, err);
    if (status == BIPE_OK)
        status = report ? plot_report_write(&set->tool, input, count, &set->wish, output, err)
                 : is_shaded && format == FORMAT_HTML ? bipe_loss_text_page(&text, output, err)
                 : is_shaded                          ? bipe_loss_text_print(&text, look_of_output(set), output, err)
                 : format == FORMAT_TEXT
                     ? bipe_figures_print(figures.figure, figures.count, look_of_output(set), output, err)
                     : bipe_figures_draw(figures.figure, figures.count, (bipe_picture)format, set->width, output,
                                         &missing, err);
    if (status == BIPE_OK && is_shaded)
        note_text(&set->tool, set, input, &text, left_out);
    if (missing > 0)
        bipe_tool_note(&set->tool,
                       "%s: no installed font has %zu of the characters, which are drawn as boxes; install a font for "
                       "them, or write SVG",
                       set->output, missing);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++)
        note_lines(&set->tool, &figures.figure[i], format == FORMAT_TEXT ? BIPE_TERMINAL_LOOKS : BIPE_PAGE_LOOKS);
    plot_figures_close(&figures);
    bipe_loss_text_close(&text);
    if (status == BIPE_OK)
        bipe_tool_finish(&set->tool, output);
    else
        bipe_output_abandon(output);
    return status;
}

static int run_plot(void *context, const bipe_texts *operands)
{
    settings *set = context;
    bipe_error err = {0};
    bipe_files files = set->tool.read = bipe_tool_files(operands);
    const char *const text_file = set->text;
    const bipe_tool_output outputs[] = {{"output", set->output != NULL ? set->output : "-"}, {"data", set->data}};
    if (check_plot_settings(set) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    size_t count = 0;
    plot_input *input = bipe_tool_alloc(files.count, sizeof *input);
    int status = bipe_tool_check_outputs(outputs, 2, (bipe_files[]){files, {&text_file, 1}}, 2, &err);
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++) {
        if (plot_input_read(&input[count], files.path[i], is_text(set), set->wish.length, &err) == BIPE_OK) {
            count++;
            continue;
        }
        bipe_tool_error(&set->tool, &err); /* the others are drawn without it */
        plot_input_close(&input[count]);
    }
    plot_inputs_name(input, count);
    set->tool.some_done = count > 0;
    if (status == BIPE_OK && count > 0)
        status = draw_inputs(set, input, count, &err);
    if (status != BIPE_OK)
        bipe_tool_open_error(&set->tool, &err);
    while (count > 0)
        plot_input_close(&input[--count]);
    bipe_free(input);
    return set->tool.status;
}

int main(int argc, char **argv)
{
    settings set = {.kind = -1, .width = -1};
    const char *kinds[8 * sizeof(unsigned) + 1] = {NULL}; /* as many as plot_kinds() has bits for */
    for (int k = 0; k <= plot_kind_text; k++)
        kinds[k] = plot_kind_name(k);
    bipe_tool_start(&set.tool, "bipe-plot");
    const bipe_option table[] = {
        {0, "kind", BIPE_OPTION_CHOICE, &set.kind, "KIND", .choices = kinds, .group = "What is drawn",
         .help = "what to draw where INPUTs hold several things; default: the first of these that they hold"},
        {0, "unit", BIPE_OPTION_CHOICE, &set.wish.unit, "UNIT", .choices = unit_names,
         .help = "draw perplexity, nats per token, or bits per byte; default: ppl"},
        {0, "per", BIPE_OPTION_CHOICE, &set.wish.per, "PLACE", .choices = per_names,
         .help = "draw a line for each file, or for each group of documents; default: total, a line for all of them "
                 "together"},
        {0, "curve", BIPE_OPTION_CHOICE, &set.wish.curve, "CURVE", .choices = curve_names,
         .help = "of logs, draw one curve each, the losses of training, those of validation, or all; default: one for "
                 "each of several logs (the first validation that all have, or else training), and all of a single "
                 "one"},
        {0, "text", BIPE_OPTION_TEXT, &set.text, "FILE", .about = BIPE_ABOUT_FILE,
         .help = "show the text of FILE with each token shaded by its loss; INPUTs are one or two tables of bipe-score "
                 "--tokens; default with --kind text: the file that the tables name"},
        {'L', "length", BIPE_OPTION_SIZE, &set.wish.length, "N", .minimum = 1,
         .help = "of a text and of losses by index, show those in windows of N tokens; default: the first length of "
                 "the table for a text, else the largest"},
        {0, "log-x", BIPE_OPTION_FLAG, &set.wish.log_x, .group = "How",
         .help = "make the horizontal axis logarithmic; those of window lengths and of tokens in a segment always are"},
        {0, "log-y", BIPE_OPTION_FLAG, &set.wish.log_y, .help = "make the vertical axis logarithmic"},
        {0, "title", BIPE_OPTION_TEXT, &set.wish.title, "TEXT", .help = "write TEXT above the picture"},
        {0, "label", BIPE_OPTION_TEXTS, &set.wish.labels, "NAME",
         .help = "call the first line or bar NAME; repeat it for the second, and so on"},
        {0, "width", BIPE_OPTION_NUMBER, &set.width, "N",
         .help = "make the picture N columns wide on a terminal, 24 to 400, default: as wide as it is, or 80; N "
                 "millimetres wide in a file, 30 to 10000, default: 84 for one picture, 174 for several beside one "
                 "another"},
        {0, "ascii", BIPE_OPTION_FLAG, &set.ascii,
         .help = "draw with ASCII characters alone; default: only where the locale is not UTF-8"},
        {'o', "output", BIPE_OPTION_TEXT, &set.output, "FILE",
         .help = "write to FILE, which appears complete or not at all: a picture where its name ends in .svg, .pdf or "
                 ".png, a page where it ends in .html, text where it ends in .txt or has no ending; default: standard "
                 "output"},
        {0, "data", BIPE_OPTION_TEXT, &set.data, "FILE",
         .help = "also write the points that are drawn to FILE, as comma-separated values"},
        {0, "report", BIPE_OPTION_TEXT, &set.report, "FOLDER",
         .excludes = "output data text kind label: '--report' draws all there is into a folder",
         .help = "write FOLDER/index.html, one page with the figures and tables of all INPUTs, the commands that make "
                 "them again, versions, and checksums of models and texts"},
        BIPE_OPTION_ROWS_RUNNING(&set.tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-plot",
        .summary = "draw what the other tools measured",
        .usage = "[OPTION...] [INPUT...]",
        .description = "Draws results of bipe-score, bipe-stats and bipe-eval, logs of bipe-train and tables of "
                       "tokens. INPUTs of one kind are drawn "
                       "into one picture, with a line for each model and segmenter.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .operand_help = "INPUT is JSON of bipe-score, bipe-stats or bipe-eval, a log of bipe-train, or a table of "
                        "bipe-score --tokens",
    };
    int status = bipe_tool_run(&set.tool, &options, argc, argv, run_plot, &set);
    bipe_texts_free(&set.wish.labels);
    return status;
}
