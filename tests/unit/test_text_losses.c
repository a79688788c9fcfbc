/* test_text_losses.c - two models on a text (<bipe/compare.h>): what cannot be compared is refused, and each allocation
 * that fails is reported and loses nothing. The numbers are those of bipe-score, which tests/cli/library.t compares. */
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

    write_text("Short.");
    CHECK(score(&other, model, "byte", &(bipe_window_rules){0}, &err) == BIPE_ERR_LIMIT);
    CHECK(strstr(err.text, path) != NULL);
    bipe_text_losses_close(first);
    bipe_text_losses_close(sliding);
    bipe_pool_close(pool);
    bipe_model_close(model);
    unlink(path);
    return test_result();
}
