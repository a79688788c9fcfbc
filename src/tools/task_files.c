/* task_files.c - task files and the folder of installed ones; see task_files.h. */
#include "tools/task_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/installed.h"
#include "base/path.h"
#include "format/readers.h"

enum { TASK_MOST = 1 << 20 /* bytes of a task file */ };

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

int bipe_task_find(bipe_task **task, const char *operand, bipe_error *err)
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

int bipe_task_list(bipe_tool *tool, const char *path)
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
    if (status != BIPE_OK)
        bipe_tool_error(tool, &err);
    return bipe_tool_finish(tool, output);
}
