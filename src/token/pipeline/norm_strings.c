/* norm_strings.c - the normalizers that look at the ends of a text or for something in it: Strip, Prepend, Replace. */
#include <config.h>

#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "token/hf_unicode.h"
#include "token/pipeline/normalizers.h"

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
    /* A chunk begins and ends with what would be taken away only at the ends of the text, unless it ends with a letter. */
    cuts->keeps = s->right ? BIPE_CUT_SPACE | BIPE_CUT_NEWLINE | BIPE_CUT_SEEN_SPACE | BIPE_CUT_SEEN_NEWLINE | BIPE_CUT_WORD
                            : BIPE_CUT_ALL & ~BIPE_CUT_ANY_NEWLINE; /* before which white space may be all there is */
    return status;
}

/* Where white space that reaches up to `to` begins, not before `from`. */
static size_t strip_right(const bipe_mapped *in, size_t from, size_t to)
{
    uint32_t code;
    while (to > from) {
        size_t n = 1;
        while (n < 4 && n < to - from && (in->text[to - n] & 0xC0) == 0x80)
            n++;
        if (bipe_step_char(in->text, to, to - n, &code) != n || !bipe_hf_is_space(code))
            break;
        to -= n;
    }
    return to;
}

/* Where white space that begins at `from` ends. */
static size_t strip_left(const bipe_mapped *in, size_t from, size_t to)
{
    uint32_t code;
    for (size_t n; from < to; from += n) {
        n = bipe_step_char(in->text, to, from, &code);
        if (!bipe_hf_is_space(code))
            break;
    }
    return from;
}

static int run_strip(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const strip *s = config;
    size_t from = s->left && in->first ? strip_left(in, 0, in->size) : 0;
    return bipe_mapped_copy(out, in, from, s->right ? strip_right(in, from, in->size) : in->size, err);
}

enum { SLICE = 1 << 16 };

static int flow_strip(const void *config, bipe_step_state *state, const bipe_mapped *in, bool last, bipe_mapped *out, size_t *taken,
                      bool *more, bipe_error *err)
{
    const strip *s = config;
    size_t all = last ? in->size : bipe_utf8_complete(in->text, in->size), from = 0;
    *more = false;
    if (s->left && in->first && !state->begun)
        from = strip_left(in, 0, all);
    *taken = from;
    if (from == all)
        return BIPE_OK;
    state->begun = true;
    size_t to = s->right ? strip_right(in, from, all) : all;
    *more = from < to && bipe_set_aside_waits(&state->aside); /* white space that something follows goes out */
    if (*more)
        return bipe_set_aside_give(&state->aside, SLICE, out, err);
    int status = bipe_mapped_copy(out, in, from, to, err);
    if (status == BIPE_OK)
        status = bipe_set_aside_put(&state->aside, in, to, all, err);
    *taken = all;
    return status;
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

/* A half that goes on gets nothing. */
static void pairs_prepend(const void *config, bipe_pairs *pairs)
{
    (void)config;
    (void)pairs;
}

static size_t character_prepend(const void *config, uint32_t code, uint32_t to[BIPE_UNIT_CODES])
{
    (void)config;
    to[0] = code;
    return 1;
}

/* ---- Replace: a string, or what a regular expression (Oniguruma's) matches ---- */

typedef struct replace {
    bipe_pattern *regex; /* or a string: */
    char *string, *content;
    size_t string_size, content_size;
    enum { ANY_PATTERN, SPACES, WHITE } known; /* " {2,}"; "\\s+" */
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
        r->known = strcmp(json_string_value(regex), " {2,}") == 0 ? SPACES : strcmp(json_string_value(regex), "\\s+") == 0 ? WHITE : ANY_PATTERN;
        return status;
    }
    if (json_string_length(string) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a pattern that is no string, or an empty one");
    r->string_size = json_string_length(string);
    r->string = bipe_strdup(json_string_value(string));
    cuts->keeps = r->string != NULL ? string_keeps(r) : 0;
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

/* What no match that begins before reaches. */
static size_t settled_replace(const replace *r, const bipe_mapped *in)
{
    size_t size = in->size, settled = 0;
    if (r->regex != NULL)
        return 0;
    for (const uint8_t *found; (found = memmem(in->text + settled, size - settled, r->string, r->string_size)) != NULL;)
        settled = (size_t)(found - in->text) + r->string_size;
    return size + 1 > settled + r->string_size ? size + 1 - r->string_size : settled;
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

/* Puts what takes the place of a match. */
static int put_content(const replace *r, const bipe_mapped *in, size_t start, size_t end, bool begins, bipe_mapped *out, bipe_error *err)
{
    /* The library counts what takes the place of several characters to the last of them, so that it does not begin
     * the document. */
    size_t last = end - 1;
    while (last > start && (in->text[last] & 0xC0) == 0x80)
        last--;
    if (r->content_size == 0)
        return BIPE_OK;
    if (begins && in->start[last] != 0)
        out->origin = false;
    return bipe_mapped_replace(out, r->content, r->content_size, in, start, end, err);
}

/* What [0, limit) of the text becomes. */
static int replace_until(const replace *r, const bipe_mapped *in, size_t limit, bipe_mapped *out, bipe_error *err)
{
    bipe_matches *matches = NULL;
    size_t copied = 0, start, end;
    if (limit == 0)
        return BIPE_OK;
    int status = r->regex != NULL ? bipe_matches_open(&matches, r->regex, err) : BIPE_OK;
    if (status == BIPE_OK && matches != NULL)
        bipe_matches_begin(matches, in->text, in->size);
    while (status == BIPE_OK && (status = find_match(r, matches, in, copied, &start, &end, err)) == BIPE_OK && start < limit) {
        status = bipe_mapped_copy(out, in, copied, start, err);
        if (status == BIPE_OK)
            status = put_content(r, in, start, end, start == 0, out, err);
        copied = end;
    }
    if (status == BIPE_OK || status == BIPE_END)
        status = bipe_mapped_copy(out, in, copied, limit, err);
    bipe_matches_close(matches);
    return status;
}

static int run_replace(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    return replace_until(config, in, in->size, out, err);
}

static int flow_replace(const void *config, bipe_step_state *state, const bipe_mapped *in, bool last, bipe_mapped *out, size_t *taken,
                        bool *more, bipe_error *err)
{
    const replace *r = config;
    *more = false;
    *taken = 0;
    (void)state;
    if (in->size == 0)
        return BIPE_OK;
    *taken = last ? in->size : settled_replace(r, in);
    return replace_until(r, in, *taken, out, err);
}

/* ---- pairs of bytes, where that replaces something ---- */

static bool is_white(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r');
}

static bool within_match(const void *context, uint32_t x, uint32_t y)
{
    const replace *r = context;
    bool within = r->known == WHITE && is_white(x) && is_white(y);
    for (size_t i = 1; i < r->string_size; i++)
        within = within || ((uint8_t)r->string[i - 1] == x && (uint8_t)r->string[i] == y);
    return within || (r->known == SPACES && x == ' ');
}

/* What the content is, when that is one character. */
static uint32_t content_of(const replace *r)
{
    int32_t code;
    size_t n = bipe_utf8_decode((const uint8_t *)r->content, r->content_size, &code);
    return n != 0 && n == r->content_size && code >= 0 ? (uint32_t)code : BIPE_PAIR_ODD;
}

static uint32_t replaced(const void *context, uint32_t code)
{
    const replace *r = context;
    if (code >= BIPE_PAIRS)
        return BIPE_PAIR_ODD;
    if (r->known == WHITE)
        return is_white(code) ? content_of(r) : code;
    bool found = r->string_size != 0 && memchr(r->string, (int)code, r->string_size) != NULL;
    return !found ? code : r->string_size == 1 ? content_of(r) : BIPE_PAIR_ODD;
}

static uint32_t nothing(const void *context, uint32_t code)
{
    (void)context;
    (void)code;
    return BIPE_PAIR_ODD;
}

/* Of patterns two are understood. A space that no other one stands beside stays. */
static void pairs_replace(const void *config, bipe_pairs *pairs)
{
    const replace *r = config;
    for (unsigned b = 0; r->known == SPACES && b < BIPE_PAIRS; b++)
        if (pairs->to[b] == ' ' || pairs->to[b] == BIPE_PAIR_ODD)
            pairs->behind[b] = false;
    bipe_pairs_forbid(pairs, within_match, r);
    bipe_pairs_become(pairs, r->regex != NULL && r->known == ANY_PATTERN ? nothing : replaced, r);
}

/* A character of the string is odd, unless it is all of it; so is white space beyond ASCII that a pattern takes. */
static size_t character_replace(const void *config, uint32_t code, uint32_t to[BIPE_UNIT_CODES])
{
    const replace *r = config;
    uint8_t bytes[4];
    size_t size = bipe_utf8_encode((int32_t)code, bytes), n = 0, count = 0;
    int32_t c;
    bool looks = r->regex == NULL && r->string_size != 0;
    bool found = r->known == WHITE ? is_white(code) : looks && memmem(r->string, r->string_size, bytes, size) != NULL;
    if ((r->regex != NULL && r->known == ANY_PATTERN) || (r->known == WHITE && code >= BIPE_PAIRS && bipe_hf_is_space(code)))
        return BIPE_UNIT_ODD;
    to[0] = code;
    if (!found)
        return 1;
    if (r->regex == NULL && r->string_size != size)
        return BIPE_UNIT_ODD;
    for (size_t i = 0; i < r->content_size; i += n) {
        n = bipe_utf8_decode((const uint8_t *)r->content + i, r->content_size - i, &c);
        if (n == 0 || c < 0 || count == BIPE_UNIT_CODES)
            return BIPE_UNIT_ODD;
        to[count++] = (uint32_t)c;
    }
    return count;
}

/* No pairs: units cannot wait for what is handed out in parts. */
const bipe_normalizer_type bipe_norm_strip = {
    .name = "Strip", .open = open_strip, .close = bipe_free, .run = run_strip, .flow = flow_strip};
const bipe_normalizer_type bipe_norm_prepend = {
    .name = "Prepend", .open = open_prepend, .close = bipe_free, .run = run_prepend, .settled = bipe_settled_characters,
    .pairs = pairs_prepend, .character = character_prepend};
const bipe_normalizer_type bipe_norm_replace = {
    .name = "Replace", .open = open_replace, .close = close_replace, .run = run_replace,
    .flow = flow_replace, .pairs = pairs_replace,
    .character = character_replace, .joins = within_match};

bool bipe_replaces_several(const bipe_normalizer_step *normalizer, bool *white)
{
    const replace *r = normalizer->config;
    int32_t code;
    if (normalizer->type != &bipe_norm_replace || r->content_size == 0)
        return false;
    *white = r->regex == NULL || r->known != ANY_PATTERN;
    for (size_t i = 0; r->regex == NULL && i < r->string_size; i++)
        *white = *white && is_white((uint8_t)r->string[i]);
    return r->regex != NULL || bipe_utf8_decode((const uint8_t *)r->string, r->string_size, &code) != r->string_size;
}
