/* model_unigram.c - Unigram as a model of a pipeline: as Hugging Face's library computes it, with sums in double
 * precision, unknown characters in a row made one, and that one looked up in the vocabulary before it becomes bytes or
 * the unknown token. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "token/json/json_members.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/unigram.h"

enum {
    PIECE_BYTES = 4096 /* of one piece: a text of n bytes costs at most n times as much */
};

typedef struct unigram_model {
    bipe_unigram unigram;
    const bipe_vocabulary *vocabulary; /* the pipeline's, of which the first `count` ids are the model's */
    size_t count;
    uint32_t unk;                      /* or BIPE_UNIGRAM_UNKNOWN: there is none, and unknown characters are an error */
    bool fallback;                     /* unknown characters in a row are bytes, if each of them has a token */
    bool all_bytes;                    /* each has */
    uint32_t byte_id[256];             /* or BIPE_UNIGRAM_UNKNOWN */
    const uint8_t *added_id;           /* the pipeline's, when special tokens are text: they are no pieces */
} unigram_model;

typedef struct unigram_scratch {
    bipe_unigram_memory search;
    bipe_piece_tokens found;
} unigram_scratch;

static void model_close(void *model)
{
    unigram_model *m = model;
    if (m == NULL)
        return;
    bipe_unigram_free(&m->unigram);
    bipe_free(m);
}

static void scratch_close(void *scratch)
{
    unigram_scratch *s = scratch;
    bipe_unigram_memory_free(&s->search);
    bipe_free(s->found.token);
}

/* ---- a pre-token ---- */

/* Whether each of these bytes has a token. */
static bool has_bytes(const unigram_model *m, const uint8_t *text, size_t size)
{
    for (size_t i = 0; m->fallback && !m->all_bytes && i < size; i++)
        if (m->byte_id[text[i]] == BIPE_UNIGRAM_UNKNOWN)
            return false;
    return m->fallback;
}

/* Unknown characters text[from .. to) in a row. */
static int append_unknown(const unigram_model *m, const uint8_t *text, size_t from, size_t to,
                          bipe_piece_tokens *tokens, bipe_error *err)
{
    size_t size = to - from;
    if (size == 0)
        return BIPE_OK;
    int64_t id = size <= PIECE_BYTES ? bipe_vocabulary_find(m->vocabulary, text + from, size) : BIPE_NO_PIECE;
    bool special = id != BIPE_NO_PIECE && m->added_id != NULL && m->added_id[id] == 2;
    bool piece = id != BIPE_NO_PIECE && (uint64_t)id < m->count && !special;
    if (piece || !has_bytes(m, text + from, size))
        return bipe_piece_tokens_add(tokens, piece ? (uint32_t)id : m->unk, to, err);
    int status = BIPE_OK;
    for (size_t i = from; status == BIPE_OK && i < to; i++)
        status = bipe_piece_tokens_add(tokens, m->byte_id[text[i]], i + 1, err);
    return status;
}

static int encode_pretoken(const void *model, void *scratch, const uint8_t *text, size_t size,
                           bipe_piece_tokens *tokens, bipe_error *err)
{
    const unigram_model *m = model;
    unigram_scratch *s = scratch;
    size_t from = 0, to = 0; /* unknown characters that are not out yet */
    s->search.sum = 0;
    s->found.count = 0;
    int status = bipe_unigram_search(&m->unigram, &s->search, text, size, &s->found, err);
    for (size_t i = 0; status == BIPE_OK && i < s->found.count; i++) {
        const bipe_piece_token *piece = &s->found.token[i];
        if (piece->id != BIPE_UNIGRAM_UNKNOWN && piece->id != m->unk) {
            status = append_unknown(m, text, from, to, tokens, err);
            if (status == BIPE_OK)
                status = bipe_piece_tokens_add(tokens, piece->id, piece->end, err);
            from = piece->end;
        }
        to = piece->end;
    }
    if (status == BIPE_OK)
        status = append_unknown(m, text, from, to, tokens, err);
    /* As the library does, also where another way through the text turned out to be better. */
    if (status == BIPE_OK && m->unk == BIPE_UNIGRAM_UNKNOWN && s->search.unknown)
        status = bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a character that is no piece, and there is no unk_id");
    return status;
}

/* ---- a tokenizer.json ---- */

static int add_text(bipe_pipeline *p, const uint8_t *text, size_t size, size_t id, bipe_error *err)
{
    if (size > PIECE_BYTES)
        return bipe_fail(err, BIPE_ERR_LIMIT, "vocab: %zu: %zu bytes, expected at most %d", id, size, PIECE_BYTES);
    int status = bipe_vocabulary_append(&p->vocabulary, text, size, err);
    if (status != BIPE_OK || size == 0)
        return status;
    int64_t known = bipe_vocabulary_index(&p->vocabulary, (uint32_t)id);
    if (known == BIPE_NO_PIECE)
        return bipe_fail_memory(err);
    if (known != (int64_t)id)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "vocab: \"%.*s\" occurs twice, as %lld and as %zu",
                         (int)(size < 40 ? size : 40), (const char *)text, (long long)known, id);
    return BIPE_OK;
}

/* All pieces; *score and *pieces are released with bipe_free(). The texts of the pieces come later, when they do not
 * move any more. */
static int read_pieces(bipe_pipeline *p, double **score, bipe_trie_string **pieces, bipe_error *err)
{
    const bipe_description *d = p->description;
    if (d->vocab != BIPE_VOCAB_PIECES || d->count == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"vocab\" with pieces in it");
    *score = bipe_alloc(d->count, sizeof **score);
    *pieces = bipe_alloc(d->count, sizeof **pieces);
    if (*score == NULL || *pieces == NULL)
        return bipe_fail_memory(err);
    memcpy(*score, d->score, d->count * sizeof **score);
    int status = BIPE_OK;
    for (size_t id = 0, size; status == BIPE_OK && id < d->count; id++) {
        const uint8_t *text = bipe_description_string(d, id, &size);
        status = add_text(p, text, size, id, err);
    }
    return status;
}

/* byte_fallback. */
static void read_byte_pieces(unigram_model *m)
{
    size_t found = 0;
    for (unsigned b = 0; b < 256; b++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", b);
        int64_t id = bipe_vocabulary_find(m->vocabulary, name, 6);
        m->byte_id[b] = id != BIPE_NO_PIECE ? (uint32_t)id : BIPE_UNIGRAM_UNKNOWN;
        found += id != BIPE_NO_PIECE;
    }
    m->fallback = found != 0;
    m->all_bytes = found == 256;
}

static int read_unigram_model(unigram_model *m, bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "unk_id", "vocab", "byte_fallback", NULL};
    double *score = NULL;
    bipe_trie_string *pieces = NULL;
    bool fallback = false;
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "byte_fallback", false, &fallback, err);
    if (status == BIPE_OK)
        status = read_pieces(p, &score, &pieces, err);
    size_t count = m->count = p->vocabulary.count, used = 0;
    const json_t *unk = json_object_get(json, "unk_id");
    bool none = unk == NULL || json_is_null(unk);
    if (status == BIPE_OK && !none &&
        !(json_is_integer(unk) && json_integer_value(unk) >= 0 && (size_t)json_integer_value(unk) < count))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "unk_id: expected an id below %zu", count);
    if (status == BIPE_OK) {
        m->unk = none ? BIPE_UNIGRAM_UNKNOWN : (uint32_t)json_integer_value(unk);
        if (fallback)
            read_byte_pieces(m);
    }
    double min = INFINITY;
    for (uint32_t id = 0; status == BIPE_OK && id < count; id++) {
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, id, &size);
        min = score[id] < min ? score[id] : min;
        if (size != 0)
            pieces[used++] = (bipe_trie_string){text, size, id};
    }
    if (status == BIPE_OK)
        status = bipe_unigram_build(&m->unigram, pieces, used, score, min - 10, false, err);
    else
        bipe_free(score);
    bipe_free(pieces);
    return status;
}

static int model_open(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    unigram_model *m = bipe_alloc(1, sizeof *m);
    *model = m;
    if (m == NULL)
        return bipe_fail_memory(err);
    m->vocabulary = &pipeline->vocabulary;
    return read_unigram_model(m, pipeline, json, err);
}

/* Without --special, text that looks like a special token is text: such pieces are not found. */
static void model_finish(void *model, const bipe_pipeline *pipeline, bool special)
{
    unigram_model *m = model;
    if (special || pipeline->added_id == NULL)
        return;
    m->added_id = pipeline->added_id;
    for (size_t id = 0; id < m->count; id++)
        if (pipeline->added_id[id] == 2)
            m->unigram.score[id] = NAN;
}

static int unigram_surface_of(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out,
                              bipe_error *err)
{
    const unigram_model *m = model;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&pipeline->vocabulary, id, &size);
    int byte = m->fallback ? bipe_byte_piece(text, size) : -1;
    uint8_t one = (uint8_t)byte;
    return byte >= 0 ? bipe_buffer_append(out, &one, 1, err) : bipe_buffer_append(out, text, size, err);
}

const bipe_model_type bipe_model_unigram = {
    .name = "Unigram",
    .open = model_open,
    .close = model_close,
    .finish = model_finish,
    .scratch_size = sizeof(unigram_scratch),
    .scratch_close = scratch_close,
    .encode = encode_pretoken,
    .surface = unigram_surface_of,
};
