/* test_long_word.c - chunks that go through the steps in pieces: tokens are those of the whole, for every kind of model, and little is
 * held. */
#include <jansson.h>

#include "tests/tokenizers.h"
#include "text/utf8.h"
#include "token/pipeline/cut_letters.h"
#include "token/pipeline/normalizers.h"
#include "token/pipeline/pretokenizers.h"

/* ---- whole tokenizers ---- */

#define WORDS \
    "\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"ab\":3,\"1\":4,\"\xE4\xB8\xAD\":5,\"\xE0\xB8\x81\":6,\"\xE2\x96\x81\":7,\"##a\":8,\"##b\":9,\"##1\":10,\"aab\":11,\"\xE2\x96\x81" "a\":12,\"11\":13,\"aa\":14}"
#define MERGES "\"merges\":[\"a b\",\"a ab\",\"\xE2\x96\x81 a\",\"1 1\",\"a a\"]"
static const char *const models[] = {
    "{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true," WORDS "," MERGES "}",
    "{\"type\":\"BPE\",\"unk_token\":\"?\"," WORDS "," MERGES "}",
    "{\"type\":\"BPE\",\"unk_token\":\"?\",\"end_of_word_suffix\":\"b\"," WORDS ",\"merges\":[\"1 1\",\"a a\"]}",
    "{\"type\":\"BPE\",\"unk_token\":\"?\",\"ignore_merges\":true," WORDS ",\"merges\":[\"a a\",\"1 1\"]}",
    "{\"type\":\"WordPiece\",\"unk_token\":\"?\",\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":20," WORDS "}",
    "{\"type\":\"WordPiece\",\"unk_token\":\"?\",\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":2000," WORDS "}",
    "{\"type\":\"WordLevel\",\"unk_token\":\"?\"," WORDS "}",
    "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"?\",0],[\"a\",-1],[\"b\",-1.5],[\"ab\",-2],[\"1\",-2],[\"\xE4\xB8\xAD\",-3],[\"\xE2\x96\x81\",-2],[\"aab\",-2.25],"
    "[\"11\",-3],[\"\xE2\x96\x81" "a\",-2.5],[\"\xE0\xB8\x81\xE0\xB8\x81\",-3],[\"\xE5\x9B\xBD\xE5\x9B\xBD\xE5\x9B\xBD\",-30],[\"x\",-4],[\"y\",-4],[\"z\",-4]]}"};

#define SPLIT(pattern, behaviour, invert) \
    "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"},\"behavior\":\"" behaviour \
    "\",\"invert\":" invert "},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":false}]},"
#define BERT \
    "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,\"strip_accents\":null,\"lowercase\":true}," \
    "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},"
static const char *const fronts[] = {
    "",
    "\"normalizer\":{\"type\":\"NFKC\"},",
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFD\"},{\"type\":\"StripAccents\"},{\"type\":\"Lowercase\"}]},\"pre_tokenizer\":{\"type\":\"Whitespace\"},",
    "\"normalizer\":{\"type\":\"NFKD\"},\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"always\"},",
    "\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"ab \"},\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\",\"individual_digits\":false},"
    "{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\"}]},",
    BERT,
    "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"a1\"},\"content\":\" \"},\"pre_tokenizer\":{\"type\":\"UnicodeScripts\"},",
    "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\".\"},\"behavior\":\"Removed\",\"invert\":false},",
    "\"normalizer\":{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":true},\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"MergedWithPrevious\"},",
    "\"normalizer\":{\"type\":\"NFKC\"},\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true},",
    "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"\\\\s+\"},\"content\":\" \"}," SPLIT("a1|\\\\p{L}+|[^\\\\s\\\\p{L}]+", "Removed", "true"),
    SPLIT("\\\\p{L}+", "Removed", "false"), SPLIT("[a1 ]+", "MergedWithPrevious", "false"), SPLIT("\\\\bb|\\\\s", "MergedWithNext", "false"),
    SPLIT("(?<=aa)[b1]|a(?=b[^.])", "Removed", "true"), SPLIT("(?=(11)+(?!1))|(?<=b )a*", "Isolated", "false"),
    "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" +(?=a)|b+1\"},\"content\":\"\"}," SPLIT(".+", "Isolated", "false")};

#define ADDED(normalized, left, right, word) \
    ",\"added_tokens\":[{\"id\":3,\"content\":\"ab\",\"normalized\":" normalized ",\"special\":false,\"lstrip\":" left ",\"rstrip\":" right \
    ",\"single_word\":" word "}]"
static const char *const added[] = {"", ADDED("false", "true", "false", "false"), ADDED("true", "false", "false", "false"),
                                    ADDED("false", "false", "true", "true"), ADDED("false", "true", "true", "false"),
                                    ADDED("true", "true", "true", "false"), ADDED("true", "false", "true", "true")};

static const char *const parts[] = {"a", "ab", "aab", "ba", "1", "11", ".", " ", "\n", "\xE4\xB8\xAD", "\xE5\x9B\xBD", "\xE0\xB8\x81", "\xE0\xB8\xA0\xE0\xB8\xB2", "\xC3\xA9",
                                    "e\xCC\x81", "\xEA\xB0\x80", "\xE3\x84\xB1", "\xE3\x85\x8F", "\xE1\x84\x80", "\xE1\x85\xA1", "\xC4\xB0", "\xEF\xAC\x81", "\xC7\x86", "\xFF", "\xEF\xBC\xA1",
                                    "\xE2\x85\xA3", "\xE3\x80\x87", "\xF0\xA0\x80\x8B", "\xEF\xBE\x9E", "\xE3\x81\x8B", "\xE3\x82\x99"};

static bipe_tokenizer open_json(const char *front, const char *model, const char *more)
{
    bipe_buffer json = {0};
    bipe_buffer_printf(&json, NULL, "{%s\"model\":%s%s}", front, model, more);
    bipe_tokenizer t = must_read_json(&json, false);
    bipe_buffer_free(&json);
    return t;
}

static size_t make_text(uint8_t *text, size_t room, uint64_t *random)
{
    size_t size = 0, most = 1 + test_random(random) % (room - 8);
    while (size < most) {
        const char *part = parts[test_random(random) % (sizeof parts / sizeof *parts)];
        size_t n = strlen(part), times = test_random(random) % 6 == 0 ? 1 + test_random(random) % 40 : 1;
        for (; times != 0 && size + n <= most + 3; times--, size += n)
            memcpy(text + size, part, n);
        if (size + 4 > most)
            break;
    }
    return size;
}

static void test_words(uint64_t *random)
{
    uint8_t text[700];
    size_t flows = 0;
    for (size_t f = 0; f < sizeof fronts / sizeof *fronts; f++)
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            bipe_tokenizer t = open_json(fronts[f], models[m], added[(f + m) % (sizeof added / sizeof *added)]);
            if (t.kind == &bipe_pipeline_kind) {
                bipe_pipeline *p = t.model;
                bipe_tokens want = {0}, got = {0};
                bipe_error err = {0};
                flows += p->flows;
                for (int round = 0; round < test_rounds(40); round++) {
                    size_t size = make_text(text, sizeof text, random);
                    p->chunk = BIPE_PIPELINE_CHUNK;
                    CHECKF(tokens_of(&t, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
                    p->chunk = 1 + test_random(random) % 20;
                    CHECKF(tokens_of(&t, text, size, 1 + test_random(random) % 30, random, &got, &err) == BIPE_OK, "%s", err.text);
                    CHECKF(same_tokens(&want, &got), "front %zu, model %zu: %zu and %zu tokens of %.*s", f, m, want.count, got.count, (int)size, (const char *)text);
                }
                bipe_tokens_free(&want);
                bipe_tokens_free(&got);
            }
            bipe_tokenizer_clear(&t);
        }
    CHECKF(flows > 90, "%zu", flows);
}

/* One word that is longer than what may be held. */
static void test_long(void)
{
    static const char *const units[] = {"aab", "1", "\xE4\xB8\xAD", "\xE0\xB8\x82", "\xC3\xA9\x61"};
    static const size_t ways[] = {3, 9, 10, 16};
    enum { SIZE = 80000, WAYS = sizeof ways / sizeof *ways };
    uint8_t *text = malloc(SIZE + 8);
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t u = 0; u < WAYS * sizeof units / sizeof *units; u += 3) {
            bipe_tokenizer t = open_json(fronts[ways[u % WAYS]], models[m], "");
            bipe_pipeline *p = t.model;
            bipe_tokens want = {0}, got = {0};
            bipe_error err = {0};
            const char *unit = units[u / WAYS];
            size_t n = strlen(unit), size = 0;
            for (; size + n <= SIZE; size += n)
                memcpy(text + size, unit, n);
            p->chunk = SIZE;
            CHECKF(tokens_of(&t, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
            p->chunk = 4096;
            p->hold_limit = m == 3 || m == 5 ? BIPE_PIECE_LIMIT + 10000 : 10000;
            int status = tokens_of(&t, text, size, 5000, NULL, &got, &err);
            CHECKF(status == BIPE_OK, "%s", err.text);
            CHECKF(same_tokens(&want, &got), "front %zu, model %zu, %s: %zu and %zu tokens", ways[u % WAYS], m, unit, want.count, got.count);
            bipe_tokens_free(&want);
            bipe_tokens_free(&got);
            bipe_tokenizer_clear(&t);
        }
    free(text);
}

/* What must be held is held up to a limit: marks that may change places, white space that a text may end with. */
static void test_limits(void)
{
    static const struct {
        const char *front, *unit, *error;
    } cases[] = {
        {"\"normalizer\":{\"type\":\"NFKC\"},", "\xCC\x81", "offset 0: more than 10000 bytes that belong together"},
        {"\"normalizer\":{\"type\":\"NFC\"},", "\xE1\x85\xA1", NULL},
        {BERT, "\x80", NULL},
        {BERT, "\xC2\xAD", NULL},
        {BERT, "\xCC\x81\xCC\xA3\x01", "offset 0: more than 10000 bytes that belong together"},
        {"\"normalizer\":{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true},", " ",
         NULL},
        {"\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKC\"},{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true}]},",
         "\xE3\x80\x80 ", NULL},
        {"\"normalizer\":{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":false},", "\xE3\x80\x80", NULL},
        {"\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\" \"},", " ", NULL}};
    enum { SIZE = 60000 };
    uint8_t *text = malloc(SIZE);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bipe_tokenizer t = open_json(cases[k].front, models[7], "");
        bipe_pipeline *p = t.model;
        bipe_tokens want = {0}, got = {0};
        bipe_error err = {0};
        size_t n = strlen(cases[k].unit);
        for (size_t at = 0; at + n <= SIZE; at += n)
            memcpy(text + at, cases[k].unit, n);
        CHECKF(tokens_of(&t, text, SIZE, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        p->chunk = 500;
        p->hold_limit = 10000;
        int status = tokens_of(&t, text, SIZE, 700, NULL, &got, &err);
        CHECKF(status == (cases[k].error != NULL ? BIPE_ERR_LIMIT : BIPE_OK), "%zu: %s", k, err.text);
        if (cases[k].error != NULL)
            CHECK_TEXT(err.text, cases[k].error);
        else
            CHECKF(same_tokens(&want, &got), "%zu", k);
        bipe_tokens_free(&want);
        bipe_tokens_free(&got);
        bipe_tokenizer_clear(&t);
    }
    free(text);
}

/* White space that waited comes out in parts, where that is wanted. */
static void test_parts(void)
{
    enum { SIZE = 600000, CHUNK = 500 };
    uint8_t *text = malloc(SIZE);
    for (int way = 0; way < 2; way++) {
        bipe_tokenizer t = open_json("\"normalizer\":{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true},"
                                     "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\" \"},\"behavior\":\"Isolated\",\"invert\":false},",
                                     models[6], "");
        bipe_token_stream *s;
        bipe_tokens want = {0}, got = {0};
        bipe_error err = {0};
        size_t most = 0, calls = 0, before;
        memset(text, ' ', SIZE);
        text[way == 0 ? SIZE - 1 : SIZE - 3000] = 'a'; /* the document ends behind it, or goes on */
        CHECK(tokens_of(&t, text, SIZE, 0, NULL, &want, &err) == BIPE_OK);
        ((bipe_pipeline *)t.model)->chunk = CHUNK;
        CHECK(bipe_token_stream_open(&s, &t, &err) == BIPE_OK && bipe_token_stream_begin(s, &err) == BIPE_OK);
        for (size_t at = 0; at < SIZE;) {
            size_t n = bipe_token_stream_owes(s) ? 0 : 1000;
            before = got.count;
            CHECKF(bipe_token_stream_feed_some(s, text + at, n, &got, &err) == BIPE_OK, "%s", err.text);
            most = got.count - before > most ? got.count - before : most;
            at += n;
            calls += n == 0;
        }
        do {
            before = got.count;
            CHECKF(bipe_token_stream_end_some(s, &got, &err) == BIPE_OK, "%s", err.text);
            most = got.count - before > most ? got.count - before : most;
            calls++;
        } while (bipe_token_stream_owes(s));
        CHECK(same_tokens(&want, &got) && want.count >= SIZE - 3000);
        bool owed = false; /* where a document is left in the middle of that, the next one is not concerned */
        CHECK(bipe_token_stream_begin(s, &err) == BIPE_OK);
        for (size_t at = 0; at < SIZE && !owed; at += 1000, owed = bipe_token_stream_owes(s))
            CHECKF(bipe_token_stream_feed_some(s, text + at, 1000, &got, &err) == BIPE_OK, "%s", err.text);
        CHECK(owed || (bipe_token_stream_end_some(s, &got, &err) == BIPE_OK && bipe_token_stream_owes(s)));
        memset(text, 'a', 3000); /* more than a chunk, without a place to cut at */
        got.count = 0;
        CHECK(bipe_token_stream_begin(s, &err) == BIPE_OK);
        CHECK(bipe_token_stream_feed(s, text, 3000, &got, &err) == BIPE_OK && bipe_token_stream_end(s, &got, &err) == BIPE_OK);
        CHECK(got.count == 1 && got.token[0].start == 0 && got.token[0].end == 3000);
        CHECKF(most <= SIZE / 4 && calls > 5, "%zu tokens at once, in %zu calls", most, calls);
        bipe_token_stream_close(s);
        bipe_tokens_free(&want);
        bipe_tokens_free(&got);
        bipe_tokenizer_clear(&t);
    }
    free(text);
}

static void test_memory(void)
{
    static const char text[] = "aabaabaabaabaabaab\xE4\xB8\xAD\xE4\xB8\xAD\xE5\x9B\xBD\xE5\x9B\xBD aab  \n  \n  \n  \n  \n 1111111111111111111\xEF\xAC\x81\xEF\xAC\x81\xEF\xAC\x81";
    for (size_t m = 0; m < sizeof models / sizeof *models; m += 3) {
        bipe_tokenizer t = open_json(fronts[m == 3 ? 10 : m == 0 ? 3 : 8], models[m], m == 3 ? added[3] : "");
        ((bipe_pipeline *)t.model)->chunk = 3;
        bool done = false;
        for (long n = 0; !done && n < 10000; n++) {
            bipe_tokens tokens = {0};
            bipe_error err = {0};
            bipe_alloc_fail_at(n);
            int status = tokens_of(&t, text, sizeof text - 1, 4, NULL, &tokens, &err);
            bipe_alloc_fail_at(-1);
            done = status == BIPE_OK;
            CHECKF(done || status == BIPE_ERR_MEMORY, "allocation %ld: %d: %s", n, status, err.text);
            bipe_tokens_free(&tokens);
        }
        CHECK(done);
        bipe_tokenizer_clear(&t);
    }
}

int main(void)
{
    uint64_t random = 11;
    test_words(&random);
    test_long();
    test_limits();
    test_parts();
    test_memory();
    return test_result();
}
