/* unicode_table.h - the tables of unicode_categories.c and unicode_properties.c, for unicode_sets.c alone. */
#ifndef BIPE_TEXT_UNICODE_TABLE_H
#define BIPE_TEXT_UNICODE_TABLE_H

#include "text/code_set.h"
#include "text/unicode.h"

enum { BIPE_UNICODE_BLOCK = 32, BIPE_UNICODE_BLOCKS = 0x20000 / BIPE_UNICODE_BLOCK };

/* Characters of one category, up to the first of the next run. */
typedef struct bipe_unicode_run {
    int32_t first;
    uint8_t category;
} bipe_unicode_run;

/* A script or another property, and the number of its first range; its last one precedes that of the next name. */
typedef struct bipe_unicode_name {
    const char *name;
    size_t range;
} bipe_unicode_name;

extern const bipe_unicode_run bipe_unicode_runs[];
extern const size_t bipe_unicode_run_count;
/* The run of the first character of each block, in planes 0 and 1. Blocks are short, to keep the search within one short. */
extern const uint16_t bipe_unicode_blocks[BIPE_UNICODE_BLOCKS];
extern const bipe_unicode_name bipe_unicode_names[];
extern const bipe_code_range bipe_unicode_ranges[];

#endif
