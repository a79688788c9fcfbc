/* plot_items.h - rows of results from all inputs, and the shortest names that distinguish them. */
#ifndef BIPE_TOOLS_PLOT_ITEMS_H
#define BIPE_TOOLS_PLOT_ITEMS_H

#include "tools/plot_input.h"

/* The parts of a name. A part that all rows share is left out. */
enum { PLOT_PART_MODEL, PLOT_PART_SEGMENTER, PLOT_PART_PLACE, PLOT_PART_INPUT, PLOT_PARTS };

typedef struct plot_item {
    const json_t *row; /* belongs to its input; NULL where the row is a view of a table */
    const plot_view *view;
    const char *part[PLOT_PARTS]; /* never NULL */
    double length;
    char where[96]; /* of the row, for errors: "FILE: results[3]." */
} plot_item;

typedef struct plot_items {
    plot_item *item;
    size_t count, capacity;
    bool varies[PLOT_PARTS];
} plot_items;

enum { PLOT_NAME_SIZE = 512 };

/* Adds the rows of a list of the input's result. `member`: under which the row names model and segmenter, NULL: itself. */
int plot_items_add(plot_items *items, const plot_input *input, const char *list, const char *member, bipe_error *err);
int plot_items_add_views(plot_items *items, const plot_input *input, bipe_error *err);
/* When all are there: which parts vary. */
void plot_items_settle(plot_items *items);
const char *plot_item_name(const plot_items *items, const plot_item *item, char name[PLOT_NAME_SIZE]);
void plot_items_close(plot_items *items);

#endif
