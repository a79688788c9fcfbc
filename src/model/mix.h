/* mix.h - which types the weights of a file have: one for all matrices, or several, mixed as llama-quantize of
 * llama.cpp does without an importance matrix, whose names they have (llama_tensor_get_type_impl, llama-quant.cpp). */
#ifndef BIPE_MODEL_MIX_H
#define BIPE_MODEL_MIX_H

#include "format/tensor.h"

/* Which layers have a better type than the others. N: layers. */
typedef enum bipe_mix_layers {
    BIPE_MIX_NONE,
    BIPE_MIX_FIRST_FOUR,
    BIPE_MIX_FIRST_EIGHTH, /* those before N / 8 */
    BIPE_MIX_SPREAD        /* the same, those from 7 N / 8, and every third between */
} bipe_mix_layers;

typedef struct bipe_mix_part {
    bipe_mix_layers layers;
    bipe_dtype dtype;
} bipe_mix_part;

typedef struct bipe_mix {
    const char *name;
    unsigned file;             /* general.file_type of GGUF files (enum llama_ftype) */
    bipe_dtype main, output;   /* output: of the output projection, in a tied model the embedding */
    bipe_mix_part value, down; /* of attention's values, of the matrix that ends a feed-forward layer */
} bipe_mix;

/* The table; NULL after the last. */
const bipe_mix *bipe_mix_at(size_t i);
/* The one whose matrices are mainly of that type; NULL: none. */
const bipe_mix *bipe_mix_of(bipe_dtype dtype);

#endif
