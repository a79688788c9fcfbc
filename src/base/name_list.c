/* name_list.c - lists of names; see name_list.h. */
#include "base/name_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int bipe_name_list_add(bipe_name_list *names, char *name, bipe_error *err)
{
    if (name == NULL || bipe_grow(&names->name, &names->capacity, names->count + 1, sizeof *names->name) != 0) {
        bipe_free(name);
        return bipe_fail_memory(err);
    }
    names->name[names->count++] = name;
    return BIPE_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void bipe_name_list_sort(bipe_name_list *names)
{
    if (names->count > 1)
        qsort(names->name, names->count, sizeof *names->name, by_name);
}

int bipe_name_list_read(bipe_name_list *names, const char *folder, const char *ending, bipe_error *err)
{
    DIR *open = opendir(folder);
    size_t end = strlen(ending);
    int status = BIPE_OK;
    if (open == NULL)
        return bipe_fail(err, BIPE_ERR_IO, "%s: could not be opened: %s", folder, strerror(errno));
    for (struct dirent *entry; status == BIPE_OK && (entry = readdir(open)) != NULL;) {
        size_t size = strlen(entry->d_name);
        if (entry->d_name[0] != '.' && size >= end && strcmp(entry->d_name + size - end, ending) == 0)
            status = bipe_name_list_add(names, bipe_strdup(entry->d_name), err);
    }
    closedir(open);
    bipe_name_list_sort(names);
    return status;
}

void bipe_name_list_free(bipe_name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        bipe_free(names->name[i]);
    bipe_free(names->name);
}
