/* bpe_json_added.c - "added_tokens" of a tokenizer.json: strings that are found before the model sees the text.
 *
 * Those marked special count only when the user asked for it; otherwise they are text, but still hide what overlaps
 * them, as in the library (its `encode_special_tokens`). */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "token/files/json_parts.h"

typedef struct added_token {
    const char *text;
    size_t size;
    uint32_t id;
    bool special, normalized, left, right, word; /* lstrip, rstrip, single_word */
} added_token;

static int read_token(const json_t *object, added_token *token, bipe_error *err)
{
    static const char *const known[] = {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special", NULL};
    const json_t *id = json_object_get(object, "id"), *content = json_object_get(object, "content");
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= BIPE_VOCABULARY_LIMIT ||
        !json_is_string(content) || json_string_length(content) == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "expected an \"id\" below %d and a \"content\"", BIPE_VOCABULARY_LIMIT);
    int status = bipe_json_only(object, known, err);
    token->id = (uint32_t)json_integer_value(id);
    token->text = json_string_value(content);
    token->size = json_string_length(content);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "special", false, &token->special, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "normalized", !token->special, &token->normalized, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "lstrip", false, &token->left, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "rstrip", false, &token->right, err);
    if (status == BIPE_OK)
        status = bipe_json_bool(object, "single_word", false, &token->word, err);
    return status;
}

/* Gives the token its place among the ids: the one of the model, or the one behind all that the library would give it.
 * model_size: entries of the model's vocabulary; *largest: the largest id of an added token so far, or -1. */
static int place_token(bipe_bpe *bpe, const added_token *token, size_t model_size, int64_t *largest, bipe_error *err)
{
    int64_t known = bipe_vocabulary_find(&bpe->vocabulary, token->text, token->size);
    int64_t expected = known != BIPE_NO_PIECE ? known
                       : *largest >= (int64_t)model_size ? *largest + 1
                                                         : (int64_t)model_size;
    if (expected != token->id)
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%.40s\" has the id %" PRIu32 ", expected %" PRId64, token->text, token->id,
                         expected);
    if (known == BIPE_NO_PIECE) {
        if (token->id != bpe->vocabulary.count)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": the id %" PRIu32 " lies in a gap of the vocabulary", token->text,
                             token->id);
        int status = bipe_bpe_add_piece(bpe, token->text, token->size, BIPE_PIECE_USER, 0, err);
        if (status != BIPE_OK)
            return status;
        if (bipe_vocabulary_index(&bpe->vocabulary, token->id) == BIPE_NO_PIECE)
            return bipe_fail_memory(err);
    }
    if (*largest < token->id)
        *largest = token->id;
    if (bpe->unk != token->id)
        bpe->type[token->id] = token->special ? BIPE_PIECE_CONTROL : BIPE_PIECE_USER;
    return BIPE_OK;
}

static int match_token(bipe_bpe *bpe, const added_token *token, bool counts, bipe_error *err)
{
    uint32_t value = counts ? token->id : (uint32_t)BIPE_MATCH_TEXT;
    bipe_added added = {.id = token->id, .text = !counts, .left = token->left, .right = token->right, .word = token->word};
    if (!token->normalized)
        return bipe_added_set_add(&bpe->raw, (const uint8_t *)token->text, token->size, added, err);
    if (counts && (token->left || token->right || token->word))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": lstrip, rstrip or single_word of a normalized token", token->text);
    bipe_buffer text = {0};
    int status = bipe_normalizer_apply(&bpe->normalizer, (const uint8_t *)token->text, token->size, &text, err);
    if (status == BIPE_OK && text.size == 0 && counts)
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": normalizing leaves nothing of it", token->text);
    if (status == BIPE_OK)
        status = bipe_matcher_add(&bpe->inside, text.data, text.size, value, err);
    bipe_buffer_free(&text);
    return status;
}

/* Special tokens go first, as in the library: of two that look the same after normalizing the first counts. */
static int match_tokens(bipe_bpe *bpe, const added_token *tokens, size_t count, bool special, bipe_error *err)
{
    bool needed[2] = {false, false}; /* raw, normalized: whether any token there counts */
    for (size_t i = 0; i < count; i++)
        if (special || !tokens[i].special)
            needed[tokens[i].normalized] = true;
    int status = BIPE_OK;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; status == BIPE_OK && i < count; i++)
            if (tokens[i].special == (pass == 0) && needed[tokens[i].normalized])
                status = match_token(bpe, &tokens[i], special || !tokens[i].special, err);
    bpe->raw_units = bipe_added_is_plain(&bpe->raw);
    for (size_t i = 0; bpe->raw_units && i < count; i++)
        if (tokens[i].special && !special && !tokens[i].normalized)
            bpe->raw_units = !bipe_added_may_hide(&bpe->raw, (const uint8_t *)tokens[i].text, tokens[i].size);
    if (status == BIPE_OK && !bipe_added_is_plain(&bpe->raw) && bipe_added_begins_white(&bpe->raw))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "lstrip, rstrip or single_word beside tokens that begin with white space");
    return status;
}

int bipe_json_added_read(bipe_bpe *bpe, const json_t *added, bool special, bipe_error *err)
{
    if (added == NULL || json_is_null(added))
        return BIPE_OK;
    if (!json_is_array(added))
        return bipe_fail(err, BIPE_ERR_FORMAT, "added_tokens: expected an array");
    size_t count = json_array_size(added);
    added_token *tokens = bipe_alloc(count, sizeof *tokens);
    if (tokens == NULL)
        return bipe_fail_memory(err);
    int64_t largest = -1;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        status = read_token(json_array_get(added, i), &tokens[i], err);
        if (status == BIPE_OK)
            status = place_token(bpe, &tokens[i], bpe->entries, &largest, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "added_tokens: %zu", i);
    }
    if (status == BIPE_OK && (status = match_tokens(bpe, tokens, count, special, err)) != BIPE_OK)
        bipe_error_prefix(err, "added_tokens");
    bipe_free(tokens);
    return status;
}
