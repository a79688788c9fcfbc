/* document.h - the documents of an input, one after the other, as streams of bytes.
 *
 * A plain input is one document, or, on request, one document per line or per block of lines. A JSON Lines input (on
 * request, or by its name: .jsonl or .ndjson, also before .zst .gz .xz) is one document per record: the string in the
 * chosen member of the object on each line, unescaped. Records are never held in memory: a string of 10 GB streams
 * through. A broken record is an error that names record and byte; reading then continues with the next line. */
#ifndef BIPE_TEXT_DOCUMENT_H
#define BIPE_TEXT_DOCUMENT_H

#include <bipe/documents.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"

typedef struct bipe_documents bipe_documents;

/* Opens `path` ("-": standard input). field: the JSON member that holds the text ("text"), or a path to it
 * ("meta.body"). */
int bipe_documents_open(bipe_documents **documents, const char *path, bipe_document_kind kind,
                        const char *field, bipe_error *err);
/* Texts in memory. size: (count) in bytes; NULL: each text ends with a NUL. */
typedef struct bipe_memory_texts {
    const char *const *text; /* (count) */
    const size_t *size;
    size_t count;
} bipe_memory_texts;

/* Each is a document. They must outlive the documents, which have no input. */
int bipe_documents_open_texts(bipe_documents **documents, const bipe_memory_texts *texts, bipe_error *err);
/* As bipe_documents_open(); the values of `members` (count), names or paths, are kept. */
int bipe_documents_open_members(bipe_documents **documents, const char *path, bipe_document_kind kind,
                                const char *field, const char *const *members, size_t count, bipe_error *err);
/* The value of one of the members in the current document, which has been read to its end; valid until the next
 * document. Strings are unescaped, with U+FFFD for NUL; numbers, true and false are as written; values longer than
 * BIPE_MEMBER_MOST bytes are cut and end with
 * "...". NULL: the member is missing, null, an object or a list, or the document is not a record. */
const char *bipe_documents_value(const bipe_documents *documents, size_t number);

/* Whether the name of an input is one of JSON Lines. */
bool bipe_documents_named_records(const char *path);

/* BIPE_ERR_ARGUMENT: the path `field` has more than 16 names. */
int bipe_documents_check_field(const char *field, bipe_error *err);

/* The bytes of each record are kept (bipe_json_records_keep()); those of a document that has been read to its end, or
 * that is broken, until the next one. NULL: they are not. */
void bipe_documents_keep_records(bipe_documents *documents);
const bipe_buffer *bipe_documents_record(const bipe_documents *documents);

/* As bipe_input_any(). */
void bipe_documents_any(bipe_documents *documents);
/* Drops one newline at the end of a plain input. */
void bipe_documents_trim(bipe_documents *documents);
/* The encoding that the input is decoded from, as in bipe_input_decode(). Default: NULL. */
void bipe_documents_decode(bipe_documents *documents, const char *encoding);
/* As bipe_input_busy(). */
void bipe_documents_busy(bipe_documents *documents);

/* Goes to the next document, skipping the rest of the current one. BIPE_OK, BIPE_END, or an error. After
 * BIPE_ERR_FORMAT from a JSON record the next call continues with the next record. Any other error is final: it is
 * reported once, then BIPE_END follows. A plain input has at least one document, possibly empty. */
int bipe_documents_next(bipe_documents *documents, bipe_error *err);

/* Reads bytes of the current document; *size is 0 only at its end. After an error the document is over. */
int bipe_documents_read(bipe_documents *documents, uint8_t *bytes, size_t capacity, size_t *size,
                        bipe_error *err);

/* Puts all of the current document into `text`, which is emptied before. BIPE_ERR_LIMIT: it has more than `most`
 * bytes. */
int bipe_documents_read_whole(bipe_documents *documents, bipe_buffer *text, size_t most, bipe_error *err);

/* Index of the current document in the input, from 0; blank lines of JSON Lines do not count. */
uint64_t bipe_documents_index(const bipe_documents *documents);
/* Whether documents are records of JSON Lines, or otherwise parts of an input. */
bool bipe_documents_are_records(const bipe_documents *documents);
/* Whether the beginning of the input, as far as it was read, is mostly not UTF-8. */
bool bipe_documents_mostly_wrong(const bipe_documents *documents);
/* NULL: they are texts in memory. */
const bipe_input *bipe_documents_input(const bipe_documents *documents);
void bipe_documents_close(bipe_documents *documents);

#endif
