/* loss_walk.h - the pieces of a text that tokens make: which characters belong to which token. For loss_page.c and loss_print.c alone. */
#ifndef BIPE_PLOT_LOSS_WALK_H
#define BIPE_PLOT_LOSS_WALK_H

#include "plot/loss_text.h"

/* A token, or (NULL) text between tokens that no loss is of. A character belongs to the token that its first byte is of; a token of other
 * bytes has none. `before`: the token before it in the same document, NULL: none. */
typedef int bipe_loss_piece(void *context, const bipe_loss_token *token, const bipe_loss_token *before, const uint8_t *text, size_t size,
                            bipe_error *err);

/* All pieces of the document, in order. *first: the view's first token of it, which becomes that of the next document. */
int bipe_loss_walk(const bipe_loss_document *document, const bipe_loss_view *view, size_t *first, bipe_loss_piece *piece, void *context,
                   bipe_error *err);
/* Whether both views have the same tokens, so that their losses can be subtracted. */
bool bipe_loss_same_tokens(const bipe_loss_view *a, const bipe_loss_view *b);
/* Whether a segment begins with this token. */
bool bipe_loss_begins_segment(const bipe_loss_token *token, const bipe_loss_token *before);

#endif
