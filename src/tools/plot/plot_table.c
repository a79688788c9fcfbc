/* plot_table.c - members of results as lists and tables of HTML, for the report of bipe-plot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/html.h"
#include "tools/plot/bipe_plot.h"

enum { ROWS_MOST = 2000, COLUMNS_MOST = 80, DEPTH_MOST = 4, NAME_SIZE = 256, LIST_SIZE = 1024 };

/* A list of texts, numbers and null as a text, which ends in "..." where there is no room for all. NULL: it holds
 * something else, or nothing. */
static json_t *join_list(const json_t *list)
{
    char text[LIST_SIZE] = "", number[32];
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        snprintf(number, sizeof number, "%.10g", json_number_value(item));
        const char *word = json_is_string(item) ? json_string_value(item) : json_is_null(item) ? "null" : number;
        if (!json_is_string(item) && !json_is_number(item) && !json_is_null(item))
            return NULL;
        bool fits = used + strlen(word) + 8 < sizeof text;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "", fits ? word : "...");
        if (!fits)
            break;
    }
    return used > 0 ? json_string_nocheck(text) : NULL;
}

/* Adds both ends of an interval. */
static void flatten_interval(json_t *flat, const char *name, const json_t *interval)
{
    for (size_t end = 0; end < 2; end++) {
        char whole[NAME_SIZE + 8];
        snprintf(whole, sizeof whole, "%s %s", name, end ? "to" : "from");
        if (json_is_number(json_array_get(interval, end)))
            json_object_set_nocheck(flat, whole, json_array_get(interval, end));
    }
}

/* Adds the members to `flat`, those of objects as NAME.NAME. Lists of anything else are left out, and so is null. */
static void flatten(json_t *flat, json_t *object, const char *before, int depth)
{
    static const char interval[] = "interval";
    const char *key;
    json_t *value, *list;
    json_object_foreach (object, key, value) {
        char name[NAME_SIZE];
        size_t size = strlen(key);
        snprintf(name, sizeof name, "%s%s", before, key);
        if (json_is_array(value) && size >= strlen(interval) && strcmp(key + size - strlen(interval), interval) == 0)
            flatten_interval(flat, name, value);
        else if (json_is_array(value) && (list = join_list(value)) != NULL)
            json_object_set_new_nocheck(flat, name, list);
        else if (json_is_object(value) && depth < DEPTH_MOST &&
                 snprintf(name, sizeof name, "%s%s.", before, key) < NAME_SIZE)
            flatten(flat, value, name, depth + 1);
        else if (!json_is_object(value) && !json_is_array(value) && !json_is_null(value))
            json_object_set_nocheck(flat, name, value);
    }
}

static void put_value(const json_t *value, bipe_output *output)
{
    double number = json_number_value(value);
    if (json_is_string(value))
        bipe_html_text(output, json_string_value(value));
    else if (json_is_boolean(value))
        bipe_output_printf(output, NULL, json_is_true(value) ? "yes" : "no");
    else if (value != NULL)
        bipe_output_printf(output, NULL, number == floor(number) && fabs(number) < 1e15 ? "%.0f" : "%.5g", number);
}

/* A list of those members that `but` has not. */
static void put_list(json_t *flat, const json_t *but, bipe_output *output)
{
    const char *key;
    json_t *value;
    bool some = false;
    json_object_foreach (flat, key, value) {
        if (json_object_get(but, key) != NULL)
            continue;
        bipe_output_printf(output, NULL, some ? "<div><dt>" : "<dl>\n<div><dt>");
        bipe_html_text(output, key);
        bipe_output_printf(output, NULL, "</dt><dd>");
        put_value(value, output);
        bipe_output_printf(output, NULL, "</dd></div>\n");
        some = true;
    }
    bipe_output_printf(output, NULL, some ? "</dl>\n" : "");
}

void plot_put_members(json_t *object, bipe_output *output)
{
    static const char *const shown[] = {"tool", "version", "program", "command",
                                        "operands"}; /* at other places of the page */
    json_t *flat = json_object(), *chosen = json_object(), *value;
    const char *key;
    flatten(flat, json_object_get(object, "run"), "", 0);
    flatten(flat, object, "", 0);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        json_object_del(flat, shown[i]);
    json_object_foreach (flat, key, value)
        if (!json_is_false(value) && strncmp(key, "run.", 4) != 0)
            json_object_set_nocheck(chosen, key, value);
    if (json_object_size(chosen) > 0) {
        bipe_output_printf(output, NULL, "<h3>Settings</h3>\n");
        put_list(chosen, NULL, output);
    }
    json_decref(flat);
    json_decref(chosen);
}

/* Adds the first value of each member to `all`, and to `columns` numbers, those whose values differ, those that some
 * rows lack, and those of a single row. */
static void find_columns(json_t *rows, json_t *all, json_t *columns)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i), *value;
        const char *key;
        json_object_foreach (row, key, value) {
            const json_t *first = json_object_get(all, key);
            if (first == NULL && json_object_size(all) < COLUMNS_MOST)
                json_object_set_nocheck(all, key, value);
            if (json_array_size(rows) == 1 || json_is_number(value) ||
                (first == NULL ? i > 0 : !json_equal(first, value)))
                json_object_set_nocheck(columns, key, json_true());
        }
        json_object_foreach (all, key, value)
            if (json_object_get(row, key) == NULL)
                json_object_set_nocheck(columns, key, json_true());
    }
}

static void put_rows(json_t *rows, json_t *all, const json_t *columns, bipe_output *output)
{
    size_t shown = json_array_size(rows) < ROWS_MOST ? json_array_size(rows) : ROWS_MOST;
    bipe_output_printf(output, NULL, "<div class=\"t\"><table>\n");
    for (size_t i = 0; i <= shown; i++) { /* row 0 has the names */
        const char *key;
        json_t *first;
        bipe_output_printf(output, NULL, "<tr>");
        json_object_foreach (all, key, first) {
            const json_t *value = i > 0 ? json_object_get(json_array_get(rows, i - 1), key) : NULL;
            if (json_object_get(columns, key) == NULL)
                continue;
            bipe_output_printf(output, NULL, i == 0 ? "<th%s>" : "<td%s>", json_is_string(first) ? " class=\"x\"" : "");
            if (i == 0)
                bipe_html_text(output, key);
            put_value(value, output);
            bipe_output_printf(output, NULL, i == 0 ? "</th>" : "</td>");
        }
        bipe_output_printf(output, NULL, "</tr>\n");
    }
    bipe_output_printf(output, NULL, "</table>\n");
    if (shown < json_array_size(rows))
        bipe_output_printf(output, NULL, "<p>%zu more rows are left out.</p>", json_array_size(rows) - shown);
    bipe_output_printf(output, NULL, "</div>\n");
}

void plot_put_table(const char *name, const json_t *list, bipe_output *output)
{
    json_t *rows = json_array(), *all = json_object(), *columns = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *flat = json_object();
        flatten(flat, json_array_get(list, i), "", 0);
        json_array_append_new(rows, flat);
    }
    find_columns(rows, all, columns);
    bipe_output_printf(output, NULL, "<h3>");
    bipe_html_text(output, name);
    bipe_output_printf(output, NULL, "</h3>\n");
    put_list(all, columns, output);
    put_rows(rows, all, columns, output);
    json_decref(rows);
    json_decref(all);
    json_decref(columns);
}
