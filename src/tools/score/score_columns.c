/* score_columns.c - the tables of columns of bipe-score, and their values; see score_columns.h. A further column is a
 * member of the struct, its value and a row of the table. */
#include "cli/power.h"
#include "tools/score/score_columns.h"

#include <assert.h>
#include <math.h>

enum { METHOD = 96, SCHEME = 256 };

/* The values of a row. */
typedef struct score_cells {
    const char *model, *segmenter, *file, *group, *method, *scheme, *protocol, *bos, *by, *contrast_method, *key_method;
    uint64_t length, windows, tokens, bytes, stride, macro_of, contrast_context, contrast_tokens, key_tokens, index;
    double nll, sum, ppl, ppl_error, bits_per_byte, word_ppl, byte_ppl, macro_ppl, contrast_nll, p;
    double key_share, key_nll, longppl, longppl_error;
    bipe_estimate error, macro, contrast, key, nats, bits, key_nats; /* the last three: of a comparison */
    bipe_score_divergence_cells divergence;
    char method_text[METHOD], contrast_text[METHOD], key_text[METHOD], scheme_text[SCHEME];
} score_cells;

static_assert(offsetof(bipe_estimate, high) == offsetof(bipe_estimate, low) + sizeof(double), "an interval is a pair");

#define CELL(type, field, ...) BIPE_COLUMN(score_cells, type, field, __VA_ARGS__)
#define NAMED(type, field) BIPE_COLUMN_NAMED(score_cells, type, field)

static const bipe_column columns[] = {
    NAMED(TEXT, model),
    NAMED(TEXT, segmenter),
    CELL(TEXT, file, .member = "file", .name = "file", .absent = "total"),
    CELL(TEXT, group, .member = "group", .optional = true),
    NAMED(UINT, length),
    CELL(UINT, windows, .member = "windows", .name = "windows", .optional = true),
    NAMED(UINT, tokens),
    NAMED(UINT, bytes),
    NAMED(NUMBER, nll),
    CELL(NUMBER, sum, .member = "nll_sum", .name = "nll_sum"),
    NAMED(NUMBER, ppl),
    CELL(NUMBER, ppl_error, .member = "ppl_stderr", .name = "ppl_stderr"),
    NAMED(NUMBER, bits_per_byte),
    NAMED(NUMBER, word_ppl),
    NAMED(NUMBER, byte_ppl),
    CELL(NUMBER, error.error, .member = "stderr", .name = "stderr"),
    CELL(PAIR, error.low, .member = "interval", .name = "low,high"),
    NAMED(TEXT, method),
    NAMED(TEXT, scheme),
    NAMED(TEXT, protocol),
    NAMED(UINT, stride),
    NAMED(TEXT, bos),
    CELL(UINT, macro_of, .member = "macro.of", .optional = true),
    CELL(NUMBER, macro.value, .member = "macro.nll"),
    CELL(NUMBER, macro_ppl, .member = "macro.ppl"),
    CELL(NUMBER, macro.error, .member = "macro.stderr"),
    CELL(PAIR, macro.low, .member = "macro.interval"),
    CELL(UINT, contrast_context, .member = "contrast.context", .optional = true),
    CELL(UINT, contrast_tokens, .member = "contrast.tokens"),
    CELL(NUMBER, contrast_nll, .member = "contrast.nll_difference"),
    CELL(NUMBER, contrast.error, .member = "contrast.stderr"),
    CELL(PAIR, contrast.low, .member = "contrast.interval"),
    CELL(NUMBER, contrast.p, .member = "contrast.p"),
    CELL(TEXT, contrast_method, .member = "contrast.method"),
    CELL(TEXT, group, .name = "group"),
    CELL(NUMBER, nats.value, .name = "nll_difference"),
    CELL(NUMBER, nats.error, .name = "difference_stderr"),
    CELL(PAIR, nats.low, .name = "difference_low,difference_high"),
    CELL(NUMBER, p, .name = "p"),
    CELL(NUMBER, bits.value, .name = "bits_per_byte_difference"),
    CELL(PAIR, bits.low, .name = "bits_per_byte_difference_low,bits_per_byte_difference_high"),
    CELL(TEXT, by, .name = "by"),
    CELL(UINT, index, .name = "index"),
    /* with --key-tokens */
    CELL(UINT, key_tokens, .member = "key.tokens", .name = "key_tokens", .optional = true),
    CELL(NUMBER, key_share, .member = "key.share", .name = "key_share"),
    CELL(NUMBER, key_nll, .member = "key.nll", .name = "key_nll"),
    CELL(NUMBER, longppl, .member = "key.longppl", .name = "longppl"),
    CELL(NUMBER, longppl_error, .member = "key.longppl_stderr", .name = "longppl_stderr"),
    CELL(NUMBER, key.error, .member = "key.stderr", .name = "key_stderr"),
    CELL(PAIR, key.low, .member = "key.interval", .name = "key_low,key_high"),
    CELL(TEXT, key_method, .member = "key.method", .name = "key_method"),
    CELL(NUMBER, key_nats.value, .name = "key_nll_difference"),
    CELL(PAIR, key_nats.low, .name = "key_difference_low,key_difference_high"),
    CELL(NUMBER, key_nats.p, .name = "key_p"),
    /* with --divergence */
    CELL(NUMBER, divergence.mean, .member = "divergence.mean", .name = "divergence", .optional = true),
    CELL(NUMBER, divergence.error.error, .member = "divergence.stderr", .name = "divergence_stderr"),
    CELL(PAIR, divergence.error.low, .member = "divergence.interval", .name = "divergence_low,divergence_high"),
    CELL(NUMBER, divergence.median, .member = "divergence.median", .name = "divergence_median"),
    CELL(NUMBER, divergence.p90, .member = "divergence.p90", .name = "divergence_p90"),
    CELL(NUMBER, divergence.p95, .member = "divergence.p95", .name = "divergence_p95"),
    CELL(NUMBER, divergence.p99, .member = "divergence.p99", .name = "divergence_p99"),
    CELL(NUMBER, divergence.p99_9, .member = "divergence.p99_9", .name = "divergence_p99_9"),
    CELL(NUMBER, divergence.largest, .member = "divergence.largest", .name = "divergence_largest"),
    CELL(NUMBER, divergence.rms_change, .member = "divergence.rms_change", .name = "divergence_rms_change"),
    CELL(NUMBER, divergence.same_choice, .member = "divergence.same_choice", .name = "divergence_same_choice"),
};

/* Of the table; of a mean of means the first MACRO_COLUMNS. */
static const bipe_column table_columns[] = {
    CELL(UINT, length, .heading = "length", .width = 7),
    CELL(UINT, windows, .heading = "windows", .width = 8),
    CELL(UINT, tokens, .heading = "tokens", .width = 9),
    CELL(NUMBER, nll, .heading = "nll", .width = 7, .decimals = 4),
    CELL(NUMBER, ppl, .heading = "ppl", .width = 9, .decimals = 2),
    CELL(NUMBER, ppl_error, .heading = "+/-", .width = 7, .decimals = 2),
    CELL(NUMBER, bits_per_byte, .heading = "bits/byte", .width = 9, .decimals = 4),
    CELL(NUMBER, word_ppl, .heading = "word ppl", .width = 9, .decimals = 1),
};

static const bipe_column key_columns[] = {
    CELL(UINT, length, .heading = "length", .width = 6),
    CELL(UINT, key_tokens, .heading = "key", .width = 9),
    CELL(NUMBER, key_share, .heading = "share", .width = 8, .decimals = 2, .form = BIPE_CELL_PERCENT),
    CELL(NUMBER, key_nll, .heading = "nll", .width = 9, .decimals = 4),
    CELL(NUMBER, longppl, .heading = "LongPPL", .width = 9, .decimals = 3),
    CELL(NUMBER, longppl_error, .heading = "+/-", .width = 7, .decimals = 3),
};

enum { COLUMNS = BIPE_COUNT_OF(columns), TABLE_COLUMNS = BIPE_COUNT_OF(table_columns), MACRO_COLUMNS = 6 };
enum { DIVERGENCE_COLUMNS = 11, MORE_COLUMNS = 11 + DIVERGENCE_COLUMNS }; /* the last; of key tokens before them */

static const bipe_estimate no_estimate = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

/* The columns of a run. */
static size_t choose_columns(const bipe_score_setup *setup, bipe_column chosen[COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        bool divergence = i >= COLUMNS - DIVERGENCE_COLUMNS, key = !divergence && i >= COLUMNS - MORE_COLUMNS;
        if ((setup->divergence || !divergence) && (setup->key.wanted || !key))
            chosen[count++] = columns[i];
    }
    return count;
}

static void fill_losses(score_cells *c, const bipe_losses *losses)
{
    c->tokens = losses->tokens;
    c->bytes = losses->bytes;
    c->nll = bipe_losses_nll(losses);
    c->sum = bipe_losses_sum(losses);
    c->ppl = bipe_losses_perplexity(losses);
    c->bits_per_byte = bipe_losses_bits_per_byte(losses);
    c->word_ppl = bipe_losses_word_perplexity(losses);
    c->byte_ppl = exp2(c->bits_per_byte);
}

/* What the row is of, and how it was scored. */
static void fill_place(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row)
{
    const bipe_score_combination *combination = &setup->combination[row->combination];
    uint64_t stride = bipe_protocol_stride(&setup->rules, row->length);
    c->model = combination->model_name;
    c->segmenter = combination->segmenter;
    c->file = row->file;
    c->group = row->group;
    c->length = row->length;
    c->windows = row->group == NULL ? row->losses.windows : BIPE_NO_UINT;
    c->scheme = bipe_scheme_format(&combination->scheme, c->scheme_text);
    c->protocol = bipe_protocol_names[setup->rules.protocol];
    c->bos = bipe_bos_names[setup->rules.bos];
    c->stride = stride > 0 ? stride : BIPE_NO_UINT;
}

static void fill_error(score_cells *c, const bipe_estimate *e)
{
    c->error = *e;
    c->ppl_error = c->ppl * e->error;
}

static void fill_comparison(score_cells *c, const bipe_score_comparison *comparison)
{
    bool nats = comparison != NULL && comparison->tokens > 0;
    c->bits = comparison != NULL ? comparison->bits.estimate : no_estimate;
    c->nats = nats ? comparison->nats.estimate : no_estimate;
    c->key_nats = comparison != NULL ? comparison->key.estimate : no_estimate;
    c->p = nats ? c->nats.p : c->bits.p;
}

/* cells is used in place: texts of it point into it. */
static void fill_cells(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row,
                       const bipe_score_comparison *comparison)
{
    *c = (score_cells){.index = BIPE_NO_UINT, .macro = row->macro};
    fill_place(c, setup, row);
    fill_losses(c, &row->losses);
    fill_error(c, &row->error.estimate);
    fill_comparison(c, comparison);
    c->method = bipe_loss_method(&row->error, c->method_text);
    c->macro_of = row->macro.units > 1 ? row->macro.units : BIPE_NO_UINT;
    c->macro_ppl = exp(row->macro.value);
    c->contrast_context = setup->contrast > 0 && row->group == NULL ? setup->contrast : BIPE_NO_UINT;
    const bipe_score_subset *contrast = &row->subset[BIPE_SCORE_CONTRAST], *key = &row->subset[BIPE_SCORE_KEY];
    c->contrast_tokens = contrast->losses.tokens;
    c->contrast_nll = bipe_losses_nll(&contrast->losses);
    c->contrast = contrast->error.estimate;
    c->contrast_method = bipe_loss_method(&contrast->error, c->contrast_text);
    c->key_tokens = setup->key.wanted ? key->losses.tokens : BIPE_NO_UINT;
    c->key_share = row->losses.tokens > 0 ? (double)key->losses.tokens / (double)row->losses.tokens : (double)NAN;
    c->key_nll = bipe_losses_nll(&key->losses);
    c->longppl = bipe_losses_perplexity(&key->losses);
    c->key = key->losses.tokens > 0 ? key->error.estimate : no_estimate;
    c->longppl_error = c->longppl * c->key.error;
    c->key_method = key->losses.tokens > 0 ? bipe_loss_method(&key->error, c->key_text) : NULL;
    c->divergence = bipe_score_divergence_fill(&row->divergence);
}

/* Of one index of --by alone. */
static void fill_bin(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row, size_t index)
{
    const bipe_loss_bin *bin = &row->bins.bin[index];
    *c = (score_cells){.by = bipe_score_by_names[setup->by - 1], .index = index};
    fill_place(c, setup, row);
    fill_losses(c, &(bipe_losses){.tokens = bin->tokens, .bytes = bin->bytes, .sum = bin->sum});
    fill_error(c, &no_estimate);
    fill_comparison(c, NULL);
    c->divergence = bipe_score_divergence_fill(&(bipe_score_divergence){0});
    if (index < row->divergence.bins.count)
        c->divergence.mean = bipe_loss_bin_mean(&row->divergence.bins.bin[index]);
    c->windows = c->key_tokens = BIPE_NO_UINT;
    c->byte_ppl = c->key_share = c->key_nll = c->longppl = c->longppl_error = (double)NAN; /* of whole rows */
    c->key = no_estimate;
}

void score_row_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_row *row)
{
    score_cells cells;
    bipe_column chosen[COLUMNS];
    size_t count = choose_columns(setup, chosen);
    fill_cells(&cells, setup, row, NULL);
    bipe_columns_json(json, chosen, count, &cells);
}

void score_csv_head(bipe_output *output, const bipe_score_setup *setup)
{
    bipe_column chosen[COLUMNS];
    bipe_columns_head(output, chosen, choose_columns(setup, chosen), ',');
}

void score_row_csv(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row,
                   const bipe_score_comparison *comparison)
{
    score_cells cells;
    bipe_column chosen[COLUMNS];
    size_t count = choose_columns(setup, chosen);
    fill_cells(&cells, setup, row, comparison);
    bipe_columns_line(output, chosen, count, ',', &cells);
    for (size_t i = 0; i < row->bins.count; i++) {
        if (row->bins.bin[i].tokens == 0)
            continue;
        fill_bin(&cells, setup, row, i);
        bipe_columns_line(output, chosen, count, ',', &cells);
    }
}

void score_table_head(bipe_output *output)
{
    bipe_columns_table_head(output, table_columns, TABLE_COLUMNS);
    bipe_output_write(output, "\n", 1, NULL);
}

void score_table_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row, bool macro)
{
    score_cells cells;
    fill_cells(&cells, setup, row, NULL);
    if (macro) {
        cells.windows = cells.tokens = BIPE_NO_UINT;
        cells.nll = row->macro.value;
        cells.ppl = cells.macro_ppl;
        fill_error(&cells, &row->macro);
    }
    bipe_columns_table(output, table_columns, macro ? MACRO_COLUMNS : TABLE_COLUMNS, &cells);
    bipe_output_write(output, "\n", 1, NULL);
}

void score_key_head(bipe_output *output)
{
    bipe_columns_table_head(output, key_columns, BIPE_COUNT_OF(key_columns));
    bipe_output_write(output, "\n", 1, NULL);
}

void score_key_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_row *row)
{
    score_cells cells;
    fill_cells(&cells, setup, row, NULL);
    bipe_columns_table(output, key_columns, BIPE_COUNT_OF(key_columns), &cells);
    bipe_output_write(output, "\n", 1, NULL);
}

/* ---- comparisons ---- */

typedef struct comparison_cells {
    const char *file, *group, *model[2], *segmenter[2], *method, *key_method;
    bool macro;
    uint64_t length, tokens, needed, key_tokens;
    double nats, p_holm, key_holm;
    bipe_estimate error, bits, key;
    char text[METHOD], key_text[METHOD];
} comparison_cells;

#define COMPARISON(type, field, ...) BIPE_COLUMN(comparison_cells, type, field, __VA_ARGS__)

static const bipe_column comparison_columns[] = {
    COMPARISON(TEXT, file, .member = "file"),
    COMPARISON(TEXT, group, .member = "group", .optional = true),
    COMPARISON(BOOL, macro, .member = "macro", .optional = true),
    COMPARISON(UINT, length, .member = "length"),
    COMPARISON(TEXT, model[0], .member = "a.model"),
    COMPARISON(TEXT, segmenter[0], .member = "a.segmenter"),
    COMPARISON(TEXT, model[1], .member = "b.model"),
    COMPARISON(TEXT, segmenter[1], .member = "b.segmenter"),
    COMPARISON(UINT, tokens, .member = "tokens"),
    COMPARISON(NUMBER, nats, .member = "nll_difference"),
    COMPARISON(NUMBER, bits.value, .member = "bits_per_byte_difference"),
    COMPARISON(NUMBER, error.error, .member = "stderr"),
    COMPARISON(PAIR, error.low, .member = "interval"),
    COMPARISON(PAIR, bits.low, .member = "bits_per_byte_interval"),
    COMPARISON(NUMBER, error.p, .member = "p"),
    COMPARISON(NUMBER, p_holm, .member = "p_holm"),
    COMPARISON(TEXT, method, .member = "method"),
    /* with --key-tokens, where they can be compared */
    COMPARISON(UINT, key_tokens, .member = "key.tokens", .optional = true),
    COMPARISON(NUMBER, key.value, .member = "key.nll_difference"),
    COMPARISON(NUMBER, key.error, .member = "key.stderr"),
    COMPARISON(PAIR, key.low, .member = "key.interval"),
    COMPARISON(NUMBER, key.p, .member = "key.p"),
    COMPARISON(NUMBER, key_holm, .member = "key.p_holm"),
    COMPARISON(TEXT, key_method, .member = "key.method"),
    COMPARISON(UINT, needed, .member = "needed"), /* with --power */
};
static const bipe_column key_difference_columns[] = {
    COMPARISON(UINT, length, .heading = "length", .width = 6),
    COMPARISON(UINT, key_tokens, .heading = "key", .width = 9),
    COMPARISON(NUMBER, key.value, .heading = "nats/token", .width = 11, .decimals = 4, .form = BIPE_CELL_SIGNED),
    COMPARISON(PAIR, key.low, .heading = "95 % interval", .width = 19, .decimals = 4, .form = BIPE_CELL_SIGNED),
    COMPARISON(NUMBER, key.p, .heading = "p", .width = 6, .form = BIPE_CELL_P),
    COMPARISON(NUMBER, key_holm, .heading = "Holm", .width = 6, .form = BIPE_CELL_P),
};

/* Of the table: with Holm where there are several, and needed with --power. */
static const bipe_column difference_columns[] = {
    COMPARISON(NUMBER, nats, .heading = "nats/token", .width = 10, .decimals = 4, .form = BIPE_CELL_SIGNED),
    COMPARISON(PAIR, error.low, .heading = "95 % interval", .width = 19, .decimals = 4, .form = BIPE_CELL_SIGNED),
    COMPARISON(NUMBER, error.p, .heading = "p", .width = 6, .form = BIPE_CELL_P),
    COMPARISON(NUMBER, p_holm, .heading = "Holm", .width = 6, .form = BIPE_CELL_P),
    COMPARISON(NUMBER, bits.value, .heading = "bits/byte", .width = 9, .decimals = 4, .form = BIPE_CELL_SIGNED),
    COMPARISON(UINT, needed, .heading = "needed", .width = 9, .absent = "-"),
};

enum { DIFFERENCE_COLUMNS = BIPE_COUNT_OF(difference_columns), HOLM_COLUMN = 3, NEEDED_COLUMN = 5 };

/* Errors are of the difference in nats a token, or in bits a byte where that alone can be compared. cells is used in
 * place: texts of it point into it. */
static void fill_comparison_cells(comparison_cells *cells, const bipe_score_setup *setup,
                                  const bipe_score_comparison *c)
{
    const bipe_score_combination *a = &setup->combination[0], *b = &setup->combination[c->b];
    const bipe_loss_error *error = c->tokens > 0 ? &c->nats : &c->bits;
    *cells = (comparison_cells){
        .file = c->file, .group = c->group, .macro = c->macro, .length = c->length,
        .model = {a->model_name, b->model_name}, .segmenter = {a->segmenter, b->segmenter},
        .tokens = c->tokens > 0 ? c->tokens : BIPE_NO_UINT,
        .nats = c->tokens > 0 ? c->nats.estimate.value : (double)NAN,
        .error = error->estimate, .bits = c->bits.estimate,
        .p_holm = c->p_holm,
        .key_tokens = c->key_tokens > 0 ? c->key_tokens : BIPE_NO_UINT, .key = c->key.estimate,
        .key_holm = c->key_holm,
        .needed = c->macro ? BIPE_NO_UINT : bipe_power_needed(setup->power, &error->estimate),
    };
    cells->key_method = c->key_tokens > 0 ? bipe_loss_method(&c->key, cells->key_text) : NULL;
    cells->method = c->macro ? "mean of means, errors of each added up" : bipe_loss_method(error, cells->text);
}

void score_comparison_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_comparison *c)
{
    comparison_cells cells;
    fill_comparison_cells(&cells, setup, c);
    bipe_json_begin_object(json);
    bipe_columns_json(json, comparison_columns,
                      BIPE_COUNT_OF(comparison_columns) - (setup->power == NULL || c->macro), &cells);
    bipe_json_end_object(json);
}

void score_key_difference_head(bipe_output *output, bool several)
{
    bipe_columns_table_head(output, key_difference_columns, BIPE_COUNT_OF(key_difference_columns) - !several);
    bipe_output_write(output, "\n", 1, NULL);
}

void score_key_difference_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_comparison *c,
                              bool several)
{
    comparison_cells cells;
    fill_comparison_cells(&cells, setup, c);
    bipe_columns_table(output, key_difference_columns, BIPE_COUNT_OF(key_difference_columns) - !several, &cells);
    bipe_output_write(output, "\n", 1, NULL);
}

static size_t choose_differences(bipe_column chosen[DIFFERENCE_COLUMNS], bool several, bool needed)
{
    size_t count = 0;
    for (size_t i = 0; i < DIFFERENCE_COLUMNS; i++)
        if ((several || i != HOLM_COLUMN) && (needed || i != NEEDED_COLUMN))
            chosen[count++] = difference_columns[i];
    return count;
}

void score_difference_head(bipe_output *output, bool several, bool needed)
{
    bipe_column chosen[DIFFERENCE_COLUMNS];
    bipe_columns_table_head(output, chosen, choose_differences(chosen, several, needed));
    bipe_output_write(output, "\n", 1, NULL);
}

void score_difference_row(bipe_output *output, const bipe_score_setup *setup, const bipe_score_comparison *c,
                          bool several, bool needed)
{
    comparison_cells cells;
    bipe_column chosen[DIFFERENCE_COLUMNS];
    size_t count = choose_differences(chosen, several, needed);
    fill_comparison_cells(&cells, setup, c);
    bipe_columns_table(output, chosen, count, &cells);
    bipe_output_write(output, "\n", 1, NULL);
}
