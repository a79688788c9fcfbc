/* test_corpus.c - rows of texts: what is in them, what is a target, what is left out, and their order. */
#include "config.h"

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/scratch.h"
#include "train/corpus.h"

static bipe_tokenizer *bytes;
static int troubles;

static void trouble(void *context, const bipe_error *err)
{
    (void)context;
    (void)err;
    troubles++;
}

static bool progress(void *context, const bipe_input *input)
{
    (void)input;
    return context == NULL;
}

static const bipe_corpus_reader reader = {.trouble = trouble, .progress = progress};

static bipe_corpus *open_corpus(bipe_pack pack, size_t length, const char *loss_after)
{
    bipe_corpus_options options = {.tokenizer = bytes, .segmenter = "stop", .length = length, .pack = pack,
                                   .loss_after = loss_after, .vocabulary = 256, .memory = 1 << 16};
    bipe_error err = {BIPE_OK, ""};
    bipe_corpus *corpus = NULL;
    CHECKF(bipe_corpus_open(&corpus, &options, &err) == BIPE_OK, "%s", err.text);
    return corpus;
}

/* "ids|targets|segments|intras" of a row of bytes. */
static const char *show(bipe_corpus *corpus, uint64_t index)
{
    static char text[256];
    uint32_t ids[32], rows[64];
    const uint32_t *segment = rows, *intra = rows + 32;
    uint8_t target[32];
    bipe_corpus_row row = {.ids = ids, .index = rows, .levels = 1, .stride = 32, .target = target};
    bipe_error err = {BIPE_OK, ""};
    size_t used = 0, targets = 0;
    CHECK(bipe_corpus_row_read(corpus, index, &row, &err) == BIPE_OK && row.length <= 32);
    for (size_t part = 0; part < 4; part++) {
        for (size_t t = 0; t < row.length; t++) {
            uint32_t value = part == 0   ? ids[t]
                             : part == 1 ? target[t] + 48u
                             : part == 2 ? segment[t] + 48
                                         : intra[t] + 48;
            text[used++] = value == '\n' ? '/' : (char)value;
            targets += part == 1 && target[t];
        }
        text[used++] = part < 3 ? '|' : '\0';
    }
    CHECK_UINT(row.targets, targets);
    return text;
}

static void read_text(bipe_corpus *corpus, const char *name, const char *text)
{
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_corpus_read(corpus, scratch_write(name, text, strlen(text)), &reader, &err) == BIPE_OK, "%s", err.text);
}

static void test_stream(void)
{
    bipe_corpus *corpus = open_corpus(BIPE_PACK_STREAM, 4, NULL);
    read_text(corpus, "a", "a.bcd.e");
    read_text(corpus, "b", "fghi.");
    CHECK_UINT(bipe_corpus_tokens(corpus), 12);
    CHECK_UINT(bipe_corpus_rows(corpus), 3);
    CHECK_TEXT(show(corpus, 0), "a.bc|0111|0011|0101");
    CHECK_TEXT(show(corpus, 1), "d.ef|0111|0012|0100"); /* the end of a document ends a segment */
    CHECK_TEXT(show(corpus, 2), "ghi.|0111|0000|0123");
    read_text(corpus, "c", "xyz");
    CHECK_UINT(bipe_corpus_rows(corpus), 3); /* the rest is left out */
    bipe_corpus_close(corpus);
}

static void test_lines(void)
{
    bipe_corpus *corpus = open_corpus(BIPE_PACK_LINE, 8, "=");
    read_text(corpus, "a", "1+2=3\n\nno match\n4=4=4\n123456=78\n=");
    CHECK_UINT(bipe_corpus_rows(corpus), 2);
    CHECK_TEXT(show(corpus, 0), "1+2=3/|000011|000000|012345");
    CHECK_TEXT(show(corpus, 1), "4=4=4/|001111|000000|012345");
    CHECK_UINT(bipe_corpus_long_lines(corpus), 2);
    CHECK_UINT(bipe_corpus_blank_lines(corpus), 2);
    uint64_t hash = bipe_corpus_hash(corpus);
    bipe_corpus_close(corpus);
    corpus = open_corpus(BIPE_PACK_LINE, 8, "2=");
    read_text(corpus, "a", "1+2=3\n\nno match\n4=4=4\n123456=78\n=");
    CHECK_UINT(bipe_corpus_rows(corpus), 1);
    CHECK(bipe_corpus_hash(corpus) != hash); /* the texts are the same, the rows are not */
    bipe_corpus_close(corpus);
    corpus = open_corpus(BIPE_PACK_LINE, 8, NULL);
    troubles = 0;
    read_text(corpus, "a.jsonl", "{\"text\":\"ab\"}\n{\"text\":1}\n{\"text\":\"c\\nd\"}\n");
    CHECK_UINT(bipe_corpus_rows(corpus), 2);
    CHECK(troubles == 1);
    CHECK_TEXT(show(corpus, 1), "c/d|011|001|010");
    bipe_corpus_close(corpus);
}

static void test_errors(void)
{
    bipe_corpus_options options = {.tokenizer = bytes,
                                   .segmenter = "stop",
                                   .length = 4,
                                   .pack = BIPE_PACK_LINE,
                                   .loss_after = "(",
                                   .vocabulary = 256,
                                   .memory = 1 << 16};
    bipe_error err = {BIPE_OK, ""};
    bipe_corpus *corpus;
    CHECK(bipe_corpus_open(&corpus, &options, &err) == BIPE_ERR_ARGUMENT && corpus == NULL);
    options.loss_after = NULL;
    options.segmenter = "fixed:x";
    CHECK(bipe_corpus_open(&corpus, &options, &err) == BIPE_ERR_ARGUMENT);
    options.segmenter = "stop";
    options.vocabulary = 100;
    CHECK(bipe_corpus_open(&corpus, &options, &err) == BIPE_OK);
    CHECK(bipe_corpus_read(corpus, scratch_write("a", "abz", 3), &reader, &err) == BIPE_ERR_ARGUMENT);
    CHECK(strstr(err.text, "a: document 0: token 2 has id 122") != NULL);
    bipe_corpus_reader stopping = reader;
    stopping.context = &err;
    CHECK(bipe_corpus_read(corpus, scratch_write("a", "abc", 3), &stopping, &err) == BIPE_STOPPED);
    CHECK_UINT(bipe_corpus_tokens(corpus), 0);
    CHECK(bipe_corpus_read(corpus, scratch_path("none"), &reader, &err) == BIPE_ERR_IO);
    bipe_corpus_close(corpus);
}

static void test_order(void)
{
    enum { COUNT = 1000 };
    static uint32_t a[COUNT], b[COUNT];
    bool met[COUNT] = {false};
    size_t same = 0, fixed = 0;
    bipe_corpus_shuffle(1, 0, a, COUNT);
    bipe_corpus_shuffle(1, 1, b, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(a[i] < COUNT && !met[a[i]]);
        met[a[i] % COUNT] = true;
        same += a[i] == b[i];
        fixed += a[i] == i;
    }
    CHECK(same < 10 && fixed < 10); /* 1 each is what chance gives */
    bipe_corpus_shuffle(1, 0, b, COUNT);
    CHECK(memcmp(a, b, sizeof a) == 0);
    bipe_corpus_shuffle(1, 0, b, 0);
}

int main(void)
{
    bipe_error err = {BIPE_OK, ""};
    CHECK(bipe_tokenizer_open(&bytes, "byte", false, &err) == BIPE_OK);
    test_stream();
    test_lines();
    test_errors();
    test_order();
    bipe_tokenizer_close(bytes);
    return test_result();
}
