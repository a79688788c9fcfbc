/* gguf_byte_level.c - vocabularies of GGUF files whose tokenizer.ggml.model is `gpt2`: byte-level BPE as a pipeline, read and
 * written. tokenizer.ggml.pre names the patterns that split the text (pretoken_patterns.h). */
#include "token/files/gguf_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_patterns.h"
#include "token/spm/bpe.h"

#define KEY(name) "tokenizer.ggml." name

/* What the file had, to be written again. */
typedef struct gguf_source {
    const bipe_pretoken_patterns *patterns;
    bool prefix;
} gguf_source;

static gguf_source source_of(const bipe_tokenizer *tokenizer)
{
    gguf_source source;
    memcpy(&source, tokenizer->original, sizeof source);
    return source;
}

static int read_tokens(bipe_pipeline *p, const bipe_gguf *gguf, size_t *count, bipe_error *err)
{
    int status = bipe_gguf_get_array(gguf, KEY("tokens"), BIPE_GGUF_STRING, count, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("tokens"));
    if (status == BIPE_OK && *count > BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%zu tokens, expected at most %d", *count, BIPE_VOCABULARY_LIMIT);
    if (status == BIPE_OK)
        bipe_vocabulary_expect(&p->vocabulary, *count);
    for (size_t i = 0; status == BIPE_OK && i < *count; i++) {
        bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("tokens"), i);
        if (text.size > BIPE_PIECE_LIMIT)
            return bipe_fail(err, BIPE_ERR_LIMIT, "token %zu: %zu bytes, expected at most %d", i, text.size, BIPE_PIECE_LIMIT);
        status = bipe_vocabulary_append(&p->vocabulary, text.text, text.size, err);
    }
    return status == BIPE_OK && bipe_vocabulary_index_all(&p->vocabulary) != 0 ? bipe_fail_memory(err) : status;
}

bool bipe_gguf_merge_at(const void *gguf, size_t i, bipe_named_merge *merge)
{
    bipe_gguf_string text = bipe_gguf_array_string(gguf, KEY("merges"), i);
    const char *space = text.size > 1 ? memchr(text.text + 1, ' ', text.size - 1) : NULL;
    if (space == NULL || space + 1 == text.text + text.size)
        return false;
    merge->left = text.text;
    merge->left_size = (size_t)(space - text.text);
    merge->right = space + 1;
    merge->right_size = text.size - merge->left_size - 1;
    return true;
}

static int read_merges(bipe_merge_model *m, const bipe_gguf *gguf, bipe_error *err)
{
    size_t count;
    int status = bipe_gguf_get_array(gguf, KEY("merges"), BIPE_GGUF_STRING, &count, err);
    if (status == BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no " KEY("merges"));
    bipe_merge_list list = bipe_merge_model_list(m, KEY("merges"));
    return status == BIPE_OK ? bipe_merge_list_read(&list, count, bipe_gguf_merge_at, gguf, err) : status;
}

/* Control tokens are found in text when asked for, user-defined ones always. */
static int read_types(bipe_pipeline *p, const bipe_gguf *gguf, bool special, bipe_error *err)
{
    size_t count = 0;
    int status = bipe_gguf_get_array(gguf, KEY("token_type"), BIPE_GGUF_I32, &count, err);
    if (status != BIPE_OK && status != BIPE_END)
        return status;
    if (status == BIPE_OK && count != p->vocabulary.count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu tokens and %zu token types, expected as many of each", p->vocabulary.count, count);
    p->added_id = bipe_alloc(p->vocabulary.count, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        double type = bipe_gguf_array_number(gguf, KEY("token_type"), i);
        if (!(type >= BIPE_PIECE_NONE && type <= BIPE_PIECE_BYTE))
            return bipe_fail(err, BIPE_ERR_FORMAT, "token %zu: type %g, expected 1 to 6", i, type);
        bool control = type == BIPE_PIECE_CONTROL || type == BIPE_PIECE_UNKNOWN;
        if (!control && type != BIPE_PIECE_USER)
            continue;
        p->added_id[i] = control ? 2 : 1;
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, (uint32_t)i, &size);
        status = bipe_pipeline_look_for(p, text, size, (bipe_added){.id = (uint32_t)i, .text = control && !special}, false, err);
    }
    return status;
}

static int write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err);

static int read_pipeline(bipe_tokenizer *tokenizer, bipe_pipeline *p, const bipe_gguf *gguf, bipe_gguf_string name, gguf_source *source,
                         bipe_error *err)
{
    bool prefix = false;
    size_t count;
    const bipe_pretoken_patterns *patterns = bipe_pretoken_patterns_find(name.text, name.size);
    if (patterns == NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, KEY("pre") ": \"%.*s\" is not known", (int)(name.size < 80 ? name.size : 80), name.text);
    int status = bipe_gguf_optional_bool(gguf, KEY("add_space_prefix"), &prefix, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_add_byte_level(p, prefix, patterns->pattern, err);
    if (status == BIPE_OK)
        status = read_tokens(p, gguf, &count, err);
    bipe_merge_model *m = status == BIPE_OK ? bipe_merge_model_new(p) : NULL;
    if (status != BIPE_OK || m == NULL)
        return status != BIPE_OK ? status : bipe_fail_memory(err);
    m->count = p->vocabulary.count;
    m->bytes = m->letters = true;
    m->whole = patterns->whole;
    bipe_merge_model_install(p, m);
    status = read_merges(m, gguf, err);
    if (status == BIPE_OK)
        status = bipe_merge_model_ready(m, err);
    if (status == BIPE_OK)
        status = read_types(p, gguf, tokenizer->special, err);
    *source = (gguf_source){.patterns = patterns, .prefix = prefix};
    return status;
}

int bipe_gguf_byte_level_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bipe_error *err)
{
    bipe_gguf_string name;
    int status = bipe_gguf_get_string(gguf, KEY("pre"), &name, err);
    if (status == BIPE_END) /* older than the key, and split by what llama.cpp takes then */
        name = (bipe_gguf_string){.text = "default", .size = strlen("default")};
    else if (status != BIPE_OK)
        return status;
    if (bipe_gguf_characters_know(name.text, name.size))
        return bipe_gguf_characters_read(tokenizer, gguf, name.text, name.size, false, err);
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    gguf_source source = {0};
    status = read_pipeline(tokenizer, p, gguf, name, &source, err);
    status = bipe_pipeline_finish(tokenizer, p, status, err);
    tokenizer->write_gguf = write_gguf;
    return status == BIPE_OK ? bipe_tokenizer_keep(tokenizer, &source, sizeof source, err) : status;
}

bool bipe_gguf_byte_level_adds_bos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->write_gguf != write_gguf || source_of(tokenizer).patterns->whole;
}

/* ---- writing ---- */

static int write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    gguf_source source = source_of(tokenizer);
    int status = bipe_gguf_set_string(writer, KEY("model"), "gpt2", 4, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, KEY("pre"), source.patterns->name, strlen(source.patterns->name), err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_tokens(p, 0, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write_merges(&p->vocabulary, &((const bipe_merge_model *)p->model)->merges, writer, err);
    if (status == BIPE_OK && source.prefix)
        status = bipe_gguf_set_bool(writer, KEY("add_space_prefix"), true, err);
    return status == BIPE_OK ? bipe_pipeline_write_ids(tokenizer, writer, err) : status;
}
