/* unigram.c - Unigram: its tables, and the best way through a text (Viterbi), from left to right. */
#include "token/spm/unigram.h"

#include <math.h>

#include "base/alloc.h"
#include "text/utf8.h"

int bipe_unigram_build(bipe_unigram *unigram, bipe_trie_string *pieces, size_t count, double *score, double unk_score,
                       bool single, bipe_error *err)
{
    unigram->score = score;
    unigram->unk_score = unk_score;
    unigram->single = single;
    unigram->most = fabs(unk_score);
    for (size_t i = 0; i < count; i++)
        unigram->most = fabs(score[pieces[i].value]) > unigram->most ? fabs(score[pieces[i].value]) : unigram->most;
    return bipe_piece_trie_build(&unigram->trie, pieces, count, err);
}

void bipe_unigram_free(bipe_unigram *unigram)
{
    bipe_piece_trie_free(&unigram->trie);
    bipe_free(unigram->score);
    *unigram = (bipe_unigram){0};
}

/* ---- the search ---- */

/* After some bytes of the text: the best way to here, and its last piece. */
typedef struct bipe_unigram_best {
    double sum;
    uint32_t id, length; /* length 0: none ends here */
} best;

void bipe_unigram_memory_free(bipe_unigram_memory *memory)
{
    bipe_free(memory->best);
    *memory = (bipe_unigram_memory){0};
}

/* One more way to a position, by a piece of this score from a position with this sum. Whether it is the best so far. */
static inline bool offer_way(bipe_unigram_memory *memory, best *to, double sum, double score, uint32_t id,
                             size_t length, bool single)
{
    double way = score + sum, rounded = single ? (double)(float)way : way;
    if (single && (way - sum != score || fabs(way - rounded) == memory->half))
        memory->exact = false;
    if (id == BIPE_UNIGRAM_UNKNOWN)
        way = rounded; /* it is rounded before it is compared */
    if (to->length != 0 && !(way > to->sum))
        return false;
    *to = (best){.sum = rounded, .id = id, .length = (uint32_t)length};
    return true;
}

/* Offers the pieces that begin at `at`, where a character of n bytes is: whether that is one of them. */
static inline bool offer_pieces(const bipe_unigram *u, bipe_unigram_memory *memory, const uint8_t *text, size_t size,
                                size_t at, size_t n)
{
    double before = memory->best[at].sum;
    bool whole = false;
    uint32_t node = 0;
    for (size_t k = at; k < size && (node = bipe_piece_trie_step(&u->trie, node, text[k])) != 0;) {
        uint32_t id = u->trie.node[node].value;
        k++;
        if (id == BIPE_TRIE_NONE || isnan(u->score[id]))
            continue;
        offer_way(memory, &memory->best[k], before, u->score[id], id, k - at, u->single);
        whole = whole || k - at == n;
    }
    return whole;
}

int bipe_unigram_search(const bipe_unigram *u, bipe_unigram_memory *memory, const uint8_t *text, size_t size,
                        bipe_piece_tokens *pieces, bipe_error *err)
{
    memory->unknown = false;
    memory->exact = true;
    if (bipe_grow(&memory->best, &memory->capacity, size + 1, sizeof *memory->best) != 0)
        return bipe_fail_memory(err);
    best *p = memory->best;
    for (size_t i = 0; i <= size; i++)
        p[i].length = 0;
    p[0].sum = memory->sum;
    for (size_t at = 0, n; at < size; at += n) {
        int32_t code;
        n = bipe_utf8_decode(text + at, size - at, &code);
        n = n != 0 ? n : 1;
        bool whole = u->trie.size != 0 && code >= 0 && offer_pieces(u, memory, text, size, at, n);
        if (!whole && offer_way(memory, &p[at + n], p[at].sum, u->unk_score, BIPE_UNIGRAM_UNKNOWN, n, u->single))
            memory->unknown = true;
    }
    memory->sum = p[size].sum;
    size_t count = 0;
    for (size_t to = size; to != 0; to -= p[to].length)
        count++;
    if (bipe_grow(&pieces->token, &pieces->capacity, pieces->count + count, sizeof *pieces->token) != 0)
        return bipe_fail_memory(err);
    pieces->count += count;
    for (size_t to = size, i = pieces->count; to != 0; to -= p[to].length)
        pieces->token[--i] = (bipe_piece_token){.id = p[to].id, .end = (uint32_t)to};
    return BIPE_OK;
}
