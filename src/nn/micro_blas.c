/* micro_blas.c - large tiles through CBLAS, for machines without kernels of our own. */
#include "nn/micro.h"

#include <cblas.h>

enum { MR = 128, NR = 128 };

void nn_one_thread_per_product(void)
{
    openblas_set_num_threads(1);
}

/* On some processors OpenBLAS's digits depend on the number of rows. */
static void run_blas(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m, size_t n, bool add)
{
    bool columns = left->row == 1 && left->step >= (m < MR ? m : MR);
    for (size_t row = 0; row < m; row += MR)
        cblas_sgemm(CblasRowMajor, columns ? CblasTrans : CblasNoTrans, CblasNoTrans, (blasint)(m - row < MR ? m - row : MR), (blasint)n,
                    (blasint)steps, 1.0f, left->at + row / MR * left->group, (blasint)(columns ? left->step : left->row), right->at,
                    (blasint)right->ld, add ? 1.0f : 0.0f, c + row * ldc, (blasint)ldc);
}

static bool usable(void)
{
    return true;
}

static const nn_micro micro = {.rows = MR, .columns = NR, .lanes = 1, .step = 1, .run = run_blas};
const nn_cpu nn_cpu_blas = {.name = "blas", .usable = usable, .f32 = &micro, .rows = &nn_rows_plain, .lanes = &nn_lanes_plain};
