/* score_columns.c - the tables of columns of bipe-score, and their values; see score_columns.h. */
#include "tools/score/score_columns.h"

#include <math.h>

#define CELL(type, field, ...) BIPE_COLUMN(score_cells, type, field, __VA_ARGS__)

const bipe_column score_columns[SCORE_COLUMNS] = {
    CELL(TEXT, model, .member = "model", .name = "model"),
    CELL(TEXT, segmenter, .member = "segmenter", .name = "segmenter"),
    CELL(TEXT, file, .member = "file", .name = "file", .absent = "total"),
    CELL(TEXT, group, .member = "group", .optional = true),
    CELL(UINT, length, .member = "length", .name = "length"),
    CELL(UINT, windows, .member = "windows", .name = "windows", .optional = true),
    CELL(UINT, tokens, .member = "tokens", .name = "tokens"),
    CELL(UINT, bytes, .member = "bytes", .name = "bytes"),
    CELL(NUMBER, nll, .member = "nll", .name = "nll"),
    CELL(NUMBER, sum, .member = "nll_sum", .name = "nll_sum"),
    CELL(NUMBER, ppl, .member = "ppl", .name = "ppl"),
    CELL(NUMBER, ppl_error, .member = "ppl_stderr", .name = "ppl_stderr"),
    CELL(NUMBER, bits, .member = "bits_per_byte", .name = "bits_per_byte"),
    CELL(NUMBER, word_ppl, .member = "word_ppl", .name = "word_ppl"),
    CELL(NUMBER, byte_ppl, .member = "byte_ppl", .name = "byte_ppl"),
    CELL(NUMBER, error, .member = "stderr", .name = "stderr"),
    CELL(PAIR, interval, .member = "interval", .name = "low,high"),
    CELL(TEXT, method, .member = "method", .name = "method"),
    CELL(TEXT, scheme, .member = "scheme", .name = "scheme"),
    CELL(TEXT, protocol, .member = "protocol", .name = "protocol"),
    CELL(UINT, stride, .member = "stride", .name = "stride"),
    CELL(TEXT, bos, .member = "bos", .name = "bos"),
    CELL(UINT, macro_of, .member = "macro.of", .optional = true),
    CELL(NUMBER, macro_nll, .member = "macro.nll"),
    CELL(NUMBER, macro_ppl, .member = "macro.ppl"),
    CELL(NUMBER, macro_error, .member = "macro.stderr"),
    CELL(PAIR, macro_interval, .member = "macro.interval"),
    CELL(UINT, contrast_context, .member = "contrast.context", .optional = true),
    CELL(UINT, contrast_tokens, .member = "contrast.tokens"),
    CELL(NUMBER, contrast, .member = "contrast.nll_difference"),
    CELL(NUMBER, contrast_error, .member = "contrast.stderr"),
    CELL(PAIR, contrast_interval, .member = "contrast.interval"),
    CELL(NUMBER, contrast_p, .member = "contrast.p"),
    CELL(TEXT, contrast_method, .member = "contrast.method"),
    CELL(TEXT, group, .name = "group"),
    CELL(NUMBER, difference, .name = "nll_difference"),
    CELL(NUMBER, difference_error, .name = "difference_stderr"),
    CELL(PAIR, difference_interval, .name = "difference_low,difference_high"),
    CELL(NUMBER, p, .name = "p"),
    CELL(NUMBER, bits_difference, .name = "bits_per_byte_difference"),
    CELL(PAIR, bits_interval, .name = "bits_per_byte_difference_low,bits_per_byte_difference_high"),
    CELL(TEXT, by, .name = "by"),
    CELL(UINT, index, .name = "index"),
};

const bipe_column score_table_columns[SCORE_TABLE_COLUMNS] = {
    CELL(UINT, length, .heading = "length", .width = 7),
    CELL(UINT, windows, .heading = "windows", .width = 8),
    CELL(UINT, tokens, .heading = "tokens", .width = 9),
    CELL(NUMBER, nll, .heading = "nll", .width = 7, .decimals = 4),
    CELL(NUMBER, ppl, .heading = "ppl", .width = 9, .decimals = 2),
    CELL(NUMBER, ppl_error, .heading = "+/-", .width = 7, .decimals = 2),
    CELL(NUMBER, bits, .heading = "bits/byte", .width = 9, .decimals = 4),
    CELL(NUMBER, word_ppl, .heading = "word ppl", .width = 9, .decimals = 1),
};

static void set_pair(double pair[2], const bipe_estimate *e)
{
    pair[0] = e->low;
    pair[1] = e->high;
}

static const bipe_estimate no_estimate = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

static void fill_losses(score_cells *c, const bipe_losses *losses)
{
    c->tokens = losses->tokens;
    c->bytes = losses->bytes;
    c->nll = bipe_losses_nll(losses);
    c->sum = bipe_losses_sum(losses);
    c->ppl = bipe_losses_perplexity(losses);
    c->bits = bipe_losses_bits_per_byte(losses);
    c->word_ppl = bipe_losses_word_perplexity(losses);
    c->byte_ppl = exp2(c->bits);
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
    c->ppl_error = c->ppl * e->error;
    c->error = e->error;
    set_pair(c->interval, e);
}

static void fill_comparison(score_cells *c, const bipe_score_comparison *comparison)
{
    const bipe_estimate *bits = comparison != NULL ? &comparison->bits.estimate : &no_estimate;
    const bipe_estimate *nats = comparison != NULL && comparison->tokens > 0 ? &comparison->nats.estimate : &no_estimate;
    c->difference = nats->value;
    c->difference_error = nats->error;
    set_pair(c->difference_interval, nats);
    c->p = nats == &no_estimate ? bits->p : nats->p;
    c->bits_difference = bits->value;
    set_pair(c->bits_interval, bits);
}

static void fill_macro(score_cells *c, const bipe_estimate *macro)
{
    c->macro_of = macro->units > 1 ? macro->units : BIPE_NO_UINT;
    c->macro_nll = macro->value;
    c->macro_ppl = exp(macro->value);
    c->macro_error = macro->error;
    set_pair(c->macro_interval, macro);
}

static void fill_contrast(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row)
{
    const bipe_estimate *e = &row->contrast_error.estimate;
    c->contrast_context = setup->contrast > 0 && row->group == NULL ? setup->contrast : BIPE_NO_UINT;
    c->contrast_tokens = row->contrast.tokens;
    c->contrast = bipe_losses_nll(&row->contrast);
    c->contrast_error = e->error;
    set_pair(c->contrast_interval, e);
    c->contrast_p = e->p;
    c->contrast_method = bipe_loss_method(&row->contrast_error, c->contrast_text);
}

void score_cells_fill(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row,
                      const bipe_score_comparison *comparison)
{
    *c = (score_cells){.index = BIPE_NO_UINT};
    fill_place(c, setup, row);
    fill_losses(c, &row->losses);
    fill_error(c, &row->error.estimate);
    c->method = bipe_loss_method(&row->error, c->method_text);
    fill_macro(c, &row->macro);
    fill_contrast(c, setup, row);
    fill_comparison(c, comparison);
}

void score_cells_of_bin(score_cells *c, const bipe_score_setup *setup, const bipe_score_row *row, size_t index)
{
    const bipe_loss_bin *bin = &row->bins.bin[index];
    *c = (score_cells){.by = bipe_score_by_names[setup->by - 1], .index = index};
    fill_place(c, setup, row);
    fill_losses(c, &(bipe_losses){.tokens = bin->tokens, .bytes = bin->bytes, .sum = bin->sum});
    fill_error(c, &no_estimate);
    fill_comparison(c, NULL);
    c->windows = BIPE_NO_UINT;
    c->byte_ppl = (double)NAN; /* of whole rows */
}

void score_cells_of_macro(score_cells *c, const bipe_score_row *row)
{
    c->windows = c->tokens = BIPE_NO_UINT;
    c->nll = row->macro.value;
    c->ppl = exp(c->nll);
    fill_error(c, &row->macro);
}

/* ---- comparisons ---- */

typedef struct comparison_cells {
    const char *file, *group, *model[2], *segmenter[2], *method;
    bool macro;
    uint64_t length, tokens;
    double nats, bits, error, interval[2], bits_interval[2], p;
    char text[SCORE_METHOD];
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
    COMPARISON(NUMBER, bits, .member = "bits_per_byte_difference"),
    COMPARISON(NUMBER, error, .member = "stderr"),
    COMPARISON(PAIR, interval, .member = "interval"),
    COMPARISON(PAIR, bits_interval, .member = "bits_per_byte_interval"),
    COMPARISON(NUMBER, p, .member = "p"),
    COMPARISON(TEXT, method, .member = "method"),
};

/* Errors are of the difference in nats a token, or in bits a byte where that alone can be compared. */
void score_comparison_json(bipe_json *json, const bipe_score_setup *setup, const bipe_score_comparison *c)
{
    const bipe_score_combination *a = &setup->combination[0], *b = &setup->combination[c->b];
    const bipe_loss_error *error = c->tokens > 0 ? &c->nats : &c->bits;
    comparison_cells cells = {
        .file = c->file, .group = c->group, .macro = c->macro, .length = c->length,
        .model = {a->model_name, b->model_name}, .segmenter = {a->segmenter, b->segmenter},
        .tokens = c->tokens > 0 ? c->tokens : BIPE_NO_UINT, .nats = c->tokens > 0 ? c->nats.estimate.value : (double)NAN,
        .bits = c->bits.estimate.value, .error = error->estimate.error, .p = error->estimate.p,
    };
    set_pair(cells.interval, &error->estimate);
    set_pair(cells.bits_interval, &c->bits.estimate);
    cells.method = c->macro ? "mean of means, errors of each added up" : bipe_loss_method(error, cells.text);
    bipe_json_begin_object(json);
    bipe_columns_json(json, comparison_columns, BIPE_COUNT_OF(comparison_columns), &cells);
    bipe_json_end_object(json);
}
