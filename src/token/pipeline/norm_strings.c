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

static int open_strip(void **config, const json_t *json, bipe_error *err)
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

/* ---- Prepend: a string in front of a text that is not empty ---- */

static int open_prepend(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "prepend", NULL};
    const json_t *text = json_object_get(json, "prepend");
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (!json_is_string(text) || json_string_length(text) > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "prepend: expected a string of at most %d bytes", BIPE_PIECE_LIMIT);
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

/* A half that continues a text gets nothing. */
static void pairs_prepend(const void *config, bipe_pairs *pairs)
{
    (void)config;
    pairs->prefixes = pairs->step_plain = true;
}

/* ---- Replace: a string, or the matches of a regular expression (Oniguruma's) ---- */

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

static int read_pattern(replace *r, const json_t *pattern, bipe_error *err)
{
    const json_t *string = json_object_get(pattern, "String"), *regex = json_object_get(pattern, "Regex");
    if (json_is_string(regex)) {
        bipe_buffer text = {0};
        int status = bipe_pattern_translate(json_string_value(regex), json_string_length(regex), &text, err);
        if (status == BIPE_OK)
            status = bipe_pattern_compile(&r->regex, (const char *)text.data, text.size, err);
        bipe_buffer_free(&text);
        r->known = strcmp(json_string_value(regex), " {2,}") == 0  ? SPACES
                   : strcmp(json_string_value(regex), "\\s+") == 0 ? WHITE
                                                                   : ANY_PATTERN;
        return status;
    }
    if (json_string_length(string) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a pattern that is no string, or an empty one");
    r->string_size = json_string_length(string);
    r->string = bipe_strdup(json_string_value(string));
    return r->string != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int open_replace(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "pattern", "content", NULL};
    const json_t *pattern = json_object_get(json, "pattern"), *content = json_object_get(json, "content");
    int status = bipe_json_only(json, known, err);
    if (status != BIPE_OK)
        return status;
    if (json_object_size(pattern) != 1 || !json_is_string(content) || json_string_length(content) > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected \"pattern\", and \"content\" of at most %d bytes",
                         BIPE_PIECE_LIMIT);
    replace *r = bipe_alloc(1, sizeof *r);
    *config = r;
    if (r == NULL)
        return bipe_fail_memory(err);
    r->content_size = json_string_length(content);
    r->content = bipe_strdup(json_string_value(content));
    return r->content != NULL ? read_pattern(r, pattern, err) : bipe_fail_memory(err);
}

/* The next match at or after `from`: BIPE_END when there is none. */
static int find_match(const replace *r, bipe_matches *matches, const bipe_mapped *in, size_t from, size_t *start,
                      size_t *end, bipe_error *err)
{
    if (matches != NULL) {
        int status = bipe_matches_next(matches, start, end, err);
        if (status == BIPE_OK && *start == *end)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "Replace: the pattern has matched nothing, expected one that always matches something");
        return status;
    }
    const uint8_t *found = memmem(in->text + from, in->size - from, r->string, r->string_size);
    if (found == NULL)
        return BIPE_END;
    *start = (size_t)(found - in->text);
    *end = *start + r->string_size;
    return BIPE_OK;
}

/* Appends the replacement of a match. */
static int append_content(const replace *r, const bipe_mapped *in, size_t start, size_t end, bool begins,
                          bipe_mapped *out, bipe_error *err)
{
    /* The library counts what replaces several characters to the last of them, so that it does not begin
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

static int run_replace(const void *config, const bipe_mapped *in, bipe_mapped *out, bipe_error *err)
{
    const replace *r = config;
    bipe_matches *matches = NULL;
    size_t copied = 0, start, end;
    if (in->size == 0)
        return BIPE_OK;
    int status = r->regex != NULL ? bipe_matches_open(&matches, r->regex, err) : BIPE_OK;
    if (status == BIPE_OK && matches != NULL)
        bipe_matches_begin(matches, in->text, in->size, false);
    while (status == BIPE_OK && (status = find_match(r, matches, in, copied, &start, &end, err)) == BIPE_OK) {
        status = bipe_mapped_copy(out, in, copied, start, err);
        if (status == BIPE_OK)
            status = append_content(r, in, start, end, start == 0, out, err);
        copied = end;
    }
    if (status == BIPE_OK || status == BIPE_END)
        status = bipe_mapped_copy(out, in, copied, in->size, err);
    bipe_matches_close(matches);
    return status;
}

/* ---- decoding ---- */

static bool marks_spaces(const replace *r)
{
    return r->string_size == 1 && r->string[0] == ' ' && r->content_size != 0;
}

static int undo_replace(const void *config, const uint8_t *text, size_t size, bipe_buffer *out, bipe_error *err)
{
    const replace *r = config;
    return marks_spaces(r) ? bipe_undo_spaces(r->content, r->content_size, text, size, out, err)
                           : bipe_buffer_append(out, text, size, err);
}

bool bipe_prepends_space(const bipe_normalizer_step *step, size_t steps)
{
    bool found = false;
    for (size_t i = 0; i < steps; i++)
        for (size_t k = 0; step[i].type == &bipe_norm_prepend && k < steps; k++) {
            const char *text = step[i].config;
            const replace *r = step[k].config;
            found = found || strcmp(text, " ") == 0 ||
                    (step[k].type == &bipe_norm_replace && marks_spaces(r) && strcmp(text, r->content) == 0);
        }
    return found;
}

/* ---- where a text may be cut ---- */

static bool is_white(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r');
}

/* At an end that a cut makes there must be no white space. */
static void pairs_strip(const void *config, bipe_pairs *pairs)
{
    (void)config;
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        if (is_white(pairs->to[x]) || pairs->to[x] == BIPE_CODE_ANY)
            memset(pairs->keeps[x], false, sizeof pairs->keeps[x]);
}

/* Whether the string has a character that this may be. */
static bool has_character(const replace *r, uint32_t code)
{
    bool found = code == BIPE_CODE_ANY;
    for (size_t i = 0; i < r->string_size; i++) {
        uint8_t c = (uint8_t)r->string[i];
        found = found || c == code || (code == BIPE_CODE_LETTERS && (c >= 0x80 || (unsigned)(c | 32) - 'a' < 26));
    }
    return found;
}

static bool is_within_match(const replace *r, uint32_t x, uint32_t y)
{
    bool any = x == BIPE_CODE_ANY;
    bool within = r->known == WHITE && (is_white(x) || any) && is_white(y);
    for (size_t i = 1; i < r->string_size; i++)
        within = within || ((uint8_t)r->string[i] == y && (has_character(r, x) || any));
    return within || (r->known == SPACES && (x == ' ' || any));
}

/* The content, when that is one character. */
static uint32_t content_of(const replace *r)
{
    int32_t code;
    size_t n = bipe_utf8_decode((const uint8_t *)r->content, r->content_size, &code);
    return n != 0 && n == r->content_size && code >= 0 ? (uint32_t)code : BIPE_CODE_UNKNOWN;
}

static uint32_t replace_code(const void *context, uint32_t code)
{
    const replace *r = context;
    if (code >= BIPE_PAIRS || (r->regex != NULL && r->known == ANY_PATTERN))
        return BIPE_CODE_UNKNOWN;
    if (r->known == WHITE)
        return is_white(code) ? content_of(r) : code;
    return !has_character(r, code) ? code : r->string_size == 1 ? content_of(r) : BIPE_CODE_UNKNOWN;
}

/* Two patterns are understood. A space that stands alone stays with both. */
static void pairs_replace(const void *config, bipe_pairs *pairs)
{
    const replace *r = config;
    pairs->step_plain = r->string_size == 1;
    for (unsigned b = 0; r->known == SPACES && b < BIPE_PAIRS; b++)
        pairs->third[b] = pairs->third[b] && pairs->to[b] != ' ' && pairs->to[b] != BIPE_CODE_UNKNOWN;
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            pairs->keeps[x][y] = pairs->keeps[x][y] && !is_within_match(r, pairs->to[x], pairs->to[y]);
    bipe_pairs_become(pairs, replace_code, r);
    for (unsigned x = BIPE_PAIRS; x < BIPE_PAIRS_BEFORE; x++)
        if (r->regex != NULL ? r->known == ANY_PATTERN : has_character(r, pairs->to[x]))
            pairs->to[x] = r->regex != NULL ? BIPE_CODE_UNKNOWN : BIPE_CODE_ANY;
}

const bipe_normalizer_type bipe_norm_strip = {
    .name = "Strip", .open = open_strip, .close = bipe_free, .run = run_strip, .pairs = pairs_strip};
const bipe_normalizer_type bipe_norm_prepend = {
    .name = "Prepend", .open = open_prepend, .close = bipe_free, .run = run_prepend, .pairs = pairs_prepend};
const bipe_normalizer_type bipe_norm_replace = {
    .name = "Replace", .open = open_replace, .close = close_replace, .run = run_replace, .undo = undo_replace,
    .pairs = pairs_replace};

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
