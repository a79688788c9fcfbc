/* look.h - properties of the terminal that figures and tables are printed on. */
#ifndef BIPE_PLOT_LOOK_H
#define BIPE_PLOT_LOOK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bipe_look {
    size_t width; /* columns, at least BIPE_LOOK_NARROWEST */
    bool utf8;    /* otherwise ASCII alone */
    bool colour;  /* 256 colours */
} bipe_look;

enum { BIPE_LOOK_NARROWEST = 24, BIPE_LOOK_WIDEST = 400, BIPE_LOOK_USUAL = 80 };

#endif
