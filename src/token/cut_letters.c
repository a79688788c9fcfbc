/* cut_letters.c - letters of any script that stand by themselves, and what words are cut between. */
#include "token/cut_letters.h"

#include <utf8proc.h>

#include "token/hf_unicode.h"
#include "token/pipeline.h"

static bool is_mark(const utf8proc_property_t *p)
{
    return p->category == UTF8PROC_CATEGORY_MN || p->category == UTF8PROC_CATEGORY_MC || p->category == UTF8PROC_CATEGORY_ME;
}

/* A letter like that, before anybody takes it apart. What the steps of the library take for a mark is none. */
static bool is_plain(uint32_t code)
{
    if (code >= BIPE_CUT_LETTER_END || (code >= 0xFB00 && code < 0x10000))
        return false;
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
    switch (p->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LO:
        break;
    default:
        return false;
    }
    switch (p->boundclass) {
    case UTF8PROC_BOUNDCLASS_OTHER:
    case UTF8PROC_BOUNDCLASS_L:
    case UTF8PROC_BOUNDCLASS_V:
    case UTF8PROC_BOUNDCLASS_T:
    case UTF8PROC_BOUNDCLASS_LV:
    case UTF8PROC_BOUNDCLASS_LVT:
        break;
    default:
        return false;
    }
    return !bipe_hf_is_cjk(code) && !bipe_hf_is_mark(code) && !bipe_hf_is_nonspacing(code) && bipe_hf_combining_class(code) == 0;
}

bool bipe_is_cut_letter(uint32_t code)
{
    if (code < 0x80)
        return (code | 32) >= 'a' && (code | 32) <= 'z';
    uint32_t parts[BIPE_HF_DECOMPOSED];
    if (!is_plain(code))
        return false;
    size_t n = bipe_hf_decompose(code, true, parts);
    bool good = is_plain(parts[0]);
    for (size_t i = 1; good && i < n; i++)
        good = is_plain(parts[i]) || is_mark(utf8proc_get_property((utf8proc_int32_t)parts[i]));
    return good;
}

bool bipe_is_cut_tail(uint32_t code)
{
    return bipe_is_cut_letter(code) || (code < 0x110000 && is_mark(utf8proc_get_property((utf8proc_int32_t)code)));
}

/* ---- within words ---- */

static bool is_jamo(uint32_t code)
{
    int class = utf8proc_get_property((utf8proc_int32_t)code)->boundclass;
    return class == UTF8PROC_BOUNDCLASS_L || class == UTF8PROC_BOUNDCLASS_V || class == UTF8PROC_BOUNDCLASS_T;
}

/* A character of a word for all that ask. */
static bool is_of_word(uint32_t code)
{
    return bipe_hf_is_word(code) && !bipe_hf_is_punctuation(code) && !bipe_hf_is_numeric(code) && !bipe_hf_is_space(code) &&
           !bipe_hf_is_other(code);
}

/* And so is all that it becomes in lower case. */
static bool stays_of_word(uint32_t code)
{
    uint32_t lower[BIPE_HF_LOWER];
    size_t n = bipe_hf_lower(code, lower);
    bool good = is_of_word(code);
    for (size_t i = 0; good && i < n; i++)
        good = is_of_word(lower[i]);
    return good;
}

bool bipe_is_join_letter(uint32_t code)
{
    if (code < 0x80)
        return bipe_is_cut_letter(code);
    bool syllable = code >= 0xAC00 && code <= 0xD7A3;
    if (!bipe_is_cut_letter(code) || is_jamo(code) || !stays_of_word(code))
        return false;
    uint32_t parts[BIPE_HF_DECOMPOSED];
    size_t n = bipe_hf_decompose(code, true, parts);
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = stays_of_word(parts[i]) && (syllable || !is_jamo(parts[i]));
    return good;
}

bool bipe_is_join_ideograph(uint32_t code)
{
    uint32_t parts[BIPE_HF_DECOMPOSED];
    return code < BIPE_CUT_LETTER_END && bipe_hf_is_cjk(code) && is_of_word(code) && bipe_hf_decompose(code, true, parts) == 1 &&
           bipe_hf_is_cjk(parts[0]) && is_of_word(parts[0]);
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

bool bipe_is_join(uint32_t code)
{
    return is_digit(code) || bipe_is_join_letter(code) || bipe_is_join_ideograph(code);
}

unsigned bipe_join_between(uint32_t before, uint32_t behind)
{
    if (is_digit(before) && is_digit(behind))
        return BIPE_JOIN_DIGITS;
    if (bipe_is_join_letter(before) && bipe_is_join_letter(behind))
        return before < 0x80 && behind < 0x80 ? BIPE_JOIN_LETTERS : BIPE_JOIN_WORD;
    return bipe_is_join_ideograph(before) && bipe_is_join_ideograph(behind) ? BIPE_JOIN_HAN : 0U;
}
