/* score_probe.c - --probe passkey: how often each combination finds a key that is hidden in a text, by length and
 * depth. */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "cli/columns.h"
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
    const bipe_generator_options options = {.scheme = &c->scheme, .rope_scaling = &c->scaling,
                                            .precision = run->setup.precision, .max_length = (size_t)row->length,
                                            .seed = run->setup.seed};
    bipe_passkey *passkey;
    bipe_passkey_trial found;
    bipe_error err = {0};
    int status = bipe_passkey_open(&passkey, run->models.model[c->model].model, run->texts.reader[c->text].tokenizer,
                                   c->segmenter, &options, run->models.pool, &err);
    for (uint64_t i = 0; i < run->given.trials * DEPTHS && status == BIPE_OK && bipe_interrupted() == 0; i++) {
        size_t depth = i % DEPTHS;
        status = bipe_passkey_try(passkey, depths[depth], run->setup.seed * DEPTHS + depth + (i / DEPTHS << 32), &found,
                                  &err);
        if (status == BIPE_OK) {
            row->trials[depth]++;
            row->trials[SUM]++;
            row->right[depth] += found.right;
            row->right[SUM] += found.right;
            bipe_progress_update(&run->tool.progress, c->model_name, run->progress.done += row->length);
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
    bipe_output_printf(output, NULL, " (%s, trained at %" PRIu32 " tokens), segments ",
                       bipe_scheme_format(&c->scheme, scheme), c->hyperparameters->train_length);
    bipe_output_name(output, c->segmenter, NULL);
    bipe_output_printf(output, NULL, "\n%8s", "length");
    for (size_t d = 0; d < DEPTHS; d++)
        bipe_output_printf(output, NULL, " %4.0f %%", 100 * depths[d]);
    bipe_output_printf(output, NULL, " %6s  95 %% interval\n", "all");
}

/* The values of a row, or of one of its depths. */
typedef struct probe_cells {
    const char *model, *segmenter, *file;
    uint64_t length, trials, right;
    double depth, accuracy, interval[2];
} probe_cells;

#define CELL(type, field, ...) BIPE_COLUMN(probe_cells, type, field, __VA_ARGS__)
#define NAMED(type, field) BIPE_COLUMN_NAMED(probe_cells, type, field)

static const bipe_column probe_columns[] = {
    NAMED(TEXT, model),
    NAMED(TEXT, segmenter),
    CELL(TEXT, file, .name = "file"), /* there is none */
    NAMED(UINT, length),
    CELL(NUMBER, depth, .member = "depth", .name = "depth", .optional = true),
    NAMED(UINT, trials),
    NAMED(UINT, right),
    NAMED(NUMBER, accuracy),
    CELL(PAIR, interval, .member = "interval", .name = "low,high"),
};

/* depth: its number, or SUM. */
static probe_cells fill_cells(const probe_row *row, size_t depth)
{
    probe_cells cells = {
        .model = row->combination->model_name, .segmenter = row->combination->segmenter, .length = row->length,
        .trials = row->trials[depth], .right = row->right[depth], .depth = depth < DEPTHS ? depths[depth] : (double)NAN,
        .accuracy = (double)row->right[depth] / (double)row->trials[depth],
    };
    bipe_share_interval((double)cells.right, (double)cells.trials, &cells.interval[0], &cells.interval[1]);
    return cells;
}

static void table_row(bipe_output *output, const probe_row *row)
{
    probe_cells all = fill_cells(row, SUM);
    bipe_output_printf(output, NULL, "%8" PRIu64, row->length);
    for (size_t d = 0; d <= SUM; d++)
        bipe_output_printf(output, NULL, " %6.1f", 100 * fill_cells(row, d).accuracy);
    bipe_output_printf(output, NULL, "  [%.1f, %.1f]\n", 100 * all.interval[0], 100 * all.interval[1]);
}

static void csv_rows(bipe_output *output, const probe_row *row)
{
    for (size_t d = 0; d < DEPTHS; d++) {
        probe_cells cells = fill_cells(row, d);
        bipe_columns_line(output, probe_columns, BIPE_COUNT_OF(probe_columns), ',', &cells);
    }
}

static void json_rows(bipe_json *json, const char *key, const probe_row *row, size_t rows, size_t first, size_t end)
{
    bipe_json_key_array(json, key);
    for (size_t i = 0; i < rows; i++)
        for (size_t d = first; d < end; d++) {
            probe_cells cells = fill_cells(&row[i], d);
            bipe_json_begin_object(json);
            bipe_columns_json(json, probe_columns, BIPE_COUNT_OF(probe_columns), &cells);
            bipe_json_end_object(json);
        }
    bipe_json_end_array(json);
}

static void json_report(bipe_score_run *run, const probe_row *row, size_t rows)
{
    bipe_error err;
    bipe_json json;
    bipe_tool_json(&json, run->out.output, run->tool.name);
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
        bipe_columns_head(run->out.output, probe_columns, BIPE_COUNT_OF(probe_columns), ',');
    else if (!json)
        bipe_output_printf(run->out.output, NULL,
                           "probe passkey: how often (%%) the key is more probable than %d others, %" PRIu64
                           " trials\n",
                           BIPE_PASSKEY_CHOICES - 1, run->given.trials);
    for (size_t c = 0; c < combinations; c++) {
        size_t before = rows;
        for (size_t l = 0; l < run->lengths.count && !bipe_score_over(&run->out); l++) {
            row[rows] = (probe_row){.combination = &run->setup.combination[c], .length = run->lengths.value[l]};
            if (!run_trials(run, &row[rows]))
                continue;
            if (!json && !run->given.csv && rows == before)
                table_head(run->out.output, row[rows].combination);
            if (run->given.csv)
                csv_rows(run->out.output, &row[rows]);
            else if (!json)
                table_row(run->out.output, &row[rows]);
            bipe_score_check_output(run, bipe_output_flush(run->out.output, &err), &err);
            rows++;
        }
    }
    run->tool.some_done = rows > 0;
    if (rows == 0 && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    if (run->out.output != NULL && json)
        json_report(run, row, rows);
    bipe_free(row);
    return bipe_score_finish(run);
}
