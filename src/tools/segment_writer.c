/* segment_writer.c - cuts batches into segments, counts their tokens, and detects white space. Prints nothing itself. */
#include "tools/segment_writer.h"

#include <string.h>

#include "base/alloc.h"

enum { SPOOL_MEMORY = 1 << 20, REPLAY = 1 << 14 };

int segment_writer_open(segment_writer *w, bipe_error *err)
{
    int status = bipe_spool_open(&w->spool, SPOOL_MEMORY, err);
    if (status == BIPE_OK && w->format->header != NULL)
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
    w->at.file = file;
    w->printed = 0;
}

/* The next segment begins where the last one ended. */
static void begin_segment(segment_writer *w)
{
    w->at.start = w->at.end;
    w->tokens = 0;
    w->blank = (segment_blank){.so_far = true};
    w->begun = w->newline = w->carriage_return = false;
    bipe_spool_reset(w->spool);
}

void segment_writer_begin(segment_writer *w, uint64_t document)
{
    w->at.document = document;
    w->head.size = 0;
    w->at.index = w->at.end = 0;
    w->at.token = w->at.token_segment = w->at.token_intra = 0;
    begin_segment(w);
}

/* Text of the present segment, up to this place of the document. */
static int see_text(segment_writer *w, const bipe_batch *batch, uint64_t to, bipe_error *err)
{
    uint64_t from = w->at.end;
    size_t size = (size_t)(to - from);
    w->at.end = to;
    if (size == 0 || (!w->squeeze && !w->format->wants_text))
        return BIPE_OK;
    const uint8_t *bytes = batch->bytes + (from - batch->byte_offset);
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
    w->at.index++;
    begin_segment(w);
    return status;
}

/* Fills in the tokens of the segments from number `first` < boundary_count of the batch on. What stands for nothing after the last byte of a document counts with
 * its last segment. */
static int count_tokens(segment_writer *w, const bipe_batch *batch, size_t first, bipe_error *err)
{
    const uint32_t *ends = batch->ends[0];
    size_t count = batch->boundary_count[0];
    if (bipe_grow(&w->counts, &w->count_capacity, count, sizeof *w->counts) != 0)
        return bipe_fail_memory(err);
    for (size_t i = first; i < count; i++)
        w->counts[i - first] = ends[i] - (i != 0 ? ends[i - 1] : 0);
    w->counts[0] += w->tokens;
    if (batch->last)
        w->counts[count - first - 1] += batch->token_count - ends[count - 1];
    return BIPE_OK;
}

/* The segments of a batch from number `first` on, which the format takes all at once. At the start of a segment. */
static int take_whole(segment_writer *w, const bipe_batch *batch, size_t first, bipe_error *err)
{
    const uint64_t *boundaries = batch->boundaries[0];
    size_t count = batch->boundary_count[0] - first;
    const uint8_t *bytes = batch->bytes + (w->at.end - batch->byte_offset);
    uint64_t index = w->at.index;
    int status = w->format->wants_tokens ? count_tokens(w, batch, first, err) : BIPE_OK;
    const segment_stretch stretch = {bytes, boundaries + first, w->counts, count};
    if (status == BIPE_OK)
        status = w->format->segments(w, &stretch, err);
    w->printed += count;
    w->at.index = index + count;
    w->at.end = boundaries[first + count - 1];
    begin_segment(w);
    return status;
}

int segment_writer_batch(segment_writer *w, const bipe_batch *batch, bipe_error *err)
{
    if (w->format->tokens != NULL)
        return w->format->tokens(w, batch, err);
    const uint32_t *ends = batch->ends[0];
    size_t count = batch->boundary_count[0], tokens = 0; /* of the batch that belong to segments before */
    bool at_once = w->format->segments != NULL && !w->squeeze;
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        if (at_once && w->at.start == w->at.end) {
            status = take_whole(w, batch, i, err);
            tokens = ends[count - 1];
            break;
        }
        w->tokens += (batch->last && i + 1 == count ? batch->token_count : ends[i]) - tokens;
        tokens = ends[i];
        status = see_text(w, batch, batch->boundaries[0][i], err);
        if (status == BIPE_OK)
            status = end_segment(w, err);
    }
    if (status != BIPE_OK || batch->last)
        return status;
    w->tokens += batch->token_count - tokens;
    return see_text(w, batch, batch->byte_offset + batch->byte_count, err);
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
