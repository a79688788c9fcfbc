/* block_bytes.c - for block-writers: reads f32 values, as they lie in memory, from standard input and writes blocks of
 * a type. Usage: block_bytes TYPE < VALUES; without TYPE, prints name and number of each type that is written. */
#include <stdio.h>
#include <string.h>

#include "format/tensor.h"

int main(int argc, char **argv)
{
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++) {
        float values[1024];
        uint8_t blocks[sizeof values];
        if (argc == 1 && row->write != NULL && row->values > 1)
            printf("%s %d\n", row->name, row->gguf);
        if (argc == 1 || row->write == NULL || strcmp(row->name, argv[1]) != 0)
            continue;
        for (size_t count; (count = fread(values, sizeof(float), 1024, stdin)) != 0;) {
            row->write(values, blocks, count);
            fwrite(blocks, bipe_dtype_row_size((bipe_dtype)i, count), 1, stdout);
        }
    }
    return fflush(stdout) != 0;
}
