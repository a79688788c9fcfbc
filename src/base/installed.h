/* installed.h - finds the files that were installed with bipe. */
#ifndef BIPE_BASE_INSTALLED_H
#define BIPE_BASE_INSTALLED_H

enum { BIPE_INSTALLED_SIZE = 4096 };

typedef enum bipe_installed {
    BIPE_INSTALLED_SEGMENTERS,
    BIPE_INSTALLED_MODELS,
    BIPE_INSTALLED_SENTENCES,
    BIPE_INSTALLED_TASKS
} bipe_installed;

/* The folder of plug-ins, of models, of lists for `sentence:LANG` or of task files, as an absolute path. A folder
 * located relative to the running program or shared library takes precedence over the configured one, so an
 * installation can be relocated, run through links or run from its build tree. Returns `path`; the folder may not
 * exist. */
const char *bipe_installed_folder(bipe_installed kind, char path[BIPE_INSTALLED_SIZE]);

#endif
