/* test_segmenter_memory.c - every allocation of the segmenters fails once. They allocate by themselves (they stand
 * alone), so their sources are compiled here with an allocator that fails on purpose. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/scratch.h"

static long fail_at = -1, live;

static bool must_fail(void)
{
    return fail_at >= 0 && fail_at-- == 0;
}

static void *test_calloc(size_t count, size_t size)
{
    void *p = must_fail() ? NULL : calloc(count, size);
    live += p != NULL;
    return p;
}

static void *test_malloc(size_t size)
{
    return test_calloc(1, size);
}

static void test_free(void *p)
{
    live -= p != NULL;
    free(p);
}

#define malloc test_malloc
#define calloc test_calloc
#define free test_free
#include "segmenters/fixed.c"
#include "segmenters/paragraph.c"
#include "segmenters/plugin/stops.c"
#include "segmenters/tokens.c"
#include "segmenters/regex.c"
#include "segmenters/sentence.c"
#include "segmenters/code.c"
#undef malloc
#undef calloc
#undef free

static uint64_t found[64];

static int refuse(bipe_boundaries *b)
{
    (void)b;
    return BIPE_SEGMENTER_MEMORY;
}

static int grow_once(bipe_boundaries *b)
{
    if (must_fail())
        return BIPE_SEGMENTER_MEMORY;
    b->capacity += 8;
    return b->capacity <= 64 ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
}

static int feed(const bipe_segmenter *g, void *state, bipe_boundaries *b)
{
    static const char text[] = "One.  Two.\n\n x = 1;\n aaaaaaaaab\xC3\xA9\xFF. aab.\n\n";
    bipe_token tokens[8];
    int status = g->begin != NULL ? g->begin(state) : BIPE_SEGMENTER_OK;
    for (unsigned i = 0; i < 8; i++)
        tokens[i] = (bipe_token){.start = i, .end = i + 1, .id = 7};
    if (status == BIPE_SEGMENTER_OK && g->tokens != NULL)
        status = g->tokens(state, tokens, 8, b);
    for (size_t i = 0; i < sizeof text - 1 && status == BIPE_SEGMENTER_OK && g->bytes != NULL; i++) {
        b->settled = i + 1;
        status = g->bytes(state, i, (const uint8_t *)text + i, 1, b);
    }
    return status == BIPE_SEGMENTER_OK && g->end != NULL ? g->end(state, sizeof text - 1, b) : status;
}

static void check_segmenter(const bipe_segmenter *g, const char *argument)
{
    bool done = false;
    size_t count = 0;
    for (long n = 0; !done && n < 1000; n++) {
        char error[256] = "";
        bipe_boundaries b = {.offset = found, .grow = grow_once, .error = error, .error_size = sizeof error};
        void *state = NULL;
        fail_at = n;
        int status = g->open(&state, argument, error, sizeof error);
        bool is_open = status == BIPE_SEGMENTER_OK;
        if (is_open)
            status = feed(g, state, &b);
        done = fail_at >= 0;
        fail_at = -1;
        CHECKF(status == BIPE_SEGMENTER_OK || (!done && status == BIPE_SEGMENTER_MEMORY),
               "%s, allocation %ld: status %d %s", g->name, n, status, error);
        count = b.count;
        if (is_open) { /* the state is still good for another document */
            b.count = 0;
            status = feed(g, state, &b);
            CHECK(status == BIPE_SEGMENTER_OK && b.count > 0);
            b.capacity = b.count = 0;
            b.grow = refuse;
            CHECK(feed(g, state, &b) == BIPE_SEGMENTER_MEMORY);
            g->close(state);
        }
        CHECKF(live == 0, "%s, allocation %ld: %ld left", g->name, n, live);
    }
    CHECKF(done && count > 0, "%s", g->name);
}

/* The same for what is allocated by the room text. */
static void check_search(const bipe_segmenter *g, const char *argument, long most)
{
    bool failed = false, done = false;
    for (long n = 0; n < most; n++) {
        char error[256] = "";
        bipe_boundaries b = {
            .offset = found, .capacity = 64, .grow = refuse, .error = error, .error_size = sizeof error};
        void *state = NULL;
        bipe_alloc_fail_at(n);
        int status = g->open(&state, argument, error, sizeof error);
        bool is_open = status == BIPE_SEGMENTER_OK;
        if (is_open)
            status = feed(g, state, &b);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_SEGMENTER_OK || status == BIPE_SEGMENTER_MEMORY, "%s, allocation %ld: status %d %s",
               argument, n, status, error);
        failed = failed || status == BIPE_SEGMENTER_MEMORY;
        done = status == BIPE_SEGMENTER_OK;
        if (is_open) {
            b.count = 0;
            CHECK(feed(g, state, &b) == BIPE_SEGMENTER_OK && b.count > 0);
            g->close(state);
        }
        CHECKF(live == 0, "%s, allocation %ld: %ld left", argument, n, live);
    }
    CHECKF(failed && done, "%s", argument);
}

int main(void)
{
    static const char list[] = "[never] x. [start] One Two [words] aab";
    check_segmenter(&bipe_segmenter_code, NULL);
    check_segmenter(&bipe_segmenter_fixed, "3");
    check_segmenter(&bipe_segmenter_paragraph, NULL);
    check_segmenter(&bipe_segmenter_plugin, NULL);
    check_segmenter(&bipe_segmenter_tokens, "1,7");
    check_segmenter(&bipe_segmenter_regex, "\\.");
    check_segmenter(&bipe_segmenter_sentence, NULL);
    check_segmenter(&bipe_segmenter_sentence, "wrapped");
    check_search(&bipe_segmenter_regex, "(?<=a)(a|b)+", 200);
    check_search(&bipe_segmenter_regex, "[^b]*b", 200);
    check_search(&bipe_segmenter_regex, "(?m)^\\p{Lu}|\\bb", 300);
    check_search(&bipe_segmenter_regex, "(*UTF)\\.", 60);
    check_search(&bipe_segmenter_regex, "(*UTF)(?<=a)(a|b)+", 60);
    check_search(&bipe_segmenter_regex, "(*NO_JIT)(?:(a)|(b)|(\\.\\s*))+(?=\\w)|\\n", 60);
    check_search(&bipe_segmenter_sentence, "wrapped", 60);
    scratch_write("xx.txt", list, sizeof list - 1); /* the only one: few allocations */
    setenv("BIPE_SENTENCE_PATH", scratch_path(""), 1);
    check_segmenter(&bipe_segmenter_sentence, "auto,wrapped");
    check_search(&bipe_segmenter_sentence, "auto,wrapped", 200);
    return test_result();
}
