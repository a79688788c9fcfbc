/* pre_metaspace.c - the pre-tokenizer Metaspace: spaces become a visible character, which also begins a text, and each
 * of them begins a pre-token. */
#include "base/alloc.h"
#include "token/hf_unicode.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"

/* The texts that get the prefix. */
typedef enum bipe_metaspace_scheme {
    BIPE_METASPACE_ALWAYS, /* of every text between special tokens, */
    BIPE_METASPACE_FIRST,  /* of the one that a document begins with, */
    BIPE_METASPACE_NEVER
} bipe_metaspace_scheme;

typedef struct bipe_metaspace {
    uint32_t code;
    uint8_t bytes[4]; /* the character */
    size_t size;
    bipe_metaspace_scheme scheme;
    bool split;       /* each begins a pre-token */
} bipe_metaspace;

static int read_scheme(bipe_metaspace *m, const json_t *json, bipe_error *err)
{
    static const char *const names[] = {"always", "first", "never"};
    const json_t *value = json_object_get(json, "prepend_scheme");
    bool prefix, found = value == NULL;
    for (size_t i = 0; json_is_string(value) && i < sizeof names / sizeof *names; i++)
        if (strcmp(json_string_value(value), names[i]) == 0) {
            m->scheme = (bipe_metaspace_scheme)i;
            found = true;
        }
    if (!found)
        return bipe_fail(err, BIPE_ERR_FORMAT, "prepend_scheme: expected always, first or never");
    int status = bipe_json_flag(json, "add_prefix_space", true, &prefix, err);
    if (status == BIPE_OK && !prefix && m->scheme != BIPE_METASPACE_NEVER)
        return bipe_fail(err, BIPE_ERR_FORMAT, "add_prefix_space is false, expected the prepend_scheme never with it");
    return status;
}

static int read_members(bipe_metaspace *m, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type",    "replacement", "prepend_scheme", "add_prefix_space", "split",
                                        "str_rep", NULL};
    *m = (bipe_metaspace){.scheme = BIPE_METASPACE_ALWAYS};
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_step_character(json, "replacement", &m->code, err);
    if (status == BIPE_OK)
        status = read_scheme(m, json, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "split", true, &m->split, err);
    if (status == BIPE_OK)
        m->size = bipe_utf8_encode((int32_t)m->code, m->bytes);
    return status;
}

static int open_metaspace(void **config, const json_t *json, bipe_error *err)
{
    bipe_metaspace *m = bipe_alloc(1, sizeof *m);
    *config = m;
    return m != NULL ? read_members(m, json, err) : bipe_fail_memory(err);
}

/* Whether a step before this one writes bytes as letters. */
static bool is_after_letters(const bipe_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->pretokenizers; i++)
        if (pipeline->pretokenizer[i].type == &bipe_pre_byte_letters)
            return true;
    return false;
}

/* Whether the replacement of several characters, the first of the document among them, may be in a later pre-token than
 * the first: after text that another step put there, or made of that first one. (What is made of a character does not
 * end with white space, but for a Replace.) The library counts it to the last of them (put_content() in
 * norm_strings.c); here that is known only of the first pre-token. */
static bool may_follow_first(const bipe_pipeline *pipeline)
{
    bool put = false, follows = false;
    for (size_t i = 0; i < pipeline->normalizers; i++) {
        const bipe_normalizer_step *step = &pipeline->normalizer[i];
        bool white;
        follows = follows || (i != 0 && bipe_replaces_several(step, &white) && (put || !white));
        put = put || step->type == &bipe_norm_prepend || step->type == &bipe_norm_replace;
    }
    return follows && pipeline->pretokenizers != 0;
}

static int add_metaspace(bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    void *config = NULL;
    int status = open_metaspace(&config, json, err);
    bool first = status == BIPE_OK && ((const bipe_metaspace *)config)->scheme == BIPE_METASPACE_FIRST;
    /* The library puts the character in front of every part of the text's first character then. */
    if (first && is_after_letters(pipeline))
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "prepend_scheme first after ByteLevel");
    else if (first && may_follow_first(pipeline))
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                           "prepend_scheme first after another pre-tokenizer, and a Replace after another normalizer");
    if (status != BIPE_OK) {
        bipe_free(config);
        return status;
    }
    /* Decoding drops a prefix. */
    if (((const bipe_metaspace *)config)->scheme != BIPE_METASPACE_NEVER)
        pipeline->prefix = true;
    return bipe_pipeline_push(pipeline, &bipe_pre_metaspace, config, err);
}

static bool needs_prefix(const bipe_metaspace *m, const bipe_mapped *text, bipe_range range, uint32_t code)
{
    if (code == ' ' || code == m->code || m->scheme == BIPE_METASPACE_NEVER)
        return false;
    if (m->scheme == BIPE_METASPACE_FIRST)
        return text->origin && text->first && text->start[range.start] == 0;
    return text->first || range.start != 0;
}

/* Replaces a space at `at` by the character; memory is reserved. */
static void replace_space(const bipe_metaspace *m, const bipe_mapped *from, size_t at, bipe_mapped *text)
{
    for (size_t i = 0; i < m->size; i++) {
        text->text[text->size] = m->bytes[i];
        text->start[text->size] = from->start[at];
        text->end[text->size++] = from->end[at];
    }
}

/* Reserves memory for a rewritten range without its prefix. */
static int reserve_text(const bipe_metaspace *m, const bipe_mapped *from, bipe_range range, bipe_mapped *text,
                        bipe_error *err)
{
    size_t spaces = 0;
    for (size_t i = range.start; i < range.end; i++)
        spaces += from->text[i] == ' ';
    return bipe_mapped_reserve(text, range.end - range.start + spaces * (m->size - 1) + m->size, err);
}

/* The end of the bytes from `at` on that are neither a space nor the first byte of the character for one: they stay,
 * well-formed or not. */
static size_t end_of_others(const bipe_metaspace *m, const uint8_t *text, size_t at, size_t end)
{
    while (at < end && text[at] != ' ' && text[at] != m->bytes[0])
        at++;
    return at;
}

static int rewrite_pieces(const void *config, const bipe_mapped *from, const bipe_ranges *in, bipe_mapped *text,
                          bipe_ranges *out, bipe_error *err)
{
    const bipe_metaspace *m = config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        bipe_range range = in->range[i];
        size_t piece = text->size;
        status = reserve_text(m, from, range, text, err);
        for (size_t at = range.start, n; status == BIPE_OK && at < range.end; at += n) {
            uint32_t code;
            n = bipe_step_char(from->text, range.end, at, &code);
            if (at == range.start && needs_prefix(m, from, range, code))
                status = bipe_mapped_replace(text, m->bytes, m->size, from, at, at, err);
            if (status == BIPE_OK && m->split && (code == ' ' || code == m->code)) {
                status = bipe_ranges_add(out, piece, text->size, err);
                piece = text->size;
            }
            if (status != BIPE_OK)
                break;
            if (code != ' ')
                n = end_of_others(m, from->text, at + n, range.end) - at;
            if (code == ' ')
                replace_space(m, from, at, text);
            else
                status = bipe_mapped_copy(text, from, at, at + n, err);
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, piece, text->size, err);
    }
    return status;
}

static int undo_metaspace(const void *config, const uint8_t *text, size_t size, bipe_buffer *out, bipe_error *err)
{
    const bipe_metaspace *m = config;
    return bipe_undo_spaces(m->bytes, m->size, text, size, out, err);
}

/* A half that begins with a space gets no prefix, and one that begins with white space which has been left out gets the
 * one that it has in the whole. */
static bipe_pair_class metaspace_unit_of(const void *config, uint32_t *code, bool removed)
{
    const bipe_metaspace *m = config;
    bool white = *code == ' ' || (removed && bipe_hf_is_space(*code)), known = m->code >= BIPE_PAIRS;
    bipe_pair_class class = {.before = m->split && (*code == ' ' || *code == m->code), .unknown_after = !known};
    class.unknown_before = !known || !(white || m->scheme != BIPE_METASPACE_ALWAYS);
    *code = *code == ' ' ? m->code : *code;
    return class;
}

static void metaspace_pairs(const void *config, bipe_pairs *pairs)
{
    const bipe_metaspace *m = config;
    pairs->prefixes = pairs->prefixes || m->scheme != BIPE_METASPACE_NEVER;
    pairs->step_plain = !m->split;
}

const bipe_pretokenizer_type bipe_pre_metaspace = {
    .name = "Metaspace", .add = add_metaspace, .close = bipe_free, .rewrite = rewrite_pieces, .undo = undo_metaspace,
    .class_of = metaspace_unit_of, .pairs = metaspace_pairs};
