/* regex_sets.c - sets of characters: ranges, and questions to PCRE2 about them. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/pcre2_memory.h"
#include "text/regex_parts.h"
#include "text/utf8.h"

int bipe_code_set_add(bipe_code_set *set, int32_t first, int32_t last, bipe_error *err)
{
    if (set->count > 0 && set->range[set->count - 1].last + 1 >= first) {
        bipe_code_range *before = &set->range[set->count - 1];
        before->last = last > before->last ? last : before->last;
        return BIPE_OK;
    }
    if (bipe_grow(&set->range, &set->capacity, set->count + 1, sizeof *set->range) != 0)
        return bipe_fail_memory(err);
    set->range[set->count++] = (bipe_code_range){first, last};
    return BIPE_OK;
}

int bipe_code_set_gather(bipe_code_set *set, const bipe_code_range *range, size_t count, bipe_error *err)
{
    if (count == 0)
        return BIPE_OK;
    if (bipe_grow(&set->range, &set->capacity, set->count + count, sizeof *set->range) != 0)
        return bipe_fail_memory(err);
    memcpy(set->range + set->count, range, count * sizeof *range);
    set->count += count;
    return BIPE_OK;
}

int bipe_code_set_fill(bipe_code_set *set, const bipe_code_set *listed, bool negated, bipe_error *err)
{
    int32_t next = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < listed->count && status == BIPE_OK; i++) {
        int32_t first = listed->range[i].first, last = listed->range[i].last;
        if (!negated)
            status = bipe_code_set_add(set, first, last, err);
        else if (first > next)
            status = bipe_code_set_add(set, next, first - 1, err);
        next = last + 1;
    }
    if (status == BIPE_OK && negated && next < BIPE_REGEX_CODES)
        status = bipe_code_set_add(set, next, BIPE_REGEX_CODES - 1, err);
    return status;
}

static int by_first(const void *a, const void *b)
{
    const bipe_code_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

size_t bipe_code_ranges_sort(bipe_code_range *range, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(range, count, sizeof *range, by_first);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || range[i].first > range[kept - 1].last + 1)
            range[kept++] = range[i];
        else if (range[i].last > range[kept - 1].last)
            range[kept - 1].last = range[i].last;
    return kept;
}

void bipe_code_set_free(bipe_code_set *set)
{
    bipe_free(set->range);
    *set = (bipe_code_set){0};
}

/* ---- questions ---- */

struct bipe_code_question {
    pcre2_general_context *general;
    pcre2_code *code;
    bool names_high; /* its source may name single characters from 0x10000 on */
};

enum { PLANE = 0x10000, PLANES = 17, SURROGATES = 0xD800, PAST_SURROGATES = 0xE000, STRETCH = 0x1000 };

/* Planes from 4 to 13 hold no characters so far, and 16 is for private use as 15 is: unless a pattern names one of their characters, they
 * are what 4 and 15 are. */
static bool names_high(const char *source)
{
    for (const char *at = source; *at != '\0'; at++) {
        size_t digits = strncmp(at, "\\x{", 3) == 0 ? strspn(at + 3, "0123456789ABCDEFabcdef") : 0;
        if ((uint8_t)*at >= 0xF1 || digits > 4 || strncmp(at, "\\o", 2) == 0 || strncmp(at, "\\N", 2) == 0)
            return true;
    }
    return false;
}

/* The pattern for a run; in front of that, for what is not matched: passing over it is what takes time. Classes and escapes like \s and
 * \P{Lu} can be negated, with (?i) in front or without; PCRE2 finds a character fast by itself. */
static int write_pattern(bipe_buffer *pattern, const char *source, bipe_error *err)
{
    const char *flags = strncmp(source, "(?i)", 4) == 0 ? "(?i)" : "", *item = source + strlen(flags);
    char letter = item[1];
    if (item[0] == '[' && letter == '^' && item[2] != '^')
        return bipe_buffer_printf(pattern, err, "%s\\G[%s*+\\K%s++", flags, item + 2, item);
    if (item[0] == '[' && letter != '^')
        return bipe_buffer_printf(pattern, err, "%s\\G[^%s*+\\K%s++", flags, item + 1, item);
    if (item[0] == '\\' && letter != '\0' && strchr("dDwWsShHvVpP", letter) != NULL)
        return bipe_buffer_printf(pattern, err, "%s\\G\\%c%s*+\\K%s++", flags, letter ^ 0x20, item + 2, item);
    return bipe_buffer_printf(pattern, err, "%s++", source);
}

int bipe_code_question_open(bipe_code_question **question, const char *source, bipe_error *err)
{
    *question = NULL;
    bipe_code_question *q = bipe_alloc(1, sizeof *q);
    bipe_buffer pattern = {0};
    int status = q != NULL ? write_pattern(&pattern, source, err) : BIPE_ERR_MEMORY;
    if (status == BIPE_OK) {
        q->names_high = names_high(source);
        q->general = bipe_pcre2_memory();
        status = q->general != NULL ? bipe_pcre2_compile(&q->code, q->general, (const char *)pattern.data, pattern.size, 0, err)
                                    : BIPE_ERR_MEMORY;
    }
    bipe_buffer_free(&pattern);
    if (status == BIPE_OK)
        *question = q;
    else
        bipe_code_question_close(q);
    return status == BIPE_ERR_MEMORY ? bipe_fail_memory(err) : status == BIPE_ERR_ARGUMENT ? BIPE_END : status;
}

void bipe_code_question_close(bipe_code_question *q)
{
    if (q == NULL)
        return;
    pcre2_code_free(q->code);
    pcre2_general_context_free(q->general);
    bipe_free(q);
}

bool bipe_code_question_is_ascii(const bipe_code_question *q)
{
    uint32_t type = 0, unit = 0x80;
    pcre2_pattern_info(q->code, PCRE2_INFO_FIRSTCODETYPE, &type);
    if (type == 1) /* a match begins with this byte, or with the other case that it has in ASCII */
        pcre2_pattern_info(q->code, PCRE2_INFO_FIRSTCODEUNIT, &unit);
    return unit < 0x80;
}

/* Adds the runs of first .. last that match. `text`: room for them. */
static int find_runs(const bipe_code_question *q, pcre2_match_data *match, int32_t first, int32_t last, uint8_t *text, bipe_code_set *set,
                     bipe_error *err)
{
    size_t size = 0, each = bipe_utf8_encode(first, text);
    for (int32_t code = first; code <= last; code++)
        size += bipe_utf8_encode(code, text + size);
    int status = BIPE_OK;
    for (size_t at = 0; status == BIPE_OK && at < size;) {
        int result = pcre2_match(q->code, text, size, at, PCRE2_NO_UTF_CHECK, match, NULL);
        if (result == PCRE2_ERROR_NOMATCH)
            break;
        const size_t *place = pcre2_get_ovector_pointer(match);
        if (result < 0 || place[1] <= place[0])
            return result == PCRE2_ERROR_NOMEMORY ? bipe_fail_memory(err) : BIPE_END;
        at = place[1];
        status = bipe_code_set_add(set, first + (int32_t)(place[0] / each), first + (int32_t)(at / each) - 1, err);
    }
    return status;
}

/* Asks for first .. last, which may be of different lengths. */
static int ask_stretches(const bipe_code_question *q, pcre2_match_data *match, int32_t first, int32_t last, uint8_t *text,
                         bipe_code_set *set, bipe_error *err)
{
    static const int32_t parts[] = {0x80, 0x800, SURROGATES, PLANE};
    int status = BIPE_OK;
    while (first <= last && status == BIPE_OK) {
        int32_t end = first + STRETCH - first % STRETCH;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            end = first < parts[i] && end > parts[i] ? parts[i] : end;
        end = end <= last ? end : last + 1;
        status = find_runs(q, match, first, end - 1, text, set, err);
        first = end == SURROGATES ? PAST_SURROGATES : end;
    }
    return status;
}

/* Asks for everything: what is like another plane is not asked again. */
static int ask_planes(const bipe_code_question *q, pcre2_match_data *match, uint8_t *text, bipe_code_set *set, bipe_error *err)
{
    bipe_code_set like = {0}; /* what was found of the last plane that was asked for */
    int status = BIPE_OK;
    for (int32_t plane = 0, asked = 0; plane < PLANES && status == BIPE_OK; plane++) {
        if (q->names_high || plane <= 4 || plane == 14 || plane == 15) {
            like.count = 0;
            asked = plane;
            status = ask_stretches(q, match, plane * PLANE, plane * PLANE + PLANE - 1, text, &like, err);
        }
        int32_t shift = (plane - asked) * PLANE;
        for (size_t i = 0; i < like.count && status == BIPE_OK; i++)
            status = bipe_code_set_add(set, like.range[i].first + shift, like.range[i].last + shift, err);
    }
    bipe_code_set_free(&like);
    return status;
}

static int ask(const bipe_code_question *q, int32_t first, int32_t last, bool all, bipe_code_set *set, bipe_error *err)
{
    uint8_t *text = bipe_alloc(all ? STRETCH : (size_t)(last - first + 1), 4);
    pcre2_match_data *match = pcre2_match_data_create(1, q->general);
    int status = text == NULL || match == NULL ? bipe_fail_memory(err)
                 : all                         ? ask_planes(q, match, text, set, err)
                                               : find_runs(q, match, first, last, text, set, err);
    pcre2_match_data_free(match);
    bipe_free(text);
    return status;
}

int bipe_code_question_ask(const bipe_code_question *q, int32_t first, int32_t last, bipe_code_set *set, bipe_error *err)
{
    return ask(q, first, last, false, set, err);
}

int bipe_code_question_ask_all(bipe_code_question *q, bipe_code_set *set, bipe_error *err)
{
    pcre2_jit_compile(q->code, PCRE2_JIT_COMPLETE); /* where there is none, this takes longer */
    return ask(q, 0, BIPE_REGEX_CODES - 1, true, set, err);
}
