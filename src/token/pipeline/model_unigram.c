/* model_unigram.c - Unigram as a model of a pipeline: as Hugging Face's library computes it, with sums in double precision, unknown
 * characters in a row made one, and that one looked up in the vocabulary before it becomes bytes or the unknown token. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/json_lists.h"
#include "token/json/json_members.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/unigram.h"

enum {
    PIECE_BYTES = 4096, /* of one piece: a text of n bytes costs at most n times as much */
    LOOK_AHEAD = 8192,  /* of a long pre-token so much comes in before pieces are looked for */
    UNDECIDED = 1 << 20 /* so many bytes of unknown characters in a row may have tokens, as long as one without may come */
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
    bipe_lattice lattice;
    bipe_piece_tokens *tokens;
    const unigram_model *model;
    const uint8_t *text; /* the pre-token, or what is needed of it as yet: */
    size_t from, to; /* unknown characters in it that are not out yet */
    size_t last;     /* end of the last token */
    bool parts;      /* tokens get their sizes */
    bool over;       /* the unknown characters are more than any piece has: some of them are gone, */
    uint64_t gone;   /* so many bytes, of which no token is out, */
    bool lacking;    /* and one of them has none */
    size_t seen;     /* of the unknown characters so many bytes were seen to have tokens */
    bipe_buffer kept;
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
    bipe_lattice_free(&((unigram_scratch *)scratch)->lattice);
    bipe_buffer_free(&((unigram_scratch *)scratch)->kept);
}

/* ---- a pre-token ---- */

static int put(unigram_scratch *s, uint32_t id, size_t end, bipe_error *err)
{
    uint64_t size = end - s->last + s->gone;
    s->last = end;
    s->gone = 0;
    if (size > UINT32_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 4 GiB of unknown characters");
    return bipe_piece_tokens_add(s->tokens, id, s->parts ? (size_t)size : end, err);
}

/* The bytes of unknown characters. */
static int put_bytes(unigram_scratch *s, bipe_error *err)
{
    int status = BIPE_OK;
    for (; status == BIPE_OK && s->from < s->to; s->from++)
        status = put(s, s->model->byte_id[s->text[s->from]], s->from + 1, err);
    return status;
}

/* Whether one of the unknown characters' bytes has no token. */
static bool is_lacking(unigram_scratch *s)
{
    for (; !s->model->all_bytes && !s->lacking && s->seen < s->to - s->from; s->seen++)
        s->lacking = s->model->byte_id[s->text[s->from + s->seen]] == BIPE_UNIGRAM_UNKNOWN;
    return s->lacking;
}

static int end_unknown(unigram_scratch *s, bipe_error *err)
{
    const unigram_model *m = s->model;
    const uint8_t *text = s->text;
    size_t from = s->from, size = s->to - from;
    bool over = s->over;
    s->over = false;
    if (size == 0 && s->gone == 0)
        return BIPE_OK;
    int64_t id = size <= PIECE_BYTES && !over ? bipe_vocabulary_find(m->vocabulary, text + from, size) : BIPE_NO_PIECE;
    bool special = id != BIPE_NO_PIECE && m->added_id != NULL && m->added_id[id] == 2;
    bool piece = id != BIPE_NO_PIECE && (uint64_t)id < m->count && !special;
    bool bytes = m->fallback && !piece && !is_lacking(s);
    s->lacking = false;
    s->seen = 0;
    if (bytes)
        return put_bytes(s, err);
    s->from = s->to;
    return put(s, piece ? (uint32_t)id : m->unk, s->to, err);
}

/* The next piece of the pre-token. */
static int add_piece(void *context, const bipe_lattice *lattice, uint32_t id, size_t from, size_t to, bipe_error *err)
{
    (void)lattice;
    unigram_scratch *s = context;
    const unigram_model *m = s->model;
    size_t size = to - from;
    if (id == BIPE_UNIGRAM_UNKNOWN || id == m->unk) {
        s->to += size;
        return BIPE_OK;
    }
    int status = end_unknown(s, err);
    to = s->to + size;
    s->from = s->to = to;
    return status == BIPE_OK ? put(s, id, to, err) : status;
}

static void begin(unigram_scratch *s, const void *model, bipe_piece_tokens *tokens)
{
    s->model = model;
    s->tokens = tokens;
    s->from = s->to = s->last = 0;
    s->gone = s->seen = 0;
    s->over = s->parts = s->lacking = false;
    bipe_lattice_begin(&s->lattice, &s->model->unigram);
}

static int push(unigram_scratch *s, const uint8_t *text, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < size;) {
        int32_t code;
        size_t n = bipe_utf8_decode(text + i, size - i, &code);
        if (n == 0)
            n = 1; /* cut off by the end */
        status = bipe_lattice_push(&s->lattice, text + i, n, (uint32_t)n, code < 0, err);
        i += n;
        if (status == BIPE_OK && s->lattice.count - s->lattice.at >= LOOK_AHEAD)
            status = bipe_lattice_decide(&s->lattice, false, add_piece, s, err);
    }
    return status;
}

static int end(unigram_scratch *s, bipe_error *err)
{
    int status = bipe_lattice_decide(&s->lattice, true, add_piece, s, err);
    return status == BIPE_OK ? end_unknown(s, err) : status;
}

/* As the library does, also where another way through the text turned out to be better. */
static int check_unknown(const unigram_scratch *s, bipe_error *err)
{
    if (s->model->unk != BIPE_UNIGRAM_UNKNOWN || !s->lattice.unknown)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a character that is no piece, and there is no unk_id");
}

static int encode(const void *model, void *scratch, const uint8_t *text, size_t size, bipe_piece_tokens *tokens, bipe_error *err)
{
    unigram_scratch *s = scratch;
    bipe_piece_token piece[BIPE_UNIGRAM_SHORT];
    int status = BIPE_OK;
    bool unknown;
    begin(s, model, tokens);
    s->text = text;
    size_t count = bipe_unigram_short(&s->model->unigram, text, size, piece, &unknown);
    s->lattice.unknown = unknown;
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = add_piece(s, NULL, piece[i].id, i != 0 ? piece[i - 1].end : 0, piece[i].end, err);
    if (count == 0)
        status = push(s, text, size, err);
    if (status == BIPE_OK)
        status = count == 0 ? end(s, err) : end_unknown(s, err);
    return status == BIPE_OK ? check_unknown(s, err) : status;
}

/* ---- a tokenizer.json ---- */

static int add_text(bipe_pipeline *p, const char *text, size_t size, size_t id, bipe_error *err)
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
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "vocab: \"%.40s\" occurs twice, as %lld and as %zu", text, (long long)known,
                         id);
    return BIPE_OK;
}

/* Of a list that json_lists.c could not read: mostly there is something wrong with it. */
static int read_piece(bipe_pipeline *p, const json_t *entry, size_t id, double *score, bipe_error *err)
{
    const json_t *text = json_array_get(entry, 0), *number = json_array_get(entry, 1);
    if (json_array_size(entry) != 2 || !json_is_string(text) || !json_is_number(number))
        return bipe_fail(err, BIPE_ERR_FORMAT, "vocab: %zu: expected [string, number]", id);
    *score = json_number_value(number);
    return add_text(p, json_string_value(text), json_string_length(text), id, err);
}

/* All pieces; *score and *pieces are released with bipe_free(). The texts of the pieces come later, when they do not move any more. */
static int read_pieces(bipe_pipeline *p, const json_t *vocab, double **score, bipe_trie_string **pieces, bipe_error *err)
{
    const bipe_json_lists *lists = p->lists != NULL && p->lists->has_pieces ? p->lists : NULL;
    size_t count = lists != NULL ? lists->count : json_array_size(vocab);
    if (count == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"vocab\" with pieces in it");
    if (count > BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "vocab: %zu entries, expected at most %d", count, BIPE_VOCABULARY_LIMIT);
    *score = bipe_alloc(count, sizeof **score);
    *pieces = bipe_alloc(count, sizeof **pieces);
    if (*score == NULL || *pieces == NULL)
        return bipe_fail_memory(err);
    int status = BIPE_OK;
    for (size_t id = 0; status == BIPE_OK && id < count; id++) {
        if (lists != NULL)
            (*score)[id] = lists->score[id];
        status = lists != NULL ? add_text(p, lists->text[id].text, lists->text[id].size, id, err)
                               : read_piece(p, json_array_get(vocab, id), id, &(*score)[id], err);
    }
    return status;
}

/* byte_fallback. */
static void read_bytes(unigram_model *m)
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

static int read_model(unigram_model *m, bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "unk_id", "vocab", "byte_fallback", NULL};
    double *score = NULL;
    bipe_trie_string *pieces = NULL;
    bool fallback = false;
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "byte_fallback", false, &fallback, err);
    if (status == BIPE_OK)
        status = read_pieces(p, json_object_get(json, "vocab"), &score, &pieces, err);
    size_t count = m->count = p->vocabulary.count, used = 0;
    const json_t *unk = json_object_get(json, "unk_id");
    bool none = unk == NULL || json_is_null(unk);
    if (status == BIPE_OK && !none && !(json_is_integer(unk) && json_integer_value(unk) >= 0 && (size_t)json_integer_value(unk) < count))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "unk_id: expected an id below %zu", count);
    if (status == BIPE_OK) {
        m->unk = none ? BIPE_UNIGRAM_UNKNOWN : (uint32_t)json_integer_value(unk);
        if (fallback)
            read_bytes(m);
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
    return read_model(m, pipeline, json, err);
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

static int surface(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out, bipe_error *err)
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
    .encode = encode,
    .surface = surface,
};
