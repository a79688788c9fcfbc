/* model_words.h - the model of `bert` vocabularies in GGUF files. */
#ifndef BIPE_TOKEN_MODEL_WORDS_H
#define BIPE_TOKEN_MODEL_WORDS_H

#include "token/pipeline/pipeline.h"

/* WordPiece as GGUF files keep it: the first piece of a word begins with this mark, others have none. Not in tokenizer.json.
 * *model is given to close() even when this fails. */
#define BIPE_BERT_MARK "\xE2\x96\x81" /* ▁ */
extern const bipe_model_type bipe_model_bert;
enum { BIPE_BERT_HELD = 5 << 20 }; /* tokens of one word; all of it is unknown when its end is */
int bipe_model_bert_make(void **model, bipe_pipeline *pipeline, uint32_t unk, bipe_error *err);
uint32_t bipe_model_bert_unk(const void *model);

#endif
