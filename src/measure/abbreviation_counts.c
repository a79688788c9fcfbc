/* abbreviation_counts.c - tables of words and pairs that forget what is rare; see abbreviation_counts.h. */
#include "measure/abbreviation_counts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST = 1 << 12, MOST = 1 << 19 /* slots, of which half are used */ };

uint64_t bipe_counted_hash(const char *word, size_t size)
{
    return bipe_hash_bytes(BIPE_HASH_EMPTY, word, size);
}

/* ---- words ---- */

static size_t find_word(const bipe_abbreviation_counts *c, const char *word, size_t size)
{
    size_t at = bipe_counted_hash(word, size) & (c->slots - 1);
    while (c->word[at].size != 0 && (c->word[at].size != size || memcmp(c->word[at].word, word, size) != 0))
        at = (at + 1) & (c->slots - 1);
    return at;
}

/* Makes a table of so many slots of the words that occur more than `least` times. */
static int rebuild_words(bipe_abbreviation_counts *c, size_t slots, uint64_t least, bipe_error *err)
{
    bipe_abbreviation_counts made = {.word = bipe_alloc(slots, sizeof *made.word), .slots = slots};
    if (made.word == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < c->slots; i++)
        if (c->word[i].size != 0 && c->word[i].count.all > least) {
            made.word[find_word(&made, c->word[i].word, c->word[i].size)] = c->word[i];
            made.words++;
        }
    c->forgotten += c->words - made.words;
    bipe_free(c->word);
    c->word = made.word;
    c->slots = slots;
    c->words = made.words;
    return BIPE_OK;
}

/* Grows a table that is half full, or forgets the rarest words until it is a quarter full. */
static int make_place(bipe_abbreviation_counts *c)
{
    if (2 * (c->words + 1) <= c->slots)
        return BIPE_OK;
    if (c->slots < MOST)
        return rebuild_words(c, c->slots == 0 ? FIRST : 2 * c->slots, 0, NULL);
    int status = BIPE_OK;
    for (uint64_t least = 1; 4 * c->words > c->slots && status == BIPE_OK; least = 2 * least + 1)
        status = rebuild_words(c, MOST, least, NULL);
    return status;
}

bipe_counted_word *bipe_count_word(bipe_abbreviation_counts *c, const char *word, size_t size)
{
    int status = make_place(c);
    if (status != BIPE_OK)
        return NULL;
    bipe_counted_word *w = &c->word[find_word(c, word, size)];
    if (w->size == 0) {
        memcpy(w->word, word, size);
        w->size = size;
        c->words++;
    }
    return w;
}

const bipe_counted_word *bipe_find_counted(const bipe_abbreviation_counts *c, const char *word, size_t size)
{
    const bipe_counted_word *w = c->slots != 0 ? &c->word[find_word(c, word, size)] : NULL;
    return w != NULL && w->size != 0 ? w : NULL;
}

/* ---- pairs ---- */

static size_t find_pair(const bipe_abbreviation_counts *c, uint64_t word, uint64_t next)
{
    size_t at = bipe_hash_uint(word, next) & (c->pair_slots - 1);
    while (c->pair[at].count != 0 && (c->pair[at].word != word || c->pair[at].next != next))
        at = (at + 1) & (c->pair_slots - 1);
    return at;
}

static int rebuild_pairs(bipe_abbreviation_counts *c, size_t slots, uint64_t least, bipe_error *err)
{
    bipe_abbreviation_counts made = {.pair = bipe_alloc(slots, sizeof *made.pair), .pair_slots = slots};
    if (made.pair == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < c->pair_slots; i++)
        if (c->pair[i].count > least) {
            made.pair[find_pair(&made, c->pair[i].word, c->pair[i].next)] = c->pair[i];
            made.pairs++;
        }
    c->forgotten += c->pairs - made.pairs;
    bipe_free(c->pair);
    c->pair = made.pair;
    c->pair_slots = slots;
    c->pairs = made.pairs;
    return BIPE_OK;
}

static int make_pair_place(bipe_abbreviation_counts *c, bipe_error *err)
{
    if (2 * (c->pairs + 1) <= c->pair_slots)
        return BIPE_OK;
    if (c->pair_slots < MOST)
        return rebuild_pairs(c, c->pair_slots == 0 ? FIRST : 2 * c->pair_slots, 0, err);
    int status = BIPE_OK;
    for (uint64_t least = 1; 4 * c->pairs > c->pair_slots && status == BIPE_OK; least = 2 * least + 1)
        status = rebuild_pairs(c, MOST, least, err);
    return status;
}

int bipe_count_pair(bipe_abbreviation_counts *c, uint64_t word, uint64_t next, uint64_t count, bipe_error *err)
{
    int status = make_pair_place(c, err);
    if (status != BIPE_OK)
        return status;
    bipe_counted_pair *p = &c->pair[find_pair(c, word, next)];
    c->pairs += p->count == 0;
    *p = (bipe_counted_pair){word, next, p->count + count};
    return BIPE_OK;
}

void bipe_abbreviation_counts_free(bipe_abbreviation_counts *c)
{
    bipe_free(c->word);
    bipe_free(c->pair);
    *c = (bipe_abbreviation_counts){0};
}
