/* pipeline_cuts.c - see pipeline_cuts.h. */
#include "token/pipeline/pipeline_cuts.h"

#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/cut_letters.h"
#include "token/pipeline/pipeline.h"

static bool is_ascii_letter(uint8_t c)
{
    return (unsigned)(c | 0x20) - 'a' < 26;
}

static bool letter_at(const uint8_t *text, size_t size)
{
    int32_t code;
    return is_ascii_letter(text[0]) || (text[0] >= 0x80 && bipe_utf8_decode(text, size, &code) != 0 && code >= 0 && bipe_is_letter(code));
}

static bool white_before(const uint8_t *text, size_t at)
{
    size_t n = 1;
    int32_t code;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    return bipe_utf8_decode(text + at - n, n, &code) != n || code < 0 || bipe_is_white_space(code);
}

/* Whether letters of any script (cut_letters.h) stand before and behind the byte at `at`. */
static bool between_letters(const uint8_t *text, size_t size, size_t at)
{
    size_t n = 1;
    int32_t before, behind;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    return bipe_utf8_decode(text + at - n, n, &before) == n && before >= 0 && bipe_is_cut_letter((uint32_t)before) &&
           bipe_utf8_decode(text + at + 1, size - at - 1, &behind) != 0 && behind >= 0 && bipe_is_cut_letter((uint32_t)behind);
}

/* Whether ideographs end before and begin at `at`. */
static bool between_ideographs(const uint8_t *text, size_t size, size_t at)
{
    size_t n = 1;
    int32_t before, behind;
    while (n < 4 && n < at && (text[at - n] & 0xC0) == 0x80)
        n++;
    return bipe_utf8_decode(text + at, size - at, &behind) != 0 && behind >= 0 && bipe_hf_is_cjk((uint32_t)behind) &&
           bipe_utf8_decode(text + at - n, n, &before) == n && before >= 0 && bipe_hf_is_cjk((uint32_t)before);
}

static bool is_seen(uint8_t c)
{
    return c > ' ' && c < 0x7F;
}

bool bipe_cut_may(const uint8_t *text, size_t size, size_t at, unsigned cuts)
{
    uint8_t c = text[at], before = text[at - 1];
    if (c == '\n' && before != '\r' && (cuts & BIPE_CUT_ANY_NEWLINE) != 0)
        return true;
    if (c >= 0xE3 && before >= 0x80 && (cuts & BIPE_CUT_IDEOGRAPH) != 0 && between_ideographs(text, size, at))
        return true;
    if (c == ' ' && (cuts & BIPE_CUT_WORD) != 0 && between_letters(text, size, at))
        return true;
    if ((c == ' ' || c == '\n') && is_ascii_letter(before) && is_ascii_letter(text[at + 1]))
        if ((cuts & (c == ' ' ? (unsigned)BIPE_CUT_SPACE : (unsigned)BIPE_CUT_NEWLINE)) != 0)
            return true;
    if ((c == ' ' || c == '\n') && is_seen(before) && is_seen(text[at + 1]) && text[at + 2] < 0x80)
        return (cuts & (c == ' ' ? (unsigned)BIPE_CUT_SEEN_SPACE : (unsigned)BIPE_CUT_SEEN_NEWLINE)) != 0;
    if (before == '\n' && (cuts & BIPE_CUT_LINE) != 0)
        return at >= 2 && !white_before(text, at - 1) && letter_at(text + at, size - at);
    if (before == ' ' && (cuts & BIPE_CUT_AFTER) != 0)
        return at >= 2 && is_ascii_letter(text[at - 2]) && is_ascii_letter(c);
    return false;
}

/* What a chunk hands on to the next is whether text or an added token ends it: here it must be text. In the short way, nothing. */
size_t bipe_pipeline_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    const bipe_pipeline *p = tokenizer->model;
    bool ends_added[256] = {false};
    if (p->cuts == 0 || size < 16 || (!p->quick && p->inside.count != 0))
        return 0;
    for (size_t i = 0; !p->quick && i < p->raw.count; i++) {
        const bipe_added *added = &p->raw.added[i];
        size_t length;
        const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, added->id, &length);
        if (added->right || length == 0)
            return 0;
        ends_added[text[length - 1]] = true;
    }
    for (size_t at = size - 4; at >= 8; at--)
        if (bipe_cut_may(bytes, size, at, p->cuts) && !ends_added[bytes[at - 1]])
            return at;
    return 0;
}
