/* eval_open.c - opens what a run of bipe-eval needs: the task, models, shots and outputs. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "base/path.h"
#include "format/readers.h"
#include "tools/bipe_eval.h"

enum { TASK_MOST = 1 << 20 /* bytes of a task file */ };

/* ---- the task ---- */

static int read_task(bipe_task **task, const char *path, bipe_error *err)
{
    bipe_input *input;
    bipe_buffer text = {0};
    json_t *file = NULL;
    size_t size = 1;
    int status = bipe_input_open(&input, path, err);
    while (status == BIPE_OK && size > 0) {
        if (text.size > TASK_MOST)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: more than %d bytes, expected a task file", path, TASK_MOST);
        if (status == BIPE_OK)
            status = bipe_buffer_reserve(&text, 1 << 16, err);
        if (status == BIPE_OK)
            status = bipe_input_read(input, text.data + text.size, 1 << 16, &size, err);
        if (status == BIPE_OK)
            text.size += size;
    }
    bipe_input_close(input);
    if (status == BIPE_OK) {
        status = bipe_json_object_read(&file, text.data, text.size, err);
        if (status == BIPE_OK)
            status = bipe_task_open(task, file, text.data, text.size, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s", path);
    }
    json_decref(file);
    bipe_buffer_free(&text);
    return status;
}

int bipe_eval_open_task(bipe_task **task, const char *operand, bipe_error *err)
{
    char folder[BIPE_INSTALLED_SIZE], path[BIPE_INSTALLED_SIZE + 256], name[256];
    struct stat info;
    *task = NULL;
    if (stat(operand, &info) != 0 && strchr(operand, '/') == NULL && strlen(operand) < sizeof name - sizeof ".json") {
        memcpy(name, operand, strlen(operand) + 1);
        strcat(name, ".json");
        if (bipe_path_join(path, sizeof path, bipe_installed_folder(BIPE_INSTALLED_TASKS, folder), name) && stat(path, &info) == 0)
            return read_task(task, path, err);
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--task': %s: there is no such task or file, expected one that --list names", operand);
    }
    return read_task(task, operand, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The task files of a folder, sorted; the caller frees. */
static int list_names(const char *path, char ***names, size_t *count, bipe_error *err)
{
    size_t capacity = 0;
    int status = BIPE_OK;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
    for (struct dirent *entry; status == BIPE_OK && (entry = readdir(folder)) != NULL;) {
        size_t size = strlen(entry->d_name);
        if (size < 6 || strcmp(entry->d_name + size - 5, ".json") != 0)
            continue;
        char *copy = bipe_strdup(entry->d_name);
        if (copy == NULL || bipe_grow(names, &capacity, *count + 1, sizeof **names) != 0) {
            bipe_free(copy);
            status = bipe_fail_memory(err);
        } else {
            (*names)[(*count)++] = copy;
        }
    }
    closedir(folder);
    if (*count > 1)
        qsort(*names, *count, sizeof **names, by_name);
    return status;
}

int bipe_eval_list(bipe_tool *tool, const char *path)
{
    char folder[BIPE_INSTALLED_SIZE], file[BIPE_INSTALLED_SIZE + 256];
    char **names = NULL;
    size_t count = 0;
    bipe_output *output = NULL;
    bipe_error err = {0};
    bipe_installed_folder(BIPE_INSTALLED_TASKS, folder);
    int status = list_names(folder, &names, &count, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bipe_task *task = NULL;
        if (!bipe_path_join(file, sizeof file, folder, names[i]))
            continue;
        int one = read_task(&task, file, &err);
        if (one != BIPE_OK)
            bipe_tool_error(tool, &err);
        else
            status = bipe_output_printf(output, &err, "%-*.*s %-8s %s\n", 16, (int)strlen(names[i]) - 5, names[i],
                                        task->kind == BIPE_TASK_CHOICES ? "choices" : "generate", task->version != NULL ? task->version : "");
        bipe_task_close(task);
    }
    for (size_t i = 0; i < count; i++)
        bipe_free(names[i]);
    bipe_free(names);
    bipe_tool_error(tool, &err);
    return bipe_tool_finish(tool, output);
}

/* ---- shots ---- */

/* All questions of --shots-from. A record that is none is reported, and no shot. */
static int read_shots(bipe_eval_run *run, bipe_error *err)
{
    bipe_eval_records records;
    int status = bipe_eval_records_open(&records, run->given.shots_from, err);
    while (status == BIPE_OK) {
        json_t *record = NULL;
        bipe_error one = {0};
        status = bipe_eval_records_next(&records, &record, err);
        if (status == BIPE_ERR_FORMAT) {
            bipe_tool_error(&run->tool, err);
            status = BIPE_OK;
            continue;
        }
        if (status != BIPE_OK)
            break;
        if (bipe_grow(&run->shot, &run->shot_capacity, run->shots + 1, sizeof *run->shot) != 0) {
            json_decref(record);
            status = bipe_fail_memory(err);
            break;
        }
        run->shot[run->shots] = (bipe_question){0};
        if (bipe_task_ask(run->task, record, records.number, &run->shot[run->shots], &one) == BIPE_OK) {
            run->shots++;
        } else {
            bipe_question_free(&run->shot[run->shots]);
            bipe_eval_records_place(&records, &one);
            bipe_tool_error(&run->tool, &one);
        }
        json_decref(record);
    }
    bipe_eval_records_close(&records);
    return status == BIPE_END ? BIPE_OK : status;
}

/* ---- a run ---- */

static int open_models(bipe_eval_run *run, const char *first, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    int status = bipe_pool_open(&run->pool, bipe_tool_threads(&run->tool, 0), err);
    size_t models = 1 + given->against.count;
    run->model = bipe_alloc(models, sizeof *run->model);
    if (run->model == NULL)
        return bipe_fail_memory(err);
    for (; run->models < models && status == BIPE_OK; run->models++)
        status = bipe_eval_model_open(&run->model[run->models], run->models == 0 ? first : given->against.text[run->models - 1], given,
                                      given->scheme != NULL ? &run->scheme : NULL, given->scaling != NULL ? &run->scaling : NULL, run->task,
                                      run->pool, &run->tool, err);
    if (status == BIPE_OK)
        bipe_tool_note_segmenters(&run->tool, &run->model[0].segmenter, 1);
    return status;
}

int bipe_eval_open(bipe_eval_run *run, const char *model, bipe_files files, bipe_error *err)
{
    const bipe_eval_options *given = &run->given;
    int status = bipe_eval_open_task(&run->task, given->task, err);
    if (status == BIPE_OK)
        status = open_models(run, model, err);
    if (status == BIPE_OK && given->shots > 0)
        status = read_shots(run, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, given->output, err);
    if (status == BIPE_OK && given->predictions != NULL)
        status = bipe_output_open(&run->predictions, given->predictions, err);
    run->result = bipe_alloc(files.count, sizeof *run->result);
    return status == BIPE_OK && run->result == NULL ? bipe_fail_memory(err) : status;
}

void bipe_eval_close(bipe_eval_run *run)
{
    bipe_eval_free_items(run);
    for (size_t i = 0; i < run->models; i++)
        bipe_eval_model_close(&run->model[i]);
    for (size_t i = 0; i < run->shots; i++)
        bipe_question_free(&run->shot[i]);
    for (size_t i = 0; i < run->results; i++) {
        bipe_free(run->result[i].number);
        bipe_free(run->result[i].values);
    }
    bipe_free(run->model);
    bipe_free(run->shot);
    bipe_free(run->result);
    bipe_pool_close(run->pool);
    bipe_task_close(run->task);
    bipe_output_abandon(run->output);
    bipe_output_abandon(run->predictions);
}
