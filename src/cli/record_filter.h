/* record_filter.h - what --records does in every tool: the records of JSON Lines go through unchanged but for a member
 * of the tool's own, in order; those that --keep does not match are left out, and so are broken ones, unless they are
 * to pass. Not what is found out about a record: a row of columns (columns.h) that the tool fills. */
#ifndef BIPE_CLI_RECORD_FILTER_H
#define BIPE_CLI_RECORD_FILTER_H

#include "cli/columns.h"
#include "cli/tool_inputs.h"

/* What is given on the command line. Free keep with bipe_texts_free(). */
typedef struct bipe_record_options {
    bool records;
    const char *member; /* NULL: bipe */
    bipe_texts keep;
    int broken;         /* index into bipe_record_broken_words; -1: not given */
} bipe_record_options;

#define BIPE_RECORDS_NONE {.broken = -1}

extern const char *const bipe_record_broken_words[];

/* A condition of --keep. */
typedef struct bipe_record_condition {
    const bipe_column *column;
    int operation;
    double number;
} bipe_record_condition;

typedef struct bipe_record_filter {
    bipe_tool *tool;
    const bipe_record_options *given;
    const bipe_column *column; /* (columns) those of kind UINT and NUMBER can be asked for */
    size_t columns;
    bipe_record_condition *condition; /* (given->keep.count) */
    bipe_output *output;       /* the caller's, set before anything is written */
    bipe_output *json;
    bool open;                 /* the last line that was written had no newline at its end: that of a file */
    uint64_t records, written, broken; /* records: broken ones, too; written: not those */
    bipe_error first;          /* why the first broken one is */
} bipe_record_filter;

/* field: that of --field, or NULL. BIPE_ERR_ARGUMENT: a condition makes no sense, or the member would replace the text.
 * Close it in any case. */
int bipe_record_filter_open(bipe_record_filter *filter, bipe_tool *tool, const bipe_record_options *given,
                            const char *field, const bipe_column *column, size_t columns, bipe_error *err);

/* Writes a record with what its row says, if it is one to keep. */
int bipe_record_filter_write(bipe_record_filter *filter, const bipe_buffer *record, const void *row, bipe_error *err);
/* Counts a broken record, and writes it as it is where that was asked for. */
int bipe_record_filter_broken(bipe_record_filter *filter, const bipe_buffer *record, const bipe_error *problem,
                              bipe_error *err);

/* What a tool does with a stream of records. A status other than BIPE_OK ends the work. */
typedef struct bipe_record_taker {
    /* Reads the present document to its end, after which bipe_stream_record() has its record. *problem: why it broke
     * off. */
    int (*document)(void *context, bipe_stream *stream, bipe_error *problem, bipe_error *err);
    /* Instead of bipe_record_filter_broken(), where records before it have not been written yet; may be NULL. */
    int (*broken)(void *context, const bipe_buffer *record, const bipe_error *problem, bipe_error *err);
    void *context;
} bipe_record_taker;

/* Gives all records of the files to a taker. sharing->records must have been set when the stream was opened. Errors of
 * files, and of records that cannot be written as they are, are reported. */
int bipe_record_filter_files(bipe_record_filter *filter, bipe_stream *stream, bipe_files files,
                             const bipe_record_taker *taker, bipe_error *err);
/* Notes how many records were broken, and how many were kept. verb: "scored". None but broken ones are a failure. */
void bipe_record_filter_note(bipe_record_filter *filter, const char *verb);
void bipe_record_filter_close(bipe_record_filter *filter);

/* Rows of option tables. other_takes: options of the tool that go with --records, each after a blank; no_others: the
 * rule of those about the manner that do not, or NULL. what: is written. */
#define BIPE_RECORDS_TAKE "member keep broken field jsonl encoding recursive files-from files0-from"
/* The rule of --shard. */
#define BIPE_SHARD_NO_RECORDS "records: give each process FILEs of its own, or use parallel --pipe"
#define BIPE_OPTION_ROWS_RECORDS(given, other_takes, no_others, what) \
    {0, "records", BIPE_OPTION_FLAG, &(given)->records, .group = "Records", .takes = BIPE_RECORDS_TAKE other_takes, \
     .excludes = (no_others), \
     .help = "read JSON Lines and write the same records, in order and every other byte unchanged, with a member " \
             "bipe: " what}, \
    {0, "member", BIPE_OPTION_TEXT, &(given)->member, "NAME", .needs = "records", \
     .help = "the name of this member, which replaces one of that name; default: bipe"}, \
    {0, "keep", BIPE_OPTION_TEXTS, &(given)->keep, "CONDITION", .needs = "records", \
     .help = "write only records for which this holds, such as 'tokens>=50': a name in the member, one of < <= > >= " \
             "= !=, and a number; may be repeated, and then all must hold. A record whose value is null is dropped"}, \
    {0, "broken", BIPE_OPTION_CHOICE, &(given)->broken, "HOW", .choices = bipe_record_broken_words, \
     .needs = "records", \
     .help = "drop lines that are no JSON object with the text as a string in it, or let them pass as they are; they " \
             "are counted in a note, and --keep does not test them; default: drop"}

#endif
