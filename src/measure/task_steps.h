/* task_steps.h - steps that a text goes through, as task files name them: "strip", "before:=". A fixed list, described in bipe-task(5). */
#ifndef BIPE_MEASURE_TASK_STEPS_H
#define BIPE_MEASURE_TASK_STEPS_H

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

/* Texts, of which the first `count` are in use; the others keep their memory. Zero-initialise; bipe_task_texts_free(). */
typedef struct bipe_task_texts {
    bipe_buffer *text;
    size_t count, capacity;
} bipe_task_texts;

/* Adds an empty text, which goes to *text. BIPE_ERR_MEMORY. */
int bipe_task_texts_add(bipe_task_texts *texts, bipe_buffer **text, bipe_error *err);
void bipe_task_texts_free(bipe_task_texts *texts);

/* Adds the step that text (size) names. BIPE_ERR_ARGUMENT: there is none of that name, or its argument makes no sense. */
int bipe_task_steps_add(bipe_task_steps *steps, const char *text, size_t size, bipe_error *err);
/* Whether the steps can take a list, and, if so, whether they make one text of it. */
bool bipe_task_steps_join(const bipe_task_steps *steps);
/* Whether one of them is for lists alone. */
bool bipe_task_steps_need_list(const bipe_task_steps *steps);

/* Takes a text through all steps. strict: a text without what a step looks for is BIPE_ERR_FORMAT. BIPE_ERR_LIMIT: a pattern backtracks
 * too much. BIPE_ERR_MEMORY. */
int bipe_task_steps_take(const bipe_task_steps *steps, bool strict, bipe_buffer *text, bipe_error *err);
/* Takes each text of a list through the steps; `join` leaves one. */
int bipe_task_steps_take_list(const bipe_task_steps *steps, bool strict, bipe_task_texts *list, bipe_error *err);
void bipe_task_steps_free(bipe_task_steps *steps);

#endif
