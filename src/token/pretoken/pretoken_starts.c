/* pretoken_starts.c - starts of pre-tokens by arithmetic on masks of classes (pretoken_masks.h), a bit for each byte.
 *
 * X' is X shifted by one: "the byte before is X"; 'X "the byte after is X". L letters, N numbers, W white space, O
 * others, R newlines, Z = W & ~R, S spaces. All bytes of a character have its class, so that runs of characters are
 * runs of bytes. Every text begins with a start, and what follows a start depends on nothing before it, so bits from
 * before the text are 0.
 *
 * GPT-2. L, N and O start a pre-token where they begin, unless a space stands before them:
 *     (L & ~L' | N & ~N' | O & ~O') & ~S'
 * White space that k > 1 characters long is [k - 1][1], the last one starting anew (a space goes with what follows
 * then): W & (~W' | ~'W) With numbers_first, numbers start whatever is before them, and white space in front of them
 * goes with nothing: its last character does not start anew. A contraction starts like O. Its first letter does not
 * start, the text after it does.
 *
 * cl100k. Newlines after O are absorbed: A = the runs of R that follow O; written with a sum, whose carry runs through
 * R. Other white space is W - A. O starts as above: T = O & ~O' & ~S'. L goes with one character before it that is Z or
 * such an O: L & ~L' & ~Z' & ~T' (an O that L goes with is alone, as what follows it is L; T has all of its bytes
 * there.) Numbers start at every third of a run, or at each. White space starts at the beginning of a run; after the
 * last newline of the run; and its last character starts, if it is no newline: (W - A) & ~(W - A)' | (Z & (R - A)', if
 * the run of Z that begins there ends before something else than R) | Z & ~'W
 *
 * o200k. As before; slashes count as newlines after O once there was a newline; an upper-case letter after a lower-case
 * one starts; contractions after letters do not start, but what follows them does.
 *
 * DeepSeek. Letters and signs among kana start where they begin, and nothing goes with them or with numbers. An O of
 * ASCII that starts and is alone is one that letters of ASCII go with, of which the first letter beyond ASCII starts;
 * the sum of these letters and the first of them finds it. Letters go with Z before them.
 *
 * Left to PCRE2: bytes that are no characters, white space beyond ASCII, numbers beyond ASCII where they are
 * counted, marks where case counts, and letters without case beside others there, characters that go with nothing (with
 * kana), and the long s in contractions. In front of the first of those, and in front of the end of the text, just the
 * starts up to the last one that is no white space and stands three bytes before are believed: the arithmetic looks
 * ahead by two bytes (a contraction) and to the end of runs of white space alone. */
#include "token/pretoken/pretoken_starts.h"

#include <string.h>

#include "text/utf8.h"

/* ---- characters beyond ASCII ---- */

/* Bits [from, to) of a mask, from < to. */
static inline void set_bits(uint64_t *mask, size_t from, size_t to)
{
    uint64_t bits = UINT64_MAX << from % 64;
    size_t w = from / 64, last = (to - 1) / 64;
    for (; w < last; w++, bits = UINT64_MAX)
        mask[w] |= bits;
    mask[w] |= bits & UINT64_MAX >> (63 - (to - 1) % 64);
}

/* The first bit of a mask from `at` on, or `size`. */
static inline size_t next_bit(const uint64_t *mask, size_t at, size_t size)
{
    if (at >= size)
        return size;
    size_t w = at / 64;
    uint64_t bits = mask[w] & UINT64_MAX << at % 64;
    while (bits == 0 && 64 * (w + 1) < size)
        bits = mask[++w];
    size_t found = bits != 0 ? 64 * w + (size_t)__builtin_ctzll(bits) : size;
    return found < size ? found : size;
}

/* Characters of one class, [from, to). */
static inline void add_run(bipe_text_masks *m, unsigned class, size_t from, size_t to)
{
    if ((class & BIPE_CHAR_LETTER) != 0)
        set_bits(m->letter, from, to);
    if ((class & BIPE_CHAR_UPPER) != 0)
        set_bits(m->upper, from, to);
    if ((class & BIPE_CHAR_NUMBER) != 0)
        set_bits(m->number, from, to);
}

static bool is_letter_byte(uint8_t byte)
{
    return (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* Letters without case, where case counts: they are easy if no others stand beside them. */
typedef struct caseless {
    size_t from, end; /* the last of them */
    size_t cased_end; /* of the last letter with case */
} caseless;

/* A character [here, end): whether it is hard; *hard: from where on. */
static bool is_hard_case(caseless *c, unsigned class, const uint8_t *text, size_t size, size_t here, size_t end,
                         size_t *hard)
{
    const unsigned both = BIPE_CHAR_UPPER | BIPE_CHAR_LOWER;
    bool goes_on = c->end == here && here != 0;
    *hard = goes_on && (class & BIPE_CHAR_LETTER) != 0 ? c->from : here;
    if ((class & both) != both) {
        c->cased_end = (class & BIPE_CHAR_LETTER) != 0 ? end : c->cased_end;
        return goes_on && (class & BIPE_CHAR_LETTER) != 0;
    }
    if (!goes_on)
        c->from = here;
    c->end = end;
    return (class & BIPE_CHAR_LETTER) == 0 || (here != 0 && (is_letter_byte(text[here - 1]) || c->cased_end == here)) ||
           (end < size && is_letter_byte(text[end]));
}

static void add_parts(const bipe_pretoken_parts *parts, const uint8_t *text, size_t from, size_t to, bipe_text_masks *m)
{
    uint32_t start[BIPE_STARTS_MOST / 3 + 1];
    for (size_t i = bipe_parts_find(parts, text, from, to, start); i-- > 0;)
        m->part[start[i] / 64] |= UINT64_C(1) << start[i] % 64;
}

/* Adds them to the masks; returns the offset of the first one that this file does not do, or `size`. */
static size_t add_high(const bipe_split_rule *rule, const bipe_char_classes *classes, const bipe_pretoken_parts *parts,
                       const uint8_t *text, size_t size, bipe_text_masks *m)
{
    const unsigned kept = BIPE_CHAR_LETTER | BIPE_CHAR_UPPER | BIPE_CHAR_NUMBER;
    const unsigned hard = BIPE_CHAR_WHITE | (rule->numbers != 0 ? BIPE_CHAR_NUMBER : 0u) |
                          (rule->kana ? BIPE_CHAR_NONE : 0u);
    caseless without = {0};
    size_t limit = size;
    for (size_t at = 0; limit == size && (at = next_bit(m->high, at, size)) < size;) {
        size_t from = at, begin = at, n;
        unsigned run = 0;
        for (; at < size && text[at] >= 0x80; at += n) {
            int32_t code;
            n = bipe_utf8_decode(text + at, size - at, &code);
            unsigned class = n != 0 && code >= 0 ? bipe_char_class(classes, code) : BIPE_CHAR_BAD;
            limit = at;
            if ((class & (hard | BIPE_CHAR_BAD)) != 0 || (rule->contractions == BIPE_CONTRACT_FOLDED && code == 0x17F))
                break;
            if (rule->cased && is_hard_case(&without, class, text, size, at, at + n, &limit))
                break;
            limit = size;
            if (rule->cased && (class & BIPE_CHAR_LOWER) != 0)
                class &= ~(unsigned)BIPE_CHAR_UPPER;
            class &= kept;
            if (class != run && at != from) {
                add_run(m, run, from, at);
                from = at;
            }
            run = class;
            if ((class & (BIPE_CHAR_LETTER | BIPE_CHAR_NUMBER)) == 0)
                set_bits(m->inner, at + 1, at + n);
        }
        add_run(m, run, from, at);
        if (parts != NULL && at - begin >= 6) /* two characters */
            add_parts(parts, text, begin, at, m);
    }
    return limit;
}

/* ---- the arithmetic ---- */

static inline uint64_t mask_before(const uint64_t *mask, size_t w)
{
    return mask[w] << 1 | (w != 0 ? mask[w - 1] >> 63 : 0);
}

/* For a mask of which the last bit is carried along. */
static inline uint64_t shift_mask(uint64_t mask, uint64_t *carry)
{
    uint64_t shifted = mask << 1 | *carry;
    *carry = mask >> 63;
    return shifted;
}

/* The bits whose next bit is set in the mask. */
static inline uint64_t followed_by(const uint64_t *mask, size_t w)
{
    return mask[w] >> 1 | mask[w + 1] << 63;
}

static inline void starts_gpt2(const bipe_text_masks *m, size_t words, uint64_t *start, bool numbers_first, bool each)
{
    uint64_t other_carry = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t letter = m->letter[w], number = m->number[w], white = m->white[w], other = ~(letter | number | white);
        uint64_t same = (letter & mask_before(m->letter, w)) | (number & mask_before(m->number, w)) |
                        (other & shift_mask(other, &other_carry));
        start[w] = ~white & ~same & ~mask_before(m->space, w);
        uint64_t goes_on = followed_by(m->white, w);
        if (numbers_first) {
            start[w] |= number & ~(each ? 0 : mask_before(m->number, w));
            goes_on |= followed_by(m->number, w);
        }
        start[w] |= white & ~(mask_before(m->white, w) & goes_on);
    }
}

/* `from` and all bits of `within` that follow them without a gap. */
static inline uint64_t fill_runs(uint64_t from, uint64_t within)
{
    for (int step = 1; step < 64; step *= 2) {
        from |= within & from << step;
        within &= within << step;
    }
    return from;
}

/* Blanks after a newline, at byte `at`: whether they start a pre-token. */
static bool blanks_start(const bipe_text_masks *m, size_t words, size_t at)
{
    uint64_t mask = UINT64_MAX << at % 64;
    for (size_t w = at / 64; w < words; w++, mask = UINT64_MAX) {
        uint64_t end = (~m->white[w] | m->newline[w]) & mask;
        if (end != 0)
            return (m->newline[w] & end & (0 - end)) == 0;
    }
    return false;
}

/* Every third number of a run. third: the starts of the word before. */
static inline uint64_t by_threes(uint64_t number, uint64_t last, uint64_t *third)
{
    uint64_t one = number << 1 | last >> 63, two = number << 2 | last >> 62, three = number << 3 | last >> 61;
    uint64_t four = number & one & two & three;
    uint64_t next = (number & ~one) | (*third >> 61 & four), all = next;
    while ((next = next << 3 & four) != 0)
        all |= next;
    *third = all;
    return all;
}

static inline void starts_newer(const bipe_text_masks *m, size_t words, uint64_t *start, bool threes, bool cased,
                                bool slash)
{
    uint64_t other_carry = 0, absorbed_carry = 0, plain_carry = 0, begins_carry = 0, white_carry = 0, newline_carry = 0,
             third = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t letter = m->letter[w], number = m->number[w], all_white = m->white[w], newline = m->newline[w];
        uint64_t all_other = ~(letter | number | all_white), blank = all_white & ~newline;
        uint64_t absorbed = newline & shift_mask(all_other, &other_carry);
        if (slash) {
            uint64_t within = newline | m->slash[w];
            absorbed = fill_runs(absorbed | (absorbed_carry & within), within);
            absorbed_carry = absorbed >> 63;
        } else {
            uint64_t sum = newline + absorbed, whole = sum + absorbed_carry;
            absorbed_carry = sum < newline || whole < sum;
            absorbed = newline & ~whole;
        }
        uint64_t white = all_white & ~absorbed, other = all_other & ~absorbed;
        uint64_t begins = other & ~shift_mask(other, &plain_carry) & ~mask_before(m->space, w);
        uint64_t blank_before = mask_before(m->white, w) & ~mask_before(m->newline, w);
        uint64_t alone = begins | (begins_carry & m->inner[w]); /* all bytes of a character that begins */
        for (int i = 0; m->inner[w] != 0 && i < 3; i++)
            alone |= alone << 1 & m->inner[w];
        uint64_t s = begins | (letter & ~mask_before(m->letter, w) & ~blank_before & ~shift_mask(alone, &begins_carry));
        if (cased)
            s |= m->upper[w] & mask_before(m->letter, w) & ~mask_before(m->upper, w);
        s |= threes ? by_threes(number, w != 0 ? m->number[w - 1] : 0, &third) : number;
        s |= (white & ~shift_mask(white, &white_carry)) | (blank & ~followed_by(m->white, w));
        for (uint64_t after = blank & shift_mask(newline & ~absorbed, &newline_carry) & ~s; after != 0;
             after &= after - 1) {
            size_t at = (size_t)__builtin_ctzll(after);
            if (blanks_start(m, words, 64 * w + at))
                s |= UINT64_C(1) << at;
        }
        start[w] = s;
    }
}

/* Kana are in `upper`. */
static void starts_kana(const bipe_text_masks *m, size_t words, uint64_t *start)
{
    const uint64_t *kana = m->upper;
    uint64_t kana_carry = 0, kana_sign_carry = 0, letter_carry = 0, other_carry = 0, absorbed_carry = 0,
             plain_carry = 0, sign_carry = 0, white_carry = 0, newline_carry = 0, ascii_carry = 0, third = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t letter = m->letter[w] & ~kana[w], number = m->number[w], all_white = m->white[w],
                 newline = m->newline[w];
        uint64_t other = ~(letter | number | all_white | kana[w]), blank = all_white & ~newline, high = m->high[w];
        uint64_t kana_letter = m->letter[w] & kana[w], kana_sign = kana[w] & ~m->letter[w];
        uint64_t absorbed = newline & shift_mask(other, &other_carry), sum = newline + absorbed,
                 whole = sum + absorbed_carry;
        absorbed_carry = sum < newline || whole < sum;
        absorbed = newline & ~whole;
        uint64_t white = all_white & ~absorbed;
        uint64_t begins = other & ~shift_mask(other, &plain_carry) & ~mask_before(m->space, w);
        uint64_t blank_before = mask_before(m->white, w) & ~mask_before(m->newline, w);
        uint64_t first = letter & ~shift_mask(letter, &letter_carry),
                 joined = first & ~high & shift_mask(begins & ~high, &sign_carry);
        uint64_t ascii = letter & ~high, after = ascii + joined, all = after + ascii_carry;
        ascii_carry = after < ascii || all < after;
        uint64_t s = begins | (first & ~blank_before & ~joined) | (all & ~ascii & letter);
        s |= by_threes(number, w != 0 ? m->number[w - 1] : 0, &third);
        s |= (kana_letter & ~shift_mask(kana_letter, &kana_carry)) |
             (kana_sign & ~shift_mask(kana_sign, &kana_sign_carry));
        s |= white & ~shift_mask(white, &white_carry);
        s |= blank & ~(followed_by(m->white, w) | followed_by(m->number, w) | followed_by(kana, w));
        for (uint64_t rest = blank & shift_mask(newline & ~absorbed, &newline_carry) & ~s; rest != 0;
             rest &= rest - 1) {
            size_t at = (size_t)__builtin_ctzll(rest);
            if (blanks_start(m, words, 64 * w + at))
                s |= UINT64_C(1) << at;
        }
        start[w] = s;
    }
}

/* The first character of ASCII that is a control and no white space, or `size`. */
static size_t find_control(const uint8_t *text, size_t size)
{
    for (size_t at = 0; at < size; at += 64) {
        uint8_t any = 0;
        for (size_t i = 0; i < 64; i++) {
            uint8_t c = text[at + i];
            any |= (uint8_t)((c < 0x20 && (uint8_t)(c - '\t') > 4) || c == 0x7F);
        }
        for (size_t i = at; any != 0 && i < at + 64; i++)
            if ((text[i] < 0x20 && (uint8_t)(text[i] - '\t') > 4) || text[i] == 0x7F)
                return i < size ? i : size;
    }
    return size;
}

/* ---- contractions ---- */

static size_t contraction_size(const bipe_split_rule *rule, const uint8_t *text)
{
    uint8_t fold = rule->contractions == BIPE_CONTRACT_EXACT ? 0 : 0x20;
    uint8_t first = text[1] | fold;
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return 2;
    if (first != 'r' && first != 'v' && first != 'l')
        return 0;
    return (text[2] | fold) == (first == 'l' ? 'l' : 'e') ? 3 : 0;
}

static void add_contractions(const bipe_split_rule *rule, const bipe_text_masks *m, const uint8_t *text, size_t words,
                             uint64_t *start)
{
    size_t end = SIZE_MAX; /* of the last one: one cannot follow another after letters */
    for (size_t w = 0; w < words; w++) {
        uint64_t candidate = m->apostrophe[w] & (rule->suffix ? mask_before(m->letter, w) : start[w]);
        for (; candidate != 0; candidate &= candidate - 1) {
            size_t at = 64 * w + (size_t)__builtin_ctzll(candidate);
            size_t n = rule->suffix && at == end ? 0 : contraction_size(rule, text + at);
            if (n == 0)
                continue;
            end = at + n;
            for (size_t i = at + !rule->suffix; i < end; i++)
                start[i / 64] &= ~(UINT64_C(1) << i % 64);
            start[end / 64] |= UINT64_C(1) << end % 64;
        }
    }
}

/* ---- the whole ---- */

size_t bipe_pretoken_starts(const bipe_split_rule *rule, const bipe_char_classes *classes,
                            const bipe_text_masker *masker, const bipe_pretoken_parts *parts, const uint8_t *text,
                            size_t at, size_t size, uint32_t *out)
{
    bipe_text_masks m;
    uint64_t start[BIPE_MASK_WORDS + 1];
    size = size - at < BIPE_STARTS_MOST ? size - at : BIPE_STARTS_MOST;
    text += at;
    if (size < 4)
        return 0;
    size_t words = (size + 63) / 64;
    masker->classify(text, words, &m);
    m.letter[words] = m.upper[words] = m.number[words] = m.white[words] = 0;
    memset(m.inner, 0, (words + 1) * sizeof *m.inner);
    memset(m.part, 0, (words + 1) * sizeof *m.part);
    if (rule->kana)
        memset(m.upper, 0, words * sizeof *m.upper);
    size_t limit = add_high(rule, classes, parts, text, rule->kana ? find_control(text, size) : size, &m);
    if (limit < 4)
        return 0;
    words = (limit + 63) / 64;
    start[words] = 0;
    if (rule->kana)
        starts_kana(&m, words, start);
    else if (rule->gpt2 && rule->numbers_first)
        starts_gpt2(&m, words, start, true, rule->numbers == 1);
    else if (rule->gpt2)
        starts_gpt2(&m, words, start, false, false);
    else if (rule->cased)
        starts_newer(&m, words, start, rule->numbers == 3, true, rule->slash);
    else if (rule->numbers == 3)
        starts_newer(&m, words, start, true, false, false);
    else
        starts_newer(&m, words, start, false, false, false);
    if (rule->contractions != BIPE_CONTRACT_NONE)
        add_contractions(rule, &m, text, words, start);
    size_t last = limit - 3;
    uint64_t mask = UINT64_MAX >> (63 - last % 64);
    for (size_t w = last / 64;; w--, mask = UINT64_MAX) {
        uint64_t bits = start[w] & ~m.white[w] & mask;
        if (bits != 0) {
            last = 64 * w + 63 - (size_t)__builtin_clzll(bits);
            for (size_t i = 0; parts != NULL && i <= w; i++)
                start[i] |= m.part[i];
            start[w] &= UINT64_MAX >> (63 - last % 64);
            return last != 0 ? masker->list(start, w + 1, (uint32_t)at, out) - 1 : 0;
        }
        if (w == 0)
            return 0;
    }
}
