/* test_recoder.c - text in other encodings, cut anywhere, against decoders written down here. */
#include "base/buffer.h"
#include "base/input.h"
#include "base/recoder.h"
#include "tests/check.h"
#include "text/utf8.h"

typedef struct source {
    const uint8_t *bytes;
    size_t size, at, longest; /* longest: of a piece */
    int fails;                /* returned after the last byte */
} source;

static int give(void *context, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    source *s = context;
    size_t n = s->size - s->at < s->longest ? s->size - s->at : s->longest;
    n = n < capacity ? n : capacity;
    memcpy(bytes, s->bytes + s->at, n);
    s->at += n;
    *size = n;
    return n == 0 && s->fails != BIPE_OK ? bipe_fail(err, (bipe_status)s->fails, "no more") : BIPE_OK;
}

/* What a decoder makes of a text: U+FFFD for what is wrong. */
typedef struct expected {
    bipe_buffer text;
    uint64_t wrong, first;
} expected;

static void put_code(expected *e, int32_t code)
{
    uint8_t bytes[4];
    bipe_buffer_append(&e->text, bytes, bipe_utf8_encode(code, bytes), NULL);
}

static void put_wrong(expected *e, size_t at)
{
    if (e->wrong++ == 0)
        e->first = at;
    put_code(e, 0xFFFD);
}

static void decode_latin(const uint8_t *bytes, size_t size, expected *e)
{
    for (size_t i = 0; i < size; i++)
        put_code(e, bytes[i]);
}

static void decode_ascii(const uint8_t *bytes, size_t size, expected *e)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < 0x80)
            put_code(e, bytes[i]);
        else
            put_wrong(e, i);
}

static void decode_utf16(const uint8_t *bytes, size_t size, expected *e)
{
    for (size_t i = 0; i < size; i += 2) {
        int32_t unit = i + 1 < size ? bytes[i] | bytes[i + 1] << 8 : -1,
                next = i + 3 < size ? bytes[i + 2] | bytes[i + 3] << 8 : -1;
        if (unit >= 0xD800 && unit < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            put_code(e, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
            i += 2;
        } else if (unit >= 0xD800 && unit < 0xDC00 && next < 0) { /* the end cuts a pair off: one mark for all that is
                                                                     left */
            put_wrong(e, i);
            break;
        } else if (unit < 0 || (unit >= 0xD800 && unit < 0xE000)) {
            put_wrong(e, i);
        } else {
            put_code(e, unit);
        }
    }
}

static void check_text(const char *encoding, const uint8_t *bytes, size_t size, size_t longest, size_t capacity,
                       const expected *want, int fails)
{
    source s = {.bytes = bytes, .size = size, .longest = longest, .fails = fails};
    bipe_recoder *r;
    bipe_buffer got = {0};
    bipe_error err = {0};
    uint8_t part[64];
    CHECK(bipe_recoder_open(&r, encoding, bipe_buffer_size(), &err) == BIPE_OK);
    size_t n;
    int status;
    while ((status = bipe_recoder_read(r, give, &s, part, capacity, &n, &err)) == BIPE_OK && n != 0)
        CHECK(bipe_buffer_append(&got, part, n, &err) == BIPE_OK);
    CHECK(status == fails);
    CHECK(bipe_recoder_read(r, give, &s, part, capacity, &n, &err) == fails && n == 0);
    uint64_t first, wrong = bipe_recoder_wrong(r, &first);
    if (fails == BIPE_OK) {
        CHECKF(got.size == want->text.size && (got.size == 0 || memcmp(got.data, want->text.data, got.size) == 0),
               "%s, pieces of %zu and %zu: %zu bytes, want %zu", encoding, longest, capacity, got.size,
               want->text.size);
        CHECKF(wrong == want->wrong && first == want->first,
               "%s: %" PRIu64 " wrong from %" PRIu64 " on, want %" PRIu64 " from %" PRIu64, encoding, wrong, first,
               want->wrong, want->first);
    } else {
        CHECK(got.size <= want->text.size && (got.size == 0 || memcmp(got.data, want->text.data, got.size) == 0));
    }
    bipe_buffer_free(&got);
    bipe_recoder_close(r);
}

static void test_encoding(const char *encoding, void decode(const uint8_t *, size_t, expected *), bool pairs)
{
    static const size_t longest[] = {1, 2, 3, 5, 64, 100000}, capacity[] = {1, 3, 64};
    uint64_t random = 7;
    static uint8_t bytes[40000];
    for (int round = 0; round < test_rounds(60); round++) {
        size_t size = test_random(&random) % (round % 20 == 0 ? sizeof bytes : 60);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)test_random(&random);
            if (pairs && i % 2 == 1 && test_random(&random) % 3 == 0)
                bytes[i] = (uint8_t)(0xD8 | (test_random(&random) & 7)); /* surrogates */
        }
        expected want = {0};
        decode(bytes, size, &want);
        for (size_t i = 0; i < sizeof longest / sizeof *longest; i++)
            for (size_t j = 0; j < sizeof capacity / sizeof *capacity; j++)
                check_text(encoding, bytes, size, longest[i], capacity[j], &want,
                           (i + j) % 4 == 3 ? BIPE_ERR_IO : BIPE_OK);
        bipe_buffer_free(&want.text);
    }
}

int main(void)
{
    bipe_recoder *r;
    bipe_error err = {0};
    test_encoding("ISO-8859-1", decode_latin, false);
    test_encoding("US-ASCII", decode_ascii, false);
    test_encoding("UTF-16LE", decode_utf16, true);
    CHECK(bipe_encoding_check("latin1", NULL) == BIPE_OK &&
          bipe_encoding_check("no-such-encoding", NULL) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_encoding_is_utf8("utf-8") && !bipe_encoding_is_utf8("UTF-16"));
    CHECK(bipe_recoder_open(&r, "no-such-encoding", 1, &err) == BIPE_ERR_ARGUMENT && r == NULL);
    bipe_recoder_close(NULL);
    return test_result();
}
