/* test_added_white.c - white space beside added tokens that take it, more than is held: tokens are those of the whole text, in all
 * three ways that text goes, and what comes back from a file comes little by little. Those of normalized text that are looked for
 * with the others. */
#include <config.h>

#include <jansson.h>

#include "tests/tokenizers.h"
#include "text/utf8.h"
#include "token/added_white.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/bpe.h"

#define BLOCK "\xE2\x96\x81"

/* A model of the Llama family; one of bytes, whose letters come in between; one whose text is normalized and split by a pattern, and
 * one of words. */
static const char *const models[][2] = {
    {"\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" BLOCK "\"},\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true,"
     "\"vocab\":{\"?\":0,\"a\":1,\"" BLOCK "\":2,\"b\":3,\"" BLOCK BLOCK "\":4,\"\\n\":5,\"" BLOCK "a\":6",
     "},\"merges\":[\"" BLOCK " " BLOCK "\",\"" BLOCK " a\"]}"},
    {"\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true},"
     "\"model\":{\"type\":\"BPE\",\"vocab\":{\"\xC4\xA0\xC4\xA0\":0",
     "},\"merges\":[\"\xC4\xA0 \xC4\xA0\"]}"},
    {"\"normalizer\":{\"type\":\"NFKC\"},\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"a|\\\\s+\"},\"behavior\":\"Isolated\",\"invert\":false},"
     "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\" \":2,\"b\":3,\"aa\":4,\"\\n\":5,\">\":6",
     "},\"merges\":[\"a a\"]}"},
    {"\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"aa\":2,\"b\":3,\"c\":4,\"d\":5,\"e\":6",
     "}}"}};
enum { MODELS = sizeof models / sizeof *models, OF_BYTES = 1, IDS = 7 };

static const char *const added[] = {"<x>", "<xy>", "xy", "<", "x\\ny"};
static const char *const alphabet[] = {" ", "\n", "\xE2\x80\x83", "  ", "     ", "\r\n\t ", "         \n      ", "                    ", "a", "<x>", "<xy>", "<x>", "<x", "x\ny",
                                       "\xE2\x80", "e\xCC\x81"};
enum { ADDED = sizeof added / sizeof *added, LETTERS = sizeof alphabet / sizeof *alphabet };

static const char *truth(uint64_t *random, unsigned one_in)
{
    return test_random(random) % one_in == 0 ? "true" : "false";
}

/* Byte by byte, as letters. */
static unsigned put_letters(bipe_buffer *json, unsigned id)
{
    for (unsigned b = 0; b < 256; b++, id++) {
        bipe_buffer_printf(json, NULL, ",\"");
        put_letter(json, b);
        bipe_buffer_printf(json, NULL, "\":%u", id);
    }
    return id;
}

static void make_json(bipe_buffer *json, size_t m, uint64_t *random)
{
    unsigned words = test_random(random) % 2 == 0 ? 3 : 1000000, count = 0, first = m == OF_BYTES ? 1 : IDS;
    json->size = 0;
    bipe_buffer_printf(json, NULL, "{%s", models[m][0]);
    if (m == OF_BYTES)
        first = put_letters(json, first);
    bipe_buffer_printf(json, NULL, "%s,\"added_tokens\":[", models[m][1]);
    for (size_t i = 0; i < ADDED; i++) {
        if (test_random(random) % 3 == 0 || (i == 3 && m == OF_BYTES))
            continue;
        const char *left = truth(random, 2), *right = truth(random, 2);
        bipe_buffer_printf(json, NULL, "%s{\"id\":%u,\"content\":\"%s\",\"normalized\":false,\"lstrip\":%s,\"rstrip\":%s,\"single_word\":%s,\"special\":false}",
                           count != 0 ? "," : "", first + count, added[i], left, right, truth(random, words));
        count++;
    }
    bipe_buffer_printf(json, NULL, "]}");
}

static bipe_added_set *set_of(bipe_tokenizer *t)
{
    return t->kind == &bipe_bpe_kind ? &((bipe_bpe *)t->model)->raw : &((bipe_pipeline *)t->model)->raw;
}

/* Which way text goes: 0 to 2. */
static int test_set(size_t m, uint64_t *random)
{
    bipe_buffer json = {0};
    make_json(&json, m, random);
    bipe_tokenizer t = must_read_json(&json, true), whole = must_read_json(&json, true);
    bipe_pipeline *p = t.kind == &bipe_pipeline_kind ? t.model : NULL;
    int way = p == NULL ? 0 : p->quick ? 1 : 2;
    bipe_added_set *raw = set_of(&t);
    for (int round = 0; round < 12; round++) {
        uint8_t text[3000];
        size_t size = random_text(random, alphabet, round % 2 == 0 ? 8 : LETTERS, false, text, round % 3 == 0 ? sizeof text : 150);
        if (round % 2 == 0 && size > 8) /* a long run, and something in it or behind it */
            memcpy(text + (round % 4 == 0 ? size : test_random(random) % size / 8 * 8) - (round % 4 == 0 ? 6 : 0), "<xy>  ", 6);
        raw->white_held = 4 + test_random(random) % 40;
        if (p != NULL)
            p->chunk = 1 + test_random(random) % 60;
        check_twin(&whole, &t, text, size, 1 + test_random(random) % 90, random, &json);
    }
    bipe_tokenizer_clear(&t);
    bipe_tokenizer_clear(&whole);
    bipe_buffer_free(&json);
    return way;
}

/* ---- those of normalized text where nothing normalizes it: looked for with the others, or apart ---- */

/* Whether they are looked for together. */
static bool test_joining(uint64_t *random)
{
    static const char *const strings[] = {"<x>", "<y>", "q", "xx>", "y q", "\xC3\xA9"};
    static const char *const parts[] = {"<x>", "<y>", "q", "xx>", "y q", "\xC3\xA9", " ", "\n ", "a", "<x", "x", "  ", "\xE2\x80\x83"};
    static const char *const rests[] = {
        "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1}}",
        "\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" BLOCK "\",\"prepend_scheme\":\"first\"},"
        "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1},\"merges\":[]}"};
    bipe_buffer json[2] = {{0}, {0}}, more = {0};
    bipe_error err = {0};
    bipe_tokens want = {0}, got = {0};
    unsigned mixed = (unsigned)(test_random(random) % 3), rest = (unsigned)(test_random(random) % 2), id = 2;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (test_random(random) % 2 == 0) {
            const char *left = truth(random, 3), *right = truth(random, 3), *word = truth(random, 6), *special = truth(random, 3);
            const char *normalized = mixed == 0 ? "true" : truth(random, 2);
            bipe_buffer_printf(&more, NULL, "%s{\"id\":%u,\"content\":\"%s\",\"lstrip\":%s,\"rstrip\":%s,\"single_word\":%s,"
                               "\"special\":%s,\"normalized\":%s}",
                               id != 2 ? "," : "", id, strings[i], left, right, word, special, normalized);
            id++;
        }
    for (int k = 0; k < 2; k++) /* a normalizer that does nothing keeps them apart */
        bipe_buffer_printf(&json[k], NULL, "{%s%s,\"added_tokens\":[%s]}",
                           k == 0 ? "" : "\"normalizer\":{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":false},",
                           rests[rest], more.size != 0 ? (const char *)more.data : "");
    bool special = test_random(random) % 2 == 0;
    bipe_tokenizer t = must_read_json(&json[0], special), apart = must_read_json(&json[1], special);
    const bipe_pipeline *p = t.kind == &bipe_pipeline_kind ? t.model : NULL, *q = apart.kind == &bipe_pipeline_kind ? apart.model : NULL;
    bool joined = p != NULL && q != NULL && q->inside.count > p->inside.count;
    for (int round = 0; round < 10; round++) {
        uint8_t text[300];
        size_t size = random_text(random, parts, sizeof parts / sizeof *parts, false, text, 1 + test_random(random) % sizeof text);
        CHECKF(tokens_of(&apart, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        CHECKF(tokens_of(&t, text, size, test_random(random) % 40, random, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "%zu tokens, want %zu: %s\n%.*s|", got.count, want.count, (const char *)json[0].data, (int)size, (const char *)text);
    }
    bipe_tokenizer_clear(&t);
    bipe_tokenizer_clear(&apart);
    bipe_buffer_free(&json[0]);
    bipe_buffer_free(&json[1]);
    bipe_buffer_free(&more);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
    return joined;
}

int main(void)
{
    uint64_t random = 5;
    unsigned ways[3] = {0}, rounds = (unsigned)test_rounds(400);
    for (unsigned i = 0; i < rounds; i++)
        ways[test_set(i % MODELS, &random)]++;
    for (int way = 0; way < 3; way++)
        CHECKF(ways[way] > rounds / 20 || !test_all_rounds(), "%u of %u", ways[way], rounds);
    unsigned joined = 0;
    rounds = (unsigned)test_rounds(1000);
    for (unsigned i = 0; i < rounds; i++)
        joined += test_joining(&random);
    CHECKF((joined > rounds / 20 && joined < rounds / 2) || !test_all_rounds(), "%u of %u", joined, rounds);
    return test_result();
}
