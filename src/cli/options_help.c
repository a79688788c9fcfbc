/* options_help.c - prints --help from a table, wrapped to the width of the terminal. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options_table.h"
#include "cli/terminal.h"

enum { NARROWEST = 40, WIDEST = 100, WIDEST_NAMES = 30 };

/* Columns that a text takes, a character counted as one. */
static size_t columns_of(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

static void put_blanks(bipe_output *output, size_t count)
{
    bipe_output_printf(output, NULL, "%*s", (int)count, "");
}

/* Writes words from column `at` on, going on at column `indent` in new lines. A newline in the text starts a line; a
 * text line that starts with a blank is an example and stays as it is. */
static void wrap_text(bipe_output *output, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true;
    while (*text != '\0') {
        if (*text == '\n') {
            bipe_output_write(output, "\n", 1, NULL);
            at = 0;
            fresh = true;
            if (*++text == ' ' && indent == 0) {
                size_t n = strcspn(text, "\n");
                bipe_output_write(output, text, n, NULL);
                text += n;
                at = n;
            }
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t n = strcspn(text, " \n"), w = columns_of(text, n);
        if (!fresh && at + 1 + w > width) {
            bipe_output_write(output, "\n", 1, NULL);
            at = 0;
            fresh = true;
        }
        if (fresh && at < indent) {
            put_blanks(output, indent - at);
            at = indent;
        } else if (!fresh) {
            bipe_output_write(output, " ", 1, NULL);
            at++;
        }
        bipe_output_write(output, text, n, NULL);
        at += w;
        text += n;
        fresh = false;
    }
}

/* "  -s, --segmenter=SPEC" */
static size_t format_names(const bipe_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *value = option->value_name != NULL ? option->value_name : "";
    int n = snprintf(text, size, option->alone != NULL ? "  %s--%s[%s%s]" : "  %s--%s%s%s", letter, option->name,
                     option->value_name != NULL ? "=" : "", value);
    return (size_t)n < size ? (size_t)n : size - 1;
}

/* The help of an option with the names of its choices. */
static void print_option_help(const bipe_option *option, size_t at, size_t indent, bipe_output *output, size_t width)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", option->help);
    for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", i == 0 ? " (one of " : " ", option->choices[i],
                              option->choices[i + 1] != NULL ? "," : ")");
    wrap_text(output, text, at, indent, width);
}

void bipe_options_print_help(const bipe_options *options, bipe_output *output)
{
    size_t width = bipe_terminal_width(STDOUT_FILENO, NARROWEST, WIDEST), column = 0;
    char names[128];
    size_t count = options->option_count + BIPE_BUILT_IN_OPTIONS;
    for (size_t i = 0; i < count; i++) {
        size_t n = format_names(bipe_option_at(options, i), names, sizeof names) + 2;
        if (n > column && n <= WIDEST_NAMES)
            column = n;
    }
    if (column > width / 2)
        column = 8;

    bipe_output_printf(output, NULL, "Usage: %s ", options->tool);
    wrap_text(output, options->usage, strlen("Usage: ") + columns_of(options->tool, strlen(options->tool)) + 1, 8,
              width);
    bipe_output_write(output, "\n", 1, NULL);
    wrap_text(output, options->summary, 0, 0, width);
    bipe_output_write(output, "\n", 1, NULL);
    if (options->description != NULL) {
        bipe_output_write(output, "\n", 1, NULL);
        wrap_text(output, options->description, 0, 0, width);
        bipe_output_write(output, "\n", 1, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const bipe_option *option = bipe_option_at(options, i);
        const char *group = option->group != NULL ? option->group : i == 0 ? "Options" : NULL;
        if (group != NULL)
            bipe_output_printf(output, NULL, "\n%s:\n", group);
        size_t at = format_names(option, names, sizeof names);
        bipe_output_write(output, names, at, NULL);
        if (at + 2 > column) {
            bipe_output_write(output, "\n", 1, NULL);
            at = 0;
        }
        print_option_help(option, at, column, output, width);
        bipe_output_write(output, "\n", 1, NULL);
    }
    if (options->operand_help != NULL) {
        bipe_output_write(output, "\n", 1, NULL);
        wrap_text(output, options->operand_help, 0, 0, width);
        bipe_output_write(output, "\n", 1, NULL);
    }
}
