/* test_merge_parts.c - random byte-level vocabularies: pre-tokens that are split where no merge reaches across
 * (pretoken_parts.h), against the same model without these parts. */
#include "tests/tokenizers.h"
#include "token/pipeline/merge_model.h"
#include "token/pretoken/pretoken_patterns.h"

/* Characters of three bytes with bytes in common, and others. */
static const char *const letters[] = {"\xE4\xB8\xAD", "\xE4\xB8\x81", "\xE3\x81\x81", "\xE3\x81\xAD", "\xE3\xB8\x81",
                                      "\xEF\xBC\x81", "a", " ", "\n", "\xC3\xA9", "\xF0\x9F\x99\x82", "1"};

enum { LETTERS = sizeof letters / sizeof *letters, HIGH = 6, PIECES = 70, LONGEST = 14 };

/* Strings of bytes: first those that merges make, each from two before it, then those that none makes. */
typedef struct vocabulary {
    struct piece {
        uint8_t bytes[LONGEST];
        size_t size, left, right;
    } piece[256 + PIECES];
    size_t pieces, merges;
} vocabulary;

static bool add_piece(vocabulary *v, const uint8_t *bytes, size_t size, size_t left, size_t right)
{
    for (size_t i = 0; i < v->pieces; i++)
        if (v->piece[i].size == size && memcmp(v->piece[i].bytes, bytes, size) == 0)
            return false;
    struct piece *p = &v->piece[v->pieces++];
    memcpy(p->bytes, bytes, size);
    p->size = size;
    p->left = left;
    p->right = right;
    return true;
}

/* A byte of a letter, or one of the strings before: neighbours in a text more often than not. */
static size_t random_piece(const vocabulary *v, uint64_t *random)
{
    const char *letter = letters[test_random(random) % LETTERS];
    return v->pieces > 256 && test_random(random) % 3 != 0 ? 256 + test_random(random) % (v->pieces - 256)
                                                           : (uint8_t)letter[test_random(random) % strlen(letter)];
}

static void make_vocabulary(vocabulary *v, bool whole, uint64_t *random)
{
    uint8_t bytes[2 * LONGEST];
    v->pieces = 0;
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t byte = (uint8_t)b;
        add_piece(v, &byte, 1, 0, 0);
    }
    for (int i = 0; i < HIGH && test_random(random) % 4 != 0; i++) { /* most characters are tokens */
        memcpy(bytes, letters[i], 3);
        if (add_piece(v, bytes + test_random(random) % 2, 2, 0, 0)) {
            struct piece *p = &v->piece[v->pieces - 1];
            bool front = p->bytes[0] == bytes[0];
            p->left = p->bytes[0];
            p->right = p->bytes[1];
            add_piece(v, bytes, 3, front ? v->pieces - 1 : bytes[0], front ? bytes[2] : v->pieces - 1);
        }
    }
    for (size_t n = test_random(random) % 30; n != 0; n--) {
        size_t left = random_piece(v, random), right = random_piece(v, random);
        const struct piece *a = &v->piece[left], *b = &v->piece[right];
        memcpy(bytes, a->bytes, a->size);
        memcpy(bytes + a->size, b->bytes, b->size);
        if (a->size + b->size <= LONGEST)
            add_piece(v, bytes, a->size + b->size, left, right);
    }
    v->merges = v->pieces;
    for (size_t n = whole ? test_random(random) % 12 : 0; n != 0; n--) {
        size_t count = test_random(random) % 4 == 0 ? LETTERS : HIGH + 1;
        size_t size = random_text(random, letters, count, n % 4 == 0, bytes, 1 + test_random(random) % LONGEST);
        if (size != 0)
            add_piece(v, bytes, size, 0, 0);
    }
}

static void put_piece(bipe_buffer *json, const vocabulary *v, size_t i)
{
    for (size_t k = 0; k < v->piece[i].size; k++)
        put_letter(json, v->piece[i].bytes[k]);
}

static const char *const splits[] = {"[^\\\\r\\\\n]+", BIPE_PATTERN_GPT2, BIPE_PATTERN_CL100K, BIPE_PATTERN_O200K};

static void make_json(bipe_buffer *json, const vocabulary *v, size_t split, bool whole)
{
    bipe_buffer_printf(json, NULL, "{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":["
                                   "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"");
    for (const char *c = splits[split]; *c != '\0'; c++)
        bipe_buffer_printf(json, NULL, "%s%c", split != 0 && (*c == '\\' || *c == '"') ? "\\" : "", *c);
    bipe_buffer_printf(json, NULL, "\"},\"behavior\":\"Isolated\",\"invert\":false},"
                                   "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]},"
                                   "\"model\":{\"type\":\"BPE\",\"ignore_merges\":%s,\"vocab\":{",
                       whole ? "true" : "false");
    for (size_t i = 0; i < v->pieces; i++) {
        bipe_buffer_printf(json, NULL, "%s\"", i != 0 ? "," : "");
        put_piece(json, v, i);
        bipe_buffer_printf(json, NULL, "\":%zu", i);
    }
    bipe_buffer_printf(json, NULL, "},\"merges\":[");
    for (size_t i = 256; i < v->merges; i++) {
        bipe_buffer_printf(json, NULL, "%s[\"", i != 256 ? "," : "");
        put_piece(json, v, v->piece[i].left);
        bipe_buffer_printf(json, NULL, "\",\"");
        put_piece(json, v, v->piece[i].right);
        bipe_buffer_printf(json, NULL, "\"]");
    }
    bipe_buffer_printf(json, NULL, "]}}");
}

static bipe_pretoken_parts *parts_of(const bipe_tokenizer *t)
{
    const bipe_pipeline *p = t->model;
    CHECK(p->quick);
    return &((bipe_merge_model *)p->model)->parts;
}

static void test_vocabulary(uint64_t *random, size_t *borders, size_t *alone)
{
    static vocabulary v;
    bipe_buffer json = {0};
    size_t split = test_random(random) % (sizeof splits / sizeof *splits);
    bool whole = test_random(random) % 2 != 0;
    make_vocabulary(&v, whole, random);
    make_json(&json, &v, split, whole);
    bipe_tokenizer parted = must_read_json(&json, false), twin = must_read_json(&json, false);
    CHECK(((bipe_pipeline *)parted.model)->rule != NULL || split == 0);
    bipe_pretoken_parts *parts = parts_of(&parted);
    CHECK(parts->joined != NULL);
    bipe_pretoken_parts_free(parts_of(&twin));
    *alone += parts->alone.count;
    for (int round = 0; round < 8; round++) {
        uint8_t text[700];
        uint32_t start[sizeof text / 3];
        size_t size = 1 + test_random(random) % sizeof text;
        size = random_text(random, letters, round % 2 == 0 ? HIGH + 1 : LETTERS, round % 4 == 1, text, size);
        *borders += bipe_parts_find(parts, text, 0, size, start);
        check_twin(&twin, &parted, text, size, round < 6 ? 0 : 1 + test_random(random) % 40, random, &json);
    }
    /* Strings of the vocabulary, as pre-tokens and within them. */
    for (size_t k = 0; k < 3 * (v.pieces - 256); k++) {
        size_t i = 256 + k / 3;
        uint8_t text[LONGEST + 16];
        size_t before = random_text(random, letters, HIGH + 1, false, text, test_random(random) % 5);
        memcpy(text + before, v.piece[i].bytes, v.piece[i].size);
        size_t size = before + v.piece[i].size;
        size += random_text(random, letters, HIGH + 1, false, text + size, test_random(random) % 4);
        memcpy(text + size, "1a1a1a", 6); /* the last pre-token of a text is found in another way */
        check_twin(&twin, &parted, text, size + 6, 0, random, &json);
    }
    bipe_tokenizer_clear(&parted);
    bipe_tokenizer_clear(&twin);
    bipe_buffer_free(&json);
}

int main(void)
{
    uint64_t random = 46;
    size_t borders = 0, alone = 0;
    for (unsigned i = 0, rounds = test_rounds(150); i < rounds; i++)
        test_vocabulary(&random, &borders, &alone);
    CHECKF((borders > 5000 && alone > 50) || !test_all_rounds(), "%zu borders, %zu strings", borders, alone);
    return test_result();
}
