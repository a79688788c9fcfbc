/* segment_text.c - the formats of bipe-segment that print text as it comes: lines, nul; and count, which prints none. */
#include <string.h>

#include "tools/segment_writer.h"

/* A newline inside a segment, with the CR before it, becomes a space, but only when the segment goes on: the last one is dropped. */
static int print_line(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    segment_writer *w = context;
    int status = BIPE_OK;
    w->begun = true;
    while (size != 0 && status == BIPE_OK) {
        if (w->newline || w->carriage_return) {
            if (w->newline || *bytes != '\n')
                status = bipe_output_write(w->output, w->newline ? " " : "\r", 1, err);
            w->newline = w->carriage_return = false;
            continue;
        }
        const uint8_t *newline = memchr(bytes, '\n', size);
        size_t n = newline != NULL ? (size_t)(newline - bytes) : size;
        bool carriage_return = n > 0 && bytes[n - 1] == '\r';
        status = bipe_output_write(w->output, bytes, n - carriage_return, err);
        w->newline = newline != NULL;
        w->carriage_return = carriage_return && !w->newline;
        n += w->newline;
        bytes += n;
        size -= n;
    }
    return status;
}

static int print_raw(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    segment_writer *w = context;
    w->begun = true;
    return bipe_output_write(w->output, bytes, size, err);
}

/* Leading white space waits in the spool until the segment turns out to be more than that. */
static int print_text(segment_writer *w, segment_print print, const uint8_t *bytes, size_t size, bipe_error *err)
{
    if (w->squeeze && w->blank.so_far)
        return bipe_spool_append(w->spool, bytes, size, err);
    int status = segment_writer_replay(w, print, w, err);
    return status == BIPE_OK ? print(w, bytes, size, err) : status;
}

static int lines_text(segment_writer *w, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return print_text(w, print_line, bytes, size, err);
}

static int nul_text(segment_writer *w, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return print_text(w, print_raw, bytes, size, err);
}

static int end_line(segment_writer *w, bipe_error *err)
{
    int status = w->carriage_return ? bipe_output_write(w->output, "\r", 1, err) : BIPE_OK;
    return status == BIPE_OK ? bipe_output_write(w->output, "\n", 1, err) : status;
}

/* What was held back because its last character was not complete belongs to the segment after all. */
static int lines_segment(segment_writer *w, bipe_error *err)
{
    int status = segment_writer_replay(w, print_line, w, err);
    return status == BIPE_OK ? end_line(w, err) : status;
}

static int nul_segment(segment_writer *w, bipe_error *err)
{
    int status = segment_writer_replay(w, print_raw, w, err);
    return status == BIPE_OK ? bipe_output_write(w->output, "", 1, err) : status;
}

static int lines_broken(segment_writer *w, bipe_error *err)
{
    return w->begun ? end_line(w, err) : BIPE_OK;
}

static int nul_broken(segment_writer *w, bipe_error *err)
{
    return w->begun ? bipe_output_write(w->output, "", 1, err) : BIPE_OK;
}

/* A vector that every machine can do in some way. */
typedef uint8_t some_bytes __attribute__((vector_size(16)));
enum { SPARE = 2 * sizeof(some_bytes) };

static inline void copy_some(uint8_t *to, const uint8_t *bytes)
{
    some_bytes some;
    memcpy(&some, bytes, sizeof some);
    some ^= (some_bytes)(some == '\n') & ('\n' ^ ' ');
    memcpy(to, &some, sizeof some);
}

/* Copies a segment of n > 0 bytes as lines show it, and returns how many bytes it took: n or n + 1. spare: SPARE bytes more can be read,
 * and written. */
static inline size_t copy_line(uint8_t *to, const uint8_t *bytes, size_t n, bool spare)
{
    size_t i = 0;
    for (; spare && i < n; i += SPARE) {
        copy_some(to + i, bytes + i);
        copy_some(to + i + sizeof(some_bytes), bytes + i + sizeof(some_bytes));
    }
    for (; i < n; i++)
        to[i] = bytes[i] != '\n' ? bytes[i] : ' ';
    to[n - 1] = bytes[n - 1];
    to[n] = '\n';
    return n + (bytes[n - 1] != '\n');
}

static inline size_t copy_nul(uint8_t *to, const uint8_t *bytes, size_t n, bool spare)
{
    size_t i = 0;
    for (; spare && i < n; i += SPARE)
        memcpy(to + i, bytes + i, SPARE);
    if (!spare)
        memcpy(to, bytes, n);
    to[n] = '\0';
    return n + 1;
}

/* Whole segments, copied into the output's buffer; those that are too long for it take the way of pieces, and so do all with `pieces`. */
static inline int put_segments(segment_writer *w, size_t (*copy)(uint8_t *, const uint8_t *, size_t, bool), bool pieces,
                               const segment_stretch *s, bipe_error *err)
{
    const uint8_t *bytes = s->bytes;
    const uint64_t *boundaries = s->boundaries;
    uint64_t at = w->at.end;
    size_t count = s->count;
    int status = BIPE_OK;
    for (size_t k = 0; k < count && status == BIPE_OK;) {
        size_t n = (size_t)(boundaries[k] - at), left;
        if (n >= BIPE_OUTPUT_RESERVE || pieces) {
            status = w->format->text(w, bytes, n, err);
            if (status == BIPE_OK)
                status = w->format->segment(w, err);
            w->newline = w->carriage_return = false;
            bytes += n;
            at = boundaries[k++];
            continue;
        }
        uint8_t *to = NULL;
        status = bipe_output_reserve(w->output, n + 1, &to, &left, err);
        uint8_t *start = to;
        for (; status == BIPE_OK && k < count && (n = (size_t)(boundaries[k] - at)) < left; at = boundaries[k++]) {
            size_t took = copy(to, bytes, n, left - n >= SPARE && boundaries[count - 1] - boundaries[k] >= SPARE);
            bytes += n;
            to += took;
            left -= took;
        }
        bipe_output_filled(w->output, (size_t)(to - start));
    }
    return status;
}

static int lines_segments(segment_writer *w, const segment_stretch *s, bipe_error *err)
{
    bool windows = memchr(s->bytes, '\r', (size_t)(s->boundaries[s->count - 1] - w->at.end)) != NULL;
    return put_segments(w, copy_line, windows, s, err);
}

static int nul_segments(segment_writer *w, const segment_stretch *s, bipe_error *err)
{
    return put_segments(w, copy_nul, false, s, err);
}

static int count_segments(segment_writer *w, const segment_stretch *s, bipe_error *err)
{
    (void)w, (void)s, (void)err;
    return BIPE_OK;
}

const segment_format segment_format_lines = {
    .name = "lines", .wants_text = true, .text = lines_text, .segment = lines_segment,
    .segments = lines_segments, .broken = lines_broken};
const segment_format segment_format_nul = {
    .name = "nul", .wants_text = true, .text = nul_text, .segment = nul_segment,
    .segments = nul_segments, .broken = nul_broken};
const segment_format segment_format_count = {.name = "count", .segments = count_segments};
