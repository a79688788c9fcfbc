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

/* What all GGUF files have, or may have; about the types of weights what the file of the model says where they stay. */
static void set_general(const bipe_model *model, const bipe_mix *mix, const char *name, bipe_gguf_writer *writer)
{
    static const char *const about_types[] = {"general.file_type", "general.quantization_version"};
    uint64_t value;
    bipe_gguf_set_text(writer, "general.name", name);
    bipe_gguf_set_u32(writer, "general.alignment", ALIGNMENT);
    for (size_t i = 0; i < 2 && mix == NULL && bipe_model_gguf(model) != NULL; i++)
        if (bipe_gguf_get_uint(bipe_model_gguf(model), about_types[i], &value, NULL) == BIPE_OK)
            bipe_gguf_set_u32(writer, about_types[i], (uint32_t)value);
    if (mix != NULL)
        bipe_gguf_set_u32(writer, about_types[0], mix->file);
    if (mix != NULL && bipe_dtype_of(mix->main)->values > 1)
        bipe_gguf_set_u32(writer, about_types[1], 2);
}

int bipe_write_model_fill(const bipe_model *model, const bipe_mix *mix, const char *name,
                          const bipe_tokenizer *tokenizer, const char *segmenter, bipe_gguf_writer *writer,
                          bipe_error *err)
{
    int status = bipe_model_write_gguf(model, mix, writer, err);
    set_general(model, mix, name, writer);
    if (segmenter != NULL)
        bipe_gguf_set_text(writer, "bipe.segmenter", segmenter);
    return status == BIPE_OK && tokenizer != NULL ? bipe_tokenizer_write_gguf(tokenizer, writer, err) : status;
}

int bipe_write_model_fill_llama(const bipe_model *model, const bipe_mix *mix, const char *name,
                                const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    int status = bipe_model_write_llama(model, mix, writer, err);
    set_general(model, mix, name, writer);
    return status == BIPE_OK
               ? bipe_tokenizer_write_llama(tokenizer, bipe_model_hyperparameters(model)->vocabulary, writer, err)
               : status;
}
