/* bpe_borders.c - where a text of a byte-pair model may be cut into units that are encoded by themselves: a table of pairs of bytes.
 *
 * Between two symbols that no merge can join (crossings) the stream ends a stretch. What the last symbol of a character can be follows from
 * the last byte of the character, and what the first one can be from its first byte; so a pair of bytes is a border when none of
 * the pairs of symbols that it can stand for is in crossings. A byte that is not a continuation byte always begins a character (or is
 * broken, and stands alone), so the byte before it ends one. */
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/bpe.h"
#include "token/char_reader.h"

enum { FIRST, LAST };
#define NO_NODE UINT32_MAX

/* The bytes that characters begin (end) with of which a symbol is the first (last): lists. */
typedef struct edge_lists {
    uint32_t *head[2];  /* (symbols) */
    struct edge_node {
        uint32_t next;
        uint8_t byte;
    } *node;
    size_t count, capacity;
    bool plain[2][256]; /* characters that begin (end) with this byte never become the unknown token */
} edge_lists;

static int add_edge(edge_lists *lists, int side, uint32_t symbol, uint8_t byte, bipe_error *err)
{
    uint32_t *head = &lists->head[side][symbol];
    if (bipe_grow(&lists->node, &lists->capacity, lists->count + 1, sizeof *lists->node) != 0)
        return bipe_fail_memory(err);
    lists->node[lists->count] = (struct edge_node){.next = *head, .byte = byte};
    *head = (uint32_t)lists->count++;
    return BIPE_OK;
}

/* The symbol that a character of the normalized text begins (ends) with. */
static uint32_t edge_symbol(const bipe_bpe *bpe, uint32_t code, int side)
{
    uint8_t bytes[4];
    uint32_t symbol = bipe_bpe_symbol(bpe, code);
    if (symbol != BIPE_NO_SYMBOL)
        return symbol;
    if (!bpe->byte_fallback)
        return (uint32_t)bpe->unk;
    size_t n = bipe_utf8_encode((int32_t)code, bytes);
    return bpe->byte_id[bytes[side == FIRST ? 0 : n - 1]];
}

/* A character of the text. */
static int add_character(edge_lists *lists, const bipe_bpe *bpe, uint32_t code, bipe_error *err)
{
    uint8_t bytes[4];
    size_t n = bipe_utf8_encode((int32_t)code, bytes);
    const bipe_codes *to = bipe_normalizer_find(&bpe->normalizer, code);
    int status = BIPE_OK;
    for (int side = FIRST; status == BIPE_OK && side <= LAST; side++) {
        uint32_t edge = to == NULL ? code : to->code[side == FIRST ? 0 : to->count - 1];
        uint32_t symbol = edge_symbol(bpe, edge, side);
        uint8_t byte = bytes[side == FIRST ? 0 : n - 1];
        status = add_edge(lists, side, symbol, byte, err);
        if (code < 0x80)
            lists->plain[side][byte] = bpe->byte_fallback || (symbol < bpe->vocabulary.count && symbol != bpe->unk);
    }
    return status;
}

static int add_all(edge_lists *lists, const bipe_bpe *bpe, bipe_error *err)
{
    int status = BIPE_OK;
    for (int side = FIRST; side <= LAST; side++)
        for (unsigned byte = 0x80; status == BIPE_OK && byte < 256; byte++) {
            lists->plain[side][byte] = bpe->byte_fallback;
            /* Of broken bytes, and of characters without a symbol. */
            status = add_edge(lists, side, bpe->byte_fallback ? bpe->byte_id[byte] : (uint32_t)bpe->unk, (uint8_t)byte, err);
        }
    for (uint32_t code = 0; status == BIPE_OK && code < 0x80; code++)
        status = add_character(lists, bpe, code, err);
    for (uint32_t page = 0; status == BIPE_OK && page < BIPE_CODE_PAGES; page++)
        for (uint32_t i = 0; status == BIPE_OK && bpe->page[page] != NULL && i < 256; i++)
            if (bpe->page[page][i] != BIPE_NO_SYMBOL && (page << 8 | i) >= 0x80)
                status = add_character(lists, bpe, page << 8 | i, err);
    for (size_t i = 0; status == BIPE_OK && i < bpe->normalizer.rules; i++)
        status = add_character(lists, bpe, bpe->normalizer.rule[i].from, err);
    return status;
}

static void cut_nothing(bipe_cut_borders *borders, uint8_t x, uint8_t y)
{
    borders->row[x][y >> 6] &= ~(UINT64_C(1) << (y & 63));
}

static void find_borders(bipe_cut_borders *borders, const edge_lists *lists, const bipe_bpe *bpe)
{
    for (unsigned x = 0; x < 256; x++)
        for (unsigned y = 0; y < 256; y++)
            if ((y & 0xC0) != 0x80 && (lists->plain[LAST][x] || lists->plain[FIRST][y]))
                borders->row[x][y >> 6] |= UINT64_C(1) << (y & 63);
    const bipe_pair_table *crossings = &bpe->crossings;
    for (size_t i = 0; crossings->count != 0 && i <= crossings->mask; i++) {
        uint64_t key = crossings->entry[i].key;
        if (key == BIPE_PAIR_EMPTY)
            continue;
        for (uint32_t a = lists->head[LAST][key >> 32]; a != NO_NODE; a = lists->node[a].next)
            for (uint32_t b = lists->head[FIRST][(uint32_t)key]; b != NO_NODE; b = lists->node[b].next)
                cut_nothing(borders, lists->node[a].byte, lists->node[b].byte);
    }
}

int bipe_bpe_build_borders(bipe_bpe *bpe, bipe_error *err)
{
    if (bpe->ruled || bpe->unigram != NULL)
        return BIPE_OK;
    for (size_t i = 0; i < bpe->normalizer.rules; i++)
        if (bpe->normalizer.rule[i].to.count == 0)
            return BIPE_OK; /* characters that vanish: their neighbours meet */
    size_t symbols = bpe->vocabulary.count + bpe->extra.count;
    edge_lists lists = {0};
    int status = BIPE_OK;
    bpe->borders = bipe_alloc(1, sizeof *bpe->borders);
    for (int side = FIRST; side <= LAST; side++) {
        lists.head[side] = bipe_realloc(NULL, symbols, sizeof **lists.head);
        if (lists.head[side] == NULL || bpe->borders == NULL)
            status = bipe_fail_memory(err);
        else
            memset(lists.head[side], 0xFF, symbols * sizeof **lists.head);
    }
    if (status == BIPE_OK)
        status = add_all(&lists, bpe, err);
    if (status == BIPE_OK)
        find_borders(bpe->borders, &lists, bpe);
    bipe_free(lists.head[FIRST]);
    bipe_free(lists.head[LAST]);
    bipe_free(lists.node);
    return status;
}
