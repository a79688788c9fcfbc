/* pattern.c - patterns that split a text held in memory: by an automaton where it can do them and they match most of a text, else by
 * PCRE2. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pattern.h"

#include <pcre2.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pcre2_memory.h"
#include "text/regex_program.h"
#include "text/regex_spans.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { PATTERN_LIMIT = 1 << 16, MATCH_LIMIT = 50000000, DEPTH_LIMIT = 10000000, HEAP_LIMIT_KIB = 64 << 10 };
#define JIT_STACK_START ((size_t)64 << 10)
#define JIT_STACK_MOST ((size_t)64 << 20)

struct bipe_pattern {
    pcre2_general_context *general;
    struct automata *automata;
};

enum { IDLE = 16 };

/* Patterns that set digits apart by threes from the right: for each PCRE2 looks ahead to the last. A text that is nothing but digits is
 * counted instead. */
typedef enum threes { NO_THREES, BEFORE_THREES, THREES } threes;

/* The pattern's program, which is built when it is first needed, and automata that nobody uses, with the states that they have built. And
 * what PCRE2 makes of it, which takes milliseconds, when that is needed. */
typedef struct automata {
    pthread_mutex_t lock;
    pcre2_code *code;  /* for text that is UTF-8 */
    pcre2_code *loose; /* for text that is not; NULL: neither is there so far */
    bool tried;
    bipe_regex_program *program; /* or NULL */
    bool searches; /* it is worth to search with */
    bipe_regex_spans *idle[IDLE];
    size_t count;
    threes threes;
    size_t size;
    char text[]; /* the pattern */
} automata;

struct bipe_matches {
    const bipe_pattern *pattern;
    bipe_regex_spans *spans; /* the pattern has a program: all that follows is not used */
    pcre2_match_context *context;
    pcre2_match_data *data;
    pcre2_jit_stack *stack;
    const uint8_t *text;
    size_t size, at;
    size_t last; /* end of the last match; SIZE_MAX: there was none */
    bool valid;  /* the text is UTF-8 */
    bool begun;  /* by the automaton */
    bool partial; /* the text goes on: what is found is sure, and behind it no match begins before */
    size_t next;
    bool counts; /* digits */
};

static int compile(pcre2_code **code, const bipe_pattern *p, const char *text, size_t size, uint32_t options, bipe_error *err)
{
    int status = bipe_pcre2_compile(code, p->general, text, size, options | PCRE2_DOLLAR_ENDONLY, err);
    if (status == BIPE_ERR_ARGUMENT) {
        bipe_error_prefix(err, "pattern \"%.80s\"", text);
        if (err != NULL)
            err->status = BIPE_ERR_FORMAT;
        return BIPE_ERR_FORMAT;
    }
    return status;
}

static int compile_fast(pcre2_code **code, const bipe_pattern *p, const bipe_buffer *text, uint32_t options, bipe_error *err)
{
    int status = compile(code, p, (const char *)text->data, text->size, options, err);
    /* Without JIT (or room for it) the interpreter matches the same. */
    if (status == BIPE_OK && pcre2_jit_compile(*code, PCRE2_JIT_COMPLETE) == PCRE2_ERROR_NOMEMORY)
        return bipe_fail_memory(err);
    return status;
}

/* Has PCRE2 compile the pattern, with properties of characters that are ours. Under the lock, or where nobody else knows the pattern. */
static int compile_both(const bipe_pattern *p, bipe_error *err)
{
    automata *a = p->automata;
    bipe_buffer text = {0};
    pcre2_code *code = NULL, *loose = NULL;
    int status = a->loose == NULL ? bipe_unicode_rewrite(a->text, a->size, &text, err) : BIPE_END;
    if (status == BIPE_OK)
        status = compile_fast(&code, p, &text, 0, err);
    if (status == BIPE_OK)
        status = compile_fast(&loose, p, &text, PCRE2_MATCH_INVALID_UTF, err);
    bipe_buffer_free(&text);
    if (status == BIPE_OK) {
        a->code = code;
        a->loose = loose;
        return BIPE_OK;
    }
    pcre2_code_free(code);
    pcre2_code_free(loose);
    return status == BIPE_END ? BIPE_OK : status;
}

/* As superbpe and Aya have them. */
static int find_threes(automata *a, bipe_error *err)
{
    static const char *const known[] = {[BEFORE_THREES] = "(?=(\\d{3})+(?!\\d))", [THREES] = "\\d{1,3}(?=(?:\\d{3})*\\b)"};
    bipe_buffer text = {0};
    int status = BIPE_OK;
    for (int i = BEFORE_THREES; status == BIPE_OK && i <= THREES; i++) {
        text.size = 0;
        status = bipe_pattern_translate(known[i], strlen(known[i]), &text, err);
        if (status == BIPE_OK && text.size == a->size && memcmp(text.data, a->text, a->size) == 0)
            a->threes = (threes)i;
    }
    bipe_buffer_free(&text);
    return status;
}

static int open_automata(bipe_pattern *p, const char *text, size_t size, bipe_error *err)
{
    automata *a = bipe_alloc(sizeof *a + size + 1, 1);
    if (a == NULL || pthread_mutex_init(&a->lock, NULL) != 0) {
        bipe_free(a);
        return bipe_fail_memory(err);
    }
    memcpy(a->text, text, size);
    a->size = size;
    p->automata = a;
    return find_threes(a, err);
}

static void close_automata(automata *a)
{
    if (a == NULL)
        return;
    for (size_t i = 0; i < a->count; i++)
        bipe_regex_spans_close(a->idle[i]);
    pcre2_code_free(a->code);
    pcre2_code_free(a->loose);
    bipe_regex_program_free(a->program);
    pthread_mutex_destroy(&a->lock);
    bipe_free(a);
}

/* Builds the program. PCRE2 is fast at matches that are rare, and an automaton finds none that are empty. */
static int build_program(automata *a, bipe_error *err)
{
    pthread_mutex_lock(&a->lock);
    int status = BIPE_OK;
    if (!a->tried) {
        const bipe_regex_options options = {.dollar_endonly = true, .unicode16 = true, .whole = true};
        status = bipe_regex_program_build(&a->program, a->text, a->size, &options, err);
        a->tried = status == BIPE_OK;
        a->searches = a->program != NULL && !bipe_regex_program_is_nullable(a->program) && !bipe_regex_program_is_rare(a->program);
    }
    pthread_mutex_unlock(&a->lock);
    return status;
}

/* Takes an idle automaton of a program, or makes one. */
static int take_spans(automata *a, bipe_regex_spans **spans, bipe_error *err)
{
    pthread_mutex_lock(&a->lock);
    if (a->count > 0)
        *spans = a->idle[--a->count];
    pthread_mutex_unlock(&a->lock);
    return *spans == NULL ? bipe_regex_spans_open(spans, a->program, err) : BIPE_OK;
}

static void give_spans(automata *a, bipe_regex_spans *spans)
{
    if (spans == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    bool kept = a->count < IDLE;
    if (kept)
        a->idle[a->count++] = spans;
    pthread_mutex_unlock(&a->lock);
    if (!kept)
        bipe_regex_spans_close(spans);
}

int bipe_pattern_compile(bipe_pattern **pattern, const char *text, size_t size, bipe_error *err)
{
    *pattern = NULL;
    if (size > PATTERN_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a pattern of %zu bytes, expected at most %d", size, PATTERN_LIMIT);
    bipe_pattern *p = bipe_alloc(1, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    p->general = bipe_pcre2_memory();
    pcre2_code *code = NULL;
    int status = p->general != NULL ? open_automata(p, text, size, err) : bipe_fail_memory(err);
    if (status == BIPE_OK) {
        /* A pattern that PCRE2 does not take may be one with a script that is too new for it. */
        status = compile(&code, p, text, size, 0, NULL);
        if (status == BIPE_ERR_FORMAT)
            status = compile_both(p, err);
        else if (status == BIPE_ERR_MEMORY)
            status = bipe_fail_memory(err);
        pcre2_code_free(code);
    }
    if (status != BIPE_OK) {
        bipe_pattern_free(p);
        return status;
    }
    *pattern = p;
    return BIPE_OK;
}

int bipe_pattern_part(const bipe_pattern *p, const char *before, const char *at, const char *behind, bool *keeps, bool *splits, bipe_error *err)
{
    *keeps = *splits = false;
    int status = build_program(p->automata, err);
    if (status != BIPE_OK || p->automata->program == NULL)
        return status;
    return bipe_regex_program_part(p->automata->program, &(bipe_regex_place){before, at, behind}, keeps, splits, err);
}

int bipe_pattern_part_pairs(const bipe_pattern *p, bipe_pattern_pair pair[128][128], bipe_error *err)
{
    memset(pair, 0, 128 * sizeof pair[0]);
    int status = build_program(p->automata, err);
    if (status != BIPE_OK || p->automata->program == NULL)
        return status;
    return bipe_regex_program_part_pairs(p->automata->program, pair, err);
}

/* What an automaton asks for that is to go through text in pieces. */
static const bipe_regex_program *program_of(const bipe_pattern *p, bipe_error *err)
{
    const bipe_regex_program *program = build_program(p->automata, err) == BIPE_OK ? p->automata->program : NULL;
    return program != NULL && !bipe_regex_program_is_nullable(program) ? program : NULL;
}

int bipe_pattern_open_spans(const bipe_pattern *p, bipe_regex_spans **spans, bipe_error *err)
{
    *spans = NULL;
    int status = build_program(p->automata, err);
    const bipe_regex_program *program = status == BIPE_OK ? program_of(p, err) : NULL;
    return program != NULL && !bipe_regex_program_looks_back(program) ? bipe_regex_spans_open(spans, program, err) : status;
}

void bipe_pattern_free(bipe_pattern *p)
{
    if (p == NULL)
        return;
    close_automata(p->automata);
    pcre2_general_context_free(p->general);
    bipe_free(p);
}

/* Where PCRE2 is to search. */
static int compile_once(const bipe_pattern *p, bipe_error *err)
{
    pthread_mutex_lock(&p->automata->lock);
    int status = compile_both(p, err);
    pthread_mutex_unlock(&p->automata->lock);
    return status;
}

int bipe_matches_open(bipe_matches **matches, const bipe_pattern *pattern, bipe_error *err)
{
    *matches = NULL;
    bipe_matches *m = bipe_alloc(1, sizeof *m);
    if (m == NULL)
        return bipe_fail_memory(err);
    m->pattern = pattern;
    int status = build_program(pattern->automata, err);
    if (status == BIPE_OK && pattern->automata->searches)
        status = take_spans(pattern->automata, &m->spans, err);
    else if (status == BIPE_OK)
        status = compile_once(pattern, err);
    if (status != BIPE_OK || m->spans != NULL) {
        if (status != BIPE_OK)
            bipe_matches_close(m);
        *matches = status == BIPE_OK ? m : NULL;
        return status;
    }
    m->context = pcre2_match_context_create(pattern->general);
    m->data = pcre2_match_data_create(1, pattern->general);
    if (m->context == NULL || m->data == NULL) {
        bipe_matches_close(m);
        return bipe_fail_memory(err);
    }
    pcre2_set_match_limit(m->context, MATCH_LIMIT);
    pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
    *matches = m;
    return BIPE_OK;
}

void bipe_matches_close(bipe_matches *m)
{
    if (m == NULL)
        return;
    give_spans(m->pattern->automata, m->spans);
    pcre2_jit_stack_free(m->stack);
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    bipe_free(m);
}

/* Behind the last byte that is no part of a character; 0: each is. */
static size_t behind_bad(const uint8_t *text, size_t size)
{
    size_t bad = 0;
    for (size_t i = 0; i < size;) {
        int32_t code = text[i];
        size_t n = code < 0x80 ? 1 : bipe_utf8_decode(text + i, size - i, &code);
        i += n != 0 ? n : 1;
        bad = n == 0 || code < 0 ? i : bad;
    }
    return bad;
}

static bool is_digits(const uint8_t *text, size_t size)
{
    size_t n = 0;
    while (n < size && text[n] >= '0' && text[n] <= '9')
        n++;
    return n == size;
}

void bipe_matches_begin(bipe_matches *m, const uint8_t *text, size_t size)
{
    m->text = text;
    m->size = size;
    m->at = 0;
    m->last = SIZE_MAX;
    m->begun = m->partial = false;
    m->counts = m->pattern->automata->threes != NO_THREES && is_digits(text, size);
    m->valid = m->spans != NULL || behind_bad(text, size) == 0;
}

/* Steps over one character. */
static void step(bipe_matches *m)
{
    m->at++;
    while (m->at < m->size && (m->text[m->at] & 0xC0) == 0x80)
        m->at++;
}

static int match_once(bipe_matches *m)
{
    const pcre2_code *code = m->valid ? m->pattern->automata->code : m->pattern->automata->loose;
    uint32_t options = (m->valid ? PCRE2_NO_UTF_CHECK : 0U) | (m->partial ? PCRE2_PARTIAL_HARD : 0U);
    int result = pcre2_match(code, m->text, m->size, m->at, options, m->data, m->context);
    if (result != PCRE2_ERROR_JIT_STACKLIMIT)
        return result;
    if (m->stack == NULL) { /* most patterns never need it */
        m->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MOST, m->pattern->general);
        if (m->stack == NULL)
            return PCRE2_ERROR_NOMEMORY;
        pcre2_jit_stack_assign(m->context, NULL, m->stack);
        result = pcre2_match(code, m->text, m->size, m->at, options, m->data, m->context);
    }
    if (result != PCRE2_ERROR_JIT_STACKLIMIT)
        return result;
    pcre2_jit_stack_assign(m->context, NULL, NULL);
    pcre2_jit_stack_free(m->stack); /* it is large */
    m->stack = NULL;
    return pcre2_match(code, m->text, m->size, m->at, options | PCRE2_NO_JIT, m->data, m->context);
}

/* The next match among digits. */
static int next_three(bipe_matches *m, size_t *start, size_t *end)
{
    bool before = m->pattern->automata->threes == BEFORE_THREES;
    size_t first = (m->size - m->at) % 3;
    if (m->at == m->size || (before && m->size - m->at < 3))
        return BIPE_END;
    *start = before ? m->at + first : m->at;
    *end = before ? *start : m->at + (first != 0 ? first : 3);
    m->at = before ? *start + 1 : *end;
    return BIPE_OK;
}

int bipe_matches_next(bipe_matches *m, size_t *start, size_t *end, bipe_error *err)
{
    if (m->counts)
        return next_three(m, start, end);
    if (m->spans != NULL) {
        int status = m->begun ? BIPE_OK : bipe_regex_spans_begin(m->spans, m->text, m->size, err);
        m->begun = true;
        return status == BIPE_OK ? bipe_regex_spans_next(m->spans, start, end, err) : status;
    }
    while (m->at <= m->size) {
        int result = match_once(m);
        const size_t *place = pcre2_get_ovector_pointer(m->data);
        m->next = result == PCRE2_ERROR_PARTIAL ? place[0] : m->size;
        if (result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_PARTIAL || (m->partial && result > 0 && place[0] == m->size)) {
            m->at = m->size + 1;
            return BIPE_END;
        }
        if (result < 0)
            return bipe_pcre2_fail(result, err);
        if (place[1] < place[0] || place[1] < m->at)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a match that ends before it starts");
        m->at = place[1];
        if (place[0] == place[1]) {
            bool again = place[1] == m->last;
            size_t found = place[1];
            step(m);
            if (again)
                continue;
            *start = *end = m->last = found;
            return BIPE_OK;
        }
        *start = place[0];
        *end = m->last = place[1];
        return BIPE_OK;
    }
    return BIPE_END;
}

/* ---- text that goes on ---- */

/* Matches that are sure: the first and the last (0 to 0: there is none), and where the next may begin. */
typedef struct sure {
    size_t first, first_end, last, last_end, next;
} sure;

/* Of a search in text[from .. size) by itself. */
static int search(bipe_regex_spans *spans, const uint8_t *text, size_t from, size_t size, sure *s, bipe_error *err)
{
    size_t start, end;
    *s = (sure){0};
    int status = bipe_regex_spans_begin(spans, text, 0, err);
    bipe_regex_spans_more(spans, text + from, size - from, false);
    while (status == BIPE_OK && (status = bipe_regex_spans_next(spans, &start, &end, err)) == BIPE_OK) {
        s->last = from + start;
        s->last_end = from + end;
        if (s->first_end == 0) {
            s->first = s->last;
            s->first_end = s->last_end;
        }
    }
    bipe_regex_spans_known(spans, &start, &end);
    s->next = from + start;
    return status == BIPE_END ? BIPE_OK : status;
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

enum { PLACES = 16 };

/* What stands in front of it matters for a character: it is looked whether a search that begins there finds the same. */
static int part_by_automaton(const bipe_pattern *p, const uint8_t *text, size_t size, size_t *place, bipe_error *err)
{
    bipe_regex_spans *spans = NULL;
    sure all = {0}, rest;
    int status = take_spans(p->automata, &spans, err);
    if (status == BIPE_OK)
        status = search(spans, text, 0, size, &all, err);
    size_t at = all.next > all.last_end ? character_before(text, all.last_end, all.next) : all.last;
    bool same = status == BIPE_OK && (at == 0 || !bipe_regex_program_looks_back(p->automata->program));
    for (int k = 0; status == BIPE_OK && !same && k < PLACES && at != 0; k++) {
        bool match = at == all.last;
        status = search(spans, text, at, size, &rest, err);
        same = match ? rest.first == at && rest.first_end == all.last_end : rest.next > at && (rest.first_end == 0 || rest.first > at);
        if (!same)
            at = match ? 0 : at > all.last_end ? character_before(text, all.last_end, at) : all.last;
    }
    if (status == BIPE_OK && same)
        *place = at;
    give_spans(p->automata, spans);
    return status;
}

/* The same by PCRE2: the last matches that are sure, and where the next may begin. */
enum { MATCHES = 8 };

typedef struct last_matches {
    size_t start[MATCHES], end[MATCHES]; /* the k-th at k % MATCHES */
    size_t count, next;
    size_t bad; /* behind the last byte that is not UTF-8, or from: matches are those behind it */
} last_matches;

static int list_last(bipe_matches *m, const uint8_t *text, size_t from, size_t size, last_matches *l, bipe_error *err)
{
    size_t start, end;
    int status = BIPE_OK;
    l->count = 0;
    bipe_matches_begin(m, text + from, size - from);
    m->partial = true;
    m->counts = false;
    m->at = behind_bad(text + from, size - from);
    m->valid = m->at == 0;
    l->bad = from + m->at;
    while ((status = bipe_matches_next(m, &start, &end, err)) == BIPE_OK) {
        l->start[l->count % MATCHES] = from + start;
        l->end[l->count++ % MATCHES] = from + end;
    }
    l->next = from + m->next;
    return status == BIPE_END ? BIPE_OK : status;
}

/* Whether a search from a place, behind which are the last `count` matches of `all`, finds the same. */
static int finds_same(bipe_matches *m, const uint8_t *text, size_t at, size_t size, const last_matches *all, size_t count, bool *same,
                      bipe_error *err)
{
    last_matches l;
    int status = list_last(m, text, at, size, &l, err);
    *same = status == BIPE_OK && l.count == count && l.next == all->next && l.bad == at;
    for (size_t k = 0; *same && k < count; k++) {
        size_t other = (all->count - count + k) % MATCHES;
        *same = l.start[k] == all->start[other] && l.end[k] == all->end[other];
    }
    return status;
}

/* Whether there are so many characters from one place to another. */
static bool has_characters(const uint8_t *text, size_t from, size_t to, size_t count)
{
    for (; from < to && count != 0; from++)
        count -= (text[from] & 0xC0) != 0x80;
    return count == 0;
}

/* How many characters in front of a match may matter: each look behind may stand within another. */
static size_t looks_behind(const bipe_pattern *p)
{
    uint32_t most = 0;
    size_t count = 1;
    for (const char *at = p->automata->text; (at = strstr(at, "(?<")) != NULL; at++)
        count++;
    pcre2_pattern_info(p->automata->code, PCRE2_INFO_MAXLOOKBEHIND, &most);
    return most * count;
}

static int part_by_pcre2(const bipe_pattern *p, const uint8_t *text, size_t size, size_t *place, bipe_error *err)
{
    bipe_matches *m;
    last_matches all;
    int status = bipe_matches_open(&m, p, err);
    if (status != BIPE_OK)
        return status;
    size = bipe_utf8_complete(text, size);
    status = list_last(m, text, 0, size, &all, err);
    size_t behind = looks_behind(p), at = all.next;
    bool same = false;
    /* A place between matches, then where one of the last begins. */
    size_t least = all.count != 0 ? all.end[(all.count - 1) % MATCHES] : all.bad;
    for (size_t k = 0; k <= behind && at > least; k++)
        at = character_before(text, least, at);
    if (status == BIPE_OK && at < all.next && has_characters(text, at, all.next, behind + 1))
        status = finds_same(m, text, at, size, &all, 0, &same, err);
    for (size_t k = 1; status == BIPE_OK && !same && k <= MATCHES && k <= all.count; k++) {
        at = all.start[(all.count - k) % MATCHES];
        if (has_characters(text, at, all.next, behind))
            status = finds_same(m, text, at, size, &all, k, &same, err);
    }
    bipe_matches_close(m);
    /* No match has a byte that is no character, nor sees what is behind it. */
    *place = same ? at : all.bad != 0 ? all.bad - 1 : 0;
    return status;
}

bool bipe_pattern_parts(const bipe_pattern *p)
{
    if (program_of(p, NULL) != NULL)
        return true;
    int status = compile_once(p, NULL);
    if (status != BIPE_OK)
        return false;
    pcre2_jit_compile(p->automata->code, PCRE2_JIT_PARTIAL_HARD);
    pcre2_jit_compile(p->automata->loose, PCRE2_JIT_PARTIAL_HARD);
    return true;
}

int bipe_pattern_part_at(const bipe_pattern *p, const uint8_t *text, size_t size, size_t *place, bipe_error *err)
{
    *place = 0;
    return program_of(p, err) != NULL ? part_by_automaton(p, text, size, place, err) : part_by_pcre2(p, text, size, place, err);
}
