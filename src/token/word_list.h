/* word_list.h - the most frequent words of texts as a vocabulary, for tasks whose words are few, such as arithmetic.
 *
 * A word is the text between white space. It is written as a tokenizer.json of Hugging Face's library: model WordLevel;
 * id 0 is <unk>, which every other word becomes, 1 is <s>, with which documents start, 2 is the newline, a token
 * wherever it stands; then the words, the most frequent first. */
#ifndef BIPE_TOKEN_WORD_LIST_H
#define BIPE_TOKEN_WORD_LIST_H

#include "base/buffer.h"
#include "base/output.h"
#include "token/vocabulary.h"

/* Zero-initialise. */
typedef struct bipe_word_list {
    bipe_vocabulary words;
    uint64_t *count;         /* [words.count] */
    size_t count_capacity;
    bipe_buffer word;        /* the one that has begun, with the bytes of a character that is not complete */
} bipe_word_list;

/* The next bytes of a document, cut anywhere. Words that are not UTF-8, or longer than 4096 bytes, are not counted.
 * BIPE_ERR_LIMIT: the different words take more than 256 MB. */
int bipe_word_list_feed(bipe_word_list *list, const uint8_t *bytes, size_t size, bipe_error *err);
/* The document ends. */
int bipe_word_list_end(bipe_word_list *list, bipe_error *err);
/* Writes the `most` most frequent words, of the same count the one that came first; all of them where they are fewer.
 * BIPE_ERR_FORMAT: there was no word. */
int bipe_word_list_write(const bipe_word_list *list, size_t most, bipe_output *output, bipe_error *err);
void bipe_word_list_free(bipe_word_list *list);

#endif
