/* gguf_characters.c - vocabularies of GGUF files whose merges are of characters: models with a SentencePiece model's strings and the
 * merges of a tokenizer.json (Gemma 4), known by names in tokenizer.ggml.pre as byte-level ones are (gguf_byte_level.c).
 *
 * They are put together as the tokenizer.json is that such a file was made of. llama.cpp splits them at newlines, which no merge of theirs
 * crosses. Characters without a token become bytes (<0x41>), where each of them has one, else nothing. */
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "text/utf8.h"
#include "token/files/gguf_parts.h"
#include "token/files/json_parts.h"
#include "token/pipeline/merge_model.h"
#include "token/spm/bpe.h"

#define KEY(name) "tokenizer.ggml." name
#define MARK "\xE2\x96\x81"

typedef struct kind {
    const char *name; /* tokenizer.ggml.pre */
    bool marks;       /* spaces are written as MARK */
    bool bos;         /* texts begin with BOS whatever the file says, otherwise where it says so */
} kind;

static const kind kinds[] = {
    {"gemma4", true, true},
    {"granite-embed-multi-311m", true, true},
    {"sarvam-moe", true, false},
    {"whitespace", false, false},
};

/* What is kept for writing, in place of a tokenizer.json. */
typedef struct source {
    const kind *kind;
    bool apart; /* tokenizer.ggml.model `whitespace`: white space is left out, and */
    bool lower; /* letters are made small */
} source;

static const kind *find_kind(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == size && memcmp(kinds[i].name, name, size) == 0)
            return &kinds[i];
    return NULL;
}

bool bipe_gguf_characters_know(const char *name, size_t size)
{
    return find_kind(name, size) != NULL;
}

/* ---- the lists ---- */

static bool is_utf8(const char *text, size_t size)
{
    int32_t code;
    for (size_t i = 0, n; i < size; i += n) {
        n = bipe_utf8_decode((const uint8_t *)text + i, size - i, &code);
        if (code < 0)
            return false;
    }
    return true;
}

/* Bytes that the strings of an array take, with a NUL after each. */
static size_t room_of(const bipe_gguf *gguf, const char *key, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += bipe_gguf_array_string(gguf, key, i).size + 1;
    return bytes;
}

static const char *put(char **room, const char *text, size_t size)
{
    char *at = *room;
    memcpy(at, text, size);
    at[size] = '\0';
    *room += size + 1;
    return at;
}

static int read_tokens(bipe_json_lists *lists, const bipe_gguf *gguf, char **room, bipe_error *err)
{
    for (size_t i = 0; i < lists->count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        if (text.size > BIPE_PIECE_LIMIT)
            return bipe_fail(err, BIPE_ERR_LIMIT, "token %zu: %zu bytes, expected at most %d", i, text.size, BIPE_PIECE_LIMIT);
        if (!is_utf8(text.text, text.size))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: is not UTF-8", i);
        if (text.size != 0)
            lists->text[i] = (bipe_json_string){put(room, text.text, text.size), text.size};
    }
    lists->has_vocab = true;
    return BIPE_OK;
}

static int read_merges(bipe_json_lists *lists, const bipe_gguf *gguf, char **room, bipe_error *err)
{
    for (size_t i = 0; i < lists->merges; i++) {
        bipe_named_merge merge;
        if (!bipe_gguf_merge_at(gguf, i, &merge) || !is_utf8(merge.left, merge.left_size) || !is_utf8(merge.right, merge.right_size))
            return bipe_fail(err, BIPE_ERR_FORMAT, KEY("merges") ": %zu: expected two strings", i);
        lists->merge[i] = (struct bipe_json_place){(uint32_t)(*room - lists->room), (uint32_t)merge.left_size, (uint32_t)merge.right_size};
        put(room, merge.left, merge.left_size);
        put(room, merge.right, merge.right_size);
    }
    lists->has_merges = true;
    return BIPE_OK;
}

static int read_lists(bipe_json_lists *lists, const bipe_gguf *gguf, bipe_error *err)
{
    int status = bipe_gguf_get_array(gguf, KEY("tokens"), BIPE_GGUF_STRING, &lists->count, err);
    if (status == BIPE_OK)
        status = bipe_gguf_get_array(gguf, KEY("merges"), BIPE_GGUF_STRING, &lists->merges, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("tokens") " or no " KEY("merges"));
    if (status == BIPE_OK && (lists->count > BIPE_VOCABULARY_LIMIT || lists->merges > BIPE_VOCABULARY_LIMIT))
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%zu tokens, %zu merges, expected at most %d of each", lists->count, lists->merges,
                           BIPE_VOCABULARY_LIMIT);
    if (status != BIPE_OK)
        return status;
    size_t bytes = room_of(gguf, KEY("tokens"), lists->count) + room_of(gguf, KEY("merges"), lists->merges);
    if (bytes > UINT32_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%zu bytes of tokens and merges, expected at most 4 GiB", bytes);
    char *room = lists->room = bipe_alloc(bytes, 1);
    lists->text = bipe_alloc(lists->count, sizeof *lists->text);
    lists->merge = bipe_alloc(lists->merges, sizeof *lists->merge);
    if (room == NULL || lists->text == NULL || lists->merge == NULL)
        return bipe_fail_memory(err);
    status = read_tokens(lists, gguf, &room, err);
    return status == BIPE_OK ? read_merges(lists, gguf, &room, err) : status;
}

/* ---- the rest ---- */

/* Control tokens are found in text when asked for, user-defined ones always. */
static int add_added(json_t *added, const bipe_json_lists *lists, const bipe_gguf *gguf, bipe_error *err)
{
    size_t count = 0;
    int status = bipe_gguf_get_array(gguf, KEY("token_type"), BIPE_GGUF_I32, &count, err);
    if (status != BIPE_OK)
        return status == BIPE_END ? BIPE_OK : status;
    if (count != lists->count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens and %zu token types, expected as many of each", lists->count, count);
    for (size_t i = 0; i < count; i++) {
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), i);
        if (!(type >= BIPE_PIECE_NONE && type <= BIPE_PIECE_BYTE))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: type %g, expected 1 to 6", i, type);
        bool control = type == BIPE_PIECE_CONTROL || type == BIPE_PIECE_UNKNOWN;
        if ((!control && type != BIPE_PIECE_USER) || lists->text[i].text == NULL)
            continue;
        json_t *token = json_pack("{s:i,s:s%,s:b,s:b}", "id", (int)i, "content", lists->text[i].text, lists->text[i].size, "normalized", 0,
                                  "special", (int)control);
        if (token == NULL || json_array_append_new(added, token) != 0)
            return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

/* Everything but the lists. NULL: out of memory. */
static json_t *make_root(const source *s)
{
    json_t *normalizer = NULL, *split = NULL;
    if (s->kind->marks)
        normalizer = json_pack("{s:s,s:{s:s},s:s}", "type", "Replace", "pattern", "String", " ", "content", MARK);
    else if (s->lower)
        normalizer = json_pack("{s:s}", "type", "Lowercase");
    else
        normalizer = json_null();
    if (s->apart)
        split = json_pack("{s:s}", "type", "WhitespaceSplit");
    else if (!s->kind->marks)
        split = json_pack("{s:s,s:{s:s},s:s,s:b}", "type", "Split", "pattern", "Regex", "\\S+", "behavior", "Isolated", "invert", 0);
    else
        split = json_null();
    return json_pack("{s:o,s:o,s:[],s:{s:s,s:b}}", "normalizer", normalizer, "pre_tokenizer", split, "added_tokens", "model", "type", "BPE",
                     "byte_fallback", 1);
}

/* ---- writing ---- */

static source source_of(const bipe_tokenizer *tokenizer)
{
    source s;
    memcpy(&s, tokenizer->original, sizeof s);
    return s;
}

static int write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    source s = source_of(tokenizer);
    const bipe_bpe *bpe = tokenizer->kind == &bipe_bpe_kind ? tokenizer->model : NULL;
    const bipe_pipeline *p = bpe == NULL ? tokenizer->model : NULL;
    const char *model = s.apart ? "whitespace" : "gpt2";
    int status = bipe_gguf_set_string(writer, KEY("model"), model, strlen(model), err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, KEY("pre"), s.kind->name, strlen(s.kind->name), err);
    if (status == BIPE_OK && s.apart)
        status = bipe_gguf_set_bool(writer, KEY("normalizer.lowercase"), s.lower, err);
    if (status == BIPE_OK)
        status = bpe != NULL ? bipe_gguf_write_pieces(bpe, 0, writer, err) : bipe_gguf_write_tokens(p, 0, writer, err);
    if (status == BIPE_OK)
        status = bpe != NULL ? bipe_gguf_write_merges(&bpe->vocabulary, &bpe->merges, writer, err)
                             : bipe_gguf_write_merges(&p->vocabulary, &((const bipe_merge_model *)p->model)->merges, writer, err);
    return status == BIPE_OK ? bipe_pipeline_write_ids(tokenizer, writer, err) : status;
}

int bipe_gguf_characters_bos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->write_gguf == write_gguf ? source_of(tokenizer).kind->bos : -1;
}

/* ---- reading ---- */

static int read_all(bipe_tokenizer *tokenizer, const source *s, const bipe_gguf *gguf, bipe_json_lists *lists, json_t *root,
                    bipe_error *err)
{
    int status = read_lists(lists, gguf, err);
    if (status == BIPE_OK)
        status = add_added(json_object_get(root, "added_tokens"), lists, gguf, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_json_make(tokenizer, root, lists, err);
    if (status != BIPE_OK)
        return status;
    if (tokenizer->kind == &bipe_pipeline_kind)
        ((bipe_merge_model *)((bipe_pipeline *)tokenizer->model)->model)->apart = true;
    tokenizer->write_gguf = write_gguf;
    return bipe_tokenizer_keep(tokenizer, s, sizeof *s, err);
}

int bipe_gguf_characters_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, const char *name, size_t size, bool apart,
                              bipe_error *err)
{
    source s = {.kind = find_kind(name, size), .apart = apart};
    if (s.kind == NULL || (apart && s.kind->marks))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, KEY("pre") ": \"%.*s\" is not known of this " KEY("model"), (int)(size < 80 ? size : 80),
                         name);
    int status = apart ? bipe_gguf_optional_bool(gguf, KEY("normalizer.lowercase"), &s.lower, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    bipe_json_lists lists = {0};
    json_t *root = make_root(&s);
    status = root != NULL ? read_all(tokenizer, &s, gguf, &lists, root, err) : bipe_fail_memory(err);
    json_decref(root);
    bipe_json_lists_free(&lists);
    return status;
}
