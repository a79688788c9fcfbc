/* json_records.h - the records of a JSON Lines input: the string in one member of each, and the values of a few others.
 * For document.c alone, but for bipe_json_record_find() and bipe_json_array_error().
 *
 * Strict JSON (RFC 8259), one object per line. The string is unescaped as it is read; other members are checked and
 * dropped. */
#ifndef BIPE_TEXT_JSON_RECORDS_H
#define BIPE_TEXT_JSON_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/input.h"
#include "base/status.h"

typedef struct bipe_json_records bipe_json_records;

/* input: the caller's; must outlive the reader. member: the member that holds the text, copied: a name, or a path of at
 * most BIPE_JSON_NAMES names ("meta.body" is a member of that name, or the member "body" of an object "meta"). others:
 * (count) members, named likewise, whose values are kept. */
int bipe_json_records_open(bipe_json_records **records, bipe_input *input, const char *member,
                           const char *const *others, size_t count, bipe_error *err);

/* Where a member goes in a record in memory. */
typedef struct bipe_json_span {
    size_t start, end; /* the bytes of its value; where it is to be inserted: start == end */
    bool first;        /* it is to be inserted into an empty object */
} bipe_json_span;

/* Checks a record, an object with blanks around it, and finds the value of a member of the object itself (of duplicates
 * the last), or the place after the last member. name: no path. BIPE_ERR_FORMAT names the byte, from 1. */
int bipe_json_record_find(const uint8_t *record, size_t size, const char *name, bipe_json_span *span, bipe_error *err);

/* The error of an input that begins with [ instead of a record, which is final: BIPE_ERR_UNSUPPORTED. */
int bipe_json_array_error(const bipe_input *input, bipe_error *err);

/* From now on the bytes of each record are kept: its line with the newline, from the first byte that is no blank line.
 * More than BIPE_RECORD_MOST are an error of the record, BIPE_ERR_LIMIT. Before the first record. */
void bipe_json_records_keep(bipe_json_records *records);
/* Those of a record that has been read to its end or is broken; until the next one. NULL: they are not kept, or the
 * record is too long or the input has failed. */
const bipe_buffer *bipe_json_records_kept(const bipe_json_records *records);

/* Goes to the start of the text in the next record; blank lines are skipped. BIPE_OK, BIPE_END, or an error; *final:
 * the error is one of the input, not of this record. */
int bipe_json_records_next(bipe_json_records *records, bool *final, bipe_error *err);

/* Reads the text; *size is 0 only after its end, when the rest of the record has been checked. */
int bipe_json_records_read(bipe_json_records *records, uint8_t *bytes, size_t capacity, size_t *size, bool *final,
                           bipe_error *err);

/* The value of one of the others in the record whose text has been read to its end, as bipe_documents_value(); valid
 * until the next record. */
const char *bipe_json_records_value(const bipe_json_records *records, size_t number);

/* Records begun so far, including broken ones. */
uint64_t bipe_json_records_count(const bipe_json_records *records);
void bipe_json_records_close(bipe_json_records *records);

#endif
