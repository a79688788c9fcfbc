/* utf8.c - writing and cutting UTF-8, and classes of characters. */
#include "text/utf8.h"

#include <string.h>
#include <utf8proc.h>

#include "text/break_class.h"

size_t bipe_utf8_ascii(const uint8_t *s, size_t n)
{
    size_t i = 0;
    uint64_t w[8];
    for (; n - i >= sizeof w; i += sizeof w) {
        memcpy(w, s + i, sizeof w);
        if (((w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    for (; n - i >= sizeof *w; i += sizeof *w) {
        memcpy(w, s + i, sizeof *w);
        if ((*w & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (i < n && s[i] < 0x80)
        i++;
    return i;
}

size_t bipe_utf8_encode(int32_t code, uint8_t bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (uint8_t)(0xC0 | code >> 6);
        bytes[1] = (uint8_t)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        bytes[0] = (uint8_t)(0xE0 | code >> 12);
        bytes[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (uint8_t)(0x80 | (code & 0x3F));
        return 3;
    }
    bytes[0] = (uint8_t)(0xF0 | code >> 18);
    bytes[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    bytes[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    bytes[3] = (uint8_t)(0x80 | (code & 0x3F));
    return 4;
}

bool bipe_is_utf8(const uint8_t *bytes, size_t size)
{
    int32_t code = 0;
    for (size_t i = 0; code >= 0 && i < size;)
        i += bytes[i] < 0x80 ? bipe_utf8_ascii(bytes + i, size - i) : bipe_utf8_decode(bytes + i, size - i, &code);
    return code >= 0;
}

size_t bipe_utf8_complete(const uint8_t *bytes, size_t size)
{
    /* A character that has begun has its first byte among the last three. */
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        int32_t code;
        if ((bytes[size - back] & 0xC0) == 0x80)
            continue;
        return bipe_utf8_decode(bytes + size - back, back, &code) == 0 ? size - back : size;
    }
    return size;
}

static bool is_ascii_word(int32_t code)
{
    return ((code | 0x20) >= 'a' && (code | 0x20) <= 'z') || code == '_' || (code >= '0' && code <= '9');
}

/* utf8proc's numbers of categories are in order. */
bool bipe_is_letter(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool bipe_is_word(int32_t code)
{
    return code < 0x80 ? is_ascii_word(code) : bipe_is_written(code);
}

/* White_Space of Unicode's PropList, which has not changed since version 6.3. */
bool bipe_is_white_space(int32_t code)
{
    if (code < 0x80)
        return code == ' ' || (code >= '\t' && code <= '\r');
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool bipe_is_blank(int32_t code)
{
    return code != '\n' && bipe_is_white_space(code);
}

void bipe_utf8_tally_add(bipe_utf8_tally *tally, const uint8_t *bytes, size_t size)
{
    if (tally->bytes >= BIPE_UTF8_TALLIED)
        return;
    size = size < BIPE_UTF8_TALLIED ? size : BIPE_UTF8_TALLIED;
    tally->bytes += size;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = bytes[i];
        if (tally->missing > 0 && (byte & 0xC0) == 0x80) {
            tally->characters += --tally->missing == 0;
            continue;
        }
        tally->wrong += tally->missing > 0;
        tally->missing = byte < 0xC2 || byte > 0xF4 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
        bool control = byte < 0x20 && !(byte >= '\t' && byte <= '\r') && byte != 0x1B;
        tally->controls += control;
        tally->wrong += byte >= 0x80 && tally->missing == 0;
    }
}

bool bipe_utf8_mostly_wrong(const bipe_utf8_tally *tally)
{
    uint64_t wrong = tally->wrong + (tally->controls > tally->bytes / 8 ? tally->controls : 0);
    return wrong > tally->characters && wrong >= tally->bytes / 100;
}
