/* test_pipeline.c - pipelines of a tokenizer.json: byte-level BPE against a slow implementation of its own, added
 * tokens, Split, chunks, one long word, memory failures. */
#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"

/* ---- a vocabulary: 256 letters of bytes and random merges ---- */

enum { MERGES = 400 };

static char *strings[256 + MERGES]; /* bytes of each id; no NUL */
static size_t sizes[256 + MERGES];
static int left_of[MERGES], right_of[MERGES];
static size_t merges;

static void add_string(bipe_buffer *out, int id)
{
    for (size_t i = 0; i < sizes[id]; i++)
        put_letter(out, (uint8_t)strings[id][i]);
}

/* Merges of what occurs: letters of the alphabet below and what they became. */
static void make_merges(uint64_t *random)
{
    static const char seeds[] = "abcABC 01'\n\xC3\xA9.,";
    for (int b = 0; b < 256; b++) {
        strings[b] = malloc(1);
        strings[b][0] = (char)b;
        sizes[b] = 1;
    }
    for (int tries = 0; merges < MERGES && tries < 100000; tries++) {
        size_t known = sizeof seeds - 1 + merges;
        int pick[2];
        for (int k = 0; k < 2; k++) {
            size_t r = test_random(random) % known;
            pick[k] = r < sizeof seeds - 1 ? (uint8_t)seeds[r] : (int)(256 + r - (sizeof seeds - 1));
        }
        size_t size = sizes[pick[0]] + sizes[pick[1]];
        char *joined = malloc(size);
        memcpy(joined, strings[pick[0]], sizes[pick[0]]);
        memcpy(joined + sizes[pick[0]], strings[pick[1]], sizes[pick[1]]);
        bool fresh = size < 8;
        for (size_t i = 0; fresh && i < 256 + merges; i++)
            fresh = sizes[i] != size || memcmp(strings[i], joined, size) != 0;
        if (!fresh) {
            free(joined);
            continue;
        }
        left_of[merges] = pick[0];
        right_of[merges] = pick[1];
        strings[256 + merges] = joined;
        sizes[256 + merges++] = size;
    }
}

/* before: what stands in front of the model; options: members of the model. */
static void make_json(bipe_buffer *json, const char *before, const char *options, bool pairs)
{
    json->size = 0;
    bipe_buffer_printf(json, NULL, "{%s%s\"model\":{\"type\":\"BPE\",%s\"vocab\":{", before,
                       before[0] != '\0' ? "," : "", options);
    for (size_t i = 0; i < 256 + merges; i++) {
        bipe_buffer_printf(json, NULL, "%s\"", i != 0 ? "," : "");
        add_string(json, (int)i);
        bipe_buffer_printf(json, NULL, "\":%zu", i);
    }
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 0; i < merges; i++) {
        bipe_buffer_printf(json, NULL, "%s%s\"", i != 0 ? "," : "", pairs ? "[" : "");
        add_string(json, left_of[i]);
        bipe_buffer_printf(json, NULL, pairs ? "\",\"" : " ");
        add_string(json, right_of[i]);
        bipe_buffer_printf(json, NULL, "\"%s", pairs ? "]" : "");
    }
    bipe_buffer_printf(json, NULL, "]}}");
}

/* ---- the slow way ---- */

typedef struct ids {
    uint32_t id[1 << 16];
    size_t count;
} ids;

/* Joins the leftmost pair of the lowest rank until there is none. */
static void slow_merge(const uint8_t *text, size_t size, bool whole, ids *out)
{
    int *at = malloc((size + 1) * sizeof *at);
    size_t n = 0;
    for (size_t i = 0; whole && i < 256 + merges; i++)
        if (sizes[i] == size && memcmp(strings[i], text, size) == 0)
            at[n = 1, 0] = (int)i;
    for (size_t i = 0; n == 0 && i < size; i++)
        at[i] = text[i];
    if (n == 0)
        n = size;
    for (bool again = !(whole && n == 1); again;) {
        again = false;
        for (size_t rank = 0; !again && rank < merges; rank++)
            for (size_t i = 0; !again && i + 1 < n; i++)
                if (at[i] == left_of[rank] && at[i + 1] == right_of[rank]) {
                    at[i] = (int)(256 + rank);
                    memmove(at + i + 1, at + i + 2, (n - i - 2) * sizeof *at);
                    n--;
                    again = true;
                }
    }
    for (size_t i = 0; i < n; i++)
        out->id[out->count++] = (uint32_t)at[i];
    free(at);
}

/* Kinds of characters of the test's texts; the length goes to *n. */
static char kind_of(const uint8_t *text, size_t size, size_t *n)
{
    uint8_t c = text[0];
    *n = 1;
    if (c == 0xC3 && size > 1 && text[1] == 0xA9) {
        *n = 2;
        return 'L';
    }
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        return 'L';
    if (c >= '0' && c <= '9')
        return 'N';
    return c == ' ' || (c >= 9 && c <= 13) ? 'S' : 'P';
}

static size_t run_of(const uint8_t *text, size_t size, char kind)
{
    size_t i = 0, n;
    while (i < size && kind_of(text + i, size - i, &n) == kind)
        i += n;
    return i;
}

/* Length of the first piece of GPT-2's pattern. */
static size_t slow_piece(const uint8_t *text, size_t size)
{
    static const char *const short_forms[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    size_t n;
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++)
        if (size >= strlen(short_forms[i]) && memcmp(text, short_forms[i], strlen(short_forms[i])) == 0)
            return strlen(short_forms[i]);
    size_t space = text[0] == ' ';
    if (size > space) {
        char kind = kind_of(text + space, size - space, &n);
        if (kind != 'S')
            return space + run_of(text + space, size - space, kind);
    }
    size_t white = run_of(text, size, 'S');
    return white == size || white == 1 ? white : white - 1;
}

/* The same in chunks of a few bytes. */
static void check_chunks(bipe_tokenizer *t, const void *text, size_t size, uint64_t *random, bipe_tokens *tokens)
{
    bipe_pipeline *p = t->model;
    bipe_tokens other = {0};
    bipe_error err = {0};
    p->chunk = BIPE_PIPELINE_CHUNK;
    check_cuts(t, text, size, random, false, tokens);
    for (size_t chunk = 1; chunk < 40; chunk += 13) {
        p->chunk = chunk;
        CHECKF(tokens_of(t, text, size, 7, random, &other, &err) == BIPE_OK, "%s", err.text);
        CHECK(same_tokens(tokens, &other));
    }
    p->chunk = BIPE_PIPELINE_CHUNK;
    bipe_tokens_free(&other);
}

static void test_against_slow(uint64_t *random)
{
    static const char *const alphabet[] = {"a",        "b", "c",  "ab", "A",   "Bc", " ", " a", "  ",  "\n",  "b\na",
                                           "\xC3\xA9", "0", "01", "'s", "'ll", ".",  ",", "\t", "a b", ".\na"};
    static const struct {
        const char *before, *options;
        bool whole, pairs, prefix, split;
    } settings[] = {
        {"\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false}", "", false, false, false, true},
        {"\"pre_tokenizer\":{\"type\":\"ByteLevel\"}", "", false, true, true, true},
        {"\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false}", "\"ignore_merges\":true,", true, true,
         false, true},
        {"\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}", "", false, false,
         false, false},
    };
    bipe_buffer json = {0};
    bipe_tokens tokens = {0};
    static ids want;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        make_json(&json, settings[k].before, settings[k].options, settings[k].pairs);
        bipe_tokenizer t = must_read_json(&json, false);
        for (int round = 0; round < test_rounds(200); round++) {
            uint8_t text[400];
            text[0] = ' ';
            size_t size = random_text(random, alphabet, sizeof alphabet / sizeof *alphabet, false, text + 1,
                                      1 + test_random(random) % 300);
            const uint8_t *from = text + 1;
            check_chunks(&t, from, size, random, &tokens);
            if (settings[k].prefix && size != 0 && *from != ' ') {
                from--;
                size++;
            }
            want.count = 0;
            for (size_t at = 0; at < size;) {
                size_t n = settings[k].split ? slow_piece(from + at, size - at) : size;
                slow_merge(from + at, n, settings[k].whole, &want);
                at += n;
            }
            size_t wrong = want.count != tokens.count;
            for (size_t i = 0; wrong == 0 && i < want.count; i++)
                wrong += want.id[i] != tokens.token[i].id;
            CHECKF(wrong == 0, "settings %zu, \"%.*s\"", k, (int)size, (const char *)from);
        }
        bipe_tokenizer_clear(&t);
    }
    bipe_buffer_free(&json);
    bipe_tokens_free(&tokens);
}

/* Bytes of all kinds: every one in a token, and back. */
static void test_all_bytes(uint64_t *random)
{
    static uint8_t text[2000];
    bipe_buffer json = {0}, back = {0};
    bipe_tokens tokens = {0};
    make_json(&json, "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false}", "", false);
    bipe_tokenizer t = must_read_json(&json, false);
    for (int round = 0; round < test_rounds(30); round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (uint8_t)(test_random(random) >> 33);
        check_chunks(&t, text, sizeof text, random, &tokens);
        back.size = 0;
        decode_tokens(&t, &tokens, &back);
        CHECK(back.size == sizeof text && memcmp(back.data, text, sizeof text) == 0);
    }
    bipe_tokenizer_clear(&t);
    bipe_buffer_free(&json);
    bipe_buffer_free(&back);
    bipe_tokens_free(&tokens);
}

/* A word of a megabyte: not quadratic, and the same however it comes. */
static void test_long_word(uint64_t *random)
{
    size_t size = 1 << 20;
    uint8_t *text = malloc(size);
    bipe_buffer json = {0}, back = {0};
    bipe_tokens tokens = {0}, other = {0};
    bipe_error err = {0};
    make_json(&json, "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false}", "", false);
    bipe_tokenizer t = must_read_json(&json, false);
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)"abcABC"[test_random(random) % 6];
    CHECK(tokens_of(&t, text, size, 0, NULL, &tokens, &err) == BIPE_OK);
    CHECK(tokens_of(&t, text, size, 50000, random, &other, &err) == BIPE_OK);
    CHECK(same_tokens(&tokens, &other));
    check_spans(&t, &tokens, size, false);
    decode_tokens(&t, &tokens, &back);
    CHECK(back.size == size && memcmp(back.data, text, size) == 0);
    ((bipe_pipeline *)t.model)->quick = false;
    CHECK(tokens_of(&t, text, size, 50000, random, &other, &err) == BIPE_OK);
    CHECK(same_tokens(&tokens, &other));
    bipe_tokenizer_clear(&t);
    free(text);
    bipe_buffer_free(&json);
    bipe_buffer_free(&back);
    bipe_tokens_free(&tokens);
    bipe_tokens_free(&other);
}

/* ---- small pipelines, worked out by hand ---- */

#define SMALL \
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"c\":3,\" " \
    "\":4,\"ab\":5,\"A\":6},\"merges\":[\"a b\"]}}"

static void check_small(const char *json, bool special, const char *text, const char *want)
{
    bipe_error err = {0};
    bipe_buffer bytes = {0};
    bipe_tokens tokens = {0};
    char got[512] = "";
    uint64_t random = 3;
    bipe_buffer_append(&bytes, json, strlen(json), &err);
    bipe_tokenizer t = must_read_json(&bytes, special);
    check_cuts(&t, text, strlen(text), &random, true, &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u:%u-%u", i != 0 ? " " : "",
                 (unsigned)tokens.token[i].id, (unsigned)tokens.token[i].start, (unsigned)tokens.token[i].end);
    CHECK_TEXT(got, want);
    bipe_tokenizer_clear(&t);
    bipe_buffer_free(&bytes);
    bipe_tokens_free(&tokens);
}

static void test_added(void)
{
#define ADDED(options) \
    "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\" " \
    "\"},\"behavior\":\"Isolated\",\"invert\":false}," \
    "\"added_tokens\":[{\"id\":7,\"content\":\"<x>\"" options "}]," SMALL
    check_small(ADDED(",\"normalized\":false"), false, "ab <x> c", "5:0-2 4:2-3 7:3-6 4:6-7 3:7-8");
    check_small(ADDED(",\"normalized\":false,\"lstrip\":true"), false, "ab  <x> c", "5:0-2 7:2-7 4:7-8 3:8-9");
    check_small(ADDED(",\"normalized\":true,\"rstrip\":true"), false, "ab <x>\n c", "5:0-2 4:2-3 7:3-8 3:8-9");
    check_small(ADDED(",\"single_word\":true"), false, "a<x> <x>b <x>",
                "1:0-1 0:1-2 0:2-3 0:3-4 4:4-5 0:5-6 0:6-7 0:7-8 2:8-9 4:9-10 7:10-13");
    check_small(ADDED(",\"single_word\":true"), false, "_<x> <x>0",
                "0:0-1 0:1-2 0:2-3 0:3-4 4:4-5 0:5-6 0:6-7 0:7-8 0:8-9");
    check_small(ADDED(",\"special\":true"), false, "a<x>", "1:0-1 0:1-2 0:2-3 0:3-4");
    check_small(ADDED(",\"special\":true"), true, "a<x>", "1:0-1 7:1-4");
    /* The longest at a place, from left to right. */
    check_small(
        "{\"added_tokens\":[{\"id\":7,\"content\":\"bc\",\"lstrip\":true},{\"id\":8,\"content\":\"ab\",\"single_word\":"
        "false},"
        "{\"id\":9,\"content\":\"abca\"}],"
        "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"c\":3,\"x\":4,\"y\":5,"
        "\"z\":6},\"merges\":[]}}",
        false, "abcabc", "9:0-4 7:4-6");
}

static void test_split(void)
{
#define SPLIT(pattern, behaviour, invert) \
    "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{" pattern "},\"behavior\":\"" behaviour \
    "\",\"invert\":" invert "}," SMALL
    /* Where pieces end shows where a and b are not joined. */
    check_small(SPLIT("\"String\":\"b\"", "Isolated", "false"), false, "aba", "1:0-1 2:1-2 1:2-3");
    check_small(SPLIT("\"String\":\"b\"", "MergedWithPrevious", "false"), false, "aba", "5:0-2 1:2-3");
    check_small(SPLIT("\"String\":\"a\"", "MergedWithNext", "false"), false, "aba", "5:0-2 1:2-3");
    check_small(SPLIT("\"String\":\"a\"", "Removed", "false"), false, "aba", "2:1-2");
    check_small(SPLIT("\"String\":\"a\"", "Removed", "true"), false, "aba", "1:0-1 1:2-3");
    check_small(SPLIT("\"Regex\":\"[ab]\"", "Contiguous", "false"), false, "cabc", "3:0-1 5:1-3 3:3-4");
    check_small(SPLIT("\"Regex\":\"[ab]\"", "Isolated", "false"), false, "cabc", "3:0-1 1:1-2 2:2-3 3:3-4");
    check_small(SPLIT("\"Regex\":\"\\\\p{Latn}\"", "Isolated", "false"), false, "a1b", "1:0-1 0:1-2 2:2-3");
    check_small(SPLIT("\"Regex\":\"[\\\\p{x Digit}]\"", "Isolated", "false"), false, "ab", "1:0-1 2:1-2");
    check_small(SPLIT("\"Regex\":\"\\\\P{^alnum}\"", "Removed", "false"), false, "a b", "4:1-2");
    check_small(SPLIT("\"Regex\":\"[[:alnum:]]\"", "Removed", "false"), false, "a b", "4:1-2");
    check_small(SPLIT("\"Regex\":\"[[:^alnum:]]\"", "Removed", "false"), false, "a b", "1:0-1 2:2-3");
    check_small(SPLIT("\"Regex\":\"[^[:space:]b]\"", "Removed", "false"), false, "a b", "4:1-2 2:2-3");
    check_small(SPLIT("\"Regex\":\"[\\\\P{Alpha}a]\"", "Removed", "false"), false, "a b", "2:2-3");
    check_small(SPLIT("\"Regex\":\"(?i:a)\"", "Isolated", "false"), false, "Aab", "6:0-1 1:1-2 2:2-3");
    /* Matches in a row: only the last of them goes to the next, only the first to the one before. */
    check_small(SPLIT("\"Regex\":\"a\"", "MergedWithNext", "false"), false, "aab", "1:0-1 5:1-3");
}

/* A token that the normalizer takes away: the library cuts the text everywhere. */
static void test_refused(void)
{
    static const char gone[] = "{\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"x\"},\"content\":\"\"},"
                               "\"added_tokens\":[{\"id\":7,\"content\":\"xx\",\"normalized\":true}]," SMALL;
    bipe_error err = {0};
    bipe_tokenizer t;
    CHECK(read_json(&t, gone, sizeof gone - 1, false, &err) == BIPE_ERR_UNSUPPORTED);
    CHECK_TEXT(err.text, "added_tokens: \"xx\": normalizing leaves nothing of it");
}

/* Every allocation fails once, in turn. */
static void test_memory(void)
{
    static const char json[] = ADDED(",\"normalized\":true");
    static const char text[] = "ab <x> abc cc  a";
    bipe_tokens tokens = {0};
    bool done = false;
    for (long n = 0; !done && n < 100000; n += test_stride(7)) {
        bipe_tokenizer t;
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        int status = read_json(&t, json, sizeof json - 1, false, &err);
        if (status == BIPE_OK) {
            ((bipe_pipeline *)t.model)->chunk = 4;
            status = tokens_of(&t, text, sizeof text - 1, 3, NULL, &tokens, &err);
            done = status == BIPE_OK;
        }
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: %d: %s", n, status, err.text);
        CHECK((status == BIPE_OK) == (err.text[0] == '\0'));
        bipe_tokenizer_clear(&t);
    }
    CHECK(done);
    bipe_tokens_free(&tokens);
}

int main(void)
{
    uint64_t random = 20260101;
    make_merges(&random);
    CHECK(merges > 300);
    test_against_slow(&random);
    test_all_bytes(&random);
    test_long_word(&random);
    test_added();
    test_split();
    test_refused();
    test_memory();
    for (size_t i = 0; i < 256 + merges; i++)
        free(strings[i]);
    return test_result();
}
