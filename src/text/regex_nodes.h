/* regex_nodes.h - what regex_syntax.c reads a pattern into, and regex_instructions.c writes instructions of. Not for others. */
#ifndef BIPE_TEXT_REGEX_NODES_H
#define BIPE_TEXT_REGEX_NODES_H

#include "text/regex_parts.h"

typedef enum node_kind { NODE_EMPTY, NODE_SET, NODE_CONDITION, NODE_SEQUENCE, NODE_CHOICE, NODE_REPEAT } node_kind;

enum { BIPE_REGEX_UNBOUNDED = -1 };

typedef struct node {
    node_kind kind;
    bool nullable, lazy, possessive;
    unsigned value;     /* set or condition */
    int from, to;       /* NODE_REPEAT; to: or BIPE_REGEX_UNBOUNDED */
    size_t left, right; /* parts */
} node;

/* Writes the instructions of node[root] and of its match. BIPE_END: too many. */
int bipe_regex_write(bipe_regex_program *program, const node *nodes, size_t root, bipe_error *err);

/* Whether all possessive repetitions of the program, of which all classes are known, do as if they were none: they have nothing to give
 * back that would help. BIPE_END: not surely. */
int bipe_regex_check_possessions(bipe_regex_program *program, bipe_error *err);

#endif
