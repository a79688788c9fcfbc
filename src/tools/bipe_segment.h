/* bipe_segment.h - declarations shared by the parts of bipe-segment: formats, the walk over batches of a stream that drives them, rows that wait.
 * The walk cuts batches into segments and counts their tokens; a format only sees pieces of text and ends of segments. Functions that print return no
 * status: a failure stays in writer->error, which is looked at once for each batch. */
#ifndef BIPE_TOOLS_BIPE_SEGMENT_H
#define BIPE_TOOLS_BIPE_SEGMENT_H

#include "base/buffer.h"
#include "base/jobs.h"
#include "base/output.h"
#include "base/spool.h"
#include "measure/stream.h"
#include "tools/segment_blank.h"
#include "tools/tool.h"

/* ---- formats: segment_text.c, segment_table.c ---- */

typedef struct segment_writer segment_writer;

/* Whole segments, one or more, of which the first begins at the writer's at.end with bytes[0]. */
typedef struct segment_stretch {
    const uint8_t *bytes;
    const uint64_t *boundaries, *counts; /* (count) their ends; their tokens, for formats that want them */
    size_t count;
} segment_stretch;

/* Prints a piece of a segment. */
typedef void segment_print(void *context, const uint8_t *bytes, size_t size);

/* A format. Functions may be NULL. */
typedef struct segment_format {
    const char *name;
    bool wants_tokens, wants_text;
    segment_print *print;            /* of formats that print text as it comes; context: the writer */
    void (*end)(segment_writer *writer); /* of these: prints the end of a segment */
    void (*header)(segment_writer *writer);
    /* Bytes of the present segment, in order; writer->blank is up to date with them. */
    void (*text)(segment_writer *writer, const uint8_t *bytes, size_t size);
    /* The present segment is complete: its index, start, end, tokens and blank are set. */
    void (*segment)(segment_writer *writer);
    /* Whole segments at once, instead of text and segment for each. It may change the place and tokens. Only without squeeze. NULL: they are
     * taken one by one. */
    void (*segments)(segment_writer *writer, const segment_stretch *stretch);
    /* The tokens of a batch, instead of text and segment. */
    void (*tokens)(segment_writer *writer, const bipe_batch *batch);
    /* An error ended the document: what was printed of the present segment is brought to an end. */
    void (*broken)(segment_writer *writer);
} segment_format;

extern const segment_format segment_format_lines, segment_format_nul, segment_format_jsonl, segment_format_tsv,
    segment_format_tokens, segment_format_count;

/* Appends a name as a TSV field: tab, newline, carriage return and backslash as \t \n \r \\. Fills *err when it fails. */
void segment_put_field(bipe_buffer *buffer, const char *text, bipe_error *err);

/* ---- the walk: segment_writer.c ---- */

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
    bipe_error error;   /* of output, spool or memory; BIPE_OK: none so far */
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
void segment_writer_batch(segment_writer *writer, const bipe_batch *batch);
/* The document could not be read to its end. */
void segment_writer_break(segment_writer *writer);

/* Passes the whole spool piece by piece to `print`, and empties it; *err: filled when it fails. */
void segment_replay(bipe_spool *spool, segment_print *print, void *context, bipe_error *err);

/* ---- rows of tokens that several threads put together, printed in order: segment_rows.c ---- */

/* Each block of them is a job (base/jobs.h), which starts from the numbers that its first row has. */
typedef struct segment_rows segment_rows;

/* writer: open; its format has `tokens`. */
int segment_rows_open(segment_rows **rows, bipe_jobs *jobs, segment_writer *writer, bipe_error *err);
/* Instead of the format's tokens(): the writer's numbers of tokens go on. */
void segment_rows_batch(segment_rows *rows, const bipe_batch *batch);
/* Prints what has not been printed yet. */
void segment_rows_finish(segment_rows *rows);
/* NULL is allowed. */
void segment_rows_close(segment_rows *rows);

/* ---- rows with the id of their record, which may come after its text: segment_ids.c ---- */

typedef struct segment_ids {
    bipe_output *rows;   /* where rows are to be written; they wait in memory, or on disk when they are many */
    bipe_output *output; /* where they go */
    bipe_spool *spool;
    bool json;           /* rows are JSON objects; otherwise their columns are divided by tabs */
} segment_ids;

/* Zero-initialise; close in any case. */
int segment_ids_open(segment_ids *ids, bipe_output *output, bool json, bipe_error *err);
/* Rows that wait go out, each with an id at its end; NULL: none. Fills *err when it fails. */
void segment_ids_release(segment_ids *ids, const char *id, bipe_error *err);
void segment_ids_close(segment_ids *ids);

/* ---- all files, in their order: segment_files.c ---- */

typedef struct segment_run {
    bipe_tool *tool;
    bipe_stream_options stream;
    const segment_format *format;
    bool squeeze;
    bool count;                   /* a line for each file with the number of its segments */
    bipe_files files;
    bool ids;                     /* each row ends with the id of its record, which is member 0 of the stream; only with rows */
    bipe_output *output;
} segment_run;

/* Prints the segments of all files. The tool reports inputs that cannot be read, and the rest is done; an error status says why the
 * work ended early (BIPE_END: nobody reads the output any more). */
int segment_run_files(const segment_run *run, bipe_error *err);

#endif
