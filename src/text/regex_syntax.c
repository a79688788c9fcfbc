/* regex_syntax.c - reads patterns in PCRE2's syntax, as far as an automaton can do them, into nodes.
 *
 * Whatever is not plainly understood here is refused, which costs speed and nothing else: the pattern is PCRE2's then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/regex_nodes.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { NESTING = 100, PATTERN_LIMIT = 4096, REPEAT_LIMIT = 1000 };

typedef struct reader {
    bipe_regex_program *program;
    const char *at, *end;
    bool caseless, multiline, dotall, dollar_endonly, unicode16;
    int depth;
    node *nodes;
    size_t count, capacity;
    char *source[BIPE_REGEX_SETS]; /* what each set is asked for with */
    bool possessive; /* something is */
    bipe_error *err;
} reader;

static int read_choice(reader *r, size_t *out);

static bool is_one_of(char c, const char *all)
{
    return c != '\0' && strchr(all, c) != NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Of a pattern: no NUL. */
static bool is_ascii(char c)
{
    return c != '\0' && (uint8_t)c < 0x80;
}

static char peek(const reader *r, size_t ahead)
{
    return ahead < (size_t)(r->end - r->at) ? r->at[ahead] : '\0';
}

static int add_node(reader *r, node n, size_t *out)
{
    if (bipe_grow(&r->nodes, &r->capacity, r->count + 1, sizeof *r->nodes) != 0)
        return bipe_fail_memory(r->err);
    r->nodes[r->count] = n;
    *out = r->count++;
    return BIPE_OK;
}

/* ---- sets ---- */

static bool find_set(const reader *r, const char *source, unsigned *number)
{
    for (size_t s = 0; s < r->program->sets; s++)
        if (strcmp(r->source[s], source) == 0) {
            *number = (unsigned)s;
            return true;
        }
    return false;
}

/* Another set of the program, which has nothing in it so far. */
static int new_set(reader *r, const char *source, unsigned *number)
{
    bipe_regex_program *p = r->program;
    if (p->sets == BIPE_REGEX_SETS)
        return BIPE_END;
    r->source[p->sets] = bipe_strdup(source);
    if (r->source[p->sets] == NULL)
        return bipe_fail_memory(r->err);
    *number = (unsigned)p->sets++;
    return BIPE_OK;
}

/* The set of characters that a source matches, by our tables or as PCRE2 says. */
static int ask_set(reader *r, const char *source, unsigned *number)
{
    if (find_set(r, source, number))
        return BIPE_OK;
    int status = new_set(r, source, number);
    if (status == BIPE_OK && r->unicode16) {
        status = bipe_unicode_class(&r->program->set[*number].known, source, r->err);
        if (status != BIPE_END || strstr(source, "\\p") != NULL || strstr(source, "\\P") != NULL)
            return status;
        status = BIPE_OK; /* no property: this is the same in all versions */
    }
    return status == BIPE_OK ? bipe_code_question_open(&r->program->set[*number].question, source, r->err) : status;
}

/* The same of size bytes, which are a class or an escape. */
static int ask_part(reader *r, const char *part, size_t size, unsigned *number)
{
    bipe_buffer source = {0};
    int status = bipe_buffer_printf(&source, r->err, "%s%.*s", r->caseless ? "(?i)" : "", (int)size, part);
    if (status == BIPE_OK)
        status = ask_set(r, (const char *)source.data, number);
    bipe_buffer_free(&source);
    return status;
}

/* A set that is known without asking: ranges, which are put in order, or all but them. */
static int plain_set(reader *r, bipe_code_range *range, size_t count, bool negated, unsigned *number)
{
    bipe_code_set listed = {.range = range, .count = bipe_code_ranges_sort(range, count)};
    bipe_buffer source = {0};
    int status = bipe_buffer_printf(&source, r->err, "plain%d", negated);
    for (size_t i = 0; i < listed.count && status == BIPE_OK; i++)
        status = bipe_buffer_printf(&source, r->err, ",%d-%d", (int)range[i].first, (int)range[i].last);
    if (status == BIPE_OK && !find_set(r, (const char *)source.data, number)) {
        status = new_set(r, (const char *)source.data, number);
        if (status == BIPE_OK)
            status = bipe_code_set_fill(&r->program->set[*number].known, &listed, negated, r->err);
    }
    bipe_buffer_free(&source);
    return status;
}

static int one_plain(reader *r, int32_t code, bool negated, unsigned *number)
{
    return plain_set(r, &(bipe_code_range){code, code}, 1, negated, number);
}

/* A character, with its other cases where (?i) holds: of ASCII ones, letters alone have some. */
static int one_character(reader *r, int32_t code, unsigned *number)
{
    bool letter = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    if (!r->caseless || (code < 0x80 && !letter))
        return one_plain(r, code, false, number);
    char source[32];
    snprintf(source, sizeof source, "(?i)\\x{%X}", (unsigned)(letter ? code | 0x20 : code));
    return ask_set(r, source, number);
}

/* ---- escapes and classes ---- */

static int hex_value(char c)
{
    return is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* Reads an escape that means one character, behind its backslash. BIPE_END: none of these. */
static int read_escaped(reader *r, int32_t *code)
{
    static const char names[] = "ntrfea", values[] = "\n\t\r\f\x1B\a";
    char c = peek(r, 0);
    if (is_one_of(c, names)) {
        *code = values[strchr(names, c) - names];
        r->at++;
        return BIPE_OK;
    }
    if (c == 'x') {
        bool braces = peek(r, 1) == '{';
        size_t n = braces ? 2 : 1, first = n;
        *code = 0;
        for (; hex_value(peek(r, n)) >= 0 && n - first < (braces ? 6U : 2U); n++)
            *code = *code * 16 + hex_value(peek(r, n));
        if (n == first || (braces && peek(r, n) != '}') || *code >= BIPE_REGEX_CODES || (*code >= 0xD800 && *code < 0xE000))
            return BIPE_END;
        r->at += n + braces;
        return BIPE_OK;
    }
    if (c <= ' ' || c >= 0x7F || is_alnum(c)) /* a NUL, too, at the end */
        return BIPE_END;
    *code = c;
    r->at++;
    return BIPE_OK;
}

/* A character of a class, or a range of them. BIPE_END: not plainly one. */
static int read_plain_range(reader *r, bool first, bipe_code_range *range)
{
    char c = peek(r, 0);
    bool hyphen = c == '-' && (first ? peek(r, 1) != '-' : peek(r, 1) == ']');
    if (!is_ascii(c) || is_one_of(c, "[]") || (c == '-' && !hyphen))
        return BIPE_END;
    r->at++;
    range->first = c;
    int status = c == '\\' ? read_escaped(r, &range->first) : BIPE_OK;
    range->last = range->first;
    char last = peek(r, 1);
    if (status != BIPE_OK || peek(r, 0) != '-' || last == ']')
        return status;
    range->last = last;
    r->at += 2;
    if (last == '\\')
        status = read_escaped(r, &range->last);
    else if (!is_ascii(last) || is_one_of(last, "[-"))
        status = BIPE_END;
    return status == BIPE_OK && range->last < range->first ? BIPE_END : status;
}

/* A class of ASCII characters, others that are escaped, and ranges, without asking. BIPE_END: not of this kind, and nothing is read. */
static int read_plain_class(reader *r, unsigned *number)
{
    bipe_code_range range[40];
    size_t count = 0;
    const char *start = r->at;
    int status = r->caseless ? BIPE_END : BIPE_OK;
    r->at++;
    bool negated = peek(r, 0) == '^';
    r->at += negated;
    while (status == BIPE_OK && (peek(r, 0) != ']' || count == 0)) {
        status = count < sizeof range / sizeof *range ? read_plain_range(r, count == 0, &range[count]) : BIPE_END;
        count++;
    }
    if (status == BIPE_OK) {
        r->at++;
        status = plain_set(r, range, count, negated, number);
    }
    if (status == BIPE_END)
        r->at = start;
    return status;
}

/* The length of a class, with its brackets; 0: of a kind that is not understood. */
static size_t class_size(const reader *r)
{
    size_t n = 1 + (peek(r, 1) == '^');
    if (peek(r, n) == ']')
        return 0;
    for (; peek(r, n) != ']'; n++) {
        char c = peek(r, n), then = peek(r, n + 1);
        if (c == '\0' || (c == '[' && is_one_of(then, ":.=")))
            return 0;
        if (c == '\\') {
            if (then == '\0' || is_one_of(then, "QEcNXRBCG") || is_digit(then) || then == 'o')
                return 0;
            n++;
        }
    }
    return n + 1;
}

static int read_class(reader *r, unsigned *number)
{
    int status = read_plain_class(r, number);
    if (status != BIPE_END)
        return status;
    size_t size = class_size(r);
    if (size == 0)
        return BIPE_END;
    status = ask_part(r, r->at, size, number);
    r->at += size;
    return status;
}

static int add_set(reader *r, unsigned set, size_t *out)
{
    return add_node(r, (node){.kind = NODE_SET, .value = set}, out);
}

static int add_condition(reader *r, bipe_regex_condition condition, size_t *out)
{
    bipe_regex_program *p = r->program;
    if (p->conditions == BIPE_REGEX_CONDITIONS)
        return BIPE_END;
    p->condition[p->conditions] = condition;
    return add_node(r, (node){.kind = NODE_CONDITION, .nullable = true, .value = (unsigned)p->conditions++}, out);
}

/* One that looks for a newline. */
static int add_line_condition(reader *r, bipe_regex_condition condition, size_t *out)
{
    unsigned set;
    int status = one_plain(r, '\n', false, &set);
    condition.sets = status == BIPE_OK ? UINT64_C(1) << set : 0;
    return status == BIPE_OK ? add_condition(r, condition, out) : status;
}

/* \R, which never gives back the LF of a CR LF. */
static int read_newline_sequence(reader *r, size_t *out)
{
    static const char meaning[] = "\\r\\n|\\r(?!\\n)|[\\n\\x0B\\f\\x85\\x{2028}\\x{2029}]";
    const char *at = r->at, *end = r->end;
    bool caseless = r->caseless;
    r->at = meaning;
    r->end = meaning + sizeof meaning - 1;
    r->caseless = false;
    int status = read_choice(r, out);
    r->at = at;
    r->end = end;
    r->caseless = caseless;
    return status;
}

/* \w, \p{Lu}, \b and the like. */
static int read_escape(reader *r, size_t *out)
{
    unsigned set = 0;
    char c = peek(r, 1);
    size_t size = 2;
    int status;
    if (c == 'A' || c == 'z') {
        r->at += 2;
        return add_condition(r, (bipe_regex_condition){.look = c == 'A' ? REGEX_BEHIND : REGEX_AHEAD, .edge = true}, out);
    }
    if (c == 'b' || c == 'B') {
        r->at += 2;
        status = ask_set(r, "\\w", &set);
        bipe_regex_condition word = {.look = REGEX_WORD, .sets = UINT64_C(1) << set, .negated = c == 'B'};
        return status == BIPE_OK ? add_condition(r, word, out) : status;
    }
    if (is_one_of(c, "dDwWsShHvV")) {
        status = ask_part(r, r->at, size, &set);
    } else if (c == 'p' || c == 'P') {
        size = 3;
        if (peek(r, 2) == '{') {
            while (is_alnum(peek(r, size)) || is_one_of(peek(r, size), "^_:=&"))
                size++;
            if (peek(r, size++) != '}')
                return BIPE_END;
        } else if (!is_alnum(peek(r, 2))) {
            return BIPE_END;
        }
        status = ask_part(r, r->at, size, &set);
    } else if (c == 'R') {
        r->at += 2;
        return read_newline_sequence(r, out);
    } else {
        int32_t code;
        r->at++;
        size = 0;
        status = read_escaped(r, &code);
        if (status == BIPE_OK)
            status = one_character(r, code, &set);
    }
    r->at += size;
    return status == BIPE_OK ? add_set(r, set, out) : status;
}

/* ---- groups ---- */

/* What a look-around may hold: characters of sets and ends of the text, one of them. Gathers them. */
static int gather_look(const reader *r, size_t at, bipe_regex_condition *look)
{
    const node *n = &r->nodes[at];
    if (n->kind == NODE_CHOICE) {
        int status = gather_look(r, n->left, look);
        return status == BIPE_OK ? gather_look(r, n->right, look) : status;
    }
    if (n->kind == NODE_SET) {
        look->sets |= UINT64_C(1) << n->value;
        return BIPE_OK;
    }
    const bipe_regex_condition *c = n->kind == NODE_CONDITION ? &r->program->condition[n->value] : NULL;
    if (c == NULL || c->look != look->look || c->negated || !c->edge)
        return BIPE_END;
    look->edge = true;
    look->sets |= c->sets;
    return BIPE_OK;
}

static int read_look(reader *r, bool behind, bool negated, size_t *out)
{
    size_t inner;
    bipe_regex_condition condition = {.look = behind ? REGEX_BEHIND : REGEX_AHEAD, .negated = negated};
    int status = read_choice(r, &inner);
    if (status == BIPE_OK)
        status = gather_look(r, inner, &condition);
    return status == BIPE_OK ? add_condition(r, condition, out) : status;
}

/* The letters between "(?" and ':' or ')'. */
static int read_flags(reader *r)
{
    bool on = true;
    for (;; r->at++) {
        switch (peek(r, 0)) {
        case '-':
            if (!on)
                return BIPE_END;
            on = false;
            break;
        case 'i': r->caseless = on; break;
        case 'm': r->multiline = on; break;
        case 's': r->dotall = on; break;
        case ':':
        case ')': return BIPE_OK;
        default: return BIPE_END;
        }
    }
}

/* A group, at its parenthesis. What (?i) and the like set is over at its end. */
static int read_group(reader *r, size_t *out)
{
    static const struct {
        const char *opens;
        bool behind, negated;
    } looks[] = {{"(?=", false, false}, {"(?!", false, true}, {"(?<=", true, false}, {"(?<!", true, true}};
    bool caseless = r->caseless, multiline = r->multiline, dotall = r->dotall;
    int status = BIPE_OK;
    size_t look = 0;
    for (; look < 4; look++) {
        size_t size = strlen(looks[look].opens);
        if ((size_t)(r->end - r->at) >= size && memcmp(r->at, looks[look].opens, size) == 0) {
            r->at += size;
            break;
        }
    }
    if (++r->depth > NESTING || peek(r, 1) == '*')
        return BIPE_END;
    if (look < 4) {
        status = read_look(r, looks[look].behind, looks[look].negated, out);
    } else {
        r->at++;
        if (peek(r, 0) == '?') {
            r->at++;
            status = read_flags(r);
            if (status == BIPE_OK && peek(r, 0) == ')') { /* for what follows in the group around */
                r->at++;
                r->depth--;
                return add_node(r, (node){.kind = NODE_EMPTY, .nullable = true}, out);
            }
            r->at++;
        }
        if (status == BIPE_OK)
            status = read_choice(r, out);
    }
    if (status == BIPE_OK && peek(r, 0) != ')')
        status = BIPE_END;
    r->at++;
    r->depth--;
    r->caseless = caseless;
    r->multiline = multiline;
    r->dotall = dotall;
    return status;
}

/* ---- sequences ---- */

/* {n}, {n,} or {n,m}. */
static int read_bounds(reader *r, int *from, int *to)
{
    size_t n = 1;
    int number[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        size_t first = n;
        for (; is_digit(peek(r, n)) && n - first < 6; n++)
            number[i] = number[i] * 10 + (peek(r, n) - '0');
        if (i == 0 && n == first)
            return BIPE_END;
        if (i == 0 && peek(r, n) != ',') {
            number[1] = number[0];
            break;
        }
        if (i == 1 && n == first)
            number[1] = BIPE_REGEX_UNBOUNDED;
        n += i == 0;
    }
    *from = number[0];
    *to = number[1];
    r->at += n + 1;
    return r->at[-1] == '}' && *from <= REPEAT_LIMIT && *to <= REPEAT_LIMIT && *to != 0 ? BIPE_OK : BIPE_END;
}

static int read_quantifier(reader *r, size_t *item)
{
    node repeat = {.kind = NODE_REPEAT, .left = *item};
    const node *what = &r->nodes[*item];
    int status = BIPE_OK;
    switch (peek(r, 0)) {
    case '*': repeat.to = BIPE_REGEX_UNBOUNDED; r->at++; break;
    case '+': repeat.from = 1, repeat.to = BIPE_REGEX_UNBOUNDED; r->at++; break;
    case '?': repeat.to = 1; r->at++; break;
    case '{': status = read_bounds(r, &repeat.from, &repeat.to); break;
    default: return BIPE_OK;
    }
    /* What can match nothing is not repeated in the same way by an automaton. */
    if (status != BIPE_OK || what->kind == NODE_CONDITION || what->kind == NODE_EMPTY || (what->nullable && repeat.to != 1))
        return BIPE_END;
    if (peek(r, 0) == '?') {
        repeat.lazy = true;
        r->at++;
    } else if (peek(r, 0) == '+') {
        repeat.possessive = r->possessive = true;
        r->at++;
        if (what->kind != NODE_SET)
            return BIPE_END;
    }
    if (is_one_of(peek(r, 0), "*+?{"))
        return BIPE_END;
    repeat.nullable = repeat.from == 0 || what->nullable;
    return add_node(r, repeat, item);
}

static int read_item(reader *r, size_t *out)
{
    unsigned set;
    int status;
    char c = peek(r, 0);
    switch (c) {
    case '\\':
        return read_escape(r, out);
    case '(':
        return read_group(r, out);
    case '[':
        status = read_class(r, &set);
        return status == BIPE_OK ? add_set(r, set, out) : status;
    case '.':
        r->at++;
        status = r->dotall ? plain_set(r, NULL, 0, true, &set) : one_plain(r, '\n', true, &set);
        return status == BIPE_OK ? add_set(r, set, out) : status;
    case '^':
        r->at++;
        if (!r->multiline)
            return add_condition(r, (bipe_regex_condition){.look = REGEX_BEHIND, .edge = true}, out);
        return add_line_condition(r, (bipe_regex_condition){.look = REGEX_LINE}, out);
    case '$':
        r->at++;
        if (r->multiline)
            return add_line_condition(r, (bipe_regex_condition){.look = REGEX_AHEAD, .edge = true}, out);
        return r->dollar_endonly ? add_condition(r, (bipe_regex_condition){.look = REGEX_AHEAD, .edge = true}, out) : BIPE_END;
    case '\0':
    case '*':
    case '+':
    case '?':
    case '{': /* may be a character, or the bounds of a later version */
        return BIPE_END;
    }
    int32_t code;
    size_t n = bipe_utf8_decode((const uint8_t *)r->at, (size_t)(r->end - r->at), &code);
    if (n == 0 || code < 0)
        return BIPE_END;
    r->at += n;
    status = one_character(r, code, &set);
    return status == BIPE_OK ? add_set(r, set, out) : status;
}

static int read_sequence(reader *r, size_t *out)
{
    int status = add_node(r, (node){.kind = NODE_EMPTY, .nullable = true}, out);
    while (status == BIPE_OK && r->at < r->end && *r->at != '|' && *r->at != ')') {
        size_t item = 0;
        status = read_item(r, &item);
        if (status == BIPE_OK)
            status = read_quantifier(r, &item);
        if (status != BIPE_OK)
            break;
        if (r->nodes[*out].kind == NODE_EMPTY)
            *out = item;
        else
            status = add_node(r, (node){.kind = NODE_SEQUENCE, .left = *out, .right = item,
                                        .nullable = r->nodes[*out].nullable && r->nodes[item].nullable}, out);
    }
    return status;
}

/* Alternatives. */
static int read_choice(reader *r, size_t *out)
{
    int status = read_sequence(r, out);
    if (status != BIPE_OK || peek(r, 0) != '|' || r->at == r->end)
        return status;
    if (++r->depth > NESTING)
        return BIPE_END;
    r->at++;
    size_t left = *out, right;
    status = read_choice(r, &right);
    r->depth--;
    if (status == BIPE_OK)
        status = add_node(r, (node){.kind = NODE_CHOICE, .left = left, .right = right,
                                    .nullable = r->nodes[left].nullable || r->nodes[right].nullable}, out);
    return status;
}

int bipe_regex_read(bipe_regex_program *p, const char *pattern, size_t size, const bipe_regex_options *options, bipe_error *err)
{
    reader r = {.program = p, .at = pattern, .end = pattern + size, .dollar_endonly = options->dollar_endonly,
                .unicode16 = options->unicode16, .err = err};
    if (size > PATTERN_LIMIT || memchr(pattern, '\0', size) != NULL)
        return BIPE_END;
    size_t all;
    int status = read_choice(&r, &all);
    if (status == BIPE_OK && r.at < r.end)
        status = BIPE_END;
    if (status == BIPE_OK)
        status = bipe_regex_write(p, r.nodes, all, err);
    if (status == BIPE_OK)
        status = bipe_regex_classify(p, options->whole || r.possessive, err);
    if (status == BIPE_OK)
        status = bipe_regex_check_possessions(p, err);
    for (size_t s = 0; s < BIPE_REGEX_SETS; s++)
        bipe_free(r.source[s]);
    bipe_free(r.nodes);
    return status;
}
