/* test_added_whole.c - added tokens that begin with white space beside others that take some: they are looked for in the whole of a text that has no
 * place to cut at, which then goes through the steps in pieces. Tokens are those of a chunk that goes through the steps whole. */
#include <config.h>

#include <jansson.h>

#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

#define BLOCK "\xE2\x96\x81"

static const char *const models[][2] = {
    {"\"normalizer\":{\"type\":\"NFKC\"},\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"a|\\\\s+\"},\"behavior\":\"Isolated\",\"invert\":false},",
     "\"merges\":[\"a a\",\"a b\"]}"},
    {"\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"b\"},{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true},"
     "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a+b\"},\"content\":\"b<x> \"}]},",
     "\"merges\":[\"a a\",\"b b\"]}"},
    {"\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Metaspace\",\"replacement\":\"" BLOCK "\",\"prepend_scheme\":\"first\"},"
     "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(?<=a)b\"},\"behavior\":\"MergedWithNext\",\"invert\":false}]},",
     "\"merges\":[\"" BLOCK " a\",\"a a\"]}"},
    {"\"normalizer\":{\"type\":\"NFKC\"},", "\"merges\":[]}"}};
static const char vocabulary[] = "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\" \":2,\"b\":3,\"aa\":4,\"\\n\":5,\"ab\":6,\" a\":7,\"bb\":8,\""
                                 BLOCK "\":9,\"" BLOCK "a\":10},";
enum { MODELS = sizeof models / sizeof *models, IDS = 11, NONE = 3 };

static const char *const added[] = {"<x>", "<xy>", "xy", " y", "\\n<", "  ", "\\t", "a b", "\xE2\x80\x83<x>"};
static const char *const alphabet[] = {" ", "\n", "\xE2\x80\x83", "  ", "     ", "\r\n\t ", "a", "b", "<x>", "<xy>", " y", "<x", "\n<", "xy", "aab",
                                       "\xE2\x80", "e\xCC\x81"};
enum { ADDED = sizeof added / sizeof *added, LETTERS = sizeof alphabet / sizeof *alphabet };

static const char *truth(uint64_t *random, unsigned one_in)
{
    return test_random(random) % one_in == 0 ? "true" : "false";
}

/* normalized: one in so many. */
static void make_json(bipe_buffer *json, size_t m, uint64_t *random, unsigned normalized)
{
    unsigned count = 0;
    json->size = 0;
    bipe_buffer_printf(json, NULL, "{%s%s%s,\"added_tokens\":[", models[m][0], vocabulary, models[m][1]);
    for (size_t i = 0; i < ADDED; i++) {
        if (test_random(random) % 3 == 0)
            continue;
        const char *left = truth(random, 2), *right = truth(random, 2), *word = truth(random, 9), *inside = truth(random, normalized);
        bipe_buffer_printf(json, NULL, "%s{\"id\":%u,\"content\":\"%s\",\"normalized\":%s,\"lstrip\":%s,\"rstrip\":%s,\"single_word\":%s,\"special\":false}",
                           count != 0 ? "," : "", IDS + count, added[i], inside, left, right, word);
        count++;
    }
    bipe_buffer_printf(json, NULL, "]}");
}

/* came[0], [1]: those of the text as it is, of normalized text, want the whole of it. */
static void test_set(size_t m, uint64_t *random, unsigned came[2])
{
    bipe_buffer json = {0};
    make_json(&json, m, random, 1 + (unsigned)(test_random(random) % 3));
    bipe_tokenizer t = must_read_json(&json, true), whole = must_read_json(&json, true);
    bipe_pipeline *p = t.kind == &bipe_pipeline_kind ? t.model : NULL, *q = whole.kind == &bipe_pipeline_kind ? whole.model : NULL;
    if (p != NULL && q != NULL && !p->quick) {
        CHECK(p->flows);
        q->flows = false;
        came[0] += p->whole;
        came[1] += !bipe_added_is_plain(&p->inside) && bipe_added_begins_white(&p->inside);
    }
    for (int round = 0; round < 12 && p != NULL && q != NULL && !p->quick; round++) {
        uint8_t text[2000];
        size_t size = random_text(random, alphabet, LETTERS, false, text, round % 3 == 0 ? sizeof text : 100);
        p->chunk = 1 + test_random(random) % 60;
        check_twin(&whole, &t, text, size, 1 + test_random(random) % 90, random, &json);
    }
    bipe_tokenizer_clear(&t);
    bipe_tokenizer_clear(&whole);
    bipe_buffer_free(&json);
}

/* Tokens of a long text come in many calls; one that is longer than may be held is an error. */
static void test_long(bool normalized)
{
    enum { SIZE = 600000 };
    bipe_buffer json = {0};
    bipe_error err = {0};
    bipe_tokens want = {0}, got = {0};
    bipe_token_stream *s;
    uint8_t *text = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (uint8_t)"aab"[i % 3];
    memcpy(text + SIZE / 2, " <x>  y", 7);
    const char *flag = normalized ? "true" : "false";
    bipe_buffer_printf(&json, NULL, "{%s%s%s,\"added_tokens\":[{\"id\":11,\"content\":\"<x>\",\"normalized\":%s,\"lstrip\":true,\"rstrip\":true,\"special\":false},"
                       "{\"id\":12,\"content\":\" y\",\"normalized\":%s,\"lstrip\":false,\"rstrip\":false,\"special\":false}]}",
                       models[NONE][0], vocabulary, models[NONE][1], flag, flag);
    bipe_tokenizer t = must_read_json(&json, true);
    bipe_pipeline *p = t.model;
    bipe_cut_borders *units = p->units;
    p->cuts = 0;
    p->units = NULL;
    CHECK(t.kind == &bipe_pipeline_kind && !p->quick && p->whole == !normalized);
    p->flows = false;
    CHECKF(tokens_of(&t, text, SIZE, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    p->flows = true;
    CHECK(bipe_token_stream_open(&s, &t, &err) == BIPE_OK && bipe_token_stream_begin(s, &err) == BIPE_OK);
    CHECKF(bipe_token_stream_feed(s, text, SIZE, &got, &err) == BIPE_OK && got.count == 0, "%s", err.text);
    size_t most = 0, before;
    do {
        before = got.count;
        CHECKF(bipe_token_stream_end_some(s, &got, &err) == BIPE_OK, "%s", err.text);
        most = got.count - before > most ? got.count - before : most;
    } while (bipe_token_stream_owes(s));
    CHECKF(same_tokens(&want, &got) && got.count > SIZE / 2 && most < SIZE / 4, "%zu tokens, want %zu; %zu at once", got.count, want.count, most);
    bipe_token_stream_close(s);
    p->hold_limit = normalized ? SIZE : SIZE / 2;
    got.count = 0;
    CHECK(tokens_of(&t, text, SIZE, 10000, NULL, &got, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, normalized ? "offset 0: more than 300000 bytes that belong together"
                                    : "offset 0: more than 300000 bytes without a place to cut the text into tokens");
    p->units = units;
    bipe_tokenizer_clear(&t);
    free(text);
    bipe_buffer_free(&json);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

int main(void)
{
    uint64_t random = 11;
    unsigned came[2] = {0}, rounds = (unsigned)test_rounds(300);
    for (unsigned i = 0; i < rounds; i++)
        test_set(i % MODELS, &random, came);
    for (int k = 0; k < 2; k++)
        CHECKF(came[k] > rounds / 20 || !test_all_rounds(), "%u of %u", came[k], rounds);
    test_long(false);
    test_long(true);
    return test_result();
}
