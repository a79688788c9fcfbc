/* generate_blank.c - finds prompts whose last blank belongs to the next word: `the ` is two tokens, while ` word` would
 * have been one, so that no text that the model has learned from goes on after such a blank. Tokenizers that have
 * blanks by themselves (bytes, characters), or none (BERT), have no such prompts. */
#include <string.h>

#include "tools/generate/bipe_generate.h"

enum { TAIL = 64 /* bytes of the text that are looked at: a token that ends in a blank is shorter */, LONGEST = 8 };

/* Whether a token goes across the end of the text once `word` follows it. */
static int joins(bipe_token_stream *stream, const uint8_t *bytes, size_t size, const char *word, bipe_tokens *tokens,
                 bool *found, bipe_error *err)
{
    uint8_t text[TAIL + LONGEST];
    size_t length = strlen(word);
    memcpy(text, bytes, size);
    memcpy(text + size, word, length);
    tokens->count = 0;
    int status = bipe_token_stream_begin(stream, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(stream, text, size + length, tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(stream, tokens, err);
    for (size_t i = 0; i < tokens->count && status == BIPE_OK; i++)
        *found = *found || (tokens->token[i].start < size && tokens->token[i].end > size);
    return status;
}

int bipe_generate_splits_word(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bool *splits,
                              bipe_error *err)
{
    static const char *const words[] = {"a", "the"};
    bipe_token_stream *stream = NULL;
    bipe_tokens tokens = {0};
    size_t from = size > TAIL ? size - TAIL : 0;
    *splits = false;
    if (size == 0 || memchr(" \t\n\r", bytes[size - 1], 4) == NULL)
        return BIPE_OK;
    while (from > 0 && (bytes[from] & 0xC0) == 0x80) /* the rest of a character */
        from++;
    int status = bipe_token_stream_open(&stream, tokenizer, err);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == BIPE_OK && !*splits; i++)
        status = joins(stream, bytes + from, size - from, words[i], &tokens, splits, err);
    bipe_token_stream_close(stream);
    bipe_tokens_free(&tokens);
    return status;
}
