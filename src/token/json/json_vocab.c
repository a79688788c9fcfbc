/* json_vocab.c - "vocab" of a model of a tokenizer.json: an object of ids by string, from its text (json_lists.h) or its tree. */
#include <string.h>

#include "base/alloc.h"
#include "token/json/json_lists.h"
#include "token/kind.h"

int bipe_json_vocab(const bipe_json_lists *lists, const json_t *vocab, bipe_json_string **text, size_t *count, bipe_error *err)
{
    *text = NULL;
    if (lists != NULL && lists->has_vocab) {
        *count = lists->count;
        *text = bipe_alloc(*count, sizeof **text);
        if (*text == NULL)
            return bipe_fail_memory(err);
        memcpy(*text, lists->text, *count * sizeof **text);
        return BIPE_OK;
    }
    if (!json_is_object(vocab))
        return bipe_fail(err, BIPE_ERR_FORMAT, "no object \"vocab\"");
    json_t *object = (json_t *)(uintptr_t)vocab; /* iterating changes nothing */
    size_t size = json_object_size(vocab), limit = 4 * size + 65536;
    if (size > BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "vocab: %zu entries, expected at most %d", size, BIPE_VOCABULARY_LIMIT);
    if (limit > BIPE_VOCABULARY_LIMIT)
        limit = BIPE_VOCABULARY_LIMIT;
    *count = 0;
    for (void *i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        const json_t *id = json_object_iter_value(i);
        json_int_t value = json_integer_value(id);
        if (!json_is_integer(id) || value < 0 || (uint64_t)value >= limit)
            return bipe_fail(err, BIPE_ERR_FORMAT, "vocab: \"%.40s\" has no id of 0 to %zu", json_object_iter_key(i), limit - 1);
        if ((size_t)value >= *count)
            *count = (size_t)value + 1;
    }
    *text = bipe_alloc(*count, sizeof **text);
    if (*text == NULL)
        return bipe_fail_memory(err);
    for (void *i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        bipe_json_string *place = &(*text)[json_integer_value(json_object_iter_value(i))];
        if (place->text != NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "vocab: \"%.40s\" and \"%.40s\" have the same id: it stands for no one string", place->text, json_object_iter_key(i));
        *place = (bipe_json_string){json_object_iter_key(i), strlen(json_object_iter_key(i))};
    }
    return BIPE_OK;
}
