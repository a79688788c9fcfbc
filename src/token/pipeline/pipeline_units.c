/* pipeline_units.c - a block cut at safe pairs of bytes into units, mostly words, whose tokens are looked up. Those that are not known go
 * through the pipeline, each by itself. */
#include <string.h>

#include "base/alloc.h"
#include "token/pipeline/pipeline_encode.h"

enum { CHUNK = 64 }; /* bytes whose borders are found at once, as a mask */

/* ---- tokens of a unit as ends of pieces ---- */

/* Bytes that tokens may leave out. */
static const bool white[256] = {[' '] = true, ['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true};

static uint64_t pass_white(const uint8_t *text, uint64_t start, uint64_t at, uint64_t end)
{
    while (at < end && white[text[at - start]])
        at++;
    return at;
}

/* Whether the tokens of a unit at [start, start + size) follow from their ends. Sets the pieces. */
static bool set_pieces(const bipe_pipeline_scratch *s, const uint8_t *unit, size_t size, uint64_t start, bipe_piece_token *piece)
{
    bool gaps = s->pipeline->safe->gaps;
    uint64_t at = start, end = start + size;
    for (size_t i = 0; i < s->alone.count; i++) {
        const bipe_token *token = &s->alone.token[i];
        if (token->end < at || token->end > end || (gaps ? pass_white(unit, start, at, token->end) : at) != token->start)
            return false;
        at = token->end;
        piece[i] = (bipe_piece_token){.id = token->id, .end = (uint32_t)(at - start)};
    }
    return gaps || at == end;
}

/* bipe_words_encode. BIPE_END: the tokens of the next unit are in s->alone. */
static int encode_unknown(void *context, bipe_new_word *unit, size_t count, bipe_piece_tokens *pieces, size_t *done, bipe_error *err)
{
    bipe_pipeline_scratch *s = context;
    for (*done = 0; *done < count; ++*done) {
        bipe_new_word *u = &unit[*done];
        uint64_t start = s->block_offset + (uint64_t)(u->text - s->block);
        s->alone.count = 0;
        int status = bipe_pipeline_encode_text(s, u->text, u->size, start, false, &s->alone, err);
        if (status == BIPE_OK && bipe_grow(&pieces->token, &pieces->capacity, pieces->count + s->alone.count + 1, sizeof *pieces->token) != 0)
            status = bipe_fail_memory(err);
        if (status != BIPE_OK)
            return status;
        u->at = pieces->count;
        u->count = s->alone.count;
        s->is_alone = !set_pieces(s, u->text, u->size, start, pieces->token + u->at);
        if (s->is_alone)
            return BIPE_END;
        pieces->count += u->count;
    }
    return BIPE_OK;
}

/* ---- units ---- */

/* Tokens from number `first` on start after gaps. Not inlined, since the loop that finds borders is slower with it. */
__attribute__((noinline)) static void leave_gaps(const bipe_pipeline_scratch *s, bipe_tokens *tokens, size_t first)
{
    const uint8_t *text = s->block;
    uint64_t base = s->block_offset;
    for (size_t i = first; i < tokens->count; i++) {
        bipe_token *t = &tokens->token[i];
        t->start += (t->start < t->end) & white[text[t->start - base]]; /* mostly there are no more */
        if (t->start < t->end && white[text[t->start - base]])
            t->start = pass_white(text, base, t->start, t->end);
    }
}

/* The n units of the block [start[k], start[k + 1]). */
static int take_units(bipe_pipeline_scratch *s, const uint32_t *start, size_t n, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t from = 0, taken; status == BIPE_OK && from < n; from += taken) {
        size_t first = tokens->count, some = n - from < BIPE_WORD_GROUP ? n - from : BIPE_WORD_GROUP;
        s->is_alone = false;
        status = bipe_word_group_take(&s->units, s->block, start + from, some, s->block_offset, tokens, &taken, err);
        if (s->pipeline->safe->gaps)
            leave_gaps(s, tokens, first);
        if (status != BIPE_END || !s->is_alone)
            continue;
        taken++;
        status = bipe_grow(&tokens->token, &tokens->capacity, tokens->count + s->alone.count, sizeof *tokens->token) == 0 ? BIPE_OK
                                                                                                                   : bipe_fail_memory(err);
        if (status == BIPE_OK && s->alone.count != 0)
            memcpy(tokens->token + tokens->count, s->alone.token, s->alone.count * sizeof *s->alone.token);
        tokens->count += status == BIPE_OK ? s->alone.count : 0;
    }
    return status;
}

/* Bit i: there is a border before text[i]. */
static inline uint64_t borders_of(const bipe_safe_pairs *safe, const uint8_t *text)
{
    uint64_t mask = 0, third = 0;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        mask |= (safe->row[text[i - 1]][text[i] >> 6] >> (text[i] & 63) & 1) << i;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        third |= (uint64_t)safe->third[text[i + 1]] << i;
    return mask & third;
}

/* Units of the block from the byte at `at` on, which begins one; a long one at the end of a list is encoded where it stands. */
int bipe_pipeline_encode_units(bipe_pipeline_scratch *s, const uint8_t *bytes, size_t size, uint64_t base, bipe_tokens *tokens,
                               bipe_error *err)
{
    uint32_t start[BIPE_WORD_GROUP + CHUNK + 2];
    size_t n = 0;
    bool begins = base == 0; /* the unit start[0] begins the document */
    s->units.encode = encode_unknown;
    s->units.context = s;
    s->block = bytes;
    s->block_offset = base;
    if (bipe_word_group_open(&s->units) != 0)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    start[0] = 0;
    for (size_t at = 1; status == BIPE_OK; at += CHUNK) {
        bool last = size - at <= CHUNK;
        uint64_t mask = at < size ? borders_of(s->pipeline->safe, bytes + at) : 0;
        if (last)
            mask &= size - at > 1 ? UINT64_MAX >> (CHUNK - (size - at - 1)) : 0;
        for (; mask != 0; mask &= mask - 1)
            start[++n] = (uint32_t)at + (uint32_t)__builtin_ctzll(mask);
        if (last)
            start[++n] = (uint32_t)size;
        size_t from = 0;
        if (begins && n != 0) {
            status = bipe_pipeline_encode_text(s, bytes, start[1], base, true, tokens, err);
            from = 1;
            begins = false;
        }
        if (n < BIPE_WORD_GROUP && !last && from == 0)
            continue;
        if (status == BIPE_OK)
            status = take_units(s, start + from, n - from, tokens, err);
        start[0] = start[n];
        n = 0;
        if (last)
            break;
    }
    return status;
}
