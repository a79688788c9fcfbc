/* abbreviations.h - learns a list of abbreviations, as `sentence:FILE` reads it, from plain text without annotation.
 *
 * Kiss and Strunk 2006, "Unsupervised Multilingual Sentence Boundary Detection". A word is an abbreviation if it
 * stands before a full stop much more often than words do: by Dunning's log-likelihood ratio, with a probability of
 * 0.99 as the alternative, times exp(-letters), times its full stops, times letters^-(occurrences without one), at
 * least 0.3. One that occurs fewer than five times, always with a full stop, counts from 0.05 on if a small letter or
 * a comma follows once. What their second stage decides for each occurrence is put into the sections of the list:
 * words that begin sentences are those with a capital that stand in small letters elsewhere, and hardly with a capital
 * within sentences; without capitals, those that are much more frequent after the ends of sentences. An abbreviation
 * is in [never] if five capitals or more, and none of these words, follow it, where chance would give that in less
 * than one case of twenty, in [number] if mostly numbers follow, and otherwise in [uncertain], where numbers and Roman
 * numerals are as well if most of them go on like that. A list has no place for single pairs of an abbreviation and a
 * word. */
#ifndef BIPE_MEASURE_ABBREVIATIONS_H
#define BIPE_MEASURE_ABBREVIATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "base/status.h"

/* Memory is bounded: of more than 2^18 words, and as many pairs of an abbreviation and the next word, rare ones are
 * forgotten. */
typedef struct bipe_abbreviations bipe_abbreviations;

int bipe_abbreviations_open(bipe_abbreviations **abbreviations, bipe_error *err);
/* A document begins. */
void bipe_abbreviations_begin(bipe_abbreviations *abbreviations);
/* The next bytes of it, cut anywhere. BIPE_ERR_MEMORY. */
int bipe_abbreviations_feed(bipe_abbreviations *abbreviations, const uint8_t *bytes, size_t size, bipe_error *err);
/* It is over. */
int bipe_abbreviations_end(bipe_abbreviations *abbreviations, bipe_error *err);
/* Prints the list, with what speaks for each entry as comments. Nothing may be fed after it. BIPE_ERR_FORMAT: there was
 * no word. */
int bipe_abbreviations_print(bipe_abbreviations *abbreviations, bipe_output *output, bipe_error *err);
/* NULL is allowed. */
void bipe_abbreviations_close(bipe_abbreviations *abbreviations);

#endif
