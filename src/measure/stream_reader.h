/* stream_reader.h - reads inputs into blocks, and cuts them where segmenters of bytes have decided and the tokenizer
 * can be divided. */
#ifndef BIPE_MEASURE_STREAM_READER_H
#define BIPE_MEASURE_STREAM_READER_H

#include "measure/stream_block.h"

typedef struct bipe_reader bipe_reader;

/* The setup must outlive it. */
int bipe_reader_open(bipe_reader **reader, const bipe_stream_setup *setup, bipe_error *err);
/* Leaves the present inputs for others; the list must outlive them. */
void bipe_reader_inputs(bipe_reader *reader, const char *const *path, size_t count);
/* The same for texts in memory, which must outlive the reading; errors name them as "texts". */
void bipe_reader_texts(bipe_reader *reader, const bipe_memory_texts *texts);
/* Reads on until a block, empty before, is full; it stays empty when nothing is left. Errors of inputs and documents
 * are parts of the block: BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_reader_fill(bipe_reader *reader, bipe_block *block, bipe_error *err);
const bipe_input *bipe_reader_source(const bipe_reader *reader); /* the current input; may be NULL */
uint64_t bipe_reader_raw(const bipe_reader *reader);             /* raw bytes read of all inputs */
void bipe_reader_close(bipe_reader *reader);

#endif
