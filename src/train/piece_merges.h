/* piece_merges.h - byte-pair encoding learned from counted words (Sennrich et al. 2016), of characters, as SentencePiece does it. */
#ifndef BIPE_TRAIN_PIECE_MERGES_H
#define BIPE_TRAIN_PIECE_MERGES_H

#include "train/word_counts.h"

/* A piece occurs at least so often in the words, cut by the pieces before it. */
enum { BIPE_PIECE_RAREST = 2, BIPE_PIECE_LONGEST = 64 };

/* Appends the best pieces to *pieces, at most `want`; fewer when no more are to be had.
 *
 * The words are at all times cut as SentencePiece would cut them with the pieces so far. The next piece is the text that two neighbours
 * form most often (overlaps, as in "aaa", not counted); of equally frequent ones the one of fewer characters, then the first by bytes.
 *
 * has_piece: [BIPE_CHARACTERS] whether a character has a piece of its own; others become part of none.
 * longest: characters of a piece, at most BIPE_PIECE_LONGEST.
 * Memory: up to about 60 bytes for each character of the words. */
int bipe_piece_merges(const bipe_word_counts *words, const uint8_t *has_piece, size_t longest, size_t want, bipe_vocabulary *pieces,
                      bipe_error *err);

#endif
