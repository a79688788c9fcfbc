/* score_merge.c - reads results of shards from JSON and adds them up to the report of one run. */
#include <string.h>

#include "base/alloc.h"
#include "cli/result_shards.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_parts.h"
#include "tools/score/score_report.h"

enum { LENGTH_MOST = 1 << 24, FILES_MOST = 1 << 30, UNITS_MOST = 1 << 24 };

/* A file of the run that has rows: its number, rows and units. */
typedef struct merged_file {
    uint64_t number;
    bipe_score_row *row;          /* (lengths * combinations) */
    bipe_loss_units layout;
} merged_file;

typedef struct merging {
    json_t *first;                /* the first result: texts of setup and rows are in it */
    bipe_score_setup setup;
    bipe_hyperparameters *hyperparameters; /* (setup.combinations) */
    bipe_sizes lengths;
    merged_file *file;            /* [files] */
    size_t files, file_capacity;
    size_t present;               /* the file of the row that is read */
    size_t rows;                  /* of each shard */
    bipe_group_names groups;
    bipe_score_work work;
} merging;

/* ---- a result ---- */

static void load_combinations(bipe_result *r, merging *m, const json_t *list)
{
    size_t count = json_array_size(list);
    bipe_result_expect(r, count > 0, "combinations", "a list of models with segmenters");
    m->setup.combination = bipe_tool_alloc(count, sizeof *m->setup.combination);
    m->hyperparameters = bipe_tool_alloc(count, sizeof *m->hyperparameters);
    strcpy(r->where, "combinations.");
    for (size_t i = 0; i < count && r->status == BIPE_OK; i++) {
        bipe_score_combination *c = &m->setup.combination[i];
        bipe_score_combination_load(c, &m->hyperparameters[i], r, json_array_get(list, i));
        for (size_t k = 0; k < i && r->status == BIPE_OK; k++) /* the same model is shown once */
            if (strcmp(m->setup.combination[k].model_name, c->model_name) == 0)
                c->model = m->setup.combination[k].model;
            else if (c->model <= m->setup.combination[k].model)
                c->model = m->setup.combination[k].model + 1;
        m->setup.combinations++;
    }
    bipe_result_end_list(r);
}

static void load_lengths(bipe_result *r, merging *m, const json_t *list)
{
    size_t count = json_array_size(list);
    m->lengths.value = bipe_tool_alloc(count, sizeof *m->lengths.value);
    for (; m->lengths.count < count && r->status == BIPE_OK; m->lengths.count++) {
        json_int_t length = json_integer_value(json_array_get(list, m->lengths.count));
        bipe_result_expect(r, length >= 2 && length <= LENGTH_MOST, "shard.lengths", "lengths of at most 2^24");
        m->lengths.value[m->lengths.count] = (uint64_t)length;
    }
    m->setup.lengths = &m->lengths;
    bipe_result_expect(r, count > 0, "shard.lengths", "a list of lengths");
}

/* All but rows, from the first result: others of the same run say the same. */
static void load_setup(bipe_result *r, merging *m, const json_t *root)
{
    bipe_score_setup *setup = &m->setup;
    const json_t *combinations = NULL, *lengths = NULL, *first = json_array_get(json_object_get(root, "results"), 0);
    int index = -1;
    uint64_t files = 0;
    BIPE_MEMBERS(r, root,
                 BIPE_MEMBER("combinations", LIST, &combinations, .expected = "a list of models with segmenters"),
                 BIPE_MEMBER("shard.lengths", LIST, &lengths, .expected = "a list of lengths"),
                 BIPE_MEMBER("shard.files", UINT, &files, .most = FILES_MOST, .expected = "a number of files"));
    bipe_score_setup_load(setup, r, root);
    if (json_object_get(first, "by") != NULL)
        BIPE_MEMBERS(r, first, BIPE_MEMBER("by.index", WORD, &index, .words = bipe_score_by_names));
    if (r->status == BIPE_OK)
        load_combinations(r, m, combinations);
    if (r->status == BIPE_OK)
        load_lengths(r, m, lengths);
    setup->by = (bipe_score_by)(index + 1);
    setup->file_count = (size_t)files;
}

static void load_layout(bipe_result *r, merging *m, bipe_loss_units *layout, const json_t *row)
{
    const json_t *first = NULL, *groups = NULL;
    uint64_t documents = 0;
    BIPE_MEMBERS(r, row, BIPE_MEMBER("sums.documents", UINT, &documents),
                 BIPE_MEMBER("sums.bundle", UINT, &layout->bundle), BIPE_MEMBER("sums.cell", UINT, &layout->cell),
                 BIPE_MEMBER("sums.first", LIST, &first), BIPE_MEMBER("sums.groups", LIST, &groups));
    bool cells = layout->bundle == 0;
    bool clusters = m->setup.cluster != NULL;
    bipe_result_expect(r, documents <= UNITS_MOST && cells == (documents < BIPE_LOSS_DOCUMENTS && !clusters),
                       "sums.documents",
                       "fewer documents where there are cells than without");
    if (r->status != BIPE_OK)
        return;
    layout->documents = (size_t)documents;
    layout->first = cells ? bipe_tool_alloc(layout->documents + 1, sizeof *layout->first) : NULL;
    layout->group = m->setup.group != NULL ? bipe_tool_alloc(layout->documents, sizeof *layout->group) : NULL;
    for (size_t i = 0; i <= layout->documents && cells && r->status == BIPE_OK; i++) {
        uint64_t unit = 0;
        bipe_result_expect(r,
                           bipe_result_number(json_array_get(first, i), &unit) && unit <= UNITS_MOST &&
                               json_array_size(first) == documents + 1 &&
                               (i == 0 ? unit == 0 : unit >= layout->first[i - 1]),
                           "sums.first", "the first cell of each document");
        layout->first[i] = unit;
    }
    if (clusters) {
        layout->cluster = bipe_tool_alloc(layout->documents, sizeof *layout->cluster);
        bipe_result_expect(r, bipe_result_numbers(json_object_get(json_object_get(row, "sums"), "clusters"),
                                                  layout->cluster, layout->documents),
                           "sums.clusters", "the cluster of each document");
    }
    for (size_t i = 0; i < layout->documents && layout->group != NULL && r->status == BIPE_OK; i++) {
        const char *name = json_string_value(json_array_get(groups, i));
        bipe_result_expect(r, name != NULL, "sums.groups", "the group of each document");
        if (r->status == BIPE_OK)
            r->status = bipe_group_find(&m->groups, name, m->setup.group, &layout->group[i], r->err);
    }
}

/* The file of a row, of which there is memory for its rows; results have files in their order. Those too short for
 * every length have no rows, and are not there. NULL after a failure. */
static merged_file *find_file(bipe_result *r, merging *m, uint64_t number, const json_t *row)
{
    while (m->present < m->files && m->file[m->present].number < number)
        m->present++;
    if (m->present < m->files && m->file[m->present].number == number)
        return &m->file[m->present];
    bipe_result_expect(r, m->present == m->files && number < m->setup.file_count, "sums.file", "files in their order");
    if (r->status != BIPE_OK)
        return NULL;
    bipe_tool_grow(&m->file, &m->file_capacity, m->files + 1, sizeof *m->file);
    bipe_score_row *rows = bipe_tool_alloc(m->setup.combinations * m->lengths.count, sizeof *rows);
    m->file[m->files++] = (merged_file){.number = number, .row = rows};
    load_layout(r, m, &m->file[m->present].layout, row);
    return r->status == BIPE_OK ? &m->file[m->present] : NULL;
}

/* A row of results. Returns the one that is kept for its file, combination and length; NULL after a failure. */
static bipe_score_row *load_row(bipe_result *r, merging *m, bipe_score_row *row, const json_t *object)
{
    const json_t *by = NULL, *units = NULL, *sums = json_object_get(object, "sums"),
                 *divergence = json_object_get(sums, "divergence");
    score_part part = {0};
    size_t length = 0;
    if (sums == NULL)
        r->status = bipe_fail(r->err, BIPE_ERR_FORMAT, "not a result of --shard");
    BIPE_MEMBERS(r, object, BIPE_MEMBER("file", TEXT, &row->file));
    bipe_columns_read(r, object, score_part_columns, SCORE_PART_COLUMNS, &part);
    BIPE_MEMBERS(r, object, BIPE_MEMBER("sums.by", LIST, &by), BIPE_MEMBER("sums.units", LIST, &units));
    score_part_take(&part, row);
    while (length < m->lengths.count && m->lengths.value[length] != row->length)
        length++;
    bipe_result_expect(r, row->combination < m->setup.combinations && length < m->lengths.count, "length",
                       "a length and a combination of the run");
    merged_file *file = r->status == BIPE_OK ? find_file(r, m, part.file, object) : NULL;
    if (file == NULL)
        return NULL;
    const bipe_loss_units *layout = &file->layout;
    score_bins_load(r, "sums.by", by, row->length, &row->bins);
    uint64_t most = layout->bundle > 0 ? layout->documents : layout->first[layout->documents];
    score_bins_load(r, "sums.units", units, most, &row->units);
    if (divergence != NULL)
        score_divergence_load(r, divergence, "sums.divergence", &m->groups, row->length, most, &row->divergence);
    return &file->row[length * m->setup.combinations + row->combination];
}

/* Rows of the first result are kept, those of the others are added to them. */
static void take_rows(bipe_result *r, merging *m, const json_t *results, bool first)
{
    size_t count = json_array_size(results);
    bipe_result_expect(r, json_is_array(results) && (first || count == m->rows), "results",
                       "as many as in the files before");
    m->rows = count;
    m->present = 0;
    for (size_t i = 0; i < count && r->status == BIPE_OK; i++) {
        const json_t *object = bipe_result_element(r, results, "results", i);
        bipe_score_row row = {0}, *kept = load_row(r, m, &row, object);
        if (r->status == BIPE_OK && first && kept->length == 0) {
            *kept = row;
            continue;
        }
        if (r->status == BIPE_OK)
            bipe_result_expect(r, !first && kept->length != 0 && strcmp(row.file, kept->file) == 0, "file",
                               "the file and the length that are there in the files before");
        if (r->status == BIPE_OK && (row.text.hash != kept->text.hash || row.text.tokens != kept->text.tokens))
            r->status = bipe_fail(r->err, BIPE_ERR_FORMAT, "%sfile: %s had another text than for the shards before",
                                  r->where, row.file);
        if (r->status == BIPE_OK)
            bipe_score_row_merge(kept, &row);
        bipe_score_row_free(&row);
    }
    bipe_result_end_list(r);
}

static void take_result(void *context, bipe_result *r, bool first)
{
    merging *m = context;
    uint64_t all = 0, computed = 0;
    if (first) {
        m->first = json_incref(r->root);
        load_setup(r, m, r->root);
    }
    if (r->status == BIPE_OK)
        take_rows(r, m, json_object_get(r->root, "results"), first);
    BIPE_MEMBERS(r, r->root, BIPE_MEMBER("work.tokens", UINT, &all), BIPE_MEMBER("work.computed", UINT, &computed));
    m->work.all += all;
    m->work.computed += computed;
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
    bipe_score_widen(&m->setup, "total");
    for (size_t f = 0; f < m->files; f++)
        for (size_t i = 0; i < m->setup.combinations * m->lengths.count; i++)
            if (m->file[f].row[i].file != NULL)
                bipe_score_widen(&m->setup, m->file[f].row[i].file);
    bipe_score_report *report = bipe_score_report_open(format, &m->setup, &m->groups, output);
    int status = BIPE_OK;
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
        for (size_t i = 0; i < m->setup.combinations * m->lengths.count; i++)
            bipe_score_row_free(&m->file[f].row[i]);
        bipe_free(m->file[f].row);
        bipe_loss_units_free(&m->file[f].layout);
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
    merging m = {.setup.tool = tool};
    bipe_error err = {0};
    bipe_output *output = NULL;
    int status = bipe_result_shards_gather(tool, files, "bipe-score --shard --json", take_result, &m, &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, &err);
    if (status == BIPE_OK)
        status = report_merged(&m, format, output, &err);
    tool->some_done = m.files > 0;
    if (status == BIPE_OK)
        report_short(&m, tool);
    bipe_tool_end(tool, status, &output, &err);
    free_merging(&m);
    return tool->status;
}
