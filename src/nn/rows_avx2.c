/* rows_avx2.c - rows by themselves, for AVX2. */
#include "nn/exp.h"
#include "nn/row_table.h"

#ifdef BIPE_NN_ROWS_X86
#include <math.h>

#define TABLE nn_rows_avx2
#define INTERLEAVE nn_interleave_avx2
#define TARGET __attribute__((target("avx2")))
#include "nn/rows_body.h"
#endif
