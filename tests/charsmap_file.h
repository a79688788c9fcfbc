/* charsmap_file.h - for tests: writes precompiled character maps as SentencePiece keeps them, and applies their rules
 * the slow way.
 *
 * The double array is filled node by node, each node's children at the first place where all of them are free. */
#ifndef BIPE_TESTS_CHARSMAP_FILE_H
#define BIPE_TESTS_CHARSMAP_FILE_H

#include <stdbool.h>

#include "tests/bytes.h"
#include "tests/check.h"

enum { MAP_RULES = 20, MAP_UNITS = 4096, MAP_TEXT = 24 };

typedef struct map_rule {
    char from[MAP_TEXT], to[MAP_TEXT];
} map_rule;

typedef struct test_map {
    map_rule rule[MAP_RULES]; /* no two from the same string */
    size_t count;
} test_map;

static inline void map_add(test_map *m, const char *from, const char *to)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->rule[i].from, from) == 0)
            return;
    strcpy(m->rule[m->count].from, from);
    strcpy(m->rule[m->count++].to, to);
}

/* The rule with the longest string that the text begins with, or NULL. */
static inline const map_rule *map_longest(const test_map *m, const char *text, size_t size)
{
    const map_rule *best = NULL;
    for (size_t i = 0; i < m->count; i++) {
        size_t n = strlen(m->rule[i].from);
        if (n <= size && memcmp(m->rule[i].from, text, n) == 0 && (best == NULL || n > strlen(best->from)))
            best = &m->rule[i];
    }
    return best;
}

/* Puts the node that all rules with this beginning share at `place`. */
static inline void map_node(const test_map *m, const char *prefix, size_t depth, size_t place, uint32_t *unit,
                            bool *taken, bool *base, const uint32_t *position)
{
    bool label[256] = {false};
    uint32_t value = 0, offset = 1;
    for (size_t i = 0; i < m->count; i++)
        if (strncmp(m->rule[i].from, prefix, depth) == 0) {
            label[(uint8_t)m->rule[i].from[depth]] = true;
            if (m->rule[i].from[depth] == '\0')
                value = position[i];
        }
    for (bool fits = false; !fits; offset += !fits) { /* offset stays far below MAP_UNITS */
        fits = !base[place ^ offset]; /* nobody else's children are looked for from there */
        for (size_t c = 0; c < 256 && fits; c++)
            fits = !label[c] || ((place ^ offset ^ c) < MAP_UNITS && !taken[place ^ offset ^ c]);
    }
    base[place ^ offset] = true;
    for (size_t c = 0; c < 256; c++)
        if (label[c])
            taken[place ^ offset ^ c] = true;
    unit[place] |= offset << 10 | (uint32_t)label[0] << 8;
    if (label[0])
        unit[place ^ offset] = UINT32_C(0x80000000) | value;
    for (size_t c = 1; c < 256; c++) {
        char longer[MAP_TEXT];
        if (!label[c])
            continue;
        memcpy(longer, prefix, depth);
        longer[depth] = (char)c;
        longer[depth + 1] = '\0';
        unit[place ^ offset ^ c] = (uint32_t)c;
        map_node(m, longer, depth + 1, place ^ offset ^ c, unit, taken, base, position);
    }
}

static inline test_bytes map_file(const test_map *m)
{
    static uint32_t unit[MAP_UNITS];
    static bool taken[MAP_UNITS], base[MAP_UNITS];
    uint32_t position[MAP_RULES];
    test_bytes file = {0}, text = {0};
    memset(unit, 0, sizeof unit);
    memset(taken, 0, sizeof taken);
    memset(base, 0, sizeof base);
    for (size_t i = 0; i < m->count; i++) {
        position[i] = (uint32_t)text.size;
        put_bytes(&text, m->rule[i].to, strlen(m->rule[i].to) + 1);
    }
    taken[0] = true;
    map_node(m, "", 0, 0, unit, taken, base, position);
    size_t units = MAP_UNITS;
    while (units > 1 && !taken[units - 1])
        units--;
    for (size_t i = 1; i < units; i++)
        if (!taken[i])
            unit[i] = UINT32_C(0x80000000); /* nobody's child */
    put_number(&file, 4 * units, 4);
    for (size_t i = 0; i < units; i++)
        put_number(&file, unit[i], 4);
    put_bytes(&file, text.data, text.size);
    free(text.data);
    return file;
}

/* As a tokenizer.json has it. */
static inline void put_base64(test_bytes *to, const test_bytes *from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < from->size; i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (i + k < from->size ? from->data[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            put_bytes(to, i + k > from->size ? "=" : &digits[group >> (18 - 6 * k) & 63], 1);
    }
}

#endif
