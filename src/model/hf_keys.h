/* hf_keys.h - the keys of a config.json, of which none may pass unread. Internal to src/model. */
#ifndef BIPE_MODEL_HF_KEYS_H
#define BIPE_MODEL_HF_KEYS_H

#include <jansson.h>

#include "base/status.h"
#include "model/family.h"

/* Where a key stands: at the top (of what describes the text model), or in rope_scaling or rope_parameters, by the kind
 * of scaling. */
typedef enum bipe_hf_location {
    BIPE_HF_TOP = 1,
    BIPE_HF_DEFAULT = 2,
    BIPE_HF_LINEAR = 4,
    BIPE_HF_DYNAMIC = 8,
    BIPE_HF_YARN = 16,
    BIPE_HF_LLAMA3 = 32,
    BIPE_HF_LONGROPE = 64,
    BIPE_HF_PROPORTIONAL = 128,
    BIPE_HF_OUTER = 256         /* at the top, with the text model in text_config */
} bipe_hf_location;

/* Refuses keys of `object` that are not known at the location, or change what is computed: BIPE_ERR_UNSUPPORTED. The
 * family's own keys, where there is one, go before the others. `within`: "", or the name of the object with a full
 * stop. null counts as no value. */
int bipe_hf_keys_check(json_t *object, bipe_hf_location location, const bipe_family *family, const char *within,
                       bipe_error *err);

#endif
