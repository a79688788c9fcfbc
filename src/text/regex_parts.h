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

/* Puts ranges in order and joins those that meet. Returns how many are left. */
size_t bipe_code_ranges_sort(bipe_code_range *range, size_t count);

/* Ranges in order, apart from each other. */
typedef struct bipe_code_set {
    bipe_code_range *range;
    size_t count, capacity;
} bipe_code_set;

/* Adds behind the others, or joins with the last. */
int bipe_code_set_add(bipe_code_set *set, int32_t first, int32_t last, bipe_error *err);
/* Adds ranges in any order, which bipe_code_ranges_sort() has to put right. */
int bipe_code_set_gather(bipe_code_set *set, const bipe_code_range *range, size_t count, bipe_error *err);
/* Gives an empty set what is listed, or all but that. */
int bipe_code_set_fill(bipe_code_set *set, const bipe_code_set *listed, bool negated, bipe_error *err);
void bipe_code_set_free(bipe_code_set *set);

/* A question to PCRE2, whose tables of Unicode are the ones that count: which characters does a pattern for one character match? */
typedef struct bipe_code_question bipe_code_question;

/* BIPE_END: PCRE2 does not take `source`. */
int bipe_code_question_open(bipe_code_question **question, const char *source, bipe_error *err);
void bipe_code_question_close(bipe_code_question *question);
/* Whether PCRE2 says at once that nothing but ASCII matches. False does not say that something else does. */
bool bipe_code_question_is_ascii(const bipe_code_question *question);
/* Adds those of the characters first .. last that it matches to a set; none of them may be a surrogate, and all have as many bytes in
 * UTF-8. BIPE_END: it does not say. Threads may ask the same question. */
int bipe_code_question_ask(const bipe_code_question *question, int32_t first, int32_t last, bipe_code_set *set, bipe_error *err);
/* The same for all characters. This takes milliseconds. */
int bipe_code_question_ask_all(bipe_code_question *question, bipe_code_set *set, bipe_error *err);

/* ---- classes of characters (regex_classes.c) ---- */

/* A set of a program: its characters, or, where there is a question, those of them that are ASCII, and the others when they are needed. */
typedef struct bipe_regex_set {
    bipe_code_set known;
    bipe_code_question *question;
} bipe_regex_set;

enum { BIPE_REGEX_BLOCK = 128, BIPE_REGEX_BLOCKS = BIPE_REGEX_CODES / BIPE_REGEX_BLOCK };

/* The symbol of each character, in blocks. Block 0 stands for those that nobody has asked for so far: its symbol is `unknown`. */
typedef struct bipe_regex_characters {
    uint8_t ascii[256];                /* of each ASCII byte; `unknown` from 128 on */
    unsigned barrier, unknown;
    uint16_t block[BIPE_REGEX_BLOCKS];
    uint8_t (*blocks)[BIPE_REGEX_BLOCK];
    size_t count, capacity;
} bipe_regex_characters;

int bipe_regex_characters_copy(bipe_regex_characters *copy, const bipe_regex_characters *characters, bipe_error *err);
void bipe_regex_characters_free(bipe_regex_characters *characters);
/* Asks for the block of a character. */
int bipe_regex_characters_learn(bipe_regex_characters *characters, const bipe_regex_program *program, int32_t code, bipe_error *err);

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
    uint64_t sets; /* a bit for each: in any of them */
    bool edge, negated;
} bipe_regex_condition;

/* A possessive repetition: its set, and the instruction behind it. */
typedef struct bipe_regex_possession {
    unsigned set;
    size_t behind;
} bipe_regex_possession;

struct bipe_regex_program {
    bipe_regex_instruction *code;
    size_t count, capacity;
    bipe_regex_condition condition[BIPE_REGEX_CONDITIONS];
    size_t conditions;
    bool nullable;
    bipe_regex_possession *possessions;
    size_t possession_count, possession_capacity;

    bipe_regex_set set[BIPE_REGEX_SETS];
    size_t sets;
    /* Classes: characters of one are in the same sets. Where sets are not known, there is one for whatever they may turn out to be. */
    size_t classes;
    unsigned barrier, edge, symbols;   /* classes, classes + 1, classes + 2 */
    uint64_t member[BIPE_REGEX_CLASSES + 2]; /* of each symbol: in which sets it is */
    uint64_t leads[BIPE_REGEX_CLASSES];      /* of each class: with which bytes from 0xC0 on its characters begin */
    bipe_regex_characters characters; /* `unknown` is what `symbols` is; where no set has a question, all are known */
    /* Contexts: symbols that conditions cannot tell from each other when they look back. */
    uint8_t context[BIPE_REGEX_CLASSES + 2];
    unsigned sample[BIPE_REGEX_CLASSES + 2]; /* a symbol of each context */
    unsigned contexts;

    bipe_regex_filter filter; /* where a match can start */
    bool filters;             /* it leaves out most of natural text */
};

/* Tells the classes of characters from `set`. `whole`: of all; all questions are asked. BIPE_END: too many. */
int bipe_regex_classify(bipe_regex_program *program, bool whole, bipe_error *err);
/* Prepares the filter. */
int bipe_regex_find_filter(bipe_regex_program *program, bipe_error *err);
/* Reads a pattern into `code`, `set` and `condition`, and tells the classes. BIPE_END: not for an automaton. */
int bipe_regex_read(bipe_regex_program *program, const char *pattern, size_t size, const bipe_regex_options *options, bipe_error *err);

static inline bool bipe_regex_in_set(const bipe_regex_program *p, unsigned symbol, unsigned set)
{
    return (p->member[symbol] >> set & 1) != 0;
}

static inline bool bipe_regex_in_sets(const bipe_regex_program *p, unsigned symbol, uint64_t sets)
{
    return (p->member[symbol] & sets) != 0;
}

/* Whether a condition holds between two symbols. */
bool bipe_regex_holds(const bipe_regex_program *program, const bipe_regex_condition *condition, unsigned before, unsigned behind);

#endif
