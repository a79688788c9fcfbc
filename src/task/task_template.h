/* task_template.h - texts with placeholders for the members of a record: "Question: {question}",
 * "{choices.text[0]|strip}". See bipe-task(5). */
#ifndef BIPE_TASK_TASK_TEMPLATE_H
#define BIPE_TASK_TASK_TEMPLATE_H

#include <jansson.h>

#include "task/task_steps.h"

typedef struct bipe_task_part bipe_task_part;

/* Zero-initialise; bipe_task_template_free(). One without parts gives an empty text. */
typedef struct bipe_task_template {
    bipe_task_part *part;
    size_t count, capacity;
} bipe_task_template;

/* BIPE_ERR_ARGUMENT: an invalid placeholder. */
int bipe_task_template_parse(bipe_task_template *template, const char *text, bipe_error *err);
/* Appends the template filled from a record. BIPE_ERR_FORMAT: the record lacks a member, or has another type of value
 * there. */
int bipe_task_template_fill(const bipe_task_template *template, const json_t *record, bipe_buffer *text,
                            bipe_error *err);
/* Adds one text or, where a placeholder names a list, one for each item. Lists in one template have the same length. */
int bipe_task_template_fill_list(const bipe_task_template *template, const json_t *record, bipe_task_texts *texts,
                                 bipe_error *err);
void bipe_task_template_free(bipe_task_template *template);

#endif
