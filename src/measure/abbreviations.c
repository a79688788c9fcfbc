/* abbreviations.c - reads texts as words, full stops and what stands between; see abbreviations.h. */
#include "measure/abbreviations.h"

#include <string.h>

#include "base/alloc.h"
#include "measure/abbreviation_counts.h"
#include "measure/abbreviation_list.h"
#include "text/sentence_word.h"
#include "text/utf8.h"

/* A word as it is read. */
typedef struct read_word {
    char text[BIPE_SENTENCE_WORD + 1]; /* (size) */
    size_t size;                       /* more than BIPE_SENTENCE_WORD: too long to be counted */
} read_word;

struct bipe_abbreviations {
    bipe_abbreviation_counts counts;
    enum { NO_WORD, IN_WORD, AFTER_STOP } state; /* before the next character; AFTER_STOP: a word and a full stop */
    read_word word, last;                  /* the present word, and the one before it; its size 0: none */
    bipe_sentence_class first;             /* of the present word's first character */
    /* What stands between the last word and the present one: */
    bool stop;                             /* it begins with a full stop that is not one of several */
    bool ends;                             /* it may end a sentence */
    bool mark;                             /* a comma, semicolon or colon comes before anything but blanks */
    bool joined;                           /* one hyphen or apostrophe is all */
    size_t blanks, others;                 /* characters without that full stop */
    uint8_t begun[4];                      /* (begun_size) a character that is not complete yet */
    size_t begun_size;
};

/* ---- what follows what ---- */

static bool is_counted(const read_word *w)
{
    return w->size > 0 && w->size <= BIPE_SENTENCE_WORD;
}

static int count_follower(bipe_abbreviations *a, bipe_error *err)
{
    bipe_counted_word *last = is_counted(&a->last) ? bipe_count_word(&a->counts, a->last.text, a->last.size) : NULL;
    if (is_counted(&a->last) && last == NULL)
        return bipe_fail_memory(err);
    if (last == NULL)
        return BIPE_OK;
    bool next = a->others == 0 && a->blanks > 0;
    last->count.small += a->mark || (next && a->first == BIPE_SB_LOWER);
    last->count.number += next && a->first == BIPE_SB_NUMERIC;
    if (!next || a->first == BIPE_SB_NUMERIC || a->first == BIPE_SB_LOWER)
        return BIPE_OK;
    last->count.capital++;
    if (!is_counted(&a->word))
        return BIPE_OK;
    return bipe_count_pair(&a->counts, bipe_counted_hash(a->last.text, a->last.size),
                           bipe_counted_hash(a->word.text, a->word.size), 1, err);
}

/* The present word is complete; what comes next is not known yet. */
static int count_word(bipe_abbreviations *a, bipe_error *err)
{
    int status = a->stop ? count_follower(a, err) : BIPE_OK;
    a->counts.all++;
    if (status == BIPE_OK && is_counted(&a->word)) {
        bipe_counted_word *w = bipe_count_word(&a->counts, a->word.text, a->word.size);
        if (w == NULL)
            return bipe_fail_memory(err);
        bool simple = a->others == 0 || (a->mark && a->others == 1);
        w->count.all++;
        w->count.within += !a->stop && !a->ends && ((simple && a->blanks > 0) || a->joined);
        bool after_long = a->others == 0 && !is_counted(&a->last); /* no abbreviation is so long */
        w->count.begins += a->ends || (a->stop && !a->mark && (a->others > 0 || after_long));
    }
    a->last = a->word;
    a->word.size = a->blanks = a->others = 0;
    a->stop = a->ends = a->mark = a->joined = false;
    return status;
}

static int count_stop(bipe_abbreviations *a, bipe_error *err)
{
    a->stop = true;
    a->counts.stops++;
    bipe_counted_word *w = is_counted(&a->last) ? bipe_count_word(&a->counts, a->last.text, a->last.size) : NULL;
    if (is_counted(&a->last) && w == NULL)
        return bipe_fail_memory(err);
    if (w != NULL)
        w->count.stop++;
    return BIPE_OK;
}

/* ---- characters ---- */

static void add_to_word(read_word *w, const uint8_t *bytes, size_t size)
{
    if (w->size + size <= BIPE_SENTENCE_WORD)
        memcpy(w->text + w->size, bytes, size);
    else
        w->size = BIPE_SENTENCE_WORD;
    w->size += size;
}

/* A character between words. */
static void note_between(bipe_abbreviations *a, int32_t code, bipe_sentence_class class)
{
    bool line = class == BIPE_SB_CR || class == BIPE_SB_LF || class == BIPE_SB_SEP;
    if (class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT)
        return;
    a->ends = a->ends || line || class == BIPE_SB_STERM || class == BIPE_SB_ATERM || code == ':';
    a->mark = a->mark || (a->others == 0 && (code == ',' || code == ';' || code == ':'));
    a->joined = !a->stop && a->others == 0 && a->blanks == 0 && (code == '-' || code == '\'' || code == 0x2019);
    a->blanks += class == BIPE_SB_SP;
    a->others += class != BIPE_SB_SP;
}

static int take_character(bipe_abbreviations *a, int32_t code, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_sentence_class class = bipe_sentence_class_of(code);
    bool letter = bipe_sentence_is_word(class), joins = class == BIPE_SB_EXTEND || class == BIPE_SB_FORMAT;
    int status = BIPE_OK;
    if (a->state == AFTER_STOP) {
        if (letter) {
            add_to_word(&a->word, (const uint8_t *)".", 1);
        } else {
            status = count_word(a, err);
            if (status == BIPE_OK && class != BIPE_SB_ATERM)
                status = count_stop(a, err);
            a->state = NO_WORD;
        }
    }
    if (status == BIPE_OK && (letter || (joins && a->state == IN_WORD))) {
        a->first = a->state == NO_WORD ? class : a->first;
        a->state = IN_WORD;
        add_to_word(&a->word, bytes, size);
    } else if (status == BIPE_OK && a->state == IN_WORD && class == BIPE_SB_ATERM) {
        a->state = AFTER_STOP;
    } else if (status == BIPE_OK) {
        if (a->state == IN_WORD)
            status = count_word(a, err);
        a->state = NO_WORD;
        note_between(a, code, class);
    }
    return status;
}

int bipe_abbreviations_feed(bipe_abbreviations *a, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    int32_t code;
    while (size > 0 && status == BIPE_OK) {
        size_t n = 0;
        if (a->begun_size == 0 && (n = bipe_utf8_decode(bytes, size, &code)) > 0) {
            status = take_character(a, code, bytes, n, err);
            bytes += n;
            size -= n;
            continue;
        }
        a->begun[a->begun_size++] = *bytes++;
        size--;
        while (a->begun_size > 0 && status == BIPE_OK && (n = bipe_utf8_decode(a->begun, a->begun_size, &code)) > 0) {
            status = take_character(a, code, a->begun, n, err);
            a->begun_size -= n;
            memmove(a->begun, a->begun + n, a->begun_size);
        }
    }
    return status;
}

/* ---- the interface ---- */

void bipe_abbreviations_begin(bipe_abbreviations *a)
{
    a->state = NO_WORD;
    a->last.size = a->word.size = a->blanks = a->others = a->begun_size = 0;
    a->stop = a->mark = a->joined = false;
    a->ends = true;
}

int bipe_abbreviations_end(bipe_abbreviations *a, bipe_error *err)
{
    a->begun_size = 0; /* what was cut off is no character */
    return take_character(a, '\n', (const uint8_t *)"\n", 1, err);
}

int bipe_abbreviations_print(bipe_abbreviations *a, bipe_output *output, bipe_error *err)
{
    return bipe_abbreviation_list_print(&a->counts, output, err);
}

int bipe_abbreviations_open(bipe_abbreviations **abbreviations, bipe_error *err)
{
    bipe_abbreviations *a = *abbreviations = bipe_alloc(1, sizeof *a);
    if (a == NULL)
        return bipe_fail_memory(err);
    bipe_abbreviations_begin(a);
    return BIPE_OK;
}

void bipe_abbreviations_close(bipe_abbreviations *a)
{
    if (a == NULL)
        return;
    bipe_abbreviation_counts_free(&a->counts);
    bipe_free(a);
}
