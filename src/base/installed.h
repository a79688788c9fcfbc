/* installed.h - finds the files that were installed with bipe. */
#ifndef BIPE_BASE_INSTALLED_H
#define BIPE_BASE_INSTALLED_H

enum { BIPE_INSTALLED_SIZE = 4096 };

typedef enum bipe_installed { BIPE_INSTALLED_SEGMENTERS, BIPE_INSTALLED_MODELS, BIPE_INSTALLED_SENTENCES, BIPE_INSTALLED_TASKS } bipe_installed;

/* The folder of plug-ins, of models, of lists for `sentence:LANG` or of task files, as an absolute path. A folder that is found from the running program, or from the shared
 * library that this code is in, goes before the one that was configured: so a tree may be moved, unpacked anywhere, called
 * through links, or run where it was built. Returns `path`, where there need not be such a folder. */
const char *bipe_installed_folder(bipe_installed kind, char path[BIPE_INSTALLED_SIZE]);

#endif
