/* score_columns.h - what results of bipe-score consist of: the columns of its rows and of comparisons. A further
 * column is a member of the struct, its value and a row of the table. */
#ifndef BIPE_TOOLS_SCORE_SCORE_COLUMNS_H
#define BIPE_TOOLS_SCORE_SCORE_COLUMNS_H

#include "cli/columns.h"
#include "tools/score/score_rows.h"

enum { SCORE_METHOD = 96, SCORE_SCHEME = 256 };

/* The values of a row. */
typedef struct score_cells {
    const char *model, *segmenter, *file, *group, *method, *scheme, *protocol, *bos, *by, *contrast_method;
    uint64_t length, windows, tokens, bytes, stride, macro_of, contrast_context, contrast_tokens, index;
    double nll, sum, ppl, ppl_error, bits, word_ppl, byte_ppl, error, interval[2];
    double macro_nll, macro_ppl, macro_error, macro_interval[2];
    double contrast, contrast_error, contrast_interval[2], contrast_p;
    double difference, difference_error, difference_interval[2], p, bits_difference, bits_interval[2];
    char method_text[SCORE_METHOD], contrast_text[SCORE_METHOD], scheme_text[SCORE_SCHEME];
} score_cells;

enum { SCORE_COLUMNS = 43, SCORE_TABLE_COLUMNS = 8 };
extern const bipe_column score_columns[SCORE_COLUMNS];
/* Of the table for people with one combination; of a macro mean the first SCORE_MACRO_COLUMNS. */
extern const bipe_column score_table_columns[SCORE_TABLE_COLUMNS];
enum { SCORE_MACRO_COLUMNS = 6 };

/* comparison: with the first combination, or NULL. cells is used in place: texts of it point into it. */
void score_cells_fill(score_cells *cells, const bipe_score_setup *setup, const bipe_score_row *row,
                      const bipe_score_comparison *comparison);
/* Those of one index of --by alone. */
void score_cells_of_bin(score_cells *cells, const bipe_score_setup *setup, const bipe_score_row *row, size_t index);
/* The mean of means in place of the mean. */
void score_cells_of_macro(score_cells *cells, const bipe_score_row *row);

/* A comparison, as an object of JSON. */
void score_comparison_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_comparison *comparison);

#endif
