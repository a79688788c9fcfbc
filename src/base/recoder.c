/* recoder.c - see recoder.h. */
#include "base/recoder.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

enum { ROOM = 1 << 14 };

struct bipe_recoder {
    iconv_t iconv;
    size_t at_once;           /* bytes read at a time */
    size_t unit;              /* bytes of the encoding's smallest character */
    uint64_t offset;          /* of in[0] in what was read */
    size_t in_at, in_size;    /* in[in_at .. in_size) has not been decoded */
    size_t out_at, out_size;  /* out[out_at .. out_size) has not been returned */
    bool incomplete;          /* what is left of `in` is the beginning of a character */
    bool ended;               /* the source has no more */
    int failed;               /* what the source returned then, or BIPE_OK */
    bool flushed;
    uint64_t wrong, first_wrong;
    char in[ROOM], out[ROOM];
};

int bipe_encoding_check(const char *name, bipe_error *err)
{
    iconv_t test = iconv_open("UTF-8", name);
    if (test == (iconv_t)-1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "'%s' is not a known encoding (iconv -l lists them)", name);
    iconv_close(test);
    return BIPE_OK;
}

bool bipe_encoding_is_utf8(const char *name)
{
    return strcasecmp(name, "UTF-8") == 0 || strcasecmp(name, "UTF8") == 0;
}

/* The bytes that a further letter takes; 1 where that cannot be found out. */
static size_t unit_size(const char *encoding)
{
    char letters[] = "aa", out[32], *in = letters, *to = out;
    size_t left = 1, space = sizeof out, size[2] = {0};
    iconv_t back = iconv_open(encoding, "UTF-8");
    if (back == (iconv_t)-1)
        return 1;
    for (int i = 0; i < 2; i++, left = 1) {
        char *from = to;
        if (iconv(back, &in, &left, &to, &space) == (size_t)-1)
            break;
        size[i] = (size_t)(to - from);
    }
    iconv_close(back);
    return size[1] == 2 || size[1] == 4 ? size[1] : 1;
}

int bipe_recoder_open(bipe_recoder **recoder, const char *encoding, size_t at_once, bipe_error *err)
{
    *recoder = bipe_alloc(1, sizeof **recoder);
    if (*recoder == NULL)
        return bipe_fail_memory(err);
    (*recoder)->at_once = at_once < ROOM ? at_once : ROOM;
    (*recoder)->unit = unit_size(encoding);
    (*recoder)->iconv = iconv_open("UTF-8", encoding);
    if ((*recoder)->iconv != (iconv_t)-1)
        return BIPE_OK;
    bipe_free(*recoder);
    *recoder = NULL;
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "the encoding %s is not known", encoding);
}

/* More of the source; the rest of the last piece moves to the front. */
static int read_source(bipe_recoder *r, bipe_recoder_source *source, void *context, bipe_error *err)
{
    size_t left = r->in_size - r->in_at, size = 0;
    memmove(r->in, r->in + r->in_at, left);
    r->offset += r->in_at;
    r->in_at = 0;
    r->in_size = left;
    int status =
        source(context, (uint8_t *)r->in + left, r->at_once < ROOM - left ? r->at_once : ROOM - left, &size, err);
    r->in_size += size;
    r->ended = status == BIPE_OK && size == 0;
    r->failed = status;
    r->incomplete = false;
    return size != 0 ? BIPE_OK : status;
}

/* U+FFFD for `size` bytes. */
static void append_replacement(bipe_recoder *r, size_t size)
{
    if (r->wrong++ == 0)
        r->first_wrong = r->offset + r->in_at;
    memcpy(r->out + r->out_size, "\xEF\xBF\xBD", 3);
    r->out_size += 3;
    r->in_at += size;
    r->incomplete = false;
}

/* Decodes the bytes there are, as far as their text fits. */
static void decode_bytes(bipe_recoder *r)
{
    enum { REPLACEMENT = 3 };
    char *in = r->in + r->in_at, *out = r->out + r->out_size;
    size_t left = r->in_size - r->in_at, space = ROOM - REPLACEMENT - r->out_size;
    bool flush = r->ended && (left == 0 || r->incomplete);
    if (flush && left != 0) { /* a character that the end cuts off */
        append_replacement(r, left);
        return;
    }
    size_t done = iconv(r->iconv, flush ? NULL : &in, flush ? NULL : &left, &out, &space);
    int error = done == (size_t)-1 ? errno : 0;
    r->flushed = flush;
    r->in_at = r->in_size - (flush ? 0 : left);
    r->out_size = (size_t)(out - r->out);
    r->incomplete = error == EINVAL;
    if (error == EILSEQ)
        append_replacement(r, r->unit < left ? r->unit : left);
}

int bipe_recoder_read(bipe_recoder *r, bipe_recoder_source *source, void *context, uint8_t *bytes, size_t capacity,
                      size_t *size, bipe_error *err)
{
    *size = 0;
    while (r->out_at == r->out_size && !r->flushed) {
        r->out_at = r->out_size = 0;
        if (!r->ended && (r->in_at == r->in_size || r->incomplete)) {
            int status = r->failed != BIPE_OK ? r->failed : read_source(r, source, context, err);
            if (status != BIPE_OK)
                return status;
        }
        decode_bytes(r);
    }
    size_t there = r->out_size - r->out_at;
    *size = there < capacity ? there : capacity;
    memcpy(bytes, r->out + r->out_at, *size);
    r->out_at += *size;
    return BIPE_OK;
}

uint64_t bipe_recoder_wrong(const bipe_recoder *r, uint64_t *first)
{
    *first = r->first_wrong;
    return r->wrong;
}

void bipe_recoder_close(bipe_recoder *r)
{
    if (r == NULL)
        return;
    iconv_close(r->iconv);
    bipe_free(r);
}
