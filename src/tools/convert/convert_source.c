/* convert_source.c - opens a model with its tensors and its tokenizer for bipe-convert. */
#include "tools/convert/convert_source.h"

#include <stdio.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/write_model.h"
#include "format/gguf.h"

/* A string key of a GGUF file, or "" when there is none. */
static void read_key(const bipe_model *model, const char *key, char *text, size_t size)
{
    const bipe_gguf *gguf = bipe_model_gguf(model);
    bipe_gguf_string value;
    text[0] = '\0';
    if (gguf != NULL && bipe_gguf_get_string(gguf, key, &value, NULL) == BIPE_OK)
        snprintf(text, size, "%.*s", (int)(value.size < size ? value.size : size - 1), value.text);
}

static void find_tokenizer(convert_source *s)
{
    static const char *const names[] = {"tokenizer.json", "tokenizer.model"}; /* as bipe_tokenizer_open() looks for
                                                                                 them */
    if (bipe_model_gguf(s->model) != NULL) {
        read_key(s->model, "tokenizer.ggml.model", s->tokenizer_kind, sizeof s->tokenizer_kind);
        return;
    }
    for (size_t i = 0; i < 2 && s->tokenizer_kind[0] == '\0'; i++) {
        char path[BIPE_MODEL_PATH_SIZE + 32];
        bipe_path_join(path, sizeof path, s->path, names[i]);
        if (access(path, F_OK) == 0)
            snprintf(s->tokenizer_kind, sizeof s->tokenizer_kind, "%s", names[i]);
    }
}

uint64_t convert_source_values(const convert_source *s, size_t dtype, bool matrices)
{
    const bipe_dtype_row *row = bipe_dtype_of(dtype);
    uint64_t values = 0;
    for (size_t i = 0; i < s->tensors->count && row->read != NULL; i++) {
        const bipe_tensor *tensor = &s->tensors->tensor[i];
        if (tensor->dtype == dtype && (tensor->dims >= 2 || !matrices))
            values += tensor->size / row->bytes * row->values;
    }
    return values;
}

static void measure_tensors(convert_source *s)
{
    uint64_t most = 0;
    for (size_t i = 0; i < s->tensors->count; i++)
        s->bytes += s->tensors->tensor[i].size;
    for (size_t dtype = 0; bipe_dtype_of(dtype) != NULL; dtype++) {
        uint64_t values = convert_source_values(s, dtype, true);
        if (values > most) {
            most = values;
            s->dtype = (bipe_dtype)dtype;
        }
    }
}

int convert_source_open(convert_source *source, const char *operand, bipe_error *err)
{
    int status = bipe_model_operand(operand, source->path, err);
    if (status == BIPE_OK)
        status = bipe_model_open(&source->model, source->path, err);
    if (status != BIPE_OK)
        return status;
    source->tensors = bipe_model_tensors(source->model);
    read_key(source->model, "general.name", source->name, sizeof source->name);
    if (source->name[0] == '\0')
        bipe_model_name_of(source->path, source->name);
    find_tokenizer(source);
    measure_tensors(source);
    return BIPE_OK;
}

int convert_source_tokenizer(convert_source *source, bipe_tool *tool, const char *spec, bipe_error *err)
{
    int status = bipe_tokenizer_open(&source->tokenizer, spec != NULL ? spec : source->path, false, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_note_ends(tool, source->tokenizer);
    return bipe_tool_check_vocabulary(spec != NULL ? tool : NULL, source->tokenizer,
                                      bipe_model_hyperparameters(source->model)->vocabulary, err);
}

void convert_source_close(convert_source *source)
{
    bipe_tokenizer_close(source->tokenizer);
    bipe_model_close(source->model);
}
