/* word_group.c - three passes over a group: where words may be, whether they are there, and their tokens. No branch depends on
 * the text as long as all words are short and known. */
#include "token/word_group.h"

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

static inline bipe_token *put_short(const bipe_short_word *w, uint64_t start, bipe_token *out)
{
    /* Two at once, needed or not. */
    out[0] = (bipe_token){.start = start, .end = start + w->end[0], .id = w->id[0]};
    out[1] = (bipe_token){.start = start + w->end[0], .end = start + w->end[1], .id = w->id[1]};
    if (w->count > 2)
        out[2] = (bipe_token){.start = start + w->end[1], .end = start + w->end[2], .id = w->id[2]};
    return out + w->count;
}

static bipe_token *put_long(const bipe_piece_token *token, size_t count, uint64_t start, bipe_token *out)
{
    uint64_t from = start;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = start + token[i].end;
        *out++ = (bipe_token){.start = from, .end = end, .id = token[i].id};
        from = end;
    }
    return out;
}

/* Fills place[]; returns how many words are rare. */
static size_t look_up(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t size = start[k + 1] - start[k];
        g->key[k] = bipe_word_key_of(text + start[k], size <= BIPE_WORD_SHORT ? size : BIPE_WORD_SHORT);
        g->place[k] = bipe_word_cache_pair(&g->cache, g->key[k]);
        __builtin_prefetch(g->place[k]);
    }
    size_t rares = 0;
    for (size_t k = 0; k < n; k++) {
        /* Which of the two it is cannot be foreseen. */
        const bipe_short_word *w = g->place[k] + (bipe_word_differs(g->place[k][0].key, g->key[k]) != 0);
        bool found = (bipe_word_differs(w->key, g->key[k]) == 0) & (start[k + 1] - start[k] <= BIPE_WORD_SHORT) & (w->count != 0);
        g->rare[rares].number = k;
        rares += !found;
        g->place[k] = found ? w : NULL;
    }
    return rares;
}

/* The number of a word among the unknown ones, of which there are `count`; it is entered as the next when it is none of them. */
static size_t number_of(bipe_word_group *g, size_t rare, size_t size, size_t count)
{
    if (size > BIPE_WORD_SHORT)
        return count;
    bipe_word_key key = g->key[g->rare[rare].number];
    uint16_t *seen = &g->seen[bipe_word_hash(key) % BIPE_WORD_SEEN];
    /* What is left there from before is any number. */
    if (*seen < count && g->unknown[*seen].size == size && bipe_word_differs(g->key[g->rare[g->unknown_rare[*seen]].number], key) == 0)
        return *seen;
    *seen = (uint16_t)count;
    return count;
}

/* Finds the tokens of the rare words. *count: of these, fewer when `encode` returns something for the next. */
static int find_rare(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t *count, bipe_error *err)
{
    size_t unknown = 0, done = 0;
    for (size_t r = 0; r < *count; r++) {
        struct bipe_rare_word *rare = &g->rare[r];
        size_t k = rare->number, size = start[k + 1] - start[k];
        const bipe_short_word *w = size <= BIPE_WORD_SHORT ? bipe_word_of_pair(bipe_word_cache_pair(&g->cache, g->key[k]), g->key[k]) : NULL;
        rare->token = w != NULL || size > BIPE_WORD_SHORT
                          ? bipe_word_cache_stored(&g->cache, w, text + start[k], size, &rare->count) : NULL;
        if (rare->token == NULL) {
            rare->count = 0;
            rare->unknown = number_of(g, r, size, unknown);
            if (rare->unknown == unknown) {
                g->unknown_rare[unknown] = r;
                g->unknown[unknown++] = (bipe_new_word){.text = text + start[k], .size = size};
            }
        }
    }
    g->unknowns = 0;
    if (unknown == 0)
        return BIPE_OK;
    g->ids.count = 0;
    int status = g->encode(g->context, g->unknown, unknown, &g->ids, &done, err);
    if (status != BIPE_OK)
        *count = g->unknown_rare[done];
    for (size_t r = 0; r < *count; r++)
        if (g->rare[r].token == NULL) {
            const bipe_new_word *w = &g->unknown[g->rare[r].unknown];
            g->rare[r].token = g->ids.token + w->at;
            g->rare[r].count = w->count;
        }
    g->unknowns = done;
    return status;
}

int bipe_word_group_take(bipe_word_group *g, const uint8_t *text, const uint32_t *start, size_t n, uint64_t base, bipe_tokens *tokens,
                         size_t *taken, bipe_error *err)
{
    size_t rares = look_up(g, text, start, n), room;
    int found = rares != 0 ? find_rare(g, text, start, &rares, err) : BIPE_OK;
    if (found != BIPE_OK)
        n = g->rare[rares].number;
    *taken = 0;
    room = tokens->count + n * BIPE_WORD_SHORT_IDS;
    for (size_t r = 0; r < rares; r++)
        room += g->rare[r].count;
    if (room > tokens->capacity && bipe_grow(&tokens->token, &tokens->capacity, room, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    bipe_token *out = tokens->token + tokens->count;
    const struct bipe_rare_word *rare = g->rare;
    for (size_t k = 0; k < n; k++) {
        uint64_t from = base + start[k];
        if (g->place[k] != NULL) {
            out = put_short(g->place[k], from, out);
        } else {
            out = put_long(rare->token, rare->count, from, out);
            rare++;
        }
    }
    tokens->count = (size_t)(out - tokens->token);
    *taken = n;
    for (size_t i = 0; rares != 0 && i < g->unknowns; i++) {
        const bipe_new_word *w = &g->unknown[i];
        bipe_word_cache_put(&g->cache, w->text, w->size, g->ids.token + w->at, w->count);
    }
    return found;
}
