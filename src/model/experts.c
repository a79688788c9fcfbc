/* experts.c - see experts.h. */
#include "model/experts.h"

#include <math.h>
#include <string.h>

/* The arrays in the order of bipe_routes, each at a multiple of 64 bytes. */
static size_t place_arrays(const bipe_decoder *d, size_t rows, unsigned char *memory, bipe_routes *routes)
{
    const size_t pairs = rows * d->experts_used, experts = d->experts;
    const size_t count[] = {rows * experts, pairs, pairs, pairs, pairs, experts + 1, experts};
    enum { ARRAYS = sizeof count / sizeof count[0] };
    size_t at[ARRAYS + 1] = {0};
    for (size_t i = 0; i < ARRAYS; i++)
        at[i + 1] = at[i] + parts_of(count[i] * 4, 64) * 64;
    if (memory != NULL)
        *routes = (bipe_routes){.logits = (void *)(memory + at[0]), .expert = (void *)(memory + at[1]),
                                .weight = (void *)(memory + at[2]), .pair = (void *)(memory + at[3]),
                                .place = (void *)(memory + at[4]), .first = (void *)(memory + at[5]),
                                .active = (void *)(memory + at[6])};
    return at[ARRAYS];
}

size_t bipe_routes_size(const bipe_decoder *d, size_t rows)
{
    return d->experts != 0 ? place_arrays(d, rows, NULL, NULL) : 0;
}

bipe_routes bipe_routes_place(const bipe_decoder *d, size_t rows, void *memory)
{
    bipe_routes routes = {0};
    if (d->experts != 0)
        place_arrays(d, rows, memory, &routes);
    return routes;
}

/* The `used` largest logits, of equals the first, whatever they are; expert and weight (used). */
static void choose(const bipe_decoder *d, const float *logits, uint32_t *expert, float *weight)
{
    bool chosen[BIPE_EXPERTS_MOST] = {false};
    double maximum = -(double)INFINITY, sum = 0;
    for (size_t k = 0; k < d->experts_used; k++) {
        size_t best = d->experts;
        for (size_t e = 0; e < d->experts; e++)
            if (!chosen[e] && (best == d->experts || logits[e] > logits[best]))
                best = e;
        chosen[best] = true;
        maximum = (double)logits[best] > maximum ? (double)logits[best] : maximum;
    }
    for (size_t e = 0; e < d->experts; e++)
        if (chosen[e] || !d->experts_normalized)
            sum += exp((double)logits[e] - maximum);
    for (size_t e = 0, k = 0; e < d->experts; e++)
        if (chosen[e]) {
            expert[k] = (uint32_t)e;
            weight[k++] = (float)(exp((double)logits[e] - maximum) / sum);
        }
}

void bipe_routes_choose(const bipe_layers *l, size_t layer, const float *a, size_t first, size_t rows,
                        bipe_routes *routes, void *scratch)
{
    const bipe_decoder *d = l->decoder;
    float *logits = routes->logits + first * d->experts;
    const nn_product product =
        bipe_layer_product(l, layer, a, rows, BIPE_ROLE_ROUTER, BIPE_ROLE_ROUTER_BIAS, false, logits);
    nn_product_run(l->cpu, &product, scratch);
    for (size_t i = 0; i < rows; i++)
        choose(d, logits + i * d->experts, routes->expert + (first + i) * d->experts_used,
               routes->weight + (first + i) * d->experts_used);
}

void bipe_routes_group(const bipe_decoder *d, size_t rows, bipe_routes *routes)
{
    const size_t pairs = rows * d->experts_used;
    uint32_t *first = routes->first, *next = routes->active; /* for now, where the next pair of each goes */
    memset(first, 0, (d->experts + (size_t)1) * sizeof *first);
    for (size_t i = 0; i < pairs; i++)
        first[routes->expert[i] + 1]++;
    for (size_t e = 0; e < d->experts; e++) {
        first[e + 1] += first[e];
        next[e] = first[e];
    }
    for (size_t i = 0; i < pairs; i++) {
        routes->place[i] = next[routes->expert[i]]++;
        routes->pair[routes->place[i]] = (uint32_t)i;
    }
    routes->actives = 0;
    for (size_t e = 0; e < d->experts; e++)
        if (first[e + 1] != first[e])
            routes->active[routes->actives++] = (uint32_t)e;
}

void bipe_experts_gather(const bipe_layers *l, const bipe_routes *routes, size_t expert, const float *a, float *x)
{
    const size_t c = l->model->hyper.hidden, used = l->decoder->experts_used;
    for (size_t i = routes->first[expert]; i < routes->first[expert + 1]; i++, x += c)
        memcpy(x, a + routes->pair[i] / used * c, c * sizeof *x);
}

void bipe_experts_add(float *sum, float weight, const float *made, size_t c)
{
    for (size_t i = 0; i < c; i++)
        sum[i] += weight * made[i];
}

float bipe_experts_share(const bipe_layers *l, size_t layer, const float *a)
{
    const float *w = bipe_layer_floats(l, layer, BIPE_ROLE_SHARED_ROUTER);
    if (w == NULL)
        return 1;
    double sum = 0;
    for (size_t i = 0; i < l->model->hyper.hidden; i++)
        sum += (double)a[i] * (double)w[i];
    return (float)(1 / (1 + exp(-sum)));
}
