/* columns.c - rows of results as JSON, CSV, TSV, tables and fields of journals; see columns.h. */
#include "cli/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "cli/csv.h"
#include "measure/exact.h"

static const void *value_at(const bipe_column *c, const void *row)
{
    return (const char *)row + c->at;
}

static bool is_pair(const bipe_column *c)
{
    return c->kind == BIPE_COLUMN_PAIR || c->kind == BIPE_COLUMN_INTERVAL;
}

static bool has_value(const bipe_column *c, const void *row)
{
    const void *value = value_at(c, row);
    switch (c->kind) {
    case BIPE_COLUMN_TEXT: return *(const char *const *)value != NULL;
    case BIPE_COLUMN_BYTES: return ((const bipe_column_bytes *)value)->data != NULL;
    case BIPE_COLUMN_UINT: return *(const uint64_t *)value != (c->not_zero ? 0 : BIPE_NO_UINT);
    case BIPE_COLUMN_NUMBER:
    case BIPE_COLUMN_INTERVAL:
    case BIPE_COLUMN_PAIR: return !isnan(*(const double *)value);
    case BIPE_COLUMN_BOOL: return !c->optional || *(const bool *)value;
    case BIPE_COLUMN_WORD: return *(const int *)value >= 0;
    case BIPE_COLUMN_HASH: return !c->optional || *(const uint64_t *)value != BIPE_NO_UINT;
    default: return true;
    }
}

static const char *format_uint(uint64_t value, char cell[BIPE_CELL_SIZE])
{
    *bipe_write_uint((uint8_t *)cell, value) = '\0';
    return cell;
}

/* What is text in every format; of others a cell. */
static const char *format_value(const bipe_column *c, const void *value, char cell[BIPE_CELL_SIZE])
{
    switch (c->kind) {
    case BIPE_COLUMN_TEXT: return *(const char *const *)value;
    case BIPE_COLUMN_WORD: return c->words[*(const int *)value];
    case BIPE_COLUMN_BOOL: return *(const bool *)value ? "true" : "false";
    case BIPE_COLUMN_SUM: return bipe_exact_format(*(const bipe_exact *)value, cell);
    case BIPE_COLUMN_UINT: return format_uint(*(const uint64_t *)value, cell);
    case BIPE_COLUMN_HASH: snprintf(cell, BIPE_CELL_SIZE, "%016" PRIx64, *(const uint64_t *)value); return cell;
    default: return bipe_format_number(cell, *(const double *)value);
    }
}

/* ---- JSON ---- */

static void json_value(bipe_json *json, const bipe_column *c, const void *row)
{
    const void *value = value_at(c, row);
    const double *number = value;
    char cell[BIPE_CELL_SIZE];
    if (c->kind == BIPE_COLUMN_LIST) {
        c->put(json, row);
    } else if (c->kind == BIPE_COLUMN_PAIR || (c->kind == BIPE_COLUMN_INTERVAL && has_value(c, row))) {
        bipe_json_begin_flat_array(json);
        bipe_json_number(json, number[0]);
        bipe_json_number(json, number[1]);
        bipe_json_end_array(json);
    } else if (!has_value(c, row)) {
        bipe_json_null(json);
    } else if (c->kind == BIPE_COLUMN_UINT) {
        bipe_json_uint(json, *(const uint64_t *)value);
    } else if (c->kind == BIPE_COLUMN_NUMBER) {
        bipe_json_number(json, *number);
    } else if (c->kind == BIPE_COLUMN_BOOL) {
        bipe_json_bool(json, *(const bool *)value);
    } else {
        bipe_json_text(json, format_value(c, value, cell));
    }
}

/* The size of the name of the object that a member is in. */
static size_t outer_size(const char *member)
{
    const char *dot = strchr(member, '.');
    return dot != NULL ? (size_t)(dot - member) : 0;
}

static bool same_object(const char *a, const char *b)
{
    return outer_size(a) == outer_size(b) && strncmp(a, b, outer_size(b)) == 0;
}

void bipe_columns_json_inner(bipe_json *json, const bipe_column *column, size_t count, const void *row)
{
    for (const bipe_column *c = column; c < column + count; c++) {
        bipe_json_key(json, c->member + outer_size(c->member) + 1);
        json_value(json, c, row);
    }
}

void bipe_columns_json_list(bipe_json *json, const bipe_column *column, size_t count, const void *row)
{
    bipe_json_begin_flat_array(json);
    for (const bipe_column *c = column; c < column + count; c++)
        json_value(json, c, row);
    bipe_json_end_array(json);
}

void bipe_columns_json(bipe_json *json, const bipe_column *column, size_t count, const void *row)
{
    const char *inner = "", *left_out = ""; /* a member of the object that is written, and one of an object that is
                                               not */
    for (const bipe_column *c = column; c < column + count; c++) {
        if (c->member == NULL || (outer_size(c->member) > 0 && same_object(left_out, c->member)))
            continue;
        size_t outer = outer_size(c->member);
        if (c->when != NULL && !c->when(row))
            continue;
        if (c->optional && !has_value(c, row)) {
            left_out = c->member;
            continue;
        }
        if (!same_object(inner, c->member)) {
            if (outer_size(inner) > 0)
                bipe_json_end_object(json);
            if (outer > 0) {
                bipe_json_key_bytes(json, c->member, outer);
                bipe_json_begin_object(json);
            }
        }
        inner = c->member;
        bipe_json_key(json, c->member + outer + (outer > 0));
        json_value(json, c, row);
    }
    if (outer_size(inner) > 0)
        bipe_json_end_object(json);
}

/* How a column is read; -1: it is not, as derived numbers, and lists that their owner reads. */
static int result_kind(bipe_column_kind kind)
{
    switch (kind) {
    case BIPE_COLUMN_TEXT: return BIPE_RESULT_TEXT;
    case BIPE_COLUMN_UINT: return BIPE_RESULT_UINT;
    case BIPE_COLUMN_BOOL: return BIPE_RESULT_BOOL;
    case BIPE_COLUMN_WORD: return BIPE_RESULT_WORD;
    case BIPE_COLUMN_HASH: return BIPE_RESULT_HASH;
    case BIPE_COLUMN_SUM: return BIPE_RESULT_SUM;
    default: return -1;
    }
}

void bipe_columns_read(bipe_result *result, const json_t *object, const bipe_column *column, size_t count, void *row)
{
    for (const bipe_column *c = column; c < column + count; c++) {
        int kind = result_kind(c->kind);
        if (c->member == NULL || kind < 0)
            continue;
        const bipe_result_member member[] = {{.key = c->member, .kind = (bipe_result_kind)kind,
                                              .target = (char *)row + c->at, .optional = c->optional || c->or_null,
                                              .most = c->most, .words = c->words, .expected = c->expected},
                                             {0}};
        bipe_result_members(result, object, member);
    }
}

bool bipe_columns_read_list(const json_t *list, const bipe_column *column, size_t count, void *row)
{
    bool good = json_array_size(list) == count;
    for (size_t i = 0; i < count && good; i++) {
        const json_t *value = json_array_get(list, i);
        const char *text = json_string_value(value);
        void *to = (char *)row + column[i].at;
        good = column[i].kind == BIPE_COLUMN_SUM ? text != NULL && bipe_exact_parse(to, text)
                                                 : bipe_result_number(value, to);
    }
    return good;
}

/* ---- CSV and TSV ---- */

static void begin_field(bipe_output *output, size_t *fields, char separator)
{
    if ((*fields)++ > 0)
        bipe_output_write(output, &separator, 1, NULL);
}

void bipe_columns_names(bipe_output *output, const bipe_column *column, size_t count, char separator)
{
    size_t fields = 0;
    for (const bipe_column *c = column; c < column + count; c++) {
        if (c->name == NULL)
            continue;
        begin_field(output, &fields, separator);
        bipe_output_printf(output, NULL, "%s", c->name);
    }
}

void bipe_columns_head(bipe_output *output, const bipe_column *column, size_t count, char separator)
{
    bipe_columns_names(output, column, count, separator);
    bipe_output_write(output, "\n", 1, NULL);
}

void bipe_columns_values(bipe_output *output, const bipe_column *column, size_t count, char separator, const void *row)
{
    size_t fields = 0;
    char cell[BIPE_CELL_SIZE];
    for (const bipe_column *c = column; c < column + count; c++) {
        const void *value = value_at(c, row);
        const bipe_column_bytes *bytes = value;
        bool some = has_value(c, row), words = c->kind == BIPE_COLUMN_TEXT || c->kind == BIPE_COLUMN_WORD;
        if (c->name == NULL)
            continue;
        begin_field(output, &fields, separator);
        if (some && c->kind == BIPE_COLUMN_BYTES) {
            (separator == ',' ? bipe_csv_escaped : bipe_tsv_text)(output, (const char *)bytes->data, bytes->size);
            continue;
        }
        const char *text = some ? format_value(c, value, cell) : c->absent != NULL ? c->absent : "";
        if (!words)
            bipe_output_write(output, text, strlen(text), NULL);
        else if (separator == ',')
            bipe_csv_text(output, text);
        else
            bipe_tsv_text(output, text, strlen(text));
        if (is_pair(c)) {
            begin_field(output, &fields, separator);
            bipe_output_printf(output, NULL, "%s", bipe_format_number(cell, ((const double *)value)[1]));
        }
    }
}

void bipe_columns_line(bipe_output *output, const bipe_column *column, size_t count, char separator, const void *row)
{
    bipe_columns_values(output, column, count, separator, row);
    bipe_output_write(output, "\n", 1, NULL);
}

/* ---- tables ---- */

void bipe_columns_table_head(bipe_output *output, const bipe_column *column, size_t count)
{
    for (const bipe_column *c = column; c < column + count; c++)
        if (c->heading != NULL)
            bipe_output_printf(output, NULL, " %*s", c->width, c->heading);
}

const char *bipe_columns_cell(char cell[BIPE_CELL_SIZE], double value, int width, int decimals)
{
    if (isnan(value))
        snprintf(cell, BIPE_CELL_SIZE, "-");
    else if (fabs(value) >= 1e9 || snprintf(cell, BIPE_CELL_SIZE, "%.*f", decimals, value) > width)
        snprintf(cell, BIPE_CELL_SIZE, "%.2e", value);
    return cell;
}

/* A number, or a pair as "[low, high]". */
static const char *number_cell(char cell[BIPE_CELL_SIZE], const bipe_column *c, const double *number)
{
    bool sign = c->form == BIPE_CELL_SIGNED;
    int digits = c->form == BIPE_CELL_P ? 3 : c->decimals;
    if (c->form == BIPE_CELL_P && *number < 0.001)
        return "<.001";
    if (isnan(*number) || (!is_pair(c) && !sign && c->form != BIPE_CELL_PERCENT))
        return bipe_columns_cell(cell, *number, c->width != 0 ? c->width : BIPE_CELL_SIZE, digits);
    if (c->form == BIPE_CELL_PERCENT)
        snprintf(cell, BIPE_CELL_SIZE, "%.*f %%", digits, 100 * *number);
    else if (is_pair(c))
        snprintf(cell, BIPE_CELL_SIZE, sign ? "[%+.*f, %+.*f]" : "[%.*f, %.*f]", digits, number[0], digits, number[1]);
    else
        snprintf(cell, BIPE_CELL_SIZE, "%+.*f", digits, *number);
    return cell;
}

void bipe_columns_table(bipe_output *output, const bipe_column *column, size_t count, const void *row)
{
    char cell[BIPE_CELL_SIZE];
    for (const bipe_column *c = column; c < column + count; c++) {
        const void *value = value_at(c, row);
        if (c->heading == NULL)
            continue;
        const char *text = c->kind == BIPE_COLUMN_NUMBER || is_pair(c) ? number_cell(cell, c, value)
                           : has_value(c, row)                         ? format_value(c, value, cell)
                           : c->absent != NULL                         ? c->absent
                                                                       : "";
        bipe_output_printf(output, NULL, " %*s", c->width, text);
    }
}

/* ---- journals ---- */

void bipe_columns_journal(bipe_output *line, const bipe_column *column, size_t count, const void *row)
{
    char cell[BIPE_CELL_SIZE];
    for (const bipe_column *c = column; c < column + count; c++)
        bipe_output_printf(line, NULL, " %s", format_value(c, value_at(c, row), cell));
}

void bipe_columns_fields(bipe_fields *fields, const bipe_column *column, size_t count, void *row)
{
    for (const bipe_column *c = column; c < column + count; c++) {
        void *value = (char *)row + c->at;
        char text[BIPE_EXACT_SIZE] = "";
        if (c->kind != BIPE_COLUMN_SUM) {
            *(uint64_t *)value = bipe_field_uint(fields, c->kind == BIPE_COLUMN_HASH ? 16 : 10);
            continue;
        }
        bipe_field_text(fields, text, sizeof text);
        fields->bad = fields->bad || !bipe_exact_parse(value, text);
    }
}
