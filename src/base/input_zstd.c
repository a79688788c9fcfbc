/* input_zstd.c - zstd frames one after the other, skippable ones too, with windows as long as the library can. */
#include <inttypes.h>
#include <stdbool.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"
#include "base/input_codec.h"

enum { LONGEST_HEADER = 18 }; /* RFC 8878, 3.1.1.1, with the magic number */

typedef struct zstd_state {
    ZSTD_DStream *stream;
    bool in_frame;
    uint64_t frame_start; /* compressed offset */
    uint64_t promised;    /* bytes of text, by the frame's header; ZSTD_CONTENTSIZE_UNKNOWN or ..._ERROR: not said */
    uint64_t produced;
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
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "compressed byte %" PRIu64 ": found other bytes, expected a zstd frame or the end",
                         z->frame_start);
    case ZSTD_error_frameParameter_windowTooLarge:
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "compressed byte %" PRIu64
                         ": the zstd frame asks for too long a window, expected at most 2 GiB",
                         z->frame_start);
    case ZSTD_error_dictionary_wrong:
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "compressed byte %" PRIu64 ": the zstd frame needs a dictionary, expected one without",
                         z->frame_start);
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "compressed byte %" PRIu64 ": a zstd frame of a kind that is not known", z->frame_start);
    default:
        return bipe_fail(err, BIPE_ERR_FORMAT, "compressed byte %" PRIu64 ": corrupt zstd data: %s", offset,
                         ZSTD_getErrorName(code));
    }
}

/* Looks at the header: the library itself does not always hold a frame to the size that it gives. */
static int begin_frame(zstd_state *z, bipe_raw *raw, bipe_error *err)
{
    int status = bipe_raw_need(raw, LONGEST_HEADER, err);
    z->in_frame = true;
    z->frame_start = bipe_raw_offset(raw);
    z->promised = ZSTD_getFrameContentSize(raw->data + raw->position, raw->size - raw->position);
    z->produced = 0;
    return status;
}

/* Counts what came out: no more than was promised, and when the frame has ended no less. */
static int check_size(zstd_state *z, const bipe_raw *raw, size_t *size, bool ended, bipe_error *err)
{
    bool known = z->promised != ZSTD_CONTENTSIZE_UNKNOWN && z->promised != ZSTD_CONTENTSIZE_ERROR;
    uint64_t total = z->produced + *size;
    z->in_frame = !ended;
    if (known && (total > z->promised || (ended && total < z->promised))) {
        if (total > z->promised)
            *size = (size_t)(z->promised - z->produced);
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "compressed byte %" PRIu64 ": the zstd frame holds %s of text, expected the %" PRIu64
                         " bytes of its header",
                         bipe_raw_offset(raw), total > z->promised ? "more" : "less", z->promised);
    }
    z->produced = total;
    return BIPE_OK;
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
        if (!z->in_frame && (status = begin_frame(z, raw, err)) != BIPE_OK)
            return status;
        ZSTD_inBuffer in = {raw->data, raw->size, raw->position};
        size_t code = ZSTD_decompressStream(z->stream, &out, &in);
        raw->position = in.pos;
        if (ZSTD_isError(code))
            return fail_zstd(z, code, bipe_raw_offset(raw), err);
        *size = out.pos;
        if ((status = check_size(z, raw, size, code == 0, err)) != BIPE_OK)
            return status;
        if (code != 0 && at_end && out.pos == 0)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "compressed byte %" PRIu64
                             ": the file ends inside the zstd frame that starts at byte %" PRIu64,
                             bipe_raw_offset(raw), z->frame_start);
    }
    return BIPE_OK;
}

const bipe_codec bipe_codec_zstd = {.open = open_zstd, .decode = decode_zstd, .close = close_zstd};
