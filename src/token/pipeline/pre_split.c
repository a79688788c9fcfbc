/* pre_split.c - the pre-tokenizer Split: cuts at the matches of a string or of a regular expression (Oniguruma's
 * syntax), which are isolated, joined to the text before or after them, or dropped. */
#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"

typedef struct split {
    bipe_pattern *pattern; /* or a string: */
    char *text;            /* empty: never found */
    size_t size;
    bipe_split_behaviour behaviour;
    bool invert;           /* the text between matches is treated as matches */
    const char *known;     /* the pattern of one that isolates, if it is one of the well-known, or NULL */
    bool numbers;          /* it is \p{N}, and isolates */
} split;

static void split_close(void *config)
{
    split *s = config;
    if (s == NULL)
        return;
    bipe_pattern_free(s->pattern);
    bipe_free(s->text);
    bipe_free(s);
}

static const json_t *string_of(const json_t *json)
{
    const json_t *pattern = json_object_get(json, "pattern");
    return json_is_string(pattern) ? pattern : json_object_get(pattern, "String");
}

static int read_pattern(split *s, const json_t *json, bipe_error *err)
{
    const json_t *string = string_of(json), *regex = json_object_get(json_object_get(json, "pattern"), "Regex");
    if (json_is_string(string)) {
        s->size = json_string_length(string);
        if (s->size > BIPE_ADDED_LENGTH)
            return bipe_fail(err, BIPE_ERR_LIMIT, "pattern: %zu bytes, expected at most %d", s->size,
                             BIPE_ADDED_LENGTH);
        s->text = bipe_strdup(json_string_value(string));
        if (s->text == NULL)
            return bipe_fail_memory(err);
        return BIPE_OK;
    }
    if (!json_is_string(regex))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected a \"pattern\" with \"String\" or \"Regex\"");
    bipe_buffer text = {0};
    int status = bipe_pattern_translate(json_string_value(regex), json_string_length(regex), &text, err);
    if (status == BIPE_OK)
        status = bipe_pattern_compile(&s->pattern, (const char *)text.data, text.size, err);
    bipe_buffer_free(&text);
    const char *known = bipe_pretoken_pattern_known(json_string_value(regex));
    if (s->behaviour == BIPE_SPLIT_REMOVED && s->invert && known != NULL && bipe_pretoken_pattern_rule(known) != NULL) {
        s->behaviour = BIPE_SPLIT_ISOLATED; /* these leave nothing between their matches */
        s->invert = false;
    }
    if (s->behaviour == BIPE_SPLIT_ISOLATED && !s->invert) {
        s->known = known;
        s->numbers = strcmp(json_string_value(regex), "\\p{N}") == 0;
    }
    return status;
}

static const char *split_known(const void *config)
{
    return ((const split *)config)->known;
}

static bool split_numbers(const void *config, bool *each, bool *digits)
{
    *each = ((const split *)config)->numbers;
    *digits = false;
    return *each;
}

static int split_open(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "pattern", "behavior", "invert", NULL};
    split *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "invert", false, &s->invert, err);
    if (status == BIPE_OK && json_object_get(json, "behavior") == NULL)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "no \"behavior\"");
    if (status == BIPE_OK)
        status = bipe_split_behaviour_read(json, &s->behaviour, err);
    if (status == BIPE_OK)
        status = read_pattern(s, json, err);
    if (status != BIPE_OK) {
        split_close(s);
        return status;
    }
    *config = s;
    return BIPE_OK;
}

/* ---- splitting ---- */

/* The pieces found so far of one pre-token. MergedWithNext needs the next piece. */
typedef struct found {
    const split *split;
    bipe_ranges *out;
    size_t first;   /* the pre-token's first range in out */
    bool last;      /* the one before was a match */
    bool waits;     /* BIPE_SPLIT_NEXT: a match that goes to the next */
    size_t waiting;
} found;

static int add_split_part(found *f, size_t start, size_t end, bool match, bipe_error *err)
{
    bipe_ranges *out = f->out;
    bool before = f->last, joins = false;
    match = match != f->split->invert;
    f->last = match;
    switch (f->split->behaviour) {
    case BIPE_SPLIT_REMOVED:
        return match ? BIPE_OK : bipe_ranges_add(out, start, end, err);
    case BIPE_SPLIT_ISOLATED:
        break;
    case BIPE_SPLIT_CONTIGUOUS:
        joins = match == before;
        break;
    case BIPE_SPLIT_PREVIOUS:
        joins = match && !before;
        break;
    case BIPE_SPLIT_NEXT:
        /* A match goes to what follows, unless that is a match. */
        if (f->waits) {
            size_t from = f->waiting;
            f->waits = false;
            if (match) {
                int status = bipe_ranges_add(out, from, start, err);
                if (status != BIPE_OK)
                    return status;
            } else {
                start = from;
            }
        }
        if (match) {
            f->waits = true;
            f->waiting = start;
            return BIPE_OK;
        }
        break;
    }
    if (joins && out->count > f->first) {
        out->range[out->count - 1].end = (uint32_t)end;
        return BIPE_OK;
    }
    return bipe_ranges_add(out, start, end, err);
}

/* The next occurrence of the string, or NULL. */
static const uint8_t *find_string(const split *s, const uint8_t *text, const uint8_t *end)
{
    if (s->size == 0)
        return NULL;
    for (const uint8_t *at = text; (size_t)(end - at) >= s->size; at++) {
        at = memchr(at, (unsigned char)s->text[0], (size_t)(end - at) - s->size + 1);
        if (at == NULL || memcmp(at, s->text, s->size) == 0)
            return at;
    }
    return NULL;
}

static bool starts_character(const uint8_t *text, size_t size, size_t at)
{
    return at >= size || (text[at] & 0xC0) != 0x80;
}

static int split_range(found *f, bipe_matches *matches, const bipe_mapped *mapped, bipe_range range, bipe_error *err)
{
    const split *s = f->split;
    const uint8_t *text = mapped->text;
    size_t at = range.start;
    int status = BIPE_OK;
    bool utf8 = mapped->utf8 && starts_character(text, mapped->size, at) &&
                starts_character(text, mapped->size, range.end);
    if (matches != NULL)
        bipe_matches_begin(matches, text + range.start, range.end - range.start, utf8);
    for (;;) {
        size_t start, end;
        if (matches != NULL) {
            status = bipe_matches_next(matches, &start, &end, err);
            start += range.start;
            end += range.start;
        } else {
            const uint8_t *hit = find_string(s, text + at, text + range.end);
            status = hit != NULL ? BIPE_OK : BIPE_END;
            start = hit != NULL ? (size_t)(hit - text) : 0;
            end = start + s->size;
        }
        if (status != BIPE_OK)
            break;
        if (start == end && s->behaviour != BIPE_SPLIT_ISOLATED && s->behaviour != BIPE_SPLIT_REMOVED)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "Split: the pattern has matched nothing, expected one that always matches something");
        if (at != start)
            status = add_split_part(f, at, start, false, err);
        if (status == BIPE_OK)
            status = add_split_part(f, start, end, true, err);
        if (status != BIPE_OK)
            return status;
        at = end;
    }
    if (status == BIPE_END)
        status = at != range.end ? add_split_part(f, at, range.end, false, err) : BIPE_OK;
    if (status == BIPE_OK && f->waits)
        status = bipe_ranges_add(f->out, f->waiting, range.end, err);
    return status;
}

static int split_run(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                     bipe_error *err)
{
    const split *s = config;
    bipe_matches *matches = NULL;
    int status = s->pattern != NULL ? bipe_matches_open(&matches, s->pattern, err) : BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        found f = {.split = s, .out = out, .first = out->count};
        status = split_range(&f, matches, text, in->range[i], err);
    }
    bipe_matches_close(matches);
    return status;
}

/* Whether a code may be, or end with, this byte of the string. */
static bool is_byte(uint32_t code, uint8_t byte)
{
    bool letter = byte >= 0x80 || (unsigned)(byte | 32) - 'a' < 26;
    return code == byte || code == BIPE_CODE_ANY || (letter && code >= BIPE_PAIRS);
}

/* A string: no boundary within it, nor beside one that joins a neighbour. A single character may be split off. */
static void pairs_of_string(const split *s, bipe_pairs *pairs)
{
    bool alone = s->behaviour == BIPE_SPLIT_REMOVED || s->behaviour == BIPE_SPLIT_ISOLATED;
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE && s->size != 0; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            uint32_t code = pairs->to[x], next = pairs->to[y];
            bool beside = is_byte(code, (uint8_t)s->text[s->size - 1]) || is_byte(next, (uint8_t)s->text[0]);
            bool within = s->invert || (beside && !alone),
                 sure = code == (uint8_t)s->text[0] || next == (uint8_t)s->text[0];
            for (size_t i = 1; i < s->size; i++)
                within = within || (is_byte(code, (uint8_t)s->text[i - 1]) && is_byte(next, (uint8_t)s->text[i]));
            pairs->step_keeps[x][y] = !within;
            pairs->step_splits[x][y] = s->size == 1 && sure && alone;
        }
}

/* Whether the string has a character of ASCII that the steps before have left in no text (Gemma's space). */
static bool is_idle(const split *s, const bipe_pairs *pairs)
{
    bool idle = false;
    for (size_t i = 0; pairs->plain && !s->invert && !idle && i < s->size; i++) {
        idle = (uint8_t)s->text[i] < BIPE_PAIRS;
        for (unsigned b = 0; idle && b < BIPE_PAIRS; b++)
            idle = pairs->to[b] != (uint8_t)s->text[i];
    }
    return idle;
}

static void split_pairs(const void *config, bipe_pairs *pairs)
{
    const split *s = config;
    pairs->step_plain = is_idle(s, pairs);
    if (s->behaviour == BIPE_SPLIT_REMOVED && !pairs->step_plain)
        pairs->gaps = true;
    if (s->pattern == NULL)
        pairs_of_string(s, pairs);
    else if (s->behaviour == BIPE_SPLIT_REMOVED || s->behaviour == BIPE_SPLIT_ISOLATED)
        bipe_pairs_pattern(pairs, s->pattern, s->known);
}

const bipe_pretokenizer_type bipe_pre_split = {
    .name = "Split",
    .open = split_open,
    .close = split_close,
    .split = split_run,
    .known = split_known,
    .numbers = split_numbers,
    .pairs = split_pairs,
};

/* ---- FixedLength: a text is cut after every so many characters, as models of genomes and of proteins want it ---- */

enum { LENGTH = 5 }; /* of the library, where the file says none */

static int open_length(void **config, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "length", NULL};
    size_t *length = bipe_alloc(1, sizeof *length);
    *config = length;
    if (length == NULL)
        return bipe_fail_memory(err);
    *length = LENGTH;
    const json_t *value = json_object_get(json, "length");
    if (value != NULL) {
        if (!json_is_integer(value) || json_integer_value(value) <= 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "length: expected a whole number above 0");
        *length = (size_t)json_integer_value(value);
    }
    return bipe_json_only(json, known, err);
}

/* Where the piece that begins at `at` ends; 0: not before `to`. */
static size_t piece_end(const uint8_t *text, size_t to, size_t at, size_t length)
{
    uint32_t code;
    for (; length != 0 && at < to; length--)
        at += bipe_step_char(text, to, at, &code);
    return length == 0 ? at : 0;
}

static int split_length(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out,
                        bipe_error *err)
{
    const size_t *length = config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t to = in->range[i].end;
        for (size_t at = in->range[i].start, end; status == BIPE_OK && at < to; at = end) {
            end = piece_end(text->text, to, at, *length);
            end = end != 0 ? end : to;
            status = bipe_ranges_add(out, at, end, err);
        }
    }
    return status;
}

/* No pairs: where it splits depends on all that stands before. */
const bipe_pretokenizer_type bipe_pre_fixed_length = {
    .name = "FixedLength", .open = open_length, .close = bipe_free, .split = split_length};
