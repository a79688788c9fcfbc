/* test_added_units.c - models of the Llama family whose added tokens are taken for units of the text (Gemma), against
 * the same models that take texts whole: random sets of them, some of which are special, not asked for, and hide
 * others. */
#include <config.h>

#include "tests/tokenizers.h"

#define BLOCK "\xE2\x96\x81"

static const char *const pieces[] = {"a",        "b",  "c",       "<",         ">",   "\\n",   BLOCK,
                                     "\xC3\xA9", "ab", BLOCK "a", BLOCK BLOCK, "abc", "\\n\\n"};
static const char *const merges[] = {"a b", BLOCK " a", BLOCK " " BLOCK, "ab c", "\\n \\n"};
static const char *const added[] = {"\\n", "\\n\\n", "\\n\\n\\n",        BLOCK BLOCK, "<a>",  "<b>", "<ab>",
                                    "a>",  "bc",     "\xC3\xA9\xC3\xA9", "<",         "c\\n", " a",  "\xE4\xB8\xAD"};
static const char *const alphabet[] = {"a",      "b",          "c",         " ",
                                       "  ",     "ab",         "\n",        "\n\n",
                                       "\n\n\n", BLOCK,        BLOCK BLOCK, "<a>",
                                       "<b>",    "<ab>",       "\xC3\xA9",  "\xE4\xB8\xAD", "z",      "abc abc abc"};

enum {
    PIECES = sizeof pieces / sizeof *pieces,
    MERGES = sizeof merges / sizeof *merges,
    ADDED = sizeof added / sizeof *added
};

static void make_json(bipe_buffer *json, uint64_t *random)
{
    unsigned id = 3, count = 0;
    bool fallback = test_random(random) % 2 != 0, special = test_random(random) % 2 != 0;
    json->size = 0;
    bipe_buffer_printf(json, NULL,
                       "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" BLOCK
                       "\"},"
                       "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,\"byte_fallback\":%s,"
                       "\"vocab\":{\"<unk>\":0,\"<s>\":1,\"</s>\":2",
                       fallback ? "true" : "false");
    for (unsigned b = 0; b < 256; b++)
        bipe_buffer_printf(json, NULL, ",\"<0x%02X>\":%u", b, id++);
    for (size_t i = 0; i < PIECES; i++)
        bipe_buffer_printf(json, NULL, ",\"%s\":%u", pieces[i], id++);
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 0; i < MERGES; i++)
        bipe_buffer_printf(json, NULL, "%s\"%s\"", i != 0 ? "," : "", merges[i]);
    bipe_buffer_printf(json, NULL, "]},\"added_tokens\":[");
    for (size_t i = 0; i < ADDED; i++) {
        unsigned of_model = 0;
        for (unsigned k = 0; k < PIECES; k++)
            if (strcmp(pieces[k], added[i]) == 0)
                of_model = 259 + k;
        if (test_random(random) % 2 != 0)
            bipe_buffer_printf(json, NULL, "%s{\"id\":%u,\"content\":\"%s\",\"normalized\":false,\"special\":%s}",
                               count++ != 0 ? "," : "", of_model != 0 ? of_model : id++, added[i],
                               special && test_random(random) % 4 == 0 ? "true" : "false");
    }
    bipe_buffer_printf(json, NULL, "]}");
}

/* How many of the tokenizers take found tokens for units. */
static unsigned test_set(uint64_t *random)
{
    bipe_buffer json = {0};
    bipe_error err = {0};
    bipe_tokens want = {0}, got = {0};
    make_json(&json, random);
    bipe_tokenizer quick = must_read_json(&json, false), general = must_read_json(&json, false);
    leave_whole(&general);
    const bipe_pipeline *p = quick.model;
    unsigned units = p->raw.has_tokens && p->safe->plain;
    for (int round = 0; round < 6; round++) {
        uint8_t text[1500];
        size_t size = random_text(random, alphabet, sizeof alphabet / sizeof *alphabet, round % 3 == 0, text,
                                  round % 2 == 0 ? sizeof text : 90);
        CHECKF(tokens_of(&general, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        check_cuts(&quick, text, size, random, false, &got);
        CHECKF(same_tokens(&want, &got), "round %d: %zu tokens, want %zu", round, got.count, want.count);
    }
    bipe_tokenizer_clear(&quick);
    bipe_tokenizer_clear(&general);
    bipe_buffer_free(&json);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
    return units;
}

int main(void)
{
    uint64_t random = 5;
    unsigned units = 0, rounds = (unsigned)test_rounds(300);
    for (unsigned i = 0; i < rounds; i++)
        units += test_set(&random);
    CHECKF(units > rounds / 4 || !test_all_rounds(), "%u of %u", units, rounds);
    return test_result();
}
