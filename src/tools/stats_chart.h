/* stats_chart.h - a bar chart of a distribution, one bar a line. */
#ifndef BIPE_TOOLS_STATS_CHART_H
#define BIPE_TOOLS_STATS_CHART_H

#include "measure/distribution.h"
#include "tools/stats_write.h"

/* Bars show shares of the observations; the bars that hold the median and the 95th percentile are marked. The distribution
 * must not be empty. Failures to write stay in the output. */
void stats_chart_write(const bipe_distribution *distribution, stats_look look, bipe_output *output);

#endif
