/* corpus.c - reads texts into a token spool and cuts rows from it; see corpus.h. */
#include "train/corpus.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "task/growing_text.h"
#include "text/pattern.h"
#include "text/utf8.h"

/* Text of a line in which `loss_after` is searched: a row is much shorter. */
enum { LINE_LIMIT = 16 << 20 };

/* A row of its own. */
typedef struct corpus_line {
    uint64_t start;   /* its first token in the spool */
    uint32_t count;   /* tokens */
    uint32_t first;   /* the first target, >= 1 */
} corpus_line;

struct bipe_corpus {
    bipe_corpus_options options;
    bipe_stream *stream;
    bipe_token_spool *spool;
    bipe_spool_token *token;   /* (length): one row, as the spool has it */
    uint8_t *closes;           /* (length) */
    int64_t bos;
    corpus_line *line;         /* BIPE_PACK_LINE */
    size_t line_count, line_capacity;
    uint64_t long_lines, blank_lines, hash;
    bipe_pattern *pattern;     /* loss_after, or NULL */
    bipe_matches *matches;
    uint8_t *text;             /* of the present line, when there is a pattern */
    size_t text_size, text_capacity;
    bipe_growing_text *added;  /* of bipe_corpus_add() */
    uint32_t *added_close;     /* numbers of its tokens that close segments, */
    uint8_t *added_level;      /* and of which level each */
    size_t added_capacity, added_level_capacity;
    int64_t unknown;           /* the id of the unknown token, or BIPE_NO_TOKEN */
    uint64_t unknown_count;    /* tokens that became it; */
    uint8_t unknown_word[48];  /* the beginning of the first, */
    size_t unknown_size;
};

static void count_unknown(bipe_corpus *c, const bipe_batch *batch)
{
    for (size_t i = 0; i < batch->token_count && c->unknown != BIPE_NO_TOKEN; i++) {
        const bipe_token *token = &batch->tokens[i];
        if (token->id != (uint32_t)c->unknown || token->start == token->end)
            continue;
        if (c->unknown_count++ > 0 || token->start < batch->byte_offset ||
            token->end - batch->byte_offset > batch->byte_count)
            continue;
        c->unknown_size = token->end - token->start < sizeof c->unknown_word ? (size_t)(token->end - token->start)
                                                                             : sizeof c->unknown_word;
        c->unknown_size = bipe_utf8_complete(batch->bytes + (token->start - batch->byte_offset), c->unknown_size);
        memcpy(c->unknown_word, batch->bytes + (token->start - batch->byte_offset), c->unknown_size);
    }
}

int bipe_corpus_open(bipe_corpus **corpus, const bipe_corpus_options *options, bipe_error *err)
{
    *corpus = NULL;
    bipe_corpus *c = bipe_alloc(1, sizeof *c);
    if (c == NULL)
        return bipe_fail_memory(err);
    c->options = *options;
    c->bos = bipe_tokenizer_bos(options->tokenizer);
    c->hash = BIPE_HASH_EMPTY;
    c->unknown = BIPE_NO_TOKEN;
    bipe_stream_options stream = options->stream;
    stream.tokenizer = options->tokenizer;
    stream.specs = &options->segmenter;
    stream.spec_count = 1;
    if (options->pack == BIPE_PACK_LINE && stream.documents == BIPE_DOCUMENTS_AUTO)
        stream.documents = BIPE_DOCUMENTS_LINES;
    int status = bipe_stream_open(&c->stream, &stream, err);
    if (status == BIPE_OK)
        status = bipe_token_spool_open(&c->spool, options->memory, 1, err);
    if (status == BIPE_OK && options->loss_after != NULL) {
        status = bipe_pattern_compile(&c->pattern, options->loss_after, strlen(options->loss_after), err);
        if (status != BIPE_OK)
            status = err->status = BIPE_ERR_ARGUMENT;
        else
            status = bipe_matches_open(&c->matches, c->pattern, err);
    }
    if (status == BIPE_OK) {
        c->token = bipe_alloc(options->length, sizeof *c->token);
        c->closes = bipe_alloc(options->length, sizeof *c->closes);
        if (c->token == NULL || c->closes == NULL)
            status = bipe_fail_memory(err);
    }
    if (status == BIPE_OK && stream.ids == BIPE_IDS_NONE)
        status = bipe_tokenizer_unknown(options->tokenizer, &c->unknown, err);
    if (status == BIPE_OK)
        *corpus = c;
    else
        bipe_corpus_close(c);
    return status;
}

void bipe_corpus_close(bipe_corpus *c)
{
    if (c == NULL)
        return;
    bipe_matches_close(c->matches);
    bipe_pattern_free(c->pattern);
    bipe_stream_close(c->stream);
    bipe_token_spool_close(c->spool);
    bipe_free(c->token);
    bipe_free(c->closes);
    bipe_free(c->line);
    bipe_free(c->text);
    bipe_growing_text_close(c->added);
    bipe_free(c->added_close);
    bipe_free(c->added_level);
    bipe_free(c);
}

/* ---- reading ---- */

static int keep_text(bipe_corpus *c, const bipe_batch *batch, bipe_error *err)
{
    if (batch->byte_count > LINE_LIMIT - c->text_size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a line of more than %d bytes, which --loss-after would have to search",
                         (int)LINE_LIMIT);
    if (bipe_grow(&c->text, &c->text_capacity, c->text_size + batch->byte_count, 1) != 0)
        return bipe_fail_memory(err);
    if (batch->byte_count > 0)
        memcpy(c->text + c->text_size, batch->bytes, batch->byte_count);
    c->text_size += batch->byte_count;
    return BIPE_OK;
}

/* The first token of the row in c->token whose text starts after the pattern's first match; `count` where there is no
 * match. */
static int first_target(bipe_corpus *c, size_t count, size_t *first, bipe_error *err)
{
    size_t start, end;
    *first = 1;
    if (c->pattern == NULL)
        return BIPE_OK;
    bipe_matches_resume(c->matches);
    bipe_matches_begin(c->matches, c->text, c->text_size, false);
    int status = bipe_matches_next(c->matches, &start, &end, err);
    if (status != BIPE_OK && status != BIPE_END)
        return status;
    for (; *first < count && (status == BIPE_END || c->token[*first].start < end); (*first)++)
        ;
    return BIPE_OK;
}

/* The document that was just kept, from token `start` on, as a row. prompt: bytes that are no targets; SIZE_MAX: as the
 * pattern says. */
static int keep_line(bipe_corpus *c, uint64_t start, size_t prompt, bipe_error *err)
{
    uint64_t count = bipe_token_spool_count(c->spool) - start;
    if (count > c->options.length) {
        c->long_lines++;
        return BIPE_OK;
    }
    int status = bipe_token_spool_read(c->spool, start, c->token, (size_t)count, err);
    size_t first = 1;
    if (status == BIPE_OK && prompt == SIZE_MAX)
        status = first_target(c, (size_t)count, &first, err);
    if (status != BIPE_OK)
        return status;
    while (prompt != SIZE_MAX && first < count && c->token[first].start < prompt)
        first++;
    if (first >= count) {
        c->blank_lines++;
        return BIPE_OK;
    }
    if (c->line_count == UINT32_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %" PRIu32 " rows", UINT32_MAX);
    if (bipe_grow(&c->line, &c->line_capacity, c->line_count + 1, sizeof *c->line) != 0)
        return bipe_fail_memory(err);
    c->line[c->line_count++] = (corpus_line){.start = start, .count = (uint32_t)count, .first = (uint32_t)first};
    c->hash = bipe_hash_uint(bipe_hash_uint(c->hash, start), first);
    return BIPE_OK;
}

/* Errors of the stream name the file themselves. */
static int read_document(bipe_corpus *c, const char *path, const bipe_corpus_reader *reader, bipe_error *err)
{
    uint64_t start = bipe_token_spool_count(c->spool);
    int status = bipe_token_spool_begin(c->spool, c->bos, c->options.vocabulary, err);
    c->text_size = 0;
    for (bipe_batch batch = {0}; status == BIPE_OK && !batch.last;) {
        status = bipe_stream_read(c->stream, &batch, err);
        if (status != BIPE_OK)
            return status;
        if (!reader->progress(reader->context, bipe_stream_source(c->stream)))
            return BIPE_STOPPED;
        count_unknown(c, &batch);
        status = bipe_token_spool_batch(c->spool, &batch, err);
        if (status == BIPE_OK && c->pattern != NULL)
            status = keep_text(c, &batch, err);
    }
    if (status == BIPE_OK && c->options.pack == BIPE_PACK_LINE)
        status = keep_line(c, start, SIZE_MAX, err);
    return status == BIPE_OK ? BIPE_OK
                             : bipe_error_prefix(err, "%s: document %" PRIu64, path, bipe_stream_document(c->stream));
}

int bipe_corpus_read(bipe_corpus *c, const char *path, const bipe_corpus_reader *reader, bipe_error *err)
{
    int status = bipe_stream_input(c->stream, path, err);
    while (status == BIPE_OK) {
        bipe_error own = {0};
        status = bipe_stream_next_document(c->stream, &own);
        if (status == BIPE_END)
            return BIPE_OK;
        if (status == BIPE_OK)
            status = read_document(c, path, reader, &own);
        if (status == BIPE_OK && reader->document != NULL)
            reader->document(reader->context, c->stream);
        if (status == BIPE_OK)
            continue;
        bipe_token_spool_drop(c->spool);
        if (status == BIPE_STOPPED)
            return BIPE_STOPPED;
        if (status != BIPE_ERR_FORMAT && status != BIPE_ERR_LIMIT) {
            if (err != NULL)
                *err = own;
            return status;
        }
        reader->trouble(reader->context, &own);
        status = BIPE_OK;
    }
    return status;
}

/* `end` is tokenized on its own: it changes no token of the text. */
static int add_text(bipe_corpus *c, const uint8_t *bytes, size_t size, const char *end, bipe_error *err)
{
    int64_t eos = bipe_tokenizer_eos(c->options.tokenizer);
    int status = c->added != NULL ? BIPE_OK
                                  : bipe_growing_text_open(&c->added, c->options.tokenizer, c->options.segmenter, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_clear(c->added, err);
    if (status == BIPE_OK)
        status = bipe_growing_text_tokenize(c->added, bytes, size, err);
    if (status == BIPE_OK && eos != BIPE_NO_TOKEN)
        return bipe_growing_text_mark(c->added, (uint32_t)eos, err);
    return status == BIPE_OK && end != NULL
               ? bipe_growing_text_tokenize(c->added, (const uint8_t *)end, strlen(end), err)
               : status;
}

int bipe_corpus_add(bipe_corpus *c, const uint8_t *bytes, size_t size, size_t prompt, const char *end, bipe_error *err)
{
    uint64_t start = bipe_token_spool_count(c->spool);
    int status = add_text(c, bytes, size, end, err);
    if (status != BIPE_OK)
        return status;
    const bipe_growing_view v = bipe_growing_text_view(c->added);
    size_t closes = 0;
    uint8_t levels = 0;
    if (bipe_grow(&c->added_close, &c->added_capacity, v.count, sizeof *c->added_close) != 0 ||
        bipe_grow(&c->added_level, &c->added_level_capacity, v.count, sizeof *c->added_level) != 0)
        return bipe_fail_memory(err);
    while (levels < BIPE_LEVELS && v.index.of[BIPE_INDEX_SEGMENT + 2 * levels] != NULL)
        levels++;
    for (size_t k = 0; k + 1 < v.count; k++) {
        uint8_t level = levels;
        for (; level > 0; level--) {
            const uint32_t *segment = v.index.of[BIPE_INDEX_SEGMENT + 2 * (level - 1)];
            if (segment[k + 1] != segment[k])
                break;
        }
        c->added_level[closes] = level;
        c->added_close[closes] = (uint32_t)k;
        closes += level != 0;
    }
    const uint32_t *const close = c->added_close;
    const uint8_t *const close_level = c->added_level;
    const bipe_batch batch = {.tokens = v.tokens, .token_count = v.count, .closes = &close,
                              .close_levels = &close_level, .close_count = &closes, .levels = &levels,
                              .bytes = v.bytes, .byte_count = v.size, .last = true};
    status = bipe_token_spool_begin(c->spool, c->bos, c->options.vocabulary, err);
    count_unknown(c, &batch);
    if (status == BIPE_OK)
        status = bipe_token_spool_batch(c->spool, &batch, err);
    if (status == BIPE_OK)
        return keep_line(c, start, prompt, err);
    bipe_token_spool_drop(c->spool);
    return status;
}

/* ---- rows ---- */

const bipe_stream *bipe_corpus_stream(const bipe_corpus *c)
{
    return c->stream;
}

uint64_t bipe_corpus_tokens(const bipe_corpus *c)
{
    return bipe_token_spool_count(c->spool);
}

uint64_t bipe_corpus_rows(const bipe_corpus *c)
{
    return c->options.pack == BIPE_PACK_LINE ? c->line_count : bipe_token_spool_count(c->spool) / c->options.length;
}

uint64_t bipe_corpus_long_lines(const bipe_corpus *c)
{
    return c->long_lines;
}

uint64_t bipe_corpus_blank_lines(const bipe_corpus *c)
{
    return c->blank_lines;
}

uint64_t bipe_corpus_unknown(const bipe_corpus *c, const uint8_t **word, size_t *size)
{
    *word = c->unknown_word;
    *size = c->unknown_size;
    return c->unknown_count;
}

uint64_t bipe_corpus_hash(const bipe_corpus *c)
{
    return bipe_hash_uint(c->hash, bipe_token_spool_hash(c->spool));
}

int bipe_corpus_row_read(bipe_corpus *c, uint64_t index, bipe_corpus_row *row, bipe_error *err)
{
    corpus_line line = {.start = index * c->options.length, .count = (uint32_t)c->options.length, .first = 1};
    if (c->options.pack == BIPE_PACK_LINE)
        line = c->line[index];
    int status = bipe_token_spool_read(c->spool, line.start, c->token, line.count, err);
    if (status != BIPE_OK)
        return status;
    row->length = line.count;
    row->targets = 0;
    for (size_t t = 0; t < row->length; t++) {
        const bipe_spool_token *token = &c->token[t];
        bool bos = c->bos != BIPE_NO_TOKEN && token->id == (uint32_t)c->bos && token->start == token->end;
        row->ids[t] = token->id;
        row->target[t] = t >= line.first && !bos;
        row->targets += row->target[t];
        c->closes[t] = bipe_spool_token_closes(token, bipe_token_spool_bits(c->spool, 0));
    }
    bipe_positions(c->closes, row->length, row->levels, row->index, row->stride);
    return BIPE_OK;
}

bipe_token_spool *bipe_corpus_spool(bipe_corpus *c)
{
    return c->spool;
}

void bipe_corpus_shuffle(uint64_t seed, uint64_t epoch, uint32_t *order, size_t count)
{
    uint64_t state = bipe_hash_uint(bipe_hash_uint(BIPE_HASH_EMPTY, seed), epoch);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)bipe_random_below(&state, i);
        uint32_t moved = order[i - 1];
        order[i - 1] = order[other];
        order[other] = moved;
    }
}
