/* answers.h - compares an answer with reference answers: exact match and F1 as SQuAD and SCROLLS compute them, ROUGE as
 * google-research's rouge_score does. Knows neither tasks nor models.
 *
 * SQuAD (evaluate-v1.1; Rajpurkar et al. 2016) compares words: lower case, without ASCII punctuation, without "a", "an"
 * and "the", separated by white space. ROUGE (Lin 2004) compares runs of a-z and 0-9 in lower case, stemmed (Porter) or
 * not; SCROLLS does not stem. HELMET (Yen et al. 2025) looks for SQuAD's words of a reference within those of the
 * answer, RULER (Hsieh et al. 2024) for the reference in lower case. All lower as Python does. */
#ifndef BIPE_TASK_ANSWERS_H
#define BIPE_TASK_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A text, in UTF-8; a byte that belongs to no character counts as U+FFFD. */
typedef struct bipe_answer {
    const char *bytes;
    size_t size;
} bipe_answer;

/* Scores from 0 to 1, each but recall the best over the references (published figures are mostly per cent). ROUGE
 * scores are F-measures. */
typedef struct bipe_answer_scores {
    double em, f1;
    double sub_em;                  /* whether SQuAD's words of a reference, as one text, are within the answer's */
    double recall;                  /* the share of references that are within the answer, both in lower case */
    double rouge1, rouge2, rouge_l; /* common words, pairs of words, longest common subsequence */
} bipe_answer_scores;

/* Whether the bytes of `part` are within a text; an empty part is within every text. */
bool bipe_answer_holds(bipe_answer text, bipe_answer part);

/* Scores `prediction` against `count` references; without references all scores are 0. stem: ROUGE compares words
 * longer than 3 characters by their Porter stems. BIPE_OK, BIPE_ERR_MEMORY, or BIPE_ERR_LIMIT for an answer of more
 * than a million words. */
int bipe_answer_score(bipe_answer_scores *scores, bipe_answer prediction, const bipe_answer *reference, size_t count,
                      bool stem, bipe_error *err);

/* The geometric mean of three ROUGE scores. SCROLLS computes it from the means over all records, not for each
 * record. */
double bipe_rouge_mean(double rouge1, double rouge2, double rouge_l);

#endif
