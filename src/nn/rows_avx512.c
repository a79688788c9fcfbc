/* rows_avx512.c - rows by themselves, for AVX-512. */
#include "nn/exp.h"
#include "nn/row_table.h"

#ifdef BIPE_NN_ROWS_X86
#include <math.h>

#define TABLE nn_rows_avx512
#define INTERLEAVE nn_interleave_avx2
#ifdef __clang__
#define TARGET __attribute__((target("avx512f"), min_vector_width(512)))
#else
#define TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#include "nn/rows_body.h"
#endif
