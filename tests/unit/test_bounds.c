/* test_bounds.c - a unit of a text may have BIPE_UNIT_LIMIT bytes: it passes; one byte more is an error with its place, after which the next
 * document is tokenized. */
#include <config.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokens.h"
#include "token/kind.h"

/* Feeds so many bytes `c` after `before`, `piece` at a time. */
static int feed_run(bipe_token_stream *s, const char *before, int c, size_t size, size_t piece, bipe_tokens *tokens, bipe_error *err)
{
    uint8_t *run = malloc(piece);
    memset(run, c, piece);
    tokens->count = 0;
    int status = bipe_token_stream_begin(s, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(s, (const uint8_t *)before, strlen(before), tokens, err);
    for (size_t n; status == BIPE_OK && size != 0; size -= n) {
        n = size < piece ? size : piece;
        status = bipe_token_stream_feed(s, run, n, tokens, err);
    }
    if (status == BIPE_OK)
        status = bipe_token_stream_end(s, tokens, err);
    free(run);
    return status;
}

/* before: text that ends where a unit begins. */
static void check_bound(const bipe_tokenizer *t, const char *before, int c)
{
    static const size_t pieces[] = {1 << 16, 12345, 3 << 20};
    bipe_token_stream *s;
    bipe_error err = {0};
    bipe_tokens tokens = {0};
    char want[100];
    snprintf(want, sizeof want, "byte %zu: no place to cut the text into tokens in 2 MiB", strlen(before));
    CHECK(bipe_token_stream_open(&s, t, &err) == BIPE_OK);
    for (int i = 0; i < test_rounds(3); i++) {
        CHECKF(feed_run(s, before, c, BIPE_UNIT_LIMIT, pieces[i], &tokens, &err) == BIPE_OK, "%s: %s", bipe_tokenizer_spec(t), err.text);
        CHECK(tokens.count != 0 && tokens.token[tokens.count - 1].end == strlen(before) + BIPE_UNIT_LIMIT);
        CHECK(feed_run(s, before, c, BIPE_UNIT_LIMIT + 1, pieces[i], &tokens, &err) == BIPE_ERR_LIMIT);
        CHECK_TEXT(err.text, want);
        CHECK(feed_run(s, "a b", c, 5, 5, &tokens, &err) == BIPE_OK && tokens.count != 0);
        CHECK_UINT(tokens.token[tokens.count - 1].end, 8);
    }
    bipe_token_stream_close(s);
    bipe_tokens_free(&tokens);
}

static void test_model(int type, bool fallback)
{
    static spm_model m;
    spm_begin(&m, fallback);
    m.type = type;
    m.dummy_prefix = m.escape = true;
    spm_add(&m, "\xE2\x96\x81", -1, NORMAL);
    spm_add(&m, "a", -2, NORMAL);
    spm_add(&m, "b", -2, NORMAL);
    spm_add(&m, "aa", -3, NORMAL);
    spm_add(&m, "\xE2\x96\x81" "a", -4, NORMAL);
    bipe_tokenizer *t = must_open_model(&m, false);
    check_bound(t, "a ab", 'a');
    if (!fallback)
        check_bound(t, "a ab", 'x'); /* unknown characters are one token */
    bipe_tokenizer_close(t);
}

int main(void)
{
    bipe_error err = {0};
    bipe_tokenizer *t;
    CHECK(bipe_tokenizer_open(&t, "word", false, &err) == BIPE_OK);
    check_bound(t, "a b,", 'w');
    check_bound(t, "a b,", ' ');
    bipe_tokenizer_close(t);
    test_model(2, true);
    test_model(2, false);
    test_model(1, true);
    test_model(1, false);
    return test_result();
}
