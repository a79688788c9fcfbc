/* generator.c - sequences that grow: their pages, what may be asked of them, and the passes that a call takes; see
 * generator_parts.h. */
#include "model/generator.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "model/generator_parts.h"

/* ---- open and close ---- */

static float *allocate_floats(size_t rows, size_t columns)
{
    return columns != 0 && rows > SIZE_MAX / columns ? NULL : bipe_alloc_large_unset(rows * columns, sizeof(float));
}

static int make_workspace(bipe_generator *g, bipe_error *err)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    const bipe_heads most = bipe_heads_most(h);
    size_t rows = BIPE_PASS_ROWS;
    size_t threads = bipe_pool_threads(g->pool);
    bipe_generator_place_scratch(g);
    g->x = allocate_floats(rows, h->hidden);
    g->q = allocate_floats(rows, most.wide);
    g->k = allocate_floats(rows, most.narrow);
    g->v = allocate_floats(rows, most.narrow);
    const bipe_decoder *d = g->layers.decoder;
    const size_t pairs = d->experts_used != 0 ? rows * d->experts_used : rows, shared = d->shared != 0 ? rows : 0;
    const bool adds = bipe_layer_adds(&g->layers, BIPE_ROLE_ATTENTION_POST_NORM) && d->experts == 0;
    g->g = allocate_floats(pairs, bipe_layer_hidden_size(h));
    g->made = allocate_floats(rows, adds ? 1 : h->hidden);
    g->normal = allocate_floats(rows, d->experts != 0 ? h->hidden : 1);
    g->given = allocate_floats(pairs + shared, d->experts != 0 ? h->hidden : 1);
    g->route_memory = bipe_alloc_large_unset(bipe_routes_size(d, rows) + 1, 1);
    g->layer_block = bipe_alloc(h->layers, sizeof *g->layer_block);
    g->logits = allocate_floats(BIPE_LOGIT_ROWS, h->vocabulary);
    g->scratch = bipe_alloc_large_unset(threads, g->scratch_size);
    g->count = bipe_alloc(threads, sizeof *g->count);
    g->id = bipe_alloc(rows, sizeof *g->id);
    g->position = bipe_alloc(rows, sizeof *g->position);
    g->part = bipe_alloc(rows, sizeof *g->part);
    g->key_parts = bipe_alloc(2 * rows, sizeof *g->key_parts);
    g->query = bipe_alloc(2 * rows, sizeof *g->query);
    g->wanted = bipe_alloc(2 * rows, sizeof *g->wanted);
    g->stage = bipe_alloc(bipe_generator_stages(h), sizeof *g->stage);
    bool made = g->x != NULL && g->q != NULL && g->k != NULL && g->v != NULL && g->g != NULL && g->made != NULL &&
                g->layer_block != NULL && g->logits != NULL && g->scratch != NULL && g->count != NULL &&
                g->id != NULL && g->position != NULL && g->part != NULL && g->key_parts != NULL && g->query != NULL &&
                g->wanted != NULL && g->stage != NULL &&
                g->normal != NULL && g->given != NULL && g->route_memory != NULL;
    if (made)
        g->routes = bipe_routes_place(d, rows, g->route_memory);
    return made ? BIPE_OK : bipe_fail_memory(err);
}

/* What make_workspace() takes, of a generator without positions and packed weights. */
static uint64_t workspace_size(bipe_generator *g)
{
    const bipe_hyperparameters *h = &g->layers.model->hyper;
    uint64_t row = 3 * (uint64_t)h->hidden + (uint64_t)h->heads * h->head_size +
                   2 * (uint64_t)h->kv_heads * h->head_size;
    const bipe_decoder *d = bipe_decoder_of(h);
    const uint64_t used = d->experts_used != 0 ? d->experts_used : 1;
    row += used * bipe_layer_hidden_size(h) + (d->experts != 0 ? (used + 2) * h->hidden : 0); /* g, given, normal */
    bipe_generator_place_scratch(g);
    return (BIPE_PASS_ROWS * row + (uint64_t)BIPE_LOGIT_ROWS * h->vocabulary) * sizeof(float) +
           bipe_routes_size(d, BIPE_PASS_ROWS) + (uint64_t)bipe_pool_threads(g->pool) * g->scratch_size;
}

/* Weights stay in the file where memory is short. */
static int plan_memory(bipe_model *model, nn_precision precision, bipe_pool *pool, bipe_error *err)
{
    const nn_cpu *cpu = nn_cpu_best();
    const bool lean = model->lean;
    uint64_t available = bipe_memory_available(""), all;
    do {
        size_t mapped, weights = bipe_model_packed_size(model, precision, &mapped);
        const bipe_packed packed = {.widened = mapped != 0};
        bipe_generator g = {.pool = pool, .tile = nn_key_block(cpu, precision),
                            .layers = {.model = model, .cpu = cpu, .precision = precision, .packed = &packed,
                                       .decoder = bipe_decoder_of(&model->hyper)}};
        all = weights + workspace_size(&g) + BIPE_MEMORY_SPARE;
        if (all <= available)
            return BIPE_OK;
    } while (bipe_model_stay_lean(model, precision));
    model->lean = lean;
    return bipe_memory_check(available, all, err, "fewer threads and quantised weights take less",
                             "a model of %" PRIu64 " parameters takes", model->hyper.parameters);
}

int bipe_generator_open(bipe_generator **generator, bipe_model *model, const bipe_generator_options *options,
                        bipe_pool *pool, bipe_error *err)
{
    *generator = NULL;
    if (options->max_length < 1 || options->max_length > BIPE_LENGTH_LIMIT)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a sequence of %zu tokens, expected 1 to %d", options->max_length,
                         (int)BIPE_LENGTH_LIMIT);
    nn_precision precision = options->precision == BIPE_PRECISION_BF16 ? NN_PRECISION_BF16 : NN_PRECISION_F32;
    int status = plan_memory(model, precision, pool, err);
    if (status != BIPE_OK)
        return status;
    bipe_generator *g = bipe_alloc(1, sizeof *g);
    if (g == NULL)
        return bipe_fail_memory(err);
    const bipe_hyperparameters *h = &model->hyper;
    bipe_waits_open(&g->waits);
    g->pool = pool;
    g->max_length = options->max_length;
    status = bipe_layers_open(&g->layers, model, options->scheme, options->rope_scaling, precision,
                              options->max_length, options->seed, options->dense, pool, err);
    if (status == BIPE_OK) {
        g->tile = nn_key_block(g->layers.cpu, precision);
        g->query_block = nn_query_block(g->layers.cpu, precision, bipe_heads_most(h).group);
        g->page_floats = BIPE_PAGE_HEAD;
        status = make_workspace(g, err);
    }
    for (size_t layer = 0; status == BIPE_OK && layer < h->layers; layer++) {
        const bipe_heads heads = bipe_heads_of(h, layer);
        g->layer_block[layer] = g->page_floats;
        g->page_floats += heads.key_heads * nn_key_block_floats(g->layers.cpu, precision, heads.size);
    }
    if (status == BIPE_OK)
        *generator = g;
    else
        bipe_generator_close(g);
    return status;
}

const char *bipe_generator_length_matters(const bipe_generator *g)
{
    return bipe_position_tables_length_matters(&g->layers.positions);
}

void bipe_generator_attention(const bipe_generator *g, uint64_t *visited, uint64_t *skipped)
{
    *visited = *skipped = 0;
    for (size_t i = 0; i < bipe_pool_threads(g->pool); i++) {
        *visited += g->count[i].visited;
        *skipped += g->count[i].skipped;
    }
}

void bipe_generator_close(bipe_generator *g)
{
    if (g == NULL)
        return;
    for (size_t i = 0; i < g->sequences; i++) {
        bipe_generator_drop(g, i);
        bipe_free(g->sequence[i].page);
        for (size_t k = 0; k < BIPE_INDICES; k++)
            bipe_free(g->sequence[i].own[k]);
        bipe_free(g->sequence[i].last);
    }
    for (float *page = g->spare, *next; page != NULL; page = next) {
        next = ((bipe_page_head *)(void *)page)->next;
        bipe_free(page);
    }
    bipe_waits_close(&g->waits);
    bipe_layers_close(&g->layers);
    void *const all[] = {g->sequence, g->token, g->x, g->q, g->k, g->v, g->g, g->made, g->logits, g->layer_block,
                         g->scratch, g->count, g->id, g->position, g->part, g->key_parts, g->query, g->wanted,
                         g->stage, g->normal, g->given, g->route_memory};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bipe_free(all[i]);
    bipe_free(g);
}

/* ---- pages ---- */

static bipe_page_head *head_of(float *page)
{
    return (void *)page;
}

uint64_t bipe_generator_spare(const bipe_generator *g)
{
    uint64_t bytes = 0;
    for (float *page = g->spare; page != NULL; page = head_of(page)->next)
        bytes += g->page_floats * sizeof *page;
    return bytes;
}

/* A page of one sequence. NULL: memory is exhausted. */
static float *add_page(bipe_generator *g)
{
    float *page = g->spare;
    if (page != NULL)
        g->spare = head_of(page)->next;
    else
        page = bipe_alloc_large_unset(g->page_floats, sizeof *page);
    if (page != NULL)
        *head_of(page) = (bipe_page_head){.users = 1};
    return page;
}

static void leave_page(bipe_generator *g, float *page)
{
    bipe_page_head *head = head_of(page);
    if (--head->users > 0)
        return;
    head->next = g->spare;
    g->spare = page;
}

/* Space for the indices of `length` tokens. False: memory is exhausted. */
static bool reserve_indices(const bipe_generator *g, bipe_sequence *s, size_t length)
{
    const bipe_scheme *scheme = &g->layers.positions.scheme;
    for (size_t i = 0; i < scheme->count; i++) {
        bipe_position_index index = scheme->term[i].index;
        if (index == BIPE_INDEX_TOKEN)
            continue;
        if (bipe_grow(&s->own[index], &s->index_capacity[index], length, sizeof *s->own[index]) != 0)
            return false;
        s->index.of[index] = s->own[index];
    }
    return true;
}

/* Gives a sequence pages and indices for `count` more tokens, those that it writes to for itself. */
static int reserve_pages(bipe_generator *g, bipe_sequence *s, size_t count, bipe_error *err)
{
    size_t length = s->length + count, pages = (length + g->tile - 1) / g->tile, begun = s->length / g->tile;
    bool done = bipe_grow(&s->page, &s->page_capacity, pages, sizeof *s->page) == 0 && reserve_indices(g, s, length);
    if (done && begun < s->pages && head_of(s->page[begun])->users > 1) {
        float *page = add_page(g);
        done = page != NULL;
        if (done) {
            memcpy(page + BIPE_PAGE_HEAD, s->page[begun] + BIPE_PAGE_HEAD,
                   (g->page_floats - BIPE_PAGE_HEAD) * sizeof *page);
            leave_page(g, s->page[begun]);
            s->page[begun] = page;
        }
    }
    while (done && s->pages < pages) {
        float *page = add_page(g);
        done = page != NULL;
        if (done)
            s->page[s->pages++] = page;
    }
    size_t tokens = g->token_capacity;
    if (done && bipe_grow(&g->token, &g->token_capacity, length, sizeof *g->token) == 0)
        for (; tokens < g->token_capacity; tokens++)
            g->token[tokens] = (uint32_t)tokens;
    else
        done = false;
    return done ? BIPE_OK
                : bipe_fail(err, BIPE_ERR_MEMORY, "out of memory for the keys and values of %zu tokens", length);
}

size_t bipe_generator_page(const bipe_generator *g, size_t *tokens)
{
    *tokens = g->tile;
    return g->page_floats * sizeof(float);
}

/* ---- sequences ---- */

int bipe_generator_add(bipe_generator *g, size_t *sequence, bipe_error *err)
{
    size_t i = 0;
    while (i < g->sequences && g->sequence[i].open)
        i++;
    if (i == g->sequences) {
        if (bipe_grow(&g->sequence, &g->sequence_capacity, i + 1, sizeof *g->sequence) != 0)
            return bipe_fail_memory(err);
        g->sequence[i] = (bipe_sequence){.last = bipe_alloc(g->layers.model->hyper.hidden, sizeof(float))};
        if (g->sequence[i].last == NULL)
            return bipe_fail_memory(err);
        g->sequences++;
    }
    g->sequence[i].open = true;
    *sequence = i;
    return BIPE_OK;
}

int bipe_generator_fork(bipe_generator *g, size_t from, size_t *sequence, bipe_error *err)
{
    if (from >= g->sequences || !g->sequence[from].open)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "sequence %zu: there is none", from);
    size_t made;
    int status = bipe_generator_add(g, &made, err);
    if (status != BIPE_OK)
        return status;
    bipe_sequence *to = &g->sequence[made];
    const bipe_sequence *s = &g->sequence[from];
    size_t pages = (s->length + g->tile - 1) / g->tile;
    if (bipe_grow(&to->page, &to->page_capacity, pages, sizeof *to->page) != 0 ||
        !reserve_indices(g, to, s->length)) {
        bipe_generator_drop(g, made);
        return bipe_fail_memory(err);
    }
    for (; to->pages < pages; to->pages++) {
        to->page[to->pages] = s->page[to->pages];
        head_of(s->page[to->pages])->users++;
    }
    to->length = s->length;
    if (s->length > 0) {
        for (size_t i = 0; i < BIPE_INDICES; i++)
            if (s->own[i] != NULL)
                memcpy(to->own[i], s->own[i], s->length * sizeof *to->own[i]);
        memcpy(to->last, s->last, g->layers.model->hyper.hidden * sizeof *to->last);
    }
    *sequence = made;
    return BIPE_OK;
}

void bipe_generator_drop(bipe_generator *g, size_t sequence)
{
    if (sequence >= g->sequences || !g->sequence[sequence].open)
        return;
    bipe_sequence *s = &g->sequence[sequence];
    while (s->pages > 0)
        leave_page(g, s->page[--s->pages]);
    s->length = 0;
    s->open = false;
}

/* ---- a call ---- */

static int check_piece(const bipe_generator *g, const bipe_piece *pieces, size_t number, bipe_error *err)
{
    const bipe_piece *p = &pieces[number];
    uint32_t vocabulary = g->layers.model->hyper.vocabulary;
    if (p->sequence >= g->sequences || !g->sequence[p->sequence].open)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "piece %zu: there is no sequence %zu", number, p->sequence);
    for (size_t i = 0; i < number; i++)
        if (pieces[i].sequence == p->sequence)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "pieces %zu and %zu: both of sequence %zu, expected one", i,
                             number, p->sequence);
    const bipe_sequence *s = &g->sequence[p->sequence];
    if (p->count < 1 || p->count > g->max_length - s->length)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "piece %zu: %zu tokens after %zu, expected at least 1 and %zu in all at most", number,
                         p->count, s->length, g->max_length);
    for (size_t t = 0; t < p->count; t++) {
        size_t at = s->length + t;
        if (p->ids[t] >= vocabulary)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "piece %zu: token %zu: id %" PRIu32 ", expected less than %" PRIu32, number, at, p->ids[t],
                             vocabulary);
    }
    int status = bipe_indices_check(&p->index, &g->layers.positions.scheme, s->length, p->count, "piece", number, err);
    for (size_t i = BIPE_INDEX_SEGMENT; i < BIPE_INDICES && status == BIPE_OK; i += 2) {
        uint32_t before = s->length > 0 && s->own[i] != NULL ? s->own[i][s->length - 1] : 0;
        for (size_t t = 0; t < p->count && p->index.of[i] != NULL; before = p->index.of[i][t++])
            if (p->index.of[i][t] < before)
                return bipe_fail(err, BIPE_ERR_ARGUMENT, "piece %zu: token %zu: %s %" PRIu32
                                 ", expected no less than %" PRIu32 ", the one before", number, s->length + t,
                                 bipe_index_names[i], p->index.of[i][t], before);
    }
    return status;
}

/* Adds tokens done .. of a piece to the pass, as many as there are rows left. Returns their number. */
static size_t add_part(bipe_generator *g, const bipe_piece *p, size_t done)
{
    bipe_sequence *s = &g->sequence[p->sequence];
    size_t c = g->layers.model->hyper.hidden, count = bipe_smaller(p->count - done, BIPE_PASS_ROWS - g->rows);
    g->part[g->parts++] = (bipe_pass_part){s, g->rows, s->length, count};
    for (size_t t = done; t < done + count; t++, g->rows++) {
        g->id[g->rows] = p->ids[t];
        g->position[g->rows] = (bipe_position){&s->index, s->length};
        if (s->length > 0 && (p->nll != NULL || p->best != NULL))
            g->wanted[g->wanted_count++] = (bipe_wanted){.x = t > done ? g->x + (g->rows - 1) * c : s->last,
                                                         .target = p->ids[t], .nll = p->nll != NULL ? p->nll + t : NULL,
                                                         .best = p->best != NULL ? p->best + t : NULL};
        for (size_t i = 0; i < BIPE_INDICES; i++)
            if (s->own[i] != NULL && p->index.of[i] != NULL)
                s->own[i][s->length] = p->index.of[i][t];
        s->length++;
    }
    if (done + count == p->count && p->logits != NULL)
        g->wanted[g->wanted_count++] = (bipe_wanted){.x = g->x + (g->rows - 1) * c, .logits = p->logits};
    return count;
}

/* Angles for index values below `length`; where they belong to windows of a length, for that one. */
static void prepare_positions(bipe_generator *g, size_t length)
{
    size_t ready = 256;
    while (ready < length)
        ready *= 2;
    bipe_layers_prepare(&g->layers, bipe_generator_length_matters(g) != NULL ? g->max_length
                                                                             : bipe_smaller(ready, g->max_length));
}

int bipe_generator_run(bipe_generator *g, const bipe_piece *pieces, size_t count, bipe_error *err)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        int status = check_piece(g, pieces, i, err);
        if (status == BIPE_OK)
            status = reserve_pages(g, &g->sequence[pieces[i].sequence], pieces[i].count, err);
        if (status != BIPE_OK)
            return status;
        size_t length = g->sequence[pieces[i].sequence].length + pieces[i].count;
        longest = length > longest ? length : longest;
    }
    prepare_positions(g, longest);
    for (size_t i = 0, done = 0; i < count;) {
        g->rows = g->parts = g->wanted_count = 0;
        while (i < count && g->rows < BIPE_PASS_ROWS) {
            done += add_part(g, &pieces[i], done);
            if (done == pieces[i].count) {
                i++;
                done = 0;
            }
        }
        bipe_generator_pass(g);
        size_t c = g->layers.model->hyper.hidden;
        for (size_t p = 0; p < g->parts; p++)
            memcpy(g->part[p].sequence->last, g->x + (g->part[p].row + g->part[p].count - 1) * c, c * sizeof(float));
    }
    return BIPE_OK;
}
