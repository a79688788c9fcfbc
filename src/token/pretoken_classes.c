/* pretoken_classes.c - fills the table of classes from utf8proc. */
#include "token/pretoken_classes.h"

#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/utf8.h"

static uint8_t class_of(int32_t code, bool marks)
{
    switch (utf8proc_get_property(code)->category) {
    case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LT:
        return BIPE_CHAR_LETTER | BIPE_CHAR_UPPER;
    case UTF8PROC_CATEGORY_LL:
        return BIPE_CHAR_LETTER | BIPE_CHAR_LOWER;
    case UTF8PROC_CATEGORY_LM: case UTF8PROC_CATEGORY_LO:
        return BIPE_CHAR_LETTER | BIPE_CHAR_UPPER | BIPE_CHAR_LOWER;
    case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC: case UTF8PROC_CATEGORY_ME:
        return BIPE_CHAR_UPPER | BIPE_CHAR_LOWER | (marks ? BIPE_CHAR_LETTER : 0);
    case UTF8PROC_CATEGORY_ND: case UTF8PROC_CATEGORY_NL: case UTF8PROC_CATEGORY_NO:
        return BIPE_CHAR_NUMBER;
    case UTF8PROC_CATEGORY_ZS: case UTF8PROC_CATEGORY_ZL: case UTF8PROC_CATEGORY_ZP: case UTF8PROC_CATEGORY_CC:
        return (bipe_is_white_space(code) ? BIPE_CHAR_WHITE : 0) | (code == '\n' || code == '\r' ? BIPE_CHAR_NEWLINE : 0);
    default: /* no white space has another category */
        return 0;
    }
}

int bipe_char_classes_open_with(bipe_char_classes *c, bool (*number)(uint32_t code), bool marks)
{
    for (size_t block = 0; block < sizeof c->block / sizeof *c->block; block++) {
        uint8_t bits[256];
        for (size_t i = 0; i < sizeof bits; i++)
            bits[i] = number != NULL && number((uint32_t)(block << 8 | i)) ? BIPE_CHAR_NUMBER : class_of((int32_t)(block << 8 | i), marks);
        if (c->blocks == 0 || memcmp(c->bits + (c->blocks - 1) * sizeof bits, bits, sizeof bits) != 0) {
            if (bipe_grow(&c->bits, &c->capacity, (c->blocks + 1) * sizeof bits, 1) != 0)
                return -1;
            memcpy(c->bits + c->blocks++ * sizeof bits, bits, sizeof bits);
        }
        c->block[block] = (uint16_t)(c->blocks - 1);
    }
    return 0;
}

int bipe_char_classes_open(bipe_char_classes *c)
{
    return bipe_char_classes_open_with(c, NULL, false);
}

void bipe_char_classes_free(bipe_char_classes *c)
{
    bipe_free(c->bits);
    c->bits = NULL;
    c->blocks = c->capacity = 0;
}
