/* scheme.c - reads and writes the names of position schemes and of frequency scalings. position_tables.c
 * computes the positions. */
#include "model/scheme.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

typedef struct kind_name {
    const char *name;
    bool rotates;
    bool factor;            /* takes *K */
    double default_factor, least_factor;
} kind_name;

/* A row has the kind and its kind_name. */
#define KIND_ROWS(ROW) \
    ROW(BIPE_LEARNED, "learned", false, false, 1, 1) \
    ROW(BIPE_SINUSOIDAL, "sinusoidal", false, false, 1, 1) \
    ROW(BIPE_ROPE, "rope", true, false, 1, 1) \
    ROW(BIPE_XPOS, "xpos", true, false, 1, 1) \
    ROW(BIPE_ALIBI, "alibi", false, true, 1, 0) \
    ROW(BIPE_T5, "t5", false, false, 1, 1) \
    ROW(BIPE_RANDOMIZED_ROPE, "randomized-rope", true, true, 4, 1)
#define KIND_NAME(kind, ...) [kind] = {__VA_ARGS__},
static const kind_name kind_names[] = {KIND_ROWS(KIND_NAME)};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

/* Names of schemes that are no kind's. A kind alone is that kind on the token index. */
#define SHORT_ROWS(ROW) \
    ROW("bipe-rope", {{{BIPE_LEARNED, BIPE_INDEX_INTRA, 1}, {BIPE_ROPE, BIPE_INDEX_SEGMENT, 1}}, 2}) \
    ROW("bipe-alibi", {{{BIPE_LEARNED, BIPE_INDEX_INTRA, 1}, {BIPE_ALIBI, BIPE_INDEX_SEGMENT, 96}}, 2}) \
    ROW("none", {{{BIPE_LEARNED, BIPE_INDEX_TOKEN, 0}}, 0}) \
    ROW("nope", {{{BIPE_LEARNED, BIPE_INDEX_TOKEN, 0}}, 0})
#define SHORT_NAME(...) {__VA_ARGS__},
static const struct {
    const char *name;
    bipe_scheme scheme;
} short_names[] = {SHORT_ROWS(SHORT_NAME)};
enum { SHORT_NAMES = sizeof short_names / sizeof short_names[0] };

#define SHORT_WORD(name, ...) name,
#define KIND_WORD(kind, name, ...) name,
const char *const bipe_scheme_words[] = {SHORT_ROWS(SHORT_WORD) KIND_ROWS(KIND_WORD) NULL};

#define SCHEME_EXPECTED \
    "expected none, nope, bipe-rope, bipe-alibi, or KIND@INDEX[*K] terms joined by + " \
    "(KIND: learned, sinusoidal, rope, xpos, alibi, t5, randomized-rope; INDEX: token, segment, intra, " \
    "or of a coarser level segment2, intra2, ... segment4, intra4)"

/* How much of a wrong text a message shows. */
static int shown_size(size_t size)
{
    return size < 100 ? (int)size : 100;
}

static bool same_text(const char *text, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(text, name, size) == 0;
}

/* A finite positive decimal number that is all of text[0 .. size). */
static bool read_factor(const char *text, size_t size, double *value)
{
    char copy[64];
    if (size == 0 || size >= sizeof copy)
        return false;
    for (size_t i = 0; i < size; i++)
        if (strchr("0123456789.eE-+", text[i]) == NULL || text[i] == '\0')
            return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return end == copy + size && isfinite(*value) && *value > 0;
}

/* The fewest digits that read back as the same number; no plus sign, which joins terms. */
static void write_number(double value, char text[32])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char *plus = strchr(text, '+');
    if (plus != NULL)
        memmove(plus, plus + 1, strlen(plus));
}

static int parse_term(const char *text, size_t size, bipe_position_term *term, bipe_error *err)
{
    const char *at = memchr(text, '@', size);
    const char *star = memchr(text, '*', size);
    if (at != NULL && star != NULL && star < at)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "term \"%.*s\": expected the form KIND@INDEX*K", shown_size(size),
                         text);
    const char *end = text + size;
    const char *kind_end = at != NULL ? at : star != NULL ? star : end;

    size_t kind = 0;
    while (kind < KINDS && !same_text(text, (size_t)(kind_end - text), kind_names[kind].name))
        kind++;
    for (size_t i = 0; kind == KINDS && i < SHORT_NAMES; i++)
        if (same_text(text, size, short_names[i].name))
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "term \"%.*s\": a short name stands alone, expected KIND@INDEX[*K]", shown_size(size),
                             text);
    if (kind == KINDS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "term \"%.*s\": unknown kind, " SCHEME_EXPECTED, shown_size(size),
                         text);
    const kind_name *known = &kind_names[kind];

    size_t index = BIPE_INDEX_TOKEN;
    if (at != NULL) {
        const char *index_end = star != NULL ? star : end;
        for (index = 0; index < BIPE_INDICES; index++)
            if (same_text(at + 1, (size_t)(index_end - at - 1), bipe_index_names[index]))
                break;
        if (index == BIPE_INDICES)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "term \"%.*s\": unknown index, expected token, segment or intra, or segment2, intra2, ... "
                             "of a coarser level", shown_size(size), text);
    }

    double factor = known->default_factor;
    if (star != NULL) {
        if (!known->factor)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "term \"%.*s\": %s takes no factor, only alibi and randomized-rope do", shown_size(size),
                             text, known->name);
        if (!read_factor(star + 1, (size_t)(end - star - 1), &factor) || factor < known->least_factor)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "term \"%.*s\": expected a number %s after *", shown_size(size),
                             text, known->least_factor > 0 ? "of at least 1" : "above 0");
    }
    *term = (bipe_position_term){(bipe_position_kind)kind, (bipe_position_index)index, factor};
    return BIPE_OK;
}

static int check_together(const bipe_scheme *scheme, const bipe_position_term *term, const char *text, size_t size,
                          bipe_error *err)
{
    for (size_t i = 0; i < scheme->count; i++) {
        const bipe_position_term *other = &scheme->term[i];
        if (other->kind == term->kind && other->index == term->index)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "term \"%.*s\": given twice, expected once", shown_size(size),
                             text);
        if (kind_names[other->kind].rotates && kind_names[term->kind].rotates)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "term \"%.*s\": a second rotation beside %s@%s, expected at most one", shown_size(size),
                             text, kind_names[other->kind].name, bipe_index_names[other->index]);
        if (other->kind == BIPE_LEARNED && term->kind == BIPE_LEARNED)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "term \"%.*s\": a second learned table, a model has only one", shown_size(size), text);
    }
    return BIPE_OK;
}

/* Terms are kept in the order of their kinds, then of their indices: a scheme has one name. */
static void insert_term(bipe_scheme *scheme, bipe_position_term term)
{
    size_t at = scheme->count++;
    while (at > 0 && (scheme->term[at - 1].kind > term.kind ||
                      (scheme->term[at - 1].kind == term.kind && scheme->term[at - 1].index > term.index))) {
        scheme->term[at] = scheme->term[at - 1];
        at--;
    }
    scheme->term[at] = term;
}

static bool same_scheme(const bipe_scheme *a, const bipe_scheme *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->term[i].kind != b->term[i].kind || a->term[i].index != b->term[i].index ||
            a->term[i].factor != b->term[i].factor)
            return false;
    return true;
}

/* As bipe_scheme_format(); returns the size of the text, whether it fits or not. */
static size_t write_scheme(const bipe_scheme *scheme, char text[256])
{
    const char *name = NULL;
    for (size_t i = 0; i < SHORT_NAMES && name == NULL; i++)
        if (same_scheme(scheme, &short_names[i].scheme))
            name = short_names[i].name;
    const bipe_position_term *only = scheme->term;
    if (scheme->count == 1 && only->index == BIPE_INDEX_TOKEN && only->kind != BIPE_LEARNED &&
        only->factor == kind_names[only->kind].default_factor)
        name = kind_names[only->kind].name;
    size_t used = (size_t)snprintf(text, 256, "%s", name != NULL ? name : "");
    if (name != NULL)
        return used;
    for (size_t i = 0; i < scheme->count && used < 256; i++) {
        const bipe_position_term *term = &scheme->term[i];
        char factor[32] = "";
        if (kind_names[term->kind].factor && term->factor != 1)
            write_number(term->factor, factor);
        else if (term->kind == BIPE_RANDOMIZED_ROPE)
            snprintf(factor, sizeof factor, "1");
        used += (size_t)snprintf(text + used, 256 - used, "%s%s@%s%s%s", i > 0 ? "+" : "", kind_names[term->kind].name,
                                 bipe_index_names[term->index], factor[0] != '\0' ? "*" : "", factor);
    }
    return used;
}

const char *bipe_scheme_format(const bipe_scheme *scheme, char text[256])
{
    write_scheme(scheme, text);
    return text;
}

int bipe_scheme_parse(bipe_scheme *scheme, const char *text, bipe_error *err)
{
    for (size_t i = 0; i < SHORT_NAMES; i++)
        if (strcmp(text, short_names[i].name) == 0) {
            *scheme = short_names[i].scheme;
            return BIPE_OK;
        }
    bipe_scheme made = {.count = 0};
    const char *at = text;
    for (;;) {
        size_t size = strcspn(at, "+");
        bipe_position_term term = {BIPE_LEARNED, BIPE_INDEX_TOKEN, 1};
        if (size == 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "\"%.*s\": an empty term, " SCHEME_EXPECTED,
                             shown_size(strlen(text)), text);
        int status = parse_term(at, size, &term, err);
        if (status == BIPE_OK)
            status = check_together(&made, &term, at, size, err);
        if (status != BIPE_OK)
            return status;
        if (made.count == BIPE_SCHEME_TERMS)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "term \"%.*s\": too many terms, expected at most %d",
                             shown_size(size), at, (int)BIPE_SCHEME_TERMS);
        insert_term(&made, term);
        at += size;
        if (*at == '\0')
            break;
        at++;
    }
    char name[256];
    if (write_scheme(&made, name) >= sizeof name)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "\"%.*s\": expected at most 255 bytes, with factors of fewer digits",
                         shown_size(strlen(text)), text);
    *scheme = made;
    return BIPE_OK;
}

bool bipe_scheme_rotates(const bipe_scheme *scheme)
{
    for (size_t i = 0; i < scheme->count; i++)
        if (kind_names[scheme->term[i].kind].rotates)
            return true;
    return false;
}

size_t bipe_scheme_levels(const bipe_scheme *scheme)
{
    size_t levels = 0;
    for (size_t i = 0; i < scheme->count; i++)
        levels = bipe_larger(levels, bipe_index_level(scheme->term[i].index));
    return levels;
}

bool bipe_scheme_uses_segments(const bipe_scheme *scheme)
{
    return bipe_scheme_levels(scheme) > 0;
}

void bipe_scheme_remove(bipe_scheme *scheme, bool intra)
{
    size_t kept = 0;
    for (size_t i = 0; i < scheme->count; i++)
        if ((scheme->term[i].index == BIPE_INDEX_INTRA) != intra)
            scheme->term[kept++] = scheme->term[i];
    scheme->count = kept;
}

#define SCALING_EXPECTED \
    "expected none, linear:F, dynamic:F, yarn:F[:ORIGINAL] or llama3:F:LOW:HIGH:ORIGINAL with F above 0"

static const char *const scaling_names[] = {
    [BIPE_SCALING_NONE] = "none", [BIPE_SCALING_LINEAR] = "linear", [BIPE_SCALING_DYNAMIC] = "dynamic",
    [BIPE_SCALING_YARN] = "yarn", [BIPE_SCALING_LLAMA3] = "llama3", [BIPE_SCALING_FACTORS] = "factors",
    [BIPE_SCALING_LONGROPE] = "longrope",
};

const char *bipe_rope_scaling_name(const bipe_rope_scaling *scaling)
{
    return scaling_names[scaling->kind];
}

/* A ":" and a number above 0 at *text, which moves on. */
static bool next_number(const char **text, double *value)
{
    if (**text != ':')
        return false;
    const char *number = *text + 1;
    size_t size = strcspn(number, ":");
    *text = number + size;
    return read_factor(number, size, value);
}

/* The same for a number of tokens. */
static bool next_tokens(const char **text, uint64_t *value)
{
    if (**text != ':')
        return false;
    const char *number = *text + 1;
    size_t digits = strspn(number, "0123456789");
    *text = number + digits;
    *value = digits <= 12 ? strtoull(number, NULL, 10) : 0;
    return *value > 0;
}

/* ":NAME=VALUE" at *text, which moves on: a setting of yarn. */
static bool next_setting(const char **text, bipe_rope_scaling *made)
{
    static const char exact[] = "truncate=false";
    struct {
        const char *name;
        double *value;
    } numbers[] = {{"attention_factor=", &made->magnitude}, {"beta_fast=", &made->high}, {"beta_slow=", &made->low}};
    if (**text != ':')
        return false;
    const char *at = *text + 1;
    size_t size = strcspn(at, ":");
    *text = at + size;
    if (same_text(at, size, exact))
        return made->exact = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        size_t name = strlen(numbers[i].name);
        if (size > name && strncmp(at, numbers[i].name, name) == 0)
            return read_factor(at + name, size - name, numbers[i].value);
    }
    return false;
}

static bool next_settings(const char **text, bipe_rope_scaling *made)
{
    const char *after = *text;
    if (next_tokens(&after, &made->original))
        *text = after;
    bool good = true;
    while (good && **text != '\0')
        good = next_setting(text, made);
    bipe_yarn_complete(made);
    return good && (made->low == 0 || made->low <= made->high);
}

void bipe_yarn_complete(bipe_rope_scaling *scaling)
{
    double low = scaling->low != 0 ? scaling->low : 1, high = scaling->high != 0 ? scaling->high : 32;
    bool usual = low == 1 && high == 32;
    scaling->low = usual ? 0 : low;
    scaling->high = usual ? 0 : high;
}

int bipe_rope_scaling_parse(bipe_rope_scaling *scaling, const char *text, bipe_error *err)
{
    bipe_rope_scaling made = {.kind = BIPE_SCALING_NONE, .factor = 1};
    size_t size = strcspn(text, ":");
    for (int kind = BIPE_SCALING_NONE; kind < BIPE_SCALING_FACTORS && !same_text(text, size, scaling_names[kind]);
         kind++)
        made.kind = (bipe_scaling_kind)(kind + 1);
    if (made.kind == BIPE_SCALING_FACTORS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "\"%.*s\": unknown kind, " SCALING_EXPECTED, shown_size(strlen(text)),
                         text);
    const char *rest = text + size;
    bool good = made.kind == BIPE_SCALING_NONE || next_number(&rest, &made.factor);
    if (made.kind == BIPE_SCALING_LLAMA3)
        good = good && next_number(&rest, &made.low) && next_number(&rest, &made.high) &&
               next_tokens(&rest, &made.original) && made.low < made.high;
    if (made.kind == BIPE_SCALING_YARN)
        good = good && next_settings(&rest, &made);
    if (!good || *rest != '\0')
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "\"%.*s\": " SCALING_EXPECTED, shown_size(strlen(text)), text);
    *scaling = made;
    return BIPE_OK;
}

const char *bipe_rope_scaling_format(const bipe_rope_scaling *scaling, char text[BIPE_SCALING_TEXT])
{
    bool turns = scaling->low != 0, llama3 = scaling->kind == BIPE_SCALING_LLAMA3;
    char factor[32], low[32], high[32], magnitude[32], original[32];
    write_number(scaling->factor, factor);
    write_number(scaling->low, low);
    write_number(scaling->high, high);
    write_number(scaling->magnitude, magnitude);
    snprintf(original, sizeof original, "%llu", (unsigned long long)scaling->original);
    const struct {
        bool there;
        const char *name, *value;
    } parts[] = {{true, "", scaling_names[scaling->kind]},
                 {scaling->kind != BIPE_SCALING_NONE && scaling->kind < BIPE_SCALING_FACTORS, ":", factor},
                 {llama3, ":", low},
                 {llama3, ":", high},
                 {scaling->original != 0, ":", original},
                 {scaling->magnitude != 0, ":attention_factor=", magnitude},
                 {turns && !llama3, ":beta_fast=", high},
                 {turns && !llama3, ":beta_slow=", low},
                 {scaling->exact, ":truncate=", "false"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].there)
            snprintf(text + strlen(text), BIPE_SCALING_TEXT - strlen(text), "%s%s", parts[i].name, parts[i].value);
    return text;
}
