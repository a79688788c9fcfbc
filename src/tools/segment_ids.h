/* segment_ids.h - the rows of a document, which wait until the id of its record is known: a record may name it after its text. */
#ifndef BIPE_TOOLS_SEGMENT_IDS_H
#define BIPE_TOOLS_SEGMENT_IDS_H

#include <stdbool.h>

#include "base/output.h"
#include "base/spool.h"

typedef struct segment_ids {
    bipe_output *rows;   /* where rows are to be written; they wait in memory, or on disk when they are many */
    bipe_output *output; /* where they go */
    bipe_spool *spool;
    bool json;           /* rows are JSON objects; otherwise their columns are divided by tabs */
} segment_ids;

/* Zero-initialise; close in any case. */
int segment_ids_open(segment_ids *ids, bipe_output *output, bool json, bipe_error *err);
/* Rows that wait go out, each with an id at its end; NULL: none. */
int segment_ids_release(segment_ids *ids, const char *id, bipe_error *err);
void segment_ids_close(segment_ids *ids);

#endif
