/* task_files.h - the option --task: a task file, or the name of an installed task. */
#ifndef BIPE_TOOLS_TASK_FILES_H
#define BIPE_TOOLS_TASK_FILES_H

#include "measure/task.h"
#include "tools/tool.h"

/* Reads the task that --task names. Error texts start with its path; BIPE_ERR_ARGUMENT: there is none. */
int bipe_task_find(bipe_task **task, const char *operand, bipe_error *err);
/* Prints the names of installed tasks to an output. Returns the exit status. */
int bipe_task_list(bipe_tool *tool, const char *output);

#endif
