/* tiny_model.h - small random models for tests: held as reference.h's arrays, and written as the files that bipe
 * reads. */
#ifndef BIPE_TESTS_TINY_MODEL_H
#define BIPE_TESTS_TINY_MODEL_H

#include "format/tensor.h"
#include "tests/reference/reference.h"

/* The sizes of *model are given; makes its arrays. Release with tiny_free. */
void tiny_make(reference_model *model, uint64_t seed);
void tiny_free(reference_model *model);
/* Rounds the matrices to what `dtype` can hold. */
void tiny_round(reference_model *model, bipe_dtype dtype);

/* A GGUF file; architecture "bipe", "qwen2", "qwen3" or "llama" (whose q and k rows are interleaved), the last three
 * with a vocabulary where there are words enough. `rows` of 0 leaves tables out. */
void tiny_write_gguf(const reference_model *model, const char *path, const char *architecture, bipe_dtype dtype,
                     const char *scheme, const char *scaling);
/* A folder with config.json (`extra`: more keys, beginning with a comma) and model.safetensors. */
void tiny_write_folder(const reference_model *model, const char *folder, const char *extra);
void tiny_remove_folder(const char *folder);
void tiny_write_text(const char *path, const char *text);

/* A window of random ids, cut into segments about `mean` tokens long, which are in segments of two levels more. */
typedef struct tiny_window {
    uint32_t *ids, *segment, *intra;
    bipe_indices index; /* these, and those of the levels */
    double *nll, *expected;
    size_t length;
} tiny_window;
void tiny_window_make(tiny_window *window, size_t length, unsigned vocabulary, unsigned mean, uint64_t seed);
void tiny_window_free(tiny_window *window);

#endif
