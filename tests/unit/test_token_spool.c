/* test_token_spool.c - words of a stream against a naive count, and tokens kept across batches and broken documents. */
#include "measure/token_spool.h"

#include "base/alloc.h"
#include "tests/check.h"
#include "text/utf8.h"

enum { TEXT_MOST = 400 };

/* Pieces that texts are made of: letters, white space of one to three bytes, other long characters, and broken
 * bytes. */
static const char *const pieces[] = {"a", "bc", " ", "\n", "\t", "\r\n", "\xc2\xa0", "\xe2\x80\x83", "\xe3\x80\x80",
                                     "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xe2\x80", "\xff", "\xe3", "\xc2",
                                     "."};
enum { PIECES = sizeof pieces / sizeof pieces[0] };

static size_t make_text(uint8_t *text, uint64_t *seed)
{
    size_t size = 0, want = test_random(seed) % (TEXT_MOST - 4);
    while (size < want) {
        const char *piece = pieces[test_random(seed) % PIECES];
        memcpy(text + size, piece, strlen(piece));
        size += strlen(piece);
    }
    return size;
}

/* Length of the white space at text[0 .. size), 0 when there is none: the bytes of Unicode's White_Space, spelt out. */
static size_t naive_space(const uint8_t *text, size_t size)
{
    static const char *const spaces[] = {" ", "\t", "\n", "\v", "\f", "\r", "\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80",
                                         "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
                                         "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89",
                                         "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
                                         "\xe3\x80\x80"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strlen(spaces[i]) <= size && memcmp(text, spaces[i], strlen(spaces[i])) == 0)
            return strlen(spaces[i]);
    return 0;
}

/* Marks the bytes at which words begin. */
static void naive_words(const uint8_t *text, size_t size, bool *begins)
{
    bool in_word = false;
    for (size_t at = 0; at < size;) {
        size_t space = naive_space(text + at, size - at);
        begins[at] = space == 0 && !in_word;
        in_word = space == 0;
        for (size_t k = 1; k < space; k++)
            begins[at + k] = false;
        at += space == 0 ? 1 : space;
    }
}

/* A document as the stream would hand it out: tokens of random sizes, cut into batches between them where a character
 * ends. */
typedef struct document {
    uint8_t text[TEXT_MOST + 8];
    bool begins[TEXT_MOST + 8];
    size_t size;
    bipe_token token[TEXT_MOST + 8];
    uint8_t closes[TEXT_MOST + 8];
    size_t count;
} document;

static void make_document(document *d, uint64_t *seed)
{
    d->size = make_text(d->text, seed);
    naive_words(d->text, d->size, d->begins);
    d->count = 0;
    for (size_t at = 0; at < d->size; d->count++) {
        size_t end = at + 1 + test_random(seed) % 6;
        if (end > d->size)
            end = d->size;
        d->token[d->count] = (bipe_token){ .start = at, .end = end, .id = (uint32_t)(test_random(seed) % 100) };
        d->closes[d->count] = test_random(seed) % 4 == 0;
        at = end;
    }
}

/* Feeds the first `limit` tokens of the document; all of them end it. The status of the last call. */
static int feed(bipe_token_spool *spool, const document *d, int64_t bos, size_t limit, uint64_t vocabulary,
                uint64_t *seed, bipe_error *err)
{
    int status = bipe_token_spool_begin(spool, bos, vocabulary, err);
    size_t at = 0, byte = 0;
    while (status == BIPE_OK) {
        size_t count = test_random(seed) % 20;
        if (count > limit - at)
            count = limit - at;
        size_t end;
        while ((end = at + count == 0 ? 0 : (size_t)d->token[at + count - 1].end) != 0 && end < d->size &&
               at + count < limit && !bipe_utf8_begins(d->text, end))
            count++;
        uint32_t number[32];
        const uint32_t *closes = number;
        size_t close_count = 0;
        for (size_t k = 0; k < count; k++)
            if (d->closes[at + k] != 0)
                number[close_count++] = (uint32_t)k;
        bipe_batch batch = {
            .tokens = d->token + at, .token_count = count, .closes = &closes, .close_count = &close_count,
            .bytes = d->text + byte,
            .byte_count = end - byte, .byte_offset = byte, .last = at + count == d->count,
        };
        status = bipe_token_spool_batch(spool, &batch, err);
        at += count;
        byte = end;
        if (at == limit)
            break;
    }
    return status;
}

enum { ALL_MOST = 40 * TEXT_MOST };
static bipe_spool_token want[ALL_MOST], got[ALL_MOST];

static size_t expect(size_t count, const document *d, int64_t bos)
{
    if (bos != BIPE_NO_TOKEN)
        want[count++] = (bipe_spool_token){ .id = (uint32_t)bos };
    for (size_t k = 0; k < d->count; k++) {
        uint32_t words = 0;
        for (uint64_t b = d->token[k].start; b < d->token[k].end; b++)
            words += d->begins[b];
        want[count++] = (bipe_spool_token){
            .start = d->token[k].start, .end = d->token[k].end, .id = d->token[k].id,
            .mark = words << BIPE_SPOOL_SEGMENTERS | d->closes[k],
        };
    }
    return count;
}

static void test_spool(uint64_t *seed, size_t memory)
{
    bipe_error err = {0};
    bipe_token_spool *spool;
    CHECK(bipe_token_spool_open(&spool, memory, 1, &err) == BIPE_OK);
    static document d;
    uint64_t hash[2] = { 0, 0 };
    uint64_t first_seed = *seed;
    for (int pass = 0; pass < 2; pass++) { /* the same twice: the same hash */
        *seed = first_seed;
        bipe_token_spool_reset(spool);
        size_t count = 0;
        for (int n = 0; n < 20; n++) {
            make_document(&d, seed);
            int64_t bos = n % 3 == 0 ? BIPE_NO_TOKEN : 7;
            if (n % 4 == 2 && d.count > 1) { /* it breaks off half-way */
                CHECK(feed(spool, &d, bos, d.count / 2, 100, seed, &err) == BIPE_OK);
                bipe_token_spool_drop(spool);
                bipe_batch batch = { .last = true };
                CHECK(bipe_token_spool_batch(spool, &batch, &err) == BIPE_ERR_ARGUMENT);
            } else {
                CHECK(feed(spool, &d, bos, d.count, 100, seed, &err) == BIPE_OK);
                count = expect(count, &d, bos);
            }
            CHECK_UINT(bipe_token_spool_count(spool), count);
        }
        for (int i = 0; i < 200; i++) {
            size_t start = test_random(seed) % (count + 1), some = test_random(seed) % (count - start + 1);
            CHECK(bipe_token_spool_read(spool, start, got, some, &err) == BIPE_OK);
            CHECK(memcmp(got, want + start, some * sizeof *got) == 0);
        }
        CHECK(bipe_token_spool_read(spool, count, got, 1, &err) == BIPE_ERR_ARGUMENT);
        hash[pass] = bipe_token_spool_hash(spool);
        make_document(&d, seed);
        CHECK(feed(spool, &d, 7, d.count, 100, seed, &err) == BIPE_OK);
        CHECK(bipe_token_spool_hash(spool) != hash[pass]);
    }
    CHECK(hash[0] == hash[1]);
    /* An id or a BOS that the model does not have. */
    do
        make_document(&d, seed);
    while (d.count == 0);
    d.token[d.count - 1].id = 50;
    CHECK(feed(spool, &d, 7, d.count, 50, seed, &err) == BIPE_ERR_ARGUMENT);
    CHECK(strstr(err.text, "vocabulary") != NULL);
    CHECK(bipe_token_spool_begin(spool, 50, 50, &err) == BIPE_ERR_UNSUPPORTED);
    bipe_token_spool_close(spool);
}

/* Every allocation fails once. */
static void test_memory(uint64_t *seed)
{
    static document d;
    make_document(&d, seed);
    for (long n = 0;; n++) {
        bipe_error err = {0};
        bipe_token_spool *spool = NULL;
        bipe_alloc_fail_at(n);
        int status = bipe_token_spool_open(&spool, 64, 1, &err);
        if (status == BIPE_OK)
            status = feed(spool, &d, 7, d.count, 100, seed, &err);
        bipe_alloc_fail_at(-1);
        if (status == BIPE_OK)
            CHECK_UINT(bipe_token_spool_count(spool), d.count + 1);
        else
            CHECK(status == BIPE_ERR_MEMORY);
        bipe_token_spool_close(spool);
        if (status == BIPE_OK)
            break;
    }
}

int main(void)
{
    uint64_t seed = 5;
    test_spool(&seed, (size_t)1 << 20);
    test_spool(&seed, 1000); /* most of it in a file */
    test_memory(&seed);
    return test_result();
}
