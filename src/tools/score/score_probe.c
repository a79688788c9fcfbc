/* score_probe.c - --probe passkey: how often each combination finds a key that is hidden in a text, by length and depth. */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "cli/csv.h"
#include "cli/interrupt.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "task/passkey.h"
#include "tools/score/bipe_score.h"

static const double depths[] = {0, 0.25, 0.5, 0.75, 1};

enum { DEPTHS = sizeof depths / sizeof *depths, SUM = DEPTHS, TRIALS = 20 };

/* A combination at a length: right answers by depth, and in all. */
typedef struct probe_row {
    const bipe_score_combination *combination;
    uint64_t length, trials[DEPTHS + 1], right[DEPTHS + 1];
} probe_row;

/* Makes the trials of a row. False when the length holds no text, or there was an error, which is reported. */
static bool run_trials(bipe_score_run *run, probe_row *row)
{
    const bipe_score_combination *c = row->combination;
    const bipe_generator_options options = {.scheme = &c->scheme, .rope_scaling = &c->scaling, .precision = run->setup.precision,
                                            .max_length = (size_t)row->length, .seed = run->setup.seed};
    bipe_passkey *passkey;
    bipe_passkey_trial found;
    bipe_error err = {0};
    int status = bipe_passkey_open(&passkey, run->model[c->model].model, run->reader[c->text].tokenizer, c->segmenter, &options, run->pool, &err);
    for (uint64_t i = 0; i < run->given.trials * DEPTHS && status == BIPE_OK && bipe_interrupted() == 0; i++) {
        size_t depth = i % DEPTHS;
        status = bipe_passkey_try(passkey, depths[depth], run->setup.seed * DEPTHS + depth + (i / DEPTHS << 32), &found, &err);
        if (status == BIPE_OK) {
            row->trials[depth]++;
            row->trials[SUM]++;
            row->right[depth] += found.right;
            row->right[SUM] += found.right;
            bipe_progress_update(&run->tool.progress, c->model_name, run->done += row->length);
        }
    }
    bipe_passkey_close(passkey);
    bipe_progress_clear(&run->tool.progress);
    bool first = true; /* with this tokenizer, for which one note is enough */
    for (const bipe_score_combination *other = run->setup.combination; other < c; other++)
        first = first && other->text != c->text;
    if (status == BIPE_ERR_ARGUMENT && row->trials[SUM] == 0) {
        if (first)
            bipe_tool_note(&run->tool, "skipped length %" PRIu64 ": %s", row->length, err.text);
    } else if (status != BIPE_OK) {
        bipe_error_prefix(&err, "%s", c->model_name);
        bipe_tool_error(&run->tool, &err);
    }
    return status == BIPE_OK && bipe_interrupted() == 0;
}

/* ---- reports ---- */

/* Failures stay in the output, which is flushed after each row. */
static void table_head(bipe_output *output, const bipe_score_combination *c)
{
    char scheme[256];
    bipe_output_name(output, c->model_name, NULL);
    bipe_output_printf(output, NULL, " (%s, trained at %" PRIu32 " tokens), segments ", bipe_scheme_format(&c->scheme, scheme),
                       c->hyperparameters->train_length);
    bipe_output_name(output, c->segmenter, NULL);
    bipe_output_printf(output, NULL, "\n%8s", "length");
    for (size_t d = 0; d < DEPTHS; d++)
        bipe_output_printf(output, NULL, " %4.0f %%", 100 * depths[d]);
    bipe_output_printf(output, NULL, " %6s  95 %% interval\n", "all");
}

static void probe_table_row(bipe_output *output, const probe_row *row)
{
    double low, high;
    bipe_output_printf(output, NULL, "%8" PRIu64, row->length);
    for (size_t d = 0; d <= SUM; d++)
        bipe_output_printf(output, NULL, " %6.1f", 100 * (double)row->right[d] / (double)row->trials[d]);
    bipe_share_interval(row->right[SUM], row->trials[SUM], &low, &high);
    bipe_output_printf(output, NULL, "  [%.1f, %.1f]\n", 100 * low, 100 * high);
}

static void probe_csv_row(bipe_output *output, const probe_row *row)
{
    for (size_t d = 0; d < DEPTHS; d++) {
        double low, high;
        bipe_share_interval(row->right[d], row->trials[d], &low, &high);
        bipe_csv_field(output, row->combination->model_name);
        bipe_csv_field(output, row->combination->segmenter);
        bipe_output_printf(output, NULL, ",%" PRIu64 ",%g,%" PRIu64 ",%" PRIu64, row->length, depths[d], row->trials[d], row->right[d]);
        bipe_csv_numbers(output, (const double[]){(double)row->right[d] / (double)row->trials[d], low, high}, 3);
        bipe_output_write(output, "\n", 1, NULL);
    }
}

static void json_cell(bipe_json *json, const probe_row *row, size_t depth)
{
    double low, high;
    bipe_share_interval(row->right[depth], row->trials[depth], &low, &high);
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "model", row->combination->model_name);
    bipe_json_key_text(json, "segmenter", row->combination->segmenter);
    bipe_json_key_uint(json, "length", row->length);
    if (depth < DEPTHS)
        bipe_json_key_number(json, "depth", depths[depth]);
    bipe_json_key_uint(json, "trials", row->trials[depth]);
    bipe_json_key_uint(json, "right", row->right[depth]);
    bipe_json_key_number(json, "accuracy", (double)row->right[depth] / (double)row->trials[depth]);
    bipe_json_key_pair(json, "interval", low, high);
    bipe_json_end_object(json);
}

static void json_rows(bipe_json *json, const char *key, const probe_row *row, size_t rows, size_t first, size_t end)
{
    bipe_json_key_array(json, key);
    for (size_t i = 0; i < rows; i++)
        for (size_t d = first; d < end; d++)
            json_cell(json, &row[i], d);
    bipe_json_end_array(json);
}

static void json_report(bipe_score_run *run, const probe_row *row, size_t rows)
{
    bipe_error err;
    bipe_json json;
    bipe_tool_json(&json, run->output, run->tool.name);
    bipe_json_key_object(&json, "protocol");
    bipe_json_key_text(&json, "name", bipe_score_probe_names[0]);
    bipe_json_key_uint(&json, "choices", BIPE_PASSKEY_CHOICES);
    bipe_json_key_uint(&json, "seed", run->setup.seed);
    bipe_json_end_object(&json);
    bipe_json_key_array(&json, "results"); /* of FILEs */
    bipe_json_end_array(&json);
    json_rows(&json, "probe", row, rows, 0, DEPTHS);
    json_rows(&json, "probe_total", row, rows, SUM, SUM + 1);
    bipe_run_record_put(&run->tool, &json);
    bipe_json_key_bool(&json, "complete", run->tool.status == BIPE_EXIT_DONE && bipe_interrupted() == 0);
    bipe_json_end_object(&json);
    bipe_score_check_output(run, bipe_json_close(&json, &err), &err);
}

int bipe_score_probe(bipe_score_run *run)
{
    bipe_error err = {0};
    size_t combinations = run->setup.combinations, rows = 0;
    uint64_t total = 0;
    probe_row *row = bipe_tool_alloc(combinations * run->lengths.count, sizeof *row);
    bool json = run->given.json;
    if (run->given.trials == 0)
        run->given.trials = TRIALS;
    bipe_interrupt_catch();
    for (size_t l = 0; l < run->lengths.count; l++)
        total += run->lengths.value[l] * run->given.trials * DEPTHS * combinations;
    bipe_tool_progress(&run->tool, "tokens", total);
    if (run->given.csv)
        bipe_output_printf(run->output, NULL, "model,segmenter,file,length,depth,trials,right,accuracy,low,high\n");
    else if (!json)
        bipe_output_printf(run->output, NULL, "probe passkey: how often (%%) the key is more probable than %d others, %" PRIu64 " trials\n",
                           BIPE_PASSKEY_CHOICES - 1, run->given.trials);
    for (size_t c = 0; c < combinations; c++) {
        size_t before = rows;
        for (size_t l = 0; l < run->lengths.count && !bipe_score_over(run); l++) {
            row[rows] = (probe_row){.combination = &run->setup.combination[c], .length = run->lengths.value[l]};
            if (!run_trials(run, &row[rows]))
                continue;
            if (!json && !run->given.csv && rows == before)
                table_head(run->output, row[rows].combination);
            if (run->given.csv)
                probe_csv_row(run->output, &row[rows]);
            else if (!json)
                probe_table_row(run->output, &row[rows]);
            bipe_score_check_output(run, bipe_output_flush(run->output, &err), &err);
            rows++;
        }
    }
    run->tool.some_done = rows > 0;
    if (rows == 0 && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    if (run->output != NULL && json)
        json_report(run, row, rows);
    bipe_free(row);
    return bipe_score_finish(run);
}
