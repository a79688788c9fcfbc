/* convert_source.h - the source of bipe-convert: a model, the tensors of its files, its tokenizer. */
#ifndef BIPE_TOOLS_CONVERT_CONVERT_SOURCE_H
#define BIPE_TOOLS_CONVERT_CONVERT_SOURCE_H

#include "base/installed_model.h"
#include "base/output.h"
#include "cli/tool.h"
#include "cli/tool_model.h"
#include "format/tensor.h"
#include "model/model.h"
#include "token/tokenizer.h"

typedef struct convert_source {
    char path[BIPE_MODEL_PATH_SIZE];
    char name[128];            /* general.name of the file, or the file's own without its ending */
    bipe_model *model;
    const bipe_tensor_table *tensors;
    bipe_dtype dtype;          /* of most weights in matrices */
    uint64_t bytes;            /* of all tensors that bipe knows */
    char tokenizer_kind[64]; /* "tokenizer.json", "tokenizer.model", tokenizer.ggml.model of a GGUF file; empty: none */
    bipe_tokenizer *tokenizer; /* NULL until convert_source_tokenizer() */
} convert_source;

/* Opens `operand` (as bipe_model_operand()). Zero-initialise *source; close it also after a failure. */
int convert_source_open(convert_source *source, const char *operand, bipe_error *err);
/* Opens its tokenizer (there must be one), or the one of `spec`, as bipe_tool_check_vocabulary() checks it. */
int convert_source_tokenizer(convert_source *source, bipe_tool *tool, const char *spec, bipe_error *err);
/* How many numbers its tensors, or its matrices alone, have in a type. */
uint64_t convert_source_values(const convert_source *source, size_t dtype, bool matrices);
void convert_source_close(convert_source *source);

/* Writes it as a Hugging Face folder (convert_folder.c): made where there is none; one that is there must be empty, or
 * what an unfinished run has left. config.json comes last, so that no unfinished folder is a model. segmenter NULL: the
 * model's. progress: called with the bytes of tensors. */
int convert_folder_write(const convert_source *source, bipe_dtype dtype, const char *segmenter, const char *folder,
                         void (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                         bipe_error *err);

/* Prints what there is to know: a table for people, or JSON; with `tensors`, each of them too. Failures stay in the
 * output. */
void convert_describe(const bipe_tool *tool, const convert_source *source, bool tensors, bipe_output *output);
void convert_describe_json(const bipe_tool *tool, const convert_source *source, bool tensors, bipe_output *output);
/* The part about its training, where the file has one (convert_training.c). */
void convert_training(const convert_source *source, bipe_output *output);
void convert_training_json(const convert_source *source, bipe_json *json);
/* A member, of a number that files hold in single precision: 1e-05, not 9.99999975e-06. */
void convert_json_single(bipe_json *json, const char *key, double value);
/* Prints a line for each model that is installed: its name, scheme, size and training length. */
int convert_list(bipe_output *output, bipe_error *err);

#endif
