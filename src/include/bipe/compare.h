/* compare.h - how well a model predicts a text: the mean of its losses, how much it differs from that of another model,
 * and how sure both numbers are. They are those of bipe-score(1), which says more about protocols and errors. */
#ifndef BIPE_COMPARE_H
#define BIPE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bipe/error.h>
#include <bipe/score.h>
#include <bipe/streams.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bipe_protocol_kind {
    BIPE_PROTOCOL_PAPER,     /* He et al. 2024 */
    BIPE_PROTOCOL_SLIDING,   /* Hugging Face's guide to perplexity; strides of half a window */
    BIPE_PROTOCOL_LLAMA_CPP, /* llama-perplexity */
    BIPE_PROTOCOL_LM_EVAL,   /* loglikelihood_rolling of lm-evaluation-harness; a window has a token more */
    BIPE_PROTOCOL_YARN       /* Peng et al. 2024 */
} bipe_protocol_kind;

/* What starts with a BOS, if the tokenizer has one. */
typedef enum bipe_bos_kind { BIPE_BOS_DOCUMENT, BIPE_BOS_WINDOW, BIPE_BOS_NONE } bipe_bos_kind;

/* How a text is cut into windows, and which of their tokens are scored. Zero-initialise, then set what is to differ. */
typedef struct bipe_window_rules {
    bipe_protocol_kind protocol;
    uint64_t stride; /* tokens from one window to the next; 0: the protocol's */
    uint64_t last;   /* of each window only so many tokens count; 0: all */
    bool tail;       /* what is too short for a window is one */
    bool lines;      /* each document is a window of its own */
    bool count_bos;  /* a BOS within a window counts */
    bipe_bos_kind bos;
} bipe_window_rules;

/* An estimate. Members that are not defined are NaN. */
typedef struct bipe_estimate {
    double value;
    double error;     /* standard error: the standard deviation of the value over resamples */
    double low, high; /* 95 % interval */
    double p;         /* two-sided, for the hypothesis that the value is 0 */
    size_t units;     /* that are resampled: documents, or blocks of tokens where a text has fewer than 20 */
} bipe_estimate;

typedef struct bipe_text_losses bipe_text_losses;

/* Scores all documents that are left of a stream's input, in windows of `length` tokens. The evaluator takes windows of
 * that length; the stream has the model's tokenizer, and the first of its segmenters ends the segments. BIPE_ERR_LIMIT:
 * the text is too short for a window. The caller closes the losses, which need none of the arguments any more. */
int bipe_text_losses_open(bipe_text_losses **losses, bipe_evaluator *evaluator, bipe_stream *stream, uint64_t length,
                          const bipe_window_rules *rules, bipe_error *err);
/* Tokens that were scored. */
uint64_t bipe_text_losses_tokens(const bipe_text_losses *losses);
/* The mean loss of b or, if a is not NULL, that of b less that of a: in bits per byte, or else in nats per token. The
 * seed is that of the resampling. BIPE_ERR_ARGUMENT: a and b are not of the same text or, without `bytes`, of the same
 * tokens. */
int bipe_text_losses_estimate(bipe_estimate *estimate, const bipe_text_losses *a, const bipe_text_losses *b, bool bytes,
                              uint64_t seed, bipe_error *err);
void bipe_text_losses_close(bipe_text_losses *losses);

#ifdef __cplusplus
}
#endif
#endif
