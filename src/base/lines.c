/* lines.c - see lines.h. */
#include "base/lines.h"

#include <inttypes.h>
#include <string.h>

int bipe_lines_read(bipe_lines *lines, bipe_error *err)
{
    size_t size = 0, some = bipe_buffer_size();
    bipe_buffer_consume(&lines->text, lines->consumed);
    lines->consumed = 0;
    int status = bipe_buffer_reserve(&lines->text, some + 1, err); /* and the NUL of a last line without an end */
    if (status == BIPE_OK)
        status = bipe_input_read(lines->input, lines->text.data + lines->text.size, some, &size, err);
    lines->text.size += size;
    lines->ended = status == BIPE_OK && size == 0;
    return status;
}

int bipe_lines_next(bipe_lines *lines, char **line, size_t *size, bipe_error *err)
{
    size_t searched = 0; /* bytes after those consumed */
    uint8_t *end = NULL;
    for (;;) {
        size_t left = lines->text.size - lines->consumed;
        if (left > searched)
            end = memchr(lines->text.data + lines->consumed + searched, '\n', left - searched);
        if (end != NULL || (lines->ended && left > 0))
            break;
        searched = left;
        if (left > lines->most)
            return bipe_fail(err, BIPE_ERR_LIMIT, "%s: line %" PRIu64 ": more than %zu MiB, expected a shorter one",
                             bipe_input_name(lines->input), lines->number + 1, lines->most >> 20);
        int status = lines->ended ? BIPE_END : bipe_lines_read(lines, err);
        if (status != BIPE_OK)
            return status;
    }
    uint8_t *first = lines->text.data + lines->consumed;
    size_t length = end != NULL ? (size_t)(end - first) : lines->text.size - lines->consumed;
    lines->consumed += length + (end != NULL);
    lines->number++;
    length -= end != NULL && length > 0 && first[length - 1] == '\r';
    first[length] = '\0';
    *line = (char *)first;
    if (size != NULL)
        *size = length;
    return BIPE_OK;
}

void bipe_lines_close(bipe_lines *lines)
{
    bipe_input_close(lines->input);
    bipe_buffer_free(&lines->text);
}
