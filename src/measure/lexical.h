/* lexical.h - the words of a document: how diverse they are, how readable they make it, how many a sentence has, and
 * how often each is used.
 *
 * Type-token ratio; MTLD (McCarthy and Jarvis 2010), the mean of both directions; HD-D (the same; 42 draws); and four
 * measures of readability that need no syllables: ARI (Smith and Senter 1967), Coleman-Liau (1975), LIX (Bjornsson
 * 1968) and RIX (Anderson 1983). A document's words are read twice, from a spool; its types are in memory. */
#ifndef BIPE_MEASURE_LEXICAL_H
#define BIPE_MEASURE_LEXICAL_H

#include <stdbool.h>

#include "measure/distribution.h"
#include "measure/stream.h"
#include "measure/unit_bins.h"
#include "measure/word_types.h"

typedef enum bipe_lexical_id {
    BIPE_LEXICAL_WORDS, BIPE_LEXICAL_TYPES, BIPE_LEXICAL_HAPAXES,
    BIPE_LEXICAL_TTR, BIPE_LEXICAL_MTLD, BIPE_LEXICAL_HDD,
    BIPE_LEXICAL_ARI, BIPE_LEXICAL_COLEMAN_LIAU, BIPE_LEXICAL_LIX, BIPE_LEXICAL_RIX,
    BIPE_LEXICAL_SENTENCE_MEAN, BIPE_LEXICAL_SENTENCE_MEDIAN, BIPE_LEXICAL_SENTENCE_SD, /* words of a sentence */
    BIPE_LEXICAL_COUNT
} bipe_lexical_id;

/* Zero-initialise, then set `order`, if values are wanted, and keep_case. */
typedef struct bipe_lexical {
    bool keep_case;        /* The and the are two types */
    bool order;            /* bipe_lexical_values() will be called: the order of words is kept */
    bipe_word_types types; /* of the present document */
    uint64_t *frequency;   /* (types.count) */
    uint64_t *seen;        /* (types.count) the last stretch of MTLD that has the type */
    size_t frequency_capacity, seen_capacity;
    struct bipe_spool *spool; /* the type of each word, uint32_t */
    uint32_t *chunk;       /* (chunk_count) types that are not in the spool yet, or that come from it */
    size_t chunk_count;
    uint64_t words, characters, longer; /* longer: words of seven characters and more */
    bipe_buffer word;
} bipe_lexical;

void bipe_lexical_begin(bipe_lexical *lexical);
/* Counts the tokens of a batch, which are words. BIPE_OK, BIPE_ERR_MEMORY, BIPE_ERR_IO (temporary files), or
 * BIPE_ERR_LIMIT: too many types. */
int bipe_lexical_feed(bipe_lexical *lexical, const bipe_batch *batch, bipe_error *err);
/* The values of a document that has all its words; NaN: not defined. sentences: the words of each. */
int bipe_lexical_values(bipe_lexical *lexical, const bipe_distribution *sentences, double value[BIPE_LEXICAL_COUNT],
                        bipe_error *err);
void bipe_lexical_free(bipe_lexical *lexical);

/* A document's value is a unit of a sample (unit_bins.h), an integer so that sums are exact: *unit. False: it is not
 * defined, or 2^24 and more, which only a text that hardly repeats a word or ends a sentence has; it is no unit then.
 * Counts have no such bound. */
bool bipe_lexical_unit(bipe_lexical_id id, double value, uint64_t *unit);
/* The mean of values from the mean of units. */
void bipe_lexical_estimate(bipe_lexical_id id, bipe_estimate *estimate);

#endif
