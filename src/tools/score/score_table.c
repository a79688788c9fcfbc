/* score_table.c - the table of bipe-score for people: one combination with a row a length, or several side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/label.h"
#include "cli/power.h"
#include "tools/score/score_columns.h"
#include "tools/score/score_report.h"

/* Failures stay in the output here and below: its next flush or commit returns them. */

static void table_number(bipe_output *output, double value, int width, int decimals)
{
    char cell[BIPE_CELL_SIZE];
    bipe_output_printf(output, NULL, " %*s", width, bipe_columns_cell(cell, value, width, decimals));
}

/* A name, padded to the width of its column. Returns its own width, in characters. */
static size_t table_padded(bipe_output *output, const char *name, size_t width)
{
    size_t columns = bipe_label_columns(name);
    bipe_output_name(output, name, NULL);
    bipe_output_printf(output, NULL, "%*s", columns < width ? (int)(width - columns) : 0, "");
    return columns;
}

void bipe_score_widen(bipe_score_setup *setup, const char *name)
{
    enum { WIDEST = 48 };
    size_t columns = bipe_label_columns(name);
    if (columns > setup->file_width)
        setup->file_width = columns < WIDEST ? columns : WIDEST;
}

static const char *count_in_words(uint64_t count, char text[32])
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

/* A scheme with its frequency scaling. */
static void table_scheme(bipe_output *output, const bipe_scheme *scheme, const bipe_rope_scaling *scaling)
{
    char text[256];
    bipe_output_printf(output, NULL, "%s", bipe_scheme_format(scheme, text));
    if (scaling->kind != BIPE_SCALING_NONE)
        bipe_output_printf(output, NULL, ", rope scaling %s", bipe_rope_scaling_format(scaling, text));
}

/* The model, its scheme ("scored as ...; trained as ..." where these are not the same), its size. */
static void table_model(bipe_output *output, const bipe_score_combination *c)
{
    const bipe_hyperparameters *hp = c->hyperparameters;
    char own[256], trained[256], count[32];
    bool other =
        strcmp(bipe_scheme_format(&c->scheme, own), bipe_scheme_format(&hp->scheme, trained)) != 0 ||
        strcmp(bipe_rope_scaling_format(&c->scaling, own), bipe_rope_scaling_format(&hp->rope_scaling, trained)) != 0;
    bipe_output_name(output, c->model_name, NULL);
    bipe_output_printf(output, NULL, other ? " (scored as " : " (");
    table_scheme(output, &c->scheme, &c->scaling);
    if (other) {
        bipe_output_printf(output, NULL, "; trained as ");
        table_scheme(output, &hp->scheme, &hp->rope_scaling);
    }
    bipe_output_printf(output, NULL, ", %s parameters, trained at %" PRIu32 " tokens)\n",
                       count_in_words(hp->parameters, count), hp->train_length);
}

static void table_protocol(bipe_output *output, const bipe_score_setup *setup)
{
    bipe_output_printf(output, NULL, "protocol  %s, BOS %s%s%s%s%s", bipe_protocol_names[setup->rules.protocol],
                       bipe_bos_names[setup->rules.bos], setup->rules.count_bos ? ", BOS counted" : "",
                       setup->rules.tail ? ", with the tail" : "", setup->rules.lines ? ", line by line" : "",
                       setup->common ? ", common tokens" : "");
    if (setup->rules.stride != 0)
        bipe_output_printf(output, NULL, ", stride %" PRIu64, setup->rules.stride);
    else if (setup->rules.protocol == BIPE_PROTOCOL_SLIDING)
        bipe_output_printf(output, NULL, ", stride half a window");
    if (setup->rules.last != 0)
        bipe_output_printf(output, NULL, ", last %" PRIu64 " tokens", setup->rules.last);
    bipe_output_printf(output, NULL, ", %s\n\n", bipe_window_precision_words[setup->precision]);
}

/* The text before the numbers of a combination where there are several: "MODEL, SEGMENTER", in so many columns. */
enum { NAME_COLUMNS = 27, CELL_COLUMNS = 13 };

static size_t table_name(bipe_score_table *table, size_t number, size_t width)
{
    const bipe_score_combination *c = &table->setup->combination[number];
    char text[160];
    const char *slash = strrchr(c->model_name, '/');
    snprintf(text, sizeof text, "%zu %s, %s", number + 1, slash != NULL && slash[1] != '\0' ? slash + 1 : c->model_name,
             c->segmenter);
    return table_padded(table->output, text, width);
}

static void table_combination(bipe_score_table *table, size_t number)
{
    if (table_name(table, number, NAME_COLUMNS) > NAME_COLUMNS)
        bipe_output_printf(table->output, NULL, "\n%*s", NAME_COLUMNS, "");
}

void bipe_score_table_models(const bipe_score_setup *setup, bipe_output *output)
{
    for (size_t i = 0; i < setup->combinations; i++) {
        if (i > 0 && setup->combination[i].model == setup->combination[i - 1].model)
            continue;
        bipe_output_printf(output, NULL, i == 0 ? "model     " : "          ");
        table_model(output, &setup->combination[i]);
    }
    if (setup->combinations == 1) {
        bipe_output_printf(output, NULL, "segments  ");
        bipe_output_name(output, setup->combination[0].segmenter, NULL);
        bipe_output_write(output, "\n", 1, NULL);
    }
}

void bipe_score_table_begin(bipe_score_table *table)
{
    const bipe_score_setup *setup = table->setup;
    bipe_output *output = table->output;
    bipe_score_table_models(setup, output);
    table_protocol(output, setup);
    if (setup->combinations > 1)
        return;
    table_padded(output, "file", setup->file_width);
    score_table_head(output);
}

/* What the error of a row was found from, for the line below the table. */
static void note_error(bipe_score_table *table, const bipe_loss_error *error)
{
    if (error->estimate.units < 2)
        return;
    table->documents = table->documents || !error->blocks;
    if (error->clusters && error->estimate.units > table->clusters)
        table->clusters = error->estimate.units;
    if (!error->blocks)
        return;
    table->shortest = !table->blocks || error->block < table->shortest ? error->block : table->shortest;
    table->longest = !table->blocks || error->block > table->longest ? error->block : table->longest;
    table->blocks = true;
}

/* The row of a combination at a length, of a group or (NULL) of a file or all. NULL: there is none, or with macro no
 * mean of means. */
static const bipe_score_row *find_row(const bipe_score_row *of, size_t rows, size_t combination, uint64_t length,
                                      const char *group, bool macro)
{
    for (size_t r = 0; r < rows; r++) {
        const bipe_score_row *row = &of[r];
        if (row->combination == combination && row->length == length && row->group == group &&
            (!macro || row->macro.units > 1))
            return row;
    }
    return NULL;
}

/* Rows of several combinations, lengths side by side: perplexity and its error. */
static void table_side(bipe_score_table *table, const char *name, const bipe_score_row *of, size_t rows,
                       const char *group, bool macro)
{
    const bipe_sizes *lengths = table->setup->lengths;
    bipe_output *output = table->output;
    if (table_padded(output, name, NAME_COLUMNS) >= NAME_COLUMNS)
        bipe_output_write(output, " ", 1, NULL);
    for (size_t i = 0; i < lengths->count; i++) {
        bool some = false;
        for (size_t c = 0; c < table->setup->combinations; c++)
            some = some || find_row(of, rows, c, lengths->value[i], group, macro) != NULL;
        if (some)
            bipe_output_printf(output, NULL, "%*" PRIu64, CELL_COLUMNS, lengths->value[i]);
    }
    bipe_output_write(output, "\n", 1, NULL);
    for (size_t c = 0; c < table->setup->combinations; c++) {
        table_combination(table, c);
        for (size_t i = 0; i < lengths->count; i++) {
            const bipe_score_row *row = find_row(of, rows, c, lengths->value[i], group, macro);
            if (row == NULL)
                continue;
            double ppl = macro ? exp(row->macro.value) : bipe_losses_perplexity(&row->losses);
            double error = ppl * (macro ? row->macro.error : row->error.estimate.error);
            if (!macro)
                note_error(table, &row->error);
            table_number(output, ppl, 7, 2);
            table_number(output, error, 4, error < 9.95 ? 2 : 0);
        }
        bipe_output_write(output, "\n", 1, NULL);
    }
}

/* Rows of a file, a group or all; macro: of means of files or groups. */
static void table_rows(bipe_score_table *table, const char *name, const bipe_score_row *of, size_t rows,
                       const char *group, bool macro)
{
    bool some = false;
    for (size_t i = 0; i < table->setup->lengths->count; i++)
        for (size_t c = 0; c < table->setup->combinations; c++) {
            const bipe_score_row *row = find_row(of, rows, c, table->setup->lengths->value[i], group, macro);
            some = some || row != NULL;
            if (row == NULL || table->setup->combinations > 1)
                continue;
            if (!macro)
                note_error(table, &row->error);
            table_padded(table->output, name, table->setup->file_width);
            score_table_row(table->output, table->setup, row, macro);
        }
    if (some && table->setup->combinations > 1)
        table_side(table, name, of, rows, group, macro);
}

void bipe_score_table_file(bipe_score_table *table, const bipe_score_row *row)
{
    size_t combinations = table->setup->combinations, rows = combinations * table->setup->lengths->count;
    const bipe_score_row *first = NULL;
    const char *name = "";
    for (size_t i = 0; i < rows; i += combinations) {
        if (row[i].length > 0 && first != NULL)
            table->mixed = table->mixed || row[i].losses.tokens != first->losses.tokens ||
                           row[i].losses.bytes != first->losses.bytes;
        first = row[i].length > 0 && first == NULL ? &row[i] : first;
    }
    for (size_t i = 0; i < rows; i++)
        name = row[i].length > 0 ? row[i].file : name;
    table_rows(table, name, row, rows, NULL, false);
}

/* Comparisons in all, or macro: a line each. */
static void table_comparisons(bipe_score_table *table, const bipe_score_findings *findings, bool macro)
{
    bipe_output *output = table->output;
    const bool needed = table->setup->power != NULL && !macro;
    size_t count = 0;
    for (size_t i = 0; i < findings->comparisons; i++) {
        const bipe_score_comparison *c = &findings->comparison[i];
        count += c->file == NULL && c->group == NULL && c->macro == macro;
    }
    if (macro && count == 0)
        return;
    bipe_output_printf(output, NULL, "\n%-*s%6s", NAME_COLUMNS, macro ? "less 1, macro" : "less 1", "length");
    score_difference_head(output, count > 1, needed);
    for (size_t b = 1; b < table->setup->combinations; b++)
        for (size_t i = 0; i < findings->comparisons; i++) {
            const bipe_score_comparison *c = &findings->comparison[i];
            if (c->file != NULL || c->group != NULL || c->macro != macro || c->b != b)
                continue;
            table->only_bits = table->only_bits || (c->tokens == 0 && !isnan(c->bits.estimate.value));
            table_combination(table, b);
            bipe_output_printf(output, NULL, "%6" PRIu64, c->length);
            score_difference_row(output, table->setup, c, count > 1, needed);
        }
    table->corrected = table->corrected > count ? table->corrected : count;
}

/* What numbers are and are not. */
static void table_notes(bipe_score_table *table)
{
    bipe_output *output = table->output;
    bool several = table->setup->combinations > 1;
    if (several || table->documents || table->blocks)
        bipe_output_printf(output, NULL, "\n%s by bootstrap over ",
                           several ? "perplexity and its standard error," : "+/-: standard error");
    if (table->clusters > 0) {
        bipe_output_printf(output, NULL, "%zu clusters by ", table->clusters);
        bipe_output_name(output, table->setup->cluster, NULL);
    } else if (table->documents) {
        bipe_output_printf(output, NULL, "documents%s", table->blocks ? ", or " : "");
    }
    if (table->blocks && round(table->shortest) < round(table->longest))
        bipe_output_printf(output, NULL, "blocks of %.0f to %.0f tokens", table->shortest, table->longest);
    else if (table->blocks)
        bipe_output_printf(output, NULL, "blocks of %.0f token%s", table->longest,
                           round(table->longest) == 1 ? "" : "s");
    if (table->documents || table->blocks)
        bipe_output_write(output, "\n", 1, NULL);
    if (table->corrected > 1)
        bipe_output_printf(output, NULL, "Holm: p, corrected for %zu comparisons\n", table->corrected);
    if (table->setup->power != NULL) {
        char words[64];
        bipe_output_printf(output, NULL, "needed: %s for a difference of %s\n",
                           table->clusters > 0                  ? "clusters"
                           : table->documents && table->blocks  ? "documents, or blocks,"
                           : table->documents                   ? "documents"
                                                                : "blocks",
                           bipe_power_words(table->setup->power, words));
    }
    if (table->only_bits)
        bipe_output_printf(
            output, NULL,
            "tokenizers differ: bits per byte are compared, and intervals without nats/token are theirs\n");
    bool sliding = table->setup->rules.protocol == BIPE_PROTOCOL_SLIDING;
    if (table->mixed)
        bipe_output_printf(output, NULL, "lengths are not about the same tokens%s\n",
                           sliding ? "" : ": --common scores those that all have");
}

static void table_contrast(bipe_score_table *table, const bipe_score_findings *findings)
{
    bipe_output *output = table->output;
    bipe_output_printf(output, NULL,
                       "\nloss with the whole window less that with the last %" PRIu64 " tokens, nats a token\n",
                       table->setup->contrast);
    for (size_t r = 0; r < findings->rows; r++) {
        const bipe_score_row *row = &findings->row[r];
        if (row->group != NULL)
            continue;
        const bipe_score_subset *contrast = &row->subset[BIPE_SCORE_CONTRAST];
        table_combination(table, row->combination);
        if (contrast->losses.tokens == 0)
            bipe_output_printf(output, NULL, "%6" PRIu64 "          -  no token has a longer context\n", row->length);
        else
            bipe_output_printf(output, NULL, "%6" PRIu64 " %+10.4f +/- %.4f, %" PRIu64 " tokens\n", row->length,
                               bipe_losses_nll(&contrast->losses), contrast->error.estimate.error,
                               contrast->losses.tokens);
    }
}

/* Key tokens in all: how many, and LongPPL. */
static void table_key(bipe_score_table *table, const bipe_score_findings *findings)
{
    const bipe_score_key_setup *key = &table->setup->key;
    bipe_output *output = table->output;
    if (key->spans != NULL)
        bipe_output_printf(output, NULL, "\nperplexity over key tokens (LongPPL), those of ");
    else
        bipe_output_printf(output, NULL,
                           "\nperplexity over key tokens (LongPPL): loss with a context of %" PRIu64 " more than %g "
                           "above the loss, and that below %g, with ",
                           key->rule.context, key->rule.alpha, key->rule.beta);
    bipe_output_name(output, key->spans != NULL ? key->spans : key->from, NULL);
    bipe_output_printf(output, NULL, "\n%*s", NAME_COLUMNS, "");
    score_key_head(output);
    for (size_t r = 0; r < findings->rows; r++) {
        const bipe_score_row *row = &findings->row[r];
        if (row->group != NULL)
            continue;
        table_combination(table, row->combination);
        score_key_row(output, table->setup, row);
    }
}

static bool has_key_difference(const bipe_score_comparison *c)
{
    return c->file == NULL && c->group == NULL && c->key_tokens > 0;
}

/* Differences of the loss of key tokens in all; none where tokenizers differ. */
static void table_key_differences(bipe_score_table *table, const bipe_score_findings *findings)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->comparisons; i++)
        count += has_key_difference(&findings->comparison[i]);
    if (count == 0)
        return;
    bipe_output_printf(table->output, NULL, "\n%-*s", NAME_COLUMNS, "key tokens, less 1");
    score_key_difference_head(table->output, count > 1);
    for (size_t b = 1; b < table->setup->combinations; b++)
        for (size_t i = 0; i < findings->comparisons; i++) {
            const bipe_score_comparison *c = &findings->comparison[i];
            if (c->b != b || !has_key_difference(c))
                continue;
            table_combination(table, b);
            score_key_difference_row(table->output, table->setup, c, count > 1);
        }
    table->corrected = table->corrected > count ? table->corrected : count;
}

/* A number that may be very small. */
static void table_small(bipe_output *output, double value, int width, int digits)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, value != 0 && value < 100 ? "%#.*g" : "%.*g", digits, value);
    bipe_output_printf(output, NULL, " %*s", width, text);
}

/* Divergences in all from the first combination: a line for each of the others and each length. */
static void table_divergence(bipe_score_table *table, const bipe_score_findings *findings)
{
    bipe_output *output = table->output;
    bipe_output_printf(output, NULL, "\nKL divergence from 1, nats a token; change of probability; same first choice\n"
                                     "%7s %8s %7s %8s %8s %8s %8s %8s %7s\n",
                       "length", "mean", "+/-", "median", "99 %", "99.9 %", "largest", "rms", "same");
    for (size_t c = 1; c < table->setup->combinations; c++) {
        table_name(table, c, 0);
        bipe_output_write(output, "\n", 1, NULL);
        for (size_t r = 0; r < findings->rows; r++) {
            const bipe_score_row *row = &findings->row[r];
            if (row->group != NULL || row->combination != c)
                continue;
            const bipe_score_divergence_cells d = bipe_score_divergence_fill(&row->divergence);
            bipe_output_printf(output, NULL, "%7" PRIu64, row->length);
            table_small(output, d.mean, 8, 3);
            table_small(output, d.error.error, 7, 2);
            const double more[] = {d.median, d.p99, d.p99_9, d.largest, d.rms_change};
            for (size_t i = 0; i < sizeof more / sizeof *more; i++)
                table_small(output, more[i], 8, 3);
            bipe_output_printf(output, NULL, " %5.2f %%\n", 100 * d.same_choice);
        }
    }
}

/* The mean loss of a combination, or its divergence, by index, 0, 1, 2-3, 4-7, ...: a line a bin, a column a length. */
static void table_by(bipe_score_table *table, const bipe_score_findings *findings, size_t combination, bool divergence)
{
    const bipe_sizes *lengths = table->setup->lengths;
    bipe_output *output = table->output;
    size_t end = 0;
    bipe_output_printf(output, NULL, "\nmean %s (nats a token) by %s index, at each length\n",
                       divergence ? "KL divergence" : "loss", bipe_score_by_names[table->setup->by - 1]);
    if (table->setup->combinations > 1)
        table_combination(table, combination);
    bipe_output_printf(output, NULL, table->setup->combinations > 1 ? "\n%15s" : "%15s", "index");
    for (size_t i = 0; i < lengths->count; i++) {
        const bipe_score_row *row =
            find_row(findings->row, findings->rows, combination, lengths->value[i], NULL, false);
        if (row != NULL)
            bipe_output_printf(output, NULL, " %9" PRIu64, row->length);
        end = row != NULL && row->bins.count > end ? row->bins.count : end;
    }
    bipe_output_write(output, "\n", 1, NULL);
    for (size_t low = 0, high = 0; low < end; low = high + 1, high = 2 * low - 1) {
        char range[48];
        snprintf(range, sizeof range, low == high ? "%zu" : "%zu-%zu", low, high);
        bipe_output_printf(output, NULL, "%15s", range);
        for (size_t i = 0; i < lengths->count; i++) {
            const bipe_score_row *row =
                find_row(findings->row, findings->rows, combination, lengths->value[i], NULL, false);
            bipe_loss_bin sum = {0};
            const bipe_loss_bins *bins = row == NULL ? NULL : divergence ? &row->divergence.bins : &row->bins;
            for (size_t k = low; bins != NULL && k <= high && k < bins->count; k++)
                bipe_loss_bin_merge(&sum, &bins->bin[k]);
            if (bins != NULL && divergence)
                table_small(output, bipe_loss_bin_mean(&sum), 9, 3);
            else if (bins != NULL)
                table_number(output, bipe_loss_bin_mean(&sum), 9, 3);
        }
        bipe_output_write(output, "\n", 1, NULL);
    }
}

void bipe_score_table_end(bipe_score_table *table, const bipe_score_findings *findings)
{
    const bipe_score_setup *setup = table->setup;
    for (size_t r = 0; r < findings->rows; r++) { /* each group once */
        const char *group = findings->row[r].group;
        bool seen = group == NULL;
        for (size_t k = 0; k < r && !seen; k++)
            seen = findings->row[k].group == group;
        if (!seen)
            table_rows(table, group, findings->row, findings->rows, group, false);
    }
    if (setup->file_count > 1) /* with one file its rows have said it */
        table_rows(table, "total", findings->row, findings->rows, NULL, false);
    table_rows(table, "macro", findings->row, findings->rows, NULL, true);
    if (setup->combinations > 1) {
        table_comparisons(table, findings, false);
        table_comparisons(table, findings, true);
    }
    if (setup->contrast > 0)
        table_contrast(table, findings);
    if (setup->key.wanted) {
        table_key(table, findings);
        table_key_differences(table, findings);
    }
    for (size_t c = 0; c < setup->combinations && setup->by != BIPE_SCORE_BY_NONE; c++)
        table_by(table, findings, c, false);
    if (setup->divergence)
        table_divergence(table, findings);
    for (size_t c = 1; c < setup->combinations && setup->divergence && setup->by != BIPE_SCORE_BY_NONE; c++)
        table_by(table, findings, c, true);
    table_notes(table);
}
