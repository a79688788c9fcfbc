/* score_merge.c - results of shards, read back from JSON and added up to what one run would have reported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "config.h"
#include "tools/bipe_score.h"
#include "tools/result_file.h"
#include "tools/stats_shards.h"

enum { WHERE_SIZE = 64, LENGTH_MOST = 1 << 24, FILES_MOST = 1 << 30 };

typedef struct merging {
    json_t *first;                /* the first result: texts of setup and rows are in it */
    bipe_score_setup setup;
    bipe_hyperparameters hyperparameters;
    stats_shards shards;          /* of one run */
    bipe_score_row *row, *total;  /* (count), (total_count) */
    size_t count, total_count;
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

static int load_model(merging *m, const json_t *model, bipe_error *err)
{
    bipe_score_setup *setup = &m->setup;
    const char *scheme, *trained, *scaling = json_string_value(json_object_get(model, "rope_scaling"));
    uint64_t train_length;
    int status = bipe_result_text(model, "model.", "path", &setup->model_path, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, "model.", "scheme", &scheme, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&setup->scheme, scheme, err);
    if (status == BIPE_OK)
        status = bipe_result_text(model, "model.", "trained_scheme", &trained, err);
    if (status == BIPE_OK)
        status = bipe_scheme_parse(&m->hyperparameters.scheme, trained, err);
    if (status == BIPE_OK && scaling != NULL && strcmp(scaling, "factors") == 0)
        setup->scaling.kind = BIPE_SCALING_FACTORS;
    else if (status == BIPE_OK && scaling != NULL)
        status = bipe_rope_scaling_parse(&setup->scaling, scaling, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(model, "model.", "parameters", &m->hyperparameters.parameters, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(model, "model.", "train_length", &train_length, err);
    if (status == BIPE_OK && train_length > UINT32_MAX)
        status = bipe_result_wrong(err, "model.", "train_length", "a number below 2^32");
    if (status == BIPE_OK)
        m->hyperparameters.train_length = (uint32_t)train_length;
    return status;
}

static int load_protocol(merging *m, const json_t *protocol, bipe_error *err)
{
    static const char where[] = "protocol.";
    bipe_score_setup *setup = &m->setup;
    const json_t *bos_id = json_object_get(protocol, "bos_id");
    int bos;
    int status = bipe_result_text(protocol, where, "name", &setup->protocol, err);
    if (status == BIPE_OK)
        status = get_choice(protocol, where, "bos", bipe_score_bos_names, &bos, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "count_bos", &setup->count_bos, err);
    if (status == BIPE_OK && !json_is_null(json_object_get(protocol, "stride")))
        status = bipe_result_uint(protocol, where, "stride", &setup->stride, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "tail", &setup->tail, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(protocol, where, "seed", &setup->seed, err);
    if (status == BIPE_OK)
        status = get_bool(protocol, where, "shared_prefixes", &setup->shared, err);
    if (status != BIPE_OK)
        return status;
    setup->bos = (bipe_score_bos)bos;
    setup->bos_id = json_is_integer(bos_id) ? json_integer_value(bos_id) : BIPE_NO_TOKEN;
    return BIPE_OK;
}

/* All but rows and shard, from the first result: others of the same run say the same. */
static int load_setup(merging *m, const json_t *root, bipe_error *err)
{
    bipe_score_setup *setup = &m->setup;
    const json_t *by = json_object_get(json_array_get(json_object_get(root, "results"), 0), "by"), *shard = json_object_get(root, "shard");
    int precision, index = -1;
    uint64_t files;
    setup->hyperparameters = &m->hyperparameters;
    int status = load_model(m, json_object_get(root, "model"), err);
    if (status == BIPE_OK)
        status = bipe_result_text(root, "", "tokenizer", &setup->tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_result_text(root, "", "segmenter", &setup->segmenter, err);
    if (status == BIPE_OK)
        status = load_protocol(m, json_object_get(root, "protocol"), err);
    if (status == BIPE_OK)
        status = get_choice(root, "", "precision", bipe_score_precision_names, &precision, err);
    if (status == BIPE_OK && by != NULL)
        status = get_choice(by, "by.", "index", bipe_score_by_names, &index, err);
    if (status == BIPE_OK)
        status = bipe_result_text(shard, "shard.", "model", &setup->model_name, err);
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

static int load_bins(bipe_loss_bins *bins, const json_t *by, uint64_t length, const char *where, bipe_error *err)
{
    if (!json_is_array(by))
        return bipe_result_wrong(err, where, "sums.by", "a list");
    for (size_t i = 0; i < json_array_size(by); i++) {
        const json_t *triple = json_array_get(by, i);
        json_int_t index = json_integer_value(json_array_get(triple, 0)), tokens = json_integer_value(json_array_get(triple, 1));
        if (json_array_size(triple) != 3 || index < 0 || (uint64_t)index >= length || tokens < 1)
            return bipe_result_wrong(err, where, "sums.by", "triples of an index below the length, tokens and their exact sum");
        bipe_exact sum;
        int status = get_sum(json_array_get(triple, 2), where, "sums.by", &sum, err);
        if (status == BIPE_OK)
            status = bipe_loss_bins_add(bins, (size_t)index, 0, err);
        if (status != BIPE_OK)
            return status;
        bipe_loss_bin *bin = &bins->bin[index];
        bin->tokens += (uint64_t)tokens - 1;
        bin->sum = bipe_exact_add(bin->sum, sum);
    }
    return BIPE_OK;
}

static int load_row(bipe_score_row *row, const json_t *object, const char *where, bipe_error *err)
{
    const json_t *sums = json_object_get(object, "sums");
    const char *hash;
    bipe_losses *losses = &row->losses;
    int status = bipe_result_text(object, where, "file", &row->file, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "length", &row->length, err);
    if (status == BIPE_OK && row->length > LENGTH_MOST)
        status = bipe_result_wrong(err, where, "length", "at most 2^24");
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "windows", &losses->windows, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "tokens", &losses->tokens, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(object, where, "bytes", &losses->bytes, err);
    if (status == BIPE_OK && sums == NULL)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "not a result of --shard");
    if (status == BIPE_OK)
        status = bipe_result_text(sums, where, "text", &hash, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "text_tokens", &row->text.tokens, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(sums, where, "words", &losses->words, err);
    if (status == BIPE_OK)
        status = get_sum(json_object_get(sums, "nll"), where, "sums.nll", &losses->sum, err);
    if (status == BIPE_OK)
        status = get_sum(json_object_get(sums, "squares"), where, "sums.squares", &losses->squares, err);
    if (status == BIPE_OK)
        status = load_bins(&row->bins, json_object_get(sums, "by"), row->length, where, err);
    if (status == BIPE_OK)
        row->text.hash = strtoull(hash, NULL, 16);
    return status;
}

/* Rows of the first result are kept, those of the others are added to them. */
static int take_rows(merging *m, const json_t *results, bool first, bipe_error *err)
{
    size_t count = json_array_size(results);
    if (!json_is_array(results) || (!first && count != m->count))
        return bipe_result_wrong(err, "", "results", "as many as in the files before");
    if (first) {
        m->row = bipe_alloc(count, sizeof *m->row);
        if (m->row == NULL)
            return bipe_fail_memory(err);
        m->count = count;
    }
    for (size_t i = 0; i < count; i++) {
        char where[WHERE_SIZE];
        bipe_score_row row = { 0 };
        snprintf(where, sizeof where, "results[%zu].", i);
        int status = load_row(&row, json_array_get(results, i), where, err);
        bipe_score_row *kept = &m->row[i];
        if (status == BIPE_OK && first) {
            *kept = row;
            continue;
        }
        if (status == BIPE_OK && (strcmp(row.file, kept->file) != 0 || row.length != kept->length))
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

/* Which shard it is. BIPE_ERR_FORMAT when it is of another run, or was there before. */
static int take_shard(merging *m, const json_t *shard, bipe_error *err)
{
    const char *run;
    uint64_t index, count;
    stats_shards one = { 0 };
    if (shard == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "not a result of --shard");
    int status = bipe_result_text(shard, "shard.", "run", &run, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(shard, "shard.", "index", &index, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(shard, "shard.", "count", &count, err);
    if (status == BIPE_OK && (strlen(run) != STATS_HASH_SIZE - 1 || index >= count || count > BIPE_SHARDS_MOST))
        status = bipe_result_wrong(err, "shard.", "index", "a number below the count, which is at most 1000000, and a run of 16 digits");
    if (status == BIPE_OK && m->shards.count > 0 && strcmp(run, m->shards.group[0].settings) != 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "is a shard of another run (model, options or files) than those before");
    if (status == BIPE_OK && stats_shards_add(&one, run, index, count, 0) == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = stats_shards_merge(&m->shards, &one, err);
    stats_shards_free(&one);
    return status;
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
    int status = take_shard(m, json_object_get(root, "shard"), err);
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

/* ---- sums ---- */

/* Sums of all files at each length, in the order of the lengths. */
static int add_totals(merging *m, bipe_error *err)
{
    const json_t *total = json_object_get(m->first, "total");
    size_t count = json_array_size(total);
    m->total = bipe_alloc(count, sizeof *m->total);
    if (m->total == NULL)
        return bipe_fail_memory(err);
    m->total_count = count;
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        status = bipe_result_uint(json_array_get(total, i), "total.", "length", &m->total[i].length, err);
        for (size_t r = 0; r < m->count && status == BIPE_OK; r++)
            if (m->row[r].length == m->total[i].length)
                status = bipe_score_row_merge(&m->total[i], &m->row[r], err);
    }
    return status;
}

/* A file with no row was too short for every length, which makes no shard incomplete. The rows of a file stand together. */
static void tell_short(const merging *m, bipe_tool *tool)
{
    size_t files = 0, all = m->setup.file_count;
    uint64_t first = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool next = i == 0 || m->row[i].length == first || strcmp(m->row[i].file, m->row[i - 1].file) != 0;
        first = next ? m->row[i].length : first;
        files += next;
    }
    bipe_error err;
    if (files < all) {
        bipe_fail(&err, BIPE_ERR_LIMIT, "%zu of %zu files %s left out, too short for every length", all - files, all,
                  all - files == 1 ? "is" : "are");
        bipe_tool_error(tool, &err);
    }
}

static int report(merging *m, bipe_score_format format, bipe_output *output, bipe_error *err)
{
    bipe_score_report *report;
    m->setup.file_width = strlen("total");
    for (size_t i = 0; i < m->count; i++) {
        size_t columns = bipe_score_columns(m->row[i].file);
        if (columns > m->setup.file_width)
            m->setup.file_width = columns < BIPE_SCORE_WIDEST ? columns : BIPE_SCORE_WIDEST;
    }
    int status = bipe_score_report_open(&report, format, &m->setup, output, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < m->count && status == BIPE_OK; i++)
        status = bipe_score_report_row(report, &m->row[i], err);
    if (status == BIPE_OK)
        status = bipe_score_report_end(report, m->total, m->total_count, &m->work, m->complete, err);
    bipe_score_report_close(report);
    return status;
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
        status = add_totals(&m, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    if (status == BIPE_OK)
        status = report(&m, format, output, &err);
    if (status == BIPE_OK) {
        tell_short(&m, tool);
        bipe_tool_finish(tool, output);
    } else {
        bipe_tool_error(tool, &err);
        bipe_output_abandon(output);
    }
    for (size_t i = 0; i < m.count; i++)
        bipe_score_row_free(&m.row[i]);
    for (size_t i = 0; i < m.total_count; i++)
        bipe_score_row_free(&m.total[i]);
    bipe_free(m.row);
    bipe_free(m.total);
    stats_shards_free(&m.shards);
    json_decref(m.first);
    return tool->status;
}
