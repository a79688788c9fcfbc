/* score_parts.c - parts of rows as members of JSON and as fields of journals; see score_parts.h. */
#include "tools/score/score_parts.h"

#include "cli/tool_alloc.h"

#define PART(type, field, ...) BIPE_COLUMN(score_part, type, field, __VA_ARGS__)

const bipe_column score_part_columns[SCORE_PART_COLUMNS] = {
    PART(UINT, file, .member = "sums.file"),
    PART(UINT, combination, .member = "sums.combination"),
    PART(HASH, hash, .member = "sums.text"),
    PART(UINT, text_tokens, .member = "sums.text_tokens"),
    PART(UINT, words, .member = "sums.words"),
    PART(SUM, sum, .member = "sums.nll"),
    PART(UINT, length, .member = "length"),
    PART(UINT, windows, .member = "windows"),
    PART(UINT, tokens, .member = "tokens"),
    PART(UINT, bytes, .member = "bytes"),
};

void score_part_fill(score_part *part, const bipe_score_row *row)
{
    const bipe_losses *losses = &row->losses;
    *part = (score_part){
        .combination = row->combination, .hash = row->text.hash, .text_tokens = row->text.tokens, .length = row->length,
        .windows = losses->windows, .tokens = losses->tokens, .bytes = losses->bytes, .words = losses->words,
        .sum = losses->sum,
    };
}

void score_part_take(const score_part *part, bipe_score_row *row)
{
    row->combination = (size_t)part->combination;
    row->text = (bipe_score_text){.hash = part->hash, .tokens = part->text_tokens};
    row->length = part->length;
    row->losses = (bipe_losses){
        .windows = part->windows, .tokens = part->tokens, .bytes = part->bytes, .words = part->words, .sum = part->sum,
    };
}

/* ---- bins ---- */

typedef struct part_bin {
    uint64_t index;
    bipe_loss_bin losses;
} part_bin;

enum { BIN_COLUMNS = 4, BINS_MOST = 1 << 24 };

static const bipe_column bin_columns[BIN_COLUMNS] = {
    BIPE_COLUMN(part_bin, UINT, index),
    BIPE_COLUMN(part_bin, UINT, losses.tokens),
    BIPE_COLUMN(part_bin, UINT, losses.bytes),
    BIPE_COLUMN(part_bin, SUM, losses.sum),
};

/* The first bin with tokens from that index on; false: there is none. */
static bool next_bin(const bipe_loss_bins *bins, uint64_t from, part_bin *bin)
{
    while (from < bins->count && bins->bin[from].tokens == 0)
        from++;
    if (from < bins->count)
        *bin = (part_bin){from, bins->bin[from]};
    return from < bins->count;
}

/* Adds a bin. False: there can be no such bin. */
static bool take_bin(bipe_loss_bins *bins, const part_bin *bin, uint64_t most)
{
    bipe_error err;
    if (bin->index >= most || bin->losses.tokens == 0)
        return false;
    bipe_tool_need_done(bipe_loss_bins_add(bins, (size_t)bin->index, 0, 0, &err));
    bipe_loss_bin *to = &bins->bin[bin->index];
    to->tokens += bin->losses.tokens - 1;
    to->bytes += bin->losses.bytes;
    to->sum = bipe_exact_add(to->sum, bin->losses.sum);
    return true;
}

void score_bins_json(bipe_json *json, const char *key, const bipe_loss_bins *bins)
{
    bipe_json_key_flat_array(json, key);
    for (part_bin bin = {0}; next_bin(bins, bin.index, &bin); bin.index++)
        bipe_columns_json_list(json, bin_columns, BIN_COLUMNS, &bin);
    bipe_json_end_array(json);
}

void score_bins_load(bipe_result *r, const char *key, const json_t *list, uint64_t most, bipe_loss_bins *bins)
{
    for (size_t i = 0; i < json_array_size(list) && r->status == BIPE_OK; i++) {
        part_bin bin;
        bool good = bipe_columns_read_list(json_array_get(list, i), bin_columns, BIN_COLUMNS, &bin);
        bipe_result_expect(r, good && take_bin(bins, &bin, most), key,
                           "lists of an index, tokens, bytes and their exact sum");
    }
}

void score_bins_journal(bipe_output *line, const bipe_loss_bins *bins)
{
    size_t listed = 0;
    for (part_bin bin = {0}; next_bin(bins, bin.index, &bin); bin.index++)
        listed++;
    bipe_output_printf(line, NULL, " %zu %zu", bins->count, listed);
    for (part_bin bin = {0}; next_bin(bins, bin.index, &bin); bin.index++)
        bipe_columns_journal(line, bin_columns, BIN_COLUMNS, &bin);
}

void score_bins_fields(bipe_fields *f, bipe_loss_bins *bins)
{
    uint64_t count = bipe_field_uint(f, 10), listed = bipe_field_uint(f, 10);
    f->bad = f->bad || count > BINS_MOST;
    for (uint64_t i = 0; i < listed && !f->bad; i++) {
        part_bin bin;
        bipe_columns_fields(f, bin_columns, BIN_COLUMNS, &bin);
        f->bad = f->bad || !take_bin(bins, &bin, count);
    }
}
