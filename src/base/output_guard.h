/* output_guard.h - the table of temporary files that a signal handler may have to remove. For output.c alone. */
#ifndef BIPE_BASE_OUTPUT_GUARD_H
#define BIPE_BASE_OUTPUT_GUARD_H

#include <stdbool.h>

/* Remembers `path`. Its slot, or -1 when all slots are taken or the path is too long for any file. */
int bipe_output_guard_add(const char *path);
void bipe_output_guard_drop(int slot);

#endif
