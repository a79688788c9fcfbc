/* blocks.c - values a second of the readers of weights, one thread, in pieces of 256 values from memory that lies in the
 * cache: "TYPE MILLION_VALUES MIB" (of the file), with the reader that products use; BIPE_KERNELS=plain chooses the
 * plain one. Not a test: it asserts nothing. Usage: blocks [TYPE...] */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "format/tensor.h"
#include "nn/nn.h"

enum { PIECE = 256, PIECES = 512, TURNS = 7 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Values a second, the best of several turns. */
static double measure(const bipe_dtype_row *row, const uint8_t *bytes, float *values)
{
    size_t size = (size_t)PIECE / row->values * row->bytes;
    nn_reader *read = nn_reader_of(row->gguf, row->read);
    double best = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = seconds(), took = 0;
        size_t rounds = 0;
        for (; took < 0.02; rounds++) {
            for (size_t i = 0; i < PIECES; i++)
                read(bytes + i * size, values, PIECE);
            took = seconds() - start;
        }
        double rate = (double)rounds * PIECES * PIECE / took;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const bipe_dtype_row *row;
    uint8_t *bytes = bipe_alloc(PIECES * PIECE, sizeof(float));
    float values[PIECE];
    if (bytes == NULL)
        return 1;
    for (size_t i = 0; i < PIECES * PIECE * sizeof(float); i++)
        bytes[i] = (uint8_t)((i * i * 2654435761u >> 13 & 0x1F) | 0x20); /* scales are normal numbers */
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++) {
        bool wanted = argc == 1 && row->read != NULL;
        for (int k = 1; k < argc; k++)
            wanted = wanted || (row->read != NULL && strcmp(argv[k], row->name) == 0);
        if (!wanted)
            continue;
        double rate = measure(row, bytes, values);
        printf("%-8s %6.0f %6.0f\n", row->name, rate * 1e-6, rate / row->values * row->bytes / (1 << 20));
    }
    bipe_free(bytes);
    return 0;
}
