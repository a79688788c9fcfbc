/* score_key.h - --key-tokens: which tokens of the present file are key (measure/key_tokens.h): as the first combination
 * finds while it is scored, as another model finds before, or as a file says. */
#ifndef BIPE_TOOLS_SCORE_SCORE_KEY_H
#define BIPE_TOOLS_SCORE_SCORE_KEY_H

#include "base/lines.h"
#include "measure/key_tokens.h"
#include "tools/score/score_models.h"
#include "tools/score/score_slices.h"

typedef struct bipe_score_key {
    const bipe_score_setup *setup; /* NULL: no key tokens are wanted */
    bool judged;                  /* before combinations are scored, by `judge` */
    bipe_score_combination judge;
    bipe_window_rules rules;      /* of the judge */
    bipe_key_spans *spans;        /* (lengths) of the present file; of --key-spans the first is for all lengths */
    bipe_key_cursor *cursor;      /* (lengths) */
    bipe_token_losses *brief;     /* (lengths) with the short context, by number in the plan */
    bipe_lines lines;             /* --key-spans, where it is JSON Lines */
    bipe_score_slices slices;     /* where it has the form of LongPPL's program */
    bipe_output *output;          /* --key-spans-out */
    bipe_tool *tool;              /* whose progress is shown */
    uint64_t windows, computed;   /* tokens of windows of the short context and of the judge, and those computed */
    double seconds;               /* that it took */
} bipe_score_key;

/* "ALPHA,BETA", the value of the option: false, it is something else; and as its check. */
bool bipe_score_key_numbers(const char *text, bipe_key_rule *rule);
int bipe_score_key_parse(const char *text, bipe_error *err);
/* Prepares it for the lengths of the setup; opens the file of --key-spans, and that of --key-spans-out (NULL: none). */
int bipe_score_key_open(bipe_score_key *key, const bipe_score_setup *setup, bipe_tool *tool, const char *output,
                        bipe_error *err);
void bipe_score_key_close(bipe_score_key *key);

/* A file was read: what was found of the one before is forgotten. `reader` has its documents. */
int bipe_score_key_begin(bipe_score_key *key, bipe_error *err);
/* Reads the spans of its documents, which JSON Lines have. */
int bipe_score_key_read(bipe_score_key *key, const bipe_score_reader *reader, bipe_error *err);
/* Has the judge find the key tokens of the file. BIPE_STOPPED: interrupted. */
int bipe_score_key_judge(bipe_score_key *key, bipe_score_models *models, const bipe_score_reader *reader,
                         bipe_error *err);
/* Whether the first combination finds key tokens while it is scored; others see those that were found. */
bool bipe_score_key_own(const bipe_score_key *key, size_t combination);
/* Computes the losses of a plan with the short context, key->brief, by a combination that was reached. BIPE_STOPPED:
 * interrupted. */
int bipe_score_key_brief(bipe_score_key *key, bipe_score_models *models, const bipe_score_reader *reader,
                         const bipe_score_combination *combination, const bipe_plan *plan, bipe_error *err);
/* A combination is going to be scored. */
int bipe_score_key_rewind(bipe_score_key *key, bipe_error *err);

/* A token that is scored and counts; those of a length come as they stand in the text. */
typedef struct bipe_score_key_case {
    size_t combination, length; /* numbers in the run */
    bipe_key_span token;        /* document: its index in the FILE */
    double whole, brief;        /* losses, of the combination that finds key tokens itself */
} bipe_score_key_case;
int bipe_score_key_token(bipe_score_key *key, const bipe_score_key_case *one, bool *is, bipe_error *err);

/* Writes the spans of a file that was scored to --key-spans-out: for each document
 * {"file":F,"document":N,"bytes":B,"length":L,"spans":[[START,END],...]} on a line. */
int bipe_score_key_write(bipe_score_key *key, const char *path, const bipe_score_reader *reader, bipe_error *err);

#endif
