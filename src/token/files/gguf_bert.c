/* gguf_bert.c - `bert` vocabularies of GGUF files, with the rules of llama.cpp for them, which are not quite BERT's: a character
 * gives way to the first of its canonical decomposition, all marks go, words end at white space, punctuation and ideographs.
 *
 * Its tables are of Unicode 15; utf8proc's are taken as they are. */
#include <string.h>

#include <utf8proc.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/files/gguf_parts.h"
#include "token/hf_unicode.h"
#include "token/pipeline/model_words.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"

#define KEY(name) "tokenizer.ggml." name

/* ---- the steps ---- */

typedef struct rules {
    bool strip, lower;
} rules;

static uint32_t category(uint32_t code)
{
    return code < 0x110000 ? UINT32_C(1) << utf8proc_category((utf8proc_int32_t)code) : 0;
}

#define BIT(name) (UINT32_C(1) << UTF8PROC_CATEGORY_##name)
#define MARKS (BIT(MN) | BIT(MC) | BIT(ME))
#define CONTROLS (BIT(CC) | BIT(CF) | BIT(CO))
#define PUNCTUATION (BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO))
#define SYMBOLS (BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO))

static size_t change(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
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
    if (code == 0xFFFD || (category(code) & (CONTROLS | (r->strip ? MARKS : 0))) != 0)
        return 0;
    if (r->lower)
        to[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    return 1;
}

static int run_change(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return bipe_normalize_each(in, out, change, config, err);
}

static void change_pairs(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, change, config);
}

static const bipe_normalizer_type normalizer = {
    .name = "bert", .close = bipe_free, .run = run_change, .pairs = change_pairs};

static bool stands_alone(const void *context, uint32_t code)
{
    (void)context;
    uint32_t bit = category(code);
    return (bit & PUNCTUATION) != 0 || (code < 0x7F && (bit & SYMBOLS) != 0) || bipe_hf_is_cjk(code);
}

static bool is_space(const void *context, uint32_t code)
{
    (void)context;
    return code == ' ';
}

static int split(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err)
{
    (void)config;
    return bipe_split_words(text, in, is_space, stands_alone, out, err);
}

static bipe_pair_class unit_of(const void *config, uint32_t *code, bool removed)
{
    (void)removed;
    bool alone = is_space(config, *code) || stands_alone(config, *code);
    return (bipe_pair_class){.before = alone, .after = alone};
}

static const bipe_pretokenizer_type pretokenizer = {.name = "bert", .split = split, .class_of = unit_of, .removes = true};

enum { CONTROL = 3, USER = 4, LAST_TYPE = 6 }; /* of tokens */

/* ---- writing ---- */

static int write_bert(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    const rules *r = p->normalizer[0].config;
    int status = bipe_gguf_set_string(writer, KEY("model"), "bert", 4, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_tokens(p, 0, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_u32(writer, KEY("unknown_token_id"), bipe_model_bert_unk(p->model), err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, KEY("normalizer.lowercase"), r->lower, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, KEY("normalizer.strip_accents"), r->strip, err);
    return status == BIPE_OK ? bipe_pipeline_write_ids(tokenizer, writer, err) : status;
}

/* ---- reading ---- */

static int read_tokens(bipe_pipeline *p, const bipe_gguf *gguf, bool special, bipe_error *err)
{
    size_t count, types = 0;
    int status = bipe_gguf_get_array(gguf, KEY("tokens"), BIPE_GGUF_STRING, &count, err);
    if (status == BIPE_OK)
        status = bipe_gguf_get_array(gguf, KEY("token_type"), BIPE_GGUF_I32, &types, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("tokens") " or no " KEY("token_type"));
    if (status != BIPE_OK)
        return status;
    if (types != count || count > BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens, %zu token types, expected as many of each, at most %d", count, types,
                         BIPE_VOCABULARY_LIMIT);
    p->added_id = bipe_alloc(count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), i);
        if (!(type >= 1 && type <= LAST_TYPE) || text.size > BIPE_PIECE_LIMIT)
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: type %g, %zu bytes, expected a type of 1 to 6 and at most %d bytes", i, type,
                             text.size, BIPE_PIECE_LIMIT);
        bool control = type == CONTROL;
        p->added_id[i] = control ? 2 : type == USER ? 1 : 0;
        status = bipe_vocabulary_append(&p->vocabulary, text.text, text.size, err);
        if (status == BIPE_OK && (type == USER || (control && special)))
            status = bipe_pipeline_look_for(p, text.text, text.size, (bipe_added){.id = (uint32_t)i}, false, err);
    }
    return status == BIPE_OK && bipe_vocabulary_index_all(&p->vocabulary) != 0 ? bipe_fail_memory(err) : status;
}

static int read_rules(bipe_pipeline *p, const bipe_gguf *gguf, bipe_error *err)
{
    rules *r = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    p->normalizer[0] = (bipe_normalizer_step){.type = &normalizer, .config = r};
    p->normalizers = 1;
    p->pretokenizer[0] = (bipe_pretokenizer_step){.type = &pretokenizer};
    p->pretokenizers = 1;
    r->lower = true;
    int status = bipe_gguf_optional_bool(gguf, KEY("normalizer.lowercase"), &r->lower, err);
    r->strip = r->lower;
    return status == BIPE_OK ? bipe_gguf_optional_bool(gguf, KEY("normalizer.strip_accents"), &r->strip, err) : status;
}

int bipe_gguf_bert_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    int64_t unk = 100; /* llama.cpp's, where the file does not say */
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = read_rules(p, gguf, err);
    if (status == BIPE_OK)
        status = read_tokens(p, gguf, tokenizer->special, err);
    if (status == BIPE_OK)
        status = bipe_gguf_get_id(gguf, KEY("unknown_token_id"), p->vocabulary.count, &unk, err);
    if (status == BIPE_END)
        status = BIPE_OK;
    if (status == BIPE_OK && (size_t)unk >= p->vocabulary.count)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("unknown_token_id"));
    if (status == BIPE_OK) {
        p->type = &bipe_model_bert;
        p->model_size = p->vocabulary.count;
        status = bipe_model_bert_make(&p->model, p, (uint32_t)unk, err);
    }
    tokenizer->write_gguf = write_bert;
    return bipe_pipeline_finish(tokenizer, p, status, err);
}
