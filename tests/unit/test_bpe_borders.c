/* test_bpe_borders.c - texts of models of merges cut at borders and looked up (unit_encoder.h) against the same model
 * without borders, which takes the text character by character: random models, texts with traps, any cuts; Llama 2's
 * with broken and mutated text. */
#include <config.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokenizers.h"
#include "token/spm/bpe.h"

#define BLOCK "\xE2\x96\x81" /* ▁ */

/* The plain twin. */
static bipe_tokenizer *open_plain(const char *path, bool special)
{
    bipe_tokenizer *t = must_open(path, special);
    if (t->kind == &bipe_pipeline_kind) {
        leave_whole(t);
        return t;
    }
    bipe_bpe *bpe = t->model;
    bipe_free(bpe->borders);
    bipe_free(bpe->safe_borders);
    bpe->borders = bpe->safe_borders = NULL;
    return t;
}

static void compare(const bipe_tokenizer *quick, const bipe_tokenizer *plain, const uint8_t *text, size_t size,
                    uint64_t *random, const char *what)
{
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    CHECKF(tokens_of(plain, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    static const size_t cuts[] = {0, 1, 7, 90, 400};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        CHECKF(tokens_of(quick, text, size, cuts[i], cuts[i] > 1 ? random : NULL, &got, &err) == BIPE_OK, "%s",
               err.text);
        CHECKF(same_tokens(&want, &got), "%s, cuts of %zu: %zu tokens, want %zu", what, cuts[i], got.count, want.count);
    }
    check_spans(quick, &want, size, quick->kind == &bipe_bpe_kind && ((const bipe_bpe *)quick->model)->has_rules);
    check_halves(quick, text, size, &want);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* Two halves, cut where the tokenizer says, each tokenized by itself. */
static size_t compare_halves(const bipe_tokenizer *t, const uint8_t *text, size_t size, uint64_t *random)
{
    size_t cut = bipe_tokenizer_cut(t, text, size != 0 ? test_random(random) % size : 0);
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    bipe_token_stream *s;
    if (cut == 0 || bipe_tokenizer_in_order(t))
        return 0;
    CHECK(tokens_of(t, text, size, 0, NULL, &want, &err) == BIPE_OK &&
          tokens_of(t, text, cut, 0, NULL, &got, &err) == BIPE_OK);
    CHECK(bipe_token_stream_open(&s, t, &err) == BIPE_OK && bipe_token_stream_begin_at(s, cut, &err) == BIPE_OK);
    CHECK(bipe_token_stream_feed(s, text + cut, size - cut, &got, &err) == BIPE_OK &&
          bipe_token_stream_end(s, &got, &err) == BIPE_OK);
    CHECK(same_tokens(&want, &got));
    bipe_token_stream_close(s);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
    return 1;
}

/* ---- random models ---- */

/* Characters that share their first or their last byte, so that borders of one cut others; control pieces and broken
 * bytes. */
static const char *const alphabet[] = {"a", "b", "c", ".", "\n", " ", " ", " a", " ab", "ab", "bab", BLOCK, "\xC3\xA9",
                                       "\xC3\xA1", "\xC2\xA1", "\xE4\xB8\xAD", "\xE4\xB9\xAD", "\xF0\x9F\x98\xAD",
                                       "<s>", "</s>", "<s", "\xE4\xB8", "\xE4", "\xAD", "\xFF", "z"};

enum { LETTERS = sizeof alphabet / sizeof *alphabet, TEXT = 3000 };

/* Rules from one to three letters to as many, or to nothing. */
static void random_map(uint64_t *random, test_map *map)
{
    static const char *const parts[] = {
        "a", "b", ".", " ", "\n", BLOCK, "\xC3\xA9", "\xC2\xA1", "\xE4\xB8\xAD", "\xF0\x9F\x98\xAD"};
    for (size_t wanted = 1 + test_random(random) % 6; wanted != 0; wanted--) {
        char text[2][MAP_TEXT] = {"", ""};
        for (int side = 0; side < 2; side++)
            for (size_t letters = side == 0 ? 1 + test_random(random) % 3 : test_random(random) % 4; letters != 0;
                 letters--)
                strcat(text[side], parts[test_random(random) % (sizeof parts / sizeof *parts)]);
        map_add(map, text[0], text[1]);
    }
}

static void random_model(uint64_t *random, spm_model *m)
{
    spm_begin(m, test_random(random) % 3 != 0);
    m->dummy_prefix = test_random(random) % 4 != 0;
    m->escape = test_random(random) % 4 != 0;
    m->squeeze = test_random(random) % 3 == 0;
    m->suffix = test_random(random) % 6 == 0;
    if (test_random(random) % 3 == 0)
        random_map(random, &m->map);
    size_t wanted = m->count + 3 + test_random(random) % 50;
    for (int tries = 0; m->count < wanted && tries < 500; tries++) {
        char text[40] = "";
        size_t size = 0;
        for (size_t parts = 1 + test_random(random) % 3; parts != 0; parts--) {
            const char *part = test_random(random) % 3 != 0 && m->count > 260
                                   ? m->piece[m->count - 1 - test_random(random) % 3].text
                                   : alphabet[test_random(random) % 18];
            if (part[0] == '<' || size + strlen(part) > 14 || (strchr(part, ' ') != NULL && m->escape))
                continue;
            strcpy(text + size, part);
            size += strlen(part);
        }
        unsigned kind = (unsigned)(test_random(random) % 24);
        int type = kind < 4 ? USER : kind == 4 ? UNUSED : NORMAL;
        if (size != 0 && !spm_has(m, text))
            spm_add(m, text, (float)(test_random(random) % 7) / 2 - 2, type);
    }
}

static void test_random_models(void)
{
    static spm_model m;
    static uint8_t text[TEXT + 10];
    uint64_t random = 21;
    size_t used = 0, halves = 0;
    for (int round = 0; round < test_rounds(300); round++) {
        random_model(&random, &m);
        const char *path = scratch_path("test.model");
        test_bytes file = spm_file(&m);
        write_file(path, file.data, file.size);
        free_bytes(&file);
        bool special = round % 3 == 0;
        bipe_tokenizer *quick;
        bipe_error err = {0};
        int status = bipe_tokenizer_open(&quick, path, special, &err);
        if (status == BIPE_ERR_UNSUPPORTED && strstr(err.text, "in several ways") != NULL)
            continue;
        CHECKF(status == BIPE_OK, "%s", err.text);
        if (status != BIPE_OK)
            continue;
        CHECK(((bipe_bpe *)quick->model)->borders != NULL || m.suffix);
        bipe_tokenizer *plain = open_plain(path, special);
        used++;
        for (int k = 0; k < 8; k++) {
            char what[64];
            snprintf(what, sizeof what, "round %d, text %d", round, k);
            size_t size = text_of_words(&random, alphabet, LETTERS, text, TEXT);
            compare(quick, plain, text, size, &random, what);
            halves += compare_halves(quick, text, size, &random);
        }
        bipe_tokenizer_close(quick);
        bipe_tokenizer_close(plain);
    }
    CHECKF(!test_all_rounds() || (used > 200 && halves > 20), "%zu models, %zu halves", used, halves);
}

/* ---- which pairs are borders ---- */

static void test_borders(void)
{
    static spm_model m;
    spm_begin(&m, true);
    spm_add(&m, "ab", 0, NORMAL);
    spm_add(&m, BLOCK "a", 0, NORMAL);
    spm_add(&m, "a\xE4\xB8\xAD", 0, NORMAL);
    m.dummy_prefix = true;
    const char *path = scratch_path("test.model");
    test_bytes file = spm_file(&m);
    write_file(path, file.data, file.size);
    free_bytes(&file);
    bipe_tokenizer *t = must_open(path, false);
    const bipe_borders *b = ((const bipe_bpe *)t->model)->borders;
    CHECK(!bipe_is_border(b, 'a', 'b') && bipe_is_border(b, 'b', 'a'));
    CHECK(!bipe_is_border(b, ' ', 'a') && bipe_is_border(b, ' ', 'b') && bipe_is_border(b, ' ', ' '));
    CHECK(!bipe_is_border(b, 0x81, 'a') && bipe_is_border(b, 0x82, 'a')); /* ▁ itself */
    CHECK(!bipe_is_border(b, 'a', 0xE4) && bipe_is_border(b, 'a', 0xE5) && bipe_is_border(b, 0xAD, 'a'));
    CHECK(!bipe_is_border(b, 0xE4, 0xB8) && !bipe_is_border(b, 'b', 0xB8)); /* within a character */
    bipe_tokenizer_close(t);

    /* Strings that are looked for: none within, what a space becomes among it. Squeezed spaces: none after it. */
    for (int squeeze = 0; squeeze < 2; squeeze++) {
        spm_begin(&m, true);
        m.squeeze = squeeze != 0;
        spm_add(&m, "1", 0, USER);
        spm_add(&m, "xy" BLOCK "z", 0, USER);
        file = spm_file(&m);
        write_file(path, file.data, file.size);
        free_bytes(&file);
        t = must_open(path, false);
        b = ((const bipe_bpe *)t->model)->borders;
        CHECK(!bipe_is_border(b, 'x', 'y') && bipe_is_border(b, 'y', 'x') && bipe_is_border(b, '1', '1') &&
              bipe_is_border(b, 'x', '1'));
        CHECK(!bipe_is_border(b, 'y', ' ') && !bipe_is_border(b, 'y', 0xE2) && !bipe_is_border(b, 0x81, 'z'));
        CHECK(!bipe_is_border(b, ' ', 'z') && bipe_is_border(b, ' ', 'y') == (squeeze == 0) &&
              bipe_is_border(b, 'y', 'z'));
        bipe_tokenizer_close(t);
    }
}

/* Every allocation fails once. */
static void test_memory(void)
{
    static spm_model m;
    spm_begin(&m, true);
    spm_add(&m, "ab", 0, NORMAL);
    spm_add(&m, BLOCK "ab", 1, NORMAL);
    m.squeeze = true;
    map_add(&m.map, "\n", " ");
    const char *path = scratch_path("test.model");
    test_bytes file = spm_file(&m);
    write_file(path, file.data, file.size);
    free_bytes(&file);
    static const char text[] =
        "ab abab  \n abc aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab ab ab ab";
    bipe_tokens tokens = {0};
    int status = BIPE_ERR_MEMORY;
    for (long n = 0; status == BIPE_ERR_MEMORY; n++) {
        bipe_tokenizer *t = NULL;
        bipe_error err = {0};
        bipe_tokens_free(&tokens);
        bipe_alloc_fail_at(n);
        status = bipe_tokenizer_open(&t, path, false, &err);
        if (status == BIPE_OK)
            status = tokens_of(t, text, sizeof text - 1, 30, NULL, &tokens, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || (status == BIPE_ERR_MEMORY && err.text[0] != '\0'), "%d: %s", status, err.text);
        bipe_tokenizer_close(t);
    }
    CHECK(status == BIPE_OK && tokens.count != 0);
    bipe_tokens_free(&tokens);
}

/* ---- Llama 2 ---- */

static uint8_t *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *text = malloc(1 << 20);
    *size = file != NULL ? fread(text, 1, 1 << 20, file) : 0;
    CHECK(*size != 0);
    if (file != NULL)
        fclose(file);
    return text;
}

static void test_llama(const char *folder, const char *name, bool special)
{
    char path[1000];
    size_t size;
    uint64_t random = 22;
    snprintf(path, sizeof path, "%s/tokenizers/%s", folder, name);
    bipe_tokenizer *quick = must_open(path, special), *plain = open_plain(path, special);
    snprintf(path, sizeof path, "%s/texts/excerpt.txt", folder);
    uint8_t *text = read_text(path, &size);
    size = size < 60000 ? size : 60000;
    compare(quick, plain, text, size, &random, name);
    static const char *const traps[] = {"\r\n", "    ", "                                                  ", "\0",
                                        "<s>", "</s>", BLOCK, " " BLOCK " ",
                                        "\xE2\x96", "\xE4\xB8\xAD\xE5\x9B\xBD", "\xD0\x9F\xD1\x80\xD0\xB8",
                                        "\xF0\x9F\x98\x80", "\xFF\xFE", "\t\t\t",
                                        "==================================================================", "12345",
                                        "\xC2\xA0", "\xEF\xBB\xBF", "\xE2\x80\x8B", "---", "://", "\\n"};
    for (int round = 0; round < test_rounds(12); round++) {
        size_t n = size / 4;
        uint8_t *changed = malloc(n + 8000);
        size_t at = 0, from = test_random(&random) % (size - n);
        for (size_t i = 0; i < n; i++) {
            changed[at++] = text[from + i];
            if (test_random(&random) % 40 == 0 && at < n + 7000) {
                size_t k = test_random(&random) % (sizeof traps / sizeof *traps),
                       length = k == 3 ? 1 : strlen(traps[k]);
                memcpy(changed + at, traps[k], length);
                at += length;
            }
            if (test_random(&random) % 200 == 0)
                changed[at - 1] = (uint8_t)test_random(&random);
        }
        compare(quick, plain, changed, at, &random, name);
        free(changed);
    }
    free(text);
    bipe_tokenizer_close(quick);
    bipe_tokenizer_close(plain);
}

int main(void)
{
    test_borders();
    test_memory();
    test_random_models();
    const char *folder = test_shared();
    if (folder != NULL) {
        test_llama(folder, "llama2.model", false);
        test_llama(folder, "llama2.model", true);
        test_llama(folder, "llama2.tokenizer.json", false);
        test_llama(folder, "llama2.tokenizer.json", true);
    }
    return test_result();
}
