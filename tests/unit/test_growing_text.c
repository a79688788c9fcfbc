/* test_growing_text.c - indices of tokens of a text that grows, against the rules of segments applied anew to each of
 * its beginnings. */
#include "base/alloc.h"
#include "segment/segmentation.h"
#include "task/growing_text.h"
#include "tests/check.h"

static uint64_t state = 5;

static unsigned below(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % n;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\n';
}

/* The token that closes a segment at a boundary, from 1; 0: none. */
static size_t closer(const bipe_token *token, size_t count, const uint8_t *text, uint64_t boundary)
{
    size_t last = 0, before = 0;
    for (size_t k = 0; k < count; k++)
        if (token[k].start < token[k].end && token[k].start < boundary) {
            before = last;
            last = k + 1;
        }
    if (last == 0)
        return 0;
    uint64_t begin = token[last - 1].start;
    while (begin < token[last - 1].end && is_blank(text[begin]))
        begin++;
    return begin < token[last - 1].end && boundary <= begin ? before : last;
}

/* n and i of the last token, when the segmenter has seen the text up to its end, and not that it ends there. */
static void expect(const char *segmenter, const bipe_token *token, size_t count, const uint8_t *text, uint32_t *n,
                   uint32_t *i)
{
    bipe_segmentation *s = NULL;
    bipe_error err = {0};
    size_t closed = 0;
    CHECK(bipe_segmentation_open(&s, segmenter, &err) == BIPE_OK && bipe_segmentation_begin(s, &err) == BIPE_OK);
    if (bipe_segmentation_wants_tokens(s))
        CHECK(bipe_segmentation_feed_tokens(s, token, count, &err) == BIPE_OK);
    for (size_t k = 0; k < count && !bipe_segmentation_wants_tokens(s); k++) /* regex may find a match later when it
                                                                                sees few bytes at a time */
        CHECK(bipe_segmentation_feed_bytes(s, text + token[k].start, (size_t)(token[k].end - token[k].start), &err) ==
              BIPE_OK);
    const bipe_boundaries *b = bipe_segmentation_boundaries(s);
    *n = 0;
    for (size_t k = 0; k < b->count; k++) {
        size_t by = closer(token, count, text, b->offset[k]);
        if (by > closed && by < count) {
            closed = by;
            ++*n;
        }
    }
    *i = (uint32_t)(count - 1 - closed);
    bipe_segmentation_close(s);
}

enum { SIZE = 90 };

static void test_indices(const char *segmenter, bipe_tokenizer *tokenizer)
{
    static const char alphabet[] = "ab. \n.A?\"=";
    uint8_t text[SIZE];
    bipe_token token[SIZE];
    size_t count = 0;
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (uint8_t)alphabet[below(sizeof alphabet - 1)];
    for (uint64_t at = 0; at < SIZE; count++) {
        uint64_t size = below(5) == 0 ? 0 : 1 + below(4);
        size = size < SIZE - at ? size : SIZE - at;
        token[count] = (bipe_token){.start = at, .end = at + size, .id = text[at]};
        at += size;
        if (count + 1 == SIZE)
            return;
    }
    bipe_growing_text *t = NULL, *copy = NULL;
    bipe_error err = {0};
    CHECKF(bipe_growing_text_open(&t, tokenizer, segmenter, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_growing_text_open(&copy, tokenizer, segmenter, &err) == BIPE_OK);
    bool marked = below(2) == 0;
    if (marked)
        CHECK(bipe_growing_text_mark(t, 1, &err) == BIPE_OK);
    for (size_t k = 0; k < count; k++) {
        size_t from = (size_t)token[k].start;
        CHECK(bipe_growing_text_append(t, &token[k], 1, text + from, (size_t)token[k].end - from, &err) == BIPE_OK);
        bipe_growing_view v = bipe_growing_text_view(t);
        uint32_t n, i;
        expect(segmenter, token, k + 1, text, &n, &i);
        i += marked && n == 0;
        CHECKF(v.index.of[1][v.count - 1] == n && v.index.of[2][v.count - 1] == i,
               "%s: token %zu: segment %u, intra %u, expected %u, %u", segmenter, k, v.index.of[1][v.count - 1],
               v.index.of[2][v.count - 1], n, i);
    }
    /* all at once: the last token has what it had */
    CHECK(bipe_growing_text_copy(copy, t, &err) == BIPE_OK);
    bipe_growing_view a = bipe_growing_text_view(t), b = bipe_growing_text_view(copy);
    CHECK(a.count == b.count && a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0 &&
          memcmp(a.ids, b.ids, a.count * sizeof *a.ids) == 0);
    CHECK(strncmp(segmenter, "regex", 5) == 0 ||
          (a.index.of[1][a.count - 1] == b.index.of[1][a.count - 1] &&
           a.index.of[2][a.count - 1] == b.index.of[2][a.count - 1]));
    for (size_t k = 1; k < b.count; k++)
        CHECK(b.index.of[1][k] == b.index.of[1][k - 1]
                  ? b.index.of[2][k] == b.index.of[2][k - 1] + 1
                  : b.index.of[1][k] == b.index.of[1][k - 1] + 1 && b.index.of[2][k] == 0);
    bipe_growing_text_close(copy);
    bipe_growing_text_close(t);
}

/* Levels, byte by byte: stop as by itself, since its ends are those of paragraphs, too; paragraphs as by themselves;
 * and ends of stop since the last end of a paragraph that is known. */
static void test_levels(bipe_tokenizer *bytes)
{
    static const char alphabet[] = "ab. \n\n";
    static const char *const specs[3] = {"stop/paragraph/document", "stop", "paragraph"};
    uint64_t draws = 3;
    bipe_error err = {0};
    for (int round = 0; round < test_rounds(30); round++) {
        bipe_growing_text *t[3] = {NULL};
        bipe_segmentation *paragraphs = NULL;
        char text[120];
        uint64_t end[120];
        size_t ends;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = alphabet[test_random(&draws) % (sizeof alphabet - 1)];
        CHECK(bipe_segmentation_open(&paragraphs, "paragraph", &err) == BIPE_OK &&
              bipe_segment_text(paragraphs, text, sizeof text, end, 120, &ends, &err) == BIPE_OK);
        bipe_segmentation_close(paragraphs);
        for (size_t s = 0; s < 3; s++) {
            CHECK(bipe_growing_text_open(&t[s], bytes, specs[s], &err) == BIPE_OK);
            for (size_t i = 0; i < sizeof text; i++)
                CHECK(bipe_growing_text_add(t[s], (uint8_t)text[i], &err) == BIPE_OK);
        }
        bipe_growing_view v = bipe_growing_text_view(t[0]), stop = bipe_growing_text_view(t[1]),
                          paragraph = bipe_growing_text_view(t[2]);
        CHECK_UINT(v.count, sizeof text);
        for (size_t k = 0; k < v.count; k++) {
            uint32_t n = v.index.of[3][k], intra = 0;
            for (size_t i = n > 0 ? (size_t)end[n - 1] : 0; i < k; i++)
                intra += text[i] == '.' || text[i] == '\n';
            CHECK_UINT(v.index.of[1][k], stop.index.of[1][k]);
            CHECK_UINT(v.index.of[2][k], stop.index.of[2][k]);
            CHECK_UINT(n, paragraph.index.of[1][k]);
            CHECK_UINT(v.index.of[4][k], intra);
            CHECK(v.index.of[5][k] == 0 && v.index.of[6][k] == n && v.index.of[7] == NULL);
        }
        for (size_t s = 0; s < 3; s++)
            bipe_growing_text_close(t[s]);
    }
}

/* Ids become text, and text becomes ids. */
static void test_text(bipe_tokenizer *tokenizer)
{
    bipe_growing_text *t = NULL;
    bipe_error err = {0};
    CHECK(bipe_growing_text_open(&t, tokenizer, "stop", &err) == BIPE_OK);
    CHECK(bipe_growing_text_tokenize(t, (const uint8_t *)"A b.", 4, &err) == BIPE_OK);
    CHECK(bipe_growing_text_add(t, 'c', &err) == BIPE_OK && bipe_growing_text_add(t, 0xFF, &err) == BIPE_OK);
    bipe_growing_view v = bipe_growing_text_view(t);
    static const uint32_t ids[] = {'A', ' ', 'b', '.', 'c', 0xFF}, segment[] = {0, 0, 0, 0, 1, 1},
                          intra[] = {0, 1, 2, 3, 0, 1};
    CHECK(v.count == 6 && memcmp(v.ids, ids, sizeof ids) == 0 && memcmp(v.index.of[1], segment, sizeof segment) == 0 &&
          memcmp(v.index.of[2], intra, sizeof intra) == 0 && v.size == 6 && memcmp(v.bytes, "A b.c\xFF", 6) == 0);
    CHECK(bipe_growing_text_add(t, 256, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_growing_text_append(t, &(bipe_token){.start = 5, .end = 99, .id = 1}, 1, NULL, 0, &err) ==
          BIPE_ERR_ARGUMENT);
    CHECK(bipe_growing_text_clear(t, &err) == BIPE_OK && bipe_growing_text_view(t).count == 0);
    bipe_growing_text_close(t);
    bipe_growing_text_close(NULL);
    CHECK(bipe_growing_text_open(&t, tokenizer, "no such", &err) == BIPE_ERR_ARGUMENT && t == NULL);
    for (long n = 0, status = BIPE_ERR_MEMORY; status == BIPE_ERR_MEMORY && n < 100; n++) {
        bipe_alloc_fail_at(n);
        status = bipe_growing_text_open(&t, tokenizer, "stop", &err);
        if (status == BIPE_OK)
            status = bipe_growing_text_tokenize(t, (const uint8_t *)"A b.", 4, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_growing_text_close(t);
    }
}

int main(void)
{
    static const char *const segmenters[] = {"stop", "line", "sentence", "paragraph", "equals", "code", "fixed:3",
                                             "regex:\\.[ \\n]*", "regex:[.?]\"?(?= A)",
                                             "tokens:46,10", "none"};
    bipe_tokenizer *tokenizer = NULL;
    bipe_error err = {0};
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    for (int round = 0; round < test_rounds(200); round++)
        for (size_t i = 0; i < sizeof segmenters / sizeof segmenters[0]; i++)
            test_indices(segmenters[i], tokenizer);
    test_text(tokenizer);
    test_levels(tokenizer);
    bipe_tokenizer_close(tokenizer);
    return test_result();
}
