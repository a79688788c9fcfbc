/* input_codec.h - the interface of a decompressor of bipe_input, and its raw bytes. For input*.c alone. */
#ifndef BIPE_BASE_INPUT_CODEC_H
#define BIPE_BASE_INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The bytes of the file as they are: data[position .. size) have been read and not been used. */
typedef struct bipe_raw {
    int fd;
    uint8_t *data;
    size_t position, size, capacity;
    uint64_t offset; /* of data[0] in the file */
    bool end;        /* the file has no bytes after data[size] */
    int stop;        /* -1, or a descriptor: reading fails when it can be read */
} bipe_raw;

/* Reads until `want` unused bytes are there (want <= 64) or the file ends. BIPE_OK or BIPE_ERR_IO. */
int bipe_raw_need(bipe_raw *raw, size_t want, bipe_error *err);

static inline uint64_t bipe_raw_offset(const bipe_raw *raw)
{
    return raw->offset + raw->position;
}

/* A format: decode() writes up to capacity > 0 bytes; *size is 0 only at the end of the file. With an error, *size
 * says how much was decoded before it; decode() is then not called again. Error texts name the compressed offset and
 * not the file. */
typedef struct bipe_codec {
    int (*open)(void **state, bipe_error *err);
    int (*decode)(void *state, bipe_raw *raw, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err);
    void (*close)(void *state);
} bipe_codec;

extern const bipe_codec bipe_codec_zstd;
#ifdef HAVE_ZLIB
extern const bipe_codec bipe_codec_gzip;
#endif
#ifdef HAVE_LZMA
extern const bipe_codec bipe_codec_xz;
#endif

#endif
