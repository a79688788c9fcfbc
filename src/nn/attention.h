/* attention.h - causal attention of the queries that share a key head, forward and backward, in blocks.
 *
 * Letters: L tokens of a window, D head size, NR columns of a panel of the processor's kernels, KB keys of a block
 * (nn_key_block).
 *
 * Work is transposed. A panel of NR queries is the right operand, so that scores come out as (KB, NR): the softmax goes
 * down the keys with a query in each lane, and its weights are the panel of the second product, values^T x weights.
 * Blocks of keys are visited from near to far with a running maximum and sum (Milakov and Gimelshein 2018; Dao et al.
 * 2022). Blocks and panels start at multiples of their size, and lanes do not see each other: the digits of a token
 * depend on the tokens before it alone, not on how queries are split into calls or on how long the window is.
 *
 * How to use it, for a key head of a window:
 *   1. memory of nn_keys_size() bytes, aligned to 64; nn_keys_open();
 *   2. nn_keys_pack() for all keys, in blocks of nn_key_block(): calls for different blocks may run in parallel; or
 * nn_keys_add() as they come;
 *   3. nn_attention_run() for all queries, in pieces of any size (multiples of nn_query_block() are fastest), in
 * parallel. */
#ifndef BIPE_NN_ATTENTION_H
#define BIPE_NN_ATTENTION_H

#include "nn/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- keys and values, packed ---- */

/* Keys and values of a key head of a window. In bf16 both are kept as bfloat16, in half the memory, if the
 * processor has dot products of that; else all is done in f32, since widening would cost more than this memory is
 * worth. */
typedef struct nn_keys {
    const nn_cpu *cpu;
    nn_precision precision;
    size_t capacity, d; /* keys, D */
    float *words;       /* blocks one after the other: keys and values as left operands, and the norm */
    float *const *page; /* not NULL: block b is at page[b] + offset instead */
    size_t offset;      /* a multiple of 16 */
    bool norms;         /* the largest |key| of each block is kept, for pruning; NaN where a key or a value is not
                           finite */
} nn_keys;

/* Keys of a block: a few hundred or less, even. */
size_t nn_key_block(const nn_cpu *cpu, nn_precision precision);
/* Floats of a block in memory, a multiple of 16. */
size_t nn_key_block_floats(const nn_cpu *cpu, nn_precision precision, size_t d);
/* Bytes for `capacity` keys. */
size_t nn_keys_size(const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d);
/* Lays keys out in memory (of nn_keys_size bytes, aligned to 64), which the caller keeps. Norms are kept. */
void nn_keys_open(nn_keys *keys, const nn_cpu *cpu, nn_precision precision, size_t capacity, size_t d, void *memory);
/* Keys first .. first + count - 1 of the window; k and v point to row `first`. first is a multiple of KB. A last block
 * that is not whole can be packed again when there is more of it. */
void nn_keys_pack(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v,
                  size_t ldv);
/* The same, bit for bit, for any `first`: the keys before it have been packed or added. */
void nn_keys_add(const nn_keys *keys, size_t first, size_t count, const float *k, size_t ldk, const float *v,
                 size_t ldv);

/* ---- attention ---- */

/* A term that is added to a score, from the difference of two indices: table[min(max(d, 0), table_size - 1)] with a
 * table, else -slope * |d|, d = index[query] - index[key]. Differences are taken in integers. */
typedef struct nn_bias {
    const uint32_t *index; /* (L) */
    bool ascending;        /* index never falls from a token to the next: pruning may count on that */
    float slope;           /* >= 0 */
    const float *table;    /* (table_size), or NULL */
    size_t table_size;
    float *d_table;        /* backward: the gradient of the table is added to it; NULL: not wanted */
} nn_bias;

/* One key head of one window, and what holds for the queries of all heads that share it.
 * score = q k^T * scale; with cap > 0, cap * tanh(score / cap); then biases are added. */
typedef struct nn_attention {
    const nn_keys *keys;
    size_t heads;           /* that share the key head */
    float scale;
    const nn_bias *bias;    /* (heads, biases) */
    size_t biases;
    size_t window;          /* a query sees this many tokens, itself the last of them; 0: all */
    float cap;              /* 0: none */
    const float *sink;      /* (heads), or NULL: a score that takes part in the softmax of a head and has no value */
    bool prune;             /* skip keys that weigh less than rounding errors: the theorem is in attention.c; not with
                               sinks, beside which all keys may be light */
} nn_attention;

/* Blocks of keys (each for a panel of queries) that were used and that pruning skipped. */
typedef struct nn_attention_count {
    uint64_t visited, skipped;
} nn_attention_count;

/* Queries that are worked on together. */
size_t nn_query_block(const nn_cpu *cpu, nn_precision precision, size_t heads);
/* Bytes of scratch, aligned to 64, for a call of nn_attention_run. */
size_t nn_attention_scratch(const nn_cpu *cpu, nn_precision precision, size_t d);
/* out = softmax(scores) v for tokens first .. first + count - 1. q (count, heads * D), out the same, point to token
 * `first`; out may be q. Keys up to the last of these tokens have been packed. lse (heads, ldl), unless NULL: at token
 * t of head h, lse[h * ldl + t] is ln of the sum of e^score, for the backward pass. Counts are added to `counted`
 * unless it is NULL. */
void nn_attention_run(const nn_attention *a, size_t first, size_t count, const float *q, size_t ldq, float *out,
                      size_t ldo, float *lse, size_t ldl, void *scratch, nn_attention_count *counted);

/* ---- backward (attention_backward.c) ---- */

/* Rows of a whole window: of queries (L, heads * D), of keys and values (L, D). */
typedef struct nn_attention_window {
    const float *q, *k, *v;
    size_t ldq, ldk, ldv;
    const float *out, *d_out; /* (L, heads * D): what nn_attention_run gave, and its gradient */
    size_t ldo, ld_out;
    const float *lse;         /* (heads, ldl), from nn_attention_run */
    size_t ldl;
    float *dq, *dk, *dv;      /* gradients, laid out like q, k, v; they are added to */
    size_t ld_dq, ld_dk, ld_dv;
} nn_attention_window;

/* Bytes of scratch, aligned to 64, for windows of up to `length` tokens. */
size_t nn_attention_backward_scratch(const nn_cpu *cpu, size_t length, size_t d);
/* The gradients of one key head of a window of `length` tokens, for all query heads that share it; those of tables are
 * added to d_table of their biases. In f32; a->keys and a->prune are not used. Weights are made again from q, k and
 * lse, a block at a time. Sums are taken in a fixed order. */
void nn_attention_backward(const nn_cpu *cpu, const nn_attention *a, size_t length, size_t d,
                           const nn_attention_window *rows, void *scratch);

#endif
