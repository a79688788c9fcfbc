/* input_xz.c - xz streams one after the other, padded with zeros or not, in at most a gibibyte of memory. */
#include "config.h"

#include "base/input_codec.h"

#ifdef HAVE_LZMA

#include <inttypes.h>
#include <lzma.h>

#include "base/alloc.h"

static const uint64_t memory_limit = UINT64_C(1) << 30;

typedef struct xz_state {
    lzma_stream stream;
    lzma_allocator allocator;
    bool done;
} xz_state;

static void *allocate_for_xz(void *unused, size_t count, size_t size)
{
    (void)unused;
    return bipe_alloc(count, size);
}

static void release_for_xz(void *unused, void *ptr)
{
    (void)unused;
    bipe_free(ptr);
}

static void close_xz(void *state)
{
    xz_state *x = state;
    lzma_end(&x->stream);
    bipe_free(x);
}

static int open_xz(void **state, bipe_error *err)
{
    xz_state *x = bipe_alloc(1, sizeof *x);
    if (x == NULL)
        return bipe_fail_memory(err);
    x->stream = (lzma_stream)LZMA_STREAM_INIT;
    x->allocator = (lzma_allocator){.alloc = allocate_for_xz, .free = release_for_xz};
    x->stream.allocator = &x->allocator;
    if (lzma_stream_decoder(&x->stream, memory_limit, LZMA_CONCATENATED) != LZMA_OK) {
        close_xz(x);
        return bipe_fail_memory(err);
    }
    *state = x;
    return BIPE_OK;
}

static int fail_xz(xz_state *x, lzma_ret code, uint64_t offset, bipe_error *err)
{
    switch (code) {
    case LZMA_MEM_ERROR:
        return bipe_fail_memory(err);
    case LZMA_MEMLIMIT_ERROR:
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "compressed byte %" PRIu64 ": the xz stream asks for %" PRIu64
                         " MiB of memory, expected at most %" PRIu64,
                         offset, (lzma_memusage(&x->stream) + 0xFFFFF) >> 20,
                         memory_limit >> 20); /* rounded up, so that it is more */
    case LZMA_OPTIONS_ERROR:
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "compressed byte %" PRIu64 ": an xz stream of a kind that is not known", offset);
    case LZMA_FORMAT_ERROR:
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "compressed byte %" PRIu64 ": found other bytes, expected an xz stream or the end", offset);
    case LZMA_BUF_ERROR:
        return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": the file ends inside an xz stream",
                         offset);
    default:
        return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": corrupt xz data", offset);
    }
}

static int decode_xz(void *state, bipe_raw *raw, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    xz_state *x = state;
    x->stream.next_out = bytes;
    x->stream.avail_out = capacity;
    while (x->stream.avail_out == capacity && !x->done) {
        int status = bipe_raw_need(raw, 1, err);
        if (status != BIPE_OK)
            return status;
        size_t given = raw->size - raw->position;
        x->stream.next_in = raw->data + raw->position;
        x->stream.avail_in = given;
        lzma_ret code = lzma_code(&x->stream, given == 0 ? LZMA_FINISH : LZMA_RUN);
        raw->position += given - x->stream.avail_in;
        *size = capacity - x->stream.avail_out;
        if (code == LZMA_STREAM_END)
            x->done = true;
        else if (code != LZMA_OK && (code != LZMA_BUF_ERROR || given == 0))
            return fail_xz(x, code, bipe_raw_offset(raw), err);
    }
    return BIPE_OK;
}

const bipe_codec bipe_codec_xz = {.open = open_xz, .decode = decode_xz, .close = close_xz};

#endif
