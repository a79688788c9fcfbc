/* columns_fit.h - tables for people that fit their lines: columns are as wide as their cells, the most dispensable ones
 * are left out where the terminal is narrow, and a table of few rows may lie on its side. Headings, forms and what may
 * be left out are in the columns (columns.h), of texts, numbers and pairs. Failures stay in the output. */
#ifndef BIPE_CLI_COLUMNS_FIT_H
#define BIPE_CLI_COLUMNS_FIT_H

#include "cli/columns.h"
#include "plot/figure.h"

enum { BIPE_CELL_WIDEST = 256, BIPE_TABLE_COLUMNS = 32 };

/* A cell of any width. */
const char *bipe_cell_show(char cell[BIPE_CELL_WIDEST], const bipe_column *column, const void *row);
/* 1234567 -> "1,234,567". */
const char *bipe_cell_count(char cell[BIPE_CELL_WIDEST], uint64_t value);
/* "-": there is none. */
const char *bipe_cell_number(char cell[BIPE_CELL_WIDEST], bipe_cell_form form, double value);

typedef struct bipe_table {
    bipe_output *output;
    bipe_look look;
    const char *heading[BIPE_TABLE_COLUMNS]; /* [headings] of the last table, for its key */
    size_t headings;
} bipe_table;

/* Rows as lines. The first `names` columns are aligned on the left, and cut where they are long. */
void bipe_table_rows(bipe_table *table, const bipe_column *column, size_t count, size_t names, const void *const *row,
                     size_t rows);
/* Rows as columns, the first column as headings; columns in which no row has a value are left out. False: they are too
 * wide, nothing is printed. */
bool bipe_table_on_side(bipe_table *table, const bipe_column *column, size_t count, const void *const *row,
                        size_t rows);
/* `meaning`, if the last table has this heading; otherwise "". */
const char *bipe_table_explain(const bipe_table *table, const char *heading, const char *meaning);

/* A line in bold; and words after an indent, broken where the line is full. */
void bipe_table_heading(bipe_table *table, const char *text);
void bipe_table_words(bipe_table *table, const char *indent, const char *text);

#endif
