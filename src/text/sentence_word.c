/* sentence_word.c - numbers, initials, numerals and markers of items; see sentence_word.h. */
#include "text/sentence_word.h"

#include <string.h>

#include "text/utf8.h"

enum { LONGEST_CHARACTER = 4 };

/* Whether all of a word, not empty, is of these characters. */
static bool consists_of(const char *word, size_t size, const char *characters)
{
    size_t at = 0;
    while (at < size && strchr(characters, word[at]) != NULL)
        at++;
    return size > 0 && at == size;
}

size_t bipe_sentence_digits(const char *word, size_t size)
{
    size_t digits = 0;
    while (digits < size && word[digits] >= '0' && word[digits] <= '9')
        digits++;
    return digits;
}

/* The class of the only character of a word; BIPE_SB_OTHER: there are more. */
static bipe_sentence_class only_class(const char *word, size_t size)
{
    int32_t code;
    bool one = size > 0 && size <= LONGEST_CHARACTER && bipe_utf8_decode((const uint8_t *)word, size, &code) == size;
    return one ? bipe_sentence_class_of(code) : BIPE_SB_OTHER;
}

bool bipe_sentence_is_one_letter(const char *word, size_t size)
{
    return bipe_sentence_is_letter(only_class(word, size));
}

bool bipe_sentence_is_marker(const char *word, size_t size)
{
    enum { DIGITS = 4, NUMERAL = 4 };
    size_t digits = bipe_sentence_digits(word, size);
    bool parts = digits > 0 && digits < size && word[digits] == '.' && consists_of(word, size, "0123456789.");
    return (digits == size && size > 0 && size <= DIGITS) || parts || bipe_sentence_is_one_letter(word, size) ||
           (size > 1 && size <= NUMERAL && (consists_of(word, size, "ivx") || consists_of(word, size, "IVX")));
}

bool bipe_sentence_is_initial(const char *word, size_t size)
{
    size_t from = size;
    if (size > 0 && word[size - 1] >= 'a' && word[size - 1] <= 'z') /* usually */
        return false;
    while (from > 0 && word[from - 1] != '.' && size - from <= LONGEST_CHARACTER)
        from--;
    return only_class(word + from, size - from) == BIPE_SB_UPPER;
}

bool bipe_sentence_is_roman(const char *word, size_t size)
{
    return consists_of(word, size, "CDILMVX") && !(size == 1 && word[0] == 'I');
}
