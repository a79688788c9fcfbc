/* gguf_pieces.c - vocabularies of GGUF files that are SentencePiece models, `llama` (BPE) and `t5` (Unigram): read, and
 * such tokenizers written, whatever file they come from. The key tokenizer.ggml.escape_whitespaces is bipe's own,
 * written when it is false. */
#include <string.h>

#include "base/alloc.h"
#include "token/files/gguf_vocabulary.h"

#define KEY(name) "tokenizer.ggml." name

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
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens, %zu scores, %zu token types, expected as many of each",
                         count, scores, types);
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

/* llama.cpp's defaults: without keys, a model of type `llama` has the prefix, one of type `t5` has not. */
int bipe_gguf_pieces_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bool unigram, bipe_error *err)
{
    static const char surface[] = " \xE2\x81\x87 ";
    bipe_spm_settings settings = {.type = unigram ? BIPE_SPM_UNIGRAM : BIPE_SPM_BPE, .dummy_prefix = !unigram,
                                  .squeeze = false, .escape = true, .unk_surface = (const uint8_t *)surface,
                                  .unk_surface_size = sizeof surface - 1};
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
    /* A file may name its unknown token without giving it the type, and give others that type that stand for nothing:
     * they are like control pieces then (Phi-3). */
    uint64_t unk = 0;
    if (status == BIPE_OK && bipe_gguf_get_uint(gguf, KEY("unknown_token_id"), &unk, NULL) == BIPE_OK &&
        unk < bpe->vocabulary.count) {
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

/* ---- writing ---- */

static void write_id(bipe_gguf_writer *writer, const char *key, int64_t id)
{
    if (id != BIPE_NO_TOKEN)
        bipe_gguf_set_u32(writer, key, (uint32_t)id);
}

int bipe_gguf_write_spm(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    if (bpe->unwritable_type != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "%s: a SentencePiece model of type %s, which a GGUF file cannot hold", tokenizer->spec,
                         bpe->unwritable_type);
    bipe_gguf_set_text(writer, KEY("model"), bpe->unigram != NULL ? "t5" : "llama");
    bipe_gguf_set_text(writer, KEY("pre"), "default");
    int status = bipe_gguf_write_pieces(bpe, size, writer, err);
    write_id(writer, KEY("bos_token_id"), tokenizer->bos);
    write_id(writer, KEY("eos_token_id"), tokenizer->eos);
    write_id(writer, KEY("unknown_token_id"), bpe->unk);
    bipe_gguf_set_bool(writer, KEY("add_bos_token"), tokenizer->bos != BIPE_NO_TOKEN);
    bipe_gguf_set_bool(writer, KEY("add_space_prefix"), bpe->rules.dummy_prefix);
    bipe_gguf_set_bool(writer, KEY("remove_extra_whitespaces"), bpe->rules.squeeze);
    if (bpe->rules.suffix)
        bipe_gguf_set_bool(writer, KEY("treat_whitespace_as_suffix"), true);
    if (bpe->rules.space == ' ')
        bipe_gguf_set_bool(writer, KEY("escape_whitespaces"), false);
    if (bpe->rules.map.size != 0)
        bipe_gguf_set_u8s(writer, KEY("precompiled_charsmap"), bpe->rules.map.blob, bpe->rules.map.size);
    return status;
}

int bipe_bpe_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    return bipe_gguf_write_spm(tokenizer, 0, writer, err);
}
