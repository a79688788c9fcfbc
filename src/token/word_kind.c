/* word_kind.c - the tokenizer `word`, which has no vocabulary: every token has the id 0.
 *
 * Each newline is a token, with the CR before it. A run of letters, marks, digits and underscores with the blanks
 * before it is one; each other character (a byte that is not UTF-8 counts as one) with the blanks before it is one.
 * Blanks before a newline or at the end of the document have nothing to belong to and are a token of their own. */
#include "base/alloc.h"
#include "text/utf8.h"
#include "token/kind.h"

typedef enum word_class {
    OTHER,  /* also a byte that is no character */
    BLANK,
    WORD,
    NEWLINE,
    BEYOND  /* not ASCII, and not known */
} word_class;

enum { AT_ONCE = 4096 }; /* bytes whose tokens there is memory for */

static int word_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                       const uint8_t **bytes, size_t *size, bipe_error *err)
{
    (void)id;
    (void)first;
    (void)buffer;
    *bytes = NULL;
    *size = 0;
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: this tokenizer has no vocabulary, so ids mean nothing",
                     tokenizer->spec);
}

static word_class word_class_of(int32_t code)
{
    if (code < 0)
        return OTHER;
    return code == '\n' ? NEWLINE : bipe_is_word(code) ? WORD : bipe_is_blank(code) ? BLANK : OTHER;
}

/* The class of the character that the bytes begin with, size > 0; *length. */
static word_class class_at(const uint8_t *bytes, size_t size, size_t *length)
{
    int32_t code;
    *length = bipe_utf8_decode(bytes, size, &code);
    *length = *length != 0 ? *length : 1;
    return word_class_of(code);
}

/* That of the character before bytes[at], at > 0; BEYOND: it begins before the bytes. */
static word_class class_before(const uint8_t *bytes, size_t at)
{
    size_t n = 1, length;
    while (n < 4 && n < at && (bytes[at - n] & 0xC0) == 0x80)
        n++;
    if (n < 4 && (bytes[at - n] & 0xC0) == 0x80)
        return BEYOND;
    word_class class = class_at(bytes + at - n, n, &length);
    return length == n ? class : OTHER;
}

/* After a newline or another character, which end a token, and between a word and a character that is not part of
 * it. */
static size_t word_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    size_t length;
    for (size_t at = size; at-- > 1;) {
        if ((bytes[at] & 0xC0) == 0x80 || size - at < 4)
            continue; /* not the start of a character, or perhaps not all of it */
        word_class before = class_before(bytes, at);
        if (before == OTHER || before == NEWLINE ||
            (before == WORD && class_at(bytes + at, size - at, &length) != WORD))
            return at;
    }
    return 0;
}

static int word_open(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    (void)tokenizer;
    uint8_t *class = bipe_alloc(256, 1);
    if (class == NULL)
        return bipe_fail_memory(err);
    for (int32_t c = 0; c < 256; c++)
        class[c] = (uint8_t)(c < 0x80 ? word_class_of(c) : BEYOND);
    *scratch = class;
    return BIPE_OK;
}

/* The token that is not finished starts at `start`: nothing, blanks or a word up to `at`. */
typedef struct word_state {
    size_t start, at;
    word_class part; /* OTHER: nothing */
} word_state;

static inline void emit_token(bipe_token **out, word_state *s, size_t end, uint64_t offset)
{
    *(*out)++ = (bipe_token){.start = offset + s->start, .end = offset + end};
    s->start = end;
}

/* ASCII characters, a run of a class at a time: up to the first other one, or to the end. There is memory for a token
 * for each, and one. */
static bipe_token *read_ascii(word_state *s, const uint8_t *class, const uint8_t *bytes, size_t size, uint64_t offset,
                              bipe_token *out)
{
    word_state w = *s;
    size_t i = w.at;
    while (i < size) {
        if (w.part != WORD)
            for (; i < size && class[bytes[i]] == BLANK; i++)
                w.part = BLANK;
        size_t from = i;
        while (i < size && class[bytes[i]] == WORD)
            i++;
        if (i != from)
            w.part = WORD;
        if (i == size || class[bytes[i]] == BEYOND)
            break;
        /* A word ends here, or blanks before a newline do; another character has the blanks before it. */
        uint8_t next = class[bytes[i]];
        size_t end = next == NEWLINE && w.part == BLANK && bytes[i - 1] == '\r' ? i - 1 : i;
        if (w.part == WORD || (w.part == BLANK && next == NEWLINE && end != w.start))
            emit_token(&out, &w, end, offset);
        w.part = OTHER;
        if (next != BLANK)
            emit_token(&out, &w, ++i, offset);
    }
    w.at = i;
    *s = w;
    return out;
}

/* The same for one character beyond ASCII. */
static bipe_token *read_beyond(word_state *s, const uint8_t *bytes, size_t size, uint64_t offset, bipe_token *out)
{
    size_t n;
    word_class class = class_at(bytes + s->at, size - s->at, &n);
    if (s->part == WORD && class != WORD) {
        emit_token(&out, s, s->at, offset);
        s->part = OTHER;
    }
    s->at += n;
    if (class == OTHER)
        emit_token(&out, s, s->at, offset);
    s->part = class;
    return out;
}

static int word_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                       bipe_error *err)
{
    const uint8_t *class = scratch;
    word_state s = {.part = OTHER};
    while (s.at < size) {
        size_t to = size - s.at < AT_ONCE ? size : s.at + AT_ONCE;
        if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + AT_ONCE + 4, sizeof *tokens->token) != 0)
            return bipe_fail_memory(err);
        bipe_token *out = tokens->token + tokens->count;
        while (s.at < to)
            out = bytes[s.at] < 0x80 ? read_ascii(&s, class, bytes, to, offset, out)
                                     : read_beyond(&s, bytes, size, offset, out);
        tokens->count = (size_t)(out - tokens->token);
    }
    return s.part != OTHER ? bipe_tokens_add(tokens, offset + s.start, offset + size, 0, err) : BIPE_OK;
}

const bipe_token_kind bipe_word_kind = {
    .name = "word",
    .size = 0,
    .decode = word_decode,
    .cut = word_cut,
    .scratch_open = word_open,
    .scratch_close = bipe_free,
    .encode = word_encode,
};
