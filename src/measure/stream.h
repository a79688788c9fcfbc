/* stream.h - documents as aligned streams: text, tokens, and for each segmenter the places where segments end.
 *
 * Pulls an input through tokenizer and segmenters in step and hands out what is decided for all of them: a token
 * when no segmenter can still put a boundary into it, text up to the end of the tokens that are decided (without a tokenizer:
 * as far as all segmenters have settled), in stretches of a bounded size. The end of a document is a boundary under every segmenter,
 * whether it was reported or not, unless the document is empty; the last bytes are therefore held until it is known that nothing follows.
 * Memory is bounded by the buffer size and by what tokenizer and segmenters hold back; text that waits goes to a temporary file. */
#ifndef BIPE_MEASURE_STREAM_H
#define BIPE_MEASURE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "segment/segmentation.h"
#include "text/document.h"
#include "token/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_stream bipe_stream;

typedef enum bipe_ids_kind { BIPE_IDS_NONE, BIPE_IDS_U16, BIPE_IDS_U32, BIPE_IDS_TEXT } bipe_ids_kind;

/* What a document has before a stretch, by its first segmenter. */
typedef struct bipe_batch_before {
    uint64_t tokens, closes;               /* tokens, and those of them that close a segment */
    uint64_t open;                         /* tokens behind the last of these */
    uint64_t boundaries;
} bipe_batch_before;

typedef struct bipe_batch bipe_batch;

/* What threads that tokenize a document together make of its stretches. make() writes to `out`, which is empty, what it likes; it sees
 * neither the document's beginning nor its end, and is called in any thread and order, with a state that no other thread has. What it
 * reads of the context stays as it is while a document is read. */
typedef struct bipe_batch_maker {
    void *context;
    void *(*open)(void *context);          /* a state; NULL: memory is out */
    int (*make)(void *state, const bipe_batch *batch, const bipe_batch_before *before, bipe_buffer *out, bipe_error *err);
    void (*close)(void *state);
} bipe_batch_maker;

typedef struct bipe_stream_options {
    const bipe_tokenizer *tokenizer;       /* NULL: no tokens wanted (segmenters must then read bytes) */
    const char *const *specs;              /* segmenters */
    size_t spec_count;
    bipe_document_kind documents;
    const char *field;                     /* JSON Lines member; NULL: "text" */
    bool any;                              /* inputs that are known not to be text are read all the same */
    const char *encoding;                  /* of inputs, as in bipe_input_decode(); must live as long as the stream */
    bipe_ids_kind ids;                     /* the input is token ids (little-endian, or decimal text) instead of text */
    bool want_bytes;                       /* batches carry the text */
    bool just_counts;                      /* of batches only token_count, closes, byte_count and last are wanted */
    const bipe_batch_maker *maker;         /* with one segmenter; NULL: nothing is made */
    bool busy;                             /* all processors have work: see bipe_input_busy() */
    size_t threads;                        /* that may tokenize a long document together, the caller's among them; 0: one */
    struct bipe_turn *turn;                /* of the streams that share it only one at a time holds back much (turn.h); NULL: each as it likes */
} bipe_stream_options;

/* What was made of a batch. */
typedef struct bipe_batch_made {
    bipe_batch_before before;              /* what make() was told, */
    uint64_t offset;                       /* and where its stretch begins: the end is that of the batch */
    bipe_buffer text;
} bipe_batch_made;

/* A stretch of the present document. Pointers are the stream's and live until the next call.
 * Every token that starts in the stretch is in its batch; one that stands for nothing at the end of the document is in the last. An array
 * of a count of 0 may be NULL. */
struct bipe_batch {
    const bipe_token *tokens;              /* (token_count), continuing the document's tokens; NULL with just_counts */
    size_t token_count;
    const uint32_t *const *closes;         /* closes[s][c]: numbers in the batch, rising, of the tokens that close segments of s */
    const size_t *close_count;             /* [s] */
    const uint8_t *bytes;                  /* (byte_count) text from byte_offset on; NULL unless want_bytes */
    size_t byte_count;                     /* counted with and without want_bytes */
    uint64_t byte_offset;
    const uint64_t *const *boundaries;     /* boundaries[s][b]: byte offsets in (byte_offset, byte_offset + byte_count];
                                              the end of the document is always among them (none when it is empty); NULL with just_counts */
    const size_t *boundary_count;          /* [s] */
    bool last;                             /* the document ends with this batch */
    const bipe_batch_made *made;           /* NULL: nothing was made of it */
};

/* The segmenters are opened once and used for any number of inputs. The tokenizer must outlive the stream.
 * BIPE_ERR_ARGUMENT: a SPEC makes no sense, or reads tokens and there is no tokenizer, or ids and there is
 * no vocabulary, or `ids` without a vocabulary. */
int bipe_stream_open(bipe_stream **stream, const bipe_stream_options *options, bipe_error *err);
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
/* Goes to another input ("-": standard input), leaving the present one. */
int bipe_stream_input(bipe_stream *stream, const char *path, bipe_error *err);
/* As bipe_documents_next(): BIPE_OK, BIPE_END, or an error that leaves the other documents readable when it is
 * BIPE_ERR_FORMAT of a record or BIPE_ERR_LIMIT of a segmenter or tokenizer. Error texts start with the input's name. */
int bipe_stream_next_document(bipe_stream *stream, bipe_error *err);
uint64_t bipe_stream_document(const bipe_stream *stream); /* index in the input */
/* The next stretch; every document ends with a batch whose `last` is true (possibly empty otherwise). BIPE_END when there
 * is no document to read; after an error the document is over. Where the input broke off, what came before is handed out
 * first, without a batch that is `last`, and the error comes then. */
int bipe_stream_read(bipe_stream *stream, bipe_batch *batch, bipe_error *err);
/* Whether the input, as far as it was read, is mostly not UTF-8. */
bool bipe_stream_mostly_wrong(const bipe_stream *stream);
const bipe_input *bipe_stream_source(const bipe_stream *stream); /* for progress */
void bipe_stream_close(bipe_stream *stream);

/* n and i of the tokens of a window (L), from whether each closes its segment. segment, intra: (L) out. */
void bipe_positions(const uint8_t *closes, size_t length, uint32_t *segment, uint32_t *intra);

#ifdef __cplusplus
}
#endif
#endif
