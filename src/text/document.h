/* document.h - the documents of an input, one after the other, as streams of bytes.
 *
 * A plain input is one document. A JSON Lines input (recognized by its name: .jsonl or .ndjson, also
 * before .zst .gz .xz; or asked for) is one document a record: the string in the chosen field of the object
 * on each line, unescaped. Records are never held in memory: a string of 10 GB streams through. Asked for by the line or the block, each line of a
 * plain input, with its newline, or so many of them, are a document.
 * A broken record is an error that names record and byte; reading then goes on with the next line. */
#ifndef BIPE_TEXT_DOCUMENT_H
#define BIPE_TEXT_DOCUMENT_H

#include <bipe/documents.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"
#include "base/status.h"

typedef struct bipe_documents bipe_documents;

/* Opens `path` ("-": standard input). `field`: the JSON member that holds the text ("text"), or a path to it ("meta.body"). */
int bipe_documents_open(bipe_documents **documents, const char *path, bipe_document_kind kind,
                        const char *field, bipe_error *err);
/* Likewise, and the values of members (count), or of paths to them, are kept. */
int bipe_documents_open_members(bipe_documents **documents, const char *path, bipe_document_kind kind, const char *field,
                                const char *const *members, size_t count, bipe_error *err);
/* The value of one of the members in the present document, which has been read to its end; until the next document. A string is unescaped,
 * U+FFFD in place of NUL, a number, true or false as it is written; what is longer than BIPE_MEMBER_MOST bytes is cut, and "..." follows.
 * NULL: there is none, it is null, an object or a list, or the document is no record. */
enum { BIPE_MEMBER_MOST = 1024 };
const char *bipe_documents_value(const bipe_documents *documents, size_t number);

/* Whether the name of an input says that it is JSON Lines. */
bool bipe_documents_named_records(const char *path);

/* BIPE_ERR_ARGUMENT: `field` is a path of more names than can be followed, 16. */
int bipe_documents_check_field(const char *field, bipe_error *err);

/* As bipe_input_any(). */
void bipe_documents_any(bipe_documents *documents);
/* Leaves out one newline at the end of a plain input. */
void bipe_documents_trim(bipe_documents *documents);
/* The encoding that the input is decoded from, as in bipe_input_decode(). Default: NULL. */
void bipe_documents_decode(bipe_documents *documents, const char *encoding);
/* As bipe_input_busy(). */
void bipe_documents_busy(bipe_documents *documents);

/* Goes to the next document (skipping what is left of the present one). BIPE_OK, BIPE_END, or an
 * error. After BIPE_ERR_FORMAT from a JSON record the call may be repeated: it goes on with the next
 * record. Any other error is final: it is reported once, then comes BIPE_END. A plain input has exactly one document, possibly empty. */
int bipe_documents_next(bipe_documents *documents, bipe_error *err);

/* Reads bytes of the present document; *size is 0 only at its end. After an error the document is over. */
int bipe_documents_read(bipe_documents *documents, uint8_t *bytes, size_t capacity, size_t *size,
                        bipe_error *err);

/* Index of the present document in the input, from 0 (of JSON Lines: of the record; blank lines do not count). */
uint64_t bipe_documents_index(const bipe_documents *documents);
/* Whether documents are records, of which there may be any number. */
bool bipe_documents_are_records(const bipe_documents *documents);
/* Whether the beginning of what was read so far is mostly not UTF-8. */
bool bipe_documents_mostly_wrong(const bipe_documents *documents);
const bipe_input *bipe_documents_input(const bipe_documents *documents);
void bipe_documents_close(bipe_documents *documents);

#endif
