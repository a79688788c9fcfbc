/* test_stream.c - what a stream gives, for buffers of many sizes, against the definitions applied to the whole text. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "measure/stream.h"
#include "tests/check.h"

enum { SEGMENTERS = 4 };
static const char *const specs[SEGMENTERS] = {"stop", "paragraph", "fixed:3", "none"};
static const char path[] = "test_stream.tmp";

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
    CHECK(f != NULL && fwrite(bytes, 1, size, f) == size);
    if (f != NULL)
        fclose(f);
}

static void set_buffer(size_t size)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", size);
    setenv("BIPE_BUFFER_SIZE", text, 1);
}

/* Everything that a document's batches held. */
typedef struct gathered {
    bipe_buffer text, closes[SEGMENTERS];
    bipe_tokens tokens;
    uint64_t *boundaries[SEGMENTERS];
    size_t boundary_count[SEGMENTERS], boundary_capacity[SEGMENTERS];
    uint64_t size;
} gathered;

static void forget(gathered *g)
{
    bipe_buffer_free(&g->text);
    bipe_tokens_free(&g->tokens);
    for (size_t s = 0; s < SEGMENTERS; s++) {
        bipe_buffer_free(&g->closes[s]);
        bipe_free(g->boundaries[s]);
    }
    *g = (gathered){0};
}

/* Appends a batch, checking what the header says about it. */
static void gather(gathered *g, const bipe_batch *batch, size_t segmenters)
{
    bipe_error err;
    CHECK_UINT(batch->byte_offset, g->size);
    g->size += batch->byte_count;
    if (batch->bytes != NULL)
        CHECK(bipe_buffer_append(&g->text, batch->bytes, batch->byte_count, &err) == BIPE_OK);
    CHECK(bipe_grow(&g->tokens.token, &g->tokens.capacity, g->tokens.count + batch->token_count, sizeof(bipe_token)) ==
          0);
    for (size_t k = 0; k < batch->token_count; k++)
        g->tokens.token[g->tokens.count++] = batch->tokens[k];
    for (size_t s = 0; s < segmenters; s++) {
        CHECK(bipe_buffer_reserve(&g->closes[s], batch->token_count, &err) == BIPE_OK);
        size_t before = g->closes[s].size;
        for (size_t k = 0; k < batch->token_count; k++)
            g->closes[s].data[g->closes[s].size++] = 0;
        for (size_t c = 0; c < batch->close_count[s]; c++) {
            CHECK(batch->closes[s][c] < batch->token_count &&
                  (c == 0 || batch->closes[s][c] > batch->closes[s][c - 1]));
            g->closes[s].data[before + batch->closes[s][c]] = (uint8_t)bipe_batch_level(batch, s, c);
        }
        for (size_t b = 0; b < batch->boundary_count[s]; b++) {
            uint64_t offset = batch->boundaries[s][b];
            CHECK(offset > batch->byte_offset && offset <= g->size);
            CHECK(bipe_grow(&g->boundaries[s], &g->boundary_capacity[s], g->boundary_count[s] + 1, sizeof(uint64_t)) ==
                  0);
            g->boundaries[s][g->boundary_count[s]++] = offset;
        }
    }
}

static int read_document(bipe_stream *stream, gathered *g, size_t segmenters, bipe_error *err)
{
    bipe_batch batch = {0};
    while (!batch.last) {
        int status = bipe_stream_read(stream, &batch, err);
        if (status != BIPE_OK)
            return status;
        CHECK(batch.last || batch.token_count != 0 || batch.byte_count != 0);
        gather(g, &batch, segmenters);
    }
    CHECK(bipe_stream_read(stream, &batch, err) == BIPE_END);
    return BIPE_OK;
}

/* Whether a segment of `spec` ends after the byte at `i` (stop, paragraph, none); fixed:3 is seen from the tokens. */
static bool ends_behind(const uint8_t *text, size_t size, size_t i, const char *spec, const bipe_tokens *tokens)
{
    if (i + 1 == size)
        return true;
    switch (spec[0]) {
    case 's': return text[i] == '.' || text[i] == '\n';
    case 'p': { /* the last newline of a run of several, blanks between them or not */
        size_t before = i, after = i + 1;
        while (before > 0 && text[before - 1] == ' ')
            before--;
        while (after < size && text[after] == ' ')
            after++;
        return text[i] == '\n' && before > 0 && text[before - 1] == '\n' && (after == size || text[after] != '\n');
    }
    case 'f':
        for (size_t k = 2; k < tokens->count; k += 3)
            if (tokens->token[k].end == i + 1)
                return true;
        return false;
    default: return false;
    }
}

/* Where a token begins for boundaries: after its white space, if it has anything else. */
static uint64_t text_start(const bipe_tokens *tokens, size_t k, const uint8_t *text)
{
    const bipe_token *t = &tokens->token[k];
    uint64_t at = t->start;
    while (at < t->end && (text[at] == ' ' || text[at] == '\n'))
        at++;
    return at < t->end ? at : t->start;
}

static void check_document(const gathered *g, const uint8_t *text, size_t size, const bipe_tokenizer *tokenizer)
{
    bipe_token_stream *direct;
    bipe_tokens tokens = {0};
    bipe_error err;
    CHECK(bipe_token_stream_open(&direct, tokenizer, &err) == BIPE_OK &&
          bipe_token_stream_begin(direct, &err) == BIPE_OK);
    CHECK(bipe_token_stream_feed(direct, text, size, &tokens, &err) == BIPE_OK);
    CHECK(bipe_token_stream_end(direct, &tokens, &err) == BIPE_OK);
    bipe_token_stream_close(direct);
    CHECK_UINT(g->size, size);
    CHECK(g->text.size == size && (size == 0 || memcmp(g->text.data, text, size) == 0));
    CHECK_UINT(g->tokens.count, tokens.count);
    for (size_t k = 0; k < tokens.count && k < g->tokens.count; k++)
        CHECK(tokens.token[k].start == g->tokens.token[k].start && tokens.token[k].end == g->tokens.token[k].end &&
              tokens.token[k].id == g->tokens.token[k].id);
    for (size_t s = 0; s < SEGMENTERS; s++) {
        size_t found = 0;
        for (size_t i = 0; i < size; i++)
            if (ends_behind(text, size, i, specs[s], &tokens)) {
                CHECK(found < g->boundary_count[s] && g->boundaries[s][found] == i + 1);
                found++;
            }
        CHECK_UINT(g->boundary_count[s], found);
        for (size_t k = 0; k < tokens.count && k < g->closes[s].size; k++) {
            uint64_t from = text_start(&tokens, k, text),
                     to = k + 1 < tokens.count ? text_start(&tokens, k + 1, text) : size;
            bool closes = false;
            for (size_t b = 0; b < g->boundary_count[s]; b++)
                closes = closes || (g->boundaries[s][b] > from && g->boundaries[s][b] <= to);
            CHECK(g->closes[s].data[k] == (closes ? 1 : 0));
        }
    }
    bipe_tokens_free(&tokens);
}

static void test_texts(const char *spec)
{
    static const char alphabet[] = "ab. \n\n=\xC3\xA9";
    bipe_tokenizer *tokenizer;
    bipe_error err;
    uint64_t state = 5;
    CHECK(bipe_tokenizer_open(&tokenizer, spec, false, &err) == BIPE_OK);
    for (int round = 0; round < test_rounds(80); round++) {
        uint8_t text[400];
        size_t size = round == 0 ? 0 : test_random(&state) % sizeof text;
        for (size_t i = 0; i < size; i++)
            text[i] = (uint8_t)alphabet[test_random(&state) % (sizeof alphabet - 1)];
        write_file(path, text, size);
        set_buffer(round % 7 == 0 ? 65536 : 1 + test_random(&state) % 40);
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = SEGMENTERS};
        bipe_stream *stream;
        gathered g = {0};
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK);
        CHECK(bipe_stream_next_document(stream, &err) == BIPE_OK);
        CHECK(read_document(stream, &g, SEGMENTERS, &err) == BIPE_OK);
        check_document(&g, text, size, tokenizer);
        CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
        forget(&g);
        bipe_stream_close(stream);
    }
    bipe_tokenizer_close(tokenizer);
    unlink(path);
}

/* Levels: the ends of all, each with the coarsest level that has it; of a text in buffers of many sizes. */
static void test_levels(void)
{
    static const char alphabet[] = "ab.  \n\n";
    static const char *const nested[SEGMENTERS] = {"fixed:3/stop/paragraph", "fixed:3", "stop", "paragraph"};
    bipe_tokenizer *tokenizer;
    bipe_error err;
    uint64_t state = 11;
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    for (int round = 0; round < test_rounds(80); round++) {
        uint8_t text[400];
        size_t size = test_random(&state) % sizeof text;
        for (size_t i = 0; i < size; i++)
            text[i] = (uint8_t)alphabet[test_random(&state) % (sizeof alphabet - 1)];
        write_file(path, text, size);
        set_buffer(1 + test_random(&state) % 40);
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = nested, .spec_count = SEGMENTERS};
        bipe_stream *stream;
        gathered g = {0};
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
        CHECK(read_document(stream, &g, SEGMENTERS, &err) == BIPE_OK);
        for (size_t k = 0; k < g.tokens.count; k++)
            CHECK_UINT(g.closes[0].data[k], g.closes[3].data[k]   ? 3
                                            : g.closes[2].data[k] ? 2
                                                                  : g.closes[1].data[k]);
        size_t at[SEGMENTERS] = {0};
        for (uint64_t byte = 1; byte <= size; byte++) {
            bool any = false;
            for (size_t s = 1; s < SEGMENTERS; s++)
                if (at[s] < g.boundary_count[s] && g.boundaries[s][at[s]] == byte) {
                    any = true;
                    at[s]++;
                }
            if (any)
                CHECK(at[0] < g.boundary_count[0] && g.boundaries[0][at[0]++] == byte);
        }
        CHECK_UINT(at[0], g.boundary_count[0]);
        forget(&g);
        bipe_stream_close(stream);
    }
    bipe_tokenizer_close(tokenizer);
    unlink(path);
}

/* Without a tokenizer there are boundaries alone; a segmenter that needs tokens is refused. */
static void test_without_tokens(void)
{
    bipe_stream_options options = {.specs = specs, .spec_count = 2};
    bipe_stream *stream;
    bipe_batch batch;
    bipe_error err;
    write_file(path, "a.b\n\nc", 6);
    set_buffer(4);
    CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
    CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
    gathered g = {0};
    CHECK(read_document(stream, &g, 2, &err) == BIPE_OK);
    CHECK(g.size == 6 && g.tokens.count == 0 && g.text.size == 6);
    CHECK(g.boundary_count[0] == 4 && g.boundaries[0][3] == 6 && g.boundary_count[1] == 2 && g.boundaries[1][0] == 5);
    forget(&g);
    CHECK(bipe_stream_input(stream, "no such file", &err) == BIPE_ERR_IO);
    CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
    CHECK(bipe_stream_read(stream, &batch, &err) == BIPE_END);
    bipe_stream_close(stream);
    options.spec_count = SEGMENTERS;
    CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_ERR_ARGUMENT);
    CHECK(stream == NULL && strstr(err.text, "fixed:3") != NULL);
    unlink(path);
}

/* A broken record ends its own document; the others are read. */
static void test_records(void)
{
    static const char text[] =
        "{\"text\":\"a. b\",\"n\":10}\n{\"text\":\"xyz}\n{\"text\":\"\"}\n{\"n\":\"x\",\"text\":\"c\"}\n";
    static const char *const members[] = {"no", "n"}, *const values[] = {"10", NULL, "x"};
    bipe_tokenizer *tokenizer;
    bipe_stream *stream;
    bipe_error err;
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    write_file("test_stream.jsonl", text, sizeof text - 1);
    for (size_t size = 1; size < 70; size += 3) {
        set_buffer(size);
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1, .threads = 1 + size % 2,
                                       .members = members, .member_count = 2};
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, "test_stream.jsonl", &err) == BIPE_OK);
        size_t good = 0, bad = 0, boundaries = 0;
        int status;
        while ((status = bipe_stream_next_document(stream, &err)) != BIPE_END) {
            gathered g = {0};
            if (status == BIPE_OK)
                status = read_document(stream, &g, 1, &err);
            if (status == BIPE_OK) {
                CHECK_UINT(bipe_stream_document(stream), good == 0 ? 0 : good + 1);
                const char *value = bipe_stream_member(stream, 1);
                CHECK(bipe_stream_member(stream, 0) == NULL && (value == NULL) == (values[good] == NULL));
                CHECK(value == NULL || strcmp(value, values[good]) == 0);
                good++;
                boundaries += g.boundary_count[0];
            } else {
                CHECK(status == BIPE_ERR_FORMAT && strncmp(err.text, "test_stream.jsonl: ", 19) == 0);
                bad++;
            }
            forget(&g);
        }
        CHECKF(good == 3 && bad == 1 && boundaries == 3, "%zu %zu %zu %s", good, bad, boundaries, err.text);
        bipe_stream_close(stream);
    }
    unlink("test_stream.jsonl");
    bipe_tokenizer_close(tokenizer);
}

/* Ids in three forms stand for the same text. */
static void test_ids(void)
{
    static const uint8_t wide[] = {'H', 0, 0, 0, '.', 0, 0, 0, 0xE9, 0, 0, 0}, narrow[] = {'H', 0, '.', 0, 0xE9, 0};
    static const char text[] = " 72 46\n233";
    static const struct { bipe_ids_kind kind; const void *bytes; size_t size;
    } forms[] = {{BIPE_IDS_U32, wide, sizeof wide},
                 {BIPE_IDS_U16, narrow, sizeof narrow},
                 {BIPE_IDS_TEXT, text, sizeof text - 1}};
    bipe_tokenizer *tokenizer, *word;
    bipe_error err;
    CHECK(bipe_tokenizer_open(&tokenizer, "char", false, &err) == BIPE_OK);
    CHECK(bipe_tokenizer_open(&word, "word", false, &err) == BIPE_OK);
    for (size_t f = 0; f < 3; f++)
        for (size_t buffer = 1; buffer < 14; buffer++) {
            set_buffer(buffer);
            write_file(path, forms[f].bytes, forms[f].size);
            bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = 1,
                                           .ids = forms[f].kind};
            bipe_stream *stream;
            gathered g = {0};
            CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
            CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK &&
                  bipe_stream_next_document(stream, &err) == BIPE_OK);
            CHECK(read_document(stream, &g, 1, &err) == BIPE_OK);
            CHECK(g.size == 4 && g.tokens.count == 3 && g.tokens.token[2].start == 2 && g.tokens.token[2].end == 4);
            CHECK(g.tokens.token[2].id == 0xE9 && g.boundary_count[0] == 2 && g.boundaries[0][0] == 2);
            CHECK(g.text.size == 4 && memcmp(g.text.data, "H.\xC3\xA9", 4) == 0);
            forget(&g);
            /* Torn: the last byte of an id is missing. */
            if (forms[f].kind != BIPE_IDS_TEXT) {
                write_file(path, forms[f].bytes, forms[f].size - 1);
                CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK &&
                      bipe_stream_next_document(stream, &err) == BIPE_OK);
                CHECK(read_document(stream, &g, 1, &err) == BIPE_ERR_FORMAT &&
                      strstr(err.text, "incomplete id") != NULL);
                CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
                forget(&g);
            }
            bipe_stream_close(stream);
        }
    bipe_stream_options options = {.tokenizer = word, .specs = specs, .spec_count = 1, .ids = BIPE_IDS_U16};
    bipe_stream *stream;
    CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_ERR_ARGUMENT);
    unlink(path);
    bipe_tokenizer_close(tokenizer);
    bipe_tokenizer_close(word);
}

static void test_positions(void)
{
    static const uint8_t closes[] = {0, 1, 1, 0, 0, 1, 0};
    static const uint32_t segments[] = {0, 0, 1, 2, 2, 2, 3}, intras[] = {0, 1, 0, 0, 1, 2, 0};
    static const uint8_t levels[] = {1, 0, 3, 1, 2, 2, 0, 0};
    static const uint32_t expected[6][8] = {
        {0, 1, 1, 2, 3, 4, 5, 5}, {0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0, 1, 1, 2, 3, 3},
        {0, 1, 1, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 2, 2},
    };
    uint32_t index[2][7], many[6][8];
    bipe_positions(closes, 7, 1, index[0], 7);
    CHECK(memcmp(index[0], segments, sizeof segments) == 0 && memcmp(index[1], intras, sizeof intras) == 0);
    bipe_positions(levels, 8, 3, many[0], 8);
    CHECK(memcmp(many, expected, sizeof expected) == 0);
}

/* Every allocation fails once: a clean error, nothing leaks. */
static void test_no_memory(void)
{
    static const char text[] = "One. Two\n\nThree. Four. Five\n\n\nSix";
    bipe_error err;
    write_file(path, text, sizeof text - 1);
    set_buffer(5);
    for (long n = 0;; n++) {
        bipe_tokenizer *tokenizer = NULL;
        bipe_stream *stream = NULL;
        bipe_alloc_fail_at(n);
        int status = bipe_tokenizer_open(&tokenizer, "word", false, &err);
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = SEGMENTERS};
        if (status == BIPE_OK)
            status = bipe_stream_open(&stream, &options, &err);
        if (status == BIPE_OK)
            status = bipe_stream_input(stream, path, &err);
        if (status == BIPE_OK)
            status = bipe_stream_next_document(stream, &err);
        bipe_batch batch = {0};
        while (status == BIPE_OK && !batch.last)
            status = bipe_stream_read(stream, &batch, &err);
        bipe_alloc_fail_at(-1);
        bipe_stream_close(stream);
        if (tokenizer != NULL)
            bipe_tokenizer_close(tokenizer);
        if (status == BIPE_OK) {
            CHECK(n > 20);
            break;
        }
        CHECKF(status == BIPE_ERR_MEMORY, "%ld: %s", n, err.text);
    }
    unlink(path);
}

/* What batches count of a text: tokens, bytes, and the tokens that close segments. */
typedef struct counted {
    uint64_t tokens, bytes, *close[SEGMENTERS];
    size_t close_count[SEGMENTERS], capacity[SEGMENTERS];
} counted;

static void count(counted *c, const bipe_stream_options *options)
{
    bipe_stream *stream;
    bipe_batch batch = {0};
    bipe_error err = {0};
    *c = (counted){0};
    CHECK(bipe_stream_open(&stream, options, &err) == BIPE_OK);
    for (int twice = 0; twice < 2; twice++) { /* a document that is left in the middle comes first */
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
        for (int k = 0; twice == 0 && k < 50 && !batch.last; k++)
            CHECK(bipe_stream_read(stream, &batch, &err) == BIPE_OK);
    }
    for (batch.last = false; !batch.last;) {
        bool read = bipe_stream_read(stream, &batch, &err) == BIPE_OK;
        CHECKF(read, "%s", err.text);
        if (!read)
            break;
        CHECK(batch.byte_offset == c->bytes);
        for (size_t s = 0; s < options->spec_count; s++)
            for (size_t k = 0; k < batch.close_count[s]; k++) {
                CHECK(batch.closes[s][k] < batch.token_count);
                CHECK(bipe_grow(&c->close[s], &c->capacity[s], c->close_count[s] + 1, sizeof(uint64_t)) == 0);
                c->close[s][c->close_count[s]++] = c->tokens + batch.closes[s][k];
            }
        c->tokens += batch.token_count;
        c->bytes += batch.byte_count;
    }
    bipe_stream_close(stream);
}

static void forget_counted(counted *c)
{
    for (size_t s = 0; s < SEGMENTERS; s++)
        bipe_free(c->close[s]);
}

/* Blocks of a long text that threads count, beside tokens of one stream: with segmenters that wait, and stretches that
 * cannot be cut. */
static void test_counts(void)
{
    static const char *const some[][SEGMENTERS] = {{"stop", "paragraph", "none", "code"},
                                                   {"regex:x[ x]+|\\.", "line", "stop", "none"},
                                                   {"stop", "fixed:7", "paragraph", "none"}};
    static const char *const parts[] = {"word", " ", "the ", "of", "\n", "  ", ". ", "A", "don't ", "1234", "\n\n",
                                        "f(a,\nb)",
                                        "\xC3\xA9t", " x"};
    uint64_t state = 3;
    bipe_error err = {0};
    bipe_buffer text = {0};
    bipe_tokenizer *tokenizer;
    unsetenv("BIPE_BUFFER_SIZE");
    while (text.size < 2200000) {
        const char *part = parts[test_random(&state) % (sizeof parts / sizeof *parts)];
        size_t again = test_random(&state) % 30000 == 0 ? 40000 : 1; /* longer than a block, now and then */
        for (size_t i = 0; i < again; i++)
            CHECK(bipe_buffer_append(&text, part, strlen(part), &err) == BIPE_OK);
    }
    write_file(path, text.data, text.size);
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        counted want, got;
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = some[i], .spec_count = SEGMENTERS};
        count(&want, &options);
        CHECK(want.bytes == text.size && want.tokens > 300000 && want.close_count[0] > 10000);
        for (size_t threads = 1; threads <= 4; threads++) {
            options.threads = threads;
            count(&got, &options);
            CHECK(got.tokens == want.tokens && got.bytes == want.bytes);
            for (size_t s = 0; s < SEGMENTERS; s++)
                CHECKF(got.close_count[s] == want.close_count[s] &&
                           memcmp(got.close[s], want.close[s], want.close_count[s] * sizeof(uint64_t)) == 0,
                       "%s, %zu threads", some[i][s], threads);
            forget_counted(&got);
        }
        forget_counted(&want);
    }
    bipe_tokenizer_close(tokenizer);
    bipe_buffer_free(&text);
    unlink(path);
}

/* Text that a segmenter settles late waits for it before it is tokenized, and comes out as if it had not: blanks after
 * an end of a paragraph belong to it if another newline follows, and at the end of the document nothing does. */
static void test_late(void)
{
    enum { BLANKS = 100000, PARTS = 5 };
    static const char *const late[] = {"paragraph", "none"};
    static const char *const between[PARTS] = {"a\n\n", "\nbc. d\n\n", "e\n\n", "f\n \n", "g\n\n"};
    size_t size = 0, bounds = 0, bound[PARTS + 1];
    uint8_t *text = malloc(PARTS * (BLANKS + 16));
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    unsetenv("BIPE_BUFFER_SIZE");
    for (size_t i = 0; i < PARTS; i++) {
        memcpy(text + size, between[i], strlen(between[i]));
        size += strlen(between[i]);
        if (i == 1)
            bound[bounds - 1] = size - 7; /* the newline after blanks, and not the one before them, */
        bound[bounds++] = size;
        memset(text + size, ' ', BLANKS);
        size += BLANKS;
    }
    bound[bounds++] = size; /* until the end nobody knows whether it goes on */
    write_file(path, text, size);
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    for (size_t threads = 1; threads <= 3; threads++) {
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = late, .spec_count = 2, .threads = threads};
        bipe_stream *stream;
        gathered g = {0};
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
        CHECKF(read_document(stream, &g, 2, &err) == BIPE_OK, "%s", err.text);
        CHECK(g.size == size && g.tokens.count == size && memcmp(g.text.data, text, size) == 0);
        CHECK(g.boundary_count[0] == bounds && memcmp(g.boundaries[0], bound, sizeof bound) == 0);
        CHECK(g.boundary_count[1] == 1 && g.boundaries[1][0] == size);
        for (size_t k = 0, b = 0; k < size; k++) {
            bool closes = b < bounds && bound[b] == k + 1;
            b += closes;
            CHECK(g.tokens.token[k].start == k && g.tokens.token[k].end == k + 1 && g.closes[0].data[k] == closes);
        }
        bipe_stream_close(stream);
        forget(&g);
        counted c;
        count(&c, &options);
        CHECK(c.tokens == size && c.bytes == size && c.close_count[0] == bounds && c.close_count[1] == 1);
        for (size_t b = 0; b < bounds; b++)
            CHECK_UINT(c.close[0][b], bound[b] - 1);
        forget_counted(&c);
    }
    bipe_tokenizer_close(tokenizer);
    free(text);
    unlink(path);
}

/* What a segmenter does not decide cannot wait without end: with ids as with text. */
static void test_too_late(void)
{
    enum { SIZE = (2 << 20) + (1 << 18) };
    static const char *const late[] = {"paragraph"};
    uint8_t *ids = calloc(SIZE, 2), *text = calloc(SIZE, 1);
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    for (size_t i = 0; i < SIZE; i++)
        text[i] = ids[2 * i] = i < 3 ? '\n' : ' ';
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    for (int form = 0; form < 3; form++) {
        bipe_stream_options options = {.tokenizer = form < 2 ? tokenizer : NULL, .specs = late, .spec_count = 1,
                                       .ids = form == 0 ? BIPE_IDS_U16 : BIPE_IDS_NONE};
        bipe_stream *stream;
        gathered g = {0};
        write_file(path, form == 0 ? ids : text, form == 0 ? 2 * (size_t)SIZE : SIZE);
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
        CHECK(read_document(stream, &g, 1, &err) == BIPE_ERR_LIMIT);
        CHECKF(strstr(err.text, "byte 2: segmenter 'paragraph': undecided for more than 2 MiB") != NULL, "%s",
               err.text);
        CHECK(g.tokens.count == (form < 2 ? g.size : 0)); /* with the last one before the error */
        CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
        forget(&g);
        bipe_stream_close(stream);
    }
    bipe_tokenizer_close(tokenizer);
    free(ids);
    free(text);
    unlink(path);
}

/* Text without tokens is looked through for the end of the segment of the last one, but not without end. */
static void test_no_tokens(void)
{
    static const char *const none[] = {"none"};
    size_t sizes[] = {1 << 20, 3 << 20};
    uint8_t *text = malloc(sizes[1]);
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    memset(text, ' ', sizes[1]);
    text[0] = 'a';
    CHECK(bipe_tokenizer_open(&tokenizer, "words", false, &err) == BIPE_OK);
    for (int i = 0; i < 2; i++) {
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = none, .spec_count = 1};
        bipe_stream *stream;
        gathered g = {0};
        write_file(path, text, sizes[i]);
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        CHECK(bipe_stream_input(stream, path, &err) == BIPE_OK && bipe_stream_next_document(stream, &err) == BIPE_OK);
        CHECK(read_document(stream, &g, 1, &err) == (i == 0 ? BIPE_OK : BIPE_ERR_LIMIT));
        CHECK(g.tokens.count == 1 && g.closes[0].data[0] == (i == 0) && (i == 1 || g.size == sizes[0]));
        CHECKF(i == 0 || strstr(err.text, "neither a token nor the end of a segment for more than 2 MiB") != NULL, "%s",
               err.text);
        CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
        forget(&g);
        bipe_stream_close(stream);
    }
    bipe_tokenizer_close(tokenizer);
    free(text);
    unlink(path);
}

/* Several inputs in a row, one of which is not there: documents and errors come in their order, whoever tokenizes. */
static void test_inputs(void)
{
    enum { FILES = 40 };
    static char names[FILES][32];
    const char *paths[FILES];
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    set_buffer(64);
    for (size_t i = 0; i < FILES; i++) {
        char text[600];
        size_t size = 0;
        snprintf(names[i], sizeof names[i], "test_stream.%zu", i);
        paths[i] = names[i];
        for (size_t k = 0; k < (i * 7) % 50; k++)
            size += (size_t)snprintf(text + size, sizeof text - size, "w%zu. ", k);
        if (i != 5)
            write_file(names[i], text, size);
    }
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    for (size_t threads = 1; threads <= 3; threads++) {
        bipe_stream_options options = {.tokenizer = tokenizer, .specs = specs, .spec_count = SEGMENTERS,
                                       .threads = threads};
        bipe_stream *stream;
        CHECK(bipe_stream_open(&stream, &options, &err) == BIPE_OK);
        bipe_stream_inputs(stream, paths, FILES);
        for (size_t i = 0; i < FILES; i++) {
            gathered g = {0};
            CHECK(bipe_stream_next_input(stream, &err) == (i == 5 ? BIPE_ERR_IO : BIPE_OK));
            if (i == 5)
                continue;
            CHECK(bipe_stream_next_document(stream, &err) == BIPE_OK);
            if (i % 4 != 3) { /* others are left */
                CHECK(read_document(stream, &g, SEGMENTERS, &err) == BIPE_OK);
                CHECK(g.tokens.count == 2 * ((i * 7) % 50) + (g.size != 0));
                CHECK(bipe_stream_next_document(stream, &err) == BIPE_END);
            }
            forget(&g);
        }
        CHECK(bipe_stream_next_input(stream, &err) == BIPE_END);
        bipe_stream_close(stream);
    }
    for (size_t i = 0; i < FILES; i++)
        unlink(names[i]);
    bipe_tokenizer_close(tokenizer);
}

int main(void)
{
    test_counts();
    test_late();
    test_too_late();
    test_no_tokens();
    test_inputs();
    test_texts("byte");
    test_texts("char");
    test_texts("word");
    test_texts("words");
    test_levels();
    test_without_tokens();
    test_records();
    test_ids();
    test_positions();
    test_no_memory();
    return test_result();
}
