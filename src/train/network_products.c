/* network_products.c - what a network multiplies: by its weights, by their transposes, and rows by rows for their gradients. */
#include "train/network_parts.h"

#include <string.h>

void network_product(const bipe_network *net, size_t at, size_t n, size_t k, const float *x, size_t ldx, size_t m, bool add,
                     float *y, size_t ldy)
{
    nn_gemm_nt(m, n, k, x, ldx, net->values + at, k, add, y, ldy);
}

void network_product_back(const bipe_network *net, size_t at, size_t n, size_t k, const float *dy, size_t ldy, size_t m,
                          float *dx, size_t ldx)
{
    for (size_t j = 0; j < m; j++)
        memset(dx + j * ldx, 0, k * sizeof *dx);
    nn_gemm_nn(m, k, n, dy, ldy, net->values + at, k, dx, ldx);
}

/* ---- gradients of weights: each task has some rows of one ---- */

typedef struct outer_stage {
    const network_outer *outers;
    size_t count, tokens;
    float *gradient;
} outer_stage;

static void multiply_rows(void *context, size_t i, size_t worker)
{
    const outer_stage *s = context;
    const network_outer *o = s->outers;
    (void)worker;
    while (i >= network_tiles(o->n))
        i -= network_tiles(o++->n);
    network_tile t = network_tile_of(o->n, i);
    nn_gemm_tn(t.count, o->k, s->tokens, o->dy + t.first, o->ldy, o->x, o->ldx, s->gradient + o->at + t.first * o->k, o->k);
}

void network_outers(network_pass *pass, const network_outer *outers, size_t count, size_t tokens)
{
    outer_stage s = {outers, count, tokens, pass->gradient};
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++)
        tasks += network_tiles(outers[i].n);
    bipe_pool_run(pass->net->pool, tasks, multiply_rows, &s);
}
