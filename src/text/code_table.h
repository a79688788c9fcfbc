/* code_table.h - tables with a letter for each code point, as src/text/unicode-tables writes them. */
#ifndef BIPE_TEXT_CODE_TABLE_H
#define BIPE_TEXT_CODE_TABLE_H

#include <stdint.h>

enum { BIPE_CODE_BLOCK = 128 /* code points */, BIPE_CODE_PAGE = 32 /* blocks */ };

/* Equal blocks, and equal pages of blocks, are stored once. */
typedef struct bipe_code_table {
    const uint8_t *pages;                         /* (0x110000 / (BIPE_CODE_PAGE * BIPE_CODE_BLOCK)) number of each
                                                     page */
    const uint16_t (*blocks)[BIPE_CODE_PAGE];     /* of each page: number of each of its blocks */
    const char (*letters)[BIPE_CODE_BLOCK + 1];   /* of each block */
} bipe_code_table;

/* The letters of the block that a code point, 0 .. 0x10FFFF, lies in. */
static inline const char *bipe_code_block(const bipe_code_table *table, int32_t code)
{
    uint32_t block = (uint32_t)code / BIPE_CODE_BLOCK;
    return table->letters[table->blocks[table->pages[block / BIPE_CODE_PAGE]][block % BIPE_CODE_PAGE]];
}

static inline char bipe_code_letter(const bipe_code_table *table, int32_t code)
{
    return bipe_code_block(table, code)[code % BIPE_CODE_BLOCK];
}

#endif
