/* norm_strings.c - the normalizers that look at the ends of a text or for something in it: Strip, Prepend, Replace. */
#include <config.h>

#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "token/hf_unicode.h"
#include "token/normalizers.h"

/* ---- Strip: white space at the ends of a text ---- */

typedef struct strip {
    bool left, right;
} strip;

static int open_strip(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "strip_left", "strip_right", NULL};
    strip *s = bipe_alloc(1, sizeof *s);
    *config = s;
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    for (size_t i = 1; status == BIPE_OK && known[i] != NULL; i++)
        if (!json_is_boolean(json_object_get(json, known[i])))
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected true or false", known[i]);
    s->left = json_is_true(json_object_get(json, "strip_left"));
    s->right = json_is_true(json_object_get(json, "strip_right"));
    cuts->joins = BIPE_JOIN_ALL;
    /* A chunk begins and ends with what would be taken away only at the ends of the text, unless it ends with a letter. */
    cuts->keeps = s->right ? BIPE_CUT_SPACE | BIPE_CUT_NEWLINE | BIPE_CUT_SEEN_SPACE | BIPE_CUT_SEEN_NEWLINE | BIPE_CUT_WORD
                            : BIPE_CUT_ALL & ~BIPE_CUT_ANY_NEWLINE; /* before which white space may be all there is */
    return status;
}

static int run_strip(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const strip *s = config;
    size_t from = 0, to = in->size;
    uint32_t code;
    if (s->left && in->first)
        for (size_t n; from < to; from += n) {
            n = bipe_step_char(in->text, in->size, from, &code);
            if (!bipe_hf_is_space(code))
                break;
        }
    while (s->right && to > from) {
        size_t n = 1;
        while (n < 4 && n < to - from && (in->text[to - n] & 0xC0) == 0x80)
            n++;
        if (bipe_step_char(in->text, to, to - n, &code) != n || !bipe_hf_is_space(code))
            break;
        to -= n;
    }
    return bipe_mapped_copy(out, in, from, to, err);
}

/* ---- Prepend: a string in front of a text that is not empty ---- */

static int open_prepend(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "prepend", NULL};
    const json_t *text = json_object_get(json, "prepend");
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (!json_is_string(text) || json_string_length(text) > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "prepend: expected a string of at most %d bytes", BIPE_PIECE_LIMIT);
    cuts->keeps = BIPE_CUT_ALL;
    cuts->joins = BIPE_JOIN_ALL;
    *config = bipe_strdup(json_string_value(text));
    return *config != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int run_prepend(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const char *text = config;
    int status = BIPE_OK;
    if (in->first && in->size != 0)
        status = bipe_mapped_replace(out, text, strlen(text), in, 0, 0, err);
    return status == BIPE_OK ? bipe_mapped_copy(out, in, 0, in->size, err) : status;
}

/* ---- Replace: a string, or what a regular expression (Oniguruma's) matches ---- */

typedef struct replace {
    bipe_pattern *regex; /* or a string: */
    char *string, *content;
    size_t string_size, content_size;
} replace;

static void close_replace(void *config)
{
    replace *r = config;
    if (r == NULL)
        return;
    bipe_pattern_free(r->regex);
    bipe_free(r->string);
    bipe_free(r->content);
    bipe_free(r);
}

static bool is_seen(char c)
{
    return c > ' ' && c < 0x7F;
}

/* What is seen may give way to what is seen. */
static unsigned string_keeps_seen(const replace *r)
{
    bool space = false, newline = false, touched = false, seen = r->content_size != 0;
    for (size_t i = 0; i < r->string_size; i++) {
        space |= r->string[i] == ' ';
        newline |= r->string[i] == '\n';
        touched |= is_seen(r->string[i]);
    }
    for (size_t i = 0; i < r->content_size; i++)
        seen = seen && is_seen(r->content[i]);
    return touched && !seen ? 0U : (space ? 0U : (unsigned)BIPE_CUT_SEEN_SPACE) | (newline ? 0U : (unsigned)BIPE_CUT_SEEN_NEWLINE);
}

/* A string must touch neither blank nor letter beside a place to cut at. */
static unsigned string_keeps(const replace *r)
{
    bool space = false, newline = false, letter = false, ascii = true;
    for (size_t i = 0; i < r->string_size; i++) {
        char c = r->string[i];
        space |= c == ' ';
        newline |= c == '\n';
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        ascii &= c >= 0;
    }
    unsigned word = ascii && !letter && !space ? (unsigned)BIPE_CUT_WORD : 0U;
    return word | string_keeps_seen(r) | (letter ? 0U : (space ? 0U : BIPE_CUT_SPACE | BIPE_CUT_AFTER) | (newline ? 0U : BIPE_CUT_NEWLINE));
}

/* Nor characters of words. */
static unsigned string_joins(const replace *r)
{
    unsigned joins = BIPE_JOIN_ALL;
    for (size_t i = 0; i < r->string_size; i++) {
        char c = r->string[i];
        if (c < 0 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
            joins &= (unsigned)BIPE_JOIN_DIGITS;
        if (c < 0 || (c >= '0' && c <= '9'))
            joins &= ~(unsigned)BIPE_JOIN_DIGITS;
    }
    return joins;
}

/* Of the patterns only that of T5 and XLM-R is understood: several spaces, which are no place to cut at, unless it does not matter
 * how much white space there is and some stays. */
static unsigned regex_keeps(const char *regex, const char *content)
{
    const unsigned places = BIPE_CUT_SPACE | BIPE_CUT_NEWLINE | BIPE_CUT_AFTER | BIPE_CUT_SEEN_SPACE | BIPE_CUT_SEEN_NEWLINE | BIPE_CUT_WORD;
    return strcmp(regex, " {2,}") == 0 ? places | (strcmp(content, " ") == 0 ? (unsigned)BIPE_CUT_ANY_NEWLINE : 0U) : 0U;
}

static int read_pattern(replace *r, bipe_cuts *cuts, const json_t *pattern, bipe_error *err)
{
    const json_t *string = json_object_get(pattern, "String"), *regex = json_object_get(pattern, "Regex");
    if (json_is_string(regex)) {
        bipe_buffer text = {0};
        int status = bipe_pattern_translate(json_string_value(regex), json_string_length(regex), &text, err);
        if (status == BIPE_OK)
            status = bipe_pattern_compile(&r->regex, (const char *)text.data, text.size, err);
        bipe_buffer_free(&text);
        cuts->keeps = regex_keeps(json_string_value(regex), r->content);
        cuts->joins = cuts->keeps != 0 ? BIPE_JOIN_ALL : 0U;
        return status;
    }
    if (json_string_length(string) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a pattern that is no string, or an empty one");
    r->string_size = json_string_length(string);
    r->string = bipe_strdup(json_string_value(string));
    cuts->keeps = r->string != NULL ? string_keeps(r) : 0;
    cuts->joins = r->string != NULL ? string_joins(r) : 0;
    return r->string != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int open_replace(void **config, bipe_cuts *cuts, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "pattern", "content", NULL};
    const json_t *pattern = json_object_get(json, "pattern"), *content = json_object_get(json, "content");
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (json_object_size(pattern) != 1 || !json_is_string(content) || json_string_length(content) > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected \"pattern\", and \"content\" of at most %d bytes", BIPE_PIECE_LIMIT);
    replace *r = bipe_alloc(1, sizeof *r);
    *config = r;
    if (r == NULL)
        return bipe_fail_memory(err);
    r->content_size = json_string_length(content);
    r->content = bipe_strdup(json_string_value(content));
    return r->content != NULL ? read_pattern(r, cuts, pattern, err) : bipe_fail_memory(err);
}

/* The next match at or behind `from`: BIPE_END when there is none. */
static int find_match(const replace *r, bipe_matches *matches, const bipe_mapped *in, size_t from, size_t *start, size_t *end,
                      bipe_error *err)
{
    if (matches != NULL) {
        int status = bipe_matches_next(matches, start, end, err);
        if (status == BIPE_OK && *start == *end)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace: the pattern has matched nothing, expected one that always matches something");
        return status;
    }
    const uint8_t *found = memmem(in->text + from, in->size - from, r->string, r->string_size);
    if (found == NULL)
        return BIPE_END;
    *start = (size_t)(found - in->text);
    *end = *start + r->string_size;
    return BIPE_OK;
}

static int run_replace(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const replace *r = config;
    bipe_matches *matches = NULL;
    size_t copied = 0, start, end;
    if (in->size == 0)
        return BIPE_OK;
    int status = r->regex != NULL ? bipe_matches_open(&matches, r->regex, err) : BIPE_OK;
    if (status == BIPE_OK && matches != NULL)
        bipe_matches_begin(matches, in->text, in->size);
    while (status == BIPE_OK && (status = find_match(r, matches, in, copied, &start, &end, err)) == BIPE_OK) {
        status = bipe_mapped_copy(out, in, copied, start, err);
        if (status == BIPE_OK && r->content_size != 0) {
            /* The library counts what takes the place of several characters to the last of them, so that it does not begin
             * the document. */
            size_t last = end - 1;
            while (last > start && (in->text[last] & 0xC0) == 0x80)
                last--;
            if (start == 0 && in->start[last] != 0)
                out->origin = false;
            status = bipe_mapped_replace(out, r->content, r->content_size, in, start, end, err);
        }
        copied = end;
    }
    if (status == BIPE_END)
        status = bipe_mapped_copy(out, in, copied, in->size, err);
    bipe_matches_close(matches);
    return status;
}

const bipe_normalizer_type bipe_norm_strip = {.name = "Strip", .open = open_strip, .close = bipe_free, .run = run_strip};
const bipe_normalizer_type bipe_norm_prepend = {
    .name = "Prepend", .open = open_prepend, .close = bipe_free, .run = run_prepend};
const bipe_normalizer_type bipe_norm_replace = {
    .name = "Replace", .open = open_replace, .close = close_replace, .run = run_replace};
