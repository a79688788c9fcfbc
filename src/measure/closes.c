/* closes.c - boundaries and tokens, merged; see closes.h. */
#include "measure/closes.h"

#include <stdbool.h>

#include "text/utf8.h"

enum { STEP = 8 }; /* tokens that are passed at once */

/* Bytes of leading white space. */
static size_t count_blank(const uint8_t *text, size_t size)
{
    size_t at = 0;
    int32_t code;
    while (at < size) {
        size_t used = bipe_utf8_decode(text + at, size - at, &code);
        if (used == 0 || !bipe_is_white_space(code))
            break;
        at += used;
    }
    return at;
}

/* Whether the boundary, inside the token or at its end, lies in the white space that the token begins with. */
static bool is_before_text(const bipe_token *token, uint64_t boundary, const uint8_t *text)
{
    if (text[0] > ' ' && text[0] < 0x80)
        return false;
    size_t size = (size_t)(token->end - token->start), blank = count_blank(text, size);
    return blank != size && boundary - token->start <= blank;
}

/* The last of the first `count` tokens that is not empty, plus 1; 0: there is none from number `least` on. */
static size_t last_not_empty(const bipe_token *tokens, size_t count, size_t least)
{
    while (count > least && tokens[count - 1].start == tokens[count - 1].end)
        count--;
    return count > least ? count : 0;
}

void bipe_closes_find(uint32_t *ends, const uint64_t *boundary, size_t count, const bipe_token *tokens,
                      size_t token_count, uint32_t least, const uint8_t *text, uint64_t offset)
{
    size_t next = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t b = boundary[k];
        while (token_count - next >= STEP && tokens[next + STEP - 1].start < b)
            next += STEP;
        while (next < token_count && tokens[next].start < b)
            next++;
        size_t last = last_not_empty(tokens, next, least);
        if (last != 0 && b <= tokens[last - 1].end &&
            is_before_text(&tokens[last - 1], b, text + (tokens[last - 1].start - offset)))
            last = last_not_empty(tokens, last - 1, least);
        least = last > least ? (uint32_t)last : least;
        ends[k] = least;
    }
}
