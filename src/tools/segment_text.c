/* segment_text.c - the formats of bipe-segment that print text as it comes: lines, nul; and count, which prints none. */
#include <string.h>

#include "tools/segment_writer.h"

/* A newline inside a segment becomes a space, but only when the segment goes on: the last one is dropped. */
static int print_line(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    segment_writer *w = context;
    int status = BIPE_OK;
    w->begun = true;
    while (size != 0 && status == BIPE_OK) {
        if (w->newline) {
            status = bipe_output_write(w->output, " ", 1, err);
            w->newline = false;
            continue;
        }
        const uint8_t *newline = memchr(bytes, '\n', size);
        size_t n = newline != NULL ? (size_t)(newline - bytes) : size;
        status = bipe_output_write(w->output, bytes, n, err);
        if (newline != NULL) {
            w->newline = true;
            n++;
        }
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

/* What was held back because its last character was not complete belongs to the segment after all. */
static int lines_segment(segment_writer *w, bipe_error *err)
{
    int status = segment_writer_replay(w, print_line, w, err);
    return status == BIPE_OK ? bipe_output_write(w->output, "\n", 1, err) : status;
}

static int nul_segment(segment_writer *w, bipe_error *err)
{
    int status = segment_writer_replay(w, print_raw, w, err);
    return status == BIPE_OK ? bipe_output_write(w->output, "", 1, err) : status;
}

static int lines_broken(segment_writer *w, bipe_error *err)
{
    return w->begun ? bipe_output_write(w->output, "\n", 1, err) : BIPE_OK;
}

static int nul_broken(segment_writer *w, bipe_error *err)
{
    return w->begun ? bipe_output_write(w->output, "", 1, err) : BIPE_OK;
}

const segment_format segment_format_lines = {
    .name = "lines", .wants_text = true, .text = lines_text, .segment = lines_segment, .broken = lines_broken};
const segment_format segment_format_nul = {
    .name = "nul", .wants_text = true, .text = nul_text, .segment = nul_segment, .broken = nul_broken};
const segment_format segment_format_count = {.name = "count"};
