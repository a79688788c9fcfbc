/* options_generate.c - from a table of options: the entries of the OPTIONS section of a man page, and completions for
 * bash, zsh and fish. */
#include <stdio.h>
#include <string.h>

#include "cli/options_table.h"

/* Whether a value of this name is completed as a file or folder. */
static bool names_file(const char *value_name)
{
    static const char *const names[] = {"FILE", "FOLDER", "SPEC", "MODEL", "OUT"};
    for (size_t i = 0; value_name != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value_name, names[i]) == 0)
            return true;
    return false;
}

static bool is_folder(const bipe_option *option)
{
    return option->value_name != NULL && strcmp(option->value_name, "FOLDER") == 0;
}

static void put_generated(bipe_output *output, const char *text)
{
    bipe_output_write(output, text, strlen(text), NULL);
}

/* The first clause of a help text: completions show little. */
static size_t short_help(const char *help)
{
    size_t n = strcspn(help, ".;:\n");
    while (help[n] == '.' && help[n + 1] != ' ' && help[n + 1] != '\0')
        n += 1 + strcspn(help + n + 1, ".;:\n");
    return n;
}

/* Writes text with `escape` before each character of `special`. */
static void put_escaped(bipe_output *output, const char *text, size_t size, const char *special, const char *escape)
{
    for (size_t i = 0; i < size; i++) {
        if (strchr(special, text[i]) != NULL)
            put_generated(output, escape);
        bipe_output_write(output, text + i, 1, NULL);
    }
}

/* The names of what is installed when somebody asks for them: in shells, and in fish. */
#define LIST(tool) tool " --list 2>/dev/null | cut -d \" \" -f 1)"
#define SHELL_MODELS "default $(" LIST("bipe-convert")
#define FISH_MODELS "default (" LIST("bipe-convert")

static const struct {
    const char *shell, *fish;
} installed_names[] = {
    [BIPE_NAMES_NONE] = {"", ""},
    [BIPE_NAMES_MODELS] = {SHELL_MODELS, FISH_MODELS},
    [BIPE_NAMES_TASKS] = {"$(" LIST("bipe-eval"), "(" LIST("bipe-eval")},
};

/* Whether completions know more of its value than that it is a file. */
static bool has_values(const bipe_option *option)
{
    return option->choices != NULL || option->words != NULL || option->names != BIPE_NAMES_NONE;
}

/* These values, with the names of what is installed. */
static void put_values(bipe_output *output, const bipe_option *option, const char *installed)
{
    const char *const *value = option->choices != NULL ? option->choices : option->words;
    for (; value != NULL && *value != NULL; value++)
        bipe_output_printf(output, NULL, "%s%s", *value, value[1] != NULL || installed[0] != '\0' ? " " : "");
    put_generated(output, installed);
}

/* ---- man ---- */

/* Text for roff: no character of it is taken for a request or an escape. */
static void put_roff(bipe_output *output, const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            put_generated(output, "\\&");
        line_start = *text == '\n';
        if (*text == '\\')
            put_generated(output, "\\e");
        else if (*text == '-')
            put_generated(output, "\\-");
        else
            bipe_output_write(output, text, 1, NULL);
    }
}

static void generate_man(const bipe_options *options, bipe_output *output)
{
    for (size_t i = 0; i < options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        if (option->group != NULL) {
            put_generated(output, ".SS ");
            put_roff(output, option->group);
            put_generated(output, "\n");
        }
        put_generated(output, ".TP\n");
        if (option->letter != 0)
            bipe_output_printf(output, NULL, "\\fB\\-%c\\fR, ", option->letter);
        put_generated(output, "\\fB\\-\\-");
        put_roff(output, option->name);
        put_generated(output, "\\fR");
        if (option->value_name != NULL) {
            put_generated(output, option->alone != NULL ? "[=\\fI" : "=\\fI");
            put_roff(output, option->value_name);
            put_generated(output, option->alone != NULL ? "\\fR]" : "\\fR");
        }
        put_generated(output, "\n");
        put_roff(output, option->help);
        for (size_t j = 0; option->choices != NULL && option->choices[j] != NULL; j++) {
            put_generated(output, j == 0 ? "\n(one of \\fB" : ", \\fB");
            put_roff(output, option->choices[j]);
            put_generated(output, option->choices[j + 1] != NULL ? "\\fR" : "\\fR)");
        }
        put_generated(output, "\n");
    }
}

/* ---- bash ---- */

static void put_function(bipe_output *output, const bipe_options *options)
{
    put_generated(output, "_");
    for (const char *c = options->tool; *c != '\0'; c++)
        put_generated(output, (char[2]){*c == '-' ? '_' : *c, '\0'});
}

static void generate_bash(const bipe_options *options, bipe_output *output)
{
    size_t count = options->option_count + BIPE_BUILT_IN_OPTIONS;
    bipe_output_printf(output, NULL, "# bash completion for %s\n", options->tool);
    put_function(output, options);
    put_generated(output, "()\n{\n"
                "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    if [[ $cur == = ]]; then\n"
                "        cur=\n"
                "    elif [[ $option == = && $COMP_CWORD -gt 1 ]]; then\n"
                "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
                "    elif [[ $cur == --*=* ]]; then\n"
                "        option=${cur%%=*} cur=${cur#*=}\n"
                "    fi\n"
                "    COMPREPLY=()\n"
                "    case $option in\n");
    for (size_t i = 0; i < count; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        bool files = names_file(option->value_name);
        if (option->kind == BIPE_OPTION_FLAG || option->alone != NULL)
            continue;
        put_generated(output, "    ");
        if (option->letter != 0)
            bipe_output_printf(output, NULL, "-%c|", option->letter);
        bipe_output_printf(output, NULL, "--%s)", option->name);
        if (has_values(option)) {
            put_generated(output, files ? " compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -W \""
                                        : " mapfile -t COMPREPLY < <(compgen -W \"");
            put_values(output, option, installed_names[option->names].shell);
            put_generated(output, "\" -- \"$cur\"); [[ ${COMPREPLY[0]-} != *: ]] || compopt -o nospace");
        } else if (files) {
            put_generated(output, " compopt -o filenames; mapfile -t COMPREPLY < <(compgen -");
            put_generated(output, is_folder(option) ? "d" : "f");
            put_generated(output, " -- \"$cur\")");
        }
        put_generated(output, has_values(option) || files ? "; return ;;\n" : " return ;;\n");
    }
    put_generated(output, "    esac\n"
                "    if [[ $cur == -* ]]; then\n"
                "        mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < count; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        if (option->letter != 0)
            bipe_output_printf(output, NULL, "-%c ", option->letter);
        bipe_output_printf(output, NULL, "--%s%s%s", option->name,
                           option->value_name != NULL && option->alone == NULL ? "=" : "", i + 1 < count ? " " : "");
    }
    put_generated(output, "' -- \"$cur\")\n"
                "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
                "    else\n"
                "        compopt -o filenames\n"
                "        mapfile -t COMPREPLY < <(compgen -f ");
    put_generated(output, options->model_operand ? "-W \"" SHELL_MODELS "\" " : "");
    put_generated(output, "-- \"$cur\")\n"
                "    fi\n"
                "}\n"
                "complete -F ");
    put_function(output, options);
    bipe_output_printf(output, NULL, " %s\n", options->tool);
}

/* ---- zsh ---- */

/* Inside '...' and inside the [...] or :...: of _arguments. */
static void put_zsh(bipe_output *output, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'')
            put_generated(output, "'\\'");
        put_escaped(output, text + i, 1, "[]:\\", "\\");
    }
}

/* The words of an option that end with a colon, or the others. */
static void put_zsh_words(bipe_output *output, const bipe_option *option, bool open)
{
    for (const char *const *word = option->words; word != NULL && *word != NULL; word++) {
        size_t size = strlen(*word);
        if (((*word)[size - 1] == ':') == open) {
            put_zsh(output, *word, size);
            put_generated(output, " ");
        }
    }
}

static void put_zsh_value(bipe_output *output, const bipe_option *option)
{
    if (option->kind == BIPE_OPTION_FLAG)
        return;
    put_generated(output, option->alone != NULL ? "::" : ":");
    put_zsh(output, option->value_name, strlen(option->value_name));
    put_generated(output, ":");
    if (option->choices != NULL) {
        put_generated(output, "(");
        put_values(output, option, "");
        put_generated(output, ")");
    } else if (has_values(option)) {
        put_generated(output, "{compadd -- ");
        put_zsh_words(output, option, false);
        put_generated(output, installed_names[option->names].shell);
        put_generated(output, "; compadd -S \"\" -- ");
        put_zsh_words(output, option, true);
        put_generated(output, names_file(option->value_name) ? "; _files}" : "}");
    } else if (names_file(option->value_name)) {
        put_generated(output, is_folder(option) ? "_files -/" : "_files");
    }
}

/* "(-q --quiet --json)": what is not offered any more after the option: itself, and what cannot be combined with it. */
static void put_zsh_excluded(const bipe_options *options, const bipe_option *option, bipe_output *output)
{
    const char *before = "(";
    for (size_t i = 0; i < options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const bipe_option *other = bipe_option_at(options, i);
        bool self = other == option && option->letter != 0 && !bipe_option_repeats(option);
        if (!self && !bipe_option_excludes(options, option, other) && !bipe_option_excludes(options, other, option))
            continue;
        if (other->letter != 0)
            bipe_output_printf(output, NULL, "%s-%c", before, other->letter);
        bipe_output_printf(output, NULL, "%s--%s", other->letter != 0 ? " " : before, other->name);
        before = " ";
    }
    put_generated(output, before[0] == ' ' ? ")" : "");
}

static void generate_zsh(const bipe_options *options, bipe_output *output)
{
    bipe_output_printf(output, NULL, "#compdef %s\n_arguments -s -S", options->tool);
    for (size_t i = 0; i < options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        bool takes = option->kind != BIPE_OPTION_FLAG;
        put_generated(output, " \\\n    ");
        put_generated(output, "'");
        put_zsh_excluded(options, option, output);
        put_generated(output, bipe_option_repeats(option) ? "*" : "");
        if (option->letter != 0)
            bipe_output_printf(output, NULL, "'{-%c%s,--%s%s}'[", option->letter, takes ? "+" : "", option->name,
                               takes ? "=" : "");
        else
            bipe_output_printf(output, NULL, "--%s%s[", option->name,
                               option->alone != NULL ? "=-" : takes ? "=" : "");
        put_zsh(output, option->help, short_help(option->help));
        put_generated(output, "]");
        put_zsh_value(output, option);
        put_generated(output, "'");
    }
    if (options->model_operand)
        put_generated(output, " \\\n    '1:model:{compadd -- " SHELL_MODELS "; _files}'");
    if (options->max_operands != 1 || !options->model_operand)
        put_generated(output, " \\\n    '*:file:_files'");
    put_generated(output, "\n");
}

/* ---- fish ---- */

static void generate_fish(const bipe_options *options, bipe_output *output)
{
    bipe_output_printf(output, NULL, "# fish completion for %s\n", options->tool);
    for (size_t i = 0; i < options->option_count + BIPE_BUILT_IN_OPTIONS; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        bipe_output_printf(output, NULL, "complete -c %s", options->tool);
        if (option->letter != 0)
            bipe_output_printf(output, NULL, " -s %c", option->letter);
        bipe_output_printf(output, NULL, " -l %s", option->name);
        if (has_values(option)) {
            put_generated(output, names_file(option->value_name) ? " -r -F -a '" : " -x -a '");
            put_values(output, option, installed_names[option->names].fish);
            put_generated(output, "'");
        } else if (is_folder(option)) {
            put_generated(output, " -x -a '(__fish_complete_directories)'");
        } else if (option->kind != BIPE_OPTION_FLAG && option->alone == NULL) {
            put_generated(output, names_file(option->value_name) ? " -r -F" : " -x");
        }
        put_generated(output, " -d '");
        put_escaped(output, option->help, short_help(option->help), "\\'", "\\");
        put_generated(output, "'\n");
    }
    if (options->model_operand)
        bipe_output_printf(output, NULL, "complete -c %s -a '%s'\n", options->tool, FISH_MODELS);
}

int bipe_options_generate(const bipe_options *options, const char *what, bipe_output *output, bipe_error *err)
{
    static const struct {
        const char *name;
        void (*generate)(const bipe_options *options, bipe_output *output);
    } kinds[] = {{"man", generate_man}, {"bash", generate_bash}, {"zsh", generate_zsh}, {"fish", generate_fish}};
    /* Pages and completions are made while the tools are built: a table that is wrong stops there. */
    int status = bipe_options_check(options, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, what) == 0) {
            kinds[i].generate(options, output);
            return BIPE_OK;
        }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected one of man, bash, zsh, fish", what);
}
