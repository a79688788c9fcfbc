/* eval_estimate.h - what all records of a file, or of all files, say about a metric: the mean, how sure it is, and whether two models differ. */
#ifndef BIPE_TOOLS_EVAL_ESTIMATE_H
#define BIPE_TOOLS_EVAL_ESTIMATE_H

#include "tools/bipe_eval.h"

typedef struct bipe_eval_estimate {
    bipe_estimate estimate;
    const char *method;       /* that gave the interval */
    const char *test;         /* that gave p */
} bipe_eval_estimate;

/* results: (count) of which all records are taken together. Where each record has 0 or 1, the interval is Wilson's (1927), which holds near
 * 0 and 1 as well, and the standard error is s / sqrt(n) with n - 1 degrees of freedom; otherwise both are of the bootstrap (measure/resample.h). */
int bipe_eval_estimate_metric(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t model,
                              bipe_metric metric, bipe_error *err);
/* The paired difference, model `b` less the first. p: where each record has 0 or 1, of McNemar's exact test. */
int bipe_eval_estimate_difference(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t b,
                                  bipe_metric metric, bipe_error *err);
/* McNemar's exact test (1947): how probable it is that of so many records that one of two models alone gets right, at most as few as the
 * smaller number, or as many, are of one of them. */
double bipe_eval_mcnemar(uint64_t first, uint64_t second);

#endif
