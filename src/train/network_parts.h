/* network_parts.h - a network's insides: its workspace and the stages of its passes. Internal to network_*.c.
 *
 * Letters as in model/parameters.h, and W = H * D, Q = (H + 2 G) * D.
 * T tokens of the rows of a pass, one row after the other: token t of row r is position start[r] + t of each array. */
#ifndef BIPE_TRAIN_NETWORK_PARTS_H
#define BIPE_TRAIN_NETWORK_PARTS_H

#include "model/architecture.h"
#include "model/parameters.h"
#include "model/position_tables.h"
#include "nn/nn.h"
#include "nn/product.h"
#include "train/network.h"

enum {
    NETWORK_TILE = 128,          /* tokens of a task, rows of a weight's gradient of a task */
    NETWORK_LOGITS = 32 << 20    /* floats of logits at a time, as long as that is a tile at least */
};

/* Floats (k, n), or (n, k) with `transposed`, that are to be packed. */
typedef struct network_packing {
    const nn_panels *to;
    const float *from;
    size_t ld;
    bool transposed;
} network_packing;

/* A weight (n, k) at an offset in the model's values, packed for y = x w^T and for dx = dy w. */
typedef struct network_weight {
    size_t at, n, k;
    nn_panels forward, back;
} network_weight;

/* The weights of a layer: query, key and value are one, so are gate and up. */
enum { NETWORK_QKV, NETWORK_ATTENTION, NETWORK_GATE_UP, NETWORK_DOWN, NETWORK_LAYER_WEIGHTS };

/* What the forward pass keeps of a layer for the backward pass. With recompute, all layers share all but x. */
typedef struct network_kept {
    float *x;        /* (T, C) its input */
    float *projected; /* (T, W + G D) queries and keys before their norms; NULL: the model has none, and no clip */
    float *qkv;      /* (T, Q) queries, keys and values with their positions */
    float *attended; /* (T, W) what attention makes of them */
    float *log_sums; /* (H, T) ln of the sum of e^score of each query */
    float *middle;   /* (T, C) x + attention */
    float *gate_up;  /* (T, 2 F), or (T, F) up alone */
    float *made[2];  /* (T, C) what attention and the feed-forward layer make, before the norms after them; NULL: the
                        model has none */
} network_kept;

/* Stages that sum gradients of vectors tile by tile, each in its columns of `partial`. */
typedef enum network_sums {
    NETWORK_SUMS_FEED_FORWARD, NETWORK_SUMS_ATTENTION, NETWORK_SUMS_OUTPUT, NETWORK_SUMS_INPUT, NETWORK_SUM_STAGES
} network_sums;

/* Rows on their way through the layers. */
typedef struct network_pass {
    bipe_network *net;
    bipe_pool *pool;           /* divides each stage among its threads; NULL: a single thread does all */
    uint8_t *scratch;          /* for each of these threads: of products | of a stage */
    nn_bias *bias;             /* for each of them, of the heads that share a key head */
    const bipe_train_row *rows;
    size_t count, tokens;
    float *gradient; /* NULL: losses only */
    double weight;
    uint32_t layer;  /* that a stage is at */
    bool again;      /* the forward stages are run for the backward pass */

    bipe_position_tables *positions; /* one for each row where rows differ, else one */
    bipe_position_tables *window_positions; /* the same for layers with a window, where they differ; else NULL */
    size_t *start;             /* (rows + 1) */
    uint32_t *row;             /* (T) the row of a position */
    uint32_t *ids;             /* (T) */
    uint32_t *index[BIPE_INDICES]; /* (T) each: the token index, and those that the scheme has a term on */
    uint32_t *target;          /* (targets) positions whose next token is a target */
    size_t targets, first_target, chunk_targets; /* the loss is computed in chunks of targets */
    double *nll;               /* (T) of targets, with their weights */

    network_kept *kept;        /* (N) */
    float *last;               /* (T, C) what the layers make */
    float *dx;                 /* (T, C) the gradient of a layer's output, then of its input */
    float *dmiddle;            /* (T, C) */
    float *dadded, *dattention_added; /* (T, C) gradients of what the feed-forward layer and attention make: dx and
                                         dmiddle (in parallel dx), but for dropout, a scale and norms */
    float *norm;               /* (T, C) the layer's norms, made again */
    float *hidden;             /* (T, F) f(gate) * up, made again */
    float *dattended;          /* (T, W) */
    float *dqkv;               /* (T, Q) */
    float *logits;             /* (chunk, V) */
    float *partial;            /* (tiles, net->partial) tile by tile: gradients of vectors, by net->sum */
    uint8_t *panels;           /* right operands of the gradients of weights */
    float *dtable;             /* (rows, H, terms, distances) of t5 */
} network_pass;

struct bipe_network {
    bipe_model *model;
    const bipe_hyperparameters *hyper;
    const bipe_decoder *decoder;
    uint64_t roles;               /* the decoder's, and the feed-forward layer's norm where it shares attention's */
    bipe_network_options options;
    bipe_pool *pool;
    float *values;
    size_t wide, narrow, qkv;     /* W, G * D, Q */
    size_t gate_up;               /* 2 F, or F without a gate */
    struct {
        size_t at, count;
    } sum[BIPE_ROLES];            /* columns of `partial` of a role, in the stage that sums it; count 0: none */
    size_t partial;
    size_t (*at)[BIPE_ROLES]; /* (N) where each parameter of a layer is in values, and its gradient in the gradient; of
                                 those outside of layers in the first */
    bool rows_differ;             /* each row has positions of its own */
    bool own_windows;             /* layers with a window have other angles */
    float *waves;                 /* (length, C) of the sinusoidal terms, or NULL */
    uint64_t drop_below;          /* a value is dropped where 32 random bits are below this */
    float keep_factor;
    size_t max_tokens, chunk;
    const nn_cpu *cpu;
    nn_precision precision;
    network_weight *weight;       /* those of the layers, then the output's */
    size_t weights;
    network_packing *packing;     /* (2 * weights) */
    bool changed;                 /* the model's values since they were packed */
    size_t scratch_size, product_size; /* bytes of a thread's scratch, those of products */
    size_t attention_size;        /* bytes of a stage's for attention; packed keys come after */
    network_pass *pass;           /* (passes): one for all threads or, with options.parts, one for each that has work */
    size_t passes;
    float *part;                  /* (parts, values) their gradients */
    double *part_nll;             /* (parts) */
    void *arena;
};

static inline void *network_scratch(const network_pass *pass, size_t worker)
{
    return pass->scratch + worker * pass->net->scratch_size + pass->net->product_size;
}
/* Runs a stage's tasks. */
void network_stage(network_pass *pass, size_t tasks, void (*task)(void *pass, size_t i, size_t worker));

/* ---- tiles of positions ---- */

typedef struct network_tile {
    size_t first, count;
} network_tile;
static inline size_t network_tiles(size_t count)
{
    return (count + NETWORK_TILE - 1) / NETWORK_TILE;
}
static inline network_tile network_tile_of(size_t count, size_t i)
{
    size_t first = i * NETWORK_TILE;
    return (network_tile){first, count - first < NETWORK_TILE ? count - first : NETWORK_TILE};
}

/* ---- products (network_products.c) ---- */

/* y (m, n) = x (m, k) w, or y += with `add`; with x_transposed, x is (k, m). */
void network_multiply(const network_pass *pass, const nn_panels *w, const float *x, size_t ldx, bool x_transposed,
                      size_t m, bool add, float *y, size_t ldy, size_t worker);
void network_pack_weights(bipe_network *net);

/* A weight's gradient: dw (n, k) += dy (T, n)^T x (T, k). */
typedef struct network_outer {
    const network_weight *weight;
    const float *dy;
    size_t ldy;
    float *x; /* ld: k */
} network_outer;
enum { NETWORK_OUTERS = 4 }; /* the most at once */
void network_outers(network_pass *pass, const network_outer *outers, size_t count, size_t tokens);

/* ---- passes ---- */

void network_forward(network_pass *pass);
/* From dx, the gradient of `last`. */
void network_backward(network_pass *pass);
/* Losses of all targets; with a gradient, dx and the gradients of the output layer. */
void network_loss(network_pass *pass);
/* The stages of one layer but for its feed-forward output: what recompute runs again. */
void network_layer_again(network_pass *pass);

/* Drops values of y (count, C) of consecutive positions. Site 0: the embedding; 1 + 2 n, 2 + 2 n: what layer n adds. */
void network_drop_tile(const network_pass *pass, size_t site, network_tile tile, float *y);
static inline bool network_has(const bipe_network *net, bipe_role role)
{
    return (net->roles & BIPE_ROLE_BIT(role)) != 0;
}
/* Adds what a stage summed in the first `rows` rows of partial to the gradient. */
void network_add_sums(network_pass *pass, network_sums stage, size_t rows);
/* Sets the columns of a tile to 0, and returns them. */
float *network_open_sums(const network_pass *pass, size_t tile);

/* ---- norms and positions (network_positions.c) ---- */

/* y (count, C) = the norm of x by the gain of this role, where there is one. Returns y; where there is none, x. */
float *network_normalize(const network_pass *pass, bipe_role role, float *x, size_t count, float *y);
/* dx (count, C) += what dy, the gradient of that norm, gives. y: the norm once more, where there is one. */
void network_normalize_back(const network_pass *pass, bipe_role role, const float *x, const float *dy, size_t count,
                            float *y, float *dx, float *sums);
/* Norms and positions of the queries and keys of a token: row (Q). */
void network_place(const network_pass *pass, size_t position, float *row);
/* Their gradient back to that of the projected ones. scratch: network_place_scratch() floats. */
void network_place_back(const network_pass *pass, size_t position, float *row, float *scratch, float *sums);
size_t network_place_scratch(const bipe_network *net);
/* The attention of the heads first .. first + heads - 1 of a row; bias: room for heads * BIPE_SCHEME_TERMS. */
nn_attention network_attention(const network_pass *pass, size_t row, size_t first, size_t heads, nn_bias *bias);
/* x (C) = the embedding of a token + what the scheme adds, before its norm. */
void network_embed(const network_pass *pass, size_t position, float *x);

#endif
