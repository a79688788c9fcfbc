/* mapping.h - maps a whole regular file as read-only memory. Not for pipes and devices, which have no size to check
 * lengths against. If another program shortens the file meanwhile, nothing here can help. */
#ifndef BIPE_FORMAT_MAPPING_H
#define BIPE_FORMAT_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Zero-initialise to make an empty one. */
typedef struct bipe_mapping {
    const uint8_t *data; /* [size], size > 0 */
    size_t size;
} bipe_mapping;

/* Maps `path`. BIPE_ERR_IO (not there, not allowed, a folder), BIPE_ERR_UNSUPPORTED (not a regular file),
 * BIPE_ERR_FORMAT (empty, or a pointer of Git LFS). Error texts start with the path. */
int bipe_mapping_open(bipe_mapping *mapping, const char *path, bipe_error *err);
/* Bytes of a mapping that are not needed for now: they do not count as memory of the process until they are read
 * again. */
void bipe_mapping_leave(const void *data, size_t size);
/* Bytes of a mapping that are read from beginning to end, again and again: a wish for large pages, which Linux keeps
 * files in where their file system can, if they are not in memory yet. */
void bipe_mapping_large_pages(const void *data, size_t size);
void bipe_mapping_close(bipe_mapping *mapping);

#endif
