/* text_queue.h - text on its way from where it is read to where it is handed out: first in, first out. A few megabytes stand in memory,
 * more in a temporary file: a token of many gigabytes holds back as much text and must not cost memory. */
#ifndef BIPE_MEASURE_TEXT_QUEUE_H
#define BIPE_MEASURE_TEXT_QUEUE_H

#include "base/buffer.h"
#include "base/spool.h"

/* Zero-initialise to make an empty one. */
typedef struct bipe_text_queue {
    bipe_buffer front;   /* the oldest bytes: front.data[head .. front.size) */
    size_t head;
    bipe_spool *spool;   /* those behind them; NULL: none so far */
    uint64_t spool_read; /* bytes of the spool that have moved to the front */
} bipe_text_queue;

/* BIPE_OK, BIPE_ERR_MEMORY or BIPE_ERR_IO. */
int bipe_text_queue_append(bipe_text_queue *queue, const uint8_t *bytes, size_t size, bipe_error *err);
/* For bytes that are still to be read: room for `size` of them where they would be appended, or NULL where there is none and they must
 * be appended instead; then bipe_text_queue_filled() says how many there are. */
uint8_t *bipe_text_queue_room(bipe_text_queue *queue, size_t size);
void bipe_text_queue_filled(bipe_text_queue *queue, size_t size);
/* *bytes: the oldest `size` bytes, as many as were appended at least; they leave the queue, and stay where they are until the next
 * call. BIPE_OK, BIPE_ERR_MEMORY or BIPE_ERR_IO. */
int bipe_text_queue_take(bipe_text_queue *queue, size_t size, const uint8_t **bytes, bipe_error *err);
void bipe_text_queue_clear(bipe_text_queue *queue);
void bipe_text_queue_free(bipe_text_queue *queue);

#endif
