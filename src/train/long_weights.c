/* long_weights.c - losses with a short context; see long_weights.h. */
#include "train/long_weights.h"

#include <math.h>

#include "base/alloc.h"

struct bipe_long_weights {
    bipe_key_rule rule;
    size_t length;
    size_t groups, window; /* the most of a row, and tokens of the longest short window */
    size_t made;           /* short windows of the present rows */
    bipe_train_row *row;   /* (rows * groups) these */
    size_t levels, cells;      /* rows * groups * window */
    uint32_t *index;           /* (2 * levels, rows * groups, window) */
    uint8_t *target;           /* (rows * groups, window) */
    double *nll;               /* (rows * groups, window) */
    double *brief;             /* (rows, length) */
};

/* The most short windows of a row, and the longest. */
static size_t count_groups(const bipe_key_rule *rule, size_t length, size_t *window)
{
    uint64_t first = rule->context + rule->step;
    *window = (size_t)(first < length ? first : length);
    return first < length ? (size_t)((length - 1 - first) / rule->step + 1) : 0;
}

size_t bipe_long_weights_memory(const bipe_key_rule *rule, size_t rows, size_t length, size_t levels)
{
    size_t window, groups = count_groups(rule, length, &window);
    size_t cell = 2 * levels * sizeof(uint32_t) + sizeof(uint8_t) + sizeof(double);
    double size = (double)rows * ((double)groups * ((double)window * (double)cell + sizeof(bipe_train_row)) +
                                  (double)length * sizeof(double));
    return size < (double)(SIZE_MAX / 2) ? (size_t)size : SIZE_MAX / 2;
}

int bipe_long_weights_open(bipe_long_weights **weights, const bipe_key_rule *rule, size_t rows, size_t length,
                           size_t levels, bipe_error *err)
{
    bipe_long_weights *w = *weights = bipe_alloc(1, sizeof *w);
    if (w == NULL || bipe_long_weights_memory(rule, rows, length, levels) >= SIZE_MAX / 2)
        return bipe_fail_memory(err);
    *w = (bipe_long_weights){.rule = *rule, .length = length, .levels = levels};
    w->groups = count_groups(rule, length, &w->window);
    size_t cells = w->cells = rows * w->groups * w->window;
    w->row = bipe_alloc(rows * w->groups, sizeof *w->row);
    w->index = bipe_alloc(cells, 2 * levels * sizeof *w->index);
    w->target = bipe_alloc(cells, sizeof *w->target);
    w->nll = bipe_alloc(cells, sizeof *w->nll);
    w->brief = bipe_alloc(rows * length, sizeof *w->brief);
    return w->row != NULL && w->index != NULL && w->target != NULL && w->nll != NULL && w->brief != NULL
               ? BIPE_OK
               : bipe_fail_memory(err);
}

void bipe_long_weights_close(bipe_long_weights *w)
{
    if (w == NULL)
        return;
    bipe_free(w->row);
    bipe_free(w->index);
    bipe_free(w->target);
    bipe_free(w->nll);
    bipe_free(w->brief);
    bipe_free(w);
}

/* Tokens start .. start + length - 1 of a row as a window of their own, of which those from `context` on are targets
 * that are targets of the row. False: none is. */
static bool cut_window(bipe_long_weights *w, const bipe_train_row *row, size_t start, size_t length, size_t number)
{
    size_t at = number * w->window, targets = 0;
    for (size_t t = 0; t < length; t++) {
        for (size_t l = 0; l < w->levels; l++) {
            const uint32_t *segment = row->index.of[BIPE_INDEX_SEGMENT + 2 * l] + start,
                           *intra = row->index.of[BIPE_INDEX_INTRA + 2 * l] + start;
            uint32_t *own = w->index + 2 * l * w->cells + at + t;
            own[0] = segment[t] - segment[0];
            own[w->cells] = intra[t] - (own[0] == 0 ? intra[0] : 0);
        }
        w->target[at + t] = t >= w->rule.context && row->target[start + t] != 0;
        targets += w->target[at + t];
    }
    w->row[number] = (bipe_train_row){.ids = row->ids + start,
                                      .index = bipe_indices_of(w->index, w->levels, w->cells, at),
                                      .length = length, .target = w->target + at, .draw = row->draw,
                                      .nll = w->nll + at};
    return targets > 0;
}

int bipe_long_weights_find(bipe_long_weights *w, bipe_network *network, bipe_train_row *rows, size_t count,
                           bipe_error *err)
{
    const size_t context = (size_t)w->rule.context, step = (size_t)w->rule.step;
    double sum;
    w->made = 0;
    for (size_t r = 0; r < count; r++) {
        size_t length = rows[r].length;
        for (size_t first = context + step; first < length; first += step) {
            size_t here = context + (length - first < step ? length - first : step);
            if (cut_window(w, &rows[r], first - context, here, w->made))
                w->made++;
        }
    }
    int status = bipe_network_run(network, w->row, w->made, 0, NULL, &sum, err);
    for (size_t r = 0, i = 0; r < count && status == BIPE_OK; r++) {
        double *brief = w->brief + r * w->length;
        for (size_t t = 0; t < rows[r].length; t++)
            brief[t] = (double)NAN;
        for (; i < w->made && w->row[i].ids >= rows[r].ids && w->row[i].ids < rows[r].ids + rows[r].length; i++)
            for (size_t t = context; t < w->row[i].length; t++)
                if (w->row[i].target[t])
                    brief[(size_t)(w->row[i].ids - rows[r].ids) + t] = w->row[i].nll[t];
        rows[r].brief = brief;
    }
    return status;
}

bool bipe_long_weights_window(const bipe_long_weights *w, size_t number, size_t *length, size_t *targets)
{
    if (number >= w->made)
        return false;
    *length = w->row[number].length;
    *targets = 0;
    for (size_t t = 0; t < *length; t++)
        *targets += w->row[number].target[t];
    return true;
}
