/* unicode.h - general categories of Unicode 16.0, whatever version utf8proc and PCRE2 follow. */
#ifndef BIPE_TEXT_UNICODE_H
#define BIPE_TEXT_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* Not assigned, letters, marks, numbers, punctuation, symbols, separators, others. */
typedef enum bipe_category {
    BIPE_CN,
    BIPE_LU, BIPE_LL, BIPE_LT, BIPE_LM, BIPE_LO,
    BIPE_MN, BIPE_MC, BIPE_ME,
    BIPE_ND, BIPE_NL, BIPE_NO,
    BIPE_PC, BIPE_PD, BIPE_PS, BIPE_PE, BIPE_PI, BIPE_PF, BIPE_PO,
    BIPE_SM, BIPE_SC, BIPE_SK, BIPE_SO,
    BIPE_ZS, BIPE_ZL, BIPE_ZP,
    BIPE_CC, BIPE_CF, BIPE_CS, BIPE_CO
} bipe_category;

/* Codes below 0 and above 0x10FFFF are not assigned. */
bipe_category bipe_unicode_category(int32_t code);

/* Letters, marks, numbers, punctuation and symbols. */
static inline bool bipe_is_visible(bipe_category category)
{
    return category > BIPE_CN && category < BIPE_ZS;
}

/* The category of a character, 0 .. 0x10FFFF. *end: characters before that one are of the same category. */
bipe_category bipe_unicode_category_run(int32_t code, int32_t *end);

#endif
