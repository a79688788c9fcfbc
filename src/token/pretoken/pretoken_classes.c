/* pretoken_classes.c - fills the table of classes from the general categories of Unicode 16.0. */
#include "token/pretoken/pretoken_classes.h"

#include <string.h>

#include "base/alloc.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum { BLOCK = 256, CODES = 0x110000 };

static uint8_t split_class_of(bipe_category category, bool marks)
{
    switch (category) {
    case BIPE_LU: case BIPE_LT:
        return BIPE_CHAR_LETTER | BIPE_CHAR_UPPER;
    case BIPE_LL:
        return BIPE_CHAR_LETTER | BIPE_CHAR_LOWER;
    case BIPE_LM: case BIPE_LO:
        return BIPE_CHAR_LETTER | BIPE_CHAR_UPPER | BIPE_CHAR_LOWER;
    case BIPE_MN: case BIPE_MC: case BIPE_ME:
        return BIPE_CHAR_UPPER | BIPE_CHAR_LOWER | (marks ? BIPE_CHAR_LETTER : 0);
    case BIPE_ND: case BIPE_NL: case BIPE_NO:
        return BIPE_CHAR_NUMBER;
    case BIPE_ZS: case BIPE_ZL: case BIPE_ZP:
        return BIPE_CHAR_WHITE;
    default: /* of these, a few controls are white space */
        return 0;
    }
}

/* The same in a table with kana, but for what is kana. */
static uint8_t class_beside_kana(bipe_category category)
{
    uint8_t class = split_class_of(category, true) & (BIPE_CHAR_LETTER | BIPE_CHAR_NUMBER | BIPE_CHAR_WHITE);
    return class != 0 || (category >= BIPE_PC && category <= BIPE_SO) ? class : BIPE_CHAR_NONE;
}

static bool is_kana(int32_t code)
{
    return (code >= 0x4E00 && code <= 0x9FA5) || (code >= 0x3040 && code <= 0x30FF);
}

/* The classes of a block of characters. */
static void fill_block(uint8_t *bits, int32_t first, bool (*number)(uint32_t code), bool marks, bool kana)
{
    for (int32_t code = first, end; code < first + BLOCK; code = end) {
        bipe_category category = bipe_unicode_category_run(code, &end);
        uint8_t class = kana ? class_beside_kana(category) : split_class_of(category, marks);
        end = end < first + BLOCK ? end : first + BLOCK;
        memset(bits + (code - first), class, (size_t)(end - code));
    }
    for (int32_t i = 0; first == 0 && i < BLOCK; i++)
        if (bipe_is_white_space(i))
            bits[i] = BIPE_CHAR_WHITE | (i == '\n' || i == '\r' ? BIPE_CHAR_NEWLINE : 0);
    for (int32_t i = 0; number != NULL && i < BLOCK; i++)
        if (number((uint32_t)(first + i)))
            bits[i] = BIPE_CHAR_NUMBER;
    for (int32_t i = 0; kana && i < BLOCK; i++)
        bits[i] |= is_kana(first + i) ? BIPE_CHAR_KANA : 0;
}

int bipe_char_classes_open(bipe_char_classes *c, bool (*number)(uint32_t code), bool marks, bool kana)
{
    for (size_t block = 0; block < CODES / BLOCK; block++) {
        uint8_t bits[BLOCK];
        fill_block(bits, (int32_t)(block * BLOCK), number, marks, kana);
        if (c->blocks == 0 || memcmp(c->bits + (c->blocks - 1) * sizeof bits, bits, sizeof bits) != 0) {
            if (bipe_grow(&c->bits, &c->capacity, (c->blocks + 1) * sizeof bits, 1) != 0)
                return -1;
            memcpy(c->bits + c->blocks++ * sizeof bits, bits, sizeof bits);
        }
        c->block[block] = (uint16_t)(c->blocks - 1);
    }
    return 0;
}

void bipe_char_classes_free(bipe_char_classes *c)
{
    bipe_free(c->bits);
    c->bits = NULL;
    c->blocks = c->capacity = 0;
}
