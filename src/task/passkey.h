/* passkey.h - tests whether a model finds a key hidden in a long text (the passkey task of Mohtashami and Jaggi 2023),
 * without generating: the right key must be more probable at the end than nine wrong ones.
 *
 * The text consists of plain random sentences, as many as fit into the length; one of them gives the key, and the last
 * words ask for it. Random numbers depend on the number of the trial alone, so all models and lengths get the same
 * keys. */
#ifndef BIPE_TASK_PASSKEY_H
#define BIPE_TASK_PASSKEY_H

#include "base/buffer.h"
#include "model/generator.h"
#include "task/growing_text.h"

enum { BIPE_PASSKEY_CHOICES = 10 };

/* A key of five digits. */
uint32_t bipe_passkey_draw(uint64_t *random);
/* A text with the key `hidden` after `before` of `filler` sentences, and `answer` as the key at its end. */
int bipe_passkey_text(bipe_buffer *text, uint32_t hidden, uint32_t answer, size_t filler, size_t before, uint64_t trial,
                      bipe_error *err);

typedef struct bipe_passkey bipe_passkey;

/* The result of a trial. Pointers are valid until the next one. */
typedef struct bipe_passkey_trial {
    uint32_t key[BIPE_PASSKEY_CHOICES]; /* five digits each, all different; the first one is hidden */
    double nll[BIPE_PASSKEY_CHOICES];   /* of the text with each as the answer, from the first token in which the texts
                                           differ; NaN where   the model gives no number */
    size_t filler, before;              /* sentences in all, and before the key */
    size_t tokens;                      /* of the longest of the texts */
    bool right;                         /* the hidden key is more probable than each other one */
} bipe_passkey_trial;

/* options: max_length is the most tokens of a text. Model, tokenizer and pool must outlive it. Errors: those of
 * bipe_generator_open() and bipe_growing_text_open(). */
int bipe_passkey_open(bipe_passkey **passkey, bipe_model *model, const bipe_tokenizer *tokenizer, const char *segmenter,
                      const bipe_generator_options *options, bipe_pool *pool, bipe_error *err);
/* depth: 0 hides the key at the beginning, 1 at the end. BIPE_ERR_ARGUMENT: the length is too short for any text. */
int bipe_passkey_try(bipe_passkey *passkey, double depth, uint64_t trial, bipe_passkey_trial *result, bipe_error *err);
void bipe_passkey_close(bipe_passkey *passkey);

#endif
