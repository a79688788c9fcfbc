/* pipeline_flow.h - one chunk of a document that is too long to be held: it goes through the steps of a pipeline in pieces. What comes out
 * is what the steps give for the whole. */
#ifndef BIPE_TOKEN_PIPELINE_FLOW_H
#define BIPE_TOKEN_PIPELINE_FLOW_H

#include "token/pipeline/pipeline.h"

typedef struct bipe_pipeline_flow bipe_pipeline_flow;

/* What gets what comes out. Places count as those of the bytes that were given. */
typedef struct bipe_flow_sink {
    void *context;
    /* Pre-tokens. text->joined: the first goes on with the last one before, which is open; opens: the last is open. */
    int (*pieces)(void *context, const bipe_mapped *text, const bipe_ranges *pieces, bool opens, bipe_error *err);
    /* The text ends, and with it what is open. */
    int (*ends)(void *context, bipe_error *err);
    /* An added token, found in the normalized text. */
    int (*added)(void *context, uint32_t start, uint32_t end, uint32_t id, bipe_error *err);
} bipe_flow_sink;

/* Whether all steps can do that. Where added tokens must be looked for in the whole of a normalized text, that is held. */
bool bipe_pipeline_flows(const bipe_pipeline *pipeline);

/* Between calls: gives back memory of what has gone on. */
void bipe_pipeline_flow_trim(bipe_pipeline_flow *flow);
int bipe_pipeline_flow_open(bipe_pipeline_flow **flow, const bipe_pipeline *pipeline, bipe_flow_sink sink, bipe_error *err);
void bipe_pipeline_flow_close(bipe_pipeline_flow *flow);

/* A text between two added tokens begins. base: where place 0 is in the document; first: as in bipe_mapped; fresh: a normalized added token
 * stands right before it. */
void bipe_pipeline_flow_begin(bipe_pipeline_flow *flow, uint64_t base, bool first, bool fresh);
/* The next bytes of it, of which the first stands for `place`. last: it ends with them. BIPE_ERR_LIMIT: more belongs together than may be
 * held. */
int bipe_pipeline_flow_feed(bipe_pipeline_flow *flow, const uint8_t *bytes, size_t size, uint32_t place, bool last, bipe_error *err);
/* Whether more comes out before it may be fed again or is over: */
bool bipe_pipeline_flow_owes(const bipe_pipeline_flow *flow);
/* some of that. */
int bipe_pipeline_flow_go_on(bipe_pipeline_flow *flow, bipe_error *err);
/* When the text is over: what the next one is to know as `fresh`; `before`: what this one knew. */
bool bipe_pipeline_flow_fresh(const bipe_pipeline_flow *flow, bool before);
/* The place of the first byte that is held, at most `place`. */
uint32_t bipe_pipeline_flow_first(const bipe_pipeline_flow *flow, uint32_t place);
/* From now on that is place 0. */
void bipe_pipeline_flow_move(bipe_pipeline_flow *flow, uint32_t delta);

#endif
