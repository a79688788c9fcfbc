/* score_row.c - rows added up and freed. */
#include "tools/bipe_score.h"

int bipe_score_row_merge(bipe_score_row *row, const bipe_score_row *more, bipe_error *err)
{
    bipe_losses_merge(&row->losses, &more->losses);
    return bipe_loss_bins_merge(&row->bins, &more->bins, err);
}

void bipe_score_row_free(bipe_score_row *row)
{
    bipe_loss_bins_free(&row->bins);
}
