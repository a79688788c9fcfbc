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
    *library = entry != NULL && dladdr(bipe_installed_places, &own) != 0 && dladdr(entry, &program) != 0 &&
               own.dli_fbase != program.dli_fbase;
    if (*library)
        return realpath(own.dli_fname, path) != NULL;
    return realpath("/proc/self/exe", path) != NULL || (started != NULL && realpath(started, path) != NULL);
}

const char *bipe_installed_folder(bipe_installed kind, char path[BIPE_INSTALLED_SIZE])
{
    const bipe_installed_place *place = &bipe_installed_places[kind];
    char file[PATH_MAX], beside[2 * PATH_MAX], folder[PATH_MAX];
    bool library;
    if (own_file(file, &library)) {
        const char *const from[] = {library ? place->from_libraries : place->from_programs, place->from_build};
        *strrchr(file, '/') = '\0';
        for (size_t i = 0; i < 2; i++) {
            snprintf(beside, sizeof beside, "%s/%s", file, from[i]);
            if (realpath(beside, folder) != NULL && strlen(folder) < BIPE_INSTALLED_SIZE)
                return strcpy(path, folder);
        }
    }
    snprintf(path, BIPE_INSTALLED_SIZE, "%s", place->configured);
    return path;
}
