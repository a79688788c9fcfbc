/* plot_tokens.c - reads a table of bipe-score --tokens: sums of losses by index, and the tokens themselves where a text is shaded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "tools/plot_input.h"

/* The columns that are read; the first three are texts. */
enum { MODEL, SEGMENTER, FILE_NAME, DOCUMENT, LENGTH, WINDOW, TOKEN, START, END, ID, SEGMENT, INTRA, NLL, COLUMNS };
static const char *const column_names[COLUMNS] = {"model", "segmenter", "file", "document", "length", "window", "token",
                                                  "start", "end", "id", "segment", "intra", "nll"};
enum { TEXTS = 3, FIELDS_MOST = 32, VIEWS_MOST = 4096, VALUE_SIZE = 40 };

typedef struct table {
    plot_input *input;
    plot_lines *lines;
    int kept[FIELDS_MOST]; /* what a field is, -1: nothing that is read */
    size_t fields;
    bool keep;
    uint64_t wanted; /* 0: none */
    bipe_error *err;
    size_t present; /* the view of the line before */
} table;

static int fail_line(const table *t, const char *column, const char *expected)
{
    return bipe_fail(t->err, BIPE_ERR_FORMAT, "%s: line %llu: %s: expected %s", bipe_input_name(t->lines->input),
                     (unsigned long long)t->lines->number, column, expected);
}

static int read_header(table *t, const char *header, size_t size)
{
    bool seen[COLUMNS] = {0};
    for (size_t at = 0; at <= size; t->fields++) {
        const char *tab = memchr(header + at, '\t', size - at);
        size_t length = tab != NULL ? (size_t)(tab - header) - at : size - at;
        if (t->fields == FIELDS_MOST)
            return fail_line(t, "columns", "at most 32");
        t->kept[t->fields] = -1;
        for (int c = 0; c < COLUMNS; c++)
            if (strlen(column_names[c]) == length && memcmp(column_names[c], header + at, length) == 0 && !seen[c]) {
                t->kept[t->fields] = c;
                seen[c] = true;
            }
        at += length + 1;
    }
    for (int c = FILE_NAME; c < COLUMNS; c++)
        if (!seen[c] && c != DOCUMENT)
            return fail_line(t, column_names[c], "a column of that name, as in a table of bipe-score --tokens");
    return BIPE_OK;
}

typedef struct field {
    const char *text;
    size_t size;
} field;

/* The fields of a line that are read. */
static int split_line(const table *t, const char *line, size_t size, field found[COLUMNS])
{
    size_t at = 0;
    memset(found, 0, COLUMNS * sizeof *found);
    for (size_t f = 0; f < t->fields; f++) {
        if (at > size)
            return fail_line(t, "columns", "as many as in the first line");
        const char *tab = memchr(line + at, '\t', size - at);
        size_t length = tab != NULL ? (size_t)(tab - line) - at : size - at;
        if (t->kept[f] >= 0)
            found[t->kept[f]] = (field){line + at, length};
        at += length + 1;
    }
    return at > size ? BIPE_OK : fail_line(t, "columns", "as many as in the first line");
}

static int get_value(const table *t, const field *found, int column, double most, double *value)
{
    char text[VALUE_SIZE];
    *value = 0;
    if (found[column].text == NULL)
        return BIPE_OK;
    if (column == NLL && found[column].size == 0) { /* what is not finite is written as nothing */
        *value = NAN;
        return BIPE_OK;
    }
    size_t size = found[column].size < VALUE_SIZE - 1 ? found[column].size : VALUE_SIZE - 1;
    memcpy(text, found[column].text, size);
    text[size] = '\0';
    if (size == VALUE_SIZE - 1 || strlen(text) != size || !plot_parse(text, value))
        return fail_line(t, column_names[column], "a number");
    if (column != NLL && (*value < 0 || *value > most || *value != floor(*value)))
        return fail_line(t, column_names[column], "a whole number that is not too large");
    return BIPE_OK;
}

static bool is_text(const field *f, const char *text)
{
    return strlen(text) == f->size && (f->size == 0 || memcmp(text, f->text, f->size) == 0);
}

static char *copy_field(const field *f)
{
    char *copy = bipe_alloc(f->size + 1, 1);
    if (copy != NULL && f->size > 0)
        memcpy(copy, f->text, f->size);
    return copy;
}

static bool is_view(const plot_view *v, const field *found, uint64_t length)
{
    return v->length == length && is_text(&found[MODEL], v->model) && is_text(&found[SEGMENTER], v->segmenter) && is_text(&found[FILE_NAME], v->file);
}

static int find_view(table *t, const field *found, uint64_t length, plot_view **view)
{
    plot_input *input = t->input;
    for (size_t i = 0; i < input->views; i++, t->present = t->present + 1 < input->views ? t->present + 1 : 0)
        if (is_view(&input->view[t->present], found, length)) {
            *view = &input->view[t->present];
            return BIPE_OK;
        }
    if (input->views == VIEWS_MOST)
        return fail_line(t, "model, segmenter, file and length", "at most 4096 different ones");
    if (bipe_grow(&input->view, &input->view_capacity, input->views + 1, sizeof *input->view) != 0)
        return bipe_fail_memory(t->err);
    t->present = input->views++;
    *view = &input->view[t->present];
    **view = (plot_view){.model = copy_field(&found[MODEL]), .segmenter = copy_field(&found[SEGMENTER]), .file = copy_field(&found[FILE_NAME]),
                         .length = length};
    return (*view)->model != NULL && (*view)->segmenter != NULL && (*view)->file != NULL ? BIPE_OK : bipe_fail_memory(t->err);
}

static int add_loss(table *t, plot_view *view, size_t kind, double index, double nll)
{
    size_t at = (size_t)index;
    if (bipe_grow(&view->bin[kind], &view->capacity[kind], at + 1, sizeof **view->bin) != 0)
        return bipe_fail_memory(t->err);
    for (; view->bins[kind] <= at; view->bins[kind]++)
        view->bin[kind][view->bins[kind]] = (plot_bin){0, 0};
    if (isfinite(nll)) {
        view->bin[kind][at].tokens++;
        view->bin[kind][at].sum += nll;
    }
    return BIPE_OK;
}

static int keep_token(table *t, plot_view *view, const double *value)
{
    bipe_loss_view *text = &view->text;
    if (text->count == PLOT_TOKENS_MOST)
        return fail_line(t, "tokens", "at most 4194304 of one length and file");
    if (bipe_grow(&text->token, &text->capacity, text->count + 1, sizeof *text->token) != 0)
        return bipe_fail_memory(t->err);
    const bipe_loss_token *before = text->count > 0 ? &text->token[text->count - 1] : NULL;
    bipe_loss_token token = {(uint64_t)value[DOCUMENT], (uint64_t)value[WINDOW], (uint64_t)value[START], (uint64_t)value[END], (uint32_t)value[ID],
                             (uint32_t)value[TOKEN], (uint32_t)value[SEGMENT], (uint32_t)value[INTRA], (float)value[NLL]};
    if (token.end < token.start || (before != NULL && (token.document < before->document ||
                                                       (token.document == before->document && token.start < before->end))))
        return fail_line(t, "start and end", "tokens in the order of the text");
    text->token[text->count++] = token;
    return BIPE_OK;
}

static int read_row(table *t, const char *line, size_t size)
{
    field found[COLUMNS];
    double value[COLUMNS];
    plot_view *view = NULL;
    int status = split_line(t, line, size, found);
    for (int c = TEXTS; c < COLUMNS && status == BIPE_OK; c++)
        status = get_value(t, found, c, c == TOKEN || c == SEGMENT || c == INTRA ? PLOT_INDEX_MOST - 1 : c == ID ? (double)UINT32_MAX : 9007199254740992.0, &value[c]);
    if (status != BIPE_OK)
        return status;
    uint64_t length = (uint64_t)value[LENGTH];
    if (t->keep && t->wanted == 0)
        t->wanted = length;
    if (t->keep && length != t->wanted)
        return BIPE_OK;
    if ((status = find_view(t, found, length, &view)) != BIPE_OK || t->keep)
        return status == BIPE_OK ? keep_token(t, view, value) : status;
    for (size_t kind = 0; kind < PLOT_INDEXES && status == BIPE_OK; kind++)
        status = add_loss(t, view, kind, value[kind == 0 ? TOKEN : kind == 1 ? SEGMENT : INTRA], value[NLL]);
    return status;
}

int plot_tokens_read(plot_input *input, plot_lines *lines, const char *header, size_t size, bool keep, uint64_t length, bipe_error *err)
{
    table t = {.input = input, .lines = lines, .keep = keep, .wanted = length, .err = err};
    input->source = PLOT_TOKENS;
    int status = read_header(&t, header, size);
    while (status == BIPE_OK && (status = plot_lines_next(lines, &header, &size, err)) == BIPE_OK)
        if (size > 0)
            status = read_row(&t, header, size);
    return status == BIPE_END ? BIPE_OK : status;
}
