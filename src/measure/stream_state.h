/* stream_state.h - the state of a stream. stream_read.c reads inputs into blocks; stream.c has them tokenized and returns batches. */
#ifndef BIPE_MEASURE_STREAM_STATE_H
#define BIPE_MEASURE_STREAM_STATE_H

#include "base/buffer.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "measure/ids_input.h"
#include "measure/stream.h"

enum {
    BIPE_STREAM_BLOCK = 1 << 15,      /* bytes tokenized at once; the tokens stay in the cache */
    BIPE_STREAM_SLACK = 8             /* spare tokens in front of a block's, for those kept from the previous block */
};

/* The parts of a block, in order. */
typedef enum bipe_part_kind {
    BIPE_PART_INPUT, /* an input begins, or cannot be opened (error) */
    BIPE_PART_TEXT,  /* text of a document */
    BIPE_PART_ERROR, /* the document ends with an error, or cannot begin (`between`) */
    BIPE_PART_END    /* the input ends */
} bipe_part_kind;

typedef struct bipe_part {
    bipe_part_kind kind;
    const char *input;        /* its name */
    uint64_t document;
    bool record;              /* one of several documents of the input */
    uint64_t offset;          /* of its text in the document; */
    size_t text, size;        /* [text, text + size) of the block's */
    size_t token_end;         /* its tokens end before this one of the block's, and begin at the token_end of the previous part */
    size_t text_end;          /* its tokens up to the last one that is not empty */
    bool first, final, last;  /* the document begins with it; nothing follows; nothing is missing either */
    bool between;
    bool broken;              /* there is an error; where there is text, it comes after that */
    bool segmented;           /* segmenters of tokens have seen its tokens */
    char **value;             /* (member_count) of the document that it is the last of; NULL: none of them has one */
    bipe_stream_flaws flaws;  /* BIPE_PART_END */
    bipe_error *error;        /* NULL: memory is exhausted */
} bipe_part;

/* Offsets, rising within a document, and for each the token of its part that closes a segment there, as closes.h says. */
typedef struct bipe_offsets {
    uint64_t *offset;
    uint32_t *ends;
    size_t count, capacity, ends_capacity;
} bipe_offsets;

typedef struct bipe_block {
    bipe_job job;             /* tokenizes it */
    struct bipe_stream *stream;
    struct bipe_block *next;
    bipe_buffer text;
    bipe_tokens tokens;       /* the first BIPE_STREAM_SLACK are not its own; none where a thread has only counted them */
    bool tokenized;           /* by the thread that read it */
    bipe_part *part;          /* (part_count) */
    size_t part_count, part_capacity, text_parts; /* all, and those of text */
    bipe_offsets *boundary;   /* (tracks) of segmenters of bytes */
    size_t *boundary_end;     /* (part_count, tracks) where those of a part end */
    size_t boundary_end_capacity;
} bipe_block;

/* One segmenter of the stream. */
typedef struct bipe_track {
    bipe_segmentation *segmentation;
    bool tokens;              /* it reads tokens */
    bool closed;              /* the last held token that is not empty closes a segment of it */
    uint32_t *ends, *closes;  /* of the present batch (ends: of segmenters of tokens) */
    size_t ends_capacity, closes_capacity;
    uint64_t *final;          /* boundaries of a segmenter of tokens, with the document's end */
    size_t final_capacity;
} bipe_track;

typedef enum bipe_read_state {
    BIPE_READ_INPUT,    /* the next input is to be opened */
    BIPE_READ_DOCUMENT, /* the next document is to be begun */
    BIPE_READ_TEXT,     /* of a document */
    BIPE_READ_REST,     /* all of it has been read */
    BIPE_READ_NOTHING   /* there are no more inputs */
} bipe_read_state;

struct bipe_stream {
    /* As in the options. */
    const bipe_tokenizer *tokenizer;
    bipe_document_kind kind;
    bipe_ids_kind ids_kind;
    bool any, busy, trim;
    const char *encoding;
    char *field;
    bool (*wants)(void *context, size_t input, uint64_t document);
    void *context;
    const char *const *members; /* (member_count) */
    size_t member_count;
    bipe_track *tracks;       /* (track_count) */
    size_t track_count;
    bool token_tracks;        /* there are such as read tokens */
    bool counts;              /* tokens are counted alone */
    bipe_jobs *jobs;
    bool own_jobs;
    size_t block_size, buffer_size;

    /* Reading: inputs and the present document. */
    bipe_read_state state;
    const char *const *path;  /* (path_count) */
    char *single;             /* the one of bipe_stream_input() */
    size_t path_count, path_next;
    bipe_documents *documents; /* at most one of these two */
    bipe_ids_input *ids;
    bool ids_begun;
    uint64_t raw;             /* bytes of inputs before the present one */
    bipe_error failure;       /* how the document broke off; BIPE_OK: it did not */
    uint64_t size, start;     /* bytes of the document read; those before the part that is being filled, */
    size_t text;              /* whose text begins there in the block */
    bool first;               /* no part of the document is complete */
    bool cuts;                /* the tokenizer can be divided at all */
    bool serial;              /* the document goes through `whole`, because no place to cut was found, */
    uint64_t whole_fed;       /* up to here */
    bipe_token_stream *whole;
    size_t attempt;           /* bytes that are needed before a place to cut is looked for again */
    bipe_block *filling;      /* NULL: nothing is left over from the block before */

    /* Blocks on their way, in order. */
    bipe_block *oldest, *newest, *spare;
    size_t block_count;
    bool feeding_broken;      /* the rest of the document is not for segmenters of tokens */

    /* Returning batches. */
    size_t at;                /* the present part of the oldest block */
    bool given;               /* it has been returned */
    bool reading;             /* a document has begun and is not over */
    uint64_t document;
    bipe_stream_flaws flaws;  /* of the input that is over */
    bipe_tokens held;         /* tokens that cannot be returned yet: one that is not empty, and empty ones; or only their number */
    const uint32_t **closes, **ends; /* (track_count) the arrays of a batch */
    const uint64_t **boundaries;
    size_t *close_count, *boundary_count;
    bipe_error fatal;         /* the error that ended all reading; BIPE_OK: none */
};

/* Reads on until a block is full. *block: what was read; NULL: nothing is left. Errors of inputs and documents are parts of the block: BIPE_OK,
 * or BIPE_ERR_MEMORY. */
int bipe_stream_fill(bipe_stream *stream, bipe_block **block, bipe_error *err);
/* Removes all inputs. */
void bipe_stream_leave(bipe_stream *stream);
/* Takes an empty block, NULL: out of memory; and returns it. */
bipe_block *bipe_stream_new_block(bipe_stream *stream);
void bipe_stream_free_block(bipe_stream *stream, bipe_block *block);
/* Gives the part a copy of an error: of its document, with "NAME: document N: " in front, or one that says by itself where it is. */
void bipe_part_fail(bipe_part *part, bool place, const bipe_error *err);
/* Frees what the part points to. */
void bipe_part_free(bipe_part *part, size_t member_count);
#endif
