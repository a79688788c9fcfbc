/* scheme.h - position schemes: which index feeds which kind of positional information.
 *
 * A scheme is "none" or terms KIND@INDEX[*K] joined by "+", or a short name (spec.md, section 4;
 * He et al. 2024 for the bilevel ones). The index of a token is its place in the window (token), the number of
 * segments ended before it in the window (segment), or its place in its segment (intra). */
#ifndef BIPE_MODEL_SCHEME_H
#define BIPE_MODEL_SCHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_position_kind {
    BIPE_LEARNED,         /* table added to the input; an index past the table uses its last row */
    BIPE_SINUSOIDAL,      /* Vaswani et al. 2017, interleaved sine and cosine */
    BIPE_ROPE,            /* Su et al. 2021, half-split pairs */
    BIPE_XPOS,            /* Sun et al. 2023 */
    BIPE_ALIBI,           /* Press et al. 2022; factor multiplies the slopes */
    BIPE_T5,              /* Raffel et al. 2020 */
    BIPE_RANDOMIZED_ROPE  /* Ruoss et al. 2023; factor times the training length is the range */
} bipe_position_kind;

typedef enum bipe_position_index { BIPE_INDEX_TOKEN, BIPE_INDEX_SEGMENT, BIPE_INDEX_INTRA } bipe_position_index;

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
    BIPE_SCALING_FACTORS /* by the table that the model has */
} bipe_scaling_kind;

typedef struct bipe_rope_scaling {
    bipe_scaling_kind kind;
    double factor;     /* F > 0 */
    uint64_t original; /* tokens; yarn: 0 is the training length */
    double low, high;  /* llama3: wavelengths above original / low are stretched by F, those below original / high kept; high > low > 0 */
} bipe_rope_scaling;

/* BIPE_ERR_ARGUMENT names the term and what was expected. Two terms that rotate, or two that add a learned
 * table, make no sense and are refused. */
int bipe_scheme_parse(bipe_scheme *scheme, const char *text, bipe_error *err);
/* The short name where there is one, else the terms. `text`: 256 bytes. */
const char *bipe_scheme_format(const bipe_scheme *scheme, char text[256]);
/* Whether a term rotates pairs of values: heads then have an even number of them. */
bool bipe_scheme_rotates(const bipe_scheme *scheme);
/* Drops the terms on the intra index, or those on the others. */
void bipe_scheme_remove(bipe_scheme *scheme, bool intra);
/* "none", "linear:F", "dynamic:F", "yarn:F[:ORIGINAL]", "llama3:F:LOW:HIGH:ORIGINAL"; "factors" is only written. */
int bipe_rope_scaling_parse(bipe_rope_scaling *scaling, const char *text, bipe_error *err);
enum { BIPE_SCALING_TEXT = 128 };
const char *bipe_rope_scaling_format(const bipe_rope_scaling *scaling, char text[BIPE_SCALING_TEXT]);
/* The kind's name alone. */
const char *bipe_rope_scaling_name(const bipe_rope_scaling *scaling);

#ifdef __cplusplus
}
#endif
#endif
