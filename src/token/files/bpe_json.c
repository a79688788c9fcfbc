/* bpe_json.c - BPE of texts in which single characters change, as models of the Llama family ship it in a tokenizer.json. The pipeline
 * reads all other forms.
 *
 * Hugging Face's library starts from the characters that are in the vocabulary (others become bytes or the unknown
 * token first) and merges pairs of ids in the order of the list of merges; of a pair listed twice the last place counts. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/description.h"
#include "token/json/json_members.h"
#include "token/pipeline/pretokenizers.h"
#include "token/spm/bpe.h"

/* ---- "normalizer": Prepend, Replace of one character, and sequences of them; and the pre-tokenizer that is nothing else ---- */

enum { SEQUENCE_DEPTH = 8 };

static int read_prepend(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    const json_t *text = json_object_get(step, "prepend");
    if (!json_is_string(text))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Prepend without a string \"prepend\"");
    return bipe_normalizer_prepend(n, json_string_value(text), json_string_length(text), err);
}

static int read_replace(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    const json_t *pattern = json_object_get(step, "pattern"), *content = json_object_get(step, "content");
    if (!json_is_object(pattern) || !json_is_string(content))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Replace without \"pattern\" and \"content\"");
    const json_t *string = json_object_get(pattern, "String");
    if (!json_is_string(string))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace with a pattern that is a regular expression");
    const uint8_t *text = (const uint8_t *)json_string_value(string);
    size_t size = json_string_length(string);
    int32_t code = -1;
    if (size == 0 || bipe_utf8_decode(text, size, &code) != size || code < 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace of \"%.40s\": only single characters are replaced", (const char *)text);
    if (json_string_length(content) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Replace of \"%.40s\" with nothing", (const char *)text);
    return bipe_normalizer_replace(n, (uint32_t)code, json_string_value(content), json_string_length(content), err);
}

static int read_step(bipe_normalizer *n, const json_t *step, int depth, bipe_error *err)
{
    const char *type = bipe_json_type(step);
    if (strcmp(type, "Prepend") == 0)
        return read_prepend(n, step, err);
    if (strcmp(type, "Replace") == 0)
        return read_replace(n, step, err);
    if (strcmp(type, "Sequence") != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%.60s, supported are Sequence, Prepend and Replace",
                         type[0] != '\0' ? type : "no type");
    const json_t *steps = json_object_get(step, "normalizers");
    if (!json_is_array(steps))
        return bipe_fail(err, BIPE_ERR_FORMAT, "Sequence without an array \"normalizers\"");
    if (depth == SEQUENCE_DEPTH)
        return bipe_fail(err, BIPE_ERR_LIMIT, "sequences within sequences, more than %d deep", SEQUENCE_DEPTH);
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < json_array_size(steps); i++)
        status = read_step(n, json_array_get(steps, i), depth + 1, err);
    return status;
}

static int read_metaspace(bipe_normalizer *n, const json_t *step, bipe_error *err)
{
    bipe_metaspace m;
    int status = bipe_metaspace_read(&m, step, err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "pre_tokenizer: Metaspace");
    if (m.split)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Metaspace that splits");
    status = bipe_normalizer_replace(n, ' ', (const char *)m.bytes, m.size, err);
    if (status == BIPE_OK && m.scheme != BIPE_METASPACE_NEVER)
        status = bipe_normalizer_prepend(n, (const char *)m.bytes, m.size, err);
    n->lone = true;
    n->first = m.scheme == BIPE_METASPACE_FIRST;
    return status;
}

static int read_normalizer(bipe_normalizer *n, const json_t *normalizer, bipe_error *err)
{
    int status = bipe_json_is_null(normalizer) ? BIPE_OK : read_step(n, normalizer, 0, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "normalizer");
}

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

static int merge_made(void *context, const bipe_named_merge *merge, uint32_t into, bipe_error *err)
{
    bipe_bpe *bpe = context;
    if (bpe->score[into] == 0)
        bpe->score[into] = -(float)(merge->rank + 1); /* for programs that want a score */
    return add_crossings(bpe, merge->left, merge->left_size, merge->right, merge->right_size, err);
}

static int read_bpe_merges(bipe_bpe *bpe, const bipe_description *d, bipe_error *err)
{
    bipe_merge_list list = {.vocabulary = &bpe->vocabulary, .ids = bpe->vocabulary.count, .table = &bpe->merges, .name = "merges",
                            .made = merge_made, .context = bpe};
    return bipe_description_merges(d, &list, err);
}

/* ---- "model" ---- */

static bool is_empty(const json_t *value)
{
    return bipe_json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0);
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
    if (status == BIPE_OK)
        status = bipe_json_no_dropout(model, err);
    if (status != BIPE_OK)
        return status;
    static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
    for (size_t i = 0; i < 2; i++)
        if (!is_empty(json_object_get(model, affixes[i])))
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s", affixes[i]);
    bool ignore;
    status = bipe_json_flag(model, "ignore_merges", false, &ignore, err);
    if (status == BIPE_OK && ignore)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "ignore_merges");
    return status;
}

static int read_bpe_model(bipe_bpe *bpe, const bipe_description *d, bipe_error *err)
{
    const json_t *model = json_object_get(d->root, "model");
    int status = check_model(model, err);
    if (status == BIPE_OK)
        status = read_vocab(bpe, d, err);
    if (status == BIPE_OK)
        status = read_fallback(bpe, model, err);
    if (status == BIPE_OK)
        status = read_bpe_merges(bpe, d, err);
    return status == BIPE_OK ? status : bipe_error_prefix(err, "model");
}

/* ---- "added_tokens": strings that are found before the model sees the text ----
 *
 * Those marked special count only when the user asked for it; otherwise they are text, but still hide what overlaps
 * them, as in the library (its `encode_special_tokens`). */

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
    if (status == BIPE_OK && bpe->raw.has_flags && bipe_added_begins_white(&bpe->raw))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "lstrip, rstrip or single_word beside tokens that begin with white space");
    return status;
}

static int read_added(bipe_bpe *bpe, const json_t *list, bool special, bipe_error *err)
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

/* ---- the whole ---- */

/* Steps that change the text: a normalizer of single characters, or the pre-tokenizer Metaspace in its place. */
static int read_changes(bipe_normalizer *n, const json_t *normalizer, const json_t *pre, bipe_error *err)
{
    if (strcmp(bipe_json_type(pre), "Metaspace") == 0 && bipe_json_is_null(normalizer))
        return read_metaspace(n, pre, err);
    int status = read_normalizer(n, normalizer, err);
    if (status == BIPE_OK && !bipe_json_is_null(pre) && !bipe_split_is_idle(pre, n))
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a pre-tokenizer that splits");
    return status;
}

/* BPE of texts in which single characters change: what models of the Llama family ship. */
int bipe_bpe_json_read(bipe_tokenizer *tokenizer, const bipe_description *d, bipe_error *err)
{
    const json_t *root = d->root;
    bipe_bpe *bpe = bipe_bpe_new();
    if (bpe == NULL)
        return bipe_fail_memory(err);
    int status = read_changes(&bpe->normalizer, json_object_get(root, "normalizer"), json_object_get(root, "pre_tokenizer"), err);
    if (status == BIPE_OK)
        status = read_bpe_model(bpe, d, err);
    if (status == BIPE_OK)
        status = read_added(bpe, json_object_get(root, "added_tokens"), tokenizer->special, err);
    const bipe_normalizer *n = &bpe->normalizer;
    if (status == BIPE_OK && n->lone && (bpe->inside.nodes != 0 || bipe_bpe_symbol(bpe, n->rule[0].to.code[0]) == BIPE_NO_SYMBOL))
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "Metaspace beside normalized tokens, or without its character");
    if (status == BIPE_OK)
        status = bipe_bpe_build_borders(bpe, err);
    if (status == BIPE_OK)
        status = bipe_bpe_prepare_decoder(bpe, (const uint8_t *)"", 0, err);
    if (status != BIPE_OK) {
        bipe_bpe_free(bpe);
        return status;
    }
    bpe->json = true;
    bipe_bpe_install(tokenizer, bpe);
    return BIPE_OK;
}
