/* test_abbreviations.c - lists of abbreviations that are learned: cut anywhere, of any bytes, of more words than are
 * kept. What is learned is compared with plain arithmetic in tests/peers/abbreviations. */
#include <stdlib.h>
#include <string.h>

#include "measure/abbreviations.h"
#include "tests/check.h"

/* Learns from a text in pieces of `most` bytes, and copies the list. */
static void learn(const uint8_t *text, size_t size, size_t most, char *list, size_t list_size)
{
    bipe_abbreviations *a;
    bipe_output *output;
    bipe_error err = {0};
    list[0] = '\0';
    CHECK(bipe_abbreviations_open(&a, &err) == BIPE_OK && bipe_output_open_memory(&output, &err) == BIPE_OK);
    bipe_abbreviations_begin(a);
    for (size_t at = 0, n; at < size; at += n) {
        n = most < size - at ? most : size - at;
        CHECK(bipe_abbreviations_feed(a, text + at, n, &err) == BIPE_OK);
    }
    CHECK(bipe_abbreviations_end(a, &err) == BIPE_OK);
    CHECK(bipe_abbreviations_print(a, output, &err) == BIPE_OK);
    const bipe_buffer *kept = bipe_output_kept(output);
    CHECK(kept->size < list_size);
    if (kept->size < list_size) {
        memcpy(list, kept->data, kept->size);
        list[kept->size] = '\0';
    }
    bipe_output_abandon(output);
    bipe_abbreviations_close(a);
}

static void test_cuts(void)
{
    static const char text[] =
        "\xC3\x89t\xC3\xA9 av. M. Dupont, etc. et Dr. Ab.\nLe 3. mai il vint... Le roi dit: \"Le Dr. Ott.\" Le z.B. "
        "nicht, le le il Dr. Uhu. Il av. Jonas. Le lit. Il dort? Il va, dit-Il. \xFF\xC3. Le Dr. X \xE2\x80";
    static char whole[20000], pieces[20000];
    learn((const uint8_t *)text, sizeof text - 1, sizeof text, whole, sizeof whole);
    CHECK(strstr(whole, "\nDr. # ") != NULL && strstr(whole, "\nLe # ") != NULL);
    for (size_t most = 1; most < 20; most++) {
        learn((const uint8_t *)text, sizeof text - 1, most, pieces, sizeof pieces);
        CHECKF(strcmp(whole, pieces) == 0, "pieces of %zu", most);
    }
    learn((const uint8_t *)"x.", 2, 1, whole, sizeof whole); /* every word is before a full stop */
    CHECK(strstr(whole, " from 1 words, 1 before a full stop.\n") != NULL && strstr(whole, "forgotten") == NULL);
}

static void test_nothing(void)
{
    bipe_abbreviations *a;
    bipe_output *output;
    bipe_error err = {0};
    CHECK(bipe_abbreviations_open(&a, &err) == BIPE_OK);
    CHECK(bipe_output_open_memory(&output, &err) == BIPE_OK);
    bipe_abbreviations_begin(a);
    CHECK(bipe_abbreviations_end(a, &err) == BIPE_OK);
    CHECK(bipe_abbreviations_print(a, output, &err) == BIPE_ERR_FORMAT && strstr(err.text, "found no word") != NULL);
    bipe_output_abandon(output);
    bipe_abbreviations_close(a);
}

/* More words than are kept: those that occur often stay. */
static void test_bound(void)
{
    enum { WORDS = 400000, EVERY = 1000 };
    static char list[1 << 20];
    size_t size = 0;
    uint8_t *text = malloc((size_t)WORDS * 24);
    CHECK(text != NULL);
    for (int i = 0; i < WORDS && text != NULL; i++) {
        for (int n = i, k = 0; k < 5; k++, n /= 26)
            text[size++] = (uint8_t)('a' + n % 26);
        const char *between = i % EVERY == 0 ? " Dr. Name " : " ";
        memcpy(text + size, between, strlen(between));
        size += strlen(between);
    }
    learn(text, size, 4096, list, sizeof list);
    char *stop = strstr(list, "\nDr. # ");
    CHECK(stop != NULL && strstr(stop, ": 400 with a full stop, 0 without") != NULL);
    CHECK(strstr(list, " rare words and pairs were forgotten") != NULL);
    free(text);
}

int main(void)
{
    test_cuts();
    test_nothing();
    test_bound();
    return test_result();
}
