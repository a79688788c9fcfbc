/* test_make_tokenizer.c - tokenizers trained on texts: their pieces against a naive trainer that counts everything
 * again for each piece, and round trips through bipe's reader of SentencePiece models. */
#include <config.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "tests/scratch.h"
#include "tests/tokens.h"
#include "train/make_tokenizer.h"

enum { MOST_UNITS = 4000, MOST_PIECES = 1000, FIRST = 3 + 256 };

/* ---- the trainer under test ---- */

static int keep(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_buffer_append(context, bytes, size, err);
}

/* A model from documents (each ends with a NUL that is no part of it), fed in pieces of at most `cut` bytes. */
static int make(const bipe_tokenizer_options *options, const uint8_t *text, size_t size, size_t cut, bipe_buffer *model,
                bipe_tokenizer_facts *facts, bipe_error *err)
{
    bipe_tokenizer_maker *maker;
    bipe_output *output = NULL;
    model->size = 0;
    int status = bipe_tokenizer_maker_open(&maker, options, err);
    if (status != BIPE_OK)
        return status;
    for (size_t at = 0, end; status == BIPE_OK && at < size; at = end + 1) {
        end = (size_t)((const uint8_t *)memchr(text + at, 0, size - at) - text);
        status = bipe_tokenizer_maker_begin(maker, err);
        for (size_t n; status == BIPE_OK && at < end; at += n) {
            n = cut < end - at ? cut : end - at;
            uint8_t *piece = malloc(n); /* so that reading past it is seen */
            memcpy(piece, text + at, n);
            status = bipe_tokenizer_maker_feed(maker, piece, n, err);
            free(piece);
        }
        if (status == BIPE_OK)
            status = bipe_tokenizer_maker_end(maker, err);
    }
    if (status == BIPE_OK)
        status = bipe_output_open_sink(&output, keep, model, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_maker_write(maker, output, facts, err);
    if (status == BIPE_OK)
        status = bipe_output_commit(output, err);
    else
        bipe_output_abandon(output);
    bipe_tokenizer_maker_close(maker);
    return status;
}

static bipe_tokenizer *open_model(const bipe_buffer *model)
{
    bipe_error err = {0};
    bipe_tokenizer *tokenizer = NULL;
    CHECKF(bipe_tokenizer_open(&tokenizer, scratch_write("tokenizer.model", model->data, model->size), false, &err) ==
               BIPE_OK,
           "%s", err.text);
    return tokenizer;
}

/* ---- its twin: characters are strings, of an alphabet whose kinds are written here ---- */

typedef struct unit {
    const char *part[100];
    size_t parts;
} unit;

typedef struct twin {
    unit unit[MOST_UNITS];
    size_t units;
    char piece[MOST_PIECES][80];
    size_t pieces, characters;
    size_t count[24]; /* of each letter of the alphabet */
} twin;

/* s: space, l: letter, m: mark, o: other, d: digit, c: control or broken */
static const char *const alphabet[] = {" ", "a", "b", "C",  "é",  "中",   "\xCC\x81", ".",
                                       "-", "1", "٣", "\n", "\t", "\xFF", "▁",        "😀"};
static const char kinds[] = "slllllmooddcccso";
enum { LETTERS = sizeof alphabet / sizeof *alphabet };

static size_t letter_at(const uint8_t *text)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (strncmp((const char *)text, alphabet[i], strlen(alphabet[i])) == 0)
            return i;
    abort();
}

static void twin_add(unit *u, twin *t, const char *text)
{
    if (u->parts == 64)
        *(u = &t->unit[t->units++]) = (unit){0};
    u->part[u->parts++] = text;
}

/* Cuts a document: spaces and then the letters, or others, that follow them; all spaces but one are cut off. */
static void twin_cut(twin *t, const uint8_t *text, size_t size)
{
    char last = 0;
    for (size_t at = 0, first = 1; at < size || (first && size != 0); first = 0) {
        size_t letter = first ? 0 : letter_at(text + at);
        const char *string = kinds[letter] == 's' ? "▁" : alphabet[letter];
        char kind = kinds[letter];
        at += first ? 0 : strlen(alphabet[letter]);
        t->count[kind == 's' ? 14 : letter] += kind != 'c';
        if (kind == 'm')
            kind = last == 'o' ? 'o' : 'l';
        if (kind == 'd' || kind == 'c') {
            last = 0;
            continue;
        }
        if (last == 's' && kind != 's') {
            unit *spaces = &t->unit[t->units - 1];
            spaces->parts--;
            t->unit[t->units++] = (unit){{"▁"}, 1};
        } else if (last != kind)
            t->unit[t->units++] = (unit){0};
        twin_add(&t->unit[t->units - 1], t, string);
        last = kind;
    }
}

static size_t characters_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

/* The number of the piece that a and b are together, or SIZE_MAX. */
static size_t piece_of(const twin *t, const char *a, const char *b)
{
    size_t size = strlen(a);
    for (size_t i = 0; i < t->pieces; i++)
        if (strncmp(t->piece[i], a, size) == 0 && strcmp(t->piece[i] + size, b) == 0)
            return i;
    return SIZE_MAX;
}

/* The unit from its characters, by the pieces there are. */
static void twin_encode(const twin *t, unit *u)
{
    for (;;) {
        size_t best = SIZE_MAX, place = 0;
        for (size_t i = 0; i + 1 < u->parts; i++) {
            size_t piece = piece_of(t, u->part[i], u->part[i + 1]);
            if (piece < best) {
                best = piece;
                place = i;
            }
        }
        if (best == SIZE_MAX)
            return;
        u->part[place] = t->piece[best];
        u->parts--;
        memmove(&u->part[place + 1], &u->part[place + 2], (u->parts - place - 1) * sizeof *u->part);
    }
}

typedef struct joint {
    char text[80];
    size_t count;
} joint;

/* Counts what neighbours form in a unit, without overlaps. */
static void twin_count(const unit *u, size_t max_length, const bool *has_piece, joint *joints, size_t *count)
{
    char before[80] = "";
    for (size_t i = 0; i + 1 < u->parts; i++) {
        char text[600];
        bool known = true;
        for (size_t k = 0; k < LETTERS; k++)
            if (!has_piece[k] && (strcmp(u->part[i], alphabet[k]) == 0 || strcmp(u->part[i + 1], alphabet[k]) == 0))
                known = false;
        snprintf(text, sizeof text, "%s%s", u->part[i], u->part[i + 1]);
        if (!known || characters_of(text) > max_length || strcmp(text, before) == 0) {
            before[0] = '\0';
            continue;
        }
        strcpy(before, text);
        size_t at = 0;
        while (at < *count && strcmp(joints[at].text, text) != 0)
            at++;
        if (at == *count) {
            strcpy(joints[(*count)++].text, text);
            joints[at].count = 0;
        }
        joints[at].count++;
    }
}

static int compare_joints(const void *a, const void *b)
{
    const joint *x = a, *y = b;
    size_t x_characters = characters_of(x->text), y_characters = characters_of(y->text);
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x_characters != y_characters)
        return x_characters < y_characters ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Learns at most `want` merges, then the characters follow. False: there are fewer. */
static bool twin_learn(twin *t, double coverage, size_t max_length, size_t want)
{
    static joint joints[20000];
    bool has_piece[LETTERS] = {0};
    joint letters[LETTERS];
    size_t total = 0, covered = 0, different = 0;
    for (size_t i = 0; i < LETTERS; i++) {
        total += t->count[i];
        strcpy(letters[i].text, alphabet[i]);
        letters[i].count = t->count[i];
        different += t->count[i] != 0;
    }
    qsort(letters, LETTERS, sizeof *letters, compare_joints); /* one character each: by bytes, as by code points */
    for (t->characters = 0; t->characters < different && (double)covered < coverage * (double)total; t->characters++) {
        covered += letters[t->characters].count;
        for (size_t i = 0; i < LETTERS; i++)
            has_piece[i] |= strcmp(alphabet[i], letters[t->characters].text) == 0;
    }
    if (different != 0 && !has_piece[14]) { /* the space */
        has_piece[14] = true;
        strcpy(letters[t->characters++].text, "▁");
    }
    for (t->pieces = 0; t->pieces < want; t->pieces++) {
        size_t count = 0;
        for (size_t i = 0; i < t->units; i++) {
            unit u = t->unit[i];
            twin_encode(t, &u);
            twin_count(&u, max_length, has_piece, joints, &count);
        }
        qsort(joints, count, sizeof *joints, compare_joints);
        if (count == 0 || joints[0].count < 2)
            return false;
        strcpy(t->piece[t->pieces], joints[0].text);
    }
    for (size_t i = 0; i < t->characters; i++)
        strcpy(t->piece[t->pieces + i], letters[i].text);
    return true;
}

/* ---- comparisons ---- */

static void check_piece(const bipe_tokenizer *tokenizer, uint32_t id, const char *want)
{
    uint8_t four[4];
    const uint8_t *bytes;
    size_t size;
    bipe_error err = {0};
    char plain[80]; /* a space as it is decoded */
    size_t n = 0;
    for (const char *at = want; *at != '\0'; at++) {
        bool mark = strncmp(at, "▁", 3) == 0;
        plain[n++] = mark ? ' ' : *at;
        at += mark ? 2 : 0;
    }
    CHECK(bipe_tokenizer_decode(tokenizer, id, false, four, &bytes, &size, &err) == BIPE_OK);
    CHECKF(size == n && memcmp(bytes, plain, n) == 0, "%u is \"%.*s\", want \"%s\"", (unsigned)id, (int)size,
           (const char *)bytes, want);
}

/* Random documents of a few letters, which come again. */
static size_t make_documents(uint64_t *random, uint8_t *text, size_t size)
{
    size_t n = 0, letters = 1 + test_random(random) % LETTERS;
    for (size_t documents = test_random(random) % 4; documents != 0; documents--) {
        for (size_t length = test_random(random) % (size / 5); length != 0; length--) {
            const char *letter =
                alphabet[test_random(random) % 4 == 0 ? test_random(random) % 3 : test_random(random) % letters];
            size_t times = test_random(random) % 50 == 0 ? test_random(random) % 80 : 1;
            for (; times != 0 && n + strlen(letter) + 2 < size; times--, n += strlen(letter))
                memcpy(text + n, letter, strlen(letter));
        }
        text[n++] = '\0';
    }
    return n;
}

static unsigned learned, refused;

static void test_round(uint64_t *random)
{
    static twin t;
    uint8_t text[1200];
    bipe_buffer model = {0};
    bipe_error err = {0};
    bipe_tokenizer_facts facts = {0};
    double coverage = test_random(random) % 3 == 0 ? 0.9 : 0;
    size_t max_length = test_random(random) % 3 == 0 ? 2 + test_random(random) % 5 : 0, want = test_random(random) % 60;
    size_t size = make_documents(random, text, sizeof text), cut = 1 + test_random(random) % 40;
    memset(&t, 0, sizeof t);
    for (size_t at = 0; at < size; at += strlen((char *)text + at) + 1)
        twin_cut(&t, text + at, strlen((char *)text + at));
    bool enough = twin_learn(&t, coverage != 0 ? coverage : 0.99995, max_length != 0 ? max_length : 16, want);
    bipe_tokenizer_options options = {.pieces = FIRST + (t.characters != 0 ? t.characters + want : 1),
                                      .coverage = coverage, .max_length = max_length};
    int status = make(&options, text, size, cut, &model, &facts, &err);
    if (!enough || t.characters == 0) {
        refused++;
        CHECKF(status == (t.characters != 0 ? BIPE_ERR_ARGUMENT : BIPE_ERR_FORMAT), "%d", status);
        char fewer[40];
        snprintf(fewer, sizeof fewer, "yield %zu,", FIRST + t.characters + t.pieces);
        CHECKF(t.characters == 0 || strstr(err.text, fewer) != NULL, "%s: want %s", err.text, fewer);
    } else {
        learned++;
        CHECKF(status == BIPE_OK, "%s", err.text);
        CHECK(facts.merges == want && facts.characters == t.characters && facts.dropped == 0);
        bipe_tokenizer *tokenizer = open_model(&model);
        CHECK_UINT(bipe_tokenizer_size(tokenizer), options.pieces);
        for (size_t i = 0; i < want + t.characters; i++)
            check_piece(tokenizer, (uint32_t)(FIRST + i), t.piece[i]);
        bipe_tokenizer_close(tokenizer);
    }
    bipe_buffer_free(&model);
}

/* What is tokenized comes back, runs of spaces and bytes without a piece too. */
static void check_round_trip(const bipe_buffer *model, const void *text, size_t size, uint64_t *random)
{
    bipe_tokenizer *tokenizer = open_model(model);
    bipe_tokens tokens = {0};
    bipe_buffer back = {0};
    CHECK(bipe_tokenizer_bos(tokenizer) == 1 && bipe_tokenizer_eos(tokenizer) == 2);
    check_cuts(tokenizer, text, size, random, false, &tokens);
    decode_tokens(tokenizer, &tokens, &back);
    CHECK(back.size == size && memcmp(back.data, text, size) == 0);
    CHECK(tokens.count < size);
    bipe_tokens_free(&tokens);
    bipe_buffer_free(&back);
    bipe_tokenizer_close(tokenizer);
}

static void test_round_trip(void)
{
    static const char text[] = "The cat sat on  the mat; the cat's hat.\n\n\tThe 1999 cats:   a naïve café, 中文中文, "
                               "😀😀 and the end\r\nthe cat";
    bipe_buffer model = {0};
    bipe_error err = {0};
    uint64_t random = 9;
    CHECKF(make(&(bipe_tokenizer_options){.pieces = 290}, (const uint8_t *)text, sizeof text, 7, &model, NULL, &err) ==
               BIPE_OK,
           "%s", err.text);
    check_round_trip(&model, text, sizeof text - 1, &random);
    const char *folder = test_shared();
    char path[600];
    snprintf(path, sizeof path, "%s/texts/excerpt.txt", folder != NULL ? folder : "");
    size_t size;
    char *excerpt = folder != NULL ? scratch_read(path, &size) : NULL;
    if (excerpt != NULL) {
        CHECKF(make(&(bipe_tokenizer_options){.pieces = 800}, (const uint8_t *)excerpt, size + 1, 4096, &model, NULL,
                    &err) == BIPE_OK,
               "%s", err.text);
        check_round_trip(&model, excerpt, size, &random);
    }
    free(excerpt);
    bipe_buffer_free(&model);
}

/* Under a low limit the frequent word stays, and it does not matter how the text is cut into buffers. */
static void test_pruning(void)
{
    enum { SIZE = 60000 };
    uint8_t *text = malloc(SIZE);
    uint64_t random = 4;
    bipe_buffer model = {0}, other = {0};
    bipe_error err = {0};
    bipe_tokenizer_facts facts = {0};
    size_t n = 0;
    while (n + 24 < SIZE) {
        for (size_t i = 3 + test_random(&random) % 8; i != 0; i--)
            text[n++] = (uint8_t)('a' + test_random(&random) % 26);
        n += (size_t)sprintf((char *)text + n, " QXZWQXZW ");
    }
    text[n++] = '\0';
    bipe_tokenizer_options options = {.pieces = 330, .limit = 600};
    CHECKF(make(&options, text, n, n, &model, &facts, &err) == BIPE_OK, "%s", err.text);
    CHECK(make(&options, text, n, 1, &other, NULL, &err) == BIPE_OK);
    CHECK(model.size == other.size && memcmp(model.data, other.data, model.size) == 0);
    CHECK(facts.dropped > 1000 && facts.words < 600);
    bipe_tokenizer *tokenizer = open_model(&model);
    bipe_tokens tokens = {0};
    CHECK(tokens_of(tokenizer, "QXZWQXZW", 8, 0, NULL, &tokens, &err) == BIPE_OK);
    CHECK_UINT(tokens.count, 1);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(tokenizer);
    bipe_buffer_free(&model);
    bipe_buffer_free(&other);
    free(text);
}

static void check_refused(bipe_tokenizer_options options, const char *text, const char *want)
{
    bipe_buffer model = {0};
    bipe_error err = {0};
    CHECK(make(&options, (const uint8_t *)text, strlen(text) + 1, 5, &model, NULL, &err) ==
          (*text != '\0' ? BIPE_ERR_ARGUMENT : BIPE_ERR_FORMAT));
    CHECK_TEXT(err.text, want);
    CHECK(model.size == 0);
    bipe_buffer_free(&model);
}

static void test_refused(void)
{
    check_refused((bipe_tokenizer_options){.pieces = 259}, "a",
                  "a tokenizer of 259 pieces, expected 260 to 8388608: 3 are special, 256 are bytes");
    check_refused((bipe_tokenizer_options){.pieces = 8388609}, "a",
                  "a tokenizer of 8388609 pieces, expected 260 to 8388608: 3 are special, 256 are bytes");
    check_refused((bipe_tokenizer_options){.pieces = 300, .coverage = -1}, "a",
                  "pieces for -1 of the characters, expected more than 0 and at most 1");
    check_refused((bipe_tokenizer_options){.pieces = 300, .coverage = (double)NAN}, "a",
                  "pieces for nan of the characters, expected more than 0 and at most 1");
    check_refused((bipe_tokenizer_options){.pieces = 300, .max_length = 65}, "a",
                  "pieces of 65 characters, expected at most 64");
    check_refused((bipe_tokenizer_options){.pieces = 300, .limit = 9}, "a",
                  "a limit of 9 characters of distinct words, expected 128 to 1073741824");
    check_refused((bipe_tokenizer_options){.pieces = 300}, "", "no text to make a tokenizer of");
    check_refused((bipe_tokenizer_options){.pieces = 263}, "abcdabcd",
                  "263 pieces are too few: 3 special ones, 256 bytes and 5 characters make 264");
    check_refused((bipe_tokenizer_options){.pieces = 300}, "abcdabcd",
                  "300 pieces are too many: the texts yield 267, since a merge must occur at least 2 times");
}

/* A very long word. */
static void test_long_words(void)
{
    const size_t size = test_all_rounds() ? 1000000 : 100000;
    uint8_t *text = malloc(size + 1);
    bipe_buffer model = {0};
    bipe_error err = {0};
    memset(text, 'a', size);
    text[size] = '\0';
    CHECKF(make(&(bipe_tokenizer_options){.pieces = 265}, text, size + 1, 9999, &model, NULL, &err) == BIPE_OK, "%s",
           err.text);
    bipe_tokenizer *tokenizer = open_model(&model);
    static const char *const want[] = {"aa", "aaaa", "aaaaaaaa", "aaaaaaaaaaaaaaaa", "a", "▁"};
    for (uint32_t i = 0; i < 6; i++)
        check_piece(tokenizer, FIRST + i, want[i]);
    bipe_tokenizer_close(tokenizer);
    bipe_buffer_free(&model);
    free(text);
}

/* Each allocation fails once. */
static void test_memory(void)
{
    static const char text[] = "the cat and the hat and the cat and the hat and the other";
    bipe_tokenizer_options options = {.pieces = 280};
    bipe_buffer model = {0};
    int status;
    long n = 0;
    do {
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        n += test_stride(7);
        status = make(&options, (const uint8_t *)text, sizeof text, 9, &model, NULL, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || (status == BIPE_ERR_MEMORY && strstr(err.text, "memory") != NULL), "%ld: %s", n,
               err.text);
    } while (status != BIPE_OK && n < 10000);
    CHECKF(n > 20 && n < 10000, "%ld allocations", n);
    bipe_buffer_free(&model);
}

/* From a file: the text of every record. */
static void test_documents(void)
{
    static const char lines[] = "{\"text\": \"the cat\"}\n{\"text\": \"the cat sat\"}\n";
    static const char plain[] = "the cat\0the cat sat";
    bipe_tokenizer_options options = {.pieces = 272};
    bipe_error err = {0};
    bipe_documents *documents;
    bipe_tokenizer_maker *maker;
    bipe_output *output;
    bipe_buffer want = {0}, got = {0};
    CHECKF(make(&options, (const uint8_t *)plain, sizeof plain, 3, &want, NULL, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_tokenizer_maker_open(&maker, &options, &err) == BIPE_OK);
    CHECK(bipe_documents_open(&documents, scratch_write("t.jsonl", lines, sizeof lines - 1), BIPE_DOCUMENTS_AUTO,
                              "text", &err) == BIPE_OK);
    while (bipe_documents_next(documents, &err) == BIPE_OK)
        CHECKF(bipe_tokenizer_maker_read(maker, documents, &err) == BIPE_OK, "%s", err.text);
    bipe_documents_close(documents);
    CHECK(bipe_output_open_sink(&output, keep, &got, &err) == BIPE_OK &&
          bipe_tokenizer_maker_write(maker, output, NULL, &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    CHECK(want.size == got.size && memcmp(want.data, got.data, got.size) == 0);
    bipe_tokenizer_maker_close(maker);
    bipe_buffer_free(&want);
    bipe_buffer_free(&got);
}

/* Without a number, the characters alone: as many pieces as are needed at least. */
static void test_characters(void)
{
    static const char text[] = "the cat sat on the mat";
    bipe_tokenizer_options options = {.pieces = 0};
    bipe_buffer none = {0}, fewest = {0};
    bipe_error err = {0};
    CHECKF(make(&options, (const uint8_t *)text, sizeof text, 5, &none, NULL, &err) == BIPE_OK, "%s", err.text);
    options.pieces = FIRST + 10; /* the space, and a c e h m n o s t */
    CHECKF(make(&options, (const uint8_t *)text, sizeof text, 5, &fewest, NULL, &err) == BIPE_OK, "%s", err.text);
    CHECK(none.size == fewest.size && memcmp(none.data, fewest.data, none.size) == 0);
    bipe_buffer_free(&none);
    bipe_buffer_free(&fewest);
}

static uint32_t id_of(const bipe_tokenizer *tokenizer, const char *text)
{
    bipe_token_stream *stream;
    bipe_tokens tokens = {0};
    bipe_error err;
    CHECK(bipe_token_stream_open(&stream, tokenizer, &err) == BIPE_OK &&
          bipe_token_stream_begin(stream, &err) == BIPE_OK &&
          bipe_token_stream_feed(stream, (const uint8_t *)text, strlen(text), &tokens, &err) == BIPE_OK &&
          bipe_token_stream_end(stream, &tokens, &err) == BIPE_OK);
    CHECKF(tokens.count == 1, "%s: %zu tokens", text, tokens.count);
    uint32_t id = tokens.count > 0 ? tokens.token[0].id : UINT32_MAX;
    bipe_tokens_free(&tokens);
    bipe_token_stream_close(stream);
    return id;
}

/* Words between white space of all kinds, wherever they are cut; what is no text, too long, or looks like a special
 * token is no word. */
static void test_words(void)
{
    static const char text[] = "b a b\xE2\x80\x83"
                               "c\xC2\x85"
                               "b a\n\n\xC3\xA9 <unk> <s> x\xFF \"\\/\0c c\xE3\x80\x80"
                               "d e";
    static const struct { const char *word; uint32_t id;
    } want[] = {{"b", 3}, {"c", 4},  {"a", 5}, {"\xC3\xA9", 6}, {"\"\\/", 7}, {"d", 8},
                {"e", 0}, {"\n", 2}, {"z", 0}, {"bb", 0},       {"x", 0}};
    bipe_error err = {0};
    bipe_buffer all = {0}, model = {0};
    CHECK(bipe_buffer_append(&all, text, sizeof text, &err) == BIPE_OK);
    for (int i = 0; i < 3; i++) { /* 9000 bytes are one word, whatever comes within */
        for (int n = 0; n < 9000; n++)
            CHECK(bipe_buffer_append(&all, &"\xE2\x80"[n % 2], 1, &err) == BIPE_OK);
        CHECK(bipe_buffer_append(&all, " ", 1, &err) == BIPE_OK);
    }
    CHECK(bipe_buffer_append(&all, "", 1, &err) == BIPE_OK);
    for (size_t cut = 1; cut < 7; cut++) {
        bipe_tokenizer_options options = {.words = 6};
        CHECKF(make(&options, all.data, all.size, cut, &model, NULL, &err) == BIPE_OK, "%s", err.text);
        bipe_tokenizer *tokenizer = open_model(&model);
        CHECK(bipe_tokenizer_size(tokenizer) == 9 && bipe_tokenizer_bos(tokenizer) == 1);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            CHECKF(id_of(tokenizer, want[i].word) == want[i].id, "cut %zu: %s is %u, not %u", cut, want[i].word,
                   id_of(tokenizer, want[i].word), want[i].id);
        bipe_tokenizer_close(tokenizer);
    }
    bipe_tokenizer_options options = {.words = 1000};
    CHECK(make(&options, all.data, all.size, 9, &model, NULL, &err) == BIPE_OK);
    bipe_tokenizer *tokenizer = open_model(&model);
    CHECK(bipe_tokenizer_size(tokenizer) == 10);
    bipe_tokenizer_close(tokenizer);
    CHECK(make(&options, (const uint8_t *)" \n", 3, 9, &model, NULL, &err) == BIPE_ERR_FORMAT);
    bipe_buffer_free(&all);
    bipe_buffer_free(&model);
}

int main(void)
{
    uint64_t random = 15;
    for (int round = 0; round < test_rounds(200); round++)
        test_round(&random);
    CHECKF(!test_all_rounds() || (learned > 50 && refused > 25), "%u learned, %u refused", learned, refused);
    test_round_trip();
    test_pruning();
    test_refused();
    test_long_words();
    test_memory();
    test_documents();
    test_characters();
    test_words();
    return test_result();
}
