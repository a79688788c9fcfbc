/* end_tokens.c - the tokens that end a text: the tokenizer's EOS, and those that the files beside it state.
 *
 * In a Hugging Face folder these are `eos_token_id` of config.json and of generation_config.json, of which the later
 * one that states any counts, as transformers generates. In a GGUF file they are the keys eos, eot and eom, and tokens
 * known by their names, as llama.cpp has it; or all of them in tokenizer.ggml.end_token_ids, a key of bipe's own, which
 * goes before the others and which native files have instead of names. */
#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "token/files/gguf_vocabulary.h"
#include "token/files/tokenizer_write.h"

#define KEY(name) "tokenizer.ggml." name

enum { MOST_ENDS = 256, FILE_MOST = 16 << 20 };

const bipe_vocabulary *bipe_tokenizer_vocabulary(const bipe_tokenizer *tokenizer)
{
    return tokenizer->kind == &bipe_bpe_kind        ? &((const bipe_bpe *)tokenizer->model)->vocabulary
           : tokenizer->kind == &bipe_pipeline_kind ? &((const bipe_pipeline *)tokenizer->model)->vocabulary
                                                    : NULL;
}

const uint8_t *bipe_tokenizer_string(const bipe_tokenizer *tokenizer, uint32_t id, size_t *size)
{
    const bipe_vocabulary *vocabulary = bipe_tokenizer_vocabulary(tokenizer);
    *size = 0;
    return vocabulary != NULL && id < vocabulary->count ? bipe_vocabulary_text(vocabulary, id, size) : NULL;
}

/* ---- the list ---- */

static int add_end(bipe_tokenizer *tokenizer, int64_t id, bipe_error *err)
{
    if (bipe_tokenizer_is_end(tokenizer, (uint32_t)id))
        return BIPE_OK;
    if (tokenizer->ends == MOST_ENDS)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d end tokens", MOST_ENDS);
    if (bipe_grow(&tokenizer->end, &tokenizer->end_capacity, tokenizer->ends + 1, sizeof *tokenizer->end) != 0)
        return bipe_fail_memory(err);
    tokenizer->end[tokenizer->ends++] = (uint32_t)id;
    return BIPE_OK;
}

int bipe_end_tokens_finish(bipe_tokenizer *tokenizer, bipe_error *err)
{
    return tokenizer->eos != BIPE_NO_TOKEN ? add_end(tokenizer, tokenizer->eos, err) : BIPE_OK;
}

/* ---- Hugging Face folders ---- */

static int add_json(bipe_tokenizer *tokenizer, const char *file, const json_t *id, bipe_error *err)
{
    json_int_t value = json_integer_value(id);
    if (!json_is_integer(id))
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "key \"eos_token_id\" is of another kind, expected an id, a list of ids or null");
    if (value >= 0 && (uint64_t)value < tokenizer->size)
        return add_end(tokenizer, value, err);
    tokenizer->stray_file = file;
    tokenizer->stray_end = value;
    return BIPE_OK;
}

int bipe_end_tokens_read(bipe_tokenizer *tokenizer, const char *file, const uint8_t *bytes, size_t size,
                         bipe_error *err)
{
    json_error_t wrong;
    if (size > FILE_MOST)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%zu bytes, expected at most %d", size, (int)FILE_MOST);
    json_t *root = json_loadb((const char *)bytes, size, 0, &wrong);
    if (root == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
    const json_t *ids = json_object_get(root, "eos_token_id");
    int status = BIPE_OK;
    if (ids != NULL && !json_is_null(ids)) { /* what an earlier file has said does not count */
        tokenizer->ends = 0;
        tokenizer->stray_file = NULL;
        for (size_t i = 0; json_is_array(ids) && i < json_array_size(ids) && status == BIPE_OK; i++)
            status = add_json(tokenizer, file, json_array_get(ids, i), err);
        if (!json_is_array(ids))
            status = add_json(tokenizer, file, ids, err);
    }
    json_decref(root);
    return status;
}

/* ---- GGUF files ---- */

enum { END_OF_TEXT, END_OF_TURN, END_OF_MESSAGE };

/* The names by which llama.cpp knows such tokens, of models that are read here. */
static const struct {
    const char *name;
    int what;
} known_ends[] = {
    {"</s>", END_OF_TEXT}, {"<|endoftext|>", END_OF_TEXT}, {"<|end_of_text|>", END_OF_TEXT}, {"<eos>", END_OF_TEXT},
    {"[EOS]", END_OF_TEXT}, {"<\xEF\xBD\x9C" "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>", END_OF_TEXT},
    {"<|eot_id|>", END_OF_TURN}, {"<|im_end|>", END_OF_TURN}, {"<|end|>", END_OF_TURN}, {"<end_of_turn>", END_OF_TURN},
    {"<EOT>", END_OF_TURN}, {"_<EOT>", END_OF_TURN}, {"[EOT]", END_OF_TURN}, {"<end_of_utterance>", END_OF_TURN},
    {"<|eom_id|>", END_OF_MESSAGE},
};

/* END_OF_TEXT and the like, or -1. */
static int know_end(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof known_ends / sizeof known_ends[0]; i++)
        if (size == strlen(known_ends[i].name) && memcmp(text, known_ends[i].name, size) == 0)
            return known_ends[i].what;
    return -1;
}

/* Ordinary tokens that happen to be spelled so, as `</s>` in vocabularies with much HTML, end nothing. */
static int add_known(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t id = 0; id < tokenizer->size && status == BIPE_OK; id++) {
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), id); /* NaN where there is none */
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), id);
        if ((type == BIPE_PIECE_CONTROL || type == BIPE_PIECE_USER) && know_end(text.text, text.size) >= 0)
            status = add_end(tokenizer, (int64_t)id, err);
    }
    return status;
}

static int add_listed(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        double id = bipe_gguf_array_number(gguf, KEY("end_token_ids"), i);
        if (!(id >= 0 && id < (double)tokenizer->size))
            return bipe_fail(err, BIPE_ERR_FORMAT, KEY("end_token_ids") ": %.0f, expected an id below %zu", id,
                             tokenizer->size);
        status = add_end(tokenizer, (int64_t)id, err);
    }
    return status;
}

int bipe_end_tokens_read_gguf(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    static const char *const keys[] = {KEY("eot_token_id"), KEY("eom_token_id")};
    bipe_gguf_string architecture = {NULL, 0};
    size_t count;
    int status = bipe_gguf_get_array(gguf, KEY("end_token_ids"), BIPE_GGUF_I32, &count, err);
    if (status != BIPE_END)
        return status == BIPE_OK ? add_listed(tokenizer, gguf, count, err) : status;
    status = tokenizer->eos != BIPE_NO_TOKEN ? add_end(tokenizer, tokenizer->eos, err) : BIPE_OK;
    for (size_t i = 0; i < 2 && status == BIPE_OK; i++) {
        int64_t id;
        status = bipe_gguf_read_id(gguf, keys[i], tokenizer->size, &id, err);
        status = status == BIPE_OK ? add_end(tokenizer, id, err) : status == BIPE_END ? BIPE_OK : status;
    }
    if (status == BIPE_OK)
        status = bipe_gguf_get_string(gguf, "general.architecture", &architecture, err);
    bool native = status == BIPE_OK && architecture.size == 4 && memcmp(architecture.text, "bipe", 4) == 0;
    status = status == BIPE_END ? BIPE_OK : status;
    return status == BIPE_OK && !native ? add_known(tokenizer, gguf, err) : status;
}

/* ---- writing ---- */

static void write_list(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer)
{
    int32_t ids[MOST_ENDS];
    for (size_t i = 0; i < tokenizer->ends; i++)
        ids[i] = (int32_t)tokenizer->end[i];
    if (tokenizer->ends != 0)
        bipe_gguf_set_i32s(writer, KEY("end_token_ids"), ids, tokenizer->ends);
}

void bipe_end_tokens_write(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer)
{
    if (tokenizer->ends != 1 || tokenizer->end[0] != tokenizer->eos)
        write_list(tokenizer, writer);
}

/* Tokens that llama.cpp does not know by their names need a key. What is left goes to ends of turns and messages. */
int bipe_end_tokens_write_llama(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    static const char *const keys[] = {[END_OF_TURN] = KEY("eot_token_id"), [END_OF_MESSAGE] = KEY("eom_token_id")};
    bool used[] = {[END_OF_TEXT] = true, [END_OF_TURN] = false, [END_OF_MESSAGE] = false};
    write_list(tokenizer, writer);
    for (size_t i = 0; i < 2 * tokenizer->ends; i++) { /* those without a name first */
        uint32_t id = tokenizer->end[i % tokenizer->ends];
        size_t size;
        const uint8_t *text = bipe_tokenizer_string(tokenizer, id, &size);
        int what = know_end((const char *)text, size);
        bool known = what >= 0;
        if (id == tokenizer->eos || known != (i >= tokenizer->ends))
            continue;
        if (!known)
            what = !used[END_OF_TURN] ? END_OF_TURN : END_OF_MESSAGE;
        if (!known && used[what])
            return bipe_refuse_tokenizer(tokenizer,
                                         "more end tokens than llama.cpp has keys for or knows by their names", err);
        if (!used[what])
            bipe_gguf_set_u32(writer, keys[what], id);
        used[what] = true;
    }
    return BIPE_OK;
}
