/* merge_borders.h - the places of a pre-token that no merge can reach across, as a step after a pipeline's pre-tokenizers: what is between
 * them is encoded by itself, and found in the cache of words. Without it a text that no step splits is one row of merges. */
#ifndef BIPE_TOKEN_MERGE_BORDERS_H
#define BIPE_TOKEN_MERGE_BORDERS_H

#include "token/pipeline/merge_model.h"

/* Appends the step for the pipeline's model, which is made and merges characters. Where it cannot be told, or something else than merges
 * is made of a pre-token (affixes, ignore_merges), there is none. */
int bipe_merge_borders_add(bipe_pipeline *pipeline, const bipe_merge_model *model, bipe_error *err);

#endif
