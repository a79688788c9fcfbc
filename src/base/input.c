/* input.c - opens a path or standard input, detects its compression from the first bytes and leaves reading to a codec.
 * The codecs are in input_zstd.c, input_gzip.c and input_xz.c. */
#include "config.h"

#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/input_codec.h"
#include "base/input_kind.h"
#include "base/numbers.h"
#include "base/read_ahead.h"
#include "base/recoder.h"

/* A compressed input is decompressed by a thread of its own from the third buffer on, unless buffers are tiny: it would
 * not be worth it; nor is it where all processors have work, since what zstd takes is less than what it costs threads
 * to be in each other's way. */
enum { SMALLEST_RAW = 64, LARGEST_RAW = 1 << 20, ALONE = 2, WORTH_A_THREAD = 4096 };

struct bipe_input {
    char *name;
    bipe_raw raw;
    uint64_t raw_size;
    const bipe_codec *codec; /* NULL: plain */
    void *state;
    bool detected;           /* the kind has been detected */
    bool ended;              /* the text ends with `head` */
    bool done;
    bool any;                /* not only text is read */
    bool judged;             /* whether it is known not to be text has been looked at */
    size_t head_size, head_next;
    uint8_t head[BIPE_INPUT_KIND_REACH]; /* what was read for that; [head_next, head_size) goes out first */
    bool text;               /* it is decoded, */
    const char *encoding;    /* from this; NULL: UTF-8 */
    bipe_recoder *recoder;   /* NULL: it is UTF-8 */
    bool busy;               /* all processors have work */
    bool regular;            /* a file, which is read without waiting for a writer */
    int stop[2];             /* a pipe that ends the waiting of the thread; -1: none */
    size_t decoded;          /* buffers that were decompressed without it */
    bipe_read_ahead *ahead;  /* NULL: not yet, or it could not be started */
    uint64_t raw_read;       /* with it: raw bytes after those that have been returned */
    bool failed;
    bipe_error error;        /* the first failure, which all later reads return */
};

size_t bipe_buffer_size(void)
{
    const char *text = getenv("BIPE_BUFFER_SIZE");
    uint64_t size;
    if (text == NULL || bipe_parse_size(text, 1, UINT64_C(1) << 30, &size, NULL) != BIPE_OK)
        return (size_t)256 << 10;
    return (size_t)size;
}

/* Waits until the file or the descriptor that ends waiting can be read. False: the latter. */
static bool wait_for_bytes(const bipe_raw *raw)
{
    struct pollfd both[] = {{.fd = raw->fd, .events = POLLIN}, {.fd = raw->stop, .events = POLLIN}};
    while (poll(both, 2, -1) < 0 && errno == EINTR)
        continue;
    return both[1].revents == 0;
}

static struct {
    bipe_input_watch *call; /* NULL: nobody */
    void *context;
} watch;

void bipe_input_watch_standard(bipe_input_watch *call, void *context)
{
    watch.call = call;
    watch.context = context;
}

static ssize_t read_raw(const bipe_raw *raw, uint8_t *bytes, size_t capacity)
{
    ssize_t n = bipe_descriptor_read(raw->fd, bytes, capacity);
    if (raw->fd == STDIN_FILENO && watch.call != NULL && n >= 0)
        watch.call(watch.context, bytes, (size_t)n);
    return n;
}

int bipe_raw_need(bipe_raw *raw, size_t want, bipe_error *err)
{
    while (raw->size - raw->position < want && !raw->end) {
        if (raw->position > 0) {
            memmove(raw->data, raw->data + raw->position, raw->size - raw->position);
            raw->offset += raw->position;
            raw->size -= raw->position;
            raw->position = 0;
        }
        if (raw->stop >= 0 && !wait_for_bytes(raw))
            return bipe_fail(err, BIPE_ERR_IO, "is not read any more");
        ssize_t n = read_raw(raw, raw->data + raw->size, raw->capacity - raw->size);
        if (n < 0)
            return bipe_fail(err, BIPE_ERR_IO, "could not be read: %s", strerror(errno));
        raw->size += (size_t)n;
        raw->end = n == 0;
    }
    return BIPE_OK;
}

static int open_descriptor(bipe_input *input, const char *path, bipe_error *err)
{
    if (path == NULL) {
        input->raw.fd = STDIN_FILENO;
        if (fcntl(STDIN_FILENO, F_GETFD) < 0)
            return bipe_fail(err, BIPE_ERR_IO, "is closed, expected a file, a pipe or a terminal");
    } else {
        input->raw.fd = bipe_descriptor_open(path, O_RDONLY | O_NOCTTY, 0);
        if (input->raw.fd < 0)
            return bipe_fail(err, BIPE_ERR_IO, "could not be opened: %s", strerror(errno));
    }
    struct stat info;
    if (fstat(input->raw.fd, &info) != 0)
        return bipe_fail(err, BIPE_ERR_IO, "could not be examined: %s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return bipe_fail(err, BIPE_ERR_IO, "is a directory, expected a file");
    input->regular = S_ISREG(info.st_mode);
    if (input->regular) {
        off_t at = path == NULL ? lseek(input->raw.fd, 0, SEEK_CUR) : 0;
        if (at >= 0 && info.st_size > at)
            input->raw_size = (uint64_t)(info.st_size - at);
    }
    size_t capacity = bipe_buffer_size();
    if (capacity < SMALLEST_RAW)
        capacity = SMALLEST_RAW;
    if (capacity > LARGEST_RAW)
        capacity = LARGEST_RAW;
    input->raw.capacity = capacity;
    input->raw.data = bipe_realloc(NULL, capacity, 1); /* not zeroed: a short file uses little of it */
    return input->raw.data != NULL ? BIPE_OK : bipe_fail_memory(err);
}

int bipe_input_open(bipe_input **result, const char *path, bipe_error *err)
{
    *result = NULL;
    const char *file = strcmp(path, "-") == 0 ? NULL : path, *name = bipe_input_shown(path);
    bipe_input *input = bipe_alloc(1, sizeof *input);
    if (input == NULL)
        return bipe_fail_memory(err);
    input->raw.fd = input->raw.stop = input->stop[0] = input->stop[1] = -1;
    input->name = bipe_strdup(name);
    int status = input->name == NULL ? bipe_fail_memory(err) : open_descriptor(input, file, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "%s", name);
        bipe_input_close(input);
        return status;
    }
    *result = input;
    return BIPE_OK;
}

void bipe_input_any(bipe_input *input)
{
    input->any = true;
}

void bipe_input_decode(bipe_input *input, const char *encoding)
{
    input->text = true;
    input->encoding = encoding != NULL && !bipe_encoding_is_utf8(encoding) ? encoding : NULL;
}

void bipe_input_busy(bipe_input *input)
{
    input->busy = true;
}

static bool starts_with(const bipe_raw *raw, const char *magic, size_t size)
{
    return raw->size - raw->position >= size && memcmp(raw->data + raw->position, magic, size) == 0;
}

static bool is_zstd(const bipe_raw *raw)
{
    if (starts_with(raw, "\x28\xB5\x2F\xFD", 4))
        return true;
    /* A skippable frame: 0x184D2A50 to 0x184D2A5F, little-endian. */
    const uint8_t *p = raw->data + raw->position;
    return raw->size - raw->position >= 4 && (p[0] & 0xF0) == 0x50 && memcmp(p + 1, "\x2A\x4D\x18", 3) == 0;
}

static int detect_kind(bipe_input *input, bipe_error *err)
{
    int status = bipe_raw_need(&input->raw, 6, err);
    if (status != BIPE_OK)
        return status;
    if (is_zstd(&input->raw)) {
        input->codec = &bipe_codec_zstd;
    } else if (starts_with(&input->raw, "\x1F\x8B\x08", 3)) {
#ifdef HAVE_ZLIB
        input->codec = &bipe_codec_gzip;
#else
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "is compressed by gzip, which this build of bipe does not read");
#endif
    } else if (starts_with(&input->raw, "\xFD\x37zXZ\0", 6)) {
#ifdef HAVE_LZMA
        input->codec = &bipe_codec_xz;
#else
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "is compressed by xz, which this build of bipe does not read");
#endif
    }
    input->detected = true;
    return input->codec != NULL ? input->codec->open(&input->state, err) : BIPE_OK;
}

static int read_plain(bipe_raw *raw, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    size_t held = raw->size - raw->position;
    if (held > 0) {
        *size = held < capacity ? held : capacity;
        memcpy(bytes, raw->data + raw->position, *size);
        raw->position += *size;
        return BIPE_OK;
    }
    if (raw->end)
        return BIPE_OK;
    ssize_t n = read_raw(raw, bytes, capacity);
    if (n < 0)
        return bipe_fail(err, BIPE_ERR_IO, "could not be read: %s", strerror(errno));
    *size = (size_t)n;
    raw->offset += (uint64_t)n;
    raw->end = n == 0;
    return BIPE_OK;
}

static int read_decoded(bipe_input *input, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    int status = input->detected ? BIPE_OK : detect_kind(input, err);
    if (status != BIPE_OK)
        return status;
    if (input->codec == NULL)
        return read_plain(&input->raw, bytes, capacity, size, err);
    return input->codec->decode(input->state, &input->raw, bytes, capacity, size, err);
}

/* Whether the bytes are the beginning of a byte order mark that is not all there, or of one of two kinds. */
static bool may_be_mark(const uint8_t *bytes, size_t size)
{
    static const char *const marks[] = {"\xEF\xBB\xBF", "\xFF\xFE\0\0"};
    for (size_t i = 0; i < 2; i++)
        if (size < 3 + i && memcmp(bytes, marks[i], size) == 0)
            return true;
    return false;
}

/* The encoding of the text, as the caller and its beginning say; an error when it is not text. */
static int choose_encoding(bipe_input *input, const bipe_input_kind *kind, bipe_error *err)
{
    const char *encoding = input->encoding;
    if (kind != NULL && kind->marked)
        encoding = kind->encoding;
    else if (input->head_size >= 3 && memcmp(input->head, "\xEF\xBB\xBF", 3) == 0)
        encoding = NULL;
    else if (kind != NULL && !input->any && (kind->encoding == NULL || encoding == NULL))
        return BIPE_OK;
    input->encoding = encoding;
    return encoding != NULL ? bipe_recoder_open(&input->recoder, encoding, bipe_buffer_size(), err) : BIPE_OK;
}

/* Looks at the beginning of the text: of a file all that a signature may reach, otherwise without waiting for more than
 * is needed. */
static int check_beginning(bipe_input *input, bipe_error *err)
{
    const bipe_input_kind *kind = NULL;
    int status = BIPE_OK;
    bool more = true;
    input->judged = true;
    while (
        status == BIPE_OK && input->head_size < sizeof input->head &&
        ((kind == NULL && (more || input->regular)) || (input->text && may_be_mark(input->head, input->head_size)))) {
        size_t size = 0;
        status = read_decoded(input, input->head + input->head_size, sizeof input->head - input->head_size, &size, err);
        if (size == 0) { /* there is no more */
            input->ended = status == BIPE_OK;
            break;
        }
        input->head_size += size;
        kind = bipe_input_kind_of(input->head, input->head_size, &more);
    }
    if (status == BIPE_OK && input->text)
        status = choose_encoding(input, kind, err);
    if (status != BIPE_OK || kind == NULL || input->any || input->recoder != NULL || (kind->result && !input->text))
        return status;
    input->head_size = 0;
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "is %s, expected text in UTF-8%s%s%s", kind->what,
                     kind->advice != NULL ? "; " : "", kind->advice != NULL ? kind->advice : "",
                     input->text ? " (--text reads it all the same)" : "");
}

static int decode_ahead(void *context, uint8_t *bytes, size_t capacity, size_t *size, uint64_t *mark, bipe_error *err)
{
    bipe_input *input = context;
    int status = input->codec->decode(input->state, &input->raw, bytes, capacity, size, err);
    *mark = bipe_raw_offset(&input->raw);
    return status;
}

/* Starts the thread, if that is possible. From now on `raw` and `state` are its own. */
static void start_ahead(bipe_input *input)
{
    size_t capacity = bipe_buffer_size() < LARGEST_RAW ? bipe_buffer_size() : LARGEST_RAW;
    if (capacity < WORTH_A_THREAD || (input->busy && input->regular && input->codec == &bipe_codec_zstd))
        return;
    if (!input->regular) {
        if (bipe_descriptor_pipe(input->stop) != 0)
            return;
        input->raw.stop = input->stop[0];
    }
    input->raw_read = bipe_raw_offset(&input->raw);
    input->ahead = bipe_read_ahead_open(capacity, decode_ahead, input);
}

static int fetch_bytes(bipe_input *input, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    if (input->codec != NULL && input->decoded++ == ALONE)
        start_ahead(input);
    if (input->ahead != NULL)
        return bipe_read_ahead_read(input->ahead, bytes, capacity, size, &input->raw_read, err);
    return read_decoded(input, bytes, capacity, size, err);
}

/* Decompressed bytes: first those that were looked at. */
static int read_bytes(void *context, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    bipe_input *input = context;
    if (input->head_next < input->head_size) {
        *size = input->head_size - input->head_next < capacity ? input->head_size - input->head_next : capacity;
        memcpy(bytes, input->head + input->head_next, *size);
        input->head_next += *size;
        return BIPE_OK;
    }
    return input->ended ? BIPE_OK : fetch_bytes(input, bytes, capacity, size, err);
}

int bipe_input_read(bipe_input *input, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    *size = 0;
    if (capacity == 0 || input->done)
        return BIPE_OK;
    if ((!input->any || input->text) && !input->judged && check_beginning(input, &input->error) != BIPE_OK) {
        bipe_error_prefix(&input->error, "%s", input->name);
        input->failed = true;
    }
    if (!input->failed || input->head_next < input->head_size) {
        int status = input->recoder != NULL
                         ? bipe_recoder_read(input->recoder, read_bytes, input, bytes, capacity, size, &input->error)
                         : read_bytes(input, bytes, capacity, size, &input->error);
        if (status != BIPE_OK) {
            bipe_error_prefix(&input->error, "%s", input->name);
            input->failed = true;
        }
    }
    /* Text that was decoded before a failure is returned first. */
    if (!input->failed || *size > 0) {
        input->done = *size == 0;
        return BIPE_OK;
    }
    if (err != NULL)
        *err = input->error;
    return (int)input->error.status;
}

int bipe_input_read_all(bipe_input *input, bipe_buffer *text, size_t most, bipe_error *err)
{
    enum { PIECE = 1 << 16 };
    size_t size = 1;
    int status = BIPE_OK;
    while (status == BIPE_OK && size > 0 && text->size <= most) {
        status = bipe_buffer_reserve(text, PIECE, err);
        if (status == BIPE_OK)
            status = bipe_input_read(input, text->data + text->size, PIECE, &size, err);
        text->size += status == BIPE_OK ? size : 0;
    }
    return status;
}

const char *bipe_input_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *bipe_input_name(const bipe_input *input)
{
    return input->name;
}

const char *bipe_input_decoded(const bipe_input *input, uint64_t *wrong, uint64_t *first)
{
    *wrong = *first = 0;
    if (input->recoder == NULL)
        return NULL;
    *wrong = bipe_recoder_wrong(input->recoder, first);
    return input->encoding;
}

uint64_t bipe_input_raw_offset(const bipe_input *input)
{
    return input->ahead != NULL ? input->raw_read : bipe_raw_offset(&input->raw);
}

uint64_t bipe_input_raw_size(const bipe_input *input)
{
    return input->raw_size;
}

void bipe_input_close(bipe_input *input)
{
    if (input == NULL)
        return;
    if (input->stop[1] >= 0)
        close(input->stop[1]); /* the thread sees the end of the pipe */
    bipe_read_ahead_close(input->ahead);
    if (input->stop[0] >= 0)
        close(input->stop[0]);
    if (input->codec != NULL && input->state != NULL)
        input->codec->close(input->state);
    if (input->raw.fd > STDERR_FILENO)
        close(input->raw.fd);
    bipe_recoder_close(input->recoder);
    bipe_free(input->raw.data);
    bipe_free(input->name);
    bipe_free(input);
}
