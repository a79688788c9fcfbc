/* piece_merges.h - byte-pair encoding learned from counted words (Sennrich et al. 2016), of characters, as
 * SentencePiece does it. */
#ifndef BIPE_TRAIN_PIECE_MERGES_H
#define BIPE_TRAIN_PIECE_MERGES_H

#include "train/word_counts.h"

/* A piece must be formed this often in the words as the pieces before it cut them; and it has at most so many
 * characters. */
enum { BIPE_PIECE_MIN_COUNT = 2, BIPE_PIECE_MAX_LENGTH = 64 };

/* Appends the best pieces to *pieces, at most `want`; fewer when no more are to be had.
 *
 * The words are always cut as SentencePiece would cut them with the pieces so far. The next piece is the text that two
 * neighbours form most often, counted without overlaps ("aaa" holds "aa" once). Ties go to the text with fewer
 * characters, then to the first by bytes.
 *
 * has_piece: [BIPE_CHARACTERS] whether a character has a piece of its own; others become part of none.
 * max_length: characters of a piece, at most BIPE_PIECE_MAX_LENGTH.
 * Memory: up to about 50 bytes per character of the words. */
int bipe_piece_merges(const bipe_word_counts *words, const uint8_t *has_piece, size_t max_length, size_t want,
                      bipe_vocabulary *pieces, bipe_error *err);

#endif
