/* hf_text_config.h - the text model within the config.json of a model of texts, images and sounds. Internal to
 * src/model. */
#ifndef BIPE_MODEL_HF_TEXT_CONFIG_H
#define BIPE_MODEL_HF_TEXT_CONFIG_H

#include <jansson.h>

#include "base/status.h"
#include "model/family.h"

/* *text: the object that describes the text model: `root`, or its text_config where model_type says that this is how
 * such a model is described. It then gets the keys of `root` that concern it. *towers: bits of bipe_tower.
 * BIPE_ERR_FORMAT, BIPE_ERR_UNSUPPORTED. */
int bipe_hf_text_config(json_t *root, json_t **text, unsigned *towers, bipe_error *err);
/* Whether a tensor, by its name less wrappers (hf_names.h), is of one of these towers. */
bool bipe_hf_of_tower(const char *name, unsigned towers);

#endif
