/* segment_rows.c - calls of a format as jobs; see segment_rows.h. A round of jobs is a ring: the one that is being filled, and those in work. */
#include "tools/segment_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"

/* Bytes of a row beside what all rows of a document begin with, about; of the rows of a job; and of those of all jobs, at most. */
enum { ROW = 64, ENOUGH = 1 << 18, MOST = 1 << 24, PARTS = 4 };

/* What a call reads, in the arrays of its job. */
typedef struct rows_call {
    segment_place place;
    size_t printed;           /* bytes of the job that were printed before it */
    size_t end[PARTS];        /* of its own in each array */
} rows_call;

enum { BYTES, NUMBERS, TOKENS, CLOSES }; /* the arrays */

typedef struct rows_job {
    bipe_job job;
    segment_writer writer;    /* with output, spool and head of its own */
    bipe_output *printed;     /* by the walk over batches, between the calls */
    bipe_buffer part[PARTS];
    rows_call *call;          /* (call_count) */
    size_t call_count, call_capacity;
    size_t size;              /* of its rows, about */
    bipe_error error;
} rows_job;

struct segment_rows {
    bipe_jobs *jobs;
    segment_writer *writer;
    bipe_output *output;
    rows_job *job;            /* (count) a ring */
    size_t count, first, used; /* of those in work; the next one is being filled */
    size_t size;              /* of the rows of those in work, about */
};

/* ---- the job ---- */

static int run_call(rows_job *j, const rows_call *call, const size_t start[PARTS], bipe_error *err)
{
    segment_writer *w = &j->writer;
    if (w->at.document != call->place.document || w->at.file != call->place.file)
        w->head.size = 0;
    w->at = call->place;
    const uint64_t *numbers = (const uint64_t *)j->part[NUMBERS].data + start[NUMBERS] / sizeof *numbers; /* boundaries, then counts */
    size_t count = (call->end[NUMBERS] - start[NUMBERS]) / (2 * sizeof *numbers);
    const uint32_t *closes = (const uint32_t *)j->part[CLOSES].data + start[CLOSES] / sizeof *closes;
    size_t close_count = (call->end[CLOSES] - start[CLOSES]) / sizeof *closes;
    const bipe_batch batch = {
        .tokens = (const bipe_token *)j->part[TOKENS].data + start[TOKENS] / sizeof *batch.tokens,
        .token_count = (call->end[TOKENS] - start[TOKENS]) / sizeof *batch.tokens,
        .closes = &closes,
        .close_count = &close_count,
    };
    if (w->format->tokens != NULL)
        return w->format->tokens(w, &batch, err);
    return w->format->segments(w, &(segment_stretch){j->part[BYTES].data + start[BYTES], numbers, numbers + count, count}, err);
}

static void run_job(bipe_job *job, void **scratch)
{
    (void)scratch;
    rows_job *j = (rows_job *)job;
    const bipe_buffer *printed = bipe_output_kept(j->printed);
    const size_t *start = (const size_t[PARTS]){0};
    size_t at = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < j->call_count && status == BIPE_OK; i++) {
        const rows_call *call = &j->call[i];
        status = bipe_output_write(j->writer.output, printed->data + at, call->printed - at, &j->error);
        if (status == BIPE_OK)
            status = run_call(j, call, start, &j->error);
        at = call->printed;
        start = call->end;
    }
    if (status == BIPE_OK)
        bipe_output_write(j->writer.output, printed->data + at, printed->size - at, &j->error);
}

/* ---- the ring ---- */

static rows_job *filling_job(segment_rows *r)
{
    return &r->job[(r->first + r->used) % r->count];
}

/* Prints the rows of the oldest job in work. */
static int print_job(segment_rows *r, bipe_error *err)
{
    rows_job *j = &r->job[r->first];
    const bipe_buffer *kept = bipe_output_kept(j->writer.output);
    bipe_jobs_finish(r->jobs, &j->job);
    int status = bipe_output_write(r->output, kept->data, kept->size, err);
    if (status == BIPE_OK && (status = (int)j->error.status) != BIPE_OK)
        *err = j->error;
    bipe_output_forget(j->writer.output);
    bipe_output_forget(j->printed);
    for (size_t i = 0; i < PARTS; i++)
        bipe_buffer_consume(&j->part[i], j->part[i].size);
    r->first = (r->first + 1) % r->count;
    r->used--;
    r->size -= j->size;
    j->call_count = j->size = 0;
    return status;
}

/* The job that was being filled is put to work; one at least is free then. */
static int put_job(segment_rows *r, bipe_error *err)
{
    rows_job *j = filling_job(r);
    int status = BIPE_OK;
    j->job = (bipe_job){.run = run_job};
    r->used++;
    r->size += j->size;
    bipe_jobs_put(r->jobs, &j->job);
    while (status == BIPE_OK && (r->used == r->count || r->size > MOST))
        status = print_job(r, err);
    r->writer->output = filling_job(r)->printed;
    return status;
}

int segment_rows_finish(segment_rows *r, bipe_error *err)
{
    int status = r->writer->output != r->output ? put_job(r, err) : BIPE_OK;
    while (r->used != 0 && status == BIPE_OK)
        status = print_job(r, err);
    r->writer->output = r->output;
    return status;
}

int segment_rows_expect(segment_rows *r, size_t size, bipe_error *err)
{
    return size + bipe_output_kept(filling_job(r)->printed)->size > MOST / 4 ? segment_rows_finish(r, err) : BIPE_OK;
}

/* ---- calls ---- */

/* A call is made at its place in the order: by a job, or at once where its rows (`count`, with so much text) are too many for one. */
static int begin_call(segment_rows *r, size_t text, size_t count, bool *now, bipe_error *err)
{
    segment_writer *w = r->writer;
    size_t size = text * BIPE_JSON_WIDEST + count * (strlen(w->at.file) + ROW);
    int status = segment_rows_expect(r, size, err);
    *now = size > MOST / 4;
    if (*now || status != BIPE_OK)
        return status;
    rows_job *j = filling_job(r);
    w->output = j->printed;
    if (bipe_grow(&j->call, &j->call_capacity, j->call_count + 1, sizeof *j->call) != 0)
        return bipe_fail_memory(err);
    j->call[j->call_count].place = w->at;
    j->call[j->call_count].printed = bipe_output_kept(j->printed)->size;
    j->size += size;
    return BIPE_OK;
}

static int end_call(segment_rows *r, bipe_error *err)
{
    rows_job *j = filling_job(r);
    for (size_t i = 0; i < PARTS; i++)
        j->call[j->call_count].end[i] = j->part[i].size;
    j->call_count++;
    return j->size >= ENOUGH ? put_job(r, err) : BIPE_OK;
}

int segment_rows_segments(segment_rows *r, const segment_stretch *stretch, bipe_error *err)
{
    segment_writer *w = r->writer;
    size_t count = stretch->count, size = w->format->wants_text ? (size_t)(stretch->boundaries[count - 1] - w->at.end) : 0;
    bool now;
    int status = begin_call(r, size, count, &now, err);
    if (now && status == BIPE_OK)
        return w->format->segments(w, stretch, err);
    bipe_buffer *part = filling_job(r)->part;
    if (status == BIPE_OK)
        status = bipe_buffer_append(&part[BYTES], stretch->bytes, size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&part[NUMBERS], stretch->boundaries, count * sizeof *stretch->boundaries, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&part[NUMBERS], w->format->wants_tokens ? stretch->counts : stretch->boundaries, count * sizeof *stretch->counts, err);
    return status == BIPE_OK ? end_call(r, err) : status;
}

int segment_rows_tokens(segment_rows *r, const bipe_batch *batch, bipe_error *err)
{
    segment_writer *w = r->writer;
    size_t count = batch->token_count, closes = batch->close_count[0];
    bool now;
    int status = begin_call(r, 0, count, &now, err);
    if (now && status == BIPE_OK)
        return w->format->tokens(w, batch, err);
    bipe_buffer *part = filling_job(r)->part;
    if (status == BIPE_OK)
        status = bipe_buffer_append(&part[TOKENS], batch->tokens, count * sizeof *batch->tokens, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&part[CLOSES], batch->closes[0], closes * sizeof **batch->closes, err);
    w->at.token += count;
    w->at.token_segment += closes;
    w->at.token_intra = closes != 0 ? count - 1 - batch->closes[0][closes - 1] : w->at.token_intra + count;
    return status == BIPE_OK ? end_call(r, err) : status;
}

/* ---- opening ---- */

int segment_rows_open(segment_rows **rows, bipe_jobs *jobs, segment_writer *writer, bipe_error *err)
{
    segment_rows *r = *rows = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    size_t count = bipe_jobs_threads(jobs) + 3;
    *r = (segment_rows){.jobs = jobs, .writer = writer, .output = writer->output, .job = bipe_alloc(count, sizeof *r->job)};
    int status = r->job != NULL ? BIPE_OK : bipe_fail_memory(err);
    while (status == BIPE_OK && r->count < count) {
        rows_job *j = &r->job[r->count++];
        j->writer.format = writer->format;
        status = bipe_output_open_memory(&j->printed, err);
        if (status == BIPE_OK)
            status = bipe_output_open_memory(&j->writer.output, err);
        if (status == BIPE_OK)
            status = segment_writer_open(&j->writer, err);
        if (status == BIPE_OK)
            bipe_output_forget(j->writer.output); /* the header */
    }
    if (status == BIPE_OK)
        writer->output = r->job[0].printed;
    return status;
}

void segment_rows_close(segment_rows *r)
{
    if (r == NULL)
        return;
    while (r->used != 0) {
        r->used--;
        bipe_jobs_finish(r->jobs, &r->job[(r->first + r->used) % r->count].job);
    }
    for (size_t i = 0; i < r->count; i++) {
        rows_job *j = &r->job[i];
        segment_writer_close(&j->writer);
        bipe_output_abandon(j->writer.output);
        bipe_output_abandon(j->printed);
        bipe_free(j->call);
        for (size_t k = 0; k < PARTS; k++)
            bipe_buffer_free(&j->part[k]);
    }
    r->writer->output = r->output;
    bipe_free(r->job);
    bipe_free(r);
}
