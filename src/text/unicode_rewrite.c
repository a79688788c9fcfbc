/* unicode_rewrite.c - rewrites patterns for PCRE2 so that character properties are those of Unicode 16.0. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pcre2_engine.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { FIRST_SURROGATE = 0xD800, LAST_SURROGATE = 0xDFFF };
enum { DIFFERENT = 64, LONGEST = 80, MOST = 1 << 20 }; /* properties of a pattern, bytes of one, bytes of the result */

static int append_range(bipe_buffer *out, int32_t first, int32_t last, bipe_error *err)
{
    return first == last ? bipe_buffer_printf(out, err, "\\x{%X}", (unsigned)first)
                         : bipe_buffer_printf(out, err, "\\x{%X}-\\x{%X}", (unsigned)first, (unsigned)last);
}

/* All characters except surrogates, which PCRE2 rejects. */
static int append_ranges(bipe_buffer *out, const bipe_code_set *set, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < set->count && status == BIPE_OK; i++) {
        int32_t first = set->range[i].first, last = set->range[i].last;
        if (first < FIRST_SURROGATE)
            status = append_range(out, first, last < FIRST_SURROGATE ? last : FIRST_SURROGATE - 1, err);
        if (status == BIPE_OK && last > LAST_SURROGATE)
            status = append_range(out, first > LAST_SURROGATE ? first : LAST_SURROGATE + 1, last, err);
    }
    return status;
}

/* Fills an empty set with the difference of two. */
static int subtract_set(bipe_code_set *set, const bipe_code_set *from, const bipe_code_set *what, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0, k = 0; i < from->count && status == BIPE_OK; i++) {
        int32_t next = from->range[i].first, last = from->range[i].last;
        while (k < what->count && what->range[k].last < next)
            k++;
        for (size_t w = k; w < what->count && what->range[w].first <= last && status == BIPE_OK; w++) {
            if (what->range[w].first > next)
                status = bipe_code_set_add(set, next, what->range[w].first - 1, err);
            next = what->range[w].last + 1;
        }
        if (status == BIPE_OK && next <= last)
            status = bipe_code_set_add(set, next, last, err);
    }
    return status;
}

/* ---- the characters that PCRE2 matches with a property ---- */

enum { PLANE = 0x10000, PLANES = 17, STRETCH = 0x1000 };

/* Adds those of first .. last, all of one length in UTF-8. text: space for all of them. BIPE_END: the search fails. */
static int ask_stretch(const pcre2_code *code, pcre2_match_data *match, int32_t first, int32_t last, uint8_t *text,
                       bipe_code_set *set, bipe_error *err)
{
    size_t size = 0, each = bipe_utf8_encode(first, text);
    for (int32_t c = first; c <= last; c++)
        size += bipe_utf8_encode(c, text + size);
    int status = BIPE_OK;
    for (size_t at = 0; status == BIPE_OK && at < size;) {
        int result = pcre2_match(code, text, size, at, PCRE2_NO_UTF_CHECK, match, NULL);
        if (result == PCRE2_ERROR_NOMATCH)
            break;
        const size_t *range = pcre2_get_ovector_pointer(match);
        if (result < 0 || range[1] <= range[0])
            return result == PCRE2_ERROR_NOMEMORY ? bipe_fail_memory(err) : BIPE_END;
        at = range[1];
        status = bipe_code_set_add(set, first + (int32_t)(range[0] / each), first + (int32_t)(at / each) - 1, err);
    }
    return status;
}

static int ask_plane(const pcre2_code *code, pcre2_match_data *match, int32_t plane, uint8_t *text, bipe_code_set *set,
                     bipe_error *err)
{
    static const int32_t borders[] = {0x80, 0x800, FIRST_SURROGATE, PLANE};
    int status = BIPE_OK;
    for (int32_t first = plane * PLANE, end; first < (plane + 1) * PLANE && status == BIPE_OK; first = end) {
        end = first + STRETCH - first % STRETCH;
        for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
            end = first < borders[i] && end > borders[i] ? borders[i] : end;
        status = ask_stretch(code, match, first, end - 1, text, set, err);
        end = end == FIRST_SURROGATE ? LAST_SURROGATE + 1 : end;
    }
    return status;
}

/* Planes 4 to 13 are unassigned, and 16 is for private use like 15: they are treated as 4 and 15. */
static int ask_planes(const pcre2_code *code, pcre2_match_data *match, uint8_t *text, bipe_code_set *set,
                      bipe_error *err)
{
    bipe_code_set like = {0}; /* the last plane that was searched */
    int status = BIPE_OK;
    for (int32_t plane = 0, asked = 0; plane < PLANES && status == BIPE_OK; plane++) {
        if (plane <= 4 || plane == 14 || plane == 15) {
            like.count = 0;
            asked = plane;
            status = ask_plane(code, match, plane, text, &like, err);
        }
        int32_t shift = (plane - asked) * PLANE;
        for (size_t i = 0; i < like.count && status == BIPE_OK; i++)
            status = bipe_code_set_add(set, like.range[i].first + shift, like.range[i].last + shift, err);
    }
    bipe_code_set_free(&like);
    return status;
}

/* item: \p{...} or \P{...}. BIPE_END: unknown to PCRE2. */
static int ask_pcre2(bipe_code_set *set, const char *item, bipe_error *err)
{
    char pattern[3 * LONGEST];
    int length = snprintf(pattern, sizeof pattern, "\\G\\%c%s*+\\K%s++", item[1] ^ 0x20, item + 2, item);
    pcre2_code *code = NULL;
    uint8_t *text = bipe_alloc(STRETCH, 4);
    int status = text != NULL ? bipe_pcre2_compile(&code, pattern, (size_t)length, 0, err) : bipe_fail_memory(err);
    if (status == BIPE_OK) {
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without JIT the search is slower */
        pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL); /* allocated as the pattern is */
        status = match != NULL ? ask_planes(code, match, text, set, err) : bipe_fail_memory(err);
        pcre2_match_data_free(match);
    }
    pcre2_code_free(code);
    bipe_free(text);
    return status == BIPE_ERR_ARGUMENT ? BIPE_END : status;
}

/* ---- writing ---- */

/* A property as part of a class: its name with the characters that PCRE2 lacks, or, where PCRE2 has too many, all of
 * its characters. */
static int append_property(bipe_buffer *out, const char *item, bipe_error *err)
{
    bipe_code_set want = {0}, got = {0}, lacks = {0}, more = {0};
    const bipe_code_set surrogates = {.range = &(bipe_code_range){FIRST_SURROGATE, LAST_SURROGATE}, .count = 1};
    bipe_code_set all = {0};
    int status = bipe_unicode_class(&all, item, err);
    if (status == BIPE_OK)
        status = subtract_set(&want, &all, &surrogates, err);
    int known = BIPE_END;
    if (status == BIPE_OK) {
        known = ask_pcre2(&got, item, err);
        status = known == BIPE_END ? BIPE_OK : known;
    }
    if (status == BIPE_OK)
        status = subtract_set(&lacks, &want, &got, err);
    if (status == BIPE_OK)
        status = subtract_set(&more, &got, &want, err);
    if (status == BIPE_OK && want.count == 0)
        status = bipe_buffer_printf(out, err, "\\P{Any}");
    else if (status == BIPE_OK && known == BIPE_OK && more.count == 0)
        status = bipe_buffer_printf(out, err, "%s", item) == BIPE_OK ? append_ranges(out, &lacks, err)
                                                                     : BIPE_ERR_MEMORY;
    else if (status == BIPE_OK)
        status = append_ranges(out, &want, err);
    bipe_code_set_free(&all);
    bipe_code_set_free(&want);
    bipe_code_set_free(&got);
    bipe_code_set_free(&lacks);
    bipe_code_set_free(&more);
    return status;
}

/* The length of an escape: of a property up to its brace. */
static size_t escape_size(const char *at, const char *end)
{
    if (end - at < 2)
        return 1;
    const char *brace =
        (at[1] == 'p' || at[1] == 'P') && end - at > 2 && at[2] == '{' ? memchr(at, '}', (size_t)(end - at)) : NULL;
    return brace != NULL ? (size_t)(brace + 1 - at) : 2;
}

/* The rewritten form of each property, for its next occurrence. */
typedef struct written {
    char *item;
    size_t start, size; /* in the result */
} written;

static int append_rewritten(bipe_buffer *out, written *all, size_t *count, const char *at, size_t size, bipe_error *err)
{
    for (size_t i = 0; i < *count; i++)
        if (strlen(all[i].item) == size && memcmp(all[i].item, at, size) == 0) {
            char *copy = bipe_alloc(all[i].size + 1, 1);
            if (copy == NULL)
                return bipe_fail_memory(err);
            memcpy(copy, out->data + all[i].start, all[i].size);
            int status = bipe_buffer_append(out, copy, all[i].size, err);
            bipe_free(copy);
            return status;
        }
    if (*count == DIFFERENT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d different properties in a pattern", DIFFERENT);
    char item[LONGEST + 1];
    memcpy(item, at, size);
    item[size] = '\0';
    size_t start = out->size;
    int status = append_property(out, item, err);
    if (status == BIPE_OK) {
        all[*count] = (written){.item = bipe_strdup(item), .start = start, .size = out->size - start};
        if (all[*count].item == NULL)
            return bipe_fail_memory(err);
        (*count)++;
    }
    return status;
}

int bipe_unicode_rewrite(const char *pattern, size_t size, bipe_buffer *out, bipe_error *err)
{
    written all[DIFFERENT];
    size_t count = 0;
    const char *at = pattern, *end = pattern + size, *class = NULL; /* after the bracket of the class that this is in */
    int status = BIPE_OK;
    while (at < end && status == BIPE_OK) {
        if (out->size > MOST) {
            status = bipe_fail(err, BIPE_ERR_LIMIT,
                               "pattern \"%.80s\": more than %d bytes with its properties written out", pattern, MOST);
            break;
        }
        size_t n = *at == '\\' ? escape_size(at, end) : 1;
        if (n > 2 && n <= LONGEST) {
            status = class == NULL ? bipe_buffer_append(out, "[", 1, err) : BIPE_OK;
            if (status == BIPE_OK)
                status = append_rewritten(out, all, &count, at, n, err);
            if (status == BIPE_END)
                status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "pattern \"%.80s\": the property %.*s is not known",
                                   pattern, (int)n, at);
            if (status == BIPE_OK && class == NULL)
                status = bipe_buffer_append(out, "]", 1, err);
        } else {
            status = bipe_buffer_append(out, at, n, err);
            if (class == NULL && *at == '[')
                class = at + 1 + (end - at > 1 && at[1] == '^');
            else if (class != NULL && *at == ']' && at != class)
                class = NULL;
        }
        at += n;
    }
    while (count > 0)
        bipe_free(all[--count].item);
    /* Errors of PCRE2 quote the pattern. */
    return status == BIPE_OK ? bipe_buffer_append(out, "", 1, err) == BIPE_OK ? (out->size--, BIPE_OK) : BIPE_ERR_MEMORY
                             : status;
}
