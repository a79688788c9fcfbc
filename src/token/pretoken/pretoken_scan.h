/* pretoken_scan.h - where a pre-token of the well-known byte-level patterns ends, without a regular-expression engine: character by
 * character, in streams. The twin that works on 64 bytes at once is pretoken_starts.h; PCRE2 (pre_split.c) is the general way
 * and what tests compare with.
 *
 * None of the patterns looks behind, and each matches whatever comes: a text is the matches one behind the other, and what
 * follows the end of one is split as if the text began there. Bytes that are not UTF-8 match nothing (with kana, other characters, too):
 * a run of them is a pre-token, and what stands before such bytes is split as at the end of a text. */
#ifndef BIPE_TOKEN_PRETOKEN_SCAN_H
#define BIPE_TOKEN_PRETOKEN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/pretoken/pretoken_classes.h"

/* Which contractions ('s 't 're 've 'm 'll 'd) a pattern knows. */
typedef enum bipe_contractions {
    BIPE_CONTRACT_NONE,
    BIPE_CONTRACT_EXACT,    /* in lower case */
    BIPE_CONTRACT_ASCII,    /* in any case */
    BIPE_CONTRACT_FOLDED    /* and the long s (U+017F) for s */
} bipe_contractions;

/* A pattern as what it does. "Others" are characters that are no letters, numbers or white space. */
typedef struct bipe_split_rule {
    const char *pattern;            /* Oniguruma's syntax, as pretoken_patterns.h has it; with kana, of the last of three steps */
    bool gpt2;                      /* a space goes with the letters, numbers or others behind it. Without it: one character
                                     * that is neither letter, number nor newline goes with letters, a space with others;
                                     * newlines behind others go with them; white space is cut behind its last newline */
    bool apart;                     /* with it: the text is cut at the numbers before it is split */
    uint8_t numbers;                /* the most numbers together; 0: any number */
    bipe_contractions contractions;
    bool behind;                    /* contractions belong to the letters before them, instead of being pre-tokens */
    bool cased;                     /* letters are cut where upper case follows lower case */
    bool marks;                     /* marks count as letters: the table of classes must say so */
    bool slash;                     /* slashes go with the newlines behind others */
    bool kana;                      /* DeepSeek's: marks count as letters; the text is cut at numbers and around kana before it is split; others
                                     * are signs, one of ASCII goes with letters of ASCII; what is none of these goes with letters, or
                                     * with nothing: the table of classes must be one with kana */
} bipe_split_rule;

/* How far a pre-token has been looked at. Zeroed: not at all. Offsets count from the start of the text that is given, which
 * begins with the pre-token, less what bipe_pretoken_scan_drop() was told of. */
typedef struct bipe_pretoken_scan {
    uint8_t phase;
    bool any;               /* letters: one in lower case was seen; white space: a newline that counts */
    bool several;           /* white space: more than one character */
    bool kana;              /* it is within kana */
    uint8_t count;          /* numbers */
    size_t at;              /* looked at up to here */
    size_t sure;            /* up to here it goes for certain */
    size_t last;            /* white space: where its last character starts */
} bipe_pretoken_scan;

/* Looks at text[0 .. size), size > 0. final: the text ends there. True with *end when it is known where the pre-token ends;
 * false: more text is needed (never when final), and the next call goes on from scan->at. */
bool bipe_pretoken_scan_run(const bipe_split_rule *rule, const bipe_char_classes *classes, bipe_pretoken_scan *scan, const uint8_t *text,
                            size_t size, bool final, size_t *end);

/* The first `size` <= scan->sure bytes of the pre-token are given no more. */
static inline void bipe_pretoken_scan_drop(bipe_pretoken_scan *scan, size_t size)
{
    scan->at -= size;
    scan->sure -= size;
    scan->last -= scan->last < size ? scan->last : size;
}

#endif
