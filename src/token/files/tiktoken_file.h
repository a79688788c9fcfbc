/* tiktoken_file.h - vocabularies that are lists of strings with ranks: tiktoken's files, and Mistral's tekken.json
 * (tekken_file.c). */
#ifndef BIPE_TOKEN_TIKTOKEN_FILE_H
#define BIPE_TOKEN_TIKTOKEN_FILE_H

#include "token/json/description.h"
#include "token/pipeline/pipeline.h"

typedef struct bipe_tiktoken_line {
    const uint8_t *text; /* base64; NULL: no string has this rank */
    size_t size;
    uint32_t rank;
} bipe_tiktoken_line;

/* The model of an empty pipeline, with the strings of lines[rank]. Their ids follow those that its vocabulary has
 * already. pattern: for bipe_pipeline_add_byte_level(). BIPE_ERR_FORMAT: two have the same bytes, a byte has no rank,
 * or a text is no base64. */
int bipe_tiktoken_model(bipe_pipeline *pipeline, const char *const *pattern, const bipe_tiktoken_line *lines,
                        size_t count, bipe_error *err);
/* The id, which has its string, is a special token, found in text if `special` (added_id is allocated). */
int bipe_tiktoken_special(bipe_pipeline *pipeline, const char *text, uint32_t id, bool special, bipe_error *err);

/* Whether it is a tekken.json that is described, and the tokenizer of it. */
bool bipe_tekken_is(const bipe_description *description);
int bipe_tekken_make(const bipe_description *description, bipe_tokenizer *tokenizer, bipe_error *err);

/* ---- what the files leave out: how the public ones split a text, and their special tokens (tiktoken_encodings.c)
 * ---- */

#define BIPE_ENCODINGS "r50k_base, p50k_base, cl100k_base, o200k_base, Llama 3, Llama 4, Qwen, Kimi K2"

enum { BIPE_ENCODING_SPECIALS = 20, BIPE_ENCODING_NAME = 40 };

typedef struct bipe_encoding {
    uint32_t count, largest; /* ranks, the largest of them */
    const char *last;        /* the largest one's bytes, in base64 */
    const char *pattern[2];  /* for bipe_pipeline_add_byte_level() */
    bool nfc;                /* NFC comes first */
    uint32_t size;           /* ids are below this */
    struct {
        const char *text;
        uint32_t id;
    } special[BIPE_ENCODING_SPECIALS];
    struct {
        const char *text; /* or NULL; "%u" is the number, from 0 */
        uint32_t id, count;
    } numbered;
    int64_t bos, eos;
} bipe_encoding;

/* The encoding with these ranks, or NULL. */
const bipe_encoding *bipe_encoding_find(size_t ranks, size_t largest, const uint8_t *last, size_t size);
/* The special token of an id, or "". It may be written to `room`. */
const char *bipe_encoding_special(const bipe_encoding *encoding, uint32_t id, char room[BIPE_ENCODING_NAME]);

#endif
