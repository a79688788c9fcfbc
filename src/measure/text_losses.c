/* text_losses.c - the losses of a text by token, document and unit, and what can be said about their means; see
 * <bipe/compare.h>. */
#include "measure/text_losses.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { SPOOL_MEMORY = 64 << 20, READ_TOKENS = 256 };

/* A token in the spool. */
typedef struct scored_token {
    uint64_t document, start, end;
    double nll;
} scored_token;

/* ---- putting them together ---- */

int bipe_text_losses_begin(bipe_text_losses **losses, bipe_error *err)
{
    *losses = bipe_alloc(1, sizeof **losses);
    return *losses == NULL ? bipe_fail_memory(err) : bipe_spool_open(&(*losses)->spool, SPOOL_MEMORY, err);
}

int bipe_text_losses_add_document(bipe_text_losses *losses, uint64_t size, bipe_error *err)
{
    if (bipe_grow(&losses->document, &losses->capacity, losses->documents + 1, sizeof *losses->document) != 0)
        return bipe_fail_memory(err);
    losses->document[losses->documents++] = (bipe_spool_document){ .bytes = size };
    return BIPE_OK;
}

int bipe_text_losses_add_units(bipe_text_losses *losses, bipe_error *err)
{
    return bipe_loss_units_make(&losses->units, losses->document, losses->documents, false, false, err);
}

int bipe_text_losses_add_token(bipe_text_losses *losses, uint64_t document, uint64_t start, uint64_t end, double nll,
                               bipe_error *err)
{
    const scored_token token = { document, start, end, nll };
    uint64_t place = bipe_hash_uint(bipe_hash_uint(bipe_hash_uint(BIPE_HASH_EMPTY, document), start), end);
    losses->tokens += place; /* in any order */
    bipe_losses_add(&losses->all, nll, end - start, 0);
    int status = bipe_loss_bins_add(&losses->by_document, (size_t)document, nll, end - start, err);
    if (status == BIPE_OK)
        status = bipe_loss_bins_add(&losses->bins, bipe_loss_unit(&losses->units, (size_t)document, start), nll,
                                    end - start, err);
    return status == BIPE_OK ? bipe_spool_append(losses->spool, &token, sizeof token, err) : status;
}

static int add_all(bipe_text_losses *losses, uint64_t tokens, const uint64_t *document, const uint64_t *start,
                   const uint64_t *end, const double *nll, bipe_error *err)
{
    int status = BIPE_OK;
    for (uint64_t i = 0; i < tokens && status == BIPE_OK; i++) {
        if (document[i] >= losses->documents)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "token %" PRIu64 " is in document %" PRIu64
                             ", expected less than %zu", i, document[i], losses->documents);
        if (start[i] > end[i] || end[i] > losses->document[document[i]].bytes)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "token %" PRIu64 " has the bytes %" PRIu64 " to %" PRIu64
                             " of a document of %" PRIu64, i, start[i], end[i], losses->document[document[i]].bytes);
        status = bipe_text_losses_add_token(losses, document[i], start[i], end[i], nll[i], err);
    }
    return status;
}

int bipe_text_losses_make(bipe_text_losses **losses, uint64_t documents, const uint64_t *size, uint64_t tokens,
                          const uint64_t *document, const uint64_t *start, const uint64_t *end, const double *nll,
                          bipe_error *err)
{
    int status = bipe_text_losses_begin(losses, err);
    for (uint64_t i = 0; i < documents && status == BIPE_OK; i++)
        status = bipe_text_losses_add_document(*losses, size[i], err);
    if (status == BIPE_OK)
        status = bipe_text_losses_add_units(*losses, err);
    if (status == BIPE_OK)
        status = add_all(*losses, tokens, document, start, end, nll, err);
    if (status != BIPE_OK) {
        bipe_text_losses_close(*losses);
        *losses = NULL;
    }
    return status;
}

void bipe_text_losses_close(bipe_text_losses *losses)
{
    if (losses == NULL)
        return;
    bipe_free(losses->document);
    bipe_loss_units_free(&losses->units);
    bipe_loss_bins_free(&losses->bins);
    bipe_loss_bins_free(&losses->by_document);
    bipe_spool_close(losses->spool);
    bipe_free(losses);
}

/* ---- what they are ---- */

uint64_t bipe_text_losses_tokens(const bipe_text_losses *losses)
{
    return losses->all.tokens;
}

int bipe_text_losses_read(const bipe_text_losses *losses, uint64_t first, uint64_t count, uint64_t *document,
                          uint64_t *start, uint64_t *end, double *nll, bipe_error *err)
{
    scored_token token[READ_TOKENS];
    uint64_t tokens = losses->all.tokens;
    int status = BIPE_OK;
    if (first > tokens || count > tokens - first)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%" PRIu64 " tokens from token %" PRIu64 " on, expected some of %"
                         PRIu64, count, first, tokens);
    for (uint64_t at = 0, n; at < count && status == BIPE_OK; at += n) {
        n = count - at < READ_TOKENS ? count - at : READ_TOKENS;
        status = bipe_spool_read(losses->spool, (first + at) * sizeof *token, token, (size_t)n * sizeof *token, err);
        for (uint64_t i = 0; i < n && status == BIPE_OK; i++) {
            if (document != NULL)
                document[at + i] = token[i].document;
            if (start != NULL)
                start[at + i] = token[i].start;
            if (end != NULL)
                end[at + i] = token[i].end;
            if (nll != NULL)
                nll[at + i] = token[i].nll;
        }
    }
    return status;
}

uint64_t bipe_text_losses_documents(const bipe_text_losses *losses, uint64_t *size, uint64_t *tokens, uint64_t *bytes,
                                    double *nll)
{
    static const bipe_loss_bin none = {0};
    for (size_t i = 0; i < losses->documents; i++) {
        const bipe_loss_bin *bin = i < losses->by_document.count ? &losses->by_document.bin[i] : &none;
        if (size != NULL)
            size[i] = losses->document[i].bytes;
        if (tokens != NULL)
            tokens[i] = bin->tokens;
        if (bytes != NULL)
            bytes[i] = bin->bytes;
        if (nll != NULL)
            nll[i] = bipe_exact_value(bin->sum, BIPE_LOSS_BITS);
    }
    return losses->documents;
}

/* ---- means and differences ---- */

static bool same_text(const bipe_text_losses *a, const bipe_text_losses *b)
{
    bool same = a->documents == b->documents && (a->text == b->text || a->text == 0 || b->text == 0);
    for (size_t i = 0; same && i < a->documents; i++)
        same = a->document[i].bytes == b->document[i].bytes;
    return same;
}

int bipe_text_losses_estimate(bipe_estimate *estimate, const bipe_text_losses *a, const bipe_text_losses *b, bool bytes,
                              uint64_t seed, bipe_error *err)
{
    bipe_loss_error error;
    bool text = a == NULL || same_text(a, b);
    bool tokens = a == NULL || (text && a->tokens == b->tokens && a->all.tokens == b->all.tokens);
    if (!text || (!bytes && !tokens))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "losses of different %s cannot be compared",
                         text ? "tokens" : "texts");
    int status = bipe_loss_estimate(&error, a == NULL ? NULL : &a->bins, &b->bins, &b->units, bytes, seed, err);
    if (status != BIPE_OK)
        return status;
    *estimate = error.estimate;
    if (a == NULL)
        estimate->value = bytes ? bipe_losses_bits_per_byte(&b->all) : bipe_losses_nll(&b->all);
    return BIPE_OK;
}
