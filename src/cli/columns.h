/* columns.h - what a row of a result consists of, as a table: JSON, CSV, TSV, the tables that people read and the lines
 * of journals are written from it, and JSON and journals are read back by it. A row is a struct with plain members that
 * a tool fills; a column says which of them it shows, and where. Failures stay in the output or the writer. */
#ifndef BIPE_CLI_COLUMNS_H
#define BIPE_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "base/output.h"
#include "cli/journal.h"
#include "cli/result_file.h"

/* The type of the member, and the value that means that there is none. */
typedef enum bipe_column_kind {
    BIPE_COLUMN_TEXT,   /* const char *; NULL */
    BIPE_COLUMN_UINT,   /* uint64_t; BIPE_NO_UINT */
    BIPE_COLUMN_NUMBER, /* double; NaN */
    BIPE_COLUMN_PAIR,   /* double[2]: [low, high] in JSON, two columns of CSV; NaN */
    BIPE_COLUMN_BOOL,   /* bool; false, where the column is optional */
    BIPE_COLUMN_WORD,   /* int, the number of one of `words`; -1 */
    BIPE_COLUMN_HASH,   /* uint64_t, as 16 hexadecimal digits; BIPE_NO_UINT, where the column is optional */
    BIPE_COLUMN_SUM,    /* bipe_exact, as text */
    BIPE_COLUMN_LIST,   /* whatever `put` writes as JSON; it is not read */
    BIPE_COLUMN_BYTES,  /* bipe_column_bytes, which may hold a NUL; NULL. CSV and TSV alone */
    BIPE_COLUMN_INTERVAL /* as BIPE_COLUMN_PAIR, but null in JSON without a value */
} bipe_column_kind;

#define BIPE_NO_UINT UINT64_MAX

typedef struct bipe_column_bytes {
    const uint8_t *data;
    size_t size;
} bipe_column_bytes;

/* How columns_fit.h shows numbers. */
typedef enum bipe_cell_form {
    BIPE_CELL_REAL,    /* three significant digits or so, thousands with commas; a pair as low-high */
    BIPE_CELL_SHARE,   /* three decimals */
    BIPE_CELL_PERCENT, /* 12.3% of 0.123 */
    BIPE_CELL_P,       /* three decimals, or <.001 */
    BIPE_CELL_WHOLE,   /* as a count, if it is whole */
    BIPE_CELL_SIGNED   /* as BIPE_CELL_REAL; a pair as [low, high] */
} bipe_cell_form;

typedef struct bipe_column {
    const char *member;       /* of JSON; "tokens.mean" is a member of a member. NULL: not in JSON */
    const char *name;         /* the heading in CSV and TSV, of a pair "low,high"; NULL: not there */
    bipe_column_kind kind;
    size_t at;                /* the offset of the member of the row */
    bool optional; /* without a value it is no member of JSON, nor are those after it in the same object; otherwise
                      null. It need not be there to be read */
    bool or_null;             /* null may be read, too, and leaves the member of the row as it is */
    bool not_zero;            /* of BIPE_COLUMN_UINT: 0 means that there is none */
    const char *absent;       /* without a value, in CSV, TSV and tables; NULL: nothing */
    const char *const *words; /* of BIPE_COLUMN_WORD, then NULL */
    uint64_t most;            /* that is read; 0: no bound */
    const char *expected;     /* for the error where something else is read; NULL: as usual for the kind */
    bool (*when)(const void *row);                 /* whether a row has the member of JSON; NULL: as `optional` says */
    void (*put)(bipe_json *json, const void *row); /* of BIPE_COLUMN_LIST */
    const char *heading;      /* in a table for people; NULL: not there */
    int width, decimals;      /* there */
    bipe_cell_form form;      /* the rest is for tables that fit their lines: columns_fit.h */
    int spare;                /* when it may be left out: the highest goes first; 0: never */
    bool stays;               /* in a table on its side with more than two rows, even if none has a value */
} bipe_column;

/* A bipe_column of a member of the struct ROW: BIPE_COLUMN(row, UINT, tokens, .member = "tokens"). */
#define BIPE_COLUMN(row, type, field, ...) {.kind = BIPE_COLUMN_##type, .at = offsetof(row, field), __VA_ARGS__}

/* One that JSON, CSV and TSV call by the name of the member of the struct. */
#define BIPE_COLUMN_NAMED(row, type, field) BIPE_COLUMN(row, type, field, .member = #field, .name = #field)

#define BIPE_COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* Members of the object that is being written, which the caller begins and ends. */
void bipe_columns_json(bipe_json *json, const bipe_column *column, size_t count, const void *row);
/* The same for members "OBJECT.NAME" where the caller has begun OBJECT, to which it adds more. */
void bipe_columns_json_inner(bipe_json *json, const bipe_column *column, size_t count, const void *row);
/* Values alone, as a list on the line of its parent; and a list of whole numbers and sums back. False: not such a
 * list. */
void bipe_columns_json_list(bipe_json *json, const bipe_column *column, size_t count, const void *row);
bool bipe_columns_read_list(const json_t *list, const bipe_column *column, size_t count, void *row);
/* The line of headings, and a line of values; separator: ',' for CSV, '\t' for TSV. */
void bipe_columns_head(bipe_output *output, const bipe_column *column, size_t count, char separator);
void bipe_columns_line(bipe_output *output, const bipe_column *column, size_t count, char separator, const void *row);
/* The same without the end of the line, where more follows. */
void bipe_columns_names(bipe_output *output, const bipe_column *column, size_t count, char separator);
void bipe_columns_values(bipe_output *output, const bipe_column *column, size_t count, char separator, const void *row);

/* Of a table for people, in columns of fixed width: headings, and a row; a blank before each. Neither begins nor ends
 * the line. Of forms three count: BIPE_CELL_SIGNED, here with a plus, BIPE_CELL_PERCENT, here with `decimals`, and
 * BIPE_CELL_P. A negative width: on the left; 0: as the cell. */
void bipe_columns_table_head(bipe_output *output, const bipe_column *column, size_t count);
void bipe_columns_table(bipe_output *output, const bipe_column *column, size_t count, const void *row);

/* A number in `width` columns: with an exponent where it does not fit, "-" where there is none. */
enum { BIPE_CELL_SIZE = 64 };
const char *bipe_columns_cell(char cell[BIPE_CELL_SIZE], double value, int width, int decimals);

/* Reads the members of an object into a row, whose texts belong to the object; numbers, pairs and lists are not read.
 * Members that are not optional must be there. */
void bipe_columns_read(bipe_result *result, const json_t *object, const bipe_column *column, size_t count, void *row);

/* All columns as fields of a line of a journal, a blank before each, and back. No texts. */
void bipe_columns_journal(bipe_output *line, const bipe_column *column, size_t count, const void *row);
void bipe_columns_fields(bipe_fields *fields, const bipe_column *column, size_t count, void *row);

#endif
