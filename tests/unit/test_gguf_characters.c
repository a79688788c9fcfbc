/* test_gguf_characters.c - GGUF vocabularies that merge characters (gemma4 and its like), against a naive second
 * implementation of what llama.cpp does with them, on random texts cut anywhere; what is wrong with such files; that
 * they can be written and read again. tests/peers/llama-cpp compares real ones with llama.cpp. */
#define _XOPEN_SOURCE 700
#include <config.h>

#include "format/gguf.h"
#include "tests/scratch.h"
#include "tests/tokenizers.h"
#include "token/kind.h"

#define MARK "\xE2\x96\x81"

enum { NORMAL = 1, CONTROL = 3, USER = 4, BYTE = 6, BOS = 0, EOS = 1, SEP = 2, FIRST_BYTE = 3, MOST = 300 };

static const char *const strings[] = {"<bos>",        "<eos>",    "<sep>",  MARK,  "a",      "b",       "c",
                                      "\n",           "\303\251", "A",      "ab",  MARK "a", MARK "ab", MARK MARK,
                                      MARK MARK MARK, "\n\n",     "\n\n\n", "abc", "\t",     "bc",      "\346\274\242",
                                      "\346\274\242a"};
/* Which of them, in the order of their ranks. */
static const char *const merges[][2] = {{MARK MARK, MARK}, {MARK, MARK MARK}, {"\n\n", "\n"}, {"\n", "\n\n"},
                                        {MARK, MARK}, {"\n", "\n"},
                                        {"b", "c"}, {"a", "b"}, {MARK, "a"}, {MARK, "ab"}, {MARK "a", "b"}, {"ab", "c"},
                                        {"a", "bc"},
                                        {"\346\274\242", "a"}};
enum { STRINGS = sizeof strings / sizeof *strings, MERGES = sizeof merges / sizeof *merges };

/* ---- files ---- */

typedef struct file {
    const char *model, *pre;
    bool bytes, lower;
    const char *extra; /* a token of its own, at the end */
    const char *merge; /* likewise */
    int type;          /* of the tokens, 0: those that they have; -1: too few */
    int add_bos;       /* -1: no such key */
} file;

static void write_gguf_file(const file *f, const char *path)
{
    static char names[256][8];
    static bipe_gguf_string text[MOST], pair[MERGES + 1];
    static char joined[MERGES][32];
    int32_t type[MOST];
    size_t count = 0;
    bipe_error err = {0};
    bipe_gguf_writer *w;
    for (size_t i = 0; i < STRINGS; i++) {
        type[count] = i < SEP ? CONTROL : i == SEP ? USER : NORMAL;
        text[count++] = (bipe_gguf_string){strings[i], strlen(strings[i])};
        for (int b = 0; i == SEP && f->bytes && b < 256; b++) {
            snprintf(names[b], sizeof names[b], "<0x%02X>", (unsigned)b);
            type[count] = BYTE;
            text[count++] = (bipe_gguf_string){names[b], 6};
        }
    }
    if (f->extra != NULL) {
        type[count] = NORMAL;
        text[count++] = (bipe_gguf_string){f->extra, strlen(f->extra)};
    }
    for (size_t i = 0; i < count && f->type > 0; i++)
        type[i] = f->type;
    for (size_t i = 0; i < MERGES; i++) {
        int n = snprintf(joined[i], sizeof joined[i], "%s %s", merges[i][0], merges[i][1]);
        pair[i] = (bipe_gguf_string){joined[i], (size_t)n};
    }
    if (f->merge != NULL)
        pair[MERGES] = (bipe_gguf_string){f->merge, strlen(f->merge)};
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    bipe_gguf_set_string(w, "tokenizer.ggml.model", f->model, strlen(f->model));
    if (f->pre != NULL)
        bipe_gguf_set_string(w, "tokenizer.ggml.pre", f->pre, strlen(f->pre));
    bipe_gguf_set_strings(w, "tokenizer.ggml.tokens", text, count);
    bipe_gguf_set_i32s(w, "tokenizer.ggml.token_type", type, f->type < 0 ? count - 1 : count);
    bipe_gguf_set_strings(w, "tokenizer.ggml.merges", pair, MERGES + (f->merge != NULL));
    bipe_gguf_set_u32(w, "tokenizer.ggml.bos_token_id", BOS);
    bipe_gguf_set_u32(w, "tokenizer.ggml.eos_token_id", EOS);
    bipe_gguf_set_bool(w, "tokenizer.ggml.normalizer.lowercase", f->lower);
    if (f->add_bos >= 0)
        bipe_gguf_set_bool(w, "tokenizer.ggml.add_bos_token", f->add_bos != 0);
    CHECKF(bipe_gguf_write(w, path, &err) == BIPE_OK, "%s", err.text);
    bipe_gguf_writer_close(w);
}

/* ---- the naive twin ---- */

typedef struct piece {
    uint8_t text[64];
    size_t size, start, end;
} piece;

static int find_string(const uint8_t *text, size_t size, bool bytes)
{
    for (int i = 0; i < STRINGS; i++)
        if (strlen(strings[i]) == size && memcmp(strings[i], text, size) == 0)
            return i > SEP && bytes ? i + 256 : i;
    return -1;
}

static int rank_of(const piece *a, const piece *b)
{
    for (int i = 0; i < MERGES; i++)
        if (strlen(merges[i][0]) == a->size && strlen(merges[i][1]) == b->size &&
            memcmp(merges[i][0], a->text, a->size) == 0 && memcmp(merges[i][1], b->text, b->size) == 0)
            return i;
    return MERGES;
}

static void merge(piece *p, size_t *count)
{
    for (;;) {
        size_t best = 0;
        int rank = MERGES;
        for (size_t i = 0; i + 1 < *count; i++)
            if (rank_of(&p[i], &p[i + 1]) < rank)
                rank = rank_of(&p[best = i], &p[i + 1]);
        if (rank == MERGES)
            return;
        memcpy(p[best].text + p[best].size, p[best + 1].text, p[best + 1].size);
        p[best].size += p[best + 1].size;
        p[best].end = p[best + 1].end;
        --*count;
        memmove(&p[best + 1], &p[best + 2], (*count - best - 1) * sizeof *p);
    }
}

static void put_pieces(const file *f, piece *p, size_t count, bipe_tokens *tokens)
{
    bipe_error err = {0};
    merge(p, &count);
    for (size_t i = 0; i < count; i++) {
        int id = find_string(p[i].text, p[i].size, f->bytes);
        if (id >= 0)
            CHECK(bipe_tokens_add(tokens, p[i].start, p[i].end, (uint32_t)id, &err) == BIPE_OK);
        for (size_t k = 0; id < 0 && f->bytes && k < p[i].size; k++)
            CHECK(bipe_tokens_add(tokens, p[i].start + k, p[i].start + k + 1, (uint32_t)(FIRST_BYTE + p[i].text[k]),
                                  &err) == BIPE_OK);
    }
}

/* Whether a piece ends in front of a character. */
static bool is_apart(bool marks, uint8_t before, uint8_t c)
{
    bool space = c == ' ' || c == '\n' || c == '\t', before_space = before == ' ' || before == '\n' || before == '\t';
    return marks ? (c == '\n') != (before == '\n') : space != before_space;
}

static void naive(const file *f, bool marks, bool apart, const uint8_t *text, size_t size, bipe_tokens *tokens)
{
    static piece p[200];
    size_t count = 0, n;
    for (size_t i = 0; i < size; i += n) {
        n = text[i] < 0x80 ? 1 : text[i] < 0xE0 ? 2 : text[i] < 0xF0 ? 3 : 4;
        if (i != 0 && is_apart(marks, text[i - 1], text[i])) {
            put_pieces(f, p, count, tokens);
            count = 0;
        }
        if (apart && strchr(" \n\t", text[i]) != NULL)
            continue;
        piece *to = &p[count++];
        *to = (piece){.size = n, .start = i, .end = i + n};
        memcpy(to->text, text + i, n);
        if (marks && text[i] == ' ') {
            memcpy(to->text, MARK, 3);
            to->size = 3;
        }
        if (f->lower && apart && text[i] >= 'A' && text[i] <= 'Z')
            to->text[0] |= 0x20;
    }
    put_pieces(f, p, count, tokens);
}

/* ---- */

static const char *const parts[] = {"a", "b", "c", "ab", "abc", " ", " ", "  ", "\n", "\n", "\n\n", "\t", "A",
                                    "\303\251", "\303\237", "\346\274\242",
                                    "\360\237\230\200", "x", "bc", "a\n", "<0x41>", "B"};

static void check_kind(const file *f, bool marks, bool apart, uint64_t *random)
{
    const char *path = scratch_path("kind.gguf"), *again_path = scratch_path("again.gguf");
    bipe_error err = {0};
    write_gguf_file(f, path);
    bipe_tokenizer *t = must_open(path, false);
    CHECKF(write_gguf(t, again_path, &err) == BIPE_OK, "%s", err.text);
    bipe_tokenizer *again = must_open(again_path, false);
    CHECK(bipe_tokenizer_size(again) == bipe_tokenizer_size(t) && bipe_tokenizer_bos(again) == bipe_tokenizer_bos(t) &&
          bipe_tokenizer_eos(t) == EOS);
    for (int round = 0; round < test_rounds(150); round++) {
        uint8_t text[80];
        size_t size = random_text(random, parts, sizeof parts / sizeof *parts, false, text,
                                  1 + test_random(random) % sizeof text);
        bipe_tokens want = {0}, got = {0};
        while (size != 0 && (text[size - 1] & 0x80) != 0) /* what may be cut short */
            size--;
        naive(f, marks, apart, text, size, &want);
        check_cuts(t, text, size, random, apart || !f->bytes, &got);
        bool same = want.count == got.count;
        for (size_t i = 0; same && i < want.count; i++)
            same = want.token[i].id == got.token[i].id &&
                   (!f->bytes || (want.token[i].start == got.token[i].start && want.token[i].end == got.token[i].end));
        CHECKF(same, "%s, %s: \"%.*s\": %zu and %zu tokens", f->model, f->pre, (int)size, (const char *)text,
               want.count, got.count);
        CHECK(tokens_of(again, text, size, 0, NULL, &want, &err) == BIPE_OK && same_tokens(&want, &got));
        bipe_tokens_free(&want);
        bipe_tokens_free(&got);
    }
    bipe_tokenizer_close(again);
    bipe_tokenizer_close(t);
}

static void test_kinds(void)
{
    static const struct {
        const char *model, *pre;
        bool marks, apart;
    } kinds[] = {
        {"gemma4", NULL, true, false},        {"gemma4", "default", true, false}, {"gpt2", "gemma4", true, false},
        {"gpt2", "granite-embed-multi-311m", true, false}, {"gpt2", "sarvam-moe", true, false},
        {"gpt2", "whitespace", false, false}, {"whitespace", "whitespace", false, true},
    };
    uint64_t random = 77;
    for (size_t i = 0; i < 4 * (sizeof kinds / sizeof *kinds); i += (size_t)test_stride(3)) {
        file f = {.model = kinds[i / 4].model, .pre = kinds[i / 4].pre, .bytes = i % 2 != 0, .lower = i / 2 % 2 != 0,
                  .add_bos = -1};
        check_kind(&f, kinds[i / 4].marks, kinds[i / 4].apart, &random);
    }
}

static void test_bos(void)
{
    static const struct {
        const char *pre;
        int add_bos;
        int64_t bos;
    } cases[] = {{"gemma4", -1, BOS}, {"gemma4", 0, BOS}, {"granite-embed-multi-311m", 0, BOS},
                 {"sarvam-moe", -1, BIPE_NO_TOKEN},
                 {"sarvam-moe", 1, BOS}, {"whitespace", -1, BIPE_NO_TOKEN}, {"whitespace", 1, BOS}};
    const char *path = scratch_path("bos.gguf");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_gguf_file(&(file){.model = "gpt2", .pre = cases[i].pre, .bytes = true, .add_bos = cases[i].add_bos},
                        path);
        bipe_tokenizer *t = must_open(path, false);
        CHECKF(bipe_tokenizer_bos(t) == cases[i].bos, "%s, %d", cases[i].pre, cases[i].add_bos);
        bipe_tokenizer_close(t);
    }
}

/* Control tokens are text unless asked for, user-defined ones are not. A character is decoded as the text that it
 * stands for. */
static void test_specials(void)
{
    static const uint32_t want[2][5] = {{FIRST_BYTE + '<', 5 + 256, SEP}, {BOS, 12 + 256, SEP, 4 + 256}};
    const char *path = scratch_path("special.gguf");
    write_gguf_file(&(file){.model = "gemma4", .bytes = true, .add_bos = -1}, path);
    for (int special = 0; special < 2; special++) {
        bipe_tokenizer *t = must_open(path, special != 0);
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_buffer back = {0};
        CHECK(tokens_of(t, "<bos> ab<sep>a", 14, 0, NULL, &tokens, &err) == BIPE_OK);
        if (special)
            CHECK(tokens.count == 4 && tokens.token[0].id == want[1][0] && tokens.token[1].id == want[1][1] &&
                  tokens.token[2].id == want[1][2] && tokens.token[3].id == want[1][3]);
        else
            CHECK(tokens.count == 8 && tokens.token[0].id == want[0][0] && tokens.token[1].id == want[0][1] &&
                  tokens.token[6].id == want[0][2]);
        CHECK(tokens_of(t, " ab\n\nc  a\303\237", 11, 0, NULL, &tokens, &err) == BIPE_OK);
        decode_tokens(t, &tokens, &back);
        CHECK(back.size == 11 && memcmp(back.data, " ab\n\nc  a\303\237", 11) == 0);
        bipe_buffer_free(&back);
        bipe_tokens_free(&tokens);
        bipe_tokenizer_close(t);
    }
}

static void test_refused(void)
{
    static const struct {
        file file;
        int status;
        const char *text;
    } cases[] = {
        {{.model = "gpt2", .pre = "gemma5"}, BIPE_ERR_UNSUPPORTED, "tokenizer.ggml.pre: \"gemma5\" is not known"},
        {{.model = "whitespace"}, BIPE_ERR_UNSUPPORTED,
         "tokenizer.ggml.pre: \"default\" is not known of this tokenizer.ggml.model"},
        {{.model = "whitespace", .pre = "gemma4"}, BIPE_ERR_UNSUPPORTED,
         "tokenizer.ggml.pre: \"gemma4\" is not known of this tokenizer.ggml.model"},
        {{.model = "gemma4", .type = 7}, BIPE_ERR_FORMAT, "token 0: type 7, expected 1 to 6"},
        {{.model = "gemma4", .type = -1}, BIPE_ERR_FORMAT, "22 tokens and 21 token types, expected as many of each"},
        {{.model = "gemma4", .extra = "x\377"}, BIPE_ERR_FORMAT, "token 22: is not UTF-8"},
        {{.model = "gemma4", .merge = "a"}, BIPE_ERR_FORMAT, "tokenizer.ggml.merges: 14: expected two strings"},
        {{.model = "gemma4", .merge = "a "}, BIPE_ERR_FORMAT, "tokenizer.ggml.merges: 14: expected two strings"},
        {{.model = "gemma4", .merge = "a \377"}, BIPE_ERR_FORMAT, "tokenizer.ggml.merges: 14: expected two strings"},
        {{.model = "gemma4", .merge = "a zz"}, BIPE_ERR_FORMAT,
         "model: merges: 14: \"a\" and \"zz\": they or what they make are not in the vocabulary"},
    };
    const char *path = scratch_path("refused.gguf");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer *t;
        bipe_error err = {0};
        char want[700];
        write_gguf_file(&cases[i].file, path);
        snprintf(want, sizeof want, "%s: %s", path, cases[i].text);
        CHECK(bipe_tokenizer_open(&t, path, false, &err) == cases[i].status && t == NULL);
        CHECK_TEXT(err.text, want);
    }
}

int main(void)
{
    test_kinds();
    test_bos();
    test_specials();
    test_refused();
    return test_result();
}
