/* name_list.h - lists of names, such as those of the files in a folder. */
#ifndef BIPE_BASE_NAME_LIST_H
#define BIPE_BASE_NAME_LIST_H

#include <stddef.h>

#include "base/status.h"

/* Zero-initialise. */
typedef struct bipe_name_list {
    char **name;
    size_t count, capacity;
} bipe_name_list;

/* Adds a name, of bipe_alloc(), which the list then owns; it is freed where that fails, and NULL fails.
 * BIPE_ERR_MEMORY. */
int bipe_name_list_add(bipe_name_list *names, char *name, bipe_error *err);
/* Adds the names in a folder that have this ending, sorted; hidden ones are left out. BIPE_ERR_IO: it cannot be
 * read; BIPE_ERR_MEMORY. */
int bipe_name_list_read(bipe_name_list *names, const char *folder, const char *ending, bipe_error *err);
void bipe_name_list_sort(bipe_name_list *names);
void bipe_name_list_free(bipe_name_list *names);

#endif
