/* merge_borders.c - finds where no merge of characters can cross; see merge_model.h. The plain twin is the model without it.
 *
 * Each known character begins as one symbol, and the string of a merged symbol is that of its halves joined. So a merge across x|y must be
 * listed as a string that ends with x and one that begins with y: without such a merge there is a border between x and y. Unknown
 * characters have no borders, since other tokens may go in front of them, or they are fused with their neighbours. */
#include "token/pipeline/merge_model.h"

#include <string.h>

#include "base/alloc.h"
#include "token/pipeline/step_text.h"

enum {
    CODES = 0x110000,
    SHORT = 15 /* bytes of a pre-token that is left as it is */
};

typedef struct borders {
    uint64_t ascii[128][2];    /* bit y of ascii[x]: there is a border between x and y */
    bipe_pair_table crossings; /* (x, y): there is no border between them */
    uint64_t *known;           /* (CODES bits) characters of the vocabulary */
} borders;

static void borders_close(void *config)
{
    borders *b = config;
    if (b == NULL)
        return;
    bipe_pair_table_free(&b->crossings);
    bipe_free(b->known);
    bipe_free(b);
}

static inline bool is_known(const borders *b, uint32_t code)
{
    return code < CODES && (b->known[code / 64] >> code % 64 & 1) != 0;
}

static bool find_border(const borders *b, uint32_t x, uint32_t y)
{
    return is_known(b, x) && is_known(b, y) && bipe_pair_table_find(&b->crossings, x, y) == NULL;
}

static inline bool is_border(const borders *b, uint32_t x, uint32_t y)
{
    return x < 0x80 && y < 0x80 ? (b->ascii[x][y >> 6] >> (y & 63) & 1) != 0 : find_border(b, x, y);
}

/* ---- making them ---- */

static void find_known(borders *b, const bipe_merge_model *m)
{
    for (uint32_t id = 0; id < m->count; id++) {
        size_t size;
        uint32_t code;
        const uint8_t *text = bipe_vocabulary_text(m->vocabulary, id, &size);
        if (size != 0 && bipe_step_char(text, size, 0, &code) == size && code < CODES)
            b->known[code / 64] |= UINT64_C(1) << code % 64;
    }
}

/* 0, or -1 when memory is exhausted. */
static int find_crossings(borders *b, const bipe_merge_model *m)
{
    for (size_t i = 0; m->merges.count != 0 && i <= m->merges.mask; i++) {
        uint64_t key = m->merges.entry[i].key;
        size_t left, right;
        uint32_t x, y;
        if (key == BIPE_PAIR_EMPTY)
            continue;
        const uint8_t *before = bipe_vocabulary_text(m->vocabulary, (uint32_t)(key >> 32), &left);
        const uint8_t *after = bipe_vocabulary_text(m->vocabulary, (uint32_t)key, &right);
        if (left == 0 || right == 0)
            continue; /* nothing begins as an empty string */
        bipe_step_char_before(before, left, &x);
        bipe_step_char(after, right, 0, &y);
        if (bipe_pair_table_set(&b->crossings, x, y, 0, 0) != 0)
            return -1;
    }
    return 0;
}

static borders *borders_open(const bipe_merge_model *m)
{
    borders *b = bipe_alloc(1, sizeof *b);
    if (b == NULL || (b->known = bipe_alloc(CODES / 64, sizeof *b->known)) == NULL || find_crossings(b, m) != 0) {
        borders_close(b);
        return NULL;
    }
    find_known(b, m);
    for (uint32_t x = 0; x < 0x80; x++)
        for (uint32_t y = 0; y < 0x80; y++)
            b->ascii[x][y >> 6] |= (uint64_t)find_border(b, x, y) << (y & 63);
    return b;
}

/* ---- the step ---- */

static int split_at_borders(const void *config, const bipe_mapped *text, const bipe_ranges *in, bipe_ranges *out, bipe_error *err)
{
    const borders *b = config;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < in->count; i++) {
        size_t from = in->range[i].start, end = in->range[i].end;
        uint32_t before = 0, code;
        for (size_t at = from, n; status == BIPE_OK && end - from > SHORT && at < end; at += n) {
            n = bipe_step_char(text->text, end, at, &code);
            if (at > from && is_border(b, before, code)) {
                status = bipe_ranges_add(out, from, at, err);
                from = at;
            }
            before = code;
        }
        if (status == BIPE_OK)
            status = bipe_ranges_add(out, from, end, err);
    }
    return status;
}

/* Its splits change no token, in any context. */
static bipe_pair_class any_unit_of(const void *config, uint32_t *code, bool removed)
{
    (void)config;
    (void)code;
    (void)removed;
    return (bipe_pair_class){0};
}

static void find_pairs(const void *config, bipe_pairs *pairs)
{
    const borders *b = config;
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            pairs->step_splits[x][y] = find_border(b, pairs->to[x], pairs->to[y]);
}

static const bipe_pretokenizer_type type = {
    .name = "merge borders", .close = borders_close, .split = split_at_borders, .class_of = any_unit_of, .pairs = find_pairs};

int bipe_merge_borders_add(bipe_pipeline *p, const bipe_merge_model *m, bipe_error *err)
{
    if (m->bytes || m->whole || m->prefix != NULL || m->suffix != NULL || p->pretokenizers == BIPE_PIPELINE_STEPS)
        return BIPE_OK;
    borders *b = borders_open(m);
    return b != NULL ? bipe_pipeline_push(p, &type, b, err) : bipe_fail_memory(err);
}
