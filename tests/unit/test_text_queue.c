/* test_text_queue.c - a queue of bytes against the sequence of bytes that was put in, through memory and temporary file. */
#include "base/alloc.h"
#include "measure/text_queue.h"
#include "tests/check.h"

enum { LARGEST = 3 << 20 };

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 2654435761u >> 7);
}

/* Puts in and takes out stretches of random sizes; `ahead` is how much may wait. */
static void run(uint64_t ahead, uint64_t in_all, uint64_t seed)
{
    bipe_text_queue q = {0};
    bipe_error err;
    uint64_t put = 0, taken = 0;
    uint8_t *piece = malloc(LARGEST);
    unsigned long wrong = 0, in_place = 0;
    while (taken < in_all) {
        uint64_t size = test_random(&seed) % (test_random(&seed) % 4 == 0 ? LARGEST : 1000);
        if (put < in_all && put - taken + size <= ahead) {
            for (uint64_t i = 0; i < size; i++)
                piece[i] = byte_at(put + i);
            uint8_t *room = put % 2 == 0 ? bipe_text_queue_room(&q, (size_t)size + 100) : NULL;
            if (room != NULL) {
                memcpy(room, piece, (size_t)size);
                bipe_text_queue_filled(&q, (size_t)size);
                in_place++;
            } else {
                CHECK(bipe_text_queue_append(&q, piece, (size_t)size, &err) == BIPE_OK);
            }
            put += size;
        } else {
            size = size < put - taken ? size : put - taken;
            const uint8_t *bytes;
            CHECK(bipe_text_queue_take(&q, (size_t)size, &bytes, &err) == BIPE_OK);
            for (uint64_t i = 0; i < size; i++)
                wrong += bytes[i] != byte_at(taken + i);
            taken += size;
        }
    }
    CHECK_UINT(wrong, 0);
    CHECK(in_place != 0);
    bipe_text_queue_clear(&q);
    const uint8_t *bytes;
    CHECK(bipe_text_queue_append(&q, (const uint8_t *)"xyz", 3, &err) == BIPE_OK);
    CHECK(bipe_text_queue_take(&q, 2, &bytes, &err) == BIPE_OK && bytes[0] == 'x' && bytes[1] == 'y');
    CHECK(bipe_text_queue_take(&q, 0, &bytes, &err) == BIPE_OK && bytes == NULL);
    CHECK(bipe_text_queue_take(&q, 1, &bytes, &err) == BIPE_OK && bytes[0] == 'z');
    bipe_text_queue_free(&q);
    free(piece);
}

/* What stands in memory is bounded, however much waits. */
static void test_memory(void)
{
    bipe_text_queue q = {0};
    bipe_error err;
    uint8_t *piece = calloc(1, LARGEST);
    for (int i = 0; i < 12; i++)
        CHECK(bipe_text_queue_append(&q, piece, LARGEST, &err) == BIPE_OK);
    CHECK(q.front.capacity <= (size_t)16 << 20);
    const uint8_t *bytes;
    for (int i = 0; i < 36; i++)
        CHECK(bipe_text_queue_take(&q, 1 << 20, &bytes, &err) == BIPE_OK);
    CHECK(q.front.capacity <= (size_t)16 << 20);
    bipe_text_queue_free(&q);
    free(piece);
}

static void test_no_memory(void)
{
    uint8_t *piece = calloc(1, LARGEST);
    for (long n = 0;; n++) {
        bipe_text_queue q = {0};
        bipe_error err;
        const uint8_t *bytes;
        int status = BIPE_OK;
        bipe_alloc_fail_at(n);
        for (int i = 0; i < 3 && status == BIPE_OK; i++)
            status = bipe_text_queue_append(&q, piece, LARGEST, &err);
        for (int i = 0; i < 9 && status == BIPE_OK; i++)
            status = bipe_text_queue_take(&q, 1 << 20, &bytes, &err);
        bipe_alloc_fail_at(-1);
        bipe_text_queue_free(&q);
        if (status == BIPE_OK) {
            CHECK(n > 2);
            break;
        }
        CHECK(status == BIPE_ERR_MEMORY);
    }
    free(piece);
}

int main(void)
{
    run(10000, 3 << 20, 1);
    run(20 << 20, 60 << 20, 2);
    test_memory();
    test_no_memory();
    return test_result();
}
