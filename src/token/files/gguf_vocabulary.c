/* gguf_vocabulary.c - tokenizers kept in a GGUF file (github.com/ggml-org/ggml, docs/gguf.md), read and written.
 *
 * `llama` is a SentencePiece BPE model, `t5` one of type Unigram; they are read with SentencePiece's rules. `gpt2` is byte-level BPE
 * (gguf_byte_level.c) or, by name, of characters as `gemma4` and `whitespace` are (gguf_characters.c), `bert` WordPiece (gguf_bert.c). A
 * tokenizer.json that is kept whole under tokenizer.huggingface.json goes before it. `byte`, `char`, `word` and `words` are bipe's own. The key
 * tokenizer.ggml.escape_whitespaces is bipe's own too, written when it is false. */
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/files/gguf_parts.h"
#include "token/spm/bpe.h"

#define KEY(name) "tokenizer.ggml." name
#define KEY_JSON "tokenizer.huggingface.json"

/* ---- reading ---- */

/* The three arrays, which belong together. */
static int read_pieces(bipe_bpe *bpe, const bipe_gguf *gguf, bipe_error *err)
{
    size_t count, scores, types;
    int status = bipe_gguf_get_array(gguf, KEY("tokens"), BIPE_GGUF_STRING, &count, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("tokens"));
    if (status != BIPE_OK)
        return status;
    status = bipe_gguf_get_array(gguf, KEY("scores"), BIPE_GGUF_F32, &scores, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("scores"));
    if (status != BIPE_OK)
        return status;
    status = bipe_gguf_get_array(gguf, KEY("token_type"), BIPE_GGUF_I32, &types, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("token_type"));
    if (status != BIPE_OK)
        return status;
    if (scores != count || types != count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens, %zu scores, %zu token types, expected as many of each", count, scores,
                         types);
    for (size_t i = 0; i < count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), i);
        double score = bipe_gguf_array_number(gguf, KEY("scores"), i);
        if (!(type >= BIPE_PIECE_NORMAL && type <= BIPE_PIECE_BYTE))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: type %g, expected 1 to 6", i, type);
        status = bipe_bpe_add_piece(bpe, text.text, text.size, text.size != 0 ? (bipe_piece_type)type : BIPE_PIECE_NONE,
                                    (float)score, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

/* The id under `key`; without the key, that of the control piece `text`. */
static int special_id(const bipe_tokenizer *tokenizer, const bipe_gguf *gguf, const char *key, const char *text, int64_t *id,
                      bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->kind == &bipe_bpe_kind ? tokenizer->model : NULL;
    int status = bipe_gguf_get_id(gguf, key, tokenizer->size, id, err);
    if (status != BIPE_END)
        return status;
    int64_t known = text != NULL && bpe != NULL ? bipe_vocabulary_find(&bpe->vocabulary, text, strlen(text)) : BIPE_NO_PIECE;
    *id = known != BIPE_NO_PIECE && bpe->type[known] == BIPE_PIECE_CONTROL ? known : BIPE_NO_TOKEN;
    return BIPE_OK;
}

/* llama.cpp's defaults: without keys, a model of type `llama` has the prefix, one of type `t5` has not. */
static int read_spm(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bool unigram, bipe_error *err)
{
    static const char surface[] = " \xE2\x81\x87 ";
    bipe_spm_settings settings = {.type = unigram ? BIPE_SPM_UNIGRAM : BIPE_SPM_BPE, .dummy_prefix = !unigram, .squeeze = false, .escape = true,
                                  .unk_surface = (const uint8_t *)surface, .unk_surface_size = sizeof surface - 1};
    bipe_bpe *bpe = bipe_bpe_new();
    if (bpe == NULL)
        return bipe_fail_memory(err);
    int status = read_pieces(bpe, gguf, err);
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("add_space_prefix"), &settings.dummy_prefix, err);
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("remove_extra_whitespaces"), &settings.squeeze, err);
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("escape_whitespaces"), &settings.escape, err);
    if (status == BIPE_OK)
        status = bipe_gguf_optional_bool(gguf, KEY("treat_whitespace_as_suffix"), &settings.suffix, err);
    const uint8_t *map = NULL;
    if (status == BIPE_OK)
        status = bipe_gguf_get_bytes(gguf, KEY("precompiled_charsmap"), &map, &settings.charsmap_size, err);
    if (status == BIPE_END)
        status = BIPE_OK;
    settings.charsmap = map;
    for (size_t i = 0; i < bpe->vocabulary.count && !settings.byte_fallback; i++)
        settings.byte_fallback = bpe->type[i] == BIPE_PIECE_BYTE;
    /* A file may name its unknown token without giving it the type, and give others that type that stand for nothing: they are like control
     * pieces then (Phi-3). */
    uint64_t unk = 0;
    if (status == BIPE_OK && bipe_gguf_get_uint(gguf, KEY("unknown_token_id"), &unk, NULL) == BIPE_OK && unk < bpe->vocabulary.count) {
        for (size_t i = 0; i < bpe->vocabulary.count; i++)
            if (bpe->type[i] == BIPE_PIECE_UNKNOWN)
                bpe->type[i] = BIPE_PIECE_CONTROL;
        bpe->type[unk] = BIPE_PIECE_UNKNOWN;
    }
    if (status == BIPE_OK)
        status = bipe_spm_build(bpe, &settings, tokenizer->special, err);
    if (status != BIPE_OK) {
        bipe_bpe_free(bpe);
        return status;
    }
    bipe_bpe_install(tokenizer, bpe);
    return BIPE_OK;
}

static bool is_name(bipe_gguf_string string, const char *name)
{
    return string.size == strlen(name) && memcmp(string.text, name, string.size) == 0;
}

static int read_kind(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_gguf_string name, bipe_error *err)
{
    bipe_gguf_string json;
    int status = bipe_gguf_get_string(gguf, KEY_JSON, &json, err);
    if (status == BIPE_OK) {
        status = bipe_tokenizer_json_read(tokenizer, (const uint8_t *)json.text, json.size, err);
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
        return bipe_gguf_byte_level_read(tokenizer, gguf, err);
    if (is_name(name, "bert"))
        return bipe_gguf_bert_read(tokenizer, gguf, err);
    if (is_name(name, "gemma4"))
        return bipe_gguf_characters_read(tokenizer, gguf, "gemma4", strlen("gemma4"), false, err);
    if (is_name(name, "whitespace")) {
        bipe_gguf_string pre = {.text = "default", .size = strlen("default")};
        status = bipe_gguf_get_string(gguf, KEY("pre"), &pre, err);
        return status == BIPE_OK || status == BIPE_END ? bipe_gguf_characters_read(tokenizer, gguf, pre.text, pre.size, true, err) : status;
    }
    if (is_name(name, "tiktoken")) {
        status = bipe_gguf_get_string(gguf, "tokenizer.tiktoken", &json, err);
        return status == BIPE_END ? bipe_fail(err, BIPE_ERR_FORMAT, "no tokenizer.tiktoken")
               : status == BIPE_OK ? bipe_tiktoken_read(tokenizer, (const uint8_t *)json.text, json.size, err) : status;
    }
    bool t5 = is_name(name, "t5");
    if (!t5 && !is_name(name, "llama"))
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, KEY("model") ": %.*s, supported are llama, t5, gpt2, gemma4, whitespace, bert, byte, char and word",
                         (int)(name.size < 80 ? name.size : 80), name.text);
    return read_spm(tokenizer, gguf, t5, err);
}

int bipe_gguf_vocabulary_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    bipe_gguf_string name;
    int status = bipe_gguf_get_string(gguf, KEY("model"), &name, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no tokenizer in this file (no " KEY("model") ")");
    if (status == BIPE_OK)
        status = read_kind(tokenizer, gguf, name, err);
    if (status != BIPE_OK || (tokenizer->kind != &bipe_bpe_kind && tokenizer->kind != &bipe_pipeline_kind))
        return status;
    bool pipeline = tokenizer->kind == &bipe_pipeline_kind;
    const bipe_bpe *bpe = pipeline ? NULL : tokenizer->model;
    int rule = bipe_gguf_characters_bos(tokenizer);
    bool json = pipeline || bpe->json, add_bos = rule >= 0 ? rule == 1 : pipeline ? bipe_gguf_byte_level_adds_bos(tokenizer) : bpe->unigram == NULL;
    int64_t bos, eos;
    status = bipe_gguf_optional_bool(gguf, KEY("add_bos_token"), &add_bos, err);
    if (status == BIPE_OK)
        status = special_id(tokenizer, gguf, KEY("bos_token_id"), json ? NULL : "<s>", &bos, err);
    if (status == BIPE_OK)
        status = special_id(tokenizer, gguf, KEY("eos_token_id"), json ? NULL : "</s>", &eos, err);
    /* What BERT calls them. */
    if (status == BIPE_OK && bos == BIPE_NO_TOKEN)
        status = special_id(tokenizer, gguf, KEY("cls_token_id"), NULL, &bos, err);
    if (status == BIPE_OK && eos == BIPE_NO_TOKEN)
        status = special_id(tokenizer, gguf, KEY("seperator_token_id"), NULL, &eos, err);
    if (status == BIPE_OK) {
        tokenizer->bos = add_bos || rule == 1 ? bos : BIPE_NO_TOKEN;
        tokenizer->eos = eos;
        return BIPE_OK;
    }
    bipe_tokenizer_clear(tokenizer); /* it is not the caller's yet */
    return status;
}

/* ---- writing ---- */

static int write_id(bipe_gguf_writer *writer, const char *key, int64_t id, bipe_error *err)
{
    return id != BIPE_NO_TOKEN ? bipe_gguf_set_u32(writer, key, (uint32_t)id, err) : BIPE_OK;
}

int bipe_gguf_write_spm(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    if (bpe->only_model != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: a SentencePiece model of type %s, which a GGUF file cannot hold", tokenizer->spec,
                         bpe->only_model);
    const char *model = bpe->unigram != NULL ? "t5" : "llama";
    int status = bipe_gguf_set_string(writer, KEY("model"), model, strlen(model), err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, KEY("pre"), "default", 7, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_pieces(bpe, size, writer, err);
    if (status == BIPE_OK)
        status = write_id(writer, KEY("bos_token_id"), tokenizer->bos, err);
    if (status == BIPE_OK)
        status = write_id(writer, KEY("eos_token_id"), tokenizer->eos, err);
    if (status == BIPE_OK)
        status = write_id(writer, KEY("unknown_token_id"), bpe->unk, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, KEY("add_bos_token"), tokenizer->bos != BIPE_NO_TOKEN, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, KEY("add_space_prefix"), bpe->normalizer.prefix.count != 0 || bpe->rules.suffix, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_bool(writer, KEY("remove_extra_whitespaces"), bpe->rules.squeeze, err);
    if (status == BIPE_OK && bpe->rules.suffix)
        status = bipe_gguf_set_bool(writer, KEY("treat_whitespace_as_suffix"), true, err);
    if (status == BIPE_OK && !bpe->json && bpe->rules.space == ' ')
        status = bipe_gguf_set_bool(writer, KEY("escape_whitespaces"), false, err);
    if (status == BIPE_OK && bpe->rules.map.size != 0)
        status = bipe_gguf_set_u8s(writer, KEY("precompiled_charsmap"), bpe->rules.map.blob, bpe->rules.map.size, err);
    return status;
}

int bipe_bpe_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    int status = bipe_gguf_write_spm(tokenizer, 0, writer, err);
    return status == BIPE_OK && bpe->json ? bipe_tokenizer_write_original(tokenizer, writer, KEY_JSON, err) : status;
}
