/* segment_writer.h - the output formats of bipe-segment, and the loop over batches of a stream that drives them.
 * The walk cuts batches into segments and counts their tokens; a format only sees pieces of text and ends of segments. */
#ifndef BIPE_TOOLS_SEGMENT_WRITER_H
#define BIPE_TOOLS_SEGMENT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/output.h"
#include "base/spool.h"
#include "measure/stream.h"
#include "tools/segment_blank.h"

typedef struct segment_writer segment_writer;

/* Whole segments, one or more, of which the first begins at the writer's at.end with bytes[0]. */
typedef struct segment_stretch {
    const uint8_t *bytes;
    const uint64_t *boundaries, *counts; /* (count) their ends; their tokens, for formats that want them */
    size_t count;
} segment_stretch;

/* A format. Functions return a status and may be NULL. */
typedef struct segment_format {
    const char *name;
    bool wants_tokens, wants_text;
    int (*header)(segment_writer *writer, bipe_error *err);
    /* Bytes of the present segment, in order; writer->blank is up to date with them. */
    int (*text)(segment_writer *writer, const uint8_t *bytes, size_t size, bipe_error *err);
    /* The present segment is complete: its index, start, end, tokens and blank are set. */
    int (*segment)(segment_writer *writer, bipe_error *err);
    /* Whole segments at once, instead of text and segment for each. It may change the place and tokens. Only without squeeze. NULL: they are
     * taken one by one. */
    int (*segments)(segment_writer *writer, const segment_stretch *stretch, bipe_error *err);
    /* The tokens of a batch, instead of text and segment. */
    int (*tokens)(segment_writer *writer, const bipe_batch *batch, bipe_error *err);
    /* An error ended the document: what was printed of the present segment is brought to an end. */
    int (*broken)(segment_writer *writer, bipe_error *err);
} segment_format;

extern const segment_format segment_format_lines, segment_format_nul, segment_format_jsonl, segment_format_tsv,
    segment_format_tokens, segment_format_count;

/* Where the walk is. */
typedef struct segment_place {
    const char *file;   /* as given on the command line */
    uint64_t document;
    uint64_t index, start, end; /* of the present segment */
    uint64_t token, token_segment, token_intra; /* of the next token (tokens) */
} segment_place;

struct segment_writer {
    const segment_format *format;
    bipe_output *output;
    bipe_spool *spool;  /* text that cannot be printed yet */
    bool squeeze;       /* segments of white space alone are left out */
    segment_place at;
    /* The present segment. */
    uint64_t tokens;
    segment_blank blank;
    bool begun;         /* something of it has been printed */
    bool newline, carriage_return; /* lines: held until it is known whether the segment goes on, or a newline follows */
    /* Rows: what all of the present document begin with; empty: not made yet. */
    bipe_buffer head;
    uint64_t *counts;   /* (count_capacity) tokens of whole segments */
    size_t count_capacity;
    uint64_t printed;   /* segments of the present file that were not left out */
};

/* Opens the spool and writes the header of the format. Format, output and squeeze are the caller's. */
int segment_writer_open(segment_writer *writer, bipe_error *err);
void segment_writer_close(segment_writer *writer);
void segment_writer_begin_file(segment_writer *writer, const char *file);
/* A document begins. */
void segment_writer_begin(segment_writer *writer, uint64_t document);
/* The next stretch of it; the text is needed where the format wants it and with squeeze. */
int segment_writer_batch(segment_writer *writer, const bipe_batch *batch, bipe_error *err);
/* The document could not be read to its end. */
int segment_writer_break(segment_writer *writer, bipe_error *err);

/* What a spool is read into. */
typedef int (*segment_print)(void *context, const uint8_t *bytes, size_t size, bipe_error *err);

/* Passes the whole spool piece by piece to `print`, and empties it. */
int segment_writer_replay(segment_writer *writer, segment_print print, void *context, bipe_error *err);

/* Appends a name as a TSV field: tab, newline, carriage return and backslash as \t \n \r \\. */
int segment_put_field(bipe_buffer *buffer, const char *text, bipe_error *err);

#endif
