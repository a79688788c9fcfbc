/* norm_characters.c - the normalizers that look at one character at a time: Lowercase, StripAccents, Nmt,
 * BertNormalizer, ByteLevel. */
#include "base/alloc.h"
#include "token/hf_unicode.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/normalizers.h"

static int append_codes(bipe_mapped *out, const bipe_mapped *in, size_t from, size_t to, const uint32_t *code,
                        size_t count, bipe_error *err)
{
    uint8_t bytes[4 * BIPE_NORMALIZED_CHARACTERS];
    size_t size = 0;
    for (size_t k = 0; k < count; k++)
        size += bipe_utf8_encode((int32_t)code[k], bytes + size);
    return size != 0 ? bipe_mapped_replace(out, bytes, size, in, from, to, err) : BIPE_OK;
}

int bipe_normalize_each(const bipe_mapped *in, bipe_mapped *out, bipe_normalize_character *character,
                        const void *config, bipe_error *err)
{
    int status = BIPE_OK;
    size_t from = 0; /* from here to i all stays as it is */
    for (size_t i = 0, n; status == BIPE_OK && i < in->size; i += n) {
        uint32_t code, to[BIPE_NORMALIZED_CHARACTERS];
        n = bipe_step_char(in->text, in->size, i, &code);
        size_t count = code < BIPE_BAD_BYTE ? character(config, code, to) : 0;
        if (code >= BIPE_BAD_BYTE || (count == 1 && to[0] == code))
            continue;
        status = bipe_mapped_copy(out, in, from, i, err);
        if (status == BIPE_OK)
            status = append_codes(out, in, i, i + n, to, count, err);
        from = i + n;
    }
    return status == BIPE_OK ? bipe_mapped_copy(out, in, from, in->size, err) : status;
}

int bipe_open_bare(void **config, const json_t *json, bipe_error *err)
{
    (void)config;
    return bipe_step_bare(json, err);
}

/* Pairs of bytes, each of which becomes something by itself. */
typedef struct each {
    bipe_normalize_character *character;
    const void *config;
} each;

static uint32_t map_character(const void *context, uint32_t code)
{
    const each *e = context;
    uint32_t to[BIPE_NORMALIZED_CHARACTERS];
    return e->character(e->config, code, to) == 1 ? to[0] : BIPE_CODE_UNKNOWN;
}

void bipe_pairs_of_characters(bipe_pairs *pairs, bipe_normalize_character *character, const void *config)
{
    const each e = {.character = character, .config = config};
    bipe_pairs_become(pairs, map_character, &e);
}

/* ---- Lowercase ---- */

static size_t lower_character(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    (void)config;
    return bipe_hf_lower(code, to);
}

static int run_lowercase(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return bipe_normalize_each(in, out, lower_character, config, err);
}

static void pairs_lowercase(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, lower_character, config);
}

/* ---- StripAccents: marks go, wherever they come from ---- */

static size_t without_marks(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    (void)config;
    to[0] = code;
    return bipe_hf_is_mark(code) ? 0 : 1;
}

static int run_strip_accents(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return bipe_normalize_each(in, out, without_marks, config, err);
}

static void pairs_strip_accents(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, without_marks, config);
}

/* ---- Nmt: control characters are removed, unusual blanks become spaces ---- */

static size_t nmt_character(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    (void)config;
    to[0] = code;
    if ((code >= 0x01 && code <= 0x08) || code == 0x0B || (code >= 0x0E && code <= 0x1F) || code == 0x7F ||
        code == 0x8F || code == 0x9F)
        return 0;
    if (code == '\t' || code == '\n' || code == 0x0C || code == '\r' || code == 0x1680 ||
        (code >= 0x200B && code <= 0x200F) || code == 0x2028 || code == 0x2029 || code == 0x2581 || code == 0xFEFF ||
        code == 0xFFFD)
        to[0] = ' ';
    return 1;
}

static int run_nmt(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return bipe_normalize_each(in, out, nmt_character, config, err);
}

static void pairs_nmt(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, nmt_character, config);
}

/* ---- BertNormalizer ---- */

typedef struct bert {
    bool clean, cjk, strip, lower;
} bert;

static int open_bert(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type",          "clean_text", "handle_chinese_chars",
                                        "strip_accents", "lowercase",  NULL};
    bert *b = bipe_alloc(1, sizeof *b);
    *config = b;
    if (b == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    for (size_t i = 1; status == BIPE_OK && known[i] != NULL; i++)
        if (i != 3 && !json_is_boolean(json_object_get(json, known[i])))
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected true or false", known[i]);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "clean_text", true, &b->clean, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "handle_chinese_chars", true, &b->cjk, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "lowercase", true, &b->lower, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "strip_accents", b->lower, &b->strip, err);
    return status;
}

/* Cleans, and sets ideographs apart. */
static size_t bert_first(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    const bert *b = config;
    to[0] = code;
    if (b->clean) {
        bool blank = code == '\t' || code == '\n' || code == '\r';
        if (code == 0xFFFD || (!blank && bipe_hf_is_other(code)))
            return 0;
        if (blank || bipe_hf_is_space(code))
            to[0] = ' ';
    }
    if (!b->cjk || !bipe_hf_is_cjk(code))
        return 1;
    to[0] = ' ';
    to[1] = code;
    to[2] = ' ';
    return 3;
}

/* The mapping after the canonical decomposition, which is optional. */
static size_t bert_last(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS])
{
    const bert *b = config;
    to[0] = code;
    if (b->strip && bipe_hf_is_nonspacing(code))
        return 0;
    return b->lower ? bipe_hf_lower(code, to) : 1;
}

static int run_bert(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const bert *b = config;
    bipe_mapped first = {0}, second = {0};
    int status = bipe_normalize_each(in, &first, bert_first, b, err);
    if (status == BIPE_OK && b->strip) {
        status = bipe_normalize_form(&first, &second, false, false, err);
        bipe_mapped_free(&first);
    }
    if (status == BIPE_OK)
        status = bipe_normalize_each(b->strip ? &second : &first, out, bert_last, b, err);
    bipe_mapped_free(&first);
    bipe_mapped_free(&second);
    return status;
}

uint32_t bipe_only_ascii(const void *context, uint32_t code)
{
    (void)context;
    return code < BIPE_PAIRS ? code : BIPE_CODE_UNKNOWN;
}

/* Nothing goes across a starter, and no other character of ASCII goes before one. */
static void pairs_bert(const void *config, bipe_pairs *pairs)
{
    bipe_pairs_of_characters(pairs, bert_first, config);
    bipe_pairs_become(pairs, bipe_only_ascii, NULL); /* it has no decomposition */
    bipe_pairs_of_characters(pairs, bert_last, config);
}

/* ---- ByteLevel: each byte becomes a letter, no blank stays one ---- */

static int run_byte_level(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    (void)config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->size; i++) {
        uint8_t bytes[4];
        status =
            bipe_mapped_replace(out, bytes, bipe_utf8_encode(bipe_byte_letter(in->text[i]), bytes), in, i, i + 1, err);
    }
    return status;
}

const bipe_normalizer_type bipe_norm_byte_level = {.name = "ByteLevel", .open = bipe_open_bare, .run = run_byte_level};
const bipe_normalizer_type bipe_norm_lowercase = {
    .name = "Lowercase", .open = bipe_open_bare, .run = run_lowercase, .pairs = pairs_lowercase};
const bipe_normalizer_type bipe_norm_strip_accents = {
    .name = "StripAccents", .open = bipe_open_bare, .run = run_strip_accents, .pairs = pairs_strip_accents};
const bipe_normalizer_type bipe_norm_nmt = {.name = "Nmt", .open = bipe_open_bare, .run = run_nmt, .pairs = pairs_nmt};
const bipe_normalizer_type bipe_norm_bert = {
    .name = "BertNormalizer", .open = open_bert, .close = bipe_free, .run = run_bert, .pairs = pairs_bert};
