/* test_metaspace.c - the pre-tokenizer Metaspace of models of the Llama family: texts that are cut at pairs of bytes,
 * and the same texts whole. */
#include <config.h>

#include "tests/tokenizers.h"

#define BLOCK "\xE2\x96\x81"

static const char *const pieces[] = {"a",       "b",         "c",        BLOCK, "\xC3\xA9", "ab",
                                     BLOCK "a", BLOCK BLOCK, BLOCK "ab", "abc", "ca",       BLOCK BLOCK BLOCK BLOCK};
static const char *const merges[] = {"a b",       BLOCK " a", BLOCK " " BLOCK, BLOCK "a b",
                                     BLOCK " ab", "ab c",     "c a",           BLOCK BLOCK " " BLOCK BLOCK};

/* scheme: of Metaspace; fallback: bytes for what the vocabulary does not have, else an unknown token. */
static void make_json(bipe_buffer *json, const char *scheme, bool fallback, const char *added)
{
    unsigned id = 3;
    bipe_buffer_printf(json, NULL,
                       "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" BLOCK
                       "\",\"prepend_scheme\":\"%s\",\"split\":false},"
                       "\"added_tokens\":[%s],\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,"
                       "\"byte_fallback\":%s,"
                       "\"vocab\":{\"<unk>\":0,\"<s>\":1,\"</s>\":2",
                       scheme, added, fallback ? "true" : "false");
    for (unsigned b = 0; b < 256; b++)
        bipe_buffer_printf(json, NULL, ",\"<0x%02X>\":%u", b, id++);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        bipe_buffer_printf(json, NULL, ",\"%s\":%u", pieces[i], id++);
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 0; i < sizeof merges / sizeof *merges; i++)
        bipe_buffer_printf(json, NULL, "%s\"%s\"", i != 0 ? "," : "", merges[i]);
    bipe_buffer_printf(json, NULL, "]}}");
}

static void compare(const bipe_tokenizer *quick, const bipe_tokenizer *general, const uint8_t *text, size_t size,
                    uint64_t *random)
{
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    CHECKF(tokens_of(general, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    check_cuts(quick, text, size, random, false, &got);
    CHECKF(same_tokens(&want, &got), "\"%.*s\": %zu tokens, want %zu", (int)size, (const char *)text, got.count,
           want.count);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* flags: of the first added token. */
static void test_scheme(const char *scheme, bool fallback, bool special, const char *flags, uint64_t *random)
{
    static const char *const alphabet[] = {"a", "b", "c", " ", " ", "  ", " a", "abc", BLOCK, "\xC3\xA9", "\n",
                                           "\xE4\xB8\xAD", "<s>", "</s>", "<s", "z", "\xE2\x80\x83", "\t"};
    bipe_buffer json = {0};
    char added[300];
    snprintf(added, sizeof added,
             "{\"id\":1,\"content\":\"<s>\",\"normalized\":false,\"special\":true%s},"
             "{\"id\":2,\"content\":\"</s>\",\"normalized\":false,\"special\":true}",
             flags);
    make_json(&json, scheme, fallback, added);
    bipe_tokenizer quick = must_read_json(&json, special), general = must_read_json(&json, special);
    leave_whole(&general);
    uint8_t text[400];
    for (int round = 0; round < test_rounds(400); round++) {
        size_t size = random_text(random, alphabet, sizeof alphabet / sizeof *alphabet, round % 4 == 0, text,
                                  round % 3 == 0 ? sizeof text : 12);
        compare(&quick, &general, text, size, random);
    }
    bipe_tokenizer_clear(&quick);
    bipe_tokenizer_clear(&general);
    bipe_buffer_free(&json);
}

int main(void)
{
    static const char *const schemes[] = {"always", "first", "never"};
    static const char *const flags[] = {",\"rstrip\":true", ",\"lstrip\":true", ",\"lstrip\":true,\"rstrip\":true",
                                        ",\"single_word\":true"};
    uint64_t random = 3;
    for (int i = 0; i < 12; i++)
        test_scheme(schemes[i % 3], i % 2 != 0, i >= 6, "", &random);
    for (int i = 0; i < 12; i++)
        test_scheme(schemes[i % 3], i % 2 != 0, true, flags[i / 3], &random);
    return test_result();
}
