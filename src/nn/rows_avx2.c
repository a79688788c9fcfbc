/* rows_avx2.c - rows by themselves, for AVX2. */
#include "nn/exp.h"
#include "nn/row_table.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <math.h>

#define TABLE nn_rows_avx2
#define TARGET __attribute__((target("avx2")))
#include "nn/rows_body.h"
#endif
