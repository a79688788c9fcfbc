/* score_slices.h - key spans in the form of LongPPL's program, "[40351, 40358];[40379, 40380]": characters of a text, a
 * file for each document. They become spans of bytes while the text is read. */
#ifndef BIPE_TOOLS_SCORE_SCORE_SLICES_H
#define BIPE_TOOLS_SCORE_SCORE_SLICES_H

#include "base/buffer.h"
#include "base/input.h"
#include "measure/key_tokens.h"

typedef struct bipe_score_slices {
    const char *path;    /* a FILE, for one document, or a folder: FOLDER/slice_N.txt is of document N, from 0 */
    bool folder;
    bipe_input *input;   /* the present file; a FILE is open from the beginning, */
    bipe_buffer text;    /* and this was read of it */
    uint64_t documents;  /* that were begun */
    char *name;          /* of the present file */
    bipe_key_span *span; /* [count] in characters; what lies before the place in the text is in bytes already */
    size_t count, capacity;
    size_t at;           /* the next end of a span: 2 * i is the start of span i, 2 * i + 1 its end */
    uint64_t characters, bytes; /* of the document so far */
} bipe_score_slices;

/* Reads the spans of the next document. BIPE_ERR_IO; BIPE_ERR_FORMAT; BIPE_ERR_UNSUPPORTED: a FILE has no second
 * one. */
int bipe_score_slices_begin(bipe_score_slices *slices, bipe_error *err);
/* The next bytes of the document, UTF-8. */
void bipe_score_slices_text(bipe_score_slices *slices, const uint8_t *bytes, size_t size);
/* The document is complete: its spans are added. BIPE_ERR_FORMAT: the text ends before a span does. */
int bipe_score_slices_end(bipe_score_slices *slices, uint64_t document, bipe_key_spans *spans, bipe_error *err);
void bipe_score_slices_free(bipe_score_slices *slices);

#endif
