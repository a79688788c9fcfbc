/* score_merge.c - reads results of shards from JSON and adds them up to the report of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/bipe_score.h"
#include "tools/result_file.h"
#include "tools/stats_shards.h"

enum { WHERE_SIZE = 64, LENGTH_MOST = 1 << 24, FILES_MOST = 1 << 30, UNITS_MOST = 1 << 24 };

/* A file of the run that has rows: its number, rows and units. */
typedef struct merged_file {
    uint64_t number;
    bipe_score_row *row;          /* (lengths * combinations) */
    bipe_score_layout layout;
} merged_file;

typedef struct merging {
    json_t *first;                /* the first result: texts of setup and rows are in it */
    bipe_score_setup setup;
    bipe_hyperparameters *hyperparameters; /* (setup.combinations) */
    bipe_sizes lengths;
    merged_file *file;            /* [files] */
    size_t files, file_capacity;
    size_t rows;                  /* of each shard */
    bipe_group_names groups;
    bipe_score_work work;
} merging;

/* ---- a result ---- */

static int load_combination(bipe_score_combination *c, bipe_hyperparameters *hp, const json_t *model, bipe_error *err)
{
    const char *scheme, *trained, *scaling = NULL;
    const json_t *bos_id = json_object_get(model, "bos_id");
    uint64_t train_length, text;
    int status = bipe_result_members(model, "combinations.", (const bipe_result_member[]){
        BIPE_MEMBER("model", TEXT, &c->model_name), BIPE_MEMBER("path", TEXT, &c->model_path),
        BIPE_MEMBER("scheme", TEXT, &scheme), BIPE_MEMBER("trained_scheme", TEXT, &trained),
        BIPE_MEMBER("rope_scaling", TEXT, &scaling, .optional = true), BIPE_MEMBER("parameters", UINT, &hp->parameters),
        BIPE_MEMBER("train_length", UINT, &train_length, .most = UINT32_MAX, .expected = "a number below 2^32"),
        BIPE_MEMBER("tokenizer", TEXT, &c->tokenizer), BIPE_MEMBER("segmenter", TEXT, &c->segmenter),
        BIPE_MEMBER("text", UINT, &text), BIPE_MEMBER("shared_prefixes", BOOL, &c->shared), {0}}, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&c->scheme, scheme, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&hp->scheme, trained, err);
    if (status == BIPE_OK && scaling != NULL && strcmp(scaling, "factors") == 0)
        c->scaling.kind = BIPE_SCALING_FACTORS;
    else if (status == BIPE_OK && scaling != NULL)
        status = bipe_rope_scaling_parse(&c->scaling, scaling, err);
    if (status != BIPE_OK)
        return status;
    hp->train_length = (uint32_t)train_length;
    hp->rope_scaling = c->scaling;
    c->text = (size_t)text;
    c->hyperparameters = hp;
    c->bos_id = json_is_integer(bos_id) ? json_integer_value(bos_id) : BIPE_NO_TOKEN;
    return BIPE_OK;
}

static int load_combinations(merging *m, const json_t *list, bipe_error *err)
{
    size_t count = json_array_size(list);
    if (count == 0)
        return bipe_result_wrong(err, "", "combinations", "a list of models with segmenters");
    m->setup.combination = bipe_alloc(count, sizeof *m->setup.combination);
    m->hyperparameters = bipe_alloc(count, sizeof *m->hyperparameters);
    if (m->setup.combination == NULL || m->hyperparameters == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bipe_score_combination *c = &m->setup.combination[i];
        status = load_combination(c, &m->hyperparameters[i], json_array_get(list, i), err);
        for (size_t k = 0; k < i && status == BIPE_OK; k++) /* the same model is shown once */
            if (strcmp(m->setup.combination[k].model_name, c->model_name) == 0)
                c->model = m->setup.combination[k].model;
            else if (c->model <= m->setup.combination[k].model)
                c->model = m->setup.combination[k].model + 1;
        m->setup.combinations++;
    }
    return status;
}

static int load_lengths(merging *m, const json_t *list, bipe_error *err)
{
    size_t count = json_array_size(list);
    m->lengths.value = bipe_alloc(count, sizeof *m->lengths.value);
    if (m->lengths.value == NULL)
        return bipe_fail_memory(err);
    for (; m->lengths.count < count; m->lengths.count++) {
        json_int_t length = json_integer_value(json_array_get(list, m->lengths.count));
        if (length < 2 || length > LENGTH_MOST)
            return bipe_result_wrong(err, "shard.", "lengths", "lengths of at most 2^24");
        m->lengths.value[m->lengths.count] = (uint64_t)length;
    }
    m->setup.lengths = &m->lengths;
    return count > 0 ? BIPE_OK : bipe_result_wrong(err, "shard.", "lengths", "a list of lengths");
}

/* All but rows, from the first result: others of the same run say the same. */
static int load_setup(merging *m, const json_t *root, bipe_error *err)
{
    bipe_score_setup *setup = &m->setup;
    const json_t *combinations, *lengths, *first = json_array_get(json_object_get(root, "results"), 0);
    int precision, bos, name, pack, index = -1;
    uint64_t files;
    int status = bipe_result_members(root, "", (const bipe_result_member[]){
        BIPE_MEMBER("combinations", LIST, &combinations, .expected = "a list of models with segmenters"),
        BIPE_MEMBER("shard.lengths", LIST, &lengths, .expected = "a list of lengths"),
        BIPE_MEMBER("protocol.name", WORD, &name, .words = bipe_score_protocol_names),
        BIPE_MEMBER("protocol.bos", WORD, &bos, .words = bipe_score_bos_names),
        BIPE_MEMBER("protocol.pack", WORD, &pack, .words = bipe_score_pack_names), BIPE_MEMBER("protocol.count_bos", BOOL, &setup->count_bos),
        BIPE_MEMBER("protocol.stride", UINT, &setup->stride, .optional = true), BIPE_MEMBER("protocol.last", UINT, &setup->last, .optional = true),
        BIPE_MEMBER("protocol.tail", BOOL, &setup->tail), BIPE_MEMBER("protocol.common", BOOL, &setup->common),
        BIPE_MEMBER("protocol.seed", UINT, &setup->seed), BIPE_MEMBER("protocol.loss_after", TEXT, &setup->loss_after, .optional = true),
        BIPE_MEMBER("protocol.group", TEXT, &setup->group, .optional = true),
        BIPE_MEMBER("precision", WORD, &precision, .words = bipe_precision_words),
        BIPE_MEMBER("shard.files", UINT, &files, .most = FILES_MOST, .expected = "a number of files"), {0}}, err);
    if (status == BIPE_OK && json_object_get(first, "by") != NULL)
        status = bipe_result_members(first, "", (const bipe_result_member[]){
            BIPE_MEMBER("by.index", WORD, &index, .words = bipe_score_by_names), {0}}, err);
    if (status == BIPE_OK)
        status = load_combinations(m, combinations, err);
    if (status == BIPE_OK)
        status = load_lengths(m, lengths, err);
    if (status != BIPE_OK)
        return status;
    setup->protocol = (bipe_score_protocol)name;
    setup->bos = (bipe_score_bos)bos;
    setup->lines = pack == 1;
    setup->precision = (bipe_precision)precision;
    setup->by = (bipe_score_by)(index + 1);
    setup->file_count = (size_t)files;
    return BIPE_OK;
}

static int load_bins(bipe_loss_bins *bins, const json_t *list, uint64_t most, const char *where, const char *key, bipe_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *four = json_array_get(list, i);
        const char *text = json_string_value(json_array_get(four, 3));
        uint64_t index, tokens, bytes;
        bipe_exact sum;
        if (json_array_size(four) != 4 || !bipe_result_number(json_array_get(four, 0), &index) || index >= most ||
            !bipe_result_number(json_array_get(four, 1), &tokens) || tokens == 0 || !bipe_result_number(json_array_get(four, 2), &bytes) ||
            text == NULL || !bipe_exact_parse(&sum, text))
            return bipe_result_wrong(err, where, key, "lists of an index, tokens, bytes and their exact sum");
        int status = bipe_loss_bins_add(bins, (size_t)index, 0, 0, err);
        if (status != BIPE_OK)
            return status;
        bipe_loss_bin *bin = &bins->bin[index];
        bin->tokens += tokens - 1;
        bin->bytes += bytes;
        bin->sum = bipe_exact_add(bin->sum, sum);
    }
    return BIPE_OK;
}

static int load_layout(merging *m, bipe_score_layout *layout, const json_t *row, const char *where, bipe_error *err)
{
    const json_t *first, *groups;
    uint64_t documents = 0;
    int status = bipe_result_members(row, where, (const bipe_result_member[]){
        BIPE_MEMBER("sums.documents", UINT, &documents), BIPE_MEMBER("sums.bundle", UINT, &layout->bundle),
        BIPE_MEMBER("sums.cell", UINT, &layout->cell), BIPE_MEMBER("sums.first", LIST, &first), BIPE_MEMBER("sums.groups", LIST, &groups), {0}}, err);
    bool cells = layout->bundle == 0;
    if (status == BIPE_OK && (documents > UNITS_MOST || (cells ? documents >= BIPE_SCORE_DOCUMENTS : documents < BIPE_SCORE_DOCUMENTS)))
        status = bipe_result_wrong(err, where, "sums.documents", "fewer documents where there are cells than without");
    layout->documents = (size_t)documents;
    if (status == BIPE_OK && cells) {
        layout->first = bipe_alloc(layout->documents + 1, sizeof *layout->first);
        if (layout->first == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i <= layout->documents && status == BIPE_OK; i++) {
            uint64_t unit;
            if (!bipe_result_number(json_array_get(first, i), &unit) || unit > UNITS_MOST || (i == 0 ? unit > 0 : unit < layout->first[i - 1]) ||
                json_array_size(first) != documents + 1)
                status = bipe_result_wrong(err, where, "sums.first", "the first cell of each document");
            layout->first[i] = unit;
        }
    }
    if (status == BIPE_OK && m->setup.group != NULL) {
        layout->group = bipe_alloc(layout->documents, sizeof *layout->group);
        if (layout->group == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < layout->documents && status == BIPE_OK; i++) {
            const char *name = json_string_value(json_array_get(groups, i));
            status = name == NULL ? bipe_result_wrong(err, where, "sums.groups", "the group of each document")
                                  : bipe_group_find(&m->groups, name, m->setup.group, &layout->group[i], err);
        }
    }
    return status;
}

/* The file of a row, of which there is memory for its rows. Files too short for every length have none, and are not there. */
static int find_file(merging *m, uint64_t number, const json_t *row, const char *where, merged_file **file, bipe_error *err)
{
    size_t low = 0, high = m->files;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->file[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < m->files && m->file[low].number == number) {
        *file = &m->file[low];
        return BIPE_OK;
    }
    if (low < m->files || number >= m->setup.file_count)
        return bipe_result_wrong(err, where, "sums.file", "files in their order");
    if (bipe_grow(&m->file, &m->file_capacity, m->files + 1, sizeof *m->file) != 0)
        return bipe_fail_memory(err);
    merged_file *made = *file = &m->file[low];
    *made = (merged_file){.number = number, .row = bipe_alloc(m->setup.combinations * m->lengths.count, sizeof *made->row)};
    if (made->row == NULL)
        return bipe_fail_memory(err);
    m->files++;
    return load_layout(m, &made->layout, row, where, err);
}

/* A row of results, and the one that is kept for its file, combination and length. */
static int load_row(merging *m, bipe_score_row *row, bipe_score_row **kept, const json_t *object, const char *where, bipe_error *err)
{
    const json_t *by, *units;
    char hash[BIPE_RESULT_HASH_SIZE];
    uint64_t number, combination;
    merged_file *file = NULL;
    size_t length = 0;
    bipe_losses *losses = &row->losses;
    if (json_object_get(object, "sums") == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "not a result of --shard");
    int status = bipe_result_members(object, where, (const bipe_result_member[]){
        BIPE_MEMBER("file", TEXT, &row->file), BIPE_MEMBER("length", UINT, &row->length), BIPE_MEMBER("windows", UINT, &losses->windows),
        BIPE_MEMBER("tokens", UINT, &losses->tokens), BIPE_MEMBER("bytes", UINT, &losses->bytes), BIPE_MEMBER("sums.file", UINT, &number),
        BIPE_MEMBER("sums.combination", UINT, &combination), BIPE_MEMBER("sums.text", HASH, hash),
        BIPE_MEMBER("sums.text_tokens", UINT, &row->text.tokens), BIPE_MEMBER("sums.words", UINT, &losses->words),
        BIPE_MEMBER("sums.nll", SUM, &losses->sum), BIPE_MEMBER("sums.by", LIST, &by), BIPE_MEMBER("sums.units", LIST, &units), {0}}, err);
    while (status == BIPE_OK && length < m->lengths.count && m->lengths.value[length] != row->length)
        length++;
    if (status == BIPE_OK && (combination >= m->setup.combinations || length == m->lengths.count))
        status = bipe_result_wrong(err, where, "length", "a length and a combination of the run");
    if (status == BIPE_OK)
        status = find_file(m, number, object, where, &file, err);
    if (status != BIPE_OK)
        return status;
    row->combination = (size_t)combination;
    row->text.hash = strtoull(hash, NULL, 16);
    *kept = &file->row[length * m->setup.combinations + row->combination];
    const bipe_score_layout *layout = &file->layout;
    uint64_t most = layout->bundle > 0 ? layout->documents : layout->first[layout->documents];
    status = load_bins(&row->bins, by, row->length, where, "sums.by", err);
    return status == BIPE_OK ? load_bins(&row->units, units, most, where, "sums.units", err) : status;
}

/* Rows of the first result are kept, those of the others are added to them. */
static int take_rows(merging *m, const json_t *results, bool first, bipe_error *err)
{
    size_t count = json_array_size(results);
    if (!json_is_array(results) || (!first && count != m->rows))
        return bipe_result_wrong(err, "", "results", "as many as in the files before");
    m->rows = count;
    for (size_t i = 0; i < count; i++) {
        char where[WHERE_SIZE];
        const json_t *object = json_array_get(results, i);
        bipe_score_row row = {0}, *kept = NULL;
        snprintf(where, sizeof where, "results[%zu].", i);
        int status = load_row(m, &row, &kept, object, where, err);
        if (status == BIPE_OK && first && kept->length == 0) {
            *kept = row;
            continue;
        }
        if (status == BIPE_OK && (first || kept->length == 0 || strcmp(row.file, kept->file) != 0))
            status = bipe_result_wrong(err, where, "file", "the file and the length that are there in the files before");
        if (status == BIPE_OK && (row.text.hash != kept->text.hash || row.text.tokens != kept->text.tokens))
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%sfile: %s had another text than for the shards before", where, row.file);
        if (status == BIPE_OK)
            status = bipe_score_row_merge(kept, &row, err);
        bipe_score_row_free(&row);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int take_result(void *context, json_t *root, bool first, bipe_error *err)
{
    merging *m = context;
    bool complete;
    uint64_t all, computed;
    if (first)
        m->first = json_incref(root);
    int status = first ? load_setup(m, root, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = take_rows(m, json_object_get(root, "results"), first, err);
    if (status == BIPE_OK)
        status = bipe_result_members(root, "", (const bipe_result_member[]){
            BIPE_MEMBER("work.tokens", UINT, &all), BIPE_MEMBER("work.computed", UINT, &computed), BIPE_MEMBER("complete", BOOL, &complete), {0}}, err);
    if (status != BIPE_OK)
        return status;
    m->work.all += all;
    m->work.computed += computed;
    return complete ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "the shard is not complete: something could not be scored");
}

/* ---- the report of the whole run ---- */

/* A file with no row was too short for every length, which makes no shard incomplete. */
static void report_short(const merging *m, bipe_tool *tool)
{
    size_t some = m->files, all = m->setup.file_count;
    bipe_error err;
    if (some < all) {
        bipe_fail(&err, BIPE_ERR_LIMIT, "%zu of %zu files %s left out, too short for every length", all - some, all,
                  all - some == 1 ? "is" : "are");
        bipe_tool_error(tool, &err);
    }
}

static int report_merged(merging *m, bipe_score_format format, bipe_output *output, bipe_error *err)
{
    bipe_score_report *report = NULL;
    bipe_score_widen(&m->setup, "total");
    for (size_t f = 0; f < m->files; f++)
        for (size_t i = 0; i < m->setup.combinations * m->lengths.count; i++)
            if (m->file[f].row[i].file != NULL)
                bipe_score_widen(&m->setup, m->file[f].row[i].file);
    int status = bipe_score_report_open(&report, format, &m->setup, &m->groups, output, err);
    for (size_t f = 0; f < m->files && status == BIPE_OK; f++)
        status = bipe_score_report_file(report, m->file[f].row, &m->file[f].layout, err);
    if (status == BIPE_OK)
        status = bipe_score_report_end(report, &m->work, true, err);
    bipe_score_report_close(report);
    return status;
}

static void free_merging(merging *m)
{
    for (size_t f = 0; f < m->files; f++) {
        for (size_t i = 0; i < m->setup.combinations * m->lengths.count && m->file[f].row != NULL; i++)
            bipe_score_row_free(&m->file[f].row[i]);
        bipe_free(m->file[f].row);
        bipe_score_layout_free(&m->file[f].layout);
    }
    bipe_group_names_free(&m->groups);
    bipe_free(m->file);
    bipe_free(m->setup.combination);
    bipe_free(m->hyperparameters);
    bipe_sizes_free(&m->lengths);
    json_decref(m->first);
}

int bipe_score_merge(bipe_tool *tool, bipe_files files, bipe_score_format format, const char *path)
{
    merging m = { 0 };
    bipe_error err = { 0 };
    bipe_output *output = NULL;
    int status = stats_shards_gather(files, "bipe-score --shard --json", take_result, &m, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    if (status == BIPE_OK)
        status = report_merged(&m, format, output, &err);
    if (status == BIPE_OK)
        report_short(&m, tool);
    bipe_tool_end(tool, status, &output, &err);
    free_merging(&m);
    return tool->status;
}
