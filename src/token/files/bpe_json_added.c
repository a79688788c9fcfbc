/* bpe_json_added.c - "added_tokens" of a tokenizer.json: strings that are found before the model sees the text.
 *
 * Those marked special count only when the user asked for it; otherwise they are text, but still hide what overlaps
 * them, as in the library (its `encode_special_tokens`). */
#include <string.h>

#include "base/alloc.h"
#include "token/files/json_parts.h"
#include "token/json/json_added.h"

static int new_id(void *context, const char *text, size_t size, bipe_error *err)
{
    return bipe_bpe_add_piece(context, text, size, BIPE_PIECE_USER, 0, err);
}

static int match_token(bipe_bpe *bpe, const bipe_json_added *token, bool counts, bipe_error *err)
{
    bipe_added added = token->added;
    added.text = !counts;
    if (!token->normalized)
        return bipe_added_set_add(&bpe->raw, (const uint8_t *)token->text, token->size, added, err);
    if (counts && (added.left || added.right || added.word))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": lstrip, rstrip or single_word of a normalized token", token->text);
    bipe_buffer text = {0};
    int status = bipe_normalizer_apply(&bpe->normalizer, (const uint8_t *)token->text, token->size, &text, err);
    if (status == BIPE_OK && text.size == 0 && counts)
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "\"%.40s\": normalizing leaves nothing of it", token->text);
    if (status == BIPE_OK)
        status = bipe_matcher_add(&bpe->inside, text.data, text.size, counts ? added.id : (uint32_t)BIPE_MATCH_TEXT, err);
    bipe_buffer_free(&text);
    return status;
}

/* Special tokens go first, as in the library: of two that look the same after normalizing the first counts. */
static int match_tokens(bipe_bpe *bpe, const bipe_json_added *tokens, size_t count, bool special, bipe_error *err)
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
    if (status == BIPE_OK && !bipe_added_is_plain(&bpe->raw) && bipe_added_begins_white(&bpe->raw))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "lstrip, rstrip or single_word beside tokens that begin with white space");
    return status;
}

int bipe_json_added_read(bipe_bpe *bpe, const json_t *list, bool special, bipe_error *err)
{
    bipe_json_added *tokens;
    size_t count;
    int status = bipe_json_added_list(list, &bpe->vocabulary, bpe->entries, new_id, bpe, &tokens, &count, err);
    for (size_t i = 0; i < count; i++)
        if (bpe->unk != tokens[i].added.id)
            bpe->type[tokens[i].added.id] = tokens[i].special ? BIPE_PIECE_CONTROL : BIPE_PIECE_USER;
    if (status == BIPE_OK && (status = match_tokens(bpe, tokens, count, special, err)) != BIPE_OK)
        bipe_error_prefix(err, "added_tokens");
    bipe_free(tokens);
    return status;
}
