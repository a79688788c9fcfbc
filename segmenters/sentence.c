/* sentence.c - a segment is a sentence by the rules of UAX #29 (Unicode 15.0, section 5), as they stand or, with an
 * argument, tailored.
 *
 * SB8 needs look-ahead: whether "etc. (1) ..." continues is decided by the next letter. No text is kept for that, just
 * the offset where the sentence ends if it does; no rule leaves two such offsets open. After more than LOOK_AHEAD bytes
 * of look-ahead the sentence ends, so that little text stays undecided.
 *
 * Tailored, a full stop after an abbreviation or an initial ends a sentence or not as text/sentence_tailoring.h says;
 * SB8 holds for all stops, not only full ones ("Why?" she asked); the mark of a footnote after a stop closes the
 * sentence as a quotation mark does (so.[1]); and white space after the end of a paragraph belongs to the sentence
 * before, so that no segment is blank. Lines may be wrapped: then two newlines end a paragraph, and one is a blank. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>
#include "text/break_class.h"
#include "text/footnote_mark.h"
#include "text/sentence_tailoring.h"
#include "text/utf8.h"

enum { LOOK_AHEAD = 4096, LONGEST_CHARACTER = 4 };

/* The context of the next character. */
typedef enum sentence_state {
    WITHIN,
    AFTER_CR,       /* as it stands: a newline may follow */
    AFTER_STOP,     /* SATerm Close* Sp* */
    LOOKING,        /* the same, and other characters, but no letter (SB8) */
    IN_NEXT_WORD,   /* tailored: ... and letters: is it a word that begins sentences? */
    AFTER_NEWLINE,  /* tailored: a newline that ends nothing, and blanks */
    AFTER_PARAGRAPH /* tailored: white space; so a document begins, too */
} sentence_state;

typedef struct sentence {
    bipe_sentence_tailoring *tailoring; /* NULL: none */
    bool wrapped;
    bool plain[256]; /* bytes that matter only after a stop: ASCII but stops, CR and LF */

    sentence_state state;
    uint64_t at;       /* where the next character begins */
    uint64_t end;      /* not WITHIN or AFTER_NEWLINE: where the sentence ends if it does */
    bool filled;       /* tailored: the document has more than white space */
    bool after_letter; /* Lower or Upper stands before here; AFTER_STOP: before the stop */
    bool full_stop;    /* the last stop is an ATerm */
    enum { STOPPED, CLOSED, SPACED } phase; /* the part of SATerm Close* Sp* seen so far */
    bool newline;      /* wrapped: there is a newline in the white space before here */
    bool after_cr;     /* tailored: a newline that comes now belongs to the CR before it */
    bipe_abbreviation abbreviation; /* the word before the last stop */

    uint8_t mark[BIPE_FOOTNOTE_MARK + LONGEST_CHARACTER]; /* (mark_size) AFTER_STOP: what may be the mark of a
                                                             footnote */
    size_t mark_size;
    uint8_t begun[LONGEST_CHARACTER]; /* (begun_size) a character that is not complete yet */
    size_t begun_size;
    char word[BIPE_SENTENCE_WORD + 1]; /* tailored: (word_size) the letters, digits and full stops before here; its
                                          size: too many */
    size_t word_size;
} sentence;

/* ---- words ---- */

static void word_add(sentence *s, const uint8_t *bytes, size_t size)
{
    if (s->word_size + size < sizeof s->word) {
        memcpy(s->word + s->word_size, bytes, size);
        s->word_size += size;
    } else {
        s->word_size = sizeof s->word;
    }
}

static bool word_fits(const sentence *s)
{
    return s->word_size < sizeof s->word;
}

static bool is_word(bipe_sentence_class class)
{
    return class == BIPE_SB_LOWER || class == BIPE_SB_UPPER || class == BIPE_SB_OLETTER || class == BIPE_SB_NUMERIC;
}

/* A single capital, alone or after a full stop, as in U.S and Ph.D. */
static bool is_initial(const sentence *s)
{
    size_t from = s->word_size;
    int32_t code;
    while (from > 0 && s->word[from - 1] != '.')
        from--;
    return from < s->word_size &&
           bipe_utf8_decode((const uint8_t *)s->word + from, s->word_size - from, &code) == s->word_size - from &&
           bipe_sentence_class_of(code) == BIPE_SB_UPPER;
}

/* The meaning of the word before a full stop. */
static bipe_abbreviation abbreviation_of(const sentence *s)
{
    if (s->tailoring == NULL || !word_fits(s))
        return BIPE_NO_ABBREVIATION;
    bipe_abbreviation listed = bipe_sentence_tailoring_abbreviation(s->tailoring, s->word, s->word_size);
    bool initial = listed == BIPE_NO_ABBREVIATION && bipe_sentence_tailoring_has_starts(s->tailoring) && is_initial(s);
    return initial ? BIPE_ABBREVIATION_UNCERTAIN : listed;
}

/* "No. XI": not I, which is more often a word. */
static bool is_roman(const sentence *s)
{
    return s->word_size > 0 && strspn(s->word, "CDILMVX") >= s->word_size && !(s->word_size == 1 && s->word[0] == 'I');
}

/* Whether the sentence continues with the word after the stop; class: of the character after that word. */
static bool word_continues(sentence *s, bipe_sentence_class class)
{
    if (!word_fits(s))
        return s->abbreviation == BIPE_ABBREVIATION_UNCERTAIN;
    s->word[s->word_size] = '\0';
    if (s->abbreviation == BIPE_ABBREVIATION_NUMBER)
        return is_roman(s);
    bool initial = s->word_size == 1 && class == BIPE_SB_ATERM; /* J. A. Smith */
    return initial || !bipe_sentence_tailoring_starts(s->tailoring, s->word, s->word_size);
}

/* ---- characters ---- */

static int end_sentence(sentence *s, bipe_boundaries *boundaries)
{
    s->state = WITHIN;
    return bipe_boundaries_add(boundaries, s->end);
}

/* A character that ends at `end`, in the midst of a sentence or as its first. */
static int handle_within(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    s->state = WITHIN;
    switch (class) {
    case BIPE_SB_ATERM: case BIPE_SB_STERM:
        s->state = AFTER_STOP;
        s->end = end;
        s->full_stop = class == BIPE_SB_ATERM;
        s->phase = STOPPED;
        s->newline = false;
        s->abbreviation = s->full_stop ? abbreviation_of(s) : BIPE_NO_ABBREVIATION;
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_CR: case BIPE_SB_LF: case BIPE_SB_SEP: /* SB3, SB4 */
        s->after_letter = false;
        s->end = end;
        if (s->tailoring != NULL)
            s->state = s->wrapped && class != BIPE_SB_SEP ? AFTER_NEWLINE : AFTER_PARAGRAPH;
        else if (class == BIPE_SB_CR)
            s->state = AFTER_CR;
        else
            return end_sentence(s, boundaries);
        return BIPE_SEGMENTER_OK;
    default:
        s->after_letter = class == BIPE_SB_LOWER || class == BIPE_SB_UPPER;
        return BIPE_SEGMENTER_OK;
    }
}

/* The sentence ends at s->end, and the next one begins before this character. */
static int end_before(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    int status = end_sentence(s, boundaries);
    return status == BIPE_SEGMENTER_OK ? handle_within(s, class, end, boundaries) : status;
}

static int handle_newline(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    bool looking = s->state == LOOKING;
    s->after_letter = false;
    if (s->wrapped && !s->newline && class != BIPE_SB_SEP) {
        s->newline = true;
        s->phase = SPACED;
        s->end = looking ? s->end : end;
        return BIPE_SEGMENTER_OK;
    }
    if (looking && !(s->wrapped && s->newline))
        return end_before(s, class, end, boundaries);
    int status = looking ? end_sentence(s, boundaries) : BIPE_SEGMENTER_OK;
    s->end = end; /* SB9, SB10 */
    s->state = s->tailoring != NULL ? AFTER_PARAGRAPH : AFTER_CR;
    return status != BIPE_SEGMENTER_OK || s->tailoring != NULL || class == BIPE_SB_CR ? status
                                                                                      : end_sentence(s, boundaries);
}

/* AFTER_STOP or LOOKING. */
static int handle_after_stop(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    bool looking = s->state == LOOKING, looks = s->full_stop || s->tailoring != NULL;
    bool beside = !looking && s->full_stop && s->phase == STOPPED;
    switch (class) {
    case BIPE_SB_CR: case BIPE_SB_LF: case BIPE_SB_SEP:
        return handle_newline(s, class, end, boundaries);
    case BIPE_SB_SP:
        s->phase = SPACED; /* SB10 */
        s->end = looking ? s->end : end;
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_CLOSE:
        if (looking || s->phase == SPACED)
            break;
        s->phase = CLOSED; /* SB9 */
        s->end = end;
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_LOWER:
        return looks ? handle_within(s, class, end, boundaries) : end_before(s, class, end, boundaries); /* SB8 */
    case BIPE_SB_UPPER: case BIPE_SB_OLETTER:
        if (s->abbreviation == BIPE_ABBREVIATION_NEVER ||
            (beside && s->after_letter && class == BIPE_SB_UPPER)) /* SB7 */
            return handle_within(s, class, end, boundaries);
        if (s->abbreviation != BIPE_ABBREVIATION_UNCERTAIN && s->abbreviation != BIPE_ABBREVIATION_NUMBER)
            return end_before(s, class, end, boundaries);
        s->state = IN_NEXT_WORD;
        s->after_letter = class == BIPE_SB_UPPER;
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_NUMERIC:
        if (beside || (!looking && s->abbreviation == BIPE_ABBREVIATION_NUMBER)) /* SB6 */
            return handle_within(s, class, end, boundaries);
        break;
    case BIPE_SB_ATERM: case BIPE_SB_STERM:
        s->after_letter = false;
        return looking ? end_before(s, class, end, boundaries) : handle_within(s, class, end, boundaries); /* SB8a */
    case BIPE_SB_SCONTINUE:
        if (!looking)
            return handle_within(s, class, end, boundaries); /* SB8a */
        break;
    default:
        break;
    }
    if (s->abbreviation == BIPE_ABBREVIATION_NEVER)
        return handle_within(s, class, end, boundaries);
    if (!looks)
        return end_before(s, class, end, boundaries); /* SB11 */
    s->state = LOOKING;
    s->newline = false;
    return BIPE_SEGMENTER_OK;
}

static bool is_white(bipe_sentence_class class)
{
    return class == BIPE_SB_SP || class == BIPE_SB_CR || class == BIPE_SB_LF || class == BIPE_SB_SEP;
}

static int handle_class(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    bool joins = class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT; /* SB5 */
    if (s->state == LOOKING && end - s->end > LOOK_AHEAD)
        return end_before(s, class, end, boundaries);
    switch (s->state) {
    case WITHIN:
        return joins ? BIPE_SEGMENTER_OK : handle_within(s, class, end, boundaries);
    case AFTER_CR:
        if (class != BIPE_SB_LF)
            return end_before(s, class, end, boundaries);
        s->end = end;
        return end_sentence(s, boundaries);
    case AFTER_STOP:
        if (!joins)
            return handle_after_stop(s, class, end, boundaries);
        s->end = end;
        return BIPE_SEGMENTER_OK;
    case LOOKING:
        return joins ? BIPE_SEGMENTER_OK : handle_after_stop(s, class, end, boundaries);
    case IN_NEXT_WORD:
        if ((joins || is_word(class)) && word_fits(s)) {
            s->after_letter = joins ? s->after_letter : class == BIPE_SB_LOWER || class == BIPE_SB_UPPER;
            return BIPE_SEGMENTER_OK;
        }
        return word_continues(s, class) ? handle_within(s, class, end, boundaries)
                                        : end_before(s, class, end, boundaries);
    case AFTER_NEWLINE:
        if (class == BIPE_SB_SP)
            return BIPE_SEGMENTER_OK;
        if (!is_white(class))
            return handle_within(s, class, end, boundaries);
        s->state = AFTER_PARAGRAPH;
        s->end = end;
        return BIPE_SEGMENTER_OK;
    case AFTER_PARAGRAPH:
        if (!is_white(class))
            return s->filled ? end_before(s, class, end, boundaries) : handle_within(s, class, end, boundaries);
        s->end = end;
        return BIPE_SEGMENTER_OK;
    }
    return BIPE_SEGMENTER_OK;
}

/* A character that is part of no footnote's mark: `size` bytes. */
static int handle_plain_character(sentence *s, int32_t code, const uint8_t *bytes, size_t size,
                                  bipe_boundaries *boundaries)
{
    bipe_sentence_class class = bipe_sentence_class_of(code);
    s->at += size;
    if (s->tailoring == NULL)
        return handle_class(s, class, s->at, boundaries);
    bool belongs = class == BIPE_SB_LF && s->after_cr;
    s->after_cr = class == BIPE_SB_CR;
    int status = handle_class(s, belongs ? BIPE_SB_SP : class, s->at, boundaries);
    s->filled = s->filled || !is_white(class);
    bool dotted = s->word_size > 0 && word_fits(s) && s->word[s->word_size - 1] == '.';
    if (is_word(class) || ((class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT) && s->word_size > 0))
        word_add(s, bytes, size);
    else if (class == BIPE_SB_ATERM && s->word_size > 0 && !dotted)
        word_add(s, (const uint8_t *)".", 1);
    else
        s->word_size = 0;
    return status;
}

/* Whether the mark of a footnote may begin with this character. */
static bool may_begin_mark(const sentence *s, int32_t code)
{
    return s->tailoring != NULL && s->state == AFTER_STOP && s->phase != SPACED && bipe_footnote_begins(code);
}

/* Whether digits after the stop can be a mark: done!1 and done."1, but not !1 and ASN.1. */
static bool digits_may_mark(const sentence *s)
{
    return s->phase == CLOSED || (!s->full_stop && s->after_letter);
}

/* Handles what is kept as marks and characters, as far as it is decided; last: the text ends. */
static int flush_kept(sentence *s, bool last, bipe_boundaries *boundaries)
{
    int status = BIPE_SEGMENTER_OK;
    while (s->mark_size > 0 && status == BIPE_SEGMENTER_OK) {
        int32_t code;
        size_t size = bipe_utf8_decode(s->mark, s->mark_size, &code), length = 0;
        bool open = false;
        if (may_begin_mark(s, code))
            length = bipe_footnote_mark(s->mark, s->mark_size, digits_may_mark(s), &open);
        if (open && !last)
            break;
        if (length > 0) {
            s->at += length;
            s->word_size = 0;
            status = handle_class(s, BIPE_SB_CLOSE, s->at, boundaries);
        } else {
            length = size > 0 ? size : 1;
            status = handle_plain_character(s, code, s->mark, length, boundaries);
        }
        s->mark_size -= length;
        memmove(s->mark, s->mark + length, s->mark_size);
    }
    return status;
}

/* The next character: `size` bytes. */
static int handle_character(sentence *s, int32_t code, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    if (s->mark_size == 0 && !may_begin_mark(s, code))
        return handle_plain_character(s, code, bytes, size, boundaries);
    memcpy(s->mark + s->mark_size, bytes, size);
    s->mark_size += size;
    return flush_kept(s, false, boundaries);
}

/* Plain bytes in the midst of a sentence. */
static void handle_plain_bytes(sentence *s, const uint8_t *bytes, size_t size)
{
    bipe_sentence_class last = bipe_sentence_class_of(bytes[size - 1]);
    s->at += size;
    s->after_letter = last == BIPE_SB_LOWER || last == BIPE_SB_UPPER;
    if (s->tailoring == NULL)
        return;
    size_t from = size;
    while (from > 0 && is_word(bipe_sentence_class_of(bytes[from - 1])))
        from--;
    if (from > 0)
        s->word_size = 0;
    word_add(s, bytes + from, size - from);
}

/* ---- the interface ---- */

static void sentence_close(void *state)
{
    sentence *s = state;
    bipe_sentence_tailoring_close(s->tailoring);
    free(s);
}

static int sentence_open(void **state, const char *argument, char *error, size_t error_size)
{
    bipe_error err;
    sentence *s = calloc(1, sizeof *s);
    if (s == NULL)
        return BIPE_SEGMENTER_MEMORY;
    int status = argument != NULL ? bipe_sentence_tailoring_open(&s->tailoring, argument, &err) : BIPE_OK;
    if (status != BIPE_OK) {
        free(s);
        snprintf(error, error_size, "%s", err.text);
        return status == BIPE_ERR_MEMORY ? BIPE_SEGMENTER_MEMORY : BIPE_SEGMENTER_ARGUMENT;
    }
    s->wrapped = s->tailoring != NULL && bipe_sentence_tailoring_wrapped(s->tailoring);
    for (int b = 0; b < 0x80; b++) {
        bipe_sentence_class class = bipe_sentence_class_of(b);
        s->plain[b] = class != BIPE_SB_ATERM && class != BIPE_SB_STERM && class != BIPE_SB_CR && class != BIPE_SB_LF;
    }
    *state = s;
    return BIPE_SEGMENTER_OK;
}

static int sentence_begin(void *state)
{
    sentence *s = state;
    s->state = s->tailoring != NULL ? AFTER_PARAGRAPH : WITHIN;
    s->at = 0;
    s->mark_size = s->begun_size = s->word_size = 0;
    s->filled = s->after_letter = s->after_cr = false;
    return BIPE_SEGMENTER_OK;
}

/* A character of which the first bytes came with a call before. */
static int handle_begun(sentence *s, uint8_t byte, bipe_boundaries *boundaries)
{
    int status = BIPE_SEGMENTER_OK;
    int32_t code;
    size_t n;
    s->begun[s->begun_size++] = byte;
    while (s->begun_size > 0 && status == BIPE_SEGMENTER_OK &&
           (n = bipe_utf8_decode(s->begun, s->begun_size, &code)) > 0) {
        status = handle_character(s, code, s->begun, n, boundaries);
        s->begun_size -= n;
        memmove(s->begun, s->begun + n, s->begun_size);
    }
    return status;
}

static bool is_open_end(const sentence *s)
{
    return s->state != WITHIN && s->state != AFTER_NEWLINE && (s->state != AFTER_PARAGRAPH || s->filled);
}

static int sentence_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    sentence *s = state;
    int status = BIPE_SEGMENTER_OK;
    (void)offset;
    for (size_t i = 0, n; i < size && status == BIPE_SEGMENTER_OK; i += n) {
        int32_t code;
        n = 0;
        if (s->begun_size > 0) {
            n = 1;
            status = handle_begun(s, bytes[i], boundaries);
            continue;
        }
        while (s->state == WITHIN && i + n < size && s->plain[bytes[i + n]])
            n++;
        if (n > 0) {
            handle_plain_bytes(s, bytes + i, n);
            continue;
        }
        n = bipe_utf8_decode(bytes + i, size - i, &code);
        if (n > 0) {
            status = handle_character(s, code, bytes + i, n, boundaries);
        } else {
            n = size - i;
            s->begun_size = n;
            memcpy(s->begun, bytes + i, n);
        }
    }
    if (is_open_end(s))
        boundaries->settled = s->end - 1;
    return status;
}

static int sentence_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    sentence *s = state;
    int status = BIPE_SEGMENTER_OK;
    (void)size;
    for (size_t i = 0; i < s->begun_size && status == BIPE_SEGMENTER_OK; i++) /* what was cut off is no character */
        status = handle_character(s, -1, s->begun + i, 1, boundaries);
    s->begun_size = 0;
    if (status == BIPE_SEGMENTER_OK)
        status = flush_kept(s, true, boundaries);
    if (status != BIPE_SEGMENTER_OK || !is_open_end(s) ||
        (s->state == IN_NEXT_WORD && word_continues(s, BIPE_SB_OTHER)))
        return status;
    return bipe_boundaries_add(boundaries, s->end);
}

const bipe_segmenter bipe_segmenter_sentence = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "sentence",
    .argument = "LANG",
    .summary = "a sentence by UAX #29; with LANG, abbreviations of a language are known",
    .open = sentence_open,
    .begin = sentence_begin,
    .bytes = sentence_bytes,
    .end = sentence_end,
    .close = sentence_close,
};
