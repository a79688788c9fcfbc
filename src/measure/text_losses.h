/* text_losses.h - the losses of a text (<bipe/compare.h>) while they are put together: first its documents, then their
 * units, then the tokens. */
#ifndef BIPE_MEASURE_TEXT_LOSSES_H
#define BIPE_MEASURE_TEXT_LOSSES_H

#include <bipe/compare.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spool.h"
#include "base/status.h"
#include "measure/loss_units.h"

struct bipe_text_losses {
    uint64_t text;                 /* a hash of the text; 0: it is not known */
    uint64_t tokens;               /* a hash of the places of all tokens */
    bipe_spool_document *document; /* (documents) of which only `bytes` is set */
    size_t documents, capacity;
    bipe_loss_units units;
    bipe_loss_bins bins;           /* by unit */
    bipe_loss_bins by_document;
    bipe_losses all;
    bipe_spool *spool;             /* what bipe_text_losses_read() returns, token by token */
};

/* Without documents. Where this or one of the next fails, the caller closes the losses. */
int bipe_text_losses_begin(bipe_text_losses **losses, bipe_error *err);
int bipe_text_losses_add_document(bipe_text_losses *losses, uint64_t size, bipe_error *err);
/* All documents were added. */
int bipe_text_losses_add_units(bipe_text_losses *losses, bipe_error *err);
int bipe_text_losses_add_token(bipe_text_losses *losses, uint64_t document, uint64_t start, uint64_t end, double nll,
                               bipe_error *err);

#endif
