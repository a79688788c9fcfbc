/* gguf_parts.c - what vocabularies of GGUF files have in common: keys that may be missing, and their long arrays, written. */
#include "token/files/gguf_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/spm/bpe.h"

#define KEY(name) "tokenizer.ggml." name

/* ---- reading ---- */

int bipe_gguf_optional_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err)
{
    int status = bipe_gguf_get_bool(gguf, key, value, err);
    return status == BIPE_END ? BIPE_OK : status;
}

int bipe_gguf_get_id(const bipe_gguf *gguf, const char *key, size_t size, int64_t *id, bipe_error *err)
{
    uint64_t value;
    int status = bipe_gguf_get_uint(gguf, key, &value, err);
    if (status == BIPE_OK && value >= size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: %llu, expected an id below %zu", key, (unsigned long long)value, size);
    if (status == BIPE_OK)
        *id = (int64_t)value;
    return status;
}

/* ---- tokens ---- */

typedef bipe_piece_type token_type_of(const void *model, size_t id);

/* score: NULL, or one a token. */
static int write_tokens(const bipe_vocabulary *v, const float *score, token_type_of *type_of, const void *model, bipe_gguf_writer *writer,
                        bipe_error *err)
{
    bipe_gguf_string *text = bipe_alloc(v->count, sizeof *text);
    int32_t *type = bipe_alloc(v->count, sizeof *type);
    int status = text != NULL && type != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < v->count; i++) {
        text[i].text = (const char *)bipe_vocabulary_text(v, (uint32_t)i, &text[i].size);
        type[i] = type_of(model, i);
    }
    if (status == BIPE_OK)
        status = bipe_gguf_set_strings(writer, KEY("tokens"), text, v->count, err);
    if (status == BIPE_OK && score != NULL)
        status = bipe_gguf_set_f32s(writer, KEY("scores"), score, v->count, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_i32s(writer, KEY("token_type"), type, v->count, err);
    bipe_free(text);
    bipe_free(type);
    return status;
}

static bipe_piece_type type_of_token(const void *model, size_t id)
{
    const bipe_pipeline *p = model;
    return p->added_id[id] == 2 ? BIPE_PIECE_CONTROL : p->added_id[id] == 1 ? BIPE_PIECE_USER : BIPE_PIECE_NORMAL;
}

int bipe_gguf_write_tokens(const bipe_pipeline *p, bipe_gguf_writer *writer, bipe_error *err)
{
    return write_tokens(&p->vocabulary, NULL, type_of_token, p, writer, err);
}

static bipe_piece_type type_of_piece(const void *model, size_t id)
{
    const bipe_bpe *bpe = model;
    return bpe->type[id] != BIPE_PIECE_NONE ? bpe->type[id] : BIPE_PIECE_UNUSED;
}

int bipe_gguf_write_pieces(const bipe_bpe *bpe, bipe_gguf_writer *writer, bipe_error *err)
{
    return write_tokens(&bpe->vocabulary, bpe->score, type_of_piece, bpe, writer, err);
}

/* ---- merges ---- */

static int compare_ranks(const void *a, const void *b)
{
    const bipe_pair_entry *const *x = a, *const *y = b;
    return (*x)->a < (*y)->a ? -1 : (*x)->a > (*y)->a;
}

/* The merges in their order, each as a string of *text. */
static int list_merges(const bipe_vocabulary *v, const bipe_pair_entry **entries, size_t count, bipe_buffer *text,
                       bipe_gguf_string *strings, bipe_error *err)
{
    int status = BIPE_OK;
    qsort(entries, count, sizeof *entries, compare_ranks);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t left_size, right_size;
        const uint8_t *left = bipe_vocabulary_text(v, (uint32_t)(entries[i]->key >> 32), &left_size);
        const uint8_t *right = bipe_vocabulary_text(v, (uint32_t)entries[i]->key, &right_size);
        strings[i].size = left_size + 1 + right_size;
        status = bipe_buffer_append(text, left, left_size, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(text, " ", 1, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(text, right, right_size, err);
    }
    for (size_t i = 0, at = 0; status == BIPE_OK && i < count; at += strings[i++].size)
        strings[i].text = (const char *)text->data + at;
    return status;
}

int bipe_gguf_write_merges(const bipe_vocabulary *v, const bipe_pair_table *merges, bipe_gguf_writer *writer, bipe_error *err)
{
    size_t count = merges->count, n = 0;
    const bipe_pair_entry **entries = bipe_alloc(count, sizeof *entries);
    bipe_gguf_string *strings = bipe_alloc(count, sizeof *strings);
    bipe_buffer text = {0};
    int status = entries != NULL && strings != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && count != 0 && i <= merges->mask; i++)
        if (merges->entry[i].key != BIPE_PAIR_EMPTY)
            entries[n++] = &merges->entry[i];
    if (status == BIPE_OK)
        status = list_merges(v, entries, n, &text, strings, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_strings(writer, KEY("merges"), strings, n, err);
    bipe_buffer_free(&text);
    bipe_free(entries);
    bipe_free(strings);
    return status;
}
