/* unicode_table.h - the tables of unicode_categories.c and unicode_properties.c, for unicode_sets.c and the library's
 * scripts (pre_scripts.c). */
#ifndef BIPE_TEXT_UNICODE_TABLE_H
#define BIPE_TEXT_UNICODE_TABLE_H

#include "text/code_set.h"
#include "text/code_table.h"
#include "text/unicode.h"

/* A script or another property, and the number of its first range; its last one precedes that of the next name. */
typedef struct bipe_unicode_name {
    const char *name;
    size_t range;
} bipe_unicode_name;

extern const bipe_code_table bipe_unicode_categories; /* 'a' is the first of bipe_category, 'b' the next, ... */
extern const bipe_unicode_name bipe_unicode_names[];
extern const bipe_code_range bipe_unicode_ranges[];

#endif
