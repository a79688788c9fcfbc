/* input_zstd.c - zstd frames one after the other, skippable ones too, with windows as long as the library can. */
#include <inttypes.h>
#include <stdbool.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"
#include "base/input_codec.h"

typedef struct zstd_state {
    ZSTD_DStream *stream;
    bool in_frame;
    uint64_t frame_start; /* compressed offset */
} zstd_state;

static void close_zstd(void *state)
{
    zstd_state *z = state;
    ZSTD_freeDStream(z->stream);
    bipe_free(z);
}

static int open_zstd(void **state, bipe_error *err)
{
    zstd_state *z = bipe_alloc(1, sizeof *z);
    if (z == NULL)
        return bipe_fail_memory(err);
    z->stream = ZSTD_createDStream();
    ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    if (z->stream == NULL ||
        ZSTD_isError(ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, bounds.upperBound))) {
        close_zstd(z);
        return bipe_fail_memory(err);
    }
    *state = z;
    return BIPE_OK;
}

static int fail_zstd(const zstd_state *z, size_t code, uint64_t offset, bipe_error *err)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return bipe_fail(err, BIPE_ERR_MEMORY, "compressed byte %" PRIu64 ": out of memory for the zstd window",
                         z->frame_start);
    case ZSTD_error_prefix_unknown:
        return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": found other bytes, expected a zstd frame or the end",
                         z->frame_start);
    case ZSTD_error_frameParameter_windowTooLarge:
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "compressed byte %" PRIu64 ": the zstd frame asks for too long a window, expected at most 2 GiB",
                         z->frame_start);
    case ZSTD_error_dictionary_wrong:
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "compressed byte %" PRIu64 ": the zstd frame needs a dictionary, expected one without",
                         z->frame_start);
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "compressed byte %" PRIu64 ": a zstd frame of a kind that is not known",
                         z->frame_start);
    default:
        return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": corrupt zstd data: %s", offset,
                         ZSTD_getErrorName(code));
    }
}

static int decode_zstd(void *state, bipe_raw *raw, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    zstd_state *z = state;
    ZSTD_outBuffer out = {bytes, capacity, 0};
    while (out.pos == 0) {
        int status = bipe_raw_need(raw, 1, err);
        if (status != BIPE_OK)
            return status;
        bool at_end = raw->position == raw->size;
        if (at_end && !z->in_frame)
            break;
        if (!z->in_frame) {
            z->in_frame = true;
            z->frame_start = bipe_raw_offset(raw);
        }
        ZSTD_inBuffer in = {raw->data, raw->size, raw->position};
        size_t code = ZSTD_decompressStream(z->stream, &out, &in);
        raw->position = in.pos;
        *size = out.pos;
        if (ZSTD_isError(code))
            return fail_zstd(z, code, bipe_raw_offset(raw), err);
        if (code == 0)
            z->in_frame = false;
        else if (at_end && out.pos == 0)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "compressed byte %" PRIu64 ": the file ends inside the zstd frame that starts at byte %" PRIu64,
                             bipe_raw_offset(raw), z->frame_start);
    }
    return BIPE_OK;
}

const bipe_codec bipe_codec_zstd = {.open = open_zstd, .decode = decode_zstd, .close = close_zstd};
