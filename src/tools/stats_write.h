/* stats_write.h - the three forms in which bipe-stats prints a report, and the one of them that it reads back. */
#ifndef BIPE_TOOLS_STATS_WRITE_H
#define BIPE_TOOLS_STATS_WRITE_H

#include <stdbool.h>

#include "base/output.h"
#include "tools/stats_result.h"

/* files: of --per-file. JSON has them in a list of its own, CSV in rows before those of all files, tables in lines. */
int stats_write_json(const stats_report *report, const stats_files *files, bipe_output *output, bipe_error *err);
int stats_write_csv(const stats_report *report, const stats_files *files, bipe_output *output, bipe_error *err);

/* How a table is to look. */
typedef struct stats_look {
    size_t width;  /* columns */
    bool blocks;   /* Unicode block characters for bars; otherwise # */
    bool colour;
} stats_look;

/* 1234567 -> "1,234,567", which is returned. */
enum { STATS_CELL_SIZE = 32 };
const char *stats_format_count(char cell[STATS_CELL_SIZE], uint64_t value);

int stats_write_table(const stats_report *report, const stats_files *files, stats_look look, bipe_output *output, bipe_error *err);

/* Reads what stats_write_json() wrote, from a path ("-": standard input); everything is checked. Error texts name the file and
 * the key. BIPE_ERR_FORMAT: not such a result; BIPE_ERR_ARGUMENT: one of another version; or as bipe_input_read(). The
 * result is the caller's to close, also after an error. */
int stats_load(stats_result *result, const char *path, bipe_error *err);

#endif
