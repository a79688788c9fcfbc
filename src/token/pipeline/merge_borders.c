/* merge_borders.c - finds where no merge of characters can reach across; see merge_model.h.
 *
 * Each known character begins as one symbol, and the string of a merged symbol is that of its halves joined. So a merge
 * across x|y must be listed as a string that ends with x and one that begins with y: without such a merge there is a
 * border between x and y. Unknown characters have no borders, since other tokens may go in front of them, or they are
 * fused with their neighbours; but where all bytes have tokens and none of these merges, there are borders beside them,
 * and pairs of bytes say where. */
#include "token/pipeline/merge_model.h"

#include "token/merges/merge_loop.h"
#include "token/pipeline/step_text.h"

static bool is_known(const bipe_merge_model *m, uint32_t code)
{
    uint8_t bytes[4];
    int64_t id =
        code < BIPE_BAD_BYTE ? bipe_vocabulary_find(m->vocabulary, bytes, bipe_char_bytes(code, bytes)) : BIPE_NO_PIECE;
    return id != BIPE_NO_PIECE && (uint64_t)id < m->count;
}

/* Whether unknown characters become bytes, and these stay what they are. The byte of a known character is never asked
 * for. */
static bool has_lone_bytes(const bipe_merge_model *m)
{
    bool lone = m->fallback;
    for (int b = 0; b < 256; b++)
        lone = lone && (m->byte_id[b] != BIPE_NO_SYMBOL || (b < 0x80 && is_known(m, (uint32_t)b)));
    for (size_t i = 0; lone && m->merges.count != 0 && i <= m->merges.mask; i++) {
        uint64_t key = m->merges.entry[i].key;
        size_t left, right;
        if (key == BIPE_PAIR_EMPTY)
            continue;
        const uint8_t *before = bipe_vocabulary_text(m->vocabulary, (uint32_t)(key >> 32), &left);
        const uint8_t *after = bipe_vocabulary_text(m->vocabulary, (uint32_t)key, &right);
        lone = bipe_byte_piece(before, left) < 0 && bipe_byte_piece(after, right) < 0;
    }
    return lone;
}

/* Between characters that become x and y there is none. */
static void forbid_pair(bipe_pairs *pairs, uint32_t x, uint32_t y)
{
    uint8_t last[4], first[4];
    size_t n = bipe_char_bytes(x, last);
    bipe_char_bytes(y, first);
    for (unsigned a = 0; a < BIPE_PAIRS + 1; a++)
        for (unsigned b = 0; (a < BIPE_PAIRS ? pairs->to[a] == x : x >= 0x80) && b < BIPE_PAIRS + 1; b++)
            if (b < BIPE_PAIRS ? pairs->to[b] == y : y >= 0x80)
                pairs->bytes[a < BIPE_PAIRS ? a : last[n - 1]][b < BIPE_PAIRS ? b : first[0]] = false;
}

/* All pairs of characters that a merge joins; 0, or -1 when memory is exhausted. */
static int find_crossings(const bipe_merge_model *m, bipe_pair_table *crossings)
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
        if (bipe_pair_table_set(crossings, x, y, 0, 0) != 0)
            return -1;
    }
    return 0;
}

int bipe_merge_borders_find(const bipe_merge_model *m, bipe_pairs *pairs, bipe_error *err)
{
    bipe_pair_table crossings = {0};
    bool known[BIPE_PAIRS_BEFORE], fits = !m->bytes && !m->whole && m->prefix == NULL && m->suffix == NULL;
    pairs->plain = pairs->plain && fits && has_lone_bytes(m);
    if (!fits)
        return BIPE_OK;
    int status = find_crossings(m, &crossings) == 0 ? BIPE_OK : bipe_fail_memory(err);
    for (unsigned x = 0; x < BIPE_PAIRS_BEFORE; x++) {
        known[x] = is_known(m, pairs->to[x]);
        pairs->plain = pairs->plain && (x >= BIPE_PAIRS || pairs->to[x] < BIPE_BAD_BYTE);
    }
    for (unsigned x = 0; status == BIPE_OK && x < BIPE_PAIRS_BEFORE; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            pairs->splits[x][y] =
                pairs->splits[x][y] ||
                (known[x] && known[y] && bipe_pair_table_find(&crossings, pairs->to[x], pairs->to[y]) == NULL);
    for (size_t i = 0; pairs->plain && crossings.count != 0 && i <= crossings.mask; i++)
        if (crossings.entry[i].key != BIPE_PAIR_EMPTY)
            forbid_pair(pairs, (uint32_t)(crossings.entry[i].key >> 32), (uint32_t)crossings.entry[i].key);
    bipe_pair_table_free(&crossings);
    return status;
}
