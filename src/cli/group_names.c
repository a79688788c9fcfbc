/* group_names.c - the names of groups, found and counted. */
#include "cli/group_names.h"

#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"

int bipe_group_limit(size_t groups, const char *name, const char *member, bipe_error *err)
{
    return groups <= BIPE_GROUPS_MOST
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_LIMIT,
                           "more than %d groups by \"%.100s\" (\"%.100s\" is one more), expected fewer",
                           BIPE_GROUPS_MOST, member, name);
}

int bipe_group_find(bipe_group_names *names, const char *name, const char *member, uint32_t *number, bipe_error *err)
{
    size_t i = 0;
    name = name == NULL ? BIPE_GROUP_NONE : name;
    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    *number = (uint32_t)i;
    if (i < names->count)
        return BIPE_OK;
    if (bipe_group_limit(i + 1, name, member, err) != BIPE_OK)
        return BIPE_ERR_LIMIT;
    bipe_tool_grow(&names->name, &names->capacity, i + 1, sizeof *names->name);
    names->name[names->count++] = bipe_tool_strdup(name);
    return BIPE_OK;
}

static int compare_names(const char *a, const char *b)
{
    int a_none = strcmp(a, BIPE_GROUP_NONE) == 0, b_none = strcmp(b, BIPE_GROUP_NONE) == 0;
    return a_none != b_none ? a_none - b_none : strcmp(a, b);
}

size_t bipe_group_after(const bipe_group_names *names, const char *last)
{
    size_t next = names->count;
    for (size_t i = 0; i < names->count; i++)
        if ((last == NULL || compare_names(names->name[i], last) > 0) &&
            (next == names->count || compare_names(names->name[i], names->name[next]) < 0))
            next = i;
    return next;
}

char *bipe_group_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = bipe_tool_strdup(slash == NULL ? "." : path);
    if (slash != NULL)
        folder[slash > path ? slash - path : 1] = '\0';
    return folder;
}

void bipe_group_names_free(bipe_group_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        bipe_free(names->name[i]);
    bipe_free(names->name);
    *names = (bipe_group_names){0};
}
