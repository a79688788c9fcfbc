/* block_readers.h - readers of weights in blocks, for one kind of vector unit. Internal to src/nn.
 *
 * Their plain twins, which say what the blocks look like, are in src/format (blocks.h); values have the same bits. */
#ifndef BIPE_NN_BLOCK_READERS_H
#define BIPE_NN_BLOCK_READERS_H

#include "nn/nn.h"

typedef struct nn_block_reader {
    int type; /* number of the type in GGUF files */
    nn_reader *read;
} nn_block_reader;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
extern const nn_block_reader nn_block_readers_avx2[], nn_block_readers_avx512[]; /* read is NULL after the last */
#endif

#endif
