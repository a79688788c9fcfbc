/* memory_available.c - see memory_available.h.
 *
 * Files: proc(5); Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux. */
#include "base/memory_available.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, LINE_SIZE = 4096 };

static FILE *open_at(const char *root, const char *folder, const char *name)
{
    char path[PATH_SIZE];
    int size = snprintf(path, sizeof path, "%s%s%s", root, folder, name);
    return size > 0 && size < PATH_SIZE ? fopen(path, "re") : NULL;
}

/* The number in a file; after `key`, where that is not "". false: there is none. */
static bool read_number(const char *root, const char *folder, const char *name, const char *key, uint64_t *number)
{
    FILE *file = open_at(root, folder, name);
    char line[LINE_SIZE];
    bool found = false;
    size_t size = strlen(key);
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, size) == 0 && sscanf(line + size, "%" SCNu64, number) == 1;
    if (file != NULL)
        fclose(file);
    return found;
}

/* How the two versions name the same things. */
typedef struct cgroup_names {
    const char *mount, *limit, *usage, *inactive, *active;
} cgroup_names;

static const cgroup_names versions[2] = {
    {"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file ", "active_file "},
    {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ",
     "total_active_file "},
};

/* What one group leaves; "max" is no number. */
static uint64_t left_in_group(const char *root, const cgroup_names *names, const char *folder)
{
    uint64_t limit, usage, file;
    if (!read_number(root, folder, names->limit, "", &limit) || !read_number(root, folder, names->usage, "", &usage))
        return UINT64_MAX;
    if (read_number(root, folder, "/memory.stat", names->inactive, &file))
        usage -= file < usage ? file : usage;
    if (read_number(root, folder, "/memory.stat", names->active, &file))
        usage -= file < usage ? file : usage;
    return limit > usage ? limit - usage : 0;
}

/* What a group and those around it leave. In a container its path may be seen from outside, where there is nothing. */
static uint64_t left_in_groups(const char *root, const cgroup_names *names, const char *path)
{
    char folder[PATH_SIZE];
    uint64_t least = UINT64_MAX;
    size_t mount = strlen(names->mount);
    if (snprintf(folder, sizeof folder, "%s%s", names->mount, strcmp(path, "/") != 0 ? path : "") >= PATH_SIZE)
        return UINT64_MAX;
    for (;;) {
        uint64_t left = left_in_group(root, names, folder);
        least = left < least ? left : least;
        char *slash = strrchr(folder + mount, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

static uint64_t left_in_all_groups(const char *root)
{
    FILE *file = open_at(root, "/proc/self", "/cgroup");
    char line[LINE_SIZE];
    uint64_t least = UINT64_MAX;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) { /* NUMBER:CONTROLLERS:PATH; 2 has no controllers */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        bool second = controllers[1] == '\0';
        if (!second && strcmp(controllers, ":memory") != 0)
            continue;
        uint64_t left = left_in_groups(root, &versions[second ? 0 : 1], path);
        least = left < least ? left : least;
    }
    if (file != NULL)
        fclose(file);
    return least;
}

uint64_t bipe_memory_available(const char *root)
{
    uint64_t least = left_in_all_groups(root), number;
    struct rlimit limit;
    if (read_number(root, "/proc", "/meminfo", "MemAvailable:", &number) && number < UINT64_MAX / 1024 &&
        number * 1024 < least)
        least = number * 1024;
    long page = sysconf(_SC_PAGESIZE);
    if (page > 0 && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        read_number(root, "/proc/self", "/statm", "", &number)) {
        uint64_t used = number * (uint64_t)page, left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
        least = left < least ? left : least;
    }
    return least;
}

int bipe_memory_check(uint64_t available, uint64_t bytes, bipe_error *err, const char *advice, const char *what, ...)
{
    char begin[BIPE_ERROR_SIZE], more[BIPE_BYTES_TEXT], left[BIPE_BYTES_TEXT];
    va_list arguments;
    if (bytes <= available)
        return BIPE_OK;
    va_start(arguments, what);
    vsnprintf(begin, sizeof begin, what, arguments);
    va_end(arguments);
    return bipe_fail(err, BIPE_ERR_MEMORY, "%s %s more memory, expected at most the %s that are available: %s", begin,
                     bipe_format_bytes(more, bytes), bipe_format_bytes(left, available), advice);
}

uint64_t bipe_bytes_of(double bytes)
{
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX;
}

const char *bipe_format_bytes(char text[BIPE_BYTES_TEXT], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 1024 && unit < 4; unit++)
        size /= 1024;
    snprintf(text, BIPE_BYTES_TEXT, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return text;
}
