/* pretoken_parts.c - see pretoken_parts.h. The plain twin is a pre-token as a whole. */
#include "token/pretoken/pretoken_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

enum {
    LEAST_BITS = 12, MOST_BITS = 20, /* 128 KiB */
    SPARSE = 8                       /* bits for each pair */
};

int bipe_pretoken_parts_open(bipe_pretoken_parts *p, size_t pairs)
{
    p->bits = LEAST_BITS;
    while (p->bits < MOST_BITS && (size_t)1 << p->bits < SPARSE * pairs)
        p->bits++;
    p->joined = bipe_alloc_large((size_t)1 << p->bits >> 6, sizeof *p->joined);
    return p->joined != NULL ? 0 : -1;
}

void bipe_pretoken_parts_free(bipe_pretoken_parts *p)
{
    bipe_free(p->joined);
    bipe_vocabulary_free(&p->alone);
    bipe_free(p->last);
    bipe_free(p->ends);
    *p = (bipe_pretoken_parts){0};
}

void bipe_pretoken_parts_join(bipe_pretoken_parts *p, uint32_t x, uint32_t y)
{
    size_t at = bipe_pretoken_parts_place(p, x, y);
    p->joined[at / 64] |= UINT64_C(1) << at % 64;
}

void bipe_pretoken_parts_join_last(bipe_pretoken_parts *p, uint8_t last, uint32_t y)
{
    bipe_pretoken_parts_join(p, BIPE_PARTS_CODES | (last & 0x3F), y);
}

int bipe_pretoken_parts_leave(bipe_pretoken_parts *p, const uint8_t *text, size_t size, uint32_t x, bipe_error *err)
{
    size_t count = p->alone.count;
    uint16_t *last = (count & (count - 1)) == 0 ? bipe_realloc(p->last, count != 0 ? 2 * count : 1, sizeof *last) : p->last;
    if (p->ends == NULL)
        p->ends = bipe_alloc(BIPE_PARTS_CODES / 64, sizeof *p->ends);
    if (last != NULL)
        p->last = last;
    if (last == NULL || p->ends == NULL)
        return bipe_fail_memory(err);
    p->last[count] = (uint16_t)x;
    p->ends[x / 64] |= UINT64_C(1) << x % 64;
    return bipe_vocabulary_append(&p->alone, text, size, err);
}

bool bipe_pretoken_parts_keep(const bipe_pretoken_parts *p, const uint8_t *text, size_t at, uint32_t x, uint64_t *mask)
{
    bool found = false;
    size_t from = 0, to = p->alone.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (p->last[middle] < x)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < p->alone.count && p->last[from] == x; from++) {
        size_t size;
        const uint8_t *string = bipe_vocabulary_text(&p->alone, (uint32_t)from, &size);
        if (size > at || memcmp(text + at - size, string, size) != 0)
            continue;
        mask[(at - size) / 64] &= ~(UINT64_C(1) << (at - size) % 64);
        found = true;
    }
    return found;
}

void bipe_pretoken_parts_find(const bipe_pretoken_parts *p, const uint8_t *text, size_t size, uint64_t *mask)
{
    bipe_part_before before = {0};
    size_t n;
    for (size_t at = 0; at < size; at += n) {
        int32_t code;
        n = bipe_utf8_decode(text + at, size - at, &code);
        if (n == BIPE_PARTS_CHAR)
            bipe_pretoken_parts_step(p, text, at, (uint32_t)code, &before, mask);
        n += n == 0;
    }
}
