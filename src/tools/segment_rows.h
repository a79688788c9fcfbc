/* segment_rows.h - rows of bipe-segment that several threads put together and that are printed in order. A call of a format with a whole
 * batch, or with whole segments, is kept with copies of what it reads; several are a job (base/jobs.h). */
#ifndef BIPE_TOOLS_SEGMENT_ROWS_H
#define BIPE_TOOLS_SEGMENT_ROWS_H

#include "base/jobs.h"
#include "tools/segment_writer.h"

/* writer: open; from now on it prints through the rows, which are printed to what was its output. The threads are those of the jobs. */
int segment_rows_open(segment_rows **rows, bipe_jobs *jobs, segment_writer *writer, bipe_error *err);
/* The writer's format->segments() of these. */
int segment_rows_segments(segment_rows *rows, const segment_stretch *stretch, bipe_error *err);
/* The tokens of a batch; the writer's numbers of tokens go on. */
int segment_rows_tokens(segment_rows *rows, const bipe_batch *batch, bipe_error *err);
/* The writer is about to print so many bytes by itself: many go straight to the output, and so does all up to the next call. */
int segment_rows_expect(segment_rows *rows, size_t size, bipe_error *err);
/* Prints what has not been printed yet, and gives the writer its output back. */
int segment_rows_finish(segment_rows *rows, bipe_error *err);
/* After segment_rows_finish(), or a failure. NULL is allowed. */
void segment_rows_close(segment_rows *rows);

#endif
