/* test_utf8.c - decoding compared with a table of all characters, and classes with utf8proc and Unicode's list of
 * White_Space. */
#include "config.h"

#include <utf8proc.h>

#include "tests/check.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* Every code point, encoded here by arithmetic on bits and not by the code under test. */
static size_t encode(uint32_t code, uint8_t *bytes)
{
    static const uint8_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code /= 64)
        bytes[i] = (uint8_t)(0x80 + code % 64);
    bytes[0] = (uint8_t)(marks[n] + code);
    return n;
}

static void test_all_characters(void)
{
    size_t wrong = 0;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint8_t bytes[4] = {0}, ours[4] = {0};
        int32_t got = -2;
        size_t n = encode(code, bytes);
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        wrong += bipe_utf8_encode((int32_t)code, ours) != n || memcmp(bytes, ours, n) != 0;
        size_t length = bipe_utf8_decode(bytes, n, &got);
        wrong += surrogate ? length != 1 || got != -1 : length != n || got != (int32_t)code;
        for (size_t cut = 1; cut < n; cut++) {
            length = bipe_utf8_decode(bytes, cut, &got);
            /* The first byte of a surrogate is also that of good characters; the second decides. */
            bool hopeful = !surrogate || cut == 1;
            wrong += length != (hopeful ? 0 : 1) || got != -1;
            wrong += bipe_utf8_complete(bytes, cut) != (hopeful ? 0 : cut);
        }
        wrong += bipe_utf8_complete(bytes, n) != n;
    }
    CHECK_UINT(wrong, 0);
}

/* All sequences of up to three bytes, and of four with telling ones: well-formed is what the encoder makes and nothing
 * else. */
static void test_all_sequences(void)
{
    static uint8_t well_formed[1 << 24];
    size_t wrong = 0;
    for (uint32_t code = 0x800; code < 0x10000; code++) {
        uint8_t b[4];
        encode(code, b);
        if (code < 0xD800 || code > 0xDFFF)
            well_formed[b[0] << 16 | b[1] << 8 | b[2]] = 1;
    }
    for (uint32_t i = 0; i < 1u << 24; i++) {
        uint8_t bytes[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        int32_t code;
        size_t n = bipe_utf8_decode(bytes, 3, &code);
        wrong += (n == 3) != (well_formed[i] == 1);
        wrong += (n == 2) != (bytes[0] >= 0xC2 && bytes[0] < 0xE0 && bytes[1] >= 0x80 && bytes[1] < 0xC0);
        wrong += (n != 0 && code == -1) != (n == 1 && bytes[0] >= 0x80);
    }
    CHECK_UINT(wrong, 0);
    static const char *const bad[] = {"\xF4\x90\x80\x80", "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xF0\x90\x80\x7F",
                                      "\xF8\x88\x80\x80",
                                      "\xF0\x90\x41\x80", "\xFF\xBF\xBF\xBF"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int32_t code;
        CHECK(bipe_utf8_decode((const uint8_t *)bad[i], 4, &code) == 1 && code == -1);
    }
}

static void test_complete(void)
{
    static const struct {
        const char *bytes;
        size_t size, complete;
    } cases[] = {
        {"", 0, 0}, {"abc", 3, 3}, {"ab\xC3", 3, 2}, {"ab\xC3\xA9", 4, 4}, {"\xF0\x9F\x98", 3, 0}, {"a\xF0\x9F", 3, 1},
        {"\x80\x80\x80\x80", 4, 4}, {"\xE2\x82", 2, 0}, {"\xC0", 1, 1}, {"\xF5\x80", 2, 2}, {"\xE0\x80", 2, 2},
        {"\xC3\xA9\xA9", 3, 3}, {"\xF0\x9F\x98\x80", 4, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_UINT(bipe_utf8_complete((const uint8_t *)cases[i].bytes, cases[i].size), cases[i].complete);
}

static void test_classes(void)
{
    /* Unicode 15.0, PropList.txt, White_Space. */
    static const int32_t white[][2] = {{9, 13},          {32, 32},         {0x85, 0x85},     {0xA0, 0xA0},
                                       {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                       {0x205F, 0x205F}, {0x3000, 0x3000}};
    size_t wrong = 0, words = 0;
    for (int32_t code = 0; code <= 0x10FFFF; code++) {
        const char *category = utf8proc_category_string(code);
        bipe_category known = bipe_unicode_category(code); /* of 16.0: no letter, mark or number has become another */
        bool word = (known >= BIPE_LU && known <= BIPE_NO) || code == '_', blank = false;
        for (size_t i = 0; i < sizeof white / sizeof white[0]; i++)
            blank = blank || (code >= white[i][0] && code <= white[i][1]);
        words += bipe_is_word(code);
        wrong += known != BIPE_CN && bipe_is_word(code) != word;
        wrong += bipe_is_blank(code) != (blank && code != '\n');
        /* Separators (Z*) are white space, so our list misses none of them. */
        wrong += category[0] == 'Z' && !bipe_is_blank(code);
    }
    CHECK_UINT(wrong, 0);
    CHECK_UINT(words, 150139 + 1); /* DerivedGeneralCategory.txt of 17.0: L*, M*, N*; and the underscore */
    CHECK(!bipe_is_word(-1) && !bipe_is_blank(-1));
}

int main(void)
{
    test_all_characters();
    test_all_sequences();
    test_complete();
    test_classes();
    return test_result();
}
