/* spool.h - bytes that are written once and read back later: in memory while they are few, in an
 * unlinked temporary file (TMPDIR) beyond that. Bounds memory where data must be read a second time. */
#ifndef BIPE_BASE_SPOOL_H
#define BIPE_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_spool bipe_spool;

/* Up to `memory` bytes stay in memory. */
int bipe_spool_open(bipe_spool **spool, size_t memory, bipe_error *err);
int bipe_spool_append(bipe_spool *spool, const void *bytes, size_t size, bipe_error *err);
uint64_t bipe_spool_size(const bipe_spool *spool);
/* Copies bytes [offset, offset + size), which must have been appended, into `bytes`. */
int bipe_spool_read(bipe_spool *spool, uint64_t offset, void *bytes, size_t size, bipe_error *err);
/* Forgets all but the first `size` bytes, keeps the memory. */
void bipe_spool_truncate(bipe_spool *spool, uint64_t size);
void bipe_spool_close(bipe_spool *spool);

#endif
