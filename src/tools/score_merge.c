/* score_merge.c - reads results of shards from JSON and adds them up to the report of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "config.h"
#include "text/label.h"
#include "tools/bipe_score.h"
#include "tools/result_file.h"
#include "tools/stats_shards.h"

enum { WHERE_SIZE = 64, LENGTH_MOST = 1 << 24, FILES_MOST = 1 << 30, UNITS_MOST = 1 << 24 };

/* A file of the run: its rows and units. */
typedef struct merged_file {
    bipe_score_row *row;          /* (lengths * combinations) */
    bipe_score_layout layout;
} merged_file;

typedef struct merging {
    json_t *first;                /* the first result: texts of setup and rows are in it */
    bipe_score_setup setup;
    bipe_hyperparameters *hyperparameters; /* (setup.combinations) */
    bipe_sizes lengths;
    stats_shards shards;          /* of one run */
    merged_file *file;            /* [files] */
    size_t files, file_capacity;
    size_t rows;                  /* of each shard */
    bipe_group_names groups;
    bipe_score_findings findings;
    bipe_score_work work;
    bool complete;
} merging;

/* ---- reading JSON ---- */

static int get_bool(const json_t *object, const char *where, const char *key, bool *value, bipe_error *err)
{
    const json_t *member = json_object_get(object, key);
    *value = json_is_true(member);
    return json_is_boolean(member) ? BIPE_OK : bipe_result_wrong(err, where, key, "true or false");
}

static int get_choice(const json_t *object, const char *where, const char *key, const char *const *choices, int *value, bipe_error *err)
{
    const char *text = json_string_value(json_object_get(object, key));
    for (*value = 0; text != NULL && choices[*value] != NULL; ++*value)
        if (strcmp(choices[*value], text) == 0)
            return BIPE_OK;
    return bipe_result_wrong(err, where, key, "a word that bipe-score knows");
}

static int get_sum(const json_t *value, const char *where, const char *key, bipe_exact *sum, bipe_error *err)
{
    const char *text = json_string_value(value);
    return text != NULL && bipe_exact_parse(sum, text) ? BIPE_OK : bipe_result_wrong(err, where, key, "an exact sum");
}

/* ---- a result ---- */

static int load_combination(bipe_score_combination *c, bipe_hyperparameters *hp, const json_t *model, bipe_error *err)
{
    static const char where[] = "combinations.";
    const char *scheme, *trained, *scaling = json_string_value(json_object_get(model, "rope_scaling"));
    const json_t *bos_id = json_object_get(model, "bos_id");
    uint64_t train_length, text;
    int status = bipe_result_text(model, where, "model", &c->model_name, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, where, "path", &c->model_path, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, where, "scheme", &scheme, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&c->scheme, scheme, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, where, "trained_scheme", &trained, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&hp->scheme, trained, err);
    if (status == BIPE_OK && scaling != NULL && strcmp(scaling, "factors") == 0)
        c->scaling.kind = BIPE_SCALING_FACTORS;
    else if (status == BIPE_OK && scaling != NULL)
        status = bipe_rope_scaling_parse(&c->scaling, scaling, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(model, where, "parameters", &hp->parameters, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(model, where, "train_length", &train_length, err);
    if (status == BIPE_OK && train_length > UINT32_MAX)
        status = bipe_result_wrong(err, where, "train_length", "a number below 2^32");
    if (status == BIPE_OK)
        status = bipe_result_text(model, where, "tokenizer", &c->tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, where, "segmenter", &c->segmenter, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(model, where, "text", &text, err);
    if (status == BIPE_OK)
        status = get_bool(model, where, "shared_prefixes", &c->shared, err);
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

static int load_protocol(merging *m, const json_t *protocol, bipe_error *err)
{
    static const char where[] = "protocol.";
    bipe_score_setup *setup = &m->setup;
    int bos, name, pack;
    int status = get_choice(protocol, where, "name", bipe_score_protocol_names, &name, err);
    if (status == BIPE_OK)
        status = get_choice(protocol, where, "bos", bipe_score_bos_names, &bos, err);
    if (status == BIPE_OK)
        status = get_choice(protocol, where, "pack", bipe_score_pack_names, &pack, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "count_bos", &setup->count_bos, err);
    if (status == BIPE_OK && !json_is_null(json_object_get(protocol, "stride")))
        status = bipe_result_uint(protocol, where, "stride", &setup->stride, err);
    if (status == BIPE_OK && !json_is_null(json_object_get(protocol, "last")))
        status = bipe_result_uint(protocol, where, "last", &setup->last, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "tail", &setup->tail, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "common", &setup->common, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(protocol, where, "seed", &setup->seed, err);
    if (status != BIPE_OK)
        return status;
    setup->protocol = (bipe_score_protocol)name;
    setup->bos = (bipe_score_bos)bos;
    setup->lines = pack == 1;
    setup->loss_after = json_string_value(json_object_get(protocol, "loss_after"));
    setup->group = json_string_value(json_object_get(protocol, "group"));
    return BIPE_OK;
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

/* All but rows and shard, from the first result: others of the same run say the same. */
static int load_setup(merging *m, const json_t *root, bipe_error *err)
{
    bipe_score_setup *setup = &m->setup;
    const json_t *by = json_object_get(json_array_get(json_object_get(root, "results"), 0), "by"), *shard = json_object_get(root, "shard");
    int precision, index = -1;
    uint64_t files;
    int status = load_combinations(m, json_object_get(root, "combinations"), err);
    if (status == BIPE_OK)
        status = load_lengths(m, json_object_get(shard, "lengths"), err);
    if (status == BIPE_OK)
        status = load_protocol(m, json_object_get(root, "protocol"), err);
    if (status == BIPE_OK)
        status = get_choice(root, "", "precision", bipe_score_precision_names, &precision, err);
    if (status == BIPE_OK && by != NULL)
        status = get_choice(by, "by.", "index", bipe_score_by_names, &index, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(shard, "shard.", "files", &files, err);
    if (status == BIPE_OK && files > FILES_MOST)
        status = bipe_result_wrong(err, "shard.", "files", "a number of files");
    if (status != BIPE_OK)
        return status;
    setup->precision = (bipe_precision)precision;
    setup->by = (bipe_score_by)(index + 1);
    setup->file_count = (size_t)files;
    return BIPE_OK;
}

static int load_bins(bipe_loss_bins *bins, const json_t *list, uint64_t most, const char *where, const char *key, bipe_error *err)
{
    if (!json_is_array(list))
        return bipe_result_wrong(err, where, key, "a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *four = json_array_get(list, i);
        json_int_t number[3];
        for (size_t k = 0; k < 3; k++)
            number[k] = json_integer_value(json_array_get(four, k));
        if (json_array_size(four) != 4 || number[0] < 0 || (uint64_t)number[0] >= most || number[1] < 1 || number[2] < 0)
            return bipe_result_wrong(err, where, key, "lists of an index, tokens, bytes and their exact sum");
        bipe_exact sum;
        int status = get_sum(json_array_get(four, 3), where, key, &sum, err);
        if (status == BIPE_OK)
            status = bipe_loss_bins_add(bins, (size_t)number[0], 0, 0, err);
        if (status != BIPE_OK)
            return status;
        bipe_loss_bin *bin = &bins->bin[number[0]];
        bin->tokens += (uint64_t)number[1] - 1;
        bin->bytes += (uint64_t)number[2];
        bin->sum = bipe_exact_add(bin->sum, sum);
    }
    return BIPE_OK;
}

static int load_layout(merging *m, bipe_score_layout *layout, const json_t *sums, const char *where, bipe_error *err)
{
    const json_t *first = json_object_get(sums, "first"), *groups = json_object_get(sums, "groups");
    uint64_t documents = 0;
    int status = bipe_result_uint(sums, where, "documents", &documents, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "bundle", &layout->bundle, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "cell", &layout->cell, err);
    bool cells = layout->bundle == 0;
    if (status == BIPE_OK && (documents > UNITS_MOST || (cells ? documents >= BIPE_SCORE_DOCUMENTS : documents < BIPE_SCORE_DOCUMENTS)))
        status = bipe_result_wrong(err, where, "documents", "fewer documents where there are cells than without");
    layout->documents = (size_t)documents;
    if (status == BIPE_OK && cells) {
        layout->first = bipe_alloc(layout->documents + 1, sizeof *layout->first);
        if (layout->first == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i <= layout->documents && status == BIPE_OK; i++) {
            json_int_t unit = json_integer_value(json_array_get(first, i));
            if (unit < 0 || unit > UNITS_MOST || (i == 0 ? unit > 0 : (uint64_t)unit < layout->first[i - 1]) || json_array_size(first) != documents + 1)
                status = bipe_result_wrong(err, where, "first", "the first cell of each document");
            layout->first[i] = (uint64_t)unit;
        }
    }
    if (status == BIPE_OK && m->setup.group != NULL) {
        layout->group = bipe_alloc(layout->documents, sizeof *layout->group);
        if (layout->group == NULL)
            return bipe_fail_memory(err);
        for (size_t i = 0; i < layout->documents && status == BIPE_OK; i++) {
            const char *name = json_string_value(json_array_get(groups, i));
            status = name == NULL ? bipe_result_wrong(err, where, "groups", "the group of each document")
                                  : bipe_group_find(&m->groups, name, m->setup.group, &layout->group[i], err);
        }
    }
    return status;
}

/* The file of a row, its rows being alloced. */
static int find_file(merging *m, const json_t *sums, const char *where, merged_file **file, bipe_error *err)
{
    uint64_t number = 0;
    size_t rows = m->setup.combinations * m->lengths.count;
    int status = bipe_result_uint(sums, where, "file", &number, err);
    if (status == BIPE_OK && number > m->files)
        status = bipe_result_wrong(err, where, "file", "files in their order");
    if (status == BIPE_OK && number == m->files) {
        if (bipe_grow(&m->file, &m->file_capacity, m->files + 1, sizeof *m->file) != 0)
            return bipe_fail_memory(err);
        m->file[m->files] = (merged_file){ .row = bipe_alloc(rows, sizeof *m->file->row) };
        if (m->file[m->files].row == NULL)
            return bipe_fail_memory(err);
        m->files++;
        status = load_layout(m, &m->file[number].layout, sums, where, err);
    }
    *file = status == BIPE_OK ? &m->file[number] : NULL;
    return status;
}

static int load_row(bipe_score_row *row, const json_t *object, uint64_t units, const char *where, bipe_error *err)
{
    const json_t *sums = json_object_get(object, "sums");
    const char *hash;
    bipe_losses *losses = &row->losses;
    int status = bipe_result_text(object, where, "file", &row->file, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "windows", &losses->windows, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "tokens", &losses->tokens, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "bytes", &losses->bytes, err);
    if (status == BIPE_OK)
        status = bipe_result_text(sums, where, "text", &hash, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "text_tokens", &row->text.tokens, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "words", &losses->words, err);
    if (status == BIPE_OK)
        status = get_sum(json_object_get(sums, "nll"), where, "sums.nll", &losses->sum, err);
    if (status == BIPE_OK)
        status = load_bins(&row->bins, json_object_get(sums, "by"), row->length, where, "sums.by", err);
    if (status == BIPE_OK)
        status = load_bins(&row->units, json_object_get(sums, "units"), units, where, "sums.units", err);
    if (status == BIPE_OK)
        row->text.hash = strtoull(hash, NULL, 16);
    return status;
}

/* Where the row of a result is kept. */
static int find_row(merging *m, const json_t *object, const char *where, merged_file **file, bipe_score_row **kept, bipe_error *err)
{
    const json_t *sums = json_object_get(object, "sums");
    uint64_t combination = 0, length = 0;
    size_t i = 0;
    if (sums == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "not a result of --shard");
    int status = bipe_result_uint(object, where, "length", &length, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "combination", &combination, err);
    while (i < m->lengths.count && m->lengths.value[i] != length)
        i++;
    if (status == BIPE_OK && (combination >= m->setup.combinations || i == m->lengths.count))
        status = bipe_result_wrong(err, where, "length", "a length and a combination of the run");
    if (status == BIPE_OK)
        status = find_file(m, sums, where, file, err);
    if (status == BIPE_OK)
        *kept = &(*file)->row[i * m->setup.combinations + (size_t)combination];
    return status;
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
        merged_file *file = NULL;
        bipe_score_row row = { 0 }, *kept = NULL;
        snprintf(where, sizeof where, "results[%zu].", i);
        int status = find_row(m, object, where, &file, &kept, err);
        if (status != BIPE_OK)
            return status;
        const bipe_score_layout *layout = &file->layout;
        uint64_t units = layout->bundle > 0 ? layout->documents : layout->first[layout->documents];
        row.length = m->lengths.value[(size_t)(kept - file->row) / m->setup.combinations];
        row.combination = (size_t)(kept - file->row) % m->setup.combinations;
        status = load_row(&row, object, units, where, err);
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

static int take_result(void *context, json_t *root, bipe_error *err)
{
    merging *m = context;
    bool first = m->shards.count == 0, complete = false;
    const char *tool = json_string_value(json_object_get(root, "tool")), *version = json_string_value(json_object_get(root, "version"));
    const json_t *work = json_object_get(root, "work");
    uint64_t all, computed;
    if (tool == NULL || strcmp(tool, "bipe-score") != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an object written by bipe-score --shard --json");
    if (version == NULL || strcmp(version, PACKAGE_VERSION) != 0)
        return bipe_result_wrong(err, "", "version", PACKAGE_VERSION);
    if (m->first == NULL)
        m->first = json_incref(root);
    int status = stats_shards_take(&m->shards, json_object_get(root, "shard"), err);
    if (status == BIPE_OK && first)
        status = load_setup(m, root, err);
    if (status == BIPE_OK)
        status = take_rows(m, json_object_get(root, "results"), first, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(work, "work.", "tokens", &all, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(work, "work.", "computed", &computed, err);
    if (status == BIPE_OK)
        status = get_bool(root, "", "complete", &complete, err);
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
    size_t some = 0, all = m->setup.file_count, rows = m->setup.combinations * m->lengths.count;
    bipe_error err;
    for (size_t f = 0; f < m->files; f++) {
        bool has = false;
        for (size_t i = 0; i < rows; i++)
            has = has || m->file[f].row[i].length > 0;
        some += has;
    }
    if (some < all) {
        bipe_fail(&err, BIPE_ERR_LIMIT, "%zu of %zu files %s left out, too short for every length", all - some, all,
                  all - some == 1 ? "is" : "are");
        bipe_tool_error(tool, &err);
    }
}

static void choose_width(merging *m)
{
    m->setup.file_width = strlen("total");
    for (size_t f = 0; f < m->files; f++)
        for (size_t i = 0; i < m->setup.combinations * m->lengths.count; i++) {
            size_t columns = m->file[f].row[i].file == NULL ? 0 : bipe_label_columns(m->file[f].row[i].file);
            if (columns > m->setup.file_width)
                m->setup.file_width = columns < BIPE_SCORE_WIDEST ? columns : BIPE_SCORE_WIDEST;
        }
}

/* Errors and comparisons of a file, and its rows to the report. */
static int report_file(merging *m, merged_file *file, bipe_score_pool *pool, bipe_score_report *report, bipe_error *err)
{
    size_t combinations = m->setup.combinations, before = m->findings.comparisons;
    int status = BIPE_OK;
    for (size_t i = 0; i < m->lengths.count * combinations && status == BIPE_OK; i++)
        if (file->row[i].length > 0)
            status = bipe_score_estimate(&file->row[i].error, NULL, &file->row[i].units, file->layout.bundle > 0, false, m->setup.seed, err);
    for (size_t i = 0; i < m->lengths.count && status == BIPE_OK; i++)
        status = bipe_score_compare_file(&m->setup, &file->row[i * combinations], &file->layout, &pool[i], &m->findings, err);
    return status == BIPE_OK ? bipe_score_report_file(report, file->row, &m->findings, before, &file->layout, m->groups.name, err) : status;
}

static int report_merged(merging *m, bipe_score_format format, bipe_output *output, bipe_error *err)
{
    bipe_score_report *report = NULL;
    bipe_score_pool *pool = bipe_alloc(m->lengths.count, sizeof *pool);
    int status = pool == NULL ? bipe_fail_memory(err) : BIPE_OK;
    choose_width(m);
    for (size_t i = 0; i < m->lengths.count && status == BIPE_OK; i++)
        status = bipe_score_pool_open(&pool[i], m->setup.combinations, err);
    if (status == BIPE_OK)
        status = bipe_score_report_open(&report, format, &m->setup, output, err);
    for (size_t f = 0; f < m->files && status == BIPE_OK; f++)
        status = report_file(m, &m->file[f], pool, report, err);
    for (size_t i = 0; i < m->lengths.count && status == BIPE_OK; i++)
        status = bipe_score_compare_all(&m->setup, &pool[i], &m->groups, &m->findings, err);
    if (status == BIPE_OK)
        status = bipe_score_report_end(report, &m->findings, &m->work, m->complete, err);
    bipe_score_report_close(report);
    for (size_t i = 0; i < m->lengths.count && pool != NULL; i++)
        bipe_score_pool_close(&pool[i]);
    bipe_free(pool);
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
    bipe_score_findings_free(&m->findings);
    bipe_free(m->file);
    bipe_free(m->setup.combination);
    bipe_free(m->hyperparameters);
    bipe_sizes_free(&m->lengths);
    stats_shards_free(&m->shards);
    json_decref(m->first);
}

int bipe_score_merge(bipe_tool *tool, bipe_files files, bipe_score_format format, const char *path)
{
    merging m = { 0 };
    bipe_error err = { 0 };
    bipe_output *output = NULL;
    int status = BIPE_OK;
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++)
        status = bipe_result_read(files.path[i], "bipe-score", take_result, &m, &err);
    if (status == BIPE_OK && m.shards.group[0].index_count < m.shards.group[0].count) {
        stats_group_missing(&m.shards.group[0], &err);
        status = err.status;
    }
    m.complete = status == BIPE_OK;
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    if (status == BIPE_OK)
        status = report_merged(&m, format, output, &err);
    if (status == BIPE_OK) {
        report_short(&m, tool);
        bipe_tool_finish(tool, output);
    } else {
        bipe_tool_error(tool, &err);
        bipe_output_abandon(output);
    }
    free_merging(&m);
    return tool->status;
}
