/* cut_letters.c - letters of any script that stand by themselves. */
#include "token/pipeline/cut_letters.h"

#include <utf8proc.h>

#include "token/hf_unicode.h"
#include "token/pipeline/pipeline.h"

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
