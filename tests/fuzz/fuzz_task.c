/* fuzz_task.c - any bytes as a task file, a newline, and records, a line each: read, asked, made into shots, and their
 * answers cut. */
#include <string.h>

#include "format/readers.h"
#include "task/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_record(const bipe_task *task, const uint8_t *line, size_t size, uint64_t number,
                       bipe_question *question)
{
    json_t *record;
    bipe_error err;
    bipe_buffer text = {0};
    if (bipe_json_object_read(&record, line, size, &err) != BIPE_OK)
        return;
    if (bipe_task_ask(task, record, number, question, &err) == BIPE_OK) {
        bipe_task_shot(task, question, &text, &err);
        bipe_task_steps_apply(&task->answer, false, &text, &err);
    }
    bipe_buffer_free(&text);
    json_decref(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t length = end != NULL ? (size_t)(end - data) : size;
    json_t *file = NULL;
    bipe_task *task = NULL;
    bipe_error err;
    bipe_question question = {0};
    if (bipe_json_object_read(&file, data, length, &err) != BIPE_OK ||
        bipe_task_open(&task, file, data, length, &err) != BIPE_OK) {
        json_decref(file);
        return 0;
    }
    json_decref(file);
    for (uint64_t number = 0; end != NULL; number++) {
        const uint8_t *line = end + 1;
        size_t rest = size - (size_t)(line - data);
        end = rest > 0 ? memchr(line, '\n', rest) : NULL;
        ask_record(task, line, end != NULL ? (size_t)(end - line) : rest, number, &question);
    }
    bipe_question_free(&question);
    bipe_task_close(task);
    return 0;
}
