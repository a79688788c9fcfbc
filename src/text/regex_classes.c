/* regex_classes.c - the classes of characters that a program's sets tell apart, and the tables that say which class a character has.
 *
 * Asking PCRE2 for all characters takes milliseconds, and a text holds few of them. So what is asked at first is ASCII; a class
 * stands for each combination of sets that another character may be in, and which one that is, is asked when a text holds it, a block
 * of characters at a time. Where these would be too many classes, all is asked at once. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/regex_parts.h"
#include "text/utf8.h"

/* ---- tables ---- */

int bipe_regex_characters_copy(bipe_regex_characters *copy, const bipe_regex_characters *characters, bipe_error *err)
{
    *copy = *characters;
    copy->blocks = NULL;
    copy->capacity = 0;
    if (bipe_grow(&copy->blocks, &copy->capacity, copy->count, sizeof *copy->blocks) != 0)
        return bipe_fail_memory(err);
    memcpy(copy->blocks, characters->blocks, copy->count * sizeof *copy->blocks);
    return BIPE_OK;
}

void bipe_regex_characters_free(bipe_regex_characters *characters)
{
    bipe_free(characters->blocks);
    *characters = (bipe_regex_characters){0};
}

/* Adds a block of one symbol, which is its number then. BIPE_END: too many. */
static int add_block(bipe_regex_characters *c, unsigned symbol, size_t *number, bipe_error *err)
{
    if (c->count > UINT16_MAX)
        return BIPE_END;
    if (bipe_grow(&c->blocks, &c->capacity, c->count + 1, sizeof *c->blocks) != 0)
        return bipe_fail_memory(err);
    memset(c->blocks[c->count], (int)symbol, BIPE_REGEX_BLOCK);
    *number = c->count++;
    return BIPE_OK;
}

/* The class of characters that are in these sets; `classes`: there is none. */
static unsigned find_class(const bipe_regex_program *p, uint64_t member)
{
    unsigned c = 0;
    while (c < p->classes && p->member[c] != member)
        c++;
    return c;
}

int bipe_regex_characters_learn(bipe_regex_characters *c, const bipe_regex_program *p, int32_t code, bipe_error *err)
{
    int32_t first = code - code % BIPE_REGEX_BLOCK, last = first + BIPE_REGEX_BLOCK - 1;
    uint64_t member[BIPE_REGEX_BLOCK] = {0};
    size_t number = 0;
    int status = BIPE_OK;
    for (size_t s = 0; s < p->sets && status == BIPE_OK; s++) {
        bipe_code_set answer = {0};
        const bipe_code_set *set = p->set[s].question != NULL ? &answer : &p->set[s].known;
        if (p->set[s].question != NULL)
            status = bipe_code_question_ask(p->set[s].question, first, last, &answer, err);
        for (size_t i = 0; i < set->count; i++) {
            int32_t from = set->range[i].first > first ? set->range[i].first : first;
            for (; from <= set->range[i].last && from <= last; from++)
                member[from - first] |= UINT64_C(1) << s;
        }
        bipe_code_set_free(&answer);
    }
    if (status == BIPE_OK)
        status = add_block(c, c->unknown, &number, err);
    for (int32_t i = 0; i < BIPE_REGEX_BLOCK && status == BIPE_OK; i++) {
        unsigned class = find_class(p, member[i]);
        if (class == p->classes)
            status = BIPE_END;
        c->blocks[number][i] = (uint8_t)class;
    }
    if (status == BIPE_OK)
        c->block[code / BIPE_REGEX_BLOCK] = (uint16_t)number;
    return status == BIPE_END ? bipe_fail(err, BIPE_ERR_UNSUPPORTED, "PCRE2 does not say what U+%04X is", (unsigned)code) : status;
}

/* ---- classes ---- */

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Places where some set begins or ends, in order: characters between two of them are in the same sets. */
static size_t find_edges(const bipe_regex_program *p, int32_t *edge)
{
    size_t count = 0, kept = 1;
    edge[count++] = 0;
    for (size_t s = 0; s < p->sets; s++)
        for (size_t i = 0; i < p->set[s].known.count; i++) {
            edge[count++] = p->set[s].known.range[i].first;
            edge[count++] = p->set[s].known.range[i].last + 1;
        }
    edge[count++] = 0x80; /* and kinds of UTF-8 are told apart */
    edge[count++] = BIPE_REGEX_CODES;
    qsort(edge, count, sizeof *edge, by_value);
    for (size_t i = 1; i < count; i++)
        if (edge[i] != edge[kept - 1])
            edge[kept++] = edge[i];
    return kept - 1;
}

/* With which bytes the characters of a range begin: bit b - 0xC0. */
static uint64_t leads_of(int32_t first, int32_t last)
{
    uint8_t from[4], to[4];
    if (last < 0x80)
        return 0;
    bipe_utf8_encode(first < 0x80 ? 0x80 : first, from);
    bipe_utf8_encode(last, to);
    uint64_t all = 0;
    for (unsigned b = from[0]; b <= to[0]; b++)
        all |= UINT64_C(1) << (b - 0xC0);
    return all;
}

/* Finds or makes the class of characters first .. last, which are in these sets. BIPE_END: too many. */
static int take_class(bipe_regex_program *p, uint64_t member, int32_t first, int32_t last, unsigned *class)
{
    *class = find_class(p, member);
    if (*class == BIPE_REGEX_CLASSES)
        return BIPE_END;
    if (*class == p->classes)
        p->member[p->classes++] = member;
    p->leads[*class] |= leads_of(first, last);
    return BIPE_OK;
}

/* The same for whatever these characters may be in besides; `s`: from this set on. */
static int take_possible(bipe_regex_program *p, uint64_t member, size_t s, int32_t first, int32_t last)
{
    unsigned class;
    while (s < p->sets && p->set[s].question == NULL)
        s++;
    if (s == p->sets)
        return take_class(p, member, first, last, &class);
    int status = take_possible(p, member, s + 1, first, last);
    return status == BIPE_OK ? take_possible(p, member | UINT64_C(1) << s, s + 1, first, last) : status;
}

/* The tables of a stretch of characters of one class. whole[class]: a block of nothing else; 0: there is none so far. */
static int put_stretch(bipe_regex_characters *c, int32_t first, int32_t last, unsigned class, uint16_t *whole, bipe_error *err)
{
    int status = BIPE_OK;
    for (int32_t code = first; code <= last && status == BIPE_OK;) {
        size_t b = (size_t)code / BIPE_REGEX_BLOCK, number = c->block[b];
        bool starts = code % BIPE_REGEX_BLOCK == 0, all = starts && last - code >= BIPE_REGEX_BLOCK - 1;
        if (all && whole[class] != 0)
            number = whole[class];
        else if (starts)
            status = add_block(c, class, &number, err);
        if (status != BIPE_OK)
            break;
        c->block[b] = (uint16_t)number;
        if (all)
            whole[class] = c->block[b];
        int32_t end = (int32_t)((b + 1) * BIPE_REGEX_BLOCK);
        end = end <= last ? end : last + 1;
        memset(c->blocks[number] + code % BIPE_REGEX_BLOCK, (int)class, (size_t)(end - code));
        code = end;
    }
    return status;
}

/* Whether nothing has to be asked any more. */
static bool is_known(const bipe_regex_program *p)
{
    for (size_t s = 0; s < p->sets; s++)
        if (p->set[s].question != NULL)
            return false;
    return true;
}

static int put_classes(bipe_regex_program *p, const int32_t *edge, size_t count, uint64_t *member, bipe_error *err)
{
    uint16_t whole[BIPE_REGEX_CLASSES] = {0};
    bool known = is_known(p);
    for (size_t s = 0; s < p->sets; s++)
        for (size_t i = 0, e = 0; i < p->set[s].known.count; i++) {
            while (edge[e] < p->set[s].known.range[i].first)
                e++;
            for (; edge[e] <= p->set[s].known.range[i].last; e++)
                member[e] |= UINT64_C(1) << s;
        }
    int status = BIPE_OK;
    for (size_t e = 0; e < count && status == BIPE_OK; e++) {
        int32_t first = edge[e], last = edge[e + 1] - 1;
        unsigned class = 0;
        if (!known && first >= 0x80) {
            status = take_possible(p, member[e], 0, first, last);
            continue;
        }
        status = take_class(p, member[e], first, last, &class);
        if (status == BIPE_OK)
            status = put_stretch(&p->characters, first, last, class, whole, err);
    }
    return status;
}

/* Asks for ASCII characters, or for all. */
static int ask(bipe_regex_set *set, bool whole, bipe_error *err)
{
    set->known.count = 0;
    bool ascii = bipe_code_question_is_ascii(set->question);
    int status = ascii || !whole ? bipe_code_question_ask(set->question, 0, 0x7F, &set->known, err)
                                 : bipe_code_question_ask_all(set->question, &set->known, err);
    if (ascii || whole) {
        bipe_code_question_close(set->question);
        set->question = NULL;
    }
    return status;
}

int bipe_regex_classify(bipe_regex_program *p, bool whole, bipe_error *err)
{
    bipe_regex_characters *c = &p->characters;
    size_t most = 3, unknown;
    int status = BIPE_OK;
    for (size_t s = 0; s < p->sets && status == BIPE_OK; s++) {
        if (p->set[s].question != NULL)
            status = ask(&p->set[s], whole, err);
        most += 2 * p->set[s].known.count;
    }
    if (status != BIPE_OK)
        return status;
    bipe_regex_characters_free(c);
    memset(p->leads, 0, sizeof p->leads);
    p->classes = 0;
    int32_t *edge = bipe_alloc(most, sizeof *edge);
    uint64_t *member = bipe_alloc(most, sizeof *member);
    status = edge != NULL && member != NULL ? add_block(c, 0, &unknown, err) : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = put_classes(p, edge, find_edges(p, edge), member, err);
    bipe_free(edge);
    bipe_free(member);
    if (status != BIPE_OK)
        return status == BIPE_END && !is_known(p) ? bipe_regex_classify(p, true, err) : status;
    p->barrier = c->barrier = (unsigned)p->classes;
    p->edge = p->barrier + 1;
    p->symbols = c->unknown = p->barrier + 2;
    p->member[p->barrier] = p->member[p->edge] = 0;
    memset(c->blocks[unknown], (int)c->unknown, BIPE_REGEX_BLOCK);
    memset(c->ascii, (int)c->unknown, sizeof c->ascii);
    memcpy(c->ascii, c->blocks[c->block[0]], 0x80);
    return BIPE_OK;
}
