/* pcre2_engine.c - see pcre2_engine.h.
 *
 * PCRE2 bounds the steps of an attempt at one start, but neither the time of a step nor the number of starts that a
 * call tries. So a call tries few starts with few steps first, and more when that was fast; and the processor time of a
 * text is bounded. */
#include "text/pcre2_engine.h"

#include <string.h>
#include <time.h>

#include "base/alloc.h"

#define MATCH_LIMIT ((size_t)10000000)    /* most steps of an attempt; so many times the bytes in sight are tried
                                             first: */
#define STEPS_IN_SIGHT ((size_t)1 << 30)
#define SLOW_STEPS UINT64_C(1000000000)   /* nanoseconds of an attempt that is not tried again with more steps */
#define DEPTH_LIMIT 10000000u
#define HEAP_LIMIT_KIB (64u << 10)        /* without JIT, or when its stack is full */
#define JIT_STACK_START ((size_t)64 << 10)
#define JIT_STACK_MOST ((size_t)64 << 20)
#define TIME_BASE UINT64_C(5000000000)    /* nanoseconds for any text, and */
#define TIME_PER_BYTE UINT64_C(20000)     /* for each byte of it: 50 kB a second */
#define CHECK_TIME_EVERY ((size_t)4 << 20) /* bytes in sight */
#define WORK_OF_CALL ((size_t)16 << 10)   /* of any call */
#define FAST_CALL UINT64_C(10000000)      /* nanoseconds */
#define SLOW_CALL UINT64_C(100000000)
#define SHORT ((size_t)1 << 10)           /* so much text is searched in one call */
#define FIRST_ATTEMPTS ((size_t)16)       /* starts that are tried in one call, more when that was fast, */
#define LATER_ATTEMPTS ((size_t)4096)     /* and so many at most at the start of more text */

static void *allocate_memory(PCRE2_SIZE size, void *unused)
{
    (void)unused;
    return bipe_alloc(1, size);
}

static void free_memory(void *memory, void *unused)
{
    (void)unused;
    bipe_free(memory);
}

/* A context that allocates by base/alloc.h, as others that are made with it do. NULL: out of memory. */
static pcre2_general_context *open_memory(void)
{
    return pcre2_general_context_create(allocate_memory, free_memory, NULL);
}

int bipe_pcre2_compile(pcre2_code **code, const char *pattern, size_t size, uint32_t options, bipe_error *err)
{
    int number;
    PCRE2_SIZE at;
    pcre2_general_context *general = open_memory();
    pcre2_compile_context *context = general != NULL ? pcre2_compile_context_create(general) : NULL;
    pcre2_general_context_free(general);
    if (context == NULL)
        return bipe_fail_memory(err);
    /* PCRE2 10.42 takes the first character of a look-ahead as that of the match and then requires it twice:
     * (?=a)(?m:^)a. */
    if (strstr(pattern, "(?=") != NULL || strstr(pattern, "pla:") != NULL ||
        strstr(pattern, "positive_lookahead:") != NULL)
        options |= PCRE2_NO_START_OPTIMIZE;
    options |= PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
    *code = pcre2_compile((PCRE2_SPTR)pattern, size, options, &number, &at, context);
    pcre2_compile_context_free(context);
    if (*code != NULL)
        return BIPE_OK;
    if (number == PCRE2_ERROR_HEAP_FAILED)
        return bipe_fail_memory(err);
    char why[256] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "offset %zu of the pattern: %s", (size_t)at, why);
}

/* valid: texts are UTF-8. */
static int compile_native(pcre2_code *code, const char *pattern, bool valid, bipe_error *err)
{
    /* Known bugs of JIT (10.42): it backtracks into atomic groups; and with bytes that are not UTF-8, it ignores
     * (*COMMIT) and miscounts regional indicators. */
    if (strstr(pattern, "(?>") != NULL || strstr(pattern, "(*atomic:") != NULL)
        return BIPE_OK;
    if (!valid && (strstr(pattern, "(*COMMIT") != NULL || strstr(pattern, "\\X") != NULL))
        return BIPE_OK;
    int result = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE |
                                             PCRE2_JIT_PARTIAL_HARD); /* without JIT the interpreter matches the same */
    return result == PCRE2_ERROR_NOMEMORY ? bipe_fail_memory(err) : BIPE_OK;
}

static size_t count_parts(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

size_t bipe_pcre2_looks_behind(const pcre2_code *code, const char *pattern)
{
    /* PCRE2 knows the longest one. They may be nested. */
    uint32_t most = 0;
    pcre2_pattern_info(code, PCRE2_INFO_MAXLOOKBEHIND, &most);
    return most * (1 + count_parts(pattern, "(?<") + count_parts(pattern, "lb:") + count_parts(pattern, "lookbehind:"));
}

/* Attempts at different starts depend on each other with \G, (*SKIP), (*COMMIT), and where the pattern is anchored to
 * the start. */
static bool has_slices(const pcre2_code *code, const char *pattern)
{
    uint32_t options = 0;
    pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options);
    return (options & PCRE2_ANCHORED) == 0 && strstr(pattern, "\\G") == NULL && strstr(pattern, "(*COMMIT") == NULL &&
           strstr(pattern, "(*SKIP") == NULL;
}

int bipe_pcre2_codes_open(bipe_pcre2_codes *codes, const char *pattern, size_t size, const char *source,
                          uint32_t options, bipe_error *err)
{
    /* Where bytes are not UTF-8, ".*" at the start of a pattern must not bind it to starts of lines. */
    uint32_t invalid = options | PCRE2_MATCH_INVALID_UTF | PCRE2_NO_DOTSTAR_ANCHOR;
    int status = bipe_pcre2_compile(&codes->valid, pattern, size, options, err);
    if (status == BIPE_OK)
        status = bipe_pcre2_compile(&codes->invalid, pattern, size, invalid, err);
    if (status == BIPE_OK)
        status = compile_native(codes->valid, source, true, err);
    if (status == BIPE_OK)
        status = compile_native(codes->invalid, source, false, err);
    if (status == BIPE_OK) {
        codes->slices = has_slices(codes->invalid, source);
        if (!codes->slices || pcre2_pattern_info(codes->valid, PCRE2_INFO_FIRSTBITMAP, &codes->starts) != 0)
            codes->starts = NULL;
    } else {
        bipe_pcre2_codes_close(codes);
    }
    return status;
}

void bipe_pcre2_codes_close(bipe_pcre2_codes *codes)
{
    pcre2_code_free(codes->valid);
    pcre2_code_free(codes->invalid);
    *codes = (bipe_pcre2_codes){0};
}

int bipe_pcre2_fail(int number, bipe_error *err)
{
    if (number == PCRE2_ERROR_NOMEMORY)
        return bipe_fail_memory(err);
    if (number == BIPE_PCRE2_SLOW)
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "the search is slower than %d bytes a second, expected a pattern that backtracks less",
                         (int)(UINT64_C(1000000000) / TIME_PER_BYTE));
    char why[128] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
    bool limit = number == PCRE2_ERROR_MATCHLIMIT || number == PCRE2_ERROR_DEPTHLIMIT ||
                 number == PCRE2_ERROR_HEAPLIMIT || number == PCRE2_ERROR_JIT_STACKLIMIT ||
                 number == PCRE2_ERROR_RECURSELOOP;
    return bipe_fail(err, limit ? BIPE_ERR_LIMIT : BIPE_ERR_UNSUPPORTED, "%s (PCRE2 error %d)%s", why, number,
                     limit ? ", expected a pattern that backtracks less" : "");
}

/* ---- time ---- */

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

/* Adds the time since the clock was started, and returns it; starts the clock if it is not running. Reading it takes as
 * long as a search in a short text, so it starts only after some work. */
static uint64_t read_clock(bipe_pcre2_matcher *m)
{
    uint64_t now = processor_time(), passed = m->clock != 0 && now > m->clock ? now - m->clock : 0;
    m->spent += passed;
    m->clock = now;
    m->work = 0;
    return passed;
}

/* ---- the object ---- */

int bipe_pcre2_matcher_open(bipe_pcre2_matcher *m, bipe_error *err)
{
    pcre2_general_context *general = open_memory();
    *m = (bipe_pcre2_matcher){.general = general, .limit = PCRE2_UNSET, .allowed = TIME_BASE};
    m->context = general != NULL ? pcre2_match_context_create(general) : NULL;
    m->data = general != NULL ? pcre2_match_data_create(1, general) : NULL;
    if (m->context == NULL || m->data == NULL) {
        bipe_pcre2_matcher_close(m);
        return bipe_fail_memory(err);
    }
    pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
    return BIPE_OK;
}

static void free_stack(bipe_pcre2_matcher *m)
{
    if (m->context != NULL)
        pcre2_jit_stack_assign(m->context, NULL, NULL);
    pcre2_jit_stack_free(m->stack);
    m->stack = NULL;
}

void bipe_pcre2_matcher_close(bipe_pcre2_matcher *m)
{
    free_stack(m);
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    pcre2_general_context_free(m->general);
    *m = (bipe_pcre2_matcher){0};
}

void bipe_pcre2_matcher_begin(bipe_pcre2_matcher *m)
{
    pcre2_match_data *fresh = pcre2_match_data_create(1, m->general); /* the old one may hold much */
    if (fresh != NULL) {
        pcre2_match_data_free(m->data);
        m->data = fresh;
    }
    if (m->stack != NULL)
        free_stack(m);
    m->spent = m->work = m->sight = 0;
    m->allowed = TIME_BASE;
    m->clock = processor_time();
}

void bipe_pcre2_matcher_allow(bipe_pcre2_matcher *m, size_t bytes)
{
    m->allowed += bytes * TIME_PER_BYTE;
}

void bipe_pcre2_matcher_resume(bipe_pcre2_matcher *m)
{
    m->clock = processor_time();
    m->attempts = m->attempts < LATER_ATTEMPTS ? m->attempts : LATER_ATTEMPTS;
}

/* ---- a match ---- */

/* Matches with a larger stack when JIT needs one, and without JIT when that is full. */
static int match_deep(bipe_pcre2_matcher *m, const pcre2_code *code, const uint8_t *text, size_t size, size_t at,
                      uint32_t options)
{
    int result = PCRE2_ERROR_JIT_STACKLIMIT;
    if (m->stack == NULL) {
        m->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MOST, m->general);
        if (m->stack == NULL)
            return PCRE2_ERROR_NOMEMORY;
        pcre2_jit_stack_assign(m->context, NULL, m->stack);
        result = pcre2_match(code, text, size, at, options, m->data, m->context);
    }
    if (result != PCRE2_ERROR_JIT_STACKLIMIT)
        return result;
    free_stack(m);
    return pcre2_match(code, text, size, at, options | PCRE2_NO_JIT, m->data, m->context);
}

/* One call: starts up to `end` (PCRE2_UNSET: all). */
static int match_starts(bipe_pcre2_matcher *m, const pcre2_code *code, const uint8_t *text, size_t size, size_t at,
                        size_t end, uint32_t options)
{
    if (m->limit != end) {
        m->limit = end;
        pcre2_set_offset_limit(m->context, end == PCRE2_UNSET ? end : end - 1);
    }
    for (size_t steps = STEPS_IN_SIGHT / (size - at + SHORT);; steps *= 8) {
        steps = steps < MATCH_LIMIT ? steps : MATCH_LIMIT;
        if (m->steps != steps) {
            m->steps = steps;
            pcre2_set_match_limit(m->context, (uint32_t)steps);
        }
        int result = pcre2_match(code, text, size, at, options, m->data, m->context);
        if (result == PCRE2_ERROR_JIT_STACKLIMIT)
            result = match_deep(m, code, text, size, at, options);
        if (result != PCRE2_ERROR_MATCHLIMIT || steps == MATCH_LIMIT || read_clock(m) > SLOW_STEPS)
            return result;
    }
}

/* Where the starts of one call end: at the start of a character, not within CR LF. */
static size_t end_of_attempts(const bipe_pcre2_matcher *m, const uint8_t *text, size_t at, size_t end)
{
    if (m->attempts >= end - at)
        return end;
    size_t stop = at + m->attempts;
    while (stop < end && ((text[stop] & 0xC0) == 0x80 || (text[stop] == '\n' && text[stop - 1] == '\r')))
        stop++;
    return stop;
}

int bipe_pcre2_match(bipe_pcre2_matcher *m, const pcre2_code *code, const uint8_t *text, size_t size, size_t at,
                     size_t end, uint32_t options, bool slices)
{
    slices = slices && size - at > SHORT;
    if (slices && size - at > m->sight + m->sight / 2) {
        m->sight = size - at;
        m->attempts = FIRST_ATTEMPTS;
    }
    for (;;) {
        size_t stop = slices ? end_of_attempts(m, text, at, end) : end;
        if (stop < end && m->clock == 0)
            m->clock = processor_time();
        int result = match_starts(m, code, text, size, at, stop < size ? stop : PCRE2_UNSET, options);
        m->work += size - at + WORK_OF_CALL;
        if (m->work >= CHECK_TIME_EVERY || stop < end) {
            uint64_t passed = read_clock(m);
            if (stop < end && passed < FAST_CALL && m->attempts < SIZE_MAX / 8)
                m->attempts *= 8;
            else if (stop < end && passed > SLOW_CALL)
                m->attempts = m->attempts / 8 + 1;
            if (m->spent > m->allowed)
                return BIPE_PCRE2_SLOW;
        }
        if (result != PCRE2_ERROR_NOMATCH || stop == end)
            return result;
        at = stop;
    }
}
