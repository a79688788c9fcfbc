/* segment_rows.h - rows of tokens that several threads put together, printed in order: each block of them is a job (base/jobs.h), which starts
 * from the numbers that its first row has. */
#ifndef BIPE_TOOLS_SEGMENT_ROWS_H
#define BIPE_TOOLS_SEGMENT_ROWS_H

#include "base/jobs.h"
#include "tools/segment_writer.h"

typedef struct segment_rows segment_rows;

/* writer: open; its format has `tokens`. stream: whose batches it gets, with these jobs. */
int segment_rows_open(segment_rows **rows, bipe_jobs *jobs, bipe_stream *stream, segment_writer *writer, bipe_error *err);
/* Instead of the format's tokens(): the writer's numbers of tokens go on. */
int segment_rows_batch(segment_rows *rows, const bipe_batch *batch, bipe_error *err);
/* Prints what has not been printed yet. */
int segment_rows_finish(segment_rows *rows, bipe_error *err);
/* NULL is allowed. */
void segment_rows_close(segment_rows *rows);

#endif
