/* stats_read.c - a loop over files on several threads. Each thread has a stream and counts of its own; since counts add up in any
 * order, the result does not depend on which thread read which file. Errors are reported in the order of the files. */
#include "tools/stats_read.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/spool.h"
#include "base/threads.h"
#include "measure/turn.h"
#include "measure/window_counter.h"
#include "tools/stats_squeeze.h"
#include "tools/tool_inputs.h"

/* Counts of all threads together may have so much room before those who have more than their share add theirs to the total, or have the turn
 * while they count a document; they look when they have read so many bytes. */
enum { SPOOL_MEMORY = 1 << 16, LARGE = 1 << 22, COUNTS_ROOM = 40 << 20, COUNTS_LOOK = 1 << 20 };

/* What a thread has. */
typedef struct worker {
    bipe_stream *stream;
    bipe_window_counter **counter; /* (segmenters) */
    stats_squeeze *squeeze;        /* (segmenters) NULL: blank segments count */
    stats_result result;           /* what is not in the total yet */
    size_t room, read;             /* of its counts, when it looked last; bytes since then */
    bool crowded;                  /* its counts had more than their share of the room */
    bipe_error error;              /* what ended its work */
} worker;

/* The errors of a file that has to wait for files before it. */
typedef struct file_report {
    bipe_spool *spool; /* of bipe_errors; NULL: none */
    bool done;
} file_report;

typedef struct reading {
    const stats_reading *set;
    worker *worker;
    file_report *report;    /* (files) */
    pthread_mutex_t lock;   /* of what follows, of `report` and of the tool */
    size_t next_report;     /* the files before it are done and reported */
    size_t *order;          /* (files) in which they are read: the largest first */
    size_t alone;           /* how many of them are read one by one, before the others */
    size_t workers;         /* the threads that read the others */
    bipe_turn turn;         /* of their streams */
    uint64_t bytes;         /* raw bytes read, for progress */
    stats_result *total;
    size_t counts_room;     /* for all counts that are not in it; */
    atomic_size_t room;     /* what they have, more or less */
    atomic_size_t next;     /* the place in `order` that is read next */
    atomic_bool stopped;    /* a thread cannot go on */
} reading;

/* threads: that tokenize a document together. */
static int open_worker(worker *w, const stats_reading *set, size_t threads, bipe_turn *turn, bipe_error *err)
{
    size_t n = set->stream.spec_count;
    bipe_stream_options options = set->stream;
    options.threads = threads;
    options.turn = turn;
    options.just_counts = !set->choice.squeeze;
    options.want_bytes = set->choice.squeeze;
    int status = stats_result_open(&w->result, bipe_tokenizer_spec(set->stream.tokenizer), set->stream.specs, n, err);
    w->result.choice = set->choice;
    if (status == BIPE_OK && set->choice.squeeze && (w->squeeze = bipe_alloc(n, sizeof *w->squeeze)) == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = bipe_stream_open(&w->stream, &options, err);
    if (status == BIPE_OK && (w->counter = bipe_alloc(n, sizeof(bipe_window_counter *))) == NULL)
        status = bipe_fail_memory(err);
    for (size_t i = 0; i < n && status == BIPE_OK; i++)
        status = bipe_window_counter_open(&w->counter[i], set->lengths, set->length_count, &w->result.tally[i], err);
    return status;
}

static void close_worker(worker *w, size_t segmenters)
{
    for (size_t i = 0; w->counter != NULL && i < segmenters; i++)
        bipe_window_counter_close(w->counter[i]);
    for (size_t i = 0; w->squeeze != NULL && i < segmenters; i++)
        stats_squeeze_free(&w->squeeze[i]);
    bipe_free(w->squeeze);
    bipe_free(w->counter);
    bipe_stream_close(w->stream);
    stats_result_close(&w->result);
}

/* ---- reports ---- */

/* Prints what waited for file `i`. */
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

/* Something about file `i` failed: told at once when all files before it are done, otherwise kept. */
static int report(reading *r, size_t i, const bipe_error *problem, bipe_error *err)
{
    int status = BIPE_OK;
    pthread_mutex_lock(&r->lock);
    if (r->set->group != NULL)
        r->set->group->errors++;
    if (i == r->next_report) {
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
    while (status == BIPE_OK && r->next_report < r->set->files.count && r->report[r->next_report].done) {
        r->next_report++;
        if (r->next_report < r->set->files.count)
            status = print_waiting(r, r->next_report, err);
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* ---- files ---- */

/* Adds what was read of the file since *seen to the progress. */
static void advance(reading *r, const worker *w, const char *path, uint64_t *seen)
{
    uint64_t now = bipe_input_raw_offset(bipe_stream_source(w->stream));
    pthread_mutex_lock(&r->lock);
    r->bytes += now - *seen;
    bipe_progress_update(&r->set->tool->progress, path, r->bytes);
    pthread_mutex_unlock(&r->lock);
    *seen = now;
}

/* ---- memory of counts ---- */

/* Looks at the room. */
static void look(reading *r, worker *w)
{
    size_t room = 0;
    for (size_t i = 0; i < w->result.count; i++)
        room += bipe_window_counter_room(w->counter[i]);
    atomic_fetch_add(&r->room, room - w->room); /* modulo 2^n */
    w->room = room;
    w->read = 0;
    w->crowded = room > r->counts_room / r->workers && atomic_load(&r->room) > r->counts_room;
}

/* What a thread has counted goes to the total, and the thread goes on with nothing. */
static int hand_in(reading *r, worker *w, bipe_error *err)
{
    pthread_mutex_lock(&r->lock);
    int status = stats_result_merge(r->total, &w->result, err);
    pthread_mutex_unlock(&r->lock);
    stats_result *own = &w->result;
    own->files = own->documents = own->bytes = own->tokens = 0;
    look(r, w);
    return status;
}

/* ---- documents ---- */

/* One document. *whole: it was read to its end; otherwise `problem` says why not. The status is of what ends all work. */
static int count_document(reading *r, worker *w, const char *path, uint64_t *seen, bool *whole, bipe_error *problem,
                          bipe_error *err)
{
    size_t n = w->result.count;
    uint64_t bytes = 0, tokens = 0;
    *whole = false;
    for (size_t i = 0; i < n; i++)
        bipe_window_counter_begin(w->counter[i]);
    for (size_t i = 0; i < n && w->squeeze != NULL; i++)
        stats_squeeze_begin(&w->squeeze[i]);
    bipe_batch batch = {0};
    while (!batch.last) {
        if (bipe_stream_read(w->stream, &batch, problem) != BIPE_OK)
            return BIPE_OK;
        bytes += batch.byte_count;
        tokens += batch.token_count;
        for (size_t i = 0; i < n && batch.token_count != 0; i++) {
            int status = w->squeeze != NULL
                             ? stats_squeeze_feed(&w->squeeze[i], &batch, i, w->counter[i], err)
                             : bipe_window_counter_feed(w->counter[i], batch.token_count, batch.closes[i], batch.close_count[i], err);
            if (status != BIPE_OK)
                return status;
        }
        advance(r, w, path, seen);
        w->read += batch.byte_count;
        if (w->read >= COUNTS_LOOK)
            look(r, w);
        if (w->crowded)
            bipe_stream_claim(w->stream);
    }
    for (size_t i = 0; i < n; i++) {
        int status = bipe_window_counter_end(w->counter[i], err);
        if (status != BIPE_OK)
            return status;
    }
    *whole = true;
    w->result.documents++;
    w->result.bytes += bytes;
    w->result.tokens += tokens;
    return w->crowded ? hand_in(r, w, err) : BIPE_OK;
}

/* One of each so many consecutive numbers, at random. */
static bool is_chosen(const stats_choice *choice, uint64_t number)
{
    uint64_t state = choice->seed ^ (number / choice->every + 1) * UINT64_C(0xD1342543DE82EF95);
    return bipe_random_below(&state, choice->every) == number % choice->every;
}

/* Whether a document of file `i` is for this process. */
static bool is_own(const reading *r, size_t i, uint64_t document)
{
    const stats_group *g = r->set->group;
    if (r->set->choice.every != 0 && !is_chosen(&r->set->choice, r->set->first + i + document))
        return false;
    return g == NULL || !g->documents || (i + document) % g->count == g->index[0];
}

/* One file. A file counts when it was read to its end, broken records or not. */
static int count_file(reading *r, worker *w, size_t i, bipe_error *err)
{
    const char *path = r->set->files.path[i];
    bipe_error problem = {0};
    uint64_t seen = 0;
    int status = bipe_stream_input(w->stream, path, &problem);
    stats_file_read *shared = r->set->group != NULL && r->set->group->documents ? &r->set->group->file[i] : NULL;
    if (status != BIPE_OK) {
        if (shared != NULL)
            shared->bad = 1;
        return is_own(r, i, 0) ? report(r, i, &problem, err) : BIPE_OK;
    }
    uint64_t good = 0, bad = 0;
    while ((status = bipe_stream_next_document(w->stream, &problem)) != BIPE_END) {
        if (!is_own(r, i, bipe_stream_document(w->stream)))
            continue;
        bool whole = false;
        int fatal = status == BIPE_OK ? count_document(r, w, path, &seen, &whole, &problem, err) : BIPE_OK;
        if (fatal == BIPE_OK && !whole)
            fatal = report(r, i, &problem, err);
        if (fatal != BIPE_OK)
            return fatal;
        good += whole;
        bad += !whole;
    }
    pthread_mutex_lock(&r->lock);
    bipe_inputs_judge(r->set->tool, w->stream, i, path);
    pthread_mutex_unlock(&r->lock);
    if (shared != NULL)
        *shared = (stats_file_read){.good = good, .bad = bad};
    else
        w->result.files += bad == 0 || good != 0;
    return BIPE_OK;
}

static void read_file(reading *r, size_t place, size_t index)
{
    size_t i = r->order[place];
    worker *w = &r->worker[index];
    if (atomic_load(&r->stopped))
        return;
    int status = count_file(r, w, i, &w->error);
    bipe_stream_rest(w->stream); /* it may have been left in a document */
    if (status == BIPE_OK)
        status = finish_report(r, i, &w->error);
    if (status != BIPE_OK)
        atomic_store(&r->stopped, true);
}

typedef struct file_size {
    uint64_t size;
    size_t index;
} file_size;

static int falling(const void *a, const void *b)
{
    const file_size *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->index < y->index ? -1 : 1;
}

/* The order of reading: by falling size, so that no large file is left over at the end. *total: bytes of all files, 0 when one of them
 * has no size. *alone: how many of them, from the first on, are so large beside the others that they had better be read one by one, by all
 * threads. */
static int find_order(reading *r, uint64_t *total, size_t *alone, bipe_error *err)
{
    size_t count = r->set->files.count;
    file_size *file = bipe_alloc(count, sizeof *file);
    r->order = bipe_alloc(count, sizeof *r->order);
    if (file == NULL || r->order == NULL) {
        bipe_free(file);
        return bipe_fail_memory(err);
    }
    bool known = true;
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        struct stat s;
        file[i].index = i;
        if (stat(r->set->files.path[i], &s) != 0)
            continue;
        known = known && S_ISREG(s.st_mode);
        file[i].size = S_ISREG(s.st_mode) ? (uint64_t)s.st_size : 0;
        *total += file[i].size;
    }
    qsort(file, count, sizeof *file, falling);
    /* Only where a text can be cut. */
    static const char probe[] = "some words of a text\nand more words of it\n";
    bool cuts = bipe_tokenizer_cut(r->set->stream.tokenizer, (const uint8_t *)probe, sizeof probe - 1) != 0;
    *alone = 0;
    for (uint64_t left = *total; cuts && *alone < count && file[*alone].size > LARGE && file[*alone].size > left / r->set->threads; ++*alone)
        left -= file[*alone].size;
    for (size_t i = 0; i < count; i++)
        r->order[i] = file[i].index;
    if (!known)
        *total = 0;
    bipe_free(file);
    return BIPE_OK;
}

/* What a thread does: reads files, and helps those that still do when there are no more. */
static void task(void *context, size_t i, size_t thread)
{
    (void)thread; /* which iterations a thread takes is its own affair */
    reading *r = context;
    size_t place, workers = r->workers;
    while ((place = atomic_fetch_add(&r->next, 1)) < r->set->files.count)
        read_file(r, place, i);
    bipe_stream_release(r->worker[i].stream);
    for (size_t k = 1; k < workers; k++)
        bipe_stream_help(r->worker[(i + k) % workers].stream, r->worker[i].stream);
}

static int read_all(reading *r, size_t threads, bipe_error *err)
{
    bipe_pool *pool;
    uint64_t total = 0;
    int status = find_order(r, &total, &r->alone, err);
    if (status == BIPE_OK)
        status = bipe_pool_open(&pool, threads, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(r->set->tool, "bytes", total);
    for (size_t i = 0; i < r->alone; i++)
        read_file(r, i, 0);
    /* A file for each thread, then: more threads than that would be in each other's way. */
    bipe_stream_share(r->worker[0].stream, threads == 1);
    atomic_store(&r->next, r->alone);
    bipe_pool_run(pool, threads, task, r);
    bipe_progress_clear(&r->set->tool->progress);
    for (size_t i = 0; i < threads && status == BIPE_OK; i++) {
        if (r->worker[i].error.status != BIPE_OK) {
            *err = r->worker[i].error;
            status = err->status;
        } else {
            status = stats_result_merge(r->total, &r->worker[i].result, err);
        }
    }
    bipe_pool_close(pool);
    return status;
}

int stats_read(const stats_reading *set, stats_result *result, bipe_error *err)
{
    size_t at_once = bipe_tool_at_once(set->files);
    size_t threads = set->threads < at_once ? set->threads : at_once;
    reading r = {.set = set, .workers = threads, .total = result, .counts_room = set->counts_room != 0 ? set->counts_room : COUNTS_ROOM};
    pthread_mutex_init(&r.lock, NULL);
    bipe_turn_open(&r.turn);
    r.worker = bipe_alloc(threads, sizeof *r.worker);
    r.report = bipe_alloc(set->files.count, sizeof *r.report);
    int status = r.worker != NULL && r.report != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < threads && status == BIPE_OK; i++)
        status = open_worker(&r.worker[i], set, i == 0 ? set->threads : set->threads / threads, &r.turn, err);
    if (status == BIPE_OK)
        status = read_all(&r, threads, err);
    for (size_t i = 0; r.worker != NULL && i < threads; i++)
        close_worker(&r.worker[i], set->stream.spec_count);
    for (size_t i = 0; r.report != NULL && i < set->files.count; i++)
        bipe_spool_close(r.report[i].spool);
    bipe_free(r.worker);
    bipe_free(r.report);
    bipe_free(r.order);
    bipe_turn_close(&r.turn);
    pthread_mutex_destroy(&r.lock);
    return status;
}
