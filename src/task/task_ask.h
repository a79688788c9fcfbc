/* task_ask.h - asks a model questions: from texts to tokens, and from tokens to answers. Many questions go through the
 * network together; the answer to one does not depend on the others. */
#ifndef BIPE_TASK_TASK_ASK_H
#define BIPE_TASK_TASK_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/threads.h"
#include "model/generator.h"
#include "task/growing_text.h"
#include "task/task_judge.h"

typedef struct bipe_asker bipe_asker;

/* What is pointed to must outlive the asker. */
typedef struct bipe_asker_options {
    bipe_model *model;
    const bipe_tokenizer *tokenizer;
    const char *segmenter;
    const bipe_task *task;
    const bipe_scheme *scheme;             /* NULL: the model's */
    const bipe_rope_scaling *rope_scaling; /* NULL: the model's */
    bipe_precision precision;
    uint64_t seed;
    bipe_pool *pool;
    size_t length;                         /* tokens of a text at most; 0: any number */
    bipe_task_cut cut;                     /* what of a prompt is left out to keep to that */
} bipe_asker_options;

/* A question as tokens of a model: of kind generate its prompt, of kind choices a text for each choice. Zero-
 * initialise; texts are used again. */
typedef struct bipe_task_prompt {
    struct bipe_task_text {
        bipe_growing_text *tokens;
        size_t first;         /* of kind choices: the first token that is scored */
    } *text;                  /* [made], of which `count` are in use */
    size_t count, made, capacity;
    size_t shared;            /* tokens that all texts begin with */
    size_t cut;               /* tokens that each prompt lacks */
    size_t window;            /* tokens, at most */
    size_t stop_at;           /* as in the question; 0: the first */
    double bytes;             /* of memory, when it is answered */
} bipe_task_prompt;

void bipe_task_prompt_free(bipe_task_prompt *prompt);

int bipe_asker_open(bipe_asker **asker, const bipe_asker_options *options, bipe_error *err);
/* NULL is allowed. */
void bipe_asker_close(bipe_asker *asker);
/* Whether questions that are asked together must have the same window. */
bool bipe_asker_length_matters(const bipe_asker *asker);
/* Makes tokens of a question after `shots` (a text). Sets prompt_tokens and truncated of *answer. BIPE_ERR_FORMAT: it
 * does not fit. */
int bipe_asker_prepare(bipe_asker *asker, const bipe_question *question, const bipe_buffer *shots,
                       bipe_task_prompt *prompt, bipe_task_answer *answer, bipe_error *err);
/* Asks the model `count` questions at once. */
int bipe_asker_ask(bipe_asker *asker, bipe_task_prompt *const *prompt, bipe_task_answer *const *answer, size_t count,
                   bipe_error *err);

#endif
