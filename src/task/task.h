/* task.h - tasks: a task file (bipe-task(5)) describes how a record of a data set becomes a question to a model. Runs
 * no model and judges no answer. */
#ifndef BIPE_TASK_TASK_H
#define BIPE_TASK_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "task/task_template.h"

typedef enum bipe_task_kind { BIPE_TASK_CHOICES, BIPE_TASK_GENERATE } bipe_task_kind;
typedef enum bipe_task_cut { BIPE_CUT_START, BIPE_CUT_MIDDLE, BIPE_CUT_END } bipe_task_cut;
struct bipe_question;
struct bipe_task_answer;

/* A metric. */
typedef struct bipe_metric {
    const char *name;
    bool proportion;    /* each record has 0 or 1 */
    double (*of_choices)(const struct bipe_question *question, const struct bipe_task_answer *answer); /* or NULL */
    size_t of_text;     /* 0: not of generated text */
    bool of_labels;     /* of generated text in tasks with labels */
    bool combined;      /* of generated text, but of no single record: the geometric mean of the means of */
    size_t part[3];     /* these metrics */
} bipe_metric;

enum { BIPE_METRICS_MOST = 16 };
extern const bipe_metric bipe_metrics[];        /* task_judge.c; a last one has no name */
/* The number of the metric of that name; SIZE_MAX: there is none. */
size_t bipe_metric_find(const char *name);

extern const char *const bipe_task_cut_names[];               /* by bipe_task_cut, then NULL */

/* The contents of a task file. Pointers belong to the task. */
typedef struct bipe_task {
    char *name, *version;               /* version: NULL where the file has none */
    bipe_task_kind kind;
    bipe_task_template prompt, description, target, ending, id, shots_by, stop_at, question;
    bool has_target, has_ending, has_id, merge, stem;
    bipe_task_template *choices, *labels, *references, *gold; /* lists of templates */
    size_t choice_count, label_count, reference_count, gold_count;
    char *separator, *shot_separator;
    bipe_task_steps clean, answer;
    char **stop;
    size_t stop_count, max_tokens;
    bipe_task_cut cut;
    size_t metric[BIPE_METRICS_MOST], metrics; /* numbers of [metrics] */
    uint64_t hash;                      /* of the file's contents */
} bipe_task;

/* `file` is the parsed file, `text` its bytes. BIPE_ERR_FORMAT names the member that is wrong, and what was
 * expected. */
int bipe_task_open(bipe_task **task, const json_t *file, const uint8_t *text, size_t size, bipe_error *err);
void bipe_task_close(bipe_task *task);

/* A record as a question. Zero-initialise; its memory is reused for the next record. */
typedef struct bipe_question {
    bipe_buffer id, description, group; /* group: what --shots-by gives */
    bipe_buffer prompt, ending, target;
    bipe_buffer asked;                  /* of generated text: labels in it do not count */
    bipe_task_texts choices, references;
    bipe_task_texts labels, gold;       /* as in the record */
    bipe_buffer number;
    size_t stop_at;                     /* number of the stop text that ends the answer, from 1 */
    uint8_t *right;                     /* (choices.count) 1: a right one */
    size_t right_capacity;
} bipe_question;

/* number: of the record in its file, from 0. BIPE_ERR_FORMAT: a missing member, an empty prompt or choice, or a gold
 * answer that is not among the choices. */
int bipe_task_ask(const bipe_task *task, const json_t *record, uint64_t number, bipe_question *question,
                  bipe_error *err);
/* Appends a question with its right answer, for the prompts of other questions. */
int bipe_task_shot(const bipe_task *task, const bipe_question *question, bipe_buffer *text, bipe_error *err);
void bipe_question_free(bipe_question *question);

#endif
