/* character_map.c - precompiled character maps: read, looked up and walked with every index checked. */
#include "token/spm/character_map.h"

#include <string.h>

#include "base/alloc.h"

/* A unit of the double array: its label in the low byte (units that hold a value have bit 31 set and never match),
 * whether a string ends at it in bit 8, the way to its children above that, in steps of 256 when bit 9 is set. */
static uint32_t label_of(uint32_t unit)
{
    return unit & UINT32_C(0x800000FF);
}

static bool has_value(uint32_t unit)
{
    return (unit >> 8 & 1) != 0;
}

static uint32_t offset_of(uint32_t unit)
{
    return unit >> 10 << ((unit >> 9 & 1) * 8);
}

int bipe_character_map_read(bipe_character_map *map, const void *blob, size_t size, bipe_error *err)
{
    const uint8_t *bytes = blob;
    if (size < 4)
        return bipe_fail(err, BIPE_ERR_FORMAT, "character map: %zu bytes, expected at least 4", size);
    uint32_t trie = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (trie > size - 4 || trie % 4 != 0 || trie == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "character map: a trie of %lu bytes, expected a multiple of 4 up to %zu",
                         (unsigned long)trie, size - 4);
    bipe_character_map read = {.size = size, .units = trie / 4, .text_size = size - 4 - trie};
    read.blob = bipe_alloc(size, 1);
    read.unit = bipe_alloc(read.units, sizeof *read.unit);
    if (read.blob == NULL || read.unit == NULL) {
        bipe_character_map_free(&read);
        return bipe_fail_memory(err);
    }
    memcpy(read.blob, blob, size);
    read.text = read.blob + 4 + trie;
    for (size_t i = 0; i < read.units; i++) {
        const uint8_t *u = bytes + 4 + 4 * i;
        read.unit[i] = u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
    }
    uint32_t root = offset_of(read.unit[0]);
    for (uint32_t b = 0; b < 256; b++)
        read.begins[b] = (root ^ b) < read.units && label_of(read.unit[root ^ b]) == b;
    bipe_character_map_free(map);
    *map = read;
    return BIPE_OK;
}

void bipe_character_map_free(bipe_character_map *map)
{
    bipe_free(map->blob);
    bipe_free(map->unit);
    *map = (bipe_character_map){0};
}

/* Where a walk down the trie is. */
typedef struct walk {
    uint32_t position; /* the children of the unit reached stand at position ^ byte, its value at position */
    size_t length;
} walk;

static bool walk_byte(const bipe_character_map *map, walk *w, uint8_t byte, bool *value)
{
    uint32_t child = w->position ^ byte;
    if (child >= map->units || label_of(map->unit[child]) != byte)
        return false;
    w->position = child ^ offset_of(map->unit[child]);
    w->length++;
    *value = has_value(map->unit[child]) && w->position < map->units;
    return true;
}

/* The string that ends where w is. A value that lies outside is no string. */
static void set_match(const bipe_character_map *map, const walk *w, bipe_character_map_match *match)
{
    size_t at = map->unit[w->position] & UINT32_C(0x7FFFFFFF);
    if (at >= map->text_size)
        return;
    const uint8_t *end = memchr(map->text + at, '\0', map->text_size - at);
    match->length = w->length;
    match->replacement = map->text + at;
    match->size = end != NULL ? (size_t)(end - match->replacement) : map->text_size - at;
}

int bipe_character_map_longest(const bipe_character_map *map, const uint8_t *bytes, size_t size,
                               bipe_character_map_match *match, bipe_error *err)
{
    *match = (bipe_character_map_match){0};
    if (map->units == 0 || size == 0 || !map->begins[bytes[0]])
        return BIPE_OK;
    walk w = {.position = offset_of(map->unit[0])}, found = {0};
    int results = 0;
    bool value;
    while (w.length < size && walk_byte(map, &w, bytes[w.length], &value)) {
        if (value && results++ < BIPE_CHARACTER_MAP_RESULTS)
            found = w;
        if (w.length == BIPE_CHARACTER_MAP_KEY)
            return bipe_fail(err, BIPE_ERR_LIMIT, "character map: a string of more than %d bytes",
                             BIPE_CHARACTER_MAP_KEY);
    }
    if (found.length != 0)
        set_match(map, &found, match);
    return BIPE_OK;
}

void bipe_character_map_shortest(const bipe_character_map *map, const uint8_t *bytes, size_t size,
                                 bipe_character_map_match *match)
{
    *match = (bipe_character_map_match){0};
    if (map->units == 0)
        return;
    walk w = {.position = offset_of(map->unit[0])};
    bool value = false;
    while (w.length < size && w.length < BIPE_CHARACTER_MAP_KEY && walk_byte(map, &w, bytes[w.length], &value) &&
           !value)
        ;
    if (value)
        set_match(map, &w, match);
}

/* The walk down to a character: false when no string begins with it. */
static bool walk_to(const bipe_character_map *map, const uint8_t *character, size_t size, walk *w, bool *value)
{
    *w = (walk){0};
    if (map->units == 0 || !map->begins[character[0]])
        return false;
    w->position = offset_of(map->unit[0]);
    while (w->length < size)
        if (!walk_byte(map, w, character[w->length], value))
            return false;
    return true;
}

bool bipe_character_map_has(const bipe_character_map *map, const uint8_t *bytes, size_t size)
{
    walk w;
    bool value;
    return walk_to(map, bytes, size, &w, &value);
}

int bipe_character_map_strings(const bipe_character_map *map, const uint8_t *bytes, size_t size, size_t longest,
                               bipe_character_map_found *found, void *context, bipe_error *err)
{
    enum { DEEP = 8, STEPS = 1 << 16 };
    walk path[DEEP + 1];
    unsigned next[DEEP + 1], steps = 0;
    bool value;
    size_t depth = 0;
    if (longest > DEEP || size > longest || !walk_to(map, bytes, size, &path[0], &value))
        return longest > DEEP ? bipe_fail(err, BIPE_ERR_LIMIT, "character map: strings of %zu bytes", longest)
                              : BIPE_OK;
    next[0] = 0;
    for (bool fresh = true;;) {
        if (fresh && value) {
            bipe_character_map_match match = {0};
            set_match(map, &path[depth], &match);
            int status = match.length != 0 ? found(context, &match, err) : BIPE_OK;
            if (status != BIPE_OK)
                return status;
            next[depth] = match.length != 0 ? 256 : next[depth];
        }
        fresh = false;
        if (path[depth].length == longest || next[depth] == 256) {
            if (depth-- == 0)
                return BIPE_OK;
            continue;
        }
        if (steps++ == STEPS)
            return bipe_fail(err, BIPE_ERR_LIMIT, "character map: too many strings");
        path[depth + 1] = path[depth];
        if (walk_byte(map, &path[depth + 1], (uint8_t)next[depth]++, &value)) {
            next[++depth] = 0;
            fresh = true;
        }
    }
}

/* ---- all strings ---- */

#define NO_UNIT UINT32_MAX

/* The units whose label leads from a position to them, and a stack of those that are to be visited. */
typedef struct tree {
    uint32_t *first, *next; /* (units + 256), (units): lists of the children of a position */
    uint32_t *stack;        /* (steps) */
    uint16_t *seen;         /* (units) the last first byte + 1 with which a unit was visited: byte 0 may lead back to
                               the same unit */
    size_t depth, steps;
} tree;

static int visit_children(const bipe_character_map *map, tree *t, uint32_t position, uint8_t first, int before,
                          bipe_character_map_visit *visit, void *context, bipe_error *err)
{
    int status = BIPE_OK;
    uint32_t c = position < map->units + 256 ? t->first[position] : NO_UNIT;
    for (; status == BIPE_OK && c != NO_UNIT; c = t->next[c]) {
        uint8_t byte = (uint8_t)map->unit[c];
        if (before < 0 && byte != first)
            continue;
        if (t->steps-- == 0)
            return bipe_fail(err, BIPE_ERR_LIMIT, "character map: its trie is no tree");
        walk w = {.position = c ^ offset_of(map->unit[c]), .length = 1};
        bipe_character_map_match match = {0};
        if (has_value(map->unit[c]) && w.position < map->units)
            set_match(map, &w, &match);
        status = visit(context, first, before, byte, match.length != 0 ? &match : NULL, err);
        if (t->seen[c] != first + 1) {
            t->seen[c] = (uint16_t)(first + 1);
            t->stack[t->depth++] = c;
        }
    }
    return status;
}

static int visit_tree(const bipe_character_map *map, tree *t, bipe_character_map_visit *visit, void *context,
                      bipe_error *err)
{
    memset(t->first, 0xFF, (map->units + 256) * sizeof *t->first);
    for (uint32_t c = 0; c < map->units; c++)
        if (label_of(map->unit[c]) < 256) {
            uint32_t position = c ^ label_of(map->unit[c]);
            t->next[c] = t->first[position];
            t->first[position] = c;
        }
    int status = BIPE_OK;
    for (unsigned first = 0; status == BIPE_OK && first < 256; first++) {
        status = visit_children(map, t, offset_of(map->unit[0]), (uint8_t)first, -1, visit, context, err);
        while (status == BIPE_OK && t->depth != 0) {
            uint32_t c = t->stack[--t->depth];
            status = visit_children(map, t, c ^ offset_of(map->unit[c]), (uint8_t)first, (int)(map->unit[c] & 0xFF),
                                    visit, context, err);
        }
    }
    return status;
}

int bipe_character_map_walk(const bipe_character_map *map, bipe_character_map_visit *visit, void *context,
                            bipe_error *err)
{
    if (map->units == 0)
        return BIPE_OK;
    tree t = {.steps = 2 * map->units};
    t.first = bipe_realloc(NULL, map->units + 256, sizeof *t.first);
    t.next = bipe_realloc(NULL, map->units, sizeof *t.next);
    t.stack = bipe_realloc(NULL, t.steps, sizeof *t.stack);
    t.seen = bipe_alloc(map->units, sizeof *t.seen);
    int status = t.first != NULL && t.next != NULL && t.stack != NULL && t.seen != NULL
                     ? visit_tree(map, &t, visit, context, err)
                     : bipe_fail_memory(err);
    bipe_free(t.first);
    bipe_free(t.next);
    bipe_free(t.stack);
    bipe_free(t.seen);
    return status;
}
