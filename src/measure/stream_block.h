/* stream_block.h - blocks of a stream: text of inputs in parts, its boundaries, and the job that finds its tokens. */
#ifndef BIPE_MEASURE_STREAM_BLOCK_H
#define BIPE_MEASURE_STREAM_BLOCK_H

#include "base/buffer.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "measure/stream.h"

enum { BIPE_STREAM_BLOCK = 1 << 15 }; /* bytes tokenized at once; the tokens stay in the cache */

/* One segmenter of a stream: a level of a SPEC. */
typedef struct bipe_track {
    bipe_segmentation *segmentation;
    bool tokens; /* it reads tokens */
    /* Whether the last non-empty token of the current batch closes a segment: yes, no, or through a boundary in a later
     * part. */
    enum { BIPE_CLOSES, BIPE_OPEN, BIPE_CLOSES_LATER } last;
} bipe_track;

/* How a stream was opened. */
typedef struct bipe_stream_setup {
    bipe_stream_options options;
    bipe_stream_sharing sharing;
    bipe_track *tracks;       /* (track_count) */
    size_t track_count, track_capacity;
    size_t block_size, buffer_size;
} bipe_stream_setup;

/* The parts of a block, in order. */
typedef enum bipe_block_part_kind {
    BIPE_PART_INPUT,   /* an input begins, or cannot be opened (error) */
    BIPE_PART_TEXT,    /* text of a document; after it there may be an error, which ends the document */
    BIPE_PART_ERROR,   /* the document ends with an error */
    BIPE_PART_REFUSED, /* a document cannot begin (error) */
    BIPE_PART_END      /* the input ends */
} bipe_block_part_kind;

typedef struct bipe_block_part {
    bipe_block_part_kind kind;
    const char *input;        /* its name */
    uint64_t document;
    bool record;              /* one of several documents of the input */
    bool first, final, last;  /* the document starts here; no text follows; `final` and without an error */
    bool fed, segmented;      /* its tokens were passed to the token segmenters; the boundaries these found in it are in
                                 the block */
    uint64_t offset;          /* of its text in the document; */
    size_t text, size;        /* [text, text + size) of the block's */
    size_t first_token, token_count; /* among the block's tokens */
    size_t text_end;          /* number of tokens up to and including the last non-empty one */
    char **value;             /* (member_count) of the document that it is the last of; NULL: none of them has one */
    bipe_buffer record_bytes; /* the record of a document that ends here, also with an error, where records are kept */
    bipe_stream_flaws flaws;  /* BIPE_PART_END */
    bipe_error *error;        /* NULL: none */
} bipe_block_part;

/* Boundaries, increasing within a document, and for each the token of its part that closes a segment there, as closes.h
 * says. */
typedef struct bipe_offsets {
    uint64_t *offset;
    uint32_t *ends;
    size_t count, capacity, ends_capacity;
} bipe_offsets;

typedef struct bipe_boundary_range {
    size_t first, count;
    const char *choice; /* of the segmenter for the document: bipe_boundaries */
} bipe_boundary_range;

typedef struct bipe_block {
    bipe_job job;             /* run: NULL when there is none */
    const bipe_stream_setup *setup;
    struct bipe_block *next;
    bipe_buffer text;
    bipe_tokens tokens;
    bipe_block_part *part;    /* (part_count) */
    size_t part_count, part_capacity;
    size_t record_size;       /* bytes of all records that parts keep */
    bipe_offsets *boundary;   /* (track_count) */
    bipe_boundary_range *range; /* (part_count, track_count) the boundaries of a part */
    size_t range_capacity;
} bipe_block;

/* NULL: memory is exhausted. */
bipe_block *bipe_block_open(const bipe_stream_setup *setup);
void bipe_block_close(bipe_block *block);
/* Empties it. False: it has become too large to be kept. */
bool bipe_block_clear(bipe_block *block);

/* Adds a part. NULL: memory is exhausted. */
bipe_block_part *bipe_block_add(bipe_block *block, bipe_block_part_kind kind);
/* Gives the part a copy of an error. */
void bipe_block_part_fail(bipe_block_part *part, const bipe_error *err);
/* The same; the error is about its document, which is named. */
void bipe_block_part_fail_document(bipe_block_part *part, const bipe_error *err);

/* The tokens of a part of a text; NULL: there are none. */
const bipe_token *bipe_block_tokens(const bipe_block *block, const bipe_block_part *part);
/* The boundaries of a segmenter in a part. */
const uint64_t *bipe_block_boundaries(const bipe_block *block, size_t part, size_t track, const uint32_t **ends,
                                      size_t *count);
/* Moves those that the segmenter has found to the part; at the end of a document there is one in any case. */
int bipe_block_move_boundaries(bipe_block *block, size_t part, size_t track, bipe_error *err);
/* Finds the tokens of a part that close segments there. */
void bipe_block_find_ends(bipe_block *block, size_t part, size_t track);

/* The job: finds the tokens of all parts, and those that close segments of segmenters of bytes. */
void bipe_block_tokenize(bipe_job *job, void **scratch);
/* The same for a block whose reader has found the tokens. */
void bipe_block_finish_tokens(bipe_block *block);
/* Closes what a thread has kept. */
void bipe_block_close_scratch(void *scratch);

#endif
