/* token_team.c - a ring of blocks: the caller fills them, threads (and the caller) tokenize them, the caller takes the tokens in order. */
#include "config.h"

#include "measure/token_team.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"

/* Bytes of a block; bytes of a document that go through one stream before; bytes at the end of a block in which a place to cut is looked
 * for. A block has at most a token for each byte, and their number is bounded by that of the threads: memory stays so. */
enum { BLOCK = 1 << 16, ALONE = 1 << 20, LOOK_BACK = 1 << 14, MOST_THREADS = 16 };

typedef enum block_state { IDLE, READY, TAKEN, DONE } block_state;

typedef struct block {
    block_state state;
    uint8_t *bytes; /* (block size) */
    size_t size;
    uint64_t offset; /* in the document */
    bipe_tokens tokens;
    int status;
    bipe_error error;
} block;

typedef struct helper {
    bipe_token_team *team;
    bipe_token_stream *stream;
    pthread_t thread;
} helper;

struct bipe_token_team {
    const bipe_tokenizer *tokenizer;
    bipe_token_stream *stream; /* the caller's own */
    size_t block_size, alone_size;
    size_t helpers, started;
    helper helper[MOST_THREADS];
    /* The caller's: */
    bool may_share;
    bool opened, sharing;  /* there are blocks and threads; the document goes into blocks */
    uint64_t position;     /* bytes of the document so far */
    uint64_t alone;        /* bytes until sharing is tried (again) */
    size_t block_count;
    block *blocks;         /* (block_count) a ring */
    uint64_t first, fill;  /* counted without end: the oldest block that was not handed out, and the one that is filled */
    /* Under `lock`: the states of the blocks, and */
    pthread_mutex_t lock;
    pthread_cond_t ready, done;
    uint64_t next;         /* the block to be taken next, first <= next <= fill */
    bool closing;
};

static block *at(bipe_token_team *t, uint64_t number)
{
    return &t->blocks[number % t->block_count];
}

/* ---- tokenizing ---- */

static void tokenize(bipe_token_stream *stream, block *b)
{
    b->tokens.count = 0;
    b->status = bipe_token_stream_begin_at(stream, b->offset, &b->error);
    if (b->status == BIPE_OK)
        b->status = bipe_token_stream_feed(stream, b->bytes, b->size, &b->tokens, &b->error);
    if (b->status == BIPE_OK)
        b->status = bipe_token_stream_end(stream, &b->tokens, &b->error);
}

/* Takes the next block that is ready and tokenizes it; called with the lock, which is let go meanwhile. */
static void take_block(bipe_token_team *t, bipe_token_stream *stream)
{
    block *b = at(t, t->next++);
    b->state = TAKEN;
    pthread_mutex_unlock(&t->lock);
    tokenize(stream, b);
    pthread_mutex_lock(&t->lock);
    b->state = DONE;
    pthread_cond_signal(&t->done);
}

static void *help(void *argument)
{
    helper *h = argument;
    bipe_token_team *t = h->team;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->closing && (t->blocks == NULL || at(t, t->next)->state != READY))
            pthread_cond_wait(&t->ready, &t->lock);
        if (t->closing)
            break;
        take_block(t, h->stream);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Waits until the oldest block is done, and works meanwhile. */
static block *wait_for_first(bipe_token_team *t)
{
    block *b = at(t, t->first);
    pthread_mutex_lock(&t->lock);
    while (b->state != DONE) {
        if (t->next < t->fill)
            take_block(t, t->stream);
        else
            pthread_cond_wait(&t->done, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return b;
}

static bool first_is_done(bipe_token_team *t)
{
    pthread_mutex_lock(&t->lock);
    bool done = t->first < t->fill && at(t, t->first)->state == DONE;
    pthread_mutex_unlock(&t->lock);
    return done;
}

/* Hands out the tokens of the oldest block. */
static int collect(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    block *b = wait_for_first(t);
    size_t count = b->tokens.count;
    int status = b->status;
    if (status != BIPE_OK && err != NULL)
        *err = b->error;
    if (tokens != NULL && tokens->count == 0) { /* the lists change places */
        bipe_tokens taken = b->tokens;
        b->tokens = *tokens;
        *tokens = taken;
    } else if (tokens != NULL && bipe_grow(&tokens->token, &tokens->capacity, tokens->count + count, sizeof *tokens->token) != 0) {
        status = bipe_fail_memory(err);
    } else if (tokens != NULL && count != 0) {
        memcpy(tokens->token + tokens->count, b->tokens.token, count * sizeof *tokens->token);
        tokens->count += count;
    }
    pthread_mutex_lock(&t->lock);
    b->state = IDLE;
    t->first++;
    pthread_mutex_unlock(&t->lock);
    b->size = 0;
    return status;
}

/* ---- sharing ---- */

/* Makes blocks and starts threads. False: it cannot be done, and is not tried again. */
static bool open_blocks(bipe_token_team *t)
{
    if (t->opened)
        return t->started != 0;
    t->opened = true;
    t->block_count = t->helpers + 3;
    block *blocks = bipe_alloc(t->block_count, sizeof *blocks);
    bool made = blocks != NULL;
    for (size_t i = 0; made && i < t->block_count; i++)
        made = (blocks[i].bytes = bipe_realloc(NULL, t->block_size, 1)) != NULL;
    pthread_mutex_lock(&t->lock);
    t->blocks = blocks;
    pthread_mutex_unlock(&t->lock);
    while (made && t->started < t->helpers) {
        helper *h = &t->helper[t->started];
        h->team = t;
        if (bipe_token_stream_open(&h->stream, t->tokenizer, NULL) != BIPE_OK)
            break;
        if (bipe_thread_start(&h->thread, help, h) != 0) {
            bipe_token_stream_close(h->stream);
            h->stream = NULL;
            break;
        }
        t->started++;
    }
    return t->started != 0;
}

/* The last place to cut at near the end of the bytes, or 0. */
static size_t find_cut(const bipe_token_team *t, const uint8_t *bytes, size_t size)
{
    size_t from = size > LOOK_BACK ? size - LOOK_BACK : 0;
    size_t cut = bipe_tokenizer_cut(t->tokenizer, bytes + from, size - from);
    return cut != 0 ? from + cut : 0;
}

/* The block that is being filled ends at `size`; the rest goes to the next one, for which there is room. */
static void send_block(bipe_token_team *t, size_t size)
{
    block *b = at(t, t->fill), *next = at(t, t->fill + 1);
    next->offset = b->offset + size;
    next->size = b->size - size;
    if (next->size != 0)
        memcpy(next->bytes, b->bytes + size, next->size);
    b->size = size;
    pthread_mutex_lock(&t->lock);
    b->state = READY;
    t->fill++;
    pthread_cond_signal(&t->ready);
    pthread_mutex_unlock(&t->lock);
}

/* The block that is being filled has no place to cut at: what is before it comes out, and it goes through one stream. */
static int go_alone(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    while (status == BIPE_OK && t->first < t->fill)
        status = collect(t, tokens, err);
    block *b = at(t, t->fill);
    t->sharing = false;
    t->alone = t->alone_size;
    if (status == BIPE_OK)
        status = bipe_token_stream_begin_at(t->stream, b->offset, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(t->stream, b->bytes, b->size, tokens, err);
    b->size = 0;
    return status;
}

/* Into blocks, as many bytes as may go there: *taken. */
static int share(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err)
{
    block *b = at(t, t->fill);
    *taken = t->block_size - b->size < size ? t->block_size - b->size : size;
    memcpy(b->bytes + b->size, bytes, *taken);
    b->size += *taken;
    if (b->size < t->block_size)
        return BIPE_OK;
    size_t cut = find_cut(t, b->bytes, b->size);
    if (cut == 0)
        return go_alone(t, tokens, err);
    int status = BIPE_OK;
    /* Blocks first .. fill + 1 must fit into the ring. */
    while (status == BIPE_OK && t->fill + 2 - t->first > t->block_count)
        status = collect(t, tokens, err);
    if (status == BIPE_OK)
        send_block(t, cut);
    if (status == BIPE_OK && first_is_done(t))
        status = collect(t, tokens, err);
    return status;
}

/* Through one stream; at the first good place behind the first bytes, the rest is shared. */
static int feed_alone(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err)
{
    *taken = size;
    bool far = t->alone <= size;
    t->alone = far ? t->alone_size : t->alone - size;
    size_t cut = far && t->may_share && t->helpers != 0 ? find_cut(t, bytes, size) : 0;
    if (cut == 0 || !open_blocks(t))
        return bipe_token_stream_feed(t->stream, bytes, size, tokens, err);
    *taken = cut;
    int status = bipe_token_stream_feed(t->stream, bytes, cut, tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(t->stream, tokens, err);
    t->sharing = true;
    block *b = at(t, t->fill);
    b->offset = t->position + cut;
    b->size = 0;
    return status;
}

/* ---- the object ---- */

int bipe_token_team_open(bipe_token_team **team, const bipe_tokenizer *tokenizer, size_t threads, bipe_error *err)
{
    *team = NULL;
    bipe_token_team *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->tokenizer = tokenizer;
    t->may_share = true;
    t->helpers = threads == 0 ? 0 : threads < MOST_THREADS ? threads - 1 : MOST_THREADS - 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->ready, NULL);
    pthread_cond_init(&t->done, NULL);
    bipe_token_team_sizes(t, 0, 0);
    int status = bipe_token_stream_open(&t->stream, tokenizer, err);
    if (status != BIPE_OK) {
        bipe_token_team_close(t);
        return status;
    }
    *team = t;
    return BIPE_OK;
}

void bipe_token_team_sizes(bipe_token_team *t, size_t of_block, size_t alone)
{
    t->block_size = of_block != 0 ? of_block : BLOCK;
    t->alone = t->alone_size = alone != 0 ? alone : ALONE;
}

void bipe_token_team_share(bipe_token_team *t, bool share)
{
    t->may_share = share;
}

int bipe_token_team_begin(bipe_token_team *t, bipe_error *err)
{
    while (t->first < t->fill) /* of a document that was left */
        collect(t, NULL, NULL);
    t->sharing = false;
    t->position = 0;
    t->alone = t->alone_size;
    return bipe_token_stream_begin(t->stream, err);
}

int bipe_token_team_feed(bipe_token_team *t, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    while (size != 0 && status == BIPE_OK) {
        size_t taken;
        status = t->sharing ? share(t, bytes, size, &taken, tokens, err) : feed_alone(t, bytes, size, &taken, tokens, err);
        bytes += taken;
        size -= taken;
        t->position += taken;
    }
    return status;
}

int bipe_token_team_end(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    if (!t->sharing)
        return bipe_token_stream_end(t->stream, tokens, err);
    int status = BIPE_OK;
    while (status == BIPE_OK && t->first < t->fill)
        status = collect(t, tokens, err);
    block *b = at(t, t->fill); /* the last, in which something may be */
    if (status == BIPE_OK)
        status = bipe_token_stream_begin_at(t->stream, b->offset, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(t->stream, b->bytes, b->size, tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(t->stream, tokens, err);
    t->sharing = false;
    return status;
}

void bipe_token_team_close(bipe_token_team *t)
{
    if (t == NULL)
        return;
    pthread_mutex_lock(&t->lock);
    t->closing = true;
    pthread_cond_broadcast(&t->ready);
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->started; i++)
        pthread_join(t->helper[i].thread, NULL);
    for (size_t i = 0; i < t->started; i++)
        bipe_token_stream_close(t->helper[i].stream);
    for (size_t i = 0; t->blocks != NULL && i < t->block_count; i++) {
        bipe_free(t->blocks[i].bytes);
        bipe_tokens_free(&t->blocks[i].tokens);
    }
    bipe_free(t->blocks);
    bipe_token_stream_close(t->stream);
    pthread_cond_destroy(&t->ready);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    bipe_free(t);
}
