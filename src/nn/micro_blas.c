/* micro_blas.c - large tiles through CBLAS, for machines without kernels of our own, and as an oracle for these. The
 * library is loaded when these kernels are chosen: a program that does not use them has none of its threads. */
#include "nn/micro.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { MR = 128, NR = 128 };
/* of CBLAS */
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };

static void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                     int lda, const float *b, int ldb, float beta, float *c, int ldc);

/* OpenBLAS reads the variable when it is loaded; our threads divide a product among them, and it runs in each. */
static void load_blas(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libblas.so.3"};
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    for (size_t i = 0; sgemm == NULL && i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            *(void **)(void *)&sgemm = dlsym(library, "cblas_sgemm");
    }
}

static bool blas_usable(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_blas);
    return sgemm != NULL;
}

/* On some processors OpenBLAS's digits depend on the number of rows. */
static void run_blas(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m, size_t n,
                     bool add)
{
    bool columns = left->row == 1 && left->step >= (m < MR ? m : MR);
    for (size_t row = 0; row < m; row += MR)
        sgemm(ROW_MAJOR, columns ? TRANSPOSE : NO_TRANSPOSE, NO_TRANSPOSE, (int)(m - row < MR ? m - row : MR), (int)n,
              (int)steps, 1.0f, left->at + row / MR * left->group, (int)(columns ? left->step : left->row), right->at,
              (int)right->ld, add ? 1.0f : 0.0f, c + row * ldc, (int)ldc);
}

static const nn_micro micro = {.rows = MR, .columns = NR, .lanes = 1, .step = 1, .words = 1, .run = run_blas};
const nn_cpu nn_cpu_blas = {
    .name = "blas", .usable = blas_usable, .f32 = &micro, .int16 = &nn_micro_plain_int16, .rows = &nn_rows_plain,
    .lanes = &nn_lanes_plain};
