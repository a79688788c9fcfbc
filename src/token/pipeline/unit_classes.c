/* unit_classes.c - see unit_classes.h. */
#include "token/pipeline/unit_classes.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/pipeline.h"

enum { STEPS = 8 /* pre-tokenizers, at most */, CLASSES = 256 };

/* What is told of the characters of a class. */
typedef struct bipe_unit_traits {
    bool white;       /* it is left out: behind it no unit begins */
    bool gone;        /* that, or it is left out elsewhere */
    bool odd, loose;  /* nothing is known; or nothing but that what is behind it does not depend on it */
    bool before, behind; /* normalizers and added tokens allow a place before (behind) it, beside other characters than those of ASCII */
    bipe_pair_class first[STEPS], last[STEPS]; /* of what it becomes, for each pre-tokenizer */
} traits;

bool bipe_unit_classes_may(const bipe_pipeline *p)
{
    bool may = p->pretokenizers != 0 && p->pretokenizers <= STEPS;
    for (size_t i = 0; i < p->normalizers; i++)
        may = may && p->normalizer[i].type->character != NULL;
    for (size_t i = 0; i < p->pretokenizers; i++)
        may = may && (p->pretokenizer[i].type->class_of != NULL || p->pretokenizer[i].type->rewrite == NULL);
    return may;
}

/* ---- one character ---- */

/* Whether bytes of a character, two at least, may stand side by side in a string that is looked for. */
static bool is_looked_for(const bipe_unit_strings *s, const uint8_t *bytes, size_t size)
{
    bool may = true;
    for (size_t i = 1; i < size; i++)
        may = may && bipe_unit_strings_has(s, bytes[i - 1], bytes[i]);
    return may;
}

/* The same for one that stands in normalized text, where ASCII may have come from elsewhere. */
static bool is_found(const bipe_unit_strings *s, uint32_t code)
{
    uint8_t bytes[4];
    size_t size = bipe_utf8_encode((int32_t)code, bytes);
    return (size == 1 ? s->byte[bytes[0]] : is_looked_for(s, bytes, size)) || (s->strips && bipe_hf_is_space(code));
}

typedef enum fate { ODD, LOOSE, TOLD } fate;

/* Puts what a step makes of characters in their place. What goes leaves its neighbours side by side. */
static fate replace(const bipe_normalizer_step *step, uint32_t *code, size_t *count)
{
    uint32_t to[BIPE_UNIT_CODES + BIPE_UNIT_CODES];
    size_t n = 0;
    for (size_t i = 0; i < *count; i++) {
        size_t more = step->type->character(step->config, code[i], to + n);
        if (more > BIPE_UNIT_CODES - n)
            return more == BIPE_UNIT_LOOSE ? LOOSE : ODD;
        n += more;
    }
    memcpy(code, to, n * sizeof *code);
    *count = n;
    return n != 0 ? TOLD : LOOSE;
}

/* Whether a step takes the character away. */
static bool goes(const bipe_pipeline *p, uint32_t code)
{
    uint32_t to[BIPE_UNIT_CODES];
    bool gone = false;
    for (size_t i = 0; i < p->normalizers; i++)
        gone = gone || p->normalizer[i].type->character(p->normalizer[i].config, code, to) == 0;
    return gone;
}

/* Whether a place behind a character may be told by what stands behind it alone, whatever becomes of the character. */
static bool may_be_loose(const bipe_pipeline *p)
{
    bool may = p->inside.count == 0;
    for (size_t i = 0; i < p->normalizers; i++)
        may = may && !(p->normalizer[i].type->joins != NULL && p->normalizer[i].type->joins(p->normalizer[i].config, ' ', ' '));
    return may;
}

/* What normalizers make of the character. */
static fate normalize(const bipe_pipeline *p, uint32_t *code, size_t *count, traits *t)
{
    bool ascii = code[0] < BIPE_PAIRS;
    for (size_t i = 0; i < p->normalizers; i++) {
        const bipe_normalizer_step *step = &p->normalizer[i];
        for (size_t k = 0; step->type->joins != NULL && k < *count; k++) {
            bool joins = step->type->joins(step->config, code[k], code[k]) || step->type->joins(step->config, code[k], BIPE_PAIR_OTHER) ||
                         step->type->joins(step->config, BIPE_PAIR_OTHER, code[k]);
            if (joins && !(ascii && *count == 1))
                return ODD;
            t->behind = t->behind && !step->type->joins(step->config, code[k], BIPE_PAIR_OTHER);
            t->before = t->before && !step->type->joins(step->config, BIPE_PAIR_OTHER, code[k]);
        }
        fate f = replace(step, code, count);
        if (f != TOLD)
            return f == LOOSE && !ascii && may_be_loose(p) ? LOOSE : ODD;
    }
    return TOLD;
}

static traits odd(bool gone)
{
    traits t;
    memset(&t, 0, sizeof t);
    t.odd = true;
    t.gone = gone;
    return t;
}

/* What steps tell of a character one after the other. */
static void find_traits(const bipe_unit_classes *u, uint32_t code, traits *t)
{
    const bipe_pipeline *p = u->pipeline;
    const bipe_unit_strings *raw = &p->unit_strings[0], *inside = &p->unit_strings[1];
    uint32_t list[BIPE_UNIT_CODES] = {code};
    uint8_t bytes[4];
    size_t count = 1, size = bipe_utf8_encode((int32_t)code, bytes);
    bool ascii = code < BIPE_PAIRS, gone = false;
    memset(t, 0, sizeof *t);
    t->before = !(ascii && raw->word && raw->first[code]);
    t->behind = !(ascii && raw->word && raw->last[code]);
    t->white = u->gone && bipe_hf_is_space(code);
    fate f = !ascii && is_looked_for(raw, bytes, size) ? ODD : normalize(p, list, &count, t);
    t->gone = (p->gaps && t->white) || (u->marks && (bipe_hf_is_nonspacing(code) || goes(p, code)));
    bool found = false;
    for (size_t k = 0; p->inside.count != 0 && k < count; k++)
        found = found || (!(ascii && count == 1 && list[0] < BIPE_PAIRS) && is_found(inside, list[k]));
    if (f == ODD || found) {
        *t = odd(t->gone);
        return;
    }
    if (f == LOOSE) {
        t->loose = true;
        t->before = false;
        list[0] = code;
        count = 1;
    }
    if (p->inside.count != 0 && inside->word && list[0] < BIPE_PAIRS) {
        t->before = t->before && !inside->first[list[0]];
        t->behind = t->behind && !inside->last[list[0]];
    }
    uint32_t first = list[0], last = list[count - 1];
    bool known = true;
    for (size_t i = 0; i < p->pretokenizers; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        const bipe_pair_class lost = {.lost_before = true, .lost_behind = true};
        bool tells = known && step->type->class_of != NULL;
        t->first[i] = tells ? step->type->class_of(step->config, &first, gone) : lost;
        t->last[i] = tells ? step->type->class_of(step->config, &last, gone) : lost;
        if (f == LOOSE)
            t->first[i] = lost;
        if (f == LOOSE && tells)
            t->last[i] = (bipe_pair_class){.class = BIPE_PAIR_ANY, .lost_behind = t->last[i].lost_behind};
        known = tells || (known && step->type->rewrite == NULL);
        gone = gone || step->type->gone;
    }
}

/* ---- two classes ---- */

static bool is_border(const bipe_unit_classes *u, const traits *x, const traits *y)
{
    const bipe_pipeline *p = u->pipeline;
    bool keeps = x->behind && y->before && !x->white, splits = false;
    for (size_t i = 0; keeps && i < p->pretokenizers; i++) {
        bool mine = bipe_pair_class_keeps(x->last[i], y->first[i]), halves = p->pretokenizer[i].type->rewrite == NULL && splits;
        keeps = mine || halves;
        splits = splits || (mine && bipe_pair_class_parts(x->last[i], y->first[i]));
    }
    return keeps && splits;
}

static void set_border(bipe_unit_classes *u, size_t x, size_t y)
{
    if (is_border(u, &u->traits[x], &u->traits[y]))
        u->borders.row[x][y >> 6] |= UINT64_C(1) << (y & 63);
}

/* The class of a character that has these traits, which is made if there is none. */
static uint8_t class_of(bipe_unit_classes *u, const traits *t)
{
    size_t n = BIPE_CUT_ODD;
    while (n < u->count && memcmp(&u->traits[n], t, sizeof *t) != 0)
        n++;
    if (n < u->count)
        return (uint8_t)n;
    if (n == CLASSES || bipe_grow(&u->traits, &u->capacity, n + 1, sizeof *u->traits) != 0)
        return BIPE_CUT_ODD;
    u->traits[n] = *t;
    u->count = n + 1;
    u->classes.gone[n] = t->gone;
    u->classes.loose[n] = t->loose;
    u->classes.solid[n] = !t->odd;
    u->borders.behind[n] = t->behind && !t->loose;
    for (size_t k = 0; k < n; k++) {
        set_border(u, k, n);
        set_border(u, n, k);
    }
    set_border(u, n, n);
    return (uint8_t)n;
}

static uint8_t ask(void *context, uint32_t code)
{
    traits t;
    find_traits(context, code, &t);
    return class_of(context, &t);
}

/* ---- the object ---- */

bipe_unit_classes *bipe_unit_classes_open(const bipe_pipeline *p)
{
    bipe_unit_classes *u = bipe_alloc(1, sizeof *u);
    if (u == NULL || bipe_grow(&u->traits, &u->capacity, CLASSES, sizeof *u->traits) != 0) {
        bipe_free(u);
        return NULL;
    }
    u->pipeline = p;
    u->borders = *p->units;
    u->classes.ask = ask;
    u->classes.context = u;
    u->count = BIPE_CUT_ODD + 1;
    for (size_t i = 0; i < p->pretokenizers; i++)
        u->gone = u->gone || p->pretokenizer[i].type->gone;
    u->marks = goes(p, 0x0947); /* one that nothing changes places with */
    /* Characters that are left out begin with these. */
    for (unsigned b = 0; b < 256; b++)
        u->classes.gap[b] = b < 0x80 ? p->gaps && bipe_hf_is_space(b) : u->marks || (p->gaps && (b == 0xC2 || (b > 0xE0 && b < 0xE4))) ? 2 : 0;
    memset(u->traits, 0, u->count * sizeof *u->traits);
    for (uint32_t c = 0; c < BIPE_PAIRS; c++)
        find_traits(u, c, &u->traits[c]);
    for (uint32_t c = 0; c < BIPE_PAIRS; c++)
        u->classes.solid[c] = !u->traits[c].odd;
    u->traits[BIPE_CUT_ODD] = odd(false);
    return u;
}

void bipe_unit_classes_close(bipe_unit_classes *u)
{
    if (u == NULL)
        return;
    bipe_cut_classes_free(&u->classes);
    bipe_free(u->traits);
    bipe_free(u);
}
