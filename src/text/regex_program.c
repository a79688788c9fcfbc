/* regex_program.c - builds the program of a pattern, and finds out where its matches can start. */
#include "text/regex_program.h"

#include <string.h>

#include "base/alloc.h"
#include "text/regex_parts.h"

void bipe_regex_program_free(bipe_regex_program *p)
{
    if (p == NULL)
        return;
    for (size_t s = 0; s < p->sets; s++)
        bipe_code_set_free(&p->set[s]);
    bipe_free(p->blocks);
    bipe_free(p->code);
    bipe_free(p);
}

bool bipe_regex_program_is_nullable(const bipe_regex_program *program)
{
    return program->nullable;
}

bool bipe_regex_holds(const bipe_regex_program *p, const bipe_regex_condition *c, unsigned before, unsigned behind)
{
    bool holds = false;
    switch (c->look) {
    case REGEX_AHEAD: holds = (c->any && bipe_regex_in_set(p, behind, c->set)) || (c->edge && behind == p->edge); break;
    case REGEX_BEHIND: holds = (c->any && bipe_regex_in_set(p, before, c->set)) || (c->edge && before == p->edge); break;
    case REGEX_WORD: holds = bipe_regex_in_set(p, before, c->set) != bipe_regex_in_set(p, behind, c->set); break;
    case REGEX_LINE: holds = before == p->edge || (bipe_regex_in_set(p, before, c->set) && behind != p->edge); break;
    }
    return holds != c->negated;
}

/* What the conditions see of a symbol that stands before: a bit for each set that one looks back with, and one for the edge. */
static uint64_t seen_behind(const bipe_regex_program *p, unsigned symbol)
{
    uint64_t sets = 0;
    bool edge = false;
    for (size_t i = 0; i < p->conditions; i++) {
        const bipe_regex_condition *c = &p->condition[i];
        if (c->look == REGEX_AHEAD)
            continue;
        if (c->any)
            sets |= UINT64_C(1) << c->set;
        edge = edge || c->edge || c->look == REGEX_LINE;
    }
    /* The start of the text is in no set: where that is told apart, it is a context of its own. */
    return symbol == p->edge && edge ? UINT64_MAX : p->member[symbol] & sets;
}

static void find_contexts(bipe_regex_program *p)
{
    for (unsigned s = 0; s < p->symbols; s++) {
        uint64_t seen = seen_behind(p, s);
        unsigned c = 0;
        while (c < p->contexts && seen_behind(p, p->sample[c]) != seen)
            c++;
        if (c == p->contexts)
            p->sample[p->contexts++] = s;
        p->context[s] = (uint8_t)c;
    }
}

int bipe_regex_program_build(bipe_regex_program **program, const char *pattern, size_t size, const bipe_regex_options *options,
                             bipe_error *err)
{
    *program = NULL;
    bipe_regex_program *p = bipe_alloc(1, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = bipe_regex_read(p, pattern, size, options, err);
    if (status == BIPE_OK) {
        find_contexts(p);
        status = bipe_regex_find_filter(p, err);
    }
    if (status != BIPE_OK) {
        bipe_regex_program_free(p);
        return status == BIPE_END ? BIPE_OK : status;
    }
    *program = p;
    return BIPE_OK;
}

/* Where jumps lead to. */
static unsigned follow_jumps(const bipe_regex_program *p, unsigned at)
{
    while (p->code[at].op == REGEX_JUMP)
        at = p->code[at].first;
    return at;
}

bool bipe_regex_program_is_set(const bipe_regex_program *p, uint8_t member[256])
{
    uint64_t sets = 0;
    for (unsigned at = 0;;) { /* alternatives of one character each */
        const bipe_regex_instruction *i = &p->code[at];
        const bipe_regex_instruction *one = i->op == REGEX_SPLIT && i->first == at + 1 ? &p->code[at + 1] : i;
        if (one->op != REGEX_SET || p->code[follow_jumps(p, (unsigned)(one - p->code) + 1)].op != REGEX_MATCH)
            return false;
        sets |= UINT64_C(1) << one->value;
        if (one == i)
            break;
        at = i->then;
    }
    for (unsigned c = 0; c < p->classes; c++)
        if ((p->member[c] & sets) != 0 && p->leads[c] != 0)
            return false;
    for (unsigned b = 0; b < 256; b++)
        member[b] = b < 128 && (p->member[p->ascii[b]] & sets) != 0;
    return true;
}

/* ---- where a match can start ---- */

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

/* Follows what needs no character. Conditions hold when no symbols are given (before == symbols); else they are looked at. */
static void follow(const bipe_regex_program *p, reached *r, unsigned before, unsigned behind)
{
    for (size_t k = 0; k < r->count; k++) {
        const bipe_regex_instruction *i = &p->code[r->at[k]];
        if (i->op == REGEX_SPLIT || i->op == REGEX_JUMP)
            reach(r, i->first);
        if (i->op == REGEX_SPLIT)
            reach(r, i->then);
        if (i->op == REGEX_CONDITION && (before == p->symbols || bipe_regex_holds(p, &p->condition[i->value], before, behind)))
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
        if (p->ascii[b] == class)
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
                if (p->context[p->ascii[b]] == context)
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
        follow(p, &r[level], p->symbols, 0);
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
                    if (p->ascii[b] == c)
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

/* How often a byte of a set stands in natural text, about. */
static double share(const bipe_regex_filter *f, unsigned bit)
{
    double sum = 0;
    for (unsigned b = 0; b < 256; b++)
        if ((f->member[b] & bit) != 0)
            sum += b == ' ' ? 0.17 : b == 'e' ? 0.1 : b >= 'a' && b <= 'z' ? 0.026 : b >= 'A' && b <= 'Z' ? 0.0015
                   : b == '\n' ? 0.02 : b >= '0' && b <= '9' ? 0.001 : b == '.' || b == ',' ? 0.01 : 0.0004;
    return sum;
}

int bipe_regex_find_filter(bipe_regex_program *p, bipe_error *err)
{
    reached r[BIPE_REGEX_REACH] = {{0}};
    int status = BIPE_OK;
    for (int level = 0; level < BIPE_REGEX_REACH; level++) {
        r[level].seen = bipe_alloc(p->count, sizeof *r[level].seen);
        r[level].at = bipe_alloc(p->count, sizeof *r[level].at);
        if (r[level].seen == NULL || r[level].at == NULL)
            status = bipe_fail_memory(err);
    }
    if (status == BIPE_OK && p->contexts * p->classes * p->count < FILTER_WORK) {
        find_first(p, &r[0]);
        forget(p, &r[0]);
        reach(&r[0], 0);
        find_later(p, r);
        bipe_regex_filter_prepare(&p->filter);
        double places = 1;
        for (unsigned k = 0; k < BIPE_REGEX_REACH; k++)
            places *= share(&p->filter, 1U << k);
        p->filters = places < 0.12;
    }
    for (int level = 0; level < BIPE_REGEX_REACH; level++) {
        bipe_free(r[level].seen);
        bipe_free(r[level].at);
    }
    return status;
}
