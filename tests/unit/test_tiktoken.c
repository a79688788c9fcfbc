/* test_tiktoken.c - tiktoken's files: one of r50k_base's size made here, its ids against a slow implementation; what is refused. */
#include "tests/tokens.h"
#include "token/bpe_patterns.h"
#include "token/kind.h"
#include "token/tiktoken_encodings.h"

enum { RANKS = 50256, LONGEST = 12 };

typedef struct string {
    uint8_t size, text[LONGEST];
    uint32_t rank;
} string;

static string by_rank[RANKS], sorted[RANKS];

static int compare(const void *a, const void *b)
{
    const string *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : x->size - y->size;
}

/* The rank of bytes, or -1. */
static long rank_of(const uint8_t *text, size_t size)
{
    string key = {.size = (uint8_t)size};
    if (size > LONGEST)
        return -1;
    memcpy(key.text, text, size);
    const string *found = bsearch(&key, sorted, RANKS, sizeof key, compare);
    return found != NULL ? (long)found->rank : -1;
}

/* Bytes first, then every string of up to some letters of "abcdef" and those with a space before, in a random order. */
static void make_strings(uint64_t *random)
{
    size_t count = 0;
    for (int b = 0; b < 256; b++, count++)
        by_rank[count] = (string){.size = 1, .text = {(uint8_t)b}};
    for (uint8_t size = 2; size <= LONGEST && count < RANKS; size++) {
        size_t all = 1;
        for (uint8_t i = 0; i < size; i++)
            all *= 6;
        for (size_t number = 0; number < all && count < RANKS; number++) {
            string s = {.size = size};
            for (size_t i = 0, rest = number; i < size; i++, rest /= 6)
                s.text[i] = (uint8_t)(i == 0 && number % 5 == 4 ? ' ' : 'a' + rest % 6);
            /* With a space the first letter is lost: only one of those that look the same. */
            if (s.text[0] == ' ' && number % 6 != 0)
                continue;
            if (test_random(random) % 4 != 0)
                by_rank[count++] = s;
        }
    }
    CHECK_UINT(count, RANKS);
    for (size_t i = RANKS - 1; i > 256; i--) {
        size_t k = 256 + test_random(random) % (i - 255);
        string swap = by_rank[i];
        by_rank[i] = by_rank[k];
        by_rank[k] = swap;
    }
    by_rank[RANKS - 1] = (string){.size = 6, .text = " gazed"}; /* what r50k_base is known by */
    for (size_t i = 0; i < RANKS; i++)
        by_rank[i].rank = (uint32_t)i;
    memcpy(sorted, by_rank, sizeof sorted);
    qsort(sorted, RANKS, sizeof *sorted, compare);
    size_t twice = 0;
    for (size_t i = 1; i < RANKS; i++)
        twice += compare(&sorted[i - 1], &sorted[i]) == 0;
    CHECK_UINT(twice, 0);
}

static void add_base64(bipe_buffer *out, const uint8_t *text, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)text[i] << 16 | (i + 1 < size ? (uint32_t)text[i + 1] << 8 : 0) | (i + 2 < size ? text[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], i + 1 < size ? digits[three >> 6 & 63] : '=',
                        i + 2 < size ? digits[three & 63] : '='};
        bipe_buffer_append(out, four, 4, NULL);
    }
}

/* A piece: itself, or bytes of which the leftmost pair with the lowest rank is joined until there is none. */
static size_t slow_piece(const uint8_t *text, size_t size, uint32_t *ids)
{
    size_t end[512], n = size;
    if (rank_of(text, size) >= 0) {
        ids[0] = (uint32_t)rank_of(text, size);
        return 1;
    }
    for (size_t i = 0; i < size; i++)
        end[i] = i + 1;
    for (;;) {
        long best = -1;
        size_t place = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            size_t start = i != 0 ? end[i - 1] : 0;
            long rank = rank_of(text + start, end[i + 1] - start);
            if (rank >= 0 && (best < 0 || rank < best)) {
                best = rank;
                place = i;
            }
        }
        if (best < 0)
            break;
        memmove(end + place, end + place + 1, (n - place - 1) * sizeof *end);
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        size_t start = i != 0 ? end[i - 1] : 0;
        ids[i] = (uint32_t)rank_of(text + start, end[i] - start);
    }
    return n;
}

static void test_ids(const bipe_tokenizer *t, uint64_t *random)
{
    static uint32_t want[1000];
    bipe_tokens tokens = {0};
    for (int round = 0; round < test_rounds(100); round++) {
        uint8_t text[400];
        size_t size = 1 + test_random(random) % sizeof text, count = 0;
        for (size_t i = 0; i < size; i++) /* words of letters, single spaces between them */
            text[i] = i != 0 && i + 1 < size && text[i - 1] != ' ' && test_random(random) % 9 == 0 ? ' ' : (uint8_t)('a' + test_random(random) % 6);
        for (size_t at = 0; at < size;) {
            size_t end = at + 1;
            while (end < size && text[end] != ' ')
                end++;
            count += slow_piece(text + at, end - at, want + count);
            at = end;
        }
        check_cuts(t, text, size, random, false, &tokens);
        size_t wrong = tokens.count != count;
        for (size_t i = 0; wrong == 0 && i < count; i++)
            wrong += tokens.token[i].id != want[i];
        CHECKF(wrong == 0, "\"%.*s\"", (int)size, (const char *)text);
    }
    bipe_tokens_free(&tokens);
}

static void test_special(const bipe_buffer *file)
{
    for (int special = 0; special < 2; special++) {
        bipe_tokenizer t = {.special = special != 0, .bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        CHECK(bipe_tiktoken_read(&t, file->data, file->size, &err) == BIPE_OK);
        CHECK(tokens_of(&t, "a<|endoftext|>", 14, 0, NULL, &tokens, &err) == BIPE_OK);
        CHECK((tokens.count == 2 && tokens.token[1].id == 50256) == (special != 0));
        t.kind->close(t.model);
        bipe_tokens_free(&tokens);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *error;
        int status;
    } cases[] = {
        {"YQ== 0\nYg== 1\n",
         "a tiktoken file with 2 ranks: how it splits a text is not in it, and it is none of r50k_base, p50k_base, cl100k_base, o200k_base, "
         "Llama 3, Llama 4, Qwen, Kimi K2, expected a tokenizer.json of the same model", BIPE_ERR_UNSUPPORTED},
        {"YQ== 0\nYg== x\n", "line 2: expected base64, a space and a rank below 16777216", BIPE_ERR_FORMAT},
        {"YQ== 0\nYg== 0\n", "line 2: the rank 0 comes twice", BIPE_ERR_FORMAT},
        {"YQ== 16000000\n", "1 ranks up to 16000000", BIPE_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer t = {.bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
        bipe_error err = {0};
        CHECK(bipe_tiktoken_read(&t, (const uint8_t *)cases[i].text, strlen(cases[i].text), &err) == (int)cases[i].status);
        CHECK_TEXT(err.text, cases[i].error);
        CHECK(bipe_tiktoken_recognise((const uint8_t *)cases[i].text, strlen(cases[i].text)));
    }
    CHECK(!bipe_tiktoken_recognise((const uint8_t *)"{\"a\": 1}", 8));
    CHECK(!bipe_tiktoken_recognise((const uint8_t *)"\n\016\n\005<unk>", 9));
}

/* All that is known, and the names of special tokens. */
static void test_encodings(void)
{
    static const struct {
        size_t ranks, largest;
        const char *last;
        uint32_t id;
        const char *special;
    } cases[] = {
        {50256, 50255, "IGdhemVk", 50256, "<|endoftext|>"},   {50280, 50280, "ICAgICAgICAgICAgICAgICAgICAgICAgIA==", 50256, "<|endoftext|>"},
        {100256, 100255, "IENvbnZleW9y", 100276, "<|endofprompt|>"}, {199998, 199997, "IGNvY29z", 200018, "<|endofprompt|>"},
        {128000, 127999, "6ZSm", 128009, "<|eot_id|>"},       {200000, 199999, "KGdl", 200092, "<|patch|>"},
        {151643, 151642, "4r2X", 151850, "<|extra_204|>"},    {151643, 151642, "4r2X", 151646, "<|extra_0|>"},
        {151643, 151642, "4r2X", 151645, "<|im_end|>"},       {163584, 163583, "6Ieq5Li75oCn", 163839, "[PAD]"},
        {163584, 163583, "6Ieq5Li75oCn", 163600, ""},
    };
    char room[BIPE_ENCODING_NAME];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *last = (const uint8_t *)cases[i].last;
        const bipe_encoding *e = bipe_encoding_find(cases[i].ranks, cases[i].largest, last, strlen(cases[i].last));
        CHECKF(e != NULL, "%zu", cases[i].ranks);
        if (e == NULL)
            continue;
        CHECK_TEXT(bipe_encoding_special(e, cases[i].id, room), cases[i].special);
        CHECK(bipe_bpe_pattern_known(e->pattern[0]) != NULL && e->pattern[1] == NULL);
        CHECK_TEXT(bipe_encoding_special(e, e->size, room), "");
        for (size_t k = 0; k < BIPE_ENCODING_SPECIALS && e->special[k].text != NULL; k++)
            CHECK(e->special[k].id < e->size && strlen(e->special[k].text) < BIPE_ENCODING_NAME);
        CHECK(bipe_encoding_find(cases[i].ranks, cases[i].largest, last, strlen(cases[i].last) - 4) == NULL);
        CHECK(bipe_encoding_find(cases[i].ranks - 1, cases[i].largest, last, strlen(cases[i].last)) == NULL);
    }
}

int main(void)
{
    uint64_t random = 20260102;
    bipe_buffer file = {0};
    bipe_error err = {0};
    bipe_tokenizer t = {.bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
    make_strings(&random);
    for (size_t i = 0; i < RANKS; i++) {
        add_base64(&file, by_rank[i].text, by_rank[i].size);
        bipe_buffer_printf(&file, NULL, " %zu\n", i);
    }
    int status = bipe_tiktoken_read(&t, file.data, file.size, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status == BIPE_OK) {
        CHECK_UINT(t.size, 50257);
        CHECK(t.eos == 50256 && t.bos == BIPE_NO_TOKEN);
        test_ids(&t, &random);
        t.kind->close(t.model);
        test_special(&file);
    }
    test_refused();
    file.data[file.size - 8] ^= 1; /* another last one: another file with as many ranks */
    CHECK(bipe_tiktoken_read(&t, file.data, file.size, &err) == BIPE_ERR_UNSUPPORTED);
    test_encodings();
    bipe_buffer_free(&file);
    return test_result();
}
