/* answers.h - how near an answer is to those that are right: exact match and F1 as SQuAD and SCROLLS compute them, ROUGE as
 * google-research's rouge_score does. Knows neither tasks nor models.
 *
 * SQuAD (evaluate-v1.1; Rajpurkar et al. 2016) compares words: lower case, without ASCII punctuation, without "a", "an" and "the",
 * separated by white space. ROUGE (Lin 2004) compares runs of a-z and 0-9 in lower case, with or without their Porter stems; SCROLLS takes
 * them without. Unlike Python's, the lower case of a capital sigma is the same at the end of a word as within it. */
#ifndef BIPE_MEASURE_ANSWERS_H
#define BIPE_MEASURE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A text, in UTF-8; a byte that belongs to no character counts as U+FFFD. */
typedef struct bipe_answer {
    const char *bytes;
    size_t size;
} bipe_answer;

/* Each 0 to 1, and the best among the references (published figures are mostly per cent). The ROUGE are F-measures. */
typedef struct bipe_answer_scores {
    double em, f1;
    double rouge1, rouge2, rouge_l; /* common words, pairs of words, longest common subsequence */
} bipe_answer_scores;

/* Scores `prediction` against `count` references; without one, all are 0. stem: words of ROUGE longer than 3 characters are compared by
 * their Porter stems. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_answer_score(bipe_answer_scores *scores, bipe_answer prediction, const bipe_answer *reference, size_t count, bool stem, bipe_error *err);

/* The geometric mean of three ROUGE. SCROLLS takes it of the means over all records, not of each record. */
double bipe_rouge_mean(double rouge1, double rouge2, double rouge_l);

#endif
