/* spm_units.c - where units are, from the rules and the pieces. What they become is in unit_run.c. */
#include "token/spm_units.h"

#include <math.h>

#include "text/utf8.h"
#include "token/char_reader.h" /* BIPE_BAD_BYTE */

/* What a byte of ASCII becomes by itself, or 0. */
static uint8_t plain(const bipe_spm_rules *rules, uint8_t byte)
{
    uint8_t to;
    if (byte == 0 || (rules->symbols.size != 0 && bipe_piece_trie_step(&rules->symbols, 0, byte) != 0))
        return 0;
    return bipe_charsmap_plain(&rules->map, byte, &to) ? to : 0;
}

/* The index in a row of a character of a piece: a space stands for what it becomes. 128: none. */
static unsigned index_of(uint32_t code, uint32_t space)
{
    return code == space ? ' ' : code < 128 ? code : 128;
}

/* Marks the pairs of neighbours in a piece. */
static void mark_piece(const uint8_t *text, size_t size, uint32_t space, uint64_t pairs[129][2])
{
    unsigned before = 0; /* before the first: no pair */
    bool first = true;
    for (size_t i = 0, n; i < size; i += n) {
        int32_t code;
        n = bipe_utf8_decode(text + i, size - i, &code);
        unsigned index = index_of((uint32_t)code, space);
        if (!first && index < 128)
            pairs[before][index >> 6] |= UINT64_C(1) << (index & 63);
        before = index;
        first = false;
        if (n == 0)
            return;
    }
}

void bipe_spm_units_make(bipe_spm_units *u, const bipe_spm_rules *rules, const bipe_unigram *unigram, const bipe_trie_string *pieces,
                         size_t count, const uint32_t *byte_id, uint32_t unk)
{
    uint64_t pairs[129][2] = {{0}}; /* by what bytes become; row 128: any other character */
    double most = fabs(unigram->unk_score);
    *u = (bipe_spm_units){.unigram = unigram, .squeeze = rules->squeeze, .space = rules->space, .byte_id = byte_id, .unk = unk};
    for (size_t i = 0; i < count; i++) {
        mark_piece(pieces[i].text, pieces[i].size, u->space, pairs);
        most = fmax(most, fabs(unigram->score[pieces[i].value]));
    }
    /* Scores are at most single precision's largest, or infinite, and then no unit is taken. */
    u->reach = most < 0x1p60 ? (most + 1) * (BIPE_UNIT_BYTES + 2) : 0;
    for (unsigned b = 0; b < 128; b++)
        u->becomes[b] = plain(rules, (uint8_t)b);
    for (unsigned b = 0; b < 128; b++) {
        unsigned to = u->becomes[b];
        if (to == 0)
            continue;
        u->entered[b] = (pairs[128][to >> 6] >> (to & 63) & 1) != 0;
        for (unsigned a = 0; a < 128; a++) {
            unsigned from = u->becomes[a];
            bool dropped = u->squeeze && from == ' ' && to == ' ';
            if (from != 0 && !dropped && (pairs[from][to >> 6] >> (to & 63) & 1) != 0)
                u->joined[a][b >> 6] |= UINT64_C(1) << (b & 63);
        }
    }
}

bool bipe_spm_units_joined(const bipe_spm_units *u, uint32_t before, uint8_t byte)
{
    if (before >= BIPE_BAD_BYTE)
        return false;
    unsigned index = index_of(before, u->space);
    if (index == 128)
        return u->entered[byte];
    /* Any byte that becomes the character before has its row; without one no piece is known here. */
    for (unsigned a = 0; a < 128; a++)
        if (u->becomes[a] == index)
            return (u->joined[a][byte >> 6] >> (byte & 63) & 1) != 0;
    return true;
}

static bool is_blank(const bipe_spm_units *u, uint8_t byte)
{
    return u->becomes[byte] == ' ';
}

size_t bipe_spm_units_next(const bipe_spm_units *u, const uint8_t *text, size_t size, size_t at)
{
    for (size_t q = at + 1; u->reach != 0 && q + 1 < size; q++) {
        uint8_t before = text[q - 1], byte = text[q];
        if (u->becomes[byte] == 0 || text[q + 1] >= 0x80)
            continue;
        bool joined = before >= 0x80 ? u->entered[byte]
                      : u->becomes[before] == 0 || (u->joined[before][byte >> 6] >> (byte & 63) & 1) != 0;
        if (!joined && !(u->squeeze && is_blank(u, before)))
            return q;
    }
    return size;
}
