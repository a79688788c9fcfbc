/* stream_state.h - what a stream is made of, for the files that it is written in: stream.c reads and feeds, stream_batch.c hands out,
 * stream_turn.c minds memory. */
#ifndef BIPE_MEASURE_STREAM_STATE_H
#define BIPE_MEASURE_STREAM_STATE_H

#include "measure/closes.h"
#include "measure/ids_input.h"
#include "measure/stream.h"
#include "measure/text_queue.h"
#include "measure/token_team.h"
#include "measure/turn.h"

/* One segmenter of the stream. */
typedef struct bipe_track {
    bipe_segmentation *segmentation;
    bool ended;         /* it knows that the document is over */
    size_t next;        /* boundaries before it have been handed out */
    bipe_closes closes; /* of the present batch */
    uint64_t *final;    /* the boundaries of a last batch, with the document's end */
    size_t final_capacity;
} bipe_track;

struct bipe_stream {
    const bipe_tokenizer *tokenizer; /* NULL: no tokens */
    bipe_token_team *team;
    bipe_track *tracks; /* (track_count) */
    size_t track_count;
    const uint32_t **closes;     /* (track_count) what a batch points to */
    size_t *close_count;         /* (track_count) */
    const uint64_t **boundaries; /* (track_count) */
    size_t *boundary_count;      /* (track_count) */
    const bipe_boundaries **found; /* (track_count) those of the segmentations */
    bool just_counts;
    const bipe_batch_maker *maker;
    bipe_token_counts counts;    /* of the present batch, when it is of a block */
    bipe_batch_before before;    /* with a maker: what was handed out of the document */
    bipe_document_kind kind;
    bipe_ids_kind ids_kind;
    bool any;                    /* as in the options */
    const char *encoding;        /* likewise */
    char *field;
    bool want_bytes;
    bool busy;                   /* as in the options */
    bipe_turn *turn;
    bool has_turn;
    bool claimed;                /* until the document is over, whatever is held back */
    bool large;                  /* it has had the turn in this document: lists may be long */

    char *name;                  /* of the input, for error texts */
    bipe_documents *documents;   /* exactly one of these two while there is an input */
    bipe_ids_input *ids;
    bool ids_done;               /* the one document of an ids input has been begun */

    bool reading;                /* a document is open */
    bool drained;                /* there is no more of it to be read */
    bool complete;               /* all of it has been fed */
    bool failed;                 /* it broke off: `failure` is reported when what came before is handed out */
    bool cut;                    /* a token could not be told: what comes before `cut_at` is handed out, then the failure reported */
    bool settled;                /* segmenters have told all that there is before it */
    uint64_t cut_at;
    bipe_error failure;
    uint64_t size;               /* bytes fed */
    uint64_t done;               /* bytes handed out */
    uint8_t *buffer;             /* (buffer_size) what was read last: [buffer_fed, buffer_filled) is still to be fed */
    size_t buffer_size, buffer_fed, buffer_filled;
    size_t team_fed;             /* [team_fed, buffer_fed) has been fed to segmenters alone */
    bool blocked;                /* because nothing goes into blocks before one is taken */
    bipe_text_queue late;        /* text that waits for segmenters before it goes to the team; */
    uint64_t late_size;          /* with `piece` */
    const uint8_t *piece;        /* (piece_size) the oldest of it, which has left the queue */
    size_t piece_size;
    bipe_text_queue text;        /* text that was read and is not handed out (want_bytes) */
    bipe_buffer ids_text;        /* the text of the ids read last */
    bipe_tokens tokens;          /* tokens not yet dropped; [token_head ..) are not handed out */
    size_t token_head;
    size_t token_decided;        /* tokens before it are decided */
    uint64_t reach;              /* end of the last of those: text up to there may be handed out */
    bipe_token_ends ends;        /* of the tokens of the present batch */
    size_t token_fed;            /* tokens before it have been fed to the segmenters that read tokens */
};

/* The offset up to which everything is decided. The last byte waits until more follows or the end is known. */
uint64_t bipe_stream_decided(const bipe_stream *stream);
/* Makes a batch of what is decided and not handed out, which may be nothing. */
int bipe_stream_fill(bipe_stream *stream, bipe_batch *batch, bipe_error *err);
/* Fills the rest of a block's batch where more than counts is wanted. */
int bipe_stream_fill_block(bipe_stream *stream, bipe_batch *batch, bipe_error *err);

/* Up to where segmenters of bytes have settled. */
uint64_t bipe_stream_settled(const bipe_stream *stream);
/* Gives back what batches pointed to, and lists that are longer than what is in them. */
void bipe_stream_trim_lists(bipe_stream *stream);
/* Before more is read or tokenized: waits as measure/turn.h says, if it must. */
void bipe_stream_take_turn(bipe_stream *stream);
/* The document is over: memory that was needed alone is given back before the turn is. Nothing is held by a token stream, and no token waits. */
void bipe_stream_give_turn(bipe_stream *stream);
/* The same in the middle of a document that goes on in blocks, if that may be. */
void bipe_stream_give_turn_early(bipe_stream *stream);

#endif
