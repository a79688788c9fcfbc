/* json_added.c - "added_tokens" of a tokenizer.json.
 *
 * The library assigns ids by the text: a string has the model's id, otherwise the next free one. A file with other ids
 * is refused. Empty strings do not count. */
#include "token/json/description.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "token/json/json_members.h"
#include "token/kind.h"

static int read_token(const json_t *object, bipe_json_added *token, bipe_error *err)
{
    static const char *const known[] = {"id",     "content",    "single_word", "lstrip",
                                        "rstrip", "normalized", "special",     NULL};
    const json_t *id = json_object_get(object, "id"), *content = json_object_get(object, "content");
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= BIPE_VOCABULARY_LIMIT ||
        !json_is_string(content))
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an \"id\" below %d and a \"content\"", BIPE_VOCABULARY_LIMIT);
    int status = bipe_json_only(object, known, err);
    token->added.id = (uint32_t)json_integer_value(id);
    token->text = json_string_value(content);
    token->size = json_string_length(content);
    if (status == BIPE_OK)
        status = bipe_json_flag(object, "special", false, &token->special, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(object, "normalized", !token->special, &token->normalized, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(object, "lstrip", false, &token->added.left, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(object, "rstrip", false, &token->added.right, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(object, "single_word", false, &token->added.word, err);
    return status;
}

/* A vocabulary that leaves out ids has fewer entries than its ids reach: the next one may lie among them. */
static int fail_within(const bipe_vocabulary *v, const bipe_json_added *token, bipe_error *err)
{
    size_t size;
    const uint8_t *other = bipe_vocabulary_text(v, token->added.id, &size);
    if (size == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": the id %" PRIu32 " lies in a gap of the vocabulary",
                         token->text, token->added.id);
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": the id %" PRIu32 " is that of \"%.*s\", too", token->text,
                     token->added.id, (int)(size < 40 ? size : 40), (const char *)other);
}

/* next: the id that one gets which the model does not have. */
static int place_token(bipe_vocabulary *v, const bipe_json_added *token, int64_t next, bipe_error *err)
{
    uint32_t id = token->added.id;
    int64_t known = bipe_vocabulary_find(v, token->text, token->size);
    if (id != (known != BIPE_NO_PIECE ? known : next))
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.40s\" has the id %" PRIu32 ", expected %" PRId64, token->text, id,
                         known != BIPE_NO_PIECE ? known : next);
    if (known != BIPE_NO_PIECE)
        return BIPE_OK;
    if (id != v->count)
        return fail_within(v, token, err);
    int status = bipe_vocabulary_append(v, token->text, token->size, err);
    return status == BIPE_OK && bipe_vocabulary_index(v, id) == BIPE_NO_PIECE ? bipe_fail_memory(err) : status;
}

int bipe_json_added_list(const json_t *list, bipe_vocabulary *v, size_t entries, bipe_json_added **tokens,
                         size_t *count, bipe_error *err)
{
    *tokens = NULL;
    *count = 0;
    if (list != NULL && !json_is_null(list) && !json_is_array(list))
        return bipe_fail(err, BIPE_ERR_FORMAT, "added_tokens: expected an array");
    *tokens = bipe_alloc(json_array_size(list), sizeof **tokens);
    if (*tokens == NULL)
        return bipe_fail_memory(err);
    int64_t next = (int64_t)entries;
    for (size_t i = 0; i < json_array_size(list); i++) {
        bipe_json_added *token = &(*tokens)[*count];
        int status = read_token(json_array_get(list, i), token, err);
        if (status == BIPE_OK && token->size != 0)
            status = place_token(v, token, next, err);
        if (status != BIPE_OK) {
            bipe_free(*tokens);
            *tokens = NULL;
            *count = 0;
            return bipe_error_prefix(err, "added_tokens: %zu", i);
        }
        if (token->size == 0)
            continue;
        if (next <= token->added.id)
            next = (int64_t)token->added.id + 1;
        ++*count;
    }
    return BIPE_OK;
}
