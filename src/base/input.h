/* input.h - reads a file or standard input, and decompresses it.
 *
 * The compression (zstd, gzip, xz or none) is detected from the first bytes, never from the name. An input whose first
 * bytes, decompressed, show something other than text (an image, an archive, a model) is refused. Several frames,
 * members or streams one after the other are one text; a torn one is an error that names the compressed offset. A
 * thread reads ahead of the caller in long compressed inputs. Memory is bounded by the codec's window (zstd: up to 2
 * GiB when a frame asks for it) and does not depend on the size of the file. */
#ifndef BIPE_BASE_INPUT_H
#define BIPE_BASE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_input bipe_input;

/* Opens `path`; "-" is standard input. A directory is refused. Error texts start with the path
 * ("standard input" for "-"). The caller closes. */
int bipe_input_open(bipe_input **input, const char *path, bipe_error *err);

/* The input need not be text. Before the first read. */
void bipe_input_any(bipe_input *input);

/* The decompressed text is in `encoding` (a name that iconv knows; NULL: UTF-8), and it is read in UTF-8. A byte order
 * mark overrides `encoding`; one of UTF-16 or UTF-32 is removed, one of UTF-8 is kept. Before the first read. The name
 * must live as long as the input. */
void bipe_input_decode(bipe_input *input, const char *encoding);

/* All processors are busy: decompress zstd files in the reading thread instead of starting another. Before the first
 * read. */
void bipe_input_busy(bipe_input *input);

/* Reads up to `capacity` decompressed bytes into `bytes`; *size is 0 only at the end (or when
 * capacity is 0). BIPE_OK, BIPE_ERR_IO, BIPE_ERR_FORMAT (torn or corrupt data),
 * BIPE_ERR_UNSUPPORTED (a codec that was not built in, or something that is known not to be text: see
 * bipe_input_any()), BIPE_ERR_MEMORY. */
int bipe_input_read(bipe_input *input, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err);
/* Appends the rest of the input to a buffer; stops once the buffer has more than `most` bytes. Fails as
 * bipe_input_read(). */
int bipe_input_read_all(bipe_input *input, bipe_buffer *text, size_t most, bipe_error *err);

/* A path as error texts name it: "standard input" for "-". */
const char *bipe_input_shown(const char *path);
/* That of an input. */
const char *bipe_input_name(const bipe_input *input);

/* The encoding that the input is decoded from, NULL: none. *wrong: how many times U+FFFD was put in place of bytes that
 * are wrong in it, *first: where the first of these is in the decompressed input. */
const char *bipe_input_decoded(const bipe_input *input, uint64_t *wrong, uint64_t *first);

/* For progress: raw (possibly compressed) bytes consumed so far, and in all (0: not known). */
uint64_t bipe_input_raw_offset(const bipe_input *input);
uint64_t bipe_input_raw_size(const bipe_input *input);

/* For checksums: from now on `watch` gets all raw bytes that inputs read from standard input, in order, and 0 bytes at
 * its end. At most one thread at a time calls it. There is one such function in a process; NULL: none. */
typedef void bipe_input_watch(void *context, const uint8_t *bytes, size_t size);
void bipe_input_watch_standard(bipe_input_watch *watch, void *context);

/* NULL is allowed. */
void bipe_input_close(bipe_input *input);

/* The size of the buffers that text is read through: 256 KiB, or what the environment variable
 * BIPE_BUFFER_SIZE says (1 byte to 1 GiB), which exists for tests. */
size_t bipe_buffer_size(void);

#ifdef __cplusplus
}
#endif
#endif
