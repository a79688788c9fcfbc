/* tokenizer.c - opening a tokenizer and asking it: each public function calls that of the kind. */
#include "token/tokenizer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/installed_model.h"
#include "format/gguf.h"
#include "token/kind.h"

const bipe_token_kind *bipe_token_kind_find(const char *name, size_t size)
{
    static const bipe_token_kind *const kinds[] = {&bipe_byte_kind, &bipe_char_kind, &bipe_word_kind, &bipe_words_kind};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]->name) == size && memcmp(kinds[i]->name, name, size) == 0)
            return kinds[i];
    return NULL;
}

/* Empty; NULL: there is no memory. */
static bipe_tokenizer *make_tokenizer(const char *spec)
{
    bipe_tokenizer *t = bipe_alloc(1, sizeof *t);
    if (t == NULL || (t->spec = bipe_strdup(spec)) == NULL) {
        bipe_free(t);
        return NULL;
    }
    t->bos = t->eos = BIPE_NO_TOKEN;
    return t;
}

/* What has been read, with `status`, is complete, or closed. */
static int finish_tokenizer(bipe_tokenizer **tokenizer, bipe_tokenizer *made, int status, bipe_error *err)
{
    if (status == BIPE_OK)
        status = bipe_end_tokens_finish(made, err);
    if (status == BIPE_OK)
        *tokenizer = made;
    else
        bipe_tokenizer_close(made);
    return status;
}

int bipe_tokenizer_open(bipe_tokenizer **tokenizer, const char *spec, bool special, bipe_error *err)
{
    *tokenizer = NULL;
    char path[BIPE_MODEL_PATH_SIZE];
    const bipe_token_kind *kind = bipe_token_kind_find(spec, strlen(spec));
    int status = kind != NULL ? BIPE_OK : bipe_model_resolve(spec, path, err);
    if (status != BIPE_OK)
        return status;
    bipe_tokenizer *t = make_tokenizer(kind != NULL ? spec : path);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->special = special;
    t->kind = kind;
    if (kind != NULL)
        t->size = kind->size;
    else
        status = bipe_token_format_read(t, path, err);
    return finish_tokenizer(tokenizer, t, status, err);
}

int bipe_tokenizer_open_json(bipe_tokenizer **tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_tokenizer *t = make_tokenizer("tokenizer.json");
    *tokenizer = NULL;
    return t != NULL ? finish_tokenizer(tokenizer, t, bipe_tokenizer_json_read(t, bytes, size, err), err)
                     : bipe_fail_memory(err);
}

void bipe_tokenizer_clear(bipe_tokenizer *tokenizer)
{
    if (tokenizer->kind != NULL && tokenizer->kind->close != NULL)
        tokenizer->kind->close(tokenizer->model);
    bipe_free(tokenizer->original);
    bipe_free(tokenizer->end);
    bipe_gguf_writer_close(tokenizer->keys);
    tokenizer->kind = NULL;
    tokenizer->model = NULL;
    tokenizer->original = NULL;
    tokenizer->end = NULL;
    tokenizer->ends = tokenizer->end_capacity = 0;
    tokenizer->keys = NULL;
    tokenizer->write_gguf = NULL;
}

void bipe_tokenizer_close(bipe_tokenizer *tokenizer)
{
    if (tokenizer == NULL)
        return;
    bipe_tokenizer_clear(tokenizer);
    bipe_free(tokenizer->source);
    bipe_free(tokenizer->spec);
    bipe_free(tokenizer);
}

const char *bipe_tokenizer_spec(const bipe_tokenizer *tokenizer)
{
    return tokenizer->spec;
}

size_t bipe_tokenizer_size(const bipe_tokenizer *tokenizer)
{
    return tokenizer->size;
}

int64_t bipe_tokenizer_bos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->bos;
}

int64_t bipe_tokenizer_eos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->eos;
}

const uint32_t *bipe_tokenizer_ends(const bipe_tokenizer *tokenizer, size_t *count)
{
    *count = tokenizer->ends;
    return tokenizer->end;
}

bool bipe_tokenizer_is_end(const bipe_tokenizer *tokenizer, uint32_t id)
{
    for (size_t i = 0; i < tokenizer->ends; i++)
        if (tokenizer->end[i] == id)
            return true;
    return false;
}

const char *bipe_tokenizer_stray_end(const bipe_tokenizer *tokenizer, int64_t *id)
{
    *id = tokenizer->stray_end;
    return tokenizer->stray_file;
}

size_t bipe_tokenizer_leading(const bipe_tokenizer *tokenizer)
{
    return tokenizer->leading != 0 ? tokenizer->leading : tokenizer->bos != BIPE_NO_TOKEN;
}

int bipe_tokenizer_suits(const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_error *err)
{
    if (tokenizer->size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%s: a tokenizer without a vocabulary, expected one whose ids the model knows",
                         tokenizer->spec);
    if (tokenizer->size > vocabulary)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%s: a tokenizer of %zu tokens, expected 1 to %zu, which the model has", tokenizer->spec,
                         tokenizer->size, vocabulary);
    return BIPE_OK;
}

int bipe_tokenizer_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                          const uint8_t **bytes, size_t *size, bipe_error *err)
{
    if (tokenizer->size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: this tokenizer has no vocabulary, so ids mean nothing",
                         tokenizer->spec);
    if (id >= tokenizer->size)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no token has the id %lu, expected one below %zu", tokenizer->spec,
                         (unsigned long)id, tokenizer->size);
    return tokenizer->kind->decode(tokenizer, id, first, buffer, bytes, size, err);
}

int bipe_tokenizer_write_gguf(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err)
{
    if (tokenizer->leading != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "%s: documents start with %zu special tokens, GGUF has a place for one", tokenizer->spec,
                         tokenizer->leading);
    bipe_end_tokens_write(tokenizer, writer);
    if (tokenizer->write_gguf != NULL)
        return tokenizer->write_gguf(tokenizer, writer, err);
    if (tokenizer->kind->write_gguf != NULL)
        return tokenizer->kind->write_gguf(tokenizer, writer, err);
    bipe_gguf_set_text(writer, "tokenizer.ggml.model", tokenizer->kind->name);
    return BIPE_OK;
}

size_t bipe_tokenizer_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    return tokenizer->kind->cut != NULL ? tokenizer->kind->cut(tokenizer, bytes, size) : 0;
}

bool bipe_tokenizer_in_order(const bipe_tokenizer *tokenizer)
{
    return tokenizer->in_order;
}

int bipe_tokens_add(bipe_tokens *tokens, uint64_t start, uint64_t end, uint32_t id, bipe_error *err)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    tokens->token[tokens->count++] = (bipe_token){.start = start, .end = end, .id = id};
    return BIPE_OK;
}

void bipe_tokens_free(bipe_tokens *tokens)
{
    bipe_free(tokens->token);
    *tokens = (bipe_tokens){0};
}

bool bipe_tokenizer_is_kind(const char *spec)
{
    return bipe_token_kind_find(spec, strlen(spec)) != NULL;
}

bool bipe_tokenizer_is_name(const char *spec)
{
    char path[BIPE_MODEL_PATH_SIZE];
    return bipe_tokenizer_is_kind(spec) || strcmp(spec, "default") == 0 ||
           (bipe_model_resolve(spec, path, NULL) == BIPE_OK && strcmp(path, spec) != 0);
}
