/* terminal.h - how wide terminals are, and what they can show. */
#ifndef BIPE_CLI_TERMINAL_H
#define BIPE_CLI_TERMINAL_H

#include "plot/look.h"

/* The columns of the terminal that is open as `fd`; BIPE_LOOK_USUAL where that is none. */
size_t bipe_terminal_columns(int fd);
/* The same unless COLUMNS says another number; from `narrowest` to `widest`. */
size_t bipe_terminal_width(int fd, size_t narrowest, size_t widest);
/* How a table or figure should look in an output (NULL: standard output), with `width` columns, or as many as it has
 * where this is 0. */
bipe_look bipe_tool_look(const char *output, size_t width, size_t narrowest, size_t widest);

#endif
