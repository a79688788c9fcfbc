/* test_merge_borders.c - random byte-pair vocabularies of characters: long pre-tokens that are cut where no merge reaches across,
 * against the same model without these cuts. */
#include <config.h>

#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

#define BLOCK "\xE2\x96\x81"

static const char *const letters[] = {"a", "b", "c", "d", BLOCK, "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x99\x82", "<", ">"};
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
        const char *left = v->piece[test_random(random) % v->pieces], *right = v->piece[test_random(random) % v->pieces];
        char joined[64];
        snprintf(joined, sizeof joined, "%s%s", left, right);
        if (strlen(joined) >= sizeof v->piece[0] || v->merges == PIECES)
            continue;
        strcpy(v->merge[v->merges][0], left);
        strcpy(v->merge[v->merges][1], right);
        v->merges += add_piece(v, joined);
    }
}

static void make_json(bipe_buffer *json, const vocabulary *v, bool fuse, bool bytes, const char *unk)
{
    json->size = 0;
    bipe_buffer_printf(json, NULL,
                       "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" BLOCK "\"},"
                       "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"\\n\"},\"behavior\":\"MergedWithPrevious\"},"
                       "\"model\":{\"type\":\"BPE\",\"unk_token\":%s,\"fuse_unk\":%s,\"byte_fallback\":%s,\"vocab\":{\"<unk>\":0",
                       unk, fuse ? "true" : "false", bytes ? "true" : "false");
    for (size_t i = 0; i < v->pieces; i++)
        bipe_buffer_printf(json, NULL, ",\"%s\":%zu", v->piece[i], i + 1);
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

/* Takes the step of the borders out again. */
static void leave_whole(bipe_pipeline *p)
{
    bipe_pretokenizer_step *last = &p->pretokenizer[--p->pretokenizers];
    CHECK(strcmp(last->type->name, "merge borders") == 0);
    last->type->close(last->config);
}

static void test_vocabulary(uint64_t *random, size_t *cuts)
{
    static const char *const unknown[] = {"null", "\"<unk>\""};
    vocabulary v;
    bipe_buffer json = {0};
    bipe_tokenizer cut, whole;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    bool bytes = test_random(random) % 2 != 0, unk = test_random(random) % 3 != 0;
    const char *alphabet[LETTERS + OTHERS + 1];
    size_t count = 0;
    for (size_t i = 0; i < LETTERS; i++)
        alphabet[count++] = letters[i];
    for (size_t i = 0; i < OTHERS && test_random(random) % 3 != 0; i++)
        alphabet[count++] = others[i];
    alphabet[count++] = " ";
    make_vocabulary(&v, bytes, random);
    make_json(&json, &v, test_random(random) % 2 != 0, bytes, unknown[unk]);
    bipe_pipeline *p = open_pipeline(&cut, &json), *plain = open_pipeline(&whole, &json);
    leave_whole(plain);
    p->chunk = 1 + test_random(random) % 60;
    for (int round = 0; round < 10; round++) {
        uint8_t text[700];
        size_t size = random_text(random, alphabet, count, unk && round % 4 == 0, text, sizeof text);
        CHECKF(tokens_of(&whole, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        check_cuts(&cut, text, size, random, !unk, &got);
        CHECKF(same_tokens(&want, &got), "round %d: %zu tokens, want %zu", round, got.count, want.count);
        bipe_mapped mapped = {0};
        bipe_ranges in = {0}, out = {0};
        const bipe_pretokenizer_step *step = &p->pretokenizer[p->pretokenizers - 1];
        CHECK(bipe_mapped_put(&mapped, text, size, 0, (uint32_t)size, &err) == BIPE_OK && bipe_ranges_add(&in, 0, size, &err) == BIPE_OK);
        CHECK(step->type->split(step->config, &mapped, &in, &out, &err) == BIPE_OK);
        *cuts += out.count - 1;
        bipe_ranges_free(&in);
        bipe_ranges_free(&out);
        bipe_mapped_free(&mapped);
    }
    bipe_tokenizer_clear(&cut);
    bipe_tokenizer_clear(&whole);
    bipe_buffer_free(&json);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* Models that make something else than merges of a pre-token have no such step. */
static void test_others(void)
{
    static const char *const member[] = {"\"ignore_merges\":true", "\"end_of_word_suffix\":\"</w>\"", "\"continuing_subword_prefix\":\"##\""};
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        bipe_buffer json = {0};
        bipe_tokenizer t;
        bipe_buffer_printf(&json, NULL, "{\"pre_tokenizer\":{\"type\":\"Whitespace\"},\"model\":{\"type\":\"BPE\",%s,\"vocab\":{\"a\":0},\"merges\":[]}}", member[i]);
        CHECK(open_pipeline(&t, &json)->pretokenizers == 1);
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
    }
}

int main(void)
{
    uint64_t random = 11;
    size_t cuts = 0;
    for (unsigned i = 0, rounds = test_rounds(300); i < rounds; i++)
        test_vocabulary(&random, &cuts);
    CHECKF(cuts > 1000 || !test_all_rounds(), "%zu cuts", cuts);
    test_others();
    return test_result();
}
