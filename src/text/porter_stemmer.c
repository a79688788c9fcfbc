/* porter_stemmer.c - Porter's steps as tables of suffixes, in the order in which they are tried, with nltk's
 * extensions. */
#include <stdbool.h>
#include <string.h>

#include "text/porter_stemmer.h"

/* Measures of Porter's paper look at a word from its beginning, since a y is a consonant where it begins the word or
 * follows a vowel. */
typedef struct shape {
    size_t measure;      /* how often consonants follow vowels */
    bool vowel;          /* has one */
    bool last_consonant; /* ends with a consonant */
    bool before, third;  /* the same of the last letter but one, and but two */
} shape;

static shape shape_of(const char *word, size_t size)
{
    shape s = {0};
    for (size_t i = 0; i < size; i++) {
        bool consonant = word[i] == 'y' ? i == 0 || !s.last_consonant : strchr("aeiou", word[i]) == NULL;
        s.third = s.before;
        s.before = s.last_consonant;
        s.measure += i > 0 && consonant && !s.before;
        s.vowel |= !consonant;
        s.last_consonant = consonant;
    }
    return s;
}

/* Ends with a consonant, a vowel and a consonant other than w, x and y; nltk: or is a vowel and a consonant. */
static bool ends_short(const char *word, size_t size)
{
    shape s = shape_of(word, size);
    if (size < 2 || !s.last_consonant || s.before)
        return false;
    return size == 2 || (s.third && strchr("wxy", word[size - 1]) == NULL);
}

static bool ends_with(const char *word, size_t size, const char *suffix)
{
    size_t length = strlen(suffix);
    return size >= length && memcmp(word + size - length, suffix, length) == 0;
}

typedef struct rule {
    const char *suffix, *stem; /* stem: its replacement, never longer */
} rule;

/* The first rule whose suffix the word has counts; it is followed where the part before the suffix has a measure above
 * `above`. */
static size_t follow_rules(char *word, size_t size, const rule *rules, size_t above)
{
    for (; rules->suffix != NULL; rules++)
        if (ends_with(word, size, rules->suffix)) {
            size_t start = size - strlen(rules->suffix), length = strlen(rules->stem);
            /* The l of "logi" counts as part of what is before, the s or t of "ion" must be there. */
            bool logi = strcmp(rules->suffix, "logi") == 0;
            if (shape_of(word, start + logi).measure <= above ||
                (strcmp(rules->suffix, "ion") == 0 && strchr("st", word[start - 1]) == NULL))
                return size;
            memcpy(word + start, rules->stem, length);
            return start + length;
        }
    return size;
}

static const rule double_suffixes[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},   {"izer", "ize"},    {"bli", "ble"},
    {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"},
    {"ation", "ate"},
    {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
    {"iviti", "ive"},   {"biliti", "ble"},  {"fulli", "ful"},   {"logi", "log"},    {0}};
static const rule adjectives[] = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}, {0}};
static const rule last_suffixes[] = {{"al", ""},   {"ance", ""}, {"ence", ""}, {"er", ""},    {"ic", ""},
                                     {"able", ""}, {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""},
                                     {"ent", ""},  {"ion", ""},  {"ou", ""},   {"ism", ""},   {"ate", ""},
                                     {"iti", ""},  {"ous", ""},  {"ive", ""},  {"ize", ""},   {0}};
static const rule irregular[] = {{"sky", "sky"},
                                 {"skies", "sky"},
                                 {"dying", "die"},
                                 {"lying", "lie"},
                                 {"tying", "tie"},
                                 {"news", "news"},
                                 {"inning", "inning"},
                                 {"innings", "inning"},
                                 {"outing", "outing"},
                                 {"outings", "outing"},
                                 {"canning", "canning"},
                                 {"cannings", "canning"},
                                 {"howe", "howe"},
                                 {"proceed", "proceed"},
                                 {"exceed", "exceed"},
                                 {"succeed", "succeed"},
                                 {0}};

/* -ed and -ing, after which the word gets back what it had before them. */
static size_t strip_ed_ing(char *word, size_t size)
{
    if (ends_with(word, size, "ied"))
        return size == 4 ? size - 1 : size - 2;
    if (ends_with(word, size, "eed"))
        return shape_of(word, size - 3).measure > 0 ? size - 1 : size;
    size_t start = ends_with(word, size, "ed") ? size - 2 : ends_with(word, size, "ing") ? size - 3 : 0;
    shape s = shape_of(word, start);
    if (!s.vowel)
        return size;
    bool twice = start >= 2 && word[start - 1] == word[start - 2] && s.last_consonant;
    bool add = ends_with(word, start, "at") || ends_with(word, start, "bl") || ends_with(word, start, "iz");
    if (!add && twice)
        return strchr("lsz", word[start - 1]) == NULL ? start - 1 : start;
    if (add || (s.measure == 1 && ends_short(word, start)))
        word[start++] = 'e';
    return start;
}

size_t bipe_porter_stem(char *word, size_t size)
{
    for (const rule *r = irregular; r->suffix != NULL; r++)
        if (size == strlen(r->suffix) && memcmp(word, r->suffix, size) == 0) {
            memcpy(word, r->stem, strlen(r->stem));
            return strlen(r->stem);
        }
    if (size <= 2)
        return size;
    if (ends_with(word, size, "sses") || (ends_with(word, size, "ies") && size != 4))
        size -= 2;
    else if (ends_with(word, size, "s") && !ends_with(word, size, "ss"))
        size--;
    size = strip_ed_ing(word, size);
    if (size > 2 && word[size - 1] == 'y' && shape_of(word, size - 1).last_consonant)
        word[size - 1] = 'i';
    if (ends_with(word, size, "alli") && shape_of(word, size - 4).measure > 0)
        size -= 2; /* a word that now ends in "tional" is replaced again */
    size = follow_rules(word, size, double_suffixes, 0);
    size = follow_rules(word, size, adjectives, 0);
    size = follow_rules(word, size, last_suffixes, 1);
    if (ends_with(word, size, "e")) {
        size_t measure = shape_of(word, size - 1).measure;
        size -= measure > 1 || (measure == 1 && !ends_short(word, size - 1));
    }
    return ends_with(word, size, "ll") && shape_of(word, size - 1).measure > 1 ? size - 1 : size;
}
