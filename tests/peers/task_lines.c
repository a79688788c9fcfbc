/* task_lines.c - for the test of task files: prints each record of standard input, JSON Lines, as the question that a
 * task makes of it, an object a line, or "refused: WHY". Usage: task_lines TASK < RECORDS */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/task.h"

static json_t *text_of(const bipe_buffer *text)
{
    return json_stringn(text->size > 0 ? (const char *)text->data : "", text->size);
}

static json_t *texts_of(const bipe_task_texts *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        json_array_append_new(list, text_of(&texts->text[i]));
    return list;
}

static void print_question(const bipe_task *task, const bipe_question *q)
{
    json_t *out = json_object(), *right = json_array();
    bipe_buffer shot = {0};
    bipe_error err;
    for (size_t i = 0; task->kind == BIPE_TASK_CHOICES && i < q->choices.count; i++)
        json_array_append_new(right, json_integer(q->right[i]));
    json_object_set_new(out, "prompt", text_of(&q->prompt));
    json_object_set_new(out, "description", text_of(&q->description));
    json_object_set_new(out, "choices", texts_of(&q->choices));
    json_object_set_new(out, "right", right);
    json_object_set_new(out, "ending", text_of(&q->ending));
    json_object_set_new(out, "references", texts_of(&q->references));
    if (bipe_task_shot(task, q, &shot, &err) == BIPE_OK)
        json_object_set_new(out, "shot", text_of(&shot));
    char *line = json_dumps(out, JSON_COMPACT);
    puts(line);
    free(line);
    bipe_buffer_free(&shot);
    json_decref(out);
}

int main(int argc, char **argv)
{
    bipe_task *task = NULL;
    bipe_question question = {0};
    bipe_error err;
    json_error_t where;
    size_t size = 0, capacity = 0;
    char *text = NULL, *line = NULL;
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (in == NULL)
        return 2;
    ssize_t length = getdelim(&text, &size, EOF, in);
    fclose(in);
    json_t *file = length > 0 ? json_loadb(text, (size_t)length, 0, &where) : NULL;
    if (file == NULL || bipe_task_open(&task, file, (const uint8_t *)text, (size_t)length, &err) != BIPE_OK) {
        fprintf(stderr, "task_lines: %s: %s\n", argv[1], file == NULL ? where.text : err.text);
        return 1;
    }
    for (uint64_t number = 0; (length = getline(&line, &capacity, stdin)) > 0; number++) {
        json_t *record = json_loadb(line, (size_t)length, 0, &where);
        if (record != NULL && bipe_task_ask(task, record, number, &question, &err) == BIPE_OK)
            print_question(task, &question);
        else
            printf("refused: %s\n", record == NULL ? where.text : err.text);
        json_decref(record);
    }
    bipe_question_free(&question);
    bipe_task_close(task);
    json_decref(file);
    free(text);
    free(line);
    return 0;
}
