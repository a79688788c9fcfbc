/* stream_batch.c - what a stream hands out of what it has: how far that is decided, and the batch of the next stretch. */
#include <string.h>

#include "base/alloc.h"
#include "measure/stream_state.h"

enum { TOKENS_AT_ONCE = 1 << 16, BYTES_AT_ONCE = 1 << 20 };

/* The offset up to which everything is decided. The last byte waits until more follows or the end is known. */
uint64_t bipe_stream_decided(const bipe_stream *s)
{
    if (s->complete)
        return s->size;
    uint64_t offset = s->size == 0 ? 0 : s->size - 1;
    if (s->settled || (s->cut && s->cut_at < offset))
        offset = s->cut_at;
    for (size_t i = 0; i < s->track_count && !s->settled; i++) {
        uint64_t settled = bipe_segmentation_boundaries(s->tracks[i].segmentation)->settled;
        bool knows = s->cut && bipe_segmentation_wants_tokens(s->tracks[i].segmentation); /* it has got all that it gets */
        if (settled < offset && !knows)
            offset = settled;
    }
    return offset;
}

/* Finds the tokens of the batch that close a segment of one segmenter. The end of the document closes one, too. */
static int find_closes(bipe_stream *s, size_t i, bipe_error *err)
{
    bipe_track *t = &s->tracks[i];
    const bipe_boundaries *b = bipe_segmentation_boundaries(t->segmentation);
    const uint64_t *boundary = b->count != t->next ? b->offset + t->next : NULL;
    int status = bipe_closes_find(&t->closes, &s->ends, boundary, b->count - t->next, s->complete ? s->size : UINT64_MAX, err);
    s->closes[i] = t->closes.number;
    s->close_count[i] = t->closes.count;
    return status;
}

/* Fills the batch's boundaries of one segmenter, and moves past them. */
static int find_boundaries(bipe_stream *s, size_t i, const bipe_batch *batch, bipe_error *err)
{
    bipe_track *t = &s->tracks[i];
    const bipe_boundaries *b = bipe_segmentation_boundaries(t->segmentation);
    uint64_t end = batch->byte_offset + batch->byte_count;
    size_t first = t->next;
    if (b->count != 0 && b->offset[b->count - 1] <= end)
        t->next = b->count;
    while (t->next < b->count && b->offset[t->next] <= end)
        t->next++;
    size_t count = t->next - first;
    const uint64_t *offsets = count != 0 ? b->offset + first : NULL;
    bool missing = s->complete && batch->byte_count != 0 && end == s->size &&
                   (count == 0 || offsets[count - 1] != end);
    if (missing) {
        if (bipe_grow(&t->final, &t->final_capacity, count + 1, sizeof *t->final) != 0)
            return bipe_fail_memory(err);
        if (count != 0)
            memcpy(t->final, offsets, count * sizeof *t->final);
        t->final[count++] = end;
        offsets = t->final;
    }
    s->boundaries[i] = offsets;
    s->boundary_count[i] = count;
    return BIPE_OK;
}

/* The first of the tokens [from, to) that does not start (or end) before the offset; `to` when all do. Mostly all do. */
static size_t tokens_before(const bipe_stream *s, bool starts, size_t from, size_t to, uint64_t offset)
{
    for (size_t probe = to; from < to; probe = from + (to - from) / 2) {
        size_t at = probe == to ? to - 1 : probe;
        const bipe_token *token = &s->tokens.token[at];
        if ((starts ? token->start : token->end) < offset)
            from = at + 1;
        else
            to = at;
    }
    return from;
}

/* The stretch that may be handed out now: *end, and the tokens [token_head, *last) that start in it. */
static void find_stretch(bipe_stream *s, uint64_t *end, size_t *last)
{
    uint64_t limit = bipe_stream_decided(s);
    if (s->tokenizer == NULL)
        s->reach = limit;
    size_t decided_before = s->token_decided;
    s->token_decided = tokens_before(s, false, s->token_decided, s->tokens.count, limit + 1);
    if (s->token_decided != decided_before)
        s->reach = s->tokens.token[s->token_decided - 1].end;
    if (s->complete)
        s->reach = s->size;
    uint64_t to = s->reach - s->done > BYTES_AT_ONCE ? s->done + BYTES_AT_ONCE : s->reach;
    bool all = s->complete && to == s->size; /* tokens that stand for nothing at the end go out, too */
    size_t most = s->token_decided - s->token_head > TOKENS_AT_ONCE ? s->token_head + TOKENS_AT_ONCE : s->token_decided;
    size_t k = all ? most : tokens_before(s, true, s->token_head, most, to);
    if (k < s->token_decided && s->tokens.token[k].start < to)
        to = s->tokens.token[k].start;
    *end = to;
    *last = k;
}

static void add_before(bipe_stream *s, const bipe_batch *batch)
{
    size_t closes = batch->close_count[0];
    s->before.tokens += batch->token_count;
    s->before.closes += closes;
    s->before.open = closes != 0 ? batch->token_count - 1 - batch->closes[0][closes - 1] : s->before.open + batch->token_count;
    s->before.boundaries += batch->boundary_count[0];
}

int bipe_stream_fill(bipe_stream *s, bipe_batch *batch, bipe_error *err)
{
    uint64_t end;
    size_t last;
    find_stretch(s, &end, &last);
    const bipe_token *tokens = last != s->token_head ? s->tokens.token + s->token_head : NULL;
    *batch = (bipe_batch){
        .tokens = s->just_counts ? NULL : tokens,
        .token_count = last - s->token_head,
        .closes = s->closes,
        .close_count = s->close_count,
        .byte_offset = s->done,
        .byte_count = (size_t)(end - s->done),
        .boundaries = s->just_counts ? NULL : s->boundaries,
        .boundary_count = s->just_counts ? NULL : s->boundary_count,
        .last = s->complete && !s->failed && last == s->tokens.count && end == s->size,
    };
    int status = s->want_bytes ? bipe_text_queue_take(&s->text, batch->byte_count, &batch->bytes, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = bipe_token_ends_set(&s->ends, tokens, batch->token_count, err);
    for (size_t i = 0; i < s->track_count && status == BIPE_OK; i++) {
        status = find_closes(s, i, err);
        if (status == BIPE_OK)
            status = find_boundaries(s, i, batch, err);
    }
    if (status != BIPE_OK)
        return status;
    s->token_head = last;
    s->done = end;
    if (s->maker != NULL)
        add_before(s, batch);
    return BIPE_OK;
}

int bipe_stream_fill_block(bipe_stream *s, bipe_batch *batch, bipe_error *err)
{
    batch->tokens = s->counts.list.token;
    batch->boundaries = s->boundaries;
    batch->boundary_count = s->boundary_count;
    batch->made = &s->counts.made;
    int status = s->want_bytes ? bipe_text_queue_take(&s->text, batch->byte_count, &batch->bytes, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = find_boundaries(s, 0, batch, err);
    if (status == BIPE_OK)
        add_before(s, batch);
    return status;
}
