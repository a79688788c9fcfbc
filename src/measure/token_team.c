/* token_team.c - a ring of blocks: the caller fills them, threads (and the caller) tokenize them, the caller takes the tokens in
 * order. Where something is made of blocks, that is another step: what is before a block is known when all blocks before are tokenized. */
#include "config.h"

#include "measure/token_team.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"

/* Bytes of a block; bytes of a document that go through one stream before; bytes at the end of a block in which a place to cut is looked
 * for. A block has at most a token for each byte, and their number is bounded by that of the threads: memory stays so. The lists of
 * boundaries that blocks keep while they are idle have room for MOST_KEPT in all. */
enum { BLOCK = 1 << 15, ALONE = 1 << 18, LOOK_BACK = 1 << 14, MOST_KEPT = 1 << 20, MOST_THREADS = 16 };

/* TOKENS: it has them, COUNTED: it can be made something of; both with a maker alone. */
typedef enum block_state { IDLE, READY, TAKEN, TOKENS, COUNTED, DONE } block_state;

/* Boundaries of a track within a block. */
typedef struct bounds {
    uint64_t *offset;
    size_t count, capacity;
} bounds;

typedef struct block {
    block_state state;
    uint8_t *bytes; /* (block size), or NULL before it is used */
    size_t size;
    uint64_t offset; /* in the document */
    bipe_tokens tokens;
    bool counted;
    size_t count;         /* of tokens */
    bipe_batch_made made;
    bounds *bounds;       /* (tracks) */
    bipe_closes *closes;  /* (tracks) */
    int status;
    bipe_error error;
} block;

/* What a thread tokenizes with. */
typedef struct hand {
    bipe_token_stream *stream;
    bipe_token_ends ends; /* of a block that is counted; */
    bool apart;           /* ends do not tell the tokens: */
    bipe_tokens tokens;   /* then these are needed */
    void *state;          /* the maker's */
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
    const bipe_batch_maker *maker; /* or NULL */
    hand own; /* the caller's */
    size_t block_size, alone_size;
    size_t helpers, started;
    helper helper[MOST_THREADS];
    /* The caller's: */
    bool may_share;
    bool opened, sharing;  /* there are blocks, or cannot be; the document goes into blocks */
    bool stopping;         /* the stream that a document has gone through alone is at an end, but for what it owes */
    uint64_t position;     /* bytes of the document so far */
    uint64_t alone;        /* bytes until sharing is tried (again) */
    size_t block_count;
    block *blocks;         /* (block_count) a ring */
    uint64_t first, fill;  /* counted without end: the oldest block that was not handed out, and the one that is filled */
    /* Under `lock`: the states of the blocks, and */
    pthread_mutex_t lock;
    pthread_cond_t ready, done;
    uint64_t next;         /* the block to be tokenized next, first <= next <= fill */
    bool based;            /* `before` is what is before block `known`, and [make, known) are those that something is to be made of */
    uint64_t known, make;
    bipe_batch_before before;
    size_t joined;         /* threads of others that help */
    uint64_t trims;        /* how often those who help were told to give memory back */
    bool closing, released;
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

static int find_ends(const bipe_token_team *t, hand *h, block *b)
{
    bipe_tokens *list = t->maker != NULL ? &b->tokens : &h->tokens;
    if (t->maker == NULL && !h->apart) {
        int found = bipe_token_ends_of(&h->ends, h->stream, b->offset, b->bytes, b->size, &b->error);
        if (found != BIPE_END)
            return found;
        h->apart = true; /* in other blocks, too */
    }
    list->count = 0;
    int status = tokenize(h->stream, b->offset, b->bytes, b->size, list, &b->error);
    return status == BIPE_OK ? bipe_token_ends_set(&h->ends, list->token, list->count, &b->error) : status;
}

static int count_tokens(const bipe_token_team *t, hand *h, block *b)
{
    int status = find_ends(t, h, b);
    b->count = status == BIPE_OK ? h->ends.count : 0;
    for (size_t i = 0; status == BIPE_OK && i < t->tracks; i++)
        status = bipe_closes_find(&b->closes[i], &h->ends, b->bounds[i].offset, b->bounds[i].count, UINT64_MAX, &b->error);
    return status;
}

/* Tells blocks what is before them, as far as it is known; with the lock. */
static void tell_before(bipe_token_team *t)
{
    for (; t->based && t->known < t->next && at(t, t->known)->state == TOKENS; t->known++) {
        block *b = at(t, t->known);
        const bipe_closes *closes = &b->closes[0];
        b->made.before = t->before;
        t->before.tokens += b->count;
        t->before.closes += closes->count;
        t->before.open = closes->count != 0 ? b->count - 1 - closes->number[closes->count - 1] : t->before.open + b->count;
        t->before.boundaries += b->bounds[0].count;
        b->state = COUNTED;
        pthread_cond_signal(&t->ready);
        pthread_cond_signal(&t->done); /* the caller may make something, too */
    }
}

/* Tokenizes a block; called with the lock, which is let go meanwhile. */
static void take_block(bipe_token_team *t, hand *h, block *b)
{
    b->state = TAKEN;
    pthread_mutex_unlock(&t->lock);
    b->tokens.count = 0;
    b->status = b->counted ? count_tokens(t, h, b) : tokenize(h->stream, b->offset, b->bytes, b->size, &b->tokens, &b->error);
    pthread_mutex_lock(&t->lock);
    b->state = t->maker != NULL && b->counted && b->status == BIPE_OK ? TOKENS : DONE;
    if (b->state == DONE)
        pthread_cond_signal(&t->done);
    tell_before(t);
}

/* Makes something of it; in the same way. */
static void make_block(bipe_token_team *t, hand *h, block *b)
{
    b->state = TAKEN;
    pthread_mutex_unlock(&t->lock);
    const uint32_t *closes = b->closes[0].number;
    const uint64_t *boundary = b->bounds[0].offset;
    bipe_batch batch = {.tokens = b->tokens.token, .token_count = b->count, .closes = &closes, .close_count = &b->closes[0].count,
                        .bytes = b->bytes, .byte_count = b->size, .byte_offset = b->offset, .boundaries = &boundary,
                        .boundary_count = &b->bounds[0].count};
    b->made.offset = b->offset;
    b->made.text.size = 0;
    if (h->state == NULL && (h->state = t->maker->open(t->maker->context)) == NULL)
        b->status = bipe_fail_memory(&b->error);
    else
        b->status = t->maker->make(h->state, &batch, &b->made.before, &b->made.text, &b->error);
    pthread_mutex_lock(&t->lock);
    b->state = DONE;
    pthread_cond_signal(&t->done);
}

/* Does what is to be done next, of older blocks first. False: there is nothing. With the lock, as before. */
static bool work(bipe_token_team *t, hand *h)
{
    if (t->make < t->known)
        make_block(t, h, at(t, t->make++));
    else if (t->next < t->fill)
        take_block(t, h, at(t, t->next++));
    else
        return false;
    return true;
}

/* Gives back what a hand has needed; it tokenizes no block, and its stream no document. */
static void trim_hand(const bipe_token_team *t, hand *h)
{
    bipe_token_stream *fresh;
    bipe_tokens_free(&h->tokens);
    bipe_token_ends_free(&h->ends);
    bipe_token_stream_trim(h->stream);
    if (bipe_token_stream_open(&fresh, t->tokenizer, NULL) != BIPE_OK)
        return; /* the old one does, too */
    bipe_token_stream_close(h->stream);
    h->stream = fresh;
}

/* Works until told to stop, with the lock. */
static void work_until(bipe_token_team *t, hand *h, const bool *stop)
{
    uint64_t trims = t->trims;
    while (!*stop)
        if (!work(t, h)) {
            if (trims == t->trims) {
                pthread_cond_wait(&t->ready, &t->lock);
                continue;
            }
            trims = t->trims;
            pthread_mutex_unlock(&t->lock);
            trim_hand(t, h);
            bipe_alloc_trim();
            pthread_mutex_lock(&t->lock);
        }
}

static void *help(void *argument)
{
    helper *h = argument;
    bipe_token_team *t = h->team;
    pthread_mutex_lock(&t->lock);
    work_until(t, &h->hand, &t->closing);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Waits until the oldest block is done, and works meanwhile. */
static block *wait_for_first(bipe_token_team *t)
{
    block *b = at(t, t->first);
    pthread_mutex_lock(&t->lock);
    while (b->state != DONE)
        if (!work(t, &t->own))
            pthread_cond_wait(&t->done, &t->lock);
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

/* An idle block's memory but for a few bytes. */
static void empty_block(const bipe_token_team *t, block *b)
{
    for (size_t i = 0; i < t->tracks; i++) {
        bipe_free(b->bounds[i].offset);
        b->bounds[i] = (bounds){0};
        bipe_closes_free(&b->closes[i]);
    }
    bipe_buffer_free(&b->made.text);
    bipe_tokens_free(&b->tokens);
    bipe_free(b->bytes);
    b->bytes = NULL;
}

/* Long lists of a block that was handed out are given back: there are as many as blocks, and those of boundaries for each track. */
static void drop_long_lists(const bipe_token_team *t, block *b)
{
    if (b->tokens.capacity > 2 * t->block_size)
        bipe_tokens_free(&b->tokens);
    for (size_t i = 0; i < t->tracks; i++) {
        size_t most = MOST_KEPT / t->tracks / t->block_count;
        if (b->bounds[i].capacity > most) {
            bipe_free(b->bounds[i].offset);
            b->bounds[i] = (bounds){0};
        }
        if (b->closes[i].capacity > most)
            bipe_closes_free(&b->closes[i]);
    }
}

/* Hands out what became of the oldest block; tokens NULL: nobody wants it. */
static int collect(bipe_token_team *t, bipe_token_counts *counts, bipe_tokens *tokens, bipe_error *err)
{
    block *b = wait_for_first(t);
    int status = b->status;
    if (status != BIPE_OK && err != NULL)
        *err = b->error;
    if (status == BIPE_OK && b->counted && counts != NULL) {
        bipe_token_counts given = *counts;
        counts->tokens = b->count;
        counts->end = b->offset + b->size;
        counts->closes = b->closes;
        b->closes = given.closes;
        if (t->maker != NULL) {
            counts->list = b->tokens;
            counts->made = b->made;
            b->tokens = given.list;
            b->made = given.made;
        }
    } else if (tokens != NULL) { /* those before an error, too */
        int moved = move_tokens(&b->tokens, tokens, err);
        status = status == BIPE_OK ? moved : status;
    }
    drop_long_lists(t, b);
    pthread_mutex_lock(&t->lock);
    b->state = IDLE;
    t->first++;
    t->based = t->based && t->known >= t->first; /* nobody knows what is behind a block that was not counted */
    pthread_mutex_unlock(&t->lock);
    b->size = 0;
    return status;
}

/* ---- sharing ---- */

static void close_block(const bipe_token_team *t, block *b)
{
    for (size_t i = 0; b->bounds != NULL && i < t->tracks; i++)
        bipe_free(b->bounds[i].offset);
    for (size_t i = 0; b->closes != NULL && i < t->tracks; i++)
        bipe_closes_free(&b->closes[i]);
    bipe_free(b->bounds);
    bipe_free(b->closes);
    bipe_free(b->bytes);
    bipe_buffer_free(&b->made.text);
    bipe_tokens_free(&b->tokens);
}

static bool has_joined(bipe_token_team *t)
{
    pthread_mutex_lock(&t->lock);
    bool joined = t->joined != 0;
    pthread_mutex_unlock(&t->lock);
    return joined;
}

/* Whether there is anybody to share with. */
static bool has_help(bipe_token_team *t)
{
    return (t->may_share && t->helpers != 0) || has_joined(t);
}

/* Blocks are worth while without help, too: tokens of theirs need not be whole. */
static bool just_counts(const bipe_token_team *t)
{
    return t->track != NULL && t->maker == NULL;
}

static bool has_bytes(const bipe_token_team *t, block *b)
{
    return b->bytes != NULL || (b->bytes = bipe_realloc(NULL, t->block_size, 1)) != NULL;
}

static bool make_blocks(bipe_token_team *t)
{
    if (t->opened)
        return t->blocks != NULL;
    t->opened = true;
    /* So many that there is work for helpers while the caller reads; what is made of blocks is large. */
    t->block_count = t->helpers + (t->maker != NULL ? 9 : 17);
    block *blocks = bipe_alloc(t->block_count, sizeof *blocks);
    bool made = blocks != NULL && has_bytes(t, blocks);
    for (size_t i = 0; made && i < t->block_count; i++)
        made = (blocks[i].bounds = bipe_alloc(t->tracks, sizeof *blocks[i].bounds)) != NULL &&
               (blocks[i].closes = bipe_alloc(t->tracks, sizeof *blocks[i].closes)) != NULL;
    for (size_t i = 0; !made && blocks != NULL && i < t->block_count; i++)
        close_block(t, &blocks[i]);
    if (!made)
        bipe_free(blocks);
    pthread_mutex_lock(&t->lock);
    t->blocks = made ? blocks : NULL;
    pthread_mutex_unlock(&t->lock);
    return made;
}

/* Makes blocks and starts threads. False: it cannot be done. What could not be started is not tried again. */
static bool open_blocks(bipe_token_team *t)
{
    if (!make_blocks(t))
        return false;
    while (t->may_share && t->started < t->helpers) {
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
    if (t->may_share)
        t->helpers = t->started;
    return just_counts(t) || has_help(t);
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

/* Where there is nothing but the block that is filled, it becomes the first again: who has no help stays with two blocks, in the cache. */
static void rewind_ring(bipe_token_team *t)
{
    block *b = at(t, t->fill), filled = *b;
    *b = t->blocks[0];
    t->blocks[0] = filled;
    pthread_mutex_lock(&t->lock);
    t->first = t->fill = t->next = t->known = t->make = 0;
    pthread_mutex_unlock(&t->lock);
}

/* The block that is being filled ends at `size`; the rest goes to the next one, for which there is room. */
static int send_block(bipe_token_team *t, size_t size, bool counted, bipe_error *err)
{
    if (t->first == t->fill && t->fill != 0)
        rewind_ring(t);
    block *b = at(t, t->fill), *next = at(t, t->fill + 1);
    if (!has_bytes(t, next))
        return bipe_fail_memory(err);
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
    t->sharing = t->based = false; /* no block is under way */
    t->alone = t->alone_size;
    int status = bipe_token_stream_begin_at(t->own.stream, b->offset, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed_some(t->own.stream, b->bytes, b->size, tokens, err);
    b->size = 0;
    return status;
}

/* Into blocks, as many bytes as may go there: *taken. *blocked: no more do before one is taken. */
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
    /* Blocks first .. fill + 1 must fit into the ring; what goes alone comes behind them. */
    *blocked = cut != 0 ? t->fill + 2 - t->first > t->block_count : t->first < t->fill;
    if (*blocked)
        return BIPE_OK;
    return cut != 0 ? send_block(t, cut, counted, err) : go_alone(t, tokens, err);
}

/* The stream ends at a place to cut at; behind what it owes, the rest is shared. */
static int stop_alone(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    int status = bipe_token_stream_end_some(t->own.stream, tokens, err);
    t->stopping = bipe_token_stream_owes(t->own.stream);
    t->sharing = !t->stopping;
    return status;
}

/* Through one stream; at the first good place behind the first bytes, the rest is shared. */
static int feed_alone(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err)
{
    *taken = size;
    bool far = t->alone <= size;
    t->alone = far ? t->alone_size : t->alone - size;
    size_t cut = far && (just_counts(t) || has_help(t)) ? find_cut(t, bytes, size) : 0;
    if (cut == 0 || !open_blocks(t))
        return bipe_token_stream_feed_some(t->own.stream, bytes, size, tokens, err);
    *taken = cut;
    int status = bipe_token_stream_feed_some(t->own.stream, bytes, cut, tokens, err);
    if (status != BIPE_OK || bipe_token_stream_owes(t->own.stream))
        return status;
    block *b = at(t, t->fill);
    b->offset = t->position + cut;
    b->size = 0;
    return stop_alone(t, tokens, err);
}

/* ---- the object ---- */

int bipe_token_team_open(bipe_token_team **team, const bipe_tokenizer *tokenizer, size_t threads, const bipe_boundaries *const *track,
                         size_t tracks, const bipe_batch_maker *maker, bipe_error *err)
{
    *team = NULL;
    bipe_token_team *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->tokenizer = tokenizer;
    t->track = track;
    t->tracks = track != NULL ? tracks : 0;
    t->maker = track != NULL ? maker : NULL;
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

void bipe_token_team_help(bipe_token_team *t, bipe_token_team *own)
{
    pthread_mutex_lock(&t->lock);
    t->joined++;
    work_until(t, &own->own, &t->released);
    t->joined--;
    pthread_mutex_unlock(&t->lock);
}

void bipe_token_team_release(bipe_token_team *t)
{
    pthread_mutex_lock(&t->lock);
    t->released = true;
    pthread_cond_broadcast(&t->ready);
    pthread_mutex_unlock(&t->lock);
}

void bipe_token_team_base(bipe_token_team *t, const bipe_batch_before *before)
{
    pthread_mutex_lock(&t->lock);
    if (!t->based && t->first < t->fill) {
        t->based = true;
        t->before = *before;
        t->known = t->make = t->first;
        tell_before(t);
    }
    pthread_mutex_unlock(&t->lock);
}

void bipe_token_team_leave(bipe_token_team *t)
{
    static const bipe_batch_before nothing;
    while (t->first < t->fill) {
        bipe_token_team_base(t, &nothing); /* or blocks would wait for it */
        collect(t, NULL, NULL, NULL);
    }
    t->sharing = false;
}

int bipe_token_team_begin(bipe_token_team *t, bipe_error *err)
{
    bipe_token_team_leave(t);
    t->based = t->stopping = false;
    t->position = 0;
    t->alone = t->alone_size;
    return bipe_token_stream_begin(t->own.stream, err);
}

bool bipe_token_team_owes(const bipe_token_team *t)
{
    return !t->sharing && bipe_token_stream_owes(t->own.stream);
}

bool bipe_token_team_shares(const bipe_token_team *t)
{
    return t->sharing;
}

void bipe_token_team_trim(bipe_token_team *t)
{
    if (t->sharing)
        trim_hand(t, &t->own);
    else
        bipe_token_stream_trim(t->own.stream);
    for (uint64_t i = t->fill + 1; t->blocks != NULL && i < t->first + t->block_count; i++)
        empty_block(t, at(t, i));
    pthread_mutex_lock(&t->lock);
    t->trims++;
    pthread_cond_broadcast(&t->ready);
    pthread_mutex_unlock(&t->lock);
}

void bipe_token_team_renew(bipe_token_team *t)
{
    trim_hand(t, &t->own);
}

int bipe_token_team_feed(bipe_token_team *t, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    bool blocked = false;
    *taken = 0;
    while (*taken < size && status == BIPE_OK && !blocked && !bipe_token_team_owes(t)) {
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
    *counted = false;
    if (bipe_token_team_owes(t) && t->stopping)
        return stop_alone(t, tokens, err);
    if (bipe_token_team_owes(t))
        return bipe_token_stream_feed_some(t->own.stream, NULL, 0, tokens, err);
    if (t->first == t->fill || (!wait && has_help(t) && !first_is_done(t)))
        return BIPE_END;
    *counted = at(t, t->first)->counted;
    return collect(t, counts, tokens, err);
}

int bipe_token_team_end(bipe_token_team *t, bipe_tokens *tokens, bipe_error *err)
{
    if (!t->sharing)
        return bipe_token_stream_end_some(t->own.stream, tokens, err);
    t->sharing = false;
    const block *last = at(t, t->fill); /* something may be in it */
    return tokenize(t->own.stream, last->offset, last->bytes, last->size, tokens, err);
}

static void close_hand(const bipe_token_team *t, hand *h)
{
    if (h->state != NULL)
        t->maker->close(h->state);
    bipe_token_stream_close(h->stream);
    bipe_tokens_free(&h->tokens);
    bipe_token_ends_free(&h->ends);
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
        close_hand(t, &t->helper[i].hand);
    for (size_t i = 0; t->blocks != NULL && i < t->block_count; i++)
        close_block(t, &t->blocks[i]);
    bipe_free(t->blocks);
    close_hand(t, &t->own);
    pthread_cond_destroy(&t->ready);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    bipe_free(t);
}
