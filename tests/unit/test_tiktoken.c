/* test_tiktoken.c - tiktoken's files, and a tekken.json: of r50k_base's size, made here, their ids against a slow
 * implementation; what is refused. */
#define _XOPEN_SOURCE 700
#include "tests/scratch.h"
#include "tests/tokenizers.h"
#include "token/files/tiktoken_file.h"
#include "token/pretoken/pretoken_patterns.h"

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
        uint32_t three = (uint32_t)text[i] << 16 | (i + 1 < size ? (uint32_t)text[i + 1] << 8 : 0) |
                         (i + 2 < size ? text[i + 2] : 0);
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

/* first: the id of rank 0. */
static void test_ids(const bipe_tokenizer *t, uint32_t first, uint64_t *random)
{
    static uint32_t want[1000];
    bipe_tokens tokens = {0};
    for (int round = 0; round < test_rounds(100); round++) {
        uint8_t text[400];
        size_t size = 1 + test_random(random) % sizeof text, count = 0;
        for (size_t i = 0; i < size; i++) /* words of letters, single spaces between them */
            text[i] = i != 0 && i + 1 < size && text[i - 1] != ' ' && test_random(random) % 9 == 0
                          ? ' '
                          : (uint8_t)('a' + test_random(random) % 6);
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
            wrong += tokens.token[i].id != first + want[i];
        CHECKF(wrong == 0, "\"%.*s\"", (int)size, (const char *)text);
    }
    bipe_tokens_free(&tokens);
}

static void test_special(const bipe_buffer *file)
{
    for (int special = 0; special < 2; special++) {
        bipe_tokenizer t = no_tokenizer(special != 0);
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        CHECK(bipe_tiktoken_read(&t, file->data, file->size, &err) == BIPE_OK);
        CHECK(tokens_of(&t, "a<|endoftext|>", 14, 0, NULL, &tokens, &err) == BIPE_OK);
        CHECK((tokens.count == 2 && tokens.token[1].id == 50256) == (special != 0));
        bipe_tokenizer_clear(&t);
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
         "a tiktoken file with 2 ranks: how it splits a text is not in it, and it is none of r50k_base, p50k_base, "
         "cl100k_base, o200k_base, "
         "Llama 3, Llama 4, Qwen, Kimi K2, expected a tokenizer.json of the same model",
         BIPE_ERR_UNSUPPORTED},
        {"YQ== 0\nYg== x\n", "line 2: expected base64, a space and a rank below 16777216", BIPE_ERR_FORMAT},
        {"YQ== 0\nYg== 0\n", "line 2: the rank 0 comes twice", BIPE_ERR_FORMAT},
        {"YQ== 16000000\n", "1 ranks up to 16000000", BIPE_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer t = no_tokenizer(false);
        bipe_error err = {0};
        CHECK(bipe_tiktoken_read(&t, (const uint8_t *)cases[i].text, strlen(cases[i].text), &err) ==
              (int)cases[i].status);
        CHECK_TEXT(err.text, cases[i].error);
        CHECK(bipe_tiktoken_recognise((const uint8_t *)cases[i].text, strlen(cases[i].text)));
    }
    CHECK(!bipe_tiktoken_recognise((const uint8_t *)"{\"a\": 1}", 8));
    CHECK(!bipe_tiktoken_recognise((const uint8_t *)"\n\016\n\005<unk>", 9));
}

/* ---- tekken.json ---- */

enum { CUT = 40000 }; /* ranks that count */

/* All ranks, of which those from CUT on do not count; specials: the array, or NULL. */
static void put_tekken(bipe_buffer *out, const char *version, const char *specials, size_t count)
{
    bipe_buffer_printf(out, NULL,
                       "{\"config\": {\"pattern\": \"%s\", \"default_vocab_size\": %zu, "
                       "\"default_num_special_tokens\": %zu, \"version\": \"%s\"},",
                       TEKKEN, CUT + count, count, version);
    if (specials != NULL)
        bipe_buffer_printf(out, NULL, "\"special_tokens\": %s,", specials);
    bipe_buffer_printf(out, NULL, "\n  \"vocab\": [");
    for (size_t i = 0; i < RANKS; i++) {
        bipe_buffer_printf(out, NULL, "%s{\"rank\": %zu, \"token_bytes\": \"", i != 0 ? "," : "", i);
        add_base64(out, by_rank[i].text, by_rank[i].size);
        bipe_buffer_printf(out, NULL, "\", \"token_str\": %s}",
                           i % 3 == 0   ? "null"
                           : i % 3 == 1 ? "\"\\u0000]}\""
                                        : "\"x\\\"\"");
    }
    bipe_buffer_printf(out, NULL, "]}");
}

/* Ranks after those that count are no tokens. */
static void forget_ranks(size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < RANKS; i++)
        if (sorted[i].rank < count)
            sorted[kept++] = sorted[i];
    for (; kept < RANKS; kept++)
        sorted[kept] = (string){.size = LONGEST, .text = "\377\377\377\377\377\377\377\377\377\377\377\377",
                                .rank = UINT32_MAX >> 1};
}

/* A GGUF file holds the whole, and gives it back. */
static void test_tekken_written(const bipe_tokenizer *t, uint32_t first, uint64_t *random)
{
    const char *path = scratch_path("tekken.gguf");
    bipe_error err = {0};
    bipe_tokenizer *again;
    CHECKF(write_gguf(t, path, &err) == BIPE_OK, "%s", err.text);
    int status = bipe_tokenizer_open(&again, path, false, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        return;
    CHECK(bipe_tokenizer_size(again) == t->size && bipe_tokenizer_bos(again) == t->bos &&
          bipe_tokenizer_eos(again) == t->eos);
    test_ids(again, first, random);
    bipe_tokenizer_close(again);
}

static void test_tekken(uint64_t *random)
{
    static const struct {
        const char *version, *specials;
        size_t count;
        int64_t bos, eos;
        const char *name; /* of id 3 */
    } cases[] = {
        {"v3", NULL, 20, 1, 2, "[INST]"},
        {"v13", "[{\"rank\": 0, \"token_str\": \"<s>\"}, {\"rank\": 1, \"token_str\": \"<x>\", \"is_control\": true}]",
         1000, 0, BIPE_NO_TOKEN, "<SPECIAL_3>"},
    };
    forget_ranks(CUT);
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        bipe_buffer file = {0};
        bipe_error err = {0};
        bipe_tokenizer t;
        bipe_tokens tokens = {0};
        char text[40];
        put_tekken(&file, cases[i / 2].version, cases[i / 2].specials, cases[i / 2].count);
        int status = read_json(&t, file.data, file.size, i % 2 != 0, &err);
        CHECKF(status == BIPE_OK, "%s", err.text);
        if (status != BIPE_OK)
            return;
        CHECK(t.size == CUT + cases[i / 2].count && t.bos == cases[i / 2].bos && t.eos == cases[i / 2].eos);
        test_ids(&t, (uint32_t)cases[i / 2].count, random);
        if (i == 0)
            test_tekken_written(&t, (uint32_t)cases[i / 2].count, random);
        size_t size = (size_t)snprintf(text, sizeof text, "a%s", cases[i / 2].name);
        CHECK(tokens_of(&t, text, size, 0, NULL, &tokens, &err) == BIPE_OK);
        CHECK((tokens.count == 2 && tokens.token[1].id == 3) == (i % 2 != 0));
        bipe_tokenizer_clear(&t);
        bipe_tokens_free(&tokens);
        bipe_buffer_free(&file);
    }
}

#define SMALL(pattern, size, specials, more, vocab) \
    "{\"config\":{\"pattern\":\"" pattern "\",\"default_vocab_size\":" size \
    ",\"default_num_special_tokens\":" specials ",\"version\":\"v13\"}," more "\"vocab\":[" vocab "]}"
#define LISTED "\"special_tokens\":[{\"rank\":0,\"token_str\":\"<s>\"}],"
#define A "{\"rank\":0,\"token_bytes\":\"YQ==\"}"

static void test_tekken_refused(void)
{
    static const struct {
        const char *text, *error;
        int status;
    } cases[] = {
        
        {SMALL("[a-z]+", "2", "1", LISTED, A),
         "config: pattern: \"[a-z]+\" is none of the known ones, expected a tokenizer.json of the same model",
         BIPE_ERR_UNSUPPORTED},
        {SMALL(TEKKEN, "-1", "1", LISTED, A), "config: default_vocab_size: expected a number of 0 to 16777216",
         BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2", "3", LISTED, A), "config: default_num_special_tokens: expected a number of 0 to 2",
         BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2000000", "1", LISTED, A), "vocab: 1 entries, expected 1999999 as \"config\" says",
         BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2", "1", "", A), "no array \"special_tokens\"", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2", "0", LISTED, A), "special_tokens: expected an array of at most 0", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2", "1", "\"special_tokens\":[{\"rank\":1,\"token_str\":\"<s>\"}],", A),
         "special_tokens: 0: expected this \"rank\" and a \"token_str\"", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "3", "1", LISTED, A), "vocab: 1 entries, expected 2 as \"config\" says", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "3", "1", LISTED, A ",{\"rank\":1}"),
         "vocab: 1: expected an object with this \"rank\" and \"token_bytes\"", BIPE_ERR_FORMAT},
        
        {SMALL(TEKKEN, "3", "1", LISTED, A "," A),
         "vocab: 1: expected an object with this \"rank\" and \"token_bytes\"", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "3", "1", LISTED, A ",{\"rank\":1,\"token_bytes\":\"YQ==\"}"),
         "the ranks 0 and 1 have the same bytes", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "3", "1", LISTED, A ",{\"rank\":1,\"token_bytes\":\"Y\"}"),
         "rank 1: expected base64 of 1 to 65536 bytes", BIPE_ERR_FORMAT},
        {SMALL(TEKKEN, "2", "1", LISTED, A), "byte 0x00 has no rank", BIPE_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_tokenizer t;
        bipe_error err = {0};
        CHECKF(read_json(&t, cases[i].text, strlen(cases[i].text), false, &err) == cases[i].status, "%s",
               cases[i].error);
        CHECK_TEXT(err.text, cases[i].error);
    }
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
        {50256, 50255, "IGdhemVk", 50256, "<|endoftext|>"},
        {50280, 50280, "ICAgICAgICAgICAgICAgICAgICAgICAgIA==", 50256, "<|endoftext|>"},
        {100256, 100255, "IENvbnZleW9y", 100276, "<|endofprompt|>"},
        {199998, 199997, "IGNvY29z", 200018, "<|endofprompt|>"},
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
        CHECK(bipe_pretoken_pattern_known(e->pattern[0]) != NULL && e->pattern[1] == NULL);
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
    bipe_tokenizer t = no_tokenizer(false);
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
        test_ids(&t, 0, &random);
        bipe_tokenizer_clear(&t);
        test_special(&file);
    }
    test_refused();
    test_tekken(&random);
    test_tekken_refused();
    file.data[file.size - 8] ^= 1; /* another last one: another file with as many ranks */
    CHECK(bipe_tiktoken_read(&t, file.data, file.size, &err) == BIPE_ERR_UNSUPPORTED);
    test_encodings();
    bipe_buffer_free(&file);
    return test_result();
}
