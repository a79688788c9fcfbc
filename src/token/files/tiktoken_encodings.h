/* tiktoken_encodings.h - what tiktoken's files leave out: how the public ones of them split a text, and their special tokens. */
#ifndef BIPE_TOKEN_TIKTOKEN_ENCODINGS_H
#define BIPE_TOKEN_TIKTOKEN_ENCODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* The special token of an id, or "". `room` may hold it. */
const char *bipe_encoding_special(const bipe_encoding *encoding, uint32_t id, char room[BIPE_ENCODING_NAME]);

#endif
