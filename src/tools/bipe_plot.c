/* bipe_plot.c - the tool bipe-plot: draws what the other tools have measured, on a terminal or as a picture. */
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tools/plot_figures.h"
#include "tools/plot_report.h"
#include "tools/plot_text.h"
#include "tools/tool.h"

/* The options given. */
typedef struct settings {
    const char *output, *data, *text, *report;
    int kind, unit, per; /* -1: not given */
    double width;        /* 0: not given */
    bool ascii;
    plot_wish wish;
} settings;

static const char *const unit_names[] = {"ppl", "nll", "bits", NULL};
static const char *const per_names[] = {"file", "group", NULL};

/* What is written: by the ending of its name. */
enum { FORMAT_SVG = BIPE_PICTURE_SVG, FORMAT_PDF = BIPE_PICTURE_PDF, FORMAT_PNG = BIPE_PICTURE_PNG, FORMAT_HTML, FORMAT_TEXT };

static int format_of(const char *output)
{
    static const char *const endings[] = {[FORMAT_SVG] = ".svg", [FORMAT_PDF] = ".pdf", [FORMAT_PNG] = ".png", [FORMAT_HTML] = ".html"};
    const char *dot = output != NULL ? strrchr(output, '.') : NULL;
    for (int i = 0; i < FORMAT_TEXT && dot != NULL; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return i;
    return FORMAT_TEXT;
}

/* The ending of a picture that cannot be written, or NULL. */
static const char *unknown_picture(const char *output)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".gif", ".webp", ".eps", ".ps", ".tif", ".tiff", ".bmp"};
    const char *dot = output != NULL ? strrchr(output, '.') : NULL;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && dot != NULL; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return dot;
    return NULL;
}

/* How a figure should look where it goes. */
static bipe_look look_of_output(const settings *set)
{
    bipe_look look = {.width = BIPE_LOOK_USUAL, .utf8 = !set->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    const char *columns = getenv("COLUMNS"), *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool terminal = (set->output == NULL || strcmp(set->output, "-") == 0) && isatty(STDOUT_FILENO);
    uint64_t width;
    struct winsize size;
    if (set->width > 0)
        look.width = (size_t)set->width;
    else if (columns != NULL && bipe_parse_size(columns, 1, 100000, &width, NULL) == BIPE_OK)
        look.width = (size_t)width;
    else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        look.width = size.ws_col;
    look.width = look.width < BIPE_LOOK_NARROWEST ? BIPE_LOOK_NARROWEST : look.width > BIPE_LOOK_WIDEST ? BIPE_LOOK_WIDEST : look.width;
    look.colour = terminal && (no_colour == NULL || no_colour[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
    return look;
}

/* ---- one figure ---- */

/* The kind of figure to draw: the one asked for, or else the first that an input holds. */
static int choose_kind(bipe_tool *tool, const settings *set, const plot_input *input, size_t count, plot_kind *kind, bipe_error *err)
{
    char others[128] = "";
    bool found = set->kind >= 0;
    *kind = found ? (plot_kind)set->kind : PLOT_LENGTHS;
    for (int k = 0; k < PLOT_KINDS && set->kind < 0; k++) {
        bool held = false;
        for (size_t i = 0; i < count; i++)
            held = held || plot_holds(&input[i], (plot_kind)k);
        if (held && !found) {
            *kind = (plot_kind)k;
            found = true;
        } else if (held) {
            strncat(others, others[0] != '\0' ? ", " : "", sizeof others - strlen(others) - 1);
            strncat(others, plot_kind_names[k], sizeof others - strlen(others) - 1);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!found || !plot_holds(&input[i], *kind))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %s, which holds nothing for a picture of kind '%s'", input[i].path,
                             plot_source_names[input[i].source], plot_kind_names[*kind]);
    if (others[0] != '\0')
        bipe_tool_note(tool, "'%s' is drawn; '--kind' draws the others: %s", plot_kind_names[*kind], others);
    return BIPE_OK;
}

/* Points that no line can show are gaps, which are easily overlooked. */
static void note_gaps(bipe_tool *tool, const bipe_figure *figure)
{
    for (size_t s = 0; s < figure->count; s++) {
        size_t gaps = bipe_figure_gaps(figure, s);
        if (figure->series[s].count == 0)
            bipe_tool_note(tool, "%s: '%s' has no points", figure->title, figure->series[s].name);
        else if (gaps > 0)
            bipe_tool_note(tool, "%s: '%s' has %zu of %zu points without a value that the axes can show; they are gaps", figure->title,
                           figure->series[s].name, gaps, figure->series[s].count);
    }
}

static int write_figures(const settings *set, const plot_figures *figures, bipe_output *output, bipe_error *err)
{
    int status = BIPE_OK, format = format_of(set->output);
    if (format != FORMAT_TEXT)
        return bipe_figures_draw(figures->figure, figures->count, (bipe_picture)format, set->width, output, err);
    for (size_t i = 0; i < figures->count && status == BIPE_OK; i++) {
        if (i > 0)
            status = bipe_output_write(output, "\n", 1, err);
        if (status == BIPE_OK)
            status = bipe_figure_print(&figures->figure[i], look_of_output(set), output, err);
    }
    return status;
}

static int write_data(const settings *set, const plot_figures *figures, bipe_error *err)
{
    bipe_output *output;
    if (set->data == NULL)
        return BIPE_OK;
    int status = bipe_output_open(&output, set->data, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_figure_write_csv(figures->figure, figures->count, output, err);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}

static int draw_figures(bipe_tool *tool, const settings *set, const plot_input *input, size_t count, bipe_error *err)
{
    plot_kind kind;
    plot_figures figures = {0};
    bipe_output *output = NULL;
    int status = choose_kind(tool, set, input, count, &kind, err);
    if (status == BIPE_OK)
        status = plot_figures_make(&figures, kind, input, count, &set->wish, err);
    if (status == BIPE_OK)
        status = write_data(set, &figures, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, set->output, err);
    if (status == BIPE_OK)
        status = write_figures(set, &figures, output, err);
    for (size_t i = 0; i < figures.count && status == BIPE_OK; i++)
        note_gaps(tool, &figures.figure[i]);
    plot_figures_close(&figures);
    if (status == BIPE_OK)
        bipe_tool_finish(tool, output);
    else
        bipe_output_abandon(output);
    return status;
}

/* ---- a text shaded by losses ---- */

static bool is_text(const settings *set)
{
    return set->text != NULL || set->kind == PLOT_TEXT || format_of(set->output) == FORMAT_HTML;
}

static int draw_text(bipe_tool *tool, const settings *set, const plot_input *input, size_t count, bipe_error *err)
{
    plot_text text;
    bipe_output *output = NULL;
    int status = plot_text_open(&text, input, count, set->text, set->wish.title, err);
    if (status == BIPE_OK && text.left_out > 0)
        bipe_tool_note(tool, "%s is shown; other files, models and segmenters of the tables are left out (%zu)", text.text.title, text.left_out);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, set->output, err);
    if (status == BIPE_OK)
        status = format_of(set->output) == FORMAT_HTML ? bipe_loss_text_page(&text.text, output, err)
                                                       : bipe_loss_text_print(&text.text, look_of_output(set), output, err);
    plot_text_close(&text);
    if (status == BIPE_OK)
        bipe_tool_finish(tool, output);
    else
        bipe_output_abandon(output);
    return status;
}

/* ---- a report ---- */

static int write_report(bipe_tool *tool, const settings *set, const plot_report *report, bipe_error *err)
{
    char path[PATH_MAX];
    bipe_output *output = NULL;
    if (snprintf(path, sizeof path, "%s/index.html", set->report) >= (int)sizeof path)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--report': a path that is too long");
    if (mkdir(set->report, 0777) != 0 && errno != EEXIST)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be created: %s", set->report, strerror(errno));
    int status = bipe_output_open(&output, path, err);
    if (status == BIPE_OK)
        status = plot_report_write(report, output, err);
    if (status == BIPE_OK)
        bipe_tool_finish(tool, output);
    else
        bipe_output_abandon(output);
    return status;
}

/* ---- the run ---- */

static int check_settings(bipe_tool *tool, const settings *set)
{
    int format = format_of(set->output);
    if (set->report != NULL && (set->output != NULL || set->data != NULL || set->text != NULL || set->kind >= 0))
        return bipe_tool_usage(tool, "option '--report' draws all there is into a folder: it does not go with '--output', '--data', '--text' and '--kind'");
    if (is_text(set) && set->kind >= 0 && set->kind != PLOT_TEXT)
        return bipe_tool_usage(tool, "option '--kind': a text, and a page of HTML, are of kind 'text', not '%s'", plot_kind_names[set->kind]);
    if (is_text(set) && set->data != NULL)
        return bipe_tool_usage(tool, "option '--data': a text has no points; its tables have all values");
    if (is_text(set) && format < FORMAT_HTML)
        return bipe_tool_usage(tool, "option '--output': a text is written as HTML (FILE.html) or for a terminal, not as a picture");
    if (unknown_picture(set->output) != NULL)
        return bipe_tool_usage(tool, "option '--output': pictures are written as .svg, .pdf or .png, not as %s", unknown_picture(set->output));
    return BIPE_EXIT_DONE;
}

typedef struct job {
    bipe_tool *tool;
    settings *set;
    char **command;
    int words;
} job;

static int run_job(void *context, const bipe_texts *operands)
{
    bipe_tool *tool = ((const job *)context)->tool;
    settings *set = ((const job *)context)->set;
    bipe_error err = {0};
    bipe_files files = bipe_tool_files(operands);
    const char *const text_file = set->text;
    const bipe_tool_output outputs[] = {{"output", set->output}, {"data", set->data}};
    if (check_settings(tool, set) != BIPE_EXIT_DONE)
        return BIPE_EXIT_USAGE;
    set->wish.unit = set->unit >= 0 ? (plot_unit)set->unit : PLOT_PPL;
    set->wish.per = set->per >= 0 ? (plot_per)(set->per + 1) : PLOT_PER_TOTAL;
    size_t count = 0;
    plot_input *input = bipe_alloc(files.count, sizeof *input);
    int status = input == NULL ? bipe_fail_memory(&err) : bipe_tool_check_outputs(outputs, 2, (bipe_files[]){files, {&text_file, 1}}, 2, &err);
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++) {
        if (plot_input_read(&input[count], files.path[i], is_text(set), set->wish.length, &err) == BIPE_OK) {
            count++;
            continue;
        }
        bipe_tool_error(tool, &err); /* the others are drawn without it */
        plot_input_close(&input[count]);
    }
    const plot_report report = {input, count, &set->wish, ((const job *)context)->command, ((const job *)context)->words};
    if (status == BIPE_OK && count > 0)
        status = set->report != NULL ? write_report(tool, set, &report, &err) : (is_text(set) ? draw_text : draw_figures)(tool, set, input, count, &err);
    if (status != BIPE_OK)
        bipe_tool_open_error(tool, &err);
    while (count > 0)
        plot_input_close(&input[--count]);
    bipe_free(input);
    return tool->status;
}

int main(int argc, char **argv)
{
    bipe_tool tool;
    settings set = {.kind = -1, .unit = -1, .per = -1};
    bipe_tool_start(&tool, "bipe-plot");
    const bipe_option table[] = {
        {.name = "kind", .kind = BIPE_OPTION_CHOICE, .target = &set.kind, .value_name = "KIND", .choices = plot_kind_names, .group = "What is drawn",
         .help = "what to draw where INPUTs hold several things; default: the first of these that they hold"},
        {.name = "unit", .kind = BIPE_OPTION_CHOICE, .target = &set.unit, .value_name = "UNIT", .choices = unit_names,
         .help = "draw perplexity, nats per token, or bits per byte; default: ppl"},
        {.name = "per", .kind = BIPE_OPTION_CHOICE, .target = &set.per, .value_name = "PLACE", .choices = per_names,
         .help = "draw a line for each file, or for each group of documents; default: a line for all of them together"},
        {.name = "text", .kind = BIPE_OPTION_TEXT, .target = &set.text, .value_name = "FILE",
         .help = "show the text of FILE with each token shaded by its loss; INPUTs are one or two tables of bipe-score --tokens; default with "
                 "--kind text: the file that the tables name"},
        {.letter = 'L', .name = "length", .kind = BIPE_OPTION_SIZE, .target = &set.wish.length, .value_name = "N", .minimum = 1,
         .help = "of a text and of losses by index, show those in windows of N tokens; default: the first length of the table for a text, else the "
                 "largest"},
        {.name = "log-x", .kind = BIPE_OPTION_FLAG, .target = &set.wish.log_x, .group = "How",
         .help = "make the horizontal axis logarithmic; that of window lengths always is"},
        {.name = "log-y", .kind = BIPE_OPTION_FLAG, .target = &set.wish.log_y, .help = "make the vertical axis logarithmic"},
        {.name = "title", .kind = BIPE_OPTION_TEXT, .target = &set.wish.title, .value_name = "TEXT", .help = "write TEXT above the picture"},
        {.name = "width", .kind = BIPE_OPTION_NUMBER, .target = &set.width, .value_name = "N", .maximum = 10000,
         .help = "make the picture N columns wide on a terminal, default: as wide as it is, or 80; N millimetres wide in a file, at least 30, default: "
                 "84 for one picture, 174 for several beside one another"},
        {.name = "ascii", .kind = BIPE_OPTION_FLAG, .target = &set.ascii,
         .help = "draw with ASCII characters alone; default: only where the locale is not UTF-8"},
        {.letter = 'o', .name = "output", .kind = BIPE_OPTION_TEXT, .target = &set.output, .value_name = "FILE",
         .help = "write to FILE, which appears complete or not at all: a picture where its name ends in .svg, .pdf or .png, a page where it ends "
                 "in .html, else text; default: standard output"},
        {.name = "data", .kind = BIPE_OPTION_TEXT, .target = &set.data, .value_name = "FILE",
         .help = "also write the points that are drawn to FILE, as comma-separated values"},
        {.name = "report", .kind = BIPE_OPTION_TEXT, .target = &set.report, .value_name = "FOLDER",
         .help = "write FOLDER/index.html, one page with all tables and figures of the INPUTs, the commands that make them again, versions, and "
                 "checksums of models and texts"},
        BIPE_OPTION_ROWS_RUNNING(&tool, ""),
    };
    const bipe_options options = {
        .tool = "bipe-plot",
        .summary = "draw what the other tools measured",
        .usage = "[OPTION...] [INPUT...]",
        .description = "Draws results of bipe-score and bipe-stats, logs of bipe-train and tables of tokens. INPUTs of one kind are drawn into one "
                       "picture, with a line for each model and segmenter.",
        .option = table,
        .option_count = sizeof table / sizeof table[0],
        .max_operands = SIZE_MAX,
        .operand_help = "INPUT is JSON of bipe-score or bipe-stats, a log of bipe-train, or a table of bipe-score --tokens",
    };
    return bipe_tool_run(&options, argc, argv, run_job, &(job){&tool, &set, argv, argc});
}
