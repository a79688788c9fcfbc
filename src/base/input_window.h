/* input_window.h - what it takes to decompress a file, read from its beginning. */
#ifndef BIPE_BASE_INPUT_WINDOW_H
#define BIPE_BASE_INPUT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of text that whoever reads a file of zstd or xz remembers at once, as far as the first of its frames or blocks says so, and
 * the file is large enough for them; 0 for any other file, and for what is no regular file. */
uint64_t bipe_input_window(const char *path);
/* The largest of many files, but for what hardly counts. */
uint64_t bipe_input_windows(const char *const *path, size_t count);

#endif
