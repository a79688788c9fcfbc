/* test_normal_forms.c - NFC, NFD, NFKC, NFKD with spans: against utf8proc's own on random text, answers of the library
 * for what its older Unicode does not know, spans, broken bytes, long runs of marks, memory that runs out. */
#include <config.h>

#include <utf8proc.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/nfc_check.h"
#include "token/pipeline/normalizers.h"

static const struct {
    const char *name;
    bool compatibility, composed;
    utf8proc_option_t options;
} forms[] = {
    {"NFC", false, true, UTF8PROC_STABLE | UTF8PROC_COMPOSE},
    {"NFD", false, false, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
    {"NFKC", true, true, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    {"NFKD", true, false, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
};

static void put(bipe_mapped *m, const void *text, size_t size)
{
    bipe_error err;
    m->size = 0;
    CHECK(bipe_mapped_append(m, text, size, 0, (uint32_t)size, &err) == BIPE_OK);
}

/* Spans follow one another or are the same, without a gap, over [0, size). */
static void check_mapped(const bipe_mapped *m, size_t size)
{
    uint32_t start = 0, end = 0;
    size_t bad = 0;
    for (size_t i = 0; i < m->size; i++) {
        bad += m->start[i] >= m->end[i] || (m->start[i] != end && (m->start[i] != start || m->end[i] != end));
        start = m->start[i];
        end = m->end[i];
    }
    CHECKF(bad == 0, "%zu of %zu bytes", bad, m->size);
    CHECK(end == size || m->size == 0);
}

/* A character that utf8proc and the library see alike, more often one that combines. */
static int32_t random_code(uint64_t *random)
{
    static const int32_t range[][2] = {{0x20, 0x7E},       {0xA0, 0x17F},      {0x300, 0x36F},     {0x300, 0x345},
                                       {0x1100, 0x11FF},   {0xAC00, 0xD7A3},   {0x1E00, 0x1FFE},   {0x900, 0xDFF},
                                       {0xF00, 0xFBC},     {0x3040, 0x30FF},   {0xFB00, 0xFEFC},   {0xFF00, 0xFFEF},
                                       {0x1D100, 0x1D1FF}, {0x2F800, 0x2FA1D}, {0x11080, 0x110CF}, {0x591, 0x65F}};
    for (;;) {
        const int32_t *r = range[test_random(random) % (sizeof range / sizeof *range)];
        int32_t code = r[0] + (int32_t)(test_random(random) % (uint64_t)(r[1] - r[0] + 1));
        uint32_t parts[BIPE_HF_DECOMPOSED];
        if (utf8proc_category(code) == UTF8PROC_CATEGORY_CN)
            continue;
        if (utf8proc_get_property(code)->combining_class != bipe_hf_combining_class((uint32_t)code))
            continue;
        utf8proc_int32_t whole[BIPE_HF_DECOMPOSED];
        int last = 0;
        utf8proc_ssize_t n = utf8proc_decompose_char(code, whole, BIPE_HF_DECOMPOSED,
                                                     UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &last);
        if (n == (utf8proc_ssize_t)bipe_hf_decompose((uint32_t)code, true, parts))
            return code;
    }
}

static void test_random_text(void)
{
    uint64_t random = 7;
    bipe_mapped in = {0}, out = {0};
    bipe_error err = {0};
    for (int round = 0; round < test_rounds(4000); round++) {
        uint8_t text[400];
        size_t size = 0, count = test_random(&random) % 60;
        for (size_t i = 0; i < count; i++)
            size += bipe_utf8_encode(random_code(&random), text + size);
        put(&in, text, size);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            utf8proc_uint8_t *want = NULL;
            utf8proc_ssize_t want_size = utf8proc_map(text, (utf8proc_ssize_t)size, &want, forms[f].options);
            out.size = 0;
            CHECK(bipe_normalize_form(&in, &out, forms[f].compatibility, forms[f].composed, &err) == BIPE_OK);
            CHECKF(want_size == (utf8proc_ssize_t)out.size && (out.size == 0 || memcmp(want, out.text, out.size) == 0),
                   "%s, round %d", forms[f].name, round);
            check_mapped(&out, size);
            free(want);
        }
    }
    bipe_mapped_free(&in);
    bipe_mapped_free(&out);
}

/* Text, its form, and where the bytes of the form come from: "start-end", once for neighbours with the same. */
static void check_form(size_t form, const char *text, const char *want, const char *spans)
{
    bipe_mapped in = {0}, out = {0};
    bipe_buffer got = {0};
    bipe_error err = {0};
    put(&in, text, strlen(text));
    CHECK(bipe_normalize_form(&in, &out, forms[form].compatibility, forms[form].composed, &err) == BIPE_OK);
    CHECKF(out.size == strlen(want) && memcmp(out.text, want, out.size) == 0, "%s of \"%s\"", forms[form].name, text);
    for (size_t i = 0; i < out.size; i++)
        if (i == 0 || out.start[i] != out.start[i - 1] || out.end[i] != out.end[i - 1])
            CHECK(bipe_buffer_printf(&got, &err, "%s%u-%u", got.size != 0 ? " " : "", (unsigned)out.start[i],
                                     (unsigned)out.end[i]) == BIPE_OK);
    CHECKF(got.data != NULL && strcmp((const char *)got.data, spans) == 0, "%s of \"%s\": %s, want %s",
           forms[form].name, text, (const char *)got.data, spans);
    bipe_buffer_free(&got);
    bipe_mapped_free(&in);
    bipe_mapped_free(&out);
}

static void test_spans(void)
{
    enum { NFC, NFD, NFKC, NFKD };
    check_form(NFC, "xe\xCC\x81y", "x\xC3\xA9y", "0-1 1-4 4-5");                     /* e and its accent are one */
    check_form(NFD, "x\xC3\xA9y", "xe\xCC\x81y", "0-1 1-3 3-4");
    check_form(NFKC, "\xEF\xB8\xB0", "..", "0-3");                                   /* one character, two full stops */
    check_form(NFKD, "4 \xC2\xBD", "4 1\xE2\x81\x84" "2", "0-1 1-2 2-4");
    check_form(NFC, "a\xCC\xA7\xCC\x81", "\xC3\xA1\xCC\xA7", "0-5"); /* á and the cedilla change places */
    check_form(NFC, "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8x", "\xEA\xB0\x81x", "0-9 9-10"); /* Hangul */
    check_form(NFC, "a\xFF\xCC\x81", "a\xFF\xCC\x81", "0-1 1-2 2-3 3-4"); /* nothing combines with a broken byte */
}

/* ---- the quick check ---- */

/* What the check leaves alone stays, what it finds is normalized by itself: together that is the form of the whole,
 * with its places. */
static void check_quick(const bipe_nfc_check *check, const uint8_t *text, size_t size)
{
    bipe_mapped in = {0}, part = {0}, want = {0}, got = {0};
    bipe_error err = {0};
    put(&in, text, size);
    CHECK(bipe_normalize_form(&in, &want, false, true, &err) == BIPE_OK);
    for (size_t at = 0; at < size;) {
        size_t from, to;
        bool found = bipe_nfc_find(check, text, size, at, true, &from, &to);
        CHECK(found ? at <= from && from < to && to <= size : from == size);
        CHECK(bipe_mapped_copy(&got, &in, at, from, &err) == BIPE_OK);
        at = found ? to : size;
        if (!found)
            break;
        part.size = 0;
        CHECK(bipe_mapped_copy(&part, &in, from, to, &err) == BIPE_OK);
        CHECK(bipe_normalize_form(&part, &got, false, true, &err) == BIPE_OK);
    }
    CHECKF(got.size == want.size &&
               (got.size == 0 || (memcmp(got.text, want.text, got.size) == 0 &&
                                  memcmp(got.start, want.start, got.size * sizeof *got.start) == 0 &&
                                  memcmp(got.end, want.end, got.size * sizeof *got.end) == 0)),
           "\"%.*s\"", (int)size, (const char *)text);
    bipe_mapped_free(&in);
    bipe_mapped_free(&part);
    bipe_mapped_free(&want);
    bipe_mapped_free(&got);
}

static void test_quick(void)
{
    bipe_nfc_check *check = bipe_nfc_check_new();
    CHECK(check != NULL);
    uint64_t random = 9;
    uint8_t text[600];
    size_t plain = 0, size = 0;
    /* Every character, a few at a time, between letters and marks. */
    for (int32_t code = 0x80; check != NULL && code < BIPE_NFC_TABLE + 0x100; code += test_stride(7)) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        plain += code < BIPE_NFC_TABLE && check->class[code] == 0;
        if (code >= 0x3400 && code < 0x9F00 && code % 64 != 0)
            continue;
        text[size++] = (uint8_t)('a' + code % 26);
        size += bipe_utf8_encode(code, text + size);
        if (code % 3 == 0)
            size += bipe_utf8_encode(0x301, text + size);
        if (code % 5 == 0)
            size += bipe_utf8_encode(0x323, text + size);
        if (size > sizeof text - 32) {
            check_quick(check, text, size);
            size = 0;
        }
    }
    CHECKF(plain > BIPE_NFC_TABLE - 5000 || !test_all_rounds(), "%zu characters stay", plain);
    for (int round = 0; check != NULL && round < test_rounds(3000); round++) {
        size_t count = test_random(&random) % 60;
        size = 0;
        for (size_t i = 0; i < count; i++)
            if (test_random(&random) % 20 == 0)
                text[size++] = (uint8_t)test_random(&random);
            else
                size += bipe_utf8_encode(random_code(&random), text + size);
        check_quick(check, text, size);
    }
    bipe_free(check);
}

/* The library's tables are of Unicode 9: what came later has neither decomposition nor combining class for it. */
static void test_older_unicode(void)
{
    enum { NFC, NFD, NFKC, NFKD };
    check_form(NFKC, "\xE3\x8B\xBF", "\xE3\x8B\xBF", "0-1 1-2 2-3");                  /* U+32FF, era Reiwa */
    check_form(NFD, "\xF0\x91\xA4\xB8", "\xF0\x91\xA4\xB8", "0-1 1-2 2-3 3-4");       /* U+11938 */
    check_form(NFD, "a\xDF\xBD\xCC\xB4", "a\xDF\xBD\xCC\xB4", "0-1 1-2 2-3 3-4 4-5"); /* U+07FD U+0334 */
    check_form(NFC, "\xF0\x91\xA4\xB5\xF0\x91\xA4\xB0", "\xF0\x91\xA4\xB5\xF0\x91\xA4\xB0",
               "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8");
}

/* Many marks of falling class: sorted as the definition says, and quickly. */
static void test_long_run(void)
{
    enum { PAIRS = 20000 };
    uint8_t *text = malloc(1 + 4 * PAIRS);
    size_t size = 0;
    text[size++] = 'a';
    for (int i = 0; i < PAIRS; i++) {
        memcpy(text + size, "\xCC\x80\xCC\xA3", 4); /* class 230, 220 */
        size += 4;
    }
    bipe_mapped in = {0}, out = {0};
    bipe_error err;
    put(&in, text, size);
    CHECK(bipe_normalize_form(&in, &out, false, false, &err) == BIPE_OK);
    CHECK(out.size == size);
    size_t bad = 0;
    for (size_t i = 1; i < out.size; i += 2)
        bad += out.text[i + 1] != (i <= 2 * PAIRS ? 0xA3 : 0x80);
    CHECK(bad == 0);
    check_mapped(&out, size);
    bipe_mapped_free(&in);
    bipe_mapped_free(&out);
    free(text);
}

static void test_memory(void)
{
    static const char text[] = "e\xCC\x81\xCC\xA7 plain \xEA\xB0\x81\xEF\xB8\xB0";
    bipe_error err = {0};
    int status = BIPE_ERR_MEMORY;
    for (long n = 0; status != BIPE_OK && n < 100; n++) {
        bipe_mapped in = {0}, out = {0};
        put(&in, text, sizeof text - 1);
        bipe_alloc_fail_at(n);
        status = bipe_normalize_form(&in, &out, true, true, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_mapped_free(&in);
        bipe_mapped_free(&out);
    }
    CHECK(status == BIPE_OK);
}

/* What the library says of characters that its Unicode and utf8proc's see differently, or that have a rule of their
 * own. */
static void test_classes(void)
{
    static const struct {
        uint32_t code;
        const char *is; /* space, numeric, punctuation, word, other, mark, Mn */
    } want[] = {
        {'a', "w"}, {'_', "pw"}, {'$', "p"}, {'7', "nw"}, {' ', "s"}, {'\n', "so"}, {0x85, "so"}, {0xA0, "s"},
        {0x200B, "o"}, {0x200D, "wo"}, {0xBD, "n"}, {0x2160, "nw"}, {0x24B6, "w"}, {0x301, "wmM"}, {0x903, "wm"},
        {0x2028, "s"}, {0x2014, "p"}, {0x3002, "p"}, {0x20AC, ""}, {0xAD, "o"}, {0xE000, "o"}, {0x378, ""},
        {0x2E43, ""}, {0x166D, "p"}, {0x07FD, "w"}, {0x1734, "wmM"}, {0x1CF2, "wm"}, {0x10D40, "nw"}, {0x8E2, ""},
        {0x4E00, "w"}, {0x1F600, ""}, {0x10FFFF, ""}, {0x200041, ""},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        uint32_t c = want[i].code;
        char got[8], *g = got;
        if (bipe_hf_is_space(c))
            *g++ = 's';
        if (bipe_hf_is_numeric(c))
            *g++ = 'n';
        if (bipe_hf_is_punctuation(c))
            *g++ = 'p';
        if (bipe_hf_is_word(c))
            *g++ = 'w';
        if (bipe_hf_is_other(c))
            *g++ = 'o';
        if (bipe_hf_is_mark(c))
            *g++ = 'm';
        if (bipe_hf_is_nonspacing(c))
            *g++ = 'M';
        *g = '\0';
        CHECKF(strcmp(got, want[i].is) == 0, "U+%04X: got %s, want %s", (unsigned)c, got, want[i].is);
    }
    uint32_t lower[BIPE_HF_LOWER];
    CHECK(bipe_hf_lower(0x130, lower) == 2 && lower[0] == 'i' && lower[1] == 0x307);
    CHECK(bipe_hf_lower(0x3A3, lower) == 1 && lower[0] == 0x3C3);
    CHECK(bipe_hf_lower(0xDF, lower) == 1 && lower[0] == 0xDF);
    CHECK(bipe_hf_lower(0x1E9E, lower) == 1 && lower[0] == 0xDF);
    CHECK(bipe_hf_lower(0x10D51, lower) == 1 && lower[0] == 0x10D71);
    CHECK(bipe_hf_lower('Z', lower) == 1 && lower[0] == 'z');
    CHECK(bipe_hf_lower(0x200041, lower) == 1 && lower[0] == 0x200041);
}

int main(void)
{
    test_quick();
    test_random_text();
    test_spans();
    test_older_unicode();
    test_long_run();
    test_memory();
    test_classes();
    return test_result();
}
