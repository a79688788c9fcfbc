/* unit_search.c - the best way through a short unit, in SentencePiece's arithmetic, and beside it in double precision from 0. */
#include "token/spm/unit_search.h"

#include <math.h>

#include "text/utf8.h"

/* A place behind some bytes of the unit. */
typedef struct place {
    double sum;          /* SentencePiece's; what is stored is of single precision */
    double best, second; /* of the candidates, from 0 */
    uint32_t id;
    uint8_t back, best_back; /* bytes of the last piece; 0: none ends here */
} place;

typedef struct search {
    place place[BIPE_UNIT_BYTES + 1];
    double half; /* of the last place of the sums */
    bool exact;
} search;

static void offer(search *s, size_t from, size_t to, uint32_t id, double score, bool round)
{
    const place *p = &s->place[from];
    place *q = &s->place[to];
    uint8_t length = (uint8_t)(to - from);
    double sum = score + p->sum, best = score + p->best;
    double rounded = (double)(float)sum;
    if (sum - p->sum != score || fabs(sum - rounded) == s->half)
        s->exact = false;
    if (round)
        sum = rounded; /* an unknown character's is rounded before it is compared */
    if (q->back == 0 || sum > q->sum) {
        q->sum = rounded;
        q->back = length;
        q->id = id;
    }
    if (q->best_back == 0 || best > q->best) {
        q->second = q->best_back == 0 ? -INFINITY : q->best;
        q->best = best;
        q->best_back = length;
    } else if (best > q->second) {
        q->second = best;
    }
}

/* The node behind a character. */
static uint32_t step(const bipe_piece_trie *trie, uint32_t node, uint8_t byte, const uint8_t space[4], size_t space_size)
{
    if (byte != ' ')
        return bipe_piece_trie_step(trie, node, byte);
    node = bipe_piece_trie_step(trie, node, space[0]);
    for (size_t i = 1; i < space_size && node != 0; i++)
        node = bipe_piece_trie_step(trie, node, space[i]);
    return node;
}

static void find_ways(search *s, const bipe_unigram *u, const uint8_t *text, size_t size, uint32_t space)
{
    uint8_t bytes[4];
    size_t space_size = bipe_utf8_encode((int32_t)space, bytes);
    for (size_t at = 0, n; at < size; at += n) {
        n = text[at] < 0x80 ? 1 : text[at] < 0xE0 ? 2 : text[at] < 0xF0 ? 3 : 4;
        bool whole = false;
        uint32_t node = 0;
        for (size_t k = at; k < size && u->trie.size != 0; k++) {
            node = step(&u->trie, node, text[k], bytes, space_size);
            if (node == 0)
                break;
            uint32_t id = u->trie.node[node].value;
            if (id == BIPE_TRIE_NONE || isnan(u->score[id]))
                continue;
            offer(s, at, k + 1, id, u->score[id], false);
            whole = whole || k + 1 == at + n;
        }
        if (!whole)
            offer(s, at, at + n, BIPE_UNIGRAM_UNKNOWN, u->unk_score, true);
    }
}

void bipe_unit_search(const bipe_unigram *u, const uint8_t *text, size_t size, uint32_t space, double sum, double reach,
                      bipe_unit_pieces *pieces)
{
    search s;
    bipe_unit_scale scale = bipe_unit_scale_of(sum, reach);
    for (size_t i = 0; i <= size; i++)
        s.place[i].back = s.place[i].best_back = 0;
    s.place[0].sum = sum;
    s.place[0].best = 0;
    s.half = ldexp(1, (int)scale.high - 24);
    s.exact = scale.low == scale.high;
    find_ways(&s, u, text, size, space);

    double margin = INFINITY, error = reach * 0x1p-46; /* of a few dozen sums of doubles below reach */
    size_t count = 0;
    for (size_t p = size; p > 0; p -= s.place[p].back) {
        const place *q = &s.place[p];
        double here = q->back == q->best_back ? (q->best - q->second - error) / (double)(2 * p + 2) : 0;
        margin = here < margin ? here : margin;
        count++;
    }
    pieces->count = count;
    for (size_t p = size; p > 0; p -= s.place[p].back) {
        pieces->id[--count] = s.place[p].id;
        pieces->end[count] = (uint8_t)p;
    }
    pieces->sum = s.place[size].sum;
    pieces->exact = s.exact && scale.high <= BIPE_UNIT_FAR ? (uint8_t)scale.high : 0;
    /* Half of the margin or less is a power of two: 2^(near - 24). */
    int near = margin > 0 ? margin < INFINITY ? 23 + ilogb(margin) : BIPE_UNIT_FAR : 0;
    pieces->near = (uint8_t)(near < 0 ? 0 : near > BIPE_UNIT_FAR ? BIPE_UNIT_FAR : near);
}
