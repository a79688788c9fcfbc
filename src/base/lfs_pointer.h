/* lfs_pointer.h - recognizes the pointer, a few lines of text, that a clone without Git LFS has in place of a large
 * file. */
#ifndef BIPE_BASE_LFS_POINTER_H
#define BIPE_BASE_LFS_POINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"

/* Whether a file begins so (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
static inline bool bipe_is_lfs_pointer(const void *bytes, size_t size)
{
    static const char line[] = "version https://git-lfs.github.com/spec/";
    return size >= sizeof line - 1 && memcmp(bytes, line, sizeof line - 1) == 0;
}

static inline int bipe_refuse_lfs_pointer(const char *path, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_FORMAT,
                     "%s: a pointer of Git LFS, expected the file itself, which \"git lfs pull\" fetches", path);
}

#endif
