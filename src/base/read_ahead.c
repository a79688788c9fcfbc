/* read_ahead.c - a ring of buffers between the thread that fills them and the reader that empties them. */
#include "config.h"

#include "base/read_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"

enum { BUFFERS = 4 };

typedef struct slot {
    uint8_t *bytes;
    size_t size;
    uint64_t mark;
    int status;
} slot;

struct bipe_read_ahead {
    bipe_read_ahead_fill *fill;
    void *context;
    size_t capacity;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    /* Under `lock`: slots [taken, ready) (counted without end, the index is the remainder) belong to the reader, the
     * others to the thread. */
    uint64_t taken, ready;
    bool closing;
    slot slots[BUFFERS];
    bipe_error error; /* of the slot whose status is not BIPE_OK, which is the last */
    size_t used;      /* the reader's: bytes of its slot that have been read */
};

static void *read_buffers(void *argument)
{
    bipe_read_ahead *a = argument;
    for (bool last = false; !last;) {
        pthread_mutex_lock(&a->lock);
        while (a->ready - a->taken == BUFFERS && !a->closing)
            pthread_cond_wait(&a->emptied, &a->lock);
        bool closing = a->closing;
        slot *s = &a->slots[a->ready % BUFFERS];
        pthread_mutex_unlock(&a->lock);
        if (closing)
            break;
        s->size = 0;
        s->status = a->fill(a->context, s->bytes, a->capacity, &s->size, &s->mark, &a->error);
        last = s->status != BIPE_OK || s->size == 0;
        pthread_mutex_lock(&a->lock);
        a->ready++;
        pthread_cond_signal(&a->filled);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

bipe_read_ahead *bipe_read_ahead_open(size_t capacity, bipe_read_ahead_fill *fill, void *context)
{
    bipe_read_ahead *a = bipe_alloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    a->fill = fill;
    a->context = context;
    a->capacity = capacity;
    bool made = true;
    for (size_t i = 0; i < BUFFERS; i++)
        made = (a->slots[i].bytes = bipe_alloc(capacity, 1)) != NULL && made;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->filled, NULL);
    pthread_cond_init(&a->emptied, NULL);
    if (made && bipe_thread_start(&a->thread, read_buffers, a) == 0)
        return a;
    a->fill = NULL; /* there is no thread to wait for */
    bipe_read_ahead_close(a);
    return NULL;
}

int bipe_read_ahead_read(bipe_read_ahead *a, uint8_t *bytes, size_t capacity, size_t *size, uint64_t *mark,
                         bipe_error *err)
{
    pthread_mutex_lock(&a->lock);
    while (a->ready == a->taken)
        pthread_cond_wait(&a->filled, &a->lock);
    slot *s = &a->slots[a->taken % BUFFERS];
    pthread_mutex_unlock(&a->lock);
    size_t left = s->size - a->used;
    *size = left < capacity ? left : capacity;
    *mark = s->mark;
    if (*size != 0)
        memcpy(bytes, s->bytes + a->used, *size);
    a->used += *size;
    if (a->used < s->size)
        return BIPE_OK;
    if (s->status != BIPE_OK) { /* the slot stays: it is the last, and its error is reported once no bytes are left
                                   before it */
        if (*size != 0)
            return BIPE_OK;
        if (err != NULL)
            *err = a->error;
        return s->status;
    }
    if (*size == 0)
        return BIPE_OK;
    a->used = 0;
    pthread_mutex_lock(&a->lock);
    a->taken++;
    pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
    return BIPE_OK;
}

void bipe_read_ahead_close(bipe_read_ahead *a)
{
    if (a == NULL)
        return;
    if (a->fill != NULL) {
        pthread_mutex_lock(&a->lock);
        a->closing = true;
        pthread_cond_signal(&a->emptied);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->filled);
    pthread_cond_destroy(&a->emptied);
    pthread_mutex_destroy(&a->lock);
    for (size_t i = 0; i < BUFFERS; i++)
        bipe_free(a->slots[i].bytes);
    bipe_free(a);
}
