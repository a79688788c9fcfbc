/* train_task.c - bipe-train --task: records become prompts with their right answers, as bipe-eval asks for them. */
#include <string.h>

#include "measure/task.h"
#include "tools/bipe_train.h"
#include "tools/eval_records.h"
#include "tools/interrupt.h"

/* A record as a row: the prompt, and what is to be learned after it. */
static int add_example(const bipe_task *task, const json_t *record, uint64_t number, bipe_corpus *corpus, bipe_question *q, bipe_buffer *text,
                       bipe_error *err)
{
    const bipe_buffer *target = task->has_ending ? &q->ending : &q->target;
    int status = bipe_task_ask(task, record, number, q, err);
    text->size = 0;
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, q->description.data, q->description.size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, q->prompt.data, q->prompt.size, err);
    if (status == BIPE_OK && task->has_ending) /* the choice is part of the prompt */
        status = bipe_buffer_append(text, q->target.data, q->target.size, err);
    size_t prompt = text->size;
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, task->separator, strlen(task->separator), err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, target->data, target->size, err);
    return status == BIPE_OK ? bipe_corpus_add(corpus, text->data, text->size, prompt, err) : status;
}

int bipe_train_read_records(bipe_train_run *run, bipe_corpus *corpus, const char *path, bipe_error *err)
{
    bipe_eval_records records;
    bipe_question q = {0};
    bipe_buffer text = {0};
    int status = bipe_eval_records_open(&records, path, err);
    while (status == BIPE_OK && bipe_interrupted() == 0) {
        json_t *record = NULL;
        bipe_error own = {0};
        status = bipe_eval_records_next(&records, &record, err);
        if (status == BIPE_ERR_FORMAT) {
            bipe_tool_error(&run->tool, err);
            status = BIPE_OK;
        } else if (status == BIPE_OK) {
            bipe_progress_update(&run->tool.progress, path, bipe_input_raw_offset(records.lines.input));
            int one = add_example(run->task, record, records.number, corpus, &q, &text, &own);
            if (one == BIPE_ERR_FORMAT || one == BIPE_ERR_LIMIT) {
                bipe_eval_records_place(&records, &own);
                bipe_tool_error(&run->tool, &own);
            } else if (one != BIPE_OK) {
                *err = own;
                status = one;
            }
            json_decref(record);
        }
    }
    bipe_eval_records_close(&records);
    bipe_question_free(&q);
    bipe_buffer_free(&text);
    return status == BIPE_END ? BIPE_OK : status;
}
