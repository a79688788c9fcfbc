/* regex.c - a segment ends after each leftmost non-empty match of a PCRE2 pattern, found in a stream.
 *
 * The answer is the one that a search of the whole document would give, wherever the input is cut. Most patterns are searched by an
 * automaton (text/regex_search.h). All others are PCRE2's, and what follows is about these. The text
 * from a little before the place of search on stands in a window. A search that is not yet at the end of the document uses
 * PCRE2_PARTIAL_HARD: where more text could change the answer, it says so, and is repeated when the text that it
 * could not decide on has doubled, so that long matches cost little more than once. In front of the place of search the window keeps
 * more than the pattern can look behind, so that the start of a window is never taken for the start of the document.
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
 * the processor time of a document (for searches whose attempts are cheap one by one, but quadratic together). Each gives a
 * limit error with the offset. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <inttypes.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segment/segmenter.h"
#include "text/regex_search.h"

#define HOLD_LIMIT ((size_t)64 << 20) /* as BIPE_SEGMENT_HOLD_LIMIT */
#define PIECE ((size_t)64 << 10)      /* the text is taken in by so much at a time, */
#define BROKEN_PIECE ((size_t)16 << 10) /* by so much where it is no UTF-8: then each search checks all that is in sight */
#define PADDING ((size_t)64)          /* zeros behind the window: JIT looks at whole vectors */
#define BEHIND_MOST ((size_t)1 << 20) /* characters */
#define MARGIN 4                      /* characters kept beyond what the pattern can look behind */

#define MATCH_LIMIT 10000000u         /* most steps of an attempt at one place; each may look at all that is in sight, so */
#define STEPS_IN_SIGHT ((size_t)1 << 30) /* steps x bytes in sight are tried first, more when that was fast */
#define SLOW_STEPS UINT64_C(1000000000)  /* nanoseconds that are not fast */
#define DEPTH_LIMIT 10000000u
#define HEAP_LIMIT_KIB (256u << 10)
#define JIT_STACK_START ((size_t)64 << 10)
#define JIT_STACK_MOST ((size_t)64 << 20)

#define TIME_BASE UINT64_C(5000000000)  /* nanoseconds for any document, and */
#define TIME_PER_BYTE UINT64_C(20000)   /* for each byte of it that was decided: 50 kB a second, and */
#define TIME_PER_HELD UINT64_C(1000)    /* for each byte that is kept */
#define CHECK_TIME_EVERY ((size_t)4 << 20) /* bytes in sight of the searches since the clock was read */
#define FIRST_SLICE ((size_t)16)        /* places that are searched in one go; more when that was fast, */
#define LATER_SLICE ((size_t)4096)      /* and so many at most at the start of later text */

typedef struct regex {
    pcre2_general_context *general;
    pcre2_compile_context *compile;
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
    size_t offset_limit, steps; /* what the context says */
    uint32_t newline;       /* PCRE2_NEWLINE_* */
    size_t behind;          /* bytes kept in front of the place of search */
    size_t reach;           /* from its start a match looks at less than so many bytes ahead; 0: no telling */

    uint8_t *text;          /* the window */
    size_t size, capacity;
    uint64_t base;          /* offset of the window in the document; > 0: something was dropped */
    size_t pos;             /* where the next search begins */
    size_t settled;         /* no match that starts before it is still to come */
    size_t retry;           /* no search before the window has this size */
    size_t checked;         /* up to here the text is known to be UTF-8, or not */
    size_t barrier;         /* end of the last bytes before `checked` that are no UTF-8; 0: none */
    size_t run;             /* start of the newlines that stand right before `checked` */
    bool over;              /* nothing can match any more */
    uint64_t spent, clock;  /* nanoseconds */

    bipe_regex_program *program; /* NULL: not a pattern for an automaton; else all above is not used */
    bipe_regex_search *search;
    bipe_boundaries *boundaries; /* where it puts what it finds */
    bool is_set;               /* the pattern means a set of bytes */
    bipe_byte_set separators;  /* these */
    size_t work;            /* see CHECK_TIME_EVERY */
    size_t places, sight;   /* so many places are searched in one go; and what was in sight when that was found out */
} regex;

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

/* Length of the UTF-8 character at s[0 .. n), n > 0; 0: the start of one; -1: none. */
static int character(const uint8_t *s, size_t n)
{
    uint8_t c = s[0], low = 0x80, high = 0xBF;
    int length;
    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return -1;
    length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xF4)
        high = 0x8F;
    for (int i = 1; i < length; i++, low = 0x80, high = 0xBF) {
        if ((size_t)i == n)
            return 0;
        if (s[i] < low || s[i] > high)
            return -1;
    }
    return length;
}

/* Length of the newline character, as the pattern's convention has it, that ends at s[end), or 0. */
static size_t newline_before(const regex *r, size_t end)
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

/* How many ASCII characters s[0 .. n) begins with. */
static size_t ascii_run(const uint8_t *s, size_t n)
{
    size_t i = 0;
    uint64_t w[8];
    for (; n - i >= sizeof w; i += sizeof w) {
        memcpy(w, s + i, sizeof w);
        if (((w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    for (; n - i >= sizeof *w; i += sizeof *w) {
        memcpy(w, s + i, sizeof *w);
        if ((*w & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (i < n && s[i] < 0x80)
        i++;
    return i;
}

/* Moves `checked` on, as far as characters are complete. */
static void check_text(regex *r)
{
    size_t i = r->checked, last = i;
    while ((i += ascii_run(r->text + i, r->size - i)) < r->size) {
        int length = character(r->text + i, r->size - i);
        if (length == 0)
            break;
        i += length > 0 ? (size_t)length : 1;
        if (length < 0)
            r->barrier = i;
    }
    r->checked = i;
    size_t n;
    while (i > last && (n = newline_before(r, i)) != 0)
        i -= n;
    if (i > last)
        r->run = i;
}

static int append(regex *r, const uint8_t *bytes, size_t size)
{
    if (size > r->capacity - r->size) {
        size_t capacity = r->capacity + r->capacity / 2 + size + PIECE;
        uint8_t *text = realloc(r->text, capacity + PADDING);
        if (text == NULL)
            return BIPE_SEGMENTER_MEMORY;
        r->text = text;
        r->capacity = capacity;
    }
    memcpy(r->text + r->size, bytes, size);
    r->size += size;
    memset(r->text + r->size, 0, PADDING);
    return BIPE_SEGMENTER_OK;
}

static bool is_regional_indicator(const uint8_t *s)
{
    return s[0] == 0xF0 && s[1] == 0x9F && s[2] == 0x87 && s[3] >= 0xA6 && s[3] <= 0xBF;
}

/* Drops the text that is not needed any more, when that is most of the window. */
static void compact(regex *r)
{
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
static uint64_t read_clock(regex *r)
{
    uint64_t now = processor_time(), passed = now > r->clock ? now - r->clock : 0;
    r->spent += passed;
    r->clock = now;
    r->work = 0;
    return passed;
}

static int check_bounds(const regex *r, bipe_boundaries *boundaries)
{
    uint64_t at = r->base + r->pos;
    if (r->spent > TIME_BASE && r->spent - TIME_BASE > (r->size - r->pos) * TIME_PER_HELD &&
        (r->spent - TIME_BASE) / TIME_PER_BYTE > at) {
        snprintf(boundaries->error, boundaries->error_size,
                 "offset %" PRIu64 ": the search is slower than %" PRIu64 " bytes a second, expected a pattern that backtracks less",
                 at, 1000000000 / TIME_PER_BYTE);
        return BIPE_SEGMENTER_LIMIT;
    }
    if (r->size - r->pos > HOLD_LIMIT) {
        snprintf(boundaries->error, boundaries->error_size,
                 "offset %" PRIu64 ": undecided after %zu bytes more, expected a pattern that needs less text", at, HOLD_LIMIT);
        return BIPE_SEGMENTER_LIMIT;
    }
    return BIPE_SEGMENTER_OK;
}

static int fail_match(const regex *r, int code, bipe_boundaries *boundaries)
{
    if (code == PCRE2_ERROR_NOMEMORY)
        return BIPE_SEGMENTER_MEMORY;
    char why[128] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
    bool limit = code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT ||
                 code == PCRE2_ERROR_JIT_STACKLIMIT || code == PCRE2_ERROR_RECURSELOOP;
    snprintf(boundaries->error, boundaries->error_size, "offset %" PRIu64 ": %s (PCRE2 error %d)%s", r->base + r->pos, why, code,
             limit ? ", expected a pattern that backtracks less" : "");
    return limit ? BIPE_SEGMENTER_LIMIT : BIPE_SEGMENTER_FAILURE;
}

/* ---- the search ---- */

/* The end of the places whose matches cannot look as far as `stop`; `stop` when there are none or no telling. */
static size_t complete_end(const regex *r, size_t stop)
{
    if (r->reach == 0 || stop - r->pos <= r->reach)
        return stop;
    size_t end = stop - r->reach;
    while (end > r->pos && ((r->text[end] & 0xC0) == 0x80 || (r->text[end] == '\n' && r->text[end - 1] == '\r')))
        end--;
    return end > r->pos ? end : stop;
}

/* Where a slice of `places` places of search from pos on ends: at the start of a character, not within CR LF. */
static size_t slice_end(const regex *r, size_t stop, size_t places)
{
    if (r->no_slices || places >= stop - r->pos)
        return stop;
    size_t end = r->pos + places;
    while (end < stop && ((r->text[end] & 0xC0) == 0x80 || (r->text[end] == '\n' && r->text[end - 1] == '\r')))
        end++;
    return end;
}

/* One call of PCRE2: places from pos up to `end`, text up to `stop`. */
static int match_once(regex *r, size_t stop, size_t end, bool partial)
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
            result = pcre2_match(code, r->text, stop, r->pos, options | PCRE2_NO_JIT, r->match, r->context);
        if (result != PCRE2_ERROR_MATCHLIMIT || limit >= MATCH_LIMIT || read_clock(r) > SLOW_STEPS)
            return result;
    }
}

/* Reports a match and goes on behind it. */
static int report(regex *r, bipe_boundaries *boundaries)
{
    size_t end = pcre2_get_ovector_pointer(r->match)[1];
    if (end <= r->pos) { /* \K within a look-around, which PCRE2 allowed before 10.38 */
        snprintf(boundaries->error, boundaries->error_size, "offset %" PRIu64 ": a match ends before it starts, expected a pattern without \\K in look-arounds",
                 r->base + r->pos);
        return BIPE_SEGMENTER_FAILURE;
    }
    r->pos = r->settled = end;
    r->retry = 0;
    return bipe_boundaries_add(boundaries, r->base + end);
}

/* Finds all that can be decided. `final`: the document ends with the window. */
static int search(regex *r, bool final, bipe_boundaries *boundaries)
{
    size_t end = final ? r->size : r->run;
    if (r->pos >= end || r->over)
        return check_bounds(r, boundaries);
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
        int result = match_once(r, stop, slice, partial), status = BIPE_SEGMENTER_OK;
        r->work += stop - r->pos;
        if (r->work >= CHECK_TIME_EVERY || slice < most) {
            uint64_t passed = read_clock(r);
            if (slice < most && passed < 10000000 && r->places < SIZE_MAX / 8)
                r->places *= 8;
            else if (passed > 100000000)
                r->places = r->places / 8 + 1;
            status = check_bounds(r, boundaries);
            if (status != BIPE_SEGMENTER_OK)
                return status;
        }
        if (result >= 0) {
            status = report(r, boundaries);
        } else if (result == PCRE2_ERROR_PARTIAL) {
            size_t start = pcre2_get_ovector_pointer(r->match)[0];
            r->settled = start > r->pos ? start : r->pos;
            if (!r->keep_all)
                r->pos = r->settled;
            r->retry = r->size + (end - r->pos);
            break;
        } else if (result != PCRE2_ERROR_NOMATCH) {
            status = fail_match(r, result, boundaries);
        } else if (r->anchored) {
            r->over = true;
        } else if (r->keep_all) {
            r->settled = stop;
            r->retry = r->size + (stop - r->pos);
            break;
        } else {
            r->pos = r->settled = slice;
        }
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    read_clock(r);
    return check_bounds(r, boundaries);
}

/* ---- the automaton ---- */

static int take_ends(void *context, const uint64_t *ends, size_t count)
{
    regex *r = context;
    for (size_t i = 0; i < count; i++)
        if (bipe_boundaries_add(r->boundaries, ends[i]) != BIPE_SEGMENTER_OK)
            return BIPE_ERR_MEMORY;
    return BIPE_OK;
}

/* A pattern that ends a segment behind each of a set of ASCII characters means the same wherever they stand, also beside bytes
 * that are no UTF-8. */
static void find_separators(regex *r)
{
    uint8_t member[256];
    r->is_set = bipe_regex_program_is_set(r->program, member);
    for (unsigned b = 0; b < 256 && r->is_set; b++)
        if (member[b] != 0)
            bipe_byte_set_add(&r->separators, (uint8_t)b);
}

/* Leaves r->search NULL where the pattern is not one for it. */
static int open_automaton(regex *r, const char *pattern)
{
    bipe_error err;
    int status = bipe_regex_program_build(&r->program, pattern, strlen(pattern), &(bipe_regex_options){0}, &err);
    if (status == BIPE_OK && r->program != NULL) {
        find_separators(r);
        status = bipe_regex_search_open(&r->search, r->program, take_ends, r, &err);
    }
    return status == BIPE_OK ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
}

static int run_automaton(regex *r, const uint8_t *bytes, size_t size, bool last, bipe_boundaries *boundaries)
{
    bipe_error err;
    r->boundaries = boundaries;
    int status = bipe_regex_search_feed(r->search, bytes, size, last, &err);
    if (status == BIPE_OK && !last)
        boundaries->settled = bipe_regex_search_settled(r->search);
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status == BIPE_OK ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
    snprintf(boundaries->error, boundaries->error_size, "%s", err.text);
    return status == BIPE_ERR_LIMIT ? BIPE_SEGMENTER_LIMIT : BIPE_SEGMENTER_FAILURE;
}

/* ---- the interface ---- */

static void *pcre2_takes(PCRE2_SIZE size, void *unused)
{
    (void)unused;
    return malloc(size);
}

static void pcre2_gives(void *block, void *unused)
{
    (void)unused;
    free(block);
}

static void regex_close(void *state)
{
    regex *r = state;
    pcre2_code_free(r->code);
    pcre2_code_free(r->loose);
    pcre2_jit_stack_free(r->stack);
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->context);
    pcre2_compile_context_free(r->compile);
    pcre2_general_context_free(r->general);
    bipe_regex_search_close(r->search);
    bipe_regex_program_free(r->program);
    free(r->text);
    free(r);
}

static int compile(regex *r, const char *pattern, uint32_t options, pcre2_code **code, char *error, size_t error_size)
{
    int number;
    PCRE2_SIZE at;
    options |= PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    /* 10.42 takes what a look-ahead holds for the first character and then wants the same one again: (?=a)(?m:^)a. */
    if (strstr(pattern, "(?=") != NULL || strstr(pattern, "pla:") != NULL || strstr(pattern, "positive_lookahead:") != NULL)
        options |= PCRE2_NO_START_OPTIMIZE;
    *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &number, &at, r->compile);
    if (*code == NULL) {
        if (number == PCRE2_ERROR_HEAP_FAILED)
            return BIPE_SEGMENTER_MEMORY;
        char why[256] = "";
        pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
        snprintf(error, error_size, "offset %zu of the pattern: %s", (size_t)at, why);
        return BIPE_SEGMENTER_ARGUMENT;
    }
    return BIPE_SEGMENTER_OK;
}

/* Compiles for the machine, where that can be done. JIT was seen to be wrong (10.42): it goes back into atomic groups; and with bytes that
 * are no UTF-8, past (*COMMIT), and counts regional indicators wrongly. */
static void compile_native(regex *r, const char *pattern)
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

/* How often `part` stands in `text`. */
static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static int prepare(regex *r, const char *pattern, char *error, size_t error_size)
{
    r->general = pcre2_general_context_create(pcre2_takes, pcre2_gives, NULL);
    if (r->general == NULL)
        return BIPE_SEGMENTER_MEMORY;
    r->compile = pcre2_compile_context_create(r->general);
    r->context = pcre2_match_context_create(r->general);
    if (r->compile == NULL || r->context == NULL)
        return BIPE_SEGMENTER_MEMORY;
    pcre2_set_newline(r->compile, PCRE2_NEWLINE_LF);
    pcre2_set_bsr(r->compile, PCRE2_BSR_UNICODE);
    pcre2_set_depth_limit(r->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(r->context, HEAP_LIMIT_KIB);
    int status = compile(r, pattern, 0, &r->code, error, error_size);
    if (status == BIPE_SEGMENTER_OK)
        status = open_automaton(r, pattern);
    if (status == BIPE_SEGMENTER_OK && r->search == NULL)
        status = compile(r, pattern, PCRE2_MATCH_INVALID_UTF | PCRE2_NO_DOTSTAR_ANCHOR, &r->loose, error, error_size);
    if (status != BIPE_SEGMENTER_OK || r->search != NULL)
        return status;
    compile_native(r, pattern);

    uint32_t lookbehind = 0, options = 0;
    size_t native = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_MAXLOOKBEHIND, &lookbehind);
    pcre2_pattern_info(r->loose, PCRE2_INFO_ALLOPTIONS, &options);
    pcre2_pattern_info(r->code, PCRE2_INFO_NEWLINE, &r->newline);
    pcre2_pattern_info(r->code, PCRE2_INFO_JITSIZE, &native);
    r->anchored = (options & PCRE2_ANCHORED) != 0;
    /* The number is that of the longest one; they may stand within each other. */
    size_t nested = 1 + count(pattern, "(?<") + count(pattern, "lb:") + count(pattern, "lookbehind:");
    if (lookbehind != 0 && nested > BEHIND_MOST / lookbehind) {
        snprintf(error, error_size, "looks back too far, expected no more than %zu characters", BEHIND_MOST);
        return BIPE_SEGMENTER_ARGUMENT;
    }
    r->behind = (lookbehind * nested + MARGIN) * 4;
    /* What a pattern holds can be seen in its text only. Seeing more than there is costs time or memory at worst. */
    r->keep_all = !r->anchored && (strstr(pattern, "\\G") != NULL || strstr(pattern, "(*COMMIT") != NULL);
    r->no_slices = r->anchored || r->keep_all || strstr(pattern, "(*SKIP") != NULL;
    r->reach = r->no_slices ? 0 : find_reach(pattern);
    r->line_care = r->newline != PCRE2_NEWLINE_LF || strpbrk(pattern, "^$") != NULL || strstr(pattern, "\\Z") != NULL;
    r->cr_care = strstr(pattern, "\\R") != NULL;
    r->graphemes = strstr(pattern, "\\X") != NULL;
    r->match = pcre2_match_data_create_from_pattern(r->code, r->general);
    if (r->match == NULL)
        return BIPE_SEGMENTER_MEMORY;
    r->native = native != 0;
    r->offset_limit = PCRE2_UNSET;
    if (r->native) {
        r->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MOST, r->general);
        if (r->stack == NULL)
            return BIPE_SEGMENTER_MEMORY;
        pcre2_jit_stack_assign(r->context, NULL, r->stack);
    }
    return BIPE_SEGMENTER_OK;
}

static int regex_open(void **state, const char *argument, char *error, size_t error_size)
{
    if (argument == NULL || *argument == '\0') {
        snprintf(error, error_size, "no pattern, expected regex:PATTERN");
        return BIPE_SEGMENTER_ARGUMENT;
    }
    regex *r = calloc(1, sizeof *r);
    if (r == NULL)
        return BIPE_SEGMENTER_MEMORY;
    int status = prepare(r, argument, error, error_size);
    if (status != BIPE_SEGMENTER_OK) {
        regex_close(r);
        return status;
    }
    *state = r;
    return BIPE_SEGMENTER_OK;
}

static int regex_separators(void *state, bipe_byte_set *set)
{
    const regex *r = state;
    *set = r->separators;
    return r->is_set;
}

static int regex_begin(void *state)
{
    regex *r = state;
    if (r->search != NULL)
        bipe_regex_search_begin(r->search);
    if (r->capacity > 64 * PIECE) { /* a long match left it large */
        free(r->text);
        r->text = NULL;
        r->capacity = 0;
    }
    r->size = r->pos = r->settled = r->retry = r->checked = r->barrier = r->run = r->work = 0;
    r->base = r->spent = 0;
    r->over = false;
    r->places = r->sight = 0;
    return BIPE_SEGMENTER_OK;
}

static int regex_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    regex *r = state;
    (void)offset;
    if (r->search != NULL)
        return run_automaton(r, bytes, size, false, boundaries);
    for (size_t n; size > 0 && !r->over; bytes += n, size -= n) {
        n = r->barrier > 0 ? BROKEN_PIECE : PIECE;
        n = size < n ? size : n;
        int status = append(r, bytes, n);
        if (status != BIPE_SEGMENTER_OK)
            return status;
        check_text(r);
        status = search(r, false, boundaries);
        if (status != BIPE_SEGMENTER_OK)
            return status;
        compact(r);
    }
    if (!r->over)
        boundaries->settled = r->base + r->settled;
    return BIPE_SEGMENTER_OK;
}

static int regex_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    regex *r = state;
    (void)size;
    return r->search != NULL ? run_automaton(r, NULL, 0, true, boundaries) : search(r, true, boundaries);
}

const bipe_segmenter bipe_segmenter_regex = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "regex",
    .argument = "PATTERN",
    .summary = "each match of a Perl-compatible regular expression",
    .open = regex_open,
    .begin = regex_begin,
    .bytes = regex_bytes,
    .end = regex_end,
    .close = regex_close,
    .separators = regex_separators,
};
