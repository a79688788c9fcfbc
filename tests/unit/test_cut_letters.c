/* test_cut_letters.c - letters of any script beside which documents are cut: what every normalizer makes of each of
 * them, between spaces, has a letter before it and marks and letters after it, and takes nothing from the spaces. */
#include <config.h>

#include <jansson.h>
#include <utf8proc.h>

#include "tests/bytes.h"
#include "tests/check.h"
#include "text/utf8.h"
#include "token/hf_unicode.h"
#include "token/pipeline/safe_pairs.h"
#include "token/pipeline/normalizers.h"

/* All letters, each between spaces, forward or backward. */
static size_t all_letters(bipe_mapped *text, bool backward)
{
    bipe_error err = {0};
    size_t count = 0;
    uint8_t bytes[5] = " ";
    CHECK(bipe_mapped_append(text, bytes, 1, 0, 1, &err) == BIPE_OK);
    for (uint32_t i = 0; i < BIPE_CUT_LETTER_END; i++) {
        uint32_t code = backward ? BIPE_CUT_LETTER_END - 1 - i : i;
        if (!bipe_is_cut_letter(code))
            continue;
        size_t n = bipe_utf8_encode((int32_t)code, bytes);
        bytes[n] = ' ';
        CHECK(bipe_mapped_append(text, bytes, n + 1, (uint32_t)text->size, (uint32_t)(text->size + n + 1), &err) ==
              BIPE_OK);
        count++;
    }
    return count;
}

/* What letter `k` became: the bytes between two spaces, which end at the same place of the original. */
static void check_words(const bipe_mapped *in, const bipe_mapped *out, size_t count, const char *what)
{
    size_t at = 0, from = 0, bad = 0, words = 0;
    while (at < out->size && from < in->size && words < count) {
        size_t end = at + 1, place = from + 1;
        while (end < out->size && out->text[end] != ' ')
            end++;
        while (in->text[place] != ' ')
            place++;
        int32_t code = -1;
        for (size_t i = at + 1, n; i < end; i += n) {
            n = bipe_utf8_decode(out->text + i, end - i, &code);
            bad += n == 0 || code < 0 ||
                   !(i == at + 1 ? bipe_is_cut_letter((uint32_t)code) : bipe_is_cut_tail((uint32_t)code));
            bad += out->start[i] <= from || out->end[i] > place;
            n = n == 0 ? 1 : n;
        }
        bad += code < 0 || out->start[end] != place || out->end[end] != place + 1;
        CHECKF(bad == 0, "%s: the letter at %zu", what, from);
        if (bad != 0)
            return;
        at = end;
        from = place;
        words++;
    }
    CHECKF(words == count && at + 1 == out->size, "%s: %zu words, expected %zu", what, words, count);
}

static void test_normalizers(void)
{
    static const struct {
        const bipe_normalizer_type *type;
        const char *json;
    } steps[] = {{&bipe_norm_nfc, "{\"type\":\"NFC\"}"},
                 {&bipe_norm_nfd, "{\"type\":\"NFD\"}"},
                 {&bipe_norm_nfkc, "{\"type\":\"NFKC\"}"},
                 {&bipe_norm_nfkd, "{\"type\":\"NFKD\"}"},
                 {&bipe_norm_lowercase, "{\"type\":\"Lowercase\"}"},
                 {&bipe_norm_nmt, "{\"type\":\"Nmt\"}"},
                 {&bipe_norm_strip_accents, "{\"type\":\"StripAccents\"}"},
                 {&bipe_norm_bert, "{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,"
                                   "\"strip_accents\":true,\"lowercase\":true}"},
                 {&bipe_norm_bert, "{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,"
                                   "\"strip_accents\":false,\"lowercase\":false}"}};
    enum { STEPS = sizeof steps / sizeof *steps };
    for (int backward = 0; backward < (test_all_rounds() ? 2 : 1); backward++) {
        bipe_mapped in = {0};
        size_t count = all_letters(&in, backward == 1);
        CHECKF(count > 15000, "%zu letters", count);
        /* Each by itself, and all of them one after the other. */
        bipe_mapped row = {0};
        bipe_error err = {0};
        CHECK(bipe_mapped_copy(&row, &in, 0, in.size, &err) == BIPE_OK);
        for (size_t k = 0; k < STEPS; k++) {
            bipe_mapped out = {0}, next = {0};
            void *config = NULL;
            json_t *json = json_loads(steps[k].json, 0, NULL);
            CHECK(json != NULL && steps[k].type->open(&config, json, &err) == BIPE_OK);
            CHECK(steps[k].type->run(config, &in, &out, &err) == BIPE_OK);
            check_words(&in, &out, count, steps[k].json);
            CHECK(steps[k].type->run(config, &row, &next, &err) == BIPE_OK);
            check_words(&in, &next, count, "one after the other");
            bipe_mapped_free(&row);
            row = next;
            bipe_mapped_free(&out);
            if (steps[k].type->close != NULL)
                steps[k].type->close(config);
            json_decref(json);
        }
        bipe_mapped_free(&row);
        bipe_mapped_free(&in);
    }
}

/* What a letter and a mark (or two letters) are composed to is a letter as well. */
static void test_composites(void)
{
    size_t found = 0;
    for (uint32_t code = 0x80; code < BIPE_CUT_LETTER_END; code++) {
        uint32_t parts[BIPE_HF_DECOMPOSED];
        size_t n = code < 0xD800 || code > 0xDFFF ? bipe_hf_decompose(code, false, parts) : 1;
        if (n < 2 || !bipe_is_cut_letter(parts[0]))
            continue;
        uint32_t whole = parts[0];
        for (size_t i = 1; i < n && whole != 0; i++)
            whole = bipe_hf_compose(whole, parts[i]);
        if (whole != code)
            continue;
        found++;
        CHECKF(bipe_is_cut_letter(code), "U+%04X", (unsigned)code);
    }
    CHECKF(found > 11172, "%zu composites", found);
}

static void test_some(void)
{
    static const uint32_t letters[] = {'a',   'Z',   0xE9,   0x3A9,  0x436,  0x5D0,  0x628,
                                       0x915, 0xE01, 0x10D0, 0x1100, 0xAC00, 0x3042, 0x10400};
    static const uint32_t others[] = {0,       ' ',     '\n',    '1',      '.',      '_',       0x7F,   0xA0,   0x140,
                                      0x149,   0x2B0,   0x301,   0x600,    0x640,    0x93E,     0xE33,  0x200B, 0x2581,
                                      0x3000,  0x4E2D,  0xD800,  0xF900,   0xFB01,   0xFDFA,    0xFF21, 0xFFFD, 0x1F600,
                                      0x2F800, 0x3FFFF, 0x40000, 0x10FFFF, 0x110000, UINT32_MAX};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        CHECKF(bipe_is_cut_letter(letters[i]), "U+%04X", (unsigned)letters[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECKF(!bipe_is_cut_letter(others[i]), "U+%04X", (unsigned)others[i]);
    CHECK(bipe_is_cut_tail(0x301) && bipe_is_cut_tail(0x93E) && !bipe_is_cut_tail(' ') &&
          !bipe_is_cut_tail(UINT32_MAX));
}

int main(void)
{
    test_some();
    test_composites();
    test_normalizers();
    return test_result();
}
