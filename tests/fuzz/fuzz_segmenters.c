/* fuzz_segmenters.c - any segmenter over any bytes, cut anywhere, against the same in one piece; regex also with any
 * pattern. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "segment/segmentation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const specs[] = {
    "stop",
    "line",
    "paragraph",
    "equals",
    "code",
    "none",
    "fixed:1",
    "fixed:3",
    "tokens:0,1,2,13",
    "regex:[.!?]+\\s+(?=\\w)",
    "regex:(?m)^a.*$",
    "regex:(?<=a)b|\\R",
    "regex:(?m)\\n(?!^)",
    "regex:(?<!\\ba)\\b\\w+\\b",
    "regex:\\Aa|\\Gb|c\\z",
    "regex:(?s)a.*?b",
    "regex:\\w+(*SKIP)b|[^a]",
    "regex:(?<=[.!?])\\s+(?=\\p{Lu})",
    "regex:\\n{2,}",
    "regex:(?s)a.*b|a",
    "regex:(*UTF)(?s)a.*b|a",
    "regex:(?<!\\w)[^a]\\B.{2,3}?",
    "sentence",
    "sentence:wrapped",
    /* from the build folder */
    "sentence:wrapped,segmenters/sentence/en.txt",
    "sentence:auto",
    "sentence:auto,wrapped",
    "sentence:segmenters/sentence/am.txt",
    "sentence:segmenters/sentence/ar.txt",
    "sentence:segmenters/sentence/bg.txt",
    "sentence:segmenters/sentence/cs.txt",
    "sentence:segmenters/sentence/da.txt",
    "sentence:segmenters/sentence/de.txt",
    "sentence:segmenters/sentence/el.txt",
    "sentence:segmenters/sentence/en.txt",
    "sentence:segmenters/sentence/es.txt",
    "sentence:segmenters/sentence/fi.txt",
    "sentence:segmenters/sentence/fr.txt",
    "sentence:segmenters/sentence/hi.txt",
    "sentence:segmenters/sentence/hr.txt",
    "sentence:segmenters/sentence/hu.txt",
    "sentence:segmenters/sentence/hy.txt",
    "sentence:segmenters/sentence/it.txt",
    "sentence:segmenters/sentence/ja.txt",
    "sentence:segmenters/sentence/nb.txt",
    "sentence:segmenters/sentence/nl.txt",
    "sentence:segmenters/sentence/pl.txt",
    "sentence:segmenters/sentence/pt.txt",
    "sentence:segmenters/sentence/ro.txt",
    "sentence:segmenters/sentence/ru.txt",
    "sentence:segmenters/sentence/sk.txt",
    "sentence:segmenters/sentence/sv.txt",
    "sentence:segmenters/sentence/tr.txt",
    "sentence:segmenters/sentence/uk.txt",
    "sentence:segmenters/sentence/zh.txt",
};

typedef struct found {
    uint64_t *at;
    size_t count, capacity;
    uint64_t settled;
} found;

static void take(bipe_segmentation *s, found *f)
{
    const bipe_boundaries *b = bipe_segmentation_boundaries(s);
    for (size_t i = 0; i < b->count; i++) {
        if (b->offset[i] <= f->settled || bipe_grow(&f->at, &f->capacity, f->count + 1, sizeof *f->at) != 0)
            abort();
        f->at[f->count++] = b->offset[i];
    }
    if (b->settled < f->settled)
        abort();
    f->settled = b->settled;
    bipe_segmentation_take(s, b->count);
}

/* cut: how long pieces are, from the data; 0: one piece. */
static int run(bipe_segmentation *s, const uint8_t *text, size_t size, unsigned cut, found *f)
{
    bipe_error err;
    size_t tokens = 0;
    int status = bipe_segmentation_begin(s, &err);
    for (size_t done = 0; done < size && status == BIPE_OK;) {
        size_t n = cut == 0 ? size : 1 + (text[done] * 31u + cut) % cut;
        if (n > size - done)
            n = size - done;
        if (bipe_segmentation_wants_tokens(s)) {
            bipe_token some[64];
            if (n > 64)
                n = 64;
            for (size_t i = 0; i < n; i++, tokens++) { /* a byte a token; some are empty */
                uint64_t start = done + i;
                some[i] = (bipe_token){.start = start, .end = start + (text[start] % 4 != 0), .id = text[start] / 4};
            }
            status = bipe_segmentation_feed_tokens(s, some, n, &err);
        } else {
            status = bipe_segmentation_feed_bytes(s, text + done, n, &err);
        }
        done += n;
        if (status == BIPE_OK)
            take(s, f);
    }
    if (status == BIPE_OK)
        status = bipe_segmentation_end(s, size, &err);
    if (status == BIPE_OK)
        take(s, f);
    else if (status != BIPE_ERR_LIMIT)
        abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const size_t known = sizeof specs / sizeof *specs;
    size_t which = data[0] % (known + 4);
    unsigned cut = 1 + data[1] % 40;
    data += 2, size -= 2;
    char pattern[128] = "regex:";
    bipe_segmentation *s;
    bipe_error err;
    if (which >= known) { /* the pattern is in front of the text, up to a NUL */
        size_t n = strnlen((const char *)data, size < 60 ? size : 60);
        memcpy(pattern + 6, data, n);
        data += n, size -= n;
    }
    int status = bipe_segmentation_open(&s, which < known ? specs[which] : pattern, &err);
    if (status != BIPE_OK) {
        if (which < known || status != BIPE_ERR_ARGUMENT || strchr(err.text, '\n') != NULL)
            abort();
        return 0;
    }
    found whole = {0}, pieces = {0};
    int first = run(s, data, size, 0, &whole);
    int second = first == BIPE_OK ? run(s, data, size, cut, &pieces) : first; /* limits take their time */
    /* With a pattern of its own the input may find the bugs of PCRE2, of which JIT has some: only what it does is
     * judged. */
    bool judged = which < known;
    if (first == BIPE_OK && second == BIPE_OK && judged &&
        (whole.count != pieces.count ||
         (whole.count != 0 && memcmp(whole.at, pieces.at, whole.count * sizeof *whole.at) != 0)))
        abort();
    bipe_free(whole.at);
    bipe_free(pieces.at);
    bipe_segmentation_close(s);
    return 0;
}
