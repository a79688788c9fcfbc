/* stream.h - <bipe/streams.h>, and the internal functions of streams. */
#ifndef BIPE_MEASURE_STREAM_H
#define BIPE_MEASURE_STREAM_H

#include <bipe/streams.h>

#include "base/jobs.h"
#include "base/status.h"
#include "model/scheme.h"
#include "segment/segmentation.h"
#include "text/document.h"
#include "token/tokenizer.h"

/* What a program knows about its streams together. Zero-initialise; what it points to must outlive the stream. */
typedef struct bipe_stream_sharing {
    bipe_jobs *jobs; /* threads that streams with the same tokenizer share, of bipe_stream_jobs_open(); NULL: its own */
    bool busy;       /* all processors are busy: zstd files are decompressed in the calling thread */
    bool records;    /* the bytes of records are kept: bipe_stream_record() */
    /* Whether to read a document, by index of input and of document, from 0; called while reading ahead. NULL: all. */
    bool (*wants)(void *context, size_t input, uint64_t document);
    void *context;
} bipe_stream_sharing;

/* The level of a token that closes a segment: closes[segmenter][number]. */
static inline size_t bipe_batch_level(const bipe_batch *batch, size_t segmenter, size_t number)
{
    return batch->close_levels != NULL && batch->close_levels[segmenter] != NULL
               ? batch->close_levels[segmenter][number]
               : 1;
}

/* place: the indices of the next token, in the order of bipe_positions(). A segment of this level, and with it those of
 * all finer ones, ends before the token. */
static inline void bipe_place_close(uint64_t place[2 * BIPE_LEVELS], size_t level)
{
    for (size_t l = 0; l < level; l++) {
        place[2 * l]++;
        place[2 * l + 1] = 0;
    }
    if (level < BIPE_LEVELS)
        place[2 * level + 1]++;
}

/* As bipe_stream_open(). */
int bipe_stream_open_shared(bipe_stream **stream, const bipe_stream_options *options,
                            const bipe_stream_sharing *sharing, bipe_error *err);
/* Close with bipe_jobs_close(). */
int bipe_stream_jobs_open(bipe_jobs **jobs, size_t threads, bipe_error *err);

/* Opens the documents of an input as the options say, for a caller that wants their text alone; close them with
 * bipe_documents_close(). */
int bipe_stream_documents(bipe_documents **documents, const char *path, const bipe_stream_options *options,
                          bipe_error *err);

/* Several inputs, read in advance: bipe_stream_next_input() goes from one to the next. The list must outlive the
 * stream. */
void bipe_stream_inputs(bipe_stream *stream, const char *const *path, size_t count);
/* BIPE_OK, BIPE_END (no more inputs), or an error: this input cannot be opened; the next call continues. */
int bipe_stream_next_input(bipe_stream *stream, bipe_error *err);

/* As bipe_stream_input(), for texts in memory: each is a document. They must outlive the reading. */
int bipe_stream_texts(bipe_stream *stream, const bipe_memory_texts *texts, bipe_error *err);
/* BIPE_ERR_ARGUMENT: the SPEC of a segmenter that could be opened names ids that the tokenizer does not have. */
int bipe_stream_check_ids(const char *spec, const bipe_tokenizer *tokenizer, bipe_error *err);
/* BIPE_ERR_ARGUMENT: the scheme has a term on a level that the segmenter does not have; or the SPEC is invalid. */
int bipe_stream_check_scheme(const char *spec, const bipe_scheme *scheme, bipe_error *err);
/* As it was opened; specs and field are not kept. */
const bipe_stream_options *bipe_stream_options_of(const bipe_stream *stream);
uint64_t bipe_stream_document(const bipe_stream *stream); /* index in the input */
/* The record that the document that just ended, or that broke off with an error, was read from: its line, with the
 * newline; until the next call. NULL: it is not kept, has more than BIPE_RECORD_MOST bytes, or had not been read to its
 * end when a segmenter of tokens failed. */
const bipe_buffer *bipe_stream_record(const bipe_stream *stream);
/* What a segmenter chose for the document that the last batch is of, such as a language; empty: nothing fitted. NULL:
 * it does not choose. Lives until the stream is closed. */
const char *bipe_stream_choice(const bipe_stream *stream, size_t segmenter);
/* What may be wrong with an input whose documents have all been read. */
typedef struct bipe_stream_flaws {
    bool mostly_wrong;    /* it is mostly not UTF-8 */
    bool like_records;    /* it was read as plain text, which was not asked for, and looks like JSON Lines */
    const char *encoding; /* the encoding that it was decoded from; NULL: none */
    uint64_t wrong;       /* replacements of invalid bytes by U+FFFD */
    uint64_t first;       /* offset of the first of these in the input */
} bipe_stream_flaws;
const bipe_stream_flaws *bipe_stream_flaws_of(const bipe_stream *stream);
const bipe_input *bipe_stream_source(const bipe_stream *stream); /* the current input; NULL: none, or texts */
uint64_t bipe_stream_raw(const bipe_stream *stream);             /* raw bytes read of all inputs */

#endif
