/* fuzz_pretoken.c - the scanners of well-known patterns against PCRE2. Input: a byte that chooses the pattern, and
 * where the text is cut; the text. */
#include <stdlib.h>
#include <string.h>

#include "tests/pretoken_ends.h"
#include "text/utf8.h"
#include "token/pretoken/pretoken_patterns.h"
#include "token/pretoken/pretoken_starts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bipe_char_classes classes, with_marks, with_kana;
static bipe_pattern *compiled[12];

static bipe_pattern *compile(const char *pattern)
{
    bipe_buffer text = {0};
    bipe_pattern *p;
    if (bipe_pattern_translate(pattern, strlen(pattern), &text, NULL) != BIPE_OK ||
        bipe_pattern_compile(&p, (const char *)text.data, text.size, NULL) != BIPE_OK)
        abort();
    bipe_buffer_free(&text);
    return p;
}

static const bipe_char_classes *classes_of(const bipe_split_rule *rule)
{
    return rule->kana ? &with_kana : rule->marks ? &with_marks : &classes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bipe_split_rule *gpt2 = bipe_pretoken_pattern_rule(BIPE_PATTERN_GPT2);
    const bipe_pretoken_patterns *deepseek = bipe_pretoken_patterns_find("deepseek-v3", 11);
    const char *const patterns[] = {BIPE_PATTERN_GPT2,
                                    BIPE_PATTERN_CL100K,
                                    BIPE_PATTERN_QWEN2,
                                    BIPE_PATTERN_O200K,
                                    bipe_pretoken_rule_after_numbers(gpt2, true)->pattern,
                                    bipe_pretoken_rule_after_numbers(gpt2, false)->pattern,
                                    bipe_pretoken_patterns_find("qwen35", 6)->pattern[0],
                                    bipe_pretoken_patterns_find("ufakzeka", 8)->pattern[0],
                                    bipe_pretoken_patterns_find("bailingmoe", 10)->pattern[0],
                                    deepseek->pattern[0],
                                    deepseek->pattern[1],
                                    deepseek->pattern[2]}; /* together */
    enum { PATTERNS = sizeof patterns / sizeof *patterns, RULES = PATTERNS - 2, MOST = 5000 };
    static uint32_t start[BIPE_STARTS_CAPACITY];
    static size_t ends[MOST];
    if (size < 2 || size > MOST)
        return 0;
    if (compiled[0] == NULL) {
        if (bipe_char_classes_open(&classes, NULL, false, false) != 0 ||
            bipe_char_classes_open(&with_marks, NULL, true, false) != 0 ||
            bipe_char_classes_open(&with_kana, NULL, true, true) != 0)
            abort();
        for (size_t i = 0; i < PATTERNS; i++)
            compiled[i] = compile(patterns[i]);
    }
    unsigned which = data[0] % RULES;
    bool steps = which == RULES - 1;
    const uint8_t *text = ++data;
    size--;
    const bipe_split_rule *rule = steps ? bipe_pretoken_steps_rule(deepseek->pattern, 3)
                                        : bipe_pretoken_pattern_rule(patterns[which]);
    uint8_t *room = malloc(size + BIPE_STARTS_SLACK);
    memcpy(room, text, size);
    memset(room + size, 'x', BIPE_STARTS_SLACK);
    size_t wants = pretoken_ends(compiled + which, steps ? 3 : 1, text, size, 0, ends), at = 0, count = 0, k = 0,
           base = 0;
    for (size_t i = 0; i < wants; i++) {
        /* What arithmetic leaves is taken from PCRE2. */
        if (k == count) {
            count = bipe_pretoken_starts(rule, classes_of(rule), bipe_text_masker_best(), NULL, room + at, 0, size - at,
                                         start);
            k = 0;
            base = at;
        }
        if (k < count && base + start[k + 1] != ends[i])
            abort();
        k += k < count;
        at = ends[i];
    }
    free(room);
    return 0;
}
