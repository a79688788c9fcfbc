/* tiktoken_file.c - reads tiktoken's vocabularies: a line for each token, its bytes in base64 and its rank, which is its id.
 *
 * Of two neighbours whose bytes together are a token, those with the lowest rank are joined first (github.com/openai/tiktoken).
 * The pattern that splits the text is not in the file: it goes by the number of ranks, for the encodings that are public;
 * others are refused. White space and newlines at the very end of a text are split as in the encodings' first published patterns. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "token/bpe.h"
#include "token/bpe_patterns.h"
#include "token/merge_model.h"
#include "token/tiktoken_merges.h"

enum { SPECIALS = 6 };

typedef struct encoding {
    const char *name;
    uint32_t count, largest; /* ranks, the largest of them */
    const char *pattern[2];
    size_t size;             /* ids are below this */
    struct {
        const char *text;
        uint32_t id;
    } special[SPECIALS];
    int64_t bos, eos;
} encoding;

static const encoding encodings[] = {
    {"r50k_base", 50256, 50255, {BIPE_PATTERN_GPT2}, 50257, {{"<|endoftext|>", 50256}}, BIPE_NO_TOKEN, 50256},
    {"p50k_base", 50280, 50280, {BIPE_PATTERN_GPT2}, 50281, {{"<|endoftext|>", 50256}}, BIPE_NO_TOKEN, 50256},
    {"cl100k_base", 100256, 100255, {BIPE_PATTERN_CL100K}, 100277,
     {{"<|endoftext|>", 100257}, {"<|fim_prefix|>", 100258}, {"<|fim_middle|>", 100259}, {"<|fim_suffix|>", 100260},
      {"<|endofprompt|>", 100276}},
     BIPE_NO_TOKEN, 100257},
    {"o200k_base", 199998, 199997, {BIPE_PATTERN_O200K}, 200019, {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}},
     BIPE_NO_TOKEN, 199999},
    {"Llama 3", 128000, 127999, {BIPE_PATTERN_CL100K}, 128256,
     {{"<|begin_of_text|>", 128000}, {"<|end_of_text|>", 128001}, {"<|start_header_id|>", 128006}, {"<|end_header_id|>", 128007},
      {"<|eot_id|>", 128009}},
     128000, 128001},
};

/* ---- the lines ---- */

/* A digit's value and one more. */
static const uint8_t base64[256] = {
    ['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, ['+'] = 63, ['/'] = 64};

/* Decodes text[0 .. size) into bytes, which has room for size; returns how many, 0 for what is no base64. */
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

typedef struct line {
    const uint8_t *text; /* base64 */
    size_t size;
    uint32_t rank;
} line;

/* The line at *at, which moves behind it. BIPE_END: there is none. */
static int next_line(const uint8_t **at, const uint8_t *end, line *l, size_t number, bipe_error *err)
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
        return bipe_fail(err, BIPE_ERR_FORMAT, "line %zu: expected base64, a space and a rank below %d", number, BIPE_VOCABULARY_LIMIT);
    *l = (line){.text = p, .size = (size_t)(space - p), .rank = (uint32_t)rank};
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

/* ---- the vocabulary ---- */

static int sort_lines(const uint8_t *bytes, size_t size, line **lines, size_t *count, bipe_error *err)
{
    const uint8_t *at = bytes, *end = bytes + size;
    size_t number = 0, largest = 0, seen = 0;
    line l;
    int status;
    while ((status = next_line(&at, end, &l, ++number, err)) == BIPE_OK) {
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
    for (number = 1; (status = next_line(&at, end, &l, number, err)) == BIPE_OK; number++) {
        if ((*lines)[l.rank].text != NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "line %zu: the rank %" PRIu32 " comes twice", number, l.rank);
        (*lines)[l.rank] = l;
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int add_token(bipe_pipeline *p, const line *l, size_t rank, bipe_buffer *room, bipe_error *err)
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
    status = bipe_vocabulary_append(&p->vocabulary, room->data, n, err);
    if (status != BIPE_OK)
        return status;
    int64_t known = bipe_vocabulary_index(&p->vocabulary, (uint32_t)rank);
    if (known == BIPE_NO_PIECE)
        return bipe_fail_memory(err);
    if (known != (int64_t)rank)
        return bipe_fail(err, BIPE_ERR_FORMAT, "the ranks %" PRId64 " and %zu have the same bytes", known, rank);
    return BIPE_OK;
}

static int find_encoding(const line *lines, size_t count, const encoding **found, bipe_error *err)
{
    size_t ranks = 0;
    for (size_t i = 0; i < count; i++)
        ranks += lines[i].text != NULL;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (encodings[i].count == ranks && encodings[i].largest + (size_t)1 == count) {
            *found = &encodings[i];
            return BIPE_OK;
        }
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                     "a tiktoken file with %zu ranks: the pattern that splits the text is not in it, and is known for r50k_base, p50k_base, "
                     "cl100k_base, o200k_base and Llama 3 alone", ranks);
}

static int add_specials(bipe_pipeline *p, const encoding *e, size_t count, bool special, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t id = count; status == BIPE_OK && id < e->size; id++) {
        const char *text = "";
        for (size_t i = 0; i < SPECIALS && e->special[i].text != NULL; i++)
            if (e->special[i].id == id)
                text = e->special[i].text;
        status = bipe_vocabulary_append(&p->vocabulary, text, strlen(text), err);
    }
    p->added_id = bipe_alloc(e->size, 1);
    if (p->added_id == NULL && status == BIPE_OK)
        status = bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < SPECIALS && e->special[i].text != NULL; i++) {
        p->added_id[e->special[i].id] = 2;
        status = bipe_pipeline_look_for(p, e->special[i].text, strlen(e->special[i].text),
                                        (bipe_added){.id = e->special[i].id, .text = !special}, false, err);
    }
    return status;
}

static int write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    const bipe_pipeline *p = tokenizer->model;
    int status = bipe_gguf_set_string(writer, "tokenizer.ggml.model", "tiktoken", 8, err);
    if (status == BIPE_OK)
        status = bipe_gguf_set_string(writer, "tokenizer.tiktoken", (const char *)p->original, p->original_size, err);
    return status == BIPE_OK ? bipe_pipeline_write_ids(tokenizer, writer, err) : status;
}

static int read_pipeline(bipe_tokenizer *tokenizer, bipe_pipeline *p, const uint8_t *bytes, size_t size, line **lines, bipe_buffer *room,
                         bipe_error *err)
{
    const encoding *e = NULL;
    size_t count = 0;
    int status = sort_lines(bytes, size, lines, &count, err);
    if (status == BIPE_OK)
        status = find_encoding(*lines, count, &e, err);
    if (status == BIPE_OK)
        status = bipe_pipeline_add_byte_level(p, false, e->pattern, err);
    if (status == BIPE_OK)
        bipe_vocabulary_expect(&p->vocabulary, count);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = add_token(p, &(*lines)[i], i, room, err);
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
        status = bipe_tiktoken_merges(&m->merges, &m->quick, &p->vocabulary, m->byte_symbol[0], &all, err);
    m->whole = !all; /* else it makes no difference */
    if (status == BIPE_OK)
        status = add_specials(p, e, count, tokenizer->special, err);
    if (status == BIPE_OK && (p->original = bipe_alloc(size, 1)) == NULL)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK)
        return status;
    memcpy(p->original, bytes, size);
    p->original_size = size;
    p->write_gguf = write_gguf;
    status = bipe_pipeline_finish(tokenizer, p, err);
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
    line *lines = NULL;
    bipe_buffer room = {0};
    int status = read_pipeline(tokenizer, p, bytes, size, &lines, &room, err);
    bipe_free(lines);
    bipe_buffer_free(&room);
    if (status != BIPE_OK)
        bipe_pipeline_free(p);
    return status;
}
