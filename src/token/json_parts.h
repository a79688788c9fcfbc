/* json_parts.h - the parts of a tokenizer.json, each read by a file of its own, and small helpers for JSON. */
#ifndef BIPE_TOKEN_JSON_PARTS_H
#define BIPE_TOKEN_JSON_PARTS_H

#include <jansson.h>
#include <string.h>

#include "token/bpe.h"
#include "token/json_lists.h"

/* "model": vocabulary, merges, what unknown characters become (bpe_json_model.c). lists: those of the file. */
int bipe_json_model_read(bipe_bpe *bpe, const json_t *model, const bipe_json_lists *lists, bipe_error *err);
/* "normalizer" (bpe_json_normalizer.c); null is none. */
int bipe_json_normalizer_read(bipe_normalizer *normalizer, const json_t *json, bipe_error *err);
/* Instead of it, the pre-tokenizer Metaspace. BIPE_ERR_UNSUPPORTED where it splits. */
int bipe_json_metaspace_read(bipe_normalizer *normalizer, const json_t *pre_tokenizer, bipe_error *err);
/* "added_tokens" (bpe_json_added.c), after model and normalizer. special: those marked special are found in text too. */
int bipe_json_added_read(bipe_bpe *bpe, const json_t *added, bool special, bipe_error *err);

/* The whole (tokenizer_json.c), without what lists has; what is needed to write it is not kept. */
int bipe_tokenizer_json_make(bipe_tokenizer *tokenizer, const json_t *root, const bipe_json_lists *lists, bipe_error *err);

/* What is wrong with merging by chance, which each text would have other tokens with each time. */
#define BIPE_JSON_DROPOUT "dropout %g: merges are left out by chance, expected null or 0"

/* The member `type` of an object; "" when there is none. */
static inline const char *bipe_json_type(const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    return type != NULL ? type : "";
}

/* Member `name` as true or false; missing or null is `missing`. */
static inline int bipe_json_bool(const json_t *object, const char *name, bool missing, bool *value, bipe_error *err)
{
    const json_t *member = json_object_get(object, name);
    *value = missing;
    if (json_is_boolean(member))
        *value = json_is_true(member);
    else if (member != NULL && !json_is_null(member))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected true or false", name);
    return BIPE_OK;
}

/* Refuses members that are not in `known` (ended by NULL): what they change is not known. */
static inline int bipe_json_only(const json_t *object, const char *const *known, bipe_error *err)
{
    for (void *i = json_object_iter((json_t *)(uintptr_t)object); i != NULL;
         i = json_object_iter_next((json_t *)(uintptr_t)object, i)) {
        const char *name = json_object_iter_key(i);
        size_t k = 0;
        while (known[k] != NULL && strcmp(known[k], name) != 0)
            k++;
        if (known[k] == NULL)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "member %.60s", name);
    }
    return BIPE_OK;
}

#endif
