/* stops.c - the worked example of a plug-in: a segment ends with a stop, like a sentence but by its punctuation alone.
 *
 * It ends after one or more stops (. ! ? and the like) and the closing quotes and brackets that follow
 * them, when white space comes next and then something other than a small letter from a to z ("e.g. this" continues).
 * After the stops of Chinese and Japanese no white space is needed. White space opens the next segment: what follows
 * it decides, so up to BLANKS bytes of it are waited for. Bytes that are not UTF-8 are no stops.
 *
 *   cc -shared -fPIC $(pkg-config --cflags bipe) -o stops.so stops.c
 *   bipe-segment -s ./stops.so book.txt
 */
#include <stdbool.h>
#include <stdlib.h>

#include <bipe/segmenter.h>

enum { BLANKS = 4096 }; /* so much white space ends a segment by itself */

typedef enum kind { OTHER, SMALL, WHITE, CLOSE, STOP, WIDE_STOP } kind;

typedef struct stops {
    enum { IN_TEXT, AFTER_A_STOP, AFTER_BLANKS } phase;
    bool wide;           /* the last stop needs no white space */
    uint64_t candidate;  /* outside of IN_TEXT: where the segment ends, if it does */
    uint32_t code;       /* the character of which some bytes have come ... */
    int missing;         /* ... and how many have not */
} stops;

static kind kind_of(uint32_t code)
{
    if (code >= 'a' && code <= 'z')
        return SMALL;
    switch (code) {
    case '.': case '!': case '?':
    case 0x0589: case 0x061F: case 0x06D4: case 0x0964: case 0x2026: case 0x203D:
        return STOP;
    case 0x3002: case 0xFF01: case 0xFF0E: case 0xFF1F: case 0xFF61:
        return WIDE_STOP;
    case '"': case '\'': case ')': case ']': case '}':
    case 0x00BB: case 0x2019: case 0x201D: case 0x203A: case 0x300D: case 0x300F: case 0x3011: case 0xFF09: case 0xFF3D:
        return CLOSE;
    case ' ': case '\t': case '\n': case '\v': case '\f': case '\r':
    case 0x0085: case 0x00A0: case 0x1680: case 0x2028: case 0x2029: case 0x202F: case 0x205F: case 0x3000:
        return WHITE;
    }
    return code >= 0x2000 && code <= 0x200A ? WHITE : OTHER;
}

/* A character that ends at `end`, or bytes that are none (OTHER). */
static int add_character(stops *s, kind what, uint64_t start, uint64_t end, bipe_boundaries *boundaries)
{
    bool is_end = false;
    if (s->phase == AFTER_A_STOP && what == WHITE && !s->wide) {
        s->phase = AFTER_BLANKS;
        return BIPE_SEGMENTER_OK;
    }
    if (s->phase == AFTER_A_STOP && what >= CLOSE) {
        s->candidate = end;
        s->wide = s->wide || what == WIDE_STOP;
        return BIPE_SEGMENTER_OK;
    }
    if (s->phase == AFTER_A_STOP)
        is_end = s->wide;
    else if (s->phase == AFTER_BLANKS && what == WHITE && start - s->candidate < BLANKS)
        return BIPE_SEGMENTER_OK;
    else if (s->phase == AFTER_BLANKS)
        is_end = what != SMALL;

    int status = is_end ? bipe_boundaries_add(boundaries, s->candidate) : BIPE_SEGMENTER_OK;
    s->phase = what >= STOP ? AFTER_A_STOP : IN_TEXT;
    s->wide = what == WIDE_STOP;
    s->candidate = end;
    return status;
}

static int stops_open(void **state, const char *argument, char *error, size_t error_size)
{
    (void)argument, (void)error, (void)error_size;
    *state = calloc(1, sizeof(stops));
    return *state != NULL ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
}

static int stops_begin(void *state)
{
    *(stops *)state = (stops){.phase = IN_TEXT};
    return BIPE_SEGMENTER_OK;
}

static int stops_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    stops *s = state;
    int status = BIPE_SEGMENTER_OK;
    for (size_t i = 0; i < size && status == BIPE_SEGMENTER_OK; i++) {
        uint8_t c = bytes[i];
        uint64_t end = offset + i + 1;
        if (s->missing > 0 && (c & 0xC0) == 0x80) {
            s->code = s->code << 6 | (c & 0x3F);
            if (--s->missing == 0)
                status = add_character(s, kind_of(s->code), end - 1, end, boundaries);
            continue;
        }
        if (s->missing > 0) /* the one before was cut off */
            status = add_character(s, OTHER, end - 1, end - 1, boundaries);
        s->missing = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
        s->code = s->missing > 0 ? c & (0x3Fu >> s->missing) : c;
        if (s->missing == 0 && status == BIPE_SEGMENTER_OK)
            status = add_character(s, c < 0x80 ? kind_of(c) : OTHER, end - 1, end, boundaries);
    }
    /* An undecided end is still to come, so no more than what lies before it is settled. */
    if (s->phase != IN_TEXT)
        boundaries->settled = s->candidate - 1;
    return status;
}

static int stops_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    const stops *s = state;
    (void)size;
    return s->phase != IN_TEXT ? bipe_boundaries_add(boundaries, s->candidate) : BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_plugin = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "stops",
    .summary = "a stop and the closing quotes after it, before white space and no small letter",
    .open = stops_open,
    .begin = stops_begin,
    .bytes = stops_bytes,
    .end = stops_end,
    .close = free,
};
