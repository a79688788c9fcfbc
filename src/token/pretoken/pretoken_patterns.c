/* pretoken_patterns.c - the patterns of the public byte-level vocabularies. As published: where llama.cpp leaves the
 * marks out (those of GPT-4o's kind, tekken), they are in. */
#include "token/pretoken/pretoken_patterns.h"

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
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| " \
    "?[^\\s\\p{L}\\p{N}\\r\\n]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define CJK "[一-龥ࠀ-一가-퟿]+"
#define NUMBERS_FIRST(numbers) \
    numbers "|'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?=\\p{N})|\\s+(?!\\S)|\\s+"
#define KANA "[一-龥぀-ゟ゠-ヿ]+"
/* Letters with cases, as DeepSeek LLM lists them. */
#define CASED \
    "A-Za-z\\x{B5}\\x{C0}-\\x{D6}\\x{D8}-\\x{F6}\\x{F8}-\\x{1BA}\\x{1BC}-\\x{1BF}\\x{1C4}-\\x{293}\\x{295}-\\x{2AF}" \
    "\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37B}-\\x{37D}\\x{37F}\\x{386}\\x{388}-\\x{38A}\\x{38C}\\x{38E}-\\x{3A1}\\x{" \
    "3A3}-\\x{3F5}" \
    "\\x{3F7}-\\x{481}\\x{48A}-\\x{52F}\\x{531}-\\x{556}\\x{10A0}-\\x{10C5}\\x{13A0}-\\x{13F5}\\x{13F8}-\\x{13FD}" \
    "\\x{1C90}-\\x{1CBA}\\x{1CBD}-\\x{1CBF}\\x{1D00}-\\x{1D2B}\\x{1D6B}-\\x{1D77}\\x{1D79}-\\x{1D9A}\\x{1E00}-\\x{" \
    "1F15}" \
    "\\x{1F18}-\\x{1F1D}\\x{1F20}-\\x{1F45}\\x{1F48}-\\x{1F4D}\\x{1F50}-\\x{1F57}\\x{1F59}\\x{1F5B}\\x{1F5D}\\x{1F5F}" \
    "-\\x{1F7D}" \
    "\\x{1F80}-\\x{1FB4}\\x{1FB6}-\\x{1FBC}\\x{1FBE}\\x{1FC2}-\\x{1FC4}\\x{1FC6}-\\x{1FCC}\\x{1FD0}-\\x{1FD3}\\x{" \
    "1FD6}-\\x{1FDB}" \
    "\\x{1FE0}-\\x{1FEC}\\x{1FF2}-\\x{1FF4}\\x{1FF6}-\\x{1FFC}\\x{2102}\\x{2107}\\x{210A}-\\x{2113}\\x{2115}\\x{2119}" \
    "-\\x{211D}" \
    "\\x{2124}\\x{2126}\\x{2128}\\x{212A}-\\x{212D}\\x{212F}-\\x{2134}\\x{2139}\\x{213C}-\\x{213F}\\x{2145}-\\x{2149}" \
    "\\x{214E}" \
    "\\x{2183}\\x{2184}\\x{2C00}-\\x{2C7B}\\x{2C7E}-\\x{2CE4}\\x{2CEB}-\\x{2CEE}\\x{2CF2}\\x{2CF3}\\x{A640}-\\x{A66D}" \
    "\\x{A680}-\\x{A69B}\\x{A722}-\\x{A76F}\\x{A771}-\\x{A787}\\x{A78B}-\\x{A78E}\\x{AB70}-\\x{ABBF}\\x{FB00}-\\x{" \
    "FB06}" \
    "\\x{FB13}-\\x{FB17}\\x{FF21}-\\x{FF3A}\\x{FF41}-\\x{FF5A}\\x{10400}-\\x{1044F}\\x{104B0}-\\x{104D3}\\x{104D8}-" \
    "\\x{104FB}" \
    "\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}"
#define JAIS2 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| " \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s{512}(?!\\S)|" \
    "\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1," \
    "2}(?!\\S)|\\s{1}"
#define QWEN35 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| " \
    "?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|" \
    "\\s+(?!\\S)|\\s+"
#define BAILING \
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| " \
    "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"
#define UFAKZEKA "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define EXAONE_MOE \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| " \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|" \
    "\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"
#define MINICPM5 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}+| " \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SPARK \
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| " \
    "?[\\p{P}\\p{S}]+|[\\r\\n]|" \
    "\\s+(?!\\S)|\\s+"
#define YOUTU \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'" \
    "ll|'d)?|" \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'" \
    "ll|'d)?|" \
    "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
/* Of Asian scripts; in front of it, numbers in threes, counted from their end. */
#define ASIAN \
    "[\\x{4E00}-\\x{9FFF}\\x{3400}-\\x{4DBF}\\x{F900}-\\x{FAFF}\\x{3040}-\\x{30FF}\\x{FF65}-\\x{FF9F}\\x{2F00}-\\x{" \
    "2FDF}" \
    "\\x{E40}-\\x{EFF}\\x{1780}-\\x{17FF}\\x{1000}-\\x{109F}\\x{AA60}-\\x{AA7F}\\x{A9E0}-\\x{A9FF}\\x{AC00}-\\x{D7AF}" \
    "\\x{1100}-\\x{11FF}]+"
#define THREES "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))"
#define DIGITS_AND_GPT2 {"\\p{N}", BIPE_PATTERN_GPT2}

static const bipe_pretoken_patterns table[] = {
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
    {"gigachat", false, {BIPE_PATTERN_GPT2}},
    {"a.x-4.0", false, {BIPE_PATTERN_GPT2}},
    {"mellum", false, {BIPE_PATTERN_GPT2}},
    {"modern-bert", false, {BIPE_PATTERN_GPT2}},
    {"exaone4", false, {BIPE_PATTERN_GPT2}},
    {"trillion", false, {BIPE_PATTERN_GPT2}},
    {"granite-docling", false, {BIPE_PATTERN_GPT2}},
    {"starcoder", false, DIGITS_AND_GPT2},
    {"refact", false, DIGITS_AND_GPT2},
    {"command-r", false, DIGITS_AND_GPT2},
    {"smollm", false, DIGITS_AND_GPT2},
    {"codeshell", false, DIGITS_AND_GPT2},
    {"exaone", false, DIGITS_AND_GPT2},
    {"minerva-7b", false, DIGITS_AND_GPT2},
    {"mellum2", false, DIGITS_AND_GPT2},
    {"default", false, {"[\\p{P}\\$\\+<=>\\^~\\|]+", BIPE_PATTERN_GPT2, "\\p{N}+", "[0-9][0-9][0-9]"}},
    {"falcon", false, {"[\\p{P}\\$\\+<=>\\^~\\|`]+", BIPE_PATTERN_GPT2, "[0-9][0-9][0-9]"}},
    {"llama3", true, {BIPE_PATTERN_CL100K}},
    {"llama-v3", true, {BIPE_PATTERN_CL100K}},
    {"llama-bpe", true, {BIPE_PATTERN_CL100K}},
    {"falcon3", true, {BIPE_PATTERN_CL100K}},
    {"falcon-h1", true, {BIPE_PATTERN_CL100K}},
    {"pixtral", true, {BIPE_PATTERN_CL100K}},
    {"midm-2.0", true, {BIPE_PATTERN_CL100K}},
    {"lfm2", true, {BIPE_PATTERN_CL100K}},
    {"jina-v5-nano", true, {BIPE_PATTERN_CL100K}},
    {"dbrx", false, {BIPE_PATTERN_CL100K}},
    {"smaug-bpe", false, {BIPE_PATTERN_CL100K}},
    {"chatglm-bpe", false, {BIPE_PATTERN_CL100K}},
    {"glm4", false, {BIPE_PATTERN_CL100K}},
    {"qwen2", false, {BIPE_PATTERN_QWEN2}},
    {"deepseek-r1-qwen", false, {BIPE_PATTERN_QWEN2}},
    {"megrez", false, {BIPE_PATTERN_QWEN2}},
    {"stablelm2", false, {BIPE_PATTERN_QWEN2}},
    {"hunyuan", false, {BIPE_PATTERN_QWEN2}},
    {"kormo", false, {BIPE_PATTERN_QWEN2}},
    {"f2llmv2", false, {BIPE_PATTERN_QWEN2}},
    {"solar-open", false, {BIPE_PATTERN_QWEN2}},
    {"grok-2", false, {BIPE_PATTERN_QWEN2}},
    {"laguna", false, {"[^\\n]+|[\\n]+", BIPE_PATTERN_QWEN2}},
    {"qwen35", false, {QWEN35}},
    {"ufakzeka", false, {UFAKZEKA}},
    {"bailingmoe", false, {BAILING}},
    {"bailingmoe2", false, {BAILING}},
    {"llada-moe", false, {BAILING}},
    {"minicpm5", true, {"\\p{N}{1,3}", MINICPM5}},
    {"jais-2", false, {JAIS2}},
    {"seed-coder", false, {SEED}},
    {"poro-chat", false, {BLOOM}},
    {"bloom", false, {BLOOM}},
    {"gpt3-finnish", false, {BLOOM}},
    {"viking", false, {BLOOM, "\\p{N}"}},
    {"tekken", true, {TEKKEN}},
    {"gpt-4o", false, {BIPE_PATTERN_O200K}},
    {"llama4", false, {BIPE_PATTERN_O200K}},
    {"kanana2", false, {BIPE_PATTERN_O200K}},
    {"talkie", false, {BIPE_PATTERN_O200K}},
    {"minimax-m2", false, {BIPE_PATTERN_O200K}},
    {"granite-embed-multi-97m", true, {BIPE_PATTERN_O200K}},
    {"tiny_aya", false, {"\\d{1,3}(?=(?:\\d{3})*\\b)", BIPE_PATTERN_O200K}},
    {"cohere2moe", false, {"\\d{1,3}(?=(?:\\d{3})*\\b)", BIPE_PATTERN_O200K}},
    {"kimi-k2", false, {BIPE_PATTERN_KIMI}},
    {"youtu", true, {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|" KANA, YOUTU}},
    {"deepseek-v3", false, {"\\p{N}{1,3}", KANA, DEEPSEEK3}},
    {"hunyuan-dense", false, {"\\p{N}{1,3}", KANA, DEEPSEEK3}},
    {"hy_v4", false, {"\\p{N}{1,3}", KANA, DEEPSEEK3}},
    {"joyai-llm", false, {"\\p{N}{1,3}", KANA, DEEPSEEK3}},
    {"afmoe", false, {THREES, ASIAN, DEEPSEEK3}},
    {"spark2_5", false, {"\\p{N}{1,3}", KANA, SPARK, "\\p{N}"}},
    {"deepseek-coder", false, {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CJK, "\\p{N}"}},
    {"chameleon", false, {"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", "\\p{N}",
                          "[\\p{P}!-/:-@\\[-`{-~]", BIPE_PATTERN_GPT2}},
};

/* Those that continue from words into white space, or do not part at every white space between letters. */
static const bipe_pretoken_patterns joining[] = {
    {"exaone-moe", false, {EXAONE_MOE}},
    {"superbpe", false, {"\\p{N}+", "(?=(\\d{3})+(?!\\d))"}},
    {"deepseek-llm", false, {"[\\r\\n]", "\\s?[" CASED "]+", "\\s?[!-/:-~！-／：-～‘-‟　-。]+", "\\s+$", CJK, "\\p{N}+"}},
};

const bipe_pretoken_patterns *bipe_pretoken_patterns_at(size_t index)
{
    const size_t first = sizeof table / sizeof *table, second = sizeof joining / sizeof *joining;
    return index < first ? &table[index] : index - first < second ? &joining[index - first] : NULL;
}

const bipe_pretoken_patterns *bipe_pretoken_patterns_find(const char *name, size_t size)
{
    const bipe_pretoken_patterns *p;
    for (size_t i = 0; (p = bipe_pretoken_patterns_at(i)) != NULL; i++)
        if (strlen(p->name) == size && memcmp(p->name, name, size) == 0)
            return p;
    return NULL;
}

/* Those that there is a scanner of ours for. */
static const bipe_split_rule rules[] = {
    {.pattern = BIPE_PATTERN_GPT2, .gpt2 = true, .contractions = BIPE_CONTRACT_EXACT},
    {.pattern = BIPE_PATTERN_CL100K, .numbers = 3, .contractions = BIPE_CONTRACT_FOLDED},
    {.pattern = BIPE_PATTERN_QWEN2, .numbers = 1, .contractions = BIPE_CONTRACT_FOLDED},
    {.pattern = BIPE_PATTERN_O200K, .numbers = 3, .contractions = BIPE_CONTRACT_FOLDED, .suffix = true, .cased = true,
     .slash = true},
    {.pattern = TEKKEN, .numbers = 1, .cased = true, .slash = true},
    {.pattern = QWEN35, .numbers = 1, .contractions = BIPE_CONTRACT_FOLDED, .marks = true},
    {.pattern = UFAKZEKA, .numbers = 1},
    {.pattern = BAILING, .numbers = 1, .contractions = BIPE_CONTRACT_FOLDED},
    /* GPT-2's after a step that splits at numbers, each or together. */
    {.pattern = NUMBERS_FIRST("\\p{N}"), .gpt2 = true, .numbers_first = true, .numbers = 1,
     .contractions = BIPE_CONTRACT_EXACT},
    {.pattern = NUMBERS_FIRST("\\p{N}+"), .gpt2 = true, .numbers_first = true, .contractions = BIPE_CONTRACT_EXACT},
    /* cl100k in the words of others. */
    {.pattern = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
                "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     .numbers = 3,
     .contractions = BIPE_CONTRACT_ASCII},
    {.pattern =
         "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]"
         "|\\s+(?!\\S)|\\s+",
     .numbers = 3,
     .contractions = BIPE_CONTRACT_FOLDED},
};

const bipe_split_rule *bipe_pretoken_pattern_rule(const char *pattern)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].pattern, pattern) == 0)
            return &rules[i];
    return NULL;
}

const bipe_split_rule *bipe_pretoken_steps_rule(const char *const *pattern, size_t count)
{
    static const char *const step[] = {"\\p{N}{1,3}", KANA, DEEPSEEK3};
    static const bipe_split_rule deepseek = {.pattern = DEEPSEEK3, .numbers = 3, .marks = true, .kana = true};
    bool same = count == sizeof step / sizeof *step;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(pattern[i], step[i]) == 0;
    return same ? &deepseek : NULL;
}

const bipe_split_rule *bipe_pretoken_rule_after_numbers(const bipe_split_rule *rule, bool each)
{
    const char *pattern = each ? NUMBERS_FIRST("\\p{N}") : NUMBERS_FIRST("\\p{N}+");
    return strcmp(rule->pattern, BIPE_PATTERN_GPT2) == 0 ? bipe_pretoken_pattern_rule(pattern) : NULL;
}

/* All that take whole words do. */
bool bipe_pretoken_pattern_splits(const char *pattern)
{
    return strstr(pattern, "\\p{L}") != NULL || strcmp(pattern, BLOOM) == 0;
}

/* Whether `pattern` is the same, or has a newline where `known` has \n or \r. */
static bool is_same(const char *known, const char *pattern)
{
    for (; *pattern != '\0'; pattern++, known++) {
        if (known[0] == '\\' && (pattern[0] == '\n' || pattern[0] == '\r')) {
            if (known[1] != (pattern[0] == '\n' ? 'n' : 'r'))
                return false;
            known++;
        } else if (known[0] != pattern[0]) {
            return false;
        }
    }
    return *known == '\0';
}

const char *bipe_pretoken_pattern_known(const char *pattern)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (const char *const *p = table[i].pattern; *p != NULL; p++)
            if (is_same(*p, pattern))
                return *p;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (is_same(rules[i].pattern, pattern))
            return rules[i].pattern;
    return NULL;
}
