/* stats_result.c - adds counts up and derives numbers from them. */
#include "tools/stats_result.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

int stats_result_open(stats_result *r, const char *tokenizer, const char *const *segmenter, size_t count, bipe_error *err)
{
    *r = (stats_result){0};
    r->tokenizer = bipe_strdup(tokenizer);
    r->segmenter = bipe_alloc(count, sizeof *r->segmenter);
    r->tally = bipe_alloc(count, sizeof *r->tally);
    if (r->tokenizer == NULL || r->segmenter == NULL || r->tally == NULL)
        return bipe_fail_memory(err);
    for (; r->count < count; r->count++) {
        r->segmenter[r->count] = bipe_strdup(segmenter[r->count]);
        if (r->segmenter[r->count] == NULL)
            return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

void stats_result_close(stats_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        bipe_free(r->segmenter[i]);
        bipe_tally_free(&r->tally[i]);
    }
    bipe_free(r->segmenter);
    bipe_free(r->tally);
    bipe_free(r->tokenizer);
    stats_shards_free(&r->shards);
    *r = (stats_result){0};
}

static int add(uint64_t *into, uint64_t more, const char *what, bipe_error *err)
{
    if (more > UINT64_MAX - *into)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 2^64 - 1 %s together, expected fewer", what);
    *into += more;
    return BIPE_OK;
}

static int check_kin(const stats_result *a, const stats_result *b, bipe_error *err)
{
    if (strcmp(a->tokenizer, b->tokenizer) != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tokenizer is '%s', expected '%s' as in the first file", b->tokenizer,
                         a->tokenizer);
    if (a->count != b->count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found %zu segmenters, expected %zu as in the first file", b->count, a->count);
    if (a->choice.squeeze != b->choice.squeeze || a->choice.every != b->choice.every || a->choice.seed != b->choice.seed)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "--squeeze, --sample or --seed was another than for the first file");
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->segmenter[i], b->segmenter[i]) != 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "segmenter is '%s', expected '%s' as in the first file", b->segmenter[i],
                             a->segmenter[i]);
    return BIPE_OK;
}

int stats_result_merge(stats_result *into, stats_result *from, bipe_error *err)
{
    int status = check_kin(into, from, err);
    if (status == BIPE_OK)
        status = stats_shards_merge(&into->shards, &from->shards, err);
    if (status == BIPE_OK)
        status = add(&into->files, from->files, "files", err);
    if (status == BIPE_OK)
        status = add(&into->documents, from->documents, "documents", err);
    if (status == BIPE_OK)
        status = add(&into->bytes, from->bytes, "bytes", err);
    if (status == BIPE_OK)
        status = add(&into->tokens, from->tokens, "tokens", err);
    for (size_t i = 0; i < from->count && status == BIPE_OK; i++)
        status = bipe_tally_move(&into->tally[i], &from->tally[i], err);
    return status;
}

uint64_t stats_result_files(const stats_result *result)
{
    return result->files + stats_shards_files(&result->shards);
}

void stats_result_settle(stats_result *result)
{
    uint64_t files = stats_result_files(result);
    stats_shards_settle(&result->shards);
    result->files = files - stats_shards_files(&result->shards);
}

static int derive_section(stats_section *s, const bipe_tally *tally, bipe_error *err)
{
    s->row = bipe_alloc(tally->count, sizeof *s->row);
    bipe_fit_group *group = bipe_alloc(tally->count, sizeof *group);
    int status = s->row != NULL && group != NULL ? BIPE_OK : bipe_fail_memory(err);
    size_t lengths = 0;
    for (size_t i = 0; i < tally->count && status == BIPE_OK; i++) {
        stats_row *row = &s->row[s->count++];
        row->length = tally->row[i].length;
        status = bipe_distribution_open(&row->tokens, &tally->row[i].tokens, err);
        if (status == BIPE_OK)
            status = bipe_distribution_open(&row->segments, &tally->row[i].segments, err);
        if (status != BIPE_OK)
            break;
        row->ks = bipe_distance_ks(&row->tokens, &s->row[0].tokens);
        row->js = bipe_distance_js(&row->tokens, &s->row[0].tokens);
        row->wasserstein = bipe_distance_wasserstein(&row->tokens, &s->row[0].tokens);
        if (row->length != BIPE_TALLY_DOCUMENT)
            group[lengths++] = (bipe_fit_group){.x = row->length, .y = &row->segments};
    }
    if (status == BIPE_OK)
        s->growth = bipe_fit_line(group, lengths);
    bipe_free(group);
    return status;
}

int stats_report_open(stats_report *report, const stats_result *result, bipe_error *err)
{
    *report = (stats_report){.result = result};
    report->section = bipe_alloc(result->count, sizeof *report->section);
    if (report->section == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    for (size_t i = 0; i < result->count && status == BIPE_OK; i++) {
        report->section[i].segmenter = result->segmenter[i];
        status = derive_section(&report->section[i], &result->tally[i], err);
    }
    return status;
}

void stats_report_close(stats_report *report)
{
    for (size_t i = 0; report->section != NULL && i < report->result->count; i++) {
        stats_section *s = &report->section[i];
        for (size_t k = 0; k < s->count; k++) {
            bipe_distribution_close(&s->row[k].tokens);
            bipe_distribution_close(&s->row[k].segments);
        }
        bipe_free(s->row);
    }
    bipe_free(report->section);
    *report = (stats_report){0};
}

uint64_t stats_small(bipe_uint128 sum)
{
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

int stats_files_add(stats_files *files, const char *path, stats_result *result, stats_result *total, bipe_error *err)
{
    if (bipe_grow(&files->file, &files->capacity, files->count + 1, sizeof *files->file) != 0) {
        stats_result_close(result);
        return bipe_fail_memory(err);
    }
    stats_file *f = &files->file[files->count++];
    *f = (stats_file){.path = path, .result = *result};
    int status = stats_report_open(&f->report, &f->result, err);
    f->report.result = NULL; /* the list may move */
    return status == BIPE_OK ? stats_result_merge(total, &f->result, err) : status;
}

void stats_files_close(stats_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        files->file[i].report.result = &files->file[i].result;
        stats_report_close(&files->file[i].report);
        stats_result_close(&files->file[i].result);
    }
    bipe_free(files->file);
    *files = (stats_files){0};
}
