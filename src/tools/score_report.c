/* score_report.c - what bipe-score prints: a table for people, CSV and JSON for programs. Rows go out as they are
 * finished, so that a run that is cut short loses none. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "tools/bipe_score.h"

struct bipe_score_report {
    bipe_score_format format;
    const bipe_score_setup *setup;
    bipe_output *output;
    bool begun;
    uint64_t run;     /* of a shard: what its run is known by */
    bipe_json json;
};

static double row_value(const bipe_losses *losses, int column)
{
    switch (column) {
    case 0: return bipe_losses_nll(losses);
    case 1: return bipe_losses_sum(losses);
    case 2: return bipe_losses_perplexity(losses);
    case 3: return bipe_losses_perplexity_error(losses);
    case 4: return bipe_losses_bits_per_byte(losses);
    default: return bipe_losses_word_perplexity(losses);
    }
}

enum { ROW_VALUES = 6 };
static const char *const row_value_names[ROW_VALUES] = { "nll", "nll_sum", "ppl", "ppl_stderr", "bits_per_byte", "word_ppl" };

/* ---- JSON ---- */

static void json_begin(bipe_score_report *report)
{
    const bipe_score_setup *setup = report->setup;
    const bipe_hyperparameters *hp = setup->hyperparameters;
    bipe_json *json = &report->json;
    char text[256];
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "tool", "bipe-score");
    bipe_json_key_text(json, "version", PACKAGE_VERSION);
    bipe_json_key(json, "model");
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "path", setup->model_path);
    bipe_json_key_text(json, "scheme", bipe_scheme_format(&setup->scheme, text));
    bipe_json_key_uint(json, "parameters", hp->parameters);
    bipe_json_key_uint(json, "train_length", hp->train_length);
    bipe_json_key_text(json, "trained_scheme", bipe_scheme_format(&hp->scheme, text));
    bool scaled = setup->scaling.kind != BIPE_SCALING_NONE;
    bipe_json_key_text(json, "rope_scaling", scaled ? bipe_rope_scaling_format(&setup->scaling, text) : NULL);
    bipe_json_end_object(json);
    bipe_json_key_text(json, "tokenizer", setup->tokenizer);
    bipe_json_key_text(json, "segmenter", setup->segmenter);
    bipe_json_key(json, "protocol");
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "name", setup->protocol);
    bipe_json_key_text(json, "bos", bipe_score_bos_names[setup->bos]);
    bipe_json_key(json, "bos_id");
    if (setup->bos_id == BIPE_NO_TOKEN)
        bipe_json_null(json);
    else
        bipe_json_uint(json, (uint64_t)setup->bos_id);
    bipe_json_key_bool(json, "count_bos", setup->count_bos);
    bipe_json_key(json, "stride");
    if (setup->stride == 0)
        bipe_json_null(json);
    else
        bipe_json_uint(json, setup->stride);
    bipe_json_key_bool(json, "tail", setup->tail);
    bipe_json_key_uint(json, "seed", setup->seed);
    bipe_json_key_bool(json, "shared_prefixes", setup->shared);
    bipe_json_end_object(json);
    bipe_json_key_text(json, "precision", bipe_score_precision_names[setup->precision]);
    bipe_json_key(json, "results");
    bipe_json_begin_array(json);
}

/* What --merge adds up. */
static void json_sums(bipe_score_report *report, const bipe_score_row *row)
{
    bipe_json *json = &report->json;
    char sum[BIPE_EXACT_SIZE];
    bipe_json_key(json, "sums");
    bipe_json_begin_object(json);
    snprintf(sum, sizeof sum, "%016" PRIx64, row->text.hash);
    bipe_json_key_text(json, "text", sum);
    bipe_json_key_uint(json, "text_tokens", row->text.tokens);
    bipe_json_key_uint(json, "words", row->losses.words);
    bipe_json_key_text(json, "nll", bipe_exact_format(row->losses.sum, sum));
    bipe_json_key_text(json, "squares", bipe_exact_format(row->losses.squares, sum));
    bipe_json_key(json, "by");
    bipe_json_begin_flat_array(json);
    for (size_t i = 0; i < row->bins.count; i++) {
        if (row->bins.bin[i].tokens == 0)
            continue;
        bipe_json_begin_array(json);
        bipe_json_uint(json, i);
        bipe_json_uint(json, row->bins.bin[i].tokens);
        bipe_json_text(json, bipe_exact_format(row->bins.bin[i].sum, sum));
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

static void json_row(bipe_score_report *report, const bipe_score_row *row)
{
    bipe_json *json = &report->json;
    const bipe_losses *losses = &row->losses;
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "file", row->file);
    bipe_json_key_uint(json, "length", row->length);
    bipe_json_key_uint(json, "windows", losses->windows);
    bipe_json_key_uint(json, "tokens", losses->tokens);
    bipe_json_key_uint(json, "bytes", losses->bytes);
    for (int c = 0; c < ROW_VALUES; c++)
        bipe_json_key_number(json, row_value_names[c], row_value(losses, c));
    if (report->setup->by != BIPE_SCORE_BY_NONE) {
        bipe_json_key(json, "by");
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "index", bipe_score_by_names[report->setup->by - 1]);
        bipe_json_key(json, "values");
        bipe_json_begin_flat_array(json);
        for (size_t i = 0; i < row->bins.count; i++) {
            const bipe_loss_bin *bin = &row->bins.bin[i];
            if (bin->tokens == 0)
                continue;
            bipe_json_begin_array(json);
            bipe_json_uint(json, i);
            bipe_json_uint(json, bin->tokens);
            bipe_json_number(json, bipe_exact_value(bin->sum, BIPE_LOSS_BITS) / (double)bin->tokens);
            bipe_json_end_array(json);
        }
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    if (report->setup->shard.count > 0 && row->file != NULL)
        json_sums(report, row);
    bipe_json_end_object(json);
}

/* What tells the shard from others, and from shards of other runs. */
static void json_shard(bipe_score_report *report)
{
    bipe_json *json = &report->json;
    char run[24];
    snprintf(run, sizeof run, "%016" PRIx64, report->run);
    bipe_json_key(json, "shard");
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "run", run);
    bipe_json_key_uint(json, "index", report->setup->shard.index);
    bipe_json_key_uint(json, "count", report->setup->shard.count);
    bipe_json_key_text(json, "model", report->setup->model_name);
    bipe_json_key_uint(json, "files", report->setup->file_count);
    bipe_json_end_object(json);
}

/* ---- CSV ---- */

static int csv_text(bipe_output *output, const char *text, bipe_error *err)
{
    if (strpbrk(text, ",\"\r\n") == NULL)
        return bipe_output_write(output, text, strlen(text), err);
    int status = bipe_output_write(output, "\"", 1, err);
    for (; status == BIPE_OK && *text != '\0'; text++) {
        if (*text == '"')
            status = bipe_output_write(output, "\"", 1, err);
        if (status == BIPE_OK)
            status = bipe_output_write(output, text, 1, err);
    }
    return status == BIPE_OK ? bipe_output_write(output, "\"", 1, err) : status;
}

static int csv_begin(bipe_score_report *report, bipe_error *err)
{
    int status = bipe_output_printf(report->output, err, "file,length,windows,tokens,bytes");
    for (int c = 0; status == BIPE_OK && c < ROW_VALUES; c++)
        status = bipe_output_printf(report->output, err, ",%s", row_value_names[c]);
    return status == BIPE_OK ? bipe_output_write(report->output, "\n", 1, err) : status;
}

static int csv_row(bipe_score_report *report, const bipe_score_row *row, bipe_error *err)
{
    const bipe_losses *losses = &row->losses;
    int status = csv_text(report->output, row->file == NULL ? "total" : row->file, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(report->output, err, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->length,
                                    losses->windows, losses->tokens, losses->bytes);
    for (int c = 0; status == BIPE_OK && c < ROW_VALUES; c++) {
        char number[32];
        status = bipe_output_printf(report->output, err, ",%s", bipe_format_number(number, row_value(losses, c)));
    }
    return status == BIPE_OK ? bipe_output_write(report->output, "\n", 1, err) : status;
}

/* ---- table ---- */

size_t bipe_score_columns(const char *name)
{
    size_t columns = 0;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (size_t left = strlen(name); left > 0;) {
        wchar_t wide;
        size_t used = mbrtowc(&wide, name, left, &state);
        int width = 1;
        if (used == 0 || used > left) {
            memset(&state, 0, sizeof state);
            used = 1;
        } else if ((width = wcwidth(wide)) < 0) {
            width = wide < 0xA0 ? (int)used : 1; /* control characters are shown as question marks */
        }
        columns += (size_t)width;
        name += used;
        left -= used;
    }
    return columns;
}

/* A number for people in `width` columns: an exponent when it does not fit, "-" when there is none. */
static int table_number(bipe_output *output, double value, int width, int decimals, bipe_error *err)
{
    char text[64] = "-";
    if (!isnan(value) && (fabs(value) >= 1e9 || snprintf(text, sizeof text, "%.*f", decimals, value) > width))
        snprintf(text, sizeof text, "%.2e", value);
    return bipe_output_printf(output, err, " %*s", width, text);
}

/* The file's name, padded to the width of the column; characters are counted, not bytes. */
static int table_name(bipe_score_report *report, const char *name, bipe_error *err)
{
    size_t columns = bipe_score_columns(name), width = report->setup->file_width;
    int status = bipe_output_name(report->output, name, err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(report->output, err, "%*s", columns < width ? (int)(width - columns) : 0, "");
}

static const char *count_words(uint64_t count, char text[32])
{
    static const struct {
        double unit;
        const char *name;
    } scale[] = { { 1e9, "billion" }, { 1e6, "million" }, { 1e3, "thousand" } };
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; i++)
        if ((double)count >= scale[i].unit) {
            snprintf(text, 32, "%.3g %s", (double)count / scale[i].unit, scale[i].name);
            return text;
        }
    snprintf(text, 32, "%" PRIu64, count);
    return text;
}

static int table_begin(bipe_score_report *report, bipe_error *err)
{
    const bipe_score_setup *setup = report->setup;
    const bipe_hyperparameters *hp = setup->hyperparameters;
    bipe_output *output = report->output;
    char text[256], count[32];
    int status = bipe_output_printf(output, err, "model     ");
    if (status == BIPE_OK)
        status = bipe_output_name(output, setup->model_name, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, " (%s", bipe_scheme_format(&setup->scheme, text));
    if (status == BIPE_OK && setup->scaling.kind != BIPE_SCALING_NONE)
        status = bipe_output_printf(output, err, ", rope scaling %s", bipe_rope_scaling_format(&setup->scaling, text));
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, ", %s parameters, trained at %" PRIu32 " tokens)\n",
                                    count_words(hp->parameters, count), hp->train_length);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "segments  ");
    if (status == BIPE_OK)
        status = bipe_output_name(output, setup->segmenter, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "\nprotocol  %s, BOS %s%s%s", setup->protocol, bipe_score_bos_names[setup->bos],
                                    setup->count_bos ? ", BOS counted" : "", setup->tail ? ", with the tail" : "");
    if (status == BIPE_OK && setup->stride != 0)
        status = bipe_output_printf(output, err, ", stride %" PRIu64, setup->stride);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, ", %s\n\n", bipe_score_precision_names[setup->precision]);
    if (status == BIPE_OK)
        status = table_name(report, "file", err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(output, err, " %7s %8s %9s %7s %9s %7s %9s %9s\n", "length", "windows",
                                                  "tokens", "nll", "ppl", "+/-", "bits/byte", "word ppl");
}

static int table_row(bipe_score_report *report, const bipe_score_row *row, bipe_error *err)
{
    static const struct {
        int value, width, decimals;
    } columns[] = { { 0, 7, 4 }, { 2, 9, 2 }, { 3, 7, 2 }, { 4, 9, 4 }, { 5, 9, 1 } };
    bipe_output *output = report->output;
    int status = table_name(report, row->file == NULL ? "total" : row->file, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, " %7" PRIu64 " %8" PRIu64 " %9" PRIu64, row->length, row->losses.windows,
                                    row->losses.tokens);
    for (size_t c = 0; status == BIPE_OK && c < sizeof columns / sizeof columns[0]; c++)
        status = table_number(output, row_value(&row->losses, columns[c].value), columns[c].width, columns[c].decimals, err);
    return status == BIPE_OK ? bipe_output_write(output, "\n", 1, err) : status;
}

/* The bin of people's table that an index falls into: 0, 1, 2-3, 4-7, ... */
static int table_bin(size_t index)
{
    int bin = 0;
    for (; index > 0; index >>= 1)
        bin++;
    return bin;
}

enum { TABLE_BINS = 64 };

/* The mean loss by index: a line a bin, a column a length. */
static int table_by(bipe_score_report *report, const bipe_score_row *total, size_t count, bipe_error *err)
{
    bipe_output *output = report->output;
    int last = -1;
    for (size_t r = 0; r < count; r++)
        if (total[r].bins.count > 0 && table_bin(total[r].bins.count - 1) > last)
            last = table_bin(total[r].bins.count - 1);
    int status = bipe_output_printf(output, err, "\nmean loss (nats a token) by %s index, at each length\n%15s",
                                    bipe_score_by_names[report->setup->by - 1], "index");
    for (size_t r = 0; status == BIPE_OK && r < count; r++)
        status = bipe_output_printf(output, err, " %9" PRIu64, total[r].length);
    if (status == BIPE_OK)
        status = bipe_output_write(output, "\n", 1, err);
    for (int bin = 0; status == BIPE_OK && bin <= last && bin < TABLE_BINS; bin++) {
        size_t low = bin == 0 ? 0 : (size_t)1 << (bin - 1), high = bin == 0 ? 0 : 2 * low - 1;
        char range[48];
        if (low == high)
            snprintf(range, sizeof range, "%zu", low);
        else
            snprintf(range, sizeof range, "%zu-%zu", low, high);
        status = bipe_output_printf(output, err, "%15s", range);
        for (size_t r = 0; status == BIPE_OK && r < count; r++) {
            bipe_exact sum = 0;
            uint64_t tokens = 0;
            for (size_t i = low; i <= high && i < total[r].bins.count; i++) {
                sum = bipe_exact_add(sum, total[r].bins.bin[i].sum);
                tokens += total[r].bins.bin[i].tokens;
            }
            status = table_number(output, tokens == 0 ? (double)NAN : bipe_exact_value(sum, BIPE_LOSS_BITS) / (double)tokens, 9, 3, err);
        }
        if (status == BIPE_OK)
            status = bipe_output_write(output, "\n", 1, err);
    }
    return status;
}

/* ---- all three ---- */

int bipe_score_report_open(bipe_score_report **report, bipe_score_format format, const bipe_score_setup *setup,
                           bipe_output *output, bipe_error *err)
{
    *report = bipe_alloc(1, sizeof **report);
    if (*report == NULL)
        return bipe_fail_memory(err);
    **report = (bipe_score_report){ .format = format, .setup = setup, .output = output };
    if (format == BIPE_SCORE_JSON)
        bipe_json_open(&(*report)->json, output, true);
    return BIPE_OK;
}

/* Nothing stands on the output before there is something to say. */
static int report_begin(bipe_score_report *report, bipe_error *err)
{
    if (report->begun)
        return BIPE_OK;
    report->begun = true;
    switch (report->format) {
    case BIPE_SCORE_JSON: json_begin(report); return BIPE_OK; /* the writer keeps its first failure */
    case BIPE_SCORE_CSV: return csv_begin(report, err);
    default: return table_begin(report, err);
    }
}

static int report_row(bipe_score_report *report, const bipe_score_row *row, bipe_error *err)
{
    switch (report->format) {
    case BIPE_SCORE_JSON: json_row(report, row); return BIPE_OK;
    case BIPE_SCORE_CSV: return csv_row(report, row, err);
    default: return table_row(report, row, err);
    }
}

int bipe_score_report_row(bipe_score_report *report, const bipe_score_row *row, bipe_error *err)
{
    int status = report_begin(report, err);
    if (status == BIPE_OK)
        status = report_row(report, row, err);
    return status == BIPE_OK ? bipe_output_flush(report->output, err) : status;
}

void bipe_score_report_shard(bipe_score_report *report, uint64_t run)
{
    report->run = run;
}

int bipe_score_report_end(bipe_score_report *report, const bipe_score_row *total, size_t count, const bipe_score_work *work,
                          bool complete, bipe_error *err)
{
    if (report->format == BIPE_SCORE_JSON) {
        report_begin(report, err);
        bipe_json_end_array(&report->json);
        bipe_json_key(&report->json, "total");
        bipe_json_begin_array(&report->json);
        for (size_t r = 0; r < count; r++)
            json_row(report, &total[r]);
        bipe_json_end_array(&report->json);
        bipe_json_key(&report->json, "work");
        bipe_json_begin_object(&report->json);
        bipe_json_key_uint(&report->json, "tokens", work->all);
        bipe_json_key_uint(&report->json, "computed", work->computed);
        bipe_json_end_object(&report->json);
        if (report->setup->shard.count > 0)
            json_shard(report);
        bipe_json_key_bool(&report->json, "complete", complete);
        bipe_json_end_object(&report->json);
        return bipe_json_close(&report->json, err);
    }
    int status = BIPE_OK;
    if (count > 0 && report->setup->file_count > 1) /* with one file its rows have said it */
        for (size_t r = 0; status == BIPE_OK && r < count; r++)
            status = report_row(report, &total[r], err);
    if (status == BIPE_OK && count > 0 && report->format == BIPE_SCORE_TABLE && report->setup->by != BIPE_SCORE_BY_NONE)
        status = table_by(report, total, count, err);
    return status;
}

void bipe_score_report_close(bipe_score_report *report)
{
    bipe_free(report);
}
