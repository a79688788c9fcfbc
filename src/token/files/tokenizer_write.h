/* tokenizer_write.h - shared by the writers of tokenizers for other programs, tokenizer_llama.c and
 * tokenizer_folder.c. */
#ifndef BIPE_TOKEN_TOKENIZER_WRITE_H
#define BIPE_TOKEN_TOKENIZER_WRITE_H

#include "token/pipeline/byte_letters.h"
#include "token/pipeline/merge_model.h"
#include "token/spm/bpe.h"

/* BIPE_ERR_UNSUPPORTED, with the part that does not fit. */
static inline int bipe_refuse_tokenizer(const bipe_tokenizer *tokenizer, const char *part, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: %s", tokenizer->spec, part);
}

/* NULL: a kind without a file. */
const bipe_vocabulary *bipe_tokenizer_vocabulary(const bipe_tokenizer *tokenizer);

/* Whether it was read from a tokenizer.json, of which a copy can be had. */
static inline bool bipe_tokenizer_is_of_json(const bipe_tokenizer *tokenizer)
{
    return tokenizer->kind == &bipe_pipeline_kind && tokenizer->write_gguf == NULL;
}

/* Whether it is of the Llama family: merges of characters after steps that change and split hardly anything. */
static inline bool bipe_tokenizer_is_llama(const bipe_tokenizer *tokenizer)
{
    return tokenizer->kind == &bipe_pipeline_kind && ((const bipe_pipeline *)tokenizer->model)->safe->plain;
}

/* The vocabulary of `byte`: a letter for each byte. */
static inline int bipe_list_letters(bipe_vocabulary *letters, bipe_error *err)
{
    int status = BIPE_OK;
    for (unsigned byte = 0; byte < 256 && status == BIPE_OK; byte++) {
        uint8_t text[4];
        status = bipe_vocabulary_append(letters, text, bipe_utf8_encode(bipe_byte_letter((uint8_t)byte), text), err);
    }
    return status;
}

#endif
