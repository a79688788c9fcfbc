/* gguf_bert.c - the steps of `bert` vocabularies in GGUF files, by the rules of llama.cpp, which are not quite BERT's:
 * a character becomes the first of its canonical decomposition, all marks are left out, words end at white space,
 * punctuation and ideographs.
 *
 * Its tables are of Unicode 15; utf8proc's are taken as they are. */
#include <utf8proc.h>

#include "base/alloc.h"
#include "token/files/gguf_vocabulary.h"
#include "token/hf_unicode.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"

typedef struct rules {
    bool strip, lower;
} rules;

static uint32_t category_bit(uint32_t code)
{
    return code < 0x110000 ? UINT32_C(1) << utf8proc_category((utf8proc_int32_t)code) : 0;
}

#define BIT(name) (UINT32_C(1) << UTF8PROC_CATEGORY_##name)
#define MARKS (BIT(MN) | BIT(MC) | BIT(ME))
#define CONTROLS (BIT(CC) | BIT(CF) | BIT(CO))
#define PUNCTUATION (BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO))
#define SYMBOLS (BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO))

static size_t normalize_character(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    const rules *r = config;
    to[0] = code;
    if (code >= 0x80 && r->strip) {
        utf8proc_int32_t parts[8];
        int last = 0;
        if (utf8proc_decompose_char((utf8proc_int32_t)code, parts, 8, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &last) > 0)
            code = to[0] = (uint32_t)parts[0];
    }
    if (bipe_hf_is_space(code)) {
        to[0] = ' ';
        return 1;
    }
    if (code == 0xFFFD || (category_bit(code) & (CONTROLS | (r->strip ? MARKS : 0))) != 0)
        return 0;
    if (r->lower)
        to[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    return 1;
}

static int run_change(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return bipe_normalize_each(in, out, normalize_character, config, err);
}

static void change_pairs(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, normalize_character, config);
}

static const bipe_normalizer_type normalizer = {
    .name = "bert", .close = bipe_free, .run = run_change, .pairs = change_pairs};

static bool stands_alone(const void *context, uint32_t code)
{
    (void)context;
    uint32_t bit = category_bit(code);
    return (bit & PUNCTUATION) != 0 || (code < 0x7F && (bit & SYMBOLS) != 0) || bipe_hf_is_cjk(code);
}

static bool is_bert_space(const void *context, uint32_t code)
{
    (void)context;
    return code == ' ';
}

static int split_words(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                       bipe_error *err)
{
    (void)config;
    return bipe_split_words(text, in, is_bert_space, stands_alone, out, err);
}

static bipe_pair_class bert_unit_of(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    bool alone = is_bert_space(config, *code) || stands_alone(config, *code);
    return (bipe_pair_class){.before = alone, .after = alone};
}

static const bipe_pretokenizer_type pretokenizer = {.name = "bert", .split = split_words, .class_of = bert_unit_of,
                                                    .removes = true};

int bipe_pipeline_add_bert(bipe_pipeline *p, bool lower, bool strip, bipe_error *err)
{
    rules *r = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    *r = (rules){.strip = strip, .lower = lower};
    p->normalizer[p->normalizers++] = (bipe_normalizer_step){.type = &normalizer, .config = r};
    p->type = &bipe_model_bert;
    return bipe_pipeline_push(p, &pretokenizer, NULL, err);
}
