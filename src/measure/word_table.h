/* word_table.h - how often and how evenly each word is used in the parts of a corpus (documents, or groups of them),
 * and which words one part uses more than another. Counts are exact and add up in any order. */
#ifndef BIPE_MEASURE_WORD_TABLE_H
#define BIPE_MEASURE_WORD_TABLE_H

#include <stdbool.h>

#include "measure/word_types.h"

/* More counts (words of parts) are refused: with the words, memory stays near a gigabyte. */
enum { BIPE_WORD_CELLS_MOST = 1 << 24 };

/* Sums over documents stop here: one that has reached it says nothing. */
#define BIPE_WORD_SUM_MOST (UINT64_C(1) << 62)

/* A part, known by a key. */
typedef struct bipe_word_part {
    uint64_t key, documents, words;
    uint64_t squares;   /* sum of the squared words of its documents; at most BIPE_WORD_SUM_MOST */
} bipe_word_part;

/* How often a word is used in documents of a part. */
typedef struct bipe_word_count {
    uint64_t frequency;
    uint64_t squares, products; /* sums over documents: frequency squared, frequency times words; at most
                                   BIPE_WORD_SUM_MOST */
    uint32_t documents;         /* that have it; at most 2^32 - 1 */
} bipe_word_count;

/* A word in a part. */
typedef struct bipe_word_cell {
    bipe_word_count count;
    uint32_t part;
    uint32_t next;      /* number + 1 of another cell of the word; 0: none */
} bipe_word_cell;

/* Zero-initialise. */
typedef struct bipe_word_table {
    bipe_word_types types;
    uint32_t *first;      /* (types.count) number + 1 of a cell of the word; 0: none */
    bipe_word_cell *cell; /* (cells) */
    bipe_word_part *part; /* (parts) in the order in which they were found, by rising keys once settled */
    uint32_t *by_key;     /* (keys) open addressing: number of a part + 1; 0: free */
    size_t first_capacity, cells, cell_capacity, parts, part_capacity, keys;
} bipe_word_table;

/* *part: the number of the part with this key, which is made if it is new. BIPE_OK, BIPE_ERR_MEMORY, or BIPE_ERR_LIMIT:
 * more parts than cells. */
int bipe_word_table_part(bipe_word_table *list, uint64_t key, uint32_t *part, bipe_error *err);
/* Counts documents, whose words are counted by themselves. */
void bipe_word_part_add(bipe_word_part *part, uint64_t documents, uint64_t words, uint64_t squares);
/* The count of a word in one document of so many words. */
bipe_word_count bipe_word_count_document(uint64_t frequency, uint64_t words);
/* Counts a word in a part, which only the cells know. fresh: the part has no cell of the word, which is then not looked
 * for. BIPE_OK, BIPE_ERR_MEMORY or BIPE_ERR_LIMIT. */
int bipe_word_table_add(bipe_word_table *list, uint32_t part, bool fresh, const uint8_t *word, size_t size,
                        const bipe_word_count *count, bipe_error *err);
int bipe_word_table_merge(bipe_word_table *into, const bipe_word_table *from, bipe_error *err);
/* After the last count: parts by their keys, and the cells of each word by their parts. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_word_table_settle(bipe_word_table *list, bipe_error *err);
void bipe_word_table_free(bipe_word_table *list);

/* A word of a settled list. `error` is the standard error of the logarithm of its relative frequency, documents being
 * what is sampled: that of a ratio, linearised (Cochran 1977, chapter 6), since resampling would need the count of each
 * word in each document. NaN: fewer than 8 documents. */
typedef struct bipe_word_use {
    uint32_t type;
    uint64_t frequency, documents;
    double error;
    double dp; /* Gries' deviation of proportions (2008): 0, as often everywhere, to almost 1; NaN: there is one part */
    double d;  /* Juilland's D (1970), by relative frequencies: 1, as often everywhere, to 0; NaN: there is one part */
} bipe_word_use;

/* All words, the most frequent first: *use (types.count), which the caller frees. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_word_table_uses(const bipe_word_table *list, bipe_word_use **use, bipe_error *err);

/* A word in one set of parts, a, compared with another, b. */
typedef struct bipe_word_keyness {
    uint32_t type;
    uint64_t a, b, a_documents, b_documents; /* frequencies, and documents that have it */
    double g2;    /* log-likelihood ratio of the table of this word and all others in a and b (Dunning 1993), below 0
                     where b has more of it */
    double ratio; /* log2 of the ratio of relative frequencies (Hardie 2014); a frequency of 0 counts as a half */
    double error; /* standard error of the ratio, documents being what is sampled; NaN where a or b is 0 or has fewer
                     than 8 documents */
    double p;     /* of g2, corrected for all words by Holm's method (1979) */
} bipe_word_keyness;

/* The words of the parts with side[part] 1 (a) and 2 (b), the largest |g2| first: *word (*count), which the caller
 * frees. */
int bipe_word_table_keys(const bipe_word_table *list, const uint8_t *side, bipe_word_keyness **word, size_t *count,
                         bipe_error *err);

#endif
