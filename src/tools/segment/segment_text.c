/* segment_text.c - the formats of bipe-segment that print text as it comes: lines, nul and words; and those that
 * count. */
#include <string.h>

#include "tools/segment/bipe_segment.h"

/* A newline inside a segment, with the CR before it, becomes a space, but only when the segment goes on: the last one
 * is dropped. */
static void print_line(void *context, const uint8_t *bytes, size_t size)
{
    segment_writer *w = context;
    w->begun = true;
    while (size != 0) {
        if (w->newline || w->carriage_return) {
            if (w->newline || *bytes != '\n')
                bipe_output_write(w->output, w->newline ? " " : "\r", 1, &w->error);
            w->newline = w->carriage_return = false;
            continue;
        }
        const uint8_t *newline = memchr(bytes, '\n', size);
        size_t n = newline != NULL ? (size_t)(newline - bytes) : size;
        bool carriage_return = n > 0 && bytes[n - 1] == '\r';
        bipe_output_write(w->output, bytes, n - carriage_return, &w->error);
        w->newline = newline != NULL;
        w->carriage_return = carriage_return && !w->newline;
        n += w->newline;
        bytes += n;
        size -= n;
    }
}

static void print_raw(void *context, const uint8_t *bytes, size_t size)
{
    segment_writer *w = context;
    w->begun = true;
    bipe_output_write(w->output, bytes, size, &w->error);
}

/* What may be left out waits in the spool. */
static void print_text(segment_writer *w, const uint8_t *bytes, size_t size)
{
    if (w->squeeze || w->trim)
        segment_tidy_append(w, bytes, size);
    else
        w->format->print(w, bytes, size);
}

static void end_text(segment_writer *w)
{
    segment_tidy_end(w);
    segment_replay(w->spool, w->format->print, w, &w->error);
    w->format->end(w);
}

static void break_text(segment_writer *w)
{
    if (w->begun || (bipe_spool_size(w->spool) != 0 && !segment_blank_end(&w->blank)))
        end_text(w);
}

static void end_line(segment_writer *w)
{
    bipe_output_write(w->output, w->carriage_return ? "\r\n" : "\n", w->carriage_return ? 2 : 1, &w->error);
}

static void end_nul(segment_writer *w)
{
    bipe_output_write(w->output, "", 1, &w->error);
}

/* A vector that every machine can do in some way. */
typedef uint8_t some_bytes __attribute__((vector_size(16)));
enum { SPARE = 2 * sizeof(some_bytes) };

static inline void copy_spaced(uint8_t *to, const uint8_t *bytes)
{
    some_bytes some;
    memcpy(&some, bytes, sizeof some);
    some ^= (some_bytes)(some == '\n') & ('\n' ^ ' ');
    memcpy(to, &some, sizeof some);
}

/* Copies a segment of n > 0 bytes as lines show it, and returns how many bytes it took: n or n + 1. spare: SPARE bytes
 * more can be read, and written. */
static inline size_t copy_line(uint8_t *to, const uint8_t *bytes, size_t n, bool spare)
{
    size_t i = 0;
    for (; spare && i < n; i += SPARE) {
        copy_spaced(to + i, bytes + i);
        copy_spaced(to + i + sizeof(some_bytes), bytes + i + sizeof(some_bytes));
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

/* Whole segments, copied into the output's buffer; those that are too long for it take the way of pieces, and so do all
 * with `pieces`. */
static inline void put_segments(segment_writer *w, size_t (*copy)(uint8_t *, const uint8_t *, size_t, bool),
                                bool pieces, const segment_stretch *s)
{
    const uint8_t *bytes = s->bytes;
    const uint64_t *boundaries = s->boundaries;
    uint64_t at = w->at.end;
    size_t count = s->count;
    for (size_t k = 0; k < count && w->error.status == BIPE_OK;) {
        size_t n = (size_t)(boundaries[k] - at), left;
        uint8_t *to = NULL;
        if (n >= BIPE_OUTPUT_RESERVE || pieces) {
            w->format->text(w, bytes, n);
            w->format->segment(w);
            w->newline = w->carriage_return = false;
            bytes += n;
            at = boundaries[k++];
        } else if (bipe_output_reserve(w->output, n + 1, &to, &left, &w->error) == BIPE_OK) {
            uint8_t *start = to;
            for (; k < count && (n = (size_t)(boundaries[k] - at)) < left; at = boundaries[k++]) {
                size_t took = copy(to, bytes, n, left - n >= SPARE && boundaries[count - 1] - boundaries[k] >= SPARE);
                bytes += n;
                to += took;
                left -= took;
            }
            bipe_output_filled(w->output, (size_t)(to - start));
        }
    }
}

static void lines_segments(segment_writer *w, const segment_stretch *s)
{
    bool windows = memchr(s->bytes, '\r', (size_t)(s->boundaries[s->count - 1] - w->at.end)) != NULL;
    put_segments(w, copy_line, windows, s);
}

static void nul_segments(segment_writer *w, const segment_stretch *s)
{
    put_segments(w, copy_nul, false, s);
}

static void count_segments(segment_writer *w, const segment_stretch *s)
{
    const uint8_t *bytes = s->bytes;
    uint64_t at = w->at.end;
    for (size_t k = 0; k < s->count; k++) {
        segment_blank blank = {.so_far = bytes[0] <= ' ' || bytes[0] >= 0x80};
        size_t size = (size_t)(s->boundaries[k] - at);
        if (blank.so_far)
            segment_blank_see(&blank, bytes, size);
        w->blanks += segment_blank_end(&blank);
        bytes += size;
        at = s->boundaries[k];
    }
}

/* ---- words: a token a line ---- */

/* The text of a token; false: it is left out. */
static bool take_word(const segment_writer *w, const bipe_batch *batch, const bipe_token *token, const uint8_t **bytes,
                      size_t *size)
{
    const uint8_t *shown = *bytes = batch->bytes + (token->start - batch->byte_offset);
    size_t trimmed = *size = (size_t)(token->end - token->start);
    if (w->squeeze || w->trim)
        segment_trim(&shown, &trimmed);
    if (*size == 0 || (w->squeeze && trimmed == 0))
        return false;
    if (w->trim)
        *bytes = shown, *size = trimmed;
    return true;
}

static void count_tokens(segment_writer *w, const bipe_batch *batch)
{
    const uint8_t *bytes;
    size_t size;
    for (size_t k = 0; k < batch->token_count; k++)
        w->printed += w->columns->rows == SEGMENT_TOKEN_ROWS || take_word(w, batch, &batch->tokens[k], &bytes, &size);
}

static void print_words(segment_writer *w, const bipe_batch *batch)
{
    for (size_t k = 0; k < batch->token_count && w->error.status == BIPE_OK; k++) {
        const uint8_t *bytes;
        size_t size, left;
        uint8_t *to;
        if (!take_word(w, batch, &batch->tokens[k], &bytes, &size))
            continue;
        w->newline = w->carriage_return = false;
        if (size == 0 || size >= BIPE_OUTPUT_RESERVE || memchr(bytes, '\r', size) != NULL) {
            print_line(w, bytes, size);
            end_line(w);
        } else if (bipe_output_reserve(w->output, size + 1, &to, &left, &w->error) == BIPE_OK) {
            bipe_output_filled(w->output, copy_line(to, bytes, size, false));
        }
    }
}

const segment_format segment_format_lines = {
    .name = "lines", .wants_text = true, .print = print_line, .end = end_line, .text = print_text, .segment = end_text,
    .segments = lines_segments, .broken = break_text};
const segment_format segment_format_nul = {
    .name = "nul", .wants_text = true, .print = print_raw, .end = end_nul, .text = print_text, .segment = end_text,
    .segments = nul_segments, .broken = break_text};
const segment_format segment_format_words = {.name = "words", .wants_tokens = true, .wants_text = true,
                                             .tokens = print_words};
const segment_format segment_format_count = {.name = "count", .wants_text = true, .segments = count_segments};
const segment_format segment_format_count_tokens = {.name = "count", .wants_tokens = true, .wants_text = true,
                                                    .tokens = count_tokens};
