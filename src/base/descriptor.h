/* descriptor.h - opens, reads and writes file descriptors the careful way: interrupted calls go on, short writes are completed,
 * and no file that is opened takes the number of a standard stream that the user closed. For this room alone. */
#ifndef BIPE_BASE_DESCRIPTOR_H
#define BIPE_BASE_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As open(2), close-on-exec, and never 0, 1 or 2. -1 with errno. */
int bipe_descriptor_open(const char *path, int flags, mode_t mode);

/* A new file of `folder` that has no name, so that nothing is left of it when the program ends in any way. -1 with errno where
 * the system or its file system has no such files, or /proc, through which one gets a name, is not mounted. */
int bipe_descriptor_open_unnamed(const char *folder, int flags, mode_t mode);
/* By what linkat(2) with AT_SYMLINK_FOLLOW gives it one. Returns `path`. */
enum { BIPE_DESCRIPTOR_PATH = 40 };
const char *bipe_descriptor_path(int fd, char path[BIPE_DESCRIPTOR_PATH]);

/* As read(2), going on when interrupted and waiting where a non-blocking descriptor has nothing yet. -1 with errno. */
ssize_t bipe_descriptor_read(int fd, void *bytes, size_t size);

/* As pipe(2), close-on-exec, and never 0, 1 or 2. -1 with errno, both ends then -1. */
int bipe_descriptor_pipe(int ends[2]);

/* Writes all bytes: 0, or -1 with errno. */
int bipe_descriptor_write(int fd, const void *bytes, size_t size);

#endif
