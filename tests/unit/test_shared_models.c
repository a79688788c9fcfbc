/* test_shared_models.c - losses of the reference checkpoints beside the project, token by token, against those that an
 * independent float64 implementation computed (expected.tsv), in f32 and after conversion to a native file and back. */
#include <unistd.h>

#include "format/gguf.h"
#include "model/evaluator.h"
#include "tests/check.h"
#include "tests/models.h"

enum { BOS = 1, STREAM = 1 << 16 };
#define UNKNOWN UINT32_MAX

/* The rows of expected.tsv of one length; windows follow each other. */
typedef struct expected {
    uint32_t *ids, *segment, *intra; /* (windows, length); token 0 of each is BOS or the token before */
    double *nll;                     /* (windows, length - 1) */
    size_t length, windows;
} expected;

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* `stream` gets the ids by their place in the text: token 0 of a window has no row of its own, but windows of the other
 * length may have it in their middle. */
static expected read_expected(const char *path, size_t length, uint32_t *stream, size_t stream_size)
{
    expected e = {.length = length};
    FILE *file = fopen(path, "r");
    char line[256];
    size_t rows = 0;
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        abort();
    e.ids = need(calloc(stream_size, sizeof *e.ids));
    e.segment = need(calloc(stream_size, sizeof *e.segment));
    e.intra = need(calloc(stream_size, sizeof *e.intra));
    e.nll = need(calloc(stream_size, sizeof *e.nll));
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long of, window, token, id, segment, intra;
        double nll;
        if (sscanf(line, "%lu %lu %lu %lu %lu %lu %lf", &of, &window, &token, &id, &segment, &intra, &nll) != 7)
            abort();
        size_t at = window * of + token;
        if (at >= stream_size || token == 0 || token >= of)
            abort();
        stream[at] = (uint32_t)id;
        if (of != length)
            continue;
        e.ids[at] = (uint32_t)id;
        e.segment[at] = (uint32_t)segment;
        e.intra[at] = (uint32_t)intra;
        e.nll[window * (length - 1) + token - 1] = nll;
        e.windows = window + 1 > e.windows ? window + 1 : e.windows;
        rows++;
    }
    fclose(file);
    CHECK(e.windows > 0 && rows == e.windows * (length - 1));
    return e;
}

static void free_expected(expected *e)
{
    free(e->ids), free(e->segment), free(e->intra), free(e->nll);
}

/* The id of token 0 of a window where the file does not say it: the one word that explains the losses of tokens 1 to
 * 3. */
static uint32_t find_first(bipe_model *model, const expected *e, size_t window)
{
    uint32_t vocabulary = bipe_model_hyperparameters(model)->vocabulary, found = UNKNOWN;
    bipe_pool *pool = test_open_pool(2);
    bipe_evaluator *evaluator = NULL;
    bipe_error err;
    bipe_evaluator_options options = {.max_length = 4};
    if (bipe_evaluator_open(&evaluator, model, &options, pool, &err) != BIPE_OK)
        abort();
    bipe_window *windows = need(calloc(vocabulary, sizeof *windows));
    uint32_t *ids = need(calloc(vocabulary, 4 * sizeof *ids));
    double *nll = need(calloc(vocabulary, 3 * sizeof *nll));
    size_t at = window * e->length;
    for (uint32_t id = 0; id < vocabulary; id++) {
        memcpy(ids + 4 * id, e->ids + at, 4 * sizeof *ids);
        ids[4 * id] = id;
        windows[id] = (bipe_window){ids + 4 * id, {{NULL, e->segment + at, e->intra + at}}, 4, NULL, nll + 3 * id};
    }
    CHECK(bipe_evaluator_run(evaluator, windows, vocabulary, &err) == BIPE_OK);
    unsigned matches = 0;
    for (uint32_t id = 0; id < vocabulary; id++) {
        const double *want = e->nll + window * (e->length - 1);
        double worst = 0;
        for (size_t t = 0; t < 3; t++)
            worst = test_worse(worst, fabs(nll[3 * id + t] - want[t]));
        if (worst <= 2e-4) {
            found = id;
            matches++;
        }
    }
    CHECKF(matches == 1, "window %zu of %zu tokens: %u words explain its first losses", window, e->length, matches);
    free(windows), free(ids), free(nll);
    bipe_evaluator_close(evaluator);
    bipe_pool_close(pool);
    return matches == 1 ? found : 0;
}

static void compare(bipe_model *model, const expected *e, const char *what)
{
    bipe_pool *pool = test_open_pool(2);
    bipe_evaluator *evaluator = NULL;
    bipe_error err = {BIPE_OK, ""};
    bipe_evaluator_options options = {.max_length = e->length};
    CHECKF(bipe_evaluator_open(&evaluator, model, &options, pool, &err) == BIPE_OK, "%s", err.text);
    if (evaluator == NULL)
        abort();
    bipe_window *windows = need(calloc(e->windows, sizeof *windows));
    double *nll = need(calloc(e->windows * e->length, sizeof *nll));
    for (size_t w = 0; w < e->windows; w++) {
        size_t at = w * e->length;
        windows[w] =
            (bipe_window){e->ids + at, {{NULL, e->segment + at, e->intra + at}}, e->length, NULL,
                          nll + w * (e->length - 1)};
    }
    CHECKF(bipe_evaluator_run(evaluator, windows, e->windows, &err) == BIPE_OK, "%s", err.text);
    double worst = 0, mean = 0;
    size_t count = e->windows * (e->length - 1);
    for (size_t i = 0; i < count; i++) {
        worst = test_worse(worst, fabs(nll[i] - e->nll[i]));
        mean += (nll[i] - e->nll[i]) / (double)count;
    }
    CHECKF(worst <= 2e-4, "%s, %zu tokens: error of a token %g", what, e->length, worst);
    CHECKF(fabs(mean) <= 1e-5, "%s, %zu tokens: error of the mean %g", what, e->length, mean);
    if (getenv("BIPE_TEST_VERBOSE") != NULL)
        printf("%s, %zu tokens: worst %.2e, mean %.2e\n", what, e->length, worst, mean);
    free(nll);
    free(windows);
    bipe_evaluator_close(evaluator);
    bipe_pool_close(pool);
}

static void same_hyperparameters(const bipe_hyperparameters *a, const bipe_hyperparameters *b)
{
    char x[256], y[256];
    CHECK(a->vocabulary == b->vocabulary && a->hidden == b->hidden && a->layers == b->layers && a->heads == b->heads &&
          a->kv_heads == b->kv_heads && a->head_size == b->head_size && a->feed_forward == b->feed_forward &&
          a->train_length == b->train_length && a->learned_rows == b->learned_rows && a->tied == b->tied &&
          a->log_scale == b->log_scale && a->parameters == b->parameters && a->rms_norm_eps == b->rms_norm_eps &&
          a->rope_base == b->rope_base);
    CHECK_TEXT(bipe_scheme_format(&a->scheme, x), bipe_scheme_format(&b->scheme, y));
    CHECK_TEXT(a->segmenter, b->segmenter);
}

int main(void)
{
    static const struct { const char *name, *losses, *scheme, *format; } models[] = {
        {"small-rope", "small-rope", "rope", "safetensors"},
        {"small-bipe-rope", "small-bipe-rope", "bipe-rope", "safetensors"},
        {"small-alibi", "small-alibi", "alibi", "safetensors"},
        {"small-bipe-alibi", "small-bipe-alibi", "bipe-alibi", "safetensors"},
        {"small-bipe-alibi-pt", "small-bipe-alibi", "bipe-alibi", "pytorch"},
    };
    static const size_t lengths[] = {256, 1024};
    const char *shared = test_shared();
    char path[1024];
    if (shared == NULL)
        test_skip("BIPE_SHARED is not set");
    snprintf(path, sizeof path, "%s/models/small-rope/expected.tsv", shared);
    if (access(path, R_OK) != 0)
        test_skip("no reference models");

    /* one text and one tokenizer: what the first model says of the ids holds for all */
    uint32_t *stream = need(calloc(STREAM, sizeof *stream));
    memset(stream, 0xFF, STREAM * sizeof *stream);
    stream[0] = BOS;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        snprintf(path, sizeof path, "%s/models/%s", shared, models[i].name);
        bipe_model *model = test_open_model(path);
        const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
        char name[256];
        CHECK_TEXT(bipe_scheme_format(&h->scheme, name), models[i].scheme);
        CHECK_TEXT(h->format, models[i].format);
        CHECK_TEXT(h->segmenter, "stop");
        bool learned = strncmp(models[i].name, "small-bipe", 10) == 0;
        CHECK(h->vocabulary == 2048 && h->hidden == 128 && h->layers == 4 && h->heads == 4 && h->head_size == 32 &&
              h->feed_forward == 384 && h->train_length == 256 && h->learned_rows == (learned ? 256 : 0) && !h->tied);
        CHECK_UINT(h->parameters,
                   2 * 2048 * 128 + 128 + 4 * (4 * 128 * 128 + 3 * 128 * 384 + 2 * 128) + (learned ? 256 * 128 : 0));

        static const char copy[] = "test_shared_models.tmp";
        bipe_gguf_writer *writer;
        bipe_error err = {BIPE_OK, ""};
        CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK);
        CHECKF(bipe_model_write_gguf(model, bipe_mix_of(BIPE_F32), writer, &err) == BIPE_OK, "%s", err.text);
        CHECKF(bipe_gguf_write(writer, copy, &err) == BIPE_OK, "%s", err.text);
        bipe_gguf_writer_close(writer);
        bipe_model *native = test_open_model(copy);
        CHECK_TEXT(bipe_model_hyperparameters(native)->format, "native");
        same_hyperparameters(bipe_model_hyperparameters(native), h);

        for (size_t l = 0; l < (test_all_rounds() ? 2 : 1); l++) {
            snprintf(path, sizeof path, "%s/models/%s/expected.tsv", shared, models[i].losses);
            expected e = read_expected(path, lengths[l], stream, STREAM);
            e.windows = test_all_rounds() || e.windows < 2 ? e.windows : 2;
            for (size_t w = 0; w < e.windows; w++) {
                size_t at = w * e.length;
                if (stream[at] == UNKNOWN)
                    stream[at] = find_first(model, &e, w);
                e.ids[at] = stream[at];
            }
            compare(model, &e, models[i].name);
            compare(native, &e, "its native file");
            free_expected(&e);
        }
        bipe_model_close(native);
        bipe_model_close(model);
        unlink(copy);
    }
    free(stream);
    return test_result();
}
