/* tiktoken_file.c - reads tiktoken's vocabularies: a line for each token, its bytes in base64 and its rank, which is
 * its id.
 *
 * Of two neighbours whose bytes together are a token, those with the lowest rank are joined first
 * (github.com/openai/tiktoken). The pattern that splits the text is not in the file: it goes by the ranks, for the
 * encodings that are public (tiktoken_encodings.c); others are refused. White space and newlines at the very end of a
 * text are split as in the encodings' first published patterns. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/files/tiktoken_file.h"
#include "token/merges/merge_loop.h"
#include "token/pipeline/merge_model.h"
#include "token/spm/bpe.h"

/* ---- the lines ---- */

/* A digit's value and one more. */
static const uint8_t base64[256] = {
    ['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, ['+'] = 63, ['/'] = 64};

/* Decodes text[0 .. size) into bytes (size); returns how many, 0 when it is no base64. */
static size_t base64_decode(const uint8_t *text, size_t size, uint8_t *bytes)
{
    size_t n = 0, digits = size;
    if (size == 0 || size % 4 != 0)
        return 0;
    while (digits > size - 2 && text[digits - 1] == '=')
        digits--;
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        uint8_t digit = base64[text[i]];
        if (digit == 0)
            return 0;
        bits = bits << 6 | (digit - 1u);
        if (i % 4 != 0)
            bytes[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    return n;
}

/* The line at *at, which moves past it. BIPE_END: there is none. */
static int next_rank_line(const uint8_t **at, const uint8_t *end, bipe_tiktoken_line *l, size_t number, bipe_error *err)
{
    const uint8_t *p = *at;
    if (p == end)
        return BIPE_END;
    const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));
    *at = stop != NULL ? stop + 1 : end;
    stop = stop != NULL ? stop : end;
    if (stop > p && stop[-1] == '\r')
        stop--;
    const uint8_t *space = memchr(p, ' ', (size_t)(stop - p));
    uint64_t rank = 0;
    const uint8_t *digit = space != NULL ? space + 1 : stop;
    bool good = digit < stop && stop - digit < 10;
    for (; good && digit < stop; digit++) {
        good = *digit >= '0' && *digit <= '9';
        rank = rank * 10 + (uint64_t)(*digit - '0');
    }
    if (!good || rank >= BIPE_VOCABULARY_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %zu: expected base64, a space and a rank below %d", number,
                         BIPE_VOCABULARY_LIMIT);
    *l = (bipe_tiktoken_line){.text = p, .size = (size_t)(space - p), .rank = (uint32_t)rank};
    return BIPE_OK;
}

bool bipe_tiktoken_recognise(const uint8_t *head, size_t size)
{
    size_t i = 0, digits;
    while (i < size && (base64[head[i]] != 0 || head[i] == '='))
        i++;
    if (i == 0 || i % 4 != 0 || i == size || head[i++] != ' ')
        return false;
    for (digits = i; i < size && head[i] >= '0' && head[i] <= '9';)
        i++;
    return i > digits && (i == size || head[i] == '\n' || head[i] == '\r');
}

/* ---- the merges of a list of strings with ranks ---- */

/* Shorter strings come first: the merges that a string needs are known then.
 *
 * There any two neighbours whose bytes together are a string of the list may be merged, the string's number being the
 * rank. Most of these pairs never meet. Of a string T, at most one does: the two that are left last when T's own bytes
 * are merged. For when a merge makes T out of a word, nothing was merged across the ends of T's bytes before, so that
 * all merges among them were those of T by itself, in the same order: each was the best of the word, hence the best of
 * those within T, leftmost among equals. So the merge that T by itself ends with is the only one that ever makes T, and
 * where T by itself does not become one token none does. */

static size_t size_of(const bipe_vocabulary *v, uint32_t id)
{
    return v->end[id] - (id != 0 ? v->end[id - 1] : 0);
}

/* The ids of the strings of two bytes and more, by size: *ids (*count), the caller's to free; *longest. */
static int sort_by_size(const bipe_vocabulary *v, size_t first, uint32_t **ids, size_t *count, size_t *longest)
{
    *longest = 1;
    for (size_t id = first; id < v->count; id++)
        *longest = size_of(v, (uint32_t)id) > *longest ? size_of(v, (uint32_t)id) : *longest;
    size_t *start = bipe_alloc(*longest + 2, sizeof *start);
    *ids = bipe_alloc(v->count, sizeof **ids);
    *count = 0;
    for (size_t id = first; start != NULL && *ids != NULL && id < v->count; id++)
        start[size_of(v, (uint32_t)id) + 1] += size_of(v, (uint32_t)id) > 1;
    for (size_t size = 1; start != NULL && size <= *longest; size++)
        start[size + 1] += start[size];
    for (size_t id = first; start != NULL && *ids != NULL && id < v->count; id++)
        if (size_of(v, (uint32_t)id) > 1) {
            (*ids)[start[size_of(v, (uint32_t)id)]++] = (uint32_t)id;
            ++*count;
        }
    int status = start != NULL && *ids != NULL ? 0 : -1;
    bipe_free(start);
    return status;
}

/* Merges the bytes of each string, and enters a merge for each that ends as two symbols. */
static int merge_strings(bipe_pair_table *merges, const bipe_vocabulary *v, const uint32_t byte[256],
                         const uint32_t *ids, size_t count, bipe_symbol_row *row, bool *all, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t size, left;
        const uint8_t *text = bipe_vocabulary_text(v, ids[i], &size);
        row->count = 0;
        for (size_t k = 0; status == BIPE_OK && k < size; k++)
            status = bipe_symbol_row_add(row, byte[text[k]], 1, err);
        left = size;
        if (status == BIPE_OK)
            status = bipe_merge_row(&row->memory, merges, row->symbol, row->end, &left, err);
        *all = *all && left == 2;
        if (status == BIPE_OK && left == 2 &&
            bipe_pair_table_set(merges, row->symbol[0], row->symbol[1], ids[i], ids[i]) != 0)
            status = bipe_fail_memory(err);
    }
    return status;
}

/* Adds (left, right) -> (rank, id) of all strings that merges make to the empty table; holes of the vocabulary are
 * empty, a string's rank is its id; ids below `first` are none of it. byte: of each byte, its id. *all: merges make all
 * of them. */
static int make_merges(bipe_pair_table *merges, const bipe_vocabulary *v, size_t first, const uint32_t byte[256],
                       bool *all, bipe_error *err)
{
    uint32_t *ids = NULL;
    size_t count = 0, longest;
    bipe_symbol_row row = {0};
    int status = sort_by_size(v, first, &ids, &count, &longest) == 0 && bipe_pair_table_reserve(merges, count) == 0
                     ? BIPE_OK
                     : bipe_fail_memory(err);
    *all = true;
    if (status == BIPE_OK)
        status = merge_strings(merges, v, byte, ids, count, &row, all, err);
    bipe_free(ids);
    bipe_symbol_row_free(&row);
    return status;
}

/* ---- the vocabulary ---- */

static int sort_lines(const uint8_t *bytes, size_t size, bipe_tiktoken_line **lines, size_t *count, bipe_error *err)
{
    const uint8_t *at = bytes, *end = bytes + size;
    size_t number = 0, largest = 0, seen = 0;
    bipe_tiktoken_line l;
    int status;
    while ((status = next_rank_line(&at, end, &l, ++number, err)) == BIPE_OK) {
        largest = l.rank > largest ? l.rank : largest;
        seen++;
    }
    if (status != BIPE_END)
        return status;
    if (largest > 4 * seen + 65536)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu ranks up to %zu", seen, largest);
    *count = seen != 0 ? largest + 1 : 0;
    *lines = bipe_alloc(*count, sizeof **lines);
    if (*lines == NULL)
        return bipe_fail_memory(err);
    at = bytes;
    for (number = 1; (status = next_rank_line(&at, end, &l, number, err)) == BIPE_OK; number++) {
        if ((*lines)[l.rank].text != NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "line %zu: the rank %" PRIu32 " comes twice", number, l.rank);
        (*lines)[l.rank] = l;
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int add_ranked_token(bipe_pipeline *p, const bipe_tiktoken_line *l, size_t rank, bipe_buffer *room,
                            bipe_error *err)
{
    room->size = 0;
    if (l->text == NULL)
        return bipe_vocabulary_append(&p->vocabulary, "", 0, err);
    int status = bipe_buffer_reserve(room, l->size + 1, err);
    if (status != BIPE_OK)
        return status;
    size_t n = base64_decode(l->text, l->size, room->data);
    if (n == 0 || n > BIPE_PIECE_LIMIT)
        return bipe_fail(err, BIPE_ERR_FORMAT, "rank %zu: expected base64 of 1 to %d bytes", rank, BIPE_PIECE_LIMIT);
    return bipe_vocabulary_append(&p->vocabulary, room->data, n, err);
}

/* first: what ids have more than ranks. */
static int index_token(bipe_pipeline *p, const bipe_tiktoken_line *l, size_t rank, size_t first, bipe_error *err)
{
    if (l->text == NULL)
        return BIPE_OK;
    int64_t known = bipe_vocabulary_index(&p->vocabulary, (uint32_t)(first + rank));
    if (known == BIPE_NO_PIECE)
        return bipe_fail_memory(err);
    if (known != (int64_t)(first + rank))
        return bipe_fail(err, BIPE_ERR_FORMAT, "the ranks %" PRId64 " and %zu have the same bytes",
                         known - (int64_t)first, rank);
    return BIPE_OK;
}

static int find_encoding(const bipe_tiktoken_line *lines, size_t count, const bipe_encoding **found, bipe_error *err)
{
    size_t ranks = 0;
    for (size_t i = 0; i < count; i++)
        ranks += lines[i].text != NULL;
    *found = count != 0 ? bipe_encoding_find(ranks, count - 1, lines[count - 1].text, lines[count - 1].size) : NULL;
    return *found != NULL ? BIPE_OK
                          : bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                                      "a tiktoken file with %zu ranks: how it splits a text is not in it, and it is "
                                      "none of " BIPE_ENCODINGS ", expected a tokenizer.json of the same model",
                                      ranks);
}

/* The model of a pipeline that has no steps but normalizers yet. */
static int make_model(bipe_pipeline *p, const bipe_tiktoken_line *lines, size_t count, bipe_buffer *room,
                      bipe_error *err)
{
    size_t first = p->vocabulary.count;
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = add_ranked_token(p, &lines[i], i, room, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = index_token(p, &lines[i], i, first, err);
    bipe_merge_model *m = status == BIPE_OK ? bipe_merge_model_new(p) : NULL;
    if (status != BIPE_OK || m == NULL)
        return status != BIPE_OK ? status : bipe_fail_memory(err);
    bipe_merge_model_install(p, m);
    m->bytes = m->whole = p->raw_strings = true;
    status = bipe_merge_model_ready(m, err);
    for (int b = 0; status == BIPE_OK && b < 256; b++)
        if (m->byte_symbol[0][b] == BIPE_NO_SYMBOL)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "byte 0x%02X has no rank", (unsigned)b);
    bool all = false;
    if (status == BIPE_OK)
        status = make_merges(&m->merges, &p->vocabulary, first, m->byte_symbol[0], &all, err);
    m->whole = !all; /* else it makes no difference */
    return status;
}

int bipe_tiktoken_model(bipe_pipeline *p, const char *const *pattern, const bipe_tiktoken_line *lines, size_t count,
                        bipe_error *err)
{
    bipe_buffer room = {0};
    int status = bipe_pipeline_add_byte_level(p, false, pattern, err);
    if (status == BIPE_OK)
        status = make_model(p, lines, count, &room, err);
    bipe_buffer_free(&room);
    return status;
}

int bipe_tiktoken_special(bipe_pipeline *p, const char *text, uint32_t id, bool special, bipe_error *err)
{
    p->added_id[id] = 2;
    return bipe_pipeline_look_for(p, text, strlen(text), (bipe_added){.id = id, .text = !special}, false, err);
}

static int add_specials(bipe_pipeline *p, const bipe_encoding *e, size_t count, bool special, bipe_error *err)
{
    char room[BIPE_ENCODING_NAME];
    int status = BIPE_OK;
    p->added_id = bipe_alloc(e->size, 1);
    if (p->added_id == NULL)
        return bipe_fail_memory(err);
    /* p50k_base has one among its ranks, in a start that they leave out. */
    for (size_t id = 0; status == BIPE_OK && id < e->size; id++) {
        const char *text = bipe_encoding_special(e, (uint32_t)id, room);
        if (id >= count)
            status = bipe_vocabulary_append(&p->vocabulary, text, strlen(text), err);
        if (status == BIPE_OK && *text != '\0')
            status = bipe_tiktoken_special(p, text, (uint32_t)id, special, err);
    }
    return status;
}

/* The normal form that comes before the pattern. */
static int add_nfc(bipe_pipeline *p, bipe_error *err)
{
    json_t *json = json_pack("{s:s}", "type", "NFC");
    int status = json != NULL ? bipe_pipeline_add_normalizer(p, json, err) : bipe_fail_memory(err);
    json_decref(json);
    return status;
}

static int write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    bipe_gguf_set_text(writer, "tokenizer.ggml.model", "tiktoken");
    int status = bipe_tokenizer_write_original(tokenizer, writer, "tokenizer.tiktoken", err);
    bipe_pipeline_write_ids(tokenizer, writer);
    return status;
}

static int read_pipeline(bipe_tokenizer *tokenizer, bipe_pipeline *p, const uint8_t *bytes, size_t size,
                         bipe_tiktoken_line **lines, bipe_error *err)
{
    const bipe_encoding *e = NULL;
    size_t count = 0;
    int status = sort_lines(bytes, size, lines, &count, err);
    if (status == BIPE_OK)
        status = find_encoding(*lines, count, &e, err);
    if (status == BIPE_OK)
        status = e->nfc ? add_nfc(p, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = bipe_tiktoken_model(p, e->pattern, *lines, count, err);
    if (status == BIPE_OK)
        status = add_specials(p, e, count, tokenizer->special, err);
    if (status == BIPE_OK) {
        tokenizer->bos = e->bos;
        tokenizer->eos = e->eos;
    }
    return status;
}

int bipe_tiktoken_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_pipeline *p = bipe_pipeline_new();
    if (p == NULL)
        return bipe_fail_memory(err);
    bipe_tiktoken_line *lines = NULL;
    int status = read_pipeline(tokenizer, p, bytes, size, &lines, err);
    bipe_free(lines);
    status = bipe_pipeline_finish(tokenizer, p, status, err);
    tokenizer->write_gguf = write_gguf;
    return status == BIPE_OK ? bipe_tokenizer_keep(tokenizer, bytes, size, err) : status;
}
