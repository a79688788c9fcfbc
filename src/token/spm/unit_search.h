/* unit_search.h - the search of lattice.c for one short unit of a text, with the answer to a question: for which other
 * sums before the unit would the same pieces come out?
 *
 * SentencePiece adds scores to a sum of single precision that grows over the whole text (unigram.h), so that rounding takes part in
 * near ties, and all the more the longer the text is. Two things are known about a unit that no piece crosses the ends of:
 *
 * near. In exact arithmetic every way through the unit has a sum of its own, whatever stood before. Let h be half of the last place of
 * numbers of 2^e to 2^(e+1), and all sums in the unit be smaller than that. The sum kept at a place behind p bytes is off by at most p *
 * h (one rounding for each piece), a candidate for it by at most (p - 1) * h before it is rounded. So where the best candidate of a
 * place is better than the next by more than 2 * p * h it is taken. If that is so at all places of the best way, the pieces are those of
 * exact arithmetic; `near` is the largest e for which it holds (2 * p + 2 is used, and the arithmetic of the margins themselves, which
 * is done in double precision, is allowed for).
 *
 * exact. As long as all sums stay between 2^e and 2^(e+1), they are multiples of the same u = 2^(e-23). Adding a score to another
 * multiple of u moves the exact result, and therefore the rounded one and every comparison, by the difference: provided that the result
 * before rounding, which is a double, was exact, and was not just between two multiples (what is rounded to even depends on more).
 * `exact` is this e if that was so for every sum of this unit. */
#ifndef BIPE_TOKEN_UNIT_SEARCH_H
#define BIPE_TOKEN_UNIT_SEARCH_H

#include <string.h>

#include "token/spm/unigram.h"

enum {
    BIPE_UNIT_BYTES = 48, /* of a unit */
    BIPE_UNIT_FAR = 120   /* near: all numbers that matter */
};

/* What a unit becomes. */
typedef struct bipe_unit_pieces {
    uint32_t id[BIPE_UNIT_BYTES];  /* BIPE_UNIGRAM_UNKNOWN: a character that is no piece */
    uint8_t end[BIPE_UNIT_BYTES];  /* it ends behind so many bytes of the unit */
    size_t count;
    double sum;                    /* behind the unit */
    uint8_t near, exact;           /* exponents; 0: holds for none */
} bipe_unit_pieces;

/* The exponents between which sums lie that are at most `reach` away from `sum`. They are equal where `exact` may say something. */
typedef struct bipe_unit_scale {
    unsigned low, high;
} bipe_unit_scale;

static inline unsigned bipe_unit_exponent(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    unsigned exponent = (unsigned)(bits >> 52 & 2047);
    return exponent > 1023 ? exponent - 1023 : 0;
}

/* reach: what a unit can add, at least 16. */
static inline bipe_unit_scale bipe_unit_scale_of(double sum, double reach)
{
    double size = sum < 0 ? -sum : sum;
    return (bipe_unit_scale){bipe_unit_exponent(size > reach ? size - reach : 0), bipe_unit_exponent(size + reach)};
}

/* text: well-formed UTF-8, 0 < size <= BIPE_UNIT_BYTES, with a space for each character `space`. sum: before the unit. reach: as
 * above, at least that of BIPE_UNIT_BYTES + 1 scores. The model has SentencePiece's arithmetic. */
void bipe_unit_search(const bipe_unigram *unigram, const uint8_t *text, size_t size, uint32_t space, double sum, double reach,
                      bipe_unit_pieces *pieces);

#endif
