/* token_ends.c - see token_ends.h. */
#include "token/token_ends.h"

#include "base/alloc.h"

static int make_room(bipe_token_ends *e, size_t more)
{
    return bipe_grow(&e->end, &e->capacity, e->count + more + BIPE_TOKEN_ENDS_SLACK, sizeof *e->end);
}

static void put_slack(bipe_token_ends *e)
{
    for (size_t i = 0; i < BIPE_TOKEN_ENDS_SLACK; i++)
        e->end[e->count + i] = INT32_MAX;
}

int bipe_token_ends_set(bipe_token_ends *e, const bipe_token *token, size_t count, bipe_error *err)
{
    e->count = 0;
    if (make_room(e, count) != 0)
        return bipe_fail_memory(err);
    e->token = token;
    e->base = count != 0 ? token[0].start : 0;
    for (size_t i = 0; i < count; i++)
        e->end[i] = bipe_token_ends_near(token[i].end - e->base);
    e->count = count;
    put_slack(e);
    return BIPE_OK;
}

/* Where what is to come starts, if nothing stands apart. */
static uint64_t next_of(const bipe_token_ends *e)
{
    return e->base + (e->count != 0 ? (uint64_t)e->end[e->count - 1] : 0);
}

/* Moves the tokens of the list behind the ends: 0, or -1 when memory is out. */
static int move_rest(bipe_token_ends *e, bipe_tokens *tokens)
{
    if (make_room(e, tokens->count) != 0)
        return -1;
    const bipe_token *token = tokens->token;
    int32_t *end = e->end + e->count;
    uint64_t base = e->base, next = next_of(e), differences = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        differences |= token[i].start ^ next;
        next = token[i].end;
        end[i] = (int32_t)(uint32_t)(next - base);
    }
    e->apart = e->apart || differences != 0 || next - base >= INT32_MAX;
    e->count += tokens->count;
    tokens->count = 0;
    return 0;
}

int32_t *bipe_token_ends_room(bipe_tokens *tokens, uint64_t start, size_t more)
{
    bipe_token_ends *e = tokens->ends;
    if (move_rest(e, tokens) != 0 || make_room(e, more) != 0)
        return NULL;
    e->apart = e->apart || start != next_of(e);
    return e->end + e->count;
}

int bipe_token_ends_of(bipe_token_ends *e, bipe_token_stream *stream, uint64_t offset, const uint8_t *bytes, size_t size,
                       bipe_error *err)
{
    e->count = e->rest.count = 0;
    e->base = offset;
    e->token = NULL;
    e->apart = size >= INT32_MAX;
    e->rest.ends = e;
    int status = offset != 0 ? bipe_token_stream_begin_at(stream, offset, err) : bipe_token_stream_begin(stream, err);
    if (status == BIPE_OK && !e->apart)
        status = bipe_token_stream_feed(stream, bytes, size, &e->rest, err);
    if (status == BIPE_OK && !e->apart)
        status = bipe_token_stream_end(stream, &e->rest, err);
    if (status == BIPE_OK && move_rest(e, &e->rest) != 0)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    put_slack(e);
    return e->apart ? BIPE_END : BIPE_OK;
}

void bipe_token_ends_free(bipe_token_ends *e)
{
    bipe_free(e->end);
    bipe_tokens_free(&e->rest);
    *e = (bipe_token_ends){0};
}
