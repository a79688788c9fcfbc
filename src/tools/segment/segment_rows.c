/* segment_rows.c - rows of tokens, put together by jobs. These are a ring: those in work, and the one that is being
 * filled. */
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "tools/segment/bipe_segment.h"

/* Bytes of a row beside what all rows of a document begin with, about; of a job's rows, and those of all jobs at
 * most. */
enum { ROW = 64, ENOUGH = 1 << 18, MOST = 1 << 24 };

typedef struct rows_batch {
    segment_place place;
    size_t token_count, close_count, byte_count;
    uint64_t byte_offset;
} rows_batch;

typedef struct rows_job {
    bipe_job job;
    segment_writer writer;    /* with an output in memory, a head, and errors of its own */
    rows_batch *batch;        /* (batch_count) */
    size_t batch_count, batch_capacity;
    bipe_buffer tokens, closes, levels, text; /* of these; levels where there are several, text where the format
                                                 wants it */
    size_t size;              /* of its rows, about */
} rows_job;

struct segment_rows {
    bipe_jobs *jobs;
    segment_writer *writer;
    rows_job *job;            /* (count) */
    size_t count, first, used; /* those in work */
    size_t size;              /* of the rows of those in work, about */
};

static void run_rows_job(bipe_job *job, void **scratch)
{
    rows_job *j = (rows_job *)job;
    segment_writer *w = &j->writer;
    (void)scratch;
    const bipe_token *tokens = (const bipe_token *)j->tokens.data;
    const uint32_t *closes = (const uint32_t *)j->closes.data;
    const uint8_t *text = j->text.data, *levels = j->levels.size != 0 ? j->levels.data : NULL;
    for (size_t i = 0; i < j->batch_count && w->error.status == BIPE_OK; i++) {
        const rows_batch *b = &j->batch[i];
        if (w->at.document != b->place.document || w->at.file != b->place.file)
            w->head.size = 0;
        w->at = b->place;
        w->format->tokens(w, &(bipe_batch){.tokens = tokens, .token_count = b->token_count, .closes = &closes,
                                           .close_levels = &levels, .close_count = &b->close_count, .bytes = text,
                                           .byte_count = b->byte_count,
                                           .byte_offset = b->byte_offset});
        if (b->byte_count != 0)
            text += b->byte_count;
        if (b->token_count != 0) /* where there are none, they may have no memory either */
            tokens += b->token_count;
        if (b->close_count != 0)
            closes += b->close_count;
        if (levels != NULL)
            levels += b->close_count;
    }
}

static rows_job *filling_job(segment_rows *r)
{
    return &r->job[(r->first + r->used) % r->count];
}

/* Prints the rows of the oldest job in work. */
static void print_job(segment_rows *r)
{
    rows_job *j = &r->job[r->first];
    bipe_jobs_finish(r->jobs, &j->job);
    const bipe_buffer *kept = bipe_output_kept(j->writer.output);
    if (bipe_output_write(r->writer->output, kept->data, kept->size, &r->writer->error) == BIPE_OK &&
        j->writer.error.status != BIPE_OK)
        r->writer->error = j->writer.error;
    bipe_output_forget(j->writer.output);
    j->tokens.size = j->closes.size = j->levels.size = j->text.size = 0;
    r->first = (r->first + 1) % r->count;
    r->used--;
    r->size -= j->size;
    j->batch_count = j->size = 0;
}

static void put_job(segment_rows *r)
{
    rows_job *j = filling_job(r);
    j->job.run = run_rows_job;
    r->used++;
    r->size += j->size;
    bipe_jobs_submit(r->jobs, &j->job);
    while (r->used != 0 && (r->used == r->count || r->size > MOST))
        print_job(r);
}

void segment_rows_finish(segment_rows *r)
{
    if (filling_job(r)->batch_count != 0)
        put_job(r);
    while (r->used != 0 && r->writer->error.status == BIPE_OK)
        print_job(r);
}

void segment_rows_batch(segment_rows *r, const bipe_batch *batch)
{
    segment_place *at = &r->writer->at;
    size_t count = batch->token_count, closes = batch->close_count[0], size = count * (strlen(at->file) + ROW);
    size_t bytes = r->writer->format->wants_text ? batch->byte_count : 0;
    size += bytes;
    if (size > MOST / 4) { /* too many to be kept */
        segment_rows_finish(r);
        r->writer->format->tokens(r->writer, batch);
        return;
    }
    rows_job *j = filling_job(r);
    bipe_tool_grow(&j->batch, &j->batch_capacity, j->batch_count + 1, sizeof *j->batch);
    if (j->batch_count == 0)
        j->job = (bipe_job){0};
    j->batch[j->batch_count] = (rows_batch){.place = *at, .token_count = count, .close_count = closes,
                                               .byte_count = bytes, .byte_offset = batch->byte_offset};
    bipe_buffer_append(&j->closes, batch->closes[0], closes * sizeof **batch->closes, &r->writer->error);
    if (batch->close_levels[0] != NULL)
        bipe_buffer_append(&j->levels, batch->close_levels[0], closes, &r->writer->error);
    bipe_buffer_append(&j->tokens, batch->tokens, count * sizeof *batch->tokens, &r->writer->error);
    bipe_buffer_append(&j->text, batch->bytes, bytes, &r->writer->error);
    j->size += size;
    j->batch_count++;
    at->token += count;
    for (size_t c = 0; c < closes; c++)
        bipe_place_close(at->token_at, bipe_batch_level(batch, 0, c));
    at->token_at[1] = closes != 0 ? count - 1 - batch->closes[0][closes - 1] : at->token_at[1] + count;
    if (j->size >= ENOUGH && r->writer->error.status == BIPE_OK)
        put_job(r);
}

int segment_rows_open(segment_rows **rows, bipe_jobs *jobs, segment_writer *writer, bipe_error *err)
{
    size_t count = bipe_jobs_threads(jobs) + 3;
    segment_rows *r = *rows = bipe_tool_alloc(1, sizeof *r);
    *r = (segment_rows){.jobs = jobs, .writer = writer, .job = bipe_tool_alloc(count, sizeof *r->job)};
    int status = BIPE_OK;
    for (; status == BIPE_OK && r->count < count; r->count++) {
        r->job[r->count].writer = (segment_writer){.format = writer->format, .columns = writer->columns,
                                                   .squeeze = writer->squeeze, .trim = writer->trim};
        status = bipe_output_open_memory(&r->job[r->count].writer.output, err);
    }
    return status;
}

void segment_rows_close(segment_rows *r)
{
    if (r == NULL)
        return;
    while (r->used != 0)
        bipe_jobs_finish(r->jobs, &r->job[(r->first + --r->used) % r->count].job);
    for (size_t i = 0; i < r->count; i++) {
        rows_job *j = &r->job[i];
        bipe_output_abandon(j->writer.output);
        bipe_buffer_free(&j->writer.head);
        bipe_buffer_free(&j->tokens);
        bipe_buffer_free(&j->closes);
        bipe_buffer_free(&j->levels);
        bipe_buffer_free(&j->text);
        bipe_free(j->batch);
    }
    bipe_free(r->job);
    bipe_free(r);
}
