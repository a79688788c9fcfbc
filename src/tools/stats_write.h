/* stats_write.h - the three forms in which bipe-stats prints a report, and the one of them that it reads back. */
#ifndef BIPE_TOOLS_STATS_WRITE_H
#define BIPE_TOOLS_STATS_WRITE_H

#include <stdbool.h>

#include "base/output.h"
#include "tools/stats_result.h"

/* JSON has files in a list of their own and groups among the results; CSV has both in rows before those of all, tables in lines or columns.
 * Failures to write stay in the output. histogram: instead of rows of numbers, a row for each value of a quantity and how often it was seen. */
void stats_write_json(const stats_report *report, bipe_output *output);
void stats_write_csv(const stats_report *report, bool histogram, bipe_output *output);

/* How a table is to look. */
typedef struct stats_look {
    size_t width;  /* columns */
    bool blocks;   /* Unicode block characters for bars; otherwise # */
    bool colour;
} stats_look;

/* 1234567 -> "1,234,567", which is returned. */
enum { STATS_CELL_SIZE = 32 };
const char *stats_format_count(char cell[STATS_CELL_SIZE], uint64_t value);

void stats_write_table(const stats_report *report, stats_look look, bipe_output *output);

/* Reads what stats_write_json() wrote, from a path ("-": standard input); everything is checked. Error texts name the file and
 * the key. BIPE_ERR_FORMAT: not such a result; BIPE_ERR_ARGUMENT: one of another version; or as bipe_input_read(). The
 * result is the caller's to close, also after an error. */
int stats_load(stats_result *result, const char *path, bipe_error *err);

#endif
