/* eval_known.h - answers that are known without asking a model: from an earlier run (--resume), or from other programs (--score). */
#ifndef BIPE_TOOLS_EVAL_KNOWN_H
#define BIPE_TOOLS_EVAL_KNOWN_H

#include "tools/bipe_eval.h"
#include "tools/journal.h"

/* An answer of model number `model` to the question that `key` identifies: a hash. */
typedef struct bipe_eval_entry {
    uint64_t key;
    size_t model, order;      /* order: of those with the same key, the last one counts */
    bool used;
    bipe_eval_answer answer;
} bipe_eval_entry;

/* Zero-initialise. */
struct bipe_eval_known {
    bipe_eval_entry *entry;   /* [count] */
    size_t count, capacity;
    bipe_journal *journal;    /* --resume */
    const char *path;         /* --score */
};

/* Adds an entry, which takes the answer's memory. */
int bipe_eval_known_add(bipe_eval_known *known, uint64_t key, size_t model, bipe_eval_answer *answer, bipe_error *err);
/* After the last one was added. */
void bipe_eval_known_sort(bipe_eval_known *known);
/* Copies the answer, if there is one: answer->known says so. BIPE_ERR_MEMORY. */
int bipe_eval_known_find(bipe_eval_known *known, uint64_t key, size_t model, bipe_eval_answer *answer, bipe_error *err);
void bipe_eval_known_free(bipe_eval_known *known);

/* ---- --resume: a line for each answer, "done MODEL KEY PROMPT_TOKENS TRUNCATED ANSWER" ---- */

/* A hash that identifies a question: of the file, its number there, and all text that a model sees. */
uint64_t bipe_eval_key(size_t file, uint64_t number, const bipe_question *question, const bipe_buffer *shots);
int bipe_eval_journal_open(bipe_eval_known *known, const bipe_eval_run *run, const char *path, bipe_error *err);
/* Records an answer; on disk after bipe_journal_commit(). */
int bipe_eval_journal_add(bipe_eval_known *known, uint64_t key, size_t model, const bipe_eval_answer *answer, bipe_error *err);

/* ---- --score: lines of --predictions, keyed by their id ---- */

uint64_t bipe_eval_id_key(const bipe_buffer *id);
/* Invalid lines are reported. */
int bipe_eval_read_predictions(bipe_eval_known *known, bipe_tool *tool, const char *path, bool choices, bipe_error *err);

#endif
