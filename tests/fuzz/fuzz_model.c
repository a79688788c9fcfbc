/* fuzz_model.c - a model file of any bytes, opened and, when it opens, run over a short window. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/evaluator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/fuzz_model.%ld", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        abort();
    fwrite(data, 1, size, file);
    fclose(file);
    bipe_model *model = NULL;
    bipe_pool *pool = NULL;
    bipe_evaluator *evaluator = NULL;
    bipe_error err;
    bipe_evaluator_options options = {.max_length = 5};
    if (bipe_model_open(&model, path, &err) == BIPE_OK && bipe_pool_open(&pool, 1, &err) == BIPE_OK &&
        bipe_evaluator_open(&evaluator, model, &options, pool, &err) == BIPE_OK) {
        uint32_t ids[5] = {0}, segment[5] = {0, 0, 1, 1, 2}, intra[5] = {0, 1, 0, 1, 0};
        double nll[4];
        bipe_window window = {ids, {{NULL, segment, intra}}, 5, NULL, nll};
        for (size_t i = BIPE_INDEX_SEGMENT2; i < BIPE_INDICES; i++)
            window.index.of[i] = i % 2 == 1 ? segment : intra;
        if (bipe_evaluator_run(evaluator, &window, 1, &err) != BIPE_OK)
            __builtin_trap();
    }
    bipe_evaluator_close(evaluator);
    bipe_pool_close(pool);
    bipe_model_close(model);
    unlink(path);
    return 0;
}
