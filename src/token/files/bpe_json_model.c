/* bpe_json_model.c - "model" of a tokenizer.json: BPE with byte fallback or an unknown token, without subword affixes.
 *
 * Hugging Face's library starts from the characters that are in the vocabulary (others become bytes or the unknown
 * token first) and merges pairs of ids in the order of the list of merges; of a pair listed twice the last place counts. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/files/json_parts.h"

/* ---- the vocabulary ---- */

static int add_entry(bipe_bpe *bpe, size_t id, const uint8_t *text, size_t size, bipe_error *err)
{
    int status = bipe_bpe_add_piece(bpe, text, size, size != 0 ? BIPE_PIECE_NORMAL : BIPE_PIECE_NONE, 0, err);
    int32_t code;
    if (status == BIPE_OK && size != 0 && bipe_utf8_decode(text, size, &code) == size && code >= 0)
        status = bipe_bpe_set_symbol(bpe, (uint32_t)code, (uint32_t)id, err);
    return status;
}

static int read_vocab(bipe_bpe *bpe, const bipe_description *d, bipe_error *err)
{
    int status = d->vocab == BIPE_VOCAB_IDS ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "no object \"vocab\"");
    bpe->entries = d->entries;
    for (size_t id = 0, size; status == BIPE_OK && id < d->count; id++) {
        const uint8_t *text = bipe_description_string(d, id, &size);
        status = add_entry(bpe, id, text, size, err);
    }
    if (status == BIPE_OK && bipe_vocabulary_index_all(&bpe->vocabulary) != 0)
        status = bipe_fail_memory(err);
    return status == BIPE_OK ? bipe_description_check(d, &bpe->vocabulary, err) : status;
}

/* ---- what unknown characters become ---- */

static int read_fallback(bipe_bpe *bpe, const json_t *model, bipe_error *err)
{
    bool bytes;
    int status = bipe_json_flag(model, "byte_fallback", false, &bytes, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(model, "fuse_unk", false, &bpe->fuse_symbols, err);
    if (status != BIPE_OK)
        return status;
    size_t found = 0, named = 0;
    for (int b = 0; bytes && b < 256; b++) {
        static const char digits[] = "0123456789ABCDEF";
        const char text[] = {'<', '0', 'x', digits[b >> 4], digits[b & 15], '>'};
        int64_t id = bipe_vocabulary_find(&bpe->vocabulary, text, sizeof text);
        if (id == BIPE_NO_PIECE && b < 0x80 && bipe_bpe_symbol(bpe, (uint32_t)b) != BIPE_NO_SYMBOL) {
            bpe->byte_id[b] = bipe_bpe_symbol(bpe, (uint32_t)b); /* never asked for: the character stands for itself */
            found++;
            continue;
        }
        if (id == BIPE_NO_PIECE)
            continue;
        bpe->byte_id[b] = (uint32_t)id;
        named++;
        bpe->type[id] = BIPE_PIECE_BYTE;
        found++;
    }
    if (named != 0 && found != 256)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "byte_fallback with %zu of the 256 byte tokens", found);
    bpe->byte_fallback = named != 0;
    const json_t *unk = json_object_get(model, "unk_token");
    if (json_is_string(unk)) {
        int64_t id = bipe_vocabulary_find(&bpe->vocabulary, json_string_value(unk), json_string_length(unk));
        if (id == BIPE_NO_PIECE)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "unk_token \"%.40s\" is not in the vocabulary", json_string_value(unk));
        bpe->unk = id;
        bpe->type[id] = BIPE_PIECE_UNKNOWN;
    } else if (unk != NULL && !json_is_null(unk)) {
        return bipe_fail(err, BIPE_ERR_FORMAT, "unk_token: expected a string");
    }
    if (bpe->unk == BIPE_NO_TOKEN && !bpe->byte_fallback)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "neither unk_token nor byte_fallback: characters outside the vocabulary would be lost");
    return BIPE_OK;
}

/* ---- merges ---- */

/* The symbols of single characters (or bytes, or the unknown token) that a token's text may begin (end) with when
 * the token comes from merges. At most 3; returns how many. */
static size_t edge_symbols(const bipe_bpe *bpe, const uint8_t *text, size_t size, bool begin, uint32_t symbols[3])
{
    size_t count = 0, n = 1;
    int32_t code;
    if (begin) {
        n = bipe_utf8_decode(text, size, &code);
    } else {
        while (n < size && (text[size - n] & 0xC0) == 0x80)
            n++;
        n = bipe_utf8_decode(text + size - n, n, &code);
    }
    if (n != 0 && code >= 0 && bipe_bpe_symbol(bpe, (uint32_t)code) != BIPE_NO_SYMBOL)
        symbols[count++] = bipe_bpe_symbol(bpe, (uint32_t)code);
    if (bpe->byte_fallback && size >= 6) {
        int byte = bipe_byte_piece(begin ? text : text + size - 6, 6);
        if (byte >= 0)
            symbols[count++] = bpe->byte_id[byte];
    }
    if (bpe->unk != BIPE_NO_TOKEN) {
        size_t unk_size;
        const uint8_t *unk = bipe_vocabulary_text(&bpe->vocabulary, (uint32_t)bpe->unk, &unk_size);
        if (size >= unk_size && memcmp(begin ? text : text + size - unk_size, unk, unk_size) == 0)
            symbols[count++] = (uint32_t)bpe->unk;
    }
    return count;
}

static int add_crossings(bipe_bpe *bpe, const char *left, size_t left_size, const char *right, size_t right_size,
                         bipe_error *err)
{
    uint32_t before[3], after[3];
    size_t befores = edge_symbols(bpe, (const uint8_t *)left, left_size, false, before);
    size_t afters = edge_symbols(bpe, (const uint8_t *)right, right_size, true, after);
    for (size_t i = 0; i < befores; i++)
        for (size_t k = 0; k < afters; k++)
            if (bipe_pair_table_set(&bpe->crossings, before[i], after[k], 0, 0) != 0)
                return bipe_fail_memory(err);
    return BIPE_OK;
}

static int made(void *context, const bipe_named_merge *merge, uint32_t into, bipe_error *err)
{
    bipe_bpe *bpe = context;
    if (bpe->score[into] == 0)
        bpe->score[into] = -(float)(merge->rank + 1); /* for programs that want a score */
    return add_crossings(bpe, merge->left, merge->left_size, merge->right, merge->right_size, err);
}

static int read_merges(bipe_bpe *bpe, const bipe_description *d, bipe_error *err)
{
    bipe_merge_list list = {.vocabulary = &bpe->vocabulary, .ids = bpe->vocabulary.count, .table = &bpe->merges, .name = "merges",
                            .made = made, .context = bpe};
    return bipe_description_merges(d, &list, err);
}

/* ---- the whole ---- */

static bool is_empty(const json_t *value)
{
    return value == NULL || json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0);
}

static int check_model(const json_t *model, bipe_error *err)
{
    static const char *const known[] = {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                                        "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges", NULL};
    const char *type = bipe_json_type(model);
    if (!json_is_object(model))
        return bipe_fail(err, BIPE_ERR_FORMAT, "no object");
    if (strcmp(type, "BPE") != 0 && (type[0] != '\0' || json_object_get(model, "merges") == NULL))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "type %.60s, supported is BPE", type[0] != '\0' ? type : "not given");
    int status = bipe_json_only(model, known, err);
    if (status != BIPE_OK)
        return status;
    const json_t *dropout = json_object_get(model, "dropout");
    if (dropout != NULL && !json_is_null(dropout) && !(json_is_number(dropout) && json_number_value(dropout) == 0))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, BIPE_JSON_DROPOUT, json_number_value(dropout));
    if (!is_empty(json_object_get(model, "continuing_subword_prefix")))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "continuing_subword_prefix");
    if (!is_empty(json_object_get(model, "end_of_word_suffix")))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "end_of_word_suffix");
    bool ignore;
    status = bipe_json_flag(model, "ignore_merges", false, &ignore, err);
    if (status == BIPE_OK && ignore)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "ignore_merges");
    return status;
}

int bipe_json_model_read(bipe_bpe *bpe, const bipe_description *d, bipe_error *err)
{
    const json_t *model = json_object_get(d->root, "model");
    int status = check_model(model, err);
    if (status == BIPE_OK)
        status = read_vocab(bpe, d, err);
    if (status == BIPE_OK)
        status = read_fallback(bpe, model, err);
    if (status == BIPE_OK)
        status = read_merges(bpe, d, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "model");
}
