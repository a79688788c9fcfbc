/* plot_input.c - detects what an input is and reads it: JSON of bipe-stats, bipe-score and bipe-eval, logs of
 * bipe-train. */
#include "tools/plot/bipe_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "cli/result_file.h"

const char *const plot_source_names[] = {"a result of bipe-stats", "a result of bipe-score", "a result of bipe-eval",
                                         "a log of bipe-train", "a table of tokens"};
const char *const plot_index_names[PLOT_INDEXES] = {"token", "segment", "intra"};

enum { LINE_MOST = 16 << 20 };

#define EXPECTED "JSON of bipe-stats, bipe-score or bipe-eval, a log of bipe-train, or a table of bipe-score --tokens"

const json_t *plot_member(const json_t *object, const char *path)
{
    char part[64];
    for (size_t size; object != NULL && path[0] != '\0'; path += size + (path[size] == '.')) {
        size = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        object = json_is_array(object) ? json_array_get(object, (size_t)(part[0] - '0'))
                                       : json_object_get(object, part);
    }
    return object;
}

const char *plot_text_of(const json_t *object, const char *path)
{
    const char *text = json_string_value(plot_member(object, path));
    return text != NULL ? text : "";
}

double plot_number(const json_t *object, const char *where, const char *path, int *status, bipe_error *err)
{
    const json_t *member = plot_member(object, path);
    if (*status == BIPE_OK && member != NULL && !json_is_number(member) && !json_is_null(member))
        *status = bipe_result_wrong(err, where, path, "a number or null");
    return *status == BIPE_OK && json_is_number(member) ? json_number_value(member) : (double)NAN;
}

const char *plot_first_text(const json_t *a, const char *path, const json_t *b, const char *other)
{
    const char *text = plot_text_of(a, path);
    return text[0] != '\0' ? text : plot_text_of(b, other);
}

const char *plot_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

const char *plot_longer_name(const char *path, const char *name, const char *other)
{
    size_t size = strlen(other);
    while (name > path && strcmp(other, path) != 0 && size >= strlen(name) &&
           strcmp(other + size - strlen(name), name) == 0 &&
           (size == strlen(name) || other[size - strlen(name) - 1] == '/'))
        for (name--; name > path && name[-1] != '/';)
            name--;
    return name;
}

double plot_step_of(const char *model, size_t *size)
{
    static const char mark[] = ".step-";
    const char *place = NULL;
    unsigned long long step = 0;
    int used = 0;
    for (const char *next = strstr(model, mark); next != NULL; next = strstr(next + 1, mark))
        place = next;
    if (place == NULL || sscanf(place + strlen(mark), "%9llu.checkpoint%n", &step, &used) != 1 || used == 0 ||
        place[strlen(mark) + (size_t)used] != '\0')
        return NAN;
    *size = (size_t)(place - model);
    return (double)step;
}

/* ---- JSON ---- */

/* The runs of training that its models are checkpoints of. */
static void read_runs(plot_input *input)
{
    const json_t *rows = json_object_get(input->root, "results");
    input->run = bipe_tool_alloc(json_array_size(rows) + 1, sizeof *input->run);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const char *model = plot_first_text(json_array_get(rows, i), "model", input->root, "model.path");
        size_t size;
        if (isnan(plot_step_of(model, &size)))
            continue;
        input->run[i] = bipe_tool_alloc(1, size + 1);
        memcpy(input->run[i], model, size);
    }
}

static int read_json(plot_input *input, bipe_lines *lines, bipe_error *err)
{
    int status = bipe_result_load(&input->root, lines->input, lines->text.data, lines->text.size, EXPECTED, err);
    if (status != BIPE_OK)
        return status;
    const char *tool = plot_text_of(input->root, "tool");
    input->source = strcmp(tool, "bipe-stats") == 0  ? PLOT_STATS
                    : strcmp(tool, "bipe-eval") == 0 ? PLOT_EVAL
                                                     : PLOT_SCORE;
    if (input->source == PLOT_SCORE && strcmp(tool, "bipe-score") != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: tool: %s, expected " EXPECTED, bipe_input_name(lines->input),
                         tool[0] != '\0' ? tool : "none");
    if (json_is_object(json_object_get(input->root, "shard")))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: one shard of a run, expected the whole: %s --merge joins shards",
                         bipe_input_name(lines->input), tool);
    if (!json_is_array(json_object_get(input->root, "results")))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: results: expected a list%s", bipe_input_name(lines->input),
                         json_object_get(input->root, "limits") != NULL ? "; a result of --limit has nothing to draw"
                                                                        : "");
    if (input->source == PLOT_EVAL)
        read_runs(input);
    return BIPE_OK;
}

/* ---- logs of bipe-train ---- */

/* A line about a run. One that is started again has the same line. */
static void add_run(plot_input *input, json_t *row)
{
    size_t count = json_array_size(input->runs);
    if (count > 0 && json_equal(json_array_get(input->runs, count - 1), row))
        return;
    if (input->runs == NULL)
        input->runs = json_array();
    json_array_append(input->runs, row);
}

/* A row with a sample has no loss and is no point. */
static int log_row(plot_input *input, json_t *row, bipe_error *err)
{
    char name[512] = "training", text[BIPE_SCALE_LABEL];
    int status = BIPE_OK;
    if (json_object_get(row, "run") != NULL) {
        add_run(input, row);
        return BIPE_OK;
    }
    bool validation = json_object_get(row, "validation") != NULL;
    double step = plot_number(row, "", "step", &status, err),
           length = plot_number(row, "", "validation.length", &status, err);
    double loss = plot_number(row, "", validation ? "validation.nll" : "loss", &status, err);
    if (status == BIPE_OK && isnan(step))
        status = bipe_result_wrong(err, "", "step", "a number");
    if (validation)
        snprintf(name, sizeof name, "validation, %.400s at %s", plot_text_of(row, "validation.file"),
                 bipe_scale_length(length, text));
    return status == BIPE_OK && json_object_get(row, "sample") == NULL
               ? bipe_figure_point(&input->curve, name, (bipe_point){step, loss, 1, NAN}, err)
               : status;
}

/* A torn last line is that of a run which goes on, or was killed. */
static int read_log(plot_input *input, bipe_lines *lines, char *line, bipe_error *err)
{
    int status = BIPE_OK;
    input->source = PLOT_LOG;
    for (; status == BIPE_OK; status = bipe_lines_next(lines, &line, NULL, err)) {
        json_error_t problem;
        json_t *row = line[0] != '\0' ? json_loads(line, 0, &problem) : NULL;
        if (row != NULL)
            status = log_row(input, row, err);
        else if (line[0] != '\0' && lines->consumed < lines->text.size)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s, expected a row of a log of bipe-train", problem.text);
        json_decref(row);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%s: line %llu", bipe_input_name(lines->input),
                                     (unsigned long long)lines->number);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

/* ---- detection ---- */

static bool begins_with(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static bool begins_log(const char *line)
{
    return begins_with(line, "{\"run\":") || begins_with(line, "{\"step\":");
}

static int read_lines(plot_input *input, bipe_lines *lines, bool keep, uint64_t length, bipe_error *err)
{
    char *line;
    int status = bipe_lines_read(lines, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&lines->text, "", 1, err); /* a NUL at the end, for as long as it is looked at */
    if (status != BIPE_OK)
        return status;
    const char *text = (const char *)lines->text.data, *first = text + strspn(text, " \t\r\n");
    if (first == text + --lines->text.size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: empty, expected " EXPECTED, bipe_input_name(lines->input));
    if (first[0] == '{' && !begins_log(first))
        return read_json(input, lines, err);
    if ((status = bipe_lines_next(lines, &line, NULL, err)) != BIPE_OK)
        return status;
    if (begins_log(line))
        return read_log(input, lines, line, err);
    if (begins_with(line, "file\t") || begins_with(line, "model\tsegmenter\tfile\t"))
        return plot_tokens_read(input, lines, line, keep, length, err);
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line 1: begins with '%.24s', expected " EXPECTED,
                     bipe_input_name(lines->input), line);
}

void plot_inputs_name(plot_input *input, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            input[i].name = plot_longer_name(input[i].stem, input[i].name, input[k].stem);
}

int plot_input_read(plot_input *input, const char *path, bool keep, uint64_t length, bipe_error *err)
{
    bipe_lines lines = {.most = LINE_MOST};
    *input = (plot_input){.path = bipe_input_shown(path)};
    input->stem = bipe_tool_strdup(input->path);
    input->name = plot_base_name(input->stem);
    char *dot = strrchr(input->name, '.');
    if (dot != NULL && dot > input->name)
        *dot = '\0';
    int status = bipe_input_open(&lines.input, path, err);
    if (status == BIPE_OK)
        status = read_lines(input, &lines, keep, length, err);
    bipe_lines_close(&lines);
    return status;
}

void plot_input_close(plot_input *input)
{
    for (size_t i = 0; input->run != NULL && i < json_array_size(json_object_get(input->root, "results")); i++)
        bipe_free(input->run[i]);
    bipe_free(input->run);
    json_decref(input->root);
    json_decref(input->runs);
    bipe_figure_close(&input->curve);
    for (size_t i = 0; i < input->views; i++) {
        for (size_t k = 0; k < PLOT_TEXTS; k++)
            bipe_free(input->view[i].name[k]);
        for (size_t k = 0; k < PLOT_INDEXES; k++)
            bipe_free(input->view[i].by[k].point);
        bipe_free(input->view[i].text.token);
    }
    bipe_free(input->view);
    bipe_free(input->stem);
    *input = (plot_input){0};
}
