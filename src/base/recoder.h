/* recoder.h - text of another encoding as UTF-8, by iconv of the C library. It comes in pieces, cut anywhere. Bytes
 * that are wrong in the encoding become U+FFFD and are counted. */
#ifndef BIPE_BASE_RECODER_H
#define BIPE_BASE_RECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_recoder bipe_recoder;

/* BIPE_ERR_ARGUMENT: iconv knows no encoding of that name. */
int bipe_encoding_check(const char *name, bipe_error *err);
/* Whether the name is one of UTF-8, which needs no recoder. */
bool bipe_encoding_is_utf8(const char *name);

/* at_once: bytes that it reads at a time, at most. BIPE_ERR_ARGUMENT: there is no such encoding. */
int bipe_recoder_open(bipe_recoder **recoder, const char *encoding, size_t at_once, bipe_error *err);

/* Where the bytes come from; *size is 0 only at the end. */
typedef int bipe_recoder_source(void *context, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err);

/* Up to capacity > 0 bytes of UTF-8, in which characters may be cut; *size is 0 only at the end. BIPE_OK, or what the
 * source returned first, when all bytes that it gave have been decoded; err is filled by the source, perhaps
 * earlier. */
int bipe_recoder_read(bipe_recoder *recoder, bipe_recoder_source *source, void *context, uint8_t *bytes,
                      size_t capacity, size_t *size, bipe_error *err);

/* How many times U+FFFD was put in place of wrong bytes so far; *first: the offset of the first of these in what was
 * read. */
uint64_t bipe_recoder_wrong(const bipe_recoder *recoder, uint64_t *first);
void bipe_recoder_close(bipe_recoder *recoder);

#endif
