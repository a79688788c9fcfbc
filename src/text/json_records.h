/* json_records.h - the records of a JSON Lines input, the string in one member of each, and the values of a few others. For document.c alone.
 *
 * Strict JSON (RFC 8259), one object a line. Only those values of a record are kept: other members are checked and dropped, the string
 * is unescaped as it is read. */
#ifndef BIPE_TEXT_JSON_RECORDS_H
#define BIPE_TEXT_JSON_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"
#include "base/status.h"
#include "text/document.h"

typedef struct bipe_json_records bipe_json_records;

enum { BIPE_JSON_NAMES = 16 }; /* of a path, at most */

/* `input` stays the caller's and must live longer. `member` is copied: the name of the member with the text, or a path: "meta.body" is
 * a member of that name, or the member "body" of an object "meta", of at most BIPE_JSON_NAMES names. others: (count) members whose values
 * are kept, likewise. */
int bipe_json_records_open(bipe_json_records **records, bipe_input *input, const char *member, const char *const *others, size_t count,
                           bipe_error *err);

/* Goes to the next record that is not blank, up to the start of its text. BIPE_OK, BIPE_END, or an error; *final says that the
 * error is not one of this record but of the input. */
int bipe_json_records_next(bipe_json_records *records, bool *final, bipe_error *err);

/* Reads the text; *size is 0 only after its end, when the rest of the record has been found good. */
int bipe_json_records_read(bipe_json_records *records, uint8_t *bytes, size_t capacity, size_t *size, bool *final,
                           bipe_error *err);

/* The value of one of the others, of the record whose text has been read to its end; until the next record is begun. NULL: as
 * bipe_documents_value(). */
const char *bipe_json_records_value(const bipe_json_records *records, size_t number);

/* Records begun so far, broken ones too. */
uint64_t bipe_json_records_count(const bipe_json_records *records);
void bipe_json_records_close(bipe_json_records *records);

#endif
