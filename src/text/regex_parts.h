/* regex_parts.h - what the parts of the automaton for patterns share: sets of characters, the program, its states. Not for others. */
#ifndef BIPE_TEXT_REGEX_PARTS_H
#define BIPE_TEXT_REGEX_PARTS_H

#include "text/regex_filter.h"
#include "text/regex_program.h"

enum {
    BIPE_REGEX_SETS = 64,            /* different sets of characters in a pattern */
    BIPE_REGEX_CLASSES = 240,        /* kinds of characters that these tell apart */
    BIPE_REGEX_INSTRUCTIONS = 2000,
    BIPE_REGEX_CONDITIONS = 32,
    BIPE_REGEX_CODES = 0x110000
};

/* ---- sets of characters (regex_sets.c) ---- */

typedef struct bipe_code_range {
    int32_t first, last;
} bipe_code_range;

/* Ranges in order, apart from each other. */
typedef struct bipe_code_set {
    bipe_code_range *range;
    size_t count, capacity;
} bipe_code_set;

/* Adds behind the others, or joins with the last. */
int bipe_code_set_add(bipe_code_set *set, int32_t first, int32_t last, bipe_error *err);
/* Adds all of another. */
int bipe_code_set_join(bipe_code_set *set, const bipe_code_set *other, bipe_error *err);
bool bipe_code_set_has(const bipe_code_set *set, int32_t code);
void bipe_code_set_free(bipe_code_set *set);

/* Texts of all characters, which are made when they are needed. */
enum { BIPE_CODE_PLANES = 17 };
typedef struct bipe_code_texts {
    uint8_t *plane[BIPE_CODE_PLANES];
} bipe_code_texts;
void bipe_code_texts_free(bipe_code_texts *texts);

/* Asks PCRE2 which characters `source` matches, which must be a pattern for one character. BIPE_END: it does not say. */
int bipe_code_set_ask(bipe_code_set *set, const char *source, bipe_code_texts *texts, bipe_error *err);

/* ---- the program ---- */

/* Symbols: what a program knows of a character is its class. Behind the classes: a byte that is no UTF-8, which is in no set, and the
 * end of the text (or its start, for what looks back). */
typedef enum bipe_regex_op { REGEX_SET, REGEX_SPLIT, REGEX_JUMP, REGEX_CONDITION, REGEX_MATCH } bipe_regex_op;

typedef struct bipe_regex_instruction {
    bipe_regex_op op;
    unsigned value;       /* REGEX_SET: its number; REGEX_CONDITION: its number */
    unsigned first, then; /* REGEX_SPLIT: where to go first and then; REGEX_JUMP: first */
} bipe_regex_instruction;

typedef enum bipe_regex_look {
    REGEX_AHEAD,    /* the next character is in the set, or, where `edge` is set, there is none */
    REGEX_BEHIND,   /* the same of the one before */
    REGEX_WORD,     /* one of both is in the set */
    REGEX_LINE      /* the start of the text, or a character of the set before and one behind */
} bipe_regex_look;

typedef struct bipe_regex_condition {
    bipe_regex_look look;
    unsigned set;
    bool any, edge;    /* `any`: there is a set */
    bool negated;
} bipe_regex_condition;

struct bipe_regex_program {
    bipe_regex_instruction *code;
    size_t count, capacity;
    bipe_regex_condition condition[BIPE_REGEX_CONDITIONS];
    size_t conditions;
    bool nullable;

    bipe_code_set set[BIPE_REGEX_SETS];
    size_t sets;
    /* Classes: characters of one are in the same sets. */
    size_t classes;
    unsigned barrier, edge, symbols;   /* classes, classes + 1, classes + 2 */
    uint64_t member[BIPE_REGEX_CLASSES + 2]; /* of each symbol: in which sets it is */
    uint64_t leads[BIPE_REGEX_CLASSES];      /* of each class: with which bytes from 0xC0 on its characters begin */
    uint8_t ascii[256];                /* class of each ASCII byte; from 128 on: `symbols` */
    uint16_t block[BIPE_REGEX_CODES >> 7]; /* of 128 characters each: which of the blocks has their classes */
    uint8_t (*blocks)[128];
    size_t block_count, block_capacity;
    /* Contexts: symbols that conditions cannot tell from each other when they look back. */
    uint8_t context[BIPE_REGEX_CLASSES + 2];
    unsigned sample[BIPE_REGEX_CLASSES + 2]; /* a symbol of each context */
    unsigned contexts;

    bipe_regex_filter filter; /* where a match can start */
    bool filters;             /* it leaves out most of natural text */
};

/* Tells the classes of all characters and their tables from `set`. BIPE_END: too many. */
int bipe_regex_classify(bipe_regex_program *program, bipe_error *err);
/* Prepares the filter. */
int bipe_regex_find_filter(bipe_regex_program *program, bipe_error *err);
/* Reads a pattern into `code`, `set` and `condition`. BIPE_END: not for an automaton. */
int bipe_regex_read(bipe_regex_program *program, const char *pattern, size_t size, const bipe_regex_options *options, bipe_error *err);

static inline bool bipe_regex_in_set(const bipe_regex_program *p, unsigned symbol, unsigned set)
{
    return (p->member[symbol] >> set & 1) != 0;
}

/* Whether a condition holds between two symbols. */
bool bipe_regex_holds(const bipe_regex_program *program, const bipe_regex_condition *condition, unsigned before, unsigned behind);

static inline unsigned bipe_regex_class(const bipe_regex_program *p, int32_t code)
{
    return p->blocks[p->block[code >> 7]][code & 127];
}

#endif
