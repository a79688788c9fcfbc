/* loss_text.c - what pages and terminals share of a text that is shaded by losses. */
#include "plot/loss_text.h"

#include <math.h>

#include "base/alloc.h"

int bipe_loss_level(double nll, bool difference)
{
    double share = difference ? nll / BIPE_LOSS_DARKEST + 0.5 : nll / BIPE_LOSS_DARKEST;
    return isnan(share) || share < 0 ? 0 : share > 1 ? BIPE_LOSS_LEVELS - 1 : (int)lround(share * (BIPE_LOSS_LEVELS - 1));
}

void bipe_loss_view_close(bipe_loss_view *view)
{
    bipe_free(view->token);
    *view = (bipe_loss_view){0};
}
