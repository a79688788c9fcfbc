/* group_names.h - the groups of documents that --group and --group-by make: the value of a member of their records, or
 * the folder of their file. */
#ifndef BIPE_CLI_GROUP_NAMES_H
#define BIPE_CLI_GROUP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* More are refused: what is kept of each is not small, and a member with more values hardly groups anything. */
enum { BIPE_GROUPS_MOST = 1000 };

/* The group of documents without the member. */
#define BIPE_GROUP_NONE "(none)"

/* In place of a member: the folder of the file. */
#define BIPE_GROUP_FOLDER "folder"

/* The folder of a file, "." where the path names none; the caller frees it. NULL: out of memory. */
char *bipe_group_folder(const char *path);

/* Zero-initialise. */
typedef struct bipe_group_names {
    char **name; /* (count) in the order in which they were found */
    size_t count, capacity;
} bipe_group_names;

/* BIPE_ERR_LIMIT: there is one group more than BIPE_GROUPS_MOST. member: what makes them, for the error. */
int bipe_group_limit(size_t groups, const char *name, const char *member, bipe_error *err);
/* The number of a group, which is added if it is new; name NULL: BIPE_GROUP_NONE. BIPE_OK or BIPE_ERR_LIMIT. */
int bipe_group_find(bipe_group_names *names, const char *name, const char *member, uint32_t *number, bipe_error *err);
/* The number of the group that comes after `last` by name, BIPE_GROUP_NONE last of all (NULL: the first); names->count:
 * none does. */
size_t bipe_group_after(const bipe_group_names *names, const char *last);
void bipe_group_names_free(bipe_group_names *names);

#endif
