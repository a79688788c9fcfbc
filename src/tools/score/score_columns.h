/* score_columns.h - writes rows and comparisons of bipe-score in all formats. */
#ifndef BIPE_TOOLS_SCORE_SCORE_COLUMNS_H
#define BIPE_TOOLS_SCORE_SCORE_COLUMNS_H

#include "cli/columns.h"
#include "tools/score/score_rows.h"

/* The members of an object of JSON. */
void score_row_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_row *row);
void score_csv_head(bipe_output *output, const bipe_score_setup *setup);
/* A line, and one for each index of --by. comparison: with the first combination, or NULL. */
void score_row_csv(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row,
                   const bipe_score_comparison *comparison);
/* The table for people with one combination, without names of files. macro: the mean of means in place of the mean. */
void score_table_head(bipe_output *output);
void score_table_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row, bool macro);

/* The table of key tokens, without names. */
void score_key_head(bipe_output *output);
void score_key_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row);
/* That of differences of the loss of key tokens; several: with p corrected for several comparisons. */
void score_key_difference_head(bipe_output *output, bool several);
void score_key_difference_row(bipe_output *output, const bipe_score_setup *setup,
                              const bipe_score_comparison *comparison, bool several);

/* A comparison, as an object of JSON. */
void score_comparison_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_comparison *comparison);

/* The table of comparisons for people, without names and lengths. several: with p corrected by Holm's method. */
void score_difference_head(bipe_output *output, bool several, bool needed);
void score_difference_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_comparison *comparison,
                          bool several, bool needed);

#endif
