/* bpe_borders.c - where a text of a byte-pair model may be cut into units that are encoded by themselves: a table of
 * pairs of bytes.
 *
 * Between two symbols that no merge can join (crossings) the stream ends a stretch. The last byte of a character
 * says which symbols can be its last one, and the first byte which can be its first; so a pair of bytes is a border
 * when none of the pairs of symbols that it can stand for is in crossings. A byte that is not a continuation byte
 * always begins a character (or is broken, and stands alone), so the byte before it ends one.
 *
 * With rules in front of the merges (spm_text.h) a byte may also be the first (last) of a string that they replace, and
 * stands for what the replacement begins (ends) with. There is no border between two bytes that stand side by side in
 * such a string or in a user-defined symbol, so that none of them is looked for across one; nor before one that may
 * begin a string that vanishes, since that belongs to the character before it; nor after the last byte of one. Where
 * spaces are squeezed there is none after one, since the text after it decides what becomes of it. */
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/char_reader.h"
#include "token/spm/bpe.h"

enum { FIRST, LAST };

typedef uint64_t byte_set[4];

typedef struct edges { /* 9 KiB */
    byte_set *bytes[2];    /* (symbols) the first (last) bytes of characters whose first (last) symbol it is */
    bool unknown[2][256];  /* characters that begin (end) with this byte may become the unknown token */
    bool vanishes[2][256]; /* strings that begin (end) with this byte vanish */
    bool space[256];       /* characters or strings that end with this byte become something that ends with a space */
    byte_set joined[256];  /* pairs of bytes within the strings that rules look for */
} edges;

static void add_byte(byte_set set, uint8_t byte)
{
    set[byte >> 6] |= UINT64_C(1) << (byte & 63);
}

static bool has_byte(const byte_set set, unsigned byte)
{
    return (set[byte >> 6] >> (byte & 63) & 1) != 0;
}

static void add_edge(edges *e, const bipe_bpe *bpe, int side, uint32_t symbol, uint8_t byte)
{
    if (!bpe->byte_fallback && (symbol >= bpe->vocabulary.count || symbol == bpe->unk))
        e->unknown[side][byte] = true;
    add_byte(e->bytes[side][symbol], byte);
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
static void add_character(edges *e, const bipe_bpe *bpe, uint32_t code)
{
    uint8_t bytes[4];
    size_t n = bipe_utf8_encode((int32_t)code, bytes);
    for (int side = FIRST; side <= LAST; side++)
        add_edge(e, bpe, side, edge_symbol(bpe, code == ' ' ? bpe->rules.space : code, side),
                 bytes[side == FIRST ? 0 : n - 1]);
}

/* The first (last) character of a replacement. */
static uint32_t edge_of_text(const bipe_bpe *bpe, const uint8_t *text, size_t size, int side)
{
    int32_t code;
    size_t n = 1;
    if (side == FIRST) {
        n = bipe_utf8_decode(text, size, &code);
    } else {
        while (n < size && n < 4 && (text[size - n] & 0xC0) == 0x80)
            n++;
        text += size - n;
        size = n;
        n = bipe_utf8_decode(text, size, &code);
    }
    if (n != 0 && code >= 0 && (side == FIRST || n == size))
        return edge_symbol(bpe, code == ' ' ? bpe->rules.space : (uint32_t)code, side);
    return bpe->byte_fallback ? bpe->byte_id[text[side == FIRST ? 0 : size - 1]]
                              : (uint32_t)bpe->unk; /* a broken byte */
}

/* Also with a character that a space becomes, which is squeezed as well. */
static bool ends_with_space(const bipe_bpe *bpe, const uint8_t *text, size_t size)
{
    uint8_t space[4];
    size_t n = bipe_utf8_encode((int32_t)bpe->rules.space, space);
    return text[size - 1] == ' ' || (size >= n && memcmp(text + size - n, space, n) == 0);
}

typedef struct rule_walk {
    edges *edges;
    const bipe_bpe *bpe;
} rule_walk;

static int add_rule(void *context, uint8_t first, int before, uint8_t byte, const bipe_character_map_match *to,
                    bipe_error *err)
{
    (void)err;
    const rule_walk *w = context;
    edges *e = w->edges;
    if (before >= 0)
        add_byte(e->joined[before], byte);
    if (to == NULL)
        return BIPE_OK;
    if (to->size == 0) {
        e->vanishes[FIRST][first] = e->vanishes[LAST][byte] = true;
        return BIPE_OK;
    }
    e->space[byte] = e->space[byte] || ends_with_space(w->bpe, to->replacement, to->size);
    add_edge(e, w->bpe, FIRST, edge_of_text(w->bpe, to->replacement, to->size, FIRST), first);
    add_edge(e, w->bpe, LAST, edge_of_text(w->bpe, to->replacement, to->size, LAST), byte);
    return BIPE_OK;
}

/* *none: the character map is absurd, and no border is known. */
static int add_rules(edges *e, const bipe_bpe *bpe, bool *none, bipe_error *err)
{
    rule_walk w = {e, bpe};
    bipe_error why = {0};
    uint8_t space[4];
    e->space[' '] = true;
    e->space[space[bipe_utf8_encode((int32_t)bpe->rules.space, space) - 1]] = true;
    for (uint32_t id = 0; id < bpe->vocabulary.count; id++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
        for (size_t i = 1; bpe->type[id] == BIPE_PIECE_USER && i < size; i++)
            add_byte(e->joined[text[i - 1]], text[i]);
    }
    int status = bipe_character_map_walk(&bpe->rules.map, add_rule, &w, &why);
    *none = status == BIPE_ERR_LIMIT;
    if (status == BIPE_OK || *none)
        return BIPE_OK;
    return bipe_fail(err, status, "%s", why.text);
}

static void add_characters(edges *e, const bipe_bpe *bpe)
{
    for (int side = FIRST; side <= LAST; side++)
        for (unsigned byte = 0x80; byte < 256; byte++)
            /* Of broken bytes, and of characters without a symbol. */
            add_edge(e, bpe, side, bpe->byte_fallback ? bpe->byte_id[byte] : (uint32_t)bpe->unk, (uint8_t)byte);
    for (uint32_t code = 0; code < 0x80; code++)
        add_character(e, bpe, code);
    for (uint32_t page = 0; page < BIPE_CODE_PAGES; page++)
        for (uint32_t i = 0; bpe->page[page] != NULL && i < 256; i++)
            if (bpe->page[page][i] != BIPE_NO_SYMBOL && (page << 8 | i) >= 0x80)
                add_character(e, bpe, page << 8 | i);
}

static void find_borders(bipe_borders *borders, const edges *e, const bipe_bpe *bpe)
{
    for (unsigned x = 0; x < 256; x++)
        for (unsigned y = 0; y < 256; y++)
            if ((y & 0xC0) != 0x80 && !(e->unknown[LAST][x] && e->unknown[FIRST][y]) && !e->vanishes[LAST][x] &&
                !e->vanishes[FIRST][y] && !has_byte(e->joined[x], y) &&
                !(bpe->has_rules && bpe->rules.squeeze && e->space[x]))
                add_byte(borders->row[x], (uint8_t)y);
}

/* No border is where one symbol may end and the other begin. */
static void forbid_pair(bipe_borders *borders, const edges *e, uint32_t before, uint32_t after)
{
    for (unsigned x = 0; x < 256; x += 64)
        for (uint64_t rest = e->bytes[LAST][before][x >> 6]; rest != 0; rest &= rest - 1)
            for (size_t k = 0; k < 4; k++)
                borders->row[x + (unsigned)__builtin_ctzll(rest)][k] &= ~e->bytes[FIRST][after][k];
}

static void forbid_crossings(bipe_borders *borders, const edges *e, const bipe_pair_table *crossings)
{
    for (size_t i = 0; crossings->count != 0 && i <= crossings->mask; i++) {
        uint64_t key = crossings->entry[i].key;
        if (key != BIPE_PAIR_EMPTY)
            forbid_pair(borders, e, (uint32_t)(key >> 32), (uint32_t)key);
    }
}

/* The same within user-defined symbols, which are looked for among normalized characters. */
static void forbid_symbols(bipe_borders *borders, const edges *e, const bipe_bpe *bpe)
{
    for (uint32_t id = 0; id < bpe->vocabulary.count; id++) {
        size_t size, n;
        const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
        uint32_t before, code;
        for (size_t at = 0; bpe->type[id] == BIPE_PIECE_USER && at < size; at += n, before = code) {
            n = bipe_char_at(text + at, size - at, &code);
            if (at != 0)
                forbid_pair(borders, e, edge_symbol(bpe, before, LAST), edge_symbol(bpe, code, FIRST));
        }
    }
}

/* Takes away what the strings that are found before forbid: a position within one, or after its end, where another text
 * begins. */
static void find_safe_borders(bipe_borders *safe, const bipe_bpe *bpe)
{
    *safe = *bpe->borders;
    for (size_t i = 0; i < bpe->raw.count; i++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, bpe->raw.added[i].id, &size);
        for (size_t k = 1; k < size; k++)
            safe->row[text[k - 1]][text[k] >> 6] &= ~(UINT64_C(1) << (text[k] & 63));
        memset(safe->row[text[size - 1]], 0, sizeof safe->row[0]);
    }
}

int bipe_bpe_build_borders(bipe_bpe *bpe, bipe_error *err)
{
    if (bpe->rules.suffix)
        return BIPE_OK; /* after the last character of a text, wherever a special token ends it, may come a space */
    size_t symbols = bpe->vocabulary.count + bpe->extra.count;
    edges e = {.bytes = {bipe_alloc(symbols, sizeof **e.bytes), bipe_alloc(symbols, sizeof **e.bytes)}};
    bool none = false;
    int status = BIPE_OK;
    bpe->borders = bipe_alloc(1, sizeof *bpe->borders);
    bpe->safe_borders = bipe_alloc(1, sizeof *bpe->safe_borders);
    if (e.bytes[FIRST] == NULL || e.bytes[LAST] == NULL || bpe->borders == NULL || bpe->safe_borders == NULL) {
        status = bipe_fail_memory(err);
    } else {
        add_characters(&e, bpe);
        status = bpe->has_rules ? add_rules(&e, bpe, &none, err) : BIPE_OK;
        if (status == BIPE_OK && !none) {
            find_borders(bpe->borders, &e, bpe);
            forbid_crossings(bpe->borders, &e, &bpe->crossings);
            if (bpe->unigram == NULL)
                forbid_symbols(bpe->borders, &e, bpe);
        }
        if (status == BIPE_OK)
            find_safe_borders(bpe->safe_borders, bpe);
    }
    bipe_free(e.bytes[FIRST]);
    bipe_free(e.bytes[LAST]);
    return status;
}
