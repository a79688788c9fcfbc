/* network.c - opens a network's workspace, checks rows, and sends them through the layers a few at a time. */
#include "train/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/random.h"
#include "train/network_parts.h"

/* Index differences are exact in f32 below this; positions of a pass fit 32 bits. */
enum { TOKENS_LIMIT = 1 << 30 };

void network_stage(network_pass *pass, size_t tasks, void (*task)(void *pass, size_t i, size_t worker))
{
    bipe_pool_run(pass->pool, tasks, task, pass);
}

/* ---- sums of tiles ---- */

enum { SUMS_MOST = 9 };

/* The vectors whose gradients a stage sums, up to BIPE_ROLES. */
static const bipe_role summed[NETWORK_SUM_STAGES][SUMS_MOST] = {
    [NETWORK_SUMS_FEED_FORWARD] = {BIPE_ROLE_FEED_FORWARD_NORM, BIPE_ROLE_FEED_FORWARD_NORM_BIAS,
                                   BIPE_ROLE_ATTENTION_BIAS, BIPE_ROLE_ATTENTION_POST_NORM, BIPE_ROLE_GATE_BIAS,
                                   BIPE_ROLE_UP_BIAS, BIPE_ROLE_DOWN_BIAS, BIPE_ROLE_FEED_FORWARD_POST_NORM,
                                   BIPE_ROLES},
    [NETWORK_SUMS_ATTENTION] = {BIPE_ROLE_ATTENTION_NORM, BIPE_ROLE_ATTENTION_NORM_BIAS, BIPE_ROLE_QUERY_BIAS,
                                BIPE_ROLE_KEY_BIAS, BIPE_ROLE_VALUE_BIAS, BIPE_ROLE_QUERY_NORM, BIPE_ROLE_KEY_NORM,
                                BIPE_ROLES},
    [NETWORK_SUMS_OUTPUT] = {BIPE_ROLE_NORM, BIPE_ROLE_NORM_BIAS, BIPE_ROLES},
    [NETWORK_SUMS_INPUT] = {BIPE_ROLE_EMBEDDING_NORM, BIPE_ROLE_EMBEDDING_NORM_BIAS, BIPE_ROLES},
};

static void set_sums(bipe_network *net)
{
    for (size_t stage = 0; stage < NETWORK_SUM_STAGES; stage++) {
        size_t at = 0;
        for (const bipe_role *role = summed[stage]; *role != BIPE_ROLES; role++) {
            net->sum[*role].at = at;
            net->sum[*role].count =
                network_has(net, *role)
                    ? (size_t)bipe_slot_at(net->hyper, bipe_slot_index(net->hyper, *role, 0)).columns
                    : 0;
            at += net->sum[*role].count;
        }
        net->partial = bipe_larger(net->partial, at);
    }
}

float *network_open_sums(const network_pass *pass, size_t tile)
{
    float *sums = pass->partial + tile * pass->net->partial;
    memset(sums, 0, pass->net->partial * sizeof *sums);
    return sums;
}

void network_add_sums(network_pass *pass, network_sums stage, size_t rows)
{
    const bipe_network *net = pass->net;
    for (const bipe_role *role = summed[stage]; *role != BIPE_ROLES; role++) {
        const float *sums = pass->partial + net->sum[*role].at;
        float *gradient = pass->gradient + net->at[bipe_role_of_layer(*role) ? pass->layer : 0][*role];
        for (size_t i = 0; i < rows; i++, sums += net->partial)
            for (size_t j = 0; j < net->sum[*role].count; j++)
                gradient[j] += sums[j];
    }
}

/* ---- dropout ---- */

/* Drops values of y (C), of the row with this draw. The bits are a function of the draw, the site and the token alone;
 * each 64 serve two values. */
static void drop_values(const bipe_network *net, uint64_t draw, size_t site, size_t token, float *y)
{
    uint64_t state = draw;
    state = bipe_random_bits(&state) ^ ((uint64_t)site << 32 | token);
    size_t c = net->hyper->hidden;
    for (size_t j = 0; j < c; j += 2) {
        uint64_t bits = bipe_random_bits(&state);
        y[j] *= (bits & UINT32_MAX) < net->drop_below ? 0 : net->keep_factor;
        if (j + 1 < c)
            y[j + 1] *= bits >> 32 < net->drop_below ? 0 : net->keep_factor;
    }
}

void network_drop_tile(const network_pass *pass, size_t site, network_tile tile, float *y)
{
    if (pass->net->drop_below == 0 || pass->gradient == NULL)
        return;
    for (size_t j = 0; j < tile.count; j++) {
        size_t at = tile.first + j;
        drop_values(pass->net, pass->rows[pass->row[at]].draw, site, pass->index[BIPE_INDEX_TOKEN][at],
                    y + j * pass->net->hyper->hidden);
    }
}

/* ---- parameters ---- */

/* Whether attention and a parallel feed-forward layer have one norm. */
static bool shares_norm(const bipe_decoder *d)
{
    return d->parallel && !bipe_decoder_has(d, BIPE_ROLE_FEED_FORWARD_NORM);
}

static uint64_t roles_of(const bipe_decoder *d)
{
    uint64_t roles = d->roles | BIPE_ROLE_BIT(BIPE_ROLE_NORM);
    if (shares_norm(d) && bipe_decoder_has(d, BIPE_ROLE_ATTENTION_NORM))
        roles |= BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM);
    if (shares_norm(d) && bipe_decoder_has(d, BIPE_ROLE_ATTENTION_NORM_BIAS))
        roles |= BIPE_ROLE_BIT(BIPE_ROLE_FEED_FORWARD_NORM_BIAS);
    return roles;
}

/* Where the parameters are, by the model's own table. */
static void find_parameters(bipe_network *net)
{
    for (size_t i = 0; i < bipe_model_parameters(net->model); i++) {
        bipe_parameter p;
        bipe_model_parameter(net->model, i, &p);
        net->at[p.layer][p.role] = p.offset;
    }
    for (size_t i = 0; i < net->hyper->layers && shares_norm(net->decoder); i++) {
        net->at[i][BIPE_ROLE_FEED_FORWARD_NORM] = net->at[i][BIPE_ROLE_ATTENTION_NORM];
        net->at[i][BIPE_ROLE_FEED_FORWARD_NORM_BIAS] = net->at[i][BIPE_ROLE_ATTENTION_NORM_BIAS];
    }
    for (size_t i = 0; i + 1 < net->weights; i++) {
        const bipe_role first[] = {BIPE_ROLE_QUERY, BIPE_ROLE_ATTENTION,
                                   network_has(net, BIPE_ROLE_GATE) ? BIPE_ROLE_GATE : BIPE_ROLE_UP, BIPE_ROLE_DOWN};
        net->weight[i].at = net->at[i / NETWORK_LAYER_WEIGHTS][first[i % NETWORK_LAYER_WEIGHTS]];
    }
    net->weight[net->weights - 1].at = net->at[0][net->hyper->tied ? BIPE_ROLE_EMBEDDING : BIPE_ROLE_OUTPUT];
}

/* ---- workspace ---- */

/* Gives out the arena piece by piece, each at a multiple of 64 bytes; without an arena it only counts. */
typedef struct arena {
    uint8_t *base;
    size_t used;
    bool overflow;
} arena;

static void *arena_array(arena *a, size_t count, size_t each, size_t size)
{
    if (a->overflow || (each != 0 && size != 0 && count > (SIZE_MAX >> 8) / each / size) ||
        (SIZE_MAX >> 8) - a->used < count * each * size) {
        a->overflow = true;
        return NULL;
    }
    size_t at = a->used;
    a->used += (count * each * size + 63) / 64 * 64;
    return a->base == NULL ? NULL : a->base + at;
}

/* Terms of a scheme that the workspace depends on. */
static size_t count_terms(const bipe_scheme *scheme, bipe_position_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < scheme->count; i++)
        count += scheme->term[i].kind == kind;
    return count;
}

/* What all sizes follow from; net->hyper and net->options are there. */
static void set_sizes(bipe_network *net)
{
    const bipe_hyperparameters *h = net->hyper;
    net->wide = (size_t)h->heads * h->head_size;
    net->narrow = (size_t)h->kv_heads * h->head_size;
    net->qkv = net->wide + 2 * net->narrow;
    const bipe_decoder *d = net->decoder = bipe_decoder_of(h);
    net->roles = roles_of(d);
    net->gate_up = (network_has(net, BIPE_ROLE_GATE) ? 2 : 1) * (size_t)h->feed_forward;
    set_sums(net);
    net->max_tokens = net->options.length * net->options.rows;
    net->chunk = bipe_larger(NETWORK_LOGITS / h->vocabulary / NETWORK_TILE, 1) * NETWORK_TILE;
    if (net->chunk > net->max_tokens)
        net->chunk = net->max_tokens;
    net->own_windows = d->window != 0 && bipe_scheme_rotates(&h->scheme) &&
                       ((d->window_base != 0 && d->window_base != h->rope_base) || d->window_unscaled);
    net->rows_differ = h->rope_scaling.kind == BIPE_SCALING_DYNAMIC || h->rope_scaling.kind == BIPE_SCALING_LONGROPE ||
                       count_terms(&h->scheme, BIPE_RANDOMIZED_ROPE) > 0 || count_terms(&h->scheme, BIPE_XPOS) > 0;
    net->cpu = nn_cpu_best();
    net->precision = net->options.precision == BIPE_PRECISION_BF16 ? NN_PRECISION_BF16 : NN_PRECISION_F32;
    net->weights = NETWORK_LAYER_WEIGHTS * (size_t)h->layers + 1;
    net->product_size = nn_product_scratch(net->cpu, net->precision, NETWORK_TILE, NN_PRODUCT_STEP, false);
    net->attention_size = (nn_attention_scratch(net->cpu, NN_PRECISION_F32, h->head_size) + 63) / 64 * 64;
    size_t attention = net->attention_size +
                       nn_keys_size(net->cpu, NN_PRECISION_F32, net->options.length, h->head_size);
    size_t tile = NETWORK_TILE * ((size_t)h->hidden + h->feed_forward) + network_place_scratch(net);
    tile = bipe_larger(tile, d->logit_cap != 0 ? h->vocabulary : 0) * sizeof(float);
    size_t backward = nn_attention_backward_scratch(net->cpu, net->options.length, h->head_size);
    net->product_size = (net->product_size + 63) / 64 * 64;
    net->scratch_size = net->product_size + (bipe_larger(bipe_larger(tile, attention), backward) + 63) / 64 * 64;
}

static size_t panels_size(const bipe_network *net, size_t n, size_t k)
{
    return nn_panels_size(net->cpu, net->precision, n, k);
}

/* Bytes for x (t, n) of a weight's gradient. */
static size_t outer_size(const bipe_network *net, size_t n, size_t t)
{
    return nn_panels_as_they_lie(net->cpu, net->precision, n) ? 0 : panels_size(net, n, t);
}

static void lay_out_weights(bipe_network *net, arena *a)
{
    const bipe_hyperparameters *h = net->hyper;
    const size_t shape[NETWORK_LAYER_WEIGHTS][2] = {{net->qkv, h->hidden},
                                                    {h->hidden, net->wide},
                                                    {net->gate_up, h->hidden},
                                                    {h->hidden, h->feed_forward}};
    net->weight = arena_array(a, net->weights, 1, sizeof *net->weight);
    net->packing = arena_array(a, net->weights, 2, sizeof *net->packing);
    for (size_t i = 0; i < net->weights; i++) {
        bool output = i + 1 == net->weights;
        size_t n = output ? h->vocabulary : shape[i % NETWORK_LAYER_WEIGHTS][0];
        size_t k = output ? h->hidden : shape[i % NETWORK_LAYER_WEIGHTS][1];
        network_weight made = {.n = n, .k = k, .forward = {.n = n, .k = k, .precision = net->precision},
                               .back = {.n = k, .k = n, .precision = net->precision}};
        made.forward.data = arena_array(a, 1, 1, panels_size(net, n, k));
        made.back.data = arena_array(a, 1, 1, panels_size(net, k, n));
        if (net->weight != NULL)
            net->weight[i] = made;
    }
}

static void lay_out_pass(const bipe_network *net, network_pass *p, arena *a, size_t threads)
{
    const bipe_hyperparameters *h = net->hyper;
    const bool query_norms = network_has(net, BIPE_ROLE_QUERY_NORM) || network_has(net, BIPE_ROLE_KEY_NORM);
    const bool keeps[] = {network_has(net, BIPE_ROLE_ATTENTION_POST_NORM),
                          network_has(net, BIPE_ROLE_FEED_FORWARD_POST_NORM)};
    size_t t = net->max_tokens, rows = net->options.rows, c = h->hidden, f = h->feed_forward;
    size_t biases = count_terms(&h->scheme, BIPE_T5) == 0
                        ? 0
                        : count_terms(&h->scheme, BIPE_T5) + count_terms(&h->scheme, BIPE_ALIBI);
    bool changed = net->options.dropout > 0 || keeps[0] || keeps[1] || net->decoder->residual_scale != 1;
    p->scratch = arena_array(a, threads, net->scratch_size, 1);
    p->bias = arena_array(a, threads, (size_t)h->heads / h->kv_heads * BIPE_SCHEME_TERMS, sizeof *p->bias);
    p->positions = arena_array(a, rows, net->own_windows ? 2 : 1, sizeof *p->positions);
    p->window_positions = net->own_windows && p->positions != NULL ? p->positions + rows : NULL;
    p->start = arena_array(a, rows + 1, 1, sizeof *p->start);
    p->row = arena_array(a, t, 1, sizeof *p->row);
    p->ids = arena_array(a, t, 1, sizeof *p->ids);
    p->target = arena_array(a, t, 1, sizeof *p->target);
    p->index[BIPE_INDEX_TOKEN] = arena_array(a, t, 1, sizeof *p->index[0]);
    for (size_t i = 0; i < h->scheme.count; i++)
        if (h->scheme.term[i].index != BIPE_INDEX_TOKEN)
            p->index[h->scheme.term[i].index] = arena_array(a, t, 1, sizeof *p->index[0]);
    p->nll = arena_array(a, t, 1, sizeof *p->nll);
    network_kept *kept = p->kept = arena_array(a, h->layers, 1, sizeof *p->kept);
    for (uint32_t n = 0; n < h->layers; n++) {
        float *x = arena_array(a, t, c, sizeof(float));
        network_kept made = {.x = x};
        if (n == 0 || !net->options.recompute) {
            made.projected = query_norms || net->decoder->clip != 0
                                 ? arena_array(a, t, net->wide + net->narrow, sizeof(float)) : NULL;
            made.qkv = arena_array(a, t, net->qkv, sizeof(float));
            made.attended = arena_array(a, t, net->wide, sizeof(float));
            made.log_sums = arena_array(a, t, h->heads, sizeof(float));
            made.middle = arena_array(a, t, c, sizeof(float));
            made.gate_up = arena_array(a, t, net->gate_up, sizeof(float));
            for (size_t i = 0; i < 2; i++)
                made.made[i] = keeps[i] ? arena_array(a, t, c, sizeof(float)) : NULL;
        } else if (kept != NULL) {
            made = *kept;
            made.x = x;
        }
        if (kept != NULL)
            kept[n] = made;
    }
    p->last = arena_array(a, t, c, sizeof(float));
    p->dx = arena_array(a, t, c, sizeof(float));
    p->dmiddle = arena_array(a, t, c, sizeof(float));
    p->dadded = changed ? arena_array(a, t, c, sizeof(float)) : p->dx;
    p->dattention_added = changed                  ? arena_array(a, t, c, sizeof(float))
                          : net->decoder->parallel ? p->dx
                                                   : p->dmiddle;
    p->norm = arena_array(a, t, c, sizeof(float));
    p->hidden = arena_array(a, t, f, sizeof(float));
    p->dattended = arena_array(a, t, net->wide, sizeof(float));
    p->dqkv = arena_array(a, t, net->qkv, sizeof(float));
    p->logits = arena_array(a, net->chunk, h->vocabulary, sizeof(float));
    p->partial = arena_array(a, network_tiles(t), net->partial, sizeof(float));
    /* after attention; neither what is before it nor the output needs more */
    p->panels = arena_array(a, 1, 1, outer_size(net, c, t) + outer_size(net, f, t) + outer_size(net, net->wide, t));
    const size_t distances = bipe_t5_buckets(h) * BIPE_T5_FARTHEST;
    p->dtable = biases > 0 ? arena_array(a, rows * biases, h->heads * distances, sizeof(float)) : NULL;
}

static void lay_out_arena(bipe_network *net, arena *a, size_t threads)
{
    const bipe_hyperparameters *h = net->hyper;
    size_t parts = net->options.parts;
    net->at = arena_array(a, h->layers, 1, sizeof *net->at);
    lay_out_weights(net, a);
    net->waves = count_terms(&h->scheme, BIPE_SINUSOIDAL) > 0
                     ? arena_array(a, net->options.length, h->hidden, sizeof *net->waves) : NULL;
    net->part = arena_array(a, parts, h->parameters, sizeof *net->part);
    net->part_nll = arena_array(a, parts, 1, sizeof *net->part_nll);
    net->passes = parts == 0 ? 1 : threads < parts ? threads : parts;
    net->pass = arena_array(a, net->passes, 1, sizeof *net->pass);
    for (size_t i = 0; i < net->passes; i++) {
        network_pass made = {.net = net, .pool = parts > 0 ? NULL : net->pool};
        lay_out_pass(net, &made, a, parts > 0 ? 1 : threads);
        if (net->pass != NULL)
            net->pass[i] = made;
    }
}

/* How many tables of positions a pass has, and the i-th of them. */
static size_t tables_of_pass(const bipe_network *net)
{
    return (net->rows_differ ? net->options.rows : 1) * (net->own_windows ? 2 : 1);
}

static bipe_position_tables *tables_at(const network_pass *pass, size_t i)
{
    const size_t each = pass->net->rows_differ ? pass->net->options.rows : 1;
    return i < each ? &pass->positions[i] : &pass->window_positions[i - each];
}

/* The tables of positions, which are allocated by themselves. */
static size_t positions_size(const bipe_network *net)
{
    const bipe_scheme *scheme = &net->hyper->scheme;
    size_t tables = 2 * (count_terms(scheme, BIPE_ROPE) + count_terms(scheme, BIPE_RANDOMIZED_ROPE)) +
                    4 * count_terms(scheme, BIPE_XPOS);
    return net->passes * tables_of_pass(net) * tables * net->options.length * (net->hyper->head_size / 2) *
           sizeof(float);
}

static int check_network_options(const bipe_network_options *o, bipe_error *err)
{
    if (o->length < 1 || o->length > BIPE_LENGTH_LIMIT)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "rows of %zu tokens, expected 1 to %d", o->length,
                         (int)BIPE_LENGTH_LIMIT);
    if (o->rows < 1 || o->rows > TOKENS_LIMIT / o->length)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%zu rows of %zu tokens at once, expected 1 to %zu rows", o->rows,
                         o->length, TOKENS_LIMIT / o->length);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a dropout of %g, expected 0 or more and less than 1", o->dropout);
    return BIPE_OK;
}

size_t bipe_network_memory(const bipe_model *model, const bipe_network_options *options, size_t threads)
{
    if (check_network_options(options, NULL) != BIPE_OK)
        return SIZE_MAX;
    bipe_network net = {.hyper = bipe_model_hyperparameters(model), .options = *options};
    arena counting = {0};
    set_sizes(&net);
    lay_out_arena(&net, &counting, threads);
    return counting.overflow ? SIZE_MAX : sizeof net + counting.used + positions_size(&net);
}

static int open_positions(bipe_network *net, bipe_error *err)
{
    const bipe_hyperparameters *h = net->hyper;
    const bipe_rope_scaling unscaled = {.kind = BIPE_SCALING_NONE, .factor = 1};
    for (size_t i = 0; i < net->passes; i++)
        for (size_t j = 0; j < tables_of_pass(net); j++) {
            const bool of_window = net->own_windows && j >= tables_of_pass(net) / 2;
            const double base =
                of_window && net->decoder->window_base != 0 ? net->decoder->window_base : h->rope_base;
            int status = bipe_position_tables_open(
                tables_at(&net->pass[i], j), net->model, &h->scheme,
                of_window && net->decoder->window_unscaled ? &unscaled : &h->rope_scaling,
                bipe_rotary_size(h) / 2, base, false, net->options.length, 0, err);
            if (status != BIPE_OK)
                return status;
        }
    if (net->waves != NULL)
        memset(net->waves, 0, net->options.length * h->hidden * sizeof *net->waves);
    for (size_t i = 0; i < net->options.length && net->waves != NULL; i++)
        bipe_position_tables_add_wave(&net->pass[0].positions[0], (uint32_t)i, net->waves + i * h->hidden);
    return BIPE_OK;
}

int bipe_network_open(bipe_network **network, bipe_model *model, const bipe_network_options *options, bipe_pool *pool,
                      bipe_error *err)
{
    *network = NULL;
    int status = check_network_options(options, err);
    if (status != BIPE_OK)
        return status;
    size_t values = 0;
    if (bipe_model_values(model, &values) == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the model is a file, expected one in memory");
    char lacking[BIPE_LACKING_TEXT];
    if (!bipe_decoder_trains(bipe_model_hyperparameters(model), lacking))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: it has %s, for which there are no gradients",
                         bipe_model_path(model), lacking);
    bipe_network *net = bipe_alloc(1, sizeof *net);
    if (net == NULL)
        return bipe_fail_memory(err);
    *net = (bipe_network){.model = model, .hyper = bipe_model_hyperparameters(model), .options = *options, .pool = pool,
                          .values = bipe_model_values(model, &values),
                          .changed = true};
    net->drop_below = (uint64_t)(options->dropout * 0x1p32);
    net->keep_factor = (float)(1 / (1 - (double)net->drop_below * 0x1p-32));
    set_sizes(net);
    arena a = {0};
    lay_out_arena(net, &a, bipe_pool_threads(pool));
    if (!a.overflow)
        net->arena = a.base = bipe_alloc_large_unset(a.used, 1);
    if (a.base == NULL) {
        bipe_free(net);
        return bipe_fail(err, BIPE_ERR_MEMORY, "out of memory for %zu rows of %zu tokens", options->rows,
                         options->length);
    }
    a.used = 0;
    lay_out_arena(net, &a, bipe_pool_threads(pool));
    for (size_t i = 0; i < net->passes; i++)
        memset(net->pass[i].positions, 0, (net->own_windows ? 2 : 1) * options->rows * sizeof(bipe_position_tables));
    memset(net->at, 0, net->hyper->layers * sizeof *net->at); /* also of roles that the model does not have */
    find_parameters(net);
    status = open_positions(net, err);
    if (status == BIPE_OK)
        *network = net;
    else
        bipe_network_close(net);
    return status;
}

void bipe_network_weights_changed(bipe_network *net)
{
    net->changed = true;
    bipe_model_changed(net->model);
    for (size_t i = 0; i < net->passes; i++)
        for (size_t j = 0; j < tables_of_pass(net); j++)
            bipe_position_tables_set_t5(tables_at(&net->pass[i], j), net->values + net->at[0][BIPE_ROLE_T5]);
}

void bipe_network_close(bipe_network *net)
{
    if (net == NULL)
        return;
    for (size_t i = 0; i < net->passes; i++)
        for (size_t j = 0; j < tables_of_pass(net); j++)
            bipe_position_tables_close(tables_at(&net->pass[i], j));
    bipe_free(net->arena);
    bipe_free(net);
}

/* ---- running ---- */

static int check_row(const bipe_network *net, const bipe_train_row *row, size_t number, bipe_error *err)
{
    if (row->length < 1 || row->length > net->options.length)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "row %zu: %zu tokens, expected 1 to %zu", number, row->length,
                         net->options.length);
    for (size_t t = 0; t < row->length; t++) {
        if (row->ids[t] >= net->hyper->vocabulary)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "row %zu: token %zu: id %" PRIu32 ", expected less than %" PRIu32,
                             number, t, row->ids[t], net->hyper->vocabulary);
    }
    return bipe_indices_check(&row->index, &net->hyper->scheme, 0, row->length, "row", number, err);
}

/* Puts the rows one after the other and makes their positions ready. */
static void place_rows(network_pass *p, const bipe_train_row *rows, size_t count)
{
    p->rows = rows;
    p->count = count;
    p->tokens = p->targets = 0;
    for (size_t r = 0; r < count; r++) {
        const bipe_train_row *row = &rows[r];
        size_t at = p->start[r] = p->tokens;
        memcpy(p->ids + at, row->ids, row->length * sizeof *p->ids);
        for (size_t i = BIPE_INDEX_SEGMENT; i < BIPE_INDICES; i++)
            if (p->index[i] != NULL)
                memcpy(p->index[i] + at, row->index.of[i], row->length * sizeof *p->index[i]);
        for (size_t t = 0; t < row->length; t++) {
            p->row[at + t] = (uint32_t)r;
            p->index[BIPE_INDEX_TOKEN][at + t] = (uint32_t)t;
            if (t > 0 && row->target[t] != 0)
                p->target[p->targets++] = (uint32_t)(at + t - 1);
        }
        p->tokens += row->length;
        if (r > 0 && !p->net->rows_differ)
            continue;
        for (size_t i = r; i < tables_of_pass(p->net); i += p->net->rows_differ ? p->net->options.rows : 1) {
            bipe_position_tables *tables = tables_at(p, i);
            if (tables->rotation == BIPE_RANDOMIZED_ROPE && tables->seed != row->draw)
                tables->ready_length = 0; /* another draw */
            tables->seed = row->draw;
            bipe_position_tables_prepare(tables, p->net->rows_differ ? row->length : p->net->options.length);
        }
    }
    p->start[count] = p->tokens;
}

static bool is_stopped(const bipe_network *net)
{
    return net->options.stop != NULL && net->options.stop();
}

/* Losses of all targets of some rows; adds to the gradient. */
static double run_rows(network_pass *p, const bipe_train_row *rows, size_t count, double weight, float *gradient)
{
    size_t most = p->net->options.rows;
    double sum = 0;
    p->gradient = gradient;
    p->weight = weight;
    for (size_t first = 0; first < count && !is_stopped(p->net); first += most) {
        place_rows(p, rows + first, count - first < most ? count - first : most);
        network_forward(p);
        network_loss(p);
        for (size_t i = 0; i < p->targets; i++)
            sum += p->nll[i];
        if (gradient != NULL)
            network_backward(p);
    }
    return sum;
}

/* A run whose rows are divided into parts. */
typedef struct parts_run {
    bipe_network *net;
    const bipe_train_row *rows;
    size_t count;
    double weight;
    float *gradient;
} parts_run;

static void run_part(void *context, size_t i, size_t worker)
{
    const parts_run *r = context;
    bipe_network *net = r->net;
    size_t parts = net->options.parts, first = r->count * i / parts, end = r->count * (i + 1) / parts;
    float *gradient = r->gradient == NULL ? NULL : net->part + i * net->hyper->parameters;
    if (gradient != NULL)
        memset(gradient, 0, net->hyper->parameters * sizeof *gradient);
    net->part_nll[i] =
        run_rows(&net->pass[net->passes == parts ? i : worker], r->rows + first, end - first, r->weight, gradient);
}

enum { PIECE = 4096 };

/* Some values of all parts' gradients, one part after the other. */
static void add_parts(void *context, size_t i, size_t worker)
{
    const parts_run *r = context;
    size_t first = i * PIECE, values = r->net->hyper->parameters, end = values - first < PIECE ? values : first + PIECE;
    (void)worker;
    for (size_t part = 0; part < r->net->options.parts; part++)
        for (size_t j = first; j < end; j++)
            r->gradient[j] += r->net->part[part * values + j];
}

static double run_parts(bipe_network *net, const bipe_train_row *rows, size_t count, double weight, float *gradient)
{
    parts_run run = {net, rows, count, weight, gradient};
    double sum = 0;
    bipe_pool_run(net->pool, net->options.parts, run_part, &run);
    if (gradient != NULL)
        bipe_pool_run(net->pool, (net->hyper->parameters + PIECE - 1) / PIECE, add_parts, &run);
    for (size_t i = 0; i < net->options.parts; i++)
        sum += net->part_nll[i];
    return sum;
}

int bipe_network_run(bipe_network *net, const bipe_train_row *rows, size_t count, double weight, float *gradient,
                     double *nll_sum, bipe_error *err)
{
    *nll_sum = 0;
    for (size_t i = 0; i < count; i++) {
        int status = check_row(net, &rows[i], i, err);
        if (status != BIPE_OK)
            return status;
    }
    if (net->changed)
        network_pack_weights(net);
    net->changed = false;
    *nll_sum = net->options.parts > 0 ? run_parts(net, rows, count, weight, gradient)
                                      : run_rows(&net->pass[0], rows, count, weight, gradient);
    return is_stopped(net) ? BIPE_STOPPED : BIPE_OK;
}
