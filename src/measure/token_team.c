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
enum { BLOCK = 1 << 15, ALONE = 1 << 20, LOOK_BACK = 1 << 14, MOST_THREADS = 16 };

typedef enum block_state { IDLE, READY, TAKEN, DONE } block_state;

/* Boundaries of a track within a block. */
typedef struct bounds {
    uint64_t *offset;
    size_t count, capacity;
} bounds;

typedef struct block {
    block_state state;
    uint8_t *bytes; /* (block size) */
    size_t size;
    uint64_t offset; /* in the document */
    bool counted;    /* rather than listed: */
    bipe_tokens tokens;
    size_t count;         /* of tokens */
    bounds *bounds;       /* (tracks) */
    bipe_closes *closes;  /* (tracks) */
    int status;
    bipe_error error;
} block;

/* What a thread tokenizes with. */
typedef struct hand {
    bipe_token_stream *stream;
    bipe_tokens tokens;   /* of a block that is counted */
    bipe_token_ends ends;
} hand;

typedef struct helper {
    bipe_token_team *team;
    hand hand;
    pthread_t thread;
} helper;

struct bipe_token_team {
    const bipe_tokenizer *tokenizer;
    const bipe_boundaries *const *track; /* (tracks) NULL: nothing is counted */
    size_t tracks;
    hand own; /* the caller's */
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

/* The document goes on at `offset`, and ends behind the bytes. */
static int tokenize(bipe_token_stream *stream, uint64_t offset, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    int status = bipe_token_stream_begin_at(stream, offset, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(stream, bytes, size, tokens, err);
    return status == BIPE_OK ? bipe_token_stream_end(stream, tokens, err) : status;
}

static int count_tokens(const bipe_token_team *t, hand *h, block *b)
{
    h->tokens.count = 0;
    int status = tokenize(h->stream, b->offset, b->bytes, b->size, &h->tokens, &b->error);
    b->count = h->tokens.count;
    if (status == BIPE_OK)
        status = bipe_token_ends_set(&h->ends, h->tokens.token, h->tokens.count, &b->error);
    for (size_t i = 0; status == BIPE_OK && i < t->tracks; i++)
        status = bipe_closes_find(&b->closes[i], &h->ends, b->bounds[i].offset, b->bounds[i].count, UINT64_MAX, &b->error);
    return status;
}

/* Takes the next block that is ready and tokenizes it; called with the lock, which is let go meanwhile. */
static void take_block(bipe_token_team *t, hand *h)
{
    block *b = at(t, t->next++);
    b->state = TAKEN;
    pthread_mutex_unlock(&t->lock);
    b->tokens.count = 0;
    b->status = b->counted ? count_tokens(t, h, b) : tokenize(h->stream, b->offset, b->bytes, b->size, &b->tokens, &b->error);
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
        take_block(t, &h->hand);
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
            take_block(t, &t->own);
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

/* Appends the tokens of a list to another. */
static int move_tokens(bipe_tokens *from, bipe_tokens *to, bipe_error *err)
{
    if (to->count == 0) { /* the lists change places */
        bipe_tokens taken = *from;
        *from = *to;
        *to = taken;
        return BIPE_OK;
    }
    if (bipe_grow(&to->token, &to->capacity, to->count + from->count, sizeof *to->token) != 0)
        return bipe_fail_memory(err);
    if (from->count != 0)
        memcpy(to->token + to->count, from->token, from->count * sizeof *to->token);
    to->count += from->count;
    return BIPE_OK;
}

/* Hands out what became of the oldest block; tokens NULL: nobody wants it. */
static int collect(bipe_token_team *t, bipe_token_counts *counts, bipe_tokens *tokens, bipe_error *err)
{
    block *b = wait_for_first(t);
    int status = b->status;
    if (status != BIPE_OK && err != NULL)
        *err = b->error;
    if (status == BIPE_OK && b->counted && counts != NULL) {
        bipe_closes *closes = b->closes;
        b->closes = counts->closes;
        *counts = (bipe_token_counts){.tokens = b->count, .end = b->offset + b->size, .closes = closes};
    } else if (tokens != NULL) { /* those before an error, too */
        int moved = move_tokens(&b->tokens, tokens, err);
        status = status == BIPE_OK ? moved : status;
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
    t->block_count = t->helpers + 9;
    block *blocks = bipe_alloc(t->block_count, sizeof *blocks);
    bool made = blocks != NULL;
    for (size_t i = 0; made && i < t->block_count; i++)
        made = (blocks[i].bytes = bipe_realloc(NULL, t->block_size, 1)) != NULL &&
               (blocks[i].bounds = bipe_alloc(t->tracks, sizeof *blocks[i].bounds)) != NULL &&
               (blocks[i].closes = bipe_alloc(t->tracks, sizeof *blocks[i].closes)) != NULL;
    pthread_mutex_lock(&t->lock);
    t->blocks = blocks;
    pthread_mutex_unlock(&t->lock);
    while (made && t->started < t->helpers) {
        helper *h = &t->helper[t->started];
        h->team = t;
        if (bipe_token_stream_open(&h->hand.stream, t->tokenizer, NULL) != BIPE_OK)
            break;
        if (bipe_thread_start(&h->thread, help, h) != 0) {
            bipe_token_stream_close(h->hand.stream);
            h->hand.stream = NULL;
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

/* How much of the block that is being filled can be counted: all boundaries in it are known, and something follows. */
static size_t countable(const bipe_token_team *t, const block *b)
{
    uint64_t to = b->offset + b->size - 1;
    for (size_t i = 0; i < t->tracks; i++)
        if (t->track[i]->settled < to)
            to = t->track[i]->settled;
    return to > b->offset ? (size_t)(to - b->offset) : 0;
}

/* Copies the boundaries in the block. */
static int set_bounds(const bipe_token_team *t, block *b, bipe_error *err)
{
    uint64_t end = b->offset + b->size;
    for (size_t i = 0; i < t->tracks; i++) {
        const bipe_boundaries *all = t->track[i];
        size_t first = 0, last = all->count;
        while (first < last) {
            size_t middle = first + (last - first) / 2;
            if (all->offset[middle] <= b->offset)
                first = middle + 1;
            else
                last = middle;
        }
        while (last < all->count && all->offset[last] <= end)
            last++;
        bounds *own = &b->bounds[i];
        own->count = last - first;
        if (bipe_grow(&own->offset, &own->capacity, own->count, sizeof *own->offset) != 0)
            return bipe_fail_memory(err);
        if (own->count != 0)
            memcpy(own->offset, all->offset + first, own->count * sizeof *own->offset);
    }
    return BIPE_OK;
}

/* The block that is being filled ends at `size`; the rest goes to the next one, for which there is room. */
static int send_block(bipe_token_team *t, size_t size, bool counted, bipe_error *err)
{
    block *b = at(t, t->fill), *next = at(t, t->fill + 1);
    next->offset = b->offset + size;
    next->size = b->size - size;
    if (next->size != 0)
        memcpy(next->bytes, b->bytes + size, next->size);
    b->size = size;
    b->counted = counted;
    int status = counted ? set_bounds(t, b, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    pthread_mutex_lock(&t->lock);
    b->state = READY;
    t->fill++;
    pthread_cond_signal(&t->ready);
    pthread_mutex_unlock(&t->lock);
    return BIPE_OK;
}

/* The block that is being filled has no place to cut at, and nothing is before it: it goes through one stream. */
static int go_alone(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    block *b = at(t, t->fill);
    t->sharing = false;
    t->alone = t->alone_size;
    int status = bipe_token_stream_begin_at(t->own.stream, b->offset, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(t->own.stream, b->bytes, b->size, tokens, err);
    b->size = 0;
    return status;
}

/* Something must be taken before more goes into blocks: it is, unless the caller wants counts. */
static int make_way(bipe_token_team *t, bool *blocked, bipe_tokens *tokens, bipe_error *err)
{
    *blocked = t->track != NULL;
    return *blocked ? BIPE_OK : collect(t, NULL, tokens, err);
}

/* Into blocks, as many bytes as may go there: *taken. *blocked: no more do. */
static int share(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bool *blocked, bipe_tokens *tokens, bipe_error *err)
{
    block *b = at(t, t->fill);
    *taken = t->block_size - b->size < size ? t->block_size - b->size : size;
    memcpy(b->bytes + b->size, bytes, *taken);
    b->size += *taken;
    if (b->size < t->block_size)
        return BIPE_OK;
    size_t known = t->track != NULL ? countable(t, b) : 0;
    bool counted = known > t->block_size / 2;
    size_t cut = find_cut(t, b->bytes, counted ? known : b->size);
    int status = BIPE_OK;
    if (cut == 0) {
        while (status == BIPE_OK && !*blocked && t->first < t->fill)
            status = make_way(t, blocked, tokens, err);
        return status == BIPE_OK && !*blocked ? go_alone(t, tokens, err) : status;
    }
    /* Blocks first .. fill + 1 must fit into the ring. */
    while (status == BIPE_OK && !*blocked && t->fill + 2 - t->first > t->block_count)
        status = make_way(t, blocked, tokens, err);
    if (status == BIPE_OK && !*blocked)
        status = send_block(t, cut, counted, err);
    if (status == BIPE_OK && t->track == NULL && first_is_done(t))
        status = collect(t, NULL, tokens, err);
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
        return bipe_token_stream_feed(t->own.stream, bytes, size, tokens, err);
    *taken = cut;
    int status = bipe_token_stream_feed(t->own.stream, bytes, cut, tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(t->own.stream, tokens, err);
    t->sharing = true;
    block *b = at(t, t->fill);
    b->offset = t->position + cut;
    b->size = 0;
    return status;
}

/* ---- the object ---- */

int bipe_token_team_open(bipe_token_team **team, const bipe_tokenizer *tokenizer, size_t threads, const bipe_boundaries *const *track,
                         size_t tracks, bipe_error *err)
{
    *team = NULL;
    bipe_token_team *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->tokenizer = tokenizer;
    t->track = track;
    t->tracks = track != NULL ? tracks : 0;
    t->may_share = true;
    t->helpers = threads == 0 ? 0 : threads < MOST_THREADS ? threads - 1 : MOST_THREADS - 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->ready, NULL);
    pthread_cond_init(&t->done, NULL);
    bipe_token_team_sizes(t, 0, 0);
    int status = bipe_token_stream_open(&t->own.stream, tokenizer, err);
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
        collect(t, NULL, NULL, NULL);
    t->sharing = false;
    t->position = 0;
    t->alone = t->alone_size;
    return bipe_token_stream_begin(t->own.stream, err);
}

int bipe_token_team_feed(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    bool blocked = false;
    *taken = 0;
    while (*taken < size && status == BIPE_OK && !blocked) {
        size_t some;
        status = t->sharing ? share(t, bytes + *taken, size - *taken, &some, &blocked, tokens, err)
                            : feed_alone(t, bytes + *taken, size - *taken, &some, tokens, err);
        *taken += some;
        t->position += some;
    }
    return status;
}

int bipe_token_team_take(bipe_token_team *t, bool wait, bool *counted, bipe_token_counts *counts, bipe_tokens *tokens, bipe_error *err)
{
    if (t->first == t->fill || (!wait && !first_is_done(t)))
        return BIPE_END;
    *counted = at(t, t->first)->counted;
    return collect(t, counts, tokens, err);
}

int bipe_token_team_end(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    if (!t->sharing)
        return bipe_token_stream_end(t->own.stream, tokens, err);
    int status = BIPE_OK;
    while (status == BIPE_OK && t->first < t->fill)
        status = collect(t, NULL, tokens, err);
    block *b = at(t, t->fill); /* the last, in which something may be */
    if (status == BIPE_OK)
        status = tokenize(t->own.stream, b->offset, b->bytes, b->size, tokens, err);
    t->sharing = false;
    return status;
}

static void close_hand(hand *h)
{
    bipe_token_stream_close(h->stream);
    bipe_tokens_free(&h->tokens);
    bipe_token_ends_free(&h->ends);
}

static void close_block(const bipe_token_team *t, block *b)
{
    for (size_t i = 0; b->bounds != NULL && i < t->tracks; i++)
        bipe_free(b->bounds[i].offset);
    for (size_t i = 0; b->closes != NULL && i < t->tracks; i++)
        bipe_closes_free(&b->closes[i]);
    bipe_free(b->bounds);
    bipe_free(b->closes);
    bipe_free(b->bytes);
    bipe_tokens_free(&b->tokens);
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
        close_hand(&t->helper[i].hand);
    for (size_t i = 0; t->blocks != NULL && i < t->block_count; i++)
        close_block(t, &t->blocks[i]);
    bipe_free(t->blocks);
    close_hand(&t->own);
    pthread_cond_destroy(&t->ready);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    bipe_free(t);
}
