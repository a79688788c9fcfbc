/* eval_estimate.c - means, intervals and differences of metrics. */
#include "tools/eval/bipe_eval.h"

#include <stdio.h>

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

/* Joins the units of records to those of clusters, if --cluster says so; *count becomes their number. */
static int join_units(const bipe_eval_run *run, const bipe_eval_result *results, bipe_unit *unit, size_t *count,
                      bipe_error *err)
{
    if (run->given.cluster == NULL)
        return BIPE_OK;
    uint64_t *cluster = bipe_tool_alloc(*count, sizeof *cluster);
    for (size_t at = 0; at < *count; results++)
        for (size_t k = 0; k < results->records; k++)
            cluster[at++] = results->values[k * run->models].cluster;
    int status = bipe_join_clusters(unit, cluster, count, err);
    bipe_free(cluster);
    return status;
}

/* "Wilson", or "Wilson over 12 clusters". */
static void name_method(bipe_eval_estimate *e, const bipe_eval_run *run, const char *method, size_t clusters)
{
    e->method = method;
    if (run->given.cluster == NULL)
        return;
    snprintf(e->text, sizeof e->text, "%s over %zu cluster%s", method, clusters, clusters == 1 ? "" : "s");
    e->method = e->text;
}

int bipe_eval_clusters(const bipe_eval_run *run, size_t *clusters, bipe_error *err)
{
    *clusters = count_records(run->result, run->results);
    bipe_unit *unit = bipe_tool_alloc(*clusters, sizeof *unit);
    int status = join_units(run, run->result, unit, clusters, err);
    bipe_free(unit);
    return status;
}

int bipe_eval_estimate_metric(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                              size_t count, size_t model, size_t metric, bipe_error *err)
{
    size_t units = count_records(results, count);
    bipe_unit *unit = bipe_tool_alloc(units, sizeof *unit);
    bool proportion = bipe_metrics[metric].proportion && units > 0;
    take_units(run, results, count, model, metric, unit);
    int status = join_units(run, results, unit, &units, err);
    if (proportion)
        bipe_estimate_share(&e->estimate, unit, units);
    else if (status == BIPE_OK)
        status = bipe_estimate_mean(&e->estimate, unit, units, run->given.seed, err);
    if (!proportion && run->given.cluster != NULL)
        bipe_estimate_of_clusters(&e->estimate);
    name_method(e, run, proportion ? "Wilson" : "bootstrap", units);
    e->test = NULL;
    bipe_free(unit);
    return status;
}

int bipe_eval_estimate_difference(bipe_eval_estimate *e, const bipe_eval_run *run, const bipe_eval_result *results,
                                  size_t count, size_t b, size_t metric, bipe_error *err)
{
    size_t records = count_records(results, count), of_first = records, units = records;
    uint64_t first = 0, second = 0;
    bipe_unit *unit = bipe_tool_alloc(2 * records, sizeof *unit), *other = unit + records;
    take_units(run, results, count, 0, metric, unit);
    take_units(run, results, count, b, metric, other);
    for (size_t i = 0; i < records; i++) {
        first += unit[i].sum > other[i].sum;
        second += other[i].sum > unit[i].sum;
    }
    int status = join_units(run, results, unit, &of_first, err);
    if (status == BIPE_OK)
        status = join_units(run, results, other, &units, err);
    if (status == BIPE_OK)
        status = bipe_estimate_difference(&e->estimate, unit, other, units, run->given.seed, err);
    if (run->given.cluster != NULL)
        bipe_estimate_of_clusters(&e->estimate);
    /* One record shows no difference between models; records of a cluster are not independent. */
    bool exact = bipe_metrics[metric].proportion && records > 1 && run->given.cluster == NULL;
    if (exact)
        e->estimate.p = bipe_mcnemar(first, second);
    name_method(e, run, "bootstrap", units);
    e->test = exact ? "McNemar" : "bootstrap";
    bipe_free(unit);
    return status;
}
