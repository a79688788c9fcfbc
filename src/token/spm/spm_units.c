/* spm_units.c - where units are, from the rules and the pieces. What they become is in unit_run.c. */
#include "token/spm/spm_units.h"

#include <math.h>

#include "text/utf8.h"
#include "token/char_reader.h" /* BIPE_BAD_BYTE */

/* ---- tables ---- */

static bool begins_symbol(const bipe_spm_rules *rules, uint8_t byte)
{
    return rules->symbols.size != 0 && bipe_piece_trie_step(&rules->symbols, 0, byte) != 0;
}

/* A character of a piece or of a text that the rules have made: a space stands for what it becomes. */
static uint32_t index_of(const bipe_spm_units *u, uint32_t code)
{
    return code == u->space ? ' ' : code;
}

static uint32_t hash_of(uint32_t before, uint32_t code)
{
    return (before * UINT32_C(0x9E3779B1) ^ code * UINT32_C(0x85EBCA6B)) >> (32 - BIPE_UNIT_PAIR_BITS);
}

static void join(bipe_spm_units *u, uint32_t before, uint32_t code)
{
    uint32_t hash = hash_of(before, code);
    if (before < 128 && code < 128)
        u->ascii[before][code >> 6] |= UINT64_C(1) << (code & 63);
    else
        u->pairs[hash >> 6] |= UINT64_C(1) << (hash & 63);
}

/* Both as index_of() has them. */
static bool is_joined(const bipe_spm_units *u, uint32_t before, uint32_t code)
{
    uint32_t hash = hash_of(before, code);
    if (before < 128 && code < 128)
        return (u->ascii[before][code >> 6] >> (code & 63) & 1) != 0;
    return (u->pairs[hash >> 6] >> (hash & 63) & 1) != 0;
}

/* Marks the pairs of neighbours in a piece. */
static void mark_piece(bipe_spm_units *u, const uint8_t *text, size_t size)
{
    uint32_t before = 0;
    int32_t code;
    for (size_t i = 0, n; i < size && (n = bipe_utf8_decode(text + i, size - i, &code)) != 0; i += n) {
        uint32_t index = index_of(u, (uint32_t)code);
        if (i != 0)
            join(u, before, index);
        before = index;
    }
}

static void find_kinds(bipe_spm_units *u, const bipe_spm_rules *rules)
{
    for (uint32_t code = 1; code < 0x10000; code++) {
        uint8_t bytes[4];
        size_t size = bipe_utf8_encode((int32_t)code, bytes);
        bool changes = (code >= 0xD800 && code < 0xE000) || code == rules->space || begins_symbol(rules, bytes[0]);
        u->kind[code] = changes && code != ' ' ? (uint8_t)BIPE_CHARSMAP_CHANGES
                                               : (uint8_t)bipe_charsmap_kind_of(&rules->map, bytes, size, u->follows);
    }
    for (unsigned b = 1; b < 128; b++) {
        uint8_t to = begins_symbol(rules, (uint8_t)b) ? 0x80 : bipe_charsmap_plain(&rules->map, (uint8_t)b);
        u->becomes[b] = to < 0x80 ? to : 0;
    }
}

void bipe_spm_units_make(bipe_spm_units *u, const bipe_spm_rules *rules, const bipe_unigram *unigram, const bipe_trie_string *pieces,
                         size_t count, const uint32_t *byte_id, uint32_t unk)
{
    double most = fabs(unigram->unk_score);
    memset(u, 0, sizeof *u);
    u->unigram = unigram;
    u->map = &rules->map;
    u->squeeze = rules->squeeze;
    u->space = rules->space;
    u->byte_id = byte_id;
    u->unk = unk;
    for (size_t i = 0; i < count; i++) {
        mark_piece(u, pieces[i].text, pieces[i].size);
        most = fmax(most, fabs(unigram->score[pieces[i].value]));
    }
    /* Scores are at most single precision's largest, or infinite, and then no unit is taken. */
    u->reach = most < 0x1p60 ? (most + 1) * (BIPE_UNIT_BYTES + 2) : 0;
    find_kinds(u, rules);
    for (unsigned a = 0; a < 128; a++)
        for (unsigned b = 0; b < 128; b++) {
            uint32_t from = u->becomes[a], to = u->becomes[b];
            bool dropped = u->squeeze && from == ' ' && to == ' ';
            if (from != 0 && to != 0 && !dropped && is_joined(u, from, to))
                u->joined[a][b >> 6] |= UINT64_C(1) << (b & 63);
        }
}

/* ---- places ---- */

/* The bytes of the plain character at text[at], which is what stands there whatever follows; 0: it is not plain, or not all there.
 * *code: what it becomes. */
static size_t plain_at(const bipe_spm_units *u, const uint8_t *text, size_t size, size_t at, uint32_t *code)
{
    size_t left = size - at, n;
    uint8_t b = text[at];
    uint32_t c = b;
    if (b < 0x80) {
        n = 1;
        if (u->becomes[b] == 0 || left < 2)
            return 0;
        *code = u->becomes[b];
        if (text[at + 1] < 0x80)
            return 1;
        /* Alone it may change: it does so only where the map has nothing longer, which is what is asked below. */
    } else if (b >= 0xC2 && b < 0xE0) {
        n = 2;
        if (left < 3 || (text[at + 1] & 0xC0) != 0x80)
            return 0;
        *code = c = (b & 31U) << 6 | (text[at + 1] & 63U);
    } else {
        n = 3;
        if (b < 0xE0 || b >= 0xF0 || left < 4 || (text[at + 1] & 0xC0) != 0x80 || (text[at + 2] & 0xC0) != 0x80)
            return 0;
        *code = c = (b & 15U) << 12 | (text[at + 1] & 63U) << 6 | (text[at + 2] & 63U);
        if (c < 0x800)
            return 0;
    }
    if (u->kind[c] == BIPE_CHARSMAP_SOLID || (u->kind[c] == BIPE_CHARSMAP_BASE && !u->follows[text[at + n]]))
        return n;
    if (u->kind[c] == BIPE_CHARSMAP_CHANGES && c >= 0x80)
        return 0;
    bipe_charsmap_match match;
    bipe_error err;
    bool known = bipe_charsmap_longest(u->map, text + at, left, false, &match, &err) == BIPE_OK;
    return known && match.length <= (b < 0x80 ? 1U : 0U) ? n : 0;
}

static bool is_blank(const bipe_spm_units *u, uint8_t byte)
{
    return u->becomes[byte] == ' ';
}

bool bipe_spm_units_begin(const bipe_spm_units *u, uint32_t before, const uint8_t *text, size_t size, size_t at)
{
    uint32_t code;
    return plain_at(u, text, size, at, &code) != 0 && (before >= BIPE_BAD_BYTE || !is_joined(u, index_of(u, before), code));
}

/* The character that ends before `at`, if it stays as it is; 0: no character does that is known here. */
static uint32_t character_before(const bipe_spm_units *u, const uint8_t *text, size_t at)
{
    size_t n = 1;
    int32_t code;
    if (text[at - 1] < 0x80)
        return u->becomes[text[at - 1]];
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    return bipe_utf8_decode(text + at - n, n, &code) == n && code > 0 ? (uint32_t)code : 0;
}

size_t bipe_spm_units_next(const bipe_spm_units *u, const uint8_t *text, size_t size, size_t at)
{
    for (size_t q = at + 1; u->reach != 0 && q + 1 < size; q++) {
        uint8_t before = text[q - 1], byte = text[q];
        if (before < 0x80 && byte < 0x80 && (u->becomes[before] == 0 || (u->joined[before][byte >> 6] >> (byte & 63) & 1) != 0))
            continue;
        if ((byte & 0xC0) == 0x80 || (u->squeeze && is_blank(u, before)))
            continue;
        uint32_t code = character_before(u, text, q);
        if (code != 0 && bipe_spm_units_begin(u, code, text, size, q))
            return q;
    }
    return size;
}

size_t bipe_spm_units_end(const bipe_spm_units *u, const uint8_t *text, size_t size, size_t at)
{
    size_t limit = size - at > BIPE_UNIT_BYTES + 1 ? at + BIPE_UNIT_BYTES + 1 : size - 1;
    uint32_t before, code;
    size_t end = at + plain_at(u, text, size, at, &before);
    while (end < limit) {
        uint8_t byte = text[end - 1], next;
        if (byte < 0x80) {
            while (end < limit && (next = text[end], (u->joined[byte][next >> 6] >> (next & 63) & 1) != 0)) {
                byte = next;
                end++;
            }
            /* It was followed by ASCII up to here: is it plain before the next character too? */
            if (end == limit || (text[end] >= 0x80 && plain_at(u, text, size, end - 1, &before) == 0))
                return 0;
            before = u->becomes[byte];
        }
        size_t n = plain_at(u, text, size, end, &code);
        if (n == 0 || (u->squeeze && before == ' ' && code == ' '))
            return 0;
        if (!is_joined(u, before, code))
            return end;
        before = code;
        end += n;
    }
    return 0;
}
