/* eval_estimate.h - statistics of a metric over the records of a file, or of all files: mean, interval, and differences between models. */
#ifndef BIPE_TOOLS_EVAL_ESTIMATE_H
#define BIPE_TOOLS_EVAL_ESTIMATE_H

#include "tools/bipe_eval.h"

typedef struct bipe_eval_estimate {
    bipe_estimate estimate;
    const char *method;       /* that gave the interval */
    const char *test;         /* that gave p */
} bipe_eval_estimate;

/* results: (count) whose records are pooled. If each record has 0 or 1, the interval is Wilson's (1927), which also holds near 0 and 1, and
 * the standard error is s / sqrt(n) with n - 1 degrees of freedom; otherwise both come from the bootstrap (measure/resample.h). */
int bipe_eval_estimate_metric(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t model,
                              bipe_metric metric, bipe_error *err);
/* The paired difference, model `b` less the first. If each record has 0 or 1, p is that of McNemar's exact test. */
int bipe_eval_estimate_difference(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t b,
                                  bipe_metric metric, bipe_error *err);
/* McNemar's exact test (1947), two-sided: the p-value of the numbers of records that only one of two models gets right. */
double bipe_eval_mcnemar(uint64_t first, uint64_t second);

#endif
