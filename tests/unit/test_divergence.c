/* test_divergence.c - models in step: losses with the digits of each alone, and divergences of their predictions
 * against what the double-precision reference predicts, word by word. */
#include <unistd.h>

#include "model/divergence.h"
#include "tests/check.h"
#include "tests/models.h"
#include "tests/reference/reference.h"
#include "tests/reference/tiny_model.h"

enum { MODELS = 3, WINDOWS = 5, MANY = 1300, LENGTH = 200 };

static const char *const paths[MODELS] = {"test_divergence_0.tmp", "test_divergence_1.tmp", "test_divergence_2.tmp"};
static const char scheme[] = "alibi@segment";

/* ln of the probability of each word after the first `count` tokens. */
static void predict(const reference_model *m, const tiny_window *w, size_t count, double *log_p)
{
    uint32_t ids[LENGTH + 1], segment[LENGTH + 1], intra[LENGTH + 1];
    double nll[LENGTH];
    memcpy(ids, w->ids, count * sizeof *ids);
    memcpy(segment, w->segment, count * sizeof *segment);
    memcpy(intra, w->intra, count * sizeof *intra);
    segment[count] = intra[count] = 0; /* the last token is predicted, not seen */
    for (uint32_t word = 0; word < m->vocabulary; word++) {
        ids[count] = word;
        reference_losses(m, scheme, "none", 0, ids, &(bipe_indices){{NULL, segment, intra}}, count + 1, nll);
        log_p[word] = -nll[count - 1];
    }
}

static bipe_token_divergence expect(const double *a, const double *b, size_t words, uint32_t target)
{
    size_t best_a = 0, best_b = 0;
    bipe_token_divergence d = {.change = exp(b[target]) - exp(a[target])};
    for (size_t i = 0; i < words; i++) {
        d.divergence += exp(a[i]) * (a[i] - b[i]);
        best_a = a[i] > a[best_a] ? i : best_a;
        best_b = b[i] > b[best_b] ? i : best_b;
    }
    d.same_choice = best_a == best_b;
    return d;
}

/* The second model differs from the first by `noise` in its weights; the third is the first. */
static void make_models(reference_model *m, unsigned words, float noise)
{
    for (size_t i = 0; i < MODELS; i++) {
        uint64_t seed = 7;
        m[i] = (reference_model){.vocabulary = words, .hidden = 32, .layers = 2, .heads = 4, .kv_heads = 2,
                                 .head_size = 8, .feed_forward = 48, .train_length = 64, .eps = 1e-5, .base = 10000};
        tiny_make(&m[i], 3);
        for (size_t k = 0; k < (size_t)words * m[i].hidden && i == 1; k++) {
            m[i].embedding[k] += noise * ((float)(test_random(&seed) % 2001) / 1000 - 1);
            m[i].projection[k] += noise * ((float)(test_random(&seed) % 2001) / 1000 - 1);
        }
        tiny_write_gguf(&m[i], paths[i], "bipe", BIPE_F32, scheme, "none");
    }
}

static bipe_evaluator *open_evaluator(bipe_model *model, bipe_pool *pool)
{
    bipe_evaluator *e = NULL;
    bipe_error err = {0};
    const bipe_evaluator_options options = {.max_length = LENGTH};
    CHECKF(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK, "%s", err.text);
    return e;
}

static void compare(double noise, const bipe_token_divergence *got, const bipe_token_divergence *want)
{
    CHECKF(fabs(got->divergence - want->divergence) <= 2e-3 * want->divergence + 1e-11, "noise %g: %.9g, expected %.9g",
           noise, got->divergence, want->divergence);
    CHECK_NEAR(got->change, want->change, 1e-6);
    CHECK(got->same_choice == want->same_choice);
}

/* With many words, which are several blocks, only short windows go through the reference. */
static void test_models(float noise, size_t threads, unsigned words)
{
    static const size_t lengths[WINDOWS] = {LENGTH, 150, 3, 3, 2};
    reference_model m[MODELS];
    bipe_model *model[MODELS];
    bipe_evaluator *e[MODELS];
    bipe_divergence *d = NULL;
    bipe_pool *pool = test_open_pool(threads);
    bipe_error err = {0};
    tiny_window w[WINDOWS];
    bipe_window windows[MODELS][WINDOWS], alone[WINDOWS];
    static double nll[MODELS][WINDOWS][LENGTH], own[WINDOWS][LENGTH], log_p[2][MANY];
    static uint8_t wanted[LENGTH];
    static bipe_token_divergence got[MODELS][WINDOWS][LENGTH];
    bipe_token_divergence *to[MODELS][WINDOWS];
    make_models(m, words, noise);
    for (size_t t = 0; t < LENGTH; t++)
        wanted[t] = t % 3 != 2;
    for (size_t i = 0; i < MODELS; i++) {
        model[i] = test_open_model(paths[i]);
        e[i] = open_evaluator(model[i], pool);
        for (size_t k = 0; k < WINDOWS; k++) {
            if (i == 0)
                tiny_window_make(&w[k], lengths[k], words, 9, 40 + k);
            windows[i][k] = (bipe_window){w[k].ids, w[k].index, lengths[k], k == 1 ? wanted : NULL,
                                          nll[i][k]};
            to[i][k] = got[i][k];
        }
    }
    CHECK(bipe_divergence_open(&d, e, MODELS, &err) == BIPE_OK);
    CHECK(bipe_divergence_run(d, (const bipe_window *const[]){windows[0], windows[1], windows[2]},
                              (bipe_token_divergence *const *const[]){to[0], to[1], to[2]}, WINDOWS, &err) == BIPE_OK);
    for (size_t i = 0; i < MODELS; i++) {
        for (size_t k = 0; k < WINDOWS; k++) {
            alone[k] = windows[i][k];
            alone[k].nll = own[k];
        }
        CHECK(bipe_evaluator_run(e[i], alone, WINDOWS, &err) == BIPE_OK);
        for (size_t k = 0; k < WINDOWS; k++)
            for (size_t t = 1; t < lengths[k]; t++)
                CHECK(k == 1 && !wanted[t] ? nll[i][k][t - 1] == 0 : nll[i][k][t - 1] == own[k][t - 1]);
    }
    for (size_t k = 0; k < WINDOWS; k++)
        for (size_t t = 1; t < lengths[k]; t += lengths[k] > 20 ? 61 : 1) {
            if ((k == 1 && !wanted[t]) || (words == MANY && lengths[k] > 3))
                continue;
            predict(&m[0], &w[k], t, log_p[0]);
            predict(&m[1], &w[k], t, log_p[1]);
            const bipe_token_divergence want = expect(log_p[0], log_p[1], words, w[k].ids[t]);
            compare((double)noise, &got[1][k][t - 1], &want);
            CHECK(got[2][k][t - 1].divergence == 0 && got[2][k][t - 1].change == 0 && got[2][k][t - 1].same_choice);
        }
    bipe_divergence_close(d);
    for (size_t i = 0; i < MODELS; i++) {
        bipe_evaluator_close(e[i]);
        bipe_model_close(model[i]);
        unlink(paths[i]);
        tiny_free(&m[i]);
    }
    for (size_t k = 0; k < WINDOWS; k++)
        tiny_window_free(&w[k]);
    bipe_pool_close(pool);
}

int main(void)
{
    test_models(0.001f, 1, 90);
    test_models(0.02f, 2, MANY);
    test_models(0.5f, 3, 90);
    return test_result();
}
