/* loss_chart.c - a curve of losses on a terminal: a character is two steps wide and four high (braille), or a star
 * without UTF-8. */
#include <math.h>
#include <string.h>

#include "tools/train/bipe_train.h"

enum { HEIGHT = 12, LABEL = 8, WIDEST = 256 };

/* The mean of the part of the losses shown in column `at` of `columns`; NaN if all are. */
static double mean_of(const float *losses, size_t count, size_t at, size_t columns)
{
    size_t first = count * at / columns, last = count * (at + 1) / columns;
    double sum = 0;
    if (last == first)
        last = first + 1;
    for (size_t i = first; i < last; i++)
        sum += losses[i];
    return sum / (double)(last - first);
}

void bipe_loss_chart(const float *losses, size_t count, size_t width, bool utf8, bipe_output *output)
{
    size_t columns = width - LABEL - 1 < WIDEST ? width - LABEL - 1 : WIDEST;
    size_t across = utf8 ? 2 : 1, down = utf8 ? 4 : 1, points = columns * across;
    double value[2 * WIDEST], low = INFINITY, high = -INFINITY;
    if (points > count)
        points = count;
    for (size_t i = 0; i < points; i++) {
        value[i] = mean_of(losses, count, i, points);
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    if (!(high > low))
        high = low + 1;
    uint8_t cell[HEIGHT][WIDEST] = {0};
    static const uint8_t dot[4][2] = {{0x01, 0x08},
                                      {0x02, 0x10},
                                      {0x04, 0x20},
                                      {0x40, 0x80}}; /* of a braille character */
    for (size_t i = 0; i < points; i++) {
        size_t row = (size_t)lround((high - value[i]) / (high - low) * (double)(HEIGHT * down - 1));
        cell[row / down][i / across] |= utf8 ? dot[row % down][i % across] : 1;
    }
    for (size_t row = 0; row < HEIGHT; row++) {
        size_t end = columns;
        while (end > 0 && cell[row][end - 1] == 0)
            end--;
        if (row == 0 || row == HEIGHT - 1)
            bipe_output_printf(output, NULL, "%*.3f%s", LABEL - 1, row == 0 ? high : low, end > 0 ? " " : "");
        else
            bipe_output_printf(output, NULL, "%*s", end > 0 ? LABEL : 0, "");
        for (size_t i = 0; i < end; i++) {
            uint8_t dots = cell[row][i];
            char text[4] = {(char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 0x3F)), '\0'};
            bipe_output_printf(output, NULL, "%s", dots == 0 ? " " : utf8 ? text : "*");
        }
        bipe_output_printf(output, NULL, "\n");
    }
}
