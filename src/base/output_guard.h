/* output_guard.h - the table of temporary files that a signal handler may have to remove. */
#ifndef BIPE_BASE_OUTPUT_GUARD_H
#define BIPE_BASE_OUTPUT_GUARD_H

/* A tool calls this first: SIGPIPE is ignored, and SIGHUP, SIGINT and SIGTERM (unless ignored) remove the temporary
 * files of all outputs that are open before they end the program as usual. */
void bipe_output_guard(void);
/* Removes them. Async-signal-safe. */
void bipe_output_remove_all(void);

/* For output.c: remembers `path`. Its slot, or -1 when all slots are taken or the path is too long for any file. */
int bipe_output_guard_add(const char *path);
void bipe_output_guard_drop(int slot);

#endif
