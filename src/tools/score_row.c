/* score_row.c - rows added up and freed. */
#include "tools/bipe_score.h"

int bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more, bipe_error *err)
{
    bipe_losses_merge(&row->losses, &more->losses);
    bipe_losses_merge(&row->contrast, &more->contrast);
    int status = bipe_loss_bins_merge(&row->bins, &more->bins, err);
    if (status == BIPE_OK)
        status = bipe_loss_bins_merge(&row->units, &more->units, err);
    return status == BIPE_OK ? bipe_loss_bins_merge(&row->contrast_units, &more->contrast_units, err) : status;
}

void bipe_score_row_free(bipe_score_row *row)
{
    bipe_loss_bins_free(&row->bins);
    bipe_loss_bins_free(&row->units);
    bipe_loss_bins_free(&row->contrast_units);
}
