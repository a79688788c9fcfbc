/* nfc_check.c - the quick check of normalization form C. */
#include "token/pipeline/nfc_check.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"

/* ---- the table ---- */

bipe_nfc_check *bipe_nfc_check_new(void)
{
    bipe_nfc_check *check = bipe_alloc(1, sizeof *check);
    uint32_t parts[BIPE_HF_DECOMPOSED];
    for (uint32_t code = 0x80; check != NULL && code < BIPE_NFC_TABLE; code++) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        uint8_t class = bipe_hf_combining_class(code);
        size_t n = bipe_hf_decompose(code, false, parts);
        uint32_t whole = parts[0];
        for (size_t i = 1; i < n; i++) {
            whole = whole != 0 ? bipe_hf_compose(whole, parts[i]) : 0;
            if (parts[i] < BIPE_NFC_TABLE)
                check->class[parts[i]] = BIPE_NFC_MAYBE; /* it may be the second of a pair */
        }
        if (check->class[code] != BIPE_NFC_MAYBE)
            check->class[code] = whole == code ? class : BIPE_NFC_MAYBE;
    }
    return check;
}

/* ---- the search ---- */

static uint8_t nfc_class_of(const bipe_nfc_check *check, int32_t code)
{
    return code >= 0 && code < BIPE_NFC_TABLE ? check->class[code] : 0;
}

/* The length of the character at text[at], and its class; 0: it is not all there. */
static size_t look_at(const bipe_nfc_check *check, const uint8_t *text, size_t size, size_t at, bool final,
                      uint8_t *class)
{
    int32_t code = text[at];
    *class = 0;
    if (code < 0x80)
        return 1;
    size_t n = bipe_utf8_decode(text + at, size - at, &code);
    *class = nfc_class_of(check, code);
    return n != 0 ? n : final ? 1 : 0;
}

/* Where the bytes of ASCII from `at` on end. */
static size_t end_of_ascii(const uint8_t *text, size_t size, size_t at)
{
    for (uint64_t eight; at + 8 <= size; at += 8) {
        memcpy(&eight, text + at, 8);
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (at < size && text[at] < 0x80)
        at++;
    return at;
}

enum { LONG_RUN = 64 };

/* Whether a vowel of Korean stands at text[at] after another one, with which it does not become one. */
static bool lone_vowel(const uint8_t *text, size_t size, size_t at)
{
    int32_t before, code;
    return bipe_utf8_decode(text + at, size - at, &code) == 3 && code >= 0x1161 && code <= 0x1175 &&
           bipe_utf8_decode(text + at - 3, 3, &before) == 3 && before >= 0x1161 && before <= 0x1175;
}

bool bipe_nfc_find(const bipe_nfc_check *check, const uint8_t *text, size_t size, size_t at, bool final, size_t *from,
                   size_t *to)
{
    size_t starter = at;
    uint8_t before = 0, class;
    while (at < size) {
        size_t ascii = end_of_ascii(text, size, at);
        if (ascii != at) {
            starter = ascii - 1;
            before = 0;
            at = ascii;
            continue;
        }
        size_t n = look_at(check, text, size, at, final, &class);
        if (n == 0)
            break;
        if (class == 0) {
            starter = at;
        } else if (class == BIPE_NFC_MAYBE || class < before) {
            size_t first = at;
            for (at += n; at < size && (n = look_at(check, text, size, at, final, &class)) != 0 && class != 0; at += n)
                if (at - first > LONG_RUN && lone_vowel(text, size, at))
                    break;
            *from = starter;
            *to = at;
            return at < size ? n != 0 : final;
        }
        before = class;
        at += n;
    }
    *from = final ? size : starter;
    *to = *from;
    return false;
}
