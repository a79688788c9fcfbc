/* lines.h - the lines of an input, whole, of a bounded length. */
#ifndef BIPE_BASE_LINES_H
#define BIPE_BASE_LINES_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/input.h"

/* Set input and most, the rest is 0. Close frees the buffer and closes the input. */
typedef struct bipe_lines {
    bipe_input *input;
    size_t most;     /* limit in bytes; a longer line passes only if it was already buffered whole */
    bipe_buffer text; /* read and not yet consumed */
    size_t consumed; /* bytes of it: lines that were returned */
    uint64_t number; /* of the line returned last, from 1 */
    bool ended;      /* all has been read */
} bipe_lines;

/* Reads the next bytes into `text`; lines->ended at the end. */
int bipe_lines_read(bipe_lines *lines, bipe_error *err);
/* The next line, with a NUL in place of its newline (and of a carriage return before it); it may be written to, until
 * the next call. BIPE_END. *size may be NULL. */
int bipe_lines_next(bipe_lines *lines, char **line, size_t *size, bipe_error *err);
void bipe_lines_close(bipe_lines *lines);

#endif
