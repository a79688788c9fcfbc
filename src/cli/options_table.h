/* options_table.h - what the parser of options shares with the printers of help, man pages and completions. For
 * options*.c alone. */
#ifndef BIPE_CLI_OPTIONS_TABLE_H
#define BIPE_CLI_OPTIONS_TABLE_H

#include "cli/options.h"

/* --help and --version, which every table has. */
enum { BIPE_BUILT_IN_OPTIONS = 2 };
extern const bipe_option bipe_built_in_option[BIPE_BUILT_IN_OPTIONS];

/* The options of the table and then the built-in ones; i < option_count + BIPE_BUILT_IN_OPTIONS. */
static inline const bipe_option *bipe_option_at(const bipe_options *options, size_t i)
{
    return i < options->option_count ? &options->option[i] : &bipe_built_in_option[i - options->option_count];
}

/* These write; failures stay in the output and come out when it is committed. */
void bipe_options_print_help(const bipe_options *options, bipe_output *output);
/* `what`: man, bash, zsh or fish. BIPE_ERR_ARGUMENT for others. */
int bipe_options_generate(const bipe_options *options, const char *what, bipe_output *output, bipe_error *err);

/* Whether it makes sense to give the option several times, since its values are a list. */
bool bipe_option_repeats(const bipe_option *option);

/* Whether what was given goes together, as the rules say: BIPE_ERR_ARGUMENT with a line, or BIPE_OK. */
int bipe_options_obey(const bipe_options *options, const bipe_options_given *given, const bipe_texts *operands,
                      bipe_error *err);
/* Whether the option's rules are well made. */
int bipe_option_check_rules(const bipe_options *options, const bipe_option *option, bipe_error *err);
/* Whether by its own rules, whatever the values, the one option cannot be combined with the other. */
bool bipe_option_excludes(const bipe_options *options, const bipe_option *option, const bipe_option *other);

#endif
