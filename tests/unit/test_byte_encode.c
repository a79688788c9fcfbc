/* test_byte_encode.c - the short way of byte-level pipelines against the general one, which PCRE2 splits for: every
 * pattern that has a scanner, added tokens of both kinds, NFC, a space in front, sequences of splits, random text, cut
 * anywhere, words too long to be held, short of memory. */
#include "tests/tokenizers.h"
#include "token/hf_unicode.h"
#include "token/pipeline/byte_letters.h"
#include "token/pipeline/pipeline.h"
#include "token/pretoken/pretoken_patterns.h"

/* ---- a vocabulary: a letter for each byte, and merges of what the texts are made of ---- */

static const char *const merged[] = {"t h", "th e", "\xC4\xA0 a", "\xC4\xA0 the", "a a", "aa aa", "aaaa a",
                                     "\xC4\xA0 \xC4\xA0", "\xC4\xA0\xC4\xA0 \xC4\xA0\xC4\xA0", "1 2", "12 3",
                                     "\xC4\x8A \xC4\x8A", "' s", ". \xC4\x8A", "\xC3\xA3 \xC4\xA2", "B a", "= =",
                                     "== ==", "s s", "L L"};

static const char *missing = ""; /* bytes without a token */

static void make_json(bipe_buffer *json, const char *pre, const char *added, const char *options)
{
    size_t n = sizeof merged / sizeof *merged;
    bipe_buffer_printf(json, NULL,
                       "{\"pre_tokenizer\":%s,\"added_tokens\":[%s],\"model\":{\"type\":\"BPE\",%s\"vocab\":{", pre,
                       added, options);
    for (unsigned b = 0; b < 256; b++) {
        bipe_buffer_printf(json, NULL, "%s\"", b != 0 ? "," : "");
        if (b != 0 && strchr(missing, (int)b) != NULL)
            bipe_buffer_printf(json, NULL, "none%u", b);
        else
            put_letter(json, b);
        bipe_buffer_printf(json, NULL, "\":%u", b);
    }
    for (size_t i = 0; i < n; i++) {
        const char *space = strchr(merged[i], ' ');
        bipe_buffer_printf(json, NULL, ",\"%.*s%s\":%zu", (int)(space - merged[i]), merged[i], space + 1, 256 + i);
    }
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 0; i < n; i++)
        bipe_buffer_printf(json, NULL, "%s\"%s\"", i != 0 ? "," : "", merged[i]);
    bipe_buffer_printf(json, NULL, "]}}");
}

/* ---- both ways ---- */

static void check_text(bipe_tokenizer *t, const void *text, size_t size, uint64_t *random)
{
    bipe_pipeline *p = t->model;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    CHECK(p->quick);
    p->quick = false;
    CHECKF(tokens_of(t, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    p->quick = true;
    for (int round = 0; round < 4; round++) {
        p->chunk = round == 0 ? BIPE_PIPELINE_CHUNK : 1 + test_random(random) % 50;
        CHECKF(tokens_of(t, text, size, round == 0 ? 0 : 1 + test_random(random) % 60, random, &got, &err) == BIPE_OK,
               "%s", err.text);
        check_spans(t, &got, size, p->nfc != NULL || p->prefix || missing[0] != '\0');
        CHECKF(same_tokens(&want, &got), "round %d, %.60s: %zu and %zu tokens", round,
               p->rule != NULL ? p->rule->pattern : "splits", want.count, got.count);
    }
    p->chunk = BIPE_PIPELINE_CHUNK;
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

static const char *const parts[] = {"a", "aa", "the", " the", "Ba", "S", "'s", "'LL", "'", " ", "  ", "\t", "\n",
                                    "\r\n", "1", "123", ".", "==", "/", "<", "<e>", "<ee>", "<ef", "|", "\xC3\xA9",
                                    "\xE3\x80\x80", "\xE4\xB8\xAD", "\xCC\x81", "\xC5\xBF", "\xFF", "\xE4\xB8",
                                    "\xC2\xA0", "",
                                    /* What NFC composes, puts in order, takes apart and replaces. */
                                    "\xF0\x90\xB5\x80", "\xC2\xBD", "e\xCC\x81", "\xCC\xA7", "\xCD\x85", "\xE1\x84\x80",
                                    "\xE1\x85\xA1", "\xE1\x86\xA8", "\xEA\xB0\x80", "\xE0\xA5\x8D", "\xE0\xA4\x95",
                                    "\xE2\x84\xAB", "\xE0\xA5\x98", "\xCD\x84", "o\xCC\xA7\xCC\x81", "<\xCC\xB8",
                                    ">\xCC\xB8"};

static void random_texts(bipe_tokenizer *t, int rounds, uint64_t *random)
{
    uint8_t text[3000];
    for (int round = 0; round < rounds; round++) {
        size_t size = 0, most = 1 + test_random(random) % (round % 5 == 0 ? sizeof text : 200),
               kinds = round % 3 == 0 ? 12 : sizeof parts / sizeof *parts;
        while (size < most) {
            const char *part = parts[test_random(random) % kinds];
            size_t n = strlen(part), times = test_random(random) % 30 == 0 ? 1 + test_random(random) % 70 : 1;
            for (n = n != 0 ? n : 1; times != 0 && size + n <= sizeof text; times--, size += n)
                memcpy(text + size, part, n);
            if (size + 8 > sizeof text)
                break;
        }
        check_text(t, text, size, random);
    }
}

static void quote(bipe_buffer *out, const char *text)
{
    for (; *text != '\0'; text++)
        bipe_buffer_printf(out, NULL, "%s%c", *text == '\\' || *text == '"' ? "\\" : "", *text);
    bipe_buffer_append(out, "", 1, NULL);
}

#define TOKEN(id, text, more) "{\"id\":" id ",\"content\":\"" text "\",\"single_word\":false,\"rstrip\":false," more "}"
#define ADDED(more) \
    TOKEN("276", "<e>", more) "," TOKEN("277", "<ee>", "\"lstrip\":false,\"normalized\":false,\"special\":false")

#define RAW "\"lstrip\":false,\"normalized\":false,\"special\":true"
#define FLAGGED(id, text, left, right, word) \
    "{\"id\":" id ",\"content\":\"" text "\",\"single_word\":" word ",\"lstrip\":" left ",\"rstrip\":" right \
    ",\"normalized\":false,\"special\":true}"
#define INSIDE "\"lstrip\":false,\"normalized\":true,\"special\":false"

/* What goes before the stream: NFC, a space, both kinds of added tokens. */
static void test_fronts(uint64_t *random)
{
    static const char *const pre[] = {"{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}",
                                      "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"use_regex\":true}"};
    static const char *const added[] = {
        "",
        TOKEN("276", "<e>", RAW),
        TOKEN("276", "<e>", INSIDE),
        TOKEN("276", "<e>", RAW) "," TOKEN("277", "<ee>", INSIDE) "," TOKEN("278", "  ", INSIDE),
        TOKEN("276", "<ee>", RAW) "," TOKEN("277", "\xC3\xA9<", INSIDE) "," TOKEN("278", "e\xCC\x81 ", RAW),
        TOKEN("276", "\xCC\x81", RAW) "," TOKEN("277", "\xCC\xA7<", INSIDE),
        FLAGGED("276", "<e>", "true", "false", "false"),
        FLAGGED("276", "<e>", "false", "true", "false"),
        FLAGGED("276", "<e>", "true", "true", "false") "," FLAGGED("277", "<ee>", "true", "false", "false"),
        FLAGGED("257", "the", "false", "false", "true") "," FLAGGED("276", "<e>", "false", "true", "false"),
        FLAGGED("97", "a", "true", "true", "true") "," TOKEN("276", "<ee>", INSIDE)};
    size_t quick = 0;
    for (size_t k = 0; k < 4; k++)
        for (size_t a = 0; a < sizeof added / sizeof *added; a++)
            for (int special = 0; special < 2; special++) {
                bipe_buffer front = {0}, json = {0};
                bipe_buffer_printf(&front, NULL, "%s%s", pre[k & 1],
                                   (k & 2) != 0 ? ",\"normalizer\":{\"type\":\"NFC\"}" : "");
                make_json(&json, (const char *)front.data, added[a], "");
                bipe_tokenizer t = must_read_json(&json, special != 0);
                const bipe_pipeline *p = t.model;
                bool expected = (k & 1) == 0 || p->inside.count == 0;
                CHECKF(p->quick == expected && (p->nfc != NULL) == (expected && (k & 2) != 0), "front %zu, added %zu",
                       k, a);
                quick += p->quick;
                if (p->quick)
                    random_texts(&t, test_rounds(40), random);
                bipe_tokenizer_clear(&t);
                bipe_buffer_free(&front);
                bipe_buffer_free(&json);
            }
    CHECKF(quick > 30, "%zu", quick);
}

/* A text that is nothing but marks is held, up to a limit. */
static void test_marks(void)
{
    bipe_buffer json = {0};
    bipe_tokens tokens = {0};
    bipe_error err = {0};
    uint8_t text[3000];
    make_json(
        &json,
        "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true},\"normalizer\":{\"type\":\"NFC\"}", "",
        "");
    bipe_tokenizer t = must_read_json(&json, false);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "\xCC\x81"[i % 2];
    text[0] = 'a';
    text[1] = 'e';
    CHECK(tokens_of(&t, text, sizeof text, 100, NULL, &tokens, &err) == BIPE_OK);
    CHECK(tokens.count > 1 && tokens.token[0].end == 1 && tokens.token[1].start == 1 &&
          tokens.token[tokens.count - 1].end == sizeof text);
    bipe_tokenizer_clear(&t);
    bipe_tokens_free(&tokens);
    bipe_buffer_free(&json);
}

static void test_rules(uint64_t *random)
{
    static const char *const patterns[] = {BIPE_PATTERN_GPT2, BIPE_PATTERN_CL100K, BIPE_PATTERN_QWEN2,
                                           BIPE_PATTERN_O200K};
    static const char *const added[] = {"", ADDED("\"lstrip\":false,\"normalized\":false,\"special\":true"),
                                        TOKEN("276", "<e>", "\"lstrip\":false,\"normalized\":true,\"special\":false")};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
        for (size_t a = 0; a < 3; a++)
            for (int special = 0; special < 2; special++) {
                bipe_buffer pre = {0}, pattern = {0}, json = {0};
                quote(&pattern, patterns[k]);
                bipe_buffer_printf(
                    &pre, NULL,
                    "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"%s\"},"

                    "\"behavior\":%s},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}",
                    (const char *)pattern.data,
                    special != 0 ? "\"Removed\",\"invert\":true" : "\"Isolated\",\"invert\":false");
                make_json(&json, (const char *)pre.data, added[a], k % 2 == 1 ? "\"ignore_merges\":true," : "");
                bipe_tokenizer t = must_read_json(&json, special != 0);
                CHECK(((bipe_pipeline *)t.model)->quick && ((bipe_pipeline *)t.model)->rule != NULL);
                random_texts(&t, test_rounds(40), random);
                bipe_tokenizer_clear(&t);
                bipe_buffer_free(&pre);
                bipe_buffer_free(&pattern);
                bipe_buffer_free(&json);
            }
}

#define GPT2 "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}"

/* ---- steps that split one after the other ---- */

#define SPLIT(pattern) \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"},\"behavior\":\"Isolated\",\"invert\":false}"
#define DIGITS(each) "{\"type\":\"Digits\",\"individual_digits\":" each "}"
#define LETTERS "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define PUNCTUATION(behaviour) "{\"type\":\"Punctuation\",\"behavior\":\"" behaviour "\"}"

static const char *const sequences[] = {
    DIGITS("true") "," PUNCTUATION("Isolated") "," GPT2,
    DIGITS("false") "," SPLIT("\\\\p{L}{1,4}|\\\\s+(?!\\\\S)") "," LETTERS,
    SPLIT("\\\\p{N}{1,3}") "," SPLIT("[\xE4\xB8\x80-\xE9\xBE\xA5]+") "," SPLIT(
        "[./<=][A-Za-z]+|[^\\r\\n\\\\p{L}\\\\p{P}\\\\p{S}]?[\\\\p{L}\\\\p{M}]+| "
        "?[\\\\p{P}\\\\p{S}]+[\\r\\n]*|\\\\s*[\\r\\n]+|\\\\s+(?!\\\\S)|\\\\s+") "," LETTERS,
    PUNCTUATION("Contiguous") "," GPT2 "," DIGITS("false") "," SPLIT("[0-9][0-9][0-9]"),
    PUNCTUATION("Isolated") "," LETTERS "," SPLIT("[a-z]{1,2}?|\xC4\xA0+a") "," DIGITS("true"),
    SPLIT("[^\\n]+") "," SPLIT("a.?|[^a]{3,5}") "," LETTERS,
    SPLIT(" ?[^(\\\\s|[.,!?])]+") "," LETTERS,
    SPLIT("[A-Z]?[a-z]+|[0-9]{1,4}|\\\\s+|.") "," LETTERS,
    SPLIT("a+b|(?:aa)+s|the (?:1|aa1)*2") "," LETTERS, /* attempts that fail late, candidates that are given back */
    LETTERS};

/* GPT-2's pattern after a step that sets numbers apart has a rule. */
static void test_apart(uint64_t *random)
{
    static const char *const numbers[] = {DIGITS("true"), DIGITS("false")};
    bipe_char_classes classes = {0};
    size_t bad = 0;
    CHECK(bipe_char_classes_open(&classes, NULL, false, false) == 0);
    for (int32_t code = 0; code < 0x110000; code++)
        bad += (bipe_char_class(&classes, code) & BIPE_CHAR_NUMBER) != 0 && !bipe_hf_is_numeric((uint32_t)code);
    CHECKF(bad == 0, "%zu characters are numbers for the pattern alone", bad);
    bipe_char_classes_free(&classes);
    for (size_t k = 0; k < 2; k++) {
        bipe_buffer json = {0}, pre = {0};
        bipe_buffer_printf(&pre, NULL, "{\"type\":\"Sequence\",\"pretokenizers\":[%s," GPT2 "]}", numbers[k]);
        make_json(&json, (const char *)pre.data, ADDED("\"lstrip\":false,\"normalized\":false,\"special\":true"), "");
        bipe_tokenizer t = must_read_json(&json, true);
        const bipe_pipeline *p = t.model;
        CHECKF(p->quick && (p->rule != NULL) == (k == 0) && (k != 0 || (p->rule->numbers_first && p->digits)), "%zu",
               k);
        random_texts(&t, test_rounds(60), random);
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
        bipe_buffer_free(&pre);
    }
}

static void make_sequence(bipe_buffer *json, size_t k, const char *more)
{
    bipe_buffer pre = {0};
    bipe_buffer_printf(&pre, NULL, "{\"type\":\"Sequence\",\"pretokenizers\":[%s]}%s", sequences[k], more);
    make_json(json, (const char *)pre.data, ADDED("\"lstrip\":false,\"normalized\":false,\"special\":true"),
              k % 2 == 1 ? "\"ignore_merges\":true," : "");
    bipe_buffer_free(&pre);
}

static void test_splits(uint64_t *random)
{
    for (size_t k = 0; k < sizeof sequences / sizeof *sequences; k++)
        for (int special = 0; special < 2; special++) {
            bipe_buffer json = {0};
            make_sequence(&json, k, special != 0 ? ",\"normalizer\":{\"type\":\"NFC\"}" : "");
            bipe_tokenizer t = must_read_json(&json, special != 0);
            CHECKF(((bipe_pipeline *)t.model)->quick && ((bipe_pipeline *)t.model)->rule == NULL, "%zu", k);
            random_texts(&t, test_rounds(20), random);
            bipe_tokenizer_clear(&t);
            bipe_buffer_free(&json);
        }
}

/* Added tokens that overlap, found in the text as it is or in normalized text, or left as text, and which begin and end
 * with what NFC composes: where text is held because of that, what is found in it does not change. */
static void test_overlapping(uint64_t *random)
{
    static const char *const units[] = {
        "<",  "e",  "x", "\xCC\x81", "\xC3\xA9", "\xCC\xA7", "\xE1\x84\x80", "\xE1\x85\xA1", "\xE2\x84\xAB",
        "<e", "ex", " "};
    enum { UNITS = sizeof units / sizeof *units };
    for (int round = 0; round < test_rounds(80); round++) {
        bipe_buffer json = {0}, tokens = {0};
        char known[4][40] = {""};
        size_t count = 1 + test_random(random) % 4;
        for (size_t i = 0; i < count; i++) {
            do {
                known[i][0] = '\0';
                for (size_t n = 2 + test_random(random) % 3; n != 0; n--)
                    strcat(known[i], units[test_random(random) % (UNITS - 1)]);
            } while ((i > 0 && strcmp(known[i], known[0]) == 0) || (i > 1 && strcmp(known[i], known[1]) == 0) ||
                     (i > 2 && strcmp(known[i], known[2]) == 0));
            uint64_t bits = test_random(random);
            bipe_buffer_printf(&tokens, NULL,
                               "%s{\"id\":%zu,\"content\":\"%s\",\"single_word\":false,\"rstrip\":%s,\"lstrip\":%s,"
                               "\"normalized\":%s,\"special\":%s}",
                               i != 0 ? "," : "", 276 + i, known[i], (bits & 15) == 1 ? "true" : "false",
                               (bits & 15) == 2 ? "true" : "false",
                               (bits & 15) > 2 && (bits & 16) != 0 ? "true" : "false",
                               (bits & 32) != 0 ? "true" : "false");
        }
        make_json(&json, GPT2 ",\"normalizer\":{\"type\":\"NFC\"}", (const char *)tokens.data, "");
        bipe_tokenizer t = must_read_json(&json, round % 4 == 0);
        for (int k = 0; ((bipe_pipeline *)t.model)->quick && k < 20; k++) {
            uint8_t text[200];
            size_t size = 0;
            for (size_t n = 1 + test_random(random) % 30; n != 0 && size < sizeof text - 40; n--) {
                const char *part = test_random(random) % 3 == 0 ? known[test_random(random) % count]
                                                                : units[test_random(random) % UNITS];
                memcpy(text + size, part, strlen(part));
                size += strlen(part);
            }
            check_text(&t, text, size, random);
        }
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
        bipe_buffer_free(&tokens);
    }
}

/* Bytes without a token give nothing, or the unknown one, also in words too long to be held. */
static void test_missing(uint64_t *random)
{
    static const struct {
        const char *missing, *options;
    } kinds[] = {{"/|\xCC", ""},
                 {"/|\xCC\xE4\xB8\xFF", "\"unk_token\":\"s\","},
                 {"/|\xCC\xE4\xB8\xFF", "\"unk_token\":\"s\",\"fuse_unk\":true,\"ignore_merges\":true,"}};
    static const char *const pre[] = {
        GPT2, "{\"type\":\"Sequence\",\"pretokenizers\":[" PUNCTUATION("Contiguous") "," GPT2 "," DIGITS("false") "]}",
        "{\"type\":\"Sequence\",\"pretokenizers\":[" SPLIT("[^\\n]+") "," LETTERS "]}"};
    for (size_t k = 0; k < 9; k++) {
        bipe_buffer json = {0};
        missing = kinds[k / 3].missing;
        make_json(&json, pre[k % 3], "", kinds[k / 3].options);
        bipe_tokenizer t = must_read_json(&json, false);
        CHECK(((bipe_pipeline *)t.model)->quick);
        random_texts(&t, test_rounds(20), random);
        missing = "";
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
    }
}

/* Which pipelines go the short way. */
static void test_choice(void)
{
    static const struct {
        const char *pre, *added;
        bool special, quick;
    } cases[] = {
        {GPT2, "", false, true},
        {"{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"use_regex\":true}", "", false, true},
        {GPT2 ",\"normalizer\":{\"type\":\"NFC\"}", "", false, true},
        {GPT2 ",\"normalizer\":{\"type\":\"NFKC\"}", "", false, false},
        {"{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}", "", false, true},
        {"{\"type\":\"Sequence\",\"pretokenizers\":[" SPLIT("(?<=a)b") "," LETTERS "]}", "", false, true},
        {"{\"type\":\"Sequence\",\"pretokenizers\":[" SPLIT("a*") "," LETTERS "]}", "", false, true},
        {"{\"type\":\"Sequence\",\"pretokenizers\":[" PUNCTUATION("MergedWithNext") "," LETTERS "]}", "", false, true},
        {GPT2, TOKEN("276", "<e>", "\"lstrip\":true,\"normalized\":false,\"special\":true"), false, true},
        {GPT2, TOKEN("276", "<e>", "\"lstrip\":true,\"normalized\":false,\"special\":true"), true, true},
        {GPT2, TOKEN("276", "<e>", "\"lstrip\":true,\"normalized\":true,\"special\":true"), true, false},
        {GPT2 ",\"normalizer\":{\"type\":\"NFC\"}",
         TOKEN("276", "<e>", "\"lstrip\":true,\"normalized\":true,\"special\":true"), true, false},
        {GPT2, TOKEN("276", " e", "\"lstrip\":true,\"normalized\":false,\"special\":true"), true, true},
        {GPT2, TOKEN("276", "<e>", "\"lstrip\":false,\"normalized\":true,\"special\":true"), true, true},
        {GPT2, ADDED("\"lstrip\":false,\"normalized\":true,\"special\":false"), false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_buffer json = {0};
        make_json(&json, cases[i].pre, cases[i].added, "");
        bipe_tokenizer t = must_read_json(&json, cases[i].special);
        CHECKF((((bipe_pipeline *)t.model)->quick) == cases[i].quick, "case %zu", i);
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
    }
}

/* A byte without a token is reported with its place in the document, whatever was done to the text before. */
static void test_places(void)
{
    static const char *const fronts[] = {"", "\"normalizer\":{\"type\":\"NFC\"},"};
    static const char text[] = "e\xCC\x81 A\xCC\x8A e \xC3\xA9" "A\xCC\x8A \xFF e";
    for (size_t k = 0; k < 4; k++) {
        bipe_buffer json = {0};
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_buffer_printf(&json, NULL,
                           "{%s\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":%s,\"use_regex\":true},"
                           "\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{",
                           fronts[k & 1], (k & 2) != 0 ? "true" : "false");
        for (unsigned b = 0; b < 255; b++) {
            bipe_buffer_printf(&json, NULL, "%s\"", b != 0 ? "," : "");
            put_letter(&json, b);
            bipe_buffer_printf(&json, NULL, "\":%u", b);
        }
        bipe_buffer_printf(&json, NULL, "}}}");
        bipe_tokenizer t = must_read_json(&json, false);
        bipe_pipeline *p = t.model;
        CHECK(p->quick && (p->nfc != NULL) == (k % 2 == 1));
        for (int quick = 0; quick < 2; quick++) {
            p->quick = quick != 0;
            CHECK(tokens_of(&t, text, sizeof text - 1, quick != 0 ? 3 : 0, NULL, &tokens, &err) ==
                  BIPE_ERR_UNSUPPORTED);
            CHECK_TEXT(err.text, "byte 16: 0xFF, which is not UTF-8, has no token, and there is no unknown one");
        }
        bipe_tokenizer_clear(&t);
        bipe_tokens_free(&tokens);
        bipe_buffer_free(&json);
    }
}

static void test_memory(const char *pre)
{
    static const char text[] =
        "the e\xCC\x81 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa <e> 12345 "
        "\xFF\n  the";
    bipe_buffer json = {0};
    make_json(&json, pre, ADDED("\"lstrip\":false,\"normalized\":false,\"special\":true"), "");
    bool done = false;
    for (long n = 0; !done && n < 100000; n++) {
        bipe_tokenizer t;
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        int status = read_json(&t, json.data, json.size, true, &err);
        if (status == BIPE_OK) {
            ((bipe_pipeline *)t.model)->chunk = 16;
            status = tokens_of(&t, text, sizeof text - 1, 5, NULL, &tokens, &err);
            done = status == BIPE_OK;
        }
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: %d: %s", n, status, err.text);
        bipe_tokens_free(&tokens);
        bipe_tokenizer_clear(&t);
    }
    CHECK(done);
    bipe_buffer_free(&json);
}

/* Steps after ByteLevel see its letters: of the bytes of a superscript two, the second is a digit. */
static void test_behind(void)
{
    static const char *const pre[] = {
        "{\"type\":\"Digits\",\"individual_digits\":true}", "{\"type\":\"Digits\",\"individual_digits\":false}",
        "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[0-9]\"},\"behavior\":\"Isolated\",\"invert\":false}"};
    static const char text[] = "the123\xC2\xB2 the";
    static const struct {
        size_t count;
        unsigned id[7], end[7];
    } want[] = {{7, {257, '1', '2', '3', 0xC2, 0xB2, 259}, {3, 4, 5, 6, 7, 8, 12}},
                {5, {257, 266, 0xC2, 0xB2, 259}, {3, 6, 7, 8, 12}},
                {7, {257, '1', '2', '3', 0xC2, 0xB2, 259}, {3, 4, 5, 6, 7, 8, 12}}};
    for (size_t i = 0; i < 3; i++) {
        bipe_buffer json = {0}, sequence = {0};
        bipe_tokens tokens = {0};
        bipe_error err = {0};
        bipe_buffer_printf(&sequence, NULL, "{\"type\":\"Sequence\",\"pretokenizers\":[" GPT2 ",%s]}", pre[i]);
        make_json(&json, (const char *)sequence.data, "", "");
        bipe_tokenizer t = must_read_json(&json, false);
        CHECK(tokens_of(&t, text, sizeof text - 1, 0, NULL, &tokens, &err) == BIPE_OK);
        size_t bad = 0;
        for (size_t k = 0; k < tokens.count && k < want[i].count; k++)
            bad += tokens.token[k].id != want[i].id[k] || tokens.token[k].end != want[i].end[k];
        CHECKF(bad == 0 && tokens.count == want[i].count, "%zu: %zu tokens, %zu wrong", i, tokens.count, bad);
        bipe_tokenizer_clear(&t);
        bipe_tokens_free(&tokens);
        bipe_buffer_free(&json);
        bipe_buffer_free(&sequence);
    }
}

static void test_letters(void)
{
    int byte[BIPE_BYTE_LETTERS], next = 0x100;
    for (int code = 0; code < BIPE_BYTE_LETTERS; code++)
        byte[code] = -1;
    for (int b = 0; b < 256; b++) {
        bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        int code = printable ? b : next++;
        byte[code] = b;
        CHECK(bipe_byte_letter((uint8_t)b) == code);
    }
    for (int32_t code = -1; code < 0x400; code++)
        CHECK(bipe_letter_byte(code) == (code >= 0 && code < BIPE_BYTE_LETTERS ? byte[code] : -1));
}

int main(void)
{
    uint64_t random = 17;
    test_letters();
    test_behind();
    test_choice();
    test_rules(&random);
    test_fronts(&random);
    test_marks();
    test_places();
    test_splits(&random);
    test_missing(&random);
    test_overlapping(&random);
    test_apart(&random);
    test_memory(GPT2);
    test_memory("{\"type\":\"Sequence\",\"pretokenizers\":[" DIGITS("true") "," SPLIT("[a-z]+") "," LETTERS "]}");
    test_memory(
        "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"use_regex\":true},\"normalizer\":{\"type\":\"NFC\"}");
    return test_result();
}
