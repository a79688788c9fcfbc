/* pretoken_patterns.h - the patterns that byte-level vocabularies are split with before merging, by the names that GGUF
 * files and tiktoken have for them. In Oniguruma's syntax (text/pattern.h). */
#ifndef BIPE_TOKEN_PRETOKEN_PATTERNS_H
#define BIPE_TOKEN_PRETOKEN_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which contractions ('s 't 're 've 'm 'll 'd) a pattern knows. */
typedef enum bipe_contractions {
    BIPE_CONTRACT_NONE,
    BIPE_CONTRACT_EXACT,    /* in lower case */
    BIPE_CONTRACT_ASCII,    /* in any case */
    BIPE_CONTRACT_FOLDED    /* and the long s (U+017F) for s */
} bipe_contractions;

/* A pattern as parameters of pretoken_starts.h. "Others" are characters that are no letters, numbers or white space. */
typedef struct bipe_split_rule {
    const char *pattern;            /* a BIPE_PATTERN_ string, or one of pretoken_patterns.c; with `kana`, that of the
                                       last of three steps */
    bool gpt2; /* a space goes with the letters, numbers or others after it. Without it: one character
                * that is neither letter, number nor newline goes with letters, a space with others;
                * newlines after others go with them; white space is cut after its last newline */
    bool numbers_first;             /* with gpt2: the text is split at numbers first */
    uint8_t numbers;                /* the most numbers together; 0: any number */
    bipe_contractions contractions;
    bool suffix;                    /* contractions belong to the letters before them, instead of being pre-tokens */
    bool cased;                     /* letters are cut where upper case follows lower case */
    bool marks;                     /* marks count as letters: the table of classes must say so */
    bool slash;                     /* slashes go with the newlines after others */
    bool kana; /* DeepSeek's: marks count as letters; the text is cut at numbers and around kana before it is split;
                * others are signs, one of ASCII goes with letters of ASCII; other characters go with letters, or with
                * nothing: the table of classes must be one with kana */
} bipe_split_rule;

typedef struct bipe_pretoken_patterns {
    const char *name;         /* tokenizer.ggml.pre */
    bool whole;               /* ignore_merges */
    const char *pattern[7];   /* each splits what the one before left, matches isolated; ended by NULL */
} bipe_pretoken_patterns;

/* By the name in tokenizer.ggml.pre; NULL when it is not known for certain. */
const bipe_pretoken_patterns *bipe_pretoken_patterns_find(const char *name, size_t size);
/* The one of that number, from 0 on; NULL after the last. */
const bipe_pretoken_patterns *bipe_pretoken_patterns_at(size_t index);
/* Our copy of a well-known pattern (newlines may be literal in the argument), else NULL. No match of such a pattern
 * continues from a letter into white space or, if it has a rule, from a newline into a letter: a cut there is safe. */
const char *bipe_pretoken_pattern_known(const char *pattern);
/* Whether a known pattern always ends a match between a letter and the space or newline after it. */
bool bipe_pretoken_pattern_splits(const char *pattern);
/* The rule that does the same, or NULL where there is none. */
const bipe_split_rule *bipe_pretoken_pattern_rule(const char *pattern);
/* The rule of several steps, each of which splits what the one before left, by their patterns; or NULL. */
const bipe_split_rule *bipe_pretoken_steps_rule(const char *const *pattern, size_t count);
/* GPT-2's rule for text that is first split at numbers (each: at every single one). NULL unless `rule` is GPT-2's. */
const bipe_split_rule *bipe_pretoken_rule_after_numbers(const bipe_split_rule *rule, bool each);

#define BIPE_PATTERN_GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_CL100K \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| " \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_QWEN2 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| " \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_O200K \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'" \
    "ll|'d)?|" \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'" \
    "ll|'d)?|" \
    "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_NO_HAN(classes) "(?:(?!\\p{Han})[" classes "])"
#define BIPE_PATTERN_KIMI \
    "\\p{Han}+|" \
    "[^\\r\\n\\p{L}\\p{N}]?" BIPE_NO_HAN("\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}") "*" BIPE_NO_HAN( \
        "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}") "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
                                       "[^\\r\\n\\p{L}\\p{N}]?" BIPE_NO_HAN( \
                                           "\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}") "+" BIPE_NO_HAN("\\p{Ll}\\p{Lm}\\p{" \
                                                                                                 "Lo}\\p{M}") "*(?i:'" \
                                                                                                              "s|'t|'" \
                                                                                                              "re|'" \
                                                                                                              "ve|'m|" \
                                                                                                              "'ll|'" \
                                                                                                              "d)?|" \
                                                                                                              "\\p{N}" \
                                                                                                              "{1,3}|" \
                                                                                                              " ?[^" \
                                                                                                              "\\s\\p" \
                                                                                                              "{L}" \
                                                                                                              "\\p{N}" \
                                                                                                              "]+[" \
                                                                                                              "\\r\\n" \
                                                                                                              "]*|" \
                                                                                                              "\\s*[" \
                                                                                                              "\\r\\n" \
                                                                                                              "]+|" \
                                                                                                              "\\s+(?" \
                                                                                                              "!\\S)|" \
                                                                                                              "\\s+"

#endif
