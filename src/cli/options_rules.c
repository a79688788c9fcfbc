/* options_rules.c - the rules in the rows of an option table: checks a command line by them, and that they make sense.
 * options.h says how they are written. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/options_table.h"

/* A term of a rule; a clause is gone through from one whose text is where the clause begins, and all else 0. */
typedef struct term {
    const char *text;
    int size, name;            /* its bytes, and those of its name */
    const bipe_option *option; /* NULL: the operands */
} term;

typedef struct line {
    const bipe_options *options;
    const bipe_options_given *given;
    bool operands; /* there are some, beside a model that must be given */
    bipe_error *err;
} line;

/* After the last option that was given. */
static const bipe_option_given *end_of(const bipe_options_given *given)
{
    return given->count > 0 ? given->item + given->count : given->item;
}

/* The next term of a clause. false: there is none, and the text is what follows: the reason, or the next clause. */
static bool next_term(const bipe_options *options, term *t)
{
    const char *text = t->text + t->size + strspn(t->text + t->size, "? ");
    *t = (term){.text = text, .size = (int)strcspn(text, " ?:;"), .name = (int)strcspn(text, "!= ?:;")};
    for (size_t i = 0; i < options->option_count; i++)
        if (strncmp(options->option[i].name, text, (size_t)t->name) == 0 && options->option[i].name[t->name] == '\0')
            t->option = &options->option[i];
    return t->size > 0;
}

/* The clause after the one that holds the text. */
static const char *next_clause(const char *text)
{
    text += strcspn(text, ";");
    return text + strspn(text, "; ");
}

/* The next of the values that a term asks for, of which *value is 0 before the first; NULL: there are no more. */
static const char *next_value(const term *t, const char *value, size_t *size)
{
    value = value == NULL ? t->text + t->name + 1 + (t->text[t->name] == '!') : value + *size + 1;
    if (value > t->text + t->size)
        return NULL;
    *size = strcspn(value, "| ?:;");
    return value;
}

/* What was given that a term means; NULL: nothing. */
static const bipe_option_given *find_given(const line *l, const term *t)
{
    static const bipe_option_given operand;
    if (t->option == NULL)
        return l->operands ? &operand : NULL;
    for (const bipe_option_given *g = l->given->item; g < end_of(l->given); g++) {
        size_t size;
        bool found = t->name == t->size, other = t->text[t->name] == '!';
        if (g->option != t->option || (g->usual && (found || other)))
            continue;
        for (const char *v = next_value(t, NULL, &size); v != NULL && !found; v = next_value(t, v, &size))
            found = strncmp(v, g->value, size) == 0 && g->value[size] == '\0';
        if (found != other)
            return g;
    }
    return NULL;
}

/* "'--name'", with the value where the term asks for one, and of choices. */
static void name_given(char name[128], const term *t, const bipe_option_given *g)
{
    bool value = t->size > t->name || g->option->kind == BIPE_OPTION_CHOICE;
    snprintf(name, 128, "'--%s%s%.80s'", g->option->name, value ? " " : "", value ? g->value : "");
}

/* "'--format tsv|csv' or a FILE": adds a term to the text. */
static void list_term(char *text, size_t size, const term *t)
{
    size_t n = strlen(text);
    const char *before = n == 0 ? "" : t->text[t->size] == ' ' ? ", " : " or ", *value = t->size > t->name ? " " : "";
    int rest = t->size - t->name - (value[0] != '\0');
    snprintf(text + n, size - n, t->option == NULL ? "%sa %.*s%s%.*s" : "%s'--%.*s%s%.*s'", before, t->name, t->text,
             value, rest, t->text + t->size - rest);
}

/* Checks by a rule of `own`, which is needs (excludes is NULL) or excludes; own NULL: must. */
static int obey_rule(const line *l, const bipe_option_given *own, const char *rule, bool excludes)
{
    int bad = BIPE_ERR_ARGUMENT;
    for (term t; rule != NULL && *rule != '\0'; rule = next_clause(t.text)) {
        const bipe_option_given *asked = own, *found = NULL;
        term when = {0}, first = {0};
        t = (term){.text = rule};
        char list[512] = "", a[128], b[128];
        while (next_term(l->options, &t)) {
            const bipe_option_given *given = find_given(l, &t);
            if (t.text[t.size] == '?') {
                when = t;
                asked = given;
                continue;
            }
            list_term(list, sizeof list, &t);
            first = found == NULL ? t : first;
            found = found == NULL ? given : found;
        }
        const char *why = t.text;
        int size = (int)strcspn(why, ";");
        if ((asked == NULL && when.text != NULL) || (found != NULL) != excludes)
            continue;
        if (asked != NULL)
            name_given(a, &when, asked);
        if (asked == NULL)
            return bipe_fail(l->err, bad, "option %s is missing%.*s", list, size, why);
        if (!excludes)
            return bipe_fail(l->err, bad, "option %s needs %s%.*s", a, list, size, why);
        if (first.option == NULL)
            return bipe_fail(l->err, bad, "option %s takes no %.*s%.*s", a, first.size, first.text, size, why);
        if (found->option == own->option)
            return bipe_fail(l->err, bad, "option %s: found '%s', expected %.*s", a, found->value, size - 2, why + 2);
        name_given(b, &first, found);
        return bipe_fail(l->err, bad, "options %s and %s cannot be combined%.*s", a, b, size, why);
    }
    return BIPE_OK;
}

/* Checks that nothing is given but what an option takes. */
static int obey_takes(const line *l, const bipe_option *own)
{
    for (const bipe_option_given *g = l->given->item; own->takes != NULL && g < end_of(l->given); g++) {
        bool taken = g->usual || g->option == own || g->option->about == BIPE_ABOUT_MANNER;
        term t = {.text = own->takes};
        while (next_term(l->options, &t))
            taken = taken || t.option == g->option;
        if (!taken)
            return bipe_fail(l->err, BIPE_ERR_ARGUMENT, "options '--%s' and '--%s' cannot be combined%s", own->name,
                             g->option->name, t.text);
    }
    return BIPE_OK;
}

int bipe_options_obey(const bipe_options *options, const bipe_options_given *given, const bipe_texts *operands,
                      bipe_error *err)
{
    line l = {options, given, operands->count > options->min_operands, err};
    const bipe_option_given *instead = NULL, *end = end_of(given);
    bool missing = operands->count < options->min_operands;
    int status = BIPE_OK;
    for (const bipe_option_given *g = given->item; g < end; g++) {
        instead = instead == NULL && g->option->instead ? g : instead;
        missing = missing && !g->option->no_model;
        l.operands = l.operands || (g->option->no_model && operands->count > 0);
    }
    for (size_t i = 0; i < options->option_count && instead == NULL && status == BIPE_OK; i++)
        status = obey_rule(&l, NULL, options->option[i].must, false);
    if (missing && status == BIPE_OK)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "an operand is missing: %s", options->operand_help);
    for (int needs = 0; needs < 2; needs++) /* nothing is asked for that would be refused then */
        for (const bipe_option_given *g = given->item; g < end && status == BIPE_OK; g++) {
            if (g->usual || (instead != NULL && g->option != instead->option))
                continue;
            status = obey_rule(&l, g, needs ? g->option->needs : g->option->excludes, !needs);
            if (status == BIPE_OK && !needs)
                status = obey_takes(&l, g->option);
        }
    return status;
}

/* ---- tables ---- */

bool bipe_option_excludes(const bipe_options *options, const bipe_option *option, const bipe_option *other)
{
    term t = {.text = option->excludes != NULL ? option->excludes : ""};
    bool excludes = false;
    while (next_term(options, &t) && t.text[t.size] != '?')
        excludes = excludes || (t.option == other && t.name == t.size);
    return excludes;
}

int bipe_option_check_rules(const bipe_options *options, const bipe_option *option, bipe_error *err)
{
    const char *const rules[] = {option->needs, option->excludes, option->takes, option->must};
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        for (const char *rule = rules[r]; rule != NULL && *rule != '\0'; rule = next_clause(rule))
            for (term t = {.text = rule}; next_term(options, &t);) {
                bool good = t.option != NULL || (isupper((unsigned char)t.text[0]) && t.name == t.size);
                size_t size;
                for (const char *v = next_value(&t, NULL, &size); v != NULL && good; v = next_value(&t, v, &size)) {
                    const char *const *choice = t.option->choices;
                    good = choice == NULL && t.option->kind != BIPE_OPTION_FLAG;
                    for (; choice != NULL && *choice != NULL && !good; choice++)
                        good = strncmp(*choice, v, size) == 0 && (*choice)[size] == '\0';
                }
                if (!good)
                    return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s': its rules have '%.*s', which cannot be",
                                     option->name, t.size, t.text);
            }
    return BIPE_OK;
}
