/* models.h - models and pools of threads opened for tests, which give up where one cannot be opened. */
#ifndef BIPE_TESTS_MODELS_H
#define BIPE_TESTS_MODELS_H

#include "base/threads.h"
#include "model/model.h"
#include "tests/check.h"

static inline bipe_model *test_open_model(const char *path)
{
    bipe_model *model = NULL;
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_model_open(&model, path, &err) == BIPE_OK, "%s", err.text);
    if (model == NULL)
        abort();
    return model;
}

static inline bipe_pool *test_open_pool(size_t threads)
{
    bipe_pool *pool = NULL;
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_pool_open(&pool, threads, &err) == BIPE_OK, "%s", err.text);
    if (pool == NULL)
        abort();
    return pool;
}

#endif
