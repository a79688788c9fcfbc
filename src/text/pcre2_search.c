/* pcre2_search.c - runs PCRE2 over a text that arrives in pieces.
 *
 * A window keeps the text from a little before the search position on. A search that is not yet at the end of the text
 * uses PCRE2_PARTIAL_HARD: where more text could change the answer, PCRE2 says so. The search is repeated when the
 * undecided text has doubled, so that long matches cost little more than once; when that text fills the window, the
 * search fails. The window keeps more text before the search position than the pattern can look behind, so that its
 * start is never mistaken for the start of the text.
 *
 * Partial matching as pcre2partial(3) describes it misses three things:
 * - Bytes that are not UTF-8 are a barrier that no match crosses (PCRE2_MATCH_INVALID_UTF). The text before one is
 * decided, so it is searched as a complete text that ends after the barrier; a partial match before it would be lost.
 * - '^', '$' and \Z look at a newline at the very end of a text without reporting that more could follow. So the last
 * newlines of a window wait for the next character.
 * - \X counts regional indicators back to the start of the text. So an even number of them is dropped from a window. */
#include "text/pcre2_search.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "text/pcre2_engine.h"
#include "text/utf8.h"

#define WINDOW ((size_t)BIPE_UNIT_LIMIT + 16) /* undecided text; a unit and the character that ends it fit */
#define PIECE ((size_t)64 << 10)         /* bytes that are added to the window before each search, */
#define BROKEN_PIECE ((size_t)16 << 10)  /* and those where bytes are not UTF-8, since each search then checks all of
                                            the window */
#define BEHIND_MOST ((size_t)64 << 10)   /* characters that a pattern may look behind */
#define PADDING ((size_t)64)            /* zeros after the window: JIT looks at whole vectors */
#define MARGIN 4                         /* characters that are kept beyond these */

struct bipe_pcre2_search {
    bipe_pcre2_on_match *on_match;
    void *match_context;
    bipe_pcre2_matcher matcher;
    bipe_pcre2_codes codes; /* valid: used while the window is UTF-8 */
    bool anchored;       /* by ^, \A or \G: a search that fails is the last */
    bool keep_all;       /* needs all since the last match: \G within, (*COMMIT) */
    bool line_care;      /* newlines at the end of the window wait; */
    bool cr_care;        /* \R: so does CR */
    bool graphemes;      /* \X */
    uint32_t newline;    /* PCRE2_NEWLINE_* */
    size_t behind;       /* bytes that are kept before the search position */

    bipe_buffer window;
    uint64_t base;       /* offset of the window in the text; > 0: something was dropped */
    size_t pos;          /* where the next search begins */
    size_t settled;      /* no match that starts before it is still to come */
    size_t retry;        /* no search before the window has this size */
    size_t checked;      /* up to here the text is known to be UTF-8, or not */
    size_t barrier;      /* end of the last bytes before `checked` that are not UTF-8; 0: none */
    size_t run;          /* `checked` without the newlines that wait */
    bool over;           /* nothing can match any more */
};

typedef struct bipe_pcre2_search pcre2_search;

/* ---- the window ---- */

/* The length of the newline character, as the pattern's convention has it, that ends at s[end), or 0. */
static size_t newline_before(const pcre2_search *r, size_t end)
{
    const uint8_t *s = r->window.data;
    uint8_t c = end > 0 ? s[end - 1] : 'x';
    if (r->cr_care && c == '\r')
        return 1;
    if (!r->line_care)
        return 0;
    switch (r->newline) {
    case PCRE2_NEWLINE_LF: return c == '\n';
    case PCRE2_NEWLINE_CR: return c == '\r';
    case PCRE2_NEWLINE_NUL: return c == '\0';
    case PCRE2_NEWLINE_ANY:
        if (c == '\v' || c == '\f')
            return 1;
        if (c == 0x85 && end >= 2 && s[end - 2] == 0xC2)
            return 2;
        if ((c == 0xA8 || c == 0xA9) && end >= 3 && s[end - 2] == 0x80 && s[end - 3] == 0xE2)
            return 3;
    }
    return c == '\r' || c == '\n';
}

/* Moves `checked` on, as far as characters are complete. */
static void check_text(pcre2_search *r)
{
    const uint8_t *text = r->window.data;
    size_t i = r->checked, start = i, size = r->window.size;
    while ((i += bipe_utf8_ascii(text + i, size - i)) < size) {
        int32_t code;
        size_t length = bipe_utf8_decode(text + i, size - i, &code);
        if (length == 0)
            break;
        i += length;
        if (code < 0)
            r->barrier = i;
    }
    r->checked = i;
    for (size_t n; i > start && (n = newline_before(r, i)) != 0;)
        i -= n;
    if (i > start)
        r->run = i;
}

static bool is_regional_indicator(const uint8_t *s)
{
    return s[0] == 0xF0 && s[1] == 0x9F && s[2] == 0x87 && s[3] >= 0xA6 && s[3] <= 0xBF;
}

static size_t move_back(size_t offset, size_t drop)
{
    return offset > drop ? offset - drop : 0;
}

/* Drops the text that is not needed any more, when that is most of the window. */
static void drop_text(pcre2_search *r)
{
    const uint8_t *text = r->window.data;
    size_t size = r->window.size;
    if (r->pos <= r->behind || r->pos - r->behind < size / 2)
        return;
    size_t drop = r->pos - r->behind;
    for (int i = 0; i < 3 && (text[drop] & 0xC0) == 0x80 && drop > 0; i++)
        drop--;
    if (r->graphemes) {
        size_t first = drop;
        while (first >= 4 && size - first >= 4 && is_regional_indicator(text + first) &&
               is_regional_indicator(text + first - 4))
            first -= 4;
        if ((drop - first) / 4 % 2 != 0)
            drop -= 4;
    }
    bipe_buffer_consume(&r->window, drop);
    r->base += drop;
    r->pos -= drop;
    r->settled -= drop;
    r->checked -= drop;
    r->barrier = move_back(r->barrier, drop);
    r->run = move_back(r->run, drop);
    r->retry = move_back(r->retry, drop);
}

/* ---- the search ---- */

/* Reports a match and continues after it. */
static int report_match(pcre2_search *r, bipe_error *err)
{
    const size_t *range = pcre2_get_ovector_pointer(r->matcher.data);
    uint64_t start = r->base + range[0];
    size_t end = range[1];
    if (end <= r->pos) /* \K within a look-around, which PCRE2 allowed before 10.38 */
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "a match ends before it starts, expected a pattern without \\K in look-arounds");
    r->pos = r->settled = end;
    r->retry = 0;
    return r->on_match(r->match_context, start, r->base + end);
}

/* More text matters to the search, which had the window up to `end`. */
static int wait_for_text(pcre2_search *r, size_t end, size_t settled, bipe_error *err)
{
    r->settled = settled;
    if (!r->keep_all)
        r->pos = settled;
    if (r->window.size - r->pos >= WINDOW)
        return bipe_fail(err, BIPE_ERR_LIMIT, "undecided for more than %d MiB, expected a pattern that needs less text",
                         BIPE_UNIT_LIMIT >> 20);
    r->retry = r->window.size + (end - r->pos);
    r->retry = r->retry < r->pos + WINDOW ? r->retry : r->pos + WINDOW;
    return BIPE_OK;
}

/* Finds all that can be decided. final: the text ends with the window. */
static int search_window(pcre2_search *r, bool final, bipe_error *err)
{
    size_t end = final ? r->window.size : r->run;
    while (r->pos < end && !r->over && (final || r->window.size >= r->retry)) {
        bool partial = !final && r->barrier <= r->pos;
        size_t stop = final || partial ? end : r->barrier;
        bool clean = r->barrier == 0 && stop <= r->checked;
        uint32_t options = PCRE2_NOTEMPTY | (r->base > 0 ? PCRE2_NOTBOL : 0) | (partial ? PCRE2_PARTIAL_HARD : 0) |
                           (clean ? PCRE2_NO_UTF_CHECK : 0);
        int status = BIPE_OK;
        int result = bipe_pcre2_match(&r->matcher, clean ? r->codes.valid : r->codes.invalid, r->window.data, stop,
                                      r->pos, stop, options, r->codes.slices);
        if (result >= 0) {
            status = report_match(r, err);
        } else if (result == PCRE2_ERROR_PARTIAL) {
            size_t start = pcre2_get_ovector_pointer(r->matcher.data)[0];
            return wait_for_text(r, end, start > r->pos ? start : r->pos, err);
        } else if (result != PCRE2_ERROR_NOMATCH) {
            status = bipe_pcre2_fail(result, err);
        } else if (r->anchored) {
            r->over = true;
        } else if (r->keep_all) {
            return wait_for_text(r, stop, stop, err);
        } else {
            r->pos = r->settled = stop;
        }
        if (status != BIPE_OK)
            return status;
    }
    /* Newlines that wait are undecided, too. */
    return final || r->window.size - r->pos < WINDOW ? BIPE_OK : wait_for_text(r, end, r->settled, err);
}

/* ---- opening ---- */

static int open_search(pcre2_search *r, const char *pattern, bipe_error *err)
{
    uint32_t options = 0;
    int status = bipe_pcre2_matcher_open(&r->matcher, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_codes_open(&r->codes, pattern, strlen(pattern), pattern, 0, err);
    if (status != BIPE_OK)
        return status;
    size_t behind = bipe_pcre2_looks_behind(r->codes.valid, pattern);
    if (behind > BEHIND_MOST)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "looks back too far, expected no more than %zu characters",
                         BEHIND_MOST);
    pcre2_pattern_info(r->codes.invalid, PCRE2_INFO_ALLOPTIONS, &options);
    pcre2_pattern_info(r->codes.valid, PCRE2_INFO_NEWLINE, &r->newline);
    r->behind = (behind + MARGIN) * 4;
    r->anchored = (options & PCRE2_ANCHORED) != 0;
    /* PCRE2 does not report these features, so the text of the pattern is searched for them. A false hit costs time or
     * memory at worst. */
    r->keep_all = !r->anchored && (strstr(pattern, "\\G") != NULL || strstr(pattern, "(*COMMIT") != NULL);
    r->line_care = r->newline != PCRE2_NEWLINE_LF || strpbrk(pattern, "^$") != NULL || strstr(pattern, "\\Z") != NULL;
    r->cr_care = strstr(pattern, "\\R") != NULL;
    r->graphemes = strstr(pattern, "\\X") != NULL;
    return BIPE_OK;
}

int bipe_pcre2_search_open(bipe_pcre2_search **search, const char *pattern, bipe_pcre2_on_match *on_match,
                           void *context, bipe_error *err)
{
    *search = NULL;
    pcre2_search *r = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    r->on_match = on_match;
    r->match_context = context;
    int status = open_search(r, pattern, err);
    if (status == BIPE_OK)
        *search = r;
    else
        bipe_pcre2_search_close(r);
    return status;
}

void bipe_pcre2_search_close(bipe_pcre2_search *r)
{
    if (r == NULL)
        return;
    bipe_pcre2_matcher_close(&r->matcher);
    bipe_pcre2_codes_close(&r->codes);
    bipe_buffer_free(&r->window);
    bipe_free(r);
}

/* ---- a text ---- */

void bipe_pcre2_search_begin(bipe_pcre2_search *r)
{
    bipe_buffer_free(&r->window);
    bipe_pcre2_matcher_begin(&r->matcher);
    r->pos = r->settled = r->retry = r->checked = r->barrier = r->run = 0;
    r->base = 0;
    r->over = false;
}

int bipe_pcre2_search_feed(bipe_pcre2_search *r, const uint8_t *bytes, size_t size, bool last, bipe_error *err)
{
    int status = BIPE_OK;
    bipe_pcre2_matcher_resume(&r->matcher);
    bipe_pcre2_matcher_allow(&r->matcher, size);
    for (size_t n; size > 0 && !r->over && status == BIPE_OK; bytes += n, size -= n) {
        size_t most = r->pos + WINDOW - r->window.size;
        n = r->barrier > 0 ? BROKEN_PIECE : PIECE;
        n = n < most ? n : most;
        n = n < size ? n : size;
        status = bipe_buffer_append(&r->window, bytes, n, err);
        if (status == BIPE_OK)
            status = bipe_buffer_reserve(&r->window, PADDING, err);
        if (status != BIPE_OK)
            break;
        memset(r->window.data + r->window.size, 0, PADDING);
        check_text(r);
        status = search_window(r, false, err);
        drop_text(r);
    }
    if (status == BIPE_OK && last)
        status = search_window(r, true, err);
    if (status != BIPE_OK)
        r->settled = r->pos;
    return status;
}

uint64_t bipe_pcre2_search_settled(const bipe_pcre2_search *r)
{
    return r->over ? UINT64_MAX : r->base + r->settled;
}

/* ---- patterns ---- */

/* PCRE2 reports how far a pattern looks behind, and so the longest match of a pattern put into a look-behind, here
 * after a text longer than any look-behind of the pattern itself. */
bool bipe_pcre2_is_empty(const char *pattern)
{
    enum { FAR = 100 };
    bipe_buffer behind = {0};
    bipe_error err;
    uint32_t longest = 0;
    pcre2_code *code = NULL;
    if (bipe_buffer_printf(&behind, &err, "(?<=.{%d}(?:%s))", FAR, pattern) == BIPE_OK &&
        bipe_pcre2_compile(&code, (const char *)behind.data, behind.size, 0, &err) == BIPE_OK)
        pcre2_pattern_info(code, PCRE2_INFO_MAXLOOKBEHIND, &longest);
    pcre2_code_free(code);
    bipe_buffer_free(&behind);
    return longest == FAR;
}
