/* stream.h - <bipe/count.h>, and what programs do not see of streams. */
#ifndef BIPE_MEASURE_STREAM_H
#define BIPE_MEASURE_STREAM_H

#include <bipe/count.h>

#include "base/buffer.h"
#include "base/status.h"
#include "segment/segmentation.h"
#include "text/document.h"
#include "token/tokenizer.h"

uint64_t bipe_stream_document(const bipe_stream *stream); /* index in the input */
/* What a document has before a stretch, by its first segmenter. */
typedef struct bipe_batch_before {
    uint64_t tokens, closes;               /* tokens, and those of them that close a segment */
    uint64_t open;                         /* tokens behind the last of these */
    uint64_t boundaries;
} bipe_batch_before;

/* What threads that tokenize a document together make of its stretches. make() writes to `out`, which is empty, what it likes; it sees
 * neither the document's beginning nor its end, and is called in any thread and order, with a state that no other thread has. What it
 * reads of the context stays as it is while a document is read. */
typedef struct bipe_batch_maker {
    void *context;
    void *(*open)(void *context);          /* a state; NULL: memory is out */
    int (*make)(void *state, const bipe_batch *batch, const bipe_batch_before *before, bipe_buffer *out, bipe_error *err);
    void (*close)(void *state);
} bipe_batch_maker;

/* What was made of a batch. */
typedef struct bipe_batch_made {
    bipe_batch_before before;              /* what make() was told, */
    uint64_t offset;                       /* and where its stretch begins: the end is that of the batch */
    bipe_buffer text;
} bipe_batch_made;

/* Whether the threads of the options tokenize inputs from the next one on together; they do at first. */
void bipe_stream_share(bipe_stream *stream, bool share);
/* Called in another thread, whose stream `own` is, with the same tokenizer: it helps to tokenize what the stream reads until
 * that is released, once and for all. */
void bipe_stream_help(bipe_stream *stream, bipe_stream *own);
void bipe_stream_release(bipe_stream *stream);
/* Streams with a `turn` wait for each other: one that holds back much has it, mostly until its document is over, and others that would
 * do so wait in bipe_stream_read(), or all others where it is very much. So before its thread waits for others, and when it leaves a document
 * without going to the next, it gives the turn back in this way; nothing else happens. A thread may have one such stream that is being read. */
void bipe_stream_rest(bipe_stream *stream);
/* Who reads a document needs much memory for it, too: waits for the turn, which is then the stream's until the document is over. */
void bipe_stream_claim(bipe_stream *stream);
/* Between calls: gives back memory that it can get again when it goes on. */
void bipe_stream_trim(bipe_stream *stream);
/* Whether the input, as far as it was read, is mostly not UTF-8. */
bool bipe_stream_mostly_wrong(const bipe_stream *stream);
const bipe_input *bipe_stream_source(const bipe_stream *stream); /* for progress */

#endif
