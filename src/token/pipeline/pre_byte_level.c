/* pre_byte_level.c - the pre-tokenizer ByteLevel: a space in front, GPT-2's pattern, and each byte written as a
 * letter. Three steps, of which a tokenizer.json can leave out the first two. `trim_offsets` concerns the library's
 * offsets alone. */
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"

/* ---- the prefix ---- */

static int prefix_rewrite(const void *config, const bipe_mapped *from, const bipe_ranges *in, bipe_mapped *text,
                          bipe_ranges *out, bipe_error *err)
{
    (void)config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        bipe_range range = in->range[i];
        size_t start = text->size;
        if (from->text[range.start] != ' ')
            status = bipe_mapped_append(text, " ", 1, from->start[range.start], from->start[range.start], err);
        if (status == BIPE_OK)
            status = bipe_mapped_copy(text, from, range.start, range.end, err);
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, start, text->size, err);
    }
    return status;
}

/* A half that begins with a space gets none. */
static bipe_pair_class prefix_class(const void *config, uint32_t *code, bool removed)
{
    (void)config;
    (void)removed;
    return (bipe_pair_class){.unknown_before = *code != ' '};
}

static void prefix_pairs(const void *config, bipe_pairs *pairs)
{
    (void)config;
    pairs->prefixes = true;
}

const bipe_pretokenizer_type bipe_pre_prefix = {
    .name = "a space in front", .rewrite = prefix_rewrite, .class_of = prefix_class, .pairs = prefix_pairs};

/* ---- the letters ---- */

static int letters_rewrite(const void *config, const bipe_mapped *from, const bipe_ranges *in, bipe_mapped *text,
                           bipe_ranges *out, bipe_error *err)
{
    (void)config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t start = text->size;
        for (size_t k = in->range[i].start; status == BIPE_OK && k < in->range[i].end; k++) {
            uint8_t bytes[4];
            size_t n = bipe_utf8_encode(bipe_byte_letter(from->text[k]), bytes);
            status = bipe_mapped_append(text, bytes, n, from->start[k], from->end[k], err);
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, start, text->size, err);
    }
    return status;
}

static int letters_undo(const void *config, const uint8_t *text, size_t size, bipe_buffer *out, bipe_error *err)
{
    (void)config;
    size_t at = out->size;
    for (size_t i = 0; i < size;) {
        int32_t code = text[i];
        size_t n = code < 0x80 ? 1 : bipe_utf8_decode(text + i, size - i, &code);
        int byte = n != 0 ? bipe_letter_byte(code) : -1;
        if (byte < 0) {
            /* As in the library, a string with other letters is taken literally. */
            out->size = at;
            return bipe_buffer_append(out, text, size, err);
        }
        uint8_t b = (uint8_t)byte;
        int status = bipe_buffer_append(out, &b, 1, err);
        if (status != BIPE_OK)
            return status;
        i += n;
    }
    return BIPE_OK;
}

static uint32_t letter_of(const void *context, uint32_t code)
{
    (void)context;
    return code < BIPE_PAIRS ? (uint32_t)bipe_byte_letter((uint8_t)code) : BIPE_CODE_UNKNOWN;
}

static void letters_pairs(const void *config, bipe_pairs *pairs)
{
    (void)config;
    memset(pairs->step_keeps, true, sizeof pairs->step_keeps);
    bipe_pairs_become(pairs, letter_of, NULL);
    pairs->to[BIPE_PAIR_LETTER] = BIPE_CODE_ANY;
    pairs->as_written = false;
}

const bipe_pretokenizer_type bipe_pre_byte_letters = {
    .name = "bytes as letters",
    .rewrite = letters_rewrite,
    .undo = letters_undo,
    .pairs = letters_pairs,
};

/* ---- steps after the letters (Falcon's) ---- */

/* They see letters, and so each splits the bytes just as it splits what these are written as: byte 0xB2 is a digit,
 * being written as U+00B2. */
typedef struct after_letters {
    const bipe_pretokenizer_type *type;
    void *config;
} after_letters;

static void after_letters_close(void *config)
{
    after_letters *b = config;
    if (b != NULL && b->type->close != NULL)
        b->type->close(b->config);
    bipe_free(b);
}

/* Appends the letters of text[from .. to), each with the place of its byte. */
static int put_letters(bipe_mapped *letters, const uint8_t *text, size_t from, size_t to, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t k = from; status == BIPE_OK && k < to; k++) {
        uint8_t bytes[4];
        status = bipe_mapped_append(letters, bytes, bipe_utf8_encode(bipe_byte_letter(text[k]), bytes), (uint32_t)k,
                                    (uint32_t)k + 1, err);
    }
    return status;
}

static int after_letters_split(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                               bipe_error *err)
{
    const after_letters *b = config;
    bipe_mapped letters = {0};
    bipe_ranges from = {0}, to = {0};
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t start = letters.size;
        status = put_letters(&letters, text->text, in->range[i].start, in->range[i].end, err);
        if (status == BIPE_OK)
            status = bipe_ranges_add(&from, start, letters.size, err);
    }
    if (status == BIPE_OK)
        status = b->type->split(b->config, &letters, &from, &to, err);
    for (size_t i = 0; status == BIPE_OK && i < to.count; i++)
        status = bipe_ranges_add(out, letters.start[to.range[i].start], letters.end[to.range[i].end - 1], err);
    bipe_mapped_free(&letters);
    bipe_ranges_free(&from);
    bipe_ranges_free(&to);
    return status;
}

static void after_letters_pairs(const void *config, bipe_pairs *pairs)
{
    const after_letters *b = config;
    uint32_t to[BIPE_PAIRS_BEFORE];
    bool as_written = pairs->as_written;
    memcpy(to, pairs->to, sizeof to);
    letters_pairs(NULL, pairs);
    memset(pairs->step_keeps, false, sizeof pairs->step_keeps);
    if (b->type->pairs != NULL)
        b->type->pairs(b->config, pairs);
    memcpy(pairs->to, to, sizeof to);
    pairs->as_written = as_written;
}

static const bipe_pretokenizer_type after_letters_type = {
    .name = "a step after the letters",
    .close = after_letters_close,
    .split = after_letters_split,
    .pairs = after_letters_pairs,
};

const bipe_pretokenizer_type *bipe_pretokenizer_after_letters(const bipe_pretokenizer_type *type, void **config)
{
    after_letters *b = bipe_alloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    *b = (after_letters){.type = type, .config = *config};
    *config = b;
    return &after_letters_type;
}

/* ---- the whole ---- */

static int add_pattern(bipe_pipeline *p, const char *pattern, bipe_error *err)
{
    json_t *json = json_pack("{s:s,s:{s:s},s:s}", "type", "Split", "pattern", "Regex", pattern, "behavior", "Isolated");
    int status = json != NULL ? bipe_pipeline_add_pretokenizer(p, json, err) : bipe_fail_memory(err);
    json_decref(json);
    return status;
}

int bipe_pipeline_add_byte_level(bipe_pipeline *p, bool prefix, const char *const *patterns, bipe_error *err)
{
    int status = BIPE_OK;
    if (prefix) {
        status = bipe_pipeline_push(p, &bipe_pre_prefix, NULL, err);
        p->prefix = true;
    }
    for (; status == BIPE_OK && patterns != NULL && *patterns != NULL; patterns++)
        status = add_pattern(p, *patterns, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_push(p, &bipe_pre_byte_letters, NULL, err);
    return status;
}

static int byte_level_add(bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    static const char *const gpt2[] = {BIPE_PATTERN_GPT2, NULL};
    static const char *const known[] = {"type", "add_prefix_space", "trim_offsets", "use_regex", NULL};
    bool prefix, use_regex;
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "add_prefix_space", true, &prefix, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "use_regex", true, &use_regex, err);
    return status == BIPE_OK ? bipe_pipeline_add_byte_level(p, prefix, use_regex ? gpt2 : NULL, err) : status;
}

const bipe_pretokenizer_type bipe_pre_byte_level = {.name = "ByteLevel", .add = byte_level_add};
