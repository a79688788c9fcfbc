/* task_steps.h - the steps by which task files transform texts: "strip", "before:=". bipe-task(5) describes them
 * all. */
#ifndef BIPE_TASK_TASK_STEPS_H
#define BIPE_TASK_TASK_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

typedef struct bipe_task_step bipe_task_step;

/* Some steps, one after the other. Zero-initialise; bipe_task_steps_free(). */
typedef struct bipe_task_steps {
    bipe_task_step *step;
    size_t count, capacity;
} bipe_task_steps;

/* Texts, of which the first `count` are in use; the others keep their memory. Zero-initialise;
 * bipe_task_texts_free(). */
typedef struct bipe_task_texts {
    bipe_buffer *text;
    size_t count, capacity;
} bipe_task_texts;

/* Adds an empty text, which goes to *text. BIPE_ERR_MEMORY. */
int bipe_task_texts_add(bipe_task_texts *texts, bipe_buffer **text, bipe_error *err);
void bipe_task_texts_free(bipe_task_texts *texts);

/* Adds the step named by text (size). BIPE_ERR_ARGUMENT: no such step, or an invalid argument. */
int bipe_task_steps_add(bipe_task_steps *steps, const char *text, size_t size, bipe_error *err);
/* Whether the steps accept a list, and, if so, whether they join it to one text. */
bool bipe_task_steps_join(const bipe_task_steps *steps);
/* Whether one of them accepts only lists. */
bool bipe_task_steps_need_list(const bipe_task_steps *steps);

/* Applies all steps to a text. strict: a step that finds no match fails with BIPE_ERR_FORMAT. BIPE_ERR_LIMIT: a pattern
 * backtracks too much. BIPE_ERR_MEMORY. */
int bipe_task_steps_apply(const bipe_task_steps *steps, bool strict, bipe_buffer *text, bipe_error *err);
/* Applies the steps to each text of a list; `join` leaves one text. */
int bipe_task_steps_apply_list(const bipe_task_steps *steps, bool strict, bipe_task_texts *list, bipe_error *err);
void bipe_task_steps_free(bipe_task_steps *steps);

#endif
