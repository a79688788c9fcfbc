/* spm_words.c - words of a SentencePiece model of type word. */
#include "token/spm/spm_words.h"

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/char_reader.h"

enum { BLOCK = 0x2581 }; /* ▁, which the text itself may have as well */

void bipe_spm_words_begin(bipe_spm_words *w)
{
    w->count = w->text.size = 0;
    w->unknown = false;
}

/* What is held is unknown, and what comes until the word ends. */
static int give_up(bipe_spm_words *w, bipe_error *err)
{
    size_t count = w->count;
    w->count = 0;
    w->unknown = true;
    return count != 0 ? w->sink(w->context, BIPE_NO_PIECE, w->unit, count, err) : BIPE_OK;
}

int bipe_spm_words_end(bipe_spm_words *w, bipe_error *err)
{
    int64_t id = BIPE_NO_PIECE;
    if (w->count != 0)
        id = bipe_vocabulary_find(w->vocabulary, w->text.data, w->text.size);
    int status = w->count != 0 ? w->sink(w->context, id, w->unit, w->count, err) : BIPE_OK;
    bipe_spm_words_begin(w);
    return status;
}

int bipe_spm_words_push(bipe_spm_words *w, bipe_unit unit, bipe_error *err)
{
    int status = unit.code == BLOCK ? bipe_spm_words_end(w, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    if (w->unknown)
        return w->sink(w->context, BIPE_NO_PIECE, &unit, 1, err);
    if (bipe_grow(&w->unit, &w->capacity, w->count + 1, sizeof *w->unit) != 0)
        return bipe_fail_memory(err);
    w->unit[w->count++] = unit;
    if (unit.code >= BIPE_BAD_BYTE)
        return give_up(w, err);
    uint8_t bytes[4];
    status = bipe_buffer_append(&w->text, bytes, bipe_utf8_encode((int32_t)unit.code, bytes), err);
    return status == BIPE_OK && w->text.size > w->longest ? give_up(w, err) : status;
}

void bipe_spm_words_free(bipe_spm_words *w)
{
    bipe_free(w->unit);
    bipe_buffer_free(&w->text);
    w->unit = NULL;
    w->count = w->capacity = 0;
}
