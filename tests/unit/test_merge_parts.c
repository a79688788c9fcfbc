/* test_merge_parts.c - pre-tokens cut into parts against whole ones (the general way): random vocabularies of bytes, whose merges join
 * characters and pieces of them, with strings that no merge makes, for patterns with a rule and without. */
#include "tests/tokenizers.h"
#include "token/pipeline/pipeline.h"
#include "token/pretoken/pretoken_patterns.h"

enum { MOST_TOKENS = 120, MOST_SIZE = 150 };

typedef struct token {
    uint8_t text[MOST_SIZE];
    size_t size;
} token;

static token tokens[MOST_TOKENS];
static size_t token_count;

/* Characters that have bytes in common, so that pieces of one are pieces of another; some of other sizes. */
static const char *const characters[] = {"\xE3\x81\x81", "\xE3\x81\x82", "\xE3\x82\x81", "\xE4\x81\x81", "\xE4\xB8\xAD", "\xE6\x96\x87", "\xEC\x81\x82",
                                         "a", "B", " ", "\xC3\xA9", "\xD0\x81", "\xF0\x9F\x98\x81", "\xE3\x80\x82", "'", "1", "\xE3\x81", "\x81"};
enum { CHARACTERS = sizeof characters / sizeof *characters };

static void add_letters(bipe_buffer *out, const token *t)
{
    for (size_t i = 0; i < t->size; i++)
        put_letter(out, t->text[i]);
}

static bool is_known(const token *t)
{
    for (size_t i = 0; i < token_count; i++)
        if (tokens[i].size == t->size && memcmp(tokens[i].text, t->text, t->size) == 0)
            return true;
    return false;
}

static void add_bytes(token *t, const void *bytes, size_t size)
{
    memcpy(t->text + t->size, bytes, size);
    t->size += size;
}

/* A token that is there already, the last one where they are to be long, or a byte of some character. */
static token random_token(bool longer, uint64_t *random)
{
    token t = {0};
    if (token_count != 0 && longer && test_random(random) % 2 == 0)
        return tokens[token_count - 1];
    if (token_count != 0 && test_random(random) % 3 != 0)
        return tokens[test_random(random) % token_count];
    const char *character = characters[test_random(random) % CHARACTERS];
    add_bytes(&t, character + test_random(random) % strlen(character), 1);
    return t;
}

/* Whether it may stand in a text of whole characters. */
static bool is_piece(const token *t)
{
    size_t wanted = 0;
    bool begun = false;
    for (size_t i = 0; i < t->size; i++) {
        uint8_t b = t->text[i];
        bool goes_on = (b & 0xC0) == 0x80;
        if (begun ? goes_on != (wanted != 0) : goes_on && i > 2)
            return false;
        if (goes_on) {
            wanted -= wanted != 0;
            continue;
        }
        begun = true;
        wanted = b < 0x80 ? 0 : b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
    }
    return true;
}

static bipe_buffer merges;

/* False: they are merged already, or too long. */
static bool add_merge(const token *left, const token *right)
{
    token both = *left;
    if (left->size + right->size > MOST_SIZE)
        return false;
    add_bytes(&both, right->text, right->size);
    if (is_known(&both))
        return false;
    bipe_buffer_append(&merges, token_count != 0 ? ",\"" : "\"", token_count != 0 ? 2 : 1, NULL);
    add_letters(&merges, left);
    bipe_buffer_append(&merges, " ", 1, NULL);
    add_letters(&merges, right);
    bipe_buffer_append(&merges, "\"", 1, NULL);
    tokens[token_count++] = both;
    return true;
}

static void random_merges(size_t count, uint64_t *random)
{
    bool longer = test_random(random) % 3 == 0;
    while (token_count < count) {
        token left = random_token(longer, random), right = random_token(longer, random), both = left;
        if (left.size + right.size > MOST_SIZE)
            continue;
        add_bytes(&both, right.text, right.size);
        if (is_piece(&both) || test_random(random) % 16 == 0)
            add_merge(&left, &right);
    }
}

/* A character, and more of it: the last token is 2^doublings of them. */
static token add_row(const char *character, size_t doublings)
{
    token row = {0};
    add_bytes(&row, character, 1);
    for (size_t i = 1; i < strlen(character); i++) {
        token byte = {.text = {(uint8_t)character[i]}, .size = 1};
        add_merge(&row, &byte);
        row = tokens[token_count - 1];
    }
    for (; doublings != 0; doublings--) {
        add_merge(&row, &row);
        row = tokens[token_count - 1];
    }
    return row;
}

/* Nothing joins two characters but a merge of what is longer than short words. */
static void long_merges(void)
{
    token left = add_row(characters[0], 4), right = add_row(characters[4], 3);
    add_merge(&left, &right);
}

/* The merges, and `alone` strings that are in the vocabulary beside those that merges make. whole: ignore_merges. */
static void make_json(bipe_buffer *json, const char *pre, bool whole, size_t alone, uint64_t *random)
{
    size_t merged = token_count;
    while (token_count < merged + alone) {
        token t = {0};
        for (size_t n = 1 + test_random(random) % 4; n != 0; n--) {
            const char *character = characters[test_random(random) % CHARACTERS];
            add_bytes(&t, character, strlen(character));
        }
        if (t.size > 1 && !is_known(&t))
            tokens[token_count++] = t;
    }
    bipe_buffer_printf(json, NULL, "{\"pre_tokenizer\":%s,\"model\":{\"type\":\"BPE\",\"ignore_merges\":%s,\"vocab\":{", pre, whole ? "true" : "false");
    for (unsigned b = 0; b < 256; b++) {
        token t = {.text = {(uint8_t)b}, .size = 1};
        bipe_buffer_printf(json, NULL, "%s\"", b != 0 ? "," : "");
        add_letters(json, &t);
        bipe_buffer_printf(json, NULL, "\":%u", b);
    }
    for (size_t i = 0; i < token_count; i++) {
        bipe_buffer_printf(json, NULL, ",\"");
        add_letters(json, &tokens[i]);
        bipe_buffer_printf(json, NULL, "\":%zu", 256 + i);
    }
    bipe_buffer_printf(json, NULL, "},\"merges\":[%.*s]}}", (int)merges.size, (const char *)merges.data);
}

static size_t cut, kept; /* words of masks with borders; strings that are left alone */

static void check_text(bipe_tokenizer *t, const uint8_t *text, size_t size, uint64_t *random)
{
    bipe_pipeline *p = t->model;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    uint64_t mask[64] = {0};
    p->quick = false;
    CHECKF(tokens_of(t, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    p->quick = true;
    for (int round = 0; round < 3; round++) {
        p->chunk = round == 0 ? BIPE_PIPELINE_CHUNK : 1 + test_random(random) % 80;
        CHECKF(tokens_of(t, text, size, round == 0 ? 0 : 1 + test_random(random) % 60, random, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "round %d: %zu and %zu tokens", round, want.count, got.count);
    }
    p->chunk = BIPE_PIPELINE_CHUNK;
    if (p->parts.joined != NULL && size < 4000) {
        bipe_pretoken_parts_find(&p->parts, text, size, mask);
        for (size_t i = 0; i < 64; i++)
            cut += mask[i] != 0;
        kept += p->parts.alone.count;
    }
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

static void random_texts(bipe_tokenizer *t, uint64_t *random)
{
    uint8_t text[3000];
    for (int round = 0; round < 6; round++) {
        size_t size = 0, most = 1 + test_random(random) % (round == 0 ? sizeof text - MOST_SIZE : 150), few = test_random(random) % 2 == 0 ? 7 : CHARACTERS;
        while (size < most) {
            bool is_token = token_count != 0 && test_random(random) % 4 == 0;
            const token *one = is_token ? &tokens[test_random(random) % token_count] : NULL;
            const char *character = characters[test_random(random) % few];
            size_t n = is_token ? one->size : strlen(character);
            memcpy(text + size, is_token ? (const char *)one->text : character, n);
            size += n;
        }
        check_text(t, text, size, random);
    }
    for (size_t i = 0; i < token_count; i++)
        check_text(t, tokens[i].text, tokens[i].size, random);
}

#define SPLIT(pattern) "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"},\"behavior\":\"Isolated\"," \
    "\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}"

int main(void)
{
    static const char *const pre[] = {
        "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}", /* with a rule, */
        SPLIT("[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+"
              "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+"
              "[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|"
              "\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"),
        SPLIT("a?[^a ]{1,9}|\\\\s+"), /* and without */
    };
    uint64_t random = 5;
    size_t with_parts = 0, rules = 0;
    for (int round = 0; round < test_rounds(200); round++) {
        bipe_buffer json = {0};
        bool whole = test_random(&random) % 2 == 0;
        merges.size = token_count = 0;
        if (round < 6)
            long_merges();
        else
            random_merges(test_random(&random) % 3 == 0 ? 1 + test_random(&random) % 6 : 1 + test_random(&random) % 80, &random);
        make_json(&json, pre[round % 3], whole, whole ? test_random(&random) % 20 : 0, &random);
        bipe_tokenizer_put_off(test_random(&random) % 2 == 0 ? 1 + test_random(&random) % 300 : 0); /* anywhere in the texts */
        bipe_tokenizer t = must_read_json(&json, false);
        bipe_pipeline *p = t.model;
        CHECK(p->quick && (p->rule != NULL) == (round % 3 != 2));
        rules += p->rule != NULL;
        random_texts(&t, &random);
        with_parts += p->parts.joined != NULL;
        bipe_tokenizer_clear(&t);
        bipe_buffer_free(&json);
    }
    CHECKF((with_parts != 0 && rules != 0 && cut != 0 && kept != 0) || !test_all_rounds(), "%zu %zu %zu %zu", with_parts, rules, cut, kept);
    bipe_buffer_free(&merges);
    return test_result();
}
