/* descriptor.h - opens, reads and writes file descriptors with care: interrupted calls are repeated, short writes are
 * completed, and no opened file gets the number of a standard stream that the user closed. For this room, and for files
 * that are both read and written (cli/journal.c). */
#ifndef BIPE_BASE_DESCRIPTOR_H
#define BIPE_BASE_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As open(2), close-on-exec, and never 0, 1 or 2. -1 with errno. */
int bipe_descriptor_open(const char *path, int flags, mode_t mode);

/* As read(2), but repeats interrupted calls and waits where a non-blocking descriptor has nothing yet. -1: errno. */
ssize_t bipe_descriptor_read(int fd, void *bytes, size_t size);

/* As pipe(2), close-on-exec, and never 0, 1 or 2. -1 with errno, both ends then -1. */
int bipe_descriptor_pipe(int ends[2]);

/* Writes all bytes: 0, or -1 with errno. */
int bipe_descriptor_write(int fd, const void *bytes, size_t size);

#endif
