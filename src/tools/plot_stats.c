/* plot_stats.c - Figure 1 of the paper for any text: how many tokens segments have, whatever the window, and how the number of
 * segments grows with it. */
#include "tools/plot_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/result_file.h"

enum { BINS = 24 };

/* The place of a value on an axis of bins that all lines share: their edges are whole numbers, each about a quarter further. */
static double edge_of(size_t bin)
{
    double edge = 1;
    for (size_t i = 0; i < bin; i++)
        edge = fmax(edge + 1, floor(edge * 1.35));
    return edge;
}

/* The share of segments for each number of tokens, in bins: points in the middle of each. */
static int add_distribution(bipe_figure *figure, const plot_item *item, const char *name, bipe_error *err)
{
    const json_t *list = json_object_get(json_object_get(item->row, "tokens_per_segment"), "histogram");
    double count[BINS] = {0}, total = 0;
    size_t last = 0;
    bipe_series *series;
    int status = bipe_figure_series(figure, name, &series, err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        double value = json_number_value(json_array_get(pair, 0)), segments = json_number_value(json_array_get(pair, 1));
        if (json_array_size(pair) != 2 || !(value >= 0) || !(segments > 0))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%stokens_per_segment.histogram[%zu]: expected [tokens, segments]", item->where, i);
        size_t bin = 0;
        while (bin + 1 < BINS && value >= edge_of(bin + 1))
            bin++;
        count[bin] += segments;
        total += segments;
        last = bin > last ? bin : last;
    }
    for (size_t b = 0; b <= last && total > 0 && status == BIPE_OK; b++) {
        double low = edge_of(b), width = edge_of(b + 1) - low;
        status = bipe_series_add(series, (bipe_point){low + (width - 1) / 2, 100 * count[b] / total / width, NAN, NAN}, err);
    }
    return status;
}

static bool shares_all_but_length(const plot_item *a, const plot_item *b)
{
    for (int p = 0; p < PLOT_PARTS; p++)
        if (strcmp(a->part[p], b->part[p]) != 0)
            return false;
    return true;
}

/* With one segmenter a line for each length, with several a line for each at its largest length, which is that of whole documents. */
static int make_distribution(bipe_figure *figure, const plot_items *items, bipe_error *err)
{
    bool several = false;
    int status = BIPE_OK;
    figure->x_kind = BIPE_SCALE_LOG;
    figure->bare = true;
    for (size_t i = 1; i < items->count; i++)
        several = several || !shares_all_but_length(&items->item[0], &items->item[i]);
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        const plot_item *item = &items->item[i];
        char name[PLOT_NAME_SIZE], length[BIPE_SCALE_LABEL];
        bool last = i + 1 == items->count || !shares_all_but_length(item, &items->item[i + 1]);
        if (several && !last)
            continue;
        plot_item_name(items, item, name);
        if (!several && !isnan(item->length))
            snprintf(name, sizeof name, "windows of %s", bipe_scale_length(item->length, length));
        else if (!several)
            snprintf(name, sizeof name, "documents");
        status = add_distribution(figure, item, name, err);
    }
    return status;
}

int plot_stats_make(plot_figures *figures, plot_items *items, bipe_error *err)
{
    static const char *const paths[2][3] = {{"tokens_per_segment.mean"}, {"segments_per_window.mean", "segments_per_window.p5", "segments_per_window.p95"}};
    static const char *const labels[] = {"tokens per segment", "segments per window"}, *const titles[] = {"mean tokens per segment", "segments per window (5 % to 95 %)"};
    bipe_figure *figure;
    bool windows = false;
    for (size_t i = 0; i < items->count; i++)
        windows = windows || !isnan(items->item[i].length);
    int status = plot_figures_add(figures, "distribution of tokens per segment", "tokens in a segment", "% of segments", &figure, err);
    if (status == BIPE_OK)
        status = make_distribution(figure, items, err);
    for (int segments = 0; segments < 2 && windows && status == BIPE_OK; segments++) {
        if ((status = plot_figures_add(figures, titles[segments], "window length (tokens)", labels[segments], &figure, err)) != BIPE_OK)
            break;
        figure->x_kind = BIPE_SCALE_LENGTH;
        figure->zero = true;
        for (size_t i = 0; i < items->count && status == BIPE_OK; i++)
            if (!isnan(items->item[i].length))
                status = plot_add_values(figure, items, &items->item[i], paths[segments], err);
    }
    return status;
}
