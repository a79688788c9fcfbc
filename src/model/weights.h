/* weights.h - the contents of an opened model; internal to src/model.
 *
 * Letters as in parameters.h. */
#ifndef BIPE_MODEL_WEIGHTS_H
#define BIPE_MODEL_WEIGHTS_H

#include "base/threads.h"
#include "format/checkpoint.h"
#include "format/gguf.h"
#include "model/architecture.h"
#include "model/model.h"
#include "model/parameters.h"
#include "nn/nn.h"
#include "nn/product.h"

/* A weight as it lies in its file, in the file's type. */
typedef struct bipe_weight {
    nn_matrix matrix; /* rows 0: there is none */
    bipe_dtype dtype;
    bool mapped; /* the matrix lies in a mapped file */
} bipe_weight;

/* The matrices of products, packed, or widened as they are used. */
typedef struct bipe_packed {
    const nn_cpu *cpu;
    nn_panels *panels;     /* by slot; NULL: not packed yet */
    bool widened;          /* some stay as they lie in the file */
    unsigned char *memory; /* of all */
} bipe_packed;

struct bipe_family;

struct bipe_model {
    bipe_hyperparameters hyper; /* decoder: below */
    bipe_decoder decoder;
    const struct bipe_family *family; /* of its file; NULL: a native one, or none */
    char *path;
    bipe_weight *weight;        /* (slots), in the order of the table of parameters.c; see bipe_model_weight() */
    float *values;              /* of a model in memory: all parameters; else NULL */
    size_t value_count;
    bipe_packed packed[NN_PRECISIONS]; /* by nn_precision */
    bool lean;                  /* memory is short: no weights are packed, all are widened where they lie */
    bipe_gguf *gguf;            /* the mapped file, one of the two; neither of a model in memory */
    bipe_checkpoint *checkpoint;
    void **owned;               /* copies: norms, rows that were put in order */
    size_t owned_count, owned_capacity;
};

/* ---- the table (parameters.c) ---- */

typedef enum bipe_naming { BIPE_NAMING_HF, BIPE_NAMING_GGUF } bipe_naming;

typedef enum bipe_parameter_kind {
    BIPE_MATRIX, /* kept and written in any type; weight decay applies */
    BIPE_TABLE,  /* small: kept and written as f32, without weight decay */
    BIPE_VECTOR  /* the same, of one dimension */
} bipe_parameter_kind;

/* A slot is a role of a layer, or of an expert of a layer, or one that a model has once: 0 .. bipe_slots() - 1 in the
 * order of the table. Those of the experts of a role follow each other. */
typedef struct bipe_slot {
    bipe_role role;
    uint32_t layer;            /* 0 where the role does not belong to a layer */
    uint32_t expert, experts;  /* its number, and how many there are; 0: the role does not belong to experts */
    bipe_parameter_kind kind;
    uint64_t rows, columns;    /* as the hyperparameters say; rows 0: any number of them */
    bool needed;               /* by a model of these hyperparameters */
    bool optional;             /* kept where a file has it, needed or not */
    bool paired;               /* llama files interleave the two halves of a head's rows */
} bipe_slot;

size_t bipe_slots(const bipe_hyperparameters *hyper);
bipe_slot bipe_slot_at(const bipe_hyperparameters *hyper, size_t i);
/* The tensor's name, with that of its layer. Returns `name`. */
const char *bipe_slot_name(const bipe_slot *slot, bipe_naming naming, char name[BIPE_PARAMETER_NAME]);
/* The same less the layer's prefix; # stands for the number of an expert. */
const char *bipe_slot_own_name(const bipe_slot *slot, bipe_naming naming);
/* "LAYERS.N.OWN", with the number of the expert for a # in `own`. */
void bipe_layer_name(const char *layers, const bipe_slot *slot, const char *own, char name[BIPE_PARAMETER_NAME]);
bool bipe_role_of_layer(bipe_role role);
/* Whether each expert of a mixture has the role. */
bool bipe_role_of_expert(bipe_role role);
bool bipe_role_is_gain(bipe_role role); /* of a norm */
/* How many tensors each layer has at least. */
size_t bipe_layer_tensors(const bipe_hyperparameters *hyper);
/* The weight of a role; `layer` counts only for those of layers. Of an expert's role it is the first expert's, after
 * which come the others'. The output projection of a tied model is the embedding. */
const bipe_weight *bipe_model_weight(const bipe_model *model, bipe_role role, size_t layer);
size_t bipe_slot_index(const bipe_hyperparameters *hyper, bipe_role role, size_t layer);
/* A matrix of a type that can be computed with. */
void bipe_weight_set(bipe_weight *weight, const void *data, bipe_dtype dtype, size_t rows, size_t columns);
/* Rows of a mapped file that are not needed for now: their memory may be used for something else. */
void bipe_weight_leave(const bipe_weight *weight, size_t first, size_t count);

/* ---- types of weights that are written (mix.c) ---- */

/* The type that a weight is written in. mix NULL: that it has, if such files can have it. Vectors and small tables are
 * F32, a learned table of positions is not put in blocks, and rows that are no whole number of blocks fall back to
 * smaller blocks, or to F16. */
bipe_dtype bipe_mix_dtype(const bipe_mix *mix, const bipe_hyperparameters *hyper, const bipe_slot *slot,
                          const bipe_weight *weight);

/* ---- packed weights (packed.c) ---- */

/* The packed weights, made by the first call for a precision; bipe_model_changed() and bipe_model_close() free them.
 * Not from two threads at once. */
int bipe_model_pack(bipe_model *model, nn_precision precision, bipe_pool *pool, const bipe_packed **packed,
                    bipe_error *err);
/* Bytes that packed weights take (0: they are packed), and in *mapped those of weights that stay in their file. */
size_t bipe_model_packed_size(const bipe_model *model, nn_precision precision, size_t *mapped);
/* For tables of positions, the text, and what allocations are rounded up by. */
enum { BIPE_MEMORY_SPARE = 16 << 20 };
/* Where memory is short: weights that are not packed yet for that precision will stay in their file. False: nothing
 * changes by that. */
bool bipe_model_stay_lean(bipe_model *model, nn_precision precision);
/* As bipe_model_weight(). */
const nn_panels *bipe_packed_panels(const bipe_packed *packed, const bipe_model *model, bipe_role role, size_t layer);

/* f32 values of a weight that is kept so (norms, t5). */
const float *bipe_weight_floats(const bipe_weight *weight);

/* ---- hyperparameters from files ---- */

enum { BIPE_CONFIG_LIMIT = 1 << 20 }; /* bytes of a config.json */

enum { BIPE_LONG_FACTORS = 256 }; /* pairs of a head with factors in a config.json */

/* What a configuration says. hyper->decoder is the one beside it. */
typedef struct bipe_configuration {
    bipe_hyperparameters hyper;
    bipe_decoder decoder;
    const struct bipe_family *family;
    float factors[2][BIPE_LONG_FACTORS]; /* short and long ones of a folder with longrope; the
                                            first: of one that has BIPE_SCALING_FACTORS */
    float xielu[BIPE_KIND_LAYERS][NN_XIELU_PARAMETERS]; /* of a GGUF file of another program with this activation */
    unsigned towers; /* what a folder's model has beside that of texts, for hf_text_config.h */
    uint32_t table_rows; /* of the learned table (train_scale); 0: it does not say */
} bipe_configuration;

/* config.json: fills all but what the tensors say (learned_rows, parameters, format). Error texts name the key. */
int bipe_config_parse(const char *text, size_t size, bipe_configuration *made, bipe_error *err);
int bipe_config_read(const char *folder, bipe_configuration *made, bipe_error *err);
/* Whether a config.json can say what the model computes. BIPE_ERR_UNSUPPORTED. */
int bipe_model_check_folder(const bipe_model *model, bipe_error *err);
/* The published files' name of a scheme (a short one), or NULL. */
const char *bipe_config_rpe_type(const char *scheme);
/* The keys of a GGUF file of an architecture that is known; hyper.format says which. Error texts start with the path.
 */
int bipe_gguf_configuration(const bipe_gguf *gguf, bipe_configuration *made, bipe_error *err);
/* Checks that hold for every file format: sizes in range, kv_heads divides heads, ... BIPE_ERR_FORMAT. */
int bipe_hyperparameters_check(const bipe_hyperparameters *hyper, bipe_error *err);

/* Text from a file made fit for a message: at most 72 bytes, what is not printable ASCII as '?'. Returns `out`. */
enum { BIPE_SHOWN_SIZE = 80 };
const char *bipe_model_shown(char out[BIPE_SHOWN_SIZE], const char *text, size_t size);

/* ---- weights from tables ---- */

/* Takes over a configuration. Finds, checks and keeps every weight that it asks for, and refuses tensors that it has no
 * role for. */
int bipe_model_bind(bipe_model *model, const bipe_configuration *configuration, const bipe_tensor_table *table,
                    bipe_naming naming, bipe_error *err);
/* Rows 2j and 2j + 1 of an interleaved head hold a pair: where half-split rotation has its rows j and j + rotary / 2.
 * What is beyond `rotary` stays where it is. */
size_t bipe_split_row(size_t row, size_t head_size, size_t rotary);
/* Memory that the model frees when it is closed; NULL when there is none left. */
void *bipe_model_own(bipe_model *model, size_t count, size_t size);

#endif
