/* byte_lanes.h - how words are merged side by side: the loop, for byte_merges.c and the files byte_lanes_*.c alone, which give it their
 * ways to find a number in a row and an entry in a bucket.
 *
 * One merge waits for two look-ups, and they for the one before; the words in the lanes do not wait for each other. Hardly
 * anything branches on what the words are, since nothing foretells it. */
#ifndef BIPE_TOKEN_BYTE_LANES_H
#define BIPE_TOKEN_BYTE_LANES_H

#include "token/merges/byte_merges.h"

#if defined __x86_64__ && defined __GNUC__
#define BIPE_BYTE_LANES_X86
#endif

#define BIPE_LANE_FREE UINT64_MAX
#define BIPE_LANE_INLINE static inline __attribute__((always_inline))

enum {
    BIPE_NAME_BITS = 20,
    BIPE_PLACE_BITS = 6, /* a place in a word, with one in front of it and one behind */
    BIPE_PLACES = 1 << BIPE_PLACE_BITS,
    BIPE_PLACES_STEP = 16, /* so many are looked at at once */
    BIPE_LANES = 24,
    BIPE_LANE_TOKENS = 4, /* that are written at once */
    BIPE_OUTSIDE = (1 << BIPE_NAME_BITS) - 1 /* the name of what stands in front of a word and behind it */
};

/* Merges the words [word, stop) whose count is 0. Behind at, there is room for the number of bytes, a multiple of BIPE_LANE_TOKENS. */
typedef void bipe_byte_lanes(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token);

typedef struct bipe_byte_lanes_unit {
    const char *name; /* NULL behind the last */
    bool (*usable)(void);
    bipe_byte_lanes *run;
} bipe_byte_lanes_unit;

extern const bipe_byte_lanes_unit bipe_byte_lanes_units[]; /* the best first */

/* bipe_byte_merges_run(), which takes the best. */
int bipe_byte_merges_run_by(bipe_byte_lanes *run, const bipe_byte_merges *m, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens);

bipe_byte_lanes bipe_byte_lanes_plain;
#ifdef BIPE_BYTE_LANES_X86
bool bipe_byte_lanes_avx2_usable(void);
bipe_byte_lanes bipe_byte_lanes_avx2;
#endif

/* The least of the numbers; places: a multiple of BIPE_PLACES_STEP. */
typedef uint32_t bipe_lane_least(const uint32_t *pair, size_t places);
/* What the bucket has for the key, or 0. */
typedef uint32_t bipe_lane_bucket(const uint64_t *bucket, uint64_t key);

/* ---- the table ---- */

BIPE_LANE_INLINE uint64_t bipe_lane_key(uint32_t left, uint32_t right)
{
    return (uint64_t)left << BIPE_NAME_BITS | right;
}

BIPE_LANE_INLINE uint64_t bipe_lane_hash(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 32;
}

/* A pair of names that is looked up: the entry's upper bits, and the bucket where it is if it is. */
typedef struct bipe_lane_wanted {
    uint64_t key;
    const uint64_t *bucket;
} bipe_lane_wanted;

BIPE_LANE_INLINE bipe_lane_wanted bipe_lane_want(const bipe_byte_merges *m, uint32_t left, uint32_t right)
{
    uint64_t key = bipe_lane_key(left, right);
    return (bipe_lane_wanted){.key = key, .bucket = m->entry + (bipe_lane_hash(key) & m->mask) * BIPE_BYTE_MERGES_BUCKET};
}

BIPE_LANE_INLINE uint32_t bipe_lane_bucket_plain(const uint64_t *e, uint64_t key)
{
    uint64_t found = 0;
    for (int i = 0; i < BIPE_BYTE_MERGES_BUCKET; i++)
        found |= e[i] & -(uint64_t)(e[i] >> 24 == key);
    return (uint32_t)found & 0xFFFFFF;
}

/* What the two make, or 0. Few buckets are full. */
BIPE_LANE_INLINE uint32_t bipe_lane_find(const bipe_byte_merges *m, bipe_lane_wanted w, bipe_lane_bucket *in_bucket)
{
    uint32_t found = in_bucket(w.bucket, w.key);
    while (__builtin_expect(w.bucket[BIPE_BYTE_MERGES_BUCKET - 1] != BIPE_LANE_FREE, 0) && found == 0) {
        w.bucket = m->entry + (((size_t)(w.bucket - m->entry) / BIPE_BYTE_MERGES_BUCKET + 1) & m->mask) * BIPE_BYTE_MERGES_BUCKET;
        found = in_bucket(w.bucket, w.key);
    }
    return found;
}

/* ---- one word ---- */

#define BIPE_LANE_NONE (UINT32_MAX << BIPE_PLACE_BITS) /* and above: makes nothing */

/* A word on its way: symbols stand at the places of their first bytes, from 1 on; `there` has a bit for each, and for what is outside.
 * pair[i]: the rank of what the symbol at i makes with the next (into[i]), less one, and i in the lower bits: the least is the one to
 * merge, the leftmost of equals. */
typedef struct bipe_lane {
    uint32_t pair[BIPE_PLACES], name[BIPE_PLACES], into[BIPE_PLACES];
    uint64_t there;
    size_t places; /* of pair[], to look at */
    bipe_new_word *word;
    bipe_piece_token *token;
    size_t at, before; /* of the merge that waits for: */
    bipe_lane_wanted with_after, with_before;
} bipe_lane;

/* Fills name[1 .. size] with the bytes, pair[] and into[] from 1 on with what each makes with the next, pair[] up to `places`. Of the text
 * BIPE_WORD_READ bytes may be read, and name[] and pair[] may be written beyond that. */
typedef void bipe_lane_symbols(const bipe_byte_merges *m, bipe_lane *l, const uint8_t *text, size_t size);

/* into: or 0. A name is its rank, but for those that have one rank. */
BIPE_LANE_INLINE void bipe_lane_set_pair(const bipe_byte_merges *m, bipe_lane *l, size_t at, uint32_t into)
{
    uint32_t rank = into - m->tied_from < m->tied ? m->tied_from : into;
    l->into[at] = into;
    l->pair[at] = (rank - 1) << BIPE_PLACE_BITS | (uint32_t)at;
}

/* The plain way to fill name[1 .. size], and pair[] and into[] from 1 on. */
BIPE_LANE_INLINE void bipe_lane_symbols_plain(const bipe_byte_merges *m, bipe_lane *l, const uint8_t *text, size_t size)
{
    l->name[1] = text[0];
    for (size_t i = 1; i < size; i++) {
        l->name[i + 1] = text[i];
        bipe_lane_set_pair(m, l, i, m->byte[(size_t)text[i - 1] << 8 | text[i]]);
    }
    for (size_t i = size; i < l->places; i++)
        l->pair[i] = BIPE_LANE_NONE;
}

BIPE_LANE_INLINE void bipe_lane_begin(const bipe_byte_merges *m, bipe_lane *l, bipe_new_word *word, bipe_piece_token *token,
                                      bipe_lane_symbols *symbols)
{
    size_t size = word->size;
    l->word = word;
    l->token = token + word->at;
    l->places = (size + BIPE_PLACES_STEP - 1) & ~(size_t)(BIPE_PLACES_STEP - 1);
    l->there = UINT64_MAX >> (BIPE_PLACES - 2 - size);
    l->pair[0] = BIPE_LANE_NONE;
    symbols(m, l, word->text, size);
    l->name[0] = l->name[size + 1] = BIPE_OUTSIDE;
}

/* Lists what is there. BIPE_LANE_TOKENS are written, needed or not: how many it are cannot be foreseen. */
BIPE_LANE_INLINE void bipe_lane_end(const bipe_byte_merges *m, bipe_lane *l)
{
    const uint64_t last = UINT64_C(1) << (BIPE_PLACES - 1);
    uint64_t ends = l->there & ~UINT64_C(3);
    bipe_piece_token *token = l->token;
    size_t at = 1;
    do {
        for (size_t i = 0; i < BIPE_LANE_TOKENS; i++) {
            uint32_t name = l->name[at], named = -(uint32_t)(name < m->same);
            at = (size_t)__builtin_ctzll(ends | last);
            *token++ = (bipe_piece_token){.id = (m->id[name & named] & named) | (name & ~named), .end = (uint32_t)at - 1};
            ends &= ends - 1;
        }
    } while (ends != 0);
    l->word->count = (size_t)__builtin_popcountll(l->there) - 2;
}

/* Begins the merge that `least` stands for. What stands outside makes nothing with anything. */
BIPE_LANE_INLINE void bipe_lane_merge(const bipe_byte_merges *m, bipe_lane *l, uint32_t least)
{
    size_t at = least % BIPE_PLACES;
    uint64_t behind = l->there & UINT64_MAX << 1 << at, rest = behind & (behind - 1);
    size_t gone = (size_t)__builtin_ctzll(behind), after = (size_t)__builtin_ctzll(rest);
    size_t before = BIPE_PLACES - 1 - (size_t)__builtin_clzll(l->there & ~(UINT64_MAX << at));
    uint32_t name = l->into[at];
    l->name[at] = name;
    l->pair[gone] = BIPE_LANE_NONE;
    l->there ^= behind ^ rest;
    l->at = at;
    l->before = before;
    l->with_after = bipe_lane_want(m, name, l->name[after]);
    l->with_before = bipe_lane_want(m, l->name[before], name);
    __builtin_prefetch(l->with_after.bucket);
    __builtin_prefetch(l->with_before.bucket);
}

/* ---- the loop ---- */

/* The next word that is to be encoded, or NULL. */
BIPE_LANE_INLINE bipe_new_word *bipe_lane_next_word(bipe_new_word **at, const bipe_new_word *stop)
{
    while (*at < stop && (*at)->count != 0)
        ++*at;
    return *at < stop ? (*at)++ : NULL;
}

BIPE_LANE_INLINE void bipe_lanes_run(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token,
                                     bipe_lane_symbols *symbols, bipe_lane_least *least_of, bipe_lane_bucket *in_bucket)
{
    bipe_lane room[BIPE_LANES], *lane[BIPE_LANES];
    bipe_new_word *next;
    size_t lanes = 0;
    while (lanes < BIPE_LANES && (next = bipe_lane_next_word(&word, stop)) != NULL) {
        lane[lanes] = &room[lanes];
        lane[lanes]->name[BIPE_PLACES - 1] = 0; /* read behind the last symbol, for nothing */
        bipe_lane_begin(m, lane[lanes++], next, token, symbols);
    }
    while (lanes != 0) {
        for (size_t k = 0; k < lanes;) {
            bipe_lane *l = lane[k];
            uint32_t least = least_of(l->pair, l->places);
            if (least < BIPE_LANE_NONE) {
                bipe_lane_merge(m, l, least);
                k++;
                continue;
            }
            bipe_lane_end(m, l);
            if ((next = bipe_lane_next_word(&word, stop)) != NULL)
                bipe_lane_begin(m, l, next, token, symbols);
            else
                lane[k] = lane[--lanes];
        }
        /* Ends the merges, when the buckets have come near. */
        for (size_t k = 0; k < lanes; k++) {
            bipe_lane *l = lane[k];
            bipe_lane_set_pair(m, l, l->at, bipe_lane_find(m, l->with_after, in_bucket));
            bipe_lane_set_pair(m, l, l->before, bipe_lane_find(m, l->with_before, in_bucket));
        }
    }
}

#endif
