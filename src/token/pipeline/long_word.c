/* long_word.c - see long_word.h. The plain twin is a chunk that holds the whole word. */
#include "token/pipeline/long_word.h"

#include <inttypes.h>

#include "base/alloc.h"

void bipe_long_word_reset(bipe_long_word *w)
{
    w->open = w->dropped = false;
    w->pushed = w->out = 0;
    w->text.size = 0;
    bipe_place_runs_reset(&w->places);
}

void bipe_long_word_free(bipe_long_word *w)
{
    bipe_buffer_free(&w->text);
    bipe_place_runs_free(&w->places);
    bipe_free(w->ids.token);
}

/* A token for a place, less what the one before it has. */
static int put_place(bipe_long_word *w, uint32_t id, uint64_t first, uint64_t last, bipe_tokens *tokens, bipe_error *err)
{
    first = first < *w->done ? *w->done : first;
    *w->done = last > first ? last : first;
    return bipe_tokens_add(tokens, first, *w->done, id, err);
}

/* The next token, of `size` bytes. */
static int put(bipe_long_word *w, uint32_t id, uint64_t size, bipe_tokens *tokens, bipe_error *err)
{
    uint64_t first, last, spare;
    bipe_place_runs_find(&w->places, w->out < w->pushed ? w->out : w->out - 1, &first, &last);
    first = w->out < w->pushed ? first : last;
    if (size != 0)
        bipe_place_runs_find(&w->places, w->out + size - 1, &spare, &last);
    else
        last = first;
    w->out += size;
    return put_place(w, id, first, last, tokens, err);
}

/* ---- the word ---- */

/* Gives bytes to a model that takes them piece by piece. */
static int encode_part(bipe_long_word *w, const uint8_t *text, size_t size, bool first, bool last, bipe_tokens *tokens, bipe_error *err)
{
    const bipe_pipeline *p = w->pipeline;
    w->ids.count = 0;
    int status = p->type->encode_part(p->model, w->scratch, text, size, first, last, &w->ids, err);
    size_t want = tokens->count + w->ids.count;
    if (status == BIPE_OK && w->ids.count > p->chunk && bipe_grow(&tokens->token, &tokens->capacity, want, sizeof *tokens->token) != 0)
        status = bipe_fail_memory(err);
    for (size_t k = 0; status == BIPE_OK && k < w->ids.count; k++)
        status = put(w, w->ids.token[k].id, w->ids.token[k].end, tokens, err);
    if (status == BIPE_ERR_UNSUPPORTED || status == BIPE_ERR_LIMIT)
        bipe_error_prefix(err, "offset %" PRIu64, w->base);
    return status;
}

/* Keeps bytes for a model that wants all of them. */
static int keep(bipe_long_word *w, const uint8_t *text, size_t size, bipe_error *err)
{
    const bipe_pipeline *p = w->pipeline;
    uint32_t id;
    w->dropped = p->type->too_long != NULL && p->type->too_long(p->model, w->pushed, &id);
    if (w->dropped) {
        uint64_t spare;
        bipe_place_runs_find(&w->places, 0, &w->first, &spare);
        bipe_place_runs_reset(&w->places);
        w->text.size = 0;
        return BIPE_OK;
    }
    if (w->pushed > p->hold_limit)
        return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": more than %zu bytes without a place to cut the text into tokens",
                         w->base, p->hold_limit);
    return bipe_buffer_append(&w->text, text, size, err);
}

int bipe_long_word_push(bipe_long_word *w, const bipe_mapped *text, bipe_range range, uint64_t base, bipe_tokens *tokens,
                        bipe_error *err)
{
    bool first = !w->open;
    int status = BIPE_OK;
    if (first) {
        bipe_long_word_reset(w);
        w->open = true;
        w->base = base + text->start[range.start];
    }
    w->last = base + text->end[range.end - 1];
    w->pushed += range.end - range.start;
    if (w->dropped)
        return BIPE_OK;
    for (uint32_t i = range.start; status == BIPE_OK && i < range.end; i++)
        status = bipe_place_runs_add(&w->places, base + text->start[i], base + text->end[i], err);
    if (status != BIPE_OK)
        return status;
    const uint8_t *bytes = text->text + range.start;
    size_t size = range.end - range.start;
    return w->pipeline->type->encode_part != NULL ? encode_part(w, bytes, size, first, false, tokens, err) : keep(w, bytes, size, err);
}

int bipe_long_word_end(bipe_long_word *w, bipe_tokens *tokens, bipe_error *err)
{
    const bipe_pipeline *p = w->pipeline;
    uint32_t id;
    if (!w->open)
        return BIPE_OK;
    w->open = false;
    if (p->type->encode_part != NULL)
        return encode_part(w, NULL, 0, false, true, tokens, err);
    if (w->dropped && p->type->too_long(p->model, w->pushed, &id))
        return put_place(w, id, w->first, w->last, tokens, err);
    w->ids.count = 0;
    int status = p->type->encode(p->model, w->scratch, w->text.data, w->text.size, &w->ids, err);
    if (status == BIPE_ERR_UNSUPPORTED)
        bipe_error_prefix(err, "offset %" PRIu64, w->base);
    for (size_t k = 0; status == BIPE_OK && k < w->ids.count; k++)
        status = put(w, w->ids.token[k].id, w->ids.token[k].end - w->out, tokens, err);
    if (w->text.capacity > 16 * p->chunk)
        bipe_buffer_free(&w->text);
    return status;
}
