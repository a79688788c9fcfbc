/* merge_parts.c - finds the characters that merges may join (pretoken_parts.h).
 *
 * The first merge across the boundary between x and y joins what ends with x, or is one or two of its last bytes, to
 * what begins with y, or is one or two of its first. */
#include "base/alloc.h"
#include "token/merges/merge_loop.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_parts.h"

enum {
    PAIRS_MOST = 1 << 18, /* with more there would be few borders */
    ALONE_MOST = 1024     /* bytes of strings that are no parts, which are looked for one by one */
};

/* What a string begins or ends with: `bytes` of a character of three, the others being 0; bytes 0: none of them. */
typedef struct edge {
    uint32_t code;
    size_t bytes;
} edge;

/* Joins what ends so to all characters that begin so. Returns how many these are. */
static size_t join(uint64_t *joined, edge left, edge right)
{
    size_t characters = left.bytes != 0 && right.bytes != 0 ? (size_t)1 << 6 * (3 - right.bytes) : 0;
    for (uint32_t i = 0; i < characters; i++) {
        size_t at = bipe_parts_bit(left.bytes < 3 ? left.code & 0x3F : left.code, right.code | i);
        joined[at / 64] |= UINT64_C(1) << at % 64;
    }
    return characters;
}

/* ---- merges ---- */

/* The byte that a string of the vocabulary has at text[*at], which moves on; -1: it is not made of bytes. */
static int next_byte(const bipe_merge_model *m, const uint8_t *text, size_t size, size_t *at)
{
    int32_t code;
    if (!m->letters)
        return text[(*at)++];
    size_t n = bipe_utf8_decode(text + *at, size - *at, &code);
    *at += n != 0 ? n : 1;
    return n != 0 && code >= 0 ? bipe_letter_byte(code) : -1;
}

/* The first and the last three bytes of a string, as numbers. Returns how many there are; 0: it is not of bytes. */
static size_t edges_of(const bipe_merge_model *m, uint32_t id, uint32_t *first, uint32_t *last)
{
    size_t size, count = 0;
    const uint8_t *text = bipe_vocabulary_text(m->vocabulary, id, &size);
    *first = *last = 0;
    for (size_t at = 0; at < size;) {
        int byte = next_byte(m, text, size, &at);
        if (byte < 0)
            return 0;
        if (count < 3)
            *first |= (uint32_t)byte << (16 - 8 * count++);
        *last = (*last << 8 | (uint32_t)byte) & 0xFFFFFF;
    }
    return count;
}

/* three: the bytes of a character, of which those in the mask are known. */
static edge edge_of(uint32_t three, uint32_t mask, size_t bytes)
{
    uint32_t code = (three >> 4 & 0xF000) | (three >> 2 & 0xFC0) | (three & 0x3F);
    return (edge){.code = code, .bytes = ((three ^ 0xE08080) & 0xF0C0C0 & mask) == 0 ? bytes : 0};
}

/* Whether a string of the vocabulary may have a character of three bytes, or its first ones. */
static bool may_have(const bipe_merge_model *m, const uint8_t *text, size_t size)
{
    bool found = false;
    for (size_t i = 0; !found && i < size; i++)
        found = m->letters ? text[i] == 0xC3 && i + 1 < size && text[i + 1] >= 0xA0 : text[i] >= 0xE0;
    return found;
}

/* false: they are too many. */
static bool join_halves(uint64_t *joined, const bipe_merge_model *m)
{
    size_t pairs = 0, size;
    for (size_t i = 0; m->merges.count != 0 && i <= m->merges.mask && pairs <= PAIRS_MOST; i++) {
        uint64_t key = m->merges.entry[i].key;
        if (key == BIPE_PAIR_EMPTY)
            continue;
        const uint8_t *right = bipe_vocabulary_text(m->vocabulary, (uint32_t)key, &size);
        if (!may_have(m, right, size < 2 ? size : 2))
            continue;
        uint32_t first, last, other;
        size_t head = edges_of(m, (uint32_t)key, &first, &other);
        size_t tail = edges_of(m, (uint32_t)(key >> 32), &other, &last);
        pairs += join(joined, edge_of(last, ~(UINT32_MAX << 8 * tail), tail),
                      edge_of(first, UINT32_MAX << 8 * (3 - head), head));
    }
    return pairs <= PAIRS_MOST;
}

/* ---- strings that are tokens as whole pre-tokens, but that merges do not make ---- */

/* Joins the characters of the string, so that it is not split. If it ends with one of three bytes, it is noted, so that
 * it is no part; unless all are such, there is no border before it anyway. */
static int leave_alone(bipe_pretoken_parts *parts, const uint8_t *text, size_t size, bipe_error *err)
{
    edge before = {0}, first = {0};
    bool all = true;
    for (size_t at = 0, n; at < size; at += n) {
        edge here = {.code = bipe_parts_character(text + at, size - at, &n)};
        here.bytes = here.code != 0 ? 3 : 0;
        first = at == 0 ? here : first;
        all = all && here.bytes != 0;
        join(parts->joined, before, here);
        before = here;
    }
    for (uint32_t last = 0; !all && last < 0x40; last++)
        join(parts->joined, (edge){.code = last, .bytes = 1}, first);
    join(parts->joined, before, (edge){.code = BIPE_PARTS_ENDS, .bytes = 3});
    return before.bytes != 0 ? bipe_vocabulary_append(&parts->alone, text, size, err) : BIPE_OK;
}

/* The bytes of a string and their symbols; no symbols if it is not made of bytes, or has no character of three. */
static int add_string(const bipe_merge_model *m, uint32_t id, bipe_buffer *bytes, bipe_symbol_row *row, bipe_error *err)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(m->vocabulary, id, &size);
    int status = BIPE_OK;
    row->count = bytes->size = 0;
    size = may_have(m, text, size) ? size : 0;
    for (size_t at = 0; status == BIPE_OK && at < size;) {
        int byte = next_byte(m, text, size, &at);
        const uint8_t one = (uint8_t)byte;
        if (byte < 0) {
            row->count = 0;
            return BIPE_OK;
        }
        status = bipe_buffer_append(bytes, &one, 1, err);
        if (status == BIPE_OK)
            status = bipe_symbol_row_add(row, m->byte_symbol[0][one], 1, err);
    }
    return status;
}

static int find_alone(bipe_pretoken_parts *parts, const bipe_merge_model *m, bipe_error *err)
{
    bipe_symbol_row row = {0};
    bipe_buffer bytes = {0};
    int status = BIPE_OK;
    for (uint32_t id = 0; status == BIPE_OK && id < m->count && parts->alone.text_size <= ALONE_MOST; id++) {
        status = add_string(m, id, &bytes, &row, err);
        if (status == BIPE_OK)
            status = bipe_merge_row(&row.memory, &m->merges, row.symbol, row.end, &row.count, err);
        if (status == BIPE_OK && row.count > 1)
            status = leave_alone(parts, bytes.data, bytes.size, err);
    }
    bipe_symbol_row_free(&row);
    bipe_buffer_free(&bytes);
    return status;
}

void bipe_merge_parts_open(bipe_pretoken_parts *parts, const bipe_merge_model *m)
{
    bipe_error err;
    parts->joined = bipe_alloc_large((size_t)1 << BIPE_PARTS_BITS >> 6, sizeof *parts->joined);
    bool done = parts->joined != NULL && join_halves(parts->joined, m);
    done = done && (!m->whole || find_alone(parts, m, &err) == BIPE_OK);
    if (!done || parts->alone.text_size > ALONE_MOST)
        bipe_pretoken_parts_free(parts);
}
