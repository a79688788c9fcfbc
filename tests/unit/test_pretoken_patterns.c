/* test_pretoken_patterns.c - the patterns that vocabularies name: each can be compiled and has a name of its own, and a
 * text that is cut where they say it may be is split as it is whole. What they split is compared with other programs by
 * tests/peers. */
#include <config.h>

#include <string.h>

#include "base/buffer.h"
#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"
#include "token/pretoken/pretoken_patterns.h"

/* Every pre-token becomes one unknown token, whose span is the pre-token's. */
static int open_patterns(bipe_tokenizer *t, const bipe_pretoken_patterns *patterns, size_t chunk, bipe_error *err)
{
    bipe_buffer json = {0};
    bipe_buffer_printf(&json, NULL, "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"u\",\"vocab\":{\"u\":0}},"
                                    "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[");
    for (size_t i = 0; patterns->pattern[i] != NULL; i++) {
        bipe_buffer_printf(&json, NULL,
                           "%s{\"type\":\"Split\",\"behavior\":\"Isolated\",\"invert\":false,\"pattern\":{\"Regex\":\"",
                           i != 0 ? "," : "");
        for (const char *c = patterns->pattern[i]; *c != '\0'; c++)
            bipe_buffer_printf(&json, NULL, "%s%c", *c == '\\' || *c == '"' ? "\\" : "", *c);
        bipe_buffer_printf(&json, NULL, "\"}}");
    }
    bipe_buffer_printf(&json, NULL, "]}}");
    int status = read_json(t, json.data, json.size, false, err);
    bipe_buffer_free(&json);
    if (status == BIPE_OK)
        ((bipe_pipeline *)t->model)->chunk = chunk;
    return status;
}

static const char *const parts[] = {"a", "the", "The", "B", "\303\251", "\303\211", "\320\266", "\327\251", "\330\271",
                                    "\340\244\225", "\344\270\255", "\343\201\202", "\352\260\200", " ", " ", " ", "  ",
                                    "    ", "\n", "\n", "\r\n", "\t", "\302\240", "\343\200\200", "1", "23", "1234",
                                    "\331\241", "\302\275", "'s", "'LL", ".", "...", "=", "/", "\357\274\214",
                                    "\314\201", "_", "\360\237\230\200", "$", "<sentinel:1>", "IMGIMGAZ"};

static void test_cutting(const bipe_pretoken_patterns *patterns, uint64_t *random)
{
    bipe_tokenizer whole, cut;
    bipe_error err = {0};
    int status = open_patterns(&whole, patterns, 1 << 20, &err);
    CHECKF(status == BIPE_OK, "%s: %s", patterns->name, err.text);
    if (status != BIPE_OK)
        return;
    CHECK(open_patterns(&cut, patterns, 1, &err) == BIPE_OK);
    for (int round = 0; round < test_rounds(60); round++) {
        uint8_t text[120];
        size_t size = random_text(random, parts, sizeof parts / sizeof *parts, round % 8 == 0, text, sizeof text);
        bipe_tokens want = {0}, got = {0};
        CHECK(tokens_of(&whole, text, size, 0, NULL, &want, &err) == BIPE_OK);
        check_spans(&whole, &want, size, true);
        CHECK(tokens_of(&cut, text, size, 3, NULL, &got, &err) == BIPE_OK);
        CHECKF(same_tokens(&want, &got), "%s: \"%.*s\": %zu and %zu", patterns->name, (int)size, (const char *)text,
               want.count, got.count);
        bipe_tokens_free(&want);
        bipe_tokens_free(&got);
    }
    bipe_tokenizer_clear(&whole);
    bipe_tokenizer_clear(&cut);
}

int main(void)
{
    const bipe_pretoken_patterns *p;
    uint64_t random = 41;
    size_t count = 0;
    for (; (p = bipe_pretoken_patterns_at(count)) != NULL; count++) {
        CHECKF(bipe_pretoken_patterns_find(p->name, strlen(p->name)) == p, "%s stands twice", p->name);
        test_cutting(p, &random);
    }
    CHECK(count > 50 && bipe_pretoken_patterns_find("gpt-3", 5) == NULL);
    return test_result();
}
