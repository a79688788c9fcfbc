/* loss_text.c - the common part of pages and terminals for a text shaded by losses. */
#include "plot/loss_text.h"

#include "base/alloc.h"
#include "text/utf8.h"

void bipe_loss_text_close(bipe_loss_text *text)
{
    for (size_t i = 0; i < text->documents; i++)
        bipe_buffer_free(&text->document[i].text);
    bipe_free(text->document);
}

bool bipe_loss_same_tokens(const bipe_loss_view *a, const bipe_loss_view *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->token[i].document != b->token[i].document || a->token[i].start != b->token[i].start || a->token[i].end != b->token[i].end)
            return false;
    return true;
}

/* Where the characters end that begin before `end`. */
static size_t character_end(const bipe_buffer *text, size_t from, size_t end)
{
    while (from < end) {
        int32_t code;
        size_t used = bipe_utf8_decode(text->data + from, text->size - from, &code);
        from += used > 0 ? used : text->size - from;
    }
    return from;
}

int bipe_loss_walk(const bipe_loss_document *document, const bipe_loss_view *view, size_t *first, bipe_loss_piece *piece, void *context,
                   bipe_error *err)
{
    const bipe_buffer *text = &document->text;
    size_t done = 0, at = *first;
    int status = BIPE_OK;
    while (at < view->count && view->token[at].document < document->index)
        at++;
    for (const bipe_loss_token *before = NULL; at < view->count && view->token[at].document == document->index && status == BIPE_OK; at++) {
        const bipe_loss_token *token = &view->token[at];
        if (token->end > text->size)
            return bipe_fail(err, BIPE_ERR_FORMAT, "a token ends at byte %llu of document %llu, which has %zu bytes; expected the text that was scored",
                             (unsigned long long)token->end, (unsigned long long)document->index, text->size);
        size_t gap = character_end(text, done, token->start);
        if (gap > done)
            status = piece(context, NULL, before, text->data + done, gap - done, err);
        done = gap;
        size_t end = character_end(text, done, token->end);
        if (status == BIPE_OK)
            status = piece(context, token, before, text->data + done, end - done, err);
        done = end;
        before = token;
    }
    *first = at;
    return status == BIPE_OK && done < text->size ? piece(context, NULL, NULL, text->data + done, text->size - done, err) : status;
}
