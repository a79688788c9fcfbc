/* score.h - language models: hyperparameters and weights from any of the file formats that bipe reads, position
 * schemes, and losses of the tokens of windows.
 *
 * The decoder (He et al. 2024; Touvron et al. 2023): token embedding (+ absolute positions), N x (RMSNorm, causal
 * attention, RMSNorm, SwiGLU), RMSNorm, output projection. Other families differ in some of it (bipe(7)). A model knows
 * no tokenizer and no segmenter: ids and positions come from the caller.
 *
 * A scheme is "none" or terms KIND@INDEX[*K] joined by "+", or a short name (bipe(7);
 * He et al. 2024 for the bilevel ones). The index of a token is its place in the window (token), the number of
 * segments ended before it in the window (segment), or its place in its segment (intra). Where segments are in larger
 * ones, those of level 2, 3 and 4: the number of these that ended before it (segment2, ...), or the number of segments
 * of the next finer level that ended before it in its own (intra2, ...).
 *
 * An evaluator allocates its workspace once, for windows up to a length; nothing of size length x vocabulary or
 * length x length exists. Results of a window depend on that window alone: not on the threads, not on the windows
 * beside it. */
#ifndef BIPE_SCORE_H
#define BIPE_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bipe/error.h>
#include <bipe/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_position_kind {
    BIPE_LEARNED,         /* table added to the input; indices beyond its end use its last row */
    BIPE_SINUSOIDAL,      /* Vaswani et al. 2017, interleaved sine and cosine */
    BIPE_ROPE,            /* Su et al. 2021, half-split pairs */
    BIPE_XPOS,            /* Sun et al. 2023 */
    BIPE_ALIBI,           /* Press et al. 2022; factor multiplies the slopes */
    BIPE_T5,              /* Raffel et al. 2020 */
    BIPE_RANDOMIZED_ROPE  /* Ruoss et al. 2023; factor times the training length is the range */
} bipe_position_kind;

typedef enum bipe_position_index {
    BIPE_INDEX_TOKEN, BIPE_INDEX_SEGMENT, BIPE_INDEX_INTRA, BIPE_INDEX_SEGMENT2, BIPE_INDEX_INTRA2,
    BIPE_INDEX_SEGMENT3, BIPE_INDEX_INTRA3, BIPE_INDEX_SEGMENT4, BIPE_INDEX_INTRA4, BIPE_INDICES
} bipe_position_index;

/* The indices of L tokens, an array of L each, by bipe_position_index. The token index is not looked at. One that no
 * term of the scheme is on may be NULL. */
typedef struct bipe_indices {
    const uint32_t *of[BIPE_INDICES];
} bipe_indices;

typedef struct bipe_position_term {
    bipe_position_kind kind;
    bipe_position_index index;
    double factor; /* 1 where nothing was given (randomized-rope: 4) */
} bipe_position_term;

enum { BIPE_SCHEME_TERMS = 8 };

typedef struct bipe_scheme {
    bipe_position_term term[BIPE_SCHEME_TERMS];
    size_t count; /* 0: none */
} bipe_scheme;

/* Frequency scaling of rope. */
typedef enum bipe_scaling_kind {
    BIPE_SCALING_NONE, BIPE_SCALING_LINEAR, BIPE_SCALING_DYNAMIC, BIPE_SCALING_YARN,
    BIPE_SCALING_LLAMA3, /* Grattafiori et al. 2024, as in their code */
    BIPE_SCALING_FACTORS, /* by the table that the model has, */
    BIPE_SCALING_LONGROPE /* or by one of two: for windows up to `original` tokens, and for longer ones */
} bipe_scaling_kind;

typedef struct bipe_rope_scaling {
    bipe_scaling_kind kind;
    double factor;     /* F > 0 */
    uint64_t original; /* tokens; yarn: 0 is the training length */
    double low, high;  /* turns within `original` tokens: llama3 and yarn stretch what turns less than `low` times by F
                          and keep what turns more than  `high` times; high > low > 0. yarn: 0 and 0 are 1 and 32 */
    double magnitude;  /* what cos and sin are multiplied by; 0: yarn 0.1 ln F + 1, others 1. Only yarn, factors
                          and longrope have another */
    bool exact;        /* yarn: low and high are not moved to whole pairs */
} bipe_rope_scaling;

/* BIPE_ERR_ARGUMENT names the term and what was expected. Two terms that rotate, or two that add a learned
 * table, make no sense and are refused. */
int bipe_scheme_parse(bipe_scheme *scheme, const char *text, bipe_error *err);
typedef struct bipe_model bipe_model;

typedef struct bipe_hyperparameters {
    uint32_t vocabulary;     /* V */
    uint32_t hidden;         /* C */
    uint32_t layers;         /* N */
    uint32_t heads;          /* H; head size D = head_size */
    uint32_t kv_heads;       /* divides H */
    uint32_t head_size;      /* D */
    uint32_t feed_forward;   /* F */
    uint32_t train_length;   /* tokens a window in training */
    uint32_t learned_rows;   /* rows of the learned table; 0: none */
    double rms_norm_eps;     /* of all norms */
    double rope_base;
    bool tied;               /* output projection = token embedding */
    bool log_scale;          /* queries times ln(index + 1) / ln(train_length) */
    bipe_scheme scheme;
    bipe_rope_scaling rope_scaling;
    char segmenter[256];     /* the model's own SPEC */
    uint64_t parameters;     /* number of weights */
    const char *format; /* "native", "gguf-llama" and others for each architecture, "safetensors", "pytorch"; "memory"
                           for one that was made */
    const struct bipe_decoder *decoder; /* in what else it differs from a Llama: the model's, NULL for a Llama */
} bipe_hyperparameters;

/* Opens a native file, a GGUF file of a family that is known, or a Hugging Face folder of one, detected from content;
 * all shapes are checked. The weights stay mapped in the type that the file has. Error texts start with the path.
 * "default" and other names of installed models are opened as well. The caller closes the model; bipe_model_close()
 * accepts NULL. */
int bipe_model_open(bipe_model **model, const char *name, bipe_error *err);
/* Belongs to the model and is valid until it is closed. */
const bipe_hyperparameters *bipe_model_hyperparameters(const bipe_model *model);
void bipe_model_close(bipe_model *model);

typedef struct bipe_evaluator bipe_evaluator;

/* The numbers in matrix products. Sums are f32. */
typedef enum bipe_precision {
    BIPE_PRECISION_F32,
    BIPE_PRECISION_BF16, /* weights and, where the processor has dot products of bfloat16, activations */
    BIPE_PRECISION_INT16 /* integers within 8191, with an f32 scale for each 32 weights or activations of a row;
                            attention has f32 */
} bipe_precision;

typedef struct bipe_evaluator_options {
    const bipe_scheme *scheme;              /* copied; NULL: the model's */
    const bipe_rope_scaling *rope_scaling;  /* copied; NULL: the model's */
    bipe_precision precision;
    size_t max_length;                      /* tokens of the longest window */
    uint64_t seed;                          /* randomized-rope */
    bool dense; /* attend to all keys; otherwise, with alibi, blocks of keys whose weights are all
                   below 2^-24 of the sum are skipped */
} bipe_evaluator_options;

/* One window: L tokens with their positions. */
typedef struct bipe_window {
    const uint32_t *ids;      /* (L), each < vocabulary */
    bipe_indices index;
    size_t length;            /* L, 1 .. max_length */
    const uint8_t *wanted;    /* (L) wanted[t] 0: do not compute the loss of token t; NULL: compute all. wanted[0] is
                                 ignored */
    double *nll;              /* (L - 1) out, in nats: nll[t - 1] = -ln p(ids[t] | ids[0 .. t-1]); unchanged where
                                 wanted[t] is 0 */
} bipe_window;

/* The model and the pool must outlive the evaluator, which the caller closes. Packs the model's weights on first use,
 * for all evaluators: do not open two evaluators of one model at the same time. BIPE_ERR_MEMORY: there is less than it
 * takes, which the error says, before anything is allocated. BIPE_ERR_UNSUPPORTED or
 * BIPE_ERR_ARGUMENT: the scheme needs a table that the model lacks, or does not fit its shape. */
int bipe_evaluator_open(bipe_evaluator **evaluator, bipe_model *model, const bipe_evaluator_options *options,
                        bipe_pool *pool, bipe_error *err);
/* Fills nll of each window. One thread at a time. An id outside the vocabulary is BIPE_ERR_ARGUMENT. */
int bipe_evaluator_run(bipe_evaluator *evaluator, const bipe_window *windows, size_t count, bipe_error *err);
void bipe_evaluator_close(bipe_evaluator *evaluator);

#ifdef __cplusplus
}
#endif
#endif
