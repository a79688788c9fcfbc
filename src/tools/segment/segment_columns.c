/* segment_columns.c - the columns of bipe-segment's tables: their names, which rows have which, and the choice of
 * --columns. */
#include <stdio.h>
#include <string.h>

#include "tools/segment/bipe_segment.h"

static const char *const column_names[SEGMENT_COLUMNS] = {
    [SEGMENT_DOCUMENT] = "document", [SEGMENT_INDEX] = "segment", [SEGMENT_START] = "start", [SEGMENT_END] = "end",
    [SEGMENT_TOKENS] = "tokens",
    [SEGMENT_INDEX2] = "segment2", [SEGMENT_INTRA2] = "intra2", [SEGMENT_INDEX3] = "segment3",
    [SEGMENT_INTRA3] = "intra3", [SEGMENT_INDEX4] = "segment4", [SEGMENT_INTRA4] = "intra4",
    [SEGMENT_TOKEN] = "token", [SEGMENT_ID] = "id", [SEGMENT_INTRA] = "intra", [SEGMENT_FILE] = "file",
    [SEGMENT_TEXT] = "text",
    [SEGMENT_LEFT] = "left", [SEGMENT_MATCH] = "match", [SEGMENT_RIGHT] = "right", [SEGMENT_LANGUAGE] = "language",
};

/* What each kind of row has, in the order of the header. Of the last one see segment_columns_choose(). */
static const struct {
    size_t count;
    segment_column column[SEGMENT_COLUMNS];
} row_columns[] = {
    [SEGMENT_ROWS] = {8, {SEGMENT_FILE, SEGMENT_DOCUMENT, SEGMENT_INDEX, SEGMENT_START, SEGMENT_END, SEGMENT_TOKENS,
                          SEGMENT_TEXT, SEGMENT_LANGUAGE}},
    [SEGMENT_TOKEN_ROWS] = {15, {SEGMENT_FILE, SEGMENT_DOCUMENT, SEGMENT_TOKEN, SEGMENT_START, SEGMENT_END, SEGMENT_ID,
                                 SEGMENT_INDEX, SEGMENT_INTRA, SEGMENT_INDEX2, SEGMENT_INTRA2, SEGMENT_INDEX3,
                                 SEGMENT_INTRA3, SEGMENT_INDEX4, SEGMENT_INTRA4, SEGMENT_TEXT}},
    [SEGMENT_MATCH_ROWS] = {9, {SEGMENT_FILE, SEGMENT_DOCUMENT, SEGMENT_INDEX, SEGMENT_START, SEGMENT_END, SEGMENT_LEFT,
                                SEGMENT_MATCH, SEGMENT_RIGHT, SEGMENT_LANGUAGE}},
};

static bool is_token_column(segment_column column)
{
    return column >= SEGMENT_TOKEN && column < SEGMENT_NUMBERS;
}

/* Whether the segmenter has the level that the column is about. */
static bool has_level(const segment_columns *columns, segment_column column)
{
    return column < SEGMENT_INDEX2 || column >= SEGMENT_NUMBERS ||
           2 + (size_t)(column - SEGMENT_INDEX2) / 2 <= columns->levels;
}

bool segment_has_column(const segment_columns *columns, segment_column column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->column[i] == column)
            return true;
    return false;
}

/* The columns of these rows, and where others can be had as well, those of tokens. */
static int fail_name(const segment_columns *columns, const char *name, size_t size, segment_row_kind rows, bool choice,
                     bool ids, bipe_error *err)
{
    char names[256] = "";
    for (size_t i = 0; i < row_columns[rows].count; i++) {
        if (!has_level(columns, row_columns[rows].column[i]))
            continue;
        strcat(names, i > 0 ? ", " : "");
        strcat(names, column_names[row_columns[rows].column[i]]);
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--columns': found '%.*s', expected some of %s%s%s",
                     size < 40 ? (int)size : 40, name, names, ids ? ", record" : "",
                     !choice               ? ""
                     : columns->levels > 1 ? "; or token, id, intra, segment2, intra2, ..., for a row for each token"
                                           : "; or token, id, intra, for a row for each token");
}

static int find_column(const segment_columns *columns, const char *name, size_t size, segment_row_kind rows,
                       segment_column *column)
{
    for (size_t i = 0; i < row_columns[rows].count; i++) {
        *column = row_columns[rows].column[i];
        if (has_level(columns, *column) && strlen(column_names[*column]) == size &&
            memcmp(column_names[*column], name, size) == 0)
            return BIPE_OK;
    }
    return BIPE_END;
}

/* Whether "record" may be named here. */
static int check_record(const segment_columns *columns, bool ids, bool last, bipe_error *err)
{
    if (!ids)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--columns': found 'record', which needs '--id'");
    if (!last || columns->count == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--columns': found 'record' %s, expected it as the last of several",
                         last ? "alone" : "before other columns");
    return BIPE_OK;
}

static void set_before(segment_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        segment_before *before = &columns->before[i];
        if (columns->syntax == SEGMENT_JSON)
            snprintf(before->text, SEGMENT_BEFORE, "%s\"%s\":", i == 0 ? "{" : ",", column_names[columns->column[i]]);
        else
            snprintf(before->text, SEGMENT_BEFORE, "%s", i == 0 ? "" : columns->syntax == SEGMENT_CSV ? "," : "\t");
        before->size = strlen(before->text);
    }
}

int segment_columns_choose(segment_columns *columns, segment_row_kind rows, const char *names, bool choice, bool ids,
                           bool languages, bipe_error *err)
{
    columns->rows = rows;
    columns->count = 0;
    for (const char *at = names, *name = names; name != NULL; name = at) {
        segment_column column;
        size_t size = strcspn(name, ",");
        at = name[size] == ',' ? name + size + 1 : NULL;
        if (choice && columns->rows == SEGMENT_ROWS &&
            find_column(columns, name, size, SEGMENT_TOKEN_ROWS, &column) == BIPE_OK && is_token_column(column))
            return segment_columns_choose(columns, SEGMENT_TOKEN_ROWS, names, false, ids, languages, err);
        if (size == 6 && memcmp(name, "record", size) == 0) {
            if (check_record(columns, ids, at == NULL, err) != BIPE_OK)
                return BIPE_ERR_ARGUMENT;
            continue;
        }
        if (find_column(columns, name, size, rows, &column) != BIPE_OK)
            return fail_name(columns, name, size, rows, choice, ids, err);
        if (segment_has_column(columns, column))
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--columns': found '%s' twice, expected each column once",
                             column_names[column]);
        columns->column[columns->count++] = column;
    }
    /* The text of tokens has to be asked for, which would make much of the table, and a language that none is chosen
     * for. */
    size_t count = row_columns[rows].count - (rows == SEGMENT_TOKEN_ROWS || !languages);
    for (size_t i = 0; names == NULL && i < count; i++)
        if (has_level(columns, row_columns[rows].column[i]))
            columns->column[columns->count++] = row_columns[rows].column[i];
    set_before(columns);
    return BIPE_OK;
}

void segment_columns_header(segment_writer *w)
{
    const segment_columns *columns = w->columns;
    if (columns->syntax == SEGMENT_JSON)
        return;
    for (size_t i = 0; i < columns->count; i++)
        bipe_output_printf(w->output, &w->error, "%s%s", columns->before[i].text, column_names[columns->column[i]]);
    bipe_output_write(w->output, "\n", 1, &w->error);
}
