/* nfc_check.h - finds the few places of a text that normalization form C changes (Unicode Standard Annex 15, "quick check"), so that the
 * rest need not go through norm_unicode.c, its plain twin. */
#ifndef BIPE_TOKEN_NFC_CHECK_H
#define BIPE_TOKEN_NFC_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BIPE_NFC_TABLE = 0x30000, BIPE_NFC_MAYBE = 255 };

/* Constant once made. */
typedef struct bipe_nfc_check {
    /* Of a character: its combining class if it stays what it is wherever it stands in order; otherwise, and when it may be composed with
     * one before it, BIPE_NFC_MAYBE. Those after the table are starters that stay. */
    uint8_t class[BIPE_NFC_TABLE];
} bipe_nfc_check;

/* NULL when memory is exhausted; released with bipe_free(). */
bipe_nfc_check *bipe_nfc_check_new(void);

/* Looks at text[at .. size), at the start of which stands a starter that stays, or where nothing before counts. True: [*from, *to) is to be
 * normalized by itself, all before it and what follows until the next such place stays. False: all up to *from stays, whatever
 * comes after; what is left has to wait for more, but when the text ends there (final: then *from is `size`). */
bool bipe_nfc_find(const bipe_nfc_check *check, const uint8_t *text, size_t size, size_t at, bool final, size_t *from, size_t *to);

#endif
