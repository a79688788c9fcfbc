/* options.h - one table of options per tool; from it come the parser, --help, the options section of the
 * man page and the shell completions.
 *
 * GNU habits: long options with "=value" or a separate value, unambiguous abbreviations, bundled
 * short options, options before or after operands, "--" ends them. Every table gets -h or --help,
 * -V or --version and the hidden --generate=man|bash|zsh|fish by itself.
 *
 * What goes together is said by rules in the rows, of which error messages are made. A rule is a list of clauses, "; "
 * between them: [TERM? ]TERM TERM ...[: REASON]
 * A term is NAME, an option that was given; NAME=VALUE|VALUE..., given with one of these values; NAME!=VALUE..., given
 * with another; or a word in capitals: an operand (beside MODEL, where that must be given). A clause with a condition
 * counts where that holds. The reason ends the message. An option with its default value counts as not given. */
#ifndef BIPE_CLI_OPTIONS_H
#define BIPE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "base/status.h"

typedef enum bipe_option_kind {
    BIPE_OPTION_FLAG,   /* bool *: set true */
    BIPE_OPTION_TEXT,   /* const char **: the value (points into argv) */
    BIPE_OPTION_TEXTS,  /* bipe_texts *: may be given several times */
    BIPE_OPTION_SIZE,   /* uint64_t *: a number with an optional k (1024) or m (1048576) */
    BIPE_OPTION_NUMBER, /* double *: a decimal number of at least 0, in the bounds of the row */
    BIPE_OPTION_SIZES,  /* bipe_sizes *: N[,N...], or words[0] where there are words; may be given several times */
    BIPE_OPTION_CHOICE  /* int *: index into `choices` */
} bipe_option_kind;

/* Installed files whose names an option takes as values. */
typedef enum bipe_option_names { BIPE_NAMES_NONE, BIPE_NAMES_MODELS, BIPE_NAMES_TASKS } bipe_option_names;

/* What an option is to somebody who repeats a run. */
typedef enum bipe_option_about {
    BIPE_ABOUT_RESULT, /* it changes what comes out */
    BIPE_ABOUT_FILE,   /* so does the file that its value names, which is read */
    BIPE_ABOUT_MANNER  /* how to run and where results go: it changes nothing in them */
} bipe_option_about;

typedef struct bipe_texts {
    const char **text;
    size_t count, capacity;
} bipe_texts;

typedef struct bipe_sizes {
    uint64_t *value;
    size_t count, capacity;
    bool none; /* the word of the option was given */
} bipe_sizes;

typedef struct bipe_option {
    char letter;               /* 0: none */
    const char *name;          /* long name, without dashes */
    bipe_option_kind kind;
    void *target;              /* a variable of the type given with the kind */
    const char *value_name;    /* SPEC, FILE, N ... ; FILE, FOLDER, SPEC, MODEL and OUT complete file names */
    const char *alone;         /* the value where the name stands alone; another follows "=", or as the next argument
                                  where that passes `check`. NULL: a value must be given. Long names only */
    const char *const *choices;/* BIPE_OPTION_CHOICE: NULL-terminated */
    uint64_t minimum, maximum; /* sizes; maximum 0: no bound. Numbers are below it */
    double least, most;        /* numbers; most 0: no bound */
    bool positive;             /* numbers: above 0 */
    int (*check)(const char *value, bipe_error *err); /* of a BIPE_OPTION_TEXT: BIPE_ERR_ARGUMENT and why, or BIPE_OK */
    bool or_all;               /* of a BIPE_OPTION_SIZE: -1 is taken as UINT64_MAX, all that there are */
    const char *help;          /* one or more sentences, lower case, wrapped when printed; says the default.
                                  The names of choices are added to it. */
    const char *group;         /* heading in --help; NULL: the same as the option before */
    const char *const *words;  /* values that completions offer; NULL-terminated; no blank is inserted after one that
                                  ends with a colon */
    bipe_option_names names;   /* completions offer these, too */
    const char *in_full;       /* why the name may not be shortened; NULL: it may */
    bipe_option_about about;
    const char *needs;         /* rule: one of the terms of each clause must be given as well */
    const char *excludes;      /* rule: none may be; of the option itself: "NAME=VALUE: what is expected" */
    const char *takes;         /* rule of one clause: no option but these may be, and those about the manner */
    const char *must;          /* rule: one of the terms must be given in any case */
    bool instead;              /* where it is given, only its own rules count */
    bool no_model;             /* where it is given, no operand has to be, nor is the first one a model */
} bipe_option;

/* An option that was given, with its value as it was written (NULL: a flag). */
typedef struct bipe_option_given {
    const bipe_option *option;
    const char *value; /* points into argv */
    bool usual;        /* it is the default, so that no rule counts but those that name this value */
} bipe_option_given;

typedef struct bipe_options_given {
    bipe_option_given *item;
    size_t count, capacity;
} bipe_options_given;

typedef struct bipe_options {
    const char *tool;             /* "bipe-segment" */
    const char *summary;          /* one line: what the tool is for */
    const char *usage;            /* operands: "[OPTION...] [FILE...]" */
    const char *description;      /* paragraphs for --help and the man page; may be NULL */
    const bipe_option *option;
    size_t option_count;
    size_t min_operands, max_operands; /* max 0: any number, or none without operand_help */
    const char *operand_help;     /* what an operand is, one line; NULL: there are none */
    bool model_operand;           /* the first operand is a model: completions offer those that are installed */
} bipe_options;

typedef enum bipe_options_result {
    BIPE_OPTIONS_RUN,   /* parsed: do the work */
    BIPE_OPTIONS_DONE,  /* --help and the like were printed: exit 0 */
    BIPE_OPTIONS_USAGE, /* wrong usage: one line is on standard error: exit 2 */
    BIPE_OPTIONS_FAILED /* help could not be written: exit 1 */
} bipe_options_result;

/* Parses argv, and checks it by the rules. TEXTS and SIZES append their values; a flag may be repeated, anything else
 * given twice is wrong usage. Operands are collected into *operands (free with bipe_texts_free), and what was given
 * into *given, in the order of the table (free its items with bipe_free). */
bipe_options_result bipe_options_parse(const bipe_options *options, int argc, char **argv,
                                       bipe_texts *operands, bipe_options_given *given);

/* Checks a table: doubles, missing help, missing choices, rules ... BIPE_ERR_ARGUMENT with the reason. */
int bipe_options_check(const bipe_options *options, bipe_error *err);

void bipe_texts_free(bipe_texts *texts);
void bipe_sizes_free(bipe_sizes *sizes);

#endif
