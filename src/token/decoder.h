/* decoder.h - the text of each id of a vocabulary. Most programs never decode, so it is made on the first call. */
#ifndef BIPE_TOKEN_DECODER_H
#define BIPE_TOKEN_DECODER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

/* The text of all ids, one after the other, and where each ends. */
typedef struct bipe_decoder {
    uint8_t *text;
    size_t *end; /* (ids) */
} bipe_decoder;

/* Appends the texts of all ids of a model and sets end[ids]. BIPE_ERR_MEMORY. */
typedef int bipe_decoder_fill(const void *model, bipe_buffer *text, size_t *end, bipe_error *err);

/* The decoder of a model, kept in *slot (NULL before the first call). Of threads that call at once one makes it. */
int bipe_decoder_find(_Atomic(bipe_decoder *) *slot, const bipe_decoder **found, bipe_decoder_fill *fill,
                      const void *model, size_t ids, bipe_error *err);
void bipe_decoder_close(bipe_decoder *decoder);

static inline const uint8_t *bipe_decoder_text(const bipe_decoder *decoder, uint32_t id, size_t *size)
{
    size_t start = id != 0 ? decoder->end[id - 1] : 0;
    *size = decoder->end[id] - start;
    return decoder->text + start;
}

/* Appends the text with each `mark` as a space. */
int bipe_undo_spaces(const void *mark, size_t mark_size, const uint8_t *text, size_t size, bipe_buffer *out,
                     bipe_error *err);

#endif
