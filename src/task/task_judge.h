/* task_judge.h - answers of models to the questions of a task, and how good they are by each metric. */
#ifndef BIPE_TASK_TASK_JUDGE_H
#define BIPE_TASK_TASK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "task/task.h"

typedef struct bipe_task_choice {
    double score;             /* ln p */
    bool greedy;              /* each of its tokens is the most probable one */
} bipe_task_choice;

/* The answer of a model to a question. Zero-initialise; its memory is reused. */
typedef struct bipe_task_answer {
    size_t prompt_tokens;
    bool truncated;
    bipe_buffer text;         /* of kind generate: the continuation */
    bipe_task_choice *choice; /* (choices) of kind choices */
    size_t choices, choice_capacity;
} bipe_task_answer;

/* How good an answer is, from 0 to 1. */
typedef struct bipe_task_values {
    double value[BIPE_METRICS_MOST]; /* by metric; 0: of another kind of task, or of no single record */
    double chance;            /* the share of choices that are right: what choosing blindly gets; 0: there is but one */
    size_t choice;            /* of kind choices: the most probable one */
    uint64_t number, cluster; /* the caller's */
} bipe_task_values;

void bipe_task_answer_free(bipe_task_answer *answer);
/* Makes space for so many choices. */
int bipe_task_answer_choices(bipe_task_answer *answer, size_t choices, bipe_error *err);
/* Judges an answer. Its text goes through the task's steps into *cleaned. BIPE_ERR_LIMIT: the text is too long. */
int bipe_task_judge(const bipe_task *task, const bipe_question *question, const bipe_task_answer *answer,
                    bipe_task_values *values, bipe_buffer *cleaned, bipe_error *err);

#endif
