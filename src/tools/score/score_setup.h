/* score_setup.h - what is scored and how: the choices of options, combinations, the setup, and settings as members
 * and lines. */
#ifndef BIPE_TOOLS_SCORE_SCORE_SETUP_H
#define BIPE_TOOLS_SCORE_SCORE_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "cli/options.h"
#include "cli/result_file.h"
#include "cli/shard.h"
#include "cli/tool_model.h"
#include "measure/key_tokens.h"
#include "measure/protocol.h"
#include "model/model.h"

/* The index of --by. */
typedef enum bipe_score_by {
    BIPE_SCORE_BY_NONE, BIPE_SCORE_BY_TOKEN, BIPE_SCORE_BY_SEGMENT, BIPE_SCORE_BY_INTRA
} bipe_score_by;

extern const char *const bipe_score_by_names[];        /* by bipe_score_by less 1, then NULL */
extern const char *const bipe_score_probe_names[];     /* passkey, NULL */
extern const char *const bipe_score_pack_names[];      /* stream, line, NULL */
extern const char *const bipe_score_without_names[];   /* intra, inter, NULL */

/* A model with a segmenter: what is compared. */
typedef struct bipe_score_combination {
    const char *model_name;         /* as it was given */
    const char *model_path;         /* the same, with "default" resolved */
    const bipe_hyperparameters *hyperparameters;
    bipe_scheme scheme;             /* the one in use, not always the model's */
    bipe_rope_scaling scaling;
    const char *tokenizer, *segmenter;
    int64_t bos_id;                 /* of the tokenizer, or BIPE_NO_TOKEN */
    bool shared;                    /* windows that start together share their beginning */
    size_t model;                   /* its number in the run */
    size_t text;                    /* combinations with the same number see the same tokens */
    size_t closes;                  /* the segmenter's number in the spool of the text */
} bipe_score_combination;

/* --key-tokens and --key-spans. */
typedef struct bipe_score_key_setup {
    bool wanted;
    bipe_key_rule rule;
    const char *from;               /* the model that finds key tokens */
    const char *spans;              /* where they are read instead; NULL: they are found */
} bipe_score_key_setup;

/* The setup of a run, fixed once the models are open; options write some of it. Pointers belong to the caller. */
typedef struct bipe_score_setup {
    bipe_tool *tool;                /* whose record goes into JSON */
    bipe_score_combination *combination; /* (combinations); the others are compared with the first */
    size_t combinations;
    const bipe_sizes *lengths;
    bipe_window_rules rules;
    int pack;                       /* of bipe_score_pack_names; rules.lines says the same */
    bool common;                    /* only tokens that are scored at every length count */
    const char *loss_after;         /* only what follows a match of it counts; NULL: everything */
    bipe_precision precision;
    uint64_t seed;
    bipe_score_by by;
    const char *group;              /* the member of records that groups them; NULL: none */
    const char *power;              /* the difference to be found (cli/power.h); NULL: not asked for */
    const char *cluster;            /* by what errors are clustered (cli/clusters.h); NULL: they are not */
    uint64_t contrast;              /* tokens of the short context that losses are contrasted with; 0: none */
    bool divergence;                /* from the predictions of the first combination */
    bipe_score_key_setup key;
    bipe_shard shard;               /* count 0: not given */
    uint64_t identity;              /* of a shard: a hash of all that the shards of its run have in common */
    size_t file_count;
    size_t file_width;              /* columns for file names: bipe_score_widen() */
} bipe_score_setup;

/* The identity of a text under one tokenizer and its segmenters. */
typedef struct bipe_score_text {
    uint64_t hash, tokens;
} bipe_score_text;

/* The members about the first model alone, its tokenizer and its segmenter. */
void bipe_score_model_json(const bipe_score_setup *setup, bipe_json *json);
/* The settings as members of a result, and back from one: all of the setup but combinations, and a combination, whose
 * texts then belong to the result. */
void bipe_score_settings_json(const bipe_score_setup *setup, bipe_json *json);
void bipe_score_setup_load(bipe_score_setup *setup, bipe_result *result, const json_t *root);
void bipe_score_combination_load(bipe_score_combination *combination, bipe_hyperparameters *hyperparameters,
                                 bipe_result *result, const json_t *object);
/* What digits depend on, "set NAME VALUE" a line, values without blanks and control characters. state: also size and
 * time of the models' files. */
void bipe_score_settings(const bipe_score_setup *setup, bool state, bipe_output *lines);

#endif
