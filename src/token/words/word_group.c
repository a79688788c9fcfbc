/* word_group.c - three passes over a group: where words may be, whether they are there, and their tokens. No branch depends on
 * the text as long as all words are short and known. */
#include "token/words/word_group.h"

#include "base/alloc.h"

int bipe_word_group_open(bipe_word_group *g)
{
    return bipe_word_cache_open(&g->cache);
}

void bipe_word_group_free(bipe_word_group *g)
{
    bipe_word_cache_free(&g->cache);
    bipe_free(g->ids.token);
    g->ids = (bipe_piece_tokens){0};
}

/* *out = {start, end, id, 0}, with the last two as one number. */
static inline void put_word_token(bipe_token *out, uint64_t start, uint64_t end, uint32_t id)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t last = (uint64_t)id << 32;
#else
    uint64_t last = id;
#endif
    out->start = start;
    out->end = end;
    memcpy(&out->id, &last, sizeof last);
}

static inline bipe_token *put_short(const bipe_short_tokens *w, uint64_t start, bipe_token *out)
{
    /* Two at once, needed or not. */
    put_word_token(&out[0], start, start + w->end[0], w->id[0]);
    put_word_token(&out[1], start + w->end[0], start + w->end[1], w->id[1]);
    if (w->count > 2)
        put_word_token(&out[2], start + w->end[1], start + w->end[2], w->id[2]);
    return out + w->count;
}

static bipe_token *put_long(const bipe_piece_token *token, size_t count, uint64_t start, bipe_token *out)
{
    uint64_t from = start;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = start + token[i].end;
        put_word_token(out++, from, end, token[i].id);
        from = end;
    }
    return out;
}

/* Finds the tokens of the rare words. *count: of these, fewer when `encode` returns something for the next. */
static int find_rare(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t *count, bipe_error *err)
{
    size_t unknown = 0, done = 0;
    for (size_t r = 0; r < *count; r++) {
        struct bipe_rare_word *rare = &g->rare[r];
        size_t k = g->rare_number[r], size = start[k + 1] - start[k];
        bipe_word_key key = bipe_word_key_of(text + start[k], size <= BIPE_WORD_SHORT ? size : BIPE_WORD_LONG);
        rare->token = bipe_word_cache_stored(&g->cache, key, text + start[k], size, &rare->count);
        if (rare->token == NULL) {
            g->unknown_rare[unknown] = r;
            g->unknown[unknown++] = (bipe_new_word){.text = text + start[k], .size = size};
        }
    }
    g->unknowns = 0;
    if (unknown == 0)
        return BIPE_OK;
    if (bipe_grow(&g->ids.token, &g->ids.capacity, 1, sizeof *g->ids.token) != 0) { /* words may have no tokens at all */
        *count = g->unknown_rare[0];
        return bipe_fail_memory(err);
    }
    g->ids.count = 0;
    int status = g->encode(g->context, g->unknown, unknown, &g->ids, &done, err);
    if (status != BIPE_OK)
        *count = g->unknown_rare[done];
    for (size_t i = 0; i < done; i++) {
        struct bipe_rare_word *rare = &g->rare[g->unknown_rare[i]];
        rare->token = g->ids.token + g->unknown[i].at;
        rare->count = g->unknown[i].count;
    }
    g->unknowns = done;
    return status;
}

/* Adds the tokens of n words to the list; room: so many are reserved. */
static int put_words(bipe_word_group *g, const uint32_t *start, size_t n, size_t rares, uint64_t base, bipe_tokens *tokens, size_t room)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + room, sizeof *tokens->token) != 0)
        return -1;
    bipe_token *out = tokens->token + tokens->count;
    for (size_t k = 0, r = 0;; k++, r++) {
        for (size_t stop = r < rares ? g->rare_number[r] : n; k < stop; k++)
            out = put_short(&g->known[k], base + start[k], out);
        if (k == n)
            break;
        out = put_long(g->rare[r].token, g->rare[r].count, base + start[k], out);
    }
    tokens->count = (size_t)(out - tokens->token);
    return 0;
}

int bipe_word_group_take(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t n, uint64_t base, bipe_tokens *tokens,
                         size_t *taken, bipe_error *err)
{
    size_t rares = bipe_word_look_up(&g->cache, text, start, n, g->known, g->rare_number), room;
    int found = rares != 0 ? find_rare(g, text, start, &rares, err) : BIPE_OK;
    if (found != BIPE_OK)
        n = g->rare_number[rares];
    *taken = 0;
    room = n * BIPE_WORD_SHORT_IDS;
    for (size_t r = 0; r < rares; r++)
        room += g->rare[r].count;
    if (n != 0 && put_words(g, start, n, rares, base, tokens, room) != 0)
        return bipe_fail_memory(err);
    *taken = n;
    for (size_t i = 0; rares != 0 && i < g->unknowns; i++) {
        const bipe_new_word *w = &g->unknown[i];
        bipe_word_cache_put(&g->cache, w->text, w->size, g->ids.token + w->at, w->count);
    }
    return found;
}
