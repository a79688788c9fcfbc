/* segmenter.h - the interface between bipe and a segmenter: built-in or plug-in.
 *
 * A plug-in needs this header alone and links against nothing of bipe.
 * A segmenter looks at one document at a time as a stream and says where segments end.
 * bipe-segmenter(7) explains how to write one; segmenters/ holds the built-in ones as examples.
 *
 * A boundary is a byte offset b of the document, 0 < b <= size: the segment that ends there includes
 * byte b - 1. Boundaries are reported in strictly increasing order. The end of a document ends
 * its last segment by itself: reporting a boundary there as well is allowed and changes nothing. */
#ifndef BIPE_SEGMENTER_H
#define BIPE_SEGMENTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever the layout or the meaning of anything here changes. */
#define BIPE_SEGMENTER_ABI 1u

/* A plug-in defines one symbol of this name: `const bipe_segmenter bipe_segmenter_plugin = {...};` */
#define BIPE_SEGMENTER_SYMBOL "bipe_segmenter_plugin"

/* A token: its id and its bytes [start, end) in the document (may be empty). */
typedef struct bipe_token {
    uint64_t start, end;
    uint32_t id;
    uint32_t reserved; /* 0 */
} bipe_token;

/* The status returned by a segmenter's functions. */
enum {
    BIPE_SEGMENTER_OK = 0,
    BIPE_SEGMENTER_MEMORY,   /* out of memory */
    BIPE_SEGMENTER_ARGUMENT, /* open: the argument makes no sense (the text says what was expected) */
    BIPE_SEGMENTER_LIMIT,    /* a bound on time or memory was reached (the text says which) */
    BIPE_SEGMENTER_FAILURE   /* anything else (the text says what) */
};

/* Receives boundaries and the description of a failure. Owned by bipe. */
typedef struct bipe_boundaries {
    uint64_t *offset; /* [count] offsets reported and not yet taken away by bipe */
    size_t count, capacity;
    /* No boundary <= settled will be reported by a later call. bipe sets it to the end of what the segmenter
     * has seen before each call; a segmenter that holds a decision back lowers it before it returns. After a
     * failure it is the place that the error names. */
    uint64_t settled;
    int (*grow)(struct bipe_boundaries *boundaries); /* 0, or BIPE_SEGMENTER_MEMORY */
    char *error;                                     /* one line, NUL-terminated */
    size_t error_size;
    /* What the segmenter has chosen for the document by its text, such as a language; empty: nothing fitted. NULL, as
     * before each document: it has chosen nothing. Lives until the segmenter is closed. */
    const char *choice;
} bipe_boundaries;

/* Reports that a segment ends at `offset`. BIPE_SEGMENTER_OK or BIPE_SEGMENTER_MEMORY. */
static inline int bipe_boundaries_add(bipe_boundaries *boundaries, uint64_t offset)
{
    if (boundaries->count == boundaries->capacity) {
        int status = boundaries->grow(boundaries);
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    boundaries->offset[boundaries->count++] = offset;
    return BIPE_SEGMENTER_OK;
}

/* A set of bytes: byte b is in it when bit b % 64 of word[b / 64] is set. */
typedef struct bipe_byte_set {
    uint64_t word[4];
} bipe_byte_set;

static inline void bipe_byte_set_add(bipe_byte_set *set, uint8_t byte)
{
    set->word[byte / 64] |= (uint64_t)1 << byte % 64;
}

/* A segmenter. Exactly one of `bytes` and `tokens` is set: the former reads the text, the latter the tokens
 * of the tokenizer that the user chose. Functions that are NULL are not called. One state serves one
 * thread; a process may open any number. */
typedef struct bipe_segmenter {
    uint32_t abi;         /* BIPE_SEGMENTER_ABI */
    uint32_t reserved;    /* 0 */
    const char *name;     /* as in -s NAME: letters, digits, '-', '_' */
    const char *argument; /* the text after the colon, for help ("N"); NULL: takes no argument */
    const char *summary;  /* the end of a segment, one line: "a full stop or a newline" */

    /* Makes a state. `argument` is the text after "NAME:", NULL when there is no colon.
     * On failure nothing is left to close, and `error` (error_size bytes) says what was expected. */
    int (*open)(void **state, const char *argument, char *error, size_t error_size);
    /* A document begins; the rest of the previous one is dropped. */
    int (*begin)(void *state);
    /* The next `size` bytes, which start at `offset` of the document. Cut anywhere. */
    int (*bytes)(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries);
    /* The next `count` tokens, spans in increasing order. */
    int (*tokens)(void *state, const bipe_token *tokens, size_t count, bipe_boundaries *boundaries);
    /* The document of `size` bytes is over: report what was held back. */
    int (*end)(void *state, uint64_t size, bipe_boundaries *boundaries);
    void (*close)(void *state);
    /* Optional, for speed, in addition to `bytes`. If segments end after every byte of some set, whatever the
     * context, and nowhere else, adds those bytes to *set (empty at first) and returns 1; otherwise returns 0. Called
     * once, after open. If it returned 1, bipe scans for the bytes itself and calls neither `bytes` nor `end`. */
    int (*separators)(void *state, bipe_byte_set *set);
    /* Optional, for a segmenter that waits for much text before it chooses something for the document, such as a
     * language: it chooses now, by the text so far. Called where what comes next depends on where segments end, as when
     * text is generated; also if it has chosen. */
    int (*choose)(void *state, bipe_boundaries *boundaries);
} bipe_segmenter;

#ifdef __cplusplus
}
#endif
#endif
