/* tokenizer_llama.c - writes a tokenizer under the keys that llama.cpp reads. A part that it would do differently is refused by name.
 *
 * llama.cpp has SentencePiece's models (`llama`, `t5`) and byte-level BPE (`gpt2`), whose pattern goes by a name. A tokenizer.json of the Llama
 * family becomes `llama` where its list of merges says no more than scores of tokens do. */
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/files/gguf_vocabulary.h"
#include "token/files/tokenizer_write.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"

#define KEY(name) "tokenizer.ggml." name

/* ---- SentencePiece and the Llama family ---- */

/* Characters without a rule of their own, spaces as U+2581. */
static bool has_llama_normalizer(const bipe_normalizer *n)
{
    enum { SPACE = 0x2581 };
    bool prefix = n->prefix.count == 0 || (n->prefix.count == 1 && n->prefix.code[0] == SPACE && !n->lone);
    return prefix && n->rules == 1 && n->rule[0].from == ' ' && n->rule[0].to.count == 1 && n->rule[0].to.code[0] == SPACE;
}

/* Whether every cut of the token into two tokens is a merge. */
static bool has_all_merges(const bipe_bpe *bpe, uint32_t id)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&bpe->vocabulary, id, &size);
    for (size_t at = 1; at < size; at++) {
        int64_t left = bipe_vocabulary_find(&bpe->vocabulary, text, at), right = bipe_vocabulary_find(&bpe->vocabulary, text + at, size - at);
        if (left == BIPE_NO_PIECE || right == BIPE_NO_PIECE || bpe->type[left] != BIPE_PIECE_NORMAL || bpe->type[right] != BIPE_PIECE_NORMAL)
            continue;
        const bipe_pair_entry *merge = bipe_pair_table_find(&bpe->merges, (uint32_t)left, (uint32_t)right);
        if (merge == NULL || merge->b != id)
            return false;
    }
    return true;
}

/* Whether scores of tokens can say what the merges do: those that make a token follow each other, and none is missing. *merges_of: (V) zeros. */
static bool merges_are_scores(const bipe_bpe *bpe, uint32_t *merges_of, uint32_t *first, uint32_t *last)
{
    for (size_t i = 0; bpe->merges.count != 0 && i <= bpe->merges.mask; i++) {
        const bipe_pair_entry *merge = &bpe->merges.entry[i];
        if (merge->key == BIPE_PAIR_EMPTY || merge->b >= bpe->vocabulary.count)
            continue;
        bool known = merges_of[merge->b]++ != 0;
        first[merge->b] = known && first[merge->b] < merge->a ? first[merge->b] : merge->a;
        last[merge->b] = known && last[merge->b] > merge->a ? last[merge->b] : merge->a;
    }
    for (size_t id = 0; id < bpe->vocabulary.count; id++)
        if (merges_of[id] != 0 && (last[id] - first[id] >= merges_of[id] || !has_all_merges(bpe, (uint32_t)id)))
            return false;
    return true;
}

static int check_merges(const bipe_tokenizer *tokenizer, const bipe_bpe *bpe, bipe_error *err)
{
    uint32_t *counts = bipe_alloc(bpe->vocabulary.count, 3 * sizeof *counts);
    if (counts == NULL)
        return bipe_fail_memory(err);
    bool same = merges_are_scores(bpe, counts, counts + bpe->vocabulary.count, counts + 2 * bpe->vocabulary.count);
    bipe_free(counts);
    return same ? BIPE_OK : bipe_refuse_tokenizer(tokenizer, "merges of characters in an order that scores of tokens cannot say, and llama.cpp knows scores alone", err);
}

static int write_llama_spm(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    const bipe_spm_rules *rules = &bpe->rules;
    int status = BIPE_OK;
    if (bpe->json && !(has_llama_normalizer(&bpe->normalizer) && bpe->byte_fallback))
        status = bipe_refuse_tokenizer(tokenizer, "a normalizer or unknown tokens other than those of Llama's tokenizer.json, which llama.cpp does not have", err);
    else if (bpe->json)
        status = check_merges(tokenizer, bpe, err);
    else if (rules->space == ' ')
        status = bipe_refuse_tokenizer(tokenizer, "spaces that stay spaces (escape_whitespaces: false), which llama.cpp does not have", err);
    else if (bpe->unigram == NULL && rules->map.size != 0)
        status = bipe_refuse_tokenizer(tokenizer, "BPE with a map of characters, which llama.cpp has for Unigram alone", err);
    else if (bpe->unigram == NULL && (rules->squeeze || rules->suffix))
        status = bipe_refuse_tokenizer(tokenizer, rules->squeeze ? "BPE that removes extra spaces, which llama.cpp does for Unigram alone"
                                                  : "BPE with spaces as suffixes, which llama.cpp has for Unigram alone", err);
    return status == BIPE_OK ? bipe_gguf_write_spm(tokenizer, size, writer, err) : status;
}

/* ---- byte-level BPE ---- */

/* The pattern of a step that splits, as the table of known ones has it; NULL: none. */
static const char *pattern_of(const bipe_pretokenizer_step *step)
{
    bool each, digits;
    const char *known = step->type->known != NULL ? step->type->known(step->config) : NULL;
    if (known == NULL && step->type->numbers != NULL && step->type->numbers(step->config, &each, &digits))
        known = each ? "\\p{N}" : "\\p{N}+";
    return known;
}

/* llama.cpp's name of what a pipeline does to bytes; NULL: there is none. */
static const char *name_of_steps(const bipe_pipeline *p, bool whole)
{
    if (p->pretokenizers == 0 || p->pretokenizer[p->pretokenizers - 1].type != &bipe_pre_byte_letters)
        return NULL;
    size_t splits = p->pretokenizers - 1;
    const bipe_pretoken_patterns *known;
    for (size_t i = 0; (known = bipe_pretoken_patterns_at(i)) != NULL; i++) {
        size_t same = 0;
        while (same < splits && known->pattern[same] != NULL && pattern_of(&p->pretokenizer[same]) != NULL &&
               strcmp(known->pattern[same], pattern_of(&p->pretokenizer[same])) == 0)
            same++;
        if (same == splits && known->pattern[same] == NULL && known->whole == whole)
            return known->name;
    }
    return NULL;
}

static int write_llama_bytes(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    const bipe_merge_model *m = p->model;
    if (p->type != &bipe_model_bpe || !p->bytes || !m->bytes || !m->letters || m->prefix != NULL || m->suffix != NULL)
        return bipe_refuse_tokenizer(tokenizer, "a model other than byte-level BPE, which llama.cpp would not run as it is", err);
    /* llama.cpp leaves out NFC, which changes hardly any text, of the models that have it (Qwen). */
    if (p->normalizers > 1 || (p->normalizers == 1 && strcmp(p->normalizer[0].type->name, "NFC") != 0))
        return bipe_refuse_tokenizer(tokenizer, "a normalizer, which llama.cpp does not have", err);
    const char *pre = name_of_steps(p, m->whole);
    if (pre == NULL)
        return bipe_refuse_tokenizer(tokenizer, "text is split by steps for which llama.cpp has no name", err);
    bipe_gguf_set_text(writer, KEY("model"), "gpt2");
    bipe_gguf_set_text(writer, KEY("pre"), pre);
    int status = bipe_gguf_write_tokens(p, size, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_merges(&p->vocabulary, &m->merges, writer, err);
    bipe_pipeline_write_ids(tokenizer, writer);
    return status;
}

/* Without merges it does not matter how the text is split. */
static int write_llama_byte_kind(size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    bipe_vocabulary letters = {0};
    bipe_gguf_set_text(writer, KEY("model"), "gpt2");
    bipe_gguf_set_text(writer, KEY("pre"), "gpt-2");
    int status = bipe_list_letters(&letters, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_plain_tokens(&letters, size, writer, err);
    bipe_gguf_set_strings(writer, KEY("merges"), NULL, 0);
    bipe_gguf_set_bool(writer, KEY("add_bos_token"), false);
    bipe_vocabulary_free(&letters);
    return status;
}

/* Merges of characters, which a GGUF file has under names of its own. */
static bool is_from_gguf(const bipe_tokenizer *tokenizer)
{
    return tokenizer->keys != NULL && ((const bipe_bpe *)tokenizer->model)->json;
}

int bipe_tokenizer_write_llama(const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_gguf_writer *writer, bipe_error *err)
{
    if (tokenizer->leading > 1)
        return bipe_refuse_tokenizer(tokenizer, "documents start with several special tokens, GGUF has a place for one", err);
    int status = bipe_end_tokens_write_llama(tokenizer, writer, err);
    if (status != BIPE_OK)
        return status;
    if (tokenizer->kind == &bipe_byte_kind)
        return write_llama_byte_kind(vocabulary, writer, err);
    if (tokenizer->kind == &bipe_bpe_kind && !is_from_gguf(tokenizer))
        return write_llama_spm(tokenizer, vocabulary, writer, err);
    if (bipe_tokenizer_is_of_json(tokenizer))
        return write_llama_bytes(tokenizer, vocabulary, writer, err);
    if (tokenizer->keys == NULL)
        return bipe_refuse_tokenizer(tokenizer, "a tokenizer that llama.cpp does not have, expected SentencePiece or byte-level BPE", err);
    if (tokenizer->size != vocabulary)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: %zu tokens, expected %zu, which the model has", tokenizer->spec, tokenizer->size, vocabulary);
    return tokenizer->write_gguf(tokenizer, writer, err); /* it is from such a file */
}
