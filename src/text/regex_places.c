/* regex_places.c - what can be told from a program about places between characters: where a match can start, and where matches always
 * part. */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "text/regex_parts.h"

/* Instructions that can be reached from others without a character, each once: so many at most as there are. */
typedef struct reached {
    bool *seen;
    unsigned *at;
    size_t count;
} reached;

static void reach(reached *r, unsigned at)
{
    if (!r->seen[at]) {
        r->seen[at] = true;
        r->at[r->count++] = at;
    }
}

static int open_reached(reached *r, size_t count, bipe_error *err)
{
    r->seen = bipe_alloc(count, sizeof *r->seen);
    r->at = bipe_alloc(count, sizeof *r->at);
    return r->seen != NULL && r->at != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static void close_reached(reached *r)
{
    bipe_free(r->seen);
    bipe_free(r->at);
}

/* In place of a symbol: conditions all hold, or none does. */
#define ALL_HOLD UINT_MAX
#define NONE_HOLDS (UINT_MAX - 1)

/* Follows what needs no character. */
static void follow(const bipe_regex_program *p, reached *r, unsigned before, unsigned behind)
{
    for (size_t k = 0; k < r->count; k++) {
        const bipe_regex_instruction *i = &p->code[r->at[k]];
        if (i->op == REGEX_SPLIT || i->op == REGEX_JUMP)
            reach(r, i->first);
        if (i->op == REGEX_SPLIT)
            reach(r, i->then);
        if (i->op == REGEX_CONDITION && before != NONE_HOLDS && (before == ALL_HOLD || bipe_regex_holds(p, &p->condition[i->value], before, behind)))
            reach(r, r->at[k] + 1);
    }
}

static void forget(const bipe_regex_program *p, reached *r)
{
    memset(r->seen, 0, p->count);
    r->count = 0;
}

/* Whether a match can start between two symbols. */
static bool can_start(const bipe_regex_program *p, reached *r, unsigned before, unsigned behind)
{
    forget(p, r);
    reach(r, 0);
    follow(p, r, before, behind);
    for (size_t k = 0; k < r->count; k++) {
        const bipe_regex_instruction *i = &p->code[r->at[k]];
        if (i->op == REGEX_SET && bipe_regex_in_set(p, behind, i->value))
            return true;
    }
    return false;
}

enum { FILTER_WORK = 10000000 }; /* what is worth to be spent on it */

enum { BEFORE = 1, AT = 2 }; /* bits of the sets in the filter; the next ones are those of later bytes */

static void add_byte(bipe_regex_filter *f, unsigned byte, unsigned bits)
{
    f->member[byte] = (uint8_t)(f->member[byte] | bits);
}

static void add_bytes(bipe_regex_filter *f, unsigned first, unsigned last, unsigned bits)
{
    for (unsigned b = first; b <= last; b++)
        add_byte(f, b, bits);
}

/* The bytes with which a character of a class can begin. */
static void add_first_bytes(bipe_regex_program *p, unsigned class, unsigned bits)
{
    for (unsigned b = 0; b < 128; b++)
        if (p->characters.ascii[b] == class)
            add_byte(&p->filter, b, bits);
    for (unsigned b = 0xC0; b < 0xF8; b++)
        if ((p->leads[class] >> (b - 0xC0) & 1) != 0)
            add_byte(&p->filter, b, bits);
}

/* The first two sets, by what conditions say about each pair of symbols. */
static void find_first(bipe_regex_program *p, reached *r)
{
    for (unsigned context = 0; context < p->contexts; context++)
        for (unsigned c = 0; c < p->classes; c++) {
            if (!can_start(p, r, p->sample[context], c))
                continue;
            add_first_bytes(p, c, AT);
            for (unsigned b = 0; b < 128; b++)
                if (p->context[p->characters.ascii[b]] == context)
                    add_byte(&p->filter, b, BEFORE);
            for (unsigned s = 0; s < p->symbols; s++) /* the last byte of a longer character, or of none */
                if (p->context[s] == context && (s == p->barrier || (s < p->classes && p->leads[s] != 0)))
                    add_bytes(&p->filter, 128, 255, BEFORE);
        }
}

/* The sets of the next two bytes, whatever conditions say. `level` 0 is the place itself; chars: what stands there begins a character
 * that an instruction of r[level] leads to. */
static void find_later(bipe_regex_program *p, reached r[BIPE_REGEX_REACH])
{
    for (int level = 0; level < BIPE_REGEX_REACH - BIPE_REGEX_BEFORE; level++) {
        unsigned bit = (unsigned)AT << level;
        follow(p, &r[level], ALL_HOLD, 0);
        for (size_t k = 0; k < r[level].count; k++) {
            unsigned at = r[level].at[k];
            const bipe_regex_instruction *i = &p->code[at];
            if (i->op == REGEX_MATCH) /* anything may follow */
                for (int later = level; later < BIPE_REGEX_REACH - BIPE_REGEX_BEFORE; later++)
                    add_bytes(&p->filter, 0, 255, (unsigned)AT << later & ~(unsigned)AT);
            for (unsigned c = 0; c < p->classes && i->op == REGEX_SET; c++) {
                if (!bipe_regex_in_set(p, c, i->value))
                    continue;
                if (level > 0)
                    add_first_bytes(p, c, bit);
                for (unsigned b = 0; b < 128 && level + 1 < BIPE_REGEX_REACH - BIPE_REGEX_BEFORE; b++)
                    if (p->characters.ascii[b] == c)
                        reach(&r[level + 1], at + 1);
                for (int length = 2; length <= 4; length++) {
                    uint64_t leads = length == 2 ? 0xFFFFFFFF : length == 3 ? UINT64_C(0xFFFF) << 32 : UINT64_C(0xFF) << 48;
                    if ((p->leads[c] & leads) == 0)
                        continue;
                    for (int later = level + 1; later < BIPE_REGEX_REACH - BIPE_REGEX_BEFORE; later++) {
                        if (later < level + length)
                            add_bytes(&p->filter, 0x80, 0xBF, (unsigned)AT << later);
                        if (later == level + length)
                            reach(&r[later], at + 1);
                    }
                }
            }
        }
    }
}

int bipe_regex_find_filter(bipe_regex_program *p, bipe_error *err)
{
    reached r[BIPE_REGEX_REACH] = {{0}};
    int status = BIPE_OK;
    for (int level = 0; level < BIPE_REGEX_REACH && status == BIPE_OK; level++)
        status = open_reached(&r[level], p->count, err);
    if (status == BIPE_OK && p->contexts * p->classes * p->count < FILTER_WORK) {
        find_first(p, &r[0]);
        forget(p, &r[0]);
        reach(&r[0], 0);
        find_later(p, r);
        bipe_regex_filter_prepare(&p->filter);
        double places = 1;
        for (unsigned k = 0; k < BIPE_REGEX_REACH; k++)
            places *= bipe_regex_filter_share(&p->filter, k);
        p->filters = places < 0.12;
    }
    for (int level = 0; level < BIPE_REGEX_REACH; level++)
        close_reached(&r[level]);
    return status;
}

/* ---- where matches always part ---- */

static bool has_match(const bipe_regex_program *p, const reached *r)
{
    for (size_t k = 0; k < r->count; k++)
        if (p->code[r->at[k]].op == REGEX_MATCH)
            return true;
    return false;
}

/* Goes on through a symbol, to `to`. */
static void pass(const bipe_regex_program *p, const reached *from, reached *to, unsigned symbol)
{
    forget(p, to);
    for (size_t k = 0; k < from->count; k++) {
        const bipe_regex_instruction *i = &p->code[from->at[k]];
        if (i->op == REGEX_SET && bipe_regex_in_set(p, symbol, i->value))
            reach(to, from->at[k] + 1);
    }
}

/* Whether no match goes from symbol x on to y, and nothing changes when the text ends or starts between them. */
static bool parts(const bipe_regex_program *p, reached r[3], unsigned x, unsigned y)
{
    for (size_t c = 0; c < p->conditions; c++) {
        bool holds = bipe_regex_holds(p, &p->condition[c], x, y);
        if (holds != bipe_regex_holds(p, &p->condition[c], x, p->edge) || holds != bipe_regex_holds(p, &p->condition[c], p->edge, y))
            return false;
    }
    forget(p, &r[0]);
    for (unsigned at = 0; at < p->count; at++)
        if (p->code[at].op == REGEX_SET && bipe_regex_in_set(p, x, p->code[at].value))
            reach(&r[0], at + 1);
    follow(p, &r[0], x, y);
    pass(p, &r[0], &r[1], y);
    return r[1].count == 0;
}

/* Whether an attempt matches that starts with symbol y, between `before` (or NONE_HOLDS) and z. */
static bool surely_matches(const bipe_regex_program *p, reached r[3], unsigned before, unsigned y, unsigned z)
{
    forget(p, &r[0]);
    reach(&r[0], 0);
    follow(p, &r[0], before, y);
    pass(p, &r[0], &r[1], y);
    follow(p, &r[1], y, z);
    if (has_match(p, &r[1]))
        return true;
    pass(p, &r[1], &r[2], z);
    follow(p, &r[2], NONE_HOLDS, 0);
    return has_match(p, &r[2]);
}

/* The symbols of ASCII characters, each once; of NULL: all. Returns how many. */
static size_t symbols_of(const bipe_regex_program *p, const char *characters, unsigned symbol[BIPE_REGEX_CLASSES + 2])
{
    size_t count = 0;
    for (unsigned s = 0; s < p->symbols; s++) {
        bool in = characters == NULL;
        for (const char *c = characters; !in && *c != '\0'; c++)
            in = p->characters.ascii[(uint8_t)*c] == s;
        if (in)
            symbol[count++] = s;
    }
    return count;
}

/* Whether what begins with symbol y starts a match that is sure, whatever stands behind it, even if an earlier step has cut the text
 * before or behind it. */
static bool surely_starts(const bipe_regex_program *p, reached r[3], unsigned y, const unsigned *z, size_t zs)
{
    bool starts = surely_matches(p, r, p->edge, y, p->edge);
    for (size_t k = 0; k < zs && starts; k++)
        starts = surely_matches(p, r, p->edge, y, z[k]);
    return starts;
}

int bipe_regex_program_part_pairs(const bipe_regex_program *p, bipe_pattern_pair pair[128][128], bipe_error *err)
{
    unsigned all[BIPE_REGEX_CLASSES + 2];
    uint8_t first[BIPE_REGEX_CLASSES + 2]; /* of ASCII with the symbol, from 1 on */
    bool starts[128] = {false};
    size_t alls = symbols_of(p, NULL, all), symbols = 0;
    reached r[3] = {{0}};
    int status = BIPE_OK;
    for (size_t i = 0; i < 3 && status == BIPE_OK; i++)
        status = open_reached(&r[i], p->count, err);
    memset(first, 0, sizeof first);
    for (unsigned b = 128; b-- > 0;) {
        symbols += first[p->characters.ascii[b]] == 0;
        first[p->characters.ascii[b]] = (uint8_t)(b + 1);
    }
    bool works = status == BIPE_OK && !p->nullable && symbols * (symbols + alls) * p->count < FILTER_WORK;
    for (unsigned y = 0; y < 128 && works; y++) {
        unsigned same = first[p->characters.ascii[y]] - 1U;
        starts[y] = same < y ? starts[same] : surely_starts(p, r, p->characters.ascii[y], all, alls);
    }
    for (unsigned x = 0; x < 128 && works; x++)
        for (unsigned y = 0; y < 128; y++) {
            unsigned a = p->characters.ascii[x], b = p->characters.ascii[y], from = first[a] - 1U, to = first[b] - 1U;
            bool known = from < x || to < y;
            pair[x][y].keeps = known ? pair[from][to].keeps : parts(p, r, a, b);
            /* What is before belongs to a match by itself, or what is behind starts one. */
            pair[x][y].splits = known ? pair[from][to].splits
                                      : pair[x][y].keeps && (starts[y] || (surely_matches(p, r, NONE_HOLDS, a, p->edge) &&
                                                                           surely_matches(p, r, NONE_HOLDS, a, b)));
        }
    for (size_t i = 0; i < 3; i++)
        close_reached(&r[i]);
    return status;
}

int bipe_regex_program_part(const bipe_regex_program *p, const bipe_regex_place *place, bool *keeps, bool *splits, bipe_error *err)
{
    unsigned x[BIPE_REGEX_CLASSES + 2], y[BIPE_REGEX_CLASSES + 2], z[BIPE_REGEX_CLASSES + 2];
    size_t xs = symbols_of(p, place->before, x), ys = symbols_of(p, place->at, y), zs = symbols_of(p, place->behind, z);
    reached r[3] = {{0}};
    int status = BIPE_OK;
    for (size_t i = 0; i < 3 && status == BIPE_OK; i++)
        status = open_reached(&r[i], p->count, err);
    *keeps = status == BIPE_OK && !p->nullable && xs * ys * (zs + 1) * p->count < FILTER_WORK;
    for (size_t i = 0; i < xs && *keeps; i++)
        for (size_t j = 0; j < ys && *keeps; j++)
            *keeps = parts(p, r, x[i], y[j]);
    /* What is before belongs to a match by itself, or what is behind starts one, even if an earlier step has cut the text there. */
    bool before = *keeps, behind = *keeps;
    for (size_t i = 0; i < xs && before; i++) {
        before = surely_matches(p, r, NONE_HOLDS, x[i], p->edge);
        for (size_t j = 0; j < ys && before; j++) {
            before = surely_matches(p, r, NONE_HOLDS, x[i], y[j]);
        }
    }
    for (size_t j = 0; j < ys && behind; j++)
        behind = surely_starts(p, r, y[j], z, zs);
    *splits = before || behind;
    for (size_t i = 0; i < 3; i++)
        close_reached(&r[i]);
    return status;
}
