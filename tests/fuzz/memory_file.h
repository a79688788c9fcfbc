/* memory_file.h - gives readers that take a path the bytes of a fuzzer, without touching a disk. */
#ifndef BIPE_TESTS_FUZZ_MEMORY_FILE_H
#define BIPE_TESTS_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Makes the bytes the contents of one file in memory, the same at each call, and returns its path. */
static inline const char *memory_file(const uint8_t *bytes, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
        abort();
    return path;
}

#endif
