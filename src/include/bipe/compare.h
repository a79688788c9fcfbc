/* compare.h - how well a model predicts a text: the mean of its losses, how much it differs from that of another model,
 * and how sure both numbers are. They are those of bipe-score(1), which says more about protocols and errors.
 *
 * bipe_text_losses_open() takes an evaluator and a stream, with all options that these have. A bipe_scorer is both in
 * one, for texts in memory or in a file. It and the functions for losses can be called from other languages
 * (libbipe(3)): objects are pointers that the caller closes; arrays belong to the caller, have the sizes that are
 * given, and are NULL where what they would hold is not wanted. Losses are in nats, places and sizes in bytes, and
 * documents are numbered from 0. One thread at a time uses an object; different threads may use different ones. */
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
    BIPE_PROTOCOL_YARN,      /* Peng et al. 2024 */
    BIPE_PROTOCOL_LONGPPL    /* Fang et al. 2025: the first tokens of each document, however few, without BOS */
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

typedef struct bipe_scorer bipe_scorer;

/* A model, ready to score texts in windows of `length` tokens (0: as many as in its training) with `threads` threads
 * (0: one for each processor). model: a path, or the name of an installed model, such as "default". tokenizer: as in
 * bipe_tokenizer_open(); NULL: the model's. scheme: as in bipe_scheme_parse(); NULL: the model's. Fails as
 * bipe_model_open(), bipe_tokenizer_open() and bipe_evaluator_open(). The caller closes it. */
int bipe_scorer_open(bipe_scorer **scorer, const char *model, const char *tokenizer, const char *scheme,
                     uint64_t length, size_t threads, bipe_error *err);
/* The losses of texts in memory, each of which is a document. text: (count). size: (count); NULL: each text ends with a
 * NUL. segmenter: NULL: the model's. rules: NULL: each text by itself, all of its tokens (BIPE_PROTOCOL_LM_EVAL); the
 * first token of a text has no loss where the tokenizer has neither BOS nor EOS. The caller closes the losses, which
 * need neither the texts nor the scorer any more. */
int bipe_scorer_texts(bipe_text_losses **losses, bipe_scorer *scorer, const char *segmenter, const char *const *text,
                      const size_t *size, size_t count, const bipe_window_rules *rules, bipe_error *err);
/* The same for a file (bipe_stream_input()), which may be compressed: plain text is one document, and so is each record
 * of JSON Lines. field: the member of records that holds the text, or a path to it; NULL: "text". A broken record is an
 * error, and nothing is scored. */
int bipe_scorer_file(bipe_text_losses **losses, bipe_scorer *scorer, const char *segmenter, const char *path,
                     const char *field, const bipe_window_rules *rules, bipe_error *err);
void bipe_scorer_close(bipe_scorer *scorer);

/* Scores all documents that are left of a stream's input, in windows of `length` tokens. The evaluator takes windows of
 * that length; the stream has the model's tokenizer, and the first of its segmenters ends the segments. BIPE_ERR_LIMIT:
 * the text is too short for a window. The caller closes the losses, which need none of the arguments any more. */
int bipe_text_losses_open(bipe_text_losses **losses, bipe_evaluator *evaluator, bipe_stream *stream, uint64_t length,
                          const bipe_window_rules *rules, bipe_error *err);
/* Losses that the caller has: read from others, put together from those of shards, or found by another program.
 * size: (documents) bytes of each. Token i has the loss nll[i] and the bytes [start[i], end[i]) of document[i]. The
 * arrays are copied. BIPE_ERR_ARGUMENT: a token lies in no document. */
int bipe_text_losses_make(bipe_text_losses **losses, uint64_t documents, const uint64_t *size, uint64_t tokens,
                          const uint64_t *document, const uint64_t *start, const uint64_t *end, const double *nll,
                          bipe_error *err);
/* Tokens that were scored. */
uint64_t bipe_text_losses_tokens(const bipe_text_losses *losses);
/* Those from `first` on, in the order of the text, or in which they were made: document, start, end, nll (count), as
 * above. Many tokens are kept in a temporary file (TMPDIR). BIPE_ERR_ARGUMENT: there are fewer. */
int bipe_text_losses_read(const bipe_text_losses *losses, uint64_t first, uint64_t count, uint64_t *document,
                          uint64_t *start, uint64_t *end, double *nll, bipe_error *err);
/* Returns how many documents there are. Of each: size in bytes, the number of tokens that were scored, their bytes, the
 * sum of their losses. bytes < size where tokens were not scored. */
uint64_t bipe_text_losses_documents(const bipe_text_losses *losses, uint64_t *size, uint64_t *tokens, uint64_t *bytes,
                                    double *nll);
/* The mean loss of b or, if a is not NULL, that of b less that of a, document by document: in bits per byte, or else in
 * nats per token. The seed is that of the resampling. BIPE_ERR_ARGUMENT: a and b are not of the same text (of losses
 * that were made: documents of the same sizes) or, without `bytes`, of the same tokens. */
int bipe_text_losses_estimate(bipe_estimate *estimate, const bipe_text_losses *a, const bipe_text_losses *b, bool bytes,
                              uint64_t seed, bipe_error *err);
void bipe_text_losses_close(bipe_text_losses *losses);

#ifdef __cplusplus
}
#endif
#endif
