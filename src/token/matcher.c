/* matcher.c - longest matches of fixed strings in a stream of characters. */
#include "token/matcher.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

static int new_node(bipe_matcher *m)
{
    if (bipe_grow(&m->value, &m->value_capacity, m->nodes + 1, sizeof *m->value) != 0 ||
        bipe_grow(&m->leaf, &m->leaf_capacity, m->nodes + 1, sizeof *m->leaf) != 0)
        return -1;
    m->value[m->nodes] = BIPE_MATCH_NONE;
    m->leaf[m->nodes++] = true;
    return 0;
}

int bipe_matcher_add(bipe_matcher *m, const uint8_t *text, size_t size, uint32_t value, bipe_error *err)
{
    if (m->nodes == 0 && new_node(m) != 0)
        return bipe_fail_memory(err);
    uint32_t node = 0;
    size_t length = 0;
    for (size_t i = 0; i < size; length++) {
        int32_t code;
        if (length == BIPE_MATCH_LENGTH)
            return bipe_fail(err, BIPE_ERR_LIMIT, "a token that is looked for in text has more than %d characters", BIPE_MATCH_LENGTH);
        size_t n = bipe_utf8_decode(text + i, size - i, &code);
        if (n == 0 || code < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "a token is not UTF-8");
        i += n;
        const bipe_pair_entry *edge = bipe_pair_table_find(&m->edge, node, (uint32_t)code);
        if (edge != NULL) {
            node = edge->a;
            continue;
        }
        uint32_t child = (uint32_t)m->nodes;
        if (new_node(m) != 0 || bipe_pair_table_set(&m->edge, node, (uint32_t)code, child, 0) != 0)
            return bipe_fail_memory(err);
        m->leaf[node] = false;
        node = child;
    }
    if (m->value[node] == BIPE_MATCH_NONE)
        m->value[node] = value;
    return BIPE_OK;
}

void bipe_matcher_free(bipe_matcher *m)
{
    bipe_pair_table_free(&m->edge);
    bipe_free(m->value);
    bipe_free(m->leaf);
    *m = (bipe_matcher){0};
}

bool bipe_matcher_touches(const bipe_matcher *m, const uint32_t *code, size_t count)
{
    for (size_t from = 0; m->nodes != 0 && from < count; from++) {
        const bipe_pair_entry *edge = NULL;
        uint32_t node = 0;
        for (size_t i = from; i < count && (edge = bipe_pair_table_find(&m->edge, node, code[i])) != NULL; i++) {
            node = edge->a;
            if (m->value[node] != BIPE_MATCH_NONE)
                return true;
        }
        if (edge != NULL)
            return true;
    }
    return false;
}

int bipe_matching_push(bipe_matching *s, bipe_unit unit, bipe_error *err)
{
    if (s->head == s->tail) {
        s->head = s->tail = 0;
    } else if (s->tail == s->capacity && s->head > s->tail / 2) {
        memmove(s->unit, s->unit + s->head, (s->tail - s->head) * sizeof *s->unit);
        s->tail -= s->head;
        s->head = 0;
    }
    if (bipe_grow(&s->unit, &s->capacity, s->tail + 1, sizeof *s->unit) != 0)
        return bipe_fail_memory(err);
    s->unit[s->tail++] = unit;
    return BIPE_OK;
}

bool bipe_matching_next(bipe_matching *s, const bipe_matcher *m, bool last, bipe_unit *unit, uint32_t *value)
{
    *value = BIPE_MATCH_NONE;
    while (s->plain == 0) {
        while (s->scanned < s->tail - s->head && !m->leaf[s->node]) {
            const bipe_pair_entry *edge = bipe_pair_table_find(&m->edge, s->node, s->unit[s->head + s->scanned].code);
            if (edge == NULL)
                break;
            s->node = edge->a;
            s->scanned++;
            if (m->value[s->node] != BIPE_MATCH_NONE) {
                s->best = s->scanned;
                s->best_value = m->value[s->node];
            }
        }
        if (s->head == s->tail || (s->scanned == s->tail - s->head && !m->leaf[s->node] && !last))
            return false;
        size_t best = s->best;
        s->scanned = s->best = s->node = 0;
        if (best == 0) {
            s->plain = 1;
        } else if (s->best_value == BIPE_MATCH_TEXT) {
            s->plain = best;
        } else {
            *value = s->best_value;
            *unit = (bipe_unit){0};
            for (; best != 0; best--)
                unit->size += s->unit[s->head++].size;
            return true;
        }
    }
    s->plain--;
    *unit = s->unit[s->head++];
    return true;
}

void bipe_matching_clear(bipe_matching *s)
{
    s->head = s->tail = s->scanned = s->best = s->plain = 0;
    s->node = 0;
}

void bipe_matching_free(bipe_matching *s)
{
    bipe_free(s->unit);
    *s = (bipe_matching){0};
}
