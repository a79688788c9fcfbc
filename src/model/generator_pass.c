/* generator_pass.c - takes rows of growing sequences through the decoder: see generator_parts.h.
 *
 * A pass is a list of stages, each cut into tasks for the pool's threads: rows into tiles, and columns of matrices into
 * as many chunks as keep all threads reading weights, since with a few rows that is what takes the time. Tasks are
 * started in order; each waits until all earlier stages are done. How a product is cut does not show in its digits. */
#include "model/generator_parts.h"

#include <string.h>

enum { TASKS = 4 /* of a thread in a stage, so that threads end together */ };

void bipe_generator_place_scratch(bipe_generator *g)
{
    const bipe_layers *l = &g->layers;
    const bipe_hyperparameters *h = &l->model->hyper;
    size_t c = h->hidden;
    g->product_rows = l->packed->widened || bipe_decoder_of(h)->experts != 0 ? BIPE_PASS_ROWS : g->tile;
    g->product = parts_of(g->product_rows * c * sizeof(float), 64) * 64;
    const bipe_heads heads = bipe_heads_most(h);
    g->attention = parts_of(heads.group * l->positions.biases * sizeof(nn_bias), 64) * 64;
    g->scratch_size = bipe_larger(g->product + bipe_layer_product_scratch(l, g->product_rows,
                                                                bipe_larger(c, NN_PRODUCT_STEP), l->packed->widened),
                                  g->attention + nn_attention_scratch(l->cpu, l->precision, heads.size));
    g->scratch_size = parts_of(g->scratch_size, 4096) * 4096; /* workers share no page */
}

/* ---- columns ---- */

/* Limits a product, which has all columns, to chunk `number` of `chunks`. */
static void select_columns(const bipe_generator *g, nn_product *p, size_t number, size_t chunks)
{
    size_t nr = nn_panel_columns(g->layers.cpu, g->layers.precision),
           panels = nn_panel_count(g->layers.cpu, g->layers.precision, p->w->n);
    p->first = panels * number / chunks * nr;
    p->count = bipe_smaller(panels * (number + 1) / chunks * nr, p->w->n) - p->first;
    p->y += p->first;
}

/* What a task of products works on: `count` rows from `row` on, chunk `number` of the columns. */
typedef struct piece_of_work {
    size_t row, count, number, chunks;
    float *a;
    void *product;
} piece_of_work;

static piece_of_work work_of(const bipe_generator *g, const bipe_stage *stage, size_t rows, size_t i, size_t worker)
{
    /* tiles that need the same weights go together */
    size_t tiles = parts_of(rows, g->product_rows), row = i % tiles * g->product_rows;
    unsigned char *scratch = g->scratch + worker * g->scratch_size;
    return (piece_of_work){row, bipe_smaller(rows - row, g->product_rows), i / tiles, stage->chunks, (void *)scratch,
                           scratch + g->product};
}

static void run_products(const bipe_generator *g, const piece_of_work *w, nn_product *products, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        select_columns(g, &products[i], w->number, w->chunks);
        products[i].coded = true;
    }
    nn_products_run(g->layers.cpu, products, count, w->product);
}

static void project_piece(const bipe_generator *g, size_t layer, const piece_of_work *w)
{
    const bipe_layers *l = &g->layers;
    const bipe_hyperparameters *h = &l->model->hyper;
    const bipe_heads heads = bipe_heads_of(h, layer);
    size_t c = h->hidden, n = w->count;
    const float *a = bipe_layer_normalize(l, layer, BIPE_ROLE_ATTENTION_NORM, g->x + w->row * c, n, w->a);
    nn_product products[3];
    const size_t count = bipe_layer_projections(l, layer, a, n, g->q + w->row * heads.wide,
                                                g->k + w->row * heads.narrow, g->v + w->row * heads.narrow, products);
    run_products(g, w, products, count);
}

static void add_attention(const bipe_generator *g, size_t layer, const piece_of_work *w)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    size_t wide = bipe_heads_of(h, layer).wide;
    bool add = bipe_layer_adds(&g->layers, BIPE_ROLE_ATTENTION_POST_NORM);
    nn_product p = bipe_layer_product(&g->layers, layer, g->q + w->row * wide, w->count, BIPE_ROLE_ATTENTION,
                                      BIPE_ROLE_ATTENTION_BIAS, add, (add ? g->x : g->made) + w->row * h->hidden);
    run_products(g, w, &p, 1);
}

/* Adds what a product made, a tile of rows. */
static void join_rows(const bipe_generator *g, size_t layer, bipe_role post_norm, size_t tile)
{
    size_t c = g->layers.model->hyper.hidden, row = tile * g->tile;
    bipe_layer_add(&g->layers, layer, post_norm, g->made + row * c, bipe_smaller(g->rows - row, g->tile),
                   g->x + row * c);
}

static void norm_rows(const bipe_generator *g, size_t layer, size_t tile)
{
    const bipe_heads heads = bipe_heads_of(&g->layers.model->hyper, layer);
    size_t row = tile * g->tile, count = bipe_smaller(g->rows - row, g->tile);
    bipe_layer_norm_rows(&g->layers, layer, true, g->q + row * heads.wide, count, heads.wide);
    bipe_layer_norm_rows(&g->layers, layer, false, g->k + row * heads.narrow, count, heads.narrow);
}

/* The norm of what an output projection multiplies, rows (R, width). */
static void norm_made(const bipe_generator *g, size_t layer, bipe_role sub_norm, float *rows, size_t width, size_t tile)
{
    size_t row = tile * g->tile;
    bipe_layer_normalize(&g->layers, layer, sub_norm, rows + row * width, bipe_smaller(g->rows - row, g->tile),
                         rows + row * width);
}

static void make_hidden(const bipe_generator *g, size_t layer, const piece_of_work *w)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    const float *a = bipe_layer_normalize(&g->layers, layer, bipe_layer_feed_forward_norm(&g->layers),
                                          g->x + w->row * h->hidden, w->count, w->a);
    nn_product p = bipe_layer_hidden(&g->layers, layer, 0, a, w->count, g->g + w->row * h->feed_forward);
    run_products(g, w, &p, 1);
}

static void add_hidden(const bipe_generator *g, size_t layer, const piece_of_work *w)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    bool add = bipe_layer_adds(&g->layers, BIPE_ROLE_FEED_FORWARD_POST_NORM);
    nn_product p = bipe_layer_down(&g->layers, layer, 0, g->g + w->row * h->feed_forward, w->count, add,
                                   (add ? g->x : g->made) + w->row * h->hidden);
    run_products(g, w, &p, 1);
}

/* ---- experts ---- */

/* The experts of a tile of rows. */
static void route_rows(const bipe_generator *g, size_t layer, size_t tile, size_t worker)
{
    const bipe_layers *l = &g->layers;
    size_t c = l->model->hyper.hidden, row = tile * g->tile, count = bipe_smaller(g->rows - row, g->tile);
    float *normal = g->normal + row * c;
    bipe_routes routes = g->routes;
    const float *a = bipe_layer_normalize(l, layer, bipe_layer_feed_forward_norm(l), g->x + row * c, count, normal);
    if (a != normal)
        memcpy(normal, a, count * c * sizeof *normal);
    bipe_routes_choose(l, layer, normal, row, count, &routes, g->scratch + worker * g->scratch_size + g->product);
}

/* Half of what an expert does: from its rows to hidden values, or from these to what it gives. */
static void run_expert(const bipe_generator *g, const bipe_stage *stage, size_t i, size_t worker)
{
    const bipe_layers *l = &g->layers;
    const bipe_routes *r = &g->routes;
    const size_t c = l->model->hyper.hidden, f = l->model->hyper.feed_forward, slot = i / stage->chunks;
    if (slot >= r->actives)
        return;
    const size_t expert = r->active[slot], first = r->first[expert], rows = r->first[expert + 1] - first;
    unsigned char *scratch = g->scratch + worker * g->scratch_size;
    const piece_of_work w = {first, rows, i % stage->chunks, stage->chunks, (void *)scratch, scratch + g->product};
    nn_product p;
    if (stage->kind == BIPE_STAGE_EXPERT_HIDDEN) {
        bipe_experts_gather(l, r, expert, g->normal, w.a);
        p = bipe_layer_hidden(l, stage->layer, expert, w.a, rows, g->g + first * f);
    } else {
        p = bipe_layer_down(l, stage->layer, expert, g->g + first * f, rows, false, g->given + first * c);
    }
    run_products(g, &w, &p, 1);
}

/* The same of the expert that all tokens share. */
static void run_shared(const bipe_generator *g, const bipe_stage *stage, const piece_of_work *w)
{
    const bipe_layers *l = &g->layers;
    const size_t c = l->model->hyper.hidden, s = l->decoder->shared, pairs = g->rows * l->decoder->experts_used;
    nn_product p = stage->kind == BIPE_STAGE_SHARED_HIDDEN
                       ? bipe_layer_hidden(l, stage->layer, BIPE_SHARED_EXPERT, g->normal + w->row * c, w->count,
                                           g->g + w->row * s)
                       : bipe_layer_down(l, stage->layer, BIPE_SHARED_EXPERT, g->g + w->row * s, w->count, false,
                                         g->given + (pairs + w->row) * c);
    run_products(g, w, &p, 1);
}

/* Adds what experts gave, a tile of rows. */
static void mix_rows(const bipe_generator *g, size_t layer, size_t tile)
{
    const bipe_layers *l = &g->layers;
    const size_t c = l->model->hyper.hidden, used = l->decoder->experts_used, row = tile * g->tile,
                 count = bipe_smaller(g->rows - row, g->tile);
    memset(g->made + row * c, 0, count * c * sizeof *g->made);
    for (size_t i = row; i < row + count; i++) {
        for (size_t k = i * used; k < (i + 1) * used; k++)
            bipe_experts_add(g->made + i * c, g->routes.weight[k], g->given + g->routes.place[k] * c, c);
        if (l->decoder->shared != 0)
            bipe_experts_add(g->made + i * c, bipe_experts_share(l, layer, g->normal + i * c),
                             g->given + (g->rows * used + i) * c, c);
    }
    join_rows(g, layer, BIPE_ROLE_FEED_FORWARD_POST_NORM, tile);
}

/* Logits of the wanted from `first` on, up to BIPE_LOGIT_ROWS of them. */
static void make_logits(const bipe_generator *g, size_t first, const piece_of_work *w)
{
    size_t c = g->layers.model->hyper.hidden;
    for (size_t i = 0; i < w->count; i++)
        bipe_layer_finish(&g->layers, g->wanted[first + i].x, w->a + i * c);
    nn_product p = bipe_layer_product(&g->layers, 0, w->a, w->count, BIPE_ROLE_OUTPUT, BIPE_NO_BIAS, false, g->logits);
    run_products(g, w, &p, 1);
}

/* ---- tokens ---- */

static void embed_rows(const bipe_generator *g, size_t tile, size_t worker)
{
    size_t c = g->layers.model->hyper.hidden, end = bipe_smaller((tile + 1) * g->tile, g->rows);
    for (size_t i = tile * g->tile; i < end; i++)
        bipe_layer_embed(&g->layers, g->id[i], g->position[i], g->x + i * c,
                         (void *)(g->scratch + worker * g->scratch_size));
}

static nn_keys keys_of(const bipe_generator *g, const bipe_sequence *s, size_t layer, size_t group)
{
    const bipe_layers *l = &g->layers;
    const size_t size = bipe_heads_of(&l->model->hyper, layer).size;
    nn_keys keys;
    nn_keys_open(&keys, l->cpu, l->precision, s->pages * g->tile, size, NULL);
    keys.page = s->page;
    keys.offset = g->layer_block[layer] + group * nn_key_block_floats(l->cpu, l->precision, size);
    keys.norms = l->prune;
    return keys;
}

/* Positions of queries and keys, and keys and values to their pages: a key head of a part. */
static void rotate_rows(const bipe_generator *g, size_t layer, const bipe_pass_part *part, size_t group)
{
    const bipe_heads heads = bipe_heads_of(&g->layers.model->hyper, layer);
    const size_t at = part->row * heads.narrow + group * heads.size;
    float *k = g->k + at, *v = g->v + at, *q = g->q + part->row * heads.wide + group * heads.group * heads.size;
    bipe_layer_values(&g->layers, layer, k, v, part->count, heads.narrow, 1);
    for (size_t i = 0; i < part->count; i++) {
        bipe_layer_rotate(&g->layers, layer, false, g->position[part->row + i], k + i * heads.narrow, group, 1);
        bipe_layer_rotate(&g->layers, layer, true, g->position[part->row + i], q + i * heads.wide,
                          group * heads.group, heads.group);
    }
    const nn_keys keys = keys_of(g, part->sequence, layer, group);
    nn_keys_add(&keys, part->first, part->count, k, heads.narrow, v, heads.narrow);
}

static void attend_part(const bipe_generator *g, size_t layer, const bipe_pass_part *part, size_t group, size_t worker)
{
    const bipe_heads heads = bipe_heads_of(&g->layers.model->hyper, layer);
    unsigned char *scratch = g->scratch + worker * g->scratch_size;
    nn_bias *bias = (void *)scratch;
    bipe_layer_biases(&g->layers, layer, group, g->token, &part->sequence->index, bias);
    const nn_keys keys = keys_of(g, part->sequence, layer, group);
    const nn_attention attention = bipe_layer_attention(&g->layers, layer, group, &keys, bias);
    float *q = g->q + part->row * heads.wide + group * heads.group * heads.size;
    nn_attention_run(&attention, part->first, part->count, q, heads.wide, q, heads.wide, NULL, 0,
                     scratch + g->attention, &g->count[worker]);
}

/* Fills in what is wanted from the logits. Sums go panel by panel, as in forward.c. */
static void read_logits(const bipe_generator *g, const bipe_wanted *w, float *logits)
{
    size_t count = g->layers.model->hyper.vocabulary, nr = nn_panel_columns(g->layers.cpu, g->layers.precision);
    if (g->layers.decoder->logit_cap > 0)
        nn_soft_cap(logits, count, (float)g->layers.decoder->logit_cap);
    if (w->logits != NULL)
        memcpy(w->logits, logits, count * sizeof *logits);
    if (w->best != NULL) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            best = logits[i] > logits[best] ? i : best;
        *w->best = (uint32_t)best;
    }
    if (w->nll == NULL)
        return;
    nn_log_sum sum = nn_log_sum_start;
    for (size_t i = 0; i < count; i += nr)
        nn_log_sum_add(&sum, logits + i, bipe_smaller(nr, count - i));
    *w->nll = nn_log_sum_result(&sum) - (double)logits[w->target];
}

/* ---- stages ---- */

size_t bipe_generator_stages(const bipe_hyperparameters *hyper)
{
    return 1 + 14 * (size_t)hyper->layers + 2 * parts_of(2 * BIPE_PASS_ROWS, BIPE_LOGIT_ROWS);
}

/* Adds a stage of so many tasks; returns the number of tasks so far. */
static size_t add_stage(bipe_generator *g, bipe_stage_kind kind, size_t layer, size_t first, size_t tasks,
                        size_t chunks)
{
    g->stage[g->stages++] = (bipe_stage){kind, layer, first, chunks};
    return first + tasks;
}

/* The same for products of `rows` rows with matrices that have up to n columns. */
static size_t add_products(bipe_generator *g, bipe_stage_kind kind, size_t layer, size_t first, size_t rows, size_t n)
{
    size_t tiles = parts_of(rows, g->product_rows), panels = nn_panel_count(g->layers.cpu, g->layers.precision, n);
    size_t chunks = bipe_smaller(parts_of(TASKS * bipe_pool_threads(g->pool), tiles), panels);
    return add_stage(g, kind, layer, first, tiles * chunks, chunks);
}

static void run_stage(bipe_generator *g, const bipe_stage *stage, size_t i, size_t worker)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    const size_t layer = stage->layer, groups = bipe_heads_of(h, layer).key_heads;
    const bool logits = stage->kind == BIPE_STAGE_LOGITS;
    const piece_of_work w =
        work_of(g, stage, logits ? bipe_smaller(g->wanted_count - layer, BIPE_LOGIT_ROWS) : g->rows, i, worker);
    switch (stage->kind) {
    case BIPE_STAGE_EMBED: embed_rows(g, i, worker); break;
    case BIPE_STAGE_PROJECT: project_piece(g, layer, &w); break;
    case BIPE_STAGE_NORM_ROWS: norm_rows(g, layer, i); break;
    case BIPE_STAGE_ROTATE: rotate_rows(g, layer, &g->key_parts[i / groups], i % groups); break;
    case BIPE_STAGE_ROTATE_AND_ATTEND: /* a part is its own block of keys and of queries */
        rotate_rows(g, layer, &g->query[i / groups], i % groups);
        attend_part(g, layer, &g->query[i / groups], i % groups, worker);
        break;
    case BIPE_STAGE_ATTEND: attend_part(g, layer, &g->query[g->queries - 1 - i / groups], i % groups, worker); break;
    case BIPE_STAGE_NORM_ATTENTION:
        norm_made(g, layer, BIPE_ROLE_ATTENTION_SUB_NORM, g->q, bipe_heads_of(h, layer).wide, i);
        break;
    case BIPE_STAGE_NORM_HIDDEN:
        norm_made(g, layer, BIPE_ROLE_FEED_FORWARD_SUB_NORM, g->g, h->feed_forward, i);
        break;
    case BIPE_STAGE_ADD: add_attention(g, layer, &w); break;
    case BIPE_STAGE_JOIN_ATTENTION: join_rows(g, layer, BIPE_ROLE_ATTENTION_POST_NORM, i); break;
    case BIPE_STAGE_HIDDEN: make_hidden(g, layer, &w); break;
    case BIPE_STAGE_DOWN: add_hidden(g, layer, &w); break;
    case BIPE_STAGE_JOIN_HIDDEN: join_rows(g, layer, BIPE_ROLE_FEED_FORWARD_POST_NORM, i); break;
    case BIPE_STAGE_ROUTE: route_rows(g, layer, i, worker); break;
    case BIPE_STAGE_GROUP: bipe_routes_group(g->layers.decoder, g->rows, &g->routes); break;
    case BIPE_STAGE_EXPERT_HIDDEN:
    case BIPE_STAGE_EXPERT_DOWN: run_expert(g, stage, i, worker); break;
    case BIPE_STAGE_SHARED_HIDDEN:
    case BIPE_STAGE_SHARED_DOWN: run_shared(g, stage, &w); break;
    case BIPE_STAGE_MIX: mix_rows(g, layer, i); break;
    case BIPE_STAGE_LOGITS: make_logits(g, layer, &w); break;
    case BIPE_STAGE_COLLECT:
        read_logits(g, &g->wanted[layer + i], g->logits + i * h->vocabulary); break;
    }
}

static void run_stage_task(void *context, size_t i, size_t worker)
{
    bipe_generator *g = context;
    size_t low = 0, high = g->stages; /* its stage is the last that begins at i or before */
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (g->stage[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    bipe_wait_for(&g->waits, &g->done, g->stage[low].first);
    run_stage(g, &g->stage[low], i - g->stage[low].first, worker);
    bipe_raise(&g->waits, &g->done);
}

/* Cuts parts where tokens are at multiples of `unit` (aligned), or every `unit` rows. */
static size_t cut_parts(const bipe_generator *g, size_t unit, bool aligned, bipe_pass_part *to)
{
    size_t count = 0;
    for (size_t i = 0; i < g->parts; i++) {
        bipe_pass_part rest = g->part[i];
        while (rest.count > 0) {
            size_t some = bipe_smaller(aligned ? unit - rest.first % unit : unit, rest.count);
            to[count++] = (bipe_pass_part){rest.sequence, rest.row, rest.first, some};
            rest.row += some;
            rest.first += some;
            rest.count -= some;
        }
    }
    return count;
}

/* The stages of a layer's experts, which are as many as there are rows to go to them, but for the last one. */
static size_t add_experts(bipe_generator *g, size_t layer, size_t tasks)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    const bipe_decoder *d = g->layers.decoder;
    const size_t experts = bipe_smaller(d->experts, g->rows * d->experts_used),
                 each = parts_of(TASKS * bipe_pool_threads(g->pool), experts);
    const size_t hidden = bipe_smaller(each, nn_panel_count(g->layers.cpu, g->layers.precision, h->feed_forward)),
                 down = bipe_smaller(each, nn_panel_count(g->layers.cpu, g->layers.precision, h->hidden));
    tasks = add_stage(g, BIPE_STAGE_ROUTE, layer, tasks, parts_of(g->rows, g->tile), 1);
    tasks = add_stage(g, BIPE_STAGE_GROUP, layer, tasks, 1, 1);
    tasks = add_stage(g, BIPE_STAGE_EXPERT_HIDDEN, layer, tasks, experts * hidden, hidden);
    tasks = add_stage(g, BIPE_STAGE_EXPERT_DOWN, layer, tasks, experts * down, down);
    if (d->shared == 0)
        return tasks;
    tasks = add_products(g, BIPE_STAGE_SHARED_HIDDEN, layer, tasks, g->rows, d->shared);
    return add_products(g, BIPE_STAGE_SHARED_DOWN, layer, tasks, g->rows, h->hidden);
}

/* Those that make hidden values. */
static size_t add_hidden_stages(bipe_generator *g, size_t layer, size_t tasks)
{
    return g->layers.decoder->experts != 0 ? add_experts(g, layer, tasks)
                                           : add_products(g, BIPE_STAGE_HIDDEN, layer, tasks, g->rows,
                                                          g->layers.model->hyper.feed_forward);
}

/* The stages of a layer. Returns the number of tasks so far. */
static size_t add_layer(bipe_generator *g, size_t layer, size_t tasks)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    const bipe_decoder *d = g->layers.decoder;
    const size_t c = h->hidden, wide = bipe_heads_of(h, layer).wide, groups = bipe_heads_of(h, layer).key_heads,
                 tiles = parts_of(g->rows, g->tile);
    tasks = add_products(g, BIPE_STAGE_PROJECT, layer, tasks, g->rows, wide);
    if (d->row_norms)
        tasks = add_stage(g, BIPE_STAGE_NORM_ROWS, layer, tasks, tiles, 1);
    if (g->key_part_count == g->parts && g->queries == g->parts) {
        tasks = add_stage(g, BIPE_STAGE_ROTATE_AND_ATTEND, layer, tasks, g->parts * groups, 1);
    } else {
        tasks = add_stage(g, BIPE_STAGE_ROTATE, layer, tasks, g->key_part_count * groups, 1);
        tasks = add_stage(g, BIPE_STAGE_ATTEND, layer, tasks, g->queries * groups, 1);
    }
    if (d->parallel)
        tasks = add_hidden_stages(g, layer, tasks);
    if (bipe_decoder_has(d, BIPE_ROLE_ATTENTION_SUB_NORM))
        tasks = add_stage(g, BIPE_STAGE_NORM_ATTENTION, layer, tasks, tiles, 1);
    tasks = add_products(g, BIPE_STAGE_ADD, layer, tasks, g->rows, c);
    if (!bipe_layer_adds(&g->layers, BIPE_ROLE_ATTENTION_POST_NORM))
        tasks = add_stage(g, BIPE_STAGE_JOIN_ATTENTION, layer, tasks, tiles, 1);
    if (!d->parallel)
        tasks = add_hidden_stages(g, layer, tasks);
    if (d->experts != 0)
        return add_stage(g, BIPE_STAGE_MIX, layer, tasks, tiles, 1);
    if (bipe_decoder_has(d, BIPE_ROLE_FEED_FORWARD_SUB_NORM))
        tasks = add_stage(g, BIPE_STAGE_NORM_HIDDEN, layer, tasks, tiles, 1);
    tasks = add_products(g, BIPE_STAGE_DOWN, layer, tasks, g->rows, c);
    if (!bipe_layer_adds(&g->layers, BIPE_ROLE_FEED_FORWARD_POST_NORM))
        tasks = add_stage(g, BIPE_STAGE_JOIN_HIDDEN, layer, tasks, tiles, 1);
    return tasks;
}

void bipe_generator_pass(bipe_generator *g)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    size_t tasks;
    g->key_part_count = cut_parts(g, g->tile, true, g->key_parts);
    g->queries = cut_parts(g, g->query_block, false, g->query);
    g->stages = 0;
    tasks = add_stage(g, BIPE_STAGE_EMBED, 0, 0, parts_of(g->rows, g->tile), 1);
    for (size_t layer = 0; layer < h->layers; layer++)
        tasks = add_layer(g, layer, tasks);
    for (size_t first = 0; first < g->wanted_count; first += BIPE_LOGIT_ROWS) {
        size_t some = bipe_smaller(g->wanted_count - first, BIPE_LOGIT_ROWS);
        tasks = add_products(g, BIPE_STAGE_LOGITS, first, tasks, some, h->vocabulary);
        tasks = add_stage(g, BIPE_STAGE_COLLECT, first, tasks, some, 1);
    }
    atomic_init(&g->done, 0);
    bipe_pool_run(g->pool, tasks, run_stage_task, g);
    if (g->rows >= g->tile)
        bipe_layer_embedded(&g->layers);
}
