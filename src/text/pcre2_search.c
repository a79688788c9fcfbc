/* pcre2_search.c - runs PCRE2 over a text that comes in pieces.
 *
 * The text from a little before the place of search on stands in a window. A search that is not yet at the end of the text uses
 * PCRE2_PARTIAL_HARD: where more text could change the answer, it says so, and is repeated when the text that it
 * could not decide on has doubled, so that long matches cost little more than once. In front of the place of search the window keeps
 * more than the pattern can look behind, so that the start of a window is never taken for the start of the text.
 *
 * That search is slower than one of a complete text, of which PCRE2 looks at many bytes at once. So where the pattern tells
 * how far ahead of its start a match can look, all places that are farther from the end than that are searched as in a complete text.
 *
 * Three things need care, because partial matching as pcre2partial(3) describes it does not see them:
 * - Bytes that are not UTF-8 are a barrier that no match crosses (PCRE2_MATCH_INVALID_UTF). What stands in front of one is
 *   decided, so it is searched as a complete text that ends behind the barrier; a partial match in front of it would be lost.
 * - '^', '$' and \Z look at a newline at the very end of a text without telling that more could follow. A window
 *   does not end with a newline, then; those at its end wait for the next character.
 * - \X counts regional indicators back to the start of the text: a window drops an even number of them.
 *
 * Bounded are: the text that is kept (HOLD_LIMIT), the steps of one attempt and its memory (PCRE2's limits), and
 * the processor time of a text (for searches whose attempts are cheap one by one, but quadratic together). Each gives a
 * limit error with the offset. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pcre2_search.h"

#include <inttypes.h>
#include <pcre2.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/pcre2_engine.h"
#include "text/utf8.h"

#define HOLD_LIMIT ((size_t)64 << 20)
#define PIECE ((size_t)64 << 10)      /* the text is taken in by so much at a time, */
#define BROKEN_PIECE ((size_t)16 << 10) /* by so much where it is no UTF-8: then each search checks all that is in sight */
#define PADDING ((size_t)64)          /* zeros behind the window: JIT looks at whole vectors */
#define BEHIND_MOST ((size_t)1 << 20) /* characters */
#define MARGIN 4                      /* characters kept beyond what the pattern can look behind */

#define MATCH_LIMIT 10000000u         /* most steps of an attempt at one place; each may look at all that is in sight, so */
#define STEPS_IN_SIGHT ((size_t)1 << 30) /* steps x bytes in sight are tried first, more when that was fast */
#define SLOW_STEPS UINT64_C(1000000000)  /* nanoseconds that are not fast */
#define DEPTH_LIMIT 10000000u
#define HEAP_LIMIT_KIB (64u << 10)      /* without JIT, or behind it: what has filled its stack needs more here */
#define JIT_STACK_START ((size_t)64 << 10)
#define JIT_STACK_MOST ((size_t)64 << 20)
#define LARGE (8 * PIECE)             /* bytes of a window; what that has needed is given back when it is small again */

#define TIME_BASE UINT64_C(5000000000)  /* nanoseconds for any text, and */
#define TIME_PER_BYTE UINT64_C(20000)   /* for each byte of it that was decided: 50 kB a second, and */
#define TIME_PER_HELD UINT64_C(1000)    /* for each byte that is kept */
#define CHECK_TIME_EVERY ((size_t)4 << 20) /* bytes in sight of the searches since the clock was read */
#define FIRST_SLICE ((size_t)16)        /* places that are searched in one go; more when that was fast, */
#define LATER_SLICE ((size_t)4096)      /* and so many at most at the start of later text */

struct bipe_pcre2_search {
    bipe_pcre2_take *take;
    void *take_context;
    pcre2_general_context *general;
    pcre2_match_context *context;
    pcre2_match_data *match;
    pcre2_jit_stack *stack;
    pcre2_code *code;       /* used while the window is UTF-8 */
    pcre2_code *loose;      /* used else: goes round barriers; ".*" at its front does not bind it to starts of lines */
    bool anchored;          /* by ^, \A or \G: a search that fails is the last */
    bool keep_all;          /* needs all since the last match: \G within, (*COMMIT) */
    bool no_slices;         /* may skip places of search: a search is not cut into slices */
    bool line_care;         /* see above */
    bool cr_care;           /* \R: CR at the end of a window waits as well */
    bool graphemes;         /* \X */
    bool native;            /* `code` was compiled for the machine */
    bool strained;          /* its stack did not do */
    size_t offset_limit, steps; /* what the context says */
    uint32_t newline;       /* PCRE2_NEWLINE_* */
    size_t behind;          /* bytes kept in front of the place of search */
    size_t reach;           /* from its start a match looks at less than so many bytes ahead; 0: no telling */

    uint8_t *text;          /* the window */
    size_t size, capacity;
    uint64_t base;          /* offset of the window in the text; > 0: something was dropped */
    size_t pos;             /* where the next search begins */
    size_t settled;         /* no match that starts before it is still to come */
    size_t retry;           /* no search before the window has this size */
    size_t checked;         /* up to here the text is known to be UTF-8, or not */
    size_t barrier;         /* end of the last bytes before `checked` that are no UTF-8; 0: none */
    size_t run;             /* start of the newlines that stand right before `checked` */
    bool over;              /* nothing can match any more */
    uint64_t spent, clock;  /* nanoseconds */

    size_t work;            /* see CHECK_TIME_EVERY */
    size_t places, sight;   /* so many places are searched in one go; and what was in sight when that was found out */
};

typedef struct bipe_pcre2_search pcre2_search;

/* ---- what patterns are written with ---- */

static bool is_one_of(char c, const char *all)
{
    return c != '\0' && strchr(all, c) != NULL;
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* ---- the text ---- */

/* Length of the newline character, as the pattern's convention has it, that ends at s[end), or 0. */
static size_t newline_before(const pcre2_search *r, size_t end)
{
    const uint8_t *s = r->text;
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
    size_t i = r->checked, last = i;
    while ((i += bipe_utf8_ascii(r->text + i, r->size - i)) < r->size) {
        int32_t code;
        size_t length = bipe_utf8_decode(r->text + i, r->size - i, &code);
        if (length == 0)
            break;
        i += length;
        if (code < 0)
            r->barrier = i;
    }
    r->checked = i;
    size_t n;
    while (i > last && (n = newline_before(r, i)) != 0)
        i -= n;
    if (i > last)
        r->run = i;
}

/* Room for `want` bytes, which are seldom more than may be held: then there is not more room than for these. */
static int reserve(pcre2_search *r, size_t want)
{
    const size_t most = HOLD_LIMIT + 2 * PIECE + PADDING;
    if (want <= r->capacity || r->capacity + r->capacity / 2 < most || want > most)
        return bipe_grow(&r->text, &r->capacity, want, 1);
    uint8_t *text = bipe_realloc(r->text, most, 1);
    if (text == NULL)
        return -1;
    r->text = text;
    r->capacity = most;
    return 0;
}

static int append(pcre2_search *r, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (reserve(r, r->size + size + PADDING) != 0)
        return bipe_fail_memory(err);
    if (size > 0)
        memcpy(r->text + r->size, bytes, size);
    r->size += size;
    memset(r->text + r->size, 0, PADDING);
    return BIPE_OK;
}

static bool is_regional_indicator(const uint8_t *s)
{
    return s[0] == 0xF0 && s[1] == 0x9F && s[2] == 0x87 && s[3] >= 0xA6 && s[3] <= 0xBF;
}

static bool open_stack(pcre2_search *r)
{
    if (r->native && r->stack == NULL)
        r->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MOST, r->general);
    pcre2_jit_stack_assign(r->context, NULL, r->stack);
    return r->stack != NULL || !r->native;
}

/* What PCRE2 has taken for a search is given back. Without a stack its JIT does with little. */
static void renew(pcre2_search *r)
{
    pcre2_match_data *fresh = pcre2_match_data_create_from_pattern(r->code, r->general);
    if (fresh != NULL) {
        pcre2_match_data_free(r->match);
        r->match = fresh;
    }
    pcre2_jit_stack_free(r->stack);
    r->stack = NULL;
    r->strained = !open_stack(r);
}

/* Drops the text that is not needed any more, when that is most of the window. */
static void compact(pcre2_search *r)
{
    if (r->strained || (r->size > LARGE && r->retry > r->size)) /* it will not be searched soon */
        renew(r);
    if (r->pos <= r->behind || r->pos - r->behind < r->size / 2)
        return;
    size_t drop = r->pos - r->behind;
    for (int i = 0; i < 3 && (r->text[drop] & 0xC0) == 0x80 && drop > 0; i++)
        drop--;
    if (r->graphemes) {
        size_t first = drop;
        while (first >= 4 && r->size - first >= 4 && is_regional_indicator(r->text + first) &&
               is_regional_indicator(r->text + first - 4))
            first -= 4;
        if ((drop - first) / 4 % 2 != 0)
            drop -= 4;
    }
    if (drop == 0)
        return;
    memmove(r->text, r->text + drop, r->size - drop);
    r->base += drop;
    r->size -= drop;
    r->pos -= drop;
    r->settled -= drop;
    r->checked -= drop;
    r->barrier = r->barrier > drop ? r->barrier - drop : 0;
    r->run = r->run > drop ? r->run - drop : 0;
    r->retry = r->retry > drop ? r->retry - drop : 0;
    if (r->capacity <= LARGE || r->size > r->capacity / 8)
        return;
    renew(r);
    uint8_t *less = bipe_realloc(r->text, r->capacity / 4, 1);
    if (less == NULL)
        return;
    r->text = less;
    r->capacity /= 4;
}

/* ---- the bounds ---- */

static uint64_t processor_time(void)
{
    struct timespec now;
#ifdef CLOCK_THREAD_CPUTIME_ID
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Adds the time since the clock was last read, and returns it. */
static uint64_t read_clock(pcre2_search *r)
{
    uint64_t now = processor_time(), passed = now > r->clock ? now - r->clock : 0;
    r->spent += passed;
    r->clock = now;
    r->work = 0;
    return passed;
}

static int check_bounds(const pcre2_search *r, bipe_error *err)
{
    uint64_t at = r->base + r->pos;
    if (r->spent > TIME_BASE && r->spent - TIME_BASE > (r->size - r->pos) * TIME_PER_HELD && (r->spent - TIME_BASE) / TIME_PER_BYTE > at)
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "offset %" PRIu64 ": the search is slower than %" PRIu64 " bytes a second, expected a pattern that backtracks less",
                         at, 1000000000 / TIME_PER_BYTE);
    if (r->size - r->pos > HOLD_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": undecided after %zu bytes more, expected a pattern that needs less text",
                         at, HOLD_LIMIT);
    return BIPE_OK;
}

/* ---- the search ---- */

/* The end of the places whose matches cannot look as far as `stop`; `stop` when there are none or no telling. */
static size_t complete_end(const pcre2_search *r, size_t stop)
{
    if (r->reach == 0 || stop - r->pos <= r->reach)
        return stop;
    size_t end = stop - r->reach;
    while (end > r->pos && ((r->text[end] & 0xC0) == 0x80 || (r->text[end] == '\n' && r->text[end - 1] == '\r')))
        end--;
    return end > r->pos ? end : stop;
}

/* Where a slice of `places` places of search from pos on ends: at the start of a character, not within CR LF. */
static size_t slice_end(const pcre2_search *r, size_t stop, size_t places)
{
    if (r->no_slices || places >= stop - r->pos)
        return stop;
    size_t end = r->pos + places;
    while (end < stop && ((r->text[end] & 0xC0) == 0x80 || (r->text[end] == '\n' && r->text[end - 1] == '\r')))
        end++;
    return end;
}

/* Where JIT cannot go on: without its stack, which may be large. */
static int match_plainly(pcre2_search *r, const pcre2_code *code, size_t stop, uint32_t options)
{
    pcre2_jit_stack_assign(r->context, NULL, NULL);
    pcre2_jit_stack_free(r->stack);
    r->stack = NULL;
    r->strained = true;
    return pcre2_match(code, r->text, stop, r->pos, options | PCRE2_NO_JIT, r->match, r->context);
}

/* One call of PCRE2: places from pos up to `end`, text up to `stop`. */
static int match_once(pcre2_search *r, size_t stop, size_t end, bool partial)
{
    bool clean = r->barrier == 0 && stop <= r->checked;
    const pcre2_code *code = clean ? r->code : r->loose;
    uint32_t options = PCRE2_NOTEMPTY | (r->base > 0 ? PCRE2_NOTBOL : 0) | (partial ? PCRE2_PARTIAL_HARD : 0) |
                       (clean ? PCRE2_NO_UTF_CHECK : 0);
    size_t offset_limit = end < stop ? end - 1 : PCRE2_UNSET;
    if (r->offset_limit != offset_limit) {
        r->offset_limit = offset_limit;
        pcre2_set_offset_limit(r->context, offset_limit);
    }
    size_t limit = STEPS_IN_SIGHT / r->sight + 1000;
    for (;; limit *= 8) {
        if (r->steps != limit) {
            r->steps = limit;
            pcre2_set_match_limit(r->context, limit < MATCH_LIMIT ? (uint32_t)limit : MATCH_LIMIT);
        }
        int result = clean && r->native ? pcre2_jit_match(code, r->text, stop, r->pos, options, r->match, r->context)
                                        : pcre2_match(code, r->text, stop, r->pos, options, r->match, r->context);
        if (result == PCRE2_ERROR_JIT_STACKLIMIT || result == PCRE2_ERROR_JIT_BADOPTION)
            result = match_plainly(r, code, stop, options);
        if (result != PCRE2_ERROR_MATCHLIMIT || limit >= MATCH_LIMIT || read_clock(r) > SLOW_STEPS)
            return result;
    }
}

/* Reports a match and goes on behind it. */
static int report(pcre2_search *r, bipe_error *err)
{
    size_t end = pcre2_get_ovector_pointer(r->match)[1];
    if (end <= r->pos) /* \K within a look-around, which PCRE2 allowed before 10.38 */
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "offset %" PRIu64 ": a match ends before it starts, expected a pattern without \\K in look-arounds",
                         r->base + r->pos);
    r->pos = r->settled = end;
    r->retry = 0;
    uint64_t offset = r->base + end;
    return r->take(r->take_context, &offset, 1);
}

/* Finds all that can be decided. `final`: the text ends with the window. */
static int search(pcre2_search *r, bool final, bipe_error *err)
{
    size_t end = final ? r->size : r->run;
    if (r->pos >= end || r->over)
        return check_bounds(r, err);
    r->clock = processor_time();
    r->places = r->places < LATER_SLICE ? r->places : LATER_SLICE;
    while (r->pos < end && !r->over && (final || r->size >= r->retry)) {
        /* In front of a barrier all is decided; in the last part more text may matter. */
        bool partial = !final && r->barrier <= r->pos;
        size_t stop = final || partial ? end : r->barrier;
        size_t most = partial ? complete_end(r, stop) : stop;
        if (most < stop)
            partial = false;
        if (stop - r->pos > r->sight + r->sight / 2) {
            r->sight = stop - r->pos;
            r->places = FIRST_SLICE;
        }
        size_t slice = slice_end(r, most, r->places);
        int result = match_once(r, stop, slice, partial), status = BIPE_OK;
        r->work += stop - r->pos;
        if (r->work >= CHECK_TIME_EVERY || slice < most) {
            uint64_t passed = read_clock(r);
            if (slice < most && passed < 10000000 && r->places < SIZE_MAX / 8)
                r->places *= 8;
            else if (passed > 100000000)
                r->places = r->places / 8 + 1;
            status = check_bounds(r, err);
            if (status != BIPE_OK)
                return status;
        }
        if (result >= 0) {
            status = report(r, err);
        } else if (result == PCRE2_ERROR_PARTIAL) {
            size_t start = pcre2_get_ovector_pointer(r->match)[0];
            r->settled = start > r->pos ? start : r->pos;
            if (!r->keep_all)
                r->pos = r->settled;
            r->retry = r->size + (end - r->pos);
            break;
        } else if (result != PCRE2_ERROR_NOMATCH) {
            status = bipe_pcre2_fail(result, err);
            if (status != BIPE_ERR_MEMORY)
                bipe_error_prefix(err, "offset %" PRIu64, r->base + r->pos);
        } else if (r->anchored) {
            r->over = true;
        } else if (r->keep_all) {
            r->settled = stop;
            r->retry = r->size + (stop - r->pos);
            break;
        } else {
            r->pos = r->settled = slice;
        }
        if (status != BIPE_OK)
            return status;
    }
    read_clock(r);
    return check_bounds(r, err);
}

/* ---- opening ---- */

static int compile(const pcre2_search *r, const char *pattern, uint32_t options, pcre2_code **code, bipe_error *err)
{
    /* 10.42 takes what a look-ahead holds for the first character and then wants the same one again: (?=a)(?m:^)a. */
    if (strstr(pattern, "(?=") != NULL || strstr(pattern, "pla:") != NULL || strstr(pattern, "positive_lookahead:") != NULL)
        options |= PCRE2_NO_START_OPTIMIZE;
    return bipe_pcre2_compile(code, r->general, pattern, strlen(pattern), options | PCRE2_USE_OFFSET_LIMIT, err);
}

/* Compiles for the machine, where that can be done. JIT was seen to be wrong (10.42): it goes back into atomic groups; and with bytes that
 * are no UTF-8, past (*COMMIT), and counts regional indicators wrongly. */
static void compile_native(pcre2_search *r, const char *pattern)
{
    if (strstr(pattern, "(?>") != NULL || strstr(pattern, "(*atomic:") != NULL)
        return;
    pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
    if (strstr(pattern, "(*COMMIT") == NULL && strstr(pattern, "\\X") == NULL)
        pcre2_jit_compile(r->loose, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
}

/* Whether a class ends soon behind *at, the place behind its '[', which then moves behind its ']'. Not for classes within classes. */
static bool pass_class(const char **at)
{
    *at += **at == '^';
    if (**at == ']')
        return false;
    for (; **at != ']'; ++*at) {
        if (**at == '\\')
            ++*at;
        if (**at == '\0' || **at == '[' || **at == 'Q' || **at == 'E')
            return false;
    }
    ++*at;
    return true;
}

/* How many bytes, at most, the text has to have behind the place of search for an attempt there to be independent of where the text ends.
 * 0 for any pattern that can repeat or recall something: what is left uses at most a character for each of its own, and
 * $ and \b look at two more (CR LF). */
static size_t find_reach(const char *pattern)
{
    const char *at = pattern;
    while (*at != '\0') {
        char c = *at++;
        if (c == '*' || c == '+' || c == '{' || (c == '[' && !pass_class(&at)))
            return 0;
        if (c == '\\') {
            c = *at++;
            if (c == '\0' || (is_letter_or_digit(c) && !is_one_of(c, "nrtfdDwWsSbBvVhHAzZKRpP")))
                return 0;
            if ((c == 'p' || c == 'P') && *at == '{') {
                at = strchr(at, '}');
                if (at == NULL)
                    return 0;
                at++;
            }
        } else if (c == '(' && *at == '?') { /* (?:  (?=  (?!  (?<=  (?<!  (?i)  (?ms: */
            at++;
            bool behind = *at == '<';
            at += behind;
            while (!behind && is_one_of(*at, "ims"))
                at++;
            if (!is_one_of(*at, behind ? "=!" : ":=!)"))
                return 0;
        }
    }
    return ((size_t)(at - pattern) * 3 + 8) * 4;
}

static int prepare(pcre2_search *r, const char *pattern, bipe_error *err)
{
    r->general = bipe_pcre2_memory();
    r->context = r->general != NULL ? pcre2_match_context_create(r->general) : NULL;
    if (r->context == NULL)
        return bipe_fail_memory(err);
    pcre2_set_depth_limit(r->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(r->context, HEAP_LIMIT_KIB);
    int status = compile(r, pattern, 0, &r->code, err);
    if (status == BIPE_OK)
        status = compile(r, pattern, PCRE2_MATCH_INVALID_UTF | PCRE2_NO_DOTSTAR_ANCHOR, &r->loose, err);
    if (status != BIPE_OK)
        return status;
    compile_native(r, pattern);

    uint32_t options = 0;
    size_t native = 0;
    pcre2_pattern_info(r->loose, PCRE2_INFO_ALLOPTIONS, &options);
    pcre2_pattern_info(r->code, PCRE2_INFO_NEWLINE, &r->newline);
    pcre2_pattern_info(r->code, PCRE2_INFO_JITSIZE, &native);
    r->anchored = (options & PCRE2_ANCHORED) != 0;
    if (bipe_pcre2_looks_behind(r->code, pattern) > BEHIND_MOST)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "looks back too far, expected no more than %zu characters", BEHIND_MOST);
    r->behind = (bipe_pcre2_looks_behind(r->code, pattern) + MARGIN) * 4;
    /* What a pattern holds can be seen in its text only. Seeing more than there is costs time or memory at worst. */
    r->keep_all = !r->anchored && (strstr(pattern, "\\G") != NULL || strstr(pattern, "(*COMMIT") != NULL);
    r->no_slices = r->anchored || r->keep_all || strstr(pattern, "(*SKIP") != NULL;
    r->reach = r->no_slices ? 0 : find_reach(pattern);
    r->line_care = r->newline != PCRE2_NEWLINE_LF || strpbrk(pattern, "^$") != NULL || strstr(pattern, "\\Z") != NULL;
    r->cr_care = strstr(pattern, "\\R") != NULL;
    r->graphemes = strstr(pattern, "\\X") != NULL;
    r->match = pcre2_match_data_create_from_pattern(r->code, r->general);
    if (r->match == NULL)
        return bipe_fail_memory(err);
    r->native = native != 0;
    r->offset_limit = PCRE2_UNSET;
    return open_stack(r) ? BIPE_OK : bipe_fail_memory(err);
}

int bipe_pcre2_search_open(bipe_pcre2_search **search, const char *pattern, bipe_pcre2_take *take, void *context, bipe_error *err)
{
    *search = NULL;
    pcre2_search *r = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    r->take = take;
    r->take_context = context;
    int status = prepare(r, pattern, err);
    if (status != BIPE_OK) {
        bipe_pcre2_search_close(r);
        return status;
    }
    *search = r;
    return BIPE_OK;
}

void bipe_pcre2_search_close(bipe_pcre2_search *r)
{
    if (r == NULL)
        return;
    pcre2_code_free(r->code);
    pcre2_code_free(r->loose);
    pcre2_jit_stack_free(r->stack);
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->context);
    pcre2_general_context_free(r->general);
    bipe_free(r->text);
    bipe_free(r);
}

/* ---- a text ---- */

void bipe_pcre2_search_begin(bipe_pcre2_search *r)
{
    if (r->capacity > LARGE || r->strained) {
        bipe_free(r->text);
        r->text = NULL;
        r->capacity = 0;
        renew(r);
    }
    r->size = r->pos = r->settled = r->retry = r->checked = r->barrier = r->run = r->work = 0;
    r->base = r->spent = 0;
    r->over = false;
    r->places = r->sight = 0;
}

int bipe_pcre2_search_feed(bipe_pcre2_search *r, const uint8_t *bytes, size_t size, bool last, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t n; size > 0 && !r->over && status == BIPE_OK; bytes += n, size -= n) {
        n = r->barrier > 0 ? BROKEN_PIECE : PIECE;
        n = size < n ? size : n;
        status = append(r, bytes, n, err);
        if (status != BIPE_OK)
            break;
        check_text(r);
        status = search(r, false, err);
        compact(r);
    }
    return status == BIPE_OK && last ? search(r, true, err) : status;
}

uint64_t bipe_pcre2_search_settled(const bipe_pcre2_search *r)
{
    return r->over ? UINT64_MAX : r->base + r->settled;
}

/* ---- patterns ---- */

int bipe_pcre2_check(const char *pattern, bipe_error *err)
{
    pcre2_code *code = NULL;
    pcre2_general_context *general = bipe_pcre2_memory();
    int status = general != NULL ? bipe_pcre2_compile(&code, general, pattern, strlen(pattern), 0, err) : bipe_fail_memory(err);
    pcre2_code_free(code);
    pcre2_general_context_free(general);
    return status;
}

/* PCRE2 tells how far a pattern looks behind, and so how long the longest match of what is looked behind for is. What stands in front of it
 * here is longer than anything that the pattern itself may look behind for. */
bool bipe_pcre2_is_empty(const char *pattern)
{
    enum { FAR = 100 };
    bipe_buffer behind = {0};
    bipe_error err;
    uint32_t longest = 0;
    pcre2_code *code = NULL;
    pcre2_general_context *general = bipe_pcre2_memory();
    if (general != NULL && bipe_buffer_printf(&behind, &err, "(?<=.{%d}(?:%s))", FAR, pattern) == BIPE_OK &&
        bipe_pcre2_compile(&code, general, (const char *)behind.data, behind.size, 0, &err) == BIPE_OK)
        pcre2_pattern_info(code, PCRE2_INFO_MAXLOOKBEHIND, &longest);
    pcre2_code_free(code);
    pcre2_general_context_free(general);
    bipe_buffer_free(&behind);
    return longest == FAR;
}
