/* segment_blank.h - whether a segment is only white space, from text that arrives in pieces. */
#ifndef BIPE_CLI_SEGMENT_BLANK_H
#define BIPE_CLI_SEGMENT_BLANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as {.so_far = true}. */
typedef struct segment_blank {
    bool so_far;
    uint8_t partial[4]; /* a character that is not complete yet */
    size_t partial_size;
} segment_blank;

void segment_blank_see(segment_blank *blank, const uint8_t *bytes, size_t size);

/* Whether it is, now that its text is over: a character that was cut is none of white space. */
static inline bool segment_blank_end(const segment_blank *blank)
{
    return blank->so_far && blank->partial_size == 0;
}

#endif
