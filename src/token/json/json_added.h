/* json_added.h - "added_tokens" of a tokenizer.json, with their ids: the same for every kind of model. */
#ifndef BIPE_TOKEN_JSON_ADDED_H
#define BIPE_TOKEN_JSON_ADDED_H

#include <jansson.h>

#include "token/added_set.h"
#include "token/vocabulary.h"

/* One of them. */
typedef struct bipe_json_added {
    const char *text; /* of the tree; not empty */
    size_t size;
    bipe_added added;
    bool special, normalized;
} bipe_json_added;

/* Appends the string of the next id to the vocabulary. */
typedef int bipe_json_new_id(void *context, const char *text, size_t size, bipe_error *err);

/* The list "added_tokens"; null is an empty one. entries: of the model's vocabulary. (*tokens)[*count] is released with bipe_free(), none when it
 * fails. BIPE_ERR_FORMAT: an id is not that which the library would give; BIPE_ERR_UNSUPPORTED: it lies in a gap of
 * the vocabulary, or another string has it. */
int bipe_json_added_list(const json_t *list, bipe_vocabulary *vocabulary, size_t entries, bipe_json_new_id *new_id, void *context,
                         bipe_json_added **tokens, size_t *count, bipe_error *err);

#endif
