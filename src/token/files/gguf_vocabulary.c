/* gguf_vocabulary.c - tokenizers kept in a GGUF file (github.com/ggml-org/ggml, docs/gguf.md).
 *
 * `llama` is a SentencePiece BPE model, `t5` one of type Unigram; they are read with SentencePiece's rules
 * (gguf_pieces.c). The others become the description that a tokenizer.json gives: `gpt2` is byte-level BPE whose
 * tokenizer.ggml.pre names the patterns that split the text (pretoken_patterns.h) or, by other names, BPE of
 * characters, as `gemma4` and `whitespace` are; `bert` is WordPiece (gguf_bert.c). A tokenizer.json that is kept whole
 * under tokenizer.huggingface.json goes before all of it. `byte`, `char`, `word` and `words` are bipe's own. A
 * vocabulary that was read from a file is written again under the same keys. */
#include "token/files/gguf_vocabulary.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_patterns.h"

#define KEY(name) "tokenizer.ggml." name
#define KEY_JSON "tokenizer.huggingface.json"
#define MARK "\xE2\x96\x81"

/* Whether texts begin with BOS. */
typedef enum bos_rule { BOS_IF_SAID, BOS_UNLESS_SAID, BOS_ALWAYS } bos_rule;

/* Vocabularies whose merges are of characters: models with a SentencePiece model's strings and the merges of a
 * tokenizer.json. llama.cpp splits their texts at newlines, which no merge of theirs crosses. Characters without a
 * token become bytes (<0x41>), where each of them has one, else nothing. */
typedef struct character_kind {
    const char *name; /* tokenizer.ggml.pre */
    bool marks;       /* spaces are written as MARK */
    bos_rule bos;
} character_kind;

static const character_kind character_kinds[] = {
    {"gemma4", true, BOS_ALWAYS},
    {"granite-embed-multi-311m", true, BOS_ALWAYS},
    {"sarvam-moe", true, BOS_IF_SAID},
    {"whitespace", false, BOS_IF_SAID},
};

/* ---- keys ---- */

int bipe_gguf_optional_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err)
{
    int status = bipe_gguf_get_bool(gguf, key, value, err);
    return status == BIPE_END ? BIPE_OK : status;
}

int bipe_gguf_read_id(const bipe_gguf *gguf, const char *key, size_t size, int64_t *id, bipe_error *err)
{
    uint64_t value;
    int status = bipe_gguf_get_uint(gguf, key, &value, err);
    if (status == BIPE_OK && value >= size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %llu, expected an id below %zu", key, (unsigned long long)value,
                         size);
    if (status == BIPE_OK)
        *id = (int64_t)value;
    return status;
}

/* ---- descriptions ---- */

static bool is_name(bipe_gguf_string string, const char *name)
{
    return string.size == strlen(name) && memcmp(string.text, name, string.size) == 0;
}

static int read_tokens(bipe_description *d, const bipe_gguf *gguf, bool utf8, bipe_error *err)
{
    size_t count;
    int status = bipe_gguf_get_array(gguf, KEY("tokens"), BIPE_GGUF_STRING, &count, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("tokens"));
    d->vocab = BIPE_VOCAB_IDS;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        if (text.size > BIPE_PIECE_LIMIT)
            return bipe_fail(err, BIPE_ERR_LIMIT, "token %zu: %zu bytes, expected at most %d", i, text.size,
                             BIPE_PIECE_LIMIT);
        if (utf8 && !bipe_is_utf8((const uint8_t *)text.text, text.size))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: is not UTF-8", i);
        status = bipe_description_add(d, i, text.text, text.size, err);
    }
    return status;
}

static int add_gguf_token(json_t *list, size_t id, bipe_gguf_string text, bool special, bipe_error *err)
{
    json_t *token = json_pack("{s:I,s:o,s:b,s:b}", "id", (json_int_t)id, "content",
                              json_stringn_nocheck(text.text, text.size), "normalized", 0, "special", (int)special);
    return token != NULL && json_array_append_new(list, token) == 0 ? BIPE_OK : bipe_fail_memory(err);
}

/* Control tokens (with `unknown`, unknown ones too) are found in text when asked for, user-defined ones always. */
static int read_types(bipe_description *d, const bipe_gguf *gguf, bool unknown, bipe_error *err)
{
    size_t count = 0;
    json_t *list = json_object_get(d->root, "added_tokens");
    int status = bipe_gguf_get_array(gguf, KEY("token_type"), BIPE_GGUF_I32, &count, err);
    if (status != BIPE_OK)
        return status;
    if (count != d->count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens and %zu token types, expected as many of each", d->count,
                         count);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), i);
        if (!(type >= BIPE_PIECE_NONE && type <= BIPE_PIECE_BYTE))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: type %g, expected 1 to 6", i, type);
        bool control = type == BIPE_PIECE_CONTROL || (unknown && type == BIPE_PIECE_UNKNOWN);
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        if (text.size != 0 && (control || type == BIPE_PIECE_USER))
            status = add_gguf_token(list, i, text, control, err);
    }
    return status;
}

/* Each "LEFT RIGHT". Tokens have no spaces; a space at the front is a part of the left one. */
static int read_gguf_merges(bipe_description *d, const bipe_gguf *gguf, bool utf8, bipe_error *err)
{
    size_t count;
    int status = bipe_gguf_get_array(gguf, KEY("merges"), BIPE_GGUF_STRING, &count, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("merges"));
    d->has_merges = true;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("merges"), i);
        const char *space = text.size > 1 ? memchr(text.text + 1, ' ', text.size - 1) : NULL;
        size_t left = space != NULL ? (size_t)(space - text.text) : 0;
        if (left == 0 || left + 1 == text.size || (utf8 && !bipe_is_utf8((const uint8_t *)text.text, text.size)))
            return bipe_fail(err, BIPE_ERR_FORMAT, KEY("merges") ": %zu: expected two strings", i);
        status = bipe_description_add_merge(d, text.text, left, space + 1, text.size - left - 1, err);
    }
    return status;
}

/* The lists of a description whose root is there. */
static int read_lists(bipe_description *d, const bipe_gguf *gguf, bool utf8, bipe_error *err)
{
    int status = d->root != NULL ? read_tokens(d, gguf, utf8, err) : bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = read_gguf_merges(d, gguf, utf8, err);
    if (status == BIPE_OK)
        status = read_types(d, gguf, true, err);
    return status == BIPE_END ? BIPE_OK : status; /* without types none is special */
}

/* ---- BPE of characters ---- */

static const character_kind *find_characters(bipe_gguf_string name)
{
    for (size_t i = 0; i < sizeof character_kinds / sizeof *character_kinds; i++)
        if (is_name(name, character_kinds[i].name))
            return &character_kinds[i];
    return NULL;
}

/* Everything but the lists. NULL: out of memory. */
static json_t *make_character_root(const character_kind *kind, bool whitespace, bool lower)
{
    json_t *normalizer =
        kind->marks ? json_pack("{s:s,s:{s:s},s:s}", "type", "Replace", "pattern", "String", " ", "content", MARK)
        : lower     ? json_pack("{s:s}", "type", "Lowercase")
                    : json_null();
    json_t *split = whitespace     ? json_pack("{s:s}", "type", "WhitespaceSplit")
                    : !kind->marks ? json_pack("{s:s,s:{s:s},s:s,s:b}", "type", "Split", "pattern", "Regex", "\\S+",
                                               "behavior", "Isolated", "invert", 0)
                                   : json_null();
    return json_pack("{s:o,s:o,s:[],s:{s:s,s:b}}", "normalizer", normalizer, "pre_tokenizer", split, "added_tokens",
                     "model", "type", "BPE", "byte_fallback", 1);
}

/* whitespace: tokenizer.ggml.model is `whitespace`, and white space is left out. */
static int read_characters(bipe_tokenizer *tokenizer, bipe_description *d, const bipe_gguf *gguf,
                           const character_kind *kind, bool whitespace, bos_rule *rule, bipe_error *err)
{
    bool lower = false;
    int status = whitespace ? bipe_gguf_optional_bool(gguf, KEY("normalizer.lowercase"), &lower, err) : BIPE_OK;
    if (status != BIPE_OK)
        return status;
    d->root = make_character_root(kind, whitespace, lower);
    status = read_lists(d, gguf, true, err);
    if (status == BIPE_OK)
        status = bipe_description_make(d, tokenizer, err);
    if (status == BIPE_OK)
        ((bipe_merge_model *)((bipe_pipeline *)tokenizer->model)->model)->dropped_block_merges = true;
    *rule = kind->bos;
    return status;
}

static int read_whitespace(bipe_tokenizer *tokenizer, bipe_description *d, const bipe_gguf *gguf, bos_rule *rule,
                           bipe_error *err)
{
    bipe_gguf_string pre = {.text = "default", .size = strlen("default")};
    int status = bipe_gguf_get_string(gguf, KEY("pre"), &pre, err);
    if (status != BIPE_OK && status != BIPE_END)
        return status;
    const character_kind *kind = find_characters(pre);
    if (kind == NULL || kind->marks)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, KEY("pre") ": \"%.*s\" is not known of this " KEY("model"),
                         (int)(pre.size < 80 ? pre.size : 80), pre.text);
    return read_characters(tokenizer, d, gguf, kind, true, rule, err);
}

/* ---- byte-level BPE ---- */

static int read_bytes(bipe_tokenizer *tokenizer, bipe_description *d, const bipe_gguf *gguf, bos_rule *rule,
                      bipe_error *err)
{
    bipe_gguf_string name;
    int status = bipe_gguf_get_string(gguf, KEY("pre"), &name, err);
    if (status == BIPE_END) /* older than the key, and split by what llama.cpp takes then */
        name = (bipe_gguf_string){.text = "default", .size = strlen("default")};
    else if (status != BIPE_OK)
        return status;
    const character_kind *characters = find_characters(name);
    if (characters != NULL)
        return read_characters(tokenizer, d, gguf, characters, false, rule, err);
    const bipe_pretoken_patterns *patterns = bipe_pretoken_patterns_find(name.text, name.size);
    if (patterns == NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, KEY("pre") ": \"%.*s\" is not known",
                         (int)(name.size < 80 ? name.size : 80), name.text);
    *rule = patterns->whole ? BOS_UNLESS_SAID : BOS_IF_SAID;
    bool prefix = false;
    status = bipe_gguf_optional_bool(gguf, KEY("add_space_prefix"), &prefix, err);
    d->root =
        json_pack("{s:[],s:{s:s,s:b}}", "added_tokens", "model", "type", "BPE", "ignore_merges", (int)patterns->whole);
    if (status == BIPE_OK)
        status = read_lists(d, gguf, false, err);
    if (status != BIPE_OK)
        return status;
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    return bipe_pipeline_read(tokenizer, p, bipe_pipeline_add_byte_level(p, prefix, patterns->pattern, err), d, err);
}

/* ---- WordPiece ---- */

static int read_bert(bipe_tokenizer *tokenizer, bipe_description *d, const bipe_gguf *gguf, bipe_error *err)
{
    int64_t unk = 100; /* llama.cpp's, where the file does not say */
    d->root = json_pack("{s:[],s:{}}", "added_tokens", "model");
    int status = d->root != NULL ? read_tokens(d, gguf, true, err) : bipe_fail_memory(err);
    if (status == BIPE_OK && (status = read_types(d, gguf, false, err)) == BIPE_END)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("token_type"));
    if (status == BIPE_OK &&
        (status = bipe_gguf_read_id(gguf, KEY("unknown_token_id"), d->count, &unk, err)) == BIPE_END)
        status = (size_t)unk < d->count ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("unknown_token_id"));
    if (status == BIPE_OK && json_object_set_new(json_object_get(d->root, "model"), "unk_id", json_integer(unk)) != 0)
        status = bipe_fail_memory(err);
    bool lower = true, strip;
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("normalizer.lowercase"), &lower, err);
    strip = lower;
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("normalizer.strip_accents"), &strip, err);
    if (status != BIPE_OK)
        return status;
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    return bipe_pipeline_read(tokenizer, p, bipe_pipeline_add_bert(p, lower, strip, err), d, err);
}

/* ---- the whole ---- */

static int read_kind(bipe_tokenizer *tokenizer, bipe_description *d, const bipe_gguf *gguf, bipe_gguf_string name,
                     bos_rule *rule, bipe_error *err)
{
    bipe_gguf_string whole;
    int status = bipe_gguf_get_string(gguf, KEY_JSON, &whole, err);
    if (status == BIPE_OK) {
        status = bipe_tokenizer_json_read(tokenizer, (const uint8_t *)whole.text, whole.size, err);
        return status == BIPE_OK ? status : bipe_error_prefix(err, KEY_JSON);
    }
    if (status != BIPE_END)
        return status;
    tokenizer->kind = bipe_token_kind_find(name.text, name.size);
    if (tokenizer->kind != NULL) {
        tokenizer->size = tokenizer->kind->size;
        return BIPE_OK;
    }
    if (is_name(name, "gpt2"))
        return read_bytes(tokenizer, d, gguf, rule, err);
    if (is_name(name, "bert"))
        return read_bert(tokenizer, d, gguf, err);
    if (is_name(name, "gemma4"))
        return read_characters(tokenizer, d, gguf, &character_kinds[0], false, rule, err);
    if (is_name(name, "whitespace"))
        return read_whitespace(tokenizer, d, gguf, rule, err);
    if (is_name(name, "tiktoken")) {
        status = bipe_gguf_get_string(gguf, "tokenizer.tiktoken", &whole, err);
        return status == BIPE_END  ? bipe_fail(err, BIPE_ERR_FORMAT, "no tokenizer.tiktoken")
               : status == BIPE_OK ? bipe_tiktoken_read(tokenizer, (const uint8_t *)whole.text, whole.size, err)
                                   : status;
    }
    bool t5 = is_name(name, "t5");
    if (!t5 && !is_name(name, "llama"))
        return bipe_fail(
            err, BIPE_ERR_UNSUPPORTED,
            KEY("model") ": %.*s, supported are llama, t5, gpt2, gemma4, whitespace, bert, byte, char and word",
            (int)(name.size < 80 ? name.size : 80), name.text);
    *rule = t5 ? BOS_IF_SAID : BOS_UNLESS_SAID;
    return bipe_gguf_pieces_read(tokenizer, gguf, t5, err);
}

/* The id under `key`; without the key, that of the control piece `text`. */
static int special_id(const bipe_tokenizer *tokenizer, const bipe_gguf *gguf, const char *key, const char *text,
                      int64_t *id, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->kind == &bipe_bpe_kind ? tokenizer->model : NULL;
    int status = bipe_gguf_read_id(gguf, key, tokenizer->size, id, err);
    if (status != BIPE_END)
        return status;
    int64_t known =
        text != NULL && bpe != NULL ? bipe_vocabulary_find(&bpe->vocabulary, text, strlen(text)) : BIPE_NO_PIECE;
    *id = known != BIPE_NO_PIECE && bpe->type[known] == BIPE_PIECE_CONTROL ? known : BIPE_NO_TOKEN;
    return BIPE_OK;
}

static int read_specials(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bos_rule rule, bipe_error *err)
{
    bool add_bos = rule != BOS_IF_SAID;
    int64_t bos, eos;
    int status = bipe_gguf_optional_bool(gguf, KEY("add_bos_token"), &add_bos, err);
    if (status == BIPE_OK)
        status = special_id(tokenizer, gguf, KEY("bos_token_id"), "<s>", &bos, err);
    if (status == BIPE_OK)
        status = special_id(tokenizer, gguf, KEY("eos_token_id"), "</s>", &eos, err);
    /* BERT has other names for them. */
    if (status == BIPE_OK && bos == BIPE_NO_TOKEN)
        status = special_id(tokenizer, gguf, KEY("cls_token_id"), NULL, &bos, err);
    if (status == BIPE_OK && eos == BIPE_NO_TOKEN)
        status = special_id(tokenizer, gguf, KEY("seperator_token_id"), NULL, &eos, err);
    if (status != BIPE_OK)
        return status;
    tokenizer->bos = add_bos || rule == BOS_ALWAYS ? bos : BIPE_NO_TOKEN;
    tokenizer->eos = eos;
    return BIPE_OK;
}

static int write_keys(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    (void)err;
    bipe_gguf_set_keys(writer, tokenizer->keys);
    return BIPE_OK;
}

int bipe_gguf_vocabulary_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    bipe_gguf_string name;
    bipe_description d = {0};
    bos_rule rule = BOS_UNLESS_SAID;
    int status = bipe_gguf_get_string(gguf, KEY("model"), &name, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no tokenizer in this file (no " KEY("model") ")");
    if (status == BIPE_OK)
        status = read_kind(tokenizer, &d, gguf, name, &rule, err);
    bipe_description_free(&d);
    bool vocabulary = tokenizer->kind == &bipe_bpe_kind || tokenizer->kind == &bipe_pipeline_kind;
    if (status == BIPE_OK && vocabulary)
        status = read_specials(tokenizer, gguf, rule, err);
    if (status == BIPE_OK && vocabulary)
        status = bipe_end_tokens_read_gguf(tokenizer, gguf, err);
    if (status == BIPE_OK && vocabulary && tokenizer->original == NULL) {
        status = bipe_gguf_copy_keys(&tokenizer->keys, gguf, "tokenizer.", err);
        tokenizer->write_gguf = write_keys;
    }
    if (status != BIPE_OK)
        bipe_tokenizer_clear(tokenizer); /* it is not the caller's yet */
    return status;
}
