/* network_products.c - what a network multiplies: by its weights, by their transposes, and rows by rows for their
 * gradients. */
#include "train/network_parts.h"

void network_multiply(const network_pass *pass, const nn_panels *w, const float *x, size_t ldx, bool x_transposed,
                      size_t m, bool add, float *y, size_t ldy, size_t worker)
{
    nn_product product = {.x = x, .ldx = ldx, .x_transposed = x_transposed, .m = m, .w = w, .count = w->n, .add = add,
                          .y = y, .ldy = ldy};
    nn_product_run(pass->net->cpu, &product, pass->scratch + worker * pass->net->scratch_size);
}

/* ---- packing: each task has some panels beside each other ---- */

enum { PANELS = 8 };

typedef struct pack_stage {
    const bipe_network *net;
    const network_packing *list;
} pack_stage;

static size_t tasks_of(const bipe_network *net, const nn_panels *w)
{
    return (nn_panel_count(net->cpu, net->precision, w->n) + PANELS - 1) / PANELS;
}

static void pack_panels(void *context, size_t i, size_t worker)
{
    const pack_stage *s = context;
    const network_packing *p = s->list;
    (void)worker;
    for (; i >= tasks_of(s->net, p->to); p++)
        i -= tasks_of(s->net, p->to);
    nn_pack_floats(s->net->cpu, p->to, p->from, p->ld, p->transposed, i * PANELS, PANELS);
}

static void pack_operands(const bipe_network *net, bipe_pool *pool, const network_packing *list, size_t count)
{
    pack_stage s = {net, list};
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++)
        tasks += tasks_of(net, list[i].to);
    bipe_pool_run(pool, tasks, pack_panels, &s);
}

void network_pack_weights(bipe_network *net)
{
    for (size_t i = 0; i < net->weights; i++) {
        const network_weight *w = &net->weight[i];
        net->packing[2 * i] = (network_packing){&w->forward, net->values + w->at, w->k, true};
        net->packing[2 * i + 1] = (network_packing){&w->back, net->values + w->at, w->k, false};
    }
    pack_operands(net, net->pool, net->packing, 2 * net->weights);
}

/* ---- gradients of weights: each task has some rows of one ---- */

typedef struct outer_stage {
    const network_pass *pass;
    const network_outer *outers;
    const nn_panels *x;
} outer_stage;

static void multiply_rows(void *context, size_t i, size_t worker)
{
    const outer_stage *s = context;
    const nn_panels *x = s->x;
    const network_outer *o = s->outers;
    for (; i >= network_tiles(o->weight->n); o++, x++)
        i -= network_tiles(o->weight->n);
    network_tile t = network_tile_of(o->weight->n, i);
    network_multiply(s->pass, x, o->dy + t.first, o->ldy, true, t.count, true,
                     s->pass->gradient + o->weight->at + t.first * o->weight->k, o->weight->k, worker);
}

void network_outers(network_pass *pass, const network_outer *outers, size_t count, size_t tokens)
{
    const bipe_network *net = pass->net;
    nn_panels x[NETWORK_OUTERS];
    network_packing list[NETWORK_OUTERS];
    outer_stage s = {pass, outers, x};
    uint8_t *data = pass->panels;
    size_t tasks = 0, packed = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = outers[i].weight->k;
        tasks += network_tiles(outers[i].weight->n);
        x[i] = (nn_panels){.data = data, .n = n, .k = tokens, .precision = net->precision};
        if (nn_panels_as_they_lie(net->cpu, net->precision, n)) {
            x[i].data = outers[i].x;
            x[i].ld = n;
        } else {
            list[packed++] = (network_packing){&x[i], outers[i].x, n, false};
            data += nn_panels_size(net->cpu, net->precision, n, tokens);
        }
    }
    pack_operands(net, pass->pool, list, packed);
    bipe_pool_run(pass->pool, tasks, multiply_rows, &s);
}
