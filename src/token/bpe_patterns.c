/* bpe_patterns.c - the patterns of the public byte-level vocabularies. As published: where llama.cpp leaves the marks out (GPT-4o's, tekken),
 * they are in. */
#include "token/bpe_patterns.h"

#include <string.h>

#define TEKKEN \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|" \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|" \
    "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define BLOOM " ?[^(\\s|[.,!?…。，、।۔،])]+"
#define DEEPSEEK3 \
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|" \
    " ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SEED \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define CJK "[一-龥ࠀ-一가-퟿]+"
#define APART(numbers) numbers "|'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?=\\p{N})|\\s+(?!\\S)|\\s+"
#define DIGITS_AND_GPT2 {"\\p{N}", BIPE_PATTERN_GPT2}

static const bipe_bpe_patterns table[] = {
    {"gpt-2", false, {BIPE_PATTERN_GPT2}},
    {"phi-2", false, {BIPE_PATTERN_GPT2}},
    {"jina-es", false, {BIPE_PATTERN_GPT2}},
    {"jina-de", false, {BIPE_PATTERN_GPT2}},
    {"jina-v2-es", false, {BIPE_PATTERN_GPT2}},
    {"jina-v2-de", false, {BIPE_PATTERN_GPT2}},
    {"jina-v1-en", false, {BIPE_PATTERN_GPT2}},
    {"jina-v2-code", false, {BIPE_PATTERN_GPT2}},
    {"roberta-bpe", false, {BIPE_PATTERN_GPT2}},
    {"mpt", false, {BIPE_PATTERN_GPT2}},
    {"olmo", false, {BIPE_PATTERN_GPT2}},
    {"jais", false, {BIPE_PATTERN_GPT2}},
    {"starcoder", false, DIGITS_AND_GPT2},
    {"refact", false, DIGITS_AND_GPT2},
    {"command-r", false, DIGITS_AND_GPT2},
    {"smollm", false, DIGITS_AND_GPT2},
    {"codeshell", false, DIGITS_AND_GPT2},
    {"exaone", false, DIGITS_AND_GPT2},
    {"minerva-7b", false, DIGITS_AND_GPT2},
    {"falcon", false, {"[\\p{P}\\$\\+<=>\\^~\\|`]+", BIPE_PATTERN_GPT2, "[0-9][0-9][0-9]"}},
    {"llama3", true, {BIPE_PATTERN_CL100K}},
    {"llama-v3", true, {BIPE_PATTERN_CL100K}},
    {"llama-bpe", true, {BIPE_PATTERN_CL100K}},
    {"dbrx", false, {BIPE_PATTERN_CL100K}},
    {"smaug-bpe", false, {BIPE_PATTERN_CL100K}},
    {"chatglm-bpe", false, {BIPE_PATTERN_CL100K}},
    {"glm4", false, {BIPE_PATTERN_CL100K}},
    {"qwen2", false, {BIPE_PATTERN_QWEN2}},
    {"deepseek-r1-qwen", false, {BIPE_PATTERN_QWEN2}},
    {"megrez", false, {BIPE_PATTERN_QWEN2}},
    {"stablelm2", false, {BIPE_PATTERN_QWEN2}},
    {"hunyuan", false, {BIPE_PATTERN_QWEN2}},
    {"seed-coder", false, {SEED}},
    {"poro-chat", false, {BLOOM}},
    {"bloom", false, {BLOOM}},
    {"gpt3-finnish", false, {BLOOM}},
    {"viking", false, {BLOOM, "\\p{N}"}},
    {"tekken", true, {TEKKEN}},
    {"gpt-4o", false, {BIPE_PATTERN_O200K}},
    {"llama4", false, {BIPE_PATTERN_O200K}},
    {"deepseek-v3", false, {"\\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK3}},
    {"deepseek-coder", false, {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CJK, "\\p{N}"}},
};

const bipe_bpe_patterns *bipe_bpe_patterns_find(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0)
            return &table[i];
    return NULL;
}

/* Those that there is a scanner of ours for. */
static const bipe_split_rule rules[] = {
    {.pattern = BIPE_PATTERN_GPT2, .gpt2 = true, .contractions = BIPE_CONTRACT_EXACT},
    {.pattern = BIPE_PATTERN_CL100K, .numbers = 3, .contractions = BIPE_CONTRACT_FOLDED},
    {.pattern = BIPE_PATTERN_QWEN2, .numbers = 1, .contractions = BIPE_CONTRACT_FOLDED},
    {.pattern = BIPE_PATTERN_O200K, .numbers = 3, .contractions = BIPE_CONTRACT_FOLDED, .behind = true, .cased = true, .slash = true},
    {.pattern = TEKKEN, .numbers = 1, .cased = true, .slash = true},
    /* GPT-2's behind a step that sets numbers apart, each or together. */
    {.pattern = APART("\\p{N}"), .gpt2 = true, .apart = true, .numbers = 1, .contractions = BIPE_CONTRACT_EXACT},
    {.pattern = APART("\\p{N}+"), .gpt2 = true, .apart = true, .contractions = BIPE_CONTRACT_EXACT},
    /* cl100k in the words of others. */
    {.pattern = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
                "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     .numbers = 3, .contractions = BIPE_CONTRACT_ASCII},
    {.pattern = "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]"
                "|\\s+(?!\\S)|\\s+",
     .numbers = 3, .contractions = BIPE_CONTRACT_FOLDED},
};

const bipe_split_rule *bipe_bpe_pattern_rule(const char *pattern)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].pattern, pattern) == 0)
            return &rules[i];
    return NULL;
}

const bipe_split_rule *bipe_bpe_rule_apart(const bipe_split_rule *rule, bool each)
{
    return strcmp(rule->pattern, BIPE_PATTERN_GPT2) == 0 ? bipe_bpe_pattern_rule(each ? APART("\\p{N}") : APART("\\p{N}+")) : NULL;
}

/* All that take whole words do. */
bool bipe_bpe_pattern_splits(const char *pattern)
{
    return strstr(pattern, "\\p{L}") != NULL || strcmp(pattern, BLOOM) == 0;
}

bool bipe_bpe_pattern_is_known(const char *pattern)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (const char *const *p = table[i].pattern; *p != NULL; p++)
            if (strcmp(*p, pattern) == 0)
                return true;
    return bipe_bpe_pattern_rule(pattern) != NULL;
}
