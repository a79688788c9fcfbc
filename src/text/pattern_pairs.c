/* pattern_pairs.c - reads simple patterns: alternatives, each a row of characters and classes with quantifiers. */
#include "text/pattern_pairs.h"

#include <string.h>

#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { ITEMS = 32, ITEM_SIZE = 4000, ASCII = 128 };

/* A character or class with its quantifier. */
typedef struct item {
    bool member[ASCII];
    bool beyond;     /* characters beyond ASCII are in it, too */
    bool optional;   /* the quantifier allows none, */
    bool single;     /* one, */
    bool repeats;    /* several */
    bool possessive; /* and gives none back */
    bool first;      /* begins an alternative */
} item;

typedef struct row {
    item item[ITEMS];
    size_t count;
} row;

/* ---- reading ---- */

/* The length of the character, escape or class at `at`, or 0. */
static size_t item_size(const char *at, const char *end)
{
    const char *p = at + 1;
    if (*at == '\\' && end - at > 2 && (at[1] == 'p' || at[1] == 'P' || at[1] == 'x') && at[2] == '{') {
        const char *brace = memchr(at, '}', (size_t)(end - at));
        return brace != NULL ? (size_t)(brace + 1 - at) : 0;
    }
    if (*at == '\\')
        return end - at < 2 || at[1] == 'x' ? 0 : 2;
    if (*at != '[') {
        int32_t code;
        return memchr("^$.()*+?{", *at, 9) == NULL ? bipe_utf8_decode((const uint8_t *)at, (size_t)(end - at), &code) : 0;
    }
    p += p < end && *p == '^';
    for (const char *start = p; p < end && (*p != ']' || p == start); p++)
        p += *p == '\\';
    return p < end ? (size_t)(p + 1 - at) : 0;
}

static bool read_members(item *i, const char *at, size_t size)
{
    char class[ITEM_SIZE + 3];
    bipe_code_set set = {0};
    bool whole = *at == '[' || (size > 2 && (at[1] == 'p' || at[1] == 'P'));
    if (size > ITEM_SIZE)
        return false;
    class[0] = '[';
    memcpy(class + !whole, at, size);
    strcpy(class + !whole + size, whole ? "" : "]");
    bool read = bipe_unicode_class(&set, class, NULL) == BIPE_OK;
    for (size_t k = 0; read && k < set.count; k++) {
        for (int32_t code = set.range[k].first; code <= set.range[k].last && code < ASCII; code++)
            i->member[code] = true;
        i->beyond = i->beyond || set.range[k].last >= ASCII;
    }
    bipe_code_set_free(&set);
    return read;
}

/* {n}, {n,} or {n,m} at `at`. Its length, or 0. */
static size_t read_count(item *i, const char *at, const char *end)
{
    unsigned least = 0, most = 0;
    const char *p = at + 1, *start = p;
    while (p < end && *p >= '0' && *p <= '9' && least < 1000)
        least = least * 10 + (unsigned)(*p++ - '0');
    if (p == start || p == end)
        return 0;
    most = least;
    if (*p == ',') {
        for (start = ++p, most = 0; p < end && *p >= '0' && *p <= '9' && most < 1000;)
            most = most * 10 + (unsigned)(*p++ - '0');
        most = p == start ? 2 : most;
    }
    if (p == end || *p != '}' || most == 0)
        return 0;
    i->optional = least == 0;
    i->single = least <= 1;
    i->repeats = most > 1;
    return (size_t)(p + 1 - at);
}

/* A quantifier, or none. False: not one that is known. */
static bool read_quantifier(item *i, const char **at, const char *end)
{
    i->single = true;
    char c = *at < end ? **at : '\0';
    if (c != '*' && c != '+' && c != '?' && c != '{')
        return true;
    i->optional = c == '*' || c == '?';
    i->repeats = c == '*' || c == '+';
    size_t n = c == '{' ? read_count(i, *at, end) : 1;
    *at += n;
    i->possessive = *at < end && **at == '+';
    *at += *at < end && (**at == '+' || **at == '?');
    return n != 0;
}

/* False: not such a pattern, or one of which an alternative may match nothing. */
static bool read_row(row *r, const char *pattern, size_t size)
{
    const char *at = pattern, *end = pattern + size;
    bool first = true, empty = true;
    r->count = 0;
    while (at < end) {
        if (*at == '|') {
            if (empty)
                return false;
            first = empty = true;
            at++;
            continue;
        }
        item *i = &r->item[r->count];
        size_t n = r->count < ITEMS ? item_size(at, end) : 0;
        if (n == 0)
            return false;
        *i = (item){.first = first};
        if (!read_members(i, at, n))
            return false;
        at += n;
        if (!read_quantifier(i, &at, end))
            return false;
        first = false;
        empty = empty && i->optional;
        r->count++;
    }
    return !empty;
}

/* ---- what a row says ---- */

/* Whether a character may stand right before another one in a match. */
static bool joins(const row *r, unsigned x, unsigned y)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!r->item[i].member[x])
            continue;
        if (r->item[i].repeats && r->item[i].member[y])
            return true;
        for (size_t k = i + 1; k < r->count && !r->item[k].first; k++) {
            if (r->item[k].member[y])
                return true;
            if (!r->item[k].optional)
                break;
        }
    }
    return false;
}

/* Whether the alternative of an item also matches one character of it alone. */
static bool stands_alone(const row *r, size_t i)
{
    size_t start = i, end = i + 1;
    while (!r->item[start].first)
        start--;
    while (end < r->count && !r->item[end].first)
        end++;
    bool alone = r->item[i].single;
    for (size_t k = start; k < end; k++)
        alone = alone && (k == i || (r->item[k].optional && !r->item[k].possessive));
    return alone;
}

void bipe_pattern_pairs(const char *pattern, size_t size, bipe_pattern_pair pair[128][128])
{
    row r;
    bool matches[ASCII] = {false}; /* each is always part of a match */
    memset(pair, 0, ASCII * sizeof *pair);
    if (!read_row(&r, pattern, size))
        return;
    for (size_t i = 0; i < r.count; i++)
        for (unsigned x = 0; x < ASCII && stands_alone(&r, i); x++)
            matches[x] = matches[x] || r.item[i].member[x];
    for (unsigned x = 0; x < ASCII; x++)
        for (unsigned y = 0; y < ASCII; y++) {
            pair[x][y].keeps = !joins(&r, x, y);
            pair[x][y].splits = pair[x][y].keeps && (matches[x] || matches[y]);
        }
}

bool bipe_pattern_set(const char *pattern, size_t size, uint8_t member[256])
{
    row r;
    bool is_set = read_row(&r, pattern, size);
    memset(member, 0, 256);
    for (size_t i = 0; is_set && i < r.count; i++) {
        const item *one = &r.item[i];
        is_set = one->first && !one->optional && one->single && !one->repeats && !one->beyond;
        for (unsigned x = 0; x < ASCII; x++)
            member[x] = member[x] | one->member[x];
    }
    return is_set;
}
