/* journal.h - the file of --resume: lines with checksums, only ever appended, so that an interrupted run continues
 * where it stopped. The contents of lines are the tool's.
 *
 *   TOOL-journal N               the first line
 *   set NAME VALUE               what results depend on, a line each
 *   ... CHECKSUM                 what was finished
 *
 * A torn last line is cut off. While a run has the file open, others are refused; where the file system has no locks,
 * a run that finds that another has written stops recording. */
#ifndef BIPE_CLI_JOURNAL_H
#define BIPE_CLI_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/output.h"
#include "base/status.h"

typedef struct bipe_journal bipe_journal;

/* Receives a line without its checksum, which it may change. BIPE_ERR_FORMAT, without a text: the line is damaged. */
typedef int bipe_journal_take(void *context, char *line, size_t size, bipe_error *err);

/* Opens or makes a journal, and gives all its lines to `take`. header: the first line and those of settings, an output
 * in memory, which is freed. BIPE_ERR_FORMAT when it is none, or names the setting that it was written with another
 * value of. */
int bipe_journal_open(bipe_journal **journal, const char *path, bipe_output *header, bipe_journal_take *take,
                      void *context, bipe_error *err);
const char *bipe_journal_path(const bipe_journal *journal);

/* A line of a header, "set NAME VALUE". Failures stay in the output here and below. */
void bipe_journal_setting(bipe_output *header, const char *name, const char *value);
/* Size and time of a model's file, or of the files of its folder (added up: their order is the system's). */
uint64_t bipe_journal_model_state(const char *path);
/* Text as a field: blanks, control characters and % become %XX. */
void bipe_journal_escape(bipe_output *line, const void *text, size_t size);
/* Appends the original of such a field. BIPE_ERR_FORMAT, without a text: an invalid field. */
int bipe_journal_unescape(bipe_buffer *text, const char *escaped, bipe_error *err);

/* Where the next line goes, without checksum and newline: bipe_journal_end() adds them, and returns the first
 * failure. */
bipe_output *bipe_journal_line(bipe_journal *journal);
int bipe_journal_end(bipe_journal *journal, bipe_error *err);
/* Syncs ended lines to disk. */
int bipe_journal_commit(bipe_journal *journal, bipe_error *err);
/* After an entry that could not be written nothing more is written, since entries must be consecutive. Returns
 * status. */
int bipe_journal_fail(bipe_journal *journal, int status);
bool bipe_journal_failed(const bipe_journal *journal);
void bipe_journal_close(bipe_journal *journal);

/* ---- the fields of a line, one after the other ---- */

typedef struct bipe_fields {
    const char *at;
    bool bad;
} bipe_fields;

/* Where the next field begins; "" and bad: there is none. */
const char *bipe_field_start(bipe_fields *fields);
uint64_t bipe_field_uint(bipe_fields *fields, int base);
/* The next field as text, in `text`. */
void bipe_field_text(bipe_fields *fields, char *text, size_t capacity);

#endif
