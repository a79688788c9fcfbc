/* zip.h - the entries of a zip archive in memory. Stored entries only: what PyTorch writes is never compressed, so that
 * it can be mapped. Only for this room and its tests. */
#ifndef BIPE_FORMAT_ZIP_H
#define BIPE_FORMAT_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_zip_entry {
    const char *name; /* inside the archive, not NUL-terminated */
    size_t name_size;
    const uint8_t *data;
    uint64_t size;
} bipe_zip_entry;

/* Zero-initialise. */
typedef struct bipe_zip {
    bipe_zip_entry *entry; /* sorted by name */
    size_t count;
} bipe_zip;

/* Reads the directory (zip64 too) and checks where entries lie. BIPE_ERR_FORMAT; BIPE_ERR_UNSUPPORTED for entries that
 * are compressed or encrypted and for archives in several parts; BIPE_ERR_MEMORY. */
int bipe_zip_open(bipe_zip *zip, const uint8_t *bytes, size_t size, bipe_error *err);
/* The entry of that name, or NULL. */
const bipe_zip_entry *bipe_zip_find(const bipe_zip *zip, const char *name, size_t name_size);
void bipe_zip_close(bipe_zip *zip);

#endif
