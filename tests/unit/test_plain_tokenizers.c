/* test_plain_tokenizers.c - byte, char, word and words: known answers, a second implementation of word, cuts
 * anywhere. */
#include "tests/tokens.h"
#include "text/utf8.h"

typedef struct expected {
    const char *text;
    size_t size;
    size_t ends[12]; /* of the tokens, ended by 0 */
} expected;

#define TEXT(s) (s), sizeof(s) - 1

static bipe_tokenizer *open_spec(const char *spec)
{
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    int status = bipe_tokenizer_open(&tokenizer, spec, false, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        exit(test_result());
    CHECK_TEXT(bipe_tokenizer_spec(tokenizer), spec);
    CHECK(bipe_tokenizer_bos(tokenizer) == BIPE_NO_TOKEN);
    CHECK(bipe_tokenizer_eos(tokenizer) == BIPE_NO_TOKEN);
    return tokenizer;
}

static void test_byte(void)
{
    bipe_tokenizer *t = open_spec("byte");
    bipe_tokens tokens = {0};
    bipe_buffer text = {0};
    uint64_t random = 1;
    uint8_t all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    CHECK_UINT(bipe_tokenizer_size(t), 256);
    check_cuts(t, all, sizeof all, &random, false, &tokens);
    CHECK_UINT(tokens.count, 256);
    for (size_t i = 0; i < tokens.count; i++)
        CHECK_UINT(tokens.token[i].id, i);
    decode_tokens(t, &tokens, &text);
    CHECK(text.size == 256 && memcmp(text.data, all, 256) == 0);
    bipe_error err = {0};
    const uint8_t *bytes;
    size_t size;
    CHECK(bipe_tokenizer_decode(t, 256, false, all, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    bipe_buffer_free(&text);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

static void test_char(void)
{
    static const char text[] = "a\xC3\xA9\0\xE2\x96\x81\xF0\x9F\x98\x80\xFF\xE2\x82" "b\xED\xA0\x80\xC3";
    static const uint32_t ids[] = {'a',    0xE9, 0,      0x2581, 0x1F600, 0xDCFF, 0xDCE2,
                                   0xDC82, 'b',  0xDCED, 0xDCA0, 0xDC80,  0xDCC3};
    bipe_tokenizer *t = open_spec("char");
    bipe_tokens tokens = {0};
    bipe_buffer back = {0};
    uint64_t random = 2;
    CHECK_UINT(bipe_tokenizer_size(t), 0x110000);
    check_cuts(t, text, sizeof text - 1, &random, false, &tokens);
    CHECK_UINT(tokens.count, sizeof ids / sizeof *ids);
    for (size_t i = 0; i < tokens.count && i < sizeof ids / sizeof *ids; i++)
        CHECK_UINT(tokens.token[i].id, ids[i]);
    decode_tokens(t, &tokens, &back);
    CHECK(back.size == sizeof text - 1 && memcmp(back.data, text, back.size) == 0);
    bipe_error err = {0};
    uint8_t four[4];
    const uint8_t *bytes;
    size_t size;
    CHECK(bipe_tokenizer_decode(t, 0xD800, false, four, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_tokenizer_decode(t, 0xDC7F, false, four, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_tokenizer_decode(t, 0x110000, false, four, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    bipe_buffer_free(&back);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

static void test_word_answers(const bipe_tokenizer *t)
{
    static const expected cases[] = {
        {TEXT(""), {0}},
        {TEXT("Hello world"), {5, 11, 0}},
        {TEXT("a_1 b"), {3, 5, 0}},
        {TEXT("  Hi, you."), {4, 5, 9, 10, 0}},
        {TEXT("a\nb\n\n"), {1, 2, 3, 4, 5, 0}},
        {TEXT("end  "), {3, 5, 0}},
        {TEXT("end \t\nx"), {3, 5, 6, 7, 0}},
        {TEXT("a\r\nb"), {1, 3, 4, 0}},    /* one line end */
        {TEXT("a \r\n\r\n\rb\r"), {1, 2, 4, 6, 8, 9, 0}}, /* a CR by itself is a blank */
        {TEXT(" ..."), {2, 3, 4, 0}},
        {TEXT("na\xC3\xAFve e\xCC\x81"), {6, 10, 0}}, /* a combining accent belongs to its letter */
        {TEXT("4 \xC2\xBD m"), {1, 4, 6, 0}},         /* ½ is a number */
        {TEXT("a\xC2\xA0" "b"), {1, 4, 0}},           /* a no-break space is a blank */
        {TEXT("a\xE2\x80\xA8" "b"), {1, 5, 0}},       /* so is a line separator */
        {TEXT(" \xFFx\xE2\x82"), {2, 3, 4, 5, 0}},    /* broken bytes are by themselves */
        {TEXT("\0\0 \0"), {1, 2, 4, 0}},
        {TEXT("\xE6\x88\x91\xE6\x83\xB3!"), {6, 7, 0}},
    };
    uint64_t random = 3;
    bipe_tokens tokens = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        check_cuts(t, cases[c].text, cases[c].size, &random, false, &tokens);
        size_t count = 0;
        while (cases[c].ends[count] != 0)
            count++;
        CHECKF(tokens.count == count, "case %zu: %zu tokens, want %zu", c, tokens.count, count);
        for (size_t i = 0; i < count && i < tokens.count; i++)
            CHECKF(tokens.token[i].end == cases[c].ends[i] && tokens.token[i].id == 0, "case %zu, token %zu", c, i);
    }
    bipe_tokens_free(&tokens);
}

/* The rule said once more, looking at the whole text: blanks, then a run of word characters or one other character. */
static size_t naive_word_end(const uint8_t *text, size_t size, size_t at)
{
    bool word = false;
    for (size_t start = at;;) {
        int32_t code = -1;
        size_t n = at < size ? bipe_utf8_decode(text + at, size - at, &code) : 0;
        bool known = n != 0 && code >= 0;
        if (at == size)
            return at;
        if (known && bipe_is_word(code)) {
            word = true;
        } else if (word) {
            return at;
        } else if (code == '\n') {
            size_t end = at > start && text[at - 1] == '\r' ? at - 1 : at;
            return end > start ? end : at + 1;
        } else if (!known || !bipe_is_blank(code)) {
            return at + (n != 0 ? n : 1);
        }
        at += n;
    }
}

static void test_word_random(const bipe_tokenizer *t)
{
    static const char *const letters[] = {"a", "b", "_", "7", " ", " ", "\t", "\n", "\r\n", ".", ",", "\xC3\xA9",
                                          "\xC2\xA0", "\xCC\x81", "\xE2\x80\x94", "\xE3\x80\x80", "\xF0\x9F\x98\x80",
                                          "\xF0\x90\x90\x80"};
    uint64_t random = 4;
    bipe_tokens tokens = {0};
    uint8_t text[200];
    for (int round = 0; round < 500; round++) {
        size_t size = random_text(&random, letters, sizeof letters / sizeof *letters, round % 2 == 1, text,
                                  test_random(&random) % sizeof text);
        check_cuts(t, text, size, &random, false, &tokens);
        size_t at = 0, k = 0, wrong = 0;
        while (at < size) {
            at = naive_word_end(text, size, at);
            wrong += k >= tokens.count || tokens.token[k].end != at;
            k++;
        }
        CHECKF(wrong == 0 && k == tokens.count, "round %d: %zu tokens, want %zu", round, tokens.count, k);
    }
    bipe_tokens_free(&tokens);
}

static void test_word(void)
{
    bipe_tokenizer *t = open_spec("word");
    CHECK_UINT(bipe_tokenizer_size(t), 0);
    test_word_answers(t);
    test_word_random(t);
    bipe_error err = {0};
    uint8_t four[4];
    const uint8_t *bytes;
    size_t size;
    CHECK(bipe_tokenizer_decode(t, 0, false, four, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    bipe_tokenizer_close(t);
}

static void test_words(void)
{
    static const struct {
        const char *text, *words; /* the latter with | after each */
    } cases[] = {
        {"", ""}, {"Hello, world! ", "Hello|world|"},
        {"He paid 6.40, or 1,234.5; didn't he?", "He|paid|6.40|or|1,234.5|didn't|he|"},
        {"don\xE2\x80\x99t l'eau o'", "don\xE2\x80\x99t|l'eau|o|"}, {"well-known U.S. e.g.\r\n", "well|known|U.S|e.g|"},
        {"'quoted' (a) [b] -- ... $5 50% x+y", "quoted|a|b|5|50|x|y|"}, {"_ __ a_b _1 1a A4", "a_b|_1|1a|A4|"},
        {"na\xC3\xAFve e\xCC\x81t\xC3\xA9", "na\xC3\xAFve|e\xCC\x81t\xC3\xA9|"},
        {"\xE6\x88\x91\xE6\x83\xB3\xE3\x80\x82 \xE3\x82\xAB\xE3\x83\x8A",
         "\xE6\x88\x91|\xE6\x83\xB3|\xE3\x82\xAB\xE3\x83\x8A|"},
        {"\xF0\x9F\x98\x80 \xF0\x9F\x87\xA9\xF0\x9F\x87\xAA \xC2\xA9 \xE2\x80\x94", ""}, {"a\xFF" "b\xE2\x82", "a|b|"},
    };
    bipe_tokenizer *t = open_spec("words");
    bipe_tokens tokens = {0};
    uint64_t random = 5;
    CHECK_UINT(bipe_tokenizer_size(t), 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char found[256];
        size_t used = 0;
        check_cuts(t, cases[c].text, strlen(cases[c].text), &random, true, &tokens);
        found[0] = '\0';
        for (size_t i = 0; i < tokens.count; i++)
            used += (size_t)sprintf(found + used, "%.*s|", (int)(tokens.token[i].end - tokens.token[i].start),
                                    cases[c].text + tokens.token[i].start);
        CHECK_TEXT(found, cases[c].words);
    }
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

/* A stream serves one document after the other, and forgets one that was left in the middle. */
static void test_begin(void)
{
    static const char *const specs[] = {"byte", "char", "word", "words"};
    bipe_error err = {0};
    for (size_t i = 0; i < 4; i++) {
        bipe_tokenizer *t = open_spec(specs[i]);
        bipe_token_stream *s;
        bipe_tokens tokens = {0};
        CHECK(bipe_token_stream_open(&s, t, &err) == BIPE_OK);
        CHECK(bipe_token_stream_feed(s, (const uint8_t *)" ab\xE2", 4, &tokens, &err) == BIPE_OK);
        tokens.count = 0;
        CHECK(bipe_token_stream_begin(s, &err) == BIPE_OK);
        CHECK(bipe_token_stream_feed(s, (const uint8_t *)"x", 1, &tokens, &err) == BIPE_OK);
        CHECK(bipe_token_stream_end(s, &tokens, &err) == BIPE_OK);
        CHECK(tokens.count == 1 && tokens.token[0].start == 0 && tokens.token[0].end == 1);
        bipe_tokens_free(&tokens);
        bipe_token_stream_close(s);
        bipe_tokenizer_close(t);
    }
    bipe_token_stream_close(NULL);
    bipe_tokenizer_close(NULL);
}

static void test_memory(void)
{
    static const char *const specs[] = {"byte", "char", "word", "words"};
    for (size_t i = 0; i < 4; i++) {
        int status = BIPE_ERR_MEMORY;
        for (long n = 0; status == BIPE_ERR_MEMORY && n < 100; n++) {
            bipe_tokenizer *t;
            bipe_tokens tokens = {0};
            bipe_error err = {0};
            bipe_alloc_fail_at(n);
            status = bipe_tokenizer_open(&t, specs[i], false, &err);
            if (status == BIPE_OK)
                status = tokens_of(t, "one two, three", 14, 5, NULL, &tokens, &err);
            bipe_alloc_fail_at(-1);
            bipe_tokens_free(&tokens);
            bipe_tokenizer_close(t);
        }
        CHECK(status == BIPE_OK);
    }
}

/* bipe_tokenize_text() gives the tokens of a stream, or as many as there is space for. */
static void test_whole(void)
{
    static const char *const specs[] = {"byte", "char", "word", "words"};
    static const char *const texts[] = {"", "One two, \xC3\xA9t\xC3\xA9"};
    for (size_t i = 0; i < 8; i++) {
        const char *text = texts[i / 4];
        bipe_tokenizer *t;
        bipe_tokens want = {0};
        bipe_token got[20];
        size_t count;
        bipe_error err = {0};
        CHECK(bipe_tokenizer_open(&t, specs[i % 4], false, &err) == BIPE_OK);
        CHECK(tokens_of(t, text, strlen(text), 0, NULL, &want, &err) == BIPE_OK && (want.count > 0) == (i >= 4));
        CHECK(bipe_tokenize_text(t, text, strlen(text), NULL, 0, &count, &err) == BIPE_OK && count == want.count);
        for (size_t capacity = 0; capacity < 20; capacity++) {
            size_t most = capacity < want.count ? capacity : want.count;
            memset(got, 0xFF, sizeof got);
            CHECK(bipe_tokenize_text(t, text, strlen(text), got, capacity, &count, &err) == BIPE_OK);
            CHECK(count == want.count && (most == 0 || memcmp(got, want.token, most * sizeof *got) == 0));
            CHECK(got[most].id == UINT32_MAX);
        }
        bipe_tokens_free(&want);
        bipe_tokenizer_close(t);
    }
}

static void test_missing(void)
{
    bipe_error err = {0};
    bipe_tokenizer *t;
    CHECK(bipe_tokenizer_open(&t, "/nonexistent/words", false, &err) == BIPE_ERR_IO);
    CHECK(t == NULL);
    CHECK_TEXT(err.text, "/nonexistent/words: no such file or folder, no installed model (bipe-convert --list shows "
                         "those), and not one of "
                         "byte, char, word, words");
    CHECK(bipe_tokenizer_open(&t, "/dev/null", false, &err) == BIPE_ERR_IO);
    CHECK(bipe_tokenizer_open(&t, "/dev", false, &err) == BIPE_ERR_IO);
    CHECK_TEXT(err.text, "/dev: holds none of tokenizer.json, tokenizer.model, tekken.json, tiktoken.model, "
                         "qwen.tiktoken, vocab.txt, vocab.json, "
                         "spiece.model, spm.model and sentencepiece.bpe.model");
}

int main(void)
{
    test_byte();
    test_char();
    test_word();
    test_words();
    test_begin();
    test_memory();
    test_whole();
    test_missing();
    return test_result();
}
