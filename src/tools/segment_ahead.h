/* segment_ahead.h - rows of bipe-segment that the threads which tokenize a document make, too. The writer prints them in their
 * order, and what lies across the edges of their stretches it makes by itself. */
#ifndef BIPE_TOOLS_SEGMENT_AHEAD_H
#define BIPE_TOOLS_SEGMENT_AHEAD_H

#include "tools/segment_writer.h"

/* Whether what such a writer prints can be made ahead. */
bool segment_ahead_usable(const segment_writer *writer);
/* For the stream whose batches the writer gets; the writer outlives it. */
bipe_batch_maker segment_ahead_maker(segment_writer *writer);
/* As segment_writer_batch(), and of a batch with rows that have been made just prints these. */
int segment_ahead_batch(segment_writer *writer, const bipe_batch *batch, bipe_error *err);

#endif
