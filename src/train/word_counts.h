/* word_counts.h - the words of a text, counted, and its characters: what a tokenizer is made of.
 *
 * A word is what no piece of the tokenizer reaches beyond: a run of letters or of other characters, with the space before it, or the
 * spaces before that one. Digits and control characters stand alone. */
#ifndef BIPE_TRAIN_WORD_COUNTS_H
#define BIPE_TRAIN_WORD_COUNTS_H

#include "base/status.h"
#include "token/vocabulary.h"

/* A space in words, U+2581, as SentencePiece writes it. */
#define BIPE_SPACE_MARK "\xE2\x96\x81"
enum { BIPE_SPACE_CODE = 0x2581, BIPE_CHARACTERS = 0x110000, BIPE_WORD_LONGEST = 64 };

typedef struct bipe_word_counts {
    bipe_vocabulary words;   /* of two characters or more; longer ones than BIPE_WORD_LONGEST are cut there */
    uint64_t *count;         /* [words.count] */
    size_t count_capacity;
    size_t size;             /* characters of all of them */
    size_t limit;            /* the most that `size` may be */
    uint64_t dropped;        /* words that were forgotten for it */
    uint64_t *characters;    /* [BIPE_CHARACTERS] how often each occurs; spaces count as U+2581, control characters are left out */
    struct bipe_word_cutter *cutter;
} bipe_word_counts;

/* limit: characters of different words that are remembered. Beyond it the rarer half of them is forgotten; which of equally rare words, a hash
 * decides. Memory: BIPE_CHARACTERS * 9 bytes, and at most about 30 bytes for each of `limit`. Free what fails, too. */
int bipe_word_counts_open(bipe_word_counts *counts, size_t limit, bipe_error *err);
/* A text begins: with a space, as SentencePiece puts one there. */
int bipe_word_counts_begin(bipe_word_counts *counts, bipe_error *err);
/* Its next bytes, cut anywhere. Bytes that are not UTF-8 end a word. */
int bipe_word_counts_feed(bipe_word_counts *counts, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_word_counts_end(bipe_word_counts *counts, bipe_error *err);
void bipe_word_counts_free(bipe_word_counts *counts);

#endif
