/* streams.h - documents as aligned streams: text, tokens, and for each segmenter the places where segments end.
 *
 * A stream reads inputs, passes their text to segmenters, cuts it into blocks at places where segmenters have decided
 * and tokens cannot change, has threads tokenize the blocks, and returns the results in order. It reads in advance,
 * across documents and inputs. The end of a document that is not empty is a boundary under every segmenter, reported or
 * not. A place that stays undecided for more than 2 MiB of text is an error, so memory is bounded. */
#ifndef BIPE_STREAMS_H
#define BIPE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bipe/documents.h>
#include <bipe/error.h>
#include <bipe/tokenize.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_stream bipe_stream;

/* Zero-initialise, then set what is needed. The struct, `specs` and `field` are needed only during bipe_stream_open();
 * tokenizer, encoding and members must outlive the stream. */
typedef struct bipe_stream_options {
    const bipe_tokenizer *tokenizer;       /* NULL: no tokens wanted (segmenters must then read bytes) */
    const char *const *specs;              /* segmenters; each may have several levels: "FINEST/COARSER/..." */
    size_t spec_count;
    bipe_document_kind documents;
    const char *field;                     /* JSON Lines member; NULL: "text" */
    bool any;                              /* read inputs even when they are recognized as something other than text */
    bool trim;                             /* one newline at the end of a plain input is dropped */
    const char *encoding;                  /* of the inputs, a name that iconv knows; a byte order mark overrides it;
                                              NULL: UTF-8 */
    bipe_ids_kind ids;                     /* the input is token ids (little-endian, or decimal text) instead of text */
    size_t threads;                        /* number of tokenizing threads, including the calling one; 0: one */
    const char *const *members;            /* (member_count) of JSON Lines records, or paths to them, whose values
                                              bipe_stream_member() gives */
    size_t member_count;
} bipe_stream_options;

/* The next stretch of a document. Pointers are the stream's and live until the next call. An array of a count of 0 may
 * be NULL.
 *
 * Bytes and tokens each continue those of the previous batch; the tokens are those of the bytes, which end with a
 * character. The last token may close a segment whose boundary comes with the next batch, in white space that the next
 * token begins with. */
typedef struct bipe_batch {
    const bipe_token *tokens;              /* (token_count) */
    size_t token_count;
    const uint32_t *const *closes; /* closes[s][c]: indices in `tokens`, increasing, of the tokens that close segments
                                      of segmenter s */
    const uint8_t *const *close_levels;    /* close_levels[s][c]: the coarsest level whose segment ends there, from 1
                                              on; NULL: s has one level */
    const size_t *close_count;             /* [s] */
    const uint8_t *levels;                 /* [s] how many levels it has; NULL: one each */
    const uint8_t *bytes;                  /* (byte_count) text from byte_offset on */
    size_t byte_count;
    uint64_t byte_offset;
    const uint64_t *const *boundaries;     /* boundaries[s][b]: byte offsets in (byte_offset, byte_offset + byte_count];
                                              the end of the document is always among them (none when it is empty) */
    const size_t *boundary_count;          /* [s] */
    const uint32_t *const *ends;           /* ends[s][b]: how many of the tokens belong to segments that end at boundary
                                              b or before */
    bool last;                             /* the document ends with this batch */
} bipe_batch;

/* Opens a stream for any number of inputs; the caller closes it, and only one thread may use it at a time.
 * BIPE_ERR_ARGUMENT: an invalid SPEC or field; a segmenter of tokens without a tokenizer; a segmenter of ids, or `ids`,
 * without a vocabulary. */
int bipe_stream_open(bipe_stream **stream, const bipe_stream_options *options, bipe_error *err);
/* Goes to another input ("-": standard input), leaving the present one. */
int bipe_stream_input(bipe_stream *stream, const char *path, bipe_error *err);
/* BIPE_OK, BIPE_END, or an error that leaves the other documents readable when it is
 * BIPE_ERR_FORMAT of a record or BIPE_ERR_LIMIT of a segmenter or tokenizer. Error texts start with the input's
 * name. */
int bipe_stream_next_document(bipe_stream *stream, bipe_error *err);
/* The next stretch; every document ends with a batch whose `last` is true (possibly empty otherwise). BIPE_END when
 * there is no document to read; after an error the document is over. Where the input breaks off, the text before is
 * returned first, without a batch that is `last`, and then the error. */
int bipe_stream_read(bipe_stream *stream, bipe_batch *batch, bipe_error *err);
/* The value of a member in the document that just ended with a batch whose `last` is true; until the next call. A
 * string is unescaped, with U+FFFD in place of NUL; a number, true or false is as it is written. Values are cut to 1024
 * bytes; "..." follows then. NULL: there is none, it is null, an object or a list, or the document is no record. */
const char *bipe_stream_member(const bipe_stream *stream, size_t number);
void bipe_stream_close(bipe_stream *stream);

/* Computes the indices of each token of a window under a segmenter of 1 to BIPE_LEVELS levels. closes: (length) the
 * coarsest level whose segment ends with the token, from 1 on; 0: none does. index: (2 * levels, stride) out: rows of
 * which the first `length` are filled: segment, intra, segment2, intra2, ... (<bipe/score.h>). */
void bipe_positions(const uint8_t *closes, size_t length, size_t levels, uint32_t *index, size_t stride);

#ifdef __cplusplus
}
#endif
#endif
