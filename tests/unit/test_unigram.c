/* test_unigram.c - the parts of Unigram: the trie, character maps from files that lie, the search against a naive one,
 * as Hugging Face's library has it in a tokenizer.json (SentencePiece's models: test_spm_tokenizer.c). */
#include <config.h>

#include <math.h>

#include "tests/charsmap_file.h"
#include "tests/scratch.h"
#include "tests/tokens.h"
#include "text/utf8.h"
#include "token/kind.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/spm_text.h"
#include "token/spm/unigram.h"

/* ---- the trie ---- */

static void test_trie(void)
{
    uint64_t random = 21;
    for (int round = 0; round < test_rounds(60); round++) {
        enum { STRINGS = 300 };
        static char text[STRINGS][8];
        bipe_trie_string strings[STRINGS];
        size_t count = 1 + test_random(&random) % STRINGS, letters = 1 + test_random(&random) % 255;
        for (size_t i = 0; i < count; i++) {
            size_t size = 1 + test_random(&random) % 7;
            for (size_t k = 0; k < size; k++)
                text[i][k] = (char)(uint8_t)(test_random(&random) % letters * 255 / letters);
            strings[i] = (bipe_trie_string){(const uint8_t *)text[i], size, (uint32_t)i};
        }
        bipe_trie_string sorted[STRINGS];
        memcpy(sorted, strings, sizeof sorted);
        bipe_piece_trie trie = {0};
        bipe_error err = {0};
        CHECK(bipe_piece_trie_build(&trie, sorted, count, &err) == BIPE_OK);
        for (int k = 0; k < 1000; k++) {
            /* One of the strings, or one with a byte changed. */
            const bipe_trie_string *s = &strings[test_random(&random) % count];
            uint8_t other[8];
            memcpy(other, s->text, s->size);
            if (k % 2)
                other[test_random(&random) % s->size] ^= (uint8_t)(1 + test_random(&random) % 255);
            uint32_t node = 0, want = BIPE_TRIE_NONE;
            size_t i = 0;
            while (i < s->size && (node = bipe_piece_trie_step(&trie, node, other[i])) != 0)
                i++;
            for (size_t p = 0; p < count; p++)
                if (strings[p].size == s->size && memcmp(strings[p].text, other, s->size) == 0)
                    want = (uint32_t)p;
            CHECK_UINT(node != 0 ? trie.node[node].value : (uint32_t)BIPE_TRIE_NONE, want);
        }
        bipe_piece_trie_free(&trie);
    }
}

/* All ideographs and many pairs of them: nodes with many children. The array is not much larger than what is in it. */
static void test_dense_trie(void)
{
    enum { FIRST = 0x4E00, IDEOGRAPHS = 0x5200, PAIRS = 40000, STRINGS = IDEOGRAPHS + PAIRS };
    uint64_t random = 4;
    uint8_t(*text)[6] = bipe_alloc(STRINGS, sizeof *text);
    bipe_trie_string *strings = bipe_alloc(STRINGS, sizeof *strings);
    if (text == NULL || strings == NULL)
        abort();
    for (uint32_t i = 0; i < STRINGS; i++) {
        uint32_t code = FIRST + (i < IDEOGRAPHS ? i : (uint32_t)(test_random(&random) % IDEOGRAPHS));
        size_t size = bipe_utf8_encode((int32_t)code, text[i]);
        if (i >= IDEOGRAPHS)
            size += bipe_utf8_encode((int32_t)(FIRST + test_random(&random) % IDEOGRAPHS), text[i] + size);
        strings[i] = (bipe_trie_string){text[i], size, i};
    }
    bipe_piece_trie trie = {0};
    bipe_error err = {0};
    CHECKF(bipe_piece_trie_build(&trie, strings, STRINGS, &err) == BIPE_OK, "%s", err.text);
    CHECKF(trie.size < 8 * STRINGS, "%zu nodes", trie.size);
    size_t bad = 0;
    for (uint32_t i = 0; i < IDEOGRAPHS; i++) {
        uint32_t node = bipe_piece_trie_step(&trie, 0, text[i][0]);
        node = node != 0 ? bipe_piece_trie_step(&trie, node, text[i][1]) : 0;
        node = node != 0 ? bipe_piece_trie_step(&trie, node, text[i][2]) : 0;
        bad += node == 0 || trie.node[node].value != i;
    }
    CHECK_UINT(bad, 0);
    bipe_piece_trie_free(&trie);
    bipe_free(strings);
    bipe_free(text);
}

/* ---- character maps ---- */

static const char *const letters[] = {"a", "b", "c", " ", "\xC3\xA9", "\xE4\xB8\xAD", "\xCC\x81", "ab", "\n", "A"};

static void random_map(uint64_t *random, test_map *map)
{
    map->count = 0;
    for (size_t wanted = 1 + test_random(random) % 12; wanted != 0; wanted--) {
        char text[2][MAP_TEXT] = {"", ""};
        for (int side = 0; side < 2; side++)
            for (size_t n = side == 0 ? 1 + test_random(random) % 3 : test_random(random) % 4; n != 0; n--)
                strcat(text[side], letters[test_random(random) % 10]);
        map_add(map, text[0], text[1]);
    }
}

static void test_maps(void)
{
    uint64_t random = 22;
    static test_map rules;
    for (int round = 0; round < test_rounds(200); round++) {
        random_map(&random, &rules);
        test_bytes file = map_file(&rules);
        bipe_character_map map = {0};
        bipe_error err = {0};
        CHECK(bipe_character_map_read(&map, file.data, file.size, &err) == BIPE_OK);
        uint8_t text[40];
        size_t size = random_text(&random, letters, 10, true, text, sizeof text);
        for (size_t at = 0; at < size; at++) {
            bipe_character_map_match match;
            const map_rule *want = map_longest(&rules, (const char *)text + at, size - at);
            CHECK(bipe_character_map_longest(&map, text + at, size - at, &match, &err) == BIPE_OK);
            CHECK_UINT(match.length, want != NULL ? strlen(want->from) : 0);
            if (want != NULL)
                CHECK(match.size == strlen(want->to) && memcmp(match.replacement, want->to, match.size) == 0);
            const map_rule *shortest = NULL;
            for (size_t n = 1; shortest == NULL && n <= size - at; n++) {
                shortest = map_longest(&rules, (const char *)text + at, n);
                bipe_character_map_shortest(&map, text + at, n, &match);
                CHECK_UINT(match.length, shortest != NULL ? n : 0);
            }
        }
        bipe_character_map_free(&map);
        free(file.data);
    }
}

/* Bytes at random and maps with damage: refused, or never read beyond. */
static void test_hostile_maps(void)
{
    uint64_t random = 23;
    static test_map rules;
    size_t read = 0;
    for (int round = 0; round < test_rounds(6000); round++) {
        random_map(&random, &rules);
        test_bytes file = map_file(&rules);
        size_t size = round % 3 == 0 ? test_random(&random) % (file.size + 1) : file.size;
        uint8_t *bytes = exact_copy(file.data, size);
        for (size_t damage = 1 + test_random(&random) % 40; damage != 0 && size > 4; damage--) {
            size_t at = 4 + test_random(&random) % (size - 4);
            bytes[at] = (uint8_t)test_random(&random);
        }
        if (round % 3 == 0 && size >= 4) {
            bytes[0] = (uint8_t)(size / 2 & 0xFC);
            bytes[1] = (uint8_t)(size / 512);
            bytes[2] = bytes[3] = 0;
        }
        bipe_spm_rules r = {.squeeze = round % 2, .dummy_prefix = true, .space = ' '};
        bipe_error err = {0};
        int status = bipe_character_map_read(&r.map, bytes, size, &err);
        CHECK(status == BIPE_OK || status == BIPE_ERR_FORMAT);
        for (int k = 0; status == BIPE_OK && k < 20; k++) {
            uint8_t text[40];
            bipe_character_map_match match;
            size_t n = random_text(&random, letters, 10, true, text, sizeof text);
            int found = bipe_character_map_longest(&r.map, text, n, &match, &err);
            CHECK(found == BIPE_OK);
            CHECK(match.length <= n &&
                  (match.length == 0 || (match.replacement >= r.map.text &&
                                         match.replacement + match.size <= r.map.text + r.map.text_size)));
            bipe_character_map_shortest(&r.map, text, n, &match);
            CHECK(match.length <= n);
            read++;
        }
        bipe_spm_rules_free(&r);
        free(bytes);
        free(file.data);
    }
    CHECK(!test_all_rounds() || read > 10000);

    bipe_character_map map = {0};
    bipe_error err = {0};
    CHECK(bipe_character_map_read(&map, "abc", 3, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "character map: 3 bytes, expected at least 4");
    CHECK(bipe_character_map_read(&map, "\5\0\0\0abcdefg", 11, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "character map: a trie of 5 bytes, expected a multiple of 4 up to 7");
    CHECK(bipe_character_map_read(&map, "\10\0\0\0abcdefg", 11, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_character_map_read(&map, "\0\0\0\0abcdefg", 11, &err) == BIPE_ERR_FORMAT);
    /* Two units that lead to each other by the letter a: a string without end. */
    uint8_t circle[4 + 4 * 256 + 1] = {0, 4};
    for (size_t i = 0; i < 256; i++)
        circle[4 + 4 * i] = 'a'; /* label a, offset 0: from place p to p ^ a and back */
    CHECK(bipe_character_map_read(&map, circle, sizeof circle, &err) == BIPE_OK);
    static uint8_t run[5000];
    memset(run, 'a', sizeof run);
    bipe_character_map_match match;
    CHECK(bipe_character_map_longest(&map, run, sizeof run, &match, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, "character map: a string of more than 1024 bytes");
    bipe_character_map_shortest(&map, run, sizeof run, &match);
    CHECK_UINT(match.length, 0);
    bipe_character_map_free(&map);
}

/* ---- the search ---- */

enum { PIECES = 80, TEXT = 200 };

typedef struct json_model {
    char text[PIECES][24];
    double score[PIECES];
    size_t count;
    bool fallback; /* after the pieces come the 256 bytes, */
    unsigned hidden; /* but for the one of this number, which has another name */
} json_model;

static void model_json(const json_model *m, test_bytes *json)
{
    char number[80];
    put_text(json, "{\"added_tokens\":[{\"id\":1,\"content\":\"<s>\",\"special\":true}],\"model\":{\"type\":"
                   "\"Unigram\",\"unk_id\":0,\"byte_fallback\":");
    put_text(json, m->fallback ? "true,\"vocab\":[" : "false,\"vocab\":[");
    for (size_t i = 0; i < m->count; i++) {
        snprintf(number, sizeof number, "\",%.17g]", m->score[i]);
        put_text(json, i != 0 ? ",[\"" : "[\"");
        for (const char *c = m->text[i]; *c != '\0'; c++)
            if (*c == '\n')
                put_text(json, "\\n");
            else
                put_bytes(json, c, 1);
        put_text(json, number);
    }
    for (unsigned b = 0; m->fallback && b < 256; b++) {
        snprintf(number, sizeof number, ",[\"<%cx%02X>\",0]", b == m->hidden ? 'y' : '0', b);
        put_text(json, number);
    }
    put_text(json, "]}}");
}

static size_t character(const uint8_t *text, size_t size, bool *broken)
{
    int32_t code;
    size_t n = bipe_utf8_decode(text, size, &code);
    *broken = code < 0;
    return code < 0 ? 1 : n;
}

typedef struct answer {
    uint32_t id[TEXT];
    size_t end[TEXT], count;
} answer;

static void answer_put(answer *a, uint32_t id, size_t end)
{
    a->id[a->count] = id;
    a->end[a->count++] = end;
}

/* Every way is looked at from its end: the best way to a place, over all pieces that end there, first come first. */
static void naive(const json_model *m, const uint8_t *text, size_t size, answer *a)
{
    static double best[TEXT + 1];
    static size_t from[TEXT + 1];
    static long piece[TEXT + 1];
    bool start[TEXT + 1] = {false}, broken[TEXT + 1] = {false};
    double min = m->fallback ? 0 : INFINITY;
    for (size_t i = 0; i < m->count; i++)
        min = fmin(min, m->score[i]);
    for (size_t i = 0; i < size;) {
        start[i] = true;
        i += character(text + i, size - i, &broken[i]);
    }
    start[size] = true;
    best[0] = 0;
    for (size_t to = 1; to <= size; to++) {
        piece[to] = -2;
        for (size_t i = 0; start[to] && i < to; i++) {
            if (!start[i])
                continue;
            bool whole = false, bad = false, one = true;
            for (size_t k = i; k < to; k++) {
                bad = bad || broken[k];
                one = one && (k == i || !start[k]);
            }
            for (size_t p = 0; p < m->count && !bad; p++) {
                if (p == 1 || strlen(m->text[p]) != to - i || memcmp(m->text[p], text + i, to - i) != 0)
                    continue; /* 1 is special */
                whole = true;
                if (piece[to] == -2 || best[i] + m->score[p] > best[to]) {
                    best[to] = best[i] + m->score[p];
                    from[to] = i;
                    piece[to] = (long)p;
                }
            }
            if (one && !whole && (piece[to] == -2 || best[i] + (min - 10) > best[to])) {
                best[to] = best[i] + (min - 10);
                from[to] = i;
                piece[to] = -1;
            }
        }
    }
    size_t path[TEXT], steps = 0;
    for (size_t to = size; to != 0; to = from[to])
        path[steps++] = to;
    a->count = 0;
    while (steps != 0) {
        size_t to = path[--steps], i = from[to];
        if (piece[to] > 0) {
            answer_put(a, (uint32_t)piece[to], to);
            continue;
        }
        while (steps != 0 && piece[path[steps - 1]] <= 0)
            to = path[--steps];
        long known = -1;
        for (size_t p = 0; p < m->count; p++)
            if (p != 1 && strlen(m->text[p]) == to - i && memcmp(m->text[p], text + i, to - i) == 0)
                known = (long)p;
        bool bytes = m->fallback && known < 0 && (m->hidden > 255 || memchr(text + i, (int)m->hidden, to - i) == NULL);
        if (!bytes)
            answer_put(a, known >= 0 ? (uint32_t)known : 0, to);
        else
            for (; i < to; i++)
                answer_put(a, (uint32_t)m->count + text[i], i + 1);
    }
}

static void random_json_model(uint64_t *random, json_model *m)
{
    m->fallback = test_random(random) % 2;
    m->hidden = test_random(random) % 2 == 0
                    ? 256
                    : (unsigned)(test_random(random) % 8 == 0 ? test_random(random) % 256 : 0xC3);
    strcpy(m->text[0], "<unk>");
    strcpy(m->text[1], "<s>");
    m->score[0] = m->score[1] = 0;
    m->count = 2;
    size_t wanted = 3 + test_random(random) % (PIECES - 3);
    for (int tries = 0; m->count < wanted && tries < 1000; tries++) {
        char text[24] = "";
        for (size_t n = 1 + test_random(random) % 3; n != 0; n--) {
            const char *more = test_random(random) % 2 && m->count > 2
                                   ? m->text[2 + test_random(random) % (m->count - 2)]
                                   : letters[test_random(random) % 10];
            if (strlen(text) + strlen(more) < sizeof text)
                strcat(text, more);
        }
        bool known = false;
        for (size_t i = 0; i < m->count; i++)
            known = known || strcmp(m->text[i], text) == 0;
        if (known)
            continue;
        /* Few scores and many ties, or tenths that do not add up. */
        m->score[m->count] = -(double)(test_random(random) % 7) / (test_random(random) % 2 ? 1 : 10);
        strcpy(m->text[m->count++], text);
    }
}

static int open_json(bipe_tokenizer **t, const test_bytes *json, bool special, bipe_error *err)
{
    write_file(scratch_path("t.json"), json->data, json->size);
    return bipe_tokenizer_open(t, scratch_path("t.json"), special, err);
}

static void test_json_models(void)
{
    static json_model m;
    static answer want;
    uint64_t random = 24;
    bipe_tokens tokens = {0};
    static const char *const words[] = {"a",  "b", "c",   " ",     "\xC3\xA9", "\xE4\xB8\xAD", "\xCC\x81", "ab",
                                        "\n", "A", "<s>", "<unk>", "z"};
    for (int round = 0; round < test_rounds(300); round++) {
        random_json_model(&random, &m);
        test_bytes json = {0};
        bipe_tokenizer *t;
        bipe_error err = {0};
        model_json(&m, &json);
        int status = open_json(&t, &json, false, &err);
        CHECKF(status == BIPE_OK, "%s", err.text);
        for (int k = 0; status == BIPE_OK && k < 15; k++) {
            uint8_t text[TEXT];
            size_t size = random_text(&random, words, 13, k % 3 == 0, text, test_random(&random) % sizeof text);
            naive(&m, text, size, &want);
            check_cuts(t, text, size, &random, false, &tokens);
            size_t wrong = 0;
            for (size_t i = 0; i < tokens.count && i < want.count; i++)
                wrong += tokens.token[i].id != want.id[i] || tokens.token[i].end != want.end[i];
            CHECKF(wrong == 0 && tokens.count == want.count, "round %d, text %d: %zu tokens, want %zu, %zu differ",
                   round, k, tokens.count, want.count, wrong);
        }
        bipe_tokenizer_close(t);
        free_bytes(&json);
    }
    bipe_tokens_free(&tokens);
}

/* Unknown characters in a row are bytes only if each byte has a token, however far after them the one without comes. */
static void test_some_bytes(void)
{
    static json_model m = {
        .text = {"<unk>", "<s>", "a"}, .score = {0, 0, -1}, .count = 3, .fallback = true, .hidden = 'z'};
    enum { ROW = 10000 };
    test_bytes json = {0};
    bipe_tokenizer *t;
    bipe_error err = {0};
    bipe_tokens tokens = {0};
    uint8_t *text = malloc(ROW);
    model_json(&m, &json);
    CHECKF(open_json(&t, &json, false, &err) == BIPE_OK, "%s", err.text);
    for (size_t z = 0; z < 4; z++) { /* nowhere, last, first, between */
        memset(text, 'x', ROW);
        text[ROW - 1] = 'a';
        if (z != 0)
            text[z == 1 ? ROW - 2 : z == 2 ? 0 : ROW / 2] = 'z';
        size_t cut = z == 0 ? 7 : 1000;
        CHECKF(tokens_of(t, text, ROW, cut, NULL, &tokens, &err) == BIPE_OK, "%s", err.text);
        CHECK_UINT(tokens.count, z == 0 ? ROW : 2);
        CHECK(tokens.count > 1 && tokens.token[0].id == (z == 0 ? 3U + 'x' : 0) &&
              tokens.token[tokens.count - 1].id == 2);
        CHECK(tokens.count > 1 && tokens.token[tokens.count - 2].end == ROW - 1);
        tokens.count = 0;
    }
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
    free_bytes(&json);
    free(text);
}

/* ---- what Hugging Face's library does with a character map ---- */

static void test_precompiled(void)
{
    /* Ids are places in this list. */
    static const char *const pieces[] = {"<unk>", "a", "b", "c", "x", "y", "e", "\xCC\x81", "\xC3\xA9", " ", "\n"};
    static test_map rules;
    rules.count = 0;
    map_add(&rules, "a", "x");
    map_add(&rules, "ab", "y"); /* never found: the shorter string is */
    map_add(&rules, "e\xCC\x81", "\xC3\xA9");
    map_add(&rules, "\r", " ");
    map_add(&rules, "\xE2\x84\xA2", "abc");
    map_add(&rules, "\x01", "");
    test_bytes map = map_file(&rules), json = {0};
    put_text(&json, "{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"");
    put_base64(&json, &map);
    put_text(&json, "\"},\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        put_text(&json, i != 0 ? ",[\"" : "[\"");
        put_text(&json, strcmp(pieces[i], "\n") == 0 ? "\\n" : pieces[i]);
        put_text(&json, "\",-1]");
    }
    put_text(&json, "]}}");
    bipe_tokenizer *t;
    bipe_error err = {0};
    int status = open_json(&t, &json, false, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    static const struct {
        const char *text, *want; /* id:start-end */
    } cases[] = {
        {"ab", "4:0-1 2:1-2"},
        {"e\xCC\x81", "8:0-3"},                           /* a cluster of three bytes */
        {"a\xCC\x81 b", "4:0-3 9:3-4 2:4-5"},             /* the rule for a takes the place of the whole cluster */
        {"e\xCC\x81\xCC\x81", "8:0-5"},                   /* five bytes */
        {"e\xCC\x81\xCC\x81\xCC\x81", "6:0-1 7:1-3 7:3-5 7:5-7"}, /* seven: character by character */
        {"a\xE0\xA2\x97" "b", "4:0-4 2:4-5"},                      /* a mark of Unicode 16 */
        {"\xF3\xA0\x83\xB9" "a\xCC\x81", "0:0-4 4:4-7"},       /* a place that stands alone, then a cluster */
        {"\xF3\xA0\x83\xB9\xCC\x81", "0:0-4 7:4-6"},
        {"\r\n\r", "9:0-2 9:2-3"},
        {"c\xE2\x84\xA2", "3:0-1 1:1-4 2:4-4 3:4-4"}, /* three letters for one character: the first has it */
        {"c\x01" "b", "3:0-1 2:2-3"},
        {"\x01\x01" "bc", "2:0-3 3:3-4"},
        {"c\xFF" "a\xE2\x84", "3:0-1 0:1-2 4:2-3 0:3-5"},
    };
    for (size_t i = 0; status == BIPE_OK && i < sizeof cases / sizeof *cases; i++) {
        bipe_tokens tokens = {0};
        bipe_buffer got = {0};
        uint64_t random = 26;
        check_cuts(t, cases[i].text, strlen(cases[i].text), &random, true, &tokens);
        for (size_t k = 0; k < tokens.count; k++)
            CHECK(bipe_buffer_printf(&got, &err, "%s%u:%u-%u", k != 0 ? " " : "", (unsigned)tokens.token[k].id,
                                     (unsigned)tokens.token[k].start, (unsigned)tokens.token[k].end) == BIPE_OK);
        CHECK_TEXT(got.data != NULL ? (const char *)got.data : "", cases[i].want);
        bipe_buffer_free(&got);
        bipe_tokens_free(&tokens);
    }
    bipe_tokenizer_close(t);

    /* Every allocation made to fail. */
    int left = BIPE_ERR_MEMORY;
    long n = 0;
    for (; left == BIPE_ERR_MEMORY && n < 10000; n += test_stride(7)) {
        bipe_tokens tokens = {0};
        t = NULL;
        bipe_alloc_fail_at(n);
        left = bipe_tokenizer_open(&t, scratch_path("t.json"), true, &err);
        if (left == BIPE_OK)
            left = tokens_of(t, "ab e\xCC\x81 zz<s>", 12, 5, NULL, &tokens, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(left == BIPE_OK || left == BIPE_ERR_MEMORY, "%s", err.text);
        bipe_tokens_free(&tokens);
        bipe_tokenizer_close(t);
    }
    CHECK(left == BIPE_OK && n > 20);
    free_bytes(&json);
    free_bytes(&map);
}

/* A text cut wherever a map and Metaspace leave it alone gives what it gives whole. */
static void test_precompiled_cuts(void)
{
    static const char *const words[] = {"a", "b", "e\xCC\x81", " ", "\n", "1", ".", "1\n1", "a. b", "b\na", "\xC2\xA8",
                                        "\r\n", "  ", "\x01", "1 =\xCC\xB8", "\xE4\xB8\xAD",
                                        "\xD1\x8F", "\xD1\x8F \xD0\xB6", "\xD0\xB6 \xD1\x8F\xCC\x81", "\xD8\x80",
                                        "\xCC\x81", "ab", "1111", "\xE4\xB8\xAD\xE5\x9B\xBD\xE4\xB8\xAD",
                                        "\xE4\xB8\xAD\xE4\xB8\xAD", "\xD0\xB6\xD0\xB6\xD1\x8F",
                                        "\xE1\x84\x80\xEA\xB0\x80",
                                        /* Clusters without end: emoji, flags, marks, syllables; and what is cut off. */
                                        "\xF0\x9F\x91\xA9\xE2\x80\x8D", "\xF0\x9F\x91\xA9\xCC\x81", "\xF0\x9F\x87\xA9",
                                        "\xCC\x81\xCC\x81\xCC\x81\xCC\x81",
                                        "\xE1\x84\x80\xE1\x85\xA1\xE1\x85\xA1\xE1\x86\xA8", "\xE4\xB8", "\xFF"};
    static const char *const splits[] = {
        "{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"always\"}",
        "{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"first\"}",
        "{\"type\":\"WhitespaceSplit\"}",
        ("{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"WhitespaceSplit\"},{\"type\":\"Metaspace\","
         "\"replacement\":\"\xE2\x96\x81\"}]}")};
    static test_map rules;
    uint64_t random = 27;
    for (int round = 0; round < test_rounds(60); round++) {
        rules.count = 0;
        if (round % 4 != 0)
            map_add(&rules, "\n", round % 4 == 1 ? "." : " ");
        map_add(&rules, "e\xCC\x81", "\xC3\xA9");
        map_add(&rules, "\xC2\xA8", " \xCC\x88");
        map_add(&rules, "\x01", "");
        if (round % 7 == 1)
            map_add(&rules, "1", round % 2 ? "" : "..");
        if (round % 7 == 2)
            map_add(&rules, ".", round % 2 ? " " : "1");
        /* Letters that take part of the space, and go, and stay. */
        static const char *const from[] = {"\xD1\x8F", "\xD1\x8F\xCC\x81", "\xD8\x80",
                                           "\xD0\xB6", "\xD0\xB6",         "\xD8\x80\xD1\x8F"};
        static const char *const to[] = {" \xD1\x8F", "\xCC\x81 ", " ", "", "\xCE\xB6\xCC\x81", ""};
        if (round % 8 < 6)
            map_add(&rules, from[round % 8], to[round % 8]);
        /* Ideographs that are others, or something else. */
        static const char *const becomes[] = {"\xE5\x9B\xBD", "", "1", " \xE4\xB8\xAD", "\xE5\x9B\xBD\xE5\x9B\xBD"};
        if (round % 6 < 5)
            map_add(&rules, "\xE4\xB8\xAD", becomes[round % 6]);
        test_bytes map = map_file(&rules), json = {0};
        put_text(&json, "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Precompiled\","
                        "\"precompiled_charsmap\":\"");
        put_base64(&json, &map);
        put_text(&json,
                 "\"},{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\" \"}]},\"pre_tokenizer\":");
        put_text(&json, splits[round / 2 % 4]);
        put_text(&json, ",\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"a\",-1],[\"1\",-2],["
                        "\"\xE2\x96\x81\",-2],"
                        "[\"\xE2\x96\x81"
                        "1\",-2.5],[\".\",-1],[\"\xE2\x96\x81"
                        "a.\",-3],[\"1.\",-1]]}}");
        bipe_tokenizer *t;
        bipe_error err = {0};
        CHECKF(open_json(&t, &json, false, &err) == BIPE_OK, "%s", err.text);
        bipe_pipeline *p = t->model;
        p->safe->units = round % 2 == 0;
        for (int k = 0; k < 50; k++) {
            uint8_t text[100];
            bipe_tokens whole = {0}, cut = {0};
            size_t size = random_text(&random, words, sizeof words / sizeof *words, k % 4 == 0, text, sizeof text);
            p->chunk = BIPE_PIPELINE_CHUNK;
            CHECK(tokens_of(t, text, size, 0, NULL, &whole, &err) == BIPE_OK);
            p->chunk = 1;
            CHECK(tokens_of(t, text, size, 3, NULL, &cut, &err) == BIPE_OK);
            CHECKF(same_tokens(&whole, &cut), "round %d: \"%.*s\"", round, (int)size, (const char *)text);
            bipe_tokens_free(&whole);
            bipe_tokens_free(&cut);
        }
        bipe_tokenizer_close(t);
        free_bytes(&json);
        free_bytes(&map);
    }
}

static void check_refused(const char *json, int status, const char *text)
{
    bipe_tokenizer *t = NULL;
    bipe_error err = {0};
    test_bytes file = {0};
    char want[700];
    put_text(&file, json);
    int got = open_json(&t, &file, false, &err);
    CHECKF(got == status, "%s: status %d", text, got);
    snprintf(want, sizeof want, "%s: %s", scratch_path("t.json"), text);
    CHECK_TEXT(err.text, want);
    bipe_tokenizer_close(t);
    free_bytes(&file);
}

#define MODEL(rest) "{\"model\":{\"type\":\"Unigram\"," rest "}}"

static void test_refused(void)
{
    check_refused(MODEL("\"unk_id\":0"), BIPE_ERR_FORMAT, "model: no array \"vocab\" with pieces in it");
    check_refused(MODEL("\"unk_id\":0,\"vocab\":[]"), BIPE_ERR_FORMAT, "model: no array \"vocab\" with pieces in it");
    check_refused(MODEL("\"unk_id\":0,\"vocab\":[[\"a\"]]"), BIPE_ERR_FORMAT,
                  "model: vocab: 0: expected [string, number]");
    check_refused(MODEL("\"unk_id\":0,\"vocab\":[[\"a\",0],[\"a\",1]]"), BIPE_ERR_UNSUPPORTED,
                  "model: vocab: \"a\" occurs twice, as 0 and as 1");
    check_refused(MODEL("\"unk_id\":1,\"vocab\":[[\"a\",0]]"), BIPE_ERR_FORMAT,
                  "model: unk_id: expected an id below 1");
    check_refused(MODEL("\"unk_id\":0,\"alpha\":1,\"vocab\":[[\"a\",0]]"), BIPE_ERR_UNSUPPORTED, "model: member alpha");
    check_refused("{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AA\"},\"model\":{}}",
                  BIPE_ERR_FORMAT,
                  "normalizer: Precompiled: precompiled_charsmap: 2 characters of base64, expected a multiple of 4");
    check_refused("{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"A.AA\"},\"model\":{}}",
                  BIPE_ERR_FORMAT, "normalizer: Precompiled: precompiled_charsmap: character 1 is not base64");
    check_refused("{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAA=\"},\"model\":{}}",
                  BIPE_ERR_FORMAT, "normalizer: Precompiled: character map: 2 bytes, expected at least 4");
}

int main(void)
{
    test_trie();
    test_dense_trie();
    test_maps();
    test_hostile_maps();
    test_json_models();
    test_some_bytes();
    test_precompiled();
    test_precompiled_cuts();
    test_refused();
    return test_result();
}
