/* word_counts.h - counts the words and the characters of texts, for a tokenizer to learn from.
 *
 * No piece of the tokenizer crosses the end of a word. A word is a run of letters, or of characters that are no
 * letters, with the space before it; any further spaces before that are a word of their own. Digits and control
 * characters stand alone. */
#ifndef BIPE_TRAIN_WORD_COUNTS_H
#define BIPE_TRAIN_WORD_COUNTS_H

#include "base/status.h"
#include "token/vocabulary.h"

/* A space in words, U+2581, as SentencePiece writes it. */
#define BIPE_SPACE_MARK "\xE2\x96\x81"
enum { BIPE_SPACE_CODE = 0x2581, BIPE_CHARACTERS = 0x110000, BIPE_WORD_MAX_LENGTH = 64 };

typedef struct bipe_word_counts {
    bipe_vocabulary words;   /* those of two characters or more; a word longer than BIPE_WORD_MAX_LENGTH characters is
                                cut there */
    uint64_t *count;         /* [words.count] */
    size_t count_capacity;
    size_t size;             /* characters of all of them */
    size_t limit;            /* the most that `size` may be */
    uint64_t dropped;        /* words that were dropped to keep the limit */
    uint64_t *characters;    /* [BIPE_CHARACTERS] how often each occurs; spaces count as U+2581, control characters are
                                left out */
    struct bipe_word_cutter *cutter;
} bipe_word_counts;

/* limit: characters of distinct words that are kept. When they are more, the most frequent words are kept that fill
 * half of it; among words of the same count a hash decides. Memory: 9 bytes per code point, and at most about 30 bytes
 * per character of `limit`. After a failure the counts must be freed all the same. */
int bipe_word_counts_open(bipe_word_counts *counts, size_t limit, bipe_error *err);
/* A document begins, with the space that SentencePiece puts before it. */
int bipe_word_counts_begin(bipe_word_counts *counts, bipe_error *err);
/* Its next bytes, cut anywhere. Bytes that are not UTF-8 end a word. */
int bipe_word_counts_feed(bipe_word_counts *counts, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_word_counts_end(bipe_word_counts *counts, bipe_error *err);
void bipe_word_counts_free(bipe_word_counts *counts);

#endif
