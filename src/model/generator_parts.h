/* generator_parts.h - a generator's insides: sequences, the pages of their keys and values, and the workspace of a
 * pass. Internal to src/model.
 *
 * Letters as in parameters.h; KB keys of a block (nn/attention.h), R rows of a pass, V vocabulary.
 *
 * A page holds KB tokens of a sequence: for each layer and key head a block of keys and values. Sequences share pages;
 * one that writes to a shared page gets a copy.
 *
 * Workspace of a pass of up to BIPE_PASS_ROWS rows, which belong to parts of pieces:
 *
 *   x     (R, C)      the residual stream
 *   q     (R, H * D)  queries, then what attention makes of them, in place
 *   k, v  (R, G * D)
 *   g     (R, F)      the hidden values of the feed-forward layer; with experts (R * U, F or S), those of the first
 *                     expert, of the second, ..., then of the one that all share
 *   made  (R, C)      what is to be added to x by way of a norm or a scale, where the model has such
 *   normal (R, C)     what experts read; given (R * U + R, C): what each gives, and then the one that all share
 *   logits (BIPE_LOGIT_ROWS, V)
 *   scratch, for each worker: a (rows of products, C) | product;  or biases (H / G, terms) | attention */
#ifndef BIPE_MODEL_GENERATOR_PARTS_H
#define BIPE_MODEL_GENERATOR_PARTS_H

#include <stdatomic.h>

#include "model/experts.h"
#include "model/generator.h"

enum {
    BIPE_PASS_ROWS = 512,
    BIPE_LOGIT_ROWS = 32 /* rows of logits that are in memory at once */
};

typedef struct bipe_page_head {
    size_t users;                /* sequences that have the page; its blocks follow at BIPE_PAGE_HEAD */
    float *next;                 /* of the pages that are not in use */
} bipe_page_head;
enum { BIPE_PAGE_HEAD = 16 /* floats */ };

typedef struct bipe_sequence {
    bool open;
    size_t length;               /* tokens */
    float **page;                /* (pages) */
    size_t pages, page_capacity;
    uint32_t *own[BIPE_INDICES]; /* (length) of those that the scheme has a term on; */
    size_t index_capacity[BIPE_INDICES];
    bipe_indices index;          /* the same */
    float *last;                 /* (C) the residual stream of the last token, after all layers */
} bipe_sequence;

/* Rows of one sequence in a pass. */
typedef struct bipe_pass_part {
    bipe_sequence *sequence;
    size_t row, first, count;    /* its rows; the number of the first token in the sequence */
} bipe_pass_part;

/* The outputs requested from the logits of a row. */
typedef struct bipe_wanted {
    const float *x;              /* (C) after all layers */
    uint32_t target;
    double *nll;                 /* each NULL where it is not wanted */
    uint32_t *best;
    float *logits;
} bipe_wanted;

typedef enum bipe_stage_kind {
    BIPE_STAGE_EMBED, BIPE_STAGE_PROJECT, BIPE_STAGE_NORM_ROWS, BIPE_STAGE_ROTATE, BIPE_STAGE_ATTEND,
    BIPE_STAGE_ROTATE_AND_ATTEND, BIPE_STAGE_NORM_ATTENTION, BIPE_STAGE_ADD, BIPE_STAGE_JOIN_ATTENTION,
    BIPE_STAGE_HIDDEN, BIPE_STAGE_NORM_HIDDEN, BIPE_STAGE_DOWN, BIPE_STAGE_JOIN_HIDDEN, BIPE_STAGE_ROUTE,
    BIPE_STAGE_GROUP, BIPE_STAGE_EXPERT_HIDDEN, BIPE_STAGE_EXPERT_DOWN, BIPE_STAGE_SHARED_HIDDEN,
    BIPE_STAGE_SHARED_DOWN, BIPE_STAGE_MIX, BIPE_STAGE_LOGITS, BIPE_STAGE_COLLECT
} bipe_stage_kind;

/* Tasks that may run in any order, once all of earlier stages are done. */
typedef struct bipe_stage {
    bipe_stage_kind kind;
    size_t layer;                /* LOGITS, COLLECT: the first of the wanted */
    size_t first, chunks;        /* number of its first task; parts that columns are cut into */
} bipe_stage;

struct bipe_generator {
    bipe_layers layers;
    bipe_pool *pool;
    size_t max_length;
    size_t tile;                 /* KB, and the rows of a tile */
    size_t product_rows;         /* those of products: all, if weights are widened for each tile, or of an expert */
    size_t query_block;
    size_t *layer_block;         /* (layers) where the blocks of a layer begin in a page: floats */
    size_t page_floats;

    bipe_sequence *sequence;
    size_t sequences, sequence_capacity;
    float *spare;                /* pages that are not in use */

    uint32_t *token;             /* (token_capacity) 0, 1, 2, ...: the token index */
    size_t token_capacity;
    float *x, *q, *k, *v, *g, *made, *normal, *given, *logits;
    void *route_memory;
    bipe_routes routes;
    unsigned char *scratch;
    size_t scratch_size;         /* of a worker */
    size_t product, attention;   /* bytes of what comes first in scratch */
    nn_attention_count *count;   /* (workers) */

    /* of the pass that is running */
    size_t rows;
    uint32_t *id;                /* (R) */
    bipe_position *position;     /* (R) */
    bipe_pass_part *part;        /* (R) */
    size_t parts;
    bipe_pass_part *key_parts, *query; /* (2 R) parts cut into blocks of keys, and of queries */
    size_t key_part_count, queries;
    bipe_wanted *wanted;         /* (2 R) */
    size_t wanted_count;
    bipe_stage *stage;
    size_t stages;
    atomic_size_t done;          /* tasks */
    bipe_waits waits;            /* for them */
};

/* Takes the rows and parts of g through the network and fills what is wanted. */
void bipe_generator_pass(bipe_generator *g);
/* Stages of a pass at most. */
size_t bipe_generator_stages(const bipe_hyperparameters *hyper);
/* Lays out the scratch of a worker: sets product, attention and scratch_size. */
void bipe_generator_place_scratch(bipe_generator *g);

#endif
