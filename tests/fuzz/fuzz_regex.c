/* fuzz_regex.c - any pattern that is for an automaton, over any text that is cut anywhere, against PCRE2 over the whole text. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pcre2_memory.h"
#include "text/regex_search.h"
#include "text/regex_spans.h"
#include "text/utf8.h"

enum { PATTERN = 120, TEXT = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct matches {
    uint64_t start[TEXT], end[TEXT];
    size_t count;
} matches;

static int take(void *context, const uint64_t *ends, size_t count)
{
    matches *m = context;
    if (count > TEXT - m->count)
        abort();
    memcpy(m->end + m->count, ends, count * sizeof *ends);
    m->count += count;
    return BIPE_OK;
}

static void same(const matches *want, const matches *got)
{
    if (want->count != got->count || memcmp(want->end, got->end, want->count * sizeof *want->end) != 0)
        abort();
}

/* The whole text, without what makes PCRE2 fast. Where it is no UTF-8 JIT has to do: the interpreter matches \z in front of such bytes, and
 * looks back less. False: PCRE2 gives up. */
static bool search_whole(const char *pattern, const uint8_t *text, size_t size, bool valid, matches *want)
{
    bipe_error err;
    pcre2_general_context *general = bipe_pcre2_memory();
    pcre2_code *code = NULL;
    uint32_t options = PCRE2_NO_AUTO_POSSESS | PCRE2_NO_DOTSTAR_ANCHOR | PCRE2_NO_START_OPTIMIZE | (valid ? 0 : PCRE2_MATCH_INVALID_UTF);
    if (general == NULL || bipe_pcre2_compile(&code, general, pattern, strlen(pattern), options, &err) != BIPE_OK)
        abort();
    if (!valid)
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    pcre2_match_data *match = pcre2_match_data_create(1, general);
    pcre2_match_context *context = pcre2_match_context_create(general);
    if (match == NULL || context == NULL)
        abort();
    pcre2_set_match_limit(context, 100000);
    int result = 0;
    want->count = 0;
    for (size_t at = 0; at <= size && result >= 0;) {
        result = pcre2_match(code, text, size, at, PCRE2_NOTEMPTY | (valid ? PCRE2_NO_JIT : 0), match, context);
        if (result < 0)
            break;
        want->start[want->count] = pcre2_get_ovector_pointer(match)[0];
        at = want->end[want->count++] = pcre2_get_ovector_pointer(match)[1];
    }
    pcre2_match_context_free(context);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
    pcre2_general_context_free(general);
    return result == PCRE2_ERROR_NOMATCH || result >= 0;
}

static void check_search(const bipe_regex_program *program, const uint8_t *text, size_t size, unsigned cut, const matches *want)
{
    static matches got;
    bipe_error err;
    bipe_regex_search *search;
    if (bipe_regex_search_open(&search, program, take, &got, &err) != BIPE_OK)
        abort();
    for (int round = 0; round < 2; round++) { /* with states that are built already, too, and in pieces */
        got.count = 0;
        bipe_regex_search_begin(search);
        for (size_t at = 0, n; at < size; at += n) {
            n = round == 0 ? size : 1 + (text[at] * 31U + cut) % cut;
            n = n < size - at ? n : size - at;
            if (bipe_regex_search_feed(search, text + at, n, false, &err) != BIPE_OK)
                abort();
            uint64_t settled = bipe_regex_search_settled(search);
            if (settled > at + n || (got.count < want->count && want->end[got.count] <= settled))
                abort();
        }
        if (bipe_regex_search_feed(search, NULL, 0, true, &err) != BIPE_OK)
            abort();
        same(want, &got);
    }
    bipe_regex_search_close(search);
}

static void check_spans(const bipe_regex_program *program, const uint8_t *text, size_t size, const matches *want)
{
    bipe_error err;
    bipe_regex_spans *spans;
    size_t start, end, count = 0;
    if (bipe_regex_spans_open(&spans, program, &err) != BIPE_OK || bipe_regex_spans_begin(spans, text, size, &err) != BIPE_OK)
        abort();
    int status;
    for (; (status = bipe_regex_spans_next(spans, &start, &end, &err)) == BIPE_OK; count++)
        if (count == want->count || want->start[count] != start || want->end[count] != end)
            abort();
    if (status != BIPE_END || count != want->count)
        abort();
    bipe_regex_spans_close(spans);
}

/* How the text is cut, then the pattern, up to a NUL, then the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static matches want;
    char pattern[PATTERN + 1] = "";
    bipe_error err;
    if (size < 2)
        return 0;
    unsigned cut = 1 + data[0] % 80;
    data++, size--;
    size_t n = strnlen((const char *)data, size < PATTERN ? size : PATTERN);
    memcpy(pattern, data, n);
    data += n < size ? n + 1 : n;
    size -= n < size ? n + 1 : n;
    size = size < TEXT ? size : TEXT;
    bool valid = true, whole = n % 8 == 0; /* asks for everything, which takes long */
    int32_t code;
    for (size_t at = 0, length; at < size && valid; at += length) {
        length = bipe_utf8_decode(data + at, size - at, &code);
        valid = code >= 0;
    }
    pcre2_general_context *general = bipe_pcre2_memory();
    pcre2_code *compiled = NULL;
    bool is_pattern = general != NULL && bipe_pcre2_compile(&compiled, general, pattern, n, 0, &err) == BIPE_OK;
    pcre2_code_free(compiled);
    pcre2_general_context_free(general);
    bipe_regex_program *program = NULL;
    if (is_pattern && bipe_regex_program_build(&program, pattern, n, &(bipe_regex_options){.whole = whole}, &err) != BIPE_OK)
        abort();
    if (program != NULL && search_whole(pattern, data, size, valid, &want)) {
        check_search(program, data, size, cut, &want);
        if (!bipe_regex_program_is_nullable(program))
            check_spans(program, data, size, &want);
    }
    bipe_regex_program_free(program);
    return 0;
}
