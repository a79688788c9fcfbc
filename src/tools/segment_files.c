/* segment_files.c - the way of files through stream and writer. One thread prints as it goes; others may help it with long documents. Of
 * several, the one whose file has its turn prints as it goes; the others keep what they print, and what they have to report, in spools: in
 * memory while it is little, in temporary files beyond that. */
#include "tools/segment_files.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "measure/turn.h"
#include "tools/segment_ahead.h"
#include "tools/tool_inputs.h"

/* Files that may be begun from the one that has its turn on; all of them may have a spool, of which so much is in memory. */
enum { AHEAD = 128, SPOOL_MEMORY = 1 << 18, ERROR_MEMORY = 1 << 14, PIECE = 1 << 16, LARGE = 1 << 22 };

/* A file that waits for its turn. */
typedef struct waiting {
    bipe_spool *text, *errors; /* errors: bipe_error after bipe_error; NULL: none */
    bool done;
} waiting;

typedef struct run run;

typedef struct worker {
    run *all;
    bipe_stream *stream;
    segment_writer writer;
    bipe_batch_maker maker;
    size_t file;      /* that it works on */
    bipe_error error; /* what ended its work */
} worker;

struct run {
    const segment_run *set;
    bool several;              /* threads */
    worker *worker;            /* (threads) */
    waiting *file;             /* (files) a file's is its worker's while it is not done, then the printer's */
    pthread_mutex_t lock;      /* of what follows, and of the tool */
    pthread_cond_t turned;
    bipe_turn memory;          /* of streams */
    size_t turn;               /* the file that is printed */
    size_t begun;              /* files that a thread has taken */
    bool printing;             /* somebody prints files that are done */
    bool stopped;              /* a thread cannot go on: nobody should */
    uint64_t bytes;            /* raw bytes read, for progress */
};

/* ---- in the order of the files ---- */

static bool has_turn(run *r, size_t file)
{
    pthread_mutex_lock(&r->lock);
    bool own = r->turn == file;
    pthread_mutex_unlock(&r->lock);
    return own;
}

/* Waits until not more than `ahead` files are to be printed before this one. False: the work has been stopped. */
static bool wait_for_turn(run *r, size_t file, size_t ahead)
{
    pthread_mutex_lock(&r->lock);
    while (!r->stopped && file - r->turn > ahead)
        pthread_cond_wait(&r->turned, &r->lock);
    bool go_on = !r->stopped;
    pthread_mutex_unlock(&r->lock);
    return go_on;
}

static void stop(run *r)
{
    pthread_mutex_lock(&r->lock);
    r->stopped = true;
    pthread_cond_broadcast(&r->turned);
    pthread_mutex_unlock(&r->lock);
}

static void tell(run *r, const bipe_error *problem)
{
    pthread_mutex_lock(&r->lock);
    bipe_tool_error(r->set->tool, problem);
    pthread_mutex_unlock(&r->lock);
}

/* Prints what was kept of a file, which has its turn. */
static int print_waiting(run *r, waiting *w, bipe_error *err)
{
    uint8_t piece[PIECE];
    bipe_error problem;
    int status = BIPE_OK;
    uint64_t size = w->errors != NULL ? bipe_spool_size(w->errors) : 0;
    for (uint64_t at = 0; at < size && status == BIPE_OK; at += sizeof problem) {
        status = bipe_spool_read(w->errors, at, &problem, sizeof problem, err);
        if (status == BIPE_OK)
            tell(r, &problem);
    }
    size = w->text != NULL ? bipe_spool_size(w->text) : 0;
    for (uint64_t at = 0; at < size && status == BIPE_OK; at += PIECE) {
        size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        status = bipe_spool_read(w->text, at, piece, n, err);
        if (status == BIPE_OK)
            status = bipe_output_write(r->set->output, piece, n, err);
    }
    bipe_spool_close(w->errors);
    bipe_spool_close(w->text);
    w->errors = w->text = NULL;
    return status;
}

/* Takes what a worker prints. */
static int take_text(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    worker *w = context;
    run *r = w->all;
    waiting *own = &r->file[w->file];
    int status = BIPE_OK;
    if (!has_turn(r, w->file)) {
        bipe_error problem;
        if (own->text == NULL)
            status = bipe_spool_open(&own->text, SPOOL_MEMORY, &problem);
        uint64_t before = status == BIPE_OK ? bipe_spool_size(own->text) : 0;
        if (status == BIPE_OK)
            status = bipe_spool_append(own->text, bytes, size, &problem);
        if (status != BIPE_OK && status != BIPE_ERR_IO)
            *err = problem;
        if (status != BIPE_ERR_IO)
            return status;
        /* There is no room for temporary files: it prints when it has its turn. */
        size_t kept = (size_t)(bipe_spool_size(own->text) - before);
        bytes += kept;
        size -= kept;
        bipe_stream_rest(w->stream); /* those before it may need it */
        if (!wait_for_turn(r, w->file, 0))
            return bipe_fail(err, BIPE_END, "%s", "");
    }
    status = print_waiting(r, own, err);
    return status == BIPE_OK ? bipe_output_write(r->set->output, bytes, size, err) : status;
}

/* Something about the worker's file failed: told when it has its turn. */
static int report(worker *w, const bipe_error *problem, bipe_error *err)
{
    run *r = w->all;
    waiting *own = &r->file[w->file];
    int status = BIPE_OK;
    if (!r->several || has_turn(r, w->file)) {
        status = print_waiting(r, own, err);
        tell(r, problem);
        return status;
    }
    if (own->errors == NULL)
        status = bipe_spool_open(&own->errors, ERROR_MEMORY, err);
    return status == BIPE_OK ? bipe_spool_append(own->errors, problem, sizeof *problem, err) : status;
}

/* The worker's file is done. Whoever has the turn, or is the first behind it, prints the files that are done. */
static int finish(worker *w, bipe_error *err)
{
    run *r = w->all;
    int status = bipe_output_flush(w->writer.output, err);
    if (status != BIPE_OK)
        return status;
    pthread_mutex_lock(&r->lock);
    r->file[w->file].done = true;
    bool printer = !r->printing;
    while (printer && status == BIPE_OK && r->turn < r->set->files.count && r->file[r->turn].done && !r->stopped) {
        r->printing = true;
        waiting *next = &r->file[r->turn];
        pthread_mutex_unlock(&r->lock);
        status = print_waiting(r, next, err);
        pthread_mutex_lock(&r->lock);
        r->turn++;
        pthread_cond_broadcast(&r->turned);
    }
    if (printer)
        r->printing = false;
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* ---- one file ---- */

/* Adds what was read since *seen to the progress. BIPE_END: the work has been stopped. */
static int advance(worker *w, uint64_t *seen, bipe_error *err)
{
    run *r = w->all;
    uint64_t now = bipe_input_raw_offset(bipe_stream_source(w->stream));
    if (r->several)
        pthread_mutex_lock(&r->lock);
    r->bytes += now - *seen;
    bipe_progress_update(&r->set->tool->progress, w->writer.file, r->bytes);
    bool stopped = r->stopped;
    if (r->several)
        pthread_mutex_unlock(&r->lock);
    *seen = now;
    return stopped ? bipe_fail(err, BIPE_END, "%s", "") : BIPE_OK;
}

/* One document. What cannot be read is reported and left: BIPE_OK, *whole false. Others are failures to write. */
static int segment_document(worker *w, uint64_t *seen, bool *whole, bipe_error *err)
{
    segment_writer *writer = &w->writer;
    uint64_t printed = writer->printed;
    segment_writer_begin(writer, bipe_stream_document(w->stream));
    bipe_batch batch = {0};
    while (!batch.last) {
        bipe_error problem;
        int status = bipe_stream_read(w->stream, &batch, &problem);
        if (status != BIPE_OK) {
            status = report(w, &problem, err);
            writer->printed = printed;
            return status == BIPE_OK ? segment_writer_break(writer, err) : status;
        }
        status = segment_ahead_batch(writer, &batch, err);
        if (status == BIPE_OK)
            status = advance(w, seen, err);
        if (status != BIPE_OK)
            return status;
    }
    *whole = true;
    return BIPE_OK;
}

/* The line of --count for a file. */
static int print_count(worker *w, const char *path, bipe_error *err)
{
    bool named = w->all->set->files.count > 1;
    bipe_buffer *line = &w->writer.head;
    line->size = 0;
    int status = bipe_buffer_printf(line, err, "%" PRIu64 "%s", w->writer.printed, named ? "\t" : "");
    if (status == BIPE_OK && named)
        status = segment_put_field(line, path, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(line, "\n", 1, err);
    return status == BIPE_OK ? bipe_output_write(w->writer.output, line->data, line->size, err) : status;
}

/* One file, as segment_document(). */
static int segment_file(worker *w, const char *path, bipe_error *err)
{
    bipe_error problem;
    const segment_run *set = w->all->set;
    segment_writer_begin_file(&w->writer, path);
    if (bipe_stream_input(w->stream, path, &problem) != BIPE_OK)
        return report(w, &problem, err);
    uint64_t seen = 0;
    if (!w->all->several) {
        bipe_tool_progress(set->tool, "bytes", bipe_input_raw_size(bipe_stream_source(w->stream)));
        w->all->bytes = 0;
    }
    int status;
    uint64_t good = 0, bad = 0;
    while ((status = bipe_stream_next_document(w->stream, &problem)) != BIPE_END) {
        bool whole = false;
        status = status == BIPE_OK ? segment_document(w, &seen, &whole, err) : report(w, &problem, err);
        if (status != BIPE_OK)
            return status;
        good += whole;
        bad += !whole;
    }
    pthread_mutex_lock(&w->all->lock);
    bipe_inputs_judge(set->tool, w->stream, w->file, path);
    pthread_mutex_unlock(&w->all->lock);
    /* Of a file of which nothing could be read there is nothing to say. */
    return set->count && (good != 0 || bad == 0) ? print_count(w, path, err) : BIPE_OK;
}

/* ---- all files ---- */

static int open_worker(run *r, worker *w, bipe_error *err)
{
    const segment_run *set = r->set;
    w->all = r;
    w->writer = (segment_writer){.format = set->format, .squeeze = set->squeeze, .headless = w != r->worker, .output = set->output};
    bipe_stream_options options = set->stream;
    options.turn = &r->memory;
    w->maker = segment_ahead_maker(&w->writer);
    if (segment_ahead_usable(&w->writer))
        options.maker = &w->maker;
    int status = bipe_stream_open(&w->stream, &options, err);
    if (status == BIPE_OK)
        status = segment_writer_open(&w->writer, err);
    if (status == BIPE_OK && r->several)
        status = bipe_output_open_sink(&w->writer.output, take_text, w, err);
    return status;
}

static void close_worker(run *r, worker *w)
{
    bipe_stream_close(w->stream);
    segment_writer_close(&w->writer);
    if (r->several && w->writer.output != r->set->output)
        bipe_output_abandon(w->writer.output);
}

static void task(void *context, size_t i, size_t index)
{
    run *r = context;
    worker *w = &r->worker[index];
    w->file = i;
    pthread_mutex_lock(&r->lock);
    r->begun++;
    pthread_mutex_unlock(&r->lock);
    if (!wait_for_turn(r, i, AHEAD))
        return;
    int status = segment_file(w, r->set->files.path[i], &w->error);
    bipe_stream_rest(w->stream); /* it may have been left in a document */
    if (status == BIPE_OK)
        status = finish(w, &w->error);
    if (status != BIPE_OK)
        stop(r);
    pthread_mutex_lock(&r->lock);
    bool last = r->begun == r->set->files.count;
    pthread_mutex_unlock(&r->lock);
    if (last) /* it idles from now on */
        bipe_stream_trim(w->stream);
}

/* Bytes of all files that have a size; 0 when one has none, since then the end cannot be told. */
static uint64_t size_of_files(bipe_files files)
{
    uint64_t total = 0;
    struct stat s;
    for (size_t i = 0; i < files.count; i++) {
        if (stat(files.path[i], &s) != 0)
            continue;
        if (!S_ISREG(s.st_mode))
            return 0;
        total += (uint64_t)s.st_size;
    }
    return total;
}

static int run_several(run *r, size_t threads, bipe_error *err)
{
    bipe_pool *pool;
    int status = bipe_pool_open(&pool, threads, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(r->set->tool, "bytes", size_of_files(r->set->files));
    bipe_pool_run(pool, r->set->files.count, task, r);
    bipe_pool_close(pool);
    /* A thread that was only told to stop says BIPE_END, as one does whose output nobody reads. */
    for (size_t i = 0; i < threads; i++)
        if (r->worker[i].error.status != BIPE_OK && (status == BIPE_OK || status == BIPE_END)) {
            *err = r->worker[i].error;
            status = (int)err->status;
        }
    return status;
}

/* Whether files had better be read one by one, by all threads: mostly they are large, and rows of most would wait for their turn. */
static bool are_large(const segment_run *set)
{
    static const char probe[] = "some words of a text\nand more words of it\n";
    segment_writer writer = {.format = set->format, .squeeze = set->squeeze};
    return segment_ahead_usable(&writer) && bipe_tokenizer_cut(set->stream.tokenizer, (const uint8_t *)probe, sizeof probe - 1) != 0 &&
           size_of_files(set->files) / set->files.count >= LARGE;
}

/* Whether there can be temporary files for what is printed before its turn. */
static int has_room(bool *room, bipe_error *err)
{
    bipe_spool *probe;
    int status = bipe_spool_open(&probe, 0, err);
    if (status == BIPE_OK)
        status = bipe_spool_append(probe, "", 1, err);
    bipe_spool_close(probe);
    *room = status == BIPE_OK;
    return status == BIPE_ERR_IO ? BIPE_OK : status;
}

int segment_run_files(const segment_run *given, bipe_error *err)
{
    segment_run own = *given;
    const segment_run *set = &own;
    size_t at_once = bipe_tool_at_once(set->files);
    size_t threads = set->threads < at_once ? set->threads : at_once;
    if (at_once < set->threads)
        own.stream.threads = set->threads / at_once;
    bool room = true;
    int status = set->threads > 1 && set->files.count > 1 ? has_room(&room, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    if (set->threads > 1 && set->files.count > 1 && (!room || are_large(set))) {
        own.stream.threads = set->threads;
        threads = 1;
    }
    run r = {.set = set, .several = threads > 1};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.turned, NULL);
    bipe_turn_open(&r.memory);
    r.worker = bipe_alloc(threads, sizeof *r.worker);
    r.file = bipe_alloc(set->files.count, sizeof *r.file);
    status = r.worker != NULL && r.file != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < threads && status == BIPE_OK; i++)
        status = open_worker(&r, &r.worker[i], err);
    if (status == BIPE_OK && r.several)
        status = run_several(&r, threads, err);
    for (size_t i = 0; i < set->files.count && status == BIPE_OK && !r.several; i++) {
        r.worker[0].file = i;
        status = segment_file(&r.worker[0], set->files.path[i], err);
    }
    for (size_t i = 0; r.worker != NULL && i < threads; i++)
        close_worker(&r, &r.worker[i]);
    for (size_t i = 0; r.file != NULL && i < set->files.count; i++) {
        bipe_spool_close(r.file[i].text);
        bipe_spool_close(r.file[i].errors);
    }
    bipe_free(r.worker);
    bipe_free(r.file);
    bipe_turn_close(&r.memory);
    pthread_cond_destroy(&r.turned);
    pthread_mutex_destroy(&r.lock);
    return status;
}
