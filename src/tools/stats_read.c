/* stats_read.c - the loop of bipe-stats over files, several at a time. Each file that is read has a stream and counts of its own; since counts
 * add up in any order, the result does not depend on which thread read which file. Errors are reported in the order of the files. */
#include "tools/bipe_stats.h"

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
#include "measure/window_counter.h"
#include "tools/group_names.h"
#include "tools/tool_inputs.h"

/* Counts of all readers together may have so many bytes; one that has more than its share when it has read some adds them to the total. */
enum { SPOOL_MEMORY = 1 << 16, COUNTS_MOST = 40 << 20, COUNTS_LOOK = 1 << 20 };

/* A thread's state for reading files. */
typedef struct reader {
    struct reading *all;
    bipe_stream *stream;
    bipe_window_counter **counter; /* (segmenters) */
    stats_squeeze *squeeze;        /* (segmenters) NULL: blank segments count */
    stats_result result;           /* what is not in the total yet */
    size_t read;                   /* bytes since the size of its counts was looked at */
    size_t file;
    bool taken;
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
    bool hold;              /* errors wait until all files have been read: too many groups are then the only error, whoever finds them first */
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
    bipe_stream_options options = set->stream;
    options.jobs = r->jobs;
    options.wants = wants_document;
    options.context = w;
    int status = stats_result_open(&w->result, bipe_tokenizer_spec(set->stream.tokenizer), set->stream.specs, n, set->group_by, err);
    w->result.choice = set->choice;
    if (status == BIPE_OK && set->choice.squeeze && (w->squeeze = bipe_alloc(n, sizeof *w->squeeze)) == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = bipe_stream_open(&w->stream, &options, err);
    if (status == BIPE_OK && (w->counter = bipe_alloc(n, sizeof(bipe_window_counter *))) == NULL)
        status = bipe_fail_memory(err);
    for (size_t i = 0; i < n && status == BIPE_OK; i++)
        status = bipe_window_counter_open(&w->counter[i], set->lengths, set->length_count, &w->result.all.tally[i], err);
    return status;
}

static void close_reader(reader *w, size_t segmenters)
{
    for (size_t i = 0; w->counter != NULL && i < segmenters; i++)
        bipe_window_counter_close(w->counter[i]);
    bipe_free(w->squeeze);
    bipe_free(w->counter);
    bipe_stream_close(w->stream);
    stats_result_close(&w->result);
}

/* ---- reports ---- */

/* Prints the errors that waited for file `i`; with the lock. */
static int print_waiting(reading *r, size_t i, bipe_error *err)
{
    bipe_spool *spool = r->report[i].spool;
    if (spool == NULL)
        return BIPE_OK;
    int status = BIPE_OK;
    uint64_t size = bipe_spool_size(spool);
    for (uint64_t at = 0; at < size && status == BIPE_OK; at += sizeof(bipe_error)) {
        bipe_error waiting;
        status = bipe_spool_read(spool, at, &waiting, sizeof waiting, err);
        if (status == BIPE_OK)
            bipe_tool_error(r->set->tool, &waiting);
    }
    bipe_spool_close(spool);
    r->report[i].spool = NULL;
    return status;
}

/* Something about file `i` failed: reported at once when all files before it are done and nothing is held, otherwise kept. */
static int report_error(reading *r, size_t i, const bipe_error *problem, bipe_error *err)
{
    int status = BIPE_OK;
    pthread_mutex_lock(&r->lock);
    if (r->set->group != NULL)
        r->set->group->errors++;
    if (i == r->next_report && !r->hold) {
        bipe_tool_error(r->set->tool, problem);
    } else {
        if (r->report[i].spool == NULL)
            status = bipe_spool_open(&r->report[i].spool, SPOOL_MEMORY, err);
        if (status == BIPE_OK)
            status = bipe_spool_append(r->report[i].spool, problem, sizeof *problem, err);
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

static int finish_report(reading *r, size_t i, bipe_error *err)
{
    int status = BIPE_OK;
    pthread_mutex_lock(&r->lock);
    r->report[i].done = true;
    while (status == BIPE_OK && !r->hold && r->next_report < r->set->files.count && r->report[r->next_report].done) {
        r->next_report++;
        if (r->next_report < r->set->files.count)
            status = print_waiting(r, r->next_report, err);
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* ---- documents ---- */

/* Adds what was read of the file since *seen to the progress. */
static void advance(reading *r, const reader *w, uint64_t *seen)
{
    uint64_t now = bipe_stream_raw(w->stream);
    if (now == *seen)
        return;
    pthread_mutex_lock(&r->lock);
    r->bytes += now - *seen;
    bipe_progress_update(&r->set->tool->progress, r->set->files.path[w->file], r->bytes);
    pthread_mutex_unlock(&r->lock);
    *seen = now;
}

/* Counts that have become many go to the total, and the reader goes on with none. */
static int hand_in(reading *r, reader *w, bipe_error *err)
{
    size_t memory = 0;
    for (size_t i = 0; i < w->result.count; i++) {
        memory += bipe_window_counter_memory(w->counter[i]);
        for (size_t k = 0; k < w->result.parts; k++)
            memory += bipe_tally_memory(&w->result.part[k].tally[i]);
    }
    w->read = 0;
    if (memory <= r->counts_most / r->readers)
        return BIPE_OK;
    pthread_mutex_lock(&r->lock);
    int status = stats_result_merge(r->total, &w->result, err);
    pthread_mutex_unlock(&r->lock);
    stats_result *own = &w->result;
    stats_result_drop_parts(own);
    for (size_t i = 0; i < own->count; i++)
        bipe_tally_free(&own->all.tally[i]);
    own->files = own->all.documents = own->all.bytes = own->all.tokens = 0;
    return status;
}

/* Where the present document counts: in its group or file, or in all. Groups are known when it has been read. */
static int find_part(const reading *r, reader *w, stats_part **part, bipe_error *err)
{
    const char *path = r->set->files.path[w->file], *group_by = r->set->group_by, *name;
    char *folder = NULL;
    *part = &w->result.all;
    if (r->set->per_file)
        return stats_result_part(&w->result, path, w->file, part, err);
    if (group_by == NULL)
        return BIPE_OK;
    if (strcmp(group_by, BIPE_GROUP_FOLDER) == 0) {
        if ((folder = bipe_group_folder(path)) == NULL)
            return bipe_fail_memory(err);
        name = folder;
    } else {
        name = bipe_stream_member(w->stream, 0);
    }
    int status = stats_result_part(&w->result, name == NULL ? BIPE_GROUP_NONE : name, 0, part, err);
    bipe_free(folder);
    return status == BIPE_ERR_LIMIT && !r->hold ? bipe_error_prefix(err, "%s: document %llu", path, (unsigned long long)bipe_stream_document(w->stream)) : status;
}

/* The document is a unit by what names it, the same on every machine. */
static uint64_t document_key(const reading *r, const reader *w)
{
    const char *path = r->set->files.path[w->file];
    uint64_t hash = bipe_hash_bytes(BIPE_HASH_EMPTY, path, strlen(path) + 1);
    return bipe_hash_uint(hash, bipe_stream_document(w->stream)) >> (64 - BIPE_UNIT_KEY_BITS);
}

/* The present document, all of which has been counted, counts. */
static int finish_document(const reading *r, reader *w, uint64_t bytes, uint64_t tokens, bipe_error *err)
{
    stats_part *part;
    uint64_t own_tokens, segments;
    int status = find_part(r, w, &part, err);
    for (size_t i = 0; i < w->result.count && status == BIPE_OK; i++) {
        if (part != &w->result.all)
            status = bipe_window_counter_tally(w->counter[i], &part->tally[i], err);
        if (status == BIPE_OK)
            status = bipe_window_counter_end(w->counter[i], &own_tokens, &segments, err);
        if (status == BIPE_OK && part->units != NULL)
            status = bipe_unit_bins_add(&part->units[i], document_key(r, w), own_tokens, segments, err);
        if (status == BIPE_OK && part != &w->result.all)
            status = bipe_window_counter_tally(w->counter[i], &w->result.all.tally[i], err);
    }
    if (status != BIPE_OK)
        return status;
    part->documents++;
    part->bytes += bytes;
    part->tokens += tokens;
    return BIPE_OK;
}

/* One document. *whole: it was read to its end; otherwise `problem` says why not. The status is of what ends all work. */
static int count_document(reading *r, reader *w, uint64_t *seen, bool *whole, bipe_error *problem, bipe_error *err)
{
    size_t n = w->result.count;
    uint64_t bytes = 0, tokens = 0;
    int status = BIPE_OK;
    *whole = false;
    for (size_t i = 0; i < n; i++)
        bipe_window_counter_begin(w->counter[i]);
    for (size_t i = 0; i < n && w->squeeze != NULL; i++)
        stats_squeeze_begin(&w->squeeze[i]);
    for (bipe_batch batch = {0}; !batch.last;) {
        if (bipe_stream_read(w->stream, &batch, problem) != BIPE_OK)
            return BIPE_OK;
        bytes += batch.byte_count;
        tokens += batch.token_count;
        for (size_t i = 0; i < n && status == BIPE_OK; i++)
            status = w->squeeze != NULL
                         ? stats_squeeze_feed(&w->squeeze[i], &batch, i, w->counter[i], err)
                         : bipe_window_counter_feed(w->counter[i], batch.token_count, batch.closes[i], batch.close_count[i], err);
        if (status != BIPE_OK)
            return status;
        advance(r, w, seen);
    }
    status = finish_document(r, w, bytes, tokens, err);
    if (status != BIPE_OK)
        return status;
    *whole = true;
    w->read += bytes;
    return w->read >= COUNTS_LOOK ? hand_in(r, w, err) : BIPE_OK;
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
    const stats_group *g = set->group;
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
static int count_file(reading *r, reader *w, bipe_error *err)
{
    const char *path = r->set->files.path[w->file];
    bipe_error problem = {0};
    uint64_t seen = 0;
    int status = bipe_stream_input(w->stream, path, &problem);
    stats_file_read *shared = r->set->group != NULL && r->set->group->documents ? &r->set->group->file[w->file] : NULL;
    if (status != BIPE_OK) {
        if (shared != NULL)
            shared->bad = 1;
        return is_own(r->set, w->file, 0) ? report_error(r, w->file, &problem, err) : BIPE_OK;
    }
    uint64_t good = 0, bad = 0;
    while ((status = bipe_stream_next_document(w->stream, &problem)) != BIPE_END) {
        bool whole = false;
        status = status == BIPE_OK ? count_document(r, w, &seen, &whole, &problem, err) : BIPE_OK;
        if (status == BIPE_OK && !whole)
            status = report_error(r, w->file, &problem, err);
        if (status != BIPE_OK)
            return status;
        good += whole;
        bad += !whole;
    }
    pthread_mutex_lock(&r->lock);
    bipe_inputs_judge(r->set->tool, w->stream, w->file, path);
    pthread_mutex_unlock(&r->lock);
    if (shared != NULL)
        *shared = (stats_file_read){.good = good, .bad = bad};
    else
        w->result.files += bad == 0 || good != 0;
    stats_part *unused;
    return r->set->per_file && bad == 0 ? find_part(r, w, &unused, err) : BIPE_OK;
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

static void read_file(void *context, size_t place)
{
    reading *r = context;
    bipe_error err = {0};
    if (atomic_load(&r->stopped))
        return;
    reader *w = take_reader(r);
    w->file = r->order[place].index;
    int status = count_file(r, w, &err);
    if (status == BIPE_OK)
        status = finish_report(r, w->file, &err);
    pthread_mutex_lock(&r->lock);
    w->taken = false;
    if (status != BIPE_OK && !atomic_exchange(&r->stopped, true))
        r->error = err;
    pthread_mutex_unlock(&r->lock);
}

static int falling(const void *a, const void *b)
{
    const file_size *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->index < y->index ? -1 : 1;
}

/* The order of reading: by falling size, so that no large file is left over at the end. */
static int find_order(reading *r, bipe_error *err)
{
    size_t count = r->set->files.count;
    r->order = bipe_alloc(count, sizeof *r->order);
    if (r->order == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        struct stat s;
        bool known = stat(r->set->files.path[i], &s) == 0 && S_ISREG(s.st_mode);
        r->order[i] = (file_size){.size = known ? (uint64_t)s.st_size : 0, .index = i};
    }
    qsort(r->order, count, sizeof *r->order, falling);
    return BIPE_OK;
}

static int read_all(reading *r, bipe_error *err)
{
    int status = find_order(r, err);
    if (status == BIPE_OK)
        status = bipe_stream_jobs_open(&r->jobs, r->set->threads, err);
    for (size_t i = 0; i < r->readers && status == BIPE_OK; i++) {
        r->reader[i].all = r;
        status = open_reader(r, &r->reader[i], err);
    }
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(r->set->tool, "bytes", bipe_files_size(r->set->files));
    bipe_jobs_each(r->jobs, r->set->files.count, r->readers, read_file, r);
    bipe_progress_clear(&r->set->tool->progress);
    *err = r->error;
    status = (int)err->status;
    for (size_t i = 0; i < r->readers && status == BIPE_OK; i++)
        status = stats_result_merge(r->total, &r->reader[i].result, err);
    if (status == BIPE_ERR_LIMIT && r->hold)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d groups by \"%.100s\" in these files, expected fewer", BIPE_GROUPS_MOST, r->set->group_by);
    for (size_t i = 0; i < r->set->files.count && status == BIPE_OK; i++)
        status = print_waiting(r, i, err);
    return status == BIPE_OK ? stats_result_sum(r->total, err) : status;
}

int stats_read(const stats_reading *set, stats_result *result, bipe_error *err)
{
    size_t at_once = bipe_tool_at_once(set->files);
    reading r = {.set = set, .readers = set->threads < at_once ? set->threads : at_once, .total = result,
                 .hold = set->group_by != NULL && set->files.count > 1,
                 .counts_most = set->counts_most != 0 ? set->counts_most : COUNTS_MOST};
    pthread_mutex_init(&r.lock, NULL);
    r.reader = bipe_alloc(r.readers, sizeof *r.reader);
    r.report = bipe_alloc(set->files.count, sizeof *r.report);
    int status = r.reader != NULL && r.report != NULL ? read_all(&r, err) : bipe_fail_memory(err);
    for (size_t i = 0; r.reader != NULL && i < r.readers; i++)
        close_reader(&r.reader[i], set->stream.spec_count);
    for (size_t i = 0; r.report != NULL && i < set->files.count; i++)
        bipe_spool_close(r.report[i].spool);
    bipe_jobs_close(r.jobs);
    bipe_free(r.reader);
    bipe_free(r.report);
    bipe_free(r.order);
    pthread_mutex_destroy(&r.lock);
    return status;
}
