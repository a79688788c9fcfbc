/* architecture.h - what a decoder computes beside the sizes of <bipe/score.h>: one description, which the forward pass
 * reads whatever family the model is of. Rows of families.c fill it; files say the rest. */
#ifndef BIPE_MODEL_ARCHITECTURE_H
#define BIPE_MODEL_ARCHITECTURE_H

#include <bipe/score.h>

#include "nn/nn.h"

/* Layers with a kind of their own are among the first of so many. */
enum { BIPE_KIND_LAYERS = 1024 };
/* Experts of a layer, and of all layers, at most. */
enum { BIPE_EXPERTS_MOST = 1024, BIPE_ALL_EXPERTS_MOST = 1 << 17 };

/* What a layer may be, bits. */
typedef enum bipe_layer_kind {
    BIPE_LAYER_WINDOW = 1,      /* queries see the last decoder.window tokens */
    BIPE_LAYER_NO_POSITIONS = 2, /* nothing is rotated, and no distance counts */
    BIPE_LAYER_KEYS_ARE_VALUES = 4 /* what keys are made of, before norms and positions, are the values */
} bipe_layer_kind;

#define BIPE_ROLE_BIT(role) ((uint64_t)1 << (role))

typedef struct bipe_decoder {
    uint64_t roles;           /* bits of bipe_role: the parameters that it has of those that some have and some not. A
                                 norm is there if its gain is; a feed-forward layer has a gate or none */
    nn_activation activation;
    bool layer_norm;          /* norms are LayerNorm (Ba et al. 2016), else RMSNorm */
    bool row_norms;           /* queries of all heads have one norm together, and so have keys; else each head */
    bool own_norms;           /* each head of them has a gain of its own */
    bool value_norms;         /* the values of each head have an RMSNorm without a gain */
    bool parallel;            /* the feed-forward layer gets what attention gets, not what it makes of it */
    uint32_t rotary;          /* values of a head that are rotated, the first ones; 0: all */
    double embedding_scale;   /* what the embedding is multiplied by, */
    double residual_scale;    /* what attention and feed-forward layers add, */
    double logit_scale;       /* and logits; 1: nothing */
    double attention_scale;   /* of scores; 0: 1 / sqrt(D) */
    double attention_cap;     /* c tanh(score / c); 0: none */
    double logit_cap;         /* the same of logits, after their scale */
    double clip;              /* queries, keys and values are cut to -clip .. clip; 0: not */
    double alibi_most;        /* slopes are 2^(-most (h + 1) / H); 0: 8 */
    uint32_t t5_buckets;      /* rows of the t5 table, an even number; 0: 32 */
    double temperature;       /* queries are multiplied by 1 + temperature ln(1 + floor(index / temperature_length)) */
    uint32_t temperature_length;
    uint32_t window;          /* of layers with BIPE_LAYER_WINDOW; 0: there are none */
    double window_base;       /* of rope in these layers; 0: as elsewhere */
    uint32_t experts;         /* of each feed-forward layer (Shazeer et al. 2017); 0: it is dense. The router's logits
                                 choose those that a token goes to, */
    uint32_t experts_used;    /* so many: the largest, the first of equals; what these give is added up, weighted by */
    bool experts_normalized;  /* the softmax of the chosen logits, else by that of all of them */
    uint32_t shared;          /* S: size of an expert that all tokens go to; 0: none */
    bool window_unscaled;     /* rope's scaling does not apply to them */
    uint32_t window_head;     /* head size of these layers, */
    uint32_t window_kv_heads; /* and their key heads; 0: as elsewhere */
    uint8_t layer[BIPE_KIND_LAYERS]; /* bits of bipe_layer_kind */
} bipe_decoder;

/* RMSNorm before attention and before a gated feed-forward layer (SiLU), and nothing else: Llama's. */
extern const bipe_decoder bipe_decoder_plain;
/* That of a model, or the plain one. */
const bipe_decoder *bipe_decoder_of(const bipe_hyperparameters *hyper);

static inline bool bipe_decoder_has(const bipe_decoder *decoder, int role)
{
    return (decoder->roles & BIPE_ROLE_BIT(role)) != 0;
}
static inline unsigned bipe_layer_kind_of(const bipe_decoder *decoder, size_t layer)
{
    return layer < BIPE_KIND_LAYERS ? decoder->layer[layer] : 0;
}
/* What the heads of a layer are like. */
typedef struct bipe_heads {
    size_t size, key_heads; /* D, G */
    size_t wide, narrow;    /* H * D, G * D */
    size_t group;           /* H / G */
} bipe_heads;
bipe_heads bipe_heads_of(const bipe_hyperparameters *hyper, size_t layer);
/* The largest of each, of layers with a window and without. */
bipe_heads bipe_heads_most(const bipe_hyperparameters *hyper);

/* Rows of the t5 table: distances below half of them have their own, those from four times their number on share the
 * last. */
enum { BIPE_T5_BUCKETS = 32, BIPE_T5_BUCKETS_MOST = 1 << 20, BIPE_T5_FARTHEST = 4 };
size_t bipe_t5_buckets(const bipe_hyperparameters *hyper);

/* Values of a head that are rotated, in layers with a window or without. */
size_t bipe_rotary_size(const bipe_hyperparameters *hyper);
/* Gives the layers their kinds: each full_every-th has no window (0: all have one), each bare_every-th no positions (0:
 * none), or those without a window where others have one. */
void bipe_decoder_set_windows(bipe_decoder *decoder, uint32_t layers, uint32_t full_every);
void bipe_decoder_set_bare(bipe_decoder *decoder, uint32_t layers, uint32_t bare_every, bool without_window);
/* Roles of the plain decoder that a native file says it lacks, by the names of tensors of a layer, apart by spaces. */
uint64_t bipe_decoder_roles_named(const char *names);
/* Whether it is the plain one but for biases of products and norms of heads: which is written for other programs. */
bool bipe_decoder_is_plain(const bipe_hyperparameters *hyper);
/* What all decoders of the i-th family (bipe_family_at) have. */
void bipe_family_decoder(size_t i, bipe_decoder *decoder);
/* Whether src/train has the gradient of each of its parameters; else `lacking` says what has none (trained.c). */
enum { BIPE_LACKING_TEXT = 96 };
bool bipe_decoder_trains(const bipe_hyperparameters *hyper, char lacking[BIPE_LACKING_TEXT]);
/* Gives a decoder with experts the roles that these have. */
void bipe_decoder_add_experts(bipe_decoder *decoder);
/* What must hold of it, whatever file it comes from. BIPE_ERR_FORMAT, BIPE_ERR_UNSUPPORTED. */
int bipe_decoder_check(const bipe_hyperparameters *hyper, bipe_error *err);

/* ---- its fields by name: keys of GGUF files, and of ours ---- */

typedef enum bipe_field_kind { BIPE_FIELD_NUMBER, BIPE_FIELD_COUNT, BIPE_FIELD_FLAG, BIPE_FIELD_ACTIVATION }
    bipe_field_kind;

typedef struct bipe_decoder_field {
    const char *key;          /* less the architecture's name */
    const char *harmless;     /* values that say nothing, as in known_keys.h */
    bipe_field_kind kind;
    size_t offset;            /* in bipe_decoder */
} bipe_decoder_field;

extern const bipe_decoder_field bipe_decoder_fields[];
extern const size_t bipe_decoder_field_count;
/* Whether it is not as in the plain one. */
bool bipe_decoder_field_differs(const bipe_decoder *decoder, const bipe_decoder_field *field);
/* "silu", ...; `activation` of a name that nobody knows stays as it is, and false is returned. */
const char *bipe_activation_name(nn_activation activation);
bool bipe_activation_find(const char *name, nn_activation *activation);
/* How it differs from the plain one, but for biases and norms of heads, for people: "LayerNorm; a window of 512 tokens
 * in 5 of 6 layers". Returns `text`; empty where it does not. */
enum { BIPE_DECODER_TEXT = 640 };
const char *bipe_decoder_describe(const bipe_hyperparameters *hyper, char text[BIPE_DECODER_TEXT]);

#endif
