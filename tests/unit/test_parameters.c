/* test_parameters.c - models in memory: what a new one holds, that a copy computes as its original does, and that what
 * is changed and saved is read again. */
#include <unistd.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "model/evaluator.h"
#include "model/weights.h"
#include "tests/check.h"
#include "tests/reference/tiny_model.h"

static const char file[] = "test_parameters.tmp";

static const bipe_hyperparameters sizes = {.vocabulary = 300, .hidden = 32, .layers = 3, .heads = 4, .kv_heads = 2,
                                           .head_size = 8, .feed_forward = 48, .train_length = 20, .rms_norm_eps = 1e-5,
                                           .rope_base = 10000};

static bipe_model *create(const char *scheme, bool tied, uint64_t seed)
{
    bipe_hyperparameters h = sizes;
    bipe_model *model = NULL;
    bipe_error err = {0};
    h.tied = tied;
    CHECK(bipe_scheme_parse(&h.scheme, scheme, &err) == BIPE_OK);
    CHECKF(bipe_model_create(&model, &h, seed, &err) == BIPE_OK, "%s", err.text);
    if (model == NULL)
        abort();
    uint64_t planned = 0;
    CHECK(bipe_model_plan(&h, &planned, &err) == BIPE_OK && planned == bipe_model_hyperparameters(model)->parameters);
    return model;
}

static double deviation(const float *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    CHECK(fabs(sum / (double)count) < 0.02 * 6 / sqrt((double)count));
    return sqrt(squares / (double)count);
}

/* Names, order, places and what each kind starts from. */
static void test_create(void)
{
    bipe_model *model = create("learned@intra+t5@segment", false, 7),
               *again = create("learned@intra+t5@segment", false, 7);
    bipe_model *other = create("learned@intra+t5@segment", false, 8);
    size_t count, same;
    float *values = bipe_model_values(model, &count);
    CHECK(values != NULL && (uintptr_t)values % 64 == 0);
    CHECK_UINT(count, bipe_model_hyperparameters(model)->parameters);
    CHECK_UINT(count, 2 * 300 * 32 + 20 * 32 + 32 * 4 + 32 + 3 * (2 * 32 * 32 + 2 * 16 * 32 + 3 * 48 * 32 + 2 * 32));
    CHECK(memcmp(values, bipe_model_values(again, &same), count * sizeof *values) == 0 && same == count);
    CHECK(memcmp(values, bipe_model_values(other, &same), count * sizeof *values) != 0);
    CHECK_UINT(bipe_model_parameters(model), 5 + 3 * 9);
    size_t offset = 0;
    for (size_t i = 0; i < bipe_model_parameters(model); i++) {
        bipe_parameter p;
        bipe_model_parameter(model, i, &p);
        size_t size = p.rows * p.columns;
        CHECK(p.offset == offset && p.values == values + offset);
        CHECK(p.decay == (p.rows > 1 && p.role != BIPE_ROLE_T5 && p.role != BIPE_ROLE_LEARNED));
        bool norm = p.role == BIPE_ROLE_NORM || p.role == BIPE_ROLE_ATTENTION_NORM ||
                    p.role == BIPE_ROLE_FEED_FORWARD_NORM;
        double expected = p.role == BIPE_ROLE_ATTENTION || p.role == BIPE_ROLE_DOWN ? 0.02 / sqrt(6) : 0.02;
        if (norm)
            CHECK(p.values[0] == 1 && p.values[size - 1] == 1);
        else
            CHECKF(fabs(deviation(p.values, size) / expected - 1) < 4 / sqrt(2.0 * (double)size), "%s", p.name);
        offset += size;
    }
    CHECK_UINT(offset, count);
    bipe_parameter p;
    bipe_model_parameter(model, 1, &p);
    CHECK_TEXT(p.name, "position_embd.weight");
    bipe_model_parameter(model, 3 + 2 * 9 + 1, &p);
    CHECK_TEXT(p.name, "blk.2.attn_q.weight");
    CHECK(p.role == BIPE_ROLE_QUERY && p.layer == 2 && p.rows == 32 && p.columns == 32);
    bipe_model_close(model), bipe_model_close(again), bipe_model_close(other);
    model = create("rope", true, 1);
    CHECK_UINT(bipe_model_parameters(model), 2 + 3 * 9);
    bipe_model_close(model);
}

static void test_refused(void)
{
    bipe_model *model;
    bipe_error err;
    bipe_hyperparameters h = sizes;
    h.vocabulary = 0;
    CHECK(bipe_model_create(&model, &h, 1, &err) == BIPE_ERR_FORMAT && model == NULL &&
          strstr(err.text, "vocabulary") != NULL);
    h = sizes, h.kv_heads = 3;
    CHECK(bipe_model_create(&model, &h, 1, &err) == BIPE_ERR_FORMAT && model == NULL);
    h = sizes, h.vocabulary = h.hidden = h.feed_forward = INT32_MAX / 4, h.layers = 1 << 20;
    CHECK(bipe_model_create(&model, &h, 1, &err) == BIPE_ERR_MEMORY && model == NULL);
    uint64_t planned;
    CHECK(bipe_model_plan(&h, &planned, &err) == BIPE_ERR_MEMORY);
    h = sizes;
    for (long n = 0, status = BIPE_ERR_MEMORY; status != BIPE_OK && n < 20; n++) {
        bipe_alloc_fail_at(n);
        status = bipe_model_create(&model, &h, 1, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || (status == BIPE_ERR_MEMORY && model == NULL));
        bipe_model_close(model);
    }
}

static double mean_loss(bipe_model *model)
{
    bipe_evaluator_options options = {.max_length = 40};
    bipe_evaluator *evaluator;
    bipe_pool *pool;
    bipe_error err = {0};
    tiny_window w;
    tiny_window_make(&w, 40, 30, 5, 3);
    bipe_window window = {w.ids, w.index, 40, NULL, w.nll};
    CHECK(bipe_pool_open(&pool, 1, &err) == BIPE_OK &&
          bipe_evaluator_open(&evaluator, model, &options, pool, &err) == BIPE_OK &&
          bipe_evaluator_run(evaluator, &window, 1, &err) == BIPE_OK);
    double sum = 0;
    for (size_t i = 0; i < 39; i++)
        sum += w.nll[i];
    bipe_evaluator_close(evaluator);
    bipe_pool_close(pool);
    tiny_window_free(&w);
    return sum / 39;
}

static void save(const bipe_model *model, bipe_dtype dtype)
{
    bipe_gguf_writer *writer;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK &&
          bipe_model_write_gguf(model, bipe_mix_of(dtype), writer, &err) == BIPE_OK &&
          bipe_gguf_write(writer, file, &err) == BIPE_OK);
    bipe_gguf_writer_close(writer);
}

/* Files of any type, also those whose rows are interleaved: the copy computes the same losses. A changed copy, saved
 * and opened again, computes what the copy does. */
static void test_copy(void)
{
    static const bipe_dtype types[] = {BIPE_F32, BIPE_F16, BIPE_BF16, BIPE_Q8_0};
    reference_model m = {.vocabulary = 30, .hidden = 32, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 8,
                         .feed_forward = 64, .train_length = 40, .learned_rows = 40, .t5 = 32, .eps = (double)1e-5f,
                         .base = 10000};
    tiny_make(&m, 5);
    for (size_t i = 0; i < 8; i++) {
        bipe_model *model, *copy = NULL, *saved;
        bipe_error err = {0};
        tiny_write_gguf(&m, file, i < 4 ? "bipe" : "llama", types[i % 4], "rope@segment+learned@intra", "none");
        CHECKF(bipe_model_open(&model, file, &err) == BIPE_OK && bipe_model_copy(&copy, model, &err) == BIPE_OK, "%s",
               err.text);
        if (copy == NULL)
            abort();
        double loss = mean_loss(model);
        CHECK_UINT(bipe_model_parameters(copy), bipe_model_parameters(model));
        size_t count;
        CHECK(bipe_model_values(model, &count) == NULL && count == 0);
        bipe_model_close(model);
        CHECK(mean_loss(copy) == loss);
        float *values = bipe_model_values(copy, &count);
        for (size_t at = 0; at < count; at++)
            values[at] += 0.01F * (float)(at % 7);
        bipe_model_changed(copy);
        double changed = mean_loss(copy);
        CHECK(isfinite(changed) && changed != loss);
        save(copy, BIPE_F32);
        CHECKF(bipe_model_open(&saved, file, &err) == BIPE_OK, "%s", err.text);
        CHECK(mean_loss(saved) == changed);
        bipe_model_close(saved), bipe_model_close(copy);
    }
    unlink(file);
    tiny_free(&m);
}

/* A row is read from where the file has it: bipe_split_row() says where a row of the file belongs. */
static void test_rows(void)
{
    static const size_t rotary[] = {0, 2, 6, 10, 12};
    uint8_t data[3 * 12 * 5];
    for (size_t i = 0; i < sizeof rotary / sizeof rotary[0]; i++)
        for (size_t row = 0; row < 36; row++) {
            const nn_matrix w = {.data = data, .stride = 5, .rows = 36, .head = 12, .rotary = rotary[i]};
            CHECK(nn_row(&w, bipe_split_row(row, 12, rotary[i])) == data + row * 5);
        }
    const nn_matrix plain = {.data = data, .stride = 5, .rows = 36};
    CHECK(nn_row(&plain, 7) == data + 35);
}

int main(void)
{
    test_create();
    test_rows();
    test_refused();
    test_copy();
    return test_result();
}
