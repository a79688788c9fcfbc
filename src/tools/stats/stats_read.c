/* stats_read.c - the loop of bipe-stats over files, several at a time. Each file that is read has a stream and counts
 * of its own; since counts add up in any order, the result does not depend on which thread read which file. Errors are
 * reported in the order of the files. */
#include "tools/stats/bipe_stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/jobs.h"
#include "base/random.h"
#include "base/spool.h"
#include "cli/clusters.h"
#include "cli/group_names.h"
#include "cli/languages.h"
#include "cli/tool_alloc.h"
#include "cli/tool_inputs.h"
#include "measure/window_counter.h"

/* Counts of all readers together may have so many bytes; one that has more than its share when it has read some adds
 * them to the total. */
enum { SPOOL_MEMORY = 1 << 16, COUNTS_MOST = 40 << 20, COUNTS_LOOK = 1 << 20 };

/* A thread's state for reading files. */
typedef struct reader {
    struct reading *all;
    bipe_stream *stream;
    bipe_window_counter **counter; /* (segmenters) */
    stats_squeeze *squeeze;        /* (segmenters) NULL: blank segments count */
    stats_finer *finer;            /* (segmenters) NULL: they do not */
    bipe_lexical lexical;          /* where words are wanted */
    stats_judge *judge;            /* NULL: there are no reference segments */
    stats_result result;           /* what is not in the total yet */
    size_t read;                   /* bytes since the size of its counts was looked at */
    size_t file;
    bipe_member_use member[2];     /* of records: that makes groups, and clusters */
    uint64_t unit;                 /* the present document's */
    uint64_t seen;                 /* raw bytes of it that progress knows */
    bool taken;
    bipe_error error;              /* what ends all work; BIPE_OK: nothing so far */
} reader;

/* The errors of a file that has to wait for files before it. */
typedef struct file_report {
    bipe_spool *spool; /* of bipe_errors; NULL: none */
    bool done;
} file_report;

typedef struct file_size {
    uint64_t size;
    size_t index;
} file_size;

typedef struct reading {
    const stats_reading *set;
    bipe_jobs *jobs;
    reader *reader;         /* (readers) */
    size_t readers;
    file_size *order;       /* (files) in which they are read: the largest first */
    size_t counts_most;
    bool hold;              /* errors wait until all files have been read: too many groups are then the only error,
                               whoever finds them first */
    pthread_mutex_t lock;   /* of what follows, of `taken` and of the tool */
    file_report *report;    /* (files) */
    size_t next_report;     /* the files before it are done and reported */
    uint64_t bytes;         /* raw bytes read, for progress */
    stats_result *total;
    bipe_error error;       /* what ended all work; BIPE_OK: nothing */
    atomic_bool stopped;
} reading;

static bool wants_document(void *context, size_t input, uint64_t document);

static int open_reader(reading *r, reader *w, bipe_error *err)
{
    const stats_reading *set = r->set;
    size_t n = set->stream.spec_count;
    const bipe_stream_sharing sharing = {.jobs = r->jobs, .busy = set->busy, .wants = wants_document, .context = w};
    stats_result_open(&w->result, bipe_tokenizer_spec(set->stream.tokenizer), set->stream.specs, n, set->group_by,
                      set->cluster);
    w->result.choice = set->choice;
    w->lexical = (bipe_lexical){.keep_case = set->choice.keep_case, .order = set->choice.lexical};
    w->squeeze = set->choice.squeeze ? bipe_tool_alloc(n, sizeof *w->squeeze) : NULL;
    w->finer = !set->choice.squeeze ? bipe_tool_alloc(n, sizeof *w->finer) : NULL;
    w->counter = bipe_tool_alloc(n, sizeof(bipe_window_counter *));
    w->judge = set->gold != NULL ? stats_judge_open(set->stream.specs, n, set->misses) : NULL;
    int status = bipe_stream_open_shared(&w->stream, &set->stream, &sharing, err);
    for (size_t i = 0; i < n && status == BIPE_OK; i++)
        status =
            bipe_window_counter_open(&w->counter[i], set->lengths, set->length_count, &w->result.all.tally[i], err);
    if (status == BIPE_OK && w->finer != NULL)
        status = stats_finer_find(w->finer, set->stream.specs, n, err);
    return status;
}

static void close_reader(reader *w, size_t segmenters)
{
    for (size_t i = 0; w->counter != NULL && i < segmenters; i++)
        bipe_window_counter_close(w->counter[i]);
    for (size_t i = 0; w->finer != NULL && i < segmenters; i++)
        bipe_histogram_free(&w->finer[i].inner);
    bipe_free(w->finer);
    bipe_free(w->squeeze);
    bipe_lexical_free(&w->lexical);
    stats_judge_close(w->judge);
    bipe_free(w->counter);
    bipe_stream_close(w->stream);
    stats_result_close(&w->result);
}

/* ---- reports ---- */

/* Prints the errors that waited for file `i`; with the lock. */
static void print_waiting(reading *r, size_t i, bipe_error *err)
{
    bipe_spool *spool = r->report[i].spool;
    bipe_error waiting;
    for (uint64_t at = 0; spool != NULL && at < bipe_spool_size(spool) && err->status == BIPE_OK; at += sizeof waiting)
        if (bipe_spool_read(spool, at, &waiting, sizeof waiting, err) == BIPE_OK)
            bipe_tool_error(r->set->tool, &waiting);
    bipe_spool_close(spool);
    r->report[i].spool = NULL;
}

/* Something about the file failed: reported at once when all files before it are done and nothing is held, otherwise
 * kept. */
static void report_error(reading *r, reader *w, const bipe_error *problem)
{
    file_report *report = &r->report[w->file];
    pthread_mutex_lock(&r->lock);
    if (r->set->group != NULL)
        r->set->group->errors++;
    if (w->file == r->next_report && !r->hold)
        bipe_tool_error(r->set->tool, problem);
    else if (report->spool != NULL || bipe_spool_open(&report->spool, SPOOL_MEMORY, &w->error) == BIPE_OK)
        bipe_spool_append(report->spool, problem, sizeof *problem, &w->error);
    pthread_mutex_unlock(&r->lock);
}

static void finish_report(reading *r, reader *w)
{
    size_t count = r->set->files.count;
    pthread_mutex_lock(&r->lock);
    r->report[w->file].done = true;
    while (w->error.status == BIPE_OK && !r->hold && r->next_report < count && r->report[r->next_report].done)
        if (++r->next_report < count)
            print_waiting(r, r->next_report, &w->error);
    pthread_mutex_unlock(&r->lock);
}

/* ---- documents ---- */

/* Adds what was read of the file since the last time to the progress. */
static void advance_progress(reading *r, reader *w)
{
    uint64_t now = bipe_stream_raw(w->stream);
    if (now == w->seen)
        return;
    pthread_mutex_lock(&r->lock);
    r->bytes += now - w->seen;
    bipe_progress_update(&r->set->tool->progress, r->set->files.path[w->file], r->bytes);
    pthread_mutex_unlock(&r->lock);
    w->seen = now;
}

static size_t measure_memory(const stats_part *part, size_t count)
{
    size_t memory = 0;
    for (size_t i = 0; part->measure != NULL && i < count; i++)
        memory += part->measure[i].capacity * sizeof(bipe_unit_bin);
    return memory;
}

/* Adds large counts to the total; the reader starts again without any. */
static void hand_in_counts(reading *r, reader *w)
{
    stats_result *own = &w->result;
    size_t measures = own->count * stats_measures(&own->choice), memory = measure_memory(&own->all, measures);
    for (size_t k = 0; k < own->parts; k++)
        memory += measure_memory(&own->part[k], measures);
    for (size_t i = 0; i < own->count; i++) {
        memory += bipe_window_counter_memory(w->counter[i]);
        for (size_t k = 0; k < own->parts; k++)
            memory += bipe_tally_memory(&own->part[k].tally[i]);
    }
    w->read = 0;
    if (memory <= r->counts_most / r->readers)
        return;
    pthread_mutex_lock(&r->lock);
    stats_result_merge(r->total, own, &w->error);
    pthread_mutex_unlock(&r->lock);
    stats_result_drop_parts(own);
    for (size_t i = 0; i < own->count; i++)
        bipe_tally_free(&own->all.tally[i]);
    for (size_t i = 0; own->all.measure != NULL && i < measures; i++)
        bipe_unit_bins_free(&own->all.measure[i]);
    own->files = own->all.documents = own->all.bytes = own->all.tokens = 0;
}

/* Where the present document counts: in its group or file, or in all. Groups are known when it has been read. NULL:
 * that failed. */
static stats_part *find_part(const reading *r, reader *w)
{
    const char *path = r->set->files.path[w->file], *group_by = r->set->group_by, *name = path;
    char *folder = NULL;
    stats_part *part = &w->result.all;
    if (group_by != NULL && strcmp(group_by, BIPE_GROUP_FOLDER) == 0) {
        name = folder = bipe_group_folder(path);
    } else if (group_by != NULL) {
        name = bipe_stream_member(w->stream, 0);
        bipe_member_see(&w->member[0], name != NULL, w->file, path);
    }
    if (w->error.status == BIPE_OK && (r->set->per_file || group_by != NULL))
        stats_result_part(&w->result, name == NULL ? BIPE_GROUP_NONE : name, r->set->per_file ? w->file : 0, &part,
                          &w->error);
    bipe_free(folder);
    if (w->error.status == BIPE_ERR_LIMIT && !r->hold)
        bipe_error_prefix(&w->error, "%s: document %llu", path, (unsigned long long)bipe_stream_document(w->stream));
    return w->error.status == BIPE_OK ? part : NULL;
}

/* The document is a unit by what names it, the same on every machine; or its cluster is. */
static uint64_t find_unit(const reading *r, reader *w)
{
    const char *path = r->set->files.path[w->file], *by = r->set->cluster, *value = NULL;
    uint64_t hash = bipe_hash_bytes(BIPE_HASH_EMPTY, path, strlen(path) + 1), document = UINT64_MAX; /* all of them */
    if (bipe_cluster_is_member(by)) {
        value = bipe_stream_member(w->stream, r->set->stream.member_count - 1);
        bipe_member_see(&w->member[1], value != NULL, w->file, path);
    }
    if (by == NULL || bipe_cluster_is_member(by))
        document = bipe_stream_document(w->stream);
    hash = value != NULL ? bipe_hash_text(BIPE_HASH_EMPTY, value) : bipe_hash_uint(hash, document);
    return hash >> (64 - BIPE_UNIT_KEY_BITS);
}

/* sentences: of the document under that segmenter. */
static int add_lexical(reader *w, stats_part *part, size_t segmenter, bipe_tally *sentences)
{
    double value[BIPE_LEXICAL_COUNT];
    uint64_t unit;
    bipe_distribution lengths = {0};
    const bipe_tally_row *row = bipe_tool_need(bipe_tally_row_at(sentences, BIPE_TALLY_DOCUMENT));
    int status = bipe_distribution_open(&lengths, &row->tokens, &w->error);
    if (status == BIPE_OK)
        status = bipe_lexical_values(&w->lexical, &lengths, value, &w->error);
    bipe_distribution_close(&lengths);
    stats_part_measure(part, &w->result);
    for (int id = 0; id < BIPE_LEXICAL_COUNT && status == BIPE_OK; id++)
        if (bipe_lexical_unit((bipe_lexical_id)id, value[id], &unit))
            status = bipe_unit_bins_add(&part->measure[segmenter * BIPE_LEXICAL_COUNT + (size_t)id], w->unit, unit,
                                        1, &w->error);
    return status;
}

static int add_agreement(reader *w, stats_part *part, size_t segmenter)
{
    bipe_agreement value[BIPE_AGREEMENT_COUNT];
    int status = BIPE_OK;
    stats_part_measure(part, &w->result);
    if (!stats_judge_find(w->judge, segmenter, value))
        return BIPE_OK;
    for (size_t id = 0; id < BIPE_AGREEMENT_COUNT && status == BIPE_OK; id++)
        status = bipe_unit_bins_add(&part->measure[segmenter * BIPE_AGREEMENT_COUNT + id], w->unit,
                                    value[id].sum, value[id].weight, &w->error);
    return status;
}

/* The words of the document, to the total. */
static int add_words(const reading *r, reader *w, const stats_part *part)
{
    const bipe_lexical *l = &w->lexical;
    bipe_word_table *list = &r->total->words;
    uint32_t number = 0;
    int status = bipe_word_table_part(list, r->set->group_by != NULL ? stats_group_key(part->name) : w->unit, &number,
                                      &w->error);
    bool fresh = status == BIPE_OK && list->part[number].documents == 0;
    for (size_t t = 0; t < l->types.count && status == BIPE_OK; t++) {
        const bipe_word_type *type = &l->types.type[t];
        const bipe_word_count count = bipe_word_count_document(l->frequency[t], l->words);
        status = bipe_word_table_add(list, number, fresh, l->types.text.data + type->at, type->size, &count, &w->error);
    }
    if (status == BIPE_OK)
        bipe_word_part_add(&list->part[number], 1, l->words, bipe_word_count_document(l->words, l->words).squares);
    return status;
}

/* The present document, all of which has been counted, counts. */
static void finish_document(reading *r, reader *w, uint64_t bytes, uint64_t tokens)
{
    stats_part *part = find_part(r, w);
    uint64_t own_tokens, segments;
    bool lexical = r->set->choice.lexical;
    bipe_tally own = {0}; /* of the document, where it is looked at */
    w->unit = find_unit(r, w);
    int status = part != NULL ? BIPE_OK : (int)w->error.status;
    for (size_t i = 0; i < w->result.count && status == BIPE_OK; i++) {
        if (lexical || part != &w->result.all)
            status = bipe_window_counter_tally(w->counter[i], lexical ? &own : &part->tally[i], &w->error);
        if (status == BIPE_OK)
            status = bipe_window_counter_end(w->counter[i], &own_tokens, &segments, &w->error);
        if (status == BIPE_OK && w->finer != NULL)
            status = stats_finer_end(&w->finer[i], segments, &part->tally[i], &w->error);
        if (status == BIPE_OK && part->units != NULL)
            status = bipe_unit_bins_add(&part->units[i], w->unit, own_tokens, segments, &w->error);
        if (status == BIPE_OK && lexical)
            status = add_lexical(w, part, i, &own);
        if (status == BIPE_OK && lexical)
            status = bipe_tally_add(&part->tally[i], &own, &w->error);
        bipe_tally_free(&own);
        if (status == BIPE_OK && w->judge != NULL)
            status = add_agreement(w, part, i);
        if (status == BIPE_OK && (lexical || part != &w->result.all))
            status = bipe_window_counter_tally(w->counter[i], &w->result.all.tally[i], &w->error);
    }
    if (status == BIPE_OK && w->judge != NULL)
        status = stats_judge_collect(w->judge, &w->error);
    if (status == BIPE_OK && r->set->choice.words) {
        pthread_mutex_lock(&r->lock);
        status = add_words(r, w, part);
        pthread_mutex_unlock(&r->lock);
    }
    if (status != BIPE_OK)
        return;
    pthread_mutex_lock(&r->lock);
    bipe_languages_count(r->set->tool, w->stream, r->set->stream.specs);
    pthread_mutex_unlock(&r->lock);
    part->documents++;
    part->bytes += bytes;
    part->tokens += tokens;
}

/* One document. Whether it was read to its end; what cannot be read is reported. */
static bool count_document(reading *r, reader *w)
{
    size_t n = w->result.count;
    uint64_t bytes = 0, tokens = 0;
    bool words = r->set->choice.lexical || r->set->choice.words;
    for (size_t i = 0; i < n; i++)
        bipe_window_counter_begin(w->counter[i]);
    bipe_lexical_begin(&w->lexical);
    for (size_t i = 0; i < n && w->finer != NULL; i++)
        stats_finer_begin(&w->finer[i]);
    for (size_t i = 0; i < n && w->squeeze != NULL; i++)
        stats_squeeze_begin(&w->squeeze[i]);
    if (w->judge != NULL)
        stats_judge_begin(w->judge, bipe_stream_document(w->stream), &w->error);
    for (bipe_batch batch = {0}; !batch.last && w->error.status == BIPE_OK;) {
        bipe_error problem = {0}; /* all of it may be kept */
        if (bipe_stream_read(w->stream, &batch, &problem) != BIPE_OK) {
            report_error(r, w, &problem);
            return false;
        }
        bytes += batch.byte_count;
        tokens += batch.token_count;
        for (size_t i = 0; i < n && w->finer != NULL && w->error.status == BIPE_OK; i++)
            stats_finer_feed(&w->finer[i], &batch, i, &w->error);
        for (size_t i = 0; i < n && w->error.status == BIPE_OK; i++)
            if (w->squeeze != NULL)
                stats_squeeze_feed(&w->squeeze[i], &batch, i, w->counter[i], &w->error);
            else
                bipe_window_counter_feed(w->counter[i], batch.token_count, batch.closes[i], batch.close_count[i],
                                         &w->error);
        if (w->judge != NULL && w->error.status == BIPE_OK)
            stats_judge_feed(w->judge, &batch, &w->error);
        if (words && w->error.status == BIPE_OK && bipe_lexical_feed(&w->lexical, &batch, &w->error) != BIPE_OK)
            bipe_error_prefix(&w->error, "%s: document %llu", r->set->files.path[w->file],
                              (unsigned long long)bipe_stream_document(w->stream));
        advance_progress(r, w);
    }
    if (w->error.status == BIPE_OK)
        finish_document(r, w, bytes, tokens);
    w->read += bytes;
    if (w->error.status == BIPE_OK && w->read >= COUNTS_LOOK)
        hand_in_counts(r, w);
    return true;
}

/* One of each so many consecutive numbers, at random. */
static bool is_chosen(const stats_choice *choice, uint64_t number)
{
    uint64_t state = choice->seed ^ (number / choice->every + 1) * UINT64_C(0xD1342543DE82EF95);
    return bipe_random_below(&state, choice->every) == number % choice->every;
}

/* Whether a document of file `i` is for this process. */
static bool is_own(const stats_reading *set, size_t i, uint64_t document)
{
    const bipe_shard_group *g = set->group;
    if (set->choice.every != 0 && !is_chosen(&set->choice, i + document))
        return false;
    return g == NULL || !g->documents || (i + document) % g->count == g->index[0];
}

static bool wants_document(void *context, size_t input, uint64_t document)
{
    const reader *w = context;
    (void)input;
    return is_own(w->all->set, w->file, document);
}

/* One file. A file counts when it was read to its end, broken records or not. */
static void count_file(reading *r, reader *w)
{
    const char *path = r->set->files.path[w->file];
    bipe_shard_file *shared = r->set->group != NULL && r->set->group->documents ? &r->set->group->file[w->file] : NULL;
    bipe_error problem = {0};
    uint64_t good = 0, bad = 0;
    int status;
    w->seen = 0;
    if (bipe_stream_input(w->stream, path, &problem) != BIPE_OK) {
        if (shared != NULL)
            shared->bad = 1;
        if (is_own(r->set, w->file, 0))
            report_error(r, w, &problem);
        return;
    }
    if (w->judge != NULL)
        stats_judge_file(w->judge, path, w->file, r->set->gold[w->file], &w->error);
    while (w->error.status == BIPE_OK && (status = bipe_stream_next_document(w->stream, &problem)) != BIPE_END) {
        if (status != BIPE_OK)
            report_error(r, w, &problem);
        bool whole = status == BIPE_OK && count_document(r, w);
        good += whole;
        bad += !whole;
    }
    if (w->error.status != BIPE_OK)
        return;
    pthread_mutex_lock(&r->lock);
    bipe_inputs_judge(r->set->tool, w->stream, w->file, path);
    if (w->judge != NULL)
        stats_judge_end_file(w->judge, bad != 0 || shared != NULL ? BIPE_NO_UINT : good, &r->total->misses, &w->error);
    pthread_mutex_unlock(&r->lock);
    if (shared != NULL)
        *shared = (bipe_shard_file){.good = good, .bad = bad};
    else
        w->result.files += bad == 0 || good != 0;
    if (r->set->per_file && bad == 0)
        find_part(r, w);
}

/* ---- files ---- */

/* A reader that is free; there are as many as files are read at a time. */
static reader *take_reader(reading *r)
{
    reader *w = r->reader;
    pthread_mutex_lock(&r->lock);
    while (w->taken)
        w++;
    w->taken = true;
    pthread_mutex_unlock(&r->lock);
    return w;
}

static void read_stats_file(void *context, size_t place)
{
    reading *r = context;
    if (atomic_load(&r->stopped))
        return;
    reader *w = take_reader(r);
    w->file = r->order[place].index;
    count_file(r, w);
    if (w->error.status == BIPE_OK)
        finish_report(r, w);
    pthread_mutex_lock(&r->lock);
    w->taken = false;
    if (w->error.status != BIPE_OK && !atomic_exchange(&r->stopped, true))
        r->error = w->error;
    pthread_mutex_unlock(&r->lock);
}

static int compare_sizes(const void *a, const void *b)
{
    const file_size *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->index < y->index ? -1 : 1;
}

/* The order of reading: by falling size, so that no large file is left over at the end. */
static void find_order(reading *r)
{
    size_t count = r->set->files.count;
    r->order = bipe_tool_alloc(count, sizeof *r->order);
    for (size_t i = 0; i < count; i++) {
        struct stat s;
        bool known = stat(r->set->files.path[i], &s) == 0 && S_ISREG(s.st_mode);
        r->order[i] = (file_size){.size = known ? (uint64_t)s.st_size : 0, .index = i};
    }
    qsort(r->order, count, sizeof *r->order, compare_sizes);
}

static int read_all_files(reading *r, bipe_error *err)
{
    find_order(r);
    int status = bipe_stream_jobs_open(&r->jobs, r->set->threads, err);
    for (size_t i = 0; i < r->readers && status == BIPE_OK; i++) {
        r->reader[i].all = r;
        status = open_reader(r, &r->reader[i], err);
    }
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(r->set->tool, "bytes", bipe_files_size(r->set->files));
    bipe_jobs_each(r->jobs, r->set->files.count, r->readers, read_stats_file, r);
    bipe_progress_clear(&r->set->tool->progress);
    *err = r->error;
    status = (int)err->status;
    for (size_t i = 0; i < r->readers; i++)
        for (size_t k = 0; k < BIPE_COUNT_OF(r->reader[i].member); k++)
            bipe_member_add(&r->set->tool->member[k], &r->reader[i].member[k]);
    for (size_t i = 0; i < r->readers && status == BIPE_OK; i++)
        status = stats_result_merge(r->total, &r->reader[i].result, err);
    if (status == BIPE_ERR_LIMIT && r->hold)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d groups by \"%.100s\" in these files, expected fewer",
                         BIPE_GROUPS_MOST, r->set->group_by);
    for (size_t i = 0; i < r->set->files.count && status == BIPE_OK; i++) {
        print_waiting(r, i, err);
        status = (int)err->status;
    }
    if (status == BIPE_OK)
        stats_part_measure(&r->total->all, r->total);
    return status == BIPE_OK ? stats_result_sum(r->total, err) : status;
}

int stats_read(const stats_reading *set, stats_result *result, bipe_error *err)
{
    size_t at_once = bipe_tool_at_once(set->files);
    reading r = {.set = set, .readers = set->threads < at_once ? set->threads : at_once, .total = result,
                 .hold = set->group_by != NULL && set->files.count > 1,
                 .counts_most = set->counts_most != 0 ? set->counts_most : COUNTS_MOST};
    pthread_mutex_init(&r.lock, NULL);
    r.reader = bipe_tool_alloc(r.readers, sizeof *r.reader);
    r.report = bipe_tool_alloc(set->files.count, sizeof *r.report);
    int status = read_all_files(&r, err);
    for (size_t i = 0; i < r.readers; i++)
        close_reader(&r.reader[i], set->stream.spec_count);
    for (size_t i = 0; i < set->files.count; i++)
        bipe_spool_close(r.report[i].spool);
    bipe_jobs_close(r.jobs);
    bipe_free(r.reader);
    bipe_free(r.report);
    bipe_free(r.order);
    pthread_mutex_destroy(&r.lock);
    return status;
}
