/* test_segmenter_rules.c - the driver against segmenters that break each rule of segmenter.h, as a plug-in may. The
 * list of built-in segmenters is this program's own. */
#include "segment/segmentation.h"
#include "tests/check.h"

static char crime; /* the first letter of the argument */
static int opened, closed;

static int bad_open(void **state, const char *argument, char *error, size_t error_size)
{
    crime = argument != NULL ? argument[0] : '\0';
    switch (crime) {
    case 'A':
        snprintf(error, error_size, "two\nlines");
        return BIPE_SEGMENTER_ARGUMENT;
    case 'B':
        return BIPE_SEGMENTER_ARGUMENT;
    case 'C':
        memset(error, 'x', error_size); /* no NUL */
        return BIPE_SEGMENTER_FAILURE;
    case 'D':
        return BIPE_SEGMENTER_MEMORY;
    }
    opened++;
    *state = &crime;
    return BIPE_SEGMENTER_OK;
}

static int bad_begin(void *state)
{
    return *(char *)state == 'E' ? BIPE_SEGMENTER_MEMORY : BIPE_SEGMENTER_OK;
}

/* One boundary a byte, and then the crime at offset 4. */
static int bad_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *b)
{
    (void)bytes;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = offset + i + 1;
        switch (at == 4 ? *(char *)state : '\0') {
        case 'F': at = 3; break;            /* again */
        case 'G': at = 2; break;            /* back */
        case 'H': at = offset + size + 1; break; /* not seen yet */
        case 'I': at = UINT64_MAX; break;
        case 'J': at = 0; break;
        case 'K': b->settled = offset + size + 1; break;
        case 'L': b->count = 0; return BIPE_SEGMENTER_OK;
        case 'M': return BIPE_SEGMENTER_MEMORY;
        case 'N': b->settled = 3; snprintf(b->error, b->error_size, "\ttoo hard"); return BIPE_SEGMENTER_LIMIT;
        case 'O': b->settled = 3; snprintf(b->error, b->error_size, "broken"); return BIPE_SEGMENTER_FAILURE;
        case 'P': return -7;
        case 'Q': memset(b->error, 'x', b->error_size); return BIPE_SEGMENTER_LIMIT;
        }
        if (bipe_boundaries_add(b, at) != BIPE_SEGMENTER_OK)
            return BIPE_SEGMENTER_MEMORY;
    }
    return BIPE_SEGMENTER_OK;
}

static int bad_end(void *state, uint64_t size, bipe_boundaries *b)
{
    return *(char *)state == 'R'   ? bipe_boundaries_add(b, size + 1)
           : *(char *)state == 'S' ? bipe_boundaries_add(b, size)
                                   : BIPE_SEGMENTER_OK;
}

static void bad_close(void *state)
{
    CHECK(state == &crime);
    closed++;
}

/* Reports a boundary that it had declared settled. */
static int late_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *b)
{
    (void)state, (void)bytes, (void)size;
    return offset < 3 ? BIPE_SEGMENTER_OK : bipe_boundaries_add(b, offset);
}

/* Holds everything back, and lowers what it had settled before: harmless, but taken as said first. */
static int shy_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *b)
{
    (void)state, (void)bytes, (void)size;
    b->settled = offset >= 3 ? 1 : 2;
    return BIPE_SEGMENTER_OK;
}

static int shy_end(void *state, uint64_t size, bipe_boundaries *b)
{
    (void)state;
    int status = bipe_boundaries_add(b, 3);
    return status == BIPE_SEGMENTER_OK ? bipe_boundaries_add(b, size) : status;
}

static int any_tokens(void *state, const bipe_token *tokens, size_t count, bipe_boundaries *b)
{
    (void)state;
    return bipe_boundaries_add(b, tokens[count - 1].end);
}

static const bipe_segmenter bad = {.abi = BIPE_SEGMENTER_ABI, .name = "bad", .argument = "CRIME", .open = bad_open,
                                   .begin = bad_begin, .bytes = bad_bytes, .end = bad_end, .close = bad_close};
static const bipe_segmenter late = {.abi = BIPE_SEGMENTER_ABI, .name = "late", .bytes = late_bytes};
static const bipe_segmenter shy = {.abi = BIPE_SEGMENTER_ABI, .name = "shy", .bytes = shy_bytes, .end = shy_end};
static const bipe_segmenter any = {.abi = BIPE_SEGMENTER_ABI, .name = "any", .tokens = any_tokens};
const bipe_segmenter *const bipe_builtin_segmenters[] = {&bad, &late, &shy, &any, NULL};

static int run(bipe_segmentation *s, size_t piece, bipe_error *err)
{
    static const uint8_t text[6] = "abcdef";
    int status = bipe_segmentation_begin(s, err);
    for (size_t done = 0; done < 6 && status == BIPE_OK; done += piece)
        status = bipe_segmentation_feed_bytes(s, text + done, piece, err);
    return status == BIPE_OK ? bipe_segmentation_end(s, 6, err) : status;
}

static const struct {
    const char *spec;
    int open, run;
    const char *text;
} crimes[] = {
    {"bad:A", BIPE_ERR_ARGUMENT, 0, "segmenter 'bad:A': two lines"},
    {"bad:B", BIPE_ERR_ARGUMENT, 0, "segmenter 'bad:B': bad argument, expected bad:CRIME"},
    {"bad:C", BIPE_ERR_ARGUMENT, 0, "segmenter 'bad:C': xxx"}, {"bad:D", BIPE_ERR_MEMORY, 0, "out of memory"},
    {"bad:E", 0, BIPE_ERR_MEMORY, "out of memory"},
    {"bad:F", 0, BIPE_ERR_FORMAT,
     "segmenter 'bad:F': reported a boundary at offset 3, expected one after 3 and not beyond"},
    {"bad:G", 0, BIPE_ERR_FORMAT, "reported a boundary at offset 2"},
    {"bad:H", 0, BIPE_ERR_FORMAT, "expected one after 3 and not beyond"},
    {"bad:I", 0, BIPE_ERR_FORMAT, "reported a boundary at offset 18446744073709551615"},
    {"bad:J", 0, BIPE_ERR_FORMAT, "reported a boundary at offset 0"},
    {"bad:K", 0, BIPE_ERR_FORMAT, "settled at offset"}, {"bad:M", 0, BIPE_ERR_MEMORY, "out of memory"},
    {"bad:N", 0, BIPE_ERR_LIMIT, "byte 3: segmenter 'bad:N':  too hard"},
    {"bad:O", 0, BIPE_ERR_FORMAT, "byte 3: segmenter 'bad:O': broken"}, {"bad:P", 0, BIPE_ERR_FORMAT, "status -7"},
    {"bad:Q", 0, BIPE_ERR_LIMIT, "segmenter 'bad:Q': xxx"},
    {"bad:R", 0, BIPE_ERR_FORMAT, "reported a boundary at offset 7"},
    {"bad:S", 0, BIPE_ERR_FORMAT, "reported a boundary at offset 6"}, /* it was reported with the last byte */
    {"bad:T", 0, BIPE_OK, ""},
    {"bad", 0, BIPE_OK, ""},
};

static void test_crimes(void)
{
    static const size_t sizes[] = {1, 2, 3, 6};
    for (size_t i = 0; i < sizeof crimes / sizeof *crimes; i++) {
        bipe_segmentation *s;
        bipe_error err = {0};
        CHECKF(bipe_segmentation_open(&s, crimes[i].spec, &err) == crimes[i].open, "%s: %s", crimes[i].spec, err.text);
        if (crimes[i].open == 0)
            for (int again = 0; again < 8; again++) { /* a document that failed leaves the next one alone */
                err.text[0] = '\0';
                int status = run(s, sizes[again % 4], &err);
                CHECKF(status == crimes[i].run, "%s: %d %s", crimes[i].spec, status, err.text);
                CHECKF(strstr(err.text, crimes[i].text) != NULL && strchr(err.text, '\n') == NULL, "%s: %s",
                       crimes[i].spec, err.text);
                if (status != BIPE_OK && status != BIPE_ERR_MEMORY)
                    CHECK(bipe_segmentation_end(s, 6, &err) == BIPE_ERR_ARGUMENT);
                const bipe_boundaries *b = bipe_segmentation_boundaries(s);
                for (size_t k = 0; k < b->count; k++) /* what was reported before is in order */
                    CHECK(b->offset[k] == k + 1);
            }
        bipe_segmentation_close(s);
    }
    CHECK(opened == closed && opened > 0);
}

static void test_taken_away(void)
{
    bipe_segmentation *s;
    bipe_error err;
    CHECK(bipe_segmentation_open(&s, "bad:L", &err) == BIPE_OK);
    CHECK(run(s, 1, &err) == BIPE_ERR_FORMAT);
    CHECKF(strstr(err.text, "took boundaries away") != NULL, "%s", err.text);
    bipe_segmentation_close(s);
}

static void test_settled(void)
{
    bipe_segmentation *s;
    bipe_error err;
    CHECK(bipe_segmentation_open(&s, "late", &err) == BIPE_OK);
    CHECK(run(s, 3, &err) == BIPE_ERR_FORMAT);
    CHECKF(strstr(err.text, "segmenter 'late': reported a boundary at offset 3, expected one after 3") != NULL, "%s",
           err.text);
    bipe_segmentation_close(s);

    CHECK(bipe_segmentation_open(&s, "shy", &err) == BIPE_OK);
    CHECK(run(s, 3, &err) == BIPE_OK);
    const bipe_boundaries *b = bipe_segmentation_boundaries(s);
    CHECK(b->count == 2 && b->offset[0] == 3 && b->offset[1] == 6 && b->settled == 6);
    bipe_segmentation_begin(s, &err);
    CHECK(b->count == 0 && b->settled == 0);
    bipe_segmentation_feed_bytes(s, (const uint8_t *)"abc", 3, &err);
    CHECK(b->settled == 2);
    bipe_segmentation_feed_bytes(s, (const uint8_t *)"abc", 3, &err);
    CHECK(b->settled == 2);
    bipe_segmentation_close(s);
}

static void test_token_spans(void)
{
    bipe_segmentation *s;
    bipe_error err;
    bipe_token good[] = {{.start = 0, .end = 0}, {.start = 0, .end = 2}, {.start = 5, .end = 6}};
    bipe_token back[] = {{.start = 6, .end = 9}, {.start = 7, .end = 8}};
    bipe_token turned[] = {{.start = 9, .end = 8}};
    CHECK(bipe_segmentation_open(&s, "any", &err) == BIPE_OK);
    CHECK(bipe_segmentation_begin(s, &err) == BIPE_OK);
    CHECK(bipe_segmentation_feed_tokens(s, good, 0, &err) == BIPE_OK);
    CHECK(bipe_segmentation_feed_tokens(s, good, 3, &err) == BIPE_OK);
    CHECK(bipe_segmentation_feed_tokens(s, back, 2, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_segmentation_feed_tokens(s, turned, 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_segmentation_feed_bytes(s, (const uint8_t *)"x", 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_segmentation_end(s, 5, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_segmentation_end(s, 60, &err) == BIPE_OK);
    const bipe_boundaries *b = bipe_segmentation_boundaries(s);
    CHECK(b->count == 1 && b->offset[0] == 6 && b->settled == 60);
    bipe_segmentation_close(s);
}

int main(void)
{
    test_crimes();
    test_taken_away();
    test_settled();
    test_token_spans();
    return test_result();
}
