/* unigram_short.c - the search of lattice.c for a short text, all at once: in double precision, from 0. */
#include "token/spm/unigram.h"

#include <math.h>

#include "text/utf8.h"

/* A place behind some bytes of the text: the best way to it, and its last piece. */
typedef struct place {
    double sum;
    uint32_t id, length; /* length 0: none ends here */
} place;

static inline void offer(place *p, double sum, uint32_t id, size_t length)
{
    if (p->length == 0 || sum > p->sum)
        *p = (place){.sum = sum, .id = id, .length = (uint32_t)length};
}

/* Offers the pieces that begin at `at`: whether the character there, of n bytes, is one of them. */
static inline bool offer_pieces(const bipe_unigram *u, const uint8_t *text, size_t size, size_t at, size_t n, place *places)
{
    double before = places[at].sum;
    bool whole = false;
    uint32_t node = 0;
    for (size_t k = at; k < size && (node = bipe_piece_trie_step(&u->trie, node, text[k])) != 0;) {
        uint32_t id = u->trie.node[node].value;
        k++;
        if (id == BIPE_TRIE_NONE || isnan(u->score[id]))
            continue;
        offer(&places[k], u->score[id] + before, id, k - at);
        whole = whole || k - at == n;
    }
    return whole;
}

size_t bipe_unigram_short(const bipe_unigram *u, const uint8_t *text, size_t size, bipe_piece_token piece[BIPE_UNIGRAM_SHORT],
                          bool *unknown)
{
    place places[BIPE_UNIGRAM_SHORT + 1];
    size_t count = 0;
    *unknown = false;
    if (u->trie.size == 0 || u->single || size > BIPE_UNIGRAM_SHORT)
        return 0;
    for (size_t i = 0; i <= size; i++)
        places[i] = (place){0};
    for (size_t at = 0, n; at < size; at += n) {
        int32_t code;
        n = bipe_utf8_decode(text + at, size - at, &code);
        if (n == 0 || code < 0)
            return 0;
        if (!offer_pieces(u, text, size, at, n, places)) {
            offer(&places[at + n], u->unk_score + places[at].sum, BIPE_UNIGRAM_UNKNOWN, n);
            *unknown = *unknown || places[at + n].id == BIPE_UNIGRAM_UNKNOWN;
        }
    }
    for (size_t to = size; to != 0; to -= places[to].length)
        count++;
    for (size_t to = size, i = count; to != 0; to -= places[to].length)
        piece[--i] = (bipe_piece_token){.id = places[to].id, .end = (uint32_t)to};
    return count;
}
