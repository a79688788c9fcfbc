/* code.c - a segment is a logical line of code.
 *
 * A newline ends a logical line unless a backslash stands right before it (or before the CR in front of it); then the
 * line continues in the next physical line, whatever that holds: after "a\" an empty line ends the logical line.
 * Lines of blanks alone (space, tab, CR, FF, VT) end nothing: they stay with the segment before them, at the start of a
 * document with the first one. So a segment ends where the next line begins that holds more than blanks, which is
 * known at the first byte of it that is no blank; blank lines at the end of a document stay with the last segment.
 * Only counters are kept, never text. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>

enum { ELSE, BACKSLASH, BACKSLASH_CR };

typedef struct code {
    bool filled;    /* the logical line holds more than blanks */
    bool pending;   /* a logical line is over; the segment ends where the next one that is filled begins */
    uint64_t start; /* pending: start of the present line */
    int before;     /* ELSE, BACKSLASH or BACKSLASH_CR: the text before the next byte */
} code;

static int code_open(void **state, const char *argument, char *error, size_t error_size)
{
    (void)argument, (void)error, (void)error_size;
    *state = calloc(1, sizeof(code));
    return *state != NULL ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
}

static int code_begin(void *state)
{
    *(code *)state = (code){0};
    return BIPE_SEGMENTER_OK;
}

/* The value of `before` at bytes[at], at > from, in a line whose byte at `from` is no blank. */
static int look_back(const uint8_t *bytes, size_t from, size_t at)
{
    if (bytes[at - 1] == '\\')
        return BACKSLASH;
    return bytes[at - 1] == '\r' && at - 1 > from && bytes[at - 2] == '\\' ? BACKSLASH_CR : ELSE;
}

static int code_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    code *c = state;
    for (size_t i = 0; i < size; i++) {
        switch (bytes[i]) {
        case '\n':
            if (c->before == ELSE) {
                c->pending = c->pending || c->filled;
                c->filled = false;
                c->start = offset + i + 1;
            }
            c->before = ELSE;
            break;
        case '\r':
            c->before = c->before == BACKSLASH ? BACKSLASH_CR : ELSE;
            break;
        case ' ': case '\t': case '\f': case '\v':
            c->before = ELSE;
            break;
        default:
            if (c->pending && bipe_boundaries_add(boundaries, c->start) != BIPE_SEGMENTER_OK)
                return BIPE_SEGMENTER_MEMORY;
            c->pending = false;
            c->filled = true;
            /* In the rest of the line only an escaped newline matters. */
            const uint8_t *newline = memchr(bytes + i, '\n', size - i);
            size_t stop = newline != NULL ? (size_t)(newline - bytes) : size;
            c->before = look_back(bytes, i, stop);
            i = stop - 1;
        }
    }
    if (c->pending)
        boundaries->settled = c->start - 1;
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_code = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "code",
    .summary = "a logical line of code: a newline without a backslash before it, and the blank lines after it",
    .open = code_open,
    .begin = code_begin,
    .bytes = code_bytes,
    .close = free,
};
