/* pattern_pairs.c - which characters can stand side by side in a match, or matter to one side by side.
 *
 * The items of a pattern (characters and classes, those of look-arounds, too) are numbered. As in Glushkov's
 * construction of an automaton, the items that can come right after each are gathered. The first items of a look-ahead
 * come after the items before it; the last items of a look-behind come before the items after it. So where no item with
 * y comes after one with x, no match crosses a boundary x|y, and no look-around that sees x on one side or y on the
 * other can change anything there. */
#include "text/pattern_pairs.h"

#include <string.h>

#include "text/unicode.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { ITEMS = 64, ITEM_SIZE = 4000, ASCII = 128, DEPTH = 30 };

typedef struct item {
    bool member[BIPE_PATTERN_BEFORE]; /* some visible character beyond ASCII, for the last one */
    bool beyond; /* characters beyond ASCII are in it, too */
} item;

typedef struct reader {
    const char *at, *end;
    item item[ITEMS];
    uint64_t after[ITEMS]; /* a bit for each item that can come right after it */
    unsigned count;
} reader;

/* A part of the pattern. Sets of items have one bit per item. */
typedef struct part {
    bool nullable;        /* may match nothing */
    bool optional;        /* may do so in any context */
    uint64_t first, last; /* items that it can begin and end with */
    uint64_t alone;       /* items that it can consist of, in any context */
} part;

/* ---- joining parts ---- */

static void add_followers(reader *r, uint64_t last, uint64_t first)
{
    for (unsigned i = 0; i < r->count; i++)
        if ((last >> i & 1) != 0)
            r->after[i] |= first;
}

static part join_parts(reader *r, part a, part b)
{
    add_followers(r, a.last, b.first);
    return (part){
        .nullable = a.nullable && b.nullable,
        .optional = a.optional && b.optional,
        .first = a.first | (a.nullable ? b.first : 0),
        .last = b.last | (b.nullable ? a.last : 0),
        .alone = (b.optional ? a.alone : 0) | (a.optional ? b.alone : 0),
    };
}

/* ---- items ---- */

/* The length of the character, escape or class at `at`, or 0. */
static size_t item_size(const char *at, const char *end)
{
    const char *p = at + 1;
    if (*at == '\\' && end - at > 2 && (at[1] == 'p' || at[1] == 'P' || at[1] == 'x') && at[2] == '{') {
        const char *brace = memchr(at, '}', (size_t)(end - at));
        return brace != NULL ? (size_t)(brace + 1 - at) : 0;
    }
    if (*at == '\\' && end - at > 3 && at[1] == 'x')
        return strspn(at + 2, "0123456789ABCDEFabcdef") >= 2 ? 4 : 0;
    if (*at == '\\')
        return end - at < 2 || at[1] == 'x' ? 0 : 2;
    if (*at != '[') {
        int32_t code;
        return memchr("^$()*+?{|", *at, 9) == NULL ? bipe_utf8_decode((const uint8_t *)at, (size_t)(end - at), &code)
                                                   : 0;
    }
    p += p < end && *p == '^';
    for (const char *start = p; p < end && (*p != ']' || p == start); p++)
        p += *p == '\\';
    return p < end ? (size_t)(p + 1 - at) : 0;
}

/* Whether a visible character is in the range, which is beyond ASCII. */
static bool has_visible(bipe_code_range range)
{
    int32_t end;
    for (int32_t code = range.first; code <= range.last; code = end)
        if (bipe_is_visible(bipe_unicode_category_run(code, &end)))
            return true;
    return false;
}

static bool read_members(item *i, const char *source, size_t size, bool caseless)
{
    char class[ITEM_SIZE + 3];
    bipe_code_set set = {0};
    bool whole = *source == '[' || (size > 2 && (source[1] == 'p' || source[1] == 'P'));
    if (size > ITEM_SIZE)
        return false;
    class[0] = '[';
    memcpy(class + !whole, source, size);
    strcpy(class + !whole + size, whole ? "" : "]");
    bool read = bipe_unicode_class(&set, size == 1 && *source == '.' ? "[^\\n]" : class, NULL) == BIPE_OK;
    *i = (item){.beyond = false};
    for (size_t k = 0; read && k < set.count; k++) {
        bipe_code_range range = set.range[k];
        for (; range.first <= range.last && range.first < ASCII; range.first++)
            i->member[range.first] = true;
        i->beyond = i->beyond || range.last >= ASCII;
        i->member[BIPE_PATTERN_VISIBLE] = i->member[BIPE_PATTERN_VISIBLE] || has_visible(range);
    }
    bipe_code_set_free(&set);
    for (unsigned c = 'a'; caseless && c <= 'z'; c++)
        i->member[c] = i->member[c - 32] = i->member[c] || i->member[c - 32];
    i->beyond = i->beyond || (caseless && (i->member['k'] || i->member['s'])); /* the Kelvin sign, the long s */
    i->member[BIPE_PATTERN_VISIBLE] = i->member[BIPE_PATTERN_VISIBLE] || (caseless && i->beyond);
    return read;
}

static bool add_item(reader *r, const char *source, size_t size, bool caseless, part *out)
{
    if (r->count == ITEMS || size == 0 || !read_members(&r->item[r->count], source, size, caseless))
        return false;
    uint64_t bit = UINT64_C(1) << r->count++;
    *out = (part){.first = bit, .last = bit, .alone = bit};
    return true;
}

/* ---- quantifiers ---- */

typedef struct quantifier {
    unsigned least, most;
    bool possessive;
} quantifier;

static unsigned read_repeat_limit(reader *r)
{
    unsigned n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        n = n < 1000 ? n * 10 + (unsigned)(*r->at - '0') : n;
    return n;
}

/* {n}, {n,} or {n,m} after its brace. */
static bool read_repeat_limits(reader *r, quantifier *q)
{
    const char *start = r->at;
    q->least = q->most = read_repeat_limit(r);
    if (r->at == start || r->at == r->end)
        return false;
    if (*r->at == ',') {
        start = ++r->at;
        q->most = read_repeat_limit(r);
        q->most = r->at == start ? 1000 : q->most;
    }
    return r->at < r->end && *r->at++ == '}' && q->most != 0;
}

static bool read_quantifier(reader *r, part *p)
{
    quantifier q = {.least = 1, .most = 1};
    char c = r->at < r->end ? *r->at : '\0';
    if (c != '*' && c != '+' && c != '?' && c != '{')
        return true;
    r->at++;
    if (c == '{' && !read_repeat_limits(r, &q))
        return false;
    if (c != '{')
        q = (quantifier){.least = c == '+', .most = c == '?' ? 1 : 1000};
    q.possessive = r->at < r->end && *r->at == '+';
    r->at += r->at < r->end && (*r->at == '+' || *r->at == '?');
    if (q.most > 1)
        add_followers(r, p->last, p->first);
    p->alone = q.least <= 1 ? p->alone : 0;
    p->nullable = p->nullable || q.least == 0;
    p->optional = (p->optional || q.least == 0) && !q.possessive;
    return true;
}

/* ---- groups ---- */

static bool read_alternatives(reader *r, bool caseless, unsigned depth, part *out);

static bool skip_text(reader *r, const char *text)
{
    size_t n = strlen(text);
    bool found = (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
    r->at += found ? n : 0;
    return found;
}

/* A group, or (?i), which changes *caseless. */
static bool read_group(reader *r, bool *caseless, unsigned depth, part *out)
{
    enum { GROUP, AHEAD, BEHIND } kind = GROUP;
    bool inner = *caseless;
    *out = (part){.nullable = true, .optional = true};
    if (skip_text(r, "(?i)") || skip_text(r, "(?-i)")) {
        *caseless = r->at[-3] == '?';
        return true;
    }
    /* '$' looks ahead, '^' behind, for what is not a newline. */
    if (skip_text(r, "(?m:$)") || skip_text(r, "(?m:^)")) {
        kind = r->at[-2] == '$' ? AHEAD : BEHIND;
        if (!add_item(r, ".", 1, false, out))
            return false;
    } else {
        if (skip_text(r, "(?=") || skip_text(r, "(?!"))
            kind = AHEAD;
        else if (skip_text(r, "(?<=") || skip_text(r, "(?<!"))
            kind = BEHIND;
        else if (skip_text(r, "(?i:"))
            inner = true;
        else if (skip_text(r, "(?-i:"))
            inner = false;
        else if (!skip_text(r, "(?:") && (!skip_text(r, "(") || r->at == r->end || *r->at == '?' || *r->at == '*'))
            return false;
        if (depth == DEPTH || !read_alternatives(r, inner, depth + 1, out) || !skip_text(r, ")"))
            return false;
    }
    if (kind != GROUP)
        *out =
            (part){.nullable = true, .first = kind == AHEAD ? out->first : 0, .last = kind == BEHIND ? out->last : 0};
    return true;
}

static bool read_alternatives(reader *r, bool caseless, unsigned depth, part *out)
{
    const part nothing = {.nullable = true, .optional = true};
    part row = nothing, one;
    *out = (part){0};
    for (;; row = join_parts(r, row, one)) {
        bool ends = r->at == r->end || *r->at == ')';
        if (ends || *r->at == '|') {
            out->nullable = out->nullable || row.nullable;
            out->optional = out->optional || row.optional;
            out->first |= row.first;
            out->last |= row.last;
            out->alone |= row.alone;
            if (ends)
                return true;
            r->at++;
            row = one = nothing;
            continue;
        }
        if (*r->at == '(') {
            if (!read_group(r, &caseless, depth, &one))
                return false;
        } else {
            const char *at = r->at;
            r->at += item_size(at, r->end);
            if (!add_item(r, at, (size_t)(r->at - at), caseless, &one))
                return false;
        }
        if (!read_quantifier(r, &one))
            return false;
    }
}

/* False: the pattern is not understood, or may match the empty string. */
static bool read_pattern(reader *r, const char *pattern, size_t size, part *whole)
{
    memset(r, 0, sizeof *r);
    r->at = pattern;
    r->end = pattern + size;
    return read_alternatives(r, false, 0, whole) && r->at == r->end && !whole->nullable;
}

/* ---- pairs ---- */

void bipe_pattern_pairs(const char *pattern, size_t size, bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128])
{
    reader r;
    part whole;
    /* Items with a character, and those that can come after them. */
    uint64_t with[BIPE_PATTERN_BEFORE] = {0}, after[BIPE_PATTERN_BEFORE] = {0};
    memset(pair, 0, BIPE_PATTERN_BEFORE * sizeof *pair);
    if (!read_pattern(&r, pattern, size, &whole))
        return;
    for (unsigned i = 0; i < r.count; i++)
        for (unsigned x = 0; x < BIPE_PATTERN_BEFORE; x++)
            if (r.item[i].member[x]) {
                with[x] |= UINT64_C(1) << i;
                after[x] |= r.after[i];
            }
    for (unsigned x = 0; x < BIPE_PATTERN_BEFORE; x++)
        for (unsigned y = 0; y < ASCII; y++) {
            /* A character that matches alone is always in a match; not each visible one is in each item that has
             * some. */
            uint64_t sure = with[y] | (x < ASCII ? with[x] : 0);
            pair[x][y].keeps = (after[x] & with[y]) == 0;
            pair[x][y].splits = pair[x][y].keeps && (sure & whole.alone) != 0;
        }
}

bool bipe_pattern_set(const char *pattern, size_t size, uint8_t member[256])
{
    reader r;
    part whole;
    bool is_set = read_pattern(&r, pattern, size, &whole);
    memset(member, 0, 256);
    for (unsigned i = 0; is_set && i < r.count; i++) {
        is_set = !r.item[i].beyond && r.after[i] == 0 && (whole.alone >> i & 1) != 0;
        for (unsigned x = 0; x < ASCII; x++)
            member[x] |= r.item[i].member[x];
    }
    return is_set;
}
