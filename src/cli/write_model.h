/* write_model.h - a model with its tokenizer as a native file or one of llama.cpp. */
#ifndef BIPE_CLI_WRITE_MODEL_H
#define BIPE_CLI_WRITE_MODEL_H

#include "format/gguf.h"
#include "model/model.h"
#include "token/tokenizer.h"

enum { BIPE_MODEL_NAME_SIZE = 128 };

/* Of keys about the training of a native model: its settings, such as bipe.training.lr, and what came of it. */
#define BIPE_TRAINING_PREFIX "bipe.training."

/* What a file is called, without folders and without .bin, .gguf or .checkpoint: "b" of "a/b.bin" and of "a/b/". */
void bipe_model_name_of(const char *path, char name[BIPE_MODEL_NAME_SIZE]);

/* Puts everything into a native file being made: the model with matrices as `mix` says (NULL: as they are), its name,
 * the tokenizer (NULL: none), and as its segmenter `segmenter` (NULL: what the model says). The model and the tokenizer
 * must live until the file is written. */
int bipe_write_model_fill(const bipe_model *model, const bipe_mix *mix, const char *name,
                          const bipe_tokenizer *tokenizer, const char *segmenter, bipe_gguf_writer *writer,
                          bipe_error *err);
/* The same for a file of llama.cpp, which has no segmenter and always a tokenizer. */
int bipe_write_model_fill_llama(const bipe_model *model, const bipe_mix *mix, const char *name,
                                const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err);

#endif
