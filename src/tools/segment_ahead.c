/* segment_ahead.c - a writer for each thread, which goes on in the middle of a document. What it makes is used where the writer that
 * prints has come to just that place; otherwise that one does it. */
#include "tools/segment_ahead.h"

#include <string.h>

#include "base/alloc.h"

enum { MOST = 1 << 21 }; /* bytes that are made of a batch: of one that would be more, nothing is */

typedef struct ahead {
    const segment_writer *of;
    segment_writer own;
    bipe_buffer *out;
    bool full;
} ahead;

bool segment_ahead_usable(const segment_writer *w)
{
    return w->format->wants_tokens && !w->squeeze;
}

/* ---- in other threads ---- */

static int take_rows(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    ahead *a = context;
    a->full = a->full || size > MOST - a->out->size;
    return a->full ? BIPE_OK : bipe_buffer_append(a->out, bytes, size, err);
}

static void ahead_close(void *state)
{
    ahead *a = state;
    bipe_output_abandon(a->own.output);
    segment_writer_close(&a->own);
    bipe_free(a);
}

static void *ahead_open(void *context)
{
    ahead *a = bipe_alloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    a->of = context;
    a->own = (segment_writer){.format = a->of->format, .headless = true};
    bipe_error err;
    if (bipe_output_open_sink(&a->own.output, take_rows, a, &err) == BIPE_OK && segment_writer_open(&a->own, &err) == BIPE_OK)
        return a;
    ahead_close(a);
    return NULL;
}

/* The first of the tokens that starts at the offset or behind it. */
static size_t token_at(const bipe_batch *batch, uint64_t offset)
{
    size_t from = 0, to = batch->token_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (batch->tokens[middle].start < offset)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Bytes [from, to) of a batch, with boundary (count). */
static bipe_batch part_of(const bipe_batch *batch, uint64_t from, uint64_t to, const uint64_t *const *boundary, const size_t *count)
{
    size_t first = token_at(batch, from), last = token_at(batch, to);
    return (bipe_batch){
        .tokens = first != last ? batch->tokens + first : NULL,
        .token_count = last - first,
        .bytes = batch->bytes != NULL ? batch->bytes + (from - batch->byte_offset) : NULL,
        .byte_count = (size_t)(to - from),
        .byte_offset = from,
        .boundaries = boundary,
        .boundary_count = count,
    };
}

/* Rows of the segments that lie in the batch from end to end. */
static int make_segments(ahead *a, const bipe_batch *batch, const bipe_batch_before *before, bipe_error *err)
{
    const uint64_t *boundary = batch->boundaries[0] + 1;
    size_t count = batch->boundary_count[0] - 1;
    bipe_batch whole = part_of(batch, boundary[-1], boundary[count - 1], &boundary, &count);
    a->own.start = a->own.end = boundary[-1];
    a->own.index = before->boundaries + 1;
    return segment_writer_batch(&a->own, &whole, err);
}

static int make_tokens(ahead *a, const bipe_batch *batch, const bipe_batch_before *before, bipe_error *err)
{
    a->own.token_index = before->tokens;
    a->own.token_segment = before->closes;
    a->own.token_intra = before->open;
    return a->own.format->tokens(&a->own, batch, err);
}

static int ahead_make(void *state, const bipe_batch *batch, const bipe_batch_before *before, bipe_buffer *out, bipe_error *err)
{
    ahead *a = state;
    int status = BIPE_OK;
    if (a->own.file != a->of->file || a->own.document != a->of->document) {
        segment_writer_begin_file(&a->own, a->of->file);
        segment_writer_begin(&a->own, a->of->document);
    }
    a->out = out;
    a->full = false;
    if (a->own.format->tokens != NULL)
        status = make_tokens(a, batch, before, err);
    else if (batch->boundary_count[0] >= 2)
        status = make_segments(a, batch, before, err);
    int flushed = bipe_output_flush(a->own.output, status == BIPE_OK ? err : NULL);
    if (a->full)
        out->size = 0;
    return status == BIPE_OK ? flushed : status;
}

bipe_batch_maker segment_ahead_maker(segment_writer *writer)
{
    return (bipe_batch_maker){.context = writer, .open = ahead_open, .make = ahead_make, .close = ahead_close};
}

/* ---- where they are printed ---- */

static int print_tokens(segment_writer *w, const bipe_batch *batch, bipe_error *err)
{
    size_t closes = batch->close_count[0];
    w->token_index += batch->token_count;
    w->token_segment += closes;
    w->token_intra = closes != 0 ? batch->token_count - 1 - batch->closes[0][closes - 1] : w->token_intra + batch->token_count;
    return bipe_output_write(w->output, batch->made->text.data, batch->made->text.size, err);
}

static int print_segments(segment_writer *w, const bipe_batch *batch, bipe_error *err)
{
    const uint64_t *boundary = batch->boundaries[0];
    size_t count = batch->boundary_count[0], one = 1, none = 0;
    uint64_t last = boundary[count - 1];
    bipe_batch head = part_of(batch, batch->byte_offset, boundary[0], &boundary, &one);
    bipe_batch tail = part_of(batch, last, batch->byte_offset + batch->byte_count, &boundary, &none);
    int status = segment_writer_batch(w, &head, err);
    if (status == BIPE_OK)
        status = bipe_output_write(w->output, batch->made->text.data, batch->made->text.size, err);
    if (status != BIPE_OK)
        return status;
    segment_writer_pass(w, count - 1, last);
    return tail.byte_count != 0 ? segment_writer_batch(w, &tail, err) : BIPE_OK;
}

int segment_ahead_batch(segment_writer *w, const bipe_batch *batch, bipe_error *err)
{
    const bipe_batch_made *made = batch->made;
    if (made == NULL || made->text.size == 0)
        return segment_writer_batch(w, batch, err);
    const bipe_batch_before *before = &made->before;
    if (w->format->tokens != NULL)
        return before->tokens == w->token_index && before->closes == w->token_segment && before->open == w->token_intra
                   ? print_tokens(w, batch, err)
                   : segment_writer_batch(w, batch, err);
    bool here = before->boundaries == w->index && made->offset == batch->byte_offset && made->offset == w->end;
    return here ? print_segments(w, batch, err) : segment_writer_batch(w, batch, err);
}
