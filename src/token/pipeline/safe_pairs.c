/* safe_pairs.c - see safe_pairs.h. */
#include "token/pipeline/safe_pairs.h"

#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "token/char_reader.h"
#include "token/hf_unicode.h"
#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_patterns.h"

/* ---- for steps ---- */

static bool is_letter(uint32_t code)
{
    return (code | 32) - 'a' < 26;
}

void bipe_pairs_become(bipe_pairs *p, uint32_t to(const void *context, uint32_t code), const void *context)
{
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        if (p->to[x] < BIPE_CODE_LETTERS)
            p->to[x] = to(context, p->to[x]);
}

/* A well-known pattern never continues from a letter into a space or newline, and a cut there changes nothing; one that
 * has a rule does the same for numbers, and never continues from other visible characters to a space. */
static void ask_known(bipe_pairs *p, const char *known)
{
    bool ruled = bipe_pretoken_pattern_rule(known) != NULL, splits = bipe_pretoken_pattern_splits(known);
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            uint32_t code = p->to[x], next = p->to[y];
            bool letter = code == BIPE_CODE_LETTERS || is_letter(code), number = ruled && code - '0' < 10;
            bool visible = ruled && code > ' ' && code < 0x7F;
            bool good = ((letter || number) && (next == ' ' || next == '\n')) || (visible && next == ' ');
            p->step_keeps[x][y] = p->step_keeps[x][y] || good;
            p->step_splits[x][y] = p->step_splits[x][y] || (good && splits);
        }
}

void bipe_pairs_pattern(bipe_pairs *p, const bipe_pattern *pattern, const char *known)
{
    bipe_pattern_pair (*pair)[BIPE_PAIRS] = bipe_alloc(BIPE_PATTERN_BEFORE, sizeof *pair);
    if (pair != NULL)
        bipe_pattern_find_pairs(pattern, pair);
    for (unsigned x = 0; pair != NULL && x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            bool visible = p->as_written && (x == BIPE_PAIR_LETTER || x == BIPE_PAIR_VISIBLE);
            if ((p->to[x] < BIPE_PAIRS || visible) && p->to[y] < BIPE_PAIRS) {
                const bipe_pattern_pair *own = &pair[visible ? BIPE_PATTERN_VISIBLE : p->to[x]][p->to[y]];
                p->step_keeps[x][y] = own->keeps;
                p->step_splits[x][y] = own->splits;
            }
        }
    bipe_free(pair);
    if (known != NULL)
        ask_known(p, known);
}

/* ---- steps ---- */

static void ask_normalizers(const bipe_pipeline *p, bipe_pairs *pairs)
{
    for (size_t i = 0; i < p->normalizers; i++) {
        const bipe_normalizer_step *step = &p->normalizer[i];
        pairs->step_plain = false;
        if (step->type->pairs == NULL)
            memset(pairs->keeps, 0, sizeof pairs->keeps);
        else
            step->type->pairs(step->config, pairs);
        pairs->plain = pairs->plain && pairs->step_plain;
        pairs->changed = true;
        pairs->as_written = false;
    }
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            pairs->keeps[x][y] = pairs->keeps[x][y] && pairs->to[x] != BIPE_CODE_UNKNOWN &&
                                 pairs->to[y] != BIPE_CODE_UNKNOWN;
}

static void ask_classes(const bipe_pretokenizer_step *step, bipe_pairs *pairs)
{
    const bipe_pair_class unknown = {.unknown_before = true, .unknown_after = true};
    bipe_pair_class class[BIPE_PAIRS_BEFORE];
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++) {
        uint32_t code = pairs->to[x] != BIPE_CODE_ANY ? pairs->to[x] : BIPE_CODE_LETTERS;
        class[x] = code != BIPE_CODE_UNKNOWN ? step->type->class_of(step->config, &code, pairs->removed) : unknown;
        if (pairs->to[x] == BIPE_CODE_ANY) {
            class[x].class = BIPE_CLASS_ANY;
            class[x].after = false;
        } else {
            pairs->to[x] = code;
        }
    }
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            bipe_pair_class a = class[x], b = class[y];
            pairs->step_keeps[x][y] = !a.unknown_after && !b.unknown_before;
            pairs->step_splits[x][y] = a.after || b.before ||
                                       (a.class != b.class && a.class != BIPE_CLASS_ANY && b.class != BIPE_CLASS_ANY);
        }
}

static void ask_pretokenizers(const bipe_pipeline *p, bipe_pairs *pairs)
{
    for (size_t i = 0; i < p->pretokenizers; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        memset(pairs->step_keeps, 0, sizeof pairs->step_keeps);
        memset(pairs->step_splits, 0, sizeof pairs->step_splits);
        pairs->step_plain = false;
        if (step->type->class_of != NULL)
            ask_classes(step, pairs);
        if (step->type->pairs != NULL)
            step->type->pairs(step->config, pairs);
        pairs->plain = pairs->plain && pairs->step_plain;
        pairs->removed = pairs->removed || step->type->removes;
        pairs->as_written = pairs->as_written && step->type->rewrite == NULL;
        for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
            for (unsigned y = 0; y < BIPE_PAIRS; y++) {
                /* A step sees in halves anyway what is split already. */
                bool halves = step->type->rewrite == NULL && pairs->splits[x][y];
                pairs->keeps[x][y] = pairs->keeps[x][y] && (pairs->step_keeps[x][y] || halves);
                pairs->splits[x][y] = pairs->splits[x][y] || (pairs->step_keeps[x][y] && pairs->step_splits[x][y]);
            }
    }
}

/* ---- added tokens ---- */

/* The strings of a set. */
typedef struct strings {
    bool within[256][256]; /* the two bytes stand side by side in one of them */
    bool first[256], last[256]; /* one begins, ends with it */
    bool strips, word; /* one takes the white space beside it; one wants to stand alone */
} strings;

static int find_strings(strings *s, const bipe_added_set *set, bipe_error *err)
{
    uint8_t *byte = bipe_alloc(set->nodes + 1, 1); /* that leads to a node */
    if (byte == NULL)
        return bipe_fail_memory(err);
    memset(s, 0, sizeof *s);
    memcpy(s->first, set->lead, sizeof s->first);
    for (size_t i = 0; i < set->count; i++) {
        s->strips = s->strips || set->added[i].left || set->added[i].right;
        s->word = s->word || set->added[i].word;
    }
    for (size_t i = 0; set->edge.count != 0 && i <= set->edge.mask; i++)
        if (set->edge.entry[i].key != BIPE_PAIR_EMPTY)
            byte[set->edge.entry[i].a] = (uint8_t)set->edge.entry[i].key;
    for (size_t i = 0; set->edge.count != 0 && i <= set->edge.mask; i++) {
        uint64_t key = set->edge.entry[i].key;
        if (key != BIPE_PAIR_EMPTY && key >> 32 != 0)
            s->within[byte[key >> 32]][(uint8_t)key] = true;
    }
    for (size_t n = 0; n < set->nodes; n++)
        s->last[byte[n]] = s->last[byte[n]] || set->value[n] != 0;
    bipe_free(byte);
    return BIPE_OK;
}

/* Whether x, which may end with the byte b, and y have no safe position between them because of the strings. */
static bool is_forbidden(const strings *s, unsigned b, uint32_t y)
{
    return s->within[b][y] || s->last[b] || (s->strips && (b >= 0x80 || bipe_hf_is_space(b))) ||
           (s->word && s->first[y]);
}

/* No position within a string, beside the end of one, or within white space that one may take. */
static void forbid_added(bipe_pairs *pairs, const strings *s, bool normalized)
{
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            uint32_t to = normalized ? pairs->to[x] : x, next = normalized ? pairs->to[y] : y;
            bool good = next < BIPE_PAIRS;
            if (to < BIPE_PAIRS)
                good = good && !is_forbidden(s, to, next);
            else
                for (unsigned b = normalized ? 0 : BIPE_PAIRS; good && b < 256; b++)
                    good = !is_forbidden(s, b, next) ||
                           (s->strips && x == BIPE_PAIR_LETTER && !s->last[b] && !s->within[b][next]);
            pairs->keeps[x][y] = pairs->keeps[x][y] && good;
        }
    for (unsigned x = 0; x < 256; x++)
        for (unsigned y = 0; y < 256; y++) {
            uint8_t to[4] = {(uint8_t)x}, next[4] = {(uint8_t)y};
            size_t size = normalized && x < BIPE_PAIRS ? bipe_char_bytes(pairs->to[x], to) : 1;
            if (normalized && y < BIPE_PAIRS)
                bipe_char_bytes(pairs->to[y], next);
            pairs->bytes[x][y] = pairs->bytes[x][y] && !is_forbidden(s, to[size - 1], next[0]);
        }
}

/* Whether they leave positions between a newline and a letter alone. */
static bool allows_lines(const strings *s)
{
    bool allows = !s->last['\n'];
    for (unsigned y = 0; y < 256; y++)
        if (is_letter(y) || y >= 0x80)
            allows = allows && !s->within['\n'][y] && !((s->strips || s->word) && s->first[y]);
    return allows;
}

/* ---- the whole ---- */

static void set_pairs(bipe_safe_pairs *safe, const bipe_pairs *pairs)
{
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            /* White space that is left out stands at the front of the second half; a text of characters that vanish is
             * not begun. */
            bool good = pairs->keeps[x][y] && pairs->splits[x][y] && !(pairs->removed && bipe_hf_is_space(x));
            safe->pair[x][y] = good && !(pairs->prefixes && (x == BIPE_PAIR_REST || pairs->to[x] == BIPE_CODE_ANY));
        }
    for (unsigned y = 0; y < BIPE_PAIRS; y++) {
        safe->borders.third[y] = pairs->third[y];
        for (unsigned x = 0; x < 256; x++) {
            bool good = x < BIPE_PAIRS ? safe->pair[x][y]
                                       : safe->pair[BIPE_PAIR_LETTER][y] && safe->pair[BIPE_PAIR_VISIBLE][y] &&
                                             safe->pair[BIPE_PAIR_REST][y];
            safe->borders.row[x][y >> 6] |= (uint64_t)(good && !pairs->plain) << (y & 63);
            safe->units = safe->units || good;
        }
    }
    safe->plain = pairs->plain;
    for (unsigned x = 0; pairs->plain && x < 256; x++)
        for (unsigned y = 0; y < 256; y++)
            safe->borders.row[x][y >> 6] |= (uint64_t)(pairs->bytes[x][y] && (y & 0xC0) != 0x80) << (y & 63);
    safe->borders.checks_third = !safe->plain;
    safe->gaps = pairs->removed || pairs->gaps;
}

static void begin_pairs(bipe_pairs *pairs)
{
    for (unsigned b = 0; b < BIPE_PAIRS; b++)
        pairs->to[b] = b;
    pairs->to[BIPE_PAIR_LETTER] = BIPE_CODE_LETTERS;
    pairs->to[BIPE_PAIR_VISIBLE] = pairs->to[BIPE_PAIR_REST] = BIPE_CODE_ANY;
    pairs->as_written = true;
    memset(pairs->keeps, true, sizeof pairs->keeps);
    memset(pairs->third, true, sizeof pairs->third);
    memset(pairs->bytes, true, sizeof pairs->bytes);
    pairs->plain = true;
}

static int ask_steps(const bipe_pipeline *p, bipe_pairs *pairs, strings *s, bool *lines, bipe_error *err)
{
    begin_pairs(pairs);
    int status = find_strings(s, &p->raw, err);
    if (status != BIPE_OK)
        return status;
    *lines = allows_lines(s);
    if (p->raw.count != 0)
        forbid_added(pairs, s, false);
    ask_normalizers(p, pairs);
    status = find_strings(s, &p->inside, err);
    if (status != BIPE_OK)
        return status;
    *lines = *lines && allows_lines(s);
    if (p->inside.count != 0)
        forbid_added(pairs, s, true);
    ask_pretokenizers(p, pairs);
    pairs->plain = pairs->plain && p->type == &bipe_model_bpe;
    return p->type == &bipe_model_bpe ? bipe_merge_borders_find(p->model, pairs, err) : BIPE_OK;
}

int bipe_safe_pairs_find(bipe_pipeline *p, bipe_error *err)
{
    bipe_pairs *pairs = bipe_alloc(1, sizeof *pairs);
    strings *s = bipe_alloc(1, sizeof *s);
    bipe_safe_pairs *safe = bipe_alloc(1, sizeof *safe);
    bool lines = false;
    int status = pairs != NULL && safe != NULL && s != NULL ? ask_steps(p, pairs, s, &lines, err)
                                                            : bipe_fail_memory(err);
    if (status == BIPE_OK) {
        set_pairs(safe, pairs);
        safe->lines = lines && p->rule != NULL && !pairs->prefixes;
        p->safe = safe;
        safe = NULL;
    }
    bipe_free(safe);
    bipe_free(s);
    bipe_free(pairs);
    return status;
}

/* ---- positions ---- */

/* The size of the character that ends at text[at), at > 0, and the character; negative: a byte of a broken one. */
static size_t character_before(const uint8_t *text, size_t at, int32_t *code)
{
    size_t n = 1;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    if (bipe_utf8_decode(text + at - n, n, code) != n)
        *code = -1;
    return n;
}

static bool is_letter_at(const uint8_t *text, size_t size)
{
    int32_t code;
    return is_letter(text[0]) ||
           (text[0] >= 0x80 && bipe_utf8_decode(text, size, &code) != 0 && code >= 0 && bipe_is_letter(code));
}

/* Whether text[at], 0 < at, is after a newline that follows no white space, and before a letter. */
static bool begins_line(const uint8_t *text, size_t size, size_t at)
{
    int32_t code;
    if (at < 2 || text[at - 1] != '\n' || !is_letter_at(text + at, size - at))
        return false;
    character_before(text, at - 1, &code);
    return code >= 0 && !bipe_is_white_space(code);
}

/* 0 < at, at + 5 <= size. */
static bool is_safe(const bipe_safe_pairs *safe, const uint8_t *text, size_t size, size_t at)
{
    unsigned x = text[at - 1], y = text[at];
    int32_t code;
    if (safe->plain)
        return bipe_is_border(&safe->borders, text[at - 1], text[at]);
    if (safe->lines && x == '\n' && begins_line(text, size, at))
        return true;
    if (y >= BIPE_PAIRS)
        return false;
    if (x >= BIPE_PAIRS) {
        character_before(text, at, &code);
        x = code < 0                             ? BIPE_PAIR_REST
            : bipe_is_cut_letter((uint32_t)code) ? BIPE_PAIR_LETTER
            : bipe_is_visible(bipe_unicode_category(code)) ? BIPE_PAIR_VISIBLE
                                                           : BIPE_PAIR_REST;
    }
    if (!safe->pair[x][y])
        return false;
    if (text[at + 1] < 0x80)
        return safe->borders.third[text[at + 1]] != 0;
    return bipe_utf8_decode(text + at + 1, size - at - 1, &code) != 0 && code >= 0 &&
           (bipe_is_cut_letter((uint32_t)code) || bipe_hf_is_cjk((uint32_t)code));
}

enum { AFTER = 5 }; /* bytes from a position on that it takes to know */

size_t bipe_safe_last(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size)
{
    if (safe == NULL || size < AFTER)
        return from;
    for (size_t at = size - AFTER; at > from; at--)
        if (is_safe(safe, text, size, at))
            return at;
    return from;
}

size_t bipe_safe_next(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size)
{
    if (safe == NULL)
        return size;
    for (size_t at = from; at + AFTER <= size; at++)
        if (is_safe(safe, text, size, at))
            return at;
    return size;
}

size_t bipe_pipeline_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    const bipe_pipeline *p = tokenizer->model;
    return bipe_safe_last(p->safe, bytes, 0, size);
}

/* ---- letters: whatever a normalizer does to one, there is a letter in its place, which takes nothing from a space
 * beside it ---- */

static bool is_mark(const utf8proc_property_t *p)
{
    return p->category == UTF8PROC_CATEGORY_MN || p->category == UTF8PROC_CATEGORY_MC ||
           p->category == UTF8PROC_CATEGORY_ME;
}

/* A letter like that, before decomposition. Characters that are marks to the library are none. */
static bool is_plain_letter(uint32_t code)
{
    if (code >= BIPE_CUT_LETTER_END || (code >= 0xFB00 && code < 0x10000))
        return false;
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
    switch (p->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LO:
        break;
    default:
        return false;
    }
    switch (p->boundclass) {
    case UTF8PROC_BOUNDCLASS_OTHER:
    case UTF8PROC_BOUNDCLASS_L:
    case UTF8PROC_BOUNDCLASS_V:
    case UTF8PROC_BOUNDCLASS_T:
    case UTF8PROC_BOUNDCLASS_LV:
    case UTF8PROC_BOUNDCLASS_LVT:
        break;
    default:
        return false;
    }
    return !bipe_hf_is_cjk(code) && !bipe_hf_is_mark(code) && !bipe_hf_is_nonspacing(code) &&
           bipe_hf_combining_class(code) == 0;
}

bool bipe_is_cut_letter(uint32_t code)
{
    if (code < 0x80)
        return (code | 32) >= 'a' && (code | 32) <= 'z';
    uint32_t parts[BIPE_HF_DECOMPOSED];
    if (!is_plain_letter(code))
        return false;
    size_t n = bipe_hf_decompose(code, true, parts);
    bool good = is_plain_letter(parts[0]);
    for (size_t i = 1; good && i < n; i++)
        good = is_plain_letter(parts[i]) || is_mark(utf8proc_get_property((utf8proc_int32_t)parts[i]));
    return good;
}

bool bipe_is_cut_tail(uint32_t code)
{
    return bipe_is_cut_letter(code) || (code < 0x110000 && is_mark(utf8proc_get_property((utf8proc_int32_t)code)));
}
