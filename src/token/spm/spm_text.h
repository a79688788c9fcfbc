/* spm_text.h - SentencePiece's normalizer over a stream: user-defined symbols, the character map, spaces.
 *
 * At each place of the text a user-defined symbol is taken as it is; otherwise the longest string of the character map is
 * replaced; otherwise a character stays. Then spaces: with `squeeze` those at both ends go and of several the first
 * stays; the prefix (or suffix); what a space becomes. What is removed belongs to the character before it, what is
 * removed at an end to nothing, and of the characters that replace a string the last stands for all of its bytes. */
#ifndef BIPE_TOKEN_SPM_TEXT_H
#define BIPE_TOKEN_SPM_TEXT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "token/spm/charsmap.h"
#include "token/matcher.h" /* bipe_unit */
#include "token/spm/piece_trie.h"

/* Zero-initialised: nothing changes. */
typedef struct bipe_spm_rules {
    bipe_charsmap map;
    bipe_piece_trie symbols; /* user-defined symbols */
    bool dummy_prefix, squeeze;
    bool suffix;             /* the prefix is put behind the text instead */
    uint32_t space;          /* what a space becomes; ' ': it stays */
} bipe_spm_rules;

/* What a normalized character is given to; a broken byte is BIPE_BAD_BYTE + byte. */
typedef int bipe_unit_sink(void *context, bipe_unit unit, bipe_error *err);

/* The state of one stream. Zero-initialise. */
typedef struct bipe_spm_text {
    bipe_buffer held;        /* bytes that are not decided */
    bool started;            /* the text has begun: the prefix is out */
    bool after_space;
    bool holding;            /* `last` is a character that may still grow */
    bipe_unit last;
    uint32_t *blank;         /* squeeze: sizes of spaces (and of what looks like one) that are dropped when the text ends here */
    size_t blanks, blank_capacity;
    uint64_t gap;            /* bytes in front of the next character that stand for nothing; the consumer sets it to 0 */
} bipe_spm_text;

/* Forgets everything: a new text. */
void bipe_spm_text_begin(bipe_spm_text *text);
int bipe_spm_text_feed(bipe_spm_text *text, const bipe_spm_rules *rules, const uint8_t *bytes, size_t size,
                       bipe_unit_sink *sink, void *context, bipe_error *err);
/* As feed, for one who keeps what is not decided himself (nothing is held): takes from bytes[0 .. size) what is decided until `stop`
 * bytes or more are taken; *taken. */
int bipe_spm_text_take(bipe_spm_text *text, const bipe_spm_rules *rules, const uint8_t *bytes, size_t size, size_t stop,
                       bipe_unit_sink *sink, void *context, size_t *taken, bipe_error *err);
/* At a place that no string of the rules reaches across: what stands before it is decided. *even: it is given out as well, and what comes
 * becomes the same as behind any other such place, if it becomes anything. */
int bipe_spm_text_settle(bipe_spm_text *text, const bipe_spm_rules *rules, bipe_unit_sink *sink, void *context, bool *even,
                         bipe_error *err);
/* The text ends: gives out the rest; gap is then what was dropped at the end. The next text may begin. */
int bipe_spm_text_end(bipe_spm_text *text, const bipe_spm_rules *rules, bipe_unit_sink *sink, void *context,
                      bipe_error *err);
void bipe_spm_text_free(bipe_spm_text *text);
void bipe_spm_rules_free(bipe_spm_rules *rules);

#endif
