/* decoder.c - see decoder.h. */
#include "token/decoder.h"

#include <string.h>

#include "base/alloc.h"

void bipe_decoder_close(bipe_decoder *d)
{
    if (d == NULL)
        return;
    bipe_free(d->text);
    bipe_free(d->end);
    bipe_free(d);
}

static int build_decoder(bipe_decoder *d, bipe_decoder_fill *fill, const void *model, size_t ids, bipe_error *err)
{
    bipe_buffer text = {0};
    d->end = bipe_alloc(ids, sizeof *d->end);
    int status = d->end != NULL ? bipe_buffer_reserve(&text, 1, err) : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = fill(model, &text, d->end, err);
    d->text = text.data;
    return status;
}

int bipe_decoder_find(_Atomic(bipe_decoder *) *slot, const bipe_decoder **found, bipe_decoder_fill *fill,
                      const void *model, size_t ids, bipe_error *err)
{
    bipe_decoder *d = NULL, *made = atomic_load(slot);
    *found = made;
    if (made != NULL)
        return BIPE_OK;
    made = bipe_alloc(1, sizeof *made);
    int status = made != NULL ? build_decoder(made, fill, model, ids, err) : bipe_fail_memory(err);
    if (status == BIPE_OK && atomic_compare_exchange_strong(slot, &d, made)) {
        *found = made;
        return BIPE_OK;
    }
    bipe_decoder_close(made);
    *found = d;
    return status;
}

int bipe_undo_spaces(const void *mark, size_t mark_size, const uint8_t *text, size_t size, bipe_buffer *out,
                     bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < size;) {
        bool found = size - i >= mark_size && memcmp(text + i, mark, mark_size) == 0;
        status = bipe_buffer_append(out, found ? (const void *)" " : text + i, 1, err);
        i += found ? mark_size : 1;
    }
    return status;
}
