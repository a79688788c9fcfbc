/* token_losses.c - losses in a spool, one for each token of a text; see token_losses.h. */
#include "measure/token_losses.h"

#include <math.h>

#include "base/alloc.h"

int bipe_token_losses_open(bipe_token_losses *losses, bipe_error *err)
{
    enum { MEMORY = 16 << 20 };
    *losses = (bipe_token_losses){0};
    return bipe_spool_open(&losses->spool, MEMORY, err);
}

int bipe_token_losses_end(bipe_token_losses *losses, uint64_t tokens, bipe_error *err)
{
    const double none = (double)NAN;
    int status = BIPE_OK;
    while (bipe_spool_size(losses->spool) < tokens * sizeof none && status == BIPE_OK)
        status = bipe_spool_append(losses->spool, &none, sizeof none, err);
    return status;
}

int bipe_token_losses_add(void *context, const bipe_scored_window *window, bipe_error *err)
{
    bipe_token_losses *losses = context;
    const double none = (double)NAN;
    int status = bipe_token_losses_end(losses, window->start + window->first - window->added, err);
    for (size_t k = 0; k < window->length - window->first && status == BIPE_OK; k++)
        status = bipe_spool_append(losses->spool, window->target[k] ? &window->nll[k] : &none, sizeof none, err);
    return status;
}

int bipe_token_losses_read(bipe_token_losses *losses, const bipe_scored_window *window, bipe_error *err)
{
    if (bipe_grow(&losses->window, &losses->capacity, window->length, sizeof *losses->window) != 0)
        return bipe_fail_memory(err);
    for (size_t k = 0; k < window->added; k++)
        losses->window[k] = (double)NAN;
    return bipe_spool_read(losses->spool, window->start * sizeof(double), losses->window + window->added,
                           (window->length - window->added) * sizeof(double), err);
}

void bipe_token_losses_free(bipe_token_losses *losses)
{
    bipe_spool_close(losses->spool);
    bipe_free(losses->window);
}
