/* sentence.c - a segment is a sentence by the rules of UAX #29 (Unicode 17.0, section 5), as they stand or, with an
 * argument, tailored; `auto` decides about that for each document, and keeps its beginning until then.
 *
 * SB8 needs look-ahead: whether "etc. (1) ..." continues is decided by the next letter. No text is kept for that, just
 * the offset where the sentence ends if it does; no rule leaves two such offsets open. After more than LOOK_AHEAD bytes
 * of look-ahead the sentence ends, so that little text stays undecided.
 *
 * Tailored, a full stop after an abbreviation, an initial or a number ends a sentence or not as
 * text/sentence_tailoring.h says; listed marks stop, open and close sentences; SB8 holds for all stops, not only full
 * ones ("Why?" she asked), unless the list lets sentences begin with small letters; the mark of a footnote after a stop
 * closes the sentence as a quotation mark does (so.[1]); the marker of an item belongs to what follows it; and white
 * space after the end of a paragraph belongs to the sentence before, so that no segment is blank. Lines may be wrapped:
 * then two newlines end a paragraph, and one is a blank. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>
#include "text/break_class.h"
#include "text/footnote_mark.h"
#include "text/sentence_language.h"
#include "text/sentence_tailoring.h"
#include "text/sentence_word.h"
#include "text/utf8.h"

enum { LOOK_AHEAD = 4096, LONGEST_CHARACTER = 4, PLAIN = 1, PLAIN_UNLESS_MARK = 2 };

/* The context of the next character. */
typedef enum sentence_state {
    WITHIN,
    AFTER_CR,       /* as it stands: a newline may follow */
    AFTER_STOP,     /* SATerm Close* Sp* */
    LOOKING,        /* the same, and other characters, but no letter (SB8) */
    IN_NEXT_WORD,   /* tailored: ... and letters: is it a word that begins sentences, or a marker? */
    AFTER_NEWLINE,  /* tailored: a newline that ends nothing, and blanks */
    AFTER_PARAGRAPH /* tailored: white space; so a document begins, too */
} sentence_state;

typedef struct sentence {
    bipe_sentence_tailoring *own;             /* the only one; NULL: none, or those of the languages */
    bipe_sentence_languages *languages;       /* `auto`; NULL: another argument, or none */
    const bipe_sentence_tailoring *tailoring; /* of the present document; NULL: none */
    const bipe_sentence_samples *samples;
    uint8_t *beginning; /* (beginning_size) `auto`: of the document, until its language is known */
    size_t beginning_size;
    bool chosen;        /* it is */
    bool wrapped;
    uint8_t plain[256]; /* PLAIN: it matters only after a stop: ASCII but what stops begin with, CR, LF (and ") */
    bool second[256];   /* second bytes of listed stops; all if one has one byte */
    bool in_word[128];  /* ASCII letters and digits */
    uint8_t marks[256]; /* the kinds of listed marks that begin with a byte */

    sentence_state state;
    uint64_t at;       /* where the next character begins */
    uint64_t end;      /* not WITHIN or AFTER_NEWLINE: where the sentence ends if it does */
    bool filled;       /* tailored: the document has more than white space */
    bool after_letter; /* Lower or Upper stands before here; AFTER_STOP: before the stop */
    bool full_stop;    /* the last stop is an ATerm */
    enum { STOPPED, CLOSED, SPACED } phase; /* the part of SATerm Close* Sp* seen so far */
    bool closed;       /* tailored: a mark that closes stands between the last stop and here */
    bool sure;         /* tailored: the last stop follows what looks like no abbreviation, and no other full stop */
    bool in_bracket;   /* LOOKING: after a stop and a blank there is a round bracket, and nothing else yet */
    bool leading;      /* tailored: the sentence begins with the last stops */
    enum { ANYTHING, DIGIT, DIGIT_AND_MARK, COLON, COLON_AND_BLANK } before; /* tailored: what stands before here */
    enum { ANY_WORD, SECOND_PART, AFTER_COLON } place; /* tailored: of the word before here, as the 1 of 2:1 */
    bool odd;          /* tailored: ... what looks like an abbreviation, though no list has it */
    bool after_first;  /* tailored: ... the first word of the sentence */
    bool after_number; /* tailored: the last stop follows a number of one to three digits */
    bool quoted;       /* tailored: the paragraph has an odd number of " so far */
    bool listed_stop;  /* tailored: the stop that is handled now is a listed mark */
    int32_t code;      /* tailored: the character that is handled now */
    enum { NO_WORD, FIRST_WORD, LATER_WORD } words; /* tailored: those that the sentence has so far */
    enum { CAPITAL_NEXT, JOINED_NEXT, ITEM_NEXT } next; /* IN_NEXT_WORD: a capital after a blank, or beside the stop;
                                                           what may mark an item */
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

/* The meaning of the word before a full stop. */
static bipe_abbreviation abbreviation_of(const sentence *s)
{
    enum { DIGITS = 3 };
    if (s->tailoring == NULL || s->listed_stop || !word_fits(s))
        return BIPE_NO_ABBREVIATION;
    if (s->leading || (s->words == FIRST_WORD && bipe_sentence_is_marker(s->word, s->word_size)) ||
        (s->place == AFTER_COLON && bipe_sentence_digits(s->word, s->word_size) > 0 &&
         bipe_sentence_is_marker(s->word, s->word_size)))
        return BIPE_ABBREVIATION_NEVER;
    bipe_abbreviation listed = bipe_sentence_tailoring_abbreviation(s->tailoring, s->word, s->word_size);
    if (listed != BIPE_NO_ABBREVIATION)
        return listed;
    if (s->word_size > 0 && s->word_size <= DIGITS && s->place != SECOND_PART &&
        bipe_sentence_digits(s->word, s->word_size) == s->word_size)
        return s->samples->number;
    bool numeral = s->samples->numeral != BIPE_NO_ABBREVIATION && s->word_size > 1;
    if (numeral && bipe_sentence_is_roman(s->word, s->word_size))
        return s->samples->numeral;
    bool initial = bipe_sentence_tailoring_has_starts(s->tailoring) && bipe_sentence_is_initial(s->word, s->word_size);
    return initial ? BIPE_ABBREVIATION_UNCERTAIN : BIPE_NO_ABBREVIATION;
}

static bool is_abbreviation(bipe_abbreviation meaning)
{
    return meaning != BIPE_NO_ABBREVIATION && meaning != BIPE_ABBREVIATION_END;
}

/* What decides whether the next sentence may begin with a small letter, with a digit, or without a blank. */
static void note_stop(sentence *s, bool repeated)
{
    size_t size = word_fits(s) ? s->word_size : 0;
    bool letter = bipe_sentence_is_one_letter(s->word, size), plain = !letter && memchr(s->word, '.', size) == NULL;
    s->sure = !is_abbreviation(s->abbreviation) && (!s->full_stop || (plain && !repeated));
    s->odd = s->full_stop && !repeated && (letter || (!plain && !is_abbreviation(s->abbreviation)));
    s->after_number = size > 0 && size <= 3 && bipe_sentence_digits(s->word, size) == size;
    s->after_first = s->words == FIRST_WORD;
    s->closed = false;
    s->words = NO_WORD;
}

/* Whether the sentence continues with the word after the stop; class: of the character after that word. */
static bool word_continues(sentence *s, bipe_sentence_class class)
{
    if (!word_fits(s))
        return s->next != CAPITAL_NEXT || s->abbreviation == BIPE_ABBREVIATION_UNCERTAIN;
    s->word[s->word_size] = '\0';
    if (s->next == ITEM_NEXT) /* a) second */
        return s->code != ')' || !bipe_sentence_is_marker(s->word, s->word_size);
    if (s->next == JOINED_NEXT) { /* favourite.The */
        const char *from = strrchr(s->word, '.') != NULL ? strrchr(s->word, '.') + 1 : s->word;
        bool ends = class == BIPE_SB_SP || class == BIPE_SB_LF || class == BIPE_SB_SCONTINUE ||
                    (class == BIPE_SB_CLOSE && s->code != '(');
        return !ends || !bipe_sentence_tailoring_starts(s->tailoring, from, strlen(from));
    }
    if (s->abbreviation == BIPE_ABBREVIATION_NUMBER)
        return bipe_sentence_is_roman(s->word, s->word_size);
    bool initial = class == BIPE_SB_ATERM && bipe_sentence_is_one_letter(s->word, s->word_size); /* J. A. Smith */
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
    bool repeated;
    switch (class) {
    case BIPE_SB_ATERM: case BIPE_SB_STERM:
        repeated = s->state == AFTER_STOP;
        s->leading = s->words == NO_WORD && (!repeated || s->leading);
        s->state = AFTER_STOP;
        s->end = end;
        s->full_stop = class == BIPE_SB_ATERM;
        s->phase = STOPPED;
        s->newline = false;
        s->abbreviation = s->full_stop ? abbreviation_of(s) : BIPE_NO_ABBREVIATION;
        if (s->tailoring != NULL)
            note_stop(s, repeated);
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_CR: case BIPE_SB_LF: case BIPE_SB_SEP: /* SB3, SB4 */
        s->state = WITHIN;
        s->after_letter = false;
        s->words = NO_WORD;
        s->end = end;
        if (s->tailoring != NULL)
            s->state = s->wrapped && class != BIPE_SB_SEP ? AFTER_NEWLINE : AFTER_PARAGRAPH;
        else if (class == BIPE_SB_CR)
            s->state = AFTER_CR;
        else
            return end_sentence(s, boundaries);
        return BIPE_SEGMENTER_OK;
    default:
        s->state = WITHIN;
        s->after_letter = class == BIPE_SB_LOWER || class == BIPE_SB_UPPER;
        return BIPE_SEGMENTER_OK;
    }
}

/* The same where the sentence did not end at a stop. */
static int go_on(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    s->words = LATER_WORD;
    return handle_within(s, class, end, boundaries);
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

/* The first character of what may mark an item: a) and (1). */
static int begin_item(sentence *s, bipe_sentence_class class)
{
    s->after_letter = class == BIPE_SB_LOWER;
    s->state = IN_NEXT_WORD;
    s->next = ITEM_NEXT;
    return BIPE_SEGMENTER_OK;
}

/* The first character of a word that decides whether the sentence goes on. */
static int begin_next_word(sentence *s, bipe_sentence_class class)
{
    s->state = IN_NEXT_WORD;
    s->next = s->phase == STOPPED ? JOINED_NEXT : CAPITAL_NEXT;
    s->after_letter = class == BIPE_SB_UPPER;
    return BIPE_SEGMENTER_OK;
}

/* Whether the word before here, with its full stop, begins an abbreviation. */
static bool is_within_abbreviation(const sentence *s)
{
    return s->tailoring != NULL && s->word_size > 0 && word_fits(s) &&
           bipe_sentence_tailoring_goes_on(s->tailoring, s->word, s->word_size);
}

/* A letter AFTER_STOP or LOOKING. */
static int handle_letter(sentence *s, bipe_sentence_class class, uint64_t end, bipe_boundaries *boundaries)
{
    bool looking = s->state == LOOKING, tailored = s->tailoring != NULL;
    bool beside = !looking && s->full_stop && s->phase == STOPPED;
    bool may_begin = tailored && !looking && s->phase == SPACED && !s->closed && s->sure;
    if (class == BIPE_SB_LOWER) {
        if ((!s->full_stop && !tailored) || (may_begin && s->samples->small && !s->after_number))
            return end_before(s, class, end, boundaries);
        return may_begin || (looking && s->in_bracket) ? begin_item(s, class)
                                                       : go_on(s, class, end, boundaries); /* SB8 */
    }
    if (beside && s->after_letter && class == BIPE_SB_UPPER) { /* SB7 */
        bool joined = tailored && s->sure && word_fits(s) && bipe_sentence_tailoring_has_starts(s->tailoring);
        return joined ? begin_next_word(s, class) : go_on(s, class, end, boundaries);
    }
    if (s->abbreviation == BIPE_ABBREVIATION_NEVER || (beside && is_within_abbreviation(s)))
        return go_on(s, class, end, boundaries);
    if (s->abbreviation != BIPE_ABBREVIATION_UNCERTAIN && s->abbreviation != BIPE_ABBREVIATION_NUMBER)
        return end_before(s, class, end, boundaries);
    int status = begin_next_word(s, class);
    s->next = CAPITAL_NEXT;
    return status;
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
        s->closed = true;
        s->end = end;
        return BIPE_SEGMENTER_OK;
    case BIPE_SB_LOWER: case BIPE_SB_UPPER: case BIPE_SB_OLETTER:
        return handle_letter(s, class, end, boundaries);
    case BIPE_SB_NUMERIC:
        if (beside || (!looking && (s->abbreviation == BIPE_ABBREVIATION_NUMBER || (s->odd && s->samples->digits)))) {
            int status = go_on(s, class, end, boundaries); /* SB6 */
            s->words = beside && s->after_first ? FIRST_WORD : LATER_WORD;
            return status;
        }
        if (s->tailoring != NULL && s->samples->digits && !looking && s->phase == SPACED && s->sure && !s->after_number)
            return end_before(s, class, end, boundaries);
        if (looking && s->in_bracket)
            return begin_item(s, class);
        break;
    case BIPE_SB_ATERM: case BIPE_SB_STERM:
        s->after_letter = false;
        return looking ? end_before(s, class, end, boundaries) : handle_within(s, class, end, boundaries); /* SB8a */
    case BIPE_SB_SCONTINUE:
        if (!looking)
            return go_on(s, class, end, boundaries); /* SB8a */
        break;
    default:
        break;
    }
    if (s->abbreviation == BIPE_ABBREVIATION_NEVER)
        return go_on(s, class, end, boundaries);
    if (!looks)
        return end_before(s, class, end, boundaries); /* SB11 */
    s->in_bracket = s->tailoring != NULL && !looking && s->code == '(' && s->phase == SPACED && s->sure && !s->closed;
    s->state = LOOKING;
    s->newline = false;
    return BIPE_SEGMENTER_OK;
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
        if ((joins || bipe_sentence_is_word(class)) && word_fits(s)) {
            s->after_letter = joins ? s->after_letter : class == BIPE_SB_LOWER || class == BIPE_SB_UPPER;
            return BIPE_SEGMENTER_OK;
        }
        if (s->next == ITEM_NEXT && word_continues(s, class) && bipe_sentence_digits(s->word, s->word_size) > 0) {
            s->state = LOOKING; /* the number of (5 men) decides nothing */
            s->in_bracket = false;
            return handle_after_stop(s, class, end, boundaries);
        }
        return word_continues(s, class) ? go_on(s, class, end, boundaries) : end_before(s, class, end, boundaries);
    case AFTER_NEWLINE:
        if (class == BIPE_SB_SP)
            return BIPE_SEGMENTER_OK;
        if (!bipe_sentence_is_white(class))
            return handle_within(s, class, end, boundaries);
        s->state = AFTER_PARAGRAPH;
        s->end = end;
        return BIPE_SEGMENTER_OK;
    case AFTER_PARAGRAPH:
        if (!bipe_sentence_is_white(class))
            return s->filled ? end_before(s, class, end, boundaries) : handle_within(s, class, end, boundaries);
        s->end = end;
        return BIPE_SEGMENTER_OK;
    }
    return BIPE_SEGMENTER_OK;
}

/* What stands before the next character, after this one. */
static void note_before(sentence *s, int32_t code, bipe_sentence_class class)
{
    if (class == BIPE_SB_NUMERIC)
        s->before = DIGIT;
    else if (s->before == DIGIT && !bipe_sentence_is_word(class) && !bipe_sentence_is_white(class))
        s->before = DIGIT_AND_MARK;
    else
        s->before = code == ':' ? COLON : code == ' ' && s->before == COLON ? COLON_AND_BLANK : ANYTHING;
}

/* A word begins here. */
static void note_word(sentence *s)
{
    s->words = s->words == NO_WORD ? FIRST_WORD : LATER_WORD;
    s->place = s->before == DIGIT_AND_MARK ? SECOND_PART : s->before == COLON_AND_BLANK ? AFTER_COLON : ANY_WORD;
}

/* A character that is part of no mark: `size` bytes. */
static int handle_plain_character(sentence *s, int32_t code, const uint8_t *bytes, size_t size,
                                  bipe_boundaries *boundaries)
{
    bipe_sentence_class class = bipe_sentence_class_of(code);
    s->at += size;
    if (s->tailoring == NULL)
        return handle_class(s, class, s->at, boundaries);
    bool belongs = class == BIPE_SB_LF && s->after_cr;
    s->after_cr = class == BIPE_SB_CR;
    s->code = code;
    if (s->state == WITHIN && bipe_sentence_is_letter(class)) { /* the usual case, made short */
        s->after_letter = class != BIPE_SB_OLETTER;
        if (s->word_size == 0)
            note_word(s);
        s->before = ANYTHING;
        word_add(s, bytes, size);
        return BIPE_SEGMENTER_OK;
    }
    int status = handle_class(s, belongs ? BIPE_SB_SP : class, s->at, boundaries);
    s->filled = s->filled || !bipe_sentence_is_white(class);
    s->quoted = s->quoted != (code == '"') && (!bipe_sentence_is_white(class) || class == BIPE_SB_SP || s->wrapped);
    bool dotted = s->word_size > 0 && word_fits(s) && s->word[s->word_size - 1] == '.';
    if (bipe_sentence_is_word(class) && s->word_size == 0)
        note_word(s);
    note_before(s, code, class);
    if (bipe_sentence_is_word(class) || ((class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT) && s->word_size > 0))
        word_add(s, bytes, size);
    else if (class == BIPE_SB_ATERM && s->word_size > 0 && !dotted)
        word_add(s, (const uint8_t *)".", 1);
    else
        s->word_size = 0;
    return status;
}

/* Whether a mark may begin with this character, of which *byte is the first byte. */
static bool may_begin_mark(const sentence *s, int32_t code, const uint8_t *byte)
{
    if (s->tailoring == NULL)
        return false;
    unsigned kinds = s->marks[*byte];
    if (s->state != AFTER_STOP)
        return (kinds & BIPE_MARK_STOP) != 0;
    if (kinds != 0 || s->phase != SPACED)
        return kinds != 0 || bipe_footnote_begins(code);
    return (code == '[' && s->samples->bracketed) || (code == '"' && s->quoted);
}

/* Whether digits after the stop can be a mark: done!1 and done."1, but not !1 and ASN.1. */
static bool digits_may_mark(const sentence *s)
{
    return s->phase == CLOSED || (!s->full_stop && s->after_letter);
}

/* The length of what closes a sentence only where it stands between blanks: a number in square brackets, and a
 * quotation mark; 0: it does not. */
static size_t mark_between_blanks(const uint8_t *text, size_t size, bool *open)
{
    int32_t code = '1';
    size_t length = 1;
    *open = size == 1;
    if (text[0] == '[' && size > 1)
        length = text[1] >= '0' && text[1] <= '9' ? bipe_footnote_mark(text, size, false, open) : 0;
    *open = *open || (length > 0 && length == size);
    if (length > 0 && length < size)
        bipe_utf8_decode(text + length, size - length, &code);
    return length == size || bipe_is_white_space(code) ? length : 0;
}

/* The mark that is kept, or the beginning of one (*open): its kind, and its size in bytes. */
static bipe_sentence_mark find_mark(const sentence *s, size_t *size, bool *open)
{
    int32_t code;
    bool after_stop = s->state == AFTER_STOP, longer = false;
    unsigned kinds = after_stop ? ~0U : BIPE_MARK_STOP;
    *size = s->mark_size;
    bipe_sentence_mark found = bipe_sentence_tailoring_mark(s->tailoring, kinds, s->mark, size, open);
    if (found != BIPE_MARK_NONE || !after_stop || bipe_utf8_decode(s->mark, s->mark_size, &code) == 0)
        return found;
    if (s->phase != SPACED && bipe_footnote_begins(code))
        *size = bipe_footnote_mark(s->mark, s->mark_size, digits_may_mark(s), &longer);
    else if (s->phase == SPACED && (code == '[' || code == '"'))
        *size = mark_between_blanks(s->mark, s->mark_size, &longer);
    *open = *open || longer;
    return *size > 0 ? BIPE_MARK_CLOSE : BIPE_MARK_NONE;
}

/* A mark that ends at s->at. */
static int handle_mark(sentence *s, bipe_sentence_mark found, bipe_boundaries *boundaries)
{
    int status = BIPE_SEGMENTER_OK;
    int32_t code;
    bipe_utf8_decode(s->mark, s->mark_size, &code);
    bool dash = bipe_sentence_class_of(code) == BIPE_SB_SCONTINUE;
    if (found == BIPE_MARK_STOP) {
        s->listed_stop = true;
        status = handle_class(s, BIPE_SB_ATERM, s->at, boundaries);
        s->listed_stop = false;
    } else if (found == BIPE_MARK_CLOSE) {
        s->quoted = s->quoted && s->mark[0] != '"';
        s->phase = CLOSED;
        s->closed = true;
        s->end = s->at;
    } else if (s->abbreviation == BIPE_ABBREVIATION_NEVER || (dash && is_abbreviation(s->abbreviation))) {
        status = go_on(s, BIPE_SB_OTHER, s->at, boundaries);
    } else {
        s->state = LOOKING;
        s->in_bracket = s->newline = false;
    }
    s->word_size = 0;
    s->before = ANYTHING;
    s->filled = true;
    s->after_cr = false;
    return status;
}

/* Handles what is kept as marks and characters, as far as it is decided; last: the text ends. */
static int flush_kept(sentence *s, bool last, bipe_boundaries *boundaries)
{
    int status = BIPE_SEGMENTER_OK;
    while (s->mark_size > 0 && status == BIPE_SEGMENTER_OK) {
        int32_t code;
        size_t size = bipe_utf8_decode(s->mark, s->mark_size, &code), length = 0;
        bool open = false;
        bipe_sentence_mark found = BIPE_MARK_NONE;
        if (may_begin_mark(s, code, s->mark))
            found = find_mark(s, &length, &open);
        if (open && !last)
            break;
        if (found == BIPE_MARK_OPEN && s->phase != SPACED && bipe_sentence_class_of(code) == BIPE_SB_SCONTINUE)
            found = BIPE_MARK_NONE; /* a hyphen: the U.S.-led */
        if (found != BIPE_MARK_NONE) {
            s->at += length;
            status = handle_mark(s, found, boundaries);
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
    bool within = s->state == WITHIN && (s->marks[*bytes] & BIPE_MARK_STOP) == 0;
    if (s->mark_size == 0 && (within || !may_begin_mark(s, code, bytes)))
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
    size_t from = size, at = 0;
    while (from > 0 && s->in_word[bytes[from - 1]])
        from--;
    while (at < from && s->word_size > 0 && s->in_word[bytes[at]])
        at++;
    for (; at < from && s->words != LATER_WORD; at++)
        if (s->in_word[bytes[at]] && (at == 0 || !s->in_word[bytes[at - 1]]))
            note_word(s);
    bool usual = from > 1 && bytes[from - 1] == ' ' && bytes[from - 2] != ':';
    s->before = usual ? ANYTHING : s->before;
    for (at = from > 3 ? from - 3 : 0; at < from && !usual; at++) /* three characters decide about a word's place */
        note_before(s, bytes[at], bipe_sentence_class_of(bytes[at]));
    if (from > 0)
        s->word_size = 0;
    if (from == size)
        return;
    if (s->word_size == 0)
        note_word(s);
    s->before = last == BIPE_SB_NUMERIC ? DIGIT : ANYTHING;
    word_add(s, bytes + from, size - from);
}

/* ---- the interface ---- */

static void sentence_close(void *state)
{
    sentence *s = state;
    bipe_sentence_tailoring_close(s->own);
    bipe_sentence_languages_close(s->languages);
    free(s->beginning);
    free(s);
}

/* What follows from a tailoring, NULL included. */
static void use_tailoring(sentence *s, const bipe_sentence_tailoring *t)
{
    s->tailoring = t;
    s->wrapped = t != NULL && bipe_sentence_tailoring_wrapped(t);
    s->samples = t != NULL ? bipe_sentence_tailoring_samples(t) : NULL;
    for (int b = 0; b < 256; b++)
        s->marks[b] = t != NULL ? (uint8_t)bipe_sentence_tailoring_marks(t, (uint8_t)b) : 0;
    if (t != NULL)
        bipe_sentence_tailoring_seconds(t, BIPE_MARK_STOP, s->second);
    for (int b = 0; b < 0x80; b++) {
        bipe_sentence_class class = bipe_sentence_class_of(b);
        bool plain = class != BIPE_SB_ATERM && class != BIPE_SB_STERM && class != BIPE_SB_CR && class != BIPE_SB_LF;
        bool mark = (s->marks[b] & BIPE_MARK_STOP) != 0;
        s->plain[b] = !plain || (t != NULL && b == '"') ? 0 : mark ? PLAIN_UNLESS_MARK : PLAIN;
        s->in_word[b] = bipe_sentence_is_word(class);
    }
    s->state = t != NULL ? AFTER_PARAGRAPH : WITHIN;
}

static int sentence_open(void **state, const char *argument, char *error, size_t error_size)
{
    bipe_error err;
    sentence *s = calloc(1, sizeof *s);
    if (s == NULL)
        return BIPE_SEGMENTER_MEMORY;
    bool automatic = argument != NULL && bipe_sentence_is_auto(argument);
    int status = automatic          ? bipe_sentence_languages_open(&s->languages, argument, &err)
                 : argument != NULL ? bipe_sentence_tailoring_open(&s->own, argument, &err)
                                    : BIPE_OK;
    if (status == BIPE_OK && automatic && (s->beginning = malloc(BIPE_LANGUAGE_TEXT)) == NULL)
        status = BIPE_ERR_MEMORY;
    if (status != BIPE_OK) {
        snprintf(error, error_size, "%s", status != BIPE_ERR_MEMORY ? err.text : "");
        sentence_close(s);
        return status == BIPE_ERR_MEMORY ? BIPE_SEGMENTER_MEMORY : BIPE_SEGMENTER_ARGUMENT;
    }
    use_tailoring(s, s->own);
    *state = s;
    return BIPE_SEGMENTER_OK;
}

static int sentence_begin(void *state)
{
    sentence *s = state;
    s->state = s->tailoring != NULL ? AFTER_PARAGRAPH : WITHIN;
    s->at = 0;
    s->mark_size = s->begun_size = s->word_size = s->beginning_size = 0;
    s->words = NO_WORD;
    s->before = ANYTHING;
    s->place = ANY_WORD;
    s->leading = false;
    s->filled = s->after_letter = s->after_cr = s->quoted = false;
    s->chosen = s->languages == NULL;
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

/* How many of the bytes, from the first on, are plain. */
static size_t count_plain(const sentence *s, const uint8_t *bytes, size_t size)
{
    const uint8_t *plain = s->plain;
    for (size_t i = 0;; i++) {
        const uint8_t *b = bytes + i;
        for (; size - i >= 4 && (plain[b[0]] & plain[b[1]] & plain[b[2]] & plain[b[3]]) == PLAIN; b += 4)
            i += 4;
        while (i < size && plain[bytes[i]] == PLAIN)
            i++;
        if (i + 1 >= size || plain[bytes[i]] != PLAIN_UNLESS_MARK || s->second[bytes[i + 1]])
            return i;
    }
}

static int handle_bytes(sentence *s, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    int status = BIPE_SEGMENTER_OK;
    int32_t code;
    for (size_t i = 0, n; i < size && status == BIPE_SEGMENTER_OK; i += n) {
        n = 0;
        if (s->begun_size > 0) {
            n = 1;
            status = handle_begun(s, bytes[i], boundaries);
            continue;
        }
        if (s->state == WITHIN && s->mark_size == 0)
            n = count_plain(s, bytes + i, size - i);
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
    else if (s->mark_size > 0) /* the first character of what is kept may be a stop */
        boundaries->settled = s->at + (s->mark[0] < 0x80 ? 1 : bipe_utf8_decode(s->mark, s->mark_size, &code)) - 1;
    return status;
}

/* `auto`: the beginning of the document says its language. */
static int sentence_choose(void *state, bipe_boundaries *boundaries)
{
    sentence *s = state;
    if (s->chosen)
        return BIPE_SEGMENTER_OK;
    bipe_error err;
    const bipe_sentence_tailoring *tailoring;
    const char *name = bipe_sentence_language(s->languages, s->beginning, s->beginning_size);
    int status = bipe_sentence_languages_tailoring(s->languages, name, &tailoring, &err);
    if (status != BIPE_OK) {
        snprintf(boundaries->error, boundaries->error_size, "%s", status != BIPE_ERR_MEMORY ? err.text : "");
        return status == BIPE_ERR_MEMORY ? BIPE_SEGMENTER_MEMORY : BIPE_SEGMENTER_FAILURE;
    }
    s->chosen = true;
    boundaries->choice = name != NULL ? name : "";
    use_tailoring(s, tailoring);
    return handle_bytes(s, s->beginning, s->beginning_size, boundaries);
}

static int sentence_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    sentence *s = state;
    if (s->chosen)
        return handle_bytes(s, bytes, size, boundaries);
    size_t missing = BIPE_LANGUAGE_TEXT - s->beginning_size, n = size < missing ? size : missing;
    memcpy(s->beginning + s->beginning_size, bytes, n);
    s->beginning_size += n;
    if (n < missing) {
        boundaries->settled = 0;
        return BIPE_SEGMENTER_OK;
    }
    int status = sentence_choose(s, boundaries);
    boundaries->settled = status == BIPE_SEGMENTER_OK && n < size ? offset + size : boundaries->settled;
    return status == BIPE_SEGMENTER_OK && n < size ? handle_bytes(s, bytes + n, size - n, boundaries) : status;
}

static int sentence_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    sentence *s = state;
    (void)size;
    int status = sentence_choose(s, boundaries);
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
    .choose = sentence_choose,
};
