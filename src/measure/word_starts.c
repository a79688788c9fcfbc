/* word_starts.c - finds where words begin; see word_starts.h. */
#include "measure/word_starts.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"

void bipe_word_starts_begin(bipe_word_starts *words)
{
    words->count = words->taken = 0;
    words->settled = 0;
    words->in_word = false;
    words->carry_size = 0;
}

/* One character of `size` bytes at words->settled. */
static int word_character(bipe_word_starts *words, int32_t code, size_t size, bipe_error *err)
{
    bool space = code >= 0 && (code == '\n' || bipe_is_blank(code));
    if (!space && !words->in_word) {
        if (words->taken > 0 && words->count == words->capacity) {
            words->count -= words->taken;
            memmove(words->offset, words->offset + words->taken, words->count * sizeof *words->offset);
            words->taken = 0;
        }
        if (bipe_grow(&words->offset, &words->capacity, words->count + 1, sizeof *words->offset) != 0)
            return bipe_fail_memory(err);
        words->offset[words->count++] = words->settled;
    }
    words->in_word = !space;
    words->settled += size;
    return BIPE_OK;
}

/* Completes a character that was cut by the end of the previous bytes, as far as possible. */
static int drain_carry(bipe_word_starts *words, bipe_error *err)
{
    while (words->carry_size > 0) {
        int32_t code;
        size_t used = bipe_utf8_decode(words->carry, words->carry_size, &code);
        if (used == 0)
            return BIPE_OK;
        int status = word_character(words, code, used, err);
        if (status != BIPE_OK)
            return status;
        words->carry_size -= used;
        memmove(words->carry, words->carry + used, words->carry_size);
    }
    return BIPE_OK;
}

int bipe_word_starts_feed(bipe_word_starts *words, const uint8_t *bytes, size_t size, bipe_error *err)
{
    size_t at = 0;
    while (words->carry_size > 0 && at < size) {
        words->carry[words->carry_size++] = bytes[at++];
        int status = drain_carry(words, err);
        if (status != BIPE_OK)
            return status;
    }
    while (at < size) {
        int32_t code = bytes[at];
        size_t used = bytes[at] < 0x80 ? 1 : bipe_utf8_decode(bytes + at, size - at, &code);
        if (used == 0) { /* at most 3 bytes */
            words->carry_size = size - at;
            memcpy(words->carry, bytes + at, size - at);
            return BIPE_OK;
        }
        int status = word_character(words, code, used, err);
        if (status != BIPE_OK)
            return status;
        at += used;
    }
    return BIPE_OK;
}

int bipe_word_starts_end(bipe_word_starts *words, bipe_error *err)
{
    for (; words->carry_size > 0; words->carry_size--) {
        int status = word_character(words, -1, 1, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

uint64_t bipe_word_starts_take(bipe_word_starts *words, uint64_t start, uint64_t end)
{
    uint64_t found = 0;
    for (; words->taken < words->count && words->offset[words->taken] < end; words->taken++)
        found += words->offset[words->taken] >= start;
    if (words->taken == words->count)
        words->taken = words->count = 0;
    return found;
}

void bipe_word_starts_free(bipe_word_starts *words)
{
    bipe_free(words->offset);
    *words = (bipe_word_starts){ 0 };
}
