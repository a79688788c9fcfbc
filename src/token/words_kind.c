/* words_kind.c - the tokenizer `words`, which has no vocabulary: every token has the id 0.
 *
 * Tokens are the words of UAX #29 (section 4, Unicode 17.0): the pieces between word boundaries that hold a letter or a
 * digit. A number (6.40) and a contraction (don't) are one; blanks, punctuation and symbols are none. Writing systems
 * without spaces between words (Chinese, Thai) give a word for each letter, as the rules do without a dictionary. Of a
 * flag that a zero width joiner joins to a letter, which no text has, the first half (WB15) does not count. */
#include "text/break_class.h"
#include "text/utf8.h"
#include "token/kind.h"

/* The class of the character at the bytes, size > 0; *length. */
static inline bipe_word_class class_at(const uint8_t *bytes, size_t size, size_t *length)
{
    int32_t code;
    *length = bipe_utf8_decode(bytes, size, &code);
    *length = *length != 0 ? *length : 1;
    return bipe_word_class_of(code);
}

/* Before a character that joins nothing: a blank, a symbol, a letter that is a word by itself, a byte that is too far
 * from the start of a character to belong to it. */
static size_t words_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    for (size_t at = size; at-- > 1;) {
        bool continues = (bytes[at] & 0xC0) == 0x80;
        if (continues && bipe_utf8_begins(bytes, at))
            return at;
        if (continues || (bytes[at] >= 0x80 && size - at < 4))
            continue; /* not the start of a character, or perhaps not all of it */
        size_t length;
        bipe_word_class class = class_at(bytes + at, size - at, &length);
        if (class == BIPE_WB_OTHER || class == BIPE_WB_OTHER_LETTER)
            return at;
    }
    return 0;
}

static bool is_letter(bipe_word_class class)
{
    return class == BIPE_WB_LETTER || class == BIPE_WB_HEBREW || class == BIPE_WB_LETTER_PICTOGRAPH;
}

static bool begins_word(bipe_word_class class)
{
    return is_letter(class) || class == BIPE_WB_NUMERIC || class == BIPE_WB_KATAKANA ||
           class == BIPE_WB_EXTEND_NUM_LET || class == BIPE_WB_OTHER_LETTER;
}

/* WB5, WB8 to WB10, WB13 to WB13b. */
static bool joins_word(bipe_word_class before, bipe_word_class class)
{
    bool letter = is_letter(class), number = class == BIPE_WB_NUMERIC, katakana = class == BIPE_WB_KATAKANA;
    if (is_letter(before) || before == BIPE_WB_NUMERIC)
        return letter || number || class == BIPE_WB_EXTEND_NUM_LET;
    if (before == BIPE_WB_KATAKANA)
        return katakana || class == BIPE_WB_EXTEND_NUM_LET;
    return before == BIPE_WB_EXTEND_NUM_LET && (letter || number || katakana || class == BIPE_WB_EXTEND_NUM_LET);
}

/* WB6 and WB7, WB7b and WB7c, WB11 and WB12. */
static bool joins_across(bipe_word_class before, bipe_word_class middle, bipe_word_class class)
{
    bool quote_or_stop = middle == BIPE_WB_SINGLE_QUOTE || middle == BIPE_WB_MID_NUM_LET;
    if (is_letter(before) && (quote_or_stop || middle == BIPE_WB_MID_LETTER))
        return is_letter(class);
    if (before == BIPE_WB_NUMERIC && (quote_or_stop || middle == BIPE_WB_MID_NUM))
        return class == BIPE_WB_NUMERIC;
    return before == BIPE_WB_HEBREW && middle == BIPE_WB_DOUBLE_QUOTE && class == BIPE_WB_HEBREW;
}

static bool is_pictograph(bipe_word_class class)
{
    return class == BIPE_WB_PICTOGRAPH || class == BIPE_WB_LETTER_PICTOGRAPH;
}

/* Past the characters that WB4 joins to the one before bytes[at]; *zwj: that one, or then the last of them, is a zero
 * width joiner. */
static size_t skip_extending(const uint8_t *bytes, size_t size, size_t at, bool *zwj)
{
    while (at < size && bytes[at] >= 0x80) {
        size_t length;
        bipe_word_class class = class_at(bytes + at, size - at, &length);
        if (class != BIPE_WB_EXTEND && class != BIPE_WB_ZWJ)
            break;
        *zwj = class == BIPE_WB_ZWJ;
        at += length;
    }
    return at;
}

/* The end of the piece that begins at bytes[at] with a character of that class and length; *word: it holds a letter or
 * a digit. */
static size_t find_end(const uint8_t *bytes, size_t size, size_t at, bipe_word_class class, size_t length, bool *word)
{
    bipe_word_class before = class;
    *word = begins_word(class) && class != BIPE_WB_EXTEND_NUM_LET;
    for (at += length;;) {
        if (before == BIPE_WB_LETTER)
            while (at < size && (uint8_t)((bytes[at] | 0x20) - 'a') < 26)
                at++;
        bool zwj = before == BIPE_WB_ZWJ, after_zwj = false;
        at = skip_extending(bytes, size, at, &zwj);
        if (at == size)
            return at;
        class = class_at(bytes + at, size - at, &length);
        if (!(zwj && is_pictograph(class)) && !joins_word(before, class)) {
            size_t next = skip_extending(bytes, size, at + length, &after_zwj);
            size_t next_length = 0;
            bipe_word_class after = next < size ? class_at(bytes + next, size - next, &next_length) : BIPE_WB_OTHER;
            if (joins_across(before, class, after)) {
                at = next;
                length = next_length;
                class = after;
            } else if (before != BIPE_WB_HEBREW || class != BIPE_WB_SINGLE_QUOTE) { /* WB7a */
                return at;
            }
        }
        *word = *word || (begins_word(class) && class != BIPE_WB_EXTEND_NUM_LET);
        before = class;
        at += length;
    }
}

/* Whether bytes[at] is a line end of WB3a, which nothing extends. */
static bool is_line_end(const uint8_t *bytes, size_t size, size_t at)
{
    int32_t code;
    bipe_utf8_decode(bytes + at, size - at, &code);
    return (code >= '\n' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

/* Whether a zero width joiner joins a pictograph, which may be a letter, to a character that begins no word (WB3c). */
static bool joins_pictograph(const uint8_t *bytes, size_t size, size_t at, bipe_word_class class, size_t length)
{
    size_t next = at + length;
    bool zwj = class == BIPE_WB_ZWJ;
    if (next == size || bytes[next] < 0x80 || is_line_end(bytes, size, at))
        return false;
    next = skip_extending(bytes, size, next, &zwj);
    return zwj && next < size && is_pictograph(class_at(bytes + next, size - next, &length));
}

static int words_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                        bipe_error *err)
{
    (void)scratch;
    int status = BIPE_OK;
    for (size_t at = 0, length; status == BIPE_OK && at < size; at += length) {
        bipe_word_class class = class_at(bytes + at, size - at, &length);
        if (!begins_word(class) && !joins_pictograph(bytes, size, at, class, length))
            continue;
        bool word;
        size_t end = find_end(bytes, size, at, class, length, &word);
        if (word)
            status = bipe_tokens_add(tokens, offset + at, offset + end, 0, err);
        length = end - at;
    }
    return status;
}

const bipe_token_kind bipe_words_kind = {
    .name = "words",
    .size = 0,
    .cut = words_cut,
    .encode = words_encode,
};
