/* added_set.c - see added_set.h: a trie of the bytes of all strings, which is walked from each byte that begins one. */
#include "token/added_set.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"

static int new_node(bipe_added_set *set)
{
    if (bipe_grow(&set->value, &set->value_capacity, set->nodes + 1, sizeof *set->value) != 0)
        return -1;
    set->value[set->nodes++] = 0;
    return 0;
}

int bipe_added_set_add(bipe_added_set *set, const uint8_t *text, size_t size, bipe_added added, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    if (size > BIPE_ADDED_LENGTH)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a token that is looked for in text has %zu bytes, expected at most %d",
                         size, BIPE_ADDED_LENGTH);
    if (bipe_grow(&set->added, &set->capacity, set->count + 1, sizeof *set->added) != 0 ||
        (set->nodes == 0 && new_node(set) != 0))
        return bipe_fail_memory(err);
    uint32_t node = 0;
    for (size_t i = 0; i < size; i++) {
        const bipe_pair_entry *edge = bipe_pair_table_find(&set->edge, node, text[i]);
        if (edge != NULL) {
            node = edge->a;
            continue;
        }
        uint32_t child = (uint32_t)set->nodes;
        if (new_node(set) != 0 || bipe_pair_table_set(&set->edge, node, text[i], child, 0) != 0)
            return bipe_fail_memory(err);
        node = child;
    }
    if (set->value[node] != 0)
        return BIPE_OK;
    set->added[set->count++] = added;
    set->has_tokens = set->has_tokens || !added.text;
    set->has_flags = set->has_flags || (!added.text && (added.left || added.right || added.word));
    set->value[node] = (uint32_t)set->count;
    set->lead[text[0]] = true;
    if (size == 1)
        memset(set->second[text[0]], 0xFF, sizeof set->second[0]);
    else
        set->second[text[0]][text[1] >> 6] |= UINT64_C(1) << (text[1] & 63);
    return BIPE_OK;
}

void bipe_added_set_free(bipe_added_set *set)
{
    bipe_free(set->added);
    bipe_pair_table_free(&set->edge);
    bipe_free(set->value);
    *set = (bipe_added_set){0};
}

/* Whether the character that ends (before) or begins at text[at] belongs to a word. */
static bool is_word_beside(const uint8_t *text, size_t size, size_t at, bool before)
{
    int32_t code;
    if (!before)
        return at < size && bipe_utf8_decode(text + at, size - at, &code) != 0 && code >= 0 &&
               bipe_hf_is_word((uint32_t)code);
    size_t n = 1;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    return at != 0 && bipe_utf8_decode(text + at - n, n, &code) == n && code >= 0 && bipe_hf_is_word((uint32_t)code);
}

/* The beginning of the white space before `at`, not beyond `limit`. */
static size_t strip_left(const uint8_t *text, size_t at, size_t limit)
{
    while (at > limit) {
        size_t n = 1;
        int32_t code;
        while (n < 4 && n < at - limit && (text[at - n] & 0xC0) == 0x80)
            n++;
        if (bipe_utf8_decode(text + at - n, n, &code) != n || code < 0 || !bipe_is_white_space(code))
            break;
        at -= n;
    }
    return at;
}

/* The end of that after it. */
static size_t strip_right(const uint8_t *text, size_t at, size_t size)
{
    int32_t code;
    size_t n;
    while (at < size && (n = bipe_utf8_decode(text + at, size - at, &code)) != 0 && code >= 0 &&
           bipe_is_white_space(code))
        at += n;
    return at;
}

static inline bool may_begin(const bipe_added_set *set, const uint8_t *text, size_t left)
{
    return left > 1 ? (set->second[text[0]][text[1] >> 6] >> (text[1] & 63) & 1) != 0 : set->lead[text[0]];
}

/* The first position from `at` on where one of them may begin, or `size`. Rare leads are passed faster by themselves,
 * those as common as the space are mispredicted. */
static size_t next_candidate(const bipe_added_set *set, const uint8_t *text, size_t size, size_t at)
{
    bool rare = !set->lead[' '];
    while (at < size && ((rare && !set->lead[text[at]]) || !may_begin(set, text + at, size - at)))
        at++;
    return at;
}

/* The longest string that text[at .. size) begins with: its index + 1 in *value, or 0, and its end. */
static size_t find_longest(const bipe_added_set *set, const uint8_t *text, size_t size, size_t at, uint32_t *value)
{
    size_t end = at;
    uint32_t node = 0;
    *value = 0;
    for (size_t i = at; i < size; i++) {
        const bipe_pair_entry *edge = bipe_pair_table_find(&set->edge, node, text[i]);
        if (edge == NULL)
            break;
        node = edge->a;
        if (set->value[node] != 0) {
            *value = set->value[node];
            end = i + 1;
        }
    }
    return end;
}

bool bipe_added_find(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *start,
                     size_t *end, const bipe_added **added)
{
    for (size_t at = from; set->count != 0 && (at = next_candidate(set, text, size, at)) < size;) {
        uint32_t value;
        size_t stop = find_longest(set, text, size, at, &value);
        const bipe_added *found = value != 0 && !set->added[value - 1].text ? &set->added[value - 1] : NULL;
        if (found != NULL &&
            !(found->word && (is_word_beside(text, size, at, true) || is_word_beside(text, size, stop, false)))) {
            *start = at;
            *end = stop;
            *added = found;
            return true;
        }
        at = value != 0 ? stop : at + 1;
    }
    return false;
}

bool bipe_added_next(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *search,
                     size_t *start, size_t *end, size_t *resume, const bipe_added **added)
{
    while (bipe_added_find(set, text, size, *search, start, end, added)) {
        *resume = *search = *end;
        if (*start < from)
            *start = from;
        if ((*added)->left)
            *start = strip_left(text, *start, from);
        if ((*added)->right)
            *resume = *end = strip_right(text, *end, size);
        if ((*added)->left && *end <= *start)
            continue;
        if (*end < *start)
            *end = *start;
        return true;
    }
    return false;
}
