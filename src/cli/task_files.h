/* task_files.h - the option --task: a task file, or the name of an installed task. */
#ifndef BIPE_CLI_TASK_FILES_H
#define BIPE_CLI_TASK_FILES_H

#include "base/installed.h"
#include "cli/tool.h"
#include "task/task.h"

enum { BIPE_TASK_PATH_SIZE = BIPE_INSTALLED_SIZE + 256 };

/* The path of the task that --task names: the operand itself, or what is written to `path`; NULL: there is none. */
const char *bipe_task_path(const char *operand, char path[BIPE_TASK_PATH_SIZE]);
/* Reads the task that --task names. Error texts start with its path; BIPE_ERR_ARGUMENT: there is none. */
int bipe_task_find(bipe_task **task, const char *operand, bipe_error *err);
/* Prints the names of installed tasks to an output. Returns the exit status. */
int bipe_task_list(bipe_tool *tool, const char *output);

#endif
