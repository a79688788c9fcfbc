/* test_text_losses.c - two models on a text (<bipe/compare.h>): what cannot be compared is refused, and each allocation
 * that fails is reported and loses nothing. The numbers are those of bipe-score, which tests/cli/library.t and
 * tests/cli/python.t compare. */
#include <bipe/bipe.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/check.h"

enum { LENGTH = 16 };

static const char path[] = "test_text_losses.txt";
static const char *const specs[] = { "stop" };
static bipe_pool *pool;

static int score(bipe_text_losses **losses, bipe_model *model, const char *tokenizer, const bipe_window_rules *rules,
                 bipe_error *err)
{
    bipe_tokenizer *opened = NULL;
    bipe_stream *stream = NULL;
    bipe_evaluator *evaluator = NULL;
    *losses = NULL;
    int status = bipe_tokenizer_open(&opened, tokenizer, false, err);
    const bipe_stream_options options = { .tokenizer = opened, .specs = specs, .spec_count = 1 };
    if (status == BIPE_OK)
        status = bipe_stream_open(&stream, &options, err);
    if (status == BIPE_OK)
        status = bipe_stream_input(stream, path, err);
    if (status == BIPE_OK)
        status = bipe_evaluator_open(&evaluator, model, &(bipe_evaluator_options){ .max_length = LENGTH }, pool, err);
    if (status == BIPE_OK)
        status = bipe_text_losses_open(losses, evaluator, stream, LENGTH, rules, err);
    CHECK((status == BIPE_OK) == (*losses != NULL));
    bipe_evaluator_close(evaluator);
    bipe_stream_close(stream);
    bipe_tokenizer_close(opened);
    return status;
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void fail_in_turn(bipe_model *model, const bipe_text_losses *other)
{
    int status = BIPE_ERR_MEMORY;
    for (long n = 0; status != BIPE_OK; n++) {
        bipe_text_losses *losses;
        bipe_estimate estimate;
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        status = score(&losses, model, "byte", &(bipe_window_rules){0}, &err);
        if (status == BIPE_OK)
            status = bipe_text_losses_estimate(&estimate, other, losses, false, 0, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: %s", n, err.text);
        CHECK(status != BIPE_OK || (n > 20 && estimate.value == 0));
        bipe_text_losses_close(losses);
    }
}

/* ---- texts in memory ---- */

enum { TEXTS = 5, TOKENS = 64 };

static const char *const texts[TEXTS] = {"It rained.", "", "Nobody came", "x", "and the road was dark and long."};

/* The losses of a text are those of the window that begins with it: each by itself is what all are together. */
static void test_texts(bipe_scorer *scorer)
{
    bipe_text_losses *all, *one;
    bipe_estimate estimate;
    bipe_error err = {0};
    uint64_t size[TEXTS], tokens[TEXTS], bytes[TEXTS], document[TOKENS], start[TOKENS], end[TOKENS], at = 0;
    double sum[TEXTS], nll[TOKENS], one_nll[TOKENS];
    CHECK(bipe_scorer_texts(&all, scorer, "stop", texts, NULL, TEXTS, NULL, &err) == BIPE_OK);
    CHECK(bipe_text_losses_documents(all, size, tokens, bytes, sum) == TEXTS);
    uint64_t count = bipe_text_losses_tokens(all);
    CHECK(bipe_text_losses_read(all, 0, count, document, start, end, nll, &err) == BIPE_OK);
    for (size_t i = 0; i < TEXTS; i++) {
        const size_t length = strlen(texts[i]);
        CHECK(bipe_scorer_texts(&one, scorer, NULL, &texts[i], &length, 1, NULL, &err) == BIPE_OK);
        CHECK(size[i] == length && bipe_text_losses_tokens(one) == tokens[i]);
        CHECK(tokens[i] == (length > 1 ? length - 1 : 0) && bytes[i] == tokens[i]); /* no BOS: the first has none */
        CHECK(bipe_text_losses_read(one, 0, tokens[i], NULL, NULL, NULL, one_nll, &err) == BIPE_OK);
        CHECK(memcmp(one_nll, nll + at, (size_t)tokens[i] * sizeof *nll) == 0);
        double expected = 0;
        for (uint64_t k = 0; k < tokens[i]; k++, at++) {
            CHECK(document[at] == i && start[at] == k + 1 && end[at] == k + 2 && nll[at] > 0);
            expected += nll[at];
        }
        CHECK(fabs(sum[i] - expected) <= 1e-12 * expected);
        bipe_text_losses_close(one);
    }
    CHECK(at == count && bipe_text_losses_read(all, 2, 3, NULL, NULL, NULL, one_nll, &err) == BIPE_OK);
    CHECK(memcmp(one_nll, nll + 2, 3 * sizeof *nll) == 0);
    CHECK(bipe_text_losses_read(all, count, 1, NULL, NULL, NULL, one_nll, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_text_losses_read(all, UINT64_MAX, 2, NULL, NULL, NULL, one_nll, &err) == BIPE_ERR_ARGUMENT);
    CHECK(strncmp(err.text, "2 tokens from token 18446744073709551615 on, expected some of ", 62) == 0);
    CHECK(bipe_text_losses_estimate(&estimate, all, all, false, 0, &err) == BIPE_OK && estimate.value == 0);

    /* None of these has a loss, or a window of its own. */
    CHECK(bipe_scorer_texts(&one, scorer, NULL, &texts[3], NULL, 1, NULL, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&estimate, NULL, one, false, 0, &err) == BIPE_OK && isnan(estimate.value));
    bipe_text_losses_close(one);
    CHECK(bipe_scorer_texts(&one, scorer, NULL, NULL, NULL, 0, NULL, &err) == BIPE_OK);
    CHECK(bipe_text_losses_documents(one, NULL, NULL, NULL, NULL) == 0);
    bipe_text_losses_close(one);
    CHECK(bipe_scorer_texts(&one, scorer, NULL, texts, NULL, 1, &(bipe_window_rules){0}, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, "texts: the text has 10 tokens, expected a window of 16");
    CHECK(bipe_scorer_texts(&one, scorer, "no", texts, NULL, 1, NULL, &err) == BIPE_ERR_ARGUMENT && one == NULL);
    CHECK(bipe_scorer_file(&one, scorer, NULL, "/nonexistent", NULL, NULL, &err) == BIPE_ERR_IO && one == NULL);
    bipe_text_losses_close(all);
}

/* Made from what was read they are the same losses, in any order, which can be compared. */
static void test_make(bipe_scorer *scorer, const bipe_window_rules *rules)
{
    bipe_text_losses *read, *made;
    bipe_estimate want, got;
    bipe_error err = {0};
    uint64_t size[TEXTS], tokens[TEXTS], document[TOKENS], start[TOKENS], end[TOKENS];
    double sum[TEXTS], made_sum[TEXTS], nll[TOKENS];
    CHECK(bipe_scorer_texts(&read, scorer, "stop", texts, NULL, TEXTS, rules, &err) == BIPE_OK);
    uint64_t count = bipe_text_losses_tokens(read);
    CHECK(bipe_text_losses_documents(read, size, NULL, NULL, sum) == TEXTS);
    CHECK(bipe_text_losses_read(read, 0, count, document, start, end, nll, &err) == BIPE_OK);
    for (uint64_t i = 0, last = count - 1; i < last; i++, last--) { /* the other way round */
        uint64_t place[] = {document[i], start[i], end[i]};
        double loss = nll[i];
        document[i] = document[last], start[i] = start[last], end[i] = end[last], nll[i] = nll[last];
        document[last] = place[0], start[last] = place[1], end[last] = place[2], nll[last] = loss;
    }
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_OK);
    CHECK(bipe_text_losses_documents(made, NULL, tokens, NULL, made_sum) == TEXTS);
    CHECK(memcmp(made_sum, sum, sizeof sum) == 0);
    for (int bytes = 0; bytes < 2; bytes++) {
        CHECK(bipe_text_losses_estimate(&want, NULL, read, bytes != 0, 3, &err) == BIPE_OK);
        CHECK(bipe_text_losses_estimate(&got, NULL, made, bytes != 0, 3, &err) == BIPE_OK);
        CHECK(memcmp(&want, &got, sizeof want) == 0 && want.value > 0 && want.error > 0);
        CHECK(bipe_text_losses_estimate(&got, read, made, bytes != 0, 3, &err) == BIPE_OK && got.value == 0);
    }
    bipe_text_losses_close(made);

    nll[0] += 1; /* a model that is worse, in one place */
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&got, read, made, false, 0, &err) == BIPE_OK);
    CHECK(fabs(got.value - 1 / (double)count) < 1e-12);
    bipe_text_losses_close(made);
    end[0]--; /* other tokens */
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&got, read, made, false, 0, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_text_losses_estimate(&got, read, made, true, 0, &err) == BIPE_OK);
    bipe_text_losses_close(made);
    size[0]++; /* another text */
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&got, read, made, true, 0, &err) == BIPE_ERR_ARGUMENT);
    bipe_text_losses_close(made);
    document[1] = TEXTS; /* no text */
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_ERR_ARGUMENT);
    CHECK(made == NULL && strstr(err.text, "token 1 is in document 5, expected less than 5") != NULL);
    document[1] = 0;
    end[1] = size[0] + 1;
    CHECK(bipe_text_losses_make(&made, TEXTS, size, count, document, start, end, nll, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_text_losses_make(&made, 0, NULL, 0, NULL, NULL, NULL, NULL, &err) == BIPE_OK);
    CHECK(bipe_text_losses_tokens(made) == 0);
    bipe_text_losses_close(made);
    bipe_text_losses_close(read);
}

static void test_scorer(const char *model)
{
    bipe_scorer *scorer;
    bipe_error err = {0};
    int status = BIPE_ERR_MEMORY;
    CHECK(bipe_scorer_open(&scorer, "/nonexistent", NULL, NULL, 0, 1, &err) == BIPE_ERR_IO && scorer == NULL);
    CHECK(bipe_scorer_open(&scorer, model, "byte", "bipe", LENGTH, 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_scorer_open(&scorer, model, "word", NULL, LENGTH, 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_scorer_open(&scorer, model, "byte", NULL, 1, 1, &err) == BIPE_ERR_ARGUMENT && scorer == NULL);
    CHECK(bipe_scorer_open(&scorer, model, "byte", NULL, UINT32_MAX, 1, &err) == BIPE_ERR_ARGUMENT && scorer == NULL);
    CHECK(strstr(err.text, "windows of 4294967295 tokens, expected 2 to 4294967294") != NULL);
    for (long n = 0; status != BIPE_OK; n++) {
        bipe_text_losses *losses = NULL;
        bipe_alloc_fail_at(n);
        status = bipe_scorer_open(&scorer, model, "byte", NULL, LENGTH, 1, &err);
        if (status == BIPE_OK)
            status = bipe_scorer_texts(&losses, scorer, NULL, texts, NULL, TEXTS, NULL, &err);
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "allocation %ld: %s", n, err.text);
        bipe_text_losses_close(losses);
        bipe_scorer_close(scorer);
    }
    CHECKF(bipe_scorer_open(&scorer, model, "byte", "alibi", LENGTH, 2, &err) == BIPE_OK, "%s", err.text);
    test_texts(scorer);
    test_make(scorer, NULL);
    test_make(scorer, &(bipe_window_rules){ .protocol = BIPE_PROTOCOL_SLIDING });
    bipe_scorer_close(scorer);
    bipe_scorer_close(NULL);
}

int main(void)
{
    const char *source = getenv("BIPE_SRCDIR");
    char name[4096];
    bipe_model *model;
    bipe_text_losses *first, *sliding, *longer, *other;
    bipe_estimate a, b, difference;
    bipe_error err = {0};
    if (source == NULL)
        test_skip("BIPE_SRCDIR is not set");
    snprintf(name, sizeof name, "%s/tests/models/small-bipe-alibi.bin", source);
    CHECK(bipe_model_open(&model, name, &err) == BIPE_OK && bipe_pool_open(&pool, 1, &err) == BIPE_OK);
    write_text("It rained. Nobody came, and the road was dark. It rained again, and nobody minded that it did.");
    CHECK(score(&first, model, "byte", &(bipe_window_rules){0}, &err) == BIPE_OK);
    CHECK(score(&sliding, model, "byte", &(bipe_window_rules){ .stride = 4 }, &err) == BIPE_OK);
    fail_in_turn(model, first);

    /* Other windows score other tokens: only bytes can be compared. */
    CHECK(bipe_text_losses_tokens(sliding) > bipe_text_losses_tokens(first));
    CHECK(bipe_text_losses_estimate(&difference, first, sliding, false, 0, &err) == BIPE_ERR_ARGUMENT);
    CHECK(strstr(err.text, "tokens") != NULL);
    CHECK(bipe_text_losses_estimate(&difference, first, sliding, true, 0, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&a, NULL, first, true, 0, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&b, NULL, sliding, true, 0, &err) == BIPE_OK);
    CHECK(isfinite(a.value) && isfinite(b.value) && isfinite(difference.value));

    /* Nor can nats be compared where one goes on after the other, in units of its own. */
    CHECK(score(&longer, model, "byte", &(bipe_window_rules){ .tail = true }, &err) == BIPE_OK);
    CHECK(bipe_text_losses_tokens(longer) > bipe_text_losses_tokens(first));
    CHECK(bipe_text_losses_estimate(&difference, first, longer, false, 0, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_text_losses_estimate(&difference, longer, first, false, 0, &err) == BIPE_ERR_ARGUMENT);
    bipe_text_losses_close(longer);

    /* As long, and another. */
    write_text("It rained. Nobody came, and the road was dark. It rained again, and nobody minded that we did.");
    CHECK(score(&other, model, "byte", &(bipe_window_rules){0}, &err) == BIPE_OK);
    CHECK(bipe_text_losses_estimate(&difference, first, other, true, 0, &err) == BIPE_ERR_ARGUMENT);
    CHECK(strstr(err.text, "texts") != NULL);
    bipe_text_losses_close(other);

    CHECK(score(&other, model, "byte", &(bipe_window_rules){ .protocol = (bipe_protocol_kind)6 }, &err) ==
          BIPE_ERR_ARGUMENT);
    CHECK(score(&other, model, "byte", &(bipe_window_rules){ .bos = (bipe_bos_kind)-1 }, &err) == BIPE_ERR_ARGUMENT);
    write_text("Short.");
    CHECK(score(&other, model, "byte", &(bipe_window_rules){0}, &err) == BIPE_ERR_LIMIT);
    CHECK(strstr(err.text, path) != NULL);
    bipe_text_losses_close(first);
    bipe_text_losses_close(sliding);
    bipe_pool_close(pool);
    bipe_model_close(model);
    test_scorer(name);
    unlink(path);
    return test_result();
}
