/* segment_writer.c - cuts batches into segments, counts their tokens, and detects white space. Prints nothing
 * itself. */
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "text/utf8.h"
#include "tools/segment/bipe_segment.h"

enum { SPOOL_MEMORY = 1 << 20 };

int segment_writer_open(segment_writer *w, bipe_error *err)
{
    int status = bipe_spool_open(&w->spool, SPOOL_MEMORY, err);
    if (status == BIPE_OK && w->format->header != NULL)
        w->format->header(w);
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
    w->printed = w->blanks = w->matches = 0;
}

/* The next segment begins where the last one ended. */
static void begin_segment(segment_writer *w)
{
    w->at.start = w->at.end;
    w->tokens = 0;
    w->blank = (segment_blank){.so_far = true};
    w->tidy = (segment_tidy){0};
    w->begun = w->newline = w->carriage_return = false;
    bipe_spool_truncate(w->spool, 0);
}

void segment_writer_begin(segment_writer *w, uint64_t document)
{
    w->at.document = document;
    w->head.size = 0;
    w->at.index = w->at.end = 0;
    w->at.token = 0;
    memset(w->at.token_at, 0, sizeof w->at.token_at);
    begin_segment(w);
}

/* Text of the present segment, up to this place of the document. */
static void see_text(segment_writer *w, const bipe_batch *batch, uint64_t to)
{
    uint64_t from = w->at.end;
    size_t size = (size_t)(to - from);
    w->at.end = to;
    if (size == 0 || (!w->squeeze && !w->format->wants_text))
        return;
    const uint8_t *bytes = batch->bytes + (from - batch->byte_offset);
    segment_blank_see(&w->blank, bytes, size);
    if (w->format->text != NULL)
        w->format->text(w, bytes, size);
}

static void end_segment(segment_writer *w)
{
    w->blank.so_far = segment_blank_end(&w->blank);
    w->blanks += w->blank.so_far;
    if (!w->squeeze || !w->blank.so_far) {
        w->printed++;
        if (w->format->segment != NULL)
            w->format->segment(w);
    }
    w->at.index++;
    begin_segment(w);
}

/* Fills in the tokens of the segments from number `first` < boundary_count of the batch on. Tokens that stand for
 * nothing after the last byte of a document count with its last segment. */
static void count_tokens(segment_writer *w, const bipe_batch *batch, size_t first)
{
    const uint32_t *ends = batch->ends[0];
    size_t count = batch->boundary_count[0];
    bipe_tool_grow(&w->counts, &w->count_capacity, count, sizeof *w->counts);
    for (size_t i = first; i < count; i++)
        w->counts[i - first] = ends[i] - (i != 0 ? ends[i - 1] : 0);
    w->counts[0] += w->tokens;
    if (batch->last)
        w->counts[count - first - 1] += batch->token_count - ends[count - 1];
}

/* The segments of a batch from number `first` on, which the format takes all at once. At the start of a segment. */
static void take_segments(segment_writer *w, const bipe_batch *batch, size_t first)
{
    const uint64_t *boundaries = batch->boundaries[0];
    size_t count = batch->boundary_count[0] - first;
    uint64_t index = w->at.index;
    if (w->format->wants_tokens)
        count_tokens(w, batch, first);
    w->format->segments(w, &(segment_stretch){batch->bytes + (w->at.end - batch->byte_offset), boundaries + first,
                                              w->counts, count});
    w->printed += count;
    w->at.index = index + count;
    w->at.end = boundaries[first + count - 1];
    begin_segment(w);
}

void segment_writer_batch(segment_writer *w, const bipe_batch *batch)
{
    if (w->format->tokens != NULL) {
        w->format->tokens(w, batch);
        return;
    }
    const uint32_t *ends = batch->ends[0];
    size_t count = batch->boundary_count[0], tokens = 0; /* of the batch that belong to segments before */
    bool at_once = w->format->segments != NULL && !w->squeeze && !w->trim;
    for (size_t i = 0; i < count && w->error.status == BIPE_OK; i++) {
        if (at_once && w->at.start == w->at.end) {
            take_segments(w, batch, i);
            tokens = ends[count - 1];
            break;
        }
        w->tokens += (batch->last && i + 1 == count ? batch->token_count : ends[i]) - tokens;
        tokens = ends[i];
        see_text(w, batch, batch->boundaries[0][i]);
        end_segment(w);
    }
    if (w->error.status != BIPE_OK || batch->last)
        return;
    w->tokens += batch->token_count - tokens;
    see_text(w, batch, batch->byte_offset + batch->byte_count);
}

void segment_writer_break(segment_writer *w)
{
    if (w->format->broken != NULL)
        w->format->broken(w);
    begin_segment(w);
}

void segment_replay(bipe_spool *spool, segment_print *print, void *context, bipe_error *err)
{
    uint8_t piece[SEGMENT_REPLAY];
    uint64_t size = bipe_spool_size(spool);
    for (uint64_t at = 0, n; at < size && err->status == BIPE_OK; at += n) {
        bool last = size - at <= SEGMENT_REPLAY;
        n = last ? size - at : SEGMENT_REPLAY;
        if (bipe_spool_read(spool, at, piece, (size_t)n, err) != BIPE_OK)
            break;
        n = last ? n : bipe_utf8_complete(piece, (size_t)n);
        print(context, piece, (size_t)n);
    }
    bipe_spool_truncate(spool, 0);
}
