/* gguf_write.c - the lists of a vocabulary as keys of a GGUF file. */
#include "token/files/gguf_vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define KEY(name) "tokenizer.ggml." name

/* ---- tokens ---- */

typedef bipe_piece_type token_type_of(const void *model, size_t id);

enum { PAD_NAME = 32 };

/* score: NULL, or one a token. */
static int write_tokens(const bipe_vocabulary *v, size_t size, const float *score, token_type_of *type_of,
                        const void *model, bipe_gguf_writer *writer, bipe_error *err)
{
    size = size > v->count ? size : v->count;
    bipe_gguf_string *text = bipe_alloc(size, sizeof *text);
    int32_t *type = bipe_alloc(size, sizeof *type);
    float *scores = bipe_alloc(size, sizeof *scores);
    char (*pad)[PAD_NAME] = bipe_alloc(size - v->count, sizeof *pad);
    int status = text != NULL && type != NULL && scores != NULL && pad != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < v->count; i++) {
        text[i].text = (const char *)bipe_vocabulary_text(v, (uint32_t)i, &text[i].size);
        type[i] = type_of(model, i);
        scores[i] = score != NULL ? score[i] : 0;
    }
    for (size_t i = v->count; status == BIPE_OK && i < size; i++) {
        text[i].text = pad[i - v->count];
        text[i].size = (size_t)snprintf(pad[i - v->count], PAD_NAME, "[PAD%zu]", i);
        type[i] = BIPE_PIECE_UNUSED;
    }
    if (status == BIPE_OK) {
        bipe_gguf_set_strings(writer, KEY("tokens"), text, size);
        if (score != NULL)
            bipe_gguf_set_f32s(writer, KEY("scores"), scores, size);
        bipe_gguf_set_i32s(writer, KEY("token_type"), type, size);
    }
    bipe_free(text);
    bipe_free(type);
    bipe_free(scores);
    bipe_free(pad);
    return status;
}

static bipe_piece_type type_of_token(const void *model, size_t id)
{
    const bipe_pipeline *p = model;
    return p->added_id[id] == 2 ? BIPE_PIECE_CONTROL : p->added_id[id] == 1 ? BIPE_PIECE_USER : BIPE_PIECE_NORMAL;
}

int bipe_gguf_write_tokens(const bipe_pipeline *p, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    return write_tokens(&p->vocabulary, size, NULL, type_of_token, p, writer, err);
}

static bipe_piece_type type_of_any_token(const void *model, size_t id)
{
    (void)model;
    (void)id;
    return BIPE_PIECE_NORMAL;
}

int bipe_gguf_write_plain_tokens(const bipe_vocabulary *vocabulary, size_t size, bipe_gguf_writer *writer,
                                 bipe_error *err)
{
    return write_tokens(vocabulary, size, NULL, type_of_any_token, NULL, writer, err);
}

static bipe_piece_type type_of_piece(const void *model, size_t id)
{
    const bipe_bpe *bpe = model;
    return bpe->type[id] != BIPE_PIECE_NONE ? bpe->type[id] : BIPE_PIECE_UNUSED;
}

int bipe_gguf_write_pieces(const bipe_bpe *bpe, size_t size, bipe_gguf_writer *writer, bipe_error *err)
{
    return write_tokens(&bpe->vocabulary, size, bpe->score, type_of_piece, bpe, writer, err);
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
    qsort(entries, count, sizeof *entries, compare_ranks);
    for (size_t i = 0; i < count; i++) {
        size_t left_size, right_size;
        const uint8_t *left = bipe_vocabulary_text(v, (uint32_t)(entries[i]->key >> 32), &left_size);
        const uint8_t *right = bipe_vocabulary_text(v, (uint32_t)entries[i]->key, &right_size);
        strings[i].size = left_size + 1 + right_size;
        bipe_buffer_write(text, left, left_size);
        bipe_buffer_write(text, " ", 1);
        bipe_buffer_write(text, right, right_size);
    }
    if (text->failed)
        return bipe_fail_memory(err);
    for (size_t i = 0, at = 0; i < count; at += strings[i++].size)
        strings[i].text = (const char *)text->data + at;
    return BIPE_OK;
}

int bipe_gguf_write_merges(const bipe_vocabulary *v, const bipe_pair_table *merges, bipe_gguf_writer *writer,
                           bipe_error *err)
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
        bipe_gguf_set_strings(writer, KEY("merges"), strings, n);
    bipe_buffer_free(&text);
    bipe_free(entries);
    bipe_free(strings);
    return status;
}
