/* plot_input.c - detects what an input is and reads it: JSON of bipe-stats and bipe-score, logs of bipe-train. */
#include "tools/plot_input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "tools/result_file.h"

const char *const plot_source_names[] = {"a result of bipe-stats", "a result of bipe-score", "a log of bipe-train",
                                         "a table of tokens"};
const char *const plot_index_names[PLOT_INDEXES] = {"token", "segment", "intra"};

enum { CHUNK = 1 << 16 };

#define EXPECTED "JSON of bipe-stats or bipe-score, a log of bipe-train, or a table of bipe-score --tokens"

const json_t *plot_member(const json_t *object, const char *path)
{
    char part[64];
    for (size_t size; object != NULL; path += size + 1) {
        size = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        object = json_is_array(object) ? json_array_get(object, (size_t)(part[0] - '0')) : json_object_get(object, part);
        if (path[size] == '\0')
            break;
    }
    return object;
}

double plot_number(const json_t *object, const char *where, const char *path, int *status, bipe_error *err)
{
    const json_t *member = plot_member(object, path);
    if (*status == BIPE_OK && member != NULL && !json_is_number(member) && !json_is_null(member))
        *status = bipe_result_wrong(err, where, path, "a number or null");
    return *status == BIPE_OK && json_is_number(member) ? json_number_value(member) : (double)NAN;
}

bool plot_parse(const char *text, double *value)
{
    bool negative = text[0] == '-';
    bool good = bipe_parse_number(text + negative, 0, value, NULL) == BIPE_OK && isfinite(*value);
    *value = negative ? -*value : *value;
    return good;
}

/* ---- lines ---- */

/* Reads on; *more: whether there was something. */
static int fill_lines(plot_lines *lines, bool *more, bipe_error *err)
{
    size_t size = 0;
    bipe_buffer_consume(&lines->buffer, lines->at);
    lines->at = 0;
    int status = bipe_buffer_reserve(&lines->buffer, CHUNK, err);
    if (status == BIPE_OK)
        status = bipe_input_read(lines->input, lines->buffer.data + lines->buffer.size, CHUNK, &size, err);
    lines->buffer.size += size;
    *more = size > 0;
    return status;
}

int plot_lines_next(plot_lines *lines, char **line, bipe_error *err)
{
    uint8_t *end = NULL;
    while (lines->buffer.size == lines->at || (end = memchr(lines->buffer.data + lines->at, '\n', lines->buffer.size - lines->at)) == NULL) {
        size_t left = lines->buffer.size - lines->at;
        bool more;
        if (left > PLOT_LINE_MOST)
            return bipe_fail(err, BIPE_ERR_LIMIT, "%s: line %llu: more than 16 MiB, expected a shorter one", bipe_input_name(lines->input),
                             (unsigned long long)lines->number + 1);
        int status = fill_lines(lines, &more, err);
        if (status == BIPE_OK && !more)
            status = left == 0 ? BIPE_END : bipe_buffer_append(&lines->buffer, "\n", 1, err);
        if (status != BIPE_OK)
            return status;
    }
    *line = (char *)lines->buffer.data + lines->at;
    lines->at = (size_t)(end + 1 - lines->buffer.data);
    lines->number++;
    *end = '\0';
    if (end > (uint8_t *)*line && end[-1] == '\r')
        end[-1] = '\0';
    return BIPE_OK;
}

/* ---- JSON ---- */

static int read_json(plot_input *input, plot_lines *lines, bipe_error *err)
{
    int status = bipe_result_load(&input->root, lines->input, lines->buffer.data, lines->buffer.size, EXPECTED, err);
    const char *tool = json_string_value(json_object_get(input->root, "tool"));
    if (status != BIPE_OK)
        return status;
    if (tool == NULL || (strcmp(tool, "bipe-stats") != 0 && strcmp(tool, "bipe-score") != 0))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: tool: %s, expected " EXPECTED, bipe_input_name(lines->input), tool != NULL ? tool : "none");
    input->source = strcmp(tool, "bipe-stats") == 0 ? PLOT_STATS : PLOT_SCORE;
    if (!json_is_array(json_object_get(input->root, "results")))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: results: expected a list", bipe_input_name(lines->input));
    return BIPE_OK;
}

/* ---- logs of bipe-train ---- */

/* A row with a sample has no loss and is no point. */
static int log_row(plot_input *input, const json_t *row, bipe_error *err)
{
    char name[512] = "training", text[BIPE_SCALE_LABEL];
    int status = BIPE_OK;
    const json_t *validation = json_object_get(row, "validation");
    const char *file = json_string_value(json_object_get(validation, "file"));
    double step = plot_number(row, "", "step", &status, err), length = plot_number(row, "", "validation.length", &status, err);
    double loss = plot_number(row, "", validation != NULL ? "validation.nll" : "loss", &status, err);
    if (status == BIPE_OK && isnan(step))
        status = bipe_result_wrong(err, "", "step", "a number");
    if (validation != NULL)
        snprintf(name, sizeof name, "validation, %.400s at %s", file != NULL ? file : "", bipe_scale_length(length, text));
    return status == BIPE_OK && json_object_get(row, "sample") == NULL ? bipe_figure_point(&input->curve, name, (bipe_point){step, loss, NAN, NAN}, err) : status;
}

/* A torn last line is that of a run which goes on, or was killed. */
static int read_log(plot_input *input, plot_lines *lines, char *line, bipe_error *err)
{
    int status = BIPE_OK;
    input->source = PLOT_LOG;
    for (; status == BIPE_OK; status = plot_lines_next(lines, &line, err)) {
        json_error_t problem;
        json_t *row = line[0] != '\0' ? json_loads(line, 0, &problem) : NULL;
        if (row != NULL)
            status = log_row(input, row, err);
        else if (line[0] != '\0' && lines->at < lines->buffer.size)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s, expected a row of a log of bipe-train", problem.text);
        json_decref(row);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%s: line %llu", bipe_input_name(lines->input), (unsigned long long)lines->number);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

/* ---- detection ---- */

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static int read_lines(plot_input *input, plot_lines *lines, bool keep, uint64_t length, bipe_error *err)
{
    char *line;
    bool more;
    int status = fill_lines(lines, &more, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&lines->buffer, "", 1, err); /* a NUL at the end, for as long as it is looked at */
    if (status != BIPE_OK)
        return status;
    const char *first = (const char *)lines->buffer.data + strspn((const char *)lines->buffer.data, " \t\r\n");
    bool json = first[0] == '{' && !begins(first, "{\"step\":"), empty = first == (const char *)lines->buffer.data + --lines->buffer.size;
    if (empty)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: empty, expected " EXPECTED, bipe_input_name(lines->input));
    if (json)
        return read_json(input, lines, err);
    if ((status = plot_lines_next(lines, &line, err)) != BIPE_OK)
        return status;
    if (begins(line, "{\"step\":"))
        return read_log(input, lines, line, err);
    if (begins(line, "file\t") || begins(line, "model\tsegmenter\tfile\t"))
        return plot_tokens_read(input, lines, line, keep, length, err);
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s: line 1: begins with '%.24s', expected " EXPECTED, bipe_input_name(lines->input), line);
}

int plot_input_read(plot_input *input, const char *path, bool keep, uint64_t length, bipe_error *err)
{
    plot_lines lines = {0};
    *input = (plot_input){.path = strcmp(path, "-") == 0 ? "standard input" : path};
    const char *slash = strrchr(path, '/');
    input->stem = bipe_strdup(slash != NULL ? slash + 1 : input->path);
    if (input->stem == NULL)
        return bipe_fail_memory(err);
    char *dot = strrchr(input->stem, '.');
    if (dot != NULL && dot != input->stem)
        *dot = '\0';
    int status = bipe_input_open(&lines.input, path, err);
    if (status == BIPE_OK)
        status = read_lines(input, &lines, keep, length, err);
    bipe_buffer_free(&lines.buffer);
    bipe_input_close(lines.input);
    return status;
}

void plot_input_close(plot_input *input)
{
    json_decref(input->root);
    bipe_figure_close(&input->curve);
    for (size_t i = 0; i < input->views; i++) {
        plot_view *v = &input->view[i];
        bipe_free(v->model);
        bipe_free(v->segmenter);
        bipe_free(v->file);
        for (size_t k = 0; k < PLOT_INDEXES; k++)
            bipe_free(v->bin[k]);
        bipe_loss_view_close(&v->text);
    }
    bipe_free(input->view);
    bipe_free(input->stem);
    *input = (plot_input){0};
}
