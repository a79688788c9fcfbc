/* input_gzip.c - gzip members one after the other (RFC 1952); zero bytes may follow the last. */
#include "config.h"

#include "base/input_codec.h"

#ifdef HAVE_ZLIB

#include <inttypes.h>
#include <limits.h>
#include <zlib.h>

#include "base/alloc.h"

typedef struct gzip_state {
    z_stream stream;
    bool in_member;
    uint64_t member_start; /* compressed offset */
} gzip_state;

static void *allocate_for_zlib(void *unused, uInt count, uInt size)
{
    (void)unused;
    return bipe_alloc(count, size);
}

static void release_for_zlib(void *unused, void *ptr)
{
    (void)unused;
    bipe_free(ptr);
}

static void close_gzip(void *state)
{
    gzip_state *g = state;
    inflateEnd(&g->stream);
    bipe_free(g);
}

static int open_gzip(void **state, bipe_error *err)
{
    gzip_state *g = bipe_alloc(1, sizeof *g);
    if (g == NULL)
        return bipe_fail_memory(err);
    g->stream.zalloc = allocate_for_zlib;
    g->stream.zfree = release_for_zlib;
    g->in_member = true;
    if (inflateInit2(&g->stream, 15 + 16) != Z_OK) {
        bipe_free(g);
        return bipe_fail_memory(err);
    }
    *state = g;
    return BIPE_OK;
}

/* Between members: another one, zeros up to the end, or the end. *more says which. */
static int next_member(gzip_state *g, bipe_raw *raw, bool *more, bipe_error *err)
{
    int status = bipe_raw_need(raw, 2, err);
    if (status != BIPE_OK)
        return status;
    const uint8_t *p = raw->data + raw->position;
    *more = raw->size - raw->position >= 2 && p[0] == 0x1F && p[1] == 0x8B;
    if (*more) {
        g->in_member = true;
        g->member_start = bipe_raw_offset(raw);
        return inflateReset(&g->stream) == Z_OK ? BIPE_OK : bipe_fail_memory(err);
    }
    for (;;) {
        for (; raw->position < raw->size; raw->position++)
            if (raw->data[raw->position] != 0)
                return bipe_fail(err, BIPE_ERR_FORMAT,
                                 "compressed byte %" PRIu64 ": found other bytes, expected a gzip member or the end",
                                 bipe_raw_offset(raw));
        status = bipe_raw_need(raw, 1, err);
        if (status != BIPE_OK || raw->position == raw->size)
            return status;
    }
}

static int decode_gzip(void *state, bipe_raw *raw, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    gzip_state *g = state;
    uInt room = capacity > UINT_MAX ? UINT_MAX : (uInt)capacity;
    g->stream.next_out = bytes;
    g->stream.avail_out = room;
    while (g->stream.avail_out == room) {
        if (!g->in_member) {
            bool more;
            int status = next_member(g, raw, &more, err);
            if (status != BIPE_OK)
                return status;
            if (!more)
                return BIPE_OK;
        }
        int status = bipe_raw_need(raw, 1, err);
        if (status != BIPE_OK)
            return status;
        uInt given = (uInt)(raw->size - raw->position);
        g->stream.next_in = raw->data + raw->position;
        g->stream.avail_in = given;
        int code = inflate(&g->stream, Z_NO_FLUSH);
        raw->position += given - g->stream.avail_in;
        *size = room - g->stream.avail_out;
        if (code == Z_STREAM_END)
            g->in_member = false;
        else if (code == Z_MEM_ERROR)
            return bipe_fail_memory(err);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": corrupt gzip data: %s",
                             bipe_raw_offset(raw), g->stream.msg != NULL ? g->stream.msg : "not a deflate stream");
        else if (given == 0 && g->stream.avail_out == room)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "compressed byte %" PRIu64
                             ": the file ends inside the gzip member that starts at byte %" PRIu64,
                             bipe_raw_offset(raw), g->member_start);
    }
    return BIPE_OK;
}

const bipe_codec bipe_codec_gzip = {.open = open_gzip, .decode = decode_gzip, .close = close_gzip};

#endif
