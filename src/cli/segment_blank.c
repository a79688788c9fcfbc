/* segment_blank.c - looks at the characters of a segment. */
#include "cli/segment_blank.h"

#include "text/utf8.h"

void segment_blank_see(segment_blank *b, const uint8_t *bytes, size_t size)
{
    int32_t code;
    while (size != 0 && b->so_far) {
        size_t used = 1;
        if (b->partial_size == 0) {
            size_t n = bipe_utf8_decode(bytes, size, &code);
            if (n == 0)
                b->partial[b->partial_size++] = bytes[0];
            else {
                b->so_far = bipe_is_white_space(code);
                used = n;
            }
        } else {
            b->partial[b->partial_size++] = bytes[0];
            if (bipe_utf8_decode(b->partial, b->partial_size, &code) != 0) {
                b->so_far = bipe_is_white_space(code);
                b->partial_size = 0;
            }
        }
        bytes += used;
        size -= used;
    }
}
