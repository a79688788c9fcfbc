/* record_filter.c - see record_filter.h. */
#include "cli/record_filter.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/numbers.h"
#include "cli/record_writer.h"
#include "cli/tool_alloc.h"
#include "text/utf8.h"

enum { DROP, PASS }; /* --broken */
const char *const bipe_record_broken_words[] = {[DROP] = "drop", [PASS] = "pass", NULL};

/* ---- conditions ---- */

enum { LESS, LESS_OR_EQUAL, MORE, MORE_OR_EQUAL, EQUAL, NOT_EQUAL };
static const struct {
    const char *sign;
    int operation;
} signs[] = { /* the longer ones first */
    {"<=", LESS_OR_EQUAL}, {">=", MORE_OR_EQUAL}, {"!=", NOT_EQUAL}, {"==", EQUAL}, {"<", LESS}, {">", MORE},
    {"=", EQUAL},
};

static bool compares(const bipe_column *column)
{
    return column->kind == BIPE_COLUMN_UINT || column->kind == BIPE_COLUMN_NUMBER;
}

/* What --keep calls a column. */
static const char *name_of(const bipe_column *column)
{
    return column->member != NULL ? column->member : column->name;
}

static int fail_name(const bipe_record_filter *f, const char *text, int size, bipe_error *err)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < f->columns && used < sizeof names; i++)
        if (compares(&f->column[i]))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                     name_of(&f->column[i]));
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--keep': found the name '%.*s', expected one of %s", size, text,
                     names);
}

/* NAME OPERATION NUMBER, with blanks between them or not. */
static int parse_condition(const bipe_record_filter *f, const char *text, bipe_record_condition *condition,
                           bipe_error *err)
{
    text += strspn(text, " ");
    size_t name = strcspn(text, "<>=! "), at = name + strspn(text + name, " "), s = 0;
    while (s < BIPE_COUNT_OF(signs) && strncmp(text + at, signs[s].sign, strlen(signs[s].sign)) != 0)
        s++;
    if (name == 0 || s == BIPE_COUNT_OF(signs))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--keep': found '%s', expected a condition such as ppl<300",
                         text);
    at += strlen(signs[s].sign);
    at += strspn(text + at, " ");
    for (size_t i = 0; i < f->columns && condition->column == NULL; i++) {
        const bipe_column *column = &f->column[i];
        if (compares(column) && strlen(name_of(column)) == name && memcmp(name_of(column), text, name) == 0)
            condition->column = column;
    }
    if (condition->column == NULL)
        return fail_name(f, text, (int)name, err);
    bool negative = text[at] == '-';
    if (!bipe_parse_number(text + at + negative, &condition->number))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--keep': found '%s', expected a number after '%s'", text,
                         signs[s].sign);
    condition->number = negative ? -condition->number : condition->number;
    condition->operation = signs[s].operation;
    return BIPE_OK;
}

static double value_of(const bipe_column *column, const void *row)
{
    const char *at = (const char *)row + column->at;
    uint64_t whole;
    double number;
    if (column->kind == BIPE_COLUMN_NUMBER) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&whole, at, sizeof whole);
    return whole == BIPE_NO_UINT ? (double)NAN : (double)whole;
}

static bool holds(const bipe_record_condition *condition, const void *row)
{
    double value = value_of(condition->column, row), number = condition->number;
    if (isnan(value))
        return false;
    switch (condition->operation) {
    case LESS:
        return value < number;
    case LESS_OR_EQUAL:
        return value <= number;
    case MORE:
        return value > number;
    case MORE_OR_EQUAL:
        return value >= number;
    case EQUAL:
        return value == number;
    default:
        return value != number;
    }
}

/* ---- records ---- */

/* The member must not hold the text. field: a path; the object at each of its beginnings holds the text as well. */
static int check_member(const char *member, const char *field, bipe_error *err)
{
    size_t size = strlen(member);
    if (size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--member': found an empty name, expected one such as bipe");
    if (!bipe_is_utf8((const uint8_t *)member, size))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--member': found a name that is not UTF-8");
    if (strncmp(field, member, size) == 0 && (field[size] == '\0' || field[size] == '.'))
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--member': found '%s', which holds the text, expected another name", member);
    return BIPE_OK;
}

static const char *member_of(const bipe_record_options *given)
{
    return given->member != NULL ? given->member : "bipe";
}

int bipe_record_filter_open(bipe_record_filter *f, bipe_tool *tool, const bipe_record_options *given,
                            const char *field, const bipe_column *column, size_t columns, bipe_error *err)
{
    *f = (bipe_record_filter){.tool = tool, .given = given, .column = column, .columns = columns};
    f->condition = bipe_tool_alloc(given->keep.count, sizeof *f->condition);
    int status = check_member(member_of(given), field != NULL ? field : "text", err);
    if (status == BIPE_OK)
        status = bipe_output_open_memory(&f->json, err);
    for (size_t i = 0; i < given->keep.count && status == BIPE_OK; i++)
        status = parse_condition(f, given->keep.text[i], &f->condition[i], err);
    return status;
}

/* A record will be written: the line before it must have ended. */
static int begin_line(bipe_record_filter *f, const bipe_buffer *record, bipe_error *err)
{
    bool open = f->open;
    f->open = record->size > 0 && record->data[record->size - 1] != '\n';
    return open ? bipe_output_write(f->output, "\n", 1, err) : BIPE_OK;
}

int bipe_record_filter_write(bipe_record_filter *f, const bipe_buffer *record, const void *row, bipe_error *err)
{
    f->records++;
    for (size_t i = 0; i < f->given->keep.count; i++)
        if (!holds(&f->condition[i], row))
            return BIPE_OK;
    f->written++;
    bipe_json json;
    bipe_output_forget(f->json);
    bipe_json_open(&json, f->json, false);
    bipe_json_begin_object(&json);
    bipe_columns_json(&json, f->column, f->columns, row);
    bipe_json_end_object(&json);
    if (json.error.status != BIPE_OK) {
        *err = json.error;
        return (int)err->status;
    }
    const bipe_buffer *member = bipe_output_kept(f->json);
    int status = begin_line(f, record, err);
    if (status != BIPE_OK)
        return status;
    return bipe_record_write(f->output, record->data, record->size, member_of(f->given), member->data, member->size,
                             err);
}

int bipe_record_filter_broken(bipe_record_filter *f, const bipe_buffer *record, const bipe_error *problem,
                              bipe_error *err)
{
    f->records++;
    if (f->broken++ == 0)
        f->first = *problem;
    if (f->given->broken != PASS)
        return BIPE_OK;
    int status = begin_line(f, record, err);
    return status == BIPE_OK ? bipe_output_write(f->output, record->data, record->size, err) : status;
}

/* ---- files ---- */

/* One document of the stream, or why it cannot begin (problem). */
static int take_document(bipe_record_filter *f, bipe_stream *stream, const bipe_record_taker *taker,
                         bipe_error *problem, bipe_error *err)
{
    int status = problem->status == BIPE_OK ? taker->document(taker->context, stream, problem, err) : BIPE_OK;
    if (status != BIPE_OK || problem->status == BIPE_OK)
        return status;
    const bipe_buffer *record = bipe_stream_record(stream);
    if (record == NULL)
        bipe_tool_error(f->tool, problem);
    else if (taker->broken != NULL)
        return taker->broken(taker->context, record, problem, err);
    else
        return bipe_record_filter_broken(f, record, problem, err);
    return BIPE_OK;
}

int bipe_record_filter_files(bipe_record_filter *f, bipe_stream *stream, bipe_files files,
                             const bipe_record_taker *taker, bipe_error *err)
{
    int status = BIPE_OK;
    bipe_tool_progress(f->tool, "bytes", bipe_files_size(files));
    bipe_stream_inputs(stream, files.path, files.count);
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++) {
        bipe_error problem = {0};
        if (bipe_stream_next_input(stream, &problem) != BIPE_OK) {
            bipe_tool_error(f->tool, &problem);
            continue;
        }
        while (status == BIPE_OK) {
            problem = (bipe_error){0};
            if (bipe_stream_next_document(stream, &problem) == BIPE_END)
                break;
            status = take_document(f, stream, taker, &problem, err);
            bipe_progress_update(&f->tool->progress, files.path[i], bipe_stream_raw(stream));
        }
        if (status == BIPE_OK)
            bipe_inputs_judge(f->tool, stream, i, files.path[i]);
    }
    bipe_progress_clear(&f->tool->progress);
    return status;
}

void bipe_record_filter_note(bipe_record_filter *f, const char *verb)
{
    uint64_t good = f->records - f->broken;
    f->tool->some_done |= good > 0;
    bipe_error all;
    const char *what = f->given->broken == PASS ? "passed unchanged"
                       : f->broken == 1      ? "was dropped (--broken pass writes it)"
                                             : "were dropped (--broken pass writes them)";
    if (f->broken > 0 && good == 0) {
        bipe_fail(&all, BIPE_ERR_FORMAT, "no record could be %s; the first: %s", verb, f->first.text);
        bipe_tool_error(f->tool, &all);
    } else if (f->broken > 0) {
        bipe_tool_note(f->tool, "%" PRIu64 " of %" PRIu64 " records could not be %s and %s; the first: %s", f->broken,
                       f->records, verb, what, f->first.text);
    }
    if (f->given->keep.count > 0 && good > 0)
        bipe_tool_note(f->tool, "kept %" PRIu64 " of %" PRIu64 " records", f->written, f->records);
}

void bipe_record_filter_close(bipe_record_filter *f)
{
    bipe_output_abandon(f->json);
    bipe_free(f->condition);
    *f = (bipe_record_filter){0};
}
