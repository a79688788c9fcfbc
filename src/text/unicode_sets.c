/* unicode_sets.c - categories of characters, and sets of them by the tables of Unicode 16.0. */
#include "text/unicode_sets.h"

#include <string.h>

#include "text/unicode_table.h"
#include "text/utf8.h"

/* ---- categories ---- */

bipe_category bipe_unicode_category(int32_t code)
{
    return code >= 0 && code < BIPE_CODES ? (bipe_category)(bipe_code_letter(&bipe_unicode_categories, code) - 'a')
                                          : BIPE_CN;
}

bipe_category bipe_unicode_category_run(int32_t code, int32_t *end)
{
    const char *letters = bipe_code_block(&bipe_unicode_categories, code);
    int32_t first = code % BIPE_CODE_BLOCK, next = first + 1;
    if (first == 0 && memcmp(letters, letters + 1, BIPE_CODE_BLOCK - 1) == 0) /* as most blocks are */
        next = BIPE_CODE_BLOCK;
    while (next < BIPE_CODE_BLOCK && letters[next] == letters[first])
        next++;
    *end = code - first + next;
    return (bipe_category)(letters[first] - 'a');
}

/* ---- properties ---- */

#define BIT(category) (UINT32_C(1) << BIPE_##category)
#define LETTERS (BIT(LU) | BIT(LL) | BIT(LT) | BIT(LM) | BIT(LO))
#define MARKS (BIT(MN) | BIT(MC) | BIT(ME))
#define NUMBERS (BIT(ND) | BIT(NL) | BIT(NO))
#define PUNCTUATION (BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO))
#define SYMBOLS (BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO))
#define SEPARATORS (BIT(ZS) | BIT(ZL) | BIT(ZP))
#define GRAPHIC (LETTERS | MARKS | NUMBERS | PUNCTUATION | SYMBOLS | BIT(CF) | BIT(CO))
#define OTHERS (BIT(CC) | BIT(CF) | BIT(CS) | BIT(CO) | BIT(CN))

/* Properties that are unions of categories, with the ranges of another property where one is named. */
static const struct {
    const char *name;
    uint32_t categories;
    const char *also;
} categories[] = {
    {"Any", LETTERS | MARKS | NUMBERS | PUNCTUATION | SYMBOLS | SEPARATORS | OTHERS, NULL}, {"L", LETTERS, NULL},
    {"Lu", BIT(LU), NULL}, {"Ll", BIT(LL), NULL}, {"Lt", BIT(LT), NULL}, {"Lm", BIT(LM), NULL}, {"Lo", BIT(LO), NULL},
    {"M", MARKS, NULL}, {"Mn", BIT(MN), NULL}, {"Mc", BIT(MC), NULL}, {"Me", BIT(ME), NULL}, {"N", NUMBERS, NULL},
    {"Nd", BIT(ND), NULL}, {"Nl", BIT(NL), NULL}, {"No", BIT(NO), NULL}, {"P", PUNCTUATION, NULL},
    {"Pc", BIT(PC), NULL}, {"Pd", BIT(PD), NULL}, {"Ps", BIT(PS), NULL}, {"Pe", BIT(PE), NULL}, {"Pi", BIT(PI), NULL},
    {"Pf", BIT(PF), NULL}, {"Po", BIT(PO), NULL}, {"S", SYMBOLS, NULL}, {"Sm", BIT(SM), NULL}, {"Sc", BIT(SC), NULL},
    {"Sk", BIT(SK), NULL}, {"So", BIT(SO), NULL}, {"Z", SEPARATORS, NULL}, {"Zs", BIT(ZS), NULL}, {"Zl", BIT(ZL), NULL},
    {"Zp", BIT(ZP), NULL}, {"C", OTHERS, NULL}, {"Cc", BIT(CC), NULL}, {"Cf", BIT(CF), NULL}, {"Cs", BIT(CS), NULL},
    {"Co", BIT(CO), NULL}, {"Cn", BIT(CN), NULL}, {"Alphabetic", LETTERS | BIT(NL), "Other_Alphabetic"},
    {"Lowercase", BIT(LL), "Other_Lowercase"}, {"Uppercase", BIT(LU), "Other_Uppercase"},
    {"Math", BIT(SM), "Other_Math"},
    /* classes of POSIX, as Oniguruma has them (property_names.c) */
    {"PosixAlnum", LETTERS | BIT(NL) | BIT(ND), "Other_Alphabetic"}, {"PosixPunct", PUNCTUATION | SYMBOLS, NULL},
    {"PosixGraph", GRAPHIC, NULL}, {"PosixPrint", GRAPHIC | BIT(ZS), NULL},
    {"PosixWord", LETTERS | MARKS | BIT(ND) | BIT(NL) | BIT(PC), "Other_Alphabetic"},
};

/* Equality without regard to case and '_'. */
static bool is_name(const char *known, const char *name, size_t size)
{
    for (;;) {
        known += *known == '_';
        while (size > 0 && *name == '_')
            name++, size--;
        if (*known == '\0' || size == 0)
            return *known == '\0' && size == 0;
        char a = *known++, b = *name++;
        size--;
        a = a >= 'A' && a <= 'Z' ? (char)(a | 0x20) : a;
        b = b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b;
        if (a != b)
            return false;
    }
}

static int add_categories(bipe_code_set *set, uint32_t wanted, bipe_error *err)
{
    int status = BIPE_OK;
    for (int32_t code = 0, end; code < BIPE_CODES && status == BIPE_OK; code = end)
        if ((wanted >> bipe_unicode_category_run(code, &end) & 1) != 0)
            status = bipe_code_set_add(set, code, end - 1, err);
    return status;
}

/* The ranges of a script or the like. */
static int add_listed(bipe_code_set *set, const char *name, size_t size, bipe_error *err)
{
    const bipe_unicode_name *n = bipe_unicode_names;
    while (n->name != NULL && !is_name(n->name, name, size))
        n++;
    if (n->name == NULL)
        return BIPE_END;
    return bipe_code_set_gather(set, bipe_unicode_ranges + n[0].range, n[1].range - n[0].range, err);
}

static int add_property(bipe_code_set *set, const char *name, size_t size, bipe_error *err)
{
    if (size > 3 && memcmp(name, "sc:", 3) == 0)
        return add_listed(set, name + 3, size - 3, err);
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (is_name(categories[i].name, name, size)) {
            int status = add_categories(set, categories[i].categories, err);
            const char *also = categories[i].also;
            return status == BIPE_OK && also != NULL ? add_listed(set, also, strlen(also), err) : status;
        }
    return add_listed(set, name, size, err);
}

/* Fills a set with the gathered ranges, or, negated, with all others. */
static int fill_set(bipe_code_set *set, bipe_code_set *gathered, bool negated, bipe_error *err)
{
    bipe_code_set_sort(gathered);
    return bipe_code_set_fill(set, gathered, negated, err);
}

/* Fills an empty set with the characters of a property, or, negated, with all others: a category ("Lu", "L"), "Any", a
 * script ("sc:Han") or another property. Case and '_' do not matter. BIPE_END: unknown property. */
static int fill_property(bipe_code_set *set, const char *name, size_t size, bool negated, bipe_error *err)
{
    bipe_code_set all = {0};
    int status = add_property(&all, name, size, err);
    if (status == BIPE_OK)
        status = fill_set(set, &all, negated, err);
    bipe_code_set_free(&all);
    return status;
}

/* ---- classes ---- */

/* Adds a property at \p{ or \P{ to the set; returns its length, or 0 with *status. */
static size_t read_property(bipe_code_set *set, const char *at, int *status, bipe_error *err)
{
    bool negated = (at[1] == 'P') != (at[2] == '{' && at[3] == '^');
    const char *name = at + 3 + (at[2] == '{' && at[3] == '^'), *end = at[2] == '{' ? strchr(name, '}') : NULL;
    bipe_code_set one = {0};
    *status = end != NULL ? fill_property(&one, name, (size_t)(end - name), negated, err) : BIPE_END;
    if (*status == BIPE_OK)
        *status = bipe_code_set_gather(set, one.range, one.count, err);
    bipe_code_set_free(&one);
    return *status == BIPE_OK ? (size_t)(end + 1 - at) : 0;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* A character of a class, or an escape for one; returns its length, 0: neither. */
static size_t read_code(const char *at, int32_t *code)
{
    static const char names[] = "ntrfea", values[] = "\n\t\r\f\x1B\a";
    if (*at != '\\')
        return *at != '\0' && *at != '[' ? bipe_utf8_decode((const uint8_t *)at, strlen(at), code) : 0;
    const char *name = at[1] != '\0' ? strchr(names, at[1]) : NULL;
    size_t n = 2;
    *code = 0;
    if (name != NULL) {
        *code = values[name - names];
    } else if (at[1] == 'x') {
        bool braces = at[2] == '{';
        size_t first = n = braces ? 3 : 2;
        for (; hex_value(at[n]) >= 0 && n - first < (braces ? 6U : 2U); n++)
            *code = *code * 16 + hex_value(at[n]);
        n = n == first || (braces && at[n] != '}') || *code >= BIPE_CODES ? 0 : n + braces;
    } else if (at[1] <= ' ' || at[1] >= 0x7F || (at[1] >= '0' && at[1] <= '9') ||
               ((at[1] | 0x20) >= 'a' && (at[1] | 0x20) <= 'z')) {
        n = 0;
    } else {
        *code = at[1];
    }
    return n;
}

/* A character or a range at *at. BIPE_END: neither. */
static int read_range(bipe_code_set *set, const char **at, bipe_error *err)
{
    int32_t first, last;
    size_t n = read_code(*at, &first);
    if (n == 0 || first < 0)
        return BIPE_END;
    *at += n;
    last = first;
    if (**at == '-' && (*at)[1] != ']') {
        n = read_code(*at + 1, &last);
        if (n == 0 || last < first)
            return BIPE_END;
        *at += n + 1;
    }
    return bipe_code_set_gather(set, &(bipe_code_range){first, last}, 1, err);
}

int bipe_unicode_class(bipe_code_set *set, const char *source, bipe_error *err)
{
    const char *at = source;
    int status = BIPE_OK;
    bipe_code_set all = {0};
    if (at[0] == '\\' && (at[1] == 'p' || at[1] == 'P')) {
        at += read_property(&all, at, &status, err);
        if (status == BIPE_OK)
            status = *at == '\0' ? fill_set(set, &all, false, err) : BIPE_END;
        bipe_code_set_free(&all);
        return status;
    }
    if (*at++ != '[')
        return BIPE_END;
    bool negated = *at == '^';
    at += negated;
    for (const char *start = at; status == BIPE_OK && (*at != ']' || at == start);) {
        if (at[0] == '\\' && (at[1] == 'p' || at[1] == 'P')) {
            at += read_property(&all, at, &status, err);
            if (status == BIPE_OK && *at == '-' && at[1] != ']') /* a hyphen, or a mistake */
                status = BIPE_END;
        } else {
            status = read_range(&all, &at, err);
        }
    }
    if (status == BIPE_OK && at[1] != '\0')
        status = BIPE_END;
    if (status == BIPE_OK)
        status = fill_set(set, &all, negated, err);
    bipe_code_set_free(&all);
    return status;
}
