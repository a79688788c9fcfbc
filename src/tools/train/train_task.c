/* train_task.c - bipe-train --task: records become prompts with their right answers, as bipe-eval asks for them. */
#include <string.h>

#include "cli/eval_records.h"
#include "task/task.h"
#include "tools/train/bipe_train.h"

/* Where records go. */
typedef struct reading {
    bipe_train_run *run;
    bipe_corpus *corpus;
    bipe_question question;
    bipe_buffer text;
} reading;

/* Whether bipe-eval would end the answer within this text: with the text to stop at number `stop_at` (0: the first). */
static bool is_ended(const bipe_task *task, const uint8_t *text, size_t size, size_t stop_at)
{
    size_t found = 0;
    for (size_t at = 0, length; at < size; at += length) {
        length = 1;
        for (size_t i = 0; i < task->stop_count; i++) {
            size_t stop = strlen(task->stop[i]);
            if (stop <= size - at && memcmp(text + at, task->stop[i], stop) == 0) {
                length = stop;
                found++;
                break;
            }
        }
    }
    return found >= (stop_at > 0 ? stop_at : 1);
}

/* A record as a row: the prompt, and what is to be learned after it. */
static int take_record(void *context, const bipe_eval_records *records, json_t *record, bipe_error *err)
{
    reading *r = context;
    const bipe_task *task = r->run->task;
    bipe_question *q = &r->question;
    bipe_buffer *text = &r->text;
    const bipe_buffer *target = task->has_ending ? &q->ending : &q->target;
    bipe_progress_update(&r->run->tool.progress, r->run->reading, bipe_input_raw_offset(records->lines.input));
    int status = bipe_task_ask(task, record, records->number, q, err);
    if (status != BIPE_OK)
        return status;
    text->size = 0;
    bipe_buffer_write(text, q->description.data, q->description.size);
    bipe_buffer_write(text, q->prompt.data, q->prompt.size);
    if (task->has_ending) /* the choice is part of the prompt */
        bipe_buffer_write(text, q->target.data, q->target.size);
    size_t prompt = text->size;
    bipe_buffer_write(text, task->separator, strlen(task->separator));
    bipe_buffer_write(text, target->data, target->size);
    if (text->failed)
        return bipe_fail_memory(err);
    const char *end = task->stop_count > 0 && !is_ended(task, text->data + prompt, text->size - prompt, q->stop_at)
                          ? task->stop[0]
                          : NULL;
    return bipe_corpus_add(r->corpus, text->data, text->size, prompt, end, err);
}

int bipe_train_check_task(const bipe_train_run *run, bipe_error *err)
{
    const bipe_task *task = run->task;
    if (task == NULL || task->kind != BIPE_TASK_GENERATE || task->stop_count > 0 ||
        bipe_tokenizer_eos(run->tokenizer) != BIPE_NO_TOKEN)
        return BIPE_OK;
    return bipe_fail(
        err, BIPE_ERR_ARGUMENT,
        "option '--task': nothing ends the answers of task %s: it has no text to stop at, and the tokenizer no "
        "end-of-text token; add \"stop\" to the task file, or give a tokenizer that has such a token",
        task->name);
}

int bipe_train_read_records(bipe_train_run *run, bipe_corpus *corpus, const char *path, bipe_error *err)
{
    reading r = {.run = run, .corpus = corpus};
    int status = bipe_eval_records_each(path, &run->tool, take_record, &r, err);
    bipe_question_free(&r.question);
    bipe_buffer_free(&r.text);
    return status;
}
