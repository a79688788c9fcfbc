/* score_parts.h - what is kept of a row for --merge and --resume, in JSON and in journals. */
#ifndef BIPE_TOOLS_SCORE_SCORE_PARTS_H
#define BIPE_TOOLS_SCORE_SCORE_PARTS_H

#include "cli/columns.h"
#include "tools/score/score_rows.h"

/* All but bins and units. */
typedef struct score_part {
    uint64_t file; /* its number, of a journal its first window */
    uint64_t combination, hash, text_tokens, length, windows, tokens, bytes, words;
    bipe_exact sum;
} score_part;

enum { SCORE_PART_COLUMNS = 10, SCORE_PART_SUMS = 6 }; /* so many, the first, are members of "sums" */
extern const bipe_column score_part_columns[SCORE_PART_COLUMNS];

void score_part_fill(score_part *part, const bipe_score_row *row);
/* The row of a part, without its file. */
void score_part_take(const score_part *part, bipe_score_row *row);

/* Bins or units, as a member: [[INDEX,TOKENS,BYTES,SUM],...], those without tokens left out; and back, indices below
 * `most`. */
void score_bins_json(bipe_json *json, const char *key, const bipe_loss_bins *bins);
void score_bins_load(bipe_result *result, const char *key, const json_t *list, uint64_t most, bipe_loss_bins *bins);
/* The same as fields of a line: COUNT LISTED [INDEX TOKENS BYTES SUM]... */
void score_bins_journal(bipe_output *line, const bipe_loss_bins *bins);
void score_bins_fields(bipe_fields *fields, bipe_loss_bins *bins);

#endif
