/* pattern.c - patterns that are searched for in a text held in memory. */
#include "text/pattern.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pcre2_engine.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { PATTERN_LIMIT = 1 << 16 };

/* A pattern compiled by PCRE2: under the lock, at its first search, since this takes milliseconds and the well-known
 * patterns of tokenizers are never searched. */
typedef struct codes {
    pthread_mutex_t lock;
    bipe_pcre2_codes code; /* empty: not compiled yet */
} codes;

struct bipe_pattern {
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
    bool valid;   /* the text is UTF-8 */
};

/* ---- compiling ---- */

/* The caller holds the lock, or no other thread has the pattern. */
static int make_codes(const bipe_pattern *p, bipe_error *err)
{
    bipe_buffer text = {0};
    if (p->codes->code.valid != NULL)
        return BIPE_OK;
    int status = bipe_unicode_rewrite(p->text, p->size, &text, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_codes_open(&p->codes->code, (const char *)text.data, text.size, p->text,
                                       PCRE2_DOLLAR_ENDONLY, err);
    if (status == BIPE_ERR_ARGUMENT) {
        bipe_error_prefix(err, "pattern \"%.80s\"", (const char *)text.data);
        if (err != NULL)
            err->status = BIPE_ERR_FORMAT;
        status = BIPE_ERR_FORMAT;
    }
    bipe_buffer_free(&text);
    return status;
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
    p->codes = bipe_alloc(1, sizeof *p->codes);
    if (p->codes != NULL && pthread_mutex_init(&p->codes->lock, NULL) != 0) {
        bipe_free(p->codes);
        p->codes = NULL;
    }
    if (p->codes == NULL)
        return bipe_fail_memory(err);
    pcre2_code *code = NULL;
    int status = bipe_pcre2_compile(&code, p->text, size, PCRE2_DOLLAR_ENDONLY, NULL);
    pcre2_code_free(code);
    if (status == BIPE_ERR_ARGUMENT) /* or it has a script that this PCRE2 is too old for */
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
        bipe_pcre2_codes_close(&p->codes->code);
        pthread_mutex_destroy(&p->codes->lock);
    }
    bipe_free(p->codes);
    bipe_free(p);
}

void bipe_pattern_find_pairs(const bipe_pattern *p, bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128])
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
        status = bipe_pcre2_matcher_open(&m->matcher, err);
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

void bipe_matches_resume(bipe_matches *m)
{
    bipe_pcre2_matcher_resume(&m->matcher);
}

void bipe_matches_begin(bipe_matches *m, const uint8_t *text, size_t size, bool utf8)
{
    m->text = text;
    m->size = size;
    m->at = 0;
    m->last = SIZE_MAX;
    m->valid = utf8 || bipe_is_utf8(text, size);
    bipe_pcre2_matcher_allow(&m->matcher, size);
}

static void step_over_character(bipe_matches *m)
{
    m->at++;
    while (m->at < m->size && (m->text[m->at] & 0xC0) == 0x80)
        m->at++;
}

/* Moves to the next byte that may start a match; a call of PCRE2 costs as much as hundreds of these steps. */
static void step_over_others(bipe_matches *m, const uint8_t *starts)
{
    while (m->at < m->size && (starts[m->text[m->at] / 8] >> m->text[m->at] % 8 & 1) == 0)
        m->at++;
    if (m->at == m->size)
        m->at = m->size + 1;
}

int bipe_matches_next(bipe_matches *m, size_t *start, size_t *end, bipe_error *err)
{
    const bipe_pcre2_codes *c = &m->pattern->codes->code;
    const pcre2_code *code = m->valid ? c->valid : c->invalid;
    while (m->at <= m->size) {
        if (m->valid && c->starts != NULL)
            step_over_others(m, c->starts);
        if (m->at > m->size)
            break;
        int result = bipe_pcre2_match(&m->matcher, code, m->text, m->size, m->at, m->size,
                                      m->valid ? PCRE2_NO_UTF_CHECK : 0, c->slices);
        const size_t *range = pcre2_get_ovector_pointer(m->matcher.data);
        if (result == PCRE2_ERROR_NOMATCH) {
            m->at = m->size + 1;
            return BIPE_END;
        }
        if (result < 0)
            return bipe_pcre2_fail(result, err);
        if (range[1] < range[0] || range[1] < m->at)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a match that ends before it starts");
        *start = range[0];
        m->at = *end = range[1];
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
