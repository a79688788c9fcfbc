/* test_experts.c - mixtures of experts: where weights of experts are among the others, which experts equal logits
 * choose, what a router that is not finite does, and the same digits for any number of threads and for
 * generation. Values are judged by tests/peers/families. */
#include <math.h>

#include "model/generator.h"
#include "model/parameters.h"
#include "model/weights.h"
#include "nn/cpu.h"
#include "tests/models.h"
#include "tests/reference/tiny_model.h"

enum { LENGTH = 200, VOCABULARY = 70 };

static bipe_model *make_model(uint32_t experts, uint32_t used, uint32_t shared)
{
    bipe_decoder decoder = bipe_decoder_plain;
    decoder.experts = experts;
    decoder.experts_used = used;
    decoder.shared = shared;
    bipe_decoder_add_experts(&decoder);
    bipe_hyperparameters h = {.vocabulary = VOCABULARY, .hidden = 36, .layers = 2, .heads = 4, .kv_heads = 2,
                              .head_size = 10, .feed_forward = 22, .train_length = LENGTH, .rms_norm_eps = 1e-5,
                              .rope_base = 10000, .tied = true, .decoder = &decoder};
    bipe_error err = {BIPE_OK, ""};
    bipe_model *model = NULL;
    CHECK(bipe_scheme_parse(&h.scheme, "rope", &err) == BIPE_OK);
    h.rope_scaling.factor = 1;
    CHECKF(bipe_model_create(&model, &h, 5, &err) == BIPE_OK, "%s", err.text);
    if (model == NULL)
        abort();
    size_t count;
    float *values = bipe_model_values(model, &count);
    for (size_t i = 0; i < count; i++)
        values[i] *= 12; /* so that experts matter */
    return model;
}

/* Values of a role of an expert. */
static float *values_of(bipe_model *model, bipe_role role, size_t layer, size_t expert)
{
    return (float *)(uintptr_t)bipe_model_weight(model, role, layer)[expert].matrix.data;
}

static void score(bipe_model *model, size_t threads, const tiny_window *w, double *nll)
{
    bipe_pool *pool = test_open_pool(threads);
    bipe_evaluator *e = NULL;
    bipe_error err = {BIPE_OK, ""};
    const bipe_evaluator_options options = {.max_length = w->length};
    bipe_window windows[3];
    double *unused = malloc(w->length * sizeof *unused);
    bipe_model_changed(model);
    for (size_t i = 0; i < 3; i++)
        windows[i] = (bipe_window){w->ids, w->index, w->length, NULL, i == 1 ? nll : unused};
    CHECKF(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK &&
               bipe_evaluator_run(e, windows, threads, &err) == BIPE_OK, "%s", err.text);
    if (threads == 1)
        memcpy(nll, unused, (w->length - 1) * sizeof *nll);
    bipe_evaluator_close(e);
    bipe_pool_close(pool);
    free(unused);
}

static bool same(const double *a, const double *b)
{
    return memcmp(a, b, (LENGTH - 1) * sizeof *a) == 0;
}

static void test_slots(void)
{
    bipe_model *model = make_model(5, 2, 14);
    const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
    for (size_t i = 0; i < bipe_slots(h); i++) {
        bipe_slot slot = bipe_slot_at(h, i);
        CHECKF(bipe_slot_index(h, slot.role, slot.layer) + slot.expert == i, "slot %zu: role %d", i, (int)slot.role);
        CHECK((slot.experts == 5) == bipe_role_of_expert(slot.role));
    }
    CHECK_UINT(h->parameters - bipe_model_active(model), 2 * 3 * 3 * 22 * 36);
    bipe_model_close(model);
}

static void test_digits(void)
{
    bipe_model *model = make_model(5, 2, 14);
    tiny_window w;
    double one[LENGTH], more[LENGTH], generated[LENGTH + 1];
    tiny_window_make(&w, LENGTH, VOCABULARY, 9, 4);
    score(model, 1, &w, one);
    score(model, 3, &w, more);
    bool close = strcmp(nn_cpu_name(nn_cpu_best()), "blas") == 0; /* whose digits depend on the shape */
    CHECK(close || same(one, more));
    bipe_pool *pool = test_open_pool(2);
    bipe_error err = {BIPE_OK, ""};
    bipe_generator *g = NULL;
    size_t sequence = 0;
    CHECK(bipe_generator_open(&g, model, &(bipe_generator_options){.max_length = LENGTH}, pool, &err) == BIPE_OK &&
          bipe_generator_add(g, &sequence, &err) == BIPE_OK);
    for (size_t first = 0, count; first < LENGTH; first += count) {
        count = first == 0 ? 150 : first < 190 ? 1 : LENGTH - first;
        CHECK(bipe_generator_run(g, &(bipe_piece){.sequence = sequence, .ids = w.ids + first, .count = count,
                                                  .index = bipe_indices_from(&w.index, first),
                                                  .nll = generated + first}, 1, &err) == BIPE_OK);
    }
    CHECK(close || same(one, generated + 1));
    bipe_generator_close(g);
    bipe_pool_close(pool);
    tiny_window_free(&w);
    bipe_model_close(model);
}

/* With a router of zeros the first experts are used; one that is not finite makes losses that are not. */
static void test_router(void)
{
    bipe_model *model = make_model(4, 2, 0);
    tiny_window w;
    double before[LENGTH], after[LENGTH];
    tiny_window_make(&w, LENGTH, VOCABULARY, 9, 4);
    memset(values_of(model, BIPE_ROLE_ROUTER, 0, 0), 0, 4 * 36 * sizeof(float));
    score(model, 1, &w, before);
    *values_of(model, BIPE_ROLE_DOWN, 0, 2) += 1;
    score(model, 1, &w, after);
    CHECK(same(before, after));
    *values_of(model, BIPE_ROLE_DOWN, 0, 1) += 1;
    score(model, 1, &w, after);
    CHECK(!same(before, after));
    *values_of(model, BIPE_ROLE_ROUTER, 1, 0) = NAN;
    score(model, 1, &w, after);
    CHECK(isnan(after[0]) && isnan(after[LENGTH - 2]));
    tiny_window_free(&w);
    bipe_model_close(model);
}

int main(void)
{
    test_slots();
    test_digits();
    test_router();
    return test_result();
}
