/* regex_sets.c - sets of characters: asked from PCRE2, so that its tables of Unicode are the ones that count, and the classes of
 * characters that a program's sets tell apart. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/regex_parts.h"
#include "text/utf8.h"

enum { BLOCK = 128, BLOCKS = BIPE_REGEX_CODES / BLOCK, SURROGATES = 0xD800, PAST_SURROGATES = 0xE000 };

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

static int by_first(const void *a, const void *b)
{
    const bipe_code_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

int bipe_code_set_join(bipe_code_set *set, const bipe_code_set *other, bipe_error *err)
{
    size_t count = set->count + other->count;
    if (bipe_grow(&set->range, &set->capacity, count, sizeof *set->range) != 0)
        return bipe_fail_memory(err);
    if (other->count > 0)
        memcpy(set->range + set->count, other->range, other->count * sizeof *set->range);
    qsort(set->range, count, sizeof *set->range, by_first);
    set->count = 0;
    for (size_t i = 0; i < count; i++) /* there is room: none fails */
        bipe_code_set_add(set, set->range[i].first, set->range[i].last, err);
    return BIPE_OK;
}

bool bipe_code_set_has(const bipe_code_set *set, int32_t code)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->range[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->range[low].first <= code;
}

void bipe_code_set_free(bipe_code_set *set)
{
    bipe_free(set->range);
    *set = (bipe_code_set){0};
}

/* ---- asking PCRE2 ---- */

static void *pcre2_takes(PCRE2_SIZE size, void *unused)
{
    (void)unused;
    return bipe_alloc(size, 1);
}

static void pcre2_gives(void *block, void *unused)
{
    (void)unused;
    bipe_free(block);
}

enum { PLANE = 0x10000, PLANES = BIPE_CODE_PLANES };

/* Every character of a plane, in order. Returns how many bytes these are; 0: out of memory. */
static size_t write_plane(bipe_code_texts *texts, int32_t plane)
{
    const size_t all = plane > 0 ? (size_t)4 * PLANE : 0x80 + 2 * (0x800 - 0x80) + 3 * (PLANE - 0x800 - (PAST_SURROGATES - SURROGATES));
    uint8_t *text = texts->plane[plane];
    size_t size = 0;
    if (text != NULL)
        return all;
    text = texts->plane[plane] = bipe_alloc(all, 1);
    if (text == NULL)
        return 0;
    for (int32_t code = plane * PLANE; plane > 0 && code < (plane + 1) * PLANE; code++, size += 4) {
        text[size] = (uint8_t)(0xF0 | code >> 18);
        text[size + 1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        text[size + 2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        text[size + 3] = (uint8_t)(0x80 | (code & 0x3F));
    }
    for (int32_t code = 0; plane == 0 && code < PLANE; code++)
        if (code < SURROGATES || code >= PAST_SURROGATES)
            size += bipe_utf8_encode(code, text + size);
    return size;
}

/* The character of a plane that stands at a place of that text; at its end: one too many. */
static int32_t code_at(int32_t plane, size_t place)
{
    const size_t two = 0x80, three = two + 2 * (0x800 - 0x80), private = three + 3 * (SURROGATES - 0x800);
    if (plane > 0)
        return plane * PLANE + (int32_t)(place / 4);
    if (place < two)
        return (int32_t)place;
    if (place < three)
        return (int32_t)(0x80 + (place - two) / 2);
    if (place < private)
        return (int32_t)(0x800 + (place - three) / 3);
    return (int32_t)(PAST_SURROGATES + (place - private) / 3);
}

/* Planes from 4 to 13 hold no characters so far, and 16 is for private use as 15 is: unless a pattern names one of their characters, they are what
 * 4 and 15 are. */
static bool names_high(const char *source)
{
    for (const char *at = source; *at != '\0'; at++) {
        size_t digits = strncmp(at, "\\x{", 3) == 0 ? strspn(at + 3, "0123456789ABCDEFabcdef") : 0;
        if ((uint8_t)*at >= 0xF1 || digits > 4 || strncmp(at, "\\o", 2) == 0 || strncmp(at, "\\N", 2) == 0)
            return true;
    }
    return false;
}

/* Adds a plane's runs of matching characters. */
static int find_runs(bipe_code_set *set, int32_t plane, const pcre2_code *code, pcre2_match_data *match, const uint8_t *text, size_t size,
                     bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0; status == BIPE_OK && at < size;) {
        int result = pcre2_match(code, text, size, at, PCRE2_NO_UTF_CHECK, match, NULL);
        if (result == PCRE2_ERROR_NOMATCH)
            break;
        const size_t *place = pcre2_get_ovector_pointer(match);
        if (result < 0 || place[1] <= place[0])
            return result == PCRE2_ERROR_NOMEMORY ? bipe_fail_memory(err) : BIPE_END;
        at = place[1];
        status = bipe_code_set_add(set, code_at(plane, place[0]), code_at(plane, at) - 1, err);
    }
    return status;
}

/* The pattern for a run; in front of that, for what is not matched: passing over it is what takes time. Classes and escapes like \s and
 * \P{Lu} can be negated, with (?i) in front or without; PCRE2 finds a character fast by itself. */
static int write_pattern(bipe_buffer *pattern, const char *source, bipe_error *err)
{
    const char *flags = strncmp(source, "(?i)", 4) == 0 ? "(?i)" : "", *item = source + strlen(flags);
    char letter = item[1];
    if (item[0] == '[' && letter == '^')
        return bipe_buffer_printf(pattern, err, "%s\\G[%s*+\\K%s++", flags, item + 2, item);
    if (item[0] == '[')
        return bipe_buffer_printf(pattern, err, "%s\\G[^%s*+\\K%s++", flags, item + 1, item);
    if (item[0] == '\\' && letter != '\0' && strchr("dDwWsShHvVpP", letter) != NULL)
        return bipe_buffer_printf(pattern, err, "%s\\G\\%c%s*+\\K%s++", flags, letter ^ 0x20, item + 2, item);
    return bipe_buffer_printf(pattern, err, "%s++", source);
}

static int find_all(bipe_code_set *set, const char *source, const pcre2_code *code, pcre2_match_data *match, bipe_code_texts *texts,
                    bipe_error *err)
{
    bool apart = names_high(source);
    bipe_code_set like = {0}; /* what was found of plane 4 or 15 */
    int status = BIPE_OK;
    for (int32_t plane = 0; plane < PLANES && status == BIPE_OK; plane++) {
        bool same = !apart && ((plane > 4 && plane < 14) || plane == 16);
        if (!same) {
            like.count = 0;
            size_t size = write_plane(texts, plane);
            status = size > 0 ? find_runs(&like, plane, code, match, texts->plane[plane], size, err) : bipe_fail_memory(err);
        }
        for (size_t i = 0; i < like.count && status == BIPE_OK; i++) {
            int32_t shift = plane * PLANE - like.range[i].first / PLANE * PLANE;
            status = bipe_code_set_add(set, like.range[i].first + shift, like.range[i].last + shift, err);
        }
    }
    bipe_code_set_free(&like);
    return status;
}

void bipe_code_texts_free(bipe_code_texts *texts)
{
    for (size_t i = 0; i < PLANES; i++)
        bipe_free(texts->plane[i]);
}

int bipe_code_set_ask(bipe_code_set *set, const char *source, bipe_code_texts *texts, bipe_error *err)
{
    bipe_buffer pattern = {0};
    pcre2_general_context *general = pcre2_general_context_create(pcre2_takes, pcre2_gives, NULL);
    pcre2_compile_context *compile = general != NULL ? pcre2_compile_context_create(general) : NULL;
    pcre2_match_data *match = general != NULL ? pcre2_match_data_create(1, general) : NULL;
    pcre2_code *code = NULL;
    int status = BIPE_ERR_MEMORY;
    if (compile != NULL && match != NULL && write_pattern(&pattern, source, err) == BIPE_OK) {
        int number;
        PCRE2_SIZE place;
        pcre2_set_newline(compile, PCRE2_NEWLINE_LF);
        code = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.size, PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &number, &place,
                             compile);
        if (code != NULL) {
            pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
            status = find_all(set, source, code, match, texts, err);
        } else if (number != PCRE2_ERROR_HEAP_FAILED) {
            status = BIPE_END;
        }
    }
    pcre2_code_free(code);
    pcre2_match_data_free(match);
    pcre2_compile_context_free(compile);
    pcre2_general_context_free(general);
    bipe_buffer_free(&pattern);
    return status == BIPE_ERR_MEMORY ? bipe_fail_memory(err) : status;
}

/* ---- classes ---- */

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Places where some set begins or ends, in order: characters between two of them are in the same sets. */
static size_t find_edges(const bipe_regex_program *p, int32_t *edge)
{
    size_t count = 0, kept = 1;
    edge[count++] = 0;
    for (size_t s = 0; s < p->sets; s++)
        for (size_t i = 0; i < p->set[s].count; i++) {
            edge[count++] = p->set[s].range[i].first;
            edge[count++] = p->set[s].range[i].last + 1;
        }
    edge[count++] = 0x80; /* and kinds of UTF-8 are told apart */
    edge[count++] = BIPE_REGEX_CODES;
    qsort(edge, count, sizeof *edge, by_value);
    for (size_t i = 1; i < count; i++)
        if (edge[i] != edge[kept - 1])
            edge[kept++] = edge[i];
    return kept - 1;
}

/* The class of characters that are in these sets; BIPE_REGEX_CLASSES: too many. */
static unsigned class_of(bipe_regex_program *p, uint64_t member)
{
    unsigned c = 0;
    while (c < p->classes && p->member[c] != member)
        c++;
    if (c == p->classes && c < BIPE_REGEX_CLASSES)
        p->member[p->classes++] = member;
    return c;
}

/* With which bytes the characters of a range begin: bit b - 0xC0. */
static uint64_t leads_of(int32_t first, int32_t last)
{
    uint8_t from[4], to[4];
    if (last < 0x80)
        return 0;
    bipe_utf8_encode(first < 0x80 ? 0x80 : first, from);
    bipe_utf8_encode(last, to);
    uint64_t all = 0;
    for (unsigned b = from[0]; b <= to[0]; b++)
        all |= UINT64_C(1) << (b - 0xC0);
    return all;
}

/* The tables of a stretch of characters of one class. `open`: the block that is being written. */
static int put_stretch(bipe_regex_program *p, int32_t first, int32_t last, unsigned class, uint16_t *whole, bipe_error *err)
{
    for (int32_t code = first; code <= last;) {
        size_t b = (size_t)code / BLOCK;
        bool starts = code % BLOCK == 0, all = starts && last - code >= BLOCK - 1;
        if (starts && !(all && whole[class] != UINT16_MAX)) {
            if (p->block_count >= UINT16_MAX)
                return BIPE_END;
            if (bipe_grow(&p->blocks, &p->block_capacity, p->block_count + 1, sizeof *p->blocks) != 0)
                return bipe_fail_memory(err);
            p->block[b] = (uint16_t)p->block_count++;
            if (all)
                whole[class] = p->block[b];
        } else if (starts) {
            p->block[b] = whole[class];
        }
        int32_t end = (int32_t)((b + 1) * BLOCK);
        end = end <= last ? end : last + 1;
        memset(p->blocks[p->block[b]] + code % BLOCK, (int)class, (size_t)(end - code));
        code = end;
    }
    return BIPE_OK;
}

static int put_classes(bipe_regex_program *p, const int32_t *edge, size_t count, uint64_t *member, bipe_error *err)
{
    uint16_t whole[BIPE_REGEX_CLASSES];
    memset(whole, 0xFF, sizeof whole);
    for (size_t s = 0; s < p->sets; s++)
        for (size_t i = 0, e = 0; i < p->set[s].count; i++) {
            while (edge[e] < p->set[s].range[i].first)
                e++;
            for (; edge[e] <= p->set[s].range[i].last; e++)
                member[e] |= UINT64_C(1) << s;
        }
    int status = BIPE_OK;
    for (size_t e = 0; e < count && status == BIPE_OK; e++) {
        unsigned class = class_of(p, member[e]);
        if (class == BIPE_REGEX_CLASSES)
            return BIPE_END;
        p->leads[class] |= leads_of(edge[e], edge[e + 1] - 1);
        status = put_stretch(p, edge[e], edge[e + 1] - 1, class, whole, err);
    }
    return status;
}

int bipe_regex_classify(bipe_regex_program *p, bipe_error *err)
{
    size_t most = 3;
    for (size_t s = 0; s < p->sets; s++)
        most += 2 * p->set[s].count;
    int32_t *edge = bipe_alloc(most, sizeof *edge);
    uint64_t *member = bipe_alloc(most, sizeof *member);
    int status = edge != NULL && member != NULL ? BIPE_OK : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = put_classes(p, edge, find_edges(p, edge), member, err);
    bipe_free(edge);
    bipe_free(member);
    p->barrier = (unsigned)p->classes;
    p->edge = p->barrier + 1;
    p->symbols = p->barrier + 2;
    p->member[p->barrier] = p->member[p->edge] = 0;
    for (int b = 0; b < 256; b++)
        p->ascii[b] = (uint8_t)(b < 128 && status == BIPE_OK ? bipe_regex_class(p, b) : p->symbols);
    return status;
}
