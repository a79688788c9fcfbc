/* pool.h - threads that share the work of an evaluator. */
#ifndef BIPE_POOL_H
#define BIPE_POOL_H

#include <stddef.h>

#include <bipe/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_pool bipe_pool;

/* A pool of `threads` (at least 1; 1 starts none: the caller does the work). */
int bipe_pool_open(bipe_pool **pool, size_t threads, bipe_error *err);
/* NULL is allowed. */
void bipe_pool_close(bipe_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
