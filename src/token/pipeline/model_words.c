/* model_words.c - the models that know whole words: WordPiece, which takes a word apart into the longest pieces from
 * left to right (Schuster and Nakajima 2012), and WordLevel, which does not. */
#include "base/alloc.h"
#include "token/pipeline/pretokenizers.h"
#include "token/pipeline/step_text.h"
#include "token/spm/piece_trie.h"

typedef struct words {
    const bipe_vocabulary *vocabulary;
    size_t size;           /* ids of the model are below this */
    uint32_t unk;          /* or BIPE_TRIE_NONE: */
    char *unk_name;        /* the vocabulary does not have it, and other words are an error; or NULL */
    bool spaces;           /* decoded words have a space before them */
    /* WordPiece: */
    bipe_piece_trie pieces;
    size_t outer, inner;   /* nodes where the first piece of a word begins, and the others; SIZE_MAX: none does */
    uint8_t *mark;
    size_t mark_size;
    uint64_t longest;      /* characters that a word may have */
} words;

static void close_words(void *model)
{
    words *w = model;
    if (w == NULL)
        return;
    bipe_piece_trie_free(&w->pieces);
    bipe_free(w->mark);
    bipe_free(w->unk_name);
    bipe_free(w);
}

/* Vocabulary and unknown token. */
static int read_words(words *w, bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    const json_t *unk = json_object_get(json, "unk_token");
    int status = bipe_pipeline_read_vocab(pipeline, err);
    if (status != BIPE_OK)
        return status;
    if (!json_is_string(unk))
        return bipe_fail(err, BIPE_ERR_FORMAT, "unk_token: expected a string");
    int64_t id = bipe_vocabulary_find(&pipeline->vocabulary, json_string_value(unk), json_string_length(unk));
    if (id == BIPE_NO_PIECE && (w->unk_name = bipe_strdup(json_string_value(unk))) == NULL)
        return bipe_fail_memory(err);
    w->unk = id != BIPE_NO_PIECE ? (uint32_t)id : BIPE_TRIE_NONE;
    w->vocabulary = &pipeline->vocabulary;
    w->size = pipeline->vocabulary.count;
    w->spaces = true;
    for (size_t i = 0; i < pipeline->pretokenizers; i++)
        if (pipeline->pretokenizer[i].type->undo != NULL)
            w->spaces = false;
    pipeline->prefix = pipeline->prefix || w->spaces;
    return BIPE_OK;
}

/* A word that the vocabulary does not have. */
static int add_unknown(const words *w, size_t size, bipe_piece_tokens *tokens, bipe_error *err)
{
    if (w->unk == BIPE_TRIE_NONE)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "a word that has no token, and unk_token \"%.40s\" is not in the vocabulary", w->unk_name);
    return bipe_piece_tokens_add(tokens, w->unk, size, err);
}

/* ---- WordPiece ---- */

enum { PIECE_BYTES = 4096 }; /* of one piece: a text of n bytes costs at most n times as much */

/* The trie of all pieces, and *marked, the node after the mark. Of equal pieces the first counts. */
static int build_pieces(words *w, size_t *marked, bipe_error *err)
{
    bipe_trie_string *strings = bipe_alloc(w->size, sizeof *strings);
    int status = strings != NULL ? BIPE_OK : bipe_fail_memory(err);
    size_t count = 0, node = 0;
    for (size_t id = 0, size; status == BIPE_OK && id < w->size; id++) {
        const uint8_t *text = bipe_vocabulary_text(w->vocabulary, (uint32_t)id, &size);
        if (size > PIECE_BYTES)
            status = bipe_fail(err, BIPE_ERR_LIMIT, "piece %zu: %zu bytes, expected at most %d", id, size, PIECE_BYTES);
        else if (size != 0 && bipe_vocabulary_find(w->vocabulary, text, size) == (int64_t)id)
            strings[count++] = (bipe_trie_string){text, size, (uint32_t)id};
    }
    if (status == BIPE_OK)
        status = bipe_piece_trie_build(&w->pieces, strings, count, err);
    bipe_free(strings);
    w->outer = w->inner = w->pieces.size != 0 ? 0 : SIZE_MAX;
    if (status != BIPE_OK || w->pieces.size == 0)
        return status;
    for (size_t i = 0; node != SIZE_MAX && i < w->mark_size; i++) {
        node = bipe_piece_trie_step(&w->pieces, (uint32_t)node, w->mark[i]);
        node = node != 0 ? node : SIZE_MAX;
    }
    *marked = node;
    return BIPE_OK;
}

static int open_wordpiece(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type",  "unk_token", "continuing_subword_prefix", "max_input_chars_per_word",
                                        "vocab", NULL};
    words *w = bipe_alloc(1, sizeof *w);
    *model = w;
    if (w == NULL)
        return bipe_fail_memory(err);
    const json_t *mark = json_object_get(json, "continuing_subword_prefix"),
                 *longest = json_object_get(json, "max_input_chars_per_word");
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK && !json_is_string(mark))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "continuing_subword_prefix: expected a string");
    if (status == BIPE_OK && (!json_is_integer(longest) || json_integer_value(longest) < 0))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "max_input_chars_per_word: expected a number of characters");
    if (status == BIPE_OK)
        status = read_words(w, pipeline, json, err);
    if (status != BIPE_OK)
        return status;
    w->longest = (uint64_t)json_integer_value(longest);
    w->mark_size = json_string_length(mark);
    w->mark = (uint8_t *)bipe_strdup(json_string_value(mark));
    return w->mark != NULL ? build_pieces(w, &w->inner, err) : bipe_fail_memory(err);
}

/* The longest piece at text[at], searched from a node of the trie: its end, or 0. *id: none, or the piece that ends
 * there. */
static size_t longest_piece(const words *w, size_t node, const uint8_t *text, size_t size, size_t at, uint32_t *id)
{
    size_t end = 0;
    *id = BIPE_TRIE_NONE;
    while (node != SIZE_MAX && at < size) {
        node = bipe_piece_trie_step(&w->pieces, (uint32_t)node, text[at++]);
        if (node == 0)
            break;
        if (w->pieces.node[node].value != BIPE_TRIE_NONE) {
            *id = w->pieces.node[node].value;
            end = at;
        }
    }
    return end;
}

static int encode_wordpiece(const void *model, void *scratch, const uint8_t *text, size_t size,
                            bipe_piece_tokens *tokens, bipe_error *err)
{
    (void)scratch;
    const words *w = model;
    size_t before = tokens->count, at = 0;
    uint64_t characters = 0;
    uint32_t code, id;
    for (size_t i = 0; i < size && characters <= w->longest; characters++)
        i += bipe_step_char(text, size, i, &code);
    while (characters <= w->longest && at < size) {
        size_t end = longest_piece(w, at == 0 ? w->outer : w->inner, text, size, at, &id);
        if (end == 0)
            break;
        int status = bipe_piece_tokens_add(tokens, id, end, err);
        if (status != BIPE_OK)
            return status;
        at = end;
    }
    if (at == size)
        return BIPE_OK;
    tokens->count = before;
    return add_unknown(w, size, tokens, err);
}

static int word_surface(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out,
                        bipe_error *err)
{
    const words *w = model;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&pipeline->vocabulary, id, &size);
    if (w->mark_size != 0 && size > w->mark_size && memcmp(text, w->mark, w->mark_size) == 0)
        return bipe_buffer_append(out, text + w->mark_size, size - w->mark_size, err);
    int status = w->spaces && size != 0 ? bipe_buffer_append(out, " ", 1, err) : BIPE_OK;
    return status == BIPE_OK ? bipe_buffer_append(out, text, size, err) : status;
}

/* ---- WordLevel ---- */

static int open_wordlevel(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "unk_token", "vocab", NULL};
    words *w = bipe_alloc(1, sizeof *w);
    *model = w;
    if (w == NULL)
        return bipe_fail_memory(err);
    int status = bipe_json_only(json, known, err);
    return status == BIPE_OK ? read_words(w, pipeline, json, err) : status;
}

static int encode_wordlevel(const void *model, void *scratch, const uint8_t *text, size_t size,
                            bipe_piece_tokens *tokens, bipe_error *err)
{
    (void)scratch;
    const words *w = model;
    int64_t id = bipe_vocabulary_find(w->vocabulary, text, size);
    /* The model's own ids are followed by those of added tokens, which it does not know. */
    bool known = id != BIPE_NO_PIECE && (size_t)id < w->size;
    return known ? bipe_piece_tokens_add(tokens, (uint32_t)id, size, err) : add_unknown(w, size, tokens, err);
}

/* ---- WordPiece as GGUF files keep it: the first piece of a word begins with a mark, others have none ---- */

#define BERT_MARK "\xE2\x96\x81" /* ▁ */

static int open_bert(void **model, bipe_pipeline *pipeline, const json_t *json, bipe_error *err)
{
    words *w = bipe_alloc(1, sizeof *w);
    *model = w;
    if (w == NULL)
        return bipe_fail_memory(err);
    int status = bipe_pipeline_read_vocab(pipeline, err);
    if (status != BIPE_OK)
        return status;
    w->vocabulary = &pipeline->vocabulary;
    w->size = pipeline->vocabulary.count;
    w->unk = (uint32_t)json_integer_value(json_object_get(json, "unk_id"));
    w->mark = (uint8_t *)bipe_strdup(BERT_MARK);
    if (w->mark == NULL)
        return bipe_fail_memory(err);
    w->mark_size = strlen(BERT_MARK);
    pipeline->prefix = true;
    return build_pieces(w, &w->outer, err);
}

/* The next piece of a word, at text[at]: its end, and *id, which is none where no piece fits. */
static size_t next_bert(const words *w, const uint8_t *text, size_t size, size_t at, bool first, uint32_t *id)
{
    size_t end = longest_piece(w, first ? w->outer : w->inner, text, size, at, id);
    /* The mark may be a piece by itself, without text. */
    if (first && end == 0 && w->outer != SIZE_MAX)
        *id = w->pieces.node[w->outer].value;
    return *id != BIPE_TRIE_NONE && end == 0 ? at : end;
}

static int encode_bert(const void *model, void *scratch, const uint8_t *text, size_t size, bipe_piece_tokens *tokens,
                       bipe_error *err)
{
    (void)scratch;
    const words *w = model;
    size_t before = tokens->count, at = 0;
    uint32_t id = 0;
    int status = BIPE_OK;
    while (status == BIPE_OK && at < size) {
        at = next_bert(w, text, size, at, tokens->count == before, &id);
        if (id == BIPE_TRIE_NONE)
            break;
        status = bipe_piece_tokens_add(tokens, id, at, err);
    }
    if (status != BIPE_OK || id != BIPE_TRIE_NONE)
        return status;
    tokens->count = before;
    return bipe_piece_tokens_add(tokens, w->unk, size, err);
}

static int bert_surface(const void *model, const bipe_pipeline *pipeline, uint32_t id, bipe_buffer *out,
                        bipe_error *err)
{
    const words *w = model;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&pipeline->vocabulary, id, &size);
    bool marked = size >= w->mark_size && memcmp(text, w->mark, w->mark_size) == 0;
    int status = marked ? bipe_buffer_append(out, " ", 1, err) : BIPE_OK;
    size_t from = marked ? w->mark_size : 0;
    return status == BIPE_OK ? bipe_buffer_append(out, text + from, size - from, err) : status;
}

const bipe_model_type bipe_model_bert = {
    .name = "bert", .open = open_bert, .close = close_words, .encode = encode_bert, .surface = bert_surface};
const bipe_model_type bipe_model_wordpiece = {.name = "WordPiece", .open = open_wordpiece, .close = close_words,
                                              .encode = encode_wordpiece, .surface = word_surface};
const bipe_model_type bipe_model_wordlevel = {.name = "WordLevel", .open = open_wordlevel, .close = close_words,
                                              .encode = encode_wordlevel, .surface = word_surface};
