/* segment_run.h - for tests of segmenters: runs a SPEC over a text cut into pieces, and makes random texts and cuts.
 * What was settled is compared with what comes later here as well, apart from the driver's own check. */
#ifndef BIPE_TESTS_SEGMENT_RUN_H
#define BIPE_TESTS_SEGMENT_RUN_H

#include "base/alloc.h"
#include "segment/segmentation.h"
#include "tests/check.h"

typedef struct offsets {
    uint64_t *at;
    size_t count, capacity;
} offsets;

static inline void offsets_add(offsets *o, uint64_t at)
{
    if (bipe_grow(&o->at, &o->capacity, o->count + 1, sizeof *o->at) != 0)
        abort();
    o->at[o->count++] = at;
}

static inline void offsets_free(offsets *o)
{
    bipe_free(o->at);
    *o = (offsets){0};
}

static inline bool offsets_equal(const offsets *a, const offsets *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

/* Moves what was found into *found; every offset must lie after the settled place before. */
static inline void take_found(bipe_segmentation *s, offsets *found, uint64_t *settled)
{
    const bipe_boundaries *b = bipe_segmentation_boundaries(s);
    for (size_t i = 0; i < b->count; i++) {
        CHECKF(b->offset[i] > *settled, "%" PRIu64 " after %" PRIu64 " was settled", b->offset[i], *settled);
        offsets_add(found, b->offset[i]);
    }
    CHECK(b->settled >= *settled);
    *settled = b->settled;
    bipe_segmentation_take(s, b->count);
}

/* The size of the next piece. longest 0: all that remains. */
static inline size_t next_piece(uint64_t *random, size_t longest, size_t remain)
{
    size_t n = longest == 0 ? remain : 1 + (size_t)(test_random(random) % longest);
    return n < remain ? n : remain;
}

/* One document of bytes, in pieces of 1 to `longest` bytes. The status of the first call that fails. */
static inline int run_bytes(bipe_segmentation *s, const uint8_t *text, size_t size, size_t longest, uint64_t *random,
                            offsets *found, bipe_error *err)
{
    uint64_t settled = 0;
    found->count = 0;
    int status = bipe_segmentation_begin(s, err);
    for (size_t done = 0; done < size && status == BIPE_OK;) {
        size_t n = next_piece(random, longest, size - done);
        status = bipe_segmentation_feed_bytes(s, text + done, n, err);
        done += n;
        if (status == BIPE_OK) {
            take_found(s, found, &settled);
            CHECK(settled <= done);
        }
    }
    if (status == BIPE_OK)
        status = bipe_segmentation_end(s, size, err);
    if (status == BIPE_OK)
        take_found(s, found, &settled);
    return status;
}

static inline int run_tokens(bipe_segmentation *s, const bipe_token *tokens, size_t count, uint64_t size,
                             size_t longest, uint64_t *random, offsets *found, bipe_error *err)
{
    uint64_t settled = 0;
    found->count = 0;
    int status = bipe_segmentation_begin(s, err);
    for (size_t done = 0; done < count && status == BIPE_OK;) {
        size_t n = next_piece(random, longest, count - done);
        status = bipe_segmentation_feed_tokens(s, tokens + done, n, err);
        done += n;
        if (status == BIPE_OK)
            take_found(s, found, &settled);
    }
    if (status == BIPE_OK)
        status = bipe_segmentation_end(s, size, err);
    if (status == BIPE_OK)
        take_found(s, found, &settled);
    return status;
}

/* A text of `size` bytes made of the given pieces, which are strings of any bytes with their sizes. */
typedef struct piece {
    const char *bytes;
    size_t size;
} piece;
#define PIECE(text) {text, sizeof text - 1}

static inline void random_text(uint64_t *random, const piece *pieces, size_t count, uint8_t *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        const piece *p = &pieces[test_random(random) % count];
        size_t n = p->size < size - done ? p->size : size - done;
        memcpy(text + done, p->bytes, n);
        done += n;
    }
}

static inline void describe(const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size && i < 400; i++)
        fprintf(stderr, text[i] >= ' ' && text[i] < 127 && text[i] != '\\' ? "%c" : "\\x%02X", text[i]);
    fputc('\n', stderr);
}

static inline void describe_offsets(const char *what, const offsets *o)
{
    fprintf(stderr, "  %s:", what);
    for (size_t i = 0; i < o->count && i < 100; i++)
        fprintf(stderr, " %" PRIu64, o->at[i]);
    fputc('\n', stderr);
}

#endif
