/* path.h - names of files in folders. */
#ifndef BIPE_BASE_PATH_H
#define BIPE_BASE_PATH_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* FOLDER/NAME in `path` (size), with one slash between them: of / it is /NAME. False when it does not fit; it is then
 * cut. */
static inline bool bipe_path_join(char *path, size_t size, const char *folder, const char *name)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        n--;
    int length = snprintf(path, size, "%.*s/%s", (int)n, folder, name);
    return length >= 0 && (size_t)length < size;
}

/* The same, allocated, to be freed; NULL when memory is exhausted. */
static inline char *bipe_path_new(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = bipe_alloc(size, 1);
    if (path != NULL)
        bipe_path_join(path, size, folder, name);
    return path;
}

/* Bytes of the folder, such as "a/b/", that both names begin with, at most `most`; something of each name remains. */
static inline size_t bipe_path_common_folder(const char *a, const char *b, size_t most)
{
    size_t size = 0;
    for (size_t i = 0; i < most && a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '/' && a[i + 1] != '\0' && b[i + 1] != '\0')
            size = i + 1;
    return size;
}

#endif
