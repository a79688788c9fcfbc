/* micro_blas.c - large tiles through CBLAS, for machines without kernels of our own. */
#include "nn/micro.h"

#include <cblas.h>

enum { MR = 128, NR = 128 };

void nn_one_thread_per_product(void)
{
    openblas_set_num_threads(1);
}

static void run_blas(size_t steps, const void *left, const void *panel, float *c, size_t ldc, size_t m, size_t n, bool add)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)steps, 1.0f, left, MR, panel, NR,
                add ? 1.0f : 0.0f, c, (blasint)ldc);
}

static bool usable(void)
{
    return true;
}

static const nn_micro micro = {.rows = MR, .columns = NR, .step = 1, .run = run_blas};
const nn_cpu nn_cpu_blas = {.name = "blas", .usable = usable, .f32 = &micro, .rows = &nn_rows_plain, .lanes = &nn_lanes_plain};
