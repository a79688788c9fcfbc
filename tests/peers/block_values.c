/* block_values.c - for block-types: reads blocks of a type from standard input and writes their values, f32 as they lie
 * in memory. Usage: block_values TYPE < BLOCKS; without TYPE, prints name, number, values and bytes of each block type.
 */
#include <stdio.h>
#include <string.h>

#include "format/tensor.h"

int main(int argc, char **argv)
{
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++) {
        uint8_t blocks[1024];
        float values[1024];
        if (argc == 1 && row->read != NULL && row->values > 1)
            printf("%s %d %u %u\n", row->name, row->gguf, row->values, row->bytes);
        if (argc == 1 || row->read == NULL || strcmp(row->name, argv[1]) != 0)
            continue;
        size_t piece = sizeof values / sizeof values[0] / row->values, size;
        if (piece > sizeof blocks / row->bytes)
            piece = sizeof blocks / row->bytes;
        while ((size = fread(blocks, row->bytes, piece, stdin)) != 0) {
            row->read(blocks, values, size * row->values);
            fwrite(values, sizeof(float) * row->values, size, stdout);
        }
    }
    return fflush(stdout) != 0;
}
