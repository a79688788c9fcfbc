/* test_token_team.c - what several threads make of a text, against what one stream makes of it: token by token, in blocks of many sizes. */
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "measure/token_team.h"
#include "tests/check.h"

enum { TEXT_SIZE = 60000 };

static uint8_t text[TEXT_SIZE];

/* Words, blanks, lines, marks, digits, other scripts, broken UTF-8, and what tokenizers look for. */
static size_t make_text(uint64_t *state, size_t size)
{
    static const char *const parts[] = {"word", " ", "the ", "of", "\n", "  ", ". ", "A", "don't ", "1234", "\t", "\r\n", "\xC3\xA9t\xC3\xA9 ",
                                        "\xE4\xB8\xAD\xE6\x96\x87", "\xE3\x80\x80", "\xC3", "\xFF", "<s>", "<|endoftext|>", "[CLS]",
                                        "\n\n", "_x", " a", "b ", "\xCC\x81", "\xE2\x96\x81", "=", "int main(void) {\n    return 0;\n}\n"};
    size_t n = 0, kinds = test_random(state) % 3 == 0 ? 8 : sizeof parts / sizeof parts[0];
    while (n < size) {
        const char *part = parts[test_random(state) % kinds];
        size_t length = strlen(part);
        length = length < size - n ? length : size - n;
        memcpy(text + n, part, length);
        n += length;
    }
    return n;
}

static void check_same(const char *what, const bipe_tokens *got, const bipe_tokens *want)
{
    CHECKF(got->count == want->count, "%s: %zu tokens, %zu wanted", what, got->count, want->count);
    for (size_t i = 0; i < got->count && i < want->count; i++) {
        const bipe_token *a = &got->token[i], *b = &want->token[i];
        bool same = a->id == b->id && a->start == b->start && a->end == b->end;
        CHECKF(same, "%s: token %zu is %u [%llu, %llu), want %u [%llu, %llu)", what, i, a->id, (unsigned long long)a->start,
               (unsigned long long)a->end, b->id, (unsigned long long)b->start, (unsigned long long)b->end);
        if (!same)
            break;
    }
}

static bool stand_in_a_row(const bipe_tokens *tokens, uint64_t offset)
{
    for (size_t i = 0; i < tokens->count; offset = tokens->token[i++].end)
        if (tokens->token[i].start != offset)
            return false;
    return true;
}

/* Ends alone, of what stands from `offset` on, against tokens. */
static void check_ends(const char *spec, bipe_token_stream *stream, bipe_token_ends *ends, uint64_t offset, const uint8_t *bytes, size_t size)
{
    bipe_tokens want = {0};
    bipe_error err = {0}, other = {0};
    int status = offset == 0 ? bipe_token_stream_begin(stream, &err) : bipe_token_stream_begin_at(stream, offset, &err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(stream, bytes, size, &want, &err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(stream, &want, &err);
    int got = bipe_token_ends_of(ends, stream, offset, bytes, size, &other);
    if (got == BIPE_END) {
        CHECKF(status == BIPE_OK && !stand_in_a_row(&want, offset), "%s: tokens do not stand apart", spec);
    } else if (got == BIPE_OK && status == BIPE_OK) {
        bool same = ends->count == want.count && stand_in_a_row(&want, offset);
        for (size_t i = 0; same && i < want.count; i++)
            same = ends->base + (uint64_t)ends->end[i] == want.token[i].end;
        CHECKF(same, "%s: other ends, %zu for %zu tokens", spec, ends->count, want.count);
    } else {
        CHECKF(got == status, "%s: status %d, want %d", spec, got, status);
        CHECK_TEXT(other.text, err.text);
    }
    bipe_tokens_free(&want);
}

static void test_ends(const char *spec, bipe_tokenizer *tokenizer)
{
    uint64_t state = 17;
    bipe_error err = {0};
    bipe_token_stream *stream;
    bipe_token_ends ends = {0};
    CHECK(bipe_token_stream_open(&stream, tokenizer, &err) == BIPE_OK);
    for (int round = 0; round < test_rounds(30); round++) {
        size_t size = make_text(&state, test_random(&state) % (round % 3 == 0 ? 200 : TEXT_SIZE));
        check_ends(spec, stream, &ends, 0, text, size);
        size_t cut = bipe_tokenizer_cut(tokenizer, text, size / 2);
        if (cut != 0)
            check_ends(spec, stream, &ends, cut, text + cut, size - cut);
    }
    bipe_token_ends_free(&ends);
    bipe_token_stream_close(stream);
}

/* Feeds all, and takes blocks when they must be taken, and now and then before. */
static int feed(bipe_token_team *team, const uint8_t *bytes, size_t size, bool eager, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0, taken; at < size && status == BIPE_OK; at += taken) {
        bool counted = false;
        if (at % 7 == 3)
            bipe_token_team_trim(team); /* which makes no difference */
        status = bipe_token_team_feed(team, bytes + at, size - at, &taken, tokens, err);
        if (status == BIPE_OK && (eager || taken < size - at))
            status = bipe_token_team_take(team, taken < size - at, &counted, NULL, tokens, err);
        CHECK(!counted && (status != BIPE_END || taken == size - at));
        status = status == BIPE_END ? BIPE_OK : status;
    }
    return status;
}

static int end(bipe_token_team *team, bipe_tokens *tokens, bipe_error *err)
{
    bool counted;
    int status;
    do
        status = bipe_token_team_take(team, true, &counted, NULL, tokens, err);
    while (status == BIPE_OK);
    return status == BIPE_END ? bipe_token_team_end(team, tokens, err) : status;
}

static void test_tokenizer(const char *spec, bool special)
{
    static const size_t blocks[] = {64, 100, 300, 1000, 5000};
    uint64_t state = 11;
    bipe_error err = {0};
    bipe_tokenizer *tokenizer;
    bipe_token_stream *stream;
    bipe_token_team *team;
    CHECKF(bipe_tokenizer_open(&tokenizer, spec, special, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_token_stream_open(&stream, tokenizer, &err) == BIPE_OK);
    test_ends(spec, tokenizer);
    for (size_t threads = 1; threads <= 4; threads += threads == 1 ? 1 : 2) {
        for (size_t round = 0; round < (size_t)test_rounds(10); round++) {
            /* One team for several documents, of which one is left in the middle. */
            CHECK(bipe_token_team_open(&team, tokenizer, threads, NULL, 0, NULL, &err) == BIPE_OK);
            bipe_token_team_sizes(team, blocks[round % 5], 1 + test_random(&state) % 700);
            for (int document = 0; document < 4; document++) {
                bipe_tokens want = {0}, got = {0};
                size_t size = make_text(&state, test_random(&state) % (round % 5 < 2 ? 4000 : TEXT_SIZE));
                bool left = test_random(&state) % 4 == 0;
                CHECK(bipe_token_stream_begin(stream, &err) == BIPE_OK);
                int wanted = bipe_token_stream_feed(stream, text, size, &want, &err);
                if (wanted == BIPE_OK)
                    wanted = bipe_token_stream_end(stream, &want, &err);
                bipe_error other = {0};
                CHECK(bipe_token_team_begin(team, &other) == BIPE_OK);
                int status = BIPE_OK;
                for (size_t at = 0; at < size && status == BIPE_OK;) {
                    size_t n = 1 + test_random(&state) % 900;
                    n = n < size - at ? n : size - at;
                    status = feed(team, text + at, n, test_random(&state) % 2 == 0, &got, &other);
                    at += n;
                }
                if (!left && status == BIPE_OK)
                    status = end(team, &got, &other);
                if (!left) {
                    CHECKF(status == wanted, "%s: status %d, want %d", spec, status, wanted);
                    if (wanted == BIPE_OK)
                        check_same(spec, &got, &want);
                    else
                        CHECK_TEXT(other.text, err.text);
                }
                bipe_tokens_free(&want);
                bipe_tokens_free(&got);
            }
            bipe_token_team_close(team);
        }
    }
    bipe_token_stream_close(stream);
    bipe_tokenizer_close(tokenizer);
}

/* Every allocation fails once, in whatever thread: an error, or all tokens. */
static void test_no_memory(void)
{
    bipe_error err = {0};
    bipe_tokenizer *tokenizer;
    uint64_t state = 5;
    size_t size = make_text(&state, 5000), wanted = 0;
    CHECK(bipe_tokenizer_open(&tokenizer, "word", false, &err) == BIPE_OK);
    long n;
    bool done = false;
    for (n = -1; n < 500 && !done; n++) {
        bipe_token_team *team = NULL;
        bipe_tokens tokens = {0};
        bipe_alloc_fail_at(n);
        int status = bipe_token_team_open(&team, tokenizer, 3, NULL, 0, NULL, &err);
        if (status == BIPE_OK) {
            bipe_token_team_sizes(team, 300, 100);
            status = bipe_token_team_begin(team, &err);
        }
        if (status == BIPE_OK)
            status = feed(team, text, size, false, &tokens, &err);
        if (status == BIPE_OK)
            status = end(team, &tokens, &err);
        bipe_token_team_close(team); /* before the failure is switched off: threads may still allocate */
        bipe_alloc_fail_at(-1);
        if (n < 0)
            wanted = tokens.count;
        CHECKF(status == BIPE_OK ? tokens.count == wanted : status == BIPE_ERR_MEMORY, "%ld: status %d", n, status);
        done = n > 100 && status == BIPE_OK;
        bipe_tokens_free(&tokens);
    }
    CHECK(wanted > 500 && done);
    bipe_tokenizer_close(tokenizer);
}

int main(void)
{
    static const char *const shared[] = {"llama2.model", "llama2.tokenizer.json", "ggml-vocab-gpt-2.gguf", "ggml-vocab-falcon.gguf",
                                         "ggml-vocab-bert-bge.gguf", "ggml-vocab-llama-spm.gguf"};
    test_tokenizer("byte", false);
    test_tokenizer("char", false);
    test_tokenizer("word", false);
    test_tokenizer("words", false);
    test_no_memory();
    const char *folder = test_shared();
    for (size_t i = 0; folder != NULL && i < sizeof shared / sizeof shared[0]; i++)
        for (int special = 0; special < 2; special++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/tokenizers/%s", folder, shared[i]);
            test_tokenizer(path, special != 0);
        }
    return test_result();
}
