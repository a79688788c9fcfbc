/* packed.h - compresses bytes for tests, by the libraries themselves: the judge of what bipe_input reads. */
#ifndef BIPE_TESTS_PACKED_H
#define BIPE_TESTS_PACKED_H

#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

typedef enum packed_kind { PACKED_PLAIN, PACKED_ZSTD, PACKED_GZIP, PACKED_XZ, PACKED_KINDS } packed_kind;

typedef struct packed {
    uint8_t data[1 << 20];
    size_t size;
} packed;

static inline void packed_bytes(packed *out, const void *bytes, size_t size)
{
    if (size > sizeof out->data - out->size)
        abort();
    if (size > 0)
        memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static inline int packed_available(packed_kind kind)
{
#ifndef HAVE_ZLIB
    if (kind == PACKED_GZIP)
        return 0;
#endif
#ifndef HAVE_LZMA
    if (kind == PACKED_XZ)
        return 0;
#endif
    return kind < PACKED_KINDS;
}

/* Appends one frame, member or stream that holds the bytes. */
static inline void packed_add(packed *out, packed_kind kind, const void *bytes, size_t size)
{
    uint8_t *to = out->data + out->size;
    size_t room = sizeof out->data - out->size;
    if (kind == PACKED_PLAIN) {
        packed_bytes(out, bytes, size);
    } else if (kind == PACKED_ZSTD) {
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        size_t n = ZSTD_compress2(context, to, room, bytes, size);
        ZSTD_freeCCtx(context);
        if (ZSTD_isError(n))
            abort();
        out->size += n;
    }
#ifdef HAVE_ZLIB
    if (kind == PACKED_GZIP) {
        z_stream stream;
        memset(&stream, 0, sizeof stream);
        if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            abort();
        stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
        stream.avail_in = (uInt)size;
        stream.next_out = to;
        stream.avail_out = (uInt)room;
        if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
            abort();
        out->size += room - stream.avail_out;
        deflateEnd(&stream);
    }
#endif
#ifdef HAVE_LZMA
    if (kind == PACKED_XZ) {
        size_t n = 0;
        if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes, size, to, &n, room) != LZMA_OK)
            abort();
        out->size += n;
    }
#endif
}

#endif
