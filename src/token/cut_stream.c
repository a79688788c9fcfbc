/* cut_stream.c - finds the borders of units, and looks units up. */
#include "token/cut_stream.h"

#include "base/alloc.h"

enum {
    CHUNK = 64,                         /* bytes whose borders are found at once, as a mask */
    CHUNK_TOKENS = CHUNK * BIPE_WORD_SHORT_IDS + BIPE_WORD_SHORT_IDS, /* room that the tokens of short words in it need */
    CHUNK_READ = CHUNK + BIPE_WORD_READ /* bytes that are read for it */
};

void bipe_cut_stream_begin(bipe_cut_stream *s)
{
    s->clean = s->open = false;
    s->count = 0;
}

void bipe_cut_stream_free(bipe_cut_stream *s)
{
    bipe_word_cache_free(&s->cache);
}

static int make_room(bipe_tokens *tokens, size_t more, bipe_error *err)
{
    return bipe_grow(&tokens->token, &tokens->capacity, tokens->count + more, sizeof *tokens->token) == 0 ? BIPE_OK
                                                                                                             : bipe_fail_memory(err);
}

/* ---- one unit ---- */

/* The tokens from number `first` on are those of the unit, which began at `start`. */
static void keep(bipe_cut_stream *s, const uint8_t *unit, size_t size, uint64_t start, const bipe_tokens *tokens, size_t first)
{
    bipe_piece_token token[BIPE_WORD_LONG_IDS];
    size_t count = tokens->count - first;
    uint64_t at = start;
    if (size > BIPE_WORD_LONG || count > BIPE_WORD_LONG_IDS)
        return;
    for (size_t i = 0; i < count; i++) {
        const bipe_token *t = &tokens->token[first + i];
        if (t->start != at)
            return;
        at = t->end;
        token[i] = (bipe_piece_token){.id = t->id, .end = (uint32_t)(at - start)};
    }
    if (at == start + size)
        bipe_word_cache_put(&s->cache, unit, size, token, count);
}

/* A whole unit that is not among the short words. */
static int take_rare(bipe_cut_stream *s, const uint8_t *unit, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    const bipe_long_word *w = s->clean ? bipe_word_cache_find_long(&s->cache, unit, size) : NULL;
    if (w == NULL) {
        uint64_t start = *s->position;
        size_t first = tokens->count;
        bool was_clean = s->clean;
        int status = s->encode(s->context, unit, size, true, &s->clean, err);
        if (status == BIPE_OK && was_clean && s->clean)
            keep(s, unit, size, start, tokens, first);
        return status;
    }
    int status = make_room(tokens, w->count, err);
    if (status != BIPE_OK)
        return status;
    uint64_t start = *s->position, at = start;
    for (size_t i = 0; i < w->count; i++) {
        bipe_token *t = &tokens->token[tokens->count++];
        *t = (bipe_token){.start = at, .end = start + w->end[i], .id = w->id[i]};
        at = t->end;
    }
    *s->position = start + size;
    return BIPE_OK;
}

/* Adds the tokens of a unit of at most BIPE_WORD_SHORT bytes if the cache has it: there is room for BIPE_WORD_SHORT_IDS. Returns the
 * list's end, or NULL. BIPE_WORD_READ bytes of it are read. */
static inline bipe_token *put_short(const bipe_cut_stream *s, const uint8_t *unit, size_t size, uint64_t start, bipe_token *out)
{
    bipe_word_key key = bipe_word_key_of(unit, size);
    const bipe_short_word *w = s->cache.pair[bipe_word_place(key)];
    /* Without a branch for which of the two it is, which nothing foretells. */
    w += ((w->key.low ^ key.low) | (w->key.high ^ key.high)) != 0;
    if (((w->key.low ^ key.low) | (w->key.high ^ key.high)) != 0)
        return NULL;
    uint64_t end[BIPE_WORD_SHORT_IDS] = {start + w->end[0], start + w->end[1], start + w->end[2]};
    out[0] = (bipe_token){.start = start, .end = end[0], .id = w->id[0]};
    out[1] = (bipe_token){.start = end[0], .end = end[1], .id = w->id[1]};
    out[2] = (bipe_token){.start = end[1], .end = end[2], .id = w->id[2]};
    return out + w->count;
}

/* BIPE_WORD_READ bytes of the unit may be read. */
static int take_unit(bipe_cut_stream *s, const uint8_t *unit, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    if (s->clean && size <= BIPE_WORD_SHORT) {
        int status = make_room(tokens, BIPE_WORD_SHORT_IDS, err);
        if (status != BIPE_OK)
            return status;
        bipe_token *end = put_short(s, unit, size, *s->position, tokens->token + tokens->count);
        if (end != NULL) {
            tokens->count = (size_t)(end - tokens->token);
            *s->position += size;
            return BIPE_OK;
        }
    }
    return take_rare(s, unit, size, tokens, err);
}

/* ---- many units ---- */

/* Bit i: there is a border before text[i] (and behind text[i - 1]). */
static inline uint64_t borders_of(const bipe_cut_borders *borders, const uint8_t *text)
{
    uint64_t mask = 0;
#pragma GCC unroll 16
    for (int i = 0; i < CHUNK; i++)
        mask |= (borders->row[text[i - 1]][text[i] >> 6] >> (text[i] & 63) & 1) << i;
    return mask;
}

/* Takes whole units at the front of the text, as long as the stream is clean; *taken bytes. The rest is a unit that does not end in the
 * text, or less than CHUNK_READ bytes behind the beginning of one, or (if it is not clean) more. */
static int take_many(bipe_cut_stream *s, const uint8_t *text, size_t size, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    const uint8_t *unit = text;
    uint64_t base = *s->position; /* of text[0] */
    int status = BIPE_OK;
    /* A chunk begins behind the first byte, so that there is one before it. */
    for (size_t at = 1; status == BIPE_OK && s->clean && at < size && size - at >= CHUNK_READ; at += CHUNK) {
        uint64_t mask = borders_of(s->borders, text + at);
        if ((status = make_room(tokens, CHUNK_TOKENS, err)) != BIPE_OK)
            break;
        bipe_token *out = tokens->token + tokens->count;
        for (; mask != 0; mask &= mask - 1) {
            const uint8_t *end = text + at + __builtin_ctzll(mask);
            size_t length = (size_t)(end - unit);
            uint64_t start = base + (uint64_t)(unit - text);
            bipe_token *next = length <= BIPE_WORD_SHORT ? put_short(s, unit, length, start, out) : NULL;
            if (next == NULL) {
                tokens->count = (size_t)(out - tokens->token);
                *s->position = start;
                status = take_rare(s, unit, length, tokens, err);
                if (status == BIPE_OK)
                    status = make_room(tokens, CHUNK_TOKENS, err);
                next = tokens->token + tokens->count;
                if (status != BIPE_OK || !s->clean) {
                    *taken = (size_t)(end - text);
                    return status;
                }
            }
            out = next;
            unit = end;
        }
        tokens->count = (size_t)(out - tokens->token);
    }
    *taken = (size_t)(unit - text);
    *s->position = base + *taken;
    return status;
}

/* Takes the whole units among the held bytes; *taken of them. */
static int take_held(bipe_cut_stream *s, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    int status = BIPE_OK;
    *taken = 0;
    for (size_t i = 1; status == BIPE_OK && i < s->count; i++)
        if (bipe_cut_border(s->borders, s->held[i - 1], s->held[i])) {
            status = take_unit(s, s->held + *taken, i - *taken, tokens, err);
            *taken = i;
        }
    return status;
}

/* Gives bytes of a unit to the encoder, whose end has not come. */
static int begin_long(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_error *err)
{
    s->open = true;
    s->last = bytes[size - 1];
    return s->encode(s->context, bytes, size, false, &s->clean, err);
}

/* The same for the next bytes, up to the end of the unit if it is among them; *taken. */
static int go_on_long(bipe_cut_stream *s, const uint8_t *bytes, size_t size, size_t *taken, bipe_error *err)
{
    size_t n = 0;
    uint8_t last = s->last;
    while (n < size && !bipe_cut_border(s->borders, last, bytes[n]))
        last = bytes[n++];
    s->last = last;
    s->open = n == size;
    *taken = n;
    return s->encode(s->context, bytes, n, !s->open, &s->clean, err);
}

/* Adds bytes to those that are held, takes the units that this completes; *taken of the bytes are done with. */
static int take_few(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    size_t before = s->count, room = BIPE_CUT_HELD - before, n = size < room ? size : room, done;
    memcpy(s->held + before, bytes, n);
    s->count = before + n;
    *taken = n;
    int status = take_held(s, tokens, &done, err);
    if (status != BIPE_OK)
        return status;
    if (done == 0 && s->count == BIPE_CUT_HELD) {
        s->count = 0;
        return begin_long(s, s->held, BIPE_CUT_HELD, err);
    }
    if (done >= before && n < size) {
        *taken = done - before; /* the rest of them is taken where it stands */
        s->count = 0;
    } else {
        s->count -= done;
        memmove(s->held, s->held + done, s->count);
    }
    return BIPE_OK;
}

int bipe_cut_stream_feed(bipe_cut_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    if (bipe_word_cache_open(&s->cache) != 0)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    while (status == BIPE_OK && size != 0) {
        size_t taken = 0;
        bool many = s->clean && !s->open && s->count == 0 && size > CHUNK_READ;
        if (s->open)
            status = go_on_long(s, bytes, size, &taken, err);
        else if (many)
            status = take_many(s, bytes, size, tokens, &taken, err);
        if (many && status == BIPE_OK && taken == 0 && size > BIPE_CUT_HELD) {
            taken = 1;
            status = begin_long(s, bytes, 1, err);
        } else if (status == BIPE_OK && taken == 0 && !s->open) {
            status = take_few(s, bytes, size, tokens, &taken, err);
        }
        bytes += taken;
        size -= taken;
    }
    return status;
}

int bipe_cut_stream_end(bipe_cut_stream *s, bipe_error *err)
{
    size_t n = s->count;
    s->count = 0;
    return n != 0 ? s->encode(s->context, s->held, n, false, &s->clean, err) : BIPE_OK;
}
