/* word_group.c - three passes over a group: where words may be, whether they are there, and their tokens. No branch
 * depends on the text as long as all words are short and known. */
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
static inline void write_token(bipe_token *out, uint64_t start, uint64_t end, uint32_t id)
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

static inline bipe_token *append_short(const bipe_short_tokens *w, uint64_t start, bipe_token *out)
{
    /* Two at once, needed or not. */
    write_token(&out[0], start, start + w->end[0], w->id[0]);
    write_token(&out[1], start + w->end[0], start + w->end[1], w->id[1]);
    if (w->count > 2)
        write_token(&out[2], start + w->end[1], start + w->end[2], w->id[2]);
    return out + w->count;
}

static bipe_token *append_long(const bipe_piece_token *token, size_t count, uint64_t start, bipe_token *out)
{
    uint64_t from = start;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = start + token[i].end;
        write_token(out++, from, end, token[i].id);
        from = end;
    }
    return out;
}

/* Finds the tokens of the misses. *count: of these, fewer when `encode` returns something for the next. */
static int find_misses(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t *count, bipe_error *err)
{
    size_t unknown = 0, done = 0;
    for (size_t r = 0; r < *count; r++) {
        struct bipe_missed_word *miss = &g->miss[r];
        size_t k = g->miss_number[r], size = start[k + 1] - start[k];
        bipe_word_key key = bipe_word_key_of(text + start[k], size <= BIPE_WORD_SHORT ? size : BIPE_WORD_LONG);
        miss->token = bipe_word_cache_stored(&g->cache, key, text + start[k], size, &miss->count);
        if (miss->token == NULL) {
            g->unknown_miss[unknown] = r;
            g->unknown[unknown++] = (bipe_new_word){.text = text + start[k], .size = size};
        }
    }
    g->unknowns = 0;
    if (unknown == 0)
        return BIPE_OK;
    if (bipe_grow(&g->ids.token, &g->ids.capacity, 1, sizeof *g->ids.token) !=
        0) { /* words may have no tokens at all */
        *count = g->unknown_miss[0];
        return bipe_fail_memory(err);
    }
    g->ids.count = 0;
    int status = g->encode(g->context, g->unknown, unknown, &g->ids, &done, err);
    if (status != BIPE_OK)
        *count = g->unknown_miss[done];
    for (size_t i = 0; i < done; i++) {
        struct bipe_missed_word *miss = &g->miss[g->unknown_miss[i]];
        miss->token = g->ids.token + g->unknown[i].at;
        miss->count = g->unknown[i].count;
    }
    g->unknowns = done;
    return status;
}

/* Adds the tokens of n words to the list; room: so many are reserved. */
static int append_words(bipe_word_group *g, const uint32_t *start, size_t n, size_t misses, uint64_t base,
                        bipe_tokens *tokens, size_t room)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + room, sizeof *tokens->token) != 0)
        return -1;
    bipe_token *out = tokens->token + tokens->count;
    for (size_t k = 0, r = 0;; k++, r++) {
        for (size_t stop = r < misses ? g->miss_number[r] : n; k < stop; k++)
            out = append_short(&g->known[k], base + start[k], out);
        if (k == n)
            break;
        out = append_long(g->miss[r].token, g->miss[r].count, base + start[k], out);
    }
    tokens->count = (size_t)(out - tokens->token);
    return 0;
}

int bipe_word_group_encode(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t n, uint64_t base,
                           bipe_tokens *tokens, size_t *encoded, bipe_error *err)
{
    size_t misses = bipe_word_look_up(&g->cache, text, start, n, g->known, g->miss_number), room;
    int found = misses != 0 ? find_misses(g, text, start, &misses, err) : BIPE_OK;
    if (found != BIPE_OK)
        n = g->miss_number[misses];
    *encoded = 0;
    room = n * BIPE_WORD_SHORT_IDS;
    for (size_t r = 0; r < misses; r++)
        room += g->miss[r].count;
    if (n != 0 && append_words(g, start, n, misses, base, tokens, room) != 0)
        return bipe_fail_memory(err);
    *encoded = n;
    for (size_t i = 0; misses != 0 && i < g->unknowns; i++) {
        const bipe_new_word *w = &g->unknown[i];
        bipe_word_cache_add(&g->cache, w->text, w->size, g->ids.token + w->at, w->count);
    }
    return found;
}
