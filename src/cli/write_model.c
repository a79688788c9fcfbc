/* write_model.c - a model with its tokenizer as a native file or one of llama.cpp; see write_model.h. */
#include "cli/write_model.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 32 };

void bipe_model_name_of(const char *path, char name[BIPE_MODEL_NAME_SIZE])
{
    static const char *const endings[] = {".bin", ".gguf", ".checkpoint"};
    char *real = realpath(path, NULL);
    const char *whole = real != NULL ? real : path, *slash = strrchr(whole, '/');
    const char *file = slash != NULL ? slash + 1 : whole;
    size_t size = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (size > ending && strcmp(file + size - ending, endings[i]) == 0) {
            size -= ending;
            break;
        }
    }
    size = size < BIPE_MODEL_NAME_SIZE ? size : BIPE_MODEL_NAME_SIZE - 1;
    memcpy(name, file, size);
    name[size] = '\0';
    free(real);
}

/* What all GGUF files have. */
static void set_general(bipe_dtype dtype, const char *name, bipe_gguf_writer *writer)
{
    bipe_gguf_set_text(writer, "general.name", name);
    bipe_gguf_set_u32(writer, "general.alignment", ALIGNMENT);
    bipe_gguf_set_u32(writer, "general.file_type", bipe_dtype_of(dtype)->file);
    if (bipe_dtype_of(dtype)->values > 1)
        bipe_gguf_set_u32(writer, "general.quantization_version", 2);
}

int bipe_write_model_fill(const bipe_model *model, bipe_dtype dtype, const char *name, const bipe_tokenizer *tokenizer,
                          const char *segmenter, bipe_gguf_writer *writer, bipe_error *err)
{
    int status = bipe_model_write_gguf(model, dtype, writer, err);
    set_general(dtype, name, writer);
    if (segmenter != NULL)
        bipe_gguf_set_text(writer, "bipe.segmenter", segmenter);
    return status == BIPE_OK && tokenizer != NULL ? bipe_tokenizer_write_gguf(tokenizer, writer, err) : status;
}

int bipe_write_model_fill_llama(const bipe_model *model, bipe_dtype dtype, const char *name,
                                const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    int status = bipe_model_write_llama(model, dtype, writer, err);
    set_general(dtype, name, writer);
    return status == BIPE_OK
               ? bipe_tokenizer_write_llama(tokenizer, bipe_model_hyperparameters(model)->vocabulary, writer, err)
               : status;
}
