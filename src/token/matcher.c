/* matcher.c - longest matches of fixed strings in a row of characters. */
#include "token/matcher.h"

#include "base/alloc.h"
#include "text/utf8.h"

static int new_node(bipe_matcher *m)
{
    if (bipe_grow(&m->value, &m->value_capacity, m->nodes + 1, sizeof *m->value) != 0)
        return -1;
    m->value[m->nodes++] = BIPE_MATCH_NONE;
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
    *m = (bipe_matcher){0};
}

/* The length of the longest string that character[0 .. count) begins with, or 0. */
static size_t find_longest(const bipe_matcher *m, const bipe_character *character, size_t count, uint32_t *value)
{
    size_t length = 0;
    uint32_t node = 0;
    for (size_t i = 0; i < count; i++) {
        const bipe_pair_entry *edge = bipe_pair_table_find(&m->edge, node, character[i].code);
        if (edge == NULL)
            break;
        node = edge->a;
        if (m->value[node] != BIPE_MATCH_NONE) {
            length = i + 1;
            *value = m->value[node];
        }
    }
    return length;
}

bool bipe_matcher_find(const bipe_matcher *m, const bipe_character *character, size_t count, size_t from, size_t *start, size_t *end,
                       uint32_t *value)
{
    for (size_t n; m->nodes != 0 && from < count; from += n != 0 ? n : 1) {
        n = find_longest(m, character + from, count - from, value);
        if (n == 0 || *value == BIPE_MATCH_TEXT)
            continue;
        *start = from;
        *end = from + n;
        return true;
    }
    return false;
}

int bipe_characters_grow(bipe_characters *c, bipe_error *err)
{
    if (c->count >= BIPE_CHARACTERS_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a text that cannot be divided becomes more than %d characters", BIPE_CHARACTERS_LIMIT);
    return bipe_grow(&c->character, &c->capacity, c->count + 1, sizeof *c->character) == 0 ? BIPE_OK : bipe_fail_memory(err);
}
