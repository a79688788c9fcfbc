/* stream.h - <bipe/count.h>, and what programs do not see of streams. */
#ifndef BIPE_MEASURE_STREAM_H
#define BIPE_MEASURE_STREAM_H

#include <bipe/count.h>

#include "base/jobs.h"
#include "base/status.h"
#include "segment/segmentation.h"
#include "text/document.h"
#include "token/tokenizer.h"

/* Threads for the `jobs` of several streams, which they outlive. Close with bipe_jobs_close(). */
int bipe_stream_jobs_open(struct bipe_jobs **jobs, size_t threads, bipe_error *err);

/* Tokens are counted alone: those of batches are NULL, unless a segmenter reads tokens. Before the first input. */
void bipe_stream_count_tokens(bipe_stream *stream);

/* Lets a job of the caller, which is put later, have the tokens of the last batch: they stay where they are, in an array that is `tokens` from now on
 * (empty before), and the thread that has made them is to run the job. False: the array has those of other batches too. */
bool bipe_stream_keep_tokens(bipe_stream *stream, bipe_tokens *tokens, bipe_job *job);
/* The array is given back by the job, which has these scratch data. */
void bipe_stream_return_tokens(void **scratch, bipe_tokens *tokens);

/* Several inputs, which are read ahead: bipe_stream_next_input() goes from one to the next. The list must stay where it is. */
void bipe_stream_inputs(bipe_stream *stream, const char *const *path, size_t count);
/* BIPE_OK, BIPE_END (there is none), or an error: the input cannot be opened, others may. */
int bipe_stream_next_input(bipe_stream *stream, bipe_error *err);

uint64_t bipe_stream_document(const bipe_stream *stream); /* index in the input */
/* What is wrong with the encoding of the input, all documents of which have been read. */
typedef struct bipe_stream_flaws {
    bool mostly_wrong;    /* it is mostly not UTF-8 */
    const char *encoding; /* from which it was decoded; NULL: it was not */
    uint64_t wrong;       /* how many times U+FFFD was put in place of bytes that are wrong in it */
    uint64_t first;       /* where the first of these are in the input */
} bipe_stream_flaws;
const bipe_stream_flaws *bipe_stream_flaws_of(const bipe_stream *stream);
const bipe_input *bipe_stream_source(const bipe_stream *stream); /* what is being read, for progress; NULL: nothing */
uint64_t bipe_stream_raw(const bipe_stream *stream);             /* raw bytes read of all inputs */

#endif
