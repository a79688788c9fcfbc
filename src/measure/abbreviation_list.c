/* abbreviation_list.c - decides about words by their counts; see abbreviations.h for how. */
#include "measure/abbreviation_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/sentence_word.h"
#include "text/utf8.h"

enum { RARE = 5 /* occurrences */, STARTS_MOST = 1000, ORDINALS_LEAST = 5, NEVER_LEAST = 5 /* capitals after it */ };
static const double enough = 0.3, enough_if_rare = 0.05, chance = 0.05, starter_ratio = 30;

/* An abbreviation, in small letters. */
typedef struct abbreviation {
    const bipe_counted_word *word;
    double score;
    uint64_t starters; /* words of [start] after it */
    bipe_abbreviation section;
} abbreviation;

/* A form of one, or of what is like one, by its hash. */
enum { INITIAL = -1, NUMBER = -2, NUMERAL = -3 };
typedef struct word_form {
    uint64_t hash;
    const bipe_counted_word *word;
    long of; /* index of an abbreviation, or one of the above */
} word_form;

/* A word that may begin sentences. */
typedef struct starter {
    uint64_t hash;
    const bipe_counted_word *word;
    uint64_t begins, small; /* after the end of a sentence; in small letters */
    bool taken;
} starter;

/* What follows numbers, numerals, or the other words before a full stop. */
typedef struct followers {
    uint64_t small, capital, starters;
} followers;

typedef struct list {
    const bipe_abbreviation_counts *counts;
    bipe_abbreviation_counts folded; /* words in small letters */
    abbreviation *abbreviation;      /* (abbreviations) */
    uint32_t *number_of;             /* (folded.slots) the number of an abbreviation + 1; 0: it is none */
    word_form *form;                 /* (forms) sorted by hash */
    starter *starter;                /* (starters) likewise */
    size_t abbreviations, abbreviation_capacity, forms, form_capacity, starters, starter_capacity;
    followers number, numeral, other;
} list;

/* ---- words ---- */

/* The word in small letters; its size, or 0: it is too long then. */
static size_t fold_word(const bipe_counted_word *w, char folded[BIPE_SENTENCE_WORD + 1])
{
    size_t size = 0;
    int32_t code;
    for (size_t at = 0, n; at < w->size; at += n) {
        uint8_t bytes[4];
        n = bipe_utf8_decode((const uint8_t *)w->word + at, w->size - at, &code);
        size_t length = bipe_utf8_encode(utf8proc_tolower(code), bytes);
        if (size + length > BIPE_SENTENCE_WORD)
            return 0;
        memcpy(folded + size, bytes, length);
        size += length;
    }
    return size;
}

static bipe_sentence_class first_class(const bipe_counted_word *w)
{
    int32_t code;
    bipe_utf8_decode((const uint8_t *)w->word, w->size, &code);
    return bipe_sentence_class_of(code);
}

/* How many letters and digits, and how many full stops with the one after it, a word has. */
static void count_letters(const bipe_counted_word *w, uint64_t *letters, uint64_t *stops)
{
    int32_t code;
    *letters = 0;
    *stops = 1;
    for (size_t at = 0; at < w->size; at += bipe_utf8_decode((const uint8_t *)w->word + at, w->size - at, &code)) {
        bipe_utf8_decode((const uint8_t *)w->word + at, w->size - at, &code);
        *letters += bipe_sentence_is_word(bipe_sentence_class_of(code));
        *stops += w->word[at] == '.';
    }
}

/* Dunning's 2 log of the ratio of likelihoods, of `hits` in `all` at probability p1 to that at p0. */
static double log_ratio(uint64_t hits, uint64_t all, double p0, double p1)
{
    double k = (double)hits, rest = (double)(all - hits);
    return 2 * (k * (log(p1) - log(p0)) + rest * (log1p(-p1) - log1p(-p0)));
}

/* A share that has a logarithm, and so has the rest. */
static double share_of(uint64_t part, uint64_t all)
{
    const double least = 1e-9;
    double share = all != 0 ? (double)part / (double)all : 0;
    return share < least ? least : share > 1 - least ? 1 - least : share;
}

static double score_of(const bipe_abbreviation_counts *counts, const bipe_counted_word *w)
{
    uint64_t letters, stops;
    count_letters(w, &letters, &stops);
    double ratio = log_ratio(w->count.stop, w->count.all, share_of(counts->stops, counts->all), 0.99);
    return ratio * exp(-(double)letters) * (double)stops *
           pow((double)letters, -(double)(w->count.all - w->count.stop));
}

/* ---- abbreviations ---- */

static void add_counts(bipe_word_contexts *to, const bipe_word_contexts *more)
{
    to->all += more->all;
    to->stop += more->stop;
    to->small += more->small;
    to->capital += more->capital;
    to->number += more->number;
    to->within += more->within;
    to->begins += more->begins;
}

static int fold_words(list *l, bipe_error *err)
{
    for (size_t i = 0; i < l->counts->slots; i++) {
        const bipe_counted_word *w = &l->counts->word[i];
        char folded[BIPE_SENTENCE_WORD + 1];
        size_t size = w->size != 0 ? fold_word(w, folded) : 0;
        bipe_counted_word *to = size != 0 ? bipe_count_word(&l->folded, folded, size) : NULL;
        if (size != 0 && to == NULL)
            return bipe_fail_memory(err);
        if (to != NULL)
            add_counts(&to->count, &w->count);
    }
    return BIPE_OK;
}

static int by_use(const void *a, const void *b)
{
    const abbreviation *x = a, *y = b;
    if (x->word->count.stop != y->word->count.stop)
        return x->word->count.stop < y->word->count.stop ? 1 : -1;
    return strcmp(x->word->word, y->word->word);
}

static int find_abbreviations(list *l, bipe_error *err)
{
    for (size_t i = 0; i < l->folded.slots; i++) {
        const bipe_counted_word *w = &l->folded.word[i];
        if (w->size == 0 || w->count.stop == 0 || !bipe_sentence_is_letter(first_class(w)))
            continue;
        double score = score_of(l->counts, w);
        bool rare = w->count.all < RARE && w->count.stop == w->count.all && w->count.small > 0;
        if (score < (rare ? enough_if_rare : enough))
            continue;
        if (bipe_grow(&l->abbreviation, &l->abbreviation_capacity, l->abbreviations + 1, sizeof *l->abbreviation) != 0)
            return bipe_fail_memory(err);
        l->abbreviation[l->abbreviations++] = (abbreviation){.word = w, .score = score};
    }
    if (l->abbreviations > 1)
        qsort(l->abbreviation, l->abbreviations, sizeof *l->abbreviation, by_use);
    l->number_of = bipe_alloc(l->folded.slots, sizeof *l->number_of);
    for (size_t i = 0; i < l->abbreviations && l->number_of != NULL; i++)
        l->number_of[l->abbreviation[i].word - l->folded.word] = (uint32_t)i + 1;
    return l->number_of != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int by_form(const void *a, const void *b)
{
    const word_form *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static const word_form *find_form(const list *l, uint64_t hash)
{
    const word_form wanted = {.hash = hash};
    return l->forms != 0 ? bsearch(&wanted, l->form, l->forms, sizeof *l->form, by_form) : NULL;
}

/* Whether a word before a full stop is an initial, a short number or a Roman numeral. */
static bool is_special(const bipe_counted_word *w, long *kind)
{
    enum { DIGITS = 3 };
    bool number = w->size <= DIGITS && bipe_sentence_digits(w->word, w->size) == w->size;
    bool numeral = w->size > 1 && bipe_sentence_is_roman(w->word, w->size);
    bool initial = bipe_sentence_is_one_letter(w->word, w->size) && first_class(w) == BIPE_SB_UPPER;
    *kind = number ? NUMBER : numeral ? NUMERAL : INITIAL;
    return number || numeral || initial;
}

static int find_forms(list *l, bipe_error *err)
{
    for (size_t i = 0; i < l->counts->slots; i++) {
        const bipe_counted_word *w = &l->counts->word[i];
        char folded[BIPE_SENTENCE_WORD + 1];
        long of = 0;
        if (w->size == 0 || w->count.stop == 0)
            continue;
        bool found = is_special(w, &of);
        size_t size = found ? 0 : fold_word(w, folded);
        const bipe_counted_word *word = size != 0 ? bipe_find_counted(&l->folded, folded, size) : NULL;
        uint32_t number = word != NULL ? l->number_of[word - l->folded.word] : 0;
        if (!found && number == 0)
            continue;
        of = found ? of : (long)number - 1;
        if (bipe_grow(&l->form, &l->form_capacity, l->forms + 1, sizeof *l->form) != 0)
            return bipe_fail_memory(err);
        l->form[l->forms++] = (word_form){bipe_counted_hash(w->word, w->size), w, of};
        if (of == NUMBER)
            l->number.small += w->count.small;
        else if (of == NUMERAL)
            l->numeral.small += w->count.small;
    }
    if (l->forms > 1)
        qsort(l->form, l->forms, sizeof *l->form, by_form);
    return BIPE_OK;
}

/* ---- words that begin sentences ---- */

static int by_hash(const void *a, const void *b)
{
    const starter *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int by_begins(const void *a, const void *b)
{
    const starter *x = a, *y = b;
    if (x->begins != y->begins)
        return x->begins < y->begins ? 1 : -1;
    return strcmp(x->word->word, y->word->word);
}

static starter *find_starter(const list *l, uint64_t hash)
{
    const starter wanted = {.hash = hash};
    return l->starters != 0 ? bsearch(&wanted, l->starter, l->starters, sizeof *l->starter, by_hash) : NULL;
}

/* Whether a list may have the word in [start]. */
static bool may_start(const bipe_counted_word *w)
{
    bipe_sentence_class class = first_class(w);
    return memchr(w->word, '.', w->size) == NULL && (class == BIPE_SB_UPPER || class == BIPE_SB_OLETTER);
}

/* Whether the word begins sentences. ends: of sentences, as far as words follow them. */
static bool begins_sentences(const list *l, const starter *s, uint64_t ends)
{
    const bipe_word_contexts *count = &s->word->count;
    if (first_class(s->word) == BIPE_SB_UPPER)
        return s->begins > 0 && s->small > 0 && 10 * count->within <= s->small;
    uint64_t all = l->counts->all > ends ? l->counts->all - ends : 0, rest = count->all - s->begins;
    double share = share_of(s->begins, ends), other = share_of(rest, all), both = share_of(count->all, ends + all);
    if (share <= other || 2 * s->begins < count->all || rest > all)
        return false;
    return log_ratio(s->begins, ends, both, share) + log_ratio(rest, all, both, other) >= starter_ratio;
}

static int find_starters(list *l, bipe_error *err)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < l->counts->slots; i++) {
        const bipe_counted_word *w = &l->counts->word[i], *small;
        char folded[BIPE_SENTENCE_WORD + 1];
        if (w->size == 0)
            continue;
        ends += w->count.begins;
        if (!may_start(w))
            continue;
        if (bipe_grow(&l->starter, &l->starter_capacity, l->starters + 1, sizeof *l->starter) != 0)
            return bipe_fail_memory(err);
        size_t size = fold_word(w, folded);
        small = size != 0 ? bipe_find_counted(l->counts, folded, size) : NULL;
        l->starter[l->starters++] = (starter){.hash = bipe_counted_hash(w->word, w->size), .word = w,
                                              .begins = w->count.begins,
                                              .small = small != NULL && small != w ? small->count.all : 0};
    }
    if (l->starters > 1)
        qsort(l->starter, l->starters, sizeof *l->starter, by_hash);
    for (size_t i = 0; i < l->counts->pair_slots; i++) {
        const bipe_counted_pair *p = &l->counts->pair[i];
        starter *s = p->count != 0 && find_form(l, p->word) == NULL ? find_starter(l, p->next) : NULL;
        if (s != NULL)
            s->begins += p->count;
        ends += s != NULL ? p->count : 0;
    }
    for (size_t i = 0; i < l->starters; i++)
        l->starter[i].taken = begins_sentences(l, &l->starter[i], ends);
    return BIPE_OK;
}

/* What follows abbreviations and the others, as far as it is among the words that begin sentences. */
static void count_starters(list *l)
{
    for (size_t i = 0; i < l->counts->pair_slots; i++) {
        const bipe_counted_pair *p = &l->counts->pair[i];
        if (p->count == 0)
            continue;
        const word_form *form = find_form(l, p->word);
        const starter *s = find_starter(l, p->next);
        uint64_t starters = s != NULL && s->taken ? p->count : 0;
        followers *f = form == NULL           ? &l->other
                       : form->of == NUMBER   ? &l->number
                       : form->of == NUMERAL ? &l->numeral
                                              : NULL;
        if (f != NULL) {
            f->capital += p->count;
            f->starters += starters;
        } else if (form->of >= 0) {
            l->abbreviation[form->of].starters += starters;
        }
    }
}

/* ---- sections ---- */

static void choose_sections(list *l)
{
    double starts = l->other.capital != 0 ? (double)l->other.starters / (double)l->other.capital : 0;
    for (size_t i = 0; i < l->abbreviations; i++) {
        abbreviation *a = &l->abbreviation[i];
        const bipe_word_contexts *c = &a->word->count;
        bool never = a->starters == 0 && c->capital >= NEVER_LEAST && starts > 0 &&
                     pow(1 - starts, (double)c->capital) < chance;
        a->section = c->number > c->small + c->capital ? BIPE_ABBREVIATION_NUMBER
                     : never                           ? BIPE_ABBREVIATION_NEVER
                                                       : BIPE_ABBREVIATION_UNCERTAIN;
    }
}

/* The share of numbers before a full stop after which the sentence goes on: before small letters, and before so many
 * capitals as begin no sentence, when the others are as often in [start] as after other words. */
static double share_going_on(const list *l, const followers *f)
{
    double all = (double)(f->small + f->capital);
    double starts = l->other.capital != 0 ? (double)l->other.starters / (double)l->other.capital : 0;
    double ends = starts > 0 ? (double)f->starters / starts : (double)f->capital;
    ends = ends < (double)f->capital ? ends : (double)f->capital;
    return all >= ORDINALS_LEAST ? 1 - ends / all : 0;
}

/* ---- printing ---- */

static int print_ordinals(const list *l, const followers *f, const char *sample, const char *what, bipe_output *output,
                          bipe_error *err)
{
    double share = share_going_on(l, f);
    if (share <= 0.5)
        return BIPE_OK;
    return bipe_output_printf(output, err,
                              "%s # %s: the sentence goes on after %.0f %%; followed by small letters: %" PRIu64
                              ", capitals: %" PRIu64 " (%" PRIu64 " of [start])\n",
                              sample, what, 100 * share, f->small, f->capital, f->starters);
}

static int by_text(const void *a, const void *b)
{
    const word_form *const *x = a, *const *y = b;
    return strcmp((*x)->word->word, (*y)->word->word);
}

/* An abbreviation in the forms that it has. */
static int print_abbreviation(const list *l, const abbreviation *a, bipe_output *output, bipe_error *err)
{
    enum { FORMS = 16 };
    const word_form *form[FORMS];
    size_t forms = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < l->forms && forms < FORMS; i++)
        if (l->form[i].of == a - l->abbreviation)
            form[forms++] = &l->form[i];
    if (forms > 1)
        qsort(form, forms, sizeof *form, by_text);
    for (size_t i = 0; i < forms && status == BIPE_OK; i++)
        status = bipe_output_printf(output, err, "%.*s. ", (int)form[i]->word->size, form[i]->word->word);
    const bipe_word_contexts *c = &a->word->count;
    if (forms == 0 || status != BIPE_OK)
        return status;
    return bipe_output_printf(output, err,
                              "# %.2f: %" PRIu64 " with a full stop, %" PRIu64 " without; followed by small letters or "
                              "commas: %" PRIu64 ", capitals: %" PRIu64 " (%" PRIu64 " of [start]), numbers: %" PRIu64
                              "\n",
                              a->score, c->stop, c->all - c->stop, c->small, c->capital, a->starters, c->number);
}

static int print_section(const list *l, bipe_abbreviation section, const char *head, bipe_output *output,
                         bipe_error *err)
{
    int status = bipe_output_printf(output, err, "\n%s\n", head);
    if (section == BIPE_ABBREVIATION_UNCERTAIN && status == BIPE_OK)
        status = print_ordinals(l, &l->number, "1.", "numbers", output, err);
    if (section == BIPE_ABBREVIATION_UNCERTAIN && status == BIPE_OK)
        status = print_ordinals(l, &l->numeral, "II.", "Roman numerals", output, err);
    for (size_t i = 0; i < l->abbreviations && status == BIPE_OK; i++)
        if (l->abbreviation[i].section == section)
            status = print_abbreviation(l, &l->abbreviation[i], output, err);
    return status;
}

static int print_starters(list *l, bipe_output *output, bipe_error *err)
{
    size_t printed = 0;
    int status = bipe_output_printf(output, err, "\n[start]      # words that begin a sentence: how often they do, in "
                                    "small letters, and with a capital within a sentence\n");
    if (l->starters > 1)
        qsort(l->starter, l->starters, sizeof *l->starter, by_begins);
    for (size_t i = 0; i < l->starters && printed < STARTS_MOST && status == BIPE_OK; i++) {
        const starter *s = &l->starter[i];
        printed += s->taken;
        if (s->taken)
            status = bipe_output_printf(output, err, "%.*s # %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
                                        (int)s->word->size, s->word->word, s->begins, s->small, s->word->count.within);
    }
    return status;
}

static int print_list(list *l, bipe_output *output, bipe_error *err)
{
    const bipe_abbreviation_counts *c = l->counts;
    if (c->all == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "nothing to learn from: found no word");
    int status = bipe_output_printf(
        output, err,
        "# Learned by bipe-segment --learn-abbreviations from %" PRIu64 " words, %" PRIu64 " before a full stop.\n"
        "# Delete what is wrong, and move what is in the wrong section; bipe(7) says how a list is read. The first "
        "number after an\n# abbreviation is its score, a weighted log-likelihood ratio: the higher, the surer.\n",
        c->all, c->stops);
    if (status == BIPE_OK && c->forgotten != 0)
        status = bipe_output_printf(output, err, "# %" PRIu64 " rare words and pairs were forgotten, to save memory.\n",
                                    c->forgotten);
    if (status == BIPE_OK)
        status = print_section(l, BIPE_ABBREVIATION_NEVER, "[never]      # the sentence goes on after these", output,
                               err);
    if (status == BIPE_OK)
        status = print_section(l, BIPE_ABBREVIATION_NUMBER, "[number]     # it goes on where a number follows", output,
                               err);
    if (status == BIPE_OK)
        status = print_section(l, BIPE_ABBREVIATION_UNCERTAIN,
                               "[uncertain]  # it goes on where a capital follows, unless the next word is in "
                               "[start]",
                               output, err);
    return status == BIPE_OK ? print_starters(l, output, err) : status;
}

int bipe_abbreviation_list_print(const bipe_abbreviation_counts *counts, bipe_output *output, bipe_error *err)
{
    list l = {.counts = counts};
    int status = fold_words(&l, err);
    if (status == BIPE_OK)
        status = find_abbreviations(&l, err);
    if (status == BIPE_OK)
        status = find_forms(&l, err);
    if (status == BIPE_OK)
        status = find_starters(&l, err);
    if (status == BIPE_OK) {
        count_starters(&l);
        choose_sections(&l);
        status = print_list(&l, output, err);
    }
    bipe_abbreviation_counts_free(&l.folded);
    bipe_free(l.abbreviation);
    bipe_free(l.number_of);
    bipe_free(l.form);
    bipe_free(l.starter);
    return status;
}
