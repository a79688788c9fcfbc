/* oniguruma.c - patterns in Oniguruma's Ruby syntax, written again in PCRE2's.
 *
 * What differs and is written out: \s, \w, \b, \h and \v, properties that name scripts, \u, '^' and '$' at lines, classes within classes.
 * What differs and is rare is refused. */
#include <string.h>

#include "text/pattern.h"
#include "text/property_names.h"

#define WHITE "\\t-\\r\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
#define NOT_WHITE \
    "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}" \
    "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"
#define WORD \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}"
/* What \w is outside of classes, and what \b asks for: beside it, the numbers of Latin-1. */
#define EDGED WORD "\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}"
#define HEX "0-9A-Fa-f"

enum { CLASS_DEPTH = 8, GROUP_DEPTH = 250 };

typedef struct translation {
    const char *text;
    size_t size, at;
    bipe_buffer *out;
    bipe_error *err;
    size_t depth;                   /* of groups */
    bool caseless[GROUP_DEPTH + 1]; /* (?i) holds, in each of them */
    bool fresh;                     /* nothing stands before this in its alternative */
} translation;

static int put(translation *t, const char *text)
{
    return bipe_buffer_append(t->out, text, strlen(text), t->err);
}

static int put_raw(translation *t, size_t size)
{
    int status = bipe_buffer_append(t->out, t->text + t->at, size, t->err);
    t->at += size;
    return status;
}

static char peek(const translation *t, size_t ahead)
{
    return ahead < t->size - t->at ? t->text[t->at + ahead] : '\0';
}

static int refuse(translation *t, const char *what)
{
    return bipe_fail(t->err, BIPE_ERR_UNSUPPORTED, "pattern \"%.80s\", at %zu: %s", t->text, t->at, what);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Whether (?i) holds. */
static bool is_caseless(const translation *t)
{
    return t->caseless[t->depth];
}

/* \p{NAME}, \P{NAME}, \p{^NAME}: a category, some other property or a script. (?i) makes no difference to Oniguruma, but where it stands in
 * a class. */
static int put_property(translation *t, bool class)
{
    bipe_property_name found;
    if (peek(t, 2) != '{')
        return refuse(t, "a property without braces");
    bool caret = peek(t, 3) == '^', negated = (peek(t, 1) == 'P') != caret;
    const char *start = t->text + t->at + (caret ? 4 : 3);
    const char *end = memchr(start, '}', (size_t)(t->text + t->size - start));
    if (end == NULL || end == start)
        return refuse(t, "a property that has no name");
    if (!bipe_property_find(start, (size_t)(end - start), &found))
        return refuse(t, "a property that is not known");
    if (class && is_caseless(t))
        return refuse(t, "a property in a class, where (?i) holds");
    if (class && negated && found.members != NULL)
        return refuse(t, "a class of POSIX, negated within a class");
    t->at = (size_t)(end + 1 - t->text);
    const char *open = is_caseless(t) ? "(?-i:" : "", *close = is_caseless(t) ? ")" : "";
    if (found.members != NULL)
        return class ? put(t, found.members)
                     : bipe_buffer_printf(t->out, t->err, "%s[%s%s]%s", open, negated ? "^" : "", found.members, close);
    return bipe_buffer_printf(t->out, t->err, "%s\\%c{%s%s}%s", open, negated ? 'P' : 'p', found.script ? "sc:" : "", found.name, close);
}

/* An escape sequence; `class`: within one. */
static int put_escape(translation *t, bool class)
{
    static const char *const outside[] = {"s[" WHITE "]", "S[^" WHITE "]", "w[" EDGED "]", "W[^" EDGED "]", "h[" HEX "]", "H[^" HEX "]",
                                          "b(?:(?<=[" EDGED "])(?![" EDGED "])|(?<![" EDGED "])(?=[" EDGED "]))",
                                          "B(?:(?<=[" EDGED "])(?=[" EDGED "])|(?<![" EDGED "])(?![" EDGED "]))", "A\\A", "z\\z", "Z\\Z", NULL};
    static const char *const inside[] = {"s" WHITE, "S" NOT_WHITE, "w" WORD, "h" HEX, "b\\x{8}", NULL};
    static const char *const both[] = {"d\\p{Nd}", "D\\P{Nd}", "t\\t", "n\\n", "r\\r", "f\\f", "a\\a", "e\\e", "v\\x{B}", NULL};
    char c = peek(t, 1);
    if (t->at + 1 >= t->size)
        return refuse(t, "ends with a backslash");
    if (c == 'p' || c == 'P')
        return put_property(t, class);
    if (c == 'u') {
        char hex[5] = "";
        for (size_t i = 0; i < 4; i++)
            if (!is_hex(hex[i] = peek(t, 2 + i)))
                return refuse(t, "\\u without four digits");
        t->at += 6;
        return bipe_buffer_printf(t->out, t->err, "\\x{%s}", hex);
    }
    if (c == 'x') {
        size_t n = 2;
        if (peek(t, 2) == '{') {
            for (n = 3; is_hex(peek(t, n));)
                n++;
            return n > 3 && n < 10 && peek(t, n) == '}' ? put_raw(t, n + 1) : refuse(t, "\\x{} that is no number");
        }
        if (peek(t, 2) > '7' || !is_hex(peek(t, 2)) || !is_hex(peek(t, 3)))
            return refuse(t, "\\x that is no ASCII character");
        return put_raw(t, 4);
    }
    const char *const *const tables[] = {both, class ? inside : outside};
    for (size_t k = 0; k < 2; k++)
        for (const char *const *entry = tables[k]; *entry != NULL; entry++)
            if ((*entry)[0] == c) {
                bool plainly = k == 1 && !class && is_caseless(t); /* they are without regard to it */
                t->at += 2;
                return bipe_buffer_printf(t->out, t->err, "%s%s%s", plainly ? "(?-i:" : "", *entry + 1, plainly ? ")" : "");
            }
    if (is_alnum(c))
        return refuse(t, class ? "an escape that is not known within a class" : "an escape that is not known");
    return put_raw(t, 2);
}

/* [...], of which a nested one (depth > 0) gives its members to the one around it. */
static int put_class(translation *t, int depth)
{
    if (depth > CLASS_DEPTH)
        return refuse(t, "classes within classes, too deep");
    t->at++;
    int status = depth == 0 ? put(t, "[") : BIPE_OK;
    if (status == BIPE_OK && peek(t, 0) == '^') {
        if (depth > 0)
            return refuse(t, "a negated class within a class");
        status = put_raw(t, 1);
    }
    if (peek(t, 0) == ']')
        return refuse(t, "an empty class");
    while (status == BIPE_OK) {
        if (t->at >= t->size)
            return refuse(t, "a class without end");
        char c = peek(t, 0);
        if (c == ']')
            break;
        if (c == '\\') {
            status = put_escape(t, true);
        } else if (c == '[') {
            if (peek(t, 1) == ':')
                return refuse(t, "a POSIX class");
            if (t->text[t->at - 1] == '-')
                return refuse(t, "a class that ends a range");
            status = put_class(t, depth + 1);
            if (status == BIPE_OK && peek(t, 0) == '-')
                return refuse(t, "a class that begins a range");
        } else if (c == '&' && peek(t, 1) == '&') {
            return refuse(t, "an intersection of classes");
        } else {
            status = put_raw(t, 1);
        }
    }
    t->at++;
    return status == BIPE_OK && depth == 0 ? put(t, "]") : status;
}

static int put_group(translation *t)
{
    static const char *const known[] = {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?-i:", "(?i)", "(?-i)", NULL};
    if (peek(t, 1) == '*')
        return refuse(t, "a group that begins with *");
    const char *const *group = known;
    size_t size = 1;
    if (peek(t, 1) == '?') {
        while (*group != NULL && (t->size - t->at < strlen(*group) || memcmp(t->text + t->at, *group, strlen(*group)) != 0))
            group++;
        if (*group == NULL)
            return refuse(t, "a group that is not known");
        size = strlen(*group);
    }
    bool caseless = peek(t, 2) == 'i' || (peek(t, 2) != '-' && is_caseless(t));
    if (size > 1 && t->text[t->at + size - 1] == ')') { /* Oniguruma takes all alternatives that follow into it */
        if (!t->fresh)
            return refuse(t, "(?i) or (?-i) within an alternative");
    } else if (t->depth++ == GROUP_DEPTH) {
        return refuse(t, "groups within groups, too deep");
    }
    t->caseless[t->depth] = size > 1 ? caseless : t->caseless[t->depth - 1];
    t->fresh = true;
    return put_raw(t, size);
}

static int put_group_end(translation *t)
{
    t->depth -= t->depth > 0; /* one too many is for PCRE2 to tell */
    return put_raw(t, 1);
}

/* {n}, {n,}, {n,m}, or a brace that is one. */
static int put_brace(translation *t)
{
    size_t n = 1;
    bool comma = false;
    if (peek(t, 1) == ',')
        return refuse(t, "{,n}");
    while (peek(t, n) >= '0' && peek(t, n) <= '9')
        n++;
    if (n == 1)
        return put(t, "\\{") == BIPE_OK ? (t->at++, BIPE_OK) : BIPE_ERR_MEMORY;
    if (peek(t, n) == ',') {
        comma = true;
        n++;
        while (peek(t, n) >= '0' && peek(t, n) <= '9')
            n++;
    }
    if (peek(t, n) != '}')
        return refuse(t, "a brace that is not closed");
    if (peek(t, n + 1) == '+' || (peek(t, n + 1) == '?' && !comma))
        return refuse(t, "{n}+ or {n}?");
    return put_raw(t, n + 1);
}

int bipe_pattern_translate(const char *text, size_t size, bipe_buffer *out, bipe_error *err)
{
    translation t = {.text = text, .size = size, .out = out, .err = err};
    int status = memchr(text, '\0', size) == NULL ? BIPE_OK : refuse(&t, "a NUL");
    t.fresh = true;
    while (status == BIPE_OK && t.at < t.size) {
        char c = text[t.at];
        switch (c) {
        case '\\': status = put_escape(&t, false); break;
        case '[': status = put_class(&t, 0); break;
        case '(': status = put_group(&t); break;
        case ')': status = put_group_end(&t); break;
        case '{': status = put_brace(&t); break;
        case '^':
        case '$':
            status = put(&t, text[t.at] == '^' ? "(?m:^)" : "(?m:$)");
            t.at++;
            break;
        default: status = put_raw(&t, 1);
        }
        t.fresh = c == '|' || (c == '(' && t.fresh);
    }
    /* Errors of PCRE2 quote the pattern. */
    return status == BIPE_OK ? bipe_buffer_append(out, "", 1, err) == BIPE_OK ? (out->size--, BIPE_OK) : BIPE_ERR_MEMORY : status;
}
