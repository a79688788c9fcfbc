/* position_tables.h - a scheme made ready for a model: tables of angles, slopes and biases, computed in double and kept
 * in f32. Shared by scoring, training and generation.
 *
 * Index values of a window of L tokens are below L, so every table has a row for each of 0 .. L - 1. */
#ifndef BIPE_MODEL_POSITION_TABLES_H
#define BIPE_MODEL_POSITION_TABLES_H

#include "model/weights.h"

typedef struct bipe_bias_term {
    bipe_position_index index;
    float *slope; /* (H), alibi */
    float *table; /* (H, distances), t5: the bias of each distance; those beyond have the last */
} bipe_bias_term;

typedef struct bipe_position_tables {
    bipe_scheme scheme;
    bipe_rope_scaling scaling;
    size_t width;       /* C */
    size_t heads;       /* H */
    size_t half;        /* pairs of a head that are rotated */
    double base, train_length;
    size_t max_length;
    uint64_t seed;

    bool learned;       /* the table is added at learned_index */
    bipe_position_index learned_index;
    size_t sinusoids;   /* terms that add waves to the input */
    bipe_position_index sinusoid_index[BIPE_SCHEME_TERMS];
    double *wave;       /* ((C + 1) / 2) frequencies of sinusoidal, or NULL */

    bool rotates;
    bipe_position_kind rotation;
    bipe_position_index rotation_index;
    double rotation_factor;
    double *frequency;              /* (half) */
    const float *factors;           /* (half) the model's, or NULL */
    bool keeps_unrotated;           /* pairs that these hardly rotate are not, whatever the scaling */
    const float *long_factors;      /* the same for windows longer than scaling.original */
    float *query_cos, *query_sin;   /* (max_length, half) */
    float *key_cos, *key_sin;       /* the same tables, or xpos's own */
    size_t ready_length;            /* window length that the tables are made for; 0: none yet */

    size_t biases;
    size_t buckets, distances; /* of t5 */
    bipe_bias_term bias[BIPE_SCHEME_TERMS];

    bool log_scale;
    bipe_position_index log_index;
} bipe_position_tables;

/* Resolves scheme and scaling for the model; half: pairs of a head that are rotated. `explicit_scaling`: the user asked
 * for the scaling, so a scheme without rotation is an error. On failure nothing is left to close. */
int bipe_position_tables_open(bipe_position_tables *tables, const bipe_model *model, const bipe_scheme *scheme,
                        const bipe_rope_scaling *scaling, size_t half, double base, bool explicit_scaling,
                        size_t max_length, uint64_t seed, bipe_error *err);
/* The feature that makes angles depend on the window length: "xpos", "randomized-rope" or "dynamic rope scaling"; NULL:
 * none. */
const char *bipe_position_tables_length_matters(const bipe_position_tables *tables);
/* Makes the tables right for windows of `length` tokens; cheap when they are. */
void bipe_position_tables_prepare(bipe_position_tables *tables, size_t length);
/* Takes over a t5 table (buckets, H) that has changed. */
void bipe_position_tables_set_t5(bipe_position_tables *tables, const float *learnt);
/* The frequencies of pairs of a head (size / 2), scaled by anything but dynamic and factors. train_length: what yarn
 * goes by where it does not say. */
void bipe_rope_frequencies(const bipe_rope_scaling *scaling, double base, double train_length, size_t head_size,
                           double *frequency);
/* What yarn multiplies cos and sin by for a factor of lengths; scale: 1, or what a config.json calls mscale. */
double bipe_yarn_magnitude(double factor, double scale);
/* What a scaling multiplies cos and sin by. */
double bipe_rope_magnitude(const bipe_rope_scaling *scaling);
/* Bucket of a distance, the row of a t5 table of so many. */
size_t bipe_t5_bucket(size_t distance, size_t buckets);
/* Adds the waves of sinusoidal for index value `at` to x (C). */
void bipe_position_tables_add_wave(const bipe_position_tables *tables, uint32_t at, float *x);
/* The factor by which log_scale multiplies a query. */
float bipe_position_tables_log_factor(const bipe_position_tables *tables, uint32_t at);
void bipe_position_tables_close(bipe_position_tables *tables);

#endif
