/* pretoken_parts.c - see pretoken_parts.h. */
#include "token/pretoken/pretoken_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

void bipe_pretoken_parts_free(bipe_pretoken_parts *p)
{
    bipe_free(p->joined);
    bipe_vocabulary_free(&p->alone);
    *p = (bipe_pretoken_parts){0};
}

uint32_t bipe_parts_character(const uint8_t *text, size_t size, size_t *n)
{
    int32_t code;
    *n = bipe_utf8_decode(text, size, &code);
    uint32_t character = *n == 3 && code > 0 ? (uint32_t)code : 0;
    *n += *n == 0; /* one that is cut short */
    return character;
}

static inline uint64_t is_joined(const bipe_pretoken_parts *p, uint32_t x, uint32_t y)
{
    size_t at = bipe_parts_bit(x, y);
    return p->joined[at / 64] >> at % 64 & 1;
}

/* Whether a string of `alone` ends at text[end]; *count: of start[], less the last one if the string begins there. */
static bool ends_alone(const bipe_pretoken_parts *p, const uint8_t *text, size_t end, const uint32_t *start,
                       size_t *count)
{
    bool found = false;
    for (uint32_t i = 0; i < p->alone.count; i++) {
        size_t size;
        const uint8_t *string = bipe_vocabulary_text(&p->alone, i, &size);
        if (size > end || memcmp(text + end - size, string, size) != 0)
            continue;
        *count -= *count != 0 && start[*count - 1] == end - size;
        found = true;
    }
    return found;
}

size_t bipe_parts_find(const bipe_pretoken_parts *p, const uint8_t *text, size_t from, size_t to, uint32_t *start)
{
    size_t count = 0;
    uint32_t before = 0;
    for (size_t at = from, n; at < to; at += n) {
        uint32_t here = bipe_parts_character(text + at, to - at, &n);
        if (before != 0 && here != 0) {
            start[count] = (uint32_t)at;
            count += (is_joined(p, before, here) | is_joined(p, before & 0x3F, here)) == 0;
        }
        before = here;
        if (p->alone.count != 0 && here != 0 && is_joined(p, here, BIPE_PARTS_ENDS) &&
            ends_alone(p, text, at + n, start, &count))
            before = 0;
    }
    return count;
}
