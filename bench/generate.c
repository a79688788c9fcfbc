/* generate.c - how fast a model of 12 layers of 768 and 32000 words goes on with texts, beside what the machine reads
 * from memory, and how fast it takes a prompt, beside scoring. Not a test: it asserts nothing.
 *
 * Prints a row per precision: tokens a second of one sequence at about 128 and 1024 tokens, GB/s of weights, keys and
 * values that this reads, and the percentage of the bandwidth, which is measured in turns with it (all cores); tokens a
 * second of a prompt of 1024 and of scoring it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "model/generator.h"
#include "model/parameters.h"
#include "nn/cpu.h"

enum {
    LAYERS = 12,
    HIDDEN = 768,
    HEADS = 12,
    FEED_FORWARD = 3072,
    WORDS = 32000,
    PROMPT = 1024,
    TOKENS = 16,
    ROUNDS = 3,
    PARTS = 64
};

typedef struct reading {
    const uint64_t *words;
    size_t each;
    uint64_t sum[PARTS];
} reading;

static void read_part(void *context, size_t i, size_t worker)
{
    (void)worker;
    reading *r = context;
    const uint64_t *words = r->words + i * r->each;
    uint64_t sum[8] = {0};
    for (size_t j = 0; j + 8 <= r->each; j += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += words[j + k];
    for (size_t k = 1; k < 8; k++)
        sum[0] += sum[k];
    r->sum[i] = sum[0];
}

typedef struct text {
    uint32_t ids[PROMPT], segment[PROMPT], intra[PROMPT];
    double nll[PROMPT];
} text;

/* A sequence of the first `length` - TOKENS tokens of the text. */
static int begin(bipe_generator *g, const text *t, size_t length, size_t *sequence, bipe_error *err)
{
    int status = bipe_generator_add(g, sequence, err);
    return status != BIPE_OK ? status
                             : bipe_generator_run(g,
                                                  &(bipe_piece){.sequence = *sequence, .ids = t->ids,
                                                                .segment = t->segment, .intra = t->intra,
                                                                .count = length - TOKENS},
                                                  1, err);
}

/* Seconds of the TOKENS tokens that follow. */
static double decode(bipe_generator *g, const text *t, size_t length, size_t sequence, float *logits, bipe_error *err)
{
    size_t s = 0;
    int status = bipe_generator_fork(g, sequence, &s, err);
    double begun = 0;
    for (size_t i = length - TOKENS; i < length && status == BIPE_OK; i++) {
        status = bipe_generator_run(g,
                                    &(bipe_piece){.sequence = s, .ids = t->ids + i, .segment = t->segment + i,
                                                  .intra = t->intra + i, .count = 1, .logits = logits},
                                    1, err);
        begun = i == length - TOKENS ? bipe_seconds() : begun; /* the first one makes a copy of a page */
    }
    double took = bipe_seconds() - begun;
    bipe_generator_drop(g, s);
    return status == BIPE_OK ? took / (TOKENS - 1) : NAN;
}

static int measure(bipe_model *model, bipe_precision precision, bipe_pool *pool, text *t, float *logits,
                   bipe_error *err)
{
    static const size_t lengths[2] = {128, PROMPT};
    bipe_generator *g = NULL;
    bipe_evaluator *e = NULL;
    size_t sequence[2];
    size_t width = precision == BIPE_PRECISION_F32 ? 4 : 2;
    double weights = (double)width *
                     (LAYERS * (4.0 * HIDDEN * HIDDEN + 3.0 * HIDDEN * FEED_FORWARD) + (double)WORDS * HIDDEN);
    reading r = {.each = (size_t)weights / sizeof(uint64_t) / PARTS / 8 * 8};
    uint64_t *memory = bipe_alloc_large_unset(r.each * PARTS, sizeof *memory);
    r.words = memory;
    int status = memory == NULL ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK)
        status = bipe_generator_open(&g, model, &(bipe_generator_options){.precision = precision, .max_length = PROMPT},
                                     pool, err);
    if (status == BIPE_OK)
        status = begin(g, t, lengths[0], &sequence[0], err);
    if (status == BIPE_OK)
        status = begin(g, t, lengths[1], &sequence[1], err);
    if (status == BIPE_OK)
        status = bipe_evaluator_open(&e, model, &(bipe_evaluator_options){.precision = precision, .max_length = PROMPT},
                                     pool, err);
    if (status == BIPE_OK) {
        memset(memory, 1, r.each * PARTS * sizeof *memory);
        double read = INFINITY, step[2] = {INFINITY, INFINITY}, prompt = INFINITY, score = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            double begun = bipe_seconds();
            bipe_pool_run(pool, PARTS, read_part, &r);
            read = fmin(read, bipe_seconds() - begun);
            for (int i = 0; i < 2; i++)
                step[i] = fmin(step[i], decode(g, t, lengths[i], sequence[i], logits, err));
            size_t s = 0;
            begun = bipe_seconds();
            bipe_generator_add(g, &s, err);
            bipe_generator_run(g,
                               &(bipe_piece){.sequence = s, .ids = t->ids, .segment = t->segment, .intra = t->intra,
                                             .count = PROMPT, .logits = logits},
                               1, err);
            prompt = fmin(prompt, bipe_seconds() - begun);
            bipe_generator_drop(g, s);
            begun = bipe_seconds();
            bipe_evaluator_run(e, &(bipe_window){t->ids, t->segment, t->intra, PROMPT, NULL, t->nll}, 1, err);
            score = fmin(score, bipe_seconds() - begun);
        }
        double bandwidth = (double)(r.each * PARTS * sizeof *memory) / read * 1e-9;
        printf("%s  ", precision == BIPE_PRECISION_F32 ? "f32 " : "bf16");
        for (int i = 0; i < 2; i++) {
            double rate = (weights + (double)width * 2 * LAYERS * HIDDEN * (double)lengths[i]) / step[i] * 1e-9;
            printf("at %4zu: %5.1f tokens/s, %5.1f GB/s, %3.0f %%  ", lengths[i], 1 / step[i], rate,
                   rate / bandwidth * 100);
        }
        printf("read %5.1f GB/s  prompt %5.0f tokens/s, scoring %5.0f\n", bandwidth, PROMPT / prompt, PROMPT / score);
        fflush(stdout);
    }
    bipe_evaluator_close(e);
    bipe_generator_close(g);
    bipe_free(memory);
    return status;
}

int main(int argc, char **argv)
{
    bipe_hyperparameters hyper = {.layers = LAYERS, .hidden = HIDDEN, .heads = HEADS, .kv_heads = HEADS,
                                  .head_size = HIDDEN / HEADS, .feed_forward = FEED_FORWARD, .vocabulary = WORDS,
                                  .train_length = PROMPT, .rms_norm_eps = 1e-5, .rope_base = 10000};
    static text t;
    bipe_error err = {0};
    bipe_model *model = NULL;
    bipe_pool *pool = NULL;
    float *logits = bipe_alloc(WORDS, sizeof *logits);
    for (uint32_t i = 0; i < PROMPT; i++) {
        t.ids[i] = i * i % WORDS;
        t.segment[i] = i / 30;
        t.intra[i] = i % 30;
    }
    int status = logits == NULL ? bipe_fail_memory(&err)
                                : bipe_scheme_parse(&hyper.scheme, argc > 1 ? argv[1] : "bipe-rope", &err);
    if (status == BIPE_OK)
        status = bipe_model_create(&model, &hyper, 1, &err);
    if (status == BIPE_OK)
        status = bipe_pool_open(&pool, bipe_processors(), &err);
    for (int precision = 0; precision < 2 && status == BIPE_OK; precision++)
        status = measure(model, (bipe_precision)precision, pool, &t, logits, &err);
    bipe_pool_close(pool);
    bipe_model_close(model);
    bipe_free(logits);
    if (status != BIPE_OK)
        fprintf(stderr, "generate: %s\n", err.text);
    return status != BIPE_OK;
}
