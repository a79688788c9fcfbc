/* generate.c - how fast models go on with texts, beside what the machine reads from memory, and how fast they take a
 * prompt, beside scoring. Not a test: it asserts nothing.
 *
 * Usage: generate [PRECISION MODEL]...; without arguments, f32 and bf16 with a random model of 12 layers of 768 and
 * 32000 words. Prints a row for each: tokens a second of one sequence at about 128 and 1024 tokens, GB/s of weights,
 * keys and values that this reads, and the percentage of the bandwidth (all cores); tokens a second of a prompt of 1024
 * and of scoring it. All are measured in turns, and so is the bandwidth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "model/generator.h"
#include "model/parameters.h"
#include "model/weights.h"
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
    PARTS = 64,
    MOST = 16,
    READ = 1 << 28 /* bytes */
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
                                                                .index = {{NULL, t->segment, t->intra}},
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
                                    &(bipe_piece){.sequence = s, .ids = t->ids + i,
                                                  .index = {{NULL, t->segment + i, t->intra + i}}, .count = 1,
                                                  .logits = logits},
                                    1, err);
        begun = i == length - TOKENS ? bipe_seconds() : begun; /* the first one makes a copy of a page */
    }
    double took = bipe_seconds() - begun;
    bipe_generator_drop(g, s);
    return status == BIPE_OK ? took / (TOKENS - 1) : NAN;
}

typedef struct subject {
    const char *name;
    bipe_model *model;
    bipe_precision precision;
    bipe_generator *g;
    bipe_evaluator *e;
    size_t sequence[2];
    double weights, pair;                /* bytes: of what a token multiplies, of a token's keys and values */
    double step[2], prompt, score, read; /* seconds, the least */
} subject;

static const size_t lengths[2] = {128, PROMPT};

static int open_subject(subject *s, bipe_pool *pool, const text *t, bipe_error *err)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(s->model);
    nn_precision precision = s->precision == BIPE_PRECISION_BF16 ? NN_PRECISION_BF16 : NN_PRECISION_F32;
    size_t mapped, packed = bipe_model_packed_size(s->model, precision, &mapped);
    s->weights = (double)mapped + (double)packed;
    s->pair = (precision == NN_PRECISION_F32 ? 8.0 : 4.0) * h->layers * h->kv_heads * h->head_size;
    s->step[0] = s->step[1] = s->prompt = s->score = s->read = INFINITY;
    int status = bipe_generator_open(&s->g, s->model,
                                     &(bipe_generator_options){.precision = s->precision, .max_length = PROMPT}, pool,
                                     err);
    for (int i = 0; i < 2 && status == BIPE_OK; i++)
        status = begin(s->g, t, lengths[i], &s->sequence[i], err);
    return status != BIPE_OK
               ? status
               : bipe_evaluator_open(&s->e, s->model,
                                     &(bipe_evaluator_options){.precision = s->precision, .max_length = PROMPT}, pool,
                                     err);
}

static void measure(subject *s, bipe_pool *pool, reading *r, text *t, float *logits, bipe_error *err)
{
    double begun = bipe_seconds();
    bipe_pool_run(pool, PARTS, read_part, r);
    s->read = fmin(s->read, bipe_seconds() - begun);
    for (int i = 0; i < 2; i++)
        s->step[i] = fmin(s->step[i], decode(s->g, t, lengths[i], s->sequence[i], logits, err));
    size_t made = 0;
    begun = bipe_seconds();
    bipe_generator_add(s->g, &made, err);
    bipe_generator_run(s->g,
                       &(bipe_piece){.sequence = made, .ids = t->ids, .index = {{NULL, t->segment, t->intra}},
                                     .count = PROMPT, .logits = logits},
                       1, err);
    s->prompt = fmin(s->prompt, bipe_seconds() - begun);
    bipe_generator_drop(s->g, made);
    begun = bipe_seconds();
    bipe_evaluator_run(s->e, &(bipe_window){t->ids, {{NULL, t->segment, t->intra}}, PROMPT, NULL, t->nll}, 1, err);
    s->score = fmin(s->score, bipe_seconds() - begun);
}

static void report(const subject *s, double bytes)
{
    printf("%s %-20s", s->precision == BIPE_PRECISION_F32 ? "f32 " : "bf16", s->name);
    for (int i = 0; i < 2; i++) {
        double rate = (s->weights + s->pair * (double)lengths[i]) / s->step[i] * 1e-9;
        printf("at %4zu: %5.1f tokens/s, %5.1f GB/s, %3.0f %%  ", lengths[i], 1 / s->step[i], rate,
               rate / (bytes / s->read * 1e-9) * 100);
    }
    printf("read %5.1f GB/s  prompt %5.0f tokens/s, scoring %5.0f\n", bytes / s->read * 1e-9, PROMPT / s->prompt,
           PROMPT / s->score);
}

static int open_random(bipe_model **model, bipe_error *err)
{
    bipe_hyperparameters hyper = {.layers = LAYERS, .hidden = HIDDEN, .heads = HEADS, .kv_heads = HEADS,
                                  .head_size = HIDDEN / HEADS, .feed_forward = FEED_FORWARD, .vocabulary = WORDS,
                                  .train_length = PROMPT, .rms_norm_eps = 1e-5, .rope_base = 10000};
    int status = bipe_scheme_parse(&hyper.scheme, "bipe-rope", err);
    return status != BIPE_OK ? status : bipe_model_create(model, &hyper, 1, err);
}

int main(int argc, char **argv)
{
    static text t;
    static subject subjects[MOST];
    bipe_error err = {0};
    bipe_pool *pool = NULL;
    size_t count = argc > 1 ? (size_t)argc / 2 : 2, words = WORDS;
    reading r = {.each = READ / sizeof(uint64_t) / PARTS / 8 * 8};
    uint64_t *memory = bipe_alloc_large_unset(r.each * PARTS, sizeof *memory);
    int status = count > MOST ? bipe_fail(&err, BIPE_ERR_ARGUMENT, "more than %d models", (int)MOST)
                 : memory == NULL ? bipe_fail_memory(&err)
                                  : bipe_pool_open(&pool, bipe_processors(), &err);
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        subject *s = &subjects[i];
        s->name = argc > 1 ? argv[2 * i + 2] : "random";
        s->precision = (argc > 1 ? strcmp(argv[2 * i + 1], "bf16") == 0 : i == 1) ? BIPE_PRECISION_BF16
                                                                               : BIPE_PRECISION_F32;
        status = argc > 1 ? bipe_model_open(&s->model, s->name, &err) : open_random(&s->model, &err);
        size_t own = status == BIPE_OK ? bipe_model_hyperparameters(s->model)->vocabulary : 0;
        words = own > words ? own : words;
    }
    for (uint32_t i = 0; i < PROMPT; i++) {
        t.ids[i] = i * i % 256;
        t.segment[i] = i / 30;
        t.intra[i] = i % 30;
    }
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = open_subject(&subjects[i], pool, &t, &err);
    float *logits = bipe_alloc(words, sizeof *logits);
    if (status == BIPE_OK && logits == NULL)
        status = bipe_fail_memory(&err);
    if (status == BIPE_OK) {
        memset(memory, 1, r.each * PARTS * sizeof *memory);
        r.words = memory;
        for (size_t i = 0; i < ROUNDS * count; i++)
            measure(&subjects[i % count], pool, &r, &t, logits, &err);
        for (size_t i = 0; i < count; i++)
            report(&subjects[i], (double)(r.each * PARTS * sizeof *memory));
    }
    for (size_t i = 0; i < count && i < MOST; i++) {
        bipe_evaluator_close(subjects[i].e);
        bipe_generator_close(subjects[i].g);
        bipe_model_close(subjects[i].model);
    }
    bipe_pool_close(pool);
    bipe_free(memory);
    bipe_free(logits);
    if (status != BIPE_OK)
        fprintf(stderr, "generate: %s\n", err.text);
    return status != BIPE_OK;
}
