/* score_table.c - the table of bipe-score for people: one combination with a row a length, or several side by side. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/label.h"
#include "tools/bipe_score.h"

/* A number for people in `width` columns: an exponent when it does not fit, "-" when there is none. */
static int table_number(bipe_output *output, double value, int width, int decimals, bipe_error *err)
{
    char text[64] = "-";
    if (!isnan(value) && (fabs(value) >= 1e9 || snprintf(text, sizeof text, "%.*f", decimals, value) > width))
        snprintf(text, sizeof text, "%.2e", value);
    return bipe_output_printf(output, err, " %*s", width, text);
}

/* The file's name, padded to the width of the column; characters are counted, not bytes. */
static int table_name(bipe_score_table *table, const char *name, bipe_error *err)
{
    size_t columns = bipe_label_columns(name), width = table->setup->file_width;
    int status = bipe_output_name(table->output, name, err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(table->output, err, "%*s", columns < width ? (int)(width - columns) : 0, "");
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

/* A scheme with its frequency scaling. */
static int table_scheme(bipe_output *output, const bipe_scheme *scheme, const bipe_rope_scaling *scaling, bipe_error *err)
{
    char text[256];
    int status = bipe_output_printf(output, err, "%s", bipe_scheme_format(scheme, text));
    if (status == BIPE_OK && scaling->kind != BIPE_SCALING_NONE)
        status = bipe_output_printf(output, err, ", rope scaling %s", bipe_rope_scaling_format(scaling, text));
    return status;
}

/* "scored as ...; trained as ..." where these are not the same. */
static int table_schemes(bipe_output *output, const bipe_score_combination *c, bipe_error *err)
{
    const bipe_hyperparameters *hp = c->hyperparameters;
    char own[256], trained[256];
    bool other = strcmp(bipe_scheme_format(&c->scheme, own), bipe_scheme_format(&hp->scheme, trained)) != 0 ||
                 strcmp(bipe_rope_scaling_format(&c->scaling, own), bipe_rope_scaling_format(&hp->rope_scaling, trained)) != 0;
    int status = other ? bipe_output_printf(output, err, "scored as ") : BIPE_OK;
    if (status == BIPE_OK)
        status = table_scheme(output, &c->scheme, &c->scaling, err);
    if (status == BIPE_OK && other)
        status = bipe_output_printf(output, err, "; trained as ");
    return status == BIPE_OK && other ? table_scheme(output, &hp->scheme, &hp->rope_scaling, err) : status;
}

static int table_model(bipe_output *output, const bipe_score_combination *c, bipe_error *err)
{
    char count[32];
    int status = bipe_output_name(output, c->model_name, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, " (");
    if (status == BIPE_OK)
        status = table_schemes(output, c, err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(output, err, ", %s parameters, trained at %" PRIu32 " tokens)\n",
                                                  count_words(c->hyperparameters->parameters, count), c->hyperparameters->train_length);
}

static int table_protocol(bipe_score_table *table, bipe_error *err)
{
    const bipe_score_setup *setup = table->setup;
    bipe_output *output = table->output;
    int status = bipe_output_printf(output, err, "protocol  %s, BOS %s%s%s%s%s", bipe_score_protocol_names[setup->protocol],
                                    bipe_score_bos_names[setup->bos], setup->count_bos ? ", BOS counted" : "",
                                    setup->tail ? ", with the tail" : "", setup->lines ? ", line by line" : "",
                                    setup->common ? ", common tokens" : "");
    if (status == BIPE_OK && setup->stride != 0)
        status = bipe_output_printf(output, err, ", stride %" PRIu64, setup->stride);
    else if (status == BIPE_OK && setup->protocol == BIPE_SCORE_SLIDING)
        status = bipe_output_printf(output, err, ", stride half a window");
    if (status == BIPE_OK && setup->last != 0)
        status = bipe_output_printf(output, err, ", last %" PRIu64 " tokens", setup->last);
    return status == BIPE_OK ? bipe_output_printf(output, err, ", %s\n\n", bipe_score_precision_names[setup->precision]) : status;
}

/* What stands before the numbers of a combination where there are several: "MODEL, SEGMENTER", in so many columns. */
enum { NAME_COLUMNS = 27, CELL_COLUMNS = 13 };

static int table_combination(bipe_score_table *table, size_t number, bipe_error *err)
{
    const bipe_score_combination *c = &table->setup->combination[number];
    char text[160];
    const char *slash = strrchr(c->model_name, '/');
    snprintf(text, sizeof text, "%zu %s, %s", number + 1, slash != NULL && slash[1] != '\0' ? slash + 1 : c->model_name, c->segmenter);
    size_t columns = bipe_label_columns(text);
    int status = bipe_output_name(table->output, text, err);
    if (status == BIPE_OK && columns > NAME_COLUMNS)
        status = bipe_output_printf(table->output, err, "\n%*s", NAME_COLUMNS, "");
    return status != BIPE_OK ? status
                             : bipe_output_printf(table->output, err, "%*s", columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 0, "");
}

int bipe_score_table_begin(bipe_score_table *table, bipe_error *err)
{
    const bipe_score_setup *setup = table->setup;
    bipe_output *output = table->output;
    int status = BIPE_OK;
    for (size_t i = 0; i < setup->combinations && status == BIPE_OK; i++) {
        if (i > 0 && setup->combination[i].model == setup->combination[i - 1].model)
            continue;
        status = bipe_output_printf(output, err, i == 0 ? "model     " : "          ");
        if (status == BIPE_OK)
            status = table_model(output, &setup->combination[i], err);
    }
    if (status == BIPE_OK && setup->combinations == 1) {
        status = bipe_output_printf(output, err, "segments  ");
        if (status == BIPE_OK)
            status = bipe_output_name(output, setup->combination[0].segmenter, err);
        if (status == BIPE_OK)
            status = bipe_output_write(output, "\n", 1, err);
    }
    if (status == BIPE_OK)
        status = table_protocol(table, err);
    if (status != BIPE_OK || setup->combinations > 1)
        return status;
    status = table_name(table, "file", err);
    return status != BIPE_OK ? status
                             : bipe_output_printf(output, err, " %7s %8s %9s %7s %9s %7s %9s %9s\n", "length", "windows",
                                                  "tokens", "nll", "ppl", "+/-", "bits/byte", "word ppl");
}

/* What the error of a row was found from, for the line below the table. */
static void note_error(bipe_score_table *table, const bipe_score_error *error)
{
    if (error->estimate.units < 2)
        return;
    table->documents = table->documents || !error->blocks;
    if (!error->blocks)
        return;
    table->shortest = !table->blocks || error->block < table->shortest ? error->block : table->shortest;
    table->longest = !table->blocks || error->block > table->longest ? error->block : table->longest;
    table->blocks = true;
}

static int table_row(bipe_score_table *table, const bipe_score_row *row, const char *name, bipe_error *err)
{
    const bipe_losses *losses = &row->losses;
    const struct {
        double value;
        int width, decimals;
    } columns[] = { { bipe_losses_nll(losses), 7, 4 }, { bipe_losses_perplexity(losses), 9, 2 },
                    { bipe_losses_perplexity(losses) * row->error.estimate.error, 7, 2 }, { bipe_losses_bits_per_byte(losses), 9, 4 },
                    { bipe_losses_word_perplexity(losses), 9, 1 } };
    bipe_output *output = table->output;
    int status = table_name(table, name, err);
    note_error(table, &row->error);
    if (status == BIPE_OK && row->group == NULL)
        status = bipe_output_printf(output, err, " %7" PRIu64 " %8" PRIu64 " %9" PRIu64, row->length, losses->windows, losses->tokens);
    else if (status == BIPE_OK)
        status = bipe_output_printf(output, err, " %7" PRIu64 " %8s %9" PRIu64, row->length, "", losses->tokens);
    for (size_t c = 0; status == BIPE_OK && c < sizeof columns / sizeof columns[0]; c++)
        status = table_number(output, columns[c].value, columns[c].width, columns[c].decimals, err);
    return status == BIPE_OK ? bipe_output_write(output, "\n", 1, err) : status;
}

/* Rows of all combinations of a file, a group or all, lengths side by side: perplexity and its error. row: (lengths * combinations). macro: of
 * the means of files or groups. */
static int table_side(bipe_score_table *table, const char *name, const bipe_score_row *row, bool macro, bipe_error *err)
{
    const bipe_score_setup *setup = table->setup;
    bipe_output *output = table->output;
    size_t combinations = setup->combinations, lengths = setup->lengths->count;
    size_t columns = bipe_label_columns(name);
    int status = bipe_output_name(output, name, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, "%*s", columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 1, "");
    for (size_t i = 0; i < lengths && status == BIPE_OK; i++) {
        bool some = false;
        for (size_t c = 0; c < combinations; c++)
            some = some || row[i * combinations + c].length > 0;
        status = some ? bipe_output_printf(output, err, "%*" PRIu64, CELL_COLUMNS, setup->lengths->value[i]) : BIPE_OK;
    }
    if (status == BIPE_OK)
        status = bipe_output_write(output, "\n", 1, err);
    for (size_t c = 0; c < combinations && status == BIPE_OK; c++) {
        status = table_combination(table, c, err);
        for (size_t i = 0; i < lengths && status == BIPE_OK; i++) {
            const bipe_score_row *one = &row[i * combinations + c];
            double ppl = macro ? exp(one->macro.value) : bipe_losses_perplexity(&one->losses);
            double error = ppl * (macro ? one->macro.error : one->error.estimate.error);
            if (one->length == 0)
                continue;
            if (!macro)
                note_error(table, &one->error);
            status = table_number(output, ppl, 7, 2, err);
            if (status == BIPE_OK)
                status = table_number(output, error, 4, error < 9.95 ? 2 : 0, err);
        }
        if (status == BIPE_OK)
            status = bipe_output_write(output, "\n", 1, err);
    }
    return status;
}

int bipe_score_table_file(bipe_score_table *table, const bipe_score_row *row, bipe_error *err)
{
    size_t combinations = table->setup->combinations, lengths = table->setup->lengths->count;
    const bipe_score_row *first = NULL;
    int status = BIPE_OK;
    for (size_t i = 0; i < lengths && status == BIPE_OK; i++) {
        const bipe_score_row *one = &row[i * combinations];
        if (one->length > 0 && first != NULL)
            table->mixed = table->mixed || one->losses.tokens != first->losses.tokens || one->losses.bytes != first->losses.bytes;
        first = one->length > 0 && first == NULL ? one : first;
        if (combinations == 1 && one->length > 0)
            status = table_row(table, one, one->file, err);
    }
    const char *name = NULL;
    for (size_t i = 0; i < lengths * combinations; i++)
        name = row[i].length > 0 ? row[i].file : name;
    return combinations > 1 && name != NULL && status == BIPE_OK ? table_side(table, name, row, false, err) : status;
}

/* Comparisons in all, or macro: a line each. */
static int table_comparisons(bipe_score_table *table, const bipe_score_findings *findings, bool macro, bipe_error *err)
{
    bipe_output *output = table->output;
    bool some = !macro;
    for (size_t i = 0; i < findings->comparisons; i++)
        some = some || findings->comparison[i].macro;
    if (!some)
        return BIPE_OK;
    int status = bipe_output_printf(output, err, "\n%-*s%6s %10s  %18s %6s %9s\n", NAME_COLUMNS, macro ? "less 1, macro" : "less 1", "length",
                                    "nats/token", "95 % interval", "p", "bits/byte");
    for (size_t b = 1; b < table->setup->combinations; b++)
        for (size_t i = 0; i < findings->comparisons && status == BIPE_OK; i++) {
            const bipe_score_comparison *c = &findings->comparison[i];
            if (c->file != NULL || c->group != NULL || c->macro != macro || c->b != b)
                continue;
            const bipe_estimate *e = c->tokens > 0 ? &c->nats.estimate : &c->bits.estimate;
            char value[32] = "-", interval[64] = "-", p[32] = "-";
            table->only_bits = table->only_bits || (c->tokens == 0 && !isnan(e->value));
            if (c->tokens > 0)
                snprintf(value, sizeof value, "%+.4f", e->value);
            if (!isnan(e->low))
                snprintf(interval, sizeof interval, "[%+.4f, %+.4f]", e->low, e->high);
            if (!isnan(e->p))
                snprintf(p, sizeof p, e->p < 0.0015 ? "<.002" : "%.3f", e->p);
            status = table_combination(table, b, err);
            if (status == BIPE_OK)
                status = bipe_output_printf(output, err, "%6" PRIu64 " %10s  %18s %6s %+9.4f\n", c->length, value, interval, p,
                                            c->bits.estimate.value);
        }
    return status;
}

/* What numbers are and are not. */
static int table_notes(bipe_score_table *table, bipe_error *err)
{
    bipe_output *output = table->output;
    int status = BIPE_OK;
    if (table->setup->combinations > 1)
        status = bipe_output_printf(output, err, "\nperplexity and its standard error, by bootstrap over ");
    else if (table->documents || table->blocks)
        status = bipe_output_printf(output, err, "\n+/-: standard error by bootstrap over ");
    if (status == BIPE_OK && table->documents)
        status = bipe_output_printf(output, err, "documents%s", table->blocks ? ", or " : "");
    if (status == BIPE_OK && table->blocks)
        status = round(table->shortest) < round(table->longest)
                     ? bipe_output_printf(output, err, "blocks of %.0f to %.0f tokens", table->shortest, table->longest)
                     : bipe_output_printf(output, err, "blocks of %.0f tokens", table->longest);
    if (status == BIPE_OK && (table->documents || table->blocks))
        status = bipe_output_write(output, "\n", 1, err);
    if (status == BIPE_OK && table->only_bits)
        status = bipe_output_printf(output, err, "tokenizers differ: bits per byte are compared, and intervals without nats/token are theirs\n");
    if (status == BIPE_OK && table->mixed)
        status = bipe_output_printf(output, err, "lengths are not about the same tokens%s\n",
                                    table->setup->protocol == BIPE_SCORE_SLIDING ? "" : ": --common scores those that all have");
    return status;
}

static int table_contrast(bipe_score_table *table, const bipe_score_findings *findings, bipe_error *err)
{
    int status = bipe_output_printf(table->output, err, "\nloss with the whole window less that with the last %" PRIu64 " tokens, nats a token\n",
                                    table->setup->contrast);
    for (size_t r = 0; r < findings->rows && status == BIPE_OK; r++) {
        const bipe_score_row *row = &findings->row[r];
        const bipe_estimate *e = &row->contrast_error.estimate;
        if (row->group != NULL)
            continue;
        status = table_combination(table, row->combination, err);
        if (status == BIPE_OK && row->contrast.tokens == 0)
            status = bipe_output_printf(table->output, err, "%6" PRIu64 "          -  no token has a longer context\n", row->length);
        else if (status == BIPE_OK)
            status = bipe_output_printf(table->output, err, "%6" PRIu64 " %+10.4f +/- %.4f, %" PRIu64 " tokens\n", row->length,
                                        bipe_losses_nll(&row->contrast), e->error, row->contrast.tokens);
    }
    return status;
}

/* The mean of files or groups that weigh the same. */
static int table_macro(bipe_score_table *table, const bipe_score_row *row, bipe_error *err)
{
    int status = table_name(table, "macro", err);
    if (status == BIPE_OK)
        status = bipe_output_printf(table->output, err, " %7" PRIu64 " %8s %9s", row->length, "", "");
    if (status == BIPE_OK)
        status = table_number(table->output, row->macro.value, 7, 4, err);
    if (status == BIPE_OK)
        status = table_number(table->output, exp(row->macro.value), 9, 2, err);
    if (status == BIPE_OK)
        status = table_number(table->output, exp(row->macro.value) * row->macro.error, 7, 2, err);
    return status == BIPE_OK ? bipe_output_write(table->output, "\n", 1, err) : status;
}

/* Rows of a group, of all (group NULL), or of means of files or groups. */
static int table_pick(bipe_score_table *table, const bipe_score_findings *findings, const char *group, bool macro, bipe_error *err)
{
    size_t combinations = table->setup->combinations, lengths = table->setup->lengths->count;
    const char *name = macro ? "macro" : group == NULL ? "total" : group;
    bipe_score_row *row = bipe_alloc(lengths * combinations, sizeof *row);
    int status = row == NULL ? bipe_fail_memory(err) : BIPE_OK;
    bool some = false;
    for (size_t r = 0; r < findings->rows && status == BIPE_OK; r++) {
        const bipe_score_row *one = &findings->row[r];
        if ((group == NULL ? one->group != NULL : one->group == NULL || strcmp(one->group, group) != 0) || (macro && one->macro.units < 2))
            continue;
        for (size_t i = 0; i < lengths; i++)
            if (table->setup->lengths->value[i] == one->length)
                row[i * combinations + one->combination] = *one;
        some = true;
        if (combinations == 1)
            status = macro ? table_macro(table, one, err) : table_row(table, one, name, err);
    }
    if (status == BIPE_OK && combinations > 1 && some)
        status = table_side(table, name, row, macro, err);
    bipe_free(row);
    return status;
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

/* The mean loss of a combination by index: a line a bin, a column a length. */
static int table_by(bipe_score_table *table, const bipe_score_findings *findings, size_t combination, bipe_error *err)
{
    bipe_output *output = table->output;
    int last = -1;
    size_t count = 0;
    bipe_score_row *total = bipe_alloc(findings->rows, sizeof *total);
    if (total == NULL)
        return bipe_fail_memory(err);
    for (size_t r = 0; r < findings->rows; r++)
        if (findings->row[r].group == NULL && findings->row[r].combination == combination)
            total[count++] = findings->row[r];
    for (size_t r = 0; r < count; r++)
        if (total[r].bins.count > 0 && table_bin(total[r].bins.count - 1) > last)
            last = table_bin(total[r].bins.count - 1);
    int status = bipe_output_printf(output, err, "\nmean loss (nats a token) by %s index, at each length\n",
                                    bipe_score_by_names[table->setup->by - 1]);
    if (status == BIPE_OK && table->setup->combinations > 1)
        status = table_combination(table, combination, err);
    if (status == BIPE_OK)
        status = bipe_output_printf(output, err, table->setup->combinations > 1 ? "\n%15s" : "%15s", "index");
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
    bipe_free(total);
    return status;
}

int bipe_score_table_end(bipe_score_table *table, const bipe_score_findings *findings, bipe_error *err)
{
    const bipe_score_setup *setup = table->setup;
    int status = BIPE_OK;
    for (size_t r = 0; r < findings->rows && status == BIPE_OK; r++) { /* each group once */
        const bipe_score_row *row = &findings->row[r];
        bool seen = row->group == NULL;
        for (size_t k = 0; k < r && !seen; k++)
            seen = findings->row[k].group != NULL && strcmp(findings->row[k].group, row->group) == 0;
        if (!seen)
            status = table_pick(table, findings, row->group, false, err);
    }
    if (status == BIPE_OK && setup->file_count > 1) /* with one file its rows have said it */
        status = table_pick(table, findings, NULL, false, err);
    if (status == BIPE_OK)
        status = table_pick(table, findings, NULL, true, err);
    if (status == BIPE_OK && setup->combinations > 1)
        status = table_comparisons(table, findings, false, err);
    if (status == BIPE_OK && setup->combinations > 1)
        status = table_comparisons(table, findings, true, err);
    if (status == BIPE_OK && setup->contrast > 0)
        status = table_contrast(table, findings, err);
    for (size_t c = 0; c < setup->combinations && setup->by != BIPE_SCORE_BY_NONE && status == BIPE_OK; c++)
        status = table_by(table, findings, c, err);
    return status == BIPE_OK ? table_notes(table, err) : status;
}
