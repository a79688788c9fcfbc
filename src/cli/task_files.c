/* task_files.c - task files and the folder of installed ones; see task_files.h. */
#include "cli/task_files.h"

#include <string.h>
#include <sys/stat.h>

#include "base/installed.h"
#include "base/path.h"
#include "cli/tool_inputs.h"
#include "format/readers.h"

enum { TASK_MOST = 1 << 20 /* bytes of a task file */ };

static int read_task(bipe_task **task, const char *path, bipe_error *err)
{
    bipe_buffer text = {0};
    json_t *file;
    int status = bipe_json_file_read(&file, path, TASK_MOST, "a task file", &text, err);
    if (status == BIPE_OK && (status = bipe_task_open(task, file, text.data, text.size, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    json_decref(file);
    bipe_buffer_free(&text);
    return status;
}

const char *bipe_task_path(const char *operand, char path[BIPE_TASK_PATH_SIZE])
{
    char folder[BIPE_INSTALLED_SIZE], name[256];
    struct stat info;
    if (stat(operand, &info) == 0 || strchr(operand, '/') != NULL || strlen(operand) >= sizeof name - sizeof ".json")
        return operand;
    memcpy(name, operand, strlen(operand) + 1);
    strcat(name, ".json");
    bool fits = bipe_path_join(path, BIPE_TASK_PATH_SIZE, bipe_installed_folder(BIPE_INSTALLED_TASKS, folder), name);
    return fits && stat(path, &info) == 0 ? path : NULL;
}

int bipe_task_find(bipe_task **task, const char *operand, bipe_error *err)
{
    char path[BIPE_TASK_PATH_SIZE];
    const char *found = bipe_task_path(operand, path);
    *task = NULL;
    return found != NULL
               ? read_task(task, found, err)
               : bipe_fail(
                     err, BIPE_ERR_ARGUMENT,
                     "option '--task': %s: there is no such task or file, expected one that bipe-eval --list names",
                     operand);
}

int bipe_task_list(bipe_tool *tool, const char *path)
{
    char folder[BIPE_INSTALLED_SIZE], file[BIPE_INSTALLED_SIZE + 256];
    bipe_name_list names = {0};
    bipe_output *output = NULL;
    bipe_error err = {0};
    bipe_installed_folder(BIPE_INSTALLED_TASKS, folder);
    int status = bipe_name_list_read(&names, folder, ".json", &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    for (size_t i = 0; i < names.count && status == BIPE_OK; i++) {
        const char *name = names.name[i];
        bipe_task *task = NULL;
        if (!bipe_path_join(file, sizeof file, folder, name))
            continue;
        int one = read_task(&task, file, &err);
        if (one != BIPE_OK)
            bipe_tool_error(tool, &err);
        else
            status = bipe_output_printf(output, &err, "%-*.*s %-8s %s\n", 16, (int)strlen(name) - 5, name,
                                        task->kind == BIPE_TASK_CHOICES ? "choices" : "generate",
                                        task->version != NULL ? task->version : "");
        bipe_task_close(task);
    }
    bipe_name_list_free(&names);
    return bipe_tool_end(tool, status, &output, &err);
}
