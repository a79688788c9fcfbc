/* regex_program.c - builds the program of a pattern. */
#include "text/regex_program.h"

#include "base/alloc.h"
#include "text/regex_parts.h"

void bipe_regex_program_free(bipe_regex_program *p)
{
    if (p == NULL)
        return;
    for (size_t s = 0; s < p->sets; s++) {
        bipe_code_set_free(&p->set[s].known);
        bipe_code_question_close(p->set[s].question);
    }
    bipe_regex_characters_free(&p->characters);
    bipe_free(p->possessions);
    bipe_free(p->code);
    bipe_free(p);
}

bool bipe_regex_program_is_nullable(const bipe_regex_program *program)
{
    return program->nullable;
}

bool bipe_regex_program_looks_back(const bipe_regex_program *program)
{
    return program->contexts > 1;
}

bool bipe_regex_program_is_rare(const bipe_regex_program *program)
{
    return program->filters;
}

bool bipe_regex_holds(const bipe_regex_program *p, const bipe_regex_condition *c, unsigned before, unsigned behind)
{
    bool holds = false;
    switch (c->look) {
    case REGEX_AHEAD: holds = bipe_regex_in_sets(p, behind, c->sets) || (c->edge && behind == p->edge); break;
    case REGEX_BEHIND: holds = bipe_regex_in_sets(p, before, c->sets) || (c->edge && before == p->edge); break;
    case REGEX_WORD: holds = bipe_regex_in_sets(p, before, c->sets) != bipe_regex_in_sets(p, behind, c->sets); break;
    case REGEX_LINE: holds = before == p->edge || (bipe_regex_in_sets(p, before, c->sets) && behind != p->edge); break;
    }
    return holds != c->negated;
}

/* What the conditions see of a symbol that stands before: a bit for each set that one looks back with, and one for the edge. */
static uint64_t seen_behind(const bipe_regex_program *p, unsigned symbol)
{
    uint64_t sets = 0;
    bool edge = false;
    for (size_t i = 0; i < p->conditions; i++) {
        const bipe_regex_condition *c = &p->condition[i];
        if (c->look == REGEX_AHEAD)
            continue;
        sets |= c->sets;
        edge = edge || c->edge || c->look == REGEX_LINE;
    }
    /* The start of the text is in no set: where that is told apart, it is a context of its own. */
    return symbol == p->edge && edge ? UINT64_MAX : p->member[symbol] & sets;
}

static void find_contexts(bipe_regex_program *p)
{
    for (unsigned s = 0; s < p->symbols; s++) {
        uint64_t seen = seen_behind(p, s);
        unsigned c = 0;
        while (c < p->contexts && seen_behind(p, p->sample[c]) != seen)
            c++;
        if (c == p->contexts)
            p->sample[p->contexts++] = s;
        p->context[s] = (uint8_t)c;
    }
}

int bipe_regex_program_build(bipe_regex_program **program, const char *pattern, size_t size, const bipe_regex_options *options,
                             bipe_error *err)
{
    *program = NULL;
    bipe_regex_program *p = bipe_alloc(1, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    int status = bipe_regex_read(p, pattern, size, options, err);
    if (status == BIPE_OK) {
        find_contexts(p);
        status = bipe_regex_find_filter(p, err);
    }
    if (status != BIPE_OK) {
        bipe_regex_program_free(p);
        return status == BIPE_END ? BIPE_OK : status;
    }
    *program = p;
    return BIPE_OK;
}

/* Where jumps lead to. */
static unsigned follow_jumps(const bipe_regex_program *p, unsigned at)
{
    while (p->code[at].op == REGEX_JUMP)
        at = p->code[at].first;
    return at;
}

bool bipe_regex_program_is_set(const bipe_regex_program *p, uint8_t member[256])
{
    uint64_t sets = 0;
    for (unsigned at = 0;;) { /* alternatives of one character each */
        const bipe_regex_instruction *i = &p->code[at];
        const bipe_regex_instruction *one = i->op == REGEX_SPLIT && i->first == at + 1 ? &p->code[at + 1] : i;
        if (one->op != REGEX_SET || p->code[follow_jumps(p, (unsigned)(one - p->code) + 1)].op != REGEX_MATCH)
            return false;
        sets |= UINT64_C(1) << one->value;
        if (one == i)
            break;
        at = i->then;
    }
    for (unsigned c = 0; c < p->classes; c++)
        if (bipe_regex_in_sets(p, c, sets) && p->leads[c] != 0)
            return false;
    for (unsigned b = 0; b < 256; b++)
        member[b] = b < 128 && bipe_regex_in_sets(p, p->characters.ascii[b], sets);
    return true;
}
