/* continuations.h - texts that a model goes on with, several at a time: prompts, then a token of each per step, until one ends.
 *
 * A text is the same whatever others go on beside it, and for any number of threads. Where positions depend on the length of the
 * window (bipe_generator_length_matters()), that length is `window`, or else the longest prompt plus `most`, so such texts had better be
 * continued alone. */
#ifndef BIPE_MEASURE_CONTINUATIONS_H
#define BIPE_MEASURE_CONTINUATIONS_H

#include "measure/growing_text.h"
#include "model/generator.h"
#include "model/sampler.h"

typedef enum bipe_finish {
    BIPE_FINISH_NONE,   /* it goes on */
    BIPE_FINISH_STOP,   /* a text to stop at was found */
    BIPE_FINISH_LENGTH, /* it has as many tokens as are wanted */
    BIPE_FINISH_EOS     /* the model ended it */
} bipe_finish;

typedef struct bipe_continuations_options {
    bipe_generator_options model; /* max_length is not used */
    bipe_sampling sampling;
    uint64_t seed;
    size_t most;                  /* tokens of a continuation, 1 or more */
    size_t window;                /* where positions depend on it, the length of the window; 0: that of the longest text */
    const char *const *stop;      /* (stop_count) texts that end one, none of them empty */
    size_t stop_count;
} bipe_continuations_options;

typedef struct bipe_continuations bipe_continuations;

/* One of them. Pointers live until the next call. */
typedef struct bipe_continuation {
    size_t prompt_tokens;
    const uint32_t *ids;          /* (count) those that were chosen, without EOS; those of a text to stop at are among them */
    size_t count;
    const uint8_t *bytes;         /* (size) their text, up to the text to stop at */
    size_t size;
    size_t ready;                 /* bytes that will not change: whole characters, which do not belong to a text to stop at */
    bipe_finish finish;
} bipe_continuation;

/* Model, tokenizer, segmenter (a SPEC), pool and all that the options point to (scheme, scaling, stop texts) must outlive it. */
int bipe_continuations_open(bipe_continuations **all, bipe_model *model, const bipe_tokenizer *tokenizer, const char *segmenter,
                            const bipe_continuations_options *options, bipe_pool *pool, bipe_error *err);
/* Adds one that begins with the tokens of `prompt`, 1 or more, after bipe_continuations_clear() or others that were added. `sample` chooses
 * its random numbers. The same prompt as the one added before is computed once. BIPE_ERR_ARGUMENT: the prompt is empty, or too long. */
int bipe_continuations_add(bipe_continuations *all, const bipe_growing_text *prompt, uint64_t sample, bipe_error *err);
/* The one that was added last passes over so many texts to stop at. Before the first step. */
void bipe_continuations_pass_stops(bipe_continuations *all, size_t count);
/* Changes the window of the options, between bipe_continuations_clear() and the first step. */
void bipe_continuations_set_window(bipe_continuations *all, size_t window);
/* Bytes that keys and values of all of them take in the end, at most; the first step makes them. */
double bipe_continuations_memory(const bipe_continuations *all);
/* Goes on with all that have not ended by a token each, prompts first. *going: how many have not ended now. */
int bipe_continuations_step(bipe_continuations *all, size_t *going, bipe_error *err);
/* Number i of those that were added since the last clear. */
bipe_continuation bipe_continuations_at(const bipe_continuations *all, size_t i);
/* Forgets all of them. */
void bipe_continuations_clear(bipe_continuations *all);
void bipe_continuations_close(bipe_continuations *all);

#endif
