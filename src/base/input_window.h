/* input_window.h - how much memory a file needs to be decompressed, as its first bytes say. */
#ifndef BIPE_BASE_INPUT_WINDOW_H
#define BIPE_BASE_INPUT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* The window of a zstd or xz file in bytes: as its first frame or block says, but no more than the text can fill; 0 for
 * any other file, and for anything that is not a regular file. */
uint64_t bipe_input_window(const char *path);
/* The largest of many files; small ones are not opened. */
uint64_t bipe_input_windows(const char *const *path, size_t count);

#endif
