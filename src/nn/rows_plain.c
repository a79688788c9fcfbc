/* rows_plain.c - rows by themselves, for vectors of any processor of this architecture. */
#include "nn/exp.h"
#include "nn/row_table.h"

#include <math.h>

#define TABLE nn_rows_plain
#define INTERLEAVE NULL
#define TARGET
#include "nn/rows_body.h"
