/* regex_spans.h - runs the automaton of a program over a text in memory: each leftmost match, from left to right, with its start and end. */
#ifndef BIPE_TEXT_REGEX_SPANS_H
#define BIPE_TEXT_REGEX_SPANS_H

#include "text/regex_program.h"

typedef struct bipe_regex_spans bipe_regex_spans;

/* For programs that do not match nothing (bipe_regex_program_is_nullable()). */
int bipe_regex_spans_open(bipe_regex_spans **spans, const bipe_regex_program *program, bipe_error *err);
void bipe_regex_spans_close(bipe_regex_spans *spans);

/* A text, which stays the caller's. What was built for others before serves it as well. */
int bipe_regex_spans_begin(bipe_regex_spans *spans, const uint8_t *text, size_t size, bipe_error *err);
/* The next match: BIPE_OK with its place, BIPE_END when there is none. BIPE_ERR_LIMIT: the text was gone through too often. */
int bipe_regex_spans_next(bipe_regex_spans *spans, size_t *start, size_t *end, bipe_error *err);

/* For a text that comes in pieces, begun with none of it: text[0 .. size) is what is there by now, from what was dropped on; final: it
 * ends there. Until it is, BIPE_END means that more is needed for the next match. For programs that do not look back
 * (bipe_regex_program_looks_back()). */
void bipe_regex_spans_more(bipe_regex_spans *spans, const uint8_t *text, size_t size, bool final);
/* The first `size` bytes are gone: no more than those in front of the next match, or that are sure to be in it. */
void bipe_regex_spans_drop(bipe_regex_spans *spans, size_t size);
/* When more text is needed: *start, before which no other match starts, and *sure, up to which a match that starts there goes for certain
 * (*start: there may be none). */
void bipe_regex_spans_known(const bipe_regex_spans *spans, size_t *start, size_t *sure);
/* From now on each byte of a text is a character: the one with this code. */
int bipe_regex_spans_of_bytes(bipe_regex_spans *spans, const uint16_t code[256], bipe_error *err);

#endif
