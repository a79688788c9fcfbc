/* pretoken_starts.h - where the pre-tokens of the well-known byte-level patterns start, found for 64 bytes at once,
 * without a regular-expression engine. PCRE2 (pre_split.c) is the plain twin, and takes over where this file stops.
 *
 * The patterns have no look-behind and their matches leave no gaps, so splitting can restart after any match as if the
 * text began there. Bytes that are not UTF-8 (with kana, also some characters) match nothing: a run of them is one
 * pre-token, and the text before it is split as if it ended there. */
#ifndef BIPE_TOKEN_PRETOKEN_STARTS_H
#define BIPE_TOKEN_PRETOKEN_STARTS_H

#include "token/pretoken/pretoken_classes.h"
#include "token/pretoken/pretoken_masks.h"
#include "token/pretoken/pretoken_parts.h"
#include "token/pretoken/pretoken_patterns.h"

enum {
    BIPE_STARTS_MOST = 64 * BIPE_MASK_WORDS, /* bytes that one call looks at */
    BIPE_STARTS_SLACK = 80,                  /* bytes after a text that are read, whatever they are */
    BIPE_STARTS_CAPACITY = BIPE_STARTS_MOST + 16
};

/* parts: of pre-tokens, which are given as pre-tokens then, or NULL.
 * text[at .. size) begins with a pre-token; the text after `size` is not known; BIPE_STARTS_SLACK bytes after it may be
 * read. Returns how many pre-tokens were found, n; they are [start[k], start[k + 1]) for k < n, start[0] is `at`.
 * start: of BIPE_STARTS_CAPACITY. 0 at the end of the text, and before something that this file does not do. */
size_t bipe_pretoken_starts(const bipe_split_rule *rule, const bipe_char_classes *classes,
                            const bipe_text_masker *masker, const bipe_pretoken_parts *parts, const uint8_t *text,
                            size_t at, size_t size, uint32_t *start);

#endif
