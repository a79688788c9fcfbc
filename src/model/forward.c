/* forward.c - the decoder, task by task (He et al. 2024; Touvron et al. 2023): see forward.h. */
#include "model/forward.h"

#include <string.h>

#include "model/experts.h"

size_t bipe_forward_batch(const bipe_evaluator *e, const bipe_window *windows, size_t count)
{
    const bool alike = bipe_evaluator_length_matters(e) != NULL;
    size_t together = 0, blocks = 0;
    for (; together < count; together++) {
        blocks += parts_of(windows[together].length, e->key_block);
        if (together > 0 && (blocks > e->batch_rows / e->key_block ||
                             (alike && windows[together].length != windows[0].length)))
            break;
    }
    return together;
}

/* Rows of whole blocks of keys, so many or a few more; no more than a tile may have. */
static size_t whole_blocks(const bipe_evaluator *e, size_t rows)
{
    return bipe_smaller(parts_of(rows, e->key_block), BIPE_TILE_MOST / e->key_block) * e->key_block;
}

/* Rows of a tile where weights are widened for each: many, but each thread has some, and tiles of the longest window
 * are as long as each other. */
static size_t large_tile(const bipe_evaluator *e, size_t length)
{
    size_t threads = bipe_pool_threads(e->pool), share = whole_blocks(e, parts_of(bipe_forward_rows(e), threads));
    size_t together = parts_of(threads, e->window_count), parts = parts_of(length, share);
    return parts > 1 ? whole_blocks(e, parts_of(length, parts_of(parts, together) * together)) : share;
}

bool bipe_forward_has_large_tiles(const bipe_evaluator *e)
{
    return e->layers.packed->widened || bipe_decoder_of(&e->layers.model->hyper)->experts != 0;
}

bipe_forward_scratch bipe_forward_layout(const bipe_evaluator *e)
{
    const bipe_hyperparameters *h = &e->layers.model->hyper;
    const bipe_decoder *d = bipe_decoder_of(h);
    const bipe_heads heads = bipe_heads_most(h);
    size_t c = h->hidden, narrow = heads.narrow;
    const bool widened = e->layers.packed->widened;
    size_t share = parts_of(e->max_rows, bipe_pool_threads(e->pool));
    size_t tile = bipe_forward_has_large_tiles(e) ? whole_blocks(e, share) : e->key_block;
    size_t row = tile * sizeof(float);
    bipe_forward_scratch s = {.g = parts_of(row * c, 64) * 64};
    s.k = s.g + parts_of(row * bipe_layer_hidden_size(h), 64) * 64;
    s.v = s.k + parts_of(row * narrow, 64) * 64;
    s.part = s.v + parts_of(row * narrow, 64) * 64;
    s.sum = s.part + (d->experts != 0 ? parts_of(row * c, 64) * 64 : 0);
    s.routes = s.sum + (s.sum - s.part);
    s.product = s.routes + bipe_routes_size(d, tile);
    size_t tiles = s.product + bipe_layer_product_scratch(&e->layers, tile, bipe_larger(c, NN_PRODUCT_STEP), widened);
    s.attention = parts_of(heads.group * e->layers.positions.biases * sizeof(nn_bias), 64) * 64;
    s.size = bipe_larger(tiles, s.attention + nn_attention_scratch(e->layers.cpu, e->layers.precision, heads.size));
    s.size = parts_of(s.size, 4096) * 4096; /* workers share no page */
    return s;
}

/* ---- where a task's rows are ---- */

typedef struct tile {
    const bipe_evaluator *e;
    size_t layer;
    size_t first;             /* row in the arrays */
    size_t count;             /* rows */
    float *a, *g, *k, *v, *part, *sum; /* the worker's scratch */
    void *routes, *product;
} tile;

static tile tile_of(const bipe_evaluator *e, size_t unit, size_t i, size_t worker)
{
    size_t end = e->place[e->unit[unit + 1]].row, row = bipe_smaller(e->place[e->unit[unit]].row + i * e->tile, end);
    unsigned char *scratch = e->scratch + worker * e->layout.size;
    return (tile){.e = e, .first = row, .count = bipe_smaller(end - row, e->tile), .a = (void *)scratch,
                  .g = (void *)(scratch + e->layout.g), .k = (void *)(scratch + e->layout.k),
                  .v = (void *)(scratch + e->layout.v), .part = (void *)(scratch + e->layout.part),
                  .sum = (void *)(scratch + e->layout.sum), .routes = scratch + e->layout.routes,
                  .product = scratch + e->layout.product};
}

/* Window and token of row i of a tile. */
static const bipe_window *token_of(const tile *t, size_t i, size_t *token)
{
    size_t number = t->e->window_of[t->first + i];
    *token = t->first + i - t->e->place[number].row;
    return &t->e->windows[number];
}

/* The word whose loss comes from row i of a tile; NOT_WANTED where none does. */
#define NOT_WANTED UINT32_MAX
static uint32_t target_of(const tile *t, size_t i)
{
    size_t token;
    const bipe_window *w = token_of(t, i, &token);
    bool wanted = token + 1 < w->length && (w->wanted == NULL || w->wanted[token + 1] != 0);
    return wanted ? w->ids[token + 1] : NOT_WANTED;
}

/* The last layer leaves out rows that no loss needs. */
static bool needs_rows(const tile *t)
{
    bool any = t->layer + 1 < t->e->layers.model->hyper.layers;
    for (size_t i = 0; i < t->count && !any; i++)
        any = target_of(t, i) != NOT_WANTED;
    return any;
}

static bipe_position position_of_token(const bipe_window *window, size_t token)
{
    return (bipe_position){.index = &window->index, .token = token};
}

static nn_keys keys_of(const bipe_evaluator *e, size_t layer, size_t window, size_t group)
{
    const size_t size = bipe_heads_of(&e->layers.model->hyper, layer).size, length = e->windows[window].length;
    nn_keys keys;
    nn_keys_open(&keys, e->layers.cpu, e->layers.precision, length, size,
                 e->keys + e->place[window].keys +
                     group * nn_keys_size(e->layers.cpu, e->layers.precision, length, size));
    keys.norms = e->layers.prune;
    return keys;
}

/* ---- parts of a layer ---- */

static void run_products(const tile *t, const nn_product *products, size_t count)
{
    nn_products_run(t->e->layers.cpu, products, count, t->product);
}

static nn_product linear_product(const tile *t, const float *x, bipe_role role, bipe_role bias, bool add, float *y)
{
    return bipe_layer_product(&t->e->layers, t->layer, x, t->count, role, bias, add, y);
}

static float *stream_of(const tile *t)
{
    return t->e->x + t->first * t->e->layers.model->hyper.hidden;
}

static const float *normalize_rows(const tile *t, bipe_role role)
{
    return bipe_layer_normalize(&t->e->layers, t->layer, role, stream_of(t), t->count, t->a);
}

static void embed_tile(const tile *t)
{
    size_t c = t->e->layers.model->hyper.hidden;
    for (size_t i = 0; i < t->count; i++) {
        size_t token;
        const bipe_window *w = token_of(t, i, &token);
        bipe_layer_embed(&t->e->layers, w->ids[token], position_of_token(w, token), t->e->x + (t->first + i) * c, t->a);
    }
    bipe_layer_embedded(&t->e->layers);
}

/* Queries or keys of all rows: x (count, heads * D), rows ld apart. */
static void rotate_rows(const tile *t, float *x, size_t ld, size_t heads, bool queries)
{
    bipe_layer_norm_rows(&t->e->layers, t->layer, queries, x, t->count, ld);
    for (size_t i = 0; i < t->count; i++) {
        size_t token;
        const bipe_window *w = token_of(t, i, &token);
        bipe_layer_rotate(&t->e->layers, t->layer, queries, position_of_token(w, token),
                          x + i * ld, 0, heads);
    }
}

/* q, k, v = norm(x) W, with their positions; k and v are packed. */
static void project_tile(const tile *t)
{
    const bipe_evaluator *e = t->e;
    const bipe_hyperparameters *h = &e->layers.model->hyper;
    const bipe_heads heads = bipe_heads_of(h, t->layer);
    const float *a = normalize_rows(t, BIPE_ROLE_ATTENTION_NORM);
    float *q = e->q + t->first * e->wide;
    nn_product products[3];
    const size_t count = bipe_layer_projections(&e->layers, t->layer, a, t->count, needs_rows(t) ? q : NULL, t->k,
                                                t->v, products);
    if (needs_rows(t))
        products[count - 1].ldy = e->wide;
    run_products(t, products, count);
    bipe_layer_values(&e->layers, t->layer, t->k, t->v, t->count, heads.narrow, heads.key_heads);
    rotate_rows(t, t->k, heads.narrow, heads.key_heads, false);
    for (size_t i = 0, rows; i < t->count; i += rows) {
        size_t first;
        const bipe_window *w = token_of(t, i, &first);
        rows = bipe_smaller(t->count - i, w->length - first);
        for (size_t group = 0; group < heads.key_heads; group++) {
            const nn_keys keys = keys_of(e, t->layer, (size_t)(w - e->windows), group);
            const size_t at = i * heads.narrow + group * heads.size;
            nn_keys_pack(&keys, first, rows, t->k + at, heads.narrow, t->v + at, heads.narrow);
        }
    }
    if (needs_rows(t))
        rotate_rows(t, q, e->wide, h->heads, true);
}

/* to = (f(x gate) * x up) down of an expert. */
static void run_expert(const tile *t, size_t expert, const float *x, size_t rows, float *to)
{
    const bipe_layers *l = &t->e->layers;
    const nn_product hidden = bipe_layer_hidden(l, t->layer, expert, x, rows, t->g),
                     down = bipe_layer_down(l, t->layer, expert, t->g, rows, false, to);
    run_products(t, &hidden, 1);
    run_products(t, &down, 1);
}

/* sum = what the experts of each row of a give, weighted. */
static void mix_experts(const tile *t, const float *a)
{
    const bipe_layers *l = &t->e->layers;
    const size_t c = l->model->hyper.hidden, used = l->decoder->experts_used;
    bipe_routes routes = bipe_routes_place(l->decoder, t->count, t->routes);
    bipe_routes_choose(l, t->layer, a, 0, t->count, &routes, t->product);
    bipe_routes_group(l->decoder, t->count, &routes);
    memset(t->sum, 0, t->count * c * sizeof *t->sum);
    for (size_t i = 0; i < routes.actives; i++) {
        const size_t expert = routes.active[i], first = routes.first[expert], rows = routes.first[expert + 1] - first;
        bipe_experts_gather(l, &routes, expert, a, t->part);
        run_expert(t, expert, t->part, rows, t->part);
        for (size_t j = 0; j < rows; j++) {
            const size_t pair = routes.pair[first + j];
            bipe_experts_add(t->sum + pair / used * c, routes.weight[pair], t->part + j * c, c);
        }
    }
    if (l->decoder->shared == 0)
        return;
    run_expert(t, BIPE_SHARED_EXPERT, a, t->count, t->part);
    for (size_t j = 0; j < t->count; j++)
        bipe_experts_add(t->sum + j * c, bipe_experts_share(l, t->layer, a + j * c), t->part + j * c, c);
}

/* g = f(norm(x) gate) * norm(x) up, or sum of the experts */
static void make_hidden(const tile *t)
{
    const bipe_layers *l = &t->e->layers;
    const float *a = normalize_rows(t, bipe_layer_feed_forward_norm(l));
    if (l->decoder->experts != 0) {
        mix_experts(t, a);
        return;
    }
    const nn_product hidden = bipe_layer_hidden(l, t->layer, 0, a, t->count, t->g);
    run_products(t, &hidden, 1);
}

/* x += made W, by way of the norms that the family has there: sub_norm of `made`, rows that are ld apart, which it
 * changes, and post_norm. */
static void add_product(const tile *t, float *made, size_t ld, bipe_role sub_norm, bipe_role role, bipe_role bias,
                        bipe_role post_norm)
{
    const bipe_layers *l = &t->e->layers;
    const bool add = bipe_layer_adds(l, post_norm);
    float *x = stream_of(t);
    for (size_t i = 0; i < t->count && bipe_decoder_has(l->decoder, (int)sub_norm); i++)
        bipe_layer_normalize(l, t->layer, sub_norm, made + i * ld, 1, made + i * ld);
    nn_product product = linear_product(t, made, role, bias, add, add ? x : t->a);
    product.ldx = ld;
    run_products(t, &product, 1);
    if (!add)
        bipe_layer_add(l, t->layer, post_norm, t->a, t->count, x);
}

/* x += attention W; x += (f(norm(x) gate) * norm(x) up) down. */
static void feed_forward(const tile *t)
{
    const bipe_evaluator *e = t->e;
    if (e->layers.decoder->parallel)
        make_hidden(t);
    add_product(t, e->q + t->first * e->wide, e->wide, BIPE_ROLE_ATTENTION_SUB_NORM, BIPE_ROLE_ATTENTION,
                BIPE_ROLE_ATTENTION_BIAS, BIPE_ROLE_ATTENTION_POST_NORM);
    if (!e->layers.decoder->parallel)
        make_hidden(t);
    if (e->layers.decoder->experts != 0)
        bipe_layer_add(&e->layers, t->layer, BIPE_ROLE_FEED_FORWARD_POST_NORM, t->sum, t->count, stream_of(t));
    else
        add_product(t, t->g, e->layers.model->hyper.feed_forward, BIPE_ROLE_FEED_FORWARD_SUB_NORM, BIPE_ROLE_DOWN,
                    BIPE_ROLE_DOWN_BIAS, BIPE_ROLE_FEED_FORWARD_POST_NORM);
}

/* ---- losses ---- */

void bipe_forward_add_logits(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values,
                             size_t ld)
{
    bipe_forward_loss *losses = context;
    for (size_t i = 0; i < rows; i++, values += ld) {
        bipe_forward_loss *l = &losses[row + i];
        if (l->cap > 0)
            nn_soft_cap(values, columns, l->cap);
        if (l->target >= column && l->target - column < columns)
            l->logit = values[l->target - column];
        nn_log_sum_add(&l->sum, values, columns);
    }
}

nn_product bipe_forward_logits(const bipe_evaluator *e, size_t first, size_t rows, float *a, bipe_forward_loss *losses)
{
    const tile t = {.e = e, .first = first, .count = rows};
    const bipe_hyperparameters *h = &e->layers.model->hyper;
    size_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        uint32_t target = target_of(&t, row);
        if (target == NOT_WANTED)
            continue;
        losses[count] = (bipe_forward_loss){.target = target, .cap = (float)e->layers.decoder->logit_cap,
                                            .sum = nn_log_sum_start};
        losses[count].window = token_of(&t, row, &losses[count].token);
        bipe_layer_finish(&e->layers, e->x + (first + row) * h->hidden, a + count * h->hidden);
        count++;
    }
    const nn_panels *panels = bipe_packed_panels(e->layers.packed, e->layers.model, BIPE_ROLE_OUTPUT, 0);
    return (nn_product){.x = a, .ldx = h->hidden, .m = count, .w = panels, .count = h->vocabulary,
                        .finish = bipe_forward_add_logits, .context = losses};
}

void bipe_forward_store(const bipe_forward_loss *losses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        losses[i].window->nll[losses[i].token] = nn_log_sum_result(&losses[i].sum) - (double)losses[i].logit;
}

/* The loss of a token is ln of the sum of e^logits, less its own logit, in the row before it. */
static void cross_entropy(const tile *t)
{
    bipe_forward_loss losses[BIPE_TILE_MOST];
    const nn_product logits = bipe_forward_logits(t->e, t->first, t->count, t->a, losses);
    nn_product_run(t->e->layers.cpu, &logits, t->product);
    bipe_forward_store(losses, logits.m);
}

/* ---- attention ---- */

/* A key head of one block of queries; the longest rows go first. */
static void attend_queries(const bipe_evaluator *e, size_t layer, size_t unit, size_t i, size_t worker)
{
    const bipe_hyperparameters *h = &e->layers.model->hyper;
    const bipe_heads heads = bipe_heads_of(h, layer);
    const size_t most = bipe_heads_most(h).key_heads, windows = e->unit[unit + 1] - e->unit[unit];
    size_t number = e->unit[unit] + i / most % windows, group = i % most, back = i / most / windows,
           length = e->windows[number].length, blocks = parts_of(length, e->query_block);
    if (back >= blocks || group >= heads.key_heads)
        return;
    size_t first = (blocks - 1 - back) * e->query_block;
    const tile rows = {.e = e, .layer = layer, .first = e->place[number].row + first,
                       .count = bipe_smaller(length - first, e->query_block)};
    if (!needs_rows(&rows))
        return;
    unsigned char *scratch = e->scratch + worker * e->layout.size;
    nn_bias *bias = (void *)scratch;
    bipe_layer_biases(&e->layers, layer, group, e->token, &e->windows[number].index, bias);
    const nn_keys keys = keys_of(e, layer, number, group);
    const nn_attention attention = bipe_layer_attention(&e->layers, layer, group, &keys, bias);
    float *q = e->q + rows.first * e->wide + group * heads.group * heads.size;
    nn_attention_run(&attention, first, rows.count, q, e->wide, q, e->wide, NULL, 0, scratch + e->layout.attention,
                     &e->count[worker]);
}

/* ---- tasks ---- */

static void run_tile(const bipe_evaluator *e, size_t stage, size_t unit, size_t i, size_t worker)
{
    tile t = tile_of(e, unit, i, worker);
    if (t.count == 0)
        return;
    if (stage == 0) {
        embed_tile(&t);
    } else {
        t.layer = stage - 1;
        if (needs_rows(&t))
            feed_forward(&t);
    }
    t.layer = stage;
    if (stage < e->layers.model->hyper.layers)
        project_tile(&t);
    else if (!e->paused)
        cross_entropy(&t);
}

/* Stage 0: tiles up to the first queries, keys and values; then for each layer attention, and tiles up to those of the
 * next. */
static void run_pass_task(void *context, size_t i, size_t worker)
{
    bipe_evaluator *e = context;
    size_t layer = 0, before = 0, all = e->units * (e->tile_tasks + e->attention_tasks);
    bool tiles = i < e->units * e->tile_tasks;
    if (!tiles) {
        i -= e->units * e->tile_tasks;
        layer = i / all;
        i %= all;
        before = e->tile_tasks + layer * (e->tile_tasks + e->attention_tasks);
        tiles = i >= e->units * e->attention_tasks;
        if (tiles) {
            i -= e->units * e->attention_tasks;
            before += e->attention_tasks;
            layer++;
        }
    }
    size_t each = tiles ? e->tile_tasks : e->attention_tasks, unit = i / each;
    bipe_wait_for(&e->waits, &e->done[unit], before);
    if (tiles)
        run_tile(e, layer, unit, i % each, worker);
    else
        attend_queries(e, layer, unit, i % each, worker);
    bipe_raise(&e->waits, &e->done[unit]);
}

size_t bipe_forward_rows(const bipe_evaluator *e)
{
    return e->place[e->window_count].row;
}

/* Gives the windows their rows and keys. Returns the length of the longest. */
static size_t place_windows(bipe_evaluator *e)
{
    const size_t block = bipe_layers_keys_size(&e->layers, e->key_block);
    size_t longest = 0;
    bipe_window_place at = {0};
    for (size_t w = 0; w < e->window_count; w++) {
        size_t length = e->windows[w].length;
        e->place[w] = at;
        for (size_t t = 0; t < length; t++)
            e->window_of[at.row + t] = (uint32_t)w;
        at.row += length;
        at.keys += parts_of(length, e->key_block) * block;
        longest = bipe_larger(longest, length);
    }
    e->place[e->window_count] = at;
    return longest;
}

/* Divides the windows into units, and finds how many tasks the largest has of either kind. */
static void divide_windows(bipe_evaluator *e)
{
    const size_t heads = bipe_heads_most(&e->layers.model->hyper).key_heads;
    e->units = e->tile_tasks = e->attention_tasks = 0;
    for (size_t first = 0, end; first < e->window_count; first = end) {
        size_t longest = e->windows[first].length;
        for (end = first + 1; end < e->window_count; end++) {
            if (e->place[end + 1].row - e->place[first].row > e->tile)
                break;
            longest = bipe_larger(longest, e->windows[end].length);
        }
        size_t rows = e->place[end].row - e->place[first].row;
        e->tile_tasks = bipe_larger(e->tile_tasks, parts_of(rows, e->tile));
        e->attention_tasks =
            bipe_larger(e->attention_tasks, (end - first) * heads * parts_of(longest, e->query_block));
        e->unit[e->units++] = first;
    }
    e->unit[e->units] = e->window_count;
}

void bipe_forward(bipe_evaluator *e, const bipe_window *windows, size_t count)
{
    e->windows = windows;
    e->window_count = count;
    const size_t longest = place_windows(e);
    e->tile = bipe_forward_has_large_tiles(e) ? large_tile(e, longest) : e->key_block;
    divide_windows(e);
    bipe_layers_prepare(&e->layers, longest);
    for (size_t i = 0; i < e->units; i++)
        atomic_init(&e->done[i], 0);
    size_t layers = e->layers.model->hyper.layers;
    bipe_pool_run(e->pool, e->units * (e->tile_tasks + layers * (e->tile_tasks + e->attention_tasks)), run_pass_task,
                  e);
}
