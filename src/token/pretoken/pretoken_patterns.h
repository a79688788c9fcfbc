/* pretoken_patterns.h - the patterns that byte-level vocabularies are split with before merging, by the names that GGUF files and
 * tiktoken have for them. In Oniguruma's syntax (text/pattern.h). */
#ifndef BIPE_TOKEN_PRETOKEN_PATTERNS_H
#define BIPE_TOKEN_PRETOKEN_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "token/pretoken/pretoken_scan.h"

typedef struct bipe_pretoken_patterns {
    const char *name;         /* tokenizer.ggml.pre */
    bool whole;               /* ignore_merges */
    const char *pattern[7];   /* each splits what the one before left, matches isolated; ended by NULL */
} bipe_pretoken_patterns;

/* By the name in tokenizer.ggml.pre; NULL when it is not known for certain. */
const bipe_pretoken_patterns *bipe_pretoken_patterns_find(const char *name, size_t size);
/* The one of that number, from 0 on; NULL behind the last. */
const bipe_pretoken_patterns *bipe_pretoken_patterns_at(size_t index);
/* The string as it stands here, if a pattern is one of the well-known (which may write newlines as they are): it never goes on from a
 * letter into white space, or from a newline to a letter, and a cut there changes nothing (BIPE_CUT_SPACE, _NEWLINE, _LINE). Otherwise
 * NULL. */
const char *bipe_pretoken_pattern_known(const char *pattern);
/* Whether a known pattern divides words: its matches begin with spaces and newlines in front of letters, not behind them. */
bool bipe_pretoken_pattern_splits(const char *pattern);
/* The rule that does the same, or NULL where there is none. */
const bipe_split_rule *bipe_pretoken_pattern_rule(const char *pattern);
/* The rule of several steps, each of which splits what the one before left, by their patterns; or NULL. */
const bipe_split_rule *bipe_bpe_steps_rule(const char *const *pattern, size_t count);
/* The rule of a text that is cut at numbers, each or neighbours together, before this one splits it; or NULL. */
const bipe_split_rule *bipe_bpe_rule_apart(const bipe_split_rule *rule, bool each);

#define BIPE_PATTERN_GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_CL100K \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_QWEN2 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_PATTERN_O200K \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
    "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BIPE_NO_HAN(classes) "(?:(?!\\p{Han})[" classes "])"
#define BIPE_PATTERN_KIMI \
    "\\p{Han}+|" \
    "[^\\r\\n\\p{L}\\p{N}]?" BIPE_NO_HAN("\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}") "*" BIPE_NO_HAN("\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}") \
    "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
    "[^\\r\\n\\p{L}\\p{N}]?" BIPE_NO_HAN("\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}") "+" BIPE_NO_HAN("\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}") \
    "*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
    "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

#endif
