/* plot_names.c - the names of lines and bars, some of which may be given. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "tools/plot/bipe_plot.h"

void plot_names_add(plot_names *names, const char *name)
{
    bipe_tool_grow(&names->text, &names->capacity, names->count + 1, sizeof *names->text);
    names->text[names->count++] = bipe_tool_strdup(name);
}

int plot_names_label(plot_names *names, const bipe_texts *labels, bipe_error *err)
{
    if (labels->count > names->count) {
        char list[300] = "";
        for (size_t i = 0; i < names->count; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? "; " : "", names->text[i]);
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--label': %zu names, expected at most %zu, instead of: %s",
                         labels->count, names->count, list);
    }
    for (size_t i = 0; i < labels->count; i++) {
        bipe_free(names->text[i]);
        names->text[i] = bipe_tool_strdup(labels->text[i]);
    }
    for (size_t i = 0; i < names->count && labels->count > 0; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(names->text[i], names->text[k]) == 0)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--label': '%s' would be the name of two",
                                 names->text[i]);
    return BIPE_OK;
}

void plot_names_close(plot_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        bipe_free(names->text[i]);
    bipe_free(names->text);
    *names = (plot_names){0};
}
