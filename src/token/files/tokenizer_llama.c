/* tokenizer_llama.c - writes a tokenizer under the keys that llama.cpp reads. A part that it would do differently is
 * refused by name.
 *
 * llama.cpp has SentencePiece's models (`llama`, `t5`) and byte-level BPE (`gpt2`), whose pattern goes by a name. A
 * tokenizer.json of the Llama family becomes `llama` where its list of merges says no more than scores of tokens do. */
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/files/gguf_vocabulary.h"
#include "token/files/tokenizer_write.h"
#include "token/pipeline/merge_model.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pretoken/pretoken_patterns.h"

#define KEY(name) "tokenizer.ggml." name
#define MARK "\xE2\x96\x81" /* U+2581 */

/* ---- SentencePiece and the Llama family ---- */

/* Whether every cut of the token into two tokens is a merge. */
static bool has_all_merges(const bipe_pipeline *p, const uint8_t *type, uint32_t id)
{
    const bipe_vocabulary *v = &p->vocabulary;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(v, id, &size);
    for (size_t at = 1; at < size; at++) {
        int64_t left = bipe_vocabulary_find(v, text, at), right = bipe_vocabulary_find(v, text + at, size - at);
        if (left == BIPE_NO_PIECE || right == BIPE_NO_PIECE || type[left] != BIPE_PIECE_NORMAL ||
            type[right] != BIPE_PIECE_NORMAL)
            continue;
        const bipe_pair_entry *merge =
            bipe_pair_table_find(&((const bipe_merge_model *)p->model)->merges, (uint32_t)left, (uint32_t)right);
        if (merge == NULL || merge->b != id)
            return false;
    }
    return true;
}

/* Of each token (count): how many merges make it (zeros at first), the first and the last rank of one. */
static void count_merges(const bipe_pair_table *merges, size_t count, uint32_t *merges_of, uint32_t *first,
                         uint32_t *last)
{
    for (size_t i = 0; merges->count != 0 && i <= merges->mask; i++) {
        const bipe_pair_entry *merge = &merges->entry[i];
        if (merge->key == BIPE_PAIR_EMPTY || merge->b >= count)
            continue;
        bool known = merges_of[merge->b]++ != 0;
        first[merge->b] = known && first[merge->b] < merge->a ? first[merge->b] : merge->a;
        last[merge->b] = known && last[merge->b] > merge->a ? last[merge->b] : merge->a;
    }
}

/* Whether scores of tokens can say what the merges do: those that make a token follow each other, and none is
 * missing. */
static bool merges_are_scores(const bipe_pipeline *p, const uint8_t *type, const uint32_t *merges_of,
                              const uint32_t *first, const uint32_t *last)
{
    for (size_t id = 0; id < p->vocabulary.count; id++)
        if (merges_of[id] != 0 && (last[id] - first[id] >= merges_of[id] || !has_all_merges(p, type, (uint32_t)id)))
            return false;
    return true;
}

/* *same: what the steps make of all characters of ASCII is what Llama's make of them, with U+2581 for the space, which
 * may stand in front, too. */
static int has_llama_steps(const bipe_pipeline *p, bool *same, bool *prefix, bipe_error *err)
{
    bipe_mapped text = {.first = true, .origin = true}, spare = {0};
    bipe_buffer want = {0};
    int status = bipe_buffer_append(&want, MARK, sizeof MARK - 1, err);
    for (unsigned code = 0; status == BIPE_OK && code < 0x80; code++) {
        uint8_t byte = (uint8_t)code;
        status = bipe_mapped_append(&text, &byte, 1, code, code + 1, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&want, code == ' ' ? (const void *)MARK : &byte,
                                        code == ' ' ? sizeof MARK - 1 : 1, err);
    }
    if (status == BIPE_OK)
        status = bipe_pipeline_normalize(p, &text, &spare, err);
    *prefix = status == BIPE_OK && text.size == want.size;
    size_t from = want.size - text.size;
    *same = status == BIPE_OK && p->safe->plain && (*prefix || from == sizeof MARK - 1) &&
            memcmp(text.text, want.data + from, text.size) == 0;
    for (size_t i = 0; i < p->pretokenizers; i++)
        *same = *same && p->pretokenizer[i].type->rewrite == NULL;
    bipe_mapped_free(&text);
    bipe_mapped_free(&spare);
    bipe_buffer_free(&want);
    return status;
}

/* The tokens as pieces, with scores for the ranks of their first merges. */
static int add_pieces(bipe_bpe *bpe, const bipe_pipeline *p, const uint32_t *merges_of, const uint32_t *first,
                      bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t id = 0, size; status == BIPE_OK && id < p->vocabulary.count; id++) {
        const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, (uint32_t)id, &size);
        bipe_piece_type type = (int64_t)id == bpe->unk ? BIPE_PIECE_UNKNOWN
                               : p->added_id[id] != 0  ? p->added_id[id] == 2 ? BIPE_PIECE_CONTROL : BIPE_PIECE_USER
                               : bipe_byte_piece(text, size) >= 0 ? BIPE_PIECE_BYTE
                               : size != 0                        ? BIPE_PIECE_NORMAL
                                                                  : BIPE_PIECE_NONE;
        status = bipe_bpe_add_piece(bpe, text, size, type, merges_of[id] != 0 ? -(float)(first[id] + 1) : 0, err);
    }
    return status;
}

/* Whether it is of that family, or nearly so. */
static bool merges_characters(const bipe_pipeline *p)
{
    return p->safe->plain ||
           (p->type == &bipe_model_bpe && p->pretokenizers == 0 && !((const bipe_merge_model *)p->model)->bytes);
}

/* As a SentencePiece model. */
static int write_llama_json(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    const bipe_merge_model *m = p->model;
    bool same, prefix;
    int status = has_llama_steps(p, &same, &prefix, err);
    if (status != BIPE_OK)
        return status;
    if (!same)
        return bipe_refuse_tokenizer(
            tokenizer,
            "a normalizer or unknown tokens other than those of Llama's tokenizer.json, which llama.cpp does not have",
            err);
    size_t count = p->vocabulary.count;
    uint32_t *counts = bipe_alloc(count, 3 * sizeof *counts);
    bipe_bpe *bpe = bipe_bpe_new();
    bipe_tokenizer pieces = *tokenizer;
    status = counts != NULL && bpe != NULL ? BIPE_OK : bipe_fail_memory(err);
    if (status == BIPE_OK) {
        bpe->unk = m->unk;
        bpe->rules.dummy_prefix = prefix;
        bpe->rules.space = 0x2581;
        pieces.model = bpe;
        count_merges(&m->merges, count, counts, counts + count, counts + 2 * count);
        status = add_pieces(bpe, p, counts, counts + count, err);
    }
    if (status == BIPE_OK && !merges_are_scores(p, bpe->type, counts, counts + count, counts + 2 * count))
        status = bipe_refuse_tokenizer(
            tokenizer,
            "merges of characters in an order that scores of tokens cannot say, and llama.cpp knows scores alone", err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_spm(&pieces, size, writer, err);
    bipe_bpe_free(bpe);
    bipe_free(counts);
    return status;
}

static int write_llama_spm(const bipe_tokenizer *tokenizer, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_bpe *bpe = tokenizer->model;
    const bipe_spm_rules *rules = &bpe->rules;
    int status = BIPE_OK;
    if (rules->space == ' ')
        status =
            bipe_refuse_tokenizer(tokenizer,
                                  "spaces that stay spaces (escape_whitespaces: false), which llama.cpp does not have",
                                  err);
    else if (bpe->unigram == NULL && rules->map.size != 0)
        status = bipe_refuse_tokenizer(tokenizer, "BPE with a map of characters, which llama.cpp has for Unigram alone",
                                       err);
    else if (bpe->unigram == NULL && (rules->squeeze || rules->suffix))
        status = bipe_refuse_tokenizer(tokenizer,
                                       rules->squeeze
                                           ? "BPE that removes extra spaces, which llama.cpp does for Unigram alone"
                                           : "BPE with spaces as suffixes, which llama.cpp has for Unigram alone",
                                       err);
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
        return bipe_refuse_tokenizer(tokenizer,
                                     "a model other than byte-level BPE, which llama.cpp would not run as it is", err);
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

int bipe_tokenizer_write_llama(const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_gguf_writer *writer,
                               bipe_error *err)
{
    if (tokenizer->leading > 1)
        return bipe_refuse_tokenizer(tokenizer, "documents start with several special tokens, GGUF has a place for one",
                                     err);
    int status = bipe_end_tokens_write_llama(tokenizer, writer, err);
    if (status != BIPE_OK)
        return status;
    if (tokenizer->kind == &bipe_byte_kind)
        return write_llama_byte_kind(vocabulary, writer, err);
    if (tokenizer->kind == &bipe_bpe_kind)
        return write_llama_spm(tokenizer, vocabulary, writer, err);
    if (bipe_tokenizer_is_of_json(tokenizer) && merges_characters(tokenizer->model))
        return write_llama_json(tokenizer, vocabulary, writer, err);
    if (bipe_tokenizer_is_of_json(tokenizer))
        return write_llama_bytes(tokenizer, vocabulary, writer, err);
    if (tokenizer->keys == NULL)
        return bipe_refuse_tokenizer(
            tokenizer, "a tokenizer that llama.cpp does not have, expected SentencePiece or byte-level BPE", err);
    if (tokenizer->size != vocabulary)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: %zu tokens, expected %zu, which the model has",
                         tokenizer->spec, tokenizer->size, vocabulary);
    return tokenizer->write_gguf(tokenizer, writer, err); /* it is from such a file */
}
