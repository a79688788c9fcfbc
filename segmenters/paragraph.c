/* paragraph.c - a segment ends after each run of two or more newlines; blanks may stand between them.
 *
 * Blanks are space, tab, CR, FF and VT. The segment ends right after the last newline of the run, so blanks after
 * it open the next segment, and whether a newline is the last is known at the next byte that is no blank. Newlines at
 * the start of a document are a run like any other. Only counters are kept, never text. */
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>

typedef struct paragraph {
    unsigned newlines; /* of the present run: 0, 1, or 2 for more */
    uint64_t last;     /* offset after its last newline */
} paragraph;

static int paragraph_open(void **state, const char *argument, char *error, size_t error_size)
{
    (void)argument, (void)error, (void)error_size;
    *state = calloc(1, sizeof(paragraph));
    return *state != NULL ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
}

static int paragraph_begin(void *state)
{
    *(paragraph *)state = (paragraph){0};
    return BIPE_SEGMENTER_OK;
}

static int paragraph_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    paragraph *p = state;
    for (size_t i = 0; i < size; i++) {
        if (p->newlines == 0) { /* in the middle of text: on to the next newline */
            const uint8_t *newline = memchr(bytes + i, '\n', size - i);
            if (newline == NULL)
                break;
            i = (size_t)(newline - bytes);
        }
        switch (bytes[i]) {
        case '\n':
            p->newlines = p->newlines == 0 ? 1 : 2;
            p->last = offset + i + 1;
            break;
        case ' ': case '\t': case '\r': case '\f': case '\v':
            break;
        default:
            if (p->newlines >= 2 && bipe_boundaries_add(boundaries, p->last) != BIPE_SEGMENTER_OK)
                return BIPE_SEGMENTER_MEMORY;
            p->newlines = 0;
        }
    }
    if (p->newlines >= 2)
        boundaries->settled = p->last - 1;
    return BIPE_SEGMENTER_OK;
}

static int paragraph_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    (void)size;
    const paragraph *p = state;
    return p->newlines >= 2 ? bipe_boundaries_add(boundaries, p->last) : BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_paragraph = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "paragraph",
    .summary = "two or more newlines, blanks between them allowed",
    .open = paragraph_open,
    .begin = paragraph_begin,
    .bytes = paragraph_bytes,
    .end = paragraph_end,
    .close = free,
};
