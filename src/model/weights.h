/* weights.h - what an opened model holds: for the files of this room only.
 *
 * Letters as in model.h: V vocabulary, C hidden, N layers, H heads, G kv_heads, D head size, F feed forward. */
#ifndef BIPE_MODEL_WEIGHTS_H
#define BIPE_MODEL_WEIGHTS_H

#include "format/checkpoint.h"
#include "format/gguf.h"
#include "model/model.h"
#include "nn/nn.h"

enum { BIPE_T5_BUCKETS = 32, BIPE_T5_FARTHEST = 128 };

/* A weight in the type and place that its file has. `as` says, for each type, how to write it: the context of a
 * bipe_gguf_rows function, which needs no memory of its own and lives as long as the model. */
typedef struct bipe_weight bipe_weight;
typedef struct bipe_weight_export {
    const bipe_weight *weight;
    bipe_dtype dtype;
} bipe_weight_export;

struct bipe_weight {
    nn_matrix matrix; /* rows 0: there is none */
    bipe_dtype dtype;
    bipe_weight_export as[4]; /* by bipe_dtype, BIPE_F32 .. BIPE_Q8_0 */
};

typedef struct bipe_layer {
    bipe_weight query;      /* (H * D, C), half-split pairs */
    bipe_weight key;        /* (G * D, C), half-split pairs */
    bipe_weight value;      /* (G * D, C) */
    bipe_weight attention;  /* (C, H * D) */
    bipe_weight gate, up;   /* (F, C) */
    bipe_weight down;       /* (C, F) */
    bipe_weight before_attention, before_feed_forward; /* (1, C), f32, aligned */
} bipe_layer;

struct bipe_model {
    bipe_hyperparameters hyper;
    char *path;
    bipe_weight embedding;      /* (V, C) */
    bipe_weight output;         /* (V, C); of a tied model the embedding's view */
    bipe_weight learned;        /* (learned_rows, C), or none */
    bipe_weight t5;             /* (BIPE_T5_BUCKETS, H), f32, aligned, or none */
    bipe_weight norm;           /* (1, C), f32, aligned */
    bipe_layer *layer;          /* (N) */
    bipe_gguf *gguf;            /* the mapped file, one of the two */
    bipe_checkpoint *checkpoint;
    void **owned;               /* copies: norms, q and k rows put in order */
    size_t owned_count, owned_capacity;
};

/* f32 values of a weight that is kept so (norms, t5). */
const float *bipe_weight_floats(const bipe_weight *weight);

/* ---- hyperparameters from files ---- */

enum { BIPE_CONFIG_LIMIT = 1 << 20 }; /* bytes of a config.json */

/* config.json: fills hyper but for what the tensors say (learned_rows, parameters, format). *table_rows is what the
 * file says of the learned table (train_scale), 0 when it does not. Error texts name the key. */
int bipe_config_parse(const char *text, size_t size, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err);
int bipe_config_read(const char *folder, bipe_hyperparameters *hyper, uint32_t *table_rows, bipe_error *err);
/* The keys of a GGUF file of architecture `llama` or `bipe`; hyper->format says which. */
int bipe_gguf_hyperparameters(const bipe_gguf *gguf, bipe_hyperparameters *hyper, bipe_error *err);
/* The sanity that all formats share; `prefix` stands before key names in messages. */
int bipe_hyperparameters_check(const bipe_hyperparameters *hyper, bipe_error *err);

/* Text from a file made fit for a message: at most 72 bytes, what is not printable ASCII as '?'. Returns `out`. */
enum { BIPE_SHOWN_SIZE = 80 };
const char *bipe_model_shown(char out[BIPE_SHOWN_SIZE], const char *text, size_t size);

/* ---- weights from tables ---- */

typedef enum bipe_naming { BIPE_NAMING_HF, BIPE_NAMING_GGUF } bipe_naming;

/* Finds, checks and keeps every weight that model->hyper asks for; refuses tensors that nothing stands for. With
 * `interleaved`, rows of q and k are copied into half-split order. table_rows: expected rows of the learned
 * table, 0: any. */
int bipe_model_bind(bipe_model *model, const bipe_tensor_table *table, bipe_naming naming, bool interleaved,
                    uint32_t table_rows, bipe_error *err);
/* Memory that the model frees when it is closed; NULL when there is none left. */
void *bipe_model_own(bipe_model *model, size_t count, size_t size);

#endif
