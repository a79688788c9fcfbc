/* spm_words.h - SentencePiece's type word: the normalized text is divided in front of each ▁, and a part that is no piece as a whole is
 * unknown. */
#ifndef BIPE_TOKEN_SPM_WORDS_H
#define BIPE_TOKEN_SPM_WORDS_H

#include "base/buffer.h"
#include "token/matcher.h" /* bipe_unit */
#include "token/vocabulary.h"

/* A word (or a part of a long one that is unknown) by its characters. id: of the piece, or BIPE_NO_PIECE. */
typedef int bipe_spm_word_sink(void *context, int64_t id, const bipe_unit *units, size_t count, bipe_error *err);

/* The state of one stream. Zero-initialise; sink, context, vocabulary and longest are set by who uses it. */
typedef struct bipe_spm_words {
    bipe_spm_word_sink *sink;
    void *context;
    const bipe_vocabulary *vocabulary;
    size_t longest;      /* bytes of the longest piece: what has more is not held */
    bipe_unit *unit;     /* (count) the word so far, unless it is known to be unknown */
    size_t count, capacity;
    bool unknown;
    bipe_buffer text;
} bipe_spm_words;

void bipe_spm_words_begin(bipe_spm_words *words);
int bipe_spm_words_push(bipe_spm_words *words, bipe_unit unit, bipe_error *err);
/* The word ends here. */
int bipe_spm_words_end(bipe_spm_words *words, bipe_error *err);
void bipe_spm_words_free(bipe_spm_words *words);

#endif
