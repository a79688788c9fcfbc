/* continuations.h - continues several texts at once: prompts first, then one token of each text per step.
 *
 * A continuation depends neither on the other texts nor on the number of threads. Where positions depend on the length
 * of the window (bipe_generator_length_matters()), that length is `window`, or else the longest prompt plus `most`;
 * such texts are better continued alone. */
#ifndef BIPE_TASK_CONTINUATIONS_H
#define BIPE_TASK_CONTINUATIONS_H

#include "model/generator.h"
#include "model/sampler.h"
#include "task/growing_text.h"

typedef enum bipe_finish {
    BIPE_FINISH_NONE,   /* not finished */
    BIPE_FINISH_STOP,   /* a stop text was found */
    BIPE_FINISH_LENGTH, /* it has the most tokens allowed */
    BIPE_FINISH_EOS     /* the model ended it */
} bipe_finish;

typedef struct bipe_continuations_options {
    bipe_generator_options model; /* max_length is not used */
    bipe_sampling sampling;
    bipe_repetition repetition;
    uint64_t seed;
    size_t most;                  /* tokens of a continuation, 1 or more */
    size_t window;                /* where positions depend on it, the length of the window; 0: that of the longest
                                     text */
    const char *const *stop;      /* (stop_count) stop texts, which end a continuation; not empty */
    size_t stop_count;
} bipe_continuations_options;

typedef struct bipe_continuations bipe_continuations;

/* One of them. Pointers live until the next call. */
typedef struct bipe_continuation {
    size_t prompt_tokens;
    const uint32_t *ids;          /* (count) the chosen tokens, without EOS, including those of a stop text */
    size_t count;
    const uint8_t *bytes;         /* (size) their text, up to the stop text */
    size_t size;
    size_t ready;                 /* bytes that will not change: whole characters that belong to no stop text */
    bipe_finish finish;
} bipe_continuation;

/* segmenter: a SPEC. Everything passed here, and everything that the options point to, must outlive the
 * continuations. */
int bipe_continuations_open(bipe_continuations **all, bipe_model *model, const bipe_tokenizer *tokenizer,
                            const char *segmenter, const bipe_continuations_options *options, bipe_pool *pool,
                            bipe_error *err);
/* Adds a text that begins with the tokens of `prompt`, 1 or more; before the first step only. sample: chooses its
 * random numbers. A prompt equal to the one added before is computed once. BIPE_ERR_ARGUMENT: the prompt is empty, or
 * too long. */
int bipe_continuations_add(bipe_continuations *all, const bipe_growing_text *prompt, uint64_t sample, bipe_error *err);
/* The text added last ignores its first `count` stop texts. Before the first step. */
void bipe_continuations_pass_stops(bipe_continuations *all, size_t count);
/* Changes the window of the options, between bipe_continuations_clear() and the first step. */
void bipe_continuations_set_window(bipe_continuations *all, size_t window);
/* An upper bound on the bytes of keys and values, which are allocated by the first step. */
double bipe_continuations_memory(const bipe_continuations *all);
/* Bytes of those that are left from earlier texts. */
uint64_t bipe_continuations_spare(const bipe_continuations *all);
/* Continues all unfinished texts by one token each, after their prompts. *going: texts that are still unfinished. */
int bipe_continuations_step(bipe_continuations *all, size_t *going, bipe_error *err);
/* Text number i since the last clear. */
bipe_continuation bipe_continuations_at(const bipe_continuations *all, size_t i);
/* Removes all texts. */
void bipe_continuations_clear(bipe_continuations *all);
void bipe_continuations_close(bipe_continuations *all);

#endif
