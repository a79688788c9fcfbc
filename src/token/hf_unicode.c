/* hf_unicode.c - categories of Unicode 16.0 and utf8proc's other properties of characters, and the exceptions that make them those of
 * Hugging Face's library.
 *
 * A utf8proc of a later Unicode than 15.0 would know decompositions and capitals that the tables below leave to it. */
#include "token/hf_unicode.h"

#include <utf8proc.h>

#include "text/unicode.h"
#include "text/utf8.h"

typedef struct range {
    uint32_t first, last;
} range;

/* Characters that came after Unicode 9.0 (to 16.0; also unassigned ones between them), and those of 9.0 or marks since
 * then: several tables of the library are of 9.0 or 8.0. */
static const range after_9[] = {
    {0x0560, 0x0560}, {0x0588, 0x0588}, {0x05EF, 0x05EF}, {0x061D, 0x061D}, {0x07FD, 0x07FF}, {0x0860, 0x089F}, {0x08B5, 0x08B5},
    {0x08BE, 0x08D3}, {0x09FC, 0x09FE}, {0x0A76, 0x0A76}, {0x0AFA, 0x0AFF}, {0x0B55, 0x0B55}, {0x0C04, 0x0C04}, {0x0C3C, 0x0C3C},
    {0x0C5D, 0x0C5D}, {0x0C77, 0x0C77}, {0x0C84, 0x0C84}, {0x0CDD, 0x0CDD}, {0x0CF3, 0x0D00}, {0x0D04, 0x0D04}, {0x0D3B, 0x0D3C},
    {0x0D81, 0x0D81}, {0x0E86, 0x0E86}, {0x0E89, 0x0E89}, {0x0E8C, 0x0E8C}, {0x0E8E, 0x0E93}, {0x0E98, 0x0E98}, {0x0EA0, 0x0EA0},
    {0x0EA8, 0x0EA9}, {0x0EAC, 0x0EAC}, {0x0EBA, 0x0EBA}, {0x0ECE, 0x0ECE}, {0x170D, 0x170D}, {0x1715, 0x171F}, {0x180F, 0x180F},
    {0x1878, 0x1878}, {0x1ABF, 0x1ACE}, {0x1B4C, 0x1B4F}, {0x1B7D, 0x1B7F}, {0x1C89, 0x1CBF}, {0x1CF7, 0x1CF7}, {0x1CFA, 0x1CFA},
    {0x1DF6, 0x1DFA}, {0x20BF, 0x20C0}, {0x23FF, 0x23FF}, {0x2427, 0x2429}, {0x2B97, 0x2B97}, {0x2BBA, 0x2BBC}, {0x2BC9, 0x2BC9},
    {0x2BD2, 0x2BEB}, {0x2BF0, 0x2BFF}, {0x2C2F, 0x2C2F}, {0x2C5F, 0x2C5F}, {0x2E45, 0x2E5D}, {0x2FFC, 0x2FFF}, {0x312E, 0x312F},
    {0x31BB, 0x31BF}, {0x31E4, 0x31EF}, {0x32FF, 0x32FF}, {0x4DB6, 0x4DBF}, {0x9FD6, 0x9FFF}, {0xA7AF, 0xA7AF}, {0xA7B8, 0xA7F6},
    {0xA82C, 0xA82C}, {0xA8FE, 0xA8FF}, {0xAB66, 0xAB6B}, {0xFBC2, 0xFBC2}, {0xFD40, 0xFD4F}, {0xFDCF, 0xFDCF}, {0xFDFE, 0xFDFF},
    {0x1019C, 0x1019C}, {0x1032D, 0x1032F}, {0x10570, 0x105F3}, {0x10780, 0x107BA}, {0x10A34, 0x10A35}, {0x10A48, 0x10A48},
    {0x10D00, 0x10D8F}, {0x10E80, 0x10FF6}, {0x11070, 0x11075}, {0x110C2, 0x110CD}, {0x11144, 0x11147}, {0x111CE, 0x111CF},
    {0x1123F, 0x11241}, {0x1133B, 0x1133B}, {0x11380, 0x113E2}, {0x1145A, 0x1145A}, {0x1145E, 0x11461}, {0x116B8, 0x116B9},
    {0x116D0, 0x116E3}, {0x1171A, 0x1171A}, {0x11740, 0x1183B}, {0x11900, 0x11ABF}, {0x11B00, 0x11BF9}, {0x11D00, 0x11FFF},
    {0x12F90, 0x12FF2}, {0x1342F, 0x143FA}, {0x16100, 0x16139}, {0x16A70, 0x16AC9}, {0x16D40, 0x16E9A}, {0x16F45, 0x16F4F},
    {0x16F7F, 0x16F87}, {0x16FE1, 0x16FF1}, {0x187ED, 0x187F7}, {0x18AF3, 0x18D08}, {0x1AFF0, 0x1AFFE}, {0x1B002, 0x1B2FB},
    {0x1CC00, 0x1CFC3}, {0x1D1E9, 0x1D1EA}, {0x1D2C0, 0x1D2F3}, {0x1D372, 0x1D378}, {0x1DF00, 0x1DF2A}, {0x1E030, 0x1E7FE},
    {0x1E94B, 0x1E94B}, {0x1EC71, 0x1ED3D}, {0x1F10D, 0x1F10F}, {0x1F12F, 0x1F12F}, {0x1F16C, 0x1F16F}, {0x1F1AD, 0x1F1AD},
    {0x1F260, 0x1F265}, {0x1F6D3, 0x1F6DF}, {0x1F6F7, 0x1F6FC}, {0x1F774, 0x1F77F}, {0x1F7D5, 0x1F7F0}, {0x1F8B0, 0x1F90F},
    {0x1F91F, 0x1F91F}, {0x1F928, 0x1F92F}, {0x1F931, 0x1F932}, {0x1F93F, 0x1F93F}, {0x1F94C, 0x1F94F}, {0x1F95F, 0x1F97F},
    {0x1F992, 0x1F9BF}, {0x1F9C1, 0x1FBF9}, {0x2A6D7, 0x2A6DF}, {0x2B735, 0x2B739}, {0x2CEB0, 0x2EE5D}, {0x30000, 0x323AF}
};
static const range of_9[] = {
    {0x08D4, 0x08E2}, {0x1885, 0x1886}, {0x1DFB, 0x1DFB}, {0x2E43, 0x2E44}, {0xA8C5, 0xA8C5}, {0xA9BD, 0xA9BD}, {0x1123E, 0x1123E},
    {0x11438, 0x1145D}, {0x11660, 0x1166C}, {0x11C30, 0x11CB6}, {0x1E000, 0x1E02A}, {0x1E944, 0x1E95F}
};

/* Nd, Nl, No since (Rust: Unicode 17). */
static const range more_numeric[] = {
    {0x11DE0, 0x11DE9}, {0x16FF4, 0x16FF6}
};

/* \w beyond L*, M*, Nd, Nl, Pc: the rest of Other_Alphabetic, and Join_Control. */
static const range more_word[] = {
    {0x200C, 0x200D}, {0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}
};

static const range cjk[] = {
    {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
    {0x2F800, 0x2FA1F}
};

/* Capitals since Unicode 15.0 (Rust: Unicode 17): a small letter for one, or for each of a range with the same distance. */
static const struct {
    uint32_t first, last, lower;
} more_capitals[] = {
    {0x1C89, 0x1C89, 0x1C8A}, {0xA7CB, 0xA7CB, 0x0264}, {0xA7CC, 0xA7CC, 0xA7CD}, {0xA7CE, 0xA7CE, 0xA7CF}, {0xA7D2, 0xA7D2, 0xA7D3},
    {0xA7D4, 0xA7D4, 0xA7D5}, {0xA7DA, 0xA7DA, 0xA7DB}, {0xA7DC, 0xA7DC, 0x019B}, {0x10D50, 0x10D65, 0x10D70}, {0x16EA0, 0x16EB8, 0x16EBB}
};

#define IN(table, code) in_table(table, sizeof(table) / sizeof *(table), code)

/* Is code in one of the ranges, which are in order? */
static bool in_table(const range *table, size_t count, uint32_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > table[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= table[low].first;
}

/* The general category as a bit; 0 for what is no character. */
static uint32_t category_bit(uint32_t code)
{
    return code < 0x110000 ? UINT32_C(1) << bipe_unicode_category((int32_t)code) : 0;
}

#define BIT(name) (UINT32_C(1) << BIPE_##name)
#define LETTERS (BIT(LU) | BIT(LL) | BIT(LT) | BIT(LM) | BIT(LO))
#define MARKS (BIT(MN) | BIT(MC) | BIT(ME))
#define PUNCTUATION (BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO))

bool bipe_hf_is_new(uint32_t code)
{
    return IN(after_9, code);
}

static bool is_after_8(uint32_t code)
{
    return IN(after_9, code) || IN(of_9, code);
}

static bool is_ascii_letter(uint32_t code)
{
    return (code | 32) >= 'a' && (code | 32) <= 'z';
}

bool bipe_hf_is_space(uint32_t code)
{
    return code < 0x110000 && bipe_is_white_space((int32_t)code);
}

bool bipe_hf_is_numeric(uint32_t code)
{
    if (code < 0x80)
        return code >= '0' && code <= '9';
    return (category_bit(code) & (BIT(ND) | BIT(NL) | BIT(NO))) != 0 || IN(more_numeric, code);
}

bool bipe_hf_is_punctuation(uint32_t code)
{
    if (code < 0x80)
        return code > ' ' && code < 0x7F && !is_ascii_letter(code) && !(code >= '0' && code <= '9');
    if (code == 0x166D || code == 0x111C9)
        return true;
    return (category_bit(code) & PUNCTUATION) != 0 && !is_after_8(code);
}

bool bipe_hf_is_word(uint32_t code)
{
    if (code < 0x80)
        return is_ascii_letter(code) || (code >= '0' && code <= '9') || code == '_';
    return (category_bit(code) & (LETTERS | MARKS | BIT(ND) | BIT(NL) | BIT(PC))) != 0 || IN(more_word, code);
}

bool bipe_hf_is_other(uint32_t code)
{
    if (code < 0x80)
        return code < ' ' || code == 0x7F;
    return (category_bit(code) & (BIT(CC) | BIT(CF) | BIT(CO))) != 0 && !is_after_8(code);
}

bool bipe_hf_is_mark(uint32_t code)
{
    if (code < 0x300 || code == 0x111C9)
        return false;
    return ((category_bit(code) & MARKS) != 0 && !bipe_hf_is_new(code)) || code == 0x1CF2 || code == 0x1CF3;
}

bool bipe_hf_is_nonspacing(uint32_t code)
{
    if (code < 0x300 || code == 0x111C9)
        return false;
    return ((category_bit(code) & BIT(MN)) != 0 && !is_after_8(code)) || code == 0x1734 || code == 0x1171E;
}

bool bipe_hf_is_cjk(uint32_t code)
{
    return code >= 0x3400 && IN(cjk, code);
}

size_t bipe_hf_lower(uint32_t code, uint32_t lower[BIPE_HF_LOWER])
{
    lower[0] = code;
    if (code < 0x80) {
        if (code >= 'A' && code <= 'Z')
            lower[0] = code + 32;
        return 1;
    }
    if (code == 0x130) { /* the only one of two characters: i, and the dot that must not be lost */
        lower[0] = 'i';
        lower[1] = 0x307;
        return 2;
    }
    for (size_t i = 0; i < sizeof more_capitals / sizeof *more_capitals; i++)
        if (code >= more_capitals[i].first && code <= more_capitals[i].last) {
            lower[0] = more_capitals[i].lower + (code - more_capitals[i].first);
            return 1;
        }
    if (code < 0x110000)
        lower[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    return 1;
}

uint8_t bipe_hf_combining_class(uint32_t code)
{
    if (code < 0x300 || code >= 0x110000)
        return 0;
    uint8_t class = (uint8_t)utf8proc_get_property((utf8proc_int32_t)code)->combining_class;
    return class != 0 && bipe_hf_is_new(code) ? 0 : class;
}

size_t bipe_hf_decompose(uint32_t code, bool compatibility, uint32_t parts[BIPE_HF_DECOMPOSED])
{
    parts[0] = code;
    if (code < 0xA0 || code >= 0x110000 || bipe_hf_is_new(code))
        return 1;
    utf8proc_int32_t out[BIPE_HF_DECOMPOSED];
    int last_class = 0;
    utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatibility ? UTF8PROC_COMPAT : 0);
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, out, BIPE_HF_DECOMPOSED, options, &last_class);
    if (n < 1 || n > BIPE_HF_DECOMPOSED)
        return 1;
    for (utf8proc_ssize_t i = 0; i < n; i++)
        parts[i] = (uint32_t)out[i];
    return (size_t)n;
}

uint32_t bipe_hf_compose(uint32_t first, uint32_t second)
{
    /* No character below U+00C0 is a composite, and none is the second part of one below U+0300. */
    if (second < 0x300 || first >= 0x110000 || second >= 0x110000)
        return 0;
    utf8proc_int32_t pair[2] = {(utf8proc_int32_t)first, (utf8proc_int32_t)second};
    utf8proc_ssize_t n = utf8proc_normalize_utf32(pair, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n != 1 || bipe_hf_is_new((uint32_t)pair[0]))
        return 0;
    return (uint32_t)pair[0];
}
