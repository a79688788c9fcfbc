/* oniguruma.c - translates patterns from Oniguruma's Ruby syntax to PCRE2's.
 *
 * Translated: \s, \w, \b, \h and \v, properties that name scripts, POSIX classes, \u, '^' and '$' at lines, classes
 * within classes. Rarer differences are refused. */
#include <string.h>

#include "text/pattern.h"
#include "text/property_names.h"

#define WHITE "\\t-\\r\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
#define NOT_WHITE \
    "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}" \
    "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"
#define WORD \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}" \
    "\\x{1F170}-\\x{1F189}"
/* \w and \p{Word} outside of classes, and \b, also include the numbers of Latin-1. */
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
    bool fresh;                     /* at the start of an alternative */
} translation;

static int emit_text(translation *t, const char *text)
{
    return bipe_buffer_append(t->out, text, strlen(text), t->err);
}

static int copy_source(translation *t, size_t size)
{
    int status = bipe_buffer_append(t->out, t->text + t->at, size, t->err);
    t->at += size;
    return status;
}

static char peek_char(const translation *t, size_t ahead)
{
    return ahead < t->size - t->at ? t->text[t->at + ahead] : '\0';
}

static int refuse_syntax(translation *t, const char *what)
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

static bool is_caseless(const translation *t)
{
    return t->caseless[t->depth];
}

/* \p{NAME}, \P{NAME}, \p{^NAME}: a category, another property or a script. In Oniguruma (?i) matters to them only
 * within a class. */
static int emit_property(translation *t, bool class)
{
    bipe_property_name found;
    if (peek_char(t, 2) != '{')
        return refuse_syntax(t, "a property without braces");
    bool caret = peek_char(t, 3) == '^', negated = (peek_char(t, 1) == 'P') != caret;
    const char *start = t->text + t->at + (caret ? 4 : 3);
    const char *end = memchr(start, '}', (size_t)(t->text + t->size - start));
    if (end == NULL || end == start)
        return refuse_syntax(t, "a property that has no name");
    if (!bipe_property_find(start, (size_t)(end - start), &found))
        return refuse_syntax(t, "a property that is not known");
    if (class && is_caseless(t))
        return refuse_syntax(t, "a property in a class, where (?i) holds");
    t->at = (size_t)(end + 1 - t->text);
    const char *open = is_caseless(t) ? "(?-i:" : "", *close = is_caseless(t) ? ")" : "";
    if (found.members != NULL)
        return class ? emit_text(t, negated ? found.others : found.members)
                     : bipe_buffer_printf(t->out, t->err, "%s[%s%s]%s", open, negated ? "^" : "",
                                          found.word ? EDGED : found.members, close);
    return bipe_buffer_printf(t->out, t->err, "%s\\%c{%s%s}%s", open, negated ? 'P' : 'p', found.script ? "sc:" : "",
                              found.name, close);
}

/* An escape sequence; `class`: within one. */
static int emit_escape(translation *t, bool class)
{
    static const char *const outside[] = {"s[" WHITE "]", "S[^" WHITE "]", "w[" EDGED "]", "W[^" EDGED "]",
                                          "h[" HEX "]", "H[^" HEX "]",
                                          "b(?:(?<=[" EDGED "])(?![" EDGED "])|(?<![" EDGED "])(?=[" EDGED "]))",
                                          "B(?:(?<=[" EDGED "])(?=[" EDGED "])|(?<![" EDGED "])(?![" EDGED "]))",
                                          "A\\A", "z\\z", "Z\\Z", NULL};
    static const char *const inside[] = {"s" WHITE, "S" NOT_WHITE, "w" WORD, "h" HEX, "b\\x{8}", NULL};
    static const char *const both[] = {"d\\p{Nd}", "D\\P{Nd}", "t\\t", "n\\n",    "r\\r",
                                       "f\\f",     "a\\a",     "e\\e", "v\\x{B}", NULL};
    char c = peek_char(t, 1);
    if (t->at + 1 >= t->size)
        return refuse_syntax(t, "ends with a backslash");
    if (c == 'p' || c == 'P')
        return emit_property(t, class);
    if (c == 'u') {
        char hex[5] = "";
        for (size_t i = 0; i < 4; i++)
            if (!is_hex(hex[i] = peek_char(t, 2 + i)))
                return refuse_syntax(t, "\\u without four digits");
        t->at += 6;
        return bipe_buffer_printf(t->out, t->err, "\\x{%s}", hex);
    }
    if (c == 'x') {
        size_t n = 2;
        if (peek_char(t, 2) == '{') {
            for (n = 3; is_hex(peek_char(t, n));)
                n++;
            return n > 3 && n < 10 && peek_char(t, n) == '}' ? copy_source(t, n + 1)
                                                             : refuse_syntax(t, "\\x{} that is no number");
        }
        if (peek_char(t, 2) > '7' || !is_hex(peek_char(t, 2)) || !is_hex(peek_char(t, 3)))
            return refuse_syntax(t, "\\x that is no ASCII character");
        return copy_source(t, 4);
    }
    const char *const *const tables[] = {both, class ? inside : outside};
    for (size_t k = 0; k < 2; k++)
        for (const char *const *entry = tables[k]; *entry != NULL; entry++)
            if ((*entry)[0] == c) {
                bool plainly = k == 1 && !class && is_caseless(t); /* (?i) does not matter to them */
                t->at += 2;
                return bipe_buffer_printf(t->out, t->err, "%s%s%s", plainly ? "(?-i:" : "", *entry + 1,
                                          plainly ? ")" : "");
            }
    if (is_alnum(c))
        return refuse_syntax(t, class ? "an escape that is not known within a class" : "an escape that is not known");
    return copy_source(t, 2);
}

/* [:NAME:] or [:^NAME:] within a class. */
static int emit_posix(translation *t)
{
    bipe_property_name found;
    bool negated = peek_char(t, 2) == '^';
    const char *start = t->text + t->at + (negated ? 3 : 2);
    size_t size = 0;
    while (is_alnum(peek_char(t, (size_t)(start - t->text) - t->at + size)))
        size++;
    size_t end = (size_t)(start - t->text) - t->at + size;
    if (peek_char(t, end) != ':' || peek_char(t, end + 1) != ']' || !bipe_posix_find(start, size, &found))
        return refuse_syntax(t, "a POSIX class that is not known");
    if (is_caseless(t))
        return refuse_syntax(t, "a POSIX class, where (?i) holds");
    t->at += end + 2;
    return emit_text(t, negated ? found.others : found.members);
}

/* [...]; the members of a nested class (depth > 0) are added to the class around it. */
static int emit_class(translation *t, int depth)
{
    if (depth > CLASS_DEPTH)
        return refuse_syntax(t, "classes within classes, too deep");
    t->at++;
    int status = depth == 0 ? emit_text(t, "[") : BIPE_OK;
    if (status == BIPE_OK && peek_char(t, 0) == '^') {
        if (depth > 0)
            return refuse_syntax(t, "a negated class within a class");
        status = copy_source(t, 1);
    }
    if (peek_char(t, 0) == ']')
        return refuse_syntax(t, "an empty class");
    while (status == BIPE_OK) {
        if (t->at >= t->size)
            return refuse_syntax(t, "a class without end");
        char c = peek_char(t, 0);
        if (c == ']')
            break;
        if (c == '\\') {
            status = emit_escape(t, true);
        } else if (c == '[') {
            if (t->text[t->at - 1] == '-')
                return refuse_syntax(t, "a class that ends a range");
            status = peek_char(t, 1) == ':' ? emit_posix(t) : emit_class(t, depth + 1);
            if (status == BIPE_OK && peek_char(t, 0) == '-')
                return refuse_syntax(t, "a class that begins a range");
        } else if (c == '&' && peek_char(t, 1) == '&') {
            return refuse_syntax(t, "an intersection of classes");
        } else {
            status = copy_source(t, 1);
        }
    }
    t->at++;
    return status == BIPE_OK && depth == 0 ? emit_text(t, "]") : status;
}

static int emit_group(translation *t)
{
    static const char *const known[] = {"(?:",  "(?=",   "(?!",  "(?>",   "(?<=", "(?<!",
                                        "(?i:", "(?-i:", "(?i)", "(?-i)", NULL};
    if (peek_char(t, 1) == '*')
        return refuse_syntax(t, "a group that begins with *");
    const char *const *group = known;
    size_t size = 1;
    if (peek_char(t, 1) == '?') {
        while (*group != NULL &&
               (t->size - t->at < strlen(*group) || memcmp(t->text + t->at, *group, strlen(*group)) != 0))
            group++;
        if (*group == NULL)
            return refuse_syntax(t, "a group that is not known");
        size = strlen(*group);
    }
    bool caseless = peek_char(t, 2) == 'i' || (peek_char(t, 2) != '-' && is_caseless(t));
    if (size > 1 && t->text[t->at + size - 1] == ')') { /* Oniguruma takes all alternatives that follow into it */
        if (!t->fresh)
            return refuse_syntax(t, "(?i) or (?-i) within an alternative");
    } else if (t->depth++ == GROUP_DEPTH) {
        return refuse_syntax(t, "groups within groups, too deep");
    }
    t->caseless[t->depth] = size > 1 ? caseless : t->caseless[t->depth - 1];
    t->fresh = true;
    return copy_source(t, size);
}

static int emit_group_end(translation *t)
{
    t->depth -= t->depth > 0; /* PCRE2 reports an unmatched parenthesis */
    return copy_source(t, 1);
}

/* {n}, {n,}, {n,m}, or a literal brace. */
static int emit_brace(translation *t)
{
    size_t n = 1;
    bool comma = false;
    if (peek_char(t, 1) == ',')
        return refuse_syntax(t, "{,n}");
    while (peek_char(t, n) >= '0' && peek_char(t, n) <= '9')
        n++;
    if (n == 1)
        return emit_text(t, "\\{") == BIPE_OK ? (t->at++, BIPE_OK) : BIPE_ERR_MEMORY;
    if (peek_char(t, n) == ',') {
        comma = true;
        n++;
        while (peek_char(t, n) >= '0' && peek_char(t, n) <= '9')
            n++;
    }
    if (peek_char(t, n) != '}')
        return refuse_syntax(t, "a brace that is not closed");
    if (peek_char(t, n + 1) == '+' || (peek_char(t, n + 1) == '?' && !comma))
        return refuse_syntax(t, "{n}+ or {n}?");
    return copy_source(t, n + 1);
}

int bipe_pattern_translate(const char *text, size_t size, bipe_buffer *out, bipe_error *err)
{
    translation t = {.text = text, .size = size, .out = out, .err = err};
    int status = memchr(text, '\0', size) == NULL ? BIPE_OK : refuse_syntax(&t, "a NUL");
    t.fresh = true;
    while (status == BIPE_OK && t.at < t.size) {
        char c = text[t.at];
        switch (c) {
        case '\\': status = emit_escape(&t, false); break;
        case '[': status = emit_class(&t, 0); break;
        case '(': status = emit_group(&t); break;
        case ')': status = emit_group_end(&t); break;
        case '{': status = emit_brace(&t); break;
        case '^':
        case '$':
            status = emit_text(&t, text[t.at] == '^' ? "(?m:^)" : "(?m:$)");
            t.at++;
            break;
        default: status = copy_source(&t, 1);
        }
        t.fresh = c == '|' || (c == '(' && t.fresh);
    }
    /* Errors of PCRE2 quote the pattern. */
    return status == BIPE_OK ? bipe_buffer_append(out, "", 1, err) == BIPE_OK ? (out->size--, BIPE_OK) : BIPE_ERR_MEMORY
                             : status;
}
