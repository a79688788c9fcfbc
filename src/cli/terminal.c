/* terminal.c - see terminal.h. */
#include "cli/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/numbers.h"

size_t bipe_terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : BIPE_LOOK_USUAL;
}

size_t bipe_terminal_width(int fd, size_t narrowest, size_t widest)
{
    uint64_t width;
    const char *columns = getenv("COLUMNS");
    if (columns == NULL || bipe_parse_size(columns, 1, 100000, &width, NULL) != BIPE_OK)
        width = bipe_terminal_columns(fd);
    return width < narrowest ? narrowest : width > widest ? widest : (size_t)width;
}

bipe_look bipe_tool_look(const char *output, size_t width, size_t narrowest, size_t widest)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool terminal = (output == NULL || strcmp(output, "-") == 0) && isatty(STDOUT_FILENO);
    bipe_look look = {.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    look.width = bipe_terminal_width(terminal ? STDOUT_FILENO : -1, narrowest, widest);
    if (width > 0)
        look.width = width < narrowest ? narrowest : width > widest ? widest : width;
    look.colour = terminal && (no_colour == NULL || no_colour[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
    return look;
}
