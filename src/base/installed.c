/* installed.c - finds what was installed with bipe from the file that this code runs from; see installed.h. */
#include "config.h"

#include "base/installed.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#include "base/path.h"

/* As configured, and from the folder of a build. */
static const struct { const char *configured, *built; } installed[] = {
    [BIPE_INSTALLED_SEGMENTERS] = {BIPE_PLUGINDIR, "segmenters/plugin/.libs"},
    [BIPE_INSTALLED_MODELS] = {BIPE_MODELDIR, "models"},
    [BIPE_INSTALLED_SENTENCES] = {BIPE_SENTENCEDIR, "segmenters/sentence"},
    [BIPE_INSTALLED_TASKS] = {BIPE_TASKDIR, "tasks"},
};

/* The file that this code was loaded from, links followed. Whether there is one; *library: it is not the program. */
static bool own_file(char path[PATH_MAX], bool *library)
{
    const void *entry = NULL;   /* the program's first instruction */
    const char *started = NULL; /* the path that it was started by, for where /proc is not mounted */
#ifdef __linux__
    entry = (const void *)(uintptr_t)getauxval(AT_ENTRY);
    started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
#endif
    Dl_info own, program;
    *library = entry != NULL && dladdr(installed, &own) != 0 && dladdr(entry, &program) != 0 &&
               own.dli_fbase != program.dli_fbase;
    if (*library)
        return realpath(own.dli_fname, path) != NULL;
    return realpath("/proc/self/exe", path) != NULL || (started != NULL && realpath(started, path) != NULL);
}

/* The path of folder `to`, had `from` been moved to `here`: from /usr/bin to /usr/share/x is ../share/x. Both are
 * absolute. */
static void move_path(char *path, size_t size, const char *here, const char *from, const char *to)
{
    size_t common = 0; /* bytes of the folders that both begin with */
    for (size_t i = 0;; i++) {
        if ((from[i] == '\0' || from[i] == '/') && (to[i] == '\0' || to[i] == '/'))
            common = i;
        if (from[i] != to[i] || from[i] == '\0')
            break;
    }
    size_t used = (size_t)snprintf(path, size, "%s", here);
    for (const char *c = from + common; *c != '\0'; c++)
        if (*c == '/' && c[1] != '/' && c[1] != '\0' && used < size)
            used += (size_t)snprintf(path + used, size - used, "/..");
    if (used < size)
        snprintf(path + used, size - used, "%s", to + common);
}

/* Whether `folder` is where bipe was built: an installed program's folder may hold anything else. A library that was
 * built is in .libs of that folder, and programs that make texts are in corpora, which is then cut off. */
static bool is_build(char *folder, bool library)
{
    char file[PATH_MAX + sizeof "/config.status"], *end = strrchr(folder, '/');
    const bool inside = end != NULL && strcmp(end, library ? "/.libs" : "/corpora") == 0;
    if (library && !inside)
        return false;
    if (!inside)
        end = strchr(folder, '\0');
    snprintf(file, sizeof file, "%.*s/config.status", (int)(end - folder), folder);
    if (access(file, F_OK) != 0)
        return false;
    *end = '\0';
    return true;
}

const char *bipe_installed_folder(bipe_installed kind, char path[BIPE_INSTALLED_SIZE])
{
    char file[PATH_MAX], beside[2 * PATH_MAX], folder[PATH_MAX];
    bool library;
    if (own_file(file, &library)) {
        *strrchr(file, '/') = '\0';
        if (is_build(file, library))
            bipe_path_join(beside, sizeof beside, file, installed[kind].built);
        else
            move_path(beside, sizeof beside, file, library ? BIPE_LIBDIR : BIPE_BINDIR, installed[kind].configured);
        if (realpath(beside, folder) != NULL && strlen(folder) < BIPE_INSTALLED_SIZE)
            return strcpy(path, folder);
    }
    snprintf(path, BIPE_INSTALLED_SIZE, "%s", installed[kind].configured);
    return path;
}
