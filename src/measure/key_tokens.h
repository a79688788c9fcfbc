/* key_tokens.h - the tokens whose prediction rests on distant text: those that a model predicts much better with the
 * whole context than with a short one, and well. Fang et al., What is Wrong with Perplexity for Long-context Language
 * Modeling?, ICLR 2025 (arXiv 2410.23771), whose LongPPL is the perplexity over them. Here are the windows of the short
 * context, the rule, and key tokens as spans of bytes, which hold for any tokenizer. */
#ifndef BIPE_MEASURE_KEY_TOKENS_H
#define BIPE_MEASURE_KEY_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spool.h"
#include "base/status.h"
#include "measure/windows.h"

/* Tokens of the published short context; of a group, a quarter of it. */
enum { BIPE_KEY_CONTEXT = 4096 };
#define BIPE_KEY_NATS 2.0 /* alpha and beta there */

typedef struct bipe_key_rule {
    double alpha, beta;     /* nats */
    uint64_t context, step; /* tokens, > 0: of the short context, and of a group that shares it */
} bipe_key_rule;

/* Whether a token is key: its loss with the short context exceeds that with the whole one by more than alpha, and the
 * latter is below beta. Neither holds for NaN. */
static inline bool bipe_key_token(const bipe_key_rule *rule, double whole, double brief)
{
    return brief - whole > rule->alpha && whole < rule->beta;
}

/* Windows of the short context for all windows of `whole` in a text of so many tokens. Of the tokens that a window
 * scores, those that have at least `context` tokens of it before them are divided into groups of `step`; a short window
 * starts `context` tokens before the first of a group and scores the group. It ends within its window, and starts after
 * the start of that: the first group of a window has no other context than the whole, so it is left out.
 * list: what brief->list becomes, which the caller frees with bipe_free(). BIPE_ERR_MEMORY. */
int bipe_key_windows(const bipe_key_rule *rule, const bipe_protocol *whole, uint64_t tokens, bipe_protocol *brief,
                     bipe_cut **list, bipe_error *err);

/* Bytes [start, end) of a document. */
typedef struct bipe_key_span {
    uint64_t document, start, end;
} bipe_key_span;

/* Spans of a text, by rising document and start; on disk when there are many. Zero-initialise. */
typedef struct bipe_key_spans {
    bipe_spool *spool;
    bipe_key_span last; /* not yet in the spool, as long as it can grow; empty: there is none */
} bipe_key_spans;

/* Removes all spans; the first call opens the spool. */
int bipe_key_spans_reset(bipe_key_spans *spans, bipe_error *err);
/* The next; one that touches the last makes that longer. */
int bipe_key_spans_add(bipe_key_spans *spans, bipe_key_span span, bipe_error *err);
/* All were added. */
int bipe_key_spans_end(bipe_key_spans *spans, bipe_error *err);
uint64_t bipe_key_spans_count(const bipe_key_spans *spans);
int bipe_key_spans_read(bipe_key_spans *spans, uint64_t index, bipe_key_span *span, bipe_error *err);
void bipe_key_spans_close(bipe_key_spans *spans);

/* Looks tokens up, one after the other as they stand in the text. Zero-initialise. */
typedef struct bipe_key_cursor {
    uint64_t next;      /* the span after `span` */
    bipe_key_span span; /* empty: none was read */
} bipe_key_cursor;

/* Whether all bytes of a token, one at least, lie in a span. */
int bipe_key_cursor_holds(bipe_key_cursor *cursor, bipe_key_spans *spans, bipe_key_span token, bool *holds,
                          bipe_error *err);

#endif
