/* options.c - parses a command line by a table, and checks tables; options_help.c and options_generate.c print from
 * them. This file writes usage errors to standard error, for all tools alike. */
#include "config.h"

#include "base/numbers.h"
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/options_table.h"
#include "cli/tool_alloc.h"

static bool help_wanted, version_wanted; /* only their addresses are used, to know the built-in options */

const bipe_option bipe_built_in_option[BIPE_BUILT_IN_OPTIONS] = {
    
    {.letter = 'h', .name = "help", .kind = BIPE_OPTION_FLAG, .target = &help_wanted,
     .help = "print this help and exit", .group = "Help"},
    {.letter = 'V', .name = "version", .kind = BIPE_OPTION_FLAG, .target = &version_wanted,
     .help = "print the version and exit"},
};

static const char generate_name[] = "generate";

typedef struct parser {
    const bipe_options *options;
    bipe_texts *operands;
    bipe_options_given *list;
    int argc, next; /* next: index of the argument that comes */
    char **argv;
    uint64_t given; /* bit i: option i of the table was given */
    bipe_error error;
} parser;

/* ---- finding ---- */

static const bipe_option *find_letter(const parser *p, char letter)
{
    for (size_t i = 0; i < p->options->option_count + BIPE_BUILT_IN_OPTIONS; i++)
        if (bipe_option_at(p->options, i)->letter == letter)
            return bipe_option_at(p->options, i);
    return NULL;
}

enum { NAME_MOST = 31 }; /* letters of a name that others are compared with */

/* Letters to insert, leave out, replace, or swap with the next: from one name of at most NAME_MOST letters to another
 * (Damerau's distance, no letter touched twice). */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[3][NAME_MOST + 1], *before = row[0], *last = row[1], *now = row[2];
    for (size_t k = 0; k <= b_size; k++)
        now[k] = before[k] = last[k] = k;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
        now[0] = i;
        for (size_t k = 1; k <= b_size; k++) {
            size_t best = last[k - 1] + (a[i - 1] != b[k - 1]);
            best = last[k] + 1 < best ? last[k] + 1 : best;
            best = now[k - 1] + 1 < best ? now[k - 1] + 1 : best;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && before[k - 2] + 1 < best)
                best = before[k - 2] + 1;
            now[k] = best;
        }
    }
    return now[b_size];
}

/* The option that is meant: the nearest name, of which one letter in three may be wrong. NULL: none. */
static const char *nearest_name(const parser *p, const char *name, size_t size)
{
    const char *nearest = NULL;
    size_t least = size / 3 + 1;
    for (size_t i = 0; size <= NAME_MOST && i < p->options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const char *other = bipe_option_at(p->options, i)->name;
        size_t far = strlen(other) <= NAME_MOST ? edit_distance(name, size, other, strlen(other)) : least;
        if (far < least) {
            least = far;
            nearest = other;
        }
    }
    return nearest;
}

static void fail_unknown(parser *p, const char *name, size_t size)
{
    const char *nearest = nearest_name(p, name, size);
    if (nearest == NULL)
        bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "unknown option '--%.*s'", (int)size, name);
    else
        bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "unknown option '--%.*s': did you mean '--%s'?", (int)size, name,
                  nearest);
}

/* An exact name, or the only one that starts so and may be shortened. NULL with p->error filled when there is none. */
static const bipe_option *find_name(parser *p, const char *name, size_t size)
{
    const bipe_option *found = NULL, *other = NULL;
    for (size_t i = 0; i < p->options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const bipe_option *option = bipe_option_at(p->options, i);
        if (size == 0 || strncmp(option->name, name, size) != 0)
            continue;
        if (option->name[size] == '\0')
            return option;
        if (found == NULL)
            found = option;
        else
            other = option;
    }
    if (found == NULL)
        fail_unknown(p, name, size);
    else if (other != NULL)
        bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "option '--%.*s' is ambiguous: it could be '--%s' or '--%s'", (int)size,
                  name, found->name, other->name);
    else if (found->in_full != NULL)
        bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "unknown option '--%.*s': %s", (int)size, name, found->in_full);
    return p->error.status == BIPE_OK ? found : NULL;
}

/* ---- values ---- */

static void add_text(bipe_texts *texts, const char *text)
{
    bipe_tool_grow(&texts->text, &texts->capacity, texts->count + 1, sizeof *texts->text);
    texts->text[texts->count++] = text;
}

static int add_sizes(const bipe_option *option, const char *text, bipe_error *err)
{
    bipe_sizes *sizes = option->target;
    sizes->none = sizes->none || (option->words != NULL && strcmp(text, option->words[0]) == 0);
    while (!sizes->none) {
        char item[32];
        size_t n = strcspn(text, ",");
        if (n >= sizeof item || (n > 0 && strcspn(text + 1, " -:;") + 1 < n))
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "found '%s', expected numbers with commas between them, such as 512 or 1k,8k", text);
        memcpy(item, text, n);
        item[n] = '\0';
        uint64_t value;
        int status = bipe_parse_size(item, option->minimum, option->maximum, &value, err);
        if (status != BIPE_OK)
            return status;
        bipe_tool_grow(&sizes->value, &sizes->capacity, sizes->count + 1, sizeof *sizes->value);
        sizes->value[sizes->count++] = value;
        if (text[n] == '\0')
            return BIPE_OK;
        text += n + 1;
    }
    return sizes->count == 0 && strchr(text, ',') == NULL && strcmp(text, option->words[0]) == 0
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected numbers or '%s' alone", text,
                           option->words[0]);
}

static int set_choice(const bipe_option *option, const char *text, bipe_error *err)
{
    char names[512] = "";
    size_t used = 0;
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *(int *)option->target = i;
            return BIPE_OK;
        }
        int n = snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", option->choices[i]);
        used += (size_t)n < sizeof names - used ? (size_t)n : 0;
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected one of %s", text, names);
}

bool bipe_option_repeats(const bipe_option *option)
{
    return option->kind == BIPE_OPTION_TEXTS || option->kind == BIPE_OPTION_SIZES;
}

/* Lists an option after those that come before it in the table, and after itself. */
static void list_given(bipe_options_given *list, const bipe_option_given *given)
{
    bipe_tool_grow(&list->item, &list->capacity, list->count + 1, sizeof *list->item);
    size_t at = list->count++;
    for (; at > 0 && list->item[at - 1].option > given->option; at--)
        list->item[at] = list->item[at - 1];
    list->item[at] = *given;
}

static int set_number(const bipe_option *o, const char *text, bipe_error *err)
{
    double value;
    if (bipe_parse_number(text, &value) && value >= o->least && !(o->positive && value == 0) &&
        (o->most == 0 || value <= o->most) && (o->maximum == 0 || value < (double)o->maximum)) {
        *(double *)o->target = value;
        return BIPE_OK;
    }
    char above[32] = "above 0", below[48] = ", such as 0.05 or 1e-4";
    if (!o->positive)
        snprintf(above, sizeof above, "of at least %g", o->least);
    if (o->most != 0 || o->maximum != 0)
        snprintf(below, sizeof below, " and %s %g", o->most != 0 ? "at most" : "below",
                 o->most != 0 ? o->most : (double)o->maximum);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number %s%s", text, above, below);
}

static int set_size(const bipe_option *option, const char *text, bipe_error *err)
{
    if (option->or_all && strcmp(text, "-1") == 0) {
        *(uint64_t *)option->target = UINT64_MAX;
        return BIPE_OK;
    }
    if (option->or_all && text[0] == '-')
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number of at least 0, or -1 for all", text);
    return bipe_parse_size(text, option->minimum, option->maximum, option->target, err);
}

static int set_target(const bipe_option *option, const char *value, bipe_error *err)
{
    switch (option->kind) {
    case BIPE_OPTION_FLAG:
        *(bool *)option->target = true;
        return BIPE_OK;
    case BIPE_OPTION_TEXT:
        *(const char **)option->target = value;
        return option->check != NULL ? option->check(value, err) : BIPE_OK;
    case BIPE_OPTION_TEXTS: add_text(option->target, value); return BIPE_OK;
    case BIPE_OPTION_SIZE: return set_size(option, value, err);
    case BIPE_OPTION_NUMBER: return set_number(option, value, err);
    case BIPE_OPTION_SIZES: return add_sizes(option, value, err);
    case BIPE_OPTION_CHOICE: return set_choice(option, value, err);
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "a kind of option that is not known");
}

/* A flag may be repeated, since that changes nothing; of two values one would be ignored. */
static int set_value(parser *p, const bipe_option *option, const char *value)
{
    bipe_option_given given = {.option = option, .value = value};
    uint64_t bit = UINT64_C(1) << (option - p->options->option);
    bool again = (p->given & bit) != 0 && !bipe_option_repeats(option);
    if (again && option->kind != BIPE_OPTION_FLAG)
        return bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "given twice, expected one value");
    p->given |= bit;
    bool number = option->kind == BIPE_OPTION_SIZE || option->kind == BIPE_OPTION_NUMBER;
    size_t size = number ? sizeof(uint64_t) : option->kind == BIPE_OPTION_CHOICE ? sizeof(int) : 0;
    char usual[sizeof(uint64_t)];
    memcpy(usual, option->target, size);
    int status = set_target(option, value, &p->error);
    given.usual = size > 0 && memcmp(usual, option->target, size) == 0;
    if (status == BIPE_OK && !again)
        list_given(p->list, &given);
    return status;
}

/* ---- printing on request ---- */

static bipe_options_result fail_usage(const bipe_options *options, const bipe_error *err)
{
    fprintf(stderr, "%s: %s\nTry '%s --help' for more information.\n", options->tool, err->text, options->tool);
    return BIPE_OPTIONS_USAGE;
}

static bipe_options_result print_request(const parser *p, const char *what)
{
    bipe_output *output;
    bipe_error err = {BIPE_OK, ""};
    int status = bipe_output_open(&output, NULL, &err);
    if (status == BIPE_OK) {
        if (strcmp(what, "help") == 0)
            bipe_options_print_help(p->options, output);
        else if (strcmp(what, "version") == 0)
            bipe_output_printf(output, NULL, "%s (%s) %s\n", p->options->tool, PACKAGE_NAME, PACKAGE_VERSION);
        else
            status = bipe_options_generate(p->options, what, output, &err);
        if (status == BIPE_ERR_ARGUMENT) {
            bipe_output_abandon(output);
            bipe_error_prefix(&err, "option '--%s'", generate_name);
            return fail_usage(p->options, &err);
        }
        status = bipe_output_commit(output, &err);
    }
    if (status == BIPE_OK || status == BIPE_STOPPED)
        return BIPE_OPTIONS_DONE;
    fprintf(stderr, "%s: %s\n", p->options->tool, err.text);
    return BIPE_OPTIONS_FAILED;
}

/* ---- the command line ---- */

/* Does what --help or --version asks for; false: it is another option. */
static bool answer_request(const parser *p, const bipe_option *option, bipe_options_result *result)
{
    bool is = option->target == &help_wanted || option->target == &version_wanted;
    if (is)
        *result = print_request(p, option->name);
    return is;
}

static const char *next_argument(parser *p)
{
    return p->next < p->argc ? p->argv[p->next++] : NULL;
}

/* The value of an option whose name stands alone, unless the next argument is one. NULL: it must have one. */
static const char *value_alone(const parser *p, const bipe_option *option)
{
    bipe_error err;
    bool next = option->alone != NULL && option->check != NULL && p->next < p->argc &&
                option->check(p->argv[p->next], &err) == BIPE_OK;
    return next ? NULL : option->alone;
}

/* `--name`, `--name=value`, `--name value`. *result is set when the program is to end. */
static int take_long(parser *p, const char *argument, bipe_options_result *result)
{
    const char *name = argument + 2, *equals = strchr(name, '=');
    size_t size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    if (size == sizeof generate_name - 1 && strncmp(name, generate_name, size) == 0 && equals != NULL) {
        *result = print_request(p, equals + 1);
        return BIPE_STOPPED;
    }
    const bipe_option *option = find_name(p, name, size);
    if (option == NULL)
        return BIPE_ERR_ARGUMENT;
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (option->kind == BIPE_OPTION_FLAG) {
        if (value != NULL)
            return bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "option '--%s' takes no value", option->name);
        if (answer_request(p, option, result))
            return BIPE_STOPPED;
    } else if (value == NULL && (value = value_alone(p, option)) == NULL && (value = next_argument(p)) == NULL) {
        return bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "option '--%s' needs a value (%s)", option->name,
                         option->value_name);
    }
    int status = set_value(p, option, value);
    if (status == BIPE_ERR_ARGUMENT && option->name[size] == '\0')
        bipe_error_prefix(&p->error, "option '--%s'", option->name);
    else if (status == BIPE_ERR_ARGUMENT)
        bipe_error_prefix(&p->error, "option '--%.*s', which is short for '--%s'", (int)size, name, option->name);
    return status;
}

/* `-q`, `-qz`, `-L512`, `-L 512`. */
static int take_letters(parser *p, const char *argument, bipe_options_result *result)
{
    for (const char *c = argument + 1; *c != '\0'; c++) {
        const bipe_option *option = find_letter(p, *c);
        if (option != NULL && answer_request(p, option, result))
            return BIPE_STOPPED;
        if (option == NULL) {
            /* The whole character, if it is one of several bytes. */
            int n = 1;
            while (((unsigned char)*c & 0x80) != 0 && ((unsigned char)c[n] & 0xC0) == 0x80)
                n++;
            return bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "unknown option '-%.*s'", n, c);
        }
        const char *value = NULL;
        bool takes = option->kind != BIPE_OPTION_FLAG;
        if (takes && (value = c[1] != '\0' ? c + 1 : next_argument(p)) == NULL)
            return bipe_fail(&p->error, BIPE_ERR_ARGUMENT, "option '-%c' needs a value (%s)", *c, option->value_name);
        int status = set_value(p, option, value);
        if (status != BIPE_OK) {
            if (status == BIPE_ERR_ARGUMENT)
                bipe_error_prefix(&p->error, "option '-%c'", *c);
            return status;
        }
        if (takes)
            break;
    }
    return BIPE_OK;
}

bipe_options_result bipe_options_parse(const bipe_options *options, int argc, char **argv, bipe_texts *operands,
                                       bipe_options_given *given)
{
    parser p = {.options = options, .operands = operands, .list = given, .argc = argc, .next = 1, .argv = argv};
    bool ended = false;
    int status = BIPE_OK;
    bipe_options_result result = BIPE_OPTIONS_RUN;
    while (p.next < argc && status == BIPE_OK) {
        const char *argument = argv[p.next++];
        if (ended || argument[0] != '-' || argument[1] == '\0')
            add_text(operands, argument);
        else if (strcmp(argument, "--") == 0)
            ended = true;
        else if (argument[1] == '-')
            status = take_long(&p, argument, &result);
        else
            status = take_letters(&p, argument, &result);
    }
    bool any = options->max_operands == 0 && options->operand_help != NULL;
    if (status == BIPE_OK && !any && operands->count > options->max_operands)
        status = bipe_fail(&p.error, BIPE_ERR_ARGUMENT, "unexpected operand '%s'",
                           operands->text[options->max_operands]);
    if (status == BIPE_ERR_ARGUMENT)
        return fail_usage(options, &p.error);
    bool obeys = status != BIPE_OK || bipe_options_obey(options, given, operands, &p.error) == BIPE_OK;
    if (obeys && (status == BIPE_OK || status == BIPE_STOPPED))
        return result;
    fprintf(stderr, "%s: %s\n", options->tool, p.error.text);
    return obeys ? BIPE_OPTIONS_FAILED : BIPE_OPTIONS_USAGE;
}

/* ---- checking a table ---- */

static bool is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static bool good_name(const char *name)
{
    if (is_empty(name) || name[0] == '-' || strcmp(name, generate_name) == 0)
        return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static int check_option(const bipe_option *o, bipe_error *err)
{
    bool flag = o->kind == BIPE_OPTION_FLAG, choice = o->kind == BIPE_OPTION_CHOICE;
    const struct {
        bool found;
        const char *what;
    } flaw[] = {
        {!good_name(o->name), "expected a name of small letters, digits and dashes"},
        {o->letter != 0 && !isalnum((unsigned char)o->letter), "its short name is neither letter nor digit"},
        {o->target == NULL, "it has no target"},
        {is_empty(o->help), "it has no help"},
        {flag != is_empty(o->value_name), flag ? "a flag has no value name" : "its value has no name"},
        {o->alone != NULL && (flag || o->letter != 0), "a flag and a letter cannot have a value that may be left out"},
        {choice && (o->choices == NULL || o->choices[0] == NULL), "it has no choices"},
        {!choice && o->choices != NULL, "only a choice has choices"},
        {o->maximum != 0 && o->maximum < o->minimum, "its maximum is below its minimum"},
    };
    for (size_t i = 0; i < sizeof flaw / sizeof flaw[0]; i++)
        if (flaw[i].found)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s': %s", o->name != NULL ? o->name : "", flaw[i].what);
    for (size_t i = 0; o->choices != NULL && o->choices[i] != NULL; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(o->choices[i], o->choices[j]) == 0)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s': the choice '%s' occurs twice", o->name,
                                 o->choices[i]);
    return BIPE_OK;
}

int bipe_options_check(const bipe_options *options, bipe_error *err)
{
    if (is_empty(options->tool) || is_empty(options->summary) || is_empty(options->usage))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the tool's name, summary or usage is missing");
    if (options->max_operands + options->min_operands > 0 && is_empty(options->operand_help))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "what an operand is, is not said");
    if (options->option_count > 64)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%zu options, expected at most 64", options->option_count);
    for (size_t i = 0; i < options->option_count; i++) {
        const bipe_option *a = &options->option[i];
        int status = check_option(a, err);
        if (status == BIPE_OK)
            status = bipe_option_check_rules(options, a, err);
        if (status != BIPE_OK)
            return status;
        for (size_t j = 0; j < options->option_count + BIPE_BUILT_IN_OPTIONS; j++) {
            const bipe_option *b = bipe_option_at(options, j);
            if (i == j || b->name == NULL)
                continue;
            if (strcmp(a->name, b->name) == 0)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--%s' occurs twice", a->name);
            if (a->letter != 0 && a->letter == b->letter)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '-%c' occurs twice", a->letter);
            if (a->target == b->target && a->kind != BIPE_OPTION_CHOICE && a->kind != BIPE_OPTION_FLAG)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "options '--%s' and '--%s' write to the same place", a->name,
                                 b->name);
        }
    }
    return BIPE_OK;
}

void bipe_texts_free(bipe_texts *texts)
{
    bipe_free(texts->text);
    *texts = (bipe_texts){0};
}

void bipe_sizes_free(bipe_sizes *sizes)
{
    bipe_free(sizes->value);
    *sizes = (bipe_sizes){0};
}
