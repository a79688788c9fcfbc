/* pretoken_scan.c - pre-tokens character by character. What each rule stands for is written at the functions, in the words of the
 * patterns: L letters, N numbers, O others ([^\s\p{L}\p{N}]).
 *
 *   GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?L+| ?N+| ?O+|\s+(?!\S)|\s+
 *   cl100k   (?i:'s|...)|[^\r\nLN]?L+|N{1,3}| ?O+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *   o200k    [^\r\nLN]?U*l+(?i:'s|...)?|[^\r\nLN]?U+l*(?i:'s|...)?|N{1,3}| ?O+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *            U: letters but lower case, and marks; l: letters but upper and title case, and marks
 *   DeepSeek [!-/:-@[-`{-~][A-Za-z]+|[^\r\nLPS]?[LM]+| ?[PS]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *            of what is left between N{1,3}, and of each K+, kana and most ideographs, by itself */
#include "token/pretoken/pretoken_scan.h"

#include "text/utf8.h"

enum { START, LETTERS, UPPER, LOWER, SUFFIX, NUMBERS, OTHERS, TAIL, BLANKS, LOST, ASCII };

typedef struct reader {
    const bipe_char_classes *classes;
    const uint8_t *text;
    size_t size;
    bool final;
} reader;

enum { AT_END = 128 }; /* in place of a class */

/* The class of the character at `at` and its size; AT_END with size 0 at the end of the text, with size 1 where more is needed. */
static inline uint8_t look(const reader *r, size_t at, size_t *n)
{
    if (at == r->size) {
        *n = !r->final;
        return AT_END;
    }
    *n = 1;
    uint8_t byte = r->text[at];
    if (byte < 0x80)
        return r->classes->bits[byte];
    int32_t code;
    *n = bipe_utf8_decode(r->text + at, r->size - at, &code);
    if (*n == 0) {
        *n = 1;
        return r->final ? BIPE_CHAR_BAD : AT_END;
    }
    return code >= 0 ? bipe_char_class(r->classes, code) : BIPE_CHAR_BAD;
}

static inline bool needs_more(uint8_t class, size_t n)
{
    return class == AT_END && n != 0;
}

static inline bool is_other(const bipe_split_rule *rule, uint8_t class)
{
    unsigned no = BIPE_CHAR_LETTER | BIPE_CHAR_NUMBER | BIPE_CHAR_WHITE | BIPE_CHAR_BAD | AT_END;
    return (class & (rule->kana ? no | BIPE_CHAR_NONE : no)) == 0;
}

/* Whether a character goes on with what began in kana or not. */
static inline bool same_side(const bipe_split_rule *rule, const bipe_pretoken_scan *s, uint8_t class)
{
    return !rule->kana || class == BIPE_CHAR_BAD || ((class & BIPE_CHAR_KANA) != 0) == s->kana;
}

static inline bool is_ascii_letter(uint8_t byte)
{
    return (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* The size of a contraction at `at`, 0: none, -1: more is needed. */
static int contraction_at(const bipe_split_rule *rule, const reader *r, size_t at)
{
    size_t left = r->size - at;
    int cut = r->final ? 0 : -1; /* what a contraction that may go on is */
    if (rule->contractions == BIPE_CONTRACT_NONE)
        return 0;
    if (left == 0)
        return cut;
    if (r->text[at] != '\'')
        return 0;
    uint8_t fold = rule->contractions == BIPE_CONTRACT_EXACT ? 0 : 0x20;
    if (left == 1)
        return cut;
    uint8_t first = r->text[at + 1] | fold;
    if (r->text[at + 1] == 0xC5 && rule->contractions == BIPE_CONTRACT_FOLDED)
        return left == 2 ? cut : r->text[at + 2] == 0xBF ? 3 : 0;
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return 2;
    if (first != 'r' && first != 'v' && first != 'l')
        return 0;
    if (left == 2)
        return cut;
    return (r->text[at + 2] | fold) == (first == 'l' ? 'l' : 'e') ? 3 : 0;
}

/* ---- phases: each goes on while it can; true: the pre-token ends at *end ---- */

/* L+, N+, or (class 0) O+; limit: the most of them, 0: any number. */
static bool run_of(const bipe_split_rule *rule, bipe_pretoken_scan *s, const reader *r, uint8_t class, uint8_t limit, bool *more)
{
    while (limit == 0 || s->count < limit) {
        size_t n;
        uint8_t c = look(r, s->at, &n);
        if (needs_more(c, n)) {
            *more = true;
            return false;
        }
        if ((class != 0 ? (c & class) == 0 || c == AT_END : !is_other(rule, c)) || !same_side(rule, s, c))
            return true;
        s->count += limit != 0;
        s->sure = s->at += n;
    }
    return true;
}

/* U*: all that follow each other. A pre-token ends behind the last of them that is also an l, if there is one (then U* gives back
 * what stands behind it, and l+ is that one), unless an l that is no U follows; without one all of them are U+. */
static bool run_upper(bipe_pretoken_scan *s, const reader *r, bool *more)
{
    for (;;) {
        size_t n;
        uint8_t c = look(r, s->at, &n);
        if (needs_more(c, n)) {
            *more = true;
            return false;
        }
        if (c == AT_END || (c & (BIPE_CHAR_UPPER | BIPE_CHAR_LOWER)) == 0)
            return true;
        s->at += n;
        s->any = s->any || (c & BIPE_CHAR_LOWER) != 0;
        if ((c & BIPE_CHAR_LOWER) != 0 || !s->any)
            s->sure = s->at;
        if ((c & BIPE_CHAR_UPPER) == 0) {
            s->phase = LOWER;
            return true;
        }
    }
}

/* \s: where it ends depends on what follows. */
static bool run_blanks(const bipe_split_rule *rule, bipe_pretoken_scan *s, const reader *r, size_t *end)
{
    for (;;) {
        size_t n;
        uint8_t c = look(r, s->at, &n);
        if (needs_more(c, n))
            return false;
        if (c == AT_END || (c & BIPE_CHAR_WHITE) == 0) {
            /* \s*[\r\n]+ up to the last newline; else all but the last character, when there are others and something follows. */
            unsigned apart = rule->kana ? BIPE_CHAR_NUMBER | BIPE_CHAR_KANA : rule->apart ? BIPE_CHAR_NUMBER : 0;
            bool follows = c != AT_END && c != BIPE_CHAR_BAD && (c & apart) == 0;
            *end = s->any ? s->sure : follows && s->several ? s->last : s->at;
            return true;
        }
        s->several = s->several || s->at != 0;
        s->last = s->at;
        s->at += n;
        s->any = s->any || (!rule->gpt2 && (c & BIPE_CHAR_NEWLINE) != 0);
        if (!s->any)
            s->sure = s->last;
        else if ((c & BIPE_CHAR_NEWLINE) != 0)
            s->sure = s->at;
    }
}

/* What no pattern matches: bytes that are no characters; and with kana characters, of which the last one goes with letters behind it. */
static bool run_lost(const bipe_split_rule *rule, bipe_pretoken_scan *s, const reader *r, size_t *end)
{
    for (;;) {
        size_t n;
        uint8_t c = look(r, s->at, &n);
        if (needs_more(c, n))
            return false;
        bool none = rule->kana && c != BIPE_CHAR_BAD && c != AT_END && (c & BIPE_CHAR_NONE) != 0;
        if ((c != BIPE_CHAR_BAD && !none) || (c != BIPE_CHAR_BAD && (c & BIPE_CHAR_KANA) != 0) != s->kana) {
            bool joins = c != AT_END && (c & BIPE_CHAR_LETTER) != 0 && same_side(rule, s, c);
            *end = s->any && joins ? s->last : s->at;
            return true;
        }
        s->any = none;
        s->last = s->at;
        s->at += n;
        s->sure = none ? s->last : s->at;
    }
}

/* [A-Za-z]+ */
static bool run_ascii(bipe_pretoken_scan *s, const reader *r)
{
    while (s->at < r->size && is_ascii_letter(r->text[s->at]))
        s->sure = ++s->at;
    return s->at < r->size || r->final;
}

/* [\r\n]* or [\r\n/]* */
static bool run_tail(const bipe_split_rule *rule, bipe_pretoken_scan *s, const reader *r)
{
    for (; s->at < r->size; s->sure = ++s->at) {
        uint8_t c = r->text[s->at];
        if (c != '\r' && c != '\n' && !(rule->slash && c == '/'))
            return true;
    }
    return r->final;
}

/* ---- the first character or two ---- */

static uint8_t letters_of(const bipe_split_rule *rule)
{
    return rule->cased ? BIPE_CHAR_UPPER | BIPE_CHAR_LOWER : BIPE_CHAR_LETTER;
}

/* Chooses the phase; false: more is needed. *end is set when that is all of it. A mark is a letter and an other to o200k: as a letter it
 * comes first. That it may also be the one character in front of letters changes nothing: what U*l+ behind it would match, it matches
 * with it. */
static bool start(const bipe_split_rule *rule, bipe_pretoken_scan *s, const reader *r, size_t *end)
{
    size_t n, n2;
    uint8_t first = look(r, 0, &n), letters = letters_of(rule), begin = rule->cased ? UPPER : LETTERS;
    *end = 0;
    if (needs_more(first, n))
        return false;
    s->kana = rule->kana && first != BIPE_CHAR_BAD && (first & BIPE_CHAR_KANA) != 0;
    if (first == BIPE_CHAR_BAD || (first & BIPE_CHAR_NUMBER) != 0) {
        s->phase = first == BIPE_CHAR_BAD ? LOST : NUMBERS;
        return true;
    }
    if ((first & letters) != 0) {
        s->phase = begin;
        return true;
    }
    if (r->text[0] == '\'' && !rule->behind) {
        int size = contraction_at(rule, r, 0);
        *end = size > 0 ? (size_t)size : 0;
        if (size != 0)
            return size > 0;
    }
    bool space = r->text[0] == ' ', white = (first & BIPE_CHAR_WHITE) != 0;
    uint8_t second = look(r, n, &n2);
    bool none = rule->kana && (first & BIPE_CHAR_NONE) != 0, sign = rule->kana && !white && !none;
    bool joins = rule->gpt2 ? space : (first & BIPE_CHAR_NEWLINE) == 0 && !sign;
    if ((joins || space || sign) && needs_more(second, n2))
        return false;
    s->phase = white ? BLANKS : none ? LOST : OTHERS;
    if (sign && r->text[0] < 0x80 && second != AT_END && is_ascii_letter(r->text[1])) {
        s->phase = ASCII;
        s->sure = s->at = 1;
    }
    if (!joins && !space)
        return true;
    bool known = second != AT_END && second != BIPE_CHAR_BAD && same_side(rule, s, second);
    if (known && joins && (second & letters) != 0)
        s->phase = begin;
    else if (known && rule->gpt2 && !rule->apart && space && (second & BIPE_CHAR_NUMBER) != 0)
        s->phase = NUMBERS;
    else if (space && is_other(rule, second) && same_side(rule, s, second))
        s->phase = OTHERS;
    else
        return true;
    s->sure = s->at = n;
    return true;
}

bool bipe_pretoken_scan_run(const bipe_split_rule *rule, const bipe_char_classes *classes, bipe_pretoken_scan *s, const uint8_t *text,
                            size_t size, bool final, size_t *end)
{
    reader r = {.classes = classes, .text = text, .size = size, .final = final};
    bool more = false;
    if (s->phase == START && (!start(rule, s, &r, end) || *end != 0))
        return *end != 0;
    switch (s->phase) {
    case LETTERS:
        run_of(rule, s, &r, BIPE_CHAR_LETTER, 0, &more);
        break;
    case UPPER:
        if (run_upper(s, &r, &more) && s->phase == UPPER) {
            if (s->sure != s->at) { /* given back: no contraction follows */
                *end = s->sure;
                return true;
            }
            s->phase = SUFFIX;
        }
        break;
    case NUMBERS:
        run_of(rule, s, &r, BIPE_CHAR_NUMBER, rule->numbers, &more);
        break;
    case OTHERS:
        if (run_of(rule, s, &r, 0, 0, &more) && !rule->gpt2 && !s->kana)
            s->phase = TAIL;
        break;
    case ASCII:
        more = !run_ascii(s, &r);
        break;
    case LOST:
        return run_lost(rule, s, &r, end);
    case BLANKS:
        return run_blanks(rule, s, &r, end);
    default:
        break;
    }
    if (!more && s->phase == LOWER && run_of(rule, s, &r, BIPE_CHAR_LOWER, 0, &more))
        s->phase = SUFFIX;
    if (!more && s->phase == TAIL)
        more = !run_tail(rule, s, &r);
    if (!more && s->phase == SUFFIX && rule->behind) {
        int size_of = contraction_at(rule, &r, s->at);
        more = size_of < 0;
        s->at += size_of > 0 ? (size_t)size_of : 0;
    }
    *end = s->at;
    return !more;
}
