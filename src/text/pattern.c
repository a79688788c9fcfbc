/* pattern.c - patterns that are searched for in a text held in memory. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pattern.h"

#include <pcre2.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pcre2_engine.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { PATTERN_LIMIT = 1 << 16 };

/* What PCRE2 has made of a pattern. Made under the lock when a search begins: this takes milliseconds, and the patterns that tokenizers
 * know are never searched for. */
typedef struct codes {
    pthread_mutex_t lock;
    pcre2_code *valid;   /* for text that is UTF-8 */
    pcre2_code *invalid; /* for text that is not; NULL: neither is there so far */
    size_t looks_behind; /* so many characters before a match may matter to it */
    bool slices;         /* see bipe_pcre2_match() */
} codes;

struct bipe_pattern {
    pcre2_general_context *general;
    codes *codes;
    size_t size;
    char text[];
};

struct bipe_matches {
    const bipe_pattern *pattern;
    bipe_pcre2_matcher matcher;
    const uint8_t *text;
    size_t size, at;
    size_t last;  /* end of the last match; SIZE_MAX: there was none */
    size_t next;  /* when there are no more: none starts before */
    bool valid;   /* the text is UTF-8 */
    bool goes_on; /* more text may follow: only matches that do not depend on it */
};

/* ---- compiling ---- */

static int compile(pcre2_code **code, const bipe_pattern *p, const char *text, size_t size, uint32_t options, bipe_error *err)
{
    int status = bipe_pcre2_compile(code, p->general, text, size, options | PCRE2_DOLLAR_ENDONLY, err);
    if (status != BIPE_ERR_ARGUMENT)
        return status;
    bipe_error_prefix(err, "pattern \"%.80s\"", text);
    if (err != NULL)
        err->status = BIPE_ERR_FORMAT;
    return BIPE_ERR_FORMAT;
}

/* With the lock held, or where no other thread knows the pattern. */
static int make_codes(const bipe_pattern *p, bipe_error *err)
{
    codes *c = p->codes;
    bipe_buffer text = {0};
    pcre2_code *valid = NULL, *invalid = NULL;
    if (c->invalid != NULL)
        return BIPE_OK;
    int status = bipe_unicode_rewrite(p->text, p->size, &text, err);
    if (status == BIPE_OK)
        status = compile(&valid, p, (const char *)text.data, text.size, 0, err);
    if (status == BIPE_OK)
        status = compile(&invalid, p, (const char *)text.data, text.size, PCRE2_MATCH_INVALID_UTF, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_compile_native(valid, p->text, true, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_compile_native(invalid, p->text, false, err);
    bipe_buffer_free(&text);
    if (status != BIPE_OK) {
        pcre2_code_free(valid);
        pcre2_code_free(invalid);
        return status;
    }
    c->valid = valid;
    c->invalid = invalid;
    c->looks_behind = bipe_pcre2_looks_behind(valid, p->text);
    c->slices = bipe_pcre2_slices(invalid, p->text);
    return BIPE_OK;
}

static int make_codes_once(const bipe_pattern *p, bipe_error *err)
{
    pthread_mutex_lock(&p->codes->lock);
    int status = make_codes(p, err);
    pthread_mutex_unlock(&p->codes->lock);
    return status;
}

static int open_pattern(bipe_pattern *p, const char *text, size_t size, bipe_error *err)
{
    memcpy(p->text, text, size);
    p->size = size;
    p->general = bipe_pcre2_memory();
    p->codes = bipe_alloc(1, sizeof *p->codes);
    if (p->codes != NULL && pthread_mutex_init(&p->codes->lock, NULL) != 0) {
        bipe_free(p->codes);
        p->codes = NULL;
    }
    if (p->general == NULL || p->codes == NULL)
        return bipe_fail_memory(err);
    pcre2_code *code = NULL;
    int status = compile(&code, p, p->text, size, 0, NULL);
    pcre2_code_free(code);
    if (status == BIPE_ERR_FORMAT) /* or it has a script that this PCRE2 is too old for */
        return make_codes(p, err);
    return status == BIPE_ERR_MEMORY ? bipe_fail_memory(err) : status;
}

int bipe_pattern_compile(bipe_pattern **pattern, const char *text, size_t size, bipe_error *err)
{
    *pattern = NULL;
    if (size > PATTERN_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a pattern of %zu bytes, expected at most %d", size, PATTERN_LIMIT);
    bipe_pattern *p = bipe_alloc(1, sizeof *p + size + 1);
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = open_pattern(p, text, size, err);
    if (status == BIPE_OK)
        *pattern = p;
    else
        bipe_pattern_free(p);
    return status;
}

void bipe_pattern_free(bipe_pattern *p)
{
    if (p == NULL)
        return;
    if (p->codes != NULL) {
        pcre2_code_free(p->codes->valid);
        pcre2_code_free(p->codes->invalid);
        pthread_mutex_destroy(&p->codes->lock);
    }
    bipe_free(p->codes);
    pcre2_general_context_free(p->general);
    bipe_free(p);
}

void bipe_pattern_find_pairs(const bipe_pattern *p, bipe_pattern_pair pair[128][128])
{
    bipe_pattern_pairs(p->text, p->size, pair);
}

/* ---- matches ---- */

int bipe_matches_open(bipe_matches **matches, const bipe_pattern *pattern, bipe_error *err)
{
    *matches = NULL;
    bipe_matches *m = bipe_alloc(1, sizeof *m);
    if (m == NULL)
        return bipe_fail_memory(err);
    m->pattern = pattern;
    int status = make_codes_once(pattern, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_matcher_open(&m->matcher, pattern->general, err);
    if (status == BIPE_OK)
        *matches = m;
    else
        bipe_free(m);
    return status;
}

void bipe_matches_close(bipe_matches *m)
{
    if (m == NULL)
        return;
    bipe_pcre2_matcher_close(&m->matcher);
    bipe_free(m);
}

/* The place behind the last byte that is no part of a character; 0: there is none. */
static size_t find_bad(const uint8_t *text, size_t size)
{
    size_t bad = 0;
    for (size_t i = 0; (i += bipe_utf8_ascii(text + i, size - i)) < size;) {
        int32_t code;
        size_t n = bipe_utf8_decode(text + i, size - i, &code);
        i += n != 0 ? n : 1;
        bad = code < 0 ? i : bad;
    }
    return bad;
}

/* text[at .. size), of which what is before `at` is seen by look-behinds alone. */
static void begin_at(bipe_matches *m, const uint8_t *text, size_t size, size_t at, bool valid, bool goes_on)
{
    m->text = text;
    m->size = size;
    m->at = at;
    m->last = SIZE_MAX;
    m->valid = valid;
    m->goes_on = goes_on;
    bipe_pcre2_matcher_allow(&m->matcher, size - at);
}

void bipe_matches_begin(bipe_matches *m, const uint8_t *text, size_t size)
{
    begin_at(m, text, size, 0, find_bad(text, size) == 0, false);
}

static void step_over_character(bipe_matches *m)
{
    m->at++;
    while (m->at < m->size && (m->text[m->at] & 0xC0) == 0x80)
        m->at++;
}

int bipe_matches_next(bipe_matches *m, size_t *start, size_t *end, bipe_error *err)
{
    const codes *c = m->pattern->codes;
    const uint32_t options = (m->valid ? PCRE2_NO_UTF_CHECK : 0U) | (m->goes_on ? PCRE2_PARTIAL_HARD : 0U);
    while (m->at <= m->size) {
        int result = bipe_pcre2_match(&m->matcher, m->valid ? c->valid : c->invalid, m->text, m->size, m->at, m->size, options, c->slices);
        const size_t *place = pcre2_get_ovector_pointer(m->matcher.data);
        m->next = result == PCRE2_ERROR_PARTIAL ? place[0] : m->size;
        if (result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_PARTIAL || (m->goes_on && result > 0 && place[0] == m->size)) {
            m->at = m->size + 1;
            return BIPE_END;
        }
        if (result < 0)
            return bipe_pcre2_fail(result, err);
        if (place[1] < place[0] || place[1] < m->at)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a match that ends before it starts");
        *start = place[0];
        m->at = *end = place[1];
        bool empty = *start == *end, again = empty && *end == m->last;
        if (empty)
            step_over_character(m);
        if (!again) {
            m->last = *end;
            return BIPE_OK;
        }
    }
    return BIPE_END;
}

/* ---- places to cut at ---- */

enum { MATCHES = 8, MARGIN = 4096 };

/* What a search has found: the last matches, the k-th at k % MATCHES, each with a hash of all up to it. */
typedef struct found {
    size_t start[MATCHES], end[MATCHES];
    uint64_t hash[MATCHES];
    size_t count, next; /* none is to come that starts before `next` */
} found;

/* A text to cut. */
typedef struct cut_search {
    bipe_matches *matches;
    const uint8_t *text;
    size_t size, bad; /* bytes that are not UTF-8 stand before `bad` alone */
    bool goes_on;
    bool between;
} cut_search;

static uint64_t hash_after(const found *f, size_t count)
{
    return count != 0 ? f->hash[(count - 1) % MATCHES] : 0;
}

/* Searches text[at .. size); what stands before `from` is not seen. */
static int find_matches(const cut_search *c, size_t from, size_t at, size_t size, bool goes_on, found *f, bipe_error *err)
{
    size_t start, end;
    int status;
    f->count = 0;
    begin_at(c->matches, c->text + from, size - from, at - from, c->bad <= from, goes_on);
    while ((status = bipe_matches_next(c->matches, &start, &end, err)) == BIPE_OK) {
        uint64_t hash = hash_after(f, f->count);
        size_t k = f->count++ % MATCHES;
        f->start[k] = from + start;
        f->end[k] = from + end;
        f->hash[k] = ((hash ^ f->start[k]) * UINT64_C(0x9E3779B97F4A7C15) ^ f->end[k]) * UINT64_C(0xC2B2AE3D27D4EB4F);
    }
    f->next = from + c->matches->next;
    return status == BIPE_END ? BIPE_OK : status;
}

/* Whether all is what is found when text[0 .. place), from `at` on, and text[place .. size) are searched apart. `behind`: so many matches
 * start at `place` or behind it. */
static int check_place(const cut_search *c, const found *all, size_t at, size_t place, size_t behind, bool *good, bipe_error *err)
{
    found part;
    size_t before = all->count - behind;
    int status = find_matches(c, place, place, c->size, c->goes_on, &part, err);
    *good = status == BIPE_OK && part.count == behind && part.next == all->next;
    for (size_t k = 0; *good && k < behind; k++) {
        size_t i = (before + k) % MATCHES;
        *good = part.start[k] == all->start[i] && part.end[k] == all->end[i];
    }
    if (!*good)
        return status;
    status = find_matches(c, 0, at, place, false, &part, err);
    *good = status == BIPE_OK && part.count == before && hash_after(&part, before) == hash_after(all, before);
    return status;
}

/* Where the character before `at` begins, not before `from`. */
static size_t character_before(const uint8_t *text, size_t from, size_t at)
{
    size_t n = 1;
    int32_t code;
    while (n < 4 && n < at - from && (text[at - n] & 0xC0) == 0x80)
        n++;
    return at - (bipe_utf8_decode(text + at - n, n, &code) == n && code >= 0 ? n : 1);
}

static bool has_characters(const uint8_t *text, size_t from, size_t to, size_t count)
{
    for (; from < to && count != 0; from++)
        count -= (text[from] & 0xC0) != 0x80;
    return count == 0;
}

/* Among places behind `least`: the last between two matches, then the starts of the last matches. Matches are known up to `at`. */
static int find_place(const cut_search *c, size_t at, size_t least, size_t *place, bipe_error *err)
{
    found all;
    bool good = false;
    size_t looks_behind = c->matches->pattern->codes->looks_behind;
    int status = find_matches(c, 0, at, c->size, c->goes_on, &all, err);
    if (status != BIPE_OK)
        return status;
    size_t gap = all.count != 0 ? all.end[(all.count - 1) % MATCHES] : at;
    *place = all.next;
    for (size_t k = 0; k <= looks_behind && *place > gap; k++)
        *place = character_before(c->text, gap, *place);
    if (c->between && *place > least && *place > gap && has_characters(c->text, *place, all.next, looks_behind + 1))
        status = check_place(c, &all, at, *place, 0, &good, err);
    for (size_t k = 1; status == BIPE_OK && !good && k < MATCHES && k <= all.count; k++) {
        *place = all.start[(all.count - k) % MATCHES];
        if (*place > least && has_characters(c->text, *place, all.next, looks_behind))
            status = check_place(c, &all, at, *place, k, &good, err);
    }
    *place = good ? *place : 0;
    return status;
}

int bipe_pattern_cut(const bipe_pattern *p, const uint8_t *text, size_t size, bool between, size_t *place, bipe_error *err)
{
    cut_search c = {.text = text, .size = bipe_utf8_complete(text, size), .goes_on = true, .between = between};
    *place = 0;
    int status = bipe_matches_open(&c.matches, p, err);
    if (status != BIPE_OK)
        return status;
    c.bad = find_bad(text, c.size);
    if (c.bad > c.size / 2) { /* what stands before such a byte depends on nothing behind it */
        c.size = c.bad;
        c.goes_on = false;
    }
    size_t first = c.goes_on ? c.bad : 0;
    if (c.goes_on && c.size - first > 2 * MARGIN) {
        /* Matches that are sure without the last bytes are so wherever these are cut. */
        found sure;
        size_t end = bipe_utf8_complete(text, c.size - MARGIN);
        status = find_matches(&c, 0, first, end, true, &sure, err);
        if (status == BIPE_OK)
            status = find_place(&c, sure.count != 0 ? sure.start[(sure.count - 1) % MATCHES] : first, end, place, err);
    }
    if (status == BIPE_OK && *place == 0)
        status = find_place(&c, first, first, place, err);
    bipe_matches_close(c.matches);
    return status;
}
