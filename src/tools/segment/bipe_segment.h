/* bipe_segment.h - declarations shared by the parts of bipe-segment: formats, the walk over batches of a stream that
 * drives them, rows that wait. The walk cuts batches into segments and counts their tokens; a format only sees pieces
 * of text and ends of segments. Functions that print return no status: a failure stays in writer->error, which is
 * looked at once for each batch. */
#ifndef BIPE_TOOLS_SEGMENT_BIPE_SEGMENT_H
#define BIPE_TOOLS_SEGMENT_BIPE_SEGMENT_H

#include "base/buffer.h"
#include "base/jobs.h"
#include "base/output.h"
#include "base/spool.h"
#include "cli/record_filter.h"
#include "cli/segment_blank.h"
#include "measure/stream.h"
#include "plot/look.h"
#include "token/tokenizer.h"

typedef struct segment_writer segment_writer;
typedef struct segment_kwic segment_kwic;

/* ---- columns of tables: segment_columns.c ---- */

/* Numbers first, then texts. */
typedef enum segment_column {
    SEGMENT_DOCUMENT, SEGMENT_INDEX, SEGMENT_START, SEGMENT_END, SEGMENT_TOKENS, SEGMENT_TOKEN, SEGMENT_ID,
    SEGMENT_INTRA, SEGMENT_INDEX2, SEGMENT_INTRA2, SEGMENT_INDEX3, SEGMENT_INTRA3, SEGMENT_INDEX4, SEGMENT_INTRA4,
    SEGMENT_NUMBERS,
    SEGMENT_FILE = SEGMENT_NUMBERS, SEGMENT_TEXT, SEGMENT_LEFT, SEGMENT_MATCH, SEGMENT_RIGHT, SEGMENT_LANGUAGE,
    SEGMENT_COLUMNS
} segment_column;
_Static_assert(SEGMENT_NUMBERS - SEGMENT_INDEX2 == 2 * (BIPE_LEVELS - 1), "two columns for each coarser level");

/* What a row is about. */
typedef enum segment_row_kind { SEGMENT_ROWS, SEGMENT_TOKEN_ROWS, SEGMENT_MATCH_ROWS } segment_row_kind;

/* How it is written. */
typedef enum segment_syntax { SEGMENT_TSV, SEGMENT_CSV, SEGMENT_JSON } segment_syntax;

/* What comes before a field. All bytes are copied at once. */
enum { SEGMENT_BEFORE = 16 };
typedef struct segment_before {
    char text[SEGMENT_BEFORE];
    size_t size;
} segment_before;

typedef struct segment_columns {
    segment_row_kind rows;
    segment_syntax syntax;
    size_t levels;   /* of the segmenter: each has columns */
    size_t count;
    segment_column column[SEGMENT_COLUMNS];
    segment_before before[SEGMENT_COLUMNS]; /* each */
} segment_columns;

/* Syntax and levels are set before. names: separated by commas; NULL: the default of the rows. choice: a column of
 * tokens makes rows of tokens of those of segments. ids: rows end with "record" (segment_ids.c), which may be named as
 * the last one. languages: the segmenter chooses one for each document, which is a column by default.
 * BIPE_ERR_ARGUMENT names what was expected. */
int segment_columns_choose(segment_columns *columns, segment_row_kind rows, const char *names, bool choice, bool ids,
                           bool languages, bipe_error *err);
bool segment_has_column(const segment_columns *columns, segment_column column);
void segment_columns_header(segment_writer *writer);

/* ---- formats: segment_text.c, segment_table.c, segment_rows.c ---- */

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
    /* Whole segments at once, instead of text and segment for each. It may change the place and tokens. Only without
     * squeeze and trim. NULL: they are taken one by one. */
    void (*segments)(segment_writer *writer, const segment_stretch *stretch);
    /* The tokens of a batch, instead of text and segment. */
    void (*tokens)(segment_writer *writer, const bipe_batch *batch);
    /* An error ended the document: what was printed of the present segment is brought to an end. */
    void (*broken)(segment_writer *writer);
} segment_format;

extern const segment_format segment_format_lines, segment_format_nul, segment_format_table, segment_format_token_table,
    segment_format_words, segment_format_count, segment_format_count_tokens, segment_format_kwic;

/* Appends a text as a field to a buffer: of TSV with tab, newline, carriage return and backslash as \t \n \r \\; of CSV
 * in quotes, which are doubled within, where it needs them; a string of JSON. Bytes that are not UTF-8 become U+FFFD.
 * Fills *err when it fails. */
void segment_put_field(bipe_buffer *buffer, const char *text, segment_syntax syntax, bipe_error *err);

/* A row of a match, by its place in the document, with the text before it, its own and the text after it. */
void segment_table_match(segment_writer *writer, uint64_t start, uint64_t end, const bipe_buffer text[3]);

/* ---- matches of a pattern in their context: segment_kwic.c ---- */

typedef struct segment_kwic_options {
    const char *pattern;
    bool count;         /* matches are only counted; */
    bool lines;         /* or printed for people, or as rows */
    bipe_look look;     /* of lines; its width is that of each context otherwise */
    size_t label;       /* columns for the name of the file, if there are `names`, and the number of the document; 0: no
                           label */
    bool names;
    size_t folder;      /* bytes of the folder that all names have in common, which labels leave out */
} segment_kwic_options;

/* The pattern must outlive it. BIPE_ERR_ARGUMENT: it is none, or matches no text. */
int segment_kwic_open(segment_kwic **kwic, const segment_kwic_options *options, bipe_error *err);
void segment_kwic_close(segment_kwic *kwic); /* NULL is allowed */

/* ---- the walk: segment_writer.c ---- */

/* Where the walk is. */
typedef struct segment_place {
    const char *file;   /* as given on the command line */
    uint64_t document;
    uint64_t index, start, end; /* of the present segment */
    uint64_t token, token_at[2 * BIPE_LEVELS]; /* of the next token (tokens): bipe_place_close() */
} segment_place;

/* White space of the present segment that is folded or trimmed. */
typedef struct segment_tidy {
    bool filled; /* there was something else */
    bool white;  /* it ends with white space, */
    bool plain;  /* which is one space, */
    uint64_t at; /* from here on in the spool */
    uint8_t partial[4]; /* (partial_size) a character that is not complete yet */
    size_t partial_size;
} segment_tidy;

struct segment_writer {
    const segment_format *format;
    bipe_output *output;
    bipe_spool *spool;  /* text that cannot be printed yet */
    const segment_columns *columns; /* of tables */
    bipe_error error;   /* of output, spool or memory; BIPE_OK: none so far */
    bool squeeze;       /* segments of white space alone are left out, */
    bool fold;          /* and white space within the others is shown as one space */
    bool trim;          /* white space at both ends is not shown */
    segment_place at;
    const char *language; /* that the segmenter chose for the document; NULL: none */
    /* The present segment. */
    uint64_t tokens;
    segment_blank blank;
    segment_tidy tidy;
    segment_kwic *kwic; /* of the format kwic */
    bool records;       /* the present file is JSON Lines, for people */
    bipe_error problem; /* the rest of the document cannot be searched; BIPE_OK: none */
    bool begun;         /* something of it has been printed */
    bool newline, carriage_return; /* lines: held until it is known whether the segment goes on, or a newline follows */
    /* Rows: what all of the present document begin with; empty: not made yet. */
    bipe_buffer head;
    uint64_t *counts;   /* (count_capacity) tokens of whole segments */
    size_t count_capacity;
    uint64_t printed, blanks; /* segments of the present file (or tokens that are counted) that were not left out, and
                                 segments of white space alone */
    uint64_t matches;   /* of the format kwic in the present file */
};

/* Opens the spool and writes the header of the format. Format, output, columns, squeeze, fold and trim are the
 * caller's. */
int segment_writer_open(segment_writer *writer, bipe_error *err);
void segment_writer_close(segment_writer *writer);
void segment_writer_begin_file(segment_writer *writer, const char *file);
/* A document begins. */
void segment_writer_begin(segment_writer *writer, uint64_t document);
/* The next stretch of it; the text is needed where the format wants it and with squeeze. */
void segment_writer_batch(segment_writer *writer, const bipe_batch *batch);
/* The document could not be read to its end. */
void segment_writer_break(segment_writer *writer);

/* Appends a piece of the present segment to the spool as it is to be shown; at its end, takes away what is to be left
 * out of it. */
void segment_tidy_append(segment_writer *writer, const uint8_t *bytes, size_t size);
void segment_tidy_end(segment_writer *writer);
/* Leaves white space at both ends out. */
void segment_trim(const uint8_t **bytes, size_t *size);

/* Passes the whole spool in pieces of whole characters, of up to SEGMENT_REPLAY bytes, to `print`, and empties it;
 * *err: filled when it fails. */
enum { SEGMENT_REPLAY = 1 << 14 };
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
    segment_syntax syntax; /* of rows */
} segment_ids;

/* Zero-initialise, then set the syntax; close in any case. */
int segment_ids_open(segment_ids *ids, bipe_output *output, bipe_error *err);
/* Rows that wait go out, each with an id at its end; NULL: none. Fills *err when it fails. */
void segment_ids_release(segment_ids *ids, const char *id, bipe_error *err);
void segment_ids_close(segment_ids *ids);

/* ---- all files, in their order: segment_files.c ---- */

typedef struct segment_run {
    bipe_tool *tool;
    bipe_stream_options stream;
    bool busy;                    /* as in bipe_stream_sharing */
    const segment_format *format;
    segment_columns columns;
    bool squeeze, fold, trim;     /* as in segment_writer */
    bool count;                   /* a line for each file with the number of its segments, tokens or matches */
    segment_kwic *kwic;    /* NULL: no matches are looked for */
    bool records;                 /* all files are JSON Lines, whatever their names */
    bipe_files files;
    bool ids;                     /* each row ends with the id of its record, which is member 0 of the stream; only with
                                     rows */
    bipe_output *output;
} segment_run;

/* Prints the segments of all files. The tool reports inputs that cannot be read, and the rest is done; an error status
 * says why the work ended early (BIPE_STOPPED: nobody reads the output any more). */
int segment_run_files(const segment_run *run, bipe_error *err);

/* Prints a list of abbreviations learned from the text of all files, which no segmenter needs to see. The same
 * statuses: segment_learn.c. */
int segment_learn(const segment_run *run, bipe_error *err);

/* Writes each record again with the list of its segments. The same statuses: segment_records.c. Before that, the check:
 * BIPE_ERR_ARGUMENT where the options make no sense. */
int segment_check_records(const bipe_record_options *given, const char *field, bipe_error *err);
int segment_records(const segment_run *run, const bipe_record_options *given, bipe_error *err);

#endif
