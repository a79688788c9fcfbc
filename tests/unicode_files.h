/* unicode_files.h - files of Unicode for tests of properties and of UAX #29. */
#ifndef BIPE_TESTS_UNICODE_FILES_H
#define BIPE_TESTS_UNICODE_FILES_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

#define UNICODE_VERSION "17.0.0"

/* Lines of UAX #29's tests, in tests/cases. */
static inline FILE *open_break_cases(const char *name)
{
    const char *source = getenv("BIPE_SRCDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/tests/cases/%s", source != NULL ? source : ".", name);
    FILE *in = fopen(path, "r");
    if (in == NULL)
        fprintf(stderr, "%s: cannot be read\n", path), exit(1);
    return in;
}

/* A file of the Unicode Character Database of this version in the folder BIPE_UNICODE, or in that of Debian's
 * unicode-data. NULL: there is none. */
static inline FILE *open_unicode_file(const char *name)
{
    const char *folder = getenv("BIPE_UNICODE");
    char path[PATH_MAX], line[256];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "/usr/share/unicode", name);
    FILE *in = fopen(path, "r");
    if (in != NULL && (fgets(line, sizeof line, in) == NULL || strstr(line, "-" UNICODE_VERSION ".txt") == NULL)) {
        fclose(in);
        in = NULL;
    }
    return in;
}

/* The next line "0041..005A ; Upper"; value: at least 32 bytes. False: there are no more. */
static inline bool next_unicode_range(FILE *in, unsigned *first, unsigned *last, char *value)
{
    char line[1024];
    while (fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "%x..%x ; %31s", first, last, value) == 3)
            return true;
        if (sscanf(line, "%x ; %31s", first, value) == 2) {
            *last = *first;
            return true;
        }
    }
    return false;
}

#endif
