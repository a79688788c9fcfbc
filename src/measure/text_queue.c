/* text_queue.c - a queue of bytes: a buffer in front, a spool behind it while the buffer is full. */
#include "measure/text_queue.h"

#include <stdbool.h>

enum { FRONT_SIZE = 4 << 20, SPOOL_MEMORY = 1 << 20 };

/* Bytes that wait in the spool. */
static uint64_t spooled(const bipe_text_queue *q)
{
    return q->spool != NULL ? bipe_spool_size(q->spool) - q->spool_read : 0;
}

/* What was taken leaves the buffer when moving the rest costs no more than that. */
static void drop_taken(bipe_text_queue *q)
{
    if (q->head < q->front.size - q->head)
        return;
    bipe_buffer_consume(&q->front, q->head);
    q->head = 0;
}

static bool has_room(const bipe_text_queue *q, size_t size)
{
    size_t there = q->front.size - q->head;
    return spooled(q) == 0 && (there == 0 || (there < FRONT_SIZE && size <= FRONT_SIZE - there));
}

uint8_t *bipe_text_queue_room(bipe_text_queue *q, size_t size)
{
    drop_taken(q);
    if (!has_room(q, size) || bipe_buffer_reserve(&q->front, size, NULL) != BIPE_OK)
        return NULL;
    return q->front.data + q->front.size;
}

void bipe_text_queue_filled(bipe_text_queue *q, size_t size)
{
    q->front.size += size;
}

int bipe_text_queue_append(bipe_text_queue *q, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (has_room(q, size))
        return bipe_buffer_append(&q->front, bytes, size, err);
    int status = BIPE_OK;
    if (q->spool == NULL)
        status = bipe_spool_open(&q->spool, SPOOL_MEMORY, err);
    return status == BIPE_OK ? bipe_spool_append(q->spool, bytes, size, err) : status;
}

/* Moves `size` bytes from the spool to the front. */
static int refill(bipe_text_queue *q, size_t size, bipe_error *err)
{
    int status = bipe_buffer_reserve(&q->front, size, err);
    if (status == BIPE_OK)
        status = bipe_spool_read(q->spool, q->spool_read, q->front.data + q->front.size, size, err);
    if (status != BIPE_OK)
        return status;
    q->front.size += size;
    q->spool_read += size;
    if (spooled(q) == 0) {
        bipe_spool_reset(q->spool);
        q->spool_read = 0;
    }
    return BIPE_OK;
}

int bipe_text_queue_take(bipe_text_queue *q, size_t size, const uint8_t **bytes, bipe_error *err)
{
    drop_taken(q);
    size_t there = q->front.size - q->head;
    if (there < size) {
        int status = refill(q, size - there, err);
        if (status != BIPE_OK)
            return status;
    }
    *bytes = size != 0 ? q->front.data + q->head : NULL;
    q->head += size;
    return BIPE_OK;
}

void bipe_text_queue_clear(bipe_text_queue *q)
{
    q->front.size = q->head = 0;
    q->spool_read = 0;
    if (q->spool != NULL)
        bipe_spool_reset(q->spool);
}

void bipe_text_queue_free(bipe_text_queue *q)
{
    bipe_buffer_free(&q->front);
    if (q->spool != NULL)
        bipe_spool_close(q->spool);
    *q = (bipe_text_queue){0};
}
