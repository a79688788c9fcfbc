/* pipeline_units.c - see pipeline_units.h. */
#include "token/pipeline/pipeline_units.h"

#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "token/hf_unicode.h"
#include "token/pipeline/pipeline.h"

/* ---- what steps ask for ---- */

void bipe_pairs_become(bipe_pairs *p, uint32_t to(const void *context, uint32_t code), const void *context)
{
    for (unsigned b = 0; b < BIPE_PAIRS; b++)
        if (p->to[b] != BIPE_PAIR_ODD)
            p->to[b] = to(context, p->to[b]);
}

void bipe_pairs_forbid(bipe_pairs *p, bool forbidden(const void *context, uint32_t x, uint32_t y), const void *context)
{
    for (unsigned x = 0; x < BIPE_PAIRS; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            p->keeps[x][y] = p->keeps[x][y] && !forbidden(context, p->to[x], p->to[y]);
}

void bipe_pairs_pattern(bipe_pairs *p, const struct bipe_pattern *pattern)
{
    bipe_pattern_pair (*pair)[BIPE_PAIRS] = bipe_alloc(BIPE_PAIRS, sizeof *pair);
    if (pair != NULL)
        bipe_pattern_find_pairs(pattern, pair);
    for (unsigned x = 0; pair != NULL && x < BIPE_PAIRS; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            if (p->to[x] < BIPE_PAIRS && p->to[y] < BIPE_PAIRS) {
                p->mine[x][y] = pair[p->to[x]][p->to[y]].keeps;
                p->parts[x][y] = pair[p->to[x]][p->to[y]].splits;
            }
    bipe_free(pair);
}

/* ---- steps ---- */

static void ask_normalizers(const bipe_pipeline *p, bipe_pairs *pairs)
{
    for (size_t i = 0; i < p->normalizers; i++) {
        const bipe_normalizer_step *step = &p->normalizer[i];
        if (step->type->pairs == NULL)
            memset(pairs->keeps, 0, sizeof pairs->keeps);
        else
            step->type->pairs(step->config, pairs);
    }
    for (unsigned x = 0; x < BIPE_PAIRS; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            pairs->keeps[x][y] = pairs->keeps[x][y] && pairs->to[x] != BIPE_PAIR_ODD && pairs->to[y] != BIPE_PAIR_ODD;
}

/* What a step tells of characters, told of pairs. */
static void ask_classes(const bipe_pretokenizer_step *step, bipe_pairs *pairs)
{
    const bipe_pair_class lost = {.lost_before = true, .lost_behind = true};
    bipe_pair_class class[BIPE_PAIRS];
    for (unsigned b = 0; b < BIPE_PAIRS; b++)
        class[b] = pairs->to[b] != BIPE_PAIR_ODD ? step->type->class_of(step->config, &pairs->to[b], pairs->gone) : lost;
    for (unsigned x = 0; x < BIPE_PAIRS; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            pairs->mine[x][y] = bipe_pair_class_keeps(class[x], class[y]);
            pairs->parts[x][y] = bipe_pair_class_parts(class[x], class[y]);
        }
}

static void ask_pretokenizers(const bipe_pipeline *p, bipe_pairs *pairs)
{
    for (size_t i = 0; i < p->pretokenizers; i++) {
        const bipe_pretokenizer_step *step = &p->pretokenizer[i];
        memset(pairs->mine, 0, sizeof pairs->mine);
        memset(pairs->parts, 0, sizeof pairs->parts);
        if (step->type->class_of != NULL)
            ask_classes(step, pairs);
        if (step->type->pairs != NULL)
            step->type->pairs(step->config, pairs);
        pairs->gone = pairs->gone || step->type->gone;
        for (unsigned x = 0; x < BIPE_PAIRS; x++)
            for (unsigned y = 0; y < BIPE_PAIRS; y++) {
                /* What is split already a step sees in halves anyway. */
                bool halves = step->type->rewrite == NULL && pairs->splits[x][y];
                pairs->keeps[x][y] = pairs->keeps[x][y] && (pairs->mine[x][y] || halves);
                pairs->splits[x][y] = pairs->splits[x][y] || (pairs->mine[x][y] && pairs->parts[x][y]);
            }
    }
}

/* ---- added tokens ---- */

static int find_strings(bipe_unit_strings *s, const bipe_added_set *set, bipe_error *err)
{
    uint8_t *byte = bipe_alloc(set->nodes + 1, 1); /* that leads to a node */
    if (byte == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; set->edge.count != 0 && i <= set->edge.mask; i++)
        if (set->edge.entry[i].key != BIPE_PAIR_EMPTY) {
            byte[set->edge.entry[i].a] = (uint8_t)set->edge.entry[i].key;
            s->byte[(uint8_t)set->edge.entry[i].key] = true;
        }
    for (size_t i = 0; set->edge.count != 0 && i <= set->edge.mask; i++) {
        uint64_t key = set->edge.entry[i].key;
        if (key != BIPE_PAIR_EMPTY && key >> 32 != 0)
            s->within[byte[key >> 32]][(uint8_t)key >> 6] |= UINT64_C(1) << (key & 63);
    }
    for (size_t n = 0; n < set->nodes; n++)
        s->last[byte[n]] = s->last[byte[n]] || set->value[n] != 0;
    memcpy(s->first, set->lead, sizeof s->first);
    for (size_t i = 0; i < set->count; i++) {
        s->strips = s->strips || set->added[i].left || set->added[i].right;
        s->word = s->word || set->added[i].word;
    }
    bipe_free(byte);
    return BIPE_OK;
}

/* No place within a string that is looked for in text whose bytes have become to[], nor beside one where that matters. */
static void forbid_added(bipe_pairs *pairs, const bipe_unit_strings *s, bool normalized)
{
    for (unsigned x = 0; x < BIPE_PAIRS; x++)
        for (unsigned y = 0; y < BIPE_PAIRS; y++) {
            uint32_t a = normalized ? pairs->to[x] : x, b = normalized ? pairs->to[y] : y;
            bool known = a < BIPE_PAIRS && b < BIPE_PAIRS, white = bipe_hf_is_space(a), next = bipe_hf_is_space(b);
            pairs->keeps[x][y] = pairs->keeps[x][y] && known && !bipe_unit_strings_has(s, (uint8_t)a, (uint8_t)b) &&
                                 !(s->strips && ((white && next) || (white && s->first[b]) || (next && s->last[a]))) &&
                                 !(s->word && (s->last[a] || s->first[b]));
        }
}

/* ---- the whole ---- */

static void begin(bipe_pairs *pairs)
{
    for (unsigned b = 0; b < BIPE_PAIRS; b++)
        pairs->to[b] = b;
    memset(pairs->keeps, true, sizeof pairs->keeps);
    memset(pairs->behind, true, sizeof pairs->behind);
}

/* Where white space is left out it goes to the front of the unit behind it. */
static bool set_borders(const bipe_pairs *pairs, bipe_cut_borders *units, bool *gaps)
{
    bool any = false;
    units->looks = true;
    *gaps = pairs->gone || pairs->gaps;
    for (unsigned x = 0; x < BIPE_PAIRS; x++) {
        units->behind[x] = pairs->behind[x];
        for (unsigned y = 0; y < BIPE_PAIRS; y++)
            if (pairs->keeps[x][y] && pairs->splits[x][y] && !(pairs->gone && bipe_hf_is_space(x))) {
                units->row[x][y >> 6] |= UINT64_C(1) << (y & 63);
                any = true;
            }
    }
    return any;
}

int bipe_pipeline_find_units(bipe_pipeline *p, bipe_error *err)
{
    if (p->rule != NULL || bipe_added_strips(&p->raw))
        return BIPE_OK; /* pre-tokens are found as fast; or text may wait for what is behind it */
    bipe_pairs *pairs = bipe_alloc(1, sizeof *pairs);
    p->units = bipe_alloc(1, sizeof *p->units);
    p->unit_strings = bipe_alloc(2, sizeof *p->unit_strings);
    bool any = false;
    int status = pairs != NULL && p->units != NULL && p->unit_strings != NULL ? BIPE_OK : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = find_strings(&p->unit_strings[0], &p->raw, err);
    if (status == BIPE_OK)
        status = find_strings(&p->unit_strings[1], &p->inside, err);
    if (status == BIPE_OK) {
        begin(pairs);
        forbid_added(pairs, &p->unit_strings[0], false);
        ask_normalizers(p, pairs);
        if (p->inside.count != 0)
            forbid_added(pairs, &p->unit_strings[1], true);
        ask_pretokenizers(p, pairs);
        any = set_borders(pairs, p->units, &p->gaps);
    }
    if (!any) {
        bipe_free(p->units);
        bipe_free(p->unit_strings);
        p->units = NULL;
        p->unit_strings = NULL;
    }
    bipe_free(pairs);
    return status;
}
