/* unit_encoder.c - finds the borders of units 64 bytes at a time, and takes units in groups (word_group.h). */
#include "token/words/unit_encoder.h"

#include "base/alloc.h"
#include "token/kind.h"

enum { CHUNK = 64 };

_Static_assert((int)BIPE_BLOCK_PAD > CHUNK + 1 && (int)BIPE_BLOCK_PAD >= (int)BIPE_WORD_READ,
               "bytes after a text that are read");

/* Bit i: there is a border before text[i] (and after text[i - 1]). */
static inline uint64_t borders_of(const bipe_borders *borders, const uint8_t *text)
{
    uint64_t mask = 0, next = 0;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        mask |= (borders->row[text[i - 1]][text[i] >> 6] >> (text[i] & 63) & 1) << i;
    if (!borders->checks_third)
        return mask;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        next |= (uint64_t)borders->third[text[i + 1]] << i;
    return mask & next;
}

static bool is_border(const bipe_borders *borders, const uint8_t *text, size_t size, size_t at)
{
    return bipe_is_border(borders, text[at - 1], text[at]) &&
           (!borders->checks_third || (at + 1 < size && borders->third[text[at + 1]] != 0));
}

size_t bipe_first_border(const bipe_borders *borders, const uint8_t *text, size_t size)
{
    size_t at = 1;
    while (at < size && !is_border(borders, text, size, at))
        at++;
    return at < size ? at : 0;
}

size_t bipe_last_border(const bipe_borders *borders, const uint8_t *text, size_t size)
{
    size_t at = size != 0 ? size - 1 : 0;
    while (at > 0 && !is_border(borders, text, size, at))
        at--;
    return at;
}

size_t bipe_find_units(const bipe_borders *borders, const uint8_t *text, size_t size, size_t *at, uint32_t *start)
{
    size_t n = 0, end = borders->checks_third && size != 0 ? size - 1 : size; /* no border is known from here on */
    for (; *at < end && n + CHUNK <= BIPE_UNIT_STARTS; *at += CHUNK) {
        uint64_t mask = borders_of(borders, text + *at);
        if (end - *at < CHUNK)
            mask &= ~(UINT64_MAX << (end - *at));
        for (; mask != 0; mask &= mask - 1)
            start[n++] = (uint32_t)*at + (uint32_t)__builtin_ctzll(mask);
    }
    if (*at >= end)
        *at = size;
    return n;
}

static bool is_white_byte(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Moves the starts of the tokens from number `first` on after their white space. text[0] stands at `offset`. */
static void leave_gaps(const uint8_t *text, uint64_t offset, bipe_tokens *tokens, size_t first)
{
    for (size_t i = first; i < tokens->count; i++) {
        bipe_token *t = &tokens->token[i];
        while (t->start < t->end && is_white_byte(text[t->start - offset]))
            t->start++;
    }
}

/* The n units text[start[k] .. start[k + 1]). */
static int encode_units(bipe_unit_encoder *u, const uint8_t *text, const uint32_t *start, size_t n, uint64_t offset,
                        bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    while (status == BIPE_OK && n != 0) {
        size_t encoded, first = tokens->count;
        status = bipe_word_group_encode(&u->group, text, start, n, offset, tokens, &encoded, err);
        if (u->gaps)
            leave_gaps(text, offset, tokens, first);
        start += encoded;
        n -= encoded;
        if (status == BIPE_END) {
            status = u->encode_unit(u->context, text + start[0], start[1] - start[0], offset + start[0], tokens, err);
            start++;
            n--;
        }
    }
    return status;
}

int bipe_encode_units(bipe_unit_encoder *u, const uint8_t *text, size_t size, uint64_t offset, bipe_tokens *tokens,
                      bipe_error *err)
{
    uint32_t start[1 + BIPE_UNIT_STARTS + 1] = {0};
    size_t at = 1;
    u->group.encode = u->encode;
    u->group.context = u->context;
    int status = bipe_word_group_open(&u->group) == 0 ? BIPE_OK : bipe_fail_memory(err);
    while (status == BIPE_OK && size != 0) {
        size_t n = bipe_find_units(u->borders, text, size, &at, start + 1);
        if (at >= size)
            start[++n] = (uint32_t)size;
        status = encode_units(u, text, start, n, offset, tokens, err);
        if (at >= size)
            break;
        start[0] = start[n];
    }
    return status;
}

void bipe_unit_encoder_free(bipe_unit_encoder *u)
{
    bipe_word_group_free(&u->group);
}
