/* merge_model.c - encodes pre-tokens by merges. */
#include "token/pipeline/merge_model.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "token/json/json_members.h"
#include "token/merges/merge_loop.h"
#include "token/pipeline/byte_letters.h"

/* Context from the bytes before; zero at the start of a pre-token. */
typedef struct bipe_merge_before {
    uint32_t waiting; /* bytes of unknown characters whose token goes in front of the next known character */
    uint64_t dropped; /* bytes before the first symbol */
    bool gap;         /* the last bytes were dropped and separate their neighbours */
} bipe_merge_before;

typedef struct merge_scratch {
    bipe_symbol_row row;
    bipe_buffer text; /* a pre-token as letters; a character with its affixes */
    bipe_merge_before before;
} merge_scratch;

bipe_merge_model *bipe_merge_model_new(bipe_pipeline *pipeline)
{
    bipe_merge_model *m = bipe_alloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->vocabulary = &pipeline->vocabulary;
    m->unk = BIPE_NO_TOKEN;
    return m;
}

static bool is_plain_model(const bipe_merge_model *m)
{
    bool plain = m->bytes;
    for (int b = 0; plain && b < 256; b++)
        for (int position = 0; position < 4; position++)
            plain = plain && m->byte_symbol[position][b] == m->byte_symbol[0][b] &&
                    m->byte_symbol[0][b] != BIPE_NO_SYMBOL;
    return plain;
}

/* Called for the complete model. */
static void model_finish(void *model, const bipe_pipeline *pipeline, bool special)
{
    (void)special;
    bipe_merge_model *m = model;
    m->cut = pipeline->cuts_letters;
    m->plain = is_plain_model(m);
    if (m->plain)
        bipe_merge_parts_open(&m->parts, m);
}

static void model_close(void *model)
{
    bipe_merge_model *m = model;
    if (m == NULL)
        return;
    bipe_pair_table_free(&m->merges);
    bipe_pretoken_parts_free(&m->parts);
    bipe_free((char *)(uintptr_t)m->prefix);
    bipe_free((char *)(uintptr_t)m->suffix);
    bipe_free((char *)(uintptr_t)m->unk_name);
    bipe_free(m);
}

static void scratch_close(void *scratch)
{
    merge_scratch *s = scratch;
    bipe_symbol_row_free(&s->row);
    bipe_buffer_free(&s->text);
}

void bipe_merge_model_install(bipe_pipeline *pipeline, bipe_merge_model *model)
{
    pipeline->type = &bipe_model_bpe;
    pipeline->model = model;
    pipeline->model_size = model->count;
}

/* ---- first symbols ---- */

static int64_t find_character(const bipe_merge_model *m, const void *text, size_t size)
{
    int64_t id = bipe_vocabulary_find(m->vocabulary, text, size);
    return id != BIPE_NO_PIECE && (uint64_t)id < m->count ? id : BIPE_NO_PIECE;
}

/* The id of a character with the affixes that its position asks for, or BIPE_NO_SYMBOL; *status: out of memory. */
static uint32_t symbol_of(const bipe_merge_model *m, bipe_buffer *room, const uint8_t *text, size_t size, bool first,
                          bool last, int *status, bipe_error *err)
{
    room->size = 0;
    *status = BIPE_OK;
    if (!first && m->prefix != NULL)
        *status = bipe_buffer_append(room, m->prefix, strlen(m->prefix), err);
    if (*status == BIPE_OK)
        *status = bipe_buffer_append(room, text, size, err);
    if (*status == BIPE_OK && last && m->suffix != NULL)
        *status = bipe_buffer_append(room, m->suffix, strlen(m->suffix), err);
    int64_t id = *status == BIPE_OK ? find_character(m, room->data, room->size) : BIPE_NO_PIECE;
    return id != BIPE_NO_PIECE ? (uint32_t)id : (uint32_t)BIPE_NO_SYMBOL;
}

int bipe_merge_model_ready(bipe_merge_model *m, bipe_error *err)
{
    bipe_buffer room = {0};
    int status = BIPE_OK;
    m->count = m->vocabulary->count;
    for (int b = 0; m->bytes && status == BIPE_OK && b < 256; b++) {
        uint8_t text[4] = {(uint8_t)b};
        size_t size = m->letters ? bipe_utf8_encode(bipe_byte_letter((uint8_t)b), text) : 1;
        memcpy(m->letter[b], text, sizeof m->letter[b]);
        for (int position = 0; status == BIPE_OK && position < 4; position++)
            m->byte_symbol[position][b] =
                symbol_of(m, &room, text, size, (position & 1) != 0, (position & 2) != 0, &status, err);
    }
    bipe_buffer_free(&room);
    return status;
}

/* Appends the token of pending unknown characters. */
static int add_waiting(const bipe_merge_model *m, bipe_symbol_row *row, bipe_merge_before *before, bipe_error *err)
{
    uint32_t size = before->waiting;
    before->waiting = 0;
    return size != 0 ? bipe_symbol_row_add(row, (uint32_t)m->unk, size, err) : BIPE_OK;
}

static int add_known(const bipe_merge_model *m, bipe_symbol_row *row, bipe_merge_before *before, uint32_t symbol,
                     uint32_t size, bipe_error *err)
{
    int status = before->waiting != 0 ? add_waiting(m, row, before, err) : BIPE_OK;
    if (before->dropped > UINT32_MAX - size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 4 GiB of characters without a token");
    size += (uint32_t)before->dropped;
    before->dropped = 0;
    if (status == BIPE_OK && before->gap)
        status = bipe_symbol_row_add(row, (uint32_t)m->count, 0, err); /* a symbol in no merge */
    before->gap = false;
    return status == BIPE_OK ? bipe_symbol_row_add(row, symbol, size, err) : status;
}

static bool has_bytes(const bipe_merge_model *m, const uint8_t *name, size_t size)
{
    for (size_t k = 0; m->fallback && k < size; k++)
        if (m->byte_id[name[k]] == BIPE_NO_SYMBOL)
            return false;
    return m->fallback;
}

/* Text without a token where there is no unknown token: it is dropped as in the originals, and its span goes to a
 * neighbour. */
static int add_dropped(bipe_symbol_row *row, bipe_merge_before *before, size_t size, bipe_error *err)
{
    if (row->count == 0) {
        before->dropped += size;
        return BIPE_OK;
    }
    if (row->size[row->count - 1] > UINT32_MAX - size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 4 GiB of characters without a token");
    row->size[row->count - 1] += (uint32_t)size;
    return BIPE_OK;
}

/* A character without an id, `size` bytes long; name: its string with affixes. As in the library, its bytes go in front
 * of pending unknown characters. */
static int add_unknown_symbol(const bipe_merge_model *m, bipe_symbol_row *row, bipe_merge_before *before,
                              const uint8_t *name, size_t name_size, size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    if (has_bytes(m, name, name_size)) {
        for (size_t k = 0; status == BIPE_OK && k < name_size; k++)
            status = bipe_symbol_row_add(row, m->byte_id[name[k]],
                                         name_size == size    ? 1
                                         : k + 1 == name_size ? (uint32_t)size
                                                              : 0,
                                         err);
        return status;
    }
    if (m->unk_name != NULL)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "a character that has no token, and unk_token \"%.40s\" is not in the vocabulary",
                         m->unk_name);
    if (m->unk == BIPE_NO_TOKEN) {
        before->gap = m->dropped_block_merges && row->count != 0;
        return add_dropped(row, before, size, err);
    }
    if (!m->fuse)
        status = add_waiting(m, row, before, err);
    if (before->waiting > UINT32_MAX - size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 4 GiB of unknown characters");
    before->waiting += (uint32_t)size;
    return status;
}

/* A byte that is not UTF-8, which the originals never see, must not be dropped. */
static int check_dropped(const bipe_merge_model *m, const uint8_t *text, size_t size, size_t at, bipe_error *err)
{
    size_t start = at;
    int32_t code;
    if (m->unk != BIPE_NO_TOKEN || (m->fallback && m->byte_id[text[at]] != BIPE_NO_SYMBOL))
        return BIPE_OK;
    while (start > 0 && at - start < 3 && (text[start] & 0xC0) == 0x80)
        start--;
    size_t n = bipe_utf8_decode(text + start, size - start, &code);
    if (code >= 0 && start + n > at)
        return BIPE_OK;
    bool begun = start == 0 && (text[0] & 0xC0) == 0x80; /* in the pre-token before, or it goes on in the next */
    if (m->cut && (begun || n == 0))
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "0x%02X, which is not UTF-8, has no token, and there is no unknown one",
                     text[at]);
}

/* The byte as a letter, or as it is. Two bytes are written; returns how many count. */
static inline size_t letter_of(const bipe_merge_model *m, uint8_t byte, uint8_t *text)
{
    memcpy(text, m->letter[byte], sizeof m->letter[byte]);
    return m->letters && text[0] >= 0x80 ? 2 : 1;
}

/* The string of a byte in the vocabulary: its letter, with the affixes for its position. */
static size_t name_of(const bipe_merge_model *m, uint8_t byte, bool first, bool last,
                      uint8_t name[2 * BIPE_ADDED_LENGTH + 4])
{
    size_t prefix = !first && m->prefix != NULL ? strlen(m->prefix) : 0,
           suffix = last && m->suffix != NULL ? strlen(m->suffix) : 0;
    if (prefix != 0)
        memcpy(name, m->prefix, prefix);
    size_t size = prefix + letter_of(m, byte, name + prefix);
    if (suffix != 0)
        memcpy(name + size, m->suffix, suffix);
    return size + suffix;
}

/* The symbols of the bytes of a pre-token. */
static int add_bytes(const bipe_merge_model *m, bipe_symbol_row *row, bipe_merge_before *before, const uint8_t *text,
                     size_t size, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < size; i++) {
        uint32_t symbol = m->byte_symbol[(i == 0) + 2 * (i + 1 == size)][text[i]];
        if (symbol != BIPE_NO_SYMBOL) {
            status = add_known(m, row, before, symbol, 1, err);
            continue;
        }
        uint8_t name[2 * BIPE_ADDED_LENGTH + 4];
        size_t name_size = name_of(m, text[i], i == 0, i + 1 == size, name);
        status = check_dropped(m, text, size, i, err);
        if (status == BIPE_OK)
            status = add_unknown_symbol(m, row, before, name, name_size, 1, err);
    }
    return status;
}

/* The same of its characters. */
static int add_characters(const bipe_merge_model *m, merge_scratch *s, const uint8_t *text, size_t size,
                          bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0, n; status == BIPE_OK && i < size; i += n) {
        int32_t code;
        n = bipe_utf8_decode(text + i, size - i, &code);
        if (n == 0)
            n = 1; /* a character that is cut short */
        uint32_t symbol = symbol_of(m, &s->text, text + i, n, i == 0, i + n == size, &status, err);
        if (status != BIPE_OK)
            return status;
        if (symbol != BIPE_NO_SYMBOL) {
            status = add_known(m, &s->row, &s->before, symbol, (uint32_t)n, err);
            continue;
        }
        status = check_dropped(m, text, size, i, err);
        /* The library takes the bytes of the character with its affixes. */
        if (status == BIPE_OK)
            status = add_unknown_symbol(m, &s->row, &s->before, s->text.data, s->text.size, n, err);
    }
    return status;
}

/* ---- a pre-token ---- */

static int find_whole_word(const bipe_merge_model *m, merge_scratch *s, const uint8_t *text, size_t size, int64_t *id,
                           bipe_error *err)
{
    *id = BIPE_NO_PIECE;
    if (size > BIPE_PIECE_LIMIT)
        return BIPE_OK;
    if (!m->letters) {
        *id = find_character(m, text, size);
        return BIPE_OK;
    }
    s->text.size = 0;
    int status = bipe_buffer_reserve(&s->text, 2 * size, err);
    for (size_t i = 0; status == BIPE_OK && i < size; i++)
        s->text.size += letter_of(m, text[i], s->text.data + s->text.size);
    if (status == BIPE_OK)
        *id = find_character(m, s->text.data, s->text.size);
    return status;
}

/* Merges the row, and appends its tokens. */
static int merge_symbols(const bipe_merge_model *m, bipe_symbol_row *row, bipe_piece_tokens *tokens, bipe_error *err)
{
    size_t n = row->count, from = 0, end = 0;
    int status = bipe_merge_row(&row->memory, &m->merges, row->symbol, row->end, &n, err);
    if (status == BIPE_OK &&
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + n, sizeof *tokens->token) != 0)
        status = bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < n; i++) {
        while (from < row->end[i])
            end += row->size[from++];
        if (row->symbol[i] != m->count) /* a gap */
            tokens->token[tokens->count++] = (bipe_piece_token){.id = row->symbol[i], .end = (uint32_t)end};
    }
    return status;
}

/* A short pre-token whose bytes are its symbols. */
static int merge_bytes(const bipe_merge_model *m, merge_scratch *s, const uint8_t *text, size_t size,
                       bipe_piece_tokens *tokens, bipe_error *err)
{
    uint32_t symbol[BIPE_MERGE_SHORT], end[BIPE_MERGE_SHORT];
    for (size_t i = 0; i < size; i++)
        symbol[i] = m->byte_symbol[0][text[i]];
    int status = bipe_merge_row(&s->row.memory, &m->merges, symbol, end, &size, err);
    if (status == BIPE_OK &&
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + size, sizeof *tokens->token) != 0)
        status = bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < size; i++)
        tokens->token[tokens->count++] = (bipe_piece_token){.id = symbol[i], .end = end[i]};
    return status;
}

static int merge_pretoken(const bipe_merge_model *m, merge_scratch *s, const uint8_t *text, size_t size,
                          bipe_piece_tokens *tokens, bipe_error *err)
{
    if (m->plain && size <= BIPE_MERGE_SHORT)
        return merge_bytes(m, s, text, size, tokens, err);
    s->before = (bipe_merge_before){0};
    s->row.count = 0;
    int status = m->bytes ? add_bytes(m, &s->row, &s->before, text, size, err) : add_characters(m, s, text, size, err);
    if (status == BIPE_OK)
        status = add_waiting(m, &s->row, &s->before, err);
    return status == BIPE_OK && s->row.count != 0 ? merge_symbols(m, &s->row, tokens, err) : status;
}

int bipe_merge_model_encode_words(const bipe_merge_model *m, void *scratch, bipe_new_word *word, size_t count,
                                  bipe_piece_tokens *tokens, size_t *done, bipe_error *err)
{
    merge_scratch *s = scratch;
    int status = BIPE_OK;
    size_t n = 0;
    for (; status == BIPE_OK && n < count; n++) {
        bipe_new_word *w = &word[n];
        int64_t id = BIPE_NO_PIECE;
        w->at = tokens->count;
        if (m->whole)
            status = find_whole_word(m, s, w->text, w->size, &id, err);
        if (status == BIPE_OK)
            status = id != BIPE_NO_PIECE ? bipe_piece_tokens_add(tokens, (uint32_t)id, w->size, err)
                                         : merge_pretoken(m, s, w->text, w->size, tokens, err);
        w->count = tokens->count - w->at;
    }
    *done = status == BIPE_OK ? n : n - 1;
    return status;
}

static int encode_pretoken(const void *model, void *scratch, const uint8_t *text, size_t size,
                           bipe_piece_tokens *tokens, bipe_error *err)
{
    bipe_new_word word = {.text = text, .size = size};
    size_t before = tokens->count, done;
    int status = bipe_merge_model_encode_words(model, scratch, &word, 1, tokens, &done, err);
    tokens->count = status == BIPE_OK ? tokens->count : before;
    return status;
}

/* For the merges of a file, whose list has this name, after the vocabulary and `prefix`. */
static bipe_merge_list list_of_merges(bipe_merge_model *m, const char *name)
{
    return (bipe_merge_list){.vocabulary = m->vocabulary, .ids = m->count, .table = &m->merges, .name = name,
                             .drop = m->prefix != NULL ? strlen(m->prefix) : 0};
}

/* ---- a tokenizer.json ---- */

static int read_affix(const json_t *json, const char *name, const char **affix, bipe_error *err)
{
    const json_t *value = json_object_get(json, name);
    if (value == NULL || json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0))
        return BIPE_OK;
    if (!json_is_string(value) || json_string_length(value) > BIPE_ADDED_LENGTH)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: expected a string of at most %d bytes", name, BIPE_ADDED_LENGTH);
    *affix = bipe_strdup(json_string_value(value));
    return *affix != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int read_unknown(bipe_merge_model *m, const json_t *json, bipe_error *err)
{
    bool fallback;
    int status = bipe_json_flag(json, "byte_fallback", false, &fallback, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "fuse_unk", false, &m->fuse, err);
    if (status != BIPE_OK)
        return status;
    size_t found = 0;
    for (int b = 0; fallback && b < 256; b++) {
        char text[8];
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)b);
        int64_t id = find_character(m, text, 6);
        m->byte_id[b] = id != BIPE_NO_PIECE ? (uint32_t)id : (uint32_t)BIPE_NO_SYMBOL;
        found += id != BIPE_NO_PIECE;
    }
    m->fallback = found != 0; /* of a character that lacks one of its bytes none is taken */
    const json_t *unk = json_object_get(json, "unk_token");
    if (json_is_string(unk)) {
        m->unk = find_character(m, json_string_value(unk), json_string_length(unk));
        if (m->unk == BIPE_NO_PIECE && (m->unk_name = bipe_strdup(json_string_value(unk))) == NULL)
            return bipe_fail_memory(err);
    } else if (unk != NULL && !json_is_null(unk)) {
        return bipe_fail(err, BIPE_ERR_FORMAT, "unk_token: expected a string");
    }
    return BIPE_OK;
}

static int read_merge_model(bipe_merge_model *m, bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    static const char *const known[] = {"type", "dropout", "unk_token", "continuing_subword_prefix",
                                        "end_of_word_suffix",
                                        "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges", NULL};
    int status = bipe_json_only(json, known, err);
    if (status == BIPE_OK)
        status = bipe_json_no_dropout(json, err);
    if (status == BIPE_OK)
        status = bipe_json_flag(json, "ignore_merges", false, &m->whole, err);
    if (status == BIPE_OK)
        status = read_affix(json, "continuing_subword_prefix", &m->prefix, err);
    if (status == BIPE_OK)
        status = read_affix(json, "end_of_word_suffix", &m->suffix, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_read_vocab(p, err);
    m->count = p->vocabulary.count;
    m->bytes = m->letters = p->bytes;
    bipe_merge_list list = list_of_merges(m, "merges");
    if (status == BIPE_OK)
        status = read_unknown(m, json, err);
    if (status == BIPE_OK)
        status = bipe_description_merges(p->description, &list, err);
    return status == BIPE_OK ? bipe_merge_model_ready(m, err) : status;
}

static int open_json(void **model, bipe_pipeline *p, const json_t *json, bipe_error *err)
{
    bipe_merge_model *m = bipe_merge_model_new(p);
    if (m == NULL)
        return bipe_fail_memory(err);
    *model = m;
    return read_merge_model(m, p, json, err);
}

/* ---- decoding ---- */

static int merge_surface_of(const void *model, const bipe_pipeline *p, uint32_t id, bipe_buffer *out, bipe_error *err)
{
    const bipe_merge_model *m = model;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(&p->vocabulary, id, &size);
    int byte = m->fallback ? bipe_byte_piece(text, size) : -1;
    if (byte >= 0) {
        uint8_t b = (uint8_t)byte;
        return bipe_buffer_append(out, &b, 1, err);
    }
    size_t prefix = m->prefix != NULL ? strlen(m->prefix) : 0, suffix = m->suffix != NULL ? strlen(m->suffix) : 0;
    if (prefix != 0 && size > prefix && memcmp(text, m->prefix, prefix) == 0) {
        text += prefix;
        size -= prefix;
    }
    if (suffix != 0 && size > suffix && memcmp(text + size - suffix, m->suffix, suffix) == 0)
        size -= suffix;
    return bipe_buffer_append(out, text, size, err);
}

const bipe_model_type bipe_model_bpe = {
    .name = "BPE",
    .open = open_json,
    .close = model_close,
    .finish = model_finish,
    .scratch_size = sizeof(merge_scratch),
    .scratch_close = scratch_close,
    .encode = encode_pretoken,
    .surface = merge_surface_of,
};
