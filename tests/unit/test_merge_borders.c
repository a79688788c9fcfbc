/* test_merge_borders.c - random byte-pair vocabularies of characters: texts that are cut where no merge reaches across,
 * against the same model without these cuts. */
#include <config.h>

#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

#define BLOCK "\xE2\x96\x81"

static const char *const letters[] = {"a", "b", "c", "d", BLOCK, "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x99\x82",
                                      "<", ">"};
static const char *const others[] = {"x", "\xC3\xB6", "\xE6\x96\x87", "<0x78>", "\n"}; /* not in the vocabulary */

enum { LETTERS = sizeof letters / sizeof *letters, OTHERS = sizeof others / sizeof *others, PIECES = 40 };

typedef struct vocabulary {
    char piece[PIECES][32];
    size_t pieces;
    char merge[PIECES][2][32];
    size_t merges;
} vocabulary;

static bool add_piece(vocabulary *v, const char *text)
{
    for (size_t i = 0; i < v->pieces; i++)
        if (strcmp(v->piece[i], text) == 0)
            return false;
    if (v->pieces == PIECES || strlen(text) >= sizeof v->piece[0])
        return false;
    strcpy(v->piece[v->pieces++], text);
    return true;
}

/* Characters, some of which are left out, and merges of what is there. */
static void make_vocabulary(vocabulary *v, bool bytes, uint64_t *random)
{
    *v = (vocabulary){0};
    for (size_t i = 0; i < LETTERS; i++)
        if (test_random(random) % 8 != 0)
            add_piece(v, letters[i]);
    if (bytes) {
        add_piece(v, "<0x0A>");
        add_piece(v, "<0x78>");
    }
    for (int i = 0; i < 24; i++) {
        const char *left = v->piece[test_random(random) % v->pieces],
                   *right = v->piece[test_random(random) % v->pieces];
        char joined[64];
        if ((left[1] == '0' || right[1] == '0') && test_random(random) % 40 != 0)
            continue; /* of bytes, seldom */
        snprintf(joined, sizeof joined, "%s%s", left, right);
        if (strlen(joined) >= sizeof v->piece[0] || v->merges == PIECES)
            continue;
        strcpy(v->merge[v->merges][0], left);
        strcpy(v->merge[v->merges][1], right);
        v->merges += add_piece(v, joined);
    }
}

/* all: each byte has a token. */
static void make_json(bipe_buffer *json, const vocabulary *v, bool fuse, bool bytes, bool all, const char *unk,
                      const char *pre)
{
    json->size = 0;
    bipe_buffer_printf(
        json, NULL,
        "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" BLOCK "\"},"
        "\"pre_tokenizer\":%s,"

        "\"model\":{\"type\":\"BPE\",\"unk_token\":%s,\"fuse_unk\":%s,\"byte_fallback\":%s,\"vocab\":{\"<unk>\":0",
        pre, unk, fuse ? "true" : "false", bytes ? "true" : "false");
    for (size_t i = 0; i < v->pieces; i++)
        bipe_buffer_printf(json, NULL, ",\"%s\":%zu", v->piece[i], i + 1);
    for (unsigned b = 0; all && b < 256; b++)
        if (b != '\n' && b != 'x')
            bipe_buffer_printf(json, NULL, ",\"<0x%02X>\":%zu", b, v->pieces + 1 + b);
    for (unsigned i = 0; all && i < 2; i++) /* no id is missing */
        bipe_buffer_printf(json, NULL, ",\"spare %u\":%zu", i, v->pieces + 1 + (i == 0 ? '\n' : 'x'));
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 0; i < v->merges; i++)
        bipe_buffer_printf(json, NULL, "%s[\"%s\",\"%s\"]", i != 0 ? "," : "", v->merge[i][0], v->merge[i][1]);
    bipe_buffer_printf(json, NULL, "]}}");
}

static bipe_pipeline *open_pipeline(bipe_tokenizer *t, const bipe_buffer *json)
{
    *t = must_read_json(json, false);
    CHECK(t->kind == &bipe_pipeline_kind);
    return t->model;
}

#define SPLIT(string) "{\"type\":\"Split\",\"pattern\":{\"String\":\"" string "\"},\"behavior\":\"MergedWithPrevious\"}"

/* The last splits nothing, since spaces are replaced. */
static const char *const splits[] = {SPLIT("\\n"), "null", SPLIT(" ")};

static void test_vocabulary(uint64_t *random, size_t *cuts, size_t *plains)
{
    static const char *const unknown[] = {"null", "\"<unk>\""};
    vocabulary v;
    bipe_buffer json = {0};
    bipe_tokenizer cut, whole;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    bool bytes = test_random(random) % 2 != 0, unk = test_random(random) % 3 != 0,
         all = bytes && test_random(random) % 4 != 0;
    size_t split = test_random(random) % 3;
    const char *alphabet[LETTERS + OTHERS + 1];
    size_t count = 0;
    for (size_t i = 0; i < LETTERS; i++)
        alphabet[count++] = letters[i];
    for (size_t i = 0; i < OTHERS && test_random(random) % 3 != 0; i++)
        alphabet[count++] = others[i];
    alphabet[count++] = " ";
    make_vocabulary(&v, bytes, random);
    make_json(&json, &v, test_random(random) % 2 != 0, bytes, all, unknown[unk], splits[split]);
    bipe_pipeline *p = open_pipeline(&cut, &json);
    open_pipeline(&whole, &json);
    leave_whole(&whole);
    CHECK(!p->safe->plain || (all && split != 0));
    *plains += p->safe->plain;
    p->chunk = 1 + test_random(random) % 60;
    for (int round = 0; round < 10; round++) {
        uint8_t text[700];
        size_t size = random_text(random, alphabet, count, (unk || all) && round % 4 == 0, text, sizeof text);
        CHECKF(tokens_of(&whole, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        check_cuts(&cut, text, size, random, !unk && !all, &got);
        CHECKF(same_tokens(&want, &got), "round %d: %zu tokens, want %zu", round, got.count, want.count);
        for (size_t at = 1; at < size; at++)
            *cuts += bipe_safe_next(p->safe, text, at, size) == at;
    }
    bipe_tokenizer_clear(&cut);
    bipe_tokenizer_clear(&whole);
    bipe_buffer_free(&json);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* Models that make something else than merges of a pre-token are not cut so. */
static void test_others(void)
{
    static const char *const member[] = {"\"fuse_unk\":true", "\"ignore_merges\":true",
                                         "\"end_of_word_suffix\":\"</w>\"", "\"continuing_subword_prefix\":\"##\""};
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        bipe_buffer json = {0};
        bipe_tokenizer t;
        bipe_buffer_printf(&json, NULL, "{\"model\":{\"type\":\"BPE\",%s,\"vocab\":{\"a\":0},\"merges\":[]}}",
                           member[i]);
        const uint8_t text[] = "aaaaaaaaa";
        const bipe_pipeline *p = open_pipeline(&t, &json);
        CHECK(bipe_safe_next(p->safe, text, 1, 9) == (i == 0 ? 1 : 9));
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
    }
}

int main(void)
{
    uint64_t random = 11;
    size_t cuts = 0, plains = 0;
    for (unsigned i = 0, rounds = test_rounds(300); i < rounds; i++)
        test_vocabulary(&random, &cuts, &plains);
    CHECKF((cuts > 1000 && plains > 10) || !test_all_rounds(), "%zu cuts, %zu plain ones", cuts, plains);
    test_others();
    return test_result();
}
