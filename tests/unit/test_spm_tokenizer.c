/* test_spm_tokenizer.c - SentencePiece models of all types with vocabularies made here: every setting against the slow
 * reference of spm_reference.h, the same through GGUF, streaming, special tokens, broken files. */
#include <config.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokenizers.h"
#include "token/spm/bpe.h"

#define BLOCK "\xE2\x96\x81" /* ▁ */

static const char *const alphabet[] = {"a", "b", "c", " ", " ", "  ", BLOCK, "\xC3\xA9", "\xE4\xB8\xAD",
                                       "\xF0\x9F\x98\x80", "ab",
                                       "\n", "<s>", "bab"};

static int through_gguf(bipe_tokenizer **back, const bipe_tokenizer *t, bool special, bipe_error *err)
{
    int status = write_gguf(t, scratch_path("test.gguf"), err);
    return status == BIPE_OK ? bipe_tokenizer_open(back, scratch_path("test.gguf"), special, err) : status;
}

static void check_tokens(const bipe_tokens *tokens, const spm_run *want, const char *what)
{
    size_t wrong = 0;
    for (size_t i = 0; i < tokens->count && i < want->tokens; i++)
        wrong += tokens->token[i].id != want->token[i].id || tokens->token[i].start != want->token[i].start ||
                 tokens->token[i].end != want->token[i].end;
    CHECKF(wrong == 0 && tokens->count == want->tokens, "%s: %zu tokens, want %zu, %zu differ", what, tokens->count,
           want->tokens, wrong);
}

/* Rules from one to three letters to as many, or to nothing. */
static void random_map(uint64_t *random, test_map *map)
{
    for (size_t wanted = 1 + test_random(random) % 8; wanted != 0; wanted--) {
        char text[2][MAP_TEXT] = {"", ""};
        for (int side = 0; side < 2; side++)
            for (size_t letters = side == 0 ? 1 + test_random(random) % 3 : test_random(random) % 4; letters != 0;
                 letters--)
                strcat(text[side], alphabet[test_random(random) % 12]);
        map_add(map, text[0], text[1]);
    }
}

/* Few scores, so that there are ties; a few pieces of each other type. */
static void random_model(uint64_t *random, spm_model *m)
{
    spm_begin(m, test_random(random) % 2);
    m->dummy_prefix = test_random(random) % 4 != 0;
    m->squeeze = test_random(random) % 2;
    m->escape = test_random(random) % 4 != 0;
    m->suffix = test_random(random) % 8 == 0;
    m->type = 1 + (int)(test_random(random) % 2);
    if (test_random(random) % 8 == 0)
        m->type = 4;
    if (test_random(random) % 2)
        random_map(random, &m->map);
    size_t wanted = m->count + 5 + test_random(random) % 60;
    for (int tries = 0; m->count < wanted && tries < 500; tries++) {
        char text[40] = "";
        size_t letters = 1 + test_random(random) % 3, size = 0;
        for (size_t i = 0; i < letters; i++) {
            /* Often a piece that is there already is made longer, so that merges are possible. */
            const char *part = test_random(random) % 3 != 0 && m->count > 4
                                   ? m->piece[m->count - 1 - test_random(random) % 2].text
                                   : alphabet[test_random(random) % 9];
            if (part[0] == '<' || size + strlen(part) > 12 || (part[0] == ' ' && m->escape))
                continue;
            strcpy(text + size, part);
            size += strlen(part);
        }
        unsigned kind = (unsigned)(test_random(random) % 12);
        int type = kind == 0 ? USER : kind == 1 ? UNUSED : kind == 2 ? CONTROL : NORMAL;
        if (type == CONTROL && spm_character(text, size) == size)
            type = NORMAL; /* the original cannot do with a control piece of one character */
        if (size != 0 && !spm_has(m, text))
            spm_add(m, text, (float)(test_random(random) % 7) / 2 - 2, type);
    }
}

static void test_random_models(void)
{
    static spm_model m;
    static spm_run want;
    uint64_t random = 11;
    size_t used = 0, ambiguous = 0, per_type[5] = {0};
    uint8_t text[120];
    bipe_tokens tokens = {0}, other = {0};
    for (int round = 0; round < test_rounds(800); round++) {
        bipe_tokenizer *t, *back = NULL;
        bipe_error err = {0};
        random_model(&random, &m);
        int status = spm_open(&t, &m, false, &err);
        if (status == BIPE_ERR_UNSUPPORTED && strstr(err.text, "in several ways") != NULL) {
            ambiguous++;
            continue;
        }
        CHECKF(status == BIPE_OK, "round %d: %s", round, err.text);
        if (status != BIPE_OK)
            continue;
        status = through_gguf(&back, t, false, &err);
        CHECKF(status == (m.type > 2 ? BIPE_ERR_UNSUPPORTED : BIPE_OK), "%s", err.text);
        per_type[m.type]++;
        used++;
        for (int k = 0; k < 20; k++) {
            size_t size = random_text(&random, alphabet, sizeof alphabet / sizeof *alphabet, k % 4 == 3, text,
                                      test_random(&random) % sizeof text);
            spm_encode(&want, &m, (const char *)text, size);
            check_cuts(t, text, size, &random, m.squeeze || m.map.count != 0, &tokens);
            char what[64];
            snprintf(what, sizeof what, "round %d, text %d", round, k);
            check_tokens(&tokens, &want, what);
            CHECK(m.type > 2 || (back != NULL && tokens_of(back, text, size, 0, NULL, &other, &err) == BIPE_OK &&
                                 same_tokens(&tokens, &other)));
        }
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(back);
    }
    CHECKF(!test_all_rounds() || (used > 500 && per_type[4] > 50),
           "%zu models used, %zu ambiguous", used, ambiguous);
    bipe_tokens_free(&tokens);
    bipe_tokens_free(&other);
}

/* The vocabulary of the tests below. */
static void small_model(spm_model *m, bool byte_fallback)
{
    spm_begin(m, byte_fallback);
    static const char *const pieces[] = {BLOCK "a", "ab", BLOCK "ab", "b", "a", BLOCK, "aa", "aaaa", BLOCK BLOCK};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        spm_add(m, pieces[i], -(float)i, NORMAL);
    spm_add(m, "<sep>", 0, USER);
}

static void check_text(const bipe_tokenizer *t, const char *text, size_t size, const char *want)
{
    bipe_tokens tokens = {0};
    bipe_buffer got = {0};
    bipe_error err = {0};
    uint64_t random = 12;
    check_cuts(t, text, size, &random, true, &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        CHECK(bipe_buffer_printf(&got, &err, "%s%u:%u-%u", i != 0 ? " " : "", (unsigned)tokens.token[i].id,
                                 (unsigned)tokens.token[i].start, (unsigned)tokens.token[i].end) == BIPE_OK);
    CHECK_TEXT(got.data != NULL ? (const char *)got.data : "", want);
    bipe_buffer_free(&got);
    bipe_tokens_free(&tokens);
}

#define TEXT(s) (s), sizeof(s) - 1

static void test_answers(void)
{
    static spm_model m;
    small_model(&m, false); /* 3 ▁a, 4 ab, 5 ▁ab, 6 b, 7 a, 8 ▁, 9 aa, 10 aaaa, 11 ▁▁, 12 <sep> */
    bipe_tokenizer *t = must_open_model(&m, false);
    CHECK_UINT(bipe_tokenizer_size(t), 13);
    CHECK(bipe_tokenizer_bos(t) == 1 && bipe_tokenizer_eos(t) == 2);
    check_text(t, TEXT(""), "");
    check_text(t, TEXT("ab"), "5:0-2");
    check_text(t, TEXT("bab"), "8:0-0 6:0-1 4:1-3");
    check_text(t, TEXT("aaaa"), "3:0-1 9:1-3 7:3-4"); /* the leftmost of equals first */
    check_text(t, TEXT(" "), "11:0-1");               /* the prefix stands for nothing */
    check_text(t, TEXT("b"), "8:0-0 6:0-1");
    check_text(t, TEXT("b<sep>ab"), "8:0-0 6:0-1 12:1-6 4:6-8"); /* no prefix after a user-defined symbol */
    check_text(t, TEXT("b\xC3\xA9\xFFz<s"), "8:0-0 6:0-1 0:1-7"); /* unknown characters in a row are one token */
    check_text(t, TEXT("b\xC3\xA9<sep>z"), "8:0-0 6:0-1 0:1-3 12:3-8 0:8-9");
    check_text(t, TEXT("b<s>"), "8:0-0 6:0-1 0:1-4");
    bipe_tokenizer_close(t);

    t = must_open_model(&m, true);
    check_text(t, TEXT("b<s>ab</s>"), "8:0-0 6:0-1 1:1-4 5:4-6 2:6-10"); /* a new text begins after a special token */
    check_text(t, TEXT("<s><s"), "1:0-3 8:3-3 0:3-5");
    check_text(t, TEXT("<unk>"), "0:0-5");
    bipe_tokenizer_close(t);

    m.type = 1;
    t = must_open_model(&m, true);
    check_text(t, TEXT("b<s>ab</s>"), "8:0-0 6:0-1 1:1-4 5:4-6 2:6-10");
    check_text(t, TEXT("<s>\xC3<s>\xA9" "ab"), "1:0-3 8:3-3 0:3-4 1:4-7 8:7-7 0:7-8 4:8-10");
    bipe_tokenizer_close(t);
    t = must_open_model(&m, false);
    check_text(t, TEXT("b<s>ab"), "8:0-0 6:0-1 0:1-4 4:4-6");
    bipe_tokenizer_close(t);
    m.type = 2;

    m.suffix = true;
    spm_add(&m, "b" BLOCK, 1, NORMAL); /* 13 */
    t = must_open_model(&m, true);
    check_text(t, TEXT("ab"), "7:0-1 13:1-2");
    check_text(t, TEXT("b<s>b "), "13:0-1 1:1-4 13:4-6 8:6-6");
    bipe_tokenizer_close(t);
    m.suffix = false;
    m.count--;

    m.squeeze = true;
    t = must_open_model(&m, false);
    check_text(t, TEXT("  a  b  "), "3:2-3 8:3-5 6:5-6");
    check_text(t, TEXT("   "), "");
    check_text(t, TEXT(BLOCK " " BLOCK), "");
    bipe_tokenizer_close(t);

    small_model(&m, true);
    t = must_open_model(&m, false);
    check_text(t, TEXT("b\xC3\xA9\xFF"), "264:0-0 262:0-1 198:1-2 172:2-3 258:3-4");
    bipe_tokenizer_close(t);
}

static void test_decode(void)
{
    static spm_model m;
    small_model(&m, true);
    bipe_tokenizer *t = must_open_model(&m, false);
    static const struct {
        uint32_t id;
        bool first;
        const char *text;
    } cases[] = {{259, false, " a"},   {259, true, "a"},     {267, true, " "},
                 {260, true, "ab"},    {1, false, ""},       {0, false, " \xE2\x81\x87 "},
                 {3 + 'x', true, "x"}, {3 + ' ', true, " "}, {268, false, "<sep>"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t four[4];
        const uint8_t *bytes;
        size_t size;
        bipe_error err = {0};
        CHECK(bipe_tokenizer_decode(t, cases[i].id, cases[i].first, four, &bytes, &size, &err) == BIPE_OK);
        CHECKF(size == strlen(cases[i].text) && memcmp(bytes, cases[i].text, size) == 0, "case %zu", i);
    }
    uint8_t four[4];
    const uint8_t *bytes;
    size_t size;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_decode(t, 269, false, four, &bytes, &size, &err) == BIPE_ERR_ARGUMENT);
    bipe_tokenizer_close(t);
}

/* What is left when nothing is merged. */
static void test_characters(void)
{
    static spm_model m;
    bipe_error err = {0};
    bipe_tokenizer *back = NULL;
    small_model(&m, false);
    m.type = BIPE_SPM_CHAR;
    bipe_tokenizer *t = must_open_model(&m, false);
    check_text(t, "ab xx<sep>", 10, "8:0-0 7:0-1 6:1-2 8:2-3 0:3-5 12:5-10");
    CHECK(through_gguf(&back, t, false, &err) == BIPE_ERR_UNSUPPORTED && back == NULL);
    bipe_tokenizer_close(t);
}

static void check_refused(const spm_model *m, int status, const char *text)
{
    bipe_tokenizer *t = NULL;
    bipe_error err = {0};
    char want[700];
    int got = spm_open(&t, m, false, &err);
    CHECKF(got == status, "%s: status %d", text, got);
    snprintf(want, sizeof want, "%s: %s", scratch_path("test.model"), text);
    CHECK_TEXT(err.text, want);
    bipe_tokenizer_close(t);
}

static void test_refused(void)
{
    static spm_model m;
    small_model(&m, false);
    m.type = 9;
    check_refused(&m, BIPE_ERR_FORMAT, "model type 9, expected 1 to 4");
    small_model(&m, false);
    m.type = BIPE_SPM_WORD;
    check_refused(&m, BIPE_ERR_UNSUPPORTED, "model type 3 (word), supported are Unigram (1), BPE (2) and char (4)");
    small_model(&m, false);
    spm_add(&m, "ab", 0, NORMAL);
    check_refused(&m, BIPE_ERR_FORMAT, "piece 13 (ab): the same text as piece 4");
    small_model(&m, false);
    m.byte_fallback = true;
    check_refused(&m, BIPE_ERR_FORMAT, "byte_fallback with 0 byte pieces, expected 256");
    small_model(&m, false);
    spm_add(&m, "<0x41>", 0, BYTE);
    check_refused(&m, BIPE_ERR_FORMAT, "piece 13 (<0x41>): a byte without byte_fallback");
    small_model(&m, true);
    m.piece[3].text[3] = 'G';
    check_refused(&m, BIPE_ERR_FORMAT, "piece 3 (<0xG0>): not a byte, expected <0x00> to <0xFF>");
    small_model(&m, false);
    m.piece[0].type = NORMAL;
    check_refused(&m, BIPE_ERR_FORMAT, "no unknown token among 13 pieces");
    small_model(&m, false);
    m.piece[5].type = UNKNOWN;
    check_refused(&m, BIPE_ERR_FORMAT, "piece 5: a second unknown token (the first is 0)");
    small_model(&m, false);
    spm_add(&m, "\xFF", 0, NORMAL);
    check_refused(&m, BIPE_ERR_FORMAT, "piece 13: not UTF-8");
    small_model(&m, false);
    spm_add(&m, "nan", NAN, NORMAL);
    check_refused(&m, BIPE_ERR_FORMAT, "piece 13 (nan): its score is not a number");
    small_model(&m, false);
    m.piece[10].type = UNUSED;
    spm_add(&m, "aaa", 0, NORMAL);
    check_refused(&m, BIPE_ERR_UNSUPPORTED,
                  "piece 10 (aaaa): an unused piece that can be made in several ways (how it is taken "
                  "apart depends on the whole text)");
}

static void test_broken_files(void)
{
    static spm_model m;
    small_model(&m, true);
    test_bytes file = spm_file(&m);
    check_damaged(bipe_sentencepiece_read, &file);
    free_bytes(&file);
}

static void test_memory(int type)
{
    static spm_model m;
    small_model(&m, false);
    m.type = type;
    m.piece[10].type = UNUSED;
    m.squeeze = true;
    spm_add(&m, "x\xC3\xA9", 0, NORMAL);
    test_bytes file = spm_file(&m);
    write_file(scratch_path("memory.model"), file.data, file.size);
    free_bytes(&file);
    int status = BIPE_ERR_MEMORY;
    long n = 0;
    for (; status == BIPE_ERR_MEMORY && n < 10000; n++) {
        bipe_tokenizer *t = NULL, *back = NULL;
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        status = bipe_tokenizer_open(&t, scratch_path("memory.model"), true, &err);
        if (status == BIPE_OK)
            status = tokens_of(t, "a aaaaaab <s> b<sep>x\xC3\xA9 z\xFF", 24, 5, NULL, &tokens, &err);
        if (status == BIPE_OK)
            status = decode_first(t, &tokens, &err);
        if (status == BIPE_OK && type <= BIPE_SPM_BPE)
            status = through_gguf(&back, t, true, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%s", err.text);
        bipe_tokens_free(&tokens);
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(back);
    }
    CHECKF(status == BIPE_OK && n > 40, "%ld allocations", n);
}

int main(void)
{
    test_answers();
    test_decode();
    test_characters();
    test_refused();
    test_broken_files();
    test_memory(BIPE_SPM_BPE);
    test_memory(BIPE_SPM_UNIGRAM);
    test_random_models();
    return test_result();
}
