/* linear.c - matrix products through CBLAS: the only file that knows it. */
#include "nn/nn.h"

#include <cblas.h>

void nn_one_thread_per_product(void)
{
    openblas_set_num_threads(1);
}

void nn_gemm_nt(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w, size_t ldw, bool add, float *y,
                size_t ldy)
{
    if (m == 0 || n == 0)
        return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)m, (blasint)n, (blasint)k, 1.0f, x, (blasint)ldx, w,
                (blasint)ldw, add ? 1.0f : 0.0f, y, (blasint)ldy);
}

void nn_gemm_nn(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w, size_t ldw, float *y, size_t ldy)
{
    if (m == 0 || n == 0)
        return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1.0f, x, (blasint)ldx, w,
                (blasint)ldw, 1.0f, y, (blasint)ldy);
}

bool nn_needs_panel(const nn_matrix *w, bool bf16)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return bf16 || w->type != NN_F32 || (uintptr_t)w->data % sizeof(float) != 0 || w->stride % sizeof(float) != 0;
#else
    (void)w;
    (void)bf16;
    return true;
#endif
}

void nn_linear(const float *x, size_t ldx, size_t m, const nn_matrix *w, bool bf16, float *panel, size_t panel_size,
               bool add, float *y, size_t ldy)
{
    size_t k = w->columns;
    if (!nn_needs_panel(w, bf16)) {
        nn_gemm_nt(m, w->rows, k, x, ldx, w->data, w->stride / sizeof(float), add, y, ldy);
        return;
    }
    size_t rows = panel_size / k;
    if (rows > 16)
        rows -= rows % 16;
    for (size_t first = 0; first < w->rows; first += rows) {
        size_t count = w->rows - first < rows ? w->rows - first : rows;
        const uint8_t *from = (const uint8_t *)w->data + first * w->stride;
        for (size_t i = 0; i < count; i++)
            nn_widen(w->type, from + i * w->stride, panel + i * k, k);
        if (bf16 && w->type != NN_BF16)
            nn_round_bf16(panel, count * k);
        nn_gemm_nt(m, count, k, x, ldx, panel, k, add, y + first, ldy);
    }
}
