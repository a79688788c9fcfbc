/* parameters.h - the parameters of a decoder: what there is, in which order, and models whose parameters are in memory
 * and may be changed.
 *
 * Letters: V vocabulary, C hidden, N layers, H heads, G kv_heads, D head size, F feed forward, E experts, S the size of
 * the expert that all tokens share. Matrices are row-major (rows, columns); a linear layer is (out, in). */
#ifndef BIPE_MODEL_PARAMETERS_H
#define BIPE_MODEL_PARAMETERS_H

#include "model/model.h"

enum { BIPE_PARAMETER_NAME = 64 };

/* In the order in which files and bipe_model_values() have them; the roles of a layer are together, layer by layer. D
 * and G are those of the layer. */
typedef enum bipe_role {
    BIPE_ROLE_EMBEDDING,           /* (V, C) */
    BIPE_ROLE_EMBEDDING_NORM,      /* (C) of what the embedding gives */
    BIPE_ROLE_EMBEDDING_NORM_BIAS, /* (C) */
    BIPE_ROLE_LEARNED,             /* (learned_rows, C) positions added to the input */
    BIPE_ROLE_T5,                  /* (bipe_t5_buckets, H) biases of distances */
    BIPE_ROLE_ROPE_FACTORS,        /* (rotary / 2): what frequencies are divided by; never trained */
    BIPE_ROLE_ROPE_LONG,           /* (rotary / 2): the same, for windows longer than those of the first training, */
    BIPE_ROLE_ROPE_SHORT,          /* (rotary / 2): and for others (longrope) */
    BIPE_ROLE_ATTENTION_NORM,      /* (C), the first of a layer */
    BIPE_ROLE_ATTENTION_NORM_BIAS, /* (C) */
    BIPE_ROLE_QUERY,          /* (H * D, C); each head's rows in half-split order (j is rotated with j + rotary / 2) */
    BIPE_ROLE_KEY,            /* (G * D, C), the same */
    BIPE_ROLE_VALUE,          /* (G * D, C) */
    BIPE_ROLE_QUERY_BIAS,     /* (H * D), as the rows of the query's matrix */
    BIPE_ROLE_KEY_BIAS,       /* (G * D) */
    BIPE_ROLE_VALUE_BIAS,     /* (G * D) */
    BIPE_ROLE_QUERY_NORM,     /* (D), of each head before rotation; (H * D) of all of them together */
    BIPE_ROLE_KEY_NORM,       /* (D), (G * D) */
    BIPE_ROLE_ATTENTION_SUB_NORM, /* (H * D) of what the next one multiplies */
    BIPE_ROLE_ATTENTION,      /* (C, H * D) */
    BIPE_ROLE_ATTENTION_BIAS, /* (C) */
    BIPE_ROLE_SINKS,                  /* (H): a score that takes part in each softmax and has no value */
    BIPE_ROLE_ATTENTION_POST_NORM,    /* (C) of what attention adds */
    BIPE_ROLE_FEED_FORWARD_NORM,      /* (C) */
    BIPE_ROLE_FEED_FORWARD_NORM_BIAS, /* (C) */
    BIPE_ROLE_XIELU,                  /* (NN_XIELU_PARAMETERS), which nn_xielu() takes */
    BIPE_ROLE_FEED_FORWARD_SUB_NORM,  /* (F) of what DOWN multiplies */
    BIPE_ROLE_ROUTER,                 /* (E, C): which experts a token goes to */
    BIPE_ROLE_ROUTER_BIAS,            /* (E) */
    BIPE_ROLE_GATE,                   /* (F, C); from here to DOWN_BIAS, of each expert where there are some */
    BIPE_ROLE_UP,                     /* (F, C) */
    BIPE_ROLE_GATE_BIAS,              /* (F) */
    BIPE_ROLE_UP_BIAS,                /* (F) */
    BIPE_ROLE_DOWN,                   /* (C, F) */
    BIPE_ROLE_DOWN_BIAS,              /* (C) */
    BIPE_ROLE_SHARED_ROUTER,          /* (C): how much of the shared expert a token gets; without it, all */
    BIPE_ROLE_SHARED_GATE,            /* (S, C) */
    BIPE_ROLE_SHARED_UP,              /* (S, C) */
    BIPE_ROLE_SHARED_DOWN,            /* (C, S) */
    BIPE_ROLE_LAYER_SCALE,            /* (1): what the residual stream is multiplied by at the layer's end */
    BIPE_ROLE_FEED_FORWARD_POST_NORM, /* (C) of what the feed-forward layer adds, the last of a layer */
    BIPE_ROLE_NORM,                   /* (C) */
    BIPE_ROLE_NORM_BIAS,              /* (C) */
    BIPE_ROLE_OUTPUT,                 /* (V, C); none in a tied model */
    BIPE_ROLES
} bipe_role;

typedef struct bipe_parameter {
    bipe_role role;
    uint32_t layer;                 /* 0 where the role does not belong to a layer */
    uint32_t expert;                /* 0 where there are none */
    char name[BIPE_PARAMETER_NAME]; /* as GGUF files have it */
    size_t rows, columns;           /* a vector: 1 row */
    float *values;                  /* (rows, columns) of a model in memory; else NULL */
    size_t offset;                  /* of the values in bipe_model_values() */
    bool decay;                     /* weight decay applies: to matrices, not to vectors and tables of positions */
} bipe_parameter;

/* A model in memory, its parameters drawn from `seed`: matrices normal with deviation 0.02, those that write into the
 * residual stream 0.02 / sqrt(2 N) (Radford et al. 2019), norms 1, biases 0. *hyper needs the sizes, the epsilon, the
 * base of rope, the scheme and `tied`; learned_rows 0 means train_length where the scheme has a learned term.
 * BIPE_ERR_FORMAT for sizes that make no sense, BIPE_ERR_MEMORY. */
int bipe_model_create(bipe_model **model, const bipe_hyperparameters *hyper, uint64_t seed, bipe_error *err);
/* How many parameters that model would have, without making it; the same errors, and BIPE_ERR_MEMORY for more than can
 * be addressed. */
int bipe_model_plan(const bipe_hyperparameters *hyper, uint64_t *parameters, bipe_error *err);
/* A copy of any model, in memory as f32. `from` may be closed afterwards. */
int bipe_model_copy(bipe_model **model, const bipe_model *from, bipe_error *err);

/* The same with the training length, scheme, scaling and segmenter of *hyper. Tables that the scheme needs and `from`
 * does not have start at 0, that of learned positions with train_length rows: so far they change nothing. */
int bipe_model_adapt(bipe_model **model, const bipe_model *from, const bipe_hyperparameters *hyper, bipe_error *err);

/* How many parameters (tensors) a model has, and the i-th of them. */
size_t bipe_model_parameters(const bipe_model *model);
void bipe_model_parameter(const bipe_model *model, size_t i, bipe_parameter *parameter);
/* Values that a token needs: all, less those of experts that it does not go to. */
uint64_t bipe_model_active(const bipe_model *model);
/* All values of a model in memory, parameter after parameter without gaps, at a multiple of 64 bytes; NULL for others.
 * They may be changed while nothing computes with the model; bipe_model_changed() then has to be called before an
 * evaluator is opened. */
float *bipe_model_values(bipe_model *model, size_t *count);
void bipe_model_changed(bipe_model *model);

#endif
