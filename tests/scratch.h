/* scratch.h - a folder of its own for a test that needs files, removed at the end. */
#ifndef BIPE_TESTS_SCRATCH_H
#define BIPE_TESTS_SCRATCH_H

#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_root[256];
static pid_t scratch_owner;

static int scratch_remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void scratch_remove(void)
{
    if (getpid() == scratch_owner)
        nftw(scratch_root, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The path of `name` in the scratch folder; good until eight more were asked for. */
static inline const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static unsigned turn;
    if (scratch_root[0] == '\0') {
        const char *folder = getenv("TMPDIR");
        snprintf(scratch_root, sizeof scratch_root, "%.200s/bipe-test-XXXXXX",
                 folder != NULL && folder[0] != '\0' ? folder : "/tmp");
        if (mkdtemp(scratch_root) == NULL) {
            perror(scratch_root);
            exit(99);
        }
        scratch_owner = getpid();
        atexit(scratch_remove);
    }
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%.200s", scratch_root, name);
    return path;
}

/* Writes a file of the scratch folder and returns its path. */
static inline const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        exit(99);
    }
    return path;
}

/* The bytes of a file (free them), with a NUL after them; NULL when it is not there. */
static inline char *scratch_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *bytes = NULL;
    *size = 0;
    for (size_t n = 1; n > 0; *size += n) {
        bytes = realloc(bytes, *size + 65537);
        if (bytes == NULL)
            exit(99);
        n = fread(bytes + *size, 1, 65536, file);
    }
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* Names in the scratch folder, hidden ones too. */
static inline size_t scratch_count(void)
{
    size_t count = 0;
    scratch_path("");
    DIR *folder = opendir(scratch_root);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

#endif
