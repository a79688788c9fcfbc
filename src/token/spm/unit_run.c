/* unit_run.c - a run of units (spm_units.h): looked up, or searched for and kept. */
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/spm/spm_units.h"
#include "token/vocabulary.h" /* bipe_vocabulary_hash */

/* A token of a unit in 32 bits: its id, how it changes the sum, and behind which byte of the unit it ends. */
enum {
    PIECE = 0,       /* by its score */
    UNKNOWN = 1,     /* by that of unknown characters */
    NOTHING = 2,     /* not: a further byte of an unknown character */
    SHORT_TOKENS = 3,
    SHORT_UNITS = 16, /* 2^SHORT_UNITS pairs of short ones are kept, and */
    LONG_TOKENS = 14,
    LONG_UNITS = 15   /* 2^LONG_UNITS longer ones */
};

static uint32_t slot_of(uint32_t id, unsigned kind, size_t end)
{
    return id | kind << 24 | (uint32_t)end << 26;
}

static uint32_t id_of(uint32_t slot)
{
    return slot & 0xFFFFFF;
}

static unsigned kind_of(uint32_t slot)
{
    return slot >> 24 & 3;
}

static uint32_t end_of(uint32_t slot)
{
    return slot >> 26;
}

/* Where the answer holds, and whether there are unknown characters in it. */
typedef struct facts {
    uint8_t count, near, exact, odd;
} facts;

typedef struct bipe_short_unit {
    bipe_word_key key;
    facts facts;
    uint32_t slot[SHORT_TOKENS];
} bipe_short_unit;

typedef struct bipe_long_unit {
    uint64_t hash;
    uint8_t size; /* 0: free */
    facts facts;
    uint32_t slot[LONG_TOKENS];
    uint8_t key[BIPE_UNIT_BYTES];
} bipe_long_unit;

static int open_cache(bipe_unit_cache *c, bipe_error *err)
{
    if (c->pair == NULL)
        c->pair = bipe_alloc_large((size_t)2 << SHORT_UNITS, sizeof *c->pair);
    if (c->unit == NULL)
        c->unit = bipe_alloc((size_t)1 << LONG_UNITS, sizeof *c->unit);
    return c->pair != NULL && c->unit != NULL ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_unit_cache_free(bipe_unit_cache *c)
{
    bipe_free(c->pair);
    bipe_free(c->unit);
    *c = (bipe_unit_cache){0};
}

static bipe_short_unit *pair_place(const bipe_unit_cache *c, bipe_word_key key)
{
    return &c->pair[2 * (bipe_word_hash(key) >> (64 - SHORT_UNITS))];
}

static bipe_long_unit *long_place(const bipe_unit_cache *c, uint64_t hash)
{
    return &c->unit[(hash ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LONG_UNITS)];
}

static bool holds(facts f, bipe_unit_scale scale)
{
    return f.near >= scale.high || (f.exact == scale.high && scale.low == scale.high);
}

/* ---- a unit that is not known ---- */

/* The tokens of the pieces (text: as bipe_unit_search() has it), one slot each, or one a byte: how many, and whether there are unknown characters among them. */
static size_t slots_of(const bipe_spm_units *u, const uint8_t *text, const bipe_unit_pieces *p, uint32_t *slot, bool *odd)
{
    size_t count = 0;
    *odd = false;
    for (size_t i = 0; i < p->count; i++) {
        size_t end = p->end[i], start = i != 0 ? p->end[i - 1] : 0;
        if (p->id[i] != BIPE_UNIGRAM_UNKNOWN) {
            slot[count++] = slot_of(p->id[i], PIECE, end);
            continue;
        }
        *odd = true;
        if (u->byte_id == NULL) {
            slot[count++] = slot_of(u->unk, UNKNOWN, end);
            continue;
        }
        uint8_t bytes[4];
        bool space = text[start] == ' ';
        size_t n = space ? bipe_utf8_encode((int32_t)u->space, bytes) : end - start;
        const uint8_t *from = space ? bytes : text + start;
        /* The last byte of what a space becomes stands for it, others for themselves. */
        for (size_t k = 0; k < n; k++)
            slot[count++] = slot_of(u->byte_id[from[k]], k == 0 ? UNKNOWN : NOTHING, space ? (k + 1 == n ? end : start) : start + k + 1);
    }
    return count;
}

static void keep(const bipe_unit_cache *c, const uint8_t *text, size_t size, const uint32_t *slot, facts f)
{
    if (size <= BIPE_WORD_SHORT && f.count <= SHORT_TOKENS) {
        uint8_t room[BIPE_WORD_READ] = {0};
        memcpy(room, text, size);
        bipe_short_unit w = {.key = bipe_word_key_of(room, size), .facts = f};
        memcpy(w.slot, slot, f.count * sizeof *slot);
        bipe_short_unit *pair = pair_place(c, w.key);
        if (pair[0].key.low != w.key.low || pair[0].key.high != w.key.high)
            pair[1] = pair[0];
        pair[0] = w;
    } else if (f.count <= LONG_TOKENS) {
        uint64_t hash = bipe_vocabulary_hash(text, size);
        bipe_long_unit *w = long_place(c, hash);
        *w = (bipe_long_unit){.hash = hash, .size = (uint8_t)size, .facts = f};
        memcpy(w->slot, slot, f.count * sizeof *slot);
        memcpy(w->key, text, size);
    }
}

/* Searches for the pieces, and keeps what was found. slot: room for 3 * BIPE_UNIT_BYTES. */
static facts find_out(const bipe_spm_units *u, const bipe_unit_run *run, const uint8_t *text, size_t size, uint32_t *slot, size_t *count)
{
    uint8_t plain[BIPE_UNIT_BYTES];
    bipe_unit_pieces p;
    bool odd;
    for (size_t i = 0; i < size; i++)
        plain[i] = text[i] < 0x80 ? u->becomes[text[i]] : text[i];
    bipe_unit_search(u->unigram, plain, size, u->space, *run->sum, u->reach, &p);
    *count = slots_of(u, plain, &p, slot, &odd);
    facts f = {.count = *count <= LONG_TOKENS ? (uint8_t)*count : 0, .near = p.near, .exact = p.exact, .odd = odd};
    if (f.count != 0)
        keep(run->cache, text, size, slot, f);
    return f;
}

/* ---- tokens out ---- */

/* The sum behind a token, as the search has it. */
static double add_score(const bipe_unigram *m, double sum, uint32_t slot)
{
    return (double)(float)((kind_of(slot) == PIECE ? m->score[id_of(slot)] : m->unk_score) + sum);
}

/* Tokens with unknown characters among them, or behind some: more: bytes before the unit that belong to its first token. */
static int put_odd(const bipe_spm_units *u, const bipe_unit_run *run, const uint32_t *slot, size_t count, size_t more, bipe_error *err)
{
    size_t from = 0;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        if (kind_of(slot[i]) != NOTHING)
            *run->sum = add_score(u->unigram, *run->sum, slot[i]);
        size_t end = end_of(slot[i]) + more;
        status = run->emit(run->context, id_of(slot[i]), end - from, err);
        from = end;
    }
    return status;
}

/* The others. There is room for them. */
static void put_plain(const bipe_unigram *m, const bipe_unit_run *run, const uint32_t *slot, size_t count, size_t more)
{
    double sum = *run->sum;
    uint64_t start = *run->position, at = start, base = start + more;
    bipe_token *token = run->tokens->token + run->tokens->count;
    for (size_t i = 0; i < count; i++) {
        sum = (double)(float)(m->score[id_of(slot[i])] + sum);
        uint64_t end = base + end_of(slot[i]);
        token[i] = (bipe_token){.start = at, .end = end, .id = id_of(slot[i])};
        at = end;
    }
    run->tokens->count += count;
    *run->position = at;
    *run->sum = sum;
}

/* ---- the run ---- */

/* bipe_spm_units_end(), which this is beside, for the usual case: a unit of ASCII with two bytes of ASCII behind it. */
static size_t end_of_unit(const bipe_spm_units *u, const uint8_t *text, size_t size, size_t at)
{
    size_t end = at + 1, limit = size - at > BIPE_UNIT_BYTES + 1 ? at + BIPE_UNIT_BYTES + 1 : size - 1;
    uint8_t before = text[at], byte;
    if (before >= 0x80)
        return bipe_spm_units_end(u, text, size, at);
    while (end < limit && (byte = text[end], (u->joined[before][byte >> 6] >> (byte & 63) & 1) != 0)) {
        before = byte;
        end++;
    }
    if (end >= limit || u->becomes[text[end]] == 0 || text[end + 1] >= 0x80 ||
        (u->squeeze && u->becomes[before] == ' ' && u->becomes[text[end]] == ' '))
        return end < limit && (text[end] | text[end + 1]) >= 0x80 ? bipe_spm_units_end(u, text, size, at) : 0;
    return end;
}

/* What is known of a unit, if it holds. */
static const uint32_t *look_up(const bipe_unit_cache *c, const uint8_t *text, size_t size, size_t rest, bipe_unit_scale scale, facts *f)
{
    uint8_t room[BIPE_WORD_READ] = {0};
    if (size <= BIPE_WORD_SHORT) {
        if (rest < BIPE_WORD_READ) {
            memcpy(room, text, size);
            text = room;
        }
        bipe_word_key key = bipe_word_key_of(text, size);
        const bipe_short_unit *w = pair_place(c, key);
        for (int i = 0; i < 2; i++, w++)
            if (w->key.low == key.low && w->key.high == key.high) {
                *f = w->facts;
                if (holds(*f, scale))
                    return w->slot;
                break;
            }
        if (size < 2)
            return NULL;
    }
    /* A short one of many tokens is among the long ones. */
    uint64_t hash = bipe_vocabulary_hash(text, size);
    const bipe_long_unit *w = long_place(c, hash);
    *f = w->facts;
    return w->hash == hash && w->size == size && memcmp(w->key, text, size) == 0 && holds(*f, scale) ? w->slot : NULL;
}

int bipe_spm_units_run(const bipe_spm_units *u, const bipe_unit_run *run, const uint8_t *text, size_t size, size_t *taken, bipe_error *err)
{
    int status = u->reach != 0 ? open_cache(run->cache, err) : BIPE_OK;
    size_t at = 0;
    while (status == BIPE_OK && u->reach != 0 && size - at > 2) {
        size_t start = at;
        if (u->squeeze && u->becomes[text[at]] == ' ')
            while (at + 2 < size && u->becomes[text[at + 1]] == ' ')
                at++;
        size_t end = end_of_unit(u, text, size, at), count;
        if (end == 0) {
            at = start;
            break;
        }
        facts f;
        uint32_t found[3 * BIPE_UNIT_BYTES];
        const uint32_t *slot = look_up(run->cache, text + at, end - at, size - at, bipe_unit_scale_of(*run->sum, u->reach), &f);
        if (slot != NULL) {
            count = f.count;
        } else {
            f = find_out(u, run, text + at, end - at, found, &count);
            slot = found;
        }
        if (f.odd && at != start) {
            at = start; /* what an unknown space makes of several bytes is left to the other way */
            break;
        }
        if (f.odd || *run->unknown)
            status = put_odd(u, run, slot, count, at - start, err);
        else if (bipe_grow(&run->tokens->token, &run->tokens->capacity, run->tokens->count + count, sizeof *run->tokens->token) != 0)
            status = bipe_fail_memory(err);
        else
            put_plain(u->unigram, run, slot, count, at - start);
        at = end;
    }
    *taken = at;
    return status;
}
