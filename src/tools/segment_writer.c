/* segment_writer.c - cuts batches into segments, counts their tokens, and tells white space. Prints nothing itself. */
#include "tools/segment_writer.h"

#include <string.h>

#include "base/alloc.h"

enum { SPOOL_MEMORY = 1 << 20, REPLAY = 1 << 14 };

int segment_writer_open(segment_writer *w, bipe_error *err)
{
    int status = bipe_spool_open(&w->spool, SPOOL_MEMORY, err);
    if (status == BIPE_OK && w->format->header != NULL && !w->headless)
        status = w->format->header(w, err);
    return status;
}

void segment_writer_close(segment_writer *w)
{
    bipe_spool_close(w->spool);
    w->spool = NULL;
    bipe_buffer_free(&w->head);
    bipe_free(w->counts);
    w->counts = NULL;
}

void segment_writer_begin_file(segment_writer *w, const char *file)
{
    w->file = file;
    w->printed = 0;
}

/* The next segment begins where the last one ended. */
static void begin_segment(segment_writer *w)
{
    w->start = w->end;
    w->tokens = 0;
    w->blank = (segment_blank){.so_far = true};
    w->begun = w->newline = w->carriage_return = false;
    bipe_spool_reset(w->spool);
}

void segment_writer_begin(segment_writer *w, uint64_t document)
{
    w->document = document;
    w->head.size = 0;
    w->index = w->end = 0;
    w->token_index = w->token_segment = w->token_intra = 0;
    begin_segment(w);
}

static int see(segment_writer *w, const uint8_t *bytes, size_t size, bipe_error *err)
{
    w->end += size;
    if (bytes == NULL || size == 0)
        return BIPE_OK;
    segment_blank_see(&w->blank, bytes, size);
    return w->format->text != NULL ? w->format->text(w, bytes, size, err) : BIPE_OK;
}

static int end_segment(segment_writer *w, bipe_error *err)
{
    w->blank.so_far = segment_blank_end(&w->blank);
    int status = BIPE_OK;
    if (!w->squeeze || !w->blank.so_far) {
        w->printed++;
        if (w->format->segment != NULL)
            status = w->format->segment(w, err);
    }
    w->index++;
    begin_segment(w);
    return status;
}

/* Counts the tokens of whole segments, from *next on: a token counts where it starts. What stands for nothing behind the last byte of a
 * document counts with its last segment. */
static int count_tokens(segment_writer *w, const bipe_batch *batch, const uint64_t *boundaries, size_t count, size_t *next, bipe_error *err)
{
    if (bipe_grow(&w->counts, &w->count_capacity, count, sizeof *w->counts) != 0)
        return bipe_fail_memory(err);
    size_t k = *next;
    for (size_t i = 0; i < count; i++) {
        size_t first = k;
        while (k < batch->token_count && batch->tokens[k].start < boundaries[i])
            k++;
        w->counts[i] = k - first;
    }
    if (batch->last) {
        w->counts[count - 1] += batch->token_count - k;
        k = batch->token_count;
    }
    *next = k;
    return BIPE_OK;
}

/* The segments of a batch that lie in it from end to end, when the format takes them all at once. At the start of a segment. */
static int take_whole(segment_writer *w, const bipe_batch *batch, size_t first, size_t *next_token, bipe_error *err)
{
    const uint64_t *boundaries = batch->boundaries[0] + first;
    size_t count = batch->boundary_count[0] - first;
    const uint8_t *bytes = batch->bytes != NULL ? batch->bytes + (w->end - batch->byte_offset) : NULL;
    uint64_t index = w->index;
    int status = w->format->wants_tokens ? count_tokens(w, batch, boundaries, count, next_token, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = w->format->segments(w, bytes, boundaries, count, err);
    w->index = index;
    segment_writer_pass(w, count, boundaries[count - 1]);
    return status;
}

void segment_writer_pass(segment_writer *w, size_t count, uint64_t end)
{
    w->printed += count;
    w->index += count;
    w->end = end;
    begin_segment(w);
}

int segment_writer_batch(segment_writer *w, const bipe_batch *batch, bipe_error *err)
{
    if (w->format->tokens != NULL)
        return w->format->tokens(w, batch, err);
    const uint8_t *bytes = batch->bytes;
    size_t count = batch->boundary_count[0], next_token = 0;
    bool at_once = w->format->segments != NULL && !w->squeeze;
    int status = BIPE_OK;
    for (size_t i = 0; i <= count && status == BIPE_OK; i++) {
        if (at_once && i < count && w->start == w->end) {
            status = take_whole(w, batch, i, &next_token, err);
            if (bytes != NULL)
                bytes = batch->bytes + (w->end - batch->byte_offset);
            i = count - 1;
            continue;
        }
        bool ends = i < count; /* otherwise the stretch stops inside a segment */
        uint64_t to = ends ? batch->boundaries[0][i] : batch->byte_offset + batch->byte_count;
        size_t size = (size_t)(to - w->end);
        /* A token counts where it starts; what stands for nothing behind the last byte counts with the last segment. */
        bool final = batch->last && (i + 1 == count || count == 0);
        while (next_token < batch->token_count && (!ends || final || batch->tokens[next_token].start < to)) {
            next_token++;
            w->tokens++;
        }
        status = see(w, bytes, size, err);
        if (bytes != NULL)
            bytes += size;
        if (ends && status == BIPE_OK)
            status = end_segment(w, err);
    }
    return status;
}

int segment_writer_break(segment_writer *w, bipe_error *err)
{
    int status = BIPE_OK;
    if (w->format->broken != NULL)
        status = w->format->broken(w, err);
    begin_segment(w);
    return status;
}

int segment_writer_replay(segment_writer *w, segment_print print, void *context, bipe_error *err)
{
    uint8_t piece[REPLAY];
    uint64_t size = bipe_spool_size(w->spool);
    int status = BIPE_OK;
    for (uint64_t at = 0; at < size && status == BIPE_OK;) {
        size_t n = size - at < sizeof piece ? (size_t)(size - at) : sizeof piece;
        status = bipe_spool_read(w->spool, at, piece, n, err);
        if (status == BIPE_OK)
            status = print(context, piece, n, err);
        at += n;
    }
    bipe_spool_reset(w->spool);
    return status;
}
