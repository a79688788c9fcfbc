/* byte_splits.h - the steps that split a text into pre-tokens, one behind the other, where it comes in pieces: patterns of one's own,
 * sequences of patterns, digits and punctuation apart. Each step goes on where it stopped, so that no more of the text is held than what
 * the end of the next pre-token depends on.
 *
 * For steps whose pre-tokens depend on nothing in front of them. What they leave out is told like all else. The plain twin are the steps
 * themselves. */
#ifndef BIPE_TOKEN_BYTE_SPLITS_H
#define BIPE_TOKEN_BYTE_SPLITS_H

#include "token/pipeline/pipeline.h"

typedef struct bipe_byte_splits bipe_byte_splits;

/* Of pretokenizer[from .. to) of the pipeline. *splits is NULL where one of them is no such step. */
int bipe_byte_splits_open(bipe_byte_splits **splits, const bipe_pipeline *pipeline, size_t from, size_t to, bipe_error *err);
void bipe_byte_splits_close(bipe_byte_splits *splits);

/* A text begins at place `from` of the bytes that are held. */
void bipe_byte_splits_begin(bipe_byte_splits *splits, size_t from);
/* text[from .. *to), which is not empty, is what is there behind the last pre-token (final: the text ends there). *ends: the next one is
 * text[from .. *to), and the next call begins behind it; else it is sure to have these bytes, and more text is needed, from there on or
 * from an earlier place. `to` never decreases from call to call. */
int bipe_byte_splits_next(bipe_byte_splits *splits, const uint8_t *text, size_t from, size_t *to, bool final, bool *ends, bipe_error *err);
/* Whether what was told last is, or is sure to be, of a match of the last step, which has a pattern. */
bool bipe_byte_splits_matches(const bipe_byte_splits *splits);
/* The first bytes are held no more: as many as the next call's `from`, at most. */
void bipe_byte_splits_drop(bipe_byte_splits *splits, size_t size);

#endif
