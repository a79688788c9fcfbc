/* score_ladder_report.c - the results of --ladder: a table, CSV or JSON of the rungs, and lines of documents. */
#include <inttypes.h>
#include <math.h>

#include "cli/columns.h"
#include "cli/run_record.h"
#include "tools/score/score_ladder.h"

/* The values of a rung, and of a rung of a document. */
typedef struct ladder_cells {
    const char *model, *segmenter, *method, *file, *id;
    uint64_t context, reached, documents, tokens, bytes, document, length, used;
    double nll, ppl, bits, gaining, sure, key;
    bipe_estimate error, gain;
    char text[96];
} ladder_cells;

#define CELL(type, field, ...) BIPE_COLUMN(ladder_cells, type, field, __VA_ARGS__)
#define NAMED(type, field) BIPE_COLUMN_NAMED(ladder_cells, type, field)

static const bipe_column rung_columns[] = {
    NAMED(TEXT, model),
    NAMED(TEXT, segmenter),
    NAMED(UINT, context),
    NAMED(UINT, reached),
    NAMED(UINT, documents),
    NAMED(UINT, tokens),
    NAMED(UINT, bytes),
    NAMED(NUMBER, nll),
    CELL(NUMBER, error.error, .member = "nll_stderr", .name = "nll_stderr"),
    CELL(PAIR, error.low, .member = "nll_interval", .name = "nll_low,nll_high"),
    NAMED(NUMBER, ppl),
    CELL(NUMBER, bits, .member = "bits_per_byte", .name = "bits_per_byte"),
    CELL(NUMBER, gain.value, .member = "gain", .name = "gain"),
    CELL(NUMBER, gain.error, .member = "stderr", .name = "stderr"),
    CELL(PAIR, gain.low, .member = "interval", .name = "low,high"),
    CELL(NUMBER, gain.p, .member = "p", .name = "p"),
    NAMED(TEXT, method),
    NAMED(NUMBER, gaining),
    CELL(NUMBER, sure, .member = "gaining_surely", .name = "gaining_surely"),
    NAMED(NUMBER, key),
};

/* Of the table. */
static const bipe_column table_columns[] = {
    CELL(UINT, context, .heading = "context", .width = 7),
    CELL(UINT, reached, .heading = "reached", .width = 7),
    CELL(NUMBER, nll, .heading = "nll", .width = 7, .decimals = 4),
    CELL(NUMBER, ppl, .heading = "ppl", .width = 9, .decimals = 2),
    CELL(NUMBER, gain.value, .heading = "gain", .width = 10, .decimals = 4, .form = BIPE_CELL_SIGNED),
    CELL(PAIR, gain.low, .heading = "95 % interval", .width = 19, .decimals = 4, .form = BIPE_CELL_SIGNED),
    CELL(NUMBER, gain.p, .heading = "p", .width = 6, .form = BIPE_CELL_P),
    CELL(NUMBER, gaining, .heading = "gaining", .width = 8, .decimals = 1, .form = BIPE_CELL_PERCENT),
    CELL(NUMBER, sure, .heading = "surely", .width = 8, .decimals = 1, .form = BIPE_CELL_PERCENT),
    CELL(NUMBER, key, .heading = "key", .width = 8, .decimals = 2, .form = BIPE_CELL_PERCENT),
};

static const bipe_column document_columns[] = {
    CELL(TEXT, file, .name = "file"),
    CELL(UINT, document, .name = "document"),
    CELL(TEXT, id, .name = "id"),
    CELL(UINT, length, .name = "length"),
    CELL(UINT, context, .name = "context"),
    CELL(UINT, used, .name = "used"),
    CELL(UINT, tokens, .name = "tokens"),
    CELL(NUMBER, nll, .name = "nll"),
    CELL(NUMBER, gain.value, .name = "gain"),
    CELL(NUMBER, gain.low, .name = "low"),
    CELL(NUMBER, gain.high, .name = "high"),
    CELL(NUMBER, key, .name = "key"),
};

/* Of the first rung. */
static const bipe_estimate no_gain = {0, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

static void fill_cells(ladder_cells *cells, const bipe_score_run *run, const score_ladder_sum *sum, size_t r)
{
    const score_ladder_rung *rung = &sum->rung[r];
    const bipe_score_combination *c = &run->setup.combination[0];
    const double documents = (double)sum->documents, none = (double)NAN;
    *cells = (ladder_cells){
        .model = c->model_name, .segmenter = c->segmenter,
        .context = sum->ladder->context[r], .reached = rung->reached, .documents = sum->documents,
        .tokens = rung->tokens, .bytes = rung->bytes, .nll = rung->error.estimate.value,
        .ppl = exp(rung->error.estimate.value), .error = rung->error.estimate,
        .bits = rung->error.estimate.value * (double)rung->tokens / (double)rung->bytes / log(2),
        .gain = r > 0 ? rung->gain.estimate : no_gain, .gaining = r > 0 ? (double)rung->gaining / documents : none,
        .sure = r > 0 ? (double)rung->sure / documents : none,
        .key = r > 0 ? (double)rung->key / (double)rung->tokens : none,
    };
    cells->method = bipe_loss_method(r > 0 ? &rung->gain : &rung->error, cells->text); /* text is in *cells */
}

/* ---- the table ---- */

static void report_table(bipe_score_run *run, const score_ladder_sum *sum)
{
    const bipe_score_setup *setup = &run->setup;
    bipe_output *output = run->out.output;
    ladder_cells cells;
    bipe_score_table_models(setup, output);
    bipe_output_printf(output, NULL, "ladder    the last %zu tokens of %" PRIu64 " document%s, BOS %s, %s\n\n",
                       sum->ladder->last, sum->documents, sum->documents == 1 ? "" : "s",
                       bipe_bos_names[setup->rules.bos], bipe_window_precision_words[setup->precision]);
    bipe_columns_table_head(output, table_columns, BIPE_COUNT_OF(table_columns));
    bipe_output_write(output, "\n", 1, NULL);
    for (size_t r = 0; r < sum->ladder->rungs; r++) {
        fill_cells(&cells, run, sum, r);
        bipe_columns_table(output, table_columns, BIPE_COUNT_OF(table_columns), &cells);
        bipe_output_write(output, "\n", 1, NULL);
    }
    bipe_output_printf(output, NULL,
                       "\ngain: of the same tokens, in nats per token, by more context than %" PRIu64 " tokens; %s\n",
                       sum->ladder->context[0], cells.method);
    bipe_output_printf(output, NULL,
                       "gaining: share of documents that gain; surely: share whose own 95 %% interval is above 0\n"
                       "key: share of tokens whose loss falls by more than %g nats, to less than %g\n",
                       sum->ladder->key.alpha, sum->ladder->key.beta);
}

/* ---- JSON and CSV ---- */

static void report_json(bipe_score_run *run, const score_ladder_sum *sum, const bipe_score_work *work, bool complete)
{
    const bipe_score_setup *setup = &run->setup;
    const bipe_ladder *ladder = sum->ladder;
    bipe_json json;
    bipe_error err;
    ladder_cells cells;
    bipe_tool_json(&json, run->out.output, run->tool.name);
    bipe_score_model_json(setup, &json);
    bipe_json_key_object(&json, "protocol");
    bipe_json_key_text(&json, "name", "ladder");
    bipe_json_key_uint(&json, "last", ladder->last);
    bipe_json_key_text(&json, "bos", bipe_bos_names[setup->rules.bos]);
    bipe_json_key_number(&json, "alpha", ladder->key.alpha);
    bipe_json_key_number(&json, "beta", ladder->key.beta);
    bipe_json_key_uint(&json, "seed", ladder->seed);
    if (setup->cluster != NULL)
        bipe_json_key_text(&json, "cluster", setup->cluster);
    bipe_json_end_object(&json);
    bipe_json_key_text(&json, "precision", bipe_window_precision_words[setup->precision]);
    bipe_json_key_array(&json, "results"); /* of windows of a length */
    bipe_json_end_array(&json);
    bipe_json_key_array(&json, "ladder");
    for (size_t r = 0; r < ladder->rungs && sum->documents > 0; r++) {
        fill_cells(&cells, run, sum, r);
        bipe_json_begin_object(&json);
        bipe_columns_json(&json, rung_columns, BIPE_COUNT_OF(rung_columns), &cells);
        bipe_json_end_object(&json);
    }
    bipe_json_end_array(&json);
    bipe_json_key_uint(&json, "shorter", sum->shorter);
    bipe_json_key_object(&json, "work");
    bipe_json_key_uint(&json, "tokens", work->all);
    bipe_json_key_uint(&json, "computed", work->computed);
    bipe_json_end_object(&json);
    bipe_run_record_put(&run->tool, &json);
    bipe_json_key_bool(&json, "complete", complete);
    bipe_json_end_object(&json);
    bipe_score_check_output(run, bipe_json_close(&json, &err), &err);
}

void score_ladder_report(bipe_score_run *run, const score_ladder_sum *sum, const bipe_score_work *work, bool complete)
{
    ladder_cells cells;
    if (run->given.json) {
        report_json(run, sum, work, complete);
    } else if (run->given.csv) {
        bipe_columns_head(run->out.output, rung_columns, BIPE_COUNT_OF(rung_columns), ',');
        for (size_t r = 0; r < sum->ladder->rungs && sum->documents > 0; r++) {
            fill_cells(&cells, run, sum, r);
            bipe_columns_line(run->out.output, rung_columns, BIPE_COUNT_OF(rung_columns), ',', &cells);
        }
    } else if (sum->documents > 0) {
        report_table(run, sum);
    }
}

/* ---- documents ---- */

void score_ladder_documents_head(bipe_output *output, char separator)
{
    bipe_columns_head(output, document_columns, BIPE_COUNT_OF(document_columns), separator);
}

void score_ladder_documents_line(bipe_output *output, const bipe_ladder *ladder, const char *file, uint64_t document,
                                 const char *id, uint64_t tokens, const bipe_rung *rung, char separator)
{
    for (size_t r = 0; r < ladder->rungs; r++) {
        const ladder_cells cells = {
            .file = file, .document = document, .id = id, .length = tokens, .context = ladder->context[r],
            .used = rung[r].context, .tokens = rung[r].tokens, .nll = rung[r].nll, .gain = rung[r].gain,
            .key = (double)rung[r].key / (double)rung[r].tokens,
        };
        bipe_columns_line(output, document_columns, BIPE_COUNT_OF(document_columns), separator, &cells);
    }
}

/* ---- records ---- */

static void put_rungs(bipe_json *json, const void *row)
{
    const score_ladder_record *record = row;
    if (record->rung == NULL) {
        bipe_json_null(json);
        return;
    }
    bipe_json_begin_flat_array(json);
    for (size_t r = 0; r < record->ladder->rungs; r++) {
        const score_ladder_record one = score_ladder_record_of(record->ladder, &record->rung[r]);
        bipe_json_begin_object(json);
        bipe_columns_json(json, score_ladder_record_columns, SCORE_LADDER_RECORD_COLUMNS - 1, &one);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

#define RECORD(type, field, ...) BIPE_COLUMN(score_ladder_record, type, field, __VA_ARGS__)

const bipe_column score_ladder_record_columns[SCORE_LADDER_RECORD_COLUMNS] = {
    RECORD(UINT, context, .member = "context"),
    RECORD(UINT, tokens, .member = "tokens"),
    RECORD(NUMBER, nll, .member = "nll"),
    RECORD(NUMBER, gain, .member = "gain"),
    RECORD(NUMBER, low, .member = "gain_low"),
    RECORD(NUMBER, high, .member = "gain_high"),
    RECORD(NUMBER, key, .member = "key"),
    RECORD(LIST, rung, .member = "rungs", .put = put_rungs), /* the last */
};

score_ladder_record score_ladder_record_of(const bipe_ladder *ladder, const bipe_rung *rung)
{
    const double none = (double)NAN;
    if (rung == NULL)
        return (score_ladder_record){BIPE_NO_UINT, BIPE_NO_UINT, none, none, none, none, none, ladder, NULL};
    return (score_ladder_record){
        .context = rung->context, .tokens = rung->tokens, .nll = rung->nll, .gain = rung->gain.value,
        .low = rung->gain.low, .high = rung->gain.high, .key = (double)rung->key / (double)rung->tokens,
        .ladder = ladder, .rung = rung,
    };
}
