/* regex_instructions.c - writes the instructions of a pattern that was read. */
#include <string.h>

#include "base/alloc.h"
#include "text/regex_nodes.h"

typedef struct writer {
    bipe_regex_program *program;
    const node *nodes;
    bipe_error *err;
} writer;

static int put(writer *w, bipe_regex_instruction instruction)
{
    bipe_regex_program *p = w->program;
    if (p->count == BIPE_REGEX_INSTRUCTIONS)
        return BIPE_END;
    if (bipe_grow(&p->code, &p->capacity, p->count + 1, sizeof *p->code) != 0)
        return bipe_fail_memory(w->err);
    p->code[p->count++] = instruction;
    return BIPE_OK;
}

static int put_node(writer *w, size_t at);

/* A place where the way parts: into what comes next, or to a place that is not known yet. Greedy ones try the former first. */
static int put_split(writer *w, bool lazy, size_t *split)
{
    *split = w->program->count;
    unsigned next = (unsigned)*split + 1;
    return put(w, (bipe_regex_instruction){.op = REGEX_SPLIT, .first = lazy ? 0 : next, .then = lazy ? next : 0});
}

static void set_split(writer *w, bool lazy, size_t split, size_t target)
{
    bipe_regex_instruction *i = &w->program->code[split];
    *(lazy ? &i->first : &i->then) = (unsigned)target;
}

static int put_repeat(writer *w, const node *n)
{
    bipe_regex_program *p = w->program;
    size_t start = p->count, split = 0;
    int status = BIPE_OK;
    for (int i = 0; i < n->from && status == BIPE_OK; i++) {
        start = p->count;
        status = put_node(w, n->left);
    }
    if (status == BIPE_OK && n->to == BIPE_REGEX_UNBOUNDED) {
        status = put_split(w, n->lazy, &split);
        if (n->from > 0) { /* back to the last copy */
            if (status == BIPE_OK) {
                *(n->lazy ? &p->code[split].then : &p->code[split].first) = (unsigned)start;
                set_split(w, n->lazy, split, p->count);
            }
            return status;
        }
        if (status == BIPE_OK)
            status = put_node(w, n->left);
        if (status == BIPE_OK)
            status = put(w, (bipe_regex_instruction){.op = REGEX_JUMP, .first = (unsigned)split});
        if (status == BIPE_OK)
            set_split(w, n->lazy, split, p->count);
        return status;
    }
    size_t first = p->count;
    for (int i = n->from; i < n->to && status == BIPE_OK; i++) {
        status = put_split(w, n->lazy, &split);
        if (status == BIPE_OK)
            status = put_node(w, n->left);
    }
    for (size_t i = first; i < p->count && status == BIPE_OK; i++) /* all of them leave to the same place */
        if (p->code[i].op == REGEX_SPLIT && *(n->lazy ? &p->code[i].first : &p->code[i].then) == 0)
            set_split(w, n->lazy, i, p->count);
    return status;
}

static int put_choice(writer *w, const node *n)
{
    bipe_regex_program *p = w->program;
    size_t split, jump = 0;
    int status = put_split(w, false, &split);
    if (status == BIPE_OK)
        status = put_node(w, n->left);
    if (status == BIPE_OK) {
        jump = p->count;
        status = put(w, (bipe_regex_instruction){.op = REGEX_JUMP});
    }
    if (status == BIPE_OK) {
        set_split(w, false, split, p->count);
        status = put_node(w, n->right);
    }
    if (status == BIPE_OK)
        p->code[jump].first = (unsigned)p->count;
    return status;
}

/* Notes that the repetition of a set that ends here is possessive. */
static int add_possession(bipe_regex_program *p, unsigned set, bipe_error *err)
{
    if (bipe_grow(&p->possessions, &p->possession_capacity, p->possession_count + 1, sizeof *p->possessions) != 0)
        return bipe_fail_memory(err);
    p->possessions[p->possession_count++] = (bipe_regex_possession){set, p->count};
    return BIPE_OK;
}

static int put_node(writer *w, size_t at)
{
    const node *n = &w->nodes[at];
    int status;
    switch (n->kind) {
    case NODE_EMPTY: return BIPE_OK;
    case NODE_SET: return put(w, (bipe_regex_instruction){.op = REGEX_SET, .value = n->value});
    case NODE_CONDITION: return put(w, (bipe_regex_instruction){.op = REGEX_CONDITION, .value = n->value});
    case NODE_CHOICE: return put_choice(w, n);
    case NODE_SEQUENCE:
        status = put_node(w, n->left);
        return status == BIPE_OK ? put_node(w, n->right) : status;
    case NODE_REPEAT:
        status = put_repeat(w, n);
        if (status == BIPE_OK && n->possessive)
            status = add_possession(w->program, w->nodes[n->left].value, w->err);
        return status;
    }
    return BIPE_END;
}

/* Whether what stands from an instruction on can do without what a possessive repetition of the set before it took: it cannot begin with
 * one of these characters, or matches nothing when all else fails. */
static int check_possession(const bipe_regex_program *p, bipe_regex_possession own, bipe_error *err)
{
    bool *seen = bipe_alloc(p->count, sizeof *seen);
    unsigned *todo = bipe_alloc(2 * p->count + 2, sizeof *todo);
    int status = seen != NULL && todo != NULL ? BIPE_OK : bipe_fail_memory(err);
    size_t count = 0;
    bool sure = false; /* it matches nothing when all else fails */
    for (int round = 0; round < 2 && status == BIPE_OK && !sure; round++) { /* first without conditions, then with all of them */
        memset(seen, 0, p->count);
        todo[count++] = (unsigned)own.behind;
        while (count > 0 && status == BIPE_OK) {
            unsigned at = todo[--count];
            const bipe_regex_instruction *i = &p->code[at];
            if (seen[at])
                continue;
            seen[at] = true;
            switch (i->op) {
            case REGEX_JUMP: todo[count++] = i->first; break;
            case REGEX_SPLIT:
                todo[count++] = i->first;
                todo[count++] = i->then;
                break;
            case REGEX_CONDITION:
                if (round == 1)
                    todo[count++] = at + 1;
                break;
            case REGEX_MATCH:
                if (round == 0)
                    sure = true;
                else
                    status = BIPE_END;
                break;
            case REGEX_SET:
                for (unsigned c = 0; c < p->classes && round == 1; c++)
                    if (bipe_regex_in_set(p, c, i->value) && bipe_regex_in_set(p, c, own.set))
                        status = BIPE_END;
                break;
            }
        }
    }
    bipe_free(seen);
    bipe_free(todo);
    return status;
}

int bipe_regex_write(bipe_regex_program *p, const node *nodes, size_t root, bipe_error *err)
{
    writer w = {.program = p, .nodes = nodes, .err = err};
    p->nullable = nodes[root].nullable;
    int status = put_node(&w, root);
    return status == BIPE_OK ? put(&w, (bipe_regex_instruction){.op = REGEX_MATCH}) : status;
}

int bipe_regex_check_possessions(bipe_regex_program *p, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < p->possession_count && status == BIPE_OK; i++)
        status = check_possession(p, p->possessions[i], err);
    return status;
}
