/* network_products.c - what a network multiplies: by its weights, by their transposes, and rows by rows for their gradients. */
#include "train/network_parts.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- right operands ---- */

static size_t chunks_of(const network_panels *w)
{
    return (w->k + NETWORK_STEP - 1) / NETWORK_STEP;
}

static nn_panels chunk_of(const bipe_network *net, const network_panels *w, size_t i)
{
    return (nn_panels){.data = w->data + i * nn_panels_size(net->cpu, net->precision, w->n, NETWORK_STEP), .n = w->n,
                       .k = smaller(w->k - i * NETWORK_STEP, NETWORK_STEP), .precision = net->precision};
}

size_t network_panels_size(const bipe_network *net, size_t n, size_t k)
{
    size_t each = nn_panels_size(net->cpu, net->precision, n, NETWORK_STEP), chunks = (k + NETWORK_STEP - 1) / NETWORK_STEP;
    return each > SIZE_MAX / chunks ? SIZE_MAX : each * chunks;
}

void network_multiply(const bipe_network *net, const network_panels *w, const float *x, size_t ldx, bool x_transposed, size_t m,
                      bool add, float *y, size_t ldy, size_t worker)
{
    for (size_t i = 0; i < chunks_of(w); i++) {
        nn_panels chunk = chunk_of(net, w, i);
        nn_product product = {.x = x + i * NETWORK_STEP * (x_transposed ? ldx : 1), .ldx = ldx, .x_transposed = x_transposed, .m = m,
                              .w = &chunk, .count = w->n, .add = add || i > 0, .y = y, .ldy = ldy};
        nn_product_run(net->cpu, &product, net->scratch + worker * net->scratch_size);
    }
}

typedef struct pack_stage {
    const bipe_network *net;
    const network_packing *list;
} pack_stage;

static size_t pack_tasks(const bipe_network *net, const network_panels *w)
{
    return chunks_of(w) * nn_panel_count(net->cpu, net->precision, w->n);
}

/* One panel of one chunk. */
static void pack(void *context, size_t i, size_t worker)
{
    const pack_stage *s = context;
    const network_packing *p = s->list;
    (void)worker;
    while (i >= pack_tasks(s->net, p->to))
        i -= pack_tasks(s->net, p++->to);
    size_t panels = nn_panel_count(s->net->cpu, s->net->precision, p->to->n), first = i / panels * NETWORK_STEP;
    nn_panels chunk = chunk_of(s->net, p->to, i / panels);
    nn_pack_floats(s->net->cpu, &chunk, p->from + first * (p->transposed ? 1 : p->ld), p->ld, p->transposed, i % panels, 1);
}

void network_pack(const bipe_network *net, const network_packing *list, size_t count)
{
    pack_stage s = {net, list};
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++)
        tasks += pack_tasks(net, list[i].to);
    bipe_pool_run(net->pool, tasks, pack, &s);
}

void network_pack_weights(bipe_network *net)
{
    for (size_t i = 0; i < net->weights; i++) {
        const network_weight *w = &net->weight[i];
        const network_packing both[] = {{&w->forward, net->values + w->at, w->k, true}, {&w->back, net->values + w->at, w->k, false}};
        network_pack(net, both, 2);
    }
}

/* ---- gradients of weights: each task has some rows of one ---- */

typedef struct outer_stage {
    const network_pass *pass;
    const network_outer *outers;
    const network_panels *x;
} outer_stage;

static void multiply_rows(void *context, size_t i, size_t worker)
{
    const outer_stage *s = context;
    const network_panels *x = s->x;
    const network_outer *o = s->outers;
    for (; i >= network_tiles(o->weight->n); o++, x++)
        i -= network_tiles(o->weight->n);
    network_tile t = network_tile_of(o->weight->n, i);
    network_multiply(s->pass->net, x, o->dy + t.first, o->ldy, true, t.count, true,
                     s->pass->gradient + o->weight->at + t.first * o->weight->k, o->weight->k, worker);
}

void network_outers(network_pass *pass, const network_outer *outers, size_t count, size_t tokens)
{
    network_panels x[NETWORK_OUTERS];
    network_packing list[NETWORK_OUTERS];
    outer_stage s = {pass, outers, x};
    uint8_t *data = pass->panels;
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] = (network_panels){data, outers[i].weight->k, tokens};
        list[i] = (network_packing){&x[i], outers[i].x, outers[i].weight->k, false};
        data += network_panels_size(pass->net, x[i].n, x[i].k);
        tasks += network_tiles(outers[i].weight->n);
    }
    network_pack(pass->net, list, count);
    bipe_pool_run(pass->net->pool, tasks, multiply_rows, &s);
}
