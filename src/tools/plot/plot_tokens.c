/* plot_tokens.c - reads a table of bipe-score --tokens: sums of losses by index, and the tokens themselves where a text
 * is shaded. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "cli/options.h"
#include "cli/tool_alloc.h"
#include "tools/plot/bipe_plot.h"

/* The columns that are read: texts, and numbers from LENGTH on. The last three indices are those of
 * plot_index_names. */
enum { LENGTH = PLOT_TEXTS, DOCUMENT, WINDOW, START, END, ID, TOKEN, SEGMENT, INTRA, NLL, KEY, COLUMNS };
static const char *const column_names[COLUMNS] = {"model", "segmenter", "file", "length", "document", "window", "start",
                                                  "end", "id", "token", "segment", "intra", "nll", "key"};
enum { FIELDS_MOST = 32, VIEWS_MOST = 4096, POINTS_MOST = 1 << 24 /* of all views */ };

typedef struct table {
    plot_input *input;
    bipe_lines *lines;
    int kept[FIELDS_MOST]; /* what a field is, -1: nothing that is read */
    size_t fields;
    bool keep;
    uint64_t wanted; /* 0: none */
    bipe_error *err;
    size_t present; /* the view of the line before */
    size_t points;  /* of all views */
} table;

static int fail_line(const table *t, const char *column, const char *expected)
{
    return bipe_fail(t->err, BIPE_ERR_FORMAT, "%s: line %llu: %s: expected %s", bipe_input_name(t->lines->input),
                     (unsigned long long)t->lines->number, column, expected);
}

/* Cuts a line at its tabs, in place; returns the number of fields, of which as many as fit are set. */
static size_t cut_line(char *line, char *field[FIELDS_MOST])
{
    size_t count = 0;
    for (char *next; (next = strsep(&line, "\t")) != NULL; count++)
        if (count < FIELDS_MOST)
            field[count] = next;
    return count;
}

static int read_header(table *t, char *header)
{
    char *field[FIELDS_MOST];
    bool seen[COLUMNS] = {0};
    t->fields = cut_line(header, field);
    if (t->fields > FIELDS_MOST)
        return fail_line(t, "columns", "at most 32");
    for (size_t f = 0; f < t->fields; f++) {
        t->kept[f] = -1;
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(column_names[c], field[f]) == 0 && !seen[c]) {
                t->kept[f] = c;
                seen[c] = true;
            }
    }
    for (int c = PLOT_FILE; c < COLUMNS; c++)
        if (!seen[c] && c != DOCUMENT && c != KEY)
            return bipe_fail(t->err, BIPE_ERR_FORMAT, "%s: has no column '%s', expected a table of bipe-score --tokens",
                             bipe_input_name(t->lines->input), column_names[c]);
    return BIPE_OK;
}

/* Whole numbers up to a bound, but for the loss; one that is not finite is written as nothing. */
static int get_value(const table *t, const char *text, int column, double *value)
{
    double most = column >= TOKEN && column <= INTRA ? PLOT_INDEX_MOST - 1
                  : column == ID                     ? UINT32_MAX
                  : column == KEY                    ? 1
                                                     : 9007199254740992.0;
    bool negative = column == NLL && text[0] == '-';
    *value = (double)NAN;
    if (column == NLL && text[0] == '\0')
        return BIPE_OK;
    bool good = bipe_parse_number(text + negative, value);
    if (!good || (column != NLL && (*value > most || *value != floor(*value))))
        return fail_line(t, column_names[column], column == NLL ? "a number" : "a whole number that is not too large");
    *value = negative ? -*value : *value;
    return BIPE_OK;
}

static bool is_view(const plot_view *v, char *const name[PLOT_TEXTS], uint64_t length)
{
    bool same = v->length == length;
    for (size_t k = 0; k < PLOT_TEXTS && same; k++)
        same = strcmp(v->name[k], name[k]) == 0;
    return same;
}

static int find_view(table *t, char *const name[PLOT_TEXTS], uint64_t length, plot_view **view)
{
    plot_input *input = t->input;
    for (size_t i = 0; i < input->views; i++, t->present = t->present + 1 < input->views ? t->present + 1 : 0)
        if (is_view(*view = &input->view[t->present], name, length))
            return BIPE_OK;
    if (input->views == VIEWS_MOST)
        return fail_line(t, "model, segmenter, file and length", "at most 4096 different ones");
    bipe_tool_grow(&input->view, &input->view_capacity, input->views + 1, sizeof *input->view);
    t->present = input->views++;
    *view = &input->view[t->present];
    **view = (plot_view){.length = length};
    for (size_t k = 0; k < PLOT_TEXTS; k++)
        (*view)->name[k] = bipe_tool_strdup(name[k]);
    return BIPE_OK;
}

static int add_loss(table *t, bipe_series *series, double index, double nll)
{
    int status = BIPE_OK;
    for (; (double)series->count <= index && status == BIPE_OK; t->points++)
        status = t->points == POINTS_MOST
                     ? fail_line(t, "token, segment and intra", "at most 16777216 indices in all")
                     : bipe_series_add(series, (bipe_point){(double)series->count, 0, 0, NAN}, t->err);
    if (status == BIPE_OK && isfinite(nll)) {
        series->point[(size_t)index].y += nll;
        series->point[(size_t)index].low++;
    }
    return status;
}

static int keep_token(table *t, plot_view *view, const double *value)
{
    bipe_loss_view *text = &view->text;
    if (text->count == PLOT_TOKENS_MOST)
        return fail_line(t, "tokens", "at most 4194304 of one length and file");
    bipe_tool_grow(&text->token, &text->capacity, text->count + 1, sizeof *text->token);
    const bipe_loss_token *before = text->count > 0 ? &text->token[text->count - 1] : NULL;
    bipe_loss_token token = {(uint64_t)value[DOCUMENT], (uint64_t)value[WINDOW],  (uint64_t)value[START],
                             (uint64_t)value[END],      (uint32_t)value[ID],      (uint32_t)value[TOKEN],
                             (uint32_t)value[SEGMENT],  (uint32_t)value[INTRA],   (float)value[NLL],
                             value[KEY] > 0};
    if (token.end < token.start ||
        (before != NULL &&
         (token.document < before->document || (token.document == before->document && token.start < before->end))))
        return fail_line(t, "start and end", "tokens in the order of the text");
    text->token[text->count++] = token;
    text->keys += token.key;
    return BIPE_OK;
}

static int read_row(table *t, char *line)
{
    char none[] = "", *field[FIELDS_MOST], *name[PLOT_TEXTS] = {none, none, none};
    double value[COLUMNS] = {0};
    plot_view *view = NULL;
    int status = cut_line(line, field) == t->fields ? BIPE_OK : fail_line(t, "columns", "as many as in the first line");
    for (size_t f = 0; f < t->fields && status == BIPE_OK; f++)
        if (t->kept[f] >= PLOT_TEXTS)
            status = get_value(t, field[f], t->kept[f], &value[t->kept[f]]);
        else if (t->kept[f] >= 0)
            name[t->kept[f]] = field[f];
    if (status != BIPE_OK)
        return status;
    if (t->keep && t->wanted == 0)
        t->wanted = (uint64_t)value[LENGTH];
    if (t->keep && (uint64_t)value[LENGTH] != t->wanted) {
        t->input->other = (uint64_t)value[LENGTH];
        return BIPE_OK;
    }
    if ((status = find_view(t, name, (uint64_t)value[LENGTH], &view)) != BIPE_OK || t->keep)
        return status == BIPE_OK ? keep_token(t, view, value) : status;
    for (size_t kind = 0; kind < PLOT_INDEXES && status == BIPE_OK; kind++)
        status = add_loss(t, &view->by[kind], value[(size_t)TOKEN + kind], value[NLL]);
    return status;
}

int plot_tokens_read(plot_input *input, bipe_lines *lines, char *header, bool keep, uint64_t length, bipe_error *err)
{
    table t = {.input = input, .lines = lines, .keep = keep, .wanted = length, .err = err};
    input->source = PLOT_TOKENS;
    int status = read_header(&t, header);
    while (status == BIPE_OK && (status = bipe_lines_next(lines, &header, NULL, err)) == BIPE_OK)
        if (header[0] != '\0')
            status = read_row(&t, header);
    return status == BIPE_END ? BIPE_OK : status;
}
