/* pretoken_starts.h - where pre-tokens start, found for 64 bytes at once: the fast twin of pretoken_scan.h. */
#ifndef BIPE_TOKEN_PRETOKEN_STARTS_H
#define BIPE_TOKEN_PRETOKEN_STARTS_H

#include "token/pretoken/pretoken_masks.h"
#include "token/pretoken/pretoken_parts.h"
#include "token/pretoken/pretoken_scan.h"

enum {
    BIPE_STARTS_MOST = 64 * BIPE_MASK_WORDS, /* bytes that one call looks at */
    BIPE_STARTS_SLACK = 80,                  /* bytes behind a text that are read, whatever they are */
    BIPE_STARTS_ROOM = BIPE_STARTS_MOST + 16
};

/* text[at .. size) begins with a pre-token and goes on behind `size` in a way that is not known; BIPE_STARTS_SLACK bytes behind it may be
 * read. Returns how many pre-tokens, or parts of these (NULL: they have none), were found, n; they are [start[k], start[k + 1]) for k < n,
 * start[0] is `at`, and with start[n] a pre-token ends. start: room for BIPE_STARTS_ROOM. What is not found (at the end of the text; what this
 * file does not do) is for bipe_pretoken_scan_run(). */
size_t bipe_pretoken_starts(const bipe_split_rule *rule, const bipe_char_classes *classes, const bipe_pretoken_parts *parts,
                            const bipe_text_masker *masker, const uint8_t *text, size_t at, size_t size, uint32_t *start);

#endif
