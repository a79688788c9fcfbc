/* abbreviation_counts.h - what abbreviations are learned from: how often each word occurs, and between what. */
#ifndef BIPE_MEASURE_ABBREVIATION_COUNTS_H
#define BIPE_MEASURE_ABBREVIATION_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "text/sentence_tailoring.h"

/* How often a word occurs. */
typedef struct bipe_word_contexts {
    uint64_t all, stop;                /* at all; before a full stop, */
    uint64_t small, capital, number;   /* ... after which a small letter or , ; : comes, a capital, a digit */
    uint64_t within, begins;           /* after another word of the sentence; after what may end one (! ? : .), or a
                                          line */
} bipe_word_contexts;

typedef struct bipe_counted_word {
    char word[BIPE_SENTENCE_WORD + 1]; /* (size) as written, without the full stop after it */
    size_t size;                       /* 0: free */
    bipe_word_contexts count;
} bipe_counted_word;

/* A word, by its hash, after the full stop of another one and a blank; with a capital. */
typedef struct bipe_counted_pair {
    uint64_t word, next, count; /* 0: free */
} bipe_counted_pair;

/* Zero-initialise. */
typedef struct bipe_abbreviation_counts {
    bipe_counted_word *word; /* (slots) open addressing */
    bipe_counted_pair *pair; /* (pair_slots) likewise */
    size_t slots, words, pair_slots, pairs;
    uint64_t all, stops;     /* words in all; before a full stop */
    uint64_t forgotten;      /* words and pairs that were too rare to be kept */
} bipe_abbreviation_counts;

uint64_t bipe_counted_hash(const char *word, size_t size);
/* The word's entry, made if there is none; NULL: memory is exhausted. Others may move or be forgotten. size: 1 to
 * BIPE_SENTENCE_WORD. */
bipe_counted_word *bipe_count_word(bipe_abbreviation_counts *counts, const char *word, size_t size);
/* The same without making one: NULL if there is none. */
const bipe_counted_word *bipe_find_counted(const bipe_abbreviation_counts *counts, const char *word, size_t size);
int bipe_count_pair(bipe_abbreviation_counts *counts, uint64_t word, uint64_t next, uint64_t count, bipe_error *err);
void bipe_abbreviation_counts_free(bipe_abbreviation_counts *counts);

#endif
