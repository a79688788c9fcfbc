/* nfc_check.h - finds the few positions of a text that normalization form C changes (Unicode Standard Annex 15, "quick
 * check"), so that the rest need not go through norm_unicode.c, its plain twin. */
#ifndef BIPE_TOKEN_NFC_CHECK_H
#define BIPE_TOKEN_NFC_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BIPE_NFC_TABLE = 0x30000, BIPE_NFC_MAYBE = 255 };

/* Constant once made. */
typedef struct bipe_nfc_check {
    /* Of a character: its combining class if it never changes where marks are in order; BIPE_NFC_MAYBE if it can change
     * or compose with one before it. Characters after the table are starters that never change. */
    uint8_t class[BIPE_NFC_TABLE];
} bipe_nfc_check;

/* NULL when memory is exhausted; released with bipe_free(). */
bipe_nfc_check *bipe_nfc_check_new(void);

/* Checks text[at .. size), which begins with a starter that never changes, or at the start of the text. True: [*from,
 * *to) must be normalized, by itself; the text before it stays. False: the text up to *from stays, whatever follows;
 * the rest needs more text, unless the text ends here (final: *from is `size`). */
bool bipe_nfc_find(const bipe_nfc_check *check, const uint8_t *text, size_t size, size_t at, bool final, size_t *from,
                   size_t *to);

#endif
