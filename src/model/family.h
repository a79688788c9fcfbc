/* family.h - families of models: a row says how its files name things and what its decoder computes. Internal to
 * src/model. */
#ifndef BIPE_MODEL_FAMILY_H
#define BIPE_MODEL_FAMILY_H

#include "model/architecture.h"
#include "model/known_keys.h"
#include "model/weights.h"

/* A name that differs from that of the table of parameters.c. */
typedef struct bipe_role_name {
    bipe_role role;
    const char *name;
} bipe_role_name;

enum { BIPE_FAMILY_NAMES = 24 };

/* What a key of a config.json says. */
typedef enum bipe_config_kind {
    BIPE_CONFIG_NOTHING,      /* it is only known */
    BIPE_CONFIG_COUNT, BIPE_CONFIG_NUMBER, BIPE_CONFIG_FLAG, BIPE_CONFIG_ACTIVATION, /* a member of that kind */
    BIPE_CONFIG_INVERSE,      /* a number: the member is 1 / value, */
    BIPE_CONFIG_INVERSE_ROOT, /* or 1 / sqrt(value) */
    BIPE_CONFIG_SHARE,        /* a number: the member is value * D */
    BIPE_CONFIG_ROLES         /* a flag: the decoder has the roles or not */
} bipe_config_kind;

typedef struct bipe_config_key {
    const char *name;
    const char *harmless;     /* as in known_keys.h; NULL: it is read */
    bipe_config_kind kind;
    size_t offset;            /* in bipe_configuration */
    uint64_t roles;
} bipe_config_key;

enum { BIPE_MODEL_TYPES = 3 };

typedef struct bipe_family {
    const char *name;            /* as its makers write it */
    const char *architecture;    /* general.architecture of GGUF files; NULL: there are none */
    const char *format;          /* "gguf-" and that */
    const char *model_type[BIPE_MODEL_TYPES]; /* of config.json, up to a NULL */
    const char *within[BIPE_MODEL_TYPES]; /* of a config.json that may have such a one as text_config, likewise */
    uint64_t optional;           /* roles that a GGUF file may have beside decoder.roles */
    uint64_t config_roles;       /* roles that a folder has beside decoder.roles */
    const bipe_config_key *config; /* keys of config.json beside those of hf_keys.c, up to one without a name */
    uint32_t usual_head;         /* head size where config.json does not say; 0: C / H */
    double usual_epsilon;        /* of norms, likewise; 0: 1e-6 */
    double usual_share;          /* of a head that is rotated, likewise; 0: all of it */
    double usual_base;           /* of rope; 0: 10000 */
    bipe_decoder usual_config;   /* scales, caps, window, experts and `parallel` that config.json has where it does not
                                    say; 0: the row's */
    uint32_t usual_length;       /* training length, likewise, */
    uint32_t usual_vocabulary, usual_heads, usual_kv_heads; /* and these; 0: it has to say them */
    bool usually_tied;
    bool any_activation;         /* hidden_act is one of `config`, or says nothing */
    bool window_asked;           /* sliding_window counts with use_sliding_window, from layer max_window_layers on */
    bool four_times;             /* the feed-forward size is 4 C where config.json does not say */
    bool gains_less_one;         /* a folder has gains less 1, */
    bool transposed;             /* matrices of layers transposed, */
    bool grouped; /* or the rows of each key head's queries, keys and values together where they are joined */
    const char *object;          /* of a config.json, which holds some of the keys in `config`; NULL: there is none */
    bool hybrid; /* layers attend where layer_types says so, and are rotated if position_embedding_type says so */
    const char *head_norms[2];   /* a folder has a tensor for each head: names of those of queries and of keys, less
                                    ".0.weight"; NULL: one for all */
    const char *layers;          /* before the number of a layer in names of tensors of a folder; NULL: layers */
    const char *joined[2];       /* names of queries, keys and values together, and of gate and up, in a folder, less
                                    .weight or .bias; NULL: as in Phi-3 */
    const char *joined_experts;  /* the same of gate and up of all experts; NULL: they are apart */
    const char *expert_size;     /* key of config.json: the feed-forward size of an expert; NULL: the usual one */
    bool alternate_experts;      /* rows of gate and up alternate there, and matrices are transposed or in MXFP4 */
    bipe_decoder decoder;        /* what its files need not say */
    const char *reads;           /* keys of bipe_decoder_fields that its GGUF files say, apart by spaces */
    const char *scheme;          /* NULL: rope */
    uint32_t full_every;         /* each so-manieth layer has no window; 0: all have one */
    uint32_t bare_every;         /* each so-manieth layer has no positions; 0: none */
    bool bare_without_window;    /* layers without a window have no positions, where others have one */
    bool window_off;             /* files may name a window that its makers' code does not use */
    bool exact_yarn;             /* YaRN's bounds are not rounded, which GGUF files do not say */
    uint32_t usual_window;       /* where the file does not say; 0: none */
    double usual_window_base;
    bool root_embedding;         /* the embedding is multiplied by sqrt(C) */
    bool divided_logits;         /* files have what logits are divided by */
    bool joined_gate_up;         /* GGUF files have the gate in the first rows of ffn_up */
    bool parallel_without_norm;  /* layers without a norm before the feed-forward layer are parallel */
    bipe_role_name two_norms[2][5]; /* by bipe_naming: names where layers have two norms, which they have if the first
                                       layer has the first of these */
    bool own_window_heads;       /* files say head size and key heads of layers with a window, and of others */
    bool keys_may_be_values;     /* in layers without a window */
    uint32_t wide_scale_layers;  /* with so many layers scores are multiplied by 1 / sqrt(C / H) (GGUF) */
    bool interleaved[2];         /* by bipe_naming: pairs that are rotated lie beside each other */
    bipe_role_name names[2][BIPE_FAMILY_NAMES]; /* by bipe_naming, up to a NULL */
} bipe_family;

extern const bipe_family bipe_families[];
/* The biases of all products, which files of any family may have. */
extern const uint64_t bipe_product_biases;
extern const size_t bipe_family_count;
/* The parameters of xIELU in files of other programs: GGUF keys after "xielu.", and tensors after "mlp.act_fn.". */
extern const char *const bipe_xielu_names[NN_XIELU_PARAMETERS];

/* The family of a GGUF architecture, or NULL. */
const bipe_family *bipe_family_of_architecture(const char *name, size_t size);
/* What follows of a family where its files do not say it. */
void bipe_family_complete(const bipe_family *family, const bipe_hyperparameters *hyper, bipe_decoder *decoder);
/* The family of a config.json's model_type, or NULL. */
const bipe_family *bipe_family_of_model_type(const char *name);
/* What goes before the number of a layer in names of tensors. family NULL: any. */
const char *bipe_family_layers(const bipe_family *family, bipe_naming naming);
/* A slot's tensor in files of a family, likewise. two: its layers have two norms. Returns `name`. */
const char *bipe_family_name(const bipe_family *family, const bipe_slot *slot, bipe_naming naming, bool two,
                             char name[BIPE_PARAMETER_NAME]);

#endif
