/* eval_estimate.c - means, intervals and differences of metrics. */
#include "tools/eval/bipe_eval.h"

#include <math.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "task/answers.h"

static size_t count_records(const bipe_eval_result *results, size_t count)
{
    size_t records = 0;
    for (size_t i = 0; i < count; i++)
        records += (size_t)results[i].records;
    return records;
}

/* The values of all records, each a unit. */
static void take_values(const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t model,
                        size_t metric, bipe_unit *unit)
{
    for (size_t i = 0, at = 0; i < count; i++)
        for (size_t k = 0; k < results[i].records; k++)
            unit[at++] = (bipe_unit){results[i].values[k * run->models + model].value[metric], 1};
}

/* The geometric mean of three means is not a mean over records: each record gets that value plus its influence, by
 * linearization. */
static void take_combined(const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t model,
                          const size_t part[3], bipe_unit *unit)
{
    size_t records = count_records(results, count);
    bipe_unit *each = bipe_tool_alloc(3 * records, sizeof *each);
    double mean[3] = {0};
    for (size_t r = 0; r < 3; r++) {
        take_values(run, results, count, model, part[r], each + r * records);
        for (size_t i = 0; i < records; i++)
            mean[r] += each[r * records + i].sum / (double)records;
    }
    double value = bipe_rouge_mean(mean[0], mean[1], mean[2]);
    for (size_t i = 0; i < records; i++) {
        unit[i] = (bipe_unit){value, 1};
        for (size_t r = 0; r < 3 && value > 0; r++)
            unit[i].sum += value / 3 * (each[r * records + i].sum - mean[r]) / mean[r];
    }
    bipe_free(each);
}

static void take_units(const bipe_eval_run *run, const bipe_eval_result *results, size_t count, size_t model,
                       size_t metric, bipe_unit *unit)
{
    if (bipe_metrics[metric].combined)
        take_combined(run, results, count, model, bipe_metrics[metric].part, unit);
    else
        take_values(run, results, count, model, metric, unit);
}

/* Of a proportion. */
static void estimate_proportion(bipe_estimate *e, const bipe_unit *unit, size_t count)
{
    double n = (double)count, sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += unit[i].sum;
    double p = sum / n;
    *e = (bipe_estimate){.value = p, .error = count > 1 ? sqrt(p * (1 - p) / (n - 1)) : (double)NAN, .p = (double)NAN,
                         .units = count};
    bipe_share_interval((uint64_t)sum, count, &e->low, &e->high);
}

int bipe_eval_estimate_metric(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                              size_t count, size_t model, size_t metric, bipe_error *err)
{
    size_t records = count_records(results, count);
    bipe_unit *unit = bipe_tool_alloc(records, sizeof *unit);
    bool proportion = bipe_metrics[metric].proportion && records > 0;
    int status = BIPE_OK;
    take_units(run, results, count, model, metric, unit);
    if (proportion)
        estimate_proportion(&e->estimate, unit, records);
    else
        status = bipe_estimate_mean(&e->estimate, unit, records, run->given.seed, err);
    e->method = proportion ? "Wilson" : "bootstrap";
    e->test = NULL;
    bipe_free(unit);
    return status;
}

int bipe_eval_estimate_difference(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                                  size_t count, size_t b, size_t metric, bipe_error *err)
{
    size_t records = count_records(results, count);
    uint64_t first = 0, second = 0;
    bipe_unit *unit = bipe_tool_alloc(2 * records, sizeof *unit), *other = unit + records;
    take_units(run, results, count, 0, metric, unit);
    take_units(run, results, count, b, metric, other);
    int status = bipe_estimate_difference(&e->estimate, unit, other, records, run->given.seed, err);
    for (size_t i = 0; i < records; i++) {
        first += unit[i].sum > other[i].sum;
        second += other[i].sum > unit[i].sum;
    }
    bool exact = bipe_metrics[metric].proportion && records > 1; /* one record shows no difference between models */
    if (exact)
        e->estimate.p = bipe_mcnemar(first, second);
    e->method = "bootstrap";
    e->test = exact ? "McNemar" : "bootstrap";
    bipe_free(unit);
    return status;
}
