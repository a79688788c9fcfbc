/* json_parts.h - the parts of a tokenizer.json that streams by its vocabulary, each read by a file of its own. */
#ifndef BIPE_TOKEN_JSON_PARTS_H
#define BIPE_TOKEN_JSON_PARTS_H

#include <jansson.h>

#include "token/json/description.h"
#include "token/json/json_members.h"
#include "token/spm/bpe.h"

/* "model": vocabulary, merges, what unknown characters become (bpe_json_model.c). */
int bipe_json_model_read(bipe_bpe *bpe, const bipe_description *description, bipe_error *err);
/* "normalizer" (bpe_json_normalizer.c); null is none. */
int bipe_json_normalizer_read(bipe_normalizer *normalizer, const json_t *json, bipe_error *err);
/* Instead of it, the pre-tokenizer Metaspace. BIPE_ERR_UNSUPPORTED where it splits. */
int bipe_json_metaspace_read(bipe_normalizer *normalizer, const json_t *pre_tokenizer, bipe_error *err);
/* "added_tokens" (bpe_json_added.c), after model and normalizer. special: those marked special are found in text too. */
int bipe_json_added_read(bipe_bpe *bpe, const json_t *added, bool special, bipe_error *err);

/* The tokenizer that is described (tokenizer_json.c); what is needed to write it is not kept. */
int bipe_description_make(const bipe_description *description, bipe_tokenizer *tokenizer, bipe_error *err);

#endif
