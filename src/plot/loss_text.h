/* loss_text.h - a text whose tokens are shaded by their losses, of one model or of two, as a page or on a terminal. */
#ifndef BIPE_PLOT_LOSS_TEXT_H
#define BIPE_PLOT_LOSS_TEXT_H

#include <stdint.h>

#include "base/buffer.h"
#include "plot/figure.h"

/* A scored token: its bytes in the document, its positions in its window, its loss in nats, whether it is a key token
 * (measure/key_tokens.h). */
typedef struct bipe_loss_token {
    uint64_t document, window, start, end;
    uint32_t id, token, segment, intra;
    float nll;
    bool key;
} bipe_loss_token;

/* The losses of one model on one file, in the order of the text. */
typedef struct bipe_loss_view {
    bipe_loss_token *token;
    size_t count, capacity, keys; /* keys: those that are key tokens */
} bipe_loss_view;

/* A document; its bytes, of which tokens speak. */
typedef struct bipe_loss_document {
    uint64_t index;
    bipe_buffer text;
} bipe_loss_document;

/* One view or two of the same documents. The tokens belong to the caller. */
typedef struct bipe_loss_text {
    char title[512], name[2][512]; /* name: of each view */
    bipe_loss_view view[2];
    size_t views; /* 1 or 2 */
    bipe_loss_document *document;
    size_t documents, capacity;
} bipe_loss_text;

void bipe_loss_text_close(bipe_loss_text *text);

/* A page in HTML of its own, without outside parts. */
int bipe_loss_text_page(const bipe_loss_text *text, bipe_output *output, bipe_error *err);
/* Shades with 256 colours, or digits of the steps in a line below each line of the text. Key tokens are underlined. */
int bipe_loss_text_print(const bipe_loss_text *text, bipe_look look, bipe_output *output, bipe_error *err);

/* ---- for those that show it ---- */

/* Receives a token, or (NULL) text without a loss between tokens. A character belongs to the token of its first byte; a
 * token without first bytes has no text. before: the previous token of the document, or NULL. */
typedef int bipe_loss_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before,
                            const uint8_t *text, size_t size, bipe_error *err);

/* All pieces of the document, in order. *first: the view's first token of it, which becomes that of the next
 * document. */
int bipe_loss_walk(const bipe_loss_document *document, const bipe_loss_view *view, size_t *first,
                   bipe_loss_piece *piece, void *context, bipe_error *err);
/* Whether both views have the same tokens, so that their losses can be subtracted. */
bool bipe_loss_same_tokens(const bipe_loss_view *a, const bipe_loss_view *b);
#endif
