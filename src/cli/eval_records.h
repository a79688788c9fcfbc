/* eval_records.h - the records of a JSON Lines file, each as a whole. */
#ifndef BIPE_CLI_EVAL_RECORDS_H
#define BIPE_CLI_EVAL_RECORDS_H

#include <jansson.h>

#include "base/lines.h"
#include "cli/tool.h"

typedef struct bipe_eval_records {
    bipe_lines lines;
    uint64_t number; /* of the record that was taken last, from 0; blank lines do not count */
    uint64_t next;
} bipe_eval_records;

int bipe_eval_records_open(bipe_eval_records *records, const char *path, bipe_error *err);
/* The next record, which is an object and the caller's. BIPE_END. After BIPE_ERR_FORMAT, an error of one record that
 * names its line, the next call returns the record after it; other errors are final. */
int bipe_eval_records_next(bipe_eval_records *records, json_t **record, bipe_error *err);
/* Puts the place of the present record before an error. Returns its status. */
int bipe_eval_records_place(const bipe_eval_records *records, bipe_error *err);
void bipe_eval_records_close(bipe_eval_records *records);

/* Takes a record. BIPE_ERR_FORMAT and BIPE_ERR_LIMIT are errors of it alone; others end the work. */
typedef int bipe_eval_take(void *context, const bipe_eval_records *records, json_t *record, bipe_error *err);
/* Gives all records of a file to `take`, up to an interruption. Errors of one are reported with its place. */
int bipe_eval_records_each(const char *path, bipe_tool *tool, bipe_eval_take *take, void *context, bipe_error *err);

/* Lines of a file that are not blank: how many records it has, if it is one of JSON Lines. */
int bipe_eval_records_count(const char *path, uint64_t *count, bipe_error *err);

#endif
