/* step_text.h - common helpers of the steps of a pipeline: characters of a text that may be broken, and members of
 * their JSON. */
#ifndef BIPE_TOKEN_STEP_TEXT_H
#define BIPE_TOKEN_STEP_TEXT_H

#include "token/char_reader.h"
#include "token/json/json_members.h"
#include "token/pipeline/pipeline.h"

/* The character at text[at], at < size: its length (1 to 4), and *code; a byte of a broken one is BIPE_BAD_BYTE +
 * byte. */
static inline size_t bipe_step_char(const uint8_t *text, size_t size, size_t at, uint32_t *code)
{
    if (text[at] < 0x80) {
        *code = text[at];
        return 1;
    }
    return bipe_char_at(text + at, size - at, code);
}

/* The same of the character that ends at text[at), at > 0. */
static inline size_t bipe_step_char_before(const uint8_t *text, size_t at, uint32_t *code)
{
    size_t n = 1;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    if (bipe_step_char(text, at, at - n, code) == n)
        return n;
    *code = BIPE_BAD_BYTE + (uint32_t)text[at - 1];
    return 1;
}

/* Refuses members other than `type`. */
static inline int bipe_step_bare(const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", NULL};
    return bipe_json_only(json, known, err);
}

/* Member `name`, which must be a string of one character. */
static inline int bipe_step_character(const json_t *json, const char *name, uint32_t *code, bipe_error *err)
{
    const json_t *value = json_object_get(json, name);
    const uint8_t *text = (const uint8_t *)json_string_value(value);
    size_t size = json_string_length(value);
    if (size == 0 || bipe_step_char(text, size, 0, code) != size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected a string of one character", name);
    return BIPE_OK;
}

#endif
