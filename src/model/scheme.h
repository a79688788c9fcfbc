/* scheme.h - position schemes: <bipe/score.h> has their types and the parser. */
#ifndef BIPE_MODEL_SCHEME_H
#define BIPE_MODEL_SCHEME_H

#include <bipe/score.h>

#include "model/indices.h"

/* Short names and kinds, each of which is a scheme; then NULL. */
extern const char *const bipe_scheme_words[];

/* The short name where there is one, else the terms. `text`: 256 bytes. */
const char *bipe_scheme_format(const bipe_scheme *scheme, char text[256]);
/* Whether a term rotates pairs of values: heads then have an even number of them. */
bool bipe_scheme_rotates(const bipe_scheme *scheme);
/* Whether a term is on another than the token index: else segments change nothing. */
bool bipe_scheme_uses_segments(const bipe_scheme *scheme);
/* The levels of segments that it needs: 0 where it needs no segments. */
size_t bipe_scheme_levels(const bipe_scheme *scheme);
/* Drops the terms on the intra index, or those on the others. */
void bipe_scheme_remove(bipe_scheme *scheme, bool intra);
/* "none", "linear:F", "dynamic:F", "yarn:F[:ORIGINAL][:SETTING=VALUE]...", "llama3:F:LOW:HIGH:ORIGINAL"; "factors" is
 * only written. Settings of yarn are named as in a config.json: attention_factor, beta_fast, beta_slow,
 * truncate=false. */
int bipe_rope_scaling_parse(bipe_rope_scaling *scaling, const char *text, bipe_error *err);
enum { BIPE_SCALING_TEXT = 256 };
const char *bipe_rope_scaling_format(const bipe_rope_scaling *scaling, char text[BIPE_SCALING_TEXT]);
/* Settles low and high of yarn: one that is 0 is the usual one, and both are 0 where both are the usual ones. */
void bipe_yarn_complete(bipe_rope_scaling *scaling);
/* The kind's name alone. */
const char *bipe_rope_scaling_name(const bipe_rope_scaling *scaling);

#endif
