/* json_members.h - small helpers for the members of JSON objects, and their errors. */
#ifndef BIPE_TOKEN_JSON_MEMBERS_H
#define BIPE_TOKEN_JSON_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

/* The member `type` of an object; "" when there is none. */
static inline const char *bipe_json_type(const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    return type != NULL ? type : "";
}

/* Whether a member is missing or null. */
static inline bool bipe_json_is_null(const json_t *member)
{
    return member == NULL || json_is_null(member);
}

/* Member `name` as true or false; missing or null is `missing`. */
static inline int bipe_json_flag(const json_t *object, const char *name, bool missing, bool *value, bipe_error *err)
{
    const json_t *member = json_object_get(object, name);
    *value = missing;
    if (json_is_boolean(member))
        *value = json_is_true(member);
    else if (member != NULL && !json_is_null(member))
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected true or false", name);
    return BIPE_OK;
}

/* Refuses members that are not in `known` (NULL-terminated), since their effect is unknown. */
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

/* Refuses dropout, which leaves out merges at random, so that tokens of a text vary. */
static inline int bipe_json_no_dropout(const json_t *model, bipe_error *err)
{
    const json_t *dropout = json_object_get(model, "dropout");
    if (bipe_json_is_null(dropout) || (json_is_number(dropout) && json_number_value(dropout) == 0))
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "dropout %g: merges are left out by chance, expected null or 0",
                     json_number_value(dropout));
}

#endif
